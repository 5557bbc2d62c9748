"""Derivatives checked against finite differences: ``gradcheck`` for the first, ``gradgradcheck`` for the second.

The numerical derivative along v is (f(x + eps·v) - f(x - eps·v)) / (2·eps); in double precision it is good to about nine
digits. A Jacobian is written as PyTorch prints it here: a row for each element of the input, a column for each element of
the output. Source for complex functions: PyTorch, "Gradcheck mechanics". What a mismatch looks like is told in a note.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from .. import autograd, dtypes, errors
from ..compat.attributes import Size
from ..core.tape import Node
from ..core.tensor import Tensor
from ..core.tensor import wrap as _wrap
from ..modes import enable_grad
from ..testing import make_tensor
from . import forward_ad
from .diagnosis import diagnose

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]


class GradcheckError(RuntimeError):
    """What ``gradcheck`` and ``gradgradcheck`` raise for a derivative that does not agree."""


def _as_tuple(values: Any) -> tuple:
    return tuple(values) if isinstance(values, (tuple, list)) else (values,)


def _needs_grad(inputs: Sequence[Any]) -> list[int]:
    return [k for k, x in enumerate(inputs) if isinstance(x, Tensor) and x.requires_grad]


def _differentiable(outputs: Any) -> tuple[Tensor, ...]:
    return tuple(o for o in _as_tuple(outputs) if o.requires_grad)


class _Check:
    """One function of real outputs (and, for forward mode, of real inputs) at one point, with the tolerances."""

    def __init__(
        self, func: Callable, inputs: Sequence[Any], options: dict[str, Any], part: str = "", forward: bool = False,
        results: tuple | None = None,
    ):  # fmt: skip
        self.func, self.inputs, self.forward, self.part = func, tuple(inputs), forward, part
        self.options = options
        self.eps, self.rtol, self.atol = options["eps"], options["rtol"], options["atol"]
        self.results = _as_tuple(func(*self.inputs)) if results is None else results
        self.chosen = _needs_grad(self.inputs)
        self.places = _needs_grad(self.results)  # of the results that are checked

    # -- the numbers -----------------------------------------------------------------------------------------------------

    def numerical(self, x: Tensor, step: complex, at: Any) -> list[np.ndarray]:
        """The derivatives of all outputs along a step of one element of one input, by central differences."""
        memory = x._array[at]  # behind the version counter's back
        before = memory.copy()
        sides = []
        for sign in (-1, 1):
            memory[...] = before + sign * step
            try:
                sides.append([o._array.copy() for o in _as_tuple(self.func(*self.inputs))])
            finally:
                memory[...] = before
        found = []
        for a, b in zip(*sides, strict=True):
            for name, one, two in (("shape", Size(a.shape), Size(b.shape)), ("dtype", dtypes.of(a), dtypes.of(b))):
                if one != two:
                    raise errors.CHECK_UNSTABLE(name, f"on index {at[:-1]} ", self.eps, one, two)
            found.append(((b - a) / (2 * self.eps)).reshape(-1) if a.dtype.kind in "fc" else np.zeros(a.size))
        return found

    def jacobian(self, x: Tensor) -> list[np.ndarray]:
        """The numerical Jacobian with respect to one input, for each result a matrix: for complex numbers ∂/∂x + i·∂/∂y."""
        rows = []
        for index in np.ndindex(x._array.shape):
            row = self.numerical(x, self.eps, (*index, ...))
            if x.is_complex():
                row = [a + 1j * b for a, b in zip(row, self.numerical(x, self.eps * 1j, (*index, ...)), strict=True)]
            rows.append(row)
        return self.matrices(x, rows)

    def matrices(self, x: Tensor, rows: list[list[np.ndarray]]) -> list[np.ndarray]:
        """For each result the rows of its Jacobian as one array."""
        shapes = [(x.numel(), r.numel()) for r in self.results]
        return [np.array([row[k] for row in rows]).reshape(shape) for k, shape in enumerate(shapes)]

    def pulled(self, output: Tensor, v: Tensor) -> list[np.ndarray]:
        """vᵀJ for all inputs, zeros where nothing arrives."""
        inputs = [self.inputs[k] for k in self.chosen]
        found = autograd.grad(output, inputs, v, retain_graph=True, allow_unused=True)
        return [np.zeros_like(x._array) if g is None else g._array.copy() for g, x in zip(found, inputs, strict=True)]

    def analytical(self, output: Tensor, vectors: Sequence[Tensor]) -> list[np.ndarray]:
        """The products of some vectors with the Jacobians of one output, a column each, computed twice."""
        passes = [[self.pulled(output, v) for v in vectors] for _ in range(2)]
        for one, two in zip(*passes, strict=True):
            for a, b in zip(one, two, strict=True):
                if a.size and np.abs(a - b).max() > self.options["nondet_tol"]:
                    raise GradcheckError(errors.CHECK_NONDETERMINISTIC.format(self.options["nondet_tol"]))
        return [
            np.array([p[j].reshape(-1) for p in passes[0]]).T if passes[0] else np.zeros((self.inputs[k].numel(), 0))
            for j, k in enumerate(self.chosen)
        ]

    def analytical_jacobians(self) -> Iterator[list[np.ndarray]]:
        """For each result that is checked its analytical Jacobians, one for each input."""
        inputs = [(k, self.inputs[k]) for k in self.chosen if self.forward]
        tangents = [self.matrices(x, [self.pushed(k, e) for e in _units(x)]) for k, x in inputs]
        for number in self.places:
            output = self.results[number]
            vectors = [_wrap(e) for e in _units(output)]
            yield [found[number] for found in tangents] if self.forward else self.analytical(output, vectors)

    def pushed(self, k: int, tangent: np.ndarray) -> list[np.ndarray]:
        """Jt for a tangent of one input: for each result a vector, zeros where no tangent comes out."""
        with forward_ad.dual_level():
            duals = list(self.inputs)
            for j in self.chosen:
                x = self.inputs[j].detach()
                duals[j] = forward_ad.make_dual(x, _wrap(tangent if j == k else np.zeros_like(x._array)))
            found = []
            for out in _as_tuple(self.func(*duals)):
                value, t = forward_ad.unpack_dual(out)
                if self.options["check_grad_dtypes"] and t is not None and value.is_complex() != t.is_complex():
                    raise GradcheckError(errors.CHECK_FORWARD_DTYPE)
                found.append((np.zeros_like(value._array) if t is None else t._array).reshape(-1))
        return found

    # -- the comparison --------------------------------------------------------------------------------------------------

    def close(self, a: np.ndarray, n: np.ndarray, atol: float) -> bool:
        return bool(np.isclose(a, n, self.rtol, atol).all())

    def mismatch(self, a: np.ndarray, n: np.ndarray, output: int, j: int) -> GradcheckError:
        """The error for a Jacobian, with a note that says what it looks like."""
        mode = "computed with forward mode " if self.forward else ""
        prefix = f"While considering the {self.part} part of complex outputs only, " if self.part else ""
        return GradcheckError(f"{prefix}{errors.CHECK_MISMATCH.format(mode, output, j, _wrap(n), _wrap(a))}")

    @np.errstate(all="ignore")  # what is no number is reported
    def run(self) -> None:
        numerical = {k: self.jacobian(self.inputs[k]) for k in self.chosen}
        if not self.places:
            if any(jacobian.any() for found in numerical.values() for jacobian in found):
                raise GradcheckError(errors.CHECK_NOT_ZERO)
            return
        for i, (number, jacobians) in enumerate(zip(self.places, self.analytical_jacobians(), strict=True)):
            for j, (k, a) in enumerate(zip(self.chosen, jacobians, strict=True)):
                n = numerical[k][number]
                if not self.close(a, n, self.atol):
                    raise errors.note(self.mismatch(a, n, i, j), diagnose(self, a, n, k, number), name="CHECK_MISMATCH")


def _units(like: Tensor) -> list[np.ndarray]:
    """The unit vectors in the shape of a Tensor."""
    return [np.eye(1, like.numel(), k, like._array.dtype).reshape(like._array.shape) for k in range(like.numel())]


# -- complex functions as two real ones ----------------------------------------------------------------------------------


def _backward_checks(func: Callable, inputs: tuple, results: tuple, options: dict[str, Any]) -> list[_Check]:
    if not any(isinstance(o, Tensor) and o.is_complex() for o in results):
        return [_Check(func, inputs, options, results=results)]

    def part(name: str) -> Callable:
        return functools.update_wrapper(
            lambda *args: tuple(getattr(o, name) if o.is_complex() else o for o in _as_tuple(func(*args))), func
        )

    return [_Check(part("imag"), inputs, options, "imaginary"), _Check(part("real"), inputs, options, "real")]


def _forward_checks(func: Callable, inputs: tuple, options: dict[str, Any]) -> list[_Check]:
    if any(isinstance(x, Tensor) and x.is_complex() for x in inputs):
        raise errors.lacks("gradcheck of forward mode for complex inputs")
    return [_Check(func, inputs, options, forward=True)]


# -- further checks ------------------------------------------------------------------------------------------------------


class UndefinedGrad(Node):
    """A node that passes no gradient on."""

    __slots__ = ()

    def name(self) -> str:
        return "minigrad::autograd::UndefinedGrad"

    def apply(self, cotangents: list, tensors: bool, wanted: Any) -> Sequence:
        return [None]


def _without_gradient(output: Tensor) -> Tensor:
    array = output._array
    node = UndefinedGrad([output._gradient_edge()], ((array.shape, array.dtype),))
    return output._alias((node, 0))


def _check_inputs(inputs: tuple) -> None:
    for index in _needs_grad(inputs):
        x = inputs[index]
        if x._array.dtype not in (np.float64, np.complex128):
            warnings.warn(errors.CHECK_PRECISION.format(index), UserWarning, stacklevel=4)
        if any(step == 0 and n > 1 for step, n in zip(x._array.strides, x._array.shape, strict=True)):
            raise errors.CHECK_OVERLAP(index)
    if not _needs_grad(inputs):
        raise errors.CHECK_NO_INPUT()


def _check_linear(outputs: Sequence[Tensor], inputs: Sequence[Tensor], masked: bool | None) -> None:
    """A gradient of zeros must give zeros."""
    found = autograd.grad(outputs, inputs, [_zeros(o) for o in outputs], allow_unused=True)
    for g in found:
        if g is not None and (not np.allclose(g._array, 0) if masked else (g._array != 0).any()):
            raise GradcheckError(errors.CHECK_NOT_MULTIPLIED)


def _check_undefined(func: Callable, inputs: tuple) -> None:
    """A backward must cope with outputs whose gradients are missing: all of them, and each by itself."""
    count = len(_differentiable(func(*inputs)))
    for missing in [range(count), *([k] for k in range(count) if count > 1)]:
        outputs = [_without_gradient(o) if k in missing else o for k, o in enumerate(_differentiable(func(*inputs)))]
        zeros = [_zeros(o) for o in outputs]
        try:
            found = autograd.grad(outputs, [inputs[k] for k in _needs_grad(inputs)], zeros, allow_unused=True)
        except RuntimeError as error:
            warnings.warn(errors.CHECK_UNDEFINED_NEW, UserWarning, stacklevel=4)
            raise GradcheckError(errors.CHECK_UNDEFINED_HANDLE) from error
        if any(g is not None and (g._array != 0).any() for g in found):
            warnings.warn(errors.CHECK_UNDEFINED_NEW, UserWarning, stacklevel=4)
            raise GradcheckError(errors.CHECK_UNDEFINED_ZERO)


def _zeros(like: Tensor) -> Tensor:
    return _wrap(np.zeros_like(like._array))


# -- what is called ------------------------------------------------------------------------------------------------------


def gradcheck(
    func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False, check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True, fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:  # fmt: skip
    """Whether the derivatives of a function agree with finite differences: True, or GradcheckError (or False).

    func: takes the inputs, returns a Tensor or a tuple of them. inputs: Tensors, of which those that require grad are
    checked; they should be of double precision. eps: the step; atol, rtol: what difference is allowed.
    raise_exception: False returns False in place of raising GradcheckError. nondet_tol: how far two equal backward passes
    may differ. check_undefined_grad: gradients that are missing must count as zeros. check_forward_ad, check_backward_ad:
    which mode is checked. check_grad_dtypes: refuse a tangent that is complex where its value is real, or the other way
    round. masked: tolerate tiny numbers where zeros are expected. The rest changes nothing here: a batch of gradients is a
    loop, so check_batched_grad and check_batched_forward_grad find nothing more, and fast_mode checks the whole Jacobian too.

    ValueError when no input requires grad, RuntimeError for an expanded input. The error has a note that says what the
    wrong derivative looks like.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
    >>> mg.autograd.gradcheck(lambda x: x ** 3, x)
    True
    """
    if not (check_forward_ad or check_backward_ad):
        raise errors.CHECK_NEITHER()
    if check_batched_grad and not check_backward_ad:
        raise errors.CHECK_BATCHED_NEEDS()
    if check_batched_forward_grad and not check_forward_ad:
        raise errors.CHECK_BATCHED_FORWARD_NEEDS()
    options = {"eps": eps, "atol": atol, "rtol": rtol, "nondet_tol": nondet_tol, "check_grad_dtypes": check_grad_dtypes}
    try:
        given = _as_tuple(inputs)
        _check_inputs(given)
        results = _as_tuple(func(*given))
        outputs = _differentiable(results)
        for check in _backward_checks(func, given, results, options) if check_backward_ad else ():
            check.run()
        for check in _forward_checks(func, given, options) if check_forward_ad else ():
            check.run()
        if check_backward_ad and outputs:
            wanted = [given[k] for k in _needs_grad(given)]
            _check_linear(outputs, wanted, masked)
            if check_undefined_grad:
                _check_undefined(func, given)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(
    func: Callable, inputs: Any, grad_outputs: Any = None, *, check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True, check_undefined_grad: bool = True, check_batched_grad: bool = False,
    **options: Any,
) -> bool:  # fmt: skip
    """Whether the second derivatives agree with finite differences of the first: ``gradcheck`` of the backward pass.

    grad_outputs: the vectors of that pass, for each output one of its shape; random ones by default.
    check_fwd_over_rev, check_rev_over_rev: forward mode, or
    backward, over the backward pass. options: as in ``gradcheck``.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
    >>> mg.autograd.gradgradcheck(mg.sin, x)
    True
    """
    if not (check_fwd_over_rev or check_rev_over_rev):
        raise errors.CHECK_SECOND_NEITHER()
    for name, asked in (("check_undefined_grad", check_undefined_grad), ("check_batched_grad", check_batched_grad)):
        if asked and not check_rev_over_rev:
            raise errors.CHECK_SECOND_NEEDS(name)
    given = _as_tuple(inputs)
    if grad_outputs is None:
        vectors: tuple = tuple(
            make_tensor(o.shape, dtype=o.dtype, device="cpu", low=-1, high=1, requires_grad=True)
            for o in _differentiable(func(*given))
        )
    else:
        vectors = _as_tuple(grad_outputs)
    split = len(given)
    chosen, chosen_vectors = _needs_grad(given), _needs_grad(vectors)

    def first(*args: Any) -> tuple[Tensor, ...]:
        xs = [x.requires_grad_() if k in chosen else x for k, x in enumerate(args[:split])]
        vs = [v.requires_grad_() if k in chosen_vectors else v for k, v in enumerate(args[split:])]
        with enable_grad():
            outputs = _differentiable(func(*xs))
            found = autograd.grad(outputs, [xs[k] for k in chosen], vs, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    first.is_backward = True  # type: ignore[attr-defined]  # for the diagnosis
    return gradcheck(
        first, given + vectors, check_undefined_grad=check_undefined_grad, check_batched_grad=check_batched_grad,
        check_forward_ad=check_fwd_over_rev, check_backward_ad=check_rev_over_rev, **options,
    )  # fmt: skip
