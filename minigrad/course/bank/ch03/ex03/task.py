"""03.3 Shapes: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part

Shape = tuple[int, ...]

# The sizes n, p, q, r, and the lines: (key, rule, code, shape of the output, shape of the input)
Draw = tuple[tuple[int, ...], tuple[tuple[str, str, str, Shape, Shape], ...]]


def shapes_draw(rng: np.random.Generator) -> Draw:
    n, p, q, r = (int(size) for size in rng.permutation([2, 3, 4, 5, 6])[:4])
    by = rng.integers(2, size=4)
    lines = [
        ("number of vector", ["x.sum()", "(x * x).mean()"][by[0]], (), (n,), "x"),
        ("entry by entry", ["mg.relu(x)", "mg.exp(x)"][by[1]], (n,), (n,), "x"),
        ("vector of table", ["X.sum(0)", "X.mean(0)"][by[2]], (q,), (p, q), "X"),
        ("vector of table", ["X @ c", "(X * c).sum(1)"][by[3]], (p,), (p, q), "X"),
        ("table of table", "X.T", (q, p), (p, q), "X"),
        ("table of vector", "mg.outer(x, d)", (n, r), (n,), "x"),
        ("number of table", ["(X ** 2).sum()", "X.max()"][by[1]], (), (p, q), "X"),
        ("vector of number", ["s * d", "mg.sin(s + d)"][by[0]], (r,), (), "s"),
    ]
    order = [int(k) for k in rng.permutation(len(lines))]
    told = []
    for key, k in zip("abcdefgh", order, strict=True):
        rule, code, out, into, letter = lines[k]
        told.append((key, rule, f"jacobian(lambda {letter}: {code}, {letter}).shape", out, into))
    return (n, p, q, r), tuple(told)


def shapes_setup(draw: Draw) -> str:
    n, p, q, r = draw[0]
    return f"""\
x = mg.rand({n})
X = mg.rand({p}, {q})
s = mg.tensor(2.0)
c, d = mg.rand({q}), mg.rand({r})  # constants
"""


def shapes_program(draw: Draw) -> str:
    lines = "\n".join(f"{code:<50}# {key}" for key, _, code, *_ in draw[1])
    return f"from minigrad.autograd.functional import jacobian\n\n{shapes_setup(draw)}\n{lines}"


TASK = Part(
    id="03.3",
    title="Shapes",
    difficulty=1,
    minutes=4,
    draws=shapes_draw,
    program=shapes_program,
    name="shapes",
)
