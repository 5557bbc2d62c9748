"""Messages between the grader and a process of the sandbox: a number, JSON, bytes. Needs the standard library alone."""

from __future__ import annotations

import json
import os
import struct
import sys
from collections.abc import Callable
from typing import Any

from minigrad.course.grading import texts

LARGEST = 64 << 20  # bytes of a message that we send
LARGEST_ARRAYS = 4 << 20  # bytes of arrays in a reply: the right answers have 20,000, and a file that is handed in 1 MB
LARGEST_TEXT = 8 << 20  # bytes of JSON in a reply: what it becomes in memory is twenty times as large
NONCE = 16
HEAD = struct.Struct(f">{NONCE}sII")  # nonce, length of the JSON, length of the arrays


class BadMessage(Exception):
    """What came is no message of ours."""


def pack(nonce: bytes, header: Any, blobs: bytes = b"") -> bytes:
    """A message. The header must be made of what JSON knows."""
    said = json.dumps(header, separators=(",", ":")).encode()
    if len(said) + len(blobs) > LARGEST:
        raise BadMessage("it is too large")
    return HEAD.pack(nonce, len(said), len(blobs)) + said + blobs


def receive(read: Callable[[int], bytes], nonce: bytes | None) -> tuple[bytes, Any, bytes]:
    """Nonce, header and arrays of the next message; `read(n)` gives n bytes. With a nonce: only a message that bears it."""
    came, size, rest = HEAD.unpack(read(HEAD.size))
    if nonce is not None and came != nonce:
        raise BadMessage("it does not bear the number of the question")
    if rest > (LARGEST if nonce is None else LARGEST_ARRAYS) or size > (LARGEST if nonce is None else LARGEST_TEXT):
        raise BadMessage("it is too large")
    try:
        header = texts.loads(read(size))
    except (ValueError, RecursionError) as error:
        raise BadMessage("it is not JSON") from error
    return came, header, read(rest)


def inside() -> tuple[Callable[[int], bytes], Callable[[bytes], None]]:
    """For a process of the sandbox: the functions that read from the grader and write to it. When it hangs up, all ends."""
    incoming, outgoing = (os.fdopen(int(fd), mode, buffering=0) for fd, mode in zip(sys.argv[1:3], ("rb", "wb"), strict=True))

    def read(n: int) -> bytes:
        parts = b""
        while len(parts) < n:
            piece = incoming.read(n - len(parts))
            if not piece:
                os._exit(0)
            parts += piece
        return parts

    def write(message: bytes) -> None:
        view = memoryview(message)
        while view:
            view = view[outgoing.write(view) :]

    return read, write
