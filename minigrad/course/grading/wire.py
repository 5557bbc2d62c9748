"""The plain format in which the grader and the process that runs the answers speak: JSON, and the bytes of arrays.

Nothing in it can run code. What comes from the other side is built only out of the types below, up to fixed limits.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.grading.frames import LARGEST, LARGEST_ARRAYS, NONCE, BadMessage, inside, pack, receive
from minigrad.course.judging.compare import MISSING, Opaque, Raised, Unfit

__all__ = ["NONCE", "BadMessage", "Cannot", "Decoder", "Encoder", "inside", "number", "pack", "receive", "text"]

MOST = 30_000  # values in one message; the right answers have up to a thousand
MOST_KEYS = 1_000  # of one dict: keys can be chosen so that each is compared with all
DEEPEST = 8  # containers within containers; the right answers have three
LONGEST = 20_000  # characters that are kept of a text
KINDS = {np.dtype(name).str for name in ("?", *"bBhHiIqQ", *"efdFD")}


class Cannot(Exception):
    """This value has no plain form."""


class Encoder:
    """Values as JSON; arrays go to `blobs`.

    tensors: also leaf tensors that nobody else refers to, dtypes, slices and sets, as the arguments of a case.
    """

    def __init__(self, tensors: bool = False):
        self.blobs = bytearray()
        self.tensors = tensors
        self.seen: dict[int, Any] = {}  # what was encoded, and is kept so that no other object gets its id

    def encode(self, x: Any, depth: int = 0) -> Any:
        """The JSON for a value. Cannot where there is none."""
        if depth > DEEPEST:
            raise Cannot("too deep")
        if x is None or isinstance(x, bool):
            return x
        if type(x) is str:
            return x if self.tensors else x[:LONGEST]
        if type(x) is int:
            return x if abs(x) < 1 << 53 else ["int", hex(x)[: 1 << 12]]
        if type(x) is float:
            return x if math.isfinite(x) else ["float", str(x)]
        if type(x) is complex:
            return ["complex", str(x.real), str(x.imag)]
        if x is ...:
            return ["..."]
        if x is MISSING:
            return ["missing"]
        if type(x) in (list, tuple):
            return [type(x).__name__, [self.encode(item, depth + 1) for item in x]]
        if type(x) is dict:
            return ["dict", [[self.encode(key, depth + 1), self.encode(value, depth + 1)] for key, value in x.items()]]
        if type(x) is Raised:
            return ["raised", x.kind[:LONGEST], x.text[:LONGEST], x.trace[:LONGEST], x.out_of_time]
        if type(x) in (Opaque, Unfit):
            return [type(x).__name__.lower(), *(str(value)[:LONGEST] for value in vars(x).values())]
        if type(x) is np.ndarray and (not self.tensors or x.base is None):
            return self._array(x)
        return self._argument(x, depth)

    def _array(self, x: np.ndarray) -> list[Any]:
        if x.dtype.str not in KINDS:
            raise Cannot(str(x.dtype))
        start = len(self.blobs)
        if not self.tensors and start + x.nbytes > LARGEST_ARRAYS:
            return self.encode(Opaque("ndarray", f"an array of shape {x.shape}"))
        self.blobs += np.ascontiguousarray(x).tobytes()
        return ["array", x.dtype.str, list(x.shape), start]

    def _argument(self, x: Any, depth: int) -> Any:
        if not self.tensors or id(x) in self.seen:
            raise Cannot(type(x).__name__)
        self.seen[id(x)] = x
        if isinstance(x, mg.dtype):
            return ["dtype", str(x).rpartition(".")[2]]
        if type(x) is slice:
            return ["slice", *(self.encode(part, depth + 1) for part in (x.start, x.stop, x.step))]
        if type(x) is set and all(type(item) in (int, str) for item in x):
            return ["set", [self.encode(item) for item in sorted(x, key=repr)]]
        plain = type(x) is mg.Tensor and x.is_leaf and x._base is None and not x._hooks and x._version == 0
        if not plain or (x.grad is not None and (x.grad.requires_grad or x.grad.dtype != x.dtype)):
            raise Cannot(type(x).__name__)
        grad = None if x.grad is None else self._array(x.grad.numpy())[1:]
        return ["tensor", *self._array(x.detach().numpy())[1:], x.requires_grad, grad]


class Decoder:
    """The values back. BadMessage for everything that is not as it should be."""

    def __init__(self, blobs: bytes, tensors: bool = False):
        self.blobs, self.tensors, self.count = blobs, tensors, 0
        self.room = LARGEST if tensors else LARGEST_ARRAYS  # many arrays may lie on the same bytes

    def decode(self, x: Any) -> Any:
        """The value of a piece of JSON."""
        try:
            return self._decode(x, 0)
        except BadMessage:
            raise
        except Exception as error:
            raise BadMessage(f"a value cannot be read: {type(error).__name__}") from error

    def _decode(self, x: Any, depth: int) -> Any:
        self.count += 1
        if self.count > MOST or depth > DEEPEST:
            raise BadMessage("too many values")
        if x is None or isinstance(x, bool | int | float | str):
            return x
        kind, *rest = x
        match kind:
            case "int":
                return int(rest[0][: 1 << 12], 16)
            case "float":
                return float(rest[0])
            case "complex":
                return complex(float(rest[0]), float(rest[1]))
            case "...":
                return ...
            case "missing":
                return MISSING
            case "list" | "tuple":
                items = [self._decode(item, depth + 1) for item in rest[0]]
                return items if kind == "list" else tuple(items)
            case "dict":
                if len(rest[0]) > MOST_KEYS:
                    raise BadMessage("too many keys")
                return {self._decode(key, depth + 1): self._decode(value, depth + 1) for key, value in rest[0]}
            case "raised":
                name, said, trace, late = rest
                return Raised(text(name)[:100], text(said)[:2000], text(trace)[:4000], late is True)
            case "opaque":
                return Opaque(text(rest[0]), text(rest[1]))
            case "unfit":
                return Unfit(text(rest[0]), text(rest[1]))
            case "array":
                return self._array(*rest)
        if self.tensors:
            return self._argument(kind, rest, depth)
        raise BadMessage("an unknown kind of value")

    def _array(self, kind: str, shape: list[int], start: int) -> np.ndarray:
        if kind not in KINDS or any(type(n) is not int or n < 0 for n in (*shape, start)):
            raise BadMessage("no array")
        dtype, size = np.dtype(kind), math.prod(shape)
        self.room -= size * dtype.itemsize
        if start + size * dtype.itemsize > len(self.blobs) or self.room < 0:
            raise BadMessage("an array without its bytes")
        flat = np.frombuffer(self.blobs, dtype, size, start) if size else np.zeros(0, dtype)
        return flat.reshape(shape).copy()

    def _argument(self, kind: str, rest: list[Any], depth: int) -> Any:
        match kind:
            case "dtype":
                return getattr(mg, rest[0])
            case "slice":
                return slice(*(self._decode(part, depth + 1) for part in rest))
            case "set":
                return {self._decode(item, depth + 1) for item in rest[0]}
            case "tensor":
                *array, requires_grad, grad = rest
                x = mg.tensor(self._array(*array), requires_grad=requires_grad)
                if grad is not None:
                    x.grad = mg.tensor(self._array(*grad))
                return x
        raise BadMessage("an unknown kind of value")


def text(x: Any) -> str:
    """A text of the other side's, cut to size."""
    if type(x) is not str:
        raise BadMessage("no text")
    return x[:LONGEST]


def number(x: Any) -> int:
    """A whole number of the other side's."""
    if type(x) is not int:
        raise BadMessage("no number")
    return x
