"""What the exercises of chapter 07 say about their own programs is true, and near misses are judged as they should be."""

from __future__ import annotations

from typing import Any

import pytest
from spellings import ch07 as spelled

import minigrad as mg
from minigrad.course.bank import ch07
from minigrad.course.judge import KNOWN, PASSED, WRONG, judge

pytestmark = pytest.mark.full


def verdict(id: str, answer: Any) -> Any:
    return judge(ch07.EXERCISES[id], answer)


@pytest.mark.parametrize(("rule", "code"), [(rule, code) for rule in ch07.OPERATIONS for code in ch07.OPERATIONS[rule]])
def test_a_second_pass_ends_as_its_rule_says(rule: str, code: str) -> None:
    draw = (("a", rule, code),)
    assert ch07.second_pass(draw) == ch07.second_pass_by_rule(draw)


@pytest.mark.parametrize(("rule", "code"), [(rule, code) for rule in ch07.CALLS for code in ch07.CALLS[rule]])
def test_a_line_of_calls_ends_as_its_rule_says(rule: str, code: str) -> None:
    draw = (("a", rule, code),)
    assert ch07.ends(draw) == ch07.ends_by_rule(draw)


def test_the_third_hints_of_the_predictions_count_right() -> None:
    for id, counts in (("07.1", {"survives": 6, "raises": 8}), ("07.6", {"ok": 3, "freed": 4, "no graph": 2})):
        exercise = ch07.EXERCISES[id]
        for seed in range(5):
            words = list(exercise.reference(exercise.draw(seed)).values())
            assert {word: words.count(word) for word in exercise.words} == counts


def test_a_suitcase_agrees_with_the_attributes_of_the_node() -> None:
    """The way of minigrad and the way that is left for PyTorch."""
    x, y = (mg.tensor([1.0, 2.0, 3.0], requires_grad=True) for _ in range(2))
    for result in (x * y, x * x, mg.exp(x), mg.sin(x), x + y, x.sum(), x[mg.tensor([0, 2])], x**2):
        node = result.grad_fn
        values = [getattr(node, name, None) for name in dir(node) if name.startswith("_saved_")]
        items = [item for value in values for item in (value if isinstance(value, tuple) else (value,))]
        arrays = [item for item in items if isinstance(item, mg.Tensor)]
        assert sorted(size for _, size in ch07.suitcase(node)) == sorted(array.nbytes for array in arrays)
        assert len({place for place, _ in ch07.suitcase(node)}) == len({ch07.place_of(array) for array in arrays})
    result.sum().backward()
    assert ch07.suitcase(result.grad_fn) == []


def test_the_examples_in_the_statements() -> None:
    x = mg.tensor([0.0, 1.0], requires_grad=True)
    g1, g2, both = ch07.three_gradients(x, mg.exp, lambda h: (h**2).sum(), lambda h: 10 * h[0])
    assert [[round(v, 2) for v in g.tolist()] for g in (g1, g2, both)] == [[2.0, 14.78], [10.0, 0.0], [12.0, 14.78]]

    x, y = (mg.tensor([1.0, 2.0, 3.0], requires_grad=True) for _ in range(2))
    assert ch07.saved_bytes((x * y).sum() + mg.sin(x).sum()) == 24

    w, xs = mg.tensor(0.5, requires_grad=True), [mg.tensor(0.3), mg.tensor(-0.2), mg.tensor(0.1)]
    last = ch07.learn(w, mg.tensor(1.0), xs, lambda w, h, x: mg.tanh(w * h + x), lambda h: (h - 3) ** 2)
    assert (round(last.item(), 3), round(w.grad.item(), 2)) == (0.164, -7.08)


def test_the_loop_of_07_4_is_broken_as_it_was_given() -> None:
    w = mg.tensor(0.5, requires_grad=True)
    space: dict[str, Any] = {}
    exec(ch07.LEARN_STARTER, space)
    with pytest.raises(RuntimeError, match="a second time"):
        space["learn"](w, mg.tensor(1.0), [mg.tensor(0.3)] * 3, lambda w, h, x: mg.tanh(w * h + x), lambda h: h**2)


@pytest.mark.parametrize("door", ["twice", "grad_first", "look"])
def test_an_error_of_ones_own_opens_no_door(door: str) -> None:
    def raised(x: Any) -> None:
        raise RuntimeError("Trying to backward through the graph a second time")

    seen = verdict("07.5", ch07.door(door, raised))
    assert seen.outcome in (WRONG, KNOWN)
    assert any("your own raise" in line for line in seen.details)


def test_a_pass_and_an_error_of_ones_own_open_no_door_with_backward() -> None:
    def raised(x: Any) -> None:
        mg.exp(x).sum().backward()
        raise RuntimeError("Trying to backward through the graph a second time")

    assert not verdict("07.5", ch07.door("twice", raised)).passed


def test_a_class_with_one_function_left_open_says_which() -> None:
    open_one = ch07.door("look", lambda x: ...)
    assert not verdict("07.5", open_one).passed
    assert "look" in str(verdict("07.5", open_one).case)


def test_a_mistake_behind_a_right_function_is_named() -> None:
    """Each door is judged for itself, whatever the others do."""

    class Two(ch07.Doors):
        twice = staticmethod(spelled.twice_kept)
        look = staticmethod(ch07.look_too_soon)

    assert verdict("07.5", Two).mistake == "twice: kept or made anew"

    class Another(spelled.DoorsWithV):
        look = staticmethod(ch07.look_too_soon)

    assert verdict("07.5", Another).mistake == "look: too soon"


def test_weights_that_are_counted_right_by_luck_do_not_pass() -> None:
    """Counting entries, or bytes of float32 only."""
    assert not verdict("07.3", lambda root: 4 * root.numel()).passed
    assert not verdict("07.3", lambda root: ch07.saved_bytes(root) // 2).passed


def test_numbers_as_results_of_07_3() -> None:
    assert verdict("07.3", lambda root: float(ch07.saved_bytes(root))).outcome == WRONG
    assert verdict("07.3", lambda root: mg.tensor(ch07.saved_bytes(root))).outcome == PASSED


def test_gradients_without_a_trunk_do_not_pass() -> None:
    def heads_alone(x: Any, trunk: Any, head1: Any, head2: Any) -> Any:
        h = trunk(x).detach().requires_grad_()
        g1, g2 = (mg.autograd.grad(head(h), h)[0] for head in (head1, head2))
        return g1, g2, g1 + g2

    assert verdict("07.2", heads_alone).mistake == "up to h"


def test_the_right_loop_with_another_gradient_does_not_pass() -> None:
    def half(w: Any, h: Any, xs: Any, step: Any, loss_of: Any) -> Any:
        for x in xs:
            h = step(w, h.detach(), x)
            (loss_of(h) / 2).backward()
        return h

    assert verdict("07.4", half).outcome == WRONG


def test_a_tensor_in_the_place_of_its_node_is_told_so() -> None:
    y = mg.exp(mg.tensor([1.0], requires_grad=True))
    with pytest.raises(TypeError, match="y.grad_fn"):
        ch07.suitcase(y)
    assert verdict("07.3", lambda root: sum(size for _, size in ch07.suitcase(root))).mistake == "the tensor for its node"


def test_the_picture_of_07_3_tells_the_bytes_of_the_statement() -> None:
    """Of leaves in the default dtype, as they are given there."""
    x, y = (mg.tensor([1.0, 2.0, 3.0], requires_grad=True) for _ in range(2))
    total = ch07.saved_bytes((x * y).sum() + mg.sin(x).sum())
    assert f" {total} bytes" in ch07.EXERCISES["07.3"].hints[1]


def test_a_limit_of_one_second_is_one_second() -> None:
    assert "than 1 second and" in verdict("07.3", spelled.bytes_without_seen_again).sentence


@pytest.mark.parametrize(("wrong", "came"), [("all", "lists in the place of Tensors"), ("one", "a list among the Tensors")])
def test_lists_of_numbers_are_no_tensors(wrong: str, came: str) -> None:
    def listed(*given: Any) -> Any:
        gradients = [g.clone() for g in ch07.three_gradients(*given)]
        return [g.tolist() if wrong == "all" or k == 2 else g for k, g in enumerate(gradients)]

    assert came in verdict("07.2", listed).sentence


def test_the_walk_goes_on_behind_a_none_that_stands_last() -> None:
    def stops(root: Any) -> int:
        todo, seen, arrays = [root.grad_fn], set(), {}
        while todo and (node := todo.pop()) is not None:
            if node not in seen:
                seen.add(node)
                arrays.update(ch07.suitcase(node))
                todo += [child for child, _ in node.next_functions]
        return sum(arrays.values())

    assert verdict("07.3", stops).case == "the last edge leads to None"


def test_retain_graph_is_seen_where_it_does_nothing() -> None:
    class Doors(ch07.Doors):
        @staticmethod
        def grad_first(x: Any) -> None:
            y = mg.exp(x).sum()
            mg.autograd.grad(y, x)
            y.backward(retain_graph=True)

    assert verdict("07.5", Doors).details[-1] == "retain_graph: got 'used', expected 'not used'"
