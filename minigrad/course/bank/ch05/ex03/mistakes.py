"""05.3 When the trick lies: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch05.ex03.answer import is_elementwise
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def weighted(f: Any, x: Any, v: Any) -> Any:
    """vᵀJ"""
    return mg.autograd.grad(f(x), x, v)[0]


def whole_jacobian(f: Any, x: Any) -> Any:
    return mg.stack([weighted(f, x, row) for row in mg.eye(len(x), dtype=x.dtype)])


def elementwise_jacobian(f, x):
    J = whole_jacobian(f, x)
    return bool(mg.allclose(J, mg.diag(mg.diag(J))))


WASTEFUL["the whole Jacobian"] = Mistake(
    elementwise_jacobian,
    "Right, but you went backward once for each output, n passes in all. **Two** are enough: one with ones, one with a "
    "random `v`. If J is diagonal, the second result is `v` times the first, place by place.",
)

MISTAKES: dict[str, Mistake] = {}


def alone(f: Any, x: Any, entry: Callable[[Any, int], Any]) -> Any:
    """The slopes of f, each entry sent through it alone."""
    return mg.stack([mg.autograd.grad(f(entry(x, i)).sum(), x)[0][i] for i in range(len(x))])


def sums_only(f, x):
    slopes = weighted(f, x, mg.ones_like(x))
    return bool(mg.allclose(slopes, alone(f, x, lambda x, i: x[i : i + 1]), atol=1e-6))


MISTAKES["compares only the sums"] = Mistake(
    sums_only,
    "You compare what comes from the **sum** with what each entry gives alone. softmax always sums to 1, so its slopes "
    "are 0 in both, and yet every output depends on every input. Give the outputs different weights: a random `v`, and "
    "compare with `v` times the slopes that ones gave.",
)


def ones_and_ones(f, x):
    a = weighted(f, x, mg.ones_like(x))
    return bool(mg.allclose(weighted(f, x, mg.ones_like(x)), mg.ones_like(x) * a))


MISTAKES["ones are blind"] = Mistake(
    ones_and_ones,
    "Your function says True of every f. With equal weights for all outputs (and with shapes alone) nothing can be told "
    "apart. Give each output a weight of its own: a random `v`.",
)


def weights_from_x(f, x):
    v = x.detach()
    return bool(mg.allclose(weighted(f, x, v), v * weighted(f, x, mg.ones_like(x))))


MISTAKES["the weights are x"] = Mistake(
    weights_from_x,
    "You take the weights from `x`, and here all of `x` is equal: so they are as blind as ones. `v` must not depend on "
    "the place that is asked about. Draw it at random.",
    lambda source, seen: {r["trace_even_weights"] for r in seen if isinstance(r, dict) and r["cost_passes"]} == {False, True},
)


def first_row(f, x):
    v = mg.zeros_like(x)
    v[0] = 1.0
    return bool(mg.allclose(weighted(f, x, v)[1:], mg.zeros(len(x) - 1, dtype=x.dtype)))


MISTAKES["one row"] = Mistake(
    first_row,
    "`cumsum` gets through. Its first output really hangs on the first input alone, and above the diagonal its J is 0. Do you look "
    "at **one** row, at one side of the diagonal, or ask whether some place agrees? A `v` without zeros asks all rows at once.",
)


def turned_round(f, x):
    return not is_elementwise(f, x)


MISTAKES["turned round"] = Mistake(
    turned_round, "Every answer is the opposite: `True` means that the Jacobian **is** diagonal."
)


def still_a_tuple(f, x):
    y, v = f(x), mg.randn(len(x), dtype=x.dtype)
    slopes = mg.autograd.grad(y, x, mg.ones_like(y), retain_graph=True)
    return mg.allclose(mg.autograd.grad(y, x, v), v * slopes)


MISTAKES["still in a tuple"] = Mistake(
    still_a_tuple,
    "`mg.autograd.grad` returns a **tuple**, with one gradient for each input. Take it out: `mg.autograd.grad(…)[0]`.",
)


def values_alone(f, x):
    with mg.no_grad():
        return all(mg.allclose(f(x[i : i + 1]), f(x)[i]) for i in range(len(x)))


MISTAKES["one entry at a time"] = Mistake(
    values_alone,
    "`w * x²` with a weight for each place was turned down, though output i looks at `x[i]` alone. Its weights fit n "
    "entries only: a single entry sent through f alone meets all of them. Leave x whole, and ask the Jacobian.",
)


def shuffled(f, x):
    order = list(range(1, len(x))) + [0]
    return bool(mg.allclose(f(x[order]), f(x)[order]))


MISTAKES["shuffled"] = Mistake(
    shuffled,
    "You shuffle the entries and look whether the result is shuffled the same way. That is another property: softmax has "
    "it and mixes, `w * x²` has it not and does not mix. Ask the Jacobian: is it diagonal?",
)


def diagonal_against_sums(f, x):
    return bool(mg.allclose(mg.diag(whole_jacobian(f, x)), weighted(f, x, mg.ones_like(x))))


MISTAKES["the diagonal against the sums"] = Mistake(
    diagonal_against_sums,
    "`x + next − previous` gets through: what is off the diagonal **cancels** in the sum of each column, of each row, and of all. "
    "So a sum that agrees with the diagonal tells too little. Look at the other entries themselves, or use a random `v`: then "
    "nothing cancels.",
)


def divided(f, x):
    v = mg.randn(len(x), dtype=x.dtype)
    return bool(mg.allclose(weighted(f, x, v) / weighted(f, x, mg.ones_like(x)), v))


MISTAKES["divided by the slopes"] = Mistake(
    divided,
    "`floor` was turned down. All of its slopes are 0, and its Jacobian is diagonal all the same: a 0 on the diagonal is allowed. "
    "And if you **divide** by the slopes, 0 / 0 is nan, which equals nothing: compare vᵀJ with `v` times the slopes instead.",
)


def not_cleared(f, x):
    x.grad = None
    f(x).sum().backward()
    slopes = x.grad.clone()
    v = mg.randn(len(x), dtype=x.dtype)
    f(x).backward(v)
    return bool(mg.allclose(x.grad, v * slopes))


MISTAKES["never true"] = Mistake(
    not_cleared,
    "Your function turns down even sin. Four things to look at. `x.grad` adds up: clear it with `x.grad = None` "
    "between the passes. With the weights `v` a diagonal J gives **v times** the slopes, not the slopes. Two "
    "computations of one number may differ in the last digit: `mg.allclose`, not `==`. And where you ask for J row by row: the "
    "row of output i belongs in place i, whatever the order in which you ask.",
)


def rest_moves(f: Any, x: Any, inputs: Any, step: float) -> bool:
    """Whether one of these inputs, moved by a step, moves another output than its own."""
    with mg.no_grad():
        y = f(x)
        for j in inputs:
            moved = x.clone()
            moved[j] += step
            gap = (f(moved) - y).abs()
            gap[j] = 0.0
            if gap.max().item() > 1e-7:
                return True
    return False


MISTAKES["moved too far"] = Mistake(
    lambda f, x: not rest_moves(f, x, range(len(x)), 0.1),
    "Asked for is the Jacobian **at** `x`. In this case f mixes nothing at `x` or near it, but does so further than 0.02 away. If "
    "you moved an input, by 0.1 say, you looked there. Take a smaller step, or ask autograd: it needs none.",
)

ONE_INPUT = (
    "Here the first output sees the last input, and that passes you by. Do you look at **one** input, or at one output, such as the "
    "first or the last? Each may mix: ask them all. Two backward passes do it, one with a random `v`."
)

MISTAKES["one input"] = Mistake(lambda f, x: not rest_moves(f, x, [0], 1e-3), ONE_INPUT)
MISTAKES["one input, moved far"] = Mistake(lambda f, x: not rest_moves(f, x, [0], 1.0), ONE_INPUT)


def neighbours_alone(f, x):
    n = len(x)
    rows = (weighted(f, x, row) for row in mg.eye(n, dtype=x.dtype))
    return all(n == 1 or abs(row[(i + 1) % n].item()) < 1e-6 for i, row in enumerate(rows))


MISTAKES["the neighbours alone"] = Mistake(
    neighbours_alone,
    "Here each output sees one input, and that is not its own. An output may see **any** other input: it is not enough to ask what "
    "each has of its neighbour, the next input or the one before, nor to count the entries that are not 0.",
)


def even_steps(f, x):
    v = mg.arange(1, len(x) + 1, dtype=x.dtype)
    return bool(mg.allclose(weighted(f, x, v), v * weighted(f, x, mg.ones_like(x)), atol=1e-5))


MISTAKES["weights in even steps"] = Mistake(
    even_steps,
    "Here the second and the fourth output see the third input, and that passes you by. Are your weights in even steps, as 1, 2, 3, "
    "…? Then what the two have of that input cancels: the one counts too much by as much as the other too little. Any **fixed** "
    "weights are blind to some f: draw `v` at random. (If you did, and gave `allclose` a tolerance of your own: a wide one lets what "
    "is not 0 pass for 0.)",
)


def permuted(f, x):
    y, v = f(x), mg.randn(len(x), dtype=x.dtype)
    order = [*range(1, len(x)), 0]
    first = mg.autograd.grad(y, x, v, retain_graph=True)[0]
    return bool(mg.allclose(mg.autograd.grad(y, x, v[order])[0], first[order]))


MISTAKES["the weights in another order"] = Mistake(
    permuted,
    "Sin was turned down: weights in another order do not give the same gradient in another order, as each place has its own slope. "
    "With the weights `v` a diagonal J gives `v` times the slopes. Compare with that: the slopes are what ones give.",
)
