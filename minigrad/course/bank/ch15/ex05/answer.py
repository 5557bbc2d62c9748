"""15.5 Evaluate: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def accuracy(model, x, labels):
    """The share of the rows of x for which the largest score is that of the label: a float from 0 to 1.

    Records no graph. The model is in eval mode for the time, and afterwards in the mode in which it was.
    """
    was_training = model.training
    model.eval()
    with mg.no_grad():
        scores = model(x)
    model.train(was_training)
    return (scores.argmax(1) == labels).float().mean().item()


ANSWER = Part(
    reference=accuracy,
    hints=(
        "Two switches that have nothing to do with each other. One is on the engine: record or not. One is on the model: "
        "training or "
        "use. Both must be as before when you are done.",
        "Look at the printed scores in section 4: under `no_grad` they have no `grad_fn`. That is what the checker counts, at "
        "the moment when "
        "the model has computed them.",
        "```python\nwas_training = model.training\nmodel.eval()\nwith ...:\n    scores = model(x)\nmodel.train(...)\n"
        "return (scores.argmax(1) == ...).float().mean().item()\n```",
    ),
    explanation="""\
Under `no_grad` nothing is recorded, so no saved arrays pile up: less memory, less time. A `detach` on the result
comes too late. `eval()` is another switch: it tells layers like dropout that this is no training. Neither implies the
other, so an evaluation needs both, and a function that is called in the middle of a training must put the mode back.
""",
)
