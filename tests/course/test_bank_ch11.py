"""What the exercises and the lesson of chapter 11 say about their own programs is true, line by line."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from spellings import ch11 as ch11_spelled

import minigrad as mg
from minigrad.course import bank
from minigrad.course.bank import ch11
from minigrad.course.judge import KNOWN, WRONG, judge
from minigrad.course.showing.render import verdict_text

pytestmark = pytest.mark.full

LINES = [
    (y, f"y = {code};  {written} += 1", word)
    for kind, codes in (
        ("output", ch11.KEEPS_OUTPUT),
        ("input", ch11.KEEPS_INPUT),
        ("nothing", ch11.KEEPS_NOTHING),
        ("k", ch11.KEEPS_K),
    )
    for code in codes
    for y, written, word in [
        (f"{kind} kept, {what} written", name, ch11.BREAKS.get(f"{kind} kept, {what} written"))
        for what, name in (("output", "y"), ("input", "x"), ("x", "x"), ("k", "k"))
    ]
    if word is not None
]


@pytest.mark.parametrize("library", ["minigrad", pytest.param("torch", marks=pytest.mark.torch)])
def test_every_line_that_can_be_drawn_ends_as_its_rule_says(library: str) -> None:
    space = {**bank.exercises("11", library)["11.7"].space, **bank.exercises("11", library)["11.2"].space}
    space |= bank.exercises("11", library)["11.1"].space
    assert len(LINES) == 2 * (6 + 6 + 6 + 4)
    for rule, code, word in LINES:
        assert space["line_breaks"](code) == word, (rule, code)
    for rule, (outcome, codes) in space["LEAF_RULE"].items():
        for code in codes:
            assert space["after"](code) == outcome, (rule, code)
    for rule, (outcome, codes) in space["DOORS"].items():
        for code in codes:
            assert space["door"](code) == outcome, (rule, code)


@pytest.mark.parametrize(
    ("id", "counts"),
    [
        ("11.1", {"raises": 5, "ok": 7}),
        ("11.2", {"leaf": 1, "view": 1, 0: 3, 1: 2, 2: 1}),
        ("11.7", {"right": 3, "wrong": 2, "raises": 1}),
    ],
)
def test_the_third_hint_of_a_prediction_counts_right(id: str, counts: dict[Any, int]) -> None:
    exercise = ch11.EXERCISES[id]
    for seed in range(5):
        assert Counter(exercise.reference(exercise.draw(seed)).values()) == counts
    assert len({exercise.program(exercise.draw(seed)) for seed in range(20)}) == 20


def told(id: str, answer: Any) -> str:
    """All that a learner reads about an answer."""
    return verdict_text(judge(ch11.EXERCISES[id], answer), "")


@pytest.mark.weekly
def test_every_wrong_version_is_answered() -> None:
    exercise = ch11.EXERCISES["11.2"]
    right = exercise.reference(exercise.draw())
    for key, rule, _ in exercise.draw():
        for value in {"leaf", "view", 0, 1, 2, 7} - {right[key]}:
            assert judge(exercise, right | {key: value}).hint or ch11.BY_RULE[rule] in "\n".join(
                judge(exercise, right | {key: value}).details
            )
        assert "without quotes" in told("11.2", right | {key: "1"})
    assert "Still open: A." in told("11.2", right | {"A": ...})


def sgd_optimizer(params, lr):
    mg.optim.SGD(params, lr=lr).step()


def sgd_continue(params, lr):
    for p in params:
        if p.grad is None:
            continue
        with mg.no_grad():
            p.add_(p.grad, alpha=-lr)


def sgd_mul(params, lr):
    with mg.set_grad_enabled(False):
        for p in params:
            if p.grad is not None:
                p.mul_(1).sub_(lr * p.grad)


@pytest.mark.parametrize("answer", [sgd_optimizer, sgd_continue, sgd_mul])
def test_a_step_may_be_written_in_many_ways(answer: Any) -> None:
    verdict = judge(ch11.EXERCISES["11.3"], answer)
    assert verdict.passed and not verdict.hint


def test_a_note_need_not_be_about_the_price() -> None:
    assert "Right, with a note." in told("11.3", ch11.sgd_data)


def test_a_step_that_raises_names_the_leaf_rule_also_for_a_view() -> None:
    def step(params, lr):
        for p in params:
            p[:] = p - lr * p.grad

    assert judge(ch11.EXERCISES["11.3"], step).outcome == KNOWN


def test_a_step_of_another_size_is_wrong() -> None:
    def step(params, lr):
        with mg.no_grad():
            for p in params:
                if p.grad is not None:
                    p -= 2 * lr * p.grad

    assert judge(ch11.EXERCISES["11.3"], step).outcome == WRONG


def test_a_trap_must_give_a_scalar_with_a_graph() -> None:
    assert "a scalar" in told("11.4", lambda w, window: mg.exp(w))
    assert "returned a float" in told("11.4", lambda w, window: mg.exp(w).sum().item())
    assert "trap returned None" in told("11.4", lambda w, window: print())


def test_a_trap_may_write_to_whatever_was_saved() -> None:
    def softmax(w, window):
        p = mg.softmax(w, 0)
        window(p).copy_(mg.ones_like(p))
        return (p * mg.arange(len(w))).sum()

    def product(w, window):
        h = w.clone()
        L = h.prod()
        window(h)[0] += 3
        return L

    for answer in (softmax, product):
        assert judge(ch11.EXERCISES["11.4"], answer).passed


def test_the_numbers_in_the_statements() -> None:
    def loss1(h):
        return (h**2).sum()

    def loss2(h):
        return mg.exp(h).sum()

    def step(w):
        with mg.no_grad():
            w -= 0.1 * w.grad
        w.grad = None

    for repair, expected in (
        (ch11.Repair.gradients_first, [0.7837, 2.1790]),
        (ch11.Repair.forward_again, [0.7738, 2.1917]),
    ):
        w = mg.tensor([1.0, 2.0], requires_grad=True)
        repair(w, mg.sin, loss1, loss2, step)
        np.testing.assert_allclose(w.tolist(), expected, atol=6e-5)
    w = mg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="version 1; expected version 0"):
        ch11.as_given(w, mg.sin, loss1, loss2, step)
    bias = mg.tensor([1.0, 2.0], requires_grad=True)
    (bias**2).sum().backward()
    ch11.sgd_step_([bias], 0.5)
    assert bias.tolist() == [0.0, 0.0] and bias._version == 1 and bias.grad.tolist() == [2.0, 4.0]
    assert len(ch11.SCENARIOS) == 11


def test_a_repair_is_judged_method_by_method() -> None:
    half = ch11.repair(forward_again=lambda w, trunk, loss1, loss2, step: ...)
    assert "forward_again" in told("11.5", half)
    assert "step(w) was called while w.grad is None" in told(
        "11.5", ch11.repair(gradients_first=lambda w, trunk, loss1, loss2, step: step(w))
    )


def test_the_counter_may_hold_anything_that_counts() -> None:
    class Dict(ch11.Versioned):
        def save(self):
            memory, note = self, {"version": self.version()}

            def unpack():
                if memory.version() != note["version"]:
                    raise RuntimeError("now {}, then {}".format(memory.version(), note["version"]))
                return list(memory.numbers)

            return unpack

    assert judge(ch11.EXERCISES["11.6"], Dict).passed


@pytest.mark.parametrize(
    ("method", "body", "text"),
    [
        ("window", lambda self, start: None, "window(1) returned None, and no Versioned"),
        ("window", lambda self, start: self.numbers[start:], "window(1) returned a NumPy array, and no Versioned"),
        ("save", lambda self: None, "no function: save() returned None"),
        ("save", lambda self: lambda: self.nmbers, "has no attribute 'nmbers'"),
        ("save", lambda self: lambda: print(1 / 0), "an error that is no RuntimeError"),
    ],
)
def test_what_an_unfinished_counter_lacks_is_said(method: str, body: Any, text: str) -> None:
    assert text in told("11.6", type("Versioned", (ch11.Styled,), {method: body}))


@pytest.mark.parametrize("answer", [ch11_spelled.NewArrayToo, ch11_spelled.BothCopyToo])
def test_copies_and_a_new_array_do_the_same_and_are_told_the_same(answer: type) -> None:
    assert judge(ch11.EXERCISES["11.6"], answer).mistake == "what is written stays in one array"
