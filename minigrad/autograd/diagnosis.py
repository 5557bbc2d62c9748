"""What a wrong derivative looks like: the note below a failed ``gradcheck``.

The analytical Jacobian ``a`` and the numerical one ``n`` (a row per element of the input, a column per element of the
output) are compared with the shapes that common mistakes have. The first that fits is named; a guess, and worded as one.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def diagnose(check: Any, a: np.ndarray, n: np.ndarray, k: int, number: int) -> str:
    """A sentence about the mismatch between input ``k`` and result ``number`` of a check (see gradcheck.py)."""
    x, out = check.inputs[k], check.results[number]
    if x._array.dtype != np.float64:
        return (
            f"Input {k} is {x.dtype}. A step of {check.eps:g} drowns in the rounding of single precision: repeat the check "
            "with dtype=float64 before you look for a mistake."
        )

    def same(p: np.ndarray, q: np.ndarray) -> bool:
        return bool(np.isclose(p, q, check.rtol, check.atol).all())

    tests: list[Callable[[], str | None]] = [
        lambda: _corner(check, a, n, k, number),
        lambda: _nothing(check, a, k),
        lambda: _stretched(a, n, x._array.shape, out._array.shape, k, same),
        lambda: _factor(a, n, k, same),
        lambda: _transposed(a, n, k, same),
        lambda: _mixed_up(a, n, k, check.atol),
        lambda: _incomplete(a, n, k, same),
    ]
    return next((text for test in tests if (text := test())), None) or _where(check, a, n, k, x, out)


def _wrong(check: Any, a: np.ndarray, n: np.ndarray) -> np.ndarray:
    return np.argwhere(~np.isclose(a, n, check.rtol, check.atol))


def _corner(check: Any, a: np.ndarray, n: np.ndarray, k: int, number: int) -> str | None:
    """The slopes on the two sides of every wrong element differ."""
    array = check.inputs[k]._array
    places = sorted({int(row) for row, _ in _wrong(check, a, n)})
    text = None
    for row in places[:5]:
        at = np.unravel_index(row, array.shape)
        before, values = array[at], []
        for step in (-check.eps, 0, check.eps):
            array[at] = before + step
            values.append(check.func(*check.inputs))
            array[at] = before
        low, here, high = ((v if isinstance(v, (tuple, list)) else (v,))[number]._array.reshape(-1) for v in values)
        left, right = (here - low) / check.eps, (high - here) / check.eps
        worst = int(np.abs(right - left).argmax())
        if np.abs(right - left)[worst] <= 1e-3 * max(1.0, abs(left[worst]), abs(right[worst])):
            return None
        place = tuple(int(i) for i in at)
        text = text or (
            f"Element {place} of input {k} is a corner of the function: its slope is {left[worst]:.4g} on one side and "
            f"{right[worst]:.4g} on the other, and the numerical derivative is the mean. Check at points away from corners."
        )
    return text


def _nothing(check: Any, a: np.ndarray, k: int) -> str | None:
    if a.any():
        return None
    if getattr(check.func, "is_backward", False):
        return (
            f"The first derivative changes with input {k}, but its graph does not know. Backward used a value that was "
            "computed without recording: an intermediate of forward kept on ctx, for instance, or all of it under "
            "once_differentiable. Save inputs or outputs with ctx.save_for_backward, or compute the value again in backward."
        )
    return (
        f"No gradient arrives at input {k}, though the function depends on it. Was it detached on the way, or is None or "
        "zero returned in its place?"
    )


def _stretched(
    a: np.ndarray, n: np.ndarray, inner: tuple[int, ...], outer: tuple[int, ...], k: int, same: Callable
) -> str | None:
    """The input was broadcast, and the gradient is not the sum over what it was broadcast to."""
    try:
        fits = np.broadcast_shapes(inner, outer) == outer and math.prod(inner) < math.prod(outer)
    except ValueError:
        fits = False
    if not fits or not math.prod(inner):
        return None
    extra = len(outer) - len(inner)
    axes = (*range(extra), *(extra + i for i, size in enumerate(inner) if size == 1 and outer[extra + i] != 1))
    count = math.prod(outer[axis] for axis in axes)
    sentence = (
        f"Input {k} has shape {list(inner)} and was broadcast to {list(outer)}: its gradient is the sum over axes {axes}"
    )
    if same(a * count, n):
        return f"{sentence}, but it looks like the mean."
    if _is_part(a, n, same):
        return f"{sentence}, but some of what was broadcast is missing in it."
    return None


def _is_part(a: np.ndarray, n: np.ndarray, same: Callable) -> bool:
    """Whether a is n with some entries missing."""
    return bool(a.any()) and same(a, np.where(a == 0, 0, n))


def _factor(a: np.ndarray, n: np.ndarray, k: int, same: Callable) -> str | None:
    big = np.abs(n) > 1e-3 * np.abs(n).max()
    factor = float((a[big] / n[big]).mean()) if big.any() else 0.0
    if not same(a, factor * n):
        return None
    if abs(factor + 1) < 1e-3:
        return f"The gradient of input {k} has the wrong sign."
    return f"The gradient of input {k} is {factor:.4g} times what it should be: a factor is wrong."


def _transposed(a: np.ndarray, n: np.ndarray, k: int, same: Callable) -> str | None:
    moves_only = max((n != 0).sum(axis).max() for axis in (0, 1)) < 2  # then it is rather a matter of indices
    if moves_only or a.shape[0] != a.shape[1] or not same(a, n.T):
        return None
    return f"The Jacobian of input {k} is transposed. Backward multiplies by the transposed of what forward multiplies by."


def _mixed_up(a: np.ndarray, n: np.ndarray, k: int, atol: float) -> str | None:
    """The rows of the Jacobian, or its columns, are right but stand in another order."""
    for p, q, what in ((a, n, "elements of its gradient"), (a.T, n.T, "elements of the gradient that came in")):
        rounded = (np.round(m / max(atol, 1e-4)) + 0.0 for m in (p, q))  # + 0.0: no negative zeros
        rows = [sorted(map(tuple, m.tolist())) for m in rounded]
        if rows[0] == rows[1]:
            return f"For input {k} the {what} are right, but stand at the wrong indices."
    return None


def _incomplete(a: np.ndarray, n: np.ndarray, k: int, same: Callable) -> str | None:
    if not _is_part(a, n, same):
        return None
    return (
        f"Some contributions to the gradient of input {k} are missing. What is used several times, such as an element that "
        "is indexed twice, gets the sum of all."
    )


def _where(check: Any, a: np.ndarray, n: np.ndarray, k: int, x: Any, out: Any) -> str:
    places = _wrong(check, a, n)
    row, column = places[0]
    at, to = (tuple(int(i) for i in np.unravel_index(*p)) for p in ((row, x._array.shape), (column, out._array.shape)))
    return (
        f"{len(places)} of {a.size} entries differ for input {k}. The first: output element {to} by input element {at} is "
        f"{n[row, column]:.6g} numerically, {a[row, column]:.6g} analytically."
    )
