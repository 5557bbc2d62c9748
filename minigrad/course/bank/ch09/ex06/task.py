"""09.6 Newton without the Hessian: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.autograd.functional import hessian
from minigrad.course.bank.ch09.common import Watch, gradient_at
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.judging.compare import unfit


def first_beta(f: Callable[..., Any], x: Any) -> float:
    """By how much the old direction counts in the second one."""
    g, H = gradient_at(f, x).numpy().astype(float), hessian(f, x).detach().numpy().astype(float)
    new = (g @ g) / (g @ H @ g) * (H @ g) - g
    return float((new @ new) / (g @ g))


def direction_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(name: str, f: Callable[..., Any], n: int) -> Case:
        x = random_tensor(rng, dtype, n, leaf=True)
        while abs(first_beta(f, x) - 1) < 0.1:  # who forgets β would go right at first
            x = random_tensor(rng, dtype, n, leaf=True)
        return Case(name, (f, x, tol))

    tol = 1e-8 if dtype is mg.float64 else 1e-4
    A, B, b = (random_tensor(rng, dtype, *shape) for shape in ((4, 4), (3, 6), (6,)))
    S = A @ A.T / 4 + mg.eye(4, dtype=dtype)
    w = mg.tensor(1 + 2 * rng.permutation(15) / 14, dtype=dtype)
    a = mg.tensor(rng.choice([-1.0, 1.0], size=20) * rng.uniform(0.5, 1.5, size=20), dtype=dtype)
    c = random_tensor(rng, dtype, 20)
    return [
        case("a bowl, x @ S @ x + x.sum(), 4 variables", lambda x: x @ S @ x + x.sum(), 4),
        case(
            "log(1 + exp(B @ x)).sum() + ((x - b) ** 2).sum(), 6 variables",
            lambda x: mg.log(1 + mg.exp(B @ x)).sum() + ((x - b) ** 2).sum(),
            6,
        ),
        # The residual shrinks a little in every round, and the gradient is small: who stops at another tolerance, or does
        # not measure it by the gradient, is found out here.
        case("((w * x ** 2).sum() / 2 + x.sum()) / 1000, 15 variables", lambda x: ((w * x**2).sum() / 2 + x.sum()) / 1000, 15),
        # H is the identity and one outer product: two different eigenvalues, so two rounds are enough.
        case("x @ x / 2 + (a @ x) ** 2 / 8 + c @ x, 20 variables", lambda x: x @ x / 2 + (a @ x) ** 2 / 8 + c @ x, 20),
    ]


class Enough(BaseException):
    """Ends an answer that goes on and on. No `except Exception` of a learner's catches it."""


def told_products(f: Callable[..., Any], products: list[np.ndarray], most: int) -> Callable[..., Any]:
    """f, and each vector by which its Hessian is multiplied goes into `products`; after `most` of them it is enough."""

    class OnTheWayBack(mg.autograd.Function):
        """On the way of the gradient: what comes back here is the cotangent of the second pass."""

        @staticmethod
        def forward(ctx: Any, g: Any) -> Any:
            return g.clone()

        @staticmethod
        def backward(ctx: Any, d: Any) -> Any:
            products.append(d.detach().numpy().astype(float))
            if len(products) > most:
                raise Enough
            return d

    class There(mg.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            return x.clone()

        @staticmethod
        def backward(ctx: Any, g: Any) -> Any:
            return OnTheWayBack.apply(g)

    return lambda x: f(There.apply(x))


AS_IN_THE_RECIPE, OTHERS = "as in the recipe", "others"
WITH_RESIDUAL, ONE_HOT = "with the residual alone", "with one-hot vectors: all of H"
OTHER_ALPHA = "as if α had d · d above the line"


def of_products(d: list[np.ndarray], g: np.ndarray, H: np.ndarray) -> str:
    """In words: how the products of an answer differ from those of conjugate gradients, by the first that does."""

    def alike(a: np.ndarray, b: np.ndarray) -> bool:
        return bool(np.linalg.norm(a - b) <= 1e-3 * np.linalg.norm(b))

    def following(r: np.ndarray, new: np.ndarray, direction: np.ndarray, beta: Callable[[float], float] = float) -> np.ndarray:
        return new + beta((new @ new) / (r @ r)) * direction

    if len(d) > 1 and all(np.count_nonzero(v) == 1 for v in d):
        return ONE_HOT
    made, d = len(d), [v for k, v in enumerate(d) if k == 0 or not np.array_equal(v, d[k - 1])]
    if not d or not alike(d[0], -g):
        return OTHERS
    if len(d) < 2:
        return "with the first direction again" if made > 2 else AS_IN_THE_RECIPE
    alpha = (g @ g) / (g @ H @ g)
    r, Hd = -g, -(H @ g)
    new = r - alpha * Hd
    if not alike(d[1], following(r, new, r)):
        believed = {
            WITH_RESIDUAL: new * (new @ d[1]) / (new @ new),  # any multiple of it
            "as if β were 1": new + r,
            "as if β were upside down": following(r, new, r, lambda beta: 1 / beta),
            "with the old residual in the new direction": r + (new @ new) / (r @ r) * r,
            "as if the residual lost α d": following(r, r - alpha * r, r),
            "as if the residual grew": following(r, r + alpha * Hd, r),
            "as if α were not in the residual": following(r, r - Hd, r),
        }
        return next((words for words, v in believed.items() if alike(d[1], v)), OTHERS)
    if len(d) > 2:
        Hd1 = H @ d[1]
        other = new - (d[1] @ d[1]) / (d[1] @ Hd1) * Hd1
        if alike(d[2], following(new, other, d[1])):
            return OTHER_ALPHA
    return AS_IN_THE_RECIPE


def watch_direction(answer: Callable[..., Any], f: Callable[..., Any], x: Any, tol: float) -> Any:
    products: list[np.ndarray] = []
    most = 20 + 4 * len(x)  # a right answer needs n, or twice as many; and the one without end is ended
    watch = Watch(told_products(f, products, most), x)
    try:
        p = answer(watch.f, x, tol)
        if not isinstance(p, mg.Tensor):
            return unfit(p, "a Tensor of shape (n,)")
    except Enough:
        p = mg.zeros_like(x)
    passes, ends = watch.passes, len(products) <= most
    seen: dict[str, Any] = {"f is called": watch.place(), "shape of p": str(tuple(p.shape))}
    if watch.moved or p.shape != x.shape:
        return seen
    g, H, p = gradient_at(f, x), hessian(f, x).detach(), p.detach().to(x.dtype)
    if not g.any():
        return seen | {"p, where g is 0": p, "the loop": "ends" if ends else "does not end"}
    left = mg.linalg.norm(H @ p + g).item() / mg.linalg.norm(g).item()
    solved, few = ends and left <= 3 * tol, passes < len(x) or len(x) != 20
    how = of_products(products, g.numpy().astype(float), H.numpy().astype(float))
    if how in (WITH_RESIDUAL, ONE_HOT, OTHER_ALPHA) or not (solved and few) and how not in (AS_IN_THE_RECIPE, OTHERS):
        return seen | {"products H d": how}  # what came of them differs from one loop to the next
    seen |= {"products H d": AS_IN_THE_RECIPE, "the loop": "ends" if ends else "does not end"}
    if ends:
        seen["the length of H p + g, divided by that of g"] = "at most tol" if solved else left
    long = float(np.linalg.norm(g.numpy())) * tol / 2  # a direction is at least as long as the residual
    seen["cost_late"] = solved and len(x) == 20 and any(0 < np.linalg.norm(v) < long for v in products)
    seen["cost_again"] = any(np.array_equal(a, b) for a, b in combinations(products, 2))
    if solved and len(x) == 20:
        seen["backward passes, where two products H d are enough"] = "few" if few else "as many as there are variables, or more"
    return seen


def direction_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    tol = 1e-8 if dtype is mg.float64 else 1e-4
    # One round leads from a residual in one entry to one that is spread over all the others, and back; the second ends in both.
    # The lengths are halved in the first: whoever measures by the largest entry, or by the sum of the sizes, stops there.
    spread = mg.ones(26, dtype=dtype)
    spread[0] = 0.0
    one = (spread == 0).to(dtype)

    def from_zero(label: str, g: Any) -> Case:
        x = mg.zeros(26, dtype=dtype, requires_grad=True)
        return Case(label, (lambda x: x @ x + x[0] * (spread @ x) / 5 + g @ x, x, 0.11))

    return [
        from_zero("26 variables, g in one of them, tol is 0.11", one),
        from_zero("26 variables, g in all others, tol is 0.11", spread),
        Case(
            "at the minimum, where g is 0", (lambda x: (x**2).sum() + (x**4).sum(), mg.zeros(3, dtype=dtype, requires_grad=True), tol)
        ),
    ]


TASK = Part(
    id="09.6",
    title="Newton without the Hessian",
    difficulty=5,
    minutes=25,
    extra=True,
    requirements=(
        Requirement(
            "`f` takes a Tensor of shape (n,) and returns one of shape (). `x` is a leaf of shape (n,) that requires grad. H "
            "is positive definite there, so n rounds are enough, and often far fewer. If g is zero already, so is p.",
        ),
        Requirement(
            "H d is your `hvp(f, x, d)`. Do not build H, and do not go on when the residual is small: in one of the cases "
            "two rounds are enough for 20 variables, and the checker counts the passes.",
            ("the whole Hessian", "a product for each variable"),
        ),
        Requirement(
            "End as soon as the length of r is at most `tol` times the length of g: r · r ≤ tol² · g · g.",
            ("too early", "not measured by g", "another measure", "no end", "a round too many"),
        ),
        Requirement("Return p, which solves H p = −g.", ("the other sign", "the next point", "beta upside down")),
    ),
    cases=direction_cases,
    musts={"cost_late": "end as soon as the residual is small: there is no product H d to make after that."},
    edges=direction_edges,
    observe=watch_direction,
)
