"""15.6 Overfit one batch: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch15.common import fill
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import Unfit, unfit

BOUND = 0.001


def all_in(numbers: list[float], known: list[float]) -> bool:
    """Whether each number is among those that are known, to within rounding in float32."""
    places = np.sort([k for k in known if np.isfinite(k)])
    return all(np.searchsorted(places, 0.999 * n - 1e-6) < np.searchsorted(places, 1.001 * n + 1e-6) for n in numbers)


def is_number(loss: Any) -> bool:
    """Whether float() takes it: a number, a Tensor or an array of one, or a text that reads as one."""
    try:
        float(loss)
    except Exception:
        return False
    return True


def follow(numbers: list[float], known: list[float]) -> bool:
    """Whether the numbers come in this order among those that are known, to within rounding in float32."""
    rest = iter(known)
    return all(any(0.999 * n - 1e-6 < k < 1.001 * n + 1e-6 for k in rest) for n in numbers)


def watch_overfit(answer: Callable[..., Any], model: Any, x: Any, t: Any) -> Any:
    before, rows, goal = [p.detach().clone() for p in model.parameters()], x.clone(), t.clone()
    asked: list[float] = []  # the losses that the given model had when it was asked for all rows, in their order

    def loss_of(scores: Any) -> float:
        return float(((scores.detach().flatten() - goal) ** 2).mean())

    def note(module: Any, inputs: Any, scores: Any) -> None:
        if scores.numel() == goal.numel() and np.array_equal(inputs[0].detach().numpy(), rows.numpy()):
            asked.append(loss_of(scores))

    # A step is a backward pass and a write: a sum of several passes may be one step, and one step may write twice.
    weight = next(model.parameters())
    written, passes = weight._version, []
    with model.register_forward_hook(note), weight.register_hook(lambda g: passes.append(True)):
        losses = answer(model, x, t)
    steps = min(len(passes), weight._version - written)
    if not isinstance(losses, list | tuple) or not losses:
        return unfit(losses, "a list of losses")
    strange = [loss for loss in losses if not is_number(loss)]
    if strange:
        kind = type(losses).__name__
        return Unfit(f"a {kind} with {unfit(strange[0], '').came} in it", "a list of losses, each of them a number")
    numbers = [float(loss) for loss in losses]
    first, second = [*dict.fromkeys(asked), None, None][:2]
    late = second is not None and abs(numbers[0] - second) < 1e-3 * abs(numbers[0] - first)
    arrived = bool(numbers[-1] < BOUND)
    # Only where each step has asked it for all rows: a loss may also be put together from single rows.
    compared = arrived and len(asked) >= steps
    with mg.no_grad():
        left = loss_of(model(rows.to(next(model.parameters()).dtype)))
    return {
        "the first loss": "that after the first step" if late else numbers[0],
        "there is a loss for each step": len(numbers) >= steps,
        "all losses are finite": bool(np.isfinite(numbers).all()),
        "the last loss is below 0.001": arrived,
        "the losses are those that the given model had": not compared or all_in(numbers[1:], asked),
        "the losses stand in the order in which the model had them, each once": not compared or follow(numbers[1:], asked),
        # Not that its loss is below 0.001: with momentum the last step may have gone too far.
        "the given model is left trained": not arrived or left < numbers[0] / 5,
        "the given model's parameters have changed": not all(map(mg.equal, model.parameters(), before)),
        "the losses are plain numbers": all(isinstance(loss, int | float | np.number) for loss in losses),
        "the losses are without a graph": not any(getattr(loss, "requires_grad", False) for loss in losses),
    }


def overfit_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    nn = mg.nn
    cases = []
    for number, (n, d) in enumerate(((6, 3), (5, 2), (7, 4), (4, 3), (8, 5)), 1):
        model = nn.Sequential(nn.Linear(d, 16), nn.Tanh(), nn.Linear(16, 1))
        model = fill(rng, model, dtype, d**-0.5)
        x, t = (mg.tensor(values, dtype=dtype) for values in told_apart(rng, n, d))
        cases.append(Case(f"batch {number}: {n} rows", (model, x, t)))
    return cases


def told_apart(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Random rows and targets. No two rows lie close together, and none so close that their targets ask for a steep function:
    those can hardly be told apart, and take thousands of steps."""
    pairs = [(i, j) for i in range(n) for j in range(i)]
    while True:
        x, t = rng.normal(size=(n, d)), rng.normal(size=n)
        apart = [(np.linalg.norm(x[i] - x[j]), abs(t[i] - t[j])) for i, j in pairs]
        if all(distance > 0.8 and rise < 1.5 * distance for distance, rise in apart):
            return x, t


TASK = Part(
    id="15.6",
    title="Overfit one batch",
    difficulty=2,
    minutes=8,
    requirements=(
        Requirement(
            "`model` is a network with 16 hidden units. It gives shape **(n, 1)** for `x` of shape (n, d). The targets `t` "
            "have shape **(n,)**.",
            ("a column against a row",),
        ),
        Requirement(
            "Optimizer, lr and number of steps are yours. Five different batches are tried; together they may take 20 "
            "seconds.",
        ),
        Requirement(
            "The given model learns, until its loss is **below 0.001**.",
            ("it does not arrive", "another model learned", "it blows up", "a step, and no training", "spoilt at the end"),
        ),
        Requirement(
            "Return the list of the losses as plain numbers, one for each step; the first is that before any step.",
            ("the losses keep their graphs", "Tensors in the list", "the best row", "the loss after the step", "a loss now and then"),
        ),
    ),
    cases=overfit_cases,
    without={
        "second call": "training takes most of a second; five batches are tried already, each with a model of its own",
        "edges": "the answer may need any number of steps; five batches of several sizes are tried",
    },
    observe=watch_overfit,
    may_change_inputs=True,
    time_limit=20.0,
)
