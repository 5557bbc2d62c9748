"""The judge: what an answer does is observed, and compared with what the reference does and what known mistakes do.

An answer's way, from `check("07.2", answer)` to what the learner reads:

1. `check.py` finds the exercise. `bank/` puts it together from its three files: task, answer, mistakes.
2. `judge` asks whether this is an attempt (not the starter, not None) and of the right kind (`_looked_at`).
3. The reference runs on the cases (`_Standard.expected`), then the answer on the same ones (`_watch`). Both do so with modes and
   seeds put back (`guard.py`), within a time limit (`limits.py`), case by case (`_Observed`): `exercise.observation` makes a dict of
   what counts, `standing.py` notes what every call leaves behind, and `compare.freeze` makes plain values of it all. This is the
   first half: `observe` does it alone, in the grader's sandbox, and what was `Seen` is sent to the second half.
4. `_wrong` compares case by case: `compare.differences`, or the exercise's `accept`; a price that must not be higher; what was left
   behind.
5. Nothing wrong: `_pass`, with a note where the price is that of a known waste. Else `_fail` takes the case that tells most, and
   looks for a known mistake that does the same in every case (`_recognise`). Its hint is certain only where its evidence is
   found in the source or in what was seen; else it is told as what usually causes this.
6. `check.py` records the `Verdict` (`record.py`) and shows it (`render.py`, whose words for an error are in `messages.py`).

Nothing is shown or recorded here: `check` does that for learners, the tests and the grader use `judge` as it is.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import linecache
import re
import traceback
import types
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import minigrad
from minigrad.course import standing
from minigrad.course.compare import (
    FLOAT_TOLERANCE,
    GRAPH,
    MISSING,
    Difference,
    Raised,
    Unfit,
    about_shapes,
    as_array,
    costs,
    differences,
    freeze,
    same,
    show,
)
from minigrad.course.exercise import Case, Exercise, Mistake
from minigrad.course.guard import guarded
from minigrad.course.limits import TimeLimit, run_limited
from minigrad.course.standing import EARLIER, GAVE, Witness

NOT_ATTEMPTED, ERROR, KNOWN, WRONG, PASSED = "not attempted", "error", "known mistake", "wrong", "passed"
PRINTED_LINES = 5
REFERENCE_LIMIT = 120.0  # seconds for a reference, which always ends
MISTAKE_LIMIT = 5.0  # seconds that a known mistake may take, where the answer took longer than it may


@dataclass
class Verdict:
    """What is said about an answer: one of five outcomes, a sentence, and what helps."""

    id: str
    outcome: str
    sentence: str = ""
    details: list[str] = field(default_factory=list)  # plain lines: case, got, expected
    hint: str = ""  # markdown
    trace: str = ""  # the learner's frames
    printed: list[str] = field(default_factory=list)
    case: str = ""
    mistake: str = ""  # the name of the known mistake
    certain: bool = field(default=False, compare=False)  # the source shows the mistake; else the answer only behaves like it
    seed: int = 0
    graphs: list[list[str]] = field(default_factory=list)  # where a graph is what is judged: the answer's and the wanted one
    parts: dict[str, bool] = field(default_factory=dict)  # which groups of cases, or entries of a prediction, are right

    @property
    def passed(self) -> bool:
        return self.outcome == PASSED


def judge(exercise: Exercise, answer: Any, *, seed: int = 0, dtype: str = "float64", reference: str | None = None) -> Verdict:
    """The verdict on an answer. Raises only for a real Ctrl-C, and changes nothing outside."""
    return next(judge_all(exercise, [answer], seed=seed, dtype=dtype, reference=reference))


def judge_all(
    exercise: Exercise, answers: Iterable[Any], *, seed: int = 0, dtype: str = "float64", reference: str | None = None
) -> Iterator[Verdict]:
    """The verdicts on several answers, as `judge` gives them. What all are compared with runs only once."""
    standard = _Standard(exercise, seed, dtype, reference)
    for answer in answers:
        yield _unless_it_fails(exercise, seed, functools.partial(_Judgement(standard).of, answer))


def observe(exercise: Exercise, answer: Any, *, seed: int = 0, dtype: str = "float64") -> Seen:
    """What an answer does; nothing is judged. The grader calls this in the process that runs the answer."""
    seen = _looked_at(exercise, answer)
    if seen.runs:
        _watch(seen, exercise, answer, seed, dtype)
    return seen


def _looked_at(exercise: Exercise, answer: Any) -> Seen:
    """What is known of an answer before it runs."""
    return Seen(complaint=_wrong_kind(exercise, answer), attempted=attempted(exercise, answer))


def _watch(seen: Seen, exercise: Exercise, answer: Any, seed: int, dtype: str) -> _Observed:
    """Run an answer, and write down what it does."""
    with guarded(answer, seed) as printed:
        observed = _Observed(exercise, answer, seed, dtype, exercise.time_limit)
    seen.results, seen.changed = observed.results, observed.changed
    seen.printed = printed.getvalue().splitlines()[:PRINTED_LINES]
    seen.ends = ends_of(answer)
    return observed


def judge_seen(exercise: Exercise, seen: Seen, *, seed: int = 0, dtype: str = "float64") -> Verdict:
    """The verdict on what an answer did, wherever it ran. Nothing of the answer runs here."""
    return _unless_it_fails(exercise, seed, lambda: _Judgement(_Standard(exercise, seed, dtype)).of_seen(seen))


def _unless_it_fails(exercise: Exercise, seed: int, verdict: Callable[[], Verdict]) -> Verdict:
    try:
        return verdict()
    except Exception as error:
        return Verdict(
            exercise.id,
            ERROR,
            f"The checker itself failed; that is not your mistake. Please send us what `report({exercise.id!r})` prints.",
            trace="".join(traceback.format_exception_only(error)).strip(),
            seed=seed,
        )


@dataclass
class Seen:
    """What is known of an answer after it ran."""

    attempted: bool = True
    complaint: str = ""  # it is not of the right kind
    results: list[Any] = field(default_factory=list)  # one for each case, up to the time limit
    changed: dict[int, list[str]] = field(default_factory=dict)  # for a case, facts on the calls: see standing.py
    printed: list[str] = field(default_factory=list)
    ends: str = "valued"  # whether its ends have a value: a key of WHY_NONE

    @property
    def runs(self) -> bool:
        return self.attempted and not self.complaint

    def is_whole(self, count: int) -> bool:
        """Whether there is a result for each of so many cases, or for those before the time was over."""
        late = bool(self.results) and isinstance(self.results[-1], Raised) and self.results[-1].out_of_time
        return len(self.results) == count or late and len(self.results) < count


class _Observed:
    """What an answer does on every case, or on so many, up to the time limit."""

    def __init__(
        self, exercise: Exercise, answer: Any, seed: int, dtype: str, limit: float, library: str = "minigrad", count: int | None = None
    ):
        self.cases = exercise.fresh_cases(seed, dtype)[:count]
        self.inputs = [freeze(case.args) for case in self.cases]  # as they were before the answer had them
        self.results: list[Any] = []
        self.changed: dict[int, list[str]] = {}  # for a case, what the answer changed, and other facts on its calls
        self.library = library
        try:
            run_limited(lambda: self._run(exercise, answer), limit)
        except TimeLimit:
            self.results.append(Raised("TimeLimit", "", out_of_time=True))

    def _run(self, exercise: Exercise, answer: Any) -> None:
        """Everything that may run the learner's code, also their `__repr__` and `__str__`, happens in here."""
        witness = Witness(exercise.reference, exercise.mg, exercise.without)
        answer = answer if exercise.is_value or exercise.names_a_file else witness.of(answer)
        for index, case in enumerate(self.cases):
            witness.begin_of_case(index)
            before = [] if exercise.may_change_inputs else [_fingerprint(arg) for arg in case.args]
            try:
                result = freeze(exercise.observation(answer, case), self.library)
            except (TimeLimit, standing.Fault):
                raise
            except BaseException as error:  # also SystemExit and an answer's own KeyboardInterrupt
                result = _raised(error)
            changed = [k for k, (arg, was) in enumerate(zip(case.args, before, strict=False)) if _fingerprint(arg) != was]
            names = changed and _parameters(exercise, case.args) or [f"argument {k}" for k in range(1, len(case.args) + 1)]
            facts = witness.facts.setdefault(index, set())
            facts.update(f"`{names[k]}`" for k in changed if not any(fact.startswith(f"`{names[k]}.") for fact in facts))
            self.results.append(result)
            witness.end_of_case()
            self.changed = {k: sorted(facts) for k, facts in witness.facts.items() if facts}


def _raised(error: BaseException) -> Raised:
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be shown)"
    # How deep the stack is, and in which call it ended, differs from run to run.
    told = "maximum recursion depth exceeded" if isinstance(error, RecursionError) else text
    return Raised(type(error).__name__, told, learner_trace(error, told))


def _parameters(exercise: Exercise, args: tuple[Any, ...]) -> list[str]:
    """The names of the arguments, as the reference calls them, or else the observation."""
    for function, others in ((exercise.reference, 0), (exercise.observe, 1)):
        try:
            parameters = inspect.signature(function).parameters.values()  # type: ignore[arg-type]
        except (TypeError, ValueError):
            continue
        names = [p.name for p in parameters if p.kind is not p.VAR_POSITIONAL][others:]
        if len(names) == len(args):
            return names
    return []


def _fingerprint(args: Any) -> Any:
    """The values and flags of the arrays and tensors among the arguments."""
    if isinstance(args, dict):
        return [(str(key), _fingerprint(value)) for key, value in args.items()]
    if isinstance(args, list | tuple):
        return [_fingerprint(item) for item in args]
    array = as_array(args) if isinstance(args, np.ndarray) or hasattr(args, "detach") else None
    return None if array is None else (array.shape, array.tobytes(), bool(getattr(args, "requires_grad", False)))


class _Standard:
    """What answers are compared with, with one seed and dtype: what the reference and the bank's wrong answers do.

    Each runs when it is first asked for, begins as in a new kernel, and what it does is kept.
    """

    def __init__(self, exercise: Exercise, seed: int, dtype: str, reference: str | None = None):
        self.exercise, self.seed, self.dtype, self.reference = exercise, seed, dtype, reference
        self._kept: dict[tuple[int, float, int | None], _Observed] = {}

    @functools.cached_property
    def expected(self) -> _Observed:
        """What the reference does. It ends, however slow the machine: what it did not come to, nobody could be judged by."""
        model = self.exercise
        with guarded(seed=self.seed):
            if self.reference is not None:
                from minigrad.course import bank  # only here: what runs an answer for the grader has no bank

                model = bank.exercises(model.chapter, self.reference)[model.id]
            library = self.reference or "minigrad"
            expected = _Observed(model, model.reference, self.seed, self.dtype, REFERENCE_LIMIT, library)
        if any(isinstance(result, Raised) and result.out_of_time for result in expected.results):
            raise TimeoutError("the reference took too long")
        return expected

    def of(self, mistake: Mistake, late: bool, count: int | None = None) -> _Observed:
        """What a wrong or wasteful answer of the bank does, on all cases or on so many; in less time where the answer was late."""
        limit = min(MISTAKE_LIMIT, self.exercise.time_limit) if late else self.exercise.time_limit
        key = id(mistake.answer), limit, count
        whole = self._kept.get((*key[:2], None))
        if whole is None and key not in self._kept:
            with guarded(seed=self.seed):
                self._kept[key] = _Observed(self.exercise, mistake.answer, self.seed, self.dtype, limit, count=count)
        return whole or self._kept[key]

    def keep(self, answer: Any, observed: _Observed) -> None:
        """Note what an answer did: one of the bank's own need not run again for others to be compared with it."""
        self._kept[id(answer), self.exercise.time_limit, None] = observed


class _Judgement:
    """One answer."""

    def __init__(self, standard: _Standard):
        self.standard, self.exercise = standard, standard.exercise
        self.source: str | None = None  # of the answer, where it is at hand
        self.aliases: list[str] = []  # the entries of a prediction that are one tensor
        self.wrong: set[int] = set()  # the cases that are wrong by what was observed in them
        self.verdict = Verdict(self.exercise.id, WRONG, seed=standard.seed)

    def of(self, answer: Any) -> Verdict:
        """The verdict."""
        if answer is None and self.exercise.is_value:
            return self._not_attempted("None")
        seen = _looked_at(self.exercise, answer)
        self.source = source_of(answer)
        self.aliases = _aliases(answer) if self.exercise.is_value and seen.runs else []
        if seen.runs:
            # The reference first, so that an answer whose time is over interrupts no import that it needs as well.
            _ = self.standard.expected
            self.standard.keep(answer, _watch(seen, self.exercise, answer, self.standard.seed, self.standard.dtype))
        return self.of_seen(seen)

    def of_seen(self, seen: Seen) -> Verdict:
        """The verdict on what was observed."""
        verdict, self.seen = self.verdict, seen
        if not seen.attempted:
            return self._not_attempted("still as it was given")
        if seen.complaint:
            verdict.outcome, verdict.sentence = ERROR, seen.complaint
            return verdict
        verdict.printed = seen.printed
        self.expected = self.standard.expected
        self.cases, self.inputs = self.expected.cases, self.expected.inputs
        with guarded():
            if not seen.is_whole(len(self.cases)):
                raise ValueError(f"{len(self.cases)} cases have {len(seen.results)} results")
            wrong = list(self._wrong())
            verdict.parts = self._parts(wrong)
            if not wrong:
                self._pass()
            else:
                self._fail(*min(wrong, key=lambda w: self._rank(w[0])))
        return verdict

    def _not_attempted(self, state: str) -> Verdict:
        self.verdict.outcome = NOT_ATTEMPTED
        self.verdict.sentence = f"`{self.exercise.name}` is {state}. Write your answer and run its cell."
        return self.verdict

    def _other(self, mistake: Mistake, count: int | None = None) -> _Observed:
        """What a wrong or wasteful answer of the bank does."""
        return self.standard.of(mistake, any(isinstance(r, Raised) and r.out_of_time for r in self.seen.results), count)

    def _wrong(self) -> Iterator[tuple[int, list[Difference]]]:
        """The cases that are wrong, and their differences."""
        exercise, seen, expected = self.exercise, self.seen, self.expected
        found: list[Difference]
        for index, (got, want) in enumerate(zip(seen.results, expected.results, strict=False)):
            if isinstance(got, Raised) and got.out_of_time:
                wrong, found = True, []
            elif isinstance(want, Raised) or isinstance(got, Raised):
                # Which error it is counts; an answer may word it in its own way.
                wrong = not (isinstance(want, Raised) and isinstance(got, Raised) and want.kind == got.kind)
                found = []
            elif isinstance(got, Unfit):
                wrong, found = True, []
            elif exercise.accept is not None:
                wrong, found = exercise.accept(self.cases[index], got, want) is not None, []
                if wrong:
                    found = differences(got, want, self._tolerance(index))
            else:
                found = differences(got, want, self._tolerance(index), exercise.compare_dtype)
                wrong = bool(found)
            if not wrong and isinstance(got, dict) and isinstance(want, dict):
                wrong = any(_worse(got.get(key), want.get(key)) for key in exercise.musts)
            if wrong:
                self.wrong.add(index)
            # On the way to an error something may have been done already.
            if wrong or not isinstance(want, Raised) and self._besides(seen, index):
                yield index, found

    def _tolerance(self, index: int) -> float:
        """How exact a case must be, in the dtype that it has."""
        return max(FLOAT_TOLERANCE[np.dtype("float32")] * self._single(index), self.exercise.tolerance)

    def _single(self, index: int) -> bool:
        return (self.cases[index].dtype or self.standard.dtype) == "float32"

    def _rank(self, index: int) -> tuple[bool, int, bool, int]:
        """Which wrong case is told: a plain one before special ones, but where functions are written one by one, in their order."""
        case = self.cases[index]
        order = list(dict.fromkeys(c.part for c in self.cases)).index(case.part) if inspect.isclass(self.exercise.reference) else 0
        return bool(case.dtype), order, case.edge, index

    def _besides(self, of: Seen | _Observed, index: int) -> list[str]:
        """The facts on the calls of a case that are none of the reference's."""
        mine, right = of.changed.get(index, []), self.expected.changed.get(index, [])
        return [
            f
            for f in mine
            if f not in right and (not f.startswith(GAVE) or "dtype" in self.exercise.musts and self._rounded(of, index))
        ]

    def _rounded(self, of: Seen | _Observed, index: int) -> bool:
        """Whether what should be in float64 came in float32: half of its digits are lost."""
        mine, right = ({f for f in seen.changed.get(index, []) if f.startswith(GAVE)} for seen in (of, self.expected))
        return right == {f"{GAVE}float64"} and f"{GAVE}float32" in mine and not self._single(index)

    def _parts(self, wrong: list[tuple[int, list[Difference]]]) -> dict[str, bool]:
        """Which parts of the exercise are right: an entry of a prediction, or the cases whose labels begin alike."""
        if self.exercise.is_value:
            (want,) = self.expected.results
            faults = {d.path[:1] for _, found in wrong for d in found}
            return {str(key): not (wrong and not faults) and (str(key),) not in faults and () not in faults for key in want}
        parts: dict[str, bool] = {}
        places = {index for index, _ in wrong}
        for index, case in enumerate(self.cases):
            right = index < len(self.seen.results) and index not in places
            parts[case.part] = parts.get(case.part, True) and right
        return parts

    def _pass(self) -> None:
        """Right; with a note where the price is that of a wasteful answer."""
        self.verdict.outcome, self.verdict.sentence = PASSED, "Right."
        price = [costs(result) for result in self.seen.results]
        if any(self._rounded(self.seen, index) for index in range(len(self.cases))):
            self.verdict.sentence, self.verdict.hint = "Right, with a note.", ROUNDED
            return
        if price == [costs(result) for result in self.expected.results]:
            return
        name = self._waste(price)
        if name is not None:
            self.verdict.sentence, self.verdict.hint = "Right, with a note.", self.exercise.wasteful[name].hint
        elif self._is_dear(price):
            self.verdict.sentence, self.verdict.hint = "Right, with a note.", DEAR

    def _waste(self, price: list[dict[str, Any]]) -> str | None:
        """The name of the wasteful answer that has this price."""
        known = self.exercise.wasteful.items()
        return next((name for name, m in known if price == [costs(result) for result in self._other(m).results]), None)

    def _is_dear(self, price: list[dict[str, Any]]) -> bool:
        """Whether something was counted that is more than in the reference, and in every other right answer that we know."""
        others = [self.expected, *(self._other(Mistake(form, "")) for form in self.exercise.alternatives.values())]
        for other in others:
            theirs = [costs(result) for result in other.results]
            if not any(_worse(cost[key], its.get(key)) for cost, its in zip(price, theirs, strict=True) for key in cost):
                return False
        return True

    def _fail(self, index: int, found: list[Difference]) -> None:
        verdict, exercise, seen = self.verdict, self.exercise, self.seen
        case, got, want = self.cases[index], seen.results[index], self.expected.results[index]
        verdict.case = "" if exercise.is_value else case.title
        broken = [text for key, text in exercise.musts.items() if _worse(costs(got).get(key), costs(want).get(key))]
        dear = not found and not self._besides(seen, index) and bool(broken)
        name = self._recognise_belief(found) if exercise.is_value else self._recognise(index)
        waste = self._waste([costs(result) for result in seen.results]) if dear else None
        if self.aliases:
            verdict.hint = ALIASES.format(", ".join(self.aliases))
        elif waste is not None:
            verdict.outcome, verdict.mistake, verdict.hint = KNOWN, waste, exercise.wasteful[waste].hint
            verdict.certain = True  # it was counted
        elif name is not None:
            verdict.outcome, verdict.mistake, verdict.hint = KNOWN, name, exercise.mistakes[name].hint
            verdict.certain = exercise.is_value or bool(exercise.mistakes[name].evidence and self.source)
        elif isinstance(got, Raised) or self._forgot(got, want):
            verdict.outcome = ERROR
        verdict.sentence, verdict.details = self._explain(index, found)
        if isinstance(got, dict) and isinstance(want, dict) and GRAPH in want and got.get(GRAPH) != want[GRAPH]:
            verdict.graphs = [got.get(GRAPH) or [], want[GRAPH]]
        if dear:
            verdict.sentence, verdict.details = f"The result is right, but {' And '.join(broken)}", verdict.details[:1]
        if isinstance(got, Raised):
            verdict.trace = got.trace
        elif name is None and exercise.accept is not None and not isinstance(want, Raised) and not isinstance(got, Unfit):
            place = len(verdict.details) if exercise.is_value else 1
            verdict.details.insert(place, exercise.accept(case, got, want) or "")

    def _recognise(self, index: int) -> str | None:
        """The name of the known mistake that does what the answer does, if there is one."""
        group = self.cases[index].part if ":" in self.cases[index].label else None
        # What goes wrong in the plain cases already is recognised by these; a slip at special points may be another one.
        here = self.cases[index]
        places = [
            k
            for k, case in enumerate(self.cases)
            if (group is None or case.part == group)
            and case.edge <= (here.edge or bool(here.dtype))
            and case.dtype in ("", here.dtype)
        ]
        raised = isinstance(self.seen.results[index], Raised)
        best: tuple[int, str] | None = None
        known = {name: mistake for name, mistake in self.exercise.mistakes.items() if self._may_be(mistake)}
        first = [k for k in places if k <= index]

        def agrees(mistake: Mistake, strict: bool, cases: list[int]) -> bool:
            # Most mistakes are told apart by the first case, or those up to this one, and need not run through all the others.
            begins = all(
                self._agrees(self._other(mistake, end[-1] + 1), k, strict=False) for end in (first[:1], first) for k in end
            )
            return begins and all(self._agrees(self._other(mistake), k, strict) for k in cases)

        for strict in (True, False):
            for name, mistake in known.items():
                if agrees(mistake, strict, places):
                    return name
        for name, mistake in known.items():
            # An answer that raises stops short of showing all that is wrong with it: what it does until then decides, and what
            # it does in the cases in which it comes to an end. Shapes that do not fit have many causes: they must fit nowhere
            # else either.
            results = self.seen.results
            telling = [k for k in places if k < len(results) and (not isinstance(results[k], Raised) or about_shapes(results[k]))]
            if raised and agrees(mistake, True, [*first, *telling]):
                count = sum(self._agrees(self._other(mistake), k) for k in places)
                if best is None or count > best[0]:
                    best = count, name
        return None if best is None else best[1]

    def _may_be(self, mistake: Mistake) -> bool:
        """Whether nothing in the source speaks against a mistake."""
        return mistake.evidence is None or self.source is None or mistake.evidence(self.source, self.seen.results)

    def _forgot(self, got: Any, want: Any) -> bool:
        """Whether None came back where a value was wanted, and None is no answer in any case."""
        legal = any(isinstance(result, dict) and result.get("returns", MISSING) is None for result in self.expected.results)
        return not legal and returned_none(got, want)

    def _agrees(self, other: _Observed, k: int, strict: bool = True) -> bool:
        """Whether the answer does in one case what another answer does. `strict`: also to its inputs, where both are wrong."""
        seen, mine, its = self.seen, set(self._besides(self.seen, k)), set(self._besides(other, k))
        # Where an answer is wrong in nothing but what it does besides, this has to be the same.
        alike = bool(mine) == bool(its) if self.wrong else bool(mine & its) or not mine and not its
        return (
            k < min(len(seen.results), len(other.results))
            and (alike or not strict and bool(self.wrong) and (bool(mine) or k in self.wrong))
            and same(seen.results[k], other.results[k], self._tolerance(k))
        )

    def _recognise_belief(self, found: list[Difference]) -> str | None:
        """In a prediction the first wrong entry decides; among the beliefs that explain it, the one that explains most."""
        (got,) = self.seen.results
        told = [d for d in found if not _has_dots(_at(got, d.path[:1]))]  # what is still open says nothing
        best: tuple[int, str] | None = None
        for name, mistake in self.exercise.mistakes.items():
            (believed,) = self._other(mistake).results
            if isinstance(believed, Raised):
                continue
            explained = {d.path for d in told if not differences(d.got, _at(believed, d.path), self._tolerance(0))}
            if told and told[0].path in explained and (best is None or len(explained) > best[0]):
                best = len(explained), name
        return None if best is None else best[1]

    def _explain(self, index: int, found: list[Difference]) -> tuple[str, list[str]]:
        """A sentence and a few lines on the first wrong case."""
        exercise, case, got = self.exercise, self.cases[index], self.seen.results[index]
        want, besides = self.expected.results[index], self._besides(self.seen, index)
        facts = [fact for fact in besides if not fact.startswith(GAVE) and fact != EARLIER]
        changed = "its input " * (bool(facts) and all(fact.startswith("`") for fact in facts)) + " and ".join(facts)
        lines = [] if exercise.is_value else [f"The first case that goes wrong: {case.title}"]
        if isinstance(got, Raised):
            if got.out_of_time:
                seconds = f"{exercise.time_limit:g} second" + "s" * (exercise.time_limit != 1)
                return (
                    f"Your code took longer than {seconds} and was stopped. Is there a loop that "
                    "never ends? (A single long call into NumPy cannot be stopped; then restart the kernel.)"
                ), lines
            return f"Your code raised {got.kind}." + (f" Here it should be {want.kind}." if isinstance(want, Raised) else ""), lines
        if isinstance(want, Raised):
            came = got.get("returns", MISSING) if isinstance(got, dict) else MISSING
            return f"Here {want.kind} should be raised.", lines + ([] if came is MISSING else [f"got {show(came)}"])
        if exercise.is_value:
            return _explain_prediction(got, want, found, exercise.words)
        if self._forgot(got, want):
            return f"`{_called(exercise, case)}` returned None. {WHY_NONE[self.seen.ends]}", lines
        if isinstance(got, Unfit):
            return f"`{_called(exercise, case)}` returned {got.came}. What is wanted is {got.wanted}.", lines
        if changed and not found:
            return f"Your function changed {changed}. Leave it as it was.", lines
        if EARLIER in besides and not found:
            return (
                "What your function returned changed its numbers when something else was computed later. Return what keeps them.",
                lines,
            )
        if besides and not found:
            return f"The numbers are right, as far as float32 holds them; but {exercise.musts['dtype']}", lines
        lines += _inputs(exercise, self.inputs[index])
        # Where many answers are right, `accept` says what is wrong: the reference's would give one of them away.
        # What stands at the top of one observation alone is the checker's own word, and none of the learner's.
        told = [d for d in found if len(d.path) != 1 or not (d.got is MISSING or d.expected is MISSING)]
        for d in told[: 0 if exercise.accept else 2]:
            where = "" if d.path in ((), ("returns",)) else f"{d.where}: "
            lines.append(where + d.text)
        if changed:
            lines.append(f"Besides, your function changed {changed}.")
        # A .grad, or an entry of a list, that is None is not for want of a `return`.
        forgotten = (
            bool(told)
            and self._forgot({"returns": told[0].got}, {"returns": told[0].expected})
            and told[0].got is None
            and len(told[0].path) < 2
            and ".grad" not in told[0].where
        )
        return ("It gave None. Did you forget `return`?" if forgotten else ""), lines


ROUNDED = (
    "The numbers came in float32, and the inputs are in float64: half of the digits are lost. Somewhere on the way stands a Tensor "
    "of the default dtype, as `mg.zeros(n)` and `mg.randn(n)` make it. `dtype=x.dtype`, or `mg.zeros_like(x)`, keeps all of them."
)
DEAR = (
    "It costs more than it needs: of what the checker counts (calls, passes, what is kept), there is more than in the model answer. "
    "Look once more at what the text says about it, or compare with the solution when you are done."
)


ALIASES = (
    "The entries {} are **one tensor** under several names. What is written into it later, and `.grad` is added to in place, shows "
    "under all of them. Note a number, `w.grad.item()`, or a copy, `w.grad.clone()`, of each moment."
)


def _aliases(answer: dict[Any, Any]) -> list[str]:
    """The keys whose tensors, or arrays, hold their numbers in the same memory as another one's."""
    holders = {key: value for key, value in answer.items() if hasattr(value, "detach") or isinstance(value, np.ndarray)}
    arrays = {key: array for key, value in holders.items() if (array := as_array(value)) is not None}
    pairs = [(key, other) for key in arrays for other in arrays if key != other and np.may_share_memory(arrays[key], arrays[other])]
    return list(dict.fromkeys(str(key) for key, _ in pairs))


def _worse(cost: Any, other: Any) -> bool:
    """Whether one cost is higher than another: a larger number, or what should not be."""
    if isinstance(cost, dict) and isinstance(other, dict):
        return any(_worse(cost[key], other.get(key)) for key in cost)
    if isinstance(cost, int | float) and isinstance(other, int | float):
        return cost > other
    return isinstance(cost, str | list | tuple) and type(cost) is type(other) and cost != other


def _called(exercise: Exercise, case: Case) -> str:
    """What is called in a case: the answer, or the one of its methods that the case begins with."""
    is_method = inspect.isclass(exercise.reference) and callable(getattr(exercise.reference, case.part, None))
    return case.part if is_method else exercise.name


def returned_none(got: Any, want: Any) -> bool:
    """Whether None came back where a value was wanted."""
    if isinstance(got, Unfit):
        return got.came == "None"
    return isinstance(got, dict) and got.get("returns", MISSING) is None and want.get("returns") is not None


WHY_NONE = {
    "bare": "Did you forget `return`?",
    "valued": "What stands after its `return` was None.",
    "both": "Either it came to its end without a `return`, or what stands after its `return` was None.",
}


def ends_of(function: Any) -> str:
    """Whether the ends of a function have a value, as far as its code tells: a key of WHY_NONE."""
    code = getattr(function, "__code__", None)
    steps = list(dis.get_instructions(code)) if code else []
    ends = [(before, step) for before, step in zip([None, *steps], steps, strict=False) if step.opname.startswith("RETURN_")]
    constants = [step if step.opname == "RETURN_CONST" else before for before, step in ends if step.opname != "RETURN_GENERATOR"]
    valued = {c is None or not c.opname.endswith("CONST") or c.argval is not None for c in constants}
    return "both" if len(valued) == 2 else "valued" if True in valued else "bare"


def _inputs(exercise: Exercise, args: tuple[Any, ...]) -> list[str]:
    """The inputs that can be shown, in one line, by the names of the reference's parameters where there is one for each."""
    named = [f"{name} = " for name in _parameters(exercise, args)] or [""] * len(args)
    shown = [name + show(arg) for name, arg in zip(named, args, strict=True) if as_array(arg) is not None]
    return [f"Input: {', '.join(shown)}"] if shown else []


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        try:
            tree = tree[int(key)] if isinstance(tree, list | tuple) else tree[key]
        except (KeyError, IndexError, TypeError, ValueError):
            return MISSING
    return tree


def _explain_prediction(got: Any, want: Any, found: list[Difference], words: tuple[str, ...]) -> tuple[str, list[str]]:
    """How many entries are right, how many open, and the first wrong one. What is right is not told: run the program."""
    open_keys = [str(key) for key, value in got.items() if _has_dots(value)]
    wrong = [str(key) for key in want if any(d.path[0] == str(key) for d in found)]
    told = [key for key in wrong if key not in open_keys]
    lines = []
    if open_keys:
        lines.append(f"Still open: {', '.join(open_keys)}.")
    if told:
        mine = got.get(told[0], MISSING)
        wrote = "It is missing." if mine is MISSING else f"You wrote {show(mine)}."
        stranger = bool(words) and mine is not MISSING and not (isinstance(mine, str) and mine in words)
        choice = f" That is none of the words: {', '.join(map(repr, words))}." if stranger else ""
        lines.append(f"The first that is wrong: {told[0]}. {wrote}{choice}")
    strangers = [str(key) for key in got if key not in want]
    if strangers:
        lines.append(f"Not asked for: {', '.join(strangers)}.")
    right = len(want) - len(wrong)
    end = ", but there is more than was asked for." if right == len(want) else "."
    return f"{right} of {len(want)} {'is' if right == 1 else 'are'} right{end}", lines


# -- before anything runs --------------------------------------------------------------------------------------------


def attempted(exercise: Exercise, answer: Any) -> bool:
    """Whether the answer is more than the starter."""
    if answer is ... or answer is None and exercise.is_value:
        return False
    if exercise.is_value:
        return not (isinstance(answer, dict) and answer and all(_all_dots(value) for value in answer.values()))
    return _instructions(answer) != _instructions(exercise.starter_made)


def _instructions(thing: Any) -> Any:
    """What a function or class does, as Python runs it: the same for every layout, comment, docstring and annotation."""
    if inspect.isclass(thing):  # a class that was not written inside is none of its parts: a Function holds its node's class
        own = {k: m for k, m in vars(thing).items() if not inspect.isclass(m) or m.__qualname__ == f"{thing.__qualname__}.{k}"}
        return {name: code for name, member in own.items() if (code := _instructions(member)) is not None}
    code = getattr(inspect.unwrap(getattr(thing, "__func__", thing)), "__code__", None) if callable(thing) else None
    return None if code is None else _of_code(code)


def _of_code(code: types.CodeType) -> list[tuple[str, Any]]:
    def value(argument: Any) -> Any:
        return _of_code(argument) if isinstance(argument, types.CodeType) else argument

    return [(i.opname, value(i.argval)) for i in dis.get_instructions(code)]


def _all_dots(value: Any) -> bool:
    return value is ... or isinstance(value, list | tuple) and bool(value) and all(_all_dots(v) for v in value)


def _has_dots(value: Any) -> bool:
    return value is ... or isinstance(value, list | tuple) and any(_has_dots(v) for v in value)


def _wrong_kind(exercise: Exercise, answer: Any) -> str:
    """What is said when the answer is not even of the right kind; empty when it is."""
    if exercise.is_value:
        if not isinstance(answer, dict):
            return f"`{exercise.name}` must be a dict, as it was given; it is {_kind(answer)}."
        return ""
    if inspect.isclass(exercise.reference):
        return "" if inspect.isclass(answer) else f"`{exercise.name}` must be a class; it is {_kind(answer)}."
    if not callable(answer):
        return f"`{exercise.name}` must be a function; it is {_kind(answer)}. Give the function itself, do not call it."
    try:
        wanted = inspect.signature(exercise.reference)
        inspect.signature(answer).bind(*[None] * len(wanted.parameters))
    except TypeError:
        return f"`{exercise.name}` must take these arguments: `{exercise.name}{wanted}`."
    except ValueError:
        return ""  # a function of C has no signature
    return ""


def _kind(answer: Any) -> str:
    return f"a value of type {type(answer).__name__}"


def source_of(answer: Any) -> str | None:
    """The source text of an answer, if it can be found."""
    try:
        return _class_source(answer) if inspect.isclass(answer) else inspect.getsource(answer)
    except (OSError, TypeError, SyntaxError):
        return None


def _class_source(cls: type) -> str | None:
    """The source of a class by way of one of its methods: a class of a notebook does not know where it was written."""
    for member in vars(cls).values():
        code = getattr(getattr(member, "__func__", member), "__code__", None)
        if code is not None:
            text = "".join(linecache.getlines(code.co_filename))
            for node in reversed(ast.parse(text).body):
                if isinstance(node, ast.ClassDef) and node.name == cls.__name__:
                    return ast.get_source_segment(text, node)
    return None


_PACKAGE = str(Path(minigrad.__file__).parent)
_LIBRARIES = (_PACKAGE, str(Path(np.__file__).parent), str(Path(ast.__file__).parent))
_CELL = re.compile(r"ipykernel_\d+[/\\]|^<ipython-input")


def learner_trace(error: BaseException, text: str, limit: int = 4) -> str:
    """A short traceback: the learner's frames only, then the type, the message and the notes."""
    frames = [
        (frame.f_code, number)
        for frame, number in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith((*_LIBRARIES, "<frozen"))
    ]
    lines = [_frame(code, number) for code, number in frames[:1] + frames[max(1, len(frames) - limit + 1) :]]
    if len(frames) > limit:
        lines.insert(1, f"… {len(frames) - limit} more calls …")
    # A note may name a line of the checker's, which is none of the learner's business.
    notes = [without_places(str(note)) for note in getattr(error, "__notes__", ()) if _PACKAGE not in str(note)]
    return "\n".join([*lines, without_places(f"{type(error).__name__}: {text}"), *notes])


def _frame(code: types.CodeType, number: int) -> str:
    place = "" if _CELL.search(code.co_filename) else f"{Path(code.co_filename).name}, "
    source = linecache.getline(code.co_filename, number).strip()
    return f"{place}line {number}, in {code.co_name}" + (f":  {source}" if source else "")


def without_places(text: str) -> str:
    """A text without what changes from run to run: addresses, and folders of this machine."""
    text = re.sub(r"[^\s'\"(]*ipykernel_\d+[/\\]\d+\.py", "cell", text)
    text = re.sub(r"[^\s'\"(]*[/\\]([^/\\\s]+\.py)", r"\1", text)
    return re.sub(r" at 0x[0-9a-fA-F]+", "", text)
