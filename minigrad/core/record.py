"""Recording: a call becomes a node.

The public function of an operation takes Tensors apart, computes, and puts the result together again. While grad mode
is on and an input requires grad, the result gets an edge to a new node, which holds what the rules will need.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .rule import INPUT, NUMEL, OUTPUT, REGISTRY, SIZES, Op, Recipe
from .seams import seams, state
from .tape import OpNode, caller, next_number, save, save_output
from .tensor import OPERATIONS, Edge, Tensor, new, wrap


def op(
    jvp: str | None = None,
    *,
    name: str | None = None,
    outputs: Sequence[str] = ("result",),
    constants: Sequence[str] = (),
    view: bool = False,
    always_saved: Sequence[str] = (),
    flat: int = 0,
    numbers: bool = False,
    holomorphic: bool = True,
    ufunc: np.ufunc | None = None,
    **rules: Callable,
) -> Callable[[Callable], Callable]:
    """Declare an operation (see rule.py) and make it callable: on arrays it computes, on Tensors it also records.

    jvp: how its tangent is found. name: of the node, ``Sum1`` for SumBackward1, when it is not the function's with a 0.
    outputs: names of the outputs. constants: arguments that may be Tensors and have no rule (indices, masks). view: the
    result shares memory with the first argument. always_saved: what torch saves and no rule needs. flat: how many of
    the outputs, at the end, have no gradient although they are floating point. holomorphic: whether the engine
    conjugates for the rules where numbers are complex; if not, they do it themselves.

    The last two are for what stands around the core. numbers: a Python number may stand for a Tensor, although the
    operation does not promote. ufunc: a function of NumPy that gives the same for floats of one dtype, and is faster;
    it is used where all other arguments have their defaults.
    """

    def declare(forward: Callable) -> Callable:
        stem = name or "".join(part.capitalize() for part in forward.__name__.split("_")) + "0"
        operation = Op(
            forward, rules, stem, jvp=jvp, outputs=tuple(outputs), constants=constants, view=view,
            always_saved=always_saved, flat=flat, numbers=numbers, holomorphic=holomorphic, ufunc=ufunc,
        )  # fmt: skip
        REGISTRY[operation.name] = operation
        call = functools.update_wrapper(seams.recorder(recorder(operation), operation), forward)
        call.op = operation  # type: ignore[attr-defined]
        OPERATIONS[operation.name] = call
        return call

    return declare


def recorder(op: Op) -> Callable:
    """The public function of an operation. For one or two operands, and for views, fast.py has other forms of it."""

    def call(*args: Any, **kwargs: Any) -> Any:
        if kwargs or len(args) != len(op.parameters):
            args = op.bind(args, kwargs)
        result = seams.compute(op, args)
        if result is None:  # no Tensor among them: in a rule, see Note [Arrays or Tensors]
            return op.forward(*args)
        several = isinstance(result, (tuple, list))
        outputs = tuple(map(wrap, map(np.asarray, result if several else (result,))))
        # An operation without rules (argmax), or without an output that has a gradient (lt), never comes to `record`.
        node = record(op, args, outputs) if state.grad and op.inputs and op.with_gradient != 0 else None
        if op.view:
            args[0]._make_views(outputs, call, args[1:], op.returns_several)
        if state.extension is not None:
            state.extension.computed(call, args, outputs, node)
        return outputs if several else outputs[0]

    return call


def choice(choose: Callable) -> Callable:
    """A public function that is one of several operations: ``choose`` gives the operation and all its arguments."""

    def call(*args: Any, **kwargs: Any) -> Any:
        operation, full = choose(*args, **kwargs)
        return operation(*full)

    call.choose = choose  # type: ignore[attr-defined]
    OPERATIONS[choose.__name__] = functools.update_wrapper(call, choose)
    return call


def compute(op: Op, args: tuple, target: Tensor | None = None, called: str = "") -> Any:
    """The result of an operation in arrays, where the engine runs alone. None where no argument is a Tensor.

    In the package ``compute`` of compat/promotion.py is called instead. See ``Seams.compute``.
    """
    arrays = [array_of(a) for a in args]
    if not any(array is not a for array, a in zip(arrays, args, strict=True)):
        return None
    result = state.quietly(op.forward, *arrays)
    if target is not None and result.shape != target._array.shape:
        raise seams.error("OUTPUT_SHAPE", list(target._array.shape), list(result.shape))
    return result


def array_of(value: Any) -> Any:
    """The array of a Tensor, the arrays of a tuple with Tensors in it; anything else as it is."""
    if isinstance(value, Tensor):
        return value._array
    if type(value) is tuple and any(isinstance(v, Tensor) for v in value):
        return [array_of(v) for v in value]
    return value


seams.compute = compute


def record(op: Op, args: tuple, outputs: tuple[Tensor, ...]) -> OpNode | None:
    """Give the outputs of a call their history, if an input requires grad. An output of integers gets none."""
    recorded, mask, edges = edges_of(op, args)
    metas = []
    for o in outputs if recorded else ():
        if o._array.dtype.kind in "fc":
            metas.append((o._array.shape, o._array.dtype))
    if not metas:
        return None
    node = new_node(op.recipes[mask, None, metas[0][1].kind == "c"], args, edges, (*metas,), outputs)
    for number, o in enumerate(outputs[: op.with_gradient]):
        if o._array.dtype.kind in "fc":
            o._edge = (node, number)
    return node


def edges_of(op: Op, args: tuple) -> tuple[bool, int, tuple[Edge | None, ...]]:
    """Whether a call is recorded, which inputs want a gradient, as bits, and where the gradients go.

    ``call``, by way of ``record``, and in-place operations ask here. Most calls do not come here: fast.py asks each
    operand by itself.
    """
    edges, mask = [], 0
    given = args[op.inputs[0]] if op.takes_list else [*map(args.__getitem__, op.inputs)]
    for position, a in enumerate(given):
        edge = a._gradient_edge() if isinstance(a, Tensor) else None
        edges.append(edge)
        if edge is not None:
            mask |= 1 if op.takes_list else 1 << position
    # A view that was made without history requires grad with its base: then there is a node, and it leads nowhere.
    recorded = mask > 0 or any(isinstance(a, Tensor) and a._view is not None and a.requires_grad for a in given)
    return recorded, mask, tuple(edges)


def new_node(
    recipe: Recipe, args: Sequence, edges: Sequence[Edge | None], metas: tuple, outputs: Sequence[Tensor] | None
) -> OpNode:
    """A node of an operation, with what its rules will need. Not ``__init__``: Python calls this much faster.

    What is saved, and for which inputs, is decided in the recipe (rule.py); here it is only fetched. fast.py has this
    function again.
    outputs: None where there is none yet, before a write, which saves them when it is done.
    """
    node = new(OpNode)
    node._edges, node._metas, node._made_at = edges, metas, caller()
    node._hooks, node.recipe, node.saved = None, recipe, [*recipe.preset]
    for place, kind, position in recipe.to_fill:
        if kind == OUTPUT:
            node.saved[place] = None if outputs is None else save_output(outputs[position], position)
        else:
            value = args[position]
            if kind == INPUT:  # as `save` does, without a call for a Tensor
                value = (value, value._counter[0], None) if isinstance(value, Tensor) else save(value)
            node.saved[place] = size_of(value, kind) if kind in (SIZES, NUMEL) else value
    node._number = next_number()  # after the nodes of its inputs have theirs
    return node


def size_of(value: Any, kind: int) -> Any:
    """The shape of an argument, or its number of elements; of several their shapes."""
    if type(value) in (list, tuple):
        return tuple(v._array.shape for v in value)
    array = value._array if isinstance(value, Tensor) else np.asarray(value)
    return array.shape if kind == SIZES else array.size
