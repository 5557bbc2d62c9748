"""16.6 Versions and views: what is asked, and what is seen of an answer."""

from __future__ import annotations

from minigrad.course.bank.ch16.common import milestone

TASK = milestone(
    "M6",
    difficulty=5,
    minutes=200,
)
