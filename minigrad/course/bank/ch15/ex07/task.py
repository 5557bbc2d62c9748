"""15.7 A check in one direction: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


class Bent(mg.autograd.Function):
    """Gives x, and on the way back something else than the gradient."""

    @staticmethod
    def forward(ctx, x, bend):
        ctx.bend = bend
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return mg.tensor(ctx.bend(g.detach().numpy()).copy(), dtype=g.dtype), None


BENDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "moved on by one place": lambda g: np.roll(g, 1),
    "turned round": lambda g: g[..., ::-1],
    "replaced by its mean": lambda g: np.full_like(g, g.mean()),
    "a tenth too large": lambda g: 1.1 * g,
    "of the wrong sign": lambda g: -g,
}


def watch_gradient(answer: Callable[..., Any], make: Callable[[], Any]) -> Any:
    """What is said most often in five runs, and whether the parameters are as they were."""
    said, kept = [], True
    for _ in range(5):
        loss, params = make()
        before = [p.detach().clone() for p in params]
        said.append(answer(loss, params))
        kept = kept and all(np.allclose(a.numpy(), p.detach().numpy(), rtol=0, atol=1e-9) for a, p in zip(before, params, strict=True))
    said = [word.item() if isinstance(word, mg.Tensor) and word.ndim == 0 else word for word in said]
    if not all(isinstance(word, bool | np.bool_) for word in said):
        return unfit(said[0], "True or False")
    return {"returns": bool(sum(map(bool, said)) > 2), "the parameters are as they were": kept}


def gradient_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    sizes = {"W1": (5, 3), "b1": (5,), "W2": (2, 5), "b2": (2,)}
    values = {name: rng.normal(size=shape) for name, shape in sizes.items()}
    x = mg.tensor(rng.normal(size=(7, 3)), dtype=mg.float64)
    t = mg.tensor(3 + rng.normal(size=(7, 2)), dtype=mg.float64)  # far from what comes out, so that no gradient is small

    def network(
        bends: dict[str, Any] | None = None, cut: str = "", scale: float = 1.0, left_over: float = 0.0, unused: bool = False
    ) -> Any:
        """A maker of (loss, params): fresh leaves, and a network with tanh; the gradients of some may be bent, or one cut."""

        def make() -> Any:
            leaves = {name: mg.tensor(value, dtype=mg.float64, requires_grad=True) for name, value in values.items()}
            if left_over:
                for p in leaves.values():
                    p.grad = mg.ones_like(p) * left_over

            def loss() -> Any:
                p = dict(leaves)
                for name, bend in (bends or {}).items():
                    p[name] = Bent.apply(p[name], bend)
                if cut:
                    p[cut] = p[cut].detach()
                y = mg.tanh(x @ p["W1"].T + p["b1"]) @ p["W2"].T + p["b2"]
                return scale * ((y - t) ** 2).mean()

            extra = [mg.tensor([0.5, -1.5, 2.0], dtype=mg.float64, requires_grad=True)] if unused else []
            return loss, [*leaves.values(), *extra]

        return make

    makers = [
        ("right: a network", network()),
        ("right: a very large loss", network(scale=1e7)),
        ("right: gradients left over from before", network(left_over=3.0)),
        ("right: a parameter that the loss does not use", network(unused=True)),
        *(
            (f"wrong: the gradient of {name} is {words}", network({name: bend}, scale=100.0))
            for name, (words, bend) in zip(("b1", "W2", "W1", "b2", "W1"), BENDS.items(), strict=True)
        ),
        (
            "wrong: W1 gets too much, and b1 too little by as much",
            network({"W1": lambda g: g + 0.9 / g.size, "b1": lambda g: g - 0.9 / g.size}),
        ),
        ("wrong: all gradients are of the wrong sign", network(dict.fromkeys(sizes, BENDS["of the wrong sign"]), scale=100.0)),
        ("wrong: W1 was detached and gets no gradient", network(cut="W1", scale=100.0)),
        ("wrong: the same for b2", network(cut="b2", scale=100.0)),
        ("wrong: a very small loss", network({"W2": BENDS["of the wrong sign"]}, scale=1e-7)),
    ]
    return [Case(label, (make,)) for label, make in makers]


def gradient_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Where the slope is small beside the bend, a difference to one side only is wrong; and a single number."""
    lowest = rng.normal(size=3)

    def valley(bend: Any = None) -> Any:
        def make() -> Any:
            p = mg.tensor(lowest + 1e-4, dtype=mg.float64, requires_grad=True)
            return (lambda: ((Bent.apply(p, bend) if bend else p) - mg.tensor(lowest, dtype=mg.float64)).square().sum()), [p]

        return make

    def number() -> Any:
        p = mg.tensor([1.5], dtype=mg.float64, requires_grad=True)
        return (lambda: mg.exp(p).sum()), [p]

    def asleep() -> Any:
        p = mg.tensor([-1.0, -2.0, -0.5], dtype=mg.float64, requires_grad=True)
        return (lambda: mg.relu(p).sum() + 3.0), [p]

    def masked() -> Any:
        p = mg.tensor([-1.0, 4.0], dtype=mg.float64, requires_grad=True)
        return (lambda: mg.where(p > 0, mg.sqrt(p), 0.0).sum()), [p]

    return [
        Case("right: near the bottom of a valley", (valley(),)),
        Case("right: one number", (number,)),
        Case("wrong: near the bottom of a valley, twice too large", (valley(lambda g: 2 * g),)),
        Case("right: both slopes are exactly 0", (asleep,)),
        Case("wrong: a gradient that is NaN, as that of a root under where", (masked,)),
    ]


TASK = Part(
    id="15.7",
    title="One direction for a whole model",
    difficulty=3,
    minutes=12,
    requirements=(
        Requirement(
            "`loss` is a function without arguments. Each call computes a Tensor of shape `()` from `params`, a list of "
            "float64 leaves. Some may have a `.grad` already.",
            ("gradients left over",),
        ),
        Requirement(
            "Draw **one random direction** through all parameters at once, and compare two numbers: the slope along it from "
            "the gradients, and the slope from central differences with eps = 1e-6, as in section 5.",
            ("the direction of all ones", "one random number for each parameter", "only the first parameter moves"),
        ),
        Requirement(
            "A parameter whose `.grad` is None after backward counts with the gradient zero. It may be right that it has "
            "none, or it may be the bug.",
            ("a missing gradient is skipped",),
        ),
        Requirement(
            "Losses may be very large or very small: use a relative tolerance, 1e-4. At the end the parameters have the "
            "values that they had.",
            ("an absolute tolerance", "the parameters stay moved", "two slopes of 0 do not agree"),
        ),
    ),
    cases=gradient_cases,
    without={
        "values": "they are moved to both sides and back, to within rounding",
        "version": "they are moved and put back",
        "grad": "the statement does not say what is left there",
    },
    edges=gradient_edges,
    observe=watch_gradient,
    may_change_inputs=True,
    time_limit=20.0,
)
