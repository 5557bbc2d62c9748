# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 12 · In place II: views and `y[0] = x**2`
#
# **After this chapter you can say which tensors share memory, what `y[0] = x**2` does to the graph, why it
# sometimes raises an alarm much later, and how to write the same thing so that it does not.**
#
# Here is the cup of tea once more, without a formula for its curve. `warm` says how much warmer than the room it is,
# and each minute leaves the same share of that, `keep`. To find `keep`, simulate half an hour minute by minute, compare
# with the reading of every third minute, and go backward:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())
keep = mg.tensor(0.9, requires_grad=True)
warm = mg.zeros(31)
warm[0] = 66.5  # the `hot` of the first page
for minute in range(30):
    warm[minute + 1] = warm[minute] * keep
loss = ((20 + warm[::3] - degrees) ** 2).mean()
print(f"the loss is {loss:.1f}")
with expect_error(RuntimeError, match="modified by an inplace operation"):
    loss.backward()

# %% [markdown]
# The loss is right, but backward refuses, so `keep` cannot learn: section 3 mends that. First, what does a single
# such write do? Here one goes into a table `y` with two rows:

# %%
from minigrad.course.helpers.ch12 import memory_cells

x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = mg.zeros(2, 3)
y[0] = x**2
memory_cells(y, {"y": y, "y[0]": y[0]})

# %%
viz.draw(y, view="keep")

# %% [markdown]
# The first picture is the memory: six numbers, and two **windows** on them. Memory cell 2, the 9, is `[0, 2]` in `y`,
# and `[2]` in `y[0]`. The second picture is the graph. The write has made the constant `y` a result, with the node
# **CopySlices**.
#
# | | |
# |---|---|
# | **Time** | 40 minutes to read and run, 45 minutes of exercises; 200 minutes for your engine, M6 |
# | **You need** | chapters 01 and 04; from chapter 11 only what is folded below |
# | **You will** | tell views from copies · read a slice assignment in the graph · explain the version alarm and mend it in three ways · follow gradients through windows · know which writes are refused |
# | **If short of time** | sections 1 to 3, exercises 12.1, 12.2 and 12.4 |
#
# <details><summary>What we need from chapter 11, in four lines</summary>
#
# An operation **in place** (`y.mul_(3)`, `y += 1`, `y[0] = 5`) changes the numbers of a tensor, and makes no new tensor.
# `y._version` counts such writes, from 0. A node that saves a tensor for backward also notes its version. If the tensor
# has another version when backward comes, backward refuses: the numbers that it needs may be gone.
#
# </details>
#
# ## Predict first
#
# In the code below, `s` is taken from `y` before the second write. What does `s` hold at the end, and what is the slope
# of `s` at x = 4?

# %% tags=["guess"]
x = mg.tensor(4.0, requires_grad=True)
y = mg.zeros(2)
y[0] = x**2
s = y[0]
y[0] = x**3
s.backward()
print("s, and its slope:", s.item(), x.grad.item(), sep="\n")

# %% [markdown]
# <details><summary>Answer</summary>
#
# Not 16 and 8. `s` was made before the second write, and yet it shows the cube, 64, **and** has the slope of the cube,
# 3x² = 48. Section 4 says why.
#
# </details>
#
# ## 1 · Windows and copies
#
# The numbers of a tensor lie in a row of memory cells, its **storage**. The tensor itself is a **window** on them: a
# start, a shape, and for each axis a step from one entry to the next, its **stride**. Some operations only make a new
# window on the same cells, a **view**. The others **copy** into cells of their own.

# %% tags=["cover"]
a = mg.tensor([[10.0, 11.0, 12.0], [13.0, 14.0, 15.0]])
memory_cells(a, {"a[1]": a[1], "a[:, ::2]": a[:, ::2], "a.t()": a.t(), "a[0].expand(4, 3)": a[0].expand(4, 3), "a + 0": a + 0})

# %% [markdown]
# Rows, slices and steps are windows. The transposed `a.t()` shows all six cells, with the indices swapped, and `expand`
# shows each of its cells four times, with a step of 0. Arithmetic copies, even `+ 0`.
#
# The count of writes belongs to the **memory**. Write through one window, and the version of all of them grows; only
# `a.data` has a count of its own.

# %%
row, w = a[0], a[1]
w.mul_(100)
print(a)
print(w._base is a, a._version, w._version, row._version)

# %% [markdown]
# `_base` is the tensor whose memory a window shows; for `detach()` and `.data` it is None. The last 1 belongs to row 0,
# to which nobody wrote. Section 3 shows what comes of that.
#
# Some operations do either. `reshape` makes a window where that is possible. `a.t()` shows the cells in the order 0, 3,
# 1, 4, 2, 5, which no single step makes, so `a.t().reshape(6)` copies. `view` never copies: where no window is
# possible, it raises.
#
# Read with numbers, slices or `...`, and you get a window; with a **list** or a **mask** you get a copy, even where a
# slice would pick the same cells. On the **left** only the last bracket writes: `a[mask] = 0` changes `a`, but
# `a[mask][0] = 0` changes a copy.
#
# **Check yourself.** `a` holds 10 to 15 again. Three writes: `a[0][1] = 70`, `a[[0]][0, 2] = 80`, `a[a == 15] = 90`. Which of
# them change `a`?

# %% tags=["guess"]
print("After the writes:")
a = mg.arange(10.0, 16.0).reshape(2, 3)
a[0][1] = 70
a[[0]][0, 2] = 80
a[a == 15] = 90
memory_cells(a, {"a[0]": a[0], "a[[0]]": a[[0]], "a[a < 14]": a[a < 14], "a.detach()": a.detach()}, written=[1, 5])

# %% [markdown]
# <details><summary>Answer</summary>
#
# The first and the third. In the second, `a[[0]]` is a copy, and the write goes into that.
#
# </details>
#
# The last window of the picture is `a.detach()`. It cuts off the history, not the memory, and so does `a.data`.
#
# ## 2 · A write is a node
#
# After `y[0] = x**2` row 0 comes from `x**2`, and the rest from the old `y`. So `y` gets a new node with **two** edges,
# **CopySlices**. The first edge leads to the node that `y` had, the second to that of `x**2`. Here is a `y` that has a
# node already, before and after:

# %%
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = mg.ones(2, 3, requires_grad=True)
y = 10 * b
viz.draw(y, view="keep")

# %%
y[0] = x**2
viz.draw(y, view="keep")

# %% [markdown]
# `y` is the same object, with another `grad_fn`. Where the old `y` is a constant, the first edge leads to None.
#
# And backward? We send `v`, a weight for each entry, through the node:

# %%
v = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
y.backward(v)
print(b.grad)
print(x.grad)

# %% [markdown]
# The node splits `v` between its two edges. Row 0 of `v` went to `x**2`, so `x` gets (1, 2, 3) times the slopes 2x. Row
# 1 went to the old `y`, so `b` gets 10 times that. In row 0 `b` gets **0**, because what was overwritten no longer
# matters.
#
# Several writes make several nodes, and each leads to the one before.
#
# **Check yourself.** One number is written into a whole row, and the same `v` is sent. What does `c` get?

# %% tags=["guess"]
c = mg.tensor(5.0, requires_grad=True)
y = mg.zeros(2, 3)
y[0] = c
y.backward(v)
print("c.grad:", c.grad, sep="\n")

# %% [markdown]
# <details><summary>Answer</summary>
#
# 1 + 2 + 3. The number was broadcast into three cells, and their weights add up.
#
# </details>
#
# ## 3 · Read here, write there: the alarm
#
# The tea in small: each entry of `y` is computed from the one before. The forward pass is right, and the backward pass is refused:

# %%
x = mg.tensor(3.0, requires_grad=True)
y = mg.zeros(2)
y[0] = x**2
y[1] = y[0] * x
print(y)
with expect_error(RuntimeError, match="version 2; expected version 1"):
    y.sum().backward()

# %% [markdown]
# *AsStrided* is the window `y[0]` (section 4). Nobody has written to it since it was read, yet backward refuses. In the
# picture each write lifts `y` to its next version. Look at the pin, where a node saved a tensor, and at the arrow, the
# check in backward:

# %%
viz.timeline(y, names={"y": y, "y[0]": y[0]})

# %% [markdown]
# The product saved both factors for its slopes. One is `y[0]`, a **window** on `y`, saved at version 1. Then the
# product was written into `y[1]`, and that made version 2 for all windows on this memory. Backward compares 1 with 2,
# and refuses.
#
# Cell 0 still holds the right number. But there is one count for the whole memory, so the engine refuses rather than be
# wrong.
#
# So the product must not save a window on memory that is written later. There are three repairs:
#
# 1. **Clone** what is read. `clone` copies and is recorded, so the gradient finds its way to `y[0]`.
# 2. **Name** the result before it is written, and compute with the name. The buffer is written and never read.
# 3. **Stack**: there is no buffer, and nothing is written.
#
# With each, the gradient of the sum, 2x + 3x², is 6 + 27:

# %%
x.grad = None
y = mg.zeros(2)
y[0] = x**2
y[1] = y[0].clone() * x
y.sum().backward()
print(x.grad)

# %%
x.grad = None
y = mg.zeros(2)
square = x**2
y[0] = square
y[1] = square * x
y.sum().backward()
print(x.grad)

# %%
x.grad = None
square = x**2
mg.stack([square, square * x]).sum().backward()
print(x.grad)

# %% [markdown]
# Two more look like repairs, and are not. `detach()` is a window on the same cells, so the alarm rings as before.
# `.item()` silences the alarm, but the gradient is **wrong**, 6 + 9, because the way through the square is lost:

# %%
x.grad = None
y = mg.zeros(2)
y[0] = x**2
y[1] = y[0].item() * x
y.sum().backward()
print(x.grad)

# %% [markdown]
# Which repair? For a few entries, the one that reads best. For many, **stack**: each write to the buffer is a node, and
# each of these nodes handles a gradient as large as the *whole* buffer. Below we count the numbers that come to them in
# backward, and to the node of the stack:

# %% tags=["folded"]
# The code that counts: click here to read it. (register_prehook calls a function with what arrives at a node: chapter 13.)
def arriving(y, nodes):
    total = []
    for node in nodes:
        node.register_prehook(lambda arrived: total.append(arrived[0].numel()))
    y.sum().backward()
    return sum(total)


x = mg.tensor(0.5, requires_grad=True)
for n in (10, 100, 1000):
    written, nodes = mg.zeros(n), []
    for k in range(n):
        written[k] = x
        nodes.append(written.grad_fn)
    stacked = mg.stack([x] * n)
    print(f"{n:5} entries: {arriving(written, nodes):9,} numbers by writing, {arriving(stacked, [stacked.grad_fn]):5,} by stacking")

# %% [markdown]
# n² numbers against n. So the tea is stacked, and now `keep` learns:

# %%
def simulate(keep):
    warm = [mg.tensor(66.5)]
    for _ in range(30):
        warm.append(warm[-1] * keep)
    return 20 + mg.stack(warm)


before = simulate(keep).detach()
for _ in range(50):
    loss = ((simulate(keep)[::3] - degrees) ** 2).mean()
    keep.grad = None
    loss.backward()
    with mg.no_grad():
        keep -= 2e-6 * keep.grad  # a tiny rate: up to thirty factors are `keep`, so the loss is steep
print(f"after each minute the share {keep:.3f} is left")
fits = {f"keep {keep:.3f}, fitted": simulate(keep), "keep 0.9, before": before}
viz.fit(minutes, degrees, fits, xlabel="minutes", ylabel="°C", at=range(31))

# %% [markdown]
# 0.938 to the power of 10.8 is 0.50, so after 10.8 minutes half is left. The [first page](00-tea.ipynb) found the same
# `half` by a formula.
#
# You may stop here for today.
#
# ## 4 · Through the window
#
# In the prediction, the window `s` learned of a later write to `y`. How? Here is another window, `late`, with its node
# before and after a write to `y`:

# %%
x = mg.ones(4, requires_grad=True)
y = 2 * x
late = y[2:]
print(late.grad_fn.name(), late.detach())
y.mul_(3)
print(late.grad_fn.name(), late.detach())
late.sum().backward()
print(x.grad)

# %% [markdown]
# A write is recorded at the **base**, the tensor that has all the cells, here `y`. When an older window is next used, it
# takes its history from the base, even if it had none (not those of `detach` and `.data`). So `late` has a new node,
# AsStridedBackward0, as in the message of section 3: "this part of the base, as it is now". The gradient went through
# both products, 2 · 3.
#
# Does the base learn of a write through its window, too?

# %%
x.grad = None
y = 2 * x
s = y[:2]
s.mul_(5)
viz.draw(y, s, view="keep")

# %%
y.sum().backward()
print(x.grad)

# %% [markdown]
# Yes, by CopySlices again. Inside it, not drawn, is the node of `s * 5`. The weights (1, 1, 1, 1) come in, the inner
# node turns the first two into (5, 5), and (5, 5, 1, 1) goes out. Then the node of `2 * x` doubles all four. The
# second edge, to the constant 5, leads to None.
#
# Under `no_grad` the numbers change, but not the history, so the gradient knows nothing of the 5. No alarm rings,
# because no rule had saved these numbers:

# %%
x.grad = None
y = 2 * x
with mg.no_grad():
    y[:2].mul_(5)
y.sum().backward()
print(y.detach(), x.grad)

# %% [markdown]
# **Check yourself.** Two windows share a cell: `s = y[1:]` and `w = y[::2]`, then `s.mul_(5)`. What does
# `w.sum().backward()` leave in `x.grad`?

# %% tags=["guess"]
x.grad = None
y = 2 * x
s, w = y[1:], y[::2]
s.mul_(5)
w.sum().backward()
print("x.grad:", x.grad, sep="\n")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `w` shows cells 0 and 2. Cell 2 was written through `s`, cell 0 was not.
#
# </details>
#
# **Four windows in one table.** The code writes a 9 through each window into a result `t`, and in the last column into
# a leaf that requires grad. Is the write counted, so that the alarm can ring? Is it recorded, so that the gradient
# knows?

# %% tags=["folded", "guess"]
# The code that tries them: click here to read it.
windows = {"t[:]": lambda t: t[:], "t.detach()": lambda t: t.detach(), "t.data": lambda t: t.data, "numpy()": lambda t: t.detach().numpy()}
print(f"{'':12}{'seen in t':11}{'counted':9}{'recorded':10}written through, on a leaf")
for name, window in windows.items():
    t, leaf = 2 * mg.ones(2, requires_grad=True), mg.ones(2, requires_grad=True)
    window(t)[0] = 9.0
    answers = ["yes" if yes else "no" for yes in (t[0] == 9.0, t._version == 1, "CopySlices" in t.grad_fn.name())]
    try:
        window(leaf)[0] = 9.0
        on_leaf = "written, and counted" if leaf._version else "written, and nobody counts"
    except RuntimeError:
        on_leaf = "refused"
    print(f"{name:12}{answers[0]:11}{answers[1]:9}{answers[2]:10}{on_leaf}")

# %% [markdown]
# ## Three ways this goes wrong
#
# The alarm of section 3 comes late, in backward. Other writes are refused at once, before a number has changed.
#
# **1. On the wrong side of `no_grad`.** `x[0] = 5.0` writes to a window on a leaf that requires grad. So it is refused
# like a write to the leaf itself, and allowed under `no_grad`:

# %%
with expect_error(RuntimeError, match="a view of a leaf Variable"):
    x[0] = 5.0
print(x.detach())
with mg.no_grad():
    x[0] = 5.0
print(x.detach())

# %% [markdown]
# A window on `x` or `y` that was opened *under* `no_grad` has no `grad_fn`, yet requires grad. A write to it outside
# of the block is refused, too: the engine does not guess whether to record it.
#
# **2. Several windows at once.** `unbind`, `split` and `chunk` make all their windows with one node, and a `for` loop
# over a tensor uses `unbind`. A recorded write must give one window a new node, but these share theirs, so it is
# refused. Write through an index, as in `y[i]`, or to a clone.

# %%
with expect_error(RuntimeError, match="multiple views"):
    for entry in y:
        entry.mul_(3)
y[0].mul_(3)
print(y)

# %% [markdown]
# **3. One cell, several times.** An expanded tensor shows a cell in many places. "Add 1 to each" would add to the same
# cell several times, so it is refused, for constants too.

# %%
many = mg.zeros(3).expand(4, 3)
with expect_error(RuntimeError, match="single memory location"):
    many.add_(1)

# %% [markdown]
# ## In PyTorch
#
# The same lines, and the same numbers:
#
# ```python
# import torch
#
# x = torch.tensor(3.0, requires_grad=True)
# y = torch.zeros(2)
# y[0] = x**2
# y[1] = y[0].clone() * x
# y                          # tensor([ 9., 27.], grad_fn=<CopySlices>)
# y.sum().backward()
# x.grad                     # tensor(33.)
# ```
#
# Write `import torch as mg`, and every cell gives the same but for the pictures (tried with PyTorch 2.13). The errors are
# PyTorch's own; the notes below them are `minigrad`'s.
#
# ## Key points
#
# * A **view** is a window on cells that others see too. Indexing with numbers and slices, `view`, transposes, `expand`, `unbind` and
#   `detach` make views; lists, masks and arithmetic copy; `reshape` does what it can.
# * A recorded `y[0] = …` gives `y` the node **CopySlices**. One edge leads to the values, one to the old `y`, which
#   gets 0 where it was overwritten. The last write to a cell counts.
# * **Versions count for the memory**, not for the cell. Read, save, write elsewhere in the same memory: backward raises.
# * Three repairs: **clone** what you read, **name** the result before you write it, **stack** instead of a buffer. `detach`
#   does not help; `.item()` loses the gradient in silence.
# * The base has the history: a recorded write through one window is in the history of all, except those of `detach` and
#   `.data`. A write through `detach()` is counted and not recorded.
# * A recorded write is refused through a window on a leaf that requires grad (not one of `detach`), through one opened
#   under `no_grad`, and through one of several opened at once. Where `expand` shows a cell several times, `add_(1)` is
#   always refused.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `m` has shape (4, 5). Which of these share memory with it: `m[2]`, `m[[2]]`, `m.t()`, `m.t().reshape(20)`,
# `m.detach()`?
#
# <details><summary>Answer</summary>m[2], m.t() and m.detach(). The list copies, and so does this reshape.</details>
#
# **2.** `y = mg.zeros(3)`, then `y[0] = a`, `y[1] = b`, `y[0] = c`, each with a history. How many CopySlices are in the
# graph, and which of `a`, `b`, `c` get a gradient other than 0 from `y.sum()`?
#
# <details><summary>Answer</summary>Three nodes. b and c: the write of c covers that of a.</details>
#
# **3.** After `y[0] = x**2`, which of these would make backward raise: `y[1] = y[0] * 5`, `y[1] = y[0] + x`,
# `y[1] = y[0] * x`?
#
# <details><summary>Answer</summary>Only the last. The slope of y[0] * 5 is 5, so only the 5 is saved; a sum saves nothing.</details>
#
# **4.** `y = x.exp()`, then `y[0] = 0.0`, then `y.sum().backward()`. Why does it raise?
#
# <details><summary>Answer</summary>exp saves its output, which is y, at version 0. The write makes it version 1. Write to y.clone(), or build the result in another way.</details>
#
# **5.** Somebody mends the alarm with `y.data[0]` in place of `y[0]`. The alarm is gone. What else?
#
# <details><summary>Answer</summary>The gradient through y[0]. The values are right and nothing warns. That is worse than the alarm.</details>

# %% [markdown]
# ## Your engine: M6, versions and views
#
# The hardest milestone. Ask three questions, one after the other. Which tensors share memory? What was the count of
# writes when a rule saved? Which history have a tensor and its windows after a write?
#
# * **Write** `_version`, `add_` and its like, `+=`, `x[index] = y`, and let slices, `.T`, `reshape` and `detach` be views: M6 in
#   [the table](93-your-engine.ipynb).
#   Exercise 16.6.
# * **Five sittings** of 40 minutes: two for the counter and the two errors (12 facts; `M6.version` and `M6.leaf_rule`
#   wait for `x[index] = y`), one for slice assignment, two for views.
# * **Not done with M5?** `start("16", upto="M5")`.

# %%
from minigrad.course import conformance

conformance("my_engine.py", "M6")

# %% [markdown] engine="core/views.py:check_inplace" first="view, requires_grad" last="LEAF_VIEW_INPLACE"
# ## In the engine
#
# A write that would be recorded asks here first, before a number has changed. `refuse_write` raises for a window that was opened under
# `no_grad`, or as one of several. A window knows its base, so it also knows when that is a leaf:

# %% [markdown] exercise="12.1"
# Which of the ten tensors below share memory with `x`?
#
# Write into the dict `kinds`, for each letter, `"view"` if writing into the cells of one would change the other, and
# `"copy"` if it has cells of its own. Here `detach()` and `.data` count as views: it is the memory that we ask for.
#
# Predict first. Afterwards you may look: `np.shares_memory(a.numpy(), x.numpy())`.

# %% [markdown] exercise="12.2"
# The recurrence of section 3, for a leaf `x` of shape `()`:
#
# ```python
# y = mg.zeros(2)
# y[0] = x**2
# y[1] = y[0] * x      # and then y.sum().backward() raises
# ```
#
# Mend it in three ways. Each of the functions of `Repair` takes `x` and returns a `y` of shape (2,) with x² and x³, such that
# `y.backward(v)` runs and leaves v₀·2x + v₁·3x² in `x.grad`.
#
# {requirements}
#
# The checker looks at the numbers, the gradient, and the graph. Work from top to bottom, and check as often as you like: it stops
# at the first that is wrong or not yet written.

# %% [markdown] exercise="12.3"
# You are CopySlices. Write `setitem_vjp(v, index, shape)`, the backward rule of `y[index] = values`, in plain NumPy.
#
# {requirements}
#
# For example, for `v` = [1, 2, 3, 4], `index = slice(1, 3)` and `shape = ()`, return [1, 0, 0, 4] and 5.
#
# The rule of broadcasting is that of exercise 04.6. You may use it:

# %% tags=["given"]
def unbroadcast(v, shape):
    """Sum v over what broadcasting copied: the VJP of broadcasting from `shape`."""
    v = v.sum(axis=tuple(range(v.ndim - len(shape))))
    stretched = tuple(i for i, size in enumerate(shape) if size == 1 and v.shape[i] > 1)
    return v.sum(axis=stretched, keepdims=True)


# %% [markdown] exercise="12.4"
# Five programs, each run by itself. What does `x.grad` hold at the end? Write the numbers into the dict `slopes`.
#
# To spare you the arithmetic: $x^2$, $x^3$ and $x^4$ have the slopes 4, 12 and 32 at x = 2, and 6, 27 and 108 at x = 3.

# %% [markdown] exercise="12.5"
# Six programs, each run by itself. What does `x.grad` hold at the end? Write a list of four numbers for each into the dict `grads`.
#
# The cell below the programs shows the window `y[:2]` and its base.

# %% tags=["given"]
from minigrad.course.helpers.ch12 import memory_cells

x = mg.ones(4, requires_grad=True)
y = 2 * x
memory_cells(y, {"y": y, "y[:2]": y[:2]})

# %% [markdown] exercise="12.6"
# Each of the eight blocks below is run by itself, after the first three lines. Write into the dict `verdicts`, for each letter,
# one of five words:
#
# * `"ok"`: no error.
# * `"leaf"`: *a view of a leaf Variable that requires grad is being used in an in-place operation.*
# * `"no_grad"`: *A view was created in no_grad mode and is being modified inplace with grad mode enabled …* (or: a view of
#   such a view)
# * `"several"`: *… This view is the output of a function that returns multiple views …*
# * `"one cell"`: *… more than one element of the written-to tensor refers to a single memory location …*
#
# Predict first. You may run the blocks afterwards.

# %% [markdown] exercise="12.7"
# A recurrence over a whole signal, an echo: each result is the input plus a part of the last **result**.
#
# $$h_0 = x_0, \qquad h_k = w \, h_{k-1} + x_k$$
#
# Write `echoes(w, x)`.
#
# {requirements}
#
# For example, with `w` = 0.5 and `x` = (1, 0, 0, 8), the result is (1, 0.5, 0.25, 8.125).

# %% [markdown] exercise="12.8"
# A **recurrent network** reads one input after the other and keeps a state, its memory:
#
# $$h_0 = \tanh(x_0 V), \qquad h_t = \tanh(h_{t-1} W + x_t V)$$
#
# Somebody wrote the states into a buffer. The forward is right, and backward raises; run the program. Then write `remember(W, V, x)`.
#
# {requirements}

# %% tags=["given"]
def rnn(W, V, x):
    states = mg.zeros(len(x) + 1, len(W))  # the first row is the empty memory
    for t in range(len(x)):
        states[t + 1] = mg.tanh(states[t] @ W + x[t] @ V)
    return states[1:]


W, V, x = mg.ones(3, 3, requires_grad=True), mg.ones(2, 3, requires_grad=True), mg.ones(4, 2)
try:
    rnn(W, V, x).sum().backward()
except RuntimeError as error:
    print(str(error).partition(". Hint")[0])

# %% [markdown] exercise="12.9"
# A table is scaled, column by column, and then from each row its own mean is to be subtracted. Somebody wrote a loop over the rows.
# It is refused; run the program. Then write `centre_rows(x, w)`.
#
# {requirements}

# %% tags=["given"]
def centre(x, w):
    y = x * w
    for row in y:
        row -= row.mean()
    return y


try:
    centre(mg.ones(3, 2), mg.ones(2, requires_grad=True))
except RuntimeError as error:
    print(str(error).partition(". ")[0])
