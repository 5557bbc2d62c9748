"""02.5 Bug hunter: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch02.ex05.answer import Witness
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def with_witness(**methods: Callable[..., Any]) -> type:
    """The reference with other expressions in some places."""
    return type("Witness", (Witness,), {name: staticmethod(method) for name, method in methods.items()})


TREE = (
    "In your expression nothing is used twice: it is a tree. Each Value gets one message, so there is nothing to add and "
    "nothing to wait for. **Trees cannot show an accumulation bug.** Use something twice."
)

LEAVES_ONLY = (
    "A leaf is used twice, but leaves hand nothing on: for them it does not matter when a message comes. Use the "
    "**result** of an operation twice. (Who writes `a * b` twice makes two Values, each used once: give the result a name.)"
)


def small_mistake(letter: str, first: Callable[..., Any], hint: str) -> Mistake:
    return Mistake(with_witness(**{letter: first}), f"engine_{letter}: {hint}")


def far_too_large(a, b):
    """Convicts every engine."""
    s = (a.exp() + b).exp()
    return (s * (s.exp() + b) + (a + b)) + a


MISTAKES |= {
    f"{letter}: {name}": small_mistake(letter, first, hint)
    for name, letters, first, hint in (
        ("one operation", "ABCE", lambda a, b: a * b, TREE),
        ("a tree", "ABCE", lambda a, b: (a * b).exp() * 2, TREE),
        ("only leaves are used twice", "BC", lambda a, b: a * a, LEAVES_ONLY),
        (
            "too large",
            "ABCDE",
            far_too_large,
            "the engine is convicted, but a smaller expression can do it too. Take away operations as long as the "
            "gradients stay wrong.",
        ),
    )
    for letter in letters
}

MISTAKES["C: the long way first"] = small_mistake(
    "C",
    lambda a, b: (s := a * b).exp() * s,
    "you are close: a result is used on a short way and on a long one. The engine lets the inputs wait in line in the "
    "order of `inputs`. Which of the two must come first, so that the shared Value fires too early?",
)

MISTAKES["C: both ways are short"] = small_mistake(
    "C",
    lambda a, b: (s := a * b) * s,
    "both messages to your shared Value come from one and the same operation, so they are both there when it fires. "
    "Let one of them come by a **longer** way.",
)

MISTAKES["D: one operation"] = small_mistake(
    "D",
    lambda a, b: a * b,
    "this engine hands on slopes, and forgets to multiply by what has arrived. At the root 1 has arrived, so with one "
    "operation it is right. Put an operation **behind** the root.",
)

MISTAKES["D: what arrives is 1"] = small_mistake(
    "D",
    lambda a, b: a * b + a.exp(),
    "this engine forgets to multiply by what has arrived. Behind an addition 1 arrives, and a factor of 1 is not "
    "missed. Let the last operation be one whose slope is **not** 1.",
)

MISTAKES["E: no array is shared"] = small_mistake(
    "E",
    lambda a, b: (s := a * b) * s,
    "where this engine writes into an array, nobody else needs that array any more. Which operation sends **the same array** "
    "to both of its inputs? And these inputs must be two different Values.",
)

MISTAKES["E: too late"] = small_mistake(
    "E",
    lambda a, b: (a + b) * a,
    "you are close: a `+` sends one array to two Values. It does harm only where another message for one of the two comes "
    "**later**, and is added into the shared array. And the other one must still need it then: a leaf, or a Value that has "
    "not fired.",
)
