"""retain_graph and freed buffers.

Exercises 07.1 to 07.6: what a graph keeps, when it is given up, and who needs to keep it longer.
"""

from __future__ import annotations

import dis
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.compare import Unfit, unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.graphs import nodes_of, place_of, suitcase
from minigrad.course.limits import TimeLimit

FREED = "a second time"
NO_HISTORY = "does not require grad"


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)


def is_kept(t: Any, leaf: Any) -> bool:
    """Whether one more backward pass from t is possible. It changes no .grad."""
    try:
        mg.autograd.grad(t, leaf, mg.ones_like(t), retain_graph=True)
    except RuntimeError:
        return False
    return True


# --- 07.1 Suitcase or not? ----------------------------------------------------------------------------------

Draw = tuple[tuple[str, str, str], ...]  # (key, rule, code), in the order of the program

TWICE_SETUP = """\
def twice(f):
    x = mg.tensor([0.5, 1.5, 2.0], requires_grad=True)
    y = f(x).sum()
    y.backward()
    y.backward()

w = mg.tensor([3.0, 4.0, 5.0])  # a constant

"""

# One line of each rule is in every program.
OPERATIONS = {
    "add": ["x + 2", "x + w", "x - w", "w - x", "x + x"],
    "neg": ["-x"],
    "sum": ["x.sum()", "x.sum(0)"],
    "mean": ["x.mean()", "x.mean(0)"],
    "move": ["x.reshape(3, 1)", "x[:2]", "x.clone()", "mg.stack([x, x])", "x.expand(2, 3)", "mg.cat([x, x])"],
    "times a number": ["2 * x", "x * 3", "x * 0.5"],
    "divided": ["x / 3", "x / 2", "x / 10"],
    "times a constant": ["x * w", "w * x", "w @ x"],
    "power": ["x**2", "x**3"],
    "saves its result": ["mg.exp(x)", "mg.tanh(x)", "mg.sqrt(x)", "mg.sigmoid(x)"],
    "saves its input": ["mg.sin(x)", "mg.cos(x)", "mg.log(x)"],
    "relu": ["mg.relu(x)", "x.abs()"],
    "one in a chain": ["-(x * x) + 1", "(2 * (x + 1)).sum()", "(mg.exp(x) - w).sum()", "mg.sin(-x) + w"],
    "of constants": ["x + mg.exp(w)", "x - 2 * w", "-x + mg.sin(w)", "(x + w**2).sum()"],
}


def second_pass_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(OPERATIONS))]
    return tuple((key, rule, str(rng.choice(OPERATIONS[rule]))) for key, rule in zip("abcdefghijklmn", rules, strict=True))


def second_pass_program(draw: Draw) -> str:
    return TWICE_SETUP + "\n".join(f"{f'twice(lambda x: {code})':<40}# {key}" for key, _, code in draw)


def second_pass_of(code: str) -> str:
    space: dict[str, Any] = {"mg": mg}
    exec(TWICE_SETUP, space)
    try:
        exec(f"twice(lambda x: {code})", space)
    except RuntimeError:
        return "raises"
    return "survives"


def second_pass(draw: Draw) -> dict[str, str]:
    """Run each line by itself and look."""
    return {key: second_pass_of(code) for key, _, code in draw}


SURVIVORS = ("add", "neg", "sum", "mean", "move", "of constants")


def second_pass_by_rule(draw: Draw) -> dict[str, str]:
    return {key: "survives" if rule in SURVIVORS else "raises" for key, rule, _ in draw}


def believing_of(right: Callable[[Draw], dict[str, str]], believed: str, *rules: str) -> Callable[[Draw], dict[str, str]]:
    """The dict of somebody who is right except about the lines of these rules."""

    def predict(draw: Draw) -> dict[str, str]:
        return right(draw) | {key: believed for key, rule, _ in draw if rule in rules}

    return predict


def believing(believed: str, *rules: str) -> Callable[[Draw], dict[str, str]]:
    return believing_of(second_pass, believed, *rules)


register(
    Exercise(
        id="07.1",
        title="Suitcase or not?",
        difficulty=2,
        minutes=6,
        reference=second_pass,
        draws=second_pass_draw,
        program=second_pass_program,
        name="second_pass",
        words=("survives", "raises"),
        alternatives={"by the rules": second_pass_by_rule},
        mistakes={
            "a number needs no saving": Mistake(
                believing("survives", "times a number"),
                "The slope of `2 * x` is 2, and where does the node have it from? The number becomes a tensor, and the node "
                "**saves that tensor**: `(2 * x).grad_fn._saved_other`. One number is a small suitcase, but it is freed like any "
                "other.",
            ),
            "a division by a number needs no saving": Mistake(
                believing("survives", "divided"),
                "Dividing by a number is multiplying by another one. The rule needs the divisor, so the node **saves it** as "
                "a tensor. It is freed after the first pass.",
            ),
            "a constant factor is not saved": Mistake(
                believing("survives", "times a constant"),
                "No gradient goes *to* the constant, but the one for `x` is multiplied by it: the constant `w` is the slope. "
                "So the node saves `w`. (It does not save `x`: nobody asks for the slope of `w`.)",
            ),
            "a power knows its slope": Mistake(
                believing("survives", "power"),
                "The slope of x² is 2x: it depends on where x was. The node saves `x`.",
            ),
            "a result is there anyway": Mistake(
                believing("survives", "saves its result"),
                "This operation saves its own **result**, because its slope is cheapest to compute from that: exp′ = exp, "
                "tanh′ = 1 − tanh². Your name for the result lives on, but the node has given up its hold on it.",
            ),
            "an input is there anyway": Mistake(
                believing("survives", "saves its input"),
                "This operation saves its **input**: sin′(x) = cos x, log′(x) = 1/x. The leaf `x` lives on, but the node has "
                "given up its hold on it, and does not look elsewhere.",
            ),
            "a slope of 0 or 1 needs no saving": Mistake(
                believing("survives", "relu"),
                "The slope is one of two numbers, but *which* of them depends on the sign of each entry. That has to be "
                "remembered, so an array is saved.",
            ),
            "adding saves its inputs": Mistake(
                believing("raises", "add"),
                "The slope of a sum is 1 for both sides (or −1), whatever the numbers were. Nothing has to be remembered.",
            ),
            "a sign has to be remembered": Mistake(
                believing("raises", "neg"),
                "The slope of −x is −1, whatever x was. Nothing has to be remembered.",
            ),
            "a sum saves what it adds": Mistake(
                believing("raises", "sum"),
                "Backward through `sum` is copying the gradient to every entry. For that the node remembers a *shape*. A "
                "shape is no array, and is not freed.",
            ),
            "a mean is a division": Mistake(
                believing("raises", "mean"),
                "`mean` divides by the number of entries, but it needs only the *shape* for that. A shape is no array, and "
                "is not freed. (It is another thing than `x / 3`, which saves its divisor as a tensor.)",
            ),
            "moving saves the numbers": Mistake(
                believing("raises", "move"),
                "This operation moves or copies numbers. On the way back the gradient is moved back: that takes shapes and "
                "positions, no array of numbers.",
            ),
            "the last operation decides": Mistake(
                believing("survives", "one in a chain"),
                "**One** empty suitcase on the way is enough. The pass goes through every node between `y` and `x`, not only "
                "through the last.",
            ),
            "constants save too": Mistake(
                believing("raises", "of constants"),
                "Who computes with constants alone is not recorded (chapter 01): there is no node, and no suitcase. Only "
                "the operations on the way from `x` count, and those here save nothing.",
            ),
        },
        hints=(
            "Ask of each operation on the way from `x` to `y`: to go *backward* through it, which numbers must one know "
            "besides the incoming gradient? If the answer is *none*, nothing is saved, and there is nothing to be freed.",
            "Write the slope next to each line:\n\n```text\nx + w      1             no number of the forward pass in it\n"
            "w * x      w             must be remembered\nexp(x)     exp(x)        must be remembered\n"
            "x.sum()    1, copied     only the shape\n```\n\nA plain number that stands in the formula as a factor is saved "
            "too: as a tensor with one entry.",
            "Six survive, eight raise. You can ask the nodes: a line raises when some node on the way has an array in its "
            "suitcase.\n\n```python\nx = mg.tensor([0.5, 1.5, 2.0], requires_grad=True)\n"
            "node = (___).grad_fn\n[n for n in dir(node) if isinstance(getattr(node, n, None), mg.Tensor)]\n```",
        ),
        explanation="""\
A node saves what its rule needs besides the incoming gradient, and nothing else.

| operation | rule | saved |
|---|---|---|
| `+`, `−`, `neg` | ± the gradient | nothing |
| `sum`, `mean`, `expand` | copy, add up | a shape, no array |
| `reshape`, `x[:2]`, `clone`, `stack` | move back | positions, no array |
| `2 * x`, `x / 3` | times the number | **the number, as a tensor** |
| `w * x` | times `w` | `w` |
| `x**2`, `sin`, `log` | from the input | the input |
| `exp`, `tanh`, `sqrt`, `relu` | from the output | the output |

The first pass empties the suitcases that it comes by. A second pass raises at the first node whose array is gone; one that
meets no such node goes through. Do not build on that: it takes one `2 *` to break it.
""",
    )
)


# --- 07.2 Two heads, three gradients ------------------------------------------------------------------------


def three_gradients(x, trunk, head1, head2):
    """The gradients of l1, of l2 and of l1 + l2 with respect to x, where h = trunk(x), l1 = head1(h), l2 = head2(h).

    x: a leaf whose .grad is None. l1 and l2 have shape ().
    Returns three Tensors of the shape of x.
    """
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    x.grad = None
    l2.backward()
    g2 = x.grad
    return g1, g2, g1 + g2


def three_gradients_clone(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l2.backward(retain_graph=True)
    g2 = x.grad.clone()
    x.grad.zero_()
    l1.backward()
    g1 = x.grad.clone()
    return g1, g2, g1 + g2


def three_gradients_difference(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad.clone()
    l2.backward()
    both = x.grad.clone()
    return [g1, both - g1, both]


def three_gradients_grad(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x, retain_graph=True)
    (g2,) = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


def three_gradients_late_head(x, trunk, head1, head2):
    h = trunk(x)
    head1(h).backward(retain_graph=True)
    g1, x.grad = x.grad, None
    head2(h).backward()
    g2, x.grad = x.grad, None
    return g1, g2, g2 + g1


def three_gradients_cut(x, trunk, head1, head2):
    h = trunk(x)
    cut = h.detach().requires_grad_()
    slopes = []
    for head in (head1, head2):
        cut.grad = None
        head(cut).backward()
        slopes.append(cut.grad)
    h.backward(slopes[0], retain_graph=True)
    g1 = x.grad.clone()
    h.backward(slopes[1])
    return g1, x.grad - g1, x.grad


def two_trunks(x, trunk, head1, head2):
    head1(trunk(x)).backward()
    g1 = x.grad
    x.grad = None
    head2(trunk(x)).backward()
    return g1, x.grad, g1 + x.grad


def two_trunks_grad(x, trunk, head1, head2):
    (g1,), (g2,) = (mg.autograd.grad(head(trunk(x)), x) for head in (head1, head2))
    return g1, g2, g1 + g2


def three_trunks(x, trunk, head1, head2):
    def gradient(loss: Callable[[Any], Any]) -> Any:
        x.grad = None
        loss(trunk(x)).backward()
        return x.grad

    return gradient(head1), gradient(head2), gradient(lambda h: head1(h) + head2(h))


def three_trunks_grad(x, trunk, head1, head2):
    losses = [head1(trunk(x)), head2(trunk(x))]
    h = trunk(x)
    losses.append(head1(h) + head2(h))
    return [mg.autograd.grad(loss, x)[0] for loss in losses]


def kept_to_the_end(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    x.grad = None
    l2.backward(retain_graph=True)
    return g1, x.grad, g1 + x.grad


def kept_to_the_end_grad(x, trunk, head1, head2):
    h = trunk(x)
    g1, g2 = (mg.autograd.grad(head(h), x, retain_graph=True)[0] for head in (head1, head2))
    return g1, g2, g1 + g2


def created(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x, create_graph=True)
    (g2,) = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


def created_first(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    g2 = mg.autograd.grad([l2], [x], create_graph=True)[0]
    l1.backward()
    return x.grad, g2, g2 + x.grad


def three_passes(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1, x.grad = x.grad, None
    l2.backward(retain_graph=True)
    g2, x.grad = x.grad, None
    (l1 + l2).backward()
    return g1, g2, x.grad


def three_passes_roots(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    mg.autograd.backward([l1, l2], retain_graph=True)
    both, x.grad = x.grad, None
    l1.backward(retain_graph=True)
    g1, x.grad = x.grad, None
    l2.backward()
    return g1, x.grad, both


def three_passes_kept(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    results = []
    for loss in (l1, l2, l1 + l2):
        x.grad = None
        loss.backward(retain_graph=True)
        results.append(x.grad)
    return tuple(results)


def three_passes_kept_grad(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    return [mg.autograd.grad(loss, x, retain_graph=True)[0] for loss in (l1, l2, l1 + l2)]


def retained_late(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward()
    g1, x.grad = x.grad, None
    l2.backward(retain_graph=True)
    return g1, x.grad, g1 + x.grad


def never_retained(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x)
    (g2,) = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


def retained_too_rarely(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1, x.grad = x.grad, None
    l2.backward()
    g2, x.grad = x.grad, None
    (l1 + l2).backward()
    return g1, g2, x.grad


def retained_too_rarely_grad(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    (g2,) = mg.autograd.grad(l2, x, retain_graph=True)
    (both,) = mg.autograd.grad(l1 + l2, x)
    (g1,) = mg.autograd.grad(l1, x)
    return g1, g2, both


def not_cleared(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad.clone()
    l2.backward()
    g2 = x.grad.clone()
    return g1, g2, g1 + g2


def not_cleared_again(x, trunk, head1, head2):
    h = trunk(x)
    gradients = []
    for head in (head1, head2):
        head(h).backward(retain_graph=True)
        gradients.append(x.grad + 0)
    return gradients[0], gradients[1], sum(gradients)


def same_object(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    l2.backward()
    g2 = x.grad
    return g1, g2, g1 + g2


def same_object_again(x, trunk, head1, head2):
    h = trunk(x)
    gradients = []
    for head in (head1, head2):
        head(h).backward(retain_graph=True)
        gradients.append(x.grad)
    return gradients[0], gradients[1], gradients[0] + gradients[1]


def zeroed_object(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    x.grad.zero_()
    l2.backward()
    g2 = x.grad
    return g1, g2, g1 + g2


def zeroed_object_again(x, trunk, head1, head2):
    h = trunk(x)
    gradients = []
    for head in (head1, head2):
        if x.grad is not None:
            x.grad *= 0
        head(h).backward(retain_graph=True)
        gradients.append(x.grad)
    return gradients[0], gradients[1], gradients[0] + gradients[1]


def running_total(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    gradients = []
    for last, loss in ((False, l1), (False, l2), (True, l1 + l2)):
        loss.backward(retain_graph=not last)
        gradients.append(x.grad.clone())
    return tuple(gradients)


def running_total_roots(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad.clone()
    l2.backward(retain_graph=True)
    g2 = x.grad.clone()
    mg.autograd.backward([l1, l2])
    return g1, g2, x.grad


def three_under_one_name(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    gradients = []
    for loss in (l1, l2, l1 + l2):
        loss.backward(retain_graph=True)
        gradients.append(x.grad)
    return gradients


def three_under_one_name_roots(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    l2.backward(retain_graph=True)
    g2 = x.grad
    mg.autograd.backward([l1, l2])
    return g1, g2, x.grad


def in_tuples(x, trunk, head1, head2):
    h = trunk(x)
    g1 = mg.autograd.grad(head1(h), x, retain_graph=True)
    g2 = mg.autograd.grad(head2(h), x)
    return g1, g2, g1 + g2


def in_tuples_of_lists(x, trunk, head1, head2):
    h = trunk(x)
    first, second = (list(mg.autograd.grad(head(h), x, retain_graph=head is head1)) for head in (head1, head2))
    return first, second, [*first, *second]


def another_order(x, trunk, head1, head2):
    g1, g2, both = three_gradients(x, trunk, head1, head2)
    return both, g1, g2


def another_order_grad(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    (both,) = mg.autograd.grad(l1 + l2, x, retain_graph=True)
    (g1,) = mg.autograd.grad(l1, x)
    return [both, g1, both - g1]


def up_to_h(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), h)
    (g2,) = mg.autograd.grad(head2(h), h)
    return g1, g2, g1 + g2


def up_to_h_retained(x, trunk, head1, head2):
    h = trunk(x)
    h.retain_grad()
    head1(h).backward(retain_graph=True)
    g1, h.grad = h.grad, None
    head2(h).backward()
    return g1, h.grad, g1 + h.grad


def cut_at_h(x, trunk, head1, head2):
    h = trunk(x)
    head1(h).backward()
    g1, x.grad = x.grad, None
    head2(h.detach()).backward()
    return g1, x.grad, g1 + x.grad


def cut_at_h_again(x, trunk, head1, head2):
    h = trunk(x)
    (g1,) = mg.autograd.grad(head1(h), x)
    with mg.no_grad():
        l2 = head2(h)
    (g2,) = mg.autograd.grad(l2, x)
    return g1, g2, g1 + g2


def three_gradients_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    W, U, c = tensor(4, 3), tensor(2, 4), tensor(5)
    return [
        Case(
            "x of shape (3,)",
            (leaf(3), lambda x: mg.tanh(W @ x), lambda h: (h**2).sum(), lambda h: (U @ h).exp().mean()),
        ),
        Case(
            "heads that save nothing",
            (leaf(5), lambda x: mg.exp(x / 2), lambda h: h.sum(), lambda h: h.mean() - h[3]),
        ),
        Case(
            "x of shape (2, 5)",
            (leaf(2, 5), lambda x: mg.sin(x) * x, lambda h: (h * c).sum(), lambda h: mg.tanh(h[0]).sum()),
        ),
    ]


def watch_three_gradients(answer: Callable[..., Any], x: Any, trunk: Any, head1: Any, head2: Any) -> Any:
    trunks: list[Any] = []
    passes: list[int] = []

    def watched_trunk(at: Any) -> Any:
        h = trunk(at)
        trunks.append(h)
        if h.requires_grad:
            h.register_hook(lambda g: passes.append(1))
        return h

    watched_trunk.__name__ = watched_trunk.__qualname__ = "trunk"
    try:
        returned = answer(x, watched_trunk, head1, head2)
    except RuntimeError as error:
        known = [phrase for phrase in (FREED, NO_HISTORY) if phrase in str(error)]
        if not known:
            raise
        return {"backward": f"raised RuntimeError: … {known[0]} …", "passes before": len(passes)}
    if not isinstance(returned, tuple | list):
        return unfit(returned, "three Tensors: the gradients of l1, l2 and l1 + l2")
    if len(returned) != 3:
        return Unfit(f"{len(returned)} values", "three Tensors: the gradients of l1, l2 and l1 + l2")
    names = ("the gradient of l1", "the gradient of l2", "the gradient of l1 + l2")
    return {
        "backward": "raised nothing",
        **dict(zip(names, returned, strict=True)),
        "cost_trunks": len(trunks),
        "cost_passes": len(passes),
        "cost_kept": any(is_kept(h, x) for h in trunks if h.requires_grad),
        "cost_graphs": any(isinstance(g, mg.Tensor) and g.requires_grad for g in returned),
    }


RECOMPUTED = (
    "Right numbers, but the trunk was computed more than once. That is the cheap way for memory and the dear one for time: a "
    "trunk may be a whole network. Compute `h` once and let the first pass keep the graph: `retain_graph=True`."
)
KEPT = (
    "All three are right. But the **last** pass retained the graph as well, and nobody comes after it: the saved arrays stay "
    "in memory for as long as somebody holds `h`, `l1` or `l2`. Leave `retain_graph` out of the last call."
)
THIRD_PASS = "All three are right, with a pass too many: the gradient of a sum is the sum of the gradients. Add the first two."

def three_gradients_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case(
            "x of shape ()",
            (random_tensor(rng, dtype, leaf=True), lambda x: mg.exp(x), lambda h: h * h, lambda h: mg.sin(h)),
        ),
        Case(
            "a head whose gradient is 0",
            (random_tensor(rng, dtype, 3, leaf=True), lambda x: x**2, lambda h: (h * 0).sum(), lambda h: (h**2).sum()),
        ),
    ]


register(
    Exercise(
        id="07.2",
        title="Two heads, three gradients",
        difficulty=2,
        minutes=8,
        reference=three_gradients,
        cases=three_gradients_cases,
        musts={
            "cost_trunks": "the trunk must be called once.",
        },
        edges=three_gradients_edges,
        observe=watch_three_gradients,
        may_change_inputs=True,
        alternatives={
            "the other order, clone and zero_": three_gradients_clone,
            "by the difference": three_gradients_difference,
            "autograd.grad": three_gradients_grad,
            "the second head after the first pass": three_gradients_late_head,
            "the graph cut at h": three_gradients_cut,
        },
        wasteful={
            "two trunks": Mistake(two_trunks, RECOMPUTED, again=two_trunks_grad),
            "three trunks": Mistake(three_trunks, RECOMPUTED, again=three_trunks_grad),
            "kept to the end": Mistake(kept_to_the_end, KEPT, again=kept_to_the_end_grad),
            "created instead of retained": Mistake(
                created,
                "All three are right. `create_graph=True` keeps the trunk for the second pass, and records a graph of the gradient "
                "besides, which nobody asked for. To keep is `retain_graph=True`.",
                again=created_first,
            ),
            "three passes": Mistake(three_passes, THIRD_PASS, again=three_passes_roots),
            "three passes, kept to the end": Mistake(
                three_passes_kept, f"{THIRD_PASS} And leave `retain_graph` out of the last call.", again=three_passes_kept_grad
            ),
        },
        mistakes={
            "retained too late": Mistake(
                retained_late,
                "The graph was gone when the second pass came. The **first** pass frees it, so the *first* call needs "
                "`retain_graph=True`. On the last call it helps nobody.",
                again=never_retained,
            ),
            "retained once, passed three times": Mistake(
                retained_too_rarely,
                "Two passes went well, the third found the graph freed. `retain_graph` holds for **its own** call only: each "
                "pass but the last needs it. (And is the third pass needed? The gradient of a sum is the sum of the gradients.)",
                again=retained_too_rarely_grad,
            ),
            "cut off": Mistake(
                cut_at_h,
                "You cut `h` off from its history, so nothing leads from `l2` back to `x`. Both losses need the trunk: let the first "
                "pass keep it.",
                again=cut_at_h_again,
            ),
            "not cleared": Mistake(
                not_cleared,
                "Your second gradient is the sum of both: `backward` *adds* to `x.grad` (chapter 06). Set `x.grad = None` "
                "between the passes, or take the difference.",
                again=not_cleared_again,
            ),
            "one object under two names": Mistake(
                same_object,
                "Your first gradient changed after you had it: `g1 = x.grad` is no copy, and the second pass added to that same "
                "object. Set `x.grad = None` between the passes: then the second one makes a new Tensor.",
                again=same_object_again,
            ),
            "zeroed under your hands": Mistake(
                zeroed_object,
                "`zero_()` wrote zeros into the very Tensor that you had kept as the first gradient, and the second pass filled "
                "it. Set `x.grad = None` instead, or keep a `clone()`.",
                again=zeroed_object_again,
            ),
            "three under one name": Mistake(
                three_under_one_name,
                "Your three results are one and the same Tensor, the sum of all passes: `x.grad` is never cleared, and `x.grad` is no "
                "copy. Set `x.grad = None` after each pass. (And the third pass is not needed: add the first two gradients.)",
                again=three_under_one_name_roots,
            ),
            "in tuples": Mistake(
                in_tuples,
                "`mg.autograd.grad` returns a **tuple**, with one gradient for each input. Take it out, `mg.autograd.grad(…)[0]`: the "
                "sum of two tuples is only a longer tuple.",
                again=in_tuples_of_lists,
            ),
            "another order": Mistake(
                another_order,
                "All three numbers are there, in another order. First the gradient of `l1`, then that of `l2`, then that of the sum.",
                again=another_order_grad,
            ),
            "up to h": Mistake(
                up_to_h,
                "These are the gradients with respect to `h`. Asked for are those with respect to `x`, all the way through the trunk.",
                again=up_to_h_retained,
            ),
            "a running total": Mistake(
                running_total,
                "`x.grad` was never cleared, so each result holds all those before it. Set `x.grad = None` after each pass.",
                again=running_total_roots,
            ),
        },
        hints=(
            "Both losses need what the trunk has saved. The first pass frees it, unless you ask for it to be kept. And "
            "`backward` adds to `x.grad`: what must happen to it between the two passes?",
            "```text\n                 ┌──► head1 ──► l1     pass 1: the trunk is kept\nx ──► trunk ──► h\n"
            "                 └──► head2 ──► l2     pass 2: the trunk may go\n```\n\nTwo passes give two gradients. The third is "
            "their sum: no third pass.",
            "```python\nh = trunk(x)\nl1, l2 = head1(h), head2(h)\nl1.backward(___)\ng1 = x.grad\nx.grad = ___\n"
            "l2.backward()\ng2 = ___\nreturn g1, g2, ___\n```",
        ),
        explanation="""\
To have the two gradients *apart* there must be two passes through the trunk, so the first must leave it intact. That is what
`retain_graph=True` is for, and every pass but the last needs it.

`x.grad = None` between the passes does two things: the second gradient starts from nothing, and it becomes a new Tensor, so
`g1` keeps its numbers. (With `zero_()` instead, `g1` must be a `clone()`.)

If only the sum is wanted, none of this is needed: `(l1 + l2).backward()` or `mg.autograd.backward([l1, l2])` walks the
trunk once, and frees it.

Why is the trunk freed even if `head1` saves nothing, as in the second case? Because the pass went *through* the trunk.
""",
    )
)


# --- 07.3 Weigh it ------------------------------------------------------------------------------------------


def saved_bytes(root):
    """How many bytes the arrays have that the graph behind root keeps. An array counts once, whoever keeps it.

    root: a Tensor with a grad_fn. Returns an int.
    """
    arrays = {}
    seen, todo = set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        for place, size in suitcase(node):
            arrays[place] = size
        todo.extend(child for child, _ in node.next_functions)
    return sum(arrays.values())


def saved_bytes_set(root):
    return sum(size for _, size in {pair for node in nodes_of(root) for pair in suitcase(node)})


def saved_bytes_recursive(root):
    seen, places, total = set(), set(), 0

    def visit(node: Any) -> None:
        nonlocal total
        if node is None or node in seen:
            return
        seen.add(node)
        for place, size in suitcase(node):
            if place not in places:
                places.add(place)
                total += size
        for child, _ in node.next_functions:
            visit(child)

    visit(root.grad_fn)
    return total


def saved_bytes_list(root):
    nodes = [root.grad_fn]
    for node in nodes:
        for child, _ in node.next_functions:
            if child is not None and child not in nodes:
                nodes.append(child)
    return sum(dict(pair for node in nodes for pair in suitcase(node)).values())


def bytes_shared_twice(root):
    return sum(size for node in nodes_of(root) for _, size in suitcase(node))


def bytes_shared_twice_again(root):
    total, seen, todo = 0, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            for _, size in suitcase(node):
                total += size
            todo += [child for child, _ in node.next_functions]
    return total


def bytes_once_a_node(root):
    return sum(size for node in nodes_of(root) for _, size in set(suitcase(node)))


def bytes_once_a_node_again(root):
    return sum(sum(dict(suitcase(node)).values()) for node in nodes_of(root))


def paths_of(root: Any) -> list[Any]:
    """The nodes behind root, once for each path to them. Where these are too many it does not wait for the time limit."""
    nodes, todo = [], [root.grad_fn]
    while todo:
        if len(nodes) > 10_000:
            raise TimeLimit
        node = todo.pop()
        if node is not None:
            nodes.append(node)
            todo.extend(child for child, _ in node.next_functions)
    return nodes


def bytes_of_paths(root):
    return sum(size for node in paths_of(root) for _, size in suitcase(node))


def bytes_of_paths_again(root):
    def below(node: Any) -> int:
        if node is None:
            return 0
        return sum(size for _, size in suitcase(node)) + sum(below(child) for child, _ in node.next_functions)

    return below(root.grad_fn)


def bytes_without_seen(root):
    return sum(dict(pair for node in paths_of(root) for pair in suitcase(node)).values())


def bytes_without_seen_again(root):
    arrays = {}

    def visit(node: Any) -> None:
        if node is not None:
            arrays.update(suitcase(node))
            for child, _ in node.next_functions:
                visit(child)

    visit(root.grad_fn)
    return sum(arrays.values())


def bytes_of_the_last(root):
    return sum(dict(suitcase(root.grad_fn)).values())


def bytes_of_the_last_again(root):
    return sum(size for _, size in set(suitcase(root.grad_fn)))


def bytes_of_first_edge(root):
    arrays, node = {}, root.grad_fn
    while node is not None:
        arrays.update(suitcase(node))
        node = node.next_functions[0][0] if node.next_functions else None
    return sum(arrays.values())


def bytes_of_first_edge_again(root):
    def below(node: Any) -> set[tuple[int, int]]:
        first = node.next_functions[0][0] if node.next_functions else None
        return set(suitcase(node)) | (below(first) if first else set())

    return sum(size for _, size in below(root.grad_fn))


def bytes_with_leaves(root):
    """Saved or not, each leaf is counted. (None is saved twice in the graphs where that matters.)"""
    return saved_bytes(root) + sum(leaf.nbytes for leaf in unsaved_leaves(root))


def bytes_with_leaves_again(root):
    arrays = dict(pair for node in nodes_of(root) for pair in suitcase(node))
    arrays.update((-k, leaf.nbytes) for k, leaf in enumerate(unsaved_leaves(root), 1))
    return sum(arrays.values())


def unsaved_leaves(root: Any) -> list[Any]:
    nodes = nodes_of(root)
    saved = [getattr(node, name) for node in nodes for name in dir(node) if name.startswith("_saved_") and not is_freed(node)]
    places = {place_of(value) for value in saved if isinstance(value, mg.Tensor)}
    return [node.variable for node in nodes if hasattr(node, "variable") and place_of(node.variable) not in places]


def is_freed(node: Any) -> bool:
    return bool(getattr(node, "_freed", False))


def bytes_with_root(root):
    return saved_bytes(root) + root.nbytes


def bytes_with_root_again(root):
    pairs = {pair for node in nodes_of(root) for pair in suitcase(node)}
    return sum(size for _, size in pairs) + root.numel() * root.detach().numpy().itemsize


def bytes_of_the_tensor(root):
    return sum(size for _, size in suitcase(root))


def bytes_of_the_tensor_again(root):
    arrays = {}
    arrays.update(suitcase(root))
    for node in nodes_of(root):
        arrays.update(suitcase(node))
    return sum(arrays.values())


def bytes_with_none(root):
    arrays, seen, todo = {}, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node not in seen:
            seen.add(node)
            arrays.update(suitcase(node))
            todo.extend(child for child, _ in node.next_functions)
    return sum(arrays.values())


def bytes_with_none_again(root):
    seen = {root.grad_fn}

    def visit(node: Any) -> None:
        for child, _ in node.next_functions:
            if child not in seen:
                seen.add(child)
                visit(child)

    visit(root.grad_fn)
    return sum(dict(pair for node in seen for pair in suitcase(node)).values())


def bytes_of_pairs(root):
    arrays, seen, todo = {}, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        arrays.update(suitcase(node))
        todo.extend(node.next_functions)
    return sum(arrays.values())


def bytes_of_pairs_again(root):
    def visit(node: Any) -> dict[int, int]:
        return {} if node is None else dict(suitcase(node)) | dict(p for c in node.next_functions for p in visit(c).items())

    return sum(visit(root.grad_fn).values())


def bytes_by_name(root):
    arrays, names, todo = {}, set(), [root.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node.name() in names:
            continue
        names.add(node.name())
        arrays.update(suitcase(node))
        todo.extend(child for child, _ in node.next_functions)
    return sum(arrays.values())


def bytes_by_type(root):
    types, todo, pairs = [], [root.grad_fn], set()
    while todo:
        node = todo.pop()
        if node is not None and type(node).__name__ not in types:
            types.append(type(node).__name__)
            pairs |= set(suitcase(node))
            todo += [child for child, _ in node.next_functions]
    return sum(size for _, size in pairs)


def arrays_counted(root):
    return len({place for node in nodes_of(root) for place, _ in suitcase(node)})


def arrays_counted_again(root):
    return len(dict(pair for node in nodes_of(root) for pair in suitcase(node)))


def sizes_in_a_set(root):
    return sum({size for node in nodes_of(root) for _, size in suitcase(node)})


def sizes_in_a_set_again(root):
    sizes: list[int] = []
    for node in nodes_of(root):
        for _, size in suitcase(node):
            if size not in sizes:
                sizes.append(size)
    return sum(sizes)


# Each builds a graph from leaves and constants, and gives its root.
def chain_of_outputs(x):
    return mg.exp(mg.tanh(mg.exp(x))).sum()


def nothing_saved(x, y):
    return (-(x + y)).sum() + x.mean()


def used_by_two(x, y):
    return (x * y).sum() + mg.sin(x).sum()


def itself(x):
    return (x * x).sum()


def layer(W, X, b):
    return mg.tanh(X @ W.T + b).sum()


def made_of_constants(k, x):
    return (mg.exp(k) * (k * x)).sum()


def second_edge(k, x):
    return (k + x.cos() * mg.exp(x)).sum()


def twice_used(x):
    h = mg.exp(x)
    return (mg.sin(h) + mg.cos(h) * h).sum()


def ladder(x):
    for _ in range(25):
        x = x + x
    return mg.tanh(x)


def picked(x, rows):
    return (x[rows] ** 2).sum()


GRAPHS: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        chain_of_outputs,
        nothing_saved,
        used_by_two,
        itself,
        layer,
        made_of_constants,
        second_edge,
        twice_used,
        ladder,
        picked,
    )
}


def saved_bytes_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    m, n, k = (int(size) for size in rng.permutation(np.arange(5, 30))[:3])
    return [
        Case("three in a chain, each saves its result", ("chain_of_outputs", leaf(m), "fresh")),
        Case("nothing is saved", ("nothing_saved", leaf(n), leaf(n), "fresh")),
        Case("an array that two nodes keep", ("used_by_two", leaf(k), leaf(k), "fresh")),
        Case("an array that one node keeps twice", ("itself", leaf(n), "fresh")),
        Case("a layer of a network", ("layer", leaf(m, n), tensor(k, n), leaf(m), "fresh")),
        Case("constants", ("made_of_constants", tensor(m), leaf(m), "fresh")),
        Case("the first edge leads to None", ("second_edge", tensor(k), leaf(k), "fresh")),
        Case("a result that three nodes keep", ("twice_used", leaf(m), "fresh")),
        Case("rows that are picked", ("picked", leaf(m, 3), mg.tensor(rng.integers(m, size=n)), "fresh")),
        Case("after a backward pass", ("layer", leaf(n, m), tensor(k, m), leaf(n), "freed")),
        Case("after a pass that retained the graph", ("chain_of_outputs", leaf(k), "retained")),
        Case("a ladder with 2²⁵ paths", ("ladder", leaf(), "fresh")),
    ]


def watch_saved_bytes(answer: Callable[..., Any], name: str, *args: Any) -> Any:
    *inputs, state = args
    root = GRAPHS[name](*inputs)
    if state != "fresh":
        root.backward(retain_graph=state == "retained")
    returned = answer(root)
    if hasattr(returned, "item"):
        returned = returned.item()
    if not isinstance(returned, int) or isinstance(returned, bool):
        return unfit(returned, "an int, the number of bytes")
    return {"bytes": returned}


def saved_bytes_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case("a leaf of one number, three in a chain", ("chain_of_outputs", random_tensor(rng, dtype, 1, leaf=True), "fresh")),
        Case(
            "after a backward pass, where nothing was saved",
            ("nothing_saved", *(random_tensor(rng, dtype, 4, leaf=True) for _ in "ab"), "freed"),
        ),
    ]


register(
    Exercise(
        id="07.3",
        title="Weigh it",
        difficulty=3,
        minutes=9,
        reference=saved_bytes,
        cases=saved_bytes_cases,
        edges=saved_bytes_edges,
        observe=watch_saved_bytes,
        may_change_inputs=True,
        time_limit=1.0,
        alternatives={
            "a set of pairs": saved_bytes_set,
            "recursion": saved_bytes_recursive,
            "lists": saved_bytes_list,
        },
        mistakes={
            "shared arrays counted twice": Mistake(
                bytes_shared_twice,
                "An array that two nodes keep is in memory **once**. Remember the places that you have counted: "
                "`suitcase` gives you the place of each array.",
                again=bytes_shared_twice_again,
            ),
            "once for each node": Mistake(
                bytes_once_a_node,
                "Within one node you count an array once, but across nodes you count it again. Let the set (or dict) of places "
                "live outside the loop over the nodes.",
                again=bytes_once_a_node_again,
            ),
            "every path is walked": Mistake(
                bytes_without_seen,
                "You count each array once, but walk every **path**: a node with two arrows coming in is visited twice, and so is "
                "all behind it. The last graph has 2²⁵ paths. Keep the nodes that you have seen, as in exercise 01.3.",
                again=bytes_without_seen_again,
            ),
            "every path is walked and weighed": Mistake(
                bytes_of_paths,
                "A node with two arrows coming in was visited twice, and so was all behind it. Keep the nodes that you have "
                "seen (exercise 01.3). And an array in two suitcases counts once: keep the places, too.",
                again=bytes_of_paths_again,
            ),
            "the last node only": Mistake(
                bytes_of_the_last,
                "That is the suitcase of `root.grad_fn` alone. Walk along the `next_functions` to all nodes behind it.",
                again=bytes_of_the_last_again,
            ),
            "only the first edge is followed": Mistake(
                bytes_of_first_edge,
                "You followed the first edge of each node only. A product has two, and a constant's edge leads to None.",
                again=bytes_of_first_edge_again,
            ),
            "leaves counted though not saved": Mistake(
                bytes_with_leaves,
                "You counted leaves that nobody has saved. AccumulateGrad knows its leaf in order to write its `.grad`; that is no "
                "saved array, and it is not freed. Count what `suitcase` gives, and nothing else.",
                again=bytes_with_leaves_again,
            ),
            "the result counted though not saved": Mistake(
                bytes_with_root,
                "You counted the result of the graph. A sum does not save its result: no rule needs it. Count what "
                "`suitcase` gives, and nothing else.",
                again=bytes_with_root_again,
            ),
            "the tensor for its node": Mistake(
                bytes_of_the_tensor,
                "The suitcases belong to the **nodes**. A tensor leads to its node with `root.grad_fn`: begin there.",
                again=bytes_of_the_tensor_again,
            ),
            "None is no node": Mistake(
                bytes_with_none,
                "The edge of a constant leads to None, and None has no `next_functions`. Leave it out: `if node is None: continue`.",
                again=bytes_with_none_again,
            ),
            "pairs for nodes": Mistake(
                bytes_of_pairs,
                "An entry of `next_functions` is a **pair**: the node, and a number. Take the node: "
                "`for child, _ in node.next_functions`.",
                again=bytes_of_pairs_again,
            ),
            "one node of a kind": Mistake(
                bytes_by_name,
                "You leave out a node when one of the same **name** was there. Two `ExpBackward0` are two nodes, with a suitcase "
                "each. Remember the nodes themselves.",
                again=bytes_by_type,
            ),
            "arrays instead of bytes": Mistake(
                arrays_counted,
                "That is the number of arrays. Add up their sizes: the second item of each pair.",
                again=arrays_counted_again,
            ),
            "equal sizes taken for one array": Mistake(
                sizes_in_a_set,
                "Two arrays of the same size are still two arrays. Tell them apart by their **place**, not by their size.",
                again=sizes_in_a_set_again,
            ),
        },
        hints=(
            "It is the walk of exercise 01.3, with a question asked at each node: what is in your suitcase? And one array may be "
            "in several suitcases.",
            "```text\nL = (x * y).sum() + sin(x).sum()\n\nMulBackward0   x, y        12 + 12 bytes\n"
            "SinBackward0   x           already counted\nSumBackward0   nothing\nAddBackward0   nothing\n"
            "                           24 bytes\n```\n\nThe node is visited once (a set of nodes), and the array counted once (a "
            "dict from place to size).",
            "```python\narrays = {}                      # place -> bytes\nseen, todo = set(), [root.grad_fn]\nwhile todo:\n"
            "    node = todo.pop()\n    if node is None or node in seen:\n        continue\n    ...\n"
            "    for place, size in suitcase(node):\n        ...\n    todo.extend(...)\nreturn sum(...)\n```",
        ),
        explanation="""\
Two kinds of sharing, and each has its own memory: a **set of nodes**, because a node with two arrows coming in is one node; and
a **dict of places**, because an array in two suitcases is one array. In `x * x` even one node has it twice.

What a forward pass costs in memory is mostly this sum: a layer `tanh(X @ W.T + b)` keeps `X` for the gradient of `W`, and
its own result for the slope of tanh. It grows with the batch and with the depth, and the arrays in the middle have no other
owner. After `backward()` it is 0. That is why the engine empties the suitcases without being asked.
""",
    )
)


# --- 07.4 The wrong fix -------------------------------------------------------------------------------------


def learn(w, h, xs, step, loss_of):
    """Each state follows from the one before. Adds to w.grad the gradient of each loss through its own step only.

    w: a leaf. h: the first state, a constant. xs: the inputs. Returns the last state.
    """
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h = h.detach()
    return h


LEARN_STARTER = '''\
def learn(w, h, xs, step, loss_of):
    """Each state follows from the one before. Adds to w.grad the gradient of each loss through its own step only.

    w: a leaf. h: the first state, a constant. xs: the inputs. Returns the last state.
    """
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
    return h
'''


def learn_at_use(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
        loss = loss_of(h)
        loss.backward()
    return h


def learn_in_place(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h.detach_()
    return h


def learn_no_grad(w, h, xs, step, loss_of):
    for x in xs:
        loss_of(step(w, h, x)).backward()
        with mg.no_grad():
            h = step(w, h, x)
    return h


def learn_by_numbers(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward()
        h = mg.tensor(h.tolist(), dtype=h.dtype)
    return h


def learn_data(w, h, xs, step, loss_of):
    state = h
    for x in xs:
        state = step(w, state.data, x)
        loss_of(state).backward()
    return state


def learn_losses_first(w, h, xs, step, loss_of):
    losses = []
    for x in xs:
        h = step(w, h.detach(), x)
        losses.append(loss_of(h))
    sum(losses).backward()
    return h


def learn_grad(w, h, xs, step, loss_of):
    total = mg.zeros_like(w)
    for x in xs:
        h = step(w, h.detach(), x)
        total += mg.autograd.grad(loss_of(h), w)[0]
    w.grad = total
    return h


def broken(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss = loss_of(h)
        loss.backward()
    return h


def broken_roots(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        mg.autograd.backward([loss_of(h)])
    return h


def retained(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward(retain_graph=True)
    return h


def all_at_the_end(w, h, xs, step, loss_of):
    total = 0.0
    for x in xs:
        h = step(w, h, x)
        total = total + loss_of(h)
    total.backward()
    return h


def all_at_the_end_roots(w, h, xs, step, loss_of):
    losses = []
    for x in xs:
        h = step(w, h, x)
        losses.append(loss_of(h))
    mg.autograd.backward(losses)
    return h


def weight_detached(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w.detach(), h, x)
        loss_of(h).backward()
    return h


def weight_copied(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w.clone().detach(), h, x)
        loss = loss_of(h)
        loss.backward()
        h = h.detach()
    return h


def weight_another_leaf(w, h, xs, step, loss_of):
    for x in xs:
        v = w.detach().requires_grad_()
        h = step(v, h, x)
        loss_of(h).backward()
        h = h.detach()
    return h


def weight_another_leaf_again(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w.clone().detach().requires_grad_(True), h.detach(), x)
        loss_of(h).backward()
    return h


def state_made_a_leaf(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x).detach().requires_grad_()
        loss_of(h).backward()
    return h


def state_made_a_leaf_again(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        h = h.detach()
        h.requires_grad = True
        loss = loss_of(h)
        loss.backward()
    return h


def learn_leaf_state(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach().requires_grad_(), x)
        loss_of(h).backward()
    return h


def retained_clone(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.clone(), x)
        loss_of(h).backward(retain_graph=True)
    return h


def detached_too_soon(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x).detach()
        loss_of(h).backward()
    return h


def detached_too_soon_again(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss = loss_of(h.detach())
        loss.backward()
    return h


def without_record(w, h, xs, step, loss_of):
    for x in xs:
        with mg.no_grad():
            h = step(w, h, x)
        loss_of(h).backward()
    return h


def without_record_again(w, h, xs, step, loss_of):
    for x in xs:
        with mg.no_grad():
            h = step(w, h, x).clone()
        loss = loss_of(h)
        loss.backward()
        h = h.detach()
    return h


def state_forgotten(w, h, xs, step, loss_of):
    start = h
    for x in xs:
        h = step(w, start, x)
        loss_of(h).backward()
    return h


def state_forgotten_again(w, h, xs, step, loss_of):
    last = h
    for x in xs:
        last = step(w, h.clone(), x)
        loss_of(last).backward()
    return last.detach()


def last_loss_only(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
    loss_of(h).backward()
    return h


def last_loss_only_again(w, h, xs, step, loss_of):
    for k, x in enumerate(xs, 1):
        h = step(w, h, x)
        if k == len(xs):
            mg.autograd.backward(loss_of(h))
    return h.detach()


def last_step_only(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
    loss_of(h).backward()
    return h


def cleared_each_step(w, h, xs, step, loss_of):
    for x in xs:
        w.grad = None
        h = step(w, h.detach(), x)
        loss_of(h).backward()
    return h


def weight_moved(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
        loss_of(h).backward()
        with mg.no_grad():
            w -= 0.1 * w.grad
    return h


def weight_moved_and_cleared(w, h, xs, step, loss_of):
    for x in xs:
        w.grad = None
        h = step(w, h, x)
        loss_of(h).backward()
        w.data -= 0.01 * w.grad
        h = h.detach()
    return h


def error_caught(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        try:
            loss_of(h).backward()
        except RuntimeError as error:
            print(error)
    return h


def error_suppressed(w, h, xs, step, loss_of):
    import contextlib

    for x in xs:
        h = step(w, h, x)
        with contextlib.suppress(Exception):
            loss_of(h).backward()
    return h


def learn_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    goal = tensor(4)
    return [
        Case(
            "a number, 5 steps",
            (leaf(), tensor(), [tensor() for _ in range(5)], lambda w, h, x: mg.tanh(w * h + x), lambda h: (h - 1) ** 2),
        ),
        Case(
            "a vector of 3, 2 steps",
            (leaf(3), tensor(3), [tensor(3) for _ in range(2)], lambda w, h, x: mg.sin(w * h) + x, lambda h: (h * h).sum()),
        ),
        Case(
            "a matrix of 4 × 4, 6 steps",
            (
                leaf(4, 4),
                tensor(4),
                [tensor(4) for _ in range(6)],
                lambda w, h, x: mg.tanh(w @ h + x),
                lambda h: ((h - goal) ** 2).mean(),
            ),
        ),
    ]


def watch_learn(answer: Callable[..., Any], w: Any, h: Any, xs: list[Any], step: Any, loss_of: Any) -> Any:
    given: list[Any] = []
    states: list[bool] = []
    losses: list[Any] = []
    nodes: list[int] = []
    passes: list[int] = []
    before: list[int] = []  # for each loss, how many passes there were before it
    start = w.detach().clone()

    def watched_step(w: Any, h: Any, x: Any) -> Any:
        given.append(w)
        new = step(w, h, x)
        states.append(new.requires_grad)
        return new

    def watched_loss(h: Any) -> Any:
        loss = loss_of(h)
        nodes.append(len(nodes_of(loss)))
        before.append(len(passes))
        if loss.requires_grad:
            loss.register_hook(lambda g: passes.append(1))
        losses.append(loss)
        return loss

    watched_step.__name__ = watched_step.__qualname__ = "step"
    watched_loss.__name__ = watched_loss.__qualname__ = "loss_of"
    try:
        last = answer(w, h, xs, watched_step, watched_loss)
    except RuntimeError as error:
        known = [phrase for phrase in (FREED, NO_HISTORY) if phrase in str(error)]
        if not known:
            raise
        return {
            "backward": f"raised RuntimeError: … {known[0]} …",
            "the w that step was given requires grad": all(v.requires_grad for v in given),
            "the new state requires grad": all(states),
        }
    if not isinstance(last, mg.Tensor):
        return unfit(last, "a Tensor: the last state")
    if not mg.equal(w.detach(), start):
        return {"backward": "raised nothing", "w": "another than before"}
    seen: dict[str, Any] = {
        "backward": "raised nothing",
        "w": "as before",
        "the last state": last,
        "the graph behind a loss": "as large in the last step as in the first",
        "w.grad": "None" if w.grad is None else w.grad,
    }
    if len(set(nodes)) > 1:
        seen["the graph behind a loss"] = "grows from step to step"
        seen["passes before each loss"] = before  # where nothing grows, it does not matter when the passes are made
    if w.grad is None:
        seen["the w that step was given"] = "yours" if all(v is w for v in given) else "another"
    return seen | {
        "cost_kept": any(is_kept(loss, w) for loss in losses),
        "cost_steps": len(given),
    }


def retained_and_detached(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h, x)
        loss_of(h).backward(retain_graph=True)
        h = h.detach()
    return h


def retained_and_detached_again(w, h, xs, step, loss_of):
    for x in xs:
        h = step(w, h.detach(), x)
        mg.autograd.backward(loss_of(h), retain_graph=True)
    return h


def learn_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    w, h, x = random_tensor(rng, dtype, 2, leaf=True), mg.zeros(2, dtype=dtype), random_tensor(rng, dtype, 2)
    return [Case("one step, from a state of zeros", (w, h, [x], lambda w, h, x: mg.tanh(w * (h + x)), lambda h: h.sum()))]


register(
    Exercise(
        id="07.4",
        title="The wrong fix",
        difficulty=3,
        minutes=9,
        reference=learn,
        starter=LEARN_STARTER,
        cases=learn_cases,
        edges=learn_edges,
        observe=watch_learn,
        may_change_inputs=True,
        alternatives={
            "detached where it is used": learn_at_use,
            "detach_": learn_in_place,
            "no_grad for the state": learn_no_grad,
            "through a list": learn_by_numbers,
            "data": learn_data,
            "one pass over all cut losses": learn_losses_first,
            "autograd.grad": learn_grad,
            "each state a new leaf": learn_leaf_state,
        },
        wasteful={
            "retained as well": Mistake(
                retained_and_detached,
                "The cut mends it, and then `retain_graph=True` is needed no more: no later pass comes by. It only keeps the saved "
                "arrays alive. Take it out.",
                again=retained_and_detached_again,
            )
        },
        mistakes={
            "retain_graph": Mistake(
                retained,
                "It runs, and each step is slower than the one before: look at the nodes behind each loss. Every pass walks back to "
                "the very first step, and nothing is ever freed. The gradient is another one too: through all steps. Here each "
                "loss should reach its own step only, so **cut** the state between steps.",
                again=retained_clone,
            ),
            "all steps, one pass at the end": Mistake(
                all_at_the_end,
                "That is a right gradient of another thing: each loss reaches back through *all* steps (backpropagation through "
                "time). It needs one pass and no `retain_graph`, but the graph grows with the number of steps. Asked for is the "
                "gradient through each loss's own step: cut the state between steps.",
                again=all_at_the_end_roots,
            ),
            "still broken": Mistake(
                broken,
                "The error is still there: the second pass walks into the first step, whose suitcases are empty. Through which "
                "variable does the graph of one step hang on the step before?",
                again=broken_roots,
            ),
            "the weight detached": Mistake(
                weight_detached,
                "You cut off the weight: it is the one thing that a gradient is wanted for, and `w.grad` stays None. The thread "
                "that must be cut is the one to the *step before*, and that hangs on the state.",
                again=weight_copied,
            ),
            "another weight": Mistake(
                weight_another_leaf,
                "The gradient went to a copy of `w`: a new leaf of its own, with its own `.grad`, and `w.grad` stays None. Give "
                "`step` the `w` that you were given, and cut the state.",
                again=weight_another_leaf_again,
            ),
            "the state made a leaf": Mistake(
                state_made_a_leaf,
                "You cut the state before its loss was computed, and made it a leaf. No error, but the gradient ends in `h.grad` and "
                "never comes to `w`. First go backward, then cut.",
                again=state_made_a_leaf_again,
            ),
            "detached before use": Mistake(
                detached_too_soon,
                "You cut the state *before* its loss was computed, so the loss knows nothing of `w`. First go backward, then cut.",
                again=detached_too_soon_again,
            ),
            "nothing recorded": Mistake(
                without_record,
                "Under `no_grad` the step is not recorded, and the loss knows nothing of `w`. The step must be recorded; only "
                "what the *next* step gets must have no history.",
                again=without_record_again,
            ),
            "w was moved": Mistake(
                weight_moved,
                "`w` has changed: you made a step with the gradient. Here nothing is trained. Only `w.grad` is asked for, at the `w` "
                "that was given.",
                again=weight_moved_and_cleared,
            ),
            "the error is caught": Mistake(
                error_caught,
                "The error is caught, and is still there: each pass after the first stops on its way, and what it does until then is "
                "half a gradient at best. Take away the cause: cut the state between steps.",
                again=error_suppressed,
            ),
            "the state forgotten": Mistake(
                state_forgotten,
                "Every step starts from the first state, so nothing is carried on: the last state is wrong. Cut the history of "
                "the state, but keep its numbers.",
                again=state_forgotten_again,
            ),
            "the last loss only": Mistake(
                last_loss_only,
                "Only the last state has a loss here. Every step has one: one backward pass inside the loop.",
                again=last_loss_only_again,
            ),
            "only the last step counts": Mistake(
                last_step_only,
                "`w.grad` holds the gradient of the last step alone. Every step adds its own: call `backward` inside the loop, and "
                "do not clear `w.grad` there.",
                again=cleared_each_step,
            ),
        },
        hints=(
            "The error says that a pass came through nodes that had been freed. Which nodes? Not those of its own step: "
            "these are new. So how does the pass get from one step into the step before?",
            "```text\n        step 1          step 2          step 3\n h ──► h₁ ────┬──►    h₂ ────┬──►    h₃\n"
            "              ▼   ✂          ▼   ✂          ▼\n             loss₁          loss₂          loss₃\n```\n\n"
            "Each loss should see its own step. Cut where the scissors are: the numbers go on, the history does not.",
            "One line more in the loop, after `backward`:\n\n```python\nfor x in xs:\n    h = step(w, h, x)\n"
            "    loss_of(h).backward()\n"
            "    h = ___\nreturn h\n```",
        ),
        explanation="""\
The graph of step 2 hangs on the graph of step 1 through the state `h`. The pass from `loss₂` therefore walks into step 1, where
the pass from `loss₁` has emptied the suitcases: hence the error.

`retain_graph=True` takes the error away and leaves the cause. Each pass now walks through all earlier steps again: after
1000 steps it visits hundreds of times as many nodes, and all arrays of all steps stay in memory.

`h = h.detach()` keeps the numbers and cuts the history. The number of nodes stays the same in every step, each pass frees its own
step, and the gradient is the one that was asked for. Its name in the field is *truncated backpropagation through time*.

If you want the gradient through all steps, sum the losses and go backward **once**, at the end: that too needs no `retain_graph`.
""",
    )
)


# --- 07.5 Three doors to one error --------------------------------------------------------------------------


class Doors:
    """Three programs that end with the same RuntimeError. x: a leaf of shape (n,), whose .grad is None."""

    @staticmethod
    def twice(x):
        """Two backward calls."""
        y = mg.exp(x).sum()
        y.backward()
        y.backward()

    @staticmethod
    def grad_first(x):
        """First mg.autograd.grad, then backward. x.grad stays None."""
        y = mg.exp(x).sum()
        mg.autograd.grad(y, x)
        y.backward()

    @staticmethod
    def look(x):
        """One pass, and then a look at what a node had saved."""
        y = mg.exp(x)
        y.sum().backward()
        return y.grad_fn._saved_result


DOORS_STARTER = '''\
class Doors:
    """Three programs that end with the same RuntimeError. x: a leaf of shape (n,), whose .grad is None."""

    @staticmethod
    def twice(x):
        """Two backward calls."""
        ...

    @staticmethod
    def grad_first(x):
        """First mg.autograd.grad, then backward. x.grad stays None."""
        ...

    @staticmethod
    def look(x):
        """One pass, and then a look at what a node had saved."""
        ...
'''


class DoorsWithV:
    """Vectors, and a gradient for each."""

    @staticmethod
    def twice(x):
        y = x * x
        for _ in range(2):
            y.backward(mg.ones_like(y))

    @staticmethod
    def grad_first(x):
        y = 2 * x
        (g,) = mg.autograd.grad(y, [x], mg.ones_like(y))
        y.backward(g)

    @staticmethod
    def look(x):
        y = x**2
        mg.autograd.grad(y.sum(), x)
        print(y.grad_fn._saved_self)


class DoorsWithTwoRoots:
    """Two losses on one trunk."""

    @staticmethod
    def twice(x):
        h = mg.tanh(x)
        l1, l2 = h.sum(), (h * h).sum()
        l1.backward()
        l2.backward()

    @staticmethod
    def grad_first(x):
        h = mg.tanh(x)
        l1, l2 = h.sum(), (h * h).sum()
        mg.autograd.grad(l2, x)
        mg.autograd.backward([l1])

    @staticmethod
    def look(x):
        y = (x * x).sum()
        y.backward(retain_graph=True)
        y.backward()
        return y.grad_fn.next_functions[0][0]._saved_other


def door(name: str, wrong: Callable[..., Any]) -> Any:
    """The right answer with one other program."""
    return type("Doors", (Doors,), {name: staticmethod(wrong)})


def wrong_door(name: str, wrong: Callable[..., Any], hint: str, again: Callable[..., Any]) -> Mistake:
    return Mistake(door(name, wrong), f"{name}: {hint}", again=door(name, again))


def twice_nothing_saved(x):
    y = (x + 1).sum()
    y.backward()
    y.backward()


def twice_nothing_saved_again(x):
    y = -x.mean() + x[0]
    mg.autograd.backward(y)
    mg.autograd.backward(y)


def twice_made_anew(x):
    mg.exp(x).sum().backward()
    mg.exp(x).sum().backward()


def twice_kept(x):
    y = (x**2).sum()
    y.backward(retain_graph=True)
    y.backward()


def twice_vector(x):
    y = mg.exp(x)
    y.backward()
    y.backward()


def twice_vector_again(x):
    y = x * x
    for _ in range(2):
        y.backward()


def once(x):
    y = mg.exp(x).sum()
    y.backward()


def once_squares(x):
    (x**2).sum().backward()


def grad_vector(x):
    y = mg.exp(x)
    mg.autograd.grad(y, x)
    y.backward()


def grad_vector_again(x):
    y = x**2
    mg.autograd.grad([y], [x])
    y.sum().backward()


def forward_only(x):
    y = mg.exp(x).sum()
    print(y)


def grad_nothing_saved(x):
    y = x.sum()
    mg.autograd.grad(y, x)
    y.backward()


def grad_nothing_saved_again(x):
    y = (x + x).sum() - 3
    mg.autograd.grad(y, x)
    y.backward()


def backward_first(x):
    y = mg.exp(x).sum()
    y.backward()
    mg.autograd.grad(y, x)


def backward_first_again(x):
    y = (x * x).sum()
    mg.autograd.backward([y])
    mg.autograd.grad([y], [x])


def grad_kept(x):
    y = mg.exp(x).sum()
    mg.autograd.grad(y, x, retain_graph=True)
    y.backward()


def grad_made_anew(x):
    mg.autograd.grad((x**2).sum(), x)
    (x**2).sum().backward()


def grad_twice(x):
    y = mg.exp(x).sum()
    mg.autograd.grad(y, x)
    mg.autograd.grad(y, x)


def grad_twice_again(x):
    y = (x**3).sum()
    for _ in range(2):
        mg.autograd.grad(y, x)


def look_at_shape(x):
    y = x**2
    y.sum().backward()
    return y.grad_fn._saved_exponent


def look_at_shape_again(x):
    y = mg.exp(x).sum()
    y.backward()
    return y.grad_fn._saved_self_sym_sizes


def look_too_soon(x):
    y = mg.exp(x)
    return y.grad_fn._saved_result


def look_too_soon_again(x):
    y = x * x
    return y.grad_fn._saved_self


def look_misspelled(x):
    y = mg.exp(x)
    y.sum().backward()
    return y.grad_fn._saved_self


def look_misspelled_again(x):
    y = mg.sin(x)
    y.sum().backward()
    return y.grad_fn._saved_result


def look_walks(x):
    y = mg.exp(x).sum()
    y.backward()
    y.backward()


def look_walks_again(x):
    y = (x * x).sum()
    for _ in range(2):
        mg.autograd.backward(y)


def doors_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    sizes = [int(n) for n in rng.permutation(np.arange(2, 7))[:3]]
    return [
        Case(f"{name}: x of shape ({n},)", (name, random_tensor(rng, dtype, n, leaf=True)))
        for name, n in zip(("twice", "grad_first", "look"), sizes, strict=True)
    ]


def who_raised(error: BaseException) -> str:
    """The call in which a RuntimeError came up: backward, grad, or none of the two."""
    place, who = error.__traceback__, "no pass, but a look"
    while place is not None:
        module = str(place.tb_frame.f_globals.get("__name__", ""))
        name = place.tb_frame.f_code.co_name
        if module.startswith(mg.__name__) and ".course" not in module:
            if name in ("backward", "_backward_method"):
                return "backward"
            if name == "grad":
                return "autograd.grad"
        elif place.tb_next is None:
            code = place.tb_frame.f_code.co_code
            who = "your own raise" if dis.opname[code[place.tb_lasti]] == "RAISE_VARARGS" else who
        place = place.tb_next
    return who


def watch_doors(answer: Any, name: str, x: Any) -> dict[str, Any]:
    packed: list[int] = []
    passes: list[int] = []
    written: list[int] = []
    x.register_hook(lambda g: passes.append(1))
    x.register_post_accumulate_grad_hook(lambda leaf: written.append(1))  # backward does that, autograd.grad does not

    def pack(t: Any) -> Any:
        packed.append(1)
        return t

    end: dict[str, Any] = {"the end": "nothing was raised"}
    with mg.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        try:
            getattr(answer, name)(x)
        except AttributeError as error:
            if "_saved_" not in str(error):
                raise
            end = {"the end": "AttributeError: the node has saved nothing of that name"}
        except RuntimeError as error:
            if FREED in str(error):
                end = {"the end": f"RuntimeError: … {FREED} …", "raised by": who_raised(error)}
            elif "only for scalar outputs" in str(error):
                end = {"the end": "RuntimeError: grad can be implicitly created only for scalar outputs"}
            else:
                raise
    if end["the end"] == "nothing was raised":
        end["passes that reached x"] = len(passes)
        if passes:
            end["something was saved"] = bool(packed)
    return end | {
        "a pass went well before": bool(passes),
        # For a look it does not matter which call made the pass.
        **({} if name == "look" else {"x.grad was written": bool(written)}),
    }


KEPT_OR_ANEW = (
    "both passes went well. Either the first kept the graph (`retain_graph=True`), or the second had a graph of its own, because "
    "the forward was computed anew. Compute `y` once, and go back through it twice."
)
NOTHING_SAVED = (
    "both passes went well, because **nothing was saved** that could be missed: sums, minus signs and means need no array for their "
    "way back. Put an operation in that saves one, such as `exp`, `**` or a product. (And no `retain_graph`.)"
)

A_VECTOR = (
    "another error came first. `x` has several entries, so make `y` a scalar with `.sum()`. Or give a gradient of the shape of "
    "`y` (chapter 04)."
)

register(
    Exercise(
        id="07.5",
        title="Three doors to one error",
        difficulty=2,
        minutes=7,
        reference=Doors,
        starter=DOORS_STARTER,
        cases=doors_cases,
        without={
            "edges": "the answer makes the programs itself; any leaf will do",
        },
        observe=watch_doors,
        may_change_inputs=True,
        alternatives={"with v": DoorsWithV, "with two roots": DoorsWithTwoRoots},
        mistakes={
            "twice: nothing saved": wrong_door("twice", twice_nothing_saved, NOTHING_SAVED, twice_nothing_saved_again),
            "twice: kept or made anew": wrong_door("twice", twice_made_anew, KEPT_OR_ANEW, twice_kept),
            **{
                f"{name}: a vector": wrong_door(name, wrong, A_VECTOR, again)
                for name, wrong, again in (
                    ("twice", twice_vector, twice_vector_again),
                    ("grad_first", grad_vector, grad_vector_again),
                    ("look", twice_vector, twice_vector_again),
                )
            },
            **{
                f"{name}: nothing happens": wrong_door(
                    name, forward_only, "no error, and no pass has reached `x` yet. Write this one too.", lambda x: None
                )
                for name in ("twice", "grad_first")
            },
            "twice: once": wrong_door(
                "twice",
                once,
                "one pass is always fine: the error comes with the second one. (Or did you catch it? Let it out.)",
                once_squares,
            ),
            "grad_first: nothing saved": wrong_door("grad_first", grad_nothing_saved, NOTHING_SAVED, grad_nothing_saved_again),
            "grad_first: kept or made anew": wrong_door("grad_first", grad_kept, KEPT_OR_ANEW, grad_made_anew),
            "grad_first: the other way round": wrong_door(
                "grad_first",
                backward_first,
                "that is the same door from the other side: `backward` frees, `autograd.grad` finds it empty. Asked for is "
                "`mg.autograd.grad(y, x)` first, and then `y.backward()`.",
                backward_first_again,
            ),
            "grad_first: grad twice": wrong_door(
                "grad_first",
                grad_twice,
                "you called `autograd.grad` twice. The second call should be `y.backward()`.",
                grad_twice_again,
            ),
            "look: no array": wrong_door(
                "look",
                look_at_shape,
                "what you looked at is no array: an exponent or a shape stays readable. Freed are the **arrays**: `_saved_self`, "
                "`_saved_other`, `_saved_result`.",
                look_at_shape_again,
            ),
            "look: too soon": wrong_door(
                "look", look_too_soon, "before any pass the suitcase is full. First go backward, then look.", look_too_soon_again
            ),
            "look: another name": wrong_door(
                "look",
                look_misspelled,
                "nothing has that name here. The suitcase belongs to the **node**, `y.grad_fn`, not to the tensor; and after "
                "`.sum()` that is the node of the sum, which saves no array. `exp` has its `_saved_result`, `sin` its "
                "`_saved_self`, a product both `_saved_self` and `_saved_other`.",
                look_misspelled_again,
            ),
            "look: a second pass": wrong_door(
                "look",
                look_walks,
                "here the error should come without a second pass: from *reading* `y.grad_fn._saved_…` after the first.",
                look_walks_again,
            ),
        },
        hints=(
            "Somebody needs an array that a pass has freed. Who can need it? Another `backward`, another kind of pass, or you. And "
            "it must be an operation that saves an array at all (exercise 07.1).",
            "```text\n            forward      first pass      then\ntwice       y = ...      backward        backward\n"
            "grad_first  y = ...      autograd.grad   backward\nlook        y = ...      a pass          y.grad_fn._saved_...\n```",
            "```python\ny = mg.exp(x).sum()\ny.backward()\ny.___()\n```\n\n```python\ny = mg.exp(x).sum()\n"
            "mg.autograd.grad(___, ___)\ny.backward()\n```\n\n```python\ny = mg.exp(x)\ny.sum().backward()\ny.grad_fn._saved___\n```",
        ),
        explanation="""\
One message, three ways to meet it. What they share is an array that was saved for the way back, and a pass that has already
freed it.

* `backward` frees, and so does `autograd.grad`, although it writes no `.grad`.
* Whatever reads a freed array raises: a second pass, and equally you, when you look into the node.
* What is no array (an exponent, a shape, an axis) is not freed and stays readable.

A graph without saved arrays never raises it. That makes the error look fickle: you take a `2 *` out of a program, and it is gone.
""",
    )
)


# --- 07.6 retain or create? ---------------------------------------------------------------------------------

CUBE_SETUP = """\
grad = mg.autograd.grad

def cube():
    x = mg.tensor(2.0, requires_grad=True)
    return x, x**3

# Each line is run by itself, after x, L = cube().
"""

# One line of each rule is in every program.
CALLS = {
    "neither": ["grad(L, x); grad(L, x)", "L.backward(); L.backward()", "L.backward(); grad(L, x)"],
    "retain": ["grad(L, x, retain_graph=True); grad(L, x)", "L.backward(retain_graph=True); L.backward()"],
    "retain once for three": [
        "grad(L, x, retain_graph=True); grad(L, x); grad(L, x)",
        "L.backward(retain_graph=True); L.backward(); L.backward()",
    ],
    "retain late": ["grad(L, x); grad(L, x, retain_graph=True)", "L.backward(); L.backward(retain_graph=True)"],
    "create": ["grad(L, x, create_graph=True); grad(L, x)", "grad(L, x, create_graph=True); L.backward()"],
    "create, not retain": [
        "grad(L, x, create_graph=True, retain_graph=False); grad(L, x)",
        "grad(L, x, retain_graph=False, create_graph=True); L.backward()",
    ],
    "slope of create": ["(g,) = grad(L, x, create_graph=True); g.backward()", "g = grad(L, x, create_graph=True)[0]; grad(g, x)"],
    "slope of retain": ["(g,) = grad(L, x, retain_graph=True); g.backward()", "g = grad(L, x, retain_graph=True)[0]; grad(g, x)"],
    "slope of neither": ["(g,) = grad(L, x); g.backward()", "g = grad(L, x)[0]; grad(g, x)"],
}


def calls_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(CALLS))]
    return tuple((key, rule, str(rng.choice(CALLS[rule]))) for key, rule in zip("abcdefghi", rules, strict=True))


def calls_program(draw: Draw) -> str:
    return CUBE_SETUP + "\n".join(f"{code:<68}# {key}" for key, _, code in draw)


def end_of(code: str) -> str:
    space: dict[str, Any] = {"mg": mg}
    exec(CUBE_SETUP, space)
    exec("x, L = cube()", space)
    try:
        exec(code, space)
    except RuntimeError as error:
        return "freed" if FREED in str(error) else "no graph"
    return "ok"


def ends(draw: Draw) -> dict[str, str]:
    """Run each line by itself and look."""
    return {key: end_of(code) for key, _, code in draw}


def ends_by_rule(draw: Draw) -> dict[str, str]:
    by_rule = {"retain": "ok", "create": "ok", "slope of create": "ok", "slope of retain": "no graph", "slope of neither": "no graph"}
    return {key: by_rule.get(rule, "freed") for key, rule, _ in draw}


def expecting(believed: str, *rules: str) -> Callable[[Draw], dict[str, str]]:
    return believing_of(ends, believed, *rules)


register(
    Exercise(
        id="07.6",
        title="retain or create?",
        difficulty=2,
        minutes=6,
        reference=ends,
        draws=calls_draw,
        program=calls_program,
        name="ends",
        words=("ok", "freed", "no graph"),
        alternatives={"by the rules": ends_by_rule},
        mistakes={
            "create_graph frees": Mistake(
                expecting("freed", "create"),
                "`create_graph=True` records the backward pass as a graph of its own, and that graph hangs on the first one. So "
                "**create implies retain**: when you do not say otherwise, `retain_graph` takes the value of `create_graph`.",
            ),
            "create always keeps": Mistake(
                expecting("ok", "create, not retain"),
                "*By default* create implies retain. Here `retain_graph=False` says otherwise, and what you say counts.",
            ),
            "retained for good": Mistake(
                expecting("ok", "retain once for three"),
                "`retain_graph=True` holds for its own call. The next call says nothing, so it frees, and the third finds nothing.",
            ),
            "retain brings it back": Mistake(
                expecting("ok", "retain late"),
                "`retain_graph=True` asks a pass to keep what is there. It brings nothing back: the first call has freed it.",
            ),
            "nothing is freed": Mistake(
                expecting("ok", "neither"),
                "A pass frees what it comes by, unless it is told to keep it. Nobody said so here. `grad` frees just as "
                "`backward` does.",
            ),
            "retain does not keep": Mistake(
                expecting("freed", "retain"),
                "The first call was told to keep the graph. The second may use it, and frees it.",
            ),
            "retain makes a gradient differentiable": Mistake(
                expecting("ok", "slope of retain"),
                "`retain_graph` keeps the graph of `L`. The gradient `g` has none: it is a plain Tensor that remembers nothing. "
                "For a graph of `g` you need `create_graph=True`.",
            ),
            "a gradient always has a graph": Mistake(
                expecting("ok", "slope of neither"),
                "`g` is a plain Tensor: how it was computed was not recorded. For that you must ask, with `create_graph=True`.",
            ),
            "g needs the graph of L: retained": Mistake(
                expecting("freed", "slope of retain"),
                "There is an error, but another one. Nothing was freed; `g` has no graph at all: *does not require grad and does "
                "not have a grad_fn*.",
            ),
            "g needs the graph of L: freed": Mistake(
                expecting("freed", "slope of neither"),
                "There is an error, but another one. The pass from `g` does not get as far as something freed: `g` has no graph at "
                "all, *does not require grad and does not have a grad_fn*.",
            ),
            "what is freed has no graph": Mistake(
                expecting("no graph", "neither", "retain once for three", "retain late", "create, not retain"),
                "There is an error, but another one. `L` still requires grad and still has its graph: nodes stay. What is gone is "
                "what they had **saved**.",
            ),
            "create records nothing": Mistake(
                expecting("no graph", "slope of create"),
                "That is what `create_graph=True` is for: `g` is 3x² with a graph of its own, and can be differentiated again.",
            ),
            "create leaves a freed graph": Mistake(
                expecting("freed", "slope of create"),
                "`create_graph=True` keeps the graph (create implies retain), and `g` has a graph of its own besides. Going back "
                "from `g` works.",
            ),
        },
        hints=(
            "Two questions, one for each switch. `retain_graph`: may what was saved for `L` stay after this call? `create_graph`: "
            "shall the gradient itself get a graph? And what does the first take for granted when you give only the second?",
            "```text\n                     the graph of L     the gradient g\nneither              freed              no graph\n"
            "retain_graph=True    kept               no graph\ncreate_graph=True    kept               has a graph\n"
            "create, not retain   freed              has a graph\n```\n\nA switch holds for the call in which it stands.",
            "Go through each line call by call, with a note on whether L's graph is *there* or *freed*. A line with `g` asks about "
            "the graph of `g`. You will find three times `ok`, four times `freed`, twice `no graph`.",
        ),
        explanation="""\
| call | the graph of `L` afterwards | the gradient |
|---|---|---|
| `grad(L, x)` | freed | plain |
| `grad(L, x, retain_graph=True)` | kept | plain |
| `grad(L, x, create_graph=True)` | kept: create implies retain | has a graph |
| `grad(L, x, create_graph=True, retain_graph=False)` | freed | has a graph |

`retain_graph` is about the old graph, `create_graph` about a new one. The default of `retain_graph` is the value of `create_graph`,
because the new graph hangs on the old: it often uses the same saved arrays. Each switch holds for its own call.

Use `create_graph` when you will differentiate the gradient (chapters 08 and 09), `retain_graph` when another pass will come
through the same graph, and neither in an ordinary training step.
""",
    )
)
