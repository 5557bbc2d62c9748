"""12.2 The recurrence that raises: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch12.ex02.answer import Repair
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def with_way(**ways: Callable[..., Any]) -> type:
    """The reference with other functions in some places."""
    return type("Repair", (Repair,), {name: staticmethod(way) for name, way in ways.items()})


def buffer(first: Callable[[Any], Any], second: Callable[[Any, Any], Any]) -> Callable[[Any], Any]:
    """A way with a buffer: first(x) is written into y[0], then second(y, x) into y[1]."""

    def way(x: Any) -> Any:
        y = mg.zeros(2)
        y[0] = first(x)
        y[1] = second(y, x)
        return y

    return way


def square(x: Any) -> Any:
    return x**2


def way_mistake(way: str, wrong: Callable[[Any], Any], hint: str) -> Mistake:
    """A mistake in one way. Only the cases of that way are compared."""
    return Mistake(with_way(**{way: wrong}), hint)


STILL_SAVED = (
    "The same alarm. The multiplication saves its factor, and that is `y[0]`: a **window** on `y`, saved before the write to `y[1]`. "
    "That write makes it out of date. To clone `x`, the square before it is written, or the finished product does not help. "
    "Clone what the multiplication **reads** from `y`."
)

MISTAKES["clone: still saved"] = way_mistake("clone", buffer(square, lambda y, x: (y[0] * x).clone()), STILL_SAVED)

STILL_WINDOW = (
    "`detach()` makes no copy: it looks at the same cells and counts the same versions. So the factor that was saved for `x` "
    "is still overwritten, and besides the gradient through `y[0]` would be lost."
)

MISTAKES["clone: detach"] = way_mistake("clone", buffer(square, lambda y, x: y[0].detach() * x), STILL_WINDOW)

GRADIENT_LOST = (
    "The right value, but the gradient through the square is lost: you get v₁·x² where v₁·3x² is due. `.data`, `.item()` and "
    "`detach()` hand out numbers without history, and the alarm is silent because nobody asks for their gradient any more. A "
    "`clone()` is a copy **with** history."
)

MISTAKES["clone: gradient lost"] = way_mistake("clone", buffer(square, lambda y, x: y[0].item() * x), GRADIENT_LOST)


def writes_data(x: Any) -> Any:
    y = mg.zeros(2)
    y[0] = x**2
    y.data[1] = y[0].item() * x.item()
    return y


WRITE_LOST = (
    "The right value, but `y[1]` was written behind the engine's back (`.data`, or under `no_grad`). The graph knows nothing "
    "of that write, so nothing of it comes back to `x`."
)

MISTAKES["clone: write lost"] = way_mistake("clone", writes_data, WRITE_LOST)


def leaf_buffer(x: Any) -> Any:
    y = mg.zeros(2, requires_grad=True)
    y[0] = x**2
    return y


LEAF_BUFFER = (
    "A buffer with `requires_grad=True` is a **leaf**, and a leaf must not be written while writes are recorded. A plain "
    "`mg.zeros(2)` is right: the first write makes it a result, and then it requires grad by itself."
)

MISTAKES["clone: a leaf as buffer"] = way_mistake("clone", leaf_buffer, LEAF_BUFFER)
MISTAKES["name: a leaf as buffer"] = way_mistake("name", leaf_buffer, LEAF_BUFFER)

MISTAKES["clone: not read"] = way_mistake(
    "clone",
    Repair.name,
    "Right value and gradient, but `y[1]` is not computed from `y`: that is the way called `name`. Here read "
    "the square from the buffer, and make the reading safe.",
)

MISTAKES["clone: no buffer"] = way_mistake(
    "clone",
    Repair.stack,
    "Right value and gradient, but no cell of `y` is written by itself. Here begin with `y = mg.zeros(2)`, write `y[0]`, and "
    "compute `y[1]` from what you read of it.",
)

MISTAKES["name: still read"] = way_mistake(
    "name",
    Repair.clone,
    "Right value and gradient, but `y` is read. Give the square a name **before** it goes into `y`, and "
    "compute with the name: then there is nothing to clone.",
)

MISTAKES["name: still a window"] = way_mistake(
    "name",
    buffer(square, lambda y, x: (lambda kept: kept * x)(y[0])),
    "A name alone is no copy. `square = y[0]` gives a name to a **window** on `y`, and the write to `y[1]` "
    "makes it out of date. Name the result itself: `square = x**2`, before it is written into `y`.",
)


def kept_name(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The way with a name, where what is kept is converted first."""

    def way(x: Any) -> Any:
        y, kept = mg.zeros(2), convert(x**2)
        y[0] = x**2
        y[1] = kept * x
        return y

    return way


MISTAKES["name: gradient lost"] = way_mistake("name", kept_name(lambda t: t.item()), GRADIENT_LOST)

MISTAKES["name: no buffer"] = way_mistake(
    "name",
    Repair.stack,
    "Right value and gradient, but no cell of `y` is written by itself. Here begin with `y = mg.zeros(2)`, and write `y[0]` and "
    "`y[1]`, each from a name.",
)


def one_cell(x: Any) -> Any:
    y = mg.stack([x**2, x])
    y[1] = x**3
    return y


MISTAKES["name: one cell"] = way_mistake(
    "name", one_cell, "Right value and gradient, but only one cell of `y` is written. Both are to be: `y[0]`, and then `y[1]`."
)


def tensor_of_results(x: Any) -> Any:
    return mg.tensor([(x**2).item(), (x**3).item()])


MISTAKES["stack: no history"] = way_mistake(
    "stack",
    tensor_of_results,
    "The numbers are right, but nothing leads back to `x`. `mg.tensor([…])` takes numbers and forgets where they "
    "came from; so do `detach` and `item`. `mg.stack([…])` makes one tensor out of several and is recorded.",
)

MISTAKES["stack: a buffer"] = way_mistake(
    "stack",
    Repair.name,
    "Right value and gradient, but you write into a buffer. Collect the two results and join them at the end.",
)

MISTAKES["stack: a buffer that is read"] = way_mistake(
    "stack",
    Repair.clone,
    "Right value and gradient, but you write into a buffer, and read from it. No buffer at all is needed: "
    "collect the results and join them at the end.",
)


def one_write(x: Any) -> Any:
    y = mg.zeros(2)
    y[:] = mg.stack([x**2, x**3])
    return y


MISTAKES["stack: one write"] = way_mistake(
    "stack",
    one_write,
    "Right value and gradient, but `y` was written in place. Here nothing is: return what `mg.stack` makes, as it is.",
)
