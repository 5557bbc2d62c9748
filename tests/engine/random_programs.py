"""Random programs, run statement by statement by minigrad and by PyTorch, and compared after every statement.

    python tests/engine/random_programs.py --count 20000 --seed 0

A program is a list of statements. `Writer` writes the next one with the tensors in view that the program has made so far;
both engines run it; then every live tensor is compared: value, dtype, shape, flags, version, base, place in the graph,
gradient; and so are errors, warnings, and what hooks have seen. A program on which the engines differ is made as short as
it can be, and printed. Programs go on after an error, because what an error leaves behind is part of the comparison.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from facts._executor import _text, settled

import minigrad

try:
    from torch import Tensor
except ImportError:  # then nothing here can be run

    class Tensor:  # type: ignore[no-redef]
        pass

# -- what programs find ready ----------------------------------------------------------------------------------------------

FUNCTIONS = {
    "Scale": """
    def forward(ctx, x, k):
        ctx.k = k
        ctx.save_for_backward(x)
        return x * k
    def backward(ctx, g):
        note("Scale", g, ctx.saved_tensors, ctx.needs_input_grad)
        return g * ctx.k, None""",
    "Exp": """
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y
    def backward(ctx, g):
        return g * ctx.saved_tensors[0]""",
    "Split": """
    def forward(x):
        return x * 2, x * 3
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.set_materialize_grads(False)
    def backward(ctx, g, h):
        note("Split", g, h)
        return (0 if g is None else g * 2) + (0 if h is None else h * 3)""",
    "Product": """
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * y, g * x if ctx.needs_input_grad[1] else None""",
    "Triple": """
    def forward(ctx, x):
        ctx.mark_dirty(x)
        return x.mul_(3)
    def backward(ctx, g):
        return g * 3""",
    "Same": """
    def forward(ctx, x):
        return x
    def backward(ctx, g):
        return g""",
    "Row": """
    def forward(ctx, x):
        ctx.shape = x.shape
        return x[..., :1]
    def backward(ctx, g):
        return g.expand(ctx.shape)""",
    "Floor": """
    def forward(ctx, x):
        y, i = x.floor(), x.ceil()
        ctx.mark_non_differentiable(i)
        return y, i
    def backward(ctx, g, h):
        note("Floor", g, h)
        return g""",
    "Once": """
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()
    @mg.autograd.function.once_differentiable
    def backward(ctx, g):
        return g * ctx.saved_tensors[0].cos()""",
    "Unused": """
    def forward(ctx, x, y):
        return x + y
    def backward(ctx, g):
        return None, g""",
    "TooMany": """
    def forward(ctx, x):
        return x + 1
    def backward(ctx, g):
        return g, g""",
    "WrongShape": """
    def forward(ctx, x):
        return x.sum()
    def backward(ctx, g):
        return g.expand(7)""",
}  # fmt: skip


def source(name: str) -> str:
    """A custom Function as a program would write it."""
    body = re.sub(r"^( *)(def|@)", r"\1@staticmethod\n\1\2", FUNCTIONS[name].lstrip("\n"), flags=re.M)
    body = body.replace("once_differentiable\n    @staticmethod\n", "once_differentiable\n")
    return f"class {name}(mg.autograd.Function):\n{body}\n"


# -- writing ---------------------------------------------------------------------------------------------------------------

# Templates by kind, with weights of kinds and of templates. What stands in braces is filled in from left to right by the
# methods of Writer, which speak of the last tensor that was picked by {x}, {f}, {leaf} or {w}.
KINDS: dict[str, tuple[int, str]] = {
    "new": (9, """
        5 {t} = {literal}
        1 {t} = mg.zeros({shape}, dtype=mg.float64, requires_grad=True)
        1 {t} = mg.arange(4.0).reshape(2, 2)
        1 {t} = mg.ones({shape}).requires_grad_()"""),
    "pure": (20, """
        2 {t} = {f}.sin()
        1 {t} = {x}.exp()
        1 {t} = {f}.tanh()
        1 {t} = {f}.sigmoid()
        1 {t} = -{f}
        1 {t} = {x}.abs()
        1 {t} = {f}.relu()
        1 {t} = {f}.sqrt()
        1 {t} = {f}.log()
        3 {t} = {x}.clone()
        2 {t} = {f} ** {n}
        1 {t} = {n} ** {f}
        2 {t} = {f} * {n}
        1 {t} = {n} - {f}
        1 {t} = {f} / {n}
        1 {t} = {n} / {f}
        1 {t} = {f}.clamp(-1, {n})
        2 {t} = {x}.sum()
        1 {t} = {f}.sum({d})
        1 {t} = {f}.mean({d}, keepdim=True)
        1 {t} = {x}.prod()
        1 {t} = {f}.amax({d})
        1 {t}, {t} = {f}.max({d})
        1 {t} = {f}.max()
        1 {t} = {x}.cumsum({d})
        1 {t} = {f}.softmax({d})
        1 {t} = {f}.log_softmax({d})
        1 {t} = {f}.logsumexp({d})
        1 {t} = {f}.norm()
        1 {t} = {f}.var({d}, correction=0)
        4 {t} = {f} * {y}
        3 {t} = {x} + {y}
        2 {t} = {f} - {y}
        1 {t} = {f} / {y}
        1 {t} = mg.add({x}, {y}, alpha={n})
        1 {t} = mg.maximum({x}, {y})
        1 {t} = mg.where({x} > 0, {x}, {n})
        1 {t} = mg.atan2({f}, {y})
        1 {t} = {f} @ {y}
        1 {t} = mg.cat([{x}, {y}], {d})
        1 {t} = mg.stack([{x}, {y}])
        1 {t} = mg.lerp({f}, {y}, {n})
        1 {t} = mg.addcmul({f}, {y}, {y}, value={n})
        1 {t} = {x} > {n}
        1 {t} = {x}[{fancy}]
        1 {t} = {x}.index_select({d}, mg.tensor([0, 0]))
        1 {t} = {f}.gather({d}, mg.zeros({xshape}, dtype=mg.int64))
        1 {t} = {x}[{x} > 0]
        1 {t} = {x}.masked_fill({x} > 0, {n})
        1 {t} = {f}.double()
        1 {t} = {f}.to(mg.float32)
        1 {t} = {x}.type_as({y})
        1 {t} = {x}.long()
        1 {t} = {x}.flip({d})
        1 {t} = {x}.roll(1, {d})
        1 {t} = {x}.repeat(2, 1)
        1 {t} = {x}.tril()
        1 {t} = mg.zeros_like({x})
        1 {t} = {x}.detach().clone()
        1 {t} = mg.complex({f}, {f})"""),
    "view": (20, """
        6 {t} = {x}[{i}]
        3 {t} = {x}.view({view})
        2 {t} = {x}.reshape({view})
        1 {t} = {x}.flatten()
        2 {t} = {x}.t()
        2 {t} = {x}.transpose({d}, {d})
        1 {t} = {x}.permute({perm})
        2 {t} = {x}.unsqueeze({d})
        2 {t} = {x}.squeeze()
        1 {t} = {x}.squeeze({d})
        2 {t} = {x}.expand({expand})
        2 {t} = {x}.narrow({d}, {k}, 1)
        2 {t} = {x}.select({d}, {k})
        2 {t} = {x}.diagonal()
        2 {t} = {x}.view_as({x})
        1 {t} = {x}[:]
        3 {t} = {x}.detach()
        2 {t} = {x}.data
        1 {t} = {x}.T
        1 {t} = {x}.mT
        1 {t} = {x}.movedim({d}, {d})
        1 {t} = {x}.contiguous()
        3 {parts} = {x}.unbind({pd})
        3 {parts} = {x}.split(1, {pd})
        2 {parts} = {x}.chunk({pn}, {pd})"""),
    "write": (30, """
        3 {w}.add_({v})
        3 {w}.mul_({v})
        1 {w}.sub_({v})
        1 {w}.div_({v})
        2 {w} += {v}
        2 {w} *= {v}
        1 {w}.add_({v}, alpha={n})
        8 {w}[{i}] = {vi}
        2 {w}[{i}] += {n}
        2 {w}[{fancy}] = {vi}
        1 {w}[{w} > 0] = {n}
        2 {w}[{i}].mul_({n})
        4 {w}.copy_({v})
        2 {w}.fill_({n})
        1 {w}.fill_({x})
        2 {w}.zero_()
        1 {w}.exp_()
        2 {w}.sin_()
        1 {w}.tanh_()
        1 {w}.relu_()
        1 {w}.neg_()
        1 {w}.sqrt_()
        1 {w}.pow_(2)
        1 {w}.clamp_(-1, {n})
        1 {w}.masked_fill_({w} > 0, {n})
        1 {w}.cumsum_({d})
        1 {w}.addcmul_({w}, {w})
        1 {w}.lerp_({w}, 0.5)
        2 {w}.data.mul_({n})
        2 {w}.detach().add_({n})
        1 {w}.view(-1).add_({v})
        1 {t} = {w}.mul_({v})
        1 {t} = Triple.apply({w})"""),
    "flag": (8, """
        3 {x}.requires_grad_()
        1 {x}.requires_grad_(False)
        2 {x}.requires_grad = True
        1 {x}.requires_grad = False
        2 {f}.retain_grad()
        3 {hooked}.retain_grad()
        1 {leaf}.grad = None
        1 {leaf}.grad = {like}
        1 {leaf}.grad.zero_()
        1 {leaf}.grad *= 2
        1 {leaf}.data = {same}
        2 del {x}"""),
    "backward": (12, """
        4 {f}.sum().backward({options})
        3 {f}.backward({cotangent}{options2})
        1 {f}.backward()
        1 mg.autograd.backward([{f}, {f}], [{like}, None]{options2})
        1 mg.autograd.backward([{f}.sum(), {f}.sum()]{options2})
        2 ({f} * {y}).sum().backward({options})
        1 {f}.sum().backward(inputs={f})
        1 {f}.sum().backward(inputs=[{f}, {leaf}])
        3 {g}, = mg.autograd.grad({f}.sum(), {f}{goptions})
        2 {g}, {g} = mg.autograd.grad({f}.sum(), [{leaf}, {f}]{goptions})
        1 {g}, = mg.autograd.grad({f}, {f}, {cotangent}{goptions})
        1 {g}, = mg.autograd.grad(({f} * {f}).sum(), {leaf}, create_graph=True)
        1 {g} = {leaf}.grad * {n}"""),
    "hook": (8, """
        2 {h} = {hooked}.register_hook(lambda g: note("{h}", g))
        2 {h} = {hooked}.register_hook(lambda g: note("{h}", g) or g * 2)
        1 {h} = [{f}.register_hook(k) for k in (lambda g: note("first", g), lambda g: note("second", g) or g * 2)]
        1 {h} = {hooked}.register_hook(lambda g: g.sum())
        1 {h} = {hooked}.register_hook(lambda g: g.mul_(2))
        2 {h} = {hooked}.grad_fn.register_hook(lambda gi, go: note("{h}", gi, go))
        1 {h} = {hooked}.grad_fn.register_hook(lambda gi, go: tuple(None if g is None else g + 1 for g in gi))
        2 {h} = {hooked}.grad_fn.register_prehook(lambda go: note("{h}", go))
        1 {h} = {hooked}.grad_fn.register_prehook(lambda go: tuple(None if g is None else g * 3 for g in go))
        2 {h} = {leaf}.register_post_accumulate_grad_hook(lambda p: note("{h}", p, p.grad))
        1 {h} = {leaf}.register_post_accumulate_grad_hook(lambda p: setattr(p, "grad", None))
        1 note({f}.grad_fn.name(), {f}.grad_fn.next_functions[0][0].name())
        2 {oldh}.remove()"""),
    "function": (6, """
        2 {t} = Scale.apply({f}, {n})
        1 {t} = Scale.apply({f}, {x})
        2 {t} = Exp.apply({f})
        2 {t}, {t} = Split.apply({f})
        2 {t} = Product.apply({f}, {y})
        3 {t} = Triple.apply({w})
        2 {t} = Same.apply({x})
        2 {t} = Row.apply({x})
        1 {t}, {t} = Floor.apply({f})
        1 {t} = Once.apply({f})
        1 {t} = Unused.apply({f}, {y})
        1 {t} = TooMany.apply({f})
        1 {t} = WrongShape.apply({f})"""),
    "read": (6, """
        1 note({x}.item())
        1 note({x}.numpy())
        1 note(float({x}))
        1 note(bool({x}))
        1 note(len({x}))
        1 note({x}.tolist())
        1 note(repr({like}))
        1 note({x}.grad)
        1 note({x}.is_inference(), {x}.numel(), {x}.dim())
        1 {x}.backward("a")
        1 {x}.sum().backward(gradient=mg.ones(2))
        1 {x}.grad = 1.0
        1 mg.autograd.grad({x}, [])
        1 mg.autograd.grad({f}.sum(), {n})
        1 mg.tensor([1, 2], requires_grad=True)
        1 note({x}[{k}].tolist())
        1 {x}.view(5, 7)
        1 {x} + "a"
        1 {x}.copy_({n})
        1 {x}.add_(mg.ones(4, 3))
        1 mg.sin({n})"""),
}  # fmt: skip
MODES = ["mg.no_grad()"] * 6 + ["mg.inference_mode()"] * 2 + ["mg.enable_grad()", "mg.set_grad_enabled(False)"]
SHAPES = [(), (1,), (2,), (3,), (2,), (2, 2), (2, 3), (3, 2), (1, 3), (2, 1), (2, 2, 2), (1, 2, 2), (0,), (2, 0)]
NUMBERS = [2, 0.5, -1, 3.0, 1, 0, 1.5, -0.5, True]


def _table(text: str) -> tuple[list[str], list[int]]:
    rows = [line.split(None, 1) for line in text.strip().splitlines()]
    return [row[1] for row in rows], [int(row[0]) for row in rows]


TEMPLATES = {kind: _table(text) for kind, (_, text) in KINDS.items()}


class Writer:
    """Writes statements at random. `space` holds the tensors of the program as PyTorch has them.

    What is written next depends on PyTorch only: a fault of minigrad cannot keep away the statement that would show it.
    """

    def __init__(self, chance: random.Random, space: dict[str, Any], lazy: bool):
        self.chance, self.space, self.lazy = chance, space, lazy
        self.leaves: dict[int, Any] = {}  # all that ever were leaves that require grad
        self.count = 0
        self.derivatives = False
        self.last_hooked = ""
        # Every program has its own inclinations, so that rare kinds of statements meet.
        self.weights = [weight * chance.choice((0.3, 1, 1, 2)) for weight, _ in KINDS.values()]
        if lazy:  # PyTorch crashes when a hook is put on a view that has not found its new history
            self.weights[list(KINDS).index("hook")] = 0
        self.modes = chance.choice((0, 0.1, 0.25))
        self.mistakes = chance.choice((0, 0.03, 0.1))

    def statement(self) -> str:
        """A statement that looks at, or changes, what is there."""
        names = self.names()
        self.leaves |= {id(t): t for t in self.space.values() if isinstance(t, Tensor) and self.is_leaf(t)}
        if names:
            self._pick()
        kind = "new" if len(names) < 2 else self.chance.choices(list(KINDS), self.weights)[0]
        template = self.chance.choices(*TEMPLATES[kind])[0]
        self.target: str | None = None
        # Whether a derivative is a view, and of what, is not compared; so programs make neither views of one nor write to it.
        self.derivatives = kind in ("pure", "backward", "read")
        text = re.sub(r"\{(\w+)\}", lambda m: str(getattr(self, f"_{m[1]}")()), template)
        if kind == "write" and self.target and not _smooth(self.space[self.target]):
            return self.statement()
        if self.target and (_crashes(self.space[self.target]) or "Triple" in text and self.was_leaf(self.space[self.target])):
            return self.statement()
        if ".data = " in text and self.last._base is not None:
            return self.statement()  # PyTorch makes the view again with the strides of other memory
        if re.search(r"repeat|stack", text) and self.last.is_inference():
            return self.statement()  # PyTorch gives a view of a tensor that nobody sees
        if re.search(r"\.(sqrt|log)_?\(", text) and _on_a_cut(numbers(self.last)):
            return self.statement()
        if re.search(r"detach|\.data", text) and self.last.is_inference():
            return self.statement()  # PyTorch lets such a tensor be written to, though it calls it an inference tensor
        if kind in ("new", "pure", "view", "write", "function", "backward") and self.chance.random() < self.modes:
            mode = self.chance.choice(MODES)
            if "inference" not in mode or kind != "backward" and not re.search("requires_grad|gradient_edge", text):
                text = f"with {mode}: {text}"
        return text

    def finale(self) -> list[str]:
        """Backward from some of what is there, so that every graph that was made is also walked."""
        names = [n for n in self.names() if n[0] != "g" and self.space[n].requires_grad]
        chosen = self.chance.sample(names, min(4, len(names)))
        return [f"({n} * {n}).sum().backward(retain_graph=True)" for n in chosen]

    def names(self) -> list[str]:
        derived = set() if self.derivatives else {id(v) for n, v in self.space.items() if n[0] == "g"}
        return [n for n, v in self.space.items() if isinstance(v, Tensor) and id(v) not in derived]

    def is_leaf(self, tensor: Any) -> bool:
        """Whether it is a leaf that requires grad. A view is not asked in a lazy program: it would look for its history."""
        if not tensor.requires_grad or self.lazy and tensor._base is not None:
            return False
        try:
            return tensor.is_leaf
        except RuntimeError:  # a view that has lost its history
            return False

    def was_leaf(self, tensor: Any) -> bool:
        """Whether a graph may lead to it as the leaf that it was: in a backward after mark_dirty PyTorch then ends the process."""
        return id(tensor) in self.leaves and not self.is_leaf(tensor) or self.lazy and tensor._base is not None

    def slip(self) -> bool:
        return self.chance.random() < self.mistakes

    # -- tensors

    def _pick(self, wanted: Any = None) -> str:
        names = self.names()
        fitting = names if wanted is None or self.slip() else [n for n in names if wanted(self.space[n])] or names
        name = fitting[-1 - int(len(fitting) * self.chance.random() ** 1.5)]
        self.last = self.space[name]
        return name

    def _x(self) -> str:
        return self._pick()

    def _hooked(self) -> str:
        """A tensor for a hook, often the same as for the last one, because the order of hooks is seen there only."""
        if self.last_hooked not in self.names() or self.chance.random() < 0.5:
            self.last_hooked = self._pick(lambda t: t.requires_grad)
        self.last = self.space[self.last_hooked]
        return self.last_hooked

    def _f(self) -> str:
        return self._pick(lambda t: t.requires_grad)

    def _leaf(self) -> str:
        return self._pick(self.is_leaf)

    def _w(self) -> str:
        if self.target is not None:
            return self.target
        wish = self.chance.random()
        self.target = self._pick(
            lambda t: _smooth(t)
            and (wish < 0.15 or not self.is_leaf(t))
            and (wish < 0.4 or t._base is not None and not self.is_leaf(t._base))
        )
        return self.target

    def _y(self) -> str:
        last = self.last
        shape = tuple(last.shape)
        name = self._pick(lambda t: _broadcast(t.shape, shape))
        if not self.slip() and not _broadcast(self.space[name].shape, shape):
            name = str(self._n())
        self.last = last
        return name

    # -- arguments

    def _t(self) -> str:
        self.count += 1
        return f"t{self.count}"

    def _g(self) -> str:
        self.count += 1
        return f"g{self.count}"

    def _h(self) -> str:
        hooks = [n for n in self.space if n.startswith("h")]
        return f"h{len(hooks)}"

    def _oldh(self) -> str:
        return self.chance.choice([n for n in self.space if n.startswith("h")] or ["h0"])

    def _n(self) -> Any:
        return self.chance.choice(NUMBERS[:-1] if not self.slip() else NUMBERS)

    def _d(self) -> int:
        rank = max(1, self.last.ndim)
        return self.chance.randint(-rank - 1, rank) if self.slip() else self.chance.randint(-rank, rank - 1)

    def _k(self) -> int:
        return self.chance.choice((0, 0, -1, 1, 2 if self.slip() else 0))

    def _shape(self) -> tuple[int, ...]:
        return self.chance.choice(SHAPES)

    def _xshape(self) -> tuple[int, ...]:
        return tuple(self.last.shape)

    def _perm(self) -> str:
        dims = list(range(self.last.ndim))
        self.chance.shuffle(dims)
        return f"({', '.join(map(str, dims))}{',' if len(dims) == 1 else ''})"

    def _view(self) -> str:
        shape = tuple(self.last.shape)
        size = self.last.numel()
        options = ["-1", "1, -1", "-1, 1", str(size), str(shape[::-1])]
        if size % 2 == 0:
            options += ["2, -1", "-1, 2"]
        return "3, 5" if self.slip() else self.chance.choice(options)

    def _expand(self) -> str:
        shape = tuple(self.last.shape)
        grown = [2 if n == 1 else self.chance.choice((n, -1)) for n in shape]
        if self.slip():
            grown = [*grown, 5]
        return str(self.chance.choice((tuple(grown), (2, *grown))))

    def _pd(self) -> int:
        return self.part_dim

    def _pn(self) -> int:
        return self.part_count

    def _parts(self) -> str:
        """The left side of what gives several views; the tensor is picked afterwards, so it is chosen here."""
        names = [n for n in self.names() if any(1 < s < 4 for s in self.space[n].shape)]
        if not names:
            self.part_dim, self.part_count = 0, 1
            return f"{self._t()},"
        name = self.chance.choice(names)
        self._x_next(name)
        shape = tuple(self.space[name].shape)
        self.part_dim = self.chance.choice([d for d, s in enumerate(shape) if 1 < s < 4])
        self.part_count = shape[self.part_dim]
        return ", ".join(self._t() for _ in range(self.part_count))

    def _x_next(self, name: str) -> None:
        def once() -> str:
            del self._x  # type: ignore[method-assign]
            self.last = self.space[name]
            return name

        self._x = once  # type: ignore[method-assign]

    def _literal(self) -> str:
        kind = self.chance.choices(("float64", "float32", "int64", "bool", "complex128", "float16"), (12, 5, 2, 1, 1, 0))[0]
        shape = self._shape() if kind[0] != "c" else self.chance.choice(SHAPES[:-2])
        return self._data(shape, kind, kind[0] in "fc" and self.chance.random() < 0.65)

    def _data(self, shape: tuple[int, ...], kind: str, grad: bool = False) -> str:
        values: Any = np.asarray([self.chance.choice((-2, -1, 0, 1, 2, 3, 4, 5)) for _ in range(int(np.prod(shape)))])
        values = (values * 0.5 + (values % 2) * 0.5j if kind[0] == "c" else values * 0.5 if kind[0] == "f" else values)
        values = (values > 0 if kind == "bool" else values).reshape(shape).tolist()
        return f"mg.tensor({values}, dtype=mg.{kind}{', requires_grad=True' if grad else ''})"

    def _like(self) -> str:
        shape, kind = tuple(self.last.shape), _dtype(self.last)
        if self.slip():
            shape = self._shape()
        if self.slip():
            kind = self.chance.choice(("float64", "float32", "int64", "complex128"))
        return self._data(shape, kind, self.chance.random() < 0.1)

    def _same(self) -> str:
        return self._data(self.last.shape, _dtype(self.last))

    def _key(self, size: int) -> str:
        choices = [":", "0", "-1", "1:", ":1", "::2", "...", "None"]
        key = self.chance.choice(choices)
        if size == 0 and key in ("0", "-1") and not self.slip():
            key = ":"
        return key

    def _i(self) -> str:
        shape = tuple(self.last.shape)
        if not shape and not self.slip():
            self.index = self.chance.choice(("...", "None", "()"))
            return self.index
        keys = [self._key(n) for n in shape[: self.chance.randint(1, max(1, len(shape)))]] or ["0"]
        if keys.count("...") > 1:
            keys = ["..."]
        if self.slip():
            keys.append(self.chance.choice(("5", "0", "1.5", "'a'")))
        self.index = ", ".join(keys)
        return self.index

    def _fancy(self) -> str:
        shape = tuple(self.last.shape)
        size = shape[0] if shape else 1
        options = [
            str([self.chance.randrange(max(1, size)) for _ in range(2)]),
            str([self.chance.random() < 0.5 for _ in range(size)]),
            "mg.tensor([0, 0])",
            f"{self.chance.choice(('None', '...', '0', ':'))}, [0]",
            "[0], [0]",
        ]
        self.index = self.chance.choice(options)
        return self.index

    def _v(self) -> str:
        return self._value(self.last.shape)

    def _vi(self) -> str:
        try:
            shape = eval(f"a[{self.index}]", {"a": np.empty(self.last.shape), "mg": _NumPy}).shape
        except Exception:
            shape = ()
        return self._value(shape)

    def _value(self, shape: tuple[int, ...]) -> str:
        last, wish = self.last, self.chance.random()
        if wish < 0.3:
            return str(self._n())
        fitting = [
            n for n in self.names()
            if n != self.target and (self.slip() or _stretches(self.space[n].shape, shape))
            # PyTorch reads such operands while it writes to them, and what comes of it depends on its loops.
            and not np.may_share_memory(numbers(self.space[n]), numbers(last))
        ] if wish < 0.8 else []  # fmt: skip
        if fitting:
            return self.chance.choice(fitting)
        if self.slip():
            shape = self._shape()
        text = self._data(shape, _dtype(last), self.chance.random() < 0.4)
        self.last = last
        return text

    # -- arguments of backward and grad

    def _options(self) -> str:
        return self.chance.choice(("", "", "retain_graph=True", "retain_graph=True", "create_graph=True"))

    def _options2(self) -> str:
        options = self._options()
        return f", {options}" if options else ""

    def _goptions(self) -> str:
        more = self.chance.choice(("", "", ", allow_unused=True", ", allow_unused=True", ", materialize_grads=True",
                                   ", allow_unused=False, materialize_grads=True"))  # fmt: skip
        return self._options2() + more

    def _cotangent(self) -> str:
        wish = self.chance.random()
        if wish < 0.8:
            return self._like().replace(", requires_grad=True", "")
        return "None" if wish < 0.9 else f"{self._pick()}.detach().clone()" if wish < 0.98 else "1.0"


def numbers(tensor: Any) -> np.ndarray:
    """PyTorch's numbers, in its own memory."""
    return tensor.detach().resolve_conj().resolve_neg().numpy()


def _dtype(tensor: Any) -> str:
    return str(tensor.dtype).rpartition(".")[2]


def _smooth(tensor: Any) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _crashes(tensor: Any) -> bool:
    """Whether PyTorch ends the process in a backward after a write: retain_grad stays at a number that the new node has not."""
    return any(t is not None and t.retains_grad and t.output_nr for t in (tensor, tensor._base))


def _on_a_cut(array: np.ndarray) -> bool:
    """Whether elements lie where the sign of a zero decides, which PyTorch's kernels for complex numbers do not keep."""
    return array.dtype.kind == "c" and bool(((array.imag == 0) & (array.real <= 0)).any())


class _NumPy:
    """Stands for the engine where only the shape of an index is asked for."""

    tensor = staticmethod(np.asarray)


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(n == m or n == 1 or m == 1 for n, m in zip(a[::-1], b[::-1], strict=False))


def _stretches(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """Whether broadcasting makes b of a."""
    return len(a) <= len(b) and all(n in (m, 1) for n, m in zip(a[::-1], b[::-1], strict=False))


# -- running ---------------------------------------------------------------------------------------------------------------


class Side:
    """One engine with one program: its tensors, and what happened."""

    def __init__(self, engine: Any, functions: dict[str, Any]):
        self.engine = engine
        self.log: list[Any] = functions["log"]
        self.log.clear()
        self.space: dict[str, Any] = {}
        self.born: dict[int, tuple[Any, int]] = {}
        self.inference = False
        self.keep: list[Any] = []
        self.globals = functions
        self.is_torch = engine is not minigrad

    def step(self, code: Any, caught: list[Any]) -> tuple[Any, ...]:
        """Run a statement: its error, its warnings, and what was noted meanwhile."""
        del caught[:]
        del self.log[:]
        error = None
        try:
            exec(code, self.globals, self.space)
        except Exception as e:
            error = type(e).__name__, self.words(str(e))
        told = [(w.category.__name__, self.words(str(w.message))) for w in caught if "layout contract" not in str(w.message)]
        return error, told, list(self.log)

    def words(self, text: str) -> str:
        """A message; where versions do not begin at 0 (see version_at_birth), with how far apart two versions are."""
        apart = (lambda m: f"is {int(m[1]) - int(m[2])} versions ahead") if self.inference else (lambda m: m[0])
        return re.sub(r"is at version (\d+); expected version (\d+)", apart, _text(text))

    def array(self, t: Any) -> np.ndarray:
        t = t.detach()
        return t.resolve_conj().resolve_neg().numpy() if self.is_torch else t.numpy()

    def look(self, lazy: bool) -> dict[str, tuple[Any, ...]]:
        """What there is to see of every live tensor. Lazy: without what makes a view find its new history."""
        tensors = {n: v for n, v in self.space.items() if isinstance(v, self.engine.Tensor)}
        self.inference = self.inference or any(t.is_inference() for t in tensors.values())
        names = {id(t): name for name, t in tensors.items()}
        self.keep, stop = self.derivatives(tensors)
        derived = {id(t) for name, t in tensors.items() if name[0] == "g"}
        return {name: self.tensor(t, names, id(t) in derived, lazy, stop) for name, t in tensors.items()}

    def derivatives(self, tensors: dict[str, Any]) -> tuple[list[Any], set[int]]:
        """The nodes of derivatives, and how to know them: the graph above them shows how a rule is spelled, and is not compared."""
        found = [t for name, t in tensors.items() if name[0] == "g"] + [t._grad for t in tensors.values()]
        # Also those from before: what was computed with a derivative leads there, when the derivative was overwritten.
        nodes = {id(node): node for node in self.keep}
        nodes |= {id(t.grad_fn): t.grad_fn for t in found if t is not None and t.grad_fn is not None}
        return [*nodes.values()], {*nodes}

    def tensor(self, t: Any, names: dict[int, str], derived: bool, lazy: bool, stop: set[int]) -> tuple[Any, ...]:
        seen: list[Any] = [
            self.array(t), str(t.dtype).rpartition(".")[2], tuple(t.shape), t.requires_grad, t.retains_grad, t.is_inference()
        ]  # fmt: skip
        g = t._grad
        seen.append(None if g is None else (self.array(g), str(g.dtype).rpartition(".")[2], tuple(g.shape), g.requires_grad))
        if not derived:
            base = None if self.inference else t._base  # PyTorch makes views within operations on inference tensors
            seen.append(None if base is None else names.get(id(base), tuple(base.shape)))
            seen.append(None if t.is_inference() else t._version - self.version_at_birth(t))
            if not lazy:
                try:
                    node = t.grad_fn
                    seen += [t.is_leaf, t.output_nr, None if node is None else self.node(node, stop)]
                except RuntimeError as error:
                    seen.append(self.words(str(error)))
        return tuple(seen)

    def version_at_birth(self, t: Any) -> int:
        """Counts only where a tensor was made in inference mode: what PyTorch computes of one is written to as it is made."""
        if not self.inference:
            return 0
        if id(t) not in self.born:
            self.born[id(t)] = t, t._version
        return self.born[id(t)][1]

    def node(self, node: Any, stop: set[int]) -> tuple[Any, ...]:
        name = node.name()
        return (name.replace("torch", "minigrad"), tuple([
            (None if n is None else "derivative" if id(n) in stop else n.name().replace("torch", "minigrad"), k)
            for n, k in node.next_functions]))  # fmt: skip

    def graph(self) -> list[Any]:
        """The graph above all tensors, at the end of a program."""
        number: dict[int, int] = {}
        nodes, lines = [], []
        tensors = {n: v for n, v in self.space.items() if isinstance(v, self.engine.Tensor)}
        self.keep, stop = self.derivatives(tensors)
        for t in tensors.values():
            try:
                nodes.append(None if id(t.grad_fn) in stop else t.grad_fn)
            except RuntimeError:
                continue
        for node in nodes:
            if node is None or id(node) in number:
                continue
            number[id(node)] = len(number)
            parents = [(None, k) if n is None or id(n) in stop else (n, k) for n, k in node.next_functions]
            lines.append((node.name().replace("torch", "minigrad"), [k for _, k in parents]))
            nodes.extend(n for n, _ in parents)
        return [[number.get(id(n)) for n in nodes], lines]


def functions_for(engine: Any) -> dict[str, Any]:
    """The names that programs find: the engine, `note`, and the custom Functions."""
    log: list[Any] = []

    def note(*values: Any) -> None:
        log.append([_noted(v) for v in values])

    def _noted(value: Any) -> Any:
        if isinstance(value, engine.Tensor):
            return (np.array(value.detach().tolist()), str(value.dtype).rpartition(".")[2], tuple(value.shape), value.requires_grad)
        if isinstance(value, (list, tuple)):
            return [_noted(v) for v in value]
        return _text(value) if isinstance(value, str) else value

    space = {"mg": engine, "note": note, "log": log, "__name__": "program"}
    for name in FUNCTIONS:
        exec(source(name), space)
    return space


def same(a: Any, b: Any) -> bool:
    """Whether two observations agree: numbers up to rounding, everything else exactly."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return _close(a, b)
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same, a, b))
    if type(a) is type(b) and isinstance(a, (float, complex)):
        return _close(np.asarray(a), np.asarray(b))
    return type(a) is type(b) and a == b


def _close(a: np.ndarray, b: np.ndarray) -> bool:
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if a.tobytes() == b.tobytes():
        return True
    if a.dtype.kind not in "fc":
        return bool((a == b).all())
    if a.dtype.kind == "c":  # which part of a complex infinity is not a number depends on the kernel
        a, b = (np.where(np.isfinite(x), x, np.nan) for x in (a, b))
    with np.errstate(all="ignore"):
        scale = np.abs(a[np.isfinite(a)]).max(initial=1.0)
        # A float64 may come out of a computation that was a float32 at some point.
        small = 1e-4 if a.dtype.itemsize // (2 if a.dtype.kind == "c" else 1) <= 4 else 1e-5
        return bool(np.isclose(a, b, rtol=small, atol=small * scale, equal_nan=True).all())


FIELDS = ["value", "dtype", "shape", "requires_grad", "retains_grad", "is_inference", "grad", "_base", "_version", "is_leaf",
          "output_nr", "grad_fn"]  # fmt: skip


@dataclass
class Outcome:
    """What came of a program: its statements, where the engines differed first, and what it did."""

    statements: list[str] = field(default_factory=list)
    raised: dict[int, str] = field(default_factory=dict)
    difference: str = ""
    kind: str = ""  # of the difference
    wrote_to_view: bool = False
    unclean: bool = False  # whether it ended where PyTorch refused a write after it had written

    def text(self) -> str:
        """The program as it can be run, its errors as comments."""
        body = "\n".join(f"{s}{f'  # {self.raised[k]}' if k in self.raised else ''}" for k, s in enumerate(self.statements))
        used = [source(name) for name in FUNCTIONS if f"{name}.apply" in body]
        return "\n".join([*used, body, "", self.difference])


class Runner:
    """Runs programs on minigrad and, where it is given, on PyTorch."""

    def __init__(self, torch: Any):
        self.engines = [(minigrad, functions_for(minigrad)), (torch, functions_for(torch))]

    def random(self, seed: int, length: int = 18) -> Outcome:
        """The program of a seed."""
        chance = random.Random(seed)
        lazy = chance.random() < 0.3

        def statements(space: dict[str, Any]) -> Iterator[str]:
            writer = Writer(chance, space, lazy)
            for _ in range(length):
                yield writer.statement()
            yield from writer.finale()

        return self.run(statements, lazy)

    def replay(self, statements: list[str], lazy: bool) -> Outcome:
        """A program that is given."""
        return self.run(lambda _: iter(statements), lazy)

    def run(self, program: Any, lazy: bool) -> Outcome:
        sides = [Side(engine, functions) for engine, functions in self.engines]
        ours, theirs = sides
        outcome = Outcome()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for text in program(theirs.space):
                target, number = _target(text), len(outcome.statements)
                outcome.statements.append(text)
                code = compile(text, "<fact>", "exec")
                before = theirs.space.get(target)
                version = None if before is None or before.is_inference() else before._version
                values = _values(theirs)
                results = [side.step(code, caught) for side in sides]
                if results[1][0] is not None:
                    outcome.raised[number] = results[1][0][0]
                elif version is not None and before._version != version and (before._base is not None or f"{target}[" in text):
                    outcome.wrote_to_view = True
                # When arguments are refused, PyTorch has looked at the history of views or has not yet: it depends on which check
                # complains. So both engines are made to look.
                outcome.difference, outcome.kind = self.compare(sides, results, lazy and not results[0][0])
                if outcome.difference and _excused(outcome.statements, target, outcome.difference, sides):
                    outcome.difference, outcome.unclean = "", True
                    return outcome
                if ".grad:" in outcome.difference and ours.keep and "modified by an inplace" in str(results[0][0]):
                    outcome.difference, outcome.unclean = "", True  # the rules of derivatives are spelled differently: so is the order
                    return outcome
                if outcome.difference and target and results[0][0] and same(*results) and values != _values(theirs):
                    outcome.difference, outcome.unclean = "", True
                    return outcome
                if outcome.difference or _explodes(theirs):
                    break
            if not outcome.difference:
                outcome.difference, outcome.kind = self.compare(sides, None, False)
        return outcome

    def compare(self, sides: list[Side], results: Any, lazy: bool) -> tuple[str, str]:
        """How the two sides differ, in words, and by what kind of thing; or two empty words."""
        if results is not None:
            for what, a, b in zip(("error", "warnings", "noted"), *results, strict=True):
                stale = what == "warnings" and results[0][0] and "modified inplace" in results[0][0][1]
                if not same(a, b) and not stale and not (what == "error" and _two_faults(a, b, bool(sides[0].keep))):
                    return f"{what}:\n    minigrad {a}\n    torch    {b}", what
        looks = [side.look(lazy) for side in sides]
        if looks[0].keys() != looks[1].keys():
            return f"names:\n    minigrad {list(looks[0])}\n    torch    {list(looks[1])}", "names"
        for name, ours in looks[0].items():
            theirs = looks[1][name]
            if not same(ours, theirs):
                for what, a, b in zip(FIELDS, ours, theirs, strict=False):
                    if not same(a, b):
                        return f"{name}.{what}:\n    minigrad {a}\n    torch    {b}", what
                return f"{name}:\n    minigrad {ours}\n    torch    {theirs}", "tensor"
        if results is None:
            graphs = [side.graph() for side in sides]
            if graphs[0] != graphs[1]:
                return f"graph:\n    minigrad {graphs[0]}\n    torch    {graphs[1]}", "graph"
        return "", ""

    def shrink(self, outcome: Outcome, lazy: bool) -> Outcome:
        """The shortest program that can be found by leaving things out and still differs in the same kind of thing."""
        best = outcome
        changed = True
        while changed:
            changed = False
            for statements in _smaller(best.statements):
                tried = self.replay(statements, lazy)
                if tried.difference and tried.kind == best.kind and "NameError" not in tried.difference:
                    best, changed = tried, True
                    break
        return best

    def check(self, seed: int) -> Outcome:
        """The program of a seed, made short if the engines differ."""
        outcome = self.random(seed)
        if outcome.difference:
            for lazy in (False, True):
                again = self.replay(outcome.statements, lazy)
                if again.difference:
                    return self.shrink(again, lazy)
        return outcome


def _smaller(statements: list[str]) -> Iterator[list[str]]:
    for k in reversed(range(len(statements))):
        yield statements[:k] + statements[k + 1 :]
    for k, text in enumerate(statements):
        plain = re.sub(r"^with [^:]*: ", "", text)
        shorter = [plain, re.sub(r", (retain_graph|create_graph|allow_unused)=True", "", text), re.sub(r"\.view_as\(\w+\)", "", text)]
        for other in shorter:
            if other != text:
                yield [*statements[:k], other, *statements[k + 1 :]]


def _target(statement: str) -> str | None:
    """The tensor that a statement of the kind "write" writes to."""
    text = re.sub(r"^with [^:]*: ", "", statement)
    found = re.match(r"(?:t\d+ = )?(t\d+)(\[.*\] [+*]?=| [+*]= |.*\.[a-z_]+_\()", text) or re.search(r"Triple.apply\((t\d+)", text)
    return found[1] if found else None


def _values(side: Side) -> dict[str, bytes]:
    return {name: side.array(t).tobytes() for name, t in side.space.items() if isinstance(t, side.engine.Tensor)}


def _excused(statements: list[str], target: str | None, difference: str, sides: list[Side]) -> bool:
    """A fault within PyTorch; a tensor that lies in memory in another order, which reshape may show by a copy, here or before;
    a write of several values to one place, of which the last counts, in an order that PyTorch does not promise; the larger of
    0 and -0, or a product of matrices that is one or the other, which in PyTorch depends on how many there are; or an empty
    leaf in use that was given another shape: for where its elements would lie, PyTorch then compares numbers that mean nothing.
    """
    # The last: of a tensor without dimensions PyTorch reads a size that is not there.
    faults = "INTERNAL ASSERT", "Could this error message be improved", "out of bounds for dimension 0 with size 0"
    if any(text in difference for text in faults):
        return True
    written = sides[1].space.get(target or "")
    if written is not None and f"{target}[" in statements[-1] and 0 in written.stride():
        return True
    program, what = "\n".join(statements), difference.partition(":")[0].rpartition(".")[2]
    if what in ("value", "grad") and re.search("maximum|minimum|@|mm|mv|dot", program) and _zeros_differ(sides):
        return True
    laid_out = [[t.is_contiguous() for t in _tensors(s)] for s in sides]
    return bool(re.search(r"reshape|flatten|contiguous|view\(", program)) and laid_out[0] != laid_out[1]


def _tensors(side: Side) -> list[Any]:
    return [t for t in side.space.values() if isinstance(t, side.engine.Tensor)]


def _zeros_differ(sides: list[Side]) -> bool:
    """Whether a zero has another sign in one engine than in the other."""
    for ours, theirs in zip(*map(_tensors, sides), strict=False):
        a, b = sides[0].array(ours), sides[1].array(theirs)
        if a.shape == b.shape and a.dtype.kind == "f" and np.any((a == 0) & (b == 0) & (np.signbit(a) != np.signbit(b))):
            return True
    return False


def _two_faults(ours: Any, theirs: Any, derivatives: bool) -> bool:
    """Whether both engines complain, one of the arguments and the other of a write or save that must not be: either is right.

    So it is with an operand that can't be saved and a tensor that can't be written. Of several stale values in the graph of a
    derivative either may be met first, because rules are spelled differently.
    """
    if not ours or not theirs:
        return False
    stale = "modified by an inplace operation"
    if derivatives and stale in ours[1] and stale in theirs[1]:
        return True
    if "unsupported operation" in ours[1] and "Inference tensors cannot be saved" in theirs[1]:
        return True
    write = "modified inplace|in-place operation|unsupported operation|Inference tensors cannot"
    return bool(re.search(write, theirs[1])) != bool(re.search(write, ours[1]))


def _explodes(side: Side) -> bool:
    """Whether numbers have become so large that rounding would count."""
    for t in side.space.values():
        if isinstance(t, side.engine.Tensor) and t.numel() and (t.is_floating_point() or t.is_complex()):
            with np.errstate(all="ignore"):
                values = side.array(t)
                if np.nanmax(np.abs(values), initial=0.0) > (1e5 if values.dtype.itemsize > 4 else 1e2):
                    return True
    return False


# -- the long run ----------------------------------------------------------------------------------------------------------


def main() -> int:
    """Run many programs, print those on which the engines differ, and the count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=0, help="of the first program; the others follow")
    parser.add_argument("--stop", type=int, default=5, help="after so many differences")
    options = parser.parse_args()
    import torch

    with settled(torch):
        runner, tally, started = Runner(torch), Tally(), time.perf_counter()
        for seed in range(options.seed, options.seed + options.count):
            outcome = runner.check(seed)
            tally.add(outcome)
            if outcome.difference:
                print(f"# seed {seed}\n{outcome.text()}\n", flush=True)
                if tally.different >= options.stop:
                    break
        print(f"{tally} {time.perf_counter() - started:.0f} s")
    return int(tally.different > 0)


@dataclass
class Tally:
    """Counts over programs."""

    programs: int = 0
    statements: int = 0
    views: int = 0
    raises: int = 0
    unclean: int = 0
    different: int = 0

    def add(self, outcome: Outcome) -> None:
        self.programs += 1
        self.statements += len(outcome.statements)
        self.views += outcome.wrote_to_view
        self.raises += bool(outcome.raised)
        self.unclean += outcome.unclean
        self.different += bool(outcome.difference)

    def __str__(self) -> str:
        n = max(1, self.programs)
        return (f"{self.programs} programs of {self.statements} statements: {self.views / n:.0%} wrote to a view, "
                f"{self.raises / n:.0%} raised, {self.unclean} ended early, where PyTorch promises nothing, "
                f"{self.different} differed.")  # fmt: skip


if __name__ == "__main__":
    sys.exit(main())
