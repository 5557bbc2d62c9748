"""Capstone: build your own engine.

Exercises 16.1 to 16.9, the milestones M1 to M9. An answer is a function that names a file; the runner of
minigrad.course.capstone judges what is in it.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from minigrad.course.capstone import assemble, friends, house, runner
from minigrad.course.capstone.assemble import source, written
from minigrad.course.capstone.facts import HOUSE, MILESTONES
from minigrad.course.capstone.troubles import TROUBLES
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register

NO_FILE = "no file"
WRONG_VALUE, STOPPED = "a program goes wrong", "a program does not come to its end"  # of M9
HOW_TO_ASSEMBLE = """\
# Each function below is a section of the file, and is never called: `assemble` writes the bodies of the sections that a
# milestone names, one after another, into a file in a temporary folder.
from minigrad.course.capstone import assemble"""


def sections(file: str) -> dict[str, str]:
    """The sections of a file beside this one by name: each begins with a line `# --- name: what it is about ---`."""
    text = Path(__file__).with_name(file).read_text(encoding="utf-8")
    parts = re.split(r"^# --- (\w+).*-$", text, flags=re.MULTILINE)[1:]
    return {name: re.sub(r"\n{3,}", "\n\n", body).strip("\n") for name, body in zip(parts[::2], parts[1::2], strict=True)}


# In the order of the two files.
ENGINE, STEPS = sections("reference_engine.py"), sections("reference_steps.py")
(head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
 looking_in, backward_twice, views, writing, training) = ENGINE.values()  # fmt: skip
values, graph, walk, backward, backward_with_cotangent, contract, backward_with_contract, five_facts = STEPS.values()


@dataclass
class Milestone(Exercise):
    """An exercise whose answer names a file. `sections` are the parts of the reference that are new in it, by name."""

    sections: tuple[str, ...] = ()

    @property
    def names_a_file(self) -> bool:
        return True

    @property
    def milestone(self) -> str:
        return f"M{self.id.partition('.')[2]}"

    def starter_source(self) -> str:
        return f'def {self.name}():\n    """{self.reference.__doc__}"""\n    ...'

    def reference_source(self) -> str:
        """The new sections, then the function that puts the file together."""
        parts = [f"def {name}():\n{textwrap.indent((ENGINE | STEPS)[name], '    ')}" for name in self.sections]
        return "\n\n\n".join([HOW_TO_ASSEMBLE] * (self.id == "16.1") + parts + [super().reference_source()])


_found: dict[tuple[str, Path, str], list[runner.Finding]] = {}
MOST_KEPT = 256


def findings(milestone: str, path: Path, text: str) -> list[runner.Finding]:
    """What the runner finds; once for each text of a file, unless the time was over: the next time it may be enough."""
    key = (milestone, path, text)
    if key in _found:
        return _found[key]
    if milestone in HOUSE:
        found = house.judge(house.changed(path.name, text), milestone)
    else:
        found = friends.judge(path) if milestone == "M8" else runner.judge(path, milestone)
    if not any(f.kind in ("time", "not run") for f in found):
        if len(_found) >= MOST_KEPT:
            _found.clear()
        _found[key] = found
    return found


def observe(answer: Callable[[], Any], milestone: str) -> Any:
    """The first trouble that the facts of a milestone show."""
    name = answer()
    if not isinstance(name, str | Path):
        return unfit(name, "the name of a file, as text")
    try:
        path = runner.find(name)
        found = findings(milestone, path, path.read_text(encoding="utf-8"))
    except (FileNotFoundError, UnicodeDecodeError) as error:
        return {"trouble": NO_FILE, "cost_text": str(error)}
    return told(found, milestone)


def told(found: list[runner.Finding], milestone: str) -> dict[str, str]:
    """The first trouble among what was found."""
    red = [f for f in found if not f.green]
    if not red:
        return {"trouble": "none", "cost_text": ""}
    if all(f.fact.note for f in red):
        return {"trouble": "none", "cost_text": f"{red[0].fact.id} is red: {red[0].fact.sentence}"}
    begun = not any(f.kind == "missing" for f in red)  # while a name is lacking, what a later fact points to is no help
    first = next((f for f in red if f.trouble), red[0]) if begun else next(f for f in red if f.kind == "missing")
    text = f"{len(found) - len(red)} of {len(found)} facts are green. {first.fact.id} is red: {first.fact.sentence}"
    trouble = first.kind if milestone == "M8" else first.trouble or first.fact.id
    if milestone == "M9" and first.kind not in ("missing", "refused", "not run"):
        trouble = WRONG_VALUE if first.kind == "value" else STOPPED
    return {"trouble": trouble, "cost_text": f"{text}\n{first.text}"}


def say(case: Case, got: Any, expected: Any) -> str | None:
    """None when all facts are green, else the red fact in words."""
    if isinstance(got, dict) and got.get("trouble") == expected["trouble"]:
        return None
    return got["cost_text"] if isinstance(got, dict) and "cost_text" in got else "The name of a file is wanted."


def one_case(milestone: str) -> Callable[[np.random.Generator, Any], list[Case]]:
    whole = f'`conformance("my_engine.py", "{milestone}")` shows the whole board'
    return lambda rng, dtype: [Case(f"the facts of {milestone}, {MILESTONES[milestone]}. {whole}", (milestone,))]


def patched(
    sections: tuple[str, ...], *swaps: tuple[str, str], name: str = "my_engine.py"
) -> Callable[[], str]:
    """An answer: the file of these sections, with some of its text exchanged."""

    def answer() -> str:
        text = source(*sections)
        for old, new in swaps:
            assert old in text, old
            text = text.replace(old, new)
        return written(text, name)

    return answer


def mistake(trouble: str, first: Callable[[], str], second: Callable[[], str]) -> Mistake:
    return Mistake(first, TROUBLES[trouble], second)


def milestone(reference: Callable[[], str], **more: Any) -> None:
    """Register the exercise of a milestone."""
    number = reference.__name__[1:]
    register(
        Milestone(
            id=f"16.{number}",
            title=f"M{number}: {MILESTONES[f'M{number}']}",
            reference=reference,
            cases=one_case(f"M{number}"),
            observe=observe,
            accept=say,
            time_limit=runner.MILESTONE_LIMIT + runner.IMPORT_LIMIT,
            **more,
        )
    )


# --- M1 Scalars ---------------------------------------------------------------------------------------------


def m1():
    """The name of the file that holds your engine, when the facts of M1 are to judge it."""
    return assemble(head, modes, values, graph, walk, operations, backward)


M1 = (head, modes, values, graph, walk, operations, backward)
ADD_UP = "waiting[parent] = waiting[parent] + message"
QUEUED = "heapq.heappush(queue, (-parent.number, parent))"

RECURSIVE = """
def walk(root, g):
    order, seen = [], set()

    def visit(node):
        if node not in seen:
            seen.add(node)
            for parent in filter(None, node.parents):
                visit(parent)
            order.append(node)

    visit(root)
    waiting = {root: g}
    for node in reversed(order):
        yield node, waiting[node]
        for parent, message in zip(node.parents, node.messages(waiting[node])):
            if parent is not None:
                waiting[parent] = waiting[parent] + message if parent in waiting else message
"""
# The waiting messages are fetched by asking the consumers, which ask theirs.
RECURSIVE_AGAIN = """
def walk(root, g):
    consumers, todo, nodes = {root: []}, [root], [root]
    while todo:
        node = todo.pop()
        for k, parent in enumerate(node.parents):
            if parent is not None:
                if parent not in consumers:
                    consumers[parent] = []
                    todo.append(parent)
                    nodes.append(parent)
                consumers[parent].append((node, k))
    known = {root: g}

    def total(node):
        if node not in known:
            messages = [consumer.messages(total(consumer))[k] for consumer, k in consumers[node]]
            known[node] = messages[0]
            for message in messages[1:]:
                known[node] = known[node] + message
        return known[node]

    for node in nodes:
        yield node, total(node)
"""
# A node that gets a message hands on all that it has, each time.
EARLY = """
def walk(root, g):
    waiting, todo, done = {root: g}, [root], 0
    while todo and done < 1000:
        node, done = todo.pop(0), done + 1
        if isinstance(node, Sink):
            continue
        yield node, waiting[node]
        for parent, message in zip(node.parents, node.messages(waiting[node])):
            if parent is not None:
                if isinstance(parent, Sink):
                    yield parent, message
                else:
                    waiting[parent] = waiting[parent] + message if parent in waiting else message
                    todo.append(parent)
"""

milestone(
    m1,
    sections=("head", "modes", "values", "graph", "walk", "operations", "backward"),
    difficulty=3,
    minutes=60,
    hints=(
        "Three things are enough: a tensor knows the node that made it; a node knows its rule and the nodes of its inputs; "
        "`backward` walks from the end and lets a node fire when all its messages are there. Chapter 02 has the walk.",
        "```text\n"
        "a ──┐\n"
        "    ├─► mul ─► c ──┐        node of c: rule g → (g·b, g·a)\n"
        "b ──┤              ├─► add ─► y      parents: (leaf a, leaf b)\n"
        "    └──────────────┘\n"
        "```\n"
        "b gets two messages: one by way of `mul`, one from `add`. Number the nodes as they are made. Then *newest first* is a "
        "right order, and a heap gives it without recursion.",
        "```python\n"
        "waiting, queue = {root: g}, [(-root.number, root)]\n"
        "while queue:\n"
        "    node = heapq.heappop(queue)[1]\n"
        "    g = waiting.pop(node)\n"
        "    for parent, message in zip(node.parents, node.rule(g)):\n"
        "        ...  # a constant: skip; already waiting: add; new: put it into waiting and into the queue\n"
        "```",
    ),
    explanation=(
        "**What the sections do.** `values` is the tensor, `graph` the node with its rule, what the rule needs (`saved`) and where "
        "its messages go (`parents`). A node takes its number after its inputs exist, so that newer always means closer to the end. "
        "`walk` is the heart: newest first, each node once, with the sum of its messages. No recursion, so no depth is too deep, "
        "and no set of visited nodes: a node enters the queue with its first message and leaves it with all of them.\n\n"
        "**One decision that pays later.** The rules are written with operations on *tensors*, not with NumPy. Therefore the walk "
        "must not record (`no_grad`), or every backward pass would build a second graph. In M5 we let it, and double backward is "
        "there without a new rule.\n\n"
        "`needed` saves a factor only when the other one wants a gradient. It looks like thrift; M6 shows that it is also the "
        "right thing."
    ),
    mistakes={
        "overwrites": mistake("overwrite", patched(M1, (ADD_UP, "waiting[parent] = message")), patched(M1, (ADD_UP, "pass"))),
        "fires before all messages are there": mistake(
            "fires_early",
            patched((head, modes, values, graph, EARLY, operations, backward)),
            patched((head, modes, values, graph, EARLY.replace("pop(0)", "pop()"), operations, backward)),
        ),
        "recursion": mistake(
            "recursion",
            patched((head, modes, values, graph, RECURSIVE, operations, backward)),
            patched((head, modes, values, graph, RECURSIVE_AGAIN, operations, backward)),
        ),
        "the rule forgets its message": mistake(
            "message",
            patched(M1, ("lambda g, out: (g * out,)", "lambda g, out: (out,)")),
            patched(M1, ("lambda g, a: (g / a,)", "lambda g, a: (1 / a,)")),
        ),
        "the wrong factor": mistake(
            "factor",
            patched(M1, ("(needed(a, b), needed(b, a))", "(needed(b, a), needed(a, b))")),
            patched(M1, ("g * b, None if a is None else g * a", "g * a, None if a is None else g * b")),
        ),
        "no reflected operations": mistake(
            "reflected",
            patched(M1, ("Tensor.__add__ = Tensor.__radd__ = add", "Tensor.__add__ = add")),
            patched(M1, ("Tensor.__mul__ = Tensor.__rmul__ = mul", "Tensor.__mul__ = mul")),
        ),
    },
)


# --- M2 Arrays ----------------------------------------------------------------------------------------------


def m2():
    """The name of the file that holds your engine, when the facts of M2 are to judge it."""
    return assemble(head, modes, values, graph, walk_with_shapes, operations, arrays, backward_with_cotangent)


M2 = (head, modes, values, graph, walk_with_shapes, operations, arrays, backward_with_cotangent)
SUM_UP = "return g.sum((*range(new), *stretched), keepdim=True).reshape(shape)"

milestone(
    m2,
    sections=("walk_with_shapes", "arrays", "backward_with_cotangent"),
    difficulty=4,
    minutes=90,
    hints=(
        "Every rule of M1 stays as it is: NumPy works entry by entry. What is new is that shapes change, forward and "
        "backward. **Copying forward is adding backward; adding forward is copying backward.** Undo broadcasting in one place.",
        "```text\n"
        "input   (3, 1)   ->   in the product (2, 3, 4)\n"
        "                       ^  ^  ^\n"
        "                     new  |  stretched\n"
        "message (2, 3, 4): sum over axis 0 (new) and axis 2 (stretched), then reshape to (3, 1)\n"
        "```",
        "```python\n"
        "def unbroadcast(g, shape):\n"
        "    new = g.ndim - len(shape)\n"
        "    stretched = [k + new for k, n in enumerate(shape) if n == 1]\n"
        "    return g.sum((*range(new), *stretched), keepdims=True).reshape(shape)\n"
        "\n"
        "np.add.at(zeros, index, g)  # the rule of x[index]: repeated rows add up\n"
        "```",
    ),
    explanation=(
        "**One place undoes broadcasting**: the walk, which knows the shape of each input. No rule has to think of it, and none "
        "can forget it. `expand` profits: its rule is just `g`.\n\n"
        "`scatter` is the rule of indexing, and `pick` is the rule of `scatter`. That pair makes M5 work for indices too. "
        "`matmul` gives vectors a second axis and takes it away again, so there is one rule, for tables.\n\n"
        "The line with `node.hooks` belongs to M4; until then the dict is empty."
    ),
    mistakes={
        "no unbroadcast": mistake(
            "unbroadcast",
            patched(M2, ("message = unbroadcast(message, shape)", "pass")),
            patched(M2, (SUM_UP, "return g if len(shape) else g.sum()")),
        ),
        "new axes only": mistake(
            "keepdims",
            patched(M2, (SUM_UP, "return g.sum(tuple(range(new))) if new else g")),
            patched(M2, (SUM_UP, "return g.sum((*range(new), *stretched))")),
        ),
        "repeated rows overwrite": mistake(
            "repeated",
            patched(M2, ("np.add.at(out, index, a.array)", "out[index] += a.array")),
            patched(M2, ("np.add.at(out, index, a.array)", "out[index] = a.array")),
        ),
        "the mean forgets its N": mistake(
            "mean",
            patched(M2, ("return a.sum(dim, keepdim) / (a.array.size if dim is None else a.shape[dim])",
                         "return record(np.asarray(a.array.mean(dim)), lambda g: (expand(g.reshape(-1, 1) if dim else g, s),), (a,))"),
                    ("def mean(a, dim=None, keepdim=False):", "def mean(a, dim=None, keepdim=False):\n    s = a.shape")),
            patched(M2, ("(a.array.size if dim is None else a.shape[dim])", "a.array.size")),
        ),
        "factors of @ in the wrong order": mistake(
            "matmul",
            patched(M2, ("g @ b.T, None if a is None else a.T @ g", "b @ g.T, None if a is None else a.T @ g")),
            patched(M2, ("g @ b.T, None if a is None else a.T @ g", "g @ b.T, None if a is None else g.T @ a")),
        ),
        "reshape for transpose": mistake(
            "transpose",
            patched(M2, ("lambda g: (g.T,)", "lambda g: (g.reshape(a.shape),)")),
            patched(M2, ("lambda g: (g.T,)", "lambda g: (tensor(g.array.reshape(a.shape)),)")),
        ),
        "v is not used": mistake(
            "cotangent",
            patched(M2, ("tensor(1.0) if gradient is None else gradient", "tensor(np.ones(self.shape))")),
            patched(M2, ("tensor(1.0) if gradient is None else gradient", "tensor(1.0) if gradient is None else gradient * gradient")),
        ),
    },
)


# --- M3 The contract ----------------------------------------------------------------------------------------


def m3():
    """The name of the file that holds your engine, when the facts of M3 are to judge it."""
    return assemble(
        head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, backward_with_contract
    )


M3 = (head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, backward_with_contract)
SECOND = "if self.saved is None:"
WRITE = "node.leaf.grad = tensor(g.array) if old is None else old + g"

LATE = """
def backward(self, gradient=None, retain_graph=False):
    passed = []
    try:
        if self.requires_grad:
            seen = walk(edge(self), gradient if isinstance(gradient, Tensor) else tensor(np.ones(self.shape)))
            with no_grad():
                for node, g in seen:
                    passed.append(node)
                    if isinstance(node, Sink):
                        node.leaf.grad = tensor(g.array) if node.leaf.grad is None else node.leaf.grad + g
    finally:
        for node in [] if retain_graph else passed:
            node.saved = node.saved and None
        start_of(self, gradient)


Tensor.backward = backward
"""
# Here v is looked at when the first leaf has got its gradient.
LATE_AGAIN = """
def backward(self, gradient=None, retain_graph=False):
    if not self.requires_grad or isinstance(gradient, Tensor) and gradient.shape != self.shape:
        start_of(self, gradient)
    passed = []
    with no_grad():
        for node, g in walk(edge(self), gradient if isinstance(gradient, Tensor) else tensor(np.ones(self.shape))):
            passed.append(node)
            if isinstance(node, Sink):
                node.leaf.grad = tensor(g.array) if node.leaf.grad is None else node.leaf.grad + g
                start_of(self, gradient)
    for node in [] if retain_graph else passed:
        node.saved = node.saved and None


Tensor.backward = backward
"""

milestone(
    m3,
    sections=("checks", "contract", "backward_with_contract"),
    difficulty=3,
    minutes=60,
    hints=(
        "A contract has two sides: what is promised, and what is refused. Refuse *first*: look at the root, at v and at the "
        "graph before the first `.grad` is written.",
        "```text\n"
        "backward(v)\n"
        "  1. check    the root has a graph · one element, or a v · v is a Tensor · shapes agree\n"
        "  2. walk     collect the gradients of the leaves; a freed node raises here\n"
        "  3. write    add to .grad, each leaf its own array\n"
        "  4. free     what the rules had saved, unless retain_graph\n"
        "```",
        "```python\n"
        "seen = list(walk(edge(self), start_of(self, gradient)))  # 1 and 2\n"
        "for node, g in seen:\n"
        "    if isinstance(node, Sink):\n"
        "        ...  # 3\n"
        "    if not retain_graph:\n"
        "        node.saved = None  # 4, where it had saved something\n"
        "```",
    ),
    explanation=(
        "`start_of` holds every refusal that needs no walk. `backward` turns the generator into a list: if a node in the middle "
        "was freed, the error comes before the first `.grad` is touched. (PyTorch is less strict there: leaves that the walk has "
        "passed are already written.)\n\n"
        "Only nodes that had saved something are freed. So `(x + y).sum()` may be walked twice, as in PyTorch.\n\n"
        "A first gradient is copied (`tensor(g.array)`): v itself, or the message to another leaf, may be the same array."
    ),
    mistakes={
        "raises after .grad was changed": mistake("late", patched((*M3[:-1], LATE)), patched((*M3[:-1], LATE_AGAIN))),
        "replaces .grad": mistake(
            "replaces",
            patched(M3, (WRITE, "node.leaf.grad = tensor(g.array)")),
            patched(M3, (WRITE, "node.leaf.grad = g if old is None else g + 0.0 * old")),
        ),
        "two leaves share an array": mistake(
            "shared",
            patched(M3, (WRITE, "node.leaf.grad = g if old is None else Tensor(np.add(old.array, g.array, out=old.array))")),
            patched(M3, (WRITE, "node.leaf.grad = old or g; node.leaf.grad.array += 0 if old is None else g.array")),
        ),
        "the graph is never freed": mistake(
            "freed",
            patched(M3, ("if node.saved and not retain_graph:", "if False:")),
            patched(M3, (SECOND, "if False:"), ("node.saved = None", "node.done = True")),
        ),
        "v is broadcast": mistake(
            "shape_of_v",
            patched(M3, ("if gradient.shape != root.shape:", "if np.broadcast_shapes(gradient.shape, root.shape) != root.shape:")),
            patched(M3, ("if gradient.shape != root.shape:", "if gradient.array.size not in (1, root.array.size):")),
        ),
        "no v is always fine": mistake(
            "scalar_only",
            patched(M3, ("if root.array.size != 1:", "if False:")),
            patched(M3, ("if root.array.size != 1:", "if root.array.size < 1:")),
        ),
        "only the shape () is a scalar": mistake(
            "one_element",
            patched(M3, ("if root.array.size != 1:", "if root.shape != ():")),
            patched(M3, ("if root.array.size != 1:", "if len(root.shape):")),
        ),
        "everything keeps a gradient": mistake(
            "non_leaf",
            patched(M3, ("yield node, g", "node.keeps.grad = node.keeps.grad if isinstance(node, Sink) else g; yield node, g"),
                    ("Node(rule, inputs, saved)\n", "Node(rule, inputs, saved)\n        out.node.keeps = out\n"),
                    ("self.leaf = leaf", "self.leaf = self.keeps = leaf")),
            patched(M3, ("Node(rule, inputs, saved)\n", "Node(rule, inputs, saved)\n        out.grad = tensor(0.0)\n")),
        ),
    },
)


# --- M4 Modes, detach, hooks --------------------------------------------------------------------------------


def m4():
    """The name of the file that holds your engine, when the facts of M4 are to judge it."""
    return assemble(
        head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, looking_in, backward_with_contract
    )


M4 = (head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, looking_in, backward_with_contract)
AFTER = "no_grad.recording = self.before"
HOOKS = "for hook in list(node.hooks.values()):"
EACH = "message = unbroadcast(message, shape)"
RUN_HOOKS = """def run_hooks(node, g):
    for hook in list(node.hooks.values()):
        new = hook(g)
        g = g if new is None else new
    return g


def walk("""

milestone(
    m4,
    sections=("looking_in",),
    difficulty=3,
    minutes=45,
    hints=(
        "A mode is a flag that many blocks change and each must put back: also when the block ends with an error, and to what "
        "it was *before*, not to what you like. A hook belongs to the place where all messages have been added.",
        "```text\n"
        "no_grad        before = on    -> off ...... back to on\n"
        "  no_grad        before = off   -> off .. back to off   (not on)\n"
        "    error!          ^ __exit__ runs on the way out, too\n"
        "```\n"
        "```text\n"
        "message ─┐\n"
        "         + ─► hooks, in order ─► the node fires, or .grad is written\n"
        "message ─┘\n"
        "```",
        "```python\n"
        "class no_grad:\n"
        "    def __enter__(self):\n"
        "        self.before = ...\n"
        "    def __exit__(self, *error):\n"
        "        ...  # put self.before back; return nothing, so that an error goes on\n"
        "\n"
        "for hook in hooks:  # in the walk\n"
        "    new = hook(g)\n"
        "    g = g if new is None else new\n"
        "```",
    ),
    explanation=(
        "`no_grad` was there since M1. It is a class and no function with `yield`, because `__exit__` runs in any case; "
        "`enable_grad` is the same class with the other value.\n\n"
        "Hooks live on the node (of a leaf: on its sink), because that is where the sum of the messages arrives. They are "
        "keyed by a number, so that `remove` takes away one of two equal hooks, and the walk goes over a *copy* of them: a hook "
        "may remove itself."
    ),
    mistakes={
        "the flag is lost after an exception": mistake(
            "flag",
            patched(M4, (AFTER, "if error == (None, None, None):\n            no_grad.recording = self.before")),
            patched(M4, (AFTER, "no_grad.recording = self.before if error[0] is None else no_grad.recording")),
        ),
        "the inner block switches recording on": mistake(
            "nested",
            patched(M4, (AFTER, "no_grad.recording = True")),
            patched(M4, (AFTER, "no_grad.recording = not self.inside")),
        ),
        "hooks run for each message": mistake(
            "hook_each",
            patched(M4, (HOOKS, "for hook in []:"), (EACH, EACH + "; message = run_hooks(parent, message)"), ("def walk(", RUN_HOOKS)),
            patched(M4, (HOOKS, "for hook in []:"),
                    (EACH, f"{EACH}\n            for hook in parent.hooks.values():\n"
                           "                message = hook(message) or message")),
        ),
        "what a hook returns is lost": mistake(
            "hook_return",
            patched(M4, ("g = g if new is None else new", "pass")),
            patched(M4, ("new = hook(g)", "new = hook(g) and None")),
        ),
        "hooks in the wrong order": mistake(
            "hook_order",
            patched(M4, ("list(node.hooks.values())", "list(node.hooks.values())[::-1]")),
            patched(M4, ("list(node.hooks.values())", "reversed(node.hooks.values())")),
        ),
        "a leaf forgets its hooks": mistake(
            "leaf_hook",
            patched(M4, ("list(node.hooks.values())", "list({} if isinstance(node, Sink) else node.hooks.values())")),
            patched(M4, ("list(node.hooks.values())", "[h for h in node.hooks.values() if node.parents]")),
        ),
        "remove takes all": mistake(
            "remove",
            patched(M4, ("self.hooks.pop(self.key, None)", "self.hooks.clear()")),
            patched(M4, ("self.hooks.pop(self.key, None)", "pass")),
        ),
    },
)


# --- M5 Double backward -------------------------------------------------------------------------------------


def m5():
    """The name of the file that holds your engine, when the facts of M5 are to judge it."""
    return assemble(
        head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, looking_in, backward_twice
    )


M5 = (head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, looking_in, backward_twice)

milestone(
    m5,
    sections=("backward_twice",),
    difficulty=4,
    minutes=90,
    hints=(
        "A gradient can be differentiated when the backward pass itself is recorded. So the rules must compute with *tensors*, "
        "and what they have saved must still know its history.",
        "```text\n"
        "forward:   x ──► x³ ──► y            node(x³) has saved x, the tensor with its history\n"
        "backward:  1 ──► g · 3 · x² ──► g_x   recorded: g_x depends on x, by way of x²\n"
        "again:     1 ──► 6 · x\n"
        "```",
        "```python\n"
        "def rule(g, a):\n"
        "    return (g * (n * a ** (n - 1)),)  # operations on tensors\n"
        "\n"
        "with enable_grad() if create_graph else no_grad():\n"
        "    seen = list(walk(edge(root), g))\n"
        "```",
    ),
    explanation=(
        "No rule had to change. `run` walks with recording on when `create_graph` is set, and the rules leave a graph behind. "
        "`unbroadcast`, `expand` and `scatter` are made of recorded operations too, and that is why shapes and indices work.\n\n"
        "`create_graph` implies `retain_graph`: the graph of the gradient needs what the first one has saved. `grad` asks the "
        "walk for the nodes of its inputs and writes nowhere, so every `.grad` stays as it is."
    ),
    mistakes={
        "rules in raw NumPy": mistake(
            "raw_numpy",
            patched(M5, ("g * (n * a ** (n - 1) if n else 0)", "tensor(g.array * n * a.array ** (n - 1))")),
            patched(M5, ("with enable_grad() if create_graph else no_grad():\n        seen", "with no_grad():\n        seen")),
        ),
        "one rule in raw NumPy": mistake(
            "raw_rule",
            patched(M5, ("lambda g, out: (g * out,)", "lambda g, out: (g * tensor(out.array),)")),
            patched(M5, ("None if b is None else g @ b.T, None if a is None else a.T @ g",
                         "None if b is None else Tensor(g.array @ b.array.T), None if a is None else Tensor(a.array.T @ g.array)")),
        ),
        "grad writes into .grad": mistake(
            "pollutes",
            patched(M5, ("    gradients = tuple(found.get(edge(t)) for t in inputs)",
                         "    gradients = tuple(found.get(edge(t)) for t in inputs)\n    for t, g in zip(inputs, gradients):\n  "
                         "      t.grad = g")),
            patched(M5, ("    gradients = tuple(found.get(edge(t)) for t in inputs)",
                         "    gradients = tuple(found.get(edge(t)) for t in inputs)\n    for n in found:\n"
                         "        if isinstance(n, Sink):\n            n.leaf.grad = None")),
        ),
        "an unused input is silent": mistake(
            "unused",
            patched(M5, ("if None in gradients and not allow_unused:", "if False:")),
            patched(M5, ("if None in gradients and not allow_unused:", "if None in gradients:")),
        ),
    },
)


# --- M6 Versions and views ----------------------------------------------------------------------------------


def m6():
    """The name of the file that holds your engine, when the facts of M6 are to judge it."""
    return assemble(
        head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
        looking_in, backward_twice, views, writing,
    )  # fmt: skip


M6 = (
    head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
    looking_in, backward_twice, views, writing,
)  # fmt: skip
LEAF_RULE = "if no_grad.recording and whole.requires_grad and whole.is_leaf:"
CHANGED = "if t is not None and t.memory.version != version:"
LOOK_AGAIN = "if self.base is not None and self.base.node is not self.base_node:"

milestone(
    m6,
    sections=("values_with_memory", "graph_with_versions", "contract_with_views", "views", "writing"),
    difficulty=5,
    minutes=120,
    hints=(
        "Three questions, one after the other. Who shares the numbers (then they share the count of writes)? What did a rule "
        "save, and at which count? And after a write: what is the *history* of the tensor now, and of those who look at the "
        "same numbers?",
        "```text\n"
        "memory  [ 0 1 2 3 4 5 ]  version 7\n"
        "           ▲     ▲\n"
        "y ─────────┴─────┘  base          v = y[1:3]: a window on the base\n"
        "\n"
        "v.mul_(w):  y  ◄── node with two inputs: the old y (zeros in the window), and v * w (the window)\n"
        "            v  ◄── looks at y anew when it is asked for its node\n"
        "```",
        "```python\n"
        "def write(t, new):\n"
        "    if t.base is not None:  # a view writes into its base\n"
        "        return write(t.base, put(t.base, t.window, new))\n"
        "    t.array[...] = new.array\n"
        "    t.memory.version += 1\n"
        "    t.node = new.node  # while recording\n"
        "```",
    ),
    explanation=(
        "**Memory.** What shares numbers shares a `Memory` with one `version`. A node saves tensors *with* their versions and "
        "compares when its rule is asked.\n\n"
        "**Saved means saved with the history of that day.** `as_saved` keeps the array, the memory and the node: the tensor "
        "itself may get "
        "another node by a later write.\n\n"
        "**One way to write.** Every operation in place is the ordinary operation on a copy of the old numbers, then `write`. A view "
        "writes into its base: `put` is the base with the window replaced, an operation like any other, with a rule that can be "
        "differentiated. Views do not get told; they look again when they are asked for their node and the base has another one.\n\n"
        "All refusals come before the first number changes."
    ),
    wasteful={
        "one array for several gradients": mistake(
            "shared",
            patched(M6, ("else tensor(g.array)", "else g")),
            patched(M6, ("else tensor(g.array)", "else Tensor(g.array)")),
        ),
    },
    mistakes={
        "the counter on the tensor": mistake(
            "counter",
            patched(M6, ("out.memory, out.base = a.memory, a", "out.base = a"),
                    ("Tensor(a.array, memory=a.memory)", "Tensor(a.array)")),
            patched(M6, ("self.memory = memory or Memory()", "self.memory = Memory()"),
                    ("out.memory, out.base = a.memory, a", "out.base = a"),
                    ("return Tensor(self.array, self.requires_grad, self.node, self.memory)",
                     "again = Tensor(self.array, self.requires_grad, self.node)\n        again.memory = self.memory\n        "
                     "return again")),
        ),
        "versions are not compared": mistake(
            "saved_check",
            patched(M6, (CHANGED, "if False:")),
            patched(M6, (CHANGED, "if t is not None and t.memory.version < version:")),
        ),
        "the output is not guarded": mistake(
            "saved_output",
            patched(M6, ("node.save([out])", "node.save([Tensor(out.array, True, node)])")),
            patched(M6, ("node.save([out])", "node.save([out])\n            node.saved[0].memory = Memory()")),
        ),
        "a leaf may be written": mistake(
            "leaf_rule",
            patched(M6, (LEAF_RULE, "if False:")),
            patched(M6, (LEAF_RULE, "if no_grad.recording and t.requires_grad and t.is_leaf and t.base is None and False:")),
        ),
        "slices are copies": mistake(
            "copies",
            patched(M6, ("if np.may_share_memory(out.array, a.array):", "out.array = out.array.copy()\n    if False:")),
            patched(M6, ("index = (*parts, ...)  # with the dots even x[0] is a view", "index = np.ix_(*[[0]]) if False else index"),
                    ("def detach(a):", "def detach(a):\n    return Tensor(a.array.copy())\n\n\ndef unused(a):")),
        ),
        "a view keeps its old history": mistake(
            "stale",
            patched(M6, (LOOK_AGAIN, "if self.base is not None and self._node is None and self.base.node is not self.base_node:")),
            patched(M6, (LOOK_AGAIN, "if self.base and not self._requires_grad and self.base.node is not self.base_node:")),
        ),
        "overwritten cells still count": mistake(
            "overwritten",
            patched(M6, ("(put_at(g, index, 0.0), g[index])", "(g, g[index])")),
            patched(M6, ("(put_at(g, index, 0.0), g[index])", "(g * 1.0, g[index])")),
        ),
        "the base keeps its old history": mistake(
            "rebase",
            patched(M6, ("write(t.base, put(t.base, t.window, new))", "write(t.base, put(t.base, t.window, tensor(new.array)))")),
            patched(M6, ("(put(g, window, tensor(0.0)), window(g))", "(g, None)"),
                    ("parent is None", "parent is None or message is None")),
        ),
        "+= makes a new tensor": mistake(
            "new_object",
            patched(M6, ("Tensor.add_ = Tensor.__iadd__ = in_place(add)", "Tensor.add_ = in_place(add)")),
            patched(M6, ("Tensor.mul_ = Tensor.__imul__ = in_place(mul)", "Tensor.mul_ = in_place(mul)")),
        ),
    },
)


# --- M7 Training --------------------------------------------------------------------------------------------


def m7():
    """The name of the file that holds your engine, when the facts of M7 are to judge it."""
    return assemble(
        head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
        looking_in, backward_twice, views, writing, training,
    )  # fmt: skip


M7 = (*M6, training)
BY_HAND = """
def fit(points, labels, weights, rate, steps):
    W1, b1, W2, b2 = (np.array(w, dtype=np.float64) for w in weights)
    losses = []
    for _ in range(steps):
        h = np.tanh(points @ W1 + b1)
        e = h @ W2 + b2 - labels.reshape(-1, 1)
        losses.append(float((e * e).mean()))
        ds = 2 * e / len(e)
        dh = ds @ W2.T * (1 - h * h)
        W2, b2 = W2 - rate * h.T @ ds, b2 - rate * ds.sum(0)
        W1, b1 = W1 - rate * points.T @ dh, b1 - rate * dh.sum(0)
    return losses, [W1, b1, W2, b2]
"""

milestone(
    m7,
    sections=("training",),
    difficulty=3,
    minutes=60,
    hints=(
        "Five steps, in this order: compute the loss, forget the old gradients, go backward, note the loss, update inside of "
        "`no_grad`.",
        "```text\n"
        "points (n, 2) ─ @ W1 (2, h) + b1 (h,) ─ tanh ─ @ W2 (h, 1) + b2 (1,) ─► scores (n, 1)\n"
        "labels (n,)  ─ reshape ──────────────────────────────────────────────► target (n, 1)\n"
        "                                         loss = mean of (score - target)²\n"
        "```",
        "```python\n"
        "parameters = [tensor(w, requires_grad=True) for w in weights]\n"
        "for _ in range(steps):\n"
        "    loss = ...\n"
        "    for p in parameters:\n"
        "        p.grad = None\n"
        "    loss.backward()\n"
        "    with no_grad():\n"
        "        for p in parameters:\n"
        "            p -= rate * p.grad\n"
        "```",
    ),
    explanation=(
        "`tensor` copies, so the arrays of the caller stay as they are. The labels become a column: without it (n, 1) − (n,) is an "
        "n × n table, and the mean is taken of n² wrong differences, without any error.\n\n"
        "The update is a write in place on a leaf, allowed inside of `no_grad` (M6), and the next step records a new graph. Six "
        "hundred steps, and the losses agree with minigrad's to 1e-6: your engine is one."
    ),
    mistakes={
        "trains without the engine": mistake(
            "borrowed",
            patched((*M6, BY_HAND)),
            patched((*M6, BY_HAND), ("np.array(w, dtype=np.float64)", "tensor(w).numpy()")),
        ),
        "gradients are not forgotten": mistake(
            "zeroing",
            patched(M7, ("            p.grad = None\n", "            pass\n")),
            patched(M7, ("    for p in parameters:\n            p.grad = None\n", "    if not losses:\n            W1.grad = None\n")),
        ),
        "labels as a row": mistake(
            "shapes",
            patched(M7, ("tensor(labels).reshape(-1, 1)", "tensor(labels)")),
            patched(M7, ("tensor(labels).reshape(-1, 1)", "tensor(labels).reshape(1, -1)")),
        ),
        "another step": mistake(
            "step",
            patched(M7, ("p -= rate * p.grad", "p += rate * p.grad")),
            patched(M7, ("p -= rate * p.grad", "p -= rate / 2 * p.grad")),
        ),
        "trains the caller's arrays": mistake(
            "untouched",
            patched(M7, ("np.array(data, dtype=np.float64)", "np.asarray(data, dtype=np.float64)")),
            patched(M7, ("return losses, [p.numpy() for p in parameters]",
                         "for w, p in zip(weights, parameters):\n        w[...] = p.array\n    return losses, [p.numpy() for p "
                         "in parameters]")),
        ),
    },
)


# --- M8 Break a friend's engine -----------------------------------------------------------------------------


def m8():
    """The name of the file that holds your five facts, when they are to be judged."""
    return assemble(five_facts, name="my_facts.py")


M8 = (five_facts,)
FACTS = "my_facts.py"
LOOKS_INTO_THE_ERROR = """try:
    x.zero_()
except RuntimeError as e:
    assert 'leaf' in e"""


def say_of_facts(kind: str) -> str:
    return {
        "not caught": "One of your facts passes on the friend's engine. Read again what the friend says: for which inputs is it so?",
        "words": "A fact must hold for every right engine, whatever its messages and insides are. Look at values, flags, "
        "versions and types of errors.",
        "not on minigrad": "A fact must pass on minigrad, in other words for its messages: run it there first, with "
        "`import minigrad as engine`.",
    }[kind]


milestone(
    m8,
    sections=("five_facts",),
    difficulty=4,
    minutes=45,
    hints=(
        "Each friend says something true. Ask of each: for which inputs is this *not* the same? Random numbers do not hit those "
        "inputs; you must choose them.",
        "```text\n"
        "ada    x * (x >= 0)      what is the slope where x is 0?\n"
        "ben    n * y / x         what is y / x where x is 0?\n"
        "cleo   returns at once   who counts writes?\n"
        "dan    a plain list      what if it gets shorter while somebody goes along it?\n"
        "eva    pop               what if somebody asks twice?\n"
        "```",
        "```python\n"
        "# %% ada\n"
        "x = engine.tensor(np.array([-1.5, 0.0, 2.5]), requires_grad=True)\n"
        "x.relu().sum().backward()\n"
        "assert np.allclose(x.grad.numpy(), ...)\n"
        "```",
    ),
    explanation=(
        "All five engines pass the facts of M1 to M6: random numbers are never exactly 0, nobody writes by 1.0, no hook there "
        "removes itself, and "
        "no input is named twice. A test suite is a net, and its holes have shapes: **special values, no-ops, changes while "
        "iterating, "
        "the same thing twice**. Those are good first questions to any program, yours included."
    ),
    mistakes={
        "does not catch": Mistake(
            patched(M8, ("[-1.5, 0.0, 2.5]", "[-1.5, 0.5, 2.5]"), ("[0.0, 0.0, 1.0]", "[0.0, 1.0, 1.0]"), name=FACTS),
            say_of_facts("not caught"),
            patched(M8, ("handle.remove()", "pass"), name=FACTS),
        ),
        "depends on words": Mistake(
            patched(M8, ("assert y._version == before + 1", "assert repr(x)"), name=FACTS),
            say_of_facts("words"),
            patched(M8, ("assert second is not None and", "assert x.grad_fn is None and"), name=FACTS),
        ),
        "wrong on minigrad": Mistake(
            patched(M8, ("[0.0, 0.0, 1.0]", "[0.0, 1.0, 1.0]"), name=FACTS),
            say_of_facts("not on minigrad"),
            patched(M8, ("assert y._version == before + 1", LOOKS_INTO_THE_ERROR), name=FACTS),
        ),
    },
)


# --- M9 Random programs -------------------------------------------------------------------------------------


def m9():
    """The name of the file that holds your engine, when random programs are to judge it."""
    return assemble(
        head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
        looking_in, backward_twice, views, writing,
    )  # fmt: skip


milestone(
    m9,
    difficulty=3,
    minutes=20,
    extra=True,
    hints=(
        "What is shown is the shortest program that was found: without any of its lines, or with simpler numbers, your engine was "
        "right. So every line and every number in it matters. Ask of each what would be otherwise without it.",
        "```text\n"
        "program        by hand          your engine\n"
        "a = 0.0        0                0\n"
        "b = a**0       1                1\n"
        "backward       slope of a**0    print what the rule gets, and what it hands on\n"
        "```",
        "```python\n"
        "# The program into a file of its own, and a print into the rule:\n"
        "def rule(g, a):\n"
        "    message = ...\n"
        '    print("rule of **:", g.numpy(), a.numpy(), "->", message.numpy())\n'
        "    return (message,)\n"
        "```",
    ),
    explanation=(
        "The reference passes, whatever the seed. Two of its lines are there for programs that nobody thinks of: the rule of `a**n` "
        "asks whether n is 0, since 0 · 0⁻¹ is no number; and its relu asks for `a > 0`, so that the slope at 0 is 0.\n\n"
        "**How such a search works.** A *generator* writes programs that keep to the contract; an *oracle*, here minigrad, says what "
        "is right; and a failing program is *shrunk*: a line left out, a number made simpler, again and again, as long as it still "
        "fails. The random program had ten lines; two or three are left, and they say where to look. Libraries do this for any "
        "program: in Python, Hypothesis."
    ),
    mistakes={
        "a special value goes wrong": Mistake(
            patched(M6, ("n * a ** (n - 1) if n else 0", "n * a ** (n - 1)")),
            "The program that is shown is the shortest that was found: no line of it can be left out. Work out by hand what it gives, "
            "from the first line to the last, and print what your rules hand on: the first difference is the mistake.",
            patched(M6, ("tensor(a.array > 0)", "tensor(a.array >= 0)")),
        ),
        "a result that cannot be used": Mistake(
            patched(M6, ("out = Tensor(np.asarray(array))", "out = Tensor(array)")),
            "The program that is shown ends with an error, or never, where minigrad gives a result; it is the shortest that was "
            "found. What is the tensor like that the last line uses, and which line made it?",
            patched(M6, ("if self.base is not None and self.base.node is not self.base_node:", "if self.base is not None:")),
        ),
    },
)
