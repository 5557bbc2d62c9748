"""15.6 Overfit one batch: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def overfit(model, x, t):
    """Train on this one batch until the mean squared error is below 0.001. Returns the list of losses, one for each step.

    model: gives (n, 1) for x of shape (n, d). t: the targets, of shape (n,). The first loss is that before any step.
    """
    optimizer = mg.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(2000):
        optimizer.zero_grad()
        loss = ((model(x).squeeze(1) - t) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if losses[-1] < 0.0002:
            break
    return losses


def overfit_momentum(model, x, t):
    optimizer, loss_of, losses = mg.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), mg.nn.MSELoss(), [1.0]
    while losses[-1] > 1e-4 and len(losses) < 4000:
        loss = loss_of(model(x), t.reshape(-1, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses[1:]


ANSWER = Part(
    reference=overfit,
    alternatives={
        "SGD with momentum": overfit_momentum,
    },
    hints=(
        "The five lines of 15.4, again and again with the same batch. Before that, one question: which shapes have `model(x)` "
        "and `t`?",
        "A network with more parameters than there are rows can learn the rows by heart, so the loss must go down to nothing. "
        "Print "
        "every hundredth loss and compare with section 1's picture: flat, slow, or jumping?",
        "```python\noptimizer = mg.optim.Adam(model.parameters(), lr=0.02)\nlosses = []\nfor _ in range(2000):\n    ...\n"
        "    loss = ((model(x).squeeze(1) - t) ** 2).mean()\n    ...\n    losses.append(loss.item())\n```",
    ),
    explanation="""\
Learning a handful of rows by heart proves nothing about new rows. That is not the point: **if even this fails,
something is broken**, and you know it after a second. Wrong shapes, a lost `requires_grad`, an optimizer without
parameters, a hopeless lr: each of them shows here.

Where the model gives (n, 1) and the targets are (n,), the loss compares everybody with everybody. The prediction that
minimises it is the same for every row, the mean of the targets. In a long run on real data that looks like "it does
not learn very well".
""",
)
