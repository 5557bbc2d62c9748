"""The verdict on what an answer did: what is wrong, which known mistake does the same, and how it is told."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Any

import numpy as np

from minigrad.course.exercise import Exercise, Mistake
from minigrad.course.judging.attempt import has_dots, source_of
from minigrad.course.judging.compare import (
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
    is_shape,
    same,
    show,
)
from minigrad.course.judging.guard import guarded
from minigrad.course.judging.observed import Observed, Seen, looked_at, watch
from minigrad.course.judging.standing import EARLIER, GAVE, PUT_BACK
from minigrad.course.judging.words import (
    ALIASES,
    DEAR,
    ROUNDED,
    WHY_NONE,
    called,
    explain_prediction,
    inputs_of,
    returned_none,
)

NOT_ATTEMPTED, ERROR, KNOWN, WRONG, PASSED = "not attempted", "error", "known mistake", "wrong", "passed"
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


class Standard:
    """What answers are compared with, with one seed and dtype: what the reference and the bank's wrong answers do.

    Each runs when it is first asked for, begins as in a new kernel, and what it does is kept.
    """

    def __init__(self, exercise: Exercise, seed: int, dtype: str, model: Exercise | None = None):
        self.exercise, self.seed, self.dtype, self.model = exercise, seed, dtype, model or exercise
        self._kept: dict[tuple[int, float, int | None], Observed] = {}

    @functools.cached_property
    def expected(self) -> Observed:
        """What the reference does. It ends, however slow the machine: what it did not come to, nobody could be judged by."""
        model = self.model
        with guarded(seed=self.seed):
            library = "minigrad" if model is self.exercise else model.mg.__name__
            expected = Observed(model, model.reference, self.seed, self.dtype, REFERENCE_LIMIT, library)
        if any(isinstance(result, Raised) and result.out_of_time for result in expected.results):
            raise TimeoutError("the reference took too long")
        return expected

    def of(self, mistake: Mistake, late: bool, count: int | None = None) -> Observed:
        """What a wrong or wasteful answer of the bank does, on all cases or on so many; in less time where the answer was late."""
        limit = min(MISTAKE_LIMIT, self.exercise.time_limit) if late else self.exercise.time_limit
        key = id(mistake.answer), limit, count
        whole = self._kept.get((*key[:2], None))
        if whole is None and key not in self._kept:
            with guarded(seed=self.seed):
                self._kept[key] = Observed(self.exercise, mistake.answer, self.seed, self.dtype, limit, count=count)
        return whole or self._kept[key]

    def keep(self, answer: Any, observed: Observed) -> None:
        """Note what an answer did: one of the bank's own need not run again for others to be compared with it."""
        if callable(answer):  # what a prediction holds is a student's, and gone before this
            self._kept[id(answer), self.exercise.time_limit, None] = observed


class Judgement:
    """One answer."""

    def __init__(self, standard: Standard, source: str | None = None):
        self.standard, self.exercise = standard, standard.exercise
        self.source = source  # of the answer, where it is at hand
        self.aliases: list[str] = []  # the entries of a prediction that are one tensor
        self.wrong: set[int] = set()  # the cases that are wrong by what was observed in them
        self.verdict = Verdict(self.exercise.id, WRONG, seed=standard.seed)

    def of(self, answer: Any) -> Verdict:
        """The verdict."""
        if answer is None and self.exercise.is_value:
            return self._not_attempted("None")
        seen = looked_at(self.exercise, answer)
        self.source = source_of(answer)
        self.aliases = _aliases(answer) if self.exercise.is_value and seen.runs else []
        if seen.runs:
            # The reference first, so that an answer whose time is over interrupts no import that it needs as well.
            _ = self.standard.expected
            self.standard.keep(answer, watch(seen, self.exercise, answer, self.standard.seed, self.standard.dtype))
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
        self.cases = self.expected.cases
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

    def _other(self, mistake: Mistake, count: int | None = None) -> Observed:
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
            elif isinstance(got, Unfit | EllipsisType):
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

    def _besides(self, of: Seen | Observed, index: int) -> list[str]:
        """The facts on the calls of a case that are none of the reference's. What may be changed may be put back, too."""
        mine, right = of.changed.get(index, []), self.expected.changed.get(index, [])
        allowed = {*right, *(fact + PUT_BACK for fact in right)}
        return [
            f
            for f in mine
            if f not in allowed and (not f.startswith(GAVE) or "dtype" in self.exercise.musts and self._rounded(of, index))
        ]

    def _rounded(self, of: Seen | Observed, index: int) -> bool:
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
        # A known mistake is wrong in more than its price, if not in this part then in another.
        name = self._recognise_belief(found) if exercise.is_value else None if dear or got is ... else self._recognise(index)
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
        mine = got.get(GRAPH) if isinstance(got, dict) and isinstance(want, dict) and GRAPH in want else None
        if isinstance(mine, list) and mine != want[GRAPH]:
            verdict.graphs = [list(map(str, mine)), want[GRAPH]]
        if dear:  # the hint of a known waste says this in its own words
            verdict.sentence = "" if waste else f"The result is right, but {' And '.join(broken)}"
            verdict.details = verdict.details[:1]
        if isinstance(got, Raised):
            verdict.trace = got.trace
        elif name is None and exercise.accept is not None and not (isinstance(want, Raised) or isinstance(got, Unfit | EllipsisType)):
            place = len(verdict.details) if exercise.is_value else 1
            verdict.details[place:place] = filter(None, [exercise.accept(case, got, want)])

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
        self.wrong &= set(places)  # what is wrong elsewhere says nothing of the mistake in this part
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

    def _agrees(self, other: Observed, k: int, strict: bool = True) -> bool:
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
        told = [d for d in found if not has_dots(_at(got, d.path[:1]))]  # what is still open says nothing
        best: tuple[int, str] | None = None
        for name, mistake in self.exercise.mistakes.items():
            (believed,) = self._other(mistake).results
            if isinstance(believed, Raised):
                continue
            explained = {
                d.path
                for d in told
                if not differences(_at(got, whole := self._whole(d.path)), _at(believed, whole), self._tolerance(0))
                and len(_row(got, whole)) == len(_row(believed, whole))  # else an entry agrees by chance
            }
            if told and told[0].path in explained and (best is None or len(explained) > best[0]):
                best = len(explained), name
        return None if best is None else best[1]

    def _whole(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """The path to the shape in which a place is, if it is in one: a shape is explained as a whole or not at all."""
        (want,) = self.expected.results
        return next((path[:k] for k in range(1, len(path)) if is_shape(_at(want, path[:k]))), path)

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
            raised = f"Your code raised {got.kind}."
            if got.trace.startswith(f"{got.kind}:"):  # it has no frame of the learner's
                raised = f"{got.kind} came up when the checker used your answer, or what that gave; no line of yours raised it."
            return raised + (f" Here it should be {want.kind}." if isinstance(want, Raised) else ""), lines
        if got is ...:
            return f"{called(exercise, case)} is not written yet.", []
        if isinstance(want, Raised):
            came = got.get("returns", MISSING) if isinstance(got, dict) else MISSING
            return f"Here {want.kind} should be raised.", lines + ([] if came is MISSING else [f"got {show(came)}"])
        if exercise.is_value:
            return explain_prediction(got, want, found, exercise.words)
        if self._forgot(got, want):
            return f"{called(exercise, case)} returned None. {WHY_NONE[self.seen.ends]}", lines
        if isinstance(got, Unfit):
            return f"{called(exercise, case)} returned {got.came}. What is wanted is {got.wanted}.", lines
        if changed and not found and all(fact.endswith(PUT_BACK) for fact in facts):
            written = changed.replace(PUT_BACK, "")
            return f"Your function wrote to {written}, and put the numbers back. Do not write there, not even for a moment.", lines
        if changed and not found:
            return f"Your function changed {changed}. Leave it as it was.", lines
        if EARLIER in besides and not found:
            return (
                "What your function returned changed its numbers when something else was computed later. Return what keeps them.",
                lines,
            )
        if besides and not found:
            return f"The numbers are right, as far as float32 holds them; but {exercise.musts['dtype']}", lines
        anew = exercise.fresh_cases(self.standard.seed, self.standard.dtype, index + 1)[index]  # `case` was in the reference's hands
        lines += inputs_of(exercise, freeze(anew.args))
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


def _row(tree: Any, path: tuple[str, ...]) -> Any:
    """The list in which a place is; nothing where it is in none."""
    row = _at(tree, path[:-1])
    return row if len(path) > 1 and isinstance(row, list | tuple) else ()


def _at(tree: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        try:
            tree = tree[int(key)] if isinstance(tree, list | tuple) else tree[key]
        except (KeyError, IndexError, TypeError, ValueError):
            return MISSING
    return tree
