"""The graph: leaves, grad_fn, requires_grad.

Exercises 01.1 to 01.6: predictions of small programs, graphs to build, and walks over graphs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.compare import Unfit, differences, unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch01 import target_graph  # noqa: F401
from minigrad.course.helpers.graphs import class_of, nodes_of

Passport = tuple[bool, bool, str | None]
Draw = list[tuple[str, str, str]]  # (key, rule, code): one line of a program and the rule that it asks about


def state_of(t: Any) -> Any:
    """What an answer that only looks at a tensor leaves as it is."""
    grad = t.grad if t.is_leaf else None
    return {
        "the values": t.tolist(),
        "`requires_grad`": t.requires_grad,
        "`.grad`": None if grad is None else grad.tolist(),
        "what `retain_grad()` sets": t.retains_grad,
    }


def changes(before: dict[str, Any], tensors: dict[str, Any]) -> list[str]:
    """What is not as it was, given each tensor's state from before."""
    now = {name: state_of(t) for name, t in tensors.items()}
    return [f"{what} of {name}" for name in now for what in now[name] if now[name][what] != before[name][what]]


def run(source: str) -> dict[str, Any]:
    """The variables that a small program leaves behind."""
    space: dict[str, Any] = {"mg": mg}
    exec(source, space)
    return space


# --- 01.1 Passport control ----------------------------------------------------------------------------------

PASSPORT_SETUP = """\
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = w * 2
k = mg.tensor([4.0, 5.0, 6.0])
n = mg.tensor([7, 8, 9])
"""

# Every program has one line of each rule, in any order: 56 lines, over a million programs.
PASSPORT = {
    "constants": [
        "k * 2",
        "k + k",
        "k * n",
        "n * 2",
        "k.sum()",
        "k.exp()",
        "k[0]",
        "k.view(3, 1)",
        "k.clone()",
    ],
    "one is enough": ["w * k", "k + w", "2 * w", "w * n", "h + 1", "k * h", "w + h", "w.exp()", "h.sum()"],
    "copies": ["w.clone()", "h.clone()", "w + 0", "w * 1", "w.double()", "h.double()"],
    "windows": ["w[0]", "h[0]", "w[1:]", "h[:2]", "w.view(3, 1)", "h.view(3, 1)"],
    "cuts": [
        "w.detach()",
        "h.detach()",
        "w.data",
        "h.data",
        "h.detach() * 2",
        "w.detach().clone()",
        "w.data + k",
    ],
    "no_grad": ["w * 3", "h + w", "w.clone()", "h.exp()", "w.sum()", "w + k"],
    "new leaves": [
        "w.detach().requires_grad_()",
        "h.detach().requires_grad_()",
        "k.clone().requires_grad_()",
        "(k * 2).requires_grad_()",
        "mg.ones(3, requires_grad=True)",
        "w.float()",
        "w.requires_grad_()",
    ],
    "no slope": ["w > 2", "h == k", "w.argmax()", "w.long()", "mg.zeros_like(w)", "mg.ones_like(h)"],
}


def passport_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(PASSPORT))]
    return [(key, rule, str(rng.choice(PASSPORT[rule]))) for key, rule in zip("pqrstuvx", rules, strict=True)]


def passport_program(draw: Draw) -> str:
    lines = []
    for key, rule, code in draw:
        lines += ["with mg.no_grad():", f"    {key} = {code}"] if rule == "no_grad" else [f"{key} = {code}"]
    return PASSPORT_SETUP + "\n" + "\n".join(lines)


def passport_of(t: Any) -> Passport:
    return t.is_leaf, t.requires_grad, None if t.grad_fn is None else class_of(t.grad_fn)


def passports(draw: Draw) -> dict[str, Passport]:
    """Run the program and look."""
    space = run(passport_program(draw))
    return {key: passport_of(space[key]) for key, _, _ in draw}


def passports_by_rule(draw: Draw) -> dict[str, Passport]:
    """Without looking at the flags: the rule decides; only the name of a recorded operation is asked for."""
    space, kinds = run(passport_program(draw)), dict.fromkeys(PASSPORT, (True, False, None))
    kinds["new leaves"] = (True, True, None)
    answers: dict[str, Passport] = {key: kinds[rule] for key, rule, _ in draw}
    for key, rule, _ in draw:
        if rule in ("one is enough", "copies", "windows"):
            answers[key] = (False, True, space[key].grad_fn.name())
    return answers


def if_recorded(code: str) -> str:
    """The name that the line's operation would have, were everything differentiable and nothing cut off."""
    uncut = code.replace(".detach()", "").replace(".data", "")
    result = run(f"w, h, k, n = [mg.ones(3, requires_grad=True) * 1 for _ in range(4)]\nx = {uncut}")["x"]
    return "CloneBackward0" if result.grad_fn is None else class_of(result.grad_fn)


def belief(rule: str, passport: Callable[[str], Passport], hint: str) -> Mistake:
    """Somebody is right except about the lines of one rule, where they write passport(code).

    The second form also forgets the digit of every name further down: the first wrong line decides.
    """

    def predict(draw: Draw) -> dict[str, Passport]:
        return passports(draw) | {key: passport(code) for key, its_rule, code in draw if its_rule == rule}

    def predict_carelessly(draw: Draw) -> dict[str, Passport]:
        answers = predict(draw)
        keys = list(answers)
        at = next(i for i, (_, its_rule, _) in enumerate(draw) if its_rule == rule)
        for key in keys[at + 1 :]:
            is_leaf, requires_grad, name = answers[key]
            answers[key] = is_leaf, requires_grad, name and name.removesuffix("0")
        return answers

    return Mistake(predict, hint, predict_carelessly)


def slip(change: Callable[[Passport], Passport], hint: str) -> Mistake:
    """Somebody is right, but writes the passports in another way; in the second form only the first such one."""

    def predict(draw: Draw) -> dict[str, Passport]:
        return {key: change(right) for key, right in passports(draw).items()}

    def predict_once(draw: Draw) -> dict[str, Passport]:
        right = passports(draw)
        first = next(key for key, value in right.items() if change(value) != value)
        return right | {first: change(right[first])}

    return Mistake(predict, hint, predict_once)


NO_HISTORY = (
    "History exists only if some input requires grad. Here none does, so nothing was recorded: no "
    "`grad_fn`, and no history means **leaf**. A constant computed from constants is a leaf like any "
    "other."
)
COPY = (
    "`clone`, `+ 0`, `* 1` and `double()` are all recorded; only `detach` is not. The numbers may be the "
    "same, but the result came out of an operation on a tracked tensor. So it has a `grad_fn`, and it is no leaf."
)
ENOUGH = (
    "One input that requires grad is enough: the operation is recorded, and the result "
    "requires grad too. The constants in it are only edges that lead nowhere."
)
WINDOW = (
    "`[0]`, `[1:]` and `view` are operations too, each with its node (SelectBackward0, SliceBackward0, "
    "ViewBackward0). The engine must know which part of `w` the result shows, or it could not send the "
    "gradient back to the right place. No leaf."
)
CUT = (
    "`detach()` and `.data` hand out the same numbers **without the history**: the result is a constant, "
    "`requires_grad` is False, and so is everything computed from it alone. A tensor without history is a "
    "leaf."
)
MODE = (
    "Under `no_grad` nothing is recorded, whatever the inputs are. The result has no `grad_fn`, does not "
    "require grad, and, having no history, is a leaf."
)
FRESH = (
    "Nothing was recorded *behind* this tensor, and it requires grad: that is a leaf whose gradient is "
    "wanted. `requires_grad_()` sets the flag on the tensor itself. And `w.float()` has nothing to "
    "convert: it returns `w`."
)
SLOPE = (
    "A comparison, an index and an integer have no slope, so the engine does not record them; "
    "`zeros_like` and `ones_like` take only shape and dtype from `w`. The result is a constant: a leaf "
    "that does not require grad."
)

BY_RULE = {
    "constants": NO_HISTORY,
    "one is enough": ENOUGH,
    "copies": COPY,
    "windows": WINDOW,
    "cuts": CUT,
    "no_grad": MODE,
    "new leaves": FRESH,
    "no slope": SLOPE,
}


def say_passport(case: Case, got: Any, expected: Any) -> str | None:
    """Why the first wrong passport cannot be right, where no known belief gives it."""
    wrong = [d.path[0] for d in differences(got, expected, 0.0)]
    told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
    if not told:
        return "" if wrong else None
    mine, right = got[told[0]], expected[told[0]]
    if not isinstance(mine, list | tuple) or len(mine) != 3:
        return "A passport is a tuple of three, in round brackets: `(is_leaf, requires_grad, grad_fn)`."
    is_leaf, requires_grad, name = mine
    if ... in mine:
        return ""
    if not (isinstance(is_leaf, bool) and isinstance(requires_grad, bool) and isinstance(name, str | None)):
        return "The first two are `True` or `False`; the third is a node's name as a string, or `None`."
    if is_leaf != (name is None):
        return "No tensor has this passport. A leaf has no `grad_fn`, and what is no leaf has one."
    if not is_leaf and not requires_grad:
        return "No tensor has this passport. A node is left only for a result that requires grad."
    if not is_leaf and not right[0]:
        if name and name.casefold() == right[2].casefold():
            return f"Nearly: copy the name from the table, capital letters and all: `{right[2]}`."
        return "Recorded it was. But the node has another name: it is named after the operation that came last."
    rule = next(rule for key, rule, _ in case.args[0] if key == told[0])
    return BY_RULE[rule]


register(
    Exercise(
        id="01.1",
        title="Passport control",
        difficulty=1,
        minutes=8,
        reference=passports,
        draws=passport_draw,
        program=passport_program,
        name="passports",
        accept=say_passport,
        alternatives={"by the rules": passports_by_rule},
        mistakes={
            "a result is never a leaf": belief("constants", lambda code: (False, False, None), NO_HISTORY),
            "recorded without requiring grad": belief(
                "constants", lambda code: (False, False, if_recorded(code)), NO_HISTORY
            ),
            "everything is recorded": belief("constants", lambda code: (False, True, if_recorded(code)), NO_HISTORY),
            "a constant switches recording off": belief(
                "one is enough",
                lambda code: (True, False, None),
                ENOUGH,
            ),
            "a copy is a new leaf": belief("copies", lambda code: (True, True, None), COPY),
            "a copy is a constant": belief("copies", lambda code: (True, False, None), COPY),
            "a part of a leaf is a leaf": belief("windows", lambda code: (True, True, None), WINDOW),
            "a part is a constant": belief("windows", lambda code: (True, False, None), WINDOW),
            "detach keeps requires_grad": belief("cuts", lambda code: (True, True, None), CUT),
            "detach cuts nothing": belief("cuts", lambda code: (False, True, if_recorded(code)), CUT),
            "a detached tensor is no leaf": belief("cuts", lambda code: (False, False, None), CUT),
            "no_grad records, backward skips": belief("no_grad", lambda code: (False, True, if_recorded(code)), MODE),
            "no_grad only clears the flag": belief("no_grad", lambda code: (False, False, if_recorded(code)), MODE),
            "a result under no_grad is no leaf": belief("no_grad", lambda code: (False, False, None), MODE),
            "no_grad keeps the flag": belief("no_grad", lambda code: (True, True, None), MODE),
            "a call never gives a leaf": belief("new leaves", lambda code: (False, True, if_recorded(code)), FRESH),
            "the grad_fn of a leaf": belief(
                "new leaves",
                lambda code: (True, True, "AccumulateGrad"),
                "AccumulateGrad waits *at* a leaf, in the graph of whatever uses it. The leaf's own `grad_fn` is None.",
            ),
            "made from w, so tracked": belief("no slope", lambda code: (False, True, if_recorded(code)), SLOPE),
            "a flag without history": belief("no slope", lambda code: (True, True, None), SLOPE),
            "None in quotes": slip(
                lambda p: (p[0], p[1], str(p[2])), "Write Python's `None`, without quotes, where there is no node."
            ),
            "a name without its digit": slip(
                lambda p: (p[0], p[1], p[2] and p[2].removesuffix("0")),
                "The name of a node ends in a digit: `MulBackward0`. Copy it from the table.",
            ),
        },
        hints=(
            "Ask two questions of each line. Was an operation **recorded** here? It was if at least one "
            "input requires grad, the result can have a slope, and recording is on. If not: was "
            "`requires_grad` **asked for** on this very tensor? The first gives a non-leaf, the second a "
            "leaf that requires grad, neither gives a constant.",
            "There are only three kinds of passport:\n\n| | `is_leaf` | `requires_grad` | `grad_fn` |\n"
            "|---|---|---|---|\n| recorded result | False | True | a name |\n| leaf that requires grad | "
            "True | True | None |\n| constant | True | False | None |\n\nSort the eight names into these "
            "rows.",
            "Four of the eight are constants and one is a leaf that requires grad. The other three were "
            "recorded; take their names from the table in the statement:\n\n```python\npassports = {\n"
            '    "p": (False, True, "...Backward0"),\n    "q": (True, False, None),\n    ...\n}\n```',
        ),
        explanation="""\
Of the eight combinations that three yes-or-no answers allow, only three ever occur:

| | `is_leaf` | `requires_grad` | `grad_fn` | here |
|---|---|---|---|---|
| recorded result | False | True | a name | an input is tracked; copies and windows too |
| leaf that requires grad | True | True | None | you asked for `requires_grad` on the tensor itself |
| constant | True | False | None | only constants in; cut off; under `no_grad`; no slope |

So one question does most of the work: *was it recorded?* It was if **some** input requires grad, **and**
recording is on, **and** the result can have a slope. What was not recorded has no history, and what has no
history is a leaf. `clone`, `view` and `[ ]` are recorded because a gradient must find its way back through
them. `detach` exists for not being recorded.
""",
    )
)


# --- 01.2 Draw to code --------------------------------------------------------------------------------------


def build(a, b, c):
    """Build the graph in the picture. a, b, c: 0-dim leaves that require grad. Returns the last tensor."""
    s = a * b
    return (s - c) / (s.exp() + 1)


def build_reordered(a, b, c):
    s = b * a
    below = mg.tensor(2.5) + mg.exp(s)
    return mg.div(mg.sub(s, c), below)


def build_inline(a, b, c):
    return ((s := a.mul(b)).sub(c)).div(s.exp().add(mg.ones_like(a)))


def quotient(s, t, c):
    """The graph above the product; s and t are to be the same tensor."""
    return (s - c) / (t.exp() + 1)


def build_sloppily(a, b, c, constant=1, flip=False, top=mg.sub):
    """The picture in another spelling, with something to get wrong in three places."""
    s = mg.mul(b, a)
    above, below = top(s, c), s.exp() if constant is None else constant + mg.exp(s)
    return mg.div(below, above) if flip else above / below


COMMUTES = {"AddBackward0", "MulBackward0"}


def listing(t: Any, leaves: dict[str, Any]) -> list[str]:
    """A graph in words: two graphs have the same ones if and only if they are isomorphic, where no two nodes of the
    one compute the same. A line is a node and its inputs, by number; those of + and * may swap.
    """
    names = {id(leaf): name for name, leaf in leaves.items()}
    written: dict[Any, str] = {}  # each node with everything behind it, written out

    def write(node: Any) -> str:
        if node is None:
            return "None"
        if hasattr(node, "variable"):
            return names.get(id(node.variable), "another leaf")
        if node not in written:
            written[node] = f"{class_of(node)}({', '.join(write(child) for child in inputs(node))})"
        return written[node]

    def inputs(node: Any) -> list[Any]:
        children = [child for child, _ in node.next_functions]
        return sorted(children, key=write) if class_of(node) in COMMUTES else children

    write(t.grad_fn)
    nodes = sorted(written, key=lambda node: (len(written[node]), written[node]))
    number = {node: str(k) for k, node in enumerate(nodes, 1)}
    return [
        f"{number[node]}: {class_of(node)}({', '.join(number.get(child) or write(child) for child in inputs(node))})"
        for node in nodes
    ]


def observe_build(answer: Callable[..., Any], a: Any, b: Any, c: Any) -> Any:
    inputs = {"a": a, "b": b, "c": c}
    before = {name: state_of(t) for name, t in inputs.items()}
    result = answer(a, b, c)
    if not isinstance(result, mg.Tensor):
        return unfit(result, "a tensor: the last one, whose node is at the bottom of the picture")
    return {"graph": listing(result, inputs), "changed": changes(before, inputs)}


def say_graph(case: Case, got: Any, expected: Any) -> str | None:
    """Which operation is there too often or too rarely."""
    if got == expected:
        return None
    if got["changed"]:
        return f"Your function changed {' and '.join(got['changed'])}. It should only compute."
    if not got["graph"]:
        return "The tensor that you returned has no graph behind it: its `grad_fn` is None."
    have, want = (Counter(re.findall(r"\w+Backward\d", " ".join(seen["graph"]))) for seen in (got, expected))
    parts = [f"{count} {name} too many" for name, count in (have - want).items()]
    parts += [f"{count} {name} missing" for name, count in (want - have).items()]
    if parts:
        return f"Count the operations: {', '.join(parts)}."
    return "These are the right operations, joined in another way: follow each arrow once more."


def build_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaves(*values: float) -> tuple[Any, ...]:
        return tuple(mg.tensor(value, dtype=dtype, requires_grad=True) for value in values)

    return [
        Case("three numbers", leaves(*rng.uniform(0.5, 2.0, 3).tolist())),
        Case("other signs", leaves(*rng.uniform(-2.0, -0.5, 3).tolist())),
    ]


register(
    Exercise(
        id="01.2",
        title="Draw to code",
        difficulty=2,
        minutes=6,
        reference=build,
        cases=build_cases,
        without={
            "edges": "the graph is looked at, and it is the same for all numbers",
        },
        observe=observe_build,
        accept=say_graph,
        may_change_inputs=True,  # that is part of the observation
        alternatives={
            "inputs swapped, functions, another constant": build_reordered,
            "one line": build_inline,
        },
        mistakes={
            "the shared node is computed twice": Mistake(
                lambda a, b, c: quotient(a * b, a * b, c),
                "The picture has one MulBackward0 with **two** arrows coming in; you have two of them, "
                "with one arrow each. Every time the line runs, a new node is made. Compute it once and "
                "use its name twice.",
                lambda a, b, c: quotient(mg.mul(b, a), b * a, c),
            ),
            "one addition too many": Mistake(
                lambda a, b, c: build(a, b, c) + 0,
                "One node too many: an AddBackward0 comes last. `+ 0` changes no number, but it is an "
                "operation and it is recorded.",
                lambda a, b, c: 0.0 + build_sloppily(a, b, c),
            ),
            "one multiplication too many": Mistake(
                lambda a, b, c: build(a, b, c) * 1,
                "One node too many: a MulBackward0 comes last. `* 1` changes no number, but it is an "
                "operation and it is recorded.",
                lambda a, b, c: 1.0 * build_sloppily(a, b, c),
            ),
            "the difference the wrong way round": Mistake(
                lambda a, b, c: (c - (s := a * b)) / (s.exp() + 1),
                "SubBackward0 has an order: its left arrow leads to what stands left of the minus.",
                lambda a, b, c: build_sloppily(a, b, c, top=lambda s, c: mg.sub(c, s)),
            ),
            "the quotient upside down": Mistake(
                lambda a, b, c: ((s := a * b).exp() + 1) / (s - c),
                "DivBackward0 has an order: its left arrow leads to the numerator.",
                lambda a, b, c: build_sloppily(a, b, c, flip=True),
            ),
            "the constant is missing": Mistake(
                lambda a, b, c: ((s := a * b) - c) / s.exp(),
                "The dotted edge is missing. It is an input of AddBackward0 that leads nowhere: a "
                "constant was added there. Which number it was, the graph does not say.",
                lambda a, b, c: build_sloppily(a, b, c, constant=None),
            ),
            "the constant is a leaf that requires grad": Mistake(
                lambda a, b, c: ((s := a * b) - c) / (s.exp() + mg.ones_like(a).requires_grad_()),
                "The dotted edge leads nowhere: what was added there does not require grad. Yours does, "
                "so an AccumulateGrad waits at it.",
                lambda a, b, c: build_sloppily(a, b, c, constant=mg.tensor(3.0, requires_grad=True)),
            ),
        },
        hints=(
            "Read the picture against the arrows: begin at the leaves, at the top. Each node is one "
            "operation, its arrows lead to its inputs. A node that two arrows reach made a tensor that is "
            "used twice.",
            "`a` and `b` are multiplied, and that product is used **twice**. One of the arrows into it "
            "comes from the subtraction, the other from the exponential. The dotted edge is a plain "
            "number. The quotient is last.",
            "```python\ndef build(a, b, c):\n    s = ...                # the node with two arrows in\n"
            "    numerator = s - ...\n    denominator = ... + 1  # any number will do\n"
            "    return numerator / denominator\n```",
        ),
        explanation="""\
`s` is computed once and used twice, so its MulBackward0 stands once in the graph, and two arrows lead to it.
That sharing is the whole difference between a *graph* and a *tree*: written as
`(a * b - c) / ((a * b).exp() + 1)` the value is the same, but there are two multiplications to record, and
two to walk.

The checker compares graphs, not spelling: `b * a` and `1 + s.exp()` are as good, because the inputs of `+`
and `*` may swap. Those of `-` and `/` may not. Any number may stand for the `1`: the graph keeps only that
something constant was added there.
""",
    )
)


# --- 01.3 Find the leaves -----------------------------------------------------------------------------------


def leaves(t):
    """The leaves that a backward pass from t would reach: a list of tensors, each once, in any order."""
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo.extend(child for child, _ in node.next_functions)
    return found


def leaves_recursive(t):
    seen = {}

    def visit(node):
        if node is None or node in seen:
            return
        seen[node] = type(node).__name__ == "AccumulateGrad"
        for child, _ in node.next_functions:
            visit(child)

    visit(t.grad_fn)
    if t.is_leaf and t.requires_grad:
        return (t,)
    return {node.variable for node, is_end in seen.items() if is_end}


def leaves_by_levels(t):
    if t.is_leaf:
        return [t] if t.requires_grad else []
    level, seen = {t.grad_fn}, set()
    while level:
        seen |= level
        level = {child for node in level for child, _ in node.next_functions if child is not None} - seen
    return [node.variable for node in seen if "AccumulateGrad" in str(node)]


def leaves_every_path(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found, todo = [], [t.grad_fn]
    while todo:
        node = todo.pop()
        if node is None:
            continue
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo.extend(child for child, _ in node.next_functions)
    return found


def leaves_every_path_again(t):
    def below(node):
        if node is None:
            return []
        if hasattr(node, "variable"):
            return [node.variable]
        return sum((below(child) for child, _ in node.next_functions), [])

    return below(t.grad_fn) if t.grad_fn is not None else [t] * t.requires_grad


def leaves_late_set(t):
    return list({id(leaf): leaf for leaf in leaves_every_path(t)}.values())


def leaves_late_set_again(t):
    return set(leaves_every_path_again(t))


def leaves_with_constants(t):
    if t.grad_fn is None:
        return [t]
    return leaves(t)


def leaves_with_constants_again(t):
    return (t,) if t.is_leaf else leaves_recursive(t)


def leaves_not_itself(t):
    return [] if t.grad_fn is None else leaves(t)


def leaves_not_itself_again(t):
    return [node.variable for node in nodes_of(t) if hasattr(node, "variable")]


def leaves_no_start(t):
    return leaves(t) if t.grad_fn.next_functions else []


def leaves_no_start_again(t):
    todo = [child for child, _ in t.grad_fn.next_functions]
    return leaves_by_levels(t) if todo else []


def leaves_one_step(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found: list[Any] = []
    for node, _ in t.grad_fn.next_functions:
        if hasattr(node, "variable") and not any(leaf is node.variable for leaf in found):
            found.append(node.variable)
    return found


def leaves_one_step_again(t):
    if t.is_leaf:
        return leaves(t)
    return {node.variable for node, _ in t.grad_fn.next_functions if class_of(node) == "AccumulateGrad"}


def leaves_no_none(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found, seen, todo = [], set(), [t.grad_fn]
    while todo:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        todo.extend(child for child, _ in node.next_functions)
    return found


def leaves_no_none_again(t):
    seen, found = set(), []

    def visit(node):
        if node not in seen:
            seen.add(node)
            for child, _ in node.next_functions:
                visit(child)
            if class_of(node) == "AccumulateGrad":
                found.append(node.variable)

    if t.is_leaf:
        return leaves(t)
    visit(t.grad_fn)
    return found


def leaves_nodes(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    return [node for node in nodes_of(t) if hasattr(node, "variable")]


def leaves_nodes_again(t):
    if t.is_leaf:
        return leaves(t)
    return {node for node in nodes_of(t) if class_of(node) == "AccumulateGrad"}


def leaves_equal_values(t):
    values: dict[str, Any] = {}
    for leaf in leaves(t):
        values.setdefault(str(leaf.tolist()), leaf)
    return list(values.values())


def leaves_equal_values_again(t):
    found: list[Any] = []
    for leaf in leaves(t):
        if not any(leaf.shape == other.shape and bool((leaf == other).all()) for other in found):
            found.append(leaf)
    return found


def leaves_by_name(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    return [node.variable for node in nodes_of(t) if node.name() == "AccumulateGrad"]


def leaves_by_name_again(t):
    return leaves(t) if t.is_leaf else []


def leaves_in_list(t):
    if t.grad_fn is None:
        return [t] if t.requires_grad else []
    found = []
    for node in nodes_of(t):
        if hasattr(node, "variable") and node.variable not in found:
            found.append(node.variable)
    return found


def leaves_in_list_again(t):
    found: list[Any] = []
    for leaf in leaves(t):
        found += [] if leaf in found else [leaf]
    return found


def leaves_in_list_every_path(t):
    found = []
    for leaf in leaves_every_path(t):
        if leaf not in found:
            found.append(leaf)
    return found


def leaves_in_list_every_path_again(t):
    found: list[Any] = []
    for leaf in leaves_every_path_again(t):
        found += [] if leaf in found else [leaf]
    return found


class TooManyVisits(Exception):
    """The walk read far more edges than the graph has."""


class Watched:
    """Stands for a tensor or a node of a graph, and counts how often `next_functions` is read."""

    def __init__(self, real: Any, log: SimpleNamespace) -> None:
        self._real, self._log = real, log

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self._real)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __repr__(self) -> str:
        return repr(self._real)

    @property
    def grad_fn(self) -> Any:
        return watch(self._real.grad_fn, self._log)

    @property
    def next_functions(self) -> tuple[tuple[Any, int], ...]:
        self._log.reads += 1
        if self._log.reads > self._log.limit:
            raise TooManyVisits
        return tuple((watch(node, self._log), index) for node, index in self._real.next_functions)


def watch(real: Any, log: SimpleNamespace) -> Any:
    """The one Watched of this object in this log; its class is named as the object's."""
    if real is None:
        return None
    if real not in log.known:
        log.known[real] = type(type(real).__name__, (Watched,), {})(real, log)
    return log.known[real]


def ladder(levels: int) -> tuple[dict[str, Any], Any]:
    """Every rung uses the one before it twice: `levels` nodes, 2 ** levels paths."""
    x = mg.tensor(1.0, requires_grad=True)
    t = x * 0.5
    for _ in range(levels - 1):
        t = t + t
    return {"x": x}, t


def random_graph(rng: np.random.Generator, size: int) -> tuple[dict[str, Any], Any]:
    """Leaves, constants, reuse, indexing and branches that are cut off; the result is the last tensor."""
    found = {f"leaf {i}": mg.tensor(rng.normal(size=3).tolist(), requires_grad=True) for i in range(5)}
    pool = [*found.values(), mg.tensor(rng.normal(size=3).tolist())]
    for _ in range(size):
        i, j = rng.integers(len(pool), size=2)
        kind = rng.integers(6)
        if kind == 0:
            pool.append(pool[i].detach() + pool[j])
        elif kind == 1:
            pool.append(pool[i][:2].sum() * 0.1 + pool[j])
        elif kind == 2:
            pool.append(2 * mg.sin(pool[i]))
        else:
            pool.append(mg.sin(pool[i] * pool[j]) if kind % 2 else pool[i] - pool[j])
    return found, pool[-1] + pool[-2]


def leaf_graph(recipe: tuple[Any, ...]) -> tuple[dict[str, Any], Any]:
    """Named leaves and the tensor t whose leaves are asked for."""
    kind = recipe[0]
    if kind == "ladder":
        return ladder(recipe[1])
    if kind == "random":
        return random_graph(np.random.default_rng(recipe[1]), recipe[2])
    a, b = (mg.tensor(recipe[1] * factor, requires_grad=True) for factor in (1, 1 if kind == "twins" else 2))
    k = mg.tensor(recipe[1])
    t = {
        "product": lambda: a * b,
        "itself": lambda: a,
        "constant": lambda: k,
        "from constants": lambda: k * 2 + k,
        "one constant": lambda: (k * a).exp() + 1,
        "diamond": lambda: (a * b) * (a + b),
        "cut": lambda: (a * 2).detach() * b.exp(),
        "square": lambda: a * a,
        "twins": lambda: a * 2 + b * 3,
        "parts": lambda: mg.stack([a, b]).unbind()[1] * 3,
    }[kind]()
    return {"a": a, "b": b, "k": k}, t


def observe_leaves(answer: Callable[..., Any], recipe: tuple[Any, ...]) -> Any:
    found, t = leaf_graph(recipe)
    twins = recipe[0] == "twins"  # which of them is found does not matter, only whether both are
    names = {id(leaf): "a twin" if twins else name for name, leaf in found.items()}
    walks: list[int] = []
    for leaf in found.values():
        if leaf.requires_grad:
            leaf.register_hook(lambda g: walks.append(1))
    watched_for_changes = found | ({} if any(t is leaf for leaf in found.values()) else {"t": t})
    before = {name: state_of(tensor) for name, tensor in watched_for_changes.items()}
    if recipe[0] == "ladder":
        nodes = nodes_of(t)
        log = SimpleNamespace(known={}, reads=0, limit=20 * len(nodes))
        t = watch(t, log)
    try:
        returned = answer(t)
    except TooManyVisits:
        return {"the leaves": f"stopped after {log.limit} reads of next_functions in a graph of {len(nodes)} nodes"}
    if not isinstance(returned, list | tuple | set | frozenset):
        return unfit(returned, "a list of tensors")

    def told(thing: Any) -> str:
        if id(thing) in names:
            return names[id(thing)]
        if thing is t:
            return "`t` itself, a result"
        if hasattr(thing, "variable"):
            return f"the node {class_of(thing)}"
        if not isinstance(thing, mg.Tensor):
            return f"no tensor, but {class_of(thing)}"
        like = [name for name, leaf in found.items() if leaf.tolist() == thing.tolist()]
        return f"another tensor with the numbers of {like[0]}" if like else "another tensor"

    return {
        "the leaves": sorted(told(thing) for thing in returned),
        "what your function changed": changes(before, watched_for_changes),
        "backward passes": "some" if walks else "none",
    }


def leaves_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    value = float(rng.uniform(0.5, 1.5))
    small = {
        "a * b": "product",
        "a leaf itself": "itself",
        "a constant": "constant",
        "computed from constants": "from constants",
        "one constant among the inputs": "one constant",
        "the same leaf twice": "square",
        "two ways to each leaf": "diamond",
        "one branch is detached": "cut",
        "two leaves with equal values": "twins",
        "one part of a stack": "parts",
    }
    cases = [Case(label, ((kind, value),)) for label, kind in small.items()]
    for size in (6, 15, 40):
        cases.append(Case(f"a random graph of {size} steps", (("random", int(rng.integers(2**31)), size),)))
    return [*cases, Case("a ladder of 25 diamonds", (("ladder", 26),))]


TWINS = (
    "Two leaves with equal values were taken for one. Tensors are told apart by identity (`is`), not by "
    "their numbers: `in` on a list of tensors compares numbers. Sets and dicts go by identity. Better "
    "still: remember the *nodes* that you have seen."
)
LEAF_ITSELF = (
    "`t` may be a leaf itself: then its `grad_fn` is None, and there is no node to start from. The answer is "
    "`[t]` if it requires grad, else `[]`. (`a.backward()` on a 0-dim leaf does put 1 in `a.grad`.)"
)

register(
    Exercise(
        id="01.3",
        title="Find the leaves",
        difficulty=3,
        minutes=10,
        reference=leaves,
        cases=leaves_cases,
        without={
            "edges": "the graphs themselves are special: a leaf, a constant, twins, a ladder",
        },
        observe=observe_leaves,
        alternatives={"recursive": leaves_recursive, "level by level": leaves_by_levels},
        mistakes={
            "every path is walked": Mistake(
                leaves_every_path,
                "A leaf that can be reached on two paths came twice: you walk *paths*, and a graph has "
                "many more paths than nodes. On the ladder of 25 diamonds you would walk 2^25 of them. "
                "Remember the nodes that you have visited, and skip those.",
                leaves_every_path_again,
            ),
            "duplicates are removed at the end": Mistake(
                leaves_late_set,
                "The list is right, but you walked 2^25 paths to get it: a set at the end is too late. "
                "Remember visited *nodes*, and skip them during the walk.",
                leaves_late_set_again,
            ),
            "a constant counts as a leaf to find": Mistake(
                leaves_with_constants,
                "A constant is a leaf by its flag, but no gradient ever comes there. If `t` does not "
                "require grad, the answer is an empty list.",
                leaves_with_constants_again,
            ),
            "t may be a leaf itself": Mistake(
                leaves_not_itself,
                LEAF_ITSELF,
                leaves_not_itself_again,
            ),
            "the start is None": Mistake(leaves_no_start, LEAF_ITSELF, leaves_no_start_again),
            "one step only": Mistake(
                leaves_one_step,
                "You looked one step back. The nodes there have `next_functions` of their own: keep a "
                "list of nodes still to visit, and go on until it is empty.",
                leaves_one_step_again,
            ),
            "None is not skipped": Mistake(
                leaves_no_none,
                "None edges are constants: `next_functions` holds `(None, 0)` for an input that does not "
                "require grad. Nothing is behind it; skip it.",
                leaves_no_none_again,
            ),
            "nodes instead of tensors": Mistake(
                leaves_nodes,
                "These are the AccumulateGrad nodes. The tensor that such a node fills is its `.variable`.",
                leaves_nodes_again,
            ),
            "the name of AccumulateGrad": Mistake(
                leaves_by_name,
                'No leaf was found. If you ask for `node.name() == "AccumulateGrad"`: the `name()` of '
                "this node only ends so, after `::autograd::`, as in PyTorch. Ask for `hasattr(node, "
                '"variable")`.',
                leaves_by_name_again,
            ),
            "equal is not identical": Mistake(leaves_equal_values, TWINS, leaves_equal_values_again),
            "in compares numbers": Mistake(leaves_in_list, TWINS, leaves_in_list_again),
            "in compares numbers, on every path": Mistake(leaves_in_list_every_path, TWINS, leaves_in_list_every_path_again),
        },
        hints=(
            "A walk needs two containers: the nodes still **to visit**, and the nodes already **seen**. "
            "Start with `t.grad_fn`; for each node, look at its `next_functions`. The walk ends at nodes "
            "that have a `.variable`.",
            "In the first picture of the lesson: AddBackward0, its two children, then AccumulateGrad of "
            "`a`, of `b`, of `c`. Two arrows lead to AccumulateGrad of `b`: when you come along the "
            "second one, it is in `seen`. A dotted edge is a `None` in `next_functions`.",
            "```python\ndef leaves(t):\n    if t.grad_fn is None:\n"
            "        return ...          # a leaf itself: wanted or constant?\n"
            "    found, seen, todo = [], set(), [t.grad_fn]\n    while todo:\n        node = todo.pop()\n"
            "        if node is None or node in ...:\n            continue\n        seen.add(node)\n"
            '        if hasattr(node, "variable"):\n            found.append(...)\n'
            "        for child, _ in node.next_functions:\n            todo.append(...)\n"
            "    return found\n```",
        ),
        explanation="""\
Two things make this a walk over a *graph*. `None` among the `next_functions` is an input that needs no
gradient: nothing is behind it. And a node that was seen is never entered again. Without the second the walk
follows every *path*: each diamond doubles their number, and 25 diamonds have 2²⁵ = 33,554,432 paths over some
thirty nodes. Removing duplicates from the result does not help; the time is spent by then.

`seen` holds nodes, which are told apart by identity. A leaf has one AccumulateGrad however often it is used,
so no leaf can come twice. `backward()` begins with the same walk: it must know what lies behind before it
starts. A recursive version is as right here; on a chain of some thousand operations Python's recursion limit
stops it, and chapter 02 shows how to do without.
""",
    )
)


# --- 01.4 Why is .grad None? --------------------------------------------------------------------------------

LEAF_X = "x = mg.tensor([1.0, 2.0], requires_grad=True)\n"
LEAF_W = "w = mg.tensor([3.0, 4.0], requires_grad=True)\n"

# Snippets at whose end `x.grad` is None, by reason.
WHY_NONE = {
    "not_called": [
        LEAF_X + "L = (x * x).sum()",
        LEAF_X + "L = (x * x).sum()\nL.backward",
        LEAF_X + "y = x.exp()\nL = y.sum()\nvalue = L.item()",
        LEAF_X + LEAF_W + "for _ in range(3):\n    L = (x * w).sum()",
    ],
    "rebound": [
        LEAF_X + "(x * x).sum().backward()\nx = x - 0.1 * x.grad",
        LEAF_X + "x = x * 2\nx.sum().backward()",
        LEAF_X + "x = x.double()\n(x * x).sum().backward()",
        LEAF_X + "(x * x).sum().backward()\nwith mg.no_grad():\n    x = x - 0.1 * x.grad",
        LEAF_X + "x = x.view(2, 1)\nx.exp().sum().backward()",
    ],
    "no_rg": [
        "x = mg.tensor([1.0, 2.0])\n" + LEAF_W + "(w * x).sum().backward()",
        LEAF_W + "x = w.detach()\n(w * x).sum().backward()",
        LEAF_W + "with mg.no_grad():\n    x = w * 2\n(w * x).sum().backward()",
        LEAF_W + "x = mg.ones_like(w)\n(w + x).sum().backward()",
        LEAF_W + "x = (w > 3.5).double()\n(w * x).sum().backward()",
    ],
    "non_leaf": [
        "x = mg.ones(2, requires_grad=True) * 2\n(x * x).sum().backward()",
        LEAF_W + "x = w.exp()\nx.sum().backward()",
        LEAF_W + "x = w[0]\n(x * x).backward()",
        LEAF_W + "x = w.clone()\n(x * 3).sum().backward()",
        "x = mg.ones(2, requires_grad=True).double()\n(x * x).sum().backward()",
    ],
    "not_reached": [
        LEAF_X + LEAF_W + "y = x * 2\nw.sum().backward()",
        LEAF_X + LEAF_W + "(x.detach() * w).sum().backward()",
        LEAF_X + LEAF_W + "with mg.no_grad():\n    s = x.sum()\n(s * w).sum().backward()",
        LEAF_X + LEAF_W + "(x.sum().item() * w).sum().backward()",
        LEAF_X + LEAF_W + "L = x.sum() if w.sum() > 10 else w.sum()\nL.backward()",
        LEAF_X + LEAF_W + "(x.data * w).sum().backward()",
    ],
}


def why_draw(rng: np.random.Generator) -> Draw:
    reasons = [*WHY_NONE, str(rng.choice(list(WHY_NONE)))]
    order = [reasons[i] for i in rng.permutation(len(reasons))]
    chosen = {reason: list(rng.permutation(WHY_NONE[reason])) for reason in WHY_NONE}
    return [(letter, reason, str(chosen[reason].pop())) for letter, reason in zip("ABCDEF", order, strict=True)]


def why_program(draw: Draw) -> str:
    return "\n\n".join(f"# case {letter}\n{code}\nx.grad" for letter, _, code in draw)


def reasons(draw: Draw) -> dict[str, str]:
    """The reason that each snippet was written for."""
    return {letter: reason for letter, reason, _ in draw}


def reasons_by_rule(draw: Draw) -> dict[str, str]:
    """The five questions of the statement, in their order, asked of the program's text and of its last x."""
    answers = {}
    for letter, _, code in draw:
        x, assignments = (
            run(code)["x"],
            [line for line in code.splitlines() if line.strip().startswith("x = ")],
        )
        if ".backward()" not in code:
            answers[letter] = "not_called"
        elif len(assignments) > 1:
            answers[letter] = "rebound"
        elif not x.requires_grad:
            answers[letter] = "no_rg"
        else:
            answers[letter] = "not_reached" if x.is_leaf else "non_leaf"
    return answers


def confusion(right: str, wrong: str, hint: str) -> Mistake:
    """Somebody gives one reason for another; in the second form only the first time."""

    def predict(draw: Draw) -> dict[str, str]:
        return {letter: wrong if reason == right else reason for letter, reason in reasons(draw).items()}

    def predict_once(draw: Draw) -> dict[str, str]:
        first = next(letter for letter, reason, _ in draw if reason == right)
        return reasons(draw) | {first: wrong}

    return Mistake(predict, hint, predict_once)


REBOUND = (
    "`x` was a leaf once. Which line gave its **name** to another tensor? The leaf is still there, with "
    "its gradient if it got one, but nothing is called `x` any more except the newcomer."
)
BRANCH = (
    "`backward` did run, and `x` is a leaf that requires grad. Start at the tensor on which it was called "
    "and follow the edges: is there one that leads to `x`?"
)
CALL = "No backward pass ran at all. Look for the call, with its parentheses: a forward pass fills no `.grad`."
CONSTANT = (
    "Ask `x.requires_grad` first. It is False here: nothing that leads to `x` was ever recorded, so there "
    "is no walk that could have missed it."
)
PRODUCT = (
    "`x` is the *result* of an operation. It requires grad (print it: it has a `grad_fn`), but only leaves "
    "keep a gradient, and the leaf behind it never had this name."
)
# What to say about a case, by its right reason; and what to say instead when a certain other one was given.
WHY = {"not_called": CALL, "rebound": REBOUND, "no_rg": CONSTANT, "non_leaf": PRODUCT, "not_reached": BRANCH}
WHY_INSTEAD = {
    ("rebound", "non_leaf"): f"What `x` is now may well be the result of an operation. But: {REBOUND}",
    ("non_leaf", "rebound"): "The name `x` is given only once in this case, and to a result.",
    ("no_rg", "non_leaf"): "A tensor without history *is* a leaf. It does not require grad: that is the reason.",
    ("not_reached", "no_rg"): "`x` itself still requires grad: `detach()`, `.data`, `.item()` and `no_grad` make "
    f"*another* tensor or number, without history. {BRANCH}",
}


def say_reason(case: Case, got: Any, expected: Any) -> str | None:
    """The five words, where another stands."""
    if not differences(got, expected, 0.0):
        return None
    given = [got.get(letter, ...) for letter in expected]
    strange = [mine for mine in given if mine is not ... and not (isinstance(mine, str) and mine in WHY)]
    return f"A reason is one of these words: {', '.join(map(repr, WHY))}." if strange else ""


register(
    Exercise(
        id="01.4",
        title="Why is .grad None?",
        difficulty=2,
        minutes=5,
        reference=reasons,
        draws=why_draw,
        program=why_program,
        name="reasons",
        accept=say_reason,
        alternatives={"the five questions in their order": reasons_by_rule},
        mistakes={
            f"{right} taken for {wrong}": confusion(right, wrong, WHY_INSTEAD.get((right, wrong), WHY[right]))
            for right in WHY
            for wrong in WHY
            if right != wrong
        },
        hints=(
            "A gradient arrives in `x.grad` if four things hold: a backward pass **ran**, the name `x` "
            "still means the tensor it meant, that tensor is a **leaf that requires grad**, and the walk "
            "**came to it**. Find the first that fails.",
            "Draw an arrow from each name to its tensor, and move the arrow at each `x = …`. A case with "
            "two lines `x = …` is `rebound`. Then sketch the graph behind the tensor on which "
            "`backward()` is called: is `x` in it?",
            "In this order: no `backward()` with parentheses: `not_called`. Two assignments to `x`: "
            "`rebound`. `x` made from constants, `detach()`, `no_grad`, a comparison: `no_rg`. `x` is a "
            "result: `non_leaf`. What is left: `not_reached`.",
        ),
        explanation="""\
Five reasons, and each has its own remedy:

| reason | what to do |
|---|---|
| `not_called` | call `L.backward()`, with parentheses |
| `rebound` | keep the name of a leaf: `w = w - …` makes a new tensor and forgets the old one |
| `no_rg` | ask for it at the start, with `requires_grad=True` or `x.requires_grad_()` |
| `non_leaf` | give the leaf a name and look there, or call `x.retain_grad()` before `backward()` |
| `not_reached` | look for the cut: `detach`, `.data`, `.item()`, `no_grad`, a branch, another loss |

`mg.why_no_grad(x, root=L)` answers this question for a tensor of your own.
""",
    )
)


# --- 01.5 Freeze --------------------------------------------------------------------------------------------


def freeze(params, keep):
    """Of the tensors in params, a dict name -> tensor, exactly those named in keep require grad then."""
    for name, p in params.items():
        p.requires_grad = name in keep


def freeze_in_place(params, keep):
    for name in params:
        params[name].requires_grad_(name in set(keep))


def freeze_two_loops(params, keep):
    for name in params.keys() - set(keep):
        params[name].requires_grad_(False)
    for name in keep:
        params[name].requires_grad_(True)
    return params


def freeze_grad_none(params, keep):
    for name, p in params.items():
        if name not in keep:
            p.grad = None


def freeze_grad_none_again(params, keep):
    for name in set(params) - set(keep):
        params[name].grad = None


def freeze_rebind(params, keep):
    for name in params:
        if name not in keep:
            params[name] = params[name].detach()


def freeze_rebind_again(params, keep):
    params.update({name: p.data for name, p in params.items() if name not in keep})


def freeze_rebind_all(params, keep):
    for name in params:
        params[name] = params[name].detach().requires_grad_(name in keep)


def freeze_rebind_all_again(params, keep):
    for name, p in list(params.items()):
        params[name] = mg.tensor(p.tolist(), requires_grad=name in set(keep))


def freeze_and_clear(params, keep):
    for name, p in params.items():
        p.requires_grad = name in keep
        if name not in keep:
            p.grad = None


def freeze_and_clear_again(params, keep):
    for name in set(params) - set(keep):
        params[name].requires_grad_(False)
        params[name].grad = None
    for name in keep:
        params[name].requires_grad_(True)


def freeze_local(params, keep):
    for name, p in params.items():
        if name not in keep:
            p = p.detach()


def freeze_local_again(params, keep):
    with mg.no_grad():
        for name, p in params.items():
            p = p if name in keep else p.clone()


def freeze_local_and_on(params, keep):
    for name, p in params.items():
        if name not in keep:
            p = p.detach()
        else:
            p.requires_grad_()


def freeze_local_and_on_again(params, keep):
    for name in keep:
        params[name].requires_grad = True


def freeze_rebind_and_on(params, keep):
    for name, p in params.items():
        if name in keep:
            p.requires_grad_()
        else:
            params[name] = p.detach()


def freeze_rebind_and_on_again(params, keep):
    for name in params:
        params[name] = params[name].requires_grad_() if name in set(keep) else params[name].data


def freeze_inverted(params, keep):
    for name, p in params.items():
        p.requires_grad_(name not in keep)


def freeze_inverted_again(params, keep):
    for name in set(params) - set(keep):
        params[name].requires_grad_(True)
    for name in keep:
        params[name].requires_grad_(False)


def freeze_inverted_flag(params, keep):
    for name, p in params.items():
        p.requires_grad = name not in keep


def freeze_inverted_flag_again(params, keep):
    for name in params:
        params[name].requires_grad = not {name} & set(keep)


def freeze_off_only(params, keep):
    for name, p in params.items():
        if name not in keep:
            p.requires_grad = False


def freeze_off_only_again(params, keep):
    for name in set(params) - set(keep):
        params[name].requires_grad_(False)


def freeze_detach(params, keep):
    for name, p in params.items():
        if name in keep:
            p.requires_grad_()
        else:
            p.detach_()


def freeze_detach_again(params, keep):
    for name in params:
        params[name].requires_grad_() if name in keep else params[name].detach_()


def freeze_substring(params, keep):
    for name, p in params.items():
        p.requires_grad = any(part in name for part in keep)


def freeze_substring_again(params, keep):
    for name, p in params.items():
        p.requires_grad_(any(name.startswith(part) for part in keep))


def freeze_swallow(params, keep):
    for name, p in params.items():
        try:
            p.requires_grad = name in keep
        except RuntimeError:
            continue


def freeze_swallow_again(params, keep):
    for name, p in params.items():
        if p.is_leaf:
            p.requires_grad_(name in keep)


ELSEWHERE = (
    "What was to be frozen still requires grad. If you wrote `detach()`, `.data` or `clone()`: each makes **another** "
    "tensor; the one in `params`, which the model holds too, never hears of it. Set the flag on the tensor itself: "
    "`p.requires_grad = …`."
)
NEWCOMER = (
    "You put **another** tensor into the dict. But the model still holds the old one, and that is as it "
    "was. Change the flag on the tensor itself: `p.requires_grad = …`."
)
INVERTED = "You froze exactly those that were to be kept. `keep` names the ones that go on learning."

# name -> shape; the model is relu(x @ w1 + b1) @ w10 + b10
MODEL = {"w1": (4, 3), "b1": (3,), "w10": (3, 2), "b10": (2,)}


def observe_freeze(answer: Callable[..., Any], recipe: dict[str, Any]) -> Any:
    """Of the model's parameters, `off` do not require grad at first; `computed` is no leaf, but twice a leaf."""
    keep, off, computed = recipe["keep"], recipe["off"], recipe["computed"]
    rng = np.random.default_rng(recipe["seed"])
    params = {name: mg.tensor(rng.normal(size=shape), requires_grad=True) for name, shape in MODEL.items()}
    if computed:
        params[computed] = params[computed] * 2
    for name in off:
        params[name].requires_grad_(False)
    leaves_before = [name for name in params if name != computed]
    for name in leaves_before:
        params[name].grad = mg.ones_like(params[name]) * 7
    mine, named = dict(params), list(keep)  # what the model holds; what is to be kept
    values = {name: p.detach().clone() for name, p in mine.items()}
    answer(params, keep)
    w1, b1, w10, b10 = (mine[name] for name in MODEL)
    hidden = mg.tensor(rng.normal(size=(5, 4))) @ w1 + b1
    loss = (hidden.relu() @ w10 + b10).sum()
    return {
        "requires_grad": {name: p.requires_grad for name, p in mine.items()},
        "nodes in the graph of the loss": len(nodes_of(loss)),
        "the names in `params`": list(params),
        "`params` holds the same tensor as before": {name: params.get(name) is p for name, p in mine.items()},
        "the values have changed by": {name: mine[name].detach() - values[name] for name in mine},
        "`.grad` is as before": {
            name: (grad := mine[name].grad) is not None and grad.tolist() == (values[name] * 0 + 7).tolist()
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
    ]


register(
    Exercise(
        id="01.5",
        title="Freeze",
        difficulty=2,
        minutes=5,
        reference=freeze,
        cases=freeze_cases,
        edges=freeze_edges,
        observe=observe_freeze,
        may_change_inputs=True,
        alternatives={"requires_grad_(flag)": freeze_in_place, "two loops": freeze_two_loops},
        mistakes={
            ".grad is set to None": Mistake(
                freeze_grad_none,
                "`p.grad = None` throws one gradient away; the next backward pass brings another. What "
                "decides is `requires_grad`.",
                freeze_grad_none_again,
            ),
            ".grad is thrown away, too": Mistake(
                freeze_and_clear,
                "The flags are right. But you also threw away gradients that were there: leave `.grad` alone.",
                freeze_and_clear_again,
            ),
            "a new tensor in the dict": Mistake(freeze_rebind, NEWCOMER, freeze_rebind_again),
            "new tensors in the whole dict": Mistake(freeze_rebind_all, NEWCOMER, freeze_rebind_all_again),
            "a new tensor in a local name": Mistake(
                freeze_local,
                ELSEWHERE,
                freeze_local_again,
            ),
            "a new tensor in a local name, and the kept ones on": Mistake(
                freeze_local_and_on, ELSEWHERE, freeze_local_and_on_again
            ),
            "a new tensor in the dict, and the kept ones on": Mistake(
                freeze_rebind_and_on, NEWCOMER, freeze_rebind_and_on_again
            ),
            "the wrong half": Mistake(freeze_inverted, INVERTED, freeze_inverted_again),
            "the wrong half, by the attribute": Mistake(freeze_inverted_flag, INVERTED, freeze_inverted_flag_again),
            "kept ones are not switched on": Mistake(
                freeze_off_only,
                "A parameter named in `keep` had been frozen before, and you left it so. *Exactly* those "
                "in `keep` require grad afterwards: switch on, too.",
                freeze_off_only_again,
            ),
            "detach_ on anything": Mistake(
                freeze_detach,
                "For leaves that is right. But on a computed tensor `detach_()` silently cuts its history "
                "away, where setting the flag would have told you that this is no parameter. Set "
                "`requires_grad`.",
                freeze_detach_again,
            ),
            "part of a name": Mistake(
                freeze_substring,
                "`w1` is a part of `w10`, but another parameter: compare whole names, `name in keep`.",
                freeze_substring_again,
            ),
            "the error is swallowed": Mistake(
                freeze_swallow,
                "A tensor that is no leaf cannot be frozen, and your function passes over it in silence: "
                "it goes on taking part in training. Let the error come out; it says what to do.",
                freeze_swallow_again,
            ),
        },
        hints=(
            "Whether operations on a leaf are recorded is decided by its flag `requires_grad`, at the "
            "moment of the forward pass. You may write to that flag.",
            "In the picture each frozen parameter's AccumulateGrad is gone, and a dotted edge ends where "
            "its arrow was. The tensors are the same ones: only a flag on them changed.",
            "```python\ndef freeze(params, keep):\n    for name, p in params.items():\n"
            "        p.requires_grad = ...   # True or False?\n```",
        ),
        explanation="""\
The flag belongs to the tensor, so `p.requires_grad = …` is seen by everyone who holds it: the dict, the
model, the optimiser. `params[name] = p.detach()` changes what the *dict* holds and nothing else.

With a frozen parameter, the next forward pass records less: its edge is None, and an operation whose inputs
are all frozen is not recorded at all. That is why freezing the first layers of a network saves memory and
time, and freezing only the last ones hardly does.

A computed tensor has no flag to set: it requires grad because of what is behind it. The error says so. Cut it
with `detach()`, or freeze the leaf it comes from.
""",
    )
)


# --- 01.6 Same code, other graph ----------------------------------------------------------------------------


def look(f, a):
    """How many MulBackward0 f(a) records, and whether the gradient of f(a).sum() equals f(a) / a."""
    d = f(a)
    muls, seen, todo = 0, set(), [d.grad_fn]
    while todo:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        muls += node.name() == "MulBackward0"
        todo.extend(child for child, _ in node.next_functions)
    d.sum().backward()
    return muls, mg.allclose(a.grad, d / a)


def look_numpy(f, a):
    d = f(a)
    names = [class_of(node) for node in nodes_of(d)]
    mg.sum(d).backward()
    slope, ratio = a.grad.numpy(), (d.detach() / a.detach()).numpy()
    return names.count("MulBackward0"), bool(np.allclose(slope, ratio))


def look_relative(f, a):
    d = f(a)
    muls = len([node for node in nodes_of(d) if node.name().startswith("Mul")])
    d.sum().backward()
    with mg.no_grad():
        ratio = d / a
        return muls, bool(((a.grad - ratio).abs() <= 1e-5 * ratio.abs()).all())


def looking(count: Callable[..., int], agree: Callable[..., Any]) -> Callable[..., tuple[int, Any]]:
    """An answer from its two halves."""

    def answer(f: Any, a: Any) -> tuple[int, Any]:
        d = f(a)
        muls = count(f, a, d)
        d.sum().backward()
        with mg.no_grad():
            return muls, agree(a.grad, d / a)

    return answer


def count_right(f: Any, a: Any, d: Any) -> int:
    return sum(class_of(node) == "MulBackward0" for node in nodes_of(d))


def count_paths(f: Any, a: Any, d: Any) -> int:
    def below(node: Any) -> int:
        if node is None:
            return 0
        return (node.name() == "MulBackward0") + sum(below(child) for child, _ in node.next_functions)

    return below(d.grad_fn)


def count_paths_again(f: Any, a: Any, d: Any) -> int:
    muls, todo = 0, [d.grad_fn]
    for node in todo:
        if node is not None:
            muls += class_of(node) == "MulBackward0"
            todo += [child for child, _ in node.next_functions]
    return muls


def count_first_edge(f: Any, a: Any, d: Any) -> int:
    muls, node = 0, d.grad_fn
    while node is not None:
        muls += node.name() == "MulBackward0"
        node = node.next_functions[0][0] if node.next_functions else None
    return muls


def count_first_edge_again(f: Any, a: Any, d: Any) -> int:
    def below(node: Any) -> int:
        mul = class_of(node) == "MulBackward0"
        return mul + below(node.next_functions[0][0]) if node and node.next_functions else int(mul)

    return below(d.grad_fn)


def count_all(f: Any, a: Any, d: Any) -> int:
    return len(nodes_of(d))


def count_without_last(f: Any, a: Any, d: Any) -> int:
    return count_right(f, a, d) - (class_of(d.grad_fn) == "MulBackward0")


def count_numbers(f: Any, a: Any, d: Any) -> int:
    return count_right(f, a, d) * a.numel()


def count_numbers_again(f: Any, a: Any, d: Any) -> int:
    return a.detach().numpy().size * sum(node.name() == "MulBackward0" for node in nodes_of(d))


def count_other_run(f: Any, a: Any, d: Any) -> int:
    return count_right(f, a, f(mg.ones_like(a).requires_grad_()))


def count_other_run_again(f: Any, a: Any, d: Any) -> int:
    probe = f(mg.ones(a.shape, dtype=a.dtype, requires_grad=True))
    return count_all(f, a, probe) - sum(class_of(node) != "MulBackward0" for node in nodes_of(probe))


def agree_close(slope: Any, ratio: Any) -> bool:
    return mg.allclose(slope, ratio)


def agree_exact(slope: Any, ratio: Any) -> bool:
    return bool((slope == ratio).all())


def agree_exact_again(slope: Any, ratio: Any) -> bool:
    return slope.tolist() == ratio.tolist()


def agree_absolute(slope: Any, ratio: Any) -> bool:
    return bool(((slope - ratio).abs() < 1e-6).all())


def agree_absolute_again(slope: Any, ratio: Any) -> bool:
    return mg.allclose(slope, ratio, rtol=0, atol=1e-6)


def agree_somewhere(slope: Any, ratio: Any) -> bool:
    return bool(mg.isclose(slope, ratio).any())


def agree_somewhere_again(slope: Any, ratio: Any) -> bool:
    return any(np.isclose(slope.numpy(), ratio.numpy()).flatten())


def agree_in_sum(slope: Any, ratio: Any) -> bool:
    return mg.allclose(slope.sum(), ratio.sum())


def agree_in_sum_again(slope: Any, ratio: Any) -> bool:
    return bool(np.isclose(slope.numpy().mean(), ratio.numpy().mean()))


def look_with_two_passes(f, a):
    d = f(a)
    d.sum().backward(retain_graph=True)
    d.sum().backward()
    return count_right(f, a, d), mg.allclose(a.grad, (d / a).detach())


def look_with_two_passes_again(f, a):
    for _ in range(2):
        d = f(a)
        mg.sum(d).backward()
    with mg.no_grad():
        return count_right(f, a, d), mg.allclose(a.grad, d / a)


def agree_loose(slope: Any, ratio: Any) -> bool:
    return mg.allclose(slope, ratio, atol=0.1)


def agree_loose_again(slope: Any, ratio: Any) -> bool:
    return bool(((slope - ratio).abs() < 0.1 + 1e-5 * ratio.abs()).all())


def doubling(a):
    """Goes on until the result is long enough, and takes another turn for negative inputs."""
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    return b if b.sum() > 0 else 100 * b


def tripling(a):
    b = a + a
    while b.abs().sum() < 50:
        b = 3 * b
    return b


def square(a):
    b = a * 2
    return b * b


def constant_first(a):
    k = mg.tensor(3.0)
    return k * (k * (a * 2))


def small_factors(a):
    return a * 0.1 * 0.7


def nearly(a):
    return 3 * a + 0.01


def weighted(a):
    return a * mg.tensor([1.0, 2.0, 3.0], dtype=a.dtype)


def shifted(a):
    return 2 * a + a.detach() * mg.tensor([1.0, -1.0, 0.0], dtype=a.dtype)


def partly(a):
    return mg.where(a > 0, a * 2, a * a)


def around_the_mean(a):
    return (a * 3 - a.mean()) + a.mean()


def by_matrices(a):
    return 2 * (mg.eye(2, dtype=a.dtype) @ (a * 0.5)).clone() * 1


LOOKED_AT: dict[str, Callable[..., Any]] = {
    f.__name__: f
    for f in (
        doubling, tripling, square, constant_first, small_factors, nearly, weighted, shifted, partly, around_the_mean, by_matrices,
    )
}


def is_exact(f: Callable[..., Any], a: Any) -> bool:
    """Does == happen to hold between slope and ratio?"""
    d = f(a)
    (slope,) = mg.autograd.grad(d.sum(), a)
    return agree_exact(slope, d.detach() / a.detach())


def observe_look(answer: Callable[..., Any], name: str, a: Any) -> Any:
    passes: list[int] = []
    handle = a.register_hook(lambda g: passes.append(1))
    returned = answer(LOOKED_AT[name], a)
    handle.remove()
    wanted = "a pair `(muls, agrees)` of an int and a bool"
    if not isinstance(returned, tuple | list):
        return unfit(returned, wanted)
    if len(returned) != 2:
        return Unfit(f"{len(returned)} values", wanted)
    muls, agrees = (
        value.item() if isinstance(value, mg.Tensor | np.ndarray | np.generic) and value.shape == () else value
        for value in returned
    )
    if isinstance(muls, bool) and not isinstance(agrees, bool):
        return Unfit("the two the other way round", wanted)
    if isinstance(agrees, bool):
        return {"muls": muls, "agrees": agrees, "trace_passes": len(passes)}
    shape = f" of shape {tuple(agrees.shape)}" if isinstance(agrees, mg.Tensor | np.ndarray) else ""
    return {"muls": muls, "agrees": Unfit(f"{unfit(agrees, '').came}{shape}", "a bool")}


def look_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def draw(low: float, high: float, shape: tuple[int, ...], dtype: Any) -> Any:
        return mg.tensor(rng.uniform(low, high, shape).tolist(), dtype=dtype, requires_grad=True)

    def rounded(f: Callable[..., Any], low: float, high: float, dtype: Any) -> Any:
        """A number at which slope and ratio differ by a rounding error."""
        while is_exact(f, a := draw(low, high, (), dtype)):
            pass
        return a

    signs = np.array([1, -1, 1, -1]) * rng.uniform(0.5, 1.5, 4)
    mixed = mg.tensor(signs.tolist(), dtype=dtype, requires_grad=True)
    return [
        Case("doubling, a positive number", ("doubling", draw(0.01, 0.4, (), dtype))),
        Case("doubling, a large number", ("doubling", draw(600, 900, (), dtype))),
        Case("doubling, a vector", ("doubling", draw(0.1, 5.0, (3,), dtype))),
        Case("doubling, a negative matrix", ("doubling", draw(-30.0, -3.0, (2, 4), dtype))),
        Case("tripling, a vector", ("tripling", draw(0.1, 0.9, (5,), dtype))),
        Case("a square", ("square", draw(0.5, 2.0, (), dtype))),
        Case("constants on the left", ("constant_first", draw(-2.0, -0.5, (), dtype))),
        Case("nearly proportional", ("nearly", draw(0.5, 1.5, (3,), dtype))),
        Case("another factor in each place", ("weighted", draw(0.5, 1.5, (3,), dtype))),
        Case("agreement in the sum and in the last place only", ("shifted", draw(0.5, 1.5, (3,), dtype))),
        Case("proportional for positive numbers only", ("partly", mixed)),
        Case("small factors", ("small_factors", rounded(small_factors, 0.5, 2.0, dtype))),
        Case("doubling, a negative number", ("doubling", rounded(doubling, -0.9, -0.1, dtype))),
        Case("doubling, a negative number in float32", ("doubling", rounded(doubling, -0.9, -0.1, mg.float32))),
    ]


TOLERANCE = (
    "`==` asks for the same last bit. `f(a) / a` rounds once more than the slope does, and for `doubling` "
    "the two differ in about 6 % of runs with random float32 numbers. Compare with a tolerance: "
    "`mg.allclose`."
)

def look_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def draw(*shape: int) -> Any:
        return mg.tensor(rng.uniform(0.5, 1.5, shape).tolist(), dtype=dtype, requires_grad=True)

    return [
        Case("nodes whose names begin like that of a product: a mean", ("around_the_mean", draw(3))),
        Case("nodes whose names begin like that of a product: a matrix", ("by_matrices", draw(2))),
        Case("doubling, a vector of one number", ("doubling", draw(1))),
        Case("a square, a table with one row", ("square", draw(1, 3))),
    ]


register(
    Exercise(
        id="01.6",
        title="Same code, other graph",
        difficulty=2,
        minutes=6,
        reference=look,
        cases=look_cases,
        edges=look_edges,
        observe=observe_look,
        may_change_inputs=True,
        alternatives={"names in a list, NumPy": look_numpy, "relative difference": look_relative},
        mistakes={
            "compared with ==": Mistake(
                looking(count_right, agree_exact), TOLERANCE, looking(count_right, agree_exact_again)
            ),
            "an absolute tolerance only": Mistake(
                looking(count_right, agree_absolute),
                "A fixed tolerance like 1e-6 is right for numbers near 1. These slopes are near 100,000, where "
                "neighbouring float32 numbers are 0.008 apart. Let the tolerance grow with the numbers: "
                "`mg.allclose` has `rtol` for that.",
                looking(count_right, agree_absolute_again),
            ),
            "a tolerance that forgives anything": Mistake(
                looking(count_right, agree_loose),
                "`3 * a + 0.01` is not proportional to `a`: its slope is 3 and its ratio 3.01 or so. With "
                "so wide a tolerance you would not notice. Rounding errors are smaller by far: about 1e-7 "
                "of the number.",
                looking(count_right, agree_loose_again),
            ),
            "agreement in one place is enough": Mistake(
                looking(count_right, agree_somewhere),
                "It agrees in one place, but not in **every** place.",
                looking(count_right, agree_somewhere_again),
            ),
            "agreement of the sums is enough": Mistake(
                looking(count_right, agree_in_sum),
                "The sums agree, but not the numbers in **every** place: compare before you add anything up.",
                looking(count_right, agree_in_sum_again),
            ),
            "two backward passes": Mistake(
                look_with_two_passes,
                "Your slopes are twice too large: a backward pass *adds* to `a.grad`, and you ran two. "
                "One is enough. (Chapter 06 is about this.)",
                look_with_two_passes_again,
                evidence=lambda source, results: any(isinstance(r, dict) and r.get("trace_passes", 0) > 1 for r in results),
            ),
            "paths are counted": Mistake(
                looking(count_paths, agree_close),
                "A node that is used twice was counted twice. Keep the nodes that you have seen, as in 01.3.",
                looking(count_paths_again, agree_close),
            ),
            "only the first edge is followed": Mistake(
                looking(count_first_edge, agree_close),
                "You followed the first edge only. In `k * b` the first edge belongs to the constant `k`, "
                "and is None: your walk ended there. Follow all edges.",
                looking(count_first_edge_again, agree_close),
            ),
            "every node is counted": Mistake(
                looking(count_all, agree_close),
                "You counted every node, AccumulateGrad included. Count those whose `name()` is `MulBackward0`.",
                looking(lambda f, a, d: len(set(nodes_of(d))), agree_close),
            ),
            "off by one: the last multiplication": Mistake(
                looking(count_without_last, agree_close),
                "One too few: `d.grad_fn` itself is a node too. Begin the walk there, not at what lies behind it.",
                looking(
                    lambda f, a, d: sum(class_of(node) == "MulBackward0" for node in nodes_of(d) if node is not d.grad_fn),
                    agree_close,
                ),
            ),
            "one for each number": Mistake(
                looking(count_numbers, agree_close),
                "A multiplication of two tensors is **one** operation and one node, however many numbers are in them.",
                looking(count_numbers_again, agree_close),
            ),
            "the graph of another run": Mistake(
                looking(count_other_run, agree_close),
                "That is the graph of another input. The graph is made while the code runs: count in the "
                "graph of *this* `f(a)`.",
                looking(count_other_run_again, agree_close),
            ),
        },
        hints=(
            "The graph belongs to the run, not to the code: call `f(a)` and look at what it recorded. You "
            "have written the walk already, in 01.3; now count instead of collecting.",
            "Two walks in the lesson's last picture: the same function, one graph with more MulBackward0 "
            "in a row than the other. For the second half: `d = f(a)`, one backward pass from `d.sum()`, "
            "then compare `a.grad` with `d / a`, number by number, up to rounding.",
            "```python\ndef look(f, a):\n    d = f(a)\n    muls, seen, todo = 0, set(), [d.grad_fn]\n"
            "    while todo:\n        ...                        # as in 01.3\n"
            '        muls += node.name() == "..."\n    d.sum().backward()\n'
            "    return muls, mg.allclose(..., ...)\n```",
        ),
        explanation="""\
`while` and `if` leave no trace in the graph; only the multiplications that really happened do. A larger `a`
needs fewer doublings, a negative one takes the branch with `100 * b`: same code, other graph. In the run that
happened, the function is a plain product of constants and `a`, so its slope is `d / a`.

But `a.grad == d / a` is not the right question. The slope is a product of exact factors; `d` was rounded when
it was computed, and the division rounds again. With `doubling` (it is the example of *Dive into Deep
Learning*, section 2.5) and random float32 inputs the two differ in the last bit in about 6 % of runs.
`allclose` asks the question that you mean: is the difference small *beside the numbers*? For slopes near
100,000 an error of 0.008 is a rounding error; for slopes near 3 it is a wrong slope.
""",
    )
)
