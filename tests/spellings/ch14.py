"""Right answers of chapter 14 in other styles, and its known mistakes written another way."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch14.common import function
from minigrad.course.bank.ch14.ex01.mistakes import exp_keeps_x, exp_keeps_y, exp_saves_x
from minigrad.course.bank.ch14.ex02.mistakes import coeff_saved
from minigrad.course.bank.ch14.ex03.mistakes import legendre_by, legendre_doubled, legendre_forward, legendre_p2
from minigrad.course.bank.ch14.ex04.mistakes import conv, flipped, gradient_w, padded, windows
from minigrad.course.bank.ch14.ex05.mistakes import absolute, checker, close, columns, ones
from minigrad.course.bank.ch14.ex07.mistakes import differ, has_graph, slope, twice_checker
from minigrad.course.bank.ch14.ex07.task import exp_forward, exp_numpy, once_differentiable, times_saved
from minigrad.course.bank.ch14.ex08.mistakes import keep_well, power, read_attributes, read_tuple, read_well
from minigrad.course.bank.ch14.ex09.answer import defined
from minigrad.course.bank.ch14.ex09.mistakes import give_needed

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 14.1 Exp -----------------------------------------------------------------------------------------------


def exp_saves_intermediate(ctx, x):
    e = x.exp()
    ctx.save_for_backward(e)
    return e.clone()


def times_saved_numpy(ctx, g):
    (y,) = ctx.saved_tensors
    return mg.tensor(g.detach().numpy() * y.detach().numpy())


class ExpInTwoParts(mg.autograd.Function):
    @staticmethod
    def forward(x):
        return mg.exp(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.mul(ctx.saved_tensors[0])


ALTERNATIVES["14.1"] = {"the other order": function("Exp", exp_forward, times_saved), "forward in two parts": ExpInTwoParts}

AGAIN["14.1"] = {
    "the input, unguarded": function("Exp", exp_keeps_x, lambda ctx, g: mg.exp(ctx.x).mul(g)),
    "exp twice": function("Exp", exp_saves_x, lambda ctx, g: mg.exp(ctx.saved_tensors[0]) * g),
    "a cycle": function("Exp", exp_keeps_y, lambda ctx, g: mg.mul(ctx.y, g)),
    "saved_tensors is a tuple": function("Exp", exp_forward, lambda ctx, grad_output: grad_output * ctx.saved_tensors),
    "g is forgotten": function("Exp", exp_forward, lambda ctx, g: ctx.saved_tensors[0].clone()),
    "g is forgotten, from x": function("Exp", exp_saves_x, lambda ctx, g: (mg.exp(*ctx.saved_tensors),)),
    "the second derivative is dead": function("Exp", exp_saves_intermediate, times_saved),
    "NumPy inside": function("Exp", exp_numpy, lambda ctx, g: mg.tensor(np.multiply(ctx.e, g.detach().numpy()))),
    "cut off in backward": function("Exp", exp_forward, times_saved_numpy),
    "the input is taken for the output": function("Exp", exp_saves_x, lambda ctx, g: g.mul(*ctx.saved_tensors)),
    "backward returns nothing": function("Exp", exp_saves_x, lambda ctx, g: (None,)),
    "the cotangent is cut off": function(
        "Exp", exp_forward, lambda ctx, g: mg.tensor(g.tolist(), dtype=g.dtype) * ctx.saved_tensors[0]
    ),
}


# --- 14.2 GradCoeff -----------------------------------------------------------------------------------------


def coeff_clone(ctx, x, c):
    ctx.coeff = c
    return x.clone()


def coeff_same(ctx, x, c):
    ctx.coeff = c
    return x


class CoeffInTwoParts(mg.autograd.Function):
    @staticmethod
    def forward(x, coeff):
        return x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.coeff = inputs

    @staticmethod
    def backward(ctx, g):
        return g * ctx.coeff, None


COEFFS = [0.0]


def coeff_outside(ctx, x, c):
    COEFFS[0] = c
    return x.clone()


ALTERNATIVES["14.2"] = {
    "a clone": function("GradCoeff", coeff_clone, lambda ctx, g: (g * ctx.coeff, None)),
    "x itself": function("GradCoeff", coeff_same, lambda ctx, g: (g.mul(ctx.coeff), None)),
    "in two parts": CoeffInTwoParts,
}

AGAIN["14.2"] = {
    "one number for all calls": function("GradCoeff", coeff_outside, lambda ctx, g: (g * COEFFS[0], None)),
    "one gradient": function("GradCoeff", coeff_clone, lambda ctx, g: (g.mul(ctx.coeff),)),
    "the output is scaled": function(
        "GradCoeff", lambda ctx, x, c: coeff_same(ctx, x, c).mul(c), lambda ctx, g: (g * ctx.coeff, None)
    ),
    "the honest gradient": function("GradCoeff", coeff_clone, lambda ctx, g: (g.clone(), None)),
    "a gradient for the number": function("GradCoeff", coeff_clone, lambda ctx, g: (g * ctx.coeff, mg.ones(1))),
    "the sign twice": function("GradCoeff", coeff_same, lambda ctx, g: (g * ctx.coeff * -1, None)),
    "always the other sign": function("GradCoeff", coeff_clone, lambda ctx, g: (g.neg(), None)),
    "the cotangent is overwritten": function("GradCoeff", coeff_clone, lambda ctx, g: (g.copy_(g * ctx.coeff), None)),
    "a number is saved": function("GradCoeff", coeff_saved, lambda ctx, g: (g, None)),
    "added, not multiplied": function("GradCoeff", coeff_clone, lambda ctx, g: (g.add(ctx.coeff), None)),
    "three entries": function("GradCoeff", coeff_clone, lambda ctx, g: (g * ctx.coeff, None, None, None)),
}


# --- 14.3 LegendrePolynomial3 -------------------------------------------------------------------------------


def legendre_slope_saved_again(ctx, x):
    slope = 1.5 * (5 * x * x - 1)
    ctx.save_for_backward(slope)
    return 0.5 * (5 * x**3 - 3 * x)


@mg.no_grad()
def legendre_without_grad(ctx, g):
    (x,) = ctx.saved_tensors
    return (7.5 * x * x - 1.5) * g


ALTERNATIVES["14.3"] = {
    "the brackets opened": legendre_by(lambda x: 7.5 * x**2 - 1.5),
    "by products": function(
        "LegendrePolynomial3",
        lambda ctx, x: (ctx.save_for_backward(x), x * (2.5 * x * x - 1.5))[1],
        lambda ctx, g: 0.5 * (15 * ctx.saved_tensors[0] * ctx.saved_tensors[0] - 3) * g,
    ),
}

AGAIN["14.3"] = {
    "a factor 3 is lost": legendre_by(lambda x: 2.5 * x * x - 0.5),
    "the output as derivative": legendre_by(lambda x: 2.5 * x**3 - 1.5 * x),
    "g is forgotten": function("LegendrePolynomial3", legendre_forward, lambda ctx, g: 7.5 * ctx.saved_tensors[0] ** 2 - 1.5),
    "the second derivative is dead": function("LegendrePolynomial3", legendre_slope_saved_again, times_saved),
    "the half": function("LegendrePolynomial3", legendre_doubled, lambda ctx, g: 3 * g * (5 * ctx.saved_tensors[0] ** 2 - 1)),
    "a Tensor's methods": function(
        "LegendrePolynomial3",
        lambda ctx, x: (ctx.save_for_backward(x), 2.5 * x.pow(3) - x.mul(1.5))[1],
        lambda ctx, g: (7.5 * ctx.saved_tensors[0].pow(2) - 1.5).mul(g),
    ),
    "the half, on the way back": legendre_by(lambda x: 3 * (5 * x * x - 1)),
    "another polynomial": function("LegendrePolynomial3", legendre_p2, lambda ctx, g: 3 * ctx.saved_tensors[0] * g),
    "backward returns nothing": function("LegendrePolynomial3", legendre_forward, lambda ctx, g: (None,)),
    "a term has no slope": legendre_by(lambda x: 15 * x * x / 2),
    "an attribute": function(
        "LegendrePolynomial3",
        lambda ctx, x: (setattr(ctx, "kept", [x]), 2.5 * x**3 - 1.5 * x)[1],
        lambda ctx, g: (7.5 * ctx.kept[0] ** 2 - 1.5) * g,
    ),
    "cut off in backward": function("LegendrePolynomial3", legendre_forward, legendre_without_grad),
    "a term keeps its x": legendre_by(lambda x: 1.5 * x * (5 * x - 1)),
    "the cotangent is cut off": function(
        "LegendrePolynomial3",
        legendre_forward,
        lambda ctx, g: (7.5 * ctx.saved_tensors[0] ** 2 - 1.5) * mg.tensor(g.tolist(), dtype=g.dtype),
    ),
    "a function of Tensors": function(
        "LegendrePolynomial3",
        lambda ctx, x: (ctx.save_for_backward(x), mg.pow(x, 3).mul(2.5) - 1.5 * x)[1],
        lambda ctx, g: g * (7.5 * ctx.saved_tensors[0] ** 2 - 1.5),
    ),
}


# --- 14.4 Conv2D by hand ------------------------------------------------------------------------------------


def patches(x: Any, h: int, v: int) -> Any:
    """For each output place the patch under the kernel: shape (N, places, C * h * v)."""
    H, W = x.shape[2] - h + 1, x.shape[3] - v + 1
    rows = [x[:, :, i : i + h, j : j + v].reshape(x.shape[0], -1) for i in range(H) for j in range(W)]
    return mg.stack(rows, 1)


def as_one_product(x: Any, w: Any) -> Any:
    y = patches(x, *w.shape[2:]) @ w.reshape(w.shape[0], -1).T
    return y.transpose(1, 2).reshape(x.shape[0], w.shape[0], x.shape[2] - w.shape[2] + 1, -1)


def numpy_forward(ctx, x, w):
    ctx.x, ctx.w = x.detach().numpy(), w.detach().numpy()
    N, C, H, W = x.shape
    K, _, h, v = w.shape
    y = np.zeros((N, K, H - h + 1, W - v + 1), ctx.x.dtype)
    for i in range(y.shape[2]):
        for j in range(y.shape[3]):
            y[:, :, i, j] = np.tensordot(ctx.x[:, :, i : i + h, j : j + v], ctx.w, ((1, 2, 3), (1, 2, 3)))
    return mg.tensor(y)


@once_differentiable
def numpy_backward(ctx, g):
    g = g.detach().numpy()
    h, v = ctx.w.shape[2:]
    gx, gw = np.zeros_like(ctx.x), np.zeros_like(ctx.w)
    for i in range(g.shape[2]):
        for j in range(g.shape[3]):
            gx[:, :, i : i + h, j : j + v] += np.tensordot(g[:, :, i, j], ctx.w, (1, 0))
            gw += np.tensordot(g[:, :, i, j], ctx.x[:, :, i : i + h, j : j + v], (0, 0))
    return mg.tensor(gx), mg.tensor(gw)


def conv_loops(x: Any, w: Any) -> Any:
    """Entry by entry, as the formula says it."""
    N, _, H, W = x.shape
    K, _, h, v = w.shape
    y = mg.zeros(N, K, H - h + 1, W - v + 1, dtype=x.dtype)
    for n in range(N):
        for k in range(K):
            for i in range(H - h + 1):
                for j in range(W - v + 1):
                    y[n, k, i, j] = (x[n, :, i : i + h, j : j + v] * w[k]).sum()
    return y


def scatter_x(g: Any, x: Any, w: Any, place: Callable[..., tuple[int, int]] = lambda p, q, h, v: (p, q)) -> Any:
    """Each entry of the kernel sends its share back to where it came from."""
    gx, (h, v), (H, W) = mg.zeros_like(x), w.shape[2:], g.shape[2:]
    for p in range(h):
        for q in range(v):
            a, b = place(p, q, h, v)
            gx[:, :, a : a + H, b : b + W] += mg.einsum("nkij,kc->ncij", g, w[:, :, p, q])
    return gx


def overwrite_x_again(g: Any, x: Any, w: Any) -> Any:
    gx = mg.zeros_like(x)
    for p, q, window in windows(gx, *g.shape[2:], *w.shape[2:]):
        window.copy_(mg.einsum("kc,nkij->ncij", w[:, :, p, q], g))
    return gx


def scatter_w(g: Any, x: Any, w: Any, rule: str = "nkij,ncij->kc") -> Any:
    H, W = g.shape[2:]
    gw = mg.zeros_like(w)
    for p, q, window in windows(x, H, W, *w.shape[2:]):
        gw[:, :, p, q] = mg.einsum(rule, g, window)
    return gw


def same_size_again(x: Any, w: Any) -> Any:
    (h, v), (H, W) = w.shape[2:], x.shape[2:]
    top, left = (h - 1) // 2, (v - 1) // 2
    columns = mg.cat([mg.zeros(*x.shape[:3], left, dtype=x.dtype), x, mg.zeros(*x.shape[:3], v - 1 - left, dtype=x.dtype)], 3)
    wide = mg.zeros(*x.shape[:2], H + h - 1, W + v - 1, dtype=x.dtype)
    wide[:, :, top : top + H] = columns
    return conv_loops(wide, w)


ALTERNATIVES["14.4"] = {
    "flip and pad": conv(),
    "one product of matrices": conv(forward=as_one_product, x_rule=scatter_x, w_rule=scatter_w),
    "NumPy, once differentiable": function("Conv2D", numpy_forward, numpy_backward),
    "entry by entry": conv(forward=conv_loops),
    "a gradient for each image, which the engine adds": conv(
        w_rule=lambda g, x, w: mg.stack([gradient_w(g[n : n + 1], x[n : n + 1], w) for n in range(len(x))])
    ),
}

AGAIN["14.4"] = {
    "by the library": conv(x_rule=lambda g, x, w: mg.nn.functional.conv_transpose2d(g, w)),
    "the kernel is not flipped": conv(
        x_rule=lambda g, x, w: scatter_x(g, x, w, place=lambda p, q, h, v: (h - 1 - p, v - 1 - q))
    ),
    "float32 inside": conv(forward=lambda x, w: conv_loops(x, w).float()),
    "a true convolution": conv(forward=lambda x, w: conv_loops(x, flipped(w))),
    "padding": conv(forward=same_size_again),
    "channels swapped in the gradient for x": conv(
        x_rule=lambda g, x, w: sum(
            mg.einsum("ncij,kc->nkij", t, flipped(w)[:, :, p, q])
            for p, q, t in windows(padded(g, w.shape[2] - 1, w.shape[3] - 1), *x.shape[2:], *w.shape[2:])
        )
    ),
    "the windows overwrite each other": conv(x_rule=overwrite_x_again),
    "the mean over the images": conv(w_rule=lambda g, x, w: scatter_w(g / len(x), x, w)),
    "one image only": conv(w_rule=lambda g, x, w: scatter_w(g[0][None], x[0][None], w)),
    "height and width swapped": conv(forward=lambda x, w: conv_loops(x, w.transpose(2, 3))),
    "no gradient for w": function(
        "Conv2D",
        lambda ctx, x, w: (ctx.save_for_backward(x, w), conv_loops(x, w))[1],
        lambda ctx, g: (scatter_x(g, *ctx.saved_tensors), None),
    ),
    "the gradient for w is flipped": conv(w_rule=lambda g, x, w: scatter_w(g, x, w).flip((2, 3))),
    "g is forgotten": conv(
        x_rule=lambda g, x, w: scatter_x(g * 0 + 1, x, w), w_rule=lambda g, x, w: scatter_w(g * 0 + 1, x, w)
    ),
    "the gradients have changed places": conv(x_rule=scatter_w, w_rule=scatter_x),
}


# --- 14.5 Write gradcheck -----------------------------------------------------------------------------------


def relative_to_both(numerical: np.ndarray, analytical: np.ndarray, v: Any) -> bool:
    scale = np.maximum(np.abs(numerical), np.abs(analytical))
    return bool(np.all(np.abs(numerical - analytical) <= 1e-3 * scale))


def unused_raises_again(f, inputs):
    for x in inputs:
        if x.requires_grad and x.dtype != mg.float64:
            warnings.warn("not float64", UserWarning, stacklevel=2)
    places = [k for k, x in enumerate(inputs) if x.requires_grad]
    tables = [columns(f, inputs, k) for k in places]
    for i in range(len(tables[0])):
        y = f(*inputs).reshape(-1)[i]
        found = mg.autograd.grad(y, [inputs[k] for k in places])
        if not all(close(J[i], g.numpy().reshape(-1)) for J, g in zip(tables, found, strict=True)):
            return False
    return True


def by_backward(f, inputs):
    for x in inputs:
        if x.requires_grad and x.dtype != mg.float64:
            warnings.warn("single precision", UserWarning, stacklevel=2)
    leaves = [x.detach().clone().requires_grad_(x.requires_grad) for x in inputs]
    for k, x in enumerate(leaves):
        if x.requires_grad:
            J = columns(f, tuple(leaves), k)
            for i in range(len(J)):
                x.grad = None
                y = f(*leaves).reshape(-1)
                if y.requires_grad:
                    y[i].backward()
                if not close(J[i], np.zeros(x.numel()) if x.grad is None else x.grad.numpy().reshape(-1)):
                    return False
    return True


def piling_up_again(f, inputs):
    for x in inputs:
        if x.requires_grad and x.dtype != mg.float64:
            warnings.warn("not in double", UserWarning, stacklevel=2)
    right = True
    for k, x in enumerate(inputs):
        if x.requires_grad:
            J = columns(f, inputs, k, eps=2e-6)
            y = f(*inputs)
            for row, v in zip(J, np.eye(len(J)), strict=True):
                y.backward(mg.tensor(v, dtype=y.dtype).reshape(y.shape), retain_graph=True)
                right &= close(row, mg.zeros_like(x).reshape(-1).numpy() if x.grad is None else x.grad.reshape(-1).numpy())
    return right


def missing_skipped(for_one: bool, altogether: bool) -> Callable[..., bool]:
    def check(f, inputs):
        for x in inputs:
            if x.requires_grad and x.dtype != mg.float64:
                warnings.warn("not in double", UserWarning, stacklevel=2)
        y = f(*inputs)
        if not y.requires_grad:
            tables = [columns(f, inputs, k) for k, x in enumerate(inputs) if x.requires_grad]
            return altogether or all(close(J, 0 * J) for J in tables)
        for k, x in enumerate(inputs):
            if x.requires_grad:
                for v, row in zip(np.eye(y.numel()), columns(f, inputs, k), strict=True):
                    u = mg.tensor(v, dtype=y.dtype).reshape(y.shape)
                    (g,) = mg.autograd.grad(y, x, u, retain_graph=True, allow_unused=True)
                    if g is None and for_one:
                        continue
                    if not close(row, np.zeros(x.numel()) if g is None else g.numpy().reshape(-1)):
                        return False
        return True

    return check


def warned_of_all(f, inputs):
    if {x.dtype for x in inputs} != {mg.float64}:
        warnings.warn("use double precision", UserWarning, stacklevel=2)
    return checker(warn=False)(f, inputs)


ALTERNATIVES["14.5"] = {
    "rows of an identity, in NumPy": checker(),
    "backward, a new graph for each row": by_backward,
    "random cotangents": checker(vectors=lambda m: list(np.random.default_rng(5).normal(size=(4, m)))),
}

AGAIN["14.5"] = {
    "one-sided differences": checker(one_sided=True, eps=1e-7),
    "ones": checker(vectors=ones, one_sided=True, eps=1e-7),
    "one row": checker(vectors=lambda m: [3.0 * np.eye(m)[0]]),
    "the first input only": checker(last=1, eps=2e-6),
    "absolute tolerance": checker(agree=absolute(2e-5)),
    "relative tolerance": checker(agree=relative_to_both),
    "too generous": checker(agree=lambda n, a, v: bool(np.allclose(n, a, rtol=2e-2, atol=1e-3))),
    "no warning": checker(warn=False, eps=2e-6),
    "the gradients pile up": piling_up_again,
    "an unused input": unused_raises_again,
    "a missing gradient passes": missing_skipped(True, True),
    "a missing gradient of one input passes": missing_skipped(True, False),
    "an output without history passes": missing_skipped(False, True),
    "all is well": lambda f, inputs: [checker()(f, inputs)] != [],
    "a warning for a constant": warned_of_all,
    "one good entry is enough": checker(agree=lambda n, a, v: bool(np.isclose(a, n, rtol=1e-3, atol=1e-5).any()), eps=2e-6),
    "the last row": checker(vectors=lambda m: [2.0 * np.eye(m)[-1]], eps=2e-6),
    "a long step": checker(eps=2e-2),
    "too narrow": checker(agree=lambda n, a, v: bool(np.all(np.abs(n - a) <= 1e-5 + 1e-5 * np.abs(n))), eps=2e-6),
}


# --- 14.6 once_differentiable -------------------------------------------------------------------------------


# --- 14.7 Twice? --------------------------------------------------------------------------------------------


def twice_one_direction(f, x, of=lambda t: t, **options):
    u = mg.tensor(np.random.default_rng(2).normal(size=tuple(x.shape)))
    v = mg.tensor(np.random.default_rng(3).normal(size=tuple(f(x).shape)))
    z, g = slope(f, x, v)
    ends = [slope(f, x.detach() + s * u, v)[1].detach() for s in (1e-6, -1e-6)]
    numerical = (ends[0] - ends[1]) / 2e-6
    found = mg.autograd.grad(g, z, u, **(options or {"allow_unused": True}))[0] if g.requires_grad else None
    return bool(mg.allclose(of(numerical), of(mg.zeros_like(z) if found is None else found), rtol=1e-3, atol=1e-5))


def one_direction_caught(f, x):
    try:
        return twice_one_direction(f, x, allow_unused=False)
    except RuntimeError:
        return False


def has_node(f, x):
    (g,) = mg.autograd.grad(f(x).sum(), x, create_graph=True)
    return g.grad_fn is not None


def raises_nothing_again(f, x):
    g = slope(f, x, mg.ones_like(f(x)).detach())
    try:
        return bool(mg.autograd.grad(g[1].sum(), g[0])[0] is not None)
    except RuntimeError:
        return False


def raises_nothing_backward_again(f, x):
    z, g = slope(f, x, mg.ones_like(f(x)).detach())
    try:
        g.backward(mg.ones_like(g).detach())
    except RuntimeError:
        return False
    return z.grad is not None


def first_only_again(f, x):
    v = mg.tensor(np.random.default_rng(4).normal(size=tuple(f(x).shape)))
    return close(v.numpy().reshape(-1) @ columns(f, (x,), 0), slope(f, x, v)[1].detach().numpy().reshape(-1))


def not_caught(f, x):
    v = mg.ones_like(f(x)).detach()
    z, g = slope(f, x, v)
    if not g.requires_grad:
        return close(differ(f, x, v), np.zeros(()))
    found = [mg.autograd.grad(entry, z, retain_graph=True)[0].numpy().reshape(-1) for entry in g.reshape(-1)]
    return close(differ(f, x, v), np.stack(found))


def answered_with_true(f, x):
    try:
        return not_caught(f, x)
    except Exception:
        return True


def false_where_it_raises(check: Callable[..., bool]) -> Callable[..., bool]:
    def checked(f, x):
        try:
            return check(f, x)
        except RuntimeError:
            return False

    return checked


ALTERNATIVES["14.7"] = {
    "all rows": false_where_it_raises(twice_checker()),
    "one random direction": false_where_it_raises(twice_one_direction),
}

def raising_is_right(f, x):
    z = x.detach().clone().requires_grad_()
    v = mg.linspace(0.7, 1.9, f(z).numel(), dtype=z.dtype).reshape(f(z).shape)
    (g,) = mg.autograd.grad(f(z), z, v, create_graph=True)
    H = differ(f, x, v)
    for row, i in zip(H, range(z.numel()), strict=True):
        try:
            found = mg.autograd.grad(g.reshape(-1)[i], z, retain_graph=True)[0]
        except RuntimeError:
            return True
        if not close(row, found.numpy().reshape(-1)):
            return False
    return True


def twice_of_entry(k: int) -> Callable[..., bool]:
    def check(f, x):
        v = mg.tensor(np.random.default_rng(3).normal(size=tuple(f(x).shape)))
        z, g = slope(f, x, v)
        H = differ(f, x, v)
        if not g.requires_grad:
            return close(H, 0 * H)
        (found,) = mg.autograd.grad(g.reshape(-1)[k], z, allow_unused=True)
        return close(H[k], 0 * H[k] if found is None else found.numpy().reshape(-1))

    return check


AGAIN["14.7"] = {
    "it has a graph": has_node,
    "it raised nothing": raises_nothing_again,
    "backward raised nothing": raises_nothing_backward_again,
    "the first derivative only": first_only_again,
    "a straight line": lambda f, x: has_graph(f, x) and twice_one_direction(f, x),
    "an error gets out": not_caught,
    "an error is answered with False": one_direction_caught,
    "the sizes are compared": lambda f, x: twice_one_direction(f, x, abs),
    "an error is answered with True": answered_with_true,
    "an error, and no graph, are answered with True": raising_is_right,
    "the first entry only": twice_of_entry(0),
    "the last entry only": twice_of_entry(-1),
}


# --- 14.8 save_for_backward or attribute? -------------------------------------------------------------------


def keep_tuple(ctx, x, h, n):
    ctx.kept = (x, h, n)


def keep_arrays(ctx, x, h, n):
    ctx.x, ctx.h, ctx.n = mg.tensor(x.detach().numpy().copy()), mg.tensor(h.detach().numpy().copy()), n


def keep_x_and_rest(ctx, x, h, n):
    ctx.save_for_backward(x)
    ctx.rest = h, n


def keep_h_and_rest(ctx, x, h, n):
    ctx.save_for_backward(h)
    ctx.rest = x, n


def keep_n_as_tensor(ctx, x, h, n):
    ctx.save_for_backward(x, h, mg.tensor(n))


class PowerInTwoParts(mg.autograd.Function):
    @staticmethod
    def forward(x, h, n):
        return h.pow(n).mul(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        *tensors, ctx.n = inputs
        ctx.save_for_backward(*tensors)

    @staticmethod
    def backward(ctx, g):
        x, h = ctx.saved_tensors
        return h.pow(ctx.n) * g, ctx.n * x * h.pow(ctx.n - 1) * g, None


def slope_for_n(g, x, h, n):
    return g * h**n, g * n * x * h ** (n - 1), g * x * h**n * mg.log(h)


class PowerOfTheClass(mg.autograd.Function):
    n = 0

    @staticmethod
    def forward(ctx, x, h, n):
        PowerOfTheClass.n = n
        ctx.save_for_backward(x, h)
        return h.pow(n) * x

    @staticmethod
    def backward(ctx, g):
        x, h = ctx.saved_tensors
        n = PowerOfTheClass.n
        return h.pow(n) * g, x * g * n * h ** (n - 1), None


ALTERNATIVES["14.8"] = {
    "in two parts": PowerInTwoParts,
    "a helper for the rule": power(keep_well, read_well),
}

AGAIN["14.8"] = {
    "the exponent stays": power(keep_well, read_well, lambda g, x, h, n: (h.pow(n) * g, n * h**n * x * g, None)),
    "one n for all calls": PowerOfTheClass,
    "attributes": power(keep_tuple, read_tuple),
    "copies": power(keep_arrays, read_attributes),
    "copies are saved": power(lambda ctx, x, h, n: keep_well(ctx, x * 1, h * 1, n), read_well),
    "the number is saved": power(lambda ctx, x, h, n: ctx.save_for_backward(h, x, n), lambda ctx: ctx.saved_tensors),
    "h is an attribute": power(keep_x_and_rest, lambda ctx: (ctx.saved_tensors[0], *ctx.rest)),
    "x is an attribute": power(keep_h_and_rest, lambda ctx: (ctx.rest[0], *ctx.saved_tensors, ctx.rest[1])),
    "g is forgotten": power(keep_well, read_well, lambda g, x, h, n: (h.pow(n), n * h ** (n - 1) * x, None)),
    "g is forgotten for h": power(keep_well, read_well, lambda g, x, h, n: (h.pow(n) * g, n * h ** (n - 1) * x, None)),
    "the factor n is missing": power(keep_well, read_well, lambda g, x, h, n: (h**n * g, x * g * h ** (n - 1), None)),
    "divided by h": power(keep_well, read_well, lambda g, x, h, n: (h**n * g, n / h * (x * h**n) * g, None)),
    "two gradients": power(keep_well, read_well, lambda g, x, h, n: (h**n * g, n * h ** (n - 1) * x * g)),
    "the number is saved as a Tensor": power(keep_n_as_tensor, lambda ctx: (*ctx.saved_tensors[:2], ctx.saved_tensors[2].item())),
    "a gradient for the number": power(keep_n_as_tensor, lambda ctx: ctx.saved_tensors, slope_for_n),
    "the gradients have changed places": power(keep_well, read_well, lambda g, x, h, n: (n * h ** (n - 1) * x * g, h**n * g, None)),
}


# --- 14.9 needs_input_grad ----------------------------------------------------------------------------------


def define_by_ifs(f, *rules):
    def give(ctx, g, rules):
        found: list[Any] = [None] * len(rules)
        for k, needed in enumerate(ctx.needs_input_grad):
            if needed:
                found[k] = rules[k](g, *ctx.saved_tensors)
        return tuple(found)

    return defined(f, rules, give).apply


def give_all_then_drop(ctx, g, rules):
    found = [rule(g, *ctx.saved_tensors) for rule in rules]
    return tuple(t if needed else None for t, needed in zip(found, ctx.needs_input_grad, strict=True))


def give_short_again(ctx, g, rules):
    found = []
    for k, rule in enumerate(rules):
        if ctx.needs_input_grad[k]:
            found += [rule(g, *ctx.saved_tensors)]
    return tuple(found)


def define_shared_again(f, *rules):
    class Defined(mg.autograd.Function):
        inputs: tuple = ()

        @staticmethod
        def forward(ctx, *inputs):
            Defined.inputs = inputs
            return f(*inputs)

        @staticmethod
        def backward(ctx, g):
            return tuple(
                rule(g, *Defined.inputs) if needed else None for rule, needed in zip(rules, ctx.needs_input_grad, strict=True)
            )

    return Defined.apply


def give_ones_again(ctx, g, rules):
    return give_needed(ctx, g * 0 + 1, rules)


def define_by_names(f, *rules):
    class Defined(mg.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            ctx.kept = list(inputs)
            return f(*inputs)

        @staticmethod
        def backward(ctx, g):
            return tuple(rules[k](g, *ctx.kept) if needed else None for k, needed in enumerate(ctx.needs_input_grad))

    return Defined.apply


ALTERNATIVES["14.9"] = {"a list, filled where needed": define_by_ifs}

AGAIN["14.9"] = {
    "all the work": lambda f, *rules: defined(f, rules, give_all_then_drop).apply,
    "too few entries": lambda f, *rules: defined(f, rules, give_short_again).apply,
    "a list": lambda f, *rules: defined(f, rules, lambda ctx, g, rules: [*give_needed(ctx, g, rules)]).apply,
    "one memory for all calls": define_shared_again,
    "g is replaced": lambda f, *rules: defined(f, rules, give_ones_again).apply,
    "an attribute": define_by_names,
    "the class is returned": lambda f, *rules: type("Other", (defined(f, rules, give_needed),), {}),
}
