"""14.6 once_differentiable: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch14.ex06.task import Draw
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}

ONCE_RULES = {
    "first": "right",
    "elsewhere": "right",
    "alone, grad": "no graph",
    "alone, backward": "no graph",
    "beside, grad": "wrong",
    "beside, backward": "wrong",
    "inside, grad": "unused",
    "inside, backward": "twice",
    "inside, allow_unused": "None",
    "both, grad": "wrong",
    "both, backward": "twice",
}


def once_believing(**believed: str) -> Callable[[Draw], dict[str, str]]:
    """The dict of somebody who is right except about rules whose names begin (with _ for a blank, __ for a comma and one)."""
    table = {
        name.replace("__", ", ").replace("_", " ").replace("allow unused", "allow_unused"): w for name, w in believed.items()
    }

    def answers(draw: Draw) -> dict[str, str]:
        def word(rule: str) -> str:
            return table.get(rule, table.get(rule.partition(",")[0], ONCE_RULES[rule]))

        return {key: word(rule) for key, rule, _ in draw}

    return answers


MISTAKES["nobody minds"] = Mistake(
    once_believing(alone="right", beside="right", inside="right", both="right", inside__allow_unused="right"),
    "`backward` runs without recording, because of the decorator. So what it returns knows nothing of x, and the second "
    "derivative cannot be right where it should go through it.",
)

MISTAKES["grad raises as backward does"] = Mistake(
    once_believing(inside__grad="twice", inside__allow_unused="twice", both__grad="twice"),
    "`backward()` runs the whole graph, comes to the node of the decorator, and raises. `autograd.grad(…, x)` runs only "
    "nodes that lead **to x**. The decorator's node leads nowhere, so it is never run, and nothing raises there. If "
    "x has another way, its part alone is the result; if not, x seems *not used*.",
)

WHOLE_GRAPH = (
    "`autograd.grad(…, x)` runs only nodes that lead to x. `backward()` runs the **whole** graph, and so it comes to the "
    "decorator's node, which raises."
)

MISTAKES["backward does not mind either"] = Mistake(
    once_believing(inside__backward="unused", both__backward="wrong"), WHOLE_GRAPH
)
MISTAKES["backward is wrong in silence"] = Mistake(once_believing(inside__backward="wrong"), WHOLE_GRAPH)

MISTAKES["a sum saves it"] = Mistake(
    once_believing(beside="no graph"),
    "Alone, the gradient of `Exp.apply(x)` has no graph. But beside it stands another term, whose gradient has one. The "
    "sum has a graph, the pass runs, and the part of Exp counts as a constant: a wrong number, and no error.",
)

MISTAKES["inside as alone"] = Mistake(
    once_believing(inside="no graph", both__grad="no graph"),
    "Here something nonlinear comes **after** Exp. So the cotangent `g` that reaches Exp requires grad, and the "
    "decorator gives its result a node that raises when it is run. The gradient has a graph, though one without a way "
    "to x.",
)

MISTAKES["elsewhere"] = Mistake(
    once_believing(elsewhere="wrong"),
    "In this line Exp is applied to `w`, a constant. No gradient goes through it, so the decorator is never asked.",
)

MISTAKES["a constant raises"] = Mistake(
    once_believing(elsewhere="twice"),
    "Here Exp gets the constant `w`: its result has no node at all, and what stands beside it is differentiated twice "
    "without it.",
)

MISTAKES["the first raises"] = Mistake(
    once_believing(first="twice"),
    "This line differentiates **once**, and that is what the decorator allows.",
)

MISTAKES["a way is there"] = Mistake(
    once_believing(both__grad="unused"),
    "x has a way into this gradient beside Exp, so it is not unused. The pass runs along that way, and the part that goes "
    "through Exp is missing: a wrong number, and no error.",
)

MISTAKES["None without being asked"] = Mistake(
    once_believing(inside__grad="None"),
    "None in the place of the error *not used* must be asked for, by `allow_unused=True`. This line does not ask.",
)

MISTAKES["a constant is asked for ways"] = Mistake(
    once_believing(alone="unused"),
    "It does not come so far. `Exp.apply` is the last nonlinear step, so its gradient is a constant without a graph, and that "
    "is said first: *does not require grad*.",
)

MISTAKES["it always raises"] = Mistake(
    once_believing(
        elsewhere="twice", alone="twice", beside="twice", inside="twice", both="twice", inside__allow_unused="twice"
    ),
    "You trust the decorator to raise. It can raise only if the pass runs **through** it: it puts a node into the "
    "graph of the gradient, and only if the cotangent `g` that comes in requires grad. When `Exp.apply(x)` is the "
    "last nonlinear step, `g` is a constant, no node is put there, and that part of the gradient is a constant, "
    "silently. Where you may not trust it, compare with differences of the gradient.",
)

MISTAKES["None is an error"] = Mistake(
    once_believing(inside__allow_unused="unused"),
    "`allow_unused=True` turns the error *not used* into None. (That is why it is dangerous here: the honest answer was "
    "neither None nor zero.)",
)
