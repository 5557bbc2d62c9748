"""11.3 One step of SGD, in place: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.shared import nonzero_tensor
from minigrad.course.exercise import Case, Part, Requirement


def observe_step(
    answer: Callable[..., Any], params: list[Any], grads: list[Any], lr: float, recording: bool = True
) -> dict[str, Any]:
    """What a step leaves: in the tensors, in the list, in the memory, and in the mode."""
    for p, g in zip(params, grads, strict=True):
        p.grad = g
    held, windows = list(params), [p.detach().view(-1) for p in params]
    grads_before = [None if g is None else g.clone() for g in grads]
    mg.set_grad_enabled(recording)
    try:
        answer(params, lr)
        recording = mg.is_grad_enabled()
    finally:
        mg.set_grad_enabled(True)
    if not all(isinstance(p, mg.Tensor) for p in params):
        return {"the list": "holds something that is no Tensor"}
    same = len(params) == len(held) and all(p is q for p, q in zip(params, held, strict=True))
    seen: dict[str, Any] = {
        "the list holds the same tensors": same,
        "values": [p.detach().clone() for p in params],
        "is_leaf": [p.is_leaf for p in params],
        "requires_grad": [p.requires_grad for p in params],
        "the memory was written": [
            bool((w == p.detach().view(-1)).all()) for w, p in zip(windows, held, strict=True)
        ],
        "the tensors that the caller holds": [p.detach().clone() for p in held],
        ".grad": [p.grad if p.is_leaf else None for p in params],
        "recording is on afterwards": recording,
        "cost_counted": [p._version > 0 for p in held],
    }
    seen[".grad is as it was"] = [
        (a is None) == (b is None) and (a is None or bool((a == b).all()))
        for a, b in zip(grads_before, (p.grad for p in held), strict=True)
    ]
    return seen


def step_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return nonzero_tensor(rng, dtype, *shape, leaf=True)

    def grad(*shape: int) -> Any:
        return nonzero_tensor(rng, dtype, *shape)

    return [
        Case("with gradients: one parameter", ([leaf(3)], [grad(3)], float(rng.uniform(0.05, 0.2)))),
        Case(
            "with gradients: a matrix, a bias and a number",
            ([leaf(2, 4), leaf(4), leaf()], [grad(2, 4), grad(4), grad()], float(rng.uniform(0.3, 0.9))),
        ),
        Case(
            "without: a parameter that got no gradient",
            ([leaf(5), leaf(3), leaf(2, 1)], [grad(5), None, grad(2, 1)], float(rng.uniform(0.05, 0.2))),
        ),
    ]


def step_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int, leaf: bool = False) -> Any:
        return nonzero_tensor(rng, dtype, *shape, leaf=leaf)

    return [
        Case("without: none got a gradient", ([tensor(2, leaf=True), tensor(leaf=True)], [None, None], 0.1)),
        Case("without: the first got no gradient", ([tensor(2, leaf=True), tensor(3, leaf=True)], [None, tensor(3)], 0.5)),
        Case("with gradients: lr is 0", ([tensor(3, leaf=True)], [tensor(3)], 0.0)),
        Case("with gradients: one number, its gradient is 0", ([tensor(1, leaf=True)], [mg.zeros(1, dtype=dtype)], 0.3)),
        Case("with gradients: called under no_grad", ([tensor(4, leaf=True)], [tensor(4)], 0.2, False)),
    ]


TASK = Part(
    id="11.3",
    title="One step of SGD, in place",
    difficulty=2,
    minutes=6,
    requirements=(
        Requirement("From each parameter, `lr` times its `.grad` is taken.", ("uphill", "no lr", "the first alone")),
        Requirement("A parameter whose `.grad` is None stays as it is.", ("None is not skipped", "the rest is skipped too")),
        Requirement(
            "The tensors stay the same objects, in the same memory; they stay leaves, and go on requiring grad. Others hold "
            "them too.",
            ("results in the list", "new leaves in the list", "other memory", "frozen"),
        ),
        Requirement(
            "Leave `.grad` as it is. What you return does not matter.",
            ("the gradients are cleared", "the gradients are scaled"),
        ),
        Requirement(
            "Recording is afterwards as it was before: on, or off where somebody calls your step under `no_grad`.",
            ("recording stays off", "recording is switched on"),
        ),
    ),
    cases=step_cases,
    edges=step_edges,
    observe=observe_step,
    may_change_inputs=True,
)
