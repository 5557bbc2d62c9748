# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 02 · Chain rule and topological order
#
# **After this chapter you can go backward through a graph by hand, from the result to every slope. And you can
# write the loop that does it.**
#
# A cup of tea cools. Every minute it loses 6 % of its distance to the room: `T = T - 0.06 * (T - 20)`. How much warmer is
# it in the end, if it was a degree warmer at the start?
#
# You may see at once that each minute multiplies that degree by 0.94. An engine sees only that `T` is used twice: as `T`,
# with the slope 1, and in `-0.06 * (T - 20)`, with the slope −0.06. So go back through the minutes, and follow each use:

# %%
calls = []


def follow(minutes, g):  # g: the product of the slopes so far
    calls.append(g)
    if minutes == 0:
        return g  # the end of one path
    return follow(minutes - 1, g) + follow(minutes - 1, -0.06 * g)  # the paths of both uses, added


for minutes in (5, 10, 15):
    calls.clear()
    print(f"{minutes:2} minutes: slope {follow(minutes, 1.0):.4f}, {len(calls):6,} calls")

# %% [markdown]
# The slopes are right, but five minutes more take 32 times the work. Half an hour would take two thousand million calls,
# though only thirty values of `T` were used, each twice. In section 3 sixty numbers, called *messages*, are enough.
#
# A smaller program shows how: `b = 2 * a`, `c = b + 1`, `d = b * c`, at a = 3, so b is 6 and c is 7. Below, each arrow
# leads from a result back to an input, and under *start* you see its slope. In b · c the slope for b is 7, the other
# factor, and that for c is 6.
#
# Put 1 at d: the slope of d for d. A node that **fires** (orange) sends the number in its circle along each of its
# arrows, times the slope there. The circle at the end adds that to what it holds. Grey circles have fired.
#
# In the upper row 26 comes to `a`, which is right. In the lower row `b` fires too early, and then again. The 40 is wrong.

# %%
from minigrad.course.helpers.ch02 import firings

slopes = {"d": [("b", 7), ("c", 6)], "c": [("b", 1)], "b": [("a", 2)], "a": []}
firings("dcba", "dbcb", slopes=slopes)

# %% [markdown]
# | | |
# |---|---|
# | **Time** | 50 minutes to read and run, 50 minutes of exercises; 60 minutes for your engine, M1 |
# | **You need** | chapter 01, the slopes of + − × ÷, exp, log and sin; for section 5 a matrix times a matrix |
# | **You will** | apply *slope × what arrives* · say why messages that meet are added · tell when a node may fire · sort a graph without recursion · write a backward pass · say which end is the cheaper one to begin at |
# | **If short of time** | sections 1 to 3, "Two ways this goes wrong", exercises 02.1, 02.2 and 02.4 (it needs 02.3: try, and then `solution("02.3")` shows one) |

# %%
import numpy as np

import minigrad as mg
from minigrad import viz

# %% [markdown]
# ## Predict first
#
# Suppose that each node fires once, in the order `d`, `b`, `c`, `a`. What will stand at `a` in the end?

# %% tags=["guess"]
firings("dbca", slopes=slopes)

# %% [markdown]
# <details><summary>Answer</summary>
#
# It is 14. The message of 6 from `c` came to `b` after `b` had fired, so 13 stands at `b`, but only 7 of it was handed
# on.
#
# </details>
#
# ## 1 · One operation: slope × what arrives
#
# Take one operation, `d = b * c`, with b = 6 and c = 7. If `b` moves by a little, `d` moves 7 times as much, and if `c`
# does, 6 times as much. These factors are the **local slopes**. They depend on the values of this one operation, and on
# nothing else.

# %%
h = 0.001
print("b moves:", round(((6 + h) * 7 - 6 * 7) / h, 3))
print("c moves:", round((6 * (7 + h) - 6 * 7) / h, 3))

# %% [markdown]
# Now let `d` go on into some result `L`, which moves `g` times as much as `d` does. If `b` moves by a little, `d` moves 7
# times as much, and `L` moves `g` times as much as that. So the slope of `L` for `b` is **7 · g**. That is the *chain
# rule*: slopes along a path are multiplied.
#
# The number `g` *arrives* at the node of `d`. It is all that the node needs to know of the rest of the program. What the
# node hands on to an input is its **message**: slope × `g`.
#
# Call a node with a `g`, and it gives you its messages. First 1 arrives, then 10:

# %%
b, c = (mg.tensor(value, requires_grad=True) for value in (6.0, 7.0))
d = b * c
for g in (1.0, 10.0):
    print([message.item() for message in d.grad_fn(mg.tensor(g))])

# %% [markdown]
# A rule that forgets `g` would print the same twice. Where nothing comes after the operation, `g` is 1, and such a rule
# looks right.
#
# A *hook*, a function of yours that the engine calls, shows what arrives at a tensor (chapter 13). Below, the slope of
# exp at b = 1 is exp(1), and the slope of `2 * a` is 2:

# %%
a = mg.tensor(0.5, requires_grad=True)
b = 2 * a
b.register_hook(lambda g: print(f"at b: {g:.4f}"))
b.exp().backward()
print(f"at a: {a.grad:.4f}")

# %% [markdown]
# | result | message for a | message for b |
# |---|---|---|
# | `a + b` | g | g |
# | `a - b` | g | −g |
# | `a * b` | g · b | g · a |
# | `a.exp()` | g · exp(a) | |
#
# With arrays of one shape it is the same, entry by entry.
#
# ## 2 · Two paths: add
#
# In `d = b * c` with `c = b + 1`, the node of `b` has two **consumers**: the operations on the way to the result that use
# `b`. When `a` moves, `b` moves, and that changes `d` on two paths, directly and by way of `c`. Small effects add up:
#
# | path | slopes | product |
# |---|---|---|
# | d → b → a | 7 · 2 | 14 |
# | d → c → b → a | 6 · 1 · 2 | 12 |
# | | together | **26** |
#
# <details><summary>As a formula, with the messages that meet at b in brackets</summary>
#
# $$\frac{\mathrm{d}d}{\mathrm{d}a} = \Bigl(\frac{\partial d}{\partial b} + \frac{\partial d}{\partial c}\,\frac{\mathrm{d}c}{\mathrm{d}b}\Bigr)
# \frac{\mathrm{d}b}{\mathrm{d}a} = (7 + 6 \cdot 1) \cdot 2 = 26$$
#
# </details>
#
# In the engine the two messages, 7 and 6, are added at `b` *before* anything is handed on: the hook prints one line.

# %%
a = mg.tensor(3.0, requires_grad=True)
b = 2 * a
b.register_hook(lambda g: print(f"at b: {g:g}"))
(b * (b + 1)).backward()
print(f"at a: {a.grad:g}")

# %% [markdown]
# 13 · 2 is 7 · 2 + 6 · 2, the same number. But the arrow from `b` to `a` was used once, not once for each path.
#
# In the ladder below each rung uses the one before it twice. So each rung doubles the number of paths, and adds one node:

# %%
t = ladder = mg.tensor(1.0, requires_grad=True)
for _ in range(3):
    t = t + t
viz.draw(t, view="keep", names={"ladder": ladder})

# %% [markdown]
# 3 rungs make 8 paths. 60 rungs make 2⁶⁰ paths: 36 years at a thousand million paths a second. But the engine walks
# nodes, and there are 61:

# %%
t = ladder = mg.tensor(1.0, requires_grad=True)
for _ in range(60):
    t = t + t
t.backward()
print(ladder.grad == 2.0**60)

# %% [markdown]
# **Check yourself.** `L = a * a` at a = 5, an operation with two arrows to the same leaf. Which two messages arrive at
# `a`, and what is the sum?
#
# <details><summary>Answer</summary>5 and 5: each factor has the other one as its slope. The sum is 10, and that is 2a.</details>
#
# ## 3 · When may a node fire?
#
# A node that fires hands on only what has arrived by then. So there is one rule:
#
# > **A node may fire only when all its consumers have fired.**
#
# Then each node fires once, with everything that belongs to it. Here is the walk in four lines. `slopes` is the graph of
# the first picture; `arrived` holds the numbers in the circles:

# %%
def walk(graph, order, arrived):
    for node in order:
        for child, slope in graph[node]:
            arrived[child] += slope * arrived[node]


for order in ["dcba", "dbca", "dbcb"]:
    arrived = {"d": 1, "c": 0, "b": 0, "a": 0}
    walk(slopes, order, arrived)
    print(order, arrived)

# %% [markdown]
# Only the first order keeps the rule. In the second, `b` fires before its consumer `c`. So the 6 that comes later is not
# handed on, and 12 are missing at `a`.
#
# The third fires `b` again. By then `b` holds 13, and **all** of it is handed on, the first 7 too: 7 · 2 + 13 · 2 = 40.
# Nobody writes this on purpose, but a recursion that adds up *and* hands on at once does it:

# %%
def visit(graph, node, arrived):
    for child, slope in graph[node]:
        arrived[child] += slope * arrived[node]
        visit(graph, child, arrived)


arrived = {"d": 1, "c": 0, "b": 0, "a": 0}
visit(slopes, "d", arrived)
print(arrived["a"])

# %% [markdown]
# **Check yourself.** Now `d = b * b` with b = 6: both messages to `b` come from the same operation. What comes to
# `a` in the order `d`, `b`? And what does the recursion give?

# %% tags=["guess"]
square = {"d": [("b", 6), ("b", 6)], "b": [("a", 2)], "a": []}
once, again = {"d": 1, "b": 0, "a": 0}, {"d": 1, "b": 0, "a": 0}
walk(square, "db", once)
visit(square, "d", again)
print("at a, once and again:", once["a"], again["a"], sep="\n")

# %% [markdown]
# <details><summary>Answer</summary>
#
# It is 24, which is right, and 36, because the recursion fires `b` twice. On a **tree**, where only one message comes to
# each node, the recursion would be right. So a test without reuse finds nothing.
#
# </details>
#
# Now half an hour of tea. In the right order each minute fires once, with the sum of what has come to it, and sends two
# messages:

# %%
arrived, messages = 1.0, 0
for _ in range(30):
    arrived, messages = arrived + -0.06 * arrived, messages + 2
print(f"30 minutes: slope {arrived:.4f}, {messages} messages")

# %% [markdown]
# ## 4 · A legal order, without recursion
#
# So far the order was given, but an engine must find one. Write the nodes in a line, the first to fire on the left. The
# order is legal if every arrow points to the right: that is a **topological order**. A graph without cycles always has
# one, and often many.
#
# The engine **counts**. A first walk counts the arrows to each node, for that is how many messages it awaits. Then each
# message takes 1 off. At zero the sum is complete, and the node may fire. For the first picture:

# %%
waiting, ready = dict.fromkeys(slopes, 0), ["d"]
for arrows in slopes.values():
    for child, _ in arrows:
        waiting[child] += 1
while ready:
    node = ready.pop()
    for child, _ in slopes[node]:
        waiting[child] -= 1
        if waiting[child] == 0:
            ready.append(child)
    print(f"{node} has fired: {waiting}")

# %% [markdown]
# Where several nodes are ready, any of them may go. The engine takes a leaf first, else the newest operation. So the
# operations fire in the reverse order of your program. To know the newest, the engine numbers the nodes as it makes
# them.
#
# `viz.steps` shows the pass that `d.backward()` would make, without making it. Watch `b`: after step 1 it has 1 of 2
# messages, after step 2 it has both, and only then does it fire. `self` and `other` are the inputs of an operation, and
# `2 * a` is stored as `a * 2`. Ignore *freed* until chapter 07.

# %%
a = mg.tensor(3.0, requires_grad=True)
b = 2 * a
c = b + 1
d = b * c
print(d.grad_fn._sequence_nr() > c.grad_fn._sequence_nr() > b.grad_fn._sequence_nr())
viz.steps(d)

# %% [markdown]
# <details><summary>For exercise 02.3: another way, depth first</summary>
#
# First visit those inputs of a node that are not in the list yet, then append the node. That gives a, b, c, d, so turn
# the list round. As a recursion that is short:
#
# ```python
# def leave_last(value, order):
#     for i in value.inputs:  # the Values that it was made of; None stands for a constant
#         if i is not None and i not in order:
#             leave_last(i, order)
#     order.append(value)  # to be turned round at the end
# ```
#
# But Python's stack ends after about 1000 calls, with a RecursionError. With a stack of your own in place of the calls,
# the same walk works at any depth. Keep a set beside the list, because `i not in order` is slow for a list.
#
# </details>
#
# A graph may be deep, so the engine walks in a loop, without recursion:

# %%
x = t = mg.tensor(1.0, requires_grad=True)
for _ in range(5000):
    t = t + 1
t.backward()
print(x.grad)

# %% [markdown]
# **Check yourself.** `e = c * d`, `c = 2 * b`, `d = b.exp()`, `b = 3 * a`. How many legal orders are there?
#
# <details><summary>Answer</summary>Two: e c d b a and e d c b a. No arrow joins c and d, so either may go first.</details>
#
# ## 5 · Which end to begin at?
#
# You may stop here for today: only exercise 02.6 needs this section.
#
# Why go *backward* at all? With one input we could begin at `a` as well, because the slopes along a path may be
# multiplied from either end. In a chain of single numbers even the work is the same: p · (q · r) and (p · q) · r are two
# multiplications each. But a step of a network takes many numbers to many others, and then one end may cost nearly fifty
# times as much as the other.
#
# A step with n inputs and m outputs has a table of m · n slopes, a row for each output, and such tables are multiplied
# as matrices (chapter 03). In the first picture d has the row (7, 6) for b and c. When b moves by 1, b and c each move
# by 1: the column (1, 1). Row times column is 13, the number at b.
#
# Now take three steps: from 1000 numbers to 200, to 50, and to one.

# %%
rng = np.random.default_rng(0)
first, second, third = (rng.normal(size=shape) for shape in [(200, 1000), (50, 200), (1, 50)])
from_input, from_output = third @ (second @ first), (third @ second) @ first
print(from_input.shape, np.allclose(from_input, from_output))

# %% [markdown]
# The same row of 1000 slopes, wherever the brackets stand. But the work differs: a table of shape (p, q)
# times one of shape (q, r) takes p · q · r multiplications.

# %%
from minigrad.course.helpers.ch02 import bars

forward = 50 * 200 * 1000 + 1 * 50 * 1000
reverse = 1 * 50 * 200 + 1 * 200 * 1000
bars({"from the input": forward, "from the output": reverse})

# %% [markdown]
# From the input, every product on the way has 1000 columns, one for each input. From the output, every product has **one
# row**, because there is one output. Training has one loss and very many parameters, so engines begin at the loss and go
# *backward*.
#
# With one input and 1000 outputs it is the other way round (chapter 10).
#
# ## Two ways this goes wrong
#
# **1. The second message erases the first.** `=` in place of `+=`. No error comes, only a wrong number: 6 · 2 = 12,
# and the path over 7 is gone.

# %%
arrived = {"d": 1}
for node in "dcba":
    for child, slope in slopes[node]:
        arrived[child] = slope * arrived[node]
print(arrived["a"])

# %% [markdown]
# **2. Two messages, one array.** The rule of `a + b` hands on one and the same array, `g`, to both, so adding in place
# to one message changes the other. Below, `a` is used twice and `b` once. With NumPy `b` gets 6 in place of 1. The
# engine has it right:

# %%
g = np.ones(2)
for_a, for_b = g, g
for_a += 5.0  # another message for a
print(for_b)
a, b = mg.zeros(2, requires_grad=True), mg.zeros(2, requires_grad=True)
((a + b) + 5.0 * a).sum().backward()
print(a.grad, b.grad)

# %% [markdown]
# `for_a = for_a + 5.0` makes a new array, and leaves `for_b` alone.
#
# ## In PyTorch
#
# The order and the numbers are the same: PyTorch too counts, and takes the newest first. A node can be called, and a
# message may be None:
#
# ```python
# import torch
#
# a = torch.tensor(3.0, requires_grad=True)
# b = 2 * a
# c = b + 1
# d = b * c
# d.grad_fn(torch.tensor(1.0))
# # (tensor(7., grad_fn=<MulBackward0>), tensor(6., grad_fn=<MulBackward0>))
# c.grad_fn(torch.tensor(6.0))
# # (tensor(6.), None)
# ```
#
# The None stands for the constant 1, which gets no message. Write `import torch as mg`, and with PyTorch 2.13 every cell
# of this chapter that computes with `mg` prints the same. The pictures are `minigrad`'s own.
#
# ## Key points
#
# * A node's **message** to an input is its local slope times what has arrived, `g`. A rule that forgets `g` looks right
#   wherever `g` is 1.
# * Messages that meet are **added**: effects on several paths add up.
# * A node **fires once, when all its consumers have fired**. Any topological order will do. Of the nodes that may fire,
#   the engine takes a leaf first, then the newest.
# * Walk nodes, not paths: there can be 2⁶⁰ paths through 61 nodes. Walk without recursion: a graph may be deep.
# * On a tree, where only one message comes to each node, an engine that erases or hands on too early is right by luck.
#   Test with reuse.
# * From the output, every product has as many rows as there are outputs. With one loss that is one.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** 5 arrives at the node of `y = a / b`, with a = 6 and b = 2. Which messages are handed on?
#
# <details><summary>Answer</summary>5 / 2 = 2.5 for a, and −5 · 6 / 4 = −7.5 for b.</details>
#
# **2.** A test of a rule for exp uses g = 1 and passes. What may still be wrong?
#
# <details><summary>Answer</summary>The rule may forget g. It would return exp(a), which is right for g = 1 only.</details>
#
# **3.** `t = s * s`, `L = t + s`, and `s` is the result of an operation. Which orders are legal for `L`, `t` and `s`?
#
# <details><summary>Answer</summary>Only L, t, s. Both L and t are consumers of s, and L is the consumer of t.</details>
#
# **4.** Somebody hands on every message by itself, at once, and never a sum. Is the gradient right? What is wrong?
#
# <details><summary>Answer</summary>It is right: each path brings its own product. But the work grows with the number of paths, and that can double with every operation.</details>
#
# **5.** A function takes 3 numbers through several steps to 10,000. From which end are the slopes cheaper to compute?
#
# <details><summary>Answer</summary>From the input: every product on the way has 3 columns. From the output each would have 10,000 rows.</details>

# %% [markdown]
# ## Your engine: M1, scalars
#
# A good place to stop for today. From here on an engine of your own grows beside the course, in one file,
# `my_engine.py`. You go on with it after chapters 04, 07, 09, 11, 12, 13 and 15, and then it trains a network.
#
# Here is somebody's first try, a whole engine. A tensor remembers its parents and the slopes towards them, and `backward`
# hands the message on to each.

# %%
FIRST = """
class Tensor:
    def __init__(self, array, requires_grad=False, parents=()):
        self.array, self.requires_grad, self.parents, self.grad = array, requires_grad, parents, None
    def numpy(self):
        return self.array
    def __add__(a, b):
        b = b if isinstance(b, Tensor) else Tensor(b)
        return Tensor(a.array + b.array, True, [(a, 1.0), (b, 1.0)])
    def __mul__(a, b):
        b = b if isinstance(b, Tensor) else Tensor(b)
        return Tensor(a.array * b.array, True, [(a, b.array), (b, a.array)])
    def backward(self, g=1.0):
        for parent, slope in self.parents:
            parent.grad = Tensor(g * slope)
            parent.backward(g * slope)

def tensor(data, requires_grad=False):
    return Tensor(data, requires_grad)
"""

# %% [markdown]
# How good is it? A **fact** is a short program, and green when the engine gives what `minigrad` gives. Here are five: a
# sum, a product, `a * a`, a constant that needs no gradient, and a chain of five thousand additions. Which will be green?

# %% tags=["guess"]
from minigrad.course import conformance
from minigrad.course.capstone import assemble

board = conformance(assemble(FIRST), "M1.add", "M1.mul", "M1.same_twice", "M1.constant", "M1.deep", quiet=True)
print(board.text())

# %% [markdown]
# <details><summary>Answer</summary>Two: the sum and the product.</details>
#
# That was the **board**, and it found three mistakes: `parent.grad = …` erases the first message, constants are recorded,
# and the walk is a recursion. A fourth shows in none of the facts: the recursion walks every path. Yours does better:
#
# * **Get** the file: run `from minigrad.course import start; start("16")` in a cell. It lays an empty `my_engine.py` into
#   `work/`, and a notebook to hand it in: exercise 16.1 is this milestone.
# * **Write** `tensor`, `Tensor` with `.grad` and `.requires_grad`, `x.numpy()`, `+ - * / **` and `-x`, also with plain
#   numbers, `exp`, `log`, `tanh`, and `x.backward()`. Each tensor is one number.
#   [The table](93-your-engine.ipynb) says each name exactly.
# * **Take** two sittings of half an hour: first tensors, `+`, `*` and the walk; then the other operations.
# * **Run** the board, read the first red fact, think, change one thing.
#
# Two things spare you work later. Write the rules on *tensors*, `g * b` and not `g * b.array`. And switch recording off
# by a flag while the walk runs: for second derivatives (chapter 09) it will stay on.

# %%
conformance("my_engine.py", "M1")

# %% [markdown]
# The cell looks for your file here and in `work/`. `progress()` shows the whole board as it fills. You may go on
# without this milestone: `start("16", upto="M1")` puts the reference in its place, and keeps what you have written
# under another name.

# %% [markdown] engine="core/walk.py:Plan.__init__" first="for edge in edges" last="edges += node._edges"
# ## In the engine
#
# Before the engine walks, it counts as in section 4; `pending` is the `waiting` there. The list `edges` begins at the
# result. Each edge is a pair, the node first, or None for a constant.
#
# A node that was seen before awaits one message more. A new one awaits one, and its own arrows go to the end of the list,
# to which the loop will come.

# %% [markdown] exercise="02.1"
# Write the backward rules of eight operations. `g` is what has arrived at the result; `a` and `b` are the values of the
# inputs.
#
# {requirements}
#
# `np.exp`, `np.cos` and so on are there for you.
#
# For example, `Rules.mul(10, 6, 7)` is `(70, 60)`. Check as often as you like: the check stops at the first rule that is
# wrong or not yet written.

# %% [markdown] exercise="02.2"
# Write `is_legal(order, sends)`: may the nodes of a graph fire in this order?
#
# {requirements}
#
# For the graph below, `["d", "c", "b", "a"]` is legal, `["d", "b", "c", "a"]` is not, and neither is `["d", "c", "b"]`.

# %% tags=["given"]
from minigrad import viz

sends = {"d": ["b", "c"], "c": ["b"], "b": ["a"], "a": []}

a = mg.tensor(3.0, requires_grad=True)
b = 2 * a
c = b + 1
d = b * c
viz.draw(d, view="see")

# %% [markdown] exercise="02.3"
# Write `topo(root)`: a list of all Values behind `root`, and `root` itself, in an order in which they may fire.
#
# `Value` is a small class of this chapter; its source is printed below. You need one thing of it: `value.inputs` is the
# tuple of the Values from which `value` was made. Values can be put into sets and dicts.
#
# {requirements}

# %% tags=["given"]
import inspect

from minigrad.course.helpers.values import Value

print(inspect.getsource(Value))

# %% tags=["given"]
a = Value(3.0)
b = a * 2.0
c = b + 1.0
d = b * c
# topo(d) must be [d, c, b, a]; it is shown as [Value(42.0), Value(7.0), Value(6.0), Value(3.0)].

# %% [markdown] exercise="02.4"
# Now the whole backward pass. Write `backprop(root)`: a dict with the gradient of `root` at every leaf behind it, as
# `{leaf: gradient}`.
#
# {requirements}
#
# For the graph below, `backprop(d)` must be `{a: 26.0}`; try `backprop(d)[a]`.

# %% tags=["given"]
from minigrad.course.helpers.values import Value

a = Value(3.0)
b = a * 2.0
c = b + 1.0
d = b * c
print("d sends:", [(i, float(message)) for i, message in d.fire(1.0)])  # 7 to b, whose data is 6, and 6 to c

# %% [markdown] exercise="02.5"
# Five engines, each with one bug. For each of them find an expression.
#
# {requirements}
#
# `Witness.A(a, b)` returns the expression for `engine_A`, and so on. `a` and `b` are Values with arrays of three numbers.
# You may name a result and use it twice:
#
# ```python
# s = a - b
# return s.exp() - s        # three operations
# ```
#
# The engines begin with ones at the root, which gives the gradient of the sum of its entries, and return a dict with
# what has arrived at each Value. The `topo` that they use is right.

# %% tags=["given"]
import inspect

from minigrad.course.helpers.values import Value, engine_A, engine_B, engine_C, engine_D, engine_E

for engine in (engine_A, engine_B, engine_C, engine_D, engine_E):
    print(inspect.getsource(engine))

# %% tags=["given"]
# A try: the gradient of a * b is b for a, and a for b. This engine has it right, so a * b is no witness.
a, b = Value(np.array([1.0, 2.0, 3.0])), Value(np.array([4.0, 5.0, 6.0]))
found = engine_A(a * b)
print("at a:", found[a], " at b:", found[b])

# %% [markdown] exercise="02.6"
# A chain of steps: `sizes[0]` numbers go in, `sizes[1]` come out of the first step, and so on; `sizes[-1]` come out of the last.
# The table of slopes of step i has `sizes[i + 1]` rows and `sizes[i]` columns. Multiply all tables of the chain with each other,
# one product after the other. A table of shape (p, q) times one of shape (q, r) takes p · q · r multiplications.
#
# Write `cost(sizes, mode)`: how many multiplications does it take in all?
#
# {requirements}
#
# A single step costs nothing. `sizes` has at most seven entries. For sizes [4, 3, 2, 5], forward costs 24 + 40 = 64,
# reverse 30 + 60 = 90, and the best is 64. The lesson's chain, [1000, 200, 50, 1], costs 10,050,000 and 210,000.
