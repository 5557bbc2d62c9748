# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 10 · Forward mode, JVPs, batched gradients
#
# **A Jacobian can be filled by rows, by columns, or all at once. After this chapter you can send a direction forward
# through a function, choose the cheaper of the two modes, and get all rows in one call.**
#
# The curve of the cooling tea was fitted to careless readings. It has `hot` = 66.5 and `half` = 10.8 minutes, the time
# in which the tea loses half of its warmth. But `half` may be wrong by a minute: which parts of the curve can you trust?
# Here it is wrong by three, to show more:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())


def curve(half, moments=minutes):
    return 20 + 66.5 * 0.5 ** (moments / half)


fine = mg.linspace(0, 30, 301)
viz.fit(minutes, degrees, {f"half = {h}": curve(h, fine) for h in (7.8, 10.8, 13.8)}, xlabel="minutes", ylabel="°C", at=fine)

# %% [markdown]
# At the start `half` makes no difference, in the middle a large one. How fast does each point move as `half` grows?
# That is a slope, in °C per minute of `half`. The curve has 301 points, and a backward pass finds the slope of only
# one:

# %%
moments = mg.linspace(0, 30, 301)
half, slopes = mg.tensor(10.8, requires_grad=True), []
for point in curve(half, moments):
    (slope,) = mg.autograd.grad(point, half, retain_graph=True)
    slopes.append(slope)
print(f"{len(slopes)} passes; the largest slope: {max(slopes).item():.2f} °C per minute")
print(f"by a difference, over a tenth of a minute: {((curve(10.9, moments) - curve(10.8, moments)) / 0.1).max().item():.2f}")

# %% [markdown]
# That took 301 walks. One walk from the `sum`, as in chapter 05, gives only their total, because all points share one
# `half`. A difference takes two runs, and is only nearly right. One run *forward* from `half` gives all slopes, exactly
# (section 3). They are one **column** of a Jacobian.
#
# The picture fills the Jacobian of another function, with five outputs and three inputs, in three ways:

# %%
import numpy as np

from minigrad.course.helpers.ch10 import fillings, speeds

J = [[2, 1, 0], [0, 3, 2], [1, 0, 1], [6, 0, 2], [1, 1, 1]]  # of (ab, bc, a + c, 2ac, a + b + c) at (1, 2, 3)
fillings(J)

# %% [markdown]
# A backward pass gives a row (chapter 04), so it takes five. A **forward** pass gives a column, so three are enough. In
# the third panel one call asks for all rows together, and PyTorch finds them in one walk (section 5).
#
# | | |
# |---|---|
# | **Time** | 35 minutes to read and run, 47 minutes of exercises |
# | **You need** | chapter 04 (vᵀJ); for sections 3 and 4 a look at `create_graph` (chapter 08 or 09) |
# | **You will** | calculate with dual numbers · push a direction through a function and read J t · say which mode is cheaper, and by how much · get J t out of two VJPs, where forward mode has no rule · get all rows in one call |
# | **If short of time** | sections 1 to 3, "Three ways this goes wrong", exercises 10.1, 10.2 and 10.4 |
#
# This chapter has two new words. A **tangent** holds a speed for each entry of a Tensor. The input's tangent is t, the
# *direction*. (It is not the straight line of chapter 05.) A **Jacobian-vector product**, or JVP, is J t, the speed of
# each *output*: the sum of the columns of J, each times the speed of its input.
#
# ## Predict first
#
# `f` multiplies neighbours: `y[0] = x[0] * x[1]`, and so on. At x = (1, 2, 3, 4), `x[0]` moves with speed 1 and `x[3]`
# with speed 10, while the others stand still. How fast does each of the three outputs move?
#
# Write down three numbers, then run the cell. Its calls are explained in sections 1 and 2.

# %% tags=["guess"]
def f(x):
    return x[:-1] * x[1:]


x, t = mg.tensor([1.0, 2.0, 3.0, 4.0]), mg.tensor([1.0, 0.0, 0.0, 10.0])
fw = mg.autograd.forward_ad
with fw.dual_level():
    moves = fw.unpack_dual(f(fw.make_dual(x, t))).tangent
print("J t:", moves, sep="\n")

# %% [markdown]
# <details><summary>Answer</summary>
#
# `y[0]` moves with 1 · x[1], `y[2]` with 10 · x[2], and `y[1]` depends on neither of the two that move.
#
# </details>
#
# ## 1 · Dual numbers
#
# Take a number that moves: a is where it is, and a′ how fast it moves. So after a small time ε it is at a + a′ε.
# Calculate with ε as with a letter, but put **ε² = 0**. Two such numbers, multiplied out:
#
# $$(a + a'\varepsilon)(b + b'\varepsilon) = ab + (a'b + ab')\,\varepsilon$$
#
# The factor of ε is the product rule. A number of this kind is called a **dual number**, and a function with slope f′
# has the rule $f(a + a'\varepsilon) = f(a) + f'(a)\,a'\,\varepsilon$. So slopes travel through a program together with
# the values.
#
# For example, the product of 3 + 2ε and 5 + 4ε moves with 2 · 5 + 3 · 4 = 22. Try it with small numbers for ε:

# %%
for eps in (1e-1, 1e-3, 1e-5):
    product = (3 + 2 * eps) * (5 + 4 * eps)
    print(f"{(product - 15) / eps:.5f}")

# %% [markdown]
# Each result is 8ε too large, because of the term 2 · 4 · ε². For a dual number this term is zero, so 22 is exact.
#
# In `minigrad`, `make_dual(value, tangent)` makes a **dual tensor**, which prints with its tangent. It lives in a
# *level*, a block `with dual_level():`, where each operation computes tangents too. At the end of the block they are
# thrown away.

# %%
with fw.dual_level():
    a = fw.make_dual(mg.tensor(3.0), mg.tensor(2.0))
    b = fw.make_dual(mg.tensor(5.0), mg.tensor(4.0))
    print(a * b, a * a * b, sep="\n")
    for result in (a / b, mg.sin(a)):
        print(f"a tangent of {fw.unpack_dual(result).tangent.item():.4f}")

# %% [markdown]
# (2 · 5 − 3 · 4) / 5² is −0.08, and cos(3) · 2 is −1.98: the rules that you know.
#
# **Check yourself.** What is the tangent of `b * b`, with b = 5 + 4ε?
#
# <details><summary>Answer</summary>(5 + 4ε)² = 25 + 40ε: the tangent is 40, which is 2b · b′.</details>
#
# ## 2 · A direction goes through
#
# The tangent of a Tensor has the Tensor's shape: a speed for each entry. Three calls, all inside the level:
#
# 1. `make_dual(x, t)` attaches the tangent;
# 2. `f` runs once; every operation also computes the tangent of its result;
# 3. `unpack_dual(y)` takes the two apart, `.primal` and `.tangent`.

# %%
def push(f, x, t):
    with fw.dual_level():
        return fw.unpack_dual(f(fw.make_dual(x, t)))


print(push(f, x, t))

# %% [markdown]
# A one-hot tangent moves one input alone, so it gives one **column** of J. Here are all four:

# %%
for one_hot in mg.eye(4):
    print(push(f, x, one_hot).tangent)

# %% [markdown]
# Here is J as a whole, and the sum of its columns, weighted by t:

# %%
whole = mg.autograd.functional.jacobian(f, x)
print(whole)
print(whole @ t)

# %% [markdown]
# Forward mode needs **no graph**, because a tangent is computed together with its value. Reverse mode must keep what
# its rules need, until backward runs. Compare the two on a hundred sines in a row, of a thousand numbers each:

# %%
def chain(x):
    for _ in range(100):
        x = mg.sin(x)
    return x


y, moves = push(chain, mg.ones(1000), mg.ones(1000))
print("forward: graph", y.grad_fn, "of the value,", moves.grad_fn, "of the tangent")
y = chain(mg.ones(1000, requires_grad=True))
print(f"reverse: a graph that keeps {viz.memory(y).total:,} bytes")

# %% [markdown]
# If `x` requires grad, value and tangent are recorded, so detach it.
#
# **Check yourself.** f takes a table of shape (2, 3) and returns 5 numbers. Which shape has the tangent that you put in,
# and which the one that comes out?
#
# <details><summary>Answer</summary>(2, 3) goes in, (5,) comes out.</details>
#
# ## 3 · Choose the mode
#
# | | forward (JVP) | reverse (VJP) |
# |---|---|---|
# | you give | a tangent t, in the shape of `x` | a cotangent v, in the shape of `y` |
# | you get | J t, a **column** if t is one-hot | vᵀJ, a **row** if v is one-hot |
# | all of J | n passes, one for each **input** | m passes, one for each **output** |
# | memory | a tangent beside each value, no graph | the graph and what it saved |
#
# So count inputs and outputs. A loss has many inputs, the parameters, and one output, so it takes one reverse pass. The
# curve of the tea has one input, `half`, and many outputs, so it takes one forward pass:

# %%
sensitivity = push(lambda half: curve(half, moments), half.detach(), mg.tensor(1.0)).tangent
print("one forward pass, the same 301 slopes:", mg.allclose(sensitivity, mg.stack(slopes)))
speeds(moments, sensitivity)

# %% [markdown]
# At the start an error of `half` does no harm. It does most near minute 16, where the curve is more than 2 °C too high
# if your `half` is a minute too long.
#
# With PyTorch 2.13 a pass of either kind mostly takes two to eight times as long as f alone. Our curve is tiny: the
# forward pass took as long as 30 runs of f, the 301 walks as long as 10,000.
#
# Here are both modes on one small program. In steps 1 to 4, t is the speed of a value, and each arrow multiplies it by
# a slope. When `a` alone moves, with speed 1, L has speed 9. And when `b` alone moves?
#
# Step 5 starts at L with g = 1, and the same slopes lead back:

# %%
a, b = (mg.tensor(value, requires_grad=True) for value in (2.0, 3.0))
d = a * b
L = d * b
viz.steps(L, forward=True)

# %% [markdown]
# Two forward passes, one for each input, found 9 and 12. One backward pass found both; a second output would need a
# second pass.
#
# If you only want a product with J, do not build it: J t is one forward pass, vᵀJ one backward pass, whatever the sizes.
#
# The two modes combine. A gradient is a function too, so send a direction forward through *its* computation. Out comes H
# t, the product of chapter 09. Here `x3` must require grad all the same, because `gradient` calls `grad`:

# %%
x3 = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)


def h(x):
    return x[0] ** 2 * x[1] + x[1] * x[2] ** 2


def gradient(x):
    return mg.autograd.grad(h(x), x)[0]


g, moves = push(gradient, x3, mg.tensor([1.0, 10.0, 100.0]))
print("H t:", moves, " the graph of the gradient:", g.grad_fn)

# %% [markdown]
# Chapter 09 found the same numbers by a second walk, through a graph of the gradient. Here the walk is not recorded: its
# operations compute tangents as it runs.
#
# **Check yourself.** A simulation takes 3 settings and returns 10,000 temperatures. You want all of J. How many passes?
#
# <details><summary>Answer</summary>Forward, 3. Reverse would need 10,000.</details>
#
# You may stop here for today.
#
# ## 4 · Where forward mode has no rule
#
# An operation may have a backward rule and none for forward mode, such as one that you write yourself (chapter 14). Even
# so **two** backward walks give J t, if its backward rule can be recorded. Try them on the `f` of the prediction:
#
# 1. A backward pass with a cotangent u (three numbers) gives g = Jᵀu (four numbers).
# 2. Now hold x still, and let u move. g is Jᵀ times u, so the Jacobian **from u to g** is Jᵀ.
# 3. So a backward pass from g to u, with the cotangent t (four numbers), gives the row tᵀ Jᵀ: the numbers of J t.
#
# For this u must require grad, and the first pass needs `create_graph=True`. Take zeros for u: whatever its numbers
# are, the Jacobian from u to g is Jᵀ.

# %%
x = x.detach().requires_grad_()
y = f(x)
u = mg.zeros_like(y, requires_grad=True)
(g,) = mg.autograd.grad(y, x, u, create_graph=True)
print(g)
print("J t:", mg.autograd.grad(g, u, t)[0])

# %% [markdown]
# `g` is zero because u is, but its graph leads to u, and the second pass goes that way.
#
# **Check yourself.** Why must it be `create_graph=True` in the first pass, and why not in the second?
#
# <details><summary>Answer</summary>The result of the first is differentiated again, that of the second is not.</details>
#
# ## 5 · All rows at once
#
# A function from 50 numbers to 50 takes 50 passes in either mode. PyTorch can take all 50 cotangents along in **one**
# walk, which saves calls, not arithmetic, and costs memory. `minigrad` has the call too, but walks once for each
# cotangent.
#
# Stack the cotangents, and say `is_grads_batched=True`. Then the **first axis** of `grad_outputs` counts them. What
# comes back has the same first axis, and behind it the shape of `x`. The identity is the stack of all one-hots, so it
# gives all rows:

# %%
print(mg.autograd.grad(f(x), x, mg.eye(3), is_grads_batched=True)[0])

# %% [markdown]
# If `y` is a table, every cotangent is a table too. And
# `mg.autograd.grad(curve(half, moments), half, mg.eye(301), is_grads_batched=True)` gives the 301 slopes of the tea in
# one call.
#
# For tanh(A @ sin(x)), A a matrix, fifty calls took PyTorch 0.9 ms, and **one call** 0.2. With 1000 numbers one call was
# ten times *slower* for this function, and several times faster for softmax and sort. So measure before you choose.
#
# ## Three ways this goes wrong
#
# **1. No level, or no longer.** Outside of a level `make_dual` raises. When a level ends, its tangents are gone, and
# `unpack_dual` gives None without an error. Inside a level, None says that no tangent arrived: in the last line a
# `detach` is to blame.

# %%
with expect_error(RuntimeError, match="no level exists"):
    fw.make_dual(x, t)

with fw.dual_level():
    y = f(fw.make_dual(x.detach(), t))
print(fw.unpack_dual(y))
print(push(lambda x: f(x.detach()), x.detach(), t))

# %% [markdown]
# **2. A tangent of the wrong shape.** It belongs to the **input**. Here it has the shape of `y`, as if it were a
# cotangent.

# %%
with expect_error(RuntimeError, match="different size"):
    push(f, x.detach(), mg.tensor([1.0, 10.0, 100.0]))

# %% [markdown]
# **3. A level inside a level.** Levels do not nest, in PyTorch as here. A JVP of a JVP is done with backward passes, or
# with PyTorch's `torch.func`.

# %%
with expect_error(RuntimeError, match="Nested forward mode"), fw.dual_level():
    push(f, x, t)

# %% [markdown]
# ## In PyTorch
#
# The same lines, and the same numbers:
#
# ```python
# import torch
# import torch.autograd.forward_ad as fw
#
# x, t = torch.tensor([1.0, 2.0, 3.0, 4.0]), torch.tensor([1.0, 0.0, 0.0, 10.0])
# with fw.dual_level():
#     y = f(fw.make_dual(x, t))
#     fw.unpack_dual(y).tangent               # tensor([ 2.,  0., 30.])
# ```
#
# Write `import torch as mg`, and the cells of this chapter give the same, but for our notes on the errors, and
# `viz.memory` (tried with PyTorch 2.13). Both have `functional.jacobian(f, x, vectorize=True)`: all rows in one call,
# or all columns with `strategy="forward-mode"`. PyTorch also has `torch.func.jvp`, `jacfwd`, `jacrev` and `vmap`.
#
# ## Key points
#
# * A dual number is a + a′ε with ε² = 0. Values and slopes go through a program together, without a graph.
# * `make_dual(x, t)`, run `f`, `unpack_dual(y)`, all within `dual_level()`: the tangent is **J t**. A one-hot t gives a column.
# * All of J takes n forward passes or m backward passes. One loss, many parameters: reverse. One input, many outputs: forward.
#   A product with J takes one pass.
# * A JVP is also two VJPs: g = Jᵀu with `create_graph=True`, then from g back to u with the cotangent t.
# * `is_grads_batched=True`: the first axis of `grad_outputs` counts cotangents; the identity gives all rows.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** What is (2 + ε)³, with ε² = 0?
#
# <details><summary>Answer</summary>8 + 12ε. The slope of a³ is 3a² = 12.</details>
#
# **2.** f takes 50 numbers and returns 4. You push ones through it. What comes out, and in which shape?
#
# <details><summary>Answer</summary>The sum of all 50 columns of J, in shape (4,): how fast each output moves when all inputs move with speed 1.</details>
#
# **3.** Why does forward mode need no graph?
#
# <details><summary>Answer</summary>The tangent of a result is computed with the result, from the tangents that came in. Nothing is left to be done later.</details>
#
# **4.** In the trick of section 4, what comes out if you hand over u = ones in the place of zeros?
#
# <details><summary>Answer</summary>The same J t. g is another, but it is linear in u, and the slope of a linear function is the same everywhere.</details>
#
# **5.** `y` has shape (3, 2) and `x` has shape (5,). Which shape must a batch of 7 cotangents have, and which has the result?
#
# <details><summary>Answer</summary>(7, 3, 2), and (7, 5).</details>

# %% [markdown] engine="around/tangents.py:pushed" first="multilinear" last="terms.append"
# ## In the engine
#
# While a dual level is open, each operation also computes tangents; for most operations one word of the declaration says
# how. A product is *multilinear*: each input that moves gives a term. `by_name` holds the inputs;
# `{**by_name, name: tangent}` has the tangent in the place of one. An operation without such a word, like `softmax`,
# takes the two VJPs of section 4.

# %% [markdown]
# ## Extra: a routine of your own
#
# Read this after chapter 14; only exercise 10.6 needs it. Here NumPy computes the exponential in the curve, where the
# engine cannot look in, and `Exp` gives it a backward rule. `forward` packs into the suitcase `ctx` what `backward`
# needs, here its result, which is the slope. Forward mode refuses `Exp`, but `functional.jvp` makes the two walks, and
# returns f(x) and J t. If `backward` took `v.detach()` to NumPy, which is not recorded, J t would be zeros without an
# error.

# %% tags=["folded"]
# The routine, and the two walks: click here to read it.
class Exp(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = mg.tensor(np.exp(x.detach().numpy()))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, v):
        (y,) = ctx.saved_tensors
        return v * y


def with_routine(half, exp=Exp.apply):
    return 20 + 66.5 * exp(-moments / half * np.log(2))  # 0.5 ** a is exp(-a * log(2))


half, one = half.detach(), mg.tensor(1.0)
with expect_error(NotImplementedError, match="must implement the jvp function"):
    push(with_routine, half, one)
_, moves = mg.autograd.functional.jvp(with_routine, half, one)
print("two walks, the same 301 slopes:", mg.allclose(moves, sensitivity))

# %% [markdown]
# But two walks need a graph. So a Function may also bring a rule for forward mode: `jvp(ctx, t)` gets the tangent of
# the input, and returns that of the output. `ctx` has a second suitcase for this rule, which `forward` packs with
# `save_for_forward`. Both rules read `ctx.saved_tensors`, and each finds its own there.

# %%
class ExpForward(Exp):
    @staticmethod
    def forward(ctx, x):
        y = Exp.forward(ctx, x)
        ctx.save_for_forward(y)
        return y

    @staticmethod
    def jvp(ctx, t):
        (y,) = ctx.saved_tensors
        return y * t


moves = push(lambda half: with_routine(half, ExpForward.apply), half, one).tangent
print("one forward pass:", mg.allclose(moves, sensitivity))

# %% [markdown]
# The two rules look alike here: J is diagonal, so it is its own transpose. In exercise 10.6 it is not.
#
# **Check yourself.** A Function has two inputs a and b, and only a is dual. What does `jvp(ctx, ta, tb)` get for b?
#
# <details><summary>Answer</summary>Zeros: a tensor without a tangent stands still.</details>

# %% [markdown] exercise="10.1"
# Write dual numbers yourself. A `Dual` holds two numbers, `value` and `tangent`. `+` is given. Write `-`, `*`, `/`,
# `sin` and `exp`.
#
# {requirements}
#
# When you are done, `(2 * d * d + 1).sin()` at `d = Dual(0.5, 1.0)` is `Dual(0.997495, 0.141474)`.

# %% [markdown] exercise="10.2"
# Write `jvp(f, x, t)`: how fast the outputs of `f` move when `x` moves in the direction `t`.
#
# {requirements}
#
# In the lesson, `push` returned a pair. Here return J t alone. You may use it in 10.7.

# %% tags=["given"]
fw = mg.autograd.forward_ad

x, t = mg.tensor([1.0, 2.0, 3.0, 4.0]), mg.tensor([1.0, 0.0, 0.0, 10.0])


def f(x):
    return x[:-1] * x[1:]


# jvp(f, x, t) must be tensor([ 2.,  0., 30.]), and jvp(lambda x: mg.ones(2), x, t) must be tensor([0., 0.]).

# %% [markdown] exercise="10.3"
# Write `jvp_by_vjps(f, x, t)`: J t with two calls of `mg.autograd.grad`, and no forward mode. Section 4 says why it works.
# Try to write it without looking there.
#
# {requirements}
#
# With `f` and `t` of 10.2 and `x.requires_grad_()`, it must be `tensor([ 2.,  0., 30.])` too.

# %% [markdown] exercise="10.4"
# Eight functions, with their numbers of inputs and outputs, and what is wanted of each. Which mode needs **fewer passes**, and
# how many?
#
# Write into the dict `modes`, for each letter, `"forward"` or `"reverse"`, and for `"A passes"` and so on the number of passes.
# A forward pass gives one J t, a backward pass one vᵀJ. Nothing is batched, and the trick of 10.3 is not used.

# %% [markdown] exercise="10.5"
# Write `all_rows(f, x)`: the Jacobian from **one** call of `mg.autograd.grad`.
#
# {requirements}
#
# Compare yours with `mg.autograd.functional.jacobian(f, x)` before you check.

# %% [markdown] exercise="10.6"
# Do this after chapter 14. `Neighbours` is the function `f` of the lesson, as a Function with rules of its own. It goes
# backward, but not yet forward: its `jvp` is empty, so no tangent comes out.
#
# Teach it: write `jvp`.
#
# {requirements}

# %% tags=["given"]
x, t = mg.tensor([1.0, 2.0, 3.0, 4.0]), mg.tensor([1.0, 0.0, 0.0, 10.0])
# Neighbours.apply with a dual tensor of x and t must give the tangent tensor([ 2.,  0., 30.]).

# %% [markdown] exercise="10.7"
# Where a model is fitted, one often needs JᵀJ v: it steers the method of Gauss and Newton. J has a row for each measurement and
# a column for each parameter, and is far too large to be built.
#
# Write `gauss_newton(f, x, v)`, which returns JᵀJ v.
#
# {requirements}

# %% tags=["given"]
x, v = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True), mg.tensor([1.0, 0.0, 0.0, 10.0])
# With f of 10.2, gauss_newton(f, x, v) must be tensor([  4.,   2., 120.,  90.]).
