"""One submission: its cells run in a sandbox, its answers are asked for, and judged here."""

from __future__ import annotations

import ast
import builtins
import functools
import hashlib
import hmac
import inspect
import re
import time
import unicodedata
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course import bank
from minigrad.course.capstone import copies, runner
from minigrad.course.capstone.runner import Finding
from minigrad.course.exercise import Exercise
from minigrad.course.grading import capstone, files, wire
from minigrad.course.grading.assignment import Assignment
from minigrad.course.grading.child import DEFINES, TOOK_LONGER, as_python
from minigrad.course.grading.names import CHECK, defines, seen_in
from minigrad.course.grading.sandbox import START_LIMIT, Child, Lost, Sandbox
from minigrad.course.grading.submissions import Notebook, Submission, read
from minigrad.course.judge import ERROR, NOT_ATTEMPTED, PASSED, Seen, Verdict, judge_seen, judged_by
from minigrad.course.judging.attempt import definition
from minigrad.course.judging.compare import Raised, Unfit
from minigrad.course.judging.guard import guarded
from minigrad.course.judging.verdict import Standard

CELL_LIMIT = 6.0  # seconds for one cell; in no solution of ours does one take two
MARGIN = 3.0  # seconds on top of a limit that the child keeps by itself, before the child is ended
CELLS_LIMIT = 120.0  # seconds for all cells together, however often they are run
NOTEBOOK_LIMIT = 300.0  # seconds for the answers; what is asked later is not answered
BUDGET = 420.0  # seconds for all that is done for one submission, here too
RESTARTS = 6  # of the cells; after as many cells that end the process, the rest of the notebook is not run

MOST_ENGINE = 200_000  # bytes of a file with an engine: Python's parser may take the square of the time for it

MISSING_ANSWER = "missing"
NOT_STARTED = "The notebook could not be started. Please grade it again."  # the machine's fault, or a neighbour's
PUT_OFF, OTHERWISE = "put off", "otherwise"  # what came of grading it again


@dataclass
class Score:
    """What one exercise of one submission is worth, and why."""

    id: str
    title: str
    points: float
    most: float
    verdict: Verdict
    problems: list[str] = field(default_factory=list)
    answer: str = ""  # the cell in which it is


@dataclass
class Graded:
    """A submission with its scores."""

    student: str
    attempt: int
    path: str
    digest: str
    late: bool = False
    time: str = ""
    problems: list[str] = field(default_factory=list)
    scores: list[Score] = field(default_factory=list)
    name: str = ""  # as the platform shows it
    number: str = ""  # the platform's own
    upload: str = ""
    handed_in: bool = True  # else there was no notebook
    slow: float = 0.0  # the seconds that all of it took, where something in it ran into a limit of time
    beside: list[str] = field(default_factory=list)  # and who was graded at the same time
    again: str = ""  # alone, when the others were done: PUT_OFF where there was no time for it, OTHERWISE where it came out so

    @classmethod
    def of(cls, s: Submission, problems: Iterable[str] = ()) -> Graded:
        """A submission without scores yet."""
        return cls(
            s.student, s.attempt, s.path, s.digest, s.marked_late, s.time.isoformat(sep=" ") if s.time else "", list(problems),
            [], s.name, s.number, s.upload, bool(s.path),
        )  # fmt: skip

    @property
    def total(self) -> float:
        return round(sum(score.points for score in self.scores), 2)

    def as_json(self) -> dict[str, Any]:
        """As plain data; `from_json` reads it again."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Graded:
        """What `as_json` wrote."""
        scores = [Score(**{**s, "verdict": Verdict(**s["verdict"])}) for s in data["scores"]]
        return cls(**{**data, "scores": scores})


SETS = 8  # of inputs for each exercise


def seed_for(secret: str, submission: Submission, id: str) -> int:
    """The seed of the inputs for one exercise: the same whenever it is graded again, one of a few that nobody can foresee.

    Which one depends on the student and on the notebook, so that inputs seen in the feedback, one's own or a neighbour's, are
    seldom those of the next version. A few, so that what the inputs are compared with is computed for the class and not for each.
    """

    def draw(*text: str) -> int:
        return int.from_bytes(hmac.digest(secret.encode(), "\0".join(text).encode(), hashlib.sha256)[:6])

    return draw(id, str(draw(submission.student, submission.digest, id) % SETS))


# What is the same for all who have the same inputs: what the reference and known mistakes do with them, and how many there are.
_for_a_class = functools.lru_cache(128)


@_for_a_class
def _standard(exercise: Exercise, seed: int) -> Standard:
    return Standard(exercise, seed, "float64")


@_for_a_class
def _count(exercise: Exercise, seed: int) -> int:
    with guarded():
        return len(exercise.fresh_cases(seed))


def grade(submission: Submission, assignment: Assignment, sandbox: Sandbox, secret: str, seed: int | None = None) -> Graded:
    """The scores of a submission."""
    return with_points(judged(submission, assignment, sandbox, secret, seed), assignment)


def with_points(graded: Graded, assignment: Assignment) -> Graded:
    """The same, once its answers are judged, with its points."""
    for score in graded.scores:
        score.most = score.points = assignment.points[score.id]
        if not score.verdict.passed:
            right = share(assignment.exercises[score.id], score.verdict) if assignment.partial else 0.0
            score.points = round(score.most * right, 2)
    return graded


def judged(submission: Submission, assignment: Assignment, sandbox: Sandbox, secret: str, seed: int | None = None) -> Graded:
    """A submission with a verdict on each answer, and no points yet; nothing that a student wrote makes this fail.

    seed: use this one for everybody, as the tests do.
    """
    graded, began = Graded.of(submission), time.monotonic()
    seeds = {id: seed_for(secret, submission, id) if seed is None else seed for id in assignment.exercises}
    found = {id: Score(id, e.title, 0.0, assignment.points[id], _no_answer(e)) for id, e in assignment.exercises.items()}
    ranks, where = dict.fromkeys(found, (False, False)), dict.fromkeys(found, "")
    for number, sheet in enumerate(submission.sheets or (submission,), 1):
        notebook, place = read(sheet), f"sheet {number}"  # a page may hold no name, as that of a file may
        own = _chapters(notebook, assignment) if submission.sheets else assignment.chapters
        problems = [*notebook.problems, *(f"{name} was not read: {why}." for name, why in sheet.unread.items())]
        if (other := notebook.chapter()) and not notebook.is_of(assignment.chapters, assignment.names):
            problems.append(f"This notebook is of chapter {other}; graded was chapter {', '.join(sorted(assignment.chapters))}.")
        problems += _suspicions(notebook, sheet.files)
        session = _Session(sandbox, notebook, _asked(notebook, own, assignment), seeds, problems, sheet.files)
        try:
            for id, exercise in session.exercises.items() if notebook.readable else ():
                score = session.score(exercise, assignment.points[id])
                tried = score.verdict.outcome != NOT_ATTEMPTED and bool(score.answer or not session.given_up)
                rank = tried, exercise.chapter in own
                if rank >= ranks[id]:  # the last one that was tried, where a sheet of its own chapter comes before others
                    if found[id].verdict.passed and not score.verdict.passed:
                        problems.append(f"{id}: it is right in {where[id]}, but what counts is the answer here.")
                    found[id], ranks[id], where[id] = score, rank, place
        finally:
            session.end()
        graded.problems += [f"{problem} ({place})" if submission.sheets else problem for problem in problems]
        graded.slow = round(time.monotonic() - began, 1) if session.slow or graded.slow else 0.0
    graded.scores = list(found.values())
    if not any(tried for tried, _ in ranks.values()):
        if submission.files and all(e.names_a_file for e in assignment.exercises.values()):
            graded.problems.append(f"No answer names a file; beside the notebook are {', '.join(sorted(submission.files)[:8])}.")
        elif not graded.problems:
            graded.problems.append("No answer is in this notebook.")
    return graded


def _chapters(notebook: Notebook, assignment: Assignment) -> frozenset[str]:
    """The chapters that a notebook has answers to: those whose checks it calls, else the one of which it has most names."""
    if checked := assignment.chapters & notebook.checked().keys():
        return checked
    counts = {chapter: len(notebook.answers(_names(chapter, assignment))) for chapter in assignment.chapters}
    return frozenset(chapter for chapter, count in counts.items() if count == max(counts.values()))


def _names(chapter: str, assignment: Assignment) -> frozenset[str]:
    """The names of the answers of a chapter, whether they are graded or not."""
    known = bank.exercises(chapter) if chapter in bank.chapters() else assignment.exercises
    return frozenset(exercise.name for exercise in known.values() if exercise.chapter == chapter)


def _asked(notebook: Notebook, own: frozenset[str], assignment: Assignment) -> dict[str, Exercise]:
    """The exercises that a notebook may answer: its chapters' own, and others whose names are there and nothing else's."""
    taken = frozenset[str]().union(*(_names(chapter, assignment) for chapter in own))
    others = notebook.answers(assignment.names) - taken
    return {id: e for id, e in assignment.exercises.items() if e.chapter in own or e.name in others}


MOST_SHOWN = 4000  # characters of an answer on the student's page


# What an answer has no use for, and an attack has. Nothing is refused for it: somebody should look.
_ODD = re.compile(
    r"\bsys\.modules|\b_getframe\b|currentframe|inspect\.stack|\bf_locals\b|\bf_globals\b|\bf_back\b|\btb_frame\b|"
    r"__builtins__|\bgc\.get_|\b_?ctypes\b|\bctypeslib\b|linecache|"
    r"\bos\.(?:_exit|close|dup2?|fork|kill|abort)\b|/proc/|addaudithook|settrace|__subclasses__|\bimport_module\b|__import__|__code__|__closure__|\b(?:import|from)\s+__main__|"
    r"\bfrom\s+sys\s+import\b.{0,200}\bmodules\b|\bfrom\s+os\s+import\b.{0,200}\b_exit\b|\bfrom\s+gc\s+import\b|"
    r"minigrad\.course\.(?:bank|grading|judg\w+|exercise)"
)


# How the sentences begin that tell of what no honest notebook does by itself, and somebody should look at first.
ATTACK = re.compile(
    r"(?:Cell \d+|.+\.(?i:py)) (?:uses |ended the process|did what no answer)|It replaced functions|"
    r"\S+: (?:What came back|Your code (?:ended|did not stop))"
)


def _suspicions(notebook: Notebook, beside: dict[str, bytes]) -> list[str]:
    """Sentences about cells, and files beside them, that use what reaches into the program that runs them."""
    sources = {f"Cell {number}": source for number, source in notebook.cells.items()}
    sources |= {name: data[:MOST_ENGINE].decode("utf-8", "replace") for name, data in beside.items()}
    ours = {name.rpartition("/")[2]: text for name, text in copies.files().items()} if beside else {}  # chapter 17 changes them
    odd = {where: set(_ODD.findall(_as_read(source))) - set(_ODD.findall(ours.get(where, ""))) for where, source in sources.items()}
    found = {where: sorted(words) for where, words in odd.items()}
    most = sorted(filter(found.get, found), key=lambda where: -len(found[where]))[:10]  # harmless ones must not hide another
    return [f"{where} uses {', '.join(found[where][:4])}." for where in sources if where in most]


def _as_read(source: str) -> str:
    """A cell as Python reads it, and below it its texts joined, forwards and backwards: a name can be put together from them."""
    # As Python does with the names in code; sign by sign, since all at once may take the square of the time.
    source = re.sub(r"[^\x00-\x7f]", lambda sign: unicodedata.normalize("NFKC", sign[0]), source)
    source = re.sub(r"[ \t]?\.[ \t]?", ".", source)  # a name may have blanks around its dots
    texts = re.sub(r"\{[^{}\n]*\}", "", "".join(re.findall(r"[\"']([^\"'\n]*)[\"']", source)))
    return f"{source}\n{texts}\n{texts[::-1]}"


def share(exercise: Exercise, verdict: Verdict) -> float:
    """How much of an answer is right, from 0 to 1: the parts that are, beyond those that a guess gets right."""
    if not verdict.parts or not any(verdict.parts.values()):
        return 0.0
    right, chance = _right(verdict), _by_chance(exercise)
    return max(0.0, (right - chance) / (1 - chance)) if chance < 1 else 0.0


def _right(verdict: Verdict) -> float:
    return sum(verdict.parts.values()) / len(verdict.parts) if verdict.parts else 0.0


_CHANCES: dict[tuple[str, int], float] = {}  # by the exercise's number and its reference, which a teacher's own may have in common


def _by_chance(exercise: Exercise) -> float:
    """The share of parts that the best guess gets right, in the best of a few draws: a constant, an input, its zeros, an error.

    It is asked for once in a run, by the process that gives out the work: for a student's own draw, or in each process that
    grades, it would take longer than all the rest of the grading.
    """
    key = exercise.id, id(exercise.reference)
    if key not in _CHANCES:
        _CHANCES[key] = max(map(functools.partial(_chance, exercise), range(1 if exercise.is_value else 3)))
    return _CHANCES[key]


def _chance(exercise: Exercise, seed: int) -> float:
    if exercise.is_value:
        values = [repr(value) for value in exercise.reference(exercise.draw(seed)).values()]
        return max(Counter(values).values()) / len(values)
    if inspect.isclass(exercise.reference) or exercise.names_a_file:
        return 0.0
    standard = Standard(replace(exercise, mistakes={}), seed, "float64")  # nobody asks which mistake it is
    count = len(inspect.signature(exercise.reference).parameters)
    given = [f"a{k}" for k in range(count)]
    bodies = ["0.0", "None", "[]", "True", "False", *given, *(f"zeros({a})" for a in given), *(f"zeros({a}).sum()" for a in given)]
    bodies += [*(f"{a} * 0" for a in given), *(f"{a}.backward()" for a in given), *(f"{given[0]}({a})" for a in given[1:])]
    bodies += [*(f"[None] * len({a})" for a in given), *(f"{given[0]} * {a}" for a in given[1:])]
    bodies += [f"fail({kind!r})" for kind in sorted(_errors(standard.expected.results))]
    space = {"zeros": _zeros, "fail": _fail}
    verdicts = judged_by(standard, [eval(f"lambda {', '.join(given)}: {body}", space) for body in bodies])
    return max(sum(v.parts.values()) / len(v.parts) if v.parts else 0.0 for v in verdicts)


def _zeros(x: Any) -> Any:
    """Nothing but zeros, in the form of an input."""
    return [_zeros(item) for item in x] if isinstance(x, list | tuple) else x.detach() * 0 if isinstance(x, mg.Tensor) else x * 0


def _fail(kind: str) -> None:
    raise getattr(builtins, kind)


def _errors(results: Any) -> set[str]:
    """The kinds of errors, of Python's own, in what was observed."""
    if isinstance(results, Raised):
        return {results.kind} if isinstance(getattr(builtins, results.kind, None), type) else set()
    items = results.values() if isinstance(results, dict) else results if isinstance(results, list | tuple) else ()
    return set().union(*map(_errors, items))


def _no_answer(exercise: Exercise) -> Verdict:
    return Verdict(exercise.id, NOT_ATTEMPTED, f"`{exercise.name}` is not defined in the notebook.")


BOUND_AGAIN = "`{0}` stands for something else further down. `{1}` was judged with what it was where the answer stands."
CHECKED = "`{1}` was judged by what its check was last called with, which is something else."


class _Session:
    """A notebook in its process; a process that ends is started again, and the cells are run again."""

    def __init__(
        self, sandbox: Sandbox, notebook: Notebook, exercises: dict[str, Exercise], seeds: dict[str, int], problems: list[str],
        files: dict[str, bytes],
    ):  # fmt: skip
        self.sandbox, self.exercises, self.seeds, self.problems = sandbox, exercises, seeds, problems
        self.cells = {number: source for number, source in notebook.cells.items() if source.strip()}
        defined = {number: _defined(source) for number, source in self.cells.items()}
        for number in _untouched_copies(self.cells, defined, exercises.values()):
            del self.cells[number]
        # For each name the last cell that defines it: the answer as it is shown beside its verdict.
        self.sources = {name: self.cells[number] for number, names in defined.items() if number in self.cells for name in names}
        self.checked = {id: name for source in self.cells.values() for id, name in CHECK.findall(source) if name}
        self.files = files
        self.child: Child | None = None
        self.starts, self.told = 0, False
        self.slow = False
        self.deadline = time.monotonic() + NOTEBOOK_LIMIT
        self.cells_left = CELLS_LIMIT
        self.given_up = False
        self.replaced: set[str] = set()

    def end(self) -> None:
        """End the process."""
        if self.child is not None:
            self.child.end()
            self.child = None

    def score(self, exercise: Exercise, most: float) -> Score:
        """What an answer is worth, without its points."""
        verdict, problems = self.verdict(exercise)
        verdict.sentence, verdict.details = verdict.sentence[:1000], [line[:600] for line in verdict.details[:12]]
        names = dict.fromkeys((exercise.name, self.checked.get(exercise.id, exercise.name)))
        answer = "\n\n".join(filter(None, map(self.sources.get, names)))
        return Score(exercise.id, exercise.title, 0.0, most, verdict, problems, answer[:MOST_SHOWN])

    def verdict(self, exercise: Exercise) -> tuple[Verdict, list[str]]:
        """The verdict on one answer, and what else is to be said about it."""
        seed = self.seeds[exercise.id]
        child = self._ready()
        if child is None:
            return Verdict(exercise.id, ERROR, "The notebook could not be run.", seed=seed), []
        try:
            question, blobs = question_for(exercise, seed)
            child.send(question, blobs)
            reply, arrays = child.receive(self._patience(exercise))
            verdict, problems = self._judge(exercise, reply, arrays, seed)
        except Lost as lost:
            self.end()
            return self._lost(exercise, str(lost), seed), []
        except (wire.BadMessage, TypeError, ValueError, KeyError) as error:  # it was not what a reply looks like
            self.end()
            return self._lost(exercise, f"forged: {error}", seed), []
        names = [name for name in _list(reply.get("bound again")) if type(name) is str]
        # In Jupyter its check saw that.
        for how, said in (({"then"}, BOUND_AGAIN), ({"checked", "then"}, CHECKED), ({"checked"}, CHECKED)):
            told = reply.get("checked") is True if "checked" in how else bool(names)
            if told and verdict.outcome != PASSED and not exercise.is_value and self.child is not None:
                other = self._once_more(exercise, question | dict.fromkeys(how, True), blobs, seed)
                if _right(other) > _right(verdict):
                    verdict = other
                    problems.append(said.format(names[0][:80] if names else "", exercise.name))
        return verdict, problems

    def _once_more(self, exercise: Exercise, question: dict[str, Any], blobs: bytes, seed: int) -> Verdict:
        """The verdict when the question is put in another way. A process that ends at that takes nothing away."""
        try:
            assert self.child is not None
            self.child.send(question, blobs)
            return self._judge(exercise, *self.child.receive(self._patience(exercise)), seed)[0]
        except (Lost, wire.BadMessage, TypeError, ValueError, KeyError) as error:
            self.slow |= str(error) == "time"
            self.end()
            return _no_answer(exercise)

    def _patience(self, exercise: Exercise) -> float:
        """For how many seconds an answer may be waited for."""
        return min(exercise.time_limit + MARGIN, max(1.0, self.deadline - time.monotonic()))

    def _lost(self, exercise: Exercise, why: str, seed: int) -> Verdict:
        self.slow |= why == "time"
        if why == "time" and not exercise.is_value:
            self.problems.append(f"{exercise.id}: Your code did not stop when its time was over, so its process was ended.")
            return judge_seen(_standard(exercise, seed), Seen(results=[Raised("TimeLimit", "", out_of_time=True)]))
        sentence = "Your code ended the process that ran it."
        if why.startswith("forged"):
            sentence = "What came back from your code was no reply to the question."
        self.problems.append(f"{exercise.id}: {sentence}")
        return Verdict(exercise.id, ERROR, sentence, seed=seed)

    def _judge(self, exercise: Exercise, reply: Any, arrays: bytes, seed: int) -> tuple[Verdict, list[str]]:
        """The verdict on a reply, of which nothing is believed but that it is data."""
        if not isinstance(reply, dict):
            raise wire.BadMessage("no reply")
        self._name_replaced(reply)
        state, problems, decoder = reply.get("state"), [], wire.Decoder(arrays)
        cells = [c for c in _list(reply.get("cells")) if type(c) is int and c in self.cells]
        if len(cells) > 1:
            problems.append(f"`{exercise.name}` is defined in {len(cells)} cells; the last one that is more than the starter counts.")
        if state == MISSING_ANSWER:
            return _no_answer(exercise), problems
        if state == "value" and exercise.is_value:
            value = decoder.decode(reply.get("value"))
            return next(judged_by(_standard(exercise, 0), [value])), problems  # draw 0 is the program in everybody's notebook
        if state == NOT_ATTEMPTED:
            return judge_seen(_standard(exercise, seed), Seen(attempted=False)), problems
        if state == "failed":
            why = wire.text(reply.get("why"))
            self.problems.append(f"{exercise.id}: The question could not be put: {' '.join(why.split())[:300]}")  # or is it the task?
            return Verdict(exercise.id, ERROR, "Your code cannot be asked.", trace=why, seed=seed), problems
        if state != "seen" or exercise.is_value:
            raise wire.BadMessage("no reply")
        changed = {}
        for item in _list(reply.get("changed")):
            index, names = item
            changed[wire.number(index)] = [wire.text(name)[:100] for name in _list(names)]
        seen = Seen(
            complaint=wire.text(reply.get("complaint", ""))[:1000],
            results=[decoder.decode(result) for result in _list(reply.get("results"))],
            changed=changed,
            printed=[wire.text(line)[:500] for line in _list(reply.get("printed"))[:5]],
            ends=reply["ends"] if reply.get("ends") in ("bare", "both") else "valued",
        )
        self.slow |= any(isinstance(result, Raised) and result.out_of_time for result in seen.results)
        if exercise.names_a_file and seen.results and not isinstance(seen.results[0], Raised | Unfit):
            return self._judge_file(exercise, seen, seed), problems
        if not (seen.complaint or seen.is_whole(_count(exercise, seed))):
            raise wire.BadMessage("some cases were not answered")
        cell = self.sources.get(exercise.name, "")
        return judge_seen(_standard(exercise, seed), seen, definition(cell, exercise.name)), problems

    def _judge_file(self, exercise: Any, seen: Seen, seed: int) -> Verdict:
        """The verdict on the file that an answer names."""
        from minigrad.course.bank.ch16 import common as ch16

        (said,) = seen.results
        name, content = wire.text(said["name"])[:200], said.get("bytes")
        found: list[Finding] = []
        if content is None:
            result = {"trouble": ch16.NO_FILE, "cost_text": f"There is no file {name} beside the notebook that was handed in."}
        elif len(content) > MOST_ENGINE:
            result = {"trouble": ch16.NO_FILE, "cost_text": f"The file {name} is larger than {MOST_ENGINE // 1000} kB."}
        else:
            try:
                text = bytes(np.asarray(content, np.uint8)).decode("utf-8-sig")
                found = capstone.findings(exercise, name, text, seed, self.sandbox)
            except FileNotFoundError as error:
                result = {"trouble": ch16.NO_FILE, "cost_text": str(error)}
            except (UnicodeDecodeError, RecursionError, MemoryError) as error:
                result = {"trouble": ch16.NO_FILE, "cost_text": f"The file {name} cannot be read: {type(error).__name__}."}
            else:
                result = ch16.told(found, exercise.milestone)
                self.slow |= any(finding.kind in ("time", "not run") for finding in found)
        verdict = judge_seen(_standard(exercise, seed), replace(seen, results=[result]))
        # What held before a file was changed, in chapter 17, earns nothing by holding still.
        verdict.parts = {f.fact.id: f.green for f in found if f.fact.milestone == exercise.milestone or not f.green}
        if any(finding.kind == runner.FORGED for finding in found):
            self.problems.append(f"{exercise.id}: What came back from your code was no reply to the question.")
        return verdict

    def _ready(self) -> Child | None:
        """A process in which the cells have run."""
        if time.monotonic() > self.deadline and not self.given_up:
            self.end()
            self.given_up = self.slow = True
            self.problems.append(f"The notebook took longer than {NOTEBOOK_LIMIT / 60:g} minutes; the rest was not graded.")
        while self.child is None and not self.given_up:
            self._start()
        return self.child

    def _start(self) -> None:
        """Start a process and run the cells; a cell that ends the process is left out from then on."""
        child, cell, began, end = Child(self.sandbox), 0, float("inf"), float("inf")
        self.starts += 1
        try:
            child.send({
                "exercises": [order_for(e) for e in self.exercises.values()], "cells": list(self.cells.items()),
                "files": {name: text.decode("latin-1") for name, text in self.files.items()},
                "cell_limit": CELL_LIMIT,
            })  # fmt: skip
            child.receive(START_LIMIT)
            began = time.monotonic()
            end = began + self.cells_left
            for _ in range(3 * len(self.cells) + 1):  # each cell at most twice, its checks once more, and the last word
                message, _ = child.receive(min(CELL_LIMIT + MARGIN, end - time.monotonic()))
                if not isinstance(message, dict):
                    raise Lost("forged: no report")
                if "ready" in message:
                    break
                at = message.get("at")
                if type(at) is not int or at not in self.cells:
                    raise Lost("forged: no report")
                cell = at
            else:
                raise Lost("forged: too many reports")
            self.cells_left -= time.monotonic() - began
            hogs = [n for n, text in _pairs(message["ready"]) if n in self.cells and text.startswith("MemoryError")]
            self.slow |= any(text.startswith(TOOK_LONGER) for _, text in _pairs(message["ready"]))
        except wire.BadMessage:  # ours: the notebook does not fit into it
            child.end()
            self.given_up = True
            self.problems.append("The notebook is too large.")
            return
        except Lost as lost:
            child.end()
            self.cells_left -= time.monotonic() - min(began, time.monotonic())
            self.slow |= str(lost) == "time"
            if time.monotonic() > end or self.cells_left <= 0:
                self.given_up = self.slow = True
                self.problems.append(f"The cells took longer than {CELLS_LIMIT:g} seconds together.")
                return
            why = {"time": "took too long", "ended": "ended the process"}.get(str(lost), "did what no answer does")
            left_out = cell in self.cells and self.starts <= RESTARTS
            if left_out:
                del self.cells[cell]
                self.problems.append(f"Cell {cell} {why}, and was left out.")
            elif self.starts > RESTARTS or cell:
                self.given_up = True
                self.problems.append("The cells could not be run.")
            elif self.starts > 2:
                self.sandbox.try_out()  # or is it this submission's fault?
                self.given_up = True
                self.problems.append(NOT_STARTED)
            return
        if hogs and self.starts <= RESTARTS:  # what they hold may leave no room for the answers
            child.end()
            for number in hogs:
                self.cells[number] = _definitions(self.cells[number])
                self.problems.append(f"Cell {number} ran out of memory, and was left out but for the functions in it.")
            return
        if not self.told:
            self.told = True
            errors = [(n, text) for n, text in _pairs(message["ready"]) if n in self.cells]
            self.problems += [f"Cell {number}: {text}"[:500] for number, text in errors[:20]]
        self._name_replaced(message)
        self.child = child

    def _name_replaced(self, message: dict[str, Any]) -> None:
        """A sentence about what the notebook replaced: when its cells had run, or since, while it answered."""
        names = [name[:80] for name in _list(message.get("replaced")) if type(name) is str]
        new = [name for name in names if name not in self.replaced][:5]
        self.replaced.update(new)
        if new:
            self.problems.append(f"It replaced functions that are not its own: {', '.join(new)}.")


@_for_a_class
def order_for(exercise: Exercise) -> dict[str, Any]:
    """What the process must know of an exercise to find an answer to it."""
    starter = stub = exercise.starter_source()
    if not exercise.is_value and not inspect.isclass(exercise.reference):
        signature = inspect.signature(exercise.reference)
        bare = [p.replace(annotation=p.empty, default=p.empty if p.default is p.empty else 0) for p in signature.parameters.values()]
        stub = f"def {exercise.name}{signature.replace(parameters=bare, return_annotation=signature.empty)}: ..."
    elif exercise.is_value:
        stub = f"def {exercise.name}(draw): ..."
    return {
        "id": exercise.id, "name": exercise.name, "value": exercise.is_value, "starter": starter, "stub": stub,
        "time_limit": exercise.time_limit, "may_change_inputs": exercise.may_change_inputs,
        "without": exercise.without,
    }  # fmt: skip


@_for_a_class
def question_for(exercise: Exercise, seed: int) -> tuple[dict[str, Any], bytes]:
    """The question to the process: the inputs as numbers where that is possible, else the code that builds them."""
    question: dict[str, Any] = {"id": exercise.id, "code": []}
    if exercise.names_a_file:
        return question | {"file": True}, b""
    if exercise.is_value:
        return question, b""
    args, blobs = sent(exercise, seed)
    if args is None:
        question["seed"] = seed
    else:
        question["args"] = args
    if args is None or exercise.observe is not None:
        question["code"] = files.for_the_child(exercise)
    return question, blobs


def sent(exercise: Exercise, seed: int) -> tuple[list[Any] | None, bytes]:
    """The arguments of all cases in plain form, or None where some have none."""
    encoder = wire.Encoder(tensors=True)
    try:
        with guarded():
            return [encoder.encode(list(case.args)) for case in exercise.fresh_cases(seed)], bytes(encoder.blobs)
    except wire.Cannot:
        return None, b""


def _untouched_copies(cells: dict[int, str], defined: dict[int, set[str]], exercises: Iterable[Exercise]) -> set[int]:
    """Cells that are still as they were given, below another that has an answer: run last, they would undo it."""
    found: set[int] = set()
    for exercise in exercises:
        mine = [number for number, names in defined.items() if exercise.name in names]
        if len(mine) > 1:
            starter = exercise.starter_source()
            given, size = _tree(starter), 4 * len(starter) + 1000
            same = {number for number in mine if len(cells[number]) <= size and _tree(cells[number]) == given}
            others = set(mine) - same
            found |= {number for number in same if others and number > min(others)}  # one above may be filled in below
    return found


def _tree(source: str) -> str:
    """The code without its layout; empty where it is no Python."""
    return seen_in(source, ast.dump, "")


MOST_PARSED = 20_000  # characters of a cell: Python's parser takes the square of the time for some, and nothing can stop it


def _definitions(source: str) -> str:
    """Of a cell the functions, classes and imports alone."""

    def look(tree: ast.Module) -> str:
        return "\n".join(ast.unparse(s) for s in tree.body if isinstance(s, DEFINES))

    return seen_in(source if len(source) <= MOST_PARSED else "", look, "", as_python)


def _defined(source: str) -> set[str]:
    """The names that a cell defines, where it is of a size that somebody types."""
    code = source if len(source) <= MOST_PARSED else ""
    return seen_in(code, lambda tree: {name for statement in tree.body for name in defines(statement)}, set[str]())


def _list(x: Any) -> list[Any]:
    return x if isinstance(x, list) else []


def _pairs(x: Any) -> list[tuple[int, str]]:
    return [(p[0], p[1]) for p in _list(x) if isinstance(p, list) and len(p) == 2 and type(p[0]) is int and type(p[1]) is str]
