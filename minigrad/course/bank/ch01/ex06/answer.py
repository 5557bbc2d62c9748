"""01.6 Same code, other graph: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def look(f, a):
    """How many MulBackward0 f(a) records, and whether the gradient of f(a).sum() equals f(a) / a."""
    d = f(a)
    muls, seen, todo = 0, set(), [d.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        muls += node.name() == "MulBackward0"
        todo.extend(child for child, _ in node.next_functions)
    d.sum().backward()
    return muls, mg.allclose(a.grad, d / a)


ANSWER = Part(
    reference=look,
    hints=(
        "The graph belongs to the run, not to the code: call `f(a)` and look at what it recorded. You "
        "have written the walk already, in 01.3; now count instead of collecting.",
        "Two walks in the lesson's last picture: the same function, one graph with more MulBackward0 "
        "in a row than the other. For the second half: `d = f(a)`, one backward pass from `d.sum()`, "
        "then compare `a.grad` with `d / a`, number by number, up to rounding.",
        "```python\ndef look(f, a):\n    d = f(a)\n    muls, seen, todo = 0, set(), [d.grad_fn]\n"
        "    while todo:\n        ...                        # as in 01.3\n"
        '        muls += node.name() == "..."\n    d.sum().backward()\n'
        "    return muls, mg.allclose(..., ...)\n```",
    ),
    explanation="""\
`while` and `if` leave no trace in the graph; only the multiplications that really happened do. A larger `a`
needs fewer doublings, a negative one takes the branch with `100 * b`: same code, other graph. In the run that
happened, the function is a plain product of constants and `a`, so its slope is `d / a`.

But `a.grad == d / a` is not the right question. The slope is a product of exact factors; `d` was rounded when
it was computed, and the division rounds again. With `doubling` (it is the example of *Dive into Deep
Learning*, section 2.5) and random float32 inputs the two differ in the last bit in about 6 % of runs.
`allclose` asks the question that you mean: is the difference small *beside the numbers*? For slopes near
100,000 an error of 0.008 is a rounding error; for slopes near 3 it is a wrong slope.
""",
)
