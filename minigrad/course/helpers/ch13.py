"""What chapter 13 looks at gradients with, and its pictures."""

from __future__ import annotations

import contextlib
import math
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

import minigrad as mg
from minigrad.course.helpers.graphs import class_of, nodes_of
from minigrad.course.showing.expect import expect_error

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def show(curves: dict[str, Any], minutes: Any, degrees: Any) -> Plot:
    """Draw curves and the readings of the tea: the bad one, reading 7, in a ring, and another ring where it should stand."""
    from minigrad import viz

    picture = viz.fit(minutes, degrees, curves, xlabel="minutes", ylabel="°C")
    ax, at = picture.axes[0], minutes[7]
    ax.plot([at, at], [73, 37], "o", ms=12, mfc="none", mec="black")
    ax.text(at - 1.8, 73, "73, it was 37", ha="right", va="center")
    return picture


@contextlib.contextmanager
def expect_nan() -> Iterator[None]:
    """Run the block in anomaly mode. Print the error that must come, and of the warning the first and the last line.

    Between these two stands the whole stack of calls, down to those of Jupyter itself.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with expect_error(RuntimeError, match="returned nan values"), mg.autograd.set_detect_anomaly(True):
            yield
    for warning in caught:
        if "Error detected" in str(warning.message):
            first, *_, last = str(warning.message).rstrip().splitlines()
            print(f"UserWarning: {first}\n  …\n{last}")


def measure(*roots: Any, library: Any = mg) -> dict[Any, list[Any]]:
    """Walk back from the roots. For each node: the norm of what it sent along each of its edges, None where nothing was sent."""
    sent: dict[Any, list[Any]] = {}

    def watch(node: Any) -> Any:
        def hook(results: Any, cotangents: Any) -> None:
            sent[node] = [None if g is None else g.norm().item() for g in results]

        return node.register_hook(hook)

    handles = [watch(node) for node in nodes_of(*roots)]
    library.autograd.backward(list(roots))
    for handle in handles:
        handle.remove()
    return sent


def flow(root: Any, **tensors: Any) -> Plot:
    """Walk back from a scalar and draw the nodes, the leaves on top, with arrows as thick as the gradient that passed.

    The node that made the first NaN is marked, and all that is NaN is drawn in orange, with dashes.
    """
    from minigrad.viz.figure import Plot
    from minigrad.viz.layout import Edge, arrange, rows_of
    from minigrad.viz.style import ALERT, BLUE, BLUE_TINT, INK, MARK, MUTED, OUTLINE, PAPER, VALUE

    nodes = nodes_of(root)
    number = {node: k for k, node in enumerate(nodes)}
    sent = measure(root)
    links = [
        (number[above], number[node], k)
        for node in nodes
        for k, (above, _) in enumerate(node.next_functions)
        if above is not None
    ]
    edges = [Edge(above, below, port) for above, below, port in links]
    rows = rows_of(len(nodes), edges)
    layout = arrange([110.0] * len(nodes), edges, rows)
    whose = {id(t if t.is_leaf else t.grad_fn): name for name, t in tensors.items()}
    titles = [f"{whose[id(n.variable)]}.grad" if hasattr(n, "variable") else class_of(n) for n in nodes]
    named = [f"{whose[id(n)]}\n{title}" if id(n) in whose else title for n, title in zip(nodes, titles, strict=True)]
    ran = list(sent)
    culprit = next((node for node in ran if any(g is not None and math.isnan(g) for g in sent[node])), None)

    told = []
    for above, below, port in links:
        norm = sent[nodes[below]][port]
        told.append(f"{titles[below]} to {titles[above]} {'NaN' if math.isnan(norm) else f'{norm:.2g}'}")
    first = "" if culprit is None else f" The first NaN comes out of {titles[number[culprit]]}."
    plot = Plot(
        0.0105 * layout.width + 0.4, 0.86 * (max(rows) + 1) + 0.5, f"Norms of the gradients on their way: {', '.join(told)}.{first}"
    )
    axes = plot.add_subplot()
    axes.set(xlim=(-25, layout.width + 25), ylim=(max(rows) + 0.45, -0.45))
    axes.axis("off")
    axes.set_title("number and width: the norm of each gradient", loc="left", color=MUTED)
    boxes = []
    for k, (node, title) in enumerate(zip(nodes, named, strict=True)):
        is_culprit = node is culprit
        box = {
            "boxstyle": "round,pad=0.35",
            "facecolor": BLUE_TINT if hasattr(node, "variable") else "#ffffff",
            "edgecolor": MARK if is_culprit else OUTLINE,
            "linewidth": 3 if is_culprit else 1,
        }
        boxes.append(axes.text(layout.x[k], rows[k], title, ha="center", va="center", fontsize=10, color=INK, bbox=box))
    for above, below, port in links:
        norm = sent[nodes[below]][port]
        start, to = (layout.x[below], rows[below]), (layout.x[above], rows[above])
        bad = math.isnan(norm)
        look = {"color": MARK if bad else BLUE, "linewidth": 1.5 if bad else 1 + 2.2 * math.log10(1 + 9 * min(norm, 1e3))}
        look |= {"arrowstyle": "-|>", "mutation_scale": 13, "patchA": boxes[below].get_bbox_patch(), "shrinkA": 0}
        look |= {"patchB": boxes[above].get_bbox_patch(), "shrinkB": 3, "linestyle": "--" if bad else "-"}
        axes.annotate("", to, start, arrowprops=look, zorder=4)  # after the boxes, whose edges it asks for
        at = [0.6 * a + 0.4 * b for a, b in zip(start, to, strict=True)]
        label = {"fontsize": 9, "ha": "center", "va": "center", "color": ALERT if bad else VALUE, "zorder": 5}
        axes.text(*at, "NaN" if bad else f"{norm:.2g}", bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1.5}, **label)
    return plot


def log_share(**formulas: Callable[[Any], Any]) -> Plot:
    """Draw the log-share of the first of the scores z and 0, and its slope, as each formula gives them in float32."""
    from minigrad.viz.figure import Plot
    from minigrad.viz.style import COLOURS

    zs = np.linspace(-200, 200, 801)
    told = []
    plot = Plot(7.4, 2.8, "")
    every_axes = plot.subplots(1, 2)
    looks = [(COLOURS[0], 7.0), (COLOURS[1], 2.0)]
    for k, ((name, formula), (colour, line)) in enumerate(zip(formulas.items(), looks, strict=True)):
        found = []
        for z in zs:
            scores = mg.tensor([z, 0.0], dtype=mg.float32, requires_grad=True)
            share = formula(scores)[0]
            share.backward()
            found.append((share.item(), scores.grad[0].item()))
        for axes, numbers, what in zip(every_axes, np.array(found).T, ("value", "slope"), strict=True):
            holds = np.isfinite(numbers)
            look = {"color": colour, "linewidth": line, "alpha": 1 if line < 3 else 0.45, "zorder": -line}
            (left, *_, right), (begins, *_, ends) = zs[holds], numbers[holds]
            label = name if holds.all() else f"{name}, up to\nthe crosses"
            axes.plot(zs, np.where(holds, numbers, np.nan), **look)
            place = 0.62, (0.42 if what == "value" else 0.78) - 0.1 * k  # where no line runs
            axes.text(*place, label, va="top", transform=axes.transAxes, color=colour)
            if not holds.all():
                axes.plot([left, right], [begins, ends], "x", color=colour, markersize=8, markeredgewidth=2)
            axes.set(xlabel="z", ylabel=f"{what} of the log-share")
            told.append(f"{name}, {what}: from {begins:.0f} to {ends:.0f} for z from {left:.0f} to {right:.0f}")
    plot.alt = f"The log-share of the first of the scores z and 0, and its slope, where they are finite. {'; '.join(told)}."
    return plot
