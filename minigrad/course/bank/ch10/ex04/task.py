"""10.4 Pick the mode: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part

Line = tuple[str, str, int, int, int]  # letter, kind, inputs, outputs, how many products are wanted

WANTED = {
    "J, tall": "all of J",
    "J, wide": "all of J",
    "gradient": "the gradient of f",
    "velocity": "the slope of every output",
    "J t": "J t for {k} directions t",
    "vT J": "vᵀJ for {k} weights v",
    "one J t": "J t for one t",
    "one vT J": "vᵀJ for one v",
}


def modes_draw(rng: np.random.Generator) -> list[Line]:
    def small() -> int:
        return int(rng.integers(5, 10))

    def large() -> int:
        return int(rng.integers(20, 90)) * 10

    sizes = {
        "J, tall": (small(), large(), 1),
        "J, wide": (large(), small(), 1),
        "gradient": (large(), 1, 1),
        "velocity": (1, large(), 1),
        "J t": (large(), small() + 10, int(rng.integers(2, 5))),
        "vT J": (small() + 10, large(), int(rng.integers(2, 5))),
        "one J t": (large(), small(), 1),
        "one vT J": (small(), large(), 1),
    }
    kinds = [str(kind) for kind in rng.permutation(list(sizes))]
    return [(letter, kind, *sizes[kind]) for letter, kind in zip("ABCDEFGH", kinds, strict=True)]


def modes_program(draw: list[Line]) -> str:
    rows = ["#    inputs  outputs  wanted"]
    for letter, kind, n, m, k in draw:
        rows.append(f"# {letter}  {n:>6}  {m:>7}  {WANTED[kind].format(k=k)}")
    return "\n".join(rows)


TASK = Part(
    id="10.4",
    title="Pick the mode",
    difficulty=2,
    minutes=6,
    draws=modes_draw,
    program=modes_program,
    name="modes",
)
