"""13.4 Order: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch13.ex04.answer import order
from minigrad.course.bank.ch13.ex04.task import OrderDraw
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def order_of(middle: Callable[[int, int, int], float], kept: Callable[[int, int, int], float] | None = None) -> Any:
    """The dict of somebody who holds that the hooks make `middle` of a gradient, and that h.grad keeps `kept` of it."""

    def predict(draw: OrderDraw) -> dict[str, float]:
        times, plus, slope, factor = draw
        goes_on = middle(times, plus, slope)
        h = goes_on if kept is None else kept(times, plus, slope)
        return {"h.grad": h, "printed": goes_on * factor, "x.grad": goes_on * factor}

    return predict


def as_registered(times: int, plus: int, slope: int) -> float:
    return float(slope * times + plus)


MISTAKES["retain_grad in its turn"] = Mistake(
    order_of(as_registered, lambda times, plus, slope: slope * times),
    "You gave `retain_grad` its turn between the hooks. But it always comes **last**, wherever it was asked for: "
    "`.grad` is what goes on from `h`.",
)

MISTAKES["retain_grad first"] = Mistake(
    order_of(as_registered, lambda times, plus, slope: slope),
    "You hold that `.grad` keeps the gradient as it **arrives** at `h`. It keeps what **leaves**: `retain_grad` comes "
    "after all hooks.",
)

MISTAKES["newest hook first"] = Mistake(
    order_of(lambda times, plus, slope: (slope + plus) * times),
    "Hooks are called in the order in which they were **registered**: first the factor, then the sum.",
)

MISTAKES["each hook gets what arrived"] = Mistake(
    order_of(lambda times, plus, slope: slope + plus),
    "Each hook gets what the one before it has **returned**, as in a chain. You let the second begin anew.",
)

MISTAKES["only the first hook"] = Mistake(
    order_of(lambda times, plus, slope: slope * times),
    "A tensor may have many hooks, and all are called; a later one does not take the place of an earlier one, nor the "
    "other way round.",
)

MISTAKES["a removed hook runs"] = Mistake(
    order_of(lambda times, plus, slope: -(slope * times + plus)),
    "`gone.remove()` takes that hook off. It is not called any more.",
)

MISTAKES["hooks change .grad only"] = Mistake(
    lambda draw: order(draw) | {"printed": draw[2] * draw[3], "x.grad": draw[2] * draw[3]},
    "What a hook returns takes the place of the gradient on its way to the leaves, and `x` is a leaf.",
)

MISTAKES["hooks change nothing"] = Mistake(
    order_of(lambda times, plus, slope: slope),
    "A hook that returns a tensor **changes** the gradient: what it returns goes on in its place.",
)

MISTAKES["None is zero"] = Mistake(
    lambda draw: order(draw) | {"x.grad": 0.0},
    "The hook on `x` prints what arrives, and returns None. That does not mean zero, it means *no change*: the same "
    "number goes into `x.grad`.",
)

MISTAKES["no slope at x"] = Mistake(
    lambda draw: order(draw) | {"printed": as_registered(*draw[:3]), "x.grad": as_registered(*draw[:3])},
    "From `h` to `x` the gradient passes the multiplication: times the factor of `h`.",
)
