"""How far the engine goes: very long, very wide and very many graphs; threads; and memory that is let go at once."""

from __future__ import annotations

import gc
import pickle
import sys
import threading
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minigrad as mg


@pytest.fixture
def no_collector() -> Iterator[None]:
    """The cyclic collector switched off: what dies now dies by reference counting."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


# -- long and wide -----------------------------------------------------------------------------------------------------


@pytest.mark.weekly
def test_chain_of_a_million_operations(no_collector: None) -> None:
    """Forward, backward and the end of the graph, none of which may recurse."""
    x = mg.ones(1, requires_grad=True)
    y = x
    for _ in range(1_000_000):
        y = y + 1e-6
    last, middle = weakref.ref(y.grad_fn), y.grad_fn
    for _ in range(500_000):
        middle = middle.next_functions[0][0]
    middle = weakref.ref(middle)
    y.backward(mg.tensor([3.0]), retain_graph=True)
    assert x.grad.tolist() == [3.0]
    assert middle() is not None
    del y
    assert last() is None and middle() is None


@pytest.mark.full
def test_long_chain_backwards_twice_with_a_recorded_pass(no_collector: None) -> None:
    """A recorded backward pass is as long a graph again, and is freed as the first one is."""
    x = mg.tensor([1.0], dtype=mg.float64, requires_grad=True)
    y = x
    for _ in range(20_000):
        y = y * 1.00001
    (g,) = mg.autograd.grad(y * y, x, create_graph=True)
    (h,) = mg.autograd.grad(g, x)
    np.testing.assert_allclose(h.item(), 2 * 1.00001**40_000, rtol=1e-9)
    nodes = [weakref.ref(y.grad_fn), weakref.ref(g.grad_fn)]
    del y, g
    assert [node() for node in nodes] == [None, None]


@pytest.mark.full
def test_chain_of_views_and_writes_is_destroyed_without_recursion(no_collector: None) -> None:
    """10,000 writes to a view: each puts a CopySlices node on top of the base's history."""
    leaf = mg.zeros(2, requires_grad=True)
    x = leaf.clone()
    for _ in range(10_000):
        x[0].add_(1.0)
    x.sum().backward()
    assert leaf.grad.tolist() == [1.0, 1.0]
    assert x.tolist() == [10_000.0, 0.0]
    node = weakref.ref(x.grad_fn)
    del x
    assert node() is None


def test_diamond_of_many_paths() -> None:
    """Sixty times y = y + y: 2^60 paths through 60 nodes, each of which must run once."""
    x = mg.ones(1, dtype=mg.float64, requires_grad=True)
    y = x
    for _ in range(60):
        y = y + y
    runs: list[int] = []
    y.grad_fn.register_hook(lambda grads, outputs: runs.append(1))
    y.backward()
    assert x.grad.tolist() == [2.0**60]
    assert runs == [1]


def test_wide_graph() -> None:
    """Ten thousand consumers of one leaf, and their results stacked."""
    x = mg.ones(1, dtype=mg.float64, requires_grad=True)
    total = mg.stack([x * k for k in range(10_000)]).sum()
    total.backward()
    assert x.grad.tolist() == [10_000 * 9_999 / 2]


# -- freed by reference counting ---------------------------------------------------------------------------------------


def written_view(leaf: mg.Tensor) -> list[mg.Tensor]:
    y = leaf.clone()
    view = y[1:]
    view.mul_(2.0)
    y[0] = leaf.sum()
    return [y, view, (y * view.sum()).exp()]


def in_place_chain(leaf: mg.Tensor) -> list[mg.Tensor]:
    y = leaf * 1.0
    y.add_(1.0).mul_(leaf).sigmoid_()
    return [y]


def views_of_views(leaf: mg.Tensor) -> list[mg.Tensor]:
    base = leaf.clone()
    rows = base.view(2, 2).t().unbind()
    return [base, *rows, rows[0].sum()]


def hooked(leaf: mg.Tensor) -> list[mg.Tensor]:
    y = leaf.exp()
    y.register_hook(lambda g: g * 2)
    y.retain_grad()
    z = y.sin()
    z.grad_fn.register_hook(lambda grads, outputs: None)
    z.grad_fn.register_prehook(lambda outputs: None)
    return [y, z]


def differentiated_twice(leaf: mg.Tensor) -> list[mg.Tensor]:
    y = leaf.softmax(0).prod()
    (g,) = mg.autograd.grad(y, leaf, create_graph=True)
    (h,) = mg.autograd.grad((g * g).sum(), leaf, create_graph=True)
    return [y, g, h]


def failed_backward(leaf: mg.Tensor) -> list[mg.Tensor]:
    y = leaf.exp()
    z = y * y
    y.add_(1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        z.sum().backward()
    return [y, z]


@pytest.mark.parametrize(
    "make", [written_view, in_place_chain, views_of_views, hooked, differentiated_twice, failed_backward]
)
@pytest.mark.parametrize("walk", [False, True], ids=["forward only", "with backward"])
@pytest.mark.sampled(6, weekly=2)
def test_graph_is_freed_by_reference_counting(
    make: Callable[[mg.Tensor], list[mg.Tensor]], walk: bool, no_collector: None
) -> None:
    leaf = mg.tensor([0.1, 0.2, 0.3, 0.4], requires_grad=True)
    tensors = make(leaf)
    if walk and make is not failed_backward:
        sum(t.sum() for t in tensors).backward()
    seen: set[Any] = set()
    stack = [t.grad_fn for t in tensors]
    while stack:
        node = stack.pop()
        if node is not None and node not in seen:
            seen.add(node)
            stack += [edge[0] for edge in node.next_functions]
    refs = [weakref.ref(node) for node in seen] + [weakref.ref(t) for t in tensors]
    assert len(seen) > 1
    del tensors, seen, stack, node
    sys.last_value = None
    assert [ref() for ref in refs] == [None] * len(refs)


@pytest.mark.full
def test_hooks_may_hold_their_tensor_until_the_collector_comes() -> None:
    """A hook that closes over its own tensor makes a cycle: the user's, and one that the collector can see."""
    y = mg.ones(2, requires_grad=True).exp()
    y.register_hook(lambda g, y=y: g * y.sum().detach())
    ref = weakref.ref(y)
    del y
    gc.collect()
    assert ref() is None


# -- no growth ---------------------------------------------------------------------------------------------------------


def live_objects() -> int:
    return len(gc.get_objects())


def test_training_leaves_nothing_behind(no_collector: None) -> None:
    """500 steps of a small network, with views, writes and hooks: as many objects afterwards as before."""
    rng = np.random.RandomState(0)
    inputs, targets = (mg.from_numpy(rng.standard_normal((8, n)).astype(np.float32)) for n in (3, 2))
    weights = [mg.from_numpy(0.1 * rng.standard_normal(s).astype(np.float32)).requires_grad_() for s in ((3, 5), (5, 2))]
    calls = [0]

    def count(g: mg.Tensor) -> None:
        calls[0] += 1

    def step() -> float:
        hidden = (inputs @ weights[0]).tanh()
        hidden.register_hook(count)
        hidden = hidden.clone()
        hidden[:, 0] = hidden[:, 1] * 0.5
        loss = ((hidden @ weights[1] - targets) ** 2).mean()
        loss.backward()
        with mg.no_grad():
            for w in weights:
                w -= 0.1 * w.grad
                w.grad = None
        return loss.item()

    first = step()
    for _ in range(20):
        step()
    before = live_objects()
    for _ in range(500):
        last = step()
    assert calls == [521]
    assert last < first
    assert live_objects() - before < 10


@pytest.mark.full
def test_gradients_that_accumulate_do_not_grow(no_collector: None) -> None:
    """The version counter of a gradient keeps the last writes, not all of them."""
    x = mg.ones(3, requires_grad=True)
    for _ in range(50):
        (x * 2).sum().backward()
    before = live_objects()
    for _ in range(1_000):
        (x * 2).sum().backward()
    assert live_objects() - before < 10
    assert x.grad.tolist() == [2_100.0] * 3


# -- threads -----------------------------------------------------------------------------------------------------------


def in_threads(count: int, work: Callable[[int], None]) -> None:
    """Run work(k) in threads, and raise what any of them raised."""
    errors: list[BaseException] = []

    def guarded(k: int) -> None:
        try:
            work(k)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(k,)) for k in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    if errors:
        raise errors[0]


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads switched as often as Python allows."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def test_each_thread_has_its_own_grad_mode() -> None:
    """One thread sits inside no_grad while another records; a new thread begins with recording on."""
    inside, done = threading.Event(), threading.Event()
    seen: dict[str, list[bool]] = {"off": [], "on": []}
    x = mg.ones(1, requires_grad=True)

    def work(k: int) -> None:
        if k == 0:
            with mg.no_grad():
                inside.set()
                assert done.wait(30)
                seen["off"] += [mg.is_grad_enabled(), (x * 2).requires_grad]
        else:
            assert inside.wait(30)
            seen["on"] += [mg.is_grad_enabled(), (x * 2).requires_grad]
            done.set()

    with mg.no_grad():
        in_threads(2, work)
        assert not mg.is_grad_enabled()
    assert seen == {"off": [False, False], "on": [True, True]}


def test_backward_in_one_thread_leaves_the_mode_of_another_alone() -> None:
    """The walk switches recording off for itself; nobody else may notice."""
    wrong: list[bool] = []
    x = mg.ones(4, requires_grad=True)

    def work(k: int) -> None:
        for _ in range(500):
            if k:
                mg.autograd.grad((x.exp() * x).sum(), x)
            elif not ((x * 2).requires_grad and mg.is_grad_enabled()):
                wrong.append(True)

    in_threads(2, work)
    assert wrong == []


@pytest.mark.parametrize("size", [3, 100_000], ids=["small", "so large that NumPy lets other threads run"])
def test_concurrent_backward_into_a_shared_leaf(size: int, restless: None) -> None:
    """Every contribution of every thread arrives in .grad: the first one too, when two meet an empty .grad."""
    threads, rounds = 4, 40
    x = mg.zeros(size, dtype=mg.float64, requires_grad=True)
    lost = []
    for _ in range(30 if size == 3 else 1):
        start = threading.Barrier(threads)
        x.grad = None

        def work(k: int, start: threading.Barrier = start) -> None:
            losses = [(x * (k + 1.0)).sum() for _ in range(rounds)]
            start.wait(30)
            for loss in losses:
                loss.backward()

        in_threads(threads, work)
        expected = rounds * sum(range(1, threads + 1))
        lost += [g for g in (x.grad.min().item(), x.grad.max().item()) if g != expected]
    assert lost == []


def test_concurrent_backward_through_a_shared_graph() -> None:
    """A part of the graph that two walks have in common is walked by each, with cotangents of its own."""
    x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
    shared = (x * x).exp()
    found: dict[int, list[float]] = {}

    def work(k: int) -> None:
        for _ in range(200):
            (g,) = mg.autograd.grad((shared * (k + 1)).sum(), x, retain_graph=True)
            found.setdefault(k, g.tolist())
            assert g.tolist() == found[k]

    in_threads(2, work)
    expected = 2 * np.array([1.0, 2.0]) * np.exp([1.0, 4.0])
    np.testing.assert_allclose(found[0], expected, rtol=1e-15)
    np.testing.assert_allclose(found[1], 2 * expected, rtol=1e-15)


def test_load_runs_no_code_of_a_file(tmp_path: Path) -> None:
    """Only what tensors and their containers are made of is taken from a file, unless the caller asks for more."""
    file = tmp_path / "file"
    for named in (print, np.load):
        file.write_bytes(pickle.dumps(named))
        with pytest.raises(pickle.UnpicklingError, match="names"):
            mg.load(file)
    file.write_bytes(b"\x80\x04\x8c\x0fminigrad.dtypes\x8c\x07np.load\x93.")  # a name with a dot, through a module that is known
    with pytest.raises(pickle.UnpicklingError, match="names"):
        mg.load(file)
    state = {"w": mg.nn.Parameter(mg.ones(2)), "kind": mg.float64, "sizes": [mg.ones(2, 3).shape, (1, 2.0)]}
    mg.save(state, file)
    assert repr(mg.load(file)) == repr(state)
    mg.save(mg.nn.Linear(2, 2), file)
    assert mg.load(file, weights_only=False)(mg.ones(1, 2)).shape == (1, 2)
