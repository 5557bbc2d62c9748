"""The judge: what an answer does is observed, and compared with what the reference does and what known mistakes do.

An answer's way, from `check("07.2", answer)` to what the learner reads:

1. `notebook/check.py` finds the exercise. `bank/` puts it together from its three files: task, answer, mistakes.
2. `judging/attempt.py` says whether this is an attempt (not the starter, not None) and of the right kind.
3. The reference runs on the cases (`Standard.expected`), then the answer on the same ones (`watch`, in `judging/observed.py`). Both
   do so with modes and seeds put back (`guard.py`), within a time limit (`limits.py`), case by case (`Observed`):
   `exercise.observation` makes a dict of what counts, `standing.py` notes what every call leaves behind, and `compare.freeze` makes
   plain values of it all. This is the first half: `observe` does it alone, in the grader's sandbox, and what was `Seen` is sent to
   the second half.
4. `Judgement`, in `judging/verdict.py`, compares case by case (`_wrong`): `compare.differences`, or the exercise's `accept`; a price
   that must not be higher; what was left behind.
5. Nothing wrong: `_pass`, with a note where the price is that of a known waste. Else `_fail` takes the case that tells most, and
   looks for a known mistake that does the same in every case (`_recognise`). Its hint is certain only where its evidence is
   found in the source or in what was seen; else it is told as what usually causes this. The sentences are in `judging/words.py`.
6. `notebook/check.py` records the `Verdict` (`record.py`) and shows it (`showing/render.py`, whose words for an error are in
   `notebook/messages.py`).

Nothing is shown or recorded here: `check` does that for learners, the tests and the grader use `judge` as it is.
"""

from __future__ import annotations

import functools
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from minigrad.course.exercise import Exercise
from minigrad.course.judging.observed import Seen, looked_at, watch
from minigrad.course.judging.verdict import ERROR, KNOWN, NOT_ATTEMPTED, PASSED, WRONG, Judgement, Standard, Verdict

__all__ = ["ERROR", "KNOWN", "NOT_ATTEMPTED", "PASSED", "WRONG", "Seen", "Verdict"]
__all__ += ["judge", "judge_all", "judge_seen", "judged_by", "observe"]


def judge(exercise: Exercise, answer: Any, *, seed: int = 0, dtype: str = "float64", reference: str | None = None) -> Verdict:
    """The verdict on an answer. Raises only for a real Ctrl-C, and changes nothing outside."""
    return next(judge_all(exercise, [answer], seed=seed, dtype=dtype, reference=reference))


def judge_all(
    exercise: Exercise, answers: Iterable[Any], *, seed: int = 0, dtype: str = "float64", reference: str | None = None
) -> Iterator[Verdict]:
    """The verdicts on several answers, as `judge` gives them. What all are compared with runs only once."""
    model = None
    if reference is not None:
        from minigrad.course import bank  # only here: what runs an answer for the grader has no bank

        model = bank.exercises(exercise.chapter, reference)[exercise.id]
    yield from judged_by(Standard(exercise, seed, dtype, model), answers)


def judged_by(standard: Standard, answers: Iterable[Any]) -> Iterator[Verdict]:
    """The verdicts on several answers, by a standard that the caller goes on asking."""
    for answer in answers:
        yield _unless_it_fails(standard.exercise, standard.seed, functools.partial(Judgement(standard).of, answer))


def observe(exercise: Exercise, answer: Any, *, seed: int = 0, dtype: str = "float64") -> Seen:
    """What an answer does; nothing is judged. The grader calls this in the process that runs the answer."""
    seen = looked_at(exercise, answer)
    if seen.runs:
        watch(seen, exercise, answer, seed, dtype)
    return seen


def judge_seen(standard: Standard, seen: Seen, source: str | None = None) -> Verdict:
    """The verdict on what an answer did, wherever it ran, and on its source. Nothing of the answer runs here."""
    return _unless_it_fails(standard.exercise, standard.seed, lambda: Judgement(standard, source).of_seen(seen))


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
