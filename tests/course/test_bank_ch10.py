"""What the exercises of chapter 10 say is true, by differences, and answers that look right and are not are caught."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases
from spellings import ch10 as spelled

import minigrad as mg
from minigrad.course.bank import ch10
from minigrad.course.judge import KNOWN, NOT_ATTEMPTED, PASSED, WRONG, judge
from minigrad.course.showing.render import verdict_text

pytestmark = pytest.mark.full

fw = mg.autograd.forward_ad


def verdict(id: str, answer: Any) -> Any:
    return judge(ch10.EXERCISES[id], answer)


def written(source: str, name: str) -> Any:
    space: dict[str, Any] = {"mg": mg, "np": np}
    exec(source, space)
    return space[name]


# --- the references -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", plain_cases(ch10.EXERCISES["10.2"]), ids=lambda case: case.label)
def test_both_ways_to_j_t_agree_with_differences(case: Any) -> None:
    f, x, t = case.args
    slope = ch10.differences(f, x, t).numpy()
    np.testing.assert_allclose(ch10.jvp(f, x, t).numpy(), slope, rtol=1e-7, atol=1e-8)
    if "constant" not in case.label:
        twice = ch10.jvp_by_vjps(f, x.requires_grad_(), t)
        np.testing.assert_allclose(twice.numpy(), slope, rtol=1e-7, atol=1e-8)


@pytest.mark.parametrize("case", plain_cases(ch10.EXERCISES["10.5"]), ids=lambda case: case.label)
def test_all_rows_is_the_jacobian(case: Any) -> None:
    f, x = case.args
    np.testing.assert_allclose(ch10.all_rows(f, x).numpy(), mg.autograd.functional.jacobian(f, x).numpy(), rtol=1e-12)


@pytest.mark.parametrize("case", plain_cases(ch10.EXERCISES["10.7"]), ids=lambda case: case.label)
def test_gauss_newton_is_the_product_with_both_matrices(case: Any) -> None:
    f, x, v = case.args
    J = mg.autograd.functional.jacobian(f, x).numpy()
    np.testing.assert_allclose(ch10.gauss_newton(f, x, v).numpy(), J.T @ J @ v.numpy(), rtol=1e-10)


@pytest.mark.parametrize("case", plain_cases(ch10.EXERCISES["10.1"]), ids=lambda case: case.label)
def test_dual_numbers_agree_with_differences(case: Any) -> None:
    _, f, *pairs = case.args
    duals = [ch10.Dual(*pair) for pair in pairs]
    plus, minus = (f(*(ch10.Dual(value + h * tangent) for value, tangent in pairs)) for h in (1e-6, -1e-6))
    assert f(*duals).tangent == pytest.approx((plus.value - minus.value) / 2e-6, rel=1e-6, abs=1e-7)


def test_neighbours_keeps_its_two_rules_transposed() -> None:
    x, u, v = (mg.randn(n, dtype=mg.float64) for n in (5, 5, 4))
    assert mg.autograd.gradcheck(ch10.Neighbours.apply, x.requires_grad_())
    with fw.dual_level():
        pushed = fw.unpack_dual(ch10.Neighbours.apply(fw.make_dual(x.detach(), u))).tangent
    (pulled,) = mg.autograd.grad(ch10.Neighbours.apply(x), x, v)
    assert mg.allclose((v * pushed).sum(), (pulled * u).sum())


def test_the_examples_in_the_statements() -> None:
    d = ch10.Dual(0.5, 1.0)
    assert repr((2 * d * d + 1).sin()) == "Dual(0.997495, 0.141474)"
    x, t = mg.tensor([1.0, 2.0, 3.0, 4.0]), mg.tensor([1.0, 0.0, 0.0, 10.0])
    assert ch10.jvp(ch10.neighbours, x, t).tolist() == [2, 0, 30]
    assert ch10.jvp(lambda x: mg.ones(2), x, t).tolist() == [0, 0]
    with fw.dual_level():
        assert fw.unpack_dual(ch10.Neighbours.apply(fw.make_dual(x, t))).tangent.tolist() == [2, 0, 30]  # type: ignore[union-attr]
    x.requires_grad_()
    assert ch10.jvp_by_vjps(ch10.neighbours, x, t).tolist() == [2, 0, 30]
    assert ch10.gauss_newton(ch10.neighbours, x, t).tolist() == [4, 2, 120, 90]


# --- 10.1 ---------------------------------------------------------------------------------------------------


def test_what_is_still_to_be_written_is_named() -> None:
    reflected = "\n    def __radd__(self, other):\n        return self + other\n"
    found = verdict("10.1", written(ch10.DUAL_STARTER + reflected, "Dual"))
    assert found.outcome == WRONG and "Dual.__sub__: it is still" in verdict_text(found, "Dual numbers")
    saves = ch10.NEIGHBOURS_STARTER.replace("backward(x)\n", "backward(x)\n        ctx.save_for_forward(x)\n", 1)
    found = verdict("10.6", written(saves, "Neighbours"))
    assert found.outcome == WRONG and "Neighbours.jvp: it is still" in verdict_text(found, "Teach")


def test_the_stars_of_a_case_are_shown() -> None:
    labels = [case.label for case in plain_cases(ch10.EXERCISES["10.1"])]
    assert all("*" not in label.replace("`", "\0").split("\0")[::2] for label in labels)
    found = verdict("10.1", ch10.with_methods(__mul__=lambda self, o: ch10.Dual(self.value, self.tangent)))
    assert "d * e" in verdict_text(found, "Dual numbers")


# --- 10.2, 10.3, 10.5: the library does the exercise ----------------------------------------------------------


def test_a_function_of_the_library_is_no_answer() -> None:
    functional = mg.autograd.functional
    assert verdict("10.2", lambda f, x, t: functional.jvp(f, x, t)[1]).mistake == "backward after all"
    assert verdict("10.3", lambda f, x, t: functional.jvp(f, x, t)[1]).mistake == "borrowed"
    for vectorize in (False, True):
        assert verdict("10.5", lambda f, x, v=vectorize: functional.jacobian(f, x, vectorize=v)).mistake == "borrowed"
    assert verdict("10.7", lambda f, x, v: functional.jacobian(f, x).T @ functional.jacobian(f, x) @ v).mistake == "all of J"


def test_the_library_s_jvp_makes_no_forward_pass() -> None:
    functional = mg.autograd.functional
    two = lambda f, x, v: functional.vjp(f, x, functional.jvp(f, x, v)[1])[1]  # noqa: E731
    assert verdict("10.7", two).mistake == "the trick of 10.3"


def test_exchanged_arguments_are_not_taken_for_differences() -> None:
    assert verdict("10.2", lambda f, x, t: ch10.jvp(f, t, x)).mistake == "the two exchanged"
    assert verdict("10.2", spelled.one_sided).mistake == "differences"


def test_an_open_level_is_closed_for_the_next_one() -> None:
    assert verdict("10.2", ch10.jvp_left_open).outcome == KNOWN
    with fw.dual_level():
        pass


def test_second_pass_by_backward_does_not_leave_what_it_must() -> None:
    def by_backward(f: Any, x: Any, t: Any) -> Any:
        y = f(x)
        u = mg.zeros_like(y, requires_grad=True)
        y.backward(u, create_graph=True)
        x.grad.backward(t)
        return u.grad

    assert "changed its input `x.grad`" in verdict("10.3", by_backward).sentence


# --- 10.4 ---------------------------------------------------------------------------------------------------


def test_every_table_has_four_lines_for_each_mode_and_no_tie() -> None:
    exercise = ch10.EXERCISES["10.4"]
    for seed in range(30):
        draw = exercise.draw(seed)
        truth = ch10.modes(draw)
        assert [truth[letter] for letter in "ABCDEFGH"].count("forward") == 4
        assert all(n != m for _, _, n, m, _ in draw)
    assert verdict("10.4", dict.fromkeys(truth, ...)).outcome == NOT_ATTEMPTED


def test_a_wrong_line_without_a_known_belief_gets_a_word() -> None:
    exercise = ch10.EXERCISES["10.4"]
    truth, line = ch10.modes(exercise.draw()), {kind: letter for letter, kind, *_ in exercise.draw()}
    for change, word in (
        ({"A": "backward"}, ch10.NOT_A_MODE),
        ({"A": 3}, ch10.NOT_A_MODE),
        ({"A passes": "1"}, ch10.NOT_A_NUMBER),
        ({f"{line['J t']} passes": 12345}, ch10.WHY["J t"]),
        ({f"{line['velocity']} passes": 12345}, ch10.WHY["velocity"]),
    ):
        found = verdict("10.4", truth | change)
        assert found.outcome == WRONG and word in found.details


def test_the_number_of_passes_is_what_a_count_gives() -> None:
    """Each way is walked for small sizes: as many passes as the table says fill J."""
    n, m = 3, 5
    A = mg.randn(m, n, dtype=mg.float64)
    x = mg.randn(n, dtype=mg.float64, requires_grad=True)
    watch = ch10.Watch(lambda x: A @ x, x)
    columns = [ch10.jvp(watch.f, x, e).detach() for e in mg.eye(n, dtype=mg.float64)]
    assert watch.forward == ch10.right_mode("J, tall", n, m, 1)[1] == n
    np.testing.assert_allclose(mg.stack(columns, 1).numpy(), A.numpy())


@pytest.mark.parametrize("id", ["10.2", "10.3", "10.5", "10.7"])
def test_none_for_an_answer_is_called_that(id: str) -> None:
    assert "returned None. What stands after its `return` was None." in verdict(id, lambda *args: print()).sentence


# --- 10.6 ---------------------------------------------------------------------------------------------------


def test_a_tangent_may_be_filled_into_zeros_of_the_default_dtype() -> None:
    def jvp(ctx: Any, t: Any) -> Any:
        (x,) = ctx.saved_tensors
        y = mg.zeros(len(x) - 1)
        for i in range(len(y)):
            y[i] = t[i] * x[i + 1] + x[i] * t[i + 1]
        return y

    assert verdict("10.6", ch10.taught(jvp=jvp)).outcome == PASSED


def test_without_a_jvp_the_engine_says_so() -> None:
    x = mg.randn(4)
    with fw.dual_level(), pytest.raises(NotImplementedError, match="must implement the jvp function"):
        ch10.Untaught.apply(fw.make_dual(x, mg.ones(4)))
