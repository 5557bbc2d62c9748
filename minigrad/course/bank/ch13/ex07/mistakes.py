"""13.7 The where trap: the mistakes that are known."""

from __future__ import annotations

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
    "The root of −1 is NaN already in the value, and NaN · 0 is NaN. A mask cannot multiply a NaN away. Clean the "
    "**input** of the root with `where`.",
)


def root_clamped(x):
    return mg.sqrt(mg.clamp(x, min=0))


MISTAKES["clamped at 0"] = Mistake(
    root_clamped,
    "At 0 your root gets a 0, and there its slope is infinite; and what came out of `clamp`, or stands under `x >= 0`, is "
    "let through. Put a harmless number there, such as 1, and choose with a second `where`.",
)


def root_shifted(x):
    return mg.sqrt(mg.clamp(x, min=1e-12))


MISTAKES["clamped a little above"] = Mistake(
    root_shifted,
    "The gradient is right, but the value is not: the root of 1e-12 is 1e-6, and not 0. Choose the value with a second "
    "`where`.",
)


def root_added(x):
    return mg.sqrt(mg.relu(x) + 1e-12)


MISTAKES["a little is added"] = Mistake(
    root_added, "The root of 1e-12 is 1e-6, and not 0. Choose the value with a second `where`; then nothing need be added."
)


def root_of_one(x):
    return mg.sqrt(mg.where(x > 0, x, 1.0))


MISTAKES["only the input is cleaned"] = Mistake(
    root_of_one,
    "The input is clean now, and where x ≤ 0 the root of your harmless number comes out. Choose 0 there, with a second "
    "`where`.",
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
    "Where x < 0 this works. But at 0 the root of |x| has an infinite slope, and inf · 0 is NaN. The input must be "
    "harmless at 0 too.",
)


def root_mended(x):
    return mg.nan_to_num(mg.sqrt(x))


MISTAKES["the value is mended"] = Mistake(
    root_mended,
    "The value is right, and the gradient is not. Backward goes through the root all the same, and its slope is infinite at 0, and "
    "NaN below. Clean the **input** of the root, and then choose the value.",
)
