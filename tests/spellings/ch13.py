"""Right answers of chapter 13 in other styles, and its known mistakes written another way."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch13.ex01.answer import norms_maker
from minigrad.course.bank.ch13.ex04.mistakes import as_registered, order_of
from minigrad.course.bank.ch13.ex05.answer import first_nan
from minigrad.course.bank.ch13.ex05.mistakes import culprit_among, is_bad
from minigrad.course.bank.ch13.ex06.answer import LogSoftmax
from minigrad.course.bank.ch13.ex06.mistakes import naive_p, stable_softmax, with_rule
from minigrad.course.bank.ch13.ex08.answer import misfit
from minigrad.course.bank.ch13.ex08.mistakes import log_curve
from minigrad.course.helpers.graphs import nodes_of

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 13.1 Stethoscope ---------------------------------------------------------------------------------------


def norms_stack(tensors, L):
    arrived = []
    with contextlib.ExitStack() as stack:
        for name, t in tensors.items():
            stack.enter_context(t.register_hook(lambda g, name=name: arrived.append((name, float((g**2).sum() ** 0.5)))))
        L.backward()
    return arrived


def norms_clones(tensors, L):
    kept: dict[str, Any] = {}
    handles = [t.register_hook(lambda g, name=name: kept.update({name: g.clone()})) for name, t in tensors.items()]
    L.backward()
    for handle in handles:
        handle.remove()
    return [(name, g.norm()) for name, g in kept.items()]


def norms_left_again(tensors, L):
    arrived = []
    for name, t in tensors.items():
        t.register_hook(lambda g, name=name: arrived.append((name, float(g.norm()))))
    L.backward()
    return arrived


def norms_late_again(tensors, L):
    arrived, handles = [], []
    for name, t in tensors.items():
        handles.append(t.register_hook(lambda g: arrived.append((name, g.norm().item()))))  # noqa: B023
    L.backward()
    for handle in handles:
        handle.remove()
    return arrived


def norms_late_and_left_again(tensors, L):
    arrived = []
    for name, t in tensors.items():
        t.register_hook(lambda g: arrived.append((name, g.norm())))  # noqa: B023
    L.backward()
    return arrived


def norms_too_early_again(tensors, L):
    arrived = []
    with contextlib.ExitStack() as stack:
        for name, t in tensors.items():
            stack.enter_context(t.register_hook(lambda g, name=name: arrived.append((name, g.norm()))))
    mg.autograd.backward(L)
    return arrived


def norms_many_passes_again(tensors, L):
    arrived = []
    for name in tensors:
        handle = tensors[name].register_hook(lambda g, name=name: arrived.append([name, mg.sqrt((g**2).sum())]))
        mg.autograd.backward(L, retain_graph=True)
        handle.remove()
    return arrived


def norms_kept_again(tensors, L):
    kept: dict[str, Any] = {}
    handles = [t.register_hook(lambda g, name=name: kept.update({name: g})) for name, t in tensors.items()]
    L.backward()
    for handle in handles:
        handle.remove()
    return [(name, mg.sqrt((g * g).sum())) for name, g in kept.items()]


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


def norms_in_dict_order_again(tensors, L):
    found = norms_maker(tensors, L)
    return sorted(found, key=lambda pair: list(tensors).index(pair[0]))


def norms_with_zeros_again(tensors, L):
    return norms_stack(tensors, L) + [(name, 0.0) for name in tensors if name not in dict(norms_none(tensors, L))]


def norms_none(tensors, L):
    """The tensors that a pass from L reaches, whatever they get."""
    behind = {id(node) for node in nodes_of(L)}
    return [(name, None) for name, t in tensors.items() if id(edge_node(t)) in behind]


def edge_node(t: Any) -> Any:
    return t.grad_fn if t.grad_fn is not None else (t * 1).grad_fn.next_functions[0][0]


def norms_squared_again(tensors, L):
    return [(name, n**2) for name, n in norms_stack(tensors, L)]


def norms_of_values_again(tensors, L):
    arrived, handles = [], []
    for name, t in tensors.items():
        handles.append(t.register_hook(lambda g, name=name, t=t: arrived.append((name, float(t.detach().norm())))))
    L.backward()
    for handle in handles:
        handle.remove()
    return arrived


def norms_returned_again(tensors, L):
    arrived = []

    def listener(name):
        def hook(g):
            norm = (g * g).sum().sqrt()
            arrived.append((name, norm.item()))
            return norm

        return hook

    with contextlib.ExitStack() as stack:
        for name, t in tensors.items():
            stack.enter_context(t.register_hook(listener(name)))
        L.backward()
    return arrived


def number_returned_again(tensors, L):
    arrived = {}
    for name, t in tensors.items():
        t.register_hook(lambda g, name=name: arrived.setdefault(name, float(g.norm())))
    L.backward()
    return list(arrived.items())


def norms_in_turned_dict_order_again(tensors, L):
    found = dict(norms_maker(tensors, L))
    return [(name, found[name]) for name in reversed(tensors) if name in found]


def norms_by_name_again(tensors, L):
    found = dict(norms_maker(tensors, L))
    return [(name, found[name]) for name in sorted(found)]


def norms_by_size_again(tensors, L):
    return sorted(norms_maker(tensors, L), key=lambda pair: -pair[1])


def norms_results_first_again(tensors, L):
    found = norms_in_dict_order_again(tensors, L)
    return [p for p in found if not tensors[p[0]].is_leaf] + [p for p in found if tensors[p[0]].is_leaf]


def norms_leaves_first_again(tensors, L):
    found = norms_in_dict_order_again(tensors, L)
    return [p for p in found if tensors[p[0]].is_leaf] + [p for p in found if not tensors[p[0]].is_leaf]


def norms_last_first_again(tensors, L):
    arrived = []
    for pair in norms_maker(tensors, L):
        arrived.insert(0, pair)
    return arrived


ALTERNATIVES["13.1"] = {"the handle as a context": norms_stack, "clones": norms_clones}

AGAIN["13.1"] = {
    "remove forgotten": norms_left_again,
    "the last name for all": norms_late_again,
    "the last name for all, and remove forgotten": norms_late_and_left_again,
    "removed too early": norms_too_early_again,
    "a pass for each": norms_many_passes_again,
    "the gradient itself is kept": norms_kept_again,
    "retain_grad": norms_retained_again,
    "the order of the dict": norms_in_dict_order_again,
    "zero for what is not reached": norms_with_zeros_again,
    "the square": norms_squared_again,
    "the norm of the values": norms_of_values_again,
    "the hook returns the norm": norms_returned_again,
    "the hook returns a number": number_returned_again,
    "the order of the dict, turned round": norms_in_turned_dict_order_again,
    "the order of the names": norms_by_name_again,
    "the order of the norms": norms_by_size_again,
    "the results, then the leaves": norms_results_first_again,
    "the leaves, then the results": norms_leaves_first_again,
    "the last to arrive stands first": norms_last_first_again,
}


# --- 13.2 Clip in the middle --------------------------------------------------------------------------------


def clip_min(h, limit):
    return h.register_hook(lambda g: g * min(1.0, limit / max(float((g * g).sum()) ** 0.5, 1e-30)))


def clip_clamp(h, limit):
    return h.register_hook(lambda g: g * mg.clamp(limit / g.norm(), max=1.0))


def clip_division(h, limit):
    def hook(g):
        return g / mg.clamp(g.norm() / limit, min=1.0)

    return h.register_hook(hook)


def clip_nothing_again(h, limit):
    def hook(g):
        g * mg.clamp(limit / g.norm(), max=1.0)

    return h.register_hook(hook)


def clip_in_place_again(h, limit):
    def hook(g):
        norm = float(g.norm())
        if norm > limit:
            g *= limit / norm
        return g

    return h.register_hook(hook)


def clip_entries_again(h, limit):
    return h.register_hook(lambda g: g.clamp(min=-limit, max=limit))


def clip_always_again(h, limit):
    def hook(g):
        return limit * g / mg.sqrt((g**2).sum())

    return h.register_hook(hook)


def clip_eps_again(h, limit):
    def hook(g):
        factor = limit / (g.norm() + 1e-6)
        return g * factor if factor < 1 else g

    return h.register_hook(hook)


def clip_squares_again(h, limit):
    def hook(g):
        squares = mg.dot(g.flatten(), g.flatten())
        return g if squares <= limit else limit / squares * g

    return h.register_hook(hook)


def clip_scaled_again(h, limit):
    def hook(g):
        if g.norm() > limit:
            return limit * g

    return h.register_hook(hook)


def clip_unit_again(h, limit):
    def hook(g):
        norm = g.norm()
        if norm > limit:
            return g * (1 / norm)

    return h.register_hook(hook)


def clip_largest_again(h, limit):
    def hook(g):
        most = mg.amax(mg.abs(g))
        if most > limit:
            return g * limit / most

    return h.register_hook(hook)


def clip_values_again(h, limit):
    norm = mg.sqrt((h.detach() ** 2).sum())

    def hook(g):
        if norm > limit:
            return limit * g / norm

    return h.register_hook(hook)


def clip_removed(h, limit):
    handle = h.register_hook(lambda g: g * (limit / g.norm()) if g.norm() > limit else g)
    handle.remove()
    return handle


ALTERNATIVES["13.2"] = {"min": clip_min, "clamp of the factor": clip_clamp, "division": clip_division}

AGAIN["13.2"] = {
    "nothing is returned": clip_nothing_again,
    "returned as it came": lambda h, limit: h.register_hook(lambda g: g.clone()),
    "no hook at h": clip_removed,
    "in place": clip_in_place_again,
    "the square of the norm": clip_squares_again,
    "entry by entry": clip_entries_again,
    "also what is small": clip_always_again,
    "a small number in the denominator": clip_eps_again,
    "times limit": clip_scaled_again,
    "to norm one": clip_unit_again,
    "the largest entry": clip_largest_again,
    "the norm of the values": clip_values_again,
}


# --- 13.3 How many calls? -----------------------------------------------------------------------------------


# --- 13.4 Order ---------------------------------------------------------------------------------------------


ALTERNATIVES["13.4"] = {"by the rules": order_of(as_registered)}


# --- 13.5 The first culprit ---------------------------------------------------------------------------------


def culprit_clean_in(root):
    def bad(gs):
        return any(bool((g != g).any()) for g in gs if g is not None)

    born = []
    for node in nodes_of(root):
        node.register_hook(lambda out, into, n=node: born.append(n.name()) if bad(out) and not bad(into) else None)
    root.backward()
    return next(iter(born), None)


def culprit_dict(root):
    sent = {}
    for node in nodes_of(root):
        node.register_hook(lambda out, into, n=node: sent.update({n: [None if g is None else g.norm() for g in out]}))
    root.backward()  # an inf may have the norm NaN only where there is a NaN
    for node, norms in sent.items():
        if any(n is not None and n != n for n in norms):
            return node.name()
    return None


def culprit_where(made: Any) -> Any:
    """An answer that keeps the last node of which this is true."""

    def culprit(root):
        name = None

        def watch(node):
            def hook(results, arrived):
                nonlocal name
                if made(results, arrived):
                    name = node.name()

            node.register_hook(hook)

        for node in nodes_of(root):
            watch(node)
        root.backward()
        return name

    return culprit


def a_nan(gradients: Any) -> bool:
    return any(g is not None and bool(mg.isnan(g).any()) for g in gradients)


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


def culprit_arrived_again(root):
    found = []
    for node in nodes_of(root):
        node.register_prehook(lambda arrived, n=node: found.append(n.name()) if any(is_bad(g) for g in arrived) else None)
    root.backward()
    return found[0] if found else None


def culprit_infinite_again(root):
    return culprit_among(root, lambda g: bool((mg.isnan(g) | mg.isinf(g)).any()))


def culprit_equal_again(root):
    return culprit_among(root, lambda g: float("nan") in [float(v) for v in g.reshape(-1)])


def culprit_all_again(root):
    return culprit_among(root, lambda g: int(mg.isnan(g).sum()) == g.numel())


def culprit_zeroth_again(root):
    found = []
    for node in nodes_of(root):

        def hook(results, arrived, node=node):
            if results and results[0] is not None and mg.isnan(results[0]).any():
                found.append(node.name())

        node.register_hook(hook)
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


def culprit_node_again(root):
    nodes = {node.name(): node for node in nodes_of(root)}
    name = first_nan(root)
    return None if name is None else nodes[name]


def culprit_of_leaves_again(root):
    names: list[str] = []

    def listen(node):
        def hook(results, arrived):
            first = results[0]
            if first is not None and bool((first != first).any()):
                names.append(node.name())

        node.register_hook(hook)

    for node in nodes_of(root):
        listen(node)
    root.backward()
    return names[0] if names else None


def culprit_of_value_again(root):
    if bool(root != root):
        return root.grad_fn.name()
    return first_nan(root)


ALTERNATIVES["13.5"] = {"clean in, NaN out": culprit_clean_in, "norms": culprit_dict}

AGAIN["13.5"] = {
    "the last": culprit_where(lambda results, arrived: a_nan(results)),
    "None among the results": culprit_without_none_again,
    "what arrives": culprit_arrived_again,
    "the last node of the loop": culprit_late_again,
    "inf counts too": culprit_infinite_again,
    "compared with ==": culprit_equal_again,
    "only if all are NaN": culprit_all_again,
    "only the first result": culprit_zeroth_again,
    "the node": culprit_node_again,
    "results is empty": culprit_of_leaves_again,
    "the value is NaN": culprit_of_value_again,
    "only the value is looked at": lambda root: None if root.item() == root.item() else root.grad_fn.name(),
    "the last culprit": culprit_where(lambda results, arrived: a_nan(results) and not a_nan(arrived)),
    "none is found": lambda root: [node.register_hook(lambda results, arrived: None) for node in nodes_of(root)].clear(),
}


# --- 13.6 log-softmax ---------------------------------------------------------------------------------------


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


ALTERNATIVES["13.6"] = {"row by row": LogSoftmaxByRows, "the engine": LogSoftmaxEngine, "logaddexp": LogSoftmaxLogaddexp}

def shifted_in_place_again(z):
    np.subtract(z, z.max(axis=1, keepdims=True), out=z)
    return LogSoftmax.forward(z)


AGAIN["13.6"] = {
    "z is shifted in place": with_rule(forward=shifted_in_place_again),
    "exp without a shift": with_rule(forward=lambda z: z - np.log(np.sum(np.exp(z), axis=-1))[:, None]),
    "the logarithm of softmax, unshifted": with_rule(
        forward=lambda z: np.log(np.exp(z)) - np.log(np.exp(z).sum(axis=1, keepdims=True))
    ),
    "the logarithm of a stable softmax": with_rule(forward=lambda z: np.log(np.exp(LogSoftmax.forward(z)))),
    "a little is added to the share": with_rule(forward=lambda z: np.log(1e-12 + np.exp(LogSoftmax.forward(z)))),
    "very little is added to the share": with_rule(forward=lambda z: np.log(1e-300 + np.exp(LogSoftmax.forward(z)))),
    "shifted by the mean": with_rule(
        forward=lambda z: z - z.mean(1)[:, None] - np.log(np.exp(z - z.mean(1)[:, None]).sum(1))[:, None]
    ),
    "clipped": with_rule(forward=lambda z: LogSoftmax.forward(np.minimum(np.maximum(z, -700), 700))),
    "p less g": with_rule(vjp=lambda g, z: np.exp(LogSoftmax.forward(z)) - g),
    "one maximum for all rows": with_rule(forward=lambda z: z - z.max() - np.log(np.exp(z - np.max(z)).sum(axis=1))[:, None]),
    "keepdims forgotten": with_rule(forward=lambda z: z - (np.amax(z, -1) + np.log(np.sum(np.exp(z - np.amax(z, -1)), -1)))),
    "keepdims forgotten in the vjp": with_rule(vjp=lambda g, z: g - np.sum(g, -1) * np.exp(LogSoftmax.forward(z))),
    "columns": with_rule(forward=lambda z: LogSoftmax.forward(z.T).T),
    "the shift is lost": with_rule(forward=lambda z: LogSoftmax.forward(z) + z.max(axis=1, keepdims=True)),
    "all rows together": with_rule(
        forward=lambda z: z - z.max(axis=1)[:, None] - np.log(np.sum(np.exp(z - z.max(axis=1)[:, None])))
    ),
    "the sum of g forgotten": with_rule(vjp=lambda g, z: g - np.exp(LogSoftmax.forward(z))),
    "diagonal only": with_rule(vjp=lambda g, z: g - g * np.exp(LogSoftmax.forward(z))),
    "the transposed Jacobian": with_rule(
        vjp=lambda g, z: np.stack([(np.eye(len(p)) - p) @ row for row, p in zip(g, stable_softmax(z), strict=True)])
    ),
    "the sum of the whole batch": with_rule(vjp=lambda g, z: g - np.exp(LogSoftmax.forward(z)) * np.sum(g)),
    "the rule of softmax": with_rule(
        vjp=lambda g, z: np.stack([row @ (np.diag(p) - np.outer(p, p)) for row, p in zip(g, stable_softmax(z), strict=True)])
    ),
    "one maximum for all rows, in the vjp": with_rule(vjp=lambda g, z: g - g.sum(1)[:, None] * naive_p(z - np.max(z))),
    "unshifted p in the vjp": with_rule(
        vjp=lambda g, z: g - np.exp(z) / np.exp(z).sum(axis=1)[:, None] * g.sum(axis=1)[:, None]
    ),
    "shifted by rows, added up by columns": with_rule(
        forward=lambda z: np.array([row - max(row) for row in z]) - np.log(sum(np.exp(row - max(row)) for row in z))
    ),
    "no logarithm": with_rule(forward=lambda z: np.exp(LogSoftmax.forward(z))),
}


# --- 13.7 The where trap ------------------------------------------------------------------------------------


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


def root_single_again(x):
    return mg.where(x <= 0, mg.zeros_like(x), x.sqrt())


def root_multiplied_again(x):
    return (x > 0).to(x.dtype) * x**0.5


def root_clamped_again(x):
    return mg.clamp(x, min=0.0) ** 0.5


def root_shifted_again(bound):
    return lambda x: mg.where(x >= bound, x, bound) ** 0.5


def root_added_again(little):
    return lambda x: (mg.where(x > 0, x, 0.0) + little) ** 0.5


def root_bounded_again(bound):
    return lambda x: mg.where(x >= bound, x, bound).sqrt().masked_fill(x <= 0, 0.0)


def root_of_one_again(x):
    return mg.where(x > 0, x, 1.0) ** 0.5


def root_known_by_value_again(x):
    inside = x.masked_fill(x <= 0, 1.0)
    return inside.sqrt() * (inside != 1)


def root_detached_again(x):
    with mg.no_grad():
        y = mg.where(x > 0, mg.sqrt(x), 0.0)
    return y


def root_abs_again(x):
    return mg.sqrt(mg.abs(x)).masked_fill(x <= 0, 0.0)


def root_hooked_again(x):
    inner = x * 1
    if inner.requires_grad:
        inner.register_hook(lambda g: g.masked_fill(mg.isnan(g), 0.0))
    return mg.where(inner > 0, mg.sqrt(inner), 0.0)


ALTERNATIVES["13.7"] = {
    "masked_fill twice": root_filled,
    "times the mask": root_times_mask,
    "relu": root_relu,
    "one where, on the input": root_input_only,
}

AGAIN["13.7"] = {
    "NaN cleaned away by a hook": root_hooked_again,
    "one where": root_single_again,
    "times the mask, afterwards": root_multiplied_again,
    "clamped at 0": root_clamped_again,
    "clamped a little above": root_shifted_again(1e-12),
    "a little is added": root_added_again(1e-12),
    "only the input is cleaned": root_of_one_again,
    "known by the harmless number": root_known_by_value_again,
    "detached": root_detached_again,
    "abs inside": root_abs_again,
    "the value is mended": lambda x: (lambda y: mg.where(mg.isnan(y), 0.0, y))(x.sqrt()),
}
AGAIN["13.7"] |= {f"clamped at {bound:.0e}": root_shifted_again(bound) for bound in (1e-6, 1e-8, 1e-10, 1e-30)}
AGAIN["13.7"] |= {f"{little:.0e} is added": root_added_again(little) for little in (1e-6, 1e-8)}
AGAIN["13.7"] |= {f"bounded by {bound:.0e}": root_bounded_again(bound) for bound in (1e-6, 1e-8, 1e-10, 1e-12, 1e-20)}


# --- 13.8 A run that ends in NaN ----------------------------------------------------------------------------


def misfit_by_hand(hot, half, minutes, readings):
    """With the logarithm of the curve taken by hand, and a mask that multiplies clean numbers only."""
    mask = (readings > 20).to(readings.dtype)
    warmer = (readings - 20).masked_fill(~(readings > 20), 1.0)
    error = mg.log(hot).reshape(-1, 1) - minutes / half.reshape(-1, 1) * float(np.log(2.0)) - mg.log(warmer)
    return (mask * error * error).sum() / mask.sum()


def misfit_filled_at_the_end(hot, half, minutes, readings):
    unusable = ~(readings > 20)
    error = log_curve(hot, half, minutes) - mg.log(readings - 20)
    return (error**2).masked_fill(unusable, 0.0).sum() / (~unusable).sum()


def misfit_without_nan_again(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(readings.masked_fill(mg.isnan(readings), 30.0) - 20)
    return (error**2).masked_fill(~usable, 0.0).sum() / usable.sum()


def misfit_made_up_again(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(readings.masked_fill(~usable, 21.0) - 20)
    return mg.sum(error * error) / mg.sum(usable)


def misfit_of_all_again(hot, half, minutes, readings):
    return misfit(hot, half, minutes, readings) * (readings > 20).sum() / readings.numel()


def misfit_hooked_again(hot, half, minutes, readings):
    hot, half = hot * 1, half * 1
    for result in (hot, half):
        result.register_hook(lambda g: g.masked_fill(mg.isnan(g), 0.0))
    return misfit_filled_at_the_end(hot, half, minutes, readings)


def misfit_without_history_again(hot, half, minutes, readings):
    with mg.no_grad():
        return misfit(hot, half, minutes, readings)


def misfit_of_all_made_up_again(hot, half, minutes, readings):
    curve = hot[:, None] * 0.5 ** (minutes / half[:, None])
    warmer = mg.clamp(mg.nan_to_num(readings - 20), min=1.0)
    return ((mg.log(warmer) - mg.log(curve)) ** 2).mean()


def misfit_of_all_as_given_again(hot, half, minutes, readings):
    return misfit_filled_at_the_end(hot, half, minutes, readings) * (readings > 20).sum() / readings.numel()


def misfit_sum_again(hot, half, minutes, readings):
    usable = readings > 20
    curve = hot[:, None] * 0.5 ** (minutes / half[:, None])
    return ((mg.log(curve[usable]) - mg.log(readings[usable] - 20)) ** 2).sum()


def misfit_cup_by_cup_again(hot, half, minutes, readings):
    return mg.stack([misfit(hot[[k]], half[[k]], minutes, readings[[k]]) for k in range(len(hot))]).mean()


def misfit_hooked_at_the_error(hot, half, minutes, readings):
    usable = readings > 20
    error = log_curve(hot, half, minutes) - mg.log(readings - 20)
    error.register_hook(lambda g: g.masked_fill(~usable, 0.0))
    return mg.where(usable, error * error, 0.0).sum() / usable.sum()


def misfit_with_single_constant(hot, half, minutes, readings):
    """With a logarithm of ½ in float32, as the lesson's tensors are."""
    usable = readings > 20
    warmer = mg.where(usable, readings, 21.0) - 20
    error = mg.log(hot)[:, None] + minutes / half[:, None] * mg.log(mg.tensor(0.5)) - mg.log(warmer)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


ALTERNATIVES["13.8"] = {"the logarithm by hand": misfit_by_hand, "a constant in float32": misfit_with_single_constant}

def misfit_from_20(hot, half, minutes, readings):
    usable = readings > 20
    error = mg.log(mg.where(readings >= 20, readings, 25.0) - 20) - mg.log(hot[:, None] * 0.5 ** (minutes / half[:, None]))
    return mg.where(usable, error * error, 0.0).sum() / usable.sum()


def misfit_from_below(hot, half, minutes, readings):
    usable = readings > 20
    error = mg.log(mg.where(readings <= 20, 25.0, readings) - 20) - mg.log(hot[:, None] * 0.5 ** (minutes / half[:, None]))
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


def misfit_of_all_that_was_read_again(hot, half, minutes, readings):
    read = mg.isfinite(readings)
    curve = hot[:, None] * 0.5 ** (minutes / half[:, None])
    return ((mg.log(curve[read]) - mg.log(readings[read] - 20)) ** 2).mean()


def misfit_from_20_again(hot, half, minutes, readings):
    safe = mg.where(readings < 20, 21.0, mg.where(mg.isnan(readings), 21.0, readings))
    usable = ~mg.isnan(readings) & (readings >= 20)
    errors = (log_curve(hot, half, minutes) - mg.log(safe - 20)) ** 2
    return mg.where(usable, errors, 0.0).sum() / usable.sum()


AGAIN["13.8"] = {
    "NaN made and stopped": misfit_hooked_at_the_error,
    "the input is not clean": misfit_filled_at_the_end,
    "only NaN is cleaned": misfit_without_nan_again,
    "made-up readings count": misfit_made_up_again,
    "the mean over all": misfit_of_all_again,
    "NaN cleaned away by a hook": misfit_hooked_again,
    "no history": misfit_without_history_again,
    "20 is not clean": misfit_from_20,
    "NaN is not clean": misfit_from_below,
    "20 and below count": misfit_of_all_that_was_read_again,
    "made-up readings count, in the mean over all": misfit_of_all_made_up_again,
    "the input is not clean, the mean over all": misfit_of_all_as_given_again,
    "the sum": misfit_sum_again,
    "a mean for each cup": misfit_cup_by_cup_again,
    "20 counts": misfit_from_20_again,
}
