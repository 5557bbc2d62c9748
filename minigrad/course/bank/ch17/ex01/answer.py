"""17.1 A new operation: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import say
from minigrad.course.capstone import edited
from minigrad.course.exercise import Part

SOFTABS = """

@op(self=lambda g, self, result: g * self / result, w=lambda g, w, result: g * w / result)
def softabs(self, w):
    '''The root of self² + w²: |self| with a round bottom.'''
    return np.sqrt(self * self + w * w)
"""


def e1():
    """The name of the file that you changed, such as "engine/core/walk.py"."""
    return edited("ops/pointwise.py", add=SOFTABS)


ANSWER = Part(
    reference=e1,
    accept=say,
    sections=("SOFTABS",),
    hints=(
        "An operation is declared where its kind is: this one works element by element, with broadcasting. Read three of its "
        "neighbours, one that saves its inputs (`mul`), one that saves its result (`exp`), one with a rule for each of two "
        "inputs.",
        "```text\n"
        "forward    self, w      ──►  result = √(self² + w²)      arrays in, an array out\n"
        "rule self  g, self, result  ──►  g · self / result        arrays, or Tensors in a recorded pass\n"
        "rule w     g, w, result     ──►  g · w / result\n"
        "```\n"
        "The names of a rule's parameters say what is saved. `result` is the output. Of broadcasting no rule has to know.",
        "```python\n"
        "@op(self=lambda g, self, result: ..., w=lambda g, w, result: ...)\n"
        "def softabs(self, w):\n"
        "    return np.sqrt(...)\n"
        "```",
    ),
    explanation=(
        "Four lines, and the engine does the rest: it makes the node and calls it SoftabsBackward0 (`node_type` in `rule.py`), "
        "saves what the parameters name (`Recipe`), hands the cotangents on and sums them where `w` was stretched (`fit` in "
        "`walk.py`).\n\n"
        "The **forward** gets arrays and may use all of NumPy. The **rules** get arrays in a usual pass and Tensors in a "
        "recorded one, so they are made of `*` and `/`, which both understand. That is all that double backward takes: when a "
        "rule divides by `result`, the division is recorded, and `result` is there with its history.\n\n"
        "What is saved: `self`, `w` and `result`, each once, although two rules name `result`. If `w` needs no gradient, only "
        "`self` and `result`."
    ),
)
