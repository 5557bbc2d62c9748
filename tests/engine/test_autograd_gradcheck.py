"""What gradcheck says about a derivative that is wrong: each common mistake is named in the note below the message."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import minigrad as mg
from minigrad.autograd.gradcheck import GradcheckError


def function(forward: Callable, backward: Callable) -> Callable:
    """A custom Function: ``backward(gradient, *inputs)``."""

    class Custom(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, *inputs: Any) -> Any:
            ctx.save_for_backward(*inputs)
            return forward(*inputs)

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return backward(g, *ctx.saved_tensors)

    return Custom.apply


def double(values: Any) -> Any:
    return mg.tensor(values, dtype=mg.float64, requires_grad=True)


def note_of(call: Callable) -> str:
    with pytest.raises(GradcheckError) as caught:
        call()
    note, _ = caught.value.__notes__
    return note


X = [[0.5, 1.5, -2.0], [3.0, -1.0, 0.25]]
ROW, MATRIX = [1.0, 2.0, -0.5], [[1.0, 2.0], [3.0, 4.0]]
ROWS = mg.tensor([0, 0, 1])  # the first row is read twice


def scattered(g: Any, index: Any, like: Any) -> Any:
    """What a backward gives that writes where it should add."""
    result = mg.zeros_like(like)
    result[index] = g
    return result


MISTAKES = {
    "factor": (lambda x: x**2, lambda g, x: g * x, [X], "0.5 times what it should be: a factor is wrong"),
    "complex factor": (lambda x: x * 3, lambda g, x: g * 4.5, [X], "1.5 times what it should be"),
    "sign": (lambda x: x.cos(), lambda g, x: g * x.sin(), [X], "has the wrong sign"),
    "transposed": (
        lambda A, x: A @ x,
        lambda g, A, x: (mg.outer(g, x), A @ g),
        [MATRIX, [1.0, -1.0]],
        "The Jacobian of input 1 is transposed",
    ),
    "not summed": (
        lambda x, row: x + row,
        lambda g, x, row: (g, g[0]),
        [X, ROW],
        "Input 1 has shape [3] and was broadcast to [2, 3]: its gradient is the sum over axes (0,), but some of what was "
        "broadcast is missing in it",
    ),
    "mean for sum": (
        lambda x, column: x * column,
        lambda g, x, column: (g * column, (g * x).mean(1, keepdim=True)),
        [X, [[2.0], [3.0]]],
        "the sum over axes (1,), but it looks like the mean",
    ),
    "not undone": (lambda x: x.flip(1), lambda g, x: g, [X], "right, but stand at the wrong indices"),
    "rolled the same way": (lambda x: x.roll(1, 1), lambda g, x: g.roll(1, 1), [X], "stand at the wrong indices"),
    "written, not added": (
        lambda x: x[ROWS],
        lambda g, x: scattered(g, ROWS, x),
        [X],
        "an element that is indexed twice, gets the sum of all",
    ),
    "nothing": (lambda x: x * 3, lambda g, x: None, [X], "No gradient arrives at input 0"),
    "something else": (
        lambda x: x**2,
        lambda g, x: g * x.exp(),
        [X],
        "6 of 36 entries differ for input 0. The first: output element (0, 0) by input element (0, 0) is 1 numerically, "
        "1.64872 analytically",
    ),
}


@pytest.mark.parametrize("fast_mode", [False, True])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_wrong_rule_is_named(mistake: str, fast_mode: bool) -> None:
    forward, backward, values, expected = MISTAKES[mistake]
    inputs = [double(value) for value in values]
    if mistake == "transposed":
        inputs[0].requires_grad_(False)
    custom = function(forward, backward)
    assert expected in note_of(lambda: mg.autograd.gradcheck(custom, inputs, fast_mode=fast_mode))


def test_the_right_rules_pass() -> None:
    """So that none of the mistakes is one only because of the function around it."""
    rules: list[tuple[Callable, Callable, list]] = [
        (lambda x: x**2, lambda g, x: 2 * g * x, [X]),
        (lambda x: x.cos(), lambda g, x: -g * x.sin(), [X]),
        (lambda A, x: A @ x, lambda g, A, x: (mg.outer(g, x), A.t() @ g), [MATRIX, [1.0, -1.0]]),
        (lambda x, row: x + row, lambda g, x, row: (g, g.sum(0)), [X, ROW]),
        (lambda x, row: x + row, lambda g, x, row: (g, g), [X, ROW]),  # the engine sums over what was broadcast
        (lambda x: x.roll(1, 1), lambda g, x: g.roll(-1, 1), [X]),
    ]
    for forward, backward, values in rules:
        assert mg.autograd.gradcheck(function(forward, backward), [double(v) for v in values])


def test_a_corner_is_no_mistake() -> None:
    note = note_of(lambda: mg.autograd.gradcheck(mg.relu, double([1.0, 0.0])))
    assert note.startswith("Element (1,) of input 0 is a corner of the function: its slope is 0 on one side and 1 on")


def test_a_corner_does_not_hide_a_mistake() -> None:
    custom = function(lambda x: x.relu(), lambda g, x: g * (x > 0) * 2)
    assert "corner" not in note_of(lambda: mg.autograd.gradcheck(custom, double([1.0, 0.0])))


def test_single_precision() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    with pytest.warns(UserWarning, match="not a double precision"):
        note = note_of(lambda: mg.autograd.gradcheck(mg.exp, x))
    assert note.startswith("Input 0 is minigrad.float32.") and "float64" in note


def test_the_note_counts_several_outputs() -> None:
    class Two(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2, x * 3

        @staticmethod
        def backward(ctx: Any, g: Any, h: Any) -> Any:
            return g * 2 + h * 6

    with pytest.raises(GradcheckError, match="output 1 with respect to input 0") as caught:
        mg.autograd.gradcheck(Two.apply, double(ROW))
    assert caught.value.__notes__[0] == "The gradient of input 0 is 2 times what it should be: a factor is wrong."


# -- second derivatives ----------------------------------------------------------------------------------------------------


class KeepsIntermediate(mg.autograd.Function):
    """Right once, wrong twice: the intermediate has no history."""

    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        ctx.e = x.exp()
        return ctx.e * 1

    @staticmethod
    def backward(ctx: Any, g: Any) -> Any:
        return g * ctx.e


class OnceOnly(mg.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Any) -> Any:
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @mg.autograd.function.once_differentiable
    def backward(ctx: Any, g: Any) -> Any:
        (y,) = ctx.saved_tensors
        return g * y


@pytest.mark.parametrize("custom", [KeepsIntermediate, OnceOnly])
def test_a_dead_second_derivative_is_told_with_its_cause(custom: Any) -> None:
    x, v = double(ROW), double([1.0, 0.5, 2.0])
    assert mg.autograd.gradcheck(custom.apply, x)
    note = note_of(lambda: mg.autograd.gradgradcheck(custom.apply, x, v))
    assert note.startswith("The first derivative changes with input 0, but its graph does not know.")
    assert "once_differentiable" in note and "save_for_backward" in note


def test_a_wrong_second_derivative_is_named() -> None:
    first = function(lambda x: x.sin(), lambda g, x: g * wrong_cos(x))
    wrong_cos = function(lambda x: x.cos(), lambda g, x: g * x.sin())
    assert mg.autograd.gradcheck(first, double(ROW))
    note = note_of(lambda: mg.autograd.gradgradcheck(first, double(ROW), double([1.0, 1.0, 1.0])))
    assert note == "The gradient of input 0 has the wrong sign."


# -- what else fails -------------------------------------------------------------------------------------------------------


def test_what_is_no_jacobian_has_no_note() -> None:
    """The other failures say what they are in their message."""
    constant = function(lambda x: x * 2, lambda g, x: mg.full_like(x, 2.0))
    with pytest.raises(GradcheckError, match="mismatch"):
        mg.autograd.gradcheck(constant, double(ROW))
    with pytest.raises(GradcheckError, match="backward not multiplied by grad_output"):
        mg.autograd.gradcheck(constant, double([1.0]))
    with pytest.raises(GradcheckError, match="Numerical gradient for function expected to be zero") as caught:
        mg.autograd.gradcheck(lambda x: x.detach() * 2, double(ROW))
    assert not hasattr(caught.value, "__notes__")


def test_inputs_are_left_as_they_were() -> None:
    x = double(X)
    before = x.detach().clone()
    with pytest.raises(ValueError, match="stop"):
        mg.autograd.gradcheck(_stops_at_the_third_call(), x)
    mg.autograd.gradcheck(lambda x: x**3, x, fast_mode=True)
    assert bool((x == before).all()) and x._version == 0 and x.grad is None


def _stops_at_the_third_call() -> Callable:
    calls = []

    def func(x: Any) -> Any:
        calls.append(x)
        if len(calls) == 3:
            raise ValueError("stop")
        return x * 2

    return func
