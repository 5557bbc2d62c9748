"""What answers and mistakes of several exercises of chapter 04 share. No sandbox sees it."""

from __future__ import annotations

NOT_A_TENSOR = (
    "`gradient` must be a Tensor. A list, a number, a NumPy array: each is a TypeError, whatever numbers it "
    "holds. `mg.tensor([...])` makes it one."
)
