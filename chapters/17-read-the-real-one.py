# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown] engine="core/walk.py:run" first="results = node.apply" last="done = None if" cut="cotangents, tensors, needed|# as almost every node does: nothing watches it"
# # 17 · Read the real one
#
# **You have built an engine. minigrad's own has the same parts, in six files. Follow one product through them, change
# them, and then find each part in PyTorch's own, by the tables at the end.**
#
# A backward pass frees what its nodes have saved (chapter 07). In minigrad's walk, the second of these lines prepares
# it:

# %% [markdown]
# `node.apply` runs the node, and `done` remembers it, unless you said `retain_graph=True`. A little later
# `done._release` lets go of what the node had saved.
#
# But the walk runs nodes in two places: a short way for operations that nobody watches, and a long way for the rest. So
# the two lines stand there **twice**. If somebody writes `done = None` on the long way, some nodes are never freed, and
# a second pass that ought to be refused runs through.
#
# This chapter has thirteen facts of its own for the engine. One of them asks just that, whether a second pass is refused
# (`raised` tells the error's type, and whether it says the word):

# %% tags=["folded"]
# How the engine is changed: click here to read it.
from minigrad.course.capstone import edited
from minigrad.course.capstone.facts import HOUSE_FILE, facts
from minigrad.course.capstone.house import changed, judge


def board(name, *swaps):
    """The facts that must go on holding, run against a copy of the engine with some text of one file exchanged."""
    with open(edited(name, *swaps), encoding="utf-8") as file:
        found = judge(changed(name, file.read()), "H")
    print(f"{name}: {sum(f.green for f in found)} of {len(found)} facts are green")
    for f in found:
        if not f.green:
            print(f"{f.fact.id} is red: {f.fact.sentence}\n  {f.text}")


# What follows the line tells the long way from the short one.
LOST_LINE = ("done = None if retain else node\n            if hooks", "done = None\n            if hooks")
freed = next(fact for fact in facts("H", HOUSE_FILE) if "freed" in fact.sentence)
print(freed.sentence, freed.program, sep="\n\n")
board("core/walk.py", LOST_LINE)

# %% [markdown]
# All thirteen are green, even this one. Which nodes go the long way, and which program would notice? Section 3 answers
# that, when you have followed one pass through the engine.
#
# | | |
# |---|---|
# | **Time** | 55 minutes to read and run; about three hours for the exercises |
# | **You need** | chapters 13 and 16, your own engine at least to M6 (for sections 1 to 3 none); a text editor |
# | **You will** | follow an operation, its backward and a write to a view through the engine's source · know which file a change belongs to · change the engine in six ways |
# | **If short of time** | sections 1 to 3, and exercise 17.1 |
#
# ## Predict first
#
# The backward pass of a product, `y = a * b`, does three things: it calls rules, it adds gradients to leaves, and it
# frees what the node had saved. How often each, and in which order?

# %% tags=["folded"]
# The code that watches the engine: click here to read it.
import sys

import minigrad as mg
from minigrad import fast, viz

DOES = {
    "Tensor.__mul__": "finds the operation by its name",
    "call": "takes the arrays out of the tensors",
    "mul": "multiplies",
    "wrap": "puts a tensor around an array",
    "record": "gives the result its history",
    "edges_of": "where will the messages go?",
    "_gradient_edge": "the edge of one tensor",
    "new_node": "what is kept for backward?",
    "caller": "which line of the program was it?",
    "backward": "what you call",
    "vjp": "makes the first message, a one",
    "Plan.__init__": "how many messages will each node get?",
    "run": "the walk",
    "OpNode.apply": "runs a node",
    "OpNode.unpacked": "what was saved; versions are compared",
    "<lambda>": "a rule",
    "OpNode._release": "frees what was saved",
    "AccumulateGrad.accumulate": "a leaf",
}


def calls(program):
    """The functions of core/ and ops/ that a program calls: how deep, file, name."""
    seen, depth = [], 0

    def note(frame, event, arg):
        nonlocal depth
        path = frame.f_code.co_filename.replace("\\", "/")
        if event in ("call", "return") and ("/minigrad/core/" in path or "/minigrad/ops/" in path):
            if event == "call":
                seen.append((depth, path.split("/minigrad/")[-1], frame.f_code.co_qualname.split("<locals>.")[-1]))
            depth += 1 if event == "call" else -1

    program()  # once unseen: some tables are made when they are first needed
    sys.setprofile(note)
    program()
    sys.setprofile(None)
    return seen


def tree(seen):
    """Print calls, each indented below its caller."""
    for depth, file, name in seen:
        print(f"{'  ' * depth + name:33} {file:17} {DOES.get(name, '')}")


def forward():
    global y
    y = a * b


def both():
    a.grad = b.grad = None
    forward()
    y.backward()


fast.use(False)  # the hot path, see section 2
a, b = mg.tensor(2.0, requires_grad=True), mg.tensor(3.0, requires_grad=True)

# %% tags=["guess"]
# What `both` calls after what `forward` calls:
backward = calls(both)[len(calls(forward)) :]
three = ("<lambda>", "AccumulateGrad.accumulate", "OpNode._release")
print(" > ".join(DOES[name] for _, _, name in backward if name in three))

# %% [markdown]
# <details><summary>Answer</summary>One rule for each factor. Then nobody needs the factors any more, so they are freed, and the leaves come
# last. Section 3 lists all fifteen calls.</details>
#
# ## 1 · Six files
#
# The engine is the folder [`minigrad/core/`](../minigrad/core/tensor.py), a thousand lines of code. The picture shows
# which of its files call each other in `y = a * b`, `y.mul_(2.0)` and `y.backward()`. Calls back into `tensor.py`, as to
# wrap an array or to count a write, are left out.

# %% tags=["folded"]
# The code that draws it: click here to read it.
from minigrad.core.rule import REGISTRY
from minigrad.course.helpers.ch17 import files


def work():
    REGISTRY["mul"].recipes.clear()  # else they are there already
    forward()
    y.mul_(2.0).backward()


starts = {"your program": "", "tensor.py": "a * b", "views.py": "y.mul_(2.0)", "walk.py": "y.backward()"}
serves = {"record.py": "a call becomes a node", "tape.py": "nodes, saved values", "rule.py, ops/": "recipes, forwards, rules"}
files(calls(work), starts | serves)

# %% [markdown]
# Read the files in this order, which is that of the course. None imports a later one: for `a * b`, `tensor.py` looks up
# "mul" by name. Keep them open beside this page. The last column names the counterpart in [the reference
# engine](../minigrad/course/bank/reference_engine.py) of chapter 16; find yours.
#
# | File | What it is | Chapters | In the reference engine |
# |:--|:--|:--|:--|
# | [`tensor.py`](../minigrad/core/tensor.py) | an array, a place in the graph, a version; what a leaf is | 01, 06 | `Tensor`, `Memory` |
# | [`tape.py`](../minigrad/core/tape.py) | nodes, edges, saved values, AccumulateGrad | 01, 07 | `Node`, `Sink`, `edge` |
# | [`rule.py`](../minigrad/core/rule.py) | a declared operation; a rule's parameter names say what is saved | 02–04 | the lambdas handed to `record` |
# | [`record.py`](../minigrad/core/record.py) | a call becomes a node | 02, 09 | `record` |
# | [`walk.py`](../minigrad/core/walk.py) | backward: who runs when, what arrives, what is freed | 02, 07, 08 | `walk`, `unbroadcast`, `run`, `backward`, `grad` |
# | [`views.py`](../minigrad/core/views.py) | versions, views, writes, CopySlices | 11, 12 | `view_of`, `put`, `write`, `in_place` |
#
# Two small files come before them: `seams.py`, functions that the core calls and that others may replace, and `words.py`,
# the sentences of the errors. The operations, forwards and rules, are in [`minigrad/ops/`](../minigrad/ops/pointwise.py).
#
# ## 2 · `y = a * b`
#
# Usually a product goes through `fast.py`, the same steps written for speed. On this page it is switched off, so that
# you see `core/`. This is who calls whom: what a function calls stands below it, further to the right.

# %%
tree(calls(forward))

# %% [markdown] engine="ops/pointwise.py:mul" cut="\"multilinear\"|ufunc=np.multiply"
# Of these ten calls one multiplies. What are the other nine for?
#
# **What must the engine know of a product?** A function, the forward, and one rule for each input. In the declaration
# below `self` and `other` are the two factors, and `g` is the cotangent:

# %% [markdown]
# **The names of a rule's parameters say what is saved.** For example, the rule for `self` asks for `other`, so when only
# `self` needs a gradient, only `other` is saved. The reference engine says `needed(b, a)` for that. (Exercise 17.1 needs
# nothing of what the dots leave out.)
#
# **`mul` computes on arrays, and you call it with Tensors. Who is between?** `op` puts another function, `call`, in
# the place of `mul`. `call` hands the arrays to the forward, and puts Tensors around the results. While recording is
# on, it also calls `record`.
#
# **How does a result come to know its history?** `record` asks each input for its *edge*: to the node that made it, or
# to its AccumulateGrad. A constant has none. If any input has an edge, `record` makes the node, and gives each result an
# `_edge` to it.
#
# A **recipe** says what a node saves. A product has three: for a gradient of `a` alone, of `b` alone, of both. Each is
# made when first needed, and kept; here, before the list above began.
#
# **Check yourself.** `a` requires grad and `k` does not. What does the node of `a * k` save, and what are its edges?

# %% tags=["guess"]
k = mg.tensor(5.0)
node = (a * k).grad_fn
print(node._saved_self, node._saved_other, node.next_functions)
print(node.saved)

# %% [markdown] engine="core/tape.py:save" keep="def save|isinstance(value|value._counter"
# <details><summary>Answer</summary>Only k, under the name "other": it is the slope for a. Of the two edges one leads nowhere.</details>
#
# The second line is what the engine itself keeps: `k`, its **version** 0, and None. (Where a node saves its own output,
# the third is that output's number.) The version tells backward whether `k` was written to. Below, `value` is `k`, and
# `_counter[0]` its version:

# %% [markdown]
# How it is taken out, `unpack`, is quoted at the end of chapter 11.
#
# ## 3 · `y.backward()`
#
# Again, who calls whom:

# %%
tree(backward)

# %% [markdown]
# The reference engine puts a node into a queue with its *first* message. But minigrad counts the messages, as PyTorch
# does. A **`Plan`** goes through the graph once, and notes for each node how many edges lead to it. A node is *ready*
# when as many messages have come.
#
# Then `run` walks. Each turn hands on the results of the last node, takes a ready one (leaves first, then the newest),
# and runs it. Look at the node of `h`, which waits for two messages, and is freed when it has run:

# %% tags=["cover"]
h, a.grad = a * k, None
viz.steps(h + 10 * h)

# %% [markdown]
# **How does one rule serve both kinds of pass, recorded and not?** In an ordinary pass the rule gets arrays, so
# `g * other` is NumPy. In a recorded pass it gets Tensors, so `g * other` is the `call` of section 2, and is recorded.
#
# Where a rule calls a function of this package, such as `exp`, that is a `call` too. On arrays `call` runs the forward
# alone, and records nothing. So the rule is written once.
#
# **Who undoes broadcasting?** `run`, when it hands a result on. Where the shape is not that of the input, it calls
# `fit`, your `unbroadcast`: for all rules, in one place.

# %% [markdown] engine="core/walk.py:run" first="if hooks is None and" last="results = hooks.after" keep="if hooks is None and|results = node.apply|done = None if|if accumulates|else:" cut="cotangents, tensors, needed|# as almost every node does: nothing watches it"
# **Which nodes go the long way?** Here are both, with dots for what is left out; the first dots stand for `continue`:

# %% [markdown]
# The first `if` decides:
#
# * `hooks` and `edges` are the node's; a leaf's node has no edges.
# * `en_route` is None for a plain `backward`. For `grad` it holds the nodes on the way to the inputs, but not the inputs'
#   own, and in anomaly mode it is empty.
#
# So a node goes the **short** way where nothing special is to be done for it:
#
# | A node | goes | and has |
# |:--|:--|:--|
# | of an operation, that nobody watches | the short way | saved values |
# | of an operation, with a hook or `retain_grad` | the long way | **saved values** |
# | of a leaf | the long way | nothing saved |
# | of an input of `grad` | the long way, if it runs at all | **perhaps saved values** |
# | of an operation, in anomaly mode | the long way | **saved values** |
#
# An input of `grad` runs only if another input lies behind it: `y` in `grad(y * y, [y, a])`, but not in
# `grad(y * y, [y])`.
#
# So if the long way loses its `done = …`, the bold rows keep what they have saved.
#
# No fact tries a second pass through such a node. The program below does. It runs twice: on minigrad as it is, and with
# the line lost.

# %% tags=["guess"]
import inspect

from minigrad.core import walk


def notices():
    forward()
    y.register_hook(lambda g: None)  # somebody watches: the node of y goes the long way
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        return "green: the second pass is refused"
    return "red: the second pass runs through"


as_it_is = walk.run
print(notices())
exec(inspect.getsource(as_it_is).replace(*LOST_LINE), vars(walk))  # a `run` without the line: only a plain y.backward() calls it
print(notices())
walk.run = as_it_is

# %% [markdown]
# With this program as a fourteenth fact, the hole is mended.
#
# ## 4 · A write to a view
#
# **How does a base learn of a write to its view?** Here is chapter 12 in two lines: `base = x * 1.0` and
# `base[0].mul_(2.0)`. Of the functions in `views.py` that they call, six carry the story:

# %%
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
story = {
    "_make_views": "base[0] is a view: it knows its base, and how to make it again",
    "check_inplace": "may it be written to?",
    "write": "the numbers go into the memory, and the write is counted",
    "set_written_history": "the product becomes the history of what was written",
    "CopySlices.__init__": "... for the base as a node of its own",
    "replay": "... and the view is made again from the base",
}


def write():
    global base
    base = x * 1.0
    base[0].mul_(2.0)


for name in dict.fromkeys(name for _, _, name in calls(write)):
    if name in story:
        print(f"{name:20} {story[name]}")
viz.draw(base, view="keep")

# %% [markdown] engine="core/views.py:set_written_history" first="slices = CopySlices" last="view.renew" keep="slices =|set_history|view.renew"
# The base has a new node, CopySlices. Its first edge leads to the base's old node, the second to the other input of the
# write: a plain 2.0, so None.
#
# Here is the place where this is done. `self` is the tensor that was written to, `base[0]`, and `node` is the product's.
# `view` is the note that `base[0]` keeps: its base, and `replay`, which makes `base[0]` again:

# %% [markdown]
# CopySlices has the product's node inside. The view's own history is now too old. So `renew` makes the view again from
# the base, and gives the new view's history to `self`. The other views of this base do the same later, when somebody
# asks for their history.
#
# **Backward.** Take `base.sum()`. The walk meets three nodes before the leaf's own:
#
# 1. Sum gives 1 for each entry: `[1, 1, 1]`.
# 2. CopySlices copies that, and hands the part that was written, 1, to its inner node: the product, which returns 2.
#    That goes back into the copy: `[2, 1, 1]`, the cotangent of the base as it was before the write.
# 3. The first product, `x * 1.0`, hands it on to x.
#
# **Check yourself.** Now `base[0] = c` in place of `base[0].mul_(2.0)`. What becomes of the 2?

# %% tags=["guess"]
x.grad, c = None, mg.tensor(7.0, requires_grad=True)
base = x * 1.0
base[0] = c
base.sum().backward()
print(x.grad, c.grad)

# %% [markdown]
# <details><summary>Answer</summary>It becomes a 0, because the inner node now copies c in, and the old number does not
# matter. The part of the cotangent, 1, goes to c by the second edge.</details>
#
# ## Two ways this goes wrong
#
# Here are two more changes that most programs do not notice. `board`, from the first cell, runs the thirteen facts
# against a copy of `core/` and `ops/` with some text exchanged.
#
# **1. A rule in NumPy.** The rule of `mul` now says `np.multiply(g, other)` in place of `g * other`. First order is
# right, but in a recorded pass the rule gets Tensors:

# %%
board("ops/pointwise.py", ("self=lambda g, other: g * other,", "self=lambda g, other: np.multiply(g, other),"))

# %% [markdown]
# Here `np.multiply` makes a NumPy array, but the walk expects a Tensor, and asks for its `_array`. (With the rest of
# minigrad around it, `np.multiply` itself would raise: a Tensor that requires grad gives out no array.)
#
# **2. A refusal that comes too late.** A write to a leaf that requires grad is refused by `check_inplace`. Here the
# check comes after the write, so the error is the same, but the numbers have changed. Only one line of one fact sees
# that:

# %% tags=["folded"]
# The change: click here to read it.
CHECK = "        check_inplace(self, wish and True in [isinstance(full[i], Tensor) and full[i].requires_grad for i in op.inputs])\n"
THEN = "        node, kept = None, full\n"
board("core/views.py", (CHECK, ""), (THEN, "        self._array[...] = values\n" + CHECK + THEN))

# %% [markdown]
# ## In PyTorch
#
# PyTorch has the same parts, in C++. Their files are below `torch/csrc/autograd/` [on
# GitHub](https://github.com/pytorch/pytorch), but for `c10/` and `tools/`:
#
# | minigrad | PyTorch |
# |:--|:--|
# | `tensor.py` | `variable.h`, `c10/core/TensorImpl.h` |
# | `tape.py` | `node.h`, `saved_variable.h`, `functions/accumulate_grad.h` |
# | `rule.py`, `ops/` | `tools/autograd/derivatives.yaml` |
# | `record.py` | `VariableType_*.cpp`, which the build writes from `tools/autograd/templates/VariableType.cpp` |
# | `walk.py` | `engine.cpp`, `engine.h`, `graph_task.h` |
# | `views.py` | `functions/tensor.cpp`, `VariableTypeUtils.h`, `variable.h` |
#
# **The walk.** With the second table you can read `run` in PyTorch. The headers in its last column are in your own
# installation, in `torch/include/torch/csrc/autograd/`; `derivatives.yaml` is beside `torch`, in
# `torchgen/packaged/autograd/`:
#
# | in `run` | what it is | PyTorch 2.13 | header |
# |:--|:--|:--|:--|
# | `pending` | how many messages a node still waits for | `dependencies_` | `graph_task.h` |
# | `buffers` | what has come so far | `not_ready_` | `graph_task.h` |
# | `on_path`, `en_route`, `captures` | for `grad`: what must run, and what is handed out | `exec_info_`, `captured_vars_` | `graph_task.h` |
# | `leaves`, `heap` | the nodes that are ready: leaves first, then the newest | `ReadyQueue` | `engine.h` |
# | one turn of the loop | run a node, hand its results on | `evaluate_function` | `engine.h` |
# | `fit` | undo broadcasting | `validate_outputs` | `engine.h` |
# | `done._release()` | free what was saved | `release_variables()` | `node.h` |
#
# **The rules.** In `derivatives.yaml` you can look up a rule by the name of its operation. Below is the product, with a
# last line for forward mode. There, too, a rule saves what it names: that for `self` saves
# `other`, and of `self` only its type:
#
# ```yaml
# - name: mul.Tensor(Tensor self, Tensor other) -> Tensor
#   self: mul_tensor_backward(grad, other, self.scalar_type())
#   other: mul_tensor_backward(grad, self, other.scalar_type())
#   result: other_t * self_p + self_t * other_p
# ```
#
# ## Key points
#
# * A declaration is a forward and one rule for each input; **the parameter names of a rule say what is saved**.
# * An operation that gets no Tensor is plain NumPy. So a rule is written once, and serves recorded passes too.
# * A call becomes a node in `record.py`; the walk knows nodes and edges, and no operation.
# * Saved means a tensor and its version, which is compared when it is taken out.
# * A write to a view is a write to a part of its base: CopySlices.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# With them you get a copy of the engine, the folder `engine/` beside the notebook: `core/` and `ops/`, and the few
# files that they need. It is yours to change, and `engine_board()` runs the facts against it. `start` never overwrites
# a file that is there. To get one back as it was, delete it and call `start("17")` again.

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** Where is it decided that the node of `a * k` saves `k` and not `a`?
#
# <details><summary>Answer</summary>In rule.py, Recipe: from the parameter names of those rules whose input needs a gradient. record.py only fills it in.</details>
#
# **2.** Somebody writes to `k` between forward and backward. Who notices, and by what?
#
# <details><summary>Answer</summary>The node of the product, when it takes k out: the triple has version 0, and k now has 1.</details>
#
# **3.** `walk.py` names no operation. How does it know what `mul` does backward?
#
# <details><summary>Answer</summary>It does not. It calls node.apply, and OpNode.apply calls the rules of the node's recipe.</details>
#
# **4.** A rule returns a cotangent in the broadcast shape. Who sums it?
#
# <details><summary>Answer</summary>fit, in walk.py, when the result is handed on along the edge. So no rule of
# arithmetic need know of broadcasting.</details>
#
# **5.** Look it up: you switch the version check off. Which refusals in `views.py` go with it?
#
# <details><summary>Answer</summary>None. Those in check_inplace come before a write and ask whether a leaf is written to, or a window that may not be; the check of versions is in tape.py, when a saved value is taken out.</details>

# %% [markdown]
# ## Where does a change belong?
#
# A page to look things up in, when an exercise or a plan of your own sends you into the engine.
#
# <details><summary>The house around the core</summary>
#
# `core/` and `ops/` run alone, but they mix dtypes as NumPy does, check little, and have short messages. The rest of
# minigrad stands around them. Most of it joins them at the **seams** ([`seams.py`](../minigrad/core/seams.py)).
#
# | Room | What it adds |
# |:--|:--|
# | `compat/` | how dtypes meet, what is refused, in PyTorch's words |
# | `around/` | hooks, forward mode (chapter 10), and which line made a node |
# | `modes.py` | `no_grad`, inference mode, anomaly mode |
# | `autograd/`, `nn/`, `optim/` | what is built *on* the engine: `grad`, `Function`, layers, optimizers |
# | `fast.py` | the frequent case, written for speed, where PyTorch has C++; a debugger steps through `core/` only after `fast.use(False)` |
#
# </details>
#
# <details><summary>Which change belongs where</summary>
#
# | You want to … | Then look at |
# |:--|:--|
# | add an operation, or mend a rule | `ops/`: the declaration, nothing else in the engine; a sample for the tests in `tests/engine/op_samples.py` |
# | call it `mg.name(x)` and `x.name()` | not the core: a word in `methods.py`; for `input=` and `out=` one in `signatures.txt`; to say how dtypes meet, `promotion.txt`; then `tools/stubs.py` |
# | save other values, or for other inputs | `rule.py`, `Recipe` |
# | save them in another way | `tape.py`, `save` and `save_output`; `record.py`, `new_node`, which has the line for a Tensor again, as `fast.py` has; how they are taken out: `tape.py`, `unpack` |
# | change what a rule may name | `rule.py`, `Op.source` |
# | change which calls are recorded | `record.py`: an operation without rules, such as `argmax`, ends in `call`, all others in `record`; `edges_of` decides for them and for in-place operations, and `fast.py` decides again; for views also `views.py`, `_make_views` |
# | give `backward` another argument | `walk.py`: `backward`, `vjp`, `backward_from` and `run`; `autograd/__init__.py`: `backward` and `_walk`, for all but the plain `y.backward()` |
# | refuse a loss before the walk begins | `walk.py`, `vjp`, for `y.backward()`; for all other passes `autograd/__init__.py`, `backward` and `grad` |
# | change the order of the walk, count or watch what runs | `walk.py`, `run`: a node runs in one of two places |
# | change how broadcasting is undone | `walk.py`, `fit`; `expand` and `x[:] = c` are operations, with rules of their own in `ops/` |
# | change how gradients add up in a leaf | `tape.py`, `AccumulateGrad.accumulate` |
# | change what happens when memory is written | `views.py`: before it, `check_inplace`; the write, `write`; after it, `set_written_history`; backward, `CopySlices`. `x[0] = c` begins in `ops/indexing.py`, `setitem` |
# | change how writes are counted | `tensor.py`, `bump`, and `views.py`, `write`, which calls it; `tape.py`, `accumulate`, sets one version |
# | change hooks, `retain_grad`, or what a node shows | `around/hooks.py` |
# | call nodes by another name | `rule.py`, `node_type`; in errors also `compat/complaints.py`, `short_name` |
# | change what a tensor says of itself | `tensor.py`; `compat/attributes.py`, if the name is there too |
# | change a message, or what is refused | `words.py` is what the core says alone; around it `messages.toml`, `compat/complaints.py`, `refusals.txt`; a new refusal in the core needs a sentence in `words.py` *and* in `messages.toml` |
# | add a switch | `seams.py`, `Switches`, if the core asks for it; `modes.py`, `_State`, if only others do |
# | change a function that `fast.py` has too (`call` in `recorder`, `edges_of`, `new_node`, `save_output`, `OpNode.apply`) | both, or else nothing changes while the hot path is on |
#
# </details>

# %% [markdown] exercise="17.1"
# Add an operation to `engine/ops/pointwise.py`: **softabs(self, w)**, the root of self² + w². It is |self| with a round bottom as wide as w.
#
# * Both inputs may need a gradient: that of self is the cotangent times self / result, that of w the cotangent times w / result. They
#   may have different shapes.
# * Its second derivatives must work, with `create_graph=True`, and its node is called SoftabsBackward0.
#
# Open `engine/`, beside this notebook, in the editor. **How it is checked, here and in the next exercises:** your answer
# is a function that returns the name of the *one* file that you changed. That file takes the place of minigrad's own,
# and facts run against the engine that this gives: those of the exercise, and those that held before.
# `engine_board("E1", "H")` shows the same for your whole copy: E1 are the facts of this exercise, H the thirteen of the
# lesson, of which H.slice stays red until 17.6.

# %% tags=["given"]
from minigrad.course.capstone import engine_board

engine_board("E1")

# %% [markdown] exercise="17.2"
# Make the walk count. After a pass, `walk.ran` (in `engine/core/walk.py`) is a dict, or a `Counter`: by name, how many nodes this pass ran.
#
# * For `(x * y).backward()` with two leaves it is `{"MulBackward0": 1, "minigrad::autograd::AccumulateGrad": 2}`. The names are those of `grad_fn.name()`.
# * A node that is only captured, as an input of `grad`, does not run and is not counted.
# * Each pass begins anew.

# %% [markdown] exercise="17.3"
# A value that is cheap to compute need not be kept for backward. Add to `engine/core/record.py` a function `cheap(call)`. It returns a function
# that computes as `call` does. But what it returns is **not kept** by the nodes that need it: they keep the arguments, and call again when backward asks.
# (The node of the call itself may keep it: that of `exp` saves its own output.)
#
# ```python
# y = cheap(mul)(x, k)
# z = (y * y).sum()  # the node of y * y keeps mul, x and k, and not y
# del y  # now the memory is free
# ```
#
# * Gradients are the same, in a recorded pass too.
# * If an argument was overwritten in the meantime, backward raises the error about overwritten values, as for any saved tensor.
# * If `y` itself was written to before it is used, it is kept as usual: calling again would not give it.
# * One fact measures the memory of a chain of eight links.

# %% [markdown] exercise="17.4"
# Switch the version check off in your copy, in `engine/core/tape.py`: one line. Run `engine_board()`. Which facts turn red that were green before? (H.slice is red from the start: that is
# exercise 17.6.) Return their ids as a list. Then put the line back.
#
# Guess before you run it. The thirteen facts, as they are for the copy as you got it:

# %% tags=["given"]
engine_board()

# %% [markdown] exercise="17.5"
# Add an operation to `engine/ops/pointwise.py`: **quantised(self, step)**. Forward it gives the same numbers. Backward, the cotangent is rounded to the nearest multiple
# of `step`, a plain number: 0.3 with step 0.25 becomes 0.25. (What happens halfway between two multiples is up to you.)
#
# * The result has memory of its own: a write to it does not change `self`.
# * A recorded pass must run through it.

# %% [markdown] exercise="17.6"
# The method `apply` of `CopySlices`, in `engine/core/views.py`, was taken out of your copy. Write it. (In minigrad itself it is there. Do not look, not yet.)
#
# It is the rule of a write to a slice, as the base sees it. `cotangents` is a list with one entry, the cotangent of the base after the write: an array, or with `tensors` a
# Tensor. Return a list with one cotangent for each of `self._edges`: first for the base before the write, then for the written values.
#
# | You have | What it is |
# |:--|:--|
# | `self.inner` | the node of what was written. `self.inner.apply([part], tensors, None)` returns its cotangents: for the old part (or None), then for the written values |
# | `self.replay(t)` | the window of a base `t`, an array or a Tensor: a view |
# | `laid_out(g, self.order)` | a copy of `g`, laid out in memory as the base |
# | `self._freed`, `self.freed_by` | whether a pass has freed it; then `raise seams.error("FREED", node=self, freed_by=self.freed_by)` |
#
# * Where the window is, the old base gets what the inner node says, and zero where it says None. Elsewhere it gets the cotangent.
# * The cotangent that came in is not changed.
# * With Tensors, everything is recorded. `part.zero_()` and `part.copy_(t)` write to a view of a Tensor.
