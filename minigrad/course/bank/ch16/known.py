"""What answers and mistakes of several exercises of chapter 16 share. No sandbox sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch16.common import ENGINE, STEPS
from minigrad.course.capstone.assemble import source, written
from minigrad.course.capstone.troubles import TROUBLES
from minigrad.course.exercise import Case, Mistake

(head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
 looking_in, backward_twice, views, writing, training) = ENGINE.values()  # fmt: skip

values, graph, walk, backward, backward_with_cotangent, contract, backward_with_contract, five_facts = STEPS.values()


def say(case: Case, got: Any, expected: Any) -> str | None:
    """None when all facts are green, else the red fact in words."""
    if isinstance(got, dict) and got.get("trouble") == expected["trouble"]:
        return None
    return got["cost_text"] if isinstance(got, dict) and "cost_text" in got else "The name of a file is wanted."


def patched(
    sections: tuple[str, ...], *swaps: tuple[str, str], name: str = "my_engine.py"
) -> Callable[[], str]:
    """An answer: the file of these sections, with some of its text exchanged."""

    def answer() -> str:
        text = source(*sections)
        for old, new in swaps:
            assert old in text, old
            text = text.replace(old, new)
        return written(text, name)

    return answer


def mistake(trouble: str, answer: Callable[[], str]) -> Mistake:
    return Mistake(answer, TROUBLES[trouble])
