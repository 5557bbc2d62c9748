# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 04 · VJPs and the `gradient` argument
#
# **A backward pass gives one row of numbers, and you choose which. After this chapter you can get the row that you want,
# and write the rules by which the engine finds it without building the Jacobian.**
#
# The cup of tea again, and a good curve through its eleven readings. But look at the tenth, after 27 minutes:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


hot, half = mg.tensor(66.5, requires_grad=True), mg.tensor(10.9, requires_grad=True)
at = mg.linspace(0, 30, 61)  # places close together: so the curve has no corners
picture = viz.fit(minutes, degrees, {"the curve": 20 + hot * 0.5 ** (at / half)}, "minutes", "°C", at=at)
picture.axes[0].plot(minutes[9], degrees[9], "o", ms=12, mfc="none", mec="black")  # a ring at the tenth reading
picture

# %% [markdown]
# Somebody misread the thermometer there, so that reading should count less. But a mean counts all readings alike. Leave
# the mean out, and call `backward` on the eleven squared errors:

# %%
errors = (tea(hot, half) - degrees) ** 2
with expect_error(RuntimeError, match="only for scalar outputs"):
    errors.backward()

# %% [markdown]
# It refuses, because nobody has said how much each error counts: `backward` wants eleven weights. Section 2 gives them.
#
# Why not just multiply by the weights and sum? You may (section 1), but the engine needs weights anyway. Inside a graph
# most results hold many numbers. On the way back nobody chooses: each number's weight is the loss's slope for it. So the
# rule of every operation takes weights.
#
# First a smaller function, which multiplies neighbours: x = (1, 2, 3, 4) gives 1 · 2, 2 · 3 and 3 · 4. The table below is
# its Jacobian **J** (chapter 03), with a row for each output and a column for each input. Row 0 begins with 2 and 1: each
# factor is the slope for the other.

# %% tags=["cover"]
J = [[2, 1, 0, 0], [0, 3, 2, 0], [0, 0, 4, 3]]
viz.weigh(J, v=[2, -1, 3])

# %% [markdown]
# Each row has a weight, and the weights together are **v**. Below each entry stands the entry times its row's weight. The
# last line, their sum column by column, is called **vᵀJ**. It is what `y.backward(v)` leaves in `x.grad`.
#
# Run the cell, and move the weights. Make one of them 1 and the others 0: which row is left?
#
# | | |
# |---|---|
# | **Time** | 45 minutes to read and run, 69 minutes of exercises; 90 minutes for your engine, M2 |
# | **You need** | chapters 01 to 03, a row times a matrix |
# | **You will** | read `y.backward(v)` as vᵀJ · choose ones, a one-hot or weights · say when it raises · start from several roots · write the backward rules of six operations · test any rule with two random vectors |
# | **If short of time** | sections 1 and 2, "Two ways this goes wrong", exercises 04.1 to 04.4 |
#
# <details><summary>What we need from chapters 02 and 03, in four lines</summary>
#
# Entry `J[i, j]` of the **Jacobian** says how fast output i grows when input j alone moves:
# $J_{ij} = \partial y_i / \partial x_j$. Where one function follows another, $y = g(f(x))$, the **chain rule** multiplies
# their Jacobians: $J = J_g \, J_f$.
#
# Backward walks the graph from its end. A node **fires**, that is, hands its messages on, when all that comes to it has
# arrived and been added.
#
# </details>

# %%
import numpy as np


def f(x):
    return x[:-1] * x[1:]


# %% [markdown]
# ## Predict first
#
# `f` is the function of the table: `y[i] = x[i] * x[i + 1]`. The weights are now 1, 10 and 100. Find the four numbers of
# vᵀJ on paper.

# %% tags=["guess"]
x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
v = mg.tensor([1.0, 10.0, 100.0])
f(x).backward(v)
x.grad

# %% [markdown]
# <details><summary>Answer</summary>
#
# With these weights the digits show J. The third column is (0, 2, 4), and 0 · 1 + 2 · 10 + 4 · 100 = 420. Read the column
# from below: 4, 2, 0.
#
# </details>
#
# ## 1 · One pass, one row
#
# Let J have m rows and n columns. `backward` does not return J. It takes m weights, one for each output, and leaves n
# numbers, one for each input: a **vector-Jacobian product**, or VJP. **`v` has the shape of `y`, and the result has the
# shape of `x`.**
#
# Why this product? Let `y` go on into some loss $L$, and let `v[i]` be its slope $\partial L / \partial y_i$. Then the chain
# rule gives
#
# $$\frac{\partial L}{\partial x_j} = \sum_i v_i \, \frac{\partial y_i}{\partial x_j} = (v^\top J)_j$$
#
# So `v` is what arrives, the `g` of chapter 02. The simplest loss with these slopes is $L = \sum_i v_i \, y_i$, and it
# gives a second spelling of `y.backward(v)`:

# %%
x.grad = None  # else backward would add to what is there (chapter 06)
(v * f(x)).sum().backward()
print(x.grad)
print(v @ mg.tensor(J, dtype=mg.float32))  # the row times the whole matrix

# %% [markdown]
# With one output there is one row, and its weight is 1 unless you say otherwise: `L.backward()` means
# `L.backward(mg.tensor(1.0))`.
#
# If `y` is a table, so is `v`, with a weight for each entry of `y`. Below, y[0, 0] has weight 1 and y[1, 2] has weight 10.
# **Check yourself:** which entries of `table.grad` will differ from 0? The slope of a² is 2a.

# %% tags=["guess"]
table = mg.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], requires_grad=True)
y = table**2
y.backward(mg.tensor([[1.0, 0.0, 0.0], [0.0, 0.0, 10.0]]))
table.grad

# %% [markdown]
# Books call `v` the *cotangent*, the *upstream gradient* or `grad_output`. The argument itself is named `gradient`:
# `y.backward(gradient=v)`.
#
# ## 2 · Choose your v
#
# | `v`, for a row `y` | `y.backward(v)` gives | the same as |
# |---|---|---|
# | all ones | the sum of all rows | `y.sum().backward()` |
# | one-hot: 1 at place i, else 0 | row i | `y[i].backward()` |
# | weights `w` | the rows, weighted and summed | `(w * y).sum().backward()` |
#
# Three one-hots, then all ones:

# %%
for choice in [*mg.eye(3), mg.ones(3)]:
    x.grad = None
    f(x).backward(choice)
    print(x.grad)

# %% [markdown]
# Three passes gave J, row by row; the fourth gave the sum of its rows. So m outputs take m passes, however many inputs
# there are. A loss is one output, so its whole Jacobian is **one** pass.
#
# Now the tea. Row i of its Jacobian is the gradient of error i. The tenth row, in place 9, gets the weight 0.1:

# %%
for weight in (1.0, 0.1):
    hot.grad = half.grad = None
    weights = mg.ones(11)
    weights[9] = weight
    errors.backward(weights, retain_graph=True)  # keep the graph for the second call (chapter 07)
    print(f"weight {weight}: hot {hot.grad:6.2f}, half {half.grad:6.2f}")

# %% [markdown]
# For `half` the lines differ by −10.3, that is 0.9 of the tenth's gradient: so the tenth gives −11.5, the other ten
# 15.4. With equal weights they largely cancel; at the best curve they do exactly.
#
# But the tenth reading was too high: its slope is negative, so it pulls `half` up. With the weight 0.1 only a tenth of
# that pull is left, and a step lowers `half` more than three times as far.
#
# Where do a hundred steps end?

# %%
for weight in (1.0, 0.1):
    weights[9] = weight
    p = mg.tensor([66.5, 10.9], requires_grad=True)
    for _ in range(100):
        p.grad = None
        ((tea(p[0], p[1]) - degrees) ** 2).backward(weights / 11)  # the mean of the weighted errors
        with mg.no_grad():
            p -= 0.2 * p.grad
    print(f"weight {weight}: hot {p[0]:.2f}, half {p[1]:.2f}, 25 °C after {p[1] * mg.log2(p[0] / 5):.1f} minutes")

# %% [markdown]
# The second curve begins a little higher, and falls faster: the tea is ready three quarters of a minute earlier.
#
# **Check yourself.** For `y` with three entries: which `v` gives the gradient of `y.mean()`? And the
# gradient of `y[0] - y[2]`?
#
# <details><summary>Answer</summary>(⅓, ⅓, ⅓), and (1, 0, −1).</details>
#
# ## 3 · Several roots
#
# A network may share its first part, the *trunk*, between two results, its *heads*. One head ends in a loss. The other,
# `y`, feeds a simulator outside of Python, which sends back only a `v`. You could add `(v * y).sum()` to the loss. It is
# shorter to hand over the `v` as it is.
#
# Each result is a **root** of the graph. One call, with a list of the roots and a list of their `v`, goes back from all
# of them. Unlike two calls of `backward`, it walks the trunk only once:
#
# ```python
# mg.autograd.backward([y1, y2], [v1, v2])  # v1ᵀJ1 + v2ᵀJ2, as (v1 * y1).sum() + (v2 * y2).sum() would give
# ```
#
# `None` in the place of a `v` stands for 1, and is allowed for a root with one element. Both roots below depend on `h`,
# and a hook prints each gradient that comes to `h`:

# %%
x.grad = None
h = x**2
h.register_hook(lambda g: print("at h:", g))
mg.autograd.backward([h.sum(), f(h)], [None, mg.ones(3)])
print("x.grad:", x.grad)

# %% [markdown]
# From `h.sum()` comes 1 to each entry of `h`, which is (1, 4, 9, 16). From `f(h)` comes the sum of the neighbours: 4, 1 +
# 9, 4 + 16 and 9. The hook printed **one** line, because the messages of both roots were added at `h`, and the way from
# `h` to `x` was walked once.
#
# A good place to stop for today.
#
# ## 4 · The rules inside
#
# How does the engine get vᵀJ without J? Let `z` go into `h` with the Jacobian J₁, and `h` into `y` with J₂. Then
#
# $$v^\top J = (v^\top J_2)\, J_1$$
#
# That is a row times a matrix, twice, and nobody needs J. Each node needs only its own VJP: a rule that turns the `v` of
# its output into the `v` of each input.
#
# Below, the first is `h = W @ z`, with the Jacobian `W`. The second is `y = h**2`: its Jacobian has `2 * h` on the
# diagonal, so multiply entry by entry. `v` is still (1, 10, 100). First come the `v` of `h` and of `z` by hand, then the
# engine's steps.

# %%
z, W = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([[1.0, 0.0], [2.0, 1.0], [0.0, 3.0]])
h = W @ z
y = h**2
v_h = v * 2 * h.detach()
print(v_h, v_h @ W)
viz.steps(y, gradient=v)

# %% [markdown]
# In the rules, `g` is the `v` that arrives, and an operation calls its inputs `self` and `vec`. In step 1 `self` is `h`;
# in step 2 it is `W`. `mv(t(self), g)` is Wᵀ times g: the numbers of `v_h @ W`.
#
# Which other rules does your engine need? Backward, an operation multiplies the entries of `v` by slopes, moves them,
# adds up those of copies, or copies them.
#
# **Multiplied.** Multiply `v` by the slope. A product of matrices would have a huge J, but its rule is again a product:

# %%
A, B = mg.rand(300, 200, requires_grad=True), mg.rand(200, 100)
v_C = mg.rand(300, 100)
(A @ B).backward(v_C)
print(f"J would have {300 * 100 * 300 * 200:,} entries. Is v @ B.T right? {mg.allclose(A.grad, v_C @ B.T)}")

# %% [markdown]
# Why `v @ B.T` for A? In $y_{ik} = \sum_j A_{ij} B_{jk}$ the slope for $A_{ij}$ is $B_{jk}$. So $A_{ij}$ gets $\sum_k
# v_{ik} B_{jk}$. That is row i of v times row j of B, as in `v @ B.T`. For B likewise.
#
# <details><summary>For exercise 04.6: more than two axes</summary>
#
# `np.transpose(x, axes)` puts axis `axes[k]` of x in place k. `np.argsort(axes)` is the inverse order: for (2, 0, 1) it
# is (1, 2, 0). Transpose by it, and all is back.
#
# </details>
#
# **Copied.** Below, `x[2]` is picked twice. Its column of J holds two ones, so the weights 1 and 100 add up:

# %%
rows = [2, 0, 2]
viz.jacobian(np.eye(3)[rows], v=[1, 10, 100], rows=[f"y[{k}] = x[{row}]" for k, row in enumerate(rows)])

# %% [markdown]
# In NumPy this has a trap. Let `into` collect the messages to x: `into[rows] += v` keeps only the last one for each row.

# %%
into = np.zeros(3)
into[rows] += [1, 10, 100]
print(into)

# %% [markdown]
# The 1 is lost. `np.add.at(into, rows, v)` adds them all.
#
# Broadcasting copies too. `bias` below has 3 entries and is added to both rows of a table; `column` is stretched over
# three columns. Each gets the sum over its copies, in its own shape:

# %%
bias, column = mg.zeros(3, requires_grad=True), mg.zeros(2, 1, requires_grad=True)
(mg.zeros(2, 3) + bias + column).backward(mg.tensor([[1.0, 2.0, 3.0], [10.0, 20.0, 30.0]]))
print(bias.grad)
print(column.grad)

# %% [markdown]
# **Added.** The row of a sum is all ones: each input gets a copy of the `v` of the sum. So **copying forward is adding backward,
# and adding forward is copying backward.**
#
# All rules together:
#
# | | `y =` | `v` of the output becomes | why |
# |---|---|---|---|
# | multiplied | `a * b` | `v * b` for a, `v * a` for b | the slope is the other factor |
# | | `h**2` | `v * 2 * h` | slope of each entry |
# | | `A @ B` | `v @ B.T` for A, `A.T @ v` for B | above |
# | moved | `x.T` | `v.T` | move back |
# | copied | `x[rows]` | zeros, and each row of `v` added where it was picked | add the copies |
# | | `x` broadcast | `v`, summed over the copies | the same |
# | added | `a + b` | `v` for each | slope 1 |
# | | `x.sum(axis)` | `v`, copied along the axis | slope 1 |
# | | `x.mean(axis)` | `v / N`, copied along the axis | slope 1/N: N entries in each mean |
#
# ## 5 · A test for any rule
#
# A wrong rule seldom raises an error: only its numbers are wrong. How do you catch it? The differences of chapter 03
# call f twice for each input, 120,000 times for the A of section 4. This test calls it twice in all.
#
# Choose any direction `u`, in the shape of x. The product of v, J and u can be computed in two orders:
#
# $$(v^\top J) \cdot u = v \cdot (J u)$$
#
# The dot means: multiply entry by entry, and sum. The left side asks the rule. The right side asks `f` alone, because
# $J u$ is the slope of `f` in the direction `u`, and **central differences** (chapter 03) find it by a small step along
# `u`, forward and back:
#
# $$J u \approx \frac{f(x + \varepsilon u) - f(x - \varepsilon u)}{2 \varepsilon}$$
#
# With ε = 1e-6 in float64 that has about ten right digits, for numbers and slopes near 1.
#
# Now judge two rules for `sin(C @ x)`, with four inputs and three outputs: the right one, `C.T @ (v * cos(C @ x))`, and
# one that forgets `v`:

# %%
rng = np.random.default_rng(4)
C, point = rng.normal(size=(3, 4)), rng.normal(size=4)
u, random_weights = rng.normal(size=4), rng.normal(size=3)
Ju = (np.sin(C @ (point + 1e-6 * u)) - np.sin(C @ (point - 1e-6 * u))) / 2e-6

# %%
for weights in (np.ones(3), random_weights):
    right, wrong = C.T @ (weights * np.cos(C @ point)), C.T @ np.cos(C @ point)
    print(f"f says {weights @ Ju:.4f}   right rule {right @ u:.4f}   wrong rule {wrong @ u:.4f}")

# %% [markdown]
# In the first line, with `v` = ones, the wrong rule passes. Many wrong rules square, reverse or average `v`. But ones
# stay ones then. **Ones are blind** to such mistakes, and ones are what `y.sum().backward()` uses. So a test must draw
# `v` and `u` at random, of both signs.
#
# **Check yourself.** With a random `v` but `u` = ones, which mistakes would survive?
#
# <details><summary>Answer</summary>Those that put the right numbers in the wrong places. With u = ones only the sum of vᵀJ is
# compared.</details>
#
# ## Two ways this goes wrong
#
# **1. A v that does not fit.** It must be a Tensor of exactly the shape of `y`: nothing is broadcast. For a real `y` any
# dtype but a complex one will do. Only where `y` has one element, whatever its axes, may `v` be left out. Below, the
# first `v` has the shape of `x`, the second an axis too many, and the third is a list of numbers, no Tensor.

# %%
with expect_error(RuntimeError, match="Mismatch in shape"):
    f(x).backward(mg.ones(4))
with expect_error(RuntimeError, match="Mismatch in shape"):
    f(x).backward(mg.ones(1, 3))
with expect_error(TypeError, match="either Tensors or None"):
    f(x).backward([1.0, 10.0, 100.0])

# %% [markdown]
# **2. A v that fits and means something else.** No error, wrong gradient. To get rid of the error at the beginning,
# somebody writes `losses.backward(losses)`. But $v_i = \ell_i$ are the slopes of $\frac12 \sum \ell_i^2$, another loss:

# %%
x.grad = None
losses = f(x)
losses.backward(losses)
x.grad  # the sum of the rows would be (2, 4, 6, 3)

# %% [markdown]
# ## In PyTorch
#
# The same lines, and the same numbers:
#
# ```python
# import torch
#
# x = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
# v = torch.tensor([1.0, 10.0, 100.0])
# f(x).backward(v)
# x.grad                                    # tensor([  2.,  31., 420., 300.])
# ```
#
# Write `import torch as mg`, and with PyTorch 2.13 all cells but the drawings give the same. Only a shape is printed as
# `torch.Size([4])`, and the errors come without our notes. Three calls give the same row and leave `x.grad` alone:
# `autograd.grad(y, x, v)` (chapter 08), and the two below. `minigrad` has all but the last:
#
# ```python
# y, row = torch.autograd.functional.vjp(f, x, v)
# y, rule = torch.func.vjp(f, x)            # rule(v) is (row,), for any v
# ```
#
# ## Key points
#
# * `y.backward(v)` leaves **vᵀJ** in `x.grad`: the rows of the Jacobian, weighted by `v` and summed. It is
#   the same as `(v * y).sum().backward()`.
# * `v` has exactly the shape of `y`, the result that of `x`. No broadcasting. Only for one element may `v`
#   be left out.
# * Ones give the sum of the rows, a one-hot gives one row, weights a weighted loss. All of J takes one pass
#   for each output.
# * `mg.autograd.backward([y1, y2], [v1, v2])` starts at several roots and walks once.
# * Each operation knows its own VJP. Copying forward is adding backward, adding forward is copying
#   backward.
# * Test a rule with random `v` and `u`: v · (J u) must equal (vᵀJ) · u. With ones, many wrong rules pass.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `f` takes 1000 numbers and returns 3. What are the shapes of `v` and of `x.grad`, and how many
# passes does the whole Jacobian take?
#
# <details><summary>Answer</summary>(3,) and (1000,). Three passes, one for each output.</details>
#
# **2.** `y = 5 * x` with `x` of shape (4,). What does `y.backward(mg.tensor([0.0, 0.0, 2.0, 0.0]))` leave
# in `x.grad`?
#
# <details><summary>Answer</summary>(0, 0, 10, 0). J is 5 times the identity, and v picks row 2 with weight 2.</details>
#
# **3.** `y` has shape (1, 1). Which of these raise: `y.backward()`, `y.backward(mg.ones(1))`,
# `y.backward(mg.ones(1, 1))`?
#
# <details><summary>Answer</summary>Only the second: (1,) is not (1, 1). The first is fine, because one element is enough.</details>
#
# **4.** A `bias` of shape (3,) is added to a table of shape (8, 3). `v` arrives at the sum. What goes on to
# `bias`?
#
# <details><summary>Answer</summary>v.sum(0), of shape (3,). The bias was copied into eight rows, so eight messages are added up.</details>
#
# **5.** Somebody tests a rule for <code>y = x.T</code> that returns <code>v.reshape(x.shape)</code>, with
# `v` = ones. What happens?
#
# <details><summary>Answer</summary>It passes. Ones look the same transposed and reshaped. A random v would have caught it.</details>

# %% [markdown]
# ## Your engine: M2, arrays
#
# Now a tensor of yours holds an array, and the message is a v of any shape. The rules of M1 stay as they are, entry by
# entry. What is new is that shapes change, and most of those rules you know from exercise 04.6. Undo broadcasting in
# *one* place of the walk, not in every rule.
#
# * **Write** broadcasting, `.shape`, `sum`, `mean`, `@`, `.T`, `reshape`, `x[index]`, `relu`, and `backward(gradient)`: M2 in
#   [the table](93-your-engine.ipynb).
#   It is exercise 16.2.
# * **Take** two sittings of 45 minutes: first broadcasting, `sum` and `mean`; then `@`, `.T`, `reshape`, indexing and `relu`.
# * **Skip** M1, if it is not done: `start("16", upto="M1")` lays the reference there, and keeps your file.

# %%
from minigrad.course import conformance

conformance("my_engine.py", "M2")

# %% [markdown] engine="ops/matrix.py:mm"
# ## In the engine
#
# This is all that the engine says of `A @ B` for two matrices, which it calls `self` and `mat2`. The last line is the
# forward. The first has a rule for each matrix: `g` is the `v` that arrives, `shape.t` transposes, and `mm` is the
# product. So they are the `v @ B.T` and the `A.T @ v` of section 4.

# %% [markdown] exercise="04.1"
# There are two spellings of `y.backward(v)`. Write the other one.
#
# `spell_out(y, v)` returns a Tensor `L`.
#
# {requirements}
#
# Something to try it on:

# %% tags=["given"]
x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
y = x[:-1] * x[1:]  # (2, 6, 12)
v = mg.tensor([1.0, 10.0, 100.0])
# spell_out(y, v) must be 1262, in a Tensor of shape ().

# %% [markdown] exercise="04.2"
# Write `row(f, x, i)`: row `i` of the Jacobian of `f` at `x`.
#
# {requirements}
#
# For the function of the lesson at (1, 2, 3, 4), `row(f, x, 1)` is `tensor([0., 3., 2., 0.])`. Here are all
# its rows:

# %% tags=["given"]
from minigrad import viz

x = mg.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)


def f(x):
    return x[:-1] * x[1:]


viz.jacobian([[2, 1, 0, 0], [0, 3, 2, 0], [0, 0, 4, 3]], rows=["row(f, x, 0)", "row(f, x, 1)", "row(f, x, 2)"])

# %% [markdown] exercise="04.3"
# What happens in each of the eleven lines below? Each is run by itself. Write into the dict `outcomes`, for
# each letter, one of four words:
#
# * `"ok"`: no error.
# * `"scalar-only"`: RuntimeError, *grad can be implicitly created only for scalar outputs*.
# * `"shape"`: RuntimeError, *Mismatch in shape …*
# * `"type"`: TypeError.
#
# Predict first. You may run the lines afterwards.

# %% [markdown] exercise="04.4"
# Write `weighted_grad(losses_of, theta, w)`: the gradient of the weighted loss $\sum_i w_i \ell_i$ with
# respect to `theta`.
#
# {requirements}
#
# To try it: four measurements and a straight line. The last measurement is careless, and has the weight 0.1:

# %% tags=["given"]
t, seen = mg.tensor([0.0, 1.0, 2.0, 3.0]), mg.tensor([1.0, 3.0, 5.0, 0.0])
line, weights = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([1.0, 1.0, 1.0, 0.1])


def losses_of(line):
    return (line[0] + line[1] * t - seen) ** 2


# weighted_grad(losses_of, line, weights) must be tensor([1.4000, 4.2000]).
# Run this cell again before a second try: it makes a new line, whose grad is None.


# %% [markdown] exercise="04.5"
# A network with two heads: `h = trunk(x)`, and two results, `head1(h)` of shape `()` and `head2(h)` of
# shape (m,).
#
# ```text
#                    ┌──► head1 ──► ()     weight 1
#   x ──► trunk ──► h
#                    └──► head2 ──► (m,)   weights v
# ```
#
# Write `two_heads(x, trunk, head1, head2, v)`. It leaves in `x.grad` the sum of two gradients: that of
# `head1(h)`, and vᵀJ of `head2(h)`.
#
# {requirements}
#
# Here is a small one:

# %% tags=["given"]
leaf, row_of_weights = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([1.0, 0.0, 10.0])


def trunk(x):
    return x**2


def head1(h):
    return h.sum()


def head2(h):
    return mg.stack([3 * h[0], h[0] * h[1], h[1] ** 2 / 2])


# two_heads(leaf, trunk, head1, head2, row_of_weights) must leave tensor([  8., 164.]) in leaf.grad.
# Run this cell again before a second try: it makes a new leaf, whose grad is None.


# %% [markdown] exercise="04.6"
# Now you are the engine. Write six backward rules, in plain NumPy. Each gets `v`, an array of the shape of
# `y`, and what else it needs.
#
# | rule | the operation | |
# |---|---|---|
# | `VJP.transpose(v, axes)` | `y = np.transpose(x, axes)` | `axes` is a permutation, such as (2, 0, 1) |
# | `VJP.sum(v, shape, axis)` | `y = x.sum(axis)` | `shape` is the shape of x; `axis` is one int, perhaps negative |
# | `VJP.mean(v, shape, axis)` | `y = x.mean(axis)` | the same |
# | `VJP.matmul(v, A, B)` | `y = A @ B` | two axes each; returns **two** arrays, for A and for B |
# | `VJP.index(v, shape, rows)` | `y = x[rows]` | `rows` is a 1-d array of ints, perhaps with repeats; x has one or two axes |
# | `VJP.unbroadcast(v, shape)` | `y = np.broadcast_to(x, v.shape)` | `shape` is the shape of x, perhaps `()` |
#
# {requirements}
#
# Work from top to bottom, and check as often as you like: the check stops at the first rule that is wrong or not yet written.
#
# Section 4 says two things that you need: what undoes a permutation of axes, and what `into[rows] += v` does to a row
# that is picked twice.
#
# For example, `VJP.index(np.array([1., 10., 100.]), (3,), np.array([2, 0, 2]))` is `[10., 0., 101.]`, as in
# section 4.

# %% [markdown] exercise="04.7"
# Write a judge of backward rules: `dot_test(f, vjp, x)` returns `True` if `vjp` is the backward rule of
# `f`, and `False` if not.
#
# {requirements}
#
# The checker lets your judge decide on ten right rules and eighteen wrong ones, each at many points. For each rule the
# majority counts. Fourteen of the wrong ones give exactly the right gradient for `v` = ones, and one of these is wrong by
# no more than 3 in 1000.
#
# Two rules to try it on:

# %% tags=["given"]
def right_rule(v, x):
    return v * np.cos(x)


def wrong_rule(v, x):
    return np.cos(x)


point = np.array([0.5, 1.0, 2.0])
# dot_test(np.sin, right_rule, point) must be True, and dot_test(np.sin, wrong_rule, point) False.
