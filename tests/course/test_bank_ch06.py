"""What the exercises of chapter 06 say about their own programs is true, and answers that look right and are not are caught."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases
from spellings import ch06 as spelled

import minigrad as mg
from minigrad.course.bank import ch06
from minigrad.course.judge import ERROR, KNOWN, PASSED, WRONG, judge
from minigrad.course.showing.render import verdict_text

pytestmark = pytest.mark.full

BLOCKS = [(rule, code) for rule in ch06.FIRST for code in ch06.FIRST[rule]]


def outcome(id: str, answer: Any, **more: Any) -> str:
    return judge(ch06.EXERCISES[id], answer, **more).outcome


# --- the predictions ----------------------------------------------------------------------------------------


def test_every_ledger_agrees_with_the_engine_and_tells_all_beliefs_apart() -> None:
    exercise, programs = ch06.EXERCISES["06.1"], set()
    for seed in range(30):
        draw = exercise.draw(seed)
        programs.add(exercise.program(draw))
        truth = ch06.ledger(draw)
        assert truth == ch06.kept_by(ch06.Ledger)(draw)
        believed = [ch06.kept_by(belief)(draw) for belief in ch06.BELIEFS]
        assert truth not in believed and len({str(b) for b in believed}) == len(believed)
    assert len(programs) == 30


def test_a_ledger_may_be_written_in_ints_and_gets_a_word_where_nothing_is_known() -> None:
    exercise = ch06.EXERCISES["06.1"]
    truth = exercise.reference(exercise.draw())
    assert outcome("06.1", {key: None if value is None else int(value) for key, value in truth.items()}) == PASSED
    key = next(key for key, value in truth.items() if value is None)
    assert "without quotes" in verdict_text(judge(exercise, truth | {key: "None"}), exercise.title)
    zero = next(key for key, value in truth.items() if value == 0)
    assert "a number or None" in verdict_text(judge(exercise, truth | {zero: False}), exercise.title)
    wrong = judge(exercise, truth | {"i": 1234.5})
    assert wrong.outcome == WRONG and len(wrong.details) == 2


@pytest.mark.parametrize(("rule", "code"), BLOCKS)
def test_a_block_ends_as_its_rule_says(rule: str, code: str) -> None:
    assert ch06.verdict_of(code) == ch06.FIRST_TRUE[rule]


def test_half_of_the_blocks_break() -> None:
    for seed in range(20):
        draw = ch06.EXERCISES["06.6"].draw(seed)
        assert list(ch06.verdicts(draw).values()).count("breaks") == 4


# --- 06.2 ---------------------------------------------------------------------------------------------------


def test_accumulate_agrees_with_one_pass_over_everything() -> None:
    for case in plain_cases(ch06.EXERCISES["06.2"]):
        w, chunks = case.args
        ch06.accumulate(ch06.squared_misses, w, chunks)
        seen = w.grad.numpy().copy()
        w.grad = None
        ch06.squared_misses(w, mg.cat(chunks)).backward()
        np.testing.assert_allclose(seen, w.grad.numpy(), rtol=1e-12)


def test_two_slips_at_once_get_the_hint_of_the_first() -> None:
    """The mean of means, and the old gradient kept: the part that goes wrong first decides."""
    answer = ch06.accumulating(lambda chunk, chunks: 1 / len(chunks), before=False)
    assert judge(ch06.EXERCISES["06.2"], answer).mistake == "the mean of means"


def test_a_step_is_not_part_of_accumulating() -> None:
    def steps(mean_loss: Any, w: Any, chunks: Any) -> None:
        ch06.accumulate(mean_loss, w, chunks)
        with mg.no_grad():
            w -= 0.1 * w.grad

    verdict = judge(ch06.EXERCISES["06.2"], steps)
    assert not verdict.passed and "changed its input `w`" in verdict.sentence


# --- 06.3 and 06.4 ------------------------------------------------------------------------------------------


def test_clearing_must_be_true_for_nan_and_inf() -> None:
    def by_comparison(params: Any, set_to_none: bool = True) -> None:
        for p in params:
            if set_to_none:
                p.grad = None
            elif p.grad is not None:
                p.grad[p.grad == p.grad] = 0  # leaves nan

    assert outcome("06.3", by_comparison) == WRONG


def test_the_parameter_without_a_gradient_stands_in_each_place() -> None:
    """Else an answer that stops there would pass."""
    cases = [case for case in plain_cases(ch06.EXERCISES["06.3"]) if "is None" in case.label]
    assert sorted([p.grad is None for p in case.args[0]].index(True) for case in cases) == [0, 0, 1, 1, 2, 2]


def test_a_snapshot_may_be_cut_and_copied_in_any_order() -> None:
    def other(params: Any) -> Any:
        kept: list[Any] = [None] * len(params)
        for k, p in enumerate(params):
            if p.grad is not None:
                kept[k] = mg.zeros_like(p.grad)
                kept[k].copy_(p.grad)
        return kept

    assert outcome("06.4", other) == PASSED
    assert outcome("06.4", lambda params: [p.grad if p.grad is None else 1 * p.grad for p in params]) == PASSED


def test_a_snapshot_is_no_dict_and_no_array() -> None:
    assert outcome("06.4", lambda params: dict(enumerate(ch06.snapshot(params)))) == WRONG
    assert outcome("06.4", lambda params: [None if g is None else g.numpy() for g in ch06.snapshot(params)]) == WRONG
    assert outcome("06.4", lambda params: print(params)) == ERROR


# --- 06.5 ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("keep", [float, lambda loss: loss.item(), lambda loss: loss.data, lambda loss: loss.detach().clone()])
def test_any_cut_at_the_addition_is_right(keep: Any) -> None:
    assert outcome("06.5", ch06.training(keep, spelled.mean_of)) == PASSED


def test_a_graph_that_is_kept_elsewhere_leaks_too() -> None:
    def keeps_nodes(w: Any, batches: Any, loss_of: Any, lr: float) -> Any:
        nodes = []

        def watched(w: Any, batch: Any) -> Any:
            loss = loss_of(w, batch)
            nodes.append(loss.grad_fn)
            return loss

        return ch06.average_loss(w, batches, watched, lr)

    assert judge(ch06.EXERCISES["06.5"], keeps_nodes).mistake == "too late"


def test_the_starter_is_the_leak() -> None:
    space: dict[str, Any] = {"mg": mg}
    exec(ch06.LEAK_STARTER, space)
    exercise = ch06.EXERCISES["06.5"]

    def again(w: Any, batches: Any, loss_of: Any, lr: float) -> Any:
        return space["average_loss"](w, batches, loss_of, lr)

    verdict = judge(exercise, again)
    assert (verdict.outcome, verdict.mistake) == (KNOWN, "it leaks")


# --- the lesson ---------------------------------------------------------------------------------------------


def test_the_orbit_of_the_first_picture() -> None:
    assert abs(ch06.descent(zero=True)[0][-1]) < 2e-6
    assert round(ch06.descent(zero=False)[0][-1], 2) == 3.76


# --- near misses, each told in its own words ----------------------------------------------------------------


def test_none_after_a_backward_is_told_that_none_is_no_trap() -> None:
    exercise = ch06.EXERCISES["06.1"]
    truth = exercise.reference(exercise.draw())
    key = [key for key, rule, _ in exercise.draw()[1] if rule == "line"][-1]
    assert "no trap" in verdict_text(judge(exercise, truth | {key: None}), exercise.title)


def test_losses_that_wait_for_their_passes_hold_all_graphs() -> None:
    verdict = judge(ch06.EXERCISES["06.2"], spelled.accumulate_passes_later)
    assert not verdict.passed and "before a `backward`" in verdict.hint


def test_the_default_of_zero_grad_is_tried() -> None:
    def another(params: Any, set_to_none: bool = False) -> None:
        ch06.zero_grad(params, set_to_none)

    def none(params: Any, set_to_none: bool) -> None:
        ch06.zero_grad(params, set_to_none)

    assert judge(ch06.EXERCISES["06.3"], another).mistake == "another default"
    assert "left out" in judge(ch06.EXERCISES["06.3"], none).case


def test_a_nan_is_not_said_to_make_no_difference() -> None:
    verdict = judge(ch06.EXERCISES["06.3"], ch06.zeroing(ch06.times_zero))
    assert verdict.mistake == "times 0" and not any("largest difference" in line for line in verdict.details)


def test_what_a_snapshot_has_in_it_is_named() -> None:
    arrays = judge(ch06.EXERCISES["06.4"], lambda params: [None if p.grad is None else p.grad.numpy().copy() for p in params])
    assert "a list with a NumPy array in it" in arrays.sentence
    shorter = judge(ch06.EXERCISES["06.4"], lambda params: [p.grad.clone() for p in params if p.grad is not None])
    assert shorter.mistake == "None left out" and "array(" not in " ".join(shorter.details)


def test_a_w_that_is_no_leaf_any_more_is_told_so() -> None:
    def bound_anew(w: Any, batches: Any, loss_of: Any, lr: float) -> Any:
        total = 0.0
        for batch in batches:
            loss = loss_of(w, batch)
            w.grad = None
            loss.backward()
            with mg.no_grad():
                w = w - lr * w.grad
            total += loss.item()
        return total / len(batches)

    verdict = judge(ch06.EXERCISES["06.5"], bound_anew)
    assert verdict.outcome == KNOWN and "no longer the leaf" in verdict.hint


def test_where_two_prices_are_too_high_both_are_told_and_no_mistake_of_another_part() -> None:
    def joined_and_returned(mean_loss: Any, w: Any, chunks: Any) -> Any:
        w.grad = None
        mean_loss(w, mg.cat(chunks)).backward()
        return w.grad

    verdict = judge(ch06.EXERCISES["06.2"], joined_and_returned)
    assert "one chunk at a time" in verdict.sentence and "nothing should be returned" in verdict.sentence
    assert not verdict.hint


# --- what gradients keep, where a None stands, and what an answer keeps between calls -----------------------------------


def test_graphs_behind_gradients_are_in_memory_too() -> None:
    def kept_in_a_sum(mean_loss: Any, w: Any, chunks: Any) -> None:
        total = 0.0
        for chunk in chunks:
            total = total + mg.autograd.grad(ch06.share(chunk, chunks) * mean_loss(w, chunk), w, create_graph=True)[0]
        w.grad = total.detach()

    def kept_in_a_list(w: Any, batches: Any, loss_of: Any, lr: float) -> float:
        total, gradients = 0.0, []
        for batch in batches:
            loss = loss_of(w, batch)
            gradients += mg.autograd.grad(loss, w, create_graph=True)
            with mg.no_grad():
                w -= lr * gradients[-1]
            total += loss.item()
        return total / len(batches)

    assert judge(ch06.EXERCISES["06.2"], ch06.accumulate_created).mistake == "a gradient with a graph"
    assert judge(ch06.EXERCISES["06.2"], kept_in_a_sum).mistake == "retained"
    assert judge(ch06.EXERCISES["06.5"], kept_in_a_list).mistake == "gradients with graphs"


def test_a_none_may_stand_first() -> None:
    def early(params: Any, set_to_none: bool = True) -> None:
        params = list(params)
        if params and params[0].grad is not None:
            ch06.zero_grad(params, set_to_none)

    def early_snapshot(params: Any) -> Any:
        return [None] * len(params) if params and params[0].grad is None else ch06.snapshot(params)

    assert outcome("06.3", early) == outcome("06.4", early_snapshot) == WRONG


def test_a_second_snapshot_is_one_of_its_own_moment() -> None:
    kept: dict[int, Any] = {}

    def remembered(params: Any) -> Any:
        return [kept.setdefault(id(p), ch06.snapshot([p])[0]) for p in params]

    assert outcome("06.4", remembered) == WRONG
