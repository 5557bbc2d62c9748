"""``save`` and ``load``: tensors, and dicts and lists of tensors, in a file.

A file is a zip archive of arrays in NumPy's format, and of one text (JSON) that says how they hang together. Reading it makes
tensors, dicts, lists and plain values, and nothing else: no code of the file runs, whoever wrote it. (PyTorch's files are
pickles, which these are not; neither can read the other's.)
"""

from __future__ import annotations

from collections import OrderedDict
from os import PathLike
from typing import IO, Any

import numpy as np

from .compat.attributes import device as Device
from .core.tensor import Tensor
from .core.tensor import wrap as _wrap
from .nn.modules import Parameter

File = str | PathLike | IO[bytes]
_PLAIN = (bool, int, float, str, type(None))


def save(obj: Any, f: File) -> None:
    """Write a tensor, or dicts, lists and tuples of tensors, numbers and strings, to a file: a path or a binary file object.

    Kept of a tensor: its values, dtype and shape, whether it requires grad and whether it is a Parameter. TypeError for
    anything else.

    >>> import io, minigrad as mg
    >>> file = io.BytesIO()
    >>> mg.save({"w": mg.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> mg.load(file)
    {'w': tensor([1., 1.])}
    """
    import json  # here, because most programs never save

    arrays: dict[str, np.ndarray] = {}
    text = json.dumps(_described(obj, arrays))
    arrays["structure"] = np.frombuffer(text.encode(), np.uint8)
    if isinstance(f, (str, PathLike)):
        with open(f, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
    else:
        np.savez(f, allow_pickle=False, **arrays)


def _described(obj: Any, arrays: dict[str, np.ndarray]) -> Any:
    """What an object is, in terms of JSON; arrays are put aside under the name by which it refers to them."""
    if isinstance(obj, Tensor):
        if not obj.is_leaf:
            obj = obj.detach().requires_grad_()
        name = f"tensor{len(arrays)}"
        arrays[name] = obj._array
        return {"tensor": name, "requires_grad": obj.requires_grad, "parameter": isinstance(obj, Parameter)}
    if isinstance(obj, complex):
        return {"complex": [obj.real, obj.imag]}
    if isinstance(obj, _PLAIN):
        return {"value": obj}
    if isinstance(obj, dict):
        items = [[_described(k, arrays), _described(v, arrays)] for k, v in obj.items()]
        return {"ordered" if isinstance(obj, OrderedDict) else "dict": items}
    if isinstance(obj, (list, tuple)):
        return {"tuple" if isinstance(obj, tuple) else "list": [_described(v, arrays) for v in obj]}
    raise TypeError(
        f"minigrad.save can store tensors, dicts, lists, tuples, numbers and strings, not {type(obj).__name__}"
    )


def load(f: File, map_location: Any = None, *, weights_only: bool | None = None) -> Any:
    """Read what ``save`` wrote. No code runs, whatever weights_only says: ValueError for a file that holds anything else.

    map_location: "cpu", because there is no other place.
    """
    if map_location is not None:
        Device(map_location)
    import json

    try:
        with np.load(f, allow_pickle=False) as archive:
            return _made(json.loads(archive["structure"].tobytes().decode()), archive)
    except (KeyError, TypeError, AttributeError, EOFError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"this is no file that minigrad.save wrote: {error}") from error


def _made(description: dict[str, Any], archive: Any) -> Any:
    if "tensor" in description:
        tensor = _wrap(archive[description["tensor"]])
        tensor._counter[0] = 1  # as in PyTorch, reading the values was a write
        if description["parameter"]:
            return Parameter(tensor, description["requires_grad"])
        return tensor.requires_grad_(description["requires_grad"])
    ((kind, value),) = description.items()
    if kind == "value":
        return value
    if kind == "complex":
        return complex(*value)
    if kind in ("dict", "ordered"):
        pairs = ((_made(k, archive), _made(v, archive)) for k, v in value)
        return OrderedDict(pairs) if kind == "ordered" else dict(pairs)
    if kind in ("list", "tuple"):
        return {"list": list, "tuple": tuple}[kind](_made(v, archive) for v in value)
    raise ValueError(f"this is no file that minigrad.save wrote: it speaks of {kind!r}")


def pickled(self: Tensor, protocol: int) -> tuple:
    """How ``pickle`` keeps a tensor: its values and whether it requires grad, but no history."""
    return _unpickled, (type(self), self._array, self.requires_grad)


def _unpickled(kind: type[Tensor], array: np.ndarray, requires_grad: bool) -> Tensor:
    tensor = _wrap(array)
    tensor.__class__ = kind
    tensor._requires_grad = requires_grad
    return tensor
