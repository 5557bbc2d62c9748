"""08.3 Unused: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def zeros_each(L, wrt):
    result = []
    for t in wrt:
        (g,) = mg.autograd.grad(L, t, allow_unused=True, retain_graph=True)
        result.append(mg.zeros_like(t) if g is None else g)
    return result


WASTEFUL["one walk for each"] = Mistake(
    zeros_each,
    "All is right, but the graph was walked once for each tensor, and had to be retained. Give the whole list to one call.",
)

MISTAKES: dict[str, Mistake] = {}


def zeros_not_asked(L, wrt):
    return list(mg.autograd.grad(L, wrt))


MISTAKES["not allowed"] = Mistake(
    zeros_not_asked,
    "*… appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.* Here it is "
    "the desired behaviour.",
)


def nones(L, wrt):
    return list(mg.autograd.grad(L, wrt, allow_unused=True))


MISTAKES["None is left"] = Mistake(
    nones, "`allow_unused=True` puts **None** in the place of an unused tensor. Wanted are zeros: replace it."
)


def zeros_scalar(L, wrt):
    found = mg.autograd.grad(L, wrt, allow_unused=True)
    return [mg.tensor(0.0) if g is None else g for g in found]


MISTAKES["zeros of shape ()"] = Mistake(
    zeros_scalar,
    "A gradient has the shape of the tensor that it belongs to. Your zero has the shape `()`. `mg.zeros_like(t)` has "
    "the right one.",
)


def zeros_of_python(L, wrt):
    return [0 if g is None else g for g in mg.autograd.grad(L, wrt, allow_unused=True)]


MISTAKES["the number 0"] = Mistake(
    zeros_of_python,
    "A gradient is a Tensor, also where it is zero, and has the shape of the tensor that it belongs to. A number of Python has "
    "none: `mg.zeros_like(t)` makes the zeros.",
)


def zeros_shaped(shape: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    """Zeros of a shape that is made of wrt and one of its tensors."""

    def answer(L: Any, wrt: Any) -> Any:
        found = mg.autograd.grad(L, wrt, allow_unused=True)
        return [mg.zeros(shape(wrt, t)) if g is None else g for t, g in zip(wrt, found, strict=True)]

    return answer


OTHER_SHAPE = (
    "A gradient has the shape of the tensor that it belongs to, and these zeros have another. `mg.zeros_like(t)` makes them for the "
    "tensor `t` itself."
)
MISTAKES["zeros of one shape for all"] = Mistake(zeros_shaped(lambda wrt, t: 3), OTHER_SHAPE)
MISTAKES["zeros of the first one's shape"] = Mistake(zeros_shaped(lambda wrt, t: wrt[0].shape), OTHER_SHAPE)
MISTAKES["a zero for each tensor in wrt"] = Mistake(zeros_shaped(lambda wrt, t: len(wrt)), OTHER_SHAPE)
MISTAKES["zeros along the first axis"] = Mistake(zeros_shaped(lambda wrt, t: len(t)), OTHER_SHAPE)


def zeros_filtered(L, wrt):
    return [g for g in mg.autograd.grad(L, wrt, allow_unused=True) if g is not None]


MISTAKES["left out"] = Mistake(
    zeros_filtered,
    "You dropped the unused ones, so nobody can tell which gradient belongs to whom. One gradient for **each** tensor "
    "in `wrt`, zeros where there is none.",
)


def zeros_try(L, wrt):
    try:
        return list(mg.autograd.grad(L, wrt))
    except RuntimeError:
        return [mg.zeros_like(t) for t in wrt]


VANISHED = (
    "Now real errors vanish: a constant among the inputs, a loss that is no scalar, a freed graph, and all that comes out is a zero. "
    "Do not catch; **say** what you allow: `allow_unused=True`."
)

MISTAKES["one error, all zeros"] = Mistake(
    zeros_try,
    "One unused tensor, and *all* gradients became zero. An exception tells you nothing about the others. " + VANISHED,
)


def zeros_try_each(L, wrt):
    result = []
    for t in wrt:
        try:
            (g,) = mg.autograd.grad(L, t, retain_graph=True)
        except RuntimeError:
            g = mg.zeros_like(t)
        result.append(g)
    return result


MISTAKES["each error a zero"] = Mistake(zeros_try_each, VANISHED)


def zeros_try_unused(L, wrt):
    try:
        found = mg.autograd.grad(L, wrt, allow_unused=True)
    except RuntimeError:
        found = [None] * len(wrt)
    return [mg.zeros_like(t) if g is None else g for t, g in zip(wrt, found, strict=True)]


MISTAKES["allowed, and caught all the same"] = Mistake(zeros_try_unused, VANISHED)


def zeros_backward(L, wrt):
    L.backward()
    return [mg.zeros_like(t) if t.grad is None else t.grad for t in wrt]


MISTAKES["backward"] = Mistake(
    zeros_backward,
    "`backward` writes into the `.grad` of every leaf behind `L`, and knows nothing of your list: a constant in it "
    "becomes a zero without a word. `mg.autograd.grad` writes nowhere, and looks at each tensor that you ask for.",
)


def zeros_inputs(L, wrt):
    L.backward(inputs=wrt)
    return [mg.zeros_like(t) if t.grad is None else t.grad for t in wrt]


MISTAKES["backward(inputs=)"] = Mistake(
    zeros_inputs,
    "`inputs=` says who gets something, but it still goes into their `.grad`. `mg.autograd.grad` with "
    "`allow_unused=True` hands the gradients to you, and None for an unused tensor.",
)


def zeros_freed(L, wrt):
    return [mg.autograd.grad(L, t, materialize_grads=True)[0] for t in wrt]


MISTAKES["freed after the first"] = Mistake(
    zeros_freed,
    "The first call freed the graph, and the second came too late (chapter 07). Give the **whole list** to one call: "
    "one walk, and nothing to retain.",
)


def zeros_or(L, wrt):
    return [g or mg.zeros_like(t) for t, g in zip(wrt, mg.autograd.grad(L, wrt, allow_unused=True), strict=True)]


MISTAKES["the truth of a tensor"] = Mistake(
    zeros_or,
    "`g or …` and `if g` ask whether a whole tensor is true, and for several numbers there is no answer. Ask whether it "
    "is there: `g is None`.",
)


def zeros_without_graph(L, wrt):
    if not L.requires_grad:
        return [mg.zeros_like(t) for t in wrt]
    return mg.autograd.grad(L, wrt, materialize_grads=True)


MISTAKES["zeros without a graph"] = Mistake(
    zeros_without_graph,
    "Here `L` does not require grad: somebody forgot `requires_grad`, or detached, and you return zeros. (So does "
    "whoever adds `0 * t` to `L`: then it always has a graph.) Only a tensor to which no path leads is to become zeros; "
    "this error must come out.",
)


def zeros_summed(L, wrt):
    return mg.autograd.grad(L.sum(), wrt, materialize_grads=True)


MISTAKES["made one number"] = Mistake(
    zeros_summed,
    "An `L` with several entries is a mistake of whoever calls you, and its error is to come out. `.sum()`, or a "
    "cotangent of ones, makes one number of it in silence.",
)


def zeros_of_constants(L, wrt):
    asked = [t for t in wrt if t.requires_grad]
    found = dict(zip(map(id, asked), mg.autograd.grad(L, asked, allow_unused=True), strict=True))
    return [mg.zeros_like(t) if found.get(id(t)) is None else found[id(t)] for t in wrt]


MISTAKES["zeros for constants"] = Mistake(
    zeros_of_constants,
    "A tensor that does **not require grad** is another matter than an unused one: somebody forgot `requires_grad`, or "
    "detached, and L may well depend on it. Zero would be a wrong number. The error must come out.",
)
