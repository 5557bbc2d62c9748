"""11.5 A step between two backwards: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch11.ex05.answer import Repair
from minigrad.course.bank.ch11.ex05.task import LR
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def repair(**methods: Callable[..., Any]) -> type:
    """A Repair with other methods."""
    return type("Repair", (Repair,), {name: staticmethod(method) for name, method in methods.items()})


def as_given(w, trunk, loss1, loss2, step):
    h = trunk(w)
    l1, l2 = loss1(h), loss2(h)
    l1.backward(retain_graph=True)
    step(w)
    l2.backward()
    step(w)


NOT_THE_BUFFERS = (
    "This is no freed-buffer problem, so `retain_graph` cannot help. Read the message: it speaks of *versions*. Your step wrote over "
    "the `w` that the second backward still needs."
)

MISTAKES["still the same order"] = Mistake(repair(gradients_first=as_given), NOT_THE_BUFFERS)


def retained_everywhere(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    step(w)
    loss2(h).backward(retain_graph=True)
    step(w)


MISTAKES["still the same graph"] = Mistake(repair(forward_again=retained_everywhere), NOT_THE_BUFFERS)


def not_retained(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward()
    loss2(h).backward()
    step(w)


FREED = (
    "That is the other error, the one about a graph gone through a second time: both losses hang on the one `h`, and the first "
    "backward freed what the trunk had saved. Keep it for the second: `retain_graph=True` at the **first** call."
)

MISTAKES["the graph is freed"] = Mistake(repair(gradients_first=not_retained), FREED)


def hidden_step(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    w.data -= LR * w.grad
    w.grad = None
    loss2(h).backward()
    w.data -= LR * w.grad
    w.grad = None


SILENT = (
    "No error, and a wrong gradient: `.data` hides the write from the counter. The second backward mixed what it kept from the "
    "old `w` with the new one. That is worse than the error."
)

MISTAKES["a hidden step"] = Mistake(repair(gradients_first=hidden_step), SILENT)
MISTAKES["a hidden step, second repair"] = Mistake(repair(forward_again=hidden_step), SILENT)


def trunk_twice(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    loss2(trunk(w)).backward()
    step(w)


MISTAKES["the trunk is called twice"] = Mistake(
    repair(gradients_first=trunk_twice),
    "`w` is right, but you called `trunk` twice for it. Both gradients belong to the same `w`, so one `h` will do: "
    "compute it once, and keep its graph for the second backward.",
)


def again_loop(w, trunk, loss1, loss2, step):
    for loss in (loss1, loss2):
        w.grad = None
        h = trunk(w)
        loss(h).backward()
        step(w)


MISTAKES["the second repair in place of the first"] = Mistake(
    repair(gradients_first=again_loop),
    "That is the other repair: the second gradient belongs to the `w` after the first step. Here both belong to "
    "the `w` that `trunk` has seen. First both gradients, then the step.",
)

MISTAKES["the first repair in place of the second"] = Mistake(
    repair(forward_again=Repair.gradients_first),
    "That is the other repair: both gradients belong to the old `w`. Here the second is to be taken **after** the "
    "first step, so `trunk` must run again, on the new `w`.",
)


def both_at_old(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    loss2(trunk(w)).backward()
    step(w)


MISTAKES["both gradients at the old w"] = Mistake(
    repair(forward_again=both_at_old),
    "`trunk` ran twice, but both times on the old numbers. The second gradient belongs to the `w` after the first "
    "step: step first, then call `trunk` again.",
)


def added_up(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    first = w.grad.clone()
    step(w)
    w.grad = first
    loss2(trunk(w)).backward()
    step(w)


MISTAKES["the gradients are added up"] = Mistake(
    repair(forward_again=added_up),
    "Your second step used both gradients: `backward` adds to what is in `w.grad`. `step(w)` clears it for you.",
)


def first_only(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    step(w)


ONE_LOSS = (
    "Only the first loss has moved `w`. Did the second have its backward? And if it had: did an arrow lead from there to `w`? "
    "`detach()` ends the error, and the gradient with it."
)

MISTAKES["only the first loss"] = Mistake(repair(gradients_first=first_only), ONE_LOSS)
MISTAKES["only the first loss, second repair"] = Mistake(repair(forward_again=first_only), ONE_LOSS)


def first_no_step(w, trunk, loss1, loss2, step):
    h = trunk(w)
    (loss1(h) + loss2(h)).backward()


MISTAKES["no step"] = Mistake(
    repair(gradients_first=first_no_step),
    "`w` has not moved. After both backward passes a `step(w)` is due, with this very `w`: one that is taken with a copy moves the "
    "copy.",
)


def first_two_steps(w, trunk, loss1, loss2, step):
    first_no_step(w, trunk, loss1, loss2, step)
    step(w)
    step(w)


MISTAKES["two steps with one gradient"] = Mistake(
    repair(gradients_first=first_two_steps),
    "At your second step nothing was in `w.grad`. If both backward passes came before the first step, they have **added up**, and "
    "that step took both and cleared it: one step is enough. If one came after it, no way led from there to `w`: what is computed "
    "from `h.detach()` has none.",
)


def first_cleared_between(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    w.grad = None
    loss2(h).backward()
    step(w)


MISTAKES["the first gradient is lost"] = Mistake(
    repair(gradients_first=first_cleared_between),
    "Only the second gradient has moved `w`. Was that of `loss1` never computed, or overwritten or cleared before the step? Call "
    "backward for both, and let them add up in `w.grad`.",
)


def no_second_step(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    step(w)
    loss2(trunk(w)).backward()


MISTAKES["no second step"] = Mistake(
    repair(forward_again=no_second_step),
    "The second gradient is there, but it has moved nothing: a `step(w)` is missing after the second backward.",
)


def other_order(w, trunk, loss1, loss2, step):
    again_loop(w, trunk, loss2, loss1, step)


MISTAKES["the losses change places"] = Mistake(
    repair(forward_again=other_order),
    "The steps are taken in the other order: first the one for `loss1`, then the one for `loss2`. It matters, "
    "because the second gradient depends on where the first step led.",
)


def first_cut(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    loss2(h.detach()).backward()
    step(w)


NO_WAY_BACK = (
    "A loss went backward that has no way to `w`: what it was computed from has no history. `h.detach()` is such a tensor. "
    "Give the loss an `h` that `trunk` has made of `w`."
)

MISTAKES["cut off"] = Mistake(repair(gradients_first=first_cut), NO_WAY_BACK)


def again_cut(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward()
    step(w)
    loss2(h.detach()).backward()
    step(w)


MISTAKES["cut off, second repair"] = Mistake(repair(forward_again=again_cut), NO_WAY_BACK)


def second_for_both(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    step(w)
    h = trunk(w)
    (loss1(h) + loss2(h)).backward()
    step(w)


MISTAKES["the second step is for both"] = Mistake(
    repair(forward_again=second_for_both),
    "Your second step follows the gradient of both losses at the new `w`. It is for `loss2` alone: `loss1` has had its step.",
)


def again_cut_to_a_leaf(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward()
    step(w)
    loss2(h.detach().requires_grad_()).backward()
    step(w)


MISTAKES["nothing came before the second step"] = Mistake(
    repair(forward_again=again_cut_to_a_leaf),
    "Your second step found no gradient. Did `loss2` go backward before it, and from what `trunk` makes of `w` now? What is computed "
    "from `h.detach()` has no way to `w`, not even where it requires grad. And if a gradient came to `w`: was it cleared before the "
    "step, or did the step get a copy of `w`, which has no `.grad`?",
)


def step_of_the_cell(w):
    with mg.no_grad():
        w -= 0.1 * w.grad
    w.grad = None


OWN_STEP = (
    "`w` has moved by 0.1 times the gradients. That is the lr of the step in your cell, and here it is another: call the `step` that "
    "you are given."
)

MISTAKES["a step with 0.1"] = Mistake(
    repair(gradients_first=lambda w, trunk, loss1, loss2, step: Repair.gradients_first(w, trunk, loss1, loss2, step_of_the_cell)),
    OWN_STEP,
)
MISTAKES["a step with 0.1, second repair"] = Mistake(
    repair(forward_again=lambda w, trunk, loss1, loss2, step: Repair.forward_again(w, trunk, loss1, loss2, step_of_the_cell)),
    OWN_STEP,
)

def first_steps_a_copy(w, trunk, loss1, loss2, step):
    first_no_step(w, trunk, loss1, loss2, step)
    step(w.clone())


STEP_OF_ANOTHER = (
    "`step` got another tensor than `w`, and that has no `.grad`. What backward finds for a leaf stands in the `.grad` of the leaf: "
    "call `step(w)`."
)
MISTAKES["a step with a copy"] = Mistake(repair(gradients_first=first_steps_a_copy), STEP_OF_ANOTHER)
MISTAKES["a step with a copy, second repair"] = Mistake(repair(forward_again=first_steps_a_copy), STEP_OF_ANOTHER)
