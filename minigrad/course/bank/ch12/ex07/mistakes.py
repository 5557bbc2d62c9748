"""12.7 Buffer without buffer: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch12.ex07.answer import echoes
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def echoes_growing(w, x):
    h = x[:1]
    for k in range(1, len(x)):
        h = mg.cat([h, (w * h[-1] + x[k]).reshape(1)])
    return h


WASTEFUL["joined at every step"] = Mistake(
    echoes_growing,
    "Right. But you join at every step, and each `cat` copies all that is there already: n steps copy about n²/2 "
    "numbers, and backward does it again. Collect the results in a Python list, and join them **once**.",
)


def echoes_in_buffer(w, x):
    h = mg.zeros_like(x)
    h[0] = x[0]
    for k in range(1, len(x)):
        h[k] = w * h[k - 1].clone() + x[k]
    return h


WASTEFUL["a buffer"] = Mistake(
    echoes_in_buffer,
    "Right. But each write to the buffer is a CopySlices, and backward each of them copies the gradient of the "
    "**whole** buffer: n² numbers in n steps. A Python list and one `stack` need no buffer.",
)


def echoes_again(w, x):
    def at(k: int) -> Any:
        return x[0] if k == 0 else w * at(k - 1) + x[k]

    return mg.stack([at(k) for k in range(len(x))])


WASTEFUL["computed again"] = Mistake(
    echoes_again,
    "Right. But each entry is computed again from the beginning: about n²/2 products. Keep the last result in a "
    "variable, and go on from it.",
)



def echoes_by_a_table(w, x):
    n = len(x)
    table = mg.eye(n, dtype=x.dtype) - w * mg.diag(mg.ones(n - 1, dtype=x.dtype), -1)
    return mg.linalg.solve(table, x)


WASTEFUL["much beside"] = Mistake(
    echoes_by_a_table,
    "Right. But the nodes behind your n results make some n² numbers in all, a table of n × n for example, or all n of something at "
    "each step. One number for each step is enough: go on from the last result.",
)

MISTAKES: dict[str, Mistake] = {}


def echoes_alarm(w, x):
    h = mg.zeros_like(x)
    h[0] = x[0]
    for k in range(1, len(x)):
        h[k] = w * h[k - 1] + x[k]
    return h


MISTAKES["the buffer rings"] = Mistake(
    echoes_alarm,
    "The alarm of exercise 12.2. `w * h[k - 1]` saved a window on the buffer, and the next write made it out of "
    "date. Keep the last result in a variable, collect all of them in a list, join them at the end.",
)


def echoes_leaf(w, x):
    for k in range(1, len(x)):
        x[k] += w * x[k - 1]
    return x


MISTAKES["written into x"] = Mistake(
    echoes_leaf,
    "You wrote into a part of a leaf that requires grad: into `x`, which is not yours to write to, or into a buffer "
    "that was made with `requires_grad=True`. Collect your results in a Python list.",
)


def collect(w: Any, x: Any, keep: Callable[[Any], Any], join: Callable[[list[Any]], Any]) -> Any:
    h = x[0]
    results = [keep(h)]
    for k in range(1, len(x)):
        h = w * h + x[k]
        results.append(keep(h))
    return join(results)


def echoes_tensor(w, x):
    return collect(w, x, lambda h: h.item(), lambda results: mg.tensor(results, dtype=x.dtype))


MISTAKES["no history"] = Mistake(
    echoes_tensor,
    "The numbers are right, but nothing leads back. `mg.tensor(list)` takes numbers only, and so do `item()` and "
    "`detach()`. `mg.stack(list)` joins tensors and is recorded.",
)


def echoes_one_step(w, x):
    h = x[0]
    results = [h]
    for k in range(1, len(x)):
        h = w * h.detach() + x[k]
        results.append(h)
    return mg.stack(results)


MISTAKES["cut at every step"] = Mistake(
    echoes_one_step,
    "The numbers are right, but each step forgets the ones before: `x[0]` has an influence on all later entries, and its "
    "gradient counts it once. Do not detach the last result (nor take its `item()`).",
)


def echoes_one_object(w, x):
    h = x[0].clone()
    results = [h]
    for k in range(1, len(x)):
        h *= w
        h += x[k]
        results.append(h)
    return mg.stack(results)


MISTAKES["one object in the list"] = Mistake(
    echoes_one_object,
    "All entries are the last one. You changed `h` in place, so the list holds the same tensor n times. "
    "`h = w * h + x[k]` makes a new tensor in each step.",
)

MISTAKES["only the last"] = Mistake(
    lambda w, x: echoes(w, x)[-1],
    "That is the last entry alone, of shape `()`. All n are asked for, in one tensor of shape (n,).",
)

MISTAKES["one too many"] = Mistake(
    lambda w, x: mg.cat([mg.zeros(1, dtype=x.dtype), echoes(w, x)]),
    "One entry too many: the start is in your list. `h[0]` is `x[0]`, and there are n results.",
)


def collect_scaled(w: Any, x: Any, step: Callable[[Any, Any], Any]) -> Any:
    results = [x[0]]
    for entry in x[1:]:
        results.append(step(results[-1], entry))
    return mg.stack(results)


MISTAKES["the input is scaled too"] = Mistake(
    lambda w, x: collect_scaled(w, x, lambda h, entry: w * (h + entry)),
    "`w` multiplies the last result only; the new input is added as it is.",
)

MISTAKES["no echo"] = Mistake(
    lambda w, x: mg.stack([x[k] if k == 0 else w * x[k - 1] + x[k] for k in range(len(x))]),
    "You went on from `x[k - 1]`, the last input. What is wanted is `h[k - 1]`, the last **result**, which holds all "
    "inputs before it.",
)


def echoes_detached_window(w, x):
    h = mg.zeros_like(x)
    h[0] = x[0]
    for k in range(1, len(x)):
        h[k] = w * h[k - 1].detach() + x[k]
    return h


MISTAKES["a detached window"] = Mistake(
    echoes_detached_window,
    "The multiplication saved a window without history, as `detach()` gives one. It has the same cells, and the next write made it "
    "out of date. Keep the last result in a variable, with its history.",
)


def echoes_from_number(w, x):
    h = x[0].detach()
    results = [h]
    for k in range(1, len(x)):
        h = w * h + x[k]
        results.append(h)
    return mg.stack(results)


FIRST = (
    "The numbers are right, but `x[0]` misses the gradient that the later entries owe it: they begin with a number that has no "
    "history. Begin with `h = x[0]`, as it is."
)

MISTAKES["the first has no history"] = Mistake(echoes_from_number, FIRST)


def echoes_on_from_number(w, x):
    h = x[0].item()
    results = [x[0]]
    for k in range(1, len(x)):
        h = w * h + x[k]
        results.append(h)
    return mg.stack(results)


MISTAKES["the others begin with a number"] = Mistake(echoes_on_from_number, FIRST)

def echoes_noted_early(w, x):
    h, results = mg.zeros((), dtype=x.dtype), []
    for entry in x:
        results.append(h)
        h = w * h + entry
    return mg.stack(results)


MISTAKES["noted too early"] = Mistake(
    echoes_noted_early,
    "Your first entry is 0, and all others come one place too late. Note `h` after the step, not before it: `h[0]` is `x[0]`.",
)
