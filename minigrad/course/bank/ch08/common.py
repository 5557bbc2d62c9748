"""What several exercises of chapter 08 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import random_tensor
from minigrad.course.judging.compare import Unfit, holds_an_array, unfit


def random_leaf(rng: np.random.Generator, dtype: Any, *shape: int, grad: bool = False) -> Any:
    """A leaf that requires grad; with grad=True it has a .grad already."""
    leaf = random_tensor(rng, dtype, *shape, leaf=True)
    leaf.grad = random_tensor(rng, dtype, *shape) if grad else None
    return leaf


def count_walks(L: Any) -> list[int]:
    """A list that grows by one with every backward pass that comes through L."""
    walks: list[int] = []
    if L.requires_grad:
        L.register_hook(lambda g: walks.append(1))
    return walks


def grads_of(tensors: dict[str, Any]) -> dict[str, Any]:
    return {name: t.grad for name, t in tensors.items()}


def listed(returned: Any, count: int, what: str) -> Any:
    """The gradients that came back, as a list, or what is wrong with the kind of what came."""
    wanted = f"a list or a tuple of {what}: here {count}"
    if isinstance(returned, mg.Tensor):
        return Unfit(f"one Tensor of shape {tuple(returned.shape)}", wanted)
    if not isinstance(returned, list | tuple):
        return unfit(returned, wanted)
    if len(returned) != count:
        return Unfit(f"{len(returned)} value{'s' * (len(returned) != 1)}", wanted)
    return holds_an_array(returned, wanted) or list(returned)
