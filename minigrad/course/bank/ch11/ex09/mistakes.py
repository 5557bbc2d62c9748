"""11.9 A loss that stops falling: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def step_with(centre: Callable[[Any], Any], update: Callable[[Any, float], None]) -> Callable[..., float]:
    """A step in which the hidden numbers are centred so, and each parameter is updated so."""

    def step(W: Any, U: Any, x: Any, target: Any, rate: float) -> float:
        h = mg.tanh(x @ W)
        loss = ((centre(h) @ U - target) ** 2).mean()
        loss.backward()
        with mg.no_grad():
            for p in (W, U):
                if p.grad is not None:
                    update(p, rate)
        return loss.item()

    return step


def move(p: Any, rate: float) -> None:
    p -= rate * p.grad
    p.grad = None


MISTAKES["the branch is still detached"] = Mistake(
    step_with(lambda h: h.detach() - h.detach().mean(0), move),
    "`W` has not moved. Was its gradient asked for? And if so: where the loss is computed from numbers without a history, none comes "
    "to `W`, and the `if` hides that. Which line cuts the way?",
)

MISTAKES["the mean has no history"] = Mistake(
    step_with(lambda h: h - h.detach().mean(0), move),
    "`W` moves now, and in a wrong direction: the mean that is subtracted depends on `W` too, and its way is cut. "
    "No `detach()` and no `no_grad` is needed on the way to the loss.",
)

MISTAKES["the write is back"] = Mistake(
    step_with(lambda h: h.sub_(h.mean(0)), move),
    "Backward raises: tanh keeps its **output**, and `h -= …` writes over it. That is the alarm which somebody "
    "silenced with "
    "`detach()`. Make a new tensor: `h = h - h.mean(0)`.",
)


def centred(h: Any) -> Any:
    return h - h.mean(0)


def move_and_keep(p: Any, rate: float) -> None:
    p -= rate * p.grad


MISTAKES["old gradients are still there"] = Mistake(
    step_with(centred, move_and_keep),
    "The first step is right, the second is made with the **sum** of both gradients. Set `.grad` to None after each step.",
)

MISTAKES["uphill"] = Mistake(
    step_with(centred, lambda p, rate: move(p, -rate)),
    "The loss rises: a step goes *against* the gradient, `p -= rate * p.grad`.",
)


def step_on_copies(W, U, x, target, rate):
    loss = ((centred(mg.tanh(x @ W)) @ U - target) ** 2).mean()
    gradients = mg.autograd.grad(loss, (W, U))
    W, U = (p - rate * g for p, g in zip((W, U), gradients, strict=True))
    return loss.item()


MISTAKES["nothing has moved"] = Mistake(
    step_on_copies,
    "`W` and `U` of the caller are what they were. Did the step go into other tensors (`W = W - …` gives the *name* to a new one), or "
    "were the gradients gone by then? Write into those that were handed in, `W -= …` inside of `no_grad`, and clear afterwards.",
)

MISTAKES["no longer centred"] = Mistake(
    step_with(lambda h: h, move),
    "Now nothing is subtracted: the hidden numbers are to be centred, each less the mean over the points.",
)


def centred_behind(h: Any) -> Any:
    h.data -= h.data.mean(0)
    return h


MISTAKES["past the counter"] = Mistake(
    step_with(centred_behind, move),
    "No alarm, and a wrong step: through `.data` nobody counts. tanh computes its slope from its output, and that was written "
    "over. Make a new tensor: `h = h - h.mean(0)`.",
)

MISTAKES["one mean for the table"] = Mistake(
    step_with(lambda h: h - h.mean(), move),
    "You subtract one mean, that of the whole table. Each column has its own: `h.mean(0)`.",
)

MISTAKES["the mean over the hidden numbers"] = Mistake(
    step_with(lambda h: h - h.mean(1, keepdim=True), move),
    "You subtract from each point the mean over its hidden numbers. Asked for is the mean over the points, one for each hidden "
    "number: `h.mean(0)`.",
)


def step_told_late(W, U, x, target, rate):
    step_with(centred, move)(W, U, x, target, rate)
    return ((centred(mg.tanh(x @ W)) @ U - target) ** 2).mean().item()


MISTAKES["the loss after the step"] = Mistake(
    step_told_late, "`W` and `U` move as they should. But you return the loss **after** the step; wanted is the one before it."
)
