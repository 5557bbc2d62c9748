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
# **After this chapter you can draw the graph that a few lines of code leave behind. You can say which tensors will
# get a gradient, and why the others will not.**
#
# The [cup of tea](00-tea.ipynb) again. Somebody thinks in hours: "half of the heat is gone after a quarter of an hour,
# that is 60 times 0.25 minutes". So their guess for `half` is 15, not 20. They ask for both slopes, as before.

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error, expect_warning
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


hot = mg.tensor(50.0, requires_grad=True)
half = 60 * mg.tensor(0.25, requires_grad=True)
((tea(hot, half) - degrees) ** 2).mean().backward()
with expect_warning(UserWarning):  # prints the warning, and goes on
    print("hot:", hot.grad, "  half:", half.grad)

# %% [markdown]
# `hot` has its slope. But `half` has none, so no step can be made with it. How can a factor of 60 take a slope away? The
# warning says that `half` is no *leaf*, and section 2 explains what that is.
#
# To see what a leaf is, first watch a program of three lines. Move a slider. Then press ▶, and watch the values flow
# down and the slopes flow up. A slope of 3 for `a` says that `L` grows three times as much as `a`, when `a` grows a
# little.

# %%
a, b, c = (mg.tensor(value, requires_grad=True) for value in (5.0, 3.0, 4.0))

# %%
d = a * b
e = b + c
L = d + e
viz.play(L)

# %% [markdown]
# | | |
# |---|---|
# | **Time** | 30 minutes to read and run, 40 minutes of exercises |
# | **You need** | Python, a little NumPy, and to know what a slope is |
# | **You will** | read the graph off a program · predict `is_leaf`, `requires_grad` and `grad_fn` · explain which tensors get a `.grad` · see that constants are left out, and that each run makes a graph of its own |
# | **If short of time** | sections 1 and 2, "Three ways this goes wrong", exercises 01.1 and 01.4 |
#
# Run the cells from top to bottom, with *Shift + Enter*. Change a number and see what happens. If later cells then
# complain, *Run All Cells* in the menu *Run* computes everything anew.
#
# ## Predict first
#
# Here is a small program. After `M.backward()`, which of the four tensors `x`, `y`, `k`, `M` will have a
# `.grad`? Write your guess on a piece of paper. The answer comes at the end of section 2.

# %%
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.tensor([3.0, 4.0], requires_grad=True) * 2
k = mg.tensor([5.0, 6.0])
M = (x * y + k).sum()

# %% [markdown]
# ## 1 · What you see, and what the engine keeps
#
# Each operation gives you a tensor with the result. If one of its inputs requires grad, it also leaves a **node**, which
# knows the operation, and where its inputs came from.
#
# The result's `grad_fn` is its node. The node's `next_functions` lists the nodes of its inputs, each in a pair
# `(node, index)`; ignore the index. So from every result a thread leads back, step by step, to where it came from.
#
# All nodes together form a graph of arrows without cycles, a *DAG*. Nothing has been differentiated yet: the graph is
# only a record. *What the engine keeps* shows it for the three lines; AccumulateGrad comes in section 2.

# %% tags=["cover"]
viz.draw(L, view="both")

# %%
print(L)  # a printed result shows its node
print(L.grad_fn.name())  # it knows how to go backward through an addition (ignore the digit)
print([node.name() for node, index in L.grad_fn.next_functions])  # one step along the thread: the nodes of the inputs
print(L.grad_fn.next_functions[0][0] is d.grad_fn)  # these are no copies: the first is the very node of d

# %% [markdown]
# A node is made each time an operation *runs*. Compute `a * b` twice, and there are two nodes. Compute it once and use
# the result twice, and there is one node, with two arrows coming in. Pictures call results without a name `v1`, `v2`, ….
#
# **Check yourself.** How many MulBackward0 will each of the next two pictures show?

# %% tags=["guess"]
viz.draw(a * b + a * b, view="keep")

# %% tags=["guess"]
s = a * b
viz.draw(s + s, view="keep")

# %% [markdown]
# ## 2 · Leaves: where the thread ends
#
# A tensor without a `grad_fn` has no history: it is a **leaf**. With `requires_grad=True` it is a leaf whose gradient you
# asked for; with `requires_grad=False` it is a **constant**.
#
# A result of floats requires grad as soon as *one* input does, unless you step out of the graph (section 4). Then it has
# a `grad_fn`, and is no leaf.
#
# So three properties tell what a tensor is to the engine. Let us call them its passport.

# %%
def passport(t):
    return t.is_leaf, t.requires_grad, t.grad_fn.name() if t.grad_fn else None


for name, t in {"a": a, "k": k, "d": d, "L": L}.items():
    print(f"{name}: is_leaf, requires_grad, grad_fn = {passport(t)}")

# %% [markdown]
# `a` has no `grad_fn`, so where does the thread to it end? At a special node, **AccumulateGrad**. Each leaf whose
# gradient is wanted has one, however often it is used. It adds what arrives to the leaf's `.grad`. Its `variable` is the
# leaf, and its own `next_functions` is empty. Beginning at `L.grad_fn` you could find all leaves behind `L`, as these
# two steps show:

# %%
for node, _ in L.grad_fn.next_functions:
    print(type(node).__name__)
    for child, _ in node.next_functions:
        print("   ", type(child).__name__, child.next_functions)

# %% [markdown]
# ### Who gets a `.grad`?
#
# `backward()` walks the graph from `L` along the arrows; chapter 02 shows in which order. It comes to `b` on two paths:
# through `d = a * b` with the slope 5, the value of `a`, and through `e` with the slope 1. The two slopes are added. The
# cell makes the graph anew, so that you can run it again:

# %%
a, b, c = (mg.tensor(value, requires_grad=True) for value in (5.0, 3.0, 4.0))
d = a * b
e = b + c
L = d + e
L.backward()
print(a.grad, b.grad, c.grad)

# %% [markdown]
# `d`, `e` and `L` kept nothing: the gradient only passed through. **Only leaves that require grad get a `.grad`**, and
# results for which you call `retain_grad()` first (chapter 13).
#
# Now your prediction. Only `x` has a gradient, for `k` is a constant, and `M` is a result. And `y`, which looks so much
# like `x`? Ask `why_no_grad`, and give it as *root* the tensor on which `backward()` was called:

# %%
x = mg.tensor([1.0, 2.0], requires_grad=True)
y = mg.tensor([3.0, 4.0], requires_grad=True) * 2
M = (x * y + k).sum()
M.backward()
print(x.grad, k.grad)
print(mg.why_no_grad(y, root=M))
viz.draw(M, view="see")

# %% [markdown]
# The leaf `mg.tensor([3.0, 4.0], requires_grad=True)` has its gradient, as the picture shows. But it never had a name:
# `y` is the name of the *product*.
#
# Now you can read the warning at the beginning: `half` was the name of a product, and so no leaf. Keep the leaf, and give
# the product another name, or none:

# %%
hot, hours = mg.tensor(50.0, requires_grad=True), mg.tensor(0.25, requires_grad=True)
((tea(hot, 60 * hours) - degrees) ** 2).mean().backward()
print(f"hot: {hot.grad:.1f}   hours: {hours.grad:.1f}")

# %% [markdown]
# ## 3 · Constants are left out
#
# Why had `minutes` a dashed box in the picture of the tea? The readings need no slope, and nodes for them would be of no
# use. So a constant has no node. In its place among the `next_functions` stands `None`, and in the picture a dotted
# arrow leads to it. Where *all* inputs are constants, the operation is not recorded at all.

# %%
a = mg.tensor(5.0, requires_grad=True)
ten = k.sum() - 1  # k is (5, 6)
print(passport(ten))
print((ten * a).grad_fn.next_functions[0])
viz.draw(ten * a + 5, view="both")

# %% [markdown]
# `ten` came from a sum and a subtraction, and the engine recorded neither, because a result of constants is itself a
# constant, and so a **leaf**. The product must keep the number `ten`: it is the slope for `a`. The sum needs no number,
# so its 5 is drawn as `const`.
#
# **Check yourself.** The flag counts at the moment when the operation runs. `z.requires_grad_()` switches it on. What are
# the passports of `p` and `q`?

# %% tags=["guess"]
z = mg.tensor([5.0, 6.0])
p = z * 2
z.requires_grad_()
q = z * 2
print(passport(p), passport(q))

# %% [markdown]
# <details><summary>Answer</summary>
#
# The record is not rewritten: `p` was computed while `z` was a constant, and stays without history.
#
# </details>
#
# Integers and truth values have no slope, so they can only be constants:

# %%
with expect_error(RuntimeError):
    mg.tensor([1, 2], requires_grad=True)

# %% [markdown]
# ## 4 · Staying in the graph, and stepping out
#
# NumPy and matplotlib refuse what requires grad, and a loss kept in a list keeps its whole graph in memory. For both you
# want the numbers *without* the history:
#
# - `t.detach()` gives you a second tensor on the same memory, with nothing behind it. `.data` is an older and less safe
#   `detach()` (chapter 11).
# - Under `with mg.no_grad():` no operation is recorded.
#
# **Check yourself.** Three of these eight have no thread back to `w`. Which?

# %% tags=["guess"]
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
for code in ["w.clone()", "w[0]", "w.view(3, 1)", "w.double()", "w + 0", "w.detach()", "w.data", "w > 2"]:
    print(f"{code:14}{passport(eval(code))}")

# %% [markdown]
# A copy is no way out. All others in the list that give floats are recorded, even if no number changes: else no gradient
# would find its way back.
#
# The last three have the passport of a constant. What is computed under `no_grad` has it too, except views (chapter 12).
# Call `requires_grad_()` on a constant of floats, and it becomes a leaf of its own, which knows nothing of `w`:

# %%
with mg.no_grad():
    u = w * 2
v = w.detach().requires_grad_()
print(passport(u), passport(v))

# %% [markdown]
# **Check yourself.** The value below is the sum of the squares of `w`, whose slope is `2w`. What will `w.grad` be? Follow
# the arrows.

# %%
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
cut = w.detach()
y = (w * cut).sum()
viz.draw(y, view="both")

# %% tags=["guess"]
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (w * w.detach()).sum()
y.backward()
print(w.grad)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Not `2w`, but `w`: the gradient came along one of the two factors, and the other counted as a constant. The engine
# differentiates the *graph*, not the formula that you had in mind. If that was not your purpose, nothing warns you.
#
# </details>
#
# ## 5 · Same code, other graph
#
# Can a formula with a loop in it have a slope? It can, because the graph is recorded while your program runs. It holds
# only operations that ran and led to the result. So `if`, `while`, and the `norm` and `sum` that they test, are not in
# it. So with other numbers the same code may leave another graph.
#
# Here is a function that doubles its input until its size (`norm`) is 10 or more, and then multiplies it by 100 if
# it is negative:

# %%
def f(t):
    while t.norm() < 10:
        t = t * 2
    return t if t.sum() > 0 else 100 * t


# %%
plus = mg.tensor(3.0, requires_grad=True)
minus = mg.tensor(-2.0, requires_grad=True)
u, v = f(plus), f(minus)
viz.draw(u, v, view="keep")

# %% [markdown]
# **Check yourself.** What are the two slopes? Each MulBackward0 stands for one factor.

# %% tags=["guess"]
plus = mg.tensor(3.0, requires_grad=True)
minus = mg.tensor(-2.0, requires_grad=True)
u, v = f(plus), f(minus)
u.backward()
v.backward()
print(plus.grad, minus.grad)

# %% [markdown]
# <details><summary>Answer</summary>
#
# 2 · 2 = 4, and 2 · 2 · 2 · 100 = 800.
#
# </details>
#
# ## Three ways this goes wrong
#
# **1. The leaf lost its name.** The first training step is right; at the second, `.grad` is None. The line of the step
# had given the name `w` to a result:

# %%
w = mg.tensor([1.0, 2.0], requires_grad=True)
(w * w).sum().backward()
w = w - 0.1 * w.grad
loss = (w * w).sum()
loss.backward()
print(mg.why_no_grad(w, root=loss))

# %% [markdown]
# Chapter 11 shows how a step is made. A factor at the beginning is the same trap: `mg.ones(2, requires_grad=True) * 0.1` is a
# product. First compute, then ask: `(mg.ones(2) * 0.1).requires_grad_()`.
#
# **2. The loss has no graph.** Everything that led to it was constant, detached, or computed under `no_grad`:

# %%
with expect_error(RuntimeError):
    (w.detach() ** 2).sum().backward()

# %% [markdown]
# **3. The flag is switched off on a result.** Whether a result requires grad follows from its inputs. You can change
# the flag only on a leaf, and `d` is the product of section 2:

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
# d                                               # tensor(6., grad_fn=<MulBackward0>)
# d.grad_fn.next_functions[0][0].variable is a    # True
# ```
#
# Every flag, node name, gradient and message in this chapter is PyTorch's own: write `import torch as mg`, and with
# PyTorch 2.13 the cells print the same. `minigrad` adds the drawings, `mg.why_no_grad`, and a note below some messages.
# PyTorch adds to the warning a place in its own sources.
#
# ## Key points
#
# * An operation with an input that requires grad leaves a **node**. It leaves none under `no_grad`, and none where the
#   result has no slopes, as `w > 2`. `t.grad_fn` is the node of the operation that made `t`; its `next_functions` lead to
#   the nodes of the inputs.
# * No history means **leaf**. There are three passports: recorded result, leaf that requires grad, constant.
# * **AccumulateGrad** waits at each leaf that requires grad, once, however often the leaf is used. It fills
#   `.grad`. Results get none, unless you call `retain_grad()`.
# * In the place of a constant stands **None**. Operations on constants alone are not recorded.
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
# <details><summary>Answer</summary>Yes. Nothing that went into it requires grad, so nothing was recorded. No
# history means leaf.</details>
#
# **2.** `x` is a leaf that requires grad, `y = x.clone()`, then `y.sum().backward()`. Who has a `.grad` now?
#
# <details><summary>Answer</summary>Only <code>x</code>. The clone is a recorded result: the gradient passes
# through it to <code>x</code>.</details>
#
# **3.** `a` and `b` require grad, `s = a * b`, `L = s * s`. How many nodes has the graph, AccumulateGrad included?
#
# <details><summary>Answer</summary>Four: two MulBackward0, and an AccumulateGrad at each of <code>a</code>
# and <code>b</code>. The node of <code>s</code> is there once, with two arrows coming in.</details>
#
# **4.** Under `mg.no_grad()` you compute `y = x * x`. Outside of it, `L = (y * x).sum()`. Does `L` require
# grad, and what is the slope?
#
# <details><summary>Answer</summary>It does: <code>x</code> itself came in at the last step. But
# <code>y</code> is a constant for the engine, so the slope is <code>y</code>, that is x², not 3x².</details>
#
# **5.** What does `f` of section 5 do for an input of 0, and what would its graph look like?
#
# <details><summary>Answer</summary>It never ends: 0 doubled is 0. In every turn one MulBackward0 is added.
# Interrupt the kernel to stop it.</details>

# %% [markdown] engine="core/record.py:record" first="for number, o" last="o._edge"
# ## In the engine
#
# Each lesson ends with a few lines of the engine. You need not understand all of them yet: chapter 17 reads them.
#
# Here an operation has run, and its `node` is made. Each result, `o`, gets its end of the thread, a pair
# `(node, number)`. The slice leaves out results that never have a slope. The `if` keeps floats, real or complex
# (`"fc"`), and so leaves out the places that `sort` returns.

# %% [markdown] exercise="01.1"
# Predict the passports of the eight tensors `p`, `q`, `r`, `s`, `t`, `u`, `v` and `x` in the program below,
# without running it.
#
# Write into the dict `passports`, for each name, a tuple `(is_leaf, requires_grad, grad_fn)`. The third is
# the node's name as a string, or `None`: `h` would be `(False, True, "MulBackward0")`. So that you need not
# guess a name:
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
# Write `build(a, b, c)` so that it leaves the graph in the picture. `a`, `b` and `c` are 0-dim leaves that
# require grad; return the last tensor, whose node is at the bottom.
#
# {requirements}

# %% tags=["given"]
from minigrad import viz
from minigrad.course.helpers.ch01 import target_graph

target = target_graph()
viz.draw(target.result, view="keep", names=target.leaves, formulas=False)

# %% [markdown] exercise="01.3"
# Write `leaves(t)`: the leaves that a backward pass from `t` would reach. `t` is any tensor. Return a list of
# tensors, in any order:
#
# {requirements}
#
# Use `grad_fn`, `next_functions` and `variable`. Of the nodes here only an AccumulateGrad has a `variable`, so
# `hasattr(node, "variable")` tells it apart. A `set` of nodes holds each of them once.
#
# For example, `leaves(a * b + a)` is `[a, b]` or `[b, a]`.

# %% [markdown] exercise="01.4"
# In each of the six cases below, the last line gives `None`. Why?
#
# Write into the dict `reasons`, for each case, the word for the **first** of these five reasons that applies:
#
# 1. `"not_called"`: no backward pass ran.
# 2. `"rebound"`: the name `x` belonged to a leaf that requires grad, and was then given to another tensor.
# 3. `"no_rg"`: `x` does not require grad.
# 4. `"non_leaf"`: `x` requires grad, but is the result of an operation.
# 5. `"not_reached"`: `x` is a leaf that requires grad, but the backward pass did not come to it.
#
# Each case is a program of its own; `x` and `w` of one case have nothing to do with those of another. A
# reason may occur twice.

# %% [markdown] exercise="01.5"
# To *freeze* a parameter is to leave it out of the graph: it keeps its value, gets no gradient, and does not
# learn.
#
# Write `freeze(params, keep)`. `params` is a dict from names to tensors, `keep` a set or list of names. What you return does not matter.
# After the call:
#
# {requirements}
#
# For example, after `freeze({"w1": w1, "w2": w2}, ["w2"])`, `w1.requires_grad` is False and
# `w2.requires_grad` is True. The pictures: a model with two parameters, and the same model with `w1` frozen.

# %% tags=["given"]
from minigrad import viz

x = mg.tensor([1.0, -2.0])
w1 = mg.tensor([0.5, 0.25], requires_grad=True)
w2 = mg.tensor(3.0, requires_grad=True)
viz.draw((x * w1).relu() * w2, view="keep", names={"x": x, "w1": w1, "w2": w2})

# %% tags=["given"]
w1 = mg.tensor([0.5, 0.25])  # frozen, it leaves the same graph as a constant
viz.draw((x * w1).relu() * w2, view="keep", names={"w2": w2})

# %% [markdown] exercise="01.6"
# Write `look(f, a)`. `f` is a function of one tensor, like `doubling` below, and `a` is a leaf that requires
# grad, of any shape. Call `f(a)` once, and return a pair `(muls, agrees)`:
#
# {requirements}
#
# The second asks whether `f` was, in this run, a plain multiple of `a`. `f(a)` has the shape of `a`; no
# element of `a` is 0, and `a.grad` is None before the call.
#
# For example, `look(doubling, mg.tensor(3.0, requires_grad=True))` is `(9, True)`, and for `lambda t: t * t`
# it is `(1, False)`.

# %% tags=["given"]
def doubling(a):
    b = a * 2
    while b.norm() < 1000:
        b = b * 2
    return b if b.sum() > 0 else 100 * b
