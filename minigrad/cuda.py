"""What programs ask of a graphics card before they run. There is one device, the cpu."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed_all(seed: int) -> None:
    """Nothing, as in PyTorch where there is no such device."""


manual_seed = manual_seed_all


def __getattr__(name: str) -> Any:
    raise AttributeError(f"minigrad has one device, the cpu: there is no cuda.{name}", name=name)
