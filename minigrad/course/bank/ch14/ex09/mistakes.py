"""14.9 needs_input_grad: the mistakes that are known."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.course.bank.ch14.ex03.mistakes import UNGUARDED
from minigrad.course.bank.ch14.ex09.answer import defined
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost
MISTAKES: dict[str, Mistake] = {}


def give_all(ctx, g, rules):
    return tuple(rule(g, *ctx.saved_tensors) for rule in rules)


MISTAKES["all the work"] = Mistake(
    lambda f, *rules: defined(f, rules, give_all).apply,
    "The gradients are right, but rules were called for inputs that do not require grad, and the engine threw the results "
    "away. In a product of large matrices that doubles the work. Ask `ctx.needs_input_grad[k]` **before** you call.",
)


def give_short(ctx, g, rules):
    chosen = zip(rules, ctx.needs_input_grad, strict=True)
    return tuple(rule(g, *ctx.saved_tensors) for rule, needed in chosen if needed)


MISTAKES["too few entries"] = Mistake(
    lambda f, *rules: defined(f, rules, give_short).apply,
    "You left out what is not needed. But `backward` owes an entry for **each** argument of `forward`, in their order. "
    "Where nothing is needed the entry is None.",
)


def give_needed(ctx, g, rules):
    chosen = zip(rules, ctx.needs_input_grad, strict=True)
    return tuple(rule(g, *ctx.saved_tensors) if needed else None for rule, needed in chosen)


MISTAKES["a list"] = Mistake(
    lambda f, *rules: defined(f, rules, lambda ctx, g, rules: list(give_needed(ctx, g, rules))).apply,
    "Your `backward` returns a list, and the engine takes it for **one** gradient. Make it a tuple: `tuple(found)`.",
)


def define_shared(f, *rules):
    last: dict[str, Any] = {}

    def keep(ctx, *inputs):
        last["inputs"] = inputs

    def give(ctx, g, rules):
        chosen = zip(rules, ctx.needs_input_grad, strict=True)
        return tuple(rule(g, *last["inputs"]) if needed else None for rule, needed in chosen)

    return defined(f, rules, give, keep).apply


MISTAKES["one memory for all calls"] = Mistake(
    define_shared,
    "Two calls came before the first backward pass, and the second overwrote the inputs of the first. What a call must "
    "remember belongs to **its** node: that is what `ctx` is for.",
)


def give_ones(ctx, g, rules):
    return give_needed(ctx, mg.ones_like(g), rules)


MISTAKES["g is replaced"] = Mistake(
    lambda f, *rules: defined(f, rules, give_ones).apply,
    "The rules must get the cotangent `g` that `backward` received, not ones.",
)

MISTAKES["the class is returned"] = Mistake(
    lambda f, *rules: defined(f, rules, give_needed),
    "You returned the class. It cannot be called; return its `apply`, without brackets.",
)


def define_by_attribute(f, *rules):
    def keep(ctx, *inputs):
        ctx.inputs = inputs

    def give(ctx, g, rules):
        chosen = zip(rules, ctx.needs_input_grad, strict=True)
        return tuple(rule(g, *ctx.inputs) if needed else None for rule, needed in chosen)

    return defined(f, rules, give, keep).apply


WASTEFUL["an attribute"] = Mistake(define_by_attribute, UNGUARDED.replace("(x)", "(*inputs)"))
