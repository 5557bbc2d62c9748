"""09.7 tanh and its first six derivatives: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch09.common import Watch
from minigrad.course.bank.shared import close_figures, in_legends, open_figures
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


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
    watch, before, here = Watch(f), open_figures(), xs.numpy().copy()
    ax = answer(watch.f, xs, n)
    close_figures(before)  # the next call begins with a figure of its own, as the next cell of a notebook does
    if not hasattr(ax, "get_lines") or not hasattr(ax, "get_legend"):
        return unfit(ax, "the Axes, as `plt.gca()` or `plt.subplots()[1]` gives it")
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) == len(xs)]
    legend = in_legends(ax)
    labels = [str(line.get_label()) for line in lines]
    if legend is not None and len(legend) >= len(lines):
        labels = legend  # they may have been given to legend alone
    seen: dict[str, Any] = {"curves": len(lines)}
    if lines:
        places = [np.asarray(line.get_xdata(), dtype=float) for line in lines]
        seen["places on the horizontal axis"] = next((at for at in places if not np.allclose(at, here, atol=1e-5)), places[0])
    for k, line in enumerate(lines[: n + 1]):
        seen[f"derivative {k}" if k else "f"] = np.asarray(line.get_ydata(), dtype=float)
    named = [label for label in labels if not label.startswith("_")]
    seen["labels"] = "a label for each" if len({*named}) > 1 else "all the same"
    if named != labels:
        seen["labels"] = "some without" if named else "none"
    if len(labels) < 2:
        seen["labels"] = f"{len(labels)} in all"
    seen["legend"] = "missing" if legend is None else "empty" if not legend else "there"
    if legend and len(legend) < len(lines):
        seen["legend"] = "without some of the lines"
    return seen | {"cost_passes": watch.passes}


TASK = Part(
    id="09.7",
    title="tanh and six derivatives",
    difficulty=3,
    minutes=6,
    requirements=(
        Requirement(
            "`f` works entry by entry on a Tensor. `xs` is a Tensor of shape (m,) that does not require grad; leave it as it "
            "is.",
            ("differences",),
            attacks=("writes into its inputs",),
        ),
        Requirement(
            "The lines are f, f′, f″, … in this order. Each has a label, and there is a legend.",
            (
                "f is missing",
                "the last is missing",
                "no labels",
                "some without a label",
                "one label for all",
                "no legend",
                "the legend comes too early",
            ),
        ),
        Requirement("One pass for each order is enough. The checker tells you when you took more."),
        Requirement(
            "All lines are on one Axes, which is returned, over the numbers of `xs`.",
            ("a figure for each", "drawn over the numbers of the points", "derivatives over other places"),
        ),
    ),
    cases=plot_cases,
    without={
        "edges": "a curve needs several points; its numbers are compared",
    },
    observe=watch_plot,
)
