"""14.5 Write gradcheck: the mistakes that are known."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost
MISTAKES: dict[str, Mistake] = {}
Rule = Callable[[np.ndarray, np.ndarray, np.ndarray], bool]  # (numerical, analytical, v) -> is it close?


def close(numerical: np.ndarray, analytical: np.ndarray, v: Any = None) -> bool:
    return bool(np.all(np.abs(numerical - analytical) <= 1e-5 + 1e-3 * np.abs(numerical)))


def columns(f: Callable[..., Any], inputs: tuple, k: int, eps: float = 1e-6, one_sided: bool = False) -> np.ndarray:
    """The Jacobian with respect to input k, by differences: shape (size of y, size of the input)."""
    x = inputs[k].detach().numpy()
    found = []
    for place in np.ndindex(x.shape):
        ends = []
        for sign in (1, 0 if one_sided else -1):
            moved = x.copy()
            moved[place] += sign * eps
            args = [mg.tensor(moved) if n == k else t.detach() for n, t in enumerate(inputs)]
            ends.append(f(*args).detach().numpy().reshape(-1).astype(float))
        found.append((ends[0] - ends[1]) / (eps if one_sided else 2 * eps))
    return np.stack(found, 1)


def weighted(f: Callable[..., Any], inputs: tuple, k: int, v: np.ndarray) -> np.ndarray:
    """vᵀJ by a backward pass."""
    y = f(*inputs)
    if not y.requires_grad:
        return np.zeros(inputs[k].numel())
    (g,) = mg.autograd.grad(y, inputs[k], mg.tensor(v, dtype=y.dtype).reshape(y.shape), allow_unused=True)
    return np.zeros(inputs[k].numel()) if g is None else g.numpy().reshape(-1)


def checker(
    vectors: Callable[[int], list[np.ndarray]] = lambda m: list(np.eye(m)),
    agree: Rule = close,
    last: int | None = None,
    warn: bool = True,
    **options: Any,
) -> Callable[..., bool]:
    """A gradcheck with these cotangents, this tolerance, and the inputs up to a last one."""

    def check(f, inputs):
        right = True
        for k, x in list(enumerate(inputs))[:last]:
            if not x.requires_grad:
                continue
            if warn and x.dtype != mg.float64:
                warnings.warn("float64, please", UserWarning, stacklevel=2)
            J = columns(f, inputs, k, **options)
            for v in vectors(len(J)):
                right = right and agree(v @ J, weighted(f, inputs, k, v), v)
        return right

    return check


MISTAKES["one-sided differences"] = Mistake(
    checker(one_sided=True),
    "You refused a right gradient. A difference to **one** side is off by half the step times the second derivative: at "
    "the bottom of a narrow valley that is more than the slope. Asked for are central differences: a step to both sides, "
    "and 2 · 1e-6 below.",
)


def ones(m: int) -> list[np.ndarray]:
    return [np.ones(m)]


MISTAKES["ones"] = Mistake(
    checker(vectors=ones),
    "Your cotangent is all ones, so you compare the **sums of the columns** of J. With ones nobody sees whether g was "
    "forgotten, reversed or averaged. Compare row by row with one-hot vectors, or at least with random ones.",
)


def first_entry(m: int) -> list[np.ndarray]:
    return [np.eye(m)[0]]


MISTAKES["one row"] = Mistake(
    checker(vectors=first_entry),
    "You look at the first entry of y only. A gradient can be right there and wrong elsewhere: take every row.",
)
MISTAKES["the last row"] = Mistake(
    checker(vectors=lambda m: [np.eye(m)[-1]]),
    "A gradient that is wrong for one entry of y passes your check. Do you look at the last entry only? Take every row.",
)
MISTAKES["a long step"] = Mistake(
    checker(eps=1e-2),
    "You refuse a right gradient, that of a function which bends quickly. Over a long step even a central difference is not the "
    "slope: 1e-6 is asked for.",
)
MISTAKES["too narrow"] = Mistake(
    checker(agree=lambda n, a, v: bool(np.allclose(a, n))),
    "You refuse a gradient that is off by 5 in 100,000. Asked for is `1e-5 + 1e-3 * abs(numerical)`; `np.allclose` is narrower, "
    "unless it is told: `np.allclose(a, n, rtol=1e-3, atol=1e-5)`.",
)

MISTAKES["the first input only"] = Mistake(
    checker(last=1),
    "The gradient for the first input is right, that for another is wrong, and you say True. Do you check the first only, or is one "
    "that is right enough for you, as with `any`? All that require grad must be right.",
)


def absolute(tolerance: float) -> Rule:
    return lambda numerical, analytical, v: bool(np.all(np.abs(numerical - analytical) <= tolerance))


MISTAKES["absolute tolerance"] = Mistake(
    checker(agree=absolute(1e-5)),
    "A right gradient in the billions is rejected: differences lose digits, and the more the larger the numbers are. "
    "Let the tolerance grow with them: `1e-5 + 1e-3 * abs(numerical)`.",
)


def relative(numerical: np.ndarray, analytical: np.ndarray, v: Any) -> bool:
    return bool(np.all(np.abs(numerical - analytical) <= 1e-3 * np.abs(numerical)))


MISTAKES["relative tolerance"] = Mistake(
    checker(agree=relative),
    "A right gradient that is zero in places is rejected: by differences a zero comes out as 1e-11, and no fraction of "
    "that reaches 0. Add an absolute part: `1e-5 + 1e-3 * abs(numerical)`.",
)

MISTAKES["too generous"] = Mistake(
    checker(agree=lambda n, a, v: bool(np.all(np.abs(n - a) <= 1e-2 + 1e-2 * np.abs(n)))),
    "A gradient that is half a per cent too large passes. Central differences in float64 are good to eight digits or "
    "so: ask for `1e-5 + 1e-3 * abs(numerical)`.",
)

MISTAKES["no warning"] = Mistake(
    checker(warn=False),
    "With a float32 input the differences are too rough to say anything. Tell the caller: "
    '`warnings.warn("…", UserWarning)` for an input that requires grad and is not float64.',
)


def piling_up(f, inputs):
    for x in inputs:
        if x.requires_grad and x.dtype != mg.float64:
            warnings.warn("single precision", UserWarning, stacklevel=2)
    for k, x in enumerate(inputs):
        if x.requires_grad:
            J = columns(f, inputs, k)
            for i in range(len(J)):
                f(*inputs).reshape(-1)[i].backward()
                if not close(J[i], np.zeros(x.numel()) if x.grad is None else x.grad.numpy().reshape(-1)):
                    return False
    return True


MISTAKES["the gradients pile up"] = Mistake(
    piling_up,
    "`backward` **adds** to `.grad`, so from the second row on you compare sums of rows. Set `x.grad = None` before each "
    "row, or use `autograd.grad`, which leaves `.grad` alone.",
)


def unused_raises(f, inputs):
    y = f(*inputs)
    for k, x in enumerate(inputs):
        if not x.requires_grad:
            continue
        if x.dtype != mg.float64:
            warnings.warn("float64", UserWarning, stacklevel=2)
        J = columns(f, inputs, k)
        for v, row in zip(np.eye(len(J)), J, strict=True):
            (g,) = mg.autograd.grad(y, x, mg.tensor(v, dtype=y.dtype).reshape(y.shape), retain_graph=True)
            if not close(row, g.numpy().reshape(-1)):
                return False
    return True


MISTAKES["an unused input"] = Mistake(
    unused_raises,
    "f does not use one of its inputs, and `grad` raises *not used*. That is no mistake of f: the gradient is zero. Ask "
    "with `allow_unused=True`, and take None for zeros.",
)

def missing_passes(for_one: bool, altogether: bool) -> Callable[..., bool]:
    """A gradcheck that asks nothing of an input that y does not lead to, or of a y that leads nowhere."""

    def check(f, inputs):
        def left_out(x):
            y = f(*inputs)
            if not y.requires_grad:
                return altogether
            return for_one and mg.autograd.grad(y.sum(), x, allow_unused=True)[0] is None

        return checker()(f, tuple(x.detach() if x.requires_grad and left_out(x) else x for x in inputs))

    return check


MISSING = (
    "A gradient that is **missing** passes your check: the numbers change with the input, and no way leads back to it. Do you skip "
    "an input whose gradient is None, or an output that does not require grad? Missing means zeros: compare these with the "
    "differences."
)

MISTAKES["a missing gradient passes"] = Mistake(missing_passes(True, True), MISSING)
MISTAKES["a missing gradient of one input passes"] = Mistake(missing_passes(True, False), MISSING)
MISTAKES["an output without history passes"] = Mistake(missing_passes(False, True), MISSING)

MISTAKES["all is well"] = Mistake(
    lambda f, inputs: checker()(f, inputs) or True,
    "Your function never says False. Is there a `return True` inside the loop, or is the comparison thrown away?",
)


WASTEFUL["a NaN passes"] = Mistake(
    checker(agree=lambda n, a, v: not np.any(np.abs(n - a) > 1e-5 + 1e-3 * np.abs(n))),
    "Right. But a gradient that is **NaN** passes your check: with a NaN every comparison is False, `>` too. Ask whether "
    "`(… <= …).all()` holds, and return False if it does not.",
)


def warned_of_constants(f, inputs):
    for x in inputs:
        if x.dtype != mg.float64:
            warnings.warn("float64, please", UserWarning, stacklevel=2)
            return False
    return checker()(f, inputs)


MISTAKES["a warning for a constant"] = Mistake(
    warned_of_constants,
    "You warn of an input that does not require grad. No difference is taken there, so its dtype does not matter: only inputs that "
    "require grad must be float64.",
)

MISTAKES["one good entry is enough"] = Mistake(
    checker(agree=lambda n, a, v: bool(np.any(np.abs(n - a) <= 1e-5 + 1e-3 * np.abs(n)))),
    "You say True where **one** entry of a row agrees. All must: `.all()`, not `.any()`.",
)
