"""06.4 Snapshot: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch06.ex03.mistakes import TRUTH_OF_TENSOR
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

MISTAKES["the gradients themselves"] = Mistake(
    lambda params: [p.grad for p in params],
    "Your entries are the `.grad` Tensors themselves: the **same objects** under a second name. The next backward adds "
    "into them, in place, and your snapshot moves along. Copy the numbers: `clone()`.",
)


def copied(copy: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """An answer that makes each entry like this, and asks for None first."""
    return lambda params: [None if p.grad is None else copy(p) for p in params]


MISTAKES["detached only"] = Mistake(
    copied(lambda p: p.grad.detach()),
    "`detach()`, `.data`, a view and a slice are new Tensors, but on the **same numbers** in memory: no copy. Here there is no "
    "history to cut; what you need is cells of their own: `clone()`.",
)

MISTAKES["asked for its truth"] = Mistake(lambda params: [p.grad.clone() if p.grad else None for p in params], TRUTH_OF_TENSOR)

KEPT: list[Any] = []


def snapshot_in_one_list(params):
    KEPT[:] = [None if p.grad is None else p.grad.clone() for p in params]
    return KEPT


MISTAKES["one list for all calls"] = Mistake(
    snapshot_in_one_list,
    "The first snapshot is right, until you take the second: they share the **list**, or the Tensors in it, and each call fills these "
    "anew. Make new ones in each call: a list, and a `clone()` for each entry.",
)

NONE_IN_SNAPSHOT = (
    "One parameter has no gradient, and None has no `clone`. Its entry in the list is None: `None if p.grad is None else …`."
)

MISTAKES["None.clone()"] = Mistake(lambda params: [p.grad.clone() for p in params], NONE_IN_SNAPSHOT)
MISTAKES["None.detach()"] = Mistake(lambda params: [p.grad.detach().clone() for p in params], NONE_IN_SNAPSHOT)

MISTAKES["zeros for None"] = Mistake(
    lambda params: [mg.zeros_like(p) if p.grad is None else p.grad.clone() for p in params],
    "Where `.grad` is None the entry must be None. A 0 would say that a gradient came and was 0.",
)

MISTAKES["None left out"] = Mistake(
    lambda params: [p.grad.clone() for p in params if p.grad is not None],
    "Your list is shorter than `params`: where `.grad` is None, an entry is missing, and the others have moved up. Put "
    "None in its place.",
)

MISTAKES["the values"] = Mistake(
    lambda params: [p.clone() for p in params],
    "These are the numbers of the parameters. Asked for are their gradients, `p.grad`.",
)


def snapshot_clears(params):
    copies = []
    for p in params:
        copies.append(None if p.grad is None else p.grad.clone())
        p.grad = None
    return copies


MISTAKES["cleared"] = Mistake(
    snapshot_clears, "You took the gradients away: `.grad` is None after the call. A snapshot changes nothing."
)


def snapshot_exchanges(params):
    copies = [p.grad for p in params]
    for p in params:
        p.grad = None if p.grad is None else p.grad.clone()
    return copies


MISTAKES["exchanged"] = Mistake(
    snapshot_exchanges,
    "You kept the old Tensors and put the copies into `.grad`. The numbers are right, but whoever held `p.grad` holds "
    "another Tensor now. Keep the copy, and leave `.grad` what it is.",
)


def snapshot_moves(params):
    copies = [p.grad for p in params]
    for p in params:
        p.grad = None
    return copies


MISTAKES["moved"] = Mistake(
    snapshot_moves,
    "You moved the gradients into the list: `.grad` is None after the call, and the optimizer has nothing left. A "
    "snapshot copies and changes nothing.",
)
