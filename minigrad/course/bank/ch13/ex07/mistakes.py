"""13.7 The where trap: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def root_hooked(x):
    if x.requires_grad:
        x.register_hook(lambda g: mg.where(mg.isnan(g), 0.0, g))
    return mg.where(x > 0, mg.sqrt(x), 0.0)


WASTEFUL["NaN cleaned away by a hook"] = Mistake(
    root_hooked,
    "The numbers are right, and a danger stays: your hook turns **every** NaN into 0, also one that comes from a real "
    "mistake elsewhere, and then nobody will find it. Clean the *input* of the root; then no NaN is made.",
)

MISTAKES: dict[str, Mistake] = {}


def root_single(x):
    return mg.where(x > 0, mg.sqrt(x), 0.0)


MISTAKES["one where"] = Mistake(
    root_single,
    "NaN · 0 = NaN. `where` sends a 0 to the branch that was not chosen, but at that branch the slope of the root is "
    "NaN or infinite, and times 0 that is NaN. Clean the **input** too: give the root a harmless number where x ≤ 0.",
)


def root_multiplied(x):
    return mg.sqrt(x) * (x > 0)


MISTAKES["times the mask, afterwards"] = Mistake(
    root_multiplied,
    "The root of −1 is NaN already in the value, and NaN it stays: NaN · 0 is NaN, so a mask cannot multiply it away, and relu(NaN) "
    "is NaN too. Clean the **input** of the root with `where`.",
)


def root_clamped(x):
    return mg.sqrt(mg.clamp(x, min=0))


MISTAKES["clamped at 0"] = Mistake(
    root_clamped,
    "At 0 your root gets a 0, and there its slope is infinite; and what came out of `clamp`, or stands under `x >= 0`, is "
    "let through. Put a harmless number there, such as 1, and choose with a second `where`.",
)


def root_shifted(bound: float) -> Callable[[Any], Any]:
    return lambda x: mg.sqrt(mg.clamp(x, min=bound))


NOT_ZERO = (
    "Where x ≤ 0 the value is a small number, and not 0: the root of your bound, or of what you add. 1e-12 becomes 1e-6. Choose the "
    "value with a second `where`; then 1.0 is as good a number to put under the root as a small one."
)
MISTAKES["clamped a little above"] = Mistake(root_shifted(1e-12), NOT_ZERO)
MISTAKES |= {f"clamped at {bound:.0e}": Mistake(root_shifted(bound), NOT_ZERO) for bound in (1e-6, 1e-8, 1e-10, 1e-30)}


def root_added(little: float) -> Callable[[Any], Any]:
    return lambda x: mg.sqrt(mg.relu(x) + little)


MISTAKES["a little is added"] = Mistake(root_added(1e-12), NOT_ZERO)
MISTAKES |= {f"{little:.0e} is added": Mistake(root_added(little), NOT_ZERO) for little in (1e-6, 1e-8)}


def root_bounded(bound: float) -> Callable[[Any], Any]:
    return lambda x: mg.where(x > 0, mg.sqrt(mg.clamp(x, min=bound)), 0.0)


TOO_SMALL = (
    "It is right for 0, and for most numbers. But x may be positive and smaller than your bound; then the root of the bound comes "
    "out, with the gradient 0. Put the harmless number in where x ≤ 0, and only there: `where(x > 0, x, 1.0)`."
)
MISTAKES |= {f"bounded by {bound:.0e}": Mistake(root_bounded(bound), TOO_SMALL) for bound in (1e-6, 1e-8, 1e-10, 1e-12, 1e-20)}


def root_of_one(x):
    return mg.sqrt(mg.where(x > 0, x, 1.0))


MISTAKES["only the input is cleaned"] = Mistake(
    root_of_one,
    "The input is clean now, and where x ≤ 0 a 1 comes out, as the root of a harmless 1 does. Choose 0 there, with a second `where`.",
)


def root_known_by_value(x):
    inside = mg.where(x > 0, x, 1.0)
    return mg.where(inside == 1, 0.0, mg.sqrt(inside))


MISTAKES["known by the harmless number"] = Mistake(
    root_known_by_value,
    "You take 0 wherever the root sees your harmless number. But `x` may be that number itself, and then its root is lost. Choose "
    "by `x > 0`, both times.",
)


def root_detached(x):
    return mg.where(x > 0, mg.sqrt(x.detach()), 0.0)


MISTAKES["detached"] = Mistake(
    root_detached, "The value is right, and the history is gone: no gradient comes back to `x`, not even where x > 0."
)


def root_abs(x):
    return mg.where(x > 0, mg.sqrt(mg.abs(x)), 0.0)


MISTAKES["abs inside"] = Mistake(
    root_abs,
    "Where x < 0 this works. But at 0 the root still gets a 0; its slope there is infinite, and inf · 0 is NaN. The input must be "
    "harmless at 0 too.",
)


def root_mended(x):
    return mg.nan_to_num(mg.sqrt(x))


MISTAKES["the value is mended"] = Mistake(
    root_mended,
    "The value is right, and the gradient is not. Backward goes through the root all the same, and its slope is infinite at 0, and "
    "NaN below. Clean the **input** of the root, and then choose the value.",
)
