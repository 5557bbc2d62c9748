"""01.4 Why is .grad None?: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch01.common import Draw
from minigrad.course.bank.ch01.ex04.answer import BRANCH, REBOUND, WHY, reasons
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def confusion(right: str, wrong: str, hint: str) -> Mistake:
    """Somebody gives one reason for another."""

    def predict(draw: Draw) -> dict[str, str]:
        return {letter: wrong if reason == right else reason for letter, reason in reasons(draw).items()}

    return Mistake(predict, hint)


WHY_INSTEAD = {
    ("rebound", "non_leaf"): f"What `x` is now may well be the result of an operation. But: {REBOUND}",
    ("non_leaf", "rebound"): "The name `x` is given only once in this case, and to a result.",
    ("no_rg", "non_leaf"): "A tensor without history *is* a leaf. It does not require grad: that is the reason.",
    ("not_reached", "no_rg"): "`x` itself still requires grad: `detach()`, `.data`, `.item()` and `no_grad` make "
    f"*another* tensor or number, without history. {BRANCH}",
}

MISTAKES |= {
    f"{right} taken for {wrong}": confusion(right, wrong, WHY_INSTEAD.get((right, wrong), WHY[right]))
    for right in WHY
    for wrong in WHY
    if right != wrong
}
