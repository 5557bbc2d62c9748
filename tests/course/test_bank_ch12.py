"""What the exercises of chapter 12 say about their own programs and rules is true, line by line."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from course_bank import plain_cases
from spellings import ch12 as spelled

import minigrad as mg
from minigrad.course.bank import ch12
from minigrad.course.judge import ERROR, KNOWN, PASSED, judge
from minigrad.course.showing.render import verdict_text

pytestmark = pytest.mark.full

CHAPTER = Path(__file__).parents[2] / "chapters" / "12-views.py"


def lines(table: dict[str, list[str]]) -> list[tuple[str, str]]:
    return [(rule, code) for rule in table for code in table[rule]]


@pytest.mark.parametrize(("rule", "code"), lines(ch12.KINDS))
def test_a_line_makes_what_its_rule_says(rule: str, code: str) -> None:
    draw = (("a", rule, code),)
    assert ch12.kinds(draw) == ch12.kinds_by_rule(draw)


@pytest.mark.parametrize(("rule", "code"), lines(ch12.FORBIDDEN))
def test_a_block_ends_as_its_rule_says(rule: str, code: str) -> None:
    draw = (("a", rule, code),)
    assert ch12.verdicts(draw) == ch12.verdicts_by_rule(draw)


@pytest.mark.parametrize(("rule", "code"), [(r, c) for r, c in lines(ch12.FORBIDDEN) if r in ch12.FORBIDDEN_WORDS])
def test_a_refused_write_has_changed_nothing(rule: str, code: str) -> None:
    space: dict[str, Any] = {"mg": mg}
    exec(ch12.FORBIDDEN_SETUP, space)
    with pytest.raises(RuntimeError):
        exec(code, space)
    assert [space[name].tolist() for name in "xyk"] == [[1.0] * 4, [2.0] * 4, [0.0] * 4]


def test_all_programs_of_the_predictions_agree_with_their_rules() -> None:
    for id, by_rule in (("12.4", spelled.slopes_by_rule), ("12.5", ch12.grads_by_rule)):
        exercise = ch12.EXERCISES[id]
        programs = set()
        for seed in range(30):
            draw = exercise.draw(seed)
            programs.add(exercise.program(draw))
            assert exercise.reference(draw) == by_rule(draw)
        assert len(programs) == 30


def test_the_third_hints_count_right() -> None:
    for seed in range(5):
        kinds = list(ch12.kinds(ch12.EXERCISES["12.1"].draw(seed)).values())
        assert kinds.count("view") == 6
        verdicts = list(ch12.verdicts(ch12.EXERCISES["12.6"].draw(seed)).values())
        assert sorted(verdicts) == sorted([*ch12.WORDS, "ok", "ok", "ok"])
        grads = [tuple(g) for g in ch12.grads(ch12.EXERCISES["12.5"].draw(seed)).values()]
        assert sum(g[2:] == (0, 0) for g in grads) == 2
        assert sum(g[0] == 0 for g in grads) == 1
        assert sum(len(set(g)) == 1 for g in grads) == 2


def test_the_rule_agrees_with_differences_of_the_assignment() -> None:
    """v · (J u) by central differences of NumPy's own assignment, for both inputs."""
    rng = np.random.default_rng(0)
    for case in plain_cases(ch12.EXERCISES["12.3"]):
        v, index, shape = case.args
        for_before, for_values = ch12.setitem_vjp(v, index, shape)
        y, values, u, w = rng.normal(size=v.shape), rng.normal(size=shape), rng.normal(size=v.shape), rng.normal(size=shape)

        def written(y: Any, values: Any, index: Any = index) -> Any:
            y = y.copy()
            y[index] = values
            return y

        slope = (written(y + 1e-6 * u, values + 1e-6 * w) - written(y - 1e-6 * u, values - 1e-6 * w)) / 2e-6
        np.testing.assert_allclose(np.sum(v * slope), np.sum(for_before * u) + np.sum(for_values * w), rtol=1e-6)
        assert np.shape(for_before) == v.shape and np.shape(for_values) == shape


def test_the_rule_is_that_of_the_engine() -> None:
    for case in plain_cases(ch12.EXERCISES["12.3"]):
        v, index, shape = case.args
        before = mg.zeros(v.shape, dtype=mg.float64, requires_grad=True)
        values = mg.zeros(shape, dtype=mg.float64, requires_grad=True)
        y = before * 1
        y[mg.tensor(index) if isinstance(index, np.ndarray) else index] = values
        y.backward(mg.tensor(v))
        for_before, for_values = ch12.setitem_vjp(v, index, shape)
        np.testing.assert_allclose(before.grad.numpy(), for_before)
        np.testing.assert_allclose(values.grad.numpy(), for_values)


def test_the_notebook_gives_the_same_unbroadcast() -> None:
    def bare(source: str) -> str:
        node = next(n for n in ast.parse(source).body if isinstance(n, ast.FunctionDef) and n.name == "unbroadcast")
        node.args.args = [ast.arg(a.arg) for a in node.args.args]
        node.returns, node.body = None, node.body[1:]
        return ast.dump(node)

    assert bare(CHAPTER.read_text(encoding="utf-8")) == bare(inspect.getsource(ch12.unbroadcast))


def test_the_examples_in_the_statements() -> None:
    before, values = ch12.setitem_vjp(np.array([1.0, 2.0, 3.0, 4.0]), slice(1, 3), ())
    assert (before.tolist(), float(values)) == ([1, 0, 0, 4], 5)
    assert ch12.echoes(mg.tensor(0.5), mg.tensor([1.0, 0.0, 0.0, 8.0])).tolist() == [1, 0.5, 0.25, 8.125]


def test_the_quiz() -> None:
    m = mg.zeros(4, 5)
    shares = [np.shares_memory(t.numpy(), m.numpy()) for t in (m[2], m[[2]], m.t(), m.t().reshape(20), m.detach())]
    assert shares == [True, False, True, False, True]

    a, b, c = (mg.tensor(2.0, requires_grad=True) for _ in range(3))
    y = mg.zeros(3)
    y[0], y[1], y[0] = a, b, c
    assert sum(ch12.class_of(node) == "CopySlices" for node in ch12.nodes_of(y)) == 3
    y.sum().backward()
    assert [t.grad.item() for t in (a, b, c)] == [0, 1, 1]

    x = mg.tensor(3.0, requires_grad=True)
    for second, rings in ((lambda y: y[0] * 5, False), (lambda y: y[0] + x, False), (lambda y: y[0] * x, True)):
        y = mg.zeros(2)
        y[0] = x**2
        y[1] = second(y)
        if rings:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                y.sum().backward()
        else:
            y.sum().backward()

    x = mg.ones(3, requires_grad=True)
    y = x.exp()
    y[0] = 0.0
    with pytest.raises(RuntimeError, match="output 0 of Exp, is at version 1"):
        y.sum().backward()


def test_where_each_tensor_looks() -> None:
    a = mg.arange(6.0).reshape(2, 3)
    views = {"step": a[:, ::2], "t": a.t(), "number": a[1, 1], "expand": a[0].expand(2, 3), "detach": a.detach()}
    for t in views.values():
        assert ch12.addresses(t, a).tolist() == t.tolist()
    assert ch12.addresses(a + 0, a) is None
    pytest.importorskip("matplotlib")
    plot = ch12.memory_cells(a, views | {"copy": a + 0})
    assert "step looks at 0, 2, 3, 5;" in plot.alt
    assert plot.alt.endswith("copy is a copy, in other cells.")
    assert plot.png().startswith(b"\x89PNG")


def verdict(id: str, answer: Any) -> Any:
    return judge(ch12.EXERCISES[id], answer)


def test_the_alarm_is_heard_in_every_dtype() -> None:
    """A float32 buffer would convert a float64 number when it is read, and the recurrence would not raise."""
    broken = ch12.buffer(lambda x: x**2, lambda y, x: y[0] * x)
    for dtype in ("float32", "float64"):
        found = judge(ch12.EXERCISES["12.2"], ch12.with_way(clone=broken), dtype=dtype)
        assert found.mistake == "clone: still saved"
    assert mg.get_default_dtype() is mg.float32


def test_more_right_repairs() -> None:
    def written_into_a_copy(x):
        y = mg.zeros(2)
        y[0] = x**2
        z = y.clone()
        z[1] = y[0] * x
        return z

    def changed_in_place(x):
        y, value = mg.zeros(2), x**2
        y[0] = value
        value *= x
        y[1] = value
        return y

    def by_copy(x):
        y = mg.zeros(2)
        y[0].copy_(x**2)
        y[1].copy_(y[0] * 1 * x)
        return y

    assert verdict("12.2", ch12.with_way(clone=written_into_a_copy)).passed
    assert verdict("12.2", ch12.with_way(clone=by_copy)).passed
    assert verdict("12.2", ch12.with_way(name=changed_in_place)).passed
    assert verdict("12.2", ch12.with_way(stack=lambda x: mg.cat([(x**2)[None], (x**3)[None]]))).passed


def test_what_a_way_returned_that_is_no_tensor_is_told() -> None:
    def forgotten(x):
        y = mg.zeros(2)
        y[0] = x

    assert "Did you forget return?" in verdict_text(verdict("12.2", ch12.with_way(name=forgotten)), "")
    assert "is wanted is a Tensor y" in verdict_text(verdict("12.2", ch12.with_way(stack=lambda x: [x**2, x**3])), "")


def test_a_missing_gradient_is_no_forgotten_return() -> None:
    def without_history(w, x):
        return mg.tensor([h.item() for h in ch12.echoes(w, x)])

    found = verdict("12.7", without_history)
    assert found.mistake == "no history"
    assert "got 'nothing'" in verdict_text(found, "") and "forget" not in verdict_text(found, "")


def test_the_buffer_of_the_statement_rings_in_every_dtype() -> None:
    def buffer(w, x):
        h = mg.zeros(len(x))
        h[0] = x[0]
        for k in range(1, len(x)):
            h[k] = w * h[k - 1] + x[k]
        return h

    for dtype in ("float32", "float64"):
        assert judge(ch12.EXERCISES["12.7"], buffer, dtype=dtype).mistake == "the buffer rings"


def test_two_mistakes_in_one_rule_are_told_one_by_one() -> None:
    def second_name_and_no_sum(v, index, shape):
        v[index] = 0
        return v, v[index]

    def no_zero_and_no_sum(v, index, shape):
        return v.copy(), v[index]

    assert verdict("12.3", second_name_and_no_sum).mistake == "a second name"
    assert verdict("12.3", no_zero_and_no_sum).mistake == "overwritten cells not zeroed"


def test_wrong_numbers_are_just_wrong() -> None:
    def swapped(x):
        y = mg.zeros(2)
        y[0], y[1] = x**3, x**2
        return y

    def grown(x):
        return mg.stack([x**2, x**3, x**4])

    for answer in (swapped, grown):
        found = verdict("12.2", ch12.with_way(name=answer))
        assert found.outcome not in (PASSED, ERROR)


def test_more_right_recurrences() -> None:
    def from_zero(w, x):
        h, out = 0, []
        for value in x:
            h = w * h + value
            out.append(h)
        return mg.stack(out)

    def powers(w, x):
        n = len(x)
        return mg.stack([sum(w ** (k - j) * x[j] for j in range(k + 1)) for k in range(n)])

    def joined(w, x):
        out = [x[:1]]
        for k in range(1, len(x)):
            out.append(out[-1] * w + x[k])
        return mg.cat(out)

    for answer in (from_zero, joined):
        found = verdict("12.7", answer)
        assert (found.outcome, found.hint) == (PASSED, ""), answer
    assert verdict("12.7", powers).hint.startswith("Right. But each entry is computed again")


def test_a_buffer_of_clones_that_is_filled_out_of_order_is_wrong() -> None:
    def backwards(w, x):
        h = mg.zeros_like(x)
        for k in reversed(range(len(x))):
            h[k] = (w * h[k - 1].clone() if k else 0) + x[k]
        return h

    assert not verdict("12.7", backwards).passed


@pytest.mark.parametrize(("id", "text"), [("12.4", "Write the number"), ("12.5", "a list of four numbers")])
def test_another_kind_of_answer_gets_the_form(id: str, text: str) -> None:
    exercise = ch12.EXERCISES[id]
    right = exercise.reference(exercise.draw())
    assert text in verdict_text(judge(exercise, right | {"A": "27"}), "")
    assert text not in verdict_text(judge(exercise, right | {"A": ...}), "")


def test_a_wrong_number_that_nobody_believes_gets_the_rule() -> None:
    for id, hints in (("12.4", ch12.WRITES_HINTS), ("12.5", ch12.WINDOWS_HINTS)):
        exercise = ch12.EXERCISES[id]
        right = exercise.reference(exercise.draw())
        for key, rule, _ in exercise.draw():
            silly = 1234.0 if id == "12.4" else [1234.0] * 4
            found = judge(exercise, right | {key: silly})
            assert found.outcome != KNOWN and hints[rule] in found.details, (id, rule, found)


def test_whole_numbers_tuples_arrays_and_tensors_are_predictions_too() -> None:
    exercise = ch12.EXERCISES["12.5"]
    right = exercise.reference(exercise.draw())
    for form in (tuple, np.array, mg.tensor, lambda g: [int(k) for k in g]):
        assert judge(exercise, {key: form(g) for key, g in right.items()}).passed
    exercise = ch12.EXERCISES["12.4"]
    right = exercise.reference(exercise.draw())
    for form in (int, np.float32, mg.tensor):
        assert judge(exercise, {key: form(g) for key, g in right.items()}).passed


def test_a_write_into_a_part_of_the_stack_is_seen() -> None:
    def stack(x):
        part = mg.zeros(())
        part += x**3
        return mg.stack([x**2, part])

    told = verdict("12.2", ch12.with_way(stack=stack))
    assert told.outcome == "wrong" and "written in place: got 'another tensor', expected 'nothing'" in told.details
