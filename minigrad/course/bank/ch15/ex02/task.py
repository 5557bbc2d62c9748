"""15.2 A layer and a network: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import random_tensor
from minigrad.course.bank.watching import calls_counted
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit

NET_STARTER = '''\
class Net:
    """A network of linear layers with tanh between them. All arrays are Tensors."""

    @staticmethod
    def parameters(sizes):
        """[W1, b1, W2, b2, …] for the layers sizes[0] → sizes[1] → …; W: shape (out, in), b: shape (out,)."""
        ...

    @staticmethod
    def forward(x, parameters):
        """The scores for a batch x of shape (n, in): tanh after each layer but the last."""
        ...

    @staticmethod
    def linear_vjp(v, x, W):
        """For y = x @ W.T + b: what the gradient v of y becomes for x, for W and for b, as a tuple of three."""
        ...
'''


def evenly_spread(drawn: Any, n: int) -> bool:
    """Whether many weights are uniform between -1/sqrt(n) and 1/sqrt(n); of uniform ones, one in 10⁷ sets is said not to be."""
    if len(drawn) < 1000:
        return True
    places = np.sort((drawn * n**0.5 + 1) / 2)
    gap = np.abs(places - (np.arange(len(places)) + 0.5) / len(places)).max()
    return bool(gap * len(places) ** 0.5 < 2.95)


def watch_net(answer: Any, part: str, *args: Any) -> Any:
    function = getattr(answer, part)
    if part == "forward":
        scores, (_, parameters) = function(*args), args
        if isinstance(scores, list | tuple):  # perhaps of Tensors that have graphs
            return unfit(scores, "a Tensor of shape (n, out)")
        seen = {"scores": scores, "the scores have a graph": bool(getattr(scores, "requires_grad", False))}
        if seen["the scores have a graph"] and all(p.requires_grad for p in parameters):
            gradients = mg.autograd.grad(scores.sum(), parameters, allow_unused=True)
            names = (f"{kind}{layer}" for layer in range(1, len(parameters)) for kind in "Wb")
            arrived = {name: "none came" if g is None else g for name, g in zip(names, gradients, strict=False)}
            seen["gradients of the sum of the scores"] = arrived
        return seen
    with calls_counted(mg) as passes:
        returned = function(*args)
    if not isinstance(returned, tuple | list):
        return unfit(returned, "a list of Tensors" if part == "parameters" else "a tuple of three Tensors")
    if part == "linear_vjp":
        names = ("for x", "for W", "for b")
        if len(returned) != 3:
            return {"how many": len(returned)}
        return dict(zip(names, returned, strict=True)) | {"cost_by_the_engine": bool(passes)}
    if not all(isinstance(p, mg.Tensor) for p in returned):
        return unfit(returned, "a list of Tensors")
    (sizes,) = args
    second = function(sizes)
    weights = list(returned[::2])
    inputs = [n for n in sizes[:-1] for _ in range(2)]
    return {
        "shapes": [str(tuple(p.shape)) for p in returned],
        "leaves": [bool(p.is_leaf) for p in returned],
        "require grad": [bool(p.requires_grad) for p in returned],
        "the weights of one layer differ from each other": [bool((W.flatten()[0] != W).any()) for W in weights],
        "another call draws other weights": [
            bool((a != b).any()) for a, b in zip(weights, second[::2], strict=True) if a.shape == b.shape
        ],
        "all within 1/sqrt(in)": [bool((p.abs() <= 1.0001 * n**-0.5).all()) for p, n in zip(returned, inputs, strict=False)],
        "of both signs": [bool((W < 0).any() and (W > 0).any()) for W in weights],
        "uniform, where there are many": [evenly_spread(W.detach().numpy().ravel(), n) for W, n in zip(weights, sizes, strict=False)],
        "the weights use the room": [bool(W.abs().max() > 0.5 * n**-0.5) for W, n in zip(weights, sizes, strict=False)],
    }


def net_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def net_of(*sizes: int) -> list[Any]:
        shapes = [s for a, b in zip(sizes, sizes[1:], strict=False) for s in ((b, a), (b,))]
        return [random_tensor(rng, dtype, *shape, leaf=True) for shape in shapes]

    return [
        *(Case(f"parameters: sizes {sizes}", ("parameters", sizes)) for sizes in ([7, 9, 8], [6, 12], [8, 5, 11, 7])),
        Case("forward: one layer", ("forward", random_tensor(rng, dtype, 5, 3), net_of(3, 4))),
        Case("forward: two layers", ("forward", random_tensor(rng, dtype, 6, 2), net_of(2, 5, 3))),
        Case("forward: three layers", ("forward", random_tensor(rng, dtype, 7, 4), net_of(4, 3, 6, 2))),
        *(
            Case(
                f"linear_vjp: {n} rows, {a} inputs, {b} outputs",
                ("linear_vjp", random_tensor(rng, dtype, n, b), random_tensor(rng, dtype, n, a), random_tensor(rng, dtype, b, a)),
            )
            for n, a, b in ((6, 3, 4), (2, 5, 3))
        ),
    ]


def net_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def some(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def layer(a: int, b: int) -> list[Any]:
        return [random_tensor(rng, dtype, b, a, leaf=True), random_tensor(rng, dtype, b, leaf=True)]

    return [
        Case("parameters: sizes [40, 50]", ("parameters", [40, 50])),
        Case("forward: one row, one input, one output", ("forward", some(1, 1), layer(1, 1))),
        Case("forward: one row, two layers", ("forward", some(1, 3), [*layer(3, 2), *layer(2, 1)])),
        Case("linear_vjp: one row, one input, one output", ("linear_vjp", some(1, 1), some(1, 1), some(1, 1))),
        Case("linear_vjp: 3 rows, 3 inputs, 3 outputs", ("linear_vjp", some(3, 3), some(3, 3), some(3, 3))),
    ]


TASK = Part(
    id="15.2",
    title="A layer and a network",
    difficulty=2,
    minutes=10,
    requirements=(
        Requirement(
            "Parameters are leaves that require grad, of the right shapes; the weights are random, within their bound.",
            (
                "parameters: results, not leaves",
                "parameters: only the weights learn",
                "parameters: (in, out)",
                "parameters: too large",
                "parameters: too small",
            ),
        ),
        Requirement(
            "The scores are a Tensor of shape (n, out) that keeps its graph, so that the network can be trained.",
            ("forward: no graph", "forward: tanh after the last layer"),
        ),
        Requirement(
            "The three gradients have the shapes of what they belong to, and sum over the rows of the batch.",
            ("linear_vjp: the mean over the rows", "linear_vjp: W's gradient lies on its side"),
        ),
    ),
    starter=NET_STARTER,
    cases=net_cases,
    edges=net_edges,
    observe=watch_net,
)
