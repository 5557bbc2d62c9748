"""Your own Function; gradcheck; once_differentiable.

Exercises 14.1 to 14.9: what forward and backward owe to the engine, and how to find out whether they pay.
"""

from __future__ import annotations

import contextlib
import gc
import warnings
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch14 import contract_card, fit, fit_picture  # noqa: F401

once_differentiable = mg.autograd.function.once_differentiable


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)


def function(name: str, forward: Callable[..., Any], backward: Callable[..., Any]) -> Any:
    """A Function with these two methods."""
    return type(name, (mg.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


def applied(answer: Any, *args: Any) -> Any:
    """What a learner's Function gives."""
    if not issubclass(answer, mg.autograd.Function):
        raise TypeError(f"{answer.__name__} is no Function: begin with class {answer.__name__}(mg.autograd.Function):")
    return answer.apply(*args)


def no_output(y: Any) -> Any:
    return unfit(y, "a class whose forward returns a Tensor")


NO_SECOND = "none, the gradient has no graph to x"


def derivative_of(g: Any, x: Any, u: Any) -> Any:
    """The gradient of g · u, or in words that there is none."""
    if not g.requires_grad:
        return NO_SECOND
    (h,) = mg.autograd.grad(g, x, u, allow_unused=True)
    return NO_SECOND if h is None else h


def derivatives(answer: Any, x: Any, v: Any, u: Any) -> Any:
    """Output, vjp and second derivative of a Function of one Tensor."""
    y = applied(answer, x)
    if not isinstance(y, mg.Tensor):
        return no_output(y)
    seen: dict[str, Any] = {"output": y.detach().clone(), "requires_grad of the output": y.requires_grad}
    if y.requires_grad:
        applied(answer, x.detach() + 1)  # what is kept on the class, and not in ctx, is overwritten
        (g,) = mg.autograd.grad(y, x, v, create_graph=True)
        seen["vᵀJ"] = g.detach().clone()
        seen["second derivative"] = derivative_of(g, x, u)
    return seen


def points(rng: np.random.Generator, dtype: Any, *shape: int) -> tuple[Any, Any, Any]:
    """A leaf, a cotangent of its shape, and one for the second pass."""
    return tuple(random_tensor(rng, dtype, *shape, leaf=leaf) for leaf in (True, False, False))  # type: ignore[return-value]


@contextlib.contextmanager
def without(room: Any, *names: str) -> Iterator[None]:
    """These functions of the library are out of reach."""

    def refuse(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(f"{' and '.join(names)} are not available here: write your own")

    kept = {name: getattr(room, name) for name in names}
    try:
        for name in names:
            setattr(room, name, refuse)
        yield
    finally:
        for name, value in kept.items():
            setattr(room, name, value)


FORGOTTEN = (
    "Your `backward` returns the derivative, but not multiplied by `g`. It owes a **VJP**: the cotangent that comes in, times "
    "the derivative. With `y.sum().backward()` nobody notices, since there `g` is all ones."
)
DEAD = (
    "The first derivative is right, the second is dead, **without an error**. Your `backward` multiplies by a number that has "
    "no history: a NumPy array, or a Tensor that `forward` computed on the way (nothing is recorded inside `forward`). Only "
    "the inputs and the Tensor that `forward` *returns* know how they hang on x. Save one of those with "
    "`ctx.save_for_backward`, and compute with Tensors. (`@once_differentiable` does the same: leave it out.)"
)
NO_RETURN = (
    "Your `backward` returns None, which means: no gradient for this input. So the engine finds no way to x, and says that x "
    "was *not used*. Did you forget `return`?"
)


# --- 14.1 Exp ---------------------------------------------------------------------------------------------------------


class Exp(mg.autograd.Function):
    """eˣ, entry by entry. It saves its output."""

    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y


EXP_STARTER = '''\
class Exp(mg.autograd.Function):
    """eˣ, entry by entry. It saves its output."""

    @staticmethod
    def forward(ctx, x):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def exp_forward(ctx, x):
    y = x.exp()
    ctx.save_for_backward(y)
    return y


def exp_saves_x(ctx, x):
    ctx.save_for_backward(x)
    return mg.exp(x)


def exp_keeps_y(ctx, x):
    ctx.y = x.exp()
    return ctx.y


def exp_keeps_intermediate(ctx, x):
    ctx.e = x.exp()
    return ctx.e * 1


def exp_saves_intermediate(ctx, x):
    e = x.exp()
    ctx.save_for_backward(e)
    return e.clone()


def exp_numpy(ctx, x):
    ctx.e = np.exp(x.detach().numpy())
    return mg.tensor(ctx.e)


def times_saved(ctx, g):
    return ctx.saved_tensors[0] * g


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


def exp_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("a vector", points(rng, dtype, 4)),
        Case("a table", points(rng, dtype, 2, 3)),
        Case("a number", points(rng, dtype)),
    ]


def watch_exp(answer: Any, x: Any, v: Any, u: Any) -> Any:
    seen = derivatives(answer, x, v, u)
    if not isinstance(seen, dict):
        return seen
    y = applied(answer, x)
    saved = [t for t in getattr(y.grad_fn, "saved_tensors", ()) if t is not None]
    seen["cost_saves_input"] = any(t is x for t in saved)
    was_on = gc.isenabled()
    gc.disable()  # without the collector, what is in a cycle stays
    try:
        alive = weakref.ref(y)
        del y, saved
        seen["cost_cycle"] = alive() is not None
    finally:
        if was_on:
            gc.enable()
    return seen


def exp_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def at(label: str, x: Any) -> Case:
        return Case(label, (mg.tensor(x, dtype=dtype, requires_grad=True), *(random_tensor(rng, dtype, *np.shape(x)) for _ in "vu")))

    return [at("0 and negative numbers", [0.0, -2.0, -30.0]), at("one number, shape (1,)", [0.5]), at("0, shape ()", 0.0)]


register(
    Exercise(
        id="14.1",
        title="Exp",
        difficulty=2,
        minutes=6,
        reference=Exp,
        starter=EXP_STARTER,
        cases=exp_cases,
        edges=exp_edges,
        observe=watch_exp,
        alternatives={
            "the other order": function("Exp", exp_forward, times_saved),
            "forward in two parts": ExpInTwoParts,
        },
        wasteful={
            "exp twice": Mistake(
                function("Exp", exp_saves_x, lambda ctx, g: g * ctx.saved_tensors[0].exp()),
                "You save the input. The **output** is all that `backward` needs: save that, and nothing else, and no exponential "
                "is computed twice.",
                again=function("Exp", exp_saves_x, lambda ctx, g: mg.exp(ctx.saved_tensors[0]) * g),
            ),
            "a cycle": Mistake(
                function("Exp", exp_keeps_y, lambda ctx, g: g * ctx.y),
                "Right, and differentiable twice. But `ctx.y` makes a **reference cycle**: the output holds its node, `ctx` is that "
                "node, and it holds the output. Such memory waits for the garbage collector. Nor does anybody notice when the "
                "output is overwritten. `ctx.save_for_backward(y)` has neither problem.",
                again=function("Exp", exp_keeps_y, lambda ctx, g: mg.mul(ctx.y, g)),
            ),
        },
        mistakes={
            "saved_tensors is a tuple": Mistake(
                function("Exp", exp_forward, lambda ctx, g: g * ctx.saved_tensors),
                "`ctx.saved_tensors` is a **tuple**, also when only one Tensor was saved. Take it out: `(y,) = ctx.saved_tensors`.",
                again=function("Exp", exp_forward, lambda ctx, grad_output: grad_output * ctx.saved_tensors),
            ),
            "g is forgotten": Mistake(
                function("Exp", exp_forward, lambda ctx, g: ctx.saved_tensors[0]),
                FORGOTTEN,
                again=function("Exp", exp_forward, lambda ctx, g: ctx.saved_tensors[0].clone()),
            ),
            "g is forgotten, from x": Mistake(
                function("Exp", exp_saves_x, lambda ctx, g: ctx.saved_tensors[0].exp()),
                FORGOTTEN,
                again=function("Exp", exp_saves_x, lambda ctx, g: (mg.exp(*ctx.saved_tensors),)),
            ),
            "the second derivative is dead": Mistake(
                function("Exp", exp_keeps_intermediate, lambda ctx, g: g * ctx.e),
                DEAD,
                again=function("Exp", exp_saves_intermediate, times_saved),
            ),
            "NumPy inside": Mistake(
                function("Exp", exp_numpy, lambda ctx, g: mg.tensor(g.detach().numpy() * ctx.e)),
                DEAD,
                again=function("Exp", exp_forward, times_saved_numpy),
            ),
            "the input is taken for the output": Mistake(
                function("Exp", exp_saves_x, times_saved),
                "Your `backward` multiplies by x. The derivative of eˣ is eˣ, the **output**: save what `forward` returns.",
                again=function("Exp", exp_saves_x, lambda ctx, g: g.mul(*ctx.saved_tensors)),
            ),
            "backward returns nothing": Mistake(
                function("Exp", exp_forward, lambda ctx, g: None),
                NO_RETURN,
                again=function("Exp", exp_saves_x, lambda ctx, g: (None,)),
            ),
        },
        hints=(
            "`forward` computes, and lays aside what `backward` will need. `backward` gets the cotangent `g` of the output and "
            "returns the cotangent of x: g times the derivative. What is the derivative of eˣ, and where have you got it already?",
            "```text\n forward    x ──exp──► y ──►\n                      │ save\n backward   ◄── g · y ◄── g\n```",
            "```python\n@staticmethod\ndef forward(ctx, x):\n    y = ___\n    ctx.save_for_backward(___)\n    return y\n\n"
            "@staticmethod\ndef backward(ctx, g):\n    (y,) = ctx.saved_tensors\n    return ___\n```",
        ),
        explanation="""\
The derivative of eˣ is the output itself, so the output is what to save. The engine's own `exp` does the same.

`forward` runs without recording. Everything that you compute in it is a plain number for the engine, except the Tensor that
you **return**: that one gets `ExpBackward` as its `grad_fn` when `forward` is over. So when `backward` runs with
`create_graph=True` and computes `g * y`, the engine can go on from `y`, through `ExpBackward`, to x. That is why the second
derivative works, and the third.

With an intermediate result, or with a NumPy array, `g * e` is a product with a constant. Its derivative is zero, or there is
none, and no error says so. `gradgradcheck` does.
""",
    )
)


# --- 14.2 GradCoeff ---------------------------------------------------------------------------------------------------


class GradCoeff(mg.autograd.Function):
    """x as it is; the gradient that comes back is multiplied by the number coeff."""

    @staticmethod
    def forward(ctx, x, coeff):
        ctx.coeff = coeff
        return x.view_as(x)

    @staticmethod
    def backward(ctx, g):
        return ctx.coeff * g, None


GRADCOEFF_STARTER = '''\
class GradCoeff(mg.autograd.Function):
    """x as it is; the gradient that comes back is multiplied by the number coeff."""

    @staticmethod
    def forward(ctx, x, coeff):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def coeff_view(ctx, x, coeff):
    ctx.coeff = coeff
    return x.view_as(x)


def coeff_clone(ctx, x, c):
    ctx.coeff = c
    return x.clone()


def coeff_same(ctx, x, c):
    ctx.coeff = c
    return x


def coeff_scaled(ctx, x, c):
    ctx.coeff = c
    return c * x


def coeff_saved(ctx, x, c):
    ctx.save_for_backward(c)
    return x.clone()


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


def coeff_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [Case(f"coeff = {c:.3g}", (*points(rng, dtype, 3, 2), c)) for c in (-1.0, 0.0, 0.5, rng.uniform(1.5, 3))]


def watch_coeff(answer: Any, x: Any, v: Any, u: Any, coeff: float) -> Any:
    y = applied(answer, x, coeff)
    if not isinstance(y, mg.Tensor):
        return no_output(y)
    seen: dict[str, Any] = {"output": y.detach().clone(), "requires_grad of the output": y.requires_grad}
    if y.requires_grad:
        (g,) = mg.autograd.grad(y, x, v, retain_graph=True)
        seen["the gradient for x"] = g
        x.grad = None
        head, other = (v * x).sum(), (u * applied(answer, x, coeff)).sum()
        (head + other).backward()
        seen["the gradient of two heads"] = x.grad
        first, second = applied(answer, x, coeff), applied(answer, x, coeff + 1)
        (both,) = mg.autograd.grad((v * first).sum() + (u * second).sum(), x)
        seen["the gradient of two calls, with two numbers"] = both
    return seen


ONE_FOR_EACH = (
    "`forward` takes two arguments, x and coeff, so `backward` owes **two** gradients, in that order. coeff is a plain number "
    "and gets None: `return …, None`."
)
COEFF_FORWARD = (
    "Your *output* is multiplied too. `forward` hands x on as it is; only the way back is changed. (With both, gradcheck "
    "would be content, and nothing would be reversed.)"
)

def coeff_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("coeff = 2, a whole number, and one number in x", (*points(rng, dtype), 2)),
        Case("coeff = 1, shape (1,)", (*points(rng, dtype, 1), 1.0)),
    ]


register(
    Exercise(
        id="14.2",
        title="GradCoeff, the gradient reversal",
        difficulty=2,
        minutes=6,
        reference=GradCoeff,
        starter=GRADCOEFF_STARTER,
        cases=coeff_cases,
        edges=coeff_edges,
        observe=watch_coeff,
        may_change_inputs=True,  # .grad of x is set; x itself is compared as the output
        alternatives={
            "a clone": function("GradCoeff", coeff_clone, lambda ctx, g: (g * ctx.coeff, None)),
            "x itself": function("GradCoeff", coeff_same, lambda ctx, g: (g.mul(ctx.coeff), None)),
            "in two parts": CoeffInTwoParts,
        },
        mistakes={
            "one gradient": Mistake(
                function("GradCoeff", coeff_view, lambda ctx, g: ctx.coeff * g),
                ONE_FOR_EACH,
                again=function("GradCoeff", coeff_clone, lambda ctx, g: (g.mul(ctx.coeff),)),
            ),
            "the output is scaled": Mistake(
                function("GradCoeff", coeff_scaled, lambda ctx, g: (ctx.coeff * g, None)),
                COEFF_FORWARD,
                again=function("GradCoeff", lambda ctx, x, c: coeff_same(ctx, x, c).mul(c), lambda ctx, g: (g * ctx.coeff, None)),
            ),
            "the honest gradient": Mistake(
                function("GradCoeff", coeff_view, lambda ctx, g: (g, None)),
                "Your gradient is that of the identity. gradcheck likes it, and it reverses nothing. Here `backward` is **meant** "
                "to disagree with `forward`: return coeff times g. gradcheck must fail, and you can say why.",
                again=function("GradCoeff", coeff_clone, lambda ctx, g: (g.clone(), None)),
            ),
            "a gradient for the number": Mistake(
                function("GradCoeff", coeff_view, lambda ctx, g: (ctx.coeff * g, g.sum())),
                "You returned a gradient for coeff. It is a plain number, not a Tensor, and nobody wants its gradient: the second "
                "entry must be None.",
                again=function("GradCoeff", coeff_clone, lambda ctx, g: (g * ctx.coeff, mg.ones(1))),
            ),
            "the sign twice": Mistake(
                function("GradCoeff", coeff_view, lambda ctx, g: (-ctx.coeff * g, None)),
                "The sign is turned once too often. The coefficient carries its own sign: with coeff = −1 the gradient is −g.",
                again=function("GradCoeff", coeff_same, lambda ctx, g: (g * ctx.coeff * -1, None)),
            ),
            "always the other sign": Mistake(
                function("GradCoeff", coeff_view, lambda ctx, g: (-g, None)),
                "You turn the sign, whatever coeff is. That is right for coeff = −1 only: return coeff times g.",
                again=function("GradCoeff", coeff_clone, lambda ctx, g: (g.neg(), None)),
            ),
            "the cotangent is overwritten": Mistake(
                function("GradCoeff", coeff_view, lambda ctx, g: (g.mul_(ctx.coeff), None)),
                "You multiply `g` **in place**. It is not yours: the other branches of the graph may get the same Tensor, and theirs "
                "is changed with it. Make a new one: `ctx.coeff * g`.",
                again=function("GradCoeff", coeff_clone, lambda ctx, g: (g.copy_(g * ctx.coeff), None)),
            ),
            "a number is saved": Mistake(
                function("GradCoeff", coeff_saved, lambda ctx, g: (ctx.saved_tensors[0] * g, None)),
                "`ctx.save_for_backward` is for **Tensors** only. A plain number cannot be overwritten, so it needs no guard: "
                "lay it aside as an attribute, `ctx.coeff = coeff`.",
                again=function("GradCoeff", coeff_saved, lambda ctx, g: (g, None)),
            ),
        },
        hints=(
            "`forward` lets x through, `backward` lets the gradient through, multiplied. How many arguments has `forward`? So "
            "many gradients does `backward` owe.",
            "```text\n forward    x ─────────► x        coeff ──► ctx.coeff\n backward   coeff · g ◄── g       None\n```",
            "```python\n@staticmethod\ndef forward(ctx, x, coeff):\n    ctx.coeff = ___\n    return x.view_as(x)\n\n"
            "@staticmethod\ndef backward(ctx, g):\n    return ___, ___\n```",
        ),
        explanation="""\
Each argument of `forward` gets one entry of what `backward` returns, be it a Tensor or not. For a plain number the entry is
None. Return one value for two arguments, and the engine says *incorrect number of gradients (expected 2, got 1)*.

gradcheck rejects this Function, except with coeff = 1: by differences the output follows x, and the gradient says something
else. It is wrong by design. Such a layer stands between a trunk and a second head. With coeff = −1 the head gets better at
its task, and the trunk is pushed to make the task impossible: that is how one trains features that do *not* tell, for example,
which camera took a picture.
""",
    )
)


# --- 14.3 LegendrePolynomial3 -----------------------------------------------------------------------------------------


class LegendrePolynomial3(mg.autograd.Function):
    """P₃(x) = ½ (5x³ − 3x), entry by entry. x may be a plain number; then so is the result."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x**3 - 3 * x)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 1.5 * (5 * x**2 - 1)


LEGENDRE_STARTER = '''\
class LegendrePolynomial3(mg.autograd.Function):
    """P₃(x) = ½ (5x³ − 3x), entry by entry. x may be a plain number; then so is the result."""

    @staticmethod
    def forward(ctx, x):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def legendre_forward(ctx, x):
    ctx.save_for_backward(x)
    return (5 * x**3 - 3 * x) / 2


def legendre_by(rule: Callable[[Any], Any]) -> Any:
    """A Function whose derivative is this rule of x, times g."""
    return function("LegendrePolynomial3", legendre_forward, lambda ctx, g: g * rule(ctx.saved_tensors[0]))


def legendre_slope_saved(ctx, x):
    ctx.slope = 7.5 * x**2 - 1.5
    return 2.5 * x**3 - 1.5 * x


def legendre_slope_saved_again(ctx, x):
    slope = 1.5 * (5 * x * x - 1)
    ctx.save_for_backward(slope)
    return 0.5 * (5 * x**3 - 3 * x)


def legendre_doubled(ctx, x):
    ctx.save_for_backward(x)
    return 5 * x**3 - 3 * x


def legendre_p2(ctx, x):
    ctx.save_for_backward(x)
    return 0.5 * (3 * x**2 - 1)


def legendre_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    x = mg.tensor(np.linspace(-np.pi, np.pi, 40), dtype=dtype)
    y = mg.sin(rng.uniform(0.9, 1.1) * x)
    return [
        Case("the function: a vector", (*points(rng, dtype, 5), None)),
        Case("the function: a table", (*points(rng, dtype, 3, 2), None)),
        Case("the function: a plain number", (float(rng.uniform(0.5, 2)), None, None, None)),
        Case("the fit: a sine of another frequency", (x, y, None, 200)),
    ]


def watch_legendre(answer: Any, x: Any, v: Any, u: Any, steps: int | None) -> Any:
    if isinstance(x, float):
        y = applied(answer, x)
        return {"output": y} if isinstance(y, float) else unfit(y, "a plain number, as x is one here")
    if steps is None:
        return derivatives(answer, x, v, u)
    y = applied(answer, x)
    if not isinstance(y, mg.Tensor):
        return no_output(y)
    loss = fit(answer.apply, x, v, steps, library=mg)[1][-1]
    return {"loss after the fit": "below 0.05" if loss < 0.05 else "0.05 or more, or not a number"}


def legendre_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def at(label: str, x: Any) -> Case:
        leaf = mg.tensor(x, dtype=dtype, requires_grad=True)
        return Case(f"the function: {label}", (leaf, *(random_tensor(rng, dtype, *np.shape(x)) for _ in "vu"), None))

    return [
        at("0, and numbers of both signs", [0.0, -1.5, 1.0]),
        at("one number of shape ()", -0.5),
        Case("the function: the plain number 0", (0.0, None, None, None)),
        Case("the function: a negative plain number", (-1.5, None, None, None)),
    ]


register(
    Exercise(
        id="14.3",
        title="A cubic of one's own",
        difficulty=2,
        minutes=8,
        reference=LegendrePolynomial3,
        starter=LEGENDRE_STARTER,
        cases=legendre_cases,
        edges=legendre_edges,
        observe=watch_legendre,
        alternatives={
            "the brackets opened": legendre_by(lambda x: 7.5 * x**2 - 1.5),
            "by products": function(
                "LegendrePolynomial3",
                lambda ctx, x: (ctx.save_for_backward(x), x * (2.5 * x * x - 1.5))[1],
                lambda ctx, g: 0.5 * (15 * ctx.saved_tensors[0] * ctx.saved_tensors[0] - 3) * g,
            ),
        },
        mistakes={
            "a factor 3 is lost": Mistake(
                legendre_by(lambda x: 0.5 * (5 * x**2 - 1)),
                "A factor 3 is lost. x³ gives **3**x², and −3x gives −3: the derivative of ½(5x³ − 3x) is ½(15x² − 3).",
                again=legendre_by(lambda x: 2.5 * x * x - 0.5),
            ),
            "the output as derivative": Mistake(
                legendre_by(lambda x: 0.5 * (5 * x**3 - 3 * x)),
                "Your `backward` multiplies by P₃(x) itself. That is right for exp, which is its own derivative, and for hardly "
                "anything else. Here it is ½(15x² − 3).",
                again=legendre_by(lambda x: 2.5 * x**3 - 1.5 * x),
            ),
            "g is forgotten": Mistake(
                function("LegendrePolynomial3", legendre_forward, lambda ctx, g: 1.5 * (5 * ctx.saved_tensors[0] ** 2 - 1)),
                FORGOTTEN,
                again=function("LegendrePolynomial3", legendre_forward, lambda ctx, g: 7.5 * ctx.saved_tensors[0] ** 2 - 1.5),
            ),
            "the second derivative is dead": Mistake(
                function("LegendrePolynomial3", legendre_slope_saved, lambda ctx, g: g * ctx.slope),
                DEAD,
                again=function("LegendrePolynomial3", legendre_slope_saved_again, times_saved),
            ),
            "the half": Mistake(
                function("LegendrePolynomial3", legendre_doubled, lambda ctx, g: g * (15 * ctx.saved_tensors[0] ** 2 - 3)),
                "Your output is twice P₃: the factor ½ is missing.",
                again=function("LegendrePolynomial3", legendre_doubled, lambda ctx, g: 3 * g * (5 * ctx.saved_tensors[0] ** 2 - 1)),
            ),
            "a Tensor's methods": Mistake(
                function(
                    "LegendrePolynomial3",
                    lambda ctx, x: (ctx.save_for_backward(x), (5 * x.pow(3) - 3 * x) / 2)[1],
                    lambda ctx, g: g * (7.5 * ctx.saved_tensors[0] ** 2 - 1.5),
                ),
                "With a Tensor all is well. But here x is a plain number, and that has no methods such as `x.pow`. Operators serve "
                "both: `x**3`. (`ctx.save_for_backward(x)` does not mind: without a Tensor that requires grad nothing is recorded.)",
                again=function(
                    "LegendrePolynomial3",
                    lambda ctx, x: (ctx.save_for_backward(x), 2.5 * x.pow(3) - x.mul(1.5))[1],
                    lambda ctx, g: (7.5 * ctx.saved_tensors[0].pow(2) - 1.5).mul(g),
                ),
            ),
            "the half, on the way back": Mistake(
                legendre_by(lambda x: 15 * x**2 - 3),
                "Your gradient is twice what it should be: the factor ½ of P₃ stays in its derivative, ½(15x² − 3).",
                again=legendre_by(lambda x: 3 * (5 * x * x - 1)),
            ),
            "another polynomial": Mistake(
                function("LegendrePolynomial3", legendre_p2, lambda ctx, g: g * 3 * ctx.saved_tensors[0]),
                "That is P₂, a parabola. P₃ is the cubic ½(5x³ − 3x).",
                again=function("LegendrePolynomial3", legendre_p2, lambda ctx, g: 3 * ctx.saved_tensors[0] * g),
            ),
            "backward returns nothing": Mistake(
                function("LegendrePolynomial3", legendre_forward, lambda ctx, g: None),
                NO_RETURN,
                again=function("LegendrePolynomial3", legendre_forward, lambda ctx, g: (None,)),
            ),
        },
        hints=(
            "Differentiate ½(5x³ − 3x) on paper first. The derivative contains x, so x is what `backward` needs: an input. And "
            "`backward` returns it times g.",
            "```text\n forward    x ──► ½(5x³ − 3x)\n            │ save\n backward   g · ½(15x² − 3) ◄── g\n```",
            "```python\n@staticmethod\ndef forward(ctx, x):\n    ctx.save_for_backward(___)\n    return 0.5 * (5 * x**3 - 3 * x)\n\n"
            "@staticmethod\ndef backward(ctx, g):\n    (x,) = ctx.saved_tensors\n    return g * ___\n```",
        ),
        explanation="""\
The derivative is ½(15x² − 3) = 1.5(5x² − 1). It needs the input, so the input is saved.

Nothing but first derivatives is needed for the fit. Still, `backward` is written in Tensor operations on a saved input, and
so the second derivative, 15x, comes for free.

In this fit a and c stay 0, for the data are odd. b and d find the stretch that makes the cubic look like one period of a
sine. With a factor 3 lost the fit would still go down, more slowly: a loss that falls is no proof of a gradient. Use gradcheck.
""",
    )
)


# --- 14.4 Conv2D by hand ----------------------------------------------------------------------------------------------


class Conv2D(mg.autograd.Function):
    """The convolution of images x, shape (N, C, H, W), with kernels w, shape (K, C, h, v): no padding, steps of 1.

    y[n, k, i, j] is the sum of x[n, c, i + p, j + q] * w[k, c, p, q] over c, p, q. Shape (N, K, H - h + 1, W - v + 1).
    """

    @staticmethod
    def forward(ctx, x, w):
        ctx.save_for_backward(x, w)
        H, W = x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1
        y = mg.zeros(x.shape[0], w.shape[0], H, W, dtype=x.dtype)
        for p in range(w.shape[2]):
            for q in range(w.shape[3]):
                window = x[:, :, p : p + H, q : q + W]
                y += mg.einsum("ncij,kc->nkij", window, w[:, :, p, q])
        return y

    @staticmethod
    def backward(ctx, g):
        x, w = ctx.saved_tensors
        H, W = g.shape[2:]
        gx, gw = mg.zeros_like(x), mg.zeros_like(w)
        for p in range(w.shape[2]):
            for q in range(w.shape[3]):
                window = x[:, :, p : p + H, q : q + W]
                gx[:, :, p : p + H, q : q + W] += mg.einsum("nkij,kc->ncij", g, w[:, :, p, q])
                gw[:, :, p, q] = mg.einsum("nkij,ncij->kc", g, window)
        return gx, gw


CONV_STARTER = '''\
class Conv2D(mg.autograd.Function):
    """The convolution of images x, shape (N, C, H, W), with kernels w, shape (K, C, h, v): no padding, steps of 1.

    y[n, k, i, j] is the sum of x[n, c, i + p, j + q] * w[k, c, p, q] over c, p, q. Shape (N, K, H - h + 1, W - v + 1).
    """

    @staticmethod
    def forward(ctx, x, w):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def windows(x: Any, H: int, W: int, h: int, v: int) -> Iterator[tuple[int, int, Any]]:
    for p in range(h):
        for q in range(v):
            yield p, q, x[:, :, p : p + H, q : q + W]


def correlate(x: Any, w: Any) -> Any:
    """The convolution, as a formula of Tensors."""
    h, v = w.shape[2:]
    H, W = x.shape[2] - h + 1, x.shape[3] - v + 1
    return sum(mg.einsum("ncij,kc->nkij", window, w[:, :, p, q]) for p, q, window in windows(x, H, W, h, v))


def padded(g: Any, top: int, left: int) -> Any:
    """Zeros on all four sides of each image."""
    wide = mg.zeros(*g.shape[:2], g.shape[2] + 2 * top, g.shape[3] + 2 * left, dtype=g.dtype)
    wide[:, :, top : top + g.shape[2], left : left + g.shape[3]] = g
    return wide


def flipped(w: Any) -> Any:
    return mg.flip(w, (2, 3))


def gradient_x(g: Any, x: Any, w: Any) -> Any:
    """The full convolution of g with the flipped kernels."""
    return correlate(padded(g, w.shape[2] - 1, w.shape[3] - 1), flipped(w).transpose(0, 1))


def gradient_w(g: Any, x: Any, w: Any) -> Any:
    """x, slid under g; the images take the place of the channels."""
    return correlate(x.transpose(0, 1), g.transpose(0, 1)).transpose(0, 1)


def conv(forward: Any = correlate, x_rule: Any = gradient_x, w_rule: Any = gradient_w) -> Any:
    """Conv2D with another forward, or another rule for one of the gradients."""

    def run(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        return forward(x, w)

    def back(ctx: Any, g: Any) -> Any:
        return x_rule(g, *ctx.saved_tensors), w_rule(g, *ctx.saved_tensors)

    return function("Conv2D", run, back)


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


def overwrite_x(g: Any, x: Any, w: Any) -> Any:
    """As scatter_x, but where two windows overlap, the later one wins."""
    gx, (H, W) = mg.zeros_like(x), g.shape[2:]
    for p in range(w.shape[2]):
        for q in range(w.shape[3]):
            gx[:, :, p : p + H, q : q + W] = mg.einsum("nkij,kc->ncij", g, w[:, :, p, q])
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


def same_size(x: Any, w: Any) -> Any:
    """Padded so that the output is as large as the input."""
    (h, v), (H, W) = w.shape[2:], x.shape[2:]
    wide = mg.zeros(*x.shape[:2], H + h - 1, W + v - 1, dtype=x.dtype)
    wide[:, :, (h - 1) // 2 : (h - 1) // 2 + H, (v - 1) // 2 : (v - 1) // 2 + W] = x
    return correlate(wide, w)


def same_size_again(x: Any, w: Any) -> Any:
    (h, v), (H, W) = w.shape[2:], x.shape[2:]
    top, left = (h - 1) // 2, (v - 1) // 2
    columns = mg.cat([mg.zeros(*x.shape[:3], left, dtype=x.dtype), x, mg.zeros(*x.shape[:3], v - 1 - left, dtype=x.dtype)], 3)
    wide = mg.zeros(*x.shape[:2], H + h - 1, W + v - 1, dtype=x.dtype)
    wide[:, :, top : top + H] = columns
    return conv_loops(wide, w)


def swapped_loops(x: Any, w: Any) -> Any:
    """The kernel lies on its side: p runs along the columns."""
    h, v = w.shape[2:]
    H, W = x.shape[2] - v + 1, x.shape[3] - h + 1
    return sum(mg.einsum("ncij,kc->nkij", x[:, :, q : q + H, p : p + W], w[:, :, p, q]) for p in range(h) for q in range(v))


def in_single(x: Any, w: Any) -> Any:
    y = mg.zeros(x.shape[0], w.shape[0], x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1)
    y[...] = correlate(x, w)
    return y


def first_image_only(g: Any, x: Any, w: Any) -> Any:
    return gradient_w(g[:1], x[:1], w)


def conv_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def sizes(label: str, N: int, C: int, H: int, W: int, K: int, h: int, v: int) -> Case:
        x, w = random_tensor(rng, dtype, N, C, H, W, leaf=True), random_tensor(rng, dtype, K, C, h, v, leaf=True)
        return Case(label, (x, w, random_tensor(rng, dtype, N, K, H - h + 1, W - v + 1)))

    def of_shapes(N: int, C: int, H: int, W: int, K: int, h: int, v: int) -> Case:
        return sizes(f"images ({N}, {C}, {H}, {W}), kernels ({K}, {C}, {h}, {v})", N, C, H, W, K, h, v)

    h, v = (int(n) for n in rng.permutation([2, 3]))
    return [
        of_shapes(2, 3, 6, 5, 4, 3, 2),
        of_shapes(3, 2, int(rng.integers(7, 9)), int(rng.integers(5, 7)), 5, h, v),
        of_shapes(2, 4, 5, 7, 3, 1, 4),
        of_shapes(3, 2, 4, 5, 1, 4, 3),
    ]


def watch_conv(answer: Any, x: Any, w: Any, v: Any) -> Any:
    with without(mg.nn.functional, "conv2d", "conv_transpose2d"):
        y = applied(answer, x, w)
        if not isinstance(y, mg.Tensor):
            return no_output(y)
        seen: dict[str, Any] = {"output": y.detach().clone()}
        if y.shape == v.shape and y.requires_grad:
            applied(answer, x.detach() + 1, w.detach() + 1)  # what is kept on the class, and not in ctx, is overwritten
            gx, gw = mg.autograd.grad(y, (x, w), v)
            seen |= {"the gradient for x": gx, "the gradient for w": gw}
    return seen


def conv_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def sizes(label: str, N: int, C: int, H: int, W: int, K: int, h: int, v: int) -> Case:
        x, w = random_tensor(rng, dtype, N, C, H, W, leaf=True), random_tensor(rng, dtype, K, C, h, v, leaf=True)
        return Case(label, (x, w, random_tensor(rng, dtype, N, K, H - h + 1, W - v + 1)))

    return [
        sizes("one image of one number, one kernel of one number", 1, 1, 1, 1, 1, 1, 1),
        sizes("a kernel as large as the image", 2, 1, 3, 4, 2, 3, 4),
        sizes("images of one column", 1, 2, 5, 1, 3, 2, 1),
        sizes("everything equally large", 2, 2, 2, 2, 2, 2, 2),
    ]


register(
    Exercise(
        id="14.4",
        title="A convolution by hand",
        difficulty=5,
        minutes=16,
        reference=Conv2D,
        starter=CONV_STARTER,
        cases=conv_cases,
        edges=conv_edges,
        observe=watch_conv,
        compare_dtype=True,
        alternatives={
            "flip and pad": conv(),
            "one product of matrices": conv(forward=as_one_product, x_rule=scatter_x, w_rule=scatter_w),
            "NumPy, once differentiable": function("Conv2D", numpy_forward, numpy_backward),
            "entry by entry": conv(forward=conv_loops),
            "a gradient for each image, which the engine adds": conv(
                w_rule=lambda g, x, w: mg.stack([gradient_w(g[n : n + 1], x[n : n + 1], w) for n in range(len(x))])
            ),
        },
        mistakes={
            "by the library": Mistake(
                conv(forward=lambda x, w: mg.nn.functional.conv2d(x, w)),
                "`conv2d` and `conv_transpose2d` are what you write here, so the checker has locked them away. Loop over the entries "
                "(p, q) of the kernel: each round is an ordinary product.",
                again=conv(x_rule=lambda g, x, w: mg.nn.functional.conv_transpose2d(g, w)),
            ),
            "the kernel is not flipped": Mistake(
                conv(x_rule=lambda g, x, w: gradient_x(g, x, flipped(w))),
                "The gradient for x meets the kernel the wrong way round. What went forward from x[i + p] to y[i] goes back from "
                "y[i] to x[i + **p**]. As a convolution of the padded g, that needs the kernel **flipped** in both directions.",
                again=conv(x_rule=lambda g, x, w: scatter_x(g, x, w, place=lambda p, q, h, v: (h - 1 - p, v - 1 - q))),
            ),
            "float32 inside": Mistake(
                conv(forward=in_single),
                "Your output is float32, and x is float64: `mg.zeros(…)` makes float32 unless you say otherwise. Half of the "
                "digits are lost, and gradcheck will not like it. Say `dtype=x.dtype`.",
                again=conv(forward=lambda x, w: conv_loops(x, w).float()),
            ),
            "a true convolution": Mistake(
                conv(forward=lambda x, w: correlate(x, flipped(w))),
                "Your **output** turns the kernel round, as mathematicians do. Here, as in every library for networks, it lies as "
                "it is: w[p, q] meets x[i + p, j + q].",
                again=conv(forward=lambda x, w: conv_loops(x, flipped(w))),
            ),
            "padding": Mistake(
                conv(forward=same_size),
                "Your output is as large as the input: you padded it. No padding is asked for, so the kernel must fit inside: "
                "H − h + 1 places down, W − v + 1 across.",
                again=conv(forward=same_size_again),
            ),
            "channels swapped in the gradient for x": Mistake(
                conv(x_rule=lambda g, x, w: correlate(padded(g, w.shape[2] - 1, w.shape[3] - 1), flipped(w))),
                "In the gradient for x the two channel axes of w change their roles: g has K channels, x has C. Sum over k, and "
                'keep c: `w.transpose(0, 1)`, or `"nkij,kc->ncij"`.',
                again=conv(
                    x_rule=lambda g, x, w: sum(
                        mg.einsum("ncij,kc->nkij", t, flipped(w)[:, :, p, q])
                        for p, q, t in windows(padded(g, w.shape[2] - 1, w.shape[3] - 1), *x.shape[2:], *w.shape[2:])
                    )
                ),
            ),
            "the windows overwrite each other": Mistake(
                conv(x_rule=overwrite_x),
                "In your gradient for x each window writes over the one before. The windows overlap, and an entry of x was in several "
                "of them: its shares **add up**. Write `+=`.",
                again=conv(x_rule=overwrite_x_again),
            ),
            "the mean over the images": Mistake(
                conv(w_rule=lambda g, x, w: gradient_w(g, x, w) / x.shape[0]),
                "Your gradient for w is the mean over the images. All images share one w, and their gradients **add up**. If a "
                "mean is wanted, the loss takes it, and g brings it along.",
                again=conv(w_rule=lambda g, x, w: scatter_w(g / len(x), x, w)),
            ),
            "one image only": Mistake(
                conv(w_rule=first_image_only),
                "Your gradient for w knows the first image only. All images share one w: sum over n.",
                again=conv(w_rule=lambda g, x, w: scatter_w(g[0][None], x[0][None], w)),
            ),
            "height and width swapped": Mistake(
                conv(forward=swapped_loops),
                "The kernel lies on its side. Axis 2 is the height in x **and** in w: p goes with i, and q goes with j.",
                again=conv(forward=lambda x, w: conv_loops(x, w.transpose(2, 3))),
            ),
            "g is forgotten": Mistake(
                conv(
                    x_rule=lambda g, x, w: gradient_x(mg.ones_like(g), x, w),
                    w_rule=lambda g, x, w: gradient_w(mg.ones_like(g), x, w),
                ),
                FORGOTTEN,
                again=conv(x_rule=lambda g, x, w: scatter_x(g * 0 + 1, x, w), w_rule=lambda g, x, w: scatter_w(g * 0 + 1, x, w)),
            ),
        },
        hints=(
            "A convolution is a sum of h · v ordinary products, one for each entry (p, q) of the kernel: a window of x, as large as "
            "the output, times w[:, :, p, q]. Loop over (p, q). Each round is linear, so its two VJPs are those of a product.",
            "```text\n forward     y[i, j]          += x[i+p, j+q] · w[p, q]     sum over c\n"
            " for x       x̄[i+p, j+q]      += g[i, j]     · w[p, q]     sum over k\n"
            " for w       w̄[p, q]           = g[i, j]     · x[i+p, j+q]   sum over n, i, j\n```",
            "```python\nH, W = g.shape[2:]\ngx, gw = mg.zeros_like(x), mg.zeros_like(w)\nfor p in range(w.shape[2]):\n"
            "    for q in range(w.shape[3]):\n        window = x[:, :, p : p + H, q : q + W]\n"
            '        gx[:, :, p : p + H, q : q + W] += mg.einsum("nkij,kc->ncij", ___, w[:, :, p, q])\n'
            '        gw[:, :, p, q] = mg.einsum("nkij,ncij->___", g, window)\nreturn gx, gw\n```',
        ),
        explanation="""\
Fix one entry (p, q) of the kernel. What it does is: take a window of x, multiply the channels by the matrix w[:, :, p, q], add
to y. The VJP for x multiplies by the same matrix, transposed, and adds into **the same window**. Windows overlap, so it must be
`+=`. The VJP for w multiplies g by the window, and sums over all that w[k, c, p, q] was used for: images and places.

Collect the first of these for one entry of x, and you find the well-known formula: a convolution of g, padded with h − 1 and
v − 1 zeros, with the flipped kernels, whose channel axes have changed places. It is the same sum, in another order.

Everything here is a Tensor operation on saved *inputs*, so this Conv2D is differentiable twice as well. With NumPy inside it
would not be; then `@once_differentiable` on `backward` says so, in some of the cases.
""",
    )
)


# --- 14.5 Write gradcheck ---------------------------------------------------------------------------------------------


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


Rule = Callable[[np.ndarray, np.ndarray, np.ndarray], bool]  # (numerical, analytical, v) -> is it close?


def close(numerical: np.ndarray, analytical: np.ndarray, v: Any = None) -> bool:
    return bool(np.all(np.abs(numerical - analytical) <= 1e-5 + 1e-3 * np.abs(numerical)))


def columns(f: Callable[..., Any], inputs: tuple, k: int, eps: float = 1e-6, one_sided: bool = False) -> np.ndarray:
    """The Jacobian with respect to input k, by differences: shape (size of y, size of the input)."""
    x = inputs[k].detach().numpy()
    found = []
    for place in np.ndindex(x.shape):
        ends = []
        for sign in (1, 0 if one_sided else -1):
            moved = x.copy()
            moved[place] += sign * eps
            args = [mg.tensor(moved) if n == k else t.detach() for n, t in enumerate(inputs)]
            ends.append(f(*args).detach().numpy().reshape(-1).astype(float))
        found.append((ends[0] - ends[1]) / (eps if one_sided else 2 * eps))
    return np.stack(found, 1)


def weighted(f: Callable[..., Any], inputs: tuple, k: int, v: np.ndarray) -> np.ndarray:
    """vᵀJ by a backward pass."""
    y = f(*inputs)
    if not y.requires_grad:
        return np.zeros(inputs[k].numel())
    (g,) = mg.autograd.grad(y, inputs[k], mg.tensor(v, dtype=y.dtype).reshape(y.shape), allow_unused=True)
    return np.zeros(inputs[k].numel()) if g is None else g.numpy().reshape(-1)


def checker(
    vectors: Callable[[int], list[np.ndarray]] = lambda m: list(np.eye(m)),
    agree: Rule = close,
    last: int | None = None,
    warn: bool = True,
    **options: Any,
) -> Callable[..., bool]:
    """A gradcheck with these cotangents, this tolerance, and the inputs up to a last one."""

    def check(f, inputs):
        right = True
        for k, x in list(enumerate(inputs))[:last]:
            if not x.requires_grad:
                continue
            if warn and x.dtype != mg.float64:
                warnings.warn("float64, please", UserWarning, stacklevel=2)
            J = columns(f, inputs, k, **options)
            for v in vectors(len(J)):
                right = right and agree(v @ J, weighted(f, inputs, k, v), v)
        return right

    return check


def ones(m: int) -> list[np.ndarray]:
    return [np.ones(m)]


def absolute(tolerance: float) -> Rule:
    return lambda numerical, analytical, v: bool(np.all(np.abs(numerical - analytical) <= tolerance))


def relative(numerical: np.ndarray, analytical: np.ndarray, v: Any) -> bool:
    return bool(np.all(np.abs(numerical - analytical) <= 1e-3 * np.abs(numerical)))


def relative_to_both(numerical: np.ndarray, analytical: np.ndarray, v: Any) -> bool:
    scale = np.maximum(np.abs(numerical), np.abs(analytical))
    return bool(np.all(np.abs(numerical - analytical) <= 1e-3 * scale))


def unused_raises(f, inputs):
    y = f(*inputs)
    for k, x in enumerate(inputs):
        if not x.requires_grad:
            continue
        if x.dtype != mg.float64:
            warnings.warn("float64", UserWarning, stacklevel=2)
        J = columns(f, inputs, k)
        for v, row in zip(np.eye(len(J)), J, strict=True):
            (g,) = mg.autograd.grad(y, x, mg.tensor(v, dtype=y.dtype).reshape(y.shape), retain_graph=True)
            if not close(row, g.numpy().reshape(-1)):
                return False
    return True


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


def first_entry(m: int) -> list[np.ndarray]:
    return [np.eye(m)[0]]


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
                y[i].backward()
                if not close(J[i], np.zeros(x.numel()) if x.grad is None else x.grad.numpy().reshape(-1)):
                    return False
    return True


def piling_up(f, inputs):
    for x in inputs:
        if x.requires_grad and x.dtype != mg.float64:
            warnings.warn("single precision", UserWarning, stacklevel=2)
    for k, x in enumerate(inputs):
        if x.requires_grad:
            J = columns(f, inputs, k)
            for i in range(len(J)):
                f(*inputs).reshape(-1)[i].backward()
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


def of_one(forward: Callable[[Any], Any], rule: Callable[[Any, Any], Any]) -> Any:
    """f of one Tensor with its own backward rule(g, x)."""

    def run(ctx: Any, x: Any) -> Any:
        ctx.save_for_backward(x)
        return forward(x)

    return function("F", run, lambda ctx, g: rule(g, *ctx.saved_tensors)).apply


def of_two(forward: Callable[..., Any], rule: Callable[..., Any]) -> Any:
    """f of two Tensors with its own backward rule(g, x, w), which returns both gradients."""

    def run(ctx: Any, x: Any, w: Any) -> Any:
        ctx.save_for_backward(x, w)
        return forward(x, w)

    return function("F", run, lambda ctx, g: rule(g, *ctx.saved_tensors)).apply


def softmax_rule(g: Any, x: Any) -> Any:
    s = mg.softmax(x, 0)
    return s * (g - (g * s).sum())


def gradcheck_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64, but for the last: this is what the learner's function must insist on."""

    def leaf(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.4, 1.6, size=shape), dtype=mg.float64, requires_grad=True)

    A = random_tensor(rng, mg.float64, 3, 4)
    big, weights = 1e9 * rng.uniform(1, 2), random_tensor(rng, mg.float64, 4)
    softmax = of_one(lambda x: mg.softmax(x, 0), softmax_rule)

    def last_spoilt(g: Any, x: Any) -> Any:
        spoilt = 2 * g * x
        spoilt[-1] = 0.9 * spoilt[-1]
        return spoilt

    right = {
        "exp, entry by entry": (of_one(mg.exp, lambda g, x: g * mg.exp(x)), (leaf(3),)),
        "a number comes out": (of_one(lambda x: (x * x).sum(), lambda g, x: 2 * g * x), (leaf(4),)),
        "a table goes in": (lambda x: mg.sin(x) * x.sum(), (leaf(2, 3),)),
        "A @ x, not square": (of_one(lambda x: A @ x, lambda g, x: g @ A), (leaf(4),)),
        "two inputs": (of_two(mg.mul, lambda g, x, w: (g * w, g * x)), (leaf(3), leaf(3))),
        "numbers in the billions": (of_one(lambda x: big * mg.exp(x), lambda g, x: big * g * mg.exp(x)), (leaf(3),)),
        "softmax": (softmax, (leaf(4),)),
        "an input that f does not use": (lambda x, w: mg.exp(x), (leaf(3), leaf(2))),
        "an input that does not require grad": (lambda x, w: x * w, (leaf(4), weights)),
    }
    wrong = {
        "g is forgotten": (of_one(mg.exp, lambda g, x: mg.exp(x)), (leaf(3),)),
        "g is reversed": (of_one(lambda x: 3 * x, lambda g, x: 3 * mg.flip(g, (0,))), (leaf(4),)),
        "the mean of g": (of_one(mg.sin, lambda g, x: g.mean() * mg.cos(x)), (leaf(3),)),
        "a factor 3 is lost": (of_one(lambda x: x**3, lambda g, x: g * x**2), (leaf(3),)),
        "the sign": (of_one(mg.cos, lambda g, x: g * mg.sin(x)), (leaf(3),)),
        "the second input": (of_two(mg.mul, lambda g, x, w: (g * w, g * w)), (leaf(3), leaf(3))),
        "one entry, by a tenth": (of_one(lambda x: x * x, last_spoilt), (leaf(5),)),
        "the diagonal of softmax": (
            of_one(lambda x: mg.softmax(x, 0), lambda g, x: g * mg.softmax(x, 0) * (1 - mg.softmax(x, 0))),
            (leaf(4),),
        ),
        "half a per cent": (of_one(mg.exp, lambda g, x: 1.005 * g * mg.exp(x)), (leaf(3),)),
        "detached on the way": (lambda x: x.detach() * x, (leaf(3),)),
    }
    single = mg.tensor(rng.uniform(0.4, 1.6, size=3), dtype=mg.float32, requires_grad=True)
    flat = mg.tensor([np.pi, 0.5], dtype=mg.float64, requires_grad=True)
    return [
        *(Case(f"a right gradient, {name}", (f, inputs)) for name, (f, inputs) in right.items()),
        Case("a right gradient, which is zero in places", (lambda x: mg.cos(x) * x[1] + 2 * x[1], (flat,))),
        *(Case(f"a wrong gradient, {name}", (f, inputs)) for name, (f, inputs) in wrong.items()),
        Case("an input in float32", (mg.exp, (single,))),
    ]


def watch_gradcheck(answer: Callable[..., Any], f: Callable[..., Any], inputs: tuple) -> Any:
    single = any(x.dtype == mg.float32 for x in inputs)
    with warnings.catch_warnings(record=True) as caught, without(mg.autograd, "gradcheck", "gradgradcheck"):
        warnings.simplefilter("always")
        found = answer(f, inputs)
    if not isinstance(found, bool | np.bool_ | mg.Tensor):
        return unfit(found, "True or False")
    warned = any(issubclass(w.category, UserWarning) for w in caught)
    seen: dict[str, Any] = {"a UserWarning": warned}
    # In float32 the differences themselves are too rough; whatever is found there is not compared.
    return seen if single else seen | {"returns": bool(found)}


def gradcheck_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*numbers: float) -> Any:
        return mg.tensor(numbers, dtype=mg.float64, requires_grad=True)

    c = 2.0 + float(rng.uniform())
    number = mg.tensor(c, dtype=mg.float64, requires_grad=True)
    stale = leaf(c, -1.0)
    stale.grad = leaf(1.0, 2.0).detach()
    return [
        Case("a right gradient, a number goes in", (lambda x: x**3, (number,))),
        Case("a right gradient, one entry", (lambda x: mg.sin(x), (leaf(c),))),
        Case("a right gradient, an input that has a .grad", (lambda x: x * x, (stale,))),
        # With a step to one side only, the slope at the bottom of a narrow valley comes out wrong.
        Case("a right gradient, at the bottom of a narrow valley", (lambda x: (1e4 * x**2), (leaf(0.0, 0.0),))),
        Case("a wrong gradient, the first of two inputs", (of_two(mg.mul, lambda g, x, w: (g * x, g * x)), (leaf(c), leaf(-1.0)))),
        Case("a wrong gradient, infinite", (of_one(mg.exp, lambda g, x: g * float("inf")), (leaf(c, 1.0),))),
        Case("a wrong gradient, only where the true one is 0", (of_one(lambda x: 0 * x, lambda g, x: 0 * g + 0.01), (leaf(c, 1.0),))),
    ]


register(
    Exercise(
        id="14.5",
        title="Write gradcheck",
        difficulty=4,
        minutes=12,
        reference=gradcheck,
        cases=gradcheck_cases,
        edges=gradcheck_edges,
        observe=watch_gradcheck,
        alternatives={
            "rows of an identity, in NumPy": checker(),
            "backward, a new graph for each row": by_backward,
            "random cotangents": checker(vectors=lambda m: list(np.random.default_rng(5).normal(size=(4, m)))),
        },
        mistakes={
            "one-sided differences": Mistake(
                checker(one_sided=True),
                "You refused a right gradient. A difference to **one** side is off by half the step times the second derivative: at "
                "the bottom of a narrow valley that is more than the slope. Asked for are central differences: a step to both sides, "
                "and 2 · 1e-6 below.",
                again=checker(one_sided=True, eps=1e-7),
            ),
            "ones": Mistake(
                checker(vectors=ones),
                "Your cotangent is all ones, so you compare the **sums of the columns** of J. With ones nobody sees whether g was "
                "forgotten, reversed or averaged. Compare row by row with one-hot vectors, or at least with random ones.",
                again=checker(vectors=ones, one_sided=True, eps=1e-7),
            ),
            "one row": Mistake(
                checker(vectors=first_entry),
                "You look at the first entry of y only. A gradient can be right there and wrong elsewhere: take every row.",
                again=checker(vectors=lambda m: [3.0 * np.eye(m)[0]]),
            ),
            "the first input only": Mistake(
                checker(last=1),
                "You check the first input only. f may have several, and the mistake may be in any that requires grad.",
                again=checker(last=1, eps=2e-6),
            ),
            "absolute tolerance": Mistake(
                checker(agree=absolute(1e-5)),
                "A right gradient in the billions is rejected: differences lose digits, and the more the larger the numbers are. "
                "Let the tolerance grow with them: `1e-5 + 1e-3 * abs(numerical)`.",
                again=checker(agree=absolute(2e-5)),
            ),
            "relative tolerance": Mistake(
                checker(agree=relative),
                "A right gradient that is zero in places is rejected: by differences a zero comes out as 1e-11, and no fraction of "
                "that reaches 0. Add an absolute part: `1e-5 + 1e-3 * abs(numerical)`.",
                again=checker(agree=relative_to_both),
            ),
            "too generous": Mistake(
                checker(agree=lambda n, a, v: bool(np.all(np.abs(n - a) <= 1e-2 + 1e-2 * np.abs(n)))),
                "A gradient that is half a per cent too large passes. Central differences in float64 are good to eight digits or "
                "so: ask for `1e-5 + 1e-3 * abs(numerical)`.",
                again=checker(agree=lambda n, a, v: bool(np.allclose(n, a, rtol=2e-2, atol=1e-3))),
            ),
            "no warning": Mistake(
                checker(warn=False),
                "With a float32 input the differences are too rough to say anything. Tell the caller: "
                '`warnings.warn("…", UserWarning)` for an input that requires grad and is not float64.',
                again=checker(warn=False, eps=2e-6),
            ),
            "the gradients pile up": Mistake(
                piling_up,
                "`backward` **adds** to `.grad`, so from the second row on you compare sums of rows. Set `x.grad = None` before each "
                "row, or use `autograd.grad`, which leaves `.grad` alone.",
                again=piling_up_again,
            ),
            "an unused input": Mistake(
                unused_raises,
                "f does not use one of its inputs, and `grad` raises *not used*. That is no mistake of f: the gradient is zero. Ask "
                "with `allow_unused=True`, and take None for zeros.",
                again=unused_raises_again,
            ),
            "all is well": Mistake(
                lambda f, inputs: checker()(f, inputs) or True,
                "Your function never says False. Is there a `return True` inside the loop, or is the comparison thrown away?",
                again=lambda f, inputs: [checker()(f, inputs)] != [],
            ),
        },
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
)


# --- 14.6 once_differentiable -----------------------------------------------------------------------------------------

Draw = tuple[tuple[str, str, str], ...]  # (key, rule, code), in the order of the program

ONCE_SETUP = """\
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    @mg.autograd.function.once_differentiable
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g * y

x = mg.tensor([0.5, 1.0, 2.0], dtype=mg.float64, requires_grad=True)
w = mg.tensor([2.0, 3.0, 4.0], dtype=mg.float64)  # a constant

def first(y):                 # the first derivative
    return mg.autograd.grad(y.sum(), x)[0]

def by_grad(y, **options):    # the second, by autograd.grad
    (g,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    return mg.autograd.grad(g.sum(), x, **options)[0]

def by_backward(y):           # the second, by backward
    x.grad = None
    (g,) = mg.autograd.grad(y.sum(), x, create_graph=True)
    g.sum().backward()
    return x.grad

"""
ALONE = ["Exp.apply(x)", "5 * Exp.apply(x)", "Exp.apply(2 * x)", "Exp.apply(x) + w"]
BESIDE = ["Exp.apply(x) + x**2", "x**3 + Exp.apply(x)", "Exp.apply(x) + mg.sin(x)", "x**4 - Exp.apply(x)"]
INSIDE = ["Exp.apply(x) ** 2", "mg.sin(Exp.apply(x))", "Exp.apply(x) * Exp.apply(x)", "mg.exp(Exp.apply(x))"]
BOTH = ["Exp.apply(x) ** 2 + x**2", "x**3 + mg.sin(Exp.apply(x))", "x * Exp.apply(x)"]
ONCE_LINES = {  # rule: (the call, what is in it)
    "first": ("first({})", BESIDE + INSIDE),
    "elsewhere": ("by_grad({})", ["x**3 * Exp.apply(w)", "x**2 + Exp.apply(w)", "mg.sin(x) - Exp.apply(w)"]),
    "alone, grad": ("by_grad({})", ALONE),
    "alone, backward": ("by_backward({})", ALONE),
    "beside, grad": ("by_grad({})", BESIDE),
    "beside, backward": ("by_backward({})", BESIDE),
    "inside, grad": ("by_grad({})", INSIDE),
    "inside, backward": ("by_backward({})", INSIDE),
    "inside, allow_unused": ("by_grad({}, allow_unused=True)", INSIDE),
    "both, grad": ("by_grad({})", BOTH),
    "both, backward": ("by_backward({})", BOTH),
}
ONCE_WORDS = ("right", "wrong", "no graph", "twice", "unused", "None")
ONCE_ERRORS = {"does not require grad": "no graph", "differentiate twice": "twice", "not have been used": "unused"}


def once_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(ONCE_LINES))]
    return tuple(
        (key, rule, ONCE_LINES[rule][0].format(rng.choice(ONCE_LINES[rule][1])))
        for key, rule in zip("abcdefghijk", rules, strict=True)
    )


def once_program(draw: Draw) -> str:
    return ONCE_SETUP + "\n".join(f"{code:<52}# {key}" for key, _, code in draw)


def once_outcome(code: str) -> str:
    space: dict[str, Any] = {"mg": mg}
    exec(ONCE_SETUP, space)
    truth = eval(code.replace("Exp.apply", "mg.exp"), space).detach().numpy()
    try:
        found = eval(code, space)
    except RuntimeError as error:
        return next((word for text, word in ONCE_ERRORS.items() if text in str(error)), str(error))
    if found is None:
        return "None"
    return "right" if np.allclose(found.detach().numpy(), truth) else "wrong"


def once(draw: Draw) -> dict[str, str]:
    """Run each line by itself and look."""
    return {key: once_outcome(code) for key, _, code in draw}


ONCE_RULES = {
    "first": "right",
    "elsewhere": "right",
    "alone, grad": "no graph",
    "alone, backward": "no graph",
    "beside, grad": "wrong",
    "beside, backward": "wrong",
    "inside, grad": "unused",
    "inside, backward": "twice",
    "inside, allow_unused": "None",
    "both, grad": "wrong",
    "both, backward": "twice",
}


def once_believing(**believed: str) -> Callable[[Draw], dict[str, str]]:
    """The dict of somebody who is right except about rules whose names begin (with _ for a blank, __ for a comma and one)."""
    table = {name.replace("__", ", ").replace("_", " ").replace("allow unused", "allow_unused"): w for name, w in believed.items()}

    def answers(draw: Draw) -> dict[str, str]:
        def word(rule: str) -> str:
            return table.get(rule, table.get(rule.partition(",")[0], ONCE_RULES[rule]))

        return {key: word(rule) for key, rule, _ in draw}

    return answers


register(
    Exercise(
        id="14.6",
        title="What once_differentiable does not promise",
        difficulty=4,
        minutes=8,
        reference=once,
        draws=once_draw,
        program=once_program,
        name="second_time",
        words=ONCE_WORDS,
        mistakes={
            "nobody minds": Mistake(
                once_believing(alone="right", beside="right", inside="right", both="right", inside__allow_unused="right"),
                "`backward` runs without recording, because of the decorator. So what it returns knows nothing of x, and the second "
                "derivative cannot be right where it should go through it.",
            ),
            "grad raises as backward does": Mistake(
                once_believing(inside__grad="twice", inside__allow_unused="twice", both__grad="twice"),
                "`backward()` runs the whole graph, comes to the node of the decorator, and raises. `autograd.grad(…, x)` runs only "
                "nodes that lead **to x**. The decorator's node leads nowhere, so it is never run: the way to x seems not to exist.",
            ),
            "backward does not mind either": Mistake(
                once_believing(inside__backward="unused", both__backward="wrong"),
                "`autograd.grad(…, x)` runs only nodes that lead to x. `backward()` runs the **whole** graph, and so it comes to the "
                "decorator's node, which raises.",
            ),
            "a sum saves it": Mistake(
                once_believing(beside="no graph"),
                "Alone, the gradient of `Exp.apply(x)` has no graph. But beside it stands another term, whose gradient has one. The "
                "sum has a graph, the pass runs, and the part of Exp counts as a constant: a wrong number, and no error.",
            ),
            "inside as alone": Mistake(
                once_believing(inside="no graph", both__grad="no graph"),
                "Here something nonlinear comes **after** Exp. So the cotangent `g` that reaches Exp requires grad, and the "
                "decorator gives its result a node that raises when it is run. The gradient has a graph, though one without a way "
                "to x.",
            ),
            "elsewhere": Mistake(
                once_believing(elsewhere="wrong"),
                "In this line Exp is applied to `w`, a constant. No gradient goes through it, so the decorator is never asked.",
            ),
            "it always raises": Mistake(
                once_believing(
                    elsewhere="twice", alone="twice", beside="twice", inside="twice", both="twice", inside__allow_unused="twice"
                ),
                "You trust the decorator to raise. It can raise only if the pass runs **through** it: it puts a node into the "
                "graph of the gradient, and only if the cotangent `g` that comes in requires grad. When `Exp.apply(x)` is the "
                "last nonlinear step, `g` is a constant, no node is put there, and that part of the gradient is a constant, "
                "silently. Where you may not trust it, compare with differences of the gradient.",
            ),
            "None is an error": Mistake(
                once_believing(inside__allow_unused="unused"),
                "`allow_unused=True` turns the error *not used* into None. (That is why it is dangerous here: the honest answer was "
                "neither None nor zero.)",
            ),
        },
        hints=(
            "Two questions for each line. Does the cotangent that reaches Exp require grad, that is, does something nonlinear come "
            "after Exp? And does the second pass run the decorator's node: does it run everything (`backward`), or only what "
            "leads to x (`grad`)?",
            "```text\n g constant       Exp's part of the gradient: a constant, no node\n"
            " g requires grad  Exp's part of the gradient: ──► [raises when run]     no way on to x\n\n"
            " backward()       runs every node\n grad(…, x)       runs only nodes that lead to x\n```",
            "Alone: the gradient is a constant, *does not require grad*. Beside another term: that term's part is right, "
            "Exp's part is missing, and nobody says so. Inside a nonlinear function: `backward` runs into the node, `grad` "
            "finds no way to x. Both inside and beside: `backward` runs into it, `grad` goes round it.",
        ),
        explanation="""\
`once_differentiable` runs `backward` without recording. If one of the cotangents requires grad, it hangs a node behind the
result that raises *trying to differentiate twice a function that was marked with @once_differentiable*. That node has no way on
to x.

So the promise is: **if a later pass runs that node, it raises.** It says nothing where the node is not there (the cotangent was a
constant, as after a sum), or is not run (`autograd.grad` runs only what leads to the inputs). With another term beside it you then
get a second derivative that lacks a part: a wrong number, and no error.

PyTorch does exactly the same. Use the decorator, it catches many cases, and check second derivatives with `gradgradcheck`
before you believe them.
""",
    )
)


# --- 14.7 Twice? ------------------------------------------------------------------------------------------------------


def twice_ok(f, x):
    """Whether the second derivatives of f at x agree with central differences of the gradient.

    f: takes a Tensor like x and returns one of any shape. x: a leaf in float64 that requires grad. Returns True or False.
    """
    v = mg.rand_like(f(x)).detach() + 0.5

    def gradient(x):
        x = x.detach().requires_grad_()
        return x, mg.autograd.grad(f(x), x, v, create_graph=True)[0]

    z, g = gradient(x)
    for j in range(x.numel()):
        e = mg.zeros_like(x).detach()
        e.view(-1)[j] = 1.0
        plus, minus = gradient(x + 1e-6 * e)[1], gradient(x - 1e-6 * e)[1]
        numerical = (plus - minus).detach() / 2e-6
        analytical = None
        if g.requires_grad:  # else the gradient is a constant, so far as the engine knows
            (analytical,) = mg.autograd.grad(g, z, e, retain_graph=True, allow_unused=True)
        if analytical is None:
            analytical = mg.zeros_like(z)
        # Row j against column j: a table of second derivatives is symmetric.
        if ((numerical - analytical).abs() > 1e-5 + 1e-3 * numerical.abs()).any():
            return False
    return True


def slope(f: Any, x: Any, v: Any) -> Any:
    """The gradient of v · f at x, with a graph if it can have one, and the leaf that it was taken at."""
    x = x.detach().clone().requires_grad_()
    return x, mg.autograd.grad(f(x), x, v, create_graph=True)[0]


def differ(f: Any, x: Any, v: Any) -> np.ndarray:
    """The second derivatives of v · f, by differences: shape (n, n)."""
    found = []
    for place in np.ndindex(tuple(x.shape)):
        step = np.zeros(tuple(x.shape))
        step[place] = 1e-6
        ends = [slope(f, x.detach() + mg.tensor(s * step), v)[1].detach().numpy().reshape(-1) for s in (1, -1)]
        found.append((ends[0] - ends[1]) / 2e-6)
    return np.stack(found, 1)


def twice_checker(no_graph: Any = 0.0, **options: Any) -> Callable[..., bool]:
    """A twice_ok that takes a gradient without a graph for zeros, or returns no_graph if that is False."""

    def check(f, x):
        v = mg.tensor(np.random.default_rng(1).uniform(0.5, 2, size=tuple(f(x).shape)))
        z, g = slope(f, x, v)
        H = differ(f, x, v)
        if not g.requires_grad:
            return no_graph is not False and close(H, np.zeros_like(H))
        for row, i in zip(H, range(len(H)), strict=True):
            found = mg.autograd.grad(g.reshape(-1)[i], z, retain_graph=True, **(options or {"allow_unused": True}))[0]
            if not close(row, np.zeros_like(row) if found is None else found.numpy().reshape(-1)):
                return False
        return True

    return check


def twice_one_direction(f, x):
    u = mg.tensor(np.random.default_rng(2).normal(size=tuple(x.shape)))
    v = mg.tensor(np.random.default_rng(3).normal(size=tuple(f(x).shape)))
    z, g = slope(f, x, v)
    ends = [slope(f, x.detach() + s * u, v)[1].detach() for s in (1e-6, -1e-6)]
    numerical = (ends[0] - ends[1]) / 2e-6
    found = mg.autograd.grad(g, z, u, allow_unused=True)[0] if g.requires_grad else None
    return bool(mg.allclose(numerical, mg.zeros_like(z) if found is None else found, rtol=1e-3, atol=1e-5))


def twice_caught(f, x):
    try:
        return twice_checker(allow_unused=False)(f, x)
    except RuntimeError:
        return False


def has_graph(f, x):
    return slope(f, x, mg.ones_like(f(x)).detach())[1].requires_grad


def has_node(f, x):
    (g,) = mg.autograd.grad(f(x).sum(), x, create_graph=True)
    return g.grad_fn is not None


def raises_nothing(f, x):
    try:
        (g,) = mg.autograd.grad(f(x).sum(), x, create_graph=True)
        mg.autograd.grad(g.sum(), x)
    except RuntimeError:
        return False
    return True


def raises_nothing_again(f, x):
    g = slope(f, x, mg.ones_like(f(x)).detach())
    try:
        return bool(mg.autograd.grad(g[1].sum(), g[0])[0] is not None)
    except RuntimeError:
        return False


def raises_nothing_backward(f, x):
    z = x.detach().clone().requires_grad_()
    try:
        (g,) = mg.autograd.grad(f(z).sum(), z, create_graph=True)
        g.sum().backward()
    except RuntimeError:
        return False
    return True


def raises_nothing_backward_again(f, x):
    z, g = slope(f, x, mg.ones_like(f(x)).detach())
    try:
        g.backward(mg.ones_like(g).detach())
    except RuntimeError:
        return False
    return z.grad is not None


def first_only(f, x):
    return checker()(f, (x,))


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


def twice_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64: differences need it."""

    def leaf(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.4, 1.4, size=shape), dtype=mg.float64, requires_grad=True)

    own = function("Exp", exp_forward, times_saved).apply
    dead = function("Exp", exp_keeps_intermediate, lambda ctx, g: g * ctx.e).apply
    array = function("Exp", exp_numpy, lambda ctx, g: mg.tensor(g.detach().numpy() * ctx.e)).apply
    marked = function("Exp", exp_forward, once_differentiable(times_saved)).apply
    A, k = random_tensor(rng, mg.float64, 3, 4), rng.uniform(2, 3)
    right = {
        "sin": (mg.sin, leaf(3)),
        "a straight line, k * x": (lambda x: k * x, leaf(3)),
        "A @ x, then squared": (lambda x: (A @ x) ** 2, leaf(4)),
        "an Exp that saves its output": (lambda x: own(x) * x.sum(), leaf(2, 3)),
        "a number comes out": (lambda x: (x**3).sum() * x[0], leaf(3)),
        "a once-differentiable Exp of a constant": (lambda x: x**2 * marked(x.detach() * 0 + k), leaf(3)),
    }
    wrong = {
        "an Exp that keeps an intermediate": (dead, leaf(3)),
        "the same, beside x²": (lambda x: dead(x) + x**2, leaf(3)),
        "the same, taken from x²": (lambda x: x**2 - dead(x), leaf(3)),
        "an Exp in NumPy, times x": (lambda x: array(x) * x, leaf(4)),
        "a once-differentiable Exp": (marked, leaf(3)),
        "a once-differentiable Exp, beside x²": (lambda x: marked(x) + k * x**2, leaf(3)),
        "a once-differentiable Exp, squared": (lambda x: marked(x) ** 2, leaf(3)),
        "a once-differentiable Exp, squared, beside sin": (lambda x: marked(x) ** 2 + mg.sin(x), leaf(2, 2)),
    }
    return [
        *(Case(f"right second derivatives, {name}", pair) for name, pair in right.items()),
        *(Case(f"wrong second derivatives, {name}", pair) for name, pair in wrong.items()),
    ]


def watch_twice(answer: Callable[..., Any], f: Callable[..., Any], x: Any) -> Any:
    with without(mg.autograd, "gradcheck", "gradgradcheck"):
        found = answer(f, x)
    if not isinstance(found, bool | np.bool_ | mg.Tensor):
        return unfit(found, "True or False")
    return {"returns": bool(found)}


SILENT = (
    "No error is no proof. Beside another term, a dead second derivative counts as zero in silence; and a straight line raises *does "
    "not require grad*, though its second derivative is rightly zero. Compare the **numbers** with differences of the gradient."
)

def twice_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.4, 1.4, size=shape), dtype=mg.float64, requires_grad=True)

    dead = function("Exp", exp_keeps_intermediate, lambda ctx, g: g * ctx.e).apply
    return [
        Case("right second derivatives, one number of shape ()", (lambda x: mg.exp(x), leaf())),
        Case(
            "right second derivatives, outputs that add up to a straight line", (lambda x: mg.cat([mg.sin(x), x - mg.sin(x)]), leaf(2))
        ),
        Case("wrong second derivatives, one number of shape ()", (dead, leaf())),
        # With ones for a cotangent the two mistakes cancel.
        Case("wrong second derivatives, outputs that cancel each other", (lambda x: mg.cat([dead(x), -dead(x)]), leaf(3))),
        Case("wrong second derivatives, in the last output alone", (lambda x: mg.cat([mg.sin(x), dead(x)[-1:]]), leaf(3))),
    ]


register(
    Exercise(
        id="14.7",
        title="Twice, or only once?",
        difficulty=4,
        minutes=9,
        reference=twice_ok,
        cases=twice_cases,
        without={
            "states": "for one fixed cotangent a seed may be set",
        },
        edges=twice_edges,
        observe=watch_twice,
        may_change_inputs=True,  # .grad of x may be set
        alternatives={
            "all rows": twice_checker(),
            "one random direction": twice_one_direction,
            "errors taken for no": twice_caught,
        },
        mistakes={
            "it has a graph": Mistake(
                has_graph,
                "You ask whether the gradient has a graph. Beside another term it has one, and a part of it may be dead all the same; "
                "and the gradient of a straight line has none, rightly. Compare the **numbers** with differences of the gradient.",
                again=has_node,
            ),
            "it raised nothing": Mistake(raises_nothing, SILENT, again=raises_nothing_again),
            "backward raised nothing": Mistake(raises_nothing_backward, SILENT, again=raises_nothing_backward_again),
            "the first derivative only": Mistake(
                first_only,
                "You compare the gradient with differences of f. That is the check of the *first* derivative. Go one up: compare the "
                "derivative of the gradient with differences of the **gradient**.",
                again=first_only_again,
            ),
            "a straight line": Mistake(
                twice_checker(no_graph=False),
                "You reject a straight line. Its gradient is a constant without a graph, and that is right: differences of the "
                "gradient are zero as well. Take *no graph* for zeros, and compare.",
                again=lambda f, x: has_graph(f, x) and twice_one_direction(f, x),
            ),
            "an error gets out": Mistake(
                twice_checker(allow_unused=False),
                "Where there is no way from the gradient to x, `grad` raises *not used*. Ask with `allow_unused=True` and "
                "take None for zeros: whether zero is right, the differences will tell.",
                again=not_caught,
            ),
        },
        hints=(
            "The gradient is a function of x like any other. Its derivative by a second pass, and its differences, must agree: "
            "gradcheck, one order up. (If f gives several numbers, weight them first with a fixed random cotangent.)",
            "```text\n g(x) = grad(f(x), x, v, create_graph=True)\n\n"
            "   second pass:  grad(g, x, u)                     None, or no graph: zeros\n"
            "   differences:  (g(x + ε u) − g(x − ε u)) / 2ε\n```",
            "```python\nv = mg.rand_like(f(x)).detach() + 0.5\n"
            "z, g = gradient(x)          # a leaf of its own, and the gradient with its graph\n"
            "for each one-hot u:\n    numerical = (gradient(x + 1e-6 * u)[1] - ___) / 2e-6\n    analytical = zeros\n"
            "    if g.requires_grad:\n"
            "        found = mg.autograd.grad(g, z, u, retain_graph=True, allow_unused=___)[0]\n        …\n"
            "    if they differ: return False\nreturn True\n```",
        ),
        explanation="""\
The gradient is a function of x, and the second pass claims to know its derivative. Differences of the gradient know it without
the graph. If the two disagree, some link of the chain is dead.

It finds all that the decorator lets through: the constant beside a living term, the node that nobody runs. It also finds
intermediates and NumPy, which carry no decorator at all. This is what the library's `gradgradcheck` does, with the cotangent v as
a further input.

Two answers that look like failures are none. A gradient without a graph is right for a straight line. And None, with
`allow_unused=True`, only says that there is no way to x; whether there ought to be one, the differences say.
""",
    )
)


# --- 14.8 save_for_backward or attribute? -----------------------------------------------------------------------------


class Power(mg.autograd.Function):
    """x * h**n, entry by entry; n is a plain number. What backward needs is guarded."""

    @staticmethod
    def forward(ctx, x, h, n):
        ctx.save_for_backward(x, h)
        ctx.n = n
        return x * h**n

    @staticmethod
    def backward(ctx, g):
        x, h = ctx.saved_tensors
        return g * h**ctx.n, g * x * ctx.n * h ** (ctx.n - 1), None


POWER_STARTER = '''\
class Power(mg.autograd.Function):
    """x * h**n, entry by entry; n is a plain number. What backward needs is guarded."""

    @staticmethod
    def forward(ctx, x, h, n):
        ...

    @staticmethod
    def backward(ctx, g):
        ...
'''


def both_gradients(g: Any, x: Any, h: Any, n: Any) -> Any:
    return g * h**n, g * x * n * h ** (n - 1), None


def power(keep: Callable[..., None], read: Callable[[Any], tuple], give: Callable[..., Any] = both_gradients) -> Any:
    """A Power that keeps and reads x, h and n in its own way."""

    def run(ctx: Any, x: Any, h: Any, n: Any) -> Any:
        keep(ctx, x, h, n)
        return x * h**n

    return function("Power", run, lambda ctx, g: give(g, *read(ctx)))


def keep_well(ctx, x, h, n):
    ctx.save_for_backward(x, h)
    ctx.n = n


def read_well(ctx):
    return (*ctx.saved_tensors, ctx.n)


def keep_attributes(ctx, x, h, n):
    ctx.x, ctx.h, ctx.n = x, h, n


def keep_tuple(ctx, x, h, n):
    ctx.kept = (x, h, n)


def keep_copies(ctx, x, h, n):
    ctx.kept = (x.clone(), h.clone(), n)


def keep_arrays(ctx, x, h, n):
    ctx.x, ctx.h, ctx.n = mg.tensor(x.detach().numpy().copy()), mg.tensor(h.detach().numpy().copy()), n


def read_attributes(ctx):
    return ctx.x, ctx.h, ctx.n


def read_tuple(ctx):
    return ctx.kept


def keep_all(ctx, x, h, n):
    ctx.save_for_backward(x, h, n)


def keep_x_only(ctx, x, h, n):
    ctx.save_for_backward(x)
    ctx.h, ctx.n = h, n


def keep_h_only(ctx, x, h, n):
    ctx.save_for_backward(h)
    ctx.x, ctx.n = x, n


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


def power_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 2, size=shape), dtype=dtype)

    return [
        Case(label, (numbers(4), numbers(4), int(rng.integers(lowest, 6)), numbers(4), label))
        for label, lowest in (
            ("nothing is overwritten", 3),  # with n = 2 the slope of a square would pass
            ("h is overwritten before backward", 2),
            ("x is overwritten before backward", 2),
            ("backward twice", 2),
        )
    ]


GUARDS = {text: f"RuntimeError, {text}" for text in ("modified by an inplace operation", "a second time")}


def gradients_or_guard(y: Any, leaves: tuple, v: Any) -> Any:
    try:
        return [t.clone() for t in mg.autograd.grad(y, leaves, v)]
    except RuntimeError as error:
        for text, word in GUARDS.items():
            if text in str(error):
                return word
        raise


def watch_power(answer: Any, x: Any, h: Any, n: int, v: Any, label: str) -> Any:
    x, h = x.clone().requires_grad_(), h.clone().requires_grad_()
    y = applied(answer, x, h, n)
    if not isinstance(y, mg.Tensor):
        return no_output(y)
    seen: dict[str, Any] = {"output": y.detach().clone()}
    applied(answer, x.detach() + 1, h.detach() + 1, n + 1)  # what is kept on the class, and not in ctx, is overwritten
    with mg.no_grad():
        if label.startswith("h is"):
            h.zero_()
        elif label.startswith("x is"):
            x.zero_()
    seen["gradients"] = gradients_or_guard(y, (x, h), v)
    if label == "backward twice":
        seen["gradients, once more"] = gradients_or_guard(y, (x, h), v)
    return seen


UNGUARDED = (
    "h was set to zero between forward and backward, and your gradient became zero **without an error**. An attribute of "
    "`ctx` is only a name for the caller's Tensor; nobody compares versions, and nobody frees it after the backward pass. "
    "Tensors go to `ctx.save_for_backward`."
)

def power_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*values: float) -> Any:
        return mg.tensor(values, dtype=dtype)

    x, h = (0.0, -1.5, 2.0), (1.5, 0.0, -0.5)
    return [
        Case(
            f"nothing is overwritten: zeros and negative numbers, n = {n}",
            (numbers(*x), numbers(*h), n, numbers(1.0, -2.0, 0.5), "nothing"),
        )
        for n in (1, 2, 3)
    ]


register(
    Exercise(
        id="14.8",
        title="Saved, or an attribute?",
        difficulty=3,
        minutes=7,
        reference=Power,
        starter=POWER_STARTER,
        cases=power_cases,
        edges=power_edges,
        observe=watch_power,
        alternatives={
            "in two parts": PowerInTwoParts,
            "a helper for the rule": power(keep_well, read_well),
            "n as a Tensor": power(keep_n_as_tensor, lambda ctx: ctx.saved_tensors),
        },
        mistakes={
            "attributes": Mistake(power(keep_attributes, read_attributes), UNGUARDED, again=power(keep_tuple, read_tuple)),
            "copies": Mistake(
                power(keep_copies, read_tuple),
                "You keep copies. Nothing can overwrite them, but they cost memory, they stay after the backward pass, and "
                "they have no history, so the second derivative is dead. `ctx.save_for_backward` keeps the Tensors "
                "themselves, with their versions.",
                again=power(keep_arrays, read_attributes),
            ),
            "copies are saved": Mistake(
                power(lambda ctx, x, h, n: keep_well(ctx, x.clone(), h.clone(), n), read_well),
                "You save copies. What the caller overwrites no longer matters to them, so nothing is raised; but they cost memory, "
                "and they have no history, so the second derivative is dead. Save x and h themselves: their versions are compared.",
                again=power(lambda ctx, x, h, n: keep_well(ctx, x * 1, h * 1, n), read_well),
            ),
            "the number is saved": Mistake(
                power(keep_all, lambda ctx: ctx.saved_tensors),
                "`ctx.save_for_backward` is for **Tensors** only, and n is a plain number. A number cannot be overwritten, so "
                "it needs no guard: `ctx.n = n`.",
                again=power(lambda ctx, x, h, n: ctx.save_for_backward(h, x, n), lambda ctx: ctx.saved_tensors),
            ),
            "h is an attribute": Mistake(
                power(keep_x_only, lambda ctx: (*ctx.saved_tensors, ctx.h, ctx.n)),
                UNGUARDED + " You did so for x; do it for h as well.",
                again=power(
                    keep_x_and_rest,
                    lambda ctx: (ctx.saved_tensors[0], *ctx.rest),
                ),
            ),
            "x is an attribute": Mistake(
                power(keep_h_only, lambda ctx: (ctx.x, *ctx.saved_tensors, ctx.n)),
                "h is guarded, x is not: with x overwritten the gradient for h is wrong, without an error. Both are Tensors that "
                "`backward` reads. Save both.",
                again=power(
                    keep_h_and_rest,
                    lambda ctx: (ctx.rest[0], *ctx.saved_tensors, ctx.rest[1]),
                ),
            ),
            "g is forgotten": Mistake(
                power(keep_well, read_well, lambda g, x, h, n: (h**n, x * n * h ** (n - 1), None)),
                FORGOTTEN,
                again=power(keep_well, read_well, lambda g, x, h, n: (h.pow(n), n * h ** (n - 1) * x, None)),
            ),
            "g is forgotten for h": Mistake(
                power(keep_well, read_well, lambda g, x, h, n: (g * h**n, x * n * h ** (n - 1), None)),
                "The gradient for x is right, that for h lacks the cotangent: **each** entry is g times its slope.",
                again=power(keep_well, read_well, lambda g, x, h, n: (h.pow(n) * g, n * h ** (n - 1) * x, None)),
            ),
            "two gradients": Mistake(
                power(keep_well, read_well, lambda *args: both_gradients(*args)[:2]),
                "`forward` takes three arguments, so `backward` owes three entries. n is a number: its entry is None.",
                again=power(keep_well, read_well, lambda g, x, h, n: (h**n * g, n * h ** (n - 1) * x * g)),
            ),
        },
        hints=(
            "Two of the three arguments are Tensors, and somebody may write to them. One is a number, and nobody can. Which "
            "of them needs a guard, and which place for it has one?",
            "```text\n x, h  Tensors   ──► ctx.save_for_backward(x, h)    version checked, freed after the pass\n"
            " n     a number  ──► ctx.n = n                      a plain attribute\n```",
            "```python\n@staticmethod\ndef forward(ctx, x, h, n):\n    ctx.save_for_backward(___, ___)\n    ctx.n = ___\n"
            "    return x * h**n\n\n"
            "@staticmethod\ndef backward(ctx, g):\n    x, h = ctx.saved_tensors\n    return g * h**ctx.n, g * ___, None\n```",
        ),
        explanation="""\
`save_for_backward` does three things that an attribute does not. It remembers the **version** of each Tensor, so that an
overwritten one raises instead of giving a wrong gradient. It is **freed** when the backward pass is done, so the memory is back
early, and a second pass raises *a second time*. And a saved **output** makes no reference cycle.

An attribute is right for whatever is no Tensor: exponents, shapes, flags. It is shorter, and for a Tensor it is a trap:
`h.zero_()` between forward and backward gave a gradient of zero, and no error.
""",
    )
)


# --- 14.9 needs_input_grad --------------------------------------------------------------------------------------------


def define(f, *rules):
    """f, differentiable by the given rules. Returns a function that takes the same Tensors as f.

    rules[k](g, *inputs): the gradient for input k, where g is the cotangent of the output. A rule is called only when the
    gradient of its input is needed.
    """

    class Defined(mg.autograd.Function):
        @staticmethod
        def forward(ctx, *inputs):
            ctx.save_for_backward(*inputs)
            return f(*inputs)

        @staticmethod
        def backward(ctx, g):
            inputs = ctx.saved_tensors
            return tuple(rule(g, *inputs) if needed else None for rule, needed in zip(rules, ctx.needs_input_grad, strict=True))

    return Defined.apply


def defined(
    f: Any, rules: Any, give: Callable[..., Any], keep: Callable[..., Any] = lambda ctx, *inputs: ctx.save_for_backward(*inputs)
) -> Any:
    """The class of an answer, with this way to keep the inputs and to give the gradients."""

    def run(ctx: Any, *inputs: Any) -> Any:
        keep(ctx, *inputs)
        return f(*inputs)

    return function("Defined", run, lambda ctx, g: give(ctx, g, rules))


def define_by_flags(f, *rules):
    def give(ctx, g, rules):
        found = []
        for t, rule in zip(ctx.saved_tensors, rules, strict=True):
            found.append(rule(g, *ctx.saved_tensors) if t.requires_grad else None)
        return tuple(found)

    return lambda *inputs: defined(f, rules, give).apply(*inputs)


def define_by_ifs(f, *rules):
    def give(ctx, g, rules):
        found: list[Any] = [None] * len(rules)
        for k, needed in enumerate(ctx.needs_input_grad):
            if needed:
                found[k] = rules[k](g, *ctx.saved_tensors)
        return tuple(found)

    return defined(f, rules, give).apply


def give_all(ctx, g, rules):
    return tuple(rule(g, *ctx.saved_tensors) for rule in rules)


def give_all_then_drop(ctx, g, rules):
    found = [rule(g, *ctx.saved_tensors) for rule in rules]
    return tuple(t if needed else None for t, needed in zip(found, ctx.needs_input_grad, strict=True))


def give_needed(ctx, g, rules):
    chosen = zip(rules, ctx.needs_input_grad, strict=True)
    return tuple(rule(g, *ctx.saved_tensors) if needed else None for rule, needed in chosen)


def give_short(ctx, g, rules):
    chosen = zip(rules, ctx.needs_input_grad, strict=True)
    return tuple(rule(g, *ctx.saved_tensors) for rule, needed in chosen if needed)


def give_short_again(ctx, g, rules):
    found = []
    for k, rule in enumerate(rules):
        if ctx.needs_input_grad[k]:
            found += [rule(g, *ctx.saved_tensors)]
    return tuple(found)


def define_shared(f, *rules):
    last: dict[str, Any] = {}

    def keep(ctx, *inputs):
        last["inputs"] = inputs

    def give(ctx, g, rules):
        chosen = zip(rules, ctx.needs_input_grad, strict=True)
        return tuple(rule(g, *last["inputs"]) if needed else None for rule, needed in chosen)

    return defined(f, rules, give, keep).apply


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


def give_ones(ctx, g, rules):
    return give_needed(ctx, mg.ones_like(g), rules)


def give_ones_again(ctx, g, rules):
    return give_needed(ctx, g * 0 + 1, rules)


def define_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Each with two sets of inputs; which of them require grad is the same in both."""

    def inputs(flags: tuple[bool, ...], *shapes: tuple[int, ...]) -> Any:
        return [tuple(random_tensor(rng, dtype, *s, leaf=flag) for s, flag in zip(shapes, flags, strict=True)) for _ in range(2)]

    def product(flags: tuple[bool, ...]) -> Any:
        rules = (lambda g, a, b: g @ b.T, lambda g, a, b: a.T @ g)
        return mg.matmul, rules, inputs(flags, (2, 3), (3, 4)), random_tensor(rng, dtype, 2, 4)

    def three(flags: tuple[bool, ...]) -> Any:
        rules = (lambda g, a, b, c: g * b, lambda g, a, b, c: g * a, lambda g, a, b, c: g)
        return (lambda a, b, c: a * b + c), rules, inputs(flags, (4,), (4,), (4,)), random_tensor(rng, dtype, 4)

    return [
        Case("a @ b, both require grad", product((True, True))),
        Case("a @ b, only a requires grad", product((True, False))),
        Case("a @ b, only b requires grad", product((False, True))),
        Case("a * b + c, a and c require grad", three((True, False, True))),
        Case("a * b + c, only b requires grad", three((False, True, False))),
    ]


def gradients_or_count(y: Any, wanted: list, v: Any) -> Any:
    """The gradients, or the count that the engine complains of, whatever name the learner's class has."""
    try:
        return list(mg.autograd.grad(y, wanted, v))
    except RuntimeError as error:
        if "incorrect number of gradients" in str(error):
            return "RuntimeError: an " + str(error).partition("returned an ")[2]
        raise


def watch_define(answer: Callable[..., Any], f: Any, rules: tuple, both: list[tuple], v: Any) -> Any:
    calls = [0] * len(rules)

    def counted(k: int) -> Callable[..., Any]:
        def rule(*args: Any) -> Any:
            calls[k] += 1
            return rules[k](*args)

        return rule

    made = answer(f, *(counted(k) for k in range(len(rules))))
    if not callable(made) or isinstance(made, type):
        return unfit(made, "a function: `apply` of your Function, not called")
    results = [made(*inputs) for inputs in both]
    if not all(isinstance(y, mg.Tensor) for y in results):
        return unfit(results[0], "a function that returns a Tensor")
    seen: dict[str, Any] = {"outputs": [y.detach().clone() for y in results]}
    for name, y, inputs in zip(("first", "second"), results, both, strict=True):
        if y.requires_grad:
            wanted = [t for t in inputs if t.requires_grad]
            seen[f"gradients of the {name} call"] = gradients_or_count(y, wanted, v)
    seen["calls of each rule"] = calls
    return seen


def define_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def inputs(*flags: bool) -> list[tuple[Any, ...]]:
        return [tuple(random_tensor(rng, dtype, 1, leaf=flag) for flag in flags) for _ in range(2)]

    square = (lambda x: x * x), (lambda g, x: 2 * g * x,)
    return [
        Case("one input, x², one entry", (*square, inputs(True), random_tensor(rng, dtype, 1))),
        Case("one input, x², which requires no grad", (*square, inputs(False), random_tensor(rng, dtype, 1))),
    ]


register(
    Exercise(
        id="14.9",
        title="Skip useless work",
        difficulty=3,
        minutes=8,
        reference=define,
        cases=define_cases,
        edges=define_edges,
        observe=watch_define,
        alternatives={"the flags of the inputs": define_by_flags, "a list, filled where needed": define_by_ifs},
        mistakes={
            "all the work": Mistake(
                lambda f, *rules: defined(f, rules, give_all).apply,
                "The gradients are right, but rules were called for inputs that do not require grad, and the engine threw the results "
                "away. In a product of large matrices that doubles the work. Ask `ctx.needs_input_grad[k]` **before** you call.",
                again=lambda f, *rules: defined(f, rules, give_all_then_drop).apply,
            ),
            "too few entries": Mistake(
                lambda f, *rules: defined(f, rules, give_short).apply,
                "You left out what is not needed. But `backward` owes an entry for **each** argument of `forward`, in their order. "
                "Where nothing is needed the entry is None.",
                again=lambda f, *rules: defined(f, rules, give_short_again).apply,
            ),
            "a list": Mistake(
                lambda f, *rules: defined(f, rules, lambda ctx, g, rules: list(give_needed(ctx, g, rules))).apply,
                "Your `backward` returns a list, and the engine takes it for **one** gradient. Make it a tuple: `tuple(found)`.",
                again=lambda f, *rules: defined(f, rules, lambda ctx, g, rules: [*give_needed(ctx, g, rules)]).apply,
            ),
            "one memory for all calls": Mistake(
                define_shared,
                "Two calls came before the first backward pass, and the second overwrote the inputs of the first. What a call must "
                "remember belongs to **its** node: that is what `ctx` is for.",
                again=define_shared_again,
            ),
            "g is replaced": Mistake(
                lambda f, *rules: defined(f, rules, give_ones).apply,
                "The rules must get the cotangent `g` that `backward` received, not ones.",
                again=lambda f, *rules: defined(f, rules, give_ones_again).apply,
            ),
            "the class is returned": Mistake(
                lambda f, *rules: defined(f, rules, give_needed),
                "You returned the class. It cannot be called; return its `apply`, without brackets.",
                again=lambda f, *rules: type("Other", (defined(f, rules, give_needed),), {}),
            ),
        },
        hints=(
            "Define a Function inside `define`. Its `forward` takes `ctx` and any number of inputs: `*inputs`. Its `backward` "
            "asks, for each of them, whether anybody wants the gradient.",
            "```text\n needs_input_grad    (True,                 False,  True)\n"
            " returned            (rules[0](g, a, b, c), None,   rules[2](g, a, b, c))\n```",
            "```python\nclass Defined(mg.autograd.Function):\n    @staticmethod\n    def forward(ctx, *inputs):\n"
            "        ctx.save_for_backward(___)\n"
            "        return f(*inputs)\n\n    @staticmethod\n    def backward(ctx, g):\n        found = []\n"
            "        for rule, needed in zip(rules, ___):\n            found.append(rule(___) if needed else ___)\n"
            "        return tuple(found)\n\n"
            "return Defined.___\n```",
        ),
        explanation="""\
`ctx.needs_input_grad` has a flag for each argument of `forward`. For a @ b each gradient is a matrix product of its own. In the
first layer of a network the data need none, and skipping it saves a third of the work of that layer.

The entries keep their places: None where nothing is needed. Each call has its own `ctx`, so any number of calls can wait for
their backward pass.

What you wrote is the heart of every library of this kind: a function, and a VJP for each input. The rules are made of Tensor
operations on saved inputs, so what `define` returns can be differentiated twice.
""",
    )
)
