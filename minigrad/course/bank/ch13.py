"""Looking inside: hooks, retain_grad, anomaly mode, NaN, stable log-softmax, the where trap.

Exercises 13.1 to 13.8: watch gradients on their way, change them, find where a NaN is born, and write what bears none.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch04 import unwritten
from minigrad.course.bank.watching import calls_counted
from minigrad.course.compare import differences, unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch13 import expect_nan, flow, log_share, measure  # noqa: F401
from minigrad.course.helpers.graphs import class_of, nodes_of  # noqa: F401

if TYPE_CHECKING:
    pass

Array = np.ndarray


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape), dtype=dtype, requires_grad=leaf)


def run(source: str) -> dict[str, Any]:
    """The variables that a small program leaves behind."""
    space: dict[str, Any] = {"mg": mg}
    exec(source, space)
    return space


def hooks_on(t: Any) -> int:
    """How many hooks wait on a tensor."""
    if hasattr(t, "_backward_hooks"):  # PyTorch
        return len(t._backward_hooks or {}) + len(getattr(t, "_post_accumulate_grad_hooks", None) or {})
    from minigrad.viz import peek

    return peek.hooks(t.grad_fn, t)


def by_key(hints: dict[str, str], fits: Callable[[Any], bool], form: str) -> Callable[[Case, Any, Any], str | None]:
    """An `accept` that gives the hint of the first wrong key, where no known belief explains the answer."""

    def is_open(value: Any) -> bool:
        return value is ... or isinstance(value, list | tuple) and any(map(is_open, value))

    def accept(case: Case, got: Any, expected: Any) -> str | None:
        wrong = [d.path[0] for d in differences(got, expected, 1e-6)]
        told = [key for key in wrong if key in expected and not is_open(got.get(key, ...))]
        if not told:
            return "" if wrong else None
        return hints[told[0]] if fits(got[told[0]]) else form

    return accept


# --- 13.1 Stethoscope ---------------------------------------------------------------------------------------


def grad_norms(tensors, L):
    """Call L.backward() once, and listen to some tensors while it runs.

    tensors: a dict, name -> Tensor that requires grad. L: a scalar Tensor.
    Returns a list of pairs (name, norm), in the order in which the gradients arrive. No hook stays behind.
    """
    arrived, handles = [], []
    for name, t in tensors.items():

        def listen(g, name=name):
            arrived.append((name, g.norm().item()))

        handles.append(t.register_hook(listen))
    L.backward()
    for handle in handles:
        handle.remove()
    return arrived


def norms_stack(tensors, L):
    arrived = []
    with contextlib.ExitStack() as stack:
        for name, t in tensors.items():
            stack.enter_context(t.register_hook(lambda g, name=name: arrived.append((name, float((g**2).sum() ** 0.5)))))
        L.backward()
    return arrived


def norms_maker(tensors, L):
    arrived = []

    def listener(name):
        def hook(g):
            arrived.append([name, mg.sqrt((g * g).sum())])

        return hook

    handles = [t.register_hook(listener(name)) for name, t in tensors.items()]
    try:
        mg.autograd.backward(L)
    finally:
        for handle in handles:
            handle.remove()
    return arrived


def norms_clones(tensors, L):
    kept: dict[str, Any] = {}
    handles = [t.register_hook(lambda g, name=name: kept.update({name: g.clone()})) for name, t in tensors.items()]
    L.backward()
    for handle in handles:
        handle.remove()
    return [(name, g.norm()) for name, g in kept.items()]


def norms_listening(tensors, L, keep: Callable[[Any], Any] = lambda g: g.norm().item(), remove: bool = True, late: bool = False):
    """The reference with its parts exchanged."""
    arrived: list[tuple[str, Any]] = []
    names = list(tensors)
    handles = [
        t.register_hook(lambda g, name=name: arrived.append((names[-1] if late else name, keep(g)))) for name, t in tensors.items()
    ]
    L.backward()
    for handle in handles if remove else ():
        handle.remove()
    return arrived


def norms_left(tensors, L):
    return norms_listening(tensors, L, remove=False)


def norms_left_again(tensors, L):
    arrived = []
    for name, t in tensors.items():
        t.register_hook(lambda g, name=name: arrived.append((name, float(g.norm()))))
    L.backward()
    return arrived


def norms_late(tensors, L):
    return norms_listening(tensors, L, late=True)


def norms_late_again(tensors, L):
    arrived, handles = [], []
    for name, t in tensors.items():
        handles.append(t.register_hook(lambda g: arrived.append((name, g.norm().item()))))  # noqa: B023
    L.backward()
    for handle in handles:
        handle.remove()
    return arrived


def norms_late_and_left(tensors, L):
    return norms_listening(tensors, L, remove=False, late=True)


def norms_late_and_left_again(tensors, L):
    arrived = []
    for name, t in tensors.items():
        t.register_hook(lambda g: arrived.append((name, g.norm())))  # noqa: B023
    L.backward()
    return arrived


def norms_too_early(tensors, L):
    arrived: list[tuple[str, Any]] = []
    for name, t in tensors.items():
        t.register_hook(lambda g, name=name: arrived.append((name, g.norm().item()))).remove()
    L.backward()
    return arrived


def norms_too_early_again(tensors, L):
    arrived = []
    with contextlib.ExitStack() as stack:
        for name, t in tensors.items():
            stack.enter_context(t.register_hook(lambda g, name=name: arrived.append((name, g.norm()))))
    mg.autograd.backward(L)
    return arrived


def norms_many_passes(tensors, L):
    arrived: list[tuple[str, Any]] = []
    for name, t in tensors.items():
        with t.register_hook(lambda g, name=name: arrived.append((name, g.norm().item()))):
            L.backward(retain_graph=True)
    return arrived


def norms_many_passes_again(tensors, L):
    arrived = []
    for name in tensors:
        handle = tensors[name].register_hook(lambda g, name=name: arrived.append([name, mg.sqrt((g**2).sum())]))
        mg.autograd.backward(L, retain_graph=True)
        handle.remove()
    return arrived


def norms_kept(tensors, L):
    return [(name, g.norm().item()) for name, g in norms_listening(tensors, L, keep=lambda g: g)]


def norms_kept_again(tensors, L):
    kept: dict[str, Any] = {}
    handles = [t.register_hook(lambda g, name=name: kept.update({name: g})) for name, t in tensors.items()]
    L.backward()
    for handle in handles:
        handle.remove()
    return [(name, mg.sqrt((g * g).sum())) for name, g in kept.items()]


def norms_retained(tensors, L):
    for t in tensors.values():
        t.retain_grad()
    L.backward()
    return [(name, t.grad.norm().item()) for name, t in tensors.items() if t.grad is not None]


def norms_retained_again(tensors, L):
    found = []
    for t in tensors.values():
        if not t.is_leaf:
            t.retain_grad()
    L.backward()
    for name, t in tensors.items():
        if t.grad is not None:
            found.append((name, float((t.grad**2).sum()) ** 0.5))
    return found


def norms_in_dict_order(tensors, L):
    found = dict(norms_listening(tensors, L))
    return [(name, found[name]) for name in tensors if name in found]


def norms_in_dict_order_again(tensors, L):
    found = norms_maker(tensors, L)
    return sorted(found, key=lambda pair: list(tensors).index(pair[0]))


def norms_with_zeros(tensors, L):
    found = dict(norms_listening(tensors, L))
    return [*found.items(), *((name, 0.0) for name in tensors if name not in found)]


def norms_with_zeros_again(tensors, L):
    return norms_stack(tensors, L) + [(name, 0.0) for name in tensors if name not in dict(norms_none(tensors, L))]


def norms_none(tensors, L):
    """The tensors that a pass from L reaches, whatever they get."""
    behind = {id(node) for node in nodes_of(L)}
    return [(name, None) for name, t in tensors.items() if id(edge_node(t)) in behind]


def edge_node(t: Any) -> Any:
    return t.grad_fn if t.grad_fn is not None else (t * 1).grad_fn.next_functions[0][0]


def norms_squared(tensors, L):
    return norms_listening(tensors, L, keep=lambda g: (g**2).sum().item())


def norms_squared_again(tensors, L):
    return [(name, n**2) for name, n in norms_stack(tensors, L)]


def norms_of_values(tensors, L):
    return [(name, tensors[name].detach().norm().item()) for name, _ in norms_listening(tensors, L)]


def norms_of_values_again(tensors, L):
    arrived, handles = [], []
    for name, t in tensors.items():
        handles.append(t.register_hook(lambda g, name=name, t=t: arrived.append((name, float(t.detach().norm())))))
    L.backward()
    for handle in handles:
        handle.remove()
    return arrived


def observe_norms(answer: Callable[..., Any], tensors: dict[str, Any], L: Any) -> Any:
    passes: list[int] = []
    L.register_hook(lambda g: passes.append(1))
    before = {name: hooks_on(t) for name, t in tensors.items()}
    with calls_counted(mg) as calls:
        result = answer(tensors, L)
    if not isinstance(result, list | tuple) or not all(isinstance(p, list | tuple) and len(p) == 2 for p in result):
        return unfit(result, "a list of pairs `(name, norm)`")
    seen: dict[str, Any] = {
        "backward passes": len(passes),
        "names": [str(name) for name, _ in result],
        "norms": [norm for _, norm in result],
    }
    left = {name: hooks_on(t) - before[name] for name, t in tensors.items()}
    seen["hooks left behind"] = sum(left.values())
    seen["calls of backward"] = calls["backward"]
    seen["the .grad of the leaves afterwards"] = {name: t.grad for name, t in tensors.items() if t.is_leaf}
    seen["retains_grad"] = [name for name, t in tensors.items() if t.retains_grad]
    return seen


def norms_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def chain() -> Case:
        x, w = random_tensor(rng, dtype, 4, leaf=True), random_tensor(rng, dtype, 4, leaf=True)
        h = x * w
        u = mg.sin(h)
        L = (u * random_tensor(rng, dtype, 4)).sum()
        return Case("a chain, and its tensors in another order", ({"h": h, "x": x, "L": L, "u": u, "w": w}, L))

    def shared() -> Case:
        x = random_tensor(rng, dtype, 2, 3, leaf=True)
        h = x * 3
        side = mg.exp(x)
        L = (h * random_tensor(rng, dtype, 2, 3)).sum() + (h**2).sum()
        return Case("a tensor used twice, and one that the pass does not reach", ({"x": x, "h": h, "side": side}, L))

    def old() -> Case:
        x = random_tensor(rng, dtype, 5, leaf=True)
        x.grad = random_tensor(rng, dtype, 5)
        h = x**2
        h.register_hook(lambda g: g * 2)
        return Case("a leaf with an old .grad, and a tensor with a hook of somebody else", ({"h": h, "x": x}, (h**2).sum()))

    def neighbour() -> Case:
        a, b = (random_tensor(rng, dtype, 3, leaf=True) for _ in range(2))
        u, v = a * 1, b * 1
        u.register_hook(lambda g: g.mul_(-3))  # u and v share the memory of one gradient; v gets it first
        return Case("a neighbour whose hook writes into the gradient in place", ({"u": u, "v": v}, ((u + v) ** 2).sum()))

    return [chain(), shared(), old(), neighbour()]


def norms_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    a, b, c = random_tensor(rng, dtype, leaf=True), random_tensor(rng, dtype, 3, leaf=True), random_tensor(rng, dtype, 1, leaf=True)
    c.grad = random_tensor(rng, dtype, 1)
    return [
        Case("no tensors at all", ({}, (a * a).sum())),
        Case("one number, and L itself", (lambda L: ({"L": L, "a": a}, L))(mg.exp(a))),
        Case("a gradient of zeros, which arrives nevertheless", ({"b": b}, (b * 0).sum())),
        Case("a leaf with a .grad that the pass does not reach", ({"b": b, "c": c}, (b**2).sum())),
    ]


register(
    Exercise(
        id="13.1",
        title="Stethoscope",
        difficulty=2,
        minutes=8,
        reference=grad_norms,
        cases=norms_cases,
        edges=norms_edges,
        observe=observe_norms,
        may_change_inputs=True,
        alternatives={
            "the handle as a context": norms_stack,
            "a function that makes hooks": norms_maker,
            "clones": norms_clones,
        },
        mistakes={
            "remove forgotten": Mistake(
                norms_left,
                "The list is right, but your hooks are still there. Every later pass would call them again, and they would go on "
                "appending to a list that nobody reads. Keep the handles that `register_hook` returns, and call `remove()` on each.",
                again=norms_left_again,
            ),
            "the last name for all": Mistake(
                norms_late,
                "All pairs have the **last** name of the loop. A function looks up `name` when it is *called*, and by then the "
                "loop has ended. Bind the name at once: `lambda g, name=name: …`, or make the hook in a function of its own.",
                again=norms_late_again,
            ),
            "the last name for all, and remove forgotten": Mistake(
                norms_late_and_left,
                "All pairs have the **last** name of the loop: a function looks up `name` when it is *called*, and by then the loop "
                "has ended. Bind the name at once: `lambda g, name=name: …`. And your hooks are still there: keep the handles, and "
                "call `remove()` on each.",
                again=norms_late_and_left_again,
            ),
            "removed too early": Mistake(
                norms_too_early,
                "The list is empty: when the pass came by, your hooks were gone. Remove them **after** `L.backward()`; where they "
                "stand in a `with`, call it inside.",
                again=norms_too_early_again,
            ),
            "a pass for each": Mistake(
                norms_many_passes,
                "You walk back once for each tensor, and so the list has the order of the dict. Hang a hook on **all** tensors "
                "first, then call `L.backward()` once: one pass comes by at each of them, and the list shows when.",
                again=norms_many_passes_again,
            ),
            "the gradient itself is kept": Mistake(
                norms_kept,
                "You kept `g` and measured it after the pass. What a hook is handed is the engine's own memory: others may write "
                "into it afterwards, as the neighbour's hook does here. Measure at once, or keep `g.clone()`.",
                again=norms_kept_again,
            ),
            "retain_grad": Mistake(
                norms_retained,
                "`retain_grad` and `.grad` tell *what* came, but not *when*. And the `.grad` of a leaf is the sum with what was "
                "there before, and the request to retain stays behind on the tensors. Use `register_hook`.",
                again=norms_retained_again,
            ),
            "the order of the dict": Mistake(
                norms_in_dict_order,
                "The norms are right, their order is that of the dict. What is asked for is the order in which the gradients "
                "**arrive**: append to a list in the hook, and the pass does the ordering.",
                again=norms_in_dict_order_again,
            ),
            "zero for what is not reached": Mistake(
                norms_with_zeros,
                "There is a tensor in your list at which no gradient arrived: its hook was never called. No call is not the same "
                "as a gradient of zeros. Leave it out.",
                again=norms_with_zeros_again,
            ),
            "the square": Mistake(
                norms_squared,
                "That is the sum of the squares. The norm is its root: `g.norm()`.",
                again=norms_squared_again,
            ),
            "the norm of the values": Mistake(
                norms_of_values,
                "That is the norm of the tensor's own values. What arrives, and is asked for, is the **argument** of the hook.",
                again=norms_of_values_again,
            ),
        },
        hints=(
            "A hook is a function that the pass calls with the gradient of a tensor, as soon as that gradient is complete. Let "
            "each hook append to one list, and the list is in the right order by itself.",
            "```text\nregister a hook on each tensor ──► keep the handles\n"
            "L.backward()                   ──► the hooks fill the list\n"
            "remove each handle             ──► as if you had never been there\n```",
            "```python\narrived, handles = [], []\nfor name, t in tensors.items():\n"
            "    def listen(g, name=name):      # name=name binds it now\n"
            "        arrived.append((name, ...))\n    handles.append(t.register_hook(listen))\nL.backward()\n"
            "for handle in handles:\n"
            "    ...\nreturn arrived\n```",
        ),
        explanation="""\
A hook on a tensor is called once in each pass, when the tensor's gradient is complete. So the list fills itself in the order
of the pass: results first, leaves last, and a tensor that is used twice appears once, with the norm of the sum.

Three things are easy to miss:

* **The name.** `lambda g: … name …` looks `name` up when it runs, after the loop. `name=name` takes the value now.
* **The memory.** `g` is not a copy for you. The norm is a number of your own; `g` itself may be written over later.
* **The handle.** What you hang on a tensor stays there. `try: … finally:` would remove the hooks also when the pass raises, and
  a handle can stand in a `with` statement.
""",
    )
)


# --- 13.2 Clip in the middle --------------------------------------------------------------------------------


def clip_at(h, limit):
    """From now on, shrink the gradient that arrives at h to the norm `limit` where its norm is larger.

    h: a Tensor that requires grad. limit: a positive number. Returns the handle of the hook.
    """

    def shrink(g):
        norm = g.norm()
        return g * (limit / norm) if norm > limit else g

    return h.register_hook(shrink)


def clip_or_none(h, limit):
    def hook(g):
        if g.norm() > limit:
            return limit * g / g.norm()

    return h.register_hook(hook)


def clip_min(h, limit):
    return h.register_hook(lambda g: g * min(1.0, limit / max(float((g * g).sum()) ** 0.5, 1e-30)))


def clip_clamp(h, limit):
    return h.register_hook(lambda g: g * mg.clamp(limit / g.norm(), max=1.0))


def clip_division(h, limit):
    def hook(g):
        return g / mg.clamp(g.norm() / limit, min=1.0)

    return h.register_hook(hook)


def clip_nothing(h, limit):
    def hook(g):
        if g.norm() > limit:
            g = g * limit / g.norm()

    return h.register_hook(hook)


def clip_nothing_again(h, limit):
    def hook(g):
        g * mg.clamp(limit / g.norm(), max=1.0)

    return h.register_hook(hook)


def clip_in_place(h, limit):
    def hook(g):
        norm = g.norm()
        if norm > limit:
            g.mul_(limit / norm)

    return h.register_hook(hook)


def clip_in_place_again(h, limit):
    def hook(g):
        norm = float(g.norm())
        if norm > limit:
            g *= limit / norm
        return g

    return h.register_hook(hook)


def clip_entries(h, limit):
    return h.register_hook(lambda g: mg.clamp(g, -limit, limit))


def clip_entries_again(h, limit):
    return h.register_hook(lambda g: g.clamp(min=-limit, max=limit))


def clip_always(h, limit):
    return h.register_hook(lambda g: g * (limit / g.norm()))


def clip_always_again(h, limit):
    def hook(g):
        return limit * g / mg.sqrt((g**2).sum())

    return h.register_hook(hook)


def clip_eps(h, limit):
    return h.register_hook(lambda g: g * mg.clamp(limit / (g.norm() + 1e-6), max=1.0))


def clip_eps_again(h, limit):
    def hook(g):
        factor = limit / (g.norm() + 1e-6)
        return g * factor if factor < 1 else g

    return h.register_hook(hook)


def clip_squares(h, limit):
    return h.register_hook(lambda g: g * limit / (g**2).sum() if (g**2).sum() > limit else g)


def clip_squares_again(h, limit):
    def hook(g):
        squares = mg.dot(g.flatten(), g.flatten())
        return g if squares <= limit else limit / squares * g

    return h.register_hook(hook)


def clip_scaled(h, limit):
    return h.register_hook(lambda g: g * limit if g.norm() > limit else g)


def clip_scaled_again(h, limit):
    def hook(g):
        if g.norm() > limit:
            return limit * g

    return h.register_hook(hook)


def clip_unit(h, limit):
    return h.register_hook(lambda g: g / g.norm() if g.norm() > limit else g)


def clip_unit_again(h, limit):
    def hook(g):
        norm = g.norm()
        if norm > limit:
            return g * (1 / norm)

    return h.register_hook(hook)


def clip_largest(h, limit):
    return h.register_hook(lambda g: g * (limit / g.abs().max()) if g.abs().max() > limit else g)


def clip_largest_again(h, limit):
    def hook(g):
        most = mg.amax(mg.abs(g))
        if most > limit:
            return g * limit / most

    return h.register_hook(hook)


def clip_values(h, limit):
    return h.register_hook(lambda g: g * (limit / h.norm()) if h.norm() > limit else g)


def clip_values_again(h, limit):
    norm = mg.sqrt((h.detach() ** 2).sum())

    def hook(g):
        if norm > limit:
            return limit * g / norm

    return h.register_hook(hook)


def observe_clip(answer: Callable[..., Any], kind: str, x: Any, k: Any, w: Any, gradient_at_h: Any, limit: float) -> Any:
    """h and another tensor are added, so that the same gradient arrives at both; the kind says who gets it first."""
    if kind == "h first":
        return observe_neighbour(answer, x, k, w, gradient_at_h, limit)
    h, other = x * w, k * 1  # h is made first, so that other gets its gradient first
    arrived: list[Any] = []
    handle = answer(h, limit)
    if not hasattr(handle, "remove"):
        return unfit(handle, "the handle that `register_hook` returned")
    h.register_hook(lambda g: arrived.append(g.clone()))
    L = ((h + other) * gradient_at_h).sum()
    L.backward(retain_graph=True)
    seen: dict[str, Any] = {"hook runs": "during backward", "the gradient of h, clipped": arrived[0]}
    seen["x.grad"] = x.grad.clone()
    seen["the gradient of a tensor added to h"] = k.grad.clone()
    x.grad = k.grad = None
    for words, factor in (("a second pass, with three times that gradient", 3.0), ("a third one, with a hundredth of it", 0.01)):
        (h * (gradient_at_h * factor)).sum().backward(retain_graph=True)
        seen[f"x.grad in {words}"], x.grad = x.grad, None
    handle.remove()
    L.backward()
    seen["x.grad after handle.remove()"] = x.grad
    return seen


def observe_neighbour(answer: Callable[..., Any], x: Any, k: Any, w: Any, gradient_at_h: Any, limit: float) -> Any:
    other, h = k * 1, x * w
    handle = answer(h, limit)
    if not hasattr(handle, "remove"):
        return unfit(handle, "the handle that `register_hook` returned")
    ((h + other) * gradient_at_h).sum().backward()
    return {"x.grad": x.grad, "the gradient of a tensor added to h": k.grad}


def clip_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, kind: str, shape: tuple[int, ...], scale: float, limit: float) -> Case:
        x, k = random_tensor(rng, dtype, *shape, leaf=True), random_tensor(rng, dtype, *shape, leaf=True)
        w, gradient = random_tensor(rng, dtype, *shape), scale * random_tensor(rng, dtype, *shape)
        return Case(label, (kind, x, k, w, gradient, limit))

    return [
        case("a gradient that is too large", "h last", (4,), 10.0, float(rng.uniform(0.6, 0.8))),
        case("a matrix of them, small entries, large norm", "h last", (3, 5), 1.0, float(rng.uniform(1.6, 1.8))),
        case("a gradient that is small enough", "h last", (3,), 0.1, float(rng.uniform(1.6, 1.9))),
        case("a gradient of zeros", "h last", (2, 3), 0.0, float(rng.uniform(1.6, 1.9))),
        case("a neighbour that shares the memory of the gradient", "h first", (4,), 10.0, float(rng.uniform(2.2, 2.9))),
    ]


def clip_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, shape: tuple[int, ...], gradient: Any, limit: float) -> Case:
        x, k, w = (
            random_tensor(rng, dtype, *shape, leaf=True),
            random_tensor(rng, dtype, *shape, leaf=True),
            random_tensor(rng, dtype, *shape),
        )
        return Case(label, ("h last", x, k, w, mg.tensor(gradient, dtype=dtype), limit))

    return [
        case("h of shape (), its gradient is negative", (), -3.0, 0.5),
        case("h of shape (1,)", (1,), [2.0], 0.25),
        case("a gradient whose norm is the limit", (2,), [3.0, -4.0], 5.0),
        case("a huge gradient", (2,), [3e5, -4e5], 1.0),
    ]


register(
    Exercise(
        id="13.2",
        title="Clip in the middle",
        difficulty=2,
        minutes=7,
        reference=clip_at,
        cases=clip_cases,
        edges=clip_edges,
        observe=observe_clip,
        may_change_inputs=True,
        alternatives={
            "None for no change": clip_or_none,
            "min": clip_min,
            "clamp of the factor": clip_clamp,
            "division": clip_division,
        },
        mistakes={
            "nothing is returned": Mistake(
                clip_nothing,
                "Your hook computes a smaller gradient and keeps it to itself. Nothing returned means nothing changed: `return` "
                "the new one.",
                again=clip_nothing_again,
            ),
            "in place": Mistake(
                clip_in_place,
                "You wrote into `g`. That memory is not yours: where the gradient of a sum goes to two summands, both get the "
                "**same** array, and you shrank the neighbour's gradient with it. Return a new tensor.",
                again=clip_in_place_again,
            ),
            "the square of the norm": Mistake(
                clip_squares,
                "You took the sum of squares for the norm. The norm is its **root**: `g.norm()`.",
                again=clip_squares_again,
            ),
            "entry by entry": Mistake(
                clip_entries,
                "You cut each entry for itself. That bends the direction of the gradient, and the norm may still be too large. "
                "Multiply the whole gradient by one factor.",
                again=clip_entries_again,
            ),
            "also what is small": Mistake(
                clip_always,
                "You bring **every** gradient to the norm `limit`, small ones too: they grow. And a gradient of zeros gives 0/0, a "
                "NaN. Scale only where the norm is larger.",
                again=clip_always_again,
            ),
            "a small number in the denominator": Mistake(
                clip_eps,
                "Nearly: with `1e-6` in the denominator the norm ends a little below `limit`. The guard against 0/0 is not "
                "needed, since you divide only where the norm is larger than `limit`.",
                again=clip_eps_again,
            ),
            "times limit": Mistake(
                clip_scaled,
                "Times `limit` the norm is norm · limit. The factor that brings it **to** `limit` is `limit / norm`.",
                again=clip_scaled_again,
            ),
            "to norm one": Mistake(
                clip_unit,
                "Divided by its norm the gradient has the norm 1. What is asked for is `limit`.",
                again=clip_unit_again,
            ),
            "the largest entry": Mistake(
                clip_largest,
                "You measure the largest entry. The norm is the root of the sum of all squares: many small entries make a large "
                "norm.",
                again=clip_largest_again,
            ),
            "the norm of the values": Mistake(
                clip_values,
                "You measure `h` itself. What is to be measured, and shrunk, is its gradient: the **argument** of the hook.",
                again=clip_values_again,
            ),
        },
        hints=(
            "A hook may answer. What it returns goes on in place of the gradient; if it returns nothing, the gradient goes on "
            "as it came. The new one must be a tensor of the same shape and dtype.",
            "```text\n        g ──► norm ≤ limit?  yes ──► g\n                             no  ──► g · (limit / norm)\n```\n\n"
            "One factor for all entries: the arrow gets shorter and keeps its direction.",
            "```python\ndef shrink(g):\n    norm = g.norm()\n    if norm > limit:\n        return ...\n    return g\n\n"
            "return h.register_hook(...)\n```",
        ),
        explanation="""\
The hook gets the whole gradient of `h`, and what it returns takes its place: for the hooks registered later, for
`retain_grad`, and for all that lies between `h` and the leaves. What hangs beside `h` does not notice.

`g * (limit / norm)` makes a **new** tensor. `g.mul_(…)` gives the same numbers at `h`, and may give wrong ones elsewhere: an
addition hands one and the same array to both of its inputs. After a `sum` it raises, because there all entries of the
gradient are one memory location.

`clip_grad_norm_` of PyTorch does this to `.grad` after the pass. A hook does it in the middle, before the large gradient has
reached what
lies behind.
""",
    )
)


# --- 13.3 How many calls? -----------------------------------------------------------------------------------

CallsDraw = tuple[int, int, int, int, int, tuple[str, ...]]  # slopes h/x, side/x, L/h twice, x itself, and the passes

PASSES = ("L.backward(retain_graph=True)", "L.backward(retain_graph=True)", "mg.autograd.grad(L, x, retain_graph=True)")


def calls_draw(rng: np.random.Generator) -> CallsDraw:
    a, b, c, d = (int(v) for v in rng.choice(np.arange(2, 10), 4, replace=False))
    return a, b, c, d, int(rng.integers(2, 5)), tuple(str(p) for p in rng.permutation(PASSES))


def calls_program(draw: CallsDraw) -> str:
    a, b, c, d, value, passes = draw
    return f"""\
calls = {{"h": [], "side": [], "x": [], "after": []}}

x = mg.tensor({value}.0, requires_grad=True)
h = {a} * x
side = {b} * x
h.register_hook(lambda g: calls["h"].append(g.item()))
side.register_hook(lambda g: calls["side"].append(g.item()))
x.register_hook(lambda g: calls["x"].append(g.item()))
x.register_post_accumulate_grad_hook(lambda t: calls["after"].append(t.grad.item()))

L = {c} * h + {d} * h
{chr(10).join(passes)}"""


def calls(draw: CallsDraw) -> dict[str, list[float]]:
    """Run the program, and look."""
    return run(calls_program(draw))["calls"]


def calls_by_rule(draw: CallsDraw) -> dict[str, list[float]]:
    a, _, c, d, *_ = draw
    s = float(c + d)
    return {"h": [s] * 3, "side": [], "x": [a * s] * 3, "after": [a * s, 2 * a * s]}


def calls_belief(key: str, believed: Callable[[int, int, int, int], list[float]]) -> Callable[[CallsDraw], dict[str, Any]]:
    """The dict of somebody who is right but for one key."""
    return lambda draw: calls(draw) | {key: believed(*draw[:4])}


ONCE_WITH_THE_SUM = (
    "`h` is used twice, and yet its hook is called **once** in each pass, with the sum: the engine waits until all that is "
    "due at `h` has come, and only then goes on."
)
NOT_REACHED = (
    "No path leads from `L` to `side`. The pass does not come by, so the hook is not called at all: an empty list, not a zero."
)
THIS_PASS_ONLY = (
    "A hook on a leaf gets the gradient of **this pass**, before it is added to `.grad`. What earlier passes left there is not in "
    "it."
)
AFTER_ADDING = (
    "The post-accumulate hook is called **after** the adding, and reads `.grad`: after the second `backward` that is the sum of "
    "both."
)
GRAD_ADDS_NOTHING = (
    "`mg.autograd.grad` hands you the gradient and adds nothing to `.grad`. So hooks on tensors run, but what comes *after "
    "accumulation* does not."
)
HOOKS_RUN_IN_GRAD = "`mg.autograd.grad` is a pass like any other: it comes by at `h` and at `x`, and their hooks are called."
SLOPE_OF_L = "The hook on a tensor gets the slope of `L` **with respect to that tensor**: for `h` the sum of its two factors in `L`."

register(
    Exercise(
        id="13.3",
        title="How many calls?",
        difficulty=2,
        minutes=8,
        reference=calls,
        draws=calls_draw,
        program=calls_program,
        name="calls",
        accept=by_key(
            {"h": ONCE_WITH_THE_SUM, "side": NOT_REACHED, "x": THIS_PASS_ONLY, "after": f"{AFTER_ADDING} {GRAD_ADDS_NOTHING}"},
            lambda value: isinstance(value, list | tuple | np.ndarray),
            "Each value is a list of numbers, such as `[2.0, 3.0]`; where a hook is never called, the list is empty: `[]`.",
        ),
        alternatives={"by the rules": calls_by_rule},
        mistakes={
            "once per use": Mistake(calls_belief("h", lambda a, b, c, d: [c, d] * 3), ONCE_WITH_THE_SUM),
            "once per use, newest first": Mistake(calls_belief("h", lambda a, b, c, d: [d, c] * 3), ONCE_WITH_THE_SUM),
            "the last use": Mistake(calls_belief("h", lambda a, b, c, d: [d] * 3), ONCE_WITH_THE_SUM),
            "once in all": Mistake(
                calls_belief("h", lambda a, b, c, d: [c + d]),
                "A hook stays until you remove it. There are three passes, so it is called three times.",
            ),
            "h adds up": Mistake(
                calls_belief("h", lambda a, b, c, d: [c + d, 2 * (c + d), 3 * (c + d)]),
                "Only `.grad` adds up from pass to pass. What a hook gets is the gradient of this pass.",
            ),
            "grad calls no hooks": Mistake(calls_belief("h", lambda a, b, c, d: [c + d] * 2), HOOKS_RUN_IN_GRAD),
            "the slope up to x": Mistake(calls_belief("h", lambda a, b, c, d: [a * (c + d)] * 3), SLOPE_OF_L),
            "zeros for what is not reached": Mistake(calls_belief("side", lambda a, b, c, d: [0.0] * 3), NOT_REACHED),
            "one zero": Mistake(calls_belief("side", lambda a, b, c, d: [0.0]), NOT_REACHED),
            "its own slope": Mistake(calls_belief("side", lambda a, b, c, d: [b] * 3), NOT_REACHED),
            "a one": Mistake(calls_belief("side", lambda a, b, c, d: [1.0] * 3), NOT_REACHED),
            "the leaf's hook sees .grad": Mistake(
                calls_belief("x", lambda a, b, c, d: [a * (c + d), 2 * a * (c + d), 3 * a * (c + d)]), THIS_PASS_ONLY
            ),
            "the leaf's hook sees .grad, and grad calls none": Mistake(
                calls_belief("x", lambda a, b, c, d: [a * (c + d), 2 * a * (c + d)]), THIS_PASS_ONLY
            ),
            "the leaf once per use": Mistake(calls_belief("x", lambda a, b, c, d: [a * c, a * d] * 3), ONCE_WITH_THE_SUM),
            "the leaf's hook once in all": Mistake(
                calls_belief("x", lambda a, b, c, d: [a * (c + d)]),
                "A hook on a leaf stays as well: three passes, three calls.",
            ),
            "grad calls no hook of a leaf": Mistake(calls_belief("x", lambda a, b, c, d: [a * (c + d)] * 2), HOOKS_RUN_IN_GRAD),
            "the slope of h at x": Mistake(calls_belief("x", lambda a, b, c, d: [c + d] * 3), SLOPE_OF_L),
            "each pass for itself": Mistake(calls_belief("after", lambda a, b, c, d: [a * (c + d)] * 2), AFTER_ADDING),
            "each pass for itself, three times": Mistake(
                calls_belief("after", lambda a, b, c, d: [a * (c + d)] * 3), AFTER_ADDING
            ),
            "grad adds too": Mistake(
                calls_belief("after", lambda a, b, c, d: [k * a * (c + d) for k in (1, 2, 3)]), GRAD_ADDS_NOTHING
            ),
            "grad calls what comes after, first": Mistake(
                calls_belief("after", lambda a, b, c, d: [a * (c + d), a * (c + d), 2 * a * (c + d)]), GRAD_ADDS_NOTHING
            ),
            "grad calls what comes after, last": Mistake(
                calls_belief("after", lambda a, b, c, d: [a * (c + d), 2 * a * (c + d), 2 * a * (c + d)]), GRAD_ADDS_NOTHING
            ),
            "only the last state": Mistake(
                calls_belief("after", lambda a, b, c, d: [2 * a * (c + d)]),
                "It is called once for each `backward`, not once at the end.",
            ),
        },
        hints=(
            "Count first: how many passes come by at each tensor? Then the number: a hook on a tensor gets the whole gradient of "
            "this one pass. Only `.grad` remembers earlier passes.",
            "```text\nL ──c──► h ┐\nL ──d──► h ┴─► (sum) hook of h ──a──► hook of x ──► added to x.grad ──► hook after\n"
            "side: no way leads there\n```\n\n`mg.autograd.grad` ends before *added to x.grad*.",
            '```python\ncalls = {\n    "h": [s, s, s],        # s: the sum of the two factors of h in L\n    "side": [],\n'
            '    "x": [t, t, t],        # t = s times the factor of x in h\n'
            '    "after": [..., ...],   # after the first and after the second backward\n}\n```',
        ),
        explanation="""\
* **`h`**: the gradients of both uses are added first; then the hook is called, once in each pass. Three passes, three calls,
  always with the same number.
* **`side`**: nothing leads from `L` to it. Its hook is never called.
* **`x`**: the hook of a leaf stands *before* the adding. It sees the gradient of one pass, each time the same.
* **`after`**: the post-accumulate hook stands *behind* the adding. It sees `.grad` as it has become: once the gradient, then
  twice. `mg.autograd.grad` does not add, and does not come there.
""",
    )
)


# --- 13.4 Order ---------------------------------------------------------------------------------------------

OrderDraw = tuple[int, int, int, int]  # the factor and the number of the two hooks, the slope of L at h, that of h at x


def order_draw(rng: np.random.Generator) -> OrderDraw:
    while True:
        times, plus, slope = (int(v) for v in (rng.choice([10, 100]), rng.integers(1, 6), rng.integers(2, 8)))
        factor = int(rng.integers(2, 6))
        if slope * times + plus != (slope + plus) * factor:  # else two beliefs foretell the same number
            return times, plus, slope, factor


def order_program(draw: OrderDraw) -> str:
    times, plus, slope, factor = draw
    return f"""\
x = mg.tensor(1.0, requires_grad=True)
h = {factor} * x
h.register_hook(lambda g: g * {times})
h.retain_grad()
h.register_hook(lambda g: g + {plus})
gone = h.register_hook(lambda g: -g)
gone.remove()
x.register_hook(lambda g: print(g))
({slope} * h).backward()"""


def order(draw: OrderDraw) -> dict[str, float]:
    """Run the program, and look."""
    seen: list[float] = []
    space: dict[str, Any] = {"mg": mg, "print": lambda g: seen.append(g.item())}
    exec(order_program(draw), space)
    return {"h.grad": space["h"].grad.item(), "printed": seen[0], "x.grad": space["x"].grad.item()}


def order_of(middle: Callable[[int, int, int], float], kept: Callable[[int, int, int], float] | None = None) -> Any:
    """The dict of somebody who holds that the hooks make `middle` of a gradient, and that h.grad keeps `kept` of it."""

    def predict(draw: OrderDraw) -> dict[str, float]:
        times, plus, slope, factor = draw
        goes_on = middle(times, plus, slope)
        h = goes_on if kept is None else kept(times, plus, slope)
        return {"h.grad": h, "printed": goes_on * factor, "x.grad": goes_on * factor}

    return predict


def as_registered(times: int, plus: int, slope: int) -> float:
    return float(slope * times + plus)


register(
    Exercise(
        id="13.4",
        title="Order",
        difficulty=2,
        minutes=5,
        extra=True,
        reference=order,
        draws=order_draw,
        program=order_program,
        name="order",
        accept=by_key(
            {
                "h.grad": "Begin with the slope of `L` at `h`, and take it through the hooks one after the other. What leaves `h` is "
                "what `h.grad` keeps.",
                "printed": "What leaves `h` goes through the multiplication, and arrives at `x`: times the factor of `h`.",
                "x.grad": "The hook on `x` prints what arrives, and returns None: no change.",
            },
            lambda value: not isinstance(value, str | list | tuple),
            "Each value is one number.",
        ),
        alternatives={"by the rules": order_of(as_registered)},
        mistakes={
            "retain_grad in its turn": Mistake(
                order_of(as_registered, lambda times, plus, slope: slope * times),
                "You gave `retain_grad` its turn between the hooks. But it always comes **last**, wherever it was asked for: "
                "`.grad` is what goes on from `h`.",
            ),
            "retain_grad first": Mistake(
                order_of(as_registered, lambda times, plus, slope: slope),
                "You hold that `.grad` keeps the gradient as it **arrives** at `h`. It keeps what **leaves**: `retain_grad` comes "
                "after all hooks.",
            ),
            "newest hook first": Mistake(
                order_of(lambda times, plus, slope: (slope + plus) * times),
                "Hooks are called in the order in which they were **registered**: first the factor, then the sum.",
            ),
            "each hook gets what arrived": Mistake(
                order_of(lambda times, plus, slope: slope + plus),
                "Each hook gets what the one before it has **returned**, as in a chain. You let the second begin anew.",
            ),
            "only the first hook": Mistake(
                order_of(lambda times, plus, slope: slope * times),
                "A tensor may have many hooks, and all are called; a later one does not take the place of an earlier one, nor the "
                "other way round.",
            ),
            "a removed hook runs": Mistake(
                order_of(lambda times, plus, slope: -(slope * times + plus)),
                "`gone.remove()` takes that hook off. It is not called any more.",
            ),
            "hooks change .grad only": Mistake(
                lambda draw: order(draw) | {"printed": draw[2] * draw[3], "x.grad": draw[2] * draw[3]},
                "What a hook returns takes the place of the gradient on its way to the leaves, and `x` is a leaf.",
            ),
            "hooks change nothing": Mistake(
                order_of(lambda times, plus, slope: slope),
                "A hook that returns a tensor **changes** the gradient: what it returns goes on in its place.",
            ),
            "None is zero": Mistake(
                lambda draw: order(draw) | {"x.grad": 0.0},
                "The hook on `x` prints what arrives, and returns None. That does not mean zero, it means *no change*: the same "
                "number goes into `x.grad`.",
            ),
            "no slope at x": Mistake(
                lambda draw: order(draw) | {"printed": as_registered(*draw[:3]), "x.grad": as_registered(*draw[:3])},
                "From `h` to `x` the gradient passes the multiplication: times the factor of `h`.",
            ),
        },
        hints=(
            "Three rules. Hooks run in the order of registration. Each gets what the one before returned. `retain_grad` comes "
            "last, wherever its line stands.",
            "```text\nslope at h ──► hook 1 ──► hook 2 ──► (h.grad keeps this) ──► times the factor of h ──► x\n```",
            '```python\norder = {\n    "h.grad": slope * times + plus,\n    "printed": ...,   # that, times the factor in h = … * '
            'x\n'
            '    "x.grad": ...,    # the hook on x returns nothing\n}\n```',
        ),
        explanation="""\
The gradient that arrives at `h` goes through the hooks as through a chain, in the order of registration: first times, then
plus. The hook that was removed is gone.

`retain_grad` is served **last**, wherever its line stands. So `h.grad` is what leaves `h`, and that is the number which the
rest of the graph works with: times the factor of `h` it arrives at `x`. There the hook prints, returns None, and so changes nothing.
""",
    )
)


# --- 13.5 The first culprit ---------------------------------------------------------------------------------


def first_nan(root):
    """Walk back from root, a scalar, and name the node whose backward makes the first NaN.

    Returns the name as `node.name()` gives it, such as "SqrtBackward0", or None where no gradient is NaN.
    """
    found = []

    def watch(node):
        def hook(results, arrived):
            if any(g is not None and mg.isnan(g).any() for g in results):
                found.append(node.name())

        return node.register_hook(hook)

    handles = [watch(node) for node in nodes_of(root)]
    root.backward()
    for handle in handles:
        handle.remove()
    return found[0] if found else None


def culprit_by_anomaly(root):
    try:
        with mg.autograd.set_detect_anomaly(True):
            root.backward()
    except RuntimeError as error:
        return str(error).split("'")[1]
    return None


def culprit_clean_in(root):
    def bad(gs):
        return any(bool((g != g).any()) for g in gs if g is not None)

    born = []
    for node in nodes_of(root):
        node.register_hook(lambda out, into, n=node: born.append(n.name()) if bad(out) and not bad(into) else None)
    root.backward()
    return next(iter(born), None)


def culprit_dict(root):
    sent = measure(root, library=mg)  # an inf may have the norm NaN only where there is a NaN
    for node, norms in sent.items():
        if any(n is not None and n != n for n in norms):
            return node.name()
    return None


def culprit_among(root: Any, bad: Callable[[Any], bool], results: bool = True, last: bool = False, first: bool = False) -> Any:
    """The first or last node that sends, or gets, a bad gradient."""
    found = []
    for node in nodes_of(root):

        def hook(sent, arrived, node=node):
            gs = sent if results else arrived
            if any(bad(g) for g in (gs[:1] if first else gs) if g is not None):
                found.append(node.name())

        node.register_hook(hook)
    root.backward()
    return found[-1 if last else 0] if found else None


def is_bad(g: Any) -> bool:
    return bool(mg.isnan(g).any())


def culprit_last(root):
    return culprit_among(root, is_bad, last=True)


def culprit_last_again(root):
    name = None

    def watch(node):
        def hook(results, arrived):
            nonlocal name
            for g in results:
                if g is not None and bool(mg.isnan(g).any()):
                    name = node.name()

        node.register_hook(hook)

    for node in nodes_of(root):
        watch(node)
    root.backward()
    return name


def culprit_late(root):
    found = []
    for node in nodes_of(root):
        node.register_hook(lambda out, into: found.append(node.name()) if any(is_bad(g) for g in out if g is not None) else None)  # noqa: B023
    root.backward()
    return found[0] if found else None


def culprit_late_again(root):
    found: list[str] = []
    for n in nodes_of(root):

        def hook(results, arrived):
            for g in results:
                if g is not None and mg.isnan(g).any():
                    found.append(n.name())  # noqa: B023

        n.register_hook(hook)
    root.backward()
    return next(iter(found), None)


def culprit_arrived(root):
    return culprit_among(root, is_bad, results=False)


def culprit_arrived_again(root):
    found = []
    for node in nodes_of(root):
        node.register_prehook(lambda arrived, n=node: found.append(n.name()) if any(is_bad(g) for g in arrived) else None)
    root.backward()
    return found[0] if found else None


def culprit_infinite(root):
    return culprit_among(root, lambda g: not bool(mg.isfinite(g).all()))


def culprit_infinite_again(root):
    return culprit_among(root, lambda g: bool((mg.isnan(g) | mg.isinf(g)).any()))


def culprit_equal(root):
    return culprit_among(root, lambda g: bool((g == float("nan")).any()))


def culprit_equal_again(root):
    return culprit_among(root, lambda g: float("nan") in [float(v) for v in g.reshape(-1)])


def culprit_all(root):
    return culprit_among(root, lambda g: bool(mg.isnan(g).all()))


def culprit_all_again(root):
    return culprit_among(root, lambda g: int(mg.isnan(g).sum()) == g.numel())


def culprit_zeroth(root):
    return culprit_among(root, is_bad, first=True)


def culprit_zeroth_again(root):
    found = []
    for node in nodes_of(root):

        def hook(results, arrived, node=node):
            if results and results[0] is not None and mg.isnan(results[0]).any():
                found.append(node.name())

        node.register_hook(hook)
    root.backward()
    return found[0] if found else None


def culprit_without_none(root):
    found = []
    for node in nodes_of(root):
        node.register_hook(lambda out, into, n=node: found.append(n.name()) if any(mg.isnan(g).any() for g in out) else None)
    root.backward()
    return found[0] if found else None


def culprit_without_none_again(root):
    found = []

    def listen(node):
        def hook(results, arrived):
            for g in results:
                if mg.isnan(g).any():
                    found.append(node.name())

        node.register_hook(hook)

    for node in nodes_of(root):
        listen(node)
    root.backward()
    return (found or [None])[0]


def culprit_node(root):
    found = []
    for node in nodes_of(root):
        node.register_hook(lambda out, into, n=node: found.append(n) if any(is_bad(g) for g in out if g is not None) else None)
    root.backward()
    return found[0] if found else None


def culprit_node_again(root):
    nodes = {node.name(): node for node in nodes_of(root)}
    name = first_nan(root)
    return None if name is None else nodes[name]


# Each makes of h, which has numbers of both signs and a zero, something whose gradient is NaN.
NANS: dict[str, Callable[[Any], Any]] = {
    "a root under where": lambda h: mg.where(h > 0, mg.sqrt(h), 0.0),
    "a power under where": lambda h: mg.where(h > 0, h**0.5, 0.0),
    "sin(h) / h under where": lambda h: mg.where(h == 0, 1.0, mg.sin(h) / h),
    "the root of a sum of squares that is zero": lambda h: mg.sqrt(((h * 0) ** 2).sum()) + h,
    "an exponential that overflows under where": lambda h: mg.where(h > -9, 0.0, mg.exp(1000 + h)),
    "h times its logarithm": lambda h: mg.abs(h) * mg.log(mg.abs(h)),
    "the logarithm of a softmax that underflows": lambda h: mg.log(mg.softmax(h * 2000, 0)),
}


def nan_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def start() -> Any:
        values = rng.permutation([0.0, *rng.uniform(0.5, 1.5, 2), *-rng.uniform(0.5, 1.5, 2)])
        return mg.tensor(values, dtype=dtype, requires_grad=True)

    def finish(y: Any, x: Any) -> Any:
        ends = (lambda: (y * random_tensor(rng, dtype, 5)).sum(), lambda: mg.tanh(y).mean(), lambda: ((y - 1) ** 2).sum() / 5)
        return ends[rng.integers(3)]() + mg.cos(x).sum()

    def composite(make: Callable[[Any], Any]) -> Any:
        x = start()
        w = random_tensor(rng, dtype, 5, leaf=True)
        return finish(make(mg.sinh(x) * w), x)

    def second() -> Any:
        """The NaN is in the second gradient of a product: 0 times an infinite factor."""
        x = start()
        infinite = mg.full_like(x, float("inf")).requires_grad_()
        return finish(mg.where(x > -9, 0.0, infinite * x), x)

    cases = [Case(label, (composite(make),)) for label, make in NANS.items()]
    cases.insert(2, Case("no NaN at all", (composite(mg.tanh),)))
    positive = mg.tensor([0.0, *rng.uniform(0.5, 1.5, 3)], dtype=dtype, requires_grad=True)
    cases.insert(4, Case("an infinite gradient, and no NaN", (mg.sqrt(positive).sum() * 0.5,)))
    cases.append(Case("a NaN in the second gradient of a node", (second(),)))
    return cases


def nan_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    zero = mg.tensor([0.0], dtype=dtype, requires_grad=True)
    x = random_tensor(rng, dtype, 3, leaf=True)
    return [
        Case("one number: 0 times the root of 0", ((0 * mg.sqrt(zero)).sum(),)),
        Case("a value that is NaN, and no gradient that is", ((x * 2).sum() + float("nan"),)),
        Case("the last operation is the culprit", (mg.sqrt(-1 - (x * x).sum()),)),
    ]


register(
    Exercise(
        id="13.5",
        title="The first culprit",
        difficulty=3,
        minutes=10,
        reference=first_nan,
        cases=nan_cases,
        edges=nan_edges,
        may_change_inputs=True,
        alternatives={
            "ask anomaly mode": culprit_by_anomaly,
            "clean in, NaN out": culprit_clean_in,
            "norms": culprit_dict,
        },
        mistakes={
            "the last": Mistake(
                culprit_last,
                "That is the **last** node with a NaN. NaN spreads towards the leaves: whoever gets one hands one on. Look for the "
                "source, the first node in the order of the pass.",
                again=culprit_last_again,
            ),
            "None among the results": Mistake(
                culprit_without_none,
                "Not every input of an operation gets a gradient: `results` may hold None, as that of WhereBackward0 does in "
                "section 4. Ask `g is not None` first.",
                again=culprit_without_none_again,
            ),
            "what arrives": Mistake(
                culprit_arrived,
                "You named the first node at which a NaN **arrives**. It is the first victim. The culprit is the node that "
                "**sent** it: look at the first argument of the hook, the results.",
                again=culprit_arrived_again,
            ),
            "the last node of the loop": Mistake(
                culprit_late,
                "Your hooks find the NaN, but all of them give the **last** node of your loop. A function looks up `node` when it is "
                "*called*, and by then the loop has ended. Bind it at once: `lambda results, arrived, node=node: …`, or make the hook "
                "in a function of its own.",
                again=culprit_late_again,
            ),
            "inf counts too": Mistake(
                culprit_infinite,
                "You stop at an infinite gradient as well. `inf` is a number, if a large one, and may be quite right: the slope of "
                "a root at 0. Often it becomes a NaN only in the next node, by inf · 0. Ask `mg.isnan`.",
                again=culprit_infinite_again,
            ),
            "compared with ==": Mistake(
                culprit_equal,
                "A NaN is not equal to anything, not even to itself: `g == float('nan')` is False everywhere. Ask `mg.isnan(g)`.",
                again=culprit_equal_again,
            ),
            "only if all are NaN": Mistake(
                culprit_all,
                "You ask whether **all** entries are NaN. One is enough: `mg.isnan(g).any()`.",
                again=culprit_all_again,
            ),
            "only the first result": Mistake(
                culprit_zeroth,
                "A node has one result for each of its inputs, and you look at the first one only. In the last case the NaN is in "
                "the second gradient of a product. Look at all that are not None.",
                again=culprit_zeroth_again,
            ),
            "the node": Mistake(
                culprit_node,
                "The right node. What is asked for is its name: `node.name()`.",
                again=culprit_node_again,
            ),
        },
        hints=(
            "A hook on a **node** is called right after its backward, with what it made and what it had got. The first call with a "
            "NaN in what it made is the culprit's: a node can only spread a NaN after somebody has made one.",
            "```text\nL ── 1.0 ──► Sum ── 1, 1 ──► Where ── 0, 1 ──► Sqrt ── NaN, 0.25 ──► Mul ── NaN …\n"
            "                                               ▲ clean in, NaN out: the culprit\n```",
            "```python\nfound = []\n\ndef watch(node):\n    def hook(results, arrived):\n"
            "        if any(... for g in results if g is not None):\n"
            "            found.append(node.name())\n    return node.register_hook(hook)\n\n"
            "handles = [watch(node) for node in nodes_of(root)]\n"
            "root.backward()\n...\nreturn found[0] if found else None\n```",
        ),
        explanation="""\
All gradients begin with a 1 at the root, so somewhere a node gets clean numbers and makes a NaN of them. The pass comes to it
before it comes to any of its victims. So the **first** hook that sees a NaN among its results is that of the culprit, and
no comparison with what arrived is needed.

Why the results and not what arrived: at the culprit nothing bad arrives. Why `isnan` and not `isinf` as well: an infinite
gradient may be right, and may even be multiplied away. The NaN comes where `inf · 0`, `0 / 0` or `inf − inf` is computed.

Anomaly mode does just this, and tells the line of the forward call besides: *Function 'SqrtBackward0' returned nan values in
its 0th output*. It stops the pass at once, and makes it slower; so switch it on to search, and off again.
""",
    )
)


# --- 13.6 log-softmax ---------------------------------------------------------------------------------------

LOG_SOFTMAX_STARTER = '''\
class LogSoftmax:
    """The logarithm of softmax, row by row: z[i, j] - log(sum over k of exp(z[i, k])). NumPy arrays of shape (b, n)."""

    @staticmethod
    def forward(z):
        """Returns the log-probabilities, an array of the shape of z."""
        ...

    @staticmethod
    def vjp(g, z):
        """g: the cotangent of the result, of its shape. Returns the gradient for z."""
        ...
'''


class LogSoftmax:
    """The logarithm of softmax, row by row: z[i, j] - log(sum over k of exp(z[i, k])). NumPy arrays of shape (b, n)."""

    @staticmethod
    def forward(z):
        """Returns the log-probabilities, an array of the shape of z."""
        shifted = z - z.max(axis=1, keepdims=True)
        return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))

    @staticmethod
    def vjp(g, z):
        """g: the cotangent of the result, of its shape. Returns the gradient for z."""
        p = np.exp(LogSoftmax.forward(z))
        return g - p * g.sum(axis=1, keepdims=True)


class LogSoftmaxByRows:
    @staticmethod
    def forward(z):
        rows = []
        for row in z:
            most = max(row)
            rows.append(row - (most + np.log(sum(np.exp(v - most) for v in row))))
        return np.array(rows)

    @staticmethod
    def vjp(g, z):
        out = np.zeros_like(z)
        for i in range(len(z)):
            p = np.exp(z[i] - z[i].max())
            p = p / p.sum()
            out[i] = g[i] @ (np.eye(len(p)) - p[None, :])
        return out


class LogSoftmaxEngine:
    @staticmethod
    def forward(z):
        return mg.log_softmax(mg.tensor(z), 1).numpy()

    @staticmethod
    def vjp(g, z):
        leaf = mg.tensor(z, requires_grad=True)
        mg.log_softmax(leaf, 1).backward(mg.tensor(g))
        return leaf.grad


class LogSoftmaxLogaddexp:
    @staticmethod
    def forward(z):
        return z - np.logaddexp.reduce(z, axis=-1)[:, None]

    @staticmethod
    def vjp(g, z):
        e = np.exp(z - np.amax(z, axis=-1)[..., None])
        return g - e / e.sum(-1)[..., None] * g.sum(-1)[..., None]


def stable_softmax(z: Array) -> Array:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def with_rule(**rules: Callable[..., Any]) -> type:
    """The reference with other functions in some places."""
    return type("LogSoftmax", (LogSoftmax,), {name: staticmethod(rule) for name, rule in rules.items()})


def forward_max_of_all(z: Array) -> Array:
    shifted = z - z.max()
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def forward_columns(z: Array) -> Array:
    shifted = z - z.max(axis=0)
    return shifted - np.log(np.exp(shifted).sum(axis=0))


def forward_shift_lost(z: Array) -> Array:
    return z - np.log(np.exp(z - z.max(axis=1, keepdims=True)).sum(axis=1, keepdims=True))


def forward_all_rows(z: Array) -> Array:
    shifted = z - z.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum())


def naive_p(z: Array) -> Array:
    e = np.exp(z)
    return e / e.sum(axis=1, keepdims=True)


def whole_batch_p(z: Array) -> Array:
    e = np.exp(z - z.max())
    return e / e.sum(axis=1, keepdims=True)


def log_softmax_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def array(a: Any) -> Array:
        return mg.tensor(a, dtype=dtype).numpy().copy()

    def g(*shape: int) -> Array:
        return array(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape))

    usual = array(rng.uniform(-2, 2, (4, 3)))
    large = array(rng.uniform(-3, 3, (2, 5)) + 1000)
    far = array([[1000.0, -1000.0, 0.0, 999.0], [-1000.0, -1001.0, -1002.5, -1000.5], [0.0, -0.5, 1.0, 0.25]])
    column = array(rng.uniform(-2, 2, (3, 1)))
    cases = []
    for label, z in (
        ("small numbers", usual),
        ("numbers around 1000", large),
        ("one row at 1000, one at -1000", far),
        ("one class only", column),
    ):
        cases.append(Case(f"forward: {label}", (z, "forward")))
        cases.append(Case(f"vjp: {label}", (g(*z.shape), z, "vjp")))
    return sorted(cases, key=lambda case: case.part)


def observe_log_softmax(answer: Any, *args: Any) -> Any:
    *arrays, rule = args
    function = getattr(answer, rule, None)
    result = ... if function is None else function(*arrays)
    return {f"{rule} returns": ... if result is None and unwritten(function) else result}


def log_softmax_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def array(a: Any) -> Array:
        return mg.tensor(a, dtype=dtype).numpy().copy()

    tables = {
        "one row": rng.uniform(-2, 2, (1, 4)),
        "equal scores": np.full((2, 3), 7.0),
        "one row, one class": np.array([[1000.0]]),
        "numbers around 1e30": np.array([[1e30, -1e30, 0.0], [-1e30, 0.0, -1e30]]),
    }
    cases = [Case(f"forward: {label}", (array(z), "forward")) for label, z in tables.items()]
    cases += [Case(f"vjp: {label}", (array(rng.normal(size=z.shape)), array(z), "vjp")) for label, z in tables.items()]
    return [*cases, Case("vjp: a cotangent of zeros", (array(np.zeros((2, 3))), array(rng.normal(size=(2, 3))), "vjp"))]


register(
    Exercise(
        id="13.6",
        title="log-softmax that holds",
        difficulty=3,
        minutes=12,
        reference=LogSoftmax,
        starter=LOG_SOFTMAX_STARTER,
        cases=log_softmax_cases,
        edges=log_softmax_edges,
        observe=observe_log_softmax,
        alternatives={
            "row by row": LogSoftmaxByRows,
            "the engine": LogSoftmaxEngine,
            "logaddexp": LogSoftmaxLogaddexp,
        },
        mistakes={
            "exp without a shift": Mistake(
                with_rule(forward=lambda z: z - np.log(np.exp(z).sum(axis=1, keepdims=True))),
                "e¹⁰⁰⁰ is infinite, and e⁻¹⁰⁰⁰ is 0, whose logarithm is −inf. Subtract the largest number of each row **before** "
                "`exp`: the result is the same in theory, and no exponential is larger than 1.",
                again=with_rule(forward=lambda z: z - np.log(np.sum(np.exp(z), axis=-1))[:, None]),
            ),
            "the logarithm of softmax, unshifted": Mistake(
                with_rule(forward=lambda z: np.log(naive_p(z))),
                "The logarithm of softmax, taken literally, gives inf / inf = NaN for large numbers, and log 0 = −inf for what is "
                "far below. Take the logarithm by hand: z − max − log Σ exp(z − max).",
                again=with_rule(forward=lambda z: np.log(np.exp(z)) - np.log(np.exp(z).sum(axis=1, keepdims=True))),
            ),
            "the logarithm of a stable softmax": Mistake(
                with_rule(forward=lambda z: np.log(stable_softmax(z))),
                "Your softmax holds, but the share of a class that is 2000 below the largest is rounded to 0, and log 0 is −inf. "
                "The right answer is −2000. Do not compute the share first: z − max − log Σ exp(z − max).",
                again=with_rule(forward=lambda z: np.log(np.exp(LogSoftmax.forward(z)))),
            ),
            "a little is added to the share": Mistake(
                with_rule(forward=lambda z: np.log(stable_softmax(z) + 1e-12)),
                "With 1e-12 added no logarithm is infinite, but none is below −27.6 either, where −2000 may be right; and all others "
                "are a little wrong. Do not compute the share first: z − max − log Σ exp(z − max).",
                again=with_rule(forward=lambda z: np.log(1e-12 + np.exp(LogSoftmax.forward(z)))),
            ),
            "one maximum for all rows": Mistake(
                with_rule(forward=forward_max_of_all),
                "You subtract the largest number of the **whole batch**. In a row that lies far below it all exponentials are 0, "
                "and log 0 is −inf. Each row needs its own: `z.max(axis=1, keepdims=True)`.",
                again=with_rule(forward=lambda z: z - z.max() - np.log(np.exp(z - np.max(z)).sum(axis=1))[:, None]),
            ),
            "keepdims forgotten": Mistake(
                with_rule(forward=lambda z: z - z.max(axis=1) - np.log(np.exp(z - z.max(axis=1)).sum(axis=1))),
                "The maximum of each row has the shape (b,), and NumPy lines it up with the **columns** of `z`. Keep the axis: "
                "`z.max(axis=1, keepdims=True)` has the shape (b, 1). The sum needs it too.",
                again=with_rule(forward=lambda z: z - (np.amax(z, -1) + np.log(np.sum(np.exp(z - np.amax(z, -1)), -1)))),
            ),
            "keepdims forgotten in the vjp": Mistake(
                with_rule(vjp=lambda g, z: g - stable_softmax(z) * g.sum(axis=1)),
                "The sum of each row has the shape (b,), and NumPy lines it up with the **columns**. Keep the axis: "
                "`g.sum(axis=1, keepdims=True)` has the shape (b, 1).",
                again=with_rule(vjp=lambda g, z: g - np.sum(g, -1) * np.exp(LogSoftmax.forward(z))),
            ),
            "columns": Mistake(
                with_rule(forward=forward_columns),
                "You normalised the columns: the exponentials of your result add up to 1 down each column. The classes of one "
                "example stand in a **row**: axis 1.",
                again=with_rule(forward=lambda z: LogSoftmax.forward(z.T).T),
            ),
            "the shift is lost": Mistake(
                with_rule(forward=forward_shift_lost),
                "You subtracted the maximum inside of `exp`, but not outside. Shift first, and go on with the shifted numbers "
                "only; or add the maximum to the logarithm again.",
                again=with_rule(forward=lambda z: LogSoftmax.forward(z) + z.max(axis=1, keepdims=True)),
            ),
            "all rows together": Mistake(
                with_rule(forward=forward_all_rows),
                "You add the exponentials of the whole batch. Each row is an example of its own: `sum(axis=1, keepdims=True)`.",
                again=with_rule(
                    forward=lambda z: z - z.max(axis=1)[:, None] - np.log(np.sum(np.exp(z - z.max(axis=1)[:, None])))
                ),
            ),
            "the sum of g forgotten": Mistake(
                with_rule(vjp=lambda g, z: g - stable_softmax(z)),
                "`g − p` is right where `g` adds up to 1 in each row, as a one-hot does. In general the row of J is e − p, "
                "so gᵀJ is g − p · Σg: the sum over the row.",
                again=with_rule(vjp=lambda g, z: g - np.exp(LogSoftmax.forward(z))),
            ),
            "diagonal only": Mistake(
                with_rule(vjp=lambda g, z: g * (1 - stable_softmax(z))),
                "You kept only the diagonal of the Jacobian, 1 − p. But raising one number lowers the log-probability of all the "
                "**others** in its row, by p. So all entries of `g` count: g − p · Σg.",
                again=with_rule(vjp=lambda g, z: g - g * np.exp(LogSoftmax.forward(z))),
            ),
            "the transposed Jacobian": Mistake(
                with_rule(vjp=lambda g, z: g - (g * stable_softmax(z)).sum(axis=1, keepdims=True)),
                "You multiplied J by g, and not gᵀ by J. J has the entry δ(i, j) − p[j]: its rows are all shifted by the **same** "
                "p. Summed over i, that is g[j] − p[j] · Σg.",
                again=with_rule(
                    vjp=lambda g, z: np.stack([(np.eye(len(p)) - p) @ row for row, p in zip(g, stable_softmax(z), strict=True)])
                ),
            ),
            "the sum of the whole batch": Mistake(
                with_rule(vjp=lambda g, z: g - stable_softmax(z) * g.sum()),
                "You summed `g` over the whole batch. Each row is an example of its own: `g.sum(axis=1, keepdims=True)`.",
                again=with_rule(vjp=lambda g, z: g - np.exp(LogSoftmax.forward(z)) * np.sum(g)),
            ),
            "the rule of softmax": Mistake(
                with_rule(vjp=lambda g, z: stable_softmax(z) * (g - (g * stable_softmax(z)).sum(axis=1, keepdims=True))),
                "That is the rule of **softmax**. The logarithm behind it divides by p, and so it cancels: g − p · Σg.",
                again=with_rule(
                    vjp=lambda g, z: np.stack(
                        [row @ (np.diag(p) - np.outer(p, p)) for row, p in zip(g, stable_softmax(z), strict=True)]
                    )
                ),
            ),
            "one maximum for all rows, in the vjp": Mistake(
                with_rule(vjp=lambda g, z: g - whole_batch_p(z) * g.sum(axis=1, keepdims=True)),
                "The formula is right, but your shares have one shift for the **whole batch**. In a row that lies far below it all "
                "exponentials are 0, and 0 / 0 is NaN. You have the log-probabilities: `p = np.exp(LogSoftmax.forward(z))`.",
                again=with_rule(vjp=lambda g, z: g - g.sum(1)[:, None] * naive_p(z - np.max(z))),
            ),
            "unshifted p in the vjp": Mistake(
                with_rule(vjp=lambda g, z: g - naive_p(z) * g.sum(axis=1, keepdims=True)),
                "The formula is right, but `exp` has no shift here: inf / inf, and a NaN. You have the log-probabilities: "
                "`p = np.exp(LogSoftmax.forward(z))`.",
                again=with_rule(vjp=lambda g, z: g - np.exp(z) / np.exp(z).sum(axis=1)[:, None] * g.sum(axis=1)[:, None]),
            ),
        },
        hints=(
            "Adding a number to all entries of a row changes nothing in the result. So choose the shift that suits you: with the "
            "largest entry at 0 no exponential overflows, and at least one of them is 1, so that the logarithm is harmless. "
            "For the vjp: entry i of the result is z[i] − log Σ exp(z). Its slope by z[j] is δ(i, j) − p[j].",
            "```text\nz        1000   -1000      0       e^z:   inf       0      1     sum inf\n"
            "z - max     0   -2000  -1000       e^:      1       0      0     sum   1    log 0\n"
            "result      0   -2000  -1000\n\n        | 1-p0   -p1   -p2 |\n"
            "    J = |  -p0  1-p1   -p2 |        g J = g - p * (g0 + g1 + g2)\n"
            "        |  -p0   -p1  1-p2 |\n```",
            "```python\n@staticmethod\ndef forward(z):\n    shifted = z - z.max(axis=1, keepdims=True)\n    return shifted - ...\n"
            "\n"
            "@staticmethod\ndef vjp(g, z):\n    p = np.exp(LogSoftmax.forward(z))\n"
            "    return g - p * ...   # the sum of g over each row\n```",
        ),
        explanation="""\
`z − max − log Σ exp(z − max)`: the shift cancels in theory, and decides everything in practice. After it the largest
exponent is 0, so nothing overflows; the sum is between 1 and n, so its logarithm is small; and what lies 2000 below keeps its −2000,
because it never goes through `exp` and back.

Even the logarithm of a *stable* softmax fails there: the share e⁻²⁰⁰⁰ is rounded to 0 before the logarithm can save it.

For the gradient: ∂ result[i] / ∂ z[j] = δ(i, j) − p[j], so gᵀJ = g − p Σg. No division anywhere, and p is at most 1. With `g` a
one-hot this is the famous *one-hot minus p* of classification.
""",
    )
)


# --- 13.7 The where trap ------------------------------------------------------------------------------------


def sqrt_or_zero(x):
    """The root of x where x > 0, and 0 elsewhere; with the gradient 0 elsewhere. x: a Tensor. Returns a Tensor of its shape."""
    positive = x > 0
    inside = mg.where(positive, x, 1.0)
    return mg.where(positive, mg.sqrt(inside), 0.0)


def root_masked(x):
    y = mg.zeros_like(x)
    positive = x > 0
    y[positive] = mg.sqrt(x[positive])
    return y


def root_filled(x):
    bad = x <= 0
    return x.masked_fill(bad, 1.0).sqrt().masked_fill(bad, 0.0)


def root_times_mask(x):
    positive = x > 0
    return mg.sqrt(mg.where(positive, x, mg.ones_like(x))) * positive


def root_relu(x):
    return mg.sqrt(mg.relu(x))


def root_input_only(x):
    return mg.where(x > 0, x, 0.0) ** 0.5


def root_single(x):
    return mg.where(x > 0, mg.sqrt(x), 0.0)


def root_single_again(x):
    return mg.where(x <= 0, mg.zeros_like(x), x.sqrt())


def root_power(x):
    return mg.where(x > 0, x**0.5, 0.0)


def root_power_again(x):
    return mg.pow(x, 0.5).masked_fill(~(x > 0), 0.0)


def root_multiplied(x):
    return mg.sqrt(x) * (x > 0)


def root_multiplied_again(x):
    return (x > 0).to(x.dtype) * x**0.5


def root_clamped(x):
    return mg.sqrt(mg.clamp(x, min=0))


def root_clamped_again(x):
    return mg.clamp(x, min=0.0) ** 0.5


def root_shifted(x):
    return mg.sqrt(mg.clamp(x, min=1e-12))


def root_shifted_again(x):
    return mg.clamp(x, min=1e-12) ** 0.5


def root_added(x):
    return mg.sqrt(mg.relu(x) + 1e-12)


def root_added_again(x):
    return (mg.where(x > 0, x, 0.0) + 1e-12) ** 0.5


def root_of_one(x):
    return mg.sqrt(mg.where(x > 0, x, 1.0))


def root_of_one_again(x):
    return mg.where(x > 0, x, 1.0) ** 0.5


def root_detached(x):
    return mg.where(x > 0, mg.sqrt(x.detach()), 0.0)


def root_detached_again(x):
    with mg.no_grad():
        y = mg.where(x > 0, mg.sqrt(x), 0.0)
    return y


def root_abs(x):
    return mg.where(x > 0, mg.sqrt(mg.abs(x)), 0.0)


def root_abs_again(x):
    return mg.sqrt(mg.abs(x)).masked_fill(x <= 0, 0.0)


def root_hooked(x):
    if x.requires_grad:
        x.register_hook(lambda g: mg.where(mg.isnan(g), 0.0, g))
    return mg.where(x > 0, mg.sqrt(x), 0.0)


def root_hooked_again(x):
    inner = x * 1
    if inner.requires_grad:
        inner.register_hook(lambda g: g.masked_fill(mg.isnan(g), 0.0))
    return mg.where(inner > 0, mg.sqrt(inner), 0.0)


def observe_root(answer: Callable[..., Any], x: Any, g: Any) -> Any:
    y = answer(x)
    if not isinstance(y, mg.Tensor):
        return unfit(y, "a Tensor of the shape of `x`")
    seen: dict[str, Any] = {"value": y.detach().clone(), "requires grad": y.requires_grad}
    if tuple(y.shape) != tuple(x.shape) or not y.requires_grad:
        return seen
    y.backward(g, retain_graph=True)
    seen["x.grad"] = None if x.grad is None else x.grad.clone()
    # A NaN that comes from elsewhere must come through.
    x.grad = None
    y.backward(g * float("nan"))
    seen["cost_hides"] = x.grad is not None and not bool(mg.isnan(x.grad[x.detach() > 0]).all())
    return seen


def root_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, values: Any) -> Case:
        x = mg.tensor(values, dtype=dtype, requires_grad=True)
        return Case(label, (x, random_tensor(rng, dtype, *x.shape)))

    mixed = rng.permutation([0.0, *rng.uniform(0.5, 4, 3), *-rng.uniform(0.5, 4, 2)])
    return [
        case("-1, 0 and 4", [-1.0, 0.0, 4.0]),
        case("positive numbers only", rng.uniform(0.3, 4, 5)),
        case("a matrix of all signs", mixed.reshape(2, 3)),
        case("zeros and a small number", [0.0, 1e-6, 0.0, 2.0]),
    ]


def root_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Each tiny number by itself: beside a larger one, nobody would see it."""

    def case(label: str, values: Any, leaf: bool = True) -> Case:
        x = mg.tensor(values, dtype=dtype, requires_grad=leaf)
        return Case(label, (x, random_tensor(rng, dtype, *x.shape)))

    tiny = [10.0**-k for k in (5, 7, 9, 11, 14, 20, 30)]
    return [
        *(case(f"the number {number:.0e}", [number]) for number in tiny),
        case("one number of shape ()", 2.25),
        case("0 of shape ()", 0.0),
        case("a negative number near 0", [-1e-9]),
        case("a huge number", [1e30]),
        case("a tensor that requires no grad", [-1.0, 0.0, 4.0], leaf=False),
    ]


register(
    Exercise(
        id="13.7",
        title="The where trap",
        difficulty=3,
        minutes=7,
        reference=sqrt_or_zero,
        cases=root_cases,
        edges=root_edges,
        observe=observe_root,
        may_change_inputs=True,
        alternatives={
            "only what is positive": root_masked,
            "masked_fill twice": root_filled,
            "times the mask": root_times_mask,
            "relu": root_relu,
            "one where, on the input": root_input_only,
        },
        wasteful={
            "NaN cleaned away by a hook": Mistake(
                root_hooked,
                "The numbers are right, and a danger stays: your hook turns **every** NaN into 0, also one that comes from a real "
                "mistake elsewhere, and then nobody will find it. Clean the *input* of the root; then no NaN is made.",
                again=root_hooked_again,
            ),
        },
        mistakes={
            "one where": Mistake(
                root_single,
                "NaN · 0 = NaN. `where` sends a 0 to the branch that was not chosen, but at that branch the slope of the root is "
                "NaN or infinite, and times 0 that is NaN. Clean the **input** too: give the root a harmless number where x ≤ 0.",
                again=root_single_again,
            ),
            "times the mask, afterwards": Mistake(
                root_multiplied,
                "The root of −1 is NaN already in the value, and NaN · 0 is NaN. A mask cannot multiply a NaN away. Clean the "
                "**input** of the root with `where`.",
                again=root_multiplied_again,
            ),
            "clamped at 0": Mistake(
                root_clamped,
                "At 0 your root gets a 0, and there its slope is infinite; and what came out of `clamp`, or stands under `x >= 0`, is "
                "let through. Put a harmless number there, such as 1, and choose with a second `where`.",
                again=root_clamped_again,
            ),
            "clamped a little above": Mistake(
                root_shifted,
                "The gradient is right, but the value is not: the root of 1e-12 is 1e-6, and not 0. Choose the value with a second "
                "`where`.",
                again=root_shifted_again,
            ),
            "a little is added": Mistake(
                root_added,
                "The root of 1e-12 is 1e-6, and not 0. Choose the value with a second `where`; then nothing need be added.",
                again=root_added_again,
            ),
            "only the input is cleaned": Mistake(
                root_of_one,
                "The input is clean now, and where x ≤ 0 the root of your harmless number comes out. Choose 0 there, with a second "
                "`where`.",
                again=root_of_one_again,
            ),
            "detached": Mistake(
                root_detached,
                "The value is right, and the history is gone: no gradient comes back to `x`, not even where x > 0.",
                again=root_detached_again,
            ),
            "abs inside": Mistake(
                root_abs,
                "Where x < 0 this works. But at 0 the root of |x| has an infinite slope, and inf · 0 is NaN. The input must be "
                "harmless at 0 too.",
                again=root_abs_again,
            ),
        },
        hints=(
            "`where` chooses between two results that were **both** computed. In backward it sends 0 to the one that was not "
            "chosen, and 0 · NaN and 0 · inf are NaN. So the branch that is not chosen must have a finite slope.",
            "```text\nx ──► where(x > 0, x, 1) ──► sqrt ──► where(x > 0, ·, 0) ──► y\n"
            "      cleans the input               chooses the value\n```\n\n"
            "At −1 the root sees a 1: its slope there is 0.5, and 0 · 0.5 is 0.",
            "```python\npositive = x > 0\ninside = mg.where(positive, x, ...)   # a number whose root has a finite slope\n"
            "return mg.where(positive, ..., 0.0)\n```",
        ),
        explanation="""\
Two `where`s: the first keeps the root away from numbers at which it has no finite slope; the second chooses the value.

With one `where` the *values* are right, and the gradient is 0 · NaN. The multiplication by 0 does not switch a branch off:
both branches were computed, and both are walked back through.

`mg.sqrt(mg.where(x > 0, x, 0.0))` passes as well, and so does `relu` inside: at 0 the root makes an infinite gradient, and the
backward of `where` and `relu` writes a 0 over it; it does not multiply. But it is luck that the value at 0 is the wanted one.
And where the gradient that comes in at 0 is a 0, there *is* a NaN for a moment, and anomaly mode stops. `clamp` lets the
gradient through at its bound, and so the inf.

The same cure fits every function with an edge: log(x), x / norm(x), arccos(x), sin(x) / x. Clean the input, compute, choose.

A hook that turns NaN into 0 gives the same numbers. But it hides every NaN, also the next one, which is a real mistake.
""",
    )
)


# --- 13.8 A run that ends in NaN ----------------------------------------------------------------------------


def misfit(hot, half, minutes, readings):
    """The mean squared distance, in logarithms, of the curves from the readings that can be used: those above 20 °C.

    hot, half: leaves of shape (n,). minutes: shape (m,). readings: shape (n, m), NaN where nothing was read.
    Returns a Tensor of shape ().
    """
    usable = readings > 20
    warmer = mg.where(usable, readings, 21.0) - 20
    curve = hot[:, None] * 0.5 ** (minutes / half[:, None])
    error = mg.log(curve) - mg.log(warmer)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


def misfit_of_picked(hot, half, minutes, readings):
    usable = readings > 20
    curve = hot[:, None] * 0.5 ** (minutes / half[:, None])
    return ((mg.log(curve[usable]) - mg.log(readings[usable] - 20)) ** 2).mean()


def misfit_by_hand(hot, half, minutes, readings):
    """With the logarithm of the curve taken by hand, and a mask that multiplies clean numbers only."""
    mask = (readings > 20).to(readings.dtype)
    warmer = (readings - 20).masked_fill(~(readings > 20), 1.0)
    error = mg.log(hot).reshape(-1, 1) - minutes / half.reshape(-1, 1) * float(np.log(2.0)) - mg.log(warmer)
    return (mask * error * error).sum() / mask.sum()


def log_curve(hot: Any, half: Any, minutes: Any) -> Any:
    return mg.log(hot[:, None] * 0.5 ** (minutes / half[:, None]))


def misfit_as_given(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(readings - 20)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


def misfit_filled_at_the_end(hot, half, minutes, readings):
    unusable = ~(readings > 20)
    error = log_curve(hot, half, minutes) - mg.log(readings - 20)
    return (error**2).masked_fill(unusable, 0.0).sum() / (~unusable).sum()


def misfit_without_nan(hot, half, minutes, readings):
    usable = readings > 20
    known = mg.where(mg.isnan(readings), 21.0, readings)
    error = log_curve(hot, half, minutes) - mg.log(known - 20)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


def misfit_without_nan_again(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(readings.masked_fill(mg.isnan(readings), 30.0) - 20)
    return (error**2).masked_fill(~usable, 0.0).sum() / usable.sum()


def misfit_made_up(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(mg.where(usable, readings, 21.0) - 20)
    return (error**2).sum() / usable.sum()


def misfit_made_up_again(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(readings.masked_fill(~usable, 21.0) - 20)
    return mg.sum(error * error) / mg.sum(usable)


def misfit_of_all(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(mg.where(usable, readings, 21.0) - 20)
    return mg.where(usable, error**2, 0.0).mean()


def misfit_of_all_again(hot, half, minutes, readings):
    return misfit(hot, half, minutes, readings) * (readings > 20).sum() / readings.numel()


def misfit_hooked(hot, half, minutes, readings):
    for leaf in (hot, half):
        leaf.register_hook(lambda g: mg.where(mg.isnan(g), 0.0, g))
    return misfit_as_given(hot, half, minutes, readings)


def misfit_hooked_again(hot, half, minutes, readings):
    hot, half = hot * 1, half * 1
    for result in (hot, half):
        result.register_hook(lambda g: g.masked_fill(mg.isnan(g), 0.0))
    return misfit_filled_at_the_end(hot, half, minutes, readings)


def misfit_without_history(hot, half, minutes, readings):
    return misfit(hot.detach(), half.detach(), minutes, readings)


def misfit_without_history_again(hot, half, minutes, readings):
    with mg.no_grad():
        return misfit(hot, half, minutes, readings)


def cups(rng: np.random.Generator, dtype: Any, label: str, readings: Any) -> Case:
    """So many cups with these readings, and two guesses for each."""
    n, m = np.shape(readings)
    hot, half = (mg.tensor(rng.uniform(*bounds, n), dtype=dtype, requires_grad=True) for bounds in ((30, 80), (5, 15)))
    return Case(label, (hot, half, mg.tensor(3.0 * np.arange(m), dtype=dtype), mg.tensor(readings, dtype=dtype)))


def misfit_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def readings(n: int, m: int, *holes: tuple[int, int, float]) -> Array:
        found = rng.uniform(22, 90, (n, m))
        for i, j, value in holes:
            found[i, j] = value
        return found

    nan = float("nan")
    return [
        cups(rng, dtype, "2 cups, one reading is missing", readings(2, 4, (0, 2, nan))),
        cups(rng, dtype, "2 cups, one reading is 20 exactly", readings(2, 5, (1, 4, 20.0))),
        cups(rng, dtype, "3 cups, holes, and a reading below 20", readings(3, 5, (0, 3, nan), (2, 0, nan), (2, 4, 18.5))),
        cups(rng, dtype, "3 cups, nothing is missing", readings(3, 4)),
    ]


def misfit_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    nan = float("nan")
    return [
        cups(rng, dtype, "a cup without any reading", [[70.0, 50.0, 41.0], [nan, nan, nan]]),
        cups(rng, dtype, "one cup, one reading", [[61.0]]),
        cups(rng, dtype, "one reading is left", [[nan, 47.0], [20.0, 3.0]]),
        cups(rng, dtype, "a reading a little above 20", [[64.0, 20.25]]),
    ]


def watch_misfit(answer: Callable[..., Any], hot: Any, half: Any, minutes: Any, readings: Any) -> Any:
    loss = answer(hot, half, minutes, readings)
    if not isinstance(loss, mg.Tensor):
        return unfit(loss, "a Tensor of shape ()")
    seen: dict[str, Any] = {"the loss": loss.detach().clone(), "it has a graph": loss.requires_grad}
    if loss.requires_grad and tuple(loss.shape) == ():
        loss.backward()
        for name, t in (("hot", hot), ("half", half)):
            seen[f"{name}.grad"] = None if t.grad is None else t.grad.clone()
    return seen


register(
    Exercise(
        id="13.8",
        title="A run that ends in NaN",
        difficulty=3,
        minutes=8,
        reference=misfit,
        cases=misfit_cases,
        edges=misfit_edges,
        observe=watch_misfit,
        may_change_inputs=True,
        alternatives={"only the usable readings": misfit_of_picked, "the logarithm by hand": misfit_by_hand},
        mistakes={
            "the input is not clean": Mistake(
                misfit_as_given,
                "The loss is a number, and the gradient is not. `where` sends a 0 to the errors that were not chosen, and the slope "
                "of a square is twice the error: 0 · NaN and 0 · inf are NaN. Put a harmless number in place of such a reading "
                "**before** the logarithm.",
                again=misfit_filled_at_the_end,
            ),
            "only NaN is cleaned": Mistake(
                misfit_without_nan,
                "The missing readings are clean now. But a reading of 20 has the logarithm −inf, and one below has NaN. Clean all "
                "readings that are not above 20.",
                again=misfit_without_nan_again,
            ),
            "made-up readings count": Mistake(
                misfit_made_up,
                "No NaN any more. But your harmless numbers count as if somebody had read them, and pull at the curves. Choose 0 for "
                "their errors, with a second `where`.",
                again=misfit_made_up_again,
            ),
            "the mean over all": Mistake(
                misfit_of_all,
                "The gradient has no NaN, and is too small where readings are missing: divide by the number of readings that are "
                "used, `usable.sum()`.",
                again=misfit_of_all_again,
            ),
            "NaN cleaned away by a hook": Mistake(
                misfit_hooked,
                "A hook that turns NaN into 0 comes too late. The NaN of one reading has made the whole gradient of its cup NaN, and "
                "your 0 says that this cup is fitted. Let no NaN be made.",
                again=misfit_hooked_again,
            ),
            "no history": Mistake(
                misfit_without_history,
                "The loss is right, and no way leads from it to `hot` and `half`: nothing can be learned. What is to be cleaned are "
                "the readings.",
                again=misfit_without_history_again,
            ),
        },
        hints=(
            "Put the first step into `with mg.autograd.set_detect_anomaly(True):`, forward and backward. Which node makes the first "
            "NaN, and which numbers does it get?",
            "```text\nreading   88      nan     20\nerror      .      nan     inf      log(curve) - log(reading - 20)\n"
            "where      .       0       0       the loss is a number\n"
            "backward   .    0 * nan  0 * inf   the gradient is not\n```",
            "```python\nusable = readings > 20\nwarmer = mg.where(usable, readings, ...) - 20   # a number with a finite logarithm\n"
            "curve = hot[:, None] * 0.5 ** (minutes / half[:, None])\nerror = mg.log(curve) - mg.log(warmer)\n"
            "return mg.where(usable, error**2, 0.0).sum() / usable.sum()\n```",
        ),
        explanation="""\
The node is that of `error**2`. It gets a 0 from `where`, multiplies it by twice the error, and the error is NaN or infinite. From
there the NaN spreads over the whole cup, since all readings of a cup share its two parameters.

The readings are constants: no gradient goes to them, and they make a NaN all the same. A missing value in a table of data is the most
frequent NaN of all.

So clean the **input**: a harmless reading, before the logarithm. And keep the `where` at the end, or the harmless readings count.
Picking the usable entries, `curve[usable]`, needs neither: what is not picked is not computed. `where` is for programs whose shapes
must stay what they are.
""",
    )
)
