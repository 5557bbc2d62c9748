"""06.5 The leaking loop: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch06.ex05.answer import average_loss
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def average_leaks(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        w.grad = None
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total = total + loss
        del loss
    return total / len(batches)


MISTAKES["it leaks"] = Mistake(
    average_leaks,
    "It still leaks. `total` is a result, and the losses are among its ancestors: as long as `total` lives (or a list "
    "of losses), the graphs of all steps live. `del loss` takes away a name only. Add up **numbers**: `loss.item()` or "
    "`loss.detach()`.",
)


def average_too_late(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss
    return float(total) / len(batches)


MISTAKES["too late"] = Mistake(
    average_too_late,
    "What you return is a number without a graph. But that comes too late: **during** the loop `total` (or your list) "
    "held on to the graphs of all steps. Cut at each step, where the loss is added.",
)


def average_with_the_loss_before(w, batches, loss_of, lr):
    total, losses = 0.0, []
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.item()
        losses = [*losses[-1:], loss]
    return total / len(batches)


MISTAKES["the losses before are kept"] = Mistake(
    average_with_the_loss_before,
    "Nothing grows without end, but the losses of two steps that are done are still held, each with its graph, when the next is "
    "computed. What you remember of a step must be a number: `loss.item()`.",
)


def average_of_created(w, batches, loss_of, lr):
    total, norms = 0.0, 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        (g,) = mg.autograd.grad(loss, w, create_graph=True)
        with mg.no_grad():
            w -= lr * g
        norms = norms + (g**2).sum()
        total += loss.item()
    return total / len(batches)


MISTAKES["gradients with graphs"] = Mistake(
    average_of_created,
    "You let each loss go, and the graphs stay alive all the same. Something else of each step is kept that has the graph behind it. "
    "A gradient has one where `create_graph=True` made it: leave that away.",
)


def training_on(prepare: Callable[[Any], Any]) -> Callable[..., Any]:
    """An answer that does something to each loss before it goes backward."""

    def answer(w: Any, batches: Any, loss_of: Any, lr: float) -> Any:
        total = 0.0
        for batch in batches:
            loss = prepare(loss_of(w, batch))
            w.grad = None
            loss.backward()
            with mg.no_grad():
                w -= lr * w.grad
            total += loss
        return total / len(batches)

    return answer


MISTAKES["detached before backward"] = Mistake(
    training_on(lambda loss: loss.detach()),
    "There was no graph to go back through, hence the message. Either the loss was cut off **before** `backward`, by "
    "`detach` or `no_grad`: it must keep its history; detach what you add up. Or `w` is no longer the leaf: `w = w - …` "
    "under `no_grad` makes a constant, where `w -= …` moves the leaf.",
)

MISTAKES["a number before backward"] = Mistake(
    training_on(lambda loss: loss.item()),
    "You turned the loss into a plain number **before** `backward`, and a number has no `backward`. Go backward first; "
    "take the number where you add it up.",
)


def average_after_the_step(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
            total += loss_of(w, batch)
    return total / len(batches)


MISTAKES["after the step"] = Mistake(
    average_after_the_step,
    "No leak, but the losses are others: you compute each loss once more **after** the step, with the new `w`. Add up the "
    "loss that went backward, `loss.item()`.",
)


def average_of_another_w(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        w = (w - lr * w.grad).detach().requires_grad_()
        total += loss.item()
    return total / len(batches)


MISTAKES["another w"] = Mistake(
    average_of_another_w,
    "No leak, and the average is right. But the `w` of the caller has not moved: `w = …` gives the name to a new Tensor. "
    "`w -= lr * w.grad` under `no_grad` moves the one that you were given.",
)


def average_of_the_first(w, batches, loss_of, lr):
    return average_loss(w, batches[:1], loss_of, lr) / len(batches)


MISTAKES["the first batch alone"] = Mistake(
    average_of_the_first, "Only the first batch was trained on. Does your `return` stand inside the loop?"
)


def training(keep: Callable[[Any], Any], average: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """An answer that keeps something of each loss in a list, and makes the average of it at the end."""

    def answer(w: Any, batches: Any, loss_of: Any, lr: float) -> Any:
        kept = []
        for batch in batches:
            loss = loss_of(w, batch)
            w.grad = None
            loss.backward()
            with mg.no_grad():
                w -= lr * w.grad
            kept.append(keep(loss))
        return average(kept)

    return answer


MISTAKES["only the last"] = Mistake(
    training(lambda loss: loss.item(), lambda kept: kept[-1] / len(kept)),
    "Only the last loss is in your total: it is replaced in each turn, not added to. `total += …`.",
)

MISTAKES["the last alone"] = Mistake(
    training(lambda loss: loss.item(), lambda kept: kept[-1]), "That is the last loss. Asked for is the average of all."
)

MISTAKES["the sum"] = Mistake(training(lambda loss: loss.item(), sum), "That is the sum of the losses. Divide by their number.")


def average_no_training(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        with mg.no_grad():
            total += loss_of(w, batch).item()
    return total / len(batches)


MISTAKES["no training"] = Mistake(
    average_no_training,
    "No leak, but `w` has not moved: nothing is trained any more. Keep `backward` and the step as they were, and change "
    "only how the loss is added up.",
)


def average_not_cleared(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.item()
    return total / len(batches)


MISTAKES["not cleared"] = Mistake(
    average_not_cleared,
    "No leak, but the steps are made with the sum of all gradients so far: `w.grad = None` in each turn got lost.",
)


def average_cleared_after(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        w.grad = None
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.item()
    return total / len(batches)


MISTAKES["cleared before the step"] = Mistake(
    average_cleared_after,
    "`w.grad` is None when the step uses it. Is it cleared between `backward` and the step? Clear it before `backward`.",
)


def average_losses_first(w, batches, loss_of, lr):
    losses = [loss_of(w, batch) for batch in batches]
    for loss in losses:
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
    return sum(loss.item() for loss in losses) / len(losses)


MISTAKES["all losses first"] = Mistake(
    average_losses_first,
    "All losses are computed before the first step: with the `w` of the start, and with all graphs alive at once. One loop does "
    "all: a loss, its `backward`, the step, and then the next batch.",
)


def average_uphill(w, batches, loss_of, lr):
    return average_loss(w, batches, loss_of, -lr)


MISTAKES["uphill"] = Mistake(
    average_uphill,
    "No leak, but the steps go the other way. The gradient points **uphill**, so it is taken away: `w -= lr * w.grad`.",
)


def average_by_rows(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.item() * len(batch)
    return total / sum(map(len, batches))


MISTAKES["an average over the rows"] = Mistake(
    average_by_rows,
    "Here the batches have different numbers of rows, and you weight each loss by its rows. Asked for is the average of the "
    "**losses**: each counts once.",
)
