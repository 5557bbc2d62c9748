"""What chapter 02 says about rules, orders, engines and prices is true, and right answers in other styles pass."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases

import minigrad as mg
from minigrad.course.bank import ch02
from minigrad.course.bank.ch02 import Value, common
from minigrad.course.judge import judge
from minigrad.course.showing.render import verdict_text

pytestmark = pytest.mark.full

LESSON = {"d": [("b", 7), ("c", 6)], "c": [("b", 1)], "b": [("a", 2)], "a": []}


def verdict(id: str, answer: Any, **options: Any) -> Any:
    return judge(ch02.EXERCISES[id], answer, **options)


def told(id: str, answer: Any) -> str:
    """All that a learner reads about an answer."""
    return verdict_text(verdict(id, answer), "")


def slope(f: Callable[..., Any], args: list[Any], k: int) -> Any:
    """By central differences, entry by entry."""
    up, down = list(args), list(args)
    up[k], down[k] = args[k] + 1e-6, args[k] - 1e-6
    return (f(*up) - f(*down)) / 2e-6


FORWARD: dict[str, Callable[..., Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b,
    "exp": np.exp,
    "log": np.log,
    "sin": np.sin,
    "pow": lambda a, n: a**n,
}
RULE_CASES = plain_cases(ch02.EXERCISES["02.1"])


@pytest.mark.parametrize("case", RULE_CASES, ids=[case.label for case in RULE_CASES])
def test_the_rules_agree_with_differences(case: Any) -> None:
    name, g, *args = (arg for arg in case.args if arg is not None)
    got = getattr(ch02.Rules, name)(g, *args)
    messages = got if name in ch02.TWO_INPUTS else [got]
    for k, message in enumerate(messages):
        np.testing.assert_allclose(message, g * slope(FORWARD[name], args, k), rtol=1e-7)


def test_with_g_of_one_a_forgotten_g_is_not_noticed() -> None:
    forgotten = [mistake for name, mistake in ch02.EXERCISES["02.1"].mistakes.items() if "g is forgotten" in name]
    assert len(forgotten) == len(FORWARD) == 8  # the explanation counts them
    for mistake, name in zip(forgotten, FORWARD, strict=True):
        args = [1.5, 2.5] if name in (*ch02.TWO_INPUTS, "pow") else [1.5]
        np.testing.assert_allclose(getattr(mistake.answer, name)(1.0, *args), getattr(ch02.Rules, name)(1.0, *args))


@pytest.mark.weekly
def test_messages_may_come_in_other_shapes_and_types() -> None:
    assert "one message in a list, not one by itself" in told("02.1", ch02.with_rules(exp=lambda g, a: [g * np.exp(a)]))
    assert verdict("02.1", ch02.with_rules(add=lambda g, a, b: np.array([g, g]))).passed
    two = ch02.with_rules(pow=lambda g, a, n: (g * n * a ** (n - 1), None))
    assert "2 messages in a tuple, not one by itself" in told("02.1", two)
    assert "Input: g = " in told("02.1", ch02.with_rules(log=lambda g, a: 7.0 * a))
    assert "one message, not two" in told("02.1", ch02.with_rules(add=lambda g, a, b: (g,)))
    assert "one message, not two" in told("02.1", ch02.with_rules(sub=lambda g, a, b: g))
    assert "Did you forget return?" in told("02.1", ch02.with_rules(log=lambda g, a: print()))


# --- orders ---------------------------------------------------------------------------------------------------------


def by_definition(order: list[str], sends: dict[str, list[str]]) -> bool:
    """The rule itself, played through."""
    fired: list[str] = []
    for name in order:
        if name not in sends or name in fired or any(name in sends[other] and other not in fired for other in sends):
            return False
        fired.append(name)
    return len(fired) == len(sends)


@pytest.mark.weekly
def test_an_order_is_legal_as_the_rule_says() -> None:
    rng = np.random.default_rng(1)
    for _ in range(40):
        sends = ch02.random_sends(rng, 5)
        legal = [order for order in itertools.permutations(sends) if ch02.is_legal(list(order), sends)]
        assert legal == [order for order in itertools.permutations(sends) if by_definition(list(order), sends)]
        assert tuple(ch02.legal_order(rng, sends)) in legal


def test_what_is_wrong_with_an_order_is_said() -> None:
    graph = ch02.LESSON_GRAPH
    assert "d b c a, and c sends to b" in ch02.why_not(["d", "b", "c", "a"], graph)
    assert "c never fires" in ch02.why_not(["d", "b", "a"], graph)
    assert "b fires twice" in ch02.why_not(["d", "c", "b", "b", "a"], graph)
    assert "no node z" in ch02.why_not(["d", "c", "b", "a", "z"], graph)
    assert "d → b, d → c, c → b, b → a" in ch02.why_not(["d", "c", "b", "a"], graph)
    assert "You said True" in told("02.2", lambda order, sends: True)
    assert "What is wanted is True or False" in told("02.2", lambda order, sends: len(order))


@pytest.mark.parametrize("rule", ["pow: n is forgotten", "pow: precedence", "pow: the exponent moves"])
def test_powers_in_a_hint_are_not_bold(rule: str) -> None:
    assert "**" in verdict_text(verdict("02.1", ch02.EXERCISES["02.1"].mistakes[rule].answer), "")


def behind(root: Value) -> list[Value]:
    return ch02.everything_behind(root)


def removing_ready(root: Value) -> tuple[Value, ...]:
    consumers: dict[Value, set[Value]] = {root: set()}
    todo = [root]
    for value in todo:
        for i in value.inputs:
            if i is not None:
                if i not in consumers:
                    consumers[i] = set()
                    todo.append(i)
                consumers[i].add(value)
    order, ready = [], [root]
    while ready:
        value = ready.pop(0)
        order.append(value)
        for i in set(value.inputs) - {None}:
            consumers[i].discard(value)
            if not consumers[i]:
                ready.append(i)
    return tuple(order)


def moving_back(root: Value) -> list[Value]:
    """Every Value that is met again goes to the end of the list."""
    order = dict.fromkeys([root])
    place = [root]
    while place:
        value = place.pop()
        for i in value.inputs:
            if i is not None:
                order.pop(i, None)
                order[i] = None
                place.append(i)
    return list(order)


def test_other_styles_of_sorting() -> None:
    assert verdict("02.3", removing_ready).passed
    assert verdict("02.3", moving_back).mistake == "every path, tidied at the end"


@pytest.mark.sampled(6, weekly=3)
@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda root: print(), "topo returned None"),
        (lambda root: iter([root]), "What is wanted is a list of Values"),
        (lambda root: [value.data for value in behind(root)], "something in the list that is no Value"),
        (lambda root: [*ch02.topo(root), Value(1.0)], "not behind root"),
        (lambda root: ch02.topo(root)[:2] + ch02.topo(root)[3:], "Values are missing"),
        (lambda root: [root], "Values are missing"),
    ],
)
def test_what_is_wrong_with_a_list_is_said(answer: Any, text: str) -> None:
    assert text in told("02.3", answer)


def test_the_checker_does_not_ask_for_one_order() -> None:
    rng = np.random.default_rng(3)

    def by_chance(root: Value) -> list[Value]:
        consumers = dict.fromkeys(behind(root), 0)
        for value in consumers:
            for i in value.inputs:
                if i is not None:
                    consumers[i] += 1
        ready, order = [root], []
        while ready:
            value = ready.pop(int(rng.integers(len(ready))))
            order.append(value)
            for i in value.inputs:
                if i is not None:
                    consumers[i] -= 1
                    if not consumers[i]:
                        ready.append(i)
        return order

    assert verdict("02.3", by_chance).passed


# --- backprop -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ch02.GRAPHS.values())
def test_the_backward_pass_agrees_with_minigrad(text: str) -> None:
    graph = ch02.expression(text, np.random.default_rng(5), (3,) if "sum" in text else ())
    leaves = {name: mg.tensor(graph[name].data, dtype=mg.float64, requires_grad=True) for name in "ab"}
    space: dict[str, Any] = dict(leaves)
    exec(text, space)
    space["L"].backward()
    found = ch02.backprop(graph["L"])
    for name, leaf in leaves.items():
        if leaf.grad is None:
            assert graph[name] not in found
        else:
            np.testing.assert_allclose(found[graph[name]], leaf.grad.numpy())


@pytest.mark.parametrize("seed", range(3))
def test_the_backward_pass_agrees_with_differences(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = ch02.random_graph(np.random.default_rng(seed), 10)
    found = ch02.backprop(graph["L"])

    def result(name: str, k: int, step: float) -> float:
        """The same program on minigrad's tensors, with one number moved."""
        names = iter("abc")

        def leaf(data: np.ndarray) -> Any:
            moved = data.copy()
            moved[k] += step if next(names) == name else 0.0
            return mg.tensor(moved)

        monkeypatch.setattr(common, "Value", leaf)
        return ch02.random_graph(np.random.default_rng(seed), 10)["L"].item()

    for name in "abc":
        for k in range(3):
            difference = (result(name, k, 1e-6) - result(name, k, -1e-6)) / 2e-6
            np.testing.assert_allclose(found[graph[name]][k], difference, rtol=1e-6, atol=1e-8)


def with_lists(root: Value) -> dict[Value, Any]:
    """All messages are kept, and added when a Value's turn comes."""
    came: dict[Value, list[Any]] = {value: [] for value in ch02.topo(root)}
    came[root].append(np.float64(1))
    grads = {}
    for value in came:
        grads[value] = np.sum(came[value], axis=0)
        for i, message in value.fire(grads[value]):
            came[i].append(message)
    return {leaf: g for leaf, g in grads.items() if not len(leaf.inputs)}


def in_place_into_copies(root: Value) -> dict[Value, Any]:
    grads: dict[Value, Any] = {root: 1.0}
    for value in ch02.topo(root):
        for i, message in value.fire(grads[value]):
            if i in grads:
                grads[i] += message
            else:
                grads[i] = np.array(message)
    return {value: g for value, g in grads.items() if not value.inputs}


@pytest.mark.parametrize("answer", [with_lists, in_place_into_copies])
def test_other_styles_of_the_backward_pass(answer: Any) -> None:
    for dtype in ("float64", "float32"):
        found = verdict("02.4", answer, dtype=dtype)
        assert found.passed, found


def test_what_is_wrong_with_gradients_is_said() -> None:
    assert "What is wanted is a dict {leaf: gradient}" in told("02.4", lambda root: list(ch02.backprop(root)))
    assert "the gradient of a" in told("02.4", lambda root: {})
    by_data = told("02.4", lambda root: {str(leaf.data): g for leaf, g in ch02.backprop(root).items()})
    assert "missing" in by_data
    kept: dict[Value, Any] = {}

    def lives_on(root: Value) -> dict[Value, Any]:
        kept.update(ch02.backprop(root))
        return kept

    assert "a dict that lives on" in told("02.4", lives_on)


def test_a_recursive_sort_will_do_for_the_backward_pass() -> None:
    """The statement of 02.4 speaks of no depth; that of 02.3 does."""

    def answer(root: Value) -> dict[Value, Any]:
        grads: dict[Value, Any] = {root: 1.0}
        for value in ch02.recursive(root):
            for i, message in value.fire(grads[value]):
                grads[i] = grads[i] + message if i in grads else message
        return ch02.leaves_only(grads)

    assert verdict("02.4", answer).passed
    assert "got 'missing'" in told("02.4", lambda root: answer(root) if root.inputs else {})


def test_what_a_second_call_finds_is_told_as_such() -> None:
    seen: set[Any] = set()

    def sort(root: Value) -> list[Value]:
        order = [value for value in ch02.topo(root) if value not in seen]
        seen.update(order)
        return order

    def legal(order: list[str], sends: dict[str, list[str]]) -> bool:
        known = seen & set(order)
        seen.update(order)
        return not known and ch02.is_legal(order, sends)

    assert "The first call is right, a second one on the same graph is not" in told("02.3", sort)
    assert "You said True, and when asked the same once more, False" in told("02.2", legal)


@pytest.mark.parametrize("wrong", [lambda g, a: (g * np.exp(a),), lambda g, a: [g * np.exp(a)]])
def test_one_message_comes_by_itself(wrong: Any) -> None:
    assert "one message in a" in told("02.1", ch02.with_rules(exp=wrong))


# --- broken engines -------------------------------------------------------------------------------------------------


def programs(size: int, values: list[Value]) -> Iterator[Value]:
    """Every expression of so many operations, each made from the leaves, a constant and what came before."""
    if size == 0:
        yield values[-1]
        return
    for x in values:
        results = [x.exp(), x * 2.0, x + 2.0]
        for y in values:
            results += [x + y, x - y, x * y]
        for result in results:
            yield from programs(size - 1, [*values, result])


@pytest.mark.parametrize("letter", ch02.ENGINES)
@pytest.mark.sampled(1, weekly=4)
def test_no_smaller_expression_convicts(letter: str) -> None:
    rng = np.random.default_rng(2)
    a, b = Value(rng.uniform(0.5, 1.5, 3)), Value(rng.uniform(0.5, 1.5, 3))
    fewest = ch02.FEWEST[letter]
    for size in range(1, fewest):
        assert not any(ch02.is_convicted(ch02.ENGINES[letter], root) for root in programs(size, [a, b]))
    assert any(ch02.is_convicted(ch02.ENGINES[letter], root) for root in programs(fewest, [a, b]))


@pytest.mark.weekly
def test_every_expression_that_convicts_with_few_operations_passes() -> None:
    rng = np.random.default_rng(4)
    a, b = Value(rng.uniform(0.5, 1.5, 3)), Value(rng.uniform(0.5, 1.5, 3))
    for letter in "ABDE":
        for root in programs(ch02.FEWEST[letter], [a, b]):
            right = ch02.is_convicted(ch02.ENGINES[letter], root) and len(ch02.operations_of(root)) <= ch02.FEWEST[letter]
            assert (ch02.judged(letter, root) == "convicted") == right


def test_what_a_witness_may_be() -> None:
    assert "what is wanted is" in told("02.5", ch02.with_witness(A=lambda a, b: a.data + a.data)).lower()
    assert "Did you forget return" in told("02.5", ch02.with_witness(C=lambda a, b: print()))
    assert verdict("02.5", ch02.with_witness(A=lambda a, b: b)).mistake == "A: one operation"
    assert verdict("02.5", ch02.with_witness(D=lambda a, b: (a * a) * b)).passed
    assert verdict("02.5", ch02.with_witness(C=lambda a, b: (a * b).exp() * a)).mistake == "C: only leaves are used twice"


# --- prices ---------------------------------------------------------------------------------------------------------


def bracketings(tables: list[tuple[int, int]]) -> Iterator[tuple[int, tuple[int, int]]]:
    """The price and the shape of the product, for every way to set the brackets. The first table is the leftmost."""
    if len(tables) == 1:
        yield 0, tables[0]
    for k in range(1, len(tables)):
        for left_price, (p, q) in bracketings(tables[:k]):
            for right_price, (_, r) in bracketings(tables[k:]):
                yield left_price + right_price + p * q * r, (p, r)


def test_the_best_price_is_the_least_of_all() -> None:
    rng = np.random.default_rng(6)
    for count in range(2, 8):
        sizes = [int(n) for n in rng.integers(1, 30, count)]
        tables = [(rows, columns) for columns, rows in itertools.pairwise(sizes)][::-1]
        prices = [price for price, _ in bracketings(tables)]
        assert ch02.cost(sizes, "best") == min(prices)
        assert {ch02.cost(sizes, "forward"), ch02.cost(sizes, "reverse")} <= set(prices)


def test_the_prices_in_the_text() -> None:
    prices = {mode: ch02.cost([4, 3, 2, 5], mode) for mode in ch02.MODES}
    assert prices == {"forward": 64, "reverse": 90, "best": 64}
    assert [ch02.cost([1000, 200, 50, 1], mode) for mode in ch02.MODES[:2]] == [10_050_000, 210_000]
    assert [ch02.cost([1, 50, 200, 1000], mode) for mode in ch02.MODES[:2]] == [210_000, 10_050_000]


def test_every_chain_of_the_checker_is_short_enough_and_the_hard_ones_are_telling() -> None:
    for seed in range(20):
        cases = plain_cases(ch02.EXERCISES["02.6"], seed)
        assert max(len(case.args[0]) for case in cases) <= 7  # as the statement says
    assert ch02.is_telling(ch02.BETWEEN) and ch02.is_telling(ch02.TWICE)
    assert ch02.split_once(ch02.TWICE) > ch02.cost(ch02.TWICE, "best")


# --- the lesson -----------------------------------------------------------------------------------------------------


def test_the_picture_says_what_arrives() -> None:
    pytest.importorskip("matplotlib")
    picture = ch02.firings("dcba", "dbcb", slopes=LESSON)
    heading, *rows = str(picture).splitlines()
    assert [row.rpartition(" ")[2] for row in rows] == ["26.", "40."]
    # The first line stands beside a folded picture: it must not tell what the picture shows.
    assert "26" not in heading
    written = [text.get_text() for ax in picture.axes for text in ax.texts]
    assert {"d, c, b, a: 26 at a, right", "d, b, c, b: 40 at a, wrong (26 is right)"} <= set(written)
    early = ch02.firings("dbca", slopes=LESSON)
    assert str(early).endswith("at a: 14.") and "c fires:\n6 is lost" in [text.get_text() for ax in early.axes for text in ax.texts]
    assert not any("lost" in text for text in written)
    assert ch02.bars({"here": 2_000_000, "there": 3}).png().startswith(b"\x89PNG")


def test_the_input_of_a_rule_bears_the_names_of_the_rule() -> None:
    wrong = type("Rules", (ch02.EXERCISES["02.1"].reference,), {"pow": staticmethod(lambda g, a, n: g)})
    assert ", n = 3" in told("02.1", wrong)
