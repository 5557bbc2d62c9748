"""11.4 The silence of data: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch11.ex04.answer import trap
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def trap_not_saved(w, window):
    y = w + 1
    window(y).zero_()
    return y.sum()


MISTAKES["the value was not saved"] = Mistake(
    trap_not_saved,
    "You wrote to a value that no node kept, so nothing went wrong, neither loudly nor silently. `w + 1` keeps "
    "nothing, and `sin` keeps its input. Write to something that backward **needs**: the output of exp, the "
    "input of a square.",
)


def trap_too_early(w, window):
    h = w * 3
    window(h).add_(1)
    return mg.exp(h).sum()


MISTAKES["the write comes too early"] = Mistake(
    trap_too_early,
    "You wrote before the value was saved. A node remembers the version at the moment when it saves, so `detach()` "
    "has nothing to complain about. First the operation, then the write.",
)


def trap_same_numbers(w, window):
    y = mg.exp(w)
    window(y).mul_(1)
    return y.sum()


MISTAKES["the same numbers"] = Mistake(
    trap_same_numbers,
    "With `detach()` it raises, as it should: the counter counts writes, not changes. But with `.data` the gradient "
    "is right, because what you wrote makes no difference to it. It gives the same slope, as the old numbers do, after relu numbers "
    "of the same sign, and after tanh −y; or `L` does not depend on the entry that was written. Write numbers that matter, where they "
    "matter.",
)


def trap_no_window(w, window):
    y = mg.exp(w)
    with mg.no_grad():
        y.zero_()
    return y.sum()


MISTAKES["the window is not used"] = Mistake(
    trap_no_window,
    "It raises for `.data` too: the write did not go through the window, so the counter saw it. Write to "
    "`window(...)` of the value that was saved.",
)


def trap_always_data(w, window):
    y = mg.exp(w)
    y.data.zero_()
    return y.sum()


MISTAKES["data in any case"] = Mistake(
    trap_always_data,
    "You did not call `window`. (If you wrote through `.data` of your own: with `detach()` nothing raises then.) Write to "
    "`window(...)` of the value that was saved: the checker puts in the one or the other.",
)


def trap_no_graph(w, window):
    y = window(mg.exp(w))
    y.zero_()
    return y.sum()


MISTAKES["no graph"] = Mistake(
    trap_no_graph,
    "There is no graph left: `L` was computed from a tensor without a history, as the *window* is one. Compute `L` from the "
    "tracked tensor, and use the window only to write.",
)


def trap_no_graph_no_write(w, window):
    return (window(w) ** 2).sum()


MISTAKES["no graph, and nothing is written"] = Mistake(
    trap_no_graph_no_write,
    "There is no graph: `L` was computed from the *window*, which has no history. Compute `L` from the tracked "
    "tensor, and use the window only to write into its memory.",
)


def trap_no_write(w, window):
    y = mg.exp(w)
    return (y * window(y)).sum()


MISTAKES["nothing is written"] = Mistake(
    trap_no_write,
    "Nothing was written in place through the window. `view * 0` makes a new tensor; `view.zero_()`, `view *= 0` and "
    "`view[0] = 0` write into the memory that the window shows.",
)


def trap_numpy(w, window):
    y = mg.exp(w)
    window(y).numpy()[:] = 0
    return y.sum()


MISTAKES["written by NumPy"] = Mistake(
    trap_numpy,
    "NumPy writes past every counter, so `detach()` notices nothing either (section 5). Write through the tensor: "
    "`window(y).zero_()`.",
)


def trap_leaf(w, window):
    y = (w**2).sum()
    w += 1
    return y


MISTAKES["the leaf is written"] = Mistake(
    trap_leaf, "That is the other guard: the leaf rule, which refuses the write at once. Write through `window(...)`."
)


def trap_recorded(w, window):
    y = mg.exp(w)
    view = window(y)
    view += w
    return view.sum()


MISTAKES["the write is recorded"] = Mistake(
    trap_recorded,
    "`view += w` records a new operation: now the window has a history of its own, and `L` comes from "
    "there. Write plain numbers through the window, and return an `L` that comes from the tracked tensor.",
)


def trap_backward(w, window):
    L = trap(w, window)
    L.backward()
    return L


MISTAKES["backward is called"] = Mistake(
    trap_backward, "Your function called `backward` itself. Return `L`; the checker calls it, once with each window."
)
