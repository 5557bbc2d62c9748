"""VJPs and the gradient argument.

Exercises 04.1 to 04.7: what `backward(v)` computes, when it refuses, the rules behind it, and how to test a rule.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register

Array = np.ndarray


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)


class Watch:
    """Watches functions that an answer is given: the backward passes through their results, and what is recorded after.

    `on_top` counts the graph's nodes that are recorded outside of these functions, once the first has been called.
    """

    def __init__(self) -> None:
        self.passes = self.calls = self.on_top = 0
        self.probe = mg.ones(1, requires_grad=True) * 1  # no leaf, so that each clock makes one node only
        self.last: int | None = None

    def clock(self) -> int:
        """The number of a node that is made now."""
        with mg.enable_grad():
            node: Any = (self.probe * 1).grad_fn
        return int(node._sequence_nr())

    def stop(self) -> None:
        """Count what was recorded since the last of the functions ended."""
        if self.last is not None:
            self.on_top += self.clock() - self.last - 1

    def around(self, f: Callable[..., Any], name: str, passes: bool = True) -> Callable[..., Any]:
        """f, watched; under its own name in error messages. passes: count the backward passes through its result."""

        def watched(x: Any) -> Any:
            self.stop()
            y = f(x)
            if passes:
                self.calls += 1
                if y.requires_grad:
                    y.register_hook(self.count)  # fires once in every backward pass that reaches y
            self.last = self.clock()
            return y

        watched.__name__ = watched.__qualname__ = name
        return watched

    def count(self, g: Any) -> None:
        self.passes += 1


NOT_A_TENSOR = (
    "`gradient` must be a Tensor. A list, a number, a NumPy array: each is a TypeError, whatever numbers it "
    "holds. `mg.tensor([...])` makes it one."
)


# --- 04.1 Two spellings -------------------------------------------------------------------------------------


def spell_out(y, v):
    """A scalar L such that L.backward() does what y.backward(v) does.

    y: a Tensor of any shape, the result of a computation. v: a Tensor of the same shape.
    Returns a Tensor of shape ().
    """
    return (v * y).sum()


def spell_out_flat(y, v):
    return mg.dot(y.reshape(-1), v.reshape(-1))


def spell_out_mean(y, v):
    return (y * v).mean() * y.numel()


def spell_out_loop(y, v):
    total = 0.0
    for yi, vi in zip(y.reshape(-1), v.reshape(-1), strict=True):
        total = total + yi * vi
    return total


def spell_out_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    matrix, block = tensor(3, 4), tensor(3, 4, 2)
    return [
        Case("y of shape (4,), the products of neighbours in x", (lambda x: x[:-1] * x[1:], leaf(5), tensor(4))),
        Case("y = sin(x @ matrix), shape (2, 4)", (lambda x: mg.sin(x @ matrix), leaf(2, 3), tensor(2, 4))),
        Case("y = (x**3).sum(), shape ()", (lambda x: (x**3).sum(), leaf(4), tensor())),
        Case("y = block * exp(x), shape (3, 4, 2)", (lambda x: block * mg.exp(x), leaf(2), tensor(3, 4, 2))),
        Case("y = (x * x).reshape(5, 1)", (lambda x: (x * x).reshape(5, 1), leaf(5), tensor(5, 1))),
    ]


def watch_spell_out(answer: Callable[..., Any], f: Callable[..., Any], x: Any, v: Any) -> dict[str, Any]:
    y, watch = f(x), Watch()
    y.register_hook(watch.count)
    version = y._version
    L = answer(y, v)
    if watch.passes:
        return {"backward": "called by your function"}
    seen: dict[str, Any] = {
        "backward": "left to the checker",
        "y": "as it was" if y._version == version else "changed in place",
    }
    if not isinstance(L, mg.Tensor):
        return unfit(L, "a Tensor `L` of shape ()")
    seen |= {
        "shape of L": tuple(L.shape),
        "L requires grad": L.requires_grad,
        "x.grad before L.backward()": x.grad,
    }
    if L.numel() == 1 and L.requires_grad:
        L.backward()
        seen["x.grad after L.backward()"] = x.grad
    return seen


def backward_called(y, v):
    y.backward(v)


def backward_called_too(y, v):
    y.backward(v, retain_graph=True)
    return (v * y).sum()


def y_changed(y, v):
    y *= v
    return y.sum()


def y_changed_by_method(y, v):
    return y.mul_(v).sum()


def repeated_sum(y: Any, v: Any) -> Any:
    return sum((v * y).sum() for _ in range(y.numel()))


def spell_out_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    x, v = random_tensor(rng, dtype, 3, leaf=True), random_tensor(rng, dtype, 1)
    zeros, partly = mg.zeros(3, dtype=dtype), mg.tensor([1.5, 0.0, -2.0], dtype=dtype)
    return [
        Case("y of shape (1,)", (lambda x: (x * x)[:1], x, v)),
        Case("v is all zeros", (lambda x: mg.exp(x), random_tensor(rng, dtype, 3, leaf=True), zeros)),
        Case("v is zero in one place", (lambda x: mg.exp(x), random_tensor(rng, dtype, 3, leaf=True), partly)),
        Case("y of shape (1, 1, 2)", (lambda x: mg.sin(x).reshape(1, 1, 2), random_tensor(rng, dtype, 2, leaf=True),
                                      random_tensor(rng, dtype, 1, 1, 2))),
    ]


register(
    Exercise(
        id="04.1",
        title="Two spellings",
        difficulty=1,
        minutes=4,
        reference=spell_out,
        cases=spell_out_cases,
        edges=spell_out_edges,
        observe=watch_spell_out,
        alternatives={
            "dot": spell_out_flat,
            "mean times the number of entries": spell_out_mean,
            "loop": spell_out_loop,
        },
        mistakes={
            "v is forgotten": Mistake(
                lambda y, v: y.sum(),
                "Where did `v` go? `y.sum().backward()` is `y.backward(v)` for the one special case that `v` is all ones.",
                again=lambda y, v: mg.dot(y.reshape(-1), mg.ones_like(y).reshape(-1)),
            ),
            "matrix product": Mistake(
                lambda y, v: v @ y,
                "`v @ y` is the sum of products only when both have one axis. In two dimensions it "
                "multiplies matrices, with no axes at all it raises. Multiply entry by entry, then sum "
                "everything.",
                again=lambda y, v: mg.matmul(v, y),
            ),
            "nothing is summed": Mistake(
                lambda y, v: v * y,
                "The products are right, but `L` must be **one** number: shape `()`. Otherwise "
                "`L.backward()` asks for a `gradient` again.",
                again=lambda y, v: mg.mul(y, v) * 1.0,
            ),
            "mean": Mistake(
                lambda y, v: (v * y).mean(),
                "N times too small, where N is the number of entries of `y`: `mean` divides by N, and vᵀJ is a plain sum.",
                again=lambda y, v: (y * v).sum() / y.numel(),
            ),
            "a factor": Mistake(
                lambda y, v: y.numel() * (v * y).sum(),
                "N times too large, where N is the number of entries of `y`. The sum over the outputs is "
                "already inside vᵀJ; there is no factor besides. (An official tutorial once had this "
                "mistake.)",
                again=repeated_sum,
            ),
            "an average with weights": Mistake(
                lambda y, v: (v * y).sum() / v.sum(),
                "You divided by the sum of the weights. vᵀJ takes the weights as they are; they need not sum to 1.",
                again=lambda y, v: (v / v.sum() * y).sum(),
            ),
            "detached": Mistake(
                lambda y, v: (v * y.detach()).sum(),
                "`L` has no history: somewhere `detach`, `data` or `item` cut it off from `x`. Compute with `y` itself.",
                again=lambda y, v: mg.tensor((v * y).sum().item()),
            ),
            "backward is called": Mistake(
                backward_called,
                "Your function called `backward` itself. It is asked for `L` only: return it, and whoever "
                "wants the gradient calls `L.backward()`. Here the checker does.",
                again=backward_called_too,
            ),
            "y is changed": Mistake(
                y_changed,
                "`L` is right, but `y` is changed: `*=` writes into it, and whoever goes on with `y` gets "
                "other numbers. `v * y` makes a new Tensor.",
                again=y_changed_by_method,
            ),
        },
        hints=(
            "`y.backward(v)` treats `v` as the slopes of some final scalar `L` with respect to the entries "
            "of `y`: it believes that ∂L/∂y[i] = v[i]. Which scalar made from `y` has exactly these slopes?",
            "Look under the picture at the start of the lesson. Write it out for y = (y₀, y₁, y₂): if L = "
            "v₀y₀ + v₁y₁ + v₂y₂, then ∂L/∂y₁ = v₁. The same works for a table of numbers: one product for "
            "each entry, and a sum over all of them.",
            "Two steps, and they work for every shape:\n\n```python\nproducts = ...   # the shape of y\n"
            "return products.___()\n```",
        ),
        explanation="""\
`L` = Σ v·y over all entries is built so that ∂L/∂y = v. The chain rule then gives ∂L/∂x = Σᵢ vᵢ ∂yᵢ/∂x,
which is vᵀJ.

So every `y.backward(v)` is the backward of some scalar, and nothing about a "gradient of a vector" is
hidden in it. It works the other way round too: whoever holds ∂L/∂y of a loss can call `y.backward(that)`
without knowing the loss. That is what each node of the graph does for the nodes of its inputs.

`*` with `.sum()` does not care about the number of axes. `@` does, so `v @ y` is right for vectors only.
""",
    )
)


# --- 04.2 One row -------------------------------------------------------------------------------------------


def row(f, x, i):
    """Row i of the Jacobian of f at x, from one backward pass.

    f: takes a Tensor of shape (n,), returns one of shape (m,). x: a leaf of shape (n,). i: an int.
    Returns a Tensor of shape (n,).
    """
    x.grad = None
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = 1.0
    y.backward(v)
    return x.grad


def row_eye(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(gradient=mg.eye(len(y), dtype=y.dtype)[i])
    return x.grad.clone()


def row_entry(f, x, i):
    x.grad = None
    f(x)[i].backward()
    return x.grad


def row_grad(f, x, i):
    y = f(x)
    v = mg.tensor([float(k == i) for k in range(len(y))], dtype=y.dtype)
    return mg.autograd.grad(y, x, v)[0]


def row_fresh_leaf(f, x, i):
    leaf = x.detach().clone().requires_grad_()
    f(leaf)[i].backward()
    return leaf.grad


def every_row(f, x):
    """All rows, one backward pass each."""
    y = f(x)
    rows = []
    for k in range(len(y)):
        x.grad = None
        y[k].backward(retain_graph=True)
        rows.append(x.grad)
    return rows


def row_of_all(f, x, i):
    return every_row(f, x)[i]


def row_of_jacobian(f, x, i):
    rows = []
    for k in range(len(f(x))):
        x.grad = None
        f(x)[k].backward()
        rows.append(x.grad.clone())
    return mg.stack(rows)[i]


def row_like_x(f, x, i):
    x.grad = None
    v = mg.zeros_like(x)
    v[i] = 1.0
    f(x).backward(v)
    return x.grad


def row_like_x_eye(f, x, i):
    x.grad = None
    f(x).backward(mg.eye(len(x), dtype=x.dtype)[i])
    return x.grad


def row_column(f, x, i):
    return mg.stack([r[i] for r in every_row(f, x)])


def row_column_matrix(f, x, i):
    return mg.stack(every_row(f, x)).T[i]


def row_ones(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(mg.ones_like(y))
    return x.grad


def row_sum(f, x, i):
    x.grad = None
    f(x).sum().backward()
    return x.grad.clone()


def row_entry_of_grad(f, x, i):
    x.grad = None
    f(x).sum().backward()
    return x.grad[i]


def row_entry_of_grad_ones(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(mg.ones_like(y))
    return x.grad.clone()[i]


def row_not_cleared(f, x, i):
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = 1.0
    y.backward(v)
    return x.grad


def row_not_cleared_entry(f, x, i):
    mg.autograd.backward(f(x)[i])
    return x.grad


def row_not_cleared_copy(f, x, i):
    return row_not_cleared(f, x, i).clone()


def row_not_cleared_entry_copy(f, x, i):
    f(x)[i].backward()
    return x.grad + 0


def row_zeroed(f, x, i):
    if x.grad is not None:
        x.grad.zero_()
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = 1.0
    y.backward(v)
    return x.grad


def row_zeroed_entry(f, x, i):
    if x.grad is None:
        x.grad = mg.zeros_like(x)
    x.grad *= 0
    f(x)[i].backward()
    return x.grad


def row_values(f, x, i):
    x.grad = None
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = y[i].item()
    y.backward(v)
    return x.grad


def row_values_square(f, x, i):
    x.grad = None
    (f(x)[i] ** 2 / 2).backward()
    return x.grad


def row_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    narrow, wide = tensor(3, 6), tensor(5, 2)
    return [
        Case("4 inputs, 3 outputs", (lambda x: x[:-1] * x[1:], leaf(4), 1, 2)),
        Case("2 inputs, 5 outputs", (lambda x: mg.sin(wide @ x), leaf(2), 0, 1)),
        Case("6 inputs, 3 outputs", (lambda x: mg.exp(narrow @ x / 4), leaf(6), 2, 0)),
        Case("2 inputs, 1 output", (lambda x: (x**3).sum().reshape(1), leaf(2), 0, 0)),
    ]


def row_differences(f, x, i):
    step = 1e-6 * mg.eye(len(x), dtype=x.dtype)
    return mg.stack([(f(x + e)[i] - f(x - e)[i]) / 2e-6 for e in step]).detach()


def row_differences_loop(f, x, i):
    g = mg.zeros_like(x)
    for k in range(len(x)):
        moved = x.detach().clone()
        moved[k] += 1e-5
        g[k] = (f(moved)[i].item() - f(x)[i].item()) / 1e-5
    return g


def row_list(f, x, i):
    x.grad = None
    y = f(x)
    y.backward([float(k == i) for k in range(len(y))])
    return x.grad


def row_array(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(np.eye(len(y))[i])
    return x.grad


def watch_row(answer: Callable[..., Any], f: Callable[..., Any], x: Any, i: int, k: int) -> Any:
    watch = Watch()
    watched = watch.around(f, "f")
    first = answer(watched, x, i)
    if not isinstance(first, mg.Tensor):
        return unfit(first, "a Tensor of shape (n,)")
    seen: dict[str, Any] = {"backward passes for one row": watch.passes}
    if watch.passes:
        seen[f"row {i}"] = first.clone()
        seen[f"row {k}, then, with the same x"] = answer(watched, x, k)
        seen[f"row {i}, looked at again"] = first
    return seen


NOT_CLEARED = (
    "The first row is right when it is returned, and the second is both rows added: `backward` **adds** to "
    "`x.grad`. Begin with `x.grad = None`."
)
ALL_ROWS = (
    "The right row, but every row was computed to return one: a backward pass for each output. **One** pass is asked "
    "for. Which `v` gives weight 1 to row `i` and 0 to the others?"
)

def row_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    stale = random_tensor(rng, dtype, 3, leaf=True)
    stale.grad = random_tensor(rng, dtype, 3)
    return [
        Case(
            "one input, 3 outputs",
            (lambda x: mg.stack([x[0], x[0] ** 2, mg.sin(x[0])]), random_tensor(rng, dtype, 1, leaf=True), 1, 2),
        ),
        Case("one input, one output", (lambda x: mg.exp(x), random_tensor(rng, dtype, 1, leaf=True), 0, 0)),
        Case("x.grad holds a gradient from before", (lambda x: x * x, stale, 2, 0)),
        Case("a row of zeros", (lambda x: mg.stack([x[0] * 0, x[1] * x[2]]), random_tensor(rng, dtype, 3, leaf=True), 0, 1)),
    ]


register(
    Exercise(
        id="04.2",
        title="One row of the Jacobian",
        difficulty=2,
        minutes=7,
        reference=row,
        cases=row_cases,
        edges=row_edges,
        observe=watch_row,
        alternatives={
            "row of the identity": row_eye,
            "backward on one entry": row_entry,
            "autograd.grad": row_grad,
            "a leaf of its own": row_fresh_leaf,
        },
        mistakes={
            "all rows": Mistake(row_of_all, ALL_ROWS, again=row_of_jacobian),
            "no backward": Mistake(
                row_differences,
                "No backward pass went through `f(x)`. Differences come near the row, but they are not exact, and they "
                "take calls of `f` for every input. `backward` gives the whole row at once.",
                again=row_differences_loop,
            ),
            "no Tensor": Mistake(row_list, NOT_A_TENSOR, again=row_array),
            "v like x": Mistake(
                row_like_x,
                "Your `v` does not look like `y`. It has one weight for each **output**, and no axis more: where f has 4 inputs "
                "and 3 outputs, `y.backward` wants shape (3,), and neither that of `x`, (4,), nor (1, 3).",
                again=row_like_x_eye,
            ),
            "column": Mistake(
                row_column,
                "That is **column** i: how every output moves when `x[i]` moves. Row i is how output i "
                "moves with every input; it has the shape of `x`.",
                again=row_column_matrix,
            ),
            "sum of the rows": Mistake(
                row_ones,
                "`v` = ones gives the sum of all rows (so does `y.sum()`). Which weight should the other rows have?",
                again=row_sum,
            ),
            "entry of the sum": Mistake(
                row_entry_of_grad,
                "You summed all rows and took entry `i` of the result: one number, about input i. Choose "
                "the row before the pass, by `v`; afterwards the rows are already mixed.",
                again=row_entry_of_grad_ones,
            ),
            "grad not cleared": Mistake(row_not_cleared, NOT_CLEARED, again=row_not_cleared_entry),
            "grad not cleared, copied": Mistake(row_not_cleared_copy, NOT_CLEARED, again=row_not_cleared_entry_copy),
            "the returned row is wiped": Mistake(
                row_zeroed,
                "Each row is right when it is returned. But `x.grad.zero_()` then wipes the very array that "
                "you handed out before. `x.grad = None` lets the next pass make a new one.",
                again=row_zeroed_entry,
            ),
            "value as weight": Mistake(
                row_values,
                "The weight of row `i` is 1, not the value `y[i]`. With `y[i]` you get the gradient of ½·y[i]².",
                again=row_values_square,
            ),
        },
        hints=(
            "One pass gives vᵀJ: a weighted sum of the rows, with one weight for each output. Which weights "
            "leave exactly row `i` standing?",
            "The middle panel of the picture at the start: `v` = (0, 1, 0) picks row 1. `v` stands beside "
            "the rows, so it is as long as `y`. The result stands under the columns, so it is as long as "
            "`x`.",
            "```python\nx.grad = None\ny = f(x)\nv = mg.zeros_like(___)\nv[___] = ___\ny.backward(v)\nreturn ___\n```",
        ),
        explanation="""\
A one-hot `v` gives weight 1 to row `i` and 0 to all others, so vᵀJ **is** row `i`. `v` lives where `y`
lives: it has m entries. The result lives where `x` lives: it has n entries. Functions with m ≠ n make the
two impossible to confuse.

`f(x)[i].backward()` is the same: the backward rule of `[i]` puts the incoming 1 into a vector of zeros, and
that is our `v`.

`x.grad = None` is needed because `backward` adds to what is there (chapter 06). The whole Jacobian takes m
such passes, one for each output; the number of inputs does not matter. So reverse mode is made for few
outputs, best of all for one loss.
""",
    )
)


# --- 04.3 Will it raise? ------------------------------------------------------------------------------------

Draw = tuple[tuple[str, str, str], ...]  # (key, rule, code), in the order of the program

OUTCOMES_SETUP = """\
def y(*shape):
    return 2 * mg.ones(shape, requires_grad=True)

"""

# One line of each rule is in every program.
OUTCOMES = {
    "many, no v": ["y(3).backward()", "y(2, 3).backward()", "y(4, 1).backward()", "y(1, 2).backward()"],
    "one, no v": ["y(1).backward()", "y(1, 1).backward()", "y(1, 1, 1).backward()"],
    "scalar": ["y().backward()", "y(3).sum().backward()", "y(2, 3).mean().backward()"],
    "fits": [
        "y(3).backward(mg.ones(3))",
        "y(2, 3).backward(mg.ones(2, 3))",
        "y(4, 1).backward(mg.zeros(4, 1))",
        "y(5).backward(mg.tensor([0., 0., 1., 0., 0.]))",
    ],
    "broadcasts": [
        "y(3).backward(mg.ones(1, 3))",
        "y(3).backward(mg.tensor(1.))",
        "y(2, 3).backward(mg.ones(3))",
        "y(2, 3).backward(mg.ones(2, 1))",
        "y(3).backward(mg.ones(1))",
    ],
    "same count": [
        "y(2, 3).backward(mg.ones(6))",
        "y(2, 3).backward(mg.ones(3, 2))",
        "y(4).backward(mg.ones(2, 2))",
        "y().backward(mg.ones(1))",
        "y(1, 1).backward(mg.ones(1))",
        "y(1).backward(mg.tensor(1.))",
    ],
    "other length": ["y(3).backward(mg.ones(2))", "y(2).backward(mg.ones(5))", "y(4).backward(mg.ones(3))"],
    "list": ["y(3).backward([1., 1., 1.])", "y(2).backward((1., 1.))", "y(3).backward([0., 1., 0.])"],
    "number": ["y().backward(1.0)", "y(3).sum().backward(1.0)", "y(3).backward(1.0)"],
    "numpy": ["y(3).backward(np.ones(3))", "y(2).backward(np.array([1., 0.]))"],
    "other dtype": [
        "y(3).backward(mg.ones(3, dtype=mg.float64))",
        "y(2).backward(mg.tensor([1, 0]))",
        "y(2, 3).backward(mg.ones(2, 3, dtype=mg.int64))",
    ],
}


def outcomes_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(OUTCOMES))]
    return tuple((key, rule, str(rng.choice(OUTCOMES[rule]))) for key, rule in zip("abcdefghijk", rules, strict=True))


def outcomes_program(draw: Draw) -> str:
    return OUTCOMES_SETUP + "\n".join(f"{code:<48}# {key}" for key, _, code in draw)


def outcome(code: str) -> str:
    space: dict[str, Any] = {"mg": mg, "np": np}
    exec(OUTCOMES_SETUP, space)
    try:
        exec(code, space)
    except TypeError:
        return "type"
    except RuntimeError as error:
        return "scalar-only" if "scalar outputs" in str(error) else "shape"
    return "ok"


def outcomes(draw: Draw) -> dict[str, str]:
    """Run each line by itself and look."""
    return {key: outcome(code) for key, _, code in draw}


def outcomes_by_rule(draw: Draw) -> dict[str, str]:
    by_rule = {
        "many, no v": "scalar-only",
        "broadcasts": "shape",
        "same count": "shape",
        "other length": "shape",
        "list": "type",
        "number": "type",
        "numpy": "type",
    }
    return {key: by_rule.get(rule, "ok") for key, rule, _ in draw}


def believing(believed: str, *rules: str) -> Callable[[Draw], dict[str, str]]:
    """The dict of somebody who is right except about the lines of these rules."""

    def predict(draw: Draw) -> dict[str, str]:
        return outcomes(draw) | {key: believed for key, rule, _ in draw if rule in rules}

    return predict


NO_BROADCASTING = (
    "No broadcasting here. `v` must have **exactly** the shape of `y`, entry for entry: `(1, 3)`, `(1,)` "
    "and `()` all raise against `(3,)`. The engine does not guess which outputs you meant to weigh."
)
register(
    Exercise(
        id="04.3",
        title="Will it raise?",
        difficulty=1,
        minutes=6,
        reference=outcomes,
        draws=outcomes_draw,
        program=outcomes_program,
        name="outcomes",
        words=("ok", "scalar-only", "shape", "type"),
        alternatives={"by the rules": outcomes_by_rule},
        mistakes={
            "v is broadcast": Mistake(believing("ok", "broadcasts"), NO_BROADCASTING),
            "the count of entries decides": Mistake(
                believing("ok", "same count"),
                "The right number of entries is not enough: the **shape** must be the same. `(6,)` against "
                "`(2, 3)` raises, and even `(1,)` against `()`.",
            ),
            "a shorter v is filled up": Mistake(
                believing("ok", "other length"),
                "`v` has one weight for each output. A missing weight is not taken as 0 or 1; the shapes must be equal.",
            ),
            "(1, 1) is no scalar": Mistake(
                believing("scalar-only", "one, no v"),
                "One element is enough. The rule counts elements, not axes: `()`, `(1,)` and `(1, 1)` all "
                "get `v` = 1 by themselves.",
            ),
            "v is always needed": Mistake(
                believing("scalar-only", "scalar"),
                "With a single number as output there is one row, and its weight is 1 unless you say "
                "otherwise. Nothing to be given.",
            ),
            "a missing v means ones": Mistake(
                believing("ok", "many, no v"),
                "Ones are filled in for **one** element only. For more the engine does not guess: it would "
                "be choosing your loss (`y.sum()`) for you.",
            ),
            "backward is for scalars": Mistake(
                believing("scalar-only", "fits"),
                "A scalar is needed only when no `v` is given. With a `v` of its shape every `y` will do.",
            ),
            "another dtype is refused": Mistake(
                believing("type", "other dtype"),
                "A `v` of another real dtype is fine: it is converted to the dtype of `y`. TypeError is for "
                "things that are no Tensor.",
            ),
            "a list will do": Mistake(believing("ok", "list"), NOT_A_TENSOR),
            "an array will do": Mistake(believing("ok", "numpy"), NOT_A_TENSOR),
            "a number will do": Mistake(believing("ok", "number"), NOT_A_TENSOR),
            "no Tensor is a matter of shape": Mistake(
                believing("shape", "list", "number", "numpy"),
                "The type is looked at first: what is no Tensor never gets as far as the comparison of shapes.",
            ),
        },
        hints=(
            "Ask three questions, in this order. Is there a `v` at all? If not: has `y` exactly one "
            "element? If there is a `v`: is it a Tensor? Only then: is its shape **exactly** that of `y`?",
            "A decision tree:\n\n```text\nv given? ── no ──► one element? ── yes ─► ok\n"
            "   │                         └── no ──► scalar-only\n   └─ yes ─► a Tensor? ── no ──► type\n"
            "                 └─ yes ─► v.shape == y.shape? ── yes ─► ok\n"
            "                                                     └── no ──► shape\n```\n\n"
            "The dtype of `v` is not in it.",
            "Of the eleven lines four are `ok`, one is `scalar-only`, three are `shape` and three are `type`.",
        ),
        explanation="""\
Three questions settle every line, in this order:

1. **No `v`:** then `y` must have exactly one element, on however many axes, and `v` = 1 is filled in.
   Otherwise *scalar-only*.
2. **`v` is no Tensor:** *type*, even if the numbers in it would fit.
3. **`v` is a Tensor:** its shape must equal that of `y`. No broadcasting, no reshaping, not even between
   `()` and `(1,)`. Its dtype may be another real one; the gradient keeps the dtype of `x`.

Why so strict? `v` says how much each output counts. A `v` that does not line up with `y` is nearly always a
`v` made for something else, most often for `x`, and a silent guess would give a wrong gradient with no
error.
""",
    )
)


# --- 04.4 Weighted samples ----------------------------------------------------------------------------------


def weighted_grad(losses_of, theta, w):
    """The gradient of Σ w[i] * losses[i] with respect to theta, without building that sum.

    losses_of: a function; losses_of(theta) is a Tensor with one loss for each sample, shape (m,).
    theta: a leaf of shape (n,) whose grad is None. w: a Tensor of weights, shape (m,).
    Returns a Tensor of shape (n,).
    """
    losses = losses_of(theta)
    losses.backward(w)
    return theta.grad


def weighted_grad_function(losses_of, theta, w):
    (g,) = mg.autograd.grad(losses_of(theta), theta, w)
    return g


def weighted_grad_roots(losses_of, theta, w):
    mg.autograd.backward([losses_of(theta)], grad_tensors=[w])
    return theta.grad.clone()


def weighted_sum(losses_of, theta, w):
    (w * losses_of(theta)).sum().backward()
    return theta.grad


def weighted_sum_dot(losses_of, theta, w):
    loss = mg.dot(losses_of(theta), w)
    loss.backward()
    return theta.grad


def losses_as_v(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(losses)
    return theta.grad


def losses_as_v_detached(losses_of, theta, w):
    (losses_of(theta) ** 2 / 2).sum().backward()
    return theta.grad


def weights_and_losses_as_v(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward((w * losses).detach())
    return theta.grad


def weights_and_losses_as_v_sum(losses_of, theta, w):
    (w * losses_of(theta) ** 2 / 2).sum().backward()
    return theta.grad


def weights_afterwards(losses_of, theta, w):
    losses_of(theta).sum().backward()
    return theta.grad * w


def weights_afterwards_ones(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(mg.ones_like(losses))
    return w * theta.grad


def weights_total_afterwards(losses_of, theta, w):
    losses_of(theta).sum().backward()
    return theta.grad * w.mean()


def weights_total_afterwards_v(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(mg.ones_like(losses) * w.sum() / len(w))
    return theta.grad


def weighted_mean(losses_of, theta, w):
    (w * losses_of(theta)).mean().backward()
    return theta.grad


def weighted_mean_v(losses_of, theta, w):
    losses_of(theta).backward(w / w.numel())
    return theta.grad


def weights_normalised(losses_of, theta, w):
    losses_of(theta).backward(w / w.sum())
    return theta.grad


def weights_normalised_after(losses_of, theta, w):
    losses_of(theta).backward(w)
    return theta.grad / w.sum()


def weights_forgotten(losses_of, theta, w):
    losses_of(theta).sum().backward()
    return theta.grad


def weights_forgotten_ones(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(mg.ones_like(losses))
    return theta.grad.clone()


def weighted_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def squared(m: int, n: int) -> tuple[Any, ...]:
        A, b = random_tensor(rng, dtype, m, n), random_tensor(rng, dtype, m)
        theta = random_tensor(rng, dtype, n, leaf=True)
        w = mg.tensor(rng.uniform(0.5, 3.0, size=m), dtype=dtype)
        w[int(rng.integers(m))] = 0.0
        return lambda theta: (A @ theta - b) ** 2, theta, w

    def logistic(m: int, n: int) -> tuple[Any, ...]:
        A, theta = random_tensor(rng, dtype, m, n), random_tensor(rng, dtype, n, leaf=True)
        return lambda theta: mg.log(1 + mg.exp(-(A @ theta))), theta, random_tensor(rng, dtype, m)

    return [
        Case("5 samples, 3 parameters, squared errors", squared(5, 3)),
        Case("2 samples, 4 parameters, squared errors", squared(2, 4)),
        Case("6 samples, 2 parameters, logistic losses, weights of both signs", logistic(6, 2)),
    ]


def weights_like_theta(losses_of, theta, w):
    losses_of(theta).backward(mg.ones(len(theta), dtype=theta.dtype))
    return theta.grad


def weights_like_theta_grad(losses_of, theta, w):
    return mg.autograd.grad(losses_of(theta), theta, mg.ones_like(theta))[0]


def weights_list(losses_of, theta, w):
    losses_of(theta).backward(w.tolist())
    return theta.grad


def weights_array(losses_of, theta, w):
    losses_of(theta).backward(w.numpy())
    return theta.grad


def weighted_twice(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(w)
    losses.backward(w)
    return theta.grad


def weighted_twice_grad(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(w)
    return mg.autograd.grad(losses, theta, w)[0]


def sample_by_sample(losses_of, theta, w):
    losses, total = losses_of(theta), mg.zeros_like(theta)
    for i in range(len(w)):
        theta.grad = None
        losses[i].backward(retain_graph=True)
        total += w[i] * theta.grad
    return total


def sample_by_sample_rows(losses_of, theta, w):
    rows = [mg.autograd.grad(losses_of(theta), theta, v)[0] for v in mg.eye(len(w), dtype=w.dtype)]
    return w @ mg.stack(rows)


def watch_weighted(answer: Callable[..., Any], losses_of: Callable[..., Any], theta: Any, w: Any) -> Any:
    (right,) = mg.autograd.grad(losses_of(theta), theta, w)
    watch = Watch()
    result = answer(watch.around(losses_of, "losses_of"), theta, w)
    watch.stop()
    if not isinstance(result, mg.Tensor):
        return unfit(result, "a Tensor of shape (n,)")
    seen = {"returns": result}
    near = {"rtol": 1e-3, "atol": 1e-4}
    if result.shape == right.shape and np.allclose(result.detach().numpy(), right.numpy(), **near):
        # How it was done matters only where the numbers are right.
        if watch.passes != 1:
            return {"how": f"{watch.passes} backward passes through the losses", **seen}
        if watch.on_top:
            return {"how": "something was computed from the losses first", **seen}
    return {"how": "one pass that starts at the losses", **seen}


WEIGHTS_AFTER = (
    "Too late: `theta.grad` has one entry for each **parameter**, and the samples are already summed in it. "
    "The weights belong to the samples, so they must act before the sum: as `v`."
)

def weighted_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    return [
        Case("one sample, one parameter", (lambda theta: (theta - 1) ** 2, leaf(1), random_tensor(rng, dtype, 1))),
        Case("one sample, 3 parameters", (lambda theta: (theta**2).sum().reshape(1), leaf(3), random_tensor(rng, dtype, 1))),
        Case("all weights are 0", (lambda theta: theta**2, leaf(3), mg.zeros(3, dtype=dtype))),
        Case("negative weights", (lambda theta: mg.exp(theta), leaf(2), -mg.ones(2, dtype=dtype))),
    ]


register(
    Exercise(
        id="04.4",
        title="Weighted samples",
        difficulty=2,
        minutes=5,
        reference=weighted_grad,
        cases=weighted_cases,
        edges=weighted_edges,
        observe=watch_weighted,
        alternatives={"autograd.grad": weighted_grad_function, "autograd.backward": weighted_grad_roots},
        mistakes={
            "the sum is built": Mistake(
                weighted_sum,
                "The right numbers by the long way: a product and a sum are recorded, only for backward to "
                "turn them into `w` again. Start backward at the losses themselves. What must it be told there?",
                again=weighted_sum_dot,
            ),
            "sample by sample": Mistake(
                sample_by_sample,
                "The right numbers, with a backward pass for each sample. One pass does it: the weighted sum of rows "
                "is what backward computes. What must it be told?",
                again=sample_by_sample_rows,
            ),
            "v like theta": Mistake(
                weights_like_theta,
                "`v` has one weight for each **sample**, as `losses` has entries. Yours has one for each parameter.",
                again=weights_like_theta_grad,
            ),
            "no Tensor": Mistake(weights_list, NOT_A_TENSOR, again=weights_array),
            "twice": Mistake(
                weighted_twice,
                "You went backward twice through the same losses. The first pass was enough: its result is in "
                "`theta.grad`. It has freed what was saved, so the second finds nothing.",
                again=weighted_twice_grad,
            ),
            "the losses as v": Mistake(
                losses_as_v,
                "`losses.backward(losses)` gives weight losses[i] to sample i: that is the gradient of ½ Σ "
                "losses², a loss that nobody asked for. `v` holds the weights, not the values.",
                again=losses_as_v_detached,
            ),
            "weights times losses as v": Mistake(
                weights_and_losses_as_v,
                "`v` is ∂L/∂losses. For L = Σ w·losses that is `w` alone; the losses themselves are not in it.",
                again=weights_and_losses_as_v_sum,
            ),
            "weights on the gradient": Mistake(weights_afterwards, WEIGHTS_AFTER, again=weights_afterwards_ones),
            "mean weight on the gradient": Mistake(
                weights_total_afterwards,
                "A common factor makes every sample count the same. The weights must act **before** the "
                "samples are summed: as `v`.",
                again=weights_total_afterwards_v,
            ),
            "mean": Mistake(
                weighted_mean,
                "m times too small, where m is the number of samples: the loss is a sum here, not a mean.",
                again=weighted_mean_v,
            ),
            "weights made to sum to 1": Mistake(
                weights_normalised,
                "You divided the weights by their sum. Σ w[i]·losses[i] takes them as they are.",
                again=weights_normalised_after,
            ),
            "no weights": Mistake(
                weights_forgotten,
                "Every sample has weight 1 here. What should `v` be, so that sample i has weight w[i]?",
                again=weights_forgotten_ones,
            ),
        },
        hints=(
            "The loss that you want is L = Σ w[i]·losses[i]. What is ∂L/∂losses[i]? That is what `backward` must be told.",
            "In the picture at the start, let the rows be samples: row i is the gradient of loss i. You "
            "want a weighted sum of the rows, and the weights have a place in the picture.",
            "```python\nlosses = losses_of(theta)\nlosses.backward(___)\nreturn theta.grad\n```",
        ),
        explanation="""\
Row i of the Jacobian of `losses_of` is the gradient of sample i's loss. The gradient of Σ w[i]·losses[i] is
the sum of these rows with the weights `w`: wᵀJ. So `v` = `w`, in one pass, and no product or sum need be
recorded.

A weight of 0 leaves a sample out, a weight of 2 counts it twice; `v` = ones is the plain sum, `v` = 1/m the
mean. `losses.backward(losses)` runs without complaint: its shape is right.
Only its meaning is not.
""",
    )
)


# --- 04.5 Several roots -------------------------------------------------------------------------------------


def two_heads(x, trunk, head1, head2, v):
    """Leave in x.grad the gradient of head1(h) plus vᵀJ of head2(h), where h = trunk(x).

    x: a leaf whose grad is None. trunk, head1, head2: functions of one Tensor.
    head1(h) has shape (), head2(h) has shape (m,), and so has v.
    Call trunk once, and let backward pass through it once. Returns None.
    """
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [None, v])


def two_heads_ones(x, trunk, head1, head2, v):
    h = trunk(x)
    roots = (head2(h), head1(h))
    mg.autograd.backward(tensors=roots, grad_tensors=(v, mg.ones_like(roots[1])))


def two_heads_scalar(x, trunk, head1, head2, v):
    h = trunk(x)
    (head1(h) + (v * head2(h)).sum()).backward()


def two_heads_cat(x, trunk, head1, head2, v):
    h = trunk(x)
    y = mg.cat([head1(h).reshape(1), head2(h)])
    y.backward(mg.cat([mg.ones(1, dtype=v.dtype), v]))


def two_heads_cut(x, trunk, head1, head2, v):
    h = trunk(x)
    middle = h.detach().requires_grad_()
    head1(middle).backward()
    head2(middle).backward(v)
    h.backward(middle.grad)


def two_calls(x, trunk, head1, head2, v):
    h = trunk(x)
    head1(h).backward()
    head2(h).backward(v)


def two_calls_swapped(x, trunk, head1, head2, v):
    h = trunk(x)
    y1, y2 = head1(h), head2(h)
    mg.autograd.backward(y2, v)
    mg.autograd.backward(y1)


def two_walks(x, trunk, head1, head2, v):
    h = trunk(x)
    head1(h).backward(retain_graph=True)
    head2(h).backward(v)


def two_walks_swapped(x, trunk, head1, head2, v):
    h = trunk(x)
    y1, y2 = head1(h), head2(h)
    mg.autograd.backward([y2], [v], retain_graph=True)
    mg.autograd.backward([y1], retain_graph=True)


def two_trunks(x, trunk, head1, head2, v):
    head1(trunk(x)).backward()
    head2(trunk(x)).backward(v)


def two_trunks_one_call(x, trunk, head1, head2, v):
    mg.autograd.backward([head1(trunk(x)), head2(trunk(x))], [None, v])


def no_v(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)])


def no_v_none(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward((head1(h), head2(h)), (None, None))


def v_first(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [v, None])


def v_alone(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [v])


def one_weight_missing(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head2(h), head1(h)], [v])


def one_weight_missing_tensor(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward((head2(h), head1(h)), v)


def heads_added(x, trunk, head1, head2, v):
    h = trunk(x)
    (head1(h) + head2(h)).backward(v)


def heads_added_sum(x, trunk, head1, head2, v):
    h = trunk(x)
    (v * (head2(h) + head1(h))).sum().backward()


def second_head_unweighted(x, trunk, head1, head2, v):
    h = trunk(x)
    (head1(h) + head2(h).sum()).backward()


def second_head_unweighted_roots(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [None, mg.ones_like(v)])


def two_heads_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    W, U, C = tensor(4, 3), tensor(2, 4), tensor(5, 6)
    return [
        Case(
            "x of shape (3,), 2 outputs of head2",
            (leaf(3), lambda x: mg.tanh(W @ x), lambda h: (h**2).sum(), lambda h: U @ h, tensor(2)),
        ),
        Case(
            "x of shape (2, 3), 6 outputs of head2",
            (leaf(2, 3), lambda x: mg.exp(x / 2), lambda h: h.sum(), lambda h: (h * h).reshape(6), tensor(6)),
        ),
        Case(
            "x of shape (6,), 5 outputs of head2",
            (
                leaf(6),
                lambda x: mg.sin(x) * x,
                lambda h: (h[0] * h[5]).exp(),
                lambda h: mg.tanh(C @ h),
                tensor(5),
            ),
        ),
    ]


# What backward says to a wrong list of roots. Each has its own cause, so each is an observation of its own.
REFUSALS = ("a second time", "only for scalar outputs", "Mismatch in shape", "got 2 tensors and 1 gradients")


def first_head_alone(x, trunk, head1, head2, v):
    head1(trunk(x)).backward()


def first_head_alone_roots(x, trunk, head1, head2, v):
    mg.autograd.backward([head1(trunk(x))])


def second_head_alone(x, trunk, head1, head2, v):
    head2(trunk(x)).backward(v)


def second_head_alone_sum(x, trunk, head1, head2, v):
    (v * head2(trunk(x))).sum().backward()


def list_as_v(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [None, v.tolist()])


def number_as_v(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [1.0, v])


def watch_two_heads(answer: Callable[..., Any], x: Any, trunk: Any, head1: Any, head2: Any, v: Any) -> dict[str, Any]:
    watch = Watch()
    heads = [watch.around(head1, "head1", passes=False), watch.around(head2, "head2", passes=False)]
    try:
        answer(x, watch.around(trunk, "trunk"), *heads, v)
    except RuntimeError as error:
        known = [phrase for phrase in REFUSALS if phrase in str(error)]
        if not known:
            raise
        return {"backward": f"raised RuntimeError: … {known[0]} …"}
    watch.stop()
    return {
        "backward": "raised nothing",
        "x.grad": x.grad,
        "calls of trunk": watch.calls,
        "backward passes through trunk": watch.passes,
        "cost_joined": watch.on_top > 0,
    }


BY_POSITION = (
    "Roots and their `v` are matched by position. The first root, head1(h), is a scalar: its entry is "
    "`None` (or a tensor of shape `()`). The second entry belongs to head2(h)."
)

def two_heads_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    return [
        Case(
            "x of shape (1,), one output of head2",
            (leaf(1), lambda x: mg.exp(x), lambda h: h.sum(), lambda h: h * h, random_tensor(rng, dtype, 1)),
        ),
        Case(
            "v is all zeros",
            (leaf(3), lambda x: mg.sin(x), lambda h: (h**3).sum(), lambda h: h * 2, mg.zeros(3, dtype=dtype)),
        ),
    ]


register(
    Exercise(
        id="04.5",
        title="Several roots",
        difficulty=2,
        minutes=7,
        reference=two_heads,
        cases=two_heads_cases,
        edges=two_heads_edges,
        observe=watch_two_heads,
        alternatives={
            "roots in the other order": two_heads_ones,
            "the graph cut at h": two_heads_cut,
        },
        wasteful={
            "the heads are joined": Mistake(
                two_heads_scalar,
                "One pass, as asked. You joined the heads yourself, with a few nodes more in the graph; "
                "`mg.autograd.backward` takes both roots as they are.",
                again=two_heads_cat,
            )
        },
        mistakes={
            "two calls": Mistake(
                two_calls,
                "The first `backward` freed what the trunk had saved, so the second finds it empty (chapter "
                "07 is about this). You need no second call: `mg.autograd.backward` takes a **list** of "
                "roots.",
                again=two_calls_swapped,
            ),
            "two passes": Mistake(
                two_walks,
                "Right numbers, but the trunk was walked through twice. `retain_graph=True` keeps the graph "
                "alive for a second pass; one call with both roots needs one pass only.",
                again=two_walks_swapped,
            ),
            "two trunks": Mistake(
                two_trunks,
                "Right numbers, but `trunk` was called twice, so there are two copies of its graph, and "
                "each is walked through. Compute `h` once and give it to both heads.",
                again=two_trunks_one_call,
            ),
            "no v": Mistake(
                no_v,
                "`None` stands for `v` = 1, and that is possible for a root with one element. head2(h) has "
                "several: it needs its `v`.",
                again=no_v_none,
            ),
            "v for the wrong root": Mistake(v_first, BY_POSITION, again=v_alone),
            "one weight missing": Mistake(
                one_weight_missing,
                "As many entries in `grad_tensors` as there are roots. For the scalar root write `None`; it "
                "cannot be left out.",
                again=one_weight_missing_tensor,
            ),
            "head2 is forgotten": Mistake(
                first_head_alone,
                "That is the gradient of head1(h) alone. head2(h) is a root too, with the weights `v`.",
                again=first_head_alone_roots,
            ),
            "head1 is forgotten": Mistake(
                second_head_alone,
                "That is vᵀJ of head2(h) alone. head1(h) is a root too, with the weight 1.",
                again=second_head_alone_sum,
            ),
            "no Tensor": Mistake(list_as_v, NOT_A_TENSOR, again=number_as_v),
            "heads added": Mistake(
                heads_added,
                "head1(h) + head2(h) broadcasts the scalar over all m entries, so head1 counts Σv times. "
                "Keep the roots apart, each with its own `v`.",
                again=heads_added_sum,
            ),
            "v is forgotten": Mistake(
                second_head_unweighted,
                "head2 counts with weight 1 in every entry here. What became of `v`?",
                again=second_head_unweighted_roots,
            ),
        },
        hints=(
            "Two roots are two blocks of rows, one above the other: stack the outputs, stack the weights, "
            "and it is one vᵀJ. Which function takes several roots at once?",
            "```text\n        trunk          head1 ──► scalar     weight: None, that is 1\n"
            "   x ──────────► h ──┤\n                       head2 ──► (m,)       weight: v\n```\n\n"
            "Backward starts at both right-hand ends, adds up at h, and goes through the trunk once.",
            "```python\nh = trunk(x)\nmg.autograd.backward([head1(h), head2(h)], [___, ___])\n```",
        ),
        explanation="""\
`backward([y1, y2], [v1, v2])` computes v1ᵀJ1 + v2ᵀJ2: it is the vᵀJ of the two outputs stacked into one.
`None` stands for 1, so it fits a root with one element.

The engine starts at both roots, and a node fires only when everything that used its output has fired
(chapter 02). So at `h` the two messages are added, and the trunk is walked through **once** with the sum.
That is cheaper than two passes, and it does not need `retain_graph`. Joined by hand it is the same walk,
with three more nodes at its start: `(head1(h) + (v * head2(h)).sum()).backward()`.
""",
    )
)


# --- 04.6 Write the VJPs ------------------------------------------------------------------------------------


class VJP:
    """Backward rules on NumPy arrays: v has the shape of y, and what is returned has the shape of x."""

    @staticmethod
    def transpose(v, axes):
        """y = np.transpose(x, axes)."""
        return np.transpose(v, np.argsort(axes))

    @staticmethod
    def sum(v, shape, axis):
        """y = x.sum(axis). shape: the shape of x. axis: one int, perhaps negative."""
        return np.broadcast_to(np.expand_dims(v, axis), shape)

    @staticmethod
    def mean(v, shape, axis):
        """y = x.mean(axis). shape: the shape of x. axis: one int, perhaps negative."""
        return VJP.sum(v, shape, axis) / shape[axis]

    @staticmethod
    def matmul(v, A, B):
        """y = A @ B, both with two axes. Returns two arrays: for A and for B."""
        return v @ B.T, A.T @ v

    @staticmethod
    def index(v, shape, rows):
        """y = x[rows]. shape: the shape of x. rows: a 1-d array of ints, perhaps with repeats."""
        g = np.zeros(shape)
        np.add.at(g, rows, v)
        return g

    @staticmethod
    def unbroadcast(v, shape):
        """y = np.broadcast_to(x, v.shape). shape: the shape of x."""
        v = v.sum(axis=tuple(range(v.ndim - len(shape))))  # the axes that broadcasting put in front
        stretched = tuple(i for i, size in enumerate(shape) if size == 1)
        return v.sum(axis=stretched, keepdims=True)


VJP_STARTER = '''\
class VJP:
    """Backward rules on NumPy arrays: v has the shape of y, and what is returned has the shape of x."""

    @staticmethod
    def transpose(v, axes):
        """y = np.transpose(x, axes)."""
        ...

    @staticmethod
    def sum(v, shape, axis):
        """y = x.sum(axis). shape: the shape of x. axis: one int, perhaps negative."""
        ...

    @staticmethod
    def mean(v, shape, axis):
        """y = x.mean(axis). shape: the shape of x. axis: one int, perhaps negative."""
        ...

    @staticmethod
    def matmul(v, A, B):
        """y = A @ B, both with two axes. Returns two arrays: for A and for B."""
        ...

    @staticmethod
    def index(v, shape, rows):
        """y = x[rows]. shape: the shape of x. rows: a 1-d array of ints, perhaps with repeats."""
        ...

    @staticmethod
    def unbroadcast(v, shape):
        """y = np.broadcast_to(x, v.shape). shape: the shape of x."""
        ...
'''


class VJPByEinsum:
    """Every rule in another style."""

    @staticmethod
    def transpose(v, axes):
        back = [list(axes).index(k) for k in range(len(axes))]
        return v.transpose(back)

    @staticmethod
    def sum(v, shape, axis):
        g = np.ones(shape)
        return g * np.expand_dims(v, axis)

    @staticmethod
    def mean(v, shape, axis):
        n = shape[axis]
        return np.repeat(np.expand_dims(v, axis), n, axis) / n

    @staticmethod
    def matmul(v, A, B):
        return [np.einsum("ik,jk->ij", v, B), np.einsum("ij,ik->jk", A, v)]

    @staticmethod
    def index(v, shape, rows):
        g = np.zeros(shape)
        for k, r in enumerate(rows):
            g[r] += v[k]
        return g

    @staticmethod
    def unbroadcast(v, shape):
        while v.ndim > len(shape):
            v = v.sum(0)
        for i, size in enumerate(shape):
            if size == 1 and v.shape[i] > 1:
                v = v.sum(i, keepdims=True)
        return v


class VJPByMatrices:
    """The rules for rows and sums as products with matrices of zeros and ones."""

    @staticmethod
    def transpose(v, axes):
        g = np.empty([v.shape[list(axes).index(k)] for k in range(v.ndim)])
        np.transpose(g, axes)[...] = v
        return g

    @staticmethod
    def sum(v, shape, axis):
        g = np.zeros(shape)
        np.moveaxis(g, axis, 0)[...] = v
        return g

    @staticmethod
    def mean(v, shape, axis):
        g = np.zeros(shape)
        np.moveaxis(g, axis, -1)[...] = np.asarray(v)[..., None] / shape[axis]
        return g

    @staticmethod
    def matmul(v, A, B):
        return (B @ v.T).T, (v.T @ A).T

    @staticmethod
    def index(v, shape, rows):
        picks = np.eye(shape[0])[rows]  # one row of the identity for each row picked
        return np.tensordot(picks.T, v, axes=1)

    @staticmethod
    def unbroadcast(v, shape):
        padded = (1,) * (v.ndim - len(shape)) + tuple(shape)
        return v.sum(tuple(i for i in range(v.ndim) if padded[i] == 1), keepdims=True).reshape(shape)


def with_rule(**rules: Callable[..., Any]) -> type:
    """The reference with other rules in some places."""
    return type("VJP", (VJP,), {name: staticmethod(rule) for name, rule in rules.items()})


def wrong_rule(name: str, rule: Callable[..., Any], hint: str, again: Callable[..., Any]) -> Mistake:
    """A mistake in one rule. Only the cases of that rule, those with its label, are compared."""
    return Mistake(with_rule(**{name: rule}), hint, again=with_rule(**{name: again}))


def index_overwriting_loop(v, shape, rows):
    g = np.zeros(shape)
    for k in range(len(rows)):
        g[rows[k]] = v[k]
    return g


def index_buffered(v, shape, rows):
    g = np.zeros(shape)
    g[rows] += v
    return g


def index_counting(v, shape, rows):
    g = np.zeros(shape)
    np.add.at(g, rows, 1.0)
    return g


def index_counting_loop(v, shape, rows):
    g = np.zeros(shape)
    for r in rows:
        g[r] += np.ones(shape[1:])
    return g


def lead_axes(v, shape):
    return v.sum(axis=tuple(range(v.ndim - len(shape))))


def lead_axes_loop(v, shape):
    while v.ndim != len(shape):
        v = np.add.reduce(v)
    return v


def stretched_axes(v, shape):
    return v.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1), keepdims=True)


def stretched_axes_loop(v, shape):
    for i in range(len(shape)):
        if shape[i] == 1:
            v = v.sum(i, keepdims=True)
    return v


def no_keepdims(v, shape):
    v = lead_axes(v, shape)
    return v.sum(axis=tuple(i for i, size in enumerate(shape) if size == 1))


def no_keepdims_loop(v, shape):
    v = lead_axes_loop(v, shape)
    for i in reversed(range(len(shape))):
        if shape[i] == 1:
            v = v.sum(i)
    return v


def first_copy(v, shape):
    v = v[(0,) * (v.ndim - len(shape))]
    return v[tuple(slice(0, 1) if size == 1 else slice(None) for size in shape)]


def first_copy_flat(v, shape):
    padded = (1,) * (v.ndim - len(shape)) + tuple(shape)
    return v[tuple(slice(size) for size in padded)].reshape(shape)


def mean_copy(v, shape):
    g = VJP.unbroadcast(v, shape)
    return g * g.size / v.size


def mean_copy_mean(v, shape):
    v = v.mean(axis=tuple(range(v.ndim - len(shape))))
    return v.mean(axis=tuple(i for i, size in enumerate(shape) if size == 1), keepdims=True)


RULES = ("transpose", "sum", "mean", "matmul", "index", "unbroadcast")


def vjp_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def array(*shape: int) -> Array:
        return rng.normal(size=shape).astype(precision)

    repeated = rng.permutation([0, 2, 2, 2, 3, 3])
    return [
        Case("transpose: shape (2, 5), axes (1, 0)", ("transpose", array(5, 2), (1, 0))),
        Case("transpose: shape (2, 3, 4), axes (2, 0, 1)", ("transpose", array(4, 2, 3), (2, 0, 1))),
        Case("transpose: shape (2, 3, 4, 5), axes (1, 3, 0, 2)", ("transpose", array(3, 5, 2, 4), (1, 3, 0, 2))),
        Case("sum: shape (3, 5), axis 0", ("sum", array(5), (3, 5), 0)),
        Case("sum: shape (3, 5), axis 1", ("sum", array(3), (3, 5), 1)),
        Case("sum: shape (2, 3, 4), axis -2", ("sum", array(2, 4), (2, 3, 4), -2)),
        Case("sum: shape (4,), axis 0", ("sum", array(), (4,), 0)),
        Case("mean: shape (3, 5), axis 0", ("mean", array(5), (3, 5), 0)),
        Case("mean: shape (2, 3, 4), axis 1", ("mean", array(2, 4), (2, 3, 4), 1)),
        Case("mean: shape (2, 3, 4), axis -1", ("mean", array(2, 3), (2, 3, 4), -1)),
        Case("matmul: (2, 3) @ (3, 4)", ("matmul", array(2, 4), array(2, 3), array(3, 4))),
        # A square one, where even the wrong products have the right shape: it tells them apart.
        Case("matmul: (3, 3) @ (3, 3)", ("matmul", array(3, 3), array(3, 3), array(3, 3))),
        Case("matmul: (5, 1) @ (1, 2)", ("matmul", array(5, 2), array(5, 1), array(1, 2))),
        Case("index: shape (5, 2), no row repeated", ("index", array(3, 2), (5, 2), np.array([4, 0, 3]))),
        Case("index: shape (4,), rows repeated", ("index", array(6), (4,), repeated)),
        Case("index: shape (4, 3), rows repeated", ("index", array(6, 3), (4, 3), repeated.copy())),
        Case("unbroadcast: same shape, (2, 3) from (2, 3)", ("unbroadcast", array(2, 3), (2, 3))),
        Case("unbroadcast: axes in front, (4, 2, 3) from (3,)", ("unbroadcast", array(4, 2, 3), (3,))),
        Case(
            "unbroadcast: a stretched axis, (2, 5, 3) from (2, 1, 3)",
            ("unbroadcast", array(2, 5, 3), (2, 1, 3)),
        ),
        Case("unbroadcast: both, (4, 2, 3) from (2, 1)", ("unbroadcast", array(4, 2, 3), (2, 1))),
        Case("unbroadcast: a single number, (4, 3) from ()", ("unbroadcast", array(4, 3), ())),
    ]


def unwritten(rule: Any) -> bool:
    """Whether nothing is done in a rule, as in the starter."""
    code = getattr(inspect.unwrap(rule), "__code__", None)
    return code is not None and {i.opname for i in dis.get_instructions(code)} <= {"RESUME", "NOP", *RETURNS_NONE}


RETURNS_NONE = ("LOAD_CONST", "RETURN_VALUE", "RETURN_CONST")


def as_asked(result: Any) -> Any:
    """One of the arrays that a rule returned, or what came in its place."""
    if result is None or result is ...:
        return result
    if isinstance(result, np.ndarray | np.generic | int | float):
        return np.asarray(result)
    return f"a {type(result).__name__}, not an array"


def watch_vjp(answer: Any, rule: str, *args: Any) -> Any:
    method = getattr(answer, rule)
    result = method(*args)
    name = f"VJP.{rule}"
    if result is None and unwritten(method):
        result = ...
    if rule != "matmul":
        return {name: as_asked(result)}
    if result is None or result is ...:
        result = result, result
    if isinstance(result, list | tuple) and len(result) == 2:
        return {f"{name}, for {which}": as_asked(g) for which, g in zip("AB", result, strict=True)}
    came = f"{len(result)} of them" if isinstance(result, list | tuple) else f"one {type(result).__name__}"
    return {f"{name}, for A": f"{came}, not two arrays", f"{name}, for B": None}


def index_like_v(v, shape, rows):
    g = np.zeros_like(v)
    np.add.at(g, rows, v)
    return g


def index_like_v_loop(v, shape, rows):
    g = 0 * v
    for k in range(len(rows)):
        g[rows[k]] += v[k]
    return g


def vjp_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def array(*shape: int) -> Array:
        return rng.normal(size=shape).astype(precision)

    return [
        Case("transpose: shape (4,), axes (0,)", ("transpose", array(4), (0,))),
        Case("transpose: shape (1, 3, 1), axes (1, 2, 0)", ("transpose", array(3, 1, 1), (1, 2, 0))),
        Case("sum: shape (1,), axis 0", ("sum", array(), (1,), 0)),
        Case("sum: shape (3, 3), axis -1", ("sum", array(3), (3, 3), -1)),
        Case("sum: shape (1, 4), axis 1", ("sum", array(1), (1, 4), 1)),
        Case("mean: shape (5,), axis -1", ("mean", array(), (5,), -1)),
        Case("mean: shape (3, 3), axis 1", ("mean", array(3), (3, 3), 1)),
        Case("mean: shape (4, 1), axis 0", ("mean", array(1), (4, 1), 0)),
        Case("matmul: (1, 1) @ (1, 1)", ("matmul", array(1, 1), array(1, 1), array(1, 1))),
        Case("matmul: (1, 4) @ (4, 1)", ("matmul", array(1, 1), array(1, 4), array(4, 1))),
        Case("index: shape (1,), one row, three times", ("index", array(3), (1,), np.array([0, 0, 0]))),
        Case("index: shape (3, 1), one row", ("index", array(1, 1), (3, 1), np.array([1]))),
        Case("unbroadcast: a single number, () from ()", ("unbroadcast", array(), ())),
        Case("unbroadcast: (1, 3) from (3,)", ("unbroadcast", array(1, 3), (3,))),
        Case("unbroadcast: (1, 1) from (1,)", ("unbroadcast", array(1, 1), (1,))),
        Case("unbroadcast: (3, 3) from (1, 3)", ("unbroadcast", array(3, 3), (1, 3))),
        Case("unbroadcast: (2, 3, 4) from (1, 1)", ("unbroadcast", array(2, 3, 4), (1, 1))),
    ]


register(
    Exercise(
        id="04.6",
        title="Write the VJPs",
        difficulty=3,
        minutes=15,
        points=6,
        reference=VJP,
        starter=VJP_STARTER,
        cases=vjp_cases,
        edges=vjp_edges,
        observe=watch_vjp,
        alternatives={"einsum and loops": VJPByEinsum, "matrices of zeros and ones": VJPByMatrices},
        mistakes={
            "transpose: same permutation": wrong_rule(
                "transpose",
                lambda v, axes: np.transpose(v, axes),
                "transpose: you applied the same permutation again. Going back needs the **inverse** one. "
                "For two axes they are the same, for three they need not be: (2, 0, 1) is undone by (1, 2, "
                "0).",
                again=lambda v, axes: np.moveaxis(v, axes, range(len(axes))),
            ),
            "transpose: reshape": wrong_rule(
                "transpose",
                lambda v, axes: v.reshape([v.shape[k] for k in np.argsort(axes)]),
                "transpose: the shape is right, but the numbers stand in the wrong places. `reshape` reads "
                "them on in the same order; `transpose` moves them.",
                again=lambda v, axes: v.ravel().reshape(np.transpose(v, np.argsort(axes)).shape),
            ),
            "transpose: reversed": wrong_rule(
                "transpose",
                lambda v, axes: v.T,
                "transpose: `v.T` reverses all axes. That undoes `axes` only if it was a reversal.",
                again=lambda v, axes: np.transpose(v, range(v.ndim)[::-1]),
            ),
            "sum: no expand": wrong_rule(
                "sum",
                lambda v, shape, axis: np.broadcast_to(v, shape),
                "sum: `v` lacks the axis that was summed away, and broadcasting adds axes in front only. "
                "Put the axis back where it was, with size 1, and broadcast then.",
                again=lambda v, shape, axis: v * np.ones(shape),
            ),
            "sum: the shape of v": wrong_rule(
                "sum",
                lambda v, shape, axis: v,
                "sum: the result must have the shape of x. Every x along the axis went into the sum with "
                "slope 1, so each of them gets the whole v of that sum.",
                again=lambda v, shape, axis: np.array(v) * 1.0,
            ),
            "sum: divided": wrong_rule(
                "sum",
                lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape) / shape[axis],
                "sum: each x gets the **whole** v of its sum, not a share of it. Dividing belongs to mean.",
                again=lambda v, shape, axis: np.repeat(np.expand_dims(v / shape[axis], axis), shape[axis], axis),
            ),
            "sum: v is forgotten": wrong_rule(
                "sum",
                lambda v, shape, axis: np.ones(shape),
                "sum: ones are right if v is ones. What if the next operation multiplies the sum by 10?",
                again=lambda v, shape, axis: np.zeros(shape) + 1,
            ),
            "mean: not divided": wrong_rule(
                "mean",
                lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape),
                "mean: that is the rule of sum. Each of the N entries moves the mean by 1/N only.",
                again=lambda v, shape, axis: np.repeat(np.expand_dims(v, axis), shape[axis], axis),
            ),
            "mean: divided by all": wrong_rule(
                "mean",
                lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape) / np.prod(shape),
                "mean: N is the number of entries in **one** mean, the size of the axis, not the number of entries of x.",
                again=lambda v, shape, axis: VJP.sum(v, shape, axis) / (shape[axis] * v.size),
            ),
            "mean: divided by the size of v": wrong_rule(
                "mean",
                lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape) / v.size,
                "mean: you divided by the number of means. N is the number of entries that went into one of "
                "them: `shape[axis]`.",
                again=lambda v, shape, axis: VJP.sum(v / np.prod(v.shape), shape, axis),
            ),
            "mean: divided by the first size": wrong_rule(
                "mean",
                lambda v, shape, axis: np.broadcast_to(np.expand_dims(v, axis), shape) / shape[0],
                "mean: `shape[0]` is N only when the mean is over axis 0. N is the size of the axis: `shape[axis]`.",
                again=lambda v, shape, axis: VJP.sum(v / shape[0], shape, axis),
            ),
            "matmul: not transposed": wrong_rule(
                "matmul",
                lambda v, A, B: (v @ B, A @ v),
                "matmul: right partners, but their transposes are needed. Let the shapes lead you: for A "
                "you want (2, 3) out of v (2, 4) and B (3, 4).",
                again=lambda v, A, B: (np.matmul(v, B), np.matmul(A, v)),
            ),
            "matmul: factors in the wrong order": wrong_rule(
                "matmul",
                lambda v, A, B: (B.T @ v, v @ A.T),
                "matmul: the factors stand in the wrong order. B stood to the right of A, so Bᵀ stands to "
                "the right of v; and Aᵀ to its left.",
                again=lambda v, A, B: (np.dot(B.T, v), np.dot(v, A.T)),
            ),
            "matmul: results swapped": wrong_rule(
                "matmul",
                lambda v, A, B: (A.T @ v, v @ B.T),
                "matmul: both arrays are right, in the wrong order. First the gradient for A, then the one for B.",
                again=lambda v, A, B: (np.einsum("ij,ik->jk", A, v), np.einsum("ik,jk->ij", v, B)),
            ),
            "matmul: results transposed": wrong_rule(
                "matmul",
                lambda v, A, B: (B @ v.T, v.T @ A),
                "matmul: both results are transposed. The gradient for A has the shape of A.",
                again=lambda v, A, B: ((v @ B.T).T, (A.T @ v).T),
            ),
            "matmul: v is forgotten": wrong_rule(
                "matmul",
                lambda v, A, B: (np.ones_like(v) @ B.T, A.T @ np.ones_like(v)),
                "matmul: these are the gradients of `(A @ B).sum()`: `v` is not in them.",
                again=lambda v, A, B: (0 * A + B.sum(1), 0 * B + A.sum(0)[:, None]),
            ),
            "index: overwritten": wrong_rule(
                "index",
                index_buffered,
                "index: repeated rows must **add**. A row that was picked three times gets three messages, "
                "and only the last one is left here. Neither `g[rows] = v` nor `g[rows] += v` adds them up: "
                "NumPy computes all of `g[rows] + v` first and then writes, the last one wins. "
                "`np.add.at(g, rows, v)` adds one after the other.",
                again=index_overwriting_loop,
            ),
            "index: the gradient picked again": wrong_rule(
                "index",
                lambda v, shape, rows: v[rows],
                "index: you picked from v. Going back is the other way round: each v[k] goes **to** row "
                "rows[k] of a zero array of x's shape.",
                again=lambda v, shape, rows: np.take(v, rows, axis=0),
            ),
            "index: the shape of v": wrong_rule(
                "index",
                index_like_v,
                "index: the zeros to add into must have the shape of **x**, `np.zeros(shape)`. Yours have the shape of v.",
                again=index_like_v_loop,
            ),
            "index: v is forgotten": wrong_rule(
                "index",
                index_counting,
                "index: you counted how often each row was picked. That is vᵀJ for v = ones only.",
                again=index_counting_loop,
            ),
            "unbroadcast: only the axes in front": wrong_rule(
                "unbroadcast",
                lead_axes,
                "unbroadcast: the axes in front are summed, but an axis of size 1 that was stretched is a "
                "copy too: sum over it, and keep it with size 1.",
                again=lead_axes_loop,
            ),
            "unbroadcast: only the stretched axes": wrong_rule(
                "unbroadcast",
                stretched_axes,
                "unbroadcast: the stretched axes are summed, but broadcasting also puts new axes **in "
                "front**. Sum those away first, so that the axes of v and of shape stand side by side.",
                again=stretched_axes_loop,
            ),
            "unbroadcast: no keepdims": wrong_rule(
                "unbroadcast",
                no_keepdims,
                "unbroadcast: the numbers are right, the shape is not. x has an axis of size 1 there, so "
                "its gradient has one too: `keepdims=True`.",
                again=no_keepdims_loop,
            ),
            "unbroadcast: one of the copies": wrong_rule(
                "unbroadcast",
                first_copy,
                "unbroadcast: you took v of the first copy only. x was used in every copy, so all their messages **add**.",
                again=first_copy_flat,
            ),
            "unbroadcast: the mean": wrong_rule(
                "unbroadcast",
                mean_copy,
                "unbroadcast: the messages of the copies add; you averaged them. Copying forward is adding backward.",
                again=mean_copy_mean,
            ),
            "unbroadcast: reshape": wrong_rule(
                "unbroadcast",
                lambda v, shape: v.reshape(shape),
                "unbroadcast: v has more entries than x, because x was copied. The copies' messages must be "
                "added up; a reshape cannot do that.",
                again=lambda v, shape: np.array(v).ravel().reshape(shape),
            ),
        },
        hints=(
            "Ask where each entry of x went. If it was **copied** to several places, the messages from "
            "these places add. If several entries were **added** into one, each of them gets a copy of that "
            "one's message. If it was only **moved**, its message is moved back. If it was multiplied, its "
            "message is multiplied by the same.",
            "| forward | backward |\n|---|---|\n| transpose: moves | move back |\n"
            "| sum: adds | copy along the axis |\n| mean: adds, divides | copy, divide |\n"
            "| index: copies rows | add into the rows |\n| broadcast: copies | sum over the copies |\n"
            "| A @ B: multiplies by B from the right | multiply by Bᵀ from the right |\n\n"
            "The shapes check matmul: for sizes that are all different there is only one way to get the shape of A out "
            "of v and B. `np.argsort(axes)` is the permutation that undoes `axes`. `g[rows] += v` keeps only the last "
            "message of a repeated row; `np.add.at(g, rows, v)` adds them all.",
            "```python\ntranspose:    np.transpose(v, np.argsort(___))\n"
            "sum:          np.broadcast_to(np.expand_dims(v, ___), ___)\n"
            "mean:         the rule of sum, divided by shape[___]\nmatmul:       v @ ___ , ___ @ v\n"
            "index:        g = np.zeros(shape); np.add.at(g, ___, ___); return g\n"
            "unbroadcast:  sum over the first v.ndim - len(shape) axes,\n"
            "              then over every axis where shape has a 1, with keepdims=True\n```",
        ),
        explanation="""\
No Jacobian is built, and none is needed: each rule is vᵀJ worked out once and for all.

- **transpose** only moves numbers; J is a permutation, and its transpose is the inverse permutation.
  `np.argsort(axes)` is that inverse.
- **sum** adds along an axis; each x gets the v of the sum that it went into. **mean** is the same with
  slope 1/N.
- **matmul**: y[i,k] = Σⱼ A[i,j]·B[j,k], so A[i,j] meets v[i,k] with slope B[j,k]: Σₖ v[i,k]·B[j,k] is `v @
  B.T`. With distinct sizes no other product has the right shape.
- **index** copies rows; a row picked three times gets three messages. `np.add.at` adds them one by one,
  `g[rows] += v` does not.
- **unbroadcast** undoes copying: the axes in front are summed away, the stretched ones are summed and kept
  with size 1. Every broadcasting operation ends with it: for y = a + b the gradients are `unbroadcast(v,
  a.shape)` and `unbroadcast(v, b.shape)`.

*Copying forward is adding backward, adding forward is copying backward*: broadcast and sum are each other's
transposes, and so are picking rows and adding into rows.
""",
    )
)


# --- 04.7 The judge -----------------------------------------------------------------------------------------


def dot_test(f, vjp, x):
    """Is vjp the backward rule of f at x? True or False.

    x: a float64 array. f(x) is an array of any shape, perhaps (). vjp(v, x), for a v of the shape of f(x),
    claims to be vᵀJ, of the shape of x. Compares ⟨v, J u⟩ with ⟨vᵀJ, u⟩; J u is by central differences.
    """
    rng = np.random.default_rng()
    v = rng.normal(size=np.shape(f(x)))
    u = rng.normal(size=x.shape)
    eps = 1e-6
    Ju = (f(x + eps * u) - f(x - eps * u)) / (2 * eps)
    return bool(np.isclose(np.sum(v * Ju), np.sum(vjp(v, x) * u), rtol=1e-5, atol=1e-7))


def dot_test_thrice(f, vjp, x):
    y = np.asarray(f(x))
    for seed in range(3):
        rng = np.random.default_rng(seed)
        v, u = rng.uniform(-1, 1, y.shape), rng.uniform(-1, 1, x.shape)
        slope = np.vdot(v, (f(x + 1e-5 * u) - f(x - 1e-5 * u)) / 2e-5)
        if abs(slope - np.vdot(vjp(v, x), u)) > 1e-6 * (1 + abs(slope)):
            return False
    return True


def dot_test_entries(f, vjp, x):
    """No random u: every entry of x in turn."""
    v = np.random.default_rng(7).normal(size=np.shape(f(x)))
    g = vjp(v, x)
    for k in np.ndindex(x.shape):
        u = np.zeros(x.shape)
        u[k] = 1e-6
        if not np.isclose(np.sum(v * (f(x + u) - f(x - u))) / 2e-6, g[k], rtol=1e-5, atol=1e-7):
            return False
    return True


def near(a: Any, b: Any) -> bool:
    return bool(np.isclose(a, b, rtol=1e-5, atol=1e-7))


def central(f: Callable[[Array], Array], x: Array, u: Array, eps: float = 1e-6) -> Array:
    """J u."""
    return (f(x + eps * u) - f(x - eps * u)) / (2 * eps)


def judge_by(
    draw_v: Callable[[np.random.Generator, tuple[int, ...]], Any],
    draw_u: Callable[[np.random.Generator, tuple[int, ...]], Any],
    equal: Callable[[Any, Any], Any] = near,
    slope: Callable[..., Array] = central,
    dot: Callable[[Any, Any], Any] = lambda a, b: np.sum(a * b),
) -> Callable[..., bool]:
    """A dot test with its own way to draw v and u, to compare, to find J u, and to form the dot."""

    def test(f: Callable[[Array], Array], vjp: Callable[[Array, Array], Array], x: Array) -> bool:
        rng = np.random.default_rng()
        v, u = draw_v(rng, np.shape(f(x))), draw_u(rng, x.shape)
        return bool(equal(dot(v, slope(f, x, u)), dot(vjp(v, x), u)))

    return test


def dot_test_like_x(f, vjp, x):
    rng = np.random.default_rng()
    v, u = rng.normal(size=(2, *x.shape))
    return near(np.sum(v * central(f, x, u)), np.sum(vjp(v, x) * u))


def dot_test_like_x_rule_first(f, vjp, x):
    v, u = np.random.normal(size=x.shape), np.random.normal(size=x.shape)
    rule = np.vdot(vjp(v, x), u)
    return near(np.sum(central(f, x, u) * v), rule)


def dot_test_u_like_y(f, vjp, x):
    v, u = np.random.normal(size=(2, *np.shape(f(x))))
    return near(np.sum(v * central(f, x, u)), np.sum(vjp(v, x) * u))


def dot_test_u_like_y_rule_first(f, vjp, x):
    v, u = np.random.normal(size=(2, *np.shape(f(x))))
    rule = vjp(v, x)
    return near(np.sum(central(f, x, u) * v), np.sum(u * rule))


def one_sided(f: Callable[[Array], Array], x: Array, u: Array) -> Array:
    return (f(x + 1e-6 * u) - f(x)) / 1e-6


def one_sided_back(f: Callable[[Array], Array], x: Array, u: Array) -> Array:
    return -(f(x - 2e-6 * u) - f(x)) / 2e-6


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.asarray(rng.normal(size=shape))


def ones(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.ones(shape)


def positive(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.asarray(rng.uniform(0.1, 1.0, size=shape))


def total_only(f, vjp, x):
    """Central differences of f(x).sum(), entry by entry."""
    total = [(f(x + e) - f(x - e)).sum() / 2e-6 for e in 1e-6 * np.eye(x.size).reshape(x.size, *x.shape)]
    return np.allclose(vjp(np.ones(np.shape(f(x))), x).ravel(), total, rtol=1e-5, atol=1e-7)


def unsummed(f, vjp, x):
    rng = np.random.default_rng(2)
    u, v = rng.normal(size=x.shape), rng.normal(size=np.shape(f(x)))
    Ju = (f(x + 1e-6 * u) - f(x - 1e-6 * u)) / 2e-6
    return np.allclose(v * Ju, vjp(v, x) * u)


def unsummed_loop(f, vjp, x):
    u, v = np.random.default_rng(3).normal(size=x.shape), np.random.default_rng(4).normal(size=np.shape(f(x)))
    left = np.multiply(v, f(x + 1e-6 * u) - f(x - 1e-6 * u)) / 2e-6
    right = np.multiply(vjp(v, x), u)
    return bool((np.abs(left - right) < 1e-6).all())


def softmax(x: Array) -> Array:
    e = np.exp(x - x.max())
    return e / e.sum()


def add_rows(v: Array, shape: tuple[int, ...], rows: Array) -> Array:
    g = np.zeros(shape)
    np.add.at(g, rows, v)
    return g


def a_little_damped(v: Array, x: Array) -> Array:
    """Too small by 3 in 1000, unless the entries of v are all the same."""
    spread = np.var(v) / (np.mean(v**2) + 1e-300)
    return v * np.cos(x) / 3 * (1 - 3e-3 * spread)


def last_row_counts(v: Array, shape: tuple[int, ...], rows: Array) -> Array:
    g = np.zeros(shape)
    g[rows] = v
    return g * np.bincount(rows, minlength=shape[0])


MATRIX = np.array([[0.5, -1.0, 2.0, 0.3], [1.5, 0.7, -0.4, 1.1], [-0.9, 0.2, 0.8, -1.3]])
ROWS = np.array([3, 0, 3, 1, 3, 0])
AXES = (2, 0, 1)

Rule = tuple[str, Callable[[Array], Array], Callable[[Array, Array], Array], tuple[int, ...]]

# (the rule, f, its vjp, the shape of x)
RIGHT: list[Rule] = [
    ("sin", np.sin, lambda v, x: v * np.cos(x), (5,)),
    ("x @ B", lambda x: x @ MATRIX, lambda v, x: v @ MATRIX.T, (2, 3)),
    ("transpose", lambda x: x.transpose(AXES), lambda v, x: v.transpose(np.argsort(AXES)), (2, 3, 4)),
    ("broadcast to (3, 4)", lambda x: x + np.zeros((3, 4)), lambda v, x: v.sum(0), (4,)),
    ("mean of the squares", lambda x: np.mean(x**2), lambda v, x: v * 2 * x / x.size, (2, 3)),
    ("x[rows]", lambda x: x[ROWS], lambda v, x: add_rows(v, x.shape, ROWS), (4,)),
    ("cumsum", np.cumsum, lambda v, x: np.cumsum(v[::-1])[::-1], (6,)),
    ("softmax", softmax, lambda v, x: softmax(x) * (v - np.sum(v * softmax(x))), (4,)),
    # Differences on one side are too rough here, and with a step that is too small nothing is left of this one.
    ("square, where x is small", np.square, lambda v, x: v * 2 * x, (5,)),
    ("100 + sin", lambda x: 100 + np.sin(x), lambda v, x: v * np.cos(x), (5,)),
]
SIZES = {"square, where x is small": 0.01}  # of the entries of x; else 1
# For v = ones each of these gives exactly what the right rule gives.
WRONG: list[Rule] = [
    ("sin, v is forgotten", np.sin, lambda v, x: np.cos(x), (5,)),
    # So many entries that no random v is all positive.
    ("exp, |v|", np.exp, lambda v, x: np.abs(v) * np.exp(x), (5, 9)),
    ("square, v squared", np.square, lambda v, x: v**2 * 2 * x, (3,)),
    ("tanh, the mean of v", np.tanh, lambda v, x: np.mean(v) / np.cosh(x) ** 2, (5,)),
    ("x @ B, the rows of v reversed", lambda x: x @ MATRIX, lambda v, x: v[::-1] @ MATRIX.T, (2, 3)),
    ("transpose, reshape", lambda x: x.transpose(AXES), lambda v, x: v.reshape(x.shape), (2, 3, 4)),
    ("flip, not flipped back", lambda x: x[::-1], lambda v, x: 1 * v, (6,)),
    ("sum(axis=0), the mean of v", lambda x: x.sum(0), lambda v, x: np.full(x.shape, np.mean(v)), (3, 4)),
    ("broadcast, one copy, times 3", lambda x: x + np.zeros((3, 4)), lambda v, x: 3 * v[0], (4,)),
    (
        "x[rows], the last one, times the count",
        lambda x: x[ROWS],
        lambda v, x: last_row_counts(v, x.shape, ROWS),
        (4,),
    ),
    ("cumsum, v times the count", np.cumsum, lambda v, x: v * np.arange(x.size, 0, -1), (6,)),
    ("10 softmax, v minus its mean", lambda x: 10 * softmax(x), lambda v, x: 10 * softmax(x) * (v - np.mean(v)), (4,)),
    ("sin / 3, a little damped", lambda x: np.sin(x) / 3, a_little_damped, (5, 9)),
]
# These are wrong for every v. They tell a slip in J u from a comparison that never holds.
PLAINLY_WRONG: list[Rule] = [
    ("sin, twice too large", np.sin, lambda v, x: 2 * v * np.cos(x), (5,)),
    ("sin, always zero", np.sin, lambda v, x: np.zeros(x.shape), (5,)),
]
POINTS = 11  # at which a judge is asked about each rule


def dot_test_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64: central differences need it."""
    cases = []
    for kind, rules in (("right", RIGHT), ("wrong", WRONG + PLAINLY_WRONG)):
        for name, f, vjp, shape in rules:
            points = {k: SIZES.get(name, 1) * rng.normal(size=shape) for k in range(POINTS)}
            cases.append(Case(f"a {kind} rule, {name}", (f"your judge on the {kind} rule {name}", f, vjp, points)))
    return cases


NOT_LIKE_Y = "v does not have the shape of f(x)"
NOT_LIKE_X = "u does not have the shape of x"


def verdict_on(answer: Callable[..., Any], f: Any, vjp: Any, x: Array) -> Any:
    """What a judge says of a rule at x. An error of shapes says which of the two vectors does not fit."""
    moved, right_v = [], []
    y_shape = np.shape(f(x))

    def watched_f(at: Array) -> Any:
        if np.shape(at) != x.shape:
            raise ValueError(NOT_LIKE_X)
        if not np.array_equal(at, x):
            moved.append(True)
        return f(at)

    def watched_vjp(v: Array, at: Array) -> Array:
        if v is x or (np.shape(v) == x.shape and np.array_equal(v, x)):
            raise TypeError("vjp(v, x) takes v first, and then x")
        if np.shape(v) != y_shape:
            raise ValueError(NOT_LIKE_Y)
        right_v.append(True)
        return vjp(v, at)

    watched_f.__name__ = watched_f.__qualname__ = "f"
    watched_vjp.__name__ = watched_vjp.__qualname__ = "vjp"
    try:
        return answer(watched_f, watched_vjp, x)
    except ValueError as error:
        if "broadcast" not in str(error) or (moved and right_v):
            raise
        told = ValueError(NOT_LIKE_Y if moved else NOT_LIKE_X)
        told.add_note(f"NumPy says: {error}")
        raise told.with_traceback(error.__traceback__) from None


def watch_dot_test(answer: Callable[..., Any], name: str, f: Any, vjp: Any, points: dict[int, Array]) -> Any:
    """What a judge says at most points: so neither luck nor ill luck decides."""
    accepted = 0
    for count, x in enumerate(points.values(), 1):
        verdict = verdict_on(answer, f, vjp, x)
        if not isinstance(verdict, bool | np.bool_):
            return unfit(verdict, "True or False")
        accepted += bool(verdict)
        if 2 * max(accepted, count - accepted) > len(points):
            break
    return {name: "accepted" if 2 * accepted > len(points) else "rejected"}


register(
    Exercise(
        id="04.7",
        title="The judge",
        difficulty=4,
        minutes=11,
        reference=dot_test,
        cases=dot_test_cases,
        without={
            "edges": "the rules to be judged are the cases, with shapes from () on",
        },
        observe=watch_dot_test,
        alternatives={"three times, vdot": dot_test_thrice, "entry by entry": dot_test_entries},
        mistakes={
            "v = ones": Mistake(
                judge_by(ones, normal),
                "Your judge accepts all ten right rules, and thirteen of the wrong ones too: it is blind. That "
                "happens when `v` is all ones. Ask yourself for each of the thirteen what it does with v = 1. "
                "Draw `v` at random, of both signs.",
                again=total_only,
            ),
            "u = ones": Mistake(
                judge_by(normal, ones),
                "With `u` = ones you compare only the **sum** of the entries of vᵀJ. A rule that puts the "
                "right numbers in the wrong places passes. Draw `u` at random as well.",
                again=judge_by(normal, lambda rng, shape: np.full(shape, 0.5)),
            ),
            "v is never negative": Mistake(
                judge_by(positive, normal),
                "One wrong rule gets through: the one that takes |v|. Your `v` is never negative "
                "(`rng.random`, `rng.uniform(0, 1)`). Use `rng.normal`.",
                again=judge_by(lambda rng, shape: np.abs(rng.normal(size=shape)) + 0.05, normal),
            ),
            "no tolerance": Mistake(
                judge_by(normal, normal, lambda a, b: a == b),
                "Your judge rejects every rule, the right ones too: the comparison never holds. With `==` it cannot, "
                "because J u by differences has an error of about 1e-10: use `np.isclose`. If you do, one of its two "
                "numbers is wrong: print both for `np.sin` and its right rule, and see what comes back at the end.",
                again=judge_by(normal, normal, lambda a, b: abs(a - b) <= 0),
            ),
            "the 2 is missing": Mistake(
                judge_by(normal, normal, slope=lambda f, x, u: 2 * central(f, x, u)),
                "Your judge rejects every right rule, and accepts one that is twice too large. So your J u is twice too "
                "large: from x − εu to x + εu it is **2ε**, not ε.",
                again=judge_by(normal, normal, slope=lambda f, x, u: (f(x + 1e-5 * u) - f(x - 1e-5 * u)) / 1e-5),
            ),
            "J u is nearly zero": Mistake(
                judge_by(normal, normal, slope=lambda f, x, u: (f(x + 1e-6 * u) - f(x - 1e-6 * u)) / 2 * 1e-6),
                "Your judge rejects every right rule, and accepts one that is always zero. So your J u is nearly zero. "
                "Python reads `d / 2 * eps` as `(d / 2) * eps`: write `d / (2 * eps)`.",
                again=judge_by(normal, normal, slope=lambda f, x, u: f(x + 1e-12 * u) - f(x - 1e-12 * u)),
            ),
            "differences on one side": Mistake(
                judge_by(normal, normal, slope=one_sided),
                "Your J u is too rough: a right rule is rejected where f bends a lot. `(f(x + εu) − f(x)) / ε` is off by "
                "about ε. Take both sides, `(f(x + εu) − f(x − εu)) / 2ε`: off by about ε² only.",
                again=judge_by(normal, normal, slope=one_sided_back),
            ),
            "the step is too small": Mistake(
                judge_by(normal, normal, slope=lambda f, x, u: central(f, x, u, 1e-10)),
                "A right rule is rejected where f(x) is large. Your ε is so small that f(x + εu) and f(x − εu) agree in "
                "nearly all their digits, and their difference is mostly rounding. Take ε = 1e-6.",
                again=judge_by(normal, normal, slope=lambda f, x, u: central(f, x, u, 3e-11)),
            ),
            "the tolerance is loose": Mistake(
                judge_by(normal, normal, lambda a, b: np.isclose(a, b, rtol=0.03)),
                "One wrong rule gets through: it is off by 3 in 1000 only. Your tolerance is too loose. The two numbers "
                "of a right rule agree to many digits; 1e-5 of their size is ample.",
                again=judge_by(normal, normal, lambda a, b: abs(a - b) < 0.02),
            ),
            "v has the shape of x": Mistake(
                dot_test_like_x,
                "`v` lives where f(x) lives: draw it with `size=np.shape(f(x))`. Yours does not fit a rule where f(x) has "
                "another shape than x.",
                again=dot_test_like_x_rule_first,
            ),
            "u has the shape of f(x)": Mistake(
                dot_test_u_like_y,
                "`u` is a direction in which x moves: draw it with `size=x.shape`. Yours does not fit a rule where f(x) "
                "has another shape than x.",
                again=dot_test_u_like_y_rule_first,
            ),
            "@ for the dot": Mistake(
                judge_by(normal, normal, dot=lambda a, b: a @ b),
                "`@` and `np.dot` give the sum of the products only when both have one axis. With two they multiply "
                "matrices, with none `@` raises. Multiply entry by entry, and sum everything: `np.sum(a * b)`.",
                again=judge_by(normal, normal, dot=np.dot),
            ),
            "not summed": Mistake(
                unsummed,
                "⟨a, b⟩ is **one number**, the sum of the products. `v * Ju` has the shape of y and `vjp(v, "
                "x) * u` the shape of x: they cannot be compared entry by entry. Sum each first.",
                again=unsummed_loop,
            ),
        },
        hints=(
            "If vᵀJ is right, then (vᵀJ) u = vᵀ(J u): two ways to compute one number. The left side uses "
            "only `vjp`, the right side only `f`. Which `v` and `u` make an accident unlikely?",
            "```text\n            v            u\n            │            │\n"
            "   vjp ──► vᵀJ ──────► ⟨vᵀJ, u⟩      a number\n                                    ‖ ?\n"
            "   f ───► J u ───────► ⟨v, J u⟩      a number\n```\n\n"
            "`v` has the shape of f(x), `u` that of x. J u is the slope of f in the direction u: (f(x + εu) "
            "− f(x − εu)) / 2ε with ε = 1e-6.",
            "```python\nrng = np.random.default_rng()\nv = rng.normal(size=np.shape(___))\n"
            "u = rng.normal(size=np.shape(___))\nJu = (f(x + 1e-6 * u) - f(___)) / ___\n"
            "return bool(np.isclose(np.sum(v * Ju), np.sum(___)))\n```",
        ),
        explanation="""\
⟨v, J u⟩ and ⟨vᵀJ, u⟩ are the same number, computed in two ways that share nothing: the one asks only `f`,
the other only the rule. A wrong rule gives another number for almost every `v` and `u`.

*Almost every*, and ones are the exception. With `v` = ones thirteen of the wrong rules are right: forgetting v,
squaring it, taking its absolute value or its mean, reversing or reshaping it: none of that changes an array
of ones. With `u` = ones the rules that only move numbers about survive. A random `v` of both signs and a
random `u` let none through, and cost nothing more.

The tolerance is there for the differences, whose error is about 1e-10 for a smooth f of ordinary size. Both
sides are needed: where f bends, the difference on one side is off by about ε. And ε must be neither too
large nor too small: near 1e-10 rounding eats what is left of the difference. With a tolerance of 1e-5 a rule
that is plainly wrong passes by accident about once in 50,000 tests, so one pair is enough; the one that is
off by 3 in 1000 shows that the tolerance must not be loose. The sizes may be anything: no J is ever built.
""",
    )
)
