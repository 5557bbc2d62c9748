"""13.4 Order: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part

OrderDraw = tuple[int, int, int, int]  # the factor and the number of the two hooks, the slope of L at h, that of h at x


def order_draw(rng: np.random.Generator) -> OrderDraw:
    while True:
        times, plus, slope = (int(v) for v in (rng.choice([10, 100]), rng.integers(1, 6), rng.integers(2, 8)))
        factor = int(rng.integers(2, 6))
        if slope * times + plus != (slope + plus) * factor:  # else two beliefs foretell the same number
            return times, plus, slope, factor


def order_program(draw: OrderDraw) -> str:
    times, plus, slope, factor = draw
    return f"""\
x = mg.tensor(1.0, requires_grad=True)
h = {factor} * x
h.register_hook(lambda g: g * {times})
h.retain_grad()
h.register_hook(lambda g: g + {plus})
gone = h.register_hook(lambda g: -g)
gone.remove()
x.register_hook(lambda g: print(g))
({slope} * h).backward()"""


TASK = Part(
    id="13.4",
    title="Order",
    difficulty=2,
    minutes=5,
    extra=True,
    draws=order_draw,
    program=order_program,
    name="order",
)
