"""04.5 Several roots: the mistakes that are known."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.bank.ch04.known import NOT_A_TENSOR
from minigrad.course.bank.shared import RETURNS
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def two_heads_scalar(x, trunk, head1, head2, v):
    h = trunk(x)
    (head1(h) + (v * head2(h)).sum()).backward()


WASTEFUL["the heads are joined"] = Mistake(
    two_heads_scalar,
    "One pass, as asked. You joined the heads yourself, with a few nodes more in the graph; "
    "`mg.autograd.backward` takes both roots as they are.",
)


def two_heads_returned(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [None, v])
    return x.grad


WASTEFUL["something is returned"] = Mistake(
    two_heads_returned,
    f"The gradient is in `x.grad`, where it belongs, {RETURNS}",
)

MISTAKES: dict[str, Mistake] = {}


def two_calls(x, trunk, head1, head2, v):
    h = trunk(x)
    head1(h).backward()
    head2(h).backward(v)


MISTAKES["two calls"] = Mistake(
    two_calls,
    "The first `backward` freed what the trunk had saved, so the second finds it empty (chapter "
    "07 is about this). You need no second call: `mg.autograd.backward` takes a **list** of "
    "roots.",
)


def two_walks(x, trunk, head1, head2, v):
    h = trunk(x)
    head1(h).backward(retain_graph=True)
    head2(h).backward(v)


MISTAKES["two passes"] = Mistake(
    two_walks,
    "Right numbers, but the trunk was walked through twice. `retain_graph=True` keeps the graph "
    "alive for a second pass; one call with both roots needs one pass only.",
)


def two_trunks(x, trunk, head1, head2, v):
    head1(trunk(x)).backward()
    head2(trunk(x)).backward(v)


MISTAKES["two trunks"] = Mistake(
    two_trunks,
    "Right numbers, but `trunk` was called twice, so there are two copies of its graph, and "
    "each is walked through. Compute `h` once and give it to both heads.",
)


def no_v(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)])


MISTAKES["no v"] = Mistake(
    no_v, "`None` stands for `v` = 1, and that is possible for a root with one element. head2(h) has several: it needs its `v`."
)


def v_first(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [v, None])


BY_POSITION = (
    "Roots and their `v` are matched by position. The first root, head1(h), is a scalar: its entry is "
    "`None` (or a tensor of shape `()`). The second entry belongs to head2(h)."
)

MISTAKES["v for the wrong root"] = Mistake(v_first, BY_POSITION)


def one_weight_missing(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head2(h), head1(h)], [v])


MISTAKES["one weight missing"] = Mistake(
    one_weight_missing,
    "As many entries in `grad_tensors` as there are roots. For the scalar root write `None`; it cannot be left out.",
)


def first_head_alone(x, trunk, head1, head2, v):
    head1(trunk(x)).backward()


MISTAKES["head2 is forgotten"] = Mistake(
    first_head_alone, "That is the gradient of head1(h) alone. head2(h) is a root too, with the weights `v`."
)


def second_head_alone(x, trunk, head1, head2, v):
    head2(trunk(x)).backward(v)


MISTAKES["head1 is forgotten"] = Mistake(
    second_head_alone, "That is vᵀJ of head2(h) alone. head1(h) is a root too, with the weight 1."
)


def list_as_v(x, trunk, head1, head2, v):
    h = trunk(x)
    mg.autograd.backward([head1(h), head2(h)], [None, v.tolist()])


MISTAKES["no Tensor"] = Mistake(list_as_v, NOT_A_TENSOR)


def heads_added(x, trunk, head1, head2, v):
    h = trunk(x)
    (head1(h) + head2(h)).backward(v)


MISTAKES["heads added"] = Mistake(
    heads_added,
    "head1 counts Σv times, and its weight is 1. (If you wrote `head1(h) + head2(h)`: that broadcasts the scalar over all m "
    "entries.) Keep the roots apart, each with its own `v`.",
)


def second_head_unweighted(x, trunk, head1, head2, v):
    h = trunk(x)
    (head1(h) + head2(h).sum()).backward()


MISTAKES["v is forgotten"] = Mistake(
    second_head_unweighted, "head2 counts with weight 1 in every entry here. What became of `v`?"
)


def heads_added_first(x, trunk, head1, head2, v):
    h = trunk(x)
    (head1(h) + v * head2(h)).sum().backward()


MISTAKES["head1 is added m times"] = Mistake(
    heads_added_first,
    "head1(h) counts m times, once for each entry of head2(h): the scalar was **broadcast** before the sum. Sum the entries of "
    "`v * head2(h)` first; or better, keep the roots apart, each with its own `v`.",
)


def two_heads_only_returned(x, trunk, head1, head2, v):
    h = trunk(x)
    return mg.autograd.grad((head1(h), head2(h)), x, (None, v))[0]


MISTAKES["not in .grad"] = Mistake(
    two_heads_only_returned,
    "One pass, but `x.grad` is still None. `mg.autograd.grad` hands the gradient out, and writes nowhere; "
    "`mg.autograd.backward` takes the same roots and weights, and adds to `x.grad`.",
)
