"""13.8 A run that ends in NaN: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch13.common import Array
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def cups(rng: np.random.Generator, dtype: Any, label: str, readings: Any) -> Case:
    """So many cups with these readings, and two guesses for each."""
    n, m = np.shape(readings)
    hot, half = (mg.tensor(rng.uniform(*bounds, n), dtype=dtype, requires_grad=True) for bounds in ((30, 80), (5, 15)))
    return Case(label, (hot, half, mg.tensor(3.0 * np.arange(m), dtype=dtype), mg.tensor(readings, dtype=dtype)))


def misfit_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def readings(n: int, m: int, *holes: tuple[int, int, float]) -> Array:
        found = rng.uniform(22, 90, (n, m))
        for i, j, value in holes:
            found[i, j] = value
        return found

    nan = float("nan")
    return [
        cups(rng, dtype, "2 cups, one reading is missing", readings(2, 4, (0, 2, nan))),
        cups(rng, dtype, "2 cups, one reading is 20 exactly", readings(2, 5, (1, 4, 20.0))),
        cups(rng, dtype, "3 cups, holes, and a reading below 20", readings(3, 5, (0, 3, nan), (2, 0, nan), (2, 4, 18.5))),
        cups(rng, dtype, "3 cups, nothing is missing", readings(3, 4)),
    ]


def misfit_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    nan = float("nan")
    return [
        cups(rng, dtype, "a cup without any reading", [[70.0, 50.0, 41.0], [nan, nan, nan]]),
        cups(rng, dtype, "one cup, one reading", [[61.0]]),
        cups(rng, dtype, "one reading is left", [[nan, 47.0], [20.0, 3.0]]),
        cups(rng, dtype, "a reading a little above 20", [[64.0, 20.25]]),
    ]


def watch_misfit(answer: Callable[..., Any], hot: Any, half: Any, minutes: Any, readings: Any) -> Any:
    loss = answer(hot, half, minutes, readings)
    if not isinstance(loss, mg.Tensor):
        return unfit(loss, "a Tensor of shape ()")
    seen: dict[str, Any] = {"the loss": loss.detach().clone(), "it has a graph": loss.requires_grad}
    if loss.requires_grad and tuple(loss.shape) == ():
        try:
            with mg.autograd.set_detect_anomaly(True):
                loss.backward(retain_graph=True)
        except RuntimeError:
            seen["backward in anomaly mode"] = "meets a NaN"
        hot.grad = half.grad = None
        loss.backward()
        for name, t in (("hot", hot), ("half", half)):
            seen[f"{name}.grad"] = None if t.grad is None else t.grad.clone()
    return seen


TASK = Part(
    id="13.8",
    title="A run that ends in NaN",
    difficulty=3,
    minutes=8,
    requirements=(
        Requirement(
            "It returns the same loss as `loss_of`: the mean over the readings that count.",
            ("made-up readings count", "the mean over all"),
        ),
        Requirement(
            "Backward finds the right gradients of `hot` and `half`, without a NaN made on the way.",
            ("the input is not clean", "only NaN is cleaned", "NaN cleaned away by a hook", "NaN made and stopped", "no history"),
        ),
        Requirement(
            "`hot` and `half` are leaves of shape (n,), one number for each cup; `minutes` has shape (m,), `readings` (n, "
            "m). All stay as they are.",
            attacks=("writes into its inputs",),
        ),
    ),
    cases=misfit_cases,
    edges=misfit_edges,
    observe=watch_misfit,
    may_change_inputs=True,
    tolerance=1e-6,  # log(½) may be a float32 constant
)
