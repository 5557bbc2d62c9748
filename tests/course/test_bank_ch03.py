"""What the exercises of chapter 03 say about their own functions is true, and wrong answers of other kinds do not pass."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases

from minigrad.course.bank import ch03
from minigrad.course.judge import ERROR, KNOWN, PASSED, judge

pytestmark = pytest.mark.full


def verdict(id: str, answer: Any, seed: int = 0) -> Any:
    return judge(ch03.EXERCISES[id], answer, seed=seed)


# --- 03.1


def products(x: Any) -> Any:
    return np.array([x[0] * x[1], x[1] + 3 * x[2]])


def test_the_example_of_the_oracle() -> None:
    np.testing.assert_allclose(ch03.numjac(products, np.array([2, 5, 1])), [[5, 2, 0], [0, 1, 3]], atol=1e-8)


def test_the_hint_on_one_side_counts_right() -> None:
    """Between the two steps of the checker the error falls 100×, with one side 10×."""
    for case in plain_cases(ch03.EXERCISES["03.1"])[:2]:
        f, x = case.args
        best = ch03.numjac(f, x, 1e-5)
        for form, factor in ((ch03.numjac, 100), (ch03.one_sided, 10)):
            large, small = (np.abs(form(f, x, eps) - best).max() for eps in ch03.STEPS)
            assert 0.8 * factor < large / small < 1.25 * factor


def five_points(f, x, eps=1e-6):
    return (4 * ch03.numjac(f, x, eps) - ch03.numjac(f, x, 2 * eps)) / 3


def first_entry_only(f, x, eps=1e-6):
    return ch03.numjac(f, x, eps)[:1]


def in_float32(f, x, eps=1e-6):
    x = np.asarray(x, dtype=np.float32)
    return np.stack([(f(x + s) - f(x - s)) / (2 * eps) for s in np.float32(eps) * np.eye(len(x), dtype="f")], axis=1)


@pytest.mark.parametrize("form", [five_points, first_entry_only, in_float32, lambda f, x, eps: np.zeros((3, 4))])
def test_what_is_no_central_difference_does_not_pass(form: Callable[..., Any]) -> None:
    assert not verdict("03.1", form).passed


def test_a_mistake_in_a_later_group_has_its_own_hint() -> None:
    def whole_and_one_array(f, x, eps=1e-6):
        J = np.zeros((len(f(x)), len(x)))
        for j in range(len(x)):
            moved = x.copy()
            moved[j] += eps
            up = f(moved)
            moved[j] -= 2 * eps
            J[:, j] = (up - f(moved)) / (2 * eps)
        return J

    found = verdict("03.1", whole_and_one_array)
    assert (found.outcome, found.case[:13]) == (KNOWN, "whole numbers")
    assert found.hint == ch03.LOST
    repaired = verdict("03.1", lambda f, x, eps=1e-6: whole_and_one_array(f, x.astype(float), eps))
    assert repaired.mistake == "one array for both sides"


def test_an_error_in_the_answer_is_an_error() -> None:
    assert verdict("03.1", lambda f, x, eps: f(x + np.ones(99))).outcome == ERROR


# --- 03.2

FORWARD: dict[str, Callable[..., Any]] = {
    "relu": lambda x: (lambda x: np.maximum(x, 0), x),
    "cumsum": lambda x: (np.cumsum, x),
    "running_mean": lambda x, k: (lambda x: np.array([x[i : i + k].mean() for i in range(len(x) - k + 1)]), x),
    "outer": lambda x, b: (lambda x: np.outer(x, b).ravel(), x),
    "transpose": lambda X: (lambda x: x.reshape(X.shape).T.ravel(), X.ravel()),
    "sort": lambda x: (np.sort, x),
}


@pytest.mark.parametrize("seed", range(5))
def test_the_puzzles_agree_with_differences(seed: int) -> None:
    for case in plain_cases(ch03.EXERCISES["03.2"], seed):
        rule, *args = case.args
        f, x = FORWARD[rule](*args)
        np.testing.assert_allclose(getattr(ch03.Jac, rule)(*args), ch03.numjac(f, x), atol=1e-8, err_msg=case.label)


@pytest.mark.sampled(20, weekly=20)
@pytest.mark.parametrize("seed", range(20))
def test_a_transposed_permutation_never_passes(seed: int) -> None:
    for rule in ("sort", "transpose"):
        right = getattr(ch03.Jac, rule)
        turned = ch03.with_rule(**{rule: lambda x, right=right: right(x).T})
        assert verdict("03.2", turned, seed).mistake == f"{rule}: the way back"


def test_a_method_without_return_is_told() -> None:
    def forgotten(x):
        np.tril(np.ones((len(x), len(x))))

    assert "Did you forget `return`?" in verdict("03.2", ch03.with_rule(cumsum=forgotten)).sentence


# --- 03.3


@pytest.mark.parametrize("seed", range(10))
def test_the_programs_run_and_have_the_shapes_that_they_claim(seed: int) -> None:
    exercise = ch03.EXERCISES["03.3"]
    draw = exercise.draw(seed)
    assert ch03.shapes(draw) == ch03.shapes_by_rule(draw)
    space: dict[str, Any] = {"mg": exercise.mg}
    exec(ch03.shapes_program(draw), space)


@pytest.mark.parametrize("wrong", [list, lambda shape: tuple(map(float, shape))])
def test_a_shape_is_a_tuple_of_ints_or_a_size(wrong: Callable[..., Any]) -> None:
    exercise = ch03.EXERCISES["03.3"]
    right = exercise.reference(exercise.draw())
    key = next(key for key in right if right[key])
    assert "A shape is a tuple" in str(verdict("03.3", right | {key: wrong(right[key])}).details)
    assert verdict("03.3", {key: exercise.mg.zeros(shape).shape for key, shape in right.items()}).passed
    assert not verdict("03.3", {key: tuple(sorted(shape)) for key, shape in right.items()}).passed


def test_a_shape_with_another_output_is_not_called_turned_round() -> None:
    exercise = ch03.EXERCISES["03.3"]
    draw = exercise.draw()
    right = ch03.shapes(draw)
    for key, rule, _, out, into in draw[1]:
        if rule in ("vector of table", "table of table"):
            other = verdict("03.3", right | {key: ch03.other_axes(out, into) + into})
            assert other.mistake == "another output", (key, rule, other)
            assert verdict("03.3", right | {key: into + out}).mistake == "inputs first"


@pytest.mark.parametrize("entry", [5, "(5,)", 5.0])
def test_what_is_no_shape_is_told_what_one_is(entry: Any) -> None:
    right = ch03.shapes(ch03.EXERCISES["03.3"].draw())
    assert "A shape is a tuple" in "\n".join(verdict("03.3", right | {next(iter(right)): entry}).details)


# --- 03.4


def test_the_example_of_the_chain() -> None:
    f, g = products, lambda a: np.array([a[0] + a[1], a[0] * a[1], a[1] ** 2, a[0] - 2 * a[1]])
    maps = [(h, lambda x, h=h: ch03.numjac(h, x)) for h in (f, g)]
    expected = [[5, 3, 3], [40, 26, 30], [0, 16, 48], [5, 0, -6]]
    np.testing.assert_allclose(ch03.chain(maps, np.array([2.0, 5.0, 1.0])), expected, atol=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_given_jacobians_are_right(seed: int) -> None:
    for case in plain_cases(ch03.EXERCISES["03.4"], seed):
        _, maps, x = case.args
        for f, J in maps:
            np.testing.assert_allclose(J(x), ch03.numjac(f, x), atol=1e-8)
            x = f(x)


def test_other_wrong_chains_do_not_pass() -> None:
    def transposed(maps, x):
        return ch03.chain(maps, x).T

    def only_three(maps, x):
        (f, Jf), (g, Jg), (h, Jh) = maps
        return Jh(g(f(x))) @ Jg(f(x)) @ Jf(x)

    def nearly(maps, x):
        return ch03.chain_by_differences(maps, x) + 0 * maps[0][1](x).sum()

    for form in (transposed, only_three, nearly):
        assert not verdict("03.4", form).passed


# --- 03.5


def test_softmax_agrees_with_differences() -> None:
    Z = np.random.default_rng(0).normal(size=(3, 4))
    for z, J in zip(Z, ch03.softmax_jac(Z), strict=True):
        np.testing.assert_allclose(J, ch03.numjac(lambda z: np.exp(z) / np.exp(z).sum(), z), atol=1e-9)
    np.testing.assert_allclose(ch03.softmax_jac(np.zeros((1, 2))), [[[0.25, -0.25], [-0.25, 0.25]]])


def test_only_one_table_or_a_sum_of_tables_does_not_pass() -> None:
    for form in (lambda Z: ch03.softmax_jac(Z)[0], lambda Z: ch03.softmax_jac(Z).sum(0), lambda Z: ch03.softmax_jac(Z)[::-1]):
        assert not verdict("03.5", form).passed


# --- 03.6


def error_at(f: Any, x: Any, slope: float, step: float) -> float:
    up, down = float(f(x + type(x)(step))), float(f(x - type(x)(step)))
    return abs((up - down) / (2 * step) - slope)


@pytest.mark.parametrize("seed", range(3))
def test_the_best_step_is_where_the_error_is_smallest(seed: int) -> None:
    """Measured, with the slope from a formula in float64: the V has its bottom within a factor of 4 of the best step."""
    for case in plain_cases(ch03.EXERCISES["03.6"], seed):
        waves, x = case.args
        grid = 10.0 ** np.arange(-2.5, 2.6, 0.25)  # of the best step
        errors = np.zeros((len(waves), len(grid)))
        for row, wave in zip(errors, waves, strict=True):
            row[:] = [error_at(wave.f, x, wave.slope, wave.best * times) for times in grid]
        bottom = grid[np.exp(np.log(errors + 1e-300).mean(axis=0)).argmin()]
        assert 0.25 <= bottom <= 4, (case.label, bottom)




@pytest.mark.weekly
def test_the_verdict_on_a_step_does_not_depend_on_luck() -> None:
    def relative(f, x, factor=1.0):
        return factor * float(np.finfo(x.dtype).eps) ** (1 / 3) * max(1, abs(x))

    forms: dict[str, Any] = {
        "relative": relative,
        "a third": lambda f, x: relative(f, x, 1 / 3),
        "three times": lambda f, x: relative(f, x, 3),
        "one hundredth": lambda f, x: relative(f, x, 0.01),
        "a hundred times": lambda f, x: relative(f, x, 100),
        "1e-6": lambda f, x: 1e-6,
        "1e-3": lambda f, x: 1e-3,
        "the root": lambda f, x: np.sqrt(np.finfo(x.dtype).eps) * max(1, abs(x)),
        "an array": lambda f, x: np.array([relative(f, x)]),
    }
    for name, form in forms.items():
        outcomes = {verdict("03.6", form, seed).outcome for seed in range(4)}
        right = name in ("relative", "a third", "three times", "an array")
        assert (outcomes == {PASSED}) is right and (right or PASSED not in outcomes), (name, outcomes)


@pytest.mark.parametrize(
    ("form", "mistake"),
    [
        (lambda f, x: 1e-6, "x is ignored"),
        (lambda f, x: 1e-8, "round-off"),
        (lambda f, x: 0.1, "bent"),
        (lambda f, x: 6e-6 * max(1, abs(x)), "the type is ignored"),
        (lambda f, x: np.finfo(x.dtype).eps ** (1 / 3) * abs(x), "zero at zero"),
        (lambda f, x: np.finfo(x.dtype).eps ** (1 / 3) * max(1, x), "its sign is left"),
    ],
)
def test_a_step_gets_the_hint_that_fits(form: Callable[..., Any], mistake: str) -> None:
    assert verdict("03.6", form).mistake == mistake


def test_what_is_no_number_is_said() -> None:
    assert "a str" in verdict("03.6", lambda f, x: "1e-6").sentence
    assert not verdict("03.6", lambda f, x: float("nan")).passed


# --- what is returned


def listed(form: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: form(*args).tolist()


@pytest.mark.parametrize("id", ["03.1", "03.2", "03.4", "03.5"])
def test_a_table_is_a_numpy_array(id: str) -> None:
    right = ch03.EXERCISES[id].reference
    answer = type("Jac", (right,), {"relu": staticmethod(listed(right.relu))}) if id == "03.2" else listed(right)
    assert "returned a list. What is wanted is a NumPy array" in verdict(id, answer).sentence


def test_what_is_wrong_is_said_where_no_numbers_can_be_compared() -> None:
    assert "equal in every digit" in str(verdict("03.1", lambda f, x, eps=1e-6: ch03.numjac(f, x, eps).round(1)).details)
    eye = verdict("03.4", lambda maps, x: np.eye(len(x)) if len(maps) == 1 else ch03.chain(maps, x))
    assert "J: got shape (3, 3), expected shape (5, 3)" in eye.details


def test_every_column_of_a_wide_softmax_counts() -> None:
    assert not verdict("03.5", lambda Z: ch03.softmax_jac(Z) * (np.arange(Z.shape[1]) < 5)).passed
