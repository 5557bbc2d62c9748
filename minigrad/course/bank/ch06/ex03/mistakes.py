"""06.3 zero_grad: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch06.ex03.answer import zero_grad
from minigrad.course.bank.shared import RETURNS
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, but for what it returns
MISTAKES: dict[str, Mistake] = {}


def zero_grad_returned(params, set_to_none=True):
    params = list(params)
    zero_grad(params, set_to_none)
    return params


WASTEFUL["something is returned"] = Mistake(
    zero_grad_returned, f"The gradients are cleared, {RETURNS}"
)


def zeroing(one: Callable[[Any], Any], guarded: bool = True) -> Callable[..., None]:
    """An answer that does this with each parameter where zeros are wanted, perhaps only where there is a gradient."""

    def answer(params: Any, set_to_none: bool = True) -> None:
        for p in params:
            if set_to_none:
                p.grad = None
            elif not guarded or p.grad is not None:
                one(p)

    return answer


def times_zero(p: Any) -> None:
    p.grad *= 0


MISTAKES["times 0"] = Mistake(
    zeroing(times_zero),
    "A zero that is computed need not be one: nan · 0, inf · 0 and nan − nan are all nan. One bad gradient would stay in "
    "`.grad` for ever. **Write** zeros, do not compute them: `p.grad.zero_()`.",
)

NOT_REACHED = (
    "One of the parameters has no gradient: its `.grad` is None, and None has no numbers to be cleared. Ask first: "
    "`if p.grad is not None`. Such a parameter stays as it is."
)

MISTAKES["None.zero_()"] = Mistake(zeroing(lambda p: p.grad.zero_(), guarded=False), NOT_REACHED)
MISTAKES["None.fill_()"] = Mistake(zeroing(lambda p: p.grad.fill_(0), guarded=False), NOT_REACHED)


def written_zero(p: Any) -> None:
    p.grad[...] = 0


MISTAKES["None[...]"] = Mistake(zeroing(written_zero, guarded=False), NOT_REACHED)


def int_zero(p: Any) -> None:
    p.grad = 0


MUST_BE_TENSOR = (
    "`.grad` is a Tensor or None, nothing else: a number is refused. Write zeros into the Tensor that is there, "
    "`p.grad.zero_()`."
)

MISTAKES["the number 0"] = Mistake(zeroing(int_zero), MUST_BE_TENSOR)


def float_zero(p: Any) -> None:
    p.grad = 0.0


MISTAKES["the number 0.0"] = Mistake(zeroing(float_zero), MUST_BE_TENSOR)


def times_zero_rebound(p: Any) -> None:
    p.grad = mg.zeros_like(p)


MISTAKES["another Tensor"] = Mistake(
    zeroing(times_zero_rebound),
    "`.grad` is now **another** Tensor. Whoever holds the one from before, a logger or an optimizer, holds a Tensor that is no "
    "`.grad` any more. With `set_to_none=False` the Tensor stays, and zeros are written into it: in "
    "place.",
)


def zero_grad_none_for_zero(params, set_to_none=True):
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad is None:
            p.grad = mg.zeros_like(p)
        else:
            p.grad.zero_()


MISTAKES["zeros for None"] = Mistake(
    zero_grad_none_for_zero,
    "A `.grad` that is None must stay None. It says that nothing has come there, and an optimizer then leaves the "
    "parameter alone. With zeros, momentum and weight decay would move it.",
)


def zero_grad_ends(params, set_to_none=True):
    for p in params:
        if p.grad is None:
            return
        if set_to_none:
            p.grad = None
        else:
            p.grad.zero_()


LOOP_ENDS = (
    "`return` and `break` end the whole loop: the parameters **after** the one with None are not cleared. To leave out "
    "this one only, write `continue`, or `elif p.grad is not None`."
)

MISTAKES["the loop ends at None"] = Mistake(zero_grad_ends, LOOP_ENDS)


def zero_grad_zeros_end(params, set_to_none=True):
    for p in params:
        if not set_to_none and p.grad is None:
            break
        if set_to_none:
            p.grad = None
        else:
            p.grad.zero_()


MISTAKES["the loop ends at None, for zeros"] = Mistake(zero_grad_zeros_end, LOOP_ENDS)


def zero_grad_first(params, set_to_none=True):
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad is not None:
            p.grad.zero_()
        return


MISTAKES["only the first"] = Mistake(
    zero_grad_first, "Only the first parameter is cleared. Does a `return` or a `break` stand in the loop? It ends the loop."
)


def sliced_zero(p: Any) -> None:
    p.grad[:] = 0


MISTAKES["a slice of a number"] = Mistake(
    zeroing(sliced_zero),
    "One of the parameters has shape (), and there is nothing to slice: `[:]` needs an axis. `p.grad.zero_()` works for "
    "every shape, and so does `p.grad[...] = 0`.",
)


def zeroing_if_true(params: Any, set_to_none: bool = True) -> None:
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad:
            p.grad.zero_()


TRUTH_OF_TENSOR = (
    "`if p.grad` asks whether the **numbers** are true, and a Tensor with several of them cannot say. Ask for the object: "
    "`if p.grad is not None`."
)

MISTAKES["asked for its truth"] = Mistake(zeroing_if_true, TRUTH_OF_TENSOR)


def zero_grad_half(params, set_to_none=True):
    for p in params:
        if set_to_none:
            p.grad = None


def nothing_zeroed(source: str, seen: list[Any]) -> bool:
    """Whether the numbers are there still where there is no generator, no None and no nan."""
    return isinstance(seen[0], dict) and bool(np.any(seen[0]["params[0].grad"]))


MISTAKES["nothing is zeroed"] = Mistake(
    zero_grad_half,
    "With `set_to_none=False` nothing happens yet: the gradients keep their numbers. Write zeros into the Tensor that "
    "`.grad` is, in place and not into a copy.",
    nothing_zeroed,
)


def zero_grad_exhausted(params, set_to_none=True):
    if all(p.grad is None for p in list(params)):
        return
    zero_grad(params, set_to_none)


LOOPED_TWICE = (
    "Here `params` is a generator, as `model.parameters()` is: it can be looped over **once**. You have looked through it "
    "before the loop that clears, which then finds nothing. One loop, or `params = list(params)` first."
)

MISTAKES["looped over twice"] = Mistake(zero_grad_exhausted, LOOPED_TWICE)


def zero_grad_half_exhausted(params, set_to_none=True):
    if not set_to_none and all(p.grad is None for p in list(params)):
        return
    zero_grad(params, set_to_none)


MISTAKES["looped over twice, for zeros"] = Mistake(zero_grad_half_exhausted, LOOPED_TWICE)


def zero_grad_default(params, set_to_none=False):
    zero_grad(params, set_to_none)


MISTAKES["another default"] = Mistake(
    zero_grad_default,
    "Without the option zeros were written: in the first line of your function `set_to_none` must be True unless it is "
    "given, `set_to_none=True`.",
)


def zero_grad_always_none(params, set_to_none=True):
    for p in params:
        p.grad = None


MISTAKES["always None"] = Mistake(
    zero_grad_always_none,
    "You set None whatever is asked for. With `set_to_none=False` the Tensor must stay, filled with zeros.",
)


def zero_grad_always_zero(params, set_to_none=True):
    for p in params:
        if p.grad is not None:
            p.grad.zero_()


MISTAKES["always zero"] = Mistake(
    zero_grad_always_zero, "You write zeros whatever is asked for. With `set_to_none=True`, `.grad` must be None afterwards."
)


def zero_grad_inverted(params, set_to_none=True):
    zero_grad(params, not set_to_none)


MISTAKES["the wrong way round"] = Mistake(
    zero_grad_inverted, "The two branches are exchanged: `set_to_none=True` sets None, `set_to_none=False` writes zeros."
)


def zero_grad_local(params, set_to_none=True):
    for p in params:
        g = p.grad
        if set_to_none:
            g = None
        elif g is not None:
            g.zero_()


MISTAKES["a name of one's own"] = Mistake(
    zero_grad_local,
    "`g = p.grad` gives the gradient a second name, and `g = None` takes that **name** away. The parameter keeps its "
    "gradient. Assign to the attribute: `p.grad = None`.",
)


def parameter_zeroed(p: Any) -> None:
    with mg.no_grad():
        p.zero_()


MISTAKES["the parameters are zeroed"] = Mistake(
    zeroing(parameter_zeroed),
    "You wrote zeros into the **parameters**: the model has forgotten all that it learned. Clear `p.grad`, not `p`.",
)


def zero_grad_by_number(params, set_to_none=True):
    for k in range(len(params)):
        if set_to_none:
            params[k].grad = None
        elif params[k].grad is not None:
            params[k].grad.zero_()


MISTAKES["by number"] = Mistake(
    zero_grad_by_number,
    "`params` may be a generator, as `model.parameters()` is: it has no length and no index, and can be looped over once. "
    "Write `for p in params`.",
)


def zero_grad_by_optimizer(params, set_to_none=True):
    mg.optim.SGD(params, lr=1.0).zero_grad(set_to_none)


MISTAKES["an optimizer does it"] = Mistake(
    zero_grad_by_optimizer,
    "An optimizer can do it, but refuses to be made with an empty list. Here no parameters mean no work, and no error. Write "
    "the loop yourself.",
    lambda source, seen: ".zero_grad(" in source,
)


def where_the_sum_is_not_zero(p: Any) -> None:
    if p.grad.sum() != 0:
        p.grad.zero_()


MISTAKES["only where the sum is not 0"] = Mistake(
    zeroing(where_the_sum_is_not_zero),
    "This gradient is (1.5, -1.5): its sum is 0, and its numbers are not. Write zeros wherever there is a `.grad`, without looking "
    "at its numbers.",
)
