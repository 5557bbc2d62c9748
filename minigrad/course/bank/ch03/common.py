"""What several exercises of chapter 03 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

import numpy as np

Array = np.ndarray
ROUGH = "right in the first digits only, as differences are"


def rough(a: Array, right: Array) -> bool:
    """Whether a comes near the right numbers as differences do, and no nearer."""
    gap, scale = float(np.max(np.abs(a - right))), float(np.max(np.abs(right)))
    return 1e-13 * scale < gap < 1e-4 * scale
