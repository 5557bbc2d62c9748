"""14.5 Write gradcheck: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def gradcheck(f, inputs):
    """Whether the gradients of f agree with central differences, entry by entry.

    f: takes the Tensors of the tuple inputs, and returns one Tensor, of any shape. Returns True or False.
    An input that requires grad and is not float64 gets a UserWarning.
    """
    import warnings

    y, right = f(*inputs), True
    for x in inputs:
        if not x.requires_grad:
            continue
        if x.dtype != mg.float64:
            warnings.warn("gradcheck needs float64: differences in float32 are too rough", UserWarning, stacklevel=2)
        analytical = mg.zeros(y.numel(), x.numel(), dtype=x.dtype)
        for i in range(y.numel()):
            v = mg.zeros(y.numel(), dtype=y.dtype)
            v[i] = 1.0
            if y.requires_grad:  # else no input leads to y, and all are zeros
                (row,) = mg.autograd.grad(y, x, v.reshape(y.shape), retain_graph=True, allow_unused=True)
                if row is not None:
                    analytical[i] = row.reshape(-1)
        numerical = mg.zeros_like(analytical)
        for j in range(x.numel()):
            step = mg.zeros(x.numel(), dtype=x.dtype)
            step[j] = 1e-6
            step = step.reshape(x.shape)
            plus = f(*[x.detach() + step if z is x else z for z in inputs])
            minus = f(*[x.detach() - step if z is x else z for z in inputs])
            numerical[:, j] = (plus - minus).detach().reshape(-1) / 2e-6
        error = (numerical - analytical).abs()
        right = right and bool((error <= 1e-5 + 1e-3 * numerical.abs()).all())
    return right


ANSWER = Part(
    reference=gradcheck,
    hints=(
        "Two ways to the same table J: rows by backward passes with one-hot cotangents (exercise 04.2), columns by moving one "
        "entry of x up and down (chapter 03). Every input that requires grad has a table of its own. They must agree in every "
        "entry.",
        "```text\n                 x₀  x₁  x₂\n      y₀       ┌ ── row: v = (1, 0) ──►┐   analytical\n"
        "      y₁       └                       ┘\n"
        "                 │\n                 ▼ column: (f(x + ε e₀) − f(x − ε e₀)) / 2ε   numerical\n```",
        "```python\ny = f(*inputs)\nfor k, x in enumerate(inputs):\n    if not x.requires_grad:\n        continue\n"
        '    if x.dtype != ___:\n        warnings.warn("…", UserWarning)\n    for i in range(y.numel()):\n'
        "        v = one-hot, of the shape of y\n        (row,) = mg.autograd.grad(y, x, v, retain_graph=True, allow_unused=___)\n"
        "        …\n    for j in range(x.numel()):\n        column = (f(… x + step …) - f(… x - step …)) / 2e-6\n        …\n"
        "    if not ((numerical - analytical).abs() <= 1e-5 + ___ * numerical.abs()).all():\n        return False\n"
        "return True\n```",
    ),
    explanation="""\
The library's `gradcheck` does the same, with the same ε and a similar tolerance. Three things make it trustworthy.

* **Every row and every column.** One cotangent gives one weighted sum of rows. Ones are the worst choice, because wrong rules love
  them: `g` forgotten, reversed, averaged, all give the same sum. Random cotangents find these too, with fewer passes; the
  library calls that `fast_mode`.
* **Both tolerances.** The relative part is for large numbers, where differences lose digits; the absolute part is for zeros, which
  differences never hit.
* **float64.** With ε = 1e-6 a float32 number near 1 does not even move by the right amount: its steps are 1e-7.

What it cannot do: judge a kink. At 0, differences of relu give ½, and its gradient is 0. Neither is wrong. Test beside the kink.
""",
)
