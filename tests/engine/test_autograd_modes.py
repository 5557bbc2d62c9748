"""Modes belong to threads and end where they should; custom Functions and tangents where facts cannot reach."""

from __future__ import annotations

import gc
import re
import threading
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import minigrad as mg
from minigrad.core.rule import REGISTRY

fw = mg.autograd.forward_ad


def in_a_thread(call: Callable[[], Any]) -> Any:
    """What a call returns, or raises, in a thread of its own."""
    found: list[Any] = []

    def work() -> None:
        try:
            found.append(call())
        except Exception as error:
            found.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found[0]


# -- threads ---------------------------------------------------------------------------------------------------------------


def switches() -> tuple[Any, ...]:
    """Every mode of this thread, seen from outside."""
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    return (
        mg.is_grad_enabled(), mg.is_inference_mode_enabled(), mg.is_anomaly_enabled(), mg.is_anomaly_check_nan_enabled(),
        y.requires_grad, y.is_inference(), fw.unpack_dual(y).tangent is None,
        None if y.grad_fn is None else "traceback_" in y.grad_fn.metadata,
    )  # fmt: skip


USUAL = (True, False, False, True, True, False, True, False)


@pytest.mark.parametrize(
    "mode",
    [
        mg.no_grad,
        mg.inference_mode,
        lambda: mg.autograd.set_detect_anomaly(True, check_nan=False),
        fw.dual_level,
        lambda: mg.autograd.graph.saved_tensors_hooks(lambda t: 1 / 0, lambda t: t),
    ],
)
def test_a_mode_holds_in_its_thread_only(mode: Callable) -> None:
    assert switches() == USUAL
    with mode():
        assert in_a_thread(switches) == USUAL
    assert switches() == USUAL


def test_a_level_belongs_to_its_thread() -> None:
    with fw.dual_level():
        dual = fw.make_dual(mg.tensor(2.0), mg.tensor(1.0))
        error = in_a_thread(lambda: fw.make_dual(mg.tensor(2.0), mg.tensor(1.0)))
        assert isinstance(error, RuntimeError) and "no level exists" in str(error)
        assert in_a_thread(lambda: fw.unpack_dual(dual * dual).tangent) is None
        assert fw.unpack_dual(dual * dual).tangent.item() == 4.0


def test_threads_with_different_modes_at_once() -> None:
    """Eight threads interleave; each sees only its own mode, and all their gradients arrive."""
    w = mg.ones(3, requires_grad=True)
    meet = threading.Barrier(8)

    def work(number: int) -> bool:
        right = True
        for _ in range(50):
            with mg.no_grad() if number % 2 else mg.enable_grad():
                meet.wait()
                y = (w * number).sum()
                right = right and y.requires_grad == (number % 2 == 0)
        return right

    found: dict[int, bool] = {}
    threads = [threading.Thread(target=lambda k=k: found.update({k: work(k)})) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == dict.fromkeys(range(8), True)


# -- what is refused -------------------------------------------------------------------------------------------------------


def test_modes_do_not_decorate_generators_and_classes() -> None:
    def generator() -> Iterator[int]:
        yield 1

    for value in (generator, int):
        with pytest.raises(NotImplementedError, match="context managers"):
            mg.no_grad()(value)


def test_forward_mode_refuses_writes_and_they_change_nothing() -> None:
    class Twice(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.mark_dirty(x)
            return x.mul_(2)

        @staticmethod
        def jvp(ctx: Any, t: Any) -> Any:
            return t * 2

    with fw.dual_level():
        dual, plain = fw.make_dual(mg.ones(2), mg.ones(2)), mg.ones(2)
        for write in (lambda: dual.mul_(2), lambda: plain.copy_(dual), lambda: dual.__setitem__(0, 3.0)):
            with pytest.raises(NotImplementedError, match="writes in forward mode"):
                write()
        assert dual.tolist() == plain.tolist() == [1.0, 1.0]
        with pytest.raises(NotImplementedError, match="writes to its inputs"):
            Twice.apply(dual)


def test_modes_end_with_their_block_also_after_an_error() -> None:
    for mode in (mg.no_grad, mg.inference_mode, fw.dual_level, lambda: mg.autograd.set_detect_anomaly(True)):
        with pytest.raises(KeyError), mode():
            raise KeyError
        assert switches() == USUAL


# -- anomaly mode ----------------------------------------------------------------------------------------------------------


def test_anomaly_mode_tells_of_the_calls_behind_a_second_derivative() -> None:
    """A node that was made in a backward pass names the node in whose backward it was made."""
    x = mg.tensor(1.0, requires_grad=True)
    with mg.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        y = (x - 1) ** 1.5
        (g,) = mg.autograd.grad(y, x, create_graph=True)
        assert not caught
        with pytest.raises(RuntimeError, match="returned nan values in its 0th output"):
            mg.autograd.grad(g * 0, x)
    own, parent = (str(w.message) for w in caught)
    assert own.startswith("Error detected in PowBackward0. Traceback of forward call that caused the error:\n")
    assert "(g,) = mg.autograd.grad(y, x, create_graph=True)" in own
    assert parent.startswith("\n\nPrevious calculation was induced by PowBackward0. Traceback of forward call that induced")
    assert "y = (x - 1) ** 1.5" in parent


def test_anomaly_mode_warns_for_an_error_in_a_custom_function_or_hook() -> None:
    class Fails(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            raise ValueError("mine")

    x = mg.tensor(1.0, requires_grad=True)
    with mg.autograd.set_detect_anomaly(True):
        y = Fails.apply(x)
        with pytest.warns(UserWarning, match="Error detected in FailsBackward"), pytest.raises(ValueError, match="mine"):
            y.backward()


# -- custom Functions ------------------------------------------------------------------------------------------------------


def test_the_context_takes_any_attribute() -> None:
    """Also names that the engine's nodes use themselves."""

    class Named(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.name, ctx.edges, ctx.number, ctx.hooks, ctx.site, ctx.saved = "mine", 1, 2, 3, 4, 5
            return x * 2

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            assert (ctx.name, ctx.edges, ctx.number, ctx.hooks, ctx.site, ctx.saved) == ("mine", 1, 2, 3, 4, 5)
            return mg.ones(7)

    x = mg.ones(2, requires_grad=True)
    y = Named.apply(x)
    y.register_hook(lambda g: g)
    with pytest.raises(RuntimeError, match=r"Function NamedBackward returned an invalid gradient at index 0 - got \[7\]"):
        y.sum().backward()


def test_a_graph_with_a_custom_function_is_freed_without_the_collector() -> None:
    class Exp(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            y = x.exp()
            ctx.save_for_backward(x, y)
            return y

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            _, y = ctx.saved_tensors
            return g * y

    gc.collect()
    gc.disable()
    try:
        x = mg.ones(3, requires_grad=True)
        y = Exp.apply(x * 2)
        node = weakref.ref(y.grad_fn)
        (g,) = mg.autograd.grad(y.sum(), x, create_graph=True)
        del y, g
        assert node() is None
    finally:
        gc.enable()


def test_a_function_may_hand_out_what_it_keeps() -> None:
    """The engine must not add into an array that a backward returned, because the user may hold it."""
    kept: list[Any] = []

    class Keeps(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x * 1

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            kept.append(mg.ones(2))
            return kept[-1]

    x = mg.ones(2, requires_grad=True)
    (Keeps.apply(x) + Keeps.apply(x)).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0] and [k.tolist() for k in kept] == [[1.0, 1.0]] * 2
    x.grad.zero_()
    assert kept[0].tolist() == [1.0, 1.0]


# -- tangents --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["exp", "pow_tensor", "mm", "atan2", "softmax_dim"])
def test_the_transposed_rule_gives_the_same_tangent(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An operation without a word for its JVP uses its VJP, transposed. Here the word is taken away."""
    calls: dict[str, Callable] = {
        "exp": lambda a, b: a.exp(),
        "pow_tensor": lambda a, b: a**b,
        "mm": lambda a, b: a @ b,
        "atan2": lambda a, b: mg.atan2(a, b[0]),  # broadcast
        "softmax_dim": lambda a, b: a.softmax(1),
    }
    names = [n for n in REGISTRY if n.startswith(name.removesuffix("_dim"))] if name == "softmax_dim" else [name]
    values = mg.tensor([[0.5, 1.5], [2.0, 0.25]], dtype=mg.float64), mg.tensor([[1.0, 2.0], [0.5, 3.0]], dtype=mg.float64)
    tangents = mg.tensor([[1.0, -1.0], [0.5, 2.0]], dtype=mg.float64), mg.tensor([[3.0, 0.0], [1.0, -2.0]], dtype=mg.float64)

    def tangent() -> Any:
        with fw.dual_level():
            return fw.unpack_dual(calls[name](*(fw.make_dual(v, t) for v, t in zip(values, tangents, strict=True)))).tangent

    expected = tangent()
    for n in names:
        monkeypatch.setattr(REGISTRY[n], "jvp", None)
    mg.testing.assert_close(tangent(), expected)


def test_the_transposed_rule_can_be_differentiated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reverse over forward through it: the derivative of exp'(x)·t."""
    monkeypatch.setattr(REGISTRY["exp"], "jvp", None)
    x = mg.tensor([0.5, 1.0], dtype=mg.float64, requires_grad=True)
    with fw.dual_level():
        t = fw.unpack_dual(fw.make_dual(x, mg.tensor([2.0, 3.0], dtype=mg.float64)).exp()).tangent
        (g,) = mg.autograd.grad(t.sum(), x)
    mg.testing.assert_close(g, x.detach().exp() * mg.tensor([2.0, 3.0], dtype=mg.float64))


def test_a_tangent_does_not_outlive_its_level() -> None:
    with fw.dual_level():
        dual = fw.make_dual(mg.tensor(2.0), mg.tensor(1.0))
    assert re.fullmatch(r"tensor\(2\.\)", repr(dual))
    with fw.dual_level():
        assert fw.unpack_dual(dual * 3).tangent is None
        assert fw.unpack_dual(fw.make_dual(dual, mg.tensor(5.0)) * 3).tangent.item() == 15.0


def test_forward_over_reverse_is_the_hessian_vector_product() -> None:
    def f(x: Any) -> Any:
        return (x[0] ** 2 * x[1]).sin() + x.exp().prod() + (x.tanh() @ x)

    x, v = mg.tensor([0.5, -1.0, 2.0], dtype=mg.float64), mg.tensor([1.0, 0.25, -3.0], dtype=mg.float64)
    with fw.dual_level():
        dual = fw.make_dual(x.clone().requires_grad_(), v)
        (g,) = mg.autograd.grad(f(dual), dual)
        product = fw.unpack_dual(g).tangent
    mg.testing.assert_close(product, mg.autograd.functional.hessian(f, x) @ v)


def test_gradients_that_accumulate_carry_no_tangent() -> None:
    x = mg.tensor([1.0, 2.0], requires_grad=True)
    with fw.dual_level():
        (fw.make_dual(x, mg.ones(2)) ** 3).sum().backward()
        assert fw.unpack_dual(x.grad).tangent is None
    assert x.grad.tolist() == [3.0, 12.0]


def test_a_refused_write_to_an_inference_tensor_changes_nothing() -> None:
    with mg.inference_mode():
        x = mg.ones(2)
    for write in (lambda: x.add_(1), lambda: x.copy_(mg.zeros(2)), lambda: x.__setitem__(0, 5.0), lambda: x.zero_()):
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor"):
            write()
        assert x.tolist() == [1.0, 1.0]


def test_the_nodes_that_anomaly_mode_shows_bear_their_names() -> None:
    x = mg.tensor(2.0, requires_grad=True)
    with mg.autograd.set_detect_anomaly(True):
        (slope,) = mg.autograd.grad(x.exp() * x, x, create_graph=True)
    parents = [type(node.metadata["parent_"]).__name__ for node in (slope.grad_fn, slope.grad_fn.next_functions[0][0])]
    assert parents == ["ExpBackward0", "MulBackward0"]  # as in PyTorch
