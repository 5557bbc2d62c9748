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


def cup_of_tea() -> tuple[list[float], list[float]]:
    """A cup of tea that cools in a room of 20 °C, as (minutes, degrees): eleven floats each. Each call gives new lists.

    >>> minutes, degrees = cup_of_tea()
    >>> minutes[:3], degrees[:3]
    ([0.0, 3.0, 6.0], [88.0, 73.0, 66.0])

    They are the readings of the first page, chapters/00-tea.py, made up for this course.
    """
    return [3.0 * n for n in range(11)], [88.0, 73.0, 66.0, 57.0, 51.0, 45.0, 40.0, 37.0, 34.0, 35.0, 30.0]
