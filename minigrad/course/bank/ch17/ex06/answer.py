"""17.6 A write to a slice: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import say
from minigrad.course.capstone import copies, edited
from minigrad.course.exercise import Part


def e6():
    """The name of the file that you changed."""
    return edited("core/views.py")  # as it stands in minigrad; what was taken out of your copy is shown below


ANSWER = Part(
    reference=e6,
    accept=say,
    hints=(
        "The base was made of two things: of itself before the write, and of what was written into the window. So its "
        "cotangent goes two ways. In the window it belongs to the inner node, outside of it to the old base. Chapter 12 has a "
        "drawing, and 12.5 the rule in NumPy.",
        "```text\n"
        "g        [ g0  g1  g2  g3 ]          the cotangent of the base, after the write to [1:3]\n"
        "part          [g1  g2]               self.replay(a copy of g): a window on the copy\n"
        "inner         part ──► for the old part, for the written values, …\n"
        "old base [ g0  ··  ··  g3 ]          the copy, with the window set to what inner returned first; 0 for None\n"
        "```",
        "```python\n"
        "if self._freed:\n"
        "    raise seams.error(\"FREED\", node=self, freed_by=self.freed_by)\n"
        "rest = laid_out(g, self.order)  # a copy\n"
        "part = self.replay(rest)  # a view of the copy\n"
        "results = list(self.inner.apply([a copy of part], tensors, None))\n"
        "...  # put results[0] into part, zero where it is None\n"
        "results[0] = rest\n"
        "```\n"
        "With arrays, `part[...] = …`. With Tensors, `part.zero_()` and `part.copy_(…)`, which are recorded.",
    ),
    explanation=(
        "The rule as it stands in minigrad:\n\n```python\n" + copies.lacking() + "\n```\n\n"
        "`rest` is a copy of the cotangent and `part` a view of it, made by the same `replay` that made the view that was "
        "written to. The inner node is the node of the operation, with its own rules: for `y[1:3] = k` it hands `part` to k "
        "and None to the old part, for `y[1:3].mul_(k)` both get something. What it returns first goes back into the window, "
        "and `rest` is complete.\n\n"
        "In a recorded pass the same lines work on Tensors: `part.copy_(…)` is a recorded write to a view, so the backward of "
        "CopySlices makes a CopySlices. What the first exit, `expanded` and `needed` do is not asked for here: nothing "
        "arrived; a layout in which elements share memory; inputs that nobody asked for."
    ),
)
