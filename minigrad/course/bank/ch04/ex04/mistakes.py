"""04.4 Weighted samples: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch04.known import NOT_A_TENSOR
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def weighted_sum(losses_of, theta, w):
    (w * losses_of(theta)).sum().backward()
    return theta.grad


MISTAKES["the sum is built"] = Mistake(
    weighted_sum,
    "The right numbers, but something is computed from the losses, or taken out of them: a product, a sum, single entries. None of "
    "it is needed, for backward can start at the losses themselves. What must it be told there?",
)


def sample_by_sample(losses_of, theta, w):
    losses, total = losses_of(theta), mg.zeros_like(theta)
    for i in range(len(w)):
        theta.grad = None
        losses[i].backward(retain_graph=True)
        total += w[i] * theta.grad
    return total


MISTAKES["sample by sample"] = Mistake(
    sample_by_sample,
    "The right numbers, with a backward pass for each sample. One pass does it: the weighted sum of rows "
    "is what backward computes. What must it be told?",
)


def weights_like_theta(losses_of, theta, w):
    losses_of(theta).backward(mg.ones(len(theta), dtype=theta.dtype))
    return theta.grad


MISTAKES["v like theta"] = Mistake(
    weights_like_theta, "`v` has one weight for each **sample**, as `losses` has entries. Yours has one for each parameter."
)


def weights_list(losses_of, theta, w):
    losses_of(theta).backward(w.tolist())
    return theta.grad


MISTAKES["no Tensor"] = Mistake(weights_list, NOT_A_TENSOR)


def weighted_twice(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(w)
    losses.backward(w)
    return theta.grad


MISTAKES["twice"] = Mistake(
    weighted_twice,
    "You went backward twice through the same losses. The first pass was enough: its result is in "
    "`theta.grad`. It has freed what was saved, so the second finds nothing.",
)


def losses_as_v(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward(losses)
    return theta.grad


MISTAKES["the losses as v"] = Mistake(
    losses_as_v,
    "`losses.backward(losses)` gives weight losses[i] to sample i: that is the gradient of ½ Σ "
    "losses², a loss that nobody asked for. `v` holds the weights, not the values.",
)


def weights_and_losses_as_v(losses_of, theta, w):
    losses = losses_of(theta)
    losses.backward((w * losses).detach())
    return theta.grad


MISTAKES["weights times losses as v"] = Mistake(
    weights_and_losses_as_v, "`v` is ∂L/∂losses. For L = Σ w·losses that is `w` alone; the losses themselves are not in it."
)


def weights_afterwards(losses_of, theta, w):
    losses_of(theta).sum().backward()
    return theta.grad * w


WEIGHTS_AFTER = (
    "Too late: `theta.grad` has one entry for each **parameter**, and the samples are already summed in it. "
    "The weights belong to the samples, so they must act before the sum: as `v`."
)

MISTAKES["weights on the gradient"] = Mistake(weights_afterwards, WEIGHTS_AFTER)


def weights_total_afterwards(losses_of, theta, w):
    losses_of(theta).sum().backward()
    return theta.grad * w.mean()


MISTAKES["mean weight on the gradient"] = Mistake(
    weights_total_afterwards,
    "A common factor makes every sample count the same. The weights must act **before** the samples are summed: as `v`.",
)


def weighted_mean(losses_of, theta, w):
    (w * losses_of(theta)).mean().backward()
    return theta.grad


MISTAKES["mean"] = Mistake(
    weighted_mean, "m times too small, where m is the number of samples: the loss is a sum here, not a mean."
)


def weights_normalised(losses_of, theta, w):
    losses_of(theta).backward(w / w.sum())
    return theta.grad


MISTAKES["weights made to sum to 1"] = Mistake(
    weights_normalised, "You divided the weights by their sum. Σ w[i]·losses[i] takes them as they are."
)


def weights_forgotten(losses_of, theta, w):
    losses_of(theta).sum().backward()
    return theta.grad


MISTAKES["no weights"] = Mistake(
    weights_forgotten, "Every sample has weight 1 here. What should `v` be, so that sample i has weight w[i]?"
)


def weights_without_sign(losses_of, theta, w):
    losses_of(theta).backward(w.abs())
    return theta.grad


MISTAKES["weights without their signs"] = Mistake(
    weights_without_sign,
    "Right, until a weight is negative: yours counts there as if it were positive. A negative weight counts as it is; do not "
    "take |w|.",
)
