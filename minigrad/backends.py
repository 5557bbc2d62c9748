"""``minigrad.backends``: libraries that programs switch on or off before they run. None of them is here."""

from __future__ import annotations


class Absent:
    """A library or a device that is not there. Settings of it can be made, and have no effect, as in PyTorch without it."""

    enabled = benchmark = deterministic = allow_tf32 = False

    def is_available(self) -> bool:
        """False."""
        return False


cudnn, cuda, mps = Absent(), Absent(), Absent()
