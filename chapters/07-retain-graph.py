# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 07 · `retain_graph` and freed buffers
#
# **After this chapter you know what a graph keeps in memory, and why a second `backward()` raises. You know when
# `retain_graph=True` is the right answer, and when it hides the real mistake.**
#
# The curve of the tea should go along the points, and stay below 100 °C. Our guess begins at 110. So one curve has two
# losses; the second adds up the degrees above 100:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


hot, half = mg.tensor(90.0, requires_grad=True), mg.tensor(20.0, requires_grad=True)
curve = tea(hot, half)
((curve - degrees) ** 2).mean().backward()
with expect_error(RuntimeError, match="a second time"):
    mg.relu(curve - 100).sum().backward()

# %% [markdown]
# The second loss is refused at its very first pass. The message advises *Specify retain_graph=True*, and with it the
# program runs. But two programs of this chapter follow the advice and go wrong without an error: one gets slower with
# every step, the other runs past its goal. When is the advice right? Sections 3 and 4 answer.
#
# First you must know what a pass uses up. Below, one small computation is done twice. A pass has gone back from `used`,
# none from `full`.

# %%
a, b = (mg.tensor([0.0, 1.0], requires_grad=True) for _ in range(2))
used, full = ((mg.sin(mg.exp(t)) + t).sum() for t in (a, b))
used.backward()
viz.draw(used, full, view="keep", saved=True)

# %% [markdown]
# In the graph of `full`, a node whose rule needs numbers has packed a suitcase: `saved …`. In the graph of `used`, the
# pass has taken the arrays out of the suitcases, so they say *freed*. The sum keeps only a shape, which is not drawn.
# Leave *version* for chapter 11.
#
# | | |
# |---|---|
# | **Time** | 35 minutes to read and run, 45 minutes of exercises; 60 minutes for your engine, M3 |
# | **You need** | chapter 01; from chapter 06 that `backward` adds to `.grad`, and that `x.grad = None` clears it |
# | **You will** | say what an operation saves · predict whether a second pass survives · handle two losses in two ways, and choose · mend a loop that asks for `retain_graph` |
# | **If short of time** | sections 1 to 3, "Three ways this goes wrong", exercises 07.1, 07.2 and 07.4 |
#
# ## Predict first
#
# `x + x` and `2 * x` are the same numbers, with the same slope. Below, two passes go through each, and one of the two
# raises. Which, and why?

# %% tags=["guess"]
x = mg.tensor([1.0, 2.0], requires_grad=True)
for y in [x + x, 2 * x]:
    y.sum().backward()
    try:
        y.sum().backward()
        print(y.grad_fn.name(), "survived")
    except RuntimeError:
        print(y.grad_fn.name(), "raised")

# %% [markdown]
# ## 1 · What is saved
#
# To hand on a gradient, a node may need numbers from the forward pass. The slope of `x**2`, for example, is `2 * x`, so
# the node must know `x`. The slope of `exp` is its own result. But the slope of `x + w` is 1 whatever the numbers were,
# so there is nothing to remember.
#
# When the operation runs, its node saves what its rule needs. You can look into the suitcase, through the attributes
# that begin with `_saved_`:

# %%
x = mg.tensor([1.0, 2.0], requires_grad=True)
print((x**2).grad_fn._saved_self)
print(mg.exp(x).grad_fn._saved_result)
print((2 * x).grad_fn._saved_other)

# %% [markdown]
# That is why `2 * x` raised. The slope for `x` is 2, so the node keeps the 2, as a tensor with one entry. The slope for
# the 2 would be `x`, but nobody asks for it, so `x` is not kept.
#
# Here is what some more operations save. `self` is the first input, `other` the second; in `2 * x`, `x` is `self`:

# %%
def saved_tensors(node):
    names = [name for name in dir(node) if name.startswith("_saved_")]
    return [name for name in names if isinstance(getattr(node, name), mg.Tensor)]


w = mg.tensor([3.0, 4.0])
for code in ["x + w", "-x", "x.mean()", "x[:1]", "w * x", "x / 3", "x * x", "mg.sin(x)", "mg.tanh(x)", "mg.relu(x)"]:
    print(f"{code:12}", saved_tensors(eval(code).grad_fn))

# %% [markdown]
# The first four save no array: the mean needs only a shape, and the slice a position.
#
# Saving copies nothing. The suitcase holds the same array:

# %%
print((x**2).grad_fn._saved_self is x)

# %% [markdown]
# Yet an array in a suitcase stays in memory, even when no name of yours leads to it. Two helpers: `nodes_of(t)` lists
# all nodes behind `t`. `suitcase(node)` lists the arrays that a node keeps, each as its place in memory and its bytes.
# It leaves out plain numbers, which a node keeps too, such as the 3 below:

# %%
from minigrad.course.helpers.graphs import nodes_of, suitcase

big = mg.rand(500, 1000, requires_grad=True)
L = (mg.exp(mg.sin(big)) * 3).sum()
for node in nodes_of(L):
    print(f"{type(node).__name__:16}", [f"{size:,} bytes" for _, size in suitcase(node)])

# %% [markdown]
# The sine keeps `big`, which you hold anyway. But only the graph holds the result of `exp`, which has no name. A deep
# network has many such arrays.
#
# **Check yourself.** What does `x * y` save, when `x` requires grad and `y` is a constant?
#
# <details><summary>Answer</summary>Only y: the slope for x. The slope for y would be x, but nobody asks for it.</details>
#
# ## 2 · When it is freed
#
# Training makes a new graph in each step and needs it once. But `loss` holds the old graph until the *new* one is
# complete, so for a moment both would be in memory. The engine therefore cleans up without being asked: **a backward
# pass empties the suitcase of every node that it comes through**, unless you say otherwise.
#
# The nodes stay; only what they saved is given up. Go through a pass of the same program with three numbers, and look
# for *freed*. (The 3 is freed too, but *freed* lists only arrays.) Here grey means *has fired*; in the other pictures it
# means *emptied*.

# %%
small = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
viz.steps((mg.exp(mg.sin(small)) * 3).sum())

# %% [markdown]
# Back to `L`. After its pass all five lists are empty:

# %%
L.backward()
print([suitcase(node) for node in nodes_of(L)])
print(big.grad.shape)

# %% [markdown]
# A second pass raises at the first node whose suitcase was emptied. That was the error at the top of this page. The
# notes below PyTorch's message name the node and the pass that has freed it.
#
# *You* get the same error when you look into an empty suitcase. Below, `mg.autograd.grad` has emptied it. That call
# returns the gradient and leaves `.grad` alone, but frees as `backward` does:

# %%
y = x**2
mg.autograd.grad(y.sum(), x)
with expect_error(RuntimeError, match="a second time", short=True):
    y.grad_fn._saved_self

# %% [markdown]
# Only the nodes that the pass *came through* are freed. Below, two losses come from the same `h`, and a pass
# from the first has been made.
#
# **Check yourself.** At which node would a pass from `l2` raise?

# %% tags=["guess"]
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = mg.exp(x)
l1, l2 = (h**2).sum(), mg.sin(h).sum()
l1.backward()
viz.draw(l1, l2, view="keep", saved=True)

# %% [markdown]
# <details><summary>Why</summary>The sine still has its suitcase, but a pass from l2 must go on through the exponential, and that one
# was emptied by the pass from l1.</details>
#
# **Losses that share nodes share their suitcases. What the first pass has emptied, the second finds empty.**
#
# ## 3 · Two losses, two right ways
#
# Two losses may hang on one trunk: the curve of the tea, or a network with two heads.
#
# **You want the sum of both gradients: add the losses.** The tea needs the sum, so one pass goes back through the
# shared curve, and nothing must be retained. Compare two passes, of which the first retains:

# %%
hot.grad = half.grad = None
curve = tea(hot, half)
(((curve - degrees) ** 2).mean() + mg.relu(curve - 100).sum()).backward()
print(f"one pass:    hot: {hot.grad:.1f}   half: {half.grad:.1f}")

hot.grad = half.grad = None
curve = tea(hot, half)
((curve - degrees) ** 2).mean().backward(retain_graph=True)
mg.relu(curve - 100).sum().backward()
print(f"two passes:  hot: {hot.grad:.1f}   half: {half.grad:.1f}")

# %% [markdown]
# Both give the same, but the two passes walk through the curve twice.
#
# **You want each gradient for itself: make two passes.** The first must leave the trunk intact for the second, so
# `retain_graph=True` belongs to **every pass but the last**:

# %%
x = mg.tensor([0.0, 0.5], requires_grad=True)
h = mg.exp(x)
l1, l2 = (h**2).sum(), mg.sin(h).sum()
l1.backward(retain_graph=True)
g1 = x.grad
x.grad = None
l2.backward()
print(g1, x.grad)

# %% [markdown]
# `retain_graph=True` holds only for the call in which it stands.
#
# **Check yourself.** Which nodes are freed now, after both passes?

# %% tags=["guess", "cover"]
viz.draw(l1, l2, view="keep", saved=True)

# %% [markdown]
# <details><summary>Why</summary>All suitcases that the second pass came to, and only those. The square of the first head was
# retained, and its array stays in memory for as long as you hold l1.</details>
#
# Had the last call retained too, all suitcases would stay full, and no error would say so.
#
# **Check yourself.** If `l1` and `l2` share only the leaf `x`, and no operation, must the first call retain?
#
# <details><summary>Answer</summary>No. Each loss has nodes of its own, and a leaf has no suitcase.</details>
#
# ## 4 · A loop that asks for it
#
# A network that reads a text word by word carries a state `h` from step to step. Below, each step has a loss:

# %%
w, h = mg.tensor(0.5, requires_grad=True), mg.tensor(1.0)
with expect_error(RuntimeError, match="a second time", short=True):
    for _ in range(3):
        h = mg.tanh(w * h)
        ((h - 3) ** 2).backward()

# %% [markdown]
# The second step's `h` was computed from the first step's, so the second pass walks on into the graph of the first.
# Either of two changes makes it run: `retain_graph=True`, or one more line, `h = h.detach()`:

# %%
def run(steps, retain):
    w, h, nodes = mg.tensor(0.5, requires_grad=True), mg.tensor(1.0), []
    for _ in range(steps):
        h = mg.tanh(w * h)
        loss = (h - 3) ** 2
        loss.backward(retain_graph=retain)
        nodes.append(len(nodes_of(loss)))
        h = h if retain else h.detach()
    return nodes, round(w.grad.item(), 2)


print(run(6, retain=True))
print(run(6, retain=False))

# %% [markdown]
# The lists count the nodes behind each loss, and the last number is `w.grad`. With `retain_graph=True` h keeps its
# history: each step adds two nodes, each pass walks back to step 1, and nothing is freed. With `detach` the numbers go
# on, but the history does not.
#
# The gradients differ. With `detach`, the shortest form of *truncated* backpropagation, each loss reaches its own step
# only: that is cheap, but how a step acts on later losses is lost. Without it each reaches back through all steps.
#
# To reach back through all steps, without changing `w` between them, you need no `retain_graph` either. Sum the losses
# and go backward once, and the number is that of the six retained passes:

# %%
w, h, total = mg.tensor(0.5, requires_grad=True), mg.tensor(1.0), 0.0
for _ in range(6):
    h = mg.tanh(w * h)
    total = total + (h - 3) ** 2
total.backward()
print(round(w.grad.item(), 2))

# %% [markdown]
# So before you type `retain_graph=True`, ask: **which two passes share which nodes, and do I want them to?**
#
# <details><summary><b>A look ahead</b>, for exercise 07.6: <code>create_graph</code> keeps too</summary>
#
# `create_graph=True` gives the gradient a graph of its own (chapter 08). It **also retains** the old graph, unless you say
# `retain_graph=False`. Without `create_graph` the gradient is a plain tensor.
#
# </details>
#
# ## Three ways this goes wrong
#
# **1. The forward stands outside of the loop.** The graph is made once and walked in each round, but the first pass
# frees it:

# %%
w = mg.tensor(1.0, requires_grad=True)
loss = (w * 2 - 6) ** 2
with expect_error(RuntimeError, match="a second time", short=True):
    for _ in range(3):
        loss.backward()

# %% [markdown]
# With `retain_graph=True` it is worse: nothing tells you. The square has saved the −4 of the first round, so each round
# gives the slope at the *first* `w`; `w * 2` saved no `w`, so no check notices the writes. Below, the goal is w = 3, and
# `w` runs past it:

# %%
w = mg.tensor(1.0, requires_grad=True)
loss = (w * 2 - 6) ** 2
for _ in range(3):
    w.grad = None
    loss.backward(retain_graph=True)
    with mg.no_grad():
        w -= 0.125 * w.grad
    print("slope", w.grad.item(), "  w is now", w.item())

# %% [markdown]
# Move the forward into the loop.
#
# **2. One error is traded for another.** Below, the loop of section 4 retains, and updates `w` after each pass. In step 1
# `h` is a constant, so `w * h` saved no `w`, and step 2 goes well. But the `w * h` of step 2 saved `w` after one write.
# When the pass of step 3 gets there, `w` has had two, so the engine raises:

# %%
w, h = mg.tensor(0.5, requires_grad=True), mg.tensor(1.0)
with expect_error(RuntimeError, match="modified by an inplace operation"):
    for _ in range(3):
        h = mg.tanh(w * h)
        ((h - 3) ** 2).backward(retain_graph=True)
        with mg.no_grad():
            w -= 0.01 * w.grad

# %% [markdown]
# The cure is the same `detach`.
#
# **3. A pass that raised is half done.** What it did until then is not taken back, so a program that catches the error
# goes on with half of the gradients. Below, the pass from `l2` has already written `b.grad` when it comes to the
# exponential:

# %%
a, b = (mg.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
h = mg.exp(a)
l1, l2 = h.sum(), (b * h).sum()
l1.backward()
before = a.grad.clone()
with expect_error(RuntimeError, match="a second time", short=True):
    l2.backward()
print("b.grad:", b.grad, "  a.grad as before:", mg.equal(a.grad, before))

# %% [markdown]
# ## In PyTorch
#
# The same lines:
#
# ```python
# import torch
#
# x = torch.tensor([1.0, 2.0], requires_grad=True)
# y = (x**2).sum()
# y.grad_fn.next_functions[0][0]._saved_self     # tensor([1., 2.], requires_grad=True)
# y.backward(retain_graph=True)
# y.backward()
# x.grad                                         # tensor([4., 8.])
# y.backward()                                   # RuntimeError: Trying to backward through the graph a second time …
# ```
#
# In PyTorch 2.13 the same is saved and freed, and a pass that raised leaves the same behind. Only the notes below the
# message, `nodes_of` and `suitcase` belong to this course.
#
# ## Key points
#
# * A node saves what its rule needs: inputs, its result, a constant, or nothing. `2 * x` saves its 2.
# * Unless it is told to retain, a backward pass gives up the saved tensors of every node that it comes through.
#   `autograd.grad` too.
# * The second pass raises at the first suitcase that was emptied. A graph that saved no tensor survives.
# * Two losses on one trunk: add them. For the gradients *apart*, retain in every pass but the last.
# * In a loop, `retain_graph=True` hides that a pass walks into an older graph. Cut with `detach`, or compute the forward again.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `y = (x / 10).mean()`. Does a second `y.backward()` raise?
#
# <details><summary>Answer</summary>Yes. The mean saves only a shape, but the division saves its 10 as a tensor, and the first pass has freed it.</details>
#
# **2.** `y.backward(); y.backward(retain_graph=True)`. Why does this not help?
#
# <details><summary>Answer</summary>The first call frees the graph. retain_graph asks a call not to free; it brings nothing back.</details>
#
# **3.** You want the gradient of `l1 + 10 * l2`, on one trunk. How many passes, and what is retained?
#
# <details><summary>Answer</summary>One pass, from the weighted sum, and nothing is retained. Or a list of roots with the weights 1 and 10.</details>
#
# **4.** A training loop gets slower with every step and needs more and more memory. It has `retain_graph=True`. What do
# you look for?
#
# <details><summary>Answer</summary>A tensor with a history that is carried from one step into the next: a hidden state or a running total. That is the place to cut, with detach.</details>
#
# **5.** After `g, = mg.autograd.grad(y, x, create_graph=True)`, may `y.backward()` follow?
#
# <details><summary>Answer</summary>Yes. create_graph=True keeps the graph of y, unless you add retain_graph=False.</details>

# %% [markdown]
# ## Your engine: M3, the contract
#
# Now your engine keeps the promises of the chapters so far, and refuses the rest: what a leaf is (chapter 01), what
# `backward` refuses (04), that `.grad` is added to (06), and that a graph is freed.
#
# * **Write** `.is_leaf`, `requires_grad = …`, `retain_graph`, and the errors for M3 in
#   [the table](93-your-engine.ipynb). Exercise 16.3.
# * **Think first:** what can be refused before the walk begins? A call that is refused for its v leaves every `.grad` as it was.
# * **Two sittings** of half an hour: first leaves and accumulation, then freeing and the errors.
# * **Not done with M2?** `start("16", upto="M2")`.

# %%
from minigrad.course import conformance

conformance("my_engine.py", "M3")

# %% [markdown] engine="core/tape.py:OpNode._release" cut="# a node that saved no operand is never freed, as in PyTorch; a number is one"
# ## In the engine
#
# This empties the suitcase. The walk calls it for every node that it has run, unless you said `retain_graph=True`.
# `GONE` takes the place of each saved tensor, with a note of who freed it, so a later error can tell you.

# %% [markdown]
# ## Extra: another way to pack
#
# No exercise needs this, and its five minutes are not counted above.
#
# What if the suitcases do not fit into memory? Two *hooks*, functions of yours that the engine calls, decide what goes
# into them. What the first returns for an array is kept instead of it. The second turns that into an array again when
# backward asks. Here the first only counts:

# %%
packed = []


def count(t):
    packed.append(t.numel())
    return t


def five_sines(t):
    for _ in range(5):
        t = mg.sin(t)
    return t


x = mg.linspace(0, 1, 1000, requires_grad=True)
with mg.autograd.graph.saved_tensors_hooks(count, lambda kept: kept):
    y = five_sines(five_sines(five_sines(five_sines(x))))
print(f"{sum(packed):,} numbers are kept")
y.sum().backward()
exact = x.grad

# %% [markdown]
# Twenty sines keep twenty arrays of a thousand numbers. Fewer digits could be kept instead: float16 takes half of the
# memory.

# %%
x.grad = None
with mg.autograd.graph.saved_tensors_hooks(lambda t: t.to(mg.float16), lambda kept: kept.to(mg.float32)):
    y = five_sines(five_sines(five_sines(five_sines(x))))
y.sum().backward()
print("as good to three digits:", mg.allclose(x.grad, exact, atol=1e-3), "  the same:", mg.equal(x.grad, exact))

# %% [markdown]
# Or you keep nearly nothing. **Checkpointing** keeps only what goes into each piece of the program, and when backward
# comes, computes the piece once more, this time with a record. The gradient at the piece's end is the cotangent `g` of
# its pass:

# %%
starts = [x.detach()]
with mg.no_grad():
    for _ in range(3):
        starts.append(five_sines(starts[-1]))
    y = five_sines(starts[-1])
print(f"{sum(t.numel() for t in starts):,} numbers are kept")

g = mg.ones(1000)
for t in reversed(starts):
    packed.clear()
    with mg.autograd.graph.saved_tensors_hooks(count, lambda kept: kept):
        again = five_sines(t.requires_grad_())
    (g,) = mg.autograd.grad(again, t, g)
print(f"{sum(packed) - t.numel():,} more while a piece goes back; the same gradient: {mg.equal(g, exact)}")

# %% [markdown]
# While the forward runs, a fifth of the memory is enough, but every sine is computed twice. PyTorch has this as
# `torch.utils.checkpoint`.

# %% [markdown] exercise="07.1"
# What happens in the second of two passes? Each call of `twice` below is run by itself. Write into the dict `second_pass`,
# for each letter, one of two words:
#
# * `"survives"`: both passes run.
# * `"raises"`: the second pass raises *Trying to backward through the graph a second time …*
#
# `y` is summed up first, so that it is a scalar; you know already what the sum saves. Predict first. You may run the lines
# afterwards.

# %% [markdown] exercise="07.2"
# Two heads on one trunk, and this time the gradients are wanted apart:
#
# ```text
#                  ┌──► head1 ──► l1
# x ──► trunk ──► h
#                  └──► head2 ──► l2
# ```
#
# Write `three_gradients(x, trunk, head1, head2)`.
#
# {requirements}

# %% tags=["given"]
x = mg.tensor([0.0, 1.0], requires_grad=True)


def trunk(x):
    return mg.exp(x)


def head1(h):
    return (h**2).sum()


def head2(h):
    return 10 * h[0]


# three_gradients(x, trunk, head1, head2) must be about (2, 14.78), (10, 0) and (12, 14.78).
# Run this cell again before a second try: it makes a new leaf, whose grad is None.

# %% [markdown] exercise="07.3"
# What does a graph weigh? Write `saved_bytes(root)`: the bytes of all arrays that the nodes behind `root` keep in their suitcases.
#
# {requirements}

# %% tags=["given"]
from minigrad.course.helpers.graphs import suitcase

x, y = (mg.tensor([1.0, 2.0, 3.0], requires_grad=True) for _ in range(2))
L = (x * y).sum() + mg.sin(x).sum()
print(suitcase((2 * x + 1).grad_fn), [size for _, size in suitcase((x * y).grad_fn)])
# saved_bytes(L) must be 24: x and y, with 3 numbers of 4 bytes each. The sine keeps x once more.

# %% [markdown] exercise="07.4"
# The loop below raises in its second step: *Trying to backward through the graph a second time*. Mend it.
#
# `step(w, h, x)` computes the next state from the weight, the state and an input. `loss_of(h)` is the loss of a state, of shape
# `()`. Each loss counts **through its own step only**: for the loss of step 3, the state that came out of step 2 is a constant.
#
# {requirements}

# %% tags=["given"]
w, h, xs = mg.tensor(0.5, requires_grad=True), mg.tensor(1.0), [mg.tensor(0.3), mg.tensor(-0.2), mg.tensor(0.1)]


def step(w, h, x):
    return mg.tanh(w * h + x)


def loss_of(h):
    return (h - 3) ** 2


# learn(w, h, xs, step, loss_of) must be about 0.164, and leave about -7.08 in w.grad.
# Run this cell again before a second try: it makes a new w, whose grad is None.

# %% [markdown] exercise="07.5"
# Three programs, one error: *Trying to backward through the graph a second time (or directly access saved tensors after they
# have already been freed)*. Write them as the three functions of the class `Doors`. Each gets a leaf `x` of shape (n,) whose
# `.grad` is None, and each must raise:
#
# {requirements}

# %% [markdown] exercise="07.6"
# Best after chapter 08. `retain_graph` or `create_graph`: what does each call leave behind? Each line below is run by
# itself. Write into the dict `ends`, for each letter, one of three words:
#
# * `"ok"`: no error.
# * `"freed"`: RuntimeError, *Trying to backward through the graph a second time …*
# * `"no graph"`: RuntimeError, *element 0 of tensors does not require grad and does not have a grad_fn*.
#
# `grad(L, x)` returns a tuple with one gradient. Predict first. You may run the lines afterwards.
