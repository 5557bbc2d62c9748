"""What answers and mistakes of several exercises of chapter 09 share. No sandbox sees it."""

from __future__ import annotations

from typing import Any

NO_GRAPH = (
    "The gradient has no graph, so it cannot be differentiated again. Take it with "
    "`mg.autograd.grad(f(x), x, create_graph=True)`, and do not `detach` it: then it remembers how it came out of `x`."
)

A_TUPLE = (
    "`mg.autograd.grad` returns a **tuple**, with one gradient for each input, also where there is one input only. Unpack it: "
    "`(g,) = mg.autograd.grad(…)`, or take `[0]`."
)

DIFFERENCES = (
    "Your function asks `f` at other points than `x`: those are differences. They lose digits, and the engine knows the "
    "second derivative exactly. Differentiate the gradient."
)


def moved_to(x: Any, step: Any) -> Any:
    return (x + step).detach().requires_grad_()
