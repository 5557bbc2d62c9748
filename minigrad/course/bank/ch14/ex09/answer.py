"""14.9 needs_input_grad: the answer, its hints and why it is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch14.common import function
from minigrad.course.exercise import Part


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


ANSWER = Part(
    reference=define,
    alternatives={
        "the flags of the inputs": define_by_flags,
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
