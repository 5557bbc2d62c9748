"""What answers and mistakes of several exercises of chapter 10 share. No sandbox sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

DIFFERENCES = (
    "Your function asks `f` at other points than `x`: those are differences. They lose digits. A tangent that travels along "
    "gives the slope exactly, and `f` runs once."
)

ANOTHER_VALUE = "`f` got another value than `x`. `make_dual` takes the value first, and then the tangent: `fw.make_dual(x, …)`."

A_TUPLE = (
    "`mg.autograd.grad` returns a **tuple**, with one gradient for each input, also where there is one input only. Unpack it: "
    "`(g,) = mg.autograd.grad(…)`, or take `[0]`."
)


def differences(f: Callable[..., Any], x: Any, t: Any, h: float = 1e-6) -> Any:
    """J t by central differences."""
    x = x.detach()
    return (f(x + h * t) - f(x - h * t)) / (2 * h)
