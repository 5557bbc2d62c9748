"""15.3 Adam: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch15.ex03.answer import Adam
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


class AdamOfNN:
    """The one that is there."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.inner = mg.optim.Adam(params, lr=lr, betas=betas, eps=eps)

    def step(self):
        self.inner.step()


MISTAKES["the ready one"] = Mistake(
    AdamOfNN,
    "The numbers are right, but `mg.optim.Adam` computed them. The exercise is to write it: keep `m`, `v` and `t` for "
    "each parameter, and compute the step from the formulas.",
)


def adam(
    arrays: bool = False,
    correct: tuple[bool, bool] = (True, True),
    eps_at: str = "outside",
    clock: str = "step",
    shared: bool = False,
    power: Callable[[Any], Any] = lambda g: g * g,
    sign: float = 1.0,
    rebinds: bool = False,
    remembers: bool = True,
    swapped: bool = False,
    rooted: bool = True,
    record: bool = False,
    powers: bool = True,
    clears: bool = False,
    none_is_zero: bool = False,
    weighed: tuple[bool, bool] = (True, True),
    stores: bool = False,
) -> Any:
    """A class that does what somebody with another formula in mind would write; arrays: the same with NumPy arrays."""

    class OtherAdam:
        def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
            self.params, self.lr, self.betas, self.eps = list(params), lr, betas[::-1] if swapped else betas, eps
            self.t, self.memory = int(clock == "early"), {}

        def step(self):
            self.t += clock in ("step", "early")
            with mg.set_grad_enabled(record):
                for k, p in enumerate(self.params):
                    if p.grad is not None:
                        self.t += clock == "parameter"
                        self.move(p, p.grad, 0 if shared else k)
                        p.grad = None if clears else p.grad
                    elif none_is_zero:
                        self.move(p, mg.zeros_like(p), k)
            self.t += clock == "late"

        def move(self, p, g, k):
            g = g.numpy() if arrays else g
            b1, b2 = self.betas
            m, v = self.memory.get(k, (0 * g, 0 * g))
            a, b = (1 - b1 if weighed[0] else 1), (1 - b2 if weighed[1] else 1)
            m, v = (b1 * m if remembers else 0 * m) + a * g, b2 * v + b * power(g)
            self.memory[k] = m, v
            t = self.t if powers else 1
            m = m / (1 - b1**t) if correct[0] else m
            c = 1 - b2**t if correct[1] else 1.0
            self.memory[k] = (m, v / c) if stores else self.memory[k]
            root = np.sqrt if arrays else mg.sqrt
            if not rooted:
                below = v / c + self.eps
            elif eps_at == "inside":
                below = root(v / c + self.eps)
            elif eps_at == "before":
                below = (root(v) + self.eps) / c**0.5
            else:
                below = root(v / c) + self.eps
            change = sign * self.lr * m / below
            if rebinds:
                p = p - change
            elif arrays and record:
                p.sub_(mg.tensor(change, dtype=p.dtype))
            elif arrays:
                p.data -= mg.tensor(change, dtype=p.dtype)
            else:
                p -= change

    return OtherAdam


def adam_mistake(hint: str, **wrong: Any) -> Mistake:
    return Mistake(adam(**wrong), hint)


MISTAKES["no bias correction"] = adam_mistake(
    "After one step m is 0.1 · g and v is 0.001 · g²: both began at 0 and are still too small. So the **first step is "
    "0.1 / √0.001 = 3.16 · lr, not lr**. Divide m by 1 − β₁ᵗ and v by 1 − β₂ᵗ.",
    correct=(False, False),
)

MISTAKES["only m is corrected"] = adam_mistake(
    "m is corrected and v is not: v is still far too small, and the first step is 31.6 · lr. Divide v by 1 − β₂ᵗ as well.",
    correct=(True, False),
)

MISTAKES["only v is corrected"] = adam_mistake(
    "v is corrected and m is not: the first step is 0.1 · lr. Divide m by 1 − β₁ᵗ as well.", correct=(False, True)
)

MISTAKES["eps inside the root"] = adam_mistake(
    "`eps` stands inside the root. √(v̂ + eps) is not √v̂ + eps: with eps = 1e-8 the root adds up to 1e-4, and small "
    "gradients hardly move anything. Take the root first, then add.",
    eps_at="inside",
)

MISTAKES["eps before the correction"] = adam_mistake(
    "You added `eps` before the correction of v was divided out, so it grew with it. First v̂, then its root, then eps.",
    eps_at="before",
)

MISTAKES["t from 0"] = adam_mistake(
    "In the first step t must be 1. With t = 0 the correction 1 − β⁰ is 0, and you divide by it: NaN. Count at the "
    "beginning "
    "of `step`.",
    clock="late",
)

MISTAKES["t from 2"] = adam_mistake(
    "In the first step t must be 1, and yours is 2: it began at 1, and was counted up before it was used.", clock="early"
)

MISTAKES["one memory for all parameters"] = adam_mistake(
    "All parameters share one m and v: each parameter's gradient is mixed into the others' memory. Keep an m and a v "
    "**for each "
    "parameter**, in lists or in a dict.",
    shared=True,
)

MISTAKES["t counts parameters"] = adam_mistake(
    "t grows with every parameter, so the second parameter of the first step already has t = 2. Keep a t for each "
    "parameter: it counts the steps of this one.",
    clock="parameter",
)

MISTAKES["one t for all parameters"] = adam_mistake(
    "Your t counts the calls of `step`. A parameter without a gradient does not move, and its t must stay too: each parameter has a t "
    "of its own, beside its m and v, which grows only where there is a gradient."
)

V_OF_SQUARES = "v is the running mean of g², element by element. Yours is that of something else."
MISTAKES["v without the square"] = adam_mistake(V_OF_SQUARES, power=lambda g: g)

MISTAKES["no root"] = adam_mistake(
    "You divided by v̂ itself. v̂ has the size of g²; its root has the size of g, and only then is the step about lr, "
    "whatever the size of the gradient.",
    rooted=False,
)

MISTAKES["uphill"] = adam_mistake("The sign: a step goes *against* the gradient.", sign=-1.0)

MISTAKES["the name moves, not the parameter"] = adam_mistake(
    "Nothing moved. Does `step` write to the parameters at all? `p = p - …` only gives the name `p` to a new tensor; the "
    "parameter of the model stays where it was. Write into it: `p -= …` under `no_grad`.",
    rebinds=True,
)

MISTAKES["m forgets"] = adam_mistake(
    "m does not remember the steps before. It is a running mean: β₁ · m + (1 − β₁) · g, and it must be kept for the next call.",
    remembers=False,
)

MISTAKES["the betas are swapped"] = adam_mistake(
    "The two betas have changed places: `betas = (β₁, β₂)`, β₁ for m and β₂ for v.", swapped=True
)

MISTAKES["the step is recorded"] = adam_mistake(
    "A parameter is a leaf, and a leaf may not be changed where operations are recorded (chapter 11). Put the step under "
    "`with mg.no_grad():`.",
    record=True,
)

MISTAKES["the correction stays"] = adam_mistake(
    "The first step is right, and the later ones are not. The correction fades with the steps: divide by 1 − β₁ᵗ and "
    "1 − β₂ᵗ, with the power t, and not by 1 − β₁ and 1 − β₂ every time.",
    powers=False,
)

MISTAKES["no gradient is taken for zeros"] = adam_mistake(
    "Where `.grad` is None, you go on as if it were 0: then m fades, and it still moves the parameter. Leave out this "
    "parameter altogether, its m, v and t too.",
    none_is_zero=True,
)

MISTAKES["the gradients are cleared"] = adam_mistake(
    "The steps are right, but afterwards `.grad` is gone. `step` only reads it; clearing is the work of `zero_grad`.",
    clears=True,
)

A_GENERATOR = (
    "`params` may be a generator, as `model.parameters()` gives one. It can be gone through **once**, and is empty the second "
    "time. Keep `self.params = list(params)`, and go through that."
)


class AdamOnce(Adam):
    """It keeps the generator itself."""

    def __init__(self, params, **settings):
        known = list(params)
        super().__init__(known, **settings)
        self.params = params if isinstance(params, list) else iter(known)


MISTAKES["the generator is kept"] = Mistake(AdamOnce, A_GENERATOR)


class AdamOfNothing(Adam):
    """The generator is gone through before the list is made."""

    def __init__(self, params, **settings):
        self.count = sum(1 for _ in params)
        super().__init__(params, **settings)


MISTAKES["the generator is used up at once"] = Mistake(AdamOfNothing, A_GENERATOR)


class AdamOnGradient(Adam):
    """Its first m is the gradient itself, scaled in place."""

    def step(self):
        fresh = [k for k, p in enumerate(self.params) if p.grad is not None and not self.t[k]]
        super().step()
        with mg.no_grad():
            for k in fresh:
                self.m[k] = self.params[k].grad.mul_(1 - self.betas[0])


MISTAKES["m is the gradient"] = Mistake(
    AdamOnGradient,
    "The steps are right, but `.grad` is no longer what it was: something has written into it. Is it `p.grad *= …`, or "
    "`g *= …` after `g = p.grad`? Or does `m` begin as `p.grad`? Then the two are one memory, and `m *= …` writes into both. Compute "
    "new numbers, `(1 - b1) * g`, and begin m with zeros.",
)


class AdamFromGradient(Adam):
    def step(self):
        for k, p in enumerate(self.params):
            if p.grad is not None and not self.t[k]:
                self.m[k], self.v[k] = p.grad.clone(), p.grad**2
        super().step()


BEGIN_AT_0 = "Your m begins with the first gradient, and v with its square. Both begin at 0: that is what the correction is for."

MISTAKES["m and v begin with the gradient"] = Mistake(AdamFromGradient, BEGIN_AT_0)


class AdamInGradient(Adam):
    """Its first m is the gradient itself, and goes on in place."""

    def step(self):
        b1, b2 = self.betas
        with mg.no_grad():
            for k, p in enumerate(self.params):
                if p.grad is not None:
                    if not self.t[k]:
                        self.m[k], self.v[k] = p.grad, p.grad**2
                    self.t[k] += 1
                    self.m[k] *= b1
                    self.m[k] += (1 - b1) * p.grad
                    self.v[k] *= b2
                    self.v[k] += (1 - b2) * p.grad**2
                    root = (self.v[k] / (1 - b2 ** self.t[k])).sqrt()
                    p -= self.lr * self.m[k] / (1 - b1 ** self.t[k]) / (root + self.eps)


MISTAKES["m begins as the gradient, in place"] = Mistake(
    AdamInGradient,
    "Your first m is `p.grad` itself, so that what you write into m changes the gradient too. Begin m and v with zeros of their own.",
)

MISTAKES["v without the square, of the size"] = adam_mistake(V_OF_SQUARES, power=lambda g: abs(g))
ONE_FOR_ALL = (
    "One number stands for all entries of a parameter, a sum or a mean. v is the running mean of g², element by element, and each "
    "entry of m̂ is divided by the root of its own v̂."
)
MISTAKES["v of the sum of squares"] = adam_mistake(ONE_FOR_ALL, power=lambda g: (g * g).sum())
MISTAKES["v of the mean of squares"] = adam_mistake(ONE_FOR_ALL, power=lambda g: (g * g).mean())

NOT_WEIGHED = "A running mean weighs both: β · old + (1 − β) · new. Your new {} comes in whole."
MISTAKES["m without 1 − β"] = adam_mistake(NOT_WEIGHED.format("g"), weighed=(False, True))
MISTAKES["v without 1 − β"] = adam_mistake(NOT_WEIGHED.format("g²"), weighed=(True, False))
MISTAKES["neither with 1 − β"] = adam_mistake(NOT_WEIGHED.format("g, and g²,"), weighed=(False, False))

MISTAKES["the corrected ones are kept"] = adam_mistake(
    "The first step is right, and the later ones are not. What you keep for the next step is m̂ and v̂, which are corrected already. "
    "Keep m and v as they are, and give the corrected ones names of their own.",
    stores=True,
)
