"""15.4 Five lines in order: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch15.ex04.task import Loop
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost
MISTAKES: dict[str, Mistake] = {}


def loop(order: str, again: bool = False) -> Loop:
    """The loop with its lines in another order, as letters: z(ero_grad), p(rediction), l(oss), b(ackward), s(tep).

    again: the same, with the lines as functions in a list.
    """
    lines = {
        "z": "optimizer.zero_grad()",
        "p": "prediction = model(x)",
        "l": "loss = loss_of(prediction, target)",
        "b": "loss.backward()",
        "s": "optimizer.step()",
    }
    body = [f"        {lines[letter]}" for letter in order]
    source = ["def train(model, loss_of, optimizer, batches):", "    losses = []", "    for x, target in batches:", *body]
    space: dict[str, Any] = {}
    exec("\n".join([*source, "        losses.append(loss.item())", "    return losses"]), space)

    def from_functions(model: Any, loss_of: Any, optimizer: Any, batches: Any) -> list[float]:
        here: dict[str, Any] = {}
        steps = {
            "z": lambda: optimizer.zero_grad(),
            "p": lambda: here.update(prediction=model(here["x"])),
            "l": lambda: here.update(loss=loss_of(here["prediction"], here["target"])),
            "b": lambda: here["loss"].backward(),
            "s": lambda: optimizer.step(),
        }
        losses = []
        for here["x"], here["target"] in batches:
            for letter in order:
                steps[letter]()
            losses.append(float(here["loss"].detach()))
        return losses

    answer: Loop = from_functions if again else space["train"]
    return answer


def missing(what: str) -> Callable[[str, list[Any]], bool]:
    """Evidence that in every case this was never done, of what moves the parameters."""
    return lambda source, seen: all(isinstance(s, dict) and s.get("trace_missing") == what for s in seen)


def train_zero_late(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        loss = loss_of(model(x), target)
        loss.backward()
        optimizer.zero_grad()
        optimizer.step()
        losses.append(loss.item())
    return losses


MISTAKES["zero after backward"] = Mistake(
    train_zero_late,
    "**The gradients are erased before the step uses them.** Backward fills `.grad`, zero_grad empties it, and the step "
    "finds "
    "nothing: no parameter ever moves, and the loss of a batch stays what it is. Between `backward` and the next `step` "
    "there "
    "must be no zero_grad.",
    evidence=missing(""),
)


def train_no_step(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        loss = loss_of(model(x), target)
        loss.backward()
        losses.append(loss.item())
    return losses


MISTAKES["no step"] = Mistake(
    train_no_step,
    "No parameter moves, because `optimizer.step()` is never called. Backward only fills `.grad`; it is the step that moves.",
    evidence=missing("step"),
)


def train_no_backward(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        loss = loss_of(model(x), target)
        optimizer.step()
        losses.append(loss.item())
    return losses


MISTAKES["no backward"] = Mistake(
    train_no_backward,
    "No parameter moves, because nothing goes backward: `.grad` stays empty, and a step without gradients does nothing. "
    "`loss.backward()` is due between the loss and the step.",
    evidence=missing("backward"),
)


def train_detached(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        loss = loss_of(model(x), target).detach().requires_grad_()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


MISTAKES["a detached loss"] = Mistake(
    train_detached,
    "Backward runs, and no gradient arrives at a parameter: between the loss and the model the way is cut, as `detach`, `.data`, a "
    "new tensor or `no_grad` cut it. Let backward start from the loss that `loss_of` returns for `model(x)`.",
    evidence=missing("a way back"),
)

MISTAKES["step before backward"] = Mistake(
    loop("szplb"),
    "**One step late.** The first step finds no gradient and does nothing. From then on every step is made one round "
    "after "
    "its backward, and the gradient of the last batch is never used. The losses look as they should, so nobody notices; "
    "but whenever you stop and look at the model, its last step is missing. `step` comes after `backward`.",
)

MISTAKES["step between forward and backward"] = Mistake(
    loop("plszb"),
    "The step changes the parameters **between forward and backward**. Backward needs the weights as they were in the "
    "forward pass, and the version counters notice (chapter 11). In a single linear layer nothing was saved that a step "
    "changes: there it raises nothing, and each step follows a gradient that is out of date. `step` comes last, after "
    "`backward`.",
)

MISTAKES["never zero"] = Mistake(
    loop("plbs"),
    "Backward *adds* to `.grad`, so the second step uses the sum of two gradients, the third the sum of three. That is a "
    "momentum that never forgets: the orbit of chapter 06. Use all five lines, and each in every round.",
)


def train_step_after(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        prediction = model(x)
        loss = loss_of(prediction, target)
        loss.backward()
        losses.append(loss.item())
    optimizer.step()
    return losses


MISTAKES["one step for all batches"] = Mistake(
    train_step_after, "The step stands outside of the loop: one step in all, with the gradient of the last batch. Indent it."
)


def train_with(note: Callable[..., Any]) -> Loop:
    """The right loop, which notes note(loss, x, target, model, loss_of) at the end of each round."""

    def train(model: Any, loss_of: Any, optimizer: Any, batches: Any) -> list[Any]:
        losses = []
        for x, target in batches:
            loss = loss_of(model(x), target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(note(loss, x, target, model, loss_of))
        return losses

    return train


MISTAKES["target first"] = Mistake(
    lambda model, loss_of, optimizer, batches: loop("zplbs")(model, lambda a, b: loss_of(b, a), optimizer, batches),
    "You call `loss_of(target, prediction)`. The mean of the squares does not mind, and other losses do, as the cross-entropy: the "
    "prediction comes first.",
)

MISTAKES["the loss after the step"] = Mistake(
    train_with(lambda loss, x, target, model, loss_of: loss_of(model(x), target).item()),
    "The parameters are right, and the losses are those **after** each step: the model was asked again. Note the loss from "
    "which the step was made.",
)

WASTEFUL["the losses are tensors"] = Mistake(
    train_with(lambda loss, *rest: loss),
    "Your list holds Tensors, and with each of them its graph (chapter 06). Keep numbers: `loss.item()`.",
)
