"""What is drawn is what is there: names, nodes, edges, versions; and drawing changes nothing."""

from __future__ import annotations

import base64
import doctest
import gc
import random
import re
import sys
import weakref
import xml.etree.ElementTree as ET
from collections import Counter
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from test_viz_shapes import lines_of

import minigrad as mg
from minigrad import viz
from minigrad.viz import drawing
from minigrad.viz.paint import Style, text_width

SVG = "{http://www.w3.org/2000/svg}"


def leaf(value: object) -> mg.Tensor:
    return mg.tensor(value, requires_grad=True)


def small() -> tuple[mg.Tensor, ...]:
    a, b, c = leaf(2.0), leaf(3.0), mg.tensor(1.0)
    d = a * b
    e = b + c
    return a, b, c, d, e, d + e


def texts(picture: viz.Drawing) -> list[str]:
    """Every line of text in the picture."""
    return lines_of(ET.fromstring(picture.svg))


# --- what is drawn


def test_what_the_reader_wrote() -> None:
    a, b, c, d, e, L = small()
    assert viz.draw(L, view="see").text == (
        "What you see\n"
        "  L = d + e: AddBackward0, 10.0\n"
        "    d = a · b: MulBackward0, 6.0\n"
        "      a: leaf, 2.0\n"
        "      #1 b: leaf, 3.0\n"
        "    e = b + const: AddBackward0, 4.0\n"
        "      → #1 b"
    )


def test_what_the_engine_keeps() -> None:
    a, b, c, d, e, L = small()
    assert viz.draw(L, view="keep").text == (
        "What the engine keeps\n"
        "  L = d + e: AddBackward0\n"
        "    d = a · b: MulBackward0\n"
        "      a: AccumulateGrad, adds to a.grad\n"
        "      #1 b: AccumulateGrad, adds to b.grad\n"
        "    e = b + const: AddBackward0\n"
        "      → #1 b\n"
        "      None"
    )
    saved = viz.draw(L, view="keep", saved=True).text
    assert "d = a · b: MulBackward0, saved self a version 0, saved other b version 0\n" in saved
    assert "b: MulBackward0, 6.0, saved self a version 0" in viz.draw(L, view="see", saved=True).text


def test_without_formulas() -> None:
    a, b, c, d, e, L = small()
    for view in ("keep", "see"):
        text = viz.draw(L, view=view, formulas=False).text
        assert " = " not in text and text.count("AddBackward0") == 2 and "a: " in text


def test_slopes() -> None:
    a, b, c, d, e, L = small()
    picture = viz.draw(L, view="slopes")
    told = viz.steps(L)
    assert {f"slope {frame.incoming[0]}" for frame in told.frames} == {t for t in texts(picture) if t.startswith("slope")}
    at_arrows = Counter(t for t in texts(picture) if t[0] in "×=")
    assert at_arrows == {"× 1.0": 3, "= 1.0": 3, "× 3.0": 1, "= 3.0": 1, "× 2.0": 1, "= 2.0": 1}
    assert "d = a · b: MulBackward0, 6.0, slope 1.0\n      (× 3.0 = 3.0) a: leaf, 2.0, slope 3.0\n" in picture.text
    assert "b: leaf, 3.0, slope 3.0" in picture.text and a.grad is None
    L.backward()
    after = viz.draw(L, view="slopes")
    assert "The pass stops at MulBackward0 of d: RuntimeError: Trying to backward" in after.text and "slope 3.0" not in after.text
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        viz.draw(leaf([1.0, 2.0]) * 2, view="slopes")


def test_numbers_at_arrows_stand_apart() -> None:
    a, b, c = (leaf(value * 1.2345e-5) for value in (1, 2, 3))
    root = ET.fromstring(viz.draw(a * b + b * c, view="slopes").svg)
    ends = []
    for text in root.iter(SVG + "text"):
        if text.text[0] in "×=":
            half = text_width(text.text, Style(float(text.get("font-size")), "", text.get("font-weight") == "bold")) / 2
            ends.append((text.get("y"), float(text.get("x")) - half, float(text.get("x")) + half))
    assert len(ends) == 12
    assert all(y != other or right + 7 < left for (y, _, right), (other, left, _) in zip(sorted(ends), sorted(ends)[1:], strict=False))


def test_the_numbers_of_an_arrow_that_passes_a_box_stand_beside_it() -> None:
    b = leaf(3.0) * 2
    root = ET.fromstring(viz.draw(b * (b + 1), view="slopes").svg)
    (numbers,) = (float(text.get("x")) for text in root.iter(SVG + "text") if text.text == "× 7.0")
    lanes = [float(x) for path in root.iter(SVG + "path") for x in re.findall(r"L([\d.]+)", path.get("d"))]
    assert numbers > 20 and numbers + 20 < min(lanes)


@pytest.mark.parametrize(
    ("program", "formula"),
    [
        (lambda x, w: x @ w, "y = x @ w"),
        (lambda x, w: x[0], "y = x[0]"),
        (lambda x, w: x[:, 1], "y = x[:, 1]"),
        (lambda x, w: x[:, 1:], "y = x[:, 1:]"),
        (lambda x, w: x.sum(0), "y = sum(x, dim=0)"),
        (lambda x, w: x - 2, "y = x - const"),
        (lambda x, w: x * -2, "y = x · (-2)"),
        (lambda x, w: x.add(x, alpha=3), "y = x + 3 · x"),
        (lambda x, w: 3 - x, "y = const - x"),
        (lambda x, w: x**3, "y = x ** 3"),
        (lambda x, w: x.log_softmax(1), "y = log_softmax(x, dim=1)"),
        (lambda x, w: mg.stack([x] * 5), "y = stack(x, x, x, …, dim=0)"),
        (lambda x, w: (x * 2).exp(), "y = exp(v1)"),
    ],
)
def test_formulas(program, formula: str) -> None:
    x, w = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([[1.0], [2.0]])
    y = program(x, w)
    assert viz.draw(y, view="see", names={"x": x, "w": w, "y": y}).text.splitlines()[1].strip().split(": ")[0] == formula


def test_both_views_say_both() -> None:
    a, b, c, d, e, L = small()
    both, see, keep = (viz.draw(L, view=view) for view in ("both", "see", "keep"))
    assert both.text == see.text + "\n\n" + keep.text
    assert both.alt == see.alt + " " + keep.alt
    assert Counter(texts(both)) == Counter(texts(see)) + Counter(texts(keep)) - Counter(["const: a constant that is not drawn"])
    assert viz.draw(L).svg == both.svg


OPERATIONS = (
    lambda r, a, b: a + b,
    lambda r, a, b: a * b,
    lambda r, a, b: a - b,
    lambda r, a, b: a / (b * b + 1),
    lambda r, a, b: a.exp(),
    lambda r, a, b: a * 3,
    lambda r, a, b: a.sum() + b,
    lambda r, a, b: a.split(2)[1].sum() * b,
    lambda r, a, b: a @ b,
)


def program(seed: int, length: int) -> dict[str, mg.Tensor]:
    """A random program: every tensor that it made, by name."""
    r = random.Random(seed)
    made = {f"x{i}": mg.tensor([0.5] * 4, requires_grad=i != 1) for i in range(3)}
    for i in range(length):
        a, b = (made[r.choice(list(made))] for _ in range(2))
        operation = r.choice(OPERATIONS)
        try:
            made[f"t{i}"] = operation(r, a, b)
        except (RuntimeError, IndexError):  # shapes that do not fit: another operation will do
            made[f"t{i}"] = a * b
    return made


def walk(tensors: list[mg.Tensor]) -> tuple[list, list[tuple]]:
    """The engine's own nodes and edges, gathered without the code under test."""
    nodes: list = []
    edges = []
    stack = [t.grad_fn for t in tensors if t.grad_fn is not None]
    while stack:
        node = stack.pop()
        if node not in nodes:
            nodes.append(node)
            edges += [(node, source, output) for source, output in node.next_functions]
            stack += [source for source, _ in node.next_functions if source is not None]
    return nodes, edges


@settings(max_examples=12, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(1, 3))
def test_every_node_and_edge_and_no_other(seed: int, length: int, roots: int) -> None:
    made = program(seed, length)
    tensors = list(made.values())[-roots:]
    names = {name: t for name, t in made.items() if t.is_leaf or seed % 2}
    nodes, edges = walk(tensors)
    for view in ("keep", "both"):
        picture = viz.draw(*tensors, view=view, names=names, max_nodes=1000)
        keep = picture.text[picture.text.index("What the engine keeps") :]
        if nodes:
            assert read_tree(keep) == expected_tree(nodes, edges)
    lines = [t.split(" ")[0] for t in texts(viz.draw(*tensors, view="keep", names=names, max_nodes=1000))]
    titles = Counter(node.name().rpartition("::")[2] for node in nodes)
    assert {title: lines.count(title) for title in titles} == titles
    assert lines.count("None") == sum(source is None for _, source, _ in edges)
    see = ET.fromstring(viz.draw(*tensors, view="see", names=names, max_nodes=1000).svg)
    inner = sum(source is not None for _, source, _ in edges)
    constants = sum(path.get("stroke-dasharray") == "2 4" for path in see.iter(SVG + "path"))
    assert len(list(see.iter(SVG + "polygon"))) == inner + constants and constants <= len(edges) - inner


def expected_tree(nodes: list, edges: list[tuple]) -> Counter[tuple[str, str, int]]:
    def name(node) -> str:
        return "None" if node is None else node.name().rpartition("::")[2]

    return Counter((name(user), name(source), output) for user, source, output in edges)


def read_tree(text: str) -> Counter[tuple[str, str, int]]:
    """The edges that the text form tells, by the classes of the nodes."""
    found: Counter[tuple[str, str, int]] = Counter()
    path: list[str] = []
    numbered: dict[str, str] = {}
    for line in text.partition("\n\n")[0].splitlines()[1:]:
        indent, depth, output, again, number, rest = re.match(
            r"( *)(?:\((\d+)\) )?(?:\[(\d+)\] )?(→ )?(?:#(\d+) )?(.*)", line
        ).groups()
        title = numbered[number] if again else "None" if rest == "None" else re.search(r": (\w+)", rest)[1]
        if number:
            numbered[number] = title
        level = int(depth) if depth else len(indent) // 2
        path[level - 1 :] = [title]
        if level > 1:
            found[path[level - 2], title, int(output or 0)] += 1
    return found


def test_saved_tensors_with_both_versions() -> None:
    x = leaf([1.0, 2.0])
    y = x.exp()
    z = y * y
    with mg.no_grad():
        y.zero_()
    picture = viz.draw(z, saved=True)
    assert "saved self y version 0, now 1" in picture.text
    assert "saved y at version 0, which is now at version 1" in picture.alt
    assert texts(picture).count("version 0, now 1") == 3  # twice in Mul, and Exp saved its result


def test_before_and_after_backward() -> None:
    a, b, c, d, e, L = small()
    before = viz.draw(L, saved=True)
    L.backward()
    after = viz.draw(L, saved=True)
    assert "d = a · b: MulBackward0, freed" in viz.draw(L).text
    assert "freed" not in before.text and ".grad 3.0" not in before.text
    assert "d = a · b: MulBackward0, freed: self, other" in after.text and ".grad 3.0" in after.text
    grey = drawing.keep.__globals__["FREED_TITLE"].fill
    assert grey in after.svg and grey not in before.svg
    assert "The saved tensors of 1 node are freed." in after.alt


def test_what_was_written_in_part_says_its_version() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = 3 * x
    before = viz.draw(y, view="keep").svg
    y[0] = x[1]
    after = viz.draw(y, view="keep").svg
    assert "version" not in before and "gradients flow up; y at version 1" in after
    total = x[0] + 1
    total += x[1]  # as a whole: nobody asks which of two pictures this is
    assert "version" not in viz.draw(total).svg


def test_a_second_name_changes_nothing_and_a_window_is_not_mistaken() -> None:
    x = leaf([1.0, 2.0, 3.0, 4.0])
    first = x[:2]
    same = first  # noqa: F841
    last = x[2:]
    assert "saved self first version 0" not in viz.draw(last * last, view="keep", saved=True).text
    square = first * first
    text = viz.draw(square, view="keep", names={"first": first, "again": first, "x": x}, saved=True).text
    assert "saved self first version 0" in text
    assert "view of x" in viz.draw(first, view="see").text


def test_constants() -> None:
    x, c = leaf([1.0, 2.0]), mg.tensor([3.0, 4.0])
    y = c * x * 2 + 5
    picture = viz.draw(y, view="see")
    assert "c: constant (2,), [3.0, 4.0]" in picture.text  # saved, so it is known
    assert "v2 = v1 · 2: " in picture.text and "y = v2 + const: " in picture.text  # 5 was not kept
    assert picture.text.count(": constant") == 1  # without a name they stand in the formulas alone
    assert "None" not in picture.text
    keep = viz.draw(y, view="keep")
    assert texts(keep).count("None") == 3 == keep.svg.count('stroke-dasharray="2 4"')


def test_one_constant_for_several_operations_is_one_box() -> None:
    x, c = leaf(1.0), mg.tensor(2.0)
    y = x * c + (x * 3) * c
    assert viz.draw(y, view="see").text.count("c: constant") == 1
    assert texts(viz.draw(y, view="keep")).count("None") == 3


def test_outputs_are_numbered() -> None:
    x = leaf([1.0, 2.0, 3.0, 4.0])
    p, q = x.split(2)
    assert "[1]" not in texts(viz.draw(p, view="keep")) and "[1]" in texts(viz.draw(p * q, view="keep"))
    assert "p, q = split(x, dim=0): SplitBackward0, p [1.0, 2.0], q [3.0, 4.0]" in viz.draw(p, view="see").text
    assert viz.draw(p, view="see", names={"x": x}).text.splitlines()[1].strip().startswith("result = split(x")
    assert "v2, v3 = split(v1" in viz.draw(p * q, names={}).text
    assert texts(viz.draw(p * q, view="see")).count("[1]") == 1


def test_values_dtypes_and_flags() -> None:
    x = mg.tensor([[1.0, 1 / 3], [-2e-7, 1e10]], dtype=mg.float64, requires_grad=True)
    n = mg.tensor([3, 4])
    text = viz.draw(x, n, view="see").text
    assert "x: leaf (2, 2) float64, [1.0, 0.3333], [-2e-07, 1e+10]" in text
    assert "n: constant (2,) int64, [3, 4]" in text
    big, z = leaf([[0.0] * 5] * 3), mg.tensor(1 - 2j, requires_grad=True)
    text = viz.draw(big, z, view="see").text
    assert "big: leaf (3, 5)\n" in text
    assert "z: leaf complex64, 1.0 - 2.0j" in text


def test_settings_are_short_and_the_same_on_every_run() -> None:
    x = leaf([1.0, 2.0, 3.0])
    assert "SliceBackward0, saved dim 0" in viz.draw(x[1:], view="keep", saved=True).text
    assert "PowBackward0, saved self x version 0, saved exponent 2" in viz.draw(x**2, view="keep", saved=True).text
    v = x.clone()
    w = v[1:]
    w.mul_(2.0)
    picture = viz.draw(v.sum(), w)
    assert "v = v1, a part changed: CopySlices" in picture.text and " at 0x" not in picture.text


def test_hooks_and_marks() -> None:
    a, b, c, d, e, L = small()
    plain = viz.draw(L)
    d.register_hook(lambda g: g)
    d.grad_fn.register_prehook(lambda g: g)
    a.register_hook(lambda g: g)
    hooked = viz.draw(L, view="keep").text
    assert "MulBackward0, 2 hooks" in hooked and "adds to a.grad, 1 hook" in hooked and "hook" not in plain.text
    for mark, where in (
        ([d], "6.0, marked"),
        ([d.grad_fn], "6.0, marked"),
        ([a], "a: leaf, 2.0, marked"),
    ):
        marked = viz.draw(L, mark=mark)
        assert where in marked.text
        rings = [r for r in ET.fromstring(marked.svg).iter(SVG + "rect") if r.get("stroke") == "#d55e00"]
        assert len(rings) == 2 == marked.text.count("marked") and "Marked: " in marked.alt


def test_tensors_without_a_graph() -> None:
    x, c = leaf(1.0), mg.tensor(2.0)
    for view in ("see", "keep", "both"):
        assert "x is a leaf: no operation made it, so it has no grad_fn." in viz.draw(x, view=view).text
        assert "c does not require grad, so it has no grad_fn." in viz.draw(c, view=view).alt
    y = x * c
    assert viz.draw(y, x, view="see").text.count(": leaf") == 1


def test_several_roots() -> None:
    x = leaf(1.0)
    y, z = x.sin(), x.exp()
    w = z * 2
    picture = viz.draw(y, z, w, view="see")
    assert picture.text.count("#1 x") == 2 and picture.text.count("ExpBackward0") == 1
    assert "behind y, z and w" in picture.alt


def test_several_roots_stand_in_the_order_of_the_arguments() -> None:
    x = leaf(1.0)
    first, second, third = x.sin(), x.exp(), x.cos()
    for roots in ((first, second, third), (third, first, second)):
        for view in ("keep", "see"):
            picture = viz.draw(*roots, view=view, names={"x": x, "first": first, "second": second, "third": third})
            place = {}
            for text in ET.fromstring(picture.svg).iter(SVG + "text"):
                place[text.text.partition(" = ")[0]] = float(text.get("x"))
            expected = ["first", "second", "third"] if roots[0] is first else ["third", "first", "second"]
            assert sorted(expected, key=place.__getitem__) == expected


def test_the_path_to_inputs_is_lit() -> None:
    a, b, c, d, e, L = small()
    for view in ("keep", "see"):
        lit = viz.draw(L, view=view, inputs=[a])
        paths = [p for p in ET.fromstring(lit.svg).iter(SVG + "path") if p.get("stroke") == "#d55e00"]
        assert len(paths) == lit.text.count("⇒") == 2
        assert lit.alt.endswith("Lit: the paths to a.") and "⇒" not in viz.draw(L, view=view).text
    both = viz.draw(L, view="keep", inputs=(a, b))
    assert both.text.count("⇒") == 5 and "Lit: the paths to a and b." in both.alt
    middle = viz.draw(L, view="keep", inputs=d)
    assert middle.text.count("⇒") == 1 and "⇒ d = a · b: MulBackward0" in middle.text
    mg.autograd.grad(L, [d], retain_graph=True)
    folded = viz.draw(L, view="keep", inputs=a, max_nodes=2)
    assert "⇒ #1 3 more nodes" in folded.text


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 25))
def test_lit_edges_are_those_that_the_engine_walks(seed: int, length: int) -> None:
    made = program(seed, length)
    result, x = list(made.values())[-1], made["x0"]
    nodes, _ = walk([result])
    if not any(getattr(n, "variable", None) is x for n in nodes) or result.grad_fn is None:
        with pytest.raises(ValueError, match="no path leads"):
            viz.draw(result, names=made, inputs=x)
        return
    ran: Counter[str] = Counter()
    for node in nodes:
        if "Accumulate" not in node.name():
            node.register_hook(lambda gi, go, node=node: ran.update([node.name()]))
    text = viz.draw(result, view="keep", names=made, inputs=x, max_nodes=1000).text
    mg.autograd.grad(result.sum() if result.ndim else result, x)
    lit = {m[1] for m in re.finditer(r"⇒ [^:\n]*: (\w+)", text)} - {"AccumulateGrad"}
    assert lit <= set(ran) and set(ran) - lit <= {result.grad_fn.name(), "SumBackward0"}


def test_memory_that_is_shared() -> None:
    w, x = leaf([1.0, 2.0]), leaf([3.0, 4.0])
    y = x * w.detach()
    text = viz.draw(y, saved=True).text
    assert "constant (2,): shares the memory of w" in text
    assert "saved other (2,) in the memory of w version 0" in text
    fixed = w.detach()
    text = viz.draw(x * fixed).text
    assert "fixed: constant (2,), [1.0, 2.0], shares the memory of w" in text
    assert "shares" not in viz.draw(x * w).text


# --- names


def test_names_come_from_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    hidden = leaf(1.0)

    def inside() -> str:
        weight = hidden
        return viz.draw(weight * 2, view="see").text

    assert "weight: leaf" in inside()
    result = hidden * 2
    assert viz.draw(result, view="see", names={"loss": result}).text.splitlines()[1].strip() == "loss = v1 · 2: MulBackward0, 2.0"
    assert viz.draw(hidden * 2, view="see", names={}).text.splitlines()[1].strip() == "result = v1 · 2: MulBackward0, 2.0"
    shell = SimpleNamespace(user_ns={"_": hidden, "Out": {1: hidden}, "from_notebook": [hidden]})
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    space = {"viz": viz, "t": None}
    y = hidden * 2
    exec("def f(value):\n    return viz.draw(value, view='see').text", space)
    assert "value = from_notebook[0] · 2" in space["f"](y)


def test_names_are_found_around_a_comprehension() -> None:
    a, b, c, d, e, L = small()
    assert [viz.draw(L) for _ in range(1)][0].svg == viz.draw(L).svg == next(viz.draw(L) for _ in [0]).svg


def test_a_name_whose_history_cannot_be_asked_for() -> None:
    x = leaf([1.0, 2.0])
    base = x * 1
    first, last = base.split(1)
    with mg.no_grad():
        base.mul_(2)
    with pytest.raises(RuntimeError, match="multiple views"):
        first.grad_fn  # noqa: B018
    assert "base = x · 1" in viz.draw(base, view="see").text


def test_names_in_containers() -> None:
    params = [leaf(1.0), leaf(2.0)]
    table = {"bias": leaf(3.0)}
    y = params[0] * params[1] + table["bias"]
    text = viz.draw(y, view="see").text
    assert all(name in text for name in ("params[0]: ", "params[1]: ", "table['bias']: "))


def test_names_that_need_escaping() -> None:
    x = leaf(1.0)
    y = x * 2
    picture = viz.draw(y, names={'a<b>&"c"': x, "\x00\x1b": y, "θ₁": x})
    ET.fromstring(picture.svg)
    assert 'a<b>&"c": leaf' in picture.text and "<b>" not in picture.svg + picture.html
    look = r'style="flex: none; max-width: none; color-scheme: light" onload="[^"<>]+"'
    image = rf'<img alt="[^"<>]*" src="data:image/svg\+xml;base64,[A-Za-z0-9+/=]+" {look}>'
    assert re.fullmatch(f'<div data-paper="1" style="[^"]*overflow-x: auto[^"]*">({image}){{2}}</div>', picture.html)


# --- large graphs


@pytest.mark.full
def test_large_graphs_are_folded() -> None:
    x, w = leaf(1.0), leaf(0.5)
    y = x
    for _ in range(10_000):
        y = y * w + x
    picture = viz.draw(y)
    note = re.search(r"Drawn: the ([\d,]+) nodes .* The other ([\d,]+) are folded", picture.text)
    kept, folded = (int(n.replace(",", "")) for n in note.groups())
    assert kept == drawing.MAX_NODES and kept + folded == 20_002
    assert f"{folded:,} more nodes" in texts(picture) and note[0] in " ".join(texts(picture))
    assert note[0] in picture.alt and len(picture.svg) < 200_000


def test_the_fold_is_honest() -> None:
    x = leaf(1.0)
    chain = [x]
    for _ in range(9):
        chain.append(chain[-1].sin())
    whole = viz.draw(chain[-1], max_nodes=10)
    assert "folded" not in whole.text
    picture = viz.draw(chain[-1], max_nodes=4, view="keep", mark=[chain[2]])
    assert texts(picture).count("SinBackward0") == 4 and "6 more nodes" in texts(picture)
    assert "6 more nodes: folded, marked" in picture.text
    wide = mg.stack([leaf(float(i)) for i in range(100)])
    assert texts(viz.draw(wide, view="keep", max_nodes=10)).count("AccumulateGrad") == 9
    assert "stack(v1, v2, v3, …" in viz.draw(wide).text and "100 × None" not in viz.draw(wide, max_nodes=200).text
    pruned = mg.stack([x, *[mg.tensor(0.0)] * 50])
    assert "50 × None" in texts(viz.draw(pruned, view="keep")) and "50 constants" in texts(
        viz.draw(pruned, view="see")
    )


def test_five_hundred_nodes() -> None:
    x = leaf([1.0])
    y = x
    for i in range(166):
        y = (y * x).sin() if i % 2 else y + x * 2
    nodes, _ = walk([y])
    picture = viz.draw(y, view="keep", max_nodes=len(nodes))
    assert sum(t.endswith("Backward0") for t in texts(picture)) == len(nodes) - 1


# --- nothing is disturbed


def test_drawing_changes_nothing() -> None:
    a, b, c, d, e, L = small()
    d.retain_grad()
    calls = []
    for hook_to in (d, a):
        hook_to.register_hook(calls.append)
    before = [
        (t._version, t.grad if t.is_leaf else None, t.requires_grad, t.grad_fn) for t in (a, b, c, d, e, L)
    ]
    viz.draw(L, mark=[d])
    after = [
        (t._version, t.grad if t.is_leaf else None, t.requires_grad, t.grad_fn) for t in (a, b, c, d, e, L)
    ]
    assert before == after and not calls
    L.backward()
    assert (a.grad.item(), b.grad.item(), d.grad.item()) == (3.0, 3.0, 1.0) and len(calls) == 2
    viz.draw(L)
    assert (a.grad.item(), b.grad.item(), d.grad.item()) == (3.0, 3.0, 1.0) and len(calls) == 2


def test_drawing_keeps_no_graph_alive() -> None:
    x = leaf([1.0, 2.0])
    y = (x * x).exp()
    picture = viz.draw(y)
    watch = weakref.ref(y.grad_fn)
    gc.disable()
    try:
        del y
        assert watch() is None
    finally:
        gc.enable()
    assert picture.text


# --- forms


def test_the_html_survives_in_untrusted_notebooks() -> None:
    picture = viz.draw(small()[-1], view="see")
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", picture.html)[1]).decode()
    assert svg == picture.svg
    for forbidden in ("<script", " id=", " style=", " class=", "url(", "href"):
        assert forbidden not in svg
    assert svg.count("<style>") == svg.count("<style>@media (prefers-color-scheme:dark){") == 1
    for forbidden in ("<script", "<style", " id=", " class=", "url(", "href"):
        assert forbidden not in picture.html
    root = ET.fromstring(svg)
    assert {e.tag.removeprefix(SVG) for e in root.iter()} == {
        "svg", "style", "title", "rect", "path", "polygon", "text"
    }  # fmt: skip
    assert root.find(SVG + "title").text == picture.alt
    paper = root.find(SVG + "rect")
    size = float(root.get("width")), float(root.get("height"))
    assert (float(paper.get("width")), float(paper.get("height"))) == size
    assert paper.get("fill").startswith("#f")


def test_two_panels_are_two_images_that_may_stand_below_each_other() -> None:
    picture = viz.draw(small()[-1])
    found = re.findall(r'<img alt="([^"]*)" src="data:image/svg\+xml;base64,([^"]+)"', picture.html)
    parts = [ET.fromstring(base64.b64decode(data)) for _, data in found]
    whole = ET.fromstring(picture.svg)
    assert " ".join(alt for alt, _ in found) == picture.alt
    assert sum(float(part.get("width")) for part in parts) == pytest.approx(float(whole.get("width")), abs=2)
    lines = [[t.text for t in part.iter(SVG + "text")] for part in parts]
    assert lines[0][0] == "What you see" and lines[1][0] == "What the engine keeps"
    assert Counter(sum(lines, [])) == Counter(t.text for t in whole.iter(SVG + "text"))


def test_graphs_that_share_nothing_are_apart() -> None:
    x, y, z = leaf(1.0), leaf(2.0), leaf(3.0)
    one, other = (x * y) * y, z.exp()
    picture = viz.draw(one, other, view="keep")
    parts = re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', picture.html)
    lines = [[t.text for t in ET.fromstring(base64.b64decode(data)).iter(SVG + "text")] for data in parts]
    assert [line[0] for line in lines] == ["What the engine keeps: one", "What the engine keeps: other"]
    assert {"x", "y"} <= set(lines[0]) and "z" not in lines[0] and "z" in lines[1]
    assert Counter(sum(lines, [])) == Counter(texts(picture))
    assert viz.draw(one, one * z, view="keep").html.count("<img") == 1


def test_the_way_to_none_crosses_no_other_where_it_can_go_on_the_other_side() -> None:
    w, total = leaf(2.0), 0.0
    for target in (1, 5):
        total = total + (w - target) ** 2
    root = ET.fromstring(viz.draw(total, view="keep").svg)
    highest = (text for text in root.iter(SVG + "text") if float(text.get("y")) < 120 and text.get("text-anchor"))
    across = {text.text: float(text.get("x")) for text in highest}
    assert across["None"] < across["w"]  # from the second square another way goes to w, on the right


def test_a_narrow_graph_stands_above_the_middle_of_its_notes() -> None:
    x = leaf(1.0)
    picture = viz.draw(x + 1, view="see")
    note = next(text for text in picture._scene.shapes if getattr(text, "runs", ()) and text.runs[0].text.startswith("const:"))
    (box,) = {float(text.get("x")) for text in ET.fromstring(picture.svg).iter(SVG + "text") if text.get("text-anchor")}
    assert abs(box - note.x - note.width / 2) <= 1


def test_long_lines_are_told_their_width() -> None:
    """A font that is wider than the one that was measured must not leave the box."""
    x, a_long_name = leaf(1.0), leaf(2.0)
    y = x * a_long_name * 2
    y.backward()
    root = ET.fromstring(viz.draw(y, view="see").svg)
    assert ".grad" in texts(viz.draw(y, view="see"))
    for text in root.iter(SVG + "text"):
        wide = text_width(text.text, Style(float(text.get("font-size")), "", text.get("font-weight") == "bold"))
        assert (wide > 48 or text.get("text-anchor") is None) == (text.get("textLength") is not None)
        assert not text.get("textLength") or float(text.get("textLength")) == pytest.approx(wide, abs=0.01)


def test_alt_says_what_is_seen() -> None:
    a, b, c, d, e, L = small()
    assert viz.draw(L).alt == (
        "The expression behind L: 3 operations (Mul, Add and Add) on a and b, with 1 constant. "
        "The backward graph that the engine keeps for L: 3 nodes (AddBackward0, AddBackward0 and "
        "MulBackward0), with arrows up to AccumulateGrad for a and b, and 1 dotted edge to None."
    )


def test_bundle() -> None:
    picture = viz.draw(small()[-1])
    assert list(picture._repr_mimebundle_()) == ["text/html", "text/plain"]
    assert picture._repr_mimebundle_()["text/plain"] == picture.text == repr(picture)
    assert list(picture._repr_mimebundle_(include={"text/plain"})) == ["text/plain"]
    assert list(picture._repr_mimebundle_(exclude={"text/html"})) == ["text/plain"]


def test_files(tmp_path) -> None:
    picture = viz.draw(small()[-1])
    for name, content in (
        ("a.svg", picture.svg),
        ("a.txt", picture.text + "\n"),
        ("a.html", picture.html + "\n"),
    ):
        picture.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().decode() == content
    with pytest.raises(ValueError, match="saved as .svg, .png, .html or .txt"):
        picture.save(tmp_path / "a.jpg")


def test_png(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    picture = viz.draw(small()[-1])
    monkeypatch.setitem(sys.modules, "matplotlib.backends.backend_agg", None)
    with pytest.raises(ImportError, match="A PNG needs matplotlib"):
        picture.png()
    monkeypatch.undo()
    image = pytest.importorskip("matplotlib.image")
    assert picture.png() == picture.png() == picture._repr_mimebundle_(include={"image/png"})["image/png"]
    picture.save(tmp_path / "a.png")
    pixels = image.imread(tmp_path / "a.png")
    size = [float(ET.fromstring(picture.svg).get(k)) * 2 for k in ("height", "width")]
    assert list(pixels.shape[:2]) == size
    colours = {bytes(p).hex() for p in (255 * pixels[:, :, :3].reshape(-1, 3)).round().astype("uint8")[::7]}
    assert {"dcebf8", "fdeed3"} <= colours  # a leaf, a node


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda x: viz.draw(x, view="all"), ValueError, "view is one of 'both', 'see', 'keep', 'slopes', not 'all'"),
        (lambda x: viz.draw(), TypeError, "needs a tensor"),
        (lambda x: viz.draw(3.0), TypeError, "draws tensors of minigrad, not float"),
        (lambda x: viz.draw(x, names={"y": 1}), TypeError, "draws tensors of minigrad, not int"),
        (lambda x: viz.draw(x, max_nodes=0), ValueError, "max_nodes is at least 1, not 0"),
        (lambda x: viz.draw(x * 2, mark=[3]), TypeError, "mark takes nodes and tensors, not int"),
        (lambda x: viz.draw(x * 2, inputs=["x"]), TypeError, "inputs takes tensors, not str"),
        (lambda x: viz.draw(x * 2, inputs=mg.tensor(1.0)), ValueError, "no path leads from result to input 1"),
    ],
)
def test_wrong_calls(call, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call(leaf(1.0))


def test_the_docstring_is_true() -> None:
    assert doctest.testmod(drawing).attempted == 5 and doctest.testmod(drawing).failed == 0
