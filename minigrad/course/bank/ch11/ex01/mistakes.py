"""11.1 Which one breaks?: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch11.ex01.answer import breaks
from minigrad.course.bank.ch11.known import believing
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

# The rules, and what becomes of their lines.
BREAKS = {
    "output kept, output written": "raises",
    "output kept, input written": "ok",
    "input kept, output written": "ok",
    "input kept, input written": "raises",
    "nothing kept, output written": "ok",
    "nothing kept, input written": "ok",
    "k kept, x written": "ok",
    "k kept, k written": "raises",
}


def breaking(hint: str, **beliefs: str) -> Mistake:
    """Somebody who believes otherwise about these rules; in the rules' names, _ is a blank and __ a comma."""
    told = {rule.replace("__", ", ").replace("_", " "): word for rule, word in beliefs.items()}
    assert told.keys() <= BREAKS.keys()
    return Mistake(believing(breaks, told), hint)


OUTPUT_IS_KEPT = (
    "This operation keeps its **output**, because its slope is easiest to compute from there: eˣ has the slope y, "
    "tanh has 1 − y², sqrt has 1 / 2y. Whoever writes to `y` writes over what backward needs."
)

MISTAKES["the output is not kept"] = breaking(OUTPUT_IS_KEPT, output_kept__output_written="ok")

ONLY_THE_OUTPUT = (
    "This operation keeps its **output** and nothing else. The input is not needed again: write to `x` as you like."
)

MISTAKES["the input is kept too"] = breaking(ONLY_THE_OUTPUT, output_kept__input_written="raises")

ONLY_THE_INPUT = (
    "This operation keeps its **input**: the slope of sin is cos(x), that of x² is 2x, and neither can be had from `y`. "
    "So `y` may be written. "
)

MISTAKES["the output is kept too"] = breaking(ONLY_THE_INPUT, input_kept__output_written="raises")

INPUT_IS_KEPT = (
    "This operation keeps its **input**: the slope of sin is cos(x), that of x² is 2x. Write to `x`, and backward "
    "finds other numbers than it was promised."
)

MISTAKES["the input is not kept"] = breaking(INPUT_IS_KEPT, input_kept__input_written="ok")

NOTHING_IS_KEPT = (
    "A sum, a difference, a mean, a copy: the slope is the same wherever you are, so nothing is kept that you could write over."
)

MISTAKES["a sum keeps its result"] = breaking(NOTHING_IS_KEPT, nothing_kept__output_written="raises")
MISTAKES["a sum keeps its input"] = breaking(NOTHING_IS_KEPT, nothing_kept__input_written="raises")

K_IS_KEPT = (
    "`k` gets no gradient, but it **is** the slope: backward multiplies or divides by it. So `k` is kept, and its "
    "version is compared like any other."
)

MISTAKES["a constant is not kept"] = breaking(K_IS_KEPT, k_kept__k_written="ok")

X_IS_NOT_KEPT = (
    "`x` would be needed for the gradient of `k`. But `k` does not require grad, so only `k` is kept, and `x` may be written."
)

MISTAKES["both factors are kept"] = breaking(X_IS_NOT_KEPT, k_kept__x_written="raises")

MISTAKES["inputs are kept, never outputs"] = breaking(
    "You hold that these operations keep their input. Many do. But where the slope is easy to compute from the "
    "**output**, the output is kept instead: exp, sigmoid, tanh, relu, sqrt, softmax.",
    output_kept__output_written="ok",
    output_kept__input_written="raises",
)

MISTAKES["outputs are kept, never inputs"] = breaking(
    "You hold that every operation keeps its output. But sin, cos, log and powers keep their **input**: the "
    "slope of sin is cos(x), and `y` does not tell which `x` it came from.",
    input_kept__output_written="raises",
    input_kept__input_written="ok",
)

MISTAKES["every write breaks"] = breaking(
    "Writing is no crime. Only a write to something that a node **kept** breaks backward. Ask of each line: "
    "which numbers does the slope need, and were they the ones written?",
    output_kept__input_written="raises",
    input_kept__output_written="raises",
    nothing_kept__output_written="raises",
    nothing_kept__input_written="raises",
    k_kept__x_written="raises",
)

MISTAKES["no write breaks"] = breaking(
    "These writes run, that is true. The error comes later, out of `backward`: it finds that something it "
    "kept has another version now.",
    output_kept__output_written="ok",
    input_kept__input_written="ok",
    k_kept__k_written="ok",
)
