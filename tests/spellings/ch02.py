"""Right answers of chapter 02 in other styles, and its known mistakes written another way."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch02.common import everything_behind
from minigrad.course.bank.ch02.ex01.mistakes import with_rules
from minigrad.course.bank.ch02.ex02.mistakes import missing_index
from minigrad.course.bank.ch02.ex02.task import complete, root_of
from minigrad.course.bank.ch02.ex03.answer import topo, topo_counting
from minigrad.course.bank.ch02.ex03.mistakes import no_memory, preorder
from minigrad.course.bank.ch02.ex04.answer import backprop
from minigrad.course.bank.ch02.ex04.mistakes import leaves_only
from minigrad.course.bank.ch02.ex05.mistakes import far_too_large, with_witness
from minigrad.course.bank.ch02.ex06.answer import cost_tables
from minigrad.course.bank.ch02.ex06.mistakes import at_price, instead
from minigrad.course.bank.ch02.ex06.task import MODES

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 02.1 Local slopes --------------------------------------------------------------------------------------


class RulesFromOthers:
    """Every rule written otherwise, where it can be by way of another one."""

    @staticmethod
    def add(g, a, b):
        return [1 * g, 1 * g]

    @staticmethod
    def sub(g, a, b):
        return np.array([1, -1])[(...,) + (None,) * np.ndim(g)] * g

    @staticmethod
    def mul(g, a, b):
        slope_a, slope_b = b, a
        return slope_a * g, slope_b * g

    @staticmethod
    def div(g, a, b):
        to_a = g * b**-1.0
        return to_a, -to_a * (a / b)

    @staticmethod
    def exp(g, a):
        return np.exp(a) * g

    @staticmethod
    def log(g, a):
        return RulesFromOthers.pow(g, a, 0.0) + g * (1 / a)

    @staticmethod
    def sin(g, a):
        return np.sin(a + np.pi / 2) * g

    @staticmethod
    def pow(g, a, n):
        return np.multiply(g, n * np.power(a, n - 1.0))


ALTERNATIVES["02.1"] = {"in another style": RulesFromOthers}

AGAIN["02.1"] = {
    "div: swapped": with_rules(div=lambda g, a, b: (g * a / -(b * b), g * b**-1.0)),
    "exp: g inside": with_rules(exp=lambda g, a: np.e ** (a * g)),
    "add: g is forgotten": with_rules(add=lambda g, a, b: (a / a, b / b)),
    "sub: g is forgotten": with_rules(sub=lambda g, a, b: (g / g, -g / g)),
    "mul: g is forgotten": with_rules(mul=lambda g, a, b: [b * 1, a * 1]),
    "div: g is forgotten": with_rules(div=lambda g, a, b: (b**-1.0, -a * b**-2.0)),
    "exp: g is forgotten": with_rules(exp=lambda g, a: np.e**a),
    "log: g is forgotten": with_rules(log=lambda g, a: a**-1.0),
    "sin: g is forgotten": with_rules(sin=lambda g, a: np.sin(a + np.pi / 2)),
    "pow: g is forgotten": with_rules(pow=lambda g, a, n: n * a**n / a),
    "add: g is shared out": with_rules(add=lambda g, a, b: (0.5 * g, 0.5 * g)),
    "add: the values are handed on": with_rules(add=lambda g, a, b: (a * g, b * g)),
    "sub: no minus": with_rules(sub=lambda g, a, b: [g * 1.0, g * 1.0]),
    "sub: both minus": with_rules(sub=lambda g, a, b: (0 - g, 0 - g)),
    "sub: minus on the wrong side": with_rules(sub=lambda g, a, b: (-1 * g, 1 * g)),
    "mul: its own factor": with_rules(mul=lambda g, a, b: (a * g, b * g)),
    "mul: the product": with_rules(mul=lambda g, a, b: (a * b * g,) * 2),
    "div: no minus": with_rules(div=lambda g, a, b: (g / b, g * a / (b * b))),
    "div: b is not squared": with_rules(div=lambda g, a, b: (g / b, -(a / b) * g)),
    "div: a is forgotten": with_rules(div=lambda g, a, b: (g / b, -g * b**-2.0)),
    "div: the rule of the product": with_rules(div=lambda g, a, b: (b * g, a * g)),
    "div: precedence": with_rules(div=lambda g, a, b: (g / b, -(g * a / b) * b)),
    "exp: g goes through": with_rules(exp=lambda g, a: g * 1.0),
    "exp: the rule of powers": with_rules(exp=lambda g, a: a * g * np.exp(a) / np.e),
    "log: upside down": with_rules(log=lambda g, a: g / (1 / a)),
    "log: the value": with_rules(log=lambda g, a: np.log(a) * g),
    "log: divided by the value": with_rules(log=lambda g, a: g * (1 / np.log(a))),
    "sin: the sign": with_rules(sin=lambda g, a: g * -np.cos(a)),
    "sin: the value": with_rules(sin=lambda g, a: np.sin(a) * g),
    "pow: the exponent stays": with_rules(pow=lambda g, a, n: n * (g * a**n)),
    "pow: precedence": with_rules(pow=lambda g, a, n: (n * g * a**n) - 1),
    "pow: n is forgotten": with_rules(pow=lambda g, a, n: g * a**n / a),
    "pow: the exponent moves": with_rules(pow=lambda g, a, n: np.log(a) * a**n * g),
}


# --- 02.2 Is this order legal? ------------------------------------------------------------------------------


def is_legal_count(order, sends):
    waiting = dict.fromkeys(sends, 0)
    for children in sends.values():
        for child in children:
            waiting[child] += 1
    for name in order:
        if waiting.get(name) != 0:
            return False
        waiting[name] = -1
        for child in sends[name]:
            waiting[child] -= 1
    return set(waiting.values()) <= {-1}


def is_legal_index(order, sends):
    if len(order) != len(set(order)) or set(order) != set(sends):
        return False
    for name, children in sends.items():
        for child in children:
            if order.index(child) < order.index(name):
                return False
    return True


def neighbours_only_loop(order, sends):
    for k in range(len(order) - 1):
        if complete(order, sends) and order[k] in sends[order[k + 1]]:
            return False
    return complete(order, sends)


def neighbours_joined_loop(order, sends):
    if not complete(order, sends):
        return False
    joined = [order[k] in sends[order[k - 1]] for k in range(1, len(order))]
    return False not in joined


def turned_again(order, sends):
    return complete(order, sends) and all(order.index(i) < order.index(n) for n in sends for i in sends[n])


def one_order_newest(order, sends):
    """Equal to the one order that takes the last name of the alphabet first."""
    left, made = set(sends), []
    while left:
        free = [name for name in left if not any(name in sends[other] for other in left)]
        made.append(max(free))
        left.remove(made[-1])
    return made == list(order)


def ends_only_again(order, sends):
    starts_right = order[:1] == [root_of(sends)]
    return starts_right and sends.get(order[-1]) == [] and complete(order, sends)


def missing_allowed_fired(order, sends):
    done = set()
    for name in order:
        if name in done or name not in sends or any(child in done for child in sends[name]):
            return False
        done.add(name)
    return True


def missing_key_loop(order, sends):
    place = {order[k]: k for k in range(len(order))}
    for name in sends:
        for child in sends[name]:
            if place[name] > place[child]:
                return False
    return True


def missing_index_loop(order, sends):
    for name, children in sends.items():
        for child in children:
            if order.index(name) > order.index(child):
                return False
    return True


def twice_allowed_index(order, sends):
    return not set(order) ^ set(sends) and missing_index(order, sends)


def how_many_fired_index(order, sends):
    place = {name: k for k, name in enumerate(order)}
    if not len(place) == len(order) == len(sends):
        return False
    return all(place.get(name, len(order)) < place.get(child, len(order) + 1) for name in sends for child in sends[name])


def length_only_loop(order, sends):
    fired: set[str] = set()
    for name in order:
        if fired & set(sends.get(name, ())):
            return False
        fired.add(name)
    return len(sends) == len(order)


def stranger_allowed_filter(order, sends):
    known = [name for name in order if name in sends]
    return sorted(known) == sorted(sends) and missing_index(order, sends)


ALTERNATIVES["02.2"] = {"counting": is_legal_count, "index": is_legal_index}


def one_message_each_counter(order, sends):
    waiting = Counter(child for children in sends.values() for child in children)
    if sorted(order) != sorted(sends):
        return False
    for name in order:
        if waiting[name] > 0:
            return False
        waiting.subtract(dict.fromkeys(sends[name], 1))
    return True


def one_child_each_loop(place: int) -> Callable[..., bool]:
    def answer(order, sends):
        if len(order) != len(sends) or set(order) != set(sends):
            return False
        at = {name: k for k, name in enumerate(order)}
        return not any(children and at[children[place]] < at[name] for name, children in sends.items())

    return answer


AGAIN["02.2"] = {
    "only the first of each list": one_child_each_loop(0),
    "only the last of each list": one_child_each_loop(-1),
    "of two messages one is counted": one_message_each_counter,
    "neighbours only": neighbours_only_loop,
    "neighbours must be joined": neighbours_joined_loop,
    "turned round": turned_again,
    "one order only": one_order_newest,
    "the ends only": ends_only_again,
    "a node may fire twice": twice_allowed_index,
    "only how many": how_many_fired_index,
    "only the length": length_only_loop,
    "a stranger": stranger_allowed_filter,
    "a node may be missing": missing_allowed_fired,
    "KeyError for a missing node": missing_key_loop,
    "ValueError for a missing node": missing_index_loop,
}


# --- 02.3 Sort it -------------------------------------------------------------------------------------------


def topo_iterators(root):
    seen, order = {id(root)}, []
    stack = [(root, iter(root.inputs))]
    while stack:
        value, left = stack[-1]
        for i in left:
            if i is not None and id(i) not in seen:
                seen.add(id(i))
                stack.append((i, iter(i.inputs)))
                break
        else:
            stack.pop()
            order.append(value)
    order.reverse()
    return order


def topo_look_again(root):
    """Look at the top of the stack, and take it off when nothing is left to do below it."""
    order, done, stack = [], set(), [root]
    while stack:
        value = stack[-1]
        todo = [i for i in value.inputs if i is not None and i not in done]
        if todo:
            stack.append(todo[0])
            continue
        stack.pop()
        if value not in done:
            done.add(value)
            order.insert(0, value)
    return order


def topo_levels(root):
    """By the longest way to the leaves."""
    found, height = [root], {}
    known = {root}
    for value in found:
        for i in value.inputs:
            if i is not None and i not in known:
                known.add(i)
                found.append(i)
    stack = list(found)
    while stack:
        value = stack[-1]
        missing = [i for i in value.inputs if i is not None and i not in height]
        if missing:
            stack.extend(missing)
        else:
            height[stack.pop()] = 1 + max((height[i] for i in value.inputs if i is not None), default=0)
    return sorted(found, key=lambda value: -height[value])


def recursive_insert(root, order=None, seen=None):
    order, seen = [] if order is None else order, set() if seen is None else seen
    if root not in seen:
        seen.add(root)
        for i in root.inputs:
            if i is not None:
                recursive_insert(i, order, seen)
        order.insert(0, root)
    return order


def preorder_level(root):
    line, seen = [root], {root}
    for value in line:
        for i in value.inputs:
            if i is not None and i not in seen:
                seen.add(i)
                line.append(i)
    return line


def preorder_reversed_level(root):
    return list(reversed(preorder_level(root)))


def inputs_first_iterators(root):
    return list(reversed(topo_iterators(root)))


def no_memory_preorder(root):
    order, stack = [], [root]
    while stack:
        order.append(stack.pop())
        stack.extend(i for i in order[-1].inputs if i is not None)
    return order


def late_memory_again(root):
    order, there = [], set()
    for value in reversed(no_memory(root)):
        if value not in there:
            there.add(value)
            order.append(value)
    order.reverse()
    return order


def list_memory_again(root):
    order, stack = [], [root]
    while stack:
        value = stack[-1]
        todo = [i for i in value.inputs if i is not None and order.count(i) == 0]
        if todo:
            stack.append(todo[-1])
        else:
            stack.pop()
            if value not in order:
                order.append(value)
    return order[::-1]


def stops_at_a_constant_again(root):
    order, seen, stack = [], {root}, [(root, itertools.takewhile(lambda i: i is not None, root.inputs))]
    while stack:
        value, left = stack[-1]
        i = next((i for i in left if i not in seen), None)
        if i is None:
            order.append(stack.pop()[0])
        else:
            seen.add(i)
            stack.append((i, itertools.takewhile(lambda i: i is not None, i.inputs)))
    return order[::-1]


def constants_kept_again(root):
    seen, order = {root}, []
    stack = [(root, iter(root.inputs))]
    while stack:
        value, left = stack[-1]
        for i in left:
            if i not in seen:
                seen.add(i)
                stack.append((i, iter(i.inputs)))
                break
        else:
            stack.pop()
            order.append(value)
    return order[::-1]


def without_root_again(root):
    return [value for value in topo_counting(root) if value is not root]


def without_leaves_again(root):
    return [value for value in topo_iterators(root) if len(value.inputs) > 0]


ALTERNATIVES["02.3"] = {"a stack of iterators": topo_iterators, "look again": topo_look_again, "by height": topo_levels}

def levels_from_a_line(root):
    order, line = [], [root]
    while line:
        value = line.pop(0)
        if order.count(value) == 0:
            order.append(value)
            line.extend(i for i in value.inputs if i is not None)
    return order


def inputs_taken(root):
    order, done = topo(root), set()
    for value in order:
        done.add(value)
        value.inputs = tuple(i for i in value.inputs if i in done)
    return order


AGAIN["02.3"] = {
    "level by level, a list as memory": levels_from_a_line,
    "recursion": recursive_insert,
    "pre-order": preorder_level,
    "pre-order, reversed": preorder_reversed_level,
    "inputs first": inputs_first_iterators,
    "every path": no_memory_preorder,
    "every path, tidied at the end": late_memory_again,
    "a list as memory": list_memory_again,
    "constants are not skipped": constants_kept_again,
    "stops at a constant": stops_at_a_constant_again,
    "root is missing": without_root_again,
    "leaves are missing": without_leaves_again,
    "the inputs are emptied": inputs_taken,
}


# --- 02.4 Backprop ------------------------------------------------------------------------------------------


def backprop_get(root):
    grads = dict.fromkeys(topo_counting(root), 0)
    grads[root] = 1
    for value in list(grads):
        for i, message in value.fire(grads[value]):
            grads[i] = message + grads[i]
    return {value: grads[value] for value in grads if value.inputs == ()}


def backprop_waiting(root):
    """Nothing is sorted: a Value fires when as many messages have come as there are arrows to it."""
    arrows: dict[Any, int] = {}
    for value in everything_behind(root):
        for i in value.inputs:
            if i is not None:
                arrows[i] = arrows.get(i, 0) + 1
    came: dict[Any, list[Any]] = {root: [1.0]}
    ready, leaves = [root], {}
    while ready:
        value = ready.pop()
        g = sum(came.pop(value))
        if not value.inputs:
            leaves[value] = g
        for i, message in value.fire(g):
            came.setdefault(i, []).append(message)
            if len(came[i]) == arrows[i]:
                ready.append(i)
    return leaves


def backprop_copies(root):
    """In place, into arrays of its own."""
    order = topo(root)
    grads = {id(value): np.zeros(np.shape(value.data), np.asarray(value.data).dtype) for value in order}
    grads[id(root)] += 1
    for value in order:
        for i, message in zip(value.inputs, value.rule(grads[id(value)]), strict=True):
            if i is not None:
                grads[id(i)] += message
    return {value: grads[id(value)] for value in order if len(value.inputs) == 0}


def overwrite_loop(root):
    grads = {root: 1.0}
    for value in topo_counting(root):
        for i, message in value.fire(grads[value]):
            grads[i] = message
    return {value: grads[value] for value in grads if not value.inputs}


def first_message_loop(root):
    grads = {root: 1.0}
    for value in topo_iterators(root):
        for i, message in value.fire(grads[value]):
            if i not in grads:
                grads[i] = message
    return leaves_only(grads)


def fire_again_message(root):
    grads: dict[Any, Any] = {}

    def arrive(value, message):
        grads[value] = grads[value] + message if value in grads else message
        for i, onward in value.fire(grads[value]):
            arrive(i, onward)

    arrive(root, 1.0)
    return leaves_only(grads)


def paths_stack(root):
    grads, stack = {}, [(root, 1.0)]
    while stack:
        value, message = stack.pop()
        grads[value] = message + grads.get(value, 0)
        stack.extend(value.fire(message))
    return leaves_only(grads)


def too_early_order(root):
    grads = {root: 1.0}
    for value in preorder_level(root):
        for i, message in value.fire(grads[value]):
            grads[i] = message + grads.get(i, 0)
    return leaves_only(grads)


def shared_array_add(root):
    grads: dict[Any, Any] = {root: np.float64(1.0)}
    for value in topo_iterators(root):
        for i, message in value.fire(grads[value]):
            if i not in grads:
                grads[i] = message
            elif np.ndim(message):
                np.add(grads[i], message, out=grads[i])
            else:
                grads[i] = grads[i] + message
    return leaves_only(grads)


def kept_state_again(root):
    root.total = 1.0
    order = topo_iterators(root)
    for value in order:
        for i, message in value.fire(value.total):
            i.total = message + (i.total if hasattr(i, "total") else 0)
    return {value: value.total for value in order if value.inputs == ()}


def all_values_again(root):
    grads = dict.fromkeys(topo_counting(root), 0)
    grads[root] = 1.0
    for value in list(grads):
        for i, message in value.fire(grads[value]):
            grads[i] = grads[i] + message
    return {value: grads[value] for value in grads}


def leaves_first(root):
    grads = {root: 1.0}
    for value in reversed(topo(root)):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return leaves_only(grads)


def never_one_again(root):
    return {value: g * root.data for value, g in backprop(root).items()}


def queue_again(root):
    grads, queue = {root: 1.0}, [root]
    while queue:
        value = queue.pop(0)
        for i, message in value.fire(grads[value]):
            grads[i] = message if i not in grads else grads[i] + message
            queue += [i]
    return leaves_only(grads)


def queue_of_waiting_again(root):
    grads, waiting = {root: 1.0}, {root: None}
    while waiting:
        value = next(iter(waiting))
        del waiting[value]
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            waiting.setdefault(i)
    return leaves_only(grads)


def stack_again(root):
    grads, stack = {root: 1.0}, [root]
    while stack:
        value = stack.pop()
        messages = value.fire(grads[value])
        for i, message in messages:
            grads[i] = message if i not in grads else grads[i] + message
        stack += [i for i, _ in messages]
    return leaves_only(grads)


def silent_leaves_again(root):
    order = list(reversed(topo(root)))
    grads = dict.fromkeys(order, 0.0) | {root: 1.0}
    for value in order:
        for i, message in value.fire(grads[value]):
            grads[i] = grads[i] + message
    return leaves_only(grads)


ALTERNATIVES["02.4"] = {
    "zeros first": backprop_get,
    "counting messages": backprop_waiting,
    "in place, into its own arrays": backprop_copies,
}

def fires_in_preorder(root):
    grads = {root: 1.0}
    for value in preorder(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return {value: g for value, g in grads.items() if value.inputs == ()}


def fired_with_zero(root):
    order = topo(root)
    leaves, grads = [value for value in order if not value.fire(0.0)], {root: 1.0}
    for value in order:
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return {leaf: grads[leaf] for leaf in leaves}



def freed(root):
    grads, found = {root: 1.0}, {}
    for value in topo_counting(root):
        g = grads.pop(value)
        for i, message in value.fire(g):
            grads[i] = message + grads.get(i, 0)
        if not value.inputs:
            found[value] = g
        value.inputs, value.rule = (), lambda g: []
    return found


def data_overwritten(root):
    grads = dict.fromkeys(topo_counting(root), 0)
    grads[root] = 1
    for value, g in grads.items():
        for i, message in value.fire(g):
            grads[i] = message + grads[i]
    for value, g in grads.items():
        value.data = value.data + g
    return {value: g for value, g in grads.items() if not value.inputs}


AGAIN["02.4"] = {
    "the graph is emptied": freed,
    "the data is changed": data_overwritten,
    "too early, depth first": fires_in_preorder,
    "fired to see whether it is a leaf": fired_with_zero,
    "the last message wins": overwrite_loop,
    "the first message wins": first_message_loop,
    "every path": paths_stack,
    "a node fires twice": fire_again_message,
    "too early": too_early_order,
    "a shared array": shared_array_add,
    "state between two calls": kept_state_again,
    "not only leaves": all_values_again,
    "nothing has arrived": leaves_first,
    "it starts with the value": never_one_again,
    "a node fires twice, from a queue": queue_again,
    "a node fires twice, waiting once": queue_of_waiting_again,
    "a node fires twice, from a stack": stack_again,
    "from the leaves to the root": silent_leaves_again,
}


# --- 02.5 Bug hunter ----------------------------------------------------------------------------------------


class OtherWitness:
    """Other expressions of the same sizes."""

    @staticmethod
    def A(a, b):
        return b * b

    @staticmethod
    def B(a, b):
        s = a.exp()
        return s * s

    @staticmethod
    def C(a, b):
        s = a + b
        return s + s * 2

    @staticmethod
    def D(a, b):
        return (a * b) * b

    @staticmethod
    def E(a, b):
        return b + (a + b)


ALTERNATIVES["02.5"] = {"other expressions": OtherWitness}

AGAIN["02.5"] = {
    "C: the long way first": with_witness(C=lambda a, b: (s := a + b) * 2 + s),
    "C: both ways are short": with_witness(C=lambda a, b: (s := a + b) + s),
    "D: one operation": with_witness(D=lambda a, b: b.exp()),
    "D: what arrives is 1": with_witness(D=lambda a, b: (a * b) + 2),
    "E: no array is shared": with_witness(E=lambda a, b: (a + a) * b),
    "E: too late": with_witness(E=lambda a, b: b * (b + a)),
}


# --- 02.6 Which way is cheaper? -----------------------------------------------------------------------------


def cost_recursive(sizes, mode):
    if len(sizes) <= 2:
        return 0
    if mode == "forward":
        return cost_recursive(sizes[:-1], mode) + sizes[-1] * sizes[-2] * sizes[0]
    if mode == "reverse":
        return cost_recursive(sizes[1:], mode) + sizes[-1] * sizes[1] * sizes[0]
    ways = []
    for k in range(1, len(sizes) - 1):
        both = cost_recursive(sizes[: k + 1], mode) + cost_recursive(sizes[k:], mode)
        ways.append(both + sizes[0] * sizes[k] * sizes[-1])
    return min(ways)


def neighbours_again(sizes):
    return sum(sizes[k - 1] * sizes[k] * sizes[k + 1] for k in range(1, len(sizes) - 1))


def greedy_again(sizes):
    left, total = list(sizes), 0
    while len(left) > 2:
        price, k = min((left[k - 1] * left[k] * left[k + 1], k) for k in range(1, len(left) - 1))
        total, left = total + price, left[:k] + left[k + 1 :]
    return total


def largest_first_again(sizes):
    left, total = list(sizes), 0
    while len(left) > 2:
        k = max(range(1, len(left) - 1), key=lambda k: (left[k], -k))
        total += left.pop(k) * left[k - 1] * left[k]
    return total


ALTERNATIVES["02.6"] = {"recursive": cost_recursive}


def one_cut(sizes):
    def ends(part):
        return min(cost_tables(part, mode) for mode in MODES[:2])

    prices = [ends(sizes[: k + 1]) + ends(sizes[k:]) + sizes[-1] * sizes[k] * sizes[0] for k in range(1, len(sizes) - 1)]
    return sorted(prices)[0] if prices else 0


def grown_from_each_step(sizes):
    """From each single step outwards, and of all ways the cheapest."""

    def rest(i, j):
        left = sizes[i - 1] * sizes[i] * sizes[j] + rest(i - 1, j) if i else None
        right = sizes[i] * sizes[j] * sizes[j + 1] + rest(i, j + 1) if j + 1 < len(sizes) else None
        return min((price for price in (left, right) if price is not None), default=0)

    return min(rest(i, i + 1) for i in range(len(sizes) - 1))


AGAIN["02.6"] = {
    "best: one step more at an end": instead("best", grown_from_each_step),
    "forward: begins at the output": instead("forward", lambda sizes: cost_tables(sizes, "reverse")),
    "reverse: begins at the input": instead("reverse", lambda sizes: cost_tables(sizes, "forward")),
    "forward: the first table is multiplied": instead(
        "forward", lambda sizes: sum(sizes[0] * a * b for a, b in zip(sizes, sizes[1:], strict=False))
    ),
    "reverse: the last table is multiplied": instead(
        "reverse", lambda sizes: sum(sizes[-1] * a * b for a, b in zip(sizes, sizes[1:], strict=False))
    ),
    "best: always reverse": instead("best", lambda sizes: cost_recursive(sizes, "reverse")),
    "best: always forward": instead("best", lambda sizes: cost_recursive(sizes, "forward")),
    "best: the better of the two": instead("best", lambda sizes: sorted(cost_tables(sizes, mode) for mode in MODES[:2])[0]),
    "best: the cheapest product first": instead("best", greedy_again),
    "best: the largest size first": instead("best", largest_first_again),
    "best: one cut": instead("best", one_cut),
}

AGAIN["02.5"] |= {
    f"{letter}: {name}": with_witness(**{letter: again})
    for name, letters, again in (
        ("one operation", "ABCE", lambda a, b: b.exp()),
        ("a tree", "ABCE", lambda a, b: a.exp() * b.exp()),
        ("only leaves are used twice", "BC", lambda a, b: (a + b) * b),
        ("too large", "ABCDE", lambda a, b: far_too_large(b, a * b)),
    )
    for letter in letters
}
AGAIN["02.6"] |= {
    f"{mode}: {name}": at_price(mode, again)
    for mode in MODES
    for name, again in (
        ("additions are counted too", lambda p, q, r: p * q * r + p * (q - 1) * r),
        ("only additions", lambda p, q, r: p * q * r - p * r),
        ("only the entries", lambda p, q, r: r * p),
    )
} | {f"{mode}: neighbours": instead(mode, neighbours_again) for mode in ("forward", "reverse")}
