"""17.4 What the version check is for: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

MISTAKES["all that is about versions"] = Mistake(
    lambda: ["H.counted", "H.input", "H.output", "H.through", "H.unsaved"],
    "Not every fact about versions needs the *check*: counting goes on, and what nobody saved was never refused.",
)

MISTAKES["the refusals before a write"] = Mistake(
    lambda: ["H.input", "H.output", "H.through", "H.leaf"],
    "The refusal to write to a leaf is another check: it comes before the write, and asks for no version.",
)

MISTAKES["without the view"] = Mistake(
    lambda: ["H.input", "H.output"], "A write through a *view* counts as a write to the memory of both. Which fact does that?"
)
