"""06.4 Snapshot: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def snapshot(params):
    """The gradients as they are now, in a list or a tuple with one entry for each parameter.

    params: a list of leaves. An entry is a Tensor that no later backward changes, or None where .grad is None.
    """
    return [None if p.grad is None else p.grad.clone() for p in params]


def snapshot_loop(params):
    copies = []
    for p in params:
        copy = p.grad
        if copy is not None:
            copy = copy.detach().clone()
        copies.append(copy)
    return copies


ANSWER = Part(
    reference=snapshot,
    alternatives={
        "a loop": snapshot_loop,
    },
    hints=(
        "`.grad` is one Tensor, from the first backward on, and each later backward adds into that very Tensor. Your list must "
        "not hold it, nor anything else that looks at its numbers.",
        "```text\n  p.grad ──► [ 3, 6 ] ◄── g = p.grad            one Tensor, two names\n             [ 3, 6 ] ◄── "
        "p.grad.detach()       two Tensors, the same numbers\n\n  p.grad ──► [ 3, 6 ]     [ 3, 6 ] ◄── a copy   numbers of its "
        "own\n```",
        "```python\nreturn [None if ___ else p.grad.___() for p in params]\n```",
    ),
    explanation="""\
The second backward does not make a new `.grad`. It adds into the Tensor that is there, which saves memory and surprises everybody
once. So a list of `p.grad` is a list of second names. `detach()` does not help either: another Tensor, and the same numbers in memory.
`clone()` copies, as do `+ 0` and `copy.deepcopy`.

One exception: `backward(create_graph=True)` (chapter 08) does put a **new** Tensor into `.grad`. Then a second name keeps the old
numbers. Code that relies on either is fragile; a copy is right in both.
""",
)
