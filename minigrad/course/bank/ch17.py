"""Read the real one.

Exercises 17.1 to 17.6: changes of the engine itself. But for 17.4, an answer is a function that names the file that was changed;
it takes the place of the real one, and facts run against the engine that this gives.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from minigrad.course.bank.ch16 import Milestone, mistake, observe, say
from minigrad.course.capstone import copies, edited, runner
from minigrad.course.capstone.facts import HOUSE
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register

HOW_TO_EDIT = """\
# `edited` writes a file of the engine into a temporary folder, with some text exchanged or added: here that is done by a program.
from minigrad.course.capstone import edited"""


class Change(Milestone):
    """An exercise whose answer names a file of the engine. `sections` are the names of the texts that the reference puts in."""

    @property
    def milestone(self) -> str:
        return f"E{self.id.partition('.')[2]}"

    def reference_source(self) -> str:
        """What is put into the file, then the function that does it."""
        parts = [f'{name} = """{self.space[name]}"""' for name in self.sections]
        return "\n\n".join([HOW_TO_EDIT, *parts]) + "\n\n\n" + Exercise.reference_source(self)


def with_text(name: str, *swaps: tuple[str, str], add: str = "") -> Callable[[], str]:
    """An answer: this file with some text exchanged, and some added."""
    return lambda: edited(name, *swaps, add=add)


def change(reference: Callable[[], str], title: str, **more: Any) -> None:
    """Register an exercise."""
    part = f"E{reference.__name__[1:]}"
    whole = f'`engine_board("{part}", "H")` shows the whole board'
    register(
        Change(
            id=f"17.{part[1:]}",
            title=title,
            reference=reference,
            cases=lambda rng, dtype: [Case(f"the facts of {part}, {HOUSE[part]}. {whole}", (part,))],
            observe=observe,
            accept=say,
            time_limit=2 * runner.MILESTONE_LIMIT + runner.IMPORT_LIMIT,
            **more,
        )
    )


# --- 17.1 A new operation -----------------------------------------------------------------------------------

SOFTABS = """

@op(self=lambda g, self, result: g * self / result, w=lambda g, w, result: g * w / result)
def softabs(self, w):
    '''The root of self² + w²: |self| with a round bottom.'''
    return np.sqrt(self * self + w * w)
"""


def e1():
    """The name of the file that you changed, such as "engine/core/walk.py"."""
    return edited("ops/pointwise.py", add=SOFTABS)


ROOT = "np.sqrt(self * self + w * w)"
POINTWISE = "ops/pointwise.py"


def softabs(*swaps: tuple[str, str]) -> Callable[[], str]:
    """An answer to 17.1, with some text exchanged."""
    text = SOFTABS
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return with_text(POINTWISE, add=text)


change(
    e1,
    "A new operation, with its second derivative",
    sections=("SOFTABS",),
    difficulty=2,
    minutes=25,
    hints=(
        "An operation is declared where its kind is: this one works element by element, with broadcasting. Read three of its "
        "neighbours, one that saves its inputs (`mul`), one that saves its result (`exp`), one with a rule for each of two "
        "inputs.",
        "```text\n"
        "forward    self, w      ──►  result = √(self² + w²)      arrays in, an array out\n"
        "rule self  g, self, result  ──►  g · self / result        arrays, or Tensors in a recorded pass\n"
        "rule w     g, w, result     ──►  g · w / result\n"
        "```\n"
        "The names of a rule's parameters say what is saved. `result` is the output. Of broadcasting no rule has to know.",
        "```python\n"
        "@op(self=lambda g, self, result: ..., w=lambda g, w, result: ...)\n"
        "def softabs(self, w):\n"
        "    return np.sqrt(...)\n"
        "```",
    ),
    explanation=(
        "Four lines, and the engine does the rest: it makes the node and calls it SoftabsBackward0 (`node_type` in `rule.py`), "
        "saves what the parameters name (`Recipe`), hands the cotangents on and sums them where `w` was stretched (`fit` in "
        "`walk.py`).\n\n"
        "The **forward** gets arrays and may use all of NumPy. The **rules** get arrays in a usual pass and Tensors in a "
        "recorded one, so they are made of `*` and `/`, which both understand. That is all that double backward takes: when a "
        "rule divides by `result`, the division is recorded, and `result` is there with its history.\n\n"
        "What is saved: `self`, `w` and `result`, each once, although two rules name `result`. If `w` needs no gradient, only "
        "`self` and `result`."
    ),
    alternatives={
        "the root once more": softabs(("result: g * self / result", "w: g * self / (self * self + w * w) ** 0.5"),
                                      ("w, result: g * w / result", "self, w: g * w / (self * self + w * w) ** 0.5")),
        "by the quotient first": softabs(("g * self / result", "(self / result) * g"), ("g * w / result", "(w / result) * g")),
    },
    mistakes={
        "the rule forgets its cotangent": mistake(
            "forgets_g", softabs(("g * self / result", "self / result")), softabs(("g * self / result", "self / result * (g == g)"))
        ),
        "one rule only": mistake(
            "one_rule", softabs((", w=lambda g, w, result: g * w / result", "")), softabs(("g * w / result", "None"))
        ),
        "rules in NumPy": mistake(
            "raw",
            softabs(("self, result: g * self / result", "self, w: g * self / np.hypot(self, w)")),
            softabs(("g * self / result", "by_hand(g, self, result) if isinstance(g, Tensor) else g * self / result"),
                    ("@op", "def by_hand(g, x, y):\n    return wrap(g.numpy() * x.numpy() / y.numpy())\n\n\n@op")),
        ),
    },
)  # fmt: skip


# --- 17.2 A walk that counts --------------------------------------------------------------------------------

QUICKLY = "                results = node.apply(cotangents, tensors, needed)  # as almost every node does: nothing watches it\n"
WATCHED = "            walk.node = node\n"
BEGIN = "    pending, captures, on_path, needed = "
IMPORT = "from typing import Any\n"
TABLE = "ndarray = np.ndarray  #"
COUNT = "ran[node.shown().name()] += 1\n"


def e2():
    """The name of the file that you changed."""
    return edited(
        "core/walk.py",
        ("from typing import Any\n", "from typing import Any\nfrom collections import Counter\n"),
        ("ndarray = np.ndarray  #", "ran = Counter()  # by name: how many nodes the last pass ran\nndarray = np.ndarray  #"),
        ("    pending, captures, on_path, needed = ", "    ran.clear()\n    pending, captures, on_path, needed = "),
        (
            "                results = node.apply(cotangents, tensors, needed)  # as almost",
            "                ran[node.shown().name()] += 1\n"
            "                results = node.apply(cotangents, tensors, needed)  # as almost",
        ),
        ("            walk.node = node\n", "            ran[node.shown().name()] += 1\n            walk.node = node\n"),
    )


def counting(quick: str = COUNT, watched: str = COUNT, clear: str = "ran.clear()", *more: tuple[str, str]) -> Callable[[], str]:
    """An answer to 17.2: with this where almost every node runs, this where a watched one does, and this where a pass begins."""
    return with_text(
        "core/walk.py",
        (IMPORT, IMPORT + "from collections import Counter\n"),
        (TABLE, "ran = Counter()\n" + TABLE),
        (BEGIN, f"    {clear}\n" + BEGIN),
        (QUICKLY, f"                {quick}" + QUICKLY),
        (WATCHED, f"            {watched}" + WATCHED),
        *more,
    )


ARRIVES = "                target, output = edge\n"
HANDED_ON = "            for index, edge in enumerate(edges):\n"
WHETHER = "            runs = on_path is None or"
POPPED = "            hooks, accumulates, edges = node._hooks"

change(
    e2,
    "Make the walk count what it runs",
    difficulty=3,
    minutes=25,
    hints=(
        "Find the lines in `run` where a node's `apply` (or, for a leaf, `accumulate`) is called. There is the moment to "
        "count; not where something arrives, nor where something is taken from the heap.",
        "```text\n"
        "while True:\n"
        "    hand the results on        one turn for each edge: a node with two consumers is met twice\n"
        "    take the next node         also one that is only an input of `grad`\n"
        "    nobody watches it?  run it, and go on            ◄── count\n"
        "    captured, and does not run?  go on\n"
        "    run it, or accumulate                            ◄── count\n"
        "```",
        "```python\n"
        "ran = Counter()  # at the top of walk.py\n"
        "...\n"
        "ran.clear()  # where a pass begins\n"
        "...\n"
        "ran[node.shown().name()] += 1  # where a node runs\n"
        "```",
    ),
    explanation=(
        "Five lines, in one file. The walk has a **short way** for the node that nobody watches, and a long one for leaves, "
        "hooks and the inputs of `grad`. A change that holds for all nodes has to be made in both.\n\n"
        "`node.shown()` is there for speed: all nodes of operations are of one class, `OpNode`, while they walk, and get the "
        "class that bears their name when somebody looks. Counting looks at every node, so a walk that counts is slower. In "
        "minigrad itself such things stand in `around/` and are asked for only while they are switched on (`state.extension`)."
    ),
    alternatives={
        "a plain dict": counting("ran[node.shown().name()] = ran.get(node.shown().name(), 0) + 1\n"),
        "a function": counting("count(node)\n", "count(node)\n", "ran.clear()",
                               ("def on_a_path", "def count(node):\n    ran.update([node.shown().name()])\n\n\ndef on_a_path")),
    },
    mistakes={
        "some nodes are not counted": mistake(
            "leaves_too", counting(watched="pass\n"), counting(watched="ran.update([] if accumulates else [node.shown().name()])\n")
        ),
        "the class that nobody has looked at": mistake(
            "shown",
            counting("ran[type(node).__name__] += 1\n", "ran[node.name()] += 1\n"),
            counting("ran[node.name()] += 1\n", "ran[node.name()] += 1\n"),
        ),
        "numbers of an earlier pass": mistake("never_reset", counting(clear="pass"), counting(clear="recorded and ran.clear()")),
        "counts what arrives": mistake(
            "edges",
            counting("pass\n", "pass\n", "ran.clear()", (ARRIVES, ARRIVES + "                ran[target.shown().name()] += 1\n")),
            counting("pass\n", "pass\n", "ran.clear()",
                     (HANDED_ON, "            ran.update([e[0].shown().name() for e in edges if e])\n" + HANDED_ON)),
        ),
        "counts what is only captured": mistake(
            "not_run",
            counting("pass\n", "pass\n", "ran.clear()", (POPPED, "            ran[node.shown().name()] += 1\n" + POPPED)),
            counting(COUNT, "pass\n", "ran.clear()",
                     (WHETHER, "            ran[node.shown().name()] += 1\n" + WHETHER)),
        ),
    },
)  # fmt: skip


# --- 17.3 Computed again, not kept --------------------------------------------------------------------------

AGAIN = """
class Again:
    '''Stands in a node for a tensor that is cheap to compute: the call, and its arguments with their versions.'''

    def __init__(self, call, args, result):
        self.call, self.args, self.version = call, [save(a) for a in args], result._version

    def unpack(self, node):
        return self.call(*[unpack(a, node) for a in self.args])


def cheap(call):
    '''A function that computes as `call` does; nodes do not keep what it returns, but compute it again.'''

    def marked(*args):
        result = call(*args)
        result._again = Again(call, args, result)
        return result

    return marked


def save_input(tensor):
    again = getattr(tensor, "_again", None)
    return again if again is not None and again.version == tensor._version else save(tensor)
"""


def e3():
    """The name of the file that you changed."""
    return edited(
        "core/record.py",
        ("save, save_output", "save, save_output, unpack"),
        ("value = (value, value._counter[0], None) if isinstance(value, Tensor) else save(value)", "value = save_input(value)"),
        add=AGAIN,
    )


KEPT = "value = (value, value._counter[0], None) if isinstance(value, Tensor) else save(value)"


def again(*swaps: tuple[str, str], use: str = "value = save_input(value)") -> Callable[[], str]:
    """An answer to 17.3, with some of its text exchanged."""
    text = AGAIN
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return with_text("core/record.py", ("save, save_output", "save, save_output, unpack"), (KEPT, use), add=text)


RECOMPUTED = "return self.call(*[unpack(a, node) for a in self.args])"

change(
    e3,
    "Compute a saved value again, and do not keep it",
    sections=("AGAIN",),
    difficulty=4,
    minutes=45,
    hints=(
        "A saved tensor is a tuple (tensor, version, output number). But read `unpack` in `tape.py` to the end: *what "
        "outsiders keep in place of a tensor has a method `unpack`*. That is a door. Where are the tuples made?",
        "```text\n"
        "x, k ──► y = mul(x, k) ──► z = y · y\n"
        "\n"
        "kept:        node of z  ──►  (y, version, None)\n"
        "with cheap:  node of z  ──►  Again: mul, (x, version), (k, version)      y is kept by nobody\n"
        "backward:    Again.unpack(node) ──► mul(x, k), computed anew\n"
        "```",
        "```python\n"
        "class Again:\n"
        "    def __init__(self, call, args):\n"
        "        self.call, self.args = call, [save(a) for a in args]\n"
        "\n"
        "    def unpack(self, node):\n"
        "        return self.call(*[unpack(a, node) for a in self.args])\n"
        "```\n"
        "In `cheap`, put one onto the result. In `new_node`, where an INPUT is saved, look whether the tensor has one.",
    ),
    explanation=(
        "The engine already has the seam: `unpack` hands over to anything that has a method of that name. So one line of "
        "`new_node` changes, and the rest is new.\n\n"
        "* `save` and `unpack` carry the versions of the *arguments*: what the value is computed from must be as it was.\n"
        "* In a recorded pass the walk has switched recording on, so the call inside of `unpack` records, and the value comes "
        "with its history. Nothing has to be done for second derivatives.\n"
        "* A value that was written to since is not what the call gives; then the tuple is the right thing.\n\n"
        "The chain of the fact keeps half: of each of the eight links one array of two. The price is one more multiplication "
        "for each time a rule asks. This is **checkpointing**: PyTorch's `torch.utils.checkpoint` does it for whole parts of a "
        "network, and its hooks on saved tensors use the same door."
    ),
    alternatives={
        "a function in place of a class attribute": again(
            ("self.call, self.args, self.version = call, [save(a) for a in args], result._version",
             "kept, self.version = [*map(save, args)], result._version\n"
             "        self.again = lambda node: call(*unpack(kept, node))"),
            (RECOMPUTED, "return self.again(node)"),
        ),
    },
    mistakes={
        "the value is still held": mistake(
            "held",
            again(use=KEPT),
            again(("result._version", "result._version\n        self.result = result"), (RECOMPUTED, "return self.result")),
        ),
        "arguments without versions": mistake(
            "unguarded",
            again(("[save(a) for a in args]", "args"), (RECOMPUTED, "return self.call(*self.args)")),
            again((RECOMPUTED, "return self.call(*[a[0] if type(a) is tuple else a for a in self.args])")),
        ),
        "no history": mistake(
            "no_history",
            again((RECOMPUTED, RECOMPUTED + ".detach()")),
            again((RECOMPUTED, "before = state.set_grad(False)\n        try:\n            " + RECOMPUTED
                   + "\n        finally:\n            state.set_grad(before)")),
        ),
        "a value that was written to since": mistake(
            "written_since",
            again((" and again.version == tensor._version", "")),
            again(("again.version == tensor._version", "again.version <= tensor._version")),
        ),
    },
)  # fmt: skip


# --- 17.4 What the version check is for ---------------------------------------------------------------------


def turns_red():
    """The ids of the facts H that turn red without the version check, as a list of texts such as "H.product"."""
    return ["H.input", "H.output", "H.through"]


def cases_4(rng, dtype):
    return [Case("the facts that turn red", ())]


def observe_4(answer):
    """The ids in the order of the alphabet: any collection will do."""
    said = answer()
    if not isinstance(said, list | tuple | set | frozenset) or not all(isinstance(name, str) for name in said):
        return unfit(said, "a list of texts, the ids of facts")
    return {"facts": sorted(set(said))}


def accept_4(case: Case, got: Any, expected: Any) -> str | None:
    """How many of the facts are right, and not which."""
    said, right = set(got["facts"]) if isinstance(got, dict) else set(), set(expected["facts"])
    if said == right:
        return None
    return f"{len(said & right)} of your {len(said)} facts do turn red, and {len(right - said)} more do."


register(
    Exercise(
        id="17.4",
        title="Break the version check",
        difficulty=2,
        minutes=15,
        reference=turns_red,
        cases=cases_4,
        observe=observe_4,
        accept=accept_4,
        without={
            "edges": "what turns red is one set of facts, and nothing is given to the function",
            "second call": "the function takes nothing, and names facts: there are no other inputs",
            "both dtypes": "the function names facts, and computes nothing",
        },
        hints=(
            "The check stands where a saved value is taken out again, not where a tensor is written to. Which function of "
            "`tape.py` raises `MODIFIED`?",
            "```text\n"
            "save      (tensor, version 0)\n"
            "write     tensor is at version 1           counted as before\n"
            "unpack    1 is not 0: refused              ◄── this goes\n"
            "```",
            "```python\n"
            "if False and tensor._counter[0] != version:\n"
            "```\n"
            "Then `engine_board()`, and put it back.",
        ),
        explanation=(
            "Three facts of thirteen: a saved *input* that was overwritten, a saved *output*, and one that was overwritten "
            "through a **view**, which shares the counter. Nothing else notices. Writes are still counted (H.counted), leaves "
            "are still refused (H.leaf: that is checked *before* a write, and by another function), and every gradient that "
            "was right before is right now.\n\n"
            "That is what makes the missing check dangerous: backward raises nothing and returns a plausible number. The same "
            "line stands in PyTorch, in `SavedVariable::unpack`."
        ),
        alternatives={"as a set": lambda: {"H.through", "H.output", "H.input"}},
        mistakes={
            "all that is about versions": Mistake(
                lambda: ["H.counted", "H.input", "H.output", "H.through", "H.unsaved"],
                "Not every fact about versions needs the *check*: counting goes on, and what nobody saved was never refused.",
                lambda: ("H.unsaved", "H.through", "H.output", "H.input", "H.counted"),
            ),
            "the refusals before a write": Mistake(
                lambda: ["H.input", "H.output", "H.through", "H.leaf"],
                "The refusal to write to a leaf is another check: it comes before the write, and asks for no version.",
                lambda: {"H.leaf", "H.through", "H.input", "H.output"},
            ),
            "without the view": Mistake(
                lambda: ["H.input", "H.output"],
                "A write through a *view* counts as a write to the memory of both. Which fact does that?",
                lambda: ("H.output", "H.input", "H.input"),
            ),
        },
    )
)


# --- 17.5 A rounded cotangent -------------------------------------------------------------------------------

QUANTISED = """

@op(self=lambda g, step: round(g / step) * step)
def quantised(self, step):
    '''The same numbers; backward, the cotangent is rounded to the nearest multiple of step.'''
    return self.copy()
"""


def e5():
    """The name of the file that you changed."""
    return edited("ops/pointwise.py", add=QUANTISED)


def quantised(*swaps: tuple[str, str]) -> Callable[[], str]:
    """An answer to 17.5, with some of its text exchanged."""
    text = QUANTISED
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return with_text(POINTWISE, add=text)


RULE = "round(g / step) * step"

change(
    e5,
    "A node that rounds its cotangent",
    sections=("QUANTISED",),
    difficulty=3,
    minutes=20,
    hints=(
        "An operation may have any rule: it need not be the derivative of its forward. `step` is no input with a gradient; it "
        "is a number that the caller passes, and a rule may name it.",
        "```text\n"
        "forward    x ──────────────► a copy of x\n"
        "backward   round(g / step) · step ◄── g\n"
        "```\n"
        "In a recorded pass `g` is a Tensor. Which `round` takes arrays *and* Tensors? It stands in the same file.",
        "```python\n"
        "@op(self=lambda g, step: ...)\n"
        "def quantised(self, step):\n"
        "    return self.copy()\n"
        "```",
    ),
    explanation=(
        "The forward does nothing but copy, and the rule is no derivative of it. The engine cannot know, and does not care: it "
        "calls the rule. (`gradcheck` would complain, and rightly: it compares the rule with the forward.) Gradients are "
        "rounded like this when they are sent between machines, or to see what a network does with 8-bit gradients.\n\n"
        "**Why a copy?** An operation whose result is its input's array would make two Tensors that share memory and no "
        "version counter. A write to one would change the other behind its back. Views may share, but they say so "
        "(`view=True`).\n\n"
        "**Why the file's own `round`?** It is an operation: on an array it is NumPy's, on a Tensor it is recorded. Its slope "
        "is zero, so the rounded cotangent counts as a constant in a second derivative, and what lies below has its own."
    ),
    alternatives={
        "by the operation itself": quantised((RULE, "round_whole(g / step) * step")),
        "half up": quantised((RULE, "floor(g / step + 0.5) * step")),
        "by adding zero": quantised(("self.copy()", "self + 0.0")),
    },
    mistakes={
        "rounds forward": mistake(
            "rounds_forward",
            quantised((RULE, "g"), ("self.copy()", "np.round(self / step) * step")),
            quantised(("self.copy()", "np.rint(self / step) * step")),
        ),
        "the same array": mistake("shares", quantised(("self.copy()", "self")), quantised(("self.copy()", "self[...]"))),
        "not the nearest": mistake(
            "not_nearest", quantised((RULE, "floor(g / step) * step")), quantised((RULE, "trunc(g / step) * step"))
        ),
        "NumPy in the rule": mistake(
            "only_arrays", quantised((RULE, "np.round(g / step) * step")), quantised((RULE, "np.rint(g / step) * step"))
        ),
    },
)


# --- 17.6 A write to a slice --------------------------------------------------------------------------------


def e6():
    """The name of the file that you changed."""
    return edited("core/views.py")  # as it stands in minigrad; what was taken out of your copy is shown below


def slices(*swaps: tuple[str, str]) -> Callable[[], str]:
    """An answer to 17.6: the real rule with some of its text exchanged."""
    return with_text("core/views.py", *swaps)


INNER = "list(self.inner.apply([part.clone() if tensors else part.copy()], tensors, None))"
REFUSES = '        if self._freed:\n            raise seams.error("FREED", node=self'
ZERO = "part[...] = 0 if written is None else written"

change(
    e6,
    "Write the rule of a write to a slice",
    difficulty=5,
    minutes=50,
    hints=(
        "The base was made of two things: of itself before the write, and of what was written into the window. So its "
        "cotangent goes two ways. In the window it belongs to the inner node, outside of it to the old base. Chapter 12 has a "
        "drawing, and 12.5 the rule in NumPy.",
        "```text\n"
        "g        [ g0  g1  g2  g3 ]          the cotangent of the base, after the write to [1:3]\n"
        "part          [g1  g2]               self.replay(a copy of g): a window on the copy\n"
        "inner         part ──► for the old part, for the written values, …\n"
        "old base [ g0  ··  ··  g3 ]          the copy, with the window set to what inner returned first; 0 for None\n"
        "```",
        "```python\n"
        "if self._freed:\n"
        "    raise seams.error(\"FREED\", node=self, freed_by=self.freed_by)\n"
        "rest = laid_out(g, self.order)  # a copy\n"
        "part = self.replay(rest)  # a view of the copy\n"
        "results = list(self.inner.apply([a copy of part], tensors, None))\n"
        "...  # put results[0] into part, zero where it is None\n"
        "results[0] = rest\n"
        "```\n"
        "With arrays, `part[...] = …`. With Tensors, `part.zero_()` and `part.copy_(…)`, which are recorded.",
    ),
    explanation=(
        "The rule as it stands in minigrad:\n\n```python\n" + copies.lacking() + "\n```\n\n"
        "`rest` is a copy of the cotangent and `part` a view of it, made by the same `replay` that made the view that was "
        "written to. The inner node is the node of the operation, with its own rules: for `y[1:3] = k` it hands `part` to k "
        "and None to the old part, for `y[1:3].mul_(k)` both get something. What it returns first goes back into the window, "
        "and `rest` is complete.\n\n"
        "In a recorded pass the same lines work on Tensors: `part.copy_(…)` is a recorded write to a view, so the backward of "
        "CopySlices makes a CopySlices. What the first exit, `expanded` and `needed` do is not asked for here: nothing "
        "arrived; a layout in which elements share memory; inputs that nobody asked for."
    ),
    alternatives={
        "without the special cases": slices(
            ("        if self.expanded:", "        if False:"),
            ("            if not tensors and is_expanded(part):", "            if False:"),
        ),
        "zero first": slices(
            (ZERO, "part[...] = 0\n                if written is not None:\n                    part[...] = written"),
        ),
    },
    mistakes={
        "the window is not cleared": mistake(
            "not_zero",
            slices((ZERO, "part[...] = part if written is None else written")),
            slices(("results[0] = rest", "results[0] = g")),
        ),
        "the whole cotangent for the part": mistake(
            "not_part",
            slices(("[part.clone() if tensors else part.copy()]", "[g.clone() if tensors else g.copy()]")),
            slices((INNER, "[None] + [rest.clone() if tensors else rest.copy()] * (len(self._edges) - 1)")),
        ),
        "the old numbers never count": mistake(
            "inner",
            slices((ZERO, "part[...] = 0")),
            slices((ZERO, "part[...] = 0 if written is None else part")),
        ),
        "works on what came in": mistake(
            "came_in",
            slices(("rest = laid_out(g, self.order)", "rest = g")),
            slices(("rest = laid_out(g, self.order)", "rest = laid_out(g, self.order) if tensors else g[...]")),
        ),
        "does not refuse": mistake(
            "unfreed",
            slices((REFUSES, REFUSES.replace("self._freed", "False"))),
            slices((REFUSES, REFUSES.replace("self._freed", "self.inner is None"))),
        ),
        "only for arrays": mistake(
            "only_arrays_here",
            slices(("rest = laid_out(g, self.order)", "rest = laid_out(g.detach() if tensors else g, self.order)")),
            slices(("[part.clone() if tensors else part.copy()]", "[part.clone().detach() if tensors else part.copy()]")),
        ),
    },
)  # fmt: skip
