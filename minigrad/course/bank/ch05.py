"""Lab: plot f and f′.

Exercises 05.1 to 05.5: many slopes from one pass, a figure of them, when one pass is not enough, kinks, and branches.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch05 import sine_and_kinks  # noqa: F401

Array = np.ndarray
Draw = tuple[tuple[str, str, str], ...]  # (key, rule, code), in the order of the program


def numpy_type(dtype: Any) -> np.dtype:
    return mg.zeros(1, dtype=dtype).numpy().dtype


class Watch:
    """Counts the backward passes through the results of a function, and the calls with a dual number."""

    def __init__(self) -> None:
        self.passes = 0

    def around(self, f: Callable[..., Any]) -> Callable[..., Any]:
        def watched(x: Any) -> Any:
            if isinstance(x, mg.Tensor) and mg.autograd.forward_ad.unpack_dual(x).tangent is not None:
                self.passes += 1
            y = f(x)
            if y.requires_grad:
                y.register_hook(self.count)  # fires once in every backward pass that reaches y
            return y

        watched.__name__ = watched.__qualname__ = "f"
        return watched

    def count(self, g: Any) -> None:
        self.passes += 1


NOT_USED = {"autograd": "not used"}


# --- 05.1 f and f′ ------------------------------------------------------------------------------------------


def curve(f, xs):
    """The values and the slopes of f at the points xs, from one backward pass.

    f: takes a Tensor and works on each entry by itself. xs: a NumPy array of shape (n,).
    Returns two NumPy arrays of shape (n,): f(xs) and f′(xs).
    """
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return y.detach().numpy(), x.grad.numpy()


def curve_ones(f, xs):
    x = mg.tensor(xs).requires_grad_()
    y = f(x)
    y.backward(mg.ones_like(y))
    return [y.detach().numpy(), x.grad.numpy()]


def curve_ones_default(f, xs):
    x = mg.from_numpy(xs)
    x.requires_grad = True
    y = f(x)
    y.backward(gradient=mg.ones(len(xs)))
    return y.data.numpy(), x.grad


def curve_grad(f, xs):
    x = mg.from_numpy(xs.copy()).requires_grad_(True)
    y = f(x)
    (slopes,) = mg.autograd.grad(y.sum(), x)
    return np.array(y.tolist()), np.array(slopes.tolist())


def curve_vjp(f, xs):
    x = mg.tensor(xs)
    y, slopes = mg.autograd.functional.vjp(f, x, mg.ones_like(x))
    return y.numpy(), slopes.numpy()


def curve_forward(f, xs):
    fw: Any = mg.autograd.forward_ad
    x = mg.tensor(xs)
    with fw.dual_level():
        y, slopes = fw.unpack_dual(f(fw.make_dual(x, mg.ones_like(x))))
        return y.numpy(), slopes.numpy()


def curve_lists(f, xs):
    x = mg.tensor(list(xs), requires_grad=True)
    y = f(x)
    sum(y).backward()
    return y.tolist(), x.grad.tolist()


def curve_retained(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    for entry in y:
        entry.backward(retain_graph=True)
    return y.detach().numpy(), x.grad.numpy()


def curve_point_by_point(f, xs):
    ys, slopes = [], []
    for a in xs:
        x = mg.tensor(float(a), requires_grad=True)
        y = f(x)
        y.backward()
        ys.append(y.item())
        slopes.append(x.grad.item())
    return np.array(ys), np.array(slopes)


def curve_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b, c = (float(rng.uniform(0.6, 1.8) * rng.choice([-1, 1])) for _ in range(3))

    def points(n: int) -> Array:
        return np.sort(rng.normal(size=n)).astype(numpy_type(dtype))

    def ladder(x: Any) -> Any:
        for k in range(3):
            x = mg.sin(x + k) if k % 2 else a * x + x**2
        return x

    return [
        Case("sin(ax) + bx² at 7 points", (lambda x: mg.sin(a * x) + b * x**2, points(7))),
        Case("c exp(−x²) at 5 points", (lambda x: c * mg.exp(-(x**2)), points(5))),
        Case("tanh(ax) − x at 12 points", (lambda x: mg.tanh(a * x) - x, points(12))),
        Case("a function with a loop, at 6 points", (ladder, points(6))),
        Case("b|x| + c at 4 points", (lambda x: b * x.abs() + c, points(4))),
    ]


def watch_curve(answer: Callable[..., Any], f: Callable[..., Any], xs: Array) -> Any:
    watch = Watch()
    result = answer(watch.around(f), xs)
    if not isinstance(result, tuple | list) or len(result) != 2:
        return unfit(result, "a pair of NumPy arrays: the values and the slopes")
    ys, slopes = result
    if any(part is None for part in result):
        return {name: "None" for name, part in (("values", ys), ("slopes", slopes)) if part is None}
    if isinstance(ys, mg.Tensor):
        return {"values": "a Tensor, not a NumPy array"}
    if not watch.passes:
        return NOT_USED
    return {"values": ys, "slopes": slopes, "cost_passes": watch.passes}


def curve_by(finish: Callable[[Any, Any], None]) -> Callable[..., Any]:
    """Somebody who is right, except for how the slopes come about: finish(x, y) does the backward pass."""

    def curve(f: Any, xs: Any) -> Any:
        x = mg.tensor(xs, requires_grad=True)
        y = f(x)
        finish(x, y)
        return y.detach().numpy(), x.grad.numpy()

    return curve


def curve_differences(f, xs):
    with mg.no_grad():
        h = 1e-5
        return f(mg.tensor(xs)).numpy(), ((f(mg.tensor(xs + h)) - f(mg.tensor(xs - h))) / (2 * h)).numpy()


def curve_np_gradient(f, xs):
    ys = f(mg.tensor(xs)).numpy()
    return ys, np.gradient(ys, xs)


def curve_tensors(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return y, x.grad


def curve_tensors_detached(f, xs):
    y, slopes = curve_tensors(f, xs)
    return y.detach(), slopes


def curve_tracked(f, xs):
    y, slopes = curve_tensors(f, xs)
    return y.numpy(), slopes.numpy()


def curve_tracked_array(f, xs):
    y, slopes = curve_tensors(f, xs)
    return np.array(y), np.array(slopes)


def curve_swapped(f, xs):
    return curve(f, xs)[::-1]


def curve_swapped_grad(f, xs):
    y, slopes = curve_tensors(f, xs)
    return slopes.numpy(), y.detach().numpy()


def curve_constant(f, xs):
    x = mg.tensor(xs)
    y = f(x)
    y.sum().backward()
    return y.numpy(), x.grad.numpy()


def curve_constant_from(f, xs):
    x: Any = mg.from_numpy(xs)
    y = f(x)
    mg.autograd.backward(mg.sum(y))
    return y.numpy(), x.grad.numpy()


def curve_cut_off(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x).detach()
    y.sum().backward()
    return y.numpy(), x.grad.numpy()


def curve_array(f, xs):
    y = f(xs)
    y.sum().backward()
    return y.numpy(), xs.grad


def curve_array_copied(f, xs):
    x = np.array(xs)
    return f(x).detach().numpy(), x


def curve_points_cloned(f, xs):
    x = xs.clone().requires_grad_()
    y = f(x)
    y.sum().backward()
    return y.detach().numpy(), x.grad.numpy()


def curve_points_cloned_again(f, xs):
    points = xs
    return [part.numpy() for part in (f(points.clone()), points)]


def curve_grad_of_y(f, xs):
    ys, _ = curve(f, xs)
    return ys, mg.tensor(xs, requires_grad=True).grad


def curve_grad_of_a_copy(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return y.detach().numpy(), x.detach().grad


def curve_sum_returned(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x).sum()
    y.backward()
    return y.detach().numpy(), x.grad.numpy()


def curve_sum_item(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    total = mg.sum(f(x))
    (slopes,) = mg.autograd.grad(total, x)
    return total.item(), slopes.numpy()


def curve_loop_freed(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    for i in range(len(xs)):
        y[i].backward()
    return y.detach().numpy(), x.grad.numpy()


def each_entry(x: Any, y: Any) -> None:
    for entry in y:
        entry.backward()


def curve_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = numpy_type(dtype)
    return [
        Case("one point", (lambda x: mg.sin(x) + x, rng.normal(size=1).astype(precision))),
        Case("at 0, and at equal points", (lambda x: x**3 + 2 * x, np.array([0.0, 0.0, -1.0, 2.0], precision))),
        Case("a straight line", (lambda x: 3 * x - 1, rng.normal(size=4).astype(precision))),
        Case("points out of order", (lambda x: mg.exp(x), np.array([2.0, -1.0, 0.5], precision))),
    ]


register(
    Exercise(
        id="05.1",
        title="f and f′",
        difficulty=2,
        minutes=8,
        reference=curve,
        cases=curve_cases,
        edges=curve_edges,
        observe=watch_curve,
        tolerance=1e-5,
        alternatives={
            "gradient of ones": curve_ones,
            "ones of the default dtype": curve_ones_default,
            "autograd.grad": curve_grad,
            "functional.vjp": curve_vjp,
            "forward mode": curve_forward,
            "lists": curve_lists,
        },
        wasteful={
            "a pass for each point": Mistake(
                curve_retained,
                "Right, but you went backward once for each point. Entry i of `y` depends on entry i of `x` alone, so the "
                "entries do not get into each other's way: **one** pass from `y.sum()` brings all slopes at once.",
                again=curve_point_by_point,
            ),
        },
        mistakes={
            "mean": Mistake(
                curve_by(lambda x, y: y.mean().backward()),
                "N times too small, where N is the number of points: `mean` divides by N, and so does every slope. "
                "Take `sum`: its weight for each entry is 1.",
                again=curve_by(lambda x, y: (y.sum() / len(y)).backward()),
            ),
            "gradient=x": Mistake(
                curve_by(lambda x, y: y.backward(x.detach())),
                "Each slope is multiplied by its `x`. The `gradient` of `backward` is the weight of each output, not the place "
                "where you want the slope. All weights should be 1.",
                again=curve_by(lambda x, y: (x.detach() * y).sum().backward()),
            ),
            "gradient=y": Mistake(
                curve_by(lambda x, y: y.backward(y.detach())),
                "Each slope is multiplied by its value of `y`: these are the slopes of ½f². The weights should be 1.",
                again=curve_by(lambda x, y: (y**2 / 2).sum().backward()),
            ),
            "squared": Mistake(
                curve_by(lambda x, y: (y**2).sum().backward()),
                "These are the slopes of f²: each is 2·f too large. Sum `y` itself.",
                again=curve_by(lambda x, y: mg.dot(y, y).backward()),
            ),
            "no autograd": Mistake(
                curve_differences,
                "The slopes did not come from a backward pass: no autograd was used. Differences are off by a little everywhere, "
                "and by a lot near a kink. Let `y.sum().backward()` fill `x.grad`.",
                again=curve_np_gradient,
            ),
            "not summed": Mistake(
                curve_by(lambda x, y: y.backward()),
                "`y` has one entry for each point, and `backward` wants one number to start from, or a weight for each entry. "
                "Sum first: in the sum each entry has the weight 1.",
                again=curve_by(lambda x, y: mg.autograd.backward(y)),
            ),
            "not a leaf with a gradient": Mistake(
                curve_constant,
                "When `backward` was called, there was no history to go back through. Either nobody asked for a gradient: make `x` "
                "with `requires_grad=True`. Or the history was cut off too soon, by `detach` or `no_grad`: first go backward, then "
                "`detach`.",
                again=curve_constant_from,
            ),
            "the array itself": Mistake(
                curve_array,
                "`xs` is a NumPy array: it records nothing, and `f` wants a Tensor. Make a leaf of it first: "
                "`x = mg.tensor(xs, requires_grad=True)`.",
                again=curve_array_copied,
            ),
            "the points were a Tensor": Mistake(
                curve_points_cloned,
                "In the lesson the points were a Tensor; here `xs` is a NumPy array, which has no `clone`. "
                "`mg.tensor(xs, requires_grad=True)` copies the numbers and makes a leaf, in one step.",
                again=curve_points_cloned_again,
            ),
            "no slopes in it": Mistake(
                curve_grad_of_y,
                "Your slopes are None. `backward` fills the `.grad` of **leaves**, and of no result: look at `x.grad`, with the `x` "
                "that went into `f`.",
                again=curve_grad_of_a_copy,
            ),
            "the sum for the values": Mistake(
                curve_sum_returned,
                "The slopes are right. But where the values are wanted you return their **sum**. Keep `y = f(x)` under a name of its "
                "own, and call `y.sum().backward()`.",
                again=curve_sum_item,
            ),
            "added up twice": Mistake(
                curve_by(lambda x, y: (y.sum().backward(retain_graph=True), y.sum().backward())),
                "Your slopes are twice too large: two passes wrote into one `x.grad`, and it adds up. One pass is enough.",
                again=curve_by(lambda x, y: (2 * y).sum().backward()),
            ),
            "freed": Mistake(
                curve_loop_freed,
                "The first of your passes has freed what the second needs. Do not reach for `retain_graph`: **one** pass is "
                "enough. Sum `y`, and go back from the sum.",
                again=curve_by(each_entry),
            ),
            "numpy() of a tracked tensor": Mistake(
                curve_tracked,
                "`y` still has its history, and NumPy cannot carry one. Cut it off first: `y.detach().numpy()`.",
                again=curve_tracked_array,
            ),
            "tensors": Mistake(
                curve_tensors,
                "You return Tensors; NumPy arrays are wanted, ready for any plotting library: `y.detach().numpy()` and "
                "`x.grad.numpy()`.",
                again=curve_tensors_detached,
            ),
            "swapped": Mistake(
                curve_swapped,
                "Right numbers, wrong order: first the values, then the slopes.",
                again=curve_swapped_grad,
            ),
        },
        hints=(
            "`f` works on each entry by itself, so its Jacobian is diagonal, and the slopes are on the diagonal. Which `v` makes "
            "vᵀJ the diagonal?",
            "```text\nx[0] ──► y[0] ──┐\nx[1] ──► y[1] ──┼──► sum      ∂sum/∂x[1] = ∂y[1]/∂x[1]: no other path\n"
            "x[2] ──► y[2] ──┘\n```\n\nFirst a leaf made from `xs`, then `f`, then one backward pass from the sum.",
            "```python\nx = mg.tensor(xs, ___=True)\ny = f(x)\ny.___().backward()\nreturn y.___().numpy(), x.___.numpy()\n```",
        ),
        explanation="""\
Entry i of `y` depends on entry i of `x` and on no other, so J is diagonal, with the slopes f′(xᵢ) on the diagonal.
`y.sum()` gives every row the weight 1. The sum of the rows of a diagonal matrix is its diagonal: all slopes, in one
pass.

`mean` has the weights 1/N, `y.backward(x)` the weights x: they give slopes, but those of another function.

A pass for each point gives the same numbers for N times the price. Each pass then looks at one row, in which there is
one number that is not 0.

At the end `detach` cuts the values off from their history: NumPy holds numbers, and no graph. `x.grad` has no history
to begin with. Nowhere was a formula for f′ needed, and `f` may have loops in it.
""",
    )
)


# --- 05.2 The figure ----------------------------------------------------------------------------------------


def draw(ax, f, xs):
    """Draw f and its computed slopes over xs.

    ax: matplotlib Axes. f: as in 05.1. xs: a NumPy array of shape (n,), in rising order.
    Two lines, a legend that names both, and a name for the x axis. Returns nothing.
    """
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    ax.plot(xs, y.detach().numpy(), label="f(x)")
    ax.plot(xs, x.grad.numpy(), label="f′(x)")
    ax.set_xlabel("x")
    ax.legend()


def draw_in_one(ax, f, xs):
    ys, slopes = curve(f, xs)
    ax.plot(xs, ys, "-", xs, slopes, "--")
    ax.legend(["f", "slope"], loc="best")
    ax.set(xlabel="$x$", title="f")


def draw_tensors(ax, f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.backward(mg.ones_like(y))
    x, y, slopes = x.detach(), y.detach(), x.grad
    ax.plot(x, y, label="f")
    ax.plot(x, slopes, label="df/dx")
    ax.axhline(0, color="grey")
    ax.set_xlabel("x")
    ax.figure.legend()


def draw_lists(ax, f, xs):
    ys, slopes = curve(f, xs)
    (first,) = ax.plot(xs.tolist(), ys.tolist())
    (second,) = ax.plot(xs.tolist(), slopes.tolist())
    ax.legend(handles=[first, second], labels=["f", "f'"])
    ax.set_xlabel("place")


def draw_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = rng.uniform(0.5, 1.5, size=2).tolist()

    def points(n: int) -> Array:
        return np.linspace(-2, 2 + a, n).astype(numpy_type(dtype))

    return [
        Case("sin(ax) + bx over 40 points", (lambda x: mg.sin(a * x) + b * x, points(40))),
        Case("x exp(−bx²) over 33 points", (lambda x: x * mg.exp(-b * x**2), points(33))),
    ]


def is_line(line: Any, xs: Array, ys: Array) -> bool:
    x, y = (np.asarray(part, dtype=float) for part in (line.get_xdata(), line.get_ydata()))
    return x.shape == xs.shape and y.shape == ys.shape and bool(np.allclose(x, xs, atol=1e-5) and np.allclose(y, ys, atol=1e-4))


def how_drawn(lines: list[Any], xs: Array, ys: Array) -> str:
    """In a word, how a line with these values is drawn."""
    if any(is_line(line, xs, ys) for line in lines):
        return "drawn"
    if any(is_line(line, np.arange(len(xs)), ys) for line in lines):
        return "drawn over 0, 1, 2, …"
    return "drawn, but N times too small" if any(is_line(line, xs, ys / len(xs)) for line in lines) else "missing"


def legend_of(ax: Any) -> str:
    legends = [legend for legend in (ax.get_legend(), *ax.figure.legends) if legend is not None]
    entries = [text.get_text() for legend in legends for text in legend.get_texts()]
    entries = [entry for entry in entries if entry.strip() and not entry.startswith("_")]
    if not legends or not entries:
        return "without entries" if legends else "missing"
    return "one entry" if len(entries) == 1 else "one name for two lines" if len(set(entries)) == 1 else "names both"


def named_crosswise(lines: list[Any], xs: Array, ys: Array, slopes: Array) -> bool:
    """Whether the values have the name of a slope, and the slopes have not."""
    told = [
        [bool(re.search(r"['′’]|slope|deriv|grad|/ ?dx", str(line.get_label()))) for line in lines if is_line(line, xs, part)]
        for part in (ys, slopes)
    ]
    hidden = any(str(line.get_label()).startswith("_") for line in lines if is_line(line, xs, slopes))
    return told == [[True], [False]] and not hidden


def new_axes() -> Any:
    from matplotlib.figure import Figure

    return Figure().subplots()


def open_figures() -> set[int]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return set() if pyplot is None else set(pyplot.get_fignums())


def close_figures(but: set[int]) -> None:
    """Close what an answer has opened with pyplot: it would be shown below the check."""
    for number in open_figures() - but:
        sys.modules["matplotlib.pyplot"].close(number)


def watch_draw(answer: Callable[..., Any], f: Callable[..., Any], xs: Array) -> Any:
    ax, before = new_axes(), open_figures()
    try:
        answer(ax, f, xs)
    finally:
        close_figures(before)
    ys, slopes = curve(f, xs)
    lines = list(ax.get_lines())
    if not lines:
        return {"lines": "points, but no line" if ax.collections else "none on the ax that was given"}
    return {
        "the line of f": how_drawn(lines, xs, ys),
        "the line of f′": how_drawn(lines, xs, slopes),
        "the legend": "names exchanged" if named_crosswise(lines, xs, ys, slopes) else legend_of(ax),
        "the name of the x axis": "there" if ax.get_xlabel().strip() else "missing",
    }


def drawing(plot: Callable[[Any, Any, Any, Any], Any], *, x: bool = True, legend: bool = True) -> Callable[..., Any]:
    """Somebody who is right, except for the lines, which plot(ax, xs, values, slopes) draws, or for what is left out."""

    def draw(ax: Any, f: Any, xs: Any) -> None:
        plot(ax, xs, *curve(f, xs))
        if x:
            ax.set_xlabel("x")
        if legend:
            ax.legend()

    return draw


def both_lines(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, ys, label="f")
    ax.plot(xs, slopes, label="f′")


def both_lines_slope_first(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, slopes, "--", label="slope")
    ax.plot(xs, ys, "o-", label="value")


def without_labels(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, ys)
    ax.plot(xs, slopes)
    ax.legend(handles=[])  # what ax.legend() makes of it, without its warning


def without_labels_in_one(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, ys, xs, slopes)
    ax.legend(handles=[])


def over_indices(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(ys, label="f")
    ax.plot(slopes, label="f′")


def over_indices_range(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    for values, label in ((ys, "f"), (slopes, "f′")):
        ax.plot(range(len(xs)), values, label=label)


def draw_tracked(ax, f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    ax.plot(xs, y, label="f")
    ax.plot(xs, x.grad, label="f′")
    ax.legend()


def draw_tracked_numpy(ax, f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    both_lines(ax, xs, y.numpy(), x.grad.numpy())


def one_name(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    for values in (ys, slopes):
        ax.plot(xs, values, label="f")


def scattered(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.scatter(xs, ys, label="f")
    ax.scatter(xs, slopes, label="f′")


def drawn_elsewhere(ax, f, xs):
    draw(new_axes(), f, xs)


register(
    Exercise(
        id="05.2",
        title="The figure",
        difficulty=1,
        minutes=6,
        reference=draw,
        cases=draw_cases,
        without={
            "edges": "a line needs several points; what is drawn is compared by its numbers",
        },
        observe=watch_draw,
        alternatives={"in one call": draw_in_one, "detached tensors": draw_tensors, "lists and handles": draw_lists},
        mistakes={
            "a tracked tensor": Mistake(
                draw_tracked,
                "*Can't call numpy() on Tensor that requires grad.* matplotlib turns what it gets into NumPy arrays, and your "
                "tensor still has its history. Give it `y.detach().numpy()`. (`x.grad` has no history, and may go as it is.)",
                again=draw_tracked_numpy,
            ),
            "nothing on ax": Mistake(
                drawn_elsewhere,
                "There is no line on the `ax` that you were given. Draw with `ax.plot(…)`: `plt.plot(…)` draws on another figure.",
                again=lambda ax, f, xs: curve(f, xs) and None,
            ),
            "points": Mistake(
                drawing(scattered),
                "`scatter` draws points. Asked for are lines, which also show where a slope jumps: `ax.plot(xs, …)`.",
                again=drawing(lambda ax, xs, ys, slopes: scattered(ax, xs, slopes, ys), x=False),
            ),
            "no slopes": Mistake(
                drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, label="f") and ax.plot(xs, 0 * ys, label="zero")),
                "The line of f is there, that of f′ is not. It is `x.grad` over `xs`, after `y.sum().backward()`.",
                again=drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, label="f") and ax.plot(xs, -slopes, label="f′")),
            ),
            "no values": Mistake(
                drawing(lambda ax, xs, ys, slopes: ax.plot(xs, slopes, label="f′") and ax.plot(xs, 0 * ys, label="zero")),
                "The line of f′ is there, that of f is not. Draw `y.detach().numpy()` over `xs` too.",
                again=drawing(lambda ax, xs, ys, slopes: ax.plot(xs, slopes, label="f′") and ax.plot(xs, xs, label="x")),
            ),
            "only the values": Mistake(
                drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, label="f")),
                "There is one line where two are wanted: the slopes are missing. Draw `x.grad` over `xs` as well.",
                again=drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, "--", label="values")),
            ),
            "only the slopes": Mistake(
                drawing(lambda ax, xs, ys, slopes: ax.plot(xs, slopes, label="f′")),
                "There is one line where two are wanted: the values are missing. Draw `y.detach().numpy()` over `xs` as well.",
                again=drawing(lambda ax, xs, ys, slopes: ax.plot(xs, slopes, "--", label="slopes")),
            ),
            "one name for both": Mistake(
                drawing(one_name),
                "Both lines have the same name in the legend, so nobody can tell which is which. Give each a label of its own.",
                again=drawing(lambda ax, xs, ys, slopes: (ax.plot(xs, ys, xs, slopes), ax.legend(["y", "y"])), legend=False),
            ),
            "names exchanged": Mistake(
                drawing(lambda ax, xs, ys, slopes: both_lines(ax, xs, slopes, ys)),
                "Both lines are right, and their names are exchanged: the values are labelled as the slopes, and the slopes as f.",
                again=drawing(lambda ax, xs, ys, slopes: both_lines_slope_first(ax, xs, slopes, ys)),
            ),
            "mean": Mistake(
                drawing(lambda ax, xs, ys, slopes: both_lines(ax, xs, ys, slopes / len(xs))),
                "The line of f′ is N times too flat, where N is the number of points. `mean` divides by N: take `sum`.",
                again=drawing(lambda ax, xs, ys, slopes: both_lines_slope_first(ax, xs, ys, slopes / len(ys))),
            ),
            "no legend": Mistake(
                drawing(both_lines, legend=False),
                "Both lines are there, but nobody can tell which is which: there is no legend. `ax.legend()` shows the labels "
                "of the lines.",
                again=drawing(both_lines_slope_first, legend=False),
            ),
            "no labels": Mistake(
                drawing(without_labels, legend=False),
                'There is a legend, but it is empty: give each line its name, `ax.plot(…, label="f(x)")`, before you '
                "call `ax.legend()`.",
                again=drawing(without_labels_in_one, legend=False),
            ),
            "the axis has no name": Mistake(
                drawing(both_lines, x=False),
                'One thing is missing: the name of the x axis. `ax.set_xlabel("x")`.',
                again=drawing(both_lines_slope_first, x=False),
            ),
            "neither legend nor name": Mistake(
                drawing(both_lines, x=False, legend=False),
                "The lines are right. Now say what is what: a label for each line and `ax.legend()`, and a name for the x axis, "
                '`ax.set_xlabel("x")`.',
                again=drawing(both_lines_slope_first, x=False, legend=False),
            ),
            "over the indices": Mistake(
                drawing(over_indices),
                "The values are right, but they are drawn over 0, 1, 2, … `ax.plot` wants the places first: `ax.plot(xs, …)`.",
                again=drawing(over_indices_range),
            ),
        },
        hints=(
            "A plotting library knows nothing of graphs. It wants numbers: the values without their history, and the slopes, "
            "which have none.",
            "```text\nxs ──► x (leaf) ──► y ──► y.sum().backward()\n│                   │\n├─ over xs ── y, cut off from its history\n"
            "└─ over xs ── x.grad\n```\n\nThen the words: a label for each line, the legend, the name of the x axis.",
            "```python\nys, slopes = curve(f, xs)          # your 05.1\nax.plot(xs, ys, label=___)\nax.plot(___, ___, label=___)\n"
            "ax.set_xlabel(___)\nax.___()\n```",
        ),
        explanation="""\
matplotlib turns what it gets into NumPy arrays. A tensor with a history refuses, so that nobody loses it by accident:
`detach()` says that you mean it. `x.grad` was computed without recording, so it has no history.

`draw` gets the `ax` and returns nothing: so the same function fills one panel or a grid of six.
""",
    )
)


# --- 05.3 When the trick lies -------------------------------------------------------------------------------


def is_elementwise(f, x):
    """Whether entry i of f(x) depends, at x, on entry i of x only: is the Jacobian diagonal?

    f: takes a Tensor of shape (n,), returns one of shape (n,). x: a leaf of shape (n,) that requires grad.
    Returns True or False.
    """
    x.grad = None
    f(x).sum().backward()
    slopes = x.grad
    x.grad = None
    v = mg.randn(len(x), dtype=x.dtype)
    f(x).backward(v)
    return mg.allclose(x.grad, v * slopes)


def weighted(f: Any, x: Any, v: Any) -> Any:
    """vᵀJ"""
    return mg.autograd.grad(f(x), x, v)[0]


def whole_jacobian(f: Any, x: Any) -> Any:
    return mg.stack([weighted(f, x, row) for row in mg.eye(len(x), dtype=x.dtype)])


def elementwise_twice(f, x):
    """Two random v: for a diagonal J, vᵀJ / v is the same for both."""
    v, w = (mg.rand(len(x), dtype=x.dtype) + 0.5 for _ in range(2))
    return bool(mg.allclose(weighted(f, x, v) / v, weighted(f, x, w) / w, rtol=1e-4, atol=1e-6))


def elementwise_numpy(f, x):
    y = f(x)
    v = np.random.default_rng(5).normal(size=len(x))
    x.grad = None
    y.backward(mg.ones_like(y), retain_graph=True)
    slopes = x.grad.numpy().copy()
    x.grad.zero_()
    y.backward(mg.tensor(v, dtype=x.dtype))
    return np.allclose(x.grad.numpy(), v * slopes, rtol=1e-4, atol=1e-6)


def elementwise_masked(f, x):
    """A 0 in v must come back as a 0, and the others as if it were a 1."""
    n = len(x)
    v = (mg.arange(float(n)) + 1).to(x.dtype)
    return (weighted(f, x, v) - v * weighted(f, x, mg.ones_like(x))).abs().max().item() < 1e-4


def elementwise_moved(f, x):
    """Without any backward pass: move one entry, and look at the others."""
    with mg.no_grad():
        y = f(x)
        for k in range(len(x)):
            moved = x.clone()
            moved[k] += 0.1
            others = [i for i in range(len(x)) if i != k]
            if not mg.allclose(f(moved)[others], y[others]):
                return False
    return True


def elementwise_jacobian(f, x):
    J = whole_jacobian(f, x)
    return bool(mg.allclose(J, mg.diag(mg.diag(J))))


def elementwise_rows(f, x):
    for i in range(len(x)):
        x.grad = None
        f(x)[i].backward()
        row = x.grad.clone()
        row[i] = 0
        if row.abs().max() > 1e-6:
            for _ in range(i + 1, len(x)):
                f(x)[i].backward()  # so that it costs the same for every f: this is a test of the note
            return False
    return True


def elementwise_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a = float(rng.uniform(0.6, 1.8))

    def leaf(n: int) -> Any:
        return mg.tensor(rng.normal(size=n) + np.where(np.arange(n) % 2, 1.5, -1.5), dtype=dtype, requires_grad=True)

    w = mg.tensor(rng.uniform(0.5, 2.0, size=6), dtype=dtype)
    cases: list[tuple[str, Callable[[Any], Any], int]] = [
        ("sin(ax), n = 5", lambda x: mg.sin(a * x), 5),
        ("cumsum(x), n = 4", lambda x: mg.cumsum(x, 0), 4),
        ("softmax(x), n = 5", lambda x: mg.softmax(x, 0), 5),
        ("x shifted by one place, n = 6", lambda x: mg.roll(x, 1), 6),
        ("exp(x) / (1 + exp(x)), n = 4", lambda x: mg.exp(x) / (1 + mg.exp(x)), 4),
        ("w * x², with a weight for each place, n = 6", lambda x: w * x**2, 6),
        ("x − x.mean(), n = 7", lambda x: x - x.mean(), 7),
        ("x + next − previous, n = 5", lambda x: x + mg.roll(x, -1) - mg.roll(x, 1), 5),
        ("floor(x), n = 3", mg.floor, 3),
        ("x * x.norm(), n = 3", lambda x: x * x.norm(), 3),
    ]
    equal = mg.full((4,), a, dtype=dtype, requires_grad=True)  # weights that are taken from x are all the same here
    return [*(Case(label, (f, leaf(n))) for label, f, n in cases), Case("x * x.sum(), where all x are equal", (mixed, equal))]


def mixed(x: Any) -> Any:
    return x * x.sum()


def watch_elementwise(answer: Callable[..., Any], f: Callable[..., Any], x: Any) -> Any:
    watch = Watch()
    verdict = answer(watch.around(f), x)
    if isinstance(verdict, mg.Tensor) and verdict.numel() == 1 and verdict.dtype == mg.bool:
        verdict = verdict.item()
    if not isinstance(verdict, bool | np.bool_):
        return unfit(verdict, "True or False")
    return {"returns": bool(verdict), "cost_passes": watch.passes}


def alone(f: Any, x: Any, entry: Callable[[Any, int], Any]) -> Any:
    """The slopes of f, each entry sent through it alone."""
    return mg.stack([mg.autograd.grad(f(entry(x, i)).sum(), x)[0][i] for i in range(len(x))])


def sums_only(f, x):
    slopes = weighted(f, x, mg.ones_like(x))
    return bool(mg.allclose(slopes, alone(f, x, lambda x, i: x[i : i + 1])))


def sums_only_loop(f, x):
    x.grad = None
    f(x).sum().backward()
    slopes = x.grad.tolist()
    for i, slope in enumerate(slopes):
        single = mg.tensor([x[i].item()], dtype=x.dtype, requires_grad=True)
        f(single).sum().backward()
        if abs(single.grad.item() - slope) > 1e-6:
            return False
    return True


def ones_and_ones(f, x):
    a = weighted(f, x, mg.ones_like(x))
    return bool(mg.allclose(weighted(f, x, mg.ones_like(x)), mg.ones_like(x) * a))


def shape_only(f, x):
    return f(x).shape == x.shape


def values_alone(f, x):
    with mg.no_grad():
        return all(mg.allclose(f(x[i : i + 1]), f(x)[i]) for i in range(len(x)))


def values_alone_loop(f, x):
    y = f(x).detach()
    for i in range(len(x)):
        single = f(x[i].reshape(1)).detach()
        if single.shape != (1,) or abs(single.item() - y[i].item()) > 1e-6:
            return False
    return True


def shuffled(f, x):
    order = list(range(1, len(x))) + [0]
    return bool(mg.allclose(f(x[order]), f(x)[order]))


def shuffled_numpy(f, x):
    order = np.roll(np.arange(len(x)), 1).tolist()
    with mg.no_grad():
        return bool(np.allclose(f(x[order]).numpy(), f(x).numpy()[order]))


def diagonal_against_sums(f, x):
    return bool(mg.allclose(mg.diag(whole_jacobian(f, x)), weighted(f, x, mg.ones_like(x))))


def diagonal_against_sums_numpy(f, x):
    J = whole_jacobian(f, x).numpy()
    return bool(np.allclose(J.sum(0), np.diagonal(J)))


def not_cleared(f, x):
    x.grad = None
    f(x).sum().backward()
    slopes = x.grad.clone()
    v = mg.randn(len(x), dtype=x.dtype)
    f(x).backward(v)
    return bool(mg.allclose(x.grad, v * slopes))


def not_weighted(f, x):
    slopes = weighted(f, x, mg.ones_like(x))
    return bool(mg.allclose(weighted(f, x, mg.randn(len(x), dtype=x.dtype)), slopes))


def divided(f, x):
    v = mg.randn(len(x), dtype=x.dtype)
    return bool(mg.allclose(weighted(f, x, v) / weighted(f, x, mg.ones_like(x)), v))


def divided_twice(f, x):
    slopes, v, w = weighted(f, x, mg.ones_like(x)), mg.rand(len(x), dtype=x.dtype), mg.randn(len(x), dtype=x.dtype)
    return all(np.allclose((weighted(f, x, u) / slopes).numpy(), u.numpy()) for u in (v, w))


def weights_from_x(f, x):
    v = x.detach()
    return bool(mg.allclose(weighted(f, x, v), v * weighted(f, x, mg.ones_like(x))))


def weights_from_x_backward(f, x):
    x.grad = None
    f(x).sum().backward()
    slopes, x.grad = x.grad, None
    f(x).backward(2 * x.detach())
    return np.allclose(x.grad.numpy(), (2 * x.detach() * slopes).numpy())


def first_row(f, x):
    v = mg.zeros_like(x)
    v[0] = 1.0
    return bool(mg.allclose(weighted(f, x, v)[1:], mg.zeros(len(x) - 1, dtype=x.dtype)))


def first_row_backward(f, x):
    x.grad = None
    f(x)[0].backward()
    return not x.grad[1:].abs().max().item() > 1e-6


def turned_round(f, x):
    return not is_elementwise(f, x)


def turned_round_jacobian(f, x):
    J = whole_jacobian(f, x).numpy()
    return bool(np.abs(J - np.diag(np.diagonal(J))).max() > 1e-6)


def still_a_tuple(f, x):
    y, v = f(x), mg.randn(len(x), dtype=x.dtype)
    slopes = mg.autograd.grad(y, x, mg.ones_like(y), retain_graph=True)
    return mg.allclose(mg.autograd.grad(y, x, v), v * slopes)


def still_a_tuple_list(f, x):
    v = mg.rand(len(x), dtype=x.dtype)
    rows = [mg.autograd.grad(f(x), x, u) for u in (mg.ones_like(x), v)]
    return all(mg.allclose(w, u) for w, u in zip(rows[1], rows[0] * v, strict=True))


def one_number(f, x):
    x.grad = None
    f(x).sum().backward()
    total = x.grad.sum()
    x.grad = None
    f(x).backward(mg.full((len(x),), 3.0, dtype=x.dtype))
    return bool(mg.allclose(x.grad.sum(), 3 * total))


def elementwise_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5, n), dtype=dtype, requires_grad=True)

    stale, mixing = leaf(4), leaf(4)
    stale.grad, mixing.grad = (mg.tensor(rng.normal(size=4), dtype=dtype) for _ in range(2))
    last = mg.tensor([0.0, 0.0, 0.0, 0.0, 1.0], dtype=dtype)
    return [
        Case("one number, n = 1", (lambda x: x * x.sum(), leaf(1))),
        Case("x**3, where x.grad holds a gradient from before", (lambda x: x**3, stale)),
        Case("x * x.sum(), where x.grad holds a gradient from before", (lambda x: x * x.sum(), mixing)),
        Case("x + x shifted by two places, n = 6", (lambda x: x + mg.roll(x, 2), leaf(6))),
        Case("x + x turned round, n = 4", (lambda x: x + x.flip(0), leaf(4))),
        Case("only the last output sees the first input, n = 5", (lambda x: x + last * x[0], leaf(5))),
        Case("only the first output sees the last input, n = 5", (lambda x: x + last.flip(0) * x[4] ** 2, leaf(5))),
        Case("0 · x, n = 3", (lambda x: 0 * x, leaf(3))),
    ]


register(
    Exercise(
        id="05.3",
        title="When the trick lies",
        difficulty=3,
        minutes=11,
        reference=is_elementwise,
        cases=elementwise_cases,
        edges=elementwise_edges,
        observe=watch_elementwise,
        alternatives={
            "two random v": elementwise_twice,
            "NumPy, one graph": elementwise_numpy,
            "1, 2, 3, …": elementwise_masked,
            "moving one entry": elementwise_moved,
        },
        wasteful={
            "the whole Jacobian": Mistake(
                elementwise_jacobian,
                "Right, but you went backward once for each output, n passes in all. **Two** are enough: one with ones, one with a "
                "random `v`. If J is diagonal, the second result is `v` times the first, place by place.",
                again=elementwise_rows,
            ),
        },
        mistakes={
            "compares only the sums": Mistake(
                sums_only,
                "You compare what comes from the **sum** with what each entry gives alone. softmax always sums to 1, so its slopes "
                "are 0 in both, and yet every output depends on every input. Give the outputs different weights: a random `v`, and "
                "compare with `v` times the slopes that ones gave.",
                again=sums_only_loop,
            ),
            "ones are blind": Mistake(
                ones_and_ones,
                "Your function says True of every f. With equal weights for all outputs (and with shapes alone) nothing can be told "
                "apart. Give each output a weight of its own: a random `v`.",
                again=one_number,
            ),
            "the weights are x": Mistake(
                weights_from_x,
                "You take the weights from `x`, and here all of `x` is equal: so they are as blind as ones. `v` must not depend on "
                "the place that is asked about. Draw it at random.",
                again=weights_from_x_backward,
            ),
            "one row": Mistake(
                first_row,
                "You look at **one** row of J. In `cumsum` the first output really hangs on the first input alone; the others do not. "
                "A `v` without zeros asks all rows at once.",
                again=first_row_backward,
            ),
            "turned round": Mistake(
                turned_round,
                "Every answer is the opposite: `True` means that the Jacobian **is** diagonal.",
                again=turned_round_jacobian,
            ),
            "still in a tuple": Mistake(
                still_a_tuple,
                "`mg.autograd.grad` returns a **tuple**, with one gradient for each input. Take it out: `mg.autograd.grad(…)[0]`.",
                again=still_a_tuple_list,
            ),
            "one entry at a time": Mistake(
                values_alone,
                "`w * x²` with a weight for each place was turned down, though output i looks at `x[i]` alone. Its weights fit n "
                "entries only: a single entry sent through f alone meets all of them. Leave x whole, and ask the Jacobian.",
                again=values_alone_loop,
            ),
            "shuffled": Mistake(
                shuffled,
                "You shuffle the entries and look whether the result is shuffled the same way. That is another property: softmax has "
                "it and mixes, `w * x²` has it not and does not mix. Ask the Jacobian: is it diagonal?",
                again=shuffled_numpy,
            ),
            "the diagonal against the sums": Mistake(
                diagonal_against_sums,
                "In each column you compare the sum with the diagonal. `x + next − previous` gets through: what is off the diagonal "
                "**cancels** in the sum. Look at the other entries themselves, or use a random `v`: then nothing cancels.",
                again=diagonal_against_sums_numpy,
            ),
            "divided by the slopes": Mistake(
                divided,
                "The idea is right, but you **divide** by the slopes. Those of `floor` are 0, and 0 / 0 is nan, which equals "
                "nothing. Multiply instead: compare vᵀJ with `v` times the slopes.",
                again=divided_twice,
            ),
            "never true": Mistake(
                not_cleared,
                "Your function turns down even sin. Three things to look at. `x.grad` adds up: clear it with `x.grad = None` "
                "between the passes. With the weights `v` a diagonal J gives **v times** the slopes, not the slopes. And two "
                "computations of one number may differ in the last digit: `mg.allclose`, not `==`.",
                again=not_weighted,
            ),
        },
        hints=(
            "One pass with ones gives the sum of the rows. If J is diagonal, that is the diagonal. If it is not, several rows are "
            "mixed into one number, and you cannot see it. What if the rows had different weights?",
            "```text\n        diagonal J             some other J\nones    s0    s1    s2        sums of columns\n"
            "v       v0·s0 v1·s1 v2·s2     the same columns, weighted: not v times the sums\n```\n\nTwo passes, one comparison. "
            "A random `v` makes it unlikely that the right-hand side agrees by accident.",
            "```python\nx.grad = None\nf(x).sum().backward()\nslopes = x.grad\nx.grad = ___\nv = mg.randn(len(x), dtype=x.dtype)\n"
            "f(x).backward(___)\nreturn mg.allclose(x.grad, ___)\n```",
        ),
        explanation="""\
With ones, column j gives the sum Σᵢ Jᵢⱼ; with weights it gives Σᵢ vᵢ Jᵢⱼ. If J is diagonal, each column holds one
number, and the second is vⱼ times the first. If not, their difference is Σᵢ (vᵢ − vⱼ) Jᵢⱼ, and for a random `v` that
is 0 only by an unlikely accident.

Ones alone cannot tell. The columns of softmax sum to 0, those of x shifted by one place to 1, and those of `x + next
− previous` even to the diagonal, though every row has two more entries.

Two passes, for any n. To build all of J takes n passes and shows more: *which* outputs mix.

And a word on *at x*: the answer is about this point. `relu` of a mixture that happens to be negative has J = 0.
""",
    )
)


# --- 05.4 Kinks ---------------------------------------------------------------------------------------------

KINKS_SETUP = """\
def slope(f):
    x = mg.tensor(0.0, requires_grad=True)
    f(x).backward()
    return x.grad.item()

def shares(f):
    x = mg.tensor([2.0, 2.0, 2.0, 2.0], requires_grad=True)
    f(x).backward()
    return x.grad.tolist()

zero = mg.tensor(0.0)

"""

INF, NAN = float("inf"), float("nan")
EQUAL, FIRST = [0.25] * 4, [1.0, 0.0, 0.0, 0.0]

# One line of each rule is in every program. What is computed, by the rule, and the spellings.
KINKS: dict[str, tuple[Any, list[str]]] = {
    "relu": (0.0, ["mg.relu(x)", "x.relu()"]),
    "abs": (0.0, ["x.abs()", "mg.abs(x)", "2 * x.abs()"]),
    "tie with a constant": (0.5, ["mg.maximum(x, zero)", "mg.maximum(zero, x)", "mg.minimum(x, zero)"]),
    "tie of two lines": (2.0, ["mg.maximum(x, 3 * x)", "mg.minimum(x, 3 * x)", "mg.maximum(3 * x, x)"]),
    "clamp": (1.0, ["x.clamp(min=0)", "mg.clamp(x, min=0.0)", "x.clamp(max=0)", "mg.clamp(x, 0.0, 1.0)"]),
    "where, not above 0": (-1.0, ["mg.where(x > 0, x, -x)", "mg.where(x <= 0, -x, x)"]),
    "step": (0.0, ["x.sign()", "mg.sign(x)", "mg.floor(x)"]),
    "sqrt": (INF, ["mg.sqrt(x)", "x.sqrt()"]),
    "root of a square": (NAN, ["mg.sqrt(x**2)", "(x * x).sqrt()", "mg.sqrt(x * x)"]),
    "two relus": (0.0, ["mg.relu(x) - mg.relu(-x)", "x.relu() - (-x).relu()"]),
    "max of all": (EQUAL, ["x.max()", "x.min()", "mg.max(x)"]),
    "max along a dim": (FIRST, ["x.max(0).values", "x.max(dim=0).values", "x.min(0).values"]),
}


def caller(rule: str) -> str:
    return "shares" if rule in ("max of all", "max along a dim") else "slope"


def kinks_draw(rng: np.random.Generator) -> Draw:
    slopes, shares = (rng.permutation([r for r in KINKS if caller(r) == name]).tolist() for name in ("slope", "shares"))
    return tuple((key, rule, str(rng.choice(KINKS[rule][1]))) for key, rule in zip("abcdefghijkl", slopes + shares, strict=True))


def kinks_program(draw: Draw) -> str:
    return KINKS_SETUP + "\n".join(f"{f'{caller(rule)}(lambda x: {code})':<44}# {key}" for key, rule, code in draw)


def kinks(draw: Draw) -> dict[str, Any]:
    """Run each line and look."""
    space: dict[str, Any] = {"mg": mg}
    exec(KINKS_SETUP, space)
    return {key: eval(f"{caller(rule)}(lambda x: {code})", space) for key, rule, code in draw}


def kinks_by_rule(draw: Draw) -> dict[str, Any]:
    return {key: KINKS[rule][0] for key, rule, _ in draw}


def kinks_by_tuple(draw: Draw) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in kinks_by_rule(draw).items()}


def believing(believed: Any, *rules: str) -> Callable[[Draw], dict[str, Any]]:
    """The dict of somebody who is right except about the lines of these rules."""

    def predict(draw: Draw) -> dict[str, Any]:
        return kinks(draw) | {key: believed for key, rule, _ in draw if rule in rules}

    return predict


FINITE = [rule for rule, (value, _) in KINKS.items() if isinstance(value, float) and np.isfinite(value)]
UNDEFINED = (
    "In a textbook there is no derivative here. But `backward` does not stop at a kink: the engine must return a **number**. "
    "Which one? Section 5 shows what each operation has agreed upon."
)

FOUR_SHARES = "`shares` returns a list of **four** numbers, one for each entry of x: their sum is 1. Write all four, `[…, …, …, …]`."
QUOTED = "In quotes it is a word. Write it as a number: `np.inf`, `-np.inf` or `np.nan`, without quotes."

register(
    Exercise(
        id="05.4",
        title="Kinks",
        difficulty=2,
        minutes=6,
        reference=kinks,
        draws=kinks_draw,
        program=kinks_program,
        name="computed",
        alternatives={"by the rules": kinks_by_rule, "with tuples": kinks_by_tuple},
        mistakes={
            "relu is half way": Mistake(
                believing(0.5, "relu"),
                "Half way is what `maximum` gives at a tie. `relu` has one input; it has agreed on the flat side, and gives 0.",
            ),
            "relu climbs": Mistake(
                believing(1.0, "relu"),
                "`relu` lets the gradient through where x **> 0**. At 0 it does not: the slope is that of the flat side. "
                "(`clamp` decides the other way.)",
            ),
            "abs climbs": Mistake(
                believing(1.0, "abs"),
                "The slope of |x| is computed as sign(x), and the sign of 0 is 0.",
            ),
            "abs falls": Mistake(
                believing(-1.0, "abs"),
                "The slope of |x| is computed as sign(x). The sign of 0 is 0, whether you come from the left or from the right.",
            ),
            "a tie goes to the constant": Mistake(
                believing(0.0, "tie with a constant"),
                "`relu` would give 0, but this is `maximum` or `minimum`: at a tie both inputs are treated alike, and each gets "
                "half. The constant's half goes nowhere.",
            ),
            "a tie goes to x": Mistake(
                believing(1.0, "tie with a constant"),
                "At a tie neither input wins. `maximum` and `minimum` give each of them half of the gradient.",
            ),
            "one of two lines wins": Mistake(
                believing(1.0, "tie of two lines"),
                "Both inputs tie at 0, so each gets half: ½ of the slope of `x`, and ½ of the slope of `3 * x`. `x` gets both.",
            ),
            "the steeper line wins": Mistake(
                believing(3.0, "tie of two lines"),
                "Both inputs tie at 0, so none of them wins. Each gets half of the gradient, and both halves end in `x`: one with "
                "the slope 1, one with the slope 3.",
            ),
            "the other half is lost": Mistake(
                believing(0.5, "tie of two lines"),
                "Here the other input is no constant: `3 * x` depends on `x` too. Its half comes to `x` as well, with the slope 3.",
            ),
            "clamp is relu": Mistake(
                believing(0.0, "clamp"),
                "`clamp` counts its borders as inside: an x *at* the border goes through as it is, with the slope 1. "
                "`relu` decides the other way.",
            ),
            "clamp shares": Mistake(
                believing(0.5, "clamp"),
                "Half is what `maximum` gives at a tie. `clamp` counts its borders as inside: x goes through, with the slope 1.",
            ),
            "where knows that it is |x|": Mistake(
                believing(0.0, "where, not above 0"),
                "`where` picks, and knows nothing of |x|. At 0 the condition decides, and it picks `-x`: that has a slope of its "
                "own.",
            ),
            "where takes the other branch": Mistake(
                believing(1.0, "where, not above 0"),
                "Look at the condition once more, with x = 0. Which of the two is picked, `x` or `-x`? Its slope is the answer.",
            ),
            "a step is infinitely steep": Mistake(
                believing(INF, "step"),
                "On both sides of the jump the function is flat. The engine sees no jump: its rule for `sign` and `floor` is 0, "
                "everywhere. (So nothing can be learnt through them.)",
            ),
            "the root is nan": Mistake(
                believing(NAN, "sqrt"),
                "The slope of the root is 1 / (2√x). At 0 that is 1 / 0, and in floating point 1 / 0 is inf; 0 / 0 would be nan.",
            ),
            "the root is flat": Mistake(
                believing(0.0, "sqrt"),
                "The slope of the root is 1 / (2√x). It grows without bound as x comes near 0, and at 0 the engine divides 1 by 0.",
            ),
            "the root of the square is |x|": Mistake(
                believing(0.0, "root of a square"),
                "As a function √(x²) is |x|, but the engine goes back node by node. At 0 the slope of the root is inf, that of the "
                "square is 0, and inf · 0 is what?",
            ),
            "the root of the square is infinite": Mistake(
                believing(INF, "root of a square"),
                "That is the slope of the root. It is multiplied by that of the square, 2x = 0. And inf · 0 is neither inf nor 0.",
            ),
            "the root of the square climbs": Mistake(
                believing(1.0, "root of a square"),
                "Right of 0 it is 1. At 0 the engine multiplies what the nodes say: inf from the root, 0 from the square.",
            ),
            "two relus are x": Mistake(
                believing(1.0, "two relus"),
                "As a function this is x, with the slope 1 everywhere. But the engine asks each `relu` for its own slope at 0, and "
                "both say 0.",
            ),
            "two relus are half way": Mistake(
                believing(0.5, "two relus"),
                "No convention says ½ here: that is `maximum`. Each `relu` says 0 at 0, and so does their difference.",
            ),
            "max of all takes the first": Mistake(
                believing(FIRST, "max of all"),
                "Without a dim the result has no index that would name a winner: all entries that tie share the gradient, 1/n each. "
                "(`max` along a dim has an index.)",
            ),
            "max of all gives each its full share": Mistake(
                believing([1.0] * 4, "max of all"),
                "Four entries tie. If all of them go up by 1, the maximum goes up by 1, not by 4: they *share* the 1.",
            ),
            "max along a dim shares": Mistake(
                believing(EQUAL, "max along a dim"),
                "With a dim the result comes with an index: **one** entry was picked, and it alone gets the gradient. At a tie it "
                "is the first.",
            ),
            "max along a dim takes the last": Mistake(
                believing(FIRST[::-1], "max along a dim"),
                "One entry is picked, and it alone gets the gradient. At a tie it is the first one, here as with `argmax`.",
            ),
            "one share for four": Mistake(believing(0.25, "max of all"), FOUR_SHARES),
            "the winner's share for four": Mistake(believing(1.0, "max along a dim"), FOUR_SHARES),
            "the winner's index": Mistake(
                believing(0.0, "max along a dim"),
                "That may be the index of the entry that was picked. Asked for is what `shares` returns: a list of four numbers, the "
                "gradient of each entry.",
            ),
            "inf in quotes": Mistake(believing("inf", "sqrt"), QUOTED),
            "nan in quotes": Mistake(believing("nan", "root of a square"), QUOTED),
            "undefined": Mistake(believing("undefined", *FINITE, "sqrt", "root of a square"), UNDEFINED),
            "undefined, as None": Mistake(believing(None, *FINITE, "sqrt", "root of a square"), UNDEFINED),
            "undefined, as nan": Mistake(believing(NAN, *FINITE), UNDEFINED),
        },
        hints=(
            "The engine knows no limits from left and right. It has one rule for each operation and puts the number in. Ask of each "
            "line: which operations are there, and what does the rule of each say exactly at 0?",
            "```text\nrelu'(x)      1 where x > 0, else 0\nabs'(x)       sign(x)\n"
            "maximum'      to the larger input; at a tie ½ to each\n"
            "clamp'(x)     1 inside, borders included\nwhere         to the branch that was picked\nsqrt'(x)      1 / (2 √x)\n```\n\n"
            "Where a function is made of several operations, multiply along the path and add up the paths, as everywhere.",
            "Two numbers to think about again: `1.0 / 0.0` is `inf` here, and `inf * 0.0` is `nan`. For the two lines with "
            "`shares`: if the result comes with an index, one entry was picked; if not, all that tie share. The sum of the four is "
            "1 in both.",
        ),
        explanation="""\
At a kink every number between the slopes on both sides is a fair answer (a *subgradient*, where the kink points
down). The engine must pick one, and each operation has made its choice:

| operation | at the kink | because |
|---|---|---|
| `relu` | 0 | its rule asks whether x > 0 |
| `abs` | 0 | its rule is sign(x) |
| `maximum`, `minimum` | ½ to each | both inputs are treated alike |
| `clamp` | 1 | its borders count as inside |
| `where` | the slope of the branch picked | the condition decides |
| `sign`, `floor` | 0 | flat on both sides |
| `sqrt` at 0 | inf | 1 / (2√0) |
| `max()` | 1/n to each that ties | there is no winner |
| `max(dim)` | 1 to the first | its index names a winner |

`maximum(x, 3 * x)` is ½ · 1 + ½ · 3 = 2. `sqrt(x**2)` is inf · 0 = nan, though |x| has the computed slope 0, and
`relu(x) - relu(-x)` is 0, though x has the slope 1: the chain rule is applied to the conventions, and need not give
the convention of the whole.
""",
    )
)


# --- 05.5 The staircase -------------------------------------------------------------------------------------


def staircase(ax, f, xs):
    """Draw the slope of f over xs on two logarithmic axes, and return the slopes.

    ax: matplotlib Axes. f: takes a Tensor of shape () and returns one; which way it goes depends on the number.
    xs: a NumPy array of shape (n,), positive and in rising order. Returns a NumPy array of shape (n,).
    """
    slopes = []
    for a in xs:
        x = mg.tensor(a, requires_grad=True)
        f(x).backward()
        slopes.append(x.grad.item())
    ax.loglog(xs, slopes)
    return np.array(slopes)


def staircase_steps(ax, f, xs):
    leaf = mg.tensor(xs, requires_grad=True)
    for i in range(len(xs)):
        f(leaf[i]).backward()
    slopes = leaf.grad.numpy()
    ax.step(xs, slopes, where="post")
    ax.set(xscale="log", yscale="log")
    return slopes


def staircase_grad(ax, f, xs):
    points = [mg.tensor([float(a)], requires_grad=True) for a in xs]
    slopes = [mg.autograd.grad(f(p), p)[0].item() for p in points]
    ax.plot(xs, slopes, "o-")
    ax.set_xscale("log")
    ax.set_yscale("log")
    return slopes


def staircase_stacked(ax, f, xs):
    leaf = mg.tensor(xs, requires_grad=True)
    mg.stack([f(entry) for entry in leaf]).sum().backward()
    ax.semilogx(xs, leaf.grad)
    ax.set_yscale("log")
    return leaf.grad


def staircase_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    limit, factor, border = float(rng.uniform(200, 900)), float(rng.uniform(1.6, 2.8)), float(rng.uniform(2, 4))
    low, high = rng.uniform(0.2, 0.5), rng.uniform(0.8, 1.5)

    def growing(a: Any) -> Any:
        b = factor * a
        while b.norm() < limit:
            b = factor * b
        return b if b.sum() > 0 else 100 * b

    def brackets(a: Any) -> Any:
        return float(low) * a if a < border else float(low) * border + float(high) * (a - border)

    def squaring(a: Any) -> Any:
        while a.sum() < limit:
            a = a * a + a
        return a

    def points(n: int, start: float, end: float) -> Array:
        jitter = np.exp(rng.uniform(-0.02, 0.02, size=n))
        return (np.geomspace(start, end, n) * jitter).astype(numpy_type(dtype))

    return [
        Case(f"multiplied by {factor:.2f} until the norm is {limit:.0f}, at 12 points", (growing, points(12, 0.01, 100))),
        Case(f"two brackets, with the border at {border:.2f}, at 9 points", (brackets, points(9, 0.3, 30))),
        Case(f"a = a·a + a until the sum is {limit:.0f}, at 7 points", (squaring, points(7, 0.5, 20))),
    ]


def how_stairs_are_drawn(ax: Any, xs: Array, values: Array, ys: Array) -> str:
    """In words, what is seen on the ax of the slopes ys."""
    lines = list(ax.get_lines())
    if not lines:
        return "only points" if ax.collections else "missing"
    with np.errstate(all="ignore"):
        logs = any(is_line(line, log(xs), log(ys)) for line in lines for log in (np.log, np.log10, np.log2))
    if logs or any(is_line(line, xs, ys) for line in lines):
        return "the logarithms, drawn" if logs else "drawn"
    if any(is_line(line, xs, values) for line in lines):
        return "with the values f(a)"
    return how_drawn(lines, xs, ys).replace("missing", "with other values")


def watch_staircase(answer: Callable[..., Any], f: Callable[..., Any], xs: Array) -> Any:
    watch, ax, before = Watch(), new_axes(), open_figures()
    try:
        slopes = answer(ax, watch.around(f), xs)
    finally:
        close_figures(before)
    if isinstance(slopes, mg.Tensor):
        slopes = slopes.detach().numpy()
    if not isinstance(slopes, np.ndarray | list | tuple):
        return unfit(slopes, "a NumPy array with a slope for each point")
    if not watch.passes:
        return NOT_USED
    right: list[float] = []
    values: list[float] = []
    for a in xs:
        x = mg.tensor(a, requires_grad=True)
        y = f(x)
        y.backward()
        values.append(y.item())
        right.append(x.grad.item())

    def logarithmic(name: str) -> str:
        return "logarithmic" if name in ("log", "symlog") else name

    return {
        "slopes": slopes,
        "the line": how_stairs_are_drawn(ax, xs, np.array(values), np.array(right)),
        "the x axis": logarithmic(ax.get_xscale()),
        "the y axis": logarithmic(ax.get_yscale()),
    }


def stairs_by(slopes_of: Callable[[Any, Any], Any], look: Callable[[Any, Any, Any], Any] | None = None) -> Callable[..., Any]:
    """Somebody who is right, except for how the slopes come about, or are drawn."""

    def staircase(ax: Any, f: Any, xs: Any) -> Any:
        slopes = np.array(slopes_of(f, xs))
        (look or (lambda ax, xs, slopes: ax.loglog(xs, slopes)))(ax, xs, slopes)
        return slopes

    return staircase


def right_slopes(f: Any, xs: Any) -> list[float]:
    leaves = [mg.tensor(a, requires_grad=True) for a in xs]
    for leaf in leaves:
        f(leaf).backward()
    return [leaf.grad.item() for leaf in leaves]


def one_graph(f: Any, xs: Any) -> Any:
    x = mg.tensor(xs, requires_grad=True)
    f(x).sum().backward()
    return x.grad.numpy()


def one_graph_ones(f: Any, xs: Any) -> Any:
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.backward(mg.ones_like(y))
    return x.grad.tolist()


def added_up(f: Any, xs: Any) -> list[float]:
    x, slopes = mg.tensor(xs[0], requires_grad=True), []
    for a in xs:
        x.data.fill_(float(a))
        f(x).backward()
        slopes.append(x.grad.item())
    return slopes


def added_up_sums(f: Any, xs: Any) -> Any:
    return np.cumsum(right_slopes(f, xs))


def same_object(f: Any, xs: Any) -> Any:
    return [sum(right_slopes(f, xs))] * len(xs)


def same_leaf(f: Any, xs: Any) -> Any:
    x, slopes = mg.tensor(xs[0], requires_grad=True), []
    for a in xs:
        x.data.fill_(float(a))
        f(x).backward()
        slopes.append(x.grad)
    return [g.item() for g in slopes]


def zeroed_object(f: Any, xs: Any) -> list[float]:
    x, slopes = mg.tensor(xs[0], requires_grad=True), []
    for a in xs:
        x.data.fill_(float(a))
        if x.grad is not None:
            x.grad.zero_()
        f(x).backward()
        slopes.append(x.grad)
    return [g.item() for g in slopes]


def last_slope(f: Any, xs: Any) -> Any:
    return np.full(len(xs), right_slopes(f, xs)[-1])


def by_numbers(f: Any, xs: Any) -> list[float]:
    return [f(a).backward() for a in xs]


def by_numbers_later(f: Any, xs: Any) -> list[float]:
    return [f(xs[i]).grad for i in range(len(xs))]


def values_returned(ax, f, xs):
    leaves = [mg.tensor(a, requires_grad=True) for a in xs]
    values = [f(leaf) for leaf in leaves]
    mg.stack(values).sum().backward()
    ax.loglog(xs, [leaf.grad.item() for leaf in leaves])
    return np.array([value.item() for value in values])


def values_returned_again(ax, f, xs):
    staircase(ax, f, xs)
    with mg.no_grad():
        return np.array([float(f(mg.tensor(a))) for a in xs])


def values_drawn(ax, f, xs):
    values = values_returned(new_axes(), f, xs)
    ax.loglog(xs, values)
    return np.array(right_slopes(f, xs))


def values_drawn_again(ax, f, xs):
    slopes = staircase(new_axes(), f, xs)
    ax.plot(xs, [f(mg.tensor(a)).item() for a in xs], ".")
    ax.set(xscale="log", yscale="log")
    return slopes


def quotient(f: Any, xs: Any) -> list[float]:
    return [f(mg.tensor(a)).item() / a for a in xs]


def small_differences(f: Any, xs: Any) -> list[float]:
    return [(f(mg.tensor(a + 1e-6)).item() - f(mg.tensor(a - 1e-6)).item()) / 2e-6 for a in xs]


def staircase_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    border = float(rng.uniform(2, 4))

    def shifted(a: Any) -> Any:
        return 2 * a + 5 if a < border else 3 * a + 1

    return [
        Case(
            "a straight line on each side, with something added, at 6 points",
            (shifted, np.geomspace(0.5, 20, 6).astype(numpy_type(dtype))),
        )
    ]


register(
    Exercise(
        id="05.5",
        title="The staircase",
        difficulty=3,
        minutes=9,
        reference=staircase,
        cases=staircase_cases,
        edges=staircase_edges,
        observe=watch_staircase,
        tolerance=1e-5,
        alternatives={
            "one leaf, its entries one by one": staircase_steps,
            "autograd.grad, shape (1,)": staircase_grad,
            "stacked, one pass": staircase_stacked,
        },
        mistakes={
            "one graph for all points": Mistake(
                stairs_by(one_graph),
                "You sent all points through f at once. But which way f goes **depends on the number**: for a vector `norm` is one "
                "number for all of them, so all went one common way, and an `if` cannot decide at all. Here each point needs a "
                "call of f of its own.",
                again=stairs_by(one_graph_ones),
            ),
            "one graph for all points, and plain axes": Mistake(
                stairs_by(one_graph, lambda ax, xs, slopes: ax.plot(xs, slopes)),
                "As in 05.1 you sent all points through f at once. But which way f goes **depends on the number**, and a common graph "
                "takes one way for all. Each point needs a call of f of its own. (And both axes should be logarithmic.)",
                again=stairs_by(one_graph_ones, lambda ax, xs, slopes: ax.step(xs, slopes)),
            ),
            "one gradient, cleared and kept": Mistake(
                stairs_by(zeroed_object),
                "All your slopes are the last one. `x.grad` is **one** tensor: `zero_()` and the next pass write into the very object "
                "that you have kept. Make a new leaf for each point, and keep the number: `x.grad.item()`.",
                again=stairs_by(last_slope),
            ),
            "no leaf": Mistake(
                stairs_by(by_numbers),
                "f wants a Tensor, and you gave it a NumPy number, which records nothing. Make a leaf for each point: "
                "`x = mg.tensor(a, requires_grad=True)`.",
                again=stairs_by(by_numbers_later),
            ),
            "the values returned": Mistake(
                values_returned,
                "The figure is right, but you return the **values** f(a). Asked for are the slopes.",
                again=values_returned_again,
            ),
            "the values drawn": Mistake(
                values_drawn,
                "The slopes that you return are right, but the line shows the **values** f(a). Draw the slopes: "
                "`ax.loglog(xs, slopes)`.",
                again=values_drawn_again,
            ),
            "logarithms on plain axes": Mistake(
                stairs_by(right_slopes, lambda ax, xs, slopes: ax.plot(np.log(xs), np.log(slopes))),
                "You drew the logarithms on plain axes: then the axes show log a, and nobody can read a off. Draw the numbers "
                "themselves, and let the **axes** be logarithmic: `ax.loglog(xs, slopes)`.",
                again=stairs_by(right_slopes, lambda ax, xs, slopes: ax.plot(np.log10(xs), np.log10(slopes), "o-")),
            ),
            "points": Mistake(
                stairs_by(right_slopes, lambda ax, xs, slopes: (ax.scatter(xs, slopes), ax.set(xscale="log", yscale="log"))),
                "The slopes are right. But `scatter` draws points, and a line was asked for: `ax.loglog(xs, slopes)`.",
                again=stairs_by(right_slopes, lambda ax, xs, slopes: (ax.loglog(), ax.scatter(xs, slopes, marker="x"))),
            ),
            "the slopes add up": Mistake(
                stairs_by(added_up),
                "Each slope contains all earlier ones: you go on using one leaf, and `x.grad` adds up. Make a new leaf for each "
                "point, or set `x.grad = None` before each pass.",
                again=stairs_by(added_up_sums),
            ),
            "one gradient, kept many times": Mistake(
                stairs_by(same_leaf),
                "All your slopes are the same number, the sum of them all. `x.grad` is **one** tensor, and each pass adds to it; you "
                "have kept the same object n times. Make a new leaf for each point, and keep the number: `x.grad.item()`.",
                again=stairs_by(same_object),
            ),
            "no autograd": Mistake(
                stairs_by(quotient),
                "The slopes did not come from a backward pass. `f(a) / a` is the slope only where f is a plain multiple of a, and "
                "differences go wrong when a jump lies between the two points. Go backward through f(a), once for each point.",
                again=stairs_by(small_differences),
            ),
            "linear axes": Mistake(
                stairs_by(right_slopes, lambda ax, xs, slopes: ax.plot(xs, slopes)),
                "The slopes are right. But on plain axes nearly all points lie in one corner: make both axes logarithmic. "
                '`ax.loglog(…)`, or `ax.set(xscale="log", yscale="log")`.',
                again=stairs_by(right_slopes, lambda ax, xs, slopes: ax.step(xs, slopes)),
            ),
            "one axis": Mistake(
                stairs_by(right_slopes, lambda ax, xs, slopes: ax.semilogx(xs, slopes)),
                'The y axis is still linear: the slopes span several powers of ten too. `ax.set_yscale("log")`.',
                again=stairs_by(right_slopes, lambda ax, xs, slopes: (ax.plot(xs, slopes), ax.set_xscale("log"))),
            ),
            "nothing is drawn": Mistake(
                stairs_by(right_slopes, lambda ax, xs, slopes: None),
                "The slopes are right, but there is no line on the `ax` that you were given. `ax.loglog(xs, slopes)` draws it and "
                "makes both axes logarithmic.",
                again=stairs_by(right_slopes, lambda ax, xs, slopes: new_axes().loglog(xs, slopes)),
            ),
        },
        hints=(
            "In 05.1 all points could share one graph, since all of them took the same steps. Here another number takes another way "
            "through the code. Whose way would a common graph record?",
            "```text\na = 3     b = 2a, 4a, 8a, … 512a     slope 512\na = 4     b = 2a, 4a, 8a, … 256a     slope 256\n```\n\n"
            "One leaf, one call of f and one pass for each number. Collect the slopes in a list.",
            "```python\nslopes = []\nfor a in xs:\n    x = mg.tensor(___, requires_grad=True)\n    ___.backward()\n"
            "    slopes.append(___)\n"
            "ax.___(xs, slopes)\nreturn np.array(slopes)\n```",
        ),
        explanation="""\
Each run of f leaves a graph of the steps that it took, and of no others. The condition of a `while` or an `if` is not
in it: a comparison has no gradient. So backward gives the slope of the branch that was taken.

For the doubling function that is a power of 2, and jumps to half of it where one round less is enough. On logarithmic
axes the slopes are a staircase that goes down: a big number needs fewer rounds.

With all points in one tensor, f would take one way for all of them. That may raise (`if a < border` is ambiguous) or,
worse, run and be wrong (`b.norm()` is then the norm of the whole vector). The sum trick is for functions that treat
each entry by itself, and control flow on a whole tensor does not.

At the jumps themselves f has no slope; you will hardly ever hit one, and if you do, you get the slope of the branch
that was taken.
""",
    )
)
