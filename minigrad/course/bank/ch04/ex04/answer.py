"""04.4 Weighted samples: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def weighted_grad(losses_of, theta, w):
    """The gradient of Σ w[i] * losses[i] with respect to theta, without building that sum.

    losses_of: a function; losses_of(theta) is a Tensor with one loss for each sample, shape (m,).
    theta: a leaf of shape (n,) whose grad is None. w: a Tensor of weights, shape (m,).
    Returns a Tensor of shape (n,).
    """
    losses = losses_of(theta)
    losses.backward(w)
    return theta.grad


def weighted_grad_function(losses_of, theta, w):
    (g,) = mg.autograd.grad(losses_of(theta), theta, w)
    return g


ANSWER = Part(
    reference=weighted_grad,
    alternatives={
        "autograd.grad": weighted_grad_function,
    },
    hints=(
        "The loss that you want is L = Σ w[i]·losses[i]. What is ∂L/∂losses[i]? That is what `backward` must be told.",
        "In the picture at the start, let the rows be samples: row i is the gradient of loss i. You "
        "want a weighted sum of the rows, and the weights have a place in the picture.",
        "```python\nlosses = losses_of(theta)\nlosses.backward(___)\nreturn theta.grad\n```",
    ),
    explanation="""\
Row i of the Jacobian of `losses_of` is the gradient of sample i's loss. The gradient of Σ w[i]·losses[i] is
the sum of these rows with the weights `w`: wᵀJ. So `v` = `w`, in one pass, and no product or sum need be
recorded.

A weight of 0 leaves a sample out, a weight of 2 counts it twice; `v` = ones is the plain sum, `v` = 1/m the
mean. `losses.backward(losses)` runs without complaint: its shape is right.
Only its meaning is not.
""",
)
