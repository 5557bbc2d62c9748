"""`viz.play`: its table against the engine's rules, its steps against `backward`, and what it refuses."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable

import numpy as np
import pytest

import minigrad as mg
import minigrad.nn.functional as F
from minigrad import viz
from minigrad.viz import peek, scalars

SMALL, POSITIVE, INSIDE = (-2.0, 2.0), (0.2, 3.0), (-0.9, 0.9)
CALLS: dict[str, tuple[Callable, tuple[float, float]]] = {
    "add": (lambda a, b: mg.add(a, b, alpha=3), SMALL),
    "sub": (lambda a, b: mg.sub(a, b, alpha=3), SMALL),
    "rsub": (lambda a: 5 - a, SMALL),
    "mul": (lambda a, b: a * b, SMALL),
    "true_div": (lambda a, b: a / b, POSITIVE),
    "neg": (lambda a: -a, SMALL),
    "reciprocal": (lambda a: a.reciprocal(), POSITIVE),
    "pow_number": (lambda a: a**3, SMALL),
    "pow_base": (lambda a: 2.5**a, SMALL),
    "pow_tensor": (lambda a, b: a**b, POSITIVE),
    **{name: (lambda a, name=name: getattr(a, name)(), SMALL) for name in (
        "exp", "expm1", "sin", "cos", "tan", "atan", "sinh", "cosh", "tanh", "sigmoid", "relu", "abs", "clone",
    )},
    **{name: (lambda a, name=name: getattr(a, name)(), POSITIVE) for name in ("log", "log1p", "log2", "log10", "sqrt", "rsqrt")},
    **{name: (lambda a, name=name: getattr(a, name)(), INSIDE) for name in ("asin", "acos")},
    "softplus": (lambda a: F.softplus(a, beta=2.0, threshold=1.5), SMALL),
    "leaky_relu": (lambda a: F.leaky_relu(a, 0.1), SMALL),
    "maximum": (mg.maximum, SMALL),
    "minimum": (mg.minimum, SMALL),
    "mse_loss": (F.mse_loss, SMALL),
    "sum_all": (lambda a: a.sum(), SMALL),
    "mean_all": (lambda a: a.mean(), SMALL),
    "view_as_shape": (lambda a: a.reshape(1), SMALL),
}  # fmt: skip


def leaf(value: float, dtype: mg.dtype = mg.float64) -> mg.Tensor:
    return mg.tensor(value, dtype=dtype, requires_grad=True)


def example() -> tuple[mg.Tensor, ...]:
    a, b, c = (leaf(value, mg.float32) for value in (5.0, 3.0, 4.0))
    d = a * b
    e = b + c
    return a, b, c, d, e, d + e


def test_every_operation_of_the_table_is_tried() -> None:
    assert set(CALLS) == set(scalars.TABLE)


@pytest.mark.parametrize("name", scalars.TABLE)
def test_table_agrees_with_the_engine(name: str) -> None:
    entry, (call, (low, high)) = scalars.TABLE[name], CALLS[name]
    rng = np.random.default_rng(len(name))
    count = 1 if name == "rsub" else len(entry.operands)
    for _ in range(20):
        leaves = [leaf(float(v)) for v in rng.uniform(low, high, count)]
        out = call(*leaves)
        node = out.grad_fn
        assert peek.operation(node) == name
        settings = {k: v for k, v in peek.settings(node).items() if isinstance(v, (int, float))}
        numbers = {"alpha": 1.0, "other": 5.0} | settings | dict(zip(entry.operands, (x.item() for x in leaves), strict=False))
        numbers |= {"self": 2.5} if name == "pow_base" else {}
        assert scalars.compute(entry.value, numbers, np.dtype(float)) == pytest.approx(out.item(), rel=1e-12)
        out.sum().backward()
        for operand, x in zip(entry.operands, leaves, strict=False):
            slope = scalars.compute(entry.slopes[operand], numbers | {"result": out.item()}, np.dtype(float))
            assert slope == pytest.approx(x.grad.item(), rel=1e-12, abs=1e-14), operand
        for operand, formula in entry.solve.items():
            found = scalars.compute(formula, numbers | {"result": out.item()}, np.dtype(float))
            assert found == pytest.approx(numbers[operand])


@pytest.mark.parametrize("name", ["relu", "abs", "maximum", "minimum"])
def test_table_agrees_with_the_engine_at_kinks(name: str) -> None:
    leaves = [leaf(0.0), leaf(0.0)] if name.endswith("imum") else [leaf(0.0)]
    out = getattr(mg, name)(*leaves)
    out.backward()
    numbers = dict.fromkeys((*scalars.TABLE[name].operands, "result"), 0.0)
    for operand, x in zip(scalars.TABLE[name].operands, leaves, strict=True):
        assert scalars.compute(scalars.TABLE[name].slopes[operand], numbers, np.dtype(float)) == x.grad.item()


def test_steps_in_words() -> None:
    a, b, c, d, e, L = example()
    assert str(viz.play(L)).splitlines() == [
        "A graph to play with: L, from a = 5, b = 3, c = 4",
        "Values",
        "  1  d = a · b = 5 · 3 = 15",
        "  2  e = b + c = 3 + 4 = 7",
        "  3  L = d + e = 15 + 7 = 22",
        "Slopes of L",
        "  4  L: 1",
        "  5  L hands 1 × 1 = 1 to d, 1 × 1 = 1 to e",
        "  6  e hands 1 × 1 = 1 to b, 1 × 1 = 1 to c",
        "  7  d hands 1 × 3 = 3 to a, 1 × 5 = 5 to b",
        "Slopes of the inputs",
        "  a: 3",
        "  b: 1 + 5 = 6",
        "  c: 1",
    ]


@pytest.mark.parametrize("seed", range(12))
def test_slopes_and_order_are_the_engines(seed: int) -> None:
    rng = np.random.default_rng(seed)
    made = {f"x{k}": leaf(float(rng.uniform(0.3, 1.5)), mg.float32) for k in range(3)}
    leaves = dict(made)
    steps: list[Callable] = [
        lambda a, b: a * b, lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a.sin(), lambda a, b: a.tanh() * 2,
        lambda a, b: a + 0.1, lambda a, b: 0.7 - a, lambda a, b: a**2, lambda a, b: a / (b * b),
    ]  # fmt: skip
    for k in range(9):
        names = list(made)
        result = steps[rng.integers(len(steps))](made[names[rng.integers(len(names))]], made[names[-1 - k % 2]])
        made[f"y{k}"] = result
    root = made["y8"]
    told = viz.play(root, names=made)
    frames = [f.of for f in viz.steps(root, names=made).frames if f.node != "AccumulateGrad"]
    order = re.findall(r"^  \d+  (\w+) hands", told.text, re.MULTILINE)
    named = [(ours, theirs) for ours, theirs in zip(order, frames, strict=True) if theirs]
    assert named and all(ours == theirs for ours, theirs in named)
    root.backward()
    shown = dict(re.findall(r"^  (x\d): (?:.* = )?(\S+)$", told.text, re.MULTILINE))
    for name, value in shown.items():
        assert float(value) == pytest.approx(leaves[name].grad.item(), rel=1e-3, abs=1e-6)


def test_nothing_changes() -> None:
    a, b, c, d, e, L = example()
    a.grad = mg.tensor(7.0)
    viz.play(L, names={"L": L})
    L.backward()
    assert (a.grad.item(), b.grad.item(), c.grad.item()) == (10.0, 6.0, 1.0)


def test_constants() -> None:
    x, k = leaf(0.5, mg.float32), mg.tensor(2.0)
    h = x * k + 0.1
    y = 1 - h
    text = viz.play(y).text
    assert "h = v1 + 0.1" in text and "y = 1 - h" in text and "v1 = x · k = 0.5 · 2 = 1" in text
    z = x * x * 3 + 1
    assert "z = v2 + 1 = " in viz.play(z).text and "v2 = v1 · 3" in viz.play(z).text


def test_page_is_self_contained_and_small() -> None:
    *_, L = example()
    told = viz.play(L, names={"L": L})
    bundle = told._repr_mimebundle_()
    assert set(bundle) == {"text/html", "text/plain"} and bundle["text/html"] == told.html
    assert len(told.html.encode()) < 40_000
    assert "\n\n" not in told.html  # a Markdown page takes it as one block
    addresses = [word for word in re.findall(r"[\w.:]*//[\w.]+", re.sub(r"base64,[^\"]+", "", told.html)) if not word.startswith("http://www.w3.org")]
    assert not addresses
    still = re.search(r'<img alt="([^"]+)" src="data:image/svg\+xml;base64,([^"]+)"', told.html)
    assert still and base64.b64decode(still[2]).decode() == viz.draw(L, view="slopes", names={"L": L}).svg


def test_same_bytes_again() -> None:
    *_, first = example()
    *_, second = example()
    assert viz.play(first, names={"L": first}).html == viz.play(second, names={"L": second}).html


def test_names_are_no_markup() -> None:
    x = leaf(1.0)
    y = x * x
    told = viz.play(y, names={"<b onload=alert(1)>": x, "y\"'&": y})
    assert "<b onload" not in told.html and "y\"'&" not in told.html


def refused(tensor: mg.Tensor, words: str, **options) -> None:
    with pytest.raises(ValueError, match=words):
        viz.play(tensor, **options)


def test_what_it_refuses() -> None:
    x = leaf(1.0, mg.float32)
    y = x.erf()
    refused(y, r"cannot compute ErfBackward0 \(line \d+: y = x.erf\(\)\).*viz.draw")
    refused(x, "no grad_fn")
    refused((mg.tensor([1.0, 2.0], requires_grad=True) * 2).sum(), r"single numbers, and MulBackward0 .* shape \(2,\)")
    refused((x + 1) * 2 * 3, "cannot tell which number stands in AddBackward0.*name of its own")
    long = x
    for _ in range(40):
        long = long * 1.5
    refused(long, "at most 30 boxes")
    c = mg.tensor(1.0 + 1.0j, requires_grad=True)
    refused(c * c, "real numbers")
    with pytest.raises(TypeError, match="draws tensors of minigrad"):
        viz.play(3.0)  # type: ignore[arg-type]


def test_leaves_that_were_changed_are_noticed() -> None:
    x = leaf(1.0, mg.float32)
    y = x.exp()
    with mg.no_grad():
        x += 1
    refused(y, "ExpBackward0 .* gave 2.718, and with the inputs as they are now it is 7.389")


def test_freed_graph() -> None:
    x = leaf(3.0, mg.float32)
    y = x * 2.0
    y.backward()
    refused(y, "freed by a backward pass")
