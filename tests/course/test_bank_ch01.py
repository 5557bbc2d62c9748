"""What the exercises of chapter 01 say about their own programs is true, line by line."""

from __future__ import annotations

from typing import Any

import pytest
from spellings import ch01 as spelled

import minigrad as mg
from minigrad.course.bank import ch01
from minigrad.course.judge import judge
from minigrad.course.showing.render import verdict_text

pytestmark = pytest.mark.full


@pytest.mark.parametrize(
    ("rule", "code"), [(rule, code) for rule in ch01.PASSPORT for code in ch01.PASSPORT[rule]]
)
def test_a_line_has_the_passport_of_its_rule(rule: str, code: str) -> None:
    draw = [("p", rule, code)]
    assert ch01.passports(draw) == spelled.passports_by_rule(draw)


@pytest.mark.parametrize(
    ("reason", "code"), [(why, code) for why in ch01.WHY_NONE for code in ch01.WHY_NONE[why]]
)
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
def test_the_gradient_is_none_for_the_reason_given(reason: str, code: str) -> None:
    assert ch01.run(code)["x"].grad is None
    assert spelled.reasons_by_rule([("A", reason, code)]) == {"A": reason}


def test_no_two_programs_are_alike_soon() -> None:
    for exercise in (ch01.EXERCISES["01.1"], ch01.EXERCISES["01.4"]):
        assert len({exercise.program(exercise.draw(seed)) for seed in range(50)}) == 50


@pytest.mark.weekly
def test_slope_and_ratio_differ_as_often_as_the_explanation_says() -> None:
    mg.manual_seed(0)
    numbers = [mg.randn((), requires_grad=True) for _ in range(3000)]
    rounded = sum(not ch01.is_exact(ch01.doubling, a) for a in numbers)
    assert 0.05 < rounded / len(numbers) < 0.08


def test_a_watched_graph_is_walked_like_the_graph_and_counted() -> None:
    _, t = ch01.ladder(26)
    log = ch01.SimpleNamespace(known={}, reads=0, limit=10**6)
    watched = ch01.watch(t, log)
    assert [leaf.tolist() for leaf in ch01.leaves(watched)] == [1.0]
    assert log.reads == len(ch01.nodes_of(t)) == 27
    assert isinstance(watched, mg.Tensor)
    assert type(watched.grad_fn).__name__ == "AddBackward0"


def told(id: str, answer: Any) -> str:
    """All that a learner reads about an answer."""
    return verdict_text(judge(ch01.EXERCISES[id], answer), "")


@pytest.mark.parametrize("wrong", [None, 5, [1], (1.0, 2.0)])
def test_the_graph_to_draw_is_never_shown(wrong: Any) -> None:
    def swapped(a, b, c):
        s = a * b
        return (s.exp() - c) / (s + 1)

    for answer in (lambda a, b, c: wrong, lambda a, b, c: a, lambda a, b, c: a * b, swapped):
        assert "Backward0(" not in told("01.2", answer)


def test_what_is_to_be_left_alone_is_watched() -> None:
    def build_and_walk(a, b, c):
        result = ch01.build(a, b, c)
        result.backward()
        return result

    def leaves_and_walk(t):
        found = ch01.leaves(t)
        if t.requires_grad:
            t.sum().backward()
        return found

    def leaves_and_freeze(t):
        found = ch01.leaves(t)
        for leaf in found:
            leaf.requires_grad_(False)
        return found

    def freeze_and_forget(params, keep):
        ch01.freeze(params, keep)
        keep.clear()

    assert "changed .grad of a" in told("01.2", build_and_walk)
    assert "what your function changed: got ['.grad of a', '.grad of b']" in told("01.3", leaves_and_walk)
    assert "'requires_grad of a'" in told("01.3", leaves_and_freeze)
    assert "keep is as before: got False" in told("01.5", freeze_and_forget)


def test_what_was_returned_is_named() -> None:
    assert "leaves returned None. What stands after its return was None." in told("01.3", lambda t: print())
    assert "leaves returned a generator" in told("01.3", lambda t: (leaf for leaf in ch01.leaves(t)))
    assert "the node AccumulateGrad" in told("01.3", lambda t: ch01.nodes_of(t)[:1] * 2 + ch01.nodes_of(t))
    assert "t itself, a result" in told("01.3", lambda t: [t])
    assert "another tensor with the numbers of a" in told("01.3", lambda t: [x.detach() for x in ch01.leaves(t)])
    assert "'NoneType' object has no attribute 'name'" in told("01.3", lambda t: t.grad_fn.name() and ch01.leaves(t))
    assert "the other way round" in told("01.6", lambda f, a: ch01.look(f, a)[::-1])
    assert "returned 3 values" in told("01.6", lambda f, a: (1, 2, 3))
    assert "got a str, expected" in told("01.6", lambda f, a: (ch01.look(f, a)[0], "False"))


@pytest.mark.sampled(7, weekly=3)
@pytest.mark.parametrize(
    ("passport", "text"),
    [
        (5, "tuple of three"),
        ((False, True), "tuple of three"),
        ((1, 0, None), "`True` or `False`"),
        ((True, False, "MulBackward0"), "No tensor has this passport"),
        ((False, True, None), "No tensor has this passport"),
        ((False, False, "MulBackward0"), "No tensor has this passport"),
        ((True, False, None), ""),
    ],
)
def test_every_wrong_passport_is_answered(passport: Any, text: str) -> None:
    exercise = ch01.EXERCISES["01.1"]
    right = ch01.passports(exercise.draw())
    for key, rule, _ in exercise.draw():
        if passport == right[key]:
            continue
        verdict = judge(exercise, right | {key: passport})
        assert verdict.hint or (text or ch01.BY_RULE[rule]) in "\n".join(verdict.details), (key, verdict)


def test_a_name_in_other_letters_is_nearly_right() -> None:
    right = ch01.passports(ch01.EXERCISES["01.1"].draw())
    recorded = next(key for key in right if right[key][2])
    small = (*right[recorded][:2], right[recorded][2].lower())
    assert f"capital letters and all: {right[recorded][2]}" in told("01.1", right | {recorded: small})


def test_another_word_for_a_reason_gets_the_list_of_the_five() -> None:
    exercise = ch01.EXERCISES["01.4"]
    right = ch01.reasons(exercise.draw())
    assert judge(exercise, right).passed
    assert "one of these words: 'not_called'" in told("01.4", right | {"A": 1})
    assert "these words" not in told("01.4", right | {"A": ...})


def test_f_is_called_once() -> None:
    def twice(f, a):
        f(a)
        return ch01.look(f, a)

    assert "calls of f: got 2, expected 1" in told("01.6", twice)


def test_a_passport_in_a_list_is_none() -> None:
    exercise = ch01.EXERCISES["01.1"]
    right = exercise.reference(exercise.draw())
    assert "in round brackets" in told("01.1", right | {"p": list(right["p"])})
