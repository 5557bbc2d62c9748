"""What several exercises of chapter 16 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from minigrad.course.capstone import friends, house, runner
from minigrad.course.capstone.facts import HOUSE, MILESTONES
from minigrad.course.exercise import Case, Exercise, Part
from minigrad.course.judging.compare import unfit

NO_FILE = "no file"
WRONG_VALUE, STOPPED = "a program goes wrong", "a program does not come to its end"  # of M9

HOW_TO_ASSEMBLE = """\
# Each function below is a section of the file, and is never called: `assemble` writes the bodies of the sections that a
# milestone names, one after another, into a file in a temporary folder.
from minigrad.course.capstone import assemble"""


def sections(file: str) -> dict[str, str]:
    """The sections of a file of the bank by name: each begins with a line `# --- name: what it is about ---`."""
    text = (Path(__file__).parents[1] / file).read_text(encoding="utf-8")
    parts = re.split(r"^# --- (\w+).*-$", text, flags=re.MULTILINE)[1:]
    return {name: re.sub(r"\n{3,}", "\n\n", body).strip("\n") for name, body in zip(parts[::2], parts[1::2], strict=True)}


# In the order of the two files.
ENGINE, STEPS = sections("reference_engine.py"), sections("reference_steps.py")


@dataclass(eq=False)
class Milestone(Exercise):
    """An exercise whose answer names a file. `sections` are the parts of the reference that are new in it, by name."""

    sections: tuple[str, ...] = ()

    @property
    def names_a_file(self) -> bool:
        return True

    @property
    def milestone(self) -> str:
        return f"M{self.id.partition('.')[2]}"

    def starter_source(self) -> str:
        return f'def {self.name}():\n    """{self.reference.__doc__}"""\n    ...'

    def reference_source(self) -> str:
        """The new sections, then the function that puts the file together."""
        parts = [f"def {name}():\n{textwrap.indent((ENGINE | STEPS)[name], '    ')}" for name in self.sections]
        return "\n\n\n".join([HOW_TO_ASSEMBLE] * (self.id == "16.1") + parts + [super().reference_source()])


_found: dict[tuple[str, Path, str], list[runner.Finding]] = {}
MOST_KEPT = 256


def findings(milestone: str, path: Path, text: str) -> list[runner.Finding]:
    """What the runner finds; once for each text of a file, unless the time was over: the next time it may be enough."""
    key = (milestone, path, text)
    if key in _found:
        return _found[key]
    if milestone in HOUSE:
        found = house.judge(house.changed(path.name, text, milestone), milestone)
    else:
        found = friends.judge(path) if milestone == "M8" else runner.judge(path, milestone)
    if not any(f.kind in ("time", "not run") for f in found):
        if len(_found) >= MOST_KEPT:
            _found.clear()
        _found[key] = found
    return found


def observe(answer: Callable[[], Any], milestone: str) -> Any:
    """The first trouble that the facts of a milestone show."""
    name = answer()
    if not isinstance(name, str | Path):
        return unfit(name, "the name of a file, as text")
    try:
        path = runner.find(name)
        found = findings(milestone, path, path.read_text(encoding="utf-8"))
    except (FileNotFoundError, UnicodeDecodeError) as error:
        return {"trouble": NO_FILE, "cost_text": str(error)}
    return told(found, milestone)


def told(found: list[runner.Finding], milestone: str) -> dict[str, str]:
    """The first trouble among what was found."""
    red = [f for f in found if not f.green]
    if not red:
        return {"trouble": "none", "cost_text": ""}
    if all(f.fact.note for f in red):
        return {"trouble": "none", "cost_text": f"{red[0].fact.id} is red: {red[0].fact.sentence}"}
    begun = not any(f.kind == "missing" for f in red)  # while a name is lacking, what a later fact points to is no help
    first = next((f for f in red if f.trouble), red[0]) if begun else next(f for f in red if f.kind == "missing")
    text = f"{len(found) - len(red)} of {len(found)} facts are green. {first.fact.id} is red: {first.fact.sentence}"
    trouble = first.kind if milestone == "M8" else first.trouble or first.fact.id
    if milestone == "M9" and first.kind not in ("missing", "refused", "not run"):
        trouble = WRONG_VALUE if first.kind == "value" else STOPPED
    return {"trouble": trouble, "cost_text": f"{text}\n{first.text}"}


def one_case(milestone: str) -> Callable[[np.random.Generator, Any], list[Case]]:
    whole = f'`conformance("my_engine.py", "{milestone}")` shows the whole board'
    return lambda rng, dtype: [Case(f"the facts of {milestone}, {MILESTONES[milestone]}. {whole}", (milestone,))]


def milestone(name: str, **more: Any) -> Part:
    """What is asked in a milestone."""
    return Part(
        kind=Milestone,
        id=f"16.{name[1:]}",
        title=f"{name}: {MILESTONES[name]}",
        cases=one_case(name),
        observe=observe,
        time_limit=runner.MILESTONE_LIMIT + runner.IMPORT_LIMIT,
        **more,
    )
