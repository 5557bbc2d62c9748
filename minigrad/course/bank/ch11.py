"""In place I: leaves, versions, no_grad, detach vs data.

Exercises 11.1 to 11.9: which writes are refused at once, which are noticed by backward, and which by nobody.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.compare import Unfit, differences, unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch11 import story, timeline  # noqa: F401

Draw = list[tuple[str, str, str]]  # (key, rule, code): a line or a small program, and the rule that it asks about

CHANGED = "modified by an inplace operation"


def run(source: str) -> dict[str, Any]:
    """The variables that a small program leaves behind."""
    space: dict[str, Any] = {"mg": mg, "np": np}
    exec(source, space)
    return space


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.uniform(0.5, 1.5, shape) * rng.choice([-1.0, 1.0], shape), dtype=dtype, requires_grad=leaf)


def by_rule(table: dict[str, Any]) -> Callable[[Draw], dict[str, Any]]:
    """The dict of somebody who knows what each rule gives."""
    return lambda draw: {key: table[rule] for key, rule, _ in draw}


def believing(right: Callable[[Draw], dict[str, Any]], beliefs: dict[str, Any]) -> Callable[[Draw], dict[str, Any]]:
    """The dict of somebody who is right except about the lines of these rules."""
    return lambda draw: right(draw) | {key: beliefs[rule] for key, rule, _ in draw if rule in beliefs}


# --- 11.1 Which one breaks? ---------------------------------------------------------------------------------

BREAKS_SETUP = """\
# before each line
w = mg.tensor([0.5, 1.0, 2.0], requires_grad=True)
k = mg.tensor([4.0, 5.0, 6.0])
x = w * 1                  # a result, so it may be written

# after each line
y.sum().backward()

"""

KEEPS_OUTPUT = ["mg.exp(x)", "mg.sigmoid(x)", "mg.tanh(x)", "mg.relu(x)", "mg.sqrt(x)", "mg.softmax(x, 0)"]
KEEPS_INPUT = ["mg.sin(x)", "mg.cos(x)", "mg.log(x)", "x ** 2", "x * x", "mg.abs(x)"]
KEEPS_NOTHING = ["x + 1", "x - k", "-x", "x.sum()", "x.mean()", "x.clone()"]
KEEPS_K = ["x * k", "x / k", "k * x", "mg.dot(x, k)"]

# The rules, and what becomes of their lines.
BREAKS = {
    "output kept, output written": "raises",
    "output kept, input written": "ok",
    "input kept, output written": "ok",
    "input kept, input written": "raises",
    "nothing kept, output written": "ok",
    "nothing kept, input written": "ok",
    "k kept, x written": "ok",
    "k kept, k written": "raises",
}


def breaks_draw(rng: np.random.Generator) -> Draw:
    lines = []
    for kind, codes, count in (("output", KEEPS_OUTPUT, 2), ("input", KEEPS_INPUT, 2), ("nothing", KEEPS_NOTHING, 1)):
        for code in rng.permutation(codes)[:count]:
            lines.append((f"{kind} kept, output written", f"y = {code};  y += 1"))
            lines.append((f"{kind} kept, input written", f"y = {code};  x += 1"))
    code = str(rng.choice(KEEPS_K))
    lines += [("k kept, x written", f"y = {code};  x += 1"), ("k kept, k written", f"y = {code};  k += 1")]
    return [(key, *lines[i]) for key, i in zip("ABCDEFGHIJKL", rng.permutation(len(lines)), strict=True)]


def breaks_program(draw: Draw) -> str:
    return BREAKS_SETUP + "\n".join(f"{code:<32}# {key}" for key, _, code in draw)


def line_breaks(code: str) -> str:
    before, after = BREAKS_SETUP.split("# after each line\n")
    try:
        run(f"{before}{code.replace(';  ', chr(10))}\n{after}")
    except RuntimeError as error:
        if CHANGED not in str(error):
            raise
        return "raises"
    return "ok"


def breaks(draw: Draw) -> dict[str, str]:
    """Run each line by itself, and look."""
    return {key: line_breaks(code) for key, _, code in draw}


def breaking(hint: str, **beliefs: str) -> Mistake:
    """Somebody who believes otherwise about these rules; in the rules' names, _ is a blank and __ a comma."""
    told = {rule.replace("__", ", ").replace("_", " "): word for rule, word in beliefs.items()}
    assert told.keys() <= BREAKS.keys()
    return Mistake(believing(breaks, told), hint)


OUTPUT_IS_KEPT = (
    "This operation keeps its **output**, because its slope is easiest to compute from there: eˣ has the slope y, "
    "tanh has 1 − y², sqrt has 1 / 2y. Whoever writes to `y` writes over what backward needs."
)
ONLY_THE_OUTPUT = (
    "This operation keeps its **output** and nothing else. The input is not needed again: write to `x` as you like."
)
ONLY_THE_INPUT = (
    "This operation keeps its **input**: the slope of sin is cos(x), that of x² is 2x, and neither can be had from `y`. "
    "So `y` may be written. "
)
INPUT_IS_KEPT = (
    "This operation keeps its **input**: the slope of sin is cos(x), that of x² is 2x. Write to `x`, and backward "
    "finds other numbers than it was promised."
)
NOTHING_IS_KEPT = (
    "A sum, a difference, a mean, a copy: the slope is the same wherever you are, so nothing is kept that you could "
    "write over."
)
K_IS_KEPT = (
    "`k` gets no gradient, but it **is** the slope: backward multiplies or divides by it. So `k` is kept, and its "
    "version is compared like any other."
)
X_IS_NOT_KEPT = (
    "`x` would be needed for the gradient of `k`. But `k` does not require grad, so only `k` is kept, and `x` may be written."
)

register(
    Exercise(
        id="11.1",
        title="Which one breaks?",
        difficulty=2,
        minutes=8,
        reference=breaks,
        draws=breaks_draw,
        program=breaks_program,
        name="breaks",
        words=("ok", "raises"),
        alternatives={"by what is kept": by_rule(BREAKS)},
        mistakes={
            "the output is not kept": breaking(OUTPUT_IS_KEPT, output_kept__output_written="ok"),
            "the input is kept too": breaking(ONLY_THE_OUTPUT, output_kept__input_written="raises"),
            "the output is kept too": breaking(ONLY_THE_INPUT, input_kept__output_written="raises"),
            "the input is not kept": breaking(INPUT_IS_KEPT, input_kept__input_written="ok"),
            "a sum keeps its result": breaking(NOTHING_IS_KEPT, nothing_kept__output_written="raises"),
            "a sum keeps its input": breaking(NOTHING_IS_KEPT, nothing_kept__input_written="raises"),
            "a constant is not kept": breaking(K_IS_KEPT, k_kept__k_written="ok"),
            "both factors are kept": breaking(X_IS_NOT_KEPT, k_kept__x_written="raises"),
            "inputs are kept, never outputs": breaking(
                "You hold that every operation keeps its input. Many do. But where the slope is easy to compute from the "
                "**output**, the output is kept instead: exp, sigmoid, tanh, relu, sqrt, softmax.",
                output_kept__output_written="ok",
                output_kept__input_written="raises",
            ),
            "outputs are kept, never inputs": breaking(
                "You hold that every operation keeps its output. But sin, cos, log and powers keep their **input**: the "
                "slope of sin is cos(x), and `y` does not tell which `x` it came from.",
                input_kept__output_written="raises",
                input_kept__input_written="ok",
            ),
            "every write breaks": breaking(
                "Writing is no crime. Only a write to something that a node **kept** breaks backward. Ask of each line: "
                "which numbers does the slope need, and were they the ones written?",
                output_kept__input_written="raises",
                input_kept__output_written="raises",
                nothing_kept__output_written="raises",
                nothing_kept__input_written="raises",
                k_kept__x_written="raises",
            ),
            "no write breaks": breaking(
                "These writes run, that is true. The error comes later, out of `backward`: it finds that something it "
                "kept has another version now.",
                output_kept__output_written="ok",
                input_kept__input_written="ok",
                k_kept__k_written="ok",
            ),
        },
        hints=(
            "Write down the slope of each operation. Which numbers appear in it: those of `x`, those of `y`, those of `k`, "
            "or none? These are kept. A line raises if and only if it writes to what was kept.",
            "In the table of section 3 find the row of the operation. *Output* means: `y += 1` raises, `x += 1` does not. "
            "*Input* means the opposite. *Nothing* means: neither does.",
            "Twelve lines, five of them raise: two that write to a kept output, two that write to a kept input, and one "
            "that writes to `k`. The other seven are `ok`.",
        ),
        explanation="""\
An operation keeps what its slope needs, and no more.

| operation | slope | keeps | so do not write to |
|---|---|---|---|
| exp, sigmoid, tanh, sqrt | y, y(1−y), 1−y², 1/2y | output | `y` |
| relu, softmax | is y positive; made of y | output | `y` |
| sin, cos, log, x², \\|x\\| | cos x, −sin x, 1/x, 2x, sign x | input | `x` |
| x · k, x / k | k, 1/k | `k` | `k` |
| x + 1, −x, sum, mean, clone | a number that is always the same | nothing | – |

The write itself is allowed. Backward compares versions when it comes to the node, and raises if what was kept has been
written since. Why do the engines keep the output of exp, and not its input? Because nothing has to be
computed again: the slope is there already.
""",
    )
)


# --- 11.2 The leaf rule -------------------------------------------------------------------------------------

RULE_SETUP = """\
# before each line
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = w * 2
k = mg.tensor([4.0, 5.0, 6.0])

"""

# (what becomes of it, the lines)
LEAF_RULE: dict[str, tuple[Any, list[str]]] = {
    "leaf": ("leaf", ["w += 1", "w.mul_(2)", "w -= 0.1 * k", "w.zero_()", "w.copy_(k)", "w += w"]),
    "part": ("view", ["w[0] = 5.0", "w[1:] *= 2", "w.view(3, 1).add_(1)", "w[0].zero_()", "w[:2] = k[:2]"]),
    "no_grad once": (
        1,
        [
            "with mg.no_grad(): w += 1",
            "with mg.no_grad(): w.mul_(2)",
            "with mg.no_grad(): w[0] = 5.0",
            "with mg.no_grad(): w -= 0.1 * k",
        ],
    ),
    "no_grad more than once": (
        2,
        [
            "with mg.no_grad(): w += 1; w -= 1",
            "with mg.no_grad(): w[0] = 5.0; w.mul_(2)",
            "with mg.no_grad(): w.zero_(); w.add_(k)",
        ],
    ),
    "new name": (0, ["w = w + 1", "w = w * 2", "w = w - 0.1 * k", "w = -w"]),
    "detach": (
        1,
        ["w.detach().add_(1)", "v = w.detach(); v *= 2", "w.detach()[0] = 5.0", "v = w.detach(); v.zero_()"],
    ),
    "data": (0, ["w.data += 1", "w.data.mul_(2)", "w.data[0] = 5.0", "v = w.data; v -= 1"]),
    "other tensor": (0, ["h += 1", "k += w", "u = w.clone(); u += 1", "h[0] = 5.0", "u = w + 0; u.zero_()"]),
}


def rule_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(LEAF_RULE))]
    return [(key, rule, str(rng.choice(LEAF_RULE[rule][1]))) for key, rule in zip("ABCDEFGH", rules, strict=True)]


def rule_program(draw: Draw) -> str:
    return RULE_SETUP + "\n".join(f"{code:<44}# {key}" for key, _, code in draw)


def after(code: str) -> Any:
    """The word for the error that a line raises, or else the version of w."""
    try:
        return run(RULE_SETUP + code)["w"]._version
    except RuntimeError as error:
        return "view" if "a view of a leaf" in str(error) else "leaf"


def versions(draw: Draw) -> dict[str, Any]:
    """Run each line by itself, and look."""
    return {key: after(code) for key, _, code in draw}


def about(rule: str, believed: Any, hint: str) -> Mistake:
    """Somebody is right except about the lines of one rule."""
    return Mistake(believing(versions, {rule: believed}), hint)


REFUSED = (
    "`w` is a leaf that requires grad, and this line would write to it while recording is on. That is refused at once, "
    "before a number is changed. Under `mg.no_grad()` it is allowed."
)
PART_REFUSED = (
    "A part of `w` is a window on the memory of `w`: to write there is to write to the leaf. It is refused at once, and the "
    "message says *a view of a leaf*."
)
WRITES_COUNT = (
    "The counter counts **writes**, under `no_grad` as elsewhere, and nothing sets it back. `no_grad` lifts the leaf rule; "
    "it does not hide the write."
)
NEW_NAME = (
    "`w = …` writes to nothing. It computes a **new** tensor and gives it the name `w`; a new tensor is at version 0. "
    "(And it is no leaf.)"
)
DETACH_SHARES = (
    "`w.detach()` has the memory of `w` and **the same counter**. It does not require grad, so the write is allowed; and "
    "the counter of `w` sees it."
)
DATA_HIDES = (
    "`w.data` has the memory of `w`, but a counter **of its own**. The write is allowed, the numbers of `w` change, and its "
    "counter does not move."
)
OTHER_TENSOR = (
    "This line writes to another tensor: to a result, a copy or a constant. That is allowed, and `w` is not written; its "
    "counter stays at 0."
)
BY_RULE = {
    "leaf": REFUSED,
    "part": PART_REFUSED,
    "no_grad once": WRITES_COUNT,
    "no_grad more than once": WRITES_COUNT,
    "new name": NEW_NAME,
    "detach": DETACH_SHARES,
    "data": DATA_HIDES,
    "other tensor": OTHER_TENSOR,
}


def say_version(case: Case, got: Any, expected: Any) -> str | None:
    """What to say about the first wrong entry, where no known belief gives it."""
    wrong = [d.path[0] for d in differences(got, expected, 0.0)]
    told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
    if not told:
        return "" if wrong else None
    mine = got[told[0]]
    if mine not in ("leaf", "view") and (isinstance(mine, bool) or not isinstance(mine, int)):
        return 'Each value is `"leaf"`, `"view"`, or a number, without quotes: the version of `w`.'
    return BY_RULE[next(rule for key, rule, _ in case.args[0] if key == told[0])]


register(
    Exercise(
        id="11.2",
        title="The leaf rule",
        difficulty=1,
        minutes=5,
        reference=versions,
        draws=rule_draw,
        program=rule_program,
        name="versions",
        accept=say_version,
        alternatives={"by the rules": by_rule({rule: outcome for rule, (outcome, _) in LEAF_RULE.items()})},
        mistakes={
            "a leaf may be written": about("leaf", 1, REFUSED),
            "a write to a leaf is not counted": about("leaf", 0, REFUSED),
            "a leaf taken for a view": about("leaf", "view", "`w` itself is written here, and no part of it: *a leaf Variable*."),
            "a part may be written": about("part", 1, PART_REFUSED),
            "a part has a counter of its own": about("part", 0, PART_REFUSED),
            "a part taken for the leaf": about(
                "part",
                "leaf",
                "It is refused, but the message is the other one: what is written is *a view of a leaf*, a window on the "
                "memory of `w`.",
            ),
            "no_grad does not count": about("no_grad once", 0, WRITES_COUNT),
            "no_grad changes nothing": about("no_grad once", "leaf", WRITES_COUNT),
            "no_grad resets the version": about("no_grad more than once", 0, WRITES_COUNT),
            "no_grad counts as one write": about(
                "no_grad more than once",
                1,
                "Two writes, two counts. The counter does not know of `with` blocks, and it does not look at the "
                "numbers: adding 1 and taking it away again are two writes.",
            ),
            "no_grad changes nothing, twice": about("no_grad more than once", "leaf", WRITES_COUNT),
            "a new tensor counts on": about("new name", 1, NEW_NAME),
            "a new name is refused": about("new name", "leaf", NEW_NAME),
            "detach has its own counter": about("detach", 0, DETACH_SHARES),
            "detach is refused": about("detach", "leaf", DETACH_SHARES),
            "detach is refused as a view": about("detach", "view", DETACH_SHARES),
            "data shares the counter": about("data", 1, DATA_HIDES),
            "data is refused": about("data", "leaf", DATA_HIDES),
            "data is refused as a view": about("data", "view", DATA_HIDES),
            "results are refused": about("other tensor", "leaf", OTHER_TENSOR),
            "parts of results are refused": about("other tensor", "view", OTHER_TENSOR),
            "another tensor counts for w": about("other tensor", 1, OTHER_TENSOR),
        },
        hints=(
            "Two questions. Does the line **write** into the memory of `w`? If not, the answer is 0. If it does: does the "
            "tensor that is written require grad, and is recording on? Then it is refused. Else count the writes.",
            "Three windows on the same memory: `w[0]` is a view and falls under the leaf rule; `w.detach()` does not, and "
            "shares the counter; `w.data` does not, and has a counter of its own.",
            'One line is `"leaf"` and one is `"view"`. Three leave the counter at 0, two at 1, and one at 2.',
        ),
        explanation="""\
The leaf rule is about **recording**: a leaf that requires grad must not get a history, so while recording is on nobody may
write to it, nor to a view of it. It is checked at once, before the write.

The counter is about **writes**. It belongs to the memory, so all windows that share it count together, and nothing sets it
back.

| the line | leaf rule | counter of `w` |
|---|---|---|
| `w += 1`, `w[0] = 5` | refused | stays |
| the same under `no_grad` | allowed | moves, once for each write |
| `w.detach().add_(1)` | allowed | moves: it is shared |
| `w.data.add_(1)` | allowed | **stays**: `.data` has its own |
| `w = w + 1` | nothing is written | a new tensor, at 0 |
""",
    )
)


# --- 11.3 One step of SGD, in place -------------------------------------------------------------------------


def sgd_step_(params, lr):
    """One step of gradient descent, in place: take lr times its gradient from each tensor in the list params."""
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad


@mg.no_grad()
def sgd_decorated(params, lr):
    for p in filter(lambda p: p.grad is not None, params):
        p.sub_(p.grad, alpha=lr)


def sgd_detached(params, lr):
    for p in params:
        if p.grad is None:
            continue
        window = p.detach()
        window += -lr * p.grad


def sgd_copy(params, lr):
    with mg.no_grad():
        for i in range(len(params)):
            if params[i].grad is not None:
                params[i].copy_(params[i] - lr * params[i].grad)


def sgd_flag(params, lr):
    for p in params:
        if p.grad is None:
            continue
        p.requires_grad_(False)
        p -= lr * p.grad
        p.requires_grad_(True)


def sgd_slice(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p[...] = p - p.grad * lr


def sgd_data(params, lr):
    for p in params:
        if p.grad is not None:
            p.data -= lr * p.grad


def sgd_data_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.data.add_(p.grad, alpha=-lr)


def sgd_other_memory(params, lr):
    for p in params:
        if p.grad is not None:
            p.data = p.data - lr * p.grad


def sgd_other_memory_again(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p.data = (p - lr * p.grad).clone()


def sgd_tracked(params, lr):
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad


def sgd_tracked_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.sub_(lr * p.grad)


def sgd_local(params, lr):
    for p in params:
        if p.grad is not None:
            p = p - lr * p.grad


def sgd_local_again(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p = p - lr * p.grad


def sgd_results(params, lr):
    for i, p in enumerate(params):
        if p.grad is not None:
            params[i] = p - lr * p.grad


def sgd_results_again(params, lr):
    params[:] = [p if p.grad is None else p.sub(p.grad * lr) for p in params]


def sgd_new_leaves(params, lr):
    for i, p in enumerate(params):
        if p.grad is not None:
            params[i] = (p - lr * p.grad).detach().requires_grad_()


def sgd_new_leaves_again(params, lr):
    with mg.no_grad():
        for i in range(len(params)):
            if params[i].grad is not None:
                params[i] = (params[i] - lr * params[i].grad).requires_grad_(True)


def sgd_constants(params, lr):
    with mg.no_grad():
        for i in range(len(params)):
            if params[i].grad is not None:
                params[i] = params[i] - lr * params[i].grad


def sgd_constants_again(params, lr):
    for i, p in enumerate(params):
        if p.grad is not None:
            params[i] = p.detach() - lr * p.grad


def sgd_no_none(params, lr):
    with mg.no_grad():
        for p in params:
            p -= lr * p.grad


def sgd_no_none_again(params, lr):
    for p in params:
        p.detach().add_(-lr * p.grad)


def sgd_no_none_right(params, lr):
    with mg.no_grad():
        for p in params:
            p.copy_(p - p.grad * lr)


def sgd_no_none_right_again(params, lr):
    for p in params:
        p.detach().sub_(p.grad * lr)


def sgd_no_none_alpha(params, lr):
    with mg.no_grad():
        for p in params:
            p.sub_(p.grad, alpha=lr)


def sgd_no_none_alpha_again(params, lr):
    for p in params:
        p.detach().sub_(p.grad, alpha=lr)


def sgd_tracked_view(params, lr):
    for p in params:
        if p.grad is not None:
            p.view(-1)[:] = (p - lr * p.grad).view(-1)


def sgd_tracked_view_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.view(-1).sub_(lr * p.grad.view(-1))


def sgd_stops(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is None:
                break
            p -= lr * p.grad


@mg.no_grad()
def sgd_stops_again(params, lr):
    for p in params:
        if p.grad is None:
            return
        p.sub_(p.grad, alpha=lr)


def sgd_truth(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad:
                p -= lr * p.grad


def sgd_truth_again(params, lr):
    for p in params:
        if not p.grad:
            continue
        p.detach().sub_(lr * p.grad)


def sgd_no_lr(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= p.grad


def sgd_no_lr_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.detach().sub_(p.grad)


def sgd_first_only(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
            return params


def sgd_first_only_again(params, lr):
    first = params[0]
    if first.grad is not None:
        first.detach().sub_(first.grad, alpha=lr)


def sgd_uphill(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p += lr * p.grad


def sgd_uphill_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.detach().add_(p.grad, alpha=lr)


def sgd_clears(params, lr):
    sgd_step_(params, lr)
    for p in params:
        p.grad = None


def sgd_clears_again(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p.sub_(lr * p.grad)
                p.grad = None


def sgd_zeroes(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= lr * p.grad
                p.grad.zero_()


def sgd_zeroes_again(params, lr):
    sgd_decorated(params, lr)
    for p in params:
        if p.grad is not None:
            p.grad *= 0


def sgd_scales(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p -= p.grad.mul_(lr)


def sgd_scales_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.grad *= lr
            p.detach().sub_(p.grad)


def sgd_frozen(params, lr):
    for p in params:
        if p.grad is not None:
            p.requires_grad = False
            p -= lr * p.grad


def sgd_frozen_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.requires_grad_(False).sub_(p.grad * lr)


def sgd_switched_off(params, lr):
    mg.set_grad_enabled(False)
    for p in params:
        if p.grad is not None:
            p -= lr * p.grad


def sgd_switched_off_again(params, lr):
    mg.autograd.set_grad_enabled(False)
    sgd_step_(params, lr)


RECORDING = (
    "The leaf rule: while recording is on, a leaf that requires grad may not be written, nor a view of it. The step belongs to "
    "no graph, so switch recording off: `with mg.no_grad():`."
)
NO_GRADIENT = "A parameter that no backward pass has reached has `.grad` None, and None times `lr` is an error. Skip it."


def observe_step(answer: Callable[..., Any], params: list[Any], grads: list[Any], lr: float) -> dict[str, Any]:
    """What a step leaves: in the tensors, in the list, in the memory, and in the mode."""
    mg.set_grad_enabled(True)
    for p, g in zip(params, grads, strict=True):
        p.grad = g
    held, windows = list(params), [p.detach().view(-1) for p in params]
    grads_before = [None if g is None else g.clone() for g in grads]
    try:
        answer(params, lr)
        recording = mg.is_grad_enabled()
    finally:
        mg.set_grad_enabled(True)
    if not all(isinstance(p, mg.Tensor) for p in params):
        return {"the list": "holds something that is no Tensor"}
    same = len(params) == len(held) and all(p is q for p, q in zip(params, held, strict=True))
    seen: dict[str, Any] = {
        "the list holds the same tensors": same,
        "values": [p.detach().clone() for p in params],
        "is_leaf": [p.is_leaf for p in params],
        "requires_grad": [p.requires_grad for p in params],
        "the memory was written": [
            bool((w == p.detach().view(-1)).all()) for w, p in zip(windows, held, strict=True)
        ],
        "the tensors that the caller holds": [p.detach().clone() for p in held],
        ".grad": [p.grad if p.is_leaf else None for p in params],
        "recording is on afterwards": recording,
        "cost_counted": [p._version > 0 for p in held],
    }
    seen[".grad is as it was"] = [
        (a is None) == (b is None) and (a is None or bool((a == b).all()))
        for a, b in zip(grads_before, (p.grad for p in held), strict=True)
    ]
    return seen


def step_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def leaf(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=True)

    def grad(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    return [
        Case("with gradients: one parameter", ([leaf(3)], [grad(3)], float(rng.uniform(0.05, 0.2)))),
        Case(
            "with gradients: a matrix, a bias and a number",
            ([leaf(2, 4), leaf(4), leaf()], [grad(2, 4), grad(4), grad()], float(rng.uniform(0.3, 0.9))),
        ),
        Case(
            "without: a parameter that got no gradient",
            ([leaf(5), leaf(3), leaf(2, 1)], [grad(5), None, grad(2, 1)], float(rng.uniform(0.05, 0.2))),
        ),
    ]


def step_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def tensor(*shape: int, leaf: bool = False) -> Any:
        return random_tensor(rng, dtype, *shape, leaf=leaf)

    return [
        Case("without: none got a gradient", ([tensor(2, leaf=True), tensor(leaf=True)], [None, None], 0.1)),
        Case("without: the first got no gradient", ([tensor(2, leaf=True), tensor(3, leaf=True)], [None, tensor(3)], 0.5)),
        Case("with gradients: lr is 0", ([tensor(3, leaf=True)], [tensor(3)], 0.0)),
        Case("with gradients: one number, its gradient is 0", ([tensor(1, leaf=True)], [mg.zeros(1, dtype=dtype)], 0.3)),
    ]


register(
    Exercise(
        id="11.3",
        title="One step of SGD, in place",
        difficulty=2,
        minutes=6,
        reference=sgd_step_,
        cases=step_cases,
        edges=step_edges,
        observe=observe_step,
        may_change_inputs=True,
        alternatives={
            "decorated, sub_": sgd_decorated,
            "through a detached window": sgd_detached,
            "copy_": sgd_copy,
            "the flag off and on": sgd_flag,
            "all of it assigned": sgd_slice,
        },
        wasteful={
            "data": Mistake(
                sgd_data,
                "It works, and much old code does it. But the guard is blind: `.data` has a counter of its own, and NumPy knows "
                "none, so a graph that still needs the old values would not notice. Under `mg.no_grad()` the same line is counted.",
                sgd_data_again,
            )
        },
        mistakes={
            "recording is on": Mistake(sgd_tracked, RECORDING, sgd_tracked_again),
            "recording is on, written as a view": Mistake(sgd_tracked_view, RECORDING, sgd_tracked_view_again),
            "a new local name": Mistake(
                sgd_local,
                "Nothing has changed for the caller. `p = p - …` computes a new tensor and calls it `p` inside your "
                "function; the parameter still has its old numbers. Write **into** it: `p -= …`, or `p.sub_(…)`.",
                sgd_local_again,
                evidence=lambda source, results: re.search(r"\b(\w+) = (\w+\.)*\(*\1\b", source) is not None,
            ),
            "results in the list": Mistake(
                sgd_results,
                "The list now holds *results*: new tensors that are no leaves. Their next `.grad` is None, and the model "
                "that holds the old tensors does not learn. Write into the tensors themselves.",
                sgd_results_again,
            ),
            "new leaves in the list": Mistake(
                sgd_new_leaves,
                "These are new tensors. They are leaves, but not the ones that the model and others hold: those keep their "
                "old numbers. Write into the tensors themselves.",
                sgd_new_leaves_again,
            ),
            "constants in the list": Mistake(
                sgd_constants,
                "The list now holds new tensors that do not require grad: they will never get a gradient again. Write "
                "into the tensors themselves.",
                sgd_constants_again,
            ),
            "other memory": Mistake(
                sgd_other_memory,
                "The tensor is the same object, but `p.data = …` gave it **other memory**. A view or a detached window that "
                "somebody took before shows the old numbers. In place means: into the memory that is there.",
                sgd_other_memory_again,
            ),
            "None is not skipped": Mistake(sgd_no_none, NO_GRADIENT, sgd_no_none_again),
            "None is not skipped, lr on the right": Mistake(sgd_no_none_right, NO_GRADIENT, sgd_no_none_right_again),
            "None is not skipped, alpha": Mistake(sgd_no_none_alpha, NO_GRADIENT, sgd_no_none_alpha_again),
            "the rest is skipped too": Mistake(
                sgd_stops,
                "At the first parameter without a gradient your function ends, and those behind it are left as they were. Skip "
                "only the one: `continue`, or write the step into an `if`.",
                sgd_stops_again,
            ),
            "the truth of a tensor": Mistake(
                sgd_truth,
                "`if p.grad` asks whether a whole tensor is true, and for several numbers there is no answer. Ask whether it is "
                "there: `if p.grad is not None`.",
                sgd_truth_again,
            ),
            "no lr": Mistake(
                sgd_no_lr,
                "Where is `lr`? You take the whole gradient away. The step is `lr` times as long.",
                sgd_no_lr_again,
            ),
            "the first alone": Mistake(
                sgd_first_only,
                "Only the first parameter has moved. Does a `return` stand inside the loop?",
                sgd_first_only_again,
            ),
            "uphill": Mistake(
                sgd_uphill,
                "The gradient points to where the loss *grows*. A step of descent goes the other way: subtract.",
                sgd_uphill_again,
            ),
            "the gradients are cleared": Mistake(
                sgd_clears,
                "The step is right. But the gradients are gone too, and nobody asked for that: a step reads `.grad` and leaves "
                "it alone. Clearing is a line of its own (chapter 06).",
                sgd_clears_again,
            ),
            "the gradients are zeroed": Mistake(
                sgd_zeroes,
                "The step is right. But `.grad` was zeroed too, and nobody asked for that: a step reads `.grad` and leaves it alone.",
                sgd_zeroes_again,
            ),
            "the gradients are scaled": Mistake(
                sgd_scales,
                "The step is right, but `.grad` was multiplied by `lr` in place. `lr * p.grad` makes a new tensor and leaves the "
                "gradient alone.",
                sgd_scales_again,
            ),
            "frozen": Mistake(
                sgd_frozen,
                "The step is right, but the parameters do not require grad any more: the flag was taken away and not given "
                "back. With `mg.no_grad()` you need not touch it.",
                sgd_frozen_again,
            ),
            "recording stays off": Mistake(
                sgd_switched_off,
                "The step is right, but recording is off from now on, for the whole program. `with mg.no_grad():` switches it "
                "back on at the end of the block, even after an error.",
                sgd_switched_off_again,
            ),
        },
        hints=(
            "Two things are needed: a **write**, so that everybody who holds the tensor sees the new numbers; and no "
            "**recording**, because the step belongs to no graph.",
            "In section 2 compare `p -= 0.1` under `no_grad` with `p = p - 0.1`: the one changes the numbers in the memory, the "
            "other moves the name to a new tensor, and the picture shows what hangs on that. And some parameter may have "
            "`.grad` None.",
            "```python\ndef sgd_step_(params, lr):\n    with mg.___():\n        for p in params:\n"
            "            if p.grad is ___:\n                p ___ lr * p.grad\n```",
        ),
        explanation="""\
`p -= lr * p.grad` under `no_grad` writes into the memory that the model, the optimizer and everybody else share. `p` is the
same object and still a leaf that requires grad, and its counter moves, so that a graph that needed the old value
says so.

`p = p - lr * p.grad` moves the *name*. Inside a function only your own name moves; in a training loop `p` becomes a
result, its next `.grad` is None, and the loop fails one turn later.

`p.data -= …` gives the same numbers, and is in much old code. It hides the write from the counter: section 4 shows what
that can cost. `mg.optim.SGD` does what you did, under `no_grad`.
""",
    )
)


# --- 11.4 The silence of data -------------------------------------------------------------------------------


def trap(w, window):
    """A scalar L of w whose gradient goes wrong in silence for window = .data, and raises for .detach().

    w: a leaf of shape (n,). window: a function of one tensor. Returns L; does not call backward.
    """
    y = mg.exp(w)
    window(y).zero_()
    return y.sum()


def trap_input(w, window):
    L = (w**2).sum()
    view = window(w)
    view += 1
    return L


def trap_entry(w, window):
    h = mg.sigmoid(2 * w)
    window(h)[0] = 5.0
    return h.mean()


def trap_factor(w, window):
    h = w * 3
    y = h * h
    window(h).mul_(2)
    return y.sum()


def trap_part(w, window):
    y = w.tanh()
    window(y[1:]).fill_(0.25)
    return (y * 3).sum()


def trap_not_saved(w, window):
    y = w + 1
    window(y).zero_()
    return y.sum()


def trap_not_saved_again(w, window):
    y = mg.sin(w)
    view = window(y)
    view *= 2
    return y.sum()


def trap_too_early(w, window):
    h = w * 3
    window(h).add_(1)
    return mg.exp(h).sum()


def trap_too_early_again(w, window):
    view = window(w)
    view *= 2
    return (w**2).sum()


def trap_same_numbers(w, window):
    y = mg.exp(w)
    window(y).mul_(1)
    return y.sum()


def trap_same_numbers_again(w, window):
    y = mg.tanh(w)
    view = window(y)
    view += 1
    view -= 1
    return y.sum()


def trap_no_window(w, window):
    y = mg.exp(w)
    with mg.no_grad():
        y.zero_()
    return y.sum()


def trap_no_window_again(w, window):
    y = mg.tanh(w)
    y += 1
    return y.sum()


def trap_always_data(w, window):
    y = mg.exp(w)
    y.data.zero_()
    return y.sum()


def trap_always_data_again(w, window):
    y = mg.tanh(w)
    y.data[0] = 5.0
    return y.sum()


def trap_no_graph(w, window):
    y = window(mg.exp(w))
    y.zero_()
    return y.sum()


def trap_no_graph_again(w, window):
    view = window(w)
    view += 1
    return (view**2).sum()


def trap_no_graph_no_write(w, window):
    return (window(w) ** 2).sum()


def trap_no_graph_no_write_again(w, window):
    y = window(mg.exp(w))
    return (y * 0).sum()


def trap_no_write(w, window):
    y = mg.exp(w)
    return (y * window(y)).sum()


def trap_no_write_again(w, window):
    y = w**2
    view = window(y)
    view = view * 0
    return y.sum() + view.sum()


def trap_leaf(w, window):
    y = (w**2).sum()
    w += 1
    return y


def trap_leaf_again(w, window):
    y = mg.sin(w)
    w.zero_()
    return y.sum()


def trap_recorded(w, window):
    y = mg.exp(w)
    view = window(y)
    view += w
    return view.sum()


def trap_recorded_again(w, window):
    view = window(w.exp())
    view *= w
    return view.sum()


def trap_backward(w, window):
    L = trap(w, window)
    L.backward()
    return L


def trap_backward_again(w, window):
    L = trap_input(w, window)
    L.backward()


WINDOWS: dict[str, Callable[[Any], Any]] = {
    "a copy": lambda t: t.detach().clone(),
    "detach": lambda t: t.detach(),
    "data": lambda t: t.data,
}


def observe_trap(answer: Callable[..., Any], w: Any) -> Any:
    """The gradient with each window, beside the one that the program has where the write goes to a copy."""
    seen, right = {}, None
    for name, window in WINDOWS.items():
        leaf = w.detach().clone().requires_grad_()
        passes: list[int] = []
        handed: list[Any] = []

        def watched(t: Any, window: Callable[[Any], Any] = window, handed: list[Any] = handed) -> Any:
            handed.append(window(t))
            return handed[-1]

        leaf.register_hook(lambda g, passes=passes: passes.append(1))
        try:
            L = answer(leaf, watched)
        except RuntimeError as error:
            if CHANGED not in str(error):
                raise
            seen["backward"] = "called by your function"
            return seen
        if passes:
            seen["backward"] = "called by your function"
            return seen
        if not isinstance(L, mg.Tensor):
            return unfit(L, "a Tensor: the scalar L")
        if L.numel() != 1:
            return Unfit(f"a Tensor of shape {tuple(L.shape)}", "a scalar: one number")
        if right is None:
            seen["the window"] = use_of(handed)
        seen[f"window = {name}"] = gradient_in_words(L, leaf, right)
        if right is None:
            right = leaf.grad
    return seen


def use_of(handed: list[Any]) -> str:
    """What became of the tensors that the window handed out."""
    if not handed:
        return "is not called"
    if any(t.requires_grad for t in handed):
        return "has a history"
    return "is written" if any(t._version for t in handed) else "is not written"


def gradient_in_words(L: Any, leaf: Any, right: Any) -> str:
    if not L.requires_grad:
        return "no graph leads from L to w"
    try:
        L.backward()
    except RuntimeError as error:
        if CHANGED not in str(error):
            raise
        return "backward raises"
    if leaf.grad is None:
        return "no gradient reaches w"
    if right is None:
        return "a gradient"
    return "the same gradient" if mg.allclose(leaf.grad, right, equal_nan=True) else "another gradient"


def trap_numpy(w, window):
    y = mg.exp(w)
    window(y).numpy()[:] = 0
    return y.sum()


def trap_numpy_again(w, window):
    x = w * 1
    y = x**2
    a = np.asarray(window(x))
    a *= 3
    return y.sum()


def trap_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case(f"w of shape ({n},)", (mg.tensor(rng.uniform(0.5, 1.5, n), dtype=dtype),)) for n in (3, 4)
    ]


register(
    Exercise(
        id="11.4",
        title="The silence of data",
        difficulty=3,
        minutes=7,
        reference=trap,
        without={
            "values": "a write through the window may reach w itself",
            "edges": "a write to a part of the tensor needs several entries",
        },
        cases=trap_cases,
        observe=observe_trap,
        alternatives={
            "the saved input": trap_input,
            "one entry": trap_entry,
            "a factor": trap_factor,
            "a part of a part": trap_part,
        },
        mistakes={
            "the value was not saved": Mistake(
                trap_not_saved,
                "You wrote to a value that no node kept, so nothing went wrong, neither loudly nor silently. `w + 1` keeps "
                "nothing, and `sin` keeps its input. Write to something that backward **needs**: the output of exp, the "
                "input of a square.",
                trap_not_saved_again,
            ),
            "the write comes too early": Mistake(
                trap_too_early,
                "You wrote before the value was saved. A node remembers the version at the moment when it saves, so `detach()` "
                "has nothing to complain about. First the operation, then the write.",
                trap_too_early_again,
            ),
            "the same numbers": Mistake(
                trap_same_numbers,
                "With `detach()` it raises, as it should: the counter counts writes, not changes. But with `.data` the gradient "
                "is right, because what you wrote gives the same slope: the old numbers again, or, after relu, numbers of the "
                "same sign. Write numbers that matter.",
                trap_same_numbers_again,
            ),
            "the window is not used": Mistake(
                trap_no_window,
                "It raises for `.data` too: the write did not go through the window, so the counter saw it. Write to "
                "`window(...)` of the value that was saved.",
                trap_no_window_again,
            ),
            "data in any case": Mistake(
                trap_always_data,
                "You did not call `window`. (If you wrote through `.data` of your own: with `detach()` nothing raises then.) Write to "
                "`window(...)` of the value that was saved: the checker puts in the one or the other.",
                trap_always_data_again,
            ),
            "no graph": Mistake(
                trap_no_graph,
                "There is no graph left: `L` was computed from the *window*, which has no history. Compute `L` from the "
                "tracked tensor, and use the window only to write.",
                trap_no_graph_again,
            ),
            "no graph, and nothing is written": Mistake(
                trap_no_graph_no_write,
                "There is no graph: `L` was computed from the *window*, which has no history. Compute `L` from the tracked "
                "tensor, and use the window only to write into its memory.",
                trap_no_graph_no_write_again,
            ),
            "nothing is written": Mistake(
                trap_no_write,
                "Nothing was written in place. `view * 0` makes a new tensor; `view.zero_()`, `view *= 0` and "
                "`view[0] = 0` write into the memory that the window shows.",
                trap_no_write_again,
            ),
            "written by NumPy": Mistake(
                trap_numpy,
                "NumPy writes past every counter, so `detach()` notices nothing either (section 5). Write through the tensor: "
                "`window(y).zero_()`.",
                trap_numpy_again,
            ),
            "the leaf is written": Mistake(
                trap_leaf,
                "That is the other guard: the leaf rule, which refuses the write at once. Write through `window(...)`.",
                trap_leaf_again,
            ),
            "the write is recorded": Mistake(
                trap_recorded,
                "`view += w` records a new operation: now the window has a history of its own, and `L` comes from "
                "there. Write plain numbers through the window, and return an `L` that comes from the tracked tensor.",
                trap_recorded_again,
            ),
            "backward is called": Mistake(
                trap_backward,
                "Your function called `backward` itself. Return `L`; the checker calls it, once with each window.",
                trap_backward_again,
            ),
        },
        hints=(
            "Both windows show the same memory. Only the counter tells them apart, and the counter matters only for values "
            "that a node has **saved**. So: which operation saves a value that you can still reach by a name?",
            "The first picture of the lesson: exp saves `y` (the pin); then somebody writes to `y` through a window; "
            "then backward comes back to the pin. With `detach` the step goes up, with `.data` it does not.",
            "Three lines:\n\n```python\ny = mg.exp(w)       # saves y\nwindow(___).___()   # other numbers, in place\n"
            "return y.___()\n```",
        ),
        explanation="""\
`exp` keeps its output, because its slope **is** its output. Write zeros there, and backward multiplies by zeros. With
`detach()` the counter of `y` moves, backward compares 1 with the 0 it noted, and raises. With `.data` the counter stays at
0, nothing is noticed, and the gradient is 0 instead of eʷ.

Three things must come together for the silent kind: the value was **saved**, it was written **after** that, and the write
was **not counted**. If one is missing, all is well or you get an error.

So `.data` has no use that `detach()` or `no_grad()` would not serve. The loud error is the better one.
""",
    )
)


# --- 11.5 A step between two backwards ----------------------------------------------------------------------


class Repair:
    """Two repairs of a program that takes a step between two backward passes."""

    @staticmethod
    def gradients_first(w, trunk, loss1, loss2, step):
        """trunk is called once; both gradients belong to the w that trunk has seen."""
        h = trunk(w)
        loss1(h).backward(retain_graph=True)
        loss2(h).backward()
        step(w)

    @staticmethod
    def forward_again(w, trunk, loss1, loss2, step):
        """A step for loss1, then a step for loss2 whose gradient belongs to the w after the first step."""
        loss1(trunk(w)).backward()
        step(w)
        loss2(trunk(w)).backward()
        step(w)


REPAIR_STARTER = '''\
class Repair:
    """Two repairs of a program that takes a step between two backward passes."""

    @staticmethod
    def gradients_first(w, trunk, loss1, loss2, step):
        """trunk is called once; both gradients belong to the w that trunk has seen."""
        ...

    @staticmethod
    def forward_again(w, trunk, loss1, loss2, step):
        """A step for loss1, then a step for loss2 whose gradient belongs to the w after the first step."""
        ...
'''

LR = 0.1


def step_of(w: Any) -> None:
    """One step of SGD, and the gradient is cleared."""
    with mg.no_grad():
        w -= LR * w.grad
    w.grad = None


def repair(**methods: Callable[..., Any]) -> type:
    """A Repair with other methods."""
    return type("Repair", (Repair,), {name: staticmethod(method) for name, method in methods.items()})


def first_sum(w, trunk, loss1, loss2, step):
    h = trunk(w)
    (loss1(h) + loss2(h)).backward()
    step(w)


def first_clone(w, trunk, loss1, loss2, step):
    h = trunk(w.clone())
    l1, l2 = loss1(h), loss2(h)
    l1.backward(retain_graph=True)
    step(w)
    l2.backward()
    step(w)


def first_grad(w, trunk, loss1, loss2, step):
    h = trunk(w)
    g1 = mg.autograd.grad(loss1(h), w, retain_graph=True)[0]
    g2 = mg.autograd.grad(loss2(h), w)[0]
    for g in (g1, g2):
        w.grad = g
        step(w)


def first_roots(w, trunk, loss1, loss2, step):
    h = trunk(w)
    mg.autograd.backward([loss1(h), loss2(h)])
    step(w)


def again_loop(w, trunk, loss1, loss2, step):
    for loss in (loss1, loss2):
        w.grad = None
        h = trunk(w)
        loss(h).backward()
        step(w)


def again_grad(w, trunk, loss1, loss2, step):
    w.grad = mg.autograd.grad(loss1(trunk(w)), [w])[0]
    step(w)
    (w.grad,) = mg.autograd.grad(loss2(trunk(w)), [w])
    step(w)


def as_given(w, trunk, loss1, loss2, step):
    h = trunk(w)
    l1, l2 = loss1(h), loss2(h)
    l1.backward(retain_graph=True)
    step(w)
    l2.backward()
    step(w)


def retained_everywhere(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    step(w)
    loss2(h).backward(retain_graph=True)
    step(w)


def not_retained(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward()
    loss2(h).backward()
    step(w)


def not_retained_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    l1, l2 = loss1(h), loss2(h)
    l1.backward()
    l2.backward()
    step(w)


def hidden_step(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    w.data -= LR * w.grad
    w.grad = None
    loss2(h).backward()
    w.data -= LR * w.grad
    w.grad = None


def hidden_step_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    w.data.sub_(w.grad, alpha=LR)
    w.grad = None
    loss2(h).backward()
    step(w)


def first_only(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    step(w)


def first_only_again(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    with mg.no_grad():
        w -= LR * w.grad


def trunk_twice(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    loss2(trunk(w)).backward()
    step(w)


def trunk_twice_again(w, trunk, loss1, loss2, step):
    (loss1(trunk(w)) + loss2(trunk(w))).backward()
    step(w)


def second_detached(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    step(w)
    loss2(h.detach().requires_grad_()).backward()
    if w.grad is not None:
        step(w)


def both_at_old(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    loss2(trunk(w)).backward()
    step(w)


def both_at_old_again(w, trunk, loss1, loss2, step):
    old = w.detach().clone().requires_grad_()
    for loss in (loss1, loss2):
        (w.grad,) = mg.autograd.grad(loss(trunk(old)), [old])
        step(w)


def added_up(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    first = w.grad.clone()
    step(w)
    w.grad = first
    loss2(trunk(w)).backward()
    step(w)


def added_up_again(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    with mg.no_grad():
        w -= LR * w.grad
    loss2(trunk(w)).backward()
    step(w)


def no_second_step(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    step(w)
    loss2(trunk(w)).backward()


def no_second_step_again(w, trunk, loss1, loss2, step):
    (w.grad,) = mg.autograd.grad(loss1(trunk(w)), [w])
    step(w)
    mg.autograd.grad(loss2(trunk(w)), [w])


def first_no_step(w, trunk, loss1, loss2, step):
    h = trunk(w)
    (loss1(h) + loss2(h)).backward()


def first_no_step_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    loss2(h).backward()


def first_two_steps(w, trunk, loss1, loss2, step):
    first_no_step(w, trunk, loss1, loss2, step)
    step(w)
    step(w)


def first_two_steps_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    mg.autograd.backward([loss1(h), loss2(h)])
    for _ in range(2):
        step(w)


def first_cleared_between(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    w.grad = None
    loss2(h).backward()
    step(w)


def first_cleared_between_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    (w.grad,) = mg.autograd.grad(loss1(h), w, retain_graph=True)
    (w.grad,) = mg.autograd.grad(loss2(h), w)
    step(w)


def other_order(w, trunk, loss1, loss2, step):
    again_loop(w, trunk, loss2, loss1, step)


def other_order_again(w, trunk, loss1, loss2, step):
    again_grad(w, trunk, loss2, loss1, step)


def observe_repair(
    answer: Any, method: str, w: Any, trunk: Callable[..., Any], loss1: Callable[..., Any], loss2: Callable[..., Any]
) -> dict[str, Any]:
    calls = []

    def watched_trunk(t: Any) -> Any:
        calls.append(1)
        return trunk(t)

    def step(t: Any) -> None:
        if t.grad is None:
            raise RuntimeError("step(w) was called while w.grad is None")
        step_of(t)

    watched_trunk.__name__ = watched_trunk.__qualname__ = "trunk"
    getattr(answer, method)(w, watched_trunk, loss1, loss2, step)
    return {
        "w": w.detach().clone(),
        "calls of trunk": len(calls),
        "w is a leaf that requires grad": w.is_leaf and w.requires_grad,
    }


def repair_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    cases = []
    for method in ("gradients_first", "forward_again"):
        matrix = random_tensor(rng, dtype, 4, 3)
        cases += [
            Case(
                f"{method}: trunk = sin, 3 parameters",
                (
                    method,
                    random_tensor(rng, dtype, 3, leaf=True),
                    mg.sin,
                    lambda h: (h**2).sum(),
                    lambda h: mg.exp(h).sum(),
                ),
            ),
            Case(
                f"{method}: trunk = matrix @ w**2, 3 parameters",
                (
                    method,
                    random_tensor(rng, dtype, 3, leaf=True),
                    lambda w, matrix=matrix: matrix @ w**2,
                    lambda h: mg.sigmoid(h).sum(),
                    lambda h: (h * h).mean(),
                ),
            ),
        ]
    return cases


NOT_THE_BUFFERS = (
    "This is no freed-buffer problem, so `retain_graph` cannot help. Read the message: something is *at version 1; expected "
    "version 0*. Your step wrote over the `w` that the second backward still needs."
)
FREED = (
    "That is the other error, the one about a graph gone through a second time: both losses hang on the one `h`, and the first "
    "backward freed what the trunk had saved. Keep it for the second: `retain_graph=True` at the **first** call."
)
SILENT = (
    "No error, and a wrong gradient: `.data` hides the write from the counter. The second backward mixed what it kept from the "
    "old `w` with the new one. That is worse than the error."
)
ONE_LOSS = (
    "Only the first loss has moved `w`. Did the second have its backward? And if it had: did an arrow lead from there to `w`? "
    "`detach()` ends the error, and the gradient with it."
)

def repair_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    return [
        Case(
            f"{method}: trunk = exp, one parameter",
            (method, random_tensor(rng, dtype, 1, leaf=True), mg.exp, lambda h: (h**2).sum(), lambda h: mg.sin(h).sum()),
        )
        for method in ("gradients_first", "forward_again")
    ]


register(
    Exercise(
        id="11.5",
        title="A step between two backwards",
        difficulty=3,
        minutes=9,
        reference=Repair,
        cases=repair_cases,
        edges=repair_edges,
        observe=observe_repair,
        starter=REPAIR_STARTER,
        may_change_inputs=True,
        alternatives={
            "one backward from the sum; a loop": repair(gradients_first=first_sum, forward_again=again_loop),
            "trunk on a clone": repair(gradients_first=first_clone),
            "autograd.grad": repair(gradients_first=first_grad, forward_again=again_grad),
            "two roots": repair(gradients_first=first_roots),
        },
        mistakes={
            "still the same order": Mistake(
                repair(gradients_first=as_given),
                NOT_THE_BUFFERS,
                repair(gradients_first=retained_everywhere),
            ),
            "still the same graph": Mistake(
                repair(forward_again=retained_everywhere),
                NOT_THE_BUFFERS,
                repair(forward_again=as_given),
            ),
            "the graph is freed": Mistake(
                repair(gradients_first=not_retained), FREED, repair(gradients_first=not_retained_again)
            ),
            "a hidden step": Mistake(
                repair(gradients_first=hidden_step), SILENT, repair(gradients_first=hidden_step_again)
            ),
            "a hidden step, second repair": Mistake(
                repair(forward_again=hidden_step), SILENT, repair(forward_again=hidden_step_again)
            ),
            "the trunk is called twice": Mistake(
                repair(gradients_first=trunk_twice),
                "`w` is right, but you called `trunk` twice for it. Both gradients belong to the same `w`, so one `h` will do: "
                "compute it once, and keep its graph for the second backward.",
                repair(gradients_first=trunk_twice_again),
            ),
            "the second repair in place of the first": Mistake(
                repair(gradients_first=again_loop),
                "That is the other repair: the second gradient belongs to the `w` after the first step. Here both belong to "
                "the `w` that `trunk` has seen. First both gradients, then the step.",
                repair(gradients_first=Repair.forward_again),
            ),
            "the first repair in place of the second": Mistake(
                repair(forward_again=Repair.gradients_first),
                "That is the other repair: both gradients belong to the old `w`. Here the second is to be taken **after** the "
                "first step, so `trunk` must run again, on the new `w`.",
                repair(forward_again=first_sum),
            ),
            "both gradients at the old w": Mistake(
                repair(forward_again=both_at_old),
                "`trunk` ran twice, but both times on the old numbers. The second gradient belongs to the `w` after the first "
                "step: step first, then call `trunk` again.",
                repair(forward_again=both_at_old_again),
            ),
            "the gradients are added up": Mistake(
                repair(forward_again=added_up),
                "Your second step used both gradients: `backward` adds to what is in `w.grad`. `step(w)` clears it for you; "
                "if you write the step yourself, set `w.grad = None` after it.",
                repair(forward_again=added_up_again),
            ),
            "only the first loss": Mistake(
                repair(gradients_first=first_only), ONE_LOSS, repair(gradients_first=second_detached)
            ),
            "only the first loss, second repair": Mistake(
                repair(forward_again=first_only), ONE_LOSS, repair(forward_again=first_only_again)
            ),
            "no step": Mistake(
                repair(gradients_first=first_no_step),
                "Both gradients are in `w.grad`, added up, but `w` has not moved: a `step(w)` is missing after them.",
                repair(gradients_first=first_no_step_again),
            ),
            "two steps with one gradient": Mistake(
                repair(gradients_first=first_two_steps),
                "The two backward passes have **added up** in `w.grad`, and the first `step(w)` took both and cleared it. For the "
                "second there is nothing left: one step is enough.",
                repair(gradients_first=first_two_steps_again),
            ),
            "the first gradient is lost": Mistake(
                repair(gradients_first=first_cleared_between),
                "Only the second gradient has moved `w`. The first was overwritten or cleared before the step: let them add up in "
                "`w.grad`.",
                repair(gradients_first=first_cleared_between_again),
            ),
            "no second step": Mistake(
                repair(forward_again=no_second_step),
                "The second gradient is there, but it has moved nothing: a `step(w)` is missing after the second backward.",
                repair(forward_again=no_second_step_again),
            ),
            "the losses change places": Mistake(
                repair(forward_again=other_order),
                "The steps are taken in the other order: first the one for `loss1`, then the one for `loss2`. It matters, "
                "because the second gradient depends on where the first step led.",
                repair(forward_again=other_order_again),
            ),
        },
        hints=(
            "The second backward needs the `w` that the trunk has saved, and the step wrote over it. There are two ways out: "
            "let nothing need the old `w` when you step; or make a new graph from the new `w`.",
            "A time line of `w`: the pin of the trunk is at version 0. In the first repair both backward arrows come back to "
            "the pin *before* the step goes up. In the second there are two pins, one at version 0 and one at version 1.",
            "```python\nh = trunk(w)                      # gradients_first\nloss1(h).backward(___)\n___\nstep(w)\n\n"
            "loss1(trunk(w)).backward()        # forward_again\n___\nloss2(___).backward()\n___\n```",
        ),
        explanation="""\
The two repairs do different things, and only you can know which one you meant.

*Gradients first*: both belong to the same `w`, the result is one step of `loss1 + loss2`, and `trunk` runs once.
`(loss1(h) + loss2(h)).backward()` does the same without `retain_graph`. `trunk(w.clone())` does as well: what is saved
then is the clone, and `w` may be written.

*Forward again*: two steps, the second from where the first has led. It costs a second forward pass. This is what the usual
pair of generator and discriminator needs, and where this error is often met.

`retain_graph=True` is no third way. It keeps the saved tensors alive, but they are the very memory that the step
wrote over. And `.data` only takes the error away: the second gradient is then a mixture of old and new.
""",
    )
)


# --- 11.6 Build the counter ---------------------------------------------------------------------------------


class Versioned:
    """Numbers in memory, and a counter of the writes to this memory."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, dtype=float)
        self.counter = [0]  # a list, so that several of us can hold the same one

    def version(self):
        """How often this memory was written."""
        return self.counter[0]

    def add_(self, c):
        """Add c to the numbers, in place. Returns self."""
        self.numbers += c
        self.counter[0] += 1
        return self

    def window(self, start):
        """A Versioned on the same memory, from place start on, with the same counter: as t.detach()[start:]."""
        other = Versioned([])
        other.numbers, other.counter = self.numbers[start:], self.counter
        return other

    def data(self):
        """A Versioned on the same memory with a counter of its own that begins at 0: as t.data."""
        other = Versioned([])
        other.numbers = self.numbers
        return other

    def save(self):
        """What a node keeps: a function unpack() that returns the numbers, or raises if they were written since."""
        saved = self.version()

        def unpack():
            if self.version() != saved:
                raise RuntimeError(f"is at version {self.version()}; expected version {saved} instead")
            return self.numbers

        return unpack


VERSIONED_STARTER = '''\
class Versioned:
    """Numbers in memory, and a counter of the writes to this memory."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, dtype=float)
        ...

    def version(self):
        """How often this memory was written."""
        ...

    def add_(self, c):
        """Add c to the numbers, in place. Returns self."""
        ...

    def window(self, start):
        """A Versioned on the same memory, from place start on, with the same counter: as t.detach()[start:]."""
        ...

    def data(self):
        """A Versioned on the same memory with a counter of its own that begins at 0: as t.data."""
        ...

    def save(self):
        """What a node keeps: a function unpack() that returns the numbers, or raises if they were written since."""
        ...
'''


class Count:
    """A counter that can be shared."""

    def __init__(self):
        self.writes = 0


class VersionedWithCount:
    """In another style: the counter is an object, and copies are made without __init__."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, dtype=float)
        self.count = Count()

    def version(self):
        return self.count.writes

    def add_(self, c):
        self.numbers[:] = self.numbers + c
        self.count.writes += 1
        return self

    def _share(self, numbers, count):
        other = object.__new__(type(self))
        other.numbers, other.count = numbers, count
        return other

    def window(self, start):
        return self._share(self.numbers[start:], self.count)

    def data(self):
        return self._share(self.numbers, Count())

    def save(self):
        numbers, count, then = self.numbers, self.count, self.count.writes

        def unpack():
            if count.writes > then:
                raise RuntimeError(f"expected version {then}, but the memory is at version {count.writes}")
            return numbers.copy()

        return unpack


class VersionedByBase:
    """A third style: every window asks the tensor that it was taken from."""

    def __init__(self, numbers, base=None):
        self.numbers = np.array(numbers, dtype=float)
        self.base = base
        self.writes = 0

    def version(self):
        return self.writes if self.base is None else self.base.version()

    def add_(self, c):
        np.add(self.numbers, c, out=self.numbers)
        root = self
        while root.base is not None:
            root = root.base
        root.writes = root.writes + 1
        return self

    def window(self, start):
        other = VersionedByBase([], base=self)
        other.numbers = self.numbers[start:]
        return other

    def data(self):
        other = VersionedByBase([])
        other.numbers = self.numbers
        return other

    def save(self):
        then = self.version()
        return lambda: self._unpack(then)

    def _unpack(self, then):
        now = self.version()
        if now == then:
            return self.numbers
        raise RuntimeError(f"saved at version {then}, now at version {now}")


class ComparesValues(Versioned):
    def save(self):
        saved, then = self.numbers.copy(), self.version()

        def unpack():
            if not np.array_equal(saved, self.numbers):
                raise RuntimeError(f"is at version {self.version()}; expected version {then} instead")
            return self.numbers

        return unpack

    def window(self, start):
        return windowed(self, type(self)([]), start)


class ComparesValuesToo(ComparesValues):
    def save(self):
        saved, then = self.numbers.tolist(), self.version()

        def unpack():
            assert_same = self.numbers.tolist() == saved
            if assert_same:
                return np.array(saved)
            raise RuntimeError(f"expected {then}, got {self.version()}")

        return unpack


def windowed(of: Any, other: Any, start: int) -> Any:
    """other as a window on the memory and counter of a Versioned."""
    other.numbers, other.counter = of.numbers[start:], of.counter
    return other


class Styled(Versioned):
    """A Versioned whose windows and data are of its own class, for mistakes to be built on."""

    def window(self, start):
        return windowed(self, type(self)([]), start)

    def data(self):
        other = type(self)([])
        other.numbers = self.numbers
        return other


class CounterOfEach(Styled):
    def window(self, start):
        other = type(self)([])
        other.numbers = self.numbers[start:]
        return other


class OneForAll(Styled):
    writes = [0]

    def __init__(self, numbers):
        super().__init__(numbers)
        self.counter = self.writes


class OneForAllToo(VersionedWithCount):
    total = Count()

    def __init__(self, numbers):
        super().__init__(numbers)
        self.count = self.total


class CounterCopied(Styled):
    def window(self, start):
        other = windowed(self, type(self)([]), start)
        other.counter = list(self.counter)
        return other


class CounterOfEachToo(VersionedWithCount):
    def window(self, start):
        return self._share(self.numbers[start:], Count())


class CounterCopiedToo(VersionedWithCount):
    def window(self, start):
        count = Count()
        count.writes = self.version()
        return self._share(self.numbers[start:], count)


class CountsForOneMore(Styled):
    """Each window counts at the tensor that it was taken from, and no further."""

    def __init__(self, numbers):
        super().__init__(numbers)
        self.base = None

    def version(self):
        return self.counter[0] if self.base is None else self.base.counter[0]

    def add_(self, c):
        self.numbers += c
        (self.base or self).counter[0] += 1
        return self

    def window(self, start):
        other = type(self)([])
        other.numbers, other.base = self.numbers[start:], self
        return other


class CountsForOneMoreToo(VersionedWithCount):
    def version(self):
        return self.above.count.writes if hasattr(self, "above") else self.count.writes

    def add_(self, c):
        self.numbers += c
        counted = self.above if hasattr(self, "above") else self
        counted.count.writes += 1
        return self

    def window(self, start):
        other = self._share(self.numbers[start:], Count())
        other.above = self
        return other

    def save(self):
        then = self.version()

        def unpack():
            if self.version() != then:
                raise RuntimeError(f"expected version {then}, but the memory is at version {self.version()}")
            return self.numbers

        return unpack


class SavesCopy(Styled):
    def save(self):
        saved = self.numbers.copy()
        return lambda: saved


class SavesCopyToo(Styled):
    def save(self):
        saved = type(self)(self.numbers)
        return lambda: saved.numbers


class SavesCopyAndChecks(Styled):
    def save(self):
        saved, then = self.numbers.copy(), self.version()

        def unpack():
            if self.version() != then:
                raise RuntimeError(f"is at version {self.version()}; expected version {then} instead")
            return saved

        return unpack


class SavesCopyAndChecksToo(VersionedWithCount):
    def save(self):
        saved, unpack = np.array(self.numbers), super().save()
        return lambda: (unpack(), saved)[1]


class NeverCounts(Styled):
    def add_(self, c):
        self.numbers += c
        return self


class NeverCountsToo(Styled):
    def add_(self, c):
        self.numbers[...] += c
        self.counter = [self.counter[0]]
        return self


class AsksLate(Styled):
    def save(self):
        def unpack():
            saved = self.version()
            if self.version() != saved:
                raise RuntimeError("never")
            return self.numbers

        return unpack


class NeverChecks(Styled):
    def save(self):
        return lambda: self.numbers


class DataShares(Styled):
    def data(self):
        return self.window(0)


class DataSharesToo(VersionedWithCount):
    def data(self):
        return self._share(self.numbers, self.count)


class WindowCopies(Styled):
    def window(self, start):
        return type(self)(self.numbers[start:])


class WindowCopiesToo(VersionedWithCount):
    def window(self, start):
        return self._share(self.numbers[start:].copy(), Count())


class WindowCopiesNumbers(Styled):
    def window(self, start):
        other = type(self)(self.numbers[start:])
        other.counter = self.counter
        return other


class WindowCopiesNumbersToo(VersionedWithCount):
    def window(self, start):
        return self._share(self.numbers[start:].copy(), self.count)


class DataCopies(Styled):
    def data(self):
        return type(self)(self.numbers)


class DataCopiesToo(VersionedWithCount):
    def data(self):
        return self._share(self.numbers.copy(), Count())


class DataContinues(Styled):
    def data(self):
        other = super().data()
        other.counter = [self.counter[0]]
        return other


class DataContinuesToo(VersionedWithCount):
    def data(self):
        count = Count()
        count.writes = self.count.writes
        return self._share(self.numbers, count)


class NewArray(Styled):
    def add_(self, c):
        self.numbers = self.numbers + c
        self.counter[0] += 1
        return self


class NewArrayToo(Styled):
    def add_(self, c):
        self.numbers = np.array([number + c for number in self.numbers])
        self.counter[0] = self.counter[0] + 1
        return self


class ZeroIsNoWrite(Styled):
    def add_(self, c):
        if c != 0:
            self.numbers += c
            self.counter[0] += 1
        return self


class ZeroIsNoWriteToo(VersionedWithCount):
    def add_(self, c):
        return super().add_(c) if c else self


class OtherError(Styled):
    error: type[Exception] = ValueError

    def save(self):
        unpack = super().save()

        def changed():
            try:
                return unpack()
            except RuntimeError as error:
                raise self.error(str(error)) from None

        return changed


class OtherErrorToo(VersionedWithCount):
    def save(self):
        numbers, then = self.numbers, self.version()

        def unpack():
            if self.version() != then:
                raise ValueError(f"expected version {then}, but the memory is at version {self.version()}")
            return numbers

        return unpack


class Mute(Styled):
    def save(self):
        then = self.version()

        def unpack():
            if self.version() != then:
                raise RuntimeError("this was modified by an inplace operation")
            return self.numbers

        return unpack


class MuteToo(VersionedWithCount):
    def save(self):
        numbers, count, then = self.numbers, self.count, self.count.writes

        def unpack():
            if count.writes == then:
                return numbers
            raise RuntimeError()

        return unpack


class OneNote(Styled):
    def save(self):
        self.saved = self.version()

        def unpack():
            if self.version() != self.saved:
                raise RuntimeError(f"is at version {self.version()}; expected version {self.saved} instead")
            return self.numbers

        return unpack


class OneNoteToo(VersionedWithCount):
    def save(self):
        self.then = self.version()
        return self.unpack

    def unpack(self):
        if self.version() != self.then:
            raise RuntimeError(f"saved at {self.then}, now at {self.version()}")
        return self.numbers


class ReturnsNumbers(Styled):
    def save(self):
        return self.numbers


class ReturnsNumbersToo(Styled):
    def save(self):
        return self.numbers.copy()


class AddReturnsNone(Styled):
    def add_(self, c):
        super().add_(c)


class AddReturnsNoneToo(VersionedWithCount):
    def add_(self, c):
        self.numbers += c
        self.count.writes += 1


class Strict(Styled):
    """Once saved, forever at the version of then: raises at the second unpack too, but counts every reading."""

    def save(self):
        unpack = super().save()

        def read():
            numbers = unpack()
            self.counter[0] += 1
            return numbers

        return read


class StrictToo(VersionedWithCount):
    def save(self):
        unpack = super().save()

        def read():
            numbers = unpack().copy()
            self.count.writes = self.count.writes + 1
            return numbers

        return read


FAULTS = (TypeError, AttributeError, NameError, IndexError)  # of the answer's code, not of the numbers


def unpacked(unpack: Any) -> Any:
    """The numbers, or in words what was raised and which numbers the message names."""
    if not callable(unpack):
        return f"no function: save() returned {unfit(unpack, '').came}"
    try:
        return np.array(unpack(), dtype=float)
    except FAULTS:
        raise
    except RuntimeError as error:
        named = sorted(int(number) for number in re.findall(r"\d+", str(error)))
        return f"RuntimeError that names {' and '.join(map(str, named)) or 'no version'}"
    except Exception:
        return "an error that is no RuntimeError"


def sharing(made: Any, call: str) -> Any:
    """What a method has made, if it can be used as a Versioned."""
    if all(hasattr(made, name) for name in ("numbers", "add_", "version", "save")):
        return made
    raise TypeError(f"{call} returned {unfit(made, '').came}, and no Versioned")


def not_written(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept = t.save()
    return {"t.version()": t.version(), "unpack()": unpacked(kept), "numbers": np.array(t.numbers)}


def written_before(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    same = t.add_(2.0) is t
    kept = t.save()
    return {"add_ returns self": same, "t.version()": t.version(), "unpack()": unpacked(kept)}


def written_after(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    t.add_(1.0)
    kept = t.save()
    t.add_(2.0)
    t.add_(3.0)
    return {"t.version()": t.version(), "unpack()": unpacked(kept), "numbers": np.array(t.numbers)}


def there_and_back(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept = t.save()
    t.add_(1.0)
    t.add_(-1.0)
    return {"t.version()": t.version(), "unpack()": unpacked(kept)}


def nothing_added(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept = t.save()
    t.add_(0.0)
    return {"t.version()": t.version(), "unpack()": unpacked(kept)}


def two_pins(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    early = t.save()
    t.add_(1.0)
    late = t.save()
    return {"the early one": unpacked(early), "the late one": unpacked(late), "the late one, again": unpacked(late)}


def through_a_window(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept, v = t.save(), sharing(t.window(1), "window(1)")
    v.add_(1.0)
    return {
        "numbers of t": np.array(t.numbers),
        "t.version()": t.version(),
        "v.version()": v.version(),
        "unpack()": unpacked(kept),
    }


def behind_a_window(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    t.add_(1.0)
    v = sharing(t.window(2), "window(2)")
    began = v.version()
    kept = v.save()
    t.add_(1.0)
    return {
        "v.version() at first": began,
        "v.version()": v.version(),
        "numbers of v": np.array(v.numbers),
        "unpack()": unpacked(kept),
    }


def window_of_a_window(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    kept, other = t.save(), sharing(t.window(3), "window(3)")
    sharing(t.window(1).window(1), "window(1).window(1)").add_(1.0)
    return {"t.version()": t.version(), "other.version()": other.version(), "unpack()": unpacked(kept)}


def through_data(T: Any, numbers: list[float]) -> dict[str, Any]:
    t = T(numbers)
    t.add_(1.0)
    kept, d = t.save(), sharing(t.data(), "data()")
    began = d.version()
    d.add_(1.0)
    d.add_(1.0)
    return {
        "d.version() at first": began,
        "d.version()": d.version(),
        "t.version()": t.version(),
        "unpack()": unpacked(kept),
        "numbers of t": np.array(t.numbers),
    }


def two_memories(T: Any, numbers: list[float]) -> dict[str, Any]:
    s, t = T(numbers), T(numbers)
    kept = t.save()
    s.add_(1.0)
    return {"s.version()": s.version(), "t.version()": t.version(), "unpack()": unpacked(kept)}


SCENARIOS: dict[str, Callable[..., Any]] = {
    "save, then unpack": not_written,
    "write, save, unpack": written_before,
    "write, save, write twice, unpack": written_after,
    "two saves, with a write between": two_pins,
    "two tensors, one of them written": two_memories,
    "save t, v = t.window(1), write to v, unpack": through_a_window,
    "write to t, v = t.window(2), save v, write to t, unpack": behind_a_window,
    "save t, write to t.window(1).window(1), unpack; other = t.window(3)": window_of_a_window,
    "write to t, save t, d = t.data(), write to d twice, unpack": through_data,
    "save, add 1, add -1, unpack": there_and_back,
    "save, add 0, unpack": nothing_added,
}


def counts_for_all(T: Any, numbers: list[float]) -> bool:
    """Whether a new tensor is no longer at 0 once another was written to. Not told of an answer that cannot do that yet."""
    try:
        T(numbers).add_(1.0)
        began = T(numbers).version()
    except Exception:
        return False
    return type(began) is int and began != 0


def observe_scenario(answer: Any, name: str, numbers: list[float]) -> Any:
    if counts_for_all(answer, numbers):  # how far it has counted depends on all that came before
        return {"version() of a new tensor is 0, also after a write to another": False}
    return SCENARIOS[name](answer, numbers)


def scenario_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Always in float64: these are NumPy's own numbers."""
    return [Case(name, (name, rng.normal(size=5).tolist())) for name in SCENARIOS]


register(
    Exercise(
        id="11.6",
        title="Build the counter",
        difficulty=4,
        minutes=12,
        reference=Versioned,
        cases=scenario_cases,
        without={
            "edges": "the stories are the cases, and each is told with several sizes",
        },
        observe=observe_scenario,
        starter=VERSIONED_STARTER,
        alternatives={"a counter object": VersionedWithCount, "asking the base": VersionedByBase},
        mistakes={
            "values are compared": Mistake(
                ComparesValues,
                "Your guard compares **numbers**. They are the old ones again after +1 and −1, and it lets that pass. Harmless, "
                "one might say. But to compare, you had to keep a copy of all of them, and a look at each one: that is what "
                "a counter saves. Compare versions.",
                again=ComparesValuesToo,
            ),
            "a counter for each window": Mistake(
                CounterOfEach,
                "The window has a counter of its own, so a write through it goes unnoticed. Windows on one memory share **one** "
                "counter.",
                again=CounterOfEachToo,
            ),
            "one counter for all": Mistake(
                OneForAll,
                "All tensors count together: a new one does not begin at 0 once another was written to. The counter stands on the "
                "class, or outside of it. Each memory has **its own**: make it in `__init__`.",
                again=OneForAllToo,
            ),
            "a window of a window": Mistake(
                CountsForOneMore,
                "A window of a window writes to the same memory, too, and its write must reach the first of all. Hand on the "
                "**counter** itself, and not a link to the one before.",
                again=CountsForOneMoreToo,
            ),
            "the window copies the counter": Mistake(
                CounterCopied,
                "The window began with the right count, and from then on it counts for itself: the counter was **copied**. "
                "An int is copied when you assign it. A list `[0]` or a small object is shared.",
                again=CounterCopiedToo,
            ),
            "save makes a copy": Mistake(
                SavesCopy,
                "Your `save` copies the numbers. That is safe, but a network saves gigabytes: nothing is to be copied. Keep the "
                "memory itself and the version, and compare when it is read.",
                again=SavesCopyToo,
            ),
            "save makes a copy and compares": Mistake(
                SavesCopyAndChecks,
                "The versions are compared, but the numbers were copied at `save`: after a write through `data()` your "
                "`unpack` still has the old ones. A node keeps the memory itself, and so the hidden write shows.",
                again=SavesCopyAndChecksToo,
            ),
            "writes are not counted": Mistake(
                NeverCounts,
                "`add_` wrote, but the version stayed as it was. Every write counts one, in the counter that all windows on the "
                "memory hold.",
                again=NeverCountsToo,
            ),
            "the version is not remembered": Mistake(
                AsksLate,
                "`unpack` never raises. The version must be noted in `save`, **before** `unpack` is called, and compared with the "
                "version of the moment in `unpack`.",
                again=NeverChecks,
            ),
            "data shares the counter": Mistake(
                DataShares,
                "`data()` has a counter of its own, that is all that tells it from a window: it begins at 0, and its writes are "
                "not seen by `t`.",
                again=DataSharesToo,
            ),
            "data goes on counting": Mistake(
                DataContinues,
                "The counter of `data()` is its own, but it must begin at **0**, wherever that of `t` stands.",
                again=DataContinuesToo,
            ),
            "data is a copy": Mistake(
                DataCopies,
                "`data()` must show the **same memory**: what is written there changes `t`. `Versioned(...)` copies the numbers; "
                "set `other.numbers = self.numbers` afterwards.",
                again=DataCopiesToo,
            ),
            "the window is a copy": Mistake(
                WindowCopies,
                "The window is a copy: a write to it does not change `t`. `Versioned(...)` copies its numbers (`np.array` does). "
                "Make an empty one, then set its `numbers` to the slice `self.numbers[start:]`, and its counter to yours.",
                again=WindowCopiesToo,
            ),
            "the window copies the numbers": Mistake(
                WindowCopiesNumbers,
                "The counter is shared, but the numbers are a copy: a write to the window does not change `t`. `Versioned(...)` "
                "copies; set `other.numbers = self.numbers[start:]` afterwards.",
                again=WindowCopiesNumbersToo,
            ),
            "add_ makes a new array": Mistake(
                NewArray,
                "`self.numbers = self.numbers + c` makes a **new** array, and the windows still show the old one. In place means "
                "into the memory that is there: `self.numbers += c`.",
                again=NewArrayToo,
            ),
            "adding nothing does not count": Mistake(
                ZeroIsNoWrite,
                "Adding 0 is a write. The counter counts writes and does not look at numbers: PyTorch's does the same.",
                again=ZeroIsNoWriteToo,
            ),
            "another error": Mistake(
                OtherError,
                "It is noticed, but the error must be a **RuntimeError**, as it is in the engine.",
                again=OtherErrorToo,
            ),
            "the message names no version": Mistake(
                Mute,
                "It is noticed. But the message must name both versions, that of now and that of then: they tell how many writes "
                "to look for.",
                again=MuteToo,
            ),
            "one note for all": Mistake(
                OneNote,
                "The note of the version is an attribute of `self`, so the second `save` writes over the note of the first. Each "
                "node has its own pin: keep the version in a local variable of `save`, which `unpack` can see.",
                again=OneNoteToo,
            ),
            "save returns the numbers": Mistake(
                ReturnsNumbers,
                "`save()` must return a *function* of no arguments: `unpack`. Define it inside of `save`, and return it without "
                "calling it.",
                again=ReturnsNumbersToo,
            ),
            "add_ returns None": Mistake(
                AddReturnsNone,
                "`add_` must return `self`, as the methods with an underscore do.",
                again=AddReturnsNoneToo,
            ),
            "reading counts": Mistake(
                Strict,
                "Your `unpack` counts as a write. It only reads: the counter stays where it is, and a second `unpack()` gives "
                "the numbers again.",
                again=StrictToo,
            ),
        },
        hints=(
            "The counter belongs to the **memory**, not to the tensor. So all windows on one memory must hold the same counter, "
            "and an int cannot be held together: a list with one int can, or a small object.",
            "The time line: `save` sets the pin, at the step where the counter stands. `add_` goes up a step. `unpack` looks "
            "whether the pin and the step are still level. A window stands on the same stairs; `data()` has stairs of its own.",
            "```python\nself.counter = [0]                       # in __init__\n\n"
            "other = Versioned([])                    # in window\nother.numbers = self.numbers[___]\nother.counter = ___\n"
            "return other\n\nsaved = ___                              # in save\ndef unpack():\n"
            "    if ___ != saved:\n        raise RuntimeError(f\"is at version {___}; expected version {saved} instead\")\n"
            "    return ___\nreturn unpack\n```",
        ),
        explanation="""\
Thirty lines, and this is the guard of the engine. What is saved is not a copy but the memory, with a note of its version. The
check costs one comparison of two ints for each saved tensor, whatever its size.

It is a check of **writes**, not of values. After +1 and −1 the numbers may be right, and it raises all the same. Comparing
values would be fairer here, and would need what the counter is there to save: a copy of everything.

One counter for one memory. Were there one for each tensor, a write through a window would go unnoticed: so it is with
`.data`, whose counter is its own. Take the list `[0]` for the counter and everybody who holds the list sees it move. An
int would be copied at the first assignment.
""",
    )
)


# --- 11.7 The back door -------------------------------------------------------------------------------------

# At the end of each program w.grad is the gradient of L as it was computed, or another, or there was an error.
DOORS: dict[str, tuple[str, list[str]]] = {
    "shared from NumPy": (
        "wrong",
        [
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w ** 2).sum()\na[0] = 100",
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.as_tensor(a).requires_grad_()\nL = mg.sin(w).sum()\na *= 2",
            "a = np.array([4.0, 5.0])\nk = mg.from_numpy(a)\nw = mg.ones(2, requires_grad=True)\nL = (w * k).sum()\na[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w * w).sum()\na += 1",
        ],
    ),
    "shared with NumPy": (
        "wrong",
        [
            "w = mg.ones(3, requires_grad=True)\ny = mg.exp(w)\nL = y.sum()\na = y.detach().numpy()\na[0] = 100",
            "w = mg.ones(3, requires_grad=True)\nL = (w ** 3).sum()\nw.detach().numpy()[0] = 100",
            "w = mg.ones(2, requires_grad=True)\ny = mg.tanh(w)\nL = y.sum()\na = y.detach().numpy()\na *= 0",
            "k = mg.ones(2)\nw = mg.ones(2, requires_grad=True)\nL = (w * k).sum()\nk.numpy()[:] = 100",
        ],
    ),
    "copied": (
        "right",
        [
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.tensor(a, requires_grad=True)\nL = (w ** 2).sum()\na[0] = 100",
            "w = mg.ones(3, requires_grad=True)\ny = mg.exp(w)\nL = y.sum()\na = y.detach().numpy().copy()\na[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a.copy()).requires_grad_()\nL = (w * w).sum()\na[0] = 100",
            "w = mg.ones(3, requires_grad=True)\ny = mg.exp(w)\nL = y.sum()\na = y.detach().clone().numpy()\na[0] = 100",
        ],
    ),
    "not saved": (
        "right",
        [
            "a = np.array([4.0, 5.0])\nk = mg.from_numpy(a)\nw = mg.ones(2, requires_grad=True)\nL = (w + k).sum()\na[0] = 100",
            "w = mg.ones(3, requires_grad=True)\ny = mg.sin(w)\nL = y.sum()\na = y.detach().numpy()\na[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w - 3).sum()\na[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = mg.exp(w).sum()\na[0] = 100",
        ],
    ),
    "counted": (
        "raises",
        [
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w ** 2).sum()\nw.detach()[0] = 100",
            "a = np.array([4.0, 5.0])\nk = mg.from_numpy(a)\nw = mg.ones(2, requires_grad=True)\nL = (w * k).sum()\nk[0] = 100",
            "w = mg.ones(3, requires_grad=True)\ny = mg.exp(w)\nL = y.sum()\ny.detach()[0] = 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w * w).sum()\nwith mg.no_grad():\n    w += 1",
        ],
    ),
    "nothing is written": (
        "right",
        [
            "a = np.array([1.0, 2.0, 3.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w ** 2).sum()\na = a + 100",
            "a = np.array([1.0, 2.0])\nw = mg.from_numpy(a).requires_grad_()\nL = (w * w).sum()\na = np.zeros(2)",
            "a = np.array([1.0, 2.0, 3.0])\na[0] = 100\nw = mg.from_numpy(a).requires_grad_()\nL = (w ** 2).sum()",
            "a = np.array([4.0, 5.0])\nk = mg.from_numpy(a)\na[0] = 100\nw = mg.ones(2, requires_grad=True)\nL = (w * k).sum()",
        ],
    ),
}


def doors_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(DOORS))]
    return [(key, rule, str(rng.choice(DOORS[rule][1]))) for key, rule in zip("ABCDEF", rules, strict=True)]


def doors_program(draw: Draw) -> str:
    return "\n\n".join(f"# program {key}\n{code}\nL.backward()" for key, _, code in draw)


def door(code: str) -> str:
    """The gradient that L had when it was computed, beside the one that a backward at the end finds."""
    lines = code.splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("L = "))
    right = run("\n".join([*lines[: at + 1], "L.backward()"]))["w"].grad.tolist()
    try:
        space = run(f"{code}\nL.backward()")
    except RuntimeError as error:
        if CHANGED not in str(error):
            raise
        return "raises"
    return "right" if space["w"].grad.tolist() == right else "wrong"


def doors(draw: Draw) -> dict[str, str]:
    """Run each program, and compare its gradient with the right one."""
    return {key: door(code) for key, _, code in draw}


def at_the_door(rule: str, believed: str, hint: str) -> Mistake:
    """Somebody is right except about the program of one rule."""
    return Mistake(believing(doors, {rule: believed}), hint)


BACK_DOOR = (
    "The array and the tensor are **one memory**, and what was written is what a node had saved. But NumPy knows nothing of "
    "the counter: the version stays at 0, backward is content, and its numbers are wrong."
)
A_COPY = "Here the array has memory **of its own**: `mg.tensor`, `.copy()` and `.clone()` copy. Nobody touched what was saved."
UNSAVED = (
    "The array is shared and was written, but no node had saved this value: `+` keeps nothing, `sin` keeps its input, `exp` its "
    "output. The gradient is right."
)
COUNTED = (
    "Here the write went through a **tensor**, and tensors count. `detach()` and `no_grad` share or move the counter of "
    "what was saved, wherever its memory came from. Backward raises."
)
UNWRITTEN = (
    "Nothing was written after it was saved. `a = …` gives the name `a` to another array; and a write *before* `L` is computed "
    "is part of what is computed."
)

register(
    Exercise(
        id="11.7",
        title="The back door",
        difficulty=3,
        minutes=6,
        reference=doors,
        draws=doors_draw,
        program=doors_program,
        name="doors",
        words=("right", "wrong", "raises"),
        alternatives={"by the rules": by_rule({rule: outcome for rule, (outcome, _) in DOORS.items()})},
        mistakes={
            "the counter sees NumPy's writes": at_the_door("shared from NumPy", "raises", BACK_DOOR),
            "from_numpy copies": at_the_door("shared from NumPy", "right", BACK_DOOR),
            "the counter sees writes to numpy()": at_the_door("shared with NumPy", "raises", BACK_DOOR),
            "numpy() copies": at_the_door("shared with NumPy", "right", BACK_DOOR),
            "a copy is shared": at_the_door("copied", "wrong", A_COPY),
            "a copy is counted": at_the_door("copied", "raises", A_COPY),
            "everything is saved": at_the_door("not saved", "wrong", UNSAVED),
            "every write raises": at_the_door("not saved", "raises", UNSAVED),
            "a tensor's write is hidden": at_the_door("counted", "wrong", COUNTED),
            "a tensor's write does no harm": at_the_door("counted", "right", COUNTED),
            "a new name writes": at_the_door("nothing is written", "wrong", UNWRITTEN),
            "a new name is counted": at_the_door("nothing is written", "raises", UNWRITTEN),
            "the counter sees everything": Mistake(
                believing(doors, {"shared from NumPy": "raises", "shared with NumPy": "raises"}),
                "You trust the counter. It counts writes that go through **tensors**; NumPy writes to the same memory and tells "
                "nobody. No error, wrong gradient.",
            ),
        },
        hints=(
            "Three questions for each program. Does the write go to memory that the tensor **shares**? Had a node **saved** "
            "it before? Did the write go through a **tensor**, which counts, or through NumPy, which does not?",
            "```text\nshared and written after the save? ── no ──► right\n      │ yes\nsaved by a node? ── no ──► right\n"
            "      │ yes\nwritten through a tensor? ── yes ──► raises\n      └── no ──► wrong\n```",
            "Of the six programs three are `right`, two are `wrong`, and one `raises`.",
        ),
        explanation="""\
`from_numpy`, `as_tensor` and `numpy()` share memory; `tensor`, `clone` and `copy` do not. A write through NumPy changes what a
node has saved, and no counter moves: there is no error, and the gradient is wrong. The guard watches the front door only.

So the question "is my gradient right?" has a part that no engine answers for you: who else holds this memory? If you are not
sure, copy.

The outputs of exp and the inputs of a square are saved, those of + are not; and a write before the forward pass is no
danger at all.
""",
    )
)


# --- 11.8 A residual block ------------------------------------------------------------------------------------


def residual(x, A, B):
    """sigmoid(h @ B) * h with h = relu(x @ A) + x.

    x: a leaf of shape (n, k). A, B: leaves of shape (k, k). Returns a Tensor of shape (n, k).
    """
    h = mg.relu(x @ A)
    h = h + x
    y = mg.sigmoid(h @ B)
    return y * h


def residual_on_copies(x, A, B):
    h = mg.relu(x @ A).clone()
    h += x
    y = mg.sigmoid(h @ B).clone()
    y *= h
    return y


def residual_in_one_line(x, A, B):
    h = x + mg.matmul(x, A).relu()
    return h * (1 / (1 + mg.exp(-(h @ B))))


def residual_broken(x, A, B):
    h = mg.relu(x @ A)
    h += x
    y = mg.sigmoid(h @ B)
    y *= h
    return y


def residual_half_mended(x, A, B):
    h = mg.relu(x @ A) + x
    y = mg.sigmoid(h @ B)
    y *= h
    return y


def residual_by_data(x, A, B):
    h = mg.relu(x @ A)
    h.data += x
    y = mg.sigmoid(h @ B)
    return y * h


def residual_by_data_again(x, A, B):
    h = mg.relu(x @ A)
    h.data.add_(x.detach())
    return mg.sigmoid(h @ B) * h


def residual_without_grad(x, A, B):
    h = mg.relu(x @ A)
    return mg.sigmoid((h + x.detach()) @ B) * (h + x.detach())


def residual_without_grad_again(x, A, B):
    h = mg.relu(x @ A).clone()
    with mg.no_grad():
        h += x
    return h * mg.sigmoid(h @ B)


def residual_into_x(x, A, B):
    h = mg.relu(x @ A)
    x += h
    return mg.sigmoid(x @ B) * x


def residual_into_x_again(x, A, B):
    x.add_(mg.relu(x @ A))
    return x * mg.sigmoid(x @ B)


def residual_detached(x, A, B):
    h = mg.relu(x @ A).detach()
    h += x
    return mg.sigmoid(h @ B) * h


def residual_detached_again(x, A, B):
    with mg.no_grad():
        h = mg.relu(x @ A)
    h = h + x
    return h * mg.sigmoid(h @ B)


def residual_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(n: int, k: int) -> Case:
        leaves = (random_tensor(rng, dtype, *shape, leaf=True) for shape in ((n, k), (k, k), (k, k)))
        return Case(f"x of shape ({n}, {k})", (*leaves, random_tensor(rng, dtype, n, k)))

    return [case(4, 3), case(1, 2), case(5, 4)]


def residual_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, x: Any, A: Any) -> Case:
        leaves = (mg.tensor(value, dtype=dtype, requires_grad=True) for value in (x, A, rng.normal(size=(3, 3))))
        return Case(label, (*leaves, random_tensor(rng, dtype, 2, 3)))

    x = np.abs(rng.normal(size=(2, 3)))
    return [
        case("relu lets nothing through", x, -np.ones((3, 3))),
        case("relu lets everything through", x, np.ones((3, 3))),
        case("x is 0", 0 * x, rng.normal(size=(3, 3))),
    ]


def watch_residual(answer: Callable[..., Any], x: Any, A: Any, B: Any, v: Any) -> Any:
    before = {name: t.tolist() for name, t in (("x", x), ("A", A), ("B", B))}
    y = answer(x, A, B)
    if not isinstance(y, mg.Tensor):
        return unfit(y, "a Tensor of the shape of x")
    changed = [name for name, t in (("x", x), ("A", A), ("B", B)) if t.tolist() != before[name]]
    seen: dict[str, Any] = {"y": y, "what is written over": changed or "nothing"}
    if tuple(y.shape) == tuple(x.shape) and y.requires_grad:
        y.backward(v)
        for name, t in (("x", x), ("A", A), ("B", B)):
            seen[f"{name}.grad after y.backward(v)"] = "nothing" if t.grad is None else t.grad
    return seen


register(
    Exercise(
        id="11.8",
        title="A residual block",
        difficulty=3,
        minutes=7,
        reference=residual,
        cases=residual_cases,
        edges=residual_edges,
        observe=watch_residual,
        alternatives={"on copies": residual_on_copies, "in one line": residual_in_one_line},
        mistakes={
            "the write is still there": Mistake(
                residual_broken,
                "Backward still raises. `relu` and `sigmoid` both keep their **output**, and both outputs are written over. Which "
                "two lines write, and what would make a new tensor in their place?",
                again=residual_half_mended,
            ),
            "past the counter": Mistake(
                residual_by_data,
                "No error any more, and the gradients are wrong. Through `.data` nobody counts: relu reads what was written over. "
                "And what was added is in no graph, so the way from `h` to `x` is lost.",
                again=residual_by_data_again,
            ),
            "the short way is lost": Mistake(
                residual_without_grad,
                "The numbers are right, but `x` has two ways to the result: through relu, and straight. The second is missing in its "
                "gradient. What is added must be recorded: no `detach()`, and no `no_grad`.",
                again=residual_without_grad_again,
            ),
            "the layer is cut off": Mistake(
                residual_detached,
                "No error any more, because nobody goes back through relu: with `detach()` or `no_grad` no gradient comes to `A`. "
                "Make a new tensor for the sum, and cut nothing.",
                again=residual_detached_again,
            ),
            "written into x": Mistake(
                residual_into_x,
                "You write into `x`. It is a leaf, and the caller's: it should stay as it is. Make a new tensor for the sum.",
                again=residual_into_x_again,
            ),
            "no input added": Mistake(
                lambda x, A, B: mg.sigmoid(mg.relu(x @ A) @ B) * mg.relu(x @ A),
                "Now nothing raises, because nothing is added: `+ x` is gone. It is what makes the block residual.",
                again=lambda x, A, B: (lambda h: h * mg.sigmoid(h @ B))(mg.clamp(x @ A, min=0)),
            ),
            "the last factor is gone": Mistake(
                lambda x, A, B: mg.sigmoid((mg.relu(x @ A) + x) @ B),
                "The result is the sigmoid alone: `* h` is gone.",
                again=lambda x, A, B: 1 / (1 + mg.exp(-((x + mg.relu(x @ A)) @ B))),
            ),
        },
        hints=(
            "Section 3 has a table: which operations keep their output? Mark in the program where such an output is made, and "
            "where it is written over.",
            "`viz.timeline` draws it: a pin of relu at version 0 of `h`, a step by `+=`, and the same with sigmoid and `y`.",
            "```python\nh = mg.relu(x @ A)\nh = ___\ny = mg.sigmoid(h @ B)\nreturn ___\n```",
        ),
        explanation="""\
`h += x` writes over what relu keeps, `y *= h` over what sigmoid keeps. `h = h + x` and `y * h` make new tensors, and the old ones stay
for backward.

After a matrix product or a sum the same `+=` would do no harm, since these keep no output: `h = x @ A; h += x` runs. That is
why such a block often works until somebody puts an activation in front of the `+=`.

What does it cost? One more tensor of shape (n, k) for each. The in-place write did not save it: relu kept its output, and the sum
needed memory of its own.
""",
    )
)


# --- 11.9 A loss that does not fall ---------------------------------------------------------------------------


def train_step(W, U, x, target, rate):
    """One step of gradient descent for W and U, in place. Returns the loss before the step, as a number.

    W: a leaf of shape (k, m). U: a leaf of shape (m, p). x: shape (n, k). target: shape (n, p). rate: a number.
    """
    h = mg.tanh(x @ W)
    h = h - h.mean(0)
    loss = ((h @ U - target) ** 2).mean()
    loss.backward()
    with mg.no_grad():
        for p in (W, U):
            p -= rate * p.grad
            p.grad = None
    return loss.item()


def step_by_grad(W, U, x, target, rate):
    h = mg.tanh(x @ W).clone()
    h -= h.mean(dim=0, keepdim=True)
    loss = mg.mean((h @ U - target) ** 2)
    gradients = mg.autograd.grad(loss, (W, U))
    with mg.no_grad():
        for p, g in zip((W, U), gradients, strict=True):
            p.sub_(rate * g)
    return float(loss.detach())


def step_with_optimizer(W, U, x, target, rate):
    optimizer = mg.optim.SGD([W, U], lr=rate)
    optimizer.zero_grad()
    h = mg.tanh(x @ W)
    loss = (((h - h.mean(0)) @ U - target) ** 2).mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    return loss.item()


def step_with(centre: Callable[[Any], Any], update: Callable[[Any, float], None]) -> Callable[..., float]:
    """A step in which the hidden numbers are centred so, and each parameter is updated so."""

    def step(W: Any, U: Any, x: Any, target: Any, rate: float) -> float:
        h = mg.tanh(x @ W)
        loss = ((centre(h) @ U - target) ** 2).mean()
        loss.backward()
        with mg.no_grad():
            for p in (W, U):
                if p.grad is not None:
                    update(p, rate)
        return loss.item()

    return step


def centred(h: Any) -> Any:
    return h - h.mean(0)


def centred_without_grad(h: Any) -> Any:
    with mg.no_grad():
        return h - h.mean(0)


def mean_without_grad(h: Any) -> Any:
    with mg.no_grad():
        middle = h.mean(0)
    return h - middle


def move(p: Any, rate: float) -> None:
    p -= rate * p.grad
    p.grad = None


def move_and_keep(p: Any, rate: float) -> None:
    p -= rate * p.grad


def step_on_copies(W, U, x, target, rate):
    loss = ((centred(mg.tanh(x @ W)) @ U - target) ** 2).mean()
    gradients = mg.autograd.grad(loss, (W, U))
    W, U = (p - rate * g for p, g in zip((W, U), gradients, strict=True))
    return loss.item()


def step_on_clones(W, U, x, target, rate):
    W, U = W.detach().clone().requires_grad_(), U.detach().clone().requires_grad_()
    return train_step(W, U, x, target, rate)


def step_for_one(W, U, x, target, rate):
    loss = ((centred(mg.tanh(x @ W.detach())) @ U - target) ** 2).mean()
    (g,) = mg.autograd.grad(loss, U)
    with mg.no_grad():
        U -= rate * g
    return loss.item()


def train_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(n: int, k: int, m: int, p: int) -> Case:
        W, U = (random_tensor(rng, dtype, *shape, leaf=True) for shape in ((k, m), (m, p)))
        x, target = random_tensor(rng, dtype, n, k), random_tensor(rng, dtype, n, p)
        return Case(f"{n} points, {m} hidden numbers", (W, U, x, target, 0.05))

    return [case(5, 3, 4, 2), case(7, 2, 3, 1)]


def train_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, W: Any, U: Any, n: int = 4, rate: float = 0.1) -> Case:
        leaves = (mg.tensor(value, dtype=dtype, requires_grad=True) for value in (W, U))
        return Case(label, (*leaves, random_tensor(rng, dtype, n, 3), random_tensor(rng, dtype, n, 1), rate))

    W, U = rng.normal(size=(3, 2)), rng.normal(size=(2, 1))
    return [case("W is 0", 0 * W, U), case("one point: its mean is itself", W, U, n=1), case("rate is 0", W, U, rate=0.0)]


def watch_training(answer: Callable[..., Any], W: Any, U: Any, x: Any, target: Any, rate: float) -> Any:
    losses = [answer(W, U, x, target, rate) for _ in range(3)]
    if not all(isinstance(loss, float) for loss in losses):
        return unfit(losses[0], "a number, as `loss.item()` gives it")
    return {
        "the losses of three steps": losses,
        "W after them": W.detach(),
        "U after them": U.detach(),
        "W and U are leaves that require grad": [t.is_leaf and t.requires_grad for t in (W, U)],
    }


register(
    Exercise(
        id="11.9",
        title="A loss that does not fall",
        difficulty=3,
        minutes=8,
        reference=train_step,
        cases=train_cases,
        edges=train_edges,
        observe=watch_training,
        may_change_inputs=True,
        without={"version": "W and U are written by each step, in one write or in several"},
        alternatives={"on a clone, and by autograd.grad": step_by_grad, "with an optimizer": step_with_optimizer},
        mistakes={
            "the branch is still detached": Mistake(
                step_with(lambda h: h.detach() - h.detach().mean(0), move),
                "`W` has not moved. The loss is computed from numbers that have no history, so no gradient comes to `W`, and the `if` "
                "hides that. Which line cuts the way from the loss to `W`?",
                again=step_for_one,
            ),
            "the mean has no history": Mistake(
                step_with(lambda h: h - h.detach().mean(0), move),
                "`W` moves now, and in a wrong direction: the mean that is subtracted depends on `W` too, and its way is cut. "
                "No `detach()` and no `no_grad` is needed on the way to the loss.",
                again=step_with(mean_without_grad, move),
            ),
            "the write is back": Mistake(
                step_with(lambda h: h.sub_(h.mean(0)), move),
                "Backward raises: tanh keeps its **output**, and `h -= …` writes over it. That is the alarm which somebody "
                "silenced with "
                "`detach()`. Make a new tensor: `h = h - h.mean(0)`.",
                again=step_with(lambda h: h.__isub__(h.mean(dim=0)), move),
            ),
            "old gradients are still there": Mistake(
                step_with(centred, move_and_keep),
                "The first step is right, the second is made with the **sum** of both gradients. Set `.grad` to None after each step.",
                again=lambda W, U, x, target, rate: step_with(lambda h: h - h.mean(dim=0), lambda p, r: p.sub_(p.grad, alpha=r))(
                    W, U, x, target, rate
                ),
            ),
            "uphill": Mistake(
                step_with(centred, lambda p, rate: move(p, -rate)),
                "The loss rises: a step goes *against* the gradient, `p -= rate * p.grad`.",
                again=lambda W, U, x, target, rate: train_step(W, U, x, target, -rate),
            ),
            "nothing has moved": Mistake(
                step_on_copies,
                "`W` and `U` of the caller are what they were. `W = W - …` gives the *name* to a new tensor. Write into the one that "
                "was handed in: `W -= …`, inside of `no_grad`.",
                again=step_on_clones,
            ),
            "no longer centred": Mistake(
                step_with(lambda h: h, move),
                "Now nothing is subtracted: the hidden numbers are to be centred, each less the mean over the points.",
                again=step_with(lambda h: 1 * h, move),
            ),
        },
        hints=(
            "Ask after one backward which parameters have a gradient. Then follow the way from `W` to the loss by hand: where "
            "does it end?",
            "`viz.draw(loss)` of the broken program shows it: there is no leaf `W` in the picture. And why did somebody "
            "detach? Because "
            "`h -= …` alone raises. That was the first fault, and this is its wrong repair.",
            "```python\nh = mg.tanh(x @ W)\nh = ___\nloss = ((h @ U - target) ** 2).mean()\nloss.backward()\n```",
        ),
        explanation="""\
There were two repairs to choose from. `h -= h.mean(0)` writes over what tanh keeps, so backward raises. `detach()`
makes the alarm stop, since nobody goes back through tanh any more. And that is the harm: **no gradient comes to `W`**.
`W.grad` is None, the `if` passes it over, and the loss falls a little, as far as `U` alone can bring it. `h -
h.mean(0)` makes a new tensor, and nothing need be cut.

When a loss does not fall, look at the gradients before you look at the rate: `[p.grad is None for p in parameters]`
after one backward. An `if p.grad is not None` in a training loop hides the question.

`detach` is right where a number is *not* to be learned through: a target, a running mean, a value that is only printed.
""",
    )
)
