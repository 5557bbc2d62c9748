"""15.4 Five lines in order: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch15.common import fill
from minigrad.course.bank.shared import random_tensor
from minigrad.course.bank.watching import calls_counted, calls_of
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

TRAIN_STARTER = '''\
def train(model, loss_of, optimizer, batches):
    """One pass over the batches, with one step for each. Returns the loss of each batch, before its step."""
    losses = []
    for x, target in batches:
        loss.backward()
        optimizer.step()
        loss = loss_of(prediction, target)
        optimizer.zero_grad()
        prediction = model(x)
        losses.append(loss.item())  # this line is in its place
    return losses
'''

Loop = Callable[[Any, Callable[..., Any], Any, Any], list[float]]


def watch_train(answer: Loop, model: Any, optimizer: Any, batches: list[Any]) -> Any:
    """The parameters before each batch and at the end, and the losses."""
    states = []

    def handing_out():
        for batch in batches:
            states.append([p.detach().clone() for p in model.parameters()])
            yield batch

    mse, turned = mg.nn.MSELoss(), False

    def loss_of(prediction: Any, target: Any) -> Any:
        nonlocal turned
        turned = turned or any(prediction is given for _, given in batches)
        return mse(prediction, target)

    arrived: list[Any] = []
    handles = [p.register_hook(lambda g: arrived.append(1)) for p in model.parameters()]
    with calls_counted(mg) as passes, calls_of(type(optimizer), "step") as steps:
        losses = answer(model, loss_of, optimizer, handing_out())
    for handle in handles:
        handle.remove()
    if not isinstance(losses, list | tuple):
        return unfit(losses, "a list of numbers")
    if turned:
        return {"loss_of is called with": "the target, then the prediction"}
    seen: dict[str, Any] = {"loss_of is called with": "the prediction, then the target", "losses": list(losses)}
    seen["trace_missing"] = "step" if not steps else "backward" if not passes else "" if arrived else "a way back"
    seen["cost_graphs_kept"] = any(isinstance(loss, mg.Tensor) and loss.requires_grad for loss in losses)
    for number, state in enumerate(states):
        seen[f"parameters before batch {number}"] = state
    seen["parameters at the end"] = [p.detach().clone() for p in model.parameters()]
    return seen


def train_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    nn, optim = mg.nn, mg.optim

    def batches(rows: int, a: int, b: int) -> list[Any]:
        return [(random_tensor(rng, dtype, rows, a), random_tensor(rng, dtype, rows, b)) for _ in range(4)]

    line = fill(rng, nn.Linear(3, 2), dtype)
    two = fill(rng, nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 3)), dtype)
    other = fill(rng, nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1)), dtype)
    return [
        Case("a linear layer, SGD", (line, optim.SGD(line.parameters(), lr=0.1), batches(5, 3, 2))),
        Case("two layers, SGD", (two, optim.SGD(two.parameters(), lr=0.2), batches(4, 2, 3))),
        Case("two layers, Adam", (other, optim.Adam(other.parameters(), lr=0.05), batches(6, 4, 1))),
    ]


def train_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    line = fill(rng, mg.nn.Linear(2, 1), dtype)
    return [
        Case(
            "one batch of one row",
            (line, mg.optim.SGD(line.parameters(), lr=0.1), [(random_tensor(rng, dtype, 1, 2), random_tensor(rng, dtype, 1, 1))]),
        )
    ]


TASK = Part(
    id="15.4",
    title="Five lines in order",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement(
            "`train(model, loss_of, optimizer, batches)` makes one step for each batch `(x, target)`, with the gradient of "
            "that batch alone.",
            ("never zero", "one step for all batches", "zero after backward", "no step", "no backward", "a detached loss"),
        ),
        Requirement(
            "Each step belongs to the parameters that its loss has seen.",
            ("step before backward", "step between forward and backward"),
        ),
        Requirement(
            "It returns the loss of each batch, as it was before its step. The checker looks at the parameters before every "
            "batch and at the end.",
            ("the loss after the step",),
        ),
    ),
    starter=TRAIN_STARTER,
    cases=train_cases,
    edges=train_edges,
    observe=watch_train,
    may_change_inputs=True,
)
