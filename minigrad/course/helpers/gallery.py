"""A picture of a cup, a camera out of focus, and photos side by side: for the start page and the gallery."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import minigrad as mg

if TYPE_CHECKING:
    from minigrad.viz.figure import Plot


def cup(n: int = 48) -> np.ndarray:
    """A picture of a cup of tea, n by n, from 0 (paper) to 1 (ink)."""
    y, x = np.mgrid[0:n, 0:n] / (n - 1.0)
    ring = np.hypot(x - 0.74, y - 0.53)
    body = (abs(x - 0.45) < 0.26 - 0.12 * np.clip(y - 0.4, 0, 1)) & (y > 0.38) & (y < 0.82)
    image = 0.75 * (body | (ring < 0.14) & (ring > 0.085) & (x > 0.68))
    image[np.hypot((x - 0.45) / 0.42, (y - 0.86) / 0.05) < 1] = 0.9
    for k in (0.33, 0.45, 0.57):
        image[(abs(x - k - 0.025 * np.sin(25 * y)) < 0.014) & (y > 0.1) & (y < 0.3)] = 0.5
    return image


def blur(image: mg.Tensor, width: float = 1.6) -> mg.Tensor:
    """Each pixel becomes a mean of its neighbours, weighted by a bell curve: B @ image @ B.T, whose rows are bell curves."""
    places = np.arange(len(image))
    bells = np.exp(-(np.subtract.outer(places, places) ** 2) / (2 * width**2))
    B = mg.tensor(bells / bells.sum(1, keepdims=True))
    return B @ image @ B.T


def photos(**pictures: mg.Tensor) -> Plot:
    """Images side by side, under their names."""
    from minigrad.viz.figure import Plot

    names = [name.replace("_", " ") for name in pictures]
    plot = Plot(2.4 * len(names), 2.7, "A cup of tea: " + ", ".join(names) + ".")
    for ax, name, picture in zip(plot.subplots(1, len(names)), names, pictures.values(), strict=True):
        ax.imshow(picture.detach().numpy(), cmap="gray_r", vmin=0, vmax=1, gid="photo")
        ax.set_title(name, fontsize=10)
        ax.set(xticks=[], yticks=[])
    return plot
