"""01.5 Freeze: what is asked, and what is seen of an answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import nodes_of

# name -> shape; the model is relu(x @ w1 + b1) @ w10 + b10
MODEL = {"w1": (4, 3), "b1": (3,), "w10": (3, 2), "b10": (2,)}
LETTERS = ("W", "b", "w", "B")  # other names for these, in this order


def observe_freeze(answer: Callable[..., Any], recipe: dict[str, Any]) -> Any:
    """Of the model's parameters, `off` do not require grad at first, `bare` have no .grad; `computed` is no leaf, but twice a leaf."""
    keep, off, computed = recipe["keep"], recipe["off"], recipe["computed"]
    bare = recipe.get("bare", ())
    rng = np.random.default_rng(recipe["seed"])
    names = recipe.get("names", MODEL)
    params = {name: mg.tensor(rng.normal(size=shape), requires_grad=True) for name, shape in zip(names, MODEL.values(), strict=True)}
    if computed:
        params[computed] = params[computed] * 2
    for name in off:
        params[name].requires_grad_(False)
    leaves_before = [name for name in params if name != computed]
    for name in leaves_before:
        params[name].grad = None if name in bare else mg.ones_like(params[name]) * 7
    mine, named = dict(params), list(keep)  # what the model holds; what is to be kept
    values = {name: p.detach().clone() for name, p in mine.items()}
    answer(params, keep)
    w1, b1, w10, b10 = mine.values()
    hidden = mg.tensor(rng.normal(size=(5, 4))) @ w1 + b1
    loss = (hidden.relu() @ w10 + b10).sum()
    return {
        "requires_grad": {name: p.requires_grad for name, p in mine.items()},
        "nodes in the graph of the loss": len(nodes_of(loss)),
        "the names in `params`": list(params),
        "`params` holds the same tensor as before": {name: params.get(name) is p for name, p in mine.items()},
        "the values have changed by": {name: mine[name].detach() - values[name] for name in mine},
        "`.grad` is as before": {
            name: (None if (grad := mine[name].grad) is None else grad.tolist())
            == (None if name in bare else (values[name] * 0 + 7).tolist())
            for name in leaves_before
        },
        "`keep` is as before": list(keep) == named,
    }


def freeze_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, keep: Any, off: tuple[str, ...] = (), computed: str = "") -> Case:
        seed = int(rng.integers(2**31))
        return Case(f"{label} of {', '.join(MODEL)}", ({"seed": seed, "keep": keep, "off": off, "computed": computed},))

    return [
        case("keep the second layer, w10 and b10,", {"w10", "b10"}),
        case("keep the first layer, w1 and b1, given as a list,", ["w1", "b1"]),
        case("keep b1", {"b1"}),
        case("keep nothing", set()),
        case("keep everything", set(MODEL)),
        case("keep w10 and b10, where b10 and w1 were frozen before,", ["b10", "w10"], off=("b10", "w1")),
        case("keep w10 and b10, where w1 is no leaf,", ["w10", "b10"], computed="w1"),
    ]


def freeze_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, keep: Any, off: tuple[str, ...] = ()) -> Case:
        recipe = {"seed": int(rng.integers(2**31)), "keep": keep, "off": off, "computed": ""}
        return Case(f"{label} of {', '.join(MODEL)}", (recipe,))

    return [
        case("keep nothing, given as an empty list,", []),
        case("keep everything, where all were frozen before,", list(MODEL), off=tuple(MODEL)),
        case("keep w1, where all were frozen before,", {"w1"}, off=tuple(MODEL)),
        Case(
            f"keep w and b of {', '.join(LETTERS)}",
            ({"seed": int(rng.integers(2**31)), "keep": ["w", "b"], "off": (), "computed": "", "names": LETTERS},),
        ),
        Case(
            f"keep w1 and b1, where b1 was frozen before, and neither they nor b10 have a .grad, of {', '.join(MODEL)}",
            ({"seed": int(rng.integers(2**31)), "keep": ["w1", "b1"], "off": ("b1",), "computed": "", "bare": ("w1", "b1", "b10")},),
        ),
    ]


TASK = Part(
    id="01.5",
    title="Freeze",
    difficulty=2,
    minutes=5,
    requirements=(
        Requirement(
            "A tensor whose name is in `keep` requires grad; it may have been frozen before.",
            ("kept ones are not switched on", "the wrong half"),
        ),
        Requirement(
            "A tensor whose name is not in `keep` does not. Names are compared as a whole.",
            ("part of a name", "small letters for large ones", ".grad is set to None"),
        ),
        Requirement(
            "Do this to the tensors themselves, because other people hold them too; leave the dict as it is.",
            ("a new tensor in the dict", "a new tensor in a local name"),
        ),
        Requirement(
            "Leave their values and their `.grad` alone.",
            (".grad is thrown away, too", ".grad is filled with zeros"),
            attacks=("writes into its inputs",),
        ),
        Requirement(
            "If a tensor that must be frozen is no leaf, let the engine's own error come out.",
            ("detach_ on anything", "the error is swallowed"),
        ),
    ),
    cases=freeze_cases,
    edges=freeze_edges,
    observe=observe_freeze,
    may_change_inputs=True,
)
