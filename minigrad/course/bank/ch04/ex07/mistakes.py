"""04.7 The judge: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from minigrad.course.bank.ch04.common import Array
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost
MISTAKES: dict[str, Mistake] = {}


def near(a: Any, b: Any) -> bool:
    return bool(np.isclose(a, b, rtol=1e-5, atol=1e-7))


def central(f: Callable[[Array], Array], x: Array, u: Array, eps: float = 1e-6) -> Array:
    """J u."""
    return (f(x + eps * u) - f(x - eps * u)) / (2 * eps)


def judge_by(
    draw_v: Callable[[np.random.Generator, tuple[int, ...]], Any],
    draw_u: Callable[[np.random.Generator, tuple[int, ...]], Any],
    equal: Callable[[Any, Any], Any] = near,
    slope: Callable[..., Array] = central,
    dot: Callable[[Any, Any], Any] = lambda a, b: np.sum(a * b),
) -> Callable[..., bool]:
    """A dot test with its own way to draw v and u, to compare, to find J u, and to form the dot."""

    def test(f: Callable[[Array], Array], vjp: Callable[[Array, Array], Array], x: Array) -> bool:
        rng = np.random.default_rng()
        v, u = draw_v(rng, np.shape(f(x))), draw_u(rng, x.shape)
        return bool(equal(dot(v, slope(f, x, u)), dot(vjp(v, x), u)))

    return test


def by_whole_jacobian(f, vjp, x):
    v = np.random.normal(size=np.shape(f(x)))
    steps = np.eye(x.size).reshape(-1, *x.shape)
    vJ = np.array([np.sum(v * central(f, x, e)) for e in steps]).reshape(x.shape)
    return bool(np.allclose(vJ, vjp(v, x), rtol=1e-5, atol=1e-7))


WASTEFUL["the whole Jacobian"] = Mistake(
    by_whole_jacobian,
    "Right, but you called f as often as the whole Jacobian takes: twice for each input. **One** random direction `u` is enough, "
    "with two calls of f however many inputs there are: that is what makes this test cheap.",
)


def normal(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.asarray(rng.normal(size=shape))


def ones(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.ones(shape)


MISTAKES["v = ones"] = Mistake(
    judge_by(ones, normal),
    "Your judge accepts all ten right rules, and fourteen of the wrong ones too: it is blind. That "
    "happens when `v` is all ones. Ask yourself for each of the fourteen what it does with v = 1. "
    "Draw `v` at random, of both signs.",
)

MISTAKES["u = ones"] = Mistake(
    judge_by(normal, ones),
    "With `u` = ones you compare only the **sum** of the entries of vᵀJ. A rule that puts the "
    "right numbers in the wrong places passes. Draw `u` at random as well.",
)


def positive(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.asarray(rng.uniform(0.1, 1.0, size=shape))


MISTAKES["v is never negative"] = Mistake(
    judge_by(positive, normal),
    "One wrong rule gets through: the one that takes |v|, with one sign for all. Have all entries of your `v` the same sign, as those "
    "of `rng.random` and `rng.uniform(0, 1)`? Draw both signs: `rng.normal`.",
)


def along_x(f, vjp, x):
    v = np.random.normal(size=np.shape(f(x)))
    return near(np.sum(v * central(f, x, x)), np.sum(vjp(v, x) * x))


MISTAKES["u is x"] = Mistake(
    along_x,
    "One wrong rule gets through: it is always zero, and f keeps its value when x grows in its own direction. Is your `u` the `x`, or "
    "a multiple of it? Draw `u` at random.",
)


def u_is_v(f, vjp, x):
    v = np.random.normal(size=np.shape(f(x)))
    u = np.resize(v, x.shape)
    return near(np.sum(v * central(f, x, u)), np.sum(vjp(v, x) * u))


MISTAKES["u is v"] = Mistake(
    u_is_v,
    "One wrong rule gets through: it returns J v, where vᵀJ is wanted. If `u` and `v` hold the same numbers, ⟨v, J u⟩ and ⟨J v, u⟩ "
    "are one number, whatever J is. Two generators with one seed draw the same: draw `v` and `u` from **one**, one after the other.",
)


def signs(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    return np.asarray(rng.choice([-1.0, 1.0], size=shape))


MISTAKES["v is 1 or −1"] = Mistake(
    judge_by(signs, normal),
    "One wrong rule gets through: the one that takes v³. If each entry of your `v` is 1 or −1 (or 0), that is `v` itself. "
    "Draw numbers of all sizes: `rng.normal`.",
)

MISTAKES["no tolerance"] = Mistake(
    judge_by(normal, normal, lambda a, b: a == b),
    "Your judge rejects every rule, the right ones too: the comparison never holds. With `==` it cannot, "
    "because J u by differences has an error of about 1e-10: use `np.isclose`. If you do, its tolerance is too small, or one of its "
    "two numbers is wrong: print both for `np.sin` and its right rule, and see what comes back at the end.",
)

MISTAKES["the 2 is missing"] = Mistake(
    judge_by(normal, normal, slope=lambda f, x, u: 2 * central(f, x, u)),
    "Your judge rejects every right rule, and accepts one that is twice too large. So your J u is twice too "
    "large: from x − εu to x + εu it is **2ε**, not ε.",
)

MISTAKES["J u is nearly zero"] = Mistake(
    judge_by(normal, normal, slope=lambda f, x, u: (f(x + 1e-6 * u) - f(x - 1e-6 * u)) / 2 * 1e-6),
    "Your judge rejects every right rule, and accepts one that is always zero. So your J u is nearly zero. "
    "Python reads `d / 2 * eps` as `(d / 2) * eps`: write `d / (2 * eps)`.",
)


def one_sided(f: Callable[[Array], Array], x: Array, u: Array) -> Array:
    return (f(x + 1e-6 * u) - f(x)) / 1e-6


MISTAKES["differences on one side"] = Mistake(
    judge_by(normal, normal, slope=one_sided),
    "Your J u is too rough: a right rule is rejected where f bends a lot. `(f(x + εu) − f(x)) / ε` is off by "
    "about ε. Take both sides, `(f(x + εu) − f(x − εu)) / 2ε`: off by about ε² only.",
)

def moved_in_place(f, vjp, x):
    rng = np.random.default_rng()
    v, u = rng.normal(size=np.shape(f(x))), rng.normal(size=x.shape)
    x += 1e-6 * u
    up = f(x)
    x -= 2e-6 * u
    return near(np.sum(v * (up - f(x)) / 2e-6), np.sum(vjp(v, x) * u))


MISTAKES["x itself is moved"] = Mistake(
    moved_in_place,
    "You moved `x` itself, and did not put it back: if `vjp` is asked after that, it is asked at another point than J u is taken at. "
    "Make new points, `x + eps * u` and `x - eps * u`: `x += …` writes into the array.",
)

MISTAKES["the step is too small"] = Mistake(
    judge_by(normal, normal, slope=lambda f, x, u: central(f, x, u, 1e-10)),
    "A right rule is rejected where f(x) is large. Your ε is so small that f(x + εu) and f(x − εu) agree in "
    "nearly all their digits, and their difference is mostly rounding. Take ε = 1e-6.",
)

MISTAKES["the tolerance is loose"] = Mistake(
    judge_by(normal, normal, lambda a, b: np.isclose(a, b, rtol=0.03)),
    "One wrong rule gets through: it is off by 3 in 1000 only. Your tolerance is too loose. The two numbers "
    "of a right rule agree to many digits; 1e-5 of their size is ample.",
)


def dot_test_like_x(f, vjp, x):
    rng = np.random.default_rng()
    v, u = rng.normal(size=(2, *x.shape))
    return near(np.sum(v * central(f, x, u)), np.sum(vjp(v, x) * u))


MISTAKES["v has the shape of x"] = Mistake(
    dot_test_like_x,
    "`v` lives where f(x) lives: draw it with `size=np.shape(f(x))`. Yours does not fit a rule where f(x) has "
    "another shape than x.",
)


def dot_test_u_like_y(f, vjp, x):
    v, u = np.random.normal(size=(2, *np.shape(f(x))))
    return near(np.sum(v * central(f, x, u)), np.sum(vjp(v, x) * u))


MISTAKES["u has the shape of f(x)"] = Mistake(
    dot_test_u_like_y,
    "`u` is a direction in which x moves: draw it with `size=x.shape`. Yours does not fit a rule where f(x) "
    "has another shape than x.",
)

MISTAKES["@ for the dot"] = Mistake(
    judge_by(normal, normal, dot=lambda a, b: a @ b),
    "`@` and `np.dot` give the sum of the products only when both have one axis. With two they multiply "
    "matrices, with none `@` raises. Multiply entry by entry, and sum everything: `np.sum(a * b)`.",
)


def unsummed(f, vjp, x):
    rng = np.random.default_rng(2)
    u, v = rng.normal(size=x.shape), rng.normal(size=np.shape(f(x)))
    Ju = (f(x + 1e-6 * u) - f(x - 1e-6 * u)) / 2e-6
    return np.allclose(v * Ju, vjp(v, x) * u)


MISTAKES["not summed"] = Mistake(
    unsummed,
    "⟨a, b⟩ is **one number**, the sum of the products. `v * Ju` has the shape of y and `vjp(v, "
    "x) * u` the shape of x: they cannot be compared entry by entry. Sum each first.",
)

MISTAKES["the tolerance is too small"] = Mistake(
    judge_by(normal, normal, lambda a, b: np.isclose(a, b, rtol=1e-12, atol=1e-12)),
    "Your judge rejects some right rules, and accepts others. Differences have about ten right digits, and fewer where f(x) is "
    "large: if your tolerance asks for more, as 1e-12 does, it is too small. 1e-5 of the numbers' size is ample. (With a step far "
    "below 1e-6 the differences have fewer digits still.)",
)

MISTAKES["the step is too large"] = Mistake(
    judge_by(normal, normal, slope=lambda f, x, u: central(f, x, u, 0.02)),
    "Right rules are rejected where f bends most. From x − εu to x + εu it must look straight: with ε = 1e-2 your J u would be "
    "off by about 1e-4 of its size. Take ε = 1e-6.",
)

MISTAKES["signs are not compared"] = Mistake(
    judge_by(normal, normal, lambda a, b: near(abs(a), abs(b))),
    "One wrong rule gets through: it has forgotten the minus of the slope of cos. The two numbers must have the same sign, too: "
    "compare them as they are.",
)


def one_of_many(f, vjp, x):
    rng = np.random.default_rng()
    pairs = [(normal(rng, np.shape(f(x))), normal(rng, x.shape)) for _ in range(20)]
    return any(near(np.sum(v * central(f, x, u)), np.sum(vjp(v, x) * u)) for v, u in pairs)


MISTAKES["one pair of many is enough"] = Mistake(
    one_of_many,
    "A rule gets through that is wrong for every other `v`. A wrong rule may agree by luck: **one** pair that does not agree is "
    "enough to say False. If you try several pairs, all of them must agree: `all(…)`, not `any(…)`.",
)
