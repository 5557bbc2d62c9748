"""Random programs: against PyTorch where it is installed, and views and writes against derivatives found without a graph."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from facts._executor import settled
from random_programs import Runner, Tally

import minigrad as mg
from minigrad import errors, fast
from minigrad.around.hooks import Hooks
from minigrad.compat import promotion
from minigrad.core import tape, views
from minigrad.core.seams import seams

PROGRAMS = 150


@pytest.fixture(scope="module")
def runner() -> Iterator[Runner]:
    import torch

    if torch.__version__.partition("+")[0] != "2.13.0":
        pytest.skip("compared with PyTorch 2.13.0")
    with settled(torch):
        yield Runner(torch)


@pytest.mark.torch
def test_minigrad_does_what_pytorch_does(runner: Runner) -> None:
    tally = Tally()
    for seed in range(PROGRAMS):
        outcome = runner.check(seed)
        assert not outcome.difference, f"seed {seed}\n{outcome.text()}"
        tally.add(outcome)
    assert tally.views >= 0.3 * PROGRAMS and tally.raises >= 0.2 * PROGRAMS, str(tally)


@pytest.mark.torch
@pytest.mark.full
def test_and_without_the_hot_path(runner: Runner) -> None:
    fast.use(False)
    try:
        for seed in range(PROGRAMS, 2 * PROGRAMS):
            outcome = runner.check(seed)
            assert not outcome.difference, f"seed {seed}\n{outcome.text()}"
    finally:
        fast.use(True)


# -- faults that must be found -----------------------------------------------------------------------------------------


def _skip(*args: Any) -> None:
    """Stands in for something that is forgotten."""


def _slices_pass_everything(self: Any, cotangents: list, tensors: bool, needed: Any) -> Any:
    return [cotangents[0], *_slices_apply(self, cotangents, tensors, needed)[1:]]


def _hooks_backwards(self: Any, *args: Any) -> None:
    for hooks in self.tensor.values():
        for key in list(hooks)[::-1]:
            hooks[key] = hooks.pop(key)
    _tensor_hooks(self, *args)


def _overwrite(self: Any, g: Any, recorded: bool, owned: int | None) -> None:
    self.variable._grad = None
    _accumulate(self, g, recorded, owned)


def _reworded(message: errors.Message) -> errors.Message:
    other = errors.Message(message.replace("leaf", "Leaf"))
    vars(other).update(vars(message))
    return other


_slices_apply, _tensor_hooks, _accumulate = views.CopySlices.apply, Hooks.arrived, tape.AccumulateGrad.accumulate

FAULTS: dict[str, tuple[Any, str, Any]] = {
    "a write is not counted": (views, "bump", _skip),
    "the gradient of a write passes what was overwritten": (views.CopySlices, "apply", _slices_pass_everything),
    "hooks in the wrong order": (Hooks, "arrived", _hooks_backwards),
    "views keep their old history": (views.View, "renew", _skip),
    "leaves may be written to": (views, "check_inplace", _skip),
    "retain_grad does not follow a write": (seams, "new_history", _skip),
    "hooks after accumulation are forgotten": (Hooks, "after", lambda self, node, results, *args: results),
    "gradients are not added up": (tape.AccumulateGrad, "accumulate", _overwrite),
    "nothing is freed": (tape.OpNode, "_release", _skip),
    "memory that overlaps is written to": (promotion, "is_expanded", lambda array: False),
    "another word in a message": (errors, "LEAF_INPLACE", _reworded(errors.LEAF_INPLACE)),
    "another word in a warning": (errors, "NONLEAF_GRAD", errors.CREATE_GRAPH_CYCLE),
}


@pytest.mark.parametrize("fault", [f for f in FAULTS if f != "another word in a warning"])
@pytest.mark.torch
@pytest.mark.sampled(1, weekly=3)
def test_faults_are_found(fault: str, runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[fault])
    assert any(runner.random(seed).difference for seed in range(1000, 1400)), fault


# -- views and writes, without PyTorch -----------------------------------------------------------------------------------

# Each step on a Tensor, and the same on an array. Arrays are complex: what is analytic and runs on x + ih has the derivative
# along h in its imaginary part, without a graph and without rounding (Squire and Trapp, SIAM Review 40, 1998).
Pair = tuple[Callable[..., Any], Callable[..., Any]]
def _writable(view: np.ndarray) -> np.ndarray:
    view.flags.writeable = True
    return view


VIEWS: list[Pair] = [
    (lambda x: x[0], lambda a: a[0, ...]),
    (lambda x: x[..., 1:], lambda a: a[..., 1:]),
    (lambda x: x[::2], lambda a: a[::2]),
    (lambda x: x[None], lambda a: a[None]),
    (lambda x: x.transpose(0, -1), lambda a: a.swapaxes(0, -1) if a.ndim else a[...]),
    (lambda x: x.view(-1), lambda a: a.reshape(-1, copy=False)),
    (lambda x: x.diagonal(), lambda a: _writable(a.diagonal())),
    (lambda x: x.expand(2, *x.shape), lambda a: _writable(np.broadcast_to(a, (2, *a.shape)))),
    (lambda x: x.unbind(0)[-1], lambda a: a[-1, ...]),
    (lambda x: x.squeeze(), lambda a: a.squeeze()),
]
NEW: list[Pair] = [
    (lambda x, y: x * y, lambda a, b: a * b),
    (lambda x, y: (x + y).sin(), lambda a, b: np.sin(a + b)),
    (lambda x, y: x.exp() * 0.5, lambda a, b: np.exp(a) * 0.5),
    (lambda x, y: x.clone(), lambda a, b: a.copy()),
    (lambda x, y: x.sum(), lambda a, b: np.asarray(a.sum())),
    (lambda x, y: mg.cat([x.flatten(), y.flatten()]), lambda a, b: np.concatenate([a.ravel(), b.ravel()])),
]


def _into(compute: Callable[..., Any]) -> Callable[..., Any]:
    def write(a: np.ndarray, b: np.ndarray) -> None:
        a[...] = compute(a, b)

    return write


WRITES: list[Pair] = [
    (lambda x, y: x.mul_(y), _into(lambda a, b: a * b)),
    (lambda x, y: x.add_(y), _into(lambda a, b: a + b)),
    (lambda x, y: x.copy_(y), _into(lambda a, b: b)),
    (lambda x, y: x.sin_(), _into(lambda a, b: np.sin(a))),
    (lambda x, y: x.tanh_(), _into(lambda a, b: np.tanh(a))),
    (lambda x, y: x.zero_(), _into(lambda a, b: 0)),
    (lambda x, y: x.__setitem__(0, y), lambda a, b: a.__setitem__((0, ...), b)),
    (lambda x, y: x.__setitem__((..., slice(1, None)), y), lambda a, b: a.__setitem__((..., slice(1, None)), b)),
    (lambda x, y: x.__setitem__([0], y), lambda a, b: a.__setitem__([0], b)),
    (lambda x, y: x[:1].mul_(y), lambda a, b: _into(lambda c, d: c * d)(a[:1], b)),
]


class Refused(Exception):
    """minigrad raised where it may, or warned, as PyTorch does, of a write to an expanded tensor, whose gradient is not told."""


def _try(call: Callable[..., Any], *args: Any) -> Any:
    try:
        return call(*args)
    except (RuntimeError, IndexError, UserWarning) as error:
        raise Refused from error


def _program(chance: random.Random) -> bool:
    """Run a random program on Tensors and arrays; whether its derivatives could be compared."""
    step = 1e-30
    points = [np.random.RandomState(chance.randrange(2**31)).uniform(0.5, 1.5, shape) for shape in ((2, 3), (3,))]
    along = [np.random.RandomState(chance.randrange(2**31)).uniform(-1, 1, p.shape) for p in points]
    leaves = [mg.tensor(p, dtype=mg.float64, requires_grad=True) for p in points]
    ours = [*leaves, *[leaf.clone() for leaf in leaves]]
    theirs = [p + 1j * step * d for p, d in zip(points, along, strict=True)] * 2
    theirs[2:] = [a.copy() for a in theirs[:2]]
    for _ in range(chance.randint(4, 14)):
        kind = chance.choices([VIEWS, NEW, WRITES], (4, 3, 5))[0]
        on_tensor, on_array = chance.choice(kind)
        i, j = chance.randrange(len(ours)), chance.randrange(len(ours))
        args = (i,) if kind is VIEWS else (i, j)
        try:
            result = _try(on_tensor, *[ours[k] for k in args])
        except Refused:
            continue  # and nothing was changed, which the values below show
        other = on_array(*[theirs[k] for k in args])
        if kind is not WRITES:
            ours.append(result)
            theirs.append(np.asarray(other))
    for x, a in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(x.detach().numpy(), a.real, rtol=1e-9, atol=1e-12)
    weights = [np.random.RandomState(k).uniform(-1, 1, a.shape) for k, a in enumerate(theirs)]
    try:
        loss = _try(lambda: sum((x * mg.tensor(w, dtype=mg.float64)).sum() for x, w in zip(ours, weights, strict=True)))
        found = _try(lambda: mg.autograd.grad(loss, leaves))
    except Refused:
        return False
    expected = sum((a.imag * w).sum() for a, w in zip(theirs, weights, strict=True)) / step
    got = sum((g.numpy() * d).sum() for g, d in zip(found, along, strict=True))
    np.testing.assert_allclose(got, expected, rtol=1e-8, atol=1e-8)
    return True


@pytest.mark.filterwarnings("error:Use of index_put_ on expanded")
def test_views_and_writes_are_right_or_refused() -> None:
    compared = sum(_program(random.Random(seed)) for seed in range(200))
    assert compared > 100, compared


@pytest.mark.full
@pytest.mark.filterwarnings("error:Use of index_put_ on expanded")
@pytest.mark.parametrize("fault", [
    "a write is not counted", "the gradient of a write passes what was overwritten", "views keep their old history",
    "leaves may be written to",
])  # fmt: skip
def test_faults_of_views_and_writes_are_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(*FAULTS[fault])
    with pytest.raises(AssertionError):
        for seed in range(1500):
            _program(random.Random(seed))
