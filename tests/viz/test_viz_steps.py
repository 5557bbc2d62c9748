"""The backward pass as pictures: the engine's own order and numbers, and nothing disturbed."""

from __future__ import annotations

import base64
import doctest
import gc
import random
import re
import weakref
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as mg
from minigrad import viz
from minigrad.core.rule import REGISTRY
from minigrad.viz import rules, stepper


def leaf(value: object) -> mg.Tensor:
    return mg.tensor(value, requires_grad=True)


def small() -> tuple[mg.Tensor, ...]:
    a, b, c = leaf(2.0), leaf(3.0), mg.tensor(1.0)
    d = a * b
    e = b + c
    return a, b, c, d, e, d + e


def program(seed: int, length: int) -> tuple[dict[str, mg.Tensor], mg.Tensor]:
    """A random program on small vectors, and its result of one element."""
    r = random.Random(seed)
    made = {f"x{i}": leaf([0.5 + i, 1.5]) for i in range(3)}
    operations = (
        lambda a, b: a + b, lambda a, b: a * b, lambda a, b: a - b, lambda a, b: a.sin(), lambda a, b: a.sum() * b,
        lambda a, b: a * a, lambda a, b: a.split(1)[1] * b, lambda a, b: mg.stack([a, b]).sum(0),
    )  # fmt: skip
    for i in range(length):
        a, b = (made[r.choice(list(made))] for _ in range(2))
        made[f"t{i}"] = r.choice(operations)(a, b)
    return made, made[f"t{length - 1}"].sum()


def real_order(root: mg.Tensor) -> list[tuple[str, list[str]]]:
    """The nodes in the order in which the engine runs them in a real pass, with what comes in, seen by hooks."""
    seen: list[tuple[str, list[str]]] = []
    nodes, stack = [], [root.grad_fn]
    while stack:
        node = stack.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            stack += [source for source, _ in node.next_functions]

    def watch(node):
        title = node.name().rpartition("::")[2]
        if title == "AccumulateGrad":
            node.variable.register_hook(lambda g: seen.append((title, [stepper.peek.brief(g)])))
        else:
            node.register_prehook(
                lambda gs: seen.append((title, ["nothing" if g is None else stepper.peek.brief(g) for g in gs]))
            )

    for node in nodes:
        watch(node)
    root.backward()
    return seen


# --- what is told


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25))
def test_order_and_numbers_are_those_of_a_real_pass(seed: int, length: int) -> None:
    made, result = program(seed, length)
    told = viz.steps(result, names=made)
    assert not any(t.is_leaf and t.grad is not None for t in made.values())
    expected = real_order(result)
    assert [(f.node, [g.split("] ", 1)[-1] if re.match(r"\[\d\] ", g) else g for g in f.incoming]) for f in told.frames] == expected
    for frame in told.frames:
        if frame.accumulated and frame.of in made:
            assert frame.accumulated == ("None", stepper.peek.brief(made[frame.of].grad))


def test_what_goes_out_is_what_comes_in() -> None:
    a, b, c, d, e, L = small()
    frames = viz.steps(L).frames
    assert [f.title for f in frames] == [
        "AddBackward0 of L", "AddBackward0 of e", "MulBackward0 of d", "AccumulateGrad of a", "AccumulateGrad of b"
    ]  # fmt: skip
    mul = frames[2]
    assert [(s.operand, s.rule, s.value, s.to) for s in mul.sent] == [
        ("self", "g * other", "3.0", "AccumulateGrad of a"),
        ("other", "g * self", "2.0", "AccumulateGrad of b"),
    ]
    assert mul.where == ["self = a = 2.0", "other = b = 3.0"] and mul.freed == ["self", "other"]
    assert (mul.sent[1].arrived, mul.sent[1].awaited, mul.sent[1].total) == (2, 2, "3.0")
    assert [f.accumulated for f in frames] == [None, None, None, ("None", "3.0"), ("None", "3.0")]
    a.grad = mg.tensor(10.0)
    assert viz.steps(L).frames[3].accumulated == ("10.0", "13.0")


def test_gradients_of_roots() -> None:
    x = leaf([1.0, 2.0])
    y, z = x * 3, (x * x).sum()
    told = viz.steps(y, z, gradient=[mg.tensor([1.0, 10.0]), None])
    assert told.text.splitlines()[1] == "Start: y is given [1.0, 10.0]; z is given 1.0"
    assert told.frames[-1].incoming == ["[5.0, 34.0]"]
    same = viz.steps(y, gradient=mg.tensor([1.0, 10.0]))
    assert same.frames[-1].incoming == ["[3.0, 30.0]"]


def test_a_root_inside_another_waits_for_both() -> None:
    x = leaf(1.0)
    y = x * 3
    z = y * 2
    first, second, _ = viz.steps(z, y).frames
    assert (first.sent[0].arrived, first.sent[0].awaited, first.sent[0].total) == (2, 2, "3.0")
    assert second.incoming == ["3.0"]


def test_broadcasting_is_told() -> None:
    w, x = leaf(2.0), leaf([1.0, 2.0, 3.0])
    sent = viz.steps((w * x).sum()).frames[1].sent
    assert (sent[0].value, sent[0].summed) == ("6.0", (3,)) and sent[1].summed is None
    assert "summed from shape (3,): broadcasting undone" in viz.steps((w * x).sum()).text


def test_hooks_are_counted_and_not_called() -> None:
    x = leaf(1.0)
    y = x * 2
    z = y * 3
    calls: list = []
    y.register_hook(calls.append)
    x.register_hook(calls.append)
    told = viz.steps(z)
    assert [f.hooks for f in told.frames] == [0, 1, 1] and not calls
    assert "hooks: 1 would be called here" in told.text


def test_where_a_pass_stops() -> None:
    x = leaf([1.0, 2.0])
    y = x.exp()
    z = (y * y).sum()
    with mg.no_grad():
        y.add_(1)
    told = viz.steps(z)
    assert [f.node for f in told.frames] == ["SumBackward0", "MulBackward0"]
    assert told.frames[1].error.startswith("RuntimeError: one of the variables needed for gradient computation")
    with pytest.raises(RuntimeError) as error:
        z.backward()
    assert told.frames[1].error == f"RuntimeError: {error.value}"
    assert "expected version 0 instead. …" in told.text and "anomaly" not in told.text + told.html  # its first sentence
    y = (x * x).sum()
    y.backward()
    again = viz.steps(y)
    assert "second time" in again.frames[-1].error and "MulBackward0 stops" in again.text
    assert "freed already" in again.picture(1).svg


def test_the_lines_that_wrote_to_what_was_kept_stand_in_the_program() -> None:
    x = leaf([1.0, 2.0]) * 1
    y = x.sin()
    x *= 2
    L = y.sum()
    told = viz.steps(L)
    assert "keeps self at version 0, now 1" in told.picture(1).svg
    painter = stepper._Painter(told.frames, told._nodes, told._starts, told._roots)
    program = painter.told([1, 2])
    assert program["lines"][1:] == ["y = x.sin()", "x *= 2", "L = y.sum()"] and program["writes"] == [2]
    assert "now" not in viz.steps(leaf([1.0]).sin().sum()).picture(1).svg


def test_custom_functions_and_writes_to_views() -> None:
    class Twice(mg.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = leaf([1.0, 2.0])
    y = Twice.apply(x).clone()
    y[0] = x[1] * 3
    told = viz.steps(y.sum(), names={"x": x})
    rules_told = {s.rule for f in told.frames for s in f.sent}
    assert "what Twice.backward returns for it" in rules_told and "the written part of g" in rules_told
    assert told.frames[-1].accumulated == ("None", "[0.0, 5.0]")
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 5.0]


def test_every_declared_rule_has_a_formula() -> None:
    class Fake:
        _metas = (((), np.dtype("float32")),)

        def __init__(self, op):
            self.op = op

        def _info_of_saved(self):
            return []

        def _names_of_saved(self):
            return ()

    called = 0
    for op in REGISTRY.values():
        for rule in op.rules.values():
            text = rules.formula(rule, Fake(op))
            compile(text.removesuffix("…") if not text.endswith("…") else "g", "rule", "eval")
            called += text.startswith("rule(")
            assert "conj(" not in text and "scaled(" not in text and " _" not in text
    assert called <= 4  # rules without a source of their own


def test_formulas_are_the_engines_own() -> None:
    """Evaluate what is told, and compare with what the engine computed."""
    from minigrad.ops import pointwise

    x, w = leaf([0.3, 0.7]), leaf([1.5, 2.5])
    for y in (x * w, x / w, x.sin(), x.exp(), x.tanh(), x.sigmoid(), x**3, x.log(), x.sqrt(), x - w, w.relu(), x.add(w, alpha=3)):
        frame = viz.steps(y, gradient=mg.tensor([2.0, 5.0])).frames[0]
        known = {name: np.asarray(getattr(v, "_array", v)) for name in y.grad_fn._names_of_saved()
                 if (v := getattr(y.grad_fn, f"_saved_{name}", None)) is not None}  # fmt: skip
        for sent in frame.sent:
            space = {**vars(pointwise), **known, "g": np.array([2.0, 5.0], np.float32), "__builtins__": {}}
            assert stepper.peek.brief(eval(sent.rule, space)) == sent.value


# --- forward beside reverse


def branches(x: mg.Tensor, y: mg.Tensor) -> mg.Tensor:
    d = x * y
    return (d - 2 * y).sin() * y + d.exp() + (x - 0.5) ** 2


@settings(max_examples=25, deadline=None)
@given(st.tuples(st.floats(-2, 2), st.floats(-2, 2)))
def test_tangents_are_those_of_the_engine(at: tuple[float, float]) -> None:
    x, y = map(leaf, at)
    frames = viz.steps(branches(x, y), forward=True).frames
    ends = {f.moves: float(f.tangent) for f in frames if f.tangent}  # the last of each pass: at the root
    with mg.autograd.forward_ad.dual_level():
        for tangents, told in zip(([1.0, 0.0], [0.0, 1.0]), ends.values(), strict=True):
            duals = [mg.autograd.forward_ad.make_dual(mg.tensor(v), mg.tensor(t)) for v, t in zip(at, tangents, strict=True)]
            real = mg.autograd.forward_ad.unpack_dual(branches(*duals)).tangent.item()
            assert told == pytest.approx(real, rel=1e-3, abs=1e-3)
    assert x.grad is None


def test_both_directions_tell_the_same_number() -> None:
    a, b = leaf(2.0), leaf(3.0)
    d = a * b
    L = d * b
    told = viz.steps(L, forward=True)
    lines = told.text.splitlines()
    assert lines[:2] == [
        "Forward from a and b, backward from L: 8 steps", "Start: one input has t = 1, the others t = 0; then L is given 1.0"
    ]  # fmt: skip
    assert "Step 4 of 8: forward from b, L moves" in lines and "    along d: slope 3.0 × t 2.0 = 6.0" in lines
    assert [f.tangent for f in told.frames] == ["3.0", "9.0", "2.0", "12.0", "", "", "", ""]
    assert [f.accumulated[1] for f in told.frames[-2:]] == ["9.0", "12.0"]
    first, last = told.picture(1).svg, told.picture(8).svg
    assert "t = 3.0" in first and "no t yet" in first and "keeps nothing" in first and "stands still" in first
    assert "t = " not in last and "AccumulateGrad" in last and "AccumulateGrad" not in first
    assert len({tuple(map(ET.fromstring(told.picture(k).svg).get, ("width", "height"))) for k in range(1, 9)}) == 1
    assert a.grad is None and viz.steps(L).text.startswith("The backward pass from L: 4 steps")


def test_forward_is_refused_where_it_cannot_be_told() -> None:
    for root in (leaf([1.0, 2.0]).sum(), mg.tensor(1j, requires_grad=True).abs()):
        with pytest.raises(ValueError, match="for a program of single real numbers"):
            viz.steps(root, forward=True)


# --- nothing is disturbed


def test_nothing_is_disturbed() -> None:
    x = leaf([1.0, 2.0])
    x.grad = mg.tensor([5.0, 5.0])
    held = x.grad
    y = x.exp()
    z = (y * y).sum()
    gradient = mg.tensor(2.0)
    viz.steps(z, gradient=gradient)
    assert x.grad is held and held.tolist() == [5.0, 5.0] and held._version == x._version == y._version == 0
    assert not any(node._freed for node in (z.grad_fn.next_functions[0][0], y.grad_fn)) and gradient.item() == 2.0
    assert x._hooks is None and x._accumulator() is not None
    z.backward(gradient)
    assert np.allclose(x.grad.numpy(), 5 + 4 * np.exp([2.0, 4.0]))


def test_no_graph_is_kept_alive() -> None:
    x = leaf([1.0, 2.0])
    y = (x * x).exp().sum()
    gc.disable()
    try:
        told = viz.steps(y)
        watch = weakref.ref(y.grad_fn)
        del y
        assert watch() is None
    finally:
        gc.enable()
    assert told.picture(2).svg


# --- form


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict]] = []

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append((tag, dict(attrs)))


def tags(html: str) -> list[tuple[str, dict]]:
    parser = _Tags()
    parser.feed(html)
    return parser.tags


def test_html_survives_where_scripts_do_not() -> None:
    told = viz.steps(small()[-1])
    found = tags(told.html)
    assert {tag for tag, _ in found} == {"div", "p", "b", "br", "details", "summary", "code", "img"}
    assert sum(tag == "details" for tag, _ in found) == len(told) == 5
    assert [("open" in a) for tag, a in found if tag == "details"] == [True, False, False, False, False]
    images = [a for tag, a in found if tag == "img"]
    assert all(a["src"].startswith("data:image/") and "alt" in a for a in images)
    assert ["const G=" in a["onload"] for a in images] == [False] * 5 + [True]  # the last image alone, and only there
    for number, image in enumerate(images[:-1], 1):
        svg = base64.b64decode(image["src"].partition("base64,")[2]).decode()
        assert svg == told.picture(number).svg and image["alt"].startswith(f"Step {number} of 5: ")
    attributes = {name for _, a in found for name in a}
    assert attributes <= {"open", "src", "alt", "onload", "width", "height", "style"}  # a style that is dropped takes only comfort


def test_names_are_escaped() -> None:
    x = leaf(2.0)
    html = viz.steps(x * x, names={"a<b>&c": x}).html
    assert "self = a&lt;b&gt;&amp;c = 2.0" in html and "<b>&c" not in html


def test_nothing_moves_from_picture_to_picture() -> None:
    told = viz.steps(small()[-1])
    sizes, places = set(), set()
    for number in range(1, len(told) + 1):
        root = ET.fromstring(told.picture(number).svg)
        sizes.add((root.get("width"), root.get("height")))
        boxes = [r for r in root.iter() if r.tag.endswith("rect") and r.get("stroke") not in ("#d55e00", "none")]
        places.add(tuple(sorted((r.get("x"), r.get("y"), r.get("width"), r.get("height")) for r in boxes)))
    assert len(sizes) == len(places) == 1


def test_the_slot_of_a_step() -> None:
    told = viz.steps(small()[-1])
    assert told.picture(3).text in told.text and len(told) == 5 == len(told.frames)
    for wrong in (0, 6, -1):
        with pytest.raises(IndexError, match="there are steps 1 to 5"):
            told.picture(wrong)
    bundle = told._repr_mimebundle_()
    assert bundle == {"text/html": told.html, "text/plain": told.text} and repr(told) == told.text
    assert list(told._repr_mimebundle_(include={"text/plain"})) == ["text/plain"]


@pytest.mark.weekly
def test_many_steps_are_folded() -> None:
    x = leaf([1.0, 2.0, 3.0])
    y = x
    for _ in range(3_000):
        y = (y * x).sin()
    told = viz.steps(y.sum())
    assert len(told) == 6_002 and len(told.html) < 205_000 and len(told.text) < 100_000
    shown = told.html.count("<details")
    assert shown + told.folded == 6_002 and shown > 15
    note = re.search(r"Steps (\d+) to (\d+) are folded: (\d+) of 6002", told.text)
    assert int(note[3]) == told.folded == int(note[2]) - int(note[1]) + 1 and note[0] in told.html
    assert "Step 1 of 6002" in told.html and "Step 6002 of 6002: AccumulateGrad of x" in told.html
    assert told.picture(3_000).alt.startswith("Step 3000 of 6002")


# --- wrong calls


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: viz.steps(), TypeError, "steps\\(\\) needs a tensor"),
        (lambda x: viz.steps(3.0), TypeError, "steps\\(\\) draws tensors of minigrad, not float"),
        (lambda x: viz.steps(mg.tensor(1.0)), RuntimeError, "element 0 of tensors does not require grad"),
        (lambda x: viz.steps(x * 2), RuntimeError, "grad can be implicitly created only for scalar outputs"),
        (lambda x: viz.steps(x * 2, gradient=mg.ones(3)), RuntimeError, "Mismatch in shape"),
        (lambda x: viz.steps(x * 2, gradient=1.0), TypeError, "gradient is a tensor of the root's shape.* not float"),
        (lambda x: viz.steps(x * 2, gradient=np.ones(2)), TypeError, "not numpy.ndarray"),
        (lambda x: viz.steps(x.sum(), names=["x"]), TypeError, "names is a dict of tensors.* not list"),
        (lambda x: viz.steps(x * 2, x * 3, gradient=mg.ones(2)), RuntimeError, "got 2 tensors and 1 gradients"),
    ],
)
def test_wrong_calls(call, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(leaf([1.0, 2.0]))


def test_small_and_empty_roots() -> None:
    x, empty = leaf(3.0), leaf(np.zeros((0, 2), np.float32))
    alone = viz.steps(x)
    assert [f.title for f in alone.frames] == ["AccumulateGrad of x"] and alone.frames[0].accumulated == ("None", "1.0")
    assert viz.steps(empty.sum()).frames[-1].incoming == ["shape (0, 2)"]


@pytest.mark.torch
def test_tensors_of_torch() -> None:
    import torch

    with pytest.raises(TypeError, match="draws tensors of minigrad, not torch.Tensor"):
        viz.steps(torch.ones(1, requires_grad=True))


def test_the_docstring_is_true() -> None:
    result = doctest.testmod(stepper)
    assert result.attempted == 5 and result.failed == 0


def test_a_box_says_that_it_waits() -> None:
    a = mg.tensor(3.0, requires_grad=True)
    b = 2 * a
    passed = viz.steps(b * (b + 1))
    waiting = [passed.picture(k).svg.count("no g yet") for k in range(1, len(passed.frames) + 1)]
    assert waiting == [1, 1, 0, 0]  # of four boxes: the first step sends to two of them


def test_the_player_stands_where_a_pass_is_the_subject() -> None:
    chapters = Path(__file__).parents[2] / "chapters"
    found = {path.name[:2] for path in chapters.glob("*.py") if "\nviz.steps(" in path.read_text(encoding="utf-8")}
    assert found >= {"02", "04", "06", "07", "10", "11", "13", "14"}
