"""10.5 All rows at once: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch10.ex05.answer import all_rows
from minigrad.course.bank.ch10.known import A_TUPLE
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def rows_of_copies(f, x):
    y = f(x)
    copies = [x.detach().clone().requires_grad_() for _ in range(y.numel())]
    total = sum(f(copy).reshape(-1)[i] for i, copy in enumerate(copies))
    return mg.stack(list(mg.autograd.grad(total, copies))).reshape(y.shape + x.shape)


WASTEFUL["f for each row"] = Mistake(
    rows_of_copies,
    "Right, with one call of `grad`. But `f` runs for each row of J. Once is enough: the identity as `grad_outputs`, with "
    "`is_grads_batched=True`.",
)

MISTAKES: dict[str, Mistake] = {}


def rows_no_flag(f, x):
    y = f(x)
    m = y.numel()
    (rows,) = mg.autograd.grad(y, x, mg.eye(m, dtype=y.dtype).reshape(m, *y.shape))
    return rows.reshape(*y.shape, *x.shape)


MISTAKES["no flag"] = Mistake(
    rows_no_flag,
    "Without `is_grads_batched=True` a `v` must have exactly the shape of `y`. With it, the first axis counts the vs, "
    "and each gets a pass.",
)


def rows_flat_eye(f, x):
    y = f(x)
    (rows,) = mg.autograd.grad(y, x, mg.eye(y.numel(), dtype=y.dtype), is_grads_batched=True)
    return rows.reshape(*y.shape, *x.shape)


MISTAKES["a flat identity"] = Mistake(
    rows_flat_eye,
    "For a vector `y` it works. But each `v` must look like `y`. Where `y` is a table, so is each v: reshape the "
    "identity to `(m, *y.shape)`, or make `y` flat before.",
)


def rows_of_inputs(f, x):
    y = f(x).reshape(-1)
    (rows,) = mg.autograd.grad(y, x, mg.eye(x.numel(), dtype=y.dtype), is_grads_batched=True)
    return rows.reshape(f(x).shape + x.shape)


MISTAKES["an identity for the inputs"] = Mistake(
    rows_of_inputs,
    "Your identity has not the size of `y`, but that of `x`, perhaps. There is a `v` for each **output**: `mg.eye(y.numel())`.",
)


def rows_not_reshaped(f, x):
    y = f(x)
    m = y.numel()
    return mg.autograd.grad(y, x, mg.eye(m, dtype=y.dtype).reshape(m, *y.shape), is_grads_batched=True)[0]


MISTAKES["not reshaped"] = Mistake(
    rows_not_reshaped,
    "Right numbers: a first axis of m, then the axes of `x`. Where `y` is a table, or has shape (), give its axes back: "
    "`rows.reshape(*y.shape, *x.shape)`.",
)


def rows_as_matrix(f, x):
    J = all_rows(f, x)
    return J.reshape(-1, x.numel())


MISTAKES["a matrix"] = Mistake(
    rows_as_matrix,
    "You made a matrix of m rows and n columns, with the right numbers. Wanted are all axes: those of `y`, then those of `x`.",
)


def rows_transposed(f, x):
    y = f(x)
    J = all_rows(f, x).reshape(y.numel(), x.numel())
    return J.T.reshape(*x.shape, *y.shape)


MISTAKES["transposed"] = Mistake(
    rows_transposed,
    "Transposed. First the axes of the output, then those of the input; `grad` with the flag returns them in this order.",
)


def rows_wrong_order(f, x):
    y = f(x)
    J = all_rows(f, x).reshape(y.numel(), x.numel())
    return J.T.reshape(*y.shape, *x.shape)


MISTAKES["transposed, then reshaped"] = Mistake(
    rows_wrong_order,
    "The shape is right, the numbers stand in wrong places: `reshape` keeps the order in which numbers are read, it does "
    "not exchange axes. The rows come in the right order already; leave out the transposition.",
)


def rows_looped(f, x):
    y = f(x)
    rows = [mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in y.reshape(-1)]
    return mg.stack(rows).reshape(y.shape + x.shape)


MISTAKES["a loop"] = Mistake(
    rows_looped,
    "The numbers are right, with a call for each row. Give all one-hots in **one** call: an identity, and "
    "`is_grads_batched=True`.",
)


def rows_called_twice(f, x):
    y = f(x)
    mg.autograd.grad(y, x, mg.ones_like(y), retain_graph=True)
    vs = mg.eye(y.numel(), dtype=y.dtype).reshape(y.numel(), *y.shape)
    return mg.autograd.grad(y, x, vs, is_grads_batched=True)[0].reshape(*y.shape, *x.shape)


MISTAKES["two calls"] = Mistake(
    rows_called_twice,
    "The numbers are right, with two calls of `grad`, and **one** is asked for. The whole identity in one call, with "
    "`is_grads_batched=True`, gives all rows.",
)

MISTAKES["borrowed"] = Mistake(
    lambda f, x: mg.autograd.functional.jacobian(f, x),
    "The numbers are right. `functional.jacobian` is there to compare with; now write it yourself, with one call of "
    "`mg.autograd.grad` and `is_grads_batched=True`.",
)


def rows_twice_y(f, x):
    y = f(x)
    vs = mg.eye(y.numel(), dtype=y.dtype).reshape(y.shape + y.shape)
    return mg.autograd.grad(y, x, vs, is_grads_batched=True)[0].reshape(y.shape + x.shape)


MISTAKES["the shape of y twice"] = Mistake(
    rows_twice_y,
    "The **first axis alone** counts the vs. So a stack of m tables like `y` has the shape `(m, *y.shape)`, and not "
    "`y.shape` twice.",
)


def rows_tuple(f, x):
    y = f(x)
    m = y.numel()
    return mg.autograd.grad(y, x, mg.eye(m, dtype=y.dtype).reshape(m, *y.shape), is_grads_batched=True)


MISTAKES["a tuple"] = Mistake(rows_tuple, A_TUPLE)


def rows_of_ones(f, x):
    y = f(x)
    m = y.numel()
    vs = mg.ones(m, *y.shape, dtype=y.dtype)
    return mg.autograd.grad(y, x, vs, is_grads_batched=True)[0].reshape(*y.shape, *x.shape)


MISTAKES["ones"] = Mistake(
    rows_of_ones,
    "All your rows are the same: the sum of the rows. With ones as `v` every pass gives that. Each v must be one-hot, "
    "so together they are the identity.",
)


def rows_of_inputs_reshaped(f, x):
    y = f(x)
    n = x.numel()
    (rows,) = mg.autograd.grad(y, x, mg.eye(n, dtype=y.dtype).reshape(n, *y.shape), is_grads_batched=True)
    return rows.reshape(*y.shape, *x.shape)


MISTAKES["an identity for the inputs, reshaped"] = Mistake(
    rows_of_inputs_reshaped,
    "The numbers of the identity do not fit the shape that you ask for. Has it the size of `x`? There is one one-hot for each "
    "**output**: `mg.eye(y.numel())`.",
)


def rows_inputs_first(f, x):
    return all_rows(f, x).reshape(*x.shape, *f(x).shape)


MISTAKES["the axes of x first"] = Mistake(
    rows_inputs_first, "The outputs come first: `rows.reshape(*y.shape, *x.shape)`. So they stand in what `grad` returns, too."
)


def rows_counted_last(f, x):
    y = f(x)
    n = y.numel()
    (rows,) = mg.autograd.grad(y, x, mg.eye(n, dtype=y.dtype).reshape(*y.shape, n), is_grads_batched=True)
    return rows.reshape(*y.shape, *x.shape)


MISTAKES["the count last"] = Mistake(
    rows_counted_last,
    "The **first** axis counts the vs, and each `v` has the shape of `y`: reshape the identity to `(m, *y.shape)`.",
)

MISTAKES["one v of ones"] = Mistake(
    lambda f, x: mg.autograd.grad(f(x).sum(), x)[0],
    "That is one gradient, of the shape of `x`: the sum of the rows. With ones as `v`, or with `f(x).sum()`, that is what comes. Each "
    "row needs a v of its own, and together they are the identity.",
)
