"""13.3 How many calls?: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part

CallsDraw = tuple[int, int, int, int, int, tuple[str, ...]]  # slopes h/x, side/x, L/h twice, x itself, and the passes
PASSES = ("L.backward(retain_graph=True)", "L.backward(retain_graph=True)", "mg.autograd.grad(L, x, retain_graph=True)")


def calls_draw(rng: np.random.Generator) -> CallsDraw:
    a, b, c, d = (int(v) for v in rng.choice(np.arange(2, 10), 4, replace=False))
    return a, b, c, d, int(rng.integers(2, 5)), tuple(str(p) for p in rng.permutation(PASSES))


def calls_program(draw: CallsDraw) -> str:
    a, b, c, d, value, passes = draw
    return f"""\
calls = {{"h": [], "side": [], "x": [], "after": []}}

x = mg.tensor({value}.0, requires_grad=True)
h = {a} * x
side = {b} * x
h.register_hook(lambda g: calls["h"].append(g.item()))
side.register_hook(lambda g: calls["side"].append(g.item()))
x.register_hook(lambda g: calls["x"].append(g.item()))
x.register_post_accumulate_grad_hook(lambda t: calls["after"].append(t.grad.item()))

L = {c} * h + {d} * h
{chr(10).join(passes)}"""


TASK = Part(
    id="13.3",
    title="How many calls?",
    difficulty=2,
    minutes=8,
    draws=calls_draw,
    program=calls_program,
    name="calls",
)
