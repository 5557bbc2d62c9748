"""What the exercises of chapter 01 say about their own programs is true, line by line."""

from __future__ import annotations

import pytest

import minigrad as mg
from minigrad.course.bank import ch01


@pytest.mark.parametrize(
    ("rule", "code"), [(rule, code) for rule in ch01.PASSPORT for code in ch01.PASSPORT[rule]]
)
def test_a_line_has_the_passport_of_its_rule(rule: str, code: str) -> None:
    draw = [("p", rule, code)]
    assert ch01.passports(draw) == ch01.passports_by_rule(draw)


@pytest.mark.parametrize(
    ("reason", "code"), [(why, code) for why in ch01.WHY_NONE for code in ch01.WHY_NONE[why]]
)
@pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor that is not a leaf")
def test_the_gradient_is_none_for_the_reason_given(reason: str, code: str) -> None:
    assert ch01.run(code)["x"].grad is None
    assert ch01.reasons_by_rule([("A", reason, code)]) == {"A": reason}


def test_no_two_programs_are_alike_soon() -> None:
    for exercise in (ch01.EXERCISES["01.1"], ch01.EXERCISES["01.4"]):
        assert len({exercise.program(exercise.draw(seed)) for seed in range(50)}) == 50


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
