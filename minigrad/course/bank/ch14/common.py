"""What several exercises of chapter 14 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import random_tensor
from minigrad.course.judging.compare import unfit


def function(name: str, forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
    """A Function with these two methods."""
    return type(name, (mg.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def applied(answer: Any, *args: Any) -> Any:
    """What a learner's Function gives."""
    if not issubclass(answer, mg.autograd.Function):
        raise TypeError(f"{answer.__name__} is no Function: begin with class {answer.__name__}(mg.autograd.Function):")
    return mg.autograd.Function.apply.__func__(answer, *args)  # whatever it calls its own `apply`


def no_output(y: Any) -> Any:
    return unfit(y, "a class whose forward returns a Tensor")


NO_SECOND = "none, the gradient has no graph to x"
CUT_OFF = "none: what was saved has a graph to x, and the gradient has not"


def derivative_of(g: Any, x: Any, u: Any) -> Any:
    """The gradient of g · u, or in words that there is none."""
    if not g.requires_grad:
        return NO_SECOND
    (h,) = mg.autograd.grad(g, x, u, allow_unused=True)
    return NO_SECOND if h is None else h


def derivatives(answer: Any, x: Any, v: Any, u: Any) -> Any:
    """Output, vjp and second derivative of a Function of one Tensor."""
    y = applied(answer, x)
    if not isinstance(y, mg.Tensor):
        return no_output(y)
    seen: dict[str, Any] = {"output": y.detach().clone(), "requires_grad of the output": y.requires_grad}
    if y.requires_grad:
        applied(answer, x.detach() + 1)  # what is kept on the class, and not in ctx, is overwritten
        leads_back = any(t is not None and t.requires_grad for t in getattr(y.grad_fn, "saved_tensors", ()))
        (g,) = mg.autograd.grad(y, x, v, create_graph=True)
        seen["vᵀJ"] = g.detach().clone()
        second = derivative_of(g, x, u)
        seen["second derivative"] = CUT_OFF if second is NO_SECOND and leads_back else second
        if second is not NO_SECOND:
            w = v.clone().requires_grad_()
            (g,) = mg.autograd.grad(applied(answer, x), x, w, create_graph=True)
            seen["the derivative of vᵀJ by v"] = derivative_of(g, w, u)
    return seen


def points(rng: np.random.Generator, dtype: Any, *shape: int) -> tuple[Any, Any, Any]:
    """A leaf, a cotangent of its shape, and one for the second pass."""
    return tuple(random_tensor(rng, dtype, *shape, leaf=leaf) for leaf in (True, False, False))  # type: ignore[return-value]


def is_yes_or_no(found: Any) -> bool:
    return isinstance(found, bool | np.bool_) or isinstance(found, mg.Tensor) and found.numel() == 1


LOCKED = "calls of gradcheck and gradgradcheck, which are locked away"


@contextlib.contextmanager
def without(room: Any, *names: str) -> Iterator[list[str]]:
    """These functions of the library are out of reach. Gives the list of the calls, also where their error is caught."""
    refused: list[str] = []

    def refuse(*args: Any, **kwargs: Any) -> Any:
        refused.append("called")
        raise RuntimeError(f"{' and '.join(names)} are not available here: write your own")

    kept = {name: getattr(room, name) for name in names}
    try:
        for name in names:
            setattr(room, name, refuse)
        yield refused
    finally:
        for name, value in kept.items():
            setattr(room, name, value)
