"""What programs ask of a graphics card before they run. There is one device, the cpu."""

from __future__ import annotations

from typing import Any


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing, as in PyTorch where there is no such device."""


def manual_seed_all(seed: int) -> None:
    """Nothing, as in PyTorch where there is no such device."""


def empty_cache() -> None:
    """Nothing, as in PyTorch where there is no such device."""


def __getattr__(name: str) -> Any:
    raise AttributeError(f"minigrad has one device, the cpu: there is no cuda.{name}", name=name)
