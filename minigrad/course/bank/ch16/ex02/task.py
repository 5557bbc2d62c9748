"""16.2 Arrays: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch16.common import milestone

TASK = milestone(
    "M2",
    difficulty=4,
    minutes=90,
)
