"""15.5 Evaluate: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch15.common import fill
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import nodes_of
from minigrad.course.judging.compare import unfit


class Wavering(mg.nn.Module):
    """Scores that depend on the mode, as those of a network with dropout do; but here by a rule."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner
        self.recorded = 0  # nodes

    def forward(self, x: Any) -> Any:
        scores = self.inner(x)
        self.recorded += len(nodes_of(scores))
        return -scores if self.training or self.inner.training else scores


def watch_accuracy(answer: Callable[..., Any], model: Any, x: Any, labels: Any, enabled: bool = True) -> dict[str, Any]:
    before, model.recorded = model.training, 0
    wanted = [p.requires_grad for p in model.parameters()]
    with mg.set_grad_enabled(enabled):
        value = answer(model, x, labels)
        left = mg.is_grad_enabled()
    if not isinstance(value, int | float | np.floating):
        return unfit(value, "a float from 0 to 1")
    return {
        "nodes recorded": model.recorded,
        "share": value,
        "the mode is as it was": bool(model.training is before and model.inner.training is before),
        "grad mode is as it was": left is enabled,
        "the parameters' requires_grad is as it was": [p.requires_grad for p in model.parameters()] == wanted,
    }


def accuracy_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    nn = mg.nn
    cases = []
    for rows, training, enabled in ((7, True, True), (11, False, True), (5, True, False)):
        net = fill(rng, nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3)), dtype)
        x = random_tensor(rng, dtype, rows, 4)
        with mg.no_grad():
            best, worst = net(x).argmax(1).numpy(), net(x).argmin(1).numpy()
        labels = np.where(np.arange(rows) < rows // 2, best, 3 - best - worst)
        labels[-1] = worst[-1]
        model = Wavering(net).train(training)
        label = f"a model in {'training' if training else 'eval'} mode" + (", called under no_grad" if not enabled else "")
        cases.append(Case(label, (model, x, mg.tensor(labels), enabled)))
    return cases


def accuracy_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    cases = []
    for label, rows, right in (
        ("one row, and it is right", 1, True),
        ("one row, and it is wrong", 1, False),
        ("every row is right", 4, True),
    ):
        net = fill(rng, mg.nn.Sequential(mg.nn.Linear(4, 3)), dtype)
        x = random_tensor(rng, dtype, rows, 4)
        with mg.no_grad():
            labels = (net(x).argmax(1) if right else net(x).argmin(1)).numpy()
        cases.append(Case(label, (Wavering(net).train(right), x, mg.tensor(labels), True)))
    net = fill(rng, mg.nn.Sequential(mg.nn.Linear(4, 3), mg.nn.Linear(3, 3)), dtype)
    next(iter(net.parameters())).requires_grad_(False)
    x, labels = random_tensor(rng, dtype, 5, 4), mg.tensor(rng.integers(0, 3, 5))
    return [*cases, Case("one of the parameters is frozen", (Wavering(net), x, labels, True))]


TASK = Part(
    id="15.5",
    title="Evaluate",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "`model(x)` gives scores of shape (n, classes); `labels` is a Tensor of n whole numbers. Return a float from 0 "
            "to 1.",
            ("a number of rows", "the share that is wrong"),
        ),
        Requirement(
            "**No graph** is recorded. The checker counts the nodes at the moment when the model has computed.",
            ("detached afterwards",),
        ),
        Requirement(
            "The model is in **eval mode** while it computes, and afterwards in the mode in which it was before: "
            "`model.training` tells, and `model.train(mode)` sets it.",
            ("no eval mode", "left in eval mode", "always back to training"),
        ),
        Requirement(
            "Nothing else is different afterwards: grad mode, and the parameters' `requires_grad`.",
            ("parameters frozen", "frozen parameters thawed", "grad mode left off"),
        ),
    ),
    cases=accuracy_cases,
    edges=accuracy_edges,
    observe=watch_accuracy,
    may_change_inputs=True,
    tolerance=1e-6,
)
