"""What several exercises of chapter 07 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

from typing import Any

import minigrad as mg

FREED = "a second time"
NO_HISTORY = "does not require grad"


def is_kept(t: Any, leaf: Any) -> bool:
    """Whether one more backward pass from t is possible. It changes no .grad."""
    try:
        mg.autograd.grad(t, leaf, mg.ones_like(t), retain_graph=True)
    except RuntimeError:
        return False
    return True


Draw = tuple[tuple[str, str, str], ...]  # (key, rule, code), in the order of the program
