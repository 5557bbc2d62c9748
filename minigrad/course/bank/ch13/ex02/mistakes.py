"""13.2 Clip in the middle: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def clip_nothing(h, limit):
    def hook(g):
        if g.norm() > limit:
            g = g * limit / g.norm()

    return h.register_hook(hook)


def gave(*what: str) -> Callable[[str, list[Any]], bool]:
    """Evidence that this, and nothing else, came back from the hooks at h that were called with a gradient that is too large."""
    return lambda source, seen: {one for s in seen if isinstance(s, dict) for one in s["trace_gave"]} == {*what}


MISTAKES["nothing is returned"] = Mistake(
    clip_nothing,
    "Your hook returns nothing, and nothing returned means nothing changed. Where the norm is too large, compute a smaller gradient "
    "and `return` it.",
    evidence=gave("nothing"),
)


def clip_thrown_away(h, limit):
    def hook(g):
        if g.norm() > limit:
            g * (limit / g.norm())
        return g

    return h.register_hook(hook)


MISTAKES["returned as it came"] = Mistake(
    clip_thrown_away,
    "Your hook returns the gradient just as it came. Where the norm is too large, the **smaller** one is to be returned: a product "
    "is a new tensor, and `g` stays what it is.",
    evidence=gave("the same"),
)


def clip_a_copy(h, limit):
    return h.clone().register_hook(lambda g: g * (limit / g.norm()) if g.norm() > limit else g)


MISTAKES["no hook at h"] = Mistake(
    clip_a_copy,
    "No hook on the tensor `h` was called when its gradient came by. Does yours hang on another one, such as `h.clone()`, where no "
    "gradient comes by, or is it removed before the pass? Call `h.register_hook(…)`, and leave `remove()` to the caller.",
    evidence=gave(),
)


def clip_in_place(h, limit):
    def hook(g):
        norm = g.norm()
        if norm > limit:
            g.mul_(limit / norm)

    return h.register_hook(hook)


MISTAKES["in place"] = Mistake(
    clip_in_place,
    "You wrote into `g`. That memory is not yours: where the gradient of a sum goes to two summands, both get the "
    "**same** array, and you shrank the neighbour's gradient with it. Return a new tensor.",
)


def clip_squares(h, limit):
    return h.register_hook(lambda g: g * limit / (g**2).sum() if (g**2).sum() > limit else g)


MISTAKES["the square of the norm"] = Mistake(
    clip_squares, "You took the sum of squares for the norm. The norm is its **root**: `g.norm()`."
)


def clip_entries(h, limit):
    return h.register_hook(lambda g: mg.clamp(g, -limit, limit))


MISTAKES["entry by entry"] = Mistake(
    clip_entries,
    "You cut each entry for itself. That bends the direction of the gradient, and the norm may still be too large. "
    "Multiply the whole gradient by one factor.",
)


def clip_always(h, limit):
    return h.register_hook(lambda g: g * (limit / g.norm()))


MISTAKES["also what is small"] = Mistake(
    clip_always,
    "You bring **every** gradient to the norm `limit`, small ones too: they grow. And a gradient of zeros gives 0/0, a "
    "NaN. Scale only where the norm is larger.",
)


def clip_eps(h, limit):
    return h.register_hook(lambda g: g * mg.clamp(limit / (g.norm() + 1e-6), max=1.0))


MISTAKES["a small number in the denominator"] = Mistake(
    clip_eps,
    "Nearly: with `1e-6` in the denominator the norm ends a little below `limit`. The guard against 0/0 is not "
    "needed, since you divide only where the norm is larger than `limit`.",
)


def clip_scaled(h, limit):
    return h.register_hook(lambda g: g * limit if g.norm() > limit else g)


MISTAKES["times limit"] = Mistake(
    clip_scaled, "Times `limit` the norm is norm · limit. The factor that brings it **to** `limit` is `limit / norm`."
)


def clip_unit(h, limit):
    return h.register_hook(lambda g: g / g.norm() if g.norm() > limit else g)


MISTAKES["to norm one"] = Mistake(clip_unit, "Divided by its norm the gradient has the norm 1. What is asked for is `limit`.")


def clip_largest(h, limit):
    return h.register_hook(lambda g: g * (limit / g.abs().max()) if g.abs().max() > limit else g)


MISTAKES["the largest entry"] = Mistake(
    clip_largest,
    "You measure the largest entry. The norm is the root of the sum of all squares: many small entries make a large norm.",
)


def clip_values(h, limit):
    return h.register_hook(lambda g: g * (limit / h.norm()) if h.norm() > limit else g)


MISTAKES["the norm of the values"] = Mistake(
    clip_values, "You measure `h` itself. What is to be measured, and shrunk, is its gradient: the **argument** of the hook."
)
