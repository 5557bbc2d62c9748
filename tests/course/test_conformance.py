"""The capstone: the facts, the runner in its child process, the boards, the friends of M8, the known wrong engines."""

from __future__ import annotations

import functools
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import spellings

import minigrad as mg
from minigrad.course import __main__ as cli
from minigrad.course import bank, start
from minigrad.course.bank import ch16
from minigrad.course.capstone import assemble, board, child, conformance, examine, friends, runner
from minigrad.course.capstone.assemble import source
from minigrad.course.capstone.facts import (
    AREAS,
    HOUSE,
    HOUSE_FILE,
    MILESTONES,
    SYMPTOMS,
    UNEXPLAINED,
    Fact,
    Library,
    describe,
    expected,
    facts,
)
from minigrad.course.capstone.troubles import TROUBLES

ROOT = Path(__file__).parents[2]
REFERENCE = ch16.m7  # the engine that has everything
MILESTONES_OF_AN_ENGINE = list(MILESTONES)[:7]
MISTAKES = [
    (e, name, form)
    for e in ch16.EXERCISES.values()  # type: ignore[attr-defined]
    if e.id not in ("16.8", "16.9")
    for name, mistake in e.mistakes.items()
    for form in (mistake.answer, spellings.again(e)[name])
]


def engine(text: str) -> Path:
    return Path(assemble(text))


# --- The facts ----------------------------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_every_fact_shows_something_on_minigrad(seed: int) -> None:
    for fact in facts():
        outcome = expected(fact, seed)
        assert "error" not in outcome, (fact.id, outcome)
        assert outcome["shown"], fact.id
        assert runner.compare(fact, outcome, outcome).green


@pytest.mark.torch
@pytest.mark.weekly
def test_every_fact_shows_the_same_on_pytorch() -> None:
    import torch

    for fact in facts():
        outcome = child.run(fact.id, fact.program, Library(torch))
        finding = runner.compare(fact, outcome, expected(fact))
        assert finding.green, (fact.id, finding.text)


def test_facts_are_complete() -> None:
    ids = [fact.id for fact in facts()]
    assert len(set(ids)) == len(ids)
    for milestone in MILESTONES_OF_AN_ENGINE:
        assert 10 <= len(facts(milestone)) <= 30
    for fact in facts():
        assert fact.milestone in MILESTONES and fact.area in AREAS
        assert 1 <= int(fact.chapter) <= 15
        assert fact.sentence.endswith(".")
        assert all(name in TROUBLES for *_, name in fact.troubles), fact
    assert {fact.area for fact in facts()} == set(AREAS)
    changes = [fact for part in HOUSE for fact in facts(part, HOUSE_FILE)]  # of chapter 17
    used = {name for fact in (*facts(), *changes) for *_, name in fact.troubles}
    assert used | {"import", *SYMPTOMS.values()} == set(TROUBLES), "every trouble is one that a fact can point to"


def test_numbers_hide_no_slope() -> None:
    kit = child.Kit(Library(mg), "an id", 0)
    numbers = kit.rand(40, 50)
    assert (abs(numbers) > 0.45).all() and (abs(abs(numbers) - 1) > 0.05).all() and (abs(numbers) < 2).all()
    assert 0.4 < (numbers > 0).mean() < 0.6
    assert (child.Kit(Library(mg), "an id", 1).rand(3) != kit.rand(3)).all()


def test_a_fact_can_be_shown() -> None:
    text = describe("M2.bias")
    assert "chapter 04" in text and "y.backward(const(4, 3))" in text and "of shape (4, 3)" in text
    with pytest.raises(LookupError, match=r"M2\.bias"):
        describe("M2.bais")


# --- Comparing ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("got", "want", "same"),
    [
        (1.0, 1.0 + 1e-8, True),
        (1.0, 1.0 + 1e-5, False),
        ([1.0, 2.0], [1.0, 2.0], True),
        (True, 1, False),
        (1, 1.0, False),
        (None, 0.0, False),
        ([], [1.0], False),
        ("RuntimeError", "TypeError", False),
    ],
)
def test_values_are_compared(got: Any, want: Any, same: bool) -> None:
    assert runner.same(child.plain(got), child.plain(want)) is same


def test_shapes_are_compared() -> None:
    one, row = ({"shape": shape, "values": [1.5]} for shape in ([], [1]))
    assert runner.same(one, one) and not runner.same(one, row)
    assert not runner.same({"shape": [1], "values": [float("nan")]}, row)


def test_an_error_is_compared_by_type_and_word_and_not_by_wording() -> None:
    kit = child.Kit(Library(mg), "id", 0)

    class Mine(RuntimeError):
        pass

    def fail(error: Exception) -> Callable[[], None]:
        def call() -> None:
            raise error

        return call

    want = kit.raised(fail(RuntimeError("Only for SCALAR outputs")), "scalar")
    assert kit.raised(fail(Mine("quite another sentence about a scalar")), "scalar") == want
    assert kit.raised(fail(RuntimeError("no such word")), "scalar") != want
    assert kit.raised(fail(ValueError("scalar")), "scalar") != want
    assert kit.raised(lambda: None, "scalar") == [child.NO_ERROR]


# --- The reference, and engines that are wrong --------------------------------------------------------------


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.full
@pytest.mark.sampled(1, weekly=2)
def test_the_reference_is_green_in_all_milestones(seed: int) -> None:
    path = Path(REFERENCE())
    for milestone in MILESTONES_OF_AN_ENGINE:
        assert [f.fact.id for f in runner.judge(path, milestone, seed) if not f.green] == []


@pytest.mark.weekly
def test_each_milestone_of_the_reference_keeps_the_earlier_ones_green() -> None:
    for k in (2, 3, 4, 5, 6):
        path = Path(getattr(ch16, f"m{k}")())
        for milestone in MILESTONES_OF_AN_ENGINE[:k]:
            assert [f.fact.id for f in runner.judge(path, milestone) if not f.green] == [], (k, milestone)


def test_the_reference_is_a_file_that_runs_as_it_stands() -> None:
    """And chapter 16 is cut from it: the sections of M7 are all of it, in its order."""
    path = bank.HERE / "reference_engine.py"
    assert [finding for name in ("M1", "M6", "M7") for finding in runner.judge(path, name) if not finding.green] == []
    assert tuple(ch16.M7) == tuple(ch16.ENGINE.values())
    assert not (set(ch16.ENGINE) & set(ch16.STEPS))


def test_the_reference_imports_what_it_may_and_has_a_few_hundred_lines() -> None:
    text = Path(REFERENCE()).read_text(encoding="utf-8")
    assert runner.refuse(Path(REFERENCE())) is None
    assert 200 < len(text.splitlines()) < 500


@pytest.mark.sampled(24, weekly=8)
@pytest.mark.parametrize(("exercise", "name", "form"), MISTAKES, ids=[f"{e.id} {name}" for e, name, _ in MISTAKES])
def test_a_wrong_engine_shows_its_own_trouble(exercise: Any, name: str, form: Callable[[], str]) -> None:
    """The hint is that of the trouble, so it cannot come from an engine that does not even start."""
    milestone = f"M{exercise.id[3:]}"
    seen = ch16.observe(form, milestone)
    assert TROUBLES[seen["trouble"]] == exercise.mistakes[name].hint, seen
    path = Path(form())
    findings = ch16.findings(milestone, path, path.read_text(encoding="utf-8"))
    assert any(f.green for f in findings), "it is a whole engine, with one mistake"


RAISED_LIMIT = """
    import sys

    def walk(root, g):
        sys.setrecursionlimit(10**6)
        order, waiting = {}, {root: g}

        def visit(node):
            for parent in node.parents:
                if parent is not None and parent not in order:
                    visit(parent)
            order[node] = True

        visit(root)
        for node in reversed(order):
            g = waiting.pop(node)
            yield node, g
            for parent, message in zip(node.parents, node.messages(g)):
                if parent is not None:
                    waiting[parent] = waiting[parent] + message if parent in waiting else message
"""
FIRST_IN_FIRST_OUT = (
    ("heapq.heappop(queue)[1]", "queue.pop(0)[1]"),
    ("heapq.heappush(queue, (-parent.number, parent))", "queue.append((-parent.number, parent))"),
)
FLOATS = "np.array(data, dtype=np.float64)"
FORMER_GREENS = [
    ("M6.own_gradients", ch16.patched(ch16.M6, ("else tensor(g.array)", "else g"))),
    ("M1.fires_once", ch16.patched(ch16.M1, *FIRST_IN_FIRST_OUT)),
    ("M4.hook_unequal_arms", ch16.patched(ch16.M4, *FIRST_IN_FIRST_OUT, ("node.saved and not retain_graph", "False"))),
    ("M1.whole_numbers", ch16.patched(ch16.M1, (FLOATS, "np.array(data)"))),
    ("M2.nested_lists", ch16.patched(ch16.M2, (FLOATS, "np.array(data)"))),
    ("M2.nested_lists", ch16.patched(ch16.M2, (FLOATS, "np.array(data) + 0.0 if np.ndim(data) == 0 else data.astype(float)"))),
    ("M7.own_engine", ch16.patched((*ch16.M6, ch16.BY_HAND))),
    ("M1.stack", ch16.patched(tuple(RAISED_LIMIT if part is ch16.walk else part for part in ch16.M1))),
    ("M1.mul", ch16.patched(ch16.M1, ("None if a is None else g * a", "None if a is None else a"))),
    # Found by random programs (test_random_engines.py), or by changing the reference at random.
    ("M1.pow", ch16.patched(ch16.M1, ("if n else 0)", "if n else 1)"))),
    ("M2.new_and_stretched", ch16.patched(ch16.M2, ("g.shape[k + new] != 1]", "g.shape[k * new] != 1]"))),
    ("M3.switch_on", ch16.patched(ch16.M3, ("if self.node is not None and not wanted", "if not wanted"))),
    ("M6.views_see", ch16.patched(ch16.M6, ("parts = index if isinstance(index, tuple) else (index,)", "parts = (index,)"))),
    ("M6.plain_becomes_recorded", ch16.patched(ch16.M6, ("    self.node  # a view may have to look again first\n", ""))),
    ("M6.one_number", ch16.patched(ch16.M6, ("out = Tensor(np.asarray(array))", "out = Tensor(array)"))),
    ("M6.grad_of_a_view", ch16.patched(ch16.M6, ("self.base is not None and self.base.node is not self.base_node",
                                                 "self.base is not None"))),
    # Found by an examiner, who changed the reference as somebody might who has understood one thing wrongly.
    ("M1.pow", ch16.patched(ch16.M1, ("a.array**n", "a.array ** int(n)"))),
    ("M2.arms", ch16.patched(ch16.M2, ("waiting[parent] = waiting[parent] + message\n",
                                       "np.add(waiting[parent].array, message.array, out=waiting[parent].array)\n"))),
    ("M2.mean", ch16.patched(ch16.M2, ("a.array.size if dim is None else a.shape[dim]", "a.shape[dim] if dim else a.array.size"))),
    ("M3.scalar_only", ch16.patched(ch16.M3, ("root.array.size != 1", "root.array.size > 1"))),
    ("M3.nothing_left", ch16.patched(ch16.M3, ("def walk(root, g):", "WAITING = {}\n\n\ndef walk(root, g):"),
                                     ("waiting, queue = {root: g}", "WAITING[root] = g\n    waiting, queue = WAITING"))),
    ("M4.made_before", ch16.patched(ch16.M4, ("def __enter__(self):", "def __init__(self):"),
                                    ("        no_grad.recording = self.inside",
                                     "\n    def __enter__(self):\n        no_grad.recording = self.inside"))),
    ("M4.another_after_remove", ch16.patched(ch16.M4, ("next(Node.numbers)\n    hooks[", "len(edge(self).hooks)\n    hooks["))),
    ("M4.same_hook_twice", ch16.patched(ch16.M4, ("next(Node.numbers)\n    hooks[", "hook\n    hooks["))),
    ("M4.removes_itself", ch16.patched(ch16.M4, ("list(node.hooks.values())", "node.hooks.values()"))),
    ("M5.second_functions", ch16.patched(ch16.M5, ("lambda g, positive: (g * positive,)",
                                                   "lambda g, positive: (tensor(g.array * positive.array),)"))),
    ("M5.create_adds", ch16.patched(ch16.M5, ("new if old is None else", "new if old is None or create_graph else"))),
    ("M5.history_of_v", ch16.patched(ch16.M5, ("    return gradient\n", "    return tensor(gradient.array)\n"))),
    ("M5.freed_all_the_same", ch16.patched(ch16.M5, ("create_graph if retain_graph is None else", "create_graph or"))),
    ("M5.not_wanted", ch16.patched(ch16.M5, ("if not all(t.requires_grad", "if not allow_unused and not all(t.requires_grad"))),
    ("M6.saved_leaf", ch16.patched(ch16.M6, ("if t is not None and t.memory", "if t is not None and not t.is_leaf and t.memory"))),
    ("M6.second_order", ch16.patched(ch16.M6, ("(put(g, window, tensor(0.0))", "(put(g.detach(), window, tensor(0.0))"))),
    ("M6.write_base", ch16.patched(ch16.M6, ("            with enable_grad():\n                again",
                                             "            if True:\n                again"))),
    ("M6.zero", ch16.patched(ch16.M6, ("record(np.zeros(t.shape), lambda g: (g * 0,), (t,))", "t * 0.0"))),
    ("M1.numbers", ch16.patched(ch16.M1, ("x if isinstance(x, Tensor) else tensor(x)", "tensor(x) if isinstance(x, float) else x"))),
    ("M2.cotangent", ch16.patched(ch16.M2, ("self, gradient=None):", "self, v=None):\n    gradient = v"))),
    ("M4.no_grad", ch16.patched(ch16.M4, ("array, node, requires_grad", "array, node, requires_grad and no_grad.recording"))),
    ("M4.backward_inside", ch16.patched(ch16.M4, ("no_grad.recording = self.before", "no_grad.recording = True"))),
    ("M6.saved_input", ch16.patched(ch16.M6, ("lambda g, a: (g * (n * a ** (n - 1) if n else 0),), (a,), (a,))",
                                              "lambda g: (g * (n * a ** (n - 1) if n else 0),), (a,))"))),
    ("M6.copies", ch16.patched(ch16.M6, ("def power(a, n):\n", "def power(a, n):\n    if n == 1:\n        return a\n"))),
    ("M6.history", ch16.patched(ch16.M6, ("def detach(a):\n    return Tensor(a.array, memory=a.memory)",
                                          "def detach(a):\n    return view_of(a, Tensor(a.array), lambda base: base)"))),
    ("M6.view_of_leaf", ch16.patched(ch16.M6, ("whole = t if t.base is None else t.base", "whole = t"))),
    ("M7.again", ch16.patched(ch16.M7, ("rate, steps):", "rate, steps, losses=[]):"), ("    losses = []\n", ""))),
]


@pytest.mark.sampled(4)
@pytest.mark.parametrize(("id", "form"), FORMER_GREENS, ids=lambda x: x if isinstance(x, str) else "")
def test_an_engine_that_was_green_and_wrong_is_red(id: str, form: Callable[[], str]) -> None:
    (found,) = runner.judge(Path(form()), id.partition(".")[0], only=frozenset({id}))
    assert found.kind not in UNEXPLAINED


IN_ANY_ORDER = """
    def walk(root, g):
        order = []

        def visit(node):
            if node is not None and node not in order:
                order.append(node)
                for parent in node.parents:
                    visit(parent)

        visit(root)
        waiting = {root: g}
        for node in ORDER:
            if node in waiting:
                yield node, waiting[node]
                for parent, message in zip(node.parents, node.messages(waiting[node])):
                    if parent is not None:
                        waiting[parent] = waiting[parent] + message if parent in waiting else message
"""


def walking(order: str) -> Callable[[], str]:
    return ch16.patched(tuple(IN_ANY_ORDER.replace("ORDER", order) if part is ch16.walk else part for part in ch16.M1))


ERASED = ch16.patched(ch16.M2, ("node.leaf.grad = g if old is None else old + g", "node.leaf.grad = g"))
NO_V = ch16.patched(ch16.M2, ("tensor(1.0) if gradient is None else gradient", "tensor(np.ones(self.shape))"))
ZEROS = """
def zeros_beside(t):
    new = Tensor.__new__(Tensor)
    new.node = new.sink = new.grad = None
    new.array, new.requires_grad = 0.0 * t.array, False
    return new


class Tensor:"""
OLD_ZEROS = ch16.patched(
    ch16.M3, ("self.grad = self.sink = None", "self.grad, self.sink = zeros_beside(self), None"), ("class Tensor:", ZEROS)
)
REPLACED = ch16.patched(ch16.M3, (ch16.WRITE, "node.leaf.grad = tensor(g.array)"))
NO_MODE = ch16.patched(ch16.M4, ("if no_grad.recording and any", "if any"))
STAYS_OFF = ch16.patched(ch16.M4, ("no_grad.recording = self.before", "pass"))
PASS = "with enable_grad() if create_graph else no_grad():\n        seen"
RECORDED = ch16.patched(ch16.M5, (PASS, "with enable_grad():\n        seen"))
ONE_ALONE = ch16.patched(ch16.M5, ("return gradients", "return gradients if len(gradients) > 1 else gradients[0]"))
LEAVES_ALONE = ch16.patched(
    ch16.M5, ("dict(run(", "dict((n, g) for n, g in run("), ("create_graph))\n", "create_graph) if isinstance(n, Sink))\n")
)
SYMPTOMS_OF = [
    ("M1.two_consumers", walking("order"), "overwrite"),  # a question: nothing was erased
    ("M1.mul", walking("order"), None),  # green
    ("M1.mul", walking("reversed(order)"), "nothing_came"),
    ("M1.exp", ch16.patched(ch16.M1, ("np.exp(a.array)", "np.exp2(a.array)")), "forward"),
    ("M1.pow", ch16.patched(ch16.M1, ("def mul(a, b):\n    a, b = as_tensor(a), as_tensor(b)", "def mul(a, b):")), "plain_number"),
    ("M1.stack", ch16.patched(ch16.M1, ("lambda g: (g, g)", "lambda g: (2 * g, g)")), None),
    ("M2.two_passes", ERASED, "replaces"),
    ("M2.sum_dim", ERASED, None),  # green, and so is the next
    ("M2.matmul_vectors", ERASED, None),
    ("M2.bias", NO_V, "cotangent"),
    ("M2.both_stretched", NO_V, None),
    ("M3.not_reached", OLD_ZEROS, "stays_none"),
    ("M3.no_sharing", REPLACED, "replaces"),
    ("M3.kept_gradient", REPLACED, "replaces"),
    ("M3.accumulate", walking("order"), None),  # green: a chain
    ("M3.accumulate", ch16.patched(ch16.M3, (ch16.WRITE, "pass")), "nothing_came"),
    ("M3.leaf_as_root", ch16.patched(ch16.M3, ("(t.node or t.sink) if", "t.node if")), "leaf_root"),
    ("M3.retain", ch16.patched(ch16.M3, ("if node.saved and not retain_graph:", "if node.saved:")), "retains"),
    ("M4.no_grad", NO_MODE, "recorded_inside"),
    ("M4.nested", NO_MODE, "recorded_inside"),
    ("M4.nested", STAYS_OFF, "left_off"),
    ("M4.after_no_grad", STAYS_OFF, "left_off"),
    ("M4.is_grad_enabled", STAYS_OFF, "left_off"),
    ("M4.enable_grad", ch16.patched(ch16.M4, ("inside = True", "inside = False")), "enables"),
    ("M4.detach", ch16.patched(ch16.M4, ("lambda t: Tensor(t.array)", "lambda t: t")), "detached"),
    ("M4.detach_stops", ch16.patched(ch16.M4, ("lambda t: Tensor(t.array)", "lambda t: t")), "detached"),
    ("M4.hook_sees", ch16.patched(ch16.M4, ("list(node.hooks.values())", "[]")), "hook_called"),
    ("M5.grad", ONE_ALONE, "a_tuple"),
    ("M5.grad", RECORDED, "plain"),
    ("M5.middle", LEAVES_ALONE, "middle"),
    ("M5.first_order_is_plain", RECORDED, "plain"),
    ("M5.inside_no_grad", ch16.patched(ch16.M5, (PASS, "if True:\n        seen")), "create_switches_on"),
    ("M6.version", ch16.patched(ch16.M6, ("memory.version += 1", "memory.version += 0")), "counts"),
    ("M6.one_number", ch16.patched(ch16.M6, ("out = Tensor(np.asarray(array))", "out = Tensor(array)")), "one_number"),
    ("M7.kinds", ch16.patched(ch16.M7, ("losses.append(float(", "losses.append(tensor(")), "kinds"),
]


@pytest.mark.sampled(5, weekly=3)
@pytest.mark.parametrize(("id", "form", "trouble"), SYMPTOMS_OF, ids=lambda x: x if isinstance(x, str) else "")
def test_a_hint_is_told_for_what_is_seen(id: str, form: Callable[[], str], trouble: str | None) -> None:
    (found,) = runner.judge(Path(form()), id.partition(".")[0], only=frozenset({id}))
    assert found.trouble == trouble, found


@pytest.mark.full
def test_walking_every_path_is_called_that() -> None:
    endless = """
    def walk(root, g):
        todo = [(root, g)]
        while todo:
            node, g = todo.pop()
            yield node, g
            todo += [(p, m) for p, m in zip(node.parents, node.messages(g)) if p is not None]
    """
    path = Path(assemble(*(endless if part is ch16.walk else part for part in ch16.M1)))
    (ladder,) = runner.judge(path, "M1", only=frozenset({"M1.ladder"}))
    assert (ladder.kind, ladder.trouble) == ("time", "paths")


# --- The child ----------------------------------------------------------------------------------------------

TINY = """
class Tensor:
    def __init__(self, array, requires_grad=False):
        self.array, self.requires_grad, self.grad = array, requires_grad, None
    def numpy(self):
        return self.array
    def __mul__(self, other):
        {}
def tensor(data, requires_grad=False):
    return Tensor(data, requires_grad)
"""
FEW = frozenset({"M1.tensor", "M1.mul", "M1.add"})


def judged(text: str) -> dict[str, runner.Finding]:
    return {f.fact.id: f for f in runner.judge(engine(text), "M1", only=FEW)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("while True: pass", "time"),
        ("import os; os._exit(0)", "crash"),
        ("import os, signal; os.kill(os.getpid(), 9)", "crash"),
        ("raise SystemExit", "SystemExit"),
        ("raise ZeroDivisionError('a word')", "ZeroDivisionError"),
        ("import time\n        try: time.sleep(60)\n        finally: time.sleep(60)", "time"),
        ("print('x' * 1000000); return None", "TypeError"),
        ("import torch", "ImportError"),
    ],
)
def test_one_bad_fact_costs_only_itself(statement: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "FACT_LIMIT", 1.0)
    text = TINY.format(statement)
    monkeypatch.setattr(runner, "refuse", lambda path: None)  # what imports at run time is seen by the child alone
    found = judged(text)
    assert found["M1.tensor"].green
    assert found["M1.mul"].kind == kind
    assert found["M1.add"].kind == "TypeError", "the fact before it has its own outcome"


def test_a_mode_that_one_fact_leaves_behind_costs_only_that_fact() -> None:
    restore = "    def __exit__(self, kind, *rest):\n        if kind is None:\n            no_grad.recording = self.before"
    text = source(*ch16.M4)
    old = text[text.index("    def __exit__(self") :].partition("\n\n")[0]
    found = runner.judge(engine(text.replace(old, restore)), "M4")
    assert {f.fact.id for f in found if not f.green} == {"M4.after_an_error", "M4.after_a_failed_pass"}


@pytest.mark.full
def test_an_engine_that_never_gets_loaded_is_red_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for text, kind in [("1 / 0", "ZeroDivisionError"), ("import os; os._exit(3)", "crash"), ("while True: pass", "time")]:
        if kind == "time":
            monkeypatch.setattr(runner, "IMPORT_LIMIT", 1.0)
        assert {f.kind for f in judged(text).values()} == {kind}


@pytest.mark.full
def test_a_milestone_has_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "MILESTONE_LIMIT", 1.5)
    started = time.monotonic()
    found = runner.judge(engine(TINY.format("while True: pass")), "M1")
    assert time.monotonic() - started < 10
    assert found[0].green and {f.kind for f in found[-3:]} == {"not run"}


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "line",
    ["import minigrad", "import torch as t", "from minigrad import Tensor", "from .neighbour import f", "import os, jax",
     "def f():\n    import autograd"],
)  # fmt: skip
def test_borrowed_engines_are_refused(line: str) -> None:
    found = judged(TINY.format("return None") + line)
    assert {(f.kind, f.trouble) for f in found.values()} == {("refused", "import")}


def test_what_numpy_and_the_standard_library_offer_is_allowed() -> None:
    lines = "import numpy.linalg, heapq\nfrom collections.abc import Callable\nfrom numpy import float64"
    assert runner.refuse(engine(lines)) is None


def test_an_import_at_run_time_is_refused_too() -> None:
    text = TINY.format("__import__('importlib').import_module('minigrad')")
    assert judged(text)["M1.mul"].kind == "ImportError"


def test_no_python_at_all() -> None:
    assert {f.kind for f in judged("def f(:").values()} == {"SyntaxError"}


def test_a_lacking_name_is_said_in_words_and_has_no_hint() -> None:
    found = judged("def other(): pass")
    assert {(f.kind, f.hint, f.text) for f in found.values()} == {("missing", "", "There is no `engine.tensor` yet.")}


def test_a_name_that_is_lacking_is_told_before_any_trouble() -> None:
    """M6 is not begun: nothing is known about saved outputs, although their fact is red."""
    seen = ch16.observe(ch16.m5, "M6")
    assert seen["trouble"] not in TROUBLES and "There is no `Tensor._version` yet." in seen["cost_text"]


def test_a_trouble_may_ask_for_words_of_the_failure() -> None:
    fact = Fact("M5.x", "rules", "09", "", "", (("RuntimeError", "second time", "keeps"), ("any", "", "raw_rule")))
    assert fact.trouble("RuntimeError", "a second time") == "keeps"
    assert fact.trouble("RuntimeError", "another") == fact.trouble("value") == "raw_rule"


def test_create_graph_that_keeps_no_graph_is_called_that() -> None:
    path = Path(assemble(source(*ch16.M5).replace("(create_graph if retain_graph is None else retain_graph)", "retain_graph")))
    assert {f.trouble for f in runner.judge(path, "M5", only=frozenset({"M5.third"}))} == {"keeps"}


# --- The board ----------------------------------------------------------------------------------------------


@pytest.fixture
def half(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """An engine with all of M1 and nothing of M2, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_engine.py").write_text(source(*ch16.M1), encoding="utf-8")
    return tmp_path / "my_engine.py"


def test_the_board_as_text(half: Path) -> None:
    told = examine("my_engine.py", ("M1", "M2"))
    lines = told.text().splitlines()
    assert lines[1].startswith("✓ M1 scalars") and "20 of 20 green" in lines[1] and "✗" not in lines[1]
    assert lines[2].startswith("  M2 arrays") and "✗" in lines[2]
    assert "chapter 04" in told.text() and "--show M2." in told.text() and "also red: " in told.text()
    assert "\x1b" not in told.text() and "\x1b[32m■" in told.text(colour=True)
    assert not told.passed and examine("my_engine.py", ("m1",)).passed


def test_the_board_as_html(half: Path) -> None:
    page = examine("my_engine.py", ("M1", "M2")).html()
    for forbidden in ("<script", "<style", " id=", "onclick", "<svg"):
        assert forbidden not in page
    assert page.count("<span") == len(facts("M1")) + len(facts("M2"))
    assert page.count("<details") == page.count("</details>") > 5
    assert "the program" in page and "chapter 04" in page
    assert "color:#fff;background:" in page


def test_a_red_fact_links_to_its_lesson(half: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board.record, "root", lambda: ROOT)
    told = examine("my_engine.py", ("M2",))
    assert "04-vjps.ipynb" in told.text() and 'href="' in told.html() and "04-vjps.ipynb" in told.html()


def test_the_bars_show_shares_by_area() -> None:
    row = [runner.Finding(fact, "" if fact.area == "rules" else "value") for fact in facts("M1")]
    told = board.Board("x", {"M1": row})
    green, count = told.shares()["rules"]
    assert green == count > 0 and set(told.shares()) == {"rules", "graph"}
    drawn = told.bars()
    assert f">{green} of {count}<" in drawn and drawn == told.bars()
    assert f'<img alt="Green facts by area: rules {green} of {count}, graph 0 of' in told.bars_html()
    wide = [float(w) for w in re.findall(r'width="([\d.]+)" height="15"', drawn)]
    assert len(wide) == 3 and wide[0] == wide[1] == wide[2]  # the room and the bar of the rules, and the room of the graph


def test_html_is_escaped() -> None:
    fact = Fact("M1.x", "rules", "02", "a < b & c.", "show('<b>')\n", ())
    page = board.Board("<i>", {"M1": [runner.Finding(fact, "value", "<script>")]}).html()
    assert "<script>" not in page and "<i>" not in page and "a &lt; b &amp; c." in page


def test_conformance_says_what_it_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.chdir(tmp_path)
    assert conformance("nothing.py") is None
    assert "There is no file nothing.py" in capsys.readouterr().out
    (tmp_path / "my_engine.py").write_bytes((ROOT / "exercises/16-capstone/my_engine.py").read_bytes())
    assert conformance("my_engine.py", "M1") is None
    assert "still as it was given" in capsys.readouterr().out
    assert conformance("my_engine.py", "M10") is None
    assert "no milestone or fact 'M10'" in capsys.readouterr().out


# --- From a terminal ----------------------------------------------------------------------------------------


def test_the_command(half: Path, capsys: Any) -> None:
    assert cli.main(["conformance", "my_engine.py", "--milestone", "M1"]) == 0
    assert "20 of 20 green" in capsys.readouterr().out
    assert cli.main(["conformance", "--milestone", "M1", "--milestone", "M2.bias", "--bars", "bars.svg"]) == 1
    assert "✗ M2.bias" in capsys.readouterr().out
    assert Path("bars.svg").read_text(encoding="utf-8").startswith("<svg")
    assert cli.main(["conformance", "my_engine.py", "--milestone", "M1.deep", "--seed", "7"]) == 0
    assert cli.main(["conformance", "--show", "M3.retain"]) == 0
    assert "retain_graph=True" in capsys.readouterr().out
    assert cli.main(["conformance", "--show", "M3.nothing"]) == 1
    assert cli.main(["conformance", "not_there.py"]) == 1


@pytest.mark.full
def test_the_command_in_a_process_of_its_own(half: Path) -> None:
    command = [sys.executable, "-m", "minigrad.course", "conformance", "my_engine.py", "--milestone", "M1.mul"]
    env = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"}
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=env)
    assert done.returncode == 0 and "1 of 1 green" in done.stdout and not done.stderr
    assert sorted(path.name for path in half.parent.iterdir()) == ["my_engine.py"], "nothing is left behind"


def test_start_copies_the_files_and_never_overwrites_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINIGRAD_WORK", str(tmp_path))
    monkeypatch.chdir(ROOT)
    start("16")
    assert sorted(p.name for p in tmp_path.glob("[!.]*")) == ["16-capstone-exercises.ipynb", "my_engine.py", "my_facts.py"]
    (tmp_path / "my_engine.py").write_text("mine", encoding="utf-8")
    start("16", again=True)
    assert (tmp_path / "my_engine.py").read_text(encoding="utf-8") == "mine"
    assert (tmp_path / "16-capstone-exercises-old-1.ipynb").exists()


def test_the_files_of_the_release_are_those_of_the_exercises() -> None:
    for name in ("my_engine.py", "my_facts.py"):
        assert (ROOT / "exercises/16-capstone" / name).read_bytes() == (ROOT / "solutions/16-capstone" / name).read_bytes()


# --- M8: the friends ----------------------------------------------------------------------------------------


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", friends.CLAIMS)
def test_a_friends_engine_is_green_on_the_board(name: str, tmp_path: Path) -> None:
    todo = [fact for fact in facts() if fact.milestone != "M7"]
    command = [sys.executable, "-P", "-B", "-m", "minigrad.course.capstone.friends", name]
    start = functools.partial(runner.Process, tmp_path, command=command)
    came = runner.outcomes(tmp_path / "x", [(fact.id, fact.program, 0) for fact in todo], start)
    findings = [runner.compare(fact, outcome, expected(fact)) for fact, outcome in zip(todo, came, strict=True)]
    assert [(f.fact.id, f.text) for f in findings if not f.green] == []


def judge_facts(tmp_path: Path, **programs: str) -> dict[str, runner.Finding]:
    path = tmp_path / "my_facts.py"
    path.write_text("".join(f"# %% {name}\n{program}\n" for name, program in programs.items()), encoding="utf-8")
    return {f.fact.id[3:]: f for f in friends.judge(path)}


@pytest.mark.full
def test_five_facts_catch_the_five_friends() -> None:
    assert [f.text for f in friends.judge(Path(ch16.m8())) if not f.green] == []


@pytest.mark.full
def test_a_fact_must_catch_the_friend_it_is_for(tmp_path: Path) -> None:
    relu = "x = engine.tensor(np.zeros(2), requires_grad=True)\nx.relu().sum().backward()\nassert (x.grad.numpy() == 0).all()"
    found = judge_facts(tmp_path, ada=relu, ben=relu, eva="assert False")
    assert found["ada"].green
    assert (found["ben"].kind, found["eva"].kind, found["dan"].kind) == ("not caught", "not on minigrad", "missing")


@pytest.mark.parametrize(
    "program",
    ["assert 'tensor' in repr(x)", "assert f'{x}' == ''", "x.grad_fn", "import torch",
     "try:\n    x.y\nexcept Exception as e:\n    e.args",
     "x.__class__", "assert type(x) is not None", "getattr(x, 'grad')", "'{x.relu}'.format_map({'x': x})",
     "match x:\n    case object(grad_fn=f):\n        pass"],
)  # fmt: skip
def test_a_fact_about_words_or_insides_is_refused(tmp_path: Path, program: str) -> None:
    assert judge_facts(tmp_path, ada="x = leaf(2)\n" + program)["ada"].kind == "words"


def test_a_fact_that_finds_another_way_to_the_words_fails_on_minigrad_in_other_words(tmp_path: Path) -> None:
    program = """
def throw(e):
    raise e
try:
    leaf(2).backward()
except RuntimeError as e:
    assert raised(lambda: throw(e), "scalar") == ["RuntimeError", "says 'scalar'"]
"""
    assert "error" not in child.run("M8.ada", program, Library(mg))
    assert judge_facts(tmp_path, ada=program)["ada"].kind == "not on minigrad"


@pytest.mark.parametrize(
    "inside",
    ["'friends' in '%r' % (engine.grad,)", "'__main__' in '%r' % (engine.Tensor.mul_,)", "engine.autograd", "engine.modes.inspect"],
)
def test_what_a_friend_replaced_looks_as_before(tmp_path: Path, inside: str) -> None:
    program = f"try:\n    found = {inside}\nexcept AttributeError:\n    found = None\nassert not found"
    assert {judge_facts(tmp_path, **{friend: program})[friend].kind for friend in ("cleo", "eva")} == {"not caught"}


@pytest.mark.full
def test_an_assertion_may_say_something(tmp_path: Path) -> None:
    program = "x = engine.tensor(np.zeros(2), requires_grad=True)\nx.relu().sum().backward()\n"
    assert judge_facts(tmp_path, ada=program + "assert (x.grad.numpy() == 0).all(), f'{x.grad}'")["ada"].green


@pytest.mark.full
def test_a_fact_that_hangs_is_no_fact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "FACT_LIMIT", 1.0)
    assert judge_facts(tmp_path, ada="while True:\n    pass")["ada"].kind == "time"
