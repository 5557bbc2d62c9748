"""04.3 Will it raise?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch04.ex03.answer import outcomes
from minigrad.course.bank.ch04.ex03.task import Draw
from minigrad.course.bank.ch04.known import NOT_A_TENSOR
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def believing(believed: str, *rules: str) -> Callable[[Draw], dict[str, str]]:
    """The dict of somebody who is right except about the lines of these rules."""

    def predict(draw: Draw) -> dict[str, str]:
        return outcomes(draw) | {key: believed for key, rule, _ in draw if rule in rules}

    return predict


NO_BROADCASTING = (
    "No broadcasting here. `v` must have **exactly** the shape of `y`, entry for entry: `(1, 3)`, `(1,)` "
    "and `()` all raise against `(3,)`. The engine does not guess which outputs you meant to weigh."
)

MISTAKES["v is broadcast"] = Mistake(believing("ok", "broadcasts"), NO_BROADCASTING)

MISTAKES["the count of entries decides"] = Mistake(
    believing("ok", "same count"),
    "The right number of entries is not enough: the **shape** must be the same. `(6,)` against "
    "`(2, 3)` raises, and even `(1,)` against `()`.",
)

MISTAKES["a shorter v is filled up"] = Mistake(
    believing("ok", "other length"),
    "`v` has one weight for each output. A missing weight is not taken as 0 or 1; the shapes must be equal.",
)

MISTAKES["(1, 1) is no scalar"] = Mistake(
    believing("scalar-only", "one, no v"),
    "One element is enough. The rule counts elements, not axes: `()`, `(1,)` and `(1, 1)` all get `v` = 1 by themselves.",
)

MISTAKES["v is always needed"] = Mistake(
    believing("scalar-only", "scalar"),
    "With a single number as output there is one row, and its weight is 1 unless you say otherwise. Nothing to be given.",
)

MISTAKES["a missing v means ones"] = Mistake(
    believing("ok", "many, no v"),
    "Ones are filled in for **one** element only. For more the engine does not guess: it would "
    "be choosing your loss (`y.sum()`) for you.",
)

MISTAKES["backward is for scalars"] = Mistake(
    believing("scalar-only", "fits"), "A scalar is needed only when no `v` is given. With a `v` of its shape every `y` will do."
)

MISTAKES["another dtype is refused"] = Mistake(
    believing("type", "other dtype"),
    "A `v` of another real dtype is fine: it is converted to the dtype of `y`. TypeError is for things that are no Tensor.",
)

MISTAKES["a list will do"] = Mistake(believing("ok", "list"), NOT_A_TENSOR)
MISTAKES["an array will do"] = Mistake(believing("ok", "numpy"), NOT_A_TENSOR)
MISTAKES["a number will do"] = Mistake(believing("ok", "number"), NOT_A_TENSOR)

MISTAKES["no Tensor is a matter of shape"] = Mistake(
    believing("shape", "list", "number", "numpy"),
    "The type is looked at first: what is no Tensor never gets as far as the comparison of shapes.",
)
