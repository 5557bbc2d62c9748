"""15.3 Adam: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import random_tensor
from minigrad.course.bank.watching import calls_of
from minigrad.course.exercise import Case, Part, Requirement

ADAM_STARTER = '''\
class Adam:
    """w ← w − lr · m̂ / (√v̂ + eps), for each parameter that has a gradient."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params = list(params)
        self.lr, self.betas, self.eps = lr, betas, eps
        ...

    def step(self):
        """Move every parameter that has a gradient, in place."""
        ...
'''


Given = Callable[[list[Any]], Any]  # how the parameters are handed in


def generated(values: list[Any]) -> Iterator[Any]:
    """As `model.parameters()` gives them: once."""
    yield from values


def watch_adam(
    answer: Any, values: list[Any], gradients: list[list[Any]], settings: dict[str, Any], given: Given = list
) -> dict[str, Any]:
    with calls_of(mg.optim.Adam, "step") as steps:
        seen = steps_of_adam(answer, values, gradients, settings, given)
    return {"the steps are made by": "mg.optim.Adam"} if steps else seen


def steps_of_adam(
    answer: Any, values: list[Any], gradients: list[list[Any]], settings: dict[str, Any], given: Given
) -> dict[str, Any]:
    optimizer = answer(given(values), **settings)
    seen: dict[str, Any] = {}
    kept = ["as it was"] * len(values)
    other = mg.ones(2, requires_grad=True)
    other.grad = mg.ones(2)
    answer([other], lr=0.5, betas=(0.5, 0.5), eps=0.5).step()  # a second optimizer leaves the first one alone
    for number, row in enumerate(gradients, 1):
        for p, g in zip(values, row, strict=True):
            p.grad = None if g is None else g.clone()
        optimizer.step()
        seen[f"after step {number}"] = [p.detach().clone() for p in values]
        for k, (p, g) in enumerate(zip(values, row, strict=True)):
            if g is not None and (p.grad is None or (p.grad != g).any()):
                kept[k] = "gone" if p.grad is None else "changed"
    seen["leaves that require grad"] = [bool(p.is_leaf and p.requires_grad) for p in values]
    seen["each gradient, after the steps"] = kept
    return seen


def adam_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(
        label: str, shapes: list[tuple[int, ...]], steps: int, scale: Any = 1.0, none: int | None = None, **settings: Any
    ) -> Case:
        values = [random_tensor(rng, dtype, *shape, leaf=True) for shape in shapes]
        rows = [
            [None if k == none else mg.tensor(rng.normal(size=shape) * scale, dtype=dtype) for k, shape in enumerate(shapes)]
            for _ in range(steps)
        ]
        return Case(label, (values, rows, settings))

    sizes = np.array([1e6, -1e3, 1.0, -1e-3, 1e-5])  # of both signs, and of every size
    gradients = sizes * rng.uniform(0.5, 1.5, 5)
    first = ([random_tensor(rng, dtype, 5, leaf=True)], [[mg.tensor(gradients, dtype=dtype)]], {"lr": 0.5})
    return [
        case("five steps with the usual settings", [(3,)], 5, lr=0.1),
        Case("one step with gradients of every size", first),
        case("a table, and other betas", [(2, 4)], 5, lr=0.3, betas=(0.6, 0.9)),
        case("gradients as small as eps", [(4,)], 3, scale=1e-4, lr=0.1, eps=1e-4),
        case("two parameters of one shape", [(3,), (3,)], 4, lr=0.2),
        case("three parameters, and the second has no gradient", [(2,), (2,), (2,)], 3, none=1, lr=0.1),
    ]


def adam_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    late = [random_tensor(rng, dtype, 2, leaf=True) for _ in range(2)]
    rows = [[numbers(2), None], [numbers(2), None], [numbers(2), numbers(2)], [numbers(2), numbers(2)]]
    gaps = [random_tensor(rng, dtype, 3, leaf=True)]
    edges = [
        Case("the second parameter gets its first gradient in step 3", (late, rows, {"lr": 0.1})),
        Case("no gradient in step 2", (gaps, [[numbers(3)], [None], [numbers(3)]], {"lr": 0.1})),
        Case("gradients of 0", ([random_tensor(rng, dtype, 2, leaf=True)], [[mg.zeros(2, dtype=dtype)], [numbers(2)]], {"lr": 0.1})),
        Case("one number of shape ()", ([random_tensor(rng, dtype, leaf=True)], [[numbers()], [numbers()]], {"lr": 0.05})),
    ]
    first = [random_tensor(rng, dtype, 2, leaf=True) for _ in range(2)]
    rows = [[numbers(2), numbers(2)], [None, numbers(2)], [numbers(2), numbers(2)]]
    edges.append(Case("the first parameter has no gradient in step 2, the second has one", (first, rows, {"lr": 0.1})))
    pair = [random_tensor(rng, dtype, 2, leaf=True) for _ in range(2)]
    rows = [[numbers(2), numbers(2)] for _ in range(3)]
    return [*edges, Case("a generator of two parameters", (pair, rows, {"lr": 0.1}, generated))]


TASK = Part(
    id="15.3",
    title="Adam, step by step",
    difficulty=3,
    minutes=12,
    requirements=(
        Requirement(
            "`Adam(params, lr=0.001, betas=(0.9, 0.999), eps=1e-8)` takes a list of parameters, or a generator such as "
            "`model.parameters()` gives. The lines that keep these are written; add what `step` must remember.",
            ("one memory for all parameters", "the generator is kept"),
        ),
        Requirement(
            "`step()` moves every parameter that has a gradient, **in place**: it must stay the same leaf. Where `.grad` is "
            "None, the parameter stays, and its *t* too: *t* counts the steps of one parameter. The gradients are not "
            "changed.",
            ("the name moves, not the parameter", "one t for all parameters", "the gradients are cleared", "m is the gradient"),
        ),
        Requirement(
            "Any style will do, Tensors or NumPy; the first five steps must agree with the formulas to 12 digits.",
            ("no bias correction", "eps inside the root", "m forgets"),
        ),
        Requirement("`mg.optim.Adam` is there to compare with, and not to be called.", ("the ready one",)),
    ),
    starter=ADAM_STARTER,
    cases=adam_cases,
    edges=adam_edges,
    observe=watch_adam,
    may_change_inputs=True,
    tolerance=1e-12,
)
