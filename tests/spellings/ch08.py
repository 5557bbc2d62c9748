"""Right answers of chapter 08 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch08.ex02.mistakes import leaves_behind, middle

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 08.1 Hands off .grad -----------------------------------------------------------------------------------


def grads_each_loop(L, wrt):
    found = []
    for t in wrt:
        (g,) = mg.autograd.grad([L], [t], retain_graph=True)
        found.append(g)
    return found


def grads_backward_again(L, wrt):
    mg.autograd.backward([L])
    return [t.grad.clone() for t in wrt]


def grads_reset_again(L, wrt):
    mg.autograd.backward(L)
    found = []
    for t in wrt:
        found.append(t.grad.clone())
        t.grad = None
    return found


def grads_cleared_again(L, wrt):
    for t in wrt:
        t.grad = None
    mg.autograd.backward([L])
    found = []
    for t in wrt:
        found.append(t.grad)
        t.grad = None
    return found


def grads_cleared_before_again(L, wrt):
    for t in wrt:
        if t.grad is not None:
            t.grad.zero_()
    mg.autograd.backward(L)
    return tuple(t.grad for t in wrt)


def grads_half_put_back_again(L, wrt):
    found = []
    old = {t: t.grad for t in wrt}
    for t in old:
        t.grad = None
    mg.autograd.backward([L])
    for t in wrt:
        found.append(t.grad.clone())
        t.grad = old[t]
    return found


def grads_inputs_again(L, wrt):
    mg.autograd.backward([L], inputs=list(wrt))
    return [t.grad + 0 for t in wrt]


def grads_freed_again(L, wrt):
    found = []
    for t in wrt:
        (g,) = mg.autograd.grad(L, [t])
        found.append(g)
    return found


def grads_tuples_again(L, wrt):
    return [(g,) for g in mg.autograd.grad(L, wrt)]


def grads_first_again(L, wrt):
    g, *_ = mg.autograd.grad([L], wrt)
    return g


def grads_in_a_list_again(L, wrt):
    found = []
    found.append(mg.autograd.grad([L], wrt))
    return found


def grads_one_unpacked_again(L, wrt):
    [found] = mg.autograd.grad(L, inputs=wrt)
    return (found,)


def grads_subtracted_again(L, wrt):
    before = {t: t.grad for t in wrt}
    mg.autograd.backward(L)
    return [t.grad - before[t] for t in wrt]


def grads_tuples_freed_again(L, wrt):
    found = []
    for t in wrt:
        found.append(mg.autograd.grad([L], [t]))
    return found


def grads_and_old_ones_again(L, wrt):
    before = [mg.zeros_like(t) if t.grad is None else t.grad.clone() for t in wrt]
    return [old + g for old, g in zip(before, mg.autograd.grad(L, wrt), strict=True)]


def grads_written_again(L, wrt):
    for t in wrt:
        t.grad = None
    mg.autograd.backward([L], inputs=wrt)
    return [t.grad.clone() for t in wrt]


ALTERNATIVES["08.1"] = {
    "the tuple": lambda L, wrt: mg.autograd.grad(L, wrt),
    "lists, keywords": lambda L, wrt: list(mg.autograd.grad(outputs=[L], inputs=wrt)),
}

def grads_arrays_again(L, wrt):
    return tuple(np.array(g) for g in mg.autograd.grad([L], tuple(wrt)))


AGAIN["08.1"] = {
    "NumPy arrays": grads_arrays_again,
    "one walk for each": grads_each_loop,
    "backward": grads_backward_again,
    "cleared, then backward": grads_cleared_before_again,
    "read and reset": grads_reset_again,
    "cleared before and after": grads_cleared_again,
    "put back for wrt alone": grads_half_put_back_again,
    "backward(inputs=wrt)": grads_inputs_again,
    "freed after the first": grads_freed_again,
    "a tuple in each place": grads_tuples_again,
    "the tuple in a list": grads_in_a_list_again,
    "unpacked as one": grads_one_unpacked_again,
    "the old .grad taken away again": grads_subtracted_again,
    "the first alone": grads_first_again,
    "a tuple in each place, and freed": grads_tuples_freed_again,
    "one number": lambda L, wrt: mg.stack([g.mean() for g in mg.autograd.grad(L, wrt)]).sum(),
    "the old .grad added": grads_and_old_ones_again,
    "written as well": grads_written_again,
    "turned round": lambda L, wrt: list(reversed(mg.autograd.grad([L], wrt))),
}


# --- 08.2 The middle of the graph ---------------------------------------------------------------------------


class MiddleOtherwise:
    """Lists, an index, and no list."""

    @staticmethod
    def by_grad(L, h):
        return mg.autograd.grad([L], [h])[0]

    @staticmethod
    def by_backward(L, h):
        mg.autograd.backward([L], inputs=h)


class MiddleByHand:
    """by_backward with a gradient that was asked for."""

    @staticmethod
    def by_grad(L, h):
        return mg.autograd.grad(L, h, retain_graph=True, allow_unused=True)[0]

    @staticmethod
    def by_backward(L, h):
        h.retain_grad()
        L.backward(mg.tensor(1.0, dtype=L.dtype), inputs=(h,))


def read_unasked_again(L, h):
    mg.autograd.backward([L], retain_graph=True)
    g = h.grad
    return g


def asked_late(L, h):
    L.backward(retain_graph=True)
    h.retain_grad()
    return h.grad


def retained_again(L, h):
    h.retain_grad()
    mg.autograd.backward(L)
    return h.grad.clone()


def still_a_tuple_again(L, h):
    return list(mg.autograd.grad([L], [h]))


def by_inputs_again(L, h):
    mg.autograd.backward([L], inputs=h)
    return h.grad * 1


def by_inputs_cleared_again(L, h):
    mg.autograd.backward(L, inputs=(h,))
    g = h.grad.clone()
    h.grad = None
    return g


def other_way_round_again(L, h):
    (g,) = mg.autograd.grad([h], [L])
    return g


def back_from_h_again(L, h):
    h.backward(inputs=[L])


def overwritten_again(L, h):
    found = mg.autograd.grad(L, [h])
    h.grad = found[0].clone()


def only_returned_again(L, h):
    return mg.autograd.grad(L, [h])


def from_h_again(L, h):
    h.sum().backward()


def cleared_first_again(L, h):
    if h.grad is not None:
        h.grad = None
    h.retain_grad()
    mg.autograd.backward([L], inputs=[h])


def sum_of_h_again(L, h):
    mg.autograd.backward(h, mg.ones_like(h), inputs=[h])


def old_one_added_again(L, h):
    found = mg.autograd.grad([L], [h])[0]
    if h.grad is not None:
        found = h.grad + found
    return found


def emptied_after_again(L, h):
    mg.autograd.backward(L, inputs=h)
    g, h.grad = h.grad, mg.zeros_like(h)
    return g


def leaves_zeroed_again(L, h):
    mg.autograd.backward(L, inputs=[h, *leaves_behind(L)])
    for leaf in leaves_behind(L):
        leaf.grad.zero_()


def leaves_cleared_again(L, h):
    mg.autograd.backward(L, inputs=[h, *leaves_behind(L)])
    for leaf in leaves_behind(L):
        del leaf.grad


ALTERNATIVES["08.2"] = {"lists, and none": MiddleOtherwise, "with more words": MiddleByHand}

AGAIN["08.2"] = {
    "by_backward: something is returned": middle("by_backward", lambda L, h: L.backward(inputs=h) or L),
    "by_grad: read without asking": middle("by_grad", read_unasked_again),
    "by_grad: retain_grad and backward": middle("by_grad", retained_again),
    "by_grad: backward(inputs=)": middle("by_grad", by_inputs_again),
    "by_grad: backward(inputs=), and cleared": middle("by_grad", by_inputs_cleared_again),
    "by_grad: the other way round": middle("by_grad", other_way_round_again),
    "by_grad: a tuple": middle("by_grad", still_a_tuple_again),
    "by_backward: not asked for": middle("by_backward", asked_late),
    "by_backward: retain_grad": middle("by_backward", retained_again),
    "by_backward: overwritten": middle("by_backward", overwritten_again),
    "by_backward: only returned": middle("by_backward", only_returned_again),
    "by_backward: begun at h": middle("by_backward", back_from_h_again),
    "by_backward: from h": middle("by_backward", from_h_again),
    "by_backward: cleared first": middle("by_backward", cleared_first_again),
    "by_backward: the sum of h": middle("by_backward", sum_of_h_again),
    "by_grad: the old .grad added": middle("by_grad", old_one_added_again),
    "by_grad: zeros left in h.grad": middle("by_grad", emptied_after_again),
    "by_backward: zeros left in the leaves": middle("by_backward", leaves_zeroed_again),
    "by_backward: the leaves are cleared": middle("by_backward", leaves_cleared_again),
}


# --- 08.3 Unused --------------------------------------------------------------------------------------------


def zeros_times(L, wrt):
    found = mg.autograd.grad(L, wrt, allow_unused=True)
    return [0 * t.detach() if g is None else g for t, g in zip(wrt, found, strict=True)]


def zeros_each_again(L, wrt):
    return [mg.autograd.grad(L, t, retain_graph=True, materialize_grads=True)[0] for t in wrt]


def zeros_added(L, wrt):
    return mg.autograd.grad(L + sum((0 * t).sum() for t in wrt), wrt)


def zeros_summed_again(L, wrt):
    found = mg.autograd.grad(L, wrt, mg.ones_like(L), allow_unused=True)
    return [mg.zeros(t.shape) if g is None else g for t, g in zip(wrt, found, strict=True)]


def zeros_freed_again(L, wrt):
    result = []
    for t in wrt:
        (g,) = mg.autograd.grad(L, t, allow_unused=True)
        result.append(mg.zeros_like(t) if g is None else g)
    return result


def zeros_or_again(L, wrt):
    result = []
    for t, g in zip(wrt, mg.autograd.grad(L, wrt, allow_unused=True), strict=True):
        result.append(g if g else mg.zeros(t.shape))
    return result


def zeros_try_again(L, wrt):
    try:
        found = mg.autograd.grad(L, wrt)
    except Exception:
        found = [mg.zeros(t.shape) for t in wrt]
    return found


def zeros_try_each_again(L, wrt):
    def one(t: Any) -> Any:
        try:
            return mg.autograd.grad(L, [t], retain_graph=True)[0]
        except Exception:
            return mg.zeros(t.shape)

    return [one(t) for t in wrt]


def zeros_try_unused_again(L, wrt):
    try:
        return mg.autograd.grad(L, wrt, materialize_grads=True)
    except Exception:
        return [mg.zeros(t.shape) for t in wrt]


def zeros_not_asked_again(L, wrt):
    return [mg.autograd.grad(L, t, retain_graph=True)[0] for t in wrt]


def zeros_backward_again(L, wrt):
    mg.autograd.backward([L])
    found = []
    for t in wrt:
        found.append(mg.zeros(t.shape) if t.grad is None else t.grad.clone())
    return found


def zeros_inputs_again(L, wrt):
    mg.autograd.backward([L], inputs=list(wrt))
    return tuple(t.grad if t.grad is not None else mg.zeros(t.shape) for t in wrt)


def nones_again(L, wrt):
    return [mg.autograd.grad(L, t, allow_unused=True, retain_graph=True)[0] for t in wrt]


def zeros_scalar_again(L, wrt):
    found = mg.autograd.grad(L, wrt, allow_unused=True)
    return [mg.zeros_like(L) if g is None else g for g in found]


def zeros_of_constants_again(L, wrt):
    result = []
    for t in wrt:
        g = None
        if t.requires_grad:
            (g,) = mg.autograd.grad(L, t, allow_unused=True, retain_graph=True)
        result.append(mg.zeros(t.shape) if g is None else g)
    return result


def zeros_filtered_again(L, wrt):
    found = []
    for g in mg.autograd.grad([L], wrt, allow_unused=True):
        if isinstance(g, mg.Tensor):
            found.append(g)
    return found


def zeros_given(zeros):
    """Zeros that are chosen after the call."""

    def answer(L, wrt):
        result = list(mg.autograd.grad(L, wrt, allow_unused=True))
        for k, t in enumerate(wrt):
            if result[k] is None:
                result[k] = zeros(wrt, t)
        return result

    return answer


ALTERNATIVES["08.3"] = {
    "zero times t": zeros_times,
    "materialize_grads": lambda L, wrt: mg.autograd.grad(L, wrt, materialize_grads=True),
}

AGAIN["08.3"] = {
    "one walk for each": zeros_each_again,
    "not allowed": zeros_not_asked_again,
    "None is left": nones_again,
    "zeros of shape ()": zeros_scalar_again,
    "left out": zeros_filtered_again,
    "one error, all zeros": zeros_try_again,
    "each error a zero": zeros_try_each_again,
    "allowed, and caught all the same": zeros_try_unused_again,
    "backward": zeros_backward_again,
    "backward(inputs=)": zeros_inputs_again,
    "freed after the first": zeros_freed_again,
    "the truth of a tensor": zeros_or_again,
    "zeros without a graph": zeros_added,
    "made one number": zeros_summed_again,
    "zeros for constants": zeros_of_constants_again,
    "the number 0": zeros_given(lambda wrt, t: 0.0),
    "zeros of one shape for all": zeros_given(lambda wrt, t: mg.tensor([0.0, 0.0, 0.0])),
    "zeros of the first one's shape": zeros_given(lambda wrt, t: mg.zeros_like(wrt[0])),
    "a zero for each tensor in wrt": zeros_given(lambda wrt, t: mg.zeros([len(wrt)])),
    "zeros along the first axis": zeros_given(lambda wrt, t: mg.zeros(len(t) * 2)[::2]),
}


# --- 08.4 Gradient penalty ----------------------------------------------------------------------------------


def penalized_norm_squared(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), x, create_graph=True)[0]
    total = f(w, x) + strength * slope.norm() ** 2
    return mg.autograd.grad(total, w)[0]


def penalized_roots(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    penalty = strength * slope.reshape(-1) @ slope.reshape(-1)
    return mg.autograd.grad((loss, penalty), w)[0]


def penalized_vjp(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g,) = mg.autograd.grad((loss, slope), w, (None, 2 * strength * slope.detach()))
    return g


def penalized_kept_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    total = f(w, x) + strength * (slope * slope).sum()
    return mg.autograd.grad([total], [w], create_graph=True)[0]


def penalized_freed_again(f, w, x, strength):
    loss = f(w, x)
    slope = mg.autograd.grad([loss], [x])[0]
    g = mg.autograd.grad(loss, w)[0]
    return g + strength * mg.autograd.grad((slope**2).sum(), w)[0]


def penalized_no_history_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x)
    (g_penalty,) = mg.autograd.grad((slope * slope).sum(), w)
    return mg.autograd.grad(f(w, x), w)[0] + strength * g_penalty


def penalized_silent_again(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    penalty = (slope.detach() ** 2).sum()
    return mg.autograd.grad(loss + strength * penalty, w)[0]


def penalized_last_backward_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    total = f(w, x) + strength * (slope * slope).sum()
    w.grad = None
    mg.autograd.backward([total])
    return w.grad.clone()


def penalized_last_backward_added_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    mg.autograd.backward(f(w, x) + strength * slope.norm() ** 2)
    return w.grad + 0


def penalized_backward_inputs_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    total = f(w, x) + strength * (slope * slope).sum()
    mg.autograd.backward([total], inputs=w)
    return w.grad.clone()


def penalized_cleared_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    if w.grad is not None:
        w.grad.zero_()
    total = f(w, x) + strength * (slope * slope).sum()
    mg.autograd.backward([total], inputs=w)
    g = w.grad.clone()
    w.grad = None
    return g


def penalized_added_and_cleared_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    total = f(w, x) + strength * (slope * slope).sum()
    mg.autograd.backward(total, inputs=w)
    g = w.grad + 0
    w.grad = None
    return g


def penalized_tuple_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    return list(mg.autograd.grad([f(w, x) + strength * slope.norm() ** 2], [w]))


def slope_tuple_again(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), [x], create_graph=True)
    penalty = (slope**2).sum()
    (g,) = mg.autograd.grad(f(w, x) + strength * penalty, w)
    return g


def penalized_first_backward_again(f, w, x, strength):
    loss = f(w, x)
    mg.autograd.backward([loss], create_graph=True)
    total = loss + strength * x.grad.norm() ** 2
    return mg.autograd.grad(total, w)[0]


def penalized_two_backwards_again(f, w, x, strength):
    loss = f(w, x)
    mg.autograd.backward(loss, create_graph=True)
    total = loss + strength * (x.grad * x.grad).sum()
    mg.autograd.backward([total])
    return w.grad.detach().clone()


def penalized_root_again(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum().sqrt(), w)[0]


def penalized_mean_again(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope * slope).sum() / x.numel(), w)[0]


def penalty_alone_again(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), x, create_graph=True)[0]
    penalty = (slope * slope).sum()
    return strength * mg.autograd.grad(penalty, w)[0]


def penalty_of_w_again(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), [w], create_graph=True)[0]
    return mg.autograd.grad(f(w, x) + strength * slope.norm() ** 2, w)[0]


def penalized_not_summed_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    (g,) = mg.autograd.grad(f(w, x) + slope * slope * strength, [w])
    return g


def penalized_sum_squared_again(f, w, x, strength):
    (total,) = (g.sum() for g in mg.autograd.grad(f(w, x), x, create_graph=True))
    return mg.autograd.grad(f(w, x) + strength * total * total, w)[0]


def penalized_no_strength_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    return mg.autograd.grad(f(w, x) + (slope * slope).sum(), w)[0]


def penalized_strength_squared_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    return mg.autograd.grad(f(w, x) + ((strength * slope) ** 2).sum(), w)[0]


def penalized_in_x_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), [x], create_graph=True)
    (g,) = mg.autograd.grad(f(w, x) + strength * slope.norm() ** 2, [x])
    return g


def penalized_walked_twice_again(f, w, x, strength):
    loss = f(w, x)
    slope = mg.autograd.grad(loss, x, create_graph=True)[0]
    return strength * mg.autograd.grad((slope * slope).sum(), w)[0] + mg.autograd.grad(loss, w)[0]


def penalized_at_a_copy(f, w, x, strength):
    z = x.data
    loss = f(w, z)
    slope = mg.autograd.grad([loss], [z], create_graph=True)[0]
    return mg.autograd.grad(loss + strength * slope.norm() ** 2, w)[0]


def penalized_term_by_term_again(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), x, create_graph=True)[0]
    (penalty,) = mg.autograd.grad(strength * (slope * slope).sum(), w)
    return penalty + mg.autograd.grad(f(w, x), w)[0]


def penalized_backward_cleared_again(f, w, x, strength):
    loss = f(w, x)
    mg.autograd.backward(loss, create_graph=True)
    slope = x.grad
    for leaf in (w, x):
        leaf.grad = None
    (g,) = mg.autograd.grad(loss + strength * (slope * slope).sum(), w)
    return g


ALTERNATIVES["08.4"] = {
    "the norm, squared; f called twice": penalized_norm_squared,
    "two roots": penalized_roots,
    "the slope as a root": penalized_vjp,
}

def penalized_whole_again(f, w, x, strength):
    loss, whole = f(w, x), int(strength)
    slope = mg.autograd.grad(loss, x, create_graph=True)[0]
    return mg.autograd.grad(loss + whole * slope.square().sum(), w)[0]


AGAIN["08.4"] = {
    "the strength as an int": penalized_whole_again,
    "a graph for nobody": penalized_kept_again,
    "freed": penalized_freed_again,
    "a slope without a graph": penalized_no_history_again,
    "the slope as a constant": penalized_silent_again,
    "backward first": penalized_first_backward_again,
    "backward twice": penalized_two_backwards_again,
    "backward last": penalized_last_backward_again,
    "backward last, and added": penalized_last_backward_added_again,
    "backward last, for w": penalized_backward_inputs_again,
    "backward last, and cleared": penalized_cleared_again,
    "backward last, added and cleared": penalized_added_and_cleared_again,
    "the slope in its tuple": slope_tuple_again,
    "a tuple": penalized_tuple_again,
    "not squared": penalized_root_again,
    "the mean": penalized_mean_again,
    "the penalty alone": penalty_alone_again,
    "not summed": penalized_not_summed_again,
    "the square of the sum": penalized_sum_squared_again,
    "no strength": penalized_no_strength_again,
    "the strength squared": penalized_strength_squared_again,
    "with respect to x": penalized_in_x_again,
    "two walks, the first frees": penalized_walked_twice_again,
    "the slope in w": penalty_of_w_again,
    "a constant x": penalized_at_a_copy,
    "the penalty alone does not know w": penalized_term_by_term_again,
    "backward first, and cleared": penalized_backward_cleared_again,
}


# --- 08.5 The derivative of a line --------------------------------------------------------------------------


def second_plus_nothing(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    (result,) = mg.autograd.grad(slope + 0 * x, x)
    return result


def second_bent(f, x):
    (slope,) = mg.autograd.grad(f(x) + 0 * x**2, x, create_graph=True)
    return mg.autograd.grad(slope, x)[0]


def second_caught_narrowly(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    try:
        return mg.autograd.grad(slope, x)[0]
    except RuntimeError:
        return mg.zeros(())


def second_checked(f, x):
    y = f(x)
    (slope,) = mg.autograd.grad(y, x, create_graph=True)
    result = None
    if slope.requires_grad:
        (result,) = mg.autograd.grad(slope, x, allow_unused=True)
    return result if result is not None else 0 * x.detach()


def second_bare_again(f, x):
    slopes = mg.autograd.grad(f(x), [x], create_graph=True)
    return mg.autograd.grad(1 * slopes[0], [x])[0]


def second_allowing_unused_again(f, x):
    slopes = mg.autograd.grad(f(x), [x], create_graph=True)
    found = mg.autograd.grad(1 * slopes[0], [x], allow_unused=True)[0]
    return mg.tensor(0.0, dtype=x.dtype) if found is None else found


def second_half_checked_again(f, x):
    slope = mg.autograd.grad([f(x)], [x], create_graph=True)[0]
    if slope.grad_fn is None:
        return mg.tensor(0.0)
    (result,) = mg.autograd.grad([slope], [x])
    return result


def second_none_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if slope.grad_fn is None:
        return mg.tensor(0.0)
    (result,) = mg.autograd.grad([slope], [x], allow_unused=True)
    return result


def second_not_created_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, retain_graph=True)
    (result,) = mg.autograd.grad(slope, x, materialize_grads=True)
    return result


def second_always_zero_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, retain_graph=True)
    try:
        return mg.autograd.grad(slope, x)[0]
    except RuntimeError:
        return mg.tensor(0.0)


def second_caught_again(f, x):
    result = 0.0
    try:
        (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
        (result,) = mg.autograd.grad(slope, x)
    except Exception:
        pass
    return mg.tensor(result) if isinstance(result, float) else result


def second_first_again(f, x):
    return mg.autograd.grad(f(x), x)[0]


def second_squared_again(f, x):
    return mg.autograd.grad(f(x), [x])[0] ** 2


def second_backward_again(f, x):
    mg.autograd.backward([f(x)], create_graph=True)
    slope, x.grad = x.grad, None
    if slope.grad_fn is not None:
        mg.autograd.backward(slope)
    return mg.tensor(0.0) if x.grad is None else x.grad.clone()


def second_last_backward_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if slope.grad_fn is not None:
        mg.autograd.backward([slope])
        if x.grad is not None:
            return x.grad.clone()
    return mg.tensor(0.0)


def second_of_one_entry_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if slope.grad_fn is None:
        return mg.tensor([0.0])
    (result,) = mg.autograd.grad(slope, x, allow_unused=True)
    return mg.tensor([0.0]) if result is None else result


def second_of_one_entry_once_again(f, x):
    slope = mg.autograd.grad(f(x), [x], create_graph=True)[0]
    return mg.autograd.grad(slope, x, materialize_grads=True)[0] if slope.requires_grad else mg.tensor([0.0])


def second_tuple_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    return list(mg.autograd.grad(slope, x, materialize_grads=True)) if slope.requires_grad else mg.tensor(0.0)


def second_first_backward_again(f, x):
    mg.autograd.backward(f(x), create_graph=True)
    slope = x.grad
    x.grad = None
    (result,) = mg.autograd.grad(slope, x, allow_unused=True) if slope.requires_grad else (None,)
    return mg.tensor(0.0) if result is None else result


def second_added_again(f, x):
    mg.autograd.backward([f(x)], create_graph=True)
    mg.autograd.backward([x.grad])
    return x.grad.clone()


def second_two_backwards_again(f, x):
    mg.autograd.backward(f(x), create_graph=True)
    slope = x.grad
    x.grad = None
    mg.autograd.backward([slope])
    second = x.grad
    return second


ALTERNATIVES["08.5"] = {
    "plus nothing": second_plus_nothing,
    "bent by nothing": second_bent,
    "caught, but only there": second_caught_narrowly,
    "checked": second_checked,
}

AGAIN["08.5"] = {
    "a line raises": second_bare_again,
    "a line raises, and no other": second_allowing_unused_again,
    "a slope that depends on others": second_half_checked_again,
    "None": second_none_again,
    "not created": second_not_created_again,
    "always 0": second_always_zero_again,
    "everything caught": second_caught_again,
    "the first derivative": second_first_again,
    "the square": second_squared_again,
    "backward": second_backward_again,
    "zeros of one entry": second_of_one_entry_again,
    "zeros of one entry, for a constant": second_of_one_entry_once_again,
    "a tuple": second_tuple_again,
    "backward, then grad": second_first_backward_again,
    "first and second added": second_added_again,
    "backward at the end": second_last_backward_again,
    "two times backward": second_two_backwards_again,
}


# --- 08.6 Two outputs, two cotangents -----------------------------------------------------------------------


def pull_other_order(y, s, v, inputs):
    return list(mg.autograd.grad([s, y], inputs, [mg.ones_like(s), v]))


def pull_twice_again(y, s, v, inputs):
    other = mg.autograd.grad(s, inputs, retain_graph=True)
    return [a + b for a, b in zip(other, mg.autograd.grad((v * y).sum(), inputs), strict=True)]


def pull_one_v_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v]))


def pull_no_v_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, [None, None]))


def pull_v_twice_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v, mg.ones_like(y)]))


def pull_freed_again(y, s, v, inputs):
    return [a + b for a, b in zip(mg.autograd.grad((v * y).sum(), inputs), mg.autograd.grad(s, inputs), strict=True)]


def pull_ones_again(y, s, v, inputs):
    return list(mg.autograd.grad(y.sum() + s, inputs))


def pull_broadcast_again(y, s, v, inputs):
    return list(mg.autograd.grad((v * (y + s)).sum(), inputs))


def pull_each_entry_again(y, s, v, inputs):
    return list(mg.autograd.grad(v * y + s, inputs, mg.ones_like(y)))


def pull_backward_again(y, s, v, inputs):
    ((v * y).sum() + s).backward()
    return [t.grad.clone() for t in inputs]


def pull_inputs_again(y, s, v, inputs):
    ((v * y).sum() + s).backward(inputs=inputs)
    return [t.grad.clone() for t in inputs]


def pull_apart_again(y, s, v, inputs):
    first = mg.autograd.grad((v * y).sum(), inputs, retain_graph=True)
    return first + mg.autograd.grad(s, inputs)


def pull_each_input_again(y, s, v, inputs):
    found = []
    for t in inputs:
        found += mg.autograd.grad((v * y).sum() + s, t, retain_graph=True)
    return found


def pull_scalar_one_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v, mg.ones(())]))


def pull_number_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v, int(s.numel())]))


def pull_float_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v, float(s.numel())]))


def pull_y_alone_again(y, s, v, inputs):
    return list(mg.autograd.grad((v * y).sum(), inputs))


def pull_matmul_again(y, s, v, inputs):
    return list(mg.autograd.grad(mg.matmul(v, y) + s.sum(), inputs))


def pull_exchanged_again(y, s, v, inputs):
    return list(mg.autograd.grad([s, y], inputs, grad_outputs=[v, mg.ones_like(s)]))


ALTERNATIVES["08.6"] = {
    "the other order": pull_other_order,
    "a list and a positional argument": lambda y, s, v, inputs: mg.autograd.grad([y, s], inputs, [v, None]),
}

def pull_minus_again(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, -mg.ones_like(s)))


AGAIN["08.6"] = {
    "minus s": pull_minus_again,
    "two walks": pull_twice_again,
    "a walk for each input": pull_each_input_again,
    "one v for both": pull_one_v_again,
    "no v": pull_no_v_again,
    "y's shape for both": pull_v_twice_again,
    "a one without an axis": pull_scalar_one_again,
    "a number": pull_number_again,
    "a float": pull_float_again,
    "y alone": pull_y_alone_again,
    "a product of matrices": pull_matmul_again,
    "freed": pull_freed_again,
    "ones": pull_ones_again,
    "s weighted too": pull_broadcast_again,
    "s in each entry": pull_each_entry_again,
    "backward": pull_backward_again,
    "backward(inputs=)": pull_inputs_again,
    "not added": pull_apart_again,
    "in another order": pull_exchanged_again,
}
