"""Right answers of chapter 10 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch10.common import fw, neighbours
from minigrad.course.bank.ch10.ex01.answer import Dual
from minigrad.course.bank.ch10.ex01.mistakes import refuse, with_methods
from minigrad.course.bank.ch10.ex02.answer import jvp
from minigrad.course.bank.ch10.ex02.mistakes import jvp_none
from minigrad.course.bank.ch10.ex03.answer import jvp_by_vjps
from minigrad.course.bank.ch10.ex04.mistakes import right_mode, table_of
from minigrad.course.bank.ch10.ex05.answer import all_rows
from minigrad.course.bank.ch10.ex05.mistakes import rows_transposed
from minigrad.course.bank.ch10.ex06.answer import Neighbours
from minigrad.course.bank.ch10.ex06.mistakes import forward_for_backward_only, taught

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


def one_sided(f: Callable[..., Any], x: Any, t: Any) -> Any:
    return (f(x.detach() + 1e-6 * t) - f(x.detach())) / 1e-6


# --- 10.1 Dual numbers --------------------------------------------------------------------------------------


class DualByParts:
    """Numbers are told apart in each method, the quotient is written out, and powers of -1 do the rest."""

    def __init__(self, value, tangent=0.0):
        self.value, self.tangent = value, tangent

    def __add__(self, other):
        if isinstance(other, DualByParts):
            return DualByParts(self.value + other.value, self.tangent + other.tangent)
        return DualByParts(self.value + other, self.tangent)

    def __radd__(self, other):
        return self + other

    def __neg__(self):
        return DualByParts(-self.value, -self.tangent)

    def __sub__(self, other):
        return self + -other

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, DualByParts):
            return DualByParts(self.value * other.value, self.value * other.tangent + self.tangent * other.value)
        return DualByParts(self.value * other, self.tangent * other)

    def __rmul__(self, other):
        return self * other

    def __truediv__(self, other):
        if isinstance(other, DualByParts):
            top = self.tangent * other.value - self.value * other.tangent
            return DualByParts(self.value / other.value, top / other.value**2)
        return DualByParts(self.value / other, self.tangent / other)

    def __rtruediv__(self, other):
        return DualByParts(other / self.value, -other * self.tangent / self.value**2)

    def sin(self):
        return DualByParts(float(np.sin(self.value)), self.tangent * float(np.cos(self.value)))

    def exp(self):
        return DualByParts(float(np.exp(self.value)), self.tangent * float(np.exp(self.value)))


class DualByInverse(Dual):
    """A quotient is a product with the inverse."""

    def inverse(self):
        return Dual(1 / self.value, -self.tangent / self.value**2)

    def __sub__(self, other):
        return self + -1 * Dual.of(other)

    def __truediv__(self, other):
        return self * DualByInverse.inverse(Dual.of(other))

    def __rtruediv__(self, other):
        return other * self.inverse()


def _bump_again(self, other):
    other = Dual.of(other)
    self.value, self.tangent = self.value + other.value, other.tangent + self.tangent
    return self


def quotient_turned_again(self, other):
    b = Dual.of(other)
    numerator = self.value * b.tangent - b.value * self.tangent
    return Dual(self.value / b.value, numerator / (b.value * b.value))


def drop_again(self, other):
    b = Dual.of(other)
    self.value, self.tangent = self.value - b.value, self.tangent - b.tangent
    return self


ALTERNATIVES["10.1"] = {"numbers told apart": DualByParts, "by the inverse": DualByInverse}

def exp_by_differences(self):
    up, down = np.exp(self.value + 1e-6), np.exp(self.value - 1e-6)
    return Dual(np.exp(self.value), (up - down) / 2e-6 * self.tangent)


def sin_by_differences(self):
    up, down = np.sin(self.value + 1e-6), np.sin(self.value - 1e-6)
    return Dual(np.sin(self.value), (up - down) / 2e-6 * self.tangent)


def sin_of_a_tensor(self):
    x = mg.as_tensor(np.float64(self.value)).requires_grad_()
    (slope,) = mg.autograd.grad(mg.sin(x), x)
    return Dual(float(np.sin(self.value)), slope.item() * self.tangent)


AGAIN["10.1"] = {
    "minigrad does it": with_methods(sin=sin_of_a_tensor),
    "differences": with_methods(exp=exp_by_differences),
    "differences in sin": with_methods(sin=sin_by_differences),
    "no reflected addition": with_methods(**{"__radd__": lambda self, other: refuse(self, other)}),
    "no reflected difference": with_methods(**{"__rsub__": lambda self, other: refuse(self, other)}),
    "no reflected product": with_methods(**{"__rmul__": lambda self, other: refuse(self, other)}),
    "no reflected quotient": with_methods(**{"__rtruediv__": lambda self, other: refuse(self, other)}),
    "the difference reflected as it is": with_methods(
        **{"__rsub__": lambda self, other: Dual(self.value - other, self.tangent)}
    ),
    "the sign of the reflected tangent": with_methods(
        **{"__rsub__": lambda self, other: Dual(-self.value + other, self.tangent)}
    ),
    "the quotient reflected as it is": with_methods(
        **{"__rtruediv__": lambda self, other: Dual(self.value / other, self.tangent / other)}
    ),
    "tangents subtracted the wrong way": with_methods(
        **{"__sub__": lambda self, o: Dual(self.value - Dual.of(o).value, Dual.of(o).tangent + self.tangent)}
    ),
    "a number moves": with_methods(
        **{
            "__mul__": lambda self, other: Dual(
                other.value * self.value, self.value * other.tangent + other.value * self.tangent
            )
        }
    ),
    "a number moves in a difference": with_methods(
        **{"__sub__": lambda self, other: Dual(-other.value + self.value, -other.tangent + self.tangent)}
    ),
    "a number moves in a quotient": with_methods(
        **{
            "__truediv__": lambda self, other: Dual(
                self.value / other.value, self.tangent / other.value - self.value * other.tangent / other.value**2
            )
        }
    ),
    "the product rule lost a term": with_methods(
        **{"__mul__": lambda self, o: Dual(Dual.of(o).value * self.value, Dual.of(o).value * self.tangent)}
    ),
    "the product rule lost the other term": with_methods(
        **{"__mul__": lambda self, o: Dual(Dual.of(o).value * self.value, Dual.of(o).tangent * self.value)}
    ),
    "product of the tangents": with_methods(
        **{"__mul__": lambda self, o: Dual(Dual.of(o).value * self.value, Dual.of(o).tangent * self.tangent)}
    ),
    "ε² is kept": with_methods(
        **{
            "__mul__": lambda self, o: Dual(
                self.value * Dual.of(o).value,
                (self.value + self.tangent) * (Dual.of(o).value + Dual.of(o).tangent) - self.value * Dual.of(o).value,
            )
        }
    ),
    "quotient of the tangents": with_methods(
        __truediv__=lambda self, o: Dual(self.value / Dual.of(o).value, float(np.float64(self.tangent) / Dual.of(o).tangent))
    ),
    "the sign in the quotient": with_methods(
        **{
            "__truediv__": lambda self, o: Dual(
                self.value / Dual.of(o).value,
                self.tangent / Dual.of(o).value + self.value * Dual.of(o).tangent / Dual.of(o).value ** 2,
            )
        }
    ),
    "the square in the quotient": with_methods(
        **{
            "__truediv__": lambda self, o: Dual(
                self.value / Dual.of(o).value, self.tangent - self.value * Dual.of(o).tangent / Dual.of(o).value
            )
        }
    ),
    "sin without the tangent": with_methods(**{"sin": lambda self: Dual(float(np.sin(self.value)), float(np.cos(self.value)))}),
    "sin of the tangent": with_methods(**{"sin": lambda self: Dual(float(np.sin(self.value)), float(np.sin(self.tangent)))}),
    "the slope of the tangent": with_methods(
        **{"sin": lambda self: Dual(float(np.sin(self.value)), float(np.cos(self.tangent)))}
    ),
    "the sign of cos": with_methods(
        **{"sin": lambda self: Dual(float(np.sin(self.value)), float(np.cos(self.value)) * -self.tangent)}
    ),
    "exp without the tangent": with_methods(**{"exp": lambda self: Dual(float(np.exp(self.value)), float(np.exp(self.value)))}),
    "exp of the tangent": with_methods(**{"exp": lambda self: Dual(float(np.exp(self.value)), float(np.exp(self.tangent)))}),
    "an operand is changed": with_methods(**{"__add__": _bump_again}),
    "the quotient rule turned round": with_methods(__truediv__=quotient_turned_again),
    "an operand is changed by a difference": with_methods(__sub__=drop_again),
    "the denominator stands still": with_methods(
        **{"__truediv__": lambda self, o: self * (1 / Dual.of(o).value)}
    ),
}


# --- 10.2 One direction -------------------------------------------------------------------------------------


def jvp_inside(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
        pair = fw.unpack_dual(y)
        if pair.tangent is None:
            return mg.zeros(y.shape, dtype=y.dtype)
        return pair.tangent


def jvp_by_hand(f, x, t):
    level = fw.enter_dual_level()
    try:
        y, moves = fw.unpack_dual(f(fw.make_dual(x, t, level=level)), level=level)
    finally:
        fw.exit_dual_level(level=level)
    return y * 0 if moves is None else moves.clone()


@fw.dual_level()
def jvp_decorated(f, x, t):
    y = f(fw.make_dual(x.clone(), 1 * t))
    moves = fw.unpack_dual(y)[1]
    return moves if moves is not None else mg.zeros_like(fw.unpack_dual(y)[0])


def jvp_of_output_again(f, x, t):
    y = f(x)
    with fw.dual_level():
        dual = fw.make_dual(y, t)
        _, moves = fw.unpack_dual(dual)
    return moves


def jvp_late_level(f, x, t):
    dual = fw.make_dual(x, t)
    with fw.dual_level():
        return fw.unpack_dual(f(dual)).tangent


def jvp_unpacked_late_again(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, 1.0 * t))
    _, moves = fw.unpack_dual(y)
    return moves


def jvp_unpacked_late_zeros_again(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
    y, moves = fw.unpack_dual(y)
    return moves if moves is not None else 0 * y


def jvp_none_again(f, x, t):
    with fw.dual_level():
        _, moves = fw.unpack_dual(f(fw.make_dual(x, t)))
    return moves


def jvp_dual(f, x, t):
    with fw.dual_level():
        return f(fw.make_dual(x, t))


def jvp_pair_again(f, x, t):
    with fw.dual_level():
        y = f(fw.make_dual(x, t))
        return tuple(fw.unpack_dual(y))


def jvp_exchanged_again(f, x, t):
    return jvp(f, t, x)


def jvp_truth_again(f, x, t):
    with fw.dual_level():
        pair = fw.unpack_dual(f(fw.make_dual(x, t)))
        return pair.tangent or mg.zeros_like(pair.primal)


def jvp_zeros_of_x_again(f, x, t):
    moves = jvp_none_again(f, x, t)
    return 0 * t if moves is None else moves


def jvp_stays_again(f, x, t):
    moves = jvp_none(f, x, t)
    return f(x) if moves is None else moves


def jvp_number_again(f, x, t):
    moves = jvp_none(f, x, t)
    if moves is not None:
        return moves
    return 0


def jvp_by_whole_again(f, x, t):
    return mg.matmul(mg.autograd.functional.jacobian(f, (x,))[0], t)


def jvp_ones_again(f, x, t):
    return jvp(f, x, t * 0 + 1)


def whole_by_columns_again(f, x, t):
    parts = []
    for j in range(x.numel()):
        e = mg.zeros(x.numel(), dtype=x.dtype)
        e[j] = t.reshape(-1)[j]
        parts.append(jvp(f, x, e.reshape(x.shape)))
    return sum(parts)


def jvp_left_open_again(f, x, t):
    fw.dual_level().__enter__()
    return jvp_none(f, x, t) if False else _pushed(f, x, t)


def _pushed(f: Callable[..., Any], x: Any, t: Any) -> Any:
    pair = fw.unpack_dual(f(fw.make_dual(x, t)))
    return pair.primal * 0 if pair.tangent is None else pair.tangent


def jvp_is_vjp_again(f, x, t):
    x = x.detach().requires_grad_()
    f(x).backward(t)
    return x.grad


def jvp_one_zero_again(f, x, t):
    with fw.dual_level():
        moves = fw.unpack_dual(f(fw.make_dual(x, t)))[1]
        if moves is None:
            moves = mg.zeros(())
    return moves


ALTERNATIVES["10.2"] = {
    "everything inside": jvp_inside,
    "the level by hand": jvp_by_hand,
    "the level as a decorator": jvp_decorated,
}

AGAIN["10.2"] = {
    "t on the output": jvp_of_output_again,
    "no level": jvp_late_level,
    "unpacked too late": jvp_unpacked_late_again,
    "unpacked too late, zeros": jvp_unpacked_late_zeros_again,
    "None for a constant": jvp_none_again,
    "the value": jvp_dual,
    "both": jvp_pair_again,
    "the two exchanged": jvp_exchanged_again,
    "asked for its truth": jvp_truth_again,
    "zeros of x's shape": jvp_zeros_of_x_again,
    "the value, where nothing moves": jvp_stays_again,
    "the number 0": jvp_number_again,
    "all of J": jvp_by_whole_again,
    "ones": jvp_ones_again,
    "column by column": whole_by_columns_again,
    "the level is left open": jvp_left_open_again,
    "a VJP": jvp_is_vjp_again,
    "backward after all": lambda f, x, t: mg.autograd.functional.jvp(f, (x,), (t,))[1],
    "differences": one_sided,
    "one zero": jvp_one_zero_again,
}


# --- 10.3 A JVP out of two VJPs -----------------------------------------------------------------------------


def twice_backward(f, x, t):
    y = f(x)
    u = mg.randn(y.shape, dtype=y.dtype, requires_grad=True)
    (g,) = mg.autograd.grad(y, [x], grad_outputs=[u], create_graph=True)
    g.backward(t, inputs=[u])
    return u.grad


def twice_fresh(f, x, t):
    z = x.detach().clone().requires_grad_()
    y = f(z)
    u = mg.full_like(y, 2.0).detach().requires_grad_()
    (g,) = mg.autograd.grad(y, z, u, create_graph=True)
    return mg.autograd.grad([g], [u], [t])[0].detach()


def twice_plain_u_again(f, x, t):
    y = f(x)
    u = mg.ones(y.shape, dtype=y.dtype)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad((g * t).sum(), u)[0]


def twice_u_is_t(f, x, t):
    u = t.clone().requires_grad_()
    (g,) = mg.autograd.grad(f(x), x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)[0]


def twice_no_graph_again(f, x, t):
    y = f(x)
    u = mg.ones_like(y, requires_grad=True)
    g = mg.autograd.grad(y, x, u, retain_graph=True)[0]
    return mg.autograd.grad((g * t).sum(), u)[0]


def twice_by_x_again(f, x, t):
    u = mg.ones_like(f(x), requires_grad=True)
    (g,) = mg.autograd.grad((u * f(x)).sum(), x, create_graph=True)
    return mg.autograd.grad((g * t).sum(), x)[0]


def twice_no_t_again(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, mg.ones_like(g))[0]


def twice_no_seed_again(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad((y * u).sum(), x, create_graph=True)
    return mg.autograd.grad(g * t, u)[0]


def twice_tuple_again(f, x, t):
    y = f(x)
    u = mg.ones_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g, u, t)


def whole_by_rows_again(f, x, t):
    y = f(x)
    found = mg.zeros(y.numel(), dtype=y.dtype)
    for i, e in enumerate(mg.eye(y.numel(), dtype=y.dtype)):
        (row,) = mg.autograd.grad(y, x, e.reshape(y.shape), retain_graph=True)
        found[i] = mg.dot(row.reshape(-1), t.reshape(-1))
    return found.reshape(y.shape)


def twice_u_is_y_again(f, x, t):
    y = f(x)
    g = mg.autograd.grad([y], [x], [y], create_graph=True)[0]
    return mg.autograd.grad([g], [y], [t])[0]


def twice_dot(f, x, t):
    y = f(x)
    u = mg.ones_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(mg.dot(g, t), u)[0]


def twice_sum_only_again(f, x, t):
    y = f(x)
    return mg.mul(t, mg.autograd.grad(y, x, mg.ones_like(y))[0])


def twice_one_number_again(f, x, t):
    y = f(x)
    u = mg.ones_like(y)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.dot(g.reshape(-1), t.reshape(-1))


def twice_by_t(f, x, t):
    t = t.clone().requires_grad_()
    (g,) = mg.autograd.grad(f(x).sum(), x, create_graph=True)
    return mg.autograd.grad((g * t).sum(), t)[0]


def twice_cut_off(f, x, t):
    y = f(x)
    u = mg.zeros_like(y, requires_grad=True)
    (g,) = mg.autograd.grad(y, x, u, create_graph=True)
    return mg.autograd.grad(g.detach().requires_grad_(), u, t)[0]


def whole_by_one_hots(f, x, t):
    y = f(x)
    hots = mg.stack([mg.tensor(np.eye(y.numel())[k].reshape(tuple(y.shape)), dtype=y.dtype) for k in range(y.numel())])
    rows = mg.autograd.grad([y], [x], [hots], is_grads_batched=True)[0]
    return mg.stack([(row * t).sum() for row in rows]).reshape(y.shape)


ALTERNATIVES["10.3"] = {"the second by backward": twice_backward, "a leaf of its own": twice_fresh}

def twice_third_by_backward(f, x, t):
    y = f(x)
    u = mg.ones_like(y, requires_grad=True)
    (g,) = mg.autograd.grad((u * y).sum(), x, create_graph=True)
    found = [mg.autograd.grad((g * t).sum(), u, retain_graph=True)[0] for _ in range(2)]
    return found[-1]


AGAIN["10.3"] = {
    "u does not require grad": twice_plain_u_again,
    "u of the shape of x": twice_u_is_t,
    "g has no graph": twice_no_graph_again,
    "by x": twice_by_x_again,
    "t is missing": twice_no_t_again,
    "the second pass has no cotangent": twice_no_seed_again,
    "a tuple": twice_tuple_again,
    "row by row": whole_by_rows_again,
    "row by row in one call": whole_by_one_hots,
    "forward mode": jvp_inside,
    "borrowed": lambda f, x, t: mg.autograd.functional.jvp(f, (x,), (t,))[1],
    "differences": one_sided,
    "u is y": twice_u_is_y_again,
    "a product of matrices": twice_dot,
    "the gradient of the sum, times t": twice_sum_only_again,
    "one number": twice_one_number_again,
    "only the first pass": twice_by_t,
    "no way from g to u": twice_cut_off,
    "a third pass": twice_third_by_backward,
}


# --- 10.4 Pick the mode -------------------------------------------------------------------------------------


ALTERNATIVES["10.4"] = {"by what one pass gives": table_of(right_mode)}


# --- 10.5 All rows at once ----------------------------------------------------------------------------------


def all_rows_loop_of_vs(f, x):
    y = f(x).flatten()
    vs = mg.stack([mg.tensor([1.0 if i == j else 0.0 for j in range(len(y))], dtype=y.dtype) for i in range(len(y))])
    (rows,) = mg.autograd.grad([y], [x], grad_outputs=[vs], is_grads_batched=True, retain_graph=True)
    return mg.reshape(rows, tuple(f(x).shape) + tuple(x.shape))


def rows_no_flag_again(f, x):
    y = f(x).reshape(-1)
    return mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype))[0].reshape(f(x).shape + x.shape)


def rows_flat_eye_again(f, x):
    y = f(x)
    vs = mg.eye(y.numel(), dtype=y.dtype)
    return mg.autograd.grad(y, x, vs, is_grads_batched=True)[0].view(y.shape + x.shape)


def rows_of_inputs_again(f, x):
    y = f(x)
    y = y.reshape(y.numel())
    return mg.autograd.grad(y, x, mg.eye(x.numel(), dtype=x.dtype), is_grads_batched=True)[0].reshape(*y.shape, *x.shape)


def rows_not_reshaped_again(f, x):
    y = f(x).reshape(-1)
    (rows,) = mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype), is_grads_batched=True)
    return rows.clone()


def rows_as_matrix_again(f, x):
    y = f(x).reshape(-1)
    (rows,) = mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype), is_grads_batched=True)
    return rows.flatten(1) if x.ndim > 1 else rows


def rows_transposed_again(f, x):
    J = all_rows(f, x)
    return mg.permute(J, [*range(J.ndim - x.ndim, J.ndim), *range(J.ndim - x.ndim)])


def rows_wrong_order_again(f, x):
    return rows_transposed(f, x).reshape(f(x).shape + x.shape)


def rows_looped_again(f, x):
    y = f(x)
    rows = []
    for i in range(y.numel()):
        x.grad = None
        y.reshape(-1)[i].backward(retain_graph=True)
        rows.append(x.grad)
    return mg.stack(rows).reshape(*y.shape, *x.shape)


def rows_of_ones_again(f, x):
    y = f(x)
    (g,) = mg.autograd.grad(y.sum(), x)
    return mg.stack([g] * y.numel()).reshape(y.shape + x.shape)


def rows_twice_y_again(f, x):
    y = f(x)
    return mg.autograd.grad(y, x, mg.eye(y.numel(), dtype=y.dtype).view(*y.shape, *y.shape), is_grads_batched=True)[0]


def rows_tuple_again(f, x):
    y = f(x).reshape(-1)
    return mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype), is_grads_batched=True)


def rows_of_inputs_viewed(f, x):
    y = f(x)
    vs = mg.eye(x.numel(), dtype=y.dtype).view(x.numel(), *y.shape)
    return mg.autograd.grad([y], [x], [vs], is_grads_batched=True)[0].view(*y.shape, *x.shape)


def rows_inputs_first_again(f, x):
    y = f(x).reshape(-1)
    (rows,) = mg.autograd.grad(y, x, mg.eye(len(y), dtype=y.dtype), is_grads_batched=True)
    return rows.reshape(x.shape + f(x).shape)


def rows_counted_last_again(f, x):
    y = f(x)
    vs = mg.eye(y.numel(), dtype=y.dtype).view(y.shape + (y.numel(),))
    return mg.autograd.grad(y, x, vs, is_grads_batched=True)[0].view(y.shape + x.shape)


ALTERNATIVES["10.5"] = {"one-hots by hand": all_rows_loop_of_vs}

def rows_in_two_halves(f, x):
    y = f(x)
    vs = mg.eye(y.numel(), dtype=y.dtype).reshape(y.numel(), *y.shape)
    halves = [mg.autograd.grad(y, x, part, is_grads_batched=True, retain_graph=True)[0] for part in (vs[:1], vs[1:]) if len(part)]
    if len(halves) == 1:
        mg.autograd.grad(y.sum(), x)
    return mg.cat(halves).reshape(y.shape + x.shape)


def rows_of_shifted(f, x):
    inputs = [(x.detach() + 0).requires_grad_() for _ in range(f(x).numel())]
    outputs = [f(one).reshape(-1)[i] for i, one in enumerate(inputs)]
    return mg.stack(list(mg.autograd.grad(outputs, inputs))).reshape(f(x).shape + x.shape)


AGAIN["10.5"] = {
    "no flag": rows_no_flag_again,
    "a flat identity": rows_flat_eye_again,
    "an identity for the inputs": rows_of_inputs_again,
    "not reshaped": rows_not_reshaped_again,
    "a matrix": rows_as_matrix_again,
    "transposed": rows_transposed_again,
    "transposed, then reshaped": rows_wrong_order_again,
    "a loop": rows_looped_again,
    "borrowed": lambda f, x: mg.autograd.functional.jacobian(f, (x,), vectorize=True)[0],
    "the shape of y twice": rows_twice_y_again,
    "a tuple": rows_tuple_again,
    "ones": rows_of_ones_again,
    "an identity for the inputs, reshaped": rows_of_inputs_viewed,
    "the axes of x first": rows_inputs_first_again,
    "the count last": rows_counted_last_again,
    "two calls": rows_in_two_halves,
    "f for each row": rows_of_shifted,
    "one v of ones": lambda f, x: (lambda y: mg.autograd.grad(y, x, mg.ones_like(y))[0])(f(x)),
}


# --- 10.6 Teach a Function to go forward --------------------------------------------------------------------


def forward_keeps(ctx, x):
    ctx.save_for_backward(x)
    ctx.x = x
    return x[:-1] * x[1:]


def jvp_filled(ctx, t):
    (x,) = ctx.saved_tensors
    out = mg.zeros(len(x) - 1, dtype=x.dtype)
    for i in range(len(out)):
        out[i] = x[i] * t[i + 1] + t[i] * x[i + 1]
    return out


def jvp_by_matrix(ctx, t):
    x = ctx.saved_tensors[0]
    J = mg.stack([mg.autograd.functional.jacobian(neighbours, x.detach())[i] for i in range(len(x) - 1)])
    return J @ t


class UntaughtAgain(mg.autograd.Function):
    forward = staticmethod(forward_keeps)
    backward = staticmethod(Neighbours.backward)


def vjp_in_place_of_jvp_again(ctx, t):
    (x,) = ctx.saved_tensors
    g = mg.zeros_like(x)
    g[:-1] = t * x[1:]
    g[1:] = g[1:] + t * x[:-1]
    return g


def forward_saves_y_again(ctx, x):
    ctx.save_for_backward(x)
    left, right = x[:-1], x[1:]
    ctx.save_for_forward(left * right)
    return left * right


ALTERNATIVES["10.6"] = {
    "an attribute": taught(forward=forward_keeps, jvp=lambda ctx, t: ctx.x[1:] * t[:-1] + t[1:] * ctx.x[:-1]),
    "entry by entry": taught(jvp=jvp_filled),
    "through the matrix": taught(jvp=jvp_by_matrix),
}

def detached_from_x(ctx, v):
    x = ctx.saved_tensors[0].detach()
    g = mg.zeros_like(x)
    g[:-1] += v * x[1:]
    g[1:] += v * x[:-1]
    return g


def unguarded(ctx, v):
    g = mg.zeros_like(ctx.x)
    g[1:] += v * ctx.x[:-1]
    g[:-1] += v * ctx.x[1:]
    return g


AGAIN["10.6"] = {
    "nothing saved for forward": taught(
        forward=forward_for_backward_only,
        jvp=lambda ctx, t: [x[1:] * t[:-1] + x[:-1] * t[1:] for (x,) in [ctx.saved_tensors]][0],
    ),
    "nothing saved for backward": taught(forward=lambda ctx, x: (ctx.save_for_forward(x), x[1:] * x[:-1])[1]),
    "no jvp": UntaughtAgain,
    "the VJP": taught(jvp=vjp_in_place_of_jvp_again),
    "one term": taught(jvp=lambda ctx, t: ctx.saved_tensors[0][1:] * t[:-1]),
    "the other term": taught(jvp=lambda ctx, t: t[1:] * ctx.saved_tensors[0][:-1]),
    "product of the tangents": taught(jvp=lambda ctx, t: t[1:] * t[:-1]),
    "ε² is kept": taught(jvp=lambda ctx, t: [t[:-1] * x[1:] + (x + t)[:-1] * t[1:] for (x,) in [ctx.saved_tensors]][0]),
    "a tuple of one": taught(jvp=lambda ctx, t: t[:-1] * ctx.saved_tensors[1:] + t[1:] * ctx.saved_tensors[:-1]),
    "nothing comes back": taught(jvp=lambda ctx, t: print(end="")),
    "each with itself": taught(jvp=lambda ctx, t: ctx.saved_tensors[0][:-1] * t[:-1] + ctx.saved_tensors[0][1:] * t[1:]),
    "y saved for forward": taught(forward=forward_saves_y_again),
    "the second derivative": taught(backward=detached_from_x),
    "the guard": taught(
        forward=lambda ctx, x: (setattr(ctx, "x", x), ctx.save_for_forward(x), x[1:] * x[:-1])[2], backward=unguarded
    ),
    "no way to v": taught(backward=lambda ctx, v: Neighbours.backward(ctx, mg.tensor(v.tolist(), dtype=v.dtype))),
    "a difference of products": taught(jvp=lambda ctx, t: -t[1:] * ctx.saved_tensors[0][:-1] + t[:-1] * ctx.saved_tensors[0][1:]),
    "t is left out": taught(jvp=lambda ctx, t: Neighbours.jvp(ctx, mg.ones_like(t))),
}


# --- 10.7 Gauss-Newton --------------------------------------------------------------------------------------


def gauss_two_runs(f, x, v):
    Jv = jvp(f, x, v)
    return mg.autograd.grad(f(x), x, grad_outputs=Jv)[0]


def gauss_double_backward_again(f, x, v):
    y = f(x)
    u = mg.zeros_like(y).requires_grad_()
    (pulled,) = mg.autograd.grad(y, x, u, create_graph=True)
    (Jv,) = mg.autograd.grad(pulled, u, v)
    return mg.autograd.grad(f(x), x, Jv)[0]


def gauss_backward(f, x, v):
    with fw.dual_level():
        Jv = fw.unpack_dual(f(fw.make_dual(x.detach(), v))).tangent
    x.grad = None
    f(x).backward(Jv)
    return x.grad


def gauss_weighted_sum(f, x, v):
    Jv = jvp(f, x, v).detach()
    return mg.autograd.grad((Jv * f(x)).sum(), x)[0]


def columns_of(f, x):
    return mg.stack([jvp(f, x, e).detach() for e in mg.eye(len(x), dtype=x.dtype)], 1)


def gauss_whole_columns(f, x, v):
    J = columns_of(f, x)
    return J.T @ J @ v


def gauss_only_jv_again(f, x, v):
    return jvp_by_vjps(f, x, v)


def gauss_vjp_of_v_again(f, x, v):
    x.grad = None
    f(x).backward(v)
    return x.grad


def gauss_residual_again(f, x, v):
    return mg.autograd.grad(0.5 * (f(x) ** 2).sum(), x)[0]


def gauss_of_length_again(f, x, v):
    with fw.dual_level():
        _, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    return mg.autograd.grad(Jv, x, mg.clone(Jv))[0]


def gauss_hessian_again(f, x, v):
    y = f(x)
    (g,) = mg.autograd.grad((y * y).sum() / 2, x, create_graph=True)
    return mg.autograd.grad((g * v).sum(), x)[0]


def gauss_dual_backward_again(f, x, v):
    y = f(x.detach())
    return mg.autograd.grad(y, x, jvp(f, x.detach(), v))[0]


def gauss_differences_again(f, x, v):
    return mg.autograd.grad(f(x), x, one_sided(f, x, v))[0]


def gauss_tuple_again(f, x, v):
    with fw.dual_level():
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    return tuple(mg.autograd.grad([y], [x], [Jv]))


def gauss_of_sum_again(f, x, v):
    y = f(x)
    (g,) = mg.autograd.grad(y, x, mg.ones_like(y), create_graph=True)
    return mg.autograd.grad((g * v).sum(), x)[0]


def gauss_entry_by_entry_again(f, x, v):
    return mg.mul(v, mg.autograd.grad(f(x).sum(), x)[0])


def gauss_left_in_grad_again(f, x, v):
    moves = jvp(f, x, v).detach()
    mg.autograd.backward(f(x), moves)
    return x.grad


def gauss_exchanged_again(f, x, v):
    with fw.dual_level():
        pair = fw.unpack_dual(f(fw.make_dual(x, v)))
        return mg.autograd.grad([pair.tangent], [x], grad_outputs=[pair.primal])[0]


def gauss_forward_over_reverse(f, x, v):
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        (g,) = mg.autograd.grad(0.5 * (f(dual) ** 2).sum(), dual, create_graph=True)
        return fw.unpack_dual(g).tangent


def gauss_without_the_half_again(f, x, v):
    y = f(x)
    (g,) = mg.autograd.grad(y.square().sum(), x, create_graph=True)
    return mg.autograd.grad((g * v).sum(), x)[0]


def gauss_forward_over_the_sum(f, x, v):
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        (g,) = mg.autograd.grad(f(dual).sum(), dual, create_graph=True)
        return fw.unpack_dual(g).tangent


def gauss_of_ones_again(f, x, v):
    y = f(x)
    jvp(f, x, v)
    return mg.autograd.grad(y, x, mg.ones_like(y))[0]


def gauss_outer_again(f, x, v):
    g = mg.autograd.grad(0.5 * (f(x) ** 2).sum(), x)[0]
    return mg.dot(g, v) * g


def gauss_outer_of_sum_again(f, x, v):
    y = f(x)
    g = mg.autograd.grad(y, x, mg.ones_like(y))[0]
    return mg.dot(g, v) * g


def gauss_forward_twice_again(f, x, v):
    with fw.dual_level():
        Jv = fw.unpack_dual(f(fw.make_dual(x, v))).tangent
        return fw.unpack_dual(f(fw.make_dual(x, Jv))).tangent


ALTERNATIVES["10.7"] = {"f runs twice": gauss_two_runs, "backward": gauss_backward, "a weighted sum": gauss_weighted_sum}

def gauss_again_for_nothing(f, x, v):
    y = f(x)
    y.sum().backward(retain_graph=True)
    x.grad = None
    return mg.autograd.grad(y, x, jvp(f, x, v))[0]


def gauss_second_dual(f, x, v):
    with fw.dual_level():
        f(fw.make_dual(x.detach(), v))
        y, Jv = fw.unpack_dual(f(fw.make_dual(x, v)))
    return mg.autograd.grad(y, x, Jv)[0]


AGAIN["10.7"] = {
    "the trick of 10.3": gauss_double_backward_again,
    "all of J": gauss_whole_columns,
    "only J v": gauss_only_jv_again,
    "v as the cotangent": gauss_vjp_of_v_again,
    "the gradient of the squares": gauss_residual_again,
    "J v differentiated": gauss_of_length_again,
    "the full Hessian": gauss_hessian_again,
    "no graph to x": gauss_dual_backward_again,
    "a tuple": gauss_tuple_again,
    "differences": gauss_differences_again,
    "second derivatives of the sum": gauss_of_sum_again,
    "the gradient of the sum, times v": gauss_entry_by_entry_again,
    "added in x.grad": gauss_left_in_grad_again,
    "y and J v exchanged": gauss_exchanged_again,
    "the full Hessian, one pass each": gauss_forward_over_reverse,
    "twice the full Hessian": gauss_without_the_half_again,
    "second derivatives of the sum, one pass each": gauss_forward_over_the_sum,
    "ones as the cotangent": gauss_of_ones_again,
    "the outer product of the gradient": gauss_outer_again,
    "the outer product of the sum's gradient": gauss_outer_of_sum_again,
    "forward twice": gauss_forward_twice_again,
    "a backward pass too many": gauss_again_for_nothing,
    "a forward pass too many": gauss_second_dual,
    "another value": lambda f, x, v: mg.autograd.grad(f(x), x, jvp(f, v, x))[0],
    "twice too large": lambda f, x, v: mg.autograd.grad(f(x), x, 2 * jvp(f, x, v))[0],
}
