"""Draw the picture of the README: `make pictures`."""

from pathlib import Path

import minigrad as mg
from minigrad import viz

if __name__ == "__main__":
    a = mg.tensor(2.0, requires_grad=True)
    b = mg.tensor(3.0, requires_grad=True)
    c = mg.tensor(4.0, requires_grad=True)
    d = a * b
    e = b + c
    L = d + e
    path = Path(__file__).resolve().parent.parent / "docs" / "images" / "graph.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    viz.draw(L, view="both").save(path)
