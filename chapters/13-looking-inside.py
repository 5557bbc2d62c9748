# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 13 · Looking inside: hooks, `retain_grad`, anomaly mode, NaN
#
# **After this chapter you can watch gradients on their way, change them, and find the operation that made the first NaN. You know
# the two most famous formulas that make one, and how to write them so that they make none.**
#
# Somebody copied the readings of the tea, and turned the digits of one around: 73 in place of 37.

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error, expect_warning
from minigrad.course.data import cup_of_tea
from minigrad.course.helpers.ch13 import show

minutes, degrees = map(mg.tensor, cup_of_tea())
degrees[7] = 73.0  # it was 37


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


def squares(hot, half):
    return ((tea(hot, half) - degrees) ** 2).mean()


def descend(loss, rates):
    hot, half = mg.tensor(68.0, requires_grad=True), mg.tensor(15.0, requires_grad=True)
    for rate in rates:
        hot.grad = half.grad = None
        loss(hot, half).backward()
        with mg.no_grad():
            hot -= rate * hot.grad
            half -= rate * half.grad
    return hot.detach(), half.detach()


by_squares = tea(*descend(squares, [0.2] * 400))
show({"by squares": by_squares}, minutes, degrees)

# %% [markdown]
# One bad reading draws the curve away from ten good ones, because the square of its distance is larger than the ten
# others together. So take the distance itself, here as the root of the square (`abs` comes in section 3). The fit begins
# with `hot` = 68, since the first reading was 88, in a room of 20:

# %%
def distance(hot, half):
    return mg.sqrt((tea(hot, half) - degrees) ** 2).mean()


for steps in (0, 1, 2):
    hot, half = descend(distance, [1.0] * steps)
    print(f"steps: {steps}, loss: {distance(hot, half):.2f}, hot: {hot:.1f}, half: {half:.1f}")

# %% [markdown]
# The first loss is fine, but after one step there are no numbers left. NaN, *not a number*, comes out when a
# computation has no answer, and `hot.grad` does not tell *which* computation. So look at the gradients on their way:
# one line keeps this fit alive (section 2), a few more find where the first NaN was made (section 3).
#
# | | |
# |---|---|
# | **Time** | 35 minutes to read and run, 60 minutes of exercises; 25 minutes for your engine, M4 |
# | **You need** | chapters 01 and 04; that `backward` adds to `.grad` (06), and `retain_graph` (07) |
# | **You will** | listen to any tensor, and leave no hook behind · change a gradient in the middle of a pass · predict how often a hook is called, and in which order · find the first NaN · compute log-softmax safely · avoid the trap of `where` |
# | **If short of time** | sections 1, 3 and 5, exercises 13.1, 13.5 and 13.7 |
#
# ## Predict first
#
# A *hook* is a function that backward calls with the gradient of a tensor. Here `h` is used twice, and there are two
# passes. How many lines will be printed, and with which numbers?

# %% tags=["guess"]
print("the hook of h gets:")
x = mg.tensor(1.0, requires_grad=True)
h = 3 * x
h.register_hook(print)
L = 2 * h + 5 * h
L.backward(retain_graph=True)
L.backward()

# %% [markdown]
# <details><summary>Answer</summary>
#
# Two lines, each with 7: one call in each pass, with the sum of both uses.
#
# </details>
#
# ## 1 · A hook listens
#
# After a pass, `.grad` shows what came out at the leaves. A hook shows what went on in between. `t.register_hook(f)`
# hangs `f` on `t`, a leaf or a result. From then on each pass that comes to `t` calls `f(g)`, when its gradient `g`
# is complete.

# %%
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = x**2
handle = h.register_hook(lambda g: print("at h:", g))
(h * mg.tensor([10.0, 20.0, 30.0])).sum().backward()

# %% [markdown]
# You get back a **handle**, whose `remove()` takes the hook off again. A `with` statement does that for you:

# %%
x.grad = None
with x.register_hook(lambda g: print("at x:", g)):
    (x * 2).sum().backward()
(x * 5).sum().backward()
print("x.grad:", x.grad)

# %% [markdown]
# **To see a gradient when the pass is over**, call `retain_grad()` on the result *before* it. Else the `.grad` of a
# result stays None, and reading it gives a warning:

# %%
h, u = x**2, x**3
h.retain_grad()
(h + u).sum().backward()
print(h.grad)
with expect_warning(UserWarning, match="not a leaf"):
    print(u.grad)

# %% [markdown]
# **Check yourself.** A hook hangs on `side = 7 * x`, but `L` is not computed from `side`. What does the hook get?
#
# <details><summary>Answer</summary>Nothing: it is not called, not even with zeros.</details>
#
# ## 2 · A hook answers
#
# What a hook **returns** goes on in place of the gradient: to the next hook, and on towards the leaves. So one line
# keeps the fit alive. Every NaN that arrives at the curve goes on as 0 (and inf as 3.4e38):

# %%
def patched(hot, half):
    curve = tea(hot, half)
    curve.register_hook(mg.nan_to_num)
    return mg.sqrt((curve - degrees) ** 2).mean()


for steps in (0, 1, 2, 50):
    hot, half = descend(patched, [1.0] * steps)
    print(f"steps: {steps}, loss: {distance(hot, half):.2f}, hot: {hot:.1f}, half: {half:.1f}")

# %% [markdown]
# The loss falls to 4.11, which is nearly the best. But the hook hides the cause of the NaN.
#
# A hook may also shrink a gradient before it does harm, or turn it around. If it returns None, nothing is changed.
# Below, the first hook turns it around, and the second returns nothing:

# %%
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x * 3
h.register_hook(lambda g: -g)
h.register_hook(lambda g: print("the second hook gets", g))
h.backward(mg.tensor([1.0, 5.0]))
print("x.grad:", x.grad)

# %% [markdown]
# The gradient of `h` has one number for each entry of `h`, so the answer must be a tensor of the same shape and dtype:

# %%
for answer in (lambda g: g.sum(), lambda g: g.double(), lambda g: 3.0):
    h = x * 3
    h.register_hook(answer)
    with expect_error(match="has changed|expected Variable"):
        (h * h).sum().backward()

# %% [markdown]
# ## 3 · Where does the NaN come from?
#
# You want the node that made the first NaN: none came in, and one went out. Here is the distance in small, with two
# readings. The curve goes exactly through the first, and misses the second by 4. Look for the first NaN:

# %%
gap = mg.tensor([0.0, 4.0], requires_grad=True)
viz.steps(mg.sqrt(gap**2).sum())

# %% [markdown]
# In step 2 the slope of the root at 0 is infinite, which is no NaN yet. But in step 3 the slope of the square there is
# 0, and 0 times infinite is the first NaN. In the fit `hot.grad` is a sum over the readings, so one NaN spoils it.
#
# In a program of your own, **anomaly mode** finds the node. Put forward *and* backward under
# `with mg.autograd.set_detect_anomaly(True):`, and backward stops at the first node that hands on a NaN. The error names
# the node, and which of its gradients has a NaN; the `0th` is the one for the first input. A long warning tells the *line*
# that made the node. Our `expect_nan()` is such a block, and prints the error and, of the warning, your line:

# %%
from minigrad.course.helpers.ch13 import expect_nan

hot, half = mg.tensor(68.0, requires_grad=True), mg.tensor(15.0, requires_grad=True)
with expect_nan():
    distance(hot, half).backward()

# %% [markdown]
# It is the square again: with `hot` = 68 the curve goes exactly through the first reading.
#
# `abs` is the same distance in one operation, and its slope at 0 counts as 0. Everywhere else the slope is 1 or −1,
# however close the goal is, so the steps are made shorter with time:

# %% tags=["cover"]
def absolute(hot, half):
    return (tea(hot, half) - degrees).abs().mean()


hot, half = descend(absolute, [0.992**step for step in range(600)])
print(f"hot = {hot:.1f} and half = {half:.1f}, loss = {absolute(hot, half):.2f}")
show({"by squares": by_squares, "by distances": tea(hot, half)}, minutes, degrees)

# %% [markdown]
# By distances the curve leaves the bad reading aside, and runs along the others.
#
# **Check yourself.** Does anomaly mode stop at an infinite gradient?

# %% tags=["guess"]
zero = mg.tensor(0.0, requires_grad=True)
with mg.autograd.set_detect_anomaly(True):
    mg.sqrt(zero).backward()
print("no error came; the gradient is", zero.grad)

# %% [markdown]
# <details><summary>Answer</summary>
#
# No. The slope of the root at 0 *is* infinite, so that is right.
#
# </details>
#
# A good place to stop for today. The rest of this section is more on NaN.
#
# **How NaN behaves.** Here are six ways to make one. The last three lines show what becomes of it:

# %%
inf, nan, zero = float("inf"), float("nan"), mg.tensor(0.0)
for code in ("zero / zero", "mg.sqrt(zero - 1)", "mg.log(zero - 1)", "0 * inf", "inf - inf", "inf / inf", "nan * 0", "nan + 1", "nan == nan"):
    print(f"{code:18}", eval(code))

# %% [markdown]
# A NaN stays: no product and no sum gets rid of it. `nan == nan` is False, so ask `mg.isnan(t)` to find one.
#
# Anomaly mode does not see a NaN among the *values*. Below, log(−1) is NaN, but the slope there, 1 / (−1), is not, so
# no error comes. And a product that uses such a value may be blamed for it. So print values, too:

# %%
z = mg.tensor(-1.0, requires_grad=True)
with mg.autograd.set_detect_anomaly(True):
    print("the loss:", mg.log(z).item(), " its slope:", *mg.autograd.grad(mg.log(z), z))

# %% [markdown]
# Anomaly mode costs time in every operation, so switch it on to search, then off again.
#
# **Node by node.** To see what comes to *each* node and what it makes, hang hooks on nodes. After
# `node.register_hook(f)` a pass calls `f(results, arrived)` right after the node's backward. What came to the node is
# `arrived`, and `results` is what it made, with an entry for each of its `next_functions`. PyTorch calls `results`
# `grad_inputs`, and `arrived` `grad_outputs`.
#
# Below, one hangs on each node of a program that takes the root of `x` where `x` is positive, and 0 elsewhere.
# `nodes_of(L)` lists all nodes behind `L`:

# %% tags=["folded"]
# The code that hangs a hook on each node: click here to read it.
from minigrad.course.helpers.graphs import nodes_of


def tell(node):
    node.register_hook(lambda results, arrived: print(f"{node.name():16}", *arrived, " -> ", *results))


x = mg.tensor([-1.0, 0.0, 4.0], requires_grad=True)
L = mg.where(x > 0, mg.sqrt(x), 0.0).sum()
for node in nodes_of(L):
    tell(node)
L.backward()

# %% [markdown]
# SqrtBackward0 gets `[0, 0, 1]` and makes `[nan, nan, 0.25]`. Section 5 says why.
#
# Only here for NaN? Section 5 does not need section 4.
#
# ## 4 · How often, and in which order
#
# One hook logs a gradient, another clips it. Is the clipped one logged?
#
# **Once in each pass.** The engine waits at a tensor until everything that is due has come, adds it up, and then calls
# the hooks. So in the prediction the hook of `h` got 7, and not 2 and 5.
#
# **A leaf has two kinds of hooks.** One from `register_hook` is called *before* the gradient is added to `.grad`, and
# gets the gradient of this pass. One from `register_post_accumulate_grad_hook` is called *after* that, and gets the
# leaf itself, whose `.grad` holds the sum so far. `mg.autograd.grad` adds nothing to `.grad`, so it calls the first
# kind only:

# %%
x = mg.tensor(1.0, requires_grad=True)
x.register_hook(lambda g: print("before:", g))
x.register_post_accumulate_grad_hook(lambda t: print("after: ", t.grad))
for number in (1, 2):
    print("backward", number)
    (2 * x).backward()
print("autograd.grad")
print("gives: ", *mg.autograd.grad(2 * x, x))

# %% [markdown]
# **In the order of registration.** Each hook gets what the one before it has returned. `retain_grad` comes last, wherever its
# line stands: `.grad` is what *leaves* the tensor.
#
# **Check yourself.** What is `h.grad` below?

# %% tags=["guess"]
x = mg.tensor(1.0, requires_grad=True)
h = 1 * x
h.retain_grad()
h.register_hook(lambda g: g * 10)
h.register_hook(lambda g: g + 1)
h.backward()
print("h.grad:", h.grad)

# %% [markdown]
# <details><summary>Answer</summary>1 · 10 + 1: neither the 1 that came, nor the 10 in between.</details>
#
# **Results before their inputs.** Hooks on several tensors are called from the root on: a leaf as soon as its
# gradient is complete, else the newest operation first:

# %% tags=["folded"]
# The code: click here to read it. (name=name binds the name at once. Without it, all would print the last name.)
a = mg.tensor(2.0, requires_grad=True)
u, v = a * 3, a * 5
L = u * v
for name, t in {"a": a, "u": u, "v": v, "L": L}.items():
    t.register_hook(lambda g, name=name: print(name, g.item()))
L.backward()

# %% [markdown]
# ## 5 · Two famous NaNs
#
# **log-softmax.** A classifier makes scores `z`. Softmax turns them into shares that add up to 1, eᶻ / Σeᶻ, which are
# read as *probabilities*, and the loss takes their logarithm. Written down like that it breaks, because e¹⁰⁰ is too
# large for float32, and e⁻¹¹⁰ is rounded to 0:

# %%
def naive(z):
    return mg.log(mg.exp(z) / mg.exp(z).sum())


def stable(z):
    shifted = z - z.max()
    return shifted - mg.log(mg.exp(shifted).sum())


for scores in ([2.0, 0.0], [1000.0, 0.0]):
    print(naive(mg.tensor(scores)), stable(mg.tensor(scores)), mg.log_softmax(mg.tensor(scores), 0))

# %% [markdown]
# The cure has two parts, and `mg.log_softmax` does both:
#
# * **Shift.** If all scores change by the same number, the shares do not. So bring the largest to 0: then no
#   exponential is larger than 1, and the sum is at least 1.
# * **Take the logarithm by hand.** log(eᶻ / Σeᶻ) is z − log Σeᶻ. So a very low score keeps its number, and only its
#   part of the sum is rounded to 0.
#
# For two scores, z and 0, here are the logarithm of z's share and its slope, by each formula:

# %%
from minigrad.course.helpers.ch13 import log_share

log_share(stable=stable, naive=naive)

# %% [markdown]
# Beyond the crosses the naive formula has inf or NaN. On the left the slope breaks before the value, because backward
# divides by the share, and 1 / e⁻⁹⁰ is too large for float32. On the right both break where eᶻ becomes inf.
#
# **The `where` trap.** In section 3 `mg.where(x > 0, mg.sqrt(x), 0.0)` had the right *values*, because the NaN of √−1
# is not chosen. But both branches were computed, and backward goes through both. To the branch that was not chosen
# `where` sends a 0. The root multiplies that by its slope, which at −1 is NaN and at 0 is infinite, and both products
# are NaN.
#
# So it is not enough to clean the output: **clean the input**. Give the branch a harmless number wherever it will not
# be chosen. Here is an example with `log`, whose slope at 0 is infinite too:

# %%
x = mg.tensor([-1.0, 0.0, 4.0], requires_grad=True)
inside = mg.where(x > 0, x, 1.0)
y = mg.where(x > 0, mg.log(inside), 0.0)
y.sum().backward()
print(y.detach(), x.grad)

# %% [markdown]
# At −1 and at 0 the logarithm now sees a 1, where its slope is 1, and 0 · 1 is 0. So there are two `where`s, before the
# logarithm and after it. Division, the root and powers need the same; x², x³ and so on do not.
#
# **Which nodes stop a NaN?** A node that *multiplies* by its slope hands a NaN on, even where the slope is 0, and a
# matrix product spreads it. A node that *chooses*, such as `relu`, `where` or `clamp`, sends a 0 where it has not
# chosen, whatever arrives there:

# %% tags=["folded"]
# The code that tries four nodes: click here to read it.
x = mg.zeros(3, requires_grad=True)
(mg.ones(2, 3) @ x).backward(mg.tensor([nan, 0.0]))
print("a matrix product: nan and 0.0 arrive,", x.grad.tolist(), "goes on")
for name, f in {"0 * x": lambda x: 0 * x, "relu(x)": mg.relu, "clamp(x, min=0)": lambda x: mg.clamp(x, min=0)}.items():
    x = mg.tensor(-1.0, requires_grad=True)
    f(x).backward(mg.tensor(nan))
    print(f"{name:16} at -1: nan arrives,", x.grad.item(), "goes on")

# %% [markdown]
# **Check yourself.** `mg.sqrt(x) * (x > 0)`: does the mask help?
#
# <details><summary>Answer</summary>No. Even the value is NaN at −1, because NaN · 0 is NaN; and the gradient is NaN at −1 and at 0.</details>
#
# ## Two ways this goes wrong
#
# **1. A hook in a loop, never removed.** A hook on a leaf survives the pass, so in the third round three of them run:

# %%
w = mg.tensor(1.0, requires_grad=True)
for step in range(3):
    w.register_hook(lambda g, step=step: print("  hook of round", step, "gets", g.item()))
    print("round", step)
    (2 * w).backward()

# %% [markdown]
# Keep the handle, and call `remove()`; or use `with`.
#
# **2. The gradient is written in place.** An addition hands the same array to both of its inputs, so `g` may not be
# yours alone. Here the sum gives `u` and `v` one array. The hook of `v` runs first, since `v` is newer, and makes the
# array ten times as large before u's node reads it.

# %%
a, b = (mg.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
u, v = a * 1, b * 1
v.register_hook(lambda g: g.mul_(10))
((u + v) ** 2).sum().backward()
print("a.grad:", a.grad, "  b.grad:", b.grad)

# %% [markdown]
# `a` should have got (4, 8), and no error came. Return `g * 10` instead. Where you keep a gradient for later, keep
# `g.clone()`.
#
# ## In PyTorch
#
# The same lines:
#
# ```python
# import torch
#
# x = torch.tensor([-1.0, 0.0, 4.0], requires_grad=True)
# handle = x.register_hook(print)
# torch.where(x > 0, torch.sqrt(x), 0.0).sum().backward()   # tensor([   nan,    nan, 0.2500])
# handle.remove()
#
# with torch.autograd.set_detect_anomaly(True):     # RuntimeError: returned nan values
#     torch.where(x > 0, torch.sqrt(x), 0.0).sum().backward()
#
# torch.log_softmax(torch.tensor([1000.0, 0.0]), 0) # tensor([    0., -1000.])
# ```
#
# Hooks on leaves, results and nodes, their order, what they may return, `retain_grad`, anomaly mode and its message: all
# tried with PyTorch 2.13, and the same. `nodes_of` and `expect_nan` belong to this course.
#
# ## Key points
#
# * `t.register_hook(f)`: each pass that comes to `t` calls `f(g)` once, with the complete gradient of `t`. What `f`
#   returns goes on in its place.
# * Keep the handle and `remove()` it. Do not write into `g`; do not keep `g` itself.
# * Hooks run in the order of registration; `retain_grad` comes last. On a leaf, a hook from `register_hook` is called before the
#   gradient is added to `.grad`, a post-accumulate hook after that.
# * NaN spreads towards the leaves. If backward made the first one, find its node: by hooks on nodes, or by anomaly mode
#   with the forward in its block.
# * log-softmax: subtract the largest score of the row, and take the logarithm by hand. Or call `mg.log_softmax`.
# * `where` switches no branch off: 0 · NaN = NaN. Clean the input as well as the output.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `h` is used in three places. How often is a hook on `h` called in one pass?
#
# <details><summary>Answer</summary>Once, with the sum of the three contributions.</details>
#
# **2.** A hook ends with `print(g.norm())` and has no `return`. What becomes of the gradient?
#
# <details><summary>Answer</summary>It goes on as it was: None means no change.</details>
#
# **3.** After a pass, `w1.grad` and `w2.grad` are NaN, and `w3.grad` is not. `w3` was used last, close to the loss. What does that tell?
#
# <details><summary>Answer</summary>What came to w3 was clean. Unless a relu or a where stopped the NaN before w3, it was
# made on the rest of the way to w1 and w2. An anomaly block names the node.</details>
#
# **4.** `mg.where(x == 0, 1.0, mg.sin(x) / x)` has the right value at 0. And its gradient?
#
# <details><summary>Answer</summary>NaN at 0, since backward goes through the division by 0 too. Divide by
# <code>mg.where(x == 0, 1.0, x)</code>.</details>
#
# **5.** Why does `mg.log(mg.softmax(z, 0))` give −inf for z = (200, 0), though `mg.softmax` subtracts the largest score
# first?
#
# <details><summary>Answer</summary>The second share, e<sup>−200</sup>, is rounded to 0 in float32, and log 0 is −inf. log_softmax never computes the
# share: it gives −200.</details>

# %% [markdown]
# ## Your engine: M4, hooks
#
# The second half of M4. A hook sees the *whole* gradient of its tensor, once in each pass.
#
# * **Write** `x.register_hook(hook)`, which returns an object with `remove()`: M4 in
#   [the table](93-your-engine.ipynb). Exercise 16.4.
# * **Think first:** where in your walk have all messages to a tensor been added? There the hooks run, and nowhere else.
# * **One sitting** of 25 minutes. Then all facts of M4 are green.
# * **Not done with M3?** `start("16", upto="M3")`. The reference up to M5 or later has hooks already: read it instead.

# %%
from minigrad.course import conformance

conformance("my_engine.py", "M4")

# %% [markdown] engine="core/walk.py:run" first="hooks.arrived" last="hooks.after" keep="hooks.arrived|hooks.before|results = node.apply|hooks.after"
# ## In the engine
#
# The walk asks at each node whether somebody watches. The hooks of the tensor see what arrives (`hooks.arrived`), and the node's own see it
# next (`hooks.before`). After the node has run (`node.apply`), they see what it gave (`hooks.after`). Here are these four lines, without
# their conditions:

# %% [markdown] exercise="13.1"
# Write `grad_norms(tensors, L)`: it calls `L.backward()`, once, and listens.
#
# {requirements}
#
# To try it:

# %% tags=["given"]
a = mg.tensor([1.0, 2.0], requires_grad=True)
c = a**2
d = (c * mg.tensor([3.0, 4.0])).sum()
# grad_norms({"a": a, "c": c, "d": d}, d) gives [("d", 1.0), ("c", 5.0), ("a", 17.088)], rounded.
# Run this cell again before a second try: the pass frees the graph.


# %% [markdown] exercise="13.2"
# Write `clip_at(h, limit)`: from now on, whenever a gradient arrives at `h`, it is clipped.
#
# {requirements}

# %% tags=["given"]
x = mg.tensor([1.0, 1.0], requires_grad=True)
h = x * 1
L = (h * mg.tensor([3.0, 4.0])).sum()
# After clip_at(h, 1.0) and L.backward(), x.grad is tensor([0.6, 0.8]).


# %% [markdown] exercise="13.3"
# Four hooks, and three passes. Which numbers stand in the four lists at the end? Write into the dict `calls`, for each key, the list,
# such as `[2.0, 3.0]`; an empty list is `[]`.
#
# Predict first. You may run the program afterwards.

# %% [markdown] exercise="13.4"
# In which order do the hooks come, and where does `retain_grad` stand among them? Write three numbers into the dict `order`:
# `h.grad` after the pass, the number that is printed, and `x.grad` after the pass.
#
# Predict first. You may run the program afterwards.

# %% [markdown] exercise="13.5"
# Write `first_nan(root)`. `root` is a scalar whose graph is there and has not been walked. Walk back from it.
#
# {requirements}

# %% tags=["given"]
from minigrad.course.helpers.graphs import nodes_of  # nodes_of(root): all nodes behind root, each once

x = mg.tensor([-1.0, 4.0], requires_grad=True)
root = (mg.where(x > 0, mg.sqrt(x * 2), 0.0) * 3).sum()
# first_nan(root) gives "SqrtBackward0". Run this cell again before a second try.


# %% [markdown] exercise="13.6"
# Now without the engine: log-softmax in NumPy, on a batch. `z` has shape (b, n): each **row** is an example of its own, with n
# scores. Write both functions of the class `LogSoftmax`.
#
# {requirements}
#
# Replace both `...`. `LogSoftmax.forward(z)` may be called in `vjp`.

# %% [markdown] exercise="13.7"
# Write `sqrt_or_zero(x)`: for x = (−1, 0, 4) the values are (0, 0, 2), the gradient of their sum (0, 0, 0.25).
#
# {requirements}

# %% [markdown] exercise="13.8"
# Two cups, two curves. In the table a reading is missing (NaN), and the second cup has gone down to the 20 °C of the room. The loss
# compares the logarithms of the degrees above 20, so a reading of 20 or less is of no use; `where` leaves it out. Run the program:
# the first loss is right, and after one step there are no numbers left.
#
# Find the node that makes the first NaN. Then write `misfit(hot, half, minutes, readings)`.
#
# {requirements}

# %% tags=["given"]
def loss_of(hot, half, minutes, readings):
    usable = readings > 20  # False for NaN
    curve = hot[:, None] * 0.5 ** (minutes / half[:, None])
    error = mg.log(curve) - mg.log(readings - 20)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


readings = mg.tensor([[88.0, 73.0, float("nan"), 57.0, 51.0], [71.0, 52.0, 39.0, 27.0, 20.0]])
minutes = mg.tensor([0.0, 3.0, 6.0, 9.0, 12.0])
hot, half = mg.tensor([60.0, 60.0], requires_grad=True), mg.tensor([15.0, 15.0], requires_grad=True)
for _ in range(2):
    loss = loss_of(hot, half, minutes, readings)
    hot.grad = half.grad = None
    loss.backward()
    with mg.no_grad():
        hot -= 100 * hot.grad
        half -= 20 * half.grad
    print(f"loss {loss.item():.3f}, then hot = {hot.tolist()}")
# With misfit in place of loss_of, 30 steps bring the loss to 0.031.
