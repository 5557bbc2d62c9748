"""06.6 Should backward zero first?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch06.ex06.answer import FIRST_TRUE, verdicts
from minigrad.course.bank.ch06.ex06.task import FIRST, Draw
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

FIRST_HINTS = {
    "two losses": (
        "Two losses, each with a `backward` of its own, and both reach `w`. The gradient of the sum is wanted. If the second call "
        "first cleared, the first loss would have no influence at all."
    ),
    "micro-batches": (
        "Each turn of the loop brings a part of one gradient. If every `backward` first cleared, only the last part would be left."
    ),
    "every second step": (
        "Here several `backward` calls go into one step. That is accumulation on purpose, and it is cleared when the step is made. If "
        "every `backward` first cleared, each step would use its last gradient only."
    ),
    "a start by hand": (
        "Somebody has put a gradient there by hand, for instance that of a penalty. `backward` adds to it. If it first cleared, that "
        "part would be gone."
    ),
    "one loss, w twice": (
        "One call of `backward`. The messages that meet at `w` are added up **within** the pass; clearing comes before it. So "
        "nothing is lost."
    ),
    "added up before": (
        "The losses are added up first, and there is one `backward`. What is cleared before it was None anyway."
    ),
    "cleared each time": (
        "This loop clears by itself, once for each `backward`. That the engine would do it too makes no difference."
    ),
    "other leaves": (
        "The second `backward` reaches `v` and not `w` (a detached `w` is a constant). Cleared are only the leaves of **its own** "
        "graph, so the gradient of `w` stays."
    ),
}


def first_belief(*rules: str) -> Callable[[Draw], dict[str, str]]:
    """The dict of somebody who is wrong about these rules."""
    other = {"breaks": "same", "same": "breaks"}

    def predict(draw: Draw) -> dict[str, str]:
        truth = verdicts(draw)
        return truth | {key: other[truth[key]] for key, rule, _ in draw if rule in rules}

    return predict


MISTAKES |= {rule: Mistake(first_belief(rule), FIRST_HINTS[rule]) for rule in FIRST}
BREAKING = [rule for rule in FIRST if FIRST_TRUE[rule] == "breaks"]

MISTAKES["nothing breaks"] = Mistake(
    first_belief(*BREAKING),
    "Not all is well. Look for programs in which `backward` finds something in `.grad` that belongs into the sum: it was left by "
    "another call, with no clearing between them, or put there by hand. That would be lost.",
)

HARMLESS = [rule for rule in FIRST if FIRST_TRUE[rule] == "same"]

MISTAKES["everything breaks"] = Mistake(
    first_belief(*HARMLESS),
    "Some of them would not notice. Clearing happens **before** a pass, and only at the leaves that it reaches. What "
    "does that change where there is one `backward`, or where the leaf was clear anyway?",
)
