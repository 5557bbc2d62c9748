"""Higher order: HVP, Hessian, Newton.

Exercises 09.1 to 09.8: what a second backward pass gives, what it costs, and what to do with it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import combinations, product
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)


class Watch:
    """A function that an answer is given, watched: where it is called, and how often a backward pass comes back to its input."""

    def __init__(self, f: Callable[..., Any], x: Any = None) -> None:
        self.inner = f
        self.x = None if x is None else x.detach().numpy().copy()
        self.passes = 0
        self.moved = False
        self.borrowed = False  # called by a function of the library that does the whole exercise
        self.behind: list[int] = []  # for each call, the nodes behind the input
        self.inputs: list[Any] = []

    def f(self, x: Any) -> Any:
        if self.x is not None and not np.array_equal(x.detach().numpy(), self.x):
            self.moved = True
        self.borrowed = self.borrowed or "autograd.functional" in sys._getframe(1).f_globals.get("__name__", "")
        self.behind.append(nodes_behind(x))
        if x.requires_grad and not any(x is other for other in self.inputs):
            self.inputs.append(x)
            x.register_hook(self.count)  # fires once in every backward pass that reaches x
        return self.inner(x)

    def count(self, g: Any) -> None:
        self.passes += 1

    def place(self) -> str:
        return "at other points than x" if self.moved else "at x only"


def nodes_behind(t: Any, most: int = 2000) -> int:
    """How many nodes stand behind t."""
    seen: set[Any] = set()
    todo = [t.grad_fn]
    while todo and len(seen) < most:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo.extend(child for child, _ in node.next_functions)
    return len(seen)


def in_words(passes: int, n: int) -> int | str:
    """A number of passes, where it does not grow with the number of variables."""
    return passes if passes < n else "as many as there are variables, or more"


def valley(x: Any) -> Any:
    """Neighbours are coupled, and every second derivative changes from point to point."""
    return (x[:-1] ** 2 * x[1:]).sum() + (x**4).sum() / 4


NO_GRAPH = (
    "The gradient has no graph, so it cannot be differentiated again. Take it with "
    "`mg.autograd.grad(f(x), x, create_graph=True)`, and do not `detach` it: then it remembers how it came out of `x`."
)
A_TUPLE = (
    "`mg.autograd.grad` returns a **tuple**, with one gradient for each input, also where there is one input only. Unpack it: "
    "`(g,) = mg.autograd.grad(…)`, or take `[0]`."
)
DIFFERENCES = (
    "Your function asks `f` at other points than `x`: those are differences. They lose digits, and the engine knows the "
    "second derivative exactly. Differentiate the gradient."
)


def gradient_at(f: Callable[..., Any], x: Any) -> Any:
    (g,) = mg.autograd.grad(f(x), x)
    return g


def moved_to(x: Any, step: Any) -> Any:
    return (x + step).detach().requires_grad_()


# --- 09.1 Hessian times vector ------------------------------------------------------------------------------


def hvp(f, x, v):
    """H v, the Hessian of f at x times v, from two backward passes.

    f: takes a Tensor like x, returns one of shape (). x: a leaf that requires grad, of any shape.
    v: a Tensor of the shape of x. Returns a Tensor of the shape of x.
    """
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    (Hv,) = mg.autograd.grad((g * v).sum(), x)
    return Hv


def hvp_cotangent(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g, x, grad_outputs=v)[0]


def hvp_backward(f, x, v):
    g = mg.autograd.grad(f(x), [x], create_graph=True)[0]
    x.grad = None
    g.backward(v)
    return x.grad


def hvp_all_backward(f, x, v):
    x.grad = None
    f(x).backward(create_graph=True)
    g, x.grad = x.grad, None
    (g * v).sum().backward()
    return x.grad


def hvp_fresh_leaf(f, x, v):
    z = x.detach().clone().requires_grad_()
    g = mg.autograd.grad(f(z), z, create_graph=True)[0]
    return mg.autograd.grad(mg.dot(g.reshape(-1), v.reshape(-1)), z)[0].detach()


def hvp_no_graph(f, x, v):
    (g,) = mg.autograd.grad(f(x), x)
    return mg.autograd.grad((g * v).sum(), x)[0]


def hvp_detached(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    x.grad = None
    (g.detach() * v).sum().backward()
    return x.grad


def hvp_not_summed(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g * v, x)[0]


def hvp_not_summed_backward(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    (v * g).backward()
    return x.grad


def hvp_matmul(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g @ v, x)[0]


def hvp_dot(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(mg.dot(g, v), x)[0]


def flat_hessian(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.stack([mg.autograd.grad(entry, x, retain_graph=True)[0].reshape(-1) for entry in g.reshape(-1)])


def hvp_whole(f, x, v):
    return (flat_hessian(f, x) @ v.reshape(-1)).reshape(x.shape)


def hvp_whole_rows(f, x, v):
    total = mg.zeros_like(x).detach()
    for i in range(x.numel()):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        (row,) = mg.autograd.grad(g.reshape(-1)[i], x)
        total = total + v.reshape(-1)[i] * row
    return total


def hvp_ones(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g.sum(), x)[0]


def hvp_ones_cotangent(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g, x, mg.ones_like(g))[0]


def hvp_ones_times_v(f, x, v):
    return hvp_ones(f, x, v) * v


def hvp_ones_times_v_again(f, x, v):
    return mg.mul(v, hvp_ones_cotangent(f, x, v))


def hvp_slope(f, x, v):
    (g,) = mg.autograd.grad(f(x), x)
    return (g * v).sum()


def hvp_slope_again(f, x, v):
    return mg.dot(gradient_at(f, x).reshape(-1), v.reshape(-1))


def hvp_gradient_added(f, x, v):
    x.grad = None
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad


def hvp_gradient_added_again(f, x, v):
    x.grad = None
    mg.autograd.backward(f(x), create_graph=True)
    x.grad.backward(v)
    return x.grad


def hvp_not_cleared(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    (g * v).sum().backward()
    return x.grad


def hvp_not_cleared_again(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    g.backward(v)
    return x.grad


def hvp_differences(f, x, v):
    plus, minus = moved_to(x, 1e-6 * v), moved_to(x, -1e-6 * v)
    return (gradient_at(f, plus) - gradient_at(f, minus)) / 2e-6


def hvp_differences_one_side(f, x, v):
    return (gradient_at(f, moved_to(x, 1e-6 * v)) - gradient_at(f, x)) / 1e-6


def hvp_mean(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad((g * v).mean(), x)[0]


def hvp_mean_again(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g, x, v / v.numel())[0]


def hvp_tuple(f, x, v):
    g = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad((g * v).sum(), x)[0]


def hvp_tuple_again(f, x, v):
    g = mg.autograd.grad(f(x), x, create_graph=True)
    x.grad = None
    (v * g).sum().backward()
    return x.grad


def hvp_gradient(f, x, v):
    return gradient_at(f, x)


def hvp_gradient_again(f, x, v):
    return mg.autograd.grad(f(x), [x], create_graph=True)[0].detach()


def hvp_entries(f, x, v):
    return gradient_at(f, x) * v


def hvp_entries_again(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.mul(v, g)


def hvp_number(f, x, v):
    return (v * hvp(f, x, v)).sum()


def hvp_number_again(f, x, v):
    return mg.dot(hvp_cotangent(f, x, v).reshape(-1), v.reshape(-1))


def hvp_never_cleared(f, x, v):
    f(x).backward(create_graph=True)
    (x.grad * v).sum().backward()
    return x.grad


def hvp_never_cleared_again(f, x, v):
    mg.autograd.backward(f(x), create_graph=True)
    x.grad.backward(v)
    return x.grad


def hvp_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    A, B, weights = tensor(5, 5), tensor(3, 6), tensor(2, 3)
    return [
        Case("x is a vector: 4 variables, neighbours coupled", (valley, leaf(4), tensor(4), tensor(4))),
        Case("x is a vector: f(x) = x @ A @ x, 5 variables", (lambda x: x @ A @ x, leaf(5), tensor(5), tensor(5))),
        Case(
            "x is a vector: f(x) = exp(B @ x / 4).sum(), 6 variables",
            (lambda x: mg.exp(B @ x / 4).sum(), leaf(6), tensor(6), tensor(6)),
        ),
        Case(
            "x is a table: shape (2, 3)",
            (lambda x: (weights * mg.sin(x)).sum() * (x * x).sum(), leaf(2, 3), tensor(2, 3), tensor(2, 3)),
        ),
    ]


def watch_hvp(answer: Callable[..., Any], f: Callable[..., Any], x: Any, v: Any, w: Any) -> Any:
    watch = Watch(f, x)
    first = answer(watch.f, x, v)
    if not isinstance(first, mg.Tensor):
        return unfit(first, "a Tensor of the shape of x")
    seen: dict[str, Any] = {"f is called": watch.place()}
    if watch.moved:
        return seen
    seen["backward passes"] = in_words(watch.passes, max(3, x.numel()))
    seen["H v"] = first.detach().clone()
    seen["H w, then, with the same x"] = answer(watch.f, x, w)
    seen["H v, looked at again"] = first
    seen["cost_borrowed"] = watch.borrowed  # mg.autograd.functional.hvp makes a third pass, which does not come back to x
    return seen


def hvp_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    stale = leaf(3)
    stale.grad = tensor(3)
    return [
        Case("one variable, shape (1,)", (lambda x: (x**3).sum(), leaf(1), tensor(1), tensor(1))),
        Case("one variable, shape ()", (lambda x: mg.exp(x), leaf(), tensor(), tensor())),
        Case("x.grad holds a gradient from before", (valley, stale, tensor(3), tensor(3))),
        Case("v is all zeros", (valley, leaf(3), mg.zeros(3, dtype=dtype), tensor(3))),
    ]


register(
    Exercise(
        id="09.1",
        title="Hessian times vector",
        difficulty=3,
        minutes=6,
        reference=hvp,
        without={"grad": "the statement does not say what is left in x.grad"},
        cases=hvp_cases,
        edges=hvp_edges,
        observe=watch_hvp,
        alternatives={
            "v as the cotangent": hvp_cotangent,
            "second pass by backward": hvp_backward,
            "both passes by backward": hvp_all_backward,
            "a leaf of its own": hvp_fresh_leaf,
        },
        mistakes={
            "the gradient has no graph": Mistake(hvp_no_graph, NO_GRAPH, again=hvp_detached),
            "g * v is not summed": Mistake(
                hvp_not_summed,
                "`g * v` has an entry for each variable, and a backward pass starts at **one** number. Sum it first, or give "
                "the weights as the cotangent: `mg.autograd.grad(g, x, v)`. Both are vᵀH, a VJP of the gradient.",
                again=hvp_not_summed_backward,
            ),
            "a product of matrices": Mistake(
                hvp_matmul,
                "`@` and `dot` are the sum of the products only when `x` has one axis. Here `x` is a table: multiply entry by "
                "entry and sum everything, `(g * v).sum()`.",
                again=hvp_dot,
            ),
            "the whole Hessian": Mistake(
                hvp_whole,
                "The numbers are right, but you built all of H: a pass for each variable. **Two** passes are enough, "
                "whatever the number of variables. Sum first, then differentiate: H v is the gradient of (g · v).",
                again=hvp_whole_rows,
            ),
            "row sums": Mistake(
                hvp_ones,
                "Where is `v`? The gradient of `g.sum()` is H v for v = (1, 1, …): the sums of the rows of H.",
                again=hvp_ones_cotangent,
            ),
            "v after the sum": Mistake(
                hvp_ones_times_v,
                "You differentiated `g.sum()` and multiplied by `v` afterwards. That weighs sums of whole rows. The weights "
                "must stand **inside** the sum: `(g * v).sum()`.",
                again=hvp_ones_times_v_again,
            ),
            "one derivative only": Mistake(
                hvp_slope,
                "`(g * v).sum()` is the slope of f in the direction `v`: one number, and one derivative. Take the gradient of "
                "that number, and you have H v.",
                again=hvp_slope_again,
            ),
            "the gradient is in it": Mistake(
                hvp_gradient_added,
                "You returned g + H v. The first `backward` left g in `x.grad`, and the second **added** to it. "
                "`mg.autograd.grad` returns gradients and leaves `x.grad` alone.",
                again=hvp_gradient_added_again,
            ),
            "not cleared": Mistake(
                hvp_not_cleared,
                "The first product is right. The second, with the same `x`, is both added up: `backward` adds to `x.grad`. "
                "Use `mg.autograd.grad` for the second pass too, or begin with `x.grad = None`.",
                again=hvp_not_cleared_again,
            ),
            "never cleared": Mistake(
                hvp_never_cleared,
                "Two backward passes, and both **add** to `x.grad`: first g stands there, then g + H v. When you are called again, "
                "the next g is added to that, and the sum hangs on a graph that is freed by now. `mg.autograd.grad` returns each by "
                "itself.",
                again=hvp_never_cleared_again,
            ),
            "the gradient": Mistake(
                hvp_gradient,
                "That is the gradient. Differentiate it once more: `(g * v).sum()`, with respect to `x`.",
                again=hvp_gradient_again,
            ),
            "the gradient times v": Mistake(
                hvp_entries,
                "`g * v` is a product entry by entry, of **one** derivative. H v is the gradient of its sum.",
                again=hvp_entries_again,
            ),
            "a number": Mistake(
                hvp_number,
                "vᵀH v is one number: the bend of f along `v`. Leave the last product away, and H v is there.",
                again=hvp_number_again,
            ),
            "mean": Mistake(
                hvp_mean,
                "Too small, by the number of variables: `mean` divides by it. H v is the gradient of the plain sum.",
                again=hvp_mean_again,
            ),
            "a tuple": Mistake(hvp_tuple, A_TUPLE, again=hvp_tuple_again),
            "differences": Mistake(hvp_differences, DIFFERENCES, again=hvp_differences_one_side),
        },
        hints=(
            "H is the Jacobian of the gradient. You know from chapter 04 how to get vᵀJ of any function with one pass, without "
            "building J. And H is symmetric, so vᵀH and H v are the same numbers.",
            "```text\n       pass 1              · v              pass 2\n"
            "f(x) ────────► g ────────────► g · v ────────► H v\n"
            "               (n numbers)     (one number)    (n numbers)\n```\n\nThe second pass goes back through the first. "
            "So the first must leave a graph.",
            "```python\n(g,) = mg.autograd.grad(f(x), x, ___=True)\n(Hv,) = mg.autograd.grad((___).sum(), x)\nreturn Hv\n```",
        ),
        explanation="""\
The number g · v = Σᵢ gᵢ vᵢ has the derivative Σᵢ vᵢ ∂gᵢ/∂xⱼ = Σᵢ vᵢ Hᵢⱼ. That is entry j of vᵀH, and since H is
symmetric, of H v.

`create_graph=True` makes the first pass write its own operations into a graph, so g knows how it came out of
`x`. The second pass needs no such thing, because nobody differentiates its result.

`mg.autograd.grad(g, x, v)` is the same without the sum: a VJP of the gradient with the cotangent `v`.

Two passes, for three variables or three million: H itself would have 9 · 10¹² entries.
""",
    )
)


# --- 09.2 The whole Hessian ---------------------------------------------------------------------------------


def hessian(f, x):
    """The Hessian of f at x.

    f: takes a Tensor of shape (n,), returns one of shape (). x: a leaf of shape (n,) that requires grad.
    Returns a Tensor of shape (n, n).
    """
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = [mg.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(len(x))]
    return mg.stack(rows)


def hessian_filled(f, x):
    H = mg.zeros(len(x), len(x), dtype=x.dtype)
    g = mg.autograd.grad(f(x), x, create_graph=True)[0]
    for i in range(len(x)):
        H[i] = mg.autograd.grad(g[i], x, create_graph=True)[0].detach()
    return H


def hessian_one_hot(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    columns = [mg.autograd.grad(g, x, e, retain_graph=True)[0] for e in mg.eye(len(x), dtype=x.dtype)]
    return mg.stack(columns, 1)


def hessian_backward(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for entry in g:
        x.grad = None
        entry.backward(retain_graph=True)
        rows.append(x.grad.tolist())
    return mg.tensor(rows, dtype=x.dtype)


def hessian_each_anew(f, x):
    rows = []
    for i in range(len(x)):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        rows.append(mg.autograd.grad(g[i], x)[0])
    return mg.stack(rows)


def hessian_by_products(f, x):
    return mg.stack([hvp(f, x, e) for e in mg.eye(len(x), dtype=x.dtype)])


def hessian_freed(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.stack([mg.autograd.grad(g[i], x)[0] for i in range(len(x))])


def hessian_freed_backward(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for entry in g:
        x.grad = None
        entry.backward()
        rows.append(x.grad)
    return mg.stack(rows)


def hessian_no_graph(f, x):
    (g,) = mg.autograd.grad(f(x), x)
    return mg.stack([mg.autograd.grad(g[i], x, retain_graph=True)[0] for i in range(len(x))])


def hessian_detached(f, x):
    g = mg.autograd.grad(f(x), x, create_graph=True)[0].detach()
    return mg.stack([mg.autograd.grad(entry, x)[0] for entry in g])


def row_sums(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g.sum(), x)[0]


def row_sums_backward(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    x.grad = None
    g.backward(mg.ones_like(g))
    return x.grad


def hessian_not_cleared(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for entry in g:
        entry.backward(retain_graph=True)
        rows.append(x.grad.clone())
    return mg.stack(rows)


def hessian_not_cleared_again(f, x):
    return mg.stack([sum(hessian(f, x)[: i + 1]) for i in range(len(x))])


def hessian_one_object(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for entry in g:
        entry.backward(retain_graph=True)
        rows.append(x.grad)
    return mg.stack(rows)


def hessian_one_object_again(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    rows = []
    for i in range(len(x)):
        mg.autograd.backward(g[i], retain_graph=True)
        rows += [x.grad]
    return mg.stack(rows, 0)


def hessian_differences(f, x):
    step = 1e-6 * mg.eye(len(x), dtype=x.dtype)
    return mg.stack([(gradient_at(f, moved_to(x, e)) - gradient_at(f, moved_to(x, -e))) / 2e-6 for e in step])


def hessian_differences_one_side(f, x):
    step = 1e-5 * mg.eye(len(x), dtype=x.dtype)
    return mg.stack([(gradient_at(f, moved_to(x, e)) - gradient_at(f, x)) / 1e-5 for e in step])


def hessian_tuples(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.stack([mg.autograd.grad(entry, x, retain_graph=True) for entry in g])


def hessian_tuples_again(f, x):
    g = mg.autograd.grad(f(x), x, create_graph=True)[0]
    rows = []
    for i in range(len(x)):
        rows.append(mg.autograd.grad([g[i]], [x], retain_graph=True))
    return mg.stack(rows, dim=0)


def hessian_flat(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.cat([mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in g])


def hessian_flat_again(f, x):
    return hessian(f, x).reshape(-1)


def hessian_cut_late(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.stack([mg.stack([mg.autograd.grad(e, x[i], retain_graph=True)[0] for i in range(len(x))]) for e in g])


def hessian_cut_late_again(f, x):
    H = mg.zeros(len(x), len(x), dtype=x.dtype)
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    for i in range(len(x)):
        for j in range(len(x)):
            (H[i, j],) = mg.autograd.grad(g[i], x[j], retain_graph=True)
    return H


def hessian_one_row(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(g[0], x)[0]


def hessian_one_row_again(f, x):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    for entry in g:
        return mg.autograd.grad(entry, x, retain_graph=True)[0]


def hessian_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    A, B = tensor(3, 3), tensor(2, 5)
    return [
        Case("4 variables, neighbours coupled", (valley, leaf(4))),
        Case("f(x) = exp(x[0]) * x @ A @ x, 3 variables", (lambda x: mg.exp(x[0]) * (x @ A @ x), leaf(3))),
        Case("f(x) = sin(B @ x).sum(), 5 variables", (lambda x: mg.sin(B @ x).sum(), leaf(5))),
        Case("f(x) = x[0] ** 3 * x[1], 2 variables", (lambda x: x[0] ** 3 * x[1], leaf(2))),
    ]


def watch_hessian(answer: Callable[..., Any], f: Callable[..., Any], x: Any) -> Any:
    watch = Watch(f, x)
    H = answer(watch.f, x)
    if not isinstance(H, mg.Tensor):
        return unfit(H, "a Tensor of shape (n, n)")
    seen: dict[str, Any] = {"f is called": watch.place()}
    return seen if watch.moved else seen | {"H": H, "cost_passes": watch.passes}


def hessian_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    stale = random_tensor(rng, dtype, 3, leaf=True)
    stale.grad = random_tensor(rng, dtype, 3)
    return [
        Case("one variable", (lambda x: (x**3).sum(), random_tensor(rng, dtype, 1, leaf=True))),
        Case("variables that do not meet, 3 of them", (lambda x: (x**4).sum(), random_tensor(rng, dtype, 3, leaf=True))),
        Case("x.grad holds a gradient from before", (valley, stale)),
    ]


register(
    Exercise(
        id="09.2",
        title="The whole Hessian",
        difficulty=3,
        minutes=6,
        reference=hessian,
        without={"grad": "the statement does not say what is left in x.grad"},
        cases=hessian_cases,
        musts={
            "dtype": "H must have the dtype of x: `mg.zeros` without `dtype=` holds float32.",
        },
        edges=hessian_edges,
        observe=watch_hessian,
        alternatives={
            "filled row by row": hessian_filled,
            "one-hot cotangents": hessian_one_hot,
            "rows by backward": hessian_backward,
        },
        wasteful={
            "the gradient anew for each row": Mistake(
                hessian_each_anew,
                "You took 2n passes: the gradient is computed anew for each row. Once is enough, with "
                "`retain_graph=True` for the rows. That makes n + 1.",
                again=hessian_by_products,
            ),
        },
        mistakes={
            "no retain_graph": Mistake(
                hessian_freed,
                "The first row came, and freed the graph of `g` behind it. The second row needs the same graph. Keep it for "
                "all rows: `retain_graph=True`.",
                again=hessian_freed_backward,
            ),
            "the gradient has no graph": Mistake(hessian_no_graph, NO_GRAPH, again=hessian_detached),
            "row sums as the diagonal": Mistake(
                lambda f, x: mg.diag(row_sums(f, x)),
                "The gradient of `g.sum()` is not the diagonal: entry i is Hᵢ₁ + Hᵢ₂ + …, the sum of row i. The two agree "
                "only where the variables do not meet. And the rest of H is not zero.",
                again=lambda f, x: mg.eye(len(x), dtype=x.dtype) * row_sums_backward(f, x),
            ),
            "row sums": Mistake(
                row_sums,
                "That is H times (1, 1, …): one number for each row, its sum. H has n rows of n numbers, and each row takes a "
                "pass of its own: the gradient of `g[i]`.",
                again=row_sums_backward,
            ),
            "the diagonal only": Mistake(
                lambda f, x: mg.diag(mg.diag(hessian(f, x))),
                "Your diagonal is right, and the rest is zero. You threw away most of each row: the gradient of `g[i]` is all "
                "of row i.",
                again=lambda f, x: hessian(f, x) * mg.eye(len(x), dtype=x.dtype),
            ),
            "products of slopes": Mistake(
                lambda f, x: mg.outer(gradient_at(f, x), gradient_at(f, x)),
                "`g[i] * g[j]` is a product of two first derivatives. A second derivative is the derivative **of** a "
                "derivative: of `g[i]`, with respect to `x[j]`.",
                again=lambda f, x: gradient_at(f, x)[:, None] * gradient_at(f, x)[None, :],
            ),
            "not cleared": Mistake(
                hessian_not_cleared,
                "Row 0 is right, row 1 is rows 0 and 1 added, and so on: `backward` adds to `x.grad`. Use "
                "`mg.autograd.grad`, or clear `x.grad` before each row.",
                again=hessian_not_cleared_again,
            ),
            "one object": Mistake(
                hessian_one_object,
                "All your rows are the same: the sum of all rows. `x.grad` is **one** Tensor, and each `backward` adds to it, "
                "also to the rows that you have put aside. `mg.autograd.grad` returns a new Tensor each time.",
                again=hessian_one_object_again,
            ),
            "one row": Mistake(
                hessian_one_row,
                "That is row 0 alone. Does a `return` stand inside the loop? H has a row for each entry of `g`.",
                again=hessian_one_row_again,
            ),
            "one long row": Mistake(
                hessian_flat,
                "`mg.cat` lays the rows end to end: n² numbers in one row. `mg.stack` lays them one below the other.",
                again=hessian_flat_again,
            ),
            "the gradient": Mistake(
                gradient_at,
                "That is the gradient, the Jacobian of f. H is the Jacobian of the **gradient**: differentiate each `g[i]` once more.",
                again=lambda f, x: mg.autograd.functional.jacobian(f, x),
            ),
            "cut too late": Mistake(
                hessian_cut_late,
                "`x[i]`, written here, is a new tensor, and `g` was not computed from it (chapter 08). Differentiate with respect to "
                "`x`, all of it: that gives the whole row at once.",
                again=hessian_cut_late_again,
            ),
            "tuples": Mistake(hessian_tuples, A_TUPLE, again=hessian_tuples_again),
            "differences": Mistake(hessian_differences, DIFFERENCES, again=hessian_differences_one_side),
        },
        hints=(
            "H is the Jacobian of the gradient, so it comes row by row, as every Jacobian does. Row i is the gradient of "
            "`g[i]`. How often must the graph of `g` be walked?",
            "```text\n        ┌─ g[0] ──► row 0\nx ──► g ─┼─ g[1] ──► row 1      n passes through one and the same graph\n"
            "        └─ g[2] ──► row 2\n```\n\nA pass frees the graph behind it, unless you ask it not to.",
            "```python\n(g,) = mg.autograd.grad(f(x), x, create_graph=True)\n"
            "rows = [mg.autograd.grad(g[i], x, ___=True)[0] for i in range(len(x))]\nreturn mg.___(rows)\n```",
        ),
        explanation="""\
Row i of H is the gradient of `g[i]`: one pass for each variable, after the one that made `g`. All n passes go
through the same graph, so `retain_graph=True` keeps it.

The result is symmetric, because ∂²f/∂xᵢ∂xⱼ does not care which derivative was taken first. That is a good test of
your own: `mg.allclose(H, H.T)`.

`mg.autograd.grad(g.sum(), x)` takes one pass and gives one number for each variable. It is tempting to read it as
the diagonal. It is H times ones, the sums of the rows: for f = x₀·x₁ it is (1, 1), and the diagonal is (0, 0).
""",
    )
)


# --- 09.3 The diagonal, cheaply -----------------------------------------------------------------------------


def diagonal(f, x, draws):
    """An estimate of the diagonal of the Hessian of f at x: the mean of v * (H v) over random vectors v of signs.

    f: takes a Tensor of shape (n,), returns one of shape (). x: a leaf of shape (n,) that requires grad.
    draws: how many vectors v are drawn; each takes one product H v. Returns a Tensor of shape (n,).
    """
    total = mg.zeros(len(x), dtype=x.dtype)
    for _ in range(draws):
        v = mg.sign(mg.randn(len(x), dtype=x.dtype))
        total = total + v * hvp(f, x, v)
    return total / draws


def diagonal_one_graph(f, x, draws):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    terms = []
    for _ in range(draws):
        v = 2.0 * mg.randint(0, 2, (len(x),)).to(x.dtype) - 1
        terms.append(v * mg.autograd.grad(g, x, v, retain_graph=True)[0])
    return mg.stack(terms).mean(0)


def diagonal_numpy(f, x, draws):
    rng = np.random.default_rng()
    found = 0
    for signs in rng.choice([-1.0, 1.0], size=(draws, len(x))):
        v = mg.tensor(signs, dtype=x.dtype)
        found = found + v * hvp_cotangent(f, x, v) / draws
    return found


def diagonal_where(f, x, draws):
    total = 0
    for _ in range(draws):
        v = mg.where(mg.rand(len(x)) < 0.5, -1.0, 1.0).to(x.dtype)
        total += hvp(f, x, v) * v
    return total / draws


def signs(x: Any) -> Any:
    return mg.sign(mg.randn(len(x), dtype=x.dtype))


def diagonal_by(draw: Callable[[Any], Any], term: Callable[..., Any] = lambda v, Hv: v * Hv) -> Callable[..., Any]:
    """The estimate with another v, or another use of it."""

    def estimate(f, x, draws):
        return sum(term(v, hvp(f, x, v)) for v in (draw(x) for _ in range(draws))) / draws

    return estimate


def diagonal_no_mean(f, x, draws):
    return sum(v * hvp(f, x, v) for v in (signs(x) for _ in range(draws)))


def diagonal_no_mean_again(f, x, draws):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    total = mg.zeros(len(x), dtype=x.dtype)
    for _ in range(draws):
        v = signs(x)
        total += v * mg.autograd.grad(g, x, v, retain_graph=True)[0]
    return total


def diagonal_one_v(f, x, draws):
    v = signs(x)
    return sum(v * hvp(f, x, v) for _ in range(draws)) / draws


def diagonal_draws_ignored(f, x, draws):
    v = 2 * (mg.rand(len(x)) < 0.5).to(x.dtype) - 1
    return v * hvp(f, x, v)


def diagonal_seeded(f, x, draws):
    rng = np.random.default_rng(0)
    vs = mg.tensor(np.sign(rng.normal(size=(draws, len(x)))), dtype=x.dtype)
    return sum(v * hvp(f, x, v) for v in vs) / draws


def diagonal_seeded_again(f, x, draws):
    mg.manual_seed(1)
    return diagonal_where(f, x, draws)


def diagonal_no_graph(f, x, draws):
    return sum(v * hvp_no_graph(f, x, v) for v in (signs(x) for _ in range(draws))) / draws


def diagonal_detached(f, x, draws):
    v = signs(x)
    return v * hvp_detached(f, x, v)


def diagonal_returns_early(f, x, draws):
    total = mg.zeros(len(x), dtype=x.dtype)
    for _ in range(draws):
        v = signs(x)
        total = total + v * hvp(f, x, v)
        return total / draws


def diagonal_overwritten(f, x, draws):
    for _ in range(draws):
        v = signs(x)
        found = v * hvp(f, x, v)
    return found / draws


def diagonal_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5, size=n), dtype=dtype, requires_grad=True)

    def coupled(n: int) -> Callable[..., Any]:
        """All off-diagonal entries are positive, so the sums of the rows are far from the diagonal, and that is far from 0."""
        A = mg.tensor(rng.uniform(0.5, 1.5, size=(n, n)), dtype=dtype)
        return lambda x: x @ A @ x + 3 * (x**3).sum()

    a = mg.tensor(rng.uniform(0.5, 1.5, size=5), dtype=dtype)
    return [
        Case("one draw: variables that do not meet", ("alone", lambda x: mg.exp(a * x).sum(), leaf(5), 1)),
        Case("one draw: variables that meet", ("one", coupled(6), leaf(6), 1)),
        Case("36 draws: variables that meet", ("many", coupled(6), leaf(6), 36)),
    ]


REPEATS = 8  # calls with one draw each: enough that luck decides nothing
DIAGONAL, ROW_SUMS, AFAR = "the diagonal", "the sums of the rows of H", "none of these"


FAIR = 60  # draws by which the signs are judged


def of_signs(estimate: Callable[[], Any], n: int) -> str:
    """Whether each sign comes as often as its contrary, beside each other sign, and whatever two others are.

    A mean of FAIR fair signs is further from 0 than 6 standard deviations in less than one of 10⁹ trials.
    """
    ways = list(product((1.0, -1.0), repeat=n - 1))
    sums = np.array([sum(2**k * sign for k, sign in enumerate(way)) for way in ways])
    drawn = []
    for _ in range(FAIR):
        gaps = abs(sums - estimate().detach().numpy()[0])
        if gaps.min() > 1e-3:
            return "not +1 and -1 alone"
        drawn.append(ways[int(gaps.argmin())])
    signs = np.array(drawn)
    chosen = [list(c) for size in range(1, n) for c in combinations(range(n - 1), size)]
    if any(abs(signs[:, columns].prod(1).mean()) > 6 / np.sqrt(len(signs)) for columns in chosen):
        return "not each with equal chance, whatever the others are"
    return "fair"


MANY = 4000  # signs in one draw


def of_balance(estimate: Any) -> str:
    """Whether +1 comes as often as -1, where H is all ones: there the sum of v * (H v) is the square of the sum of v.

    The sum of MANY fair signs is further from 0 than 6 standard deviations in less than one of 10⁸ trials.
    """
    return "fair" if estimate.sum().item() < 36 * MANY else "one comes more often than the other"


def watch_diagonal(answer: Callable[..., Any], kind: str, f: Callable[..., Any], x: Any, draws: int) -> Any:
    watch = Watch(f, x)
    estimate = answer(watch.f, x, draws)
    if not isinstance(estimate, mg.Tensor):
        return unfit(estimate, "a Tensor of shape (n,)")
    seen: dict[str, Any] = {"f is called": watch.place(), "shape of the estimate": str(tuple(estimate.shape))}
    if watch.moved or estimate.shape != x.shape:
        return seen
    if kind == "balance":
        dear = watch.passes >= len(x)  # then so many variables would take too long
        return seen | {"the signs": "not seen" if dear else of_balance(answer(f, mg.ones(MANY, dtype=x.dtype, requires_grad=True), 1))}
    H = hessian(f, x).detach().numpy()
    if kind == "fair":
        return seen | {"the signs": of_signs(lambda: answer(f, x, draws), len(x))}
    if kind == "many":
        return seen | {"the estimate from 36 draws": of_many(estimate.detach().numpy(), H, draws)}
    seen["backward passes for one draw"] = in_words(watch.passes, len(x))
    estimates = [estimate, *(answer(f, x, draws) for _ in range(REPEATS - 1))]
    found = np.stack([e.detach().numpy() for e in estimates])
    return seen | {f"{REPEATS} estimates from one draw each": of_alone(found, H) if kind == "alone" else of_one(found, H)}


def of_alone(found: np.ndarray, H: np.ndarray) -> str:
    """In words: estimates where H is diagonal, so that each is v² times the diagonal."""
    ratio = found / np.diag(H)
    if np.allclose(ratio, 1, atol=1e-3):
        return DIAGONAL
    if np.allclose(ratio * len(H), 1, atol=1e-3):
        return "the diagonal, divided by n"
    if np.allclose(np.abs(ratio), 1, atol=1e-3):
        return "the diagonal, with some of its signs turned"
    return "the diagonal, each entry times some square" if np.all(ratio >= 0) else AFAR


def of_one(found: np.ndarray, H: np.ndarray) -> str:
    """In words: estimates where H is not diagonal. Each must be v * (H v) for one of the vectors of signs."""

    def all_are(what: np.ndarray) -> bool:
        return np.allclose(found, what, atol=1e-3 * np.abs(H).max())

    if all_are(np.diag(H)):
        return DIAGONAL
    if all_are(H.sum(1)):
        return ROW_SUMS
    if not all(is_one_draw(e, H) for e in found):
        return AFAR
    return "always the same" if all_are(found[:1]) else "each v * (H v), for vectors v of signs"


def of_many(estimate: np.ndarray, H: np.ndarray, draws: int) -> str:
    """In words: an estimate from many draws, to six standard deviations."""
    if is_one_draw(estimate, H):
        return "no better than from one draw"
    if is_one_draw(estimate * draws, H):
        return "one draw, divided by 36"
    allowed = 6 * np.sqrt((H**2).sum(1) - np.diag(H) ** 2) / np.sqrt(draws)
    factors = {1: "close to the diagonal", draws / len(H): "6 times the diagonal", draws: "36 times the diagonal"}
    for factor, words in factors.items():
        if np.all(np.abs(estimate / factor - np.diag(H)) <= allowed):
            return words
    return "far from the diagonal"


def is_one_draw(estimate: np.ndarray, H: np.ndarray) -> bool:
    every = (np.array(v) for v in product([-1.0, 1.0], repeat=len(H)))
    return any(np.allclose(estimate, v * (H @ v), atol=1e-3 * np.abs(H).max()) for v in every)


NOT_SIGNS = (
    "Your `v` does not hold signs. One term is vᵢ² Hᵢᵢ + Σⱼ vᵢ vⱼ Hᵢⱼ. With entries +1 and −1 the square is exactly 1. Numbers "
    "between 0 and 1 give a bias; normal ones are right on average and add noise of their own. Draw signs: "
    "`mg.sign(mg.randn(n))`."
)
SAME_V = (
    "With 36 draws your estimate is as rough as with one. Is `v` drawn once, before the loop? Draw a new one for each product, "
    "then the errors cancel."
)

def diagonal_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5, size=n), dtype=dtype, requires_grad=True)

    def met(x: Any) -> Any:
        """Entry 0 of v * (H v) tells which entries of v have the sign of the first."""
        return sum(2**k * x[0] * other for k, other in enumerate(x[1:]))

    return [
        Case("fair: two variables", ("fair", met, leaf(2), 1)),
        Case("fair: four variables", ("fair", met, leaf(4), 1)),
        Case("fair: many variables", ("balance", lambda x: x.sum() ** 2 / 2, leaf(20), 1)),
        Case("one variable", ("alone", lambda x: (x**3).sum(), leaf(1), 1)),
    ]


register(
    Exercise(
        id="09.3",
        title="The diagonal, cheaply",
        difficulty=4,
        minutes=7,
        reference=diagonal,
        cases=diagonal_cases,
        edges=diagonal_edges,
        observe=watch_diagonal,
        alternatives={
            "one graph for all draws": diagonal_one_graph,
            "signs from NumPy": diagonal_numpy,
            "signs by where": diagonal_where,
        },
        mistakes={
            "no signs": Mistake(
                diagonal_by(lambda x: mg.randn(len(x), dtype=x.dtype)),
                NOT_SIGNS,
                again=diagonal_by(lambda x: mg.rand(len(x), dtype=x.dtype)),
            ),
            "v stands once": Mistake(
                diagonal_by(signs, lambda v, Hv: Hv),
                "You averaged H v, or you multiplied it by another draw than `v`. The mean of that is zero: each entry is as often +1 "
                "as −1. Multiply by **the same** `v` once "
                "more, entry by entry. Then Hᵢᵢ meets vᵢ², which is always 1, and the others meet vᵢ vⱼ, which cancels.",
                again=lambda f, x, draws: mg.stack([hvp_cotangent(f, x, signs(x)) for _ in range(draws)]).mean(0),
            ),
            "one v for all draws": Mistake(diagonal_one_v, SAME_V, again=diagonal_draws_ignored),
            "one draw, divided by all": Mistake(
                diagonal_returns_early,
                "What you return is **one** draw, divided by 36. Either the sum is overwritten in each round, `total = …` in place of "
                "`total = total + …`, or `return` stands inside the loop.",
                again=diagonal_overwritten,
            ),
            "divided by n": Mistake(
                lambda f, x, draws: diagonal_no_mean(f, x, draws) / len(x),
                "You divided by the number of variables. The mean is over the draws: divide by `draws`.",
                again=lambda f, x, draws: diagonal_one_graph(f, x, draws) * draws / len(x),
            ),
            "v is ones": Mistake(
                diagonal_by(lambda x: mg.ones(len(x), dtype=x.dtype)),
                "Your `v` is all ones, so you return the sums of the rows. What lies beside the diagonal cancels only if "
                "each entry of `v` is +1 or −1 with equal chance, and independent of the others.",
                again=lambda f, x, draws: row_sums(f, x),
            ),
            "the sum, not the mean": Mistake(
                diagonal_no_mean,
                "With 36 draws your estimate is 36 times too large: divide the sum by `draws`.",
                again=diagonal_no_mean_again,
            ),
            "summed over the entries": Mistake(
                diagonal_by(signs, lambda v, Hv: (v * Hv).sum()),
                "You summed over the entries as well. `(v * Hv).sum()` estimates the **trace**, the sum of the diagonal. Leave "
                "the sum away, and each entry of the diagonal stays by itself.",
                again=diagonal_by(signs, lambda v, Hv: mg.dot(v, Hv)),
            ),
            "the whole Hessian": Mistake(
                lambda f, x, draws: mg.diag(hessian(f, x)),
                "The diagonal, and exactly. But it took a pass for each variable. What is asked for is an estimate from "
                "`draws` products H v, two passes each, however many variables there are.",
                again=lambda f, x, draws: mg.stack([row[i] for i, row in enumerate(hessian_each_anew(f, x))]),
            ),
            "a seed inside": Mistake(
                diagonal_seeded,
                "Every call gives the same estimate: the seed is set inside your function. Who calls it twice to average "
                "learns nothing new. Leave seeds to the caller.",
                again=diagonal_seeded_again,
            ),
            "the gradient has no graph": Mistake(diagonal_no_graph, NO_GRAPH, again=diagonal_detached),
        },
        hints=(
            "Entry i of v * (H v) is vᵢ² Hᵢᵢ + Σⱼ vᵢ vⱼ Hᵢⱼ, the sum over all j other than i. Draw every entry of `v` as +1 or −1 "
            "by the toss of a coin. What is vᵢ² then? What is vᵢ vⱼ on average?",
            "```text\n v = (+1 −1 +1)                          H v          v * (H v)\n"
            "┌ H₀₀ H₀₁ H₀₂ ┐        row 0:  H₀₀ − H₀₁ + H₀₂ ──► H₀₀ − H₀₁ + H₀₂\n"
            "│ H₁₀ H₁₁ H₁₂ │        row 1:  H₁₀ − H₁₁ + H₁₂ ──► H₁₁ − H₁₀ − H₁₂\n"
            "└ H₂₀ H₂₁ H₂₂ ┘        row 2:  H₂₀ − H₂₁ + H₂₂ ──► H₂₂ + H₂₀ − H₂₁\n```\n\n"
            "The diagonal always comes with a plus. The others have signs that change from draw to draw.",
            "```python\ntotal = mg.zeros(len(x), dtype=x.dtype)\nfor _ in range(draws):\n    v = mg.sign(mg.randn(___))\n"
            "    total = total + ___ * hvp(f, x, v)\nreturn total / ___\n```",
        ),
        explanation="""\
Entry i of v * (H v) is vᵢ² Hᵢᵢ + Σⱼ≠ᵢ vᵢ vⱼ Hᵢⱼ. With random signs vᵢ² is always 1, and vᵢ vⱼ is +1 as often as −1. So on
average only the diagonal is left; the estimate is *unbiased*. This is Hutchinson's trick.

What is left of the others shrinks slowly: the standard deviation of entry i is √(Σⱼ≠ᵢ Hᵢⱼ² / draws). Four times the
draws halve it. Where the variables do not meet there is nothing to cancel, and one draw is exact.

Normal numbers have vᵢ² = 1 only on average, so they add noise of their own: 2 Hᵢᵢ² under the root.

Optimizers that scale each weight by its own curvature use just this. For a network with a million weights the exact
diagonal takes a million passes, and ten draws take twenty.
""",
    )
)


# --- 09.4 Newton --------------------------------------------------------------------------------------------


def newton(f, x0, k):
    """The point after k steps of Newton's method from x0. Each step is x - p, where H p = g at x.

    f: takes a Tensor of shape (n,), returns one of shape (). x0: a Tensor of shape (n,), not changed.
    Returns a Tensor of shape (n,) that has no graph.
    """
    x = x0.detach()
    for _ in range(k):
        x = x.clone().requires_grad_()
        (g,) = mg.autograd.grad(f(x), x)
        x = (x - mg.linalg.solve(hessian(f, x), g)).detach()
    return x


def newton_inverse(f, x0, k):
    x = x0.clone()
    for _ in range(k):
        x = x.detach().requires_grad_(True)
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        H = mg.stack([mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in g])
        x = x.detach() - mg.linalg.inv(H) @ g.detach()
    return x.detach()


def newton_in_place(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        g = gradient_at(f, x)
        p = mg.linalg.solve(hessian(f, x), g)
        with mg.no_grad():
            x -= p
    return x.detach()


def newton_functional(f, x0, k):
    x = x0
    for _ in range(k):
        leaf = x.clone().requires_grad_()
        f(leaf).backward()
        x = x - mg.linalg.solve(mg.autograd.functional.hessian(f, x), leaf.grad)
    return x


def newton_numpy(f, x0, k):
    x = mg.tensor(x0.numpy(), requires_grad=True)
    for _ in range(k):
        H, g = hessian(f, x).detach().numpy(), gradient_at(f, x).numpy()
        x = mg.tensor(x.detach().numpy() - np.linalg.solve(H, g), requires_grad=True)
    return x


def newton_recursive(f, x0, k):
    if k == 0:
        return x0.detach()
    x = x0.detach().clone().requires_grad_()
    return newton_recursive(f, x - mg.linalg.solve(hessian(f, x), gradient_at(f, x)), k - 1)


def newton_by(step: Callable[..., Any]) -> Callable[..., Any]:
    """k steps by another rule: step(f, x, g, H) is what is added."""

    def walk(f, x0, k):
        x = x0.detach().clone()
        for _ in range(k):
            x = x.requires_grad_()
            x = (x + step(f, x, gradient_at(f, x), hessian(f, x))).detach()
        return x

    return walk


def newton_no_leaf(f, x0, k):
    x = x0.clone()
    for _ in range(k):
        x = (x - mg.linalg.solve(hessian(f, x), gradient_at(f, x))).detach()
    return x


def newton_no_leaf_again(f, x0, k):
    x = x0
    for _ in range(k):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        x = x - mg.linalg.inv(hessian(f, x)) @ g
    return x.detach()


def newton_leaf_once(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        x = (x - mg.linalg.solve(hessian(f, x), gradient_at(f, x))).detach()
    return x


def newton_leaf_once_again(f, x0, k):
    x = x0.detach().clone().requires_grad_(True)
    for _ in range(k):
        g = gradient_at(f, x)
        with mg.no_grad():
            p = mg.linalg.inv(mg.autograd.functional.hessian(f, x)) @ g
            x = x - p
    return x


def newton_leaf_in_place(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        x -= mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    return x.detach()


def newton_leaf_in_place_again(f, x0, k):
    x = x0.detach().clone().requires_grad_()
    for _ in range(k):
        H = mg.autograd.functional.hessian(f, x)
        x.sub_(mg.linalg.inv(H) @ gradient_at(f, x))
    return x.detach()


def newton_undetached(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        x = x - mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    return x


def newton_undetached_graph(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        x = x - mg.linalg.inv(hessian(f, x)) @ g
    return x


def newton_detached_late(f, x0, k):
    return newton_undetached(f, x0, k).detach()


def newton_detached_late_again(f, x0, k):
    return mg.tensor(newton_undetached_graph(f, x0, k).tolist(), dtype=x0.dtype)


def newton_leaf_made(f, x0, k):
    x = x0.requires_grad_()
    return newton(f, x, k)


def newton_leaf_made_again(f, x0, k):
    x0.requires_grad = True
    return newton_inverse(f, x0, k)


def newton_x0_written(f, x0, k):
    x = x0.detach().requires_grad_()
    for _ in range(k):
        p = mg.linalg.solve(hessian(f, x), gradient_at(f, x))
        with mg.no_grad():
            x -= p
    return x.detach()


def newton_x0_written_again(f, x0, k):
    for _ in range(k):
        x = x0.clone().requires_grad_()
        x0 -= mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    return x0


def newton_first_hessian(f, x0, k):
    x = x0.clone().requires_grad_()
    H = hessian(f, x)
    for _ in range(k):
        x = (x - mg.linalg.solve(H, gradient_at(f, x))).detach().requires_grad_()
    return x


def newton_first_hessian_again(f, x0, k):
    inverse = mg.linalg.inv(mg.autograd.functional.hessian(f, x0))
    return newton_by(lambda f, x, g, H: -(inverse @ g))(f, x0, k)


def newton_first_step_again(f, x0, k):
    x = x0.clone().requires_grad_()
    p = mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    for _ in range(k):
        x = x - p
    return x.detach()


def newton_first_step_again_too(f, x0, k):
    leaf = x0.detach().clone().requires_grad_()
    return x0 - k * (mg.linalg.inv(hessian(f, leaf)) @ gradient_at(f, leaf))


def newton_once(f, x0, k):
    return newton(f, x0, min(k, 1))


def newton_returned_early(f, x0, k):
    x = x0.detach()
    for _ in range(k):
        x = x.clone().requires_grad_()
        p = mg.linalg.solve(hessian(f, x), gradient_at(f, x))
        x = (x - p).detach()
        return x
    return x


def newton_last_graph(f, x0, k):
    x = x0.clone()
    for _ in range(k):
        x = x.detach().requires_grad_()
        x = x - mg.linalg.solve(hessian(f, x), gradient_at(f, x))
    return x


def newton_last_graph_again(f, x0, k):
    x = mg.tensor(x0.tolist(), dtype=x0.dtype)
    for _ in range(k):
        leaf = x.detach().clone().requires_grad_()
        (g,) = mg.autograd.grad(f(leaf), leaf, create_graph=True)
        x = leaf - mg.linalg.inv(hessian(f, leaf)) @ g
    return x


def newton_tuple(f, x0, k):
    x = x0.detach()
    for _ in range(k):
        x = x.clone().requires_grad_()
        g = mg.autograd.grad(f(x), x)
        x = (x - mg.linalg.solve(hessian(f, x), g)).detach()
    return x


def newton_tuple_again(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        H = mg.autograd.functional.hessian(f, x)
        p = mg.linalg.solve(H, mg.autograd.grad(f(x), [x]))
        with mg.no_grad():
            x -= p
    return x.detach()


def newton_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    A, B, b = tensor(3, 3), tensor(5, 4), tensor(4)
    S = A @ A.T + mg.eye(3, dtype=dtype)
    near = mg.tensor(np.array([0.8, 0.5]) + 0.1 * rng.uniform(size=2), dtype=dtype)
    return [
        Case("a bowl, x @ S @ x + x.sum(), one step", (lambda x: x @ S @ x + x.sum(), tensor(3), 1)),
        Case(
            "exp(B @ x / 2).sum() + ((x - b) ** 2).sum(), three steps",
            (lambda x: mg.exp(B @ x / 2).sum() + ((x - b) ** 2).sum(), tensor(4), 3),
        ),
        Case("a bent valley, six steps", (lambda x: (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2, near, 6)),
        Case("no step", (lambda x: (x**4).sum(), tensor(2), 0)),
    ]


def watch_newton(answer: Callable[..., Any], f: Callable[..., Any], x0: Any, k: int) -> Any:
    watch = Watch(f)
    x = answer(watch.f, x0, k)
    if not isinstance(x, mg.Tensor):
        return unfit(x, "a Tensor of shape (n,)")
    few = max(2, len(watch.behind) // 4)  # library functions put a node or two of their own before f
    grows = k > 4 and max(watch.behind[-few:], default=0) > max(watch.behind[:few], default=0) + 1
    return {
        f"x after {k} steps": x.detach().clone(),
        "the graph behind x": "grows from step to step" if grows else "does not grow",
        "what you return": "has no graph" if x.grad_fn is None else "has a graph",
    }


UNDETACHED = (
    "The numbers are right, but the graph grew at every step: each `x` hangs on the `x` before it, and the memory of all "
    "steps is kept. A step is an update, no part of f. Cut inside the loop: `x = (x - p).detach()`."
)

ONE_STEP = "That is the point after one step. Is there a loop over `range(k)`, and does `return` stand behind it?"

def newton_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    c = tensor(3)
    return [
        Case("one variable, two steps", (lambda x: mg.exp(x).sum() - 2 * x.sum(), mg.zeros(1, dtype=dtype), 2)),
        Case("a hill: the step leads to its top", (lambda x: -(x**2).sum() + (c * x).sum(), tensor(3), 1)),
        Case("a saddle", (lambda x: x[0] ** 2 - 3 * x[1] ** 2 + x[0] * x[1] + x[1], tensor(2), 1)),
        Case("a step that leads uphill", (lambda x: mg.cos(x).sum(), mg.full((2,), 0.4, dtype=dtype), 1)),
    ]


register(
    Exercise(
        id="09.4",
        title="Newton",
        difficulty=3,
        minutes=8,
        reference=newton,
        cases=newton_cases,
        edges=newton_edges,
        observe=watch_newton,
        tolerance=1e-8,
        alternatives={
            "the inverse": newton_inverse,
            "in place under no_grad": newton_in_place,
            "functional.hessian": newton_functional,
            "solved by NumPy": newton_numpy,
            "recursive": newton_recursive,
        },
        mistakes={
            "uphill": Mistake(
                newton_by(lambda f, x, g, H: mg.linalg.solve(H, g)),
                "You added the step. With H p = g the next point is x **−** p: the gradient points uphill.",
                again=newton_by(lambda f, x, g, H: mg.linalg.inv(H) @ g),
            ),
            "x does not require grad": Mistake(
                newton_no_leaf,
                "Your `x` does not require grad, so f(x) has no graph, and there is nothing to differentiate. `x0` comes "
                "without `requires_grad`: make a leaf of your own from it, `x = x0.clone().requires_grad_()`.",
                again=newton_no_leaf_again,
            ),
            "a leaf in the first step only": Mistake(
                newton_leaf_once,
                "The first step is right. After it `x` is a new Tensor, cut off and without `requires_grad`, and the second "
                "step finds no graph. Every round needs a leaf: `x = x.requires_grad_()` after the `detach`.",
                again=newton_leaf_once_again,
            ),
            "a leaf in place": Mistake(
                newton_leaf_in_place,
                "`x` is a leaf that requires grad, and `-=` writes into it. That is allowed under `with mg.no_grad():` only; or "
                "make a new leaf: `x = (x - p).detach().requires_grad_()`.",
                again=newton_leaf_in_place_again,
            ),
            "not detached": Mistake(newton_undetached, UNDETACHED, again=newton_undetached_graph),
            "detached at the end": Mistake(newton_detached_late, UNDETACHED, again=newton_detached_late_again),
            "gradient descent": Mistake(
                newton_by(lambda f, x, g, H: -g),
                "That is gradient descent with step 1: the Hessian is missing. Newton's step p solves H p = g.",
                again=lambda f, x0, k: newton_by(lambda f, x, g, H: mg.mul(g, -1))(f, x0, k),
            ),
            "H g": Mistake(
                newton_by(lambda f, x, g, H: -(H @ g)),
                "You multiplied by H. The step is H⁻¹g: where the slope changes fast (large H) the bottom is near, and the "
                "step is short. `mg.linalg.solve(H, g)`.",
                again=newton_by(lambda f, x, g, H: -(g @ H)),
            ),
            "a derivative instead of the Hessian": Mistake(
                newton_by(lambda f, x, g, H: -f(x) / g),
                "`x - f(x) / g` looks for a point where **f** is zero. Here the point is wanted where the **gradient** is zero, "
                "so everything moves up by one derivative: g in the place of f, and the Jacobian of g, which is H, in the place "
                "of g.",
                again=newton_by(lambda f, x, g, H: -(f(x).detach() * (1 / g))),
            ),
            "entry by entry": Mistake(
                newton_by(lambda f, x, g, H: -g / H.sum(1)),
                "You divided entry by entry by the gradient of `g.sum()`. Those are the sums of the rows of H, and no division "
                "entry by entry solves H p = g. Build H, and `mg.linalg.solve(H, g)`.",
                again=newton_by(lambda f, x, g, H: -g / row_sums(f, x)),
            ),
            "the diagonal only": Mistake(
                newton_by(lambda f, x, g, H: -g / mg.diag(H)),
                "You divided by the diagonal of H, as if the variables did not meet. Solve with all of H: `mg.linalg.solve(H, g)`.",
                again=newton_by(lambda f, x, g, H: -mg.linalg.solve(mg.diag(mg.diag(H)), g)),
            ),
            "the first Hessian for all steps": Mistake(
                newton_first_hessian,
                "The first step is right, the others are not: you go on with the H of `x0`. Compute H anew at each `x`.",
                again=newton_first_hessian_again,
            ),
            "the first step for all": Mistake(
                newton_first_step_again,
                "The first step is right, and you took it again and again: p was computed once, at `x0`. Both g and H belong "
                "**into** the loop.",
                again=newton_first_step_again_too,
            ),
            "one step only": Mistake(newton_once, ONE_STEP, again=newton_returned_early),
            "one step, whatever k": Mistake(
                lambda f, x0, k: newton(f, x0, 1), ONE_STEP, again=lambda f, x0, k: newton_inverse(f, x0, 1)
            ),
            "divided by H": Mistake(
                newton_by(lambda f, x, g, H: -g / H),
                "`g / H` divides entry by entry, and gives a table. No division solves H p = g: `mg.linalg.solve(H, g)`.",
                again=newton_by(lambda f, x, g, H: -(g * (1 / H))),
            ),
            "solve, the other way round": Mistake(
                newton_by(lambda f, x, g, H: -mg.linalg.solve(g, H)),
                "`mg.linalg.solve(A, b)` solves A p = b: the table comes first. So `mg.linalg.solve(H, g)`.",
                again=lambda f, x0, k: newton_by(lambda f, x, g, H: mg.linalg.solve(-g, H))(f, x0, k),
            ),
            "the last step has a graph": Mistake(
                newton_last_graph,
                "You cut at the beginning of each round, so the last `x` still hangs on the round that made it. Cut behind the step: "
                "`x = (x - p).detach()`.",
                again=newton_last_graph_again,
            ),
            "a tuple": Mistake(newton_tuple, A_TUPLE, again=newton_tuple_again),
            "one step too few": Mistake(
                lambda f, x0, k: newton(f, x0, k - 1),
                "One step is missing. `range(k)` runs k times, from 0 to k − 1.",
                again=lambda f, x0, k: newton_in_place(f, x0, max(k - 1, 0)),
            ),
            "x0 requires grad": Mistake(
                newton_leaf_made,
                "`x0.requires_grad_()` changes the caller's Tensor: `x0` now requires grad for good. Make a leaf of your own: "
                "`x = x0.clone().requires_grad_()`.",
                again=newton_leaf_made_again,
            ),
            "x0 is written": Mistake(
                newton_x0_written,
                "The point is right, but `x0` has moved as well: `detach` shares the memory, and `-=` writes into it. Begin "
                "with `x0.clone()`.",
                again=newton_x0_written_again,
            ),
        },
        hints=(
            "Near x the gradient is about g + H s, where s is the step. Where is it zero? That is a system of linear equations "
            "for s, and `mg.linalg.solve(A, b)` solves A p = b.",
            "```text\n        ┌──────────────── x ◄────────────┐\n        ▼                                │ detach\n"
            "   g and H at x ──► solve H p = g ──► x − p\n```\n\n"
            "Every round begins with a leaf that has nothing behind it. If you do not cut, round 6 still hangs on round 1.",
            "```python\nx = x0.detach()\nfor _ in range(k):\n    x = x.clone().requires_grad_()\n"
            "    (g,) = mg.autograd.grad(f(x), x)\n    p = mg.linalg.solve(___, ___)\n    x = (x - p).___()\nreturn x\n```",
        ),
        explanation="""\
A step s from x changes the gradient to about g + H s. Newton's method goes where this is zero: s = −H⁻¹g. For a bowl
(a quadratic f) "about" is exact, and one step is enough. Otherwise each step squares the error, once x is near: 10⁻²,
10⁻⁴, 10⁻⁸. `solve` is faster than `inv` and loses fewer digits.

A step is no part of what is to be differentiated. Without `detach` each x carries the graph of all steps before it:
nothing is wrong with the numbers, but the memory grows, and so does the time of every further pass.

Newton's method looks for a zero of the gradient. It does not know a valley from a summit: on a hill it climbs.
""",
    )
)


# --- 09.5 The n-th derivative -------------------------------------------------------------------------------


def nth(f, n):
    """The n-th derivative of f, as a function.

    f: takes a Tensor of shape () that requires grad, returns one of shape (). n: an int, 0 or more.
    Returns a function like f, so that it can be given to nth again.
    """

    def derivative(x):
        y = f(x)
        for _ in range(n):
            (y,) = mg.autograd.grad(y, x, create_graph=True)
        return y

    return derivative


def nth_recursive(f, n):
    if n == 0:
        return f
    return nth_recursive(lambda x: mg.autograd.grad(f(x), x, create_graph=True)[0], n - 1)


def slope_of(f):
    def slope(x):
        return mg.autograd.grad(outputs=f(x), inputs=x, create_graph=True)[0]

    return slope


def nth_nested(f, n):
    for _ in range(n):
        f = slope_of(f)
    return f


def nth_recursive_value(f, n):
    def derivative(x):
        if n == 0:
            return f(x)
        lower = nth_recursive_value(f, n - 1)(x)
        return mg.autograd.grad([lower], [x], create_graph=True)[0]

    return derivative


def nth_backward(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            x.grad = None
            y.backward(create_graph=True)
            y, x.grad = x.grad, None
        return y

    return derivative


def nth_without_graph(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            (y,) = mg.autograd.grad(y, x)
        return y

    return derivative


def nth_retained(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            y = mg.autograd.grad(y, x, retain_graph=True)[0]
        return y

    return derivative


def nth_last_without_graph(f, n):
    def derivative(x):
        y = f(x)
        for k in range(n):
            (y,) = mg.autograd.grad(y, x, create_graph=k < n - 1)
        return y

    return derivative


def nth_detached(f, n):
    return lambda x: nth(f, n)(x).detach() if n else f(x)


def nth_own_leaf(f, n):
    def derivative(x):
        x = x.detach().requires_grad_()
        y = f(x)
        for _ in range(n):
            (y,) = mg.autograd.grad(y, x, create_graph=True)
        return y

    return derivative


def nth_own_leaf_again(f, n):
    if n == 0:
        return lambda x: f(mg.tensor(x.item(), dtype=x.dtype, requires_grad=True))

    def derivative(x):
        z = x.detach().clone().requires_grad_(True)
        return mg.autograd.grad(nth(f, n - 1)(z), z, create_graph=True)[0]

    return derivative


def nth_power(f, n):
    return lambda x: slope_of(f)(x) ** n if n else f(x)


def nth_product(f, n):
    def derivative(x):
        if n == 0:
            return f(x)
        result = 1.0
        for _ in range(n):
            result = result * mg.autograd.grad(f(x), x, create_graph=True)[0]
        return result

    return derivative


def nth_power_of_all(f, n):
    return lambda x: slope_of(f)(x) ** n


def nth_product_of_all(f, n):
    def derivative(x):
        (g,) = mg.autograd.grad(f(x), x, create_graph=True)
        result = mg.ones_like(g)
        for _ in range(n):
            result = result * g
        return result

    return derivative


def nth_first(f, n):
    return slope_of(f) if n else f


def nth_first_again(f, n):
    def derivative(x):
        y = result = f(x)
        for _ in range(n):
            (result,) = mg.autograd.grad(y, x, create_graph=True)
        return result

    return derivative


def nth_without_end(f, n):
    if n == 1:
        return slope_of(f)
    return nth_without_end(slope_of(f), n - 1)


def nth_accumulated(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            y.backward(create_graph=True)
            y = x.grad
        return y

    return derivative


def nth_accumulated_again(f, n):
    if n == 0:
        return f

    def derivative(x):
        f(x).backward(create_graph=True)
        for _ in range(n - 1):
            mg.autograd.backward(x.grad, create_graph=True)
        return x.grad

    return derivative


def nth_late(f, n):
    for _ in range(n):
        f = lambda x: mg.autograd.grad(f(x), x, create_graph=True)[0]  # noqa: B023, E731
    return f


def nth_late_def(f, n):
    for _ in range(n):

        def f(x):
            (y,) = mg.autograd.grad(f(x), x, create_graph=True)
            return y

    return f


def nth_tuple(f, n):
    def derivative(x):
        y = f(x)
        for _ in range(n):
            y = mg.autograd.grad(y, x, create_graph=True)
        return y

    return derivative


def nth_tuple_again(f, n):
    if n == 0:
        return f
    return nth_tuple_again(lambda x: mg.autograd.grad(f(x), x, create_graph=True), n - 1)


def nth_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def point() -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5), dtype=dtype)

    a, b = rng.uniform(0.5, 1.5, size=2)
    growing = lambda x: mg.exp(a * x) * mg.sin(b * x)  # noqa: E731
    return [
        Case("sin, n = 0 and 1", (mg.sin, point(), (0, 1))),
        Case("sin, n = 2, 3, 4, 8", (mg.sin, point(), (2, 3, 4, 8))),
        Case("exp(a x) * sin(b x), n = 1, 2, 3, 5", (growing, point(), (1, 2, 3, 5))),
        Case("x * sin(x²), n = 3, 4", (lambda x: x * mg.sin(x**2), point(), (3, 4))),
        Case("nth(nth(f, 2), n) for exp(sin(x)), n = 1, 2", (nth_of_nth, point(), (1, 2))),
    ]


def nth_of_nth(x: Any) -> Any:
    return mg.exp(mg.sin(x))


def watch_nth(answer: Callable[..., Any], f: Callable[..., Any], point: Any, orders: tuple[int, ...]) -> Any:
    if f is nth_of_nth:
        f = answer(f, 2)
    seen = {}
    for n in orders:
        derivative = answer(f, n)
        if not callable(derivative):
            return unfit(derivative, "a function")
        seen[f"n = {n}"] = derivative(point.clone().requires_grad_())
    return seen


def nth_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    zero, negative = mg.tensor(0.0, dtype=dtype), mg.tensor(-1.5, dtype=dtype)
    return [
        Case("sin at 0, n = 0, 1, 2, 3", (mg.sin, zero, (0, 1, 2, 3))),
        Case("x⁶ at a negative number, n = 0, 1, 4", (lambda x: x**6, negative, (0, 1, 4))),
        Case("exp(-x) at 0, n = 5, then 1", (lambda x: mg.exp(-x), zero.clone(), (5, 1))),
    ]


register(
    Exercise(
        id="09.5",
        title="The n-th derivative",
        difficulty=3,
        minutes=7,
        reference=nth,
        cases=nth_cases,
        edges=nth_edges,
        observe=watch_nth,
        alternatives={
            "recursive": nth_recursive,
            "functions of functions": nth_nested,
            "from the derivative below": nth_recursive_value,
            "backward, cleared": nth_backward,
        },
        mistakes={
            "no create_graph": Mistake(
                nth_without_graph,
                "The first derivative came, and the second could not: the first pass left no graph. Every pass whose result is "
                "differentiated again needs `create_graph=True`. (`retain_graph` keeps the old graph; it makes no new one.)",
                again=nth_retained,
            ),
            "the last pass leaves no graph": Mistake(
                nth_last_without_graph,
                "All derivatives are right, but what you return cannot be differentiated again, so `nth(nth(f, 2), 1)` fails. "
                "The last pass too needs `create_graph=True`, and its result no `detach`.",
                again=nth_detached,
            ),
            "x is cut off": Mistake(
                nth_own_leaf,
                "All derivatives are right, but your function makes a leaf of its own (`detach`, `clone`, `mg.tensor`). What it "
                "returns hangs on that leaf, and not on the `x` that it was given, so `nth(nth(f, 2), 1)` finds no way to `x`. "
                "The `x` that comes already requires grad: use it as it is.",
                again=nth_own_leaf_again,
            ),
            "a power of the slope": Mistake(
                nth_power,
                "You multiplied the first derivative by itself. The second derivative is the derivative **of** the first: "
                "differentiate its result, again and again.",
                again=nth_product,
            ),
            "a power of the slope, and 1 for none": Mistake(
                nth_power_of_all,
                "You multiplied the first derivative by itself. The second derivative is the derivative **of** the first: "
                "differentiate its result, again and again. For n = 0 nothing is done to f.",
                again=nth_product_of_all,
            ),
            "the first for all": Mistake(
                nth_first,
                "You return the first derivative for every n. Each derivative must be taken of the one **before** it, not of f.",
                again=nth_first_again,
            ),
            "one too few": Mistake(
                lambda f, n: nth(f, max(n - 1, 0)),
                "One derivative is missing. `nth(f, 1)` is f′, and `range(n)` runs n times.",
                again=lambda f, n: nth_recursive(f, n - 1 if n else 0),
            ),
            "derivatives added": Mistake(
                nth_accumulated,
                "From the second on you return a sum of derivatives: `backward` adds to `x.grad`, where the one before still "
                "lies. `mg.autograd.grad` returns each by itself.",
                again=nth_accumulated_again,
            ),
            "a tuple": Mistake(nth_tuple, A_TUPLE, again=nth_tuple_again),
            "one too many": Mistake(
                lambda f, n: nth(f, n + 1),
                "One derivative too many. `nth(f, 0)` is f itself, and `range(n)` runs n times.",
                again=lambda f, n: slope_of(nth_recursive(f, n)),
            ),
            "a function that calls itself": Mistake(
                nth_late,
                "Your function calls itself for ever. The `f` inside it is looked up when it **runs**, and by then `f` is the "
                "new function, not the old one. Make the new function in a function of its own, which takes the old one as an "
                "argument, or differentiate in a loop at one `x`. (If `nth` calls `nth`: where does it end? With n = 0, return f.)",
                again=nth_late_def,
            ),
        },
        hints=(
            "A derivative is a function again. What does the first pass have to leave behind, so that its result can be "
            "differentiated like any other `y`?",
            "```text\n            grad           grad           grad\n  y = f(x) ──────► y = f′ ──────► y = f″ ──────► …\n"
            "      ▲              ▲              ▲\n      └──────────────┴──────────────┴── each hangs on the same x\n```",
            "```python\ndef derivative(x):\n    y = f(x)\n    for _ in range(n):\n"
            "        (y,) = mg.autograd.grad(___, ___, create_graph=___)\n    return y\n\nreturn derivative\n```",
        ),
        explanation="""\
With `create_graph=True` a backward pass is a computation like any other: its result hangs on `x` by a graph, and `grad`
can be asked again. So the n-th derivative is a loop of one line.

The last pass needs a graph too, if the function that you return is to be differentiated by somebody else. The price is
a graph that nobody may want; who knows that no more is to come leaves it out.

For sin the answer comes round every four steps: cos, −sin, −cos, sin. The graph hardly grows, because the derivative of
sin is one cos. For x · sin(x²) each pass makes it two or three times as large: each product gives two terms.
""",
    )
)


# --- 09.6 Newton without the Hessian ------------------------------------------------------------------------


def newton_direction(f, x, tol):
    """Newton's direction p at x, which solves H p = -g, by conjugate gradients: H is used in products H d only.

    f: takes a Tensor of shape (n,), returns one of shape (). x: a leaf of shape (n,) that requires grad; H is positive
    definite there. Ends as soon as the norm of the residual -g - H p is at most tol times the norm of g.
    Returns a Tensor of shape (n,).
    """
    (g,) = mg.autograd.grad(f(x), x)
    p = mg.zeros_like(g)
    r = -g
    d = r
    while r @ r > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p = p + alpha * d
        r_new = r - alpha * Hd
        d = r_new + (r_new @ r_new) / (r @ r) * d
        r = r_new
    return p


def direction_counted(f, x, tol):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    b = -g.detach()
    p, r, d = mg.zeros(len(x), dtype=x.dtype), b.clone(), b.clone()
    rr = mg.dot(r, r).item()
    for _ in range(10 * len(x)):
        if rr**0.5 <= tol * (b**2).sum().item() ** 0.5:
            break
        (Hd,) = mg.autograd.grad(g, x, d, retain_graph=True)
        alpha = rr / mg.dot(d, Hd).item()
        p += alpha * d
        r -= alpha * Hd
        before, rr = rr, mg.dot(r, r).item()
        d = r + rr / before * d
    return p


def direction_residual_anew(f, x, tol):
    g = gradient_at(f, x)
    p = mg.zeros_like(g)
    d = r = -g
    while mg.linalg.norm(r) > tol * mg.linalg.norm(g):
        alpha = (r * r).sum() / (d * hvp(f, x, d)).sum()
        p = p + alpha * d
        old, r = r, -g - hvp(f, x, p)
        d = r + (r * r).sum() / (old * old).sum() * d
    return p


def direction_numpy(f, x, tol):
    def product(d):
        return hvp(f, x, mg.tensor(d)).numpy()

    g = gradient_at(f, x).numpy()
    p, r = np.zeros_like(g), -g
    d = r.copy()
    while np.linalg.norm(r) > tol * np.linalg.norm(g):
        Hd = product(d)
        alpha = (r @ r) / (d @ Hd)
        p = p + alpha * d
        r, before = r - alpha * Hd, r @ r
        d = r + (r @ r) / before * d
    return mg.tensor(p)


def direction_one_round(f, x, tol):
    r = -gradient_at(f, x)
    return (r @ r) / (r @ hvp(f, x, r)) * r


def direction_one_round_again(f, x, tol):
    g = gradient_at(f, x)
    Hg = hvp(f, x, g)
    return -g * (g * g).sum() / (g * Hg).sum()


def rounds(
    f: Callable[..., Any],
    x: Any,
    tol: float,
    update: Callable[..., Any] = lambda r, alpha, d, Hd: r - alpha * Hd,
    beta: Callable[..., Any] = lambda new, r: (new @ new) / (r @ r),
    most: int = 20,
    length: Callable[..., Any] = lambda r, d, Hd: (r @ r) / (d @ Hd),
    direction: Callable[..., Any] = lambda new, beta, d, r: new + beta * d,
) -> Any:
    """Conjugate gradients with another rule for the residual, for alpha, for beta or for the direction, and an end."""
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    for _ in range(most):
        if not r @ r > tol**2 * (g @ g) or not r @ r < 1e30:
            break
        Hd = hvp(f, x, d)
        alpha = length(r, d, Hd)
        p = p + alpha * d
        new = update(r, alpha, d, Hd)
        d = direction(new, beta(new, r), d, r)
        r = new
    return p


def direction_overwritten(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p = p + alpha * d
        r = r - alpha * Hd
        d = r + (r @ r) / (r @ r) * d
    return p


def direction_one_tensor(f, x, tol):
    g = gradient_at(f, x)
    p, r = mg.zeros_like(g), -g
    d, rr = r, r @ r
    while rr > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = rr / (d @ Hd)
        p += alpha * d
        r -= alpha * Hd
        before, rr = rr, r @ r
        d = r + rr / before * d
    return p


def direction_residual_only(f, x, tol):
    g = gradient_at(f, x)
    p, r = mg.zeros_like(g), -g
    while mg.linalg.norm(r) > tol * mg.linalg.norm(g):
        Hr = hvp(f, x, r)
        alpha = (r @ r) / (r @ Hr)
        p, r = p + alpha * r, r - alpha * Hr
    return p


def direction_kept(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, r = p + alpha * d, r - alpha * Hd
    return p


def direction_endless(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, new = p + alpha * d, r - alpha * Hd
        d = new + (new @ new) / (r @ r) * d
    return p


def direction_endless_again(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while mg.linalg.norm(g) > tol:
        Hd = hvp(f, x, d)
        alpha = (r * r).sum() / (d * Hd).sum()
        p, old, r = p + alpha * d, r, r - alpha * Hd
        d = r + (r * r).sum() / (old * old).sum() * d
    return p


def direction_absolute(f, x, tol):
    return newton_direction(f, x, tol / mg.linalg.norm(gradient_at(f, x)).item())


def direction_absolute_again(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2:
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, old, r = p + alpha * d, r, r - alpha * Hd
        d = r + (r @ r) / (old @ old) * d
    return p


def direction_rough(f, x, tol):
    return newton_direction(f, x, tol**0.5)


def direction_rough_again(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while mg.dot(r, r) > tol * mg.dot(g, g):
        Hd = hvp(f, x, d)
        alpha = mg.dot(r, r) / mg.dot(d, Hd)
        p, old, r = p + alpha * d, r, r - alpha * Hd
        d = r + mg.dot(r, r) / mg.dot(old, old) * d
    return p


def direction_n_rounds(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    for _ in range(len(x)):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, new = p + alpha * d, r - alpha * Hd
        d, r = new + (new @ new) / (r @ r) * d, new
    return p


def direction_n_rounds_again(f, x, tol):
    return rounds(f, x, 0.0, most=len(x))


def direction_whole(f, x, tol):
    return -mg.linalg.solve(hessian(f, x), gradient_at(f, x))


def first_beta(f: Callable[..., Any], x: Any) -> float:
    """By how much the old direction counts in the second one."""
    g, H = gradient_at(f, x).numpy().astype(float), hessian(f, x).detach().numpy().astype(float)
    new = (g @ g) / (g @ H @ g) * (H @ g) - g
    return float((new @ new) / (g @ g))


def direction_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(name: str, f: Callable[..., Any], n: int) -> Case:
        x = random_tensor(rng, dtype, n, leaf=True)
        while abs(first_beta(f, x) - 1) < 0.1:  # who forgets β would go right at first
            x = random_tensor(rng, dtype, n, leaf=True)
        return Case(name, (f, x, tol))

    tol = 1e-8 if dtype is mg.float64 else 1e-4
    A, B, b = (random_tensor(rng, dtype, *shape) for shape in ((4, 4), (3, 6), (6,)))
    S = A @ A.T / 4 + mg.eye(4, dtype=dtype)
    w = mg.tensor(1 + 2 * rng.permutation(15) / 14, dtype=dtype)
    a = mg.tensor(rng.choice([-1.0, 1.0], size=20) * rng.uniform(0.5, 1.5, size=20), dtype=dtype)
    c = random_tensor(rng, dtype, 20)
    return [
        case("a bowl, x @ S @ x + x.sum(), 4 variables", lambda x: x @ S @ x + x.sum(), 4),
        case(
            "log(1 + exp(B @ x)).sum() + ((x - b) ** 2).sum(), 6 variables",
            lambda x: mg.log(1 + mg.exp(B @ x)).sum() + ((x - b) ** 2).sum(),
            6,
        ),
        # The residual shrinks a little in every round, and the gradient is small: who stops at another tolerance, or does
        # not measure it by the gradient, is found out here.
        case("((w * x ** 2).sum() / 2 + x.sum()) / 1000, 15 variables", lambda x: ((w * x**2).sum() / 2 + x.sum()) / 1000, 15),
        # H is the identity and one outer product: two different eigenvalues, so two rounds are enough.
        case("x @ x / 2 + (a @ x) ** 2 / 8 + c @ x, 20 variables", lambda x: x @ x / 2 + (a @ x) ** 2 / 8 + c @ x, 20),
    ]


class Enough(BaseException):
    """Ends an answer that goes on and on. No `except Exception` of a learner's catches it."""


def told_products(f: Callable[..., Any], products: list[np.ndarray], most: int) -> Callable[..., Any]:
    """f, and each vector by which its Hessian is multiplied goes into `products`; after `most` of them it is enough."""

    class OnTheWayBack(mg.autograd.Function):
        """On the way of the gradient: what comes back here is the cotangent of the second pass."""

        @staticmethod
        def forward(ctx: Any, g: Any) -> Any:
            return g.clone()

        @staticmethod
        def backward(ctx: Any, d: Any) -> Any:
            products.append(d.detach().numpy().astype(float))
            if len(products) > most:
                raise Enough
            return d

    class There(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return OnTheWayBack.apply(g)

    return lambda x: f(There.apply(x))


AS_IN_THE_RECIPE, OTHERS = "as in the recipe", "others"
WITH_RESIDUAL, ONE_HOT = "with the residual alone", "with one-hot vectors: all of H"
OTHER_ALPHA = "as if α had d · d above the line"


def of_products(d: list[np.ndarray], g: np.ndarray, H: np.ndarray) -> str:
    """In words: how the products of an answer differ from those of conjugate gradients, by the first that does."""

    def alike(a: np.ndarray, b: np.ndarray) -> bool:
        return bool(np.linalg.norm(a - b) <= 1e-3 * np.linalg.norm(b))

    def following(r: np.ndarray, new: np.ndarray, direction: np.ndarray, beta: Callable[[float], float] = float) -> np.ndarray:
        return new + beta((new @ new) / (r @ r)) * direction

    if len(d) > 1 and all(np.count_nonzero(v) == 1 for v in d):
        return ONE_HOT
    made, d = len(d), [v for k, v in enumerate(d) if k == 0 or not np.array_equal(v, d[k - 1])]
    if not d or not alike(d[0], -g):
        return OTHERS
    if len(d) < 2:
        return "with the first direction again" if made > 2 else AS_IN_THE_RECIPE
    alpha = (g @ g) / (g @ H @ g)
    r, Hd = -g, -(H @ g)
    new = r - alpha * Hd
    if not alike(d[1], following(r, new, r)):
        believed = {
            WITH_RESIDUAL: new * (new @ d[1]) / (new @ new),  # any multiple of it
            "as if β were 1": new + r,
            "as if β were upside down": following(r, new, r, lambda beta: 1 / beta),
            "with the old residual in the new direction": r + (new @ new) / (r @ r) * r,
            "as if the residual lost α d": following(r, r - alpha * r, r),
            "as if the residual grew": following(r, r + alpha * Hd, r),
            "as if α were not in the residual": following(r, r - Hd, r),
        }
        return next((words for words, v in believed.items() if alike(d[1], v)), OTHERS)
    if len(d) > 2:
        Hd1 = H @ d[1]
        other = new - (d[1] @ d[1]) / (d[1] @ Hd1) * Hd1
        if alike(d[2], following(new, other, d[1])):
            return OTHER_ALPHA
    return AS_IN_THE_RECIPE


def watch_direction(answer: Callable[..., Any], f: Callable[..., Any], x: Any, tol: float) -> Any:
    products: list[np.ndarray] = []
    most = 20 + 4 * len(x)  # a right answer needs n, or twice as many; and the one without end is ended
    watch = Watch(told_products(f, products, most), x)
    try:
        p = answer(watch.f, x, tol)
        if not isinstance(p, mg.Tensor):
            return unfit(p, "a Tensor of shape (n,)")
    except Enough:
        p = mg.zeros_like(x)
    passes, ends = watch.passes, len(products) <= most
    seen: dict[str, Any] = {"f is called": watch.place(), "shape of p": str(tuple(p.shape))}
    if watch.moved or p.shape != x.shape:
        return seen
    g, H, p = gradient_at(f, x), hessian(f, x).detach(), p.detach().to(x.dtype)
    if not g.any():
        return seen | {"p, where g is 0": p, "the loop": "ends" if ends else "does not end"}
    left = mg.linalg.norm(H @ p + g).item() / mg.linalg.norm(g).item()
    solved, few = ends and left <= 3 * tol, passes < len(x) or len(x) != 20
    how = of_products(products, g.numpy().astype(float), H.numpy().astype(float))
    if how in (WITH_RESIDUAL, ONE_HOT, OTHER_ALPHA) or not (solved and few) and how not in (AS_IN_THE_RECIPE, OTHERS):
        return seen | {"products H d": how}  # what came of them differs from one loop to the next
    seen |= {"products H d": AS_IN_THE_RECIPE, "the loop": "ends" if ends else "does not end"}
    if ends:
        seen["the length of H p + g, divided by that of g"] = "at most tol" if solved else left
    if solved and len(x) == 20:
        seen["backward passes, where two products H d are enough"] = "few" if few else "as many as there are variables, or more"
    return seen


WRONG_RESIDUAL = (
    "Your residual is wrong. When p grows by α d, then H p grows by α **H d**, so r = −g − H p loses α H d. You can test it in "
    "every round: `r` must equal `-g - hvp(f, x, p)`."
)

def direction_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    tol = 1e-8 if dtype is mg.float64 else 1e-4
    return [
        Case(
            "at the minimum, where g is 0", (lambda x: (x**2).sum() + (x**4).sum(), mg.zeros(3, dtype=dtype, requires_grad=True), tol)
        ),
    ]


register(
    Exercise(
        id="09.6",
        title="Newton without the Hessian",
        difficulty=5,
        minutes=12,
        reference=newton_direction,
        cases=direction_cases,
        edges=direction_edges,
        observe=watch_direction,
        alternatives={
            "one graph for all products": direction_counted,
            "the residual anew": direction_residual_anew,
            "NumPy around the products": direction_numpy,
        },
        mistakes={
            "one round": Mistake(
                direction_one_round,
                "You stopped after the first round: the best point along the gradient, no more. Go round until the residual is "
                "small. (If your loop does go on, its direction never changes: look at β and at d.)",
                again=direction_one_round_again,
            ),
            "the residual": Mistake(
                lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: r - alpha * d),
                WRONG_RESIDUAL,
                again=lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: r + mg.mul(d, -alpha)),
            ),
            "the residual grows": Mistake(
                lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: r + alpha * Hd),
                WRONG_RESIDUAL,
                again=lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: alpha * Hd + r),
            ),
            "no alpha in the residual": Mistake(
                lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: r - Hd),
                WRONG_RESIDUAL,
                again=lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: -Hd + r),
            ),
            "the other sign": Mistake(
                lambda f, x, tol: -newton_direction(f, x, tol),
                "Your p solves H p = **+**g: it leads uphill. The right side is −g, so begin with r = −g.",
                again=lambda f, x, tol: direction_numpy(f, x, tol) * -1,
            ),
            "beta upside down": Mistake(
                lambda f, x, tol: rounds(f, x, tol, beta=lambda new, r: (r @ r) / (new @ new)),
                "Your β is upside down: it is the **new** r · r divided by the old one. It is small when the round helped.",
                again=lambda f, x, tol: rounds(f, x, tol, beta=lambda new, r: 1 / ((new @ new) / (r @ r))),
            ),
            "too early": Mistake(
                direction_rough,
                "You stop too early. Compare the **lengths**: |r| ≤ tol · |g|. If you compare r · r and g · g, which are squares, "
                "the tolerance must be squared as well.",
                again=direction_rough_again,
            ),
            "not measured by g": Mistake(
                direction_absolute,
                "You compare |r| with `tol` alone. Here the gradient itself is small, and you stop too early; where it is large, you "
                "would go on for too long. |r| ≤ tol · **|g|**.",
                again=direction_absolute_again,
            ),
            "a product for each variable": Mistake(
                direction_n_rounds,
                "The direction is right, but you took a pass for each of the 20 variables, or more. Your loop does not look at the "
                "residual: here it is tiny after two rounds, and the loop must end.",
                again=direction_n_rounds_again,
            ),
            "the whole Hessian": Mistake(
                direction_whole,
                "The direction is right, but you built all of H: a pass for each of the 20 variables. Here two products H d are "
                "enough.",
                again=lambda f, x, tol: -(mg.linalg.inv(mg.autograd.functional.hessian(f, x)) @ gradient_at(f, x)),
            ),
            "beta is 1": Mistake(
                direction_overwritten,
                "Your β is 1 in every round. It is the new r · r divided by the **old** one: keep the old residual, or its r · r, "
                "until β is computed.",
                again=lambda f, x, tol: rounds(f, x, tol, beta=lambda new, r: 1.0),
            ),
            "the residual alone": Mistake(
                direction_one_tensor,
                "After the first round you go along the residual alone, and not along d = r + β d. Either β d is left out, or `r` "
                "is multiplied by H in place of `d`, or `r` and `d` are **one tensor**: after `d = r`, an `r -= …` changes `d` as "
                "well (chapter 11). Begin with `d = r.clone()`, or write `r = r - …`.",
                again=direction_residual_only,
            ),
            "the direction is kept": Mistake(
                direction_kept,
                "Every round goes along the first d. After the first there is nothing more to gain there: d ← r + β d.",
                again=lambda f, x, tol: rounds(f, x, tol, direction=lambda new, beta, d, r: d),
            ),
            "the old residual": Mistake(
                lambda f, x, tol: rounds(f, x, tol, direction=lambda new, beta, d, r: r + beta * d),
                "The new direction begins with the **new** residual: d ← r′ + β d. Yours begins with the old one.",
                again=lambda f, x, tol: rounds(f, x, tol, most=30, direction=lambda new, beta, d, r: mg.mul(d, beta) + r),
            ),
            "alpha": Mistake(
                lambda f, x, tol: rounds(f, x, tol, length=lambda r, d, Hd: (d @ d) / (d @ Hd)),
                "The first round is right, the second goes too far: above the line of α stands r · r, and not d · d. In the first "
                "round the two are equal.",
                again=lambda f, x, tol: rounds(f, x, tol, most=30, length=lambda r, d, Hd: (d * d).sum() / (d * Hd).sum()),
            ),
            "no end": Mistake(
                direction_endless,
                "Your loop does not end. Does it look at the residual, and is the new one kept for the next round, `r = r_new`? You "
                "can test it in every round: `r` must equal `-g - hvp(f, x, p)`.",
                again=direction_endless_again,
            ),
            "p is not kept": Mistake(
                lambda f, x, tol: mg.zeros_like(newton_direction(f, x, tol)),
                "Your p is still 0. Each round adds to it: `p = p + alpha * d`.",
                again=lambda f, x, tol: mg.zeros(len(x), dtype=x.dtype),
            ),
            "the next point": Mistake(
                lambda f, x, tol: x + newton_direction(f, x, tol),
                "That is the next point, x + p. Wanted is the direction p alone.",
                again=lambda f, x, tol: (direction_numpy(f, x, tol) + x).detach(),
            ),
        },
        hints=(
            "You want p with H p = −g, and all you can do with H is to multiply it by a vector: `hvp(f, x, d)`. Keep three "
            "vectors: p so far, the residual r = −g − H p (what is still missing), and the direction d in which to go next.",
            "```text\n p = 0, r = −g, d = r\n   ┌─► r small enough? ── yes ──► p\n   │        │ no\n"
            "   │   H d                  one product\n"
            "   │   α = r·r / d·Hd       how far\n   │   p ← p + α d\n   │   r ← r − α H d        what is missing now\n"
            "   └── d ← r + β d          β = new r·r / old r·r\n```",
            "```python\n(g,) = mg.autograd.grad(f(x), x)\np, r, d = mg.zeros_like(g), -g, -g\nwhile r @ r > tol**2 * (g @ g):\n"
            "    Hd = hvp(f, x, d)\n    alpha = (r @ r) / (d @ ___)\n    p = p + alpha * ___\n    r_new = r - alpha * ___\n"
            "    d = r_new + (___) / (r @ r) * d\n    r = r_new\nreturn p\n```",
        ),
        explanation="""\
Conjugate gradients solve H p = −g with products H d only, one in each round. Each product is two backward passes, so no
H is ever stored: with a million variables that is the difference between 8 megabytes and 8 terabytes.

α is the best length along d. The factor β makes the next direction *conjugate* to all before it: d · H d′ = 0, so what
one round has gained no later one spoils. For n variables n rounds are enough on paper, and often far fewer: as many as
H has different eigenvalues. In the last case these are two.

The residual is kept up to date by r − α H d, which reuses the product and saves a second one. Computing −g − H p anew is
right too, at twice the price.
""",
    )
)


# --- 09.7 tanh and its first six derivatives ----------------------------------------------------------------


def plot_derivatives(f, xs, n):
    """Draw f and its first n derivatives into one figure, each with a label and all in a legend.

    f: works entry by entry on a Tensor. xs: a Tensor of shape (m,), the places on the horizontal axis.
    Returns the Axes; its lines are f, f', f'', … in this order.
    """
    import matplotlib.pyplot as plt

    x = xs.clone().requires_grad_()
    y = f(x)
    _, ax = plt.subplots()
    ax.plot(xs, y.detach(), label="f")
    for k in range(1, n + 1):
        (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
        ax.plot(xs, y.detach(), label=f"derivative {k}")
    ax.legend()
    return ax


def pyplot() -> Any:
    import matplotlib.pyplot as plt

    return plt


def drawn(xs: Any, curves: Any, legend: bool = True) -> Any:
    """The Axes with these curves."""
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves):
        ax.plot(xs.detach().numpy(), np.asarray(y.detach()), label=f"order {k}" if legend else None)
    if legend:
        ax.legend()
    return ax


def curves(f, xs, n, total: Callable[..., Any] = lambda y: y.sum(), **options: Any) -> list[Any]:
    x = xs.clone().requires_grad_()
    found = [f(x)]
    for _ in range(n):
        found += mg.autograd.grad(total(found[-1]), x, **{"create_graph": True, **options})
    return found


def curves_by_cotangent(f, xs, n):
    plt = pyplot()
    x = xs.detach().clone().requires_grad_(True)
    orders = [f(x)]
    for _ in range(n):
        orders.append(mg.autograd.grad(orders[-1], x, mg.ones_like(x), create_graph=True)[0])
    plt.figure()
    for k, y in enumerate(orders):
        plt.plot(xs.numpy(), y.detach().numpy(), label=str(k))
    plt.axhline(0, color="grey")
    plt.legend()
    return plt.gca()


def curves_backward(f, xs, n):
    ax = pyplot().figure().add_subplot()
    x = xs.clone().requires_grad_()
    y = f(x)
    ax.plot(xs, y.detach(), label="$f$")
    for k in range(n):
        x.grad = None
        y.sum().backward(create_graph=True)
        y, x.grad = x.grad, None
        ax.plot(xs, y.detach().numpy(), label="f" + "'" * (k + 1))
    ax.legend(loc="upper left")
    return ax


def curves_point_by_point(f, xs, n):
    table: list[list[float]] = [[] for _ in range(n + 1)]
    for value in xs:
        x = value.detach().clone().requires_grad_()
        y = f(x)
        table[0].append(y.item())
        for k in range(n):
            (y,) = mg.autograd.grad(y, x, create_graph=True)
            table[k + 1].append(y.item())
    return drawn(xs, [mg.tensor(row, dtype=xs.dtype) for row in table])


def curves_entry_by_entry(f, xs, n):
    found = [f(xs)]
    for k in range(n):
        row = []
        for value in xs:
            x = value.clone().requires_grad_()
            row.append(nth(f, k + 1)(x).item())
        found.append(mg.tensor(row, dtype=xs.dtype))
    return drawn(xs, found)


def curves_detached_early(f, xs, n):
    x = xs.clone().requires_grad_()
    found = [f(x).detach()]
    for _ in range(n):
        found += mg.autograd.grad(found[-1].sum(), x)
    return drawn(xs, found)


def curves_accumulated(f, xs, n):
    x = xs.clone().requires_grad_()
    y = f(x)
    found = [y]
    for _ in range(n):
        y.sum().backward(create_graph=True)
        y = x.grad
        found.append(y.clone())
    return drawn(xs, found)


def curves_accumulated_again(f, xs, n):
    x = xs.clone().requires_grad_()
    found = [f(x)]
    for _ in range(n):
        mg.autograd.backward(found[-1], mg.ones_like(x), create_graph=True)
        found.append(1 * x.grad)
    return drawn(xs, found)


def curves_tracked(f, xs, n):
    _, ax = pyplot().subplots()
    for y in curves(f, xs, n):
        ax.plot(xs, y, label="f")
    ax.legend()
    return ax


def curves_tracked_again(f, xs, n):
    plt = pyplot()
    plt.figure()
    for k, y in enumerate(curves(f, xs, n)):
        plt.plot(xs.numpy(), y.numpy(), label=str(k))
    plt.legend()
    return plt.gca()


def curves_no_legend(f, xs, n):
    _, ax = pyplot().subplots()
    for y in curves(f, xs, n):
        ax.plot(xs, y.detach(), label="y")
    return ax


def curves_no_legend_again(f, xs, n):
    plt = pyplot()
    plt.figure()
    for k, y in enumerate(curves(f, xs, n)):
        plt.plot(xs.numpy(), y.detach().numpy(), label=f"f{k}")
    return plt.gca()


def curves_from_the_first(f, xs, n):
    _, ax = pyplot().subplots()
    x = xs.clone().requires_grad_()
    y = f(x)
    for k in range(n):
        (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
        ax.plot(xs, y.detach(), label=f"{k + 1}")
    ax.legend()
    return ax


def curves_last_missing(f, xs, n):
    return drawn(xs, curves(f, xs, n)[:-1])


def curves_last_missing_again(f, xs, n):
    _, ax = pyplot().subplots()
    x = xs.clone().requires_grad_()
    y = f(x)
    for k in range(n):
        ax.plot(xs, y.detach(), label=f"order {k}")
        (y,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    ax.legend()
    return ax


def curves_apart(f, xs, n):
    for y in curves(f, xs, n):
        ax = drawn(xs, [y])
    return ax


def curves_apart_again(f, xs, n):
    plt = pyplot()
    for k, y in enumerate(curves(f, xs, n)):
        plt.figure()
        plt.plot(xs, y.detach(), label=str(k))
        plt.legend()
    return plt.gca()


def curves_by_differences(f, xs, n):
    y = f(xs).numpy()
    found = [mg.tensor(y)]
    for _ in range(n):
        y = np.gradient(y, xs.numpy())
        found.append(mg.tensor(y))
    return drawn(xs, found)


def curves_by_differences_again(f, xs, n):
    _, ax = pyplot().subplots()
    y = np.asarray(f(xs))
    for k in range(n + 1):
        ax.plot(xs, y, label=f"order {k}")
        y = np.gradient(y, np.asarray(xs))
    ax.legend()
    return ax


def curves_of_numbers(f, xs, n):
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(y.detach(), label=str(k))
    ax.legend()
    return ax


def curves_of_numbers_again(f, xs, n):
    _, ax = pyplot().subplots()
    for k, y in enumerate(curves(f, xs, n)):
        ax.plot(np.arange(len(xs)), y.detach().numpy(), label=str(k))
    ax.legend()
    return ax


def curves_unlabelled(f, xs, n):
    ax = drawn(xs, curves(f, xs, n), legend=False)
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # matplotlib's own: no artists with labels
        ax.legend()
    return ax


def curves_unlabelled_again(f, xs, n):
    return curves_unlabelled(lambda x: f(x) * 1, xs, n)


def plot_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = rng.uniform(0.6, 1.4, size=2)

    def points(m: int) -> Any:
        return mg.tensor(np.sort(rng.uniform(-3, 3, size=m)), dtype=dtype)

    return [
        Case("tanh, 6 derivatives", (mg.tanh, points(41), 6)),
        Case("sin(a x) + b x², 2 derivatives", (lambda x: mg.sin(a * x) + b * x**2, points(17), 2)),
        Case("exp(-x²), 4 derivatives", (lambda x: mg.exp(-(x**2)), points(23), 4)),
    ]


def watch_plot(answer: Callable[..., Any], f: Callable[..., Any], xs: Any, n: int) -> Any:
    watch = Watch(f)
    ax = answer(watch.f, xs, n)
    if not hasattr(ax, "get_lines") or not hasattr(ax, "get_legend"):
        return unfit(ax, "the Axes, as `plt.gca()` or `plt.subplots()[1]` gives it")
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == len(xs)]
    legend = ax.get_legend()
    labels = [str(line.get_label()) for line in lines]
    if legend is not None and len(legend.get_texts()) >= len(lines):
        labels = [words.get_text() for words in legend.get_texts()]  # they may have been given to legend alone
    seen: dict[str, Any] = {"curves": len(lines)}
    if lines:
        seen["places on the horizontal axis"] = np.asarray(lines[0].get_xdata(), dtype=float)
    for k, line in enumerate(lines[: n + 1]):
        seen[f"derivative {k}" if k else "f"] = np.asarray(line.get_ydata(), dtype=float)
    seen["labels"] = "a label for each" if not any(label.startswith("_") for label in labels) else "some without"
    seen["legend"] = "there" if legend is not None else "missing"
    return seen | {"cost_passes": watch.passes}


register(
    Exercise(
        id="09.7",
        title="tanh and six derivatives",
        difficulty=3,
        minutes=6,
        reference=plot_derivatives,
        cases=plot_cases,
        without={
            "edges": "a curve needs several points; its numbers are compared",
        },
        observe=watch_plot,
        alternatives={"ones as the cotangent, pyplot": curves_by_cotangent, "backward, cleared": curves_backward},
        wasteful={
            "point by point": Mistake(
                curves_point_by_point,
                "You took a pass for each point and each order. f works entry by entry, so the gradient of `y.sum()` holds the "
                "slopes at all points: one pass for each order.",
            ),
        },
        mistakes={
            "the graph is lost": Mistake(
                lambda f, xs, n: drawn(xs, curves(f, xs, n, create_graph=False)),
                "A curve came out that cannot be differentiated. Which call was to build its graph? For f it is `f(x)`, for "
                "every derivative `grad` with `create_graph=True`. And `detach` only what you draw, not what you go on with.",
                again=curves_detached_early,
            ),
            "drawn with its history": Mistake(
                curves_tracked,
                "Matplotlib asks for an array, and a Tensor that requires grad gives none. Draw `y.detach()`, and go on "
                "differentiating `y`.",
                again=curves_tracked_again,
            ),
            "not summed": Mistake(
                lambda f, xs, n: drawn(xs, curves(f, xs, n, total=lambda y: y)),
                "`y` has an entry for each point, and a backward pass starts at one number. Sum: entry i of y depends on entry "
                "i of x alone, so the gradient of `y.sum()` holds the slope at each point.",
                again=lambda f, xs, n: drawn(xs, curves(f, xs, n, total=lambda y: 1 * y)),
            ),
            "mean": Mistake(
                lambda f, xs, n: drawn(xs, curves(f, xs, n, total=lambda y: y.mean())),
                "`mean` divides by the number of points, once more in every order, so your curves grow flatter and flatter. "
                "Take `sum`.",
                again=lambda f, xs, n: drawn(xs, curves(f, xs, n, total=lambda y: y.sum() / len(y))),
            ),
            "derivatives added": Mistake(
                curves_accumulated,
                "From the second derivative on your curves are sums: `backward` adds to `x.grad`, where the one before still "
                "lies. `mg.autograd.grad` returns each by itself.",
                again=curves_accumulated_again,
            ),
            "f is missing": Mistake(
                lambda f, xs, n: drawn(xs, curves(f, xs, n)[1:]),
                "There is one curve too few: f itself is missing. The lines are f, f′, f″, …, which makes n + 1.",
                again=curves_from_the_first,
            ),
            "the last is missing": Mistake(
                curves_last_missing,
                "There is one curve too few: the last derivative is missing. f and n derivatives make n + 1 lines.",
                again=curves_last_missing_again,
            ),
            "a figure for each": Mistake(
                curves_apart,
                "Each curve is in a figure of its own. Make **one** Axes before the loop, and draw all curves into it.",
                again=curves_apart_again,
            ),
            "differences": Mistake(
                curves_by_differences,
                "Those are differences between neighbouring points, and each order loses more digits. The engine gives the exact "
                "slope at each point: `mg.autograd.grad` with `create_graph=True`.",
                again=curves_by_differences_again,
            ),
            "drawn over the numbers of the points": Mistake(
                curves_of_numbers,
                "The horizontal axis counts the points: 0, 1, 2, … Give `ax.plot` the places as well, `ax.plot(xs, y.detach())`.",
                again=curves_of_numbers_again,
            ),
            "no labels": Mistake(
                curves_unlabelled,
                "The legend is empty: it lists the lines that have a label. Give each line one, `ax.plot(…, label=…)`.",
                again=curves_unlabelled_again,
            ),
            "no legend": Mistake(
                curves_no_legend,
                "The curves are right, but nobody can tell them apart: call `ax.legend()` after drawing, and give each line a "
                "`label=`.",
                again=curves_no_legend_again,
            ),
        },
        hints=(
            "f works entry by entry, so one pass from `y.sum()` gives the slopes at all places (chapter 05). The result is a "
            "curve, and you want its slopes in turn. What must the pass leave behind?",
            "```text\n y ──► draw y.detach()\n │\n │ grad of y.sum(), create_graph=True\n ▼\n"
            " y ──► draw y.detach()\n │\n ⋮   six times\n```",
            '```python\nx = xs.clone().requires_grad_()\ny = f(x)\n_, ax = plt.subplots()\nax.plot(xs, y.detach(), label="f")\n'
            "for k in range(1, n + 1):\n    (y,) = mg.autograd.grad(___, x, ___=True)\n"
            '    ax.plot(xs, ___, label=f"derivative {k}")\nax.legend()\nreturn ax\n```',
        ),
        explanation="""\
Each pass returns a curve that hangs on `x` by a graph of its own, because of `create_graph=True`; the next pass starts
there. The graph of f comes from `f(x)`, the graph of the first derivative from the first `grad`, and so on.

What is drawn is `y.detach()`, the numbers without the graph. What is differentiated is `y`. Detach the wrong one, and the
next pass says *does not require grad*.

Look at the heights: tanh stays between −1 and 1, its sixth derivative reaches beyond 50. High derivatives of a tame
function can be wild. The graphs grow too: from 2 nodes to more than 300, for one tanh.
""",
    )
)


# --- 09.8 The curvature of a real loss ----------------------------------------------------------------------


def curvature(loss, params, vs):
    """H v for a loss of several parameters, from two backward passes.

    loss: a function without arguments that computes a Tensor of shape () from the leaves in the list params.
    vs: Tensors, each of the shape of its parameter. Returns a list of Tensors of these shapes.
    """
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
    return list(mg.autograd.grad(along, params, materialize_grads=True))


def curvature_by_cotangents(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    roots = [(g, v) for g, v in zip(gradients, vs, strict=True) if g.requires_grad]
    products = mg.autograd.grad([g for g, _ in roots], params, [v for _, v in roots], allow_unused=True)
    return [mg.zeros_like(p) if product is None else product for p, product in zip(params, products, strict=True)]


def curvature_row_by_row(loss, params, vs):
    products = []
    for p in params:
        gradients = mg.autograd.grad(loss(), params, create_graph=True)
        along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
        products += mg.autograd.grad(along, p, materialize_grads=True)
    return products


def curvature_column_by_column(loss, params, vs):
    total = [mg.zeros_like(p).detach() for p in params]
    for p, v in zip(params, vs, strict=True):
        (g,) = mg.autograd.grad(loss(), p, create_graph=True)
        if g.requires_grad:
            column = mg.autograd.grad(g, params, v, materialize_grads=True)
            total = [t + c for t, c in zip(total, column, strict=True)]
    return total


def curvature_of_blocks(loss, params, vs):
    products = []
    for p, v in zip(params, vs, strict=True):
        (g,) = mg.autograd.grad(loss(), p, create_graph=True)
        products.append(mg.autograd.grad((g * v).sum(), p, materialize_grads=True)[0] if g.requires_grad else mg.zeros_like(p))
    return products


def curvature_of_blocks_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    products = []
    for p, g, v in zip(params, gradients, vs, strict=True):
        product = mg.autograd.grad(g, p, v, retain_graph=True, allow_unused=True)[0] if g.requires_grad else None
        products.append(mg.zeros_like(v) if product is None else product)
    return products


def curvature_of_used(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
    return list(mg.autograd.grad(along, params))


def curvature_of_used_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), list(params), create_graph=True)
    along = mg.stack([mg.sum(g * v) for g, v in zip(gradients, vs, strict=True)]).sum()
    return mg.autograd.grad(along, params)


def curvature_unweighted(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    return list(mg.autograd.grad(sum(g.sum() for g in gradients), params, materialize_grads=True))


def curvature_unweighted_again(loss, params, vs):
    return curvature_by_cotangents(loss, params, [mg.ones_like(v) for v in vs])


def curvature_flat(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params)
    along = sum((g * v).sum() for g, v in zip(gradients, vs, strict=True))
    return list(mg.autograd.grad(along, params))


def curvature_flat_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, retain_graph=True)
    return list(mg.autograd.grad(gradients, params, vs, allow_unused=True))


def curvature_by_backward(loss, params, vs):
    loss().backward(create_graph=True)
    sum((p.grad * v).sum() for p, v in zip(params, vs, strict=True)).backward()
    return [p.grad.detach() for p in params]


def curvature_by_backward_again(loss, params, vs):
    gradients = mg.autograd.grad(loss(), params, create_graph=True)
    loss().backward()
    mg.stack([(g * v).sum() for g, v in zip(gradients, vs, strict=True)]).sum().backward()
    return [p.grad for p in params]


def loss_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    def case(label: str, params: list[Any], loss: Callable[[], Any]) -> Case:
        return Case(label, (loss, params, [random_tensor(rng, dtype, *p.shape) for p in params]))

    x, target = random_tensor(rng, dtype, 6, 3), random_tensor(rng, dtype, 6, 2)
    W, b, U = leaf(3, 4), leaf(4), leaf(4, 2)
    A, c, d = leaf(3, 2), leaf(2), leaf(2)
    w = leaf(3)
    return [
        case("two layers: W, b and U", [W, b, U], lambda: ((mg.tanh(x @ W + b) @ U - target) ** 2).mean()),
        case("one layer, and a d that is only added", [A, c, d], lambda: (mg.tanh(x @ A) * c).mean() + d.sum()),
        case("one parameter", [w], lambda: (mg.sin(x @ w) ** 2).sum()),
    ]


def loss_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = (mg.tensor(value, dtype=dtype, requires_grad=True) for value in (0.7, -1.2))
    vs = [mg.tensor(value, dtype=dtype) for value in (2.0, 3.0)]
    return [
        Case("numbers of shape ()", (lambda: mg.exp(a * b), [a, b], vs)),
        Case("v is 0", (lambda: mg.exp(a * b), [a, b], [0 * v for v in vs])),
    ]


def watch_curvature(answer: Callable[..., Any], loss: Callable[[], Any], params: list[Any], vs: list[Any]) -> Any:
    calls = []

    def counted() -> Any:
        calls.append(loss())
        return calls[-1]

    found = answer(counted, params, vs)
    if not isinstance(found, list | tuple) or len(found) != len(params) or not all(isinstance(h, mg.Tensor) for h in found):
        return unfit(found, "a list with a Tensor for each parameter")
    seen: dict[str, Any] = {f"H v for params[{k}]": product.detach() for k, product in enumerate(found)}
    written = [k for k, p in enumerate(params) if p.grad is not None]
    return seen | {"what stands in .grad": written or "nothing", "cost_calls of loss": len(calls)}


register(
    Exercise(
        id="09.8",
        title="The curvature of a real loss",
        difficulty=3,
        minutes=8,
        reference=curvature,
        cases=loss_cases,
        edges=loss_edges,
        observe=watch_curvature,
        may_change_inputs=True,
        alternatives={"with v for cotangents": curvature_by_cotangents},
        wasteful={
            "everything anew for each parameter": Mistake(
                curvature_row_by_row,
                "Right, but you compute the loss and its gradient anew for each parameter. One number, the sum of all g · v, and one "
                "more pass for all parameters are enough.",
                again=curvature_column_by_column,
            ),
        },
        mistakes={
            "only the blocks on the diagonal": Mistake(
                curvature_of_blocks,
                "The gradient for `W` also changes when `U` moves. You let each parameter move by itself: that gives only the blocks "
                "on the diagonal of H. Sum g · v over **all** parameters first, then differentiate the sum.",
                again=curvature_of_blocks_again,
            ),
            "a parameter that the gradient does not depend on": Mistake(
                curvature_of_used,
                "The slope for a parameter that is only added is a constant, so no way leads back to that parameter. Its product is "
                "zeros: `materialize_grads=True` makes them, or `allow_unused=True` and a look for None.",
                again=curvature_of_used_again,
            ),
            "v is not used": Mistake(
                curvature_unweighted,
                "You differentiated the sum of all slopes, without `v`: that gives sums of rows of H. The weights belong inside the "
                "sum: (g * v).sum().",
                again=curvature_unweighted_again,
            ),
            "no graph": Mistake(
                curvature_flat,
                "The gradient has no graph, so it cannot be differentiated again. The first pass needs `create_graph=True`.",
                again=curvature_flat_again,
            ),
            "backward": Mistake(
                curvature_by_backward,
                "`backward` adds to `.grad`: there stands g + H v, and it stays there. `mg.autograd.grad` returns H v alone, and "
                "leaves `.grad` as it is.",
                again=curvature_by_backward_again,
            ),
        },
        hints=(
            "Think of all parameters as one long vector. H has a block for each **pair** of them: one says how the slopes for `W` "
            "change when `U` moves. Which blocks does the program use?",
            "```text\n        W     b     U\n  W   [ W,W | W,b | W,U ]   v_W\n  b   [ b,W | b,b | b,U ] · v_b\n"
            "  U   [ U,W | U,b | U,U ]   v_U\n```\n\nThe program has only the three blocks on the diagonal. "
            "g · v for the long vector is one number: the sum of (g * v).sum() over all parameters.",
            "```python\ngradients = mg.autograd.grad(loss(), params, create_graph=True)\n"
            "along = sum(___ for g, v in zip(gradients, vs))\nreturn list(mg.autograd.grad(___, params, materialize_grads=True))\n```",
        ),
        explanation="""\
The parameters of a model are one long vector in several pieces. So g · v is **one** number, added up over all pieces, and one pass
from it gives H v for all pieces at once: two passes, as for a single vector.

The program took the pieces one by one. It found how the slopes for `W` change when `W` moves, and left out how they change when
`b` or `U` moves. No error, and numbers of a plausible size: only a test against differences of the gradient shows it.

If the slopes do not depend on a parameter at all, no way leads there, and H v is zeros: `materialize_grads=True`.
""",
    )
)
