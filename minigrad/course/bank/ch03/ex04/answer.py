"""03.4 Chain: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


def chain(maps, x):
    """The Jacobian of one function after another, at x.

    maps: a list of pairs (f, J). The first f is applied first, to x; the next one to what comes out of it, and so on.
    J(x) is the Jacobian of f at x, an array of shape (m, n). Returns the Jacobian of the whole.
    """
    total = np.eye(len(x))
    for f, J in maps:
        total = J(x) @ total
        x = f(x)
    return total


def chain_dot(maps, x):
    points = [np.array(x)]
    for f, _ in maps:
        points.append(f(points[-1]))
    total = maps[-1][1](points[len(maps) - 1])
    for k in reversed(range(len(maps) - 1)):
        total = np.dot(total, maps[k][1](points[k]))
    return total


ANSWER = Part(
    reference=chain,
    alternatives={
        "from the last to the first": chain_dot,
    },
    hints=(
        "The chain rule for tables: the Jacobian of g after f is J_g · J_f, a product of matrices. J_f is taken at x. "
        "At which point is J_g taken?",
        "```text\n      x  ──f──►  a  ──g──►  b  ──h──►  y\n     (2)        (5)        (3)        (4)\n\n"
        "J  =  J_h(b)  @  J_g(a)  @  J_f(x)\n     (4 × 3)    (3 × 5)    (5 × 2)\n```\n\n"
        "Each J is taken at what goes **into** its map. The product is read against the arrows.",
        "```python\ntotal = np.eye(len(x))\nfor f, J in maps:\n    total = ___ @ ___\n    x = ___\nreturn total\n```",
    ),
    explanation="""\
`J(x) @ total`: the newest map on the left, because it is the outermost. With the sizes 2 → 5 → 3 → 4 the shapes
(4×3)(3×5)(5×2) allow no other order. With equal sizes every order runs, and only one is right: that is why the checker
has such a case.

Each Jacobian is taken at the point where its map is applied. That is the reason why backward needs the values of the
forward pass: the engine *saves* them.

The product can be bracketed in two ways. From the right, as here, is **forward mode**: it goes along with the program.
From the left is **reverse mode**: `backward` begins with the last map. Both give the same table; they differ in what it
costs (chapters 04 and 10).
""",
)
