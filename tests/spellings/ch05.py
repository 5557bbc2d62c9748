"""Right answers of chapter 05 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch05.common import new_axes
from minigrad.course.bank.ch05.ex01.answer import curve
from minigrad.course.bank.ch05.ex01.mistakes import curve_by, curve_tensors
from minigrad.course.bank.ch05.ex02.mistakes import both_lines, drawing, scattered
from minigrad.course.bank.ch05.ex03.mistakes import weighted, whole_jacobian
from minigrad.course.bank.ch05.ex04.answer import kinks_by_rule
from minigrad.course.bank.ch05.ex04.task import Draw
from minigrad.course.bank.ch05.ex05.answer import staircase
from minigrad.course.bank.ch05.ex05.mistakes import right_slopes, stairs_by

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 05.1 f and f′ ------------------------------------------------------------------------------------------


def curve_ones_default(f, xs):
    x = mg.from_numpy(xs)
    x.requires_grad = True
    y = f(x)
    y.backward(gradient=mg.ones(len(xs)))
    return y.data.numpy(), x.grad.numpy()


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


def curve_point_by_point(f, xs):
    ys, slopes = [], []
    for a in xs:
        x = mg.tensor(float(a), requires_grad=True)
        y = f(x)
        y.backward()
        ys.append(y.item())
        slopes.append(x.grad.item())
    return np.array(ys), np.array(slopes)


def curve_np_gradient(f, xs):
    ys = f(mg.tensor(xs)).numpy()
    return ys, np.gradient(ys, xs)


def curve_tensors_detached(f, xs):
    y, slopes = curve_tensors(f, xs)
    return y.detach(), slopes


def curve_tracked_array(f, xs):
    y, slopes = curve_tensors(f, xs)
    return np.array(y), np.array(slopes)


def curve_swapped_grad(f, xs):
    y, slopes = curve_tensors(f, xs)
    return slopes.numpy(), y.detach().numpy()


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


def curve_array_copied(f, xs):
    x = np.array(xs)
    return f(x).detach().numpy(), x


def curve_points_cloned_again(f, xs):
    points = xs
    return [part.numpy() for part in (f(points.clone()), points)]


def curve_grad_of_a_copy(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    return y.detach().numpy(), x.detach().grad


def curve_sum_item(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    total = mg.sum(f(x))
    (slopes,) = mg.autograd.grad(total, x)
    return total.item(), slopes.numpy()


def each_entry(x: Any, y: Any) -> None:
    for entry in y:
        entry.backward()


ALTERNATIVES["05.1"] = {
    "ones of the default dtype": curve_ones_default,
    "autograd.grad": curve_grad,
    "functional.vjp": curve_vjp,
    "forward mode": curve_forward,
}

def curve_points_again(f, xs):
    x = mg.tensor(xs, requires_grad=True)
    f(x).sum().backward()
    return x.detach().numpy(), x.grad.numpy()


AGAIN["05.1"] = {
    "a pass for each point": curve_point_by_point,
    "lists": curve_lists,
    "the points for the values": curve_points_again,
    "mean": curve_by(lambda x, y: (y.sum() / len(y)).backward()),
    "gradient=x": curve_by(lambda x, y: (x.detach() * y).sum().backward()),
    "gradient=y": curve_by(lambda x, y: (y**2 / 2).sum().backward()),
    "squared": curve_by(lambda x, y: mg.dot(y, y).backward()),
    "no autograd": curve_np_gradient,
    "not summed": curve_by(lambda x, y: mg.autograd.backward(y)),
    "not a leaf with a gradient": curve_constant_from,
    "the array itself": curve_array_copied,
    "the points were a Tensor": curve_points_cloned_again,
    "no slopes in it": curve_grad_of_a_copy,
    "the sum for the values": curve_sum_item,
    "added up twice": curve_by(lambda x, y: (2 * y).sum().backward()),
    "freed": curve_by(each_entry),
    "numpy() of a tracked tensor": curve_tracked_array,
    "tensors": curve_tensors_detached,
    "swapped": curve_swapped_grad,
}


# --- 05.2 The figure ----------------------------------------------------------------------------------------


def draw_in_one(ax, f, xs):
    ys, slopes = curve(f, xs)
    ax.plot(xs, ys, "-", xs, slopes, "--")
    ax.legend(["f", "slope"], loc="best")
    ax.set(xlabel="$x$", title="f")


def draw_lists(ax, f, xs):
    ys, slopes = curve(f, xs)
    (first,) = ax.plot(xs.tolist(), ys.tolist())
    (second,) = ax.plot(xs.tolist(), slopes.tolist())
    ax.legend(handles=[first, second], labels=["f", "f'"])
    ax.set_xlabel("place")


def both_lines_slope_first(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, slopes, "--", label="slope")
    ax.plot(xs, ys, "o-", label="value")


def without_labels_in_one(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    ax.plot(xs, ys, xs, slopes)
    ax.legend(handles=[])


def over_indices_range(ax: Any, xs: Any, ys: Any, slopes: Any) -> None:
    for values, label in ((ys, "f"), (slopes, "f′")):
        ax.plot(range(len(xs)), values, label=label)


def draw_tracked_numpy(ax, f, xs):
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.sum().backward()
    both_lines(ax, xs, y.numpy(), x.grad.numpy())


ALTERNATIVES["05.2"] = {"in one call": draw_in_one, "lists and handles": draw_lists}

def second_axes_again(ax, f, xs):
    ys, slopes = curve(f, xs)
    twin = ax.twinx()
    twin.plot(xs, ys)
    ax.plot(xs, slopes)
    ax.set_xlabel("x")
    ax.figure.legend(["f", "f′"])


def draw_returned_again(ax, f, xs):
    draw_in_one(ax, f, xs)
    return ax.get_lines()


AGAIN["05.2"] = {
    "something is returned": draw_returned_again,
    "on a second Axes": second_axes_again,
    "the legend names one line": drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, label="y") + ax.plot(xs, slopes)),
    "the legend comes first": drawing(lambda ax, xs, *ys: (ax.legend([]), both_lines_slope_first(ax, xs, *ys)), legend=False),
    "differences": drawing(lambda ax, xs, ys, _: both_lines_slope_first(ax, xs, ys, np.diff(ys, append=0) / np.diff(xs, append=0))),
    "a tracked tensor": draw_tracked_numpy,
    "nothing on ax": lambda ax, f, xs: curve(f, xs) and None,
    "points": drawing(lambda ax, xs, ys, slopes: scattered(ax, xs, slopes, ys), x=False),
    "no slopes": drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, label="f") and ax.plot(xs, -slopes, label="f′")),
    "no values": drawing(lambda ax, xs, ys, slopes: ax.plot(xs, slopes, label="f′") and ax.plot(xs, xs, label="x")),
    "only the values": drawing(lambda ax, xs, ys, slopes: ax.plot(xs, ys, "--", label="values")),
    "only the slopes": drawing(lambda ax, xs, ys, slopes: ax.plot(xs, slopes, "--", label="slopes")),
    "one name for both": drawing(lambda ax, xs, ys, slopes: (ax.plot(xs, ys, xs, slopes), ax.legend(["y", "y"])), legend=False),
    "names exchanged": drawing(lambda ax, xs, ys, slopes: both_lines_slope_first(ax, xs, slopes, ys)),
    "mean": drawing(lambda ax, xs, ys, slopes: both_lines_slope_first(ax, xs, ys, slopes / len(ys))),
    "no legend": drawing(both_lines_slope_first, legend=False),
    "no labels": drawing(without_labels_in_one, legend=False),
    "the axis has no name": drawing(both_lines_slope_first, x=False),
    "neither legend nor name": drawing(both_lines_slope_first, x=False, legend=False),
    "over the indices": drawing(over_indices_range),
}


# --- 05.3 When the trick lies -------------------------------------------------------------------------------


def elementwise_twice(f, x):
    """Two random v: for a diagonal J, vᵀJ / v is the same for both."""
    v, w = (mg.rand(len(x), dtype=x.dtype) + 0.5 for _ in range(2))
    return bool(mg.allclose(weighted(f, x, v) / v, weighted(f, x, w) / w, rtol=1e-4, atol=1e-6))


def even_steps_again(f, x):
    n = len(x)
    v = (mg.arange(float(n)) - n / 2).to(x.dtype)
    return (weighted(f, x, v) - v * weighted(f, x, mg.ones_like(x))).abs().max().item() < 1e-4


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


def values_alone_loop(f, x):
    y = f(x).detach()
    for i in range(len(x)):
        single = f(x[i].reshape(1)).detach()
        if single.shape != (1,) or abs(single.item() - y[i].item()) > 1e-6:
            return False
    return True


def shuffled_numpy(f, x):
    order = np.roll(np.arange(len(x)), 1).tolist()
    with mg.no_grad():
        return bool(np.allclose(f(x[order]).numpy(), f(x).numpy()[order]))


def diagonal_against_sums_numpy(f, x):
    J = whole_jacobian(f, x).numpy()
    return bool(np.allclose(J.sum(0), np.diagonal(J)))


def not_weighted(f, x):
    slopes = weighted(f, x, mg.ones_like(x))
    return bool(mg.allclose(weighted(f, x, mg.randn(len(x), dtype=x.dtype)), slopes))


def divided_twice(f, x):
    slopes, v, w = weighted(f, x, mg.ones_like(x)), mg.rand(len(x), dtype=x.dtype), mg.randn(len(x), dtype=x.dtype)
    return all(np.allclose((weighted(f, x, u) / slopes).numpy(), u.numpy()) for u in (v, w))


def weights_from_x_backward(f, x):
    x.grad = None
    f(x).sum().backward()
    slopes, x.grad = x.grad, None
    f(x).backward(2 * x.detach())
    return np.allclose(x.grad.numpy(), (2 * x.detach() * slopes).numpy())


def first_row_backward(f, x):
    x.grad = None
    f(x)[0].backward()
    return not x.grad[1:].abs().max().item() > 1e-6


def turned_round_jacobian(f, x):
    J = whole_jacobian(f, x).numpy()
    return bool(np.abs(J - np.diag(np.diagonal(J))).max() > 1e-6)


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
    return bool(mg.allclose(x.grad.sum(), 3 * total, atol=1e-6))


def neighbours_alone_again(f, x):
    for i in range(len(x)):
        x.grad = None
        f(x)[i - len(x)].backward()
        if len(x) > 1 and abs(x.grad[(i + 1) % len(x)].item()) > 1e-6:
            return False
    return True


def permuted_again(f, x):
    y, v = f(x), mg.rand(len(x), dtype=x.dtype)
    first, second = (mg.autograd.grad(y, x, w, retain_graph=True)[0] for w in (v, mg.roll(v, -1)))
    return bool(mg.allclose(mg.roll(first, -1), second))


ALTERNATIVES["05.3"] = {"two random v": elementwise_twice}

def moved_down(f, x):
    """Each entry moved by a quarter, all of them at once in a table."""
    y, n = f(x).detach().numpy(), len(x)
    moved = [f(mg.tensor(row, dtype=x.dtype)).detach().numpy() for row in x.detach().numpy() - 0.25 * np.eye(n)]
    return bool(np.allclose((np.array(moved) - y)[~np.eye(n, dtype=bool)], 0, atol=1e-5))


def first_column(f, x):
    e = mg.zeros_like(x)
    e[0] = 1.0
    _, column = mg.autograd.functional.jvp(f, x, e)
    return not column[1:].abs().sum().item() > 1e-6


def first_moved(f, x):
    e = mg.zeros_like(x)
    e[0] = 0.3
    return bool(mg.allclose(f(x + e)[1:], f(x)[1:], atol=1e-5))


AGAIN["05.3"] = {
    "moved too far": moved_down,
    "one input": first_column,
    "weights in even steps": even_steps_again,
    "one input, moved far": first_moved,
    "the whole Jacobian": elementwise_rows,
    "compares only the sums": sums_only_loop,
    "ones are blind": one_number,
    "the weights are x": weights_from_x_backward,
    "one row": first_row_backward,
    "turned round": turned_round_jacobian,
    "still in a tuple": still_a_tuple_list,
    "one entry at a time": values_alone_loop,
    "shuffled": shuffled_numpy,
    "the diagonal against the sums": diagonal_against_sums_numpy,
    "divided by the slopes": divided_twice,
    "never true": not_weighted,
    "the neighbours alone": neighbours_alone_again,
    "the weights in another order": permuted_again,
}


# --- 05.4 Kinks ---------------------------------------------------------------------------------------------


def kinks_by_tuple(draw: Draw) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in kinks_by_rule(draw).items()}


ALTERNATIVES["05.4"] = {"with tuples": kinks_by_tuple}


# --- 05.5 The staircase -------------------------------------------------------------------------------------


def staircase_grad(ax, f, xs):
    points = [mg.tensor(float(a), requires_grad=True) for a in xs]
    slopes = [mg.autograd.grad(f(p), p)[0].item() for p in points]
    ax.plot(xs, slopes, "o-")
    ax.set_xscale("log")
    ax.set_yscale("log")
    return np.array(slopes)


def staircase_stacked(ax, f, xs):
    leaf = mg.tensor(xs, requires_grad=True)
    mg.stack([f(entry) for entry in leaf]).sum().backward()
    ax.semilogx(xs, leaf.grad)
    ax.set_yscale("log")
    return leaf.grad.numpy()


def one_graph_ones(f: Any, xs: Any) -> Any:
    x = mg.tensor(xs, requires_grad=True)
    y = f(x)
    y.backward(mg.ones_like(y))
    return x.grad.tolist()


def added_up_sums(f: Any, xs: Any) -> Any:
    return np.cumsum(right_slopes(f, xs))


def same_object(f: Any, xs: Any) -> Any:
    return [sum(right_slopes(f, xs))] * len(xs)


def last_slope(f: Any, xs: Any) -> Any:
    return np.full(len(xs), right_slopes(f, xs)[-1])


def by_numbers_later(f: Any, xs: Any) -> list[float]:
    return [f(xs[i]).grad for i in range(len(xs))]


def values_returned_again(ax, f, xs):
    staircase(ax, f, xs)
    with mg.no_grad():
        return np.array([float(f(mg.tensor(a))) for a in xs])


def values_drawn_again(ax, f, xs):
    slopes = staircase(new_axes(), f, xs)
    ax.plot(xs, [f(mg.tensor(a)).item() for a in xs], ".")
    ax.set(xscale="log", yscale="log")
    return slopes


def small_differences(f: Any, xs: Any) -> list[float]:
    return [(f(mg.tensor(a + 1e-6)).item() - f(mg.tensor(a - 1e-6)).item()) / 2e-6 for a in xs]


ALTERNATIVES["05.5"] = {"autograd.grad": staircase_grad, "stacked, one pass": staircase_stacked}


def slopes_in_a_tuple(ax, f, xs):
    return tuple(staircase_grad(ax, f, xs))


def with_an_axis_again(f: Any, xs: Any) -> list[float]:
    leaves = mg.tensor(xs).reshape(-1, 1)
    return [mg.autograd.grad(f(leaf), leaf)[0].item() for leaf in (row.clone().requires_grad_() for row in leaves)]


AGAIN["05.5"] = {
    "a leaf of shape (1,)": stairs_by(with_an_axis_again),
    "a list": slopes_in_a_tuple,
    "one graph for all points": stairs_by(one_graph_ones),
    "one graph for all points, and plain axes": stairs_by(one_graph_ones, lambda ax, xs, slopes: ax.step(xs, slopes)),
    "one gradient, cleared and kept": stairs_by(last_slope),
    "no leaf": stairs_by(by_numbers_later),
    "the values returned": values_returned_again,
    "the values drawn": values_drawn_again,
    "logarithms on plain axes": stairs_by(right_slopes, lambda ax, xs, slopes: ax.plot(np.log10(xs), np.log10(slopes), "o-")),
    "points": stairs_by(right_slopes, lambda ax, xs, slopes: (ax.loglog(), ax.scatter(xs, slopes, marker="x"))),
    "the slopes add up": stairs_by(added_up_sums),
    "one gradient, kept many times": stairs_by(same_object),
    "no autograd": stairs_by(small_differences),
    "linear axes": stairs_by(right_slopes, lambda ax, xs, slopes: ax.step(xs, slopes)),
    "the other axis": stairs_by(right_slopes, lambda ax, xs, slopes: (ax.plot(xs, slopes), ax.set(yscale="log"))),
    "one axis": stairs_by(right_slopes, lambda ax, xs, slopes: (ax.plot(xs, slopes), ax.set_xscale("log"))),
    "nothing is drawn": stairs_by(right_slopes, lambda ax, xs, slopes: new_axes().loglog(xs, slopes)),
}
