"""08.6 Two outputs, two cotangents: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def pull_twice(y, s, v, inputs):
    first = mg.autograd.grad(y, inputs, v, retain_graph=True, materialize_grads=True)
    other = mg.autograd.grad(s, inputs, materialize_grads=True)
    return [a + b for a, b in zip(first, other, strict=True)]


WASTEFUL["two walks"] = Mistake(
    pull_twice,
    "Right, but the graph was walked twice, and had to be retained for the second walk. `grad` takes several outputs at once.",
)


def pull_each_input(y, s, v, inputs):
    return [mg.autograd.grad((y, s), t, (v, None), retain_graph=True)[0] for t in inputs]


WASTEFUL["a walk for each input"] = Mistake(
    pull_each_input,
    "Right, but the graph was walked once for each input, and had to be retained for that. `grad` takes the whole list of "
    "inputs, and walks once.",
)

MISTAKES: dict[str, Mistake] = {}


def pull_one_v(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, v)


MISTAKES["one v for both"] = Mistake(
    pull_one_v,
    "*got 2 tensors and 1 gradients*: two outputs need two cotangents, one for each, in the same order. `None` is "
    "enough for an output with one element.",
)


def pull_no_v(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs)


MISTAKES["no v"] = Mistake(
    pull_no_v,
    "*grad can be implicitly created only for scalar outputs*: None, or nothing at all, stands for 1, and that is "
    "enough for `s` alone. For `y`, give `v`. (If you gave both: are they in the order of the outputs?)",
)


def pull_v_twice(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, v))


MISTAKES["y's shape for both"] = Mistake(
    pull_v_twice,
    "The message is a riddle, but the cause is simple: the second cotangent has not the shape of the second output. Each "
    "has the shape of **its own**. `s` has one element: `mg.ones_like(s)`, or simply `None`.",
)


def pull_scalar_one(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, mg.tensor(1.0)))


MISTAKES["a one without an axis"] = Mistake(
    pull_scalar_one,
    "Here `s` has shape `(1,)`, and so must its cotangent; `mg.tensor(1.0)` has shape `()`. `mg.ones_like(s)` always "
    "fits, and so does `None`.",
)


def pull_number(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, 1))


NO_NUMBER = "A cotangent is a tensor, or None. For `s`, which has one element, None stands for 1; or give `mg.ones_like(s)`."
MISTAKES["a number"] = Mistake(pull_number, NO_NUMBER)


def pull_float(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, 1.0))


MISTAKES["a float"] = Mistake(pull_float, NO_NUMBER)


def pull_y_alone(y, s, v, inputs):
    return mg.autograd.grad(y, inputs, v, allow_unused=True)


MISTAKES["y alone"] = Mistake(
    pull_y_alone, "That is the gradient of Σ v·y. `s` is an output as well: `(y, s)`, with a cotangent for each."
)


def pull_matmul(y, s, v, inputs):
    return mg.autograd.grad(y @ v + s, inputs)


MISTAKES["a product of matrices"] = Mistake(
    pull_matmul,
    "`@` and `mg.dot` are the sum of the products only where `y` has one axis. Here it is a table: `(v * y).sum()`, or `v` as the "
    "cotangent of `y`.",
)


def pull_minus(y, s, v, inputs):
    return mg.autograd.grad((v * y).sum() - s.sum(), inputs)


MISTAKES["minus s"] = Mistake(pull_minus, "That is the gradient of Σ v·y **minus** `s`. `s` is added: its cotangent is 1, not −1.")


def pull_freed(y, s, v, inputs):
    first = mg.autograd.grad(y, inputs, v)
    other = mg.autograd.grad(s, inputs)
    return [a + b for a, b in zip(first, other, strict=True)]


MISTAKES["freed"] = Mistake(
    pull_freed,
    "The two outputs share a trunk, and the first walk freed it (chapter 07). No need to retain: `grad` takes **both "
    "outputs at once** and walks the trunk once.",
)


def pull_ones(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (mg.ones_like(y), None))


MISTAKES["ones"] = Mistake(pull_ones, "Ones give the sum of `y`. Wanted is the sum weighted by `v`.")


def pull_broadcast(y, s, v, inputs):
    return mg.autograd.grad(y + s, inputs, v)


MISTAKES["s weighted too"] = Mistake(
    pull_broadcast,
    "`s` is counted with all weights of `v` together. Wanted is once: give each output its own cotangent, `v` for `y` and 1 for `s`. "
    "(If you wrote `y + s`: it adds `s` to *every* entry of `y`.)",
)


def pull_each_entry(y, s, v, inputs):
    return mg.autograd.grad((v * y + s).sum(), inputs)


MISTAKES["s in each entry"] = Mistake(
    pull_each_entry,
    "`v * y + s` adds `s` to *every* entry, and the sum counts it once for each. Wanted is once: sum first, then add `s`. "
    "Or give each output its own cotangent.",
)


def pull_backward(y, s, v, inputs):
    mg.autograd.backward([y, s], [v, None])
    return [t.grad for t in inputs]


MISTAKES["backward"] = Mistake(
    pull_backward,
    "`backward` writes into the `.grad` of every leaf, and adds to what was there. `mg.autograd.grad` takes the same "
    "outputs and cotangents, and returns the gradients.",
)


def pull_inputs(y, s, v, inputs):
    mg.autograd.backward([y, s], [v, None], inputs=inputs)
    return [t.grad for t in inputs]


MISTAKES["backward(inputs=)"] = Mistake(
    pull_inputs,
    "Only the inputs got something, but it is in their `.grad`, added to what was there. `mg.autograd.grad` takes the "
    "same outputs and cotangents, and returns the gradients.",
)


def pull_apart(y, s, v, inputs):
    return [*mg.autograd.grad(y, inputs, v, retain_graph=True), *mg.autograd.grad(s, inputs)]


MISTAKES["not added"] = Mistake(
    pull_apart,
    "You return the gradients of both outputs side by side. Wanted is the gradient of their (weighted) sum: one for "
    "each input.",
)


def pull_exchanged(y, s, v, inputs):
    return mg.autograd.grad((s, y), inputs, (v, None))


MISTAKES["in another order"] = Mistake(
    pull_exchanged,
    "The first cotangent has not the shape of the first output. They stand in the order of the outputs: for `(s, y)` it is "
    "`(None, v)`.",
)
