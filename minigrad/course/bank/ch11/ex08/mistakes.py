"""11.8 A residual block: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def residual_broken(x, A, B):
    h = mg.relu(x @ A)
    h += x
    y = mg.sigmoid(h @ B)
    y *= h
    return y


STILL_THERE = (
    "Backward still raises. `relu` and `sigmoid` both keep their **output**, and no line may write to one of them. The message "
    "names the line that did. What would make a new tensor in its place?"
)

MISTAKES["the write is still there"] = Mistake(residual_broken, STILL_THERE)


def residual_half_mended(x, A, B):
    h = mg.relu(x @ A)
    h += x
    return mg.sigmoid(h @ B) * h


MISTAKES["the first write is still there"] = Mistake(residual_half_mended, STILL_THERE)


def residual_by_data(x, A, B):
    h = mg.relu(x @ A)
    h.data += x
    y = mg.sigmoid(h @ B)
    return y * h


MISTAKES["past the counter"] = Mistake(
    residual_by_data,
    "No error any more, and the gradients are wrong. Through `.data` nobody counts: relu reads what was written over. "
    "And what was added is in no graph, so the way from `h` to `x` is lost.",
)


def residual_without_grad(x, A, B):
    h = mg.relu(x @ A)
    return mg.sigmoid((h + x.detach()) @ B) * (h + x.detach())


MISTAKES["the short way is lost"] = Mistake(
    residual_without_grad,
    "The numbers are right, but `x` has two ways to the result: through relu, and straight. The second is missing in its "
    "gradient. What is added must be recorded: no `detach()`, and no `no_grad`.",
)


def residual_detached(x, A, B):
    h = mg.relu(x @ A).detach()
    h += x
    return mg.sigmoid(h @ B) * h


CUT_OFF = (
    "No error any more, because nobody goes back through relu: with `detach()` or `no_grad` no gradient comes to `A`. "
    "Make a new tensor for the sum, and cut nothing."
)

MISTAKES["the layer is cut off"] = Mistake(residual_detached, CUT_OFF)


def residual_unrecorded(x, A, B):
    with mg.no_grad():
        h = mg.relu(x @ A)
        h += x
    return mg.sigmoid(h @ B) * h


MISTAKES["the layer and the sum are cut off"] = Mistake(residual_unrecorded, CUT_OFF)


def residual_into_x(x, A, B):
    h = mg.relu(x @ A)
    x += h
    return mg.sigmoid(x @ B) * x


MISTAKES["written into x"] = Mistake(
    residual_into_x,
    "You write into `x`. It is a leaf, and the caller's: it should stay as it is. Make a new tensor for the sum.",
)

MISTAKES["no input added"] = Mistake(
    lambda x, A, B: mg.sigmoid(mg.relu(x @ A) @ B) * mg.relu(x @ A),
    "Now nothing raises, because nothing is added: `+ x` is gone. It is what makes the block residual.",
)

MISTAKES["the last factor is gone"] = Mistake(
    lambda x, A, B: mg.sigmoid((mg.relu(x @ A) + x) @ B), "The result is the sigmoid alone: `* h` is gone."
)


def residual_detached_factor(x, A, B):
    h = mg.relu(x @ A) + x
    return mg.sigmoid(h @ B) * h.detach()


MISTAKES["a factor without history"] = Mistake(
    residual_detached_factor,
    "The numbers are right, but `h` has two ways to the result: through sigmoid, and as the last factor. The second is missing in the "
    "gradient. No `detach()`, and no `no_grad`, on the way.",
)

MISTAKES["no relu"] = Mistake(
    lambda x, A, B: mg.sigmoid((x @ A + x) @ B) * (x @ A + x), "`relu` is gone: the block adds `x` to relu(x @ A), not to x @ A."
)

MISTAKES["a sigmoid without history"] = Mistake(
    lambda x, A, B: (lambda h: mg.sigmoid(h @ B).detach() * h)(mg.relu(x @ A) + x),
    "The numbers are right, but no gradient comes to `B`: sigmoid has lost its history. No `detach()`, and no `no_grad`, on the way. "
    "Make a new tensor for the product.",
)
