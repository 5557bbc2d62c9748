"""07.4 The wrong fix: what is asked, and what is seen of an answer."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch07.common import FREED, NO_HISTORY, is_kept
from minigrad.course.bank.shared import random_tensor
from minigrad.course.exercise import Case, Part, Requirement
from minigrad.course.helpers.graphs import nodes_of
from minigrad.course.judging.compare import unfit

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


def growth(nodes: list[int]) -> str:
    """In words, how a graph changes that has not so many nodes in each step."""
    if all(before < after for before, after in itertools.pairwise(nodes)):
        return "grows from step to step"
    return "larger in all later steps" if len(set(nodes[1:])) == 1 and nodes[0] < nodes[1] else "not the same in all steps"


def watch_learn(answer: Callable[..., Any], w: Any, h: Any, xs: list[Any], step: Any, loss_of: Any) -> Any:
    given: list[Any] = []
    states: list[bool] = []
    losses: list[Any] = []
    nodes: list[int] = []
    reached: list[bool] = []  # for each loss, whether w is behind it
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
        behind = nodes_of(loss)
        nodes.append(len(behind))
        reached.append(any(getattr(node, "variable", None) is w for node in behind))
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
        seen["the graph behind a loss"] = growth(nodes)
        seen["passes before each loss"] = before  # where nothing grows, it does not matter when the passes are made
    if w.grad is None:
        seen["the w that step was given"] = "yours" if all(v is w for v in given) else "another"
        seen["the losses hang on w"] = all(reached)
    return seen | {
        "cost_kept": any(is_kept(loss, w) for loss in losses),
        "cost_steps": len(given),
    }


def learn_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    w, h, x = random_tensor(rng, dtype, 2, leaf=True), mg.zeros(2, dtype=dtype), random_tensor(rng, dtype, 2)
    return [Case("one step, from a state of zeros", (w, h, [x], lambda w, h, x: mg.tanh(w * (h + x)), lambda h: h.sum()))]


TASK = Part(
    id="07.4",
    title="The wrong fix",
    difficulty=3,
    minutes=9,
    requirements=(
        Requirement(
            "`w` is a leaf whose `.grad` is None; `h` is a constant, and `xs` is a list of Tensors.",
            ("the weight detached", "another weight", "w was moved"),
        ),
        Requirement("The states themselves are those of the loop below. Return the last one.", ("the state forgotten",)),
        Requirement(
            "The graph behind each loss must be as large in the last step as in the first. The checker counts its nodes.",
            ("retain_graph",),
        ),
        Requirement(
            "`w.grad` holds the sum of the gradients of all losses, each through its own step only.",
            ("all steps, one pass at the end", "only the last step counts", "detached before use"),
        ),
    ),
    starter=LEARN_STARTER,
    cases=learn_cases,
    edges=learn_edges,
    observe=watch_learn,
    may_change_inputs=True,
)
