"""13.1 Stethoscope: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def norms_listening(
    tensors, L, keep: Callable[[Any], Any] = lambda g: g.norm().item(), remove: bool = True, late: bool = False
):
    """The reference with its parts exchanged."""
    arrived: list[tuple[str, Any]] = []
    names = list(tensors)
    handles = [
        t.register_hook(lambda g, name=name: arrived.append((names[-1] if late else name, keep(g))))
        for name, t in tensors.items()
    ]
    L.backward()
    for handle in handles if remove else ():
        handle.remove()
    return arrived


def norms_left(tensors, L):
    return norms_listening(tensors, L, remove=False)


MISTAKES["remove forgotten"] = Mistake(
    norms_left,
    "The list is right, but your hooks are still there. Every later pass would call them again, and they would go on "
    "appending to a list that nobody reads. Keep the handles that `register_hook` returns, and call `remove()` on each.",
)


def norms_late(tensors, L):
    return norms_listening(tensors, L, late=True)


MISTAKES["the last name for all"] = Mistake(
    norms_late,
    "All pairs have the **last** name of the loop. A function looks up `name` when it is *called*, and by then the "
    "loop has ended. Bind the name at once: `lambda g, name=name: …`, or make the hook in a function of its own.",
)


def norms_late_and_left(tensors, L):
    return norms_listening(tensors, L, remove=False, late=True)


MISTAKES["the last name for all, and remove forgotten"] = Mistake(
    norms_late_and_left,
    "All pairs have the **last** name of the loop: a function looks up `name` when it is *called*, and by then the loop "
    "has ended. Bind the name at once: `lambda g, name=name: …`. And your hooks are still there: keep the handles, and "
    "call `remove()` on each.",
)


def norms_too_early(tensors, L):
    arrived: list[tuple[str, Any]] = []
    for name, t in tensors.items():
        t.register_hook(lambda g, name=name: arrived.append((name, g.norm().item()))).remove()
    L.backward()
    return arrived


MISTAKES["removed too early"] = Mistake(
    norms_too_early,
    "The list is empty: when the pass came by, your hooks were gone. Remove them **after** `L.backward()`; where they "
    "stand in a `with`, call it inside.",
)


def norms_many_passes(tensors, L):
    arrived: list[tuple[str, Any]] = []
    for name, t in tensors.items():
        with t.register_hook(lambda g, name=name: arrived.append((name, g.norm().item()))):
            L.backward(retain_graph=True)
    return arrived


MISTAKES["a pass for each"] = Mistake(
    norms_many_passes,
    "You walk back once for each tensor, and so the list has the order of the dict. Hang a hook on **all** tensors "
    "first, then call `L.backward()` once: one pass comes by at each of them, and the list shows when.",
)


def norms_kept(tensors, L):
    return [(name, g.norm().item()) for name, g in norms_listening(tensors, L, keep=lambda g: g)]


MISTAKES["the gradient itself is kept"] = Mistake(
    norms_kept,
    "You kept `g` and measured it after the pass. What a hook is handed is the engine's own memory: others may write "
    "into it afterwards, as the neighbour's hook does here. Measure at once, or keep `g.clone()`.",
)


def norms_retained(tensors, L):
    for t in tensors.values():
        t.retain_grad()
    L.backward()
    return [(name, t.grad.norm().item()) for name, t in tensors.items() if t.grad is not None]


MISTAKES["retain_grad"] = Mistake(
    norms_retained,
    "`retain_grad` and `.grad` tell *what* came, but not *when*. And the `.grad` of a leaf is the sum with what was "
    "there before, and the request to retain stays behind on the tensors. Use `register_hook`.",
)


def norms_in_dict_order(tensors, L):
    found = dict(norms_listening(tensors, L))
    return [(name, found[name]) for name in tensors if name in found]


ARRIVAL = (
    " What is asked for is the order in which the gradients **arrive**: append to a list in the hook, and the pass does the ordering."
)

MISTAKES["the order of the dict"] = Mistake(norms_in_dict_order, "The norms are right, their order is that of the dict." + ARRIVAL)


def norms_in_turned_dict_order(tensors, L):
    return norms_in_dict_order(tensors, L)[::-1]


MISTAKES["the order of the dict, turned round"] = Mistake(
    norms_in_turned_dict_order, "The norms are right, their order is that of the dict from its end." + ARRIVAL
)


def norms_by_name(tensors, L):
    return sorted(norms_listening(tensors, L))


MISTAKES["the order of the names"] = Mistake(norms_by_name, "The norms are right, in the order of the alphabet." + ARRIVAL)


def norms_by_size(tensors, L):
    return sorted(norms_listening(tensors, L), key=lambda pair: pair[1], reverse=True)


MISTAKES["the order of the norms"] = Mistake(norms_by_size, "The norms are right, the largest first." + ARRIVAL)


def norms_results_first(tensors, L):
    return sorted(norms_in_dict_order(tensors, L), key=lambda pair: tensors[pair[0]].is_leaf)


MISTAKES["the results, then the leaves"] = Mistake(
    norms_results_first, "The norms are right. But those of the leaves stand last, and all others in the order of the dict." + ARRIVAL
)


def norms_leaves_first(tensors, L):
    return sorted(norms_in_dict_order(tensors, L), key=lambda pair: not tensors[pair[0]].is_leaf)


MISTAKES["the leaves, then the results"] = Mistake(
    norms_leaves_first, "The norms are right. But those of the leaves stand first, and all in the order of the dict." + ARRIVAL
)


def norms_last_first(tensors, L):
    return norms_listening(tensors, L)[::-1]


MISTAKES["the last to arrive stands first"] = Mistake(
    norms_last_first,
    "The norms are right, and the list is the wrong way round: the gradient that arrives last stands first. That of `L` arrives "
    "before all others.",
)


def norms_with_zeros(tensors, L):
    found = dict(norms_listening(tensors, L))
    return [*found.items(), *((name, 0.0) for name in tensors if name not in found)]


MISTAKES["zero for what is not reached"] = Mistake(
    norms_with_zeros,
    "There is a tensor in your list at which no gradient arrived: its hook was never called. No call is not the same "
    "as a gradient of zeros. Leave it out.",
)


def norms_squared(tensors, L):
    return norms_listening(tensors, L, keep=lambda g: (g**2).sum().item())


MISTAKES["the square"] = Mistake(norms_squared, "That is the sum of the squares. The norm is its root: `g.norm()`.")


def norms_of_values(tensors, L):
    return [(name, tensors[name].detach().norm().item()) for name, _ in norms_listening(tensors, L)]


MISTAKES["the norm of the values"] = Mistake(
    norms_of_values,
    "That is the norm of the tensor's own values. What arrives, and is asked for, is the **argument** of the hook.",
)


RETURNED = (
    "What a hook returns goes on in place of the gradient, and this does not fit there. A hook that only listens returns nothing: "
    "append to your list, without `return`."
)


def norms_returned(tensors, L, keep: Callable[[Any], Any] = lambda g: g.norm()):
    handles = [t.register_hook(keep) for t in tensors.values()]
    L.backward()
    for handle in handles:
        handle.remove()
    return []


MISTAKES["the hook returns the norm"] = Mistake(norms_returned, RETURNED)


def number_returned(tensors, L):
    return norms_returned(tensors, L, lambda g: g.norm().item())


MISTAKES["the hook returns a number"] = Mistake(number_returned, RETURNED)
