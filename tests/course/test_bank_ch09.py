"""What the exercises of chapter 09 say is true, by differences, and what passes does not depend on luck."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases

import minigrad as mg
from minigrad.course.bank import ch09
from minigrad.course.judge import judge

pytestmark = pytest.mark.full


def verdict(id: str, answer: Any, seed: int = 0) -> Any:
    return judge(ch09.EXERCISES[id], answer, seed=seed)


def slope_at(f: Any, x: Any, u: np.ndarray) -> np.ndarray:
    """How the gradient changes in the direction u, from gradients alone."""
    step = mg.tensor(1e-6 * u)
    plus, minus = (ch09.gradient_at(f, ch09.moved_to(x, s)) for s in (step, -step))
    return ((plus - minus) / 2e-6).numpy()


@pytest.mark.parametrize("case", plain_cases(ch09.EXERCISES["09.1"]), ids=lambda case: case.label)
def test_the_product_agrees_with_differences_of_the_gradient(case: Any) -> None:
    f, x, v, w = case.args
    for u in (v, w):
        np.testing.assert_allclose(ch09.hvp(f, x, u).numpy(), slope_at(f, x, u.numpy()), rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("case", plain_cases(ch09.EXERCISES["09.2"]), ids=lambda case: case.label)
def test_the_hessian_agrees_with_differences_and_is_no_diagonal(case: Any) -> None:
    f, x = case.args
    H = ch09.hessian(f, x).numpy()
    np.testing.assert_allclose(H, [slope_at(f, x, e) for e in np.eye(len(x))], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(H, H.T)
    assert np.abs(H - np.diag(np.diag(H))).max() > 1e-2


def neighbours(x: Any) -> Any:
    return x[0] ** 2 * x[1] + x[1] * x[2] ** 2


def test_the_examples_in_the_statements() -> None:
    x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
    assert repr(ch09.hvp(neighbours, x, mg.tensor([1.0, 10.0, 100.0]))) == "tensor([ 24., 602., 460.])"
    H = ch09.hessian(neighbours, x)
    assert H.tolist() == [[4, 2, 0], [2, 0, 6], [0, 6, 4]]
    assert {(2, -8, -2), (6, 8, 10)} <= {tuple(ch09.diagonal(neighbours, x, 1).tolist()) for _ in range(60)}

    rosenbrock = lambda z: (1 - z[0]) ** 2 + 100 * (z[1] - z[0] ** 2) ** 2  # noqa: E731
    z0 = mg.tensor([-1.2, 1.0], dtype=mg.float64)
    assert repr(ch09.newton(rosenbrock, z0, 1)) == "tensor([-1.1753,  1.3807], dtype=minigrad.float64)"
    assert ch09.newton(rosenbrock, z0, 7).numpy().round(8).tolist() == [1, 1]
    errors = [mg.linalg.norm(ch09.newton(rosenbrock, z0, k) - 1).item() for k in (4, 5, 6)]
    assert errors[1] < errors[0] ** 2 and errors[2] < errors[1] ** 2

    t = mg.tensor(0.5, requires_grad=True)
    found = [round(ch09.nth(mg.sin, n)(t).item(), 4) for n in (8, 3)]
    assert found == [0.4794, -0.8776]

    bowl = lambda x: 5 * (x[0] - 3) ** 2 + (x[1] + 5) ** 2 + x[0] * x[1]  # noqa: E731
    origin = mg.zeros(2, dtype=mg.float64).requires_grad_()
    assert ch09.newton_direction(bowl, origin, 1e-8).numpy().round(4).tolist() == [3.6842, -6.8421]


def test_what_is_said_of_tanh() -> None:
    highest = np.abs(ch09.curves(mg.tanh, mg.linspace(-3, 3, 601), 6)[-1].detach().numpy()).max()
    assert 50 < highest < 55
    x = mg.tensor(0.7, requires_grad=True)
    assert ch09.nodes_behind(mg.tanh(x)) == 2
    assert 300 < ch09.nodes_behind(ch09.nth(mg.tanh, 6)(x)) < 400


@pytest.mark.parametrize("draws", [1, 64])
def test_the_estimate_of_the_diagonal_is_not_biased(draws: int) -> None:
    case = plain_cases(ch09.EXERCISES["09.3"])[-1]
    _, f, x, _ = case.args
    H = ch09.hessian(f, x).numpy()
    mg.manual_seed(3)
    mean = np.mean([ch09.diagonal(f, x, draws).numpy() for _ in range(128 // draws)], 0)
    deviation = np.sqrt((H**2).sum(1) - np.diag(H) ** 2) / np.sqrt(128)
    assert np.all(np.abs(mean - np.diag(H)) < 5 * deviation)


def library_product(f, x, v):
    return mg.autograd.functional.vhp(f, x, v)[1]


def clone_inside(f, x, v):
    z = x.clone()
    (g,) = mg.autograd.grad(f(z), z, create_graph=True)
    return mg.autograd.grad(mg.sum(v * g), z)[0]


def sum_of_loops(f, x, v):
    (g,) = mg.autograd.grad(f(x), x, create_graph=True)
    total = sum(a * b for a, b in zip(g.reshape(-1), v.reshape(-1), strict=True))
    return mg.autograd.grad(total, x)[0]


@pytest.mark.parametrize("answer", [library_product, clone_inside, sum_of_loops])
def test_more_ways_to_multiply_by_the_hessian(answer: Any) -> None:
    assert verdict("09.1", answer).passed


def three_passes(f, x, v):
    mg.autograd.grad(f(x), x)
    return ch09.hvp(f, x, v)


def test_a_pass_too_many_is_counted() -> None:
    details = verdict("09.1", three_passes).details
    assert "backward passes: got 3, expected 2" in details


def signs_of_numbers(f, x, draws):
    total = mg.zeros_like(x)
    for _ in range(draws):
        v = mg.tensor([1.0 if np.random.rand() > 0.5 else -1.0 for _ in x], dtype=x.dtype)
        total = total + v * ch09.hvp(f, x, v)
    return total / draws


@pytest.mark.weekly
def test_luck_decides_nothing_about_the_diagonal() -> None:
    for seed in range(3, 13):
        assert verdict("09.3", signs_of_numbers, seed).passed
    biased = ch09.diagonal_by(lambda x: mg.where(mg.rand(len(x)) < 0.9, 1.0, -1.0).to(x.dtype))
    assert not any(verdict("09.3", biased, seed).passed for seed in range(3))
    of_gradient = ch09.diagonal_by(ch09.signs, lambda v, Hv: v * Hv * v)
    found = verdict("09.3", of_gradient)
    assert not found.passed and found.mistake != "no signs"


def newton_with_leaf(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        H, g = ch09.hessian(f, x), ch09.gradient_at(f, x)
        x = (x - mg.linalg.solve(H, g)).detach().requires_grad_()
    return x


def newton_data(f, x0, k):
    x = x0.clone().requires_grad_()
    for _ in range(k):
        x.grad = None
        f(x).backward()
        x.data -= mg.linalg.solve(ch09.hessian(f, x), x.grad)
    return x


@pytest.mark.parametrize("answer", [newton_with_leaf, newton_data])
def test_more_ways_to_step(answer: Any) -> None:
    assert verdict("09.4", answer).passed


def test_what_a_step_must_not_change() -> None:
    def written(f, x0, k):
        return ch09.newton_x0_written(f, x0, k)

    assert verdict("09.4", written).mistake == "x0 is written"


def test_a_number_for_a_function_is_named() -> None:
    found = verdict("09.5", lambda f, n: ch09.nth(f, n)(mg.tensor(1.0, requires_grad=True)))
    assert not found.passed
    assert verdict("09.5", lambda f, n: 3.0).sentence.endswith("What is wanted is a function.")


def steepest(f, x, tol):
    return ch09.rounds(f, x, tol, beta=lambda new, r: 0.0, most=len(x))


def no_tolerance(f, x, tol):
    return ch09.newton_direction(f, x, 1e-3)


def test_steepest_descent_and_a_tolerance_of_ones_own_are_not_enough() -> None:
    assert verdict("09.6", steepest).mistake == "the residual alone"
    found = verdict("09.6", no_tolerance)
    assert not found.passed
    assert "expected 'at most tol'" in found.details[-1]
    stricter = verdict("09.6", lambda f, x, tol: ch09.newton_direction(f, x, tol / 10))
    assert stricter.passed


def recipe(update=None, end=lambda r, g, tol: r @ r > tol**2 * (g @ g)):
    """The loop as the hints write it, with one line changed: without a limit of rounds."""

    def answer(f, x, tol):
        g = ch09.gradient_at(f, x)
        p, r, d = mg.zeros_like(g), -g, -g
        while end(r, g, tol):
            Hd = ch09.hvp(f, x, d)
            alpha = (r @ r) / (d @ Hd)
            p, new = p + alpha * d, r - alpha * Hd
            d, r = update(r, new, d, alpha, Hd) if update else (new + (new @ new) / (r @ r) * d, new)
        return p

    return answer


def with_beta(beta, update=lambda r, alpha, d, Hd: r - alpha * Hd):
    def after(r, new, d, alpha, Hd):
        new = update(r, alpha, d, Hd)
        return new + beta(r, new) * d, new

    return recipe(after)


def right_beta(r, new):
    return (new @ new) / (r @ r)


@pytest.mark.sampled(9, weekly=5)
@pytest.mark.parametrize(
    ("answer", "mistake"),
    [
        (with_beta(lambda r, new: 1.0), "beta is 1"),
        (with_beta(lambda r, new: (r @ r) / (new @ new)), "beta upside down"),
        (with_beta(lambda r, new: 0.0), "the residual alone"),
        (with_beta(right_beta, lambda r, alpha, d, Hd: r - alpha * d), "the residual"),
        (with_beta(right_beta, lambda r, alpha, d, Hd: r + alpha * Hd), "the residual grows"),
        (with_beta(right_beta, lambda r, alpha, d, Hd: r - Hd), "no alpha in the residual"),
        (recipe(lambda r, new, d, alpha, Hd: (r + right_beta(r, new) * d, new)), "the old residual"),
        (recipe(lambda r, new, d, alpha, Hd: (new + right_beta(r, new) * d, r)), "no end"),
        (recipe(end=lambda r, g, tol: r @ r > tol**2), "not measured by g"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_loop_that_would_never_end_is_ended_and_explained(answer: Any, mistake: str) -> None:
    assert verdict("09.6", recipe()).passed
    assert verdict("09.6", answer).mistake == mistake


def test_a_right_direction_may_be_multiplied_more_often_than_needed() -> None:
    def thrice(f, x, v):
        return sum(ch09.hvp(f, x, v) for _ in range(3)) / 3

    def answer(f, x, tol):
        (g,) = mg.autograd.grad(f(x), x)
        p, r, d = mg.zeros_like(g), -g, -g
        while r @ r > tol**2 * (g @ g):
            Hd = thrice(f, x, d)
            alpha = (r @ r) / (d @ Hd)
            p, old, r = p + alpha * d, r, r - alpha * Hd
            d = r + (r @ r) / (old @ old) * d
        return p

    assert verdict("09.6", answer).passed


def test_a_figure_with_other_lines_in_it_passes() -> None:
    def with_axis(f, xs, n):
        ax = ch09.plot_derivatives(f, xs, n)
        ax.axhline(0)
        ax.set_xlabel("x")
        return ax

    assert verdict("09.7", with_axis).passed
    found = verdict("09.7", lambda f, xs, n: ch09.drawn(xs, ch09.curves(f, xs, n)[::-1]))
    assert not found.passed
    assert "the Axes" in verdict("09.7", lambda f, xs, n: [f(xs)]).sentence


def test_places_that_were_made_to_require_grad_are_told() -> None:
    told = verdict("09.7", lambda f, xs, n: ch09.plot_derivatives(f, xs.requires_grad_().detach(), n))
    assert not told.passed and "changed its input `xs.requires_grad`" in told.sentence
