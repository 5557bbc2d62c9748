"""15.4 Five lines in order: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def train(model, loss_of, optimizer, batches):
    """One pass over the batches, with one step for each. Returns the loss of each batch, before its step."""
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        prediction = model(x)
        loss = loss_of(prediction, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_zero_last(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        loss = loss_of(model(x), target)
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
        optimizer.zero_grad()
    return losses


ANSWER = Part(
    reference=train,
    alternatives={
        "zero_grad last": train_zero_last,
    },
    hints=(
        "Ask of each line what it needs, and who makes it. The loss needs the prediction; backward needs the loss; the step needs "
        "`.grad`, which backward fills. zero_grad needs nothing. What does it destroy, and who still wants that?",
        "A circle:\n\n```text\nprediction → loss → backward → step\n     ↑                          │\n     └──────── zero_grad "
        "───────┘\n```\n\n"
        "zero_grad may stand anywhere on the way from `step` to `backward`, and nowhere between `backward` and `step`.",
        "```python\nfor x, target in batches:\n    optimizer.zero_grad()\n    prediction = ...\n    loss = ...\n    ...\n    ...\n"
        "    losses.append(loss.item())\n```",
    ),
    explanation="""\
Prediction, loss, backward, step: each line needs what the one before it made. `zero_grad` fits in four places:
anywhere but between `backward` and `step`. Most people write it first, some last. Last has one weakness: a gradient
that is left over from *before* the loop goes into the first step.

The wrong orders are worth knowing by their symptoms. Flat loss: the gradients were erased. A loss that swings or
blows up: they were never erased. An error about an in-place operation: the step came between forward and backward.
And one step late has hardly a symptom.
""",
)
