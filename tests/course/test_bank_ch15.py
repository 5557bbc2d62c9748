"""What the exercises of chapter 15 say is true, and near misses are judged as they should be."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from spellings import ch15 as spelled

import minigrad as mg
from minigrad.course.bank import ch15
from minigrad.course.judge import ERROR, KNOWN, NOT_ATTEMPTED, PASSED, WRONG, judge

pytestmark = pytest.mark.full


def verdict(id: str, answer: Any) -> Any:
    return judge(ch15.EXERCISES[id], answer)


# --- 15.4: every order of the five lines

GIVEN = "bslzp"  # as in the starter


def kind_of(order: str) -> str:
    """What an order of the lines z, p, l, b, s deserves, from the rules in the text."""
    at = {letter: place for place, letter in enumerate(order)}
    if not at["p"] < at["l"] < at["b"]:
        return "error"  # a name is used before it has a value
    circle = order[at["b"] + 1 :] + order[: at["b"]]  # what comes after backward, round by round
    if circle.index("z") < circle.index("s"):
        return "zero after backward"
    if at["s"] > at["b"]:
        return "right"
    return "step before backward" if at["s"] < at["p"] else "step between forward and backward"


@pytest.mark.sampled(30, weekly=6)
@pytest.mark.parametrize("order", ["".join(p) for p in itertools.permutations("zplbs")])
def test_every_order_of_the_loop_gets_what_it_deserves(order: str) -> None:
    told = verdict("15.4", ch15.loop(order))
    expected = kind_of(order)
    if order == GIVEN:
        assert told.outcome == NOT_ATTEMPTED
    elif expected == "right":
        assert told.outcome == PASSED
    elif expected == "error":
        assert told.outcome == ERROR and "UnboundLocalError" in told.sentence
    else:
        assert (told.outcome, told.mistake) == (KNOWN, expected)


def test_there_are_four_right_orders() -> None:
    assert [kind_of("".join(o)) for o in itertools.permutations("zplbs")].count("right") == 4


def test_the_loop_of_15_4_is_broken_as_it_was_given() -> None:
    space: dict[str, Any] = {}
    exec(ch15.TRAIN_STARTER, space)
    model = mg.nn.Linear(1, 1)
    with pytest.raises(UnboundLocalError):
        space["train"](model, mg.nn.MSELoss(), mg.optim.SGD(model.parameters()), [(mg.ones(1, 1), mg.ones(1, 1))])


# --- What is said in numbers


def test_the_examples_in_the_statements() -> None:
    loss, gradient = ch15.mse(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    assert loss == 2.0 and gradient.tolist() == [0.0, -2.0]

    w = mg.tensor([1.0, 1.0], dtype=mg.float64, requires_grad=True)
    w.grad = mg.tensor([7.0, -0.001], dtype=mg.float64)
    ch15.Adam([w], lr=0.1).step()
    assert repr(w) == "tensor([0.9000, 1.1000], dtype=minigrad.float64, requires_grad=True)"

    mg.manual_seed(3)
    batch, targets = mg.randn(6, 3), mg.randn(6)
    small = mg.nn.Sequential(mg.nn.Linear(3, 16), mg.nn.Tanh(), mg.nn.Linear(16, 1))
    losses = ch15.overfit(small, batch, targets)
    assert round(losses[0], 2) == 1.69 and losses[-1] < ch15.BOUND

    point = mg.tensor([1.0, 2.0, 3.0], dtype=mg.float64, requires_grad=True)
    assert ch15.gradient_is_right(lambda: (point**3).sum(), [point])
    assert not ch15.gradient_is_right(lambda: (point**2 * point.detach()).sum(), [point])


@pytest.mark.parametrize(
    ("correct", "factor"), [((True, True), 1.0), ((False, False), 3.16), ((True, False), 31.6), ((False, True), 0.1)]
)
def test_the_first_steps_that_the_hints_name(correct: tuple[bool, bool], factor: float) -> None:
    w = mg.zeros(2, dtype=mg.float64, requires_grad=True)
    w.grad = mg.tensor([7.0, -1e4], dtype=mg.float64)
    ch15.adam(correct=correct)([w], lr=1.0).step()
    assert np.allclose(w.detach().numpy(), [-factor, factor], rtol=2e-3)


def test_a_column_against_a_row_learns_the_mean() -> None:
    q, t = mg.zeros(4, 1, requires_grad=True), mg.tensor([1.0, 2.0, 3.0, 4.0])
    for _ in range(200):
        q.grad = None
        ((q - t) ** 2).mean().backward()
        with mg.no_grad():
            q -= 0.5 * q.grad
    assert mg.allclose(q, mg.full((4, 1), 2.5))


# --- Near misses


@pytest.mark.parametrize("error", [AssertionError, TypeError, RuntimeError])
def test_another_error_than_value_error_does_not_pass(error: type[Exception]) -> None:
    def answer(p: Any, t: Any) -> Any:
        if p.shape != t.shape:
            raise error("shapes")
        return ch15.mse(p, t)

    assert not verdict("15.1", answer).passed


def test_a_value_error_for_everything_does_not_pass() -> None:
    def answer(p: Any, t: Any) -> Any:
        raise ValueError("the shapes differ")

    assert verdict("15.1", answer).outcome == ERROR


def test_a_net_with_one_function_left_open_says_which() -> None:
    for part in ("parameters", "forward", "linear_vjp"):
        told = verdict("15.2", ch15.net(**{part: lambda *args: ...}))
        assert not told.passed and told.case.startswith(part)


def test_a_mistake_behind_a_right_function_is_named() -> None:
    wrong = ch15.net(forward=ch15.forward_plain, linear_vjp=lambda v, x, W: (v @ W, v.T @ x, v))
    assert verdict("15.2", wrong).mistake == "forward: no tanh"


def test_another_function_than_tanh_does_not_pass() -> None:
    answer = ch15.net(forward=lambda x, parameters: spelled.passing(x, parameters, mg.sigmoid, spelled.same))
    assert verdict("15.2", answer).outcome == WRONG


def test_adam_that_is_another_optimizer_does_not_pass() -> None:
    class Sign(ch15.Adam):
        """Right for one step only."""

        def step(self) -> None:
            with mg.no_grad():
                for p in self.params:
                    if p.grad is not None:
                        p -= self.lr * p.grad.sign()

    class RMSprop(ch15.Adam):
        def step(self) -> None:
            betas, self.betas = self.betas, (0.0, self.betas[1])
            super().step()
            self.betas = betas

    for wrong in (Sign, RMSprop):
        assert not verdict("15.3", wrong).passed


def test_adam_with_no_memory_of_its_calls_does_not_pass() -> None:
    class Forgets(ch15.Adam):
        def step(self) -> None:
            self.__init__(self.params, self.lr, self.betas, self.eps)  # type: ignore[misc]
            super().step()

    assert not verdict("15.3", Forgets).passed


def test_losses_of_a_lucky_list_do_not_pass() -> None:
    def pretend(model: Any, x: Any, t: Any) -> list[float]:
        with mg.no_grad():
            return [((model(x)[:, 0] - t) ** 2).mean().item(), 0.0001]

    assert verdict("15.6", pretend).mistake == "another model learned"


@pytest.mark.parametrize("word", [True, False])
def test_a_judge_that_always_says_the_same_does_not_pass(word: bool) -> None:
    assert not verdict("15.7", lambda loss, params: word).passed


def test_the_gradients_that_ones_cannot_tell_have_the_right_sum() -> None:
    g = np.random.default_rng(15).normal(size=(4, 3))
    for name in ("moved on by one place", "turned round", "replaced by its mean"):
        assert np.isclose(ch15.BENDS[name](g).sum(), g.sum()) and not np.allclose(ch15.BENDS[name](g), g)


def test_the_graph_of_an_evaluation_is_counted_when_it_is_made() -> None:
    def keeps_nothing(model: Any, x: Any, labels: Any) -> float:
        """The model's own scores are detached, but a graph was there."""
        mode = model.training
        model.eval()
        value = ch15.share(model(x).detach(), labels)
        model.train(mode)
        return value

    assert verdict("15.5", keeps_nothing).mistake == "detached afterwards"


@pytest.mark.sampled(1, weekly=5)
@pytest.mark.parametrize("bound", [1e-12, 1e-8, 1e-5, 1e-2, 1.0])
def test_an_absolute_tolerance_of_any_size_is_not_called_turned_round(bound: float) -> None:
    told = verdict("15.7", ch15.directional(agree=lambda slope, change: abs(slope - change) < bound))
    narrow = "numbers must be equal" if bound < 1e-9 else "an absolute tolerance"
    assert told.mistake == ("a wide absolute tolerance" if bound == 1 else narrow)


def test_a_verdict_may_be_a_tensor_too() -> None:
    def in_tensors(loss: Any, params: Any) -> Any:
        return mg.tensor(ch15.gradient_is_right(loss, params))

    assert verdict("15.7", in_tensors).outcome == PASSED


# --- Right in the first situation only


def by_sorted_shapes(p: Any, t: Any) -> Any:
    if sorted(p.shape) != sorted(t.shape):
        raise ValueError("shapes")
    return ch15.mse_unchecked(p, t)


class ByPosition(ch15.Adam):
    """m, v and t of a parameter are those of its place among the ones that have a gradient."""

    def step(self) -> None:
        everything = self.params
        self.params = [p for p in everything if p.grad is not None]
        super().step()
        self.params = everything


def the_best_so_far(model: Any, x: Any, t: Any) -> list[float]:
    losses = ch15.fitting(ch15.in_one_row, 0.1, 2000)(model, x, t)
    return [min(losses[: k + 1]) for k in range(len(losses))]


def nan_is_right(slope: float, change: float) -> bool:
    return not abs(slope - change) > 1e-4 * (abs(slope) + abs(change))


@pytest.mark.parametrize(
    ("id", "answer", "case", "told"),
    [
        ("15.1", by_sorted_shapes, "shapes: (4, 1) and (1, 4)", ""),
        (
            "15.2",
            ch15.net(forward=lambda x, parameters: spelled.passing(x, parameters, lambda h: mg.tanh(h).detach(), spelled.same)),
            "forward: two layers",
            "→ W1: got 'none came'",
        ),
        ("15.2", ch15.net(forward=lambda x, parameters: list(ch15.Net.forward(x, parameters))), "forward", "returned a list"),
        ("15.3", ByPosition, "the first parameter has no gradient in step 2", ""),
        ("15.6", the_best_so_far, "batch", "each once: got False"),
        ("15.6", lambda model, x, t: sorted(the_best_so_far(model, x, t), reverse=True), "batch", "each once: got False"),
        ("15.6", lambda model, x, t: (model, [0.0]), "batch", "returned a tuple with a Sequential in it"),
        ("15.7", ch15.directional(agree=nan_is_right), "NaN", ""),
    ],
)
def test_what_a_second_situation_shows(id: str, answer: Any, case: str, told: str) -> None:
    got = verdict(id, answer)
    assert got.outcome == WRONG and case in got.case and told in " ".join([got.sentence, *got.details]), got


def test_only_what_an_answer_was_given_is_called_its_input() -> None:
    assert not any("Input:" in line for line in verdict("15.7", lambda loss, params: False).details)


def test_an_error_of_len_is_not_told_as_a_comparison_of_lengths() -> None:
    def by_rows(p, t):
        if p.shape != t.shape:
            raise ValueError("shapes")
        return sum(((p[i] - t[i]) ** 2).sum() for i in range(len(p))) / p.size, 2 * (p - t) / p.size

    assert verdict("15.1", by_rows).outcome == ERROR
