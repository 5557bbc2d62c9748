"""09.6 Newton without the Hessian: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch09.common import gradient_at
from minigrad.course.bank.ch09.ex01.answer import hvp
from minigrad.course.bank.ch09.ex02.answer import hessian
from minigrad.course.bank.ch09.ex06.answer import newton_direction
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def direction_twice(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2 * (g @ g):
        alpha = (r @ r) / (d @ hvp(f, x, d))
        p, new = p + alpha * d, r - alpha * hvp(f, x, d)
        d = new + (new @ new) / (r @ r) * d
        r = new
    return p


WASTEFUL["the same product again"] = Mistake(
    direction_twice,
    "Right, but you compute the same product H d more than once. Keep it, `Hd = hvp(f, x, d)`: it stands in α and in the residual.",
)


def direction_round_more(f, x, tol):
    g = gradient_at(f, x)
    p, r, d, going = mg.zeros_like(g), -g, -g, bool(g.any())
    while going:
        going = bool(r @ r > tol**2 * (g @ g))
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, new = p + alpha * d, r - alpha * Hd
        d, r = new + (new @ new) / (r @ r) * d, new
        going = going and bool(r.any())
    return p


WASTEFUL["a round too many"] = Mistake(
    direction_round_more,
    "You make a product H d more than are needed: the residual is small already. Look at it after each round, and before the next "
    "product.",
)

MISTAKES: dict[str, Mistake] = {}


def direction_one_round(f, x, tol):
    r = -gradient_at(f, x)
    return (r @ r) / (r @ hvp(f, x, r)) * r


MISTAKES["one round"] = Mistake(
    direction_one_round,
    "You stopped after the first round: the best point along the gradient, no more. Go round until the residual is "
    "small. (If your loop does go on, its direction never changes: look at β and at d.)",
)


def rounds(
    f: Callable[..., Any],
    x: Any,
    tol: float,
    update: Callable[..., Any] = lambda r, alpha, d, Hd: r - alpha * Hd,
    beta: Callable[..., Any] = lambda new, r: (new @ new) / (r @ r),
    most: int = 20,
    length: Callable[..., Any] = lambda r, d, Hd: (r @ r) / (d @ Hd),
    direction: Callable[..., Any] = lambda new, beta, d, r: new + beta * d,
) -> Any:
    """Conjugate gradients with another rule for the residual, for alpha, for beta or for the direction, and an end."""
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    for _ in range(most):
        if not r @ r > tol**2 * (g @ g) or not r @ r < 1e30:
            break
        Hd = hvp(f, x, d)
        alpha = length(r, d, Hd)
        p = p + alpha * d
        new = update(r, alpha, d, Hd)
        d = direction(new, beta(new, r), d, r)
        r = new
    return p


WRONG_RESIDUAL = (
    "Your residual is wrong. When p grows by α d, then H p grows by α **H d**, so r = −g − H p loses α H d. You can test it in "
    "every round: `r` must equal `-g - hvp(f, x, p)`."
)

MISTAKES["the residual"] = Mistake(
    lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: r - alpha * d), WRONG_RESIDUAL
)

MISTAKES["the residual grows"] = Mistake(
    lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: r + alpha * Hd), WRONG_RESIDUAL
)

MISTAKES["no alpha in the residual"] = Mistake(
    lambda f, x, tol: rounds(f, x, tol, update=lambda r, alpha, d, Hd: r - Hd), WRONG_RESIDUAL
)

MISTAKES["the other sign"] = Mistake(
    lambda f, x, tol: -newton_direction(f, x, tol),
    "Your p solves H p = **+**g: it leads uphill. The right side is −g: begin with r = −g, and **add** in each round, p ← p + α d.",
)

MISTAKES["beta upside down"] = Mistake(
    lambda f, x, tol: rounds(f, x, tol, beta=lambda new, r: (r @ r) / (new @ new)),
    "Your β is upside down: it is the **new** r · r divided by the old one. It is small when the round helped.",
)


def direction_rough(f, x, tol):
    return newton_direction(f, x, tol**0.5)


MISTAKES["too early"] = Mistake(
    direction_rough,
    "You stop too early. Compare the **lengths**: |r| ≤ tol · |g|. If you compare r · r and g · g, which are squares, "
    "the tolerance must be squared as well.",
)


def direction_absolute(f, x, tol):
    return newton_direction(f, x, tol / mg.linalg.norm(gradient_at(f, x)).item())


MISTAKES["not measured by g"] = Mistake(
    direction_absolute,
    "Here you stop too early: the residual is still longer than tol · **|g|**. Do you compare |r| with `tol` alone? Where the "
    "gradient itself is small, as here, that ends too early, and where it is large, too late. (Or is `tol` not used at all, or does "
    "your loop end after so many rounds in any case?)",
)


def direction_n_rounds(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    for _ in range(len(x)):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, new = p + alpha * d, r - alpha * Hd
        d, r = new + (new @ new) / (r @ r) * d, new
    return p


MISTAKES["a product for each variable"] = Mistake(
    direction_n_rounds,
    "The direction is right, but you took a pass for each of the 20 variables, or more. Your loop does not look at the "
    "residual: here it is tiny after two rounds, and the loop must end.",
)


def direction_whole(f, x, tol):
    return -mg.linalg.solve(hessian(f, x), gradient_at(f, x))


MISTAKES["the whole Hessian"] = Mistake(
    direction_whole,
    "The direction is right, but you built all of H: a pass for each variable. In one of the cases two products H d are enough "
    "for 20 variables.",
)


def direction_overwritten(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p = p + alpha * d
        r = r - alpha * Hd
        d = r + (r @ r) / (r @ r) * d
    return p


MISTAKES["beta is 1"] = Mistake(
    direction_overwritten,
    "Your β is 1 in every round. It is the new r · r divided by the **old** one: keep the old residual, or its r · r, "
    "until β is computed.",
)


def direction_one_tensor(f, x, tol):
    g = gradient_at(f, x)
    p, r = mg.zeros_like(g), -g
    d, rr = r, r @ r
    while rr > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = rr / (d @ Hd)
        p += alpha * d
        r -= alpha * Hd
        before, rr = rr, r @ r
        d = r + rr / before * d
    return p


MISTAKES["the residual alone"] = Mistake(
    direction_one_tensor,
    "After the first round you go along the residual alone, and not along d = r + β d. Either β d is left out, or `r` "
    "is multiplied by H in place of `d`, or `r` and `d` are **one tensor**: after `d = r`, an `r -= …` changes `d` as "
    "well (chapter 11). Begin with `d = r.clone()`, or write `r = r - …`.",
)


def direction_kept(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, r = p + alpha * d, r - alpha * Hd
    return p


MISTAKES["the direction is kept"] = Mistake(
    direction_kept, "Every round goes along the first d. After the first there is nothing more to gain there: d ← r + β d."
)

MISTAKES["the old residual"] = Mistake(
    lambda f, x, tol: rounds(f, x, tol, direction=lambda new, beta, d, r: r + beta * d),
    "The new direction begins with the **new** residual: d ← r′ + β d. Yours begins with the old one.",
)

MISTAKES["alpha"] = Mistake(
    lambda f, x, tol: rounds(f, x, tol, length=lambda r, d, Hd: (d @ d) / (d @ Hd)),
    "The first round is right, the second goes too far: above the line of α stands r · r, and not d · d. In the first "
    "round the two are equal.",
)


def direction_endless(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while r @ r > tol**2 * (g @ g):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, new = p + alpha * d, r - alpha * Hd
        d = new + (new @ new) / (r @ r) * d
    return p


MISTAKES["no end"] = Mistake(
    direction_endless,
    "Your loop does not end. Does it look at the residual, and is the new one kept for the next round, `r = r_new`? You "
    "can test it in every round: `r` must equal `-g - hvp(f, x, p)`.",
)

MISTAKES["p is not kept"] = Mistake(
    lambda f, x, tol: mg.zeros_like(newton_direction(f, x, tol)),
    "Your p is still 0. Each round adds to it: `p = p + alpha * d`.",
)

MISTAKES["the next point"] = Mistake(
    lambda f, x, tol: x + newton_direction(f, x, tol), "That is the next point, x + p. Wanted is the direction p alone."
)

MISTAKES["always two rounds"] = Mistake(
    lambda f, x, tol: rounds(f, x, tol, most=2),
    "You stop after two rounds, whatever is left. Go round until the residual is small: |r| ≤ tol · |g|.",
)


def direction_looks_late(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    while True:
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, new = p + alpha * d, r - alpha * Hd
        if new @ new <= tol**2 * (g @ g):
            return p
        d, r = new + (new @ new) / (r @ r) * d, new


LOOKS_LATE = (
    "Here g is 0, and so is the first d. Then α is 0/0, which is nan. Look at the residual **before** the first round: with r · r ≤ "
    "tol² · g · g, and not <, it is small enough."
)

MISTAKES["looks after a round"] = Mistake(
    direction_looks_late, f"{LOOKS_LATE} (No comparison with nan is true, so the loop never ends.)"
)


def direction_goes_on(f, x, tol):
    g = gradient_at(f, x)
    p, r, d = mg.zeros_like(g), -g, -g
    for _ in range(2 * len(x)):
        Hd = hvp(f, x, d)
        alpha = (r @ r) / (d @ Hd)
        p, new = p + alpha * d, r - alpha * Hd
        if new @ new <= tol**2 * (g @ g):
            break
        d, r = new + (new @ new) / (r @ r) * d, new
    return p


MISTAKES["looks after a round, and ends"] = Mistake(direction_goes_on, LOOKS_LATE)


def direction_by(size: Callable[[Any], Any]) -> Callable[..., Any]:
    """Conjugate gradients that end by another measure than the length."""

    def direction(f, x, tol):
        g = gradient_at(f, x)
        p, r, d = mg.zeros_like(g), -g, -g
        while size(r) > tol * size(g):
            Hd = hvp(f, x, d)
            alpha = (r @ r) / (d @ Hd)
            p, new = p + alpha * d, r - alpha * Hd
            d, r = new + (new @ new) / (r @ r) * d, new
        return p

    return direction


ANOTHER_MEASURE = (
    "Here you stop too early. How do you measure `r` and `g`? The length is the root of the sum of the **squares**, `r @ r` and "
    "`g @ g`. The largest entry, or the sum of the sizes, may be small where the length is not."
)

MISTAKES["another measure"] = Mistake(direction_by(lambda r: r.abs().max()), ANOTHER_MEASURE)
MISTAKES["another measure, the sum of the sizes"] = Mistake(direction_by(lambda r: r.abs().sum()), ANOTHER_MEASURE)
