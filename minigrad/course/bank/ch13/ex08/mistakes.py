"""13.8 A run that ends in NaN: the mistakes that are known."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.course.bank.ch13.ex08.answer import misfit
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def log_curve(hot: Any, half: Any, minutes: Any) -> Any:
    return mg.log(hot[:, None] * 0.5 ** (minutes / half[:, None]))


def misfit_as_given(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(readings - 20)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


MISTAKES["the input is not clean"] = Mistake(
    misfit_as_given,
    "The loss is a number, and the gradient is not. On the way back a 0 goes to the errors that were not chosen, and the slope "
    "of a square is twice the error: 0 · NaN and 0 · inf are NaN. Put a harmless number in place of such a reading "
    "**before** the logarithm.",
)


def misfit_without_nan(hot, half, minutes, readings):
    usable = readings > 20
    known = mg.where(mg.isnan(readings), 21.0, readings)
    error = log_curve(hot, half, minutes) - mg.log(known - 20)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


MISTAKES["only NaN is cleaned"] = Mistake(
    misfit_without_nan,
    "The missing readings are clean now. But a reading of 20 has the logarithm −inf, and one below has NaN. Clean all "
    "readings that are not above 20.",
)


def misfit_made_up(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(mg.where(usable, readings, 21.0) - 20)
    return (error**2).sum() / usable.sum()


MISTAKES["made-up readings count"] = Mistake(
    misfit_made_up,
    "No NaN any more. But your harmless numbers count as if somebody had read them, and pull at the curves. Choose 0 for "
    "their errors, with a second `where`.",
)


def misfit_of_all(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(mg.where(usable, readings, 21.0) - 20)
    return mg.where(usable, error**2, 0.0).mean()


MISTAKES["the mean over all"] = Mistake(
    misfit_of_all,
    "The gradient has no NaN, and all of it is too small as soon as one reading is missing: divide by the number of readings "
    "that are used, `usable.sum()`.",
)


def misfit_hooked(hot, half, minutes, readings):
    for leaf in (hot, half):
        leaf.register_hook(lambda g: mg.where(mg.isnan(g), 0.0, g))
    return misfit_as_given(hot, half, minutes, readings)


MISTAKES["NaN cleaned away by a hook"] = Mistake(
    misfit_hooked,
    "A hook that turns NaN into 0 comes too late. The NaN of one reading has made the whole gradient of its cup NaN, and "
    "your 0 says that this cup is fitted. Let no NaN be made.",
)


def misfit_of_clean_curve(hot, half, minutes, readings):
    usable = readings > 20
    curve = mg.where(usable, hot[:, None] * 0.5 ** (minutes / half[:, None]), 1.0)
    return mg.where(usable, (mg.log(curve) - mg.log(readings - 20)) ** 2, 0.0).sum() / usable.sum()


MISTAKES["NaN made and stopped"] = Mistake(
    misfit_of_clean_curve,
    "The gradients are right, and yet backward makes a NaN on the way: at the square of the error, as before. Something behind it, a "
    "`where` around the curve or a hook, puts 0 in its place; anomaly mode stops there. What is to be cleaned are the **readings**, "
    "before the logarithm.",
)


def misfit_without_history(hot, half, minutes, readings):
    return misfit(hot.detach(), half.detach(), minutes, readings)


MISTAKES["no history"] = Mistake(
    misfit_without_history,
    "The loss is right, and no way leads from it to `hot` and `half`: nothing can be learned. What is to be cleaned are "
    "the readings.",
)


def misfit_mended(hot, half, minutes, readings):
    usable = readings > 20
    error = mg.nan_to_num(log_curve(hot, half, minutes) - mg.log(readings - 20))
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


MISTAKES["20 is not clean"] = Mistake(
    misfit_mended,
    "Missing readings and those below 20 do no harm now. A reading of exactly 20 does: its logarithm is −inf, and on the way back "
    "0 · inf is NaN. Clean all readings that are not above 20, **before** the logarithm.",
)


def misfit_clamped(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(mg.clamp(readings - 20, min=1e-6))
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


MISTAKES["NaN is not clean"] = Mistake(
    misfit_clamped,
    "A missing reading still does harm, before the logarithm or in it: NaN comes out of `clamp` as NaN, `readings <= 20` is False for "
    "it, and a 0 in its place lies below 20. `where(usable, readings, …)` cleans all that cannot be used, in one go.",
)


def misfit_of_all_that_was_read(hot, half, minutes, readings):
    usable = ~mg.isnan(readings)
    error = log_curve(hot, half, minutes) - mg.log(mg.where(usable, readings, 21.0) - 20)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


MISTAKES["20 and below count"] = Mistake(
    misfit_of_all_that_was_read,
    "There are two kinds of readings that cannot be used: those that are missing, and those of 20 and below, whose logarithm is "
    "−inf or NaN. The second kind still counts in your loss.",
)


def misfit_of_all_made_up(hot, half, minutes, readings):
    error = log_curve(hot, half, minutes) - mg.log(mg.where(readings > 20, readings, 21.0) - 20)
    return (error**2).mean()


MISTAKES["made-up readings count, in the mean over all"] = Mistake(
    misfit_of_all_made_up,
    "No NaN any more. But your harmless numbers count as if somebody had read them, in the sum and in the number of readings. Choose "
    "0 for their errors, with a second `where`, and divide by the number of those that are used: `usable.sum()`.",
)


def misfit_of_all_as_given(hot, half, minutes, readings):
    error = log_curve(hot, half, minutes) - mg.log(readings - 20)
    return mg.where(readings > 20, error**2, 0.0).mean()


MISTAKES["the input is not clean, the mean over all"] = Mistake(
    misfit_of_all_as_given,
    "Two things. The gradient is NaN: on the way back a 0 goes to the errors that were not chosen, and 0 · NaN is NaN. Put a harmless "
    "number in place of such a reading **before** the logarithm. And the loss is too small: divide by the number of readings that "
    "are used, `usable.sum()`, not by all.",
)


def misfit_sum(hot, half, minutes, readings):
    return misfit(hot, half, minutes, readings) * (readings > 20).sum()


MISTAKES["the sum"] = Mistake(
    misfit_sum, "That is the sum of the squares. The mean is that, divided by the number of readings that are used: `usable.sum()`."
)


def misfit_cup_by_cup(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(mg.where(usable, readings, 21.0) - 20)
    return (mg.where(usable, error**2, 0.0).sum(1) / usable.sum(1)).mean()


MISTAKES["a mean for each cup"] = Mistake(
    misfit_cup_by_cup,
    "That is the mean over the cups of the mean of each. Where a reading of a cup is missing, its others count for more. Add up "
    "the errors of all cups, and divide once by the number of readings that are used.",
)

def misfit_from_20(hot, half, minutes, readings):
    usable = readings >= 20
    error = log_curve(hot, half, minutes) - mg.log(mg.where(usable, readings, 21.0) - 20)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


MISTAKES["20 counts"] = Mistake(
    misfit_from_20, "A reading of exactly 20 counts in your loss, and its logarithm is −inf. Only readings **above** 20 can be used."
)
