"""15.5 Evaluate: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def share(scores: Any, labels: Any) -> float:
    value: float = (scores.argmax(1) == labels).double().mean().item()
    return value


Share = Callable[[Any, Any], Any]


def evaluating(share: Share = share, graph: bool = False, eval: bool = True, back: str = "as it was") -> Callable[..., Any]:
    """An answer that leaves something out. back: what is done about the mode at the end."""

    def answer(model: Any, x: Any, labels: Any) -> Any:
        mode = model.training
        if eval:
            model.eval()
        with mg.set_grad_enabled(graph and mg.is_grad_enabled()):
            scores = model(x)
        if eval and back != "never":
            model.train(mode if back == "as it was" else True)
        return share(scores.detach(), labels)

    return answer


MISTAKES["detached afterwards"] = Mistake(
    evaluating(graph=True),
    "The graph was **recorded first, and thrown away afterwards**: `detach` or `item` on the result is too late, all "
    "nodes and "
    "their saved arrays were made. (`model.eval()` does not switch recording off, either.) Put the forward "
    "pass under `with mg.no_grad():`.",
)

MISTAKES["neither no_grad nor eval"] = Mistake(
    evaluating(graph=True, eval=False),
    "Two switches are missing. `with mg.no_grad():` so that no graph is recorded, and `model.eval()` so that layers "
    "like dropout "
    "do what they do in use. They have nothing to do with each other.",
)

STILL_TRAINING = (
    "No graph was recorded, but the model, or a layer inside of it, was still in training mode. Layers like dropout compute something "
    "else there; `no_grad` does not tell them. Call `model.eval()` before: this reaches the layers inside, setting the attribute does "
    "not."
)
MISTAKES["no eval mode"] = Mistake(
    evaluating(eval=False),
    STILL_TRAINING,
)

MISTAKES["left in eval mode"] = Mistake(
    evaluating(back="never"),
    "You left the model, or a layer inside of it, in eval mode. Training would go on without its dropout, and nothing would say so. "
    "Remember `model.training` before, and put it back with `model.train(…)`: this reaches the layers inside, setting the attribute "
    "does not.",
)

MISTAKES["always back to training"] = Mistake(
    evaluating(back="train"),
    "Afterwards you switched to training mode, but the model was in eval mode before. Remember `model.training` and put "
    "that back.",
)


def accuracy_frozen(model, x, labels):
    for p in model.parameters():
        p.requires_grad_(False)
    return evaluating()(model, x, labels)


MISTAKES["parameters frozen"] = Mistake(
    accuracy_frozen,
    "You switched off `requires_grad` of the parameters. No graph was recorded, but now they will not learn any more "
    "either. "
    "`no_grad` switches the *recording* off, for a while, and leaves the parameters alone.",
)


def accuracy_thawed(model, x, labels):
    accuracy = accuracy_frozen(model, x, labels)
    for p in model.parameters():
        p.requires_grad_(True)
    return accuracy


MISTAKES["frozen parameters thawed"] = Mistake(
    accuracy_thawed,
    "Afterwards all parameters require grad. One that was frozen before is not any more. `with mg.no_grad():` touches no "
    "parameter, so nothing has to be put back.",
)


def accuracy_switched_off(model, x, labels):
    mg.set_grad_enabled(False)
    return evaluating()(model, x, labels)


MISTAKES["grad mode left off"] = Mistake(
    accuracy_switched_off,
    "You left grad mode switched off: from now on nothing is recorded anywhere. `with mg.no_grad():` puts it back by itself.",
)


def accuracy_switched_on(model, x, labels):
    mg.set_grad_enabled(False)
    value = evaluating()(model, x, labels)
    mg.set_grad_enabled(True)
    return value


MISTAKES["grad mode left on"] = Mistake(
    accuracy_switched_on,
    "Afterwards you switched recording on, but where you were called it was off. `with mg.no_grad():` puts back what "
    "there was; by hand, remember `mg.is_grad_enabled()`.",
)

MISTAKES["a number of rows"] = Mistake(
    evaluating(lambda scores, labels: (scores.argmax(1) == labels).sum().item()),
    "That is the *number* of right rows. Their share is asked for: divide by the number of rows.",
)

MISTAKES["the share that is wrong"] = Mistake(
    evaluating(lambda scores, labels: 1 - share(scores, labels)), "That is the share of rows that are *wrong*."
)

MISTAKES["another score than the largest"] = Mistake(
    evaluating(lambda scores, labels: (scores.argmin(1) == labels).double().mean().item()),
    "The model's guess is the class with the *largest* score in its row: `argmax(1)`.",
)

MISTAKES["the largest of each column"] = Mistake(
    evaluating(lambda scores, labels: (scores.argmax(0) == labels).double().mean().item()),
    "The labels have an entry for each row, and `argmax(0)` gives one for each class: axis 0 goes over the rows, axis 1 over "
    "the classes.",
)
