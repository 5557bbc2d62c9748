"""autograd.grad: inputs=, allow_unused, create_graph.

Exercises 08.1 to 08.6: gradients that are handed out instead of being written into .grad.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.watching import calls_counted
from minigrad.course.compare import Unfit, unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)


def random_leaf(rng: np.random.Generator, dtype: Any, *shape: int, grad: bool = False) -> Any:
    """A leaf that requires grad; with grad=True it has a .grad already."""
    leaf = random_tensor(rng, dtype, *shape, leaf=True)
    leaf.grad = random_tensor(rng, dtype, *shape) if grad else None
    return leaf


def count_walks(L: Any) -> list[int]:
    """A list that grows by one with every backward pass that comes through L."""
    walks: list[int] = []
    if L.requires_grad:
        L.register_hook(lambda g: walks.append(1))
    return walks


def grads_of(tensors: dict[str, Any]) -> dict[str, Any]:
    return {name: t.grad for name, t in tensors.items()}


def listed(returned: Any, count: int, what: str) -> Any:
    """The gradients that came back, as a list, or what is wrong with the kind of what came."""
    wanted = f"a list of {what}: here {count}"
    if not isinstance(returned, list | tuple):
        return unfit(returned, wanted)
    if len(returned) != count:
        return Unfit(f"{len(returned)} value{'s' * (len(returned) != 1)}", wanted)
    return list(returned)


# --- 08.1 Hands off .grad -----------------------------------------------------------------------------------


def grads(L, wrt):
    """The gradients of L with respect to each leaf of the list wrt, as a list. Nobody's .grad changes.

    L: a Tensor of shape (), computed from these leaves and perhaps from others.
    """
    return list(mg.autograd.grad(L, wrt))


def grads_put_back(L, wrt):
    before = [t.grad for t in wrt]
    for t in wrt:
        t.grad = None
    L.backward(inputs=wrt)
    found = [t.grad for t in wrt]
    for t, old in zip(wrt, before, strict=True):
        t.grad = old
    return found


def grads_each(L, wrt):
    return [mg.autograd.grad(L, t, retain_graph=True)[0] for t in wrt]


def grads_each_loop(L, wrt):
    found = []
    for t in wrt:
        (g,) = mg.autograd.grad([L], [t], retain_graph=True)
        found.append(g)
    return found


def grads_backward(L, wrt):
    L.backward()
    return [t.grad for t in wrt]


def grads_backward_again(L, wrt):
    mg.autograd.backward([L])
    return [t.grad.clone() for t in wrt]


def grads_reset(L, wrt):
    L.backward()
    found = [t.grad for t in wrt]
    for t in wrt:
        t.grad = None
    return found


def grads_reset_again(L, wrt):
    mg.autograd.backward(L)
    found = []
    for t in wrt:
        found.append(t.grad.clone())
        t.grad = None
    return found


def grads_cleared(L, wrt):
    for t in wrt:
        t.grad = None
    L.backward()
    found = [t.grad for t in wrt]
    for t in wrt:
        t.grad = None
    return found


def grads_cleared_again(L, wrt):
    for t in wrt:
        t.grad = None
    mg.autograd.backward([L])
    found = []
    for t in wrt:
        found.append(t.grad)
        t.grad = None
    return found


def grads_cleared_before(L, wrt):
    for t in wrt:
        t.grad = None
    L.backward()
    return [t.grad for t in wrt]


def grads_cleared_before_again(L, wrt):
    for t in wrt:
        if t.grad is not None:
            t.grad.zero_()
    mg.autograd.backward(L)
    return tuple(t.grad for t in wrt)


def grads_half_put_back(L, wrt):
    before = [t.grad for t in wrt]
    for t in wrt:
        t.grad = None
    L.backward()
    found = [t.grad for t in wrt]
    for t, old in zip(wrt, before, strict=True):
        t.grad = old
    return found


def grads_half_put_back_again(L, wrt):
    found = []
    old = {t: t.grad for t in wrt}
    for t in old:
        t.grad = None
    mg.autograd.backward([L])
    for t in wrt:
        found.append(t.grad.clone())
        t.grad = old[t]
    return found


def grads_inputs(L, wrt):
    L.backward(inputs=wrt)
    return [t.grad for t in wrt]


def grads_inputs_again(L, wrt):
    mg.autograd.backward([L], inputs=list(wrt))
    return [t.grad + 0 for t in wrt]


def grads_freed(L, wrt):
    return [mg.autograd.grad(L, t)[0] for t in wrt]


def grads_freed_again(L, wrt):
    found = []
    for t in wrt:
        (g,) = mg.autograd.grad(L, [t])
        found.append(g)
    return found


def grads_tuples(L, wrt):
    return [mg.autograd.grad(L, t, retain_graph=True) for t in wrt]


def grads_tuples_again(L, wrt):
    return [(g,) for g in mg.autograd.grad(L, wrt)]


def grads_first(L, wrt):
    return mg.autograd.grad(L, wrt)[0]


def grads_first_again(L, wrt):
    g, *_ = mg.autograd.grad([L], wrt)
    return g


def grads_in_a_list(L, wrt):
    return [mg.autograd.grad(L, wrt)]


def grads_in_a_list_again(L, wrt):
    found = []
    found.append(mg.autograd.grad([L], wrt))
    return found


def grads_one_unpacked(L, wrt):
    (g,) = mg.autograd.grad(L, wrt)
    return [g]


def grads_one_unpacked_again(L, wrt):
    [found] = mg.autograd.grad(L, inputs=wrt)
    return (found,)


def grads_subtracted(L, wrt):
    before = [t.grad for t in wrt]
    L.backward(inputs=wrt)
    return [t.grad - old for t, old in zip(wrt, before, strict=True)]


def grads_subtracted_again(L, wrt):
    before = {t: t.grad for t in wrt}
    mg.autograd.backward(L)
    return [t.grad - before[t] for t in wrt]


def grads_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int, grad: bool = False) -> Any:
        return random_leaf(rng, dtype, *shape, grad=grad)

    a, b = leaf(3), leaf(3)
    w, c, x = leaf(2, 4, grad=True), leaf(2), leaf(4, grad=True)
    p, q, r = leaf(5, grad=True), leaf(grad=True), leaf(2, 5, grad=True)
    return [
        Case("one of two leaves, nobody has a .grad yet", ((mg.sin(a) * b).sum(), [b], {"a": a, "b": b})),
        Case("two of three leaves, some have a .grad", (((w @ x + c) ** 2).sum(), [c, w], {"w": w, "c": c, "x": x})),
        Case("all of three leaves, all have a .grad", ((mg.exp(q * p) * r).mean(), [r, p, q], {"p": p, "q": q, "r": r})),
    ]


def watch_grads(answer: Callable[..., Any], L: Any, wrt: Any, leaves: dict[str, Any]) -> Any:
    walks = count_walks(L)
    found = listed(answer(L, wrt), len(wrt), "gradients, one for each tensor in wrt")
    if isinstance(found, Unfit):
        return found
    return {
        "the gradients": found,
        **{f"{name}.grad afterwards": grad for name, grad in grads_of(leaves).items()},
        "cost_walks": len(walks),
    }


def grads_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b = random_leaf(rng, dtype, grad=True), random_leaf(rng, dtype, 1)
    c = random_leaf(rng, dtype, 3, grad=True)
    return [
        Case("one leaf of shape (), which is L's only one", (a * a, [a], {"a": a})),
        Case("a gradient of 0", ((b * 0).sum() + (c**2).sum(), [b, c], {"b": b, "c": c})),
        Case("the last of three leaves, all have a .grad", (((c * a) ** 2).sum() + b.sum(), [c], {"a": a, "b": b, "c": c})),
    ]


register(
    Exercise(
        id="08.1",
        title="Hands off .grad",
        difficulty=1,
        minutes=5,
        reference=grads,
        cases=grads_cases,
        edges=grads_edges,
        observe=watch_grads,
        may_change_inputs=True,
        alternatives={
            "the tuple": lambda L, wrt: mg.autograd.grad(L, wrt),
            "lists, keywords": lambda L, wrt: list(mg.autograd.grad(outputs=[L], inputs=wrt)),
            "backward(inputs=), and all put back": grads_put_back,
        },
        wasteful={
            "one walk for each": Mistake(
                grads_each,
                "All gradients are right, but the graph was walked once for each leaf, and it had to be retained for that. "
                "`mg.autograd.grad(L, wrt)` takes the whole list and walks **once**.",
                again=grads_each_loop,
            )
        },
        mistakes={
            "backward": Mistake(
                grads_backward,
                "`backward` *adds to the `.grad` of every leaf* behind `L`, also of those that are not in `wrt`. And where a "
                "`.grad` was there before, you returned the sum. Ask `mg.autograd.grad`: it hands the gradients to you.",
                again=grads_backward_again,
            ),
            "cleared, then backward": Mistake(
                grads_cleared_before,
                "What stood in `.grad` belongs to somebody else, and you cleared it. Then `backward` wrote to every leaf behind `L`. "
                "`mg.autograd.grad` touches no `.grad`.",
                again=grads_cleared_before_again,
            ),
            "read and reset": Mistake(
                grads_reset,
                "Backward, read, reset: now the `.grad` that others had stored is **destroyed**, and the leaves that are not in "
                "`wrt` still got one. Besides, an old `.grad` was in your sum. `mg.autograd.grad` touches no `.grad`.",
                again=grads_reset_again,
            ),
            "cleared before and after": Mistake(
                grads_cleared,
                "The numbers are right. But whoever had a `.grad` has **lost** it, and the leaves that are not in `wrt` got one "
                "that nobody asked for. `mg.autograd.grad` touches no `.grad`.",
                again=grads_cleared_again,
            ),
            "put back for wrt alone": Mistake(
                grads_half_put_back,
                "For the tensors in `wrt` you put everything back. But `backward` wrote to **every** leaf behind `L`, also to those "
                "that are not in your list. `mg.autograd.grad` touches no `.grad`.",
                again=grads_half_put_back_again,
            ),
            "backward(inputs=wrt)": Mistake(
                grads_inputs,
                "`inputs=` says *who* gets something; it still goes into their `.grad`, and is added to what was there. Use "
                "`mg.autograd.grad`: it returns the gradients.",
                again=grads_inputs_again,
            ),
            "freed after the first": Mistake(
                grads_freed,
                "The first call freed the graph, and the second came too late (chapter 07). No need to retain it: "
                "`mg.autograd.grad(L, wrt)` takes the **whole list** and walks once.",
                again=grads_freed_again,
            ),
            "a tuple in each place": Mistake(
                grads_tuples,
                "`mg.autograd.grad` always returns a **tuple**, also for one tensor. You have put the tuples into your list, not "
                "the gradients.",
                again=grads_tuples_again,
            ),
            "the tuple in a list": Mistake(
                grads_in_a_list,
                "`mg.autograd.grad(L, wrt)` gives all gradients in **one** tuple, and you have put the tuple into a list. "
                "`list(…)` makes a list of its entries.",
                again=grads_in_a_list_again,
            ),
            "unpacked as one": Mistake(
                grads_one_unpacked,
                "`(g,) = …` takes the gradient out of a tuple with **one** entry. Here `wrt` holds more, and so does the tuple: "
                "return all of it.",
                again=grads_one_unpacked_again,
            ),
            "the old .grad taken away again": Mistake(
                grads_subtracted,
                "Where nobody had a `.grad`, the old one is None, and nothing can be taken away from a tensor by None. And "
                "`backward` has written into every `.grad` all the same. `mg.autograd.grad` returns the gradients and writes "
                "nowhere.",
                again=grads_subtracted_again,
            ),
            "the first alone": Mistake(
                grads_first,
                "That is the first gradient only. `mg.autograd.grad(L, wrt)` gives a tuple with one gradient for each tensor in "
                "`wrt`: return them all.",
                again=grads_first_again,
            ),
        },
        hints=(
            "`L.backward()` writes into the `.grad` of every leaf behind `L`. There is a function that walks the same graph and "
            "*returns* what it finds.",
            "```text\nmg.autograd.grad(L, [a, b])\n                 │     │\n       from here ┘     └ to these, one gradient for "
            "each, in this order\n\n"
            "gives a tuple:  (∂L/∂a, ∂L/∂b)\n```",
            "```python\nreturn list(mg.autograd.grad(___, ___))\n```",
        ),
        explanation="""\
`mg.autograd.grad(L, wrt)` walks once, only along the paths that lead to the tensors in `wrt`, and hands the gradients
out as a tuple. It writes nowhere: whoever keeps something in `.grad`, as a training loop does, finds it unchanged.

To do the same with `backward` one would have to give `inputs=wrt`, so that no other leaf gets anything, remember each
old `.grad`, and put it back afterwards. It can be done (it is among the answers that pass), and shows what `grad`
saves you.
""",
    )
)


# --- 08.2 The middle of the graph ---------------------------------------------------------------------------


class Middle:
    """Two ways to ∂L/∂h, where h is no leaf. L: shape (). In both, the .grad of all other tensors stays as it is."""

    @staticmethod
    def by_grad(L, h):
        """Return ∂L/∂h. h.grad stays as it is, too."""
        (g,) = mg.autograd.grad(L, h)
        return g

    @staticmethod
    def by_backward(L, h):
        """Add ∂L/∂h to h.grad, by a call of backward. Return nothing."""
        L.backward(inputs=[h])


MIDDLE_STARTER = '''\
class Middle:
    """Two ways to ∂L/∂h, where h is no leaf. L: shape (). In both, the .grad of all other tensors stays as it is."""

    @staticmethod
    def by_grad(L, h):
        """Return ∂L/∂h. h.grad stays as it is, too."""
        ...

    @staticmethod
    def by_backward(L, h):
        """Add ∂L/∂h to h.grad, by a call of backward. Return nothing."""
        ...
'''


class MiddleOtherwise:
    """Lists, an index, and no list."""

    @staticmethod
    def by_grad(L, h):
        return mg.autograd.grad([L], [h])[0]

    @staticmethod
    def by_backward(L, h):
        mg.autograd.backward([L], inputs=h)


class MiddleByHand:
    """by_backward with a gradient that was asked for."""

    @staticmethod
    def by_grad(L, h):
        return mg.autograd.grad(L, h, retain_graph=True, allow_unused=True)[0]

    @staticmethod
    def by_backward(L, h):
        h.retain_grad()
        L.backward(mg.tensor(1.0, dtype=L.dtype), inputs=(h,))


def middle(name: str, wrong: Callable[..., Any]) -> Any:
    """The right answer with one other function."""
    return type("Middle", (Middle,), {name: staticmethod(wrong)})


def wrong_middle(name: str, wrong: Callable[..., Any], hint: str, again: Callable[..., Any]) -> Mistake:
    return Mistake(middle(name, wrong), f"{name}: {hint}", again=middle(name, again))


def read_unasked(L, h):
    L.backward()
    return h.grad


def read_unasked_again(L, h):
    mg.autograd.backward([L], retain_graph=True)
    g = h.grad
    return g


def asked_late(L, h):
    L.backward(retain_graph=True)
    h.retain_grad()
    return h.grad


def retained(L, h):
    h.retain_grad()
    L.backward()
    return h.grad


def retained_again(L, h):
    h.retain_grad()
    mg.autograd.backward(L)
    return h.grad.clone()


def still_a_tuple(L, h):
    return mg.autograd.grad(L, h)


def still_a_tuple_again(L, h):
    return list(mg.autograd.grad([L], [h]))


def by_inputs(L, h):
    L.backward(inputs=[h])
    return h.grad


def by_inputs_again(L, h):
    mg.autograd.backward([L], inputs=h)
    return h.grad * 1


def by_inputs_cleared(L, h):
    L.backward(inputs=[h])
    g, h.grad = h.grad, None
    return g


def by_inputs_cleared_again(L, h):
    mg.autograd.backward(L, inputs=(h,))
    g = h.grad.clone()
    h.grad = None
    return g


def other_way_round(L, h):
    return mg.autograd.grad(h, L)[0]


def other_way_round_again(L, h):
    (g,) = mg.autograd.grad([h], [L])
    return g


def back_from_h(L, h):
    h.backward()


def back_from_h_again(L, h):
    h.backward(inputs=[L])


def overwritten(L, h):
    (h.grad,) = mg.autograd.grad(L, h)


def overwritten_again(L, h):
    found = mg.autograd.grad(L, [h])
    h.grad = found[0].clone()


def only_returned(L, h):
    (g,) = mg.autograd.grad(L, h)
    return g


def only_returned_again(L, h):
    return mg.autograd.grad(L, [h])


def from_h(L, h):
    h.backward(mg.ones_like(h))


def from_h_again(L, h):
    h.sum().backward()


def middle_graph(rng: np.random.Generator, dtype: Any, kind: int) -> tuple[Any, Any, dict[str, Any]]:
    """L, h and the leaves."""
    if kind == 0:  # a chain
        x, w = random_leaf(rng, dtype, 3), random_leaf(rng, dtype, 3)
        h = x * w
        return mg.sin(h).sum(), h, {"x": x, "w": w}
    if kind == 1:  # h is used twice, x also beside it
        x, w = random_leaf(rng, dtype, 4, grad=True), random_leaf(rng, dtype, 2, 4)
        h = w @ x
        return (mg.exp(h) + h**2).mean() * x.sum(), h, {"x": x, "w": w}
    x, w = random_leaf(rng, dtype, 5), random_leaf(rng, dtype, 2, 5, grad=True)
    h = mg.tanh(w * x)
    h.grad = random_tensor(rng, dtype, 2, 5)  # not by backward: that would make h retain what grad finds, too
    return (h**3).sum(), h, {"x": x, "w": w}


MIDDLES = ("h on the only path", "h used twice, and a path beside it", "h has a .grad already")


def middle_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case(f"{name}: {words}", (name, *middle_graph(rng, dtype, kind)))
        for name in ("by_grad", "by_backward")
        for kind, words in enumerate(MIDDLES)
    ]


def watch_middle(answer: Any, name: str, L: Any, h: Any, leaves: dict[str, Any]) -> Any:
    with calls_counted(mg) as calls:
        returned = getattr(answer, name)(L, h)
    seen: dict[str, Any] = {"returns": returned} if name == "by_grad" else {"calls of backward": min(1, calls["backward"])}
    return seen | {f"{key}.grad afterwards": grad for key, grad in grads_of({"h": h, **leaves}).items()}


register(
    Exercise(
        id="08.2",
        title="The middle of the graph",
        difficulty=2,
        minutes=8,
        reference=Middle,
        starter=MIDDLE_STARTER,
        cases=middle_cases,
        without={
            "edges": "the graphs are random ones, with and without a .grad from before",
        },
        observe=watch_middle,
        may_change_inputs=True,
        alternatives={"lists, and none": MiddleOtherwise, "with more words": MiddleByHand},
        mistakes={
            "by_grad: read without asking": wrong_middle(
                "by_grad",
                read_unasked,
                "`h` is no leaf, so `backward` leaves nothing in `h.grad`. PyTorch and minigrad warn when you read it: *The .grad "
                "attribute of a Tensor that is not a leaf Tensor is being accessed …* And the leaves got a `.grad` that they were not "
                "to have. Ask for ∂L/∂h itself: `mg.autograd.grad`.",
                read_unasked_again,
            ),
            "by_grad: retain_grad and backward": wrong_middle(
                "by_grad",
                retained,
                "the number is there, but it is also in `h.grad`, and `backward` went on to the leaves and wrote to theirs. "
                "`mg.autograd.grad(L, h)` stops at `h` and writes nowhere.",
                retained_again,
            ),
            "by_grad: backward(inputs=)": wrong_middle(
                "by_grad",
                by_inputs,
                "the leaves are untouched, but `h.grad` is not: `backward` adds to it. `mg.autograd.grad(L, h)` returns the "
                "gradient and writes nowhere.",
                by_inputs_again,
            ),
            "by_grad: backward(inputs=), and cleared": wrong_middle(
                "by_grad",
                by_inputs_cleared,
                "`backward` adds to what is in `h.grad`, so an old one got into your sum; and then you cleared it. "
                "`mg.autograd.grad(L, h)` returns the gradient and writes nowhere: there is nothing to clear.",
                by_inputs_cleared_again,
            ),
            "by_grad: the other way round": wrong_middle(
                "by_grad",
                other_way_round,
                "the output comes first, then the input: `mg.autograd.grad(L, h)`. You asked how `h` moves with `L`.",
                other_way_round_again,
            ),
            "by_grad: a tuple": wrong_middle(
                "by_grad",
                still_a_tuple,
                "`mg.autograd.grad` returns a **tuple**, here with one entry. Take it out: `(g,) = …`, or `…[0]`.",
                still_a_tuple_again,
            ),
            "by_backward: not asked for": wrong_middle(
                "by_backward",
                read_unasked,
                "`h` is no leaf, so a plain `backward` leaves nothing in `h.grad`, and writes to all leaves. Say where the gradient "
                "is to be left: `inputs=[h]`.",
                asked_late,
            ),
            "by_backward: retain_grad": wrong_middle(
                "by_backward",
                retained,
                "`retain_grad` leaves the gradient in `h.grad`, but the pass goes on to the leaves and writes to theirs as well. "
                "`inputs=[h]` stops it at `h`.",
                retained_again,
            ),
            "by_backward: overwritten": wrong_middle(
                "by_backward",
                overwritten,
                "a `.grad` that was there before is gone. `backward` **adds** to it, also for a tensor that is no leaf, if you name "
                "it in `inputs=`.",
                overwritten_again,
            ),
            "by_backward: only returned": wrong_middle(
                "by_backward",
                only_returned,
                "afterwards nothing new is in `h.grad`. (`mg.autograd.grad` hands the gradient out and writes nowhere.) `backward` "
                "adds it there; `inputs=` says for whom.",
                only_returned_again,
            ),
            "by_backward: begun at h": wrong_middle(
                "by_backward",
                back_from_h,
                "a pass begins at the tensor before the dot, and you begin at `h`, which is no scalar. Begin at `L`, and name `h` "
                "in `inputs=`.",
                back_from_h_again,
            ),
            "by_backward: from h": wrong_middle(
                "by_backward",
                from_h,
                "this walks from `h` towards the leaves. Wanted is the other half of the way: from `L` back to `h`. Start at `L`, and "
                "name `h` in `inputs=`.",
                from_h_again,
            ),
        },
        hints=(
            "A gradient comes by at every node on the way, and normally is handed on. Both functions only have to say: *this one, "
            "here, I want.* One hands it to you, the other leaves it in `h.grad`.",
            "```text\nL ──► … ──► h ──► … ──► x, w\n  ─────────►│\n   walked   │ not walked\n```\n\nThe inputs that you name are "
            "where the walk "
            "ends.",
            "```python\n(g,) = mg.autograd.grad(___, ___)     # by_grad\nL.backward(inputs=[___])              # by_backward\n```",
        ),
        explanation="""\
| | ∂L/∂h goes | leaves | walks |
|---|---|---|---|
| `mg.autograd.grad(L, h)` | into your hand, in a tuple | untouched | from L to h |
| `L.backward(inputs=[h])` | is added to `h.grad` | untouched | from L to h |
| `h.retain_grad(); L.backward()` | is added to `h.grad` | get their `.grad` | all the way |

The first two stop at `h`. `grad` frees only what it walked: the node that made `h` is intact, and you can go on from
there with `h.backward(g)`, the second leg of the chain rule. (After `backward(inputs=[h])` you cannot: it empties
that node's suitcase as well.)
""",
    )
)


# --- 08.3 Unused --------------------------------------------------------------------------------------------


def grad_or_zeros(L, wrt):
    """The gradients of L with respect to each tensor in wrt; zeros of its shape where L does not depend on it.

    Returns a list. Nobody's .grad changes. Every other error that autograd.grad raises comes out.
    """
    found = mg.autograd.grad(L, wrt, allow_unused=True)
    return [mg.zeros_like(t) if g is None else g for t, g in zip(wrt, found, strict=True)]


def zeros_loop(L, wrt):
    result = list(mg.autograd.grad(L, wrt, allow_unused=True))
    for k in range(len(wrt)):
        if result[k] is None:
            result[k] = mg.zeros(wrt[k].shape)
    return result


def zeros_times(L, wrt):
    found = mg.autograd.grad(L, wrt, allow_unused=True)
    return [0 * t.detach() if g is None else g for t, g in zip(wrt, found, strict=True)]


def zeros_each(L, wrt):
    result = []
    for t in wrt:
        (g,) = mg.autograd.grad(L, t, allow_unused=True, retain_graph=True)
        result.append(mg.zeros_like(t) if g is None else g)
    return result


def zeros_each_again(L, wrt):
    return [mg.autograd.grad(L, t, retain_graph=True, materialize_grads=True)[0] for t in wrt]


def zeros_added(L, wrt):
    return mg.autograd.grad(L + sum((0 * t).sum() for t in wrt), wrt)


def zeros_without_graph(L, wrt):
    if not L.requires_grad:
        return [mg.zeros_like(t) for t in wrt]
    return mg.autograd.grad(L, wrt, materialize_grads=True)


def zeros_summed(L, wrt):
    return mg.autograd.grad(L.sum(), wrt, materialize_grads=True)


def zeros_summed_again(L, wrt):
    found = mg.autograd.grad(L, wrt, mg.ones_like(L), allow_unused=True)
    return [mg.zeros(t.shape) if g is None else g for t, g in zip(wrt, found, strict=True)]


def zeros_freed(L, wrt):
    return [mg.autograd.grad(L, t, materialize_grads=True)[0] for t in wrt]


def zeros_freed_again(L, wrt):
    result = []
    for t in wrt:
        (g,) = mg.autograd.grad(L, t, allow_unused=True)
        result.append(mg.zeros_like(t) if g is None else g)
    return result


def zeros_or(L, wrt):
    return [g or mg.zeros_like(t) for t, g in zip(wrt, mg.autograd.grad(L, wrt, allow_unused=True), strict=True)]


def zeros_or_again(L, wrt):
    result = []
    for t, g in zip(wrt, mg.autograd.grad(L, wrt, allow_unused=True), strict=True):
        result.append(g if g else mg.zeros(t.shape))
    return result


def zeros_try(L, wrt):
    try:
        return list(mg.autograd.grad(L, wrt))
    except RuntimeError:
        return [mg.zeros_like(t) for t in wrt]


def zeros_try_again(L, wrt):
    try:
        found = mg.autograd.grad(L, wrt)
    except Exception:
        found = [mg.zeros(t.shape) for t in wrt]
    return found


def zeros_try_each(L, wrt):
    result = []
    for t in wrt:
        try:
            (g,) = mg.autograd.grad(L, t, retain_graph=True)
        except RuntimeError:
            g = mg.zeros_like(t)
        result.append(g)
    return result


def zeros_try_each_again(L, wrt):
    def one(t: Any) -> Any:
        try:
            return mg.autograd.grad(L, [t], retain_graph=True)[0]
        except Exception:
            return mg.zeros(t.shape)

    return [one(t) for t in wrt]


def zeros_try_unused(L, wrt):
    try:
        found = mg.autograd.grad(L, wrt, allow_unused=True)
    except RuntimeError:
        found = [None] * len(wrt)
    return [mg.zeros_like(t) if g is None else g for t, g in zip(wrt, found, strict=True)]


def zeros_try_unused_again(L, wrt):
    try:
        return mg.autograd.grad(L, wrt, materialize_grads=True)
    except Exception:
        return [mg.zeros(t.shape) for t in wrt]


def zeros_not_asked(L, wrt):
    return list(mg.autograd.grad(L, wrt))


def zeros_not_asked_again(L, wrt):
    return [mg.autograd.grad(L, t, retain_graph=True)[0] for t in wrt]


def zeros_backward(L, wrt):
    L.backward()
    return [mg.zeros_like(t) if t.grad is None else t.grad for t in wrt]


def zeros_backward_again(L, wrt):
    mg.autograd.backward([L])
    found = []
    for t in wrt:
        found.append(mg.zeros(t.shape) if t.grad is None else t.grad.clone())
    return found


def zeros_inputs(L, wrt):
    L.backward(inputs=wrt)
    return [mg.zeros_like(t) if t.grad is None else t.grad for t in wrt]


def zeros_inputs_again(L, wrt):
    mg.autograd.backward([L], inputs=list(wrt))
    return tuple(t.grad if t.grad is not None else mg.zeros(t.shape) for t in wrt)


def nones(L, wrt):
    return list(mg.autograd.grad(L, wrt, allow_unused=True))


def nones_again(L, wrt):
    return [mg.autograd.grad(L, t, allow_unused=True, retain_graph=True)[0] for t in wrt]


def zeros_scalar(L, wrt):
    found = mg.autograd.grad(L, wrt, allow_unused=True)
    return [mg.tensor(0.0) if g is None else g for g in found]


def zeros_scalar_again(L, wrt):
    found = mg.autograd.grad(L, wrt, allow_unused=True)
    return [mg.zeros_like(L) if g is None else g for g in found]


def zeros_of_constants(L, wrt):
    asked = [t for t in wrt if t.requires_grad]
    found = dict(zip(map(id, asked), mg.autograd.grad(L, asked, allow_unused=True), strict=True))
    return [mg.zeros_like(t) if found.get(id(t)) is None else found[id(t)] for t in wrt]


def zeros_of_constants_again(L, wrt):
    result = []
    for t in wrt:
        g = None
        if t.requires_grad:
            (g,) = mg.autograd.grad(L, t, allow_unused=True, retain_graph=True)
        result.append(mg.zeros(t.shape) if g is None else g)
    return result


def zeros_filtered(L, wrt):
    return [g for g in mg.autograd.grad(L, wrt, allow_unused=True) if g is not None]


def zeros_filtered_again(L, wrt):
    found = []
    for g in mg.autograd.grad([L], wrt, allow_unused=True):
        if isinstance(g, mg.Tensor):
            found.append(g)
    return found


def unused_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_leaf(rng, dtype, *shape)

    def freed(L: Any) -> Any:
        mg.autograd.grad(L, x)
        return L

    x, w, b, c = leaf(3), leaf(2, 4), leaf(5), random_tensor(rng, dtype, 6)
    return [
        Case("all are used", ((mg.sin(x)).sum() * (w**2).sum(), [w, x])),
        Case("the second of three is not used", ((mg.exp(x)).sum() + (w**3).mean(), [x, b, w])),
        Case("none is used", ((x * x).sum(), [w, b])),
        Case("x[1] is computed after L, so L does not depend on it", ((x * x).sum(), [x[1], x])),
        Case("one of them requires no grad, an error", ((x * c[:3]).sum(), [x, c])),
        Case("L has shape (3,), an error", (x**2, [x, w])),
        Case("L requires no grad, an error", ((c * c).sum(), [x, b])),
        Case("the graph was freed, an error", (freed((x**2).sum()), [x, w])),
    ]


def watch_unused(answer: Callable[..., Any], L: Any, wrt: Any) -> Any:
    walks = count_walks(L)
    found = listed(answer(L, wrt), len(wrt), "gradients, one for each tensor in wrt")
    if isinstance(found, Unfit):
        return found
    return {
        "the gradients": found,
        ".grad afterwards": [t.grad for t in wrt if t.is_leaf],
        "cost_walks": len(walks),
    }


VANISHED = (
    "Now real errors vanish: a constant among the inputs, a loss that is no scalar, a freed graph, and all that comes out is a zero. "
    "Do not catch; **say** what you allow: `allow_unused=True`."
)

def unused_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b, c = random_leaf(rng, dtype, grad=True), random_leaf(rng, dtype, 1), random_leaf(rng, dtype, 2, 3, grad=True)
    return [
        Case("one tensor of shape (), not used, with a .grad", ((c * c).sum(), [a])),
        Case("one tensor, used, with a .grad", ((c * c).sum(), [c])),
        Case("a gradient of 0, and one that is not used", ((c * 0).sum(), [b, c])),
    ]


register(
    Exercise(
        id="08.3",
        title="Unused",
        difficulty=2,
        minutes=7,
        reference=grad_or_zeros,
        cases=unused_cases,
        edges=unused_edges,
        observe=watch_unused,
        may_change_inputs=True,
        alternatives={
            "a loop": zeros_loop,
            "zero times t": zeros_times,
            "materialize_grads": lambda L, wrt: mg.autograd.grad(L, wrt, materialize_grads=True),
        },
        wasteful={
            "one walk for each": Mistake(
                zeros_each,
                "All is right, but the graph was walked once for each tensor, and had to be retained. Give the whole list to one "
                "call.",
                again=zeros_each_again,
            )
        },
        mistakes={
            "not allowed": Mistake(
                zeros_not_asked,
                "*… appears to not have been used in the graph. Set allow_unused=True if this is the desired behavior.* Here it is "
                "the desired behaviour.",
                again=zeros_not_asked_again,
            ),
            "None is left": Mistake(
                nones,
                "`allow_unused=True` puts **None** in the place of an unused tensor. Wanted are zeros: replace it.",
                again=nones_again,
            ),
            "zeros of shape ()": Mistake(
                zeros_scalar,
                "A gradient has the shape of the tensor that it belongs to. Your zero has the shape `()`. `mg.zeros_like(t)` has "
                "the right one.",
                again=zeros_scalar_again,
            ),
            "left out": Mistake(
                zeros_filtered,
                "You dropped the unused ones, so nobody can tell which gradient belongs to whom. One gradient for **each** tensor "
                "in `wrt`, zeros where there is none.",
                again=zeros_filtered_again,
            ),
            "one error, all zeros": Mistake(
                zeros_try,
                "One unused tensor, and *all* gradients became zero. An exception tells you nothing about the others. " + VANISHED,
                again=zeros_try_again,
            ),
            "each error a zero": Mistake(zeros_try_each, VANISHED, again=zeros_try_each_again),
            "allowed, and caught all the same": Mistake(zeros_try_unused, VANISHED, again=zeros_try_unused_again),
            "backward": Mistake(
                zeros_backward,
                "`backward` writes into the `.grad` of every leaf behind `L`, and knows nothing of your list: a constant in it "
                "becomes a zero without a word. `mg.autograd.grad` writes nowhere, and looks at each tensor that you ask for.",
                again=zeros_backward_again,
            ),
            "backward(inputs=)": Mistake(
                zeros_inputs,
                "`inputs=` says who gets something, but it still goes into their `.grad`. `mg.autograd.grad` with "
                "`allow_unused=True` hands the gradients to you, and None for an unused tensor.",
                again=zeros_inputs_again,
            ),
            "freed after the first": Mistake(
                zeros_freed,
                "The first call freed the graph, and the second came too late (chapter 07). Give the **whole list** to one call: "
                "one walk, and nothing to retain.",
                again=zeros_freed_again,
            ),
            "the truth of a tensor": Mistake(
                zeros_or,
                "`g or …` and `if g` ask whether a whole tensor is true, and for several numbers there is no answer. Ask whether it "
                "is there: `g is None`.",
                again=zeros_or_again,
            ),
            "zeros without a graph": Mistake(
                zeros_without_graph,
                "Here `L` does not require grad: somebody forgot `requires_grad`, or detached, and you return zeros. (So does "
                "whoever adds `0 * t` to `L`: then it always has a graph.) Only a tensor to which no path leads is to become zeros; "
                "this error must come out.",
                again=zeros_added,
            ),
            "made one number": Mistake(
                zeros_summed,
                "An `L` with several entries is a mistake of whoever calls you, and its error is to come out. `.sum()`, or a "
                "cotangent of ones, makes one number of it in silence.",
                again=zeros_summed_again,
            ),
            "zeros for constants": Mistake(
                zeros_of_constants,
                "A tensor that does **not require grad** is another matter than an unused one: somebody forgot `requires_grad`, or "
                "detached, and L may well depend on it. Zero would be a wrong number. The error must come out.",
                again=zeros_of_constants_again,
            ),
        },
        hints=(
            "`autograd.grad` has several reasons to raise. One of them you want to allow, the others not. There is an argument "
            "that allows just this one.",
            "```text\nwrt          [x,      b,      w]\nfound        (∂L/∂x,  None,  ∂L/∂w)      with allow_unused=True\n"
            "wanted       [∂L/∂x,  0 0 0,  ∂L/∂w]      zeros in the shape of b\n```",
            "```python\nfound = mg.autograd.grad(L, wrt, allow_unused=___)\n"
            "return [mg.zeros_like(___) if g is None else ___ for t, g in zip(wrt, found)]\n```",
        ),
        explanation="""\
`allow_unused=True` allows one thing: a tensor to which no path leads gets `None`. (Where you know that it is meant to
be zero, `materialize_grads=True` writes the zeros for you, in the right shape.)

Everything else is still an error, and should be: a tensor that does not require grad, a loss that is no scalar, a
graph that is gone. `try … except` cannot tell them apart. It would also turn the fourth case into a riddle: `x[1]`,
written after `L`, is a *new* tensor. `L` depends on `x`, but not on this piece of it.
""",
    )
)


# --- 08.4 Gradient penalty ----------------------------------------------------------------------------------


def penalized(f, w, x, strength):
    """The gradient, with respect to w, of f(w, x) + strength · ‖∂f/∂x‖². Nobody's .grad changes.

    w, x: leaves that require grad. f(w, x): shape (). ‖·‖²: the sum of the squares. Returns a Tensor of the shape of w.
    """
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g,) = mg.autograd.grad(loss + strength * (slope**2).sum(), w)
    return g


def penalized_apart(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, [x], create_graph=True)
    (g_loss,) = mg.autograd.grad(loss, w, retain_graph=True)
    (g_penalty,) = mg.autograd.grad((slope * slope).sum(), w, allow_unused=True)
    return g_loss if g_penalty is None else g_loss + strength * g_penalty


def penalized_norm_squared(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), x, create_graph=True)[0]
    total = f(w, x) + strength * slope.norm() ** 2
    return mg.autograd.grad(total, w)[0]


def penalized_roots(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    penalty = strength * slope.reshape(-1) @ slope.reshape(-1)
    return mg.autograd.grad((loss, penalty), w)[0]


def penalized_vjp(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g,) = mg.autograd.grad((loss, slope), w, (None, 2 * strength * slope.detach()))
    return g


def penalized_kept(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g,) = mg.autograd.grad(loss + strength * (slope**2).sum(), w, create_graph=True)
    return g


def penalized_kept_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    total = f(w, x) + strength * (slope * slope).sum()
    return mg.autograd.grad([total], [w], create_graph=True)[0]


def penalized_freed(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x)
    (g,) = mg.autograd.grad(loss + strength * (slope**2).sum(), w)
    return g


def penalized_freed_again(f, w, x, strength):
    loss = f(w, x)
    slope = mg.autograd.grad([loss], [x])[0]
    g = mg.autograd.grad(loss, w)[0]
    return g + strength * mg.autograd.grad((slope**2).sum(), w)[0]


def penalized_no_history(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, retain_graph=True)
    (g,) = mg.autograd.grad(loss, w)
    return g + strength * mg.autograd.grad((slope**2).sum(), w)[0]


def penalized_no_history_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x)
    (g_penalty,) = mg.autograd.grad((slope * slope).sum(), w)
    return mg.autograd.grad(f(w, x), w)[0] + strength * g_penalty


def penalized_silent(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, retain_graph=True)
    (g,) = mg.autograd.grad(loss + strength * (slope**2).sum(), w)
    return g


def penalized_silent_again(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    penalty = (slope.detach() ** 2).sum()
    return mg.autograd.grad(loss + strength * penalty, w)[0]


def penalized_last_backward(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    w.grad = None
    (loss + strength * (slope**2).sum()).backward()
    return w.grad


def penalized_last_backward_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    total = f(w, x) + strength * (slope * slope).sum()
    w.grad = None
    mg.autograd.backward([total])
    return w.grad.clone()


def penalized_last_backward_added(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (loss + strength * (slope**2).sum()).backward()
    return w.grad


def penalized_last_backward_added_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    mg.autograd.backward(f(w, x) + strength * slope.norm() ** 2)
    return w.grad + 0


def penalized_backward_inputs(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (loss + strength * (slope**2).sum()).backward(inputs=[w])
    return w.grad


def penalized_backward_inputs_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    total = f(w, x) + strength * (slope * slope).sum()
    mg.autograd.backward([total], inputs=w)
    return w.grad.clone()


def penalized_cleared(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    w.grad = None
    (loss + strength * (slope**2).sum()).backward(inputs=[w])
    g, w.grad = w.grad, None
    return g


def penalized_cleared_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    if w.grad is not None:
        w.grad.zero_()
    total = f(w, x) + strength * (slope * slope).sum()
    mg.autograd.backward([total], inputs=w)
    g = w.grad.clone()
    w.grad = None
    return g


def penalized_added_and_cleared(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (loss + strength * (slope**2).sum()).backward(inputs=[w])
    g, w.grad = w.grad, None
    return g


def penalized_added_and_cleared_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    total = f(w, x) + strength * (slope * slope).sum()
    mg.autograd.backward(total, inputs=w)
    g = w.grad + 0
    w.grad = None
    return g


def penalized_tuple(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), w)


def penalized_tuple_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    return list(mg.autograd.grad([f(w, x) + strength * slope.norm() ** 2], [w]))


def slope_tuple(f, w, x, strength):
    loss = f(w, x)
    slope = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), w)[0]


def slope_tuple_again(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), [x], create_graph=True)
    penalty = (slope**2).sum()
    (g,) = mg.autograd.grad(f(w, x) + strength * penalty, w)
    return g


def penalized_first_backward(f, w, x, strength):
    loss = f(w, x)
    loss.backward(create_graph=True)
    (g,) = mg.autograd.grad(loss + strength * (x.grad**2).sum(), w)
    return g


def penalized_first_backward_again(f, w, x, strength):
    loss = f(w, x)
    mg.autograd.backward([loss], create_graph=True)
    total = loss + strength * x.grad.norm() ** 2
    return mg.autograd.grad(total, w)[0]


def penalized_two_backwards(f, w, x, strength):
    loss = f(w, x)
    loss.backward(create_graph=True)
    (loss + strength * (x.grad**2).sum()).backward()
    return w.grad


def penalized_two_backwards_again(f, w, x, strength):
    loss = f(w, x)
    mg.autograd.backward(loss, create_graph=True)
    total = loss + strength * (x.grad * x.grad).sum()
    mg.autograd.backward([total])
    return w.grad.detach().clone()


def penalized_root(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * slope.norm(), w)[0]


def penalized_root_again(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum().sqrt(), w)[0]


def penalized_mean(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).mean(), w)[0]


def penalized_mean_again(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope * slope).sum() / x.numel(), w)[0]


def penalty_alone(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    return mg.autograd.grad(strength * (slope**2).sum(), w)[0]


def penalty_alone_again(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), x, create_graph=True)[0]
    penalty = (slope * slope).sum()
    return strength * mg.autograd.grad(penalty, w)[0]


def penalty_of_w(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, w, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), w)[0]


def penalty_of_w_again(f, w, x, strength):
    slope = mg.autograd.grad(f(w, x), [w], create_graph=True)[0]
    return mg.autograd.grad(f(w, x) + strength * slope.norm() ** 2, w)[0]


def penalized_not_summed(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * slope**2, w)[0]


def penalized_not_summed_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    (g,) = mg.autograd.grad(f(w, x) + slope * slope * strength, [w])
    return g


def penalized_sum_squared(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * slope.sum() ** 2, w)[0]


def penalized_sum_squared_again(f, w, x, strength):
    (total,) = (g.sum() for g in mg.autograd.grad(f(w, x), x, create_graph=True))
    return mg.autograd.grad(f(w, x) + strength * total * total, w)[0]


def penalized_no_strength(f, w, x, strength):
    return penalized(f, w, x, 1.0)


def penalized_no_strength_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    return mg.autograd.grad(f(w, x) + (slope * slope).sum(), w)[0]


def penalized_strength_squared(f, w, x, strength):
    return penalized(f, w, x, strength**2)


def penalized_strength_squared_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), x, create_graph=True)
    return mg.autograd.grad(f(w, x) + ((strength * slope) ** 2).sum(), w)[0]


def penalized_in_x(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    return mg.autograd.grad(loss + strength * (slope**2).sum(), x)[0]


def penalized_in_x_again(f, w, x, strength):
    (slope,) = mg.autograd.grad(f(w, x), [x], create_graph=True)
    (g,) = mg.autograd.grad(f(w, x) + strength * slope.norm() ** 2, [x])
    return g


def penalized_walked_twice(f, w, x, strength):
    loss = f(w, x)
    (slope,) = mg.autograd.grad(loss, x, create_graph=True)
    (g_penalty,) = mg.autograd.grad((slope**2).sum(), w)
    (g_loss,) = mg.autograd.grad(loss, w)
    return g_loss + strength * g_penalty


def penalized_walked_twice_again(f, w, x, strength):
    loss = f(w, x)
    slope = mg.autograd.grad(loss, x, create_graph=True)[0]
    return strength * mg.autograd.grad((slope * slope).sum(), w)[0] + mg.autograd.grad(loss, w)[0]


def penalized_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int, grad: bool = False) -> Any:
        return random_leaf(rng, dtype, *shape, grad=grad)

    A = random_tensor(rng, dtype, 2, 3)
    strengths = rng.uniform(0.3, 0.9, size=3).tolist()
    return [
        Case(
            "w of shape (2,), x of shape (3,)",
            (lambda w, x: (w * mg.tanh(A @ x) ** 2).sum(), leaf(2), leaf(3), strengths[0]),
        ),
        Case(
            "w of shape (5, 4), x of shape (4,)",
            (lambda w, x: mg.sin(w @ x).sum(), leaf(5, 4), leaf(4), strengths[1]),
        ),
        Case(
            "w and x have a .grad already",
            (lambda w, x: (mg.exp(w * x / 4)).mean(), leaf(6, grad=True), leaf(2, 6, grad=True), strengths[2]),
        ),
    ]


def watch_penalized(answer: Callable[..., Any], f: Any, w: Any, x: Any, strength: float) -> Any:
    returned = answer(f, w, x, strength)
    return {
        "returns": returned,
        **{f"{name}.grad afterwards": grad for name, grad in grads_of({"w": w, "x": x}).items()},
        "cost_graph": getattr(returned, "requires_grad", False),
    }


SLOPE_IS_CONSTANT = (
    "The penalty is in the loss, but its share of the gradient is **missing**, and nothing raised: for the engine your slope is a "
    "constant. `retain_graph=True` keeps the old graph, but gives the slope none, and `detach` cuts it off. `create_graph=True` "
    "records how the slope was computed."
)
BACKWARD_FIRST = (
    "`backward(create_graph=True)` writes into `.grad`: `x.grad` and `w.grad` now hold gradients that nobody asked for, with "
    "whole graphs behind them, and what was in them before got into your sum. PyTorch warns of it: *… will create a reference "
    "cycle between the parameter and its gradient … We recommend using autograd.grad when creating the graph*."
)
BACKWARD_LAST = (
    "The slope is right. But the last `backward` writes into `.grad`: into that of `w`, and unless you name `inputs=`, also into "
    "that of `x`. End as you began, with `mg.autograd.grad`."
)

def penalized_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_leaf(rng, dtype, *shape)

    zeros = mg.zeros(3, dtype=dtype, requires_grad=True)
    return [
        Case("strength is 0", (lambda w, x: (w * x**2).sum(), leaf(3), leaf(3), 0.0)),
        Case("strength is negative", (lambda w, x: (w * mg.sin(x)).sum(), leaf(3), leaf(3), -1.5)),
        Case("w and x of shape ()", (lambda w, x: mg.exp(w * x), leaf(), leaf(), 0.5)),
        Case("the slope in x is 0", (lambda w, x: (w * x**2).sum() + (w**2).sum(), leaf(3), zeros, 0.7)),
        Case("the slope in x does not depend on w", (lambda w, x: (x**2).sum() + (w**3).sum(), leaf(2), leaf(3), 0.7)),
    ]


register(
    Exercise(
        id="08.4",
        title="Gradient penalty",
        difficulty=4,
        minutes=11,
        reference=penalized,
        cases=penalized_cases,
        edges=penalized_edges,
        observe=watch_penalized,
        may_change_inputs=True,
        alternatives={
            "apart": penalized_apart,
            "the norm, squared; f called twice": penalized_norm_squared,
            "two roots": penalized_roots,
            "the slope as a root": penalized_vjp,
        },
        wasteful={
            "a graph for nobody": Mistake(
                penalized_kept,
                "Right. But the **last** call created a graph as well, and nobody differentiates a third time: it stays in memory "
                "for as long as the result lives. `create_graph=True` belongs to the first call alone.",
                again=penalized_kept_again,
            )
        },
        mistakes={
            "freed": Mistake(
                penalized_freed,
                "The first `grad` freed the graph of the loss. The message offers `retain_graph=True`; then it runs, and the "
                "penalty is **silently left out**, since the slope has no graph of its own. You need `create_graph=True`. It "
                "implies retain.",
                again=penalized_freed_again,
            ),
            "a slope without a graph": Mistake(
                penalized_no_history,
                "*element 0 of tensors does not require grad*: the slope is a plain tensor, nobody recorded how it depends on "
                "`w`. Ask for it with `create_graph=True`.",
                again=penalized_no_history_again,
            ),
            "the slope as a constant": Mistake(penalized_silent, SLOPE_IS_CONSTANT, again=penalized_silent_again),
            "backward first": Mistake(penalized_first_backward, BACKWARD_FIRST, again=penalized_first_backward_again),
            "backward twice": Mistake(
                penalized_two_backwards,
                f"The gradient of the loss is in your sum twice: both calls wrote it into `w.grad`. {BACKWARD_FIRST}",
                again=penalized_two_backwards_again,
            ),
            "backward last": Mistake(penalized_last_backward, BACKWARD_LAST, again=penalized_last_backward_again),
            "backward last, and added": Mistake(
                penalized_last_backward_added, BACKWARD_LAST, again=penalized_last_backward_added_again
            ),
            "backward last, for w": Mistake(penalized_backward_inputs, BACKWARD_LAST, again=penalized_backward_inputs_again),
            "backward last, and cleared": Mistake(
                penalized_cleared,
                "The numbers are right, but what stood in `w.grad` before is **lost**. End as you began, with `mg.autograd.grad`: it "
                "writes nowhere, and there is nothing to clear.",
                again=penalized_cleared_again,
            ),
            "backward last, added and cleared": Mistake(
                penalized_added_and_cleared,
                "What stood in `w.grad` before is in your sum, and then it is **lost**. End as you began, with `mg.autograd.grad`: it "
                "writes nowhere, and there is nothing to clear.",
                again=penalized_added_and_cleared_again,
            ),
            "the slope in its tuple": Mistake(
                slope_tuple,
                "`mg.autograd.grad` always returns a **tuple**, also for one tensor, and a tuple has no square. Take the slope out "
                "of it: `(slope,) = mg.autograd.grad(…)`.",
                again=slope_tuple_again,
            ),
            "a tuple": Mistake(
                penalized_tuple,
                "The number is right, but it is still in the **tuple** that `mg.autograd.grad` returns. Take it out: `(g,) = …`, or "
                "`…[0]`.",
                again=penalized_tuple_again,
            ),
            "not squared": Mistake(
                penalized_root,
                "That is the norm, not its square: leave the root out. `(slope**2).sum()`.",
                again=penalized_root_again,
            ),
            "the mean": Mistake(
                penalized_mean,
                "‖·‖² is the **sum** of the squares. The mean is smaller by the number of entries.",
                again=penalized_mean_again,
            ),
            "the penalty alone": Mistake(
                penalty_alone,
                "That is the gradient of the penalty alone. Wanted is the gradient of `f(w, x)` **plus** the penalty.",
                again=penalty_alone_again,
            ),
            "not summed": Mistake(
                penalized_not_summed,
                "The square of the slope has an entry for each entry of `x`, and `+` adds the loss to each of them. ‖·‖² is the "
                "**sum** of the squares: one number.",
                again=penalized_not_summed_again,
            ),
            "the square of the sum": Mistake(
                penalized_sum_squared,
                "First square, then sum: `(slope**2).sum()`. In the square of the sum a rise in one direction makes up for a fall in "
                "another.",
                again=penalized_sum_squared_again,
            ),
            "no strength": Mistake(
                penalized_no_strength,
                "Where is `strength`? It is the factor before the penalty.",
                again=penalized_no_strength_again,
            ),
            "the strength squared": Mistake(
                penalized_strength_squared,
                "`strength` is squared with the slope. It stands before ‖·‖²: square and sum first.",
                again=penalized_strength_squared_again,
            ),
            "with respect to x": Mistake(
                penalized_in_x,
                "That has the shape of `x`: the second derivative too was taken with respect to the data. The sum of loss and "
                "penalty is to be differentiated with respect to `w`.",
                again=penalized_in_x_again,
            ),
            "two walks, the first frees": Mistake(
                penalized_walked_twice,
                "Loss and penalty share a graph, and the walk for the penalty freed it. **Add** them first, and walk once; or "
                "`retain_graph=True` at the first of the two.",
                again=penalized_walked_twice_again,
            ),
            "the slope in w": Mistake(
                penalty_of_w,
                "You penalized the slope in the direction of `w`. The penalty is about `x`: how much does the result move when "
                "the *data* moves? First differentiate with respect to `x`, then with respect to `w`.",
                again=penalty_of_w_again,
            ),
        },
        hints=(
            "Two derivatives, one after the other: first with respect to `x`, then, of something built *with* that slope, with "
            "respect to `w`. For the second, the engine must know how the slope came about.",
            "```text\nw ─┬─► f ──────────────► loss ─┐\nx ─┘   └─► grad ─► slope ─► ‖·‖² ─┴─► + ──► grad with respect to w\n"
            "           create_graph\n```",
            "```python\nloss = f(w, x)\n(slope,) = mg.autograd.grad(loss, ___, create_graph=___)\n"
            "total = loss + strength * ___\n(g,) = mg.autograd.grad(total, ___)\nreturn g\n```",
        ),
        explanation="""\
With `create_graph=True` the backward pass is itself recorded. The slope is then a result like any other, with a graph
that leads to `w` and `x`, and a penalty built from it can be differentiated.

What makes this exercise dangerous is its silent form. Without `create_graph` the first walk frees the graph, and the
message suggests `retain_graph=True`. With that, the program runs: the loss has the right *value*, penalty included,
but the slope counts as a constant, and the gradient is that of the loss without penalty. Nothing tells you. (Without
the loss in the sum you would get an error: *does not require grad*.)

`autograd.grad` in both places keeps `.grad` clean. `loss.backward(create_graph=True)` would leave gradients with
graphs in `w.grad` and `x.grad`, and each graph leads back to its leaf: a cycle, which can keep
their memory alive. Hence the warning.
""",
    )
)


# --- 08.5 The derivative of a line --------------------------------------------------------------------------


def second(f, x):
    """The second derivative of f at x: 0 where the first one does not depend on x. Nobody's .grad changes.

    x: a leaf of shape () that requires grad. f(x): shape (), computed from x. Returns a Tensor of shape ().
    """
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    (result,) = mg.autograd.grad(slope, x, materialize_grads=True)
    return result


def second_allow_unused(f, x):
    slope = mg.autograd.grad(f(x), x, create_graph=True)[0]
    if slope.grad_fn is None:
        return mg.tensor(0.0)
    result = mg.autograd.grad(slope, x, allow_unused=True)[0]
    return mg.tensor(0.0) if result is None else result


def second_plus_nothing(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    (result,) = mg.autograd.grad(slope + 0 * x, x)
    return result


def second_bent(f, x):
    (slope,) = mg.autograd.grad(f(x) + 0 * x**2, x, create_graph=True)
    return mg.autograd.grad(slope, x)[0]


def second_caught_narrowly(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    try:
        return mg.autograd.grad(slope, x)[0]
    except RuntimeError:
        return mg.zeros(())


def second_checked(f, x):
    y = f(x)
    (slope,) = mg.autograd.grad(y, x, create_graph=True)
    result = None
    if slope.requires_grad:
        (result,) = mg.autograd.grad(slope, x, allow_unused=True)
    return result if result is not None else 0 * x.detach()


def second_bare(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    return mg.autograd.grad(slope, x)[0]


def second_bare_again(f, x):
    slopes = mg.autograd.grad(f(x), [x], create_graph=True)
    return mg.autograd.grad(1 * slopes[0], [x])[0]


def second_allowing_unused(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    (result,) = mg.autograd.grad(slope, x, allow_unused=True)
    return mg.zeros_like(x) if result is None else result


def second_allowing_unused_again(f, x):
    slopes = mg.autograd.grad(f(x), [x], create_graph=True)
    found = mg.autograd.grad(1 * slopes[0], [x], allow_unused=True)[0]
    return mg.tensor(0.0, dtype=x.dtype) if found is None else found


LINE_RAISES = (
    "A constant slope has no graph: for `b * x` the gradient has `requires_grad` False, in spite of "
    "`create_graph=True`, because nothing in it depends on anything. Ask before you differentiate it. (`allow_unused` "
    "is about the inputs; it does not help here.)"
)


def second_half_checked(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x)[0]


def second_half_checked_again(f, x):
    slope = mg.autograd.grad([f(x)], [x], create_graph=True)[0]
    if slope.grad_fn is None:
        return mg.tensor(0.0)
    (result,) = mg.autograd.grad([slope], [x])
    return result


def second_none(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x, allow_unused=True)[0]


def second_none_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if slope.grad_fn is None:
        return mg.tensor(0.0)
    (result,) = mg.autograd.grad([slope], [x], allow_unused=True)
    return result


def second_not_created(f, x):
    (slope,) = mg.autograd.grad(f(x), x)
    return mg.autograd.grad(slope, x)[0]


def second_not_created_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, retain_graph=True)
    (result,) = mg.autograd.grad(slope, x, materialize_grads=True)
    return result


def second_always_zero(f, x):
    (slope,) = mg.autograd.grad(f(x), x)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x, materialize_grads=True)[0]


def second_always_zero_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, retain_graph=True)
    try:
        return mg.autograd.grad(slope, x)[0]
    except RuntimeError:
        return mg.tensor(0.0)


def second_caught(f, x):
    try:
        (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
        return mg.autograd.grad(slope, x)[0]
    except RuntimeError:
        return mg.zeros_like(x)


def second_caught_again(f, x):
    result = 0.0
    try:
        (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
        (result,) = mg.autograd.grad(slope, x)
    except Exception:
        pass
    return mg.tensor(result) if isinstance(result, float) else result


def second_first(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    return slope


def second_first_again(f, x):
    return mg.autograd.grad(f(x), x)[0]


def second_squared(f, x):
    (slope,) = mg.autograd.grad(f(x), x)
    return slope * slope


def second_squared_again(f, x):
    return mg.autograd.grad(f(x), [x])[0] ** 2


def second_backward(f, x):
    f(x).backward(create_graph=True)
    slope = x.grad
    x.grad = None
    if slope.requires_grad:
        slope.backward()
    return mg.zeros_like(x) if x.grad is None else x.grad


def second_backward_again(f, x):
    mg.autograd.backward([f(x)], create_graph=True)
    slope, x.grad = x.grad, None
    if slope.grad_fn is not None:
        mg.autograd.backward(slope)
    return mg.tensor(0.0) if x.grad is None else x.grad.clone()


def second_last_backward(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    slope.backward()
    return mg.zeros_like(x) if x.grad is None else x.grad


def second_last_backward_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if slope.grad_fn is not None:
        mg.autograd.backward([slope])
        if x.grad is not None:
            return x.grad.clone()
    return mg.tensor(0.0)


def second_of_one_entry(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros(1)
    result = mg.autograd.grad(slope, x, allow_unused=True)[0]
    return mg.zeros(1) if result is None else result


def second_of_one_entry_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if slope.grad_fn is None:
        return mg.tensor([0.0])
    (result,) = mg.autograd.grad(slope, x, allow_unused=True)
    return mg.tensor([0.0]) if result is None else result


def second_of_one_entry_once(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros(1)
    return mg.autograd.grad(slope, x, materialize_grads=True)[0]


def second_of_one_entry_once_again(f, x):
    slope = mg.autograd.grad(f(x), [x], create_graph=True)[0]
    return mg.autograd.grad(slope, x, materialize_grads=True)[0] if slope.requires_grad else mg.tensor([0.0])


def second_tuple(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x, materialize_grads=True)


def second_tuple_again(f, x):
    (slope,) = mg.autograd.grad(f(x), x, create_graph=True)
    return list(mg.autograd.grad(slope, x, materialize_grads=True)) if slope.requires_grad else mg.tensor(0.0)


def second_first_backward(f, x):
    f(x).backward(create_graph=True)
    slope, x.grad = x.grad, None
    if not slope.requires_grad:
        return mg.zeros_like(x)
    return mg.autograd.grad(slope, x, materialize_grads=True)[0]


def second_first_backward_again(f, x):
    mg.autograd.backward(f(x), create_graph=True)
    slope = x.grad
    x.grad = None
    (result,) = mg.autograd.grad(slope, x, allow_unused=True) if slope.requires_grad else (None,)
    return mg.tensor(0.0) if result is None else result


def second_added(f, x):
    f(x).backward(create_graph=True)
    x.grad.backward()
    return x.grad


def second_added_again(f, x):
    mg.autograd.backward([f(x)], create_graph=True)
    mg.autograd.backward([x.grad])
    return x.grad.clone()


def second_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf() -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5), dtype=dtype, requires_grad=True)

    def mismatched(x: Any) -> Any:
        return (mg.stack([x, x]) * mg.ones(3, dtype=dtype)).sum()

    a, b = (float(v) for v in rng.uniform(2.0, 4.0, size=2))
    w, u = leaf(), leaf()
    return [
        Case("f(x) = sin(a·x)", (lambda x: mg.sin(a * x), leaf(), {})),
        Case("f(x) = b·x, a line", (lambda x: b * x, leaf(), {})),
        Case("f(x) = w·x, a line whose slope requires grad", (lambda x: w * x, leaf(), {"w": w})),
        Case("f(x) = u·x² − x", (lambda x: u * x**2 - x, leaf(), {"u": u})),
        Case("an f that raises, and its error must come out", (mismatched, leaf(), {})),
    ]


def watch_second(answer: Callable[..., Any], f: Any, x: Any, others: dict[str, Any]) -> Any:
    returned = answer(f, x)
    if returned is not None and not isinstance(returned, mg.Tensor | tuple | list):
        return unfit(returned, "a Tensor of shape ()")
    return {
        "returns": returned,
        **{f"{name}.grad afterwards": grad for name, grad in grads_of({"x": x, **others}).items()},
    }


def second_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    zero, stale, line = (mg.tensor(v, dtype=dtype, requires_grad=True) for v in (0.0, float(rng.uniform(0.5, 1.5)), 2.0))
    stale.grad, line.grad = mg.tensor(3.0, dtype=dtype), mg.tensor(-1.0, dtype=dtype)
    return [
        Case("f(x) = x³ at 0", (lambda x: x**3, zero, {})),
        Case("f(x) = x⁴, where x has a .grad", (lambda x: x**4, stale, {})),
        Case("f(x) = 5·x, a line, where x has a .grad", (lambda x: 5 * x, line, {})),
    ]


register(
    Exercise(
        id="08.5",
        title="The derivative of a line",
        difficulty=3,
        minutes=9,
        reference=second,
        cases=second_cases,
        edges=second_edges,
        observe=watch_second,
        may_change_inputs=True,
        alternatives={
            "allow_unused": second_allow_unused,
            "plus nothing": second_plus_nothing,
            "bent by nothing": second_bent,
            "caught, but only there": second_caught_narrowly,
            "checked": second_checked,
        },
        mistakes={
            "a line raises": Mistake(second_bare, LINE_RAISES, again=second_bare_again),
            "a line raises, and no other": Mistake(second_allowing_unused, LINE_RAISES, again=second_allowing_unused_again),
            "a slope that depends on others": Mistake(
                second_half_checked,
                "For `w * x` the slope is `w`. It requires grad, but it does not depend on **x**: *appears to not have been used*. "
                "That is the second way to have no second derivative. Allow it, and return 0.",
                again=second_half_checked_again,
            ),
            "None": Mistake(
                second_none,
                "`allow_unused=True` gives None where the slope does not depend on `x`. As a number that is 0: replace it, or use "
                "`materialize_grads=True`.",
                again=second_none_again,
            ),
            "not created": Mistake(
                second_not_created,
                "*element 0 of tensors does not require grad*: the slope has no graph, since nobody asked for one. The first call "
                "needs `create_graph=True`; `retain_graph` keeps only the graph of f.",
                again=second_not_created_again,
            ),
            "always 0": Mistake(
                second_always_zero,
                "You get 0 for every f, also for a sine. Without `create_graph=True` no slope has a graph, so it never requires "
                "grad, and the case that you wanted to catch became the only one.",
                again=second_always_zero_again,
            ),
            "everything caught": Mistake(
                second_caught,
                "Here `f` itself raised, and you returned 0. A `try` around everything turns every error into a wrong number. Ask "
                "instead: does the slope require grad, does it depend on x?",
                again=second_caught_again,
            ),
            "the first derivative": Mistake(
                second_first,
                "That is the first derivative. Differentiate it once more.",
                again=second_first_again,
            ),
            "the square": Mistake(
                second_squared,
                "The second derivative is the derivative of the derivative, not its square.",
                again=second_squared_again,
            ),
            "backward": Mistake(
                second_backward,
                "`backward` writes into `.grad`: into that of `x`, and where `f` uses other leaves, also into theirs. "
                "`mg.autograd.grad` hands the numbers to you.",
                again=second_backward_again,
            ),
            "zeros of one entry": Mistake(
                second_of_one_entry,
                "`mg.zeros(1)` has shape `(1,)`: a vector with one entry. A number has shape `()`: `mg.zeros_like(x)`, or "
                "`mg.tensor(0.0)`.",
                again=second_of_one_entry_again,
            ),
            "zeros of one entry, for a constant": Mistake(
                second_of_one_entry_once,
                "Your zero has shape `(1,)`: it is a vector with one entry. A number has shape `()`: `mg.zeros_like(x)`, or "
                "`mg.tensor(0.0)`.",
                again=second_of_one_entry_once_again,
            ),
            "a tuple": Mistake(
                second_tuple,
                "`mg.autograd.grad` returns a **tuple**, also the second time. Take the number out of it: `(result,) = …`, or `…[0]`.",
                again=second_tuple_again,
            ),
            "backward, then grad": Mistake(
                second_first_backward,
                "You put `x.grad` in order again. But `backward` wrote into the `.grad` of *every* leaf that `f` uses, here into that "
                "of `w`. `mg.autograd.grad` hands the slope to you, and writes nowhere.",
                again=second_first_backward_again,
            ),
            "first and second added": Mistake(
                second_added,
                "That is f′ + f″: the second `backward` **adds** to the `x.grad` that the first has filled. `mg.autograd.grad` "
                "returns each by itself.",
                again=second_added_again,
            ),
            "backward at the end": Mistake(
                second_last_backward,
                "The first step is right. The second, `backward`, writes into `x.grad`, and into that of every other leaf that "
                "`f` uses. Use `mg.autograd.grad` there, too.",
                again=second_last_backward_again,
            ),
        },
        hints=(
            "There are two ways in which a slope does not depend on `x`. Either it depends on nothing (`3 * x`): then it has no "
            "graph. Or it depends on something else (`w * x`): then it has one, but no path in it leads to `x`.",
            "```text\nf        slope    slope.requires_grad   path to x?   f″\nsin x    cos x    True                  yes          "
            "−sin x\n"
            "w * x    w        True                  no           0\n3 * x    3        False                 no graph     0\n```",
            "```python\n(slope,) = mg.autograd.grad(f(x), x, create_graph=___)\nif not slope.___:\n    return mg.zeros_like(x)\n"
            "(result,) = mg.autograd.grad(slope, x, materialize_grads=___)\nreturn result\n```",
        ),
        explanation="""\
| f | slope | what `grad(slope, x)` says |
|---|---|---|
| sin x | cos x, with a graph that leads to x | −sin x |
| w · x | w, with a graph that leads to w alone | *appears to not have been used*: None or zeros, if you allow it |
| 3 · x | 3, a plain tensor | *element 0 of tensors does not require grad*: ask `slope.requires_grad` first |

`create_graph=True` records what happens on the way back. For `3 * x`, nothing happens there that depends on anything:
a constant gradient has no graph.

A trick that many programs use is to add something that is zero but has a path to `x`: `slope + 0 * x`. It works as
long as `x` is finite: 0 · ∞ is not 0.
""",
    )
)


# --- 08.6 Two outputs, two cotangents -----------------------------------------------------------------------


def pull(y, s, v, inputs):
    """The gradients of Σ v·y + s with respect to each tensor in inputs, as a list, with one walk. Nobody's .grad changes.

    y: a Tensor of any shape. v: a Tensor of the same shape. s: a Tensor with one element.
    """
    return list(mg.autograd.grad((y, s), inputs, grad_outputs=(v, None)))


def pull_sum(y, s, v, inputs):
    return mg.autograd.grad((v * y).sum() + s, inputs)


def pull_other_order(y, s, v, inputs):
    return list(mg.autograd.grad([s, y], inputs, [mg.ones_like(s), v]))


def pull_twice(y, s, v, inputs):
    first = mg.autograd.grad(y, inputs, v, retain_graph=True, materialize_grads=True)
    other = mg.autograd.grad(s, inputs, materialize_grads=True)
    return [a + b for a, b in zip(first, other, strict=True)]


def pull_twice_again(y, s, v, inputs):
    other = mg.autograd.grad(s, inputs, retain_graph=True)
    return [a + b for a, b in zip(other, mg.autograd.grad((v * y).sum(), inputs), strict=True)]


def pull_one_v(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, v)


def pull_one_v_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v]))


def pull_no_v(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs)


def pull_no_v_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, [None, None]))


def pull_v_twice(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, v))


def pull_v_twice_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v, mg.ones_like(y)]))


def pull_freed(y, s, v, inputs):
    first = mg.autograd.grad(y, inputs, v)
    other = mg.autograd.grad(s, inputs)
    return [a + b for a, b in zip(first, other, strict=True)]


def pull_freed_again(y, s, v, inputs):
    return [a + b for a, b in zip(mg.autograd.grad((v * y).sum(), inputs), mg.autograd.grad(s, inputs), strict=True)]


def pull_ones(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (mg.ones_like(y), None))


def pull_ones_again(y, s, v, inputs):
    return list(mg.autograd.grad(y.sum() + s, inputs))


def pull_broadcast(y, s, v, inputs):
    return mg.autograd.grad(y + s, inputs, v)


def pull_broadcast_again(y, s, v, inputs):
    return list(mg.autograd.grad((v * (y + s)).sum(), inputs))


def pull_each_entry(y, s, v, inputs):
    return mg.autograd.grad((v * y + s).sum(), inputs)


def pull_each_entry_again(y, s, v, inputs):
    return list(mg.autograd.grad(v * y + s, inputs, mg.ones_like(y)))


def pull_backward(y, s, v, inputs):
    mg.autograd.backward([y, s], [v, None])
    return [t.grad for t in inputs]


def pull_backward_again(y, s, v, inputs):
    ((v * y).sum() + s).backward()
    return [t.grad.clone() for t in inputs]


def pull_inputs(y, s, v, inputs):
    mg.autograd.backward([y, s], [v, None], inputs=inputs)
    return [t.grad for t in inputs]


def pull_inputs_again(y, s, v, inputs):
    ((v * y).sum() + s).backward(inputs=inputs)
    return [t.grad.clone() for t in inputs]


def pull_apart(y, s, v, inputs):
    return [*mg.autograd.grad(y, inputs, v, retain_graph=True), *mg.autograd.grad(s, inputs)]


def pull_apart_again(y, s, v, inputs):
    first = mg.autograd.grad((v * y).sum(), inputs, retain_graph=True)
    return first + mg.autograd.grad(s, inputs)


def pull_each_input(y, s, v, inputs):
    return [mg.autograd.grad((y, s), t, (v, None), retain_graph=True)[0] for t in inputs]


def pull_each_input_again(y, s, v, inputs):
    found = []
    for t in inputs:
        found += mg.autograd.grad((v * y).sum() + s, t, retain_graph=True)
    return found


def pull_scalar_one(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, mg.tensor(1.0)))


def pull_scalar_one_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v, mg.ones(())]))


def pull_number(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, 1))


def pull_number_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v, int(s.numel())]))


def pull_float(y, s, v, inputs):
    return mg.autograd.grad((y, s), inputs, (v, 1.0))


def pull_float_again(y, s, v, inputs):
    return list(mg.autograd.grad([y, s], inputs, grad_outputs=[v, float(s.numel())]))


def pull_y_alone(y, s, v, inputs):
    return mg.autograd.grad(y, inputs, v, allow_unused=True)


def pull_y_alone_again(y, s, v, inputs):
    return list(mg.autograd.grad((v * y).sum(), inputs))


def pull_matmul(y, s, v, inputs):
    return mg.autograd.grad(y @ v + s, inputs)


def pull_matmul_again(y, s, v, inputs):
    return list(mg.autograd.grad(mg.matmul(v, y) + s.sum(), inputs))


NO_NUMBER = "A cotangent is a tensor, or None. For `s`, which has one element, None stands for 1; or give `mg.ones_like(s)`."


def pull_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int, grad: bool = False) -> Any:
        return random_leaf(rng, dtype, *shape, grad=grad)

    def tensor(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    A, x, k = tensor(3, 4), leaf(4), leaf(4)
    h = mg.sin(x) * k
    w, z = leaf(2, 5, grad=True), leaf(5)
    g = mg.exp(w * z)
    t = leaf(6, grad=True)
    e = mg.tanh(t)
    return [
        Case("y of shape (3,), one input", (A @ h, (h**2).sum(), tensor(3), [x], {"x": x, "k": k})),
        Case("y of shape (2, 5), two inputs", (g**2, g.mean(), tensor(2, 5), [z, w], {"w": w, "z": z})),
        Case("s of shape (1,)", (e.reshape(3, 2) ** 3, e[:1] * e[1:2], tensor(3, 2), [t], {"t": t})),
    ]


def watch_pull(answer: Callable[..., Any], y: Any, s: Any, v: Any, inputs: Any, leaves: dict[str, Any]) -> Any:
    walks: list[str] = []  # where a walk came by: at an input, at y
    handles = [t.register_hook(lambda g, place=place: walks.append(place)) for t, place in ((inputs[0], "input"), (y, "y"))]
    found = listed(answer(y, s, v, inputs), len(inputs), "gradients, one for each tensor in inputs")
    for handle in handles:
        handle.remove()
    if isinstance(found, Unfit):
        return found
    return {
        "the gradients": found,
        **{f"{name}.grad afterwards": grad for name, grad in grads_of(leaves).items()},
        "cost_walks": {place: walks.count(place) for place in ("input", "y")},
    }


def pull_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    x, z = random_leaf(rng, dtype, grad=True), random_leaf(rng, dtype, 3)
    u = random_leaf(rng, dtype, 3)
    h, g, k = mg.sin(x), mg.exp(z), mg.exp(u)
    return [
        Case("y of shape (), s of shape ()", (h * 2, h**2, random_tensor(rng, dtype), [x], {"x": x})),
        Case("v is all zeros", (g**2, g.sum(), mg.zeros(3, dtype=dtype), [z], {"z": z})),
        Case("s of shape (1, 1)", (k * 3, (k**3).sum().reshape(1, 1), random_tensor(rng, dtype, 3), [u], {"u": u})),
    ]


register(
    Exercise(
        id="08.6",
        title="Two outputs, two cotangents",
        difficulty=2,
        minutes=5,
        reference=pull,
        cases=pull_cases,
        musts={
            "cost_walks": "the common trunk must be walked once.",
        },
        edges=pull_edges,
        observe=watch_pull,
        may_change_inputs=True,
        alternatives={
            "the sum, spelled out": pull_sum,
            "the other order": pull_other_order,
            "a list and a positional argument": lambda y, s, v, inputs: mg.autograd.grad([y, s], inputs, [v, None]),
        },
        wasteful={
            "two walks": Mistake(
                pull_twice,
                "Right, but the graph was walked twice, and had to be retained for the second walk. `grad` takes several outputs at "
                "once.",
                again=pull_twice_again,
            ),
            "a walk for each input": Mistake(
                pull_each_input,
                "Right, but the graph was walked once for each input, and had to be retained for that. `grad` takes the whole list of "
                "inputs, and walks once.",
                again=pull_each_input_again,
            ),
        },
        mistakes={
            "one v for both": Mistake(
                pull_one_v,
                "*got 2 tensors and 1 gradients*: two outputs need two cotangents, one for each, in the same order. `None` is "
                "enough for an output with one element.",
                again=pull_one_v_again,
            ),
            "no v": Mistake(
                pull_no_v,
                "*grad can be implicitly created only for scalar outputs*: None, or nothing at all, stands for 1, and that is "
                "enough for `s` alone. For `y`, give `v`. (If you gave both: are they in the order of the outputs?)",
                again=pull_no_v_again,
            ),
            "y's shape for both": Mistake(
                pull_v_twice,
                "The message is a riddle, but the cause is simple: the second cotangent has not the shape of the second output. Each "
                "has the shape of **its own**. `s` has one element: `mg.ones_like(s)`, or simply `None`.",
                again=pull_v_twice_again,
            ),
            "a one without an axis": Mistake(
                pull_scalar_one,
                "Here `s` has shape `(1,)`, and so must its cotangent; `mg.tensor(1.0)` has shape `()`. `mg.ones_like(s)` always "
                "fits, and so does `None`.",
                again=pull_scalar_one_again,
            ),
            "a number": Mistake(pull_number, NO_NUMBER, again=pull_number_again),
            "a float": Mistake(pull_float, NO_NUMBER, again=pull_float_again),
            "y alone": Mistake(
                pull_y_alone,
                "That is the gradient of Σ v·y. `s` is an output as well: `(y, s)`, with a cotangent for each.",
                again=pull_y_alone_again,
            ),
            "a product of matrices": Mistake(
                pull_matmul,
                "`@` is the sum of the products only where `y` has one axis. Here it is a table: `(v * y).sum()`, or `v` as the "
                "cotangent of `y`.",
                again=pull_matmul_again,
            ),
            "freed": Mistake(
                pull_freed,
                "The two outputs share a trunk, and the first walk freed it (chapter 07). No need to retain: `grad` takes **both "
                "outputs at once** and walks the trunk once.",
                again=pull_freed_again,
            ),
            "ones": Mistake(
                pull_ones,
                "Ones give the sum of `y`. Wanted is the sum weighted by `v`.",
                again=pull_ones_again,
            ),
            "s weighted too": Mistake(
                pull_broadcast,
                "`y + s` adds `s` to *every* entry of `y`, so `s` is counted with all weights of `v` together. Wanted is once: "
                "give each output its own cotangent.",
                again=pull_broadcast_again,
            ),
            "s in each entry": Mistake(
                pull_each_entry,
                "`v * y + s` adds `s` to *every* entry, and the sum counts it once for each. Wanted is once: sum first, then add `s`. "
                "Or give each output its own cotangent.",
                again=pull_each_entry_again,
            ),
            "backward": Mistake(
                pull_backward,
                "`backward` writes into the `.grad` of every leaf, and adds to what was there. `mg.autograd.grad` takes the same "
                "outputs and cotangents, and returns the gradients.",
                again=pull_backward_again,
            ),
            "backward(inputs=)": Mistake(
                pull_inputs,
                "Only the inputs got something, but it is in their `.grad`, added to what was there. `mg.autograd.grad` takes the "
                "same outputs and cotangents, and returns the gradients.",
                again=pull_inputs_again,
            ),
            "not added": Mistake(
                pull_apart,
                "You return the gradients of both outputs side by side. Wanted is the gradient of their (weighted) sum: one for "
                "each input.",
                again=pull_apart_again,
            ),
        },
        hints=(
            "Chapter 04 gave several roots to `backward`, each with a cotangent. `autograd.grad` takes the same two lists.",
            "```text\noutputs        (y,  s   )\ngrad_outputs   (v,  None)      one for each output, in the same "
            "order\n```\n\n`None` stands for 1: enough for "
            "an output with one element.",
            "```python\nreturn list(mg.autograd.grad((___, ___), inputs, grad_outputs=(___, ___)))\n```",
        ),
        explanation="""\
The outputs and their cotangents are two lists of one length. `grad` starts at all outputs at once, adds up where they
meet, and walks the common trunk a single time: $v^\\top J_y + 1 \\cdot J_s$.

`(v * y).sum() + s`, spelled out, gives the same; a cotangent saves you the extra nodes. But `y + s` with `v` is
something else: there `s` is broadcast, and its weight is the sum of `v`.
""",
    )
)
