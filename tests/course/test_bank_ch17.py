"""Chapter 17: a learner's copy of the engine, the facts about it, and how a changed file is judged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spellings

from minigrad.course import start
from minigrad.course.bank import ch16, ch17
from minigrad.course.bank.ch17.ex01.mistakes import softabs
from minigrad.course.bank.ch17.ex02.mistakes import counting
from minigrad.course.bank.ch17.ex03.mistakes import OURS, RECOMPUTED, again
from minigrad.course.bank.ch17.ex05.mistakes import RULE, quantised
from minigrad.course.bank.ch17.ex06.mistakes import REFUSES, ZERO, slices
from minigrad.course.capstone import copies, edited, engine_board, facts, house
from minigrad.course.capstone.runner import Finding
from minigrad.course.judge import KNOWN, PASSED, judge

CHECK = "if tensor._counter[0] != version:"


def facts_of(part: str) -> tuple[facts.Fact, ...]:
    return facts.facts(part, facts.HOUSE_FILE)


def red(found: list[Finding]) -> list[str]:
    return [f.fact.id for f in found if not f.green]


def change(name: str, *swaps: tuple[str, str], part: str = "H", add: str = "") -> list[Finding]:
    path = Path(edited(name, *swaps, add=add))
    return house.judge(house.changed(path.name, path.read_text(encoding="utf-8"), part), part)


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MINIGRAD_WORK", str(tmp_path))
    return tmp_path


def test_facts_are_complete() -> None:
    every = [fact for part in facts.HOUSE for fact in facts_of(part)]
    assert len({fact.id for fact in every}) == len(every)
    assert len(every) == facts.HOUSE_FILE.read_text(encoding="utf-8").count("\n%% "), "each belongs to a part"
    for fact in every:
        assert fact.area in facts.AREAS and fact.sentence.endswith(".") and 1 <= int(fact.chapter) <= 17
        assert "assert" in fact.program, "it can turn red"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_what_must_hold_holds_for_the_engine_as_it_is(seed: int) -> None:
    assert red(house.judge(copies.files(), "H", seed)) == []


@pytest.mark.parametrize("number", ch17.EXERCISES)
def test_the_lines_that_an_answer_changes_are_in_the_engine(number: str) -> None:
    exercise = ch17.EXERCISES[number]
    if exercise.names_a_file:
        known = [mistake.answer for mistake in (exercise.mistakes | exercise.wasteful).values()]
        for answer in (exercise.reference, *known, *spellings.again(exercise).values(), *spellings.alternatives(exercise).values()):
            assert Path(answer()).is_file()


def test_a_copy_lacks_one_rule_and_is_never_overwritten(work: Path, capsys: Any) -> None:
    start("17")
    assert {p.name for p in work.glob("[!.]*")} == {"17-read-the-real-one-exercises.ipynb", "engine"}
    assert {p.relative_to(work / "engine").as_posix() for p in (work / "engine").rglob("*.*")} == set(copies.files())
    board = engine_board(quiet=True)
    assert board is not None and red(board.findings["H"]) == ["H.slice"]
    mine = work / "engine" / "core" / "walk.py"
    mine.write_text("mine", encoding="utf-8")
    (work / "engine" / "core" / "views.py").unlink()
    capsys.readouterr()
    start("17")
    assert mine.read_text(encoding="utf-8") == "mine"
    assert (work / "engine" / "core" / "views.py").exists(), "what was deleted is there again"


@pytest.mark.full
def test_the_board_shows_what_the_copy_does(work: Path, capsys: Any) -> None:
    assert engine_board() is None and engine_board("E9") is None
    told = capsys.readouterr().out
    assert "There is no copy of the engine" in told and "There are no facts 'E9'" in told
    start("17")
    (work / "engine" / "core" / "views.py").write_text(copies.files()["core/views.py"], encoding="utf-8")
    capsys.readouterr()
    assert engine_board("H", "E6").passed  # type: ignore[union-attr]
    told = capsys.readouterr().out
    assert "13 of 13 green" in told and "9 of 9 green" in told and "--show" not in told
    assert engine_board("E1", quiet=True).findings["E1"][0].text == "There is no `engine.ops.pointwise.softabs` yet."  # type: ignore[union-attr]


@pytest.mark.full
def test_the_facts_that_turn_red_without_the_version_check_are_those_of_the_answer() -> None:
    assert red(change("core/tape.py", (CHECK, "if False:"))) == ch17.turns_red()


def test_what_is_no_id_of_a_fact_is_not_counted_as_a_wrong_fact() -> None:
    told = judge(ch17.EXERCISES["17.4"], lambda: ["input", "H.output"])  # type: ignore[attr-defined]
    assert "'input' is no id of a fact H" in " ".join(told.details)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "name, old, new, at_least",
    [
        ("core/walk.py", "buffer[output] = present + g", "buffer[output] = g", "H.second"),
        ("core/walk.py", "if retain else node\n                continue", "\n                continue", "H.freed"),
        ("core/walk.py", "np.add, present, g, present)", "np.subtract, present, g, present)", "H.diamond"),
        ("core/tensor.py", "counter[0] += 1", "counter[0] += 0", "H.counted"),
        ("core/views.py", 'raise seams.error("LEAF_INPLACE")', "pass", "H.leaf"),
        ("core/views.py", "        set_history(self, (node, 0))", "        pass", "H.history"),
        ("core/tape.py", CHECK, "if tensor._counter[0] >= version:", "H.second"),
        ("core/record.py", "node._metas, node._made_at", "node._made_at, node._metas", "H.retained"),
    ],
)
def test_what_must_hold_can_turn_red(name: str, old: str, new: str, at_least: str) -> None:
    assert at_least in red(change(name, (old, new)))


ONCE = "if not hasattr(self, 'made'):\n            self.made = " + RECOMPUTED[7:] + "\n        return self.made"
WHEN_USED = ("return again if", "return Again(*again[:2], tensor) if"), ("again.version ==", "again[2] ==")
IN_PLACE = """

def into(g, step):
    if isinstance(g, Tensor):
        return round(g / step) * step
    g[...] = np.round(g / step) * step
    return g

"""


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "answer, fact",
    [
        (softabs(("w * w)", "np.broadcast_to(w, self.shape) ** 2)")), "E1.broadcast"),
        (counting("ran[node.shown().name()] = 1\n"), "E2.twice"),
        (counting(watched="ran[type(node).__name__] += 1\n"), "E2.product"),
        (again((RECOMPUTED, ONCE)), "E3.anew"),
        (again(("[save(a) for a in args]", "[save(a) for a in args if isinstance(a, Tensor)]")), "E3.same"),
        (again(("[save(a) for a in args]", "[*args[:-1], save(args[-1])]")), "E3.overwritten"),
        (again((OURS, "result._again = call, args, result._version"), *WHEN_USED), "E3.before"),
        (quantised((RULE, "(trunc(g / step) if isinstance(g, Tensor) else round(g / step)) * step")), "E5.untouched"),
        (quantised((RULE, "into(g, step)"), ("\n\n@op", IN_PLACE + "@op")), "E5.untouched"),
        (quantised(("self.copy()", "self if self.ndim > 1 else self.copy()")), "E5.shapes"),
        (slices((ZERO, ZERO.replace("0 if", "0 * part if"))), "E6.overwritten"),
        (slices((REFUSES, REFUSES.replace("self._freed", "self._freed and not tensors"))), "E6.freed"),
        (slices(("laid_out(g, self.order)", "g.clone() if tensors else g.copy(order='C')")), "E6.layout"),
        (slices(("results[0] = rest", "results[0], results[2:] = rest, [None] * len(results[2:])")), "E6.several"),
    ],
)
def test_a_wrong_change_is_red(answer: Callable[[], str], fact: str) -> None:
    path = Path(answer())
    assert fact in red(house.judge(house.changed(path.name, path.read_text(encoding="utf-8"), fact[:2]), fact[:2]))


@pytest.mark.full
def test_a_change_that_breaks_something_else_is_no_answer() -> None:
    """Here the node is right, and the same file has lost the rule of the product."""
    right = ch17.quantised()
    assert ch16.observe(right, "E5")["trouble"] == "none"
    rule = "other=lambda g, self: g * self"
    text = Path(right()).read_text(encoding="utf-8")
    assert rule in text
    seen = ch16.observe(lambda: copies.written(text.replace(rule, "other=lambda g, self: g"), "pointwise.py"), "E5")
    assert seen["trouble"] != "none"


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    "text, kind",
    [
        ("def run(:", "SyntaxError"),
        ("import torch", "ImportError"),
        ("from minigrad.core.walk import *", "ImportError"),
        ("import os; os._exit(0)", "crash"),
    ],
)
def test_a_file_that_is_no_engine_is_red_everywhere(text: str, kind: str) -> None:
    found = house.judge(house.changed("walk.py", text), "E2")
    assert {f.kind for f in found} == {kind}


@pytest.mark.full
def test_a_walk_that_never_ends_costs_its_facts_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house.runner, "FACT_LIMIT", 1.0)
    found = change("core/views.py", ("        rest = laid_out(g, self.order)\n", "        while True:\n            pass\n"))
    assert red(found) == ["H.slice"] and found[-1].kind == "time"


def test_a_file_of_another_name_is_named(tmp_path: Path) -> None:
    other = tmp_path / "mine.py"
    other.write_text("", encoding="utf-8")
    seen = ch16.observe(lambda: str(other), "E1")
    assert "The engine has no file mine.py" in seen["cost_text"]
    assert "There is no file engine/core/none.py here" in ch16.observe(lambda: "engine/core/none.py", "E1")["cost_text"]


@pytest.mark.weekly
def test_the_blank_of_the_copy_is_told_as_what_it_is(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever file is named: the others are as they were given."""
    start("17")
    monkeypatch.chdir(work)
    for name in ("views", "walk"):
        told = judge(ch17.EXERCISES["17.6"], lambda name=name: f"engine/core/{name}.py")  # type: ignore[attr-defined,misc]
        assert not told.passed and "still to be written" in " ".join(told.details)


@pytest.mark.weekly
def test_where_nothing_was_done_no_mistake_is_guessed(work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start("17")
    monkeypatch.chdir(work)
    names = {"17.1": "ops/pointwise.py", "17.2": "core/walk.py", "17.3": "core/record.py", "17.5": "ops/pointwise.py"}
    for id, name in names.items():
        told = judge(ch17.EXERCISES[id], lambda name=name: f"engine/{name}")  # type: ignore[attr-defined,misc]
        assert told.outcome not in (KNOWN, PASSED) and "yet." in " ".join(told.details), told


def test_every_file_of_the_engine_has_a_name_of_its_own() -> None:
    """So the files that a student hands in can lie beside each other."""
    names = [Path(name).name for name in copies.files() if not name.endswith("__init__.py")]
    assert len(names) == len(set(names))
