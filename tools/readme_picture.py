"""Write docs/images/graph.svg, the picture in the README: `python tools/readme_picture.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import minigrad as mg
from minigrad import viz

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "graph.svg"


def picture() -> viz.Drawing:
    """The graph that chapter 01 opens with."""
    leaves: list[Any] = [mg.tensor(value, requires_grad=True) for value in (2.0, 3.0, 4.0)]
    a, b, c = leaves
    d = a * b
    e = b + c
    L = d + e
    return viz.draw(L)


if __name__ == "__main__":
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    picture().save(PICTURE)
