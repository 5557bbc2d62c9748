# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 01 · The graph: leaves, `grad_fn`, `requires_grad`
#
# **After this chapter you can read a few lines of code, draw the graph that they leave behind, and say which tensors
# will get a gradient, and why the others will not.**
#
# Three lines of arithmetic, drawn twice: on one side what you see, on the other what the engine keeps.
# By the end every box and every arrow in it will be an old friend.

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error

# %%
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)
c = mg.tensor(4.0, requires_grad=True)

# %%
d = a * b
e = b + c
L = d + e
viz.draw(L, view="both")

# %% [markdown]
# | | |
# |---|---|
# | **Time** | 25 minutes to read and run, 44 minutes of exercises |
# | **You need** | Python, and a little NumPy. No calculus in this chapter |
# | **You will** | read the graph off a program · predict `is_leaf`, `requires_grad` and `grad_fn` · explain which tensors get a `.grad` · see that constants are left out · see that each run makes its own graph |
# | **If short of time** | sections 1 and 2, "Three ways this goes wrong", exercises 01.1 and 01.4 |
#
# Run the cells from top to bottom, with *Shift + Enter*. Nothing here can break: change a number, and run again.

# %% [markdown]
# ## Predict first
#
# Read the next cell. After `M.backward()`, which of the five tensors `x`, `y`, `k`, `z`, `M` will have a `.grad`?
# Write your guess into `guess`, as a set of letters. You will meet the answer at the end of section 2.

# %%
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.tensor([3.0, 4.0], requires_grad=True) * 2
k = mg.tensor([5.0, 6.0])
z = x * y + k

# %%
guess = {...}  # for example {"x", "M"}
M = z.sum()

# %% [markdown]
# ## 1 · What you see, and what the engine keeps
#
# You write arithmetic, and each operation gives you a tensor with the result. If one of its inputs requires grad, the
# operation does a second thing: it leaves a **node** that knows which operation it was, and where its inputs came from.
#
# The result's `grad_fn` is its node. The node's `next_functions` are the nodes of its inputs. So every tensor holds
# the end of a thread that leads back, step by step, to where it came from.
#
# All nodes together form a directed graph without cycles, a *DAG*. Nothing has been differentiated yet: this is only a record.

# %%
L

# %%
L.grad_fn.name()

# %% [markdown]
# The printed tensor shows its node too: `grad_fn=<AddBackward0>`. It is called so because it knows how to go *backward*
# through an addition. (The digit tells variants of one operation apart; you may ignore it.)
#
# One step along the thread: the two inputs of that addition were `d`, a product, and `e`, a sum.

# %%
[node.name() for node, index in L.grad_fn.next_functions]

# %%
L.grad_fn.next_functions[0][0] is d.grad_fn

# %% [markdown]
# Not a copy: the very node of `d`. (The `index` beside each node says which of the node's outputs was used.
# Almost all operations have one output, so it is almost always 0.)
#
# A node is made each time an operation *runs*. Compute `a * b` twice, and there are two of them; give the product a
# name and use it twice, and there is one, with two arrows coming in.
#
# **Check yourself.** How many MulBackward0 will each picture show?

# %%
viz.draw(a * b + a * b, view="keep")

# %%
s = a * b
viz.draw(s + s, view="keep")

# %% [markdown]
# ## 2 · Leaves: where the thread ends
#
# A tensor without a `grad_fn` has no history: it is a **leaf**. There are two kinds. A leaf with `requires_grad=True` is one whose
# gradient you asked for. A leaf with `requires_grad=False` is a **constant**.
#
# A result requires grad as soon as *one* input does. Then it has a `grad_fn`, and is no leaf.
#
# Three flags, then, that we shall ask for again and again. Let us call them a tensor's passport.

# %%
def passport(t):
    return t.is_leaf, t.requires_grad, t.grad_fn.name() if t.grad_fn else None


# %%
for name, t in {"a": a, "d": d, "L": L, "x": x, "k": k}.items():
    print(f"{name}   is_leaf, requires_grad, grad_fn = {passport(t)}")

# %% [markdown]
# A leaf has no `grad_fn`, and yet the thread must end somewhere. Under every leaf whose gradient is wanted waits one special node,
# **AccumulateGrad**. It holds the leaf as its `variable`, and its only job is to add what arrives to the leaf's `.grad`.

# %%
node, index = d.grad_fn.next_functions[1]
type(node).__name__, node.variable is b

# %% [markdown]
# `b` is used twice, in `d` and in `e`. It still has one AccumulateGrad, with two arrows coming in:

# %%
e.grad_fn.next_functions[0][0] is node

# %% [markdown]
# `backward()` walks the graph from `L` along the arrows, with a gradient in its hands. (How it computes, and in which order, is chapter 02.)
# On two paths it comes to `b`: along `d` with $\partial d / \partial b = a = 2$, along `e` with 1. AccumulateGrad adds them up.

# %%
L.backward()
a.grad, b.grad, c.grad

# %% [markdown]
# `d`, `e` and `L` got nothing: the gradient passed through them and was not kept. **Only leaves that require grad get a `.grad`.**
#
# Now your prediction.

# %%
M.backward()
print("your guess:", guess)
print("have a grad:", {name for name, t in {"x": x, "k": k}.items() if t.grad is not None})

# %% [markdown]
# Only `x`. `k` is a constant. `z` and `M` are results. And `y`, who looks so much like `x`? Ask:

# %%
print(mg.why_no_grad(y, root=M))

# %% [markdown]
# The leaf `mg.tensor([3.0, 4.0], requires_grad=True)` exists, and it even got its gradient. But it never had a name; `y` is the name of the
# *product*. Should you need the gradient of a result, call its `retain_grad()` before `backward()`.
#
# ## 3 · Constants are left out
#
# No gradient is wanted for a constant, so nothing needs to lead there. In its place among the `next_functions` stands `None`: a dotted
# edge in the picture, with nothing at its end.
#
# And where *all* inputs are constants, the operation is not recorded at all. You can compute with constants for hours: no graph grows.

# %%
(k * x).grad_fn.next_functions[0]

# %%
ten = k.sum() - 1
passport(ten)

# %%
viz.draw(ten * a + 5, view="both")

# %% [markdown]
# `ten` came from a sum and a subtraction. The engine knows nothing of that, and of the 5 it keeps only that something constant was added.
# A result of constants is itself a constant, and so it is a leaf. Many people expect otherwise.
#
# **Check yourself.** The flag decides at the moment when the operation runs. What are the passports of `p` and `q`?

# %%
p = k * 2
k.requires_grad_()
q = k * 2
print(passport(p), passport(q))

# %% [markdown]
# The record is not rewritten: `p` was computed while `k` was a constant, and stays without history.
#
# Integers and truth values have no slope, so they can only be constants:

# %%
with expect_error(RuntimeError):
    mg.tensor([1, 2], requires_grad=True)

# %% [markdown]
# ## 4 · Staying in the graph, and stepping out
#
# Whatever a gradient must find its way back through is recorded, even if it changes no number: `clone`, indexing, `view`, a change of dtype.
#
# Sometimes you want the numbers *without* the history. `t.detach()` gives you a new tensor with the same numbers, and nothing behind it. Under
# `with mg.no_grad():` nothing is recorded at all. (`.data` is an older `detach()` with fewer checks: chapter 11.)

# %%
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
for code in ["w.clone()", "w[0]", "w.view(3, 1)", "w.double()", "w + 0", "w.detach()", "w.data", "w > 2"]:
    print(f"{code:14}{passport(eval(code))}")

# %%
with mg.no_grad():
    u = w * 2
print("u", u, passport(u))

# %% [markdown]
# The last three of the table, and `u`, have the passport of a constant. From there you may begin anew:
# `requires_grad_()` makes such a tensor a leaf with a wish of its own. It knows nothing of `w`.

# %%
v = w.detach().requires_grad_()
print(v, passport(v))

# %% [markdown]
# In the picture, `detach` is a place where the thread is cut:

# %%
y = (w.clone() * w.detach()).sum()
viz.draw(y, view="both")

# %% [markdown]
# **Check yourself.** The value is $\sum_i w_i^2$, whose slope is $2w$. What will `w.grad` be? Follow the arrows.

# %%
y.backward()
print(w.grad)

# %% [markdown]
# Not $2w$, but $w$: the gradient came along one of the two factors only, and the other counted as a constant. The engine differentiates the
# *graph*, not the formula that you had in mind. Sometimes that is the purpose of `detach`. Sometimes it is a bug, and nothing warns you.
#
# ## 5 · Same code, other graph
#
# The graph is recorded while your program runs. `if` and `while` leave no trace in it: only the operations that really happened do. Run the same code again, and a
# new graph is made; with other numbers, it may be another graph.
#
# Here is a function that doubles its input until it is 10 or longer, and then makes it a hundredfold if it is negative:

# %%
def f(t):
    while t.norm() < 10:
        t = t * 2
    return t if t.sum() > 0 else 100 * t


# %%
up = mg.tensor(3.0, requires_grad=True)
viz.draw(f(up), view="keep")

# %%
down = mg.tensor(-2.0, requires_grad=True)
viz.draw(f(down), view="keep")

# %% [markdown]
# **Check yourself.** What are the two slopes? Multiply along the arrows: each MulBackward0 knows its constant.

# %%
f(up).backward()
f(down).backward()
print(up.grad, down.grad)

# %% [markdown]
# $2 \cdot 2 = 4$, and $2 \cdot 2 \cdot 2 \cdot 100 = 800$. There was a new graph for each call, even for the same input:

# %%
f(up).grad_fn is f(up).grad_fn

# %% [markdown]
# ## Three ways this goes wrong
#
# **1. The leaf lost its name.** You made a leaf that requires grad, and its `.grad` is None. Look whether the name still
# belongs to it. Reading `.grad` of a result gives None, and a warning:

# %%
weights = mg.ones(2, requires_grad=True) * 0.1
weights.sum().backward()
with expect_error(UserWarning):
    weights.grad

# %% [markdown]
# The remedy: `weights = (mg.ones(2) * 0.1).requires_grad_()`. First compute, then ask. The line `w = w - 0.1 * w.grad` in a training loop is the same trap:
# from then on `w` is the name of a result.
#
# **2. The loss has no graph.** Everything that led to it was constant, detached, or computed under `no_grad`.

# %%
with expect_error(RuntimeError):
    (w.detach() ** 2).sum().backward()

# %% [markdown]
# **3. A flag is set on a result.** Whether a result requires grad follows from its inputs. You can set the flag on leaves only.

# %%
with expect_error(RuntimeError):
    d.requires_grad = False

# %% [markdown]
# ## In PyTorch
#
# The same lines. Only the name differs:
#
# ```python
# import torch
#
# a = torch.tensor(2.0, requires_grad=True)
# b = torch.tensor(3.0, requires_grad=True)
# d = a * b
# d                                            # tensor(6., grad_fn=<MulBackward0>)
# d.grad_fn.next_functions[0][0].variable is a # True
# ```
#
# Every flag, node name, gradient and message of this chapter is PyTorch's own: put `import torch as mg` at the top, and the cells without a drawing give the same.
# What `minigrad` adds is the drawing, `mg.why_no_grad`, and the notes below its error messages.

# %% [markdown]
# ## Key points
#
# * An operation with at least one input that requires grad leaves a **node**. `t.grad_fn` is the node that made `t`; `next_functions` lead on to the nodes of its inputs.
# * No history means **leaf**. Three passports exist: recorded result, leaf that requires grad, constant.
# * **AccumulateGrad** waits under each leaf that requires grad, once, however often the leaf is used. Only there is `.grad` filled.
# * A constant is an edge that leads to **None**. Operations on constants alone are not recorded.
# * `clone`, `[ ]`, `view` and `double` are recorded. `detach`, `.data` and `no_grad` are ways out.
# * The graph belongs to the **run**, not to the code.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `t = mg.tensor(2.0) * 3 + 1`. Is `t` a leaf?
#
# <details><summary>Answer</summary>Yes. Nothing that went into it requires grad, so nothing was recorded. No history means leaf.</details>
#
# **2.** `x` is a leaf that requires grad, `y = x.clone()`, then `y.sum().backward()`. Who has a <code>.grad</code> now?
#
# <details><summary>Answer</summary>Only <code>x</code>. The clone is a recorded result: the gradient passes through it to <code>x</code>.</details>
#
# **3.** `a` and `b` require grad, `s = a * b`, `L = s * s`. How many nodes has the graph?
#
# <details><summary>Answer</summary>Four: two MulBackward0, and an AccumulateGrad under each of <code>a</code> and <code>b</code>. The node of <code>s</code> is there once, with two arrows coming in.</details>
#
# **4.** Under `mg.no_grad()` you compute `y = x * x`. Outside of it, `L = (y * x).sum()`. Does `L` require grad, and what is the slope?
#
# <details><summary>Answer</summary>It does: <code>x</code> itself came in at the last step. But <code>y</code> is a constant for the engine, so the slope is <code>y</code>, that is x², not 3x².</details>
#
# **5.** What does `f` of section 5 do for an input of 0, and what would its graph look like?
#
# <details><summary>Answer</summary>It never ends: 0 doubled is 0. There would be no finished graph; while it runs, one MulBackward0 is added in every turn. Interrupt the kernel to stop it.</details>

# %% [markdown] exercise="01.1"
# Predict the passport of each of the eight tensors `p` to `x` in the program below, without running it.
#
# Write into the dict `passports`, for each name, a tuple `(is_leaf, requires_grad, grad_fn)`. The third is the node's name as a string, or `None`:
# `h` would be `(False, True, "MulBackward0")`. So that you need not guess a name:
#
# | operation | node | operation | node |
# |---|---|---|---|
# | `+` | AddBackward0 | `.clone()` | CloneBackward0 |
# | `*` | MulBackward0 | `.view(…)` | ViewBackward0 |
# | `.exp()` | ExpBackward0 | `t[0]` | SelectBackward0 |
# | `.sum()` | SumBackward0 | `t[1:]` | SliceBackward0 |
# | `.float()`, `.double()` | ToCopyBackward0 | | |
#
# Not each of them is needed, and not each line with one of these operations has a node. That is the question.

# %% [markdown] exercise="01.2"
# Write `build(a, b, c)` so that it leaves the graph in the picture. `a`, `b` and `c` are 0-dim leaves that require grad; return the tensor
# at the end, the one whose `grad_fn` nothing points to.
#
# The dotted edge is a constant; any number will do. The inputs of `+` and `*` may change places, those of `-` and `/` may not.

# %% tags=["given"]
from minigrad import viz
from minigrad.course.bank.ch01 import target_graph

target = target_graph()
viz.draw(target.result, view="keep", names=target.leaves)

# %% [markdown] exercise="01.3"
# Write `leaves(t)`: the leaves that a backward pass from `t` would reach. `t` is any tensor. Return a list of tensors, each of them once, in any order:
#
# * the leaves themselves, not their values, their copies or their nodes;
# * only leaves that require grad;
# * if `t` itself is a leaf: `[t]` if it requires grad, else `[]`.
#
# Use `grad_fn`, `next_functions` and `variable`; change nothing. The checker gives you small graphs, random ones, and a ladder of 25 diamonds (`t = t + t`, 25 times).
#
# For example, `leaves(a * b + a)` is `[a, b]` or `[b, a]`.

# %% [markdown] exercise="01.4"
# In each of the six cases below, the last line gives `None`. Why?
#
# Write into the dict `reasons`, for each case, the **first** of these five reasons that applies:
#
# 1. `"not_called"`: no backward pass ran.
# 2. `"rebound"`: the name `x` belonged to a leaf that requires grad, and was then given to another tensor.
# 3. `"no_rg"`: `x` does not require grad.
# 4. `"non_leaf"`: `x` requires grad, but is the result of an operation.
# 5. `"not_reached"`: `x` is a leaf that requires grad, but the backward pass did not come to it.
#
# Each case is a program of its own; `x` and `w` of one case have nothing to do with those of another. A reason may occur twice.

# %% [markdown] exercise="01.5"
# To *freeze* a parameter is to leave it out of the graph: it keeps its value, gets no gradient, and does not learn.
#
# Write `freeze(params, keep)`. `params` is a dict from names to tensors, `keep` a set or list of names. After the call, exactly those tensors of `params`
# require grad whose names are in `keep`. A kept one may have been frozen before.
#
# Do this to the tensors themselves: other people hold them too. Leave their values and their `.grad` alone, and the dict as it is; what you return does not matter. If a
# tensor that must be frozen is no leaf, let the engine's own error come out.
#
# The picture: a model with two parameters, and the same model with `w1` frozen.

# %% tags=["given"]
from minigrad import viz

x = mg.tensor([1.0, -2.0])
w1 = mg.tensor([0.5, 0.25], requires_grad=True)
w2 = mg.tensor(3.0, requires_grad=True)
viz.draw((x * w1).relu() * w2, view="keep", names={"w1": w1, "w2": w2})

# %% tags=["given"]
w1.requires_grad = False
viz.draw((x * w1).relu() * w2, view="keep", names={"w2": w2})

# %% [markdown] exercise="01.6"
# Write `look(f, a)`. `f` is a function of one tensor, like `doubling` below, and `a` is a leaf that requires grad, of any shape. Call `f(a)` and
# return a pair `(muls, agrees)`:
#
# * `muls`, an int: how many MulBackward0 there are in the graph of `f(a)`;
# * `agrees`, a bool: after a backward pass from `f(a).sum()`, is `a.grad` equal to `f(a) / a` in every place, **up to rounding**?
#
# The second asks whether `f` was, in this run, a plain multiple of `a`. `f(a)` has the shape of `a`; no element of `a` is 0, and `a.grad` is None before the call.
#
# For example, `look(doubling, mg.tensor(3.0, requires_grad=True))` is `(9, True)`, and for `lambda t: t * t` it is `(1, False)`.

# %% tags=["given"]
def doubling(a):
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    return b if b.sum() > 0 else 100 * b
