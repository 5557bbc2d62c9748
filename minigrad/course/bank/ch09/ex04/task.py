"""09.4 Newton: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.autograd.functional import hessian
from minigrad.course.bank.ch09.common import Watch, gradient_at
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def newton_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    A, B, b = tensor(3, 3), tensor(5, 4), tensor(4)
    S = A @ A.T + mg.eye(3, dtype=dtype)
    near = mg.tensor(np.array([0.8, 0.5]) + 0.1 * rng.uniform(size=2), dtype=dtype)
    return [
        Case("a bowl, x @ S @ x + x.sum(), one step", (lambda x: x @ S @ x + x.sum(), tensor(3), 1)),
        Case(
            "exp(B @ x / 2).sum() + ((x - b) ** 2).sum(), three steps",
            (lambda x: mg.exp(B @ x / 2).sum() + ((x - b) ** 2).sum(), tensor(4), 3),
        ),
        Case("a bent valley, six steps", (lambda x: (1 - x[0]) ** 2 + 10 * (x[1] - x[0] ** 2) ** 2, near, 6)),
        Case("no step", (lambda x: (x**4).sum(), tensor(2), 0)),
    ]


def factor(a: Any, b: Any) -> float | None:
    """The number by which b gives a, if there is one."""
    c = (a @ b) / (b @ b)
    return c.item() if mg.linalg.norm(a - c * b) <= 1e-3 * mg.linalg.norm(a) + 1e-6 * mg.linalg.norm(b) else None


def of_first_step(f: Callable[..., Any], x0: Any, x: Any) -> str | None:
    """In words: a step from x0 along the gradient, or one that goes a part of the way. Otherwise its numbers tell more."""
    leaf = x0.detach().clone().requires_grad_()
    g, way = gradient_at(f, leaf), x - x0
    if (factor(way, -g) or 0.0) > 0:
        return "it goes along the gradient"
    part = factor(hessian(f, leaf).detach() @ way, -g)
    return "it is cut short" if part is not None and 0 <= part < 0.99 else None


def watch_newton(answer: Callable[..., Any], f: Callable[..., Any], x0: Any, k: int) -> Any:
    watch = Watch(f)
    points: list[Any] = []

    def watched(x: Any) -> Any:
        points.append(x.detach().clone())
        return watch.f(x)

    start = x0.detach().clone()
    x = answer(watched, x0, k)
    if not isinstance(x, mg.Tensor):
        return unfit(x, "a Tensor of shape (n,)")
    few = max(2, len(watch.behind) // 4)  # library functions put a node or two of their own before f
    grows = k > 4 and max(watch.behind[-few:], default=0) > max(watch.behind[:few], default=0) + 1
    end = x.detach().clone()
    tried = [point for point in points if k > 1 and not mg.equal(point, start)]
    told = end.shape == start.shape and k > 0 and len(start) > 1
    slip = of_first_step(f, start, [*tried, end][0]) if told else None
    return {
        "the step is cut short, or goes along the gradient": slip or "neither",
        **({} if slip else {f"x after {k} steps": end}),
        "the graph behind x": "grows from step to step" if grows else "does not grow",
        "what you return": "has no graph" if x.grad_fn is None else "has a graph",
    }


def newton_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    c = tensor(3)
    return [
        Case("one variable, two steps", (lambda x: mg.exp(x).sum() - 2 * x.sum(), mg.zeros(1, dtype=dtype), 2)),
        Case("a hill, where the step leads to its top", (lambda x: -(x**2).sum() + (c * x).sum(), tensor(3), 1)),
        Case("a saddle", (lambda x: x[0] ** 2 - 3 * x[1] ** 2 + x[0] * x[1] + x[1], tensor(2), 1)),
        Case("a step that leads uphill", (lambda x: mg.cos(x).sum(), mg.full((2,), 0.4, dtype=dtype), 1)),
    ]


TASK = Part(
    id="09.4",
    title="Newton",
    difficulty=3,
    minutes=8,
    requirements=(
        Requirement(
            "`f` takes a Tensor of shape (n,) and returns one of shape (). `x0` is a Tensor of shape (n,). It is the "
            "caller's: neither its numbers nor its `requires_grad` may change.",
            ("x0 requires grad", "x0 is written"),
        ),
        Requirement(
            "What you return has no graph. And no step may drag the graphs of the steps before it along; the checker looks "
            "at the `x` with which you call `f`.",
            ("not detached", "the last step has a graph"),
        ),
        Requirement(
            "Each step is taken with the gradient and the Hessian at its own point; there are `k`.",
            ("the first Hessian for all steps", "one step too few", "the diagonal only"),
        ),
    ),
    cases=newton_cases,
    edges=newton_edges,
    observe=watch_newton,
    tolerance=1e-8,
)
