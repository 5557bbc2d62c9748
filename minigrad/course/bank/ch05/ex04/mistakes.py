"""05.4 Kinks: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch05.ex04.answer import kinks
from minigrad.course.bank.ch05.ex04.task import EQUAL, FIRST, INF, KINKS, NAN, Draw
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def believing(believed: Any, *rules: str) -> Callable[[Draw], dict[str, Any]]:
    """The dict of somebody who is right except about the lines of these rules."""

    def predict(draw: Draw) -> dict[str, Any]:
        return kinks(draw) | {key: believed for key, rule, _ in draw if rule in rules}

    return predict


MISTAKES["relu is half way"] = Mistake(
    believing(0.5, "relu"),
    "Half way is what `maximum` gives at a tie. `relu` has one input; it has agreed on the flat side, and gives 0.",
)

MISTAKES["relu climbs"] = Mistake(
    believing(1.0, "relu"),
    "`relu` lets the gradient through where x **> 0**. At 0 it does not: the slope is that of the flat side. "
    "(`clamp` decides the other way.)",
)

MISTAKES["abs climbs"] = Mistake(believing(1.0, "abs"), "The slope of |x| is computed as sign(x), and the sign of 0 is 0.")

MISTAKES["abs falls"] = Mistake(
    believing(-1.0, "abs"),
    "The slope of |x| is computed as sign(x). The sign of 0 is 0, whether you come from the left or from the right.",
)

MISTAKES["a tie goes to the constant"] = Mistake(
    believing(0.0, "tie with a constant"),
    "`relu` would give 0, but this is `maximum` or `minimum`: at a tie both inputs are treated alike, and each gets "
    "half. The constant's half goes nowhere.",
)

MISTAKES["a tie goes to x"] = Mistake(
    believing(1.0, "tie with a constant"),
    "At a tie neither input wins. `maximum` and `minimum` give each of them half of the gradient.",
)

MISTAKES["one of two lines wins"] = Mistake(
    believing(1.0, "tie of two lines"),
    "Both inputs tie at 0, so each gets half: ½ of the slope of `x`, and ½ of the slope of `3 * x`. `x` gets both.",
)

MISTAKES["the steeper line wins"] = Mistake(
    believing(3.0, "tie of two lines"),
    "Both inputs tie at 0, so none of them wins. Each gets half of the gradient, and both halves end in `x`: one with "
    "the slope 1, one with the slope 3.",
)

MISTAKES["the other half is lost"] = Mistake(
    believing(0.5, "tie of two lines"),
    "Here the other input is no constant: `3 * x` depends on `x` too. Its half comes to `x` as well, with the slope 3.",
)

MISTAKES["clamp is relu"] = Mistake(
    believing(0.0, "clamp"),
    "`clamp` counts its borders as inside: an x *at* the border goes through as it is, with the slope 1. "
    "`relu` decides the other way.",
)

MISTAKES["clamp shares"] = Mistake(
    believing(0.5, "clamp"),
    "Half is what `maximum` gives at a tie. `clamp` counts its borders as inside: x goes through, with the slope 1.",
)

MISTAKES["where knows that it is |x|"] = Mistake(
    believing(0.0, "where, not above 0"),
    "`where` picks, and knows nothing of |x|. At 0 the condition decides, and it picks `-x`: that has a slope of its own.",
)

MISTAKES["where takes the other branch"] = Mistake(
    believing(1.0, "where, not above 0"),
    "Look at the condition once more, with x = 0. Which of the two is picked, `x` or `-x`? Its slope is the answer.",
)

MISTAKES["a step is infinitely steep"] = Mistake(
    believing(INF, "step"),
    "On both sides of the jump the function is flat. The engine sees no jump: its rule for `sign` and `floor` is 0, "
    "everywhere. (So nothing can be learnt through them.)",
)

MISTAKES["the root is nan"] = Mistake(
    believing(NAN, "sqrt"),
    "The slope of the root is 1 / (2√x). At 0 that is 1 / 0, and in floating point 1 / 0 is inf; 0 / 0 would be nan.",
)

MISTAKES["the root is flat"] = Mistake(
    believing(0.0, "sqrt"),
    "The slope of the root is 1 / (2√x). It grows without bound as x comes near 0, and at 0 the engine divides 1 by 0.",
)

MISTAKES["the root of the square is |x|"] = Mistake(
    believing(0.0, "root of a square"),
    "As a function √(x²) is |x|, but the engine goes back node by node. At 0 the slope of the root is inf, that of the "
    "square is 0, and inf · 0 is what?",
)

MISTAKES["the root of the square is infinite"] = Mistake(
    believing(INF, "root of a square"),
    "That is the slope of the root. It is multiplied by that of the square, 2x = 0. And inf · 0 is neither inf nor 0.",
)

MISTAKES["the root of the square climbs"] = Mistake(
    believing(1.0, "root of a square"),
    "Right of 0 it is 1. At 0 the engine multiplies what the nodes say: inf from the root, 0 from the square.",
)

MISTAKES["two relus are x"] = Mistake(
    believing(1.0, "two relus"),
    "As a function this is x, with the slope 1 everywhere. But the engine asks each `relu` for its own slope at 0, and "
    "both say 0.",
)

MISTAKES["two relus are half way"] = Mistake(
    believing(0.5, "two relus"),
    "No convention says ½ here: that is `maximum`. Each `relu` says 0 at 0, and so does their difference.",
)

MISTAKES["max of all takes the first"] = Mistake(
    believing(FIRST, "max of all"),
    "Without a dim the result has no index that would name a winner: all entries that tie share the gradient, 1/n each. "
    "(`max` along a dim has an index.)",
)

MISTAKES["max of all gives each its full share"] = Mistake(
    believing([1.0] * 4, "max of all"),
    "Four entries tie. If all of them go up by 1, the maximum goes up by 1, not by 4: they *share* the 1.",
)

MISTAKES["max along a dim shares"] = Mistake(
    believing(EQUAL, "max along a dim"),
    "With a dim the result comes with an index: **one** entry was picked, and it alone gets the gradient. At a tie it "
    "is the first.",
)

MISTAKES["max along a dim takes the last"] = Mistake(
    believing(FIRST[::-1], "max along a dim"),
    "One entry is picked, and it alone gets the gradient. At a tie it is the first one, here as with `argmax`.",
)

FOUR_SHARES = (
    "`shares` returns a list of **four** numbers, one for each entry of x: their sum is 1. Write all four, `[…, …, …, …]`."
)

MISTAKES["one share for four"] = Mistake(believing(0.25, "max of all"), FOUR_SHARES)
MISTAKES["the winner's share for four"] = Mistake(believing(1.0, "max along a dim"), FOUR_SHARES)

MISTAKES["the winner's index"] = Mistake(
    believing(0.0, "max along a dim"),
    "That may be the index of the entry that was picked. Asked for is what `shares` returns: a list of four numbers, the "
    "gradient of each entry.",
)

QUOTED = "In quotes it is a word. Write it as a number: `np.inf`, `-np.inf` or `np.nan`, without quotes."
MISTAKES["inf in quotes"] = Mistake(believing("inf", "sqrt"), QUOTED)
MISTAKES["nan in quotes"] = Mistake(believing("nan", "root of a square"), QUOTED)
FINITE = [rule for rule, (value, _) in KINKS.items() if isinstance(value, float) and np.isfinite(value)]

UNDEFINED = (
    "In a textbook there is no derivative here. But `backward` does not stop at a kink: the engine must return a **number**. "
    "Which one? Section 5 shows what each operation has agreed upon."
)

MISTAKES["undefined"] = Mistake(believing("undefined", *FINITE, "sqrt", "root of a square"), UNDEFINED)
MISTAKES["undefined, as None"] = Mistake(believing(None, *FINITE, "sqrt", "root of a square"), UNDEFINED)
MISTAKES["undefined, as nan"] = Mistake(believing(NAN, *FINITE), UNDEFINED)
