"""What an operation does with its operands before and after it computes: dtypes meet, and what PyTorch refuses is refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .. import dtypes, errors
from ..around.extension import Unversioned
from ..core.record import edges_of
from ..core.rule import Op
from ..core.seams import seams
from ..core.tensor import Tensor
from ..core.views import is_expanded
from ..modes import state

ndarray = np.ndarray
NUMBERS = (bool, int, float, complex)


def compute(op: Op, args: tuple, target: Tensor | None = None, called: str = "") -> Any:
    """The result of an operation, in arrays; None where no argument is a Tensor. See ``Seams.compute``.

    target: the Tensor that the result will be written into, and ``called`` what errors then call the operation.
    """
    if target is not None:
        return _into(op, args, target, called)
    if args and type(args[0]) is ndarray:
        return None  # in a rule
    arrays: Any = None
    try:
        arrays = operands_of(op, args)
        if arrays is None:
            return None
        out = _computed(op, arrays)
    except (RuntimeError, IndexError):
        if state.grad:
            edges_of(op, args)  # in PyTorch views have found their new history when an operation fails
        raise
    kind = out.dtype.kind if isinstance(out, (ndarray, np.generic)) else "f"
    if kind not in "fc" and state.grad and op.inputs and op.with_gradient != 0:
        refuse_integers(op, args, out)
    return out


def _into(op: Op, args: tuple, target: Tensor, called: str) -> np.ndarray:
    """The same for a write."""
    if is_expanded(target._array) and op.name not in ("filled", "zeroed"):
        raise errors.OVERLAP()
    arrays: Any = operands_of(op, args, target._array, called)
    out = np.asarray(_computed(op, arrays))
    check_result(target, out)
    return out


def _computed(op: Op, arrays: list) -> Any:
    """What a forward gives, with PyTorch's message where shapes do not broadcast."""
    try:
        return state.quietly(op.checked, *arrays)
    except ValueError as error:
        if "broadcast" in str(error):
            refuse_shapes(*arrays)
        raise


def refuse_integers(op: Op, args: tuple, out: np.ndarray) -> None:
    """Raise for a sum, product or so that was asked for in integers, of what requires grad. A cast just cuts the graph off."""
    if (
        op.name != "to_copy"
        and isinstance(args[0], Tensor)
        and args[0]._array.dtype.kind in "fc"
        and edges_of(op, args)[0]
    ):
        raise errors.INTEGER_RESULT(dtypes.of(out).scalar_type)


WORDS: dict[str, str] = {}  # how the dtypes of an operation's operands meet, see promotion.txt


def declared(op: Op) -> None:
    """What is kept with an operation. See ``Seams.declared``."""
    promote, _, only_tensors = WORDS.get(op.name, "").partition("/")
    op.__dict__.update(promote=promote, numbers=op.numbers or bool(promote) and not only_tensors)


def _meet(arrays: list, positions: Sequence[int]) -> None:
    """Bring operands to the dtype in which they meet. Python numbers stay: NumPy gives way to the array, as torch does."""
    target = dtypes.result_type(*(arrays[i] for i in positions)).numpy
    only_numbers = not any(type(arrays[i]) is np.ndarray for i in positions)
    for i in positions:
        if only_numbers or type(arrays[i]) is np.ndarray and arrays[i].dtype != target:
            arrays[i] = np.asarray(arrays[i]).astype(target)


def _arith(arrays: list) -> None:
    a, b = arrays[0], arrays[1]
    if type(a) is np.ndarray:
        if type(b) is np.ndarray:
            if a.dtype is b.dtype:
                return
        elif a.dtype.kind == "f" and type(b) is not complex:
            return
    _meet(arrays, (0, 1))


def _choice(arrays: list) -> None:
    _meet(arrays, (1, 2))


def _three(arrays: list) -> None:
    _meet(arrays, [i for i in (0, 1, 2) if arrays[i] is not None])


def _float(arrays: list) -> None:
    if arrays[0].dtype.kind not in "fc":
        arrays[0] = arrays[0].astype(dtypes.get_default_dtype().numpy)


def _divide(arrays: list) -> None:
    if dtypes.result_type(*arrays[:2]).category < 2:  # each straight to float: uint8 would lose the sign of an int64
        arrays[:2] = [np.asarray(a).astype(dtypes.get_default_dtype().numpy) for a in arrays[:2]]
    else:
        _arith(arrays)


def _subtract(arrays: list) -> None:
    bools = [dtypes.of(a) is dtypes.bool_ if type(a) is np.ndarray else type(a) is bool for a in arrays[:2]]
    if any(bools):
        raise RuntimeError(errors.BOOL_MINUS if all(bools) else errors.BOOL_MINUS_ONE)
    _arith(arrays)


# How the dtypes of operands meet, by the word in the declaration.
_PROMOTE: dict[str, Callable[[list], None] | None] = {
    "": None,
    "arith": _arith,  # the first two operands
    "divide": _divide,  # the same, and integers become the default float
    "subtract": _subtract,  # the same, and bools are refused
    "float": _float,  # one operand; integers become the default float
    "choice": _choice,  # the second and third
    "three": _three,  # all of the three that are there
}


def refuse_shapes(*operands: Any) -> None:
    """Raise torch's message when operands do not broadcast; NumPy's was a ValueError."""
    a: tuple[int, ...] = ()
    for b in (x.shape for x in operands if isinstance(x, np.ndarray)):
        rank = max(len(a), len(b))
        for dim in range(-1, -min(len(a), len(b)) - 1, -1):
            if a[dim] != b[dim] and 1 not in (a[dim], b[dim]):
                raise errors.BROADCAST(a[dim], b[dim], rank + dim) from None
        a = np.broadcast_shapes(a, b)


def refuse_output(shape: tuple[int, ...], operands: Sequence[Any]) -> None:
    """Raise when operands meet in another shape than that of the tensor that is to be written to."""
    shapes = [x.shape for x in operands if isinstance(x, np.ndarray) and x.shape != shape]
    if shapes:
        refuse_shapes(*operands)
        meet = np.broadcast_shapes(shape, *shapes)
        if meet != shape:
            raise errors.OUTPUT_SHAPE(list(shape), list(meet))


_TWO = ("arith", "divide", "subtract")  # where neither operand may be missing


def operands_of(op: Op, args: tuple, into: np.ndarray | None = None, called: str = "") -> list | None:
    """The arguments with arrays in place of Tensors, of dtypes that meet; None when there is no Tensor among them.

    Raises TypeError for what is neither Tensor nor, where one may stand, a number, and what the operation refuses.
    ``into``: the array that a write goes to, whose shape the operands have to fit. ``called``: the name in an error, which
    counts arguments as the method does; a function has one more.
    """
    arrays = list(args)
    found, strange = False, None
    for i in op.slots:
        a = args[i]
        if isinstance(a, Tensor):
            arrays[i] = a._array
            found = True
        elif type(a) is tuple:
            arrays[i] = [t._array if isinstance(t, Tensor) else t for t in a]
            found = found or any(isinstance(t, Tensor) for t in a)
        elif strange is None and not (op.numbers and isinstance(a, NUMBERS)) and (a is not None or op.promote in _TWO):
            strange = i
    if not found:
        return None
    if strange is not None:
        kind, public = errors.kind_of(args[strange]), op.parameters[strange].replace("self", "input")
        raise TypeError(errors.ARGUMENT.format(called or op.name, public, strange, "Tensor", kind))
    promote = _PROMOTE[op.promote]
    if promote is not None:
        a, b = arrays[0], arrays[-1] if len(arrays) < 2 else arrays[1]
        if promote is not _arith or type(a) is not ndarray or type(b) is not ndarray or a.dtype is not b.dtype:
            promote(arrays)
        if into is not None:
            refuse_output(into.shape, [arrays[i] for i in op.slots])
            if op.with_gradient != 0 and (
                op.rules or op.checked is not op.forward
            ):  # truth values can be written to any dtype
                _refuse_cast(arrays[op.slots[0]], into)
    return arrays


def _refuse_cast(result: np.ndarray, target: np.ndarray) -> None:
    """Raise for a result that would lose its kind of number where it is written to."""
    if result.dtype is target.dtype:
        return
    kinds = dtypes.of(result), dtypes.of(target)
    if not dtypes.can_cast(*kinds):
        raise errors.RESULT_CAST(kinds[0].scalar_type, kinds[1].scalar_type)


def check_result(self: Tensor, out: np.ndarray) -> None:
    """Raise unless a result can be written into this tensor: no lower category of dtype, and the same shape."""
    if out.shape != self._array.shape:
        raise errors.OUTPUT_SHAPE(list(self._array.shape), list(out.shape))
    _refuse_cast(out, self._array)
    if type(self._counter) is Unversioned and not state.inference:
        raise errors.INFERENCE_WRITE()


seams.compute, seams.declared = compute, declared  # type: ignore[method-assign]
