"""04.4 Weighted samples: what is asked, and what is seen of an answer."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04.common import Watch
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def weighted_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def squared(m: int, n: int) -> tuple[Any, ...]:
        A, b = random_tensor(rng, dtype, m, n), random_tensor(rng, dtype, m)
        theta = random_tensor(rng, dtype, n, leaf=True)
        w = mg.tensor(rng.uniform(0.5, 3.0, size=m), dtype=dtype)
        w[int(rng.integers(m))] = 0.0
        return lambda theta: (A @ theta - b) ** 2, theta, w

    def logistic(m: int, n: int) -> tuple[Any, ...]:
        A, theta = random_tensor(rng, dtype, m, n), random_tensor(rng, dtype, n, leaf=True)
        return lambda theta: mg.log(1 + mg.exp(-(A @ theta))), theta, random_tensor(rng, dtype, m)

    return [
        Case("5 samples, 3 parameters, squared errors", squared(5, 3)),
        Case("2 samples, 4 parameters, squared errors", squared(2, 4)),
        Case("6 samples, 2 parameters, logistic losses, weights of both signs", logistic(6, 2)),
    ]


PRINTING = {"tensor_repr", "_array2string"}  # who looks at numbers to print them computes nothing


def noticing(notes: list[str]) -> type[np.ndarray]:
    """The class of an array that notes what is computed from it, in Tensors or in NumPy, and which numbers are taken out."""

    def note(what: str) -> None:
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_name not in PRINTING:
            frame = frame.f_back
        notes.extend([what] * (frame is None))

    def plain(x: Any) -> Any:
        return x.view(np.ndarray) if isinstance(x, Noticing) else x

    class Noticing(np.ndarray):
        def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
            note(ufunc.__name__)
            if "out" in kwargs:
                kwargs["out"] = tuple(map(plain, kwargs["out"]))
            return getattr(ufunc, method)(*map(plain, inputs), **kwargs)

        def __array_function__(self, function: Any, *rest: Any) -> Any:
            note(function.__name__)
            return super().__array_function__(function, *rest)

        def __getitem__(self, key: Any) -> Any:
            note("an entry")
            return plain(self)[key]

    for name in ("tolist", "item", "copy", "astype", "reshape"):

        def method(self: Any, *args: Any, name: str = name, **kwargs: Any) -> Any:
            note(name)
            return getattr(plain(self), name)(*args, **kwargs)

        setattr(Noticing, name, method)
    Noticing.__name__ = "array"  # so it is printed
    return Noticing


def watch_weighted(answer: Callable[..., Any], losses_of: Callable[..., Any], theta: Any, w: Any) -> Any:
    (right,) = mg.autograd.grad(losses_of(theta), theta, w)
    watch, notes = Watch(), list[str]()

    def losses(theta: Any) -> Any:
        given = losses_of(theta)
        if hasattr(given, "_array"):  # PyTorch's has none, when it is asked whether it agrees with the reference
            given._array = given._array.view(noticing(notes))
        return given

    result = answer(watch.around(losses, "losses_of"), theta, w)
    if not isinstance(result, mg.Tensor):
        return unfit(result, "a Tensor of shape (n,)")
    seen = {"returns": result}
    near = {"rtol": 1e-3, "atol": 1e-4}
    if result.shape == right.shape and np.allclose(result.detach().numpy(), right.numpy(), **near):
        # How it was done matters only where the numbers are right.
        if watch.passes != 1:
            return {"how": f"{watch.passes} backward passes through the losses", **seen}
        if notes:
            return {"how": "something was computed from the losses, or taken out of them", **seen}
    return {"how": "one pass that starts at the losses", **seen}


def weighted_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(n: int) -> Any:
        return random_tensor(rng, dtype, n, leaf=True)

    return [
        Case("one sample, one parameter", (lambda theta: (theta - 1) ** 2, leaf(1), random_tensor(rng, dtype, 1))),
        Case("one sample, 3 parameters", (lambda theta: (theta**2).sum().reshape(1), leaf(3), random_tensor(rng, dtype, 1))),
        Case("all weights are 0", (lambda theta: theta**2, leaf(3), mg.zeros(3, dtype=dtype))),
        Case("negative weights", (lambda theta: mg.exp(theta), leaf(2), -mg.ones(2, dtype=dtype))),
    ]


TASK = Part(
    id="04.4",
    title="Weighted samples",
    difficulty=2,
    minutes=5,
    requirements=(
        Requirement("`losses_of(theta)` returns a Tensor of shape (m,), with the loss of each sample.", ("v like theta",)),
        Requirement(
            "`theta` is a leaf of shape (n,), its `.grad` is None. `w` is a Tensor of shape (m,); weights may be 0 or "
            "negative.",
            ("weights made to sum to 1",),
        ),
        Requirement("Return a Tensor of shape (n,).", ("mean", "no weights")),
        Requirement(
            "Do it **without building the sum**: compute nothing from the losses, no product with `w`, no `sum`, no `dot`, "
            "and take none of their numbers out. (You may print them.) The checker looks.",
            ("the sum is built",),
        ),
        Requirement("Go backward through the losses **once**.", ("sample by sample", "twice")),
    ),
    cases=weighted_cases,
    edges=weighted_edges,
    observe=watch_weighted,
)
