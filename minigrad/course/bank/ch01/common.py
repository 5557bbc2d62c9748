"""What several exercises of chapter 01 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

from typing import Any

Draw = list[tuple[str, str, str]]  # (key, rule, code): one line of a program and the rule that it asks about


def state_of(t: Any) -> Any:
    """What an answer that only looks at a tensor leaves as it is."""
    grad = t.grad if t.is_leaf else None
    return {
        "the values": t.tolist(),
        "`requires_grad`": t.requires_grad,
        "`.grad`": None if grad is None else grad.tolist(),
        "what `retain_grad()` sets": t.retains_grad,
    }


def changes(before: dict[str, Any], tensors: dict[str, Any]) -> list[str]:
    """What is not as it was, given each tensor's state from before."""
    now = {name: state_of(t) for name, t in tensors.items()}
    return [f"{what} of {name}" for name in now for what in now[name] if now[name][what] != before[name][what]]
