"""17.3 Computed again, not kept: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch17.common import change

TASK = change(
    "E3",
    "Compute a saved value again, and do not keep it",
    difficulty=4,
    minutes=45,
)
