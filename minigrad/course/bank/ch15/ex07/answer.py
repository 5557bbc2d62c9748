"""15.7 A check in one direction: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Part


def gradient_is_right(loss, params):
    """True if the gradient that backward gives for loss() agrees with how loss() changes along a random direction.

    loss: a function without arguments that computes a Tensor of shape () from params. params: a list of float64 leaves.
    Leaves the values of params as they were.
    """
    for p in params:
        p.grad = None
    loss().backward()
    slope, eps = 0.0, 1e-6
    directions = [mg.randn(*p.shape, dtype=p.dtype) for p in params]
    with mg.no_grad():
        for p, u in zip(params, directions, strict=True):
            if p.grad is not None:
                slope += (p.grad * u).sum().item()
        before = [p.clone() for p in params]
        values = []
        for sign in (1, -1):
            for p, b, u in zip(params, before, directions, strict=True):
                p.copy_(b + sign * eps * u)
            values.append(loss().item())
        for p, b in zip(params, before, strict=True):
            p.copy_(b)
    change = (values[0] - values[1]) / (2 * eps)
    return abs(slope - change) <= 1e-4 * (abs(slope) + abs(change))


def entry_by_entry(loss, params):
    """The long way: every entry of every parameter."""
    for p in params:
        p.grad = None
    loss().backward()
    for p in params:
        flat = p.detach().numpy().reshape(-1)
        numeric = np.empty_like(flat)
        for k in range(flat.size):
            old = flat[k]
            values = []
            for flat[k] in (old + 1e-6, old - 1e-6):
                values.append(loss().item())
            flat[k] = old
            numeric[k] = (values[0] - values[1]) / 2e-6
        g = np.zeros_like(flat) if p.grad is None else p.grad.numpy().reshape(-1)
        if not np.allclose(g, numeric, rtol=1e-4, atol=1e-4 * max(np.abs(g).max(), np.abs(numeric).max())):
            return False
    return True


ANSWER = Part(
    reference=gradient_is_right,
    alternatives={
        "entry by entry": entry_by_entry,
    },
    hints=(
        "The dot-product test of chapter 04, for a model with one output. Along a direction u the loss changes with the slope "
        "Σ grad · u, summed over all entries of all parameters. Central differences give the same number from the loss alone.",
        "```text\n             W1   b1   W2   b2        one point in a space of many dimensions\ndirection    u1   u2   u3   u4 "
        "       "
        "one random array for each\nslope  =  Σ g1·u1 + Σ g2·u2 + Σ g3·u3 + Σ g4·u4\n```\n\nMove **all** parameters by +eps · "
        "u, look at the "
        "loss; then by −eps · u, look again; then home.",
        "```python\nfor p in params:\n    p.grad = None\nloss().backward()\ndirections = [mg.randn(*p.shape, dtype=p.dtype) for "
        "p in params]\n"
        "slope = ...          # a missing gradient counts as zero\n# under no_grad: all params to +eps, loss(), to -eps, "
        "loss(), and home\n"
        "change = (... - ...) / (2 * eps)\nreturn abs(slope - change) <= 1e-4 * (abs(slope) + abs(change))\n```",
    ),
    explanation="""\
The gradient of a model with a million parameters is tested by three evaluations of the loss: one with backward, two
without. A wrong entry changes the slope along u by (error · uᵢ), and a random uᵢ is 0 with probability 0, so every
wrong entry shows, whether by much or by little. All ones would compare only the sum: gradients in the wrong places
have the right sum, and pass.

Two details do much of the work. A missing gradient counts as zero, and its parameter moves all the same: so a
forgotten `detach` is found. And the tolerance grows with the numbers, so that neither a huge nor a tiny loss fools
it.
""",
)
