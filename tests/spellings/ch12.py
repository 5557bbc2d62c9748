"""Right answers of chapter 12 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch12.common import Draw
from minigrad.course.bank.ch12.ex02.mistakes import buffer, kept_name, one_write, square, with_way
from minigrad.course.bank.ch12.ex03.answer import setitem_vjp, unbroadcast
from minigrad.course.bank.ch12.ex03.mistakes import first_of
from minigrad.course.bank.ch12.ex04.mistakes import slope_of_both, slope_of_second
from minigrad.course.bank.ch12.ex05.answer import grads_by_rule
from minigrad.course.bank.ch12.ex07.answer import echoes
from minigrad.course.bank.ch12.ex07.mistakes import collect, collect_scaled
from minigrad.course.bank.ch12.ex08.answer import remember
from minigrad.course.bank.ch12.ex09.mistakes import minus

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 12.1 View or copy? -------------------------------------------------------------------------------------


# --- 12.2 The recurrence that raises ------------------------------------------------------------------------


class RepairElsewhere:
    """The same with other words."""

    @staticmethod
    def clone(x):
        y = mg.empty(2)
        y[0] = x * x
        before = y.clone()
        y[1] = x * before[0]
        return y

    @staticmethod
    def name(x):
        y, value = mg.zeros(2), 1 * x
        for k in range(2):
            value = value * x
            y[k] = value
        return y

    @staticmethod
    def stack(x):
        square = (x**2).reshape(1)
        return mg.cat([square, square * x])


class RepairByHand:
    """Without reading what is hard to read."""

    @staticmethod
    def clone(x):
        y = mg.zeros((2,), dtype=x.dtype)
        y[:1] = x**2
        y[1:] = (y[:1] + 0) * x
        return y

    @staticmethod
    def name(x):
        y = mg.zeros_like(mg.stack([x, x])).detach()
        y[0], y[1] = x**2, x**3
        return y

    @staticmethod
    def stack(x):
        return x ** mg.tensor([2.0, 3.0])


def writes_without_grad(x: Any) -> Any:
    y = mg.zeros(2)
    y[0] = x**2
    with mg.no_grad():
        y[1] = y[0] * x
    return y


def tensor_of_results_detached(x: Any) -> Any:
    value = (x**2).detach()
    return mg.stack([value, value * x.detach()])


def leaf_buffer_empty(x: Any) -> Any:
    y = mg.empty(2).requires_grad_()
    y[:1] = x * x
    return y


def one_cell_again(x: Any) -> Any:
    y = mg.zeros(2) + x**2
    y[1:] = x**3
    return y


def one_write_again(x: Any) -> Any:
    y = mg.stack([x, x**2])
    y *= x
    return y


ALTERNATIVES["12.2"] = {"other words": RepairElsewhere, "slices and powers": RepairByHand}

AGAIN["12.2"] = {
    "clone: still saved": with_way(clone=buffer(lambda x: (x**2).clone(), lambda y, x: y[0] * x.clone())),
    "clone: detach": with_way(clone=buffer(lambda x: x * x, lambda y, x: x * y.detach()[0])),
    "clone: gradient lost": with_way(clone=buffer(square, lambda y, x: y[0].detach().clone() * x)),
    "clone: write lost": with_way(clone=writes_without_grad),
    "clone: a leaf as buffer": with_way(clone=leaf_buffer_empty),
    "name: a leaf as buffer": with_way(name=leaf_buffer_empty),
    "clone: not read": with_way(clone=buffer(lambda x: x * x, lambda y, x: x**3)),
    "clone: no buffer": with_way(clone=lambda x: mg.cat([(x**2).reshape(1), (x**3).reshape(1)])),
    "name: still read": with_way(name=buffer(lambda x: x * x, lambda y, x: (y + 0)[0] * x)),
    "name: still a window": with_way(name=buffer(lambda x: x * x, lambda y, x: x * y[0])),
    "name: gradient lost": with_way(name=kept_name(lambda t: t.detach())),
    "name: no buffer": with_way(name=one_write),
    "name: one cell": with_way(name=one_cell_again),
    "stack: no history": with_way(stack=tensor_of_results_detached),
    "stack: a buffer": with_way(stack=buffer(lambda x: x * x, lambda y, x: x**3)),
    "stack: one write": with_way(stack=one_write_again),
    "stack: a buffer that is read": with_way(stack=buffer(lambda x: x * x, lambda y, x: (y + 0)[0] * x)),
}


# --- 12.3 The VJP of a slice assignment ---------------------------------------------------------------------


def setitem_mask(v, index, shape):
    written = np.zeros(v.shape, dtype=bool)
    written[index] = True
    return np.where(written, 0.0, v), unbroadcast(np.array(v[index]), shape)


def setitem_put_back(v, index, shape):
    values = unbroadcast(v[index], shape).copy()
    kept = np.array(v, copy=True)
    kept[index] -= v[index]
    return [kept, values]


def setitem_aliasing_multiplied(v, index, shape):
    values = unbroadcast(np.array(v[index]), shape)
    v[index] *= 0
    return v.copy(), values


def setitem_second_name_loop(v, index, shape):
    v[index] *= 0
    return v, np.zeros(shape)


def setitem_by_window_again(v, index, shape):
    kept = np.array(v)
    window = kept[index]
    kept[index] *= 0
    return kept, unbroadcast(window, shape)


ALTERNATIVES["12.3"] = {"np.where": setitem_mask, "subtracted": setitem_put_back}

AGAIN["12.3"] = {
    "overwritten cells not zeroed": lambda v, index, shape: (1.0 * v, unbroadcast(np.array(v[index]), shape)),
    "zeroed everywhere else": lambda v, index, shape: (v - setitem_vjp(v, index, shape)[0], unbroadcast(v[index], shape)),
    "nothing left of the old y": lambda v, index, shape: (0 * v, unbroadcast(np.array(v[index]), shape)),
    "values not summed": lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.array(v[index])),
    "values averaged": lambda v, index, shape: (
        setitem_vjp(v, index, shape)[0],
        unbroadcast(v[index] / (np.size(v[index]) / max(1, int(np.prod(shape)))), shape),
    ),
    "all summed": lambda v, index, shape: (setitem_mask(v, index, shape)[0], np.array(v[index]).sum()),
    "v is forgotten": lambda v, index, shape: (setitem_mask(v, index, shape)[0], np.zeros(shape) + 1),
    "one of the copies": lambda v, index, shape: (setitem_mask(v, index, shape)[0], first_of(np.array(v[index]), shape) + 0.0),
    "read too late": lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.zeros(shape)),
    "a second name": setitem_second_name_loop,
    "v is changed": setitem_aliasing_multiplied,
    "a window, zeroed too": setitem_by_window_again,
    "one average for all": lambda v, index, shape: (setitem_vjp(v, index, shape)[0], np.full(shape, np.average(v[index]))),
    "the two are swapped": lambda v, index, shape: setitem_mask(v, index, shape)[::-1],
}


# --- 12.4 Lost write ----------------------------------------------------------------------------------------


def slopes_by_rule(draw: Draw) -> dict[str, float]:
    by_rule: dict[str, Callable[[Any], float]] = {
        "a copy is kept": slope_of_both,
        "a window is kept": lambda what: 2 * slope_of_second(what),
        "added": slope_of_both,
    }
    return {key: by_rule.get(rule, slope_of_second)(what) for key, rule, what in draw}


ALTERNATIVES["12.4"] = {"by the rules": slopes_by_rule}


# --- 12.5 Through the window --------------------------------------------------------------------------------


ALTERNATIVES["12.5"] = {"whole numbers": lambda draw: {key: tuple(map(int, g)) for key, g in grads_by_rule(draw).items()}}


# --- 12.6 Forbidden windows ---------------------------------------------------------------------------------


# --- 12.7 Buffer without buffer -----------------------------------------------------------------------------


def echoes_cat(w, x):
    h, results = 0.0 * x[:1], []
    for k in range(x.shape[0]):
        h = h * w + x[k : k + 1]
        results += [h]
    return mg.cat(results)


def echoes_add(w, x):
    results = [x[0] * 1]
    for entry in x[1:]:
        results.append(mg.add(results[-1].mul(w), entry))
    return mg.stack(results, dim=0)


def echoes_growing_stack(w, x):
    h = x[0].reshape(1)
    for k in range(1, len(x)):
        h = mg.stack([*h, w * h[k - 1] + x[k]])
    return h


def echoes_in_buffer_named(w, x):
    h, last = mg.zeros(len(x), dtype=x.dtype), 0
    for k in range(len(x)):
        last = w * last + x[k]
        h[k] = last
    return h


def echoes_again_powers(w, x):
    results = []
    for k in range(len(x)):
        h = x[0]
        for j in range(1, k + 1):
            h = w * h + x[j]
        results.append(h)
    return mg.stack(results)


def echoes_alarm_empty(w, x):
    h = mg.empty(len(x), dtype=x.dtype)
    for k in range(len(x)):
        h[k] = x[k] + (h[k - 1] * w if k else 0)
    return h


def echoes_leaf_window(w, x):
    h = x[:]
    for k in range(1, len(x)):
        h[k] = w * h[k - 1] + h[k]
    return h


def echoes_detached(w, x):
    return collect(w, x, lambda h: h.detach(), mg.stack)


def echoes_one_step_item(w, x):
    results = [x[0]]
    for k in range(1, len(x)):
        results.append(w * results[-1].item() + x[k])
    return mg.stack(results)


def echoes_one_object_methods(w, x):
    h = 1 * x[0]
    results = []
    for k in range(len(x)):
        if k:
            h.mul_(w).add_(x[k])
        results.append(h)
    return mg.stack(results)


def echoes_detached_window_again(w, x):
    h = mg.zeros(len(x), dtype=x.dtype)
    h[:1] = x[:1]
    for k in range(1, len(x)):
        h[k] = x[k] + h.detach()[k - 1] * w
    return h


def echoes_from_number_again(w, x):
    return collect(w, [x[0].item() + 0 * x[0].detach(), *x[1:]], lambda h: h, mg.stack)


def echoes_on_from_number_again(w, x):
    return mg.cat([x[:1], echoes(w, mg.cat([x[:1].detach(), x[1:]]))[1:]])


ALTERNATIVES["12.7"] = {"cat of slices": echoes_cat, "by functions": echoes_add}



def echoes_by_distances(w, x):
    k = mg.arange(len(x))
    apart = k[:, None] - k[None, :]
    zeros = mg.zeros((), dtype=x.dtype)
    return mg.where(apart >= 0, w ** apart.clamp(min=0).to(x.dtype), zeros) @ x


AGAIN["12.7"] = {
    "joined at every step": echoes_growing_stack,
    "a buffer": echoes_in_buffer_named,
    "computed again": echoes_again_powers,
    "much beside": echoes_by_distances,
    "the buffer rings": echoes_alarm_empty,
    "written into x": echoes_leaf_window,
    "no history": echoes_detached,
    "cut at every step": echoes_one_step_item,
    "one object in the list": echoes_one_object_methods,
    "only the last": lambda w, x: collect(w, x, lambda h: h, lambda results: results[-1]),
    "one too many": lambda w, x: mg.stack([0 * w, *echoes(w, x)]),
    "the input is scaled too": lambda w, x: collect_scaled(w, x, lambda h, entry: w * h + w * entry),
    "no echo": lambda w, x: mg.cat([x[:1], w * x[:-1] + x[1:]]),
    "a detached window": echoes_detached_window_again,
    "the first has no history": echoes_from_number_again,
    "the others begin with a number": echoes_on_from_number_again,
    "noted too early": lambda w, x: mg.stack([mg.zeros((), dtype=x.dtype), *echoes(w, x)[:-1]]),
}


# --- 12.8 A network with a memory ---------------------------------------------------------------------------


def remember_in_buffer_cloned(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    states[0] = mg.tanh(x[0] @ V)
    for t in range(1, len(x)):
        states[t] = mg.tanh(states[t - 1].clone() @ W + x[t] @ V)
    return states


def remember_in_two_loops(W, V, x):
    found = []
    for n in range(len(x)):
        h = mg.tanh(x[0] @ V)
        for row in x[1 : n + 1]:
            h = mg.tanh(h @ W + row @ V)
        found.append(h)
    return mg.stack(found)


def remember_broken_again(W, V, x):
    states = mg.zeros(len(x) + 1, len(W), dtype=x.dtype)
    for t in range(len(x)):
        states[t + 1] = mg.tanh(states[t] @ W + x[t] @ V)
    return states[1:]


def remember_without_grad(W, V, x):
    states = [mg.tanh(x[0] @ V)]
    for t in range(1, len(x)):
        with mg.no_grad():
            memory = states[-1] + 0
        states.append(mg.tanh(memory @ W + x[t] @ V))
    return mg.stack(states)


def remember_by_data(W, V, x):
    states = mg.zeros(len(x), len(W), dtype=x.dtype)
    for t in range(len(x)):
        states.data[t] = mg.tanh(states[t - 1] @ W + x[t] @ V).detach()
    return states


def remember_two_tanh_again(W, V, x):
    h, found = mg.zeros(len(W), dtype=x.dtype), []
    for row in mg.tanh(x @ V).unbind():
        h = (h @ W).tanh() + row
        found.append(h)
    return mg.stack(found)


def remember_detached_window_again(W, V, x):
    states = mg.zeros(len(x) + 1, len(W), dtype=x.dtype)
    for t in range(len(x)):
        states[t + 1] = mg.tanh(states.detach()[t] @ W + x[t] @ V)
    return states[1:]


def remember_unsquashed_again(W, V, x):
    sums = [x[0] @ V]
    for t in range(1, len(x)):
        sums.append(sums[-1] @ W + x[t] @ V)
    return mg.tanh(mg.stack(sums))


def remember_growing_again(W, V, x):
    h = mg.tanh(x[0] @ V)
    states = h.reshape(1, -1)
    for row in x[1:]:
        h = mg.tanh(h @ W + row @ V)
        states = mg.cat([states, h.reshape(1, -1)])
    return states


def remember_turned_again(W, V, x):
    h = mg.zeros(len(W), dtype=W.dtype)
    states = []
    for row in x:
        h = mg.tanh(row @ V + W @ h)
        states.append(h)
    return mg.stack(states)


def remember_all_states(W, V, x):
    h, states = mg.zeros(len(W), dtype=x.dtype), []
    for row in mg.eye(len(x), dtype=x.dtype):
        h = mg.tanh(h @ W + row @ (x @ V))
        states.append(h)
    return mg.stack(states)


AGAIN["12.8"] = {
    "tanh at the output only": remember_unsquashed_again,
    "nothing is remembered": lambda W, V, x: mg.stack([mg.tanh(row @ V) for row in x]),
    "a buffer": remember_in_buffer_cloned,
    "computed again": remember_in_two_loops,
    "much beside": remember_all_states,
    "the buffer rings": remember_broken_again,
    "it forgets": remember_without_grad,
    "no history": remember_by_data,
    "only the last": lambda W, V, x: remember(W, V, x)[-1],
    "no memory": lambda W, V, x: mg.stack(
        [mg.tanh((mg.tanh(x[t - 1] @ V) @ W if t else 0.0) + x[t] @ V) for t in range(len(x))]
    ),
    "the memory is never set": lambda W, V, x: mg.tanh(mg.zeros(len(x), len(W), dtype=x.dtype) @ W + x @ V),
    "a tanh for each": remember_two_tanh_again,
    "a detached window": remember_detached_window_again,
    "one too many": lambda W, V, x: mg.stack([x[0] @ V * 0, *remember(W, V, x)]),
    "joined at every step": remember_growing_again,
    "W on the left": remember_turned_again,
    "one row after the other": lambda W, V, x: remember(W, V, x).reshape(-1),
}


# --- 12.9 Row by row ----------------------------------------------------------------------------------------


def centre_rows_turned(x, w):
    y = (x * w).t()
    return (y - y.sum(0) / len(w)).t()


def centre_rows_into(x, w):
    y = mg.zeros_like(x)
    for i in range(x.shape[0]):
        row = x[i] * w
        y[i] = row - row.mean()
    return y


def centre_rows_broken_again(x, w):
    y = x * w
    for row in y.unbind():
        row.sub_(row.mean())
    return y


def centre_rows_cloned(x, w):
    y = x * w
    for row in y.clone():
        row = row.clone().sub_(row.mean())
    return y


def centre_rows_by_data(x, w):
    y = x * w
    for row in y.data:
        row -= row.mean()
    return y


ALTERNATIVES["12.9"] = {"turned round": centre_rows_turned}

AGAIN["12.9"] = {
    "the sum, not the mean": minus(lambda y: y.sum(1).reshape(-1, 1)),
    "a write for each row": centre_rows_into,
    "the loop still writes": centre_rows_broken_again,
    "nothing is subtracted": centre_rows_cloned,
    "the graph knows nothing of it": centre_rows_by_data,
    "the mean of the columns": minus(lambda y: y.mean(0, keepdim=True)),
    "one mean for all": minus(lambda y: y.sum() / y.numel()),
    "the means lie across": minus(lambda y: y.sum(1) / y.shape[1]),
    "centred before it is scaled": lambda x, w: mg.stack([row - row.mean() for row in x]) * w,
}
