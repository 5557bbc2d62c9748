"""02.2 Is this order legal?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch02.ex02.answer import is_legal
from minigrad.course.bank.ch02.ex02.task import complete, neighbours_joined, neighbours_only, root_of
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

MISTAKES["neighbours only"] = Mistake(
    neighbours_only,
    "You compare neighbours in the order only. A node may fire too early although its consumer comes much "
    "later: in `e b x c a` with c → b, the two do not touch. Look at every **arrow**, not at every pair of "
    "neighbours.",
)

MISTAKES["neighbours must be joined"] = Mistake(
    neighbours_joined,
    "Two nodes that have nothing to do with each other may stand side by side, in either order: no arrow need lead from one "
    "to the next, and there is more than one legal order. What counts are the arrows: for each of them, the sender comes first.",
)


def turned(order, sends):
    return is_legal(order[::-1], sends)


MISTAKES["turned round"] = Mistake(
    turned,
    "You have the two ends mixed up: that is the order in which values are **computed**, inputs first. "
    "Messages run the other way: `d` sends to `b`, so `d` fires before `b`.",
)


def one_order(order, sends):
    """Equal to the one order that a depth-first walk gives."""
    found: list[str] = []

    def visit(name):
        for child in sends[name]:
            if child not in found:
                visit(child)
        if name not in found:
            found.append(name)

    visit(root_of(sends))
    return list(order) == found[::-1]


MISTAKES["one order only"] = Mistake(
    one_order,
    "You accept one order for each graph. Many orders are legal: in the diamond e → c, e → d, c → b, d → b it "
    "does not matter which of c and d fires first. Test the condition; do not compare with one solution.",
)


def ends_only(order, sends):
    return complete(order, sends) and order[0] == root_of(sends) and not sends[order[-1]]


MISTAKES["the ends only"] = Mistake(
    ends_only, "You look at the first node only, and perhaps at the last. Those in between have their consumers too."
)


def missing_key(order, sends):
    place = {name: k for k, name in enumerate(order)}
    return all(place[name] < place[child] for name in sends for child in sends[name])


def twice_allowed(order, sends):
    return set(order) == set(sends) and missing_key(order, sends)


MISTAKES["a node may fire twice"] = Mistake(
    twice_allowed,
    "A node stands in the order twice: it would hand its messages on twice, and what lies behind it would "
    "get too much. Sets forget how often a name occurs; compare the lengths too.",
)


def how_many_fired(order, sends):
    fired = set()
    for name in order:
        if name in fired or any(name in sends[other] and other not in fired for other in sends):
            return False
        fired.add(name)
    return len(fired) == len(sends)


MISTAKES["only how many"] = Mistake(
    how_many_fired,
    "You count how many nodes fire. The number is right here, and still a node of the graph is missing: a "
    "stranger stands in its place. Compare the names: `sorted(order) == sorted(sends)`.",
)


def length_only(order, sends):
    return len(order) == len(sends) and not any(
        child in order[:k] for k, name in enumerate(order) for child in sends.get(name, [])
    )


MISTAKES["only the length"] = Mistake(
    length_only,
    "You compare the **length** of the list with the number of nodes. In `d c c a` it is right, and still one "
    "node fires twice and another never. Compare the names: `sorted(order) == sorted(sends)`.",
)


def stranger_allowed(order, sends):
    return set(sends) <= set(order) and len(order) == len(set(order)) and missing_key(order, sends)


MISTAKES["a stranger"] = Mistake(
    stranger_allowed,
    "The order holds a node that the graph does not have. Each node of `sends` exactly once, **and nothing else**.",
)


def missing_allowed(order, sends):
    for name, children in sends.items():
        for child in children:
            if name in order and child in order and order.index(child) < order.index(name):
                return False
    return len(order) == len(set(order)) and set(order) <= set(sends)


LEFT_OUT = (
    "A node that never fires never hands its message on. Before you look at the arrows, ask whether `order` holds "
    "each node of `sends` exactly once, and nothing else: `sorted(order) == sorted(sends)`."
)

MISTAKES["a node may be missing"] = Mistake(missing_allowed, LEFT_OUT)
MISTAKES["KeyError for a missing node"] = Mistake(missing_key, LEFT_OUT)


def missing_index(order, sends):
    return all(order.index(name) < order.index(child) for name in sends for child in sends[name])


MISTAKES["ValueError for a missing node"] = Mistake(missing_index, LEFT_OUT)


def one_message_each(order, sends):
    waiting = dict.fromkeys(sends, 0)
    for children in sends.values():
        for child in children:
            waiting[child] += 1
    fired = set()
    for name in order:
        if name not in sends or name in fired or waiting[name]:
            return False
        fired.add(name)
        for child in set(sends[name]):
            waiting[child] -= 1
    return len(fired) == len(sends)


MISTAKES["of two messages one is counted"] = Mistake(
    one_message_each,
    "`b * b` sends two messages to `b`, so its name stands in the list twice. You count two that are to come, and when they come "
    "you take away one: `b` waits for ever.",
)


def one_child_each(place: int) -> Callable[..., bool]:
    def answer(order, sends):
        return complete(order, sends) and all(order.index(n) < order.index(c[place]) for n, c in sends.items() if c)

    return answer


ONE_CHILD = (
    "A node may send to several others, and here one of them fires too early. Compare the places of the sender and of **every** "
    "name in its list, not of the first or the last alone."
)

MISTAKES["only the first of each list"] = Mistake(one_child_each(0), ONE_CHILD)
MISTAKES["only the last of each list"] = Mistake(one_child_each(-1), ONE_CHILD)
