"""14.6 once_differentiable: what is asked, and what is seen of an answer."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part

Draw = tuple[tuple[str, str, str], ...]  # (key, rule, code), in the order of the program

ONCE_SETUP = """\
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @mg.autograd.function.once_differentiable
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y

x = mg.tensor([0.5, 1.0, 2.0], dtype=mg.float64, requires_grad=True)
w = mg.tensor([2.0, 3.0, 4.0], dtype=mg.float64)  # a constant

def first(y):                 # the first derivative
    return mg.autograd.grad(y.sum(), x)[0]

def by_grad(y, **options):    # the second, by autograd.grad
    (g,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    return mg.autograd.grad(g.sum(), x, **options)[0]

def by_backward(y):           # the second, by backward
    x.grad = None
    (g,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    g.sum().backward()
    return x.grad

"""

ALONE = ["Exp.apply(x)", "5 * Exp.apply(x)", "Exp.apply(2 * x)", "Exp.apply(x) + w"]
BESIDE = ["Exp.apply(x) + x**2", "x**3 + Exp.apply(x)", "Exp.apply(x) + mg.sin(x)", "x**4 - Exp.apply(x)"]
INSIDE = ["Exp.apply(x) ** 2", "mg.sin(Exp.apply(x))", "Exp.apply(x) * Exp.apply(x)", "mg.exp(Exp.apply(x))"]
BOTH = ["Exp.apply(x) ** 2 + x**2", "x**3 + mg.sin(Exp.apply(x))", "x * Exp.apply(x)"]

ONCE_LINES = {  # rule: (the call, what is in it)
    "first": ("first({})", BESIDE + INSIDE),
    "elsewhere": ("by_grad({})", ["x**3 * Exp.apply(w)", "x**2 + Exp.apply(w)", "mg.sin(x) - Exp.apply(w)"]),
    "alone, grad": ("by_grad({})", ALONE),
    "alone, backward": ("by_backward({})", ALONE),
    "beside, grad": ("by_grad({})", BESIDE),
    "beside, backward": ("by_backward({})", BESIDE),
    "inside, grad": ("by_grad({})", INSIDE),
    "inside, backward": ("by_backward({})", INSIDE),
    "inside, allow_unused": ("by_grad({}, allow_unused=True)", INSIDE),
    "both, grad": ("by_grad({})", BOTH),
    "both, backward": ("by_backward({})", BOTH),
}

ONCE_WORDS = ("right", "wrong", "no graph", "twice", "unused", "None")


def once_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(ONCE_LINES))]
    return tuple(
        (key, rule, ONCE_LINES[rule][0].format(rng.choice(ONCE_LINES[rule][1])))
        for key, rule in zip("abcdefghijk", rules, strict=True)
    )


def once_program(draw: Draw) -> str:
    return ONCE_SETUP + "\n".join(f"{code:<52}# {key}" for key, _, code in draw)


TASK = Part(
    id="14.6",
    title="What once_differentiable does not promise",
    difficulty=4,
    minutes=8,
    extra=True,
    draws=once_draw,
    program=once_program,
    name="second_time",
    words=ONCE_WORDS,
)
