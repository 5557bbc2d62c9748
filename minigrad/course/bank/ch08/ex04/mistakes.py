"""08.4 Gradient penalty: the mistakes that are known."""

from __future__ import annotations

import re
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch08.ex04.answer import penalized
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def penalized_kept(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g,) = mg.autograd.grad(loss + strength * (slope**2).sum(), w, create_graph=True)
    return g


WASTEFUL["a graph for nobody"] = Mistake(
    penalized_kept,
    "Right. But the **last** call created a graph as well, and nobody differentiates a third time: it stays in memory "
    "for as long as the result lives. `create_graph=True` belongs to the first call alone.",
)

MISTAKES: dict[str, Mistake] = {}


def penalized_freed(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x)
    (g,) = mg.autograd.grad(loss + strength * (slope**2).sum(), w)
    return g


MISTAKES["freed"] = Mistake(
    penalized_freed,
    "The first `grad` freed the graph of the loss. The message offers `retain_graph=True`; then it runs, and the "
    "penalty is **silently left out**, since the slope has no graph of its own. You need `create_graph=True`. It "
    "implies retain.",
)


def penalized_no_history(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, retain_graph=True)
    (g,) = mg.autograd.grad(loss, w)
    return g + strength * mg.autograd.grad((slope**2).sum(), w)[0]


MISTAKES["a slope without a graph"] = Mistake(
    penalized_no_history,
    "*element 0 of tensors does not require grad*: the slope is a plain tensor, nobody recorded how it depends on "
    "`w`. Ask for it with `create_graph=True`.",
)


def penalized_silent(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, retain_graph=True)
    (g,) = mg.autograd.grad(loss + strength * (slope**2).sum(), w)
    return g


SLOPE_IS_CONSTANT = (
    "The penalty is in the loss, but its share of the gradient is **missing**, and nothing raised: for the engine your slope is a "
    "constant. `retain_graph=True` keeps the old graph, but gives the slope none, and `detach` or `item` cuts it off. "
    "`create_graph=True` records how the slope was computed."
)

def penalized_whole(f, w, x, strength):
    return penalized(f, w, x, int(strength))


def made_whole(source: str, results: list[Any]) -> bool:
    return re.search(r"\bint\(|//|\btrunc\(|\bfloor\(", source) is not None


MISTAKES["the strength as an int"] = Mistake(
    penalized_whole,
    "The penalty is missing here: `strength` is 0.56, say, and made a whole number it is 0. Take it as it is.",
    evidence=made_whole,
)

MISTAKES["the slope as a constant"] = Mistake(penalized_silent, SLOPE_IS_CONSTANT)


def penalized_first_backward(f, w, x, strength):
    loss = f(w, x)
    loss.backward(create_graph=True)
    (g,) = mg.autograd.grad(loss + strength * (x.grad**2).sum(), w)
    return g


BACKWARD_FIRST = (
    "`backward(create_graph=True)` writes into `.grad`: `x.grad` and `w.grad` now hold gradients that nobody asked for, with "
    "whole graphs behind them, and what was in them before got into your sum. PyTorch warns of it: *… will create a reference "
    "cycle between the parameter and its gradient … We recommend using autograd.grad when creating the graph*."
)

MISTAKES["backward first"] = Mistake(penalized_first_backward, BACKWARD_FIRST)


def penalized_two_backwards(f, w, x, strength):
    loss = f(w, x)
    loss.backward(create_graph=True)
    (loss + strength * (x.grad**2).sum()).backward()
    return w.grad


MISTAKES["backward twice"] = Mistake(
    penalized_two_backwards,
    f"The gradient of the loss is in your sum twice: both calls wrote it into `w.grad`. {BACKWARD_FIRST}",
)


def penalized_last_backward(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    w.grad = None
    (loss + strength * (slope**2).sum()).backward()
    return w.grad


BACKWARD_LAST = (
    "The slope is right. But the last `backward` writes into `.grad`: into that of `w`, and unless you name `inputs=`, also into "
    "that of `x`. End as you began, with `mg.autograd.grad`."
)

MISTAKES["backward last"] = Mistake(penalized_last_backward, BACKWARD_LAST)


def penalized_last_backward_added(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (loss + strength * (slope**2).sum()).backward()
    return w.grad


MISTAKES["backward last, and added"] = Mistake(penalized_last_backward_added, BACKWARD_LAST)


def penalized_backward_inputs(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (loss + strength * (slope**2).sum()).backward(inputs=[w])
    return w.grad


MISTAKES["backward last, for w"] = Mistake(penalized_backward_inputs, BACKWARD_LAST)


def penalized_cleared(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    w.grad = None
    (loss + strength * (slope**2).sum()).backward(inputs=[w])
    g, w.grad = w.grad, None
    return g


MISTAKES["backward last, and cleared"] = Mistake(
    penalized_cleared,
    "The numbers are right, but what stood in `w.grad` before is **lost**. Where nobody calls `backward` there is nothing to clear: "
    "`mg.autograd.grad`, at the beginning and at the end, writes nowhere.",
)


def penalized_added_and_cleared(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (loss + strength * (slope**2).sum()).backward(inputs=[w])
    g, w.grad = w.grad, None
    return g


MISTAKES["backward last, added and cleared"] = Mistake(
    penalized_added_and_cleared,
    "What stood in `w.grad` before is in your sum, and then it is **lost**. End as you began, with `mg.autograd.grad`: it "
    "writes nowhere, and there is nothing to clear.",
)


def slope_tuple(f, w, x, strength):
    loss = f(w, x)
    slope = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), w)[0]


MISTAKES["the slope in its tuple"] = Mistake(
    slope_tuple,
    "`mg.autograd.grad` always returns a **tuple**, also for one tensor, and a tuple has no square. Take the slope out "
    "of it: `(slope,) = mg.autograd.grad(…)`.",
)


def penalized_tuple(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), w)


MISTAKES["a tuple"] = Mistake(
    penalized_tuple,
    "The number is right, but it is still in the **tuple** that `mg.autograd.grad` returns. Take it out: `(g,) = …`, or "
    "`…[0]`.",
)


def penalized_root(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * slope.norm(), w)[0]


MISTAKES["not squared"] = Mistake(penalized_root, "That is the norm, not its square: leave the root out. `(slope**2).sum()`.")


def penalized_mean(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).mean(), w)[0]


MISTAKES["the mean"] = Mistake(
    penalized_mean, "‖·‖² is the **sum** of the squares. The mean is smaller by the number of entries."
)


def penalty_alone(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    return mg.autograd.grad(strength * (slope**2).sum(), w)[0]


MISTAKES["the penalty alone"] = Mistake(
    penalty_alone, "That is the gradient of the penalty alone. Wanted is the gradient of `f(w, x)` **plus** the penalty."
)


def penalized_not_summed(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * slope**2, w)[0]


MISTAKES["not summed"] = Mistake(
    penalized_not_summed,
    "The square of the slope has an entry for each entry of `x`, and `+` adds the loss to each of them. ‖·‖² is the "
    "**sum** of the squares: one number.",
)


def penalized_sum_squared(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * slope.sum() ** 2, w)[0]


MISTAKES["the square of the sum"] = Mistake(
    penalized_sum_squared,
    "First square, then sum: `(slope**2).sum()`. In the square of the sum a rise in one direction makes up for a fall in "
    "another.",
)


def penalized_no_strength(f, w, x, strength):
    return penalized(f, w, x, 1.0)


MISTAKES["no strength"] = Mistake(penalized_no_strength, "Where is `strength`? It is the factor before the penalty.")


def penalized_strength_squared(f, w, x, strength):
    return penalized(f, w, x, strength**2)


MISTAKES["the strength squared"] = Mistake(
    penalized_strength_squared, "`strength` is squared with the slope. It stands before ‖·‖²: square and sum first."
)


def penalized_in_x(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), x)[0]


MISTAKES["with respect to x"] = Mistake(
    penalized_in_x,
    "That has the shape of `x`: the second derivative too was taken with respect to the data. The sum of loss and "
    "penalty is to be differentiated with respect to `w`.",
)


def penalized_walked_twice(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g_penalty,) = mg.autograd.grad((slope**2).sum(), w)
    (g_loss,) = mg.autograd.grad(loss, w)
    return g_loss + strength * g_penalty


MISTAKES["two walks, the first frees"] = Mistake(
    penalized_walked_twice,
    "Loss and penalty share a graph, and the walk for the penalty freed it. **Add** them first, and walk once; or "
    "`retain_graph=True` at the first of the two.",
)


def penalty_of_w(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, w, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), w)[0]


MISTAKES["the slope in w"] = Mistake(
    penalty_of_w,
    "You penalized the slope in the direction of `w`. The penalty is about `x`: how much does the result move when "
    "the *data* moves? First differentiate with respect to `x`, then with respect to `w`.",
)


def penalized_at_a_constant(f, w, x, strength):
    x = x.detach()
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), w)[0]


MISTAKES["a constant x"] = Mistake(
    penalized_at_a_constant,
    "You ask for the slope with respect to a tensor that does not require grad. After `detach` an `x` is a constant. The `x` that "
    "you were given is a leaf that requires grad: use it.",
)


def penalized_term_by_term(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g,) = mg.autograd.grad(loss, w, retain_graph=True)
    return g + strength * mg.autograd.grad((slope**2).sum(), w)[0]


MISTAKES["the penalty alone does not know w"] = Mistake(
    penalized_term_by_term,
    "Here the slope does not depend on `w`, so no way leads from the penalty to `w`. Add the penalty to the loss first, and "
    "differentiate the sum in one call. (Or allow the unused one, and add nothing.)",
)


def penalized_backward_cleared(f, w, x, strength):
    loss = f(w, x)
    loss.backward(create_graph=True)
    slope, x.grad, w.grad = x.grad, None, None
    return mg.autograd.grad(loss + strength * (slope**2).sum(), w)[0]


MISTAKES["backward first, and cleared"] = Mistake(
    penalized_backward_cleared,
    "`backward` writes into `.grad`, and adds to what was there. So an old `x.grad` got into your slope, and after clearing it is "
    "lost. `mg.autograd.grad(…, x, create_graph=True)` returns the slope, and writes nowhere.",
)
