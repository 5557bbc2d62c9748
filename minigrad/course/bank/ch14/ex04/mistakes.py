"""14.4 Conv2D by hand: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch14.common import function
from minigrad.course.bank.ch14.known import FORGOTTEN
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def windows(x: Any, H: int, W: int, h: int, v: int) -> Iterator[tuple[int, int, Any]]:
    for p in range(h):
        for q in range(v):
            yield p, q, x[:, :, p : p + H, q : q + W]


def correlate(x: Any, w: Any) -> Any:
    """The convolution, as a formula of Tensors."""
    h, v = w.shape[2:]
    H, W = x.shape[2] - h + 1, x.shape[3] - v + 1
    return sum(mg.einsum("ncij,kc->nkij", window, w[:, :, p, q]) for p, q, window in windows(x, H, W, h, v))


def padded(g: Any, top: int, left: int) -> Any:
    """Zeros on all four sides of each image."""
    wide = mg.zeros(*g.shape[:2], g.shape[2] + 2 * top, g.shape[3] + 2 * left, dtype=g.dtype)
    wide[:, :, top : top + g.shape[2], left : left + g.shape[3]] = g
    return wide


def flipped(w: Any) -> Any:
    return mg.flip(w, (2, 3))


def gradient_x(g: Any, x: Any, w: Any) -> Any:
    """The full convolution of g with the flipped kernels."""
    return correlate(padded(g, w.shape[2] - 1, w.shape[3] - 1), flipped(w).transpose(0, 1))


def gradient_w(g: Any, x: Any, w: Any) -> Any:
    """x, slid under g; the images take the place of the channels."""
    return correlate(x.transpose(0, 1), g.transpose(0, 1)).transpose(0, 1)


def conv(forward: Any = correlate, x_rule: Any = gradient_x, w_rule: Any = gradient_w) -> Any:
    """Conv2D with another forward, or another rule for one of the gradients."""

    def run(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        return forward(x, w)

    def back(ctx: Any, g: Any) -> Any:
        return x_rule(g, *ctx.saved_tensors), w_rule(g, *ctx.saved_tensors)

    return function("Conv2D", run, back)


MISTAKES["by the library"] = Mistake(
    conv(forward=lambda x, w: mg.nn.functional.conv2d(x, w)),
    "`conv2d` and `conv_transpose2d` are what you write here, so the checker has locked them away. Loop over the entries "
    "(p, q) of the kernel: each round is an ordinary product.",
)

MISTAKES["the kernel is not flipped"] = Mistake(
    conv(x_rule=lambda g, x, w: gradient_x(g, x, flipped(w))),
    "The gradient for x meets the kernel the wrong way round. What went forward from x[i + p] to y[i] goes back from "
    "y[i] to x[i + **p**]. As a convolution of the padded g, that needs the kernel **flipped** in both directions.",
)


def in_single(x: Any, w: Any) -> Any:
    y = mg.zeros(x.shape[0], w.shape[0], x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1)
    y[...] = correlate(x, w)
    return y


MISTAKES["float32 inside"] = Mistake(
    conv(forward=in_single),
    "Your output is float32, and x is float64: `mg.zeros(…)` makes float32 unless you say otherwise. Half of the "
    "digits are lost, and gradcheck will not like it. Say `dtype=x.dtype`.",
)

MISTAKES["a true convolution"] = Mistake(
    conv(forward=lambda x, w: correlate(x, flipped(w))),
    "Your **output** turns the kernel round, as mathematicians do. Here, as in every library for networks, it lies as "
    "it is: w[p, q] meets x[i + p, j + q].",
)


def same_size(x: Any, w: Any) -> Any:
    """Padded so that the output is as large as the input."""
    (h, v), (H, W) = w.shape[2:], x.shape[2:]
    wide = mg.zeros(*x.shape[:2], H + h - 1, W + v - 1, dtype=x.dtype)
    wide[:, :, (h - 1) // 2 : (h - 1) // 2 + H, (v - 1) // 2 : (v - 1) // 2 + W] = x
    return correlate(wide, w)


MISTAKES["padding"] = Mistake(
    conv(forward=same_size),
    "Your output is as large as the input: you padded it. No padding is asked for, so the kernel must fit inside: "
    "H − h + 1 places down, W − v + 1 across.",
)

MISTAKES["channels swapped in the gradient for x"] = Mistake(
    conv(x_rule=lambda g, x, w: correlate(padded(g, w.shape[2] - 1, w.shape[3] - 1), flipped(w))),
    "In the gradient for x the two channel axes of w change their roles: g has K channels, x has C. Sum over k, and "
    'keep c: `w.transpose(0, 1)`, or `"nkij,kc->ncij"`.',
)


def overwrite_x(g: Any, x: Any, w: Any) -> Any:
    """As scatter_x, but where two windows overlap, the later one wins."""
    gx, (H, W) = mg.zeros_like(x), g.shape[2:]
    for p in range(w.shape[2]):
        for q in range(w.shape[3]):
            gx[:, :, p : p + H, q : q + W] = mg.einsum("nkij,kc->ncij", g, w[:, :, p, q])
    return gx


MISTAKES["the windows overwrite each other"] = Mistake(
    conv(x_rule=overwrite_x),
    "In your gradient for x each window writes over the one before. The windows overlap, and an entry of x was in several "
    "of them: its shares **add up**. Write `+=`.",
)

MISTAKES["the mean over the images"] = Mistake(
    conv(w_rule=lambda g, x, w: gradient_w(g, x, w) / x.shape[0]),
    "Your gradient for w is the mean over the images. All images share one w, and their gradients **add up**. If a "
    "mean is wanted, the loss takes it, and g brings it along.",
)


def first_image_only(g: Any, x: Any, w: Any) -> Any:
    return gradient_w(g[:1], x[:1], w)


MISTAKES["one image only"] = Mistake(
    conv(w_rule=first_image_only), "Your gradient for w knows the first image only. All images share one w: sum over n."
)


def swapped_loops(x: Any, w: Any) -> Any:
    """The kernel lies on its side: p runs along the columns."""
    h, v = w.shape[2:]
    H, W = x.shape[2] - v + 1, x.shape[3] - h + 1
    return sum(mg.einsum("ncij,kc->nkij", x[:, :, q : q + H, p : p + W], w[:, :, p, q]) for p in range(h) for q in range(v))


MISTAKES["height and width swapped"] = Mistake(
    conv(forward=swapped_loops),
    "The kernel lies on its side. Axis 2 is the height in x **and** in w: p goes with i, and q goes with j.",
)

MISTAKES["g is forgotten"] = Mistake(
    conv(x_rule=lambda g, x, w: gradient_x(mg.ones_like(g), x, w), w_rule=lambda g, x, w: gradient_w(mg.ones_like(g), x, w)),
    FORGOTTEN,
)

MISTAKES["no gradient for w"] = Mistake(
    conv(w_rule=lambda g, x, w: None),
    "`backward` returned None for an input that requires grad: it owes both gradients.",
)

MISTAKES["the gradient for w is flipped"] = Mistake(
    conv(w_rule=lambda g, x, w: flipped(gradient_w(g, x, w))),
    "Your gradient for w is turned round. w[p, q] met the window that begins at (p, q): no flipping here.",
)

MISTAKES["the gradients have changed places"] = Mistake(
    conv(x_rule=gradient_w, w_rule=gradient_x),
    "The shapes do not fit: did the two gradients change places? `backward` returns one for each argument of `forward`, in their "
    "order: for x, then for w.",
)
