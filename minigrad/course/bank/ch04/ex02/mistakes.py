"""04.2 One row: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch04.known import NOT_A_TENSOR
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def every_row(f, x):
    """All rows, one backward pass each."""
    y = f(x)
    rows = []
    for k in range(len(y)):
        x.grad = None
        y[k].backward(retain_graph=True)
        rows.append(x.grad)
    return rows


def row_of_all(f, x, i):
    return every_row(f, x)[i]


ALL_ROWS = (
    "The right row, but every row was computed to return one: a backward pass for each output. **One** pass is asked "
    "for. Which `v` gives weight 1 to row `i` and 0 to the others?"
)

MISTAKES["all rows"] = Mistake(row_of_all, ALL_ROWS)


def row_differences(f, x, i):
    step = 1e-6 * mg.eye(len(x), dtype=x.dtype)
    return mg.stack([(f(x + e)[i] - f(x - e)[i]) / 2e-6 for e in step]).detach()


MISTAKES["no backward"] = Mistake(
    row_differences,
    "No backward pass went through `f(x)`. Differences come near the row, but they are not exact, and they "
    "take calls of `f` for every input. `backward` gives the whole row at once.",
)


def row_list(f, x, i):
    x.grad = None
    y = f(x)
    y.backward([float(k == i) for k in range(len(y))])
    return x.grad


MISTAKES["no Tensor"] = Mistake(row_list, NOT_A_TENSOR)


def row_like_x(f, x, i):
    x.grad = None
    v = mg.zeros_like(x)
    v[i] = 1.0
    f(x).backward(v)
    return x.grad


MISTAKES["v like x"] = Mistake(
    row_like_x,
    "Your `v` does not look like `y`. It has one weight for each **output**, and no axis more: where f has 4 inputs "
    "and 3 outputs, `y.backward` wants shape (3,), and neither that of `x`, (4,), nor (1, 3).",
)


def row_column(f, x, i):
    return mg.stack([r[i] for r in every_row(f, x)])


MISTAKES["column"] = Mistake(
    row_column,
    "That is **column** i: how every output moves when `x[i]` moves. Row i is how output i "
    "moves with every input; it has the shape of `x`.",
)


def row_ones(f, x, i):
    x.grad = None
    y = f(x)
    y.backward(mg.ones_like(y))
    return x.grad


MISTAKES["sum of the rows"] = Mistake(
    row_ones, "`v` = ones gives the sum of all rows (so does `y.sum()`). Which weight should the other rows have?"
)


def row_entry_of_grad(f, x, i):
    x.grad = None
    f(x).sum().backward()
    return x.grad[i]


MISTAKES["entry of the sum"] = Mistake(
    row_entry_of_grad,
    "You summed all rows and took entry `i` of the result: one number, about input i. Choose "
    "the row before the pass, by `v`; afterwards the rows are already mixed.",
)


def row_not_cleared(f, x, i):
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = 1.0
    y.backward(v)
    return x.grad


NOT_CLEARED = (
    "The first row is right when it is returned, and the second is both rows added: `backward` **adds** to "
    "`x.grad`. Begin with `x.grad = None`."
)

MISTAKES["grad not cleared"] = Mistake(row_not_cleared, NOT_CLEARED)


def row_not_cleared_copy(f, x, i):
    return row_not_cleared(f, x, i).clone()


MISTAKES["grad not cleared, copied"] = Mistake(row_not_cleared_copy, NOT_CLEARED)


def row_zeroed(f, x, i):
    if x.grad is not None:
        x.grad.zero_()
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = 1.0
    y.backward(v)
    return x.grad


MISTAKES["the returned row is wiped"] = Mistake(
    row_zeroed,
    "Each row is right when it is returned. But your next call writes into the very array that you handed out before. If "
    "`x.grad.zero_()` clears it: `x.grad = None` lets the next pass make a new one. If you keep one array for all calls: return "
    "a copy.",
)


def row_values(f, x, i):
    x.grad = None
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = y[i].item()
    y.backward(v)
    return x.grad


MISTAKES["value as weight"] = Mistake(
    row_values, "The weight of row `i` is 1, not the value `y[i]`. With `y[i]` you get the gradient of ½·y[i]²."
)


def row_masked(f, x, i):
    x.grad = None
    f(x).sum().backward()
    return x.grad * (mg.arange(len(x)) == i)


MISTAKES["entry of the sum, in its place"] = Mistake(
    row_masked,
    "You summed all rows and kept what belongs to **input** i. Row i belongs to output i, and after the sum the rows are mixed: "
    "choose the row before the pass, with a one-hot `v` of the shape of `y`.",
)


def row_weighted_by_place(f, x, i):
    x.grad = None
    y = f(x)
    v = mg.zeros_like(y)
    v[i] = i
    y.backward(v)
    return x.grad


MISTAKES["the place as weight"] = Mistake(
    row_weighted_by_place,
    "Your row is i times too large, and row 0 is all zeros. `i` is the **place** in `v`; the weight that stands there is 1.",
)


def row_zeroed_at_the_end(f, x, i):
    x.grad = None
    f(x)[i].backward()
    row = x.grad
    row.zero_()
    return row


MISTAKES["wiped before it is returned"] = Mistake(
    row_zeroed_at_the_end,
    "Only zeros come back. If you clear `x.grad` with `zero_()` after the pass: what you return is the same Tensor, and is wiped with "
    "it. Clear before the pass, with `x.grad = None`.",
)
