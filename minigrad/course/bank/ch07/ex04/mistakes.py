"""07.4 The wrong fix: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def retained_and_detached(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward(retain_graph=True)
        h = h.detach()
    return h


WASTEFUL["retained as well"] = Mistake(
    retained_and_detached,
    "The cut mends it, and then no graph need be kept: no later pass comes by. `retain_graph=True` (and `create_graph=True`, which "
    "does it too) only keeps the saved arrays alive. Take it out.",
)

MISTAKES: dict[str, Mistake] = {}


def retained(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward(retain_graph=True)
    return h


MISTAKES["retain_graph"] = Mistake(
    retained,
    "It runs, and each step is slower than the one before: look at the nodes behind each loss. Every pass walks back to "
    "the very first step (and with `retain_graph=True` nothing is ever freed). The gradient is another one too: through all "
    "steps. Here each loss should reach its own step only, so **cut** the state between steps.",
)


def all_at_the_end(w, h, xs, step, loss_of):
    total = 0.0
    for x in xs:
        h = step(w, h, x)
        total = total + loss_of(h)
    total.backward()
    return h


MISTAKES["all steps, one pass at the end"] = Mistake(
    all_at_the_end,
    "That is a right gradient of another thing: each loss reaches back through *all* steps (backpropagation through "
    "time). It needs one pass and no `retain_graph`, but the graph grows with the number of steps. Asked for is the "
    "gradient through each loss's own step: cut the state between steps.",
)


def broken(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss = loss_of(h)
        loss.backward()
    return h


MISTAKES["still broken"] = Mistake(
    broken,
    "The error is still there: the second pass walks into the first step, whose suitcases are empty. Through which "
    "variable does the graph of one step hang on the step before?",
)


def weight_detached(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w.detach(), h, x)
        loss_of(h).backward()
    return h


MISTAKES["the weight detached"] = Mistake(
    weight_detached,
    "You cut off the weight: it is the one thing that a gradient is wanted for, and `w.grad` stays None. The thread "
    "that must be cut is the one to the *step before*, and that hangs on the state.",
)


def weight_another_leaf(w, h, xs, step, loss_of):
    for x in xs:
        v = w.detach().requires_grad_()
        h = step(v, h, x)
        loss_of(h).backward()
        h = h.detach()
    return h


MISTAKES["another weight"] = Mistake(
    weight_another_leaf,
    "The gradient went to a copy of `w`: a new leaf of its own, with its own `.grad`, and `w.grad` stays None. Give "
    "`step` the `w` that you were given, and cut the state.",
)


def state_made_a_leaf(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x).detach().requires_grad_()
        loss_of(h).backward()
    return h


MISTAKES["the state made a leaf"] = Mistake(
    state_made_a_leaf,
    "You cut the state before its loss was computed, and made it a leaf. No error, but the gradient ends in `h.grad` and "
    "never comes to `w`. First go backward, then cut.",
)


def given_away(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
        mg.autograd.grad(loss_of(h), w)
    return h


MISTAKES["the gradient is not kept"] = Mistake(
    given_away,
    "Every loss hangs on your `w`, as it should, and `w.grad` is None all the same. `mg.autograd.grad` returns a gradient and writes "
    "none: add it to `w.grad`, or call `backward`. And `w.grad = None` after a pass throws away what came.",
)


def next_state_a_leaf(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h = h.detach().requires_grad_()
    return h


MISTAKES["the next state is a leaf"] = Mistake(
    next_state_a_leaf,
    "`w.grad` is right. But from the second step on something more than `w` has a part in the graph: the state requires grad, and "
    "each pass goes on to it, for nothing. It is to be a constant: `h.detach()` alone.",
)


def cut_now_and_then(w, h, xs, step, loss_of):
    for k, x in enumerate(xs):
        h = step(w, h if k % 2 else h.detach(), x)
        loss_of(h).backward(retain_graph=True)
    return h


MISTAKES["cut at every other step"] = Mistake(
    cut_now_and_then,
    "Some losses reach through their own step, and every other one through the step before it as well. Cut the state in **each** "
    "turn; then nothing need be retained.",
)


def detached_too_soon(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x).detach()
        loss_of(h).backward()
    return h


MISTAKES["detached before use"] = Mistake(
    detached_too_soon,
    "You cut the state *before* its loss was computed, so the loss knows nothing of `w`. First go backward, then cut.",
)


def without_record(w, h, xs, step, loss_of):
    for x in xs:
        with mg.no_grad():
            h = step(w, h, x)
        loss_of(h).backward()
    return h


MISTAKES["nothing recorded"] = Mistake(
    without_record,
    "Under `no_grad` the step is not recorded, and the loss knows nothing of `w`. The step must be recorded; only "
    "what the *next* step gets must have no history.",
)


def weight_moved(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
        loss_of(h).backward()
        with mg.no_grad():
            w -= 0.1 * w.grad
    return h


MISTAKES["w was moved"] = Mistake(
    weight_moved,
    "`w` has changed: you made a step with the gradient. Here nothing is trained. Only `w.grad` is asked for, at the `w` "
    "that was given.",
)


def error_caught(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        try:
            loss_of(h).backward()
        except RuntimeError as error:
            print(error)
    return h


MISTAKES["the error is caught"] = Mistake(
    error_caught,
    "The error is caught, and is still there: each pass after the first stops on its way, and what it does until then is "
    "half a gradient at best. Take away the cause: cut the state between steps.",
)


def state_forgotten(w, h, xs, step, loss_of):
    start = h
    for x in xs:
        h = step(w, start, x)
        loss_of(h).backward()
    return h


MISTAKES["the state forgotten"] = Mistake(
    state_forgotten,
    "Every step starts from the first state, so nothing is carried on: the last state is wrong. Cut the history of "
    "the state, but keep its numbers.",
)


def last_loss_only(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
    loss_of(h).backward()
    return h


MISTAKES["the last loss only"] = Mistake(
    last_loss_only, "Only the last state has a loss here. Every step has one: one backward pass inside the loop."
)


def last_step_only(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
    loss_of(h).backward()
    return h


MISTAKES["only the last step counts"] = Mistake(
    last_step_only,
    "`w.grad` holds the gradient of the last step alone. Every step adds its own: call `backward` inside the loop, and "
    "do not clear `w.grad` there.",
)


def state_of_a_number(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h = mg.tensor(h.item())
    return h


MISTAKES["a number of another dtype"] = Mistake(
    state_of_a_number,
    "`mg.tensor(h.item())` makes a float32 of the number, and works for one number only. `h.detach()` keeps dtype and shape.",
    lambda source, seen: ".item()" in source,
)
