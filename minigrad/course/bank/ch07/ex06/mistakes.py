"""07.6 retain or create?: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch07.common import Draw
from minigrad.course.bank.ch07.ex01.mistakes import believing_of
from minigrad.course.bank.ch07.ex06.answer import ends
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def expecting(believed: str, *rules: str) -> Callable[[Draw], dict[str, str]]:
    return believing_of(ends, believed, *rules)


MISTAKES["create_graph frees"] = Mistake(
    expecting("freed", "create"),
    "`create_graph=True` records the backward pass as a graph of its own, and that graph hangs on the first one. So "
    "**create implies retain**: when you do not say otherwise, `retain_graph` takes the value of `create_graph`.",
)

MISTAKES["create always keeps"] = Mistake(
    expecting("ok", "create, not retain"),
    "*By default* create implies retain. Here `retain_graph=False` says otherwise, and what you say counts.",
)

MISTAKES["retained for good"] = Mistake(
    expecting("ok", "retain once for three"),
    "`retain_graph=True` holds for its own call. The next call says nothing, so it frees, and the third finds nothing.",
)

MISTAKES["retain brings it back"] = Mistake(
    expecting("ok", "retain late"),
    "`retain_graph=True` asks a pass to keep what is there. It brings nothing back: the first call has freed it.",
)

MISTAKES["nothing is freed"] = Mistake(
    expecting("ok", "neither"),
    "A pass frees what it comes by, unless it is told to keep it. Nobody said so here. `grad` frees just as `backward` does.",
)

MISTAKES["retain does not keep"] = Mistake(
    expecting("freed", "retain"), "The first call was told to keep the graph. The second may use it, and frees it."
)

MISTAKES["retain makes a gradient differentiable"] = Mistake(
    expecting("ok", "slope of retain"),
    "`retain_graph` keeps the graph of `L`. The gradient `g` has none: it is a plain Tensor that remembers nothing. "
    "For a graph of `g` you need `create_graph=True`.",
)

MISTAKES["a gradient always has a graph"] = Mistake(
    expecting("ok", "slope of neither"),
    "`g` is a plain Tensor: how it was computed was not recorded. For that you must ask, with `create_graph=True`.",
)

MISTAKES["g needs the graph of L: retained"] = Mistake(
    expecting("freed", "slope of retain"),
    "There is an error, but another one. Nothing was freed; `g` has no graph at all: *does not require grad and does "
    "not have a grad_fn*.",
)

MISTAKES["g needs the graph of L: freed"] = Mistake(
    expecting("freed", "slope of neither"),
    "There is an error, but another one. The pass from `g` does not get as far as something freed: `g` has no graph at "
    "all, *does not require grad and does not have a grad_fn*.",
)

MISTAKES["what is freed has no graph"] = Mistake(
    expecting("no graph", "neither", "retain once for three", "retain late", "create, not retain"),
    "There is an error, but another one. `L` still requires grad and still has its graph: nodes stay. What is gone is "
    "what they had **saved**.",
)

MISTAKES["create records nothing"] = Mistake(
    expecting("no graph", "slope of create"),
    "That is what `create_graph=True` is for: `g` is 3x² with a graph of its own, and can be differentiated again.",
)

MISTAKES["create leaves a freed graph"] = Mistake(
    expecting("freed", "slope of create"),
    "`create_graph=True` keeps the graph (create implies retain), and `g` has a graph of its own besides. Going back "
    "from `g` works.",
)
