"""11.9 A loss that stops falling: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def train_step(W, U, x, target, rate):
    """One step of gradient descent for W and U, in place. Returns the loss before the step, as a number.

    W: a leaf of shape (k, m). U: a leaf of shape (m, p). x: shape (n, k). target: shape (n, p). rate: a number.
    """
    h = mg.tanh(x @ W)
    h = h - h.mean(0)
    loss = ((h @ U - target) ** 2).mean()
    loss.backward()
    with mg.no_grad():
        for p in (W, U):
            p -= rate * p.grad
            p.grad = None
    return loss.item()


def step_by_grad(W, U, x, target, rate):
    h = mg.tanh(x @ W).clone()
    h -= h.mean(dim=0, keepdim=True)
    loss = mg.mean((h @ U - target) ** 2)
    gradients = mg.autograd.grad(loss, (W, U))
    with mg.no_grad():
        for p, g in zip((W, U), gradients, strict=True):
            p.sub_(rate * g)
    return float(loss.detach())


ANSWER = Part(
    reference=train_step,
    alternatives={
        "on a clone, and by autograd.grad": step_by_grad,
    },
    hints=(
        "Ask after one backward which parameters have a gradient. Then follow the way from `W` to the loss by hand: where "
        "does it end?",
        "`viz.draw(loss)` of the broken program shows it: there is no leaf `W` in the picture. And why did somebody "
        "detach? Because "
        "`h -= …` alone raises. That was the first fault, and this is its wrong repair.",
        "```python\nh = mg.tanh(x @ W)\nh = ___\nloss = ((h @ U - target) ** 2).mean()\nloss.backward()\n```",
    ),
    explanation="""\
There were two repairs to choose from. `h -= h.mean(0)` writes over what tanh keeps, so backward raises. `detach()`
makes the alarm stop, since nobody goes back through tanh any more. And that is the harm: **no gradient comes to `W`**.
`W.grad` is None, the `if` passes it over, and the loss falls a little, as far as `U` alone can bring it. `h -
h.mean(0)` makes a new tensor, and nothing need be cut.

When a loss does not fall, look at the gradients before you look at the rate: `[p.grad is None for p in parameters]`
after one backward. An `if p.grad is not None` in a training loop hides the question.

`detach` is right where a number is *not* to be learned through: a target, a running mean, a value that is only printed.
""",
)
