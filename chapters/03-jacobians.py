# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 03 · Jacobians, and finite differences as the oracle
#
# **A function of many numbers has many slopes. After this chapter you can write all of them into one table, read
# from its pattern what the function does, and check every entry with nothing but values of the function.**
#
# With the [cup of tea](00-tea.ipynb) a nudge told how fast the *loss* grows. But behind the loss stand eleven
# temperatures, each with a slope for `hot` and one for `half`, 22 in all. Write them as a table, with a row for each
# temperature and a column for each parameter: nudge a parameter, and its column is filled. Each operation has such a
# table, and `backward()` multiplies a row by one after the other (sections 4 and 5).
#
# Here are the rows of minutes 0, 15 and 30, near the good curve, at `hot` = 66.5 and `half` = 10.9. Which parameter
# matters at the start, and which in the end? And three sizes of nudge are tried: which is the best?

# %%
import minigrad as mg
from minigrad.course.data import cup_of_tea

minutes = mg.tensor(cup_of_tea()[0])


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


for nudge in (1.0, 0.01, 0.0000001):
    more = mg.stack([tea(66.5 + nudge, 10.9), tea(66.5, 10.9 + nudge)], 1)
    table = (more - tea(66.5, 10.9).reshape(11, 1)) / nudge
    print(f"a nudge of {nudge:g}:", table[::5].numpy().round(2), sep="\n")

# %% [markdown]
# At the start only `hot` counts, for the first row is (1, 0). In the end a degree more of `hot` adds only 0.15 degrees,
# and a minute more of `half` adds 1.7. So a reading at minute 0 says nothing about `half`. The smallest nudge, which
# should be the best, gives nonsense. So there are two questions:
#
# - What does such a table tell? (Sections 1, 4 and 5.)
# - How small should a nudge be, and how many digits may you believe? (Sections 2 and 3. Sections 4 and 5 do not need
#   them.)
#
# | | |
# |---|---|
# | **Time** | 45 minutes to read and run, 45 minutes of exercises |
# | **You need** | chapter 01, a slope, and how to multiply a matrix by a matrix; chapter 02 helps, and is not needed |
# | **You will** | lay out a Jacobian, outputs by inputs · find it from values of the function alone, and know how many digits to believe · recognise diagonal, row, column, permutation and block · multiply Jacobians where one function follows another |
# | **If short of time** | sections 1, 2, 4 and 5, "Two ways this goes wrong", exercises 03.1, 03.3 and 03.4 |

# %%
import numpy as np

import minigrad as mg
from minigrad import viz
from minigrad.autograd.functional import jacobian
from minigrad.course import expect_error
from minigrad.course.helpers.ch03 import errors_by_step, heat_maps

# %% [markdown]
# ## Predict first
#
# `f` takes three numbers and returns two: `y[0] = x[0] * x[1]` and `y[1] = x[1] + 3 * x[2]`. We stand at
# x = (2, 5, 1). Now one of the inputs grows a little, while the others stay.
#
# How fast does each output grow with each input? Find the six numbers on paper, in a table of two rows and three columns.
# Two of them are 0.

# %% tags=["guess"]
def f(x):
    return mg.stack([x[0] * x[1], x[1] + 3 * x[2]])


x = mg.tensor([2.0, 5.0, 1.0])
viz.jacobian(jacobian(f, x))

# %% [markdown]
# ## 1 · A table of slopes
#
# This table is the **Jacobian** of `f` at x. Entry `J[i, j]` says how fast output i grows when input j alone moves:
#
# $$J_{ij} = \frac{\partial y_i}{\partial x_j}$$
#
# **Rows are outputs, columns are inputs.** m outputs and n inputs make a table of shape (m, n). Row i is the gradient
# of output i alone. Column j is what all outputs do when input j moves.
#
# How does the engine find it? Row by row, with a backward pass for each output:

# %%
for i in range(2):
    x = mg.tensor([2.0, 5.0, 1.0], requires_grad=True)
    f(x)[i].backward()
    print(x.grad)

# %% [markdown]
# `jacobian(f, x)` does the same and stacks the rows. Here is the table of the tea, without a nudge:

# %%
print(jacobian(lambda p: tea(p[0], p[1]), mg.tensor([66.5, 10.9]))[::5])  # every fifth of eleven rows

# %% [markdown]
# Compare its second column with those at the top: of the three nudges, 0.01 came nearest.
#
# What is the table of f good for? If x moves by a small d, then f(x) moves by nearly `J @ d`. And the table belongs to a
# *point*: at another x there may be another one.

# %%
x, d = mg.tensor([2.0, 5.0, 1.0]), mg.tensor([0.01, -0.02, 0.01])
print(f(x + d) - f(x))
print(jacobian(f, x) @ d)
print(jacobian(f, x + 100 * d))  # at (3, 3, 2)

# %% [markdown]
# The first two differ by 0.01 · 0.02, the product of two small steps. In the third, row 0 has changed, because its slopes
# are x[1] and x[0] themselves. Row 1 has not: y[1] is **linear**, so its slopes are the fixed factors 1 and 3.
#
# The parameters of a network are often tables themselves, and `jacobian` keeps all axes. **The shape of J is the shape of
# the output, followed by the shape of the input.** A single number has no axes, and adds none.

# %%
X = mg.rand(2, 3)
print(jacobian(lambda X: X.sum(0), X).shape)  # out (3,), in (2, 3)
print(jacobian(lambda X: X.sum(), X).shape)  # out (), in (2, 3)
print(jacobian(lambda X: X.sum(0), X).reshape(3, 6))

# %% [markdown]
# The last line lays out the inputs in one list, row by row. Then J is a matrix again, 3 outputs by 6 inputs, to be drawn
# and multiplied.
#
# **Check yourself.** `W` has shape (4, 5), `z` has shape (5,). What is the shape of the Jacobian of `W @ z` by `z`? And
# by `W`?
#
# <details><summary>Answer</summary>(4, 5) by z: it is W itself. (4, 4, 5) by W: each of the 4 outputs has a slope for
# each of the 20 entries.</details>
#
# ## 2 · Ask the function
#
# If you have no engine, or do not trust it, ask the function: move an input a little up and a little down, and see
# how far the outputs go.
#
# $$\text{column } j \;\approx\; \frac{f(x + s) - f(x - s)}{2\,\varepsilon}, \qquad s = (0, \dots, \varepsilon, \dots, 0)$$
#
# with ε in place j. This **central difference** needs nothing but values of `f`. So it makes an **oracle**: an answer
# from somewhere else, to compare a gradient with.

# %%
def f64(x):
    return np.array([x[0] * x[1], x[1] + 3 * x[2]])  # f in NumPy, in float64


at, s = np.array([2.0, 5.0, 1.0]), np.array([1e-6, 0.0, 0.0])
print(((f64(at + s) - f64(at - s)) / 2e-6).round(6))

# %% [markdown]
# That is column 0 of the table above. A step gives a **column**, while a backward pass gives a row.
#
# Why from both sides? The difference with one side, (f(x + ε) − f(x)) / ε, is easier to write. Here are both for the
# curve x³, with the large step ε = 0.3. The orange line touches the curve, with the slope that the engine computed.
#
# The dashed line and the dotted one are the two differences: compare how steep they are, not where they lie. Run the
# cell, drag the point, and make the step smaller.

# %%
viz.tangent(lambda x: x**3, mg.linspace(0.0, 0.8, 81), at=0.4, step=0.3, both=True)

# %% [markdown]
# One step away the curve is higher than the orange line, by 0.135 at the right and by 0.081 at the left. One side takes
# in all of the 0.135, so its slope is 0.135 / 0.3 = 0.45 too large. With both sides the left value is subtracted, and
# its 0.081 with it, so only (0.135 − 0.081) / 0.6 = 0.09 remains.
#
# Here is the error of each difference for 1/(1 + x²) at x = 0.7:

# %%
def F(x):
    return 1 / (1 + x * x)


def slope_at(x):
    return -2 * x / (1 + x * x) ** 2


for eps in [0.1, 0.01, 0.001]:
    one, both = (F(0.7 + eps) - F(0.7)) / eps, (F(0.7 + eps) - F(0.7 - eps)) / (2 * eps)
    print(f"eps = {eps:<6} one side {abs(one - slope_at(0.7)):.0e}   both sides {abs(both - slope_at(0.7)):.0e}")

# %% [markdown]
# With a step ten times smaller, the one-sided difference gains one digit, the central one **two**: their errors shrink
# like ε and ε².
#
# **Check yourself.** A function has 1000 inputs and 3 outputs. How often must `f` be called for J by central
# differences? How many backward passes does `jacobian` need?
#
# <details><summary>Answer</summary>2000 calls, two for each column. Three passes, one for each row. For a loss it is one pass,
# however many inputs there are.</details>
#
# ## 3 · How small is small?
#
# Why did the smallest nudge of the tea give nonsense? You will need to know, to tell a wrong rule from rounding. For
# each ε the picture shows the largest error at nine points of F, between 0.5 and 1.5.

# %%
errors_by_step(F, slope_at)

# %% [markdown]
# Each curve is a **V**. Read the blue one, for both sides, from the right: at first a smaller step helps, and the error
# falls with ε². Why does it turn? Here are the two values for ε = 1e-12:

# %%
print(F(0.7 + 1e-12), F(0.7 - 1e-12), sep="\n")

# %% [markdown]
# They agree in the first eleven of 16 digits, so the difference keeps only five, and the last of these is rounded. That
# is **round-off**. Each of the two may be wrong by about u = 2.2e-16, the gap between 1 and the next number. The
# difference keeps both errors, about 2u. Divided by 2ε, they make u/ε: the left arm of the V.
#
# The best step is where the two errors are about equal. For numbers near 1, with both sides, that is about ε² = u/ε, so
# ε = ∛u. With one side the error falls with ε only: then ε = u/ε, so ε = √u.

# %%
for kind in [np.float32, np.float64]:
    u = np.finfo(kind).eps
    print(f"{kind.__name__}: both sides {np.cbrt(u):.0e}, one side {np.sqrt(u):.0e}; error with both {np.cbrt(u) ** 2:.0e}")

# %% [markdown]
# The last number is about the error at the best step: ten right digits in float64, four in float32 (grey). So use the
# oracle **in float64**.
#
# **Check yourself.** Somebody checks a gradient with ε = 1e-10 and central differences in float64. How many digits of
# the answer can be right? Look at the picture.
#
# <details><summary>Answer</summary>About six: round-off is u/ε, near 2e-6. A gradient that differs from it in the seventh digit
# may well be right.</details>
#
# And the first cell, in float32? Why did its nudge of 1e-7 give 0 and 38.15?
#
# <details><summary>Answer</summary>Rounded to float32, 66.5 + 1e-7 is 66.5, so the column is 0. But 10.9 is rounded down
# and 10.9 + 1e-7 up, for they lie almost midway between two float32 numbers. That is enough to move the temperatures of
# minutes 15 and 30 by 3.8e-6, and 3.8e-6 / 1e-7 is 38.</details>
#
# The engine has the oracle built in. `gradcheck(f, x)` compares the engine's table with central differences, ε = 1e-6,
# and wants float64 (chapter 14):

# %%
x = mg.tensor([2.0, 5.0, 1.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(f, x))

# %% [markdown]
# And a wrong one? The square with a `detach` in it, from chapter 01, has half the slope:

# %%
print(mg.autograd.gradcheck(lambda x: x * x.detach(), x, raise_exception=False))

# %% [markdown]
# ## 4 · One after the other
#
# A program is many operations, one after the other. How do their slopes join? Let a function g follow f: first
# `a = f(x)`, then `y = g(a)`. As before, a[0] = x[0] · x[1] and a[1] = x[1] + 3 · x[2].
#
# Take y[1] = a[0] · a[1]. Two paths lead to it from x[1], through a[0] and through a[1]. Along a path the slopes are
# **multiplied**, and the paths are **added up**. That is a row times a column:
#
# $$J_{ij} = \sum_k \frac{\partial y_i}{\partial a_k}\,\frac{\partial a_k}{\partial x_j}
# \qquad\text{or}\qquad J = J_g \, J_f$$
#
# So the **chain rule** is a product of matrices. The last function stands first, as it does in g(f(x)). Each table
# belongs to the point that goes *into* its function: J_f to x, J_g to f(x).

# %%
def g(a):
    return mg.stack([a[0] + a[1], a[0] * a[1], a[1] ** 2, a[0] - 2 * a[1]])


x = mg.tensor([2.0, 5.0, 1.0])
J_f, J_g = jacobian(f, x), jacobian(g, f(x))
print(J_g @ J_f)
print(jacobian(lambda x: g(f(x)), x))

# %% [markdown]
# Twice the same. In the picture below, take the entry 26, in row 1 and column 1. Through a[0] the slopes are 8 and 2, through
# a[1] they are 10 and 1: 8 · 2 + 10 · 1 = 26.

# %% tags=["folded"]
three = {"J of g: 4 × 2": J_g, "J of f: 2 × 3": J_f, "product: 4 × 3": J_g @ J_f}
framed, names = ((0, 1, 2, 1), (1, 0, 1, 2), (1, 1, 1, 1)), ("ya", "ax", "yx")
heat_maps(three, signs=("", "@", "="), framed=framed, names=names, below="8 · 2 + 10 · 1 = 26")

# %% [markdown]
# With three functions, from 2 numbers to 5, to 3, to 4, the product is (4×3)(3×5)(5×2). The sizes that meet are equal: what
# one function gives out, the next takes in.
#
# **Check yourself.** When does a product in the wrong order raise no error?
#
# <details><summary>Answer</summary>When g gives out as many numbers as f takes in: then J_f @ J_g has shapes that meet, too. So
# test with sizes that are all different.</details>
#
# ## 5 · Five patterns
#
# Back to the first question: what does a table tell? Its pattern gives a short rule, which takes its place. Let a loss
# come after an operation, and let the row `v` hold the slopes of the loss for the operation's outputs. By section 4, `v`
# times the table gives the slopes of the loss for the inputs.
#
# Relu keeps x where x > 0, and else gives 0. For 1000 numbers its table has a million entries: 999,000 must be 0.
#
# So an engine builds no table: each operation has a short rule for the product. You can read the rule off the table's
# pattern. Ask of each output:
#
# **Which inputs does it depend on?**
#
# Here are five patterns. White is a slope of 0, orange means that the output grows with the input, blue that it falls.

# %%
x, B = mg.tensor([2.0, -1.0, 3.0, 1.0, -2.0, 4.0]), mg.tensor([[1.0, 2.0, 0.5], [-1.0, 1.5, 1.0]])
five = {
    "relu:\ndiagonal": jacobian(mg.relu, x),
    "sum:\none row": jacobian(lambda x: x.sum(0, keepdim=True), x),
    "broadcast:\none column": jacobian(lambda c: c.expand(6), mg.ones(1)),
    "sort:\na permutation": jacobian(lambda x: mg.sort(x).values, x),
    "matmul:\nblocks": jacobian(lambda A: A @ B, mg.ones(2, 2)).reshape(6, 4),
}
heat_maps(five)

# %% [markdown]
# | pattern | each output depends on | found in | so the rule is |
# |---|---|---|---|
# | diagonal | the input in its own place | exp, `2 * x`, relu (with a 0 where x is not positive) | `v` times the diagonal, entry by entry |
# | one row | all inputs, and there is one output | sum, mean, a loss | the one number `v` times the row; for a sum, `v` in every place |
# | one column | the same one input | broadcasting one number | add up `v` |
# | permutation | one input, and no two outputs on the same one | sort, transpose, flip | move `v` back |
# | blocks | the inputs of its group only | matmul: a group is a row of A | one product for each group |
#
# So the rule of relu is one line, for 6 numbers or for 1000:

# %%
v = mg.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
print(v @ five["relu:\ndiagonal"])  # the row times the table
print(v * (x > 0))  # the rule
print(v @ five["sort:\na permutation"])  # v, moved back

# %% [markdown]
# A sort only moves numbers: its table is the identity with its rows moved in the same way. And the blocks? In `A @ B`,
# row 0 of the product depends on row 0 of A, and on no other. With all entries read row by row, that makes one block
# for each row of A, and each block is Bᵀ:

# %% tags=["folded"]
B = mg.tensor([[1.0, 2.0, 0.5], [-1.0, 1.5, 1.0]])
rows, columns = [f"y[{i},{k}]" for i in range(2) for k in range(3)], [f"A[{i},{j}]" for i in range(2) for j in range(2)]
viz.jacobian(jacobian(lambda A: A @ B, mg.ones(2, 2)).reshape(6, 4), rows=rows, columns=columns)

# %% [markdown]
# **Check yourself.** None of the five fits the running difference `y[i] = x[i + 1] - x[i]`. What is its pattern, for four
# inputs?

# %% tags=["guess"]
viz.jacobian(jacobian(lambda x: x[1:] - x[:-1], mg.ones(4)))

# %% [markdown]
# <details><summary>Answer</summary>
#
# Two diagonals, side by side: a *band*.
#
# </details>
#
# ## Two ways this goes wrong
#
# **1. The step does not arrive.** An array of whole numbers cannot hold 2.001. With `whole[0] += 0.001` NumPy keeps the
# 2 and says nothing; `minigrad` refuses. So make a new array for each point, of floats: `x + s`.

# %%
whole = np.array([2, 5, 1])
whole[0] += 0.001
print(whole)
with expect_error(RuntimeError, match="can't be cast"):
    t = mg.tensor([2, 5, 1])
    t[0] += 0.001

# %% [markdown]
# **2. The oracle is asked what it cannot know.** At a kink there is no slope, and no error says so. The central
# difference of relu at 0 is the middle of 0 and 1, whatever the step, while the engine answers 0, by convention
# (chapter 05). So ask elsewhere: random points hardly ever hit a kink.

# %%
s, zero = mg.tensor([1e-6], dtype=mg.float64), mg.zeros(1, dtype=mg.float64)
print((mg.relu(zero + s) - mg.relu(zero - s)) / 2e-6)
print(jacobian(mg.relu, zero))

# %% [markdown]
# ## In PyTorch
#
# The same function, in the same place, with the same layout:
#
# ```python
# import torch
# from torch.autograd.functional import jacobian
#
# x = torch.tensor([2.0, 5.0, 1.0])
# f = lambda x: torch.stack([x[0] * x[1], x[1] + 3 * x[2]])
# jacobian(f, x)                        # tensor([[5., 2., 0.], [0., 1., 3.]])
# torch.func.jacrev(f)(x)               # the same, row by row
# torch.func.jacfwd(f)(x)               # the same, column by column
# ```
#
# Write `import torch as mg`, take `jacobian` from there, and with PyTorch 2.13 the cells of this chapter give the same.
# Only types and shapes print as `torch.…`, and errors come without our notes. `minigrad` does not have `torch.func`.
#
# ## Key points
#
# * The **Jacobian** holds all slopes at a point: `J[i, j]` is output i by input j. Rows are outputs, columns are inputs.
#   The shape of J is the shape of the output, followed by that of the input.
# * A **central difference** gives a column from two values of f. Its error falls with ε², down to where round-off takes
#   over: near ε = ∛u, 6e-6 in float64, for x near 1. Use float64.
# * It knows nothing of the engine. That makes it the **oracle**, except at kinks.
# * The **chain rule** is a product of matrices, the last function first, each table at its own point.
# * The pattern says which output depends on which input: diagonal, row, column, permutation, blocks.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `f` takes 5 numbers and returns 2. What is the shape of J, and what is column 3?
#
# <details><summary>Answer</summary>(2, 5). Column 3 says how fast both outputs grow when <code>x[3]</code> alone
# moves.</details>
#
# **2.** `jacobian(f, X)` has shape (4, 2, 3). `X` has shape (2, 3). What is the shape of `f(X)`?
#
# <details><summary>Answer</summary>(4,). The axes of the output come first, those of the input last.</details>
#
# **3.** You make ε ten times smaller, and the error of your central difference becomes ten times *larger*. Where in
# the V are you?
#
# <details><summary>Answer</summary>On the left arm: round-off, which grows as u/ε. The best step is larger than
# yours.</details>
#
# **4.** What is the Jacobian of `x.flip(0)` for three numbers?
#
# <details><summary>Answer</summary>The identity with its rows in reverse order: a permutation, with ones from the
# upper right to the lower left.</details>
#
# **5.** f turns 3 numbers into 6, g turns those into 2. Which product is the Jacobian of g(f(x)), and where is each
# factor taken?
#
# <details><summary>Answer</summary>J_g @ J_f, (2×6)(6×3), of shape (2, 3). J_f at x, J_g at f(x).</details>

# %% [markdown] engine="ops/pointwise.py:mul"
# ## In the engine
#
# For each input of an operation the engine has a rule, which multiplies the row that arrives by the Jacobian without
# building the table. The code calls the row `g`, as chapter 02 did; it is not the function g of section 4. For a product
# the Jacobian is diagonal, with the other factor on the diagonal, so the rule is one multiplication.

# %% [markdown] exercise="03.1"
# Write the oracle: `numjac(f, x, eps)`, the Jacobian of `f` at `x` by **central differences**.
#
# {requirements}
#
# No engine here: NumPy alone. Something to try it on:

# %% tags=["given"]
def products(x):
    return np.array([x[0] * x[1], x[1] + 3 * x[2]])


# numjac(products, np.array([2, 5, 1])) must be nearly [[5, 2, 0], [0, 1, 3]].

# %% [markdown] exercise="03.2"
# Six functions, and six Jacobians to write down. Each method returns the table at x, of shape (m, n), as a NumPy array.
#
# | method | the function | |
# |---|---|---|
# | `Jac.relu(x)` | `y = np.maximum(x, 0)` | no entry of x is 0 |
# | `Jac.cumsum(x)` | `y[i] = x[0] + … + x[i]` | |
# | `Jac.running_mean(x, k)` | `y[i] = x[i : i + k].mean()` | for i = 0, …, n − k |
# | `Jac.outer(x, b)` | `y = np.outer(x, b).ravel()` | by x; b is a constant |
# | `Jac.transpose(X)` | `y = X.T.ravel()` | the inputs are `X.ravel()` |
# | `Jac.sort(x)` | `y = np.sort(x)` | no two entries are equal |
#
# {requirements}
#
# One line each will do. Ask which inputs each output depends on. Do use your
# `numjac` to see whether you are right, for example `numjac(np.cumsum, np.ones(3))`.
#
# Work from top to bottom, and check as often as you like: the check stops at the first one that is wrong or not yet
# written. For x of two entries and b of three, `Jac.outer` has this pattern:

# %% tags=["given"]
from minigrad import viz

outer_of_2_and_3 = [[7, 0], [8, 0], [9, 0], [0, 7], [0, 8], [0, 9]]
viz.jacobian(outer_of_2_and_3, title="b = (7, 8, 9)")

# %% [markdown] exercise="03.3"
# What is the shape of each of the eight Jacobians below? Write into the dict `shapes`, for each letter, a tuple of ints.
#
# Predict first, you may run the lines afterwards. (A tuple with one number is written `(4,)`.)

# %% [markdown] exercise="03.4"
# Write `chain(maps, x)`: the Jacobian of several functions, one applied after the other.
#
# {requirements}
#
# The f and the g of the lesson, to try it on:

# %% tags=["given"]
def f(x):
    return np.array([x[0] * x[1], x[1] + 3 * x[2]])


def J_f(x):
    return np.array([[x[1], x[0], 0.0], [0.0, 1.0, 3.0]])


def g(a):
    return np.array([a[0] + a[1], a[0] * a[1], a[1] ** 2, a[0] - 2 * a[1]])


def J_g(a):
    return np.array([[1.0, 1.0], [a[1], a[0]], [0.0, 2 * a[1]], [1.0, -2.0]])


# chain([(f, J_f), (g, J_g)], np.array([2.0, 5.0, 1.0])) must be
# [[5, 3, 3], [40, 26, 30], [0, 16, 48], [5, 0, -6]].

# %% [markdown] exercise="03.5"
# Softmax turns a row of numbers into a row of shares, all positive, with the sum 1:
#
# $$p_i = \frac{e^{z_i}}{\sum_k e^{z_k}}$$
#
# Write `softmax_jac(Z)`.
#
# {requirements}
#
# Differentiate on paper first. For z = (0, 0) both shares are ½, and the table is [[¼, −¼], [−¼, ¼]].

# %% [markdown] exercise="03.6"
# Write `best_eps(f, x)`: a good step for the central difference (f(x + eps) − f(x − eps)) / (2 eps), in one variable.
#
# {requirements}
#
# You may use the rule of section 3, or call `f` and search. The true slope is not given.
#
# <details><summary>Where x is far from 1</summary>
#
# The steps of section 3 are for x near 1, and an f that bends clearly over a distance of about 1. Near 5000 the numbers
# lie 4096 times further apart, and a small step may be lost: in float32, 5000 + 1e-4 is 5000.
#
# </details>

# %% tags=["given"]
def wave(t):
    return np.sin(t + 0.3)


# best_eps(wave, np.float64(0.5)) should be between 1e-6 and 5e-5.
