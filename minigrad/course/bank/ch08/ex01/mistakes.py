"""08.1 Hands off .grad: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.shared import IN_ARRAYS
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def grads_each(L, wrt):
    return [mg.autograd.grad(L, t, retain_graph=True)[0] for t in wrt]


WASTEFUL["one walk for each"] = Mistake(
    grads_each,
    "All gradients are right, but the graph was walked once for each leaf, and it had to be retained for that. "
    "`mg.autograd.grad(L, wrt)` takes the whole list and walks **once**.",
)

MISTAKES: dict[str, Mistake] = {}


def grads_backward(L, wrt):
    L.backward()
    return [t.grad for t in wrt]


MISTAKES["backward"] = Mistake(
    grads_backward,
    "`backward` *adds to the `.grad` of every leaf* behind `L`, also of those that are not in `wrt`. And where a "
    "`.grad` was there before, you returned the sum. Ask `mg.autograd.grad`: it hands the gradients to you.",
)


def grads_cleared_before(L, wrt):
    for t in wrt:
        t.grad = None
    L.backward()
    return [t.grad for t in wrt]


MISTAKES["cleared, then backward"] = Mistake(
    grads_cleared_before,
    "What stood in `.grad` belongs to somebody else, and you cleared it. Then `backward` wrote to every leaf behind `L`. "
    "`mg.autograd.grad` touches no `.grad`.",
)


def grads_reset(L, wrt):
    L.backward()
    found = [t.grad for t in wrt]
    for t in wrt:
        t.grad = None
    return found


MISTAKES["read and reset"] = Mistake(
    grads_reset,
    "Backward, read, reset: now the `.grad` that others had stored is **destroyed**, and the leaves that are not in "
    "`wrt` still got one. Besides, an old `.grad` was in your sum. `mg.autograd.grad` touches no `.grad`.",
)


def grads_cleared(L, wrt):
    for t in wrt:
        t.grad = None
    L.backward()
    found = [t.grad for t in wrt]
    for t in wrt:
        t.grad = None
    return found


MISTAKES["cleared before and after"] = Mistake(
    grads_cleared,
    "The numbers are right. But whoever had a `.grad` has **lost** it, and the leaves that are not in `wrt` got one "
    "that nobody asked for. `mg.autograd.grad` touches no `.grad`.",
)


def grads_half_put_back(L, wrt):
    before = [t.grad for t in wrt]
    for t in wrt:
        t.grad = None
    L.backward()
    found = [t.grad for t in wrt]
    for t, old in zip(wrt, before, strict=True):
        t.grad = old
    return found


MISTAKES["put back for wrt alone"] = Mistake(
    grads_half_put_back,
    "For the tensors in `wrt` you put everything back. But `backward` wrote to **every** leaf behind `L`, also to those "
    "that are not in your list. `mg.autograd.grad` touches no `.grad`.",
)


def grads_inputs(L, wrt):
    L.backward(inputs=wrt)
    return [t.grad for t in wrt]


MISTAKES["backward(inputs=wrt)"] = Mistake(
    grads_inputs,
    "`inputs=` says *who* gets something; it still goes into their `.grad`, and is added to what was there. Use "
    "`mg.autograd.grad`: it returns the gradients.",
)


def grads_freed(L, wrt):
    return [mg.autograd.grad(L, t)[0] for t in wrt]


MISTAKES["freed after the first"] = Mistake(
    grads_freed,
    "The first call freed the graph, and the second came too late (chapter 07). No need to retain it: "
    "`mg.autograd.grad(L, wrt)` takes the **whole list** and walks once.",
)


def grads_tuples(L, wrt):
    return [mg.autograd.grad(L, t, retain_graph=True) for t in wrt]


MISTAKES["a tuple in each place"] = Mistake(
    grads_tuples,
    "`mg.autograd.grad` always returns a **tuple**, also for one tensor. You have put the tuples into your list, not "
    "the gradients.",
)


def grads_in_a_list(L, wrt):
    return [mg.autograd.grad(L, wrt)]


MISTAKES["the tuple in a list"] = Mistake(
    grads_in_a_list,
    "`mg.autograd.grad(L, wrt)` gives all gradients in **one** tuple, and you have put the tuple into a list. "
    "`list(…)` makes a list of its entries.",
)


def grads_one_unpacked(L, wrt):
    (g,) = mg.autograd.grad(L, wrt)
    return [g]


MISTAKES["unpacked as one"] = Mistake(
    grads_one_unpacked,
    "`(g,) = …` takes the gradient out of a tuple with **one** entry. Here `wrt` holds more, and so does the tuple: "
    "return all of it.",
)


def grads_subtracted(L, wrt):
    before = [t.grad for t in wrt]
    L.backward(inputs=wrt)
    return [t.grad - old for t, old in zip(wrt, before, strict=True)]


MISTAKES["the old .grad taken away again"] = Mistake(
    grads_subtracted,
    "Where nobody had a `.grad`, the old one is None, and nothing can be taken away from a tensor by None. And "
    "`backward` has written into every `.grad` all the same. `mg.autograd.grad` returns the gradients and writes "
    "nowhere.",
)


def grads_first(L, wrt):
    return mg.autograd.grad(L, wrt)[0]


MISTAKES["the first alone"] = Mistake(
    grads_first,
    "That is the first gradient only. `mg.autograd.grad(L, wrt)` gives a tuple with one gradient for each tensor in "
    "`wrt`: return them all.",
)


def grads_added_up(L, wrt):
    return sum(g.sum() for g in mg.autograd.grad(L, wrt))


MISTAKES["one number"] = Mistake(
    grads_added_up,
    "You return a single number. `mg.autograd.grad(L, wrt)` gives a tuple with one gradient for each tensor in `wrt`: return it "
    "as it comes.",
)


def grads_and_old_ones(L, wrt):
    found = mg.autograd.grad(L, wrt)
    return [g if t.grad is None else g + t.grad for t, g in zip(wrt, found, strict=True)]


MISTAKES["the old .grad added"] = Mistake(
    grads_and_old_ones,
    "Where a tensor has a `.grad` from before, that is in your sum. Return what `mg.autograd.grad` gives, and nothing else.",
)


def grads_written(L, wrt):
    found = mg.autograd.grad(L, wrt)
    for t, g in zip(wrt, found, strict=True):
        t.grad = g
    return found


MISTAKES["written as well"] = Mistake(
    grads_written,
    "What you return is right. But the gradients are now also in the `.grad` of the tensors in `wrt`, in the place of what stood "
    "there. `mg.autograd.grad` returns them and writes nowhere: leave it so.",
)


def grads_turned_round(L, wrt):
    return mg.autograd.grad(L, wrt)[::-1]


MISTAKES["turned round"] = Mistake(
    grads_turned_round, "The gradients are right, and stand in the reverse order. The first belongs to the first tensor in `wrt`."
)


def grads_tuples_freed(L, wrt):
    return [mg.autograd.grad(L, t) for t in wrt]


MISTAKES["a tuple in each place, and freed"] = Mistake(
    grads_tuples_freed,
    "Each entry of your list is a **tuple**, which `mg.autograd.grad` returns also for one tensor. And the first call frees the "
    "graph. Ask once: `mg.autograd.grad(L, wrt)` gives a tuple with all of them.",
)


def grads_arrays(L, wrt):
    return [g.numpy() for g in mg.autograd.grad(L, wrt)]


MISTAKES["NumPy arrays"] = Mistake(grads_arrays, IN_ARRAYS)
