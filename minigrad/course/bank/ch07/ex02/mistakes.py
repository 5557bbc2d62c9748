"""07.2 Two heads, three gradients: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch07.ex02.answer import three_gradients
from minigrad.course.bank.shared import IN_ARRAYS
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def two_trunks(x, trunk, head1, head2):
    head1(trunk(x)).backward()
    g1 = x.grad
    x.grad = None
    head2(trunk(x)).backward()
    return g1, x.grad, g1 + x.grad


RECOMPUTED = (
    "Right numbers, but the trunk was computed more than once. That is the cheap way for memory and the dear one for time: a "
    "trunk may be a whole network. Compute `h` once and let the first pass keep the graph: `retain_graph=True`."
)

WASTEFUL["two trunks"] = Mistake(two_trunks, RECOMPUTED)


def three_trunks(x, trunk, head1, head2):
    def gradient(loss: Callable[[Any], Any]) -> Any:
        x.grad = None
        loss(trunk(x)).backward()
        return x.grad

    return gradient(head1), gradient(head2), gradient(lambda h: head1(h) + head2(h))


WASTEFUL["three trunks"] = Mistake(three_trunks, RECOMPUTED)


def kept_to_the_end(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    x.grad = None
    l2.backward(retain_graph=True)
    return g1, x.grad, g1 + x.grad


KEPT = (
    "All three are right. But the **last** pass retained the graph as well, and nobody comes after it: the saved arrays stay "
    "in memory for as long as somebody holds `h`, `l1` or `l2`. Leave out of the last call what keeps it: `retain_graph=True`, or "
    "`create_graph=True`, which does it too."
)

WASTEFUL["kept to the end"] = Mistake(kept_to_the_end, KEPT)


def created(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x, create_graph=True)
    (g2,) = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


WASTEFUL["created instead of retained"] = Mistake(
    created,
    "All three are right. `create_graph=True` keeps the trunk for the second pass, and records a graph of the gradient "
    "besides, which nobody asked for. To keep is `retain_graph=True`.",
)


def three_passes(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1, x.grad = x.grad, None
    l2.backward(retain_graph=True)
    g2, x.grad = x.grad, None
    (l1 + l2).backward()
    return g1, g2, x.grad


THIRD_PASS = "All three are right, with a pass too many: the gradient of a sum is the sum of the gradients. Add the first two."
WASTEFUL["three passes"] = Mistake(three_passes, THIRD_PASS)


def three_passes_kept(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    results = []
    for loss in (l1, l2, l1 + l2):
        x.grad = None
        loss.backward(retain_graph=True)
        results.append(x.grad)
    return tuple(results)


WASTEFUL["three passes, kept to the end"] = Mistake(
    three_passes_kept, f"{THIRD_PASS} And the last call need keep nothing: no `retain_graph` (or `create_graph`) in it."
)

MISTAKES: dict[str, Mistake] = {}


def retained_late(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward()
    g1, x.grad = x.grad, None
    l2.backward(retain_graph=True)
    return g1, x.grad, g1 + x.grad


MISTAKES["retained too late"] = Mistake(
    retained_late,
    "The graph was gone when the second pass came. The **first** pass frees it, so the *first* call needs "
    "`retain_graph=True`. On the last call it helps nobody.",
)


def retained_too_rarely(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1, x.grad = x.grad, None
    l2.backward()
    g2, x.grad = x.grad, None
    (l1 + l2).backward()
    return g1, g2, x.grad


MISTAKES["retained once, passed three times"] = Mistake(
    retained_too_rarely,
    "Two passes went well, the third found the graph freed. `retain_graph` holds for **its own** call only: each "
    "pass but the last needs it. (And is the third pass needed? The gradient of a sum is the sum of the gradients.)",
)


def cut_at_h(x, trunk, head1, head2):
    h = trunk(x)
    head1(h).backward()
    g1, x.grad = x.grad, None
    head2(h.detach()).backward()
    return g1, x.grad, g1 + x.grad


MISTAKES["cut off"] = Mistake(
    cut_at_h,
    "You cut `h` off from its history, so nothing leads from `l2` back to `x`. Both losses need the trunk: let the first "
    "pass keep it.",
)


def not_cleared(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad.clone()
    l2.backward()
    g2 = x.grad.clone()
    return g1, g2, g1 + g2


MISTAKES["not cleared"] = Mistake(
    not_cleared,
    "Your second gradient is the sum of both: `backward` *adds* to `x.grad` (chapter 06). Set `x.grad = None` "
    "between the passes, or take the difference.",
)


def not_cleared_before_the_third(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1, x.grad = x.grad, None
    l2.backward(retain_graph=True)
    g2 = x.grad.clone()
    (l1 + l2).backward()
    return g1, g2, x.grad


MISTAKES["not cleared before the third"] = Mistake(
    not_cleared_before_the_third,
    "In your third gradient the second one counts twice: `backward` *adds* to `x.grad`. And no third pass is needed: the gradient "
    "of a sum is the sum of the gradients.",
)


def sum_for_the_second(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    (g1,) = mg.autograd.grad(l1, x, retain_graph=True)
    (g2,) = mg.autograd.grad(l2, x)
    total = g2
    total += g1
    return g1, g2, total


MISTAKES["the sum for the second"] = Mistake(
    sum_for_the_second,
    "Your second gradient is the sum of both. Either `backward` added it to the first in `x.grad`. Or `g3 = g2` gave one Tensor a "
    "second name, and `+=` changed what both name: `g1 + g2` makes a new one.",
)


def same_object(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    l2.backward()
    g2 = x.grad
    return g1, g2, g1 + g2


MISTAKES["one object under two names"] = Mistake(
    same_object,
    "Your first gradient changed after you had it: `g1 = x.grad` is no copy, and the second pass added to that same "
    "object. Set `x.grad = None` between the passes: then the second one makes a new Tensor.",
)


def zeroed_object(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    x.grad.zero_()
    l2.backward()
    g2 = x.grad
    return g1, g2, g1 + g2


MISTAKES["zeroed under your hands"] = Mistake(
    zeroed_object,
    "`zero_()` wrote zeros into the very Tensor that you had kept as the first gradient, and the second pass filled "
    "it. Set `x.grad = None` instead, or keep a `clone()`.",
)


def three_under_one_name(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    gradients = []
    for loss in (l1, l2, l1 + l2):
        loss.backward(retain_graph=True)
        gradients.append(x.grad)
    return gradients


MISTAKES["three under one name"] = Mistake(
    three_under_one_name,
    "Your three results are one and the same Tensor, the sum of all passes: `x.grad` is never cleared, and `x.grad` is no "
    "copy. Set `x.grad = None` after each pass. (And the third pass is not needed: add the first two gradients.)",
)


def in_tuples(x, trunk, head1, head2):
    h = trunk(x)
    g1 = mg.autograd.grad(head1(h), x, retain_graph=True)
    g2 = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


MISTAKES["in tuples"] = Mistake(
    in_tuples,
    "`mg.autograd.grad` returns a **tuple**, with one gradient for each input. Take it out, `mg.autograd.grad(…)[0]`: the "
    "sum of two tuples is only a longer tuple.",
)


def in_tuples_and_added(x, trunk, head1, head2):
    g1, g2, _ = in_tuples(x, trunk, head1, head2)
    return g1, g2, g1[0] + g2[0]


MISTAKES["in tuples, and added"] = Mistake(
    in_tuples_and_added,
    "The first two have an axis too many. `mg.autograd.grad` returns a **tuple**, with one gradient for each input: take it out, "
    "`mg.autograd.grad(…)[0]`.",
)


def another_order(x, trunk, head1, head2):
    g1, g2, both = three_gradients(x, trunk, head1, head2)
    return both, g1, g2


MISTAKES["another order"] = Mistake(
    another_order,
    "All three numbers are there, in another order. First the gradient of `l1`, then that of `l2`, then that of the sum.",
)


def exchanged(x, trunk, head1, head2):
    g1, g2, both = three_gradients(x, trunk, head1, head2)
    return g2, g1, both


MISTAKES["the first two exchanged"] = Mistake(
    exchanged, "The gradient of `l2` stands first in your result, and that of `l1` second. Exchange the two: `l1` comes first."
)


def up_to_h(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), h)
    (g2,) = mg.autograd.grad(head2(h), h)
    return g1, g2, g1 + g2


MISTAKES["up to h"] = Mistake(
    up_to_h,
    "These are the gradients with respect to `h`. Asked for are those with respect to `x`, all the way through the trunk.",
)


def running_total(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    gradients = []
    for last, loss in ((False, l1), (False, l2), (True, l1 + l2)):
        loss.backward(retain_graph=not last)
        gradients.append(x.grad.clone())
    return tuple(gradients)


MISTAKES["a running total"] = Mistake(
    running_total, "`x.grad` was never cleared, so each result holds all those before it. Set `x.grad = None` after each pass."
)


def difference_with_itself(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    l2.backward()
    return g1, x.grad - g1, x.grad


MISTAKES["a difference with itself"] = Mistake(
    difference_with_itself,
    "Your second gradient is 0: a Tensor minus itself. `g1 = x.grad` is no copy, and the second pass added to that same object. "
    "Keep `x.grad.clone()`, or set `x.grad = None` between the passes.",
)


def cut_for_both(x, trunk, head1, head2):
    h = trunk(x).detach()
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1, x.grad = x.grad, None
    l2.backward()
    return g1, x.grad, g1 + x.grad


MISTAKES["cut off for both"] = Mistake(
    cut_for_both,
    "Nothing leads from `l1` back to `x`. Did you `detach` `h`, or compute the trunk under `no_grad`? Give the heads the `h` "
    "that comes out of the trunk.",
)


def as_arrays(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x, retain_graph=True)
    (g2,) = mg.autograd.grad(head2(h), x)
    return g1.numpy(), g2.numpy(), (g1 + g2).numpy()


MISTAKES["NumPy arrays"] = Mistake(as_arrays, IN_ARRAYS)
