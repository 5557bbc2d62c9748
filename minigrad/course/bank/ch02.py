"""Chain rule and topological order.

Exercises 02.1 to 02.6: the rules of single operations, the order in which nodes fire, the loop of a backward pass,
engines that are broken, and the price of the two directions. `Value` is the small graph on which they run, and
`firings` draws the lesson's pictures.
"""

from __future__ import annotations

import contextlib
import inspect
import sys
from collections.abc import Callable, Iterator
from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04 import as_asked, unwritten
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch02 import bars, firings  # noqa: F401
from minigrad.course.helpers.values import Value, engine_A, engine_B, engine_C, engine_D, engine_E

if TYPE_CHECKING:
    pass

Array = np.ndarray


def everything_behind(root: Any) -> list[Any]:
    """Every Value behind root, root first, each once; in no special order."""
    found, todo = {root: None}, [root]
    while todo:
        for i in todo.pop().inputs:
            if i is not None and i not in found:
                found[i] = None
                todo.append(i)
    return list(found)


# --- 02.1 Local slopes --------------------------------------------------------------------------------------


class Rules:
    """g is the gradient of the result. Each rule returns one message for each of its inputs a and b."""

    @staticmethod
    def add(g, a, b):
        """a + b. Returns two messages: for a and for b."""
        return g, g

    @staticmethod
    def sub(g, a, b):
        """a - b. Returns two messages."""
        return g, -g

    @staticmethod
    def mul(g, a, b):
        """a * b. Returns two messages."""
        return g * b, g * a

    @staticmethod
    def div(g, a, b):
        """a / b. Returns two messages."""
        return g / b, -g * a / b**2

    @staticmethod
    def exp(g, a):
        """exp(a). Returns one message."""
        return g * np.exp(a)

    @staticmethod
    def log(g, a):
        """The natural logarithm of a. Returns one message."""
        return g / a

    @staticmethod
    def sin(g, a):
        """sin(a). Returns one message."""
        return g * np.cos(a)

    @staticmethod
    def pow(g, a, n):
        """a**n, where n is a constant number: it gets no message. Returns one message, for a."""
        return g * n * a ** (n - 1)


RULES_STARTER = '''\
class Rules:
    """g is the gradient of the result. Each rule returns one message for each of its inputs a and b."""

    @staticmethod
    def add(g, a, b):
        """a + b. Returns two messages: for a and for b."""
        ...

    @staticmethod
    def sub(g, a, b):
        """a - b. Returns two messages."""
        ...

    @staticmethod
    def mul(g, a, b):
        """a * b. Returns two messages."""
        ...

    @staticmethod
    def div(g, a, b):
        """a / b. Returns two messages."""
        ...

    @staticmethod
    def exp(g, a):
        """exp(a). Returns one message."""
        ...

    @staticmethod
    def log(g, a):
        """The natural logarithm of a. Returns one message."""
        ...

    @staticmethod
    def sin(g, a):
        """sin(a). Returns one message."""
        ...

    @staticmethod
    def pow(g, a, n):
        """a**n, where n is a constant number: it gets no message. Returns one message, for a."""
        ...
'''


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
        return (np.exp(a) * g,)

    @staticmethod
    def log(g, a):
        return RulesFromOthers.pow(g, a, 0.0) + g * (1 / a)

    @staticmethod
    def sin(g, a):
        return np.sin(a + np.pi / 2) * g

    @staticmethod
    def pow(g, a, n):
        return np.multiply(g, n * np.power(a, n - 1.0))


def with_rules(**rules: Callable[..., Any]) -> type:
    """The reference with other rules in some places."""
    return type("Rules", (Rules,), {name: staticmethod(rule) for name, rule in rules.items()})


def wrong_rule(name: str, rule: Callable[..., Any], again: Callable[..., Any], hint: str) -> Mistake:
    """A mistake in one rule; only the cases of that rule are compared."""
    return Mistake(with_rules(**{name: rule}), f"{name}: {hint}", with_rules(**{name: again}))


FORGOT_G = (
    "that is the slope alone; the incoming gradient `g` is not in it. Scale by `g`: what if the next operation "
    "multiplies the result by 10? A test with g = 1 would never have told you."
)

RULE_MISTAKES = {
    "add: g is forgotten": wrong_rule("add", lambda g, a, b: (1.0, 1.0), lambda g, a, b: (a / a, b / b), FORGOT_G),
    "sub: g is forgotten": wrong_rule("sub", lambda g, a, b: (1.0, -1.0), lambda g, a, b: (g / g, -g / g), FORGOT_G),
    "mul: g is forgotten": wrong_rule("mul", lambda g, a, b: (b, a), lambda g, a, b: [b * 1, a * 1], FORGOT_G),
    "div: g is forgotten": wrong_rule(
        "div", lambda g, a, b: (1 / b, -a / b**2), lambda g, a, b: (b**-1.0, -a * b**-2.0), FORGOT_G
    ),
    "exp: g is forgotten": wrong_rule("exp", lambda g, a: np.exp(a), lambda g, a: np.e**a, FORGOT_G),
    "log: g is forgotten": wrong_rule("log", lambda g, a: 1 / a, lambda g, a: a**-1.0, FORGOT_G),
    "sin: g is forgotten": wrong_rule("sin", lambda g, a: np.cos(a), lambda g, a: np.sin(a + np.pi / 2), FORGOT_G),
    "pow: g is forgotten": wrong_rule(
        "pow", lambda g, a, n: n * a ** (n - 1), lambda g, a, n: n * a**n / a, FORGOT_G
    ),
    "add: g is shared out": wrong_rule(
        "add",
        lambda g, a, b: (g / 2, g / 2),
        lambda g, a, b: (0.5 * g, 0.5 * g),
        "each input moves the sum as much as it moves itself: its slope is 1, and it gets the **whole** `g`, not half of it.",
    ),
    "add: the values are handed on": wrong_rule(
        "add",
        lambda g, a, b: (g * a, g * b),
        lambda g, a, b: (a * g, b * g),
        "the slope of a + b is 1, whatever the values of a and b are. They do not occur in the rule.",
    ),
    "sub: no minus": wrong_rule(
        "sub",
        lambda g, a, b: (g, g),
        lambda g, a, b: [g * 1.0, g * 1.0],
        "when b grows, a - b **falls**: its slope is -1.",
    ),
    "sub: both minus": wrong_rule(
        "sub",
        lambda g, a, b: (-g, -g),
        lambda g, a, b: (0 - g, 0 - g),
        "when a grows, a - b grows with it. Only the slope for b is -1.",
    ),
    "sub: minus on the wrong side": wrong_rule(
        "sub",
        lambda g, a, b: (-g, g),
        lambda g, a, b: (-1 * g, 1 * g),
        "that is the rule of b - a. The minus belongs to b.",
    ),
    "mul: its own factor": wrong_rule(
        "mul",
        lambda g, a, b: (g * a, g * b),
        lambda g, a, b: (a * g, b * g),
        "each factor has the **other** one as its slope. If b is 100 and a moves by 1, a * b moves by 100.",
    ),
    "mul: the product": wrong_rule(
        "mul",
        lambda g, a, b: (g * a * b, g * a * b),
        lambda g, a, b: (a * b * g,) * 2,
        "you handed on g times the **result**. The slope for a is b alone.",
    ),
    "div: no minus": wrong_rule(
        "div",
        lambda g, a, b: (g / b, g * a / b**2),
        lambda g, a, b: (g / b, g * a / (b * b)),
        "the sign of the second message. When b > 0 grows, a / b comes closer to 0: the slope for b is **minus** a / b².",
    ),
    "div: b is not squared": wrong_rule(
        "div",
        lambda g, a, b: (g / b, -g * a / b),
        lambda g, a, b: (g / b, -(a / b) * g),
        "the slope of 1 / b is -1 / b², with a **square**.",
    ),
    "div: a is forgotten": wrong_rule(
        "div",
        lambda g, a, b: (g / b, -g / b**2),
        lambda g, a, b: (g / b, -g * b**-2.0),
        "-1 / b² is the slope of 1 / b. Here a stands above, and multiplies it.",
    ),
    "div: the rule of the product": wrong_rule(
        "div",
        lambda g, a, b: (g * b, g * a),
        lambda g, a, b: (b * g, a * g),
        "that is the rule of a * b. Think of a / b as a times (1 / b).",
    ),
    "div: precedence": wrong_rule(
        "div",
        lambda g, a, b: (g / b, -g * a / b * b),
        lambda g, a, b: (g / b, -(g * a / b) * b),
        "Python reads `x / b * b` as `(x / b) * b`. Write `x / b**2` or `x / (b * b)`.",
    ),
    "exp: g goes through": wrong_rule(
        "exp", lambda g, a: g, lambda g, a: g * 1.0, "you handed `g` on as it came. exp has a slope of its own: exp(a)."
    ),
    "exp: the rule of powers": wrong_rule(
        "exp",
        lambda g, a: g * a * np.exp(a - 1),
        lambda g, a: a * g * np.exp(a) / np.e,
        "`n * a**(n - 1)` is for a fixed exponent. Here the exponent moves, and exp is its own slope.",
    ),
    "log: upside down": wrong_rule(
        "log",
        lambda g, a: g * a,
        lambda g, a: g / (1 / a),
        "the slope of log at a is 1 / a: steep near 0, flat far out. You multiplied by a.",
    ),
    "log: the value": wrong_rule(
        "log",
        lambda g, a: g * np.log(a),
        lambda g, a: np.log(a) * g,
        "you multiplied by the **value** log(a). What is wanted is its slope, 1 / a.",
    ),
    "log: divided by the value": wrong_rule(
        "log",
        lambda g, a: g / np.log(a),
        lambda g, a: g * (1 / np.log(a)),
        "the slope is 1 / a, not 1 / log(a).",
    ),
    "sin: the sign": wrong_rule(
        "sin",
        lambda g, a: -g * np.cos(a),
        lambda g, a: g * -np.cos(a),
        "the sign. Near 0, sin(a) grows when a grows: the slope there is +1. The minus comes with cos.",
    ),
    "sin: the value": wrong_rule(
        "sin",
        lambda g, a: g * np.sin(a),
        lambda g, a: np.sin(a) * g,
        "you multiplied by the **value** sin(a). What is wanted is its slope.",
    ),
    "pow: the exponent stays": wrong_rule(
        "pow",
        lambda g, a, n: g * n * a**n,
        lambda g, a, n: n * (g * a**n),
        "the exponent goes down by one: the slope of `a**3` is `3 * a**2`.",
    ),
    "pow: precedence": wrong_rule(
        "pow",
        lambda g, a, n: g * n * a**n - 1,
        lambda g, a, n: (n * g * a**n) - 1,
        "Python reads `a**n - 1` as `(a**n) - 1`. Write `a**(n - 1)`.",
    ),
    "pow: n is forgotten": wrong_rule(
        "pow",
        lambda g, a, n: g * a ** (n - 1),
        lambda g, a, n: g * a**n / a,
        "the exponent also comes down as a factor: the slope of `a**3` is `3 * a**2`.",
    ),
    "pow: the exponent moves": wrong_rule(
        "pow",
        lambda g, a, n: g * a**n * np.log(a),
        lambda g, a, n: np.log(a) * a**n * g,
        "`a**n * log(a)` is the slope with respect to `n`. Here n is a constant, and a moves.",
    ),
}
TWO_INPUTS = ("add", "sub", "mul", "div")


def rules_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def some(*shape: int, positive: bool = True) -> Any:
        drawn = rng.uniform(0.5, 2.5, shape) * (1 if positive else rng.choice([-1.0, 1.0], shape))
        return drawn.astype(precision) if shape else float(drawn)

    cases = []
    for name in ("add", "sub", "mul", "div", "exp", "log", "sin"):
        for what, shape in (("numbers", ()), ("arrays of shape (3,)", (3,))):
            a, b = (some(*shape, positive=name == "log") for _ in "ab")
            cases.append(Case(f"{name}: {what}", (name, some(*shape, positive=False), a, b if name in TWO_INPUTS else None)))
    for n in (3, -1, 0.5):
        cases.append(Case(f"pow: a number, n = {n}", ("pow", some(positive=False), some(), n)))
    return [*cases, Case("pow: an array of shape (3,), n = 2", ("pow", some(3, positive=False), some(3), 2))]


def observe_rules(answer: Any, rule: str, g: Any, a: Any, b: Any) -> Any:
    method, name = getattr(answer, rule), f"Rules.{rule}"
    result = method(g, a) if b is None else method(g, a, b)
    if result is None and unwritten(method):
        result = ...
    if rule not in TWO_INPUTS:
        if isinstance(result, tuple | list):
            result = result[0] if len(result) == 1 else f"{len(result)} messages, not one"
        return {f"{name}, the message for a": result if isinstance(result, str) else as_asked(result)}
    if result is None or result is ...:
        result = result, result
    if isinstance(result, tuple | list | np.ndarray) and len(result) == 2:
        shape = np.shape(g)
        told = [as_asked(message) for message in result]
        # A plain number in place of an array of equal ones is as good: NumPy stretches it.
        full = [np.broadcast_to(m, shape) if isinstance(m, np.ndarray) and m.shape == () else m for m in told]
        return {f"{name}, the message for {which}": m for which, m in zip("ab", full, strict=True)}
    count = len(result) if isinstance(result, tuple | list) else 1
    came = "one message" if count == 1 else f"{count} messages"
    return {f"{name}, the message for a": f"{came}, not two", f"{name}, the message for b": None}


def rules_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Where a slope from the result itself, a logarithm or a size goes wrong: at 0, and at negative numbers."""
    precision = np.float32 if dtype is mg.float32 else np.float64
    a, b, g = (np.array(numbers, precision) for numbers in ([0.0, -1.5, 2.0], [-0.5, 2.0, -3.0], [1.0, -2.0, 0.5]))
    cases = [Case(f"{name}: where a is 0", (name, g, a, b)) for name in ("add", "sub", "mul", "div")]
    cases += [Case("mul: where b is 0", ("mul", g, b, a))]
    cases += [Case(f"{name}: at 0, and at a negative number", (name, g, a, None)) for name in ("exp", "sin")]
    return [*cases, *(Case(f"pow: at 0, and at a negative number, n = {n}", ("pow", g, a, n)) for n in (1, 2, 3))]


register(
    Exercise(
        id="02.1",
        title="Local slopes",
        difficulty=1,
        minutes=8,
        points=2,
        reference=Rules,
        starter=RULES_STARTER,
        cases=rules_cases,
        edges=rules_edges,
        observe=observe_rules,
        alternatives={"in another style": RulesFromOthers},
        mistakes=RULE_MISTAKES,
        hints=(
            "Ask for each input alone: if it moves by a little, and everything else stands still, how many times as much "
            "does the result move? That is the slope. The message is the slope **times g**.",
            "The first four, at a = 6, b = 2, when one input moves by 0.01:\n\n"
            "| result | a moves | b moves |\n|---|---|---|\n| a + b | +0.01 | +0.01 |\n| a - b | +0.01 | -0.01 |\n"
            "| a * b | +0.02 | +0.06 |\n| a / b | +0.005 | about -0.015 |\n\n"
            "Divide by 0.01, and find the same numbers in a and b: 0.5 is 1 / b, and -1.5 is -a / b².",
            "```python\nadd:  return g, ___\nsub:  return g, ___\nmul:  return g * ___, g * ___\n"
            "div:  return g / ___, -g * ___ / ___**2\nexp:  return g * np.exp(___)\nlog:  return g / ___\n"
            "sin:  return g * np.___(a)\npow:  return g * n * a ** (___)\n```",
        ),
        explanation="""\
| result | slope for a | slope for b |
|---|---|---|
| a + b | 1 | 1 |
| a - b | 1 | -1 |
| a * b | b | a |
| a / b | 1 / b | -a / b² |
| exp(a) | exp(a) | |
| log(a) | 1 / a | |
| sin(a) | cos(a) | |
| aⁿ | n aⁿ⁻¹ | |

Every rule has the same form: *slope × g*. The slope is local: it needs the values of this one operation and
nothing of what came before or comes after. All that comes after is in `g`, one number for each entry.

The rule of `/` is no new one. a / b is a times 1 / b, and 1 / b is b to the power of -1, with the slope -1 / b².
The checker draws `g` at random and of both signs. With g = 1 eight of the wrong rules that it knows, those that
forget `g`, would pass.
""",
    )
)


# --- 02.2 Is this order legal? ------------------------------------------------------------------------------


def is_legal(order, sends):
    """May the nodes fire in this order? True or False.

    order: a list of names. sends: a dict from the name of each node to a list of the nodes it sends messages to.
    """
    if sorted(order) != sorted(sends):
        return False
    place = {name: k for k, name in enumerate(order)}
    return all(place[name] < place[child] for name in sends for child in sends[name])


def is_legal_set(order, sends):
    fired = set()
    for name in order:
        if name in fired or name not in sends:
            return False
        consumers = {other for other in sends if name in sends[other]}
        if not consumers <= fired:
            return False
        fired.add(name)
    return len(fired) == len(sends)


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


def complete(order: list[str], sends: dict[str, list[str]]) -> bool:
    return sorted(order) == sorted(sends)


def neighbours_only(order, sends):
    if not complete(order, sends):
        return False
    return not any(first in sends[second] for first, second in zip(order, order[1:], strict=False))


def neighbours_only_loop(order, sends):
    for k in range(len(order) - 1):
        if complete(order, sends) and order[k] in sends[order[k + 1]]:
            return False
    return complete(order, sends)


def neighbours_joined(order, sends):
    return complete(order, sends) and all(b in sends[a] for a, b in zip(order, order[1:], strict=False))


def neighbours_joined_loop(order, sends):
    if not complete(order, sends):
        return False
    joined = [order[k] in sends[order[k - 1]] for k in range(1, len(order))]
    return False not in joined


def turned(order, sends):
    return is_legal(order[::-1], sends)


def turned_again(order, sends):
    return complete(order, sends) and all(order.index(i) < order.index(n) for n in sends for i in sends[n])


def root_of(sends: dict[str, list[str]]) -> str:
    return next(name for name in sends if not any(name in children for children in sends.values()))


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


def one_order_newest(order, sends):
    """Equal to the one order that takes the last name of the alphabet first."""
    left, made = set(sends), []
    while left:
        free = [name for name in left if not any(name in sends[other] for other in left)]
        made.append(max(free))
        left.remove(made[-1])
    return made == list(order)


def ends_only(order, sends):
    return complete(order, sends) and order[0] == root_of(sends) and not sends[order[-1]]


def ends_only_again(order, sends):
    starts_right = order[:1] == [root_of(sends)]
    return starts_right and sends.get(order[-1]) == [] and complete(order, sends)


def missing_allowed(order, sends):
    for name, children in sends.items():
        for child in children:
            if name in order and child in order and order.index(child) < order.index(name):
                return False
    return len(order) == len(set(order)) and set(order) <= set(sends)


def missing_allowed_fired(order, sends):
    done = set()
    for name in order:
        if name in done or name not in sends or any(child in done for child in sends[name]):
            return False
        done.add(name)
    return True


def missing_key(order, sends):
    place = {name: k for k, name in enumerate(order)}
    return all(place[name] < place[child] for name in sends for child in sends[name])


def missing_key_loop(order, sends):
    place = {order[k]: k for k in range(len(order))}
    for name in sends:
        for child in sends[name]:
            if place[name] > place[child]:
                return False
    return True


def missing_index(order, sends):
    return all(order.index(name) < order.index(child) for name in sends for child in sends[name])


def missing_index_loop(order, sends):
    for name, children in sends.items():
        for child in children:
            if order.index(name) > order.index(child):
                return False
    return True


def twice_allowed(order, sends):
    return set(order) == set(sends) and missing_key(order, sends)


def twice_allowed_index(order, sends):
    return not set(order) ^ set(sends) and missing_index(order, sends)


def how_many_fired(order, sends):
    fired = set()
    for name in order:
        if name in fired or any(name in sends[other] and other not in fired for other in sends):
            return False
        fired.add(name)
    return len(fired) == len(sends)


def how_many_fired_index(order, sends):
    place = {name: k for k, name in enumerate(order)}
    if not len(place) == len(order) == len(sends):
        return False
    return all(place.get(name, len(order)) < place.get(child, len(order) + 1) for name in sends for child in sends[name])


def length_only(order, sends):
    return len(order) == len(sends) and not any(
        child in order[:k] for k, name in enumerate(order) for child in sends.get(name, [])
    )


def length_only_loop(order, sends):
    fired: set[str] = set()
    for name in order:
        if fired & set(sends.get(name, ())):
            return False
        fired.add(name)
    return len(sends) == len(order)


def stranger_allowed(order, sends):
    return set(sends) <= set(order) and len(order) == len(set(order)) and missing_key(order, sends)


def stranger_allowed_filter(order, sends):
    known = [name for name in order if name in sends]
    return sorted(known) == sorted(sends) and missing_index(order, sends)


LESSON_GRAPH = {"d": ["b", "c"], "c": ["b"], "b": ["a"], "a": []}
DIAMOND = {"e": ["c", "d"], "d": ["b"], "c": ["b"], "b": ["a"], "a": []}


def random_sends(rng: np.random.Generator, size: int) -> dict[str, list[str]]:
    """A graph with one root, in which everything can be reached. Names come by chance, so that they tell nothing."""
    names = [str(name) for name in rng.permutation(list("abcdefghij"[:size]))]
    sends: dict[str, list[str]] = {name: [] for name in names}
    for k in range(1, size):
        parents = rng.choice(k, size=min(k, int(rng.integers(1, 3))), replace=False)
        for parent in parents:
            sends[names[parent]].append(names[k])
    last = names[-1]
    for name in names[:-1]:
        if not sends[name]:
            sends[name].append(last)
    return {name: sends[name] for name in sorted(names)}


def legal_order(rng: np.random.Generator, sends: dict[str, list[str]]) -> list[str]:
    """One of the legal orders, by chance."""
    left, order = set(sends), []
    while left:
        free = sorted(name for name in left if not any(name in sends[other] for other in left))
        order.append(str(rng.choice(free)))
        left.remove(order[-1])
    return order


def apart(rng: np.random.Generator, size: int) -> tuple[list[str], dict[str, list[str]]]:
    """A graph and an illegal order of it, from root to leaf, in which no node stands right after one to which it sends."""
    while True:
        sends = random_sends(rng, size)
        first, last = root_of(sends), next(name for name in sends if not sends[name])
        inside = [str(name) for name in rng.permutation([name for name in sends if name not in (first, last)])]
        order = [first, *inside, last]
        if neighbours_only(order, sends) and not is_legal(order, sends):
            return order, sends


def is_legal_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def graphs(size: int, count: int) -> list[dict[str, list[str]]]:
        return [random_sends(rng, size) for _ in range(count)]

    def legal(sends: dict[str, list[str]]) -> list[str]:
        return legal_order(rng, sends)

    def several(size: int) -> dict[str, list[str]]:
        """A graph with more than one legal order. If a legal order follows the arrows from node to node, it is the only one."""
        while True:
            sends = random_sends(rng, size)
            if not neighbours_joined(legal(sends), sends):
                return sends

    def without(sends: dict[str, list[str]]) -> list[str]:
        order = legal(sends)
        order.pop(int(rng.integers(1, len(order) - 1)))
        return order

    def doubled(sends: dict[str, list[str]]) -> list[str]:
        order = legal(sends)
        k = int(rng.integers(len(order)))
        return [*order[: k + 1], *order[k:]]

    def replaced(sends: dict[str, list[str]]) -> list[str]:
        order = legal(sends)
        k = int(rng.integers(len(order) - 1))
        return [*order[: k + 1], order[k], *order[k + 2 :]]

    swapped = ["e", "b", "c", "d", "a"]
    big = [several(8) for _ in range(4)]
    small = several(5)
    every = [list(order) for order in permutations(sorted(small)) if is_legal(order, small)]  # whoever knows one, accepts one
    return [
        Case(
            "arrows: legal orders",
            ([(["d", "c", "b", "a"], LESSON_GRAPH), (list("ecdba"), DIAMOND), (list("edcba"), DIAMOND)],),
        ),
        Case("arrows: legal orders of random graphs", ([(legal(g), g) for g in [*big, *big, *big]] + [(o, small) for o in every],)),
        Case("arrows: neighbours in the wrong order", ([(["d", "b", "c", "a"], LESSON_GRAPH), (swapped, DIAMOND)],)),
        Case("arrows: a node too early, far from its consumer", ([apart(rng, 7) for _ in range(4)],)),
        Case("arrows: legal orders, turned round", ([(legal(g)[::-1], g) for g in big],)),
        Case("missing: a node is left out", ([(without(g), g) for g in graphs(6, 4)],)),
        Case("twice: a node stands there twice", ([(doubled(g), g) for g in graphs(6, 4)],)),
        Case("length: one node twice, and another not at all", ([(replaced(g), g) for g in graphs(6, 4)],)),
        Case("stranger: a node that is not in the graph", ([([*legal(g), "z"], g) for g in graphs(6, 4)],)),
        Case("stranger: in the place of the last node", ([([*legal(g)[:-1], "z"], g) for g in graphs(6, 4)],)),
    ]


def observe_is_legal(answer: Callable[..., Any], pairs: list[tuple[list[str], dict[str, list[str]]]]) -> Any:
    said, example = [], ""
    for order, sends in pairs:
        verdict = answer(list(order), {name: list(children) for name, children in sends.items()})
        if not isinstance(verdict, bool | np.bool_):
            return unfit(verdict, "True or False")
        said.append(bool(verdict))
        if bool(verdict) != is_legal(order, sends) and not example:
            example = f"You said {bool(verdict)}. {why_not(order, sends)}"
    accepted = "all" if all(said) else "some" if any(said) else "none"
    # The example is for the learner: it is not compared.
    return {"accepted": accepted, "cost_example": example}


def why_not(order: list[str], sends: dict[str, list[str]]) -> str:
    """What is wrong with an order, or that nothing is."""
    told = f"The order is {' '.join(order)}"
    for name, children in sends.items():
        for child in children:
            if name in order and child in order and order.index(child) < order.index(name):
                return f"{told}, and {name} sends to {child}: then {child} would fire before {name}'s message has come."
    left_out = [name for name in sends if name not in order]
    if left_out:
        return f"{told}, and {left_out[0]} never fires."
    twice = [name for name in order if order.count(name) > 1]
    if twice:
        return f"{told}, and {twice[0]} fires twice."
    strangers = [name for name in order if name not in sends]
    if strangers:
        return f"{told}, and there is no node {strangers[0]} in the graph."
    return f"{told}, and every node comes after all that send to it: {arrows_of(sends)}."


def arrows_of(sends: dict[str, list[str]]) -> str:
    return ", ".join(f"{name} → {child}" for name, children in sends.items() for child in children)


def say_is_legal(case: Case, got: Any, expected: Any) -> str | None:
    return None if got["accepted"] == expected["accepted"] else got["cost_example"]


LEFT_OUT = (
    "A node that never fires never hands its message on. Before you look at the arrows, ask whether `order` holds "
    "each node of `sends` exactly once, and nothing else: `sorted(order) == sorted(sends)`."
)

TWO_PIECES = {"d": ["c"], "c": [], "b": ["a"], "a": []}


def is_legal_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("arrows: a graph of two pieces", ([(list("dcba"), TWO_PIECES), (list("bdac"), TWO_PIECES)],)),
        Case("arrows: a single node", ([(["a"], {"a": []})],)),
        Case("arrows: two nodes, turned round", ([(["b", "a"], {"a": ["b"], "b": []})],)),
        Case("missing: an empty order", ([([], LESSON_GRAPH), ([], {"a": []})],)),
        Case("missing: one of two pieces", ([(["d", "c"], TWO_PIECES), (["b", "a"], TWO_PIECES)],)),
    ]


register(
    Exercise(
        id="02.2",
        title="Is this order legal?",
        difficulty=2,
        minutes=6,
        reference=is_legal,
        cases=is_legal_cases,
        edges=is_legal_edges,
        observe=observe_is_legal,
        accept=say_is_legal,
        alternatives={"what has fired": is_legal_set, "counting": is_legal_count, "index": is_legal_index},
        mistakes={
            "neighbours only": Mistake(
                neighbours_only,
                "You compare neighbours in the order only. A node may fire too early although its consumer comes much "
                "later: in `e b x c a` with c → b, the two do not touch. Look at every **arrow**, not at every pair of "
                "neighbours.",
                neighbours_only_loop,
            ),
            "neighbours must be joined": Mistake(
                neighbours_joined,
                "You ask that an arrow leads from each node to the next in the order. Two nodes that have nothing to do "
                "with each other may stand side by side, in either order. What counts are the arrows: for each of them, "
                "the sender comes first.",
                neighbours_joined_loop,
            ),
            "turned round": Mistake(
                turned,
                "You have the two ends mixed up: that is the order in which values are **computed**, inputs first. "
                "Messages run the other way: `d` sends to `b`, so `d` fires before `b`.",
                turned_again,
            ),
            "one order only": Mistake(
                one_order,
                "You accept one order for each graph. Many orders are legal: in the diamond e → c, e → d, c → b, d → b it "
                "does not matter which of c and d fires first. Test the condition; do not compare with one solution.",
                one_order_newest,
            ),
            "the ends only": Mistake(
                ends_only,
                "You look at the first and the last node only. Those in between have their consumers too.",
                ends_only_again,
            ),
            "a node may fire twice": Mistake(
                twice_allowed,
                "A node stands in the order twice: it would hand its messages on twice, and what lies behind it would "
                "get too much. Sets forget how often a name occurs; compare the lengths too.",
                twice_allowed_index,
            ),
            "only how many": Mistake(
                how_many_fired,
                "You count how many nodes fire. The number is right here, and still a node of the graph is missing: a "
                "stranger stands in its place. Compare the names: `sorted(order) == sorted(sends)`.",
                how_many_fired_index,
            ),
            "only the length": Mistake(
                length_only,
                "You compare the **length** of the list with the number of nodes. In `d c c a` it is right, and still one "
                "node fires twice and another never. Compare the names: `sorted(order) == sorted(sends)`.",
                length_only_loop,
            ),
            "a stranger": Mistake(
                stranger_allowed,
                "The order holds a node that the graph does not have. Each node of `sends` exactly once, **and nothing "
                "else**.",
                stranger_allowed_filter,
            ),
            "a node may be missing": Mistake(missing_allowed, LEFT_OUT, missing_allowed_fired),
            "KeyError for a missing node": Mistake(missing_key, LEFT_OUT, missing_key_loop),
            "ValueError for a missing node": Mistake(missing_index, LEFT_OUT, missing_index_loop),
        },
        hints=(
            "A node may fire only when all its consumers have fired. Each arrow of the graph is one condition: its sender "
            "stands before its receiver. And there is one more condition, on the list itself.",
            "Write the order as a line, and draw every arrow of the graph above it. The order is legal if all arrows "
            "point to the right:\n\n```text\nd → c → b → a        d ─► c,  d ─► b,  c ─► b,  b ─► a   all to the right\n"
            "d   b   c   a        c ─► b points to the left\n```",
            "```python\ndef is_legal(order, sends):\n    if sorted(order) != ___:\n        return False\n"
            "    place = {name: k for k, name in enumerate(order)}\n    for name, children in sends.items():\n"
            "        for child in children:\n            if ___:\n                return False\n    return True\n```",
        ),
        explanation="""\
Two conditions. The list holds each node exactly once; and each arrow points to the right, from a node that fires
earlier to one that fires later. Nothing else is asked: where no arrow (and no path of arrows) joins two nodes,
either may go first. So a graph may have many legal orders, and a backward pass gives the same gradients with each.

Such an order is called **topological**. A graph without cycles always has one. A graph with a cycle has none: its
nodes would wait for each other for ever.

Looking up a name's place in a dict makes the work grow with the number of arrows. `order.index` is as right, and
searches the whole list each time.
""",
    )
)


# --- 02.3 Sort it -------------------------------------------------------------------------------------------


def topo(root):
    """Every Value behind root, root first, each once, every Value before its inputs. Without recursion.

    root: a Value. Returns a list.
    """
    order, seen, stack = [], set(), [(root, "enter")]
    while stack:
        value, what = stack.pop()
        if what == "leave":  # everything behind it is in the list already
            order.append(value)
        elif value not in seen:
            seen.add(value)
            stack.append((value, "leave"))
            for i in value.inputs:
                if i is not None:
                    stack.append((i, "enter"))
    return order[::-1]


def topo_counting(root):
    waiting, seen, todo = {}, {root}, [root]
    while todo:
        for i in todo.pop().inputs:
            if i is not None:
                waiting[i] = waiting.get(i, 0) + 1
                if i not in seen:
                    seen.add(i)
                    todo.append(i)
    order, ready = [], [root]
    while ready:
        value = ready.pop()
        order.append(value)
        for i in value.inputs:
            if i is not None:
                waiting[i] -= 1
                if not waiting[i]:
                    ready.append(i)
    return order


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


def recursive(root):
    order, seen = [], set()

    def visit(value):
        if value is None or value in seen:
            return
        seen.add(value)
        for i in value.inputs:
            visit(i)
        order.append(value)

    visit(root)
    return order[::-1]


def recursive_insert(root, order=None, seen=None):
    order, seen = [] if order is None else order, set() if seen is None else seen
    if root not in seen:
        seen.add(root)
        for i in root.inputs:
            if i is not None:
                recursive_insert(i, order, seen)
        order.insert(0, root)
    return order


def preorder(root):
    order, seen, stack = [], set(), [root]
    while stack:
        value = stack.pop()
        if value not in seen:
            seen.add(value)
            order.append(value)
            stack.extend(i for i in value.inputs if i is not None)
    return order


def preorder_level(root):
    line, seen = [root], {root}
    for value in line:
        for i in value.inputs:
            if i is not None and i not in seen:
                seen.add(i)
                line.append(i)
    return line


def preorder_reversed(root):
    return preorder(root)[::-1]


def preorder_reversed_level(root):
    return list(reversed(preorder_level(root)))


def inputs_first(root):
    return topo(root)[::-1]


def inputs_first_iterators(root):
    return list(reversed(topo_iterators(root)))


def no_memory(root):
    order, stack = [], [(root, "enter")]
    while stack:
        value, what = stack.pop()
        if what == "leave":
            order.append(value)
        else:
            stack.append((value, "leave"))
            stack.extend((i, "enter") for i in value.inputs if i is not None)
    return order[::-1]


def no_memory_preorder(root):
    order, stack = [], [root]
    while stack:
        order.append(stack.pop())
        stack.extend(i for i in order[-1].inputs if i is not None)
    return order


def late_memory(root):
    return list(dict.fromkeys(no_memory(root)[::-1]))[::-1]


def late_memory_again(root):
    order, there = [], set()
    for value in reversed(no_memory(root)):
        if value not in there:
            there.add(value)
            order.append(value)
    order.reverse()
    return order


def list_memory(root):
    order, seen, stack = [], [], [(root, False)]
    while stack:
        value, leaving = stack.pop()
        if leaving:
            order.append(value)
        elif value not in seen:
            seen.append(value)
            stack.append((value, True))
            stack.extend((i, False) for i in value.inputs if i is not None)
    return order[::-1]


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


def constants_kept(root):
    order, seen, stack = [], set(), [(root, "enter")]
    while stack:
        value, what = stack.pop()
        if what == "leave":
            order.append(value)
        elif value not in seen:
            seen.add(value)
            stack.append((value, "leave"))
            stack.extend((i, "enter") for i in value.inputs)
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


class TooMuch(Exception):
    """An answer looked at far more than the graph holds."""


class Counted(Value):
    """A Value that counts how often its inputs are read, and how often it is compared with another."""

    def __init__(self, data: Any, inputs: Any, log: dict[str, int]) -> None:
        self._inputs, self._log = inputs, log
        super().__init__(data)

    def _count(self, what: str) -> None:
        self._log[what] = self._log.get(what, 0) + 1
        if self._log[what] > self._log["limit"]:
            raise TooMuch(what)

    @property  # type: ignore[misc]
    def inputs(self) -> Any:
        self._count("reads")
        return self._inputs

    @inputs.setter
    def inputs(self, given: Any) -> None:
        """What a Value is given when it is made is known already."""

    def __eq__(self, other: object) -> bool:
        self._count("comparisons")
        return self is other

    def __hash__(self) -> int:
        return id(self)


def counted(kind: str, size: int) -> Any:
    """A ladder, of which `inputs` may be read not too often, or a chain, whose Values may be compared not too often."""
    log = {"limit": 30 * size, "reads" if kind == "chain" else "comparisons": -(10**9)}
    value = Counted(0.0, (), log)
    for _ in range(size):
        value = Counted(0.0, (value, value) if kind == "ladder" else (value,), log)
    return value


def expression(text: str, rng: np.random.Generator | None = None, shape: tuple[int, ...] = ()) -> dict[str, Any]:
    """The leaves of a small program and its last Value, `L`."""
    rng = rng or np.random.default_rng(0)
    space: dict[str, Any] = {name: Value(rng.uniform(0.5, 1.5, shape) if shape else rng.uniform(0.5, 1.5)) for name in "ab"}
    exec(text, space)
    return {name: space[name] for name in ("a", "b", "L")}


def random_graph(rng: np.random.Generator, size: int, dtype: Any = np.float64) -> dict[str, Any]:
    """Leaves of shape (3,), constants and much reuse; the last Value is one number."""
    leaves = {name: Value(rng.uniform(0.3, 1.2, 3).astype(dtype)) for name in "abc"}
    pool = list(leaves.values())
    for _ in range(size):
        x, y = (pool[int(rng.integers(max(0, len(pool) - 4), len(pool)))] for _ in range(2))
        kind = int(rng.integers(5))
        if kind == 0:
            pool.append(x + float(rng.normal()))
        elif kind == 1:
            pool.append((x * -0.5).exp())
        else:
            pool.append((x + y, x - y, x * y * 0.5)[kind - 2])
    total = pool[-1]
    for leaf in leaves.values():
        total = total + leaf * pool[-2]
    return leaves | {"L": total.sum()}


SMALL = {
    "a chain of three operations": ["L = ((a + b).exp() * b).exp()", "L = (b + a.exp() * a).exp()"],
    "a Value that is used twice, on a short way and on a long one": [
        "s = a * b; L = s * s.exp()",
        "s = a * b; L = s.exp() * s",
        "s = a * b; t = s.exp(); L = (t * s) + (t + s)",
        "s = a * b; t = s.exp(); L = (s + t) + (s * t)",
    ],
    "constants": ["L = (a * 2 + 1).exp()", "s = a * 3; L = s * s + b"],
}


DEEP = 5_000  # several times as deep as Python calls itself


def topo_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    seeds = [int(rng.integers(2**31)) for _ in range(6)]
    return [
        *(Case(label, (("small", texts),)) for label, texts in SMALL.items()),
        Case("six random graphs", (("random", seeds),)),
        Case("a ladder of 25 diamonds, t = t + t again and again", (("ladder", 25),)),
        Case("a chain of 500 operations", (("chain", 500),)),
        Case(f"a chain of {DEEP:,} operations", (("deep", DEEP),)),
    ]


def fault(order: Any, root: Any) -> tuple[str, str]:
    """What is wrong with a list of Values: a word, and the same in a sentence. Two empty ones for nothing."""
    if any(value is None for value in order):
        return "None", "There is a None in the list: that is the place of a constant, and no Value."
    if not all(isinstance(value, Value) for value in order):
        return "kind", "There is something in the list that is no Value."
    wanted, got = {id(value) for value in everything_behind(root)}, [id(value) for value in order]
    there = set(got)
    if there - wanted:
        return "stranger", "There is a Value in the list that is not behind root."
    if len(there) < len(got):
        return "twice", f"A Value stands in the list more than once: there are {len(wanted)}, your list holds {len(got)}."
    if id(root) not in there:
        return "no root", "root itself is missing."
    if there != wanted:
        missing = [value for value in everything_behind(root) if id(value) not in there]
        if missing == [value for value in everything_behind(root) if not value.inputs]:
            return "no leaves", "The leaves are missing: they are Values too, and come last."
        return "missing", f"{len(missing)} of {len(wanted)} Values are missing."

    arrows = [(id(v), id(i)) for v in everything_behind(root) for i in v.inputs if i is not None]

    def legal(ids: list[int]) -> bool:
        place = {key: k for k, key in enumerate(ids)}
        return all(place[v] < place[i] for v, i in arrows)

    if legal(got):
        return "", ""
    if legal(got[::-1]):
        return "turned round", "Every Value comes *after* its inputs. The root must be first."
    return "too early", "A Value stands in the list before one of its consumers: it would fire too early."


def roots_for(kind: str, of: Any) -> dict[str, Any]:
    """The roots at which an answer is tried, by a name for each."""
    if kind == "random":
        return {f"random graph {k}": random_graph(np.random.default_rng(seed), 12)["L"] for k, seed in enumerate(of, 1)}
    if kind == "small":
        return {text: expression(text)["L"] for text in of}
    if kind in ("ladder", "chain"):
        return {kind: counted(kind, of)}
    value = Value(1.0)
    for _ in range(of):
        value = Value(1.0, (value,))
    return {kind: value}


@contextlib.contextmanager
def shallow() -> Iterator[None]:
    """Here Python calls itself no deeper than usual, also for those who raise its limit."""
    depth, setter = sys.getrecursionlimit(), sys.setrecursionlimit
    setter(max(1000, len(inspect.stack(0)) + 400))
    sys.setrecursionlimit = lambda limit: None  # type: ignore[assignment]
    try:
        yield
    finally:
        sys.setrecursionlimit = setter
        setter(depth)


def observe_topo(answer: Callable[..., Any], recipe: tuple[str, Any]) -> Any:
    found = []
    for text, root in roots_for(*recipe).items():
        try:
            with shallow():
                order = answer(root)
                if recipe[0] == "small":  # once more: what was left behind, on the Values or elsewhere, shows now
                    order = answer(root)
        except TooMuch as error:
            return {"the order": f"stopped: too many {error}", "cost_told": TOLD_TOO_MUCH[str(error)]}
        if not isinstance(order, list | tuple):
            return unfit(order, "a list of Values")
        if getattr(root, "_log", None):
            root._log.update(reads=0, comparisons=0, limit=10**9)  # from here on it is the checker that looks
        word, sentence = fault(order, root)
        found.append((word, f"In the graph of `{text}`: {sentence}" if "=" in text else sentence))
    worst = max(found, key=lambda f: FAULTS.index(f[0]))
    return {"the order": worst[0] or "right", "cost_told": worst[1]}  # the sentence is for the learner: it is not compared


# Of the faults in several graphs the last of these is told. In a chain the wrong ways may look alike.
FAULTS = ("", "turned round", "too early", "missing", "no leaves", "no root", "twice", "stranger", "kind", "None")
TOLD_TOO_MUCH = {
    "reads": "Your function was stopped: it read `inputs` more than 30 times as often as there are Values.",
    "comparisons": "Your function was stopped: it compared Values more than 30 times as often as there are Values.",
}


def say_topo(case: Case, got: Any, expected: Any) -> str | None:
    return None if got["the order"] == expected["the order"] else got["cost_told"]


def without_root(root):
    return topo(root)[1:]


def without_root_again(root):
    return [value for value in topo_counting(root) if value is not root]


def without_leaves(root):
    return [value for value in topo(root) if value.inputs]


def without_leaves_again(root):
    return [value for value in topo_iterators(root) if len(value.inputs) > 0]


EVERY_PATH = (
    "You walk **paths**, and a graph has many more paths than nodes: the ladder of 25 diamonds has 26 Values and 2^25 "
    "paths. Remember in a set which Values you have visited, and do not enter those again."
)
LIST_SEARCH = (
    "The order is right, but every look into a list searches the whole list: `value in seen` and `order.count(…)` take "
    "longer and longer as the list grows. Keep what you have seen in a **set** (of Values, or of their `id`s); there a "
    "look takes no time to speak of."
)

def topo_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [Case("a leaf alone", (("small", ["L = a"]),)), Case("one Value, twice an input", (("small", ["L = a + a"]),))]


register(
    Exercise(
        id="02.3",
        title="Sort it",
        difficulty=3,
        minutes=10,
        reference=topo,
        cases=topo_cases,
        edges=topo_edges,
        observe=observe_topo,
        accept=say_topo,
        alternatives={
            "counting consumers": topo_counting,
            "a stack of iterators": topo_iterators,
            "look again": topo_look_again,
            "by height": topo_levels,
        },
        mistakes={
            "recursion": Mistake(
                recursive,
                "The order is right, but a chain of 5,000 operations is too deep for Python's call stack, which ends at "
                "about 1000 calls. Keep a stack of your own: a list, to which you append what is still to do.",
                recursive_insert,
            ),
            "pre-order": Mistake(
                preorder,
                "You append a Value when you **enter** it (that is called pre-order), or level by level. Then it stands "
                "before consumers that are found only later: frame 3 of the lower row in the lesson's first picture. "
                "Append it when you **leave** it, when everything behind it is in the list, and turn the list round at "
                "the end.",
                preorder_level,
            ),
            "pre-order, reversed": Mistake(
                preorder_reversed,
                "Turning the list round is right for Values that are appended on **leaving**. Yours are appended on "
                "entering. And root must be first.",
                preorder_reversed_level,
            ),
            "inputs first": Mistake(
                inputs_first,
                "Your list begins with the leaves: that is the order in which the values were computed. Messages run the "
                "other way. Turn the list round.",
                inputs_first_iterators,
            ),
            "every path": Mistake(no_memory, EVERY_PATH, no_memory_preorder),
            "every path, tidied at the end": Mistake(
                late_memory,
                "The list is right, but you walked 2^25 paths to get it: removing what is double at the end is too late. "
                "Remember the Values that you have visited, and do not enter those again.",
                late_memory_again,
            ),
            "a list as memory": Mistake(list_memory, LIST_SEARCH, list_memory_again),
            "constants are not skipped": Mistake(
                constants_kept,
                "Among `inputs` stands None for each constant. It has no inputs of its own, and is no Value: skip it.",
                constants_kept_again,
            ),
            "root is missing": Mistake(
                without_root, "root itself is missing. It is the first to fire.", without_root_again
            ),
            "leaves are missing": Mistake(
                without_leaves,
                "The leaves are missing. They send no messages, but they are Values behind root, and belong to the end of "
                "the list.",
                without_leaves_again,
            ),
        },
        hints=(
            "When may a Value be put at the *end* of the order? When everything behind it is there already. So walk down "
            "to the leaves first, and append each Value on the way back. Then the list is in the wrong direction, and "
            "that is mended in one line. (Another way: count for each Value how many consumers have not yet come.)",
            "Each Value is met twice, on entering and on leaving:\n\n```text\nenter d   stack: leave d, enter b, enter c\n"
            "enter c   stack: leave d, enter b, leave c, enter b\nenter b   stack: leave d, enter b, leave c, leave b, enter a\n"
            "enter a, leave a, leave b, leave c      the list: a b c\nenter b   seen already\n"
            "leave d                                 the list: a b c d, turned round: d c b a\n```",
            "```python\ndef topo(root):\n    order, seen, stack = [], set(), [(root, \"enter\")]\n    while stack:\n"
            "        value, what = stack.pop()\n        if what == \"leave\":\n            order.append(___)\n"
            "        elif value not in seen:\n            seen.add(value)\n            stack.append((value, ___))\n"
            "            for i in value.inputs:\n                if i is not None:\n"
            "                    stack.append((i, ___))\n    return order[___]\n```",
        ),
        explanation="""\
A Value is appended when it is *left*: then everything behind it is in the list already, so in the reversed list
it stands before everything behind it. The stack holds what is still to do; it takes the place of Python's call
stack, which ends after about 1000 calls, and a network with a long loop has more operations than that.

`seen` is a set, because a Value can be reached on many paths: 2^25 on the ladder of diamonds. It is asked on
entering, so each Value is entered once and each arrow looked at once.

Two other ways are as good. **Counting:** a first walk counts the consumers of each Value; a second one lets a Value
fire when the last of them has. **Numbering:** an input exists before its consumer, so the order of creation, newest
first, is a legal order at once. PyTorch and minigrad do both: they count, and of the nodes that may fire they take the
newest.
""",
    )
)


# --- 02.4 Backprop ------------------------------------------------------------------------------------------


def backprop(root):
    """The gradient of root at every leaf behind it: a dict {leaf: gradient}. root: a Value with one number."""
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads[i] + message if i in grads else message
    return {value: g for value, g in grads.items() if not value.inputs}


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


def leaves_only(grads: dict[Any, Any]) -> dict[Any, Any]:
    return {value: g for value, g in grads.items() if not value.inputs}


def overwrite(root):
    grads = {root: 1.0}
    for value in topo(root):
        grads.update(value.fire(grads[value]))
    return leaves_only(grads)


def overwrite_loop(root):
    grads = {root: 1.0}
    for value in topo_counting(root):
        for i, message in value.fire(grads[value]):
            grads[i] = message
    return {value: grads[value] for value in grads if not value.inputs}


def first_message(root):
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads.setdefault(i, message)
    return leaves_only(grads)


def first_message_loop(root):
    grads = {root: 1.0}
    for value in topo_iterators(root):
        for i, message in value.fire(grads[value]):
            if i not in grads:
                grads[i] = message
    return leaves_only(grads)


def fire_again(root):
    grads = {root: 1.0}

    def visit(value):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            visit(i)

    visit(root)
    return leaves_only(grads)


def fire_again_message(root):
    grads: dict[Any, Any] = {}

    def arrive(value, message):
        grads[value] = grads[value] + message if value in grads else message
        for i, onward in value.fire(grads[value]):
            arrive(i, onward)

    arrive(root, 1.0)
    return leaves_only(grads)


def paths(root):
    grads: dict[Any, Any] = {}

    def arrive(value, message):
        grads[value] = grads.get(value, 0) + message
        for i, onward in value.fire(message):
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


def too_early(root):
    grads, line, seen = {root: 1.0}, [root], {root}
    for value in line:
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
            if i not in seen:
                seen.add(i)
                line.append(i)
    return leaves_only(grads)


def too_early_order(root):
    grads = {root: 1.0}
    for value in preorder_level(root):
        for i, message in value.fire(grads[value]):
            grads[i] = message + grads.get(i, 0)
    return leaves_only(grads)


def shared_array(root):
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            if i in grads:
                grads[i] += message
            else:
                grads[i] = message
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


def kept_state(root):
    order = topo(root)
    for value in order:
        value.grad = getattr(value, "grad", 0)
    root.grad = 1.0
    for value in order:
        for i, message in value.fire(value.grad):
            i.grad = i.grad + message
    return {value: value.grad for value in order if not value.inputs}


def kept_state_again(root):
    root.total = 1.0
    order = topo_iterators(root)
    for value in order:
        for i, message in value.fire(value.total):
            i.total = message + (i.total if hasattr(i, "total") else 0)
    return {value: value.total for value in order if value.inputs == ()}


def all_values(root):
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return grads


def all_values_again(root):
    grads = dict.fromkeys(topo_counting(root), 0)
    grads[root] = 1.0
    for value in list(grads):
        for i, message in value.fire(grads[value]):
            grads[i] = grads[i] + message
    return {value: grads[value] for value in grads}


def nothing_at_root(root):
    grads: dict[Any, Any] = {}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return leaves_only(grads)


def leaves_first(root):
    grads = {root: 1.0}
    for value in reversed(topo(root)):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return leaves_only(grads)


def never_one(root):
    grads = {root: root.data}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads.get(i, 0) + message
    return leaves_only(grads)


def never_one_again(root):
    return {value: g * root.data for value, g in backprop(root).items()}


GRAPHS = {
    "reuse: L = a + a": "L = a + a",
    "reuse: L = a * a": "L = a * a",
    "reuse: b = a * 2; c = b + 1; L = b * c, the lesson's graph": "b = a * 2; c = b + 1; L = b * c",
    "reuse: s = a * b; L = s * s.exp()": "s = a * b; L = s * s.exp()",
    "reuse: s = a * b; L = s.exp() * s": "s = a * b; L = s.exp() * s",
    "constants: L = (a * 3 - 2) * b + 1": "L = (a * 3 - 2) * b + 1",
    "shared: arrays, L = ((a + b) + a).sum()": "L = ((a + b) + a).sum()",
    "shared: arrays, L = (b + (a + b)).sum()": "L = (b + (a + b)).sum()",
    "twice: s = a * b; L = s * s + a, called a second time": "s = a * b; L = s * s + a",
}


def backprop_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def recipe(kind: str, text: str = "", size: int = 0) -> tuple[Any, ...]:
        return ((kind, text, size, int(rng.integers(2**31)), precision),)

    cases = [Case(label, recipe("twice" if label.startswith("twice") else "small", text)) for label, text in GRAPHS.items()]
    cases += [Case(f"random: arrays, {size} operations and more", recipe("random", size=size)) for size in (6, 12, 25)]
    return [
        *cases,
        Case("ladder: 25 diamonds, t = t + t again and again", recipe("ladder", size=25)),
        Case("deep: a chain of 2,000 operations", recipe("chain", size=2_000)),
    ]


def graph_for(kind: str, text: str, size: int, seed: int, precision: Any) -> dict[str, Any]:
    """Leaves by their names, and the root as L."""
    rng = np.random.default_rng(seed)
    if kind == "random":
        return random_graph(rng, size, precision)
    if kind in ("ladder", "chain"):
        a = t = Value(precision(rng.uniform(0.5, 1.5)))
        for _ in range(size):
            t = t + t if kind == "ladder" else t + 1.0
        return {"a": a, "L": t * (0.5**size if kind == "ladder" else 3.0)}
    found = expression(text, rng, (3,) if "sum" in text else ())
    for name in "ab":
        found[name].data = np.asarray(found[name].data, precision)[()]
    return found


def observe_backprop(answer: Callable[..., Any], recipe: tuple[Any, ...]) -> Any:
    kind, graph = recipe[0], graph_for(*recipe)
    root = graph.pop("L")
    behind = everything_behind(root)
    fired, limit = [0], 30 * len(behind)

    def watched(rule: Callable[..., Any]) -> Callable[..., Any]:
        def counted_rule(g: Any) -> Any:
            fired[0] += 1
            if fired[0] > limit:
                raise TooMuch("firings")
            return rule(g)

        return counted_rule

    for value in behind:
        if value.inputs:
            value.rule = watched(value.rule)
    try:
        returned = answer(root)
        if kind == "twice":
            fired[0] = 0
            returned = answer(root)
        more = fired[0] > sum(bool(value.inputs) for value in behind)
    except TooMuch:
        return {"the walk": f"stopped after {limit} firings in a graph of {len(behind)} Values"}
    if not isinstance(returned, dict):
        return unfit(returned, "a dict {leaf: gradient}")
    names = {id(leaf): name for name, leaf in graph.items()}
    seen = {
        f"the gradient of {names[id(value)]}": "missing" for value in behind if id(value) in names
    }
    for key, g in returned.items():
        if id(key) in names:
            seen[f"the gradient of {names[id(key)]}"] = g
    here = {id(value) for value in behind}
    strangers = [key for key in returned if id(key) not in names]
    earlier = any(isinstance(key, Value) and id(key) not in here for key in strangers)
    lives_on = "Values of an earlier call: is there a dict that lives on?"
    seen["firings"] = "some Values fire more than once" if more else "each Value fires once"
    seen["keys that are no leaves"] = "none" if not strangers else lives_on if earlier else "some"
    return seen


STATE = (
    "The first call is right, the second on the same graph is not: something of the first is still there. Gradients that "
    "are stored on the Values (or in a dict outside of the function) must be cleared. Better: keep them in a dict that the "
    "function makes anew each time."
)

def backprop_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64
    texts = {"a gradient of 0": "L = (a - a + b).sum()", "a factor of 0": "L = (a * 0 + b).sum()", "one operation": "L = a * b"}
    return [Case(f"shared: {label}, {text}", (("small", text, 0, 0, precision),)) for label, text in texts.items()]


register(
    Exercise(
        id="02.4",
        title="Backprop",
        difficulty=4,
        minutes=11,
        reference=backprop,
        cases=backprop_cases,
        edges=backprop_edges,
        observe=observe_backprop,
        alternatives={
            "zeros first": backprop_get,
            "counting messages": backprop_waiting,
            "in place, into its own arrays": backprop_copies,
        },
        mistakes={
            "the last message wins": Mistake(
                overwrite,
                "`grads[i] = message` forgets what has arrived before: the second consumer of a Value erases the first. "
                "Every consumer pulls at it, and the pulls **add**.",
                overwrite_loop,
            ),
            "the first message wins": Mistake(
                first_message,
                "Only the first message to each Value is kept (`setdefault`, `if i not in grads`). A later consumer has "
                "something to say too: **add** its message.",
                first_message_loop,
            ),
            "every path": Mistake(
                paths,
                "The gradients are right: you handed on each message by itself, path by path. But a ladder of 25 diamonds "
                "has 2^25 paths and 26 Values. Let the messages **meet**: add them up, and fire each Value once.",
                paths_stack,
            ),
            "a node fires twice": Mistake(
                fire_again,
                "A Value that is used twice fires twice here: once when the first message comes, and again, with the "
                "**sum**, when the second does. What it sent first is counted double: that is how the lesson's graph "
                "gives 40 in place of 26. Sort first, then let each Value fire once.",
                fire_again_message,
            ),
            "too early": Mistake(
                too_early,
                "Each Value fires once, but some fire before all their messages are there; what comes later is lost. "
                "The nearest first is not the right order. Use a topological one: `topo` of 02.3.",
                too_early_order,
            ),
            "a shared array": Mistake(
                shared_array,
                "For `+` both messages are **the same array**. `grads[i] += message` writes into it, and so changes the "
                "gradient of another Value. `grads[i] = grads[i] + message` makes a new one.",
                shared_array_add,
            ),
            "state between two calls": Mistake(kept_state, STATE, kept_state_again),
            "not only leaves": Mistake(
                all_values,
                "The gradients are right, but the dict holds those of all Values. Give back the leaves only: the Values "
                "without inputs.",
                all_values_again,
            ),
            "nothing has arrived": Mistake(
                nothing_at_root,
                "A Value fires at which nothing has arrived: there is no entry for it. Does a 1 stand at root before the "
                "walk begins? And does the order begin with root, and not with the leaves?",
                leaves_first,
            ),
            "it starts with the value": Mistake(
                never_one,
                "All gradients are too large by the factor `root.data`. What stands at the root is the slope of root with "
                "respect to itself: 1.",
                never_one_again,
            ),
        },
        hints=(
            "Three lines of thought. What stands at the root before anything fires? In which order do the Values fire? "
            "And what happens to a message that arrives where one is already?",
            "The upper row of the lesson's first picture is what the loop does. One dict holds the number in each circle. "
            "In each round one Value fires: `value.fire(grads[value])` gives the pairs (input, message), and each message "
            "is **added** to the number of its input.",
            "```python\ndef backprop(root):\n    grads = {root: ___}\n    for value in topo(root):\n"
            "        for i, message in value.fire(grads[value]):\n            if i in grads:\n"
            "                grads[i] = ___\n            else:\n                grads[i] = ___\n"
            "    return {value: g for value, g in grads.items() if ___}\n```",
        ),
        explanation="""\
That is a backward pass, whole. The same loop stands in the middle of minigrad and of PyTorch; what they add are
hooks, checks and bookkeeping.

* **1 at the root:** it moves as much as it moves itself.
* **In topological order:** when a Value's turn comes, all its consumers have fired, so its sum is complete. Each Value
  fires once, and the work grows with the number of arrows, not of paths.
* **Adding:** a change of a Value reaches the root through each of its consumers, and the effects add.
* **A dict of its own:** gradients belong to the pass, not to the graph. So the function can be called again.
* **A new array for each sum:** `+` sends one and the same array to both inputs. Who writes into it changes both.
  minigrad adds in place too, because it is faster, but only into arrays that it has made itself.

Where each Value has one consumer, nothing needs to be added, and nobody needs to wait for a second message. That is
why a test on a tree finds so few mistakes.
""",
    )
)


# --- 02.5 Bug hunter ----------------------------------------------------------------------------------------


ENGINES = {"A": engine_A, "B": engine_B, "C": engine_C, "D": engine_D, "E": engine_E}
FEWEST = {"A": 1, "B": 2, "C": 3, "D": 2, "E": 2}  # operations; a test tries all smaller expressions


class Witness:
    """For each engine, the smallest expression for which its gradients are wrong. a and b: Values, arrays of shape (3,)."""

    @staticmethod
    def A(a, b):
        """Convicts engine_A. Returns a Value made from a and b."""
        return a + a

    @staticmethod
    def B(a, b):
        """Convicts engine_B."""
        s = a * b
        return s + s

    @staticmethod
    def C(a, b):
        """Convicts engine_C."""
        s = a * b
        return s * s.exp()

    @staticmethod
    def D(a, b):
        """Convicts engine_D."""
        return a.exp() * b

    @staticmethod
    def E(a, b):
        """Convicts engine_E."""
        return (a + b) + a


WITNESS_STARTER = '''\
class Witness:
    """For each engine, the smallest expression for which its gradients are wrong. a and b: Values, arrays of shape (3,)."""

    @staticmethod
    def A(a, b):
        """Convicts engine_A. Returns a Value made from a and b."""
        ...

    @staticmethod
    def B(a, b):
        """Convicts engine_B."""
        ...

    @staticmethod
    def C(a, b):
        """Convicts engine_C."""
        ...

    @staticmethod
    def D(a, b):
        """Convicts engine_D."""
        ...

    @staticmethod
    def E(a, b):
        """Convicts engine_E."""
        ...
'''


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


def with_witness(**methods: Callable[..., Any]) -> type:
    """The reference with other expressions in some places."""
    return type("Witness", (Witness,), {name: staticmethod(method) for name, method in methods.items()})


def operations_of(root: Any) -> list[Any]:
    return [value for value in everything_behind(root) if value.inputs]


def uses_of(root: Any) -> dict[Any, int]:
    """For each Value behind root, how many arrows lead to it."""
    uses: dict[Any, int] = {}
    for value in operations_of(root):
        for i in value.inputs:
            if i is not None:
                uses[i] = uses.get(i, 0) + 1
    return uses


def is_convicted(engine: Callable[[Any], dict[Any, Any]], root: Any) -> bool:
    """Whether the engine's gradient at some leaf differs from the right one."""
    right: dict[Any, Any] = {root: np.ones_like(root.data)}
    for value in topo(root):
        for i, message in value.fire(right[value]):
            right[i] = right.get(i, 0) + message
    found = engine(root)
    return any(not np.allclose(found.get(value, 0), g, rtol=1e-6) for value, g in right.items() if not value.inputs)


def shares_an_array(root: Any) -> bool:
    """Whether some operation sends one and the same array to two Values."""
    sent = [value.fire(np.ones_like(value.data)) for value in operations_of(root)]
    return any(len(pairs) == 2 and pairs[0][0] is not pairs[1][0] and pairs[0][1] is pairs[1][1] for pairs in sent)


def judged(letter: str, root: Any) -> str:
    """What an expression is worth against an engine, in a few words: where it fails, what it lacks."""
    size, operations = len(operations_of(root)), operations_of(root)
    if is_convicted(ENGINES[letter], root):
        return "convicted" if size <= FEWEST[letter] else "convicted, but there is a smaller expression"
    if letter == "D":
        return "not convicted: one operation" if size <= 1 else "not convicted"
    uses = [[value for value in operations if i in value.inputs] for i in everything_behind(root)]
    twice = [i for i, count in uses_of(root).items() if count > 1]
    if not twice:
        return "not convicted: nothing is used twice"
    if letter in "BC" and not any(i.inputs for i in twice):
        return "not convicted: only leaves are used twice"
    if letter == "C" and all(len(consumers) < 2 for i, consumers in zip(everything_behind(root), uses, strict=True) if i.inputs):
        return "not convicted: both messages come from one operation"
    if letter == "E" and not shares_an_array(root):
        return "not convicted: no array is shared"
    return "not convicted"


def observe_witness(answer: Any, letter: str, a: Any, b: Any) -> Any:
    method = getattr(answer, letter)
    root = method(Value(a), Value(b))
    if root is None and unwritten(method):
        root = ...
    if root is ... or root is None:
        return {f"Witness.{letter}": root}
    if not isinstance(root, Value):
        return unfit(root, f"from Witness.{letter}: a Value made from a and b")
    if any(not value.inputs and value.data is not a and value.data is not b for value in everything_behind(root)):
        return {f"Witness.{letter}": "asked about another leaf than a and b. Make the expression from these"}
    return {f"Witness.{letter}": judged(letter, root)}


def say_witness(case: Case, got: Any, expected: Any) -> str | None:
    letter = case.args[0]
    verdict = got[f"Witness.{letter}"]
    if verdict == "convicted":
        return None
    if verdict is ... or verdict is None:
        return f"Witness.{letter} " + ("is still `...`" if verdict is ... else "returned None. Did you forget `return`?")
    return f"Witness.{letter}: engine_{letter} is {verdict}."


def witness_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    precision = np.float32 if dtype is mg.float32 else np.float64

    def array() -> Array:
        return rng.uniform(0.4, 1.6, 3).astype(precision)

    return [Case(f"{letter}: engine_{letter}", (letter, array(), array())) for letter in ENGINES]


TREE = (
    "In your expression nothing is used twice: it is a tree. Each Value gets one message, so there is nothing to add and "
    "nothing to wait for. **Trees cannot show an accumulation bug.** Use something twice."
)
LEAVES_ONLY = (
    "A leaf is used twice, but leaves hand nothing on: for them it does not matter when a message comes. Use the "
    "**result** of an operation twice. (Who writes `a * b` twice makes two Values, each used once: give the result a name.)"
)


def small_mistake(letter: str, first: Callable[..., Any], again: Callable[..., Any], hint: str) -> Mistake:
    return Mistake(with_witness(**{letter: first}), f"engine_{letter}: {hint}", with_witness(**{letter: again}))


def far_too_large(a, b):
    """Convicts every engine."""
    s = (a.exp() + b).exp()
    return (s * (s.exp() + b) + (a + b)) + a


WITNESS_MISTAKES = {
    f"{letter}: {name}": small_mistake(letter, first, again, hint)
    for name, letters, first, again, hint in (
        ("one operation", "ABCE", lambda a, b: a * b, lambda a, b: b.exp(), TREE),
        ("a tree", "ABCE", lambda a, b: (a * b).exp() * 2, lambda a, b: a.exp() * b.exp(), TREE),
        ("only leaves are used twice", "BC", lambda a, b: a * a, lambda a, b: (a + b) * b, LEAVES_ONLY),
        (
            "too large",
            "ABCDE",
            far_too_large,
            lambda a, b: far_too_large(b, a * b),
            "the engine is convicted, but a smaller expression can do it too. Take away operations as long as the "
            "gradients stay wrong.",
        ),
    )
    for letter in letters
} | {
    "C: the long way first": small_mistake(
        "C",
        lambda a, b: (s := a * b).exp() * s,
        lambda a, b: (s := a + b) * 2 + s,
        "you are close: a result is used on a short way and on a long one. The engine lets the inputs wait in line in the "
        "order of `inputs`. Which of the two must come first, so that the shared Value fires too early?",
    ),
    "C: both ways are short": small_mistake(
        "C",
        lambda a, b: (s := a * b) * s,
        lambda a, b: (s := a + b) + s,
        "both messages to your shared Value come from one and the same operation, so they are both there when it fires. "
        "Let one of them come by a **longer** way.",
    ),
    "D: one operation": small_mistake(
        "D",
        lambda a, b: a * b,
        lambda a, b: b.exp(),
        "this engine hands on slopes, and forgets to multiply by what has arrived. At the root 1 has arrived, so with one "
        "operation it is right. Put an operation **behind** the root.",
    ),
    "D: what arrives is 1": small_mistake(
        "D",
        lambda a, b: a * b + a.exp(),
        lambda a, b: (a * b) + 2,
        "this engine forgets to multiply by what has arrived. Behind an addition 1 arrives, and a factor of 1 is not "
        "missed. Let the last operation be one whose slope is **not** 1.",
    ),
    "E: no array is shared": small_mistake(
        "E",
        lambda a, b: (s := a * b) * s,
        lambda a, b: (a + a) * b,
        "here no array is held by two Values, so it does no harm to write into it. Which operation sends **the same array** "
        "to both of its inputs? And these inputs must be two different Values.",
    ),
    "E: too late": small_mistake(
        "E",
        lambda a, b: (a + b) * a,
        lambda a, b: b * (b + a),
        "you are close: a `+` sends one array to two Values. But when it comes, one of them has an array of its own "
        "already, and adds into that. The shared array must come **first**, and another message for one of the two later.",
    ),
}

register(
    Exercise(
        id="02.5",
        title="Bug hunter",
        difficulty=4,
        minutes=8,
        points=5,
        reference=Witness,
        starter=WITNESS_STARTER,
        cases=witness_cases,
        without={
            "edges": "the leaves are arrays of three numbers, and what counts is the expression",
        },
        observe=observe_witness,
        accept=say_witness,
        alternatives={"other expressions": OtherWitness},
        mistakes=WITNESS_MISTAKES,
        hints=(
            "Read each engine, and find the line that differs from a right one. Then ask: what must a graph have so that "
            "this line matters? Something used twice? A result used twice? Two ways of different length? A slope that "
            "is not 1? One array in two places?",
            "```text\n A  one Value, two messages        B  a result, two messages, something behind it\n"
            " C  a short way and a long way     D  a slope that is not 1, and something behind it\n"
            " E  + sends one array to both;     then one of them gets a second message\n```\n\n"
            "The smallest have 1, 2, 3, 2 and 2 operations.",
            "```python\nA:  return a + ___\nB:  s = a * b\n    return s + ___\n"
            "C:  s = a * b\n    return s * ___        # the long way second\nD:  return a.exp() * ___\n"
            "E:  return (a + b) + ___\n```",
        ),
        explanation="""\
| engine | the bug | the smallest witness | why no smaller one |
|---|---|---|---|
| A | the last message wins | `a + a` | one operation; without it there is no graph |
| B | a Value fires at every message, with the sum so far | `s = a * b; s + s` | leaves hand nothing on: use a **result** twice |
| C | nearest to the root first | `s = a * b; s * s.exp()` | two ways of different length need an operation between them |
| D | hands on slopes, without what has arrived | `a.exp() * b` | at the root 1 has arrived, and 1 is not missed |
| E | adds into an array that two Values share | `(a + b) + a` | a `+`, and a second message to one of its inputs |

Four of the five are right on every tree, and a tree is what comes to mind first when one writes a test. So test an
engine with reuse, with ways of different lengths, with slopes that are not 1, and with arrays.

For C it matters which input comes first: `s.exp() * s` gives the right gradients, by luck. A test that is to find
such a bug turns its expressions round too.
""",
    )
)


# --- 02.6 Which way is cheaper? -----------------------------------------------------------------------------


def cost(sizes, mode):
    """How many multiplications it takes to multiply the tables of slopes of a chain of steps.

    sizes: how many numbers there are before the first step, between the steps, and after the last.
    mode: "forward", "reverse" or "best". Returns an int.
    """
    n, steps = sizes, len(sizes) - 1
    if mode == "forward":
        return sum(n[i + 1] * n[i] * n[0] for i in range(1, steps))
    if mode == "reverse":
        return sum(n[-1] * n[i + 1] * n[i] for i in range(steps - 1))
    price = {(i, i + 1): 0 for i in range(steps)}  # of all tables from place i to place j, multiplied
    for length in range(2, steps + 1):
        for i in range(steps - length + 1):
            j = i + length
            price[i, j] = min(price[i, k] + price[k, j] + n[j] * n[k] * n[i] for k in range(i + 1, j))
    return price[0, steps]


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


def cost_tables(sizes, mode):
    """Multiplies tables of nothing but their shapes."""
    shapes = [(rows, columns) for columns, rows in zip(sizes, sizes[1:], strict=False)]

    def times(left, right):
        return left[0] * left[1] * right[1], (left[0], right[1])

    def cheapest(tables):
        if len(tables) == 1:
            return 0, tables[0]
        ways = []
        for k in range(1, len(tables)):
            (first, right), (second, left) = cheapest(tables[:k]), cheapest(tables[k:])
            price, shape = times(left, right)
            ways.append((first + second + price, shape))
        return min(ways)

    if mode == "best":
        return cheapest(shapes)[0]
    total, done = 0, shapes[0] if mode == "forward" else shapes[-1]
    for table in shapes[1:] if mode == "forward" else shapes[-2::-1]:
        price, done = times(table, done) if mode == "forward" else times(done, table)
        total += price
    return total


def bracketing(price: Callable[[int, int, int], int]) -> Callable[..., int]:
    """`cost` with another price for the product of a table (p, q) with a table (q, r)."""

    def answer(sizes, mode):
        def best(i, j):
            if j - i < 2:
                return 0
            ks = {"forward": [j - 1], "reverse": [i + 1], "best": range(i + 1, j)}[mode]
            return min(best(i, k) + best(k, j) + price(sizes[j], sizes[k], sizes[i]) for k in ks)

        return best(0, len(sizes) - 1)

    return answer


def instead(mode: str, other: Callable[..., Any]) -> Callable[..., Any]:
    """`cost`, but another answer for one of the modes."""
    return lambda sizes, wanted: other(sizes) if wanted == mode else cost(sizes, wanted)


def neighbours(sizes):
    return sum(a * b * c for a, b, c in zip(sizes, sizes[1:], sizes[2:], strict=False))


def neighbours_again(sizes):
    return sum(sizes[k - 1] * sizes[k] * sizes[k + 1] for k in range(1, len(sizes) - 1))


def greedy(sizes):
    """The cheapest product first, again and again."""
    left, total = list(sizes), 0
    while len(left) > 2:
        prices = [left[k - 1] * left[k] * left[k + 1] for k in range(1, len(left) - 1)]
        k = int(np.argmin(prices))
        total += prices[k]
        del left[k + 1]
    return total


def greedy_again(sizes):
    left, total = list(sizes), 0
    while len(left) > 2:
        price, k = min((left[k - 1] * left[k] * left[k + 1], k) for k in range(1, len(left) - 1))
        total, left = total + price, left[:k] + left[k + 1 :]
    return total


def largest_first(sizes):
    """The largest number of the inside goes first."""
    left, total = list(sizes), 0
    while len(left) > 2:
        k = 1 + int(np.argmax(left[1:-1]))
        total += left[k - 1] * left[k] * left[k + 1]
        del left[k]
    return total


def largest_first_again(sizes):
    left, total = list(sizes), 0
    while len(left) > 2:
        k = max(range(1, len(left) - 1), key=lambda k: (left[k], -k))
        total += left.pop(k) * left[k - 1] * left[k]
    return total


MODES = ("forward", "reverse", "best")
BETWEEN = [6, 30, 5, 24, 2, 18, 7]  # a bottleneck in the middle: neither end is the place to begin


def is_telling(sizes: list[int]) -> bool:
    """Whether every wrong way to find the best bracketing gives another number than the right one."""
    best, wrong = cost(sizes, "best"), (greedy(sizes), largest_first(sizes), cost(sizes, "forward"), cost(sizes, "reverse"))
    return best not in wrong and len(set(wrong)) == len(wrong)


def cost_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def some(count: int, low: int = 2, high: int = 12) -> list[int]:
        return [int(n) for n in rng.choice(np.arange(low, high), count, replace=False)]

    def telling() -> list[int]:
        while not is_telling(sizes := some(7, 2, 40)):
            pass
        return sizes

    many, few = int(rng.integers(500, 900)), some(3, 5, 30)
    chains = {
        "two steps": some(3),
        "many inputs, one output": [many, *few, 1],
        "one input, many outputs": [1, *few, many],
        "five steps": some(6),
    }
    cases = [
        Case(f"{mode}: {label}, sizes {sizes}", (sizes, mode)) for mode in MODES for label, sizes in chains.items()
    ]
    cases += [Case(f"best: narrow in the middle, sizes {s}", (s, "best")) for s in (BETWEEN, telling(), telling())]
    return [*cases, *(Case(f"{mode}: a single step, sizes {few[:2]}", (few[:2], mode)) for mode in MODES)]


def observe_cost(answer: Callable[..., Any], sizes: list[int], mode: str) -> Any:
    returned = answer(list(sizes), mode)
    if isinstance(returned, mg.Tensor | np.ndarray | np.generic) and returned.shape == ():
        returned = returned.item()
    if isinstance(returned, float) and returned == int(returned):
        returned = int(returned)
    if isinstance(returned, bool) or not isinstance(returned, int):
        return unfit(returned, "an int")
    return {"multiplications": returned}


def priced(mode: str, price: Callable[[int, int, int], int], again: Callable[[int, int, int], int], hint: str) -> Mistake:
    def of(price: Callable[[int, int, int], int]) -> Callable[..., Any]:
        return instead(mode, lambda sizes: bracketing(price)(sizes, mode))

    return Mistake(of(price), hint, of(again))


COST_MISTAKES = {
    f"{mode}: {name}": priced(mode, price, again, hint)
    for mode in MODES
    for name, price, again, hint in (
        (
            "additions are counted too",
            lambda p, q, r: p * r * (2 * q - 1),
            lambda p, q, r: p * q * r + p * (q - 1) * r,
            "You counted the additions too. Each entry of a product of tables needs q multiplications (and q - 1 "
            "additions, which are not asked for): p·q·r in all.",
        ),
        (
            "only additions",
            lambda p, q, r: p * (q - 1) * r,
            lambda p, q, r: p * q * r - p * r,
            "You counted additions: q - 1 for each entry. The multiplications are q for each entry: p·q·r in all.",
        ),
        (
            "only the entries",
            lambda p, q, r: p * r,
            lambda p, q, r: r * p,
            "You counted the entries of each product, p·r. Each of them is a sum of **q** products: p·q·r.",
        ),
    )
} | {
    f"{mode}: neighbours": Mistake(
        instead(mode, neighbours),
        f"You multiplied each three neighbours in `sizes`. But a product of tables does not begin where its neighbour does: "
        f"on the way {ends}.",
        instead(mode, neighbours_again),
    )
    for mode, ends in (
        ("forward", "it always has `sizes[0]` columns, because it begins at the input"),
        ("reverse", "it always has `sizes[-1]` rows, because it ends at the output"),
    )
} | {
    "forward: begins at the output": Mistake(
        instead("forward", lambda sizes: cost(sizes, "reverse")),
        "That is reverse. *Forward* begins at the **input**: first step 2 times step 1, then step 3 times that. Every "
        "product on the way has `sizes[0]` columns.",
        instead("forward", lambda sizes: cost_tables(sizes, "reverse")),
    ),
    "reverse: begins at the input": Mistake(
        instead("reverse", lambda sizes: cost(sizes, "forward")),
        "That is forward. *Reverse* begins at the **output**: first the last step times the one before it. Every product "
        "on the way has `sizes[-1]` rows.",
        instead("reverse", lambda sizes: cost_tables(sizes, "forward")),
    ),
    "forward: the first table is multiplied": Mistake(
        instead("forward", lambda sizes: cost(sizes, "forward") + sizes[1] * sizes[0] * sizes[0]),
        "One product too many: the table of the first step is there already, and is multiplied by nothing. A chain of k "
        "steps takes k - 1 products, a single step none.",
        instead("forward", lambda sizes: sum(sizes[0] * a * b for a, b in zip(sizes, sizes[1:], strict=False))),
    ),
    "reverse: the last table is multiplied": Mistake(
        instead("reverse", lambda sizes: cost(sizes, "reverse") + sizes[-1] * sizes[-1] * sizes[-2]),
        "One product too many: the table of the last step is there already, and is multiplied by nothing. A chain of k "
        "steps takes k - 1 products, a single step none.",
        instead("reverse", lambda sizes: sum(sizes[-1] * a * b for a, b in zip(sizes, sizes[1:], strict=False))),
    ),
    "best: always reverse": Mistake(
        instead("best", lambda sizes: cost(sizes, "reverse")),
        "Reverse is best when there are many inputs and few outputs. And with 1 input and 100 outputs?",
        instead("best", lambda sizes: cost_recursive(sizes, "reverse")),
    ),
    "best: always forward": Mistake(
        instead("best", lambda sizes: cost(sizes, "forward")),
        "Forward is best when there are few inputs and many outputs. And with 100 inputs and 1 output?",
        instead("best", lambda sizes: cost_recursive(sizes, "forward")),
    ),
    "best: the better of the two": Mistake(
        instead("best", lambda sizes: min(cost(sizes, "forward"), cost(sizes, "reverse"))),
        "Forward and reverse are two ways of many: one may also begin in the middle. Where the chain is narrow in the "
        "middle, that can be much cheaper than both.",
        instead("best", lambda sizes: sorted(cost_tables(sizes, mode) for mode in MODES[:2])[0]),
    ),
    "best: the cheapest product first": Mistake(
        instead("best", greedy),
        "You take the cheapest product first. That can be a bad beginning: it may leave an expensive one for the end. "
        "Ask instead which product comes **last**, and try them all.",
        instead("best", greedy_again),
    ),
    "best: the largest size first": Mistake(
        instead("best", largest_first),
        "You make the largest size go away first. That is a good guess, but a guess. Ask which product comes **last**, "
        "and try them all.",
        instead("best", largest_first_again),
    ),
}

register(
    Exercise(
        id="02.6",
        title="Which way is cheaper?",
        difficulty=3,
        minutes=7,
        reference=cost,
        cases=cost_cases,
        without={
            "edges": "single steps and sizes of 1 are among the cases",
        },
        observe=observe_cost,
        alternatives={"recursive": cost_recursive, "with shapes of tables": cost_tables},
        mistakes=COST_MISTAKES,
        hints=(
            "Write down the shape of each table: step i has `sizes[i + 1]` rows and `sizes[i]` columns. A product of a "
            "(p, q) table with a (q, r) table costs p·q·r. Then follow the products, one after the other.",
            "Sizes 4, 3, 2, 5, so the tables are (3, 4), (2, 3), (5, 2):\n\n```text\n"
            "forward   (2, 3)·(3, 4) = (2, 4)   24      then  (5, 2)·(2, 4) = (5, 4)   40      together 64\n"
            "reverse   (5, 2)·(2, 3) = (5, 3)   30      then  (5, 3)·(3, 4) = (5, 4)   60      together 90\n```\n\n"
            "For the best one ask which product comes last: it cuts the chain in two parts, at some place k, and each part "
            "is a shorter chain with a best price of its own.",
            "```python\ndef cost(sizes, mode):\n    if len(sizes) <= 2:\n        return 0\n"
            "    if mode == \"forward\":\n        return cost(sizes[:-1], mode) + sizes[-1] * sizes[-2] * ___\n"
            "    if mode == \"reverse\":\n        return cost(sizes[1:], mode) + ___ * sizes[1] * sizes[0]\n"
            "    return min(\n        cost(sizes[: k + 1], mode) + cost(___, mode) + sizes[0] * ___ * sizes[-1]\n"
            "        for k in range(1, len(sizes) - 1)\n    )\n```",
        ),
        explanation="""\
However the brackets are set, the product is the same table. The price is not.

* **Forward** begins at the input. Each product on the way has a column for each **input**: the price grows with
  `sizes[0]`.
* **Reverse** begins at the output. Each product has a row for each **output**: the price grows with `sizes[-1]`. A loss
  is one number, so there is one row, and every step costs no more than its own table has entries. That is why a
  backward pass runs backward.
* **Best** may begin anywhere. The last product cuts the chain in two; each part is again such a chain. With the prices
  of short chains in a table, and longer ones made from them, this takes about k³ steps for a chain of k. Plain recursion
  computes the same prices again and again; for these short chains it does no harm.

Engines do not search for the best: with one output, reverse is hard to beat, and it needs to know nothing in advance.
""",
    )
)
