"""12.8 A network with a memory: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch12.ex08.answer import remember
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def remember_in_buffer(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    h = mg.zeros(len(W), dtype=x.dtype)
    for t in range(len(x)):
        h = mg.tanh(h @ W + x[t] @ V)
        states[t] = h
    return states


WASTEFUL["a buffer"] = Mistake(
    remember_in_buffer,
    "Right. But each write is a CopySlices, and backward each of them copies the gradient of the **whole** buffer: n² "
    "numbers in n steps. A Python list and one `stack` need no buffer.",
)


def remember_growing(W, V, x):
    H = mg.tanh(x[:1] @ V)
    for t in range(1, len(x)):
        H = mg.cat([H, mg.tanh(H[-1:] @ W + x[t : t + 1] @ V)])
    return H


WASTEFUL["joined at every step"] = Mistake(
    remember_growing,
    "Right. But you join at every step, and each `cat` copies all states that are there already: n steps copy about n²/2 of them, and "
    "backward does it again. Collect the states in a Python list, and join them **once**.",
)


def remember_again(W, V, x):
    def state(t: int) -> Any:
        return mg.tanh(x[t] @ V + (state(t - 1) @ W if t else 0.0))

    return mg.stack([state(t) for t in range(len(x))])


WASTEFUL["computed again"] = Mistake(
    remember_again,
    "Right. But each state is computed again from the beginning: about n²/2 steps. Keep the last state in a variable, and go on from "
    "it.",
)



def remember_all_inputs(W, V, x):
    h, states = mg.zeros(len(W), dtype=x.dtype), []
    for t in range(len(x)):
        h = mg.tanh(h @ W + (x @ V)[t])
        states.append(h)
    return mg.stack(states)


WASTEFUL["much beside"] = Mistake(
    remember_all_inputs,
    "Right. But the nodes behind your n states make some n² rows of numbers in all: look for a line of the loop that works on all n "
    "inputs, or all n states, at each step. Take it out of the loop, or let it work on one.",
)

MISTAKES: dict[str, Mistake] = {}


def remember_broken(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    for t in range(len(x)):
        states[t] = mg.tanh(states[t - 1] @ W + x[t] @ V)
    return states


MISTAKES["the buffer rings"] = Mistake(
    remember_broken,
    "The alarm is still there: `@ W` saves its left factor, a **window** on the buffer, and the next write makes "
    "it out of "
    "date. Keep the last state in a variable; what is written into the buffer is then read by nobody.",
)


def remembering(
    keep: Callable[[Any], Any] = lambda h: h,
    carry: Callable[[Any], Any] = lambda h: h,
    join: Callable[[list[Any]], Any] = mg.stack,
) -> Callable[..., Any]:
    """The way of the reference, where what is kept, what is handed on, or how it is joined is another."""

    def states(W: Any, V: Any, x: Any) -> Any:
        h = mg.tanh(x[0] @ V)
        found = [keep(h)]
        for t in range(1, len(x)):
            h = mg.tanh(carry(h) @ W + x[t] @ V)
            found.append(keep(h))
        return join(found)

    return states


MISTAKES["it forgets"] = Mistake(
    remembering(carry=lambda h: h.detach()),
    "The numbers are right and no alarm rings, but each step learns of its own input alone: an early `x` has an "
    "influence on "
    "all later states, and no gradient says so. Do not detach what is handed on; give it a name instead.",
)

MISTAKES["no history"] = Mistake(
    remembering(keep=lambda h: h.detach()),
    "The numbers are right, and nothing leads back from them: there is no gradient at all. What is collected must "
    "keep its history.",
)

MISTAKES["only the last"] = Mistake(
    remembering(join=lambda found: found[-1]), "That is the last state alone, of shape (m,). All n are asked for."
)


def remember_inputs_only(W, V, x):
    inputs = mg.tanh(x @ V)
    return mg.cat([inputs[:1], mg.tanh(inputs[:-1] @ W + x[1:] @ V)])


MISTAKES["no memory"] = Mistake(
    remember_inputs_only,
    "Each state is made of the input before it, and not of the **state** before it. What came three steps ago is gone.",
)

MISTAKES["one too many"] = Mistake(
    lambda W, V, x: mg.cat([mg.zeros(1, len(W), dtype=x.dtype), remember(W, V, x)]),
    "One state too many: the empty memory at the start is in your result. n states are wanted.",
)


def remember_nothing(W, V, x):
    h = mg.zeros(len(W), dtype=x.dtype)
    return mg.stack([mg.tanh(h @ W + x[t] @ V) for t in range(len(x))])


MISTAKES["the memory is never set"] = Mistake(
    remember_nothing,
    "Each state is computed from the empty memory. In each round `h` must become the state that was just computed.",
)


def remember_two_tanh(W, V, x):
    states = [mg.tanh(x[0] @ V)]
    for t in range(1, len(x)):
        states.append(mg.tanh(states[-1] @ W) + mg.tanh(x[t] @ V))
    return mg.stack(states)


MISTAKES["a tanh for each"] = Mistake(
    remember_two_tanh, "One tanh over the sum, and not one for each part: tanh(h @ W + x[t] @ V)."
)


def remember_detached_window(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    for t in range(len(x)):
        states[t] = mg.tanh(states[t - 1].detach() @ W + x[t] @ V)
    return states


MISTAKES["a detached window"] = Mistake(
    remember_detached_window,
    "`@ W` saved a window without history, as `detach()` gives one. It has the same cells, and the next write made it out of "
    "date. Keep the last state in a variable, with its history.",
)


def remember_unsquashed(W, V, x):
    h, states = mg.zeros(len(W), dtype=W.dtype), []
    for row in x:
        h = h @ W + row @ V
        states.append(mg.tanh(h))
    return mg.stack(states)


MISTAKES["tanh at the output only"] = Mistake(
    remember_unsquashed,
    "The first state is right. What you hand on to the next step has not gone through tanh: the memory **is** the state, `h = "
    "mg.tanh(…)`.",
)

MISTAKES["nothing is remembered"] = Mistake(
    lambda W, V, x: mg.tanh(x @ V),
    "Each state is made of its own input alone: the state before it is missing. `mg.tanh(h @ W + x[t] @ V)`.",
)

MISTAKES["W on the left"] = Mistake(
    lambda W, V, x: remember(W.T, V, x), "The memory meets the rows of `W`, not its columns: `h @ W`. That is not the same as `W @ h`."
)

MISTAKES["one row after the other"] = Mistake(
    remembering(join=mg.cat),
    "All numbers of all states stand in one row, of shape (n · m,). `mg.cat` joins along an axis that is there; `mg.stack` opens a "
    "new one, and each state becomes a row.",
)
