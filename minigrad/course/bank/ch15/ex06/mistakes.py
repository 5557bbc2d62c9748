"""15.6 Overfit one batch: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch15.ex06.answer import overfit
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def fitting(
    residual: Callable[[Any, Any], Any],
    lr: float,
    steps: int,
    kind: str = "Adam",
    keep: Callable[[Any], Any] = float,
    mend: bool = True,
) -> Callable[..., Any]:
    """An answer with another residual, optimizer, length, or list."""

    def answer(model: Any, x: Any, t: Any) -> Any:
        optimizer = getattr(mg.optim, kind)(model.parameters(), lr=lr)
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            loss = (residual(model(x), t) ** 2).mean()
            losses.append(keep(loss))
            if mend:
                loss.backward()
            optimizer.step()
            if float(losses[-1]) < 1e-4:
                break
        return losses

    return answer


def as_a_square(p: Any, t: Any) -> Any:
    return p - t


MISTAKES["a column against a row"] = Mistake(
    fitting(as_a_square, 0.02, 60),
    "The model gives a column, (n, 1), and the targets are a row, (n,): their difference is a **table of n × n**. The "
    "best that "
    "the model can do with that is the mean of all targets, so the loss stops far above 0. Give both the same shape "
    "first. "
    "(This is what the test is for.)",
)


def in_one_row(p: Any, t: Any) -> Any:
    return p.flatten() - t


MISTAKES["it blows up"] = Mistake(
    fitting(in_one_row, 1e3, 150, "SGD"),
    "The losses become `inf` or `nan`: each step is so long that it lands higher up than it began. Take a smaller lr. "
    "(Which "
    "operation made the first NaN? Chapter 13 has the tools; here the answer is always: the step.)",
)

MISTAKES["it does not arrive"] = Mistake(
    fitting(in_one_row, 1e-4, 40),
    "The first loss is right, but at the end it is still above 0.001. Look at the list: if it falls slowly, take more "
    "steps or a "
    "larger lr; if it jumps, a smaller one; if it is flat, one of the five lines is missing or in the wrong place. Adam "
    "with lr = 0.02 and up to 2000 steps will do.",
)


def on_a_copy(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Trains another model, with the same parameters."""

    def answer(model: Any, x: Any, t: Any) -> Any:
        nn = mg.nn
        first, last = model[0], model[2]
        other = nn.Sequential(nn.Linear(first.in_features, first.out_features), nn.Tanh(), nn.Linear(last.in_features, 1)).to(
            x.dtype
        )
        other.load_state_dict(model.state_dict())
        return fit(other, x, t)

    return answer


MISTAKES["another model learned"] = Mistake(
    on_a_copy(overfit),
    "Your losses fall, but the parameters of the model that you were given are what they were. Was another model trained, were they "
    "put back at the end, or do the losses come from no training? Give *its* `parameters()` to the optimizer, and leave them.",
)

MISTAKES["the losses keep their graphs"] = Mistake(
    fitting(in_one_row, 0.02, 2000, keep=lambda loss: loss),
    "Your list holds Tensors, and each of them holds on to its graph (chapter 06). Keep numbers: `loss.item()`.",
)


def after_the_step(model, x, t):
    optimizer = mg.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    while len(losses) < 2000 and not (losses and losses[-1] < 1e-4):
        loss = ((model(x).flatten() - t) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(((model(x).flatten() - t) ** 2).mean().item())
    return losses


MISTAKES["the loss after the step"] = Mistake(
    after_the_step,
    "Your first loss is that **after** the first step: the model was asked again. Note the loss from which the step is made.",
)


def now_and_then(model, x, t):
    losses = overfit(model, x, t)
    return [*losses[::10], losses[-1]]


MISTAKES["a loss now and then"] = Mistake(
    now_and_then,
    "The model learned, but your list is shorter than the training was: a loss for **each** step is wanted.",
)

MISTAKES["Tensors in the list"] = Mistake(
    fitting(in_one_row, 0.02, 2000, keep=lambda loss: loss.detach()),
    "In your list is something else than plain numbers. `loss.detach()` is a Tensor still, `.numpy()` an array, and `str` a text: "
    "`loss.item()` is a number.",
)


def the_best_row(model, x, t):
    optimizer, losses = mg.optim.Adam(model.parameters(), lr=0.02), []
    while len(losses) < 2000 and not (losses and losses[-1] < 1e-4):
        squares = (model(x).flatten() - t) ** 2
        optimizer.zero_grad()
        squares.mean().backward()
        optimizer.step()
        losses.append((squares.min() if losses else squares.mean()).item())
    return losses


NOT_ITS_LOSSES = (
    "Your list has numbers that are no loss which the given model had: whenever it was asked for these rows, the mean of its squared "
    "errors was another. Note `loss.item()` of each step as it is, of the very loss that goes backward."
)
MISTAKES["the best row"] = Mistake(the_best_row, NOT_ITS_LOSSES)


def one_step_and_a_claim(model, x, t):
    return [*fitting(in_one_row, 0.02, 1)(model, x, t), 0.0]


MISTAKES["a step, and no training"] = Mistake(
    one_step_and_a_claim, f"{NOT_ITS_LOSSES} And asked once more, when you are done, it has not learned the batch."
)


def spoilt_at_the_end(model, x, t):
    losses = overfit(model, x, t)
    with mg.no_grad():
        for p in model.parameters():
            p.mul_(-2)
    return losses


MISTAKES["spoilt at the end"] = Mistake(
    spoilt_at_the_end,
    "Your losses go down to nothing, but the model that you leave behind has not learned: asked for these rows once more, its loss "
    "is large. Were its parameters written to after the last step, or did that step throw it far away?",
)
