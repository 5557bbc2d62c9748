"""07.1 Suitcase or not?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch07.common import Draw
from minigrad.course.bank.ch07.ex01.answer import second_pass
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def believing_of(right: Callable[[Draw], dict[str, str]], believed: str, *rules: str) -> Callable[[Draw], dict[str, str]]:
    """The dict of somebody who is right except about the lines of these rules."""

    def predict(draw: Draw) -> dict[str, str]:
        return right(draw) | {key: believed for key, rule, _ in draw if rule in rules}

    return predict


def believing(believed: str, *rules: str) -> Callable[[Draw], dict[str, str]]:
    return believing_of(second_pass, believed, *rules)


MISTAKES["a number needs no saving"] = Mistake(
    believing("survives", "times a number"),
    "The slope of `2 * x` is 2, and where does the node have it from? The number becomes a tensor, and the node "
    "**saves that tensor**: `(2 * x).grad_fn._saved_other`. One number is a small suitcase, but it is freed like any "
    "other.",
)

MISTAKES["a division by a number needs no saving"] = Mistake(
    believing("survives", "divided"),
    "Dividing by a number is multiplying by another one. The rule needs the divisor, so the node **saves it** as "
    "a tensor. It is freed after the first pass.",
)

MISTAKES["a constant factor is not saved"] = Mistake(
    believing("survives", "times a constant"),
    "No gradient goes *to* the constant, but the one for `x` is multiplied by it: the constant `w` is the slope. "
    "So the node saves `w`. (It does not save `x`: nobody asks for the slope of `w`.)",
)

MISTAKES["a power knows its slope"] = Mistake(
    believing("survives", "power"), "The slope of x² is 2x: it depends on where x was. The node saves `x`."
)

MISTAKES["a result is there anyway"] = Mistake(
    believing("survives", "saves its result"),
    "This operation saves its own **result**, because its slope is cheapest to compute from that: exp′ = exp, "
    "tanh′ = 1 − tanh². Whoever else may hold the result: the node has given up its hold on it, and does not look elsewhere.",
)

MISTAKES["an input is there anyway"] = Mistake(
    believing("survives", "saves its input"),
    "This operation saves its **input**: sin′(x) = cos x, log′(x) = 1/x. The leaf `x` lives on, but the node has "
    "given up its hold on it, and does not look elsewhere.",
)

MISTAKES["a slope of 0 or 1 needs no saving"] = Mistake(
    believing("survives", "relu"),
    "The slope is one of two numbers, but *which* of them depends on the sign of each entry. That has to be "
    "remembered, so an array is saved.",
)

MISTAKES["adding saves its inputs"] = Mistake(
    believing("raises", "add"),
    "The slope of a sum is 1 for both sides (or −1), whatever the numbers were. Nothing has to be remembered.",
)

MISTAKES["a sign has to be remembered"] = Mistake(
    believing("raises", "neg"), "The slope of −x is −1, whatever x was. Nothing has to be remembered."
)

MISTAKES["a sum saves what it adds"] = Mistake(
    believing("raises", "sum"),
    "Backward through `sum` is copying the gradient to every entry. For that the node remembers a *shape*. A "
    "shape is no array, and is not freed.",
)

MISTAKES["a mean is a division"] = Mistake(
    believing("raises", "mean"),
    "`mean` divides by the number of entries, but it needs only the *shape* for that. A shape is no array, and "
    "is not freed. (It is another thing than `x / 3`, which saves its divisor as a tensor.)",
)

MISTAKES["moving saves the numbers"] = Mistake(
    believing("raises", "move"),
    "This operation moves or copies numbers. On the way back the gradient is moved back: that takes shapes and "
    "positions, no array of numbers.",
)

MISTAKES["the last operation decides"] = Mistake(
    believing("survives", "one in a chain"),
    "**One** empty suitcase on the way is enough. The pass goes through every node between `y` and `x`, not only "
    "through the last.",
)

MISTAKES["constants save too"] = Mistake(
    believing("raises", "of constants"),
    "Who computes with constants alone is not recorded (chapter 01): there is no node, and no suitcase. Only "
    "the operations on the way from `x` count, and those here save nothing.",
)
