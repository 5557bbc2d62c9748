# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 08 · `autograd.grad`: ask for the gradient that you want
#
# **After this chapter you can ask for the gradient of any tensor in a graph, have it handed to you instead of written
# into `.grad`, and differentiate it once more.**
#
# You are fitting the tea: the slopes of the loss are in `.grad`, ready for the next step. But first you want to know
# how much the temperature after ten minutes depends on `half`. That is a slope, so you call `backward`:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


hot, half = mg.tensor(50.0, requires_grad=True), mg.tensor(20.0, requires_grad=True)
((tea(hot, half) - degrees) ** 2).mean().backward()
print(f"before the question: hot {hot.grad:.2f}, half {half.grad:.2f}")
(20 + hot * 0.5 ** (10 / half)).backward()
print(f"after it:            hot {hot.grad:.2f}, half {half.grad:.2f}")

# %% [markdown]
# `backward` added the answer to the slopes of the loss, so the next step would be wrong. A question should change
# nothing, and section 1 shows how.
#
# Nor should a small question walk the whole graph. The graph below has three leaves, and you ask for the gradient for
# `x` alone. The thick arrows are what the engine walks:

# %%
x, w = (mg.tensor(values, requires_grad=True) for values in ([1.0, 2.0, 3.0], [0.5, -1.0, 2.0]))
b = mg.tensor(0.0, requires_grad=True)
h = w * x
L = (h**2).sum() + mg.exp(b)
viz.draw(L, view="keep", inputs=[x])

# %% [markdown]
# They are **the paths from `L` to `x`, and nothing else.** `backward()` would have walked all arrows.
#
# | | |
# |---|---|
# | **Time** | 30 minutes to read and run, 45 minutes of exercises |
# | **You need** | chapters 01 and 04; section 1 of chapter 05 helps; from chapter 06 that `backward` adds to `.grad`; from chapter 07 that a walk frees the graph |
# | **You will** | take gradients without touching `.grad` · ask in the middle of a graph · tell an unused input from a constant one · make a gradient that can be differentiated, and put it into a loss |
# | **If short of time** | sections 1, 3 and 4, exercises 08.1, 08.3 and 08.4 |
#
# ## Predict first
#
# `h` is the product in the picture, and the backward pass below is asked for its gradient alone. Which of `h`, `w`,
# `x` and `b` have a `.grad` afterwards?

# %% tags=["guess"]
L.backward(inputs=[h])
print("who has a .grad:")
for name, t in {"h": h, "w": w, "x": x, "b": b}.items():
    print(name, t.grad)

# %% [markdown]
# <details><summary>Answer</summary>
#
# `h` is no leaf and yet got a gradient, because `inputs` named it. The leaves got none.
#
# </details>
#
# ## 1 · A gradient in your hand
#
# `L.backward()` *writes*: it adds a gradient to the `.grad` of every leaf behind `L` that requires grad. A training
# loop wants that, but sometimes you only want to look at a gradient, or to compute with it.
#
# `mg.autograd.grad(L, [w, x])` *returns*: a tuple with one gradient for each tensor that you named, in your order.

# %%
x, w, c = (mg.tensor(v, requires_grad=True) for v in ([1.0, 2.0, 3.0], [0.5, -1.0, 2.0], [4.0, 5.0, 6.0]))
L = (w * x + c).sum()
print(mg.autograd.grad(L, [w, x]))
(g,) = mg.autograd.grad((w * x).sum(), w)
print(g, x.grad, w.grad, c.grad)

# %% [markdown]
# The first call gave both gradients. No `.grad` has changed, but the graph is freed, as by `backward`. Even for a single
# tensor the answer is a **tuple**: the comma on the left takes the gradient out.
#
# Asked like this, the question about the tea leaves the slopes of the loss as they are:

# %%
before = hot.grad.item(), half.grad.item()
(answer,) = mg.autograd.grad(20 + hot * 0.5 ** (10 / half), half)
print(f"{answer:.3f} °C for each minute of half;", "nothing has changed:", before == (hot.grad.item(), half.grad.item()))

# %% [markdown]
# An output that is no scalar needs a cotangent, as in chapter 04. It is the third argument, `grad_outputs`:
# `mg.autograd.grad(w * x, x, v)` gives `w` times `v`.
#
# ## 2 · In the middle of the graph
#
# Which readings pull the curve of the tea, and how hard? The gradient of the loss passes the curve on its way to `hot`
# and `half`. There it has one number for each reading, which says how fast the loss grows when the curve rises at that
# place:

# %%
curve = tea(hot, half)
(pulls,) = mg.autograd.grad(((curve - degrees) ** 2).mean(), curve)
print(f"for the first reading: {pulls[0]:.2f}")

# %% tags=["folded"]
# The code that draws them as arrows: click here to read it.
picture = viz.fit(minutes, degrees, {"the curve": curve.detach()}, xlabel="minutes", ylabel="°C")
look = {"angles": "xy", "scale_units": "xy", "scale": 1, "width": 0.012, "color": "#b85c00"}
picture.axes[0].quiver(minutes, curve.detach(), 0 * pulls, -4 * pulls, **look)
picture.alt += "\nAn arrow at each place of the curve, against the slope: the first is the longest, and leads up."
picture

# %% [markdown]
# A point that moves along its arrow lowers the loss; the longer the arrow, the faster. The first pulls hardest, because
# the curve is 18 °C too low there: the slope of a mean of eleven squares is 2 · (−18) / 11.
#
# A gradient in the middle can be handed on. Two computers share a network too large for one: one has the part from
# `h` to `L`, the other that from `x` to `h`. What must the first one send? The gradient at `h`. There its walk *ends*,
# so `grad` frees nothing behind `h`.
#
# In the picture the way from `L` to `h` is thick. Grey is an emptied suitcase (chapter 07); the sum has nothing in its
# own:

# %%
h = w * x
L = (h**2).sum()
(g_h,) = mg.autograd.grad(L, h)
viz.draw(L, view="keep", inputs=[h], saved=True)

# %% [markdown]
# The product still has its numbers, so the second computer goes on without `retain_graph`, and its cotangent is what
# was sent. Compare the last line, which walks from `L` to `x` at once:

# %%
print("from h on:", mg.autograd.grad(h, x, g_h))
print("at once:  ", mg.autograd.grad(((w * x) ** 2).sum(), x))

# %% [markdown]
# **Check yourself.** What does `mg.autograd.grad(L, L)` give?
#
# <details><summary>Answer</summary>(tensor(1.),): the walk ends where it starts.</details>
#
# ## 3 · Unused, or not asked for
#
# A layer that you made and forgot to call never learns, and nobody notices: `backward` leaves its `.grad` at None, so
# the optimizer skips it. `grad` does notice. It raises where no path leads to a tensor, and says what to write if you
# meant it:

# %%
with expect_error(RuntimeError, match="appears to not have been used"):
    mg.autograd.grad((w * x).sum(), [w, c])

# %% [markdown]
# With `allow_unused=True` there is **None** in its place, so you can tell *no path* from a gradient that happens to be
# 0. If you need zeros, `materialize_grads=True` makes them, in the right shape.

# %%
print(mg.autograd.grad((w * x).sum(), [w, c], allow_unused=True))
print(mg.autograd.grad((w * x).sum(), [w, c], materialize_grads=True))

# %% [markdown]
# A tensor that *does not require grad* is another matter: the loss may depend on it, but that was not recorded.
# Because None could be wrong here, `allow_unused` does not help:

# %%
k = mg.tensor([1.0, 1.0, 1.0])
with expect_error(RuntimeError, match="does not require grad"):
    mg.autograd.grad((w * k).sum(), [w, k], allow_unused=True)

# %% [markdown]
# **Check yourself.** Somebody puts `try:` and `except RuntimeError:` around the call instead of `materialize_grads`, and
# takes a zero where it raises. What is wrong with that?
#
# <details><summary>Answer</summary>Every other mistake becomes a zero as well: a constant among the inputs, a loss that is no scalar, a freed graph.</details>
#
# ## 4 · A gradient with a graph
#
# Can a slope be part of a loss? Then it must be differentiated like the rest, but what `grad` returns is a plain
# tensor, without a history. With **`create_graph=True`** the engine records the walk itself, so each step back leaves
# a node. The gradient has a `grad_fn`, and you can ask again:

# %%
x = mg.tensor(3.0, requires_grad=True)
(slope,) = mg.autograd.grad(x**3, x, create_graph=True)
(curvature,) = mg.autograd.grad(slope, x)
print(slope, curvature)

# %% [markdown]
# 3 · 3² = 27 and 6 · 3 = 18. The walk computed `slope` as g · (x² · 3), with g = 1. Find both products in the picture.
# Dotted arrows lead to constants:

# %%
(slope,) = mg.autograd.grad(x**3, x, create_graph=True)
viz.draw(slope, view="keep")

# %% [markdown]
# Without `create_graph` there is no such record, so the second question raises:

# %%
(slope,) = mg.autograd.grad(x**3, x)
with expect_error(RuntimeError, match="does not require grad"):
    mg.autograd.grad(slope, x)

# %% [markdown]
# A gradient has a graph only if there is something to record.
#
# **Check yourself.** Which of the three slopes below depend on `x`? Which of them require grad? The output answers
# only the second question.

# %% tags=["guess"]
a = mg.tensor(5.0, requires_grad=True)
print("slope, and whether it requires grad:")
for y in [x**2, 5 * x, a * x]:
    (slope,) = mg.autograd.grad(y, x, create_graph=True)
    print(slope.item(), slope.requires_grad)

# %% [markdown]
# <details><summary>Answer</summary>
#
# The slope of `x**2` is 2x. The slope of `5 * x` is 5: a constant, whatever you ask for. The slope of `a * x` is `a`. It
# requires grad, but it does not depend on `x`.
#
# </details>
#
# So the second derivative of the last two is 0. But if you ask for it, each raises an error of its own; exercise 08.5
# deals with both.
#
# ## 5 · A slope in the loss
#
# A model that can bend follows every careless reading. Without a penalty its curve swings between the readings, as the
# picture below shows. To calm it, make steep slopes cost: a **gradient penalty** adds to the loss the square of the
# slope with respect to the *data*. Then this loss is differentiated once more, with respect to the *weights*.
#
# Six readings lie off one arch of a sine, in turns 0.3 above it and 0.3 under it. The model is a sum of ten sines, and
# the weights are their heights. Because each of its six values depends on its own point alone, the gradient of `y.sum()`
# holds all six slopes, as in chapter 05.

# %%
sines = mg.arange(1.0, 11.0)
points = mg.tensor([0.3, 0.9, 1.4, 2.0, 2.5, 2.9], requires_grad=True)
readings = mg.sin(points).detach() + mg.tensor([0.3, -0.3, 0.3, -0.3, 0.3, -0.3])


def model(weights, t):
    return mg.sin(t.reshape(-1, 1) * sines) @ weights


def fit(strength, create_graph):
    weights = mg.zeros(10, requires_grad=True)
    for _ in range(300):
        y = model(weights, points)
        # inner: the six slopes of the curve, a tensor with a graph or plain numbers
        (slope,) = mg.autograd.grad(y.sum(), points, retain_graph=True, create_graph=create_graph)
        loss = ((y - readings) ** 2).mean() + strength * (slope**2).mean()
        (g,) = mg.autograd.grad(loss, weights)  # outer: the gradient for the weights
        weights = (weights - 0.05 * g).detach().requires_grad_()
    return weights.detach()


# %% [markdown]
# The first fit has no penalty. The other two have one, the second with `create_graph=True` and the third without. The
# third raises nothing, because `retain_graph=True` keeps the graph of `y`, which the loss needs. Does its penalty
# change the fit?

# %% tags=["guess"]
plain, flat, third = fit(0.0, True), fit(0.1, True), fit(0.1, False)
print("the third fit is the same as without a penalty:", mg.allclose(third, plain))

# %% tags=["cover"]
from minigrad.course.helpers.ch08 import fits

fits(model, points, readings, plain, flat, third)

# %% [markdown]
# The dotted curve of the third fit lies on the blue one, which has no penalty. A slope without a graph is a constant,
# so the penalty had no gradient, and nothing warned. **If a gradient in a loss is to count, it needs
# `create_graph=True`.**
#
# Without a penalty the curve goes through every reading. With it the curve still bends, since the penalty sees only six
# slopes, but it is nearer to the truth:

# %%
t = mg.linspace(0, 3.14, 100)
for name, weights in {"without a penalty": plain, "with it": flat}.items():
    print(f"{name:18}{(model(weights, t) - mg.sin(t)).abs().mean().item():.2f} from the truth on average")

# %% [markdown]
# **Check yourself.** Why did the outer `grad` get no `create_graph`?
#
# <details><summary>Answer</summary>What it returns is not differentiated again. The step only needs the numbers.</details>
#
# ## Three ways this goes wrong
#
# **1. The tuple is forgotten.** `2 * g` does not double the gradient. It repeats the *tuple*, and nothing raises:

# %%
g = mg.autograd.grad((w * w).sum(), w)
print(2 * g)

# %% [markdown]
# **2. The piece was cut too late.** You want the slope for one entry of `w`. But `w[0]`, written here, is a *new*
# tensor, from which `L` was not computed. So ask for the whole, and take the piece out of the gradient.

# %%
L = (w * w).sum()
with expect_error(RuntimeError, match="appears to not have been used"):
    mg.autograd.grad(L, w[0])
print(mg.autograd.grad(L, w)[0][0])

# %% [markdown]
# **3. `backward(inputs=[h])`, only to have a look.** It leaves two things behind that `grad` would not. From now on
# `h` collects gradients, so below even a later `grad` adds to `h.grad`. And the product that *made* `h` is freed, so
# you cannot go on from `h`.

# %%
x, w = (mg.tensor(v, requires_grad=True) for v in ([1.0, 2.0, 3.0], [0.5, -1.0, 2.0]))
h = w * x
(h**2).sum().backward(inputs=[h])
print("before:", h.grad)
mg.autograd.grad(h.sum(), h)
print("after: ", h.grad)
with expect_error(RuntimeError, match="a second time", short=True):
    mg.autograd.grad(h.sum(), w)

# %% [markdown]
# ## In PyTorch
#
# The same lines:
#
# ```python
# import torch
#
# x = torch.tensor(3.0, requires_grad=True)
# (slope,) = torch.autograd.grad(x**3, x, create_graph=True)
# slope                                                  # tensor(27., grad_fn=<MulBackward0>)
# torch.autograd.grad(slope, x)                          # (tensor(18.),)
# ```
#
# All cells of this chapter, drawings aside, gave the same with PyTorch 2.13, but for our notes below the messages.
#
# ## Key points
#
# * `mg.autograd.grad(L, [a, b])` returns a **tuple** of gradients, in one walk, and leaves the `.grad` of leaves alone.
# * The inputs may be any tensors of the graph, leaves or not. `grad` walks only the paths to them, and frees only
#   what it walked.
# * `L.backward(inputs=[h])` adds to `h.grad`, and to no other.
# * No path: an error, or None with `allow_unused=True`, or zeros with `materialize_grads=True`. A tensor that does not require
#   grad is always an error.
# * `create_graph=True` gives the gradient a graph, unless there was nothing to record, as for `5 * x`.
# * A gradient in a loss without `create_graph=True` is a constant: **silently wrong**.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `w.grad` holds 3. After `mg.autograd.grad(5 * w, w)`, with `w` of shape (), what does it hold?
#
# <details><summary>Answer</summary>3. The 5 is in the tuple that was returned.</details>
#
# **2.** `h = w * x`, `L = h.exp().sum()`, and `mg.autograd.grad(L, h)` was called. Does `h.sum().backward()` raise?
#
# <details><summary>Answer</summary>No. The walk ended at h; the product behind it was not freed.</details>
#
# **3.** `mg.autograd.grad(L, [a, b], allow_unused=True)` raises *One of the differentiated Tensors does not require
# grad*. What do you look for?
#
# <details><summary>Answer</summary>A tensor, a or b, that was made without requires_grad=True, was detached, or was computed under no_grad. allow_unused is about tensors without a path.</details>
#
# **4.** `(g,) = mg.autograd.grad(loss, x, retain_graph=True)`, then `(loss + (g**2).sum()).backward()`. What is
# wrong?
#
# <details><summary>Answer</summary>g is a constant: the second term adds nothing to any gradient, and nothing raises. It must be create_graph=True.</details>
#
# **5.** `y = x.sum()`, and `(g,) = mg.autograd.grad(y, x, create_graph=True)`. Does `g` require grad?
#
# <details><summary>Answer</summary>No. It is all ones, whatever x is: there is nothing to record.</details>

# %% [markdown] engine="core/walk.py:on_a_path"
# ## In the engine
#
# With `inputs` the walk does not go everywhere. This function finds the nodes on a way to one of the inputs, its
# `targets`; no other is run or freed.

# %% [markdown] exercise="08.1"
# Write `grads(L, wrt)`: the gradients of `L` with respect to each leaf of the list `wrt`, as a list or tuple in the same
# order.
#
# {requirements}

# %% tags=["given"]
a, b = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([3.0, 4.0], requires_grad=True)
L = (a * b).sum()
# grads(L, [b]) must be [tensor([1., 2.])], and a.grad and b.grad must be None.
# Run this cell again before a second try: a graph can be walked once.

# %% [markdown] exercise="08.2"
# `h` is in the middle of the graph: it was computed from some leaves, and `L` was computed from it.
#
# Write the two functions of the class `Middle`. Both find ∂L/∂h:
#
# {requirements}

# %% tags=["given"]
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = 3 * x
L = (h**2).sum()
# Middle.by_grad(L, h) must be tensor([ 6., 12.]).
# Middle.by_backward(L, h) must leave that in h.grad, and nothing in x.grad. Run this cell again before it.

# %% [markdown] exercise="08.3"
# Write `grad_or_zeros(L, wrt)`: gradients, and zeros where there is no way.
#
# {requirements}

# %% tags=["given"]
x, b = mg.tensor([1.0, 2.0], requires_grad=True), mg.ones(3, requires_grad=True)
L = (x * x).sum()
# grad_or_zeros(L, [x, b]) must be [tensor([2., 4.]), tensor([0., 0., 0.])]. Run this cell again before a second try.

# %% [markdown] exercise="08.4"
# Write `penalized(f, w, x, strength)`: the gradient, with respect to `w`, of
#
# $$f(w, x) + \text{strength} \cdot \Big\lVert \frac{\partial f}{\partial x} \Big\rVert^2$$
#
# {requirements}

# %% tags=["given"]
def product(w, x):
    return (w * x).sum()


w, x = mg.tensor([3.0, 5.0], requires_grad=True), mg.tensor([1.0, 2.0], requires_grad=True)
# penalized(product, w, x, 10.0) must be tensor([ 61., 102.]): the slope in x is w, so the penalty is 10 · (w₀² + w₁²).

# %% [markdown] exercise="08.5"
# Write `second(f, x)`: the second derivative of `f` at `x`.
#
# {requirements}

# %% tags=["given"]
x, a = mg.tensor(2.0, requires_grad=True), mg.tensor(5.0, requires_grad=True)
# second(lambda x: x**3, x) must be 12, and 0 for lambda x: 3 * x, and 0 for lambda x: a * x.

# %% [markdown] exercise="08.6"
# Write `pull(y, s, v, inputs)`: the gradients of $\sum_i v_i \, y_i + s$ with respect to each tensor of the list
# `inputs`, as a list or a tuple.
#
# {requirements}

# %% tags=["given"]
x = mg.tensor([1.0, 2.0], requires_grad=True)
h = x**2
y, s, v = 3 * h, h.sum(), mg.tensor([1.0, 10.0])
# pull(y, s, v, [x]) must be [tensor([  8., 124.])]. Run this cell again before a second try.
