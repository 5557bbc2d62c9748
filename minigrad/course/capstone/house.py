"""Chapter 17: what the facts say about a copy of the real engine that was changed.

A change is judged file by file: the file that an answer names takes the place of the real one.
"""

from __future__ import annotations

import contextlib
import functools
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from minigrad.course.capstone import child, facts, runner
from minigrad.course.capstone.board import Board, on_terminal
from minigrad.course.capstone.copies import FOLDER, files, given, lay_out
from minigrad.course.capstone.runner import Finding, Start
from minigrad.course.showing import render


def changed(name: str, text: str, milestone: str = "H") -> dict[str, str]:
    """The engine with this text in place of the file of that name. FileNotFoundError when it has none.

    In the milestone of exercise 17.6 the other files are as they were given, without the rule that is to be written.
    """
    base = Path(name).name
    found = [path for path in files() if Path(path).name == base and base != "__init__.py"]
    if not found:
        raise FileNotFoundError(f"The engine has no file {base}: name the one that you changed, as \"engine/core/walk.py\".")
    return (given() if milestone == "E6" else files()) | {found[0]: text}


def judge(
    texts: dict[str, str], milestone: str, seed: int = 0, start: Start | None = None, want: dict[str, Any] | None = None
) -> list[Finding]:
    """What the facts of an exercise, and then those that held before, say about an engine of these files.

    start: how a process with this engine is started, if not here. want: what the facts are to show, by their ids.
    """
    with _laid_out(texts) as path:
        return [f for part in dict.fromkeys((milestone, "H")) for f in _run(path, part, seed, start, want)]


@functools.lru_cache(64)  # the grader asks with one of a few seeds for each student
def expected(answer: Callable[[], Path], milestone: str, seed: int) -> dict[str, Any]:
    """What the facts of an exercise show, by their ids, with the file that an answer names: the solution's, which runs here."""
    file = Path(answer())
    with _laid_out(changed(file.name, file.read_text(encoding="utf-8"), milestone)) as path:
        engine = child.load(str(path))
        return {f.id: child.run(f.id, f.program, engine, seed)["shown"] for f in facts.facts(milestone, facts.HOUSE_FILE)}


@contextlib.contextmanager
def _laid_out(texts: dict[str, str]) -> Iterator[Path]:
    """The engine of these files, for as long as the block runs."""
    with tempfile.TemporaryDirectory(prefix="minigrad-engine-") as folder:
        lay_out(Path(folder, FOLDER), texts)
        yield Path(folder, FOLDER, "__init__.py")


def _run(path: Path, part: str, seed: int = 0, start: Start | None = None, want: dict[str, Any] | None = None) -> list[Finding]:
    todo = facts.facts(part, facts.HOUSE_FILE)
    came = runner.outcomes_of(path, todo, seed, start)
    return [_finding(fact, outcome, (want or {}).get(fact.id)) for fact, outcome in zip(todo, came, strict=True)]


def _finding(fact: facts.Fact, outcome: dict[str, Any], want: list[Any] | None) -> Finding:
    """Green when nothing was raised, and what was to be shown was shown; or what is wrong."""
    if "kind" in outcome:
        return Finding(fact, outcome["kind"], outcome["text"])
    if "error" not in outcome:
        right = want is None or runner.same(_as_numbers(outcome["shown"]), _as_numbers(want))
        return Finding(fact) if right else Finding(fact, "value", "It shows other values than the solution does.")
    kind, text = outcome["error"]
    lacks = re.fullmatch(r"module '(engine[\w.]*)' has no attribute '(\w+)'.*", text)
    if lacks:
        return Finding(fact, "missing", f"There is no `{lacks[1]}.{lacks[2]}` yet.")
    return Finding(fact, kind, f"{kind}: {text}", outcome["trace"])


def _as_numbers(shown: Any) -> Any:
    """What was shown, with counts as numbers of any kind: for a program 1.0, True and NumPy's 1 are 1, too."""
    if isinstance(shown, list):
        return [_as_numbers(one) for one in shown]
    return {"shape": [], "values": [float(shown)]} if isinstance(shown, int) else shown


def engine_board(*parts: str, folder: str = FOLDER, quiet: bool = False) -> Board | None:
    """Run facts against your copy of the engine, with everything that you changed, and show the board.

    parts: "E1", "E2" … for the facts of exercise 17.1, 17.2 …; "H", what held before, when none is given.
    folder: where the copy is, here or in work/. quiet: show nothing, return the board.
    """
    for part in parts:
        if part not in facts.HOUSE:
            _say(f"There are no facts {part!r}. There are: {', '.join(facts.HOUSE)}.")
            return None
    try:
        path = runner.find(f"{folder}/__init__.py")
    except FileNotFoundError:
        _say(f'There is no copy of the engine in {folder}/, here or in work/. `start("17")` makes one.')
        return None
    board = Board(f"{folder}/", {part: _run(path, part) for part in parts or ("H",)})
    if not quiet:
        render.show(board.html(), board.text(on_terminal()))
    return board


def _say(text: str) -> None:
    render.show(f"<p>{render.inline(text)}</p>", text)
