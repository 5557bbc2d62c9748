# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 06 · Accumulation and zeroing
#
# **`backward` adds to `.grad`, and never clears it. After this chapter you use that on purpose, and are no longer caught by it.**
#
# Below, the hundred steps of the [first page](00-tea.ipynb) run twice. The second time one line is missing, and nothing
# complains:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


def hundred_steps(clear):
    hot, half = (mg.tensor(guess, requires_grad=True) for guess in (50.0, 20.0))
    seen = []
    for _ in range(100):
        if clear:
            hot.grad = half.grad = None
        loss = ((tea(hot, half) - degrees) ** 2).mean()
        loss.backward()
        with mg.no_grad():
            hot -= 0.2 * hot.grad
            half -= 0.2 * half.grad
        seen.append(loss.item())
    return seen


viz.losses({"as it was": hundred_steps(clear=True), "without .grad = None": hundred_steps(clear=False)})

# %% [markdown]
# Without the line the loss swings, and after a hundred steps it is larger than at the start. A simpler loss shows why:
# $w^2$, from w = 5. Below are thirty steps `w -= 0.2 * w.grad`, each after a new pass, with `w.grad = None` before the
# pass and without:

# %%
from minigrad.course.helpers.ch06 import descents

descents()

# %% [markdown]
# The blue run clears, and w falls to 0. The orange run does not, so w swings. In the second panel each mark is one step:
# across is w, upward the `w.grad` that moves w. Here are the orange run's first five steps. Compare the slope with
# `w.grad`:

# %%
w = mg.tensor(5.0, requires_grad=True)
for _ in range(5):
    (w**2).backward()
    print(f"at {w.item():5.2f} the slope is {2 * w.item():5.2f}, but w.grad is {w.grad.item():5.2f}")
    with mg.no_grad():
        w -= 0.2 * w.grad

# %% [markdown]
# `w.grad` is the **sum** of all slopes so far. So it goes on pushing after w has passed the lowest point, until enough
# slopes of the other sign have come.
#
# Two steps have brought w to −0.2, past the minimum; with clearing it would be at 1.8. So a loop that never clears may
# at first seem to learn *faster*.
#
# | | |
# |---|---|
# | **Time** | 25 minutes to read and run, 40 minutes of exercises |
# | **You need** | chapter 01: leaves, `.grad`, the graph |
# | **You will** | keep the books of `.grad` in your head · tell None from 0 · add up the gradient of a large batch from small ones · copy a gradient that must not change · find the line that keeps every old graph alive |
# | **If short of time** | sections 1, 2 and 5, exercises 06.1, 06.3 and 06.5 |

# %%
from minigrad.course import expect_error
from minigrad.course.helpers.ch06 import shares
from minigrad.course.helpers.graphs import nodes_of

w = mg.tensor(3.0, requires_grad=True)

# %% [markdown]
# ## Predict first
#
# What is `w.grad` at the start, after each of the two passes in the loop, and at the end? Write down four answers.

# %% tags=["guess"]
print("The four answers:", w.grad, sep="\n")
for loss in (2 * w, w**2):
    loss.backward()
    print(w.grad)
w.grad.zero_()
(5 * w).backward()
print(w.grad)

# %% [markdown]
# <details><summary>Why these four</summary>None, 2, then 2 + 6 = 8, and 0 + 5. If you wrote 6 in the third place, read
# on.</details>
#
# ## 1 · Plus, not equals
#
# A node waits at each leaf that requires grad: AccumulateGrad. It **adds** the gradient that arrives to `.grad`. In
# Python that is `leaf.grad += g`, where None counts as nothing.
#
# Why add? So that a batch too large for memory can come in pieces (section 3). And where a model has two losses,
# two calls of `backward` leave the gradient of their sum:

# %%
w.grad = None
((w - 1) ** 2).backward()
(10 * w).backward()
print("two passes:", w.grad)
w.grad = None
((w - 1) ** 2 + 10 * w).backward()
print("one pass:  ", w.grad)

# %% [markdown]
# So gradients are added in two places: **within** a pass, where a tensor is used several times (chapter 01), and
# **across** passes, in `.grad`. Below, `w.grad` holds 10 from a pass before, and in this pass 6 and 4 meet at `w`. Grey
# means *has fired*:

# %%
w = mg.tensor(3.0, requires_grad=True)
(10 * w).backward()
square = w**2
line = 4 * w
loss = square + line
viz.steps(loss)

# %% [markdown]
# Adding within a pass is part of the chain rule. Adding across passes is wanted only sometimes, and otherwise you must
# clear.
#
# ## 2 · None is not zero
#
# There are two ways to clear:
#
# | | `w.grad = None` | `w.grad.zero_()` |
# |---|---|---|
# | `.grad` is then | None | the same Tensor, filled with 0 |
# | the next `backward` | stores | adds to the 0 |
# | says | *nothing has come here* | *the sum is 0* |
#
# The next gradient is the same in both, but code that *looks* at `.grad` sees the difference. A leaf that a pass does
# not reach keeps its None, while a leaf that is reached with slope 0 gets a 0:

# %%
a, b, c = (mg.tensor(value, requires_grad=True) for value in (-1.0, 2.0, 3.0))
(mg.relu(a) + b).backward()  # relu is flat left of 0; c has no part in it
print(a.grad, b.grad, c.grad)

# %% [markdown]
# An **optimizer** makes the steps for you. The plainest, `SGD` or *stochastic gradient descent*, does what our loop
# does: w −= lr · w.grad.
#
# With **momentum** μ, `SGD` keeps a sum s: each step sets s to μ · s + w.grad, then w −= lr · s. If μ is below 1, an old
# gradient goes on pushing, but a little less each time. With μ = 1, s is the `w.grad` of the loop that forgets to clear.
#
# Where `.grad` is None, an optimizer **skips** the parameter. Where it is 0, the step is made, and s still pushes.
# Below, a real gradient moves p from 1 to 0.50. Then `zero_grad` clears, once with None and once with zeros, and a
# second step follows:

# %%
for to_none in (True, False):
    p = mg.tensor(1.0, requires_grad=True)
    sgd = mg.optim.SGD([p], lr=0.1, momentum=0.9)
    (5 * p).backward()
    sgd.step()
    sgd.zero_grad(set_to_none=to_none)
    sgd.step()
    print(f"set_to_none={to_none!s:5}  p = {p.item():.2f}")

# %% [markdown]
# With None the second step changed nothing. With zeros s became 0.9 · 5 + 0, and p went on: 0.50 − 0.1 · 4.5 = 0.05.
#
# If you clear with zeros, **write** them. `w.grad *= 0` looks the same, but keeps a nan:

# %%
p.grad = mg.tensor(float("nan"))
p.grad *= 0
print("times 0:", p.grad)
print("zero_():", p.grad.zero_())

# %% [markdown]
# So nan would be in every later sum.
#
# **Check yourself.** A model has a part that the loss of this batch did not use. What do you see in the `.grad` of its
# parameters, if you clear with None, and if you clear with zeros?
#
# <details><summary>Answer</summary>With None: None. With zeros: 0 if an earlier batch has reached them, and None if none ever has. So a 0 no longer tells you
# whether this batch used them.</details>
#
# ## 3 · Adding up on purpose
#
# A **batch** is the part of the data that one step looks at. Say it has nineteen rows, but only eight fit into memory at once. So
# cut it into **micro-batches**, go backward through each, and let `.grad` add up.
#
# The loss is a **mean** over rows, here of $(w - \text{row})^2$. First comes the whole batch, then the sum after each
# chunk:

# %%
rows = mg.arange(1.0, 20.0)
chunks = rows[:8], rows[8:16], rows[16:]
w = mg.tensor(20.0, requires_grad=True)
((w - rows) ** 2).mean().backward()
print("the whole batch:", w.grad)
w.grad = None
for chunk in chunks:
    ((w - chunk) ** 2).mean().backward()
    print("so far:", w.grad)

# %% [markdown]
# The gradients of three means were added: 31, 15 and 4. Their sum of 50 is too much, so each must count less. By a
# third, or by its share of the **rows**, 8/19, 8/19 and 3/19? Below, each bar adds up one way:

# %%
ways = {"in full": [1, 1, 1], "a third each": [1 / 3] * 3, "by rows": [8 / 19, 8 / 19, 3 / 19]}
shares(ways, {"first 8 rows": 31, "next 8": 15, "last 3": 4}, right=20)

# %% [markdown]
# A third each is wrong. A row of a large chunk then counts 1/3 · 1/8, but a row of the small one 1/3 · 1/3, almost
# three times as much. By the share of the rows each row counts 1/19:

# %%
w.grad = None
for chunk in chunks:
    loss = ((w - chunk) ** 2).mean() * (len(chunk) / len(rows))
    loss.backward()
print(f"by rows: {w.grad.item():.4f}")

# %% [markdown]
# **Check yourself.** A hundred rows in four chunks of 25. By what do you multiply each mean? And if the loss were the **sum**
# over rows?
#
# <details><summary>Answer</summary>By ¼: where all chunks have one size, the share of the rows is 1 / number of chunks. Sums need no factor, they add up.</details>
#
# ## 4 · One Tensor, several names
#
# **Check yourself.** To plot the gradients of a run, a loop keeps each `w.grad` in a list. It clears with `zero_()`. What is in
# the list at the end?

# %% tags=["guess"]
history, w.grad = [], mg.tensor(0.0)
for slope in (1, 2, 3):
    w.grad.zero_()
    (slope * w).backward()
    history.append(w.grad)
print("The history:", [g.item() for g in history], sep="\n")

# %% [markdown]
# The list holds one Tensor three times, with the last number. Where there is a `.grad`, a plain `backward()` adds
# **into** it, in place, so all its names show the sum:

# %%
w.grad = None
(3 * w).backward()
g, copy = w.grad, w.grad.clone()
(4 * w).backward()
print(g is w.grad, g, copy)

# %% [markdown]
# ```text
#   w.grad ──►┌───────┐
#             │ 3 + 4 │ ◄── g         one Tensor, two names
#             └───────┘
#             ┌───────┐
#             │   3   │ ◄── copy      a Tensor of its own
#             └───────┘
# ```
#
# `w.grad = None` takes away one of the names. So the next `backward` stores a new Tensor, and `g` keeps the old one:

# %%
w.grad = None
(5 * w).backward()
print(g is w.grad, g, w.grad)

# %% [markdown]
# So with `w.grad = None` the list would be right. With `w.grad.clone()` it is right however the loop clears.
#
# ## 5 · The total that remembers everything
#
# Many loops add up their losses, to print the average. `total += loss` looks like bookkeeping, but the engine records
# this addition. Look how much hangs on `total` after two steps:

# %%
w, total = mg.tensor(2.0, requires_grad=True), 0.0
for target in (1, 5):
    loss = (w - target) ** 2
    loss.backward()
    total += loss
viz.draw(total, view="keep")

# %% [markdown]
# Both graphs hang on `total`. Here grey means *freed*, see chapter 07. A `const` is a plain number: a target, or the
# 0.0 with which `total` began.
#
# How fast does the graph grow? `nodes_of` lists the nodes behind `total`, and the first loop counts them after each
# step. The second adds up plain numbers instead:

# %%
total, counts = 0.0, []
for target in range(5):
    total += (w - target) ** 2
    counts.append(len(nodes_of(total)))
print("nodes behind", total, counts)
total = 0.0
for target in range(5):
    total += ((w - target) ** 2).item()
print("a float, with nothing behind it:", total)

# %% [markdown]
# So add `loss.item()`, a float. Where the total is to stay a Tensor, add `loss.detach()`.
#
# A loop that only *measures* leaks even more: no `backward` frees the arrays in its graphs (chapter 07). Measure under
# `mg.no_grad()`, where no graph is made.
#
# **Check yourself.** Somebody writes `losses.append(loss)` in the loop, and `sum(losses).item()` after it. Does that leak?
#
# <details><summary>Answer</summary>Yes, as long as the list lives: each loss in it holds its graph. Append
# loss.item().</details>
#
# ## Three ways this goes wrong
#
# Forgetting to clear raises nothing. These do:
#
# **1. None just before the step.** There is nothing to step with.

# %%
((w - 1) ** 2).backward()
w.grad = None
with expect_error(TypeError, match="NoneType"), mg.no_grad():
    w -= 0.1 * w.grad

# %% [markdown]
# **2. `zero_()` before the first `backward`.** There is nothing to write into.

# %%
with expect_error(AttributeError, match="zero_"):
    w.grad.zero_()

# %% [markdown]
# **3. Backward through the total.** The total leads back into the graphs of losses that have gone backward already, and
# what their nodes had saved is freed (chapter 07).

# %%
total = 0.0
for target in (1, 5):
    loss = (w - target) ** 2
    loss.backward()
    total += loss
with expect_error(RuntimeError, match="a second time"):
    total.backward()

# %% [markdown]
# Decide: go backward through each loss and keep its number, or add up the losses and go backward once.
#
# ## In PyTorch
#
# The same lines, and the same numbers:
#
# ```python
# import torch
#
# w = torch.tensor(3.0, requires_grad=True)
# (2 * w).backward()
# (w**2).backward()
# w.grad                                    # tensor(8.)
# ```
#
# Write `import torch as mg`, and in PyTorch 2.13 every cell gives the same. Only the pictures and the notes below
# errors are `minigrad`'s.
#
# Where the clearing stands in real programs:
#
# ```python
# for batch in loader:
#     optimizer.zero_grad()                 # or model.zero_grad(); both set None unless set_to_none=False
#     loss = loss_of(model, batch)
#     loss.backward()
#     optimizer.step()
#     total += loss.item()
# ```
#
# ## Key points
#
# * `backward` **adds** to `.grad`. Several passes without a step between them give the gradient of the sum of their losses.
# * You clear `.grad`: once for each step, before its first `backward`. Forgetting raises nothing.
# * **None** says that nothing came, **0** that the sum is 0. Optimizers skip None. Write zeros, do not multiply by 0.
# * The mean over a batch is the sum of the chunks' means, each times its **share of the rows**.
# * The next `backward` changes the Tensor in `.grad` in place. To keep the numbers, keep `.grad.clone()`.
# * `total += loss` keeps every graph alive. Add up `loss.item()`.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `w` is 4, `w.grad` is None. After `(w**2).backward()`, `(w**2).backward()` and `(3 * w).backward()`, what is `w.grad`?
#
# <details><summary>Answer</summary>8 + 8 + 3 = 19.</details>
#
# **2.** In `loss = w * x + w`, `w` is used twice. Must anything be cleared before `loss.backward()` so that both uses count?
#
# <details><summary>Answer</summary>No. Within one pass messages are always added up. Clearing is about what earlier passes left in .grad.</details>
#
# **3.** A batch of 10 rows comes in chunks of 6 and 4, the loss is a mean. What do you multiply the two losses by?
#
# <details><summary>Answer</summary>By 0.6 and 0.4. Half each would give each row of the small chunk too much weight.</details>
#
# **4.** `old = w.grad`, then another `backward`, then `w.grad - old`. What comes out, and what was probably meant?
#
# <details><summary>Answer</summary>0: both names stand for one Tensor. Meant was old = w.grad.clone(), and then the difference is the new gradient.</details>
#
# **5.** A training uses a little more memory in every step, until it dies. Which line do you look for?
#
# <details><summary>Answer</summary>One that keeps a result from each step: total += loss, losses.append(loss), a dict of outputs. Keep item(), detach() or a copy.</details>

# %% [markdown] engine="core/tape.py:AccumulateGrad.accumulate" first="present = variable" last="present._array, g, present._array" keep="present =|if recorded|_grad = wrap|elif|else:|bump|np.add"
# ## In the engine
#
# This is the addition of this chapter. The first gradient is stored, as a copy where somebody else may hold it. Under
# `create_graph=True` the sum is recorded. Otherwise the gradient is added in place, so everybody who holds `w.grad`
# sees the change. `bump` counts this write, for chapter 11.

# %% [markdown] exercise="06.1"
# Keep the books. What does `w.grad` hold **after** each of the nine lines? Write a number or `None` for each letter into the dict `grads`.
#
# The slopes: k for `k * w`, 2w for `w**2`, 1 + k for `w + k * w`. Predict first. You may run the program afterwards.

# %% [markdown] exercise="06.2"
# Write `accumulate(mean_loss, w, chunks)`. It leaves in `w.grad` the gradient of the mean loss over **all rows** of all chunks.
#
# {requirements}
#
# The nineteen rows of section 3, for a try:

# %% tags=["given"]
w = mg.tensor(20.0, requires_grad=True)
rows = mg.arange(1.0, 20.0).reshape(19, 1)
chunks = [rows[:8], rows[8:16], rows[16:]]


def mean_loss(w, chunk):
    return ((w - chunk) ** 2).mean()


# accumulate(mean_loss, w, chunks) must leave 20 in w.grad, also when it is called twice.


# %% [markdown] exercise="06.3"
# Write `zero_grad(params, set_to_none=True)`. It clears the gradients, as the method of an optimizer does.
#
# {requirements}

# %% tags=["given"]
reached, bad, not_reached = (mg.ones(2, requires_grad=True) for _ in range(3))
reached.grad, bad.grad = mg.tensor([1.0, 2.0]), mg.tensor([float("nan"), 3.0])
# After zero_grad([reached, bad, not_reached], set_to_none=False): two gradients of zeros, and None.

# %% [markdown] exercise="06.4"
# Write `snapshot(params)`: the gradients as they are at this moment, in a list or a tuple with one entry for each parameter.
#
# {requirements}

# %% tags=["given"]
p, q = mg.ones(2, requires_grad=True), mg.ones(3, requires_grad=True)
(5 * p).sum().backward()
# snapshot([p, q]) must be [tensor([5., 5.]), None], and stay so after another (5 * p).sum().backward().

# %% [markdown] exercise="06.5"
# The function below trains `w` and returns the average of the losses. It gives the right numbers, and it leaks: while it runs, the graphs of
# **all** steps pile up in memory, and what it returns still holds them.
#
# Repair it.
#
# {requirements}

# %% [markdown] exercise="06.6"
# A proposal: *people forget to clear, so let `backward()` do it*. That is: before each pass, set to None the `.grad` of every
# leaf **in the graph of this pass**, and then go as usual.
#
# Each of the eight blocks below is run by itself, after the first three lines. Compare the world as it is with the world of the
# proposal: at the end, are `w`, `v` and their `.grad` the same? Write into the dict `verdicts`, for each letter, `"same"`, or
# `"breaks"` if any of them differs.
