"""14.4 Conv2D by hand: what is asked, and what is seen of an answer."""

from __future__ import annotations

from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.common import applied, no_output, without
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement

CONV_STARTER = '''\
class Conv2D(mg.autograd.Function):
    """The convolution of images x, shape (N, C, H, W), with kernels w, shape (K, C, h, v): no padding, steps of 1.

    y[n, k, i, j] is the sum of x[n, c, i + p, j + q] * w[k, c, p, q] over c, p, q. Shape (N, K, H - h + 1, W - v + 1).
    """

    @staticmethod
    def forward(ctx, x, w):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def conv_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def sizes(label: str, N: int, C: int, H: int, W: int, K: int, h: int, v: int) -> Case:
        x, w = random_tensor(rng, dtype, N, C, H, W, leaf=True), random_tensor(rng, dtype, K, C, h, v, leaf=True)
        return Case(label, (x, w, random_tensor(rng, dtype, N, K, H - h + 1, W - v + 1)))

    def of_shapes(N: int, C: int, H: int, W: int, K: int, h: int, v: int) -> Case:
        return sizes(f"images ({N}, {C}, {H}, {W}), kernels ({K}, {C}, {h}, {v})", N, C, H, W, K, h, v)

    h, v = (int(n) for n in rng.permutation([2, 3]))
    return [
        of_shapes(2, 3, 6, 5, 4, 3, 2),
        of_shapes(3, 2, int(rng.integers(7, 9)), int(rng.integers(5, 7)), 5, h, v),
        of_shapes(2, 4, 5, 7, 3, 1, 4),
        of_shapes(3, 2, 4, 5, 1, 4, 3),
    ]


def watch_conv(answer: Any, x: Any, w: Any, v: Any) -> Any:
    with without(mg.nn.functional, "conv2d", "conv_transpose2d"):
        y = applied(answer, x, w)
        if not isinstance(y, mg.Tensor):
            return no_output(y)
        seen: dict[str, Any] = {"output": y.detach().clone()}
        if y.shape == v.shape and y.requires_grad:
            applied(answer, x.detach() + 1, w.detach() + 1)  # what is kept on the class, and not in ctx, is overwritten
            gx, gw = mg.autograd.grad(y, (x, w), v)
            seen |= {"the gradient for x": gx, "the gradient for w": gw}
    return seen


def conv_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def sizes(label: str, N: int, C: int, H: int, W: int, K: int, h: int, v: int) -> Case:
        x, w = random_tensor(rng, dtype, N, C, H, W, leaf=True), random_tensor(rng, dtype, K, C, h, v, leaf=True)
        return Case(label, (x, w, random_tensor(rng, dtype, N, K, H - h + 1, W - v + 1)))

    return [
        sizes("one image of one number, one kernel of one number", 1, 1, 1, 1, 1, 1, 1),
        sizes("a kernel as large as the image", 2, 1, 3, 4, 2, 3, 4),
        sizes("images of one column", 1, 2, 5, 1, 3, 2, 1),
        sizes("everything equally large", 2, 2, 2, 2, 2, 2, 2),
    ]


TASK = Part(
    id="14.4",
    title="A convolution by hand",
    difficulty=5,
    minutes=30,
    requirements=(
        Requirement("`x` are N images with C channels, shape (N, C, H, W). `w` are K kernels, shape (K, C, h, v)."),
        Requirement(
            "The result has shape (N, K, H − h + 1, W − v + 1): no padding, steps of 1.",
            ("padding", "a true convolution"),
        ),
        Requirement(
            "`backward` gets `g` of the shape of `y`, and returns the gradients for `x` and for `w`.",
            ("the kernel is not flipped", "one image only", "the mean over the images", "g is forgotten"),
        ),
        Requirement("Do without `conv2d` and `conv_transpose2d`; the checker locks them away.", ("by the library",)),
        Requirement("The result has the dtype of `x`.", ("float32 inside",)),
    ),
    starter=CONV_STARTER,
    cases=conv_cases,
    edges=conv_edges,
    observe=watch_conv,
    compare_dtype=True,
)
