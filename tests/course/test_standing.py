"""What is observed of every answer: that it leaves things as they were, keeps what it returned, and can be asked again."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest
import spellings

import minigrad as mg
from minigrad.course import bank
from minigrad.course.exercise import AGAIN, EDGES, GRAD, STATES, Case, Exercise, Mistake
from minigrad.course.judge import ERROR, KNOWN, PASSED, WRONG, judge
from minigrad.course.judging import standing
from minigrad.course.showing.render import verdict_html, verdict_line, verdict_text

EXERCISES = {e.id: e for chapter in bank.chapters() for e in bank.exercises(chapter).values()}
FUNCTIONS = [e for e in EXERCISES.values() if not e.is_value and not e.names_a_file]


def leaf(rng: np.random.Generator, dtype: Any, *shape: int) -> Any:
    t = mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=True)
    t.grad = mg.ones(*shape, dtype=dtype)
    return t


def triple(x, others):
    """Three times x. x: a Tensor; others: a list of Tensors."""
    return 3 * x.detach()


def exercise(**changes: Any) -> Exercise:
    options: dict[str, Any] = {
        "id": "96.1", "title": "Triple", "difficulty": 1, "minutes": 1, "reference": triple, "hints": ("a", "b", "c"),
        "explanation": "e", "may_change_inputs": True, "space": {"mg": mg},
        "cases": lambda rng, dtype: [Case(f"{n} numbers", (leaf(rng, dtype, n), [leaf(rng, dtype, 2)])) for n in (2, 3)],
    }  # fmt: skip
    return Exercise(**(options | changes))


def writes_and_puts_back(x, others):
    with mg.no_grad():
        x += 1
        x -= 1
    return 3 * x.detach()


def moves(x, others):
    with mg.no_grad():
        x += 1
    return 3 * (x.detach() - 1)


def puts_a_copy(x, others):
    x.grad = x.grad.clone()
    return 3 * x.detach()


def clears_behind(x, others):
    others[0].grad = None
    return 3 * x.detach()


def freezes(x, others):
    others[0].requires_grad_(False)
    return 3 * x.detach()


def shortens(x, others):
    others.pop()
    return 3 * x.detach()


def records_no_more(x, others):
    mg.set_grad_enabled(False)
    return 3 * x.detach()


def sets_a_seed(x, others):
    np.random.seed(1)
    return 3 * x.detach()


def sets_the_library_s_seed(x, others):
    mg.manual_seed(1)
    return 3 * x.detach()


def in_fewer_digits(x, others):
    return (3 * x.detach()).float()


BUFFER: dict[int, Any] = {}


def into_one_buffer(x, others):
    kept = BUFFER.setdefault(len(x), mg.zeros(len(x), dtype=mg.float64))
    kept[:] = 3 * x.detach()
    return kept


CACHE: dict[int, Any] = {}


def from_the_first_time(x, others):
    return CACHE.setdefault(len(x), 3 * x.detach())


def in_float64_only(x, others):
    return 3 * x.detach() if x.dtype == mg.float64 else x


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (writes_and_puts_back, "wrote to its input `x`, and put the numbers back"),
        (puts_a_copy, "changed its input `x.grad`"),
        (clears_behind, "changed its input `others[0].grad`"),
        (freezes, "changed its input `others[0].requires_grad`"),
        (shortens, "changed its input `others`"),
        (records_no_more, "changed the grad mode"),
        (sets_a_seed, "changed the seed of NumPy's random numbers"),
        (sets_the_library_s_seed, "changed the seed of the random numbers"),
        (into_one_buffer, "changed its numbers when something else was computed later"),
    ],
)
def test_what_a_call_does_besides_is_said(answer: Any, words: str) -> None:
    verdict = judge(exercise(), answer)
    assert verdict.outcome == WRONG and words in verdict.sentence, verdict
    assert judge(exercise(), triple).outcome == PASSED


class Tripler:
    def of(self, x):
        return 3 * x.detach()


class Seeder(Tripler):
    def of(self, x):
        mg.manual_seed(1)
        return super().of(x)


class Silencer(Tripler):
    def of(self, x):
        mg.set_grad_enabled(False)
        return super().of(x)


@pytest.mark.parametrize(("answer", "words"), [(Seeder, "the seed of the random numbers"), (Silencer, "the grad mode")])
def test_a_class_leaves_modes_and_seeds_as_they_are(answer: Any, words: str) -> None:
    options: dict[str, Any] = {
        "reference": Tripler, "name": "Tripler", "starter": "class Tripler: ...",
        "observe": lambda cls, x, others: {"returns": cls().of(x)},
    }  # fmt: skip
    verdict = judge(exercise(**options), answer)
    assert verdict.outcome == WRONG and f"changed {words}" in verdict.sentence, verdict
    assert judge(exercise(**options), Tripler).passed
    assert judge(exercise(**options, without={STATES: "for this test"}), answer).passed


@pytest.mark.parametrize("answer", [from_the_first_time, in_float64_only])
def test_every_answer_is_asked_again_with_other_numbers_in_the_other_dtype(answer: Any) -> None:
    CACHE.clear()
    verdict = judge(exercise(), answer)
    assert verdict.outcome == WRONG and verdict.case == "2 numbers (called again, with float32 numbers)"
    CACHE.clear()
    assert judge(exercise(without={AGAIN: "for this test"}), answer).passed


def test_lost_digits_are_noted_and_refused_where_the_dtype_is_a_must() -> None:
    noted = judge(exercise(), in_fewer_digits)
    assert noted.passed and "float32" in noted.hint
    refused = judge(exercise(musts={"dtype": "it must have the dtype of x."}), in_fewer_digits)
    assert refused.outcome == WRONG and "it must have the dtype of x" in refused.sentence


def test_drawing_numbers_is_not_setting_a_seed() -> None:
    def draws(x, others):
        np.random.normal(size=5000)
        mg.randn(2000)
        return 3 * x.detach()

    assert judge(exercise(), draws).passed


def test_what_the_reference_does_too_is_no_fault() -> None:
    starter = "def triple(x, others):\n    ..."
    assert judge(exercise(reference=puts_a_copy, name="triple", starter=starter), puts_a_copy).passed
    assert judge(exercise(reference=moves, name="triple", starter=starter), writes_and_puts_back).passed


def test_an_observation_can_be_left_out_with_a_reason() -> None:
    assert judge(exercise(without={GRAD: "for this test"}), puts_a_copy).passed
    with pytest.raises(ValueError, match="no standing observation"):
        exercise(without={"colour": "x"})


def test_edge_cases_stand_with_their_part_and_come_a_second_time() -> None:
    def some(rng: np.random.Generator, dtype: Any) -> list[Case]:
        return [Case("a: one", (1,)), Case("b: one", (2,))]

    made = exercise(cases=some, edges=lambda rng, dtype: [Case("a: none", (0,)), Case("c", (3,))])
    assert [(c.label, c.edge, c.dtype) for c in made.fresh_cases()] == [
        (label, edge, dtype)
        for dtype in ("", "float32")
        for label, edge in (("a: one", False), ("a: none", True), ("b: one", False), ("c", True))
    ]


def test_a_price_that_is_asked_for_must_be_kept_and_any_other_is_noted() -> None:
    def watch(answer: Any, x: Any, others: Any) -> Any:
        calls: list[int] = []
        return {"returns": answer(x, [lambda: calls.append(1)]), "cost_calls": len(calls)}

    def twice(x, others):
        others[0]()
        others[0]()
        return 3 * x.detach()

    def once(x, others):
        others[0]()
        return 3 * x.detach()

    def thrice(x, others):
        twice(x, others)
        return once(x, others)

    options = {"observe": watch, "reference": once, "name": "once", "starter": "def once(x, others):\n    ..."}
    free = exercise(**options, wasteful={"twice": Mistake(twice, "Once is enough.")})
    assert judge(free, twice).hint == "Once is enough."
    noted = judge(free, thrice)
    assert noted.passed and noted.sentence == "Right, with a note." and "what the checker counts" in noted.hint
    must = exercise(**options, musts={"cost_calls": "it must be called once."}, wasteful={"twice": Mistake(twice, "Once is enough.")})
    assert judge(must, once).passed
    refused = judge(must, twice)
    assert (refused.outcome, refused.hint, refused.sentence) == (KNOWN, "Once is enough.", ""), "it is not told twice"
    refused = judge(must, thrice)
    assert refused.outcome == WRONG and "it must be called once" in refused.sentence


def test_a_diagnosis_is_shown_only_where_its_evidence_is() -> None:
    def slip(x, others):
        return 2 * x.detach()

    def other_way(x, others):
        return x.detach() + x.detach()

    def mistakes(evidence: Any) -> dict[str, Mistake]:
        return {"two": Mistake(slip, "You wrote 2.", evidence=evidence)}

    shown = exercise(mistakes=mistakes(lambda source, results: "2 *" in source))
    assert (judge(shown, slip).outcome, judge(shown, slip).certain) == (KNOWN, True)
    assert judge(shown, other_way).outcome == WRONG
    guess = judge(exercise(mistakes=mistakes(None)), other_way)
    assert (guess.outcome, guess.certain) == (KNOWN, False)
    certain = judge(shown, slip)
    for show in (verdict_text, verdict_line, verdict_html):
        assert "usually causes" in show(guess, "Triple") and "usually causes" not in show(certain, "Triple")


def test_what_a_call_does_besides_is_told_from_what_another_one_does() -> None:
    freezing = exercise(mistakes={"frozen": Mistake(freezes, "You froze it.")})
    assert judge(freezing, freezes).outcome == KNOWN
    assert judge(freezing, sets_a_seed).outcome == WRONG


def test_a_diagnosis_agrees_with_an_answer_also_where_that_comes_to_an_end() -> None:
    def refuses_two(x, others):
        if len(x) == 2:
            raise ValueError("two")
        return 3 * x.detach()

    def refuses_two_and_is_wrong(x, others):
        return 2 * refuses_two(x, others)

    three = exercise(mistakes={"two": Mistake(refuses_two, "You refuse two.")})
    assert judge(three, refuses_two).outcome == KNOWN
    assert judge(three, refuses_two_and_is_wrong).outcome == ERROR


@pytest.mark.sampled(4)
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.id)
def test_every_function_exercise_has_edge_cases_and_a_second_call_or_says_why_not(exercise: Exercise) -> None:
    assert (exercise.edges is None) == (EDGES in exercise.without)
    assert all(len(reason.split()) > 3 for reason in exercise.without.values()), "a reason is a sentence"
    labels = [case.title for case in exercise.fresh_cases()]
    assert len(labels) == len(set(labels)) or exercise.id in ("02.5",)
    assert any(case.dtype for case in exercise.fresh_cases()) == (AGAIN not in exercise.without)
    if exercise.edges is not None:
        assert any(case.edge for case in exercise.fresh_cases())


@pytest.mark.sampled(30, weekly=5)
@pytest.mark.parametrize("exercise", FUNCTIONS, ids=lambda e: e.id)
def test_evidence_is_found_in_the_mistake_s_own_forms(exercise: Exercise) -> None:
    """And a verdict that is certain has looked for it."""
    for name, mistake in exercise.mistakes.items():
        for form in (mistake.answer, spellings.again(exercise).get(name)):
            if mistake.evidence is not None and form is not None:
                verdict = judge(exercise, form)
                assert (verdict.mistake, verdict.certain) == (name, True)
                assert inspect.getsource(form)
    others = [m.answer for m in exercise.mistakes.values() if m.evidence is None]
    if any(m.evidence for m in exercise.mistakes.values()):
        assert not any(judge(exercise, form).certain for form in others)


def test_one_tensor_under_many_names_is_called_that() -> None:
    ledger = EXERCISES["06.1"]
    answer: dict[str, Any] = {}
    program = "".join(
        f"{line.partition('#')[0]}\nanswer[{line.partition('#')[2].strip()!r}] = w.grad\n" if "#" in line else f"{line}\n"
        for line in ledger.program(ledger.draw()).splitlines()  # type: ignore[misc]
    )
    exec(program, {"mg": mg, "answer": answer})
    verdict = judge(ledger, answer)
    assert not verdict.passed and "**one tensor**" in verdict.hint and "b, c, d, e, f" in verdict.hint
    copies = {key: None if value is None else value.item() for key, value in answer.items()}
    assert "**one tensor**" not in judge(ledger, copies).hint


def test_a_fault_of_the_observations_is_no_verdict(monkeypatch) -> None:
    """It would meet the reference as well as an answer, and so every answer would do what the reference does."""
    monkeypatch.setitem(standing._STREAMS, "a stream that is gone", lambda: standing.gone)
    exercise = bank.exercises("04")["04.2"]
    for answer in (exercise.reference, next(iter(exercise.mistakes.values())).answer):
        verdict = judge(exercise, answer)
        assert verdict.outcome == ERROR and "The checker itself failed" in verdict.sentence


def test_streams_are_read_as_they_are() -> None:
    """Read where they lie in memory, since asking for a state copies it word by word, at every call that is watched."""
    mine, theirs = mg.random.default_generator._raw(), np.random.RandomState(7)
    for generator in (mine, theirs):
        for count in (0, 1, 700):  # 700 words go over the end of a block
            generator.randint(0, 2**32, count, np.uint32)
            words = standing._words_of(standing._twister(generator._bit_generator))
            assert np.array_equal(words, generator.get_state()[1])
    assert standing._twister(np.random.PCG64(0)) == b""


def test_another_kind_of_generator_is_another_seed() -> None:
    before = np.random.mtrand.get_bit_generator()
    states = standing._States(mg)
    try:
        np.random.mtrand.set_bit_generator(np.random.PCG64(0))
        assert list(states.changes(set())) == ["the seed of NumPy's random numbers"]
    finally:
        np.random.mtrand.set_bit_generator(before)
    assert not list(states.changes(set()))
