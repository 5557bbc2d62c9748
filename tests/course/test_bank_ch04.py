"""What the exercises of chapter 04 say about their own programs and rules is true, case by case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases

import minigrad as mg
from minigrad.course.bank import ch04
from minigrad.course.judge import ERROR, judge

RIGHT_AND_WRONG = [*ch04.RIGHT, *ch04.WRONG]


def by_differences(f: Callable[..., Any], v: Any, x: np.ndarray) -> np.ndarray:
    """vᵀJ entry by entry, from f alone."""
    g = np.zeros(x.shape)
    for k in np.ndindex(x.shape):
        e = np.zeros(x.shape)
        e[k] = 1e-6
        g[k] = np.sum(v * (f(x + e) - f(x - e))) / 2e-6
    return g


@pytest.mark.parametrize(
    ("rule", "code"), [(rule, code) for rule in ch04.OUTCOMES for code in ch04.OUTCOMES[rule]]
)
def test_a_line_ends_as_its_rule_says(rule: str, code: str) -> None:
    draw = (("a", rule, code),)
    assert ch04.outcomes(draw) == ch04.outcomes_by_rule(draw)


def test_the_third_hint_of_the_prediction_counts_right() -> None:
    exercise = ch04.EXERCISES["04.3"]
    for seed in range(5):
        words = list(exercise.reference(exercise.draw(seed)).values())
        counts = {word: words.count(word) for word in ("ok", "scalar-only", "shape", "type")}
        assert counts == {"ok": 4, "scalar-only": 1, "shape": 3, "type": 3}


@pytest.mark.parametrize(("name", "f", "vjp", "shape"), RIGHT_AND_WRONG, ids=[r[0] for r in RIGHT_AND_WRONG])
def test_every_rule_is_right_for_ones_and_only_right_ones_for_random_v(
    name: str, f: Any, vjp: Any, shape: tuple[int, ...]
) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=shape)
    ones, v = np.ones(np.shape(f(x))), rng.normal(size=np.shape(f(x)))
    np.testing.assert_allclose(vjp(ones, x), by_differences(f, ones, x), rtol=1e-6, atol=1e-8)
    right = np.allclose(vjp(v, x), by_differences(f, v, x), rtol=1e-6, atol=1e-8)
    assert right == (name in [rule[0] for rule in ch04.RIGHT])


def survivors(judge: Callable[..., bool]) -> list[str]:
    rng = np.random.default_rng(0)
    return [name for name, f, vjp, shape in ch04.WRONG if judge(f, vjp, rng.normal(size=shape))]


def test_who_survives_a_poor_judge() -> None:
    """The lesson and the explanation count them."""
    assert (len(ch04.RIGHT), len(ch04.WRONG), len(ch04.PLAINLY_WRONG)) == (10, 14, 4)
    assert len(survivors(ch04.judge_by(ch04.ones, ch04.normal))) == 14
    assert len(survivors(ch04.judge_by(ch04.normal, ch04.ones))) == 5
    assert survivors(ch04.judge_by(ch04.positive, ch04.normal)) == ["exp, |v| with one sign for all"]
    assert survivors(ch04.u_is_v) == ["roll, rolled on"]
    assert survivors(ch04.dot_test) == []


FORWARD: dict[str, Callable[..., Any]] = {
    "transpose": lambda v, axes: (lambda x: np.transpose(x, axes), [v.shape[k] for k in np.argsort(axes)]),
    "sum": lambda v, shape, axis: (lambda x: x.sum(axis), shape),
    "mean": lambda v, shape, axis: (lambda x: x.mean(axis), shape),
    "index": lambda v, shape, rows: (lambda x: x[rows], shape),
    "unbroadcast": lambda v, shape: (lambda x: np.broadcast_to(x, v.shape), shape),
}


CASES = plain_cases(ch04.EXERCISES["04.6"])


@pytest.mark.parametrize("case", CASES, ids=[case.label for case in CASES])
def test_the_rules_agree_with_differences(case: Any) -> None:
    rule, v, *rest = case.args
    got = getattr(ch04.VJP, rule)(v, *rest)
    if rule == "matmul":
        A, B = rest
        np.testing.assert_allclose(got[0], by_differences(lambda A: A @ B, v, A), atol=1e-7)
        np.testing.assert_allclose(got[1], by_differences(lambda B: A @ B, v, B), atol=1e-7)
        return
    f, shape = FORWARD[rule](v, *rest)
    x = np.random.default_rng(1).normal(size=shape)
    assert np.shape(got) == x.shape
    np.testing.assert_allclose(got, by_differences(f, v, np.asarray(x)), atol=1e-7)


def test_the_examples_in_the_statements() -> None:
    x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
    neighbours = lambda x: x[:-1] * x[1:]  # noqa: E731
    assert ch04.spell_out(neighbours(x), mg.tensor([1.0, 10.0, 100.0])).item() == 1262
    assert ch04.row(neighbours, x, 1).tolist() == [0, 3, 2, 0]

    t, seen = mg.tensor([0.0, 1.0, 2.0, 3.0]), mg.tensor([1.0, 3.0, 5.0, 0.0])
    line = mg.tensor([1.0, 2.0], requires_grad=True)
    weights = mg.tensor([1.0, 1.0, 1.0, 0.1])
    got = ch04.weighted_grad(lambda line: (line[0] + line[1] * t - seen) ** 2, line, weights)
    assert repr(got) == "tensor([1.4000, 4.2000])"

    x, v = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([1.0, 0.0, 10.0])
    head2 = lambda h: mg.stack([3 * h[0], h[0] * h[1], h[1] ** 2 / 2])  # noqa: E731
    ch04.two_heads(x, lambda x: x**2, lambda h: h.sum(), head2, v)
    assert repr(x.grad) == "tensor([  8., 164.])"

    rows = np.array([2, 0, 2])
    assert ch04.VJP.index(np.array([1.0, 10.0, 100.0]), (3,), rows).tolist() == [10, 0, 101]


def verdict(id: str, answer: Any) -> Any:
    return judge(ch04.EXERCISES[id], answer)


def test_errors_of_shape_are_told_apart() -> None:
    def too_late(losses_of, theta, w):
        losses_of(theta).sum().backward()
        return theta.grad * w

    def like_theta(losses_of, theta, w):
        losses_of(theta).backward(mg.ones(len(theta)))
        return theta.grad

    def another_theta(losses_of, theta, w):
        losses_of(mg.ones(99, requires_grad=True)).backward(w)
        return theta.grad

    assert verdict("04.4", too_late).mistake == "weights on the gradient"
    assert verdict("04.4", like_theta).mistake == "v like theta"
    assert verdict("04.4", another_theta).outcome == ERROR


@pytest.mark.parametrize(
    "form",
    [
        lambda losses, theta, w: (w * losses).backward(mg.ones(losses.shape)),
        lambda losses, theta, w: (w @ losses).backward(),
        lambda losses, theta, w: sum(a * b for a, b in zip(w, losses, strict=True)).backward(),
        lambda losses, theta, w: (losses / (1 / (w + 1e-12))).sum().backward(),
    ],
)
def test_no_way_of_building_the_sum_passes(form: Callable[..., Any]) -> None:
    def answer(losses_of, theta, w):
        form(losses_of(theta), theta, w)
        return theta.grad

    assert verdict("04.4", answer).mistake == "the sum is built"


def test_a_traceback_shows_nothing_of_the_checker() -> None:
    def misled(losses_of, theta, w):
        return losses_of(theta, w)

    def twice(losses_of, theta, w):
        losses = losses_of(theta)
        losses.backward(w)
        losses.sum().backward()
        return theta.grad

    for answer in (misled, twice):
        found = verdict("04.4", answer)
        assert found.outcome == ERROR or found.mistake == "twice"
        inside = ("/ch04", "watched", "<locals>", "minigrad/")
        assert not any(words in found.trace for words in inside)


def test_what_a_rule_returned_that_is_no_array_is_told() -> None:
    def forgotten(v, axes):
        np.transpose(v, np.argsort(axes))

    without = verdict("04.6", ch04.with_rule(transpose=forgotten))
    assert "Did you forget `return`?" in without.sentence
    listed = verdict("04.6", ch04.with_rule(transpose=lambda v, axes: np.transpose(v, np.argsort(axes)).tolist()))
    assert "a list, not an array" in listed.details[-1]


STEPS = {
    "one side, 1e-8": lambda f, x, u: (f(x + 1e-8 * u) - f(x)) / 1e-8,
    "both sides, 1e-4": lambda f, x, u: ch04.central(f, x, u, 1e-4),
    "one side, 1e-6": ch04.one_sided,
    "both sides, 1e-10": lambda f, x, u: ch04.central(f, x, u, 1e-10),
}
TOLERANCES = {
    "isclose": np.isclose,
    "absolute 1e-3": lambda a, b: abs(a - b) < 1e-3,
    "absolute 1e-2": lambda a, b: abs(a - b) < 1e-2,
    "relative 1e-1": lambda a, b: np.isclose(a, b, rtol=0.1),
}


@pytest.mark.weekly
def test_the_verdict_on_a_judge_does_not_depend_on_luck() -> None:
    judges = {name: ch04.judge_by(ch04.normal, ch04.normal, np.isclose, step) for name, step in STEPS.items()}
    judges |= {name: ch04.judge_by(ch04.normal, ch04.normal, equal) for name, equal in TOLERANCES.items()}
    passed = {name for name, form in judges.items() if verdict("04.7", form).passed}
    assert passed == {"one side, 1e-8", "both sides, 1e-4", "isclose", "absolute 1e-3"}
    for name, form in judges.items():
        assert {verdict("04.7", form).passed for _ in range(3)} == {name in passed}


def test_a_word_that_is_none_of_the_four_is_named() -> None:
    exercise = ch04.EXERCISES["04.3"]
    answer = exercise.reference(exercise.draw())
    key = next(key for key, word in answer.items() if word == "type")
    for word in ("TypeError", "Type", True):
        details = verdict("04.3", answer | {key: word}).details
        assert "none of the words: 'ok', 'scalar-only', 'shape', 'type'" in details[0]


def aside(compute: Callable[..., Any]) -> Callable[..., Any]:
    """The right pass, and something besides."""

    def answer(losses_of, theta, w):
        losses = losses_of(theta)
        compute(losses, w)
        losses.backward(w)
        return theta.grad

    return answer


def without_recording(losses: Any, w: Any) -> Any:
    with mg.no_grad():
        return (losses * w).sum()


SUMS = {
    "detached": lambda losses, w: losses.detach() * w,
    "NumPy": lambda losses, w: losses.detach().numpy() @ w.numpy(),
    "a list": lambda losses, w: losses.tolist(),
    "no_grad": without_recording,
    "a copy": lambda losses, w: losses.detach().clone(),
    "recorded": lambda losses, w: (losses * w).sum(),
    "reshaped": lambda losses, w: losses.reshape(1, -1),
}


@pytest.mark.parametrize("compute", SUMS.values(), ids=SUMS)
def test_what_is_computed_from_the_losses_is_seen(compute: Any) -> None:
    assert verdict("04.4", aside(compute)).mistake == "the sum is built"


def test_losses_may_be_printed_and_asked_for_their_shape() -> None:
    assert verdict("04.4", aside(lambda losses, w: print(losses, losses.detach().numpy(), losses.shape, len(losses)))).passed
    assert verdict("04.4", lambda f, theta, w: mg.autograd.grad(f(theta), theta, w, create_graph=True)[0].detach()).passed


def test_a_python_float_is_no_array() -> None:
    rule = ch04.with_rule(unbroadcast=lambda v, shape: ch04.VJP.unbroadcast(v, shape) if shape else float(v.sum()))
    assert "a float, not an array" in str(verdict("04.6", rule).details)
