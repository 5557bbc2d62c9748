"""Derivatives checked against finite differences: ``gradcheck`` for the first, ``gradgradcheck`` for the second.

The numerical derivative along v is (f(x + eps·v) - f(x - eps·v)) / (2·eps); in double precision it is good to about nine
digits. A Jacobian is written as PyTorch prints it here: a row for each element of the input, a column for each element of
the output. What a mismatch looks like is told in a note.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import autograd, dtypes, errors
from ..compat.attributes import Size
from ..core.tensor import Tensor
from ..core.tensor import wrap as _wrap
from ..modes import enable_grad
from ..random import uniform_
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
    """One function at one point, with the tolerances."""

    def __init__(self, func: Callable, inputs: tuple, results: tuple, options: dict[str, Any]):
        self.func, self.inputs, self.results, self.options = func, inputs, results, options
        self.eps, self.rtol, self.atol = options["eps"], options["rtol"], options["atol"]
        self.chosen = _needs_grad(inputs)
        self.places = _needs_grad(results)  # of the results that are checked

    # -- the numbers -----------------------------------------------------------------------------------------------------

    def numerical(self, x: Tensor, at: Any) -> list[np.ndarray]:
        """The derivatives of all outputs with respect to one element of one input, by central differences."""
        memory = x._array[at]  # behind the version counter's back
        before = memory.copy()
        sides = []
        for sign in (-1, 1):
            memory[...] = before + sign * self.eps
            try:
                sides.append([o._array.copy() for o in _as_tuple(self.func(*self.inputs))])
            finally:
                memory[...] = before
        found = []
        for a, b in zip(*sides, strict=True):
            for name, one, two in (("shape", Size(a.shape), Size(b.shape)), ("dtype", dtypes.of(a), dtypes.of(b))):
                if one != two:
                    raise errors.CHECK_UNSTABLE(name, f"on index {at[:-1]} ", self.eps, one, two)
            found.append(((b - a) / (2 * self.eps)).reshape(-1) if a.dtype.kind == "f" else np.zeros(a.size))
        return found

    def jacobian(self, x: Tensor) -> list[np.ndarray]:
        """The numerical Jacobian with respect to one input, for each result a matrix."""
        rows = [self.numerical(x, (*index, ...)) for index in np.ndindex(x._array.shape)]
        shapes = [(x.numel(), r.numel()) for r in self.results]
        return [np.array([row[k] for row in rows]).reshape(shape) for k, shape in enumerate(shapes)]

    def pulled(self, output: Tensor, v: Tensor) -> list[np.ndarray]:
        """vᵀJ for all inputs, zeros where nothing arrives."""
        inputs = [self.inputs[k] for k in self.chosen]
        found = autograd.grad(output, inputs, v, retain_graph=True, allow_unused=True)
        return [np.zeros_like(x._array) if g is None else g._array.copy() for g, x in zip(found, inputs, strict=True)]

    def analytical(self, output: Tensor) -> list[np.ndarray]:
        """The Jacobians of one output with respect to all inputs, computed twice."""
        passes = [[self.pulled(output, _wrap(e)) for e in _units(output)] for _ in range(2)]
        for one, two in zip(*passes, strict=True):
            for a, b in zip(one, two, strict=True):
                if a.size and np.abs(a - b).max() > self.options["nondet_tol"]:
                    raise GradcheckError(errors.CHECK_NONDETERMINISTIC.format(self.options["nondet_tol"]))
        return [
            np.array([p[j].reshape(-1) for p in passes[0]]).T if passes[0] else np.zeros((self.inputs[k].numel(), 0))
            for j, k in enumerate(self.chosen)
        ]

    # -- the comparison --------------------------------------------------------------------------------------------------

    @np.errstate(all="ignore")  # what is no number is reported
    def run(self) -> None:
        numerical = {k: self.jacobian(self.inputs[k]) for k in self.chosen}
        if not self.places and any(jacobian.any() for found in numerical.values() for jacobian in found):
            raise GradcheckError(errors.CHECK_NOT_ZERO)
        for i, number in enumerate(self.places):
            for j, (k, a) in enumerate(zip(self.chosen, self.analytical(self.results[number]), strict=True)):
                n = numerical[k][number]
                if not np.isclose(a, n, self.rtol, self.atol).all():
                    error = GradcheckError(errors.CHECK_MISMATCH.format("", i, j, _wrap(n), _wrap(a)))
                    raise errors.note(error, diagnose(self, a, n, k, number), name="CHECK_MISMATCH")


def _units(like: Tensor) -> list[np.ndarray]:
    """The unit vectors in the shape of a Tensor."""
    return [np.eye(1, like.numel(), k, like._array.dtype).reshape(like._array.shape) for k in range(like.numel())]


# -- further checks ------------------------------------------------------------------------------------------------------


def _check_inputs(inputs: tuple) -> None:
    for index in _needs_grad(inputs):
        x = inputs[index]
        if x._array.dtype.kind == "f" and x._array.dtype != np.float64:
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


def _zeros(like: Tensor) -> Tensor:
    return _wrap(np.zeros_like(like._array))


# -- what is called ------------------------------------------------------------------------------------------------------


def gradcheck(
    func: Callable, inputs: Any, *, eps: float = 1e-6, atol: float = 1e-5, rtol: float = 1e-3,
    raise_exception: bool = True, nondet_tol: float = 0.0, check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
    check_batched_grad: bool = False, check_batched_forward_grad: bool = False, check_forward_ad: bool = False,
    check_backward_ad: bool = True, fast_mode: bool = False, masked: bool | None = None,
) -> bool:  # fmt: skip
    """Whether the derivatives of a function agree with finite differences: True, or GradcheckError (or False).

    func: takes the inputs, returns a Tensor or a tuple of them. inputs: Tensors, of which those that require grad are
    checked; they should be of double precision. eps: the step; atol, rtol: what difference is allowed.
    raise_exception: False returns False in place of raising GradcheckError. nondet_tol: how far two equal backward passes
    may differ. masked: tolerate tiny numbers where zeros are expected. check_undefined_grad, check_grad_dtypes,
    check_batched_grad and fast_mode change nothing here: what they add is not checked, and the whole Jacobian always is.
    NotImplementedError for complex numbers, and for checks of forward mode.

    ValueError when no input requires grad, RuntimeError for an expanded input. The error has a note that says what the
    wrong derivative looks like.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
    >>> mg.autograd.gradcheck(lambda x: x ** 3, x)
    True
    """
    errors.refuse("gradcheck", check_forward_ad=check_forward_ad, check_batched_forward_grad=check_batched_forward_grad)
    errors.refuse("gradcheck", check_backward_ad=not check_backward_ad)
    options = {"eps": eps, "atol": atol, "rtol": rtol, "nondet_tol": nondet_tol}
    try:
        given = _as_tuple(inputs)
        _check_inputs(given)
        results = _as_tuple(func(*given))
        outputs = _differentiable(results)
        if any(isinstance(x, Tensor) and x.is_complex() for x in (*given, *results)):
            raise errors.lacks("gradcheck of complex numbers")
        _Check(func, given, results, options).run()
        if outputs:
            _check_linear(outputs, [given[k] for k in _needs_grad(given)], masked)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def gradgradcheck(func: Callable, inputs: Any, grad_outputs: Any = None, **options: Any) -> bool:
    """Whether the second derivatives agree with finite differences of the first: ``gradcheck`` of the backward pass.

    grad_outputs: the vectors of that pass, for each output one of its shape; random ones by default. options: as in ``gradcheck``.

    >>> import minigrad as mg
    >>> x = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
    >>> mg.autograd.gradgradcheck(mg.sin, x)
    True
    """
    given = _as_tuple(inputs)
    if grad_outputs is None:
        vectors: tuple = tuple(
            uniform_(_wrap(np.empty_like(o._array, order="C")), -1, 1).requires_grad_() for o in _differentiable(func(*given))
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
    return gradcheck(first, given + vectors, **options)
