"""01.5 Freeze: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def freeze(params, keep):
    """Of the tensors in params, a dict name -> tensor, exactly those named in keep require grad then."""
    for name, p in params.items():
        p.requires_grad = name in keep


def freeze_in_place(params, keep):
    for name in params:
        params[name].requires_grad_(name in set(keep))


ANSWER = Part(
    reference=freeze,
    alternatives={
        "requires_grad_(flag)": freeze_in_place,
    },
    hints=(
        "Whether operations on a leaf are recorded is decided by its flag `requires_grad`, at the "
        "moment of the forward pass. You may write to that flag.",
        "In the picture each frozen parameter's AccumulateGrad is gone, and a dotted edge ends where "
        "its arrow was. The tensors are the same ones: only a flag on them changed.",
        "```python\ndef freeze(params, keep):\n    for name, p in params.items():\n"
        "        p.requires_grad = ...   # True or False?\n```",
    ),
    explanation="""\
The flag belongs to the tensor, so `p.requires_grad = …` is seen by everyone who holds it: the dict, the
model, the optimiser. `params[name] = p.detach()` changes what the *dict* holds and nothing else.

With a frozen parameter, the next forward pass records less: its edge is None, and an operation whose inputs
are all frozen is not recorded at all. That is why freezing the first layers of a network saves memory and
time, and freezing only the last ones hardly does.

A computed tensor has no flag to set: it requires grad because of what is behind it. The error says so. Cut it
with `detach()`, or freeze the leaf it comes from.
""",
)
