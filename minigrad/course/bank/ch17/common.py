"""What several exercises of chapter 17 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

from typing import Any

from minigrad.course.bank.ch16.common import Milestone, observe
from minigrad.course.capstone import runner
from minigrad.course.capstone.facts import HOUSE
from minigrad.course.exercise import Case, Exercise, Part

HOW_TO_EDIT = """\
# `edited` writes a file of the engine into a temporary folder, with some text exchanged or added: here that is done by a program.
from minigrad.course.capstone import edited"""


class Change(Milestone):
    """An exercise whose answer names a file of the engine. `sections` are the names of the texts that the reference puts in."""

    @property
    def milestone(self) -> str:
        return f"E{self.id.partition('.')[2]}"

    def reference_source(self) -> str:
        """What is put into the file, then the function that does it."""
        parts = [f'{name} = """{self.space[name]}"""' for name in self.sections]
        return "\n\n".join([HOW_TO_EDIT, *parts]) + "\n\n\n" + Exercise.reference_source(self)


def change(name: str, title: str, **more: Any) -> Part:
    """What is asked in a change of the engine."""
    whole = f'`engine_board("{name}", "H")` shows the whole board'
    return Part(
        kind=Change,
        id=f"17.{name[1:]}",
        title=title,
        cases=lambda rng, dtype: [Case(f"the facts of {name}, {HOUSE[name]}. {whole}", (name,))],
        observe=observe,
        time_limit=2 * runner.MILESTONE_LIMIT + runner.IMPORT_LIMIT,
        **more,
    )
