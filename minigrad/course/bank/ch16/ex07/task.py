"""16.7 Training: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch16.common import milestone

TASK = milestone(
    "M7",
    difficulty=3,
    minutes=40,
)
