"""08.2 The middle of the graph: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch08.ex02.answer import Middle
from minigrad.course.bank.shared import RETURNS
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, but for what it returns
MISTAKES: dict[str, Mistake] = {}


def middle(name: str, wrong: Callable[..., Any]) -> Any:
    """The right answer with one other function."""
    return type("Middle", (Middle,), {name: staticmethod(wrong)})


def wrong_middle(name: str, wrong: Callable[..., Any], hint: str) -> Mistake:
    return Mistake(middle(name, wrong), f"{name}: {hint}")


def added_and_returned(L, h):
    L.backward(inputs=[h])
    return h.grad


WASTEFUL["by_backward: something is returned"] = wrong_middle(
    "by_backward",
    added_and_returned,
    f"the gradient is added to `h.grad`, {RETURNS}",
)


def read_unasked(L, h):
    L.backward()
    return h.grad


MISTAKES["by_grad: read without asking"] = wrong_middle(
    "by_grad",
    read_unasked,
    "`h` is no leaf, so `backward` leaves nothing in `h.grad`. PyTorch and minigrad warn when you read it: *The .grad "
    "attribute of a Tensor that is not a leaf Tensor is being accessed …* And the leaves got a `.grad` that they were not "
    "to have. Ask for ∂L/∂h itself: `mg.autograd.grad`.",
)


def retained(L, h):
    h.retain_grad()
    L.backward()
    return h.grad


MISTAKES["by_grad: retain_grad and backward"] = wrong_middle(
    "by_grad",
    retained,
    "the number is there, but it is also in `h.grad`, and `backward` went on to the leaves and wrote to theirs. "
    "`mg.autograd.grad(L, h)` stops at `h` and writes nowhere.",
)


def by_inputs(L, h):
    L.backward(inputs=[h])
    return h.grad


MISTAKES["by_grad: backward(inputs=)"] = wrong_middle(
    "by_grad",
    by_inputs,
    "the leaves are untouched, but `h.grad` is not: `backward` adds to it. `mg.autograd.grad(L, h)` returns the "
    "gradient and writes nowhere.",
)


def by_inputs_cleared(L, h):
    L.backward(inputs=[h])
    g, h.grad = h.grad, None
    return g


MISTAKES["by_grad: backward(inputs=), and cleared"] = wrong_middle(
    "by_grad",
    by_inputs_cleared,
    "`backward` adds to what is in `h.grad`, so an old one got into your sum; and then you cleared it. "
    "`mg.autograd.grad(L, h)` returns the gradient and writes nowhere: there is nothing to clear.",
)


def other_way_round(L, h):
    return mg.autograd.grad(h, L)[0]


MISTAKES["by_grad: the other way round"] = wrong_middle(
    "by_grad",
    other_way_round,
    "the output comes first, then the input: `mg.autograd.grad(L, h)`. You asked how `h` moves with `L`.",
)


def still_a_tuple(L, h):
    return mg.autograd.grad(L, h)


MISTAKES["by_grad: a tuple"] = wrong_middle(
    "by_grad", still_a_tuple, "`mg.autograd.grad` returns a **tuple**, here with one entry. Take it out: `(g,) = …`, or `…[0]`."
)

MISTAKES["by_backward: not asked for"] = wrong_middle(
    "by_backward",
    read_unasked,
    "`h` is no leaf, so a plain `backward` leaves nothing in `h.grad`, and writes to all leaves. Say where the gradient "
    "is to be left: `inputs=[h]`.",
)

MISTAKES["by_backward: retain_grad"] = wrong_middle(
    "by_backward",
    retained,
    "`retain_grad` leaves the gradient in `h.grad`, but the pass goes on to the leaves and writes to theirs as well. "
    "`inputs=[h]` stops it at `h`.",
)


def overwritten(L, h):
    (h.grad,) = mg.autograd.grad(L, h)


MISTAKES["by_backward: overwritten"] = wrong_middle(
    "by_backward",
    overwritten,
    "a `.grad` that was there before is gone. `backward` **adds** to it, also for a tensor that is no leaf, if you name "
    "it in `inputs=`.",
)


def only_returned(L, h):
    (g,) = mg.autograd.grad(L, h)
    return g


MISTAKES["by_backward: only returned"] = wrong_middle(
    "by_backward",
    only_returned,
    "afterwards nothing new is in `h.grad`. (`mg.autograd.grad` hands the gradient out and writes nowhere.) `backward` "
    "adds it there; `inputs=` says for whom.",
)


def back_from_h(L, h):
    h.backward()


MISTAKES["by_backward: begun at h"] = wrong_middle(
    "by_backward",
    back_from_h,
    "a pass begins at the tensor before the dot, and you begin at `h`, which is no scalar. Begin at `L`, and name `h` "
    "in `inputs=`.",
)


def from_h(L, h):
    h.backward(mg.ones_like(h))


MISTAKES["by_backward: from h"] = wrong_middle(
    "by_backward",
    from_h,
    "this walks from `h` towards the leaves. Wanted is the other half of the way: from `L` back to `h`. Start at `L`, and "
    "name `h` in `inputs=`.",
)


def cleared_first(L, h):
    h.grad = None
    L.backward(inputs=[h])


MISTAKES["by_backward: cleared first"] = wrong_middle(
    "by_backward",
    cleared_first,
    "a `.grad` that was there before is gone. Do not clear it: `backward` **adds** to it, which is what is asked for.",
)


def sum_of_h(L, h):
    h.sum().backward(inputs=[h])


MISTAKES["by_backward: the sum of h"] = wrong_middle(
    "by_backward",
    sum_of_h,
    "ones were added. That is how the sum of `h` moves with `h`; `L` has no part in it. Begin at `L`, and name `h` in `inputs=`.",
)


def old_one_added(L, h):
    (g,) = mg.autograd.grad(L, h)
    return g if h.grad is None else g + h.grad


MISTAKES["by_grad: the old .grad added"] = wrong_middle(
    "by_grad",
    old_one_added,
    "where `h` has a `.grad` already, that is in your sum. Return the gradient alone; only `by_backward` adds.",
)


def emptied_after(L, h):
    L.backward(inputs=[h])
    g = h.grad.clone()
    h.grad.zero_()
    return g


MISTAKES["by_grad: zeros left in h.grad"] = wrong_middle(
    "by_grad",
    emptied_after,
    "zeros are left in `h.grad`, which was None, or held something else. Zeros say that a gradient came; None says that none did. "
    "`mg.autograd.grad(L, h)` returns the gradient and writes nowhere.",
)


def leaves_behind(L):
    todo = [L.grad_fn]
    for node in todo:
        if hasattr(node, "variable"):
            yield node.variable
        todo += [child for child, _ in node.next_functions if child is not None]


def leaves_set_to(L, h, empty):
    h.retain_grad()
    L.backward()
    for leaf in leaves_behind(L):
        leaf.grad = empty(leaf)


def leaves_zeroed(L, h):
    leaves_set_to(L, h, mg.zeros_like)


MISTAKES["by_backward: zeros left in the leaves"] = wrong_middle(
    "by_backward",
    leaves_zeroed,
    "the `.grad` of the leaves is zeros, and it was None, or held something else. Do not write there at all: `inputs=[h]` says who "
    "gets the gradient.",
)


def leaves_cleared(L, h):
    leaves_set_to(L, h, lambda leaf: None)


MISTAKES["by_backward: the leaves are cleared"] = wrong_middle(
    "by_backward",
    leaves_cleared,
    "a leaf had a `.grad` from before, and now it has None. Do not write there at all, and there is nothing to clear: `inputs=[h]` "
    "says who gets the gradient.",
)
