"""What the exercises of chapter 08 say about their own programs is true, and near misses are judged as they should be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases

import minigrad as mg
from minigrad.course.bank import ch08
from minigrad.course.judge import KNOWN, PASSED, WRONG, judge

pytestmark = pytest.mark.full


def verdict(id: str, answer: Any) -> Any:
    return judge(ch08.EXERCISES[id], answer)


def differences(value: Callable[[np.ndarray], float], at: np.ndarray, eps: float = 1e-4) -> np.ndarray:
    """The gradient of a function of an array, by central differences."""
    result = np.zeros_like(at)
    for place in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[place] = eps
        result[place] = (value(at + step) - value(at - step)) / (2 * eps)
    return result


@pytest.mark.parametrize("seed", range(3))
def test_a_penalized_gradient_agrees_with_differences_of_differences(seed: int) -> None:
    exercise = ch08.EXERCISES["08.4"]
    for case in plain_cases(exercise, seed):
        f, w, x, strength = case.args

        def value(weights: np.ndarray, f: Any = f, x: Any = x, strength: float = strength) -> float:
            def at(data: np.ndarray) -> float:
                return float(f(mg.tensor(weights), mg.tensor(data)).item())

            data = x.detach().numpy()
            return at(data) + strength * float((differences(at, data) ** 2).sum())

        expected = differences(value, w.detach().numpy())
        assert np.allclose(ch08.penalized(f, w, x, strength).numpy(), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_a_second_derivative_agrees_with_differences(seed: int) -> None:
    for case in (case for case in plain_cases(ch08.EXERCISES["08.5"], seed) if "must come out" not in case.label):
        f, x, _ = case.args
        at, eps = x.item(), 1e-4
        low, mid, high = (f(mg.tensor(at + step, dtype=mg.float64)).item() for step in (-eps, 0.0, eps))
        assert abs(ch08.second(f, x).item() - (low - 2 * mid + high) / eps**2) < 1e-4 * max(1.0, abs(mid))


def test_the_examples_in_the_statements() -> None:
    a, b = (mg.tensor(values, requires_grad=True) for values in ([1.0, 2.0], [3.0, 4.0]))
    assert ch08.grads((a * b).sum(), [b])[0].tolist() == [1.0, 2.0]
    assert a.grad is None and b.grad is None

    x = mg.tensor([1.0, 2.0], requires_grad=True)
    h = 3 * x
    assert ch08.Middle.by_grad((h**2).sum(), h).tolist() == [6.0, 12.0]
    h = 3 * x
    ch08.Middle.by_backward((h**2).sum(), h)
    assert h.grad.tolist() == [6.0, 12.0] and x.grad is None

    zeros = ch08.grad_or_zeros((x * x).sum(), [x, mg.ones(3, requires_grad=True)])
    assert [g.tolist() for g in zeros] == [[2.0, 4.0], [0.0, 0.0, 0.0]]

    w = mg.tensor([3.0, 5.0], requires_grad=True)
    assert ch08.penalized(lambda w, x: (w * x).sum(), w, x, 10.0).tolist() == [61.0, 102.0]

    t, slope = mg.tensor(2.0, requires_grad=True), mg.tensor(5.0, requires_grad=True)
    assert [ch08.second(f, t).item() for f in (lambda t: t**3, lambda t: 3 * t, lambda t: slope * t)] == [12.0, 0.0, 0.0]

    h = x**2
    assert ch08.pull(3 * h, h.sum(), mg.tensor([1.0, 10.0]), [x])[0].tolist() == [8.0, 124.0]


def test_walks_are_counted_at_the_inputs_and_at_the_outputs() -> None:
    def kept(y: Any, s: Any, v: Any, inputs: Any) -> Any:
        return mg.autograd.grad((y, s), inputs, (v, None), retain_graph=True)

    assert verdict("08.6", kept).sentence == "Right."
    notes = {verdict("08.6", answer).hint for answer in (ch08.pull_twice, ch08.pull_each_input)}
    assert len(notes) == 2 and all(notes)


def test_gradients_in_another_order_do_not_pass() -> None:
    assert not verdict("08.1", lambda L, wrt: mg.autograd.grad(L, wrt[::-1])).passed
    assert not verdict("08.6", lambda y, s, v, inputs: mg.autograd.grad((y, s), inputs[::-1], (v, None))).passed


def test_a_graph_that_is_kept_costs_nothing_in_08_1() -> None:
    assert verdict("08.1", lambda L, wrt: mg.autograd.grad(L, wrt, retain_graph=True)).sentence == "Right."


def test_h_grad_is_added_to_by_a_call_of_backward() -> None:
    def by_hand(L: Any, h: Any) -> None:
        (g,) = mg.autograd.grad(L, h)
        h.grad = g if h.grad is None else h.grad + g

    found = verdict("08.2", ch08.middle("by_backward", by_hand))
    assert found.outcome == WRONG and "calls of backward: got 0, expected 1" in found.details


def test_each_half_of_08_2_is_judged_for_itself() -> None:
    class Both(ch08.Middle):
        by_grad = staticmethod(ch08.still_a_tuple)
        by_backward = staticmethod(ch08.overwritten)

    assert verdict("08.2", Both).mistake == "by_grad: a tuple"


def test_errors_that_are_sorted_out_by_hand_pass_and_others_do_not() -> None:
    def sorted_out(L: Any, wrt: Any) -> Any:
        try:
            return mg.autograd.grad(L, wrt, retain_graph=True)
        except RuntimeError as error:
            if "not have been used" not in str(error):
                raise
        return [mg.zeros_like(t) if g is None else g for t, g in zip(wrt, mg.autograd.grad(L, wrt, allow_unused=True), strict=True)]

    def no_loss(L: Any, wrt: Any) -> Any:
        return ch08.grad_or_zeros(L, wrt) if L.requires_grad else [mg.zeros_like(t) for t in wrt]

    def summed(L: Any, wrt: Any) -> Any:
        return ch08.grad_or_zeros(L.sum(), wrt)

    assert verdict("08.3", sorted_out).outcome == PASSED
    assert verdict("08.3", no_loss).mistake == "zeros without a graph"
    assert verdict("08.3", summed).mistake == "made one number"


def test_differences_instead_of_derivatives_do_not_pass() -> None:
    def penalty(f: Any, w: Any, x: Any, strength: float) -> Any:
        loss = f(w, x)
        (slope,) = mg.autograd.grad(loss, x, retain_graph=True)
        (g,) = mg.autograd.grad(loss, w)
        sides = []
        for sign in (1, -1):
            moved = (x + sign * 1e-4 * slope).detach()
            sides.append(mg.autograd.grad(f(w, moved), w)[0])
        return g + strength * (sides[0] - sides[1]) / 1e-4

    def curvature(f: Any, x: Any) -> Any:
        with mg.no_grad():
            return (f(x + 1e-4) - 2 * f(x) + f(x - 1e-4)) / 1e-8

    assert not verdict("08.4", penalty).passed
    assert not verdict("08.5", curvature).passed


def test_a_second_derivative_of_a_line_as_a_new_zero_passes() -> None:
    def answer(f: Any, x: Any) -> Any:
        (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
        if slope.grad_fn is None:
            return mg.tensor(0.0, dtype=x.dtype)
        (result,) = mg.autograd.grad(slope, x, allow_unused=True)
        return mg.zeros_like(x) if result is None else result

    assert verdict("08.5", answer).outcome == PASSED


def test_a_penalty_with_a_wrong_sign_or_half_of_it_is_wrong() -> None:
    for factor in (-1.0, 0.5):
        answer = lambda f, w, x, strength, factor=factor: ch08.penalized(f, w, x, factor * strength)  # noqa: E731
        assert verdict("08.4", answer).outcome in (WRONG, KNOWN)


def test_gradients_that_require_grad_get_a_note() -> None:
    def tracked(L: Any, wrt: Any) -> Any:
        return mg.autograd.grad(L, wrt, create_graph=True, materialize_grads=True)

    assert verdict("08.3", tracked).sentence == "Right, with a note."


@pytest.mark.parametrize("h", [1e-3, 1e-4])
def test_a_difference_quotient_in_float32_is_no_derivative(h: float) -> None:
    def quotient(f: Any, x: Any) -> Any:
        def at(v: float) -> Any:
            return f(mg.tensor(v, dtype=mg.float64)).item()

        v = x.item()
        return mg.tensor((at(v + h) - 2 * at(v) + at(v - h)) / h**2)

    assert verdict("08.5", quotient).outcome == WRONG


def test_a_gradient_that_is_cleared_first_is_not_told_to_leave_out_backward() -> None:
    def cleared(f: Any, w: Any, x: Any, strength: float) -> Any:
        w.grad = None
        return ch08.penalized(f, w, x, strength)

    assert "End as you began" not in verdict("08.4", cleared).hint
