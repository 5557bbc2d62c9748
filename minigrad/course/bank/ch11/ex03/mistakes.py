"""11.3 One step of SGD, in place: the mistakes that are known."""

from __future__ import annotations

import re

import minigrad as mg
from minigrad.course.bank.ch11.ex03.answer import sgd_step_
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def sgd_data(params, lr):
    for p in params:
        if p.grad is not None:
            p.data -= lr * p.grad


WASTEFUL["data"] = Mistake(
    sgd_data,
    "It works, and much old code does it. But the guard is blind: `.data` has a counter of its own, and NumPy knows "
    "none, so a graph that still needs the old values would not notice. Under `mg.no_grad()` the same line is counted.",
)

MISTAKES: dict[str, Mistake] = {}


def sgd_tracked(params, lr):
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad


RECORDING = (
    "The leaf rule: while recording is on, a leaf that requires grad may not be written, nor a view of it. The step belongs to "
    "no graph, so switch recording off: `with mg.no_grad():`."
)

MISTAKES["recording is on"] = Mistake(sgd_tracked, RECORDING)


def sgd_tracked_view(params, lr):
    for p in params:
        if p.grad is not None:
            p.view(-1)[:] = (p - lr * p.grad).view(-1)


MISTAKES["recording is on, written as a view"] = Mistake(sgd_tracked_view, RECORDING)


def sgd_local(params, lr):
    for p in params:
        if p.grad is not None:
            p = p - lr * p.grad


MISTAKES["a new local name"] = Mistake(
    sgd_local,
    "Nothing has changed for the caller. `p = p - …` computes a new tensor and calls it `p` inside your "
    "function; the parameter still has its old numbers. Write **into** it: `p -= …`, or `p.sub_(…)`.",
    evidence=lambda source, results: re.search(r"\b(\w+) = (\w+\.)*\(*\1\b", source) is not None,
)


def sgd_results(params, lr):
    for i, p in enumerate(params):
        if p.grad is not None:
            params[i] = p - lr * p.grad


MISTAKES["results in the list"] = Mistake(
    sgd_results,
    "The list now holds *results*: new tensors that are no leaves. Their next `.grad` is None, and the model "
    "that holds the old tensors does not learn. Write into the tensors themselves.",
)


def sgd_new_leaves(params, lr):
    for i, p in enumerate(params):
        if p.grad is not None:
            params[i] = (p - lr * p.grad).detach().requires_grad_()


MISTAKES["new leaves in the list"] = Mistake(
    sgd_new_leaves,
    "These are new tensors. They are leaves, but not the ones that the model and others hold: those keep their "
    "old numbers. Write into the tensors themselves.",
)


def sgd_constants(params, lr):
    with mg.no_grad():
        for i in range(len(params)):
            if params[i].grad is not None:
                params[i] = params[i] - lr * params[i].grad


MISTAKES["constants in the list"] = Mistake(
    sgd_constants,
    "The list now holds new tensors that do not require grad: they will never get a gradient again. Write "
    "into the tensors themselves.",
)


def sgd_other_memory(params, lr):
    for p in params:
        if p.grad is not None:
            p.data = p.data - lr * p.grad


MISTAKES["other memory"] = Mistake(
    sgd_other_memory,
    "The tensor is the same object, but `p.data = …` gave it **other memory**. A view or a detached window that "
    "somebody took before shows the old numbers. In place means: into the memory that is there.",
)


def sgd_no_none(params, lr):
    with mg.no_grad():
        for p in params:
            p -= lr * p.grad


NO_GRADIENT = "A parameter that no backward pass has reached has `.grad` None, and None times `lr` is an error. Skip it."
MISTAKES["None is not skipped"] = Mistake(sgd_no_none, NO_GRADIENT)


def sgd_no_none_right(params, lr):
    with mg.no_grad():
        for p in params:
            p.copy_(p - p.grad * lr)


MISTAKES["None is not skipped, lr on the right"] = Mistake(sgd_no_none_right, NO_GRADIENT)


def sgd_no_none_alpha(params, lr):
    with mg.no_grad():
        for p in params:
            p.sub_(p.grad, alpha=lr)


MISTAKES["None is not skipped, alpha"] = Mistake(sgd_no_none_alpha, NO_GRADIENT)


def sgd_stops(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is None:
                break
            p -= lr * p.grad


MISTAKES["the rest is skipped too"] = Mistake(
    sgd_stops,
    "At the first parameter without a gradient your function ends, and those behind it are left as they were. Skip "
    "only the one: `continue`, or write the step into an `if`.",
)


def sgd_truth(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad:
                p -= lr * p.grad


MISTAKES["the truth of a tensor"] = Mistake(
    sgd_truth,
    "`if p.grad` asks whether a whole tensor is true, and for several numbers there is no answer. Ask whether it is "
    "there: `if p.grad is not None`.",
)


def sgd_no_lr(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= p.grad


MISTAKES["no lr"] = Mistake(sgd_no_lr, "Where is `lr`? You take the whole gradient away. The step is `lr` times as long.")


def sgd_first_only(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
            return params


MISTAKES["the first alone"] = Mistake(
    sgd_first_only, "Only the first parameter has moved. Does a `return` stand inside the loop?"
)


def sgd_uphill(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p += lr * p.grad


MISTAKES["uphill"] = Mistake(
    sgd_uphill, "The gradient points to where the loss *grows*. A step of descent goes the other way: subtract."
)


def sgd_clears(params, lr):
    sgd_step_(params, lr)
    for p in params:
        p.grad = None


MISTAKES["the gradients are cleared"] = Mistake(
    sgd_clears,
    "The step is right. But the gradients are gone too, and nobody asked for that: a step reads `.grad` and leaves "
    "it alone. Clearing is a line of its own (chapter 06).",
)


def sgd_zeroes(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
                p.grad.zero_()


MISTAKES["the gradients are zeroed"] = Mistake(
    sgd_zeroes,
    "The step is right. But `.grad` was zeroed too, and nobody asked for that: a step reads `.grad` and leaves it alone.",
)


def sgd_scales(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= p.grad.mul_(lr)


MISTAKES["the gradients are scaled"] = Mistake(
    sgd_scales,
    "The step is right, but `.grad` was multiplied by `lr` in place. `lr * p.grad` makes a new tensor and leaves the "
    "gradient alone.",
)


def sgd_frozen(params, lr):
    for p in params:
        if p.grad is not None:
            p.requires_grad = False
            p -= lr * p.grad


MISTAKES["frozen"] = Mistake(
    sgd_frozen,
    "The step is right, but the parameters do not require grad any more: the flag was taken away and not given "
    "back. With `mg.no_grad()` you need not touch it.",
)


def sgd_switched_off(params, lr):
    mg.set_grad_enabled(False)
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad


MISTAKES["recording stays off"] = Mistake(
    sgd_switched_off,
    "The step is right, but recording is off from now on, for the whole program. `with mg.no_grad():` switches it "
    "back on at the end of the block, even after an error.",
)


def sgd_switched_on(params, lr):
    sgd_switched_off(params, lr)
    mg.set_grad_enabled(True)


MISTAKES["recording is switched on"] = Mistake(
    sgd_switched_on,
    "The step is right. But called while recording is off, under somebody's `no_grad`, it leaves recording **on**. `with "
    "mg.no_grad():` puts back what was there before.",
)


def sgd_fills(params, lr):
    for p in params:
        if p.grad is None:
            p.grad = mg.zeros_like(p)
    sgd_step_(params, lr)


MISTAKES["None becomes zeros"] = Mistake(
    sgd_fills,
    "The step is right, but a parameter that got no gradient has one of zeros now. None says that nothing arrived: skip the "
    "parameter, and leave its `.grad` as it is.",
)
