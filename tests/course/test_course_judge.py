"""The judge, against answers of every kind: right, wrong, broken, endless, and hostile."""

from __future__ import annotations

import collections
import dataclasses
import os
import random
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import course_bank
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

import minigrad as mg
from minigrad.course.exercise import Case, Exercise, Mistake
from minigrad.course.judge import ERROR, KNOWN, NOT_ATTEMPTED, PASSED, WRONG, Verdict, judge, judge_all
from minigrad.course.judging.attempt import ends_of
from minigrad.course.judging.compare import unfit
from minigrad.course.judging.guard import MOST_PRINTED, guarded

matplotlib.use("Agg")
DOUBLE, PREDICT, SLOPE, ORDER = (course_bank.EXERCISES[f"90.{k}"] for k in (1, 2, 3, 4))  # type: ignore[attr-defined]


def everything(verdict: Verdict) -> str:
    return "\n".join([verdict.sentence, *verdict.details, verdict.hint, verdict.trace, *verdict.printed])


def right(draw: tuple[int, int] | None = None) -> dict[str, Any]:
    return course_bank.predict(draw or PREDICT.draw())


# -- right -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "answer",
    [
        lambda x, factor: x + x,
        lambda x, factor: (2 * x).numpy(),
        lambda x, factor: [2 * float(v) for v in x],
        lambda x, factor: [2 * v for v in x],
        lambda x, factor: (2 * x).float(),  # fewer digits, with a note
        lambda *arguments: 2 * arguments[0],
    ],
)
def test_values_count_and_not_the_type_that_holds_them(answer: Any) -> None:
    assert judge(DOUBLE, answer).outcome == PASSED


def test_what_is_expected_says_how_near_is_near() -> None:
    """Who gives fewer digits gets room for their rounding, and no more: a difference quotient would be right."""
    verdict = judge(DOUBLE, lambda x, factor: ((2 - 1e-5) * x).float())
    assert verdict.outcome == WRONG and "few digits" in everything(verdict)
    assert judge(DOUBLE, lambda x, factor: 2 * x.float(), dtype="float32").outcome == PASSED


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", range(4))
def test_the_reference_passes(dtype: str, seed: int) -> None:
    for exercise in (DOUBLE, SLOPE, ORDER):
        assert judge(exercise, exercise.reference, seed=seed, dtype=dtype).passed
    assert judge(PREDICT, right(PREDICT.draw(seed)), seed=seed).passed


def test_integers_pass_for_equal_floats_and_the_other_way_round() -> None:
    def three(x):
        """Three floats."""
        return mg.tensor([1.0, 2.0, 3.0])

    exercise = one_case(three, mg.tensor([0.0]))
    assert judge(exercise, lambda x: np.array([1, 2, 3])).passed
    assert judge(exercise, lambda x: (1, 2, 3)).passed
    assert not judge(exercise, lambda x: np.array([[1, 2, 3]])).passed


def test_a_wasteful_answer_passes_with_its_note() -> None:
    verdict = judge(SLOPE, course_bank.slope_twice)
    assert (verdict.outcome, verdict.hint) == (PASSED, "Right, but twice.")
    assert judge(SLOPE, lambda x: 2 * x.detach()).hint == ""  # another price is no known waste


def test_many_answers_may_be_right() -> None:
    assert judge(ORDER, lambda n: list(range(n))[::-1] if n >= 0 else course_bank.order(n)).passed
    assert "Here ValueError should be raised" in judge(ORDER, lambda n: print()).sentence
    verdict = judge(ORDER, lambda n: [1] if n >= 0 else course_bank.order(n))
    assert verdict.outcome == WRONG
    assert "These are not all numbers below n." in verdict.details


def test_an_error_that_the_reference_raises_too_is_right_in_other_words() -> None:
    def mine(n):
        if n < 0:
            raise ValueError("no")
        return list(range(n))

    assert judge(ORDER, mine).passed
    other = judge(ORDER, lambda n: course_bank.order(n) if n >= 0 else n + "")
    assert other.outcome == ERROR and other.sentence == "Your code raised TypeError. Here it should be ValueError."
    verdict = judge(ORDER, lambda n: list(range(n)))
    assert verdict.outcome == WRONG and "ValueError should be raised" in verdict.sentence


# -- several at once -------------------------------------------------------------------------------------------------


def prints_and_raises(x, factor):
    print("here")
    raise RuntimeError("four is too many")


@pytest.mark.full
def test_several_answers_are_judged_as_each_alone() -> None:
    forms = [m.answer for m in DOUBLE.mistakes.values()]
    answers = [*forms, endless, DOUBLE.reference, ..., 3, prints_and_raises, lambda x, factor: x, lambda x, factor: None, *forms[::-1]]
    for seed, dtype in ((0, "float64"), (1, "float32")):
        alone = [judge(DOUBLE, answer, seed=seed, dtype=dtype) for answer in answers]
        assert list(judge_all(DOUBLE, answers, seed=seed, dtype=dtype)) == alone
    assert len({verdict.outcome for verdict in alone}) == 5


def test_what_they_are_compared_with_runs_once_for_all_of_them() -> None:
    runs: collections.Counter[str] = collections.Counter()

    def counted(name: str, function: Any) -> Any:
        def run(x, factor=2):
            runs[name] += 1
            return function(x, factor)

        return run

    mistakes = {name: dataclasses.replace(m, answer=counted(name, m.answer)) for name, m in DOUBLE.mistakes.items()}
    more = {"reference": counted("reference", DOUBLE.reference), "starter": DOUBLE.starter_source()}
    exercise = dataclasses.replace(DOUBLE, mistakes=mistakes, **more)
    answers = [DOUBLE.reference, *course_bank.AGAIN.values(), lambda x, factor: x]
    assert [v.mistake for v in judge_all(exercise, answers)] == ["", *mistakes, ""]
    count = len(exercise.fresh_cases())
    assert runs.pop("reference") == count
    # Each runs through all cases once, where it is not told apart before; and through the first ones, to see whether it is.
    assert runs.keys() == mistakes.keys() and all(count <= runs[name] <= 2 * count for name in mistakes), (runs, count)
    runs.clear()
    assert next(judge_all(exercise, [DOUBLE.reference])).passed
    assert set(runs) == {"reference"}  # a mistake runs only when it is needed
    runs.clear()
    assert all(v.outcome == KNOWN for v in judge_all(exercise, [m.answer for m in mistakes.values()]))
    assert set(runs) == {"reference"}  # what answers did is put back; and no mistake ran again


def test_each_mistake_begins_as_in_a_new_kernel() -> None:
    def switches_off(x):
        mg.set_grad_enabled(False)
        return x.detach() * 9

    def half(x):
        return mg.autograd.grad((x * x / 2).sum(), x)[0]

    mistakes = {"off": Mistake(switches_off, "Off."), "half": Mistake(half, "Half.")}
    exercise = dataclasses.replace(SLOPE, mistakes=mistakes, observe=None)
    assert [v.mistake for v in judge_all(exercise, [half, switches_off])] == ["half", "off"]


# -- not attempted ---------------------------------------------------------------------------------------------------


def exec_starter(exercise: Exercise, change: tuple[str, str] = ("", "")) -> Any:
    space: dict[str, Any] = {"mg": mg, "np": np}
    exec(exercise.starter_source().replace(*change), space)  # no source to be found
    return space[exercise.name]


@pytest.mark.parametrize(
    "change", [("", ""), ("Twice", "Once"), ("    ...", "    # later\n    ..."), ("    ...", "    pass"), ("(x,", "(x, ")]
)
def test_the_starter_is_no_attempt_however_it_is_laid_out(change: tuple[str, str]) -> None:
    assert judge(DOUBLE, exec_starter(DOUBLE, change)).outcome == NOT_ATTEMPTED


def test_whatever_does_something_is_an_attempt() -> None:
    assert judge(DOUBLE, exec_starter(DOUBLE, ("    ...", "    return x"))).outcome != NOT_ATTEMPTED
    assert judge(DOUBLE, exec_starter(DOUBLE, ("    ...", "    print(x)"))).outcome == ERROR


@pytest.mark.parametrize("answer", [..., None, {"sum": ..., "pair": (..., ...), "name": ..., "shape": ...}])
def test_an_untouched_prediction_is_no_attempt(answer: Any) -> None:
    assert judge(PREDICT, answer).outcome == NOT_ATTEMPTED
    assert judge(DOUBLE, ...).outcome == NOT_ATTEMPTED


def test_the_starter_is_made_from_the_reference() -> None:
    assert DOUBLE.starter_source() == 'def double(x, factor=2):\n    """Twice x. x: a Tensor of shape (n,)."""\n    ...'
    assert (
        PREDICT.starter_source() == 'answers = {\n    "sum": ...,\n    "pair": ...,\n    "name": ...,\n    "shape": ...,\n}'
    )


# -- predictions -----------------------------------------------------------------------------------------------------


def test_a_size_is_a_tuple_in_a_prediction_and_a_list_is_none() -> None:
    a, b = PREDICT.draw()
    assert judge(PREDICT, right() | {"pair": [a > 0, None]}).outcome == judge(PREDICT, right() | {"shape": [a, b]}).outcome == WRONG
    assert judge(PREDICT, right() | {"pair": (a > 0, None), "shape": mg.zeros(a, b).shape, "sum": np.int64(a + b)}).passed


@pytest.mark.parametrize("wrong", [{"pair": (1, None)}, {"pair": ("True", None)}, {"name": "addbackward0"}, {"sum": True}])
def test_flags_and_names_are_exact(wrong: dict[str, Any]) -> None:
    assert judge(PREDICT, right() | wrong).outcome == WRONG


def test_open_entries_are_counted_and_name_no_mistake() -> None:
    verdict = judge(PREDICT, right() | {"sum": ..., "name": "Sub"})
    assert verdict.outcome == WRONG
    assert verdict.sentence == "2 of 4 are right."
    assert verdict.details == ["Still open: sum.", "The first that is wrong: name. You wrote 'Sub'."]


def test_a_belief_is_named_though_entries_before_it_are_open() -> None:
    assert judge(PREDICT, right() | {"sum": ..., "name": "Mul"}).mistake == "product, and no name"


def test_missing_and_unknown_entries_are_named() -> None:
    answer = {key: value for key, value in right().items() if key != "sum"} | {"summ": 3}
    verdict = judge(PREDICT, answer)
    assert verdict.outcome == WRONG
    assert "The first that is wrong: sum. It is missing." in verdict.details
    assert "Not asked for: summ." in verdict.details


def test_the_belief_that_explains_most_is_named_and_the_right_value_is_not() -> None:
    a, b = PREDICT.draw()
    assert judge(PREDICT, right() | {"sum": a * b}).mistake == "product"
    assert judge(PREDICT, right() | {"sum": a * b, "name": "Mul"}).mistake == "product, and no name"
    assert judge(PREDICT, right() | {"sum": a * b, "name": "Sub"}).mistake == "product"
    assert str(a + b) not in everything(judge(PREDICT, right() | {"sum": -1}))


def test_a_prediction_for_another_draw_fails() -> None:
    assert PREDICT.draw(1) != PREDICT.draw(0)
    assert not judge(PREDICT, right(), seed=1).passed


# -- wrong -----------------------------------------------------------------------------------------------------------


def one_case(reference: Any, *args: Any, **options: Any) -> Exercise:
    defaults: dict[str, Any] = {
        "id": "91.1", "title": "One case", "difficulty": 1, "minutes": 1, "hints": course_bank.HINTS, "explanation": "so",
        "cases": lambda rng, dtype: [Case("the case", args)], "time_limit": 1.0,
    }  # fmt: skip
    return Exercise(reference=reference, space={"mg": mg}, **(defaults | options))


def test_a_wrong_value_is_shown_with_its_case_input_and_difference() -> None:
    def plus(x, y):
        """The sum."""
        return x + y

    exercise = one_case(plus, mg.tensor([1.0, 2.0, 3.0]), 2)
    verdict = judge(exercise, lambda x, y: x + y + mg.tensor([0.0, 0.25, 0.0]))
    assert verdict.outcome == WRONG
    assert verdict.details == [
        "The first case that goes wrong: the case",
        "Input: x = [1, 2, 3], y = 2",
        "got [3, 4.25, 5], expected [3, 4, 5]; largest difference 0.25",
    ]


def test_numbers_that_look_alike_are_told_apart() -> None:
    def slope(x):
        """The slope of the square."""
        return 2 * x

    verdict = judge(one_case(slope, 6.5), lambda x: ((x + 1e-5) ** 2 - x**2) / 1e-5)
    assert verdict.outcome == WRONG
    assert verdict.details[-1] == (
        "got 13, expected 13; largest difference 1e-05: a difference quotient, few digits, or a slip of small effect leave so little"
    )


def test_where_what_is_shown_looks_alike_the_place_that_differs_is_told() -> None:
    def long(x):
        """Many numbers."""
        return np.full((4, 6), x)

    def wrong_in_the_middle(x):
        numbers = long(x)
        numbers[2, 3] += 0.25
        return numbers

    verdict = judge(one_case(long, 0.5), wrong_in_the_middle)
    assert verdict.details[-1] == "at [2, 3] got 0.75, expected 0.5; largest difference 0.25"


@pytest.mark.parametrize("seen", ["returns", "x.grad afterwards", "a list"])
def test_only_a_return_can_be_forgotten(seen: str) -> None:
    def plus(x):
        """One more."""
        return x + 1

    def observe(answer: Any, x: Any) -> Any:
        return {seen: [answer(x)] if seen == "a list" else answer(x)}

    def forgets(x):
        x = x + 1

    verdict = judge(one_case(plus, 1.0, observe=observe), forgets)
    assert not verdict.passed
    assert ("Did you forget `return`?" in verdict.sentence) is (seen == "returns")


def test_shapes_come_first() -> None:
    verdict = judge(DOUBLE, lambda x, factor: (x * 2).reshape(-1, 1))
    assert verdict.details[-1] == "got shape (3, 1), expected shape (3,)"


def test_the_first_failing_case_is_shown() -> None:
    assert judge(DOUBLE, lambda x, factor: x * 2 if len(x) == 3 else x).case == "4 numbers"


def test_a_small_error_is_seen_in_float64_and_allowed_in_float32() -> None:
    assert not judge(DOUBLE, lambda x, factor: 2 * x + 1e-7).passed
    assert judge(DOUBLE, lambda x, factor: 2 * x + 1e-7, dtype="float32").passed
    assert not judge(DOUBLE, lambda x, factor: 2 * x + 1e-2, dtype="float32").passed


def test_nan_and_infinity_are_values() -> None:
    def edge(x):
        """Edges."""
        return mg.tensor([float("nan"), float("inf"), -float("inf"), 1.0])

    exercise = one_case(edge, 1.0)
    assert judge(exercise, lambda x: [np.nan, np.inf, -np.inf, 1.0]).passed
    assert not judge(exercise, lambda x: [np.nan, np.inf, np.inf, 1.0]).passed
    assert not judge(exercise, lambda x: [0.0, np.inf, -np.inf, 1.0]).passed


def test_the_dtype_counts_where_the_exercise_says_so() -> None:
    def same(x):
        """x."""
        return x

    strict = one_case(same, mg.tensor([1.0]), compare_dtype=True)
    assert not judge(strict, lambda x: x.double()).passed
    assert "float64, expected float32" in everything(judge(strict, lambda x: x.double()))
    assert judge(one_case(same, mg.tensor([1.0])), lambda x: x.double()).passed


def test_a_known_mistake_is_recognised_however_it_is_written() -> None:
    for answer in (lambda x, factor: x**2, lambda x, factor: (x.numpy() * x.numpy()).tolist()):
        verdict = judge(DOUBLE, answer)
        assert (verdict.outcome, verdict.mistake) == (KNOWN, "square")
        assert "**square**" in verdict.hint


def test_a_mistake_that_raises_is_recognised_by_where_and_what_it_raises() -> None:
    def mine(x, factor):
        if x.shape[0] > 3:
            raise RuntimeError("four is too many")
        return x + x

    verdict = judge(DOUBLE, mine)
    assert (verdict.outcome, verdict.mistake) == (KNOWN, "four")
    assert "four is too many" in verdict.trace

    def other(x, factor):
        if x.shape[0] > 3:
            raise RuntimeError("the kettle boils over")
        return x + x

    assert judge(DOUBLE, other).outcome == ERROR


def test_an_answer_that_agrees_with_a_mistake_on_some_cases_only_is_not_it() -> None:
    assert judge(DOUBLE, lambda x, factor: x * x if len(x) == 3 else x * 5).outcome == WRONG


def test_a_changed_input_is_reported_unless_it_is_allowed() -> None:
    def zeroing(x, factor):
        result = 2 * x
        x.zero_()
        return result

    verdict = judge(DOUBLE, zeroing)
    assert (verdict.outcome, verdict.sentence) == (WRONG, "Your function changed its input `x`. Leave it as it was.")

    def tracking(x, factor):
        x.requires_grad_()
        return 2 * x

    assert "changed its input" in judge(DOUBLE, tracking).sentence

    def total(a):
        """The sum of an array."""
        return a.sum()

    def emptying(a):
        s = a.sum()
        a[:] = 0
        return s

    def cases(rng: Any, dtype: Any) -> list[Case]:
        return [Case("the case", (rng.normal(size=3),))]

    assert "changed its input" in judge(one_case(total, cases=cases), emptying).sentence
    allowed = {"may_change_inputs": True, "without": {"values": "this answer may empty its input"}}
    assert judge(one_case(total, cases=cases, **allowed), emptying).passed


def test_the_inputs_are_shown_as_they_were_given() -> None:
    def spoil(x, factor):
        x.fill_(99.0)
        return x

    verdict = judge(DOUBLE, spoil)
    assert "99" not in verdict.details[1]
    assert "Besides, your function changed its input `x`." in verdict.details


def unequal_keys(answer: Any, x: Any) -> Any:
    came = answer(x)
    if not isinstance(came, list):
        return unfit(came, "a list")
    return {"the sum": sum(came)} if came else {"empty": True}


def test_the_checkers_own_words_are_not_shown() -> None:
    def listed(x):
        """A list."""
        return [x, x]

    exercise = one_case(listed, 1, observe=unequal_keys)
    assert judge(exercise, lambda x: [2 * x]).passed
    assert judge(exercise, lambda x: []).details == ["The first case that goes wrong: the case", "Input: x = 1"]
    nothing, number = judge(exercise, lambda x: print()), judge(exercise, lambda x: x)
    assert (nothing.outcome, nothing.sentence) == (ERROR, "`listed` returned None. What stands after its `return` was None.")
    assert (number.outcome, number.sentence) == (WRONG, "`listed` returned an int. What is wanted is a list.")


def test_where_many_answers_are_right_none_is_given_away() -> None:
    verdict = judge(ORDER, lambda n: [41] if n >= 0 else course_bank.order(n))
    assert "expected" not in everything(verdict) and "41" not in everything(verdict)


def test_a_prediction_with_one_entry_too_many_says_so() -> None:
    verdict = judge(PREDICT, right() | {"mean": 3})
    assert verdict.sentence == "4 of 4 are right, but there is more than was asked for."
    assert verdict.details == ["Not asked for: mean."]


# -- errors ----------------------------------------------------------------------------------------------------------


def forgets_return(x, factor):
    x = factor * x


def returns_early(x, factor):
    if factor:
        return
    x = factor * x


def returns_sometimes(x, factor):
    if not factor:
        return x


def returns_what_is_none(x, factor):
    return mg.tensor(x).grad


def test_of_a_class_it_is_asked_whether_all_functions_end_alike() -> None:
    class Both:
        bare = staticmethod(forgets_return)
        valued = staticmethod(returns_what_is_none)

    assert ends_of(Both) == "both"
    del Both.bare
    assert ends_of(Both) == "valued"


@pytest.mark.parametrize(
    ("answer", "fragment"),
    [
        (3.0, "`double` must be a function; it is a value of type float"),
        (None, "must be a function"),
        (lambda: 1, "must take these arguments: `double(x, factor=2)`"),
        (lambda a, b, c: 1, "must take these arguments"),
        (forgets_return, "`double` returned None. Did you forget `return`?"),
        (returns_early, "`double` returned None. Did you forget `return`?"),
        (returns_sometimes, "`double` returned None. Either it came to its end without a `return`, or"),
        (returns_what_is_none, "`double` returned None. What stands after its `return` was None."),
        (lambda x, factor: x / "a", "raised TypeError"),
        (lambda x, factor: undefined, "raised NameError"),  # noqa: F821
    ],
)
def test_what_cannot_be_judged_is_an_error(answer: Any, fragment: str) -> None:
    verdict = judge(DOUBLE, answer)
    assert verdict.outcome == ERROR
    assert fragment in verdict.sentence


def test_a_prediction_that_is_no_dict_is_an_error() -> None:
    assert judge(PREDICT, [1, 2]).outcome == ERROR
    assert "must be a dict" in judge(PREDICT, [1, 2]).sentence


def raising(error: BaseException) -> Any:
    def answer(x, factor):
        raise error

    return answer


@pytest.mark.parametrize(
    "error", [SystemExit(3), KeyboardInterrupt(), GeneratorExit(), MemoryError(), StopIteration(), ZeroDivisionError("by 0")]
)
def test_whatever_an_answer_raises_is_reported(error: BaseException) -> None:
    verdict = judge(DOUBLE, raising(error))
    assert verdict.outcome == ERROR
    assert verdict.sentence == f"Your code raised {type(error).__name__}."


def test_the_traceback_has_the_learners_frames_the_message_and_the_notes() -> None:
    def helper(x):
        return mg.tensor([1.0, 2.0]) + mg.tensor([1.0, 2.0, 3.0])

    def answer(x, factor):
        return helper(x)

    verdict = judge(DOUBLE, answer)
    lines = verdict.trace.splitlines()
    assert [line.partition(":")[0].partition(", in ")[2] for line in lines[:2]] == ["answer", "helper"]
    assert "return helper(x)" in lines[0]
    assert lines[2].startswith("RuntimeError: The size of tensor")
    noted = ValueError("bad")
    noted.add_note("look there")
    assert judge(DOUBLE, raising(noted)).trace.splitlines()[-1] == "look there"


def test_a_deep_recursion_is_reported_in_a_few_lines() -> None:
    def deeper(x, factor):
        return deeper(x, factor)

    verdict = judge(DOUBLE, deeper)
    assert verdict.sentence == "Your code raised RecursionError."
    assert len(verdict.trace.splitlines()) <= 6


class Twice(mg.autograd.Function):
    """The engine gives it a member that refers back to it."""

    @staticmethod
    def forward(ctx, x):
        """Twice x."""
        return 2 * x


def test_an_answer_may_be_a_function_with_its_own_backward() -> None:
    class Thrice(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return 3 * x

    exercise = Exercise(
        id="90.9",
        title="Twice",
        difficulty=1,
        minutes=1,
        reference=Twice,
        starter="class Twice(mg.autograd.Function):\n    @staticmethod\n    def forward(ctx, x): ...",
        cases=lambda rng, dtype: [Case("3 numbers", (mg.tensor(rng.normal(size=3), dtype=dtype),))],
        observe=lambda answer, x: answer.apply(x),
        hints=("think", "look", "write"),
        explanation="Because.",
        space={"mg": mg},
    )
    starter: dict[str, Any] = {"mg": mg}
    exec(exercise.starter_source(), starter)
    outcomes = [judge(exercise, answer).outcome for answer in (Twice, Thrice, starter["Twice"])]
    assert outcomes == [PASSED, WRONG, NOT_ATTEMPTED]


class Unprintable:
    def __repr__(self) -> str:
        raise RuntimeError("no repr")

    __str__ = __repr__
    __eq__ = __repr__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class BadError(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Endless:
    def __repr__(self) -> str:
        while True:
            time.sleep(0.01)


def self_containing(x, factor):
    result: list[Any] = []
    result.append(result)
    return result


@pytest.mark.parametrize(
    "answer",
    [
        lambda x, factor: Unprintable(),
        lambda x, factor: {"a": Unprintable()},
        lambda x, factor: np.array([Unprintable()], dtype=object),
        lambda x, factor: np.array(["a", "b"]),
        lambda x, factor: Endless(),
        lambda x, factor: (yield x),
        lambda x, factor: [[1, 2], [3]],
        lambda x, factor: 10**400,
        lambda x, factor: "a" * 10**6,
        lambda x, factor: {1, 2},
        lambda x, factor: type,
        lambda x, factor: [],
        lambda x, factor: mg.zeros(0),
        lambda x, factor: mg.zeros(3, dtype=mg.complex64),
        lambda x, factor: 1j,
        self_containing,
        raising(BadError()),
        type("Callable", (), {"__call__": lambda self, x, factor: x})(),
        print,
        dict,
        Unprintable,
    ],
)
def test_nothing_that_an_answer_returns_breaks_the_judge(answer: Any) -> None:
    verdict = judge(DOUBLE, answer)
    assert verdict.outcome in (ERROR, WRONG)
    assert "checker itself" not in verdict.sentence
    assert len(everything(verdict)) < 2000


def test_a_dict_of_hostile_predictions_does_not_break_the_judge() -> None:
    for value in (Unprintable(), Endless(), float("nan"), [..., Unprintable()], mg.zeros(2), lambda: 0, print):
        assert judge(one_slow(PREDICT), right() | {"sum": value}).outcome in (ERROR, WRONG)


def one_slow(exercise: Exercise) -> Exercise:
    exercise.time_limit = 0.5
    return exercise


def test_a_fault_of_the_bank_is_not_blamed_on_the_learner() -> None:
    def broken(rng: Any, dtype: Any) -> list[Case]:
        raise KeyError("oops")

    verdict = judge(one_case(course_bank.double, cases=broken), lambda x, factor: x)
    assert verdict.outcome == ERROR
    assert "not your mistake" in verdict.sentence and "oops" in verdict.trace


# -- endless ---------------------------------------------------------------------------------------------------------


def endless(x, factor):
    while True:
        pass


def endless_and_stubborn(x, factor):
    while True:
        try:  # noqa: SIM105
            time.sleep(0.01)
        except BaseException:
            pass


@pytest.mark.parametrize("text", ["y", "a/", "ipykernel_1", "shape (3,) "])
def test_a_long_message_is_looked_through_once(text: str) -> None:
    """Looked through again from each of its letters, it would take longer than an answer may."""

    def long_story(x, factor):
        raise ValueError(text * (200_000 // len(text)))

    assert judge(DOUBLE, long_story).sentence == "Your code raised ValueError."


def endless_printing(x, factor):
    while True:
        print("again")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("answer", [endless, endless_and_stubborn, endless_printing])
def test_an_endless_answer_is_stopped(answer: Any) -> None:
    begin = time.monotonic()
    verdict = judge(DOUBLE, answer)
    assert time.monotonic() - begin < 8
    assert verdict.outcome == ERROR
    assert "took longer than 1 second and" in verdict.sentence
    assert "cannot be stopped" in verdict.sentence  # a call into C
    assert verdict.case == "3 numbers"
    assert len(verdict.printed) <= 5


@pytest.mark.full
def test_a_mistake_that_never_ends_is_recognised_in_the_end() -> None:
    exercise = one_case(
        course_bank.double,
        cases=course_bank.double_cases,
        mistakes={"loop": course_bank.Mistake(endless, "No loop.")},
        time_limit=0.3,
    )
    assert judge(exercise, endless_and_stubborn).mistake == "loop"


@pytest.mark.skipif(sys.platform == "win32", reason="no signals")
def test_a_real_interrupt_gets_through(tmp_path: Path) -> None:
    """Also through an answer that catches everything; and the state is put back on the way."""
    script = f"""
import os, signal, sys, threading, time
sys.path.insert(0, {str(Path(__file__).parent)!r})
from test_course_judge import DOUBLE, endless_and_stubborn, judge
DOUBLE.time_limit = 30
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets its background jobs ignore it
folder, out = os.getcwd(), sys.stdout
def answer(x, factor):
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
    endless_and_stubborn(x, factor)
try:
    judge(DOUBLE, answer)
except KeyboardInterrupt:
    assert os.getcwd() == folder and sys.stdout is out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    print("interrupted")
"""
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
    assert run.stdout.strip() == "interrupted", run.stderr


# -- nothing left behind ---------------------------------------------------------------------------------------------

WEIGHTS = mg.tensor([1.0, 2.0], requires_grad=True)
GENERATOR = np.random.default_rng(0)
UNUSED = mg.tensor([1.0, 2.0], requires_grad=True)
LIST, DICT, ARRAY, COUNT = [1, 2], {"a": 1}, np.arange(4.0), 0


def vandal(x, factor):
    """Changes everything that it can reach."""
    global COUNT
    COUNT += 1
    LIST.append(3)
    DICT["b"] = 2
    ARRAY[:] = GENERATOR.normal(size=4)
    (WEIGHTS * 3 + UNUSED).sum().backward()
    with mg.no_grad():
        WEIGHTS.mul_(5)
    mg.set_grad_enabled(False)
    mg.set_default_dtype(mg.float64)
    mg.set_printoptions(precision=1)
    mg.manual_seed(5)
    np.random.seed(5)
    random.seed(5)
    np.seterr(all="raise")
    np.set_printoptions(precision=1)
    warnings.simplefilter("error")
    os.chdir("/")
    sys.stdout = sys.stderr = None  # type: ignore[assignment]
    sys.setrecursionlimit(500)
    plt.figure()
    plt.figure(7)
    return 2 * x.detach()


def state_of_the_world() -> dict[str, Any]:
    assert WEIGHTS.grad is not None
    return {
        "variables": (COUNT, list(LIST), dict(DICT), ARRAY.tolist()),
        "tensor": (WEIGHTS.tolist(), WEIGHTS.grad.tolist(), WEIGHTS.requires_grad, WEIGHTS.is_leaf),
        "another tensor": UNUSED.grad,
        "modes": (mg.is_grad_enabled(), mg.get_default_dtype()),
        "options": (repr(mg.tensor([1.23456])), str(np.array([1.23456]))),
        "generator": repr(GENERATOR.bit_generator.state),
        "random": (mg.rand(2).tolist(), np.random.get_state()[1].tolist(), random.getstate()),
        "warnings": (np.geterr(), list(warnings.filters)),
        "process": (os.getcwd(), sys.stdout, sys.stderr, sys.getrecursionlimit(), sys.gettrace()),
        "figures": (plt.get_fignums(), plt.gcf().number),
    }


@pytest.mark.sampled(3)
@pytest.mark.parametrize("end", ["returns", "raises", "runs out of time"])
def test_nothing_is_left_behind(end: str) -> None:
    def answer(x, factor):
        result = vandal(x, factor)
        if end == "raises":
            raise SystemExit
        while end == "runs out of time":
            time.sleep(0.01)
        return result

    plt.close("all")
    plt.figure(3)
    plt.figure(7)
    plt.figure(3)
    WEIGHTS.grad = mg.tensor([0.5, 0.25])
    mg.manual_seed(1)
    with np.errstate(divide="raise", over="print"):
        before = state_of_the_world()
        mg.manual_seed(1)
        # The first figure of a process takes a second on some machines.
        verdict = judge(dataclasses.replace(DOUBLE, time_limit=1 if end == "runs out of time" else 60), answer)
        after = state_of_the_world()
    assert after == before
    assert verdict.outcome == (WRONG if end == "returns" else ERROR)
    plt.close("all")


def test_a_check_begins_with_the_modes_of_a_new_kernel() -> None:
    def made(x):
        """Two ones."""
        return mg.ones(2)

    with mg.no_grad():
        assert judge(SLOPE, lambda x: 2 * x.detach()).passed  # the reference has its gradient
        assert not mg.is_grad_enabled()
    mg.set_default_dtype(mg.float64)
    try:
        assert judge(one_case(made, 1, compare_dtype=True), lambda x: np.ones(2, np.float32)).passed
        assert mg.get_default_dtype() is mg.float64
    finally:
        mg.set_default_dtype(mg.float32)


def test_an_answer_that_reaches_a_namespace_of_exec_leaves_the_builtins_alone() -> None:
    space: dict[str, Any] = {}
    exec("def twice(x):\n    return 2 * x", space)
    assert judge(DOUBLE, lambda x, factor: space["twice"](x)).passed


def test_an_endless_flood_of_text_is_not_kept() -> None:
    with guarded() as printed:
        print("x" * 10**6)
        print("y" * 10**6)
    assert printed.getvalue() == "x" * MOST_PRINTED


def test_what_an_answer_prints_is_shown_in_a_few_lines(capsys: pytest.CaptureFixture[str]) -> None:
    def chatty(x, factor):
        for k in range(100):
            print("line", k)
        return 2 * x

    verdict = judge(DOUBLE, chatty)
    assert verdict.passed
    assert verdict.printed == [f"line {k}" for k in range(5)]
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("draw", [lambda: mg.rand(()).item(), np.random.random, random.random], ids=["minigrad", "numpy", "python"])
def test_an_answer_that_draws_gets_the_same_verdict_every_time(draw: Callable[[], float]) -> None:
    """And other numbers with another seed, so that luck with one is none with the next."""
    drawn: collections.deque[float] = collections.deque()  # lists and dictionaries of the learner's are put back

    def lucky(x, factor):
        drawn.append(draw())
        return factor * x if drawn[-1] < 0.5 else x

    def once(seed: int) -> tuple[Verdict, list[float]]:
        drawn.clear()
        draw()  # what is drawn between two checks does not matter
        return judge(DOUBLE, lucky, seed=seed), list(drawn)

    assert once(1) == once(1)
    assert once(1)[1] != once(2**40)[1]


@pytest.mark.full
def test_verdicts_are_the_same_every_time() -> None:
    for answer in (
        lambda x, factor: object(),
        lambda x, factor: print(x) or x,
        lambda x, factor: [lambda: 0],
        endless,
        vandal,
    ):
        exercise = DOUBLE if answer is endless else dataclasses.replace(DOUBLE, time_limit=20.0)  # figures take their time
        first, second = judge(exercise, answer), judge(exercise, answer)
        assert first == second
        assert " at 0x" not in everything(first)


# -- another oracle --------------------------------------------------------------------------------------------------


@pytest.mark.torch
def test_a_reference_of_another_library_speaks_as_minigrad() -> None:
    import torch

    from minigrad.course.judging.compare import differences, freeze

    theirs = freeze({"dtype": str(torch.float32), "x": torch.ones(2, requires_grad=True), "shape": torch.Size([2])}, "torch")
    ours = freeze({"dtype": str(mg.float32), "x": mg.ones(2), "shape": (2,)})
    assert not differences(ours, theirs, 1e-9)


def test_nobody_is_judged_by_a_reference_that_did_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A reference cut off by a time limit would leave nothing to compare with, and everything would pass."""

    def slow(x: Any, factor: int = 2) -> Any:
        while True:
            pass

    monkeypatch.setattr("minigrad.course.judging.verdict.REFERENCE_LIMIT", 0.2)
    verdict = judge(dataclasses.replace(DOUBLE, reference=slow, name="double", starter="def double(x): ..."), lambda x, factor: x)
    assert verdict.outcome == ERROR
    assert "The checker itself failed" in verdict.sentence
