# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 11 · In place I: leaves, versions, `no_grad`, `detach` vs `data`
#
# **After this chapter you can say of an in-place write whether it is refused at once, noticed by backward, or
# noticed by nobody. And you can update a parameter safely.**
#
# In the fit of the [tea](00-tea.ipynb) each step stood under `with mg.no_grad():`. What happens without it?

# %%
import numpy as np

import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error, expect_warning, show_error
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


hot, half = mg.tensor(50.0, requires_grad=True), mg.tensor(20.0, requires_grad=True)
((tea(hot, half) - degrees) ** 2).mean().backward()
with expect_error(RuntimeError, match="a leaf Variable"):
    hot -= 0.2 * hot.grad

# %% [markdown]
# The write is refused at once. Written without `-=` it is not refused, but the next step finds no slope:

# %%
hot = hot - 0.2 * hot.grad
((tea(hot, half) - degrees) ** 2).mean().backward()
with expect_warning(UserWarning, match="is being accessed.", short=True):
    print("the slope for the second step:", hot.grad)

# %% [markdown]
# Section 2 says why. These two mistakes show, but there are writes that nobody refuses and nobody notices. Below, eˣ is
# differentiated twice, and eˣ should come out both times. Before the second time `y` is scaled for a plot, in place and
# through `.data`, as old code does:

# %%
w = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = mg.exp(w)
print("right:", mg.autograd.grad(y.sum(), w)[0])

y = mg.exp(w)
y.data.mul_(2)
print("wrong:", mg.autograd.grad(y.sum(), w)[0])

# %% [markdown]
# The second gradient is twice as large as it should be, and no error came.
#
# | | |
# |---|---|
# | **Time** | 35 minutes to read and run, 79 minutes of exercises; 20 minutes for your engine, M4 |
# | **You need** | chapter 01; that `backward` adds to `.grad` (06), and that it frees what was saved unless you say `retain_graph=True` (07) |
# | **You will** | tell two guards apart, the leaf rule and the version check · know which operations saved what · update parameters safely · say what `no_grad`, `detach`, `clone` and `.data` do to memory, graph and counter |
# | **If short of time** | sections 2 and 3, "Two ways this goes wrong", exercises 11.1 to 11.3 |
#
# ## Predict first
#
# These two programs differ in one word. Each computes `y`, adds 1 to it **in place**, and calls `backward`:
#
# ```python
# y = mg.sin(w)                    y = mg.exp(w)
# y += 1                           y += 1
# y.sum().backward()               y.sum().backward()
# ```
#
# One of them raises. Which, and in which line? `show_error` prints an error, if one comes.

# %% tags=["guess"]
with show_error():
    y = mg.sin(w)
    y += 1
    y.sum().backward()
print(w.grad)

# %% tags=["guess"]
w.grad = None
with show_error():
    y = mg.exp(w)
    y += 1
    y.sum().backward()
print(w.grad)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `exp` raises, and not at `y += 1`, but at `backward`. Section 3 explains the message. PyTorch gives the same one; the notes
# below it, with the two places, are `minigrad`'s.
#
# </details>
#
# ## 1 · A new tensor, or the old one written over
#
# `h = h + 1` computes a **new** tensor and gives it the name `h`. The old one stays as it was, for whoever still holds
# it.
#
# `h += 1` writes **in place**, into the memory that is there, so everybody who holds the tensor sees the new numbers.
# `h[0] = 5` and the methods with an underscore at the end, such as `add_`, `mul_`, `zero_` and `copy_`, write in place,
# too. But `requires_grad_` only sets a flag.
#
# The engine counts these writes. The count is the **version**, which you read as `_version`:

# %%
h = w * 2
same = h
h += 1
print(same is h, h._version, h.grad_fn.name())
h = h + 1
print(same is h, h._version, same._version)

# %% [markdown]
# An in-place operation on a result is **recorded** as any other, so after `h += 1` the node of `h` is an AddBackward0.
# Why write in place at all? To save memory, and because an update of parameters must reach everybody who holds them.
#
# The counter belongs to the **memory**. A part `h[1:]`, a `view` and a `detach()` are *windows*: they have the memory
# of `h`, and so its counter. A `clone()` has memory of its own. One window has a counter of its own: `.data` (section
# 4).
#
# **Check yourself.** One write, through `part`. Which four versions will be printed?

# %% tags=["guess"]
h = w * 2
part, cut, copy = h[1:], h.detach(), h.clone()
part += 10
print(h._version, part._version, cut._version, copy._version)
print(cut, copy.detach())

# %% [markdown]
# ## 2 · The first guard: leaves
#
# A leaf that requires grad is where gradients are collected. A recorded write would turn it into a result, and nothing
# would collect gradients any more. So while recording is on, the write is refused **at once**, before a number is
# changed. A write to `w[0]` is refused too, since `w[0]` is a window on `w` with a history:

# %%
with expect_error(RuntimeError, match="a leaf Variable"):
    w += 1
with expect_error(RuntimeError, match="a view of a leaf Variable"):
    w[0] = 5.0
print(w, w._version)

# %% [markdown]
# `w.detach()` has no history, so it may be written, and the write is counted.
#
# But learning *means* to change the parameters. The update belongs to no graph, so switch recording off for it: under
# `mg.no_grad()` the write is allowed. The leaf stays a leaf and the same object, and the write is counted:

# %%
p = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
with mg.no_grad():
    p -= 0.1
print(p, p.is_leaf, p._version)

# %% [markdown]
# So update a parameter in place, under `no_grad`. The other spelling, `p = p - 0.1`, gives the name `p` to a *result*:
# that was the None at the top. This guard ignores *constants*; the second does not.
#
# ## 3 · The second guard: versions
#
# A node keeps numbers for backward (chapter 07). It keeps no copy, but the **memory itself**, and notes its version.
# Backward compares this version with the present one. If they differ, the numbers may differ too, so backward raises
# instead of giving you a wrong gradient.
#
# Chapter 07 asked the nodes what they keep. Most are of five kinds, and the last column follows from the first:
#
# | kept | operations | do not write to |
# |---|---|---|
# | the output | exp, sigmoid, tanh, relu, sqrt, softmax | `y` |
# | the input | sin, cos, log, abs, `x ** 2`, `x * x` | `x` |
# | the *other* factor | `x * k`, `x / k`, `W @ x`, where only `x` requires grad | `k`, `W` |
# | both factors | the same, where both require grad | `x`, `k`, `W` |
# | no numbers | `x + 1`, `x - k`, `-x`, sum, mean, clone | – |
#
# So the prediction could write to `y = mg.sin(w)`, and not to `y = mg.exp(w)`.
#
# **Check yourself.** Now we write to the *input*, after `exp` and after `sin`. It is a result, so the leaf rule allows
# this. Which of the two raises?

# %% tags=["guess"]
for f in (mg.exp, mg.sin):
    x = w * 1
    y = f(x)
    x += 1
    with show_error(upto="expected version 0"):
        print(mg.autograd.grad(y.sum(), w))

# %% [markdown]
# <details><summary>Answer</summary>
#
# `sin`: it has kept its input. `exp` has kept its output, to which nobody has written.
#
# </details>
#
# Read the message from the middle:
#
# * *FloatTensor [3]* is what was kept: three numbers.
# * *which is output 0 of Add* says who made it: the last writer, here `+=`. Where a node kept its own result, as in the
#   prediction, it is that node: Exp.
# * *is at version 1; expected version 0*: one write since it was kept.
#
# The notes tell two lines: where the value was needed, and where it was overwritten.
#
# `viz.timeline` draws the check for all that a graph has saved. Time runs to the **right**. A step up is a write, a pin
# is a save, and an arrow looks back from the check. Here `x` is kept twice, by `sin` before the write and by `*` after
# it:

# %% tags=["cover"]
x = w * 1
h = mg.sin(x)
x += 1
y = h * x
viz.timeline(y)

# %% [markdown]
# The pin of `*` stands at version 1, where `x` is now, so it passes. The pin of `sin` stands at version 0. **A write
# does harm only to what was kept before it.**
#
# **Check yourself.** `x *= 2; x *= 0.5` after `mg.sin(x)` gives back the very same numbers. Does backward run? In the
# picture `v1` is the `x` that `sin` saw.

# %% tags=["guess"]
x = w * 1
y = mg.sin(x)
x *= 2
x *= 0.5
L = y.sum()
viz.steps(L)

# %% [markdown]
# <details><summary>Answer</summary>
#
# No. The counter counts **writes**, two of them here, and does not look at the numbers: to compare those, the engine
# would need a copy.
#
# </details>
#
# The usual cure is not to write in place: `x = x + 1` costs some memory, and harms nothing that was kept.
#
# ## 4 · `no_grad`, `detach`, `clone`, `.data`
#
# `clone`, `detach` and `.data` each make a tensor out of `h`, while `no_grad` is a mode, and comes last. Does the new
# tensor share the **memory** of `h`, and its **counter**, and is it **recorded**? Below, the *new* tensor is filled
# with zeros. What is `h[0]` then? It was e, 2.72:

# %%
for code in ("h.clone()", "h.detach()", "h.data"):
    h = mg.exp(w)
    other = eval(code)
    other.zero_()
    print(f"{code:12}recorded: {other.requires_grad!s:8}h[0] is now {h[0].item():.2f}, at version {h._version}")

# %% [markdown]
# | | same memory | recorded | a write to it is counted for `h` |
# |---|---|---|---|
# | `h.clone()` | no | yes | no, it is a write to other memory |
# | `h.detach()` | yes | no | **yes** |
# | `h.data` | yes | no | **no** |
#
# A write to the clone leaves `h` alone. Backward notices a write to `h.detach()`, if a node kept `h`:

# %%
y = mg.exp(w)
y.detach().mul_(2)
with expect_error(RuntimeError, match="modified by an inplace operation", short=True):
    y.sum().backward()
viz.timeline(y)

# %% [markdown]
# Here is the program of the top of this page again. Picture and backward know only the counter, so both find `y` *as it
# was*, and both are wrong:

# %%
y = mg.exp(w)
y.data.mul_(2)
viz.timeline(y)

# %% [markdown]
# Which one is for what?
#
# * `h.detach()` is for reading, for logging, and for stopping a gradient. It copies nothing.
# * `h.detach().clone()` is for keeping today's numbers when somebody will write into `h` later. It costs one copy.
# * `h.clone()` is for a copy through which the **gradient shall go on**. It holds on to the whole history of `h`: in a list of
#   snapshots that is the leak of chapter 06.
# * `h.data` is `detach()` without the guard. It stands in old code; do not write it.
# * `with mg.no_grad():` is for an update, or for a whole validation. Nothing is recorded, and writes are counted as
#   ever.
#
# <details><summary>A stricter mode: <code>mg.inference_mode()</code></summary>What is made in it has no version, so no node may save it.</details>
#
# ## 5 · The back door
#
# Except for `.data`, the counter sees every write through a window. But `numpy()` and `from_numpy` share memory with a
# NumPy array, and NumPy counts nothing:

# %%
a = np.array([1.0, 2.0, 3.0])
t = mg.from_numpy(a).requires_grad_()
L = (t**2).sum()
a[0] = 100
L.backward()
print(t.grad, t._version)

# %% [markdown]
# The first slope should be 2. The node kept `t`, whose memory is that of `a`, and found 100 there. `mg.tensor(a)` would
# have copied. A write to `y.detach().numpy()` goes through the same door.
#
# **Check yourself.** Would `L = mg.exp(t).sum()` in this cell have given a wrong gradient?
#
# <details><summary>Answer</summary>No. <code>exp</code> keeps its output, so nobody needed what was overwritten.</details>
#
# ## Two ways this goes wrong
#
# **1. A step between two backwards.** Two losses share a graph, and the step after the first writes to the parameter
# that the second backward needs:

# %%
v = mg.tensor([1.0, 2.0], requires_grad=True)
h = mg.sin(v)
h.sum().backward(retain_graph=True)
with mg.no_grad():
    v -= 0.1 * v.grad
with expect_error(RuntimeError, match="modified by an inplace operation", short=True):
    (h**2).sum().backward()

# %% [markdown]
# Many take this for the error of the freed graph (chapter 07), and add `retain_graph=True`. It is there already:
# nothing was freed, something was *written*. Either do both backwards before the step, or compute `h` again after it.
#
# **2. In place after an activation.** `relu`, `sigmoid` and `tanh` keep their output, and the next line writes to it.
# Many networks have such a line, `h += x`, which adds to a layer's output what went in.

# %%
h = mg.relu(w)
h += w
with expect_error(RuntimeError, match="output 0 of Relu", short=True):
    h.sum().backward()

# %% [markdown]
# `h = h + w` is the cure.
#

# ## In PyTorch
#
# The same lines, the same counter under the same name:
#
# ```python
# import torch
#
# w = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
# y = torch.exp(w)
# y.detach().zero_()
# y._version                # 1
# y.sum().backward()        # RuntimeError: … is at version 1; expected version 0 instead. …
# ```
#
# Write `import torch as mg`, and all cells but the pictures give the same, without our notes (tried with PyTorch 2.13).
# PyTorch's errors do not tell the line that wrote. They can tell the line of the forward pass, under
# `torch.autograd.set_detect_anomaly(True)`: that is the *Hint* in the message, and chapter 13 is about it.
#
# ## Key points
#
# * `h = h + 1` makes a new tensor. `h += 1`, `h.add_(1)` and `h[0] = 1` **write in place**, and the version of the
#   memory goes up by 1.
# * **First guard, at once:** while recording is on, a leaf that requires grad may not be written, nor a view of it that
#   has a history (`w[0]`). `w.detach()` has no history, and may.
# * **Second guard, at backward:** what a node kept must still be at the version it had. Only writes to *memory* that was
#   kept matter.
# * exp, sigmoid, tanh, relu, sqrt and softmax keep the output; sin, cos, log and powers the input; a product the other
#   factor, or both where both require grad; sums, differences and copies nothing.
# * Update a parameter with `p -= …` under `mg.no_grad()`: same object, still a leaf, and counted.
# * `detach()` shares memory and counter. `.data` shares the memory only. NumPy shares the memory and knows no counter.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `w` is a leaf that requires grad. When does `w.zero_()` raise: at once, at the next backward, or never?
#
# <details><summary>Answer</summary>At once, if recording is on. Under <code>no_grad</code> it runs; then the next backward raises if a node
# has kept <code>w</code>.</details>
#
# **2.** `y = mg.tanh(x)`, then `x.zero_()`, where `x` is a result. Does backward raise?
#
# <details><summary>Answer</summary>Not because of tanh: it keeps its output. (Whatever computed <code>x</code> may have kept it: exp
# would have.)</details>
#
# **3.** A message says *is at version 3; expected version 1*. How often was the tensor written since it was saved?
#
# <details><summary>Answer</summary>Twice. It had been written once before it was saved, and that is no harm.</details>
#
# **4.** Why does `retain_graph=True` not help against this error?
#
# <details><summary>Answer</summary>It keeps what was saved from being freed. It does not make a copy: the memory is the very one that was
# written over.</details>
#
# **5.** `y = mg.exp(x); y.data += 1; y.sum().backward()`. What happens?
#
# <details><summary>Answer</summary>No error, and a wrong gradient: too large by 1 in each place. The counter of <code>y</code> has not
# moved, and the node multiplies by e<sup>x</sup> + 1.</details>

# %% [markdown]
# ## Your engine: M4, modes and `detach`
#
# The first half of M4 is about this chapter. Hooks come in chapter 13.
#
# * **Write** `no_grad`, `enable_grad`, `is_grad_enabled` and `x.detach()`: M4 in
#   [the table](93-your-engine.ipynb). Exercise 16.4.
# * **Think first:** what is the mode when a block ends, also when it ends with an error? What it was *before* the block, which need
#   not be "on".
# * **One sitting** of 20 minutes. The facts about hooks stay red; so does `M4.after_a_failed_pass`, which uses one.
# * **Not done with M3?** `start("16", upto="M3")`. If you took the reference up to M5, M4 is done.

# %%
from minigrad.course import conformance

conformance("my_engine.py", "M4")

# %% [markdown] engine="core/tape.py:unpack" first="tensor, version" last="saved=saved, node=node" keep="tensor, version|!= version|MODIFIED"
# ## In the engine
#
# The second guard. A node holds the saved tensor, and the version that it had then. When backward takes it out, the two
# versions are compared: the last two lines.

# %% [markdown] exercise="11.1"
# Twelve lines; each is run by itself, between the same first lines and the same last one. Does the last line, the
# backward, raise *modified by an inplace operation*?
#
# Write into the dict `breaks`, for each letter, `"ok"` or `"raises"`. Predict first. You may run the lines afterwards.

# %% [markdown] exercise="11.2"
# Eight lines; each is run by itself, after the same first three. Write into the dict `versions`, for each letter,
#
# * `"leaf"`, if it raises *a leaf Variable that requires grad is being used in an in-place operation*;
# * `"view"`, if it raises *a view of a leaf Variable …*;
# * else the number that `w._version` gives after the line.
#
# Predict first. You may run the lines afterwards.

# %% [markdown] exercise="11.3"
# Write `sgd_step_(params, lr)`: one step of gradient descent, in place. `params` is a list of leaves that require grad,
# `lr` a number.
#
# {requirements}
#
# To try it:

# %% tags=["given"]
bias = mg.tensor([1.0, 2.0], requires_grad=True)
(bias**2).sum().backward()
# sgd_step_([bias], 0.5) must leave bias = tensor([0., 0.], requires_grad=True),
# with bias._version 1, and bias.grad as it is now.
# Run this cell again before a second try: it makes a new bias.


# %% [markdown] exercise="11.4"
# Write a program that goes wrong in silence with `.data`, and would have raised with `.detach()`.
#
# `trap(w, window)` returns a scalar tensor `L`, computed from `w`, a leaf of shape (n,), n > 2. `window` is a function of one
# tensor: it returns either `t.data` or `t.detach()`. Use it to write somewhere, in place. Then for `L.backward()`,
# which the checker calls,
#
# {requirements}
#
# (The checker finds the gradient without your write by a third window: it hands out a copy.)

# %% [markdown] exercise="11.5"
# This program raises, at the line marked:
#
# ```python
# h = trunk(w)
# loss1(h).backward(retain_graph=True)
# step(w)                   # one step of SGD with w.grad, in place, then w.grad = None
# loss2(h).backward()       # RuntimeError: … at version 1; expected version 0 …
# step(w)
# ```
#
# Repair it in two ways. Both are static methods of the class `Repair`, and both change `w` in place and return nothing.
#
# {requirements}
#
# `w` is a leaf with `.grad` None; `trunk`, `loss1` and `loss2` are functions of one tensor, the losses return scalars.
# `step(w)` needs a gradient in `w.grad`, and clears it afterwards; its lr is not always 0.1. To try it:

# %% tags=["given"]
def step(w):
    with mg.no_grad():
        w -= 0.1 * w.grad
    w.grad = None


def loss1(h):
    return (h**2).sum()


def loss2(h):
    return mg.exp(h).sum()


w = mg.tensor([1.0, 2.0], requires_grad=True)
# Repair.gradients_first(w, mg.sin, loss1, loss2, step) must leave [0.7837, 2.1790] in w,
# Repair.forward_again(w, mg.sin, loss1, loss2, step) must leave [0.7738, 2.1917].
# Run this cell again before a second try: it makes a new w.


# %% [markdown] exercise="11.6"
# Now you are the engine, and build the second guard. `Versioned` is a tensor without gradients: an array `numbers`, and
# a counter of the writes to this memory.
#
# | method | what it does |
# |---|---|
# | `version()` | how many writes its counter has seen; a new one is at 0 |
# | `add_(c)` | adds the number `c` in place, counts one write, returns `self` |
# | `window(start)` | a `Versioned` on the **same memory** from place `start` on, which counts together with `self` |
# | `data()` | a `Versioned` on the same memory with a counter **of its own**, which begins at 0 |
# | `save()` | what a node does: returns a function `unpack` of no arguments |
# | `unpack()` | returns the numbers if they were not written since `save()`; else raises a RuntimeError with both versions in its message, the present one and the saved one |
#
# {requirements}
#
# `numbers[start:]` of a NumPy array is a window on its memory. But `Versioned(array)` copies, because `np.array` does.
# So make an empty one, `Versioned([])`, and set its attributes.
#
# The checker plays eleven little stories with your class. Replace all of the `...`; you may add attributes and methods.

# %% [markdown] exercise="11.7"
# Six small programs, some of which let NumPy write into the memory of a tensor. For each, compare what the last line leaves
# in `w.grad` with the right gradient: that of `L` at the numbers from which `L` was computed. Write into the dict `doors`,
# for each letter,
#
# * `"right"`: they are equal;
# * `"wrong"`: they differ, and no error came;
# * `"raises"`: the last line raises.
#
# Predict first. Which of them would you find by testing, and which not?

# %% [markdown] exercise="11.8"
# A **residual block** adds its input to what it has computed: `x + relu(x @ A)`. Then comes the next layer. Somebody wanted to save
# memory, with `+=` and `*=`. The forward is right, and backward raises; run the program below.
#
# Write `residual(x, A, B)`.
#
# {requirements}

# %% tags=["given"]
def block(x, A, B):
    h = mg.relu(x @ A)
    h += x
    y = mg.sigmoid(h @ B)
    y *= h
    return y


x, A, B = (mg.ones(*shape, requires_grad=True) for shape in ((2, 3), (3, 3), (3, 3)))
try:
    block(x, A, B).sum().backward()
except RuntimeError as error:
    print(str(error).partition(". Hint")[0])

# %% [markdown] exercise="11.9"
# A network with two layers. Its hidden numbers are **centred**: from each column of `h` its mean over the points is subtracted. Somebody
# got the error of this chapter, and made it stop. Run the program: the loss falls to 0.22. A right step brings it to 0.12 in the same time.
#
# Find out why, and write `train_step(W, U, x, target, rate)`.
#
# {requirements}

# %% tags=["given"]
def step(W, U, x, target, rate):
    h = mg.tanh(x @ W).detach()  # without detach the next line makes backward raise
    h -= h.mean(0)
    loss = ((h @ U - target) ** 2).mean()
    loss.backward()
    with mg.no_grad():
        for p in (W, U):
            if p.grad is not None:  # without this line there is an error
                p -= rate * p.grad
                p.grad = None
    return loss.item()


mg.manual_seed(0)
W, U = mg.randn(3, 4, requires_grad=True), mg.randn(4, 1, requires_grad=True)
x = mg.randn(20, 3)
target = mg.sin(2 * x[:, :1]) - x[:, 1:2]
print([round(step(W, U, x, target, 0.1), 2) for _ in range(200)][::40])
