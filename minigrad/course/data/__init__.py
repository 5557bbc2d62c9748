"""Real data, small enough to come with the course: nothing is downloaded. README.md beside this file says where it is from."""

from __future__ import annotations

from importlib.resources import files

import numpy as np


def digits() -> tuple[np.ndarray, np.ndarray]:
    """1797 handwritten digits, as (images, labels): uint8 arrays of shape (1797, 8, 8) with 0 (paper) to 16 (ink), and (1797,).

    >>> images, labels = digits()
    >>> images.shape, labels[:5].tolist()
    ((1797, 8, 8), [0, 1, 2, 3, 4])

    From "Optical Recognition of Handwritten Digits" by E. Alpaydin and C. Kaynak, UCI Machine Learning Repository, CC BY 4.0.
    Each call gives new arrays.
    """
    with (files(__package__) / "digits.npz").open("rb") as file, np.load(file, allow_pickle=False) as data:
        return data["images"], data["labels"]
