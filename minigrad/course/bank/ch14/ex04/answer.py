"""14.4 Conv2D by hand: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Conv2D(mg.autograd.Function):
    """The convolution of images x, shape (N, C, H, W), with kernels w, shape (K, C, h, v): no padding, steps of 1.

    y[n, k, i, j] is the sum of x[n, c, i + p, j + q] * w[k, c, p, q] over c, p, q. Shape (N, K, H - h + 1, W - v + 1).
    """

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        H, W = x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1
        y = mg.zeros(x.shape[0], w.shape[0], H, W, dtype=x.dtype)
        for p in range(w.shape[2]):
            for q in range(w.shape[3]):
                window = x[:, :, p : p + H, q : q + W]
                y += mg.einsum("ncij,kc->nkij", window, w[:, :, p, q])
        return y

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        H, W = g.shape[2:]
        gx, gw = mg.zeros_like(x), mg.zeros_like(w)
        for p in range(w.shape[2]):
            for q in range(w.shape[3]):
                window = x[:, :, p : p + H, q : q + W]
                gx[:, :, p : p + H, q : q + W] += mg.einsum("nkij,kc->ncij", g, w[:, :, p, q])
                gw[:, :, p, q] = mg.einsum("nkij,ncij->kc", g, window)
        return gx, gw


ANSWER = Part(
    reference=Conv2D,
    hints=(
        "A convolution is a sum of h · v ordinary products, one for each entry (p, q) of the kernel: a window of x, as large as "
        "the output, times w[:, :, p, q]. Loop over (p, q). Each round is linear, so its two VJPs are those of a product.",
        "```text\n forward     y[i, j]          += x[i+p, j+q] · w[p, q]     sum over c\n"
        " for x       x̄[i+p, j+q]      += g[i, j]     · w[p, q]     sum over k\n"
        " for w       w̄[p, q]           = g[i, j]     · x[i+p, j+q]   sum over n, i, j\n```",
        "```python\nH, W = g.shape[2:]\ngx, gw = mg.zeros_like(x), mg.zeros_like(w)\nfor p in range(w.shape[2]):\n"
        "    for q in range(w.shape[3]):\n        window = x[:, :, p : p + H, q : q + W]\n"
        '        gx[:, :, p : p + H, q : q + W] += mg.einsum("nkij,kc->ncij", ___, w[:, :, p, q])\n'
        '        gw[:, :, p, q] = mg.einsum("nkij,ncij->___", g, window)\nreturn gx, gw\n```',
    ),
    explanation="""\
Fix one entry (p, q) of the kernel. What it does is: take a window of x, multiply the channels by the matrix w[:, :, p, q], add
to y. The VJP for x multiplies by the same matrix, transposed, and adds into **the same window**. Windows overlap, so it must be
`+=`. The VJP for w multiplies g by the window, and sums over all that w[k, c, p, q] was used for: images and places.

Collect the first of these for one entry of x, and you find the well-known formula: a convolution of g, padded with h − 1 and
v − 1 zeros, with the flipped kernels, whose channel axes have changed places. It is the same sum, in another order.

Everything here is a Tensor operation on saved *inputs*, so this Conv2D is differentiable twice as well. With NumPy inside it
would not be; then `@once_differentiable` on `backward` says so, in some of the cases.
""",
)
