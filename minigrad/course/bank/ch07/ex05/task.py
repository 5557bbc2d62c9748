"""07.5 Three doors to one error: what is asked, and what is seen of an answer."""

from __future__ import annotations

import dis
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch07.common import FREED
from minigrad.course.bank.shared import random_tensor
from minigrad.course.bank.watching import calls_counted
from minigrad.course.exercise import Case, Part, Requirement

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
    kept: list[bool] = []  # for each call, whether it was told to keep the graph
    x.register_hook(lambda g: passes.append(1))
    x.register_post_accumulate_grad_hook(lambda leaf: written.append(1))  # backward does that, autograd.grad does not

    def pack(t: Any) -> Any:
        packed.append(1)
        return t

    end: dict[str, Any] = {"the end": "nothing was raised"}
    with (
        mg.autograd.graph.saved_tensors_hooks(pack, lambda t: t),
        calls_counted(mg, lambda arguments: kept.append(bool(arguments.get("retain_graph")))),
    ):
        try:
            getattr(answer, name)(x)
        except AttributeError as error:
            if "_saved_" not in str(error):
                raise
            end = {"the end": "AttributeError: the node has saved nothing of that name"}
        except RuntimeError as error:
            if FREED in str(error):
                end = {"the end": f"RuntimeError: … {FREED} …", "raised by": who_raised(error)}
                if len(passes) == 1:  # with more the graph was kept or made anew, and that is told
                    end["retain_graph"] = "used" if any(kept) else "not used"
            elif "only for scalar outputs" in str(error):
                end = {"the end": "RuntimeError: grad can be implicitly created only for scalar outputs"}
            else:
                raise
    if end["the end"] == "nothing was raised":
        end["passes that reached x"] = len(passes)
        if passes:
            end["something was saved"] = bool(packed)
    return end | {
        "passes that went well before": ("none", "one", "more than one")[min(len(passes), 2)],
        # For a look it does not matter which call made the pass.
        **({} if name == "look" else {"x.grad was written": bool(written)}),
    }


TASK = Part(
    id="07.5",
    title="Three doors to one error",
    difficulty=2,
    minutes=7,
    requirements=(
        Requirement("`twice(x)`: by two calls of `backward`.", ("twice: once", "twice: nothing saved")),
        Requirement(
            "`grad_first(x)`: by `mg.autograd.grad` and then `backward`. `mg.autograd.grad(y, x)` returns a tuple with the "
            "gradient of the scalar `y`, and leaves `x.grad` as it is.",
            ("grad_first: the other way round", "grad_first: grad twice"),
        ),
        Requirement(
            "`look(x)`: by reading a saved array, after one pass that went well.",
            ("look: no array", "look: too soon", "look: a second pass"),
        ),
        Requirement(
            "Use no `retain_graph`, and no `raise` of your own. Let the error come out: the checker catches it.",
            (
                "twice: kept or made anew", "twice: kept, and a third", "grad_first: kept or made anew",
                "grad_first: kept, and a third", "look: kept, and a second",
            ),
        ),
    ),
    starter=DOORS_STARTER,
    cases=doors_cases,
    without={
        "edges": "the answer makes the programs itself; any leaf will do",
    },
    observe=watch_doors,
    may_change_inputs=True,
)
