"""In place II: views and y[0] = x**2.

Exercises 12.1 to 12.9: what shares memory, what a write to a part records, and which windows may not be written through.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04 import unwritten
from minigrad.course.compare import differences, unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch12 import addresses, memory_cells  # noqa: F401
from minigrad.course.helpers.graphs import class_of, nodes_of

if TYPE_CHECKING:
    pass

Array = np.ndarray
Draw = tuple[tuple[str, str, Any], ...]  # (key, rule, what is drawn for this line or block), in the order of the program


def run(source: str) -> dict[str, Any]:
    """The variables that a small program leaves behind."""
    space: dict[str, Any] = {"mg": mg}
    exec(source, space)
    return space


@contextlib.contextmanager
def default_dtype(dtype: Any) -> Iterator[None]:
    """New tensors have this dtype: a buffer of another one would convert, that is, copy what is read from it."""
    before = mg.get_default_dtype()
    mg.set_default_dtype(dtype)
    try:
        yield
    finally:
        mg.set_default_dtype(before)


def grad_of(leaf: Any) -> Any:
    """Its gradient, or a word: None would be taken for a forgotten return."""
    return "nothing" if leaf.grad is None else leaf.grad


def spoiled(believed: Callable[[Any], Any], rule: str, truth: Callable[[Draw], dict[str, Any]]) -> Callable[[Draw], dict[str, Any]]:
    """The dict of somebody who is right except about one rule."""

    def predict(draw: Draw) -> dict[str, Any]:
        return truth(draw) | {key: believed(what) for key, its_rule, what in draw if its_rule == rule}

    return predict


def says(hints: dict[str, str], fits: Callable[[Any], bool], form: str) -> Callable[[Case, Any, Any], str | None]:
    """An `accept` that gives the hint of the first wrong line's rule, where no known belief explains the answer."""

    def accept(case: Case, got: Any, expected: Any) -> str | None:
        wrong = [d.path[0] for d in differences(got, expected, 1e-6)]
        told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
        if not told:
            return "" if wrong else None
        if not fits(got[told[0]]):
            return form
        return hints[next(rule for key, rule, _ in case.args[0] if key == told[0])]

    return accept


# --- 12.1 View or copy? -------------------------------------------------------------------------------------

KINDS_SETUP = "x = mg.tensor([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]])\n\n"

# Every program has one line of each rule, in any order.
KINDS = {
    "basic index": ["x[0]", "x[1:]", "x[:, 1]", "x[:, ::2]", "x[..., 0]", "x[0, 1:]"],
    "reshape": ["x.reshape(6)", "x.reshape(3, 2)", "x.flatten()", "x.view(6)", "x.unsqueeze(0)"],
    "transpose": ["x.t()", "x.T", "x.permute(1, 0)", "x.transpose(0, 1)"],
    "reshape that cannot": [
        "x.t().reshape(6)",
        "x.T.flatten()",
        "x[:, :2].reshape(4)",
        "x[:, ::2].flatten()",
        "x.t().reshape(2, 3)",
    ],
    "list of rows": ["x[[0, 1]]", "x[[1]]", "x[:, [0, 2]]", "x[mg.tensor([0])]"],
    "mask": ["x[x > 2]", "x[x >= 0]", "x[x != 1]"],
    "expand": ["x[0].expand(4, 3)", "x.expand(2, 2, 3)", "x[:, :1].expand(2, 5)"],
    "arithmetic": ["x + 0", "x * 1", "x.clone()", "x.repeat(2, 1)", "mg.stack([x[0], x[1]])", "x.double()"],
    "detach": ["x.detach()", "x.data", "x.detach()[0]", "x.data.t()"],
    "parts": ["x.unbind()[0]", "x.split(1)[1]", "x.chunk(2)[0]"],
}
KINDS_TRUE = {rule: "copy" if rule in ("reshape that cannot", "list of rows", "mask", "arithmetic") else "view" for rule in KINDS}
KINDS_HINTS = {
    "basic index": (
        "An index of numbers, slices, steps and `...` moves nothing: the cells that it picks lie at equal distances, so a "
        "start and a step describe them. A view."
    ),
    "reshape": (
        "`view`, and `reshape` or `flatten` of a tensor that lies in memory in its own order, only count the same cells in "
        "another way. A view."
    ),
    "transpose": "A transposed tensor reads the same cells in another order: its steps are swapped, no number moves. A view.",
    "reshape that cannot": (
        "`reshape` is **not always** a view. Write down the numbers in the order in which the new tensor wants them, and the "
        "cells in which they lie. If no fixed step leads from each to the next, they must be copied; `view` would raise."
    ),
    "list of rows": (
        "A list or a tensor of positions may pick cells in any order and twice, so no start and step describe them. The "
        "numbers are copied, even where a slice would have picked the same."
    ),
    "mask": "A mask picks cells at any distances, so they are copied. That holds even if the mask is True everywhere.",
    "expand": "`expand` copies nothing. It shows each cell several times: a step of 0. (`repeat` copies.) A view.",
    "arithmetic": (
        "Arithmetic, `clone`, `repeat`, `stack` and a new dtype give a result in cells of its own, even if the numbers are "
        "the same. A copy."
    ),
    "detach": "`detach()` and `.data` cut off the **history**, not the memory: they look at the same cells. A view.",
    "parts": "`unbind`, `split` and `chunk` open several windows at once. None of them copies. A view.",
}


def draw_lines(table: dict[str, list[Any]], keys: str) -> Callable[[np.random.Generator], Draw]:
    """Draws of one line of each rule, in any order."""

    def draw(rng: np.random.Generator) -> Draw:
        rules = [str(rule) for rule in rng.permutation(list(table))]
        return tuple((key, rule, table[rule][rng.integers(len(table[rule]))]) for key, rule in zip(keys, rules, strict=True))

    return draw


def kinds_program(draw: Draw) -> str:
    return KINDS_SETUP + "\n".join(f"{key} = {code}" for key, _, code in draw)


def kinds(draw: Draw) -> dict[str, str]:
    """Run the program, and see which results share memory with x."""
    space = run(kinds_program(draw))
    cells = space["x"].numpy()
    return {key: "view" if np.shares_memory(space[key].numpy(), cells) else "copy" for key, _, _ in draw}


def kinds_by_rule(draw: Draw) -> dict[str, str]:
    return {key: KINDS_TRUE[rule] for key, rule, _ in draw}


register(
    Exercise(
        id="12.1",
        title="View or copy?",
        difficulty=1,
        minutes=4,
        reference=kinds,
        draws=draw_lines(KINDS, "abcdefghij"),
        program=kinds_program,
        name="kinds",
        words=("view", "copy"),
        alternatives={"by the rules": kinds_by_rule},
        mistakes={
            f"{rule}: {'copy' if right == 'view' else 'view'}": Mistake(
                spoiled(lambda code, right=right: "copy" if right == "view" else "view", rule, kinds),  # type: ignore[misc]
                KINDS_HINTS[rule],
            )
            for rule, right in KINDS_TRUE.items()
        },
        hints=(
            "A view needs no numbers of its own: a start, and one fixed step for each axis, must be enough to find all its "
            "entries among the cells of `x`.",
            "Six cells in a row hold 0 1 2 3 4 5. Point with a finger at the entries of the result, in their order. If your "
            "finger moves along each axis with one fixed step (0 and backward over rows count too), it can be a view. A "
            "list or a mask is never looked at so closely: always a copy.",
            'Six of the ten are views:\n\n```python\nkinds = {\n    "a": "view",  # or "copy"\n    ...\n}\n```\n\nThe four '
            "copies: one picks by a list, one by a mask, one has a result of its own, and one reshapes what lies in memory in another "
            "order, or with gaps.",
        ),
        explanation="""\
A tensor is a piece of memory, a start, a shape, and for each axis a step. Whatever needs only another start, shape
or steps is a **view**: basic indices, `view`, transposes, `expand` (step 0), `unbind`, `split`, and also `detach` and
`.data`, which cut the history and not the memory.

A list or a mask picks cells at any distances, so it **copies**; so does everything that computes.

`reshape` is a view where it can be one, and copies silently where it cannot. `x.t().reshape(6)` wants the numbers
as 0 3 1 4 2 5: steps of +3, −2, +3, −2, +3. No one step describes that. If you need to know, call `view`: it raises where
`reshape` would copy.
""",
    )
)


# --- 12.2 The recurrence that raises ------------------------------------------------------------------------

REPAIR_STARTER = '''\
class Repair:
    """Each takes a leaf x of shape () and returns y of shape (2,), with y[0] = x**2 and y[1] = x**3."""

    @staticmethod
    def clone(x):
        """y is a buffer, and y[1] is computed from what is read from y."""
        ...

    @staticmethod
    def name(x):
        """y is a buffer, and nothing is read from it."""
        ...

    @staticmethod
    def stack(x):
        """There is no buffer."""
        ...
'''


class Repair:
    """Each takes a leaf x of shape () and returns y of shape (2,), with y[0] = x**2 and y[1] = x**3."""

    @staticmethod
    def clone(x):
        y = mg.zeros(2)
        y[0] = x**2
        y[1] = y[0].clone() * x
        return y

    @staticmethod
    def name(x):
        y = mg.zeros(2)
        square = x**2
        y[0] = square
        y[1] = square * x
        return y

    @staticmethod
    def stack(x):
        square = x**2
        return mg.stack([square, square * x])


class RepairElsewhere:
    """The same with other words."""

    @staticmethod
    def clone(x):
        y = mg.empty(2)
        y[0] = x * x
        before = y.clone()
        y[1] = x * before[0]
        return y

    @staticmethod
    def name(x):
        y, value = mg.zeros(2), 1 * x
        for k in range(2):
            value = value * x
            y[k] = value
        return y

    @staticmethod
    def stack(x):
        square = (x**2).reshape(1)
        return mg.cat([square, square * x])


class RepairByHand:
    """Without reading what is hard to read."""

    @staticmethod
    def clone(x):
        y = mg.zeros((2,), dtype=x.dtype)
        y[:1] = x**2
        y[1:] = (y[:1] + 0) * x
        return y

    @staticmethod
    def name(x):
        y = mg.zeros_like(mg.stack([x, x])).detach()
        y[0], y[1] = x**2, x**3
        return y

    @staticmethod
    def stack(x):
        return x ** mg.tensor([2.0, 3.0])


def with_way(**ways: Callable[..., Any]) -> type:
    """The reference with other functions in some places."""
    return type("Repair", (Repair,), {name: staticmethod(way) for name, way in ways.items()})


def buffer(first: Callable[[Any], Any], second: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """A way with a buffer: first(x) is written into y[0], then second(y, x) into y[1]."""

    def way(x: Any) -> Any:
        y = mg.zeros(2)
        y[0] = first(x)
        y[1] = second(y, x)
        return y

    return way


def square(x: Any) -> Any:
    return x**2


def writes_data(x: Any) -> Any:
    y = mg.zeros(2)
    y[0] = x**2
    y.data[1] = y[0].item() * x.item()
    return y


def writes_without_grad(x: Any) -> Any:
    y = mg.zeros(2)
    y[0] = x**2
    with mg.no_grad():
        y[1] = y[0] * x
    return y


def tensor_of_results(x: Any) -> Any:
    return mg.tensor([(x**2).item(), (x**3).item()])


def tensor_of_results_detached(x: Any) -> Any:
    value = (x**2).detach()
    return mg.stack([value, value * x.detach()])


def kept_name(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The way with a name, where what is kept is converted first."""

    def way(x: Any) -> Any:
        y, kept = mg.zeros(2), convert(x**2)
        y[0] = x**2
        y[1] = kept * x
        return y

    return way


def leaf_buffer(x: Any) -> Any:
    y = mg.zeros(2, requires_grad=True)
    y[0] = x**2
    return y


def leaf_buffer_empty(x: Any) -> Any:
    y = mg.empty(2).requires_grad_()
    y[:1] = x * x
    return y


LEAF_BUFFER = (
    "A buffer with `requires_grad=True` is a **leaf**, and a leaf must not be written while writes are recorded. A plain "
    "`mg.zeros(2)` is right: the first write makes it a result, and then it requires grad by itself."
)


def repair_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype)

    def leaf() -> Any:
        return mg.tensor(float(rng.uniform(0.5, 2)), dtype=dtype, requires_grad=True)

    return [Case(f"{way}: {kind} x", (way, leaf(), numbers(2))) for way in WAYS for kind in ("some", "another")]


WAYS = ("clone", "name", "stack")


def reads_back(y: Any) -> bool:
    """Whether what was written into y by some write came out of an earlier one."""
    for node in nodes_of(y):
        if class_of(node) == "CopySlices":
            source, _ = node.next_functions[1]
            todo, seen = [source], set()
            while todo:
                child = todo.pop()
                if child is None or child in seen:
                    continue
                if class_of(child) == "CopySlices":
                    return True
                seen.add(child)
                todo.extend(n for n, _ in child.next_functions)
    return False


def watch_repair(answer: Any, way: str, x: Any, v: Any) -> Any:
    with default_dtype(x.dtype):
        y = getattr(answer, way)(x)
    if y is None:
        return {"y": ... if unwritten(getattr(answer, way)) else None}
    if not isinstance(y, mg.Tensor):
        return unfit(y, "a Tensor y of shape (2,)")
    seen: dict[str, Any] = {"y": y}
    if tuple(y.shape) == (2,):
        seen |= {
            "a buffer is written": any(class_of(node) == "CopySlices" for node in nodes_of(y)),
            "and y[1] is computed from what is read from it": reads_back(y),
        }
        if y.requires_grad:
            y.backward(v)
        seen["x.grad after y.backward(v)"] = grad_of(x)
    return seen


def way_mistake(way: str, wrong: Callable[[Any], Any], hint: str, again: Callable[[Any], Any]) -> Mistake:
    """A mistake in one way. Only the cases of that way are compared."""
    return Mistake(with_way(**{way: wrong}), hint, again=with_way(**{way: again}))


STILL_SAVED = (
    "The same alarm. The multiplication saves its factor, and that is `y[0]`: a **window** on `y`, saved before the write to `y[1]`. "
    "That write makes it out of date. To clone `x`, the square before it is written, or the finished product does not help. "
    "Clone what the multiplication **reads** from `y`."
)
STILL_WINDOW = (
    "`detach()` makes no copy: it looks at the same cells and counts the same versions. So the factor that was saved for `x` "
    "is still overwritten, and besides the gradient through `y[0]` would be lost."
)
GRADIENT_LOST = (
    "The right value, but the gradient through the square is lost: you get v₁·x² where v₁·3x² is due. `.data`, `.item()` and "
    "`detach()` hand out numbers without history, and the alarm is silent because nobody asks for their gradient any more. A "
    "`clone()` is a copy **with** history."
)
WRITE_LOST = (
    "The right value, but `y[1]` was written behind the engine's back (`.data`, or under `no_grad`). The graph knows nothing "
    "of that write, so nothing of it comes back to `x`."
)
def repair_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(way: str, label: str, number: float) -> Case:
        x = mg.tensor(number, dtype=dtype, requires_grad=True)
        return Case(f"{way}: {label}", (way, x, mg.tensor(rng.normal(size=2), dtype=dtype)))

    return [case(way, label, number) for way in WAYS for label, number in (("x is 0", 0.0), ("a negative x", -1.5))]


register(
    Exercise(
        id="12.2",
        title="The recurrence that raises",
        difficulty=3,
        minutes=10,
        reference=Repair,
        starter=REPAIR_STARTER,
        cases=repair_cases,
        edges=repair_edges,
        observe=watch_repair,
        alternatives={"other words": RepairElsewhere, "slices and powers": RepairByHand},
        mistakes={
            "clone: still saved": way_mistake(
                "clone",
                buffer(square, lambda y, x: (y[0] * x).clone()),
                STILL_SAVED,
                buffer(lambda x: (x**2).clone(), lambda y, x: y[0] * x.clone()),
            ),
            "clone: detach": way_mistake(
                "clone",
                buffer(square, lambda y, x: y[0].detach() * x),
                STILL_WINDOW,
                buffer(lambda x: x * x, lambda y, x: x * y.detach()[0]),
            ),
            "clone: gradient lost": way_mistake(
                "clone",
                buffer(square, lambda y, x: y[0].item() * x),
                GRADIENT_LOST,
                buffer(square, lambda y, x: y[0].detach().clone() * x),
            ),
            "clone: write lost": way_mistake("clone", writes_data, WRITE_LOST, writes_without_grad),
            "clone: a leaf as buffer": way_mistake("clone", leaf_buffer, LEAF_BUFFER, leaf_buffer_empty),
            "name: a leaf as buffer": way_mistake("name", leaf_buffer, LEAF_BUFFER, leaf_buffer_empty),
            "clone: not read": way_mistake(
                "clone",
                Repair.name,
                "Right value and gradient, but `y[1]` is not computed from `y`: that is the way called `name`. Here read "
                "the square from the buffer, and make the reading safe.",
                buffer(lambda x: x * x, lambda y, x: x**3),
            ),
            "clone: no buffer": way_mistake(
                "clone",
                Repair.stack,
                "Right value and gradient, but there is no buffer that is written: that is the way called `stack`. Here "
                "begin with `y = mg.zeros(2)` and write into it.",
                lambda x: mg.cat([(x**2).reshape(1), (x**3).reshape(1)]),
            ),
            "name: still read": way_mistake(
                "name",
                Repair.clone,
                "Right value and gradient, but `y` is read. Give the square a name **before** it goes into `y`, and "
                "compute with the name: then there is nothing to clone.",
                buffer(lambda x: x * x, lambda y, x: (y + 0)[0] * x),
            ),
            "name: still a window": way_mistake(
                "name",
                buffer(square, lambda y, x: (lambda kept: kept * x)(y[0])),
                "A name alone is no copy. `square = y[0]` gives a name to a **window** on `y`, and the write to `y[1]` "
                "makes it out of date. Name the result itself: `square = x**2`, before it is written into `y`.",
                buffer(lambda x: x * x, lambda y, x: x * y[0]),
            ),
            "name: gradient lost": way_mistake(
                "name", kept_name(lambda t: t.item()), GRADIENT_LOST, kept_name(lambda t: t.detach())
            ),
            "name: no buffer": way_mistake(
                "name",
                Repair.stack,
                "Right value and gradient, but there is no buffer. Here write into `y = mg.zeros(2)`, twice.",
                lambda x: mg.cat([(x**2).reshape(1), (x**3).reshape(1)]),
            ),
            "stack: no history": way_mistake(
                "stack",
                tensor_of_results,
                "The numbers are right, but nothing leads back to `x`. `mg.tensor([…])` takes numbers and forgets where they "
                "came from; so do `detach` and `item`. `mg.stack([…])` makes one tensor out of several and is recorded.",
                tensor_of_results_detached,
            ),
            "stack: a buffer": way_mistake(
                "stack",
                Repair.name,
                "Right value and gradient, but you write into a buffer. Collect the two results and join them at the end.",
                buffer(lambda x: x * x, lambda y, x: x**3),
            ),
            "stack: a buffer that is read": way_mistake(
                "stack",
                Repair.clone,
                "Right value and gradient, but you write into a buffer, and read from it. No buffer at all is needed: "
                "collect the results and join them at the end.",
                buffer(lambda x: x * x, lambda y, x: (y + 0)[0] * x),
            ),
        },
        hints=(
            "The multiplication saved `y[0]` for its backward, and saved it as a window on `y`. Then `y` was written. "
            "So either what is saved must be no window, or it must not come from `y`, or `y` must not be written.",
            "Read the message like a timeline. First write: version 1. `y[0] * x` saves at version 1. Second write: version 2. "
            "Backward finds 2 and expected 1. Each repair moves the saved thing away from those cells.",
            "```python\ny[1] = y[0].___() * x            # clone: a copy with history\n\n"
            "square = ___                     # name: before it is written\ny[0] = square\ny[1] = ___ * x\n\n"
            "return mg.stack([___, ___])      # stack: nothing is written at all\n```",
        ),
        explanation="""\
`y[0] * x` needs both factors for its backward, so it saves them. `y[0]` is a window on `y`, and its version is that of
the whole memory. The write to `y[1]` does not touch cell 0, but the engine counts writes for the memory, not for each
cell, and refuses.

* **clone**: `y[0].clone()` has cells of its own, which nobody writes, and a history that leads on to `y[0]`.
* **name**: `square` is the result itself. Writing it into `y` copies its number; nothing is read from `y`.
* **stack**: where nothing is written, nothing can be out of date. Usually the best: one node for the whole tensor
  (exercise 12.7).

All give 2x + 3x² for the sum. `detach()` raises like the original, because it is another window on the same cells.
`.item()` and `.data` do silence the alarm, and lose the way through the square: 2x + x². An alarm that is silenced is worse
than one that rings.
""",
    )
)


# --- 12.3 The VJP of a slice assignment ---------------------------------------------------------------------


def unbroadcast(v: Array, shape: tuple[int, ...]) -> Array:
    """Sum v over what broadcasting copied: the VJP of broadcasting from `shape` (exercise 04.6)."""
    v = v.sum(axis=tuple(range(v.ndim - len(shape))))
    stretched = tuple(i for i, size in enumerate(shape) if size == 1 and v.shape[i] > 1)
    return v.sum(axis=stretched, keepdims=True)


def setitem_vjp(v, index, shape):
    """The VJP of y[index] = values.

    v: the cotangent of y after the write, an array. index: what stood in the brackets.
    shape: the shape of values, which were broadcast to that of y[index].
    Returns two arrays: the cotangent of y before the write, and that of values.
    """
    before = v.copy()
    before[index] = 0
    return before, unbroadcast(v[index], shape)


def setitem_mask(v, index, shape):
    written = np.zeros(v.shape, dtype=bool)
    written[index] = True
    return np.where(written, 0.0, v), unbroadcast(np.array(v[index]), shape)


def setitem_product(v, index, shape):
    keep = np.ones(v.shape)
    keep[index] = 0
    picked = v[index]
    lead = np.ndim(picked) - len(shape)
    for axis, size in reversed(list(enumerate((1,) * lead + tuple(shape)))):
        if size == 1:
            picked = picked.sum(axis, keepdims=True)
    return v * keep, np.reshape(picked, shape)


def setitem_put_back(v, index, shape):
    values = unbroadcast(v[index], shape).copy()
    kept = np.array(v, copy=True)
    kept[index] -= v[index]
    return [kept, values]


def setitem_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def case(code: str, shape: tuple[int, ...], index: Any, values: tuple[int, ...]) -> Case:
        part = "broadcast" if values != np.empty(shape)[index].shape else "one value for each cell"
        return Case(f"{part}: y[{code}] = values, y of shape {shape}, values of shape {values}", (array(*shape), index, values))

    def array(*shape: int) -> Array:
        return rng.normal(size=shape).astype(precision)

    mask = np.array([[True, False, True], [False, False, False], [True, True, False], [False, True, False]])
    return [
        case("1:4", (5,), slice(1, 4), (3,)),
        case("3", (5,), 3, ()),
        case("2", (4, 3), 2, (3,)),
        case("1:3", (4, 3), slice(1, 3), (2, 3)),
        case("::2", (7,), slice(None, None, 2), (4,)),
        case(":, 1", (4, 3), (slice(None), 1), (4,)),
        case("1:3, ::2", (4, 5), (slice(1, 3), slice(None, None, 2)), (2, 3)),
        case("mask", (4, 3), mask, (5,)),
        case("[3, 0]", (4, 3), [3, 0], (2, 3)),
        case("1:4", (5,), slice(1, 4), ()),
        case("1:4", (6,), slice(1, 4), (1,)),
        case("1:3", (4, 3), slice(1, 3), (3,)),
        case("1:3, ::2", (4, 5), (slice(1, 3), slice(None, None, 2)), (2, 1)),
        case("mask", (4, 3), mask.copy(), ()),
    ]


def watch_setitem(answer: Callable[..., Any], v: Array, index: Any, shape: tuple[int, ...]) -> Any:
    result = answer(v, index, shape)
    if not (isinstance(result, list | tuple) and len(result) == 2):
        return unfit(result, "two arrays, for y before the write and for values")
    found = [a if isinstance(a, np.ndarray | np.generic | float) else f"a {type(a).__name__}, not an array" for a in result]
    return {"for y before the write": found[0], "for values": found[1]}


def setitem_aliasing(v, index, shape):
    values = unbroadcast(v[index].copy() if np.ndim(v[index]) else v[index], shape)
    v[index] = 0
    return v, values


def setitem_aliasing_multiplied(v, index, shape):
    values = unbroadcast(np.array(v[index]), shape)
    v[index] *= 0
    return v.copy(), values


def setitem_second_name(v, index, shape):
    before = v
    before[index] = 0
    return before, unbroadcast(v[index], shape)


def setitem_second_name_loop(v, index, shape):
    v[index] *= 0
    return v, np.zeros(shape)


def setitem_too_late(v, index, shape):
    before = v.copy()
    before[index] = 0
    return before, unbroadcast(before[index], shape)


def setitem_only_written(v, index, shape):
    before = np.zeros_like(v)
    before[index] = v[index]
    return before, unbroadcast(v[index], shape)


def first_of(v: Array, shape: tuple[int, ...]) -> Array:
    """The first of the copies, instead of their sum."""
    v = v[(0,) * (v.ndim - len(shape))]
    return v[tuple(slice(0, 1) if size == 1 else slice(None) for size in shape)]


def setitem_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def case(code: str, shape: tuple[int, ...], index: Any, values: tuple[int, ...]) -> Case:
        part = "broadcast" if values != np.empty(shape)[index].shape else "one value for each cell"
        v = rng.normal(size=shape).astype(precision)
        return Case(f"{part}: y[{code}] = values, y of shape {shape}, values of shape {values}", (v, index, values))

    return [
        case("0", (1,), 0, ()),
        case("-1", (4,), -1, ()),
        case("1, 2", (2, 3), (1, 2), ()),
        case(":", (3,), slice(None), (3,)),
        case("[2]", (3, 2), [2], (1, 2)),
        case(":", (3,), slice(None), ()),
        case("1", (2, 3), 1, ()),
        case("1", (2, 3), 1, (1,)),
        case("2:2", (4,), slice(2, 2), ()),
        case(":, 1:", (3, 3), (slice(None), slice(1, None)), (3, 1)),
        case("1:", (3, 2, 2), slice(1, None), (1, 2)),
    ]


register(
    Exercise(
        id="12.3",
        title="The VJP of a slice assignment",
        difficulty=4,
        minutes=12,
        reference=setitem_vjp,
        cases=setitem_cases,
        edges=setitem_edges,
        observe=watch_setitem,
        alternatives={"np.where": setitem_mask, "a product with zeros": setitem_product, "subtracted": setitem_put_back},
        mistakes={
            "overwritten cells not zeroed": Mistake(
                lambda v, index, shape: (v.copy(), unbroadcast(v[index], shape)),
                "Overwritten cells no longer matter: whatever stood there before the write, `y` after it is the same. So the "
                "cotangent of the old `y` is 0 at `index`.",
                again=lambda v, index, shape: (1.0 * v, unbroadcast(np.array(v[index]), shape)),
            ),
            "zeroed everywhere else": Mistake(
                setitem_only_written,
                "The other way round: the cells at `index` were overwritten, all the others went through as they were. "
                "Zero **at** `index`, keep the rest.",
                again=lambda v, index, shape: (v - setitem_vjp(v, index, shape)[0], unbroadcast(v[index], shape)),
            ),
            "nothing left of the old y": Mistake(
                lambda v, index, shape: (np.zeros_like(v), unbroadcast(v[index], shape)),
                "Only the cells at `index` were overwritten. All the others are still the old ones, with slope 1.",
                again=lambda v, index, shape: (0 * v, unbroadcast(np.array(v[index]), shape)),
            ),
            "values not summed": Mistake(
                lambda v, index, shape: (setitem_vjp(v, index, shape)[0], v[index]),
                "`values` were **broadcast** into `y[index]`: one number went into several cells. Copying forward is adding "
                "backward, so their cotangents must be summed to `shape`. `unbroadcast` does it.",
                again=lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.array(v[index])),
            ),
            "values averaged": Mistake(
                lambda v, index, shape: (
                    setitem_vjp(v, index, shape)[0],
                    unbroadcast(v[index], shape) * np.prod(shape) / np.size(v[index]),
                ),
                "An average where a sum is due. Each cell that a number went into has slope 1, and the messages add up.",
                again=lambda v, index, shape: (
                    setitem_vjp(v, index, shape)[0],
                    unbroadcast(v[index] / (np.size(v[index]) / max(1, int(np.prod(shape)))), shape),
                ),
            ),
            "all summed": Mistake(
                lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.sum(v[index])),
                "One number for all of `values`. Each value gets the cotangents of the cells that **it** went into, so the "
                "result has the shape `shape`.",
                again=lambda v, index, shape: (setitem_mask(v, index, shape)[0], np.array(v[index]).sum()),
            ),
            "v is forgotten": Mistake(
                lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.ones(shape)),
                "Slope 1 is right, but the cotangent is slope times `v`. What if the next operation multiplies `y` by 10?",
                again=lambda v, index, shape: (setitem_mask(v, index, shape)[0], np.zeros(shape) + 1),
            ),
            "one of the copies": Mistake(
                lambda v, index, shape: (setitem_vjp(v, index, shape)[0], first_of(np.asarray(v[index]), shape)),
                "Only one of the cells that a number went into is counted. Its cotangent is the **sum** over all of them.",
                again=lambda v, index, shape: (setitem_mask(v, index, shape)[0], first_of(np.array(v[index]), shape) + 0.0),
            ),
            "read too late": Mistake(
                setitem_too_late,
                "The cotangent of `values` is all zeros: you read it after you had zeroed it. Take `v[index]` from the `v` "
                "that came in.",
                again=lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.zeros(shape)),
            ),
            "a second name": Mistake(
                setitem_second_name,
                "`before = v` makes no copy: it is a second name for the same array. So zeroing it changed `v`, and then "
                "`v[index]` was 0 too. Write `before = v.copy()`.",
                again=setitem_second_name_loop,
            ),
            "v is changed": Mistake(
                setitem_aliasing,
                "You wrote into `v`, and it is not yours: another node may be about to read it. Zero a **copy**.",
                again=setitem_aliasing_multiplied,
            ),
            "the two are swapped": Mistake(
                lambda v, index, shape: setitem_vjp(v, index, shape)[::-1],
                "Both arrays are right, in the wrong order. First for `y` before the write, then for `values`.",
                again=lambda v, index, shape: setitem_mask(v, index, shape)[::-1],
            ),
        },
        hints=(
            "After the write, each cell of `y` holds one of two things: a cell at `index` holds one of the values, every other "
            "cell what it held before. Who gets the cotangent of which cell?",
            "Draw the cells of `y` and paint those at `index` orange. The orange ones send their cotangents to `values`, and "
            "where one value went into several cells, these add up. The others send theirs to the old `y`, which gets 0 in "
            "the place of each orange one.",
            "```python\nbefore = v.___()\nbefore[___] = ___\nreturn before, unbroadcast(v[___], ___)\n```",
        ),
        explanation="""\
The write splits the cells into two groups. What was overwritten has no influence any more: cotangent 0 for the old `y`
there. Everything else passes unchanged: cotangent `v`. The values got into the cells at `index` with slope 1, so they
get `v[index]`; where one value was broadcast into several cells, their messages add up, as in chapter 04.

This is what CopySlices does, with its two edges: the first leads to the history of `y` before the write, the second to
`values`. It is a linear rule, so nothing has to be saved: only the place that was written.

`v.copy()` matters. The engine hands the same array to several nodes, and one that writes into it changes what the others
read.
""",
    )
)


# --- 12.4 Lost write ----------------------------------------------------------------------------------------

WRITES = {
    "written twice": "y[0] = x**{p}\ny[0] = x**{q}\ny.sum().backward()",
    "a copy is kept": "y[0] = x**{p}\ns = y[0].clone()\ny[0] = x**{q}\n(s + y[0]).backward()",
    "a window is kept": "y[0] = x**{p}\ns = y[0]\ny[0] = x**{q}\n(s + y[0]).backward()",
    "added": "y[0] = x**{p}\ny[0] += x**{q}\ny.sum().backward()",
    "a number": "y[0] = x**{p}\ny[1] = x**{q}\ny[0] = {n}.0\ny.sum().backward()",
}
WRITES_HINTS = {
    "written twice": (
        "The second write covers the first. What stood in `y[0]` before has no influence on the sum any more, so it gets no "
        "gradient: only the last write to a cell counts."
    ),
    "a copy is kept": (
        "`s` is a **clone**: a copy with cells and a history of its own. It holds what `y[0]` was before the second write, and its "
        "gradient flows through the first. Both terms count."
    ),
    "a window is kept": (
        "`s = y[0]` is no copy but a window. After the second write it shows the new value, with the new history. So the sum "
        "is twice the last write, and the first one is lost."
    ),
    "added": (
        "`+=` does not cover the old value, it adds to it: the old value still goes into the sum with slope 1. Both terms count."
    ),
    "a number": (
        "The number covers the first write, and a number has no slope. `y[1]` was not touched, so the second term alone counts."
    ),
}


def writes_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(WRITES))]
    blocks = []
    for key, rule in zip("ABCDE", rules, strict=True):
        p, q = (int(e) for e in rng.permutation([2, 3, 4])[:2])
        blocks.append((key, rule, (int(rng.integers(2, 4)), p, q, int(rng.integers(5, 9)))))
    return tuple(blocks)


def writes_block(rule: str, what: tuple[int, int, int, int]) -> str:
    x, p, q, n = what
    return f"x = mg.tensor({x}.0, requires_grad=True)\ny = mg.zeros(2)\n" + WRITES[rule].format(p=p, q=q, n=n)


def writes_program(draw: Draw) -> str:
    return "\n\n".join(f"# {key}\n{writes_block(rule, what)}" for key, rule, what in draw)


def slopes(draw: Draw) -> dict[str, float]:
    """Run each program and look at x.grad."""
    return {key: run(writes_block(rule, what))["x"].grad.item() for key, rule, what in draw}


def slope_of_first(what: tuple[int, int, int, int]) -> float:
    x, p, _, _ = what
    return float(p * x ** (p - 1))


def slope_of_second(what: tuple[int, int, int, int]) -> float:
    x, _, q, _ = what
    return float(q * x ** (q - 1))


def slope_of_both(what: tuple[int, int, int, int]) -> float:
    return slope_of_first(what) + slope_of_second(what)


def slopes_by_rule(draw: Draw) -> dict[str, float]:
    by_rule: dict[str, Callable[[Any], float]] = {
        "a copy is kept": slope_of_both,
        "a window is kept": lambda what: 2 * slope_of_second(what),
        "added": slope_of_both,
    }
    return {key: by_rule.get(rule, slope_of_second)(what) for key, rule, what in draw}


def slope_belief(rule: str, believed: Callable[[Any], float]) -> Mistake:
    return Mistake(spoiled(believed, rule, slopes), WRITES_HINTS[rule])


register(
    Exercise(
        id="12.4",
        title="Lost write",
        difficulty=1,
        minutes=5,
        reference=slopes,
        draws=writes_draw,
        program=writes_program,
        name="slopes",
        accept=says(WRITES_HINTS, lambda got: not isinstance(got, str), "Write the number that `x.grad` holds."),
        alternatives={"by the rules": slopes_by_rule},
        mistakes={
            "both writes count": slope_belief("written twice", slope_of_both),
            "the first write counts": slope_belief("written twice", slope_of_first),
            "the copy is lost": slope_belief("a copy is kept", slope_of_second),
            "the copy follows": slope_belief("a copy is kept", lambda what: 2 * slope_of_second(what)),
            "the window stays as it was": slope_belief("a window is kept", slope_of_both),
            "the window is lost": slope_belief("a window is kept", slope_of_second),
            "added to nothing": slope_belief("added", slope_of_second),
            "a covered write counts": slope_belief("a number", slope_of_both),
            "a number stops everything": slope_belief("a number", lambda what: 0.0),
        },
        hints=(
            "Ask of each program: what does the last line add up, as a formula in `x`? Only then take the slope. A write that "
            "was covered is not in the formula any more.",
            "Two cells, and the windows on them. At the last line, write the formula into each cell that `y` shows, and into "
            "`s`. Is `s` a window on a cell of `y`, or a cell of its own?",
            "The five formulas, in some order, for powers p and q: $x^q$ (twice: once beside a plain number), $2x^q$, "
            '$x^p + x^q$ (twice).\n\n```python\nslopes = {\n    "A": ...,  # p * x**(p - 1), and so on\n}\n```',
        ),
        explanation="""\
`x.grad` is the slope of what the last line adds up. A cell counts with what was written into it **last**.

A clone keeps the old value and the old history. A window keeps neither: it is a way of looking at a cell, and it shows
what is in the cell now, with the history of now. `+=` reads before it writes, so the old value is still part of the new
one. A number has no history: it covers a cell and sends nothing back.

In the graph each write is a CopySlices on top of the one before. Going back, the last write takes the gradient of its
cell and passes 0 on to what it covered. So nothing is added twice and nothing has to be erased.
""",
    )
)


# --- 12.5 Through the window --------------------------------------------------------------------------------

WINDOWS = {
    "the base is written": "v = y[:2]\ny.mul_({k})\nv.sum().backward()",
    "the window is written": "v = y[:2]\nv.mul_({k})\ny.sum().backward()",
    "a clone is written": "v = y[:2].clone()\nv.mul_({k})\ny.sum().backward()",
    "another window is written": "v, w = y[:3], y[1:]\nv.mul_({k})\nw.sum().backward()",
    "written under no_grad": "v = y[:2]\nwith mg.no_grad():\n    v.mul_({k})\ny.sum().backward()",
    "summed before the write": "v = y[:2]\ns = v.sum()\ny.mul_({k})\ns.backward()",
}
WINDOWS_HINTS = {
    "the base is written": (
        "`v` did not keep its old history. It is a window: after the write it shows the new numbers, and its history is that of "
        "the new `y`. Each entry that it shows has the slope of the product of both factors."
    ),
    "the window is written": (
        "A write through the window is a write to `y`: two cells of `y` are the new products, the other two are as before. The "
        "engine records it on `y`, as CopySlices."
    ),
    "a clone is written": (
        "`clone` copies. What is done to the copy does not reach `y`, neither its numbers nor its history."
    ),
    "another window is written": (
        "Both windows look at cells 1 and 2. The write through `v` changes them for everybody, so `w` shows two written "
        "cells and one old one. Cell 0 is written but `w` does not show it."
    ),
    "written under no_grad": (
        "The numbers in the cells did change. But under `no_grad` the write was not recorded: the graph still says that `y` is "
        "`2 * x`, and the gradient comes from the graph."
    ),
    "summed before the write": (
        "`s` was computed from the old numbers, before the write. It is a result with cells and a history of its own, no window: "
        "a later write to `y` changes nothing in it. (A sum saves nothing, so no alarm rings either.)"
    ),
}


def windows_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(WINDOWS))]
    factors = [int(k) for k in rng.permutation([3, 4, 5, 6, 7, 10])]
    return tuple((key, rule, factor) for key, rule, factor in zip("ABCDEF", rules, factors, strict=True))


def windows_block(rule: str, factor: int) -> str:
    return "x = mg.ones(4, requires_grad=True)\ny = 2 * x\n" + WINDOWS[rule].format(k=factor)


def windows_program(draw: Draw) -> str:
    return "\n\n".join(f"# {key}\n{windows_block(rule, factor)}" for key, rule, factor in draw)


def grads(draw: Draw) -> dict[str, list[float]]:
    """Run each program and look at x.grad."""
    return {key: run(windows_block(rule, factor))["x"].grad.tolist() for key, rule, factor in draw}


def grads_by_rule(draw: Draw) -> dict[str, list[float]]:
    by_rule: dict[str, Callable[[int], list[float]]] = {
        "the base is written": lambda k: [2.0 * k, 2.0 * k, 0.0, 0.0],
        "the window is written": lambda k: [2.0 * k, 2.0 * k, 2.0, 2.0],
        "a clone is written": lambda k: [2.0] * 4,
        "another window is written": lambda k: [0.0, 2.0 * k, 2.0 * k, 2.0],
        "written under no_grad": lambda k: [2.0] * 4,
        "summed before the write": lambda k: [2.0, 2.0, 0.0, 0.0],
    }
    return {key: by_rule[rule](factor) for key, rule, factor in draw}


def grads_belief(rule: str, believed: Callable[[int], list[float]]) -> Mistake:
    return Mistake(spoiled(believed, rule, grads), WINDOWS_HINTS[rule])


register(
    Exercise(
        id="12.5",
        title="Through the window",
        difficulty=3,
        minutes=7,
        extra=True,
        reference=grads,
        draws=windows_draw,
        program=windows_program,
        name="grads",
        accept=says(
            WINDOWS_HINTS, lambda got: np.shape(got) == (4,), "Write a list of four numbers: what `x.grad` holds in the end."
        ),
        alternatives={
            "by the rules": grads_by_rule,
            "whole numbers": lambda draw: {key: tuple(map(int, g)) for key, g in grads_by_rule(draw).items()},
        },
        mistakes={
            "v kept its old history": grads_belief("the base is written", lambda k: [2, 2, 0, 0]),
            "v shows all of y": grads_belief("the base is written", lambda k: [2 * k] * 4),
            "only the write counts": grads_belief("the base is written", lambda k: [k, k, 0, 0]),
            "y does not know of it": grads_belief("the window is written", lambda k: [2, 2, 2, 2]),
            "y lost the other cells": grads_belief("the window is written", lambda k: [2 * k, 2 * k, 0, 0]),
            "all of y is written": grads_belief("the window is written", lambda k: [2 * k] * 4),
            "a clone is a window": grads_belief("a clone is written", lambda k: [2 * k, 2 * k, 2, 2]),
            "windows do not see each other": grads_belief("another window is written", lambda k: [0, 2, 2, 2]),
            "w is written whole": grads_belief("another window is written", lambda k: [0, 2 * k, 2 * k, 2 * k]),
            "the numbers decide": grads_belief("written under no_grad", lambda k: [2 * k, 2 * k, 2, 2]),
            "no_grad cuts the cells off": grads_belief("written under no_grad", lambda k: [0, 0, 2, 2]),
            "s follows the write": grads_belief("summed before the write", lambda k: [2 * k, 2 * k, 0, 0]),
        },
        hints=(
            "Two questions for each program. Which cells does the last line add up? And which of these were multiplied, "
            "recorded, before they were added?",
            "Draw four cells. They begin with slope 2. A recorded write multiplies the slope of each cell that it touches, "
            "whichever window it came through. The last line picks the cells; the others get 0.",
            "Two of the six lists end in 0, 0; one begins with 0; two are the same number four times.\n\n"
            '```python\ngrads = {\n    "A": [..., ..., ..., ...],\n    ...\n}\n```',
        ),
        explanation="""\
For a base and its recorded windows the engine keeps **one history**: that of the base. A recorded write, by
whatever name, becomes the newest node of the base. A window's `grad_fn` is made anew when it is asked for after such a
write: it reads "this part of the base of now".

So `v` learns of `y.mul_`, `y` learns of `v.mul_`, and `w` learns of `v.mul_` where the two overlap. A clone
learns of nothing, and neither does a sum that was already computed.

Under `no_grad` numbers and history part: the cells hold 2k, the graph says 2. Nothing warns you, because nothing
that was saved is out of date.
""",
    )
)


# --- 12.6 Forbidden windows ---------------------------------------------------------------------------------

# In each block x is a leaf, y a result, k a constant, all of shape (4,), made anew.
FORBIDDEN_SETUP = """\
x = mg.ones(4, requires_grad=True)   # a leaf
y = 2 * x                            # a result
k = mg.zeros(4)                      # a constant
"""
FORBIDDEN = {
    "several windows": [
        "p, q = y.split(2)\np.mul_(3)",
        "p, q = y.chunk(2)\nq.zero_()",
        "p, *others = y.unbind()\np.add_(1)",
        "for entry in y:\n    entry.add_(1)",
        "p, q = y.view(2, 2).unbind()\np[0] = 5.0",
    ],
    "a window from no_grad": [
        "with mg.no_grad():\n    v = y[:2]\nv.mul_(3)",
        "with mg.no_grad():\n    v = y.view(2, 2)\nv[0] = 5.0",
        "with mg.no_grad():\n    v = x[:2]\nv.zero_()",
    ],
    "a part of a leaf": ["x[0] = 5.0", "x[:2].mul_(3)", "v = x.view(2, 2)\nv.add_(1)", "x[1:] = k[1:]", "x[::2].zero_()"],
    "one cell several times": [
        "e = k.expand(3, 4)\ne.add_(1)",
        "e = y.expand(3, 4)\ne.mul_(3)",
        "e = k[:1].expand(3)\ne[:] = y[:3]",
    ],
    "a part of a result": ["y[0] = 5.0", "y[:2].mul_(3)", "v = y.view(2, 2)\nv.add_(1)", "y[1:] = x[1:]"],
    "all under no_grad": [
        "with mg.no_grad():\n    x[0] = 5.0",
        "with mg.no_grad():\n    x[:2].mul_(3)",
        "with mg.no_grad():\n    v = y[:2]\n    v.mul_(3)",
    ],
    "windows on a constant": [
        "p, q = k.split(2)\np.add_(1)",
        "p, *others = k.unbind()\np.add_(1)",
        "for entry in k:\n    entry.add_(1)",
    ],
    "a clone": [
        "e = k.expand(3, 4).clone()\ne.add_(1)",
        "p, q = y.split(2)\np = p.clone()\np.mul_(3)",
        "v = x[:2].clone()\nv.mul_(3)",
    ],
}
FORBIDDEN_WORDS = {
    "several windows": "several",
    "a window from no_grad": "no_grad",
    "a part of a leaf": "leaf",
    "one cell several times": "one cell",
}
MESSAGES = {
    "returns multiple views": "several",
    "was created in no_grad mode": "no_grad",
    "a leaf Variable": "leaf",
    "single memory location": "one cell",
}
FORBIDDEN_HINTS = {
    "several windows": (
        "`unbind`, `split`, `chunk` and a `for` loop over a tensor open **several windows with one node**. To write through one of "
        "them, the engine would have to remake all the others. It refuses."
    ),
    "a window from no_grad": (
        "The window was opened under `no_grad`, so it has no history; the write is outside, so it wants to be recorded. Is it part "
        "of the graph or not? The engine does not guess: both inside, or both outside."
    ),
    "a part of a leaf": (
        "What is written to a part of a leaf is written to the leaf. Were it recorded, the leaf would be a result and lose its "
        "`.grad`. So a leaf that requires grad may only be written under `no_grad`, whole or in part."
    ),
    "one cell several times": (
        "`expand` shows each cell several times. A write would meet the same cell again and again, and the result would "
        "depend on the order. That has nothing to do with gradients: constants refuse too."
    ),
    "a part of a result": (
        "`y` is a result, and one window was opened on it, with recording on. That is the ordinary case: CopySlices."
    ),
    "all under no_grad": (
        "Window **and** write are under `no_grad`: nothing is recorded, and nothing is ambiguous. It is how parameters are updated."
    ),
    "windows on a constant": "`k` and what is written are constants. There is no history that the write could spoil.",
    "a clone": "`clone` makes cells of its own, each shown once, and a result, no leaf. So it may be written.",
}


def forbidden_program(draw: Draw) -> str:
    return FORBIDDEN_SETUP + "".join(f"\n# {key}\n{code}\n" for key, _, code in draw)


def verdict_of(code: str) -> str:
    try:
        run(FORBIDDEN_SETUP + code)
    except RuntimeError as error:
        return next(word for words, word in MESSAGES.items() if words in str(error))
    return "ok"


def verdicts(draw: Draw) -> dict[str, str]:
    """Run each block by itself, after the first three lines, and look at the error."""
    return {key: verdict_of(code) for key, _, code in draw}


def verdicts_by_rule(draw: Draw) -> dict[str, str]:
    return {key: FORBIDDEN_WORDS.get(rule, "ok") for key, rule, _ in draw}


WORDS = ("ok", *FORBIDDEN_WORDS.values())

register(
    Exercise(
        id="12.6",
        title="Forbidden windows",
        difficulty=2,
        minutes=5,
        extra=True,
        reference=verdicts,
        draws=draw_lines(FORBIDDEN, "abcdefgh"),
        program=forbidden_program,
        name="verdicts",
        words=WORDS,
        alternatives={"by the rules": verdicts_by_rule},
        mistakes={
            f"{rule}: {word}": Mistake(
                spoiled(lambda code, word=word: word, rule, verdicts),  # type: ignore[misc]
                FORBIDDEN_HINTS[rule],
            )
            for rule in FORBIDDEN
            for word in WORDS
            if word != FORBIDDEN_WORDS.get(rule, "ok")
        },
        hints=(
            "Three questions of each block. On what is the window: a leaf, a result, a constant? How was it opened: alone, with "
            "others, under `no_grad`? Does it show a cell more than once?",
            "Four blocks are fine: an ordinary write to a part of a result; one where window and write are both under `no_grad`; one "
            "with constants only; one that writes to a clone. The other four break one rule each.",
            '```python\nverdicts = {\n    # unbind, split, chunk, for:       "several"\n    # expand:                          '
            '"one cell"\n    # window inside, write outside:    "no_grad"\n    # recorded, and x is the base:     "leaf"\n    '
            '# the other four:                  "ok"\n    "a": ...,\n}\n```',
        ),
        explanation="""\
Four refusals, for four reasons:

* **several**: one node made all the windows. A write through one would change the history of the others, and that node cannot
  tell which. A clone, or an index for each part, is the way round.
* **no_grad**: opened unrecorded, written recorded. The engine asks you to decide.
* **leaf**: a recorded write would turn the leaf into a result. Under `no_grad` it stays what it is.
* **one cell**: `expand` shows one cell in many places, so "add 1 to each" has no meaning. NumPy's read-only flag on
  `np.broadcast_to` is the same rule.

All four come **at the write**, before a number has changed. The alarm of exercise 12.2 comes later, in backward: there
the write itself was fine, and only something that had been saved was out of date.
""",
    )
)


# --- 12.7 Buffer without buffer -----------------------------------------------------------------------------


def echoes(w, x):
    """h[0] = x[0], and then h[k] = w * h[k - 1] + x[k].

    w: a leaf of shape (). x: a leaf of shape (n,), n at least 1. Returns h, a Tensor of shape (n,).
    """
    h = x[0]
    results = [h]
    for k in range(1, len(x)):
        h = w * h + x[k]
        results.append(h)
    return mg.stack(results)


def echoes_unbound(w, x):
    results: list[Any] = []
    for entry in x:
        results.append(entry + w * results[-1] if results else entry)
    return mg.stack(tuple(results))


def echoes_cat(w, x):
    h, results = 0.0 * x[:1], []
    for k in range(x.shape[0]):
        h = h * w + x[k : k + 1]
        results += [h]
    return mg.cat(results)


def echoes_add(w, x):
    results = [x[0] * 1]
    for entry in x[1:]:
        results.append(mg.add(results[-1].mul(w), entry))
    return mg.stack(results, dim=0)


def echoes_growing(w, x):
    h = x[:1]
    for k in range(1, len(x)):
        h = mg.cat([h, (w * h[-1] + x[k]).reshape(1)])
    return h


def echoes_growing_stack(w, x):
    h = x[0].reshape(1)
    for k in range(1, len(x)):
        h = mg.stack([*h, w * h[k - 1] + x[k]])
    return h


def echoes_in_buffer(w, x):
    h = mg.zeros_like(x)
    h[0] = x[0]
    for k in range(1, len(x)):
        h[k] = w * h[k - 1].clone() + x[k]
    return h


def echoes_in_buffer_named(w, x):
    h, last = mg.zeros(len(x), dtype=x.dtype), 0
    for k in range(len(x)):
        last = w * last + x[k]
        h[k] = last
    return h


def echoes_again(w, x):
    def at(k: int) -> Any:
        return x[0] if k == 0 else w * at(k - 1) + x[k]

    return mg.stack([at(k) for k in range(len(x))])


def echoes_again_powers(w, x):
    results = []
    for k in range(len(x)):
        h = x[0]
        for j in range(1, k + 1):
            h = w * h + x[j]
        results.append(h)
    return mg.stack(results)


def echoes_alarm(w, x):
    h = mg.zeros_like(x)
    h[0] = x[0]
    for k in range(1, len(x)):
        h[k] = w * h[k - 1] + x[k]
    return h


def echoes_alarm_empty(w, x):
    h = mg.empty(len(x), dtype=x.dtype)
    for k in range(len(x)):
        h[k] = x[k] + (h[k - 1] * w if k else 0)
    return h


def echoes_leaf(w, x):
    for k in range(1, len(x)):
        x[k] += w * x[k - 1]
    return x


def echoes_leaf_window(w, x):
    h = x[:]
    for k in range(1, len(x)):
        h[k] = w * h[k - 1] + h[k]
    return h


def collect(w: Any, x: Any, keep: Callable[[Any], Any], join: Callable[[list[Any]], Any]) -> Any:
    h = x[0]
    results = [keep(h)]
    for k in range(1, len(x)):
        h = w * h + x[k]
        results.append(keep(h))
    return join(results)


def collect_scaled(w: Any, x: Any, step: Callable[[Any, Any], Any]) -> Any:
    results = [x[0]]
    for entry in x[1:]:
        results.append(step(results[-1], entry))
    return mg.stack(results)


def echoes_tensor(w, x):
    return collect(w, x, lambda h: h.item(), lambda results: mg.tensor(results, dtype=x.dtype))


def echoes_detached(w, x):
    return collect(w, x, lambda h: h.detach(), mg.stack)


def echoes_one_step(w, x):
    h = x[0]
    results = [h]
    for k in range(1, len(x)):
        h = w * h.detach() + x[k]
        results.append(h)
    return mg.stack(results)


def echoes_one_step_item(w, x):
    results = [x[0]]
    for k in range(1, len(x)):
        results.append(w * results[-1].item() + x[k])
    return mg.stack(results)


def echoes_one_object(w, x):
    h = x[0].clone()
    results = [h]
    for k in range(1, len(x)):
        h *= w
        h += x[k]
        results.append(h)
    return mg.stack(results)


def echoes_one_object_methods(w, x):
    h = 1 * x[0]
    results = []
    for k in range(len(x)):
        if k:
            h.mul_(w).add_(x[k])
        results.append(h)
    return mg.stack(results)


def echoes_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=True)

    def case(n: int) -> Case:
        v = mg.tensor(rng.normal(size=n), dtype=dtype)
        return Case("1 entry" if n == 1 else f"{n} entries", (leaf(), leaf(n), v))

    return [case(n) for n in (4, 2, 1, LONG)]


LONG = 9


def price_of(h: Any, n: int) -> str:
    """What grows with the square of n, if anything does; a short one tells nothing."""
    if n < LONG:
        return "too short to tell"
    names = [class_of(node) for node in nodes_of(h)]
    if names.count("CopySlices") > 1:
        return "a buffer"
    if sum(name.startswith(("Cat", "Stack")) for name in names) > 2:
        return "joined at every step"
    return "computed again" if sum(name.startswith("Mul") for name in names) > 2 * n else "once"


def watch_echoes(answer: Callable[..., Any], w: Any, x: Any, v: Any) -> Any:
    with default_dtype(x.dtype):
        h = answer(w, x)
    if not isinstance(h, mg.Tensor):
        return unfit(h, "a Tensor h of shape (n,)")
    seen: dict[str, Any] = {"h": h}
    if tuple(h.shape) == (len(x),):
        seen["cost_price"] = price_of(h, len(x))
        if h.requires_grad:
            h.backward(v)
        alone = len(x) == 1  # then w has no influence
        seen |= {"x.grad after h.backward(v)": grad_of(x), "w.grad": 0.0 if alone and w.grad is None else grad_of(w)}
    return seen


def echoes_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, w: float, x: Any) -> Case:
        v = mg.tensor(rng.normal(size=len(x)), dtype=dtype)
        return Case(label, (mg.tensor(w, dtype=dtype, requires_grad=True), mg.tensor(x, dtype=dtype, requires_grad=True), v))

    return [
        case("w is 0", 0.0, rng.normal(size=4)),
        case("w is negative", -0.8, rng.normal(size=5)),
        case("w is tiny", 1e-12, rng.normal(size=4)),
        case("zeros in x", 0.5, np.array([0.0, 0.0, 1.0, 0.0])),
    ]


register(
    Exercise(
        id="12.7",
        title="Buffer without buffer",
        difficulty=3,
        minutes=7,
        reference=echoes,
        cases=echoes_cases,
        edges=echoes_edges,
        observe=watch_echoes,
        alternatives={"a loop over x": echoes_unbound, "cat of slices": echoes_cat, "by functions": echoes_add},
        wasteful={
            "joined at every step": Mistake(
                echoes_growing,
                "Right. But you join at every step, and each `cat` copies all that is there already: n steps copy about n²/2 "
                "numbers, and backward does it again. Collect the results in a Python list, and join them **once**.",
                again=echoes_growing_stack,
            ),
            "a buffer": Mistake(
                echoes_in_buffer,
                "Right. But each write to the buffer is a CopySlices, and backward each of them copies the gradient of the "
                "**whole** buffer: n² numbers in n steps. A Python list and one `stack` need no buffer.",
                again=echoes_in_buffer_named,
            ),
            "computed again": Mistake(
                echoes_again,
                "Right. But each entry is computed again from the beginning: about n²/2 products. Keep the last result in a "
                "variable, and go on from it.",
                again=echoes_again_powers,
            ),
        },
        mistakes={
            "the buffer rings": Mistake(
                echoes_alarm,
                "The alarm of exercise 12.2. `w * h[k - 1]` saved a window on the buffer, and the next write made it out of "
                "date. Keep the last result in a variable, collect all of them in a list, join them at the end.",
                again=echoes_alarm_empty,
            ),
            "written into x": Mistake(
                echoes_leaf,
                "You wrote into a part of a leaf that requires grad: into `x`, which is not yours to write to, or into a buffer "
                "that was made with `requires_grad=True`. Collect your results in a Python list.",
                again=echoes_leaf_window,
            ),
            "no history": Mistake(
                echoes_tensor,
                "The numbers are right, but nothing leads back. `mg.tensor(list)` takes numbers only, and so do `item()` and "
                "`detach()`. `mg.stack(list)` joins tensors and is recorded.",
                again=echoes_detached,
            ),
            "cut at every step": Mistake(
                echoes_one_step,
                "The numbers are right, but each step forgets the ones before: `x[0]` has an influence on all later entries, and its "
                "gradient counts it once. Do not detach the last result (nor take its `item()`).",
                again=echoes_one_step_item,
            ),
            "one object in the list": Mistake(
                echoes_one_object,
                "All entries are the last one. You changed `h` in place, so the list holds the same tensor n times. "
                "`h = w * h + x[k]` makes a new tensor in each step.",
                again=echoes_one_object_methods,
            ),
            "only the last": Mistake(
                lambda w, x: echoes(w, x)[-1],
                "That is the last entry alone, of shape `()`. All n are asked for, in one tensor of shape (n,).",
                again=lambda w, x: collect(w, x, lambda h: h, lambda results: results[-1]),
            ),
            "one too many": Mistake(
                lambda w, x: mg.cat([mg.zeros(1, dtype=x.dtype), echoes(w, x)]),
                "One entry too many: the start is in your list. `h[0]` is `x[0]`, and there are n results.",
                again=lambda w, x: mg.stack([0 * w, *echoes(w, x)]),
            ),
            "the input is scaled too": Mistake(
                lambda w, x: collect_scaled(w, x, lambda h, entry: w * (h + entry)),
                "`w` multiplies the last result only; the new input is added as it is.",
                again=lambda w, x: collect_scaled(w, x, lambda h, entry: w * h + w * entry),
            ),
            "no echo": Mistake(
                lambda w, x: mg.stack([x[k] if k == 0 else w * x[k - 1] + x[k] for k in range(len(x))]),
                "You went on from `x[k - 1]`, the last input. What is wanted is `h[k - 1]`, the last **result**, which holds all "
                "inputs before it.",
                again=lambda w, x: mg.cat([x[:1], w * x[:-1] + x[1:]]),
            ),
        },
        hints=(
            "Why does one want a buffer? To have all results in one tensor at the end, and the last one at hand. A Python list "
            "does the first, a variable the second, and neither is a write to a tensor.",
            "The graph that you want is a chain, one Mul and one Add for each step, and beside it **one** StackBackward0 with an "
            "arrow to every link.",
            "```python\nh = x[0]\nresults = [h]\nfor k in range(1, len(x)):\n    h = ___\n    results.append(___)\n"
            "return mg.___(results)\n```",
        ),
        explanation="""\
Appending to a Python list writes into no tensor: the list holds references to results, each with cells of its own. `stack`
copies them once, in one node with n edges, and its backward hands each its own number.

The obvious buffer raises, for `w * h[k - 1]` saves a window. With clones it is right, but each write is a CopySlices whose
backward copies the gradient of the whole buffer. `cat` at every step copies what is there again and again.
Both take time that grows with n²: for n = 10,000 that is a hundred million numbers instead of ten thousand.

The rule of thumb: **collect, then stack**. It needs no clone and no thought about versions.
""",
    )
)


# --- 12.8 A network with a memory ---------------------------------------------------------------------------


def remember(W, V, x):
    """h[0] = tanh(x[0] @ V), and then h[t] = tanh(h[t - 1] @ W + x[t] @ V).

    W: a leaf of shape (m, m). V: a leaf of shape (k, m). x: shape (n, k), n at least 1. Returns h, a Tensor of shape (n, m).
    """
    h = mg.tanh(x[0] @ V)
    states = [h]
    for t in range(1, len(x)):
        h = mg.tanh(h @ W + x[t] @ V)
        states.append(h)
    return mg.stack(states)


def remember_inputs_first(W, V, x):
    inputs, states = x @ V, []
    h = mg.zeros_like(inputs[:1])
    for t in range(x.shape[0]):
        h = (h @ W + inputs[t : t + 1]).tanh()
        states += [h]
    return mg.cat(states)


def remember_in_buffer(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    h = mg.zeros(len(W), dtype=x.dtype)
    for t in range(len(x)):
        h = mg.tanh(h @ W + x[t] @ V)
        states[t] = h
    return states


def remember_in_buffer_cloned(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    states[0] = mg.tanh(x[0] @ V)
    for t in range(1, len(x)):
        states[t] = mg.tanh(states[t - 1].clone() @ W + x[t] @ V)
    return states


def remember_broken(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    for t in range(len(x)):
        states[t] = mg.tanh(states[t - 1] @ W + x[t] @ V)
    return states


def remember_broken_again(W, V, x):
    states = mg.zeros(len(x) + 1, len(W), dtype=x.dtype)
    for t in range(len(x)):
        states[t + 1] = mg.tanh(states[t] @ W + x[t] @ V)
    return states[1:]


def remembering(
    keep: Callable[[Any], Any] = lambda h: h, carry: Callable[[Any], Any] = lambda h: h, join: Callable[[list[Any]], Any] = mg.stack
) -> Callable[..., Any]:
    """The way of the reference, where what is kept, what is handed on, or how it is joined is another."""

    def states(W: Any, V: Any, x: Any) -> Any:
        h = mg.tanh(x[0] @ V)
        found = [keep(h)]
        for t in range(1, len(x)):
            h = mg.tanh(carry(h) @ W + x[t] @ V)
            found.append(keep(h))
        return join(found)

    return states


def remember_without_grad(W, V, x):
    states = [mg.tanh(x[0] @ V)]
    for t in range(1, len(x)):
        with mg.no_grad():
            memory = states[-1] + 0
        states.append(mg.tanh(memory @ W + x[t] @ V))
    return mg.stack(states)


def remember_by_data(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    for t in range(len(x)):
        states.data[t] = mg.tanh(states[t - 1] @ W + x[t] @ V).detach()
    return states


def remember_inputs_only(W, V, x):
    inputs = mg.tanh(x @ V)
    return mg.cat([inputs[:1], mg.tanh(inputs[:-1] @ W + x[1:] @ V)])


def remember_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int, leaf: bool = False) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)

    def case(n: int, k: int, m: int) -> Case:
        leaves = tensor(m, m, leaf=True), tensor(k, m, leaf=True)
        return Case(f"{n} inputs, {m} numbers of memory", (*leaves, tensor(n, k), tensor(n, m)))

    return [case(4, 2, 3), case(3, 4, 2), case(LONG, 2, 3)]


def remember_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, W: Any, V: Any, n: int) -> Case:
        leaves = (mg.tensor(value, dtype=dtype, requires_grad=True) for value in (W, V))
        return Case(label, (*leaves, *(mg.tensor(rng.normal(size=(n, m)), dtype=dtype) for m in (2, 3))))

    W, V = rng.normal(size=(3, 3)), rng.normal(size=(2, 3))
    return [case("one input", W, V, 1), case("W is 0: it forgets at once", 0 * W, V, 3), case("V is 0: it hears nothing", W, 0 * V, 3)]


def watch_remember(answer: Callable[..., Any], W: Any, V: Any, x: Any, v: Any) -> Any:
    with default_dtype(x.dtype):
        h = answer(W, V, x)
    if not isinstance(h, mg.Tensor):
        return unfit(h, "a Tensor of shape (n, m)")
    seen: dict[str, Any] = {"h": h}
    if tuple(h.shape) == tuple(v.shape):
        names = [class_of(node) for node in nodes_of(h)] if h.requires_grad else []
        seen["cost_price"] = "a buffer" if len(x) == LONG and names.count("CopySlices") > 1 else "once"
        if h.requires_grad:
            h.backward(v)
        alone = len(x) == 1  # then W has no influence
        nothing = alone and (W.grad is None or not W.grad.any())
        seen |= {"V.grad after h.backward(v)": grad_of(V), "W.grad": 0.0 if nothing else grad_of(W)}
    return seen


register(
    Exercise(
        id="12.8",
        title="A network with a memory",
        difficulty=3,
        minutes=8,
        reference=remember,
        cases=remember_cases,
        edges=remember_edges,
        observe=watch_remember,
        alternatives={"the inputs first": remember_inputs_first},
        wasteful={
            "a buffer": Mistake(
                remember_in_buffer,
                "Right. But each write is a CopySlices, and backward each of them copies the gradient of the **whole** buffer: n² "
                "numbers in n steps. A Python list and one `stack` need no buffer.",
                again=remember_in_buffer_cloned,
            ),
        },
        mistakes={
            "the buffer rings": Mistake(
                remember_broken,
                "The alarm is still there: `@ W` saves its left factor, a **window** on the buffer, and the next write makes "
                "it out of "
                "date. Keep the last state in a variable; what is written into the buffer is then read by nobody.",
                again=remember_broken_again,
            ),
            "it forgets": Mistake(
                remembering(carry=lambda h: h.detach()),
                "The numbers are right and no alarm rings, but each step learns of its own input alone: an early `x` has an "
                "influence on "
                "all later states, and no gradient says so. Do not detach what is handed on; give it a name instead.",
                again=remember_without_grad,
            ),
            "no history": Mistake(
                remembering(keep=lambda h: h.detach()),
                "The numbers are right, and nothing leads back from them: there is no gradient at all. What is collected must "
                "keep its history.",
                again=remember_by_data,
            ),
            "only the last": Mistake(
                remembering(join=lambda found: found[-1]),
                "That is the last state alone, of shape (m,). All n are asked for.",
                again=lambda W, V, x: remember(W, V, x)[-1],
            ),
            "no memory": Mistake(
                remember_inputs_only,
                "Each state is made of the input before it, and not of the **state** before it. What came three steps ago is gone.",
                again=lambda W, V, x: mg.stack(
                    [mg.tanh((mg.tanh(x[t - 1] @ V) @ W if t else 0.0) + x[t] @ V) for t in range(len(x))]
                ),
            ),
            "one too many": Mistake(
                lambda W, V, x: mg.cat([mg.zeros(1, len(W), dtype=x.dtype), remember(W, V, x)]),
                "One state too many: the empty memory at the start is in your result. n states are wanted.",
                again=lambda W, V, x: mg.stack([x[0] @ V * 0, *remember(W, V, x)]),
            ),
        },
        hints=(
            "Which operation saves a part of the buffer? Not the write, and not `+`. Who asks for the old numbers in backward?",
            "`h @ W` keeps h: its backward needs hᵀ. When h is `states[t]`, that is a window; when it is the last result, it is a "
            "tensor with cells of its own, which nobody writes to.",
            "```python\nh = mg.tanh(x[0] @ V)\nstates = [h]\nfor t in range(1, len(x)):\n    h = ___\n    states.append(___)\n"
            "return ___\n```",
        ),
        explanation="""\
A matrix product saves both of its factors. The left one is `states[t]`, a window on the buffer, and the write of the
next state raises the version of the whole buffer. So backward raises, at the first step that it comes to.

Three repairs run, and one of them is wrong. `states[t].clone()` costs a copy at each step, and each write is a
CopySlices whose backward copies the gradient of the whole buffer. A list and one `stack` cost n states and no more.
`states[t].detach().clone()` runs too, and the network **learns nothing from the past**: the gradient ends one step
back. Sometimes that is wanted, for sequences so long that nobody can keep all states. Then it is called *truncated
backpropagation through time*, and one does it every hundred steps, and knows it.
""",
    )
)


# --- 12.9 Row by row ----------------------------------------------------------------------------------------


def centre_rows(x, w):
    """x * w, and from each row its own mean subtracted.

    x: shape (n, k). w: a leaf of shape (k,). Returns a Tensor of shape (n, k); x and w stay as they are.
    """
    y = x * w
    return y - y.mean(1, keepdim=True)


def centre_rows_stacked(x, w):
    return mg.stack([row - row.mean() for row in x * w])


def centre_rows_turned(x, w):
    y = (x * w).t()
    return (y - y.sum(0) / len(w)).t()


def centre_rows_by_index(x, w):
    y = x * w
    for i in range(len(y)):
        y[i] -= y[i].mean()
    return y


def centre_rows_into(x, w):
    y = mg.zeros_like(x)
    for i in range(x.shape[0]):
        row = x[i] * w
        y[i] = row - row.mean()
    return y


def centre_rows_broken(x, w):
    y = x * w
    for row in y:
        row -= row.mean()
    return y


def centre_rows_broken_again(x, w):
    y = x * w
    for row in y.unbind():
        row.sub_(row.mean())
    return y


def centre_rows_named(x, w):
    y = x * w
    for row in y:
        row = row - row.mean()
    return y


def centre_rows_cloned(x, w):
    y = x * w
    for row in y.clone():
        row = row.clone().sub_(row.mean())
    return y


def centre_rows_without_grad(x, w):
    y = x * w
    with mg.no_grad():
        for row in y:
            row -= row.mean()
    return y


def centre_rows_by_data(x, w):
    y = x * w
    for row in y.data:
        row -= row.mean()
    return y


def centre_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(n: int, k: int) -> Case:
        w = mg.tensor(rng.normal(size=k), dtype=dtype, requires_grad=True)
        x, v = (mg.tensor(rng.normal(size=(n, k)), dtype=dtype) for _ in range(2))
        return Case(f"{n} rows of {k}", (x, w, v))

    return [case(3, 4), case(2, 5), case(LONG, 2)]


def centre_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, x: Any) -> Case:
        w = mg.tensor(rng.normal(size=x.shape[1]), dtype=dtype, requires_grad=True)
        return Case(label, (mg.tensor(x, dtype=dtype), w, mg.tensor(rng.normal(size=x.shape), dtype=dtype)))

    return [
        case("one row", rng.normal(size=(1, 3))),
        case("rows of one number", rng.normal(size=(3, 1))),
        case("zeros", np.zeros((2, 3))),
    ]


def watch_centre(answer: Callable[..., Any], x: Any, w: Any, v: Any) -> Any:
    with default_dtype(x.dtype):
        y = answer(x, w)
    if not isinstance(y, mg.Tensor):
        return unfit(y, "a Tensor of the shape of x")
    seen: dict[str, Any] = {"y": y.detach().clone()}
    if tuple(y.shape) == tuple(x.shape) and y.requires_grad:
        names = [class_of(node) for node in nodes_of(y)]
        seen["cost_price"] = "a write for each row" if len(x) == LONG and names.count("CopySlices") > 1 else "at once"
        y.backward(v)
        seen["w.grad after y.backward(v)"] = grad_of(w)
    return seen


def minus(mean: Callable[[Any], Any]) -> Callable[..., Any]:
    """The way of the reference, with another mean."""
    return lambda x, w: (lambda y: y - mean(y))(x * w)


register(
    Exercise(
        id="12.9",
        title="Row by row",
        difficulty=2,
        minutes=6,
        reference=centre_rows,
        cases=centre_cases,
        edges=centre_edges,
        observe=watch_centre,
        alternatives={"row by row, then stacked": centre_rows_stacked, "turned round": centre_rows_turned},
        wasteful={
            "a write for each row": Mistake(
                centre_rows_by_index,
                "Right: an index opens one window at a time, and each write is recorded. But n writes are n nodes, and backward each "
                "of them copies the gradient of the **whole** table. One subtraction with `keepdim=True` does it at once.",
                again=centre_rows_into,
            ),
        },
        mistakes={
            "the loop still writes": Mistake(
                centre_rows_broken,
                "It is still refused: a loop over a tensor opens **all** its rows at once, with one node (`unbind`), and none of such "
                "windows may be written. Make a new tensor instead of writing.",
                again=centre_rows_broken_again,
            ),
            "nothing is subtracted": Mistake(
                centre_rows_named,
                "No error, and nothing has happened: `row = row - …` gives the *name* to a new tensor and leaves `y` alone. The new "
                "rows must be collected, or all of them made at once.",
                again=centre_rows_cloned,
            ),
            "the graph knows nothing of it": Mistake(
                centre_rows_without_grad,
                "The numbers are right, and the gradient is that of `x * w` alone. The mean depends on `w` too: the subtraction must "
                "be recorded, and the mean keep its history.",
                again=centre_rows_by_data,
            ),
            "the mean of the columns": Mistake(
                minus(lambda y: y.mean(0)),
                "You subtract from each *column* its mean. From each **row** its own: sum over axis 1.",
                again=minus(lambda y: y.mean(0, keepdim=True)),
            ),
            "one mean for all": Mistake(
                minus(lambda y: y.mean()),
                "One mean for the whole table. Each row has its own.",
                again=minus(lambda y: y.sum() / y.numel()),
            ),
        },
        hints=(
            "Which of the three refusals of the lesson is it? Read the message: how many windows did the loop open?",
            "A table and a column of means, one for each row: `y` has shape (n, k), the means (n, 1), and the column is stretched.",
            "```python\ny = x * w\nreturn y - y.mean(___, keepdim=___)\n```",
        ),
        explanation="""\
`for row in y` is `y.unbind()`: all rows at once, out of one node. A write through one would have to remake all the others, so each is
refused, before a number has changed.

`row = row - row.mean()` raises nothing and does nothing, since a name is no window. Under `no_grad` the loop runs, and the graph does
not know of it: right numbers, wrong gradient, the worst of the three. `y[i] -= …` is right, at the price of a CopySlices for each row.
A new tensor, `y - y.mean(1, keepdim=True)`, is one node and the shortest line.
""",
    )
)
