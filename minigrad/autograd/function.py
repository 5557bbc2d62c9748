"""``minigrad.autograd.function``: operations that a program defines itself, forward and backward.

The context that ``forward`` gets as ``ctx`` is the node of the graph, as in PyTorch: what is put on it there can be read
from ``y.grad_fn`` later.
"""

from __future__ import annotations

import functools
import inspect
import warnings
from collections.abc import Callable, Container, Sequence
from typing import Any

import numpy as np

from .. import errors
from ..around.extension import annotate
from ..around.saved import PackedTensor, SavedInfo, freed_info, saved_info
from ..around.tangents import no_tangents, tangent_of
from ..compat.complaints import node_name
from ..core.seams import seams
from ..core.tape import AccumulateGrad, Node, SavedTensor, caller, save, save_output, unpack
from ..core.tensor import Tensor, bump, wrap
from ..core.views import check_inplace, set_history, set_written_history
from ..modes import no_grad, state

__all__ = ["BackwardCFunction", "Function", "FunctionCtx", "once_differentiable"]


class FunctionCtx:
    """What ``forward`` and ``setup_context`` may tell the engine."""

    to_save: tuple = ()
    saved_for_forward: tuple = ()
    dirty_tensors: tuple = ()
    non_differentiable: tuple = ()
    materialize_grads = True

    def save_for_backward(self, *tensors: Tensor | None) -> None:
        """Keep inputs and outputs for ``backward``, which finds them in ``ctx.saved_tensors``, their versions checked.

        An intermediate result may be saved too, but no second derivative goes through it.
        """
        self.to_save = tensors

    def save_for_forward(self, *tensors: Tensor | None) -> None:
        """Keep tensors for ``jvp``, which finds them in ``ctx.saved_tensors``."""
        self.saved_for_forward = tensors

    def mark_dirty(self, *args: Tensor) -> None:
        """Name the inputs that ``forward`` wrote to. They must be returned."""
        self.dirty_tensors = args

    def mark_non_differentiable(self, *args: Tensor) -> None:
        """Name the outputs that get no gradient. ``backward`` receives zeros for them."""
        self.non_differentiable = args

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` and ``jvp`` receive zeros (True, the default) or None where there is no gradient."""
        self.materialize_grads = value


class BackwardCFunction(Node, FunctionCtx):
    """The node of a custom Function, and its context. ``Exp`` has a subclass ``ExpBackward``."""

    _forward_cls: type[Function]
    runs_user_code = True
    _freed = False
    _saved: list = []
    _freed_by: Any = None
    needs_input_grad: tuple[bool, ...]
    __repr__ = object.__repr__

    def __call__(self, *gradients: Any, **kwargs: Any) -> Any:
        raise TypeError(f"'{type(self).__name__}' object is not callable")  # as in PyTorch, unlike the nodes of operations

    def __init__(self, args: tuple):
        self._is_tensor = [isinstance(a, Tensor) for a in args]
        tensors = [a for a in args if isinstance(a, Tensor)]
        self.needs_input_grad = tuple([isinstance(a, Tensor) and a.requires_grad for a in args])
        self._recorded = state.grad and True in self.needs_input_grad
        Node.__init__(self, [a._gradient_edge() for a in tensors] if self._recorded else (), (), caller())

    @property
    def saved_tensors(self) -> tuple[Tensor | None, ...]:
        """What was saved. RuntimeError when it was freed, or overwritten since."""
        if self.saved_for_forward:
            return self.saved_for_forward
        if self._freed:
            raise seams.error("FREED", node=self, freed_by=self._freed_by)
        return unpack(self._saved, self)

    def _info_of_saved(self) -> list[SavedInfo]:
        if self._freed:
            return [freed_info(f"saved_tensors[{k}]") for k in self._gone]
        return [saved_info(t, f"saved_tensors[{k}]") for k, t in enumerate(self._saved) if type(t) is tuple]

    def _release(self, site: Any) -> None:
        if not self._freed:
            self._gone = range(len(self._saved))
            self._freed, self._freed_by, self._saved = True, site, []

    def apply(self, cotangents: list, tensors: bool, needed: Container[Node] | None) -> Sequence:
        user = self._forward_cls
        if user.backward is not Function.backward and user.vjp is not Function.vjp:
            raise errors.BACKWARD_TWICE_DEFINED()
        backward = user.vjp if user.vjp is not Function.vjp else user.backward
        given: list[Tensor | None] = []
        for g, made in zip(cotangents, self._made, strict=True):
            if g is None and made is not None and self.materialize_grads:
                given.append(wrap(np.zeros(*made)))
            else:
                given.append(g if g is None or tensors else wrap(g))
        answer = backward(self, *given)
        answer = answer if isinstance(answer, tuple) else (answer,)
        count = len(self._is_tensor)
        if all(g is None for g in answer[count:]):
            answer = answer[:count]
        if len(answer) != count:
            raise errors.GRADIENT_COUNT(node_name(self), count, len(answer), noted=True)
        results: list[Any] = []
        for position, (g, is_tensor) in enumerate(zip(answer, self._is_tensor, strict=True)):
            if not is_tensor and g is not None:
                raise errors.GRADIENT_FOR_CONSTANT(node_name(self), position + 1)
            if not (g is None or isinstance(g, Tensor)):
                raise errors.GRADIENT_VALUE(errors.kind_of(g))
            if is_tensor:
                edge = self._edges[len(results)]
                if g is not None and edge is not None and g.is_complex() and edge[0]._metas[edge[1]][1].kind != "c":
                    raise errors.GRADIENT_COMPLEX(noted=True)
                results.append(g if g is None or tensors else g._array)
        return results

    # -- what follows runs once, when forward has returned ---------------------------------------------------------------

    def _finish(self, args: tuple, raw: tuple, split: bool) -> tuple:
        """The outputs of forward, with their history, and with what was saved kept."""
        self._check_marks()
        for t in self.dirty_tensors:
            bump(t._counter, self._made_at)
        self._made = [(o._array.shape, o._array.dtype) if isinstance(o, Tensor) else None for o in raw]
        self._metas = tuple([((), np.dtype(bool)) if made is None else made for made in self._made])
        saved = (*self.to_save, *self.saved_for_forward) if split else ()
        outputs = tuple([self._output(k, o, args, len(raw), saved) if self._made[k] else o for k, o in enumerate(raw)])
        if len(raw) > 1 and sum(isinstance(o, Tensor) and self._is_behind(o) for o in outputs) > 1:
            for o in outputs:
                if isinstance(o, Tensor) and o._view is not None:
                    o._view.origin = "multi"
        if any(not _has(raw, t) for t in self.dirty_tensors):
            raise errors.DIRTY_NOT_RETURNED()
        if state.forward is not None:
            self._push(args, raw, outputs)
        if self._recorded:
            self._saved = [None if t is None else self._keep(t, outputs) for t in self.to_save]
            if state.extension is not None:
                annotate(self, outputs)
        self.to_save = self.saved_for_forward = ()
        return outputs

    def _check_marks(self) -> None:
        """Raise for what was marked or saved and is no Tensor."""
        for kind, marked in (("MARK_DIRTY", self.dirty_tensors), ("MARK_NON_DIFFERENTIABLE", self.non_differentiable)):
            for number, t in enumerate(marked):
                if not isinstance(t, Tensor):
                    found = f"Argument {number} is of type {errors.kind_of(t)}."
                    raise errors.note(RuntimeError(getattr(errors, kind)), found, name=kind)
        for number, t in enumerate(self.to_save if self._recorded else ()):
            if not (t is None or isinstance(t, Tensor)):
                raise errors.SAVE_TYPE(number, errors.kind_of(t))

    def _is_behind(self, out: Tensor) -> bool:
        return out._edge is not None and out._edge[0] is self

    def _output(self, number: int, out: Tensor, args: tuple, count: int, saved: tuple) -> Tensor:
        """One output, connected to this node, or cut off where it has no gradient."""
        is_input, is_dirty = _has(args, out), _has(self.dirty_tensors, out)
        differentiable = self._recorded and out._array.dtype.kind in "fc" and not _has(self.non_differentiable, out)
        if is_input and not is_dirty and (differentiable or not out.requires_grad):
            if _has(saved, out):
                raise errors.SAVED_AS_IS()
            with no_grad(), no_tangents():
                out = out.view_as(out)
        elif not differentiable and out.requires_grad:
            if is_input:
                out = out.detach()
            elif out._view is None:
                out.detach_()
        if differentiable and is_dirty:
            if out._edge is None and out.requires_grad:
                raise errors.LEAF_DIRTY()
            if not is_input:
                warnings.warn(errors.DIRTY_NO_INPUT, UserWarning, stacklevel=5)
            if out._view is not None and count > 1:
                raise errors.DIRTY_VIEW()
            out._grad = out._hooked = None
            check_inplace(out, recorded=True)
            if out._view is not None:
                set_written_history(out, self)
            else:
                set_history(out, (self, number))
        elif differentiable:
            out._edge = (self, number)
        if out._view is not None and not (is_input and is_dirty):
            out._view.origin, out._view.version = "function", out._counter[0]
        return out

    def _keep(self, tensor: Tensor, outputs: tuple) -> SavedTensor | PackedTensor:
        """A tensor saved for backward; an output must not hold this node, which holds it."""
        place = None
        if _has(outputs, tensor) and tensor._edge is not None:
            place = next(k for k, o in enumerate(outputs) if o is tensor)
        if state.packing:
            return PackedTensor(tensor, state.packing[-1], place)
        if place is None:
            return save(tensor)
        kept = save_output(tensor, place)
        kept[0]._dual = tensor._dual
        return kept

    def _push(self, args: tuple, raw: tuple, outputs: tuple) -> None:
        """Give the outputs the tangents that the user's jvp computes."""
        found = [tangent_of(a) if isinstance(a, Tensor) else None for a in args]
        if all(t is None for t in found):
            return
        with no_tangents():
            for k, a in enumerate(args if self.materialize_grads else ()):
                if found[k] is None and isinstance(a, Tensor) and a._array.dtype.kind in "fc":
                    found[k] = wrap(np.zeros_like(a._array))
            answer = self._forward_cls.jvp(self, *found)
        answer = answer if isinstance(answer, tuple) else (answer,)
        for number, t in enumerate(answer):
            if not (t is None or isinstance(t, Tensor)):
                raise errors.TANGENT_VALUE(errors.kind_of(t), number)
        if len(answer) != len(outputs):
            raise errors.TANGENT_COUNT(len(outputs), len(answer))
        for number, (out, t) in enumerate(zip(outputs, answer, strict=True)):
            cut = _has(self.non_differentiable, raw[number])
            if t is None:
                continue
            if not isinstance(out, Tensor) or out._array.dtype.kind not in "fc" or cut:
                raise errors.TANGENT_NOT_DIFFERENTIABLE(number)
            if t._array.shape != out._array.shape:
                raise errors.TANGENT_SHAPE(list(out.shape), list(t.shape))
            if _has(args, out):
                raise errors.lacks("forward mode of a Function that writes to its inputs")
            out._dual = (state.forward, t)


class Function(FunctionCtx):
    """An operation with a backward of its own. Subclass it, write static methods, and call ``apply``.

    ``forward(ctx, *args)`` computes; or ``forward(*args)`` with ``setup_context(ctx, inputs, output)`` beside it.
    ``backward(ctx, *grad_outputs)``, or ``vjp``, returns one gradient, or None, for each argument of forward: of that
    argument's shape, or of one that broadcasting made of it. ``jvp(ctx, *tangents)`` serves forward mode.

    >>> import minigrad as mg
    >>> class Exp(mg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         y = x.exp()
    ...         ctx.save_for_backward(y)
    ...         return y
    ...     @staticmethod
    ...     def backward(ctx, g):
    ...         y, = ctx.saved_tensors
    ...         return g * y
    >>> x = mg.tensor(0.0, requires_grad=True)
    >>> y = Exp.apply(x)
    >>> y.backward()
    >>> y, x.grad
    (tensor(1., grad_fn=<ExpBackward>), tensor(1.))
    """

    _backward_cls: type[BackwardCFunction]

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls._backward_cls = type(f"{cls.__name__}Backward", (BackwardCFunction,), {"_forward_cls": cls})

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn(errors.FUNCTION_INSTANCE.format(self.__class__), DeprecationWarning, stacklevel=2)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise errors.FUNCTION_CALL()

    @staticmethod
    def forward(*args: Any, **kwargs: Any) -> Any:
        """The operation itself. It runs without recording, and its Tensors say whether they require grad."""
        raise errors.NO_FORWARD()

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple, output: Any) -> None:
        """What ``backward`` will need, when ``forward`` takes no ctx. ``inputs`` are all arguments of forward."""
        raise NotImplementedError("setup_context is not implemented.")

    @staticmethod
    def backward(ctx: Any, *grad_outputs: Any) -> Any:
        """The vector-Jacobian product: from one gradient per output to one per argument."""
        raise errors.NO_BACKWARD()

    vjp = backward

    @staticmethod
    def jvp(ctx: Any, *grad_inputs: Any) -> Any:
        """The Jacobian-vector product: from one tangent per argument to one per output."""
        raise errors.NO_JVP()

    @classmethod
    def apply(cls, *args: Any, **kwargs: Any) -> Any:
        """Run ``forward`` on the arguments and record the call. Returns what forward returned.

        RuntimeError where forward marked, returned or saved what it must not; TypeError for arguments that do not fit.
        """
        split = cls.setup_context is not Function.setup_context
        if split or kwargs:
            bound = inspect.signature(cls.forward).bind(*(() if split else (None,)), *args, **kwargs)
            if split:
                bound.apply_defaults()
            args = bound.args[not split :]
        ctx = getattr(cls, "_backward_cls", BackwardCFunction)(args)
        grad_mode, level = state.set_grad(False), state.forward
        state.forward = None
        try:
            if split:
                output = cls.forward(*args)
                cls.setup_context(ctx, args, output)
            else:
                output = cls.forward(ctx, *args)
        finally:
            state.set_grad(grad_mode)
            state.forward = level
        if isinstance(output, tuple):
            return ctx._finish(args, output, split)
        return ctx._finish(args, (output,), split)[0]


def _has(values: Sequence[Any], value: Any) -> bool:
    """Whether a very object is among some: ``in`` would compare the elements of Tensors."""
    for v in values:  # noqa: SIM110  (this runs in every call, and a generator costs more than the loop)
        if v is value:
            return True
    return False


class Error(Node):
    """The node behind what a ``once_differentiable`` backward returned: it refuses to be differentiated again."""

    __slots__ = ()

    def name(self) -> str:
        return "minigrad::autograd::Error"

    def apply(self, cotangents: list, tensors: bool, needed: Any) -> Sequence:
        raise errors.ONCE()


def once_differentiable(fn: Callable) -> Callable:
    """Decorate ``backward`` to say that it cannot be differentiated again: a second backward raises RuntimeError.

    As in PyTorch the error comes only where the gradient that arrived requires grad; see the tests of ``gradgradcheck``.

    >>> import minigrad as mg
    >>> class Square(mg.autograd.Function):
    ...     @staticmethod
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @once_differentiable
    ...     def backward(ctx, g):
    ...         return 2 * g * ctx.saved_tensors[0]
    >>> x = mg.tensor(3.0, requires_grad=True)
    >>> mg.autograd.grad(Square.apply(x), x)
    (tensor(6.),)
    """

    @functools.wraps(fn)
    def wrapper(ctx: Any, *args: Any) -> Any:
        with no_grad():
            outputs = fn(ctx, *args)
        if not state.grad_mode or not any(isinstance(a, Tensor) and a.requires_grad for a in args):
            return outputs
        several = outputs if isinstance(outputs, tuple) else (outputs,)
        leaves = [None if o is None else o.detach().requires_grad_() for o in several]
        edges = [None if leaf is None else (AccumulateGrad(leaf), 0) for leaf in leaves]
        metas = [((), np.dtype(bool)) if leaf is None else (leaf._array.shape, leaf._array.dtype) for leaf in leaves]
        node = Error(edges, tuple(metas), caller())
        refused = tuple(None if leaf is None else leaf._alias((node, number)) for number, leaf in enumerate(leaves))
        return refused if isinstance(outputs, tuple) else refused[0]

    return wrapper
