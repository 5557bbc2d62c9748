# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 09 · Higher order: HVP, Hessian, Newton
#
# **A gradient is a computation, and what is computed can be differentiated. After this chapter you take
# derivatives of derivatives: multiply by the Hessian without building it, build it where you need it, find
# the bottom of a valley with Newton's method, and say beforehand what it will cost.**
#
# Here is the cooling tea of the [first page](00-tea.ipynb) again, with the same learning rate, but with the half-life
# in seconds. The guess is 15 minutes, 900 seconds. In minutes a hundred steps were enough:

# %%
import numpy as np

import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error, expect_warning
from minigrad.course.data import cup_of_tea

minutes, degrees = (mg.tensor(values, dtype=mg.float64) for values in cup_of_tea())


def tea_loss(q):
    return ((20 + q[0] * 0.5 ** (60 * minutes / q[1]) - degrees) ** 2).mean()


q = mg.tensor([50.0, 900.0], dtype=mg.float64)
for step in range(1001):
    if step % 500 == 0:
        print(f"step {step:4}: hot = {q[0].item():.1f}, half = {q[1].item():.0f} s, loss = {tea_loss(q).item():.2f}")
    q = q.detach().requires_grad_()
    q = q - 0.2 * mg.autograd.grad(tea_loss(q), q)[0]

# %% [markdown]
# A thousand steps have moved `half` by 24 seconds, and it should go down by 250, to 650. The unit alone does that. A
# second of `half` changes the loss 60 times less than a minute does, so each step is a number 60 times smaller. But the
# way, in seconds, is a number 60 times larger. So some 3600 steps do what one did in minutes.
#
# A larger rate helps, but not enough: with 2, a thousand steps end at 716. With 3 the loss first jumps to 4800, and with
# 4 it ends at `nan`. Here you could go back to minutes. But a model with a thousand parameters has a thousand units, and
# nobody knows the right ones. Is there a step that does not mind the unit?
#
# In seconds the loss is a thin valley: steep along `hot`, and nearly flat along `half`. Here is a valley that is 20
# times as steep along w[1] as along w[0]. Move the rate: a step multiplies w[1] by 1 − 20 · rate, so from 0.1 on w[1]
# never settles; below, a step takes under a tenth off w[0].

# %%
viz.valley(steep=(1.0, 20.0))

# %% [markdown]
# A gradient tells which way is down, but not how *far* to go: that you learn from the slopes of the gradient itself.
# Sections 1 and 2 find them, and in section 3 they lead to the tea's two numbers in three steps.
#
# | | |
# |---|---|
# | **Time** | 45 minutes to read and run, 41 minutes of exercises; 90 minutes for your engine, M5 |
# | **You need** | chapter 04 (vᵀJ), and of chapter 08 what *Predict first* repeats: `autograd.grad` and `create_graph` |
# | **You will** | take the gradient of a gradient · multiply by the Hessian with two passes · build the Hessian row by row · tell row sums from the diagonal · run Newton's method and see its digits double · count what nested derivatives cost |
# | **If short of time** | sections 1, 2 and 4, "Three ways this goes wrong", exercises 09.1, 09.2 and 09.5; section 3 answers the question above |
#
# The **Hessian** H of a function with one output is the table of its second derivatives: $H_{ij} = \partial^2 f /
# \partial x_i \, \partial x_j$. Read it as a Jacobian: row i says how entry i of the **gradient** moves with each
# variable. For all functions of this chapter the order of the two derivatives does not matter, so H is symmetric.
#
# ## Predict first
#
# <details><summary>What you need from chapter 08</summary>
#
# `mg.autograd.grad(y, x)` returns the gradient of `y` as a tuple with one Tensor, and leaves `x.grad` alone. Normally
# the pass is not recorded, so the gradient is just numbers.
#
# With `create_graph=True` the pass records its own operations. Then the gradient has a `grad_fn`, and can be
# differentiated like any other result. Here are the slope of the sine at 1, and the slope of that:
#
# ```python
# t = mg.tensor(1.0, requires_grad=True)
# (slope,) = mg.autograd.grad(mg.sin(t), t, create_graph=True)
# slope                                     # tensor(0.5403, grad_fn=<MulBackward0>)
# mg.autograd.grad(slope, t)                # (tensor(-0.8415),)
# ```
#
# </details>
#
# Take $f(x) = x_0^2 x_1 + x_1 x_2^2$. At x = (1, 2, 3) its gradient and its Hessian are, on paper,
#
# $$g = (2 x_0 x_1,\; x_0^2 + x_2^2,\; 2 x_1 x_2) = (4, 10, 12) \qquad
# H = \begin{pmatrix} 4 & 2 & 0 \\ 2 & 0 & 6 \\ 0 & 6 & 4 \end{pmatrix}$$
#
# The next cell differentiates the sum of the entries of `g`, which gives one number for each variable. Are these
# numbers the diagonal of H, (4, 0, 4)?

# %% tags=["guess"]
def f(x):
    return x[0] ** 2 * x[1] + x[1] * x[2] ** 2


x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
(g,) = mg.autograd.grad(f(x), x, create_graph=True)
mg.autograd.grad(g.sum(), x)

# %% [markdown]
# <details><summary>Answer</summary>
#
# No. These are the sums of the columns of H, and also of its rows, because H is symmetric.
#
# </details>
#
# ## 1 · One more pass gives H v
#
# With 100,000 variables H has 10¹⁰ entries, so nobody builds it. But products of H and a vector are cheap, and enough
# for the step that we look for (09.6).
#
# The gradient `g` has n entries, and H is its Jacobian. So one more pass, started at `g` with a cotangent `v`, gives
# vᵀH: the rows of H, weighted and summed. Because H is symmetric, that is also **H v**, the *Hessian-vector product*,
# or HVP.
#
# This pass has two spellings: differentiate `(g * v).sum()`, or hand `v` over as the cotangent.

# %%
v = mg.tensor([1.0, 10.0, 100.0])
(g,) = mg.autograd.grad(f(x), x, create_graph=True)
print(mg.autograd.grad((g * v).sum(), x, retain_graph=True))
print(mg.autograd.grad(g, x, v))

# %% [markdown]
# The picture shows three choices of `v`. Ones add up the rows, so under each column stands its sum, the answer to the
# prediction. A one-hot gives one row, which is also a column.

# %%
H = [[4, 2, 0], [2, 0, 6], [0, 6, 4]]
choices = {"ones: the rows, added": [1, 1, 1], "one-hot: one row": [0, 1, 0], "weights": [1, 10, 100]}
viz.jacobian(H, v=choices, rows=["g[0]", "g[1]", "g[2]"], names=("H", "g"))

# %% [markdown]
# What does H v *mean*? It says how fast the gradient changes when you walk from x in the direction v. So central
# differences of the gradient, which need first derivatives only, must give the same:

# %%
def gradient(f, x):
    x = x.detach().requires_grad_()
    return mg.autograd.grad(f(x), x)[0]


x64, v64 = x.detach().double(), v.double()
((gradient(f, x64 + 1e-6 * v64) - gradient(f, x64 - 1e-6 * v64)) / 2e-6).numpy().round(4)

# %% [markdown]
# H v takes two passes, however many variables there are. Here are 100,000:

# %%
w, v_long = mg.ones(100_000, requires_grad=True), mg.randn(100_000)
(g,) = mg.autograd.grad((w**4).sum(), w, create_graph=True)
mg.allclose(mg.autograd.grad(g, w, v_long)[0], 12 * v_long)  # H is diagonal, 12·w², and w is 1

# %% [markdown]
# **Check yourself.** In `(w**4).sum()` no variable meets another. Which v gives the diagonal of H?
#
# <details><summary>Answer</summary>Ones: each row has one entry that is not zero, so its sum is that entry.</details>
#
# ## 2 · All of H
#
# Row i of H is the gradient of `g[i]`. So all of H takes **n + 1 passes**: one for `g`, and one for each row. Because
# all rows go through the same graph, it must be kept: `retain_graph=True`.

# %%
(g,) = mg.autograd.grad(f(x), x, create_graph=True)
found = mg.stack([mg.autograd.grad(entry, x, retain_graph=True)[0] for entry in g])
print(found, "symmetric:", mg.equal(found, found.T))
print(mg.equal(found, mg.autograd.functional.hessian(f, x.detach())))  # the library has it as well

# %% [markdown]
# Which is cheaper, H or products H v? k products at one point take k + 1 passes, one of them for the gradient. H takes n
# + 1, and then each product is a plain multiplication. So build H only if you want more products than there are
# variables, and if it fits into memory.
#
# <details><summary>For exercise 09.3: the diagonal alone, by the toss of a coin</summary>
#
# No single `v` gives the diagonal for every H, but a mean over random `v` comes close. Draw each entry of `v` as +1 or
# −1. Then $v_i^2 = 1$, so entry i of `v * (H v)` is
#
# $$v_i \sum_j H_{ij} v_j = H_{ii} + \sum_{j \neq i} v_i v_j \, H_{ij}$$
#
# The first part is what you want. The second cancels on average, because the products $v_i v_j$ are +1 as often as −1.
# k draws take k + 1 passes, and no H, but one digit more takes a hundred times the draws.
#
# </details>
#
# ## 3 · Newton's method
#
# This section answers the question at the top. Only exercises 09.4 and 09.6 need it.
#
# Here are two ways down a famous valley with a bend, *Rosenbrock's*:

# %% tags=["cover"]
def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


z, descent = mg.tensor([-1.2, 1.0], dtype=mg.float64), []
for _ in range(501):
    descent.append(z.tolist())
    z = z.detach().requires_grad_()
    z = z - 0.002 * mg.autograd.grad(rosenbrock(z), z)[0]
newton = [(-1.2, 1.0), (-1.175, 1.381), (0.763, -3.175), (0.763, 0.583), (1.0, 0.944), (1.0, 1.0)]  # as printed below
tracks = {"Newton, 5 steps": newton, "gradient descent, 500 steps": descent}
viz.paths(rosenbrock, tracks, xlim=(-2, 2), ylim=(-3.4, 2.2), zoom=((-1.3, -0.7), (0.8, 1.3)))

# %% [markdown]
# Gradient descent (orange) knows the slope only. It jumps from wall to wall, creeps along the floor, and does not
# arrive in 500 steps. Newton's method (blue) also knows how the slope **changes**. It takes a detour, down to −3.2 and
# back, but arrives in five steps.
#
# How far away is the bottom of a valley, where the gradient is zero? A walk by $-p$ changes the gradient by about $-H
# p$, as section 1 says. So at $x - p$ the gradient is about $g - H p$: zero if $H p = g$. Newton's method solves this
# for p, goes to $x - p$, and begins anew. One step is
#
# $$x \leftarrow x - p, \qquad H p = g$$
#
# Does this step mind the unit? With one variable p is slope / curvature. In seconds the slope is in loss per second, the
# curvature in loss per second², so p is in seconds, as a step must be. The 0.2 · slope at the top is not in seconds.
# With H the same holds for all variables together, as the tea will show below.
#
# For a quadratic f, a bowl, "about" is exact, so one step leads to the bottom. That holds even for the bowl below,
# which curves a thousand times more along one axis than along the other. `linalg.solve(H, g)` finds p:

# %%
def newton_step(f, x):
    return mg.linalg.solve(mg.autograd.functional.hessian(f, x), gradient(f, x))


def bowl(x):
    return 1000 * (x[0] - 3) ** 2 + (x[1] + 5) ** 2


start = mg.zeros(2, dtype=mg.float64)
(start - newton_step(bowl, start)).numpy().round(6)

# %% [markdown]
# For other functions a Newton step is only nearly right, but the nearer the goal, the better. Watch the distance in
# Rosenbrock's valley, whose lowest point is (1, 1):

# %%
z = mg.tensor([-1.2, 1.0], dtype=mg.float64)
for k in range(7):
    at = f"({z[0].item():.3f}, {z[1].item():.3f})"
    print(f"step {k}: z = {at:16} f = {rosenbrock(z).item():<9.2g} distance to (1, 1): {mg.linalg.norm(z - 1).item():.1g}")
    z = z - newton_step(rosenbrock, z)

# %% [markdown]
# The last two distances are 10⁻⁵ and 2 · 10⁻¹¹. **Near the goal each step about doubles the number of right digits**,
# if f curves up there in every direction. This is called *quadratic* convergence.
#
# But Newton's method does not look whether f gets smaller: in steps 2 and 4 f rises. Nor does it look for a bottom: it
# wants a **zero of the gradient**, so on a hill it climbs. And each step costs n + 1 passes or more, and n equations
# must be solved. With many variables 09.6 finds p from products H v alone.
#
# And the tea, in seconds?

# %%
q = mg.tensor([50.0, 900.0], dtype=mg.float64)
for k in range(4):
    print(f"step {k}: hot = {q[0].item():.1f}, half = {q[1].item():.1f} s, loss = {tea_loss(q).item():.2f}")
    q = q - newton_step(tea_loss, q)

# %% [markdown]
# Three steps are enough. In minutes the same three steps lead to the same tea:

# %%
unit, p = mg.tensor([1.0, 60.0], dtype=mg.float64), mg.tensor([50.0, 15.0], dtype=mg.float64)
for _ in range(3):
    p = p - newton_step(lambda p: tea_loss(p * unit), p)
print("in minutes:", p.numpy().round(2))

# %% [markdown]
# But the method needs a bowl, or nearly one. Whether there is one, the two *eigenvalues* of H tell: the smallest and the
# largest curvature in any direction. Here they are for three guesses, with the place to which ten steps lead:

# %%
for guess in (900.0, 1200.0, 1210.0):
    q = mg.tensor([50.0, guess], dtype=mg.float64)
    low, high = np.linalg.eigvalsh(mg.autograd.functional.hessian(tea_loss, q).numpy())
    for _ in range(10):
        q = q - newton_step(tea_loss, q)
    print(f"half = {guess:.0f} s: eigenvalues {low:8.1e} and {high:.2f}, then {q.numpy().round(1)}")

# %% [markdown]
# At 1200 and 1210 seconds the smaller one is negative: in its direction the loss curves *down*. There slope / curvature
# has the wrong sign, so the step goes up; and far, for the curvature is small. From 1200, the first page's guess, the
# ten steps come home by luck; from 1210 they do not.
#
# **Check yourself.** `z = z - newton_step(…)` has no `detach`. Why does no graph grow from step to step?
#
# <details><summary>Answer</summary><code>gradient</code> makes a leaf of its own, and <code>functional.hessian</code> returns numbers without a graph. So z never requires grad. In exercise 09.4 you take care of it yourself.</details>
#
# ## 4 · The price of nesting
#
# Why is the second derivative much more expensive to compute than the first? *Dive into Deep Learning* by Zhang,
# Lipton, Li and Smola asks so in its chapter on automatic differentiation. You can count it: `nodes` gives the number
# of nodes behind a result, which the next pass has to walk.

# %%
from minigrad.course.helpers.graphs import nodes_of


def nodes(y):
    return len(nodes_of(y))


def count(f, orders):
    x = mg.tensor(0.7, requires_grad=True)
    y = f(x)
    counts = [nodes(y)]
    for _ in range(orders):
        (y,) = mg.autograd.grad(y, x, create_graph=True)
        counts.append(nodes(y))
    return counts


functions = {"exp(sin x)": lambda x: mg.exp(mg.sin(x)), "exp x": mg.exp, "sin x": mg.sin}
for name, function in functions.items():
    print(f"{name:10}", count(function, 6))

# %% [markdown]
# The slope of exp(sin x) is a product. The slope of that has two terms, each a product again, and so on. So each order
# multiplies the graph, here by about 2.5: the cost of nesting is **exponential in the order.** For exp or sin the graph
# stays small: each slope is again one function of x.
#
# For *one* order the factor is small, however many variables there are. Below, one pass gives all n slopes. Compare the
# two counts in each line:

# %%
for n in (10, 100, 1000):
    xs = [mg.tensor(0.001 * i, requires_grad=True) for i in range(n)]
    y = mg.stack([mg.sin(a) * b for a, b in zip(xs, xs[1:], strict=False)]).sum()
    slopes = mg.autograd.grad(y, xs, create_graph=True)
    print(f"n = {n:4}: f has {nodes(y):5} nodes, all {n} slopes have {nodes(mg.stack(slopes)):5}")

# %% [markdown]
# This is the **cheap gradient principle**: all n slopes together cost a small multiple of one run of f, while
# differences need n + 1 runs.
#
# But H has n² entries. One pass gives one row, so all of H takes n passes more, where the gradient took one. So the
# book's question has two answers: each order multiplies the graph, and there are n rows.
#
# **Check yourself.** f has 1000 variables. How many passes for the gradient, for one product H v, for all of H?
#
# <details><summary>Answer</summary>1, 2 and 1001.</details>
#
# ## Three ways this goes wrong
#
# **1. The gradient has no graph.** `create_graph=True` was forgotten, or somebody called `detach`.

# %%
(g,) = mg.autograd.grad(f(x), x)
with expect_error(RuntimeError, match="does not require grad"):
    mg.autograd.grad(g.sum(), x)

# %% [markdown]
# **2. The second row.** The pass for the first row frees the graph behind it, unless `retain_graph=True` keeps it.

# %%
(g,) = mg.autograd.grad(f(x), x, create_graph=True)
print(mg.autograd.grad(g[0], x))
with expect_error(RuntimeError, match="a second time"):
    mg.autograd.grad(g[1], x)

# %% [markdown]
# **3. `backward` twice.** It warns, and the result is wrong, because the second pass **adds** to the `x.grad` that the
# first has filled. H·1 = (6, 8, 10) was wanted, but g + H·1 is there:

# %%
x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
with expect_warning(UserWarning, match="reference cycle"):
    f(x).backward(create_graph=True)
x.grad.sum().backward()
x.grad.detach()

# %% [markdown]
# The warning speaks of a cycle: `x` holds `x.grad`, and the graph of `x.grad` holds `x`. `mg.autograd.grad` has
# neither problem.
#
# ## In PyTorch
#
# The same lines, and the same numbers:
#
# ```python
# import torch
#
# x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
# (g,) = torch.autograd.grad(f(x), x, create_graph=True)
# torch.autograd.grad((g * v).sum(), x)     # (tensor([ 24., 602., 460.]),)
# ```
#
# Write `import torch as mg`, and in PyTorch 2.13 the cells of this chapter give the same, but for our notes on the
# errors, and a longer warning. The counts of nodes agree for exp and sin, but not for every function.
#
# Both libraries have `functional.hessian`, and `functional.vhp`: H v in two passes. PyTorch also has `torch.func.hessian(f)(x)`.
#
# ## Key points
#
# * With `create_graph=True` a gradient has a graph, and can be differentiated again.
# * H is the Jacobian of the gradient, and symmetric. `grad((g * v).sum(), x)` is **H v**: two passes in all, for any
#   number of variables.
# * All of H takes n + 1 passes, with `retain_graph=True`. `grad(g.sum(), x)` gives the sums of its rows, not its diagonal.
# * Newton's method solves H p = g and goes to x − p. Near a bottom that curves up every way the digits double. It looks for
#   a zero of the gradient, be it valley or summit.
# * As a rule each order multiplies the graph; not for exp, sin or a power. And for n variables H has n² entries.
#
# From the gallery you can now read [From the Earth to Mars](85-orbit.ipynb).

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** f(x) = x[0] · x[1]. What does `grad(g.sum(), x)` give at (5, 7), and what is the diagonal of H?
#
# <details><summary>Answer</summary>(1, 1), the sums of the rows of [[0, 1], [1, 0]]. The diagonal is (0, 0).</details>
#
# **2.** Which call needs `create_graph=True` to get H v: the first (the gradient), the second, or both?
#
# <details><summary>Answer</summary>Only the first: its result is differentiated again. The second only if you want third derivatives.</details>
#
# **3.** How many steps does Newton's method need for f(x) = x @ A @ x, from any start? A is symmetric and *positive
# definite*, so f curves up in every direction.
#
# <details><summary>Answer</summary>One. f is a bowl, and the gradient is exactly linear.</details>
#
# **4.** The graph of f has 20 nodes, and each order multiplies by 3. How large is the graph of the fourth derivative?
#
# <details><summary>Answer</summary>20 · 3⁴ = 1620 nodes.</details>

# %% [markdown]
# ## Your engine: M5, double backward
#
# M5 comes before M4, which needs chapter 11. If your rules compute with tensors, none of them changes. What is new lies
# in the walk: it is recorded when `create_graph=True`, with all its sums, and for `grad` it goes only on the paths to
# the inputs, which may be in the middle of the graph. If they compute with NumPy, write them again now, because what
# NumPy computes has no history.
#
# * **Write** `grad(outputs, inputs, …)` as in chapter 08, and `create_graph` for it and `backward`: M5 in [the
#   table](93-your-engine.ipynb). Exercise 16.5.
# * **Two sittings** of 45 minutes: first `grad` with its errors, then the second order.
# * Two facts, `M5.create_adds` and `M5.inside_no_grad`, need `no_grad`, and wait for chapter 11 if you have none yet.
# * **Not done with M3?** `start("16", upto="M3")`.

# %%
from minigrad.course import conformance

conformance("my_engine.py", "M5")

# %% [markdown] engine="ops/pointwise.py:power_slope"
# ## In the engine
#
# There is no second engine for second derivatives: one rule serves both kinds of pass. Below is that of `self **
# exponent`. In a plain pass `g` and `self` are arrays, so `pow` and `*` only compute. Under `create_graph=True` `g`
# and `self` are Tensors, and the same line is recorded like everything else.

# %% [markdown] exercise="09.1"
# Write `hvp(f, x, v)`: the Hessian of `f` at `x`, times `v`.
#
# {requirements}
#
# You may use it in 09.3 and 09.6. For the function of the lesson:

# %% tags=["given"]
x, v = mg.tensor([1.0, 2.0, 3.0], requires_grad=True), mg.tensor([1.0, 10.0, 100.0])


def f(x):
    return x[0] ** 2 * x[1] + x[1] * x[2] ** 2


# hvp(f, x, v) must be tensor([ 24., 602., 460.]).

# %% [markdown] exercise="09.2"
# Write `hessian(f, x)`: all of H, as a Tensor of shape (n, n).
#
# {requirements}
#
# With `f` and `x` of 09.1 it must be
#
# ```text
# tensor([[4., 2., 0.],
#         [2., 0., 6.],
#         [0., 6., 4.]])
# ```
#
# Test yours before you check: it must be symmetric, and `hessian(f, x) @ v` must be `hvp(f, x, v)`.

# %% [markdown] exercise="09.3"
# Write `diagonal(f, x, draws)`: an estimate of the diagonal of H, without H, from `draws` random vectors `v`, as in
# section 2.
#
# {requirements}
#
# Use your `hvp` of 09.1. `mg.randn(n)` gives n normal numbers, `mg.sign` their signs. For `f` and `x` of 09.1, one draw
# gives for example (2, −8, −2) or (6, 8, 10); a thousand come close to (4, 0, 4).

# %% [markdown] exercise="09.4"
# Write `newton(f, x0, k)`: the point after k steps of Newton's method from `x0`. Each step goes from x to x − p, where
# H p = g at x.
#
# {requirements}
#
# Use your `hessian` of 09.2, or `mg.autograd.functional.hessian(f, x)`, and `mg.linalg.solve(H, g)`. Something to try:

# %% tags=["given"]
def rosenbrock(z):
    return (1 - z[0]) ** 2 + 100 * (z[1] - z[0] ** 2) ** 2


z0 = mg.tensor([-1.2, 1.0], dtype=mg.float64)
# newton(rosenbrock, z0, 1) must be tensor([-1.1753,  1.3807], dtype=minigrad.float64),
# newton(rosenbrock, z0, 7) must be (1, 1) to all digits shown.

# %% [markdown] exercise="09.5"
# Write `nth(f, n)`: the n-th derivative of `f`, as a **function**. `nth(mg.sin, 1)` computes cos, and
# `nth(mg.sin, 2)` computes −sin.
#
# {requirements}
#
# The derivatives that the checker asks for never become constant.

# %% tags=["given"]
t = mg.tensor(0.5, requires_grad=True)
# nth(mg.sin, 8)(t) must be sin(0.5) = 0.4794 again, and nth(mg.sin, 3)(t) is -cos(0.5) = -0.8776.

# %% [markdown] exercise="09.6"
# With a million variables nobody builds H. But H p = −g can be solved with products H d only, by the method of
# **conjugate gradients**. Here p is the step itself, so there is a minus; in 09.4 the step was −p.
#
# The method keeps three vectors: p, the solution so far; r = −g − H p, the *residual*, what is missing; and d, the
# direction in which to go next. It begins with p = 0 and r = d = −g. A round:
#
# ```text
# α = (r · r) / (d · H d)               how far to go along d
# p ← p + α d
# r' = r − α H d                        the new residual
# d ← r' + (r' · r') / (r · r) d        the next direction
# r ← r'
# ```
#
# Each new d is chosen so that a later round spoils nothing that an earlier one has gained.
#
# Write `newton_direction(f, x, tol)`.
#
# {requirements}
#
# A bowl to try it on:

# %% tags=["given"]
def bowl(x):
    return 5 * (x[0] - 3) ** 2 + (x[1] + 5) ** 2 + x[0] * x[1]


origin = mg.zeros(2, dtype=mg.float64).requires_grad_()
# newton_direction(bowl, origin, 1e-8) leads from the origin to the bottom: p = (3.6842, -6.8421).

# %% [markdown] exercise="09.7"
# One figure, seven curves: write `plot_derivatives(f, xs, n)`. It draws `f` and its first `n` derivatives at the places
# `xs`, and returns the Axes.
#
# {requirements}
#
# Then draw `plot_derivatives(mg.tanh, mg.linspace(-3, 3, 121), 6)`, and look how high the sixth one gets.

# %% [markdown] exercise="09.8"
# A model has several parameters, and H has a block for each **pair** of them. Somebody wants H v for a network with three. Run the program:
# each line should show the same two numbers, H v and the central differences of the gradient. They differ.
#
# Find out what is missing. Then write `curvature(loss, params, vs)`, which returns the products as a list.
#
# {requirements}

# %% tags=["given"]
def products(loss, params, vs):
    found = []
    for p, v in zip(params, vs, strict=True):
        (g,) = mg.autograd.grad(loss(), p, create_graph=True)
        found += mg.autograd.grad((g * v).sum(), p)
    return found


def differences(loss, params, vs, eps=1e-6):
    def gradients(step):
        with mg.no_grad():
            for p, v in zip(params, vs, strict=True):
                p += step * v
        return mg.autograd.grad(loss(), params)

    after, before = gradients(eps), gradients(-2 * eps)
    gradients(eps)  # back to where they were
    return [(a - b) / (2 * eps) for a, b in zip(after, before, strict=True)]


mg.manual_seed(0)
x, target = mg.randn(20, 3, dtype=mg.float64), mg.randn(20, 1, dtype=mg.float64)
params = [mg.randn(*shape, dtype=mg.float64, requires_grad=True) for shape in ((3, 4), (4,), (4, 1))]
vs = [mg.randn(*p.shape, dtype=mg.float64) for p in params]


def loss():
    W, b, U = params
    return ((mg.tanh(x @ W + b) @ U - target) ** 2).mean()


for mine, right in zip(products(loss, params, vs), differences(loss, params, vs), strict=True):
    print(f"{mine.sum().item():8.4f} {right.sum().item():8.4f}")
