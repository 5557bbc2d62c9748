"""``save`` and ``load``: tensors, and dicts and lists of tensors, in a file.

A file is a pickle, which could name any code. ``load`` makes tensors, dicts, lists and plain values, and nothing else: no code of
the file runs, whoever wrote it, unless ``weights_only=False`` asks for it. Files of PyTorch are other pickles.
"""

from __future__ import annotations

import pickle
from os import PathLike
from typing import IO, Any

import numpy as np

from . import dtypes
from .compat.attributes import device as Device
from .core.tensor import Tensor
from .core.tensor import wrap as _wrap

File = str | PathLike | IO[bytes]


def save(obj: Any, f: File) -> None:
    """Write an object, such as a tensor or dicts and lists of tensors, to a file: a path or a binary file object.

    Kept of a tensor: its values, dtype and shape, and whether it requires grad.

    >>> import io, minigrad as mg
    >>> file = io.BytesIO()
    >>> mg.save({"w": mg.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> mg.load(file)
    {'w': tensor([1., 1.])}
    """
    if isinstance(f, (str, PathLike)):
        with open(f, "wb") as file:
            return save(obj, file)
    pickle.dump(obj, f)


def load(f: File, map_location: Any = None, *, weights_only: bool = True) -> Any:
    """Read what ``save`` wrote. UnpicklingError for a file that would run code, unless ``weights_only`` is False.

    map_location: "cpu", because there is no other place.
    """
    if map_location is not None:
        Device(map_location)
    if isinstance(f, (str, PathLike)):
        with open(f, "rb") as file:
            return load(file, weights_only=weights_only)
    return (_Reader if weights_only else pickle.Unpickler)(f).load()


_KNOWN = {("collections", "OrderedDict"), (__name__, "_unpickled"), ("minigrad", "Tensor"), ("minigrad", "Size"),
          ("minigrad.nn.modules", "Parameter"), *((dtypes.__name__, dtype.name) for dtype in dtypes.ALL)}  # fmt: skip


class _Reader(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        """What a file names: only what tensors and their containers are made of."""
        if (module, name) not in _KNOWN:
            raise pickle.UnpicklingError(f"the file names {module}.{name}, which tensors and their containers are not made of")
        return super().find_class(module, name)


def pickled(self: Tensor, protocol: int) -> tuple:
    """How ``pickle`` keeps a tensor: its values and whether it requires grad, but no history."""
    array = self._array
    return _unpickled, (type(self), array.tobytes(), array.dtype.str, array.shape, self.requires_grad)


def _unpickled(kind: type[Tensor], data: bytes, dtype: str, shape: tuple, requires_grad: bool) -> Tensor:
    tensor = _wrap(np.frombuffer(bytearray(data), dtype).reshape(shape))
    tensor.__class__ = kind
    tensor._requires_grad = requires_grad
    return tensor
