# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 05 · Lab: plot f and f′
#
# **After this lab you can draw the slope of a function that you wrote as code, with one backward pass for all points and no
# formula for f′. You know when one pass is not enough, and what the engine answers where there is no slope.**
#
# How *fast* does the tea cool? The answer is the slope of its curve in the time, and somebody wants it at 301 moments.
# Because `backward()` starts from one number, they take the mean of the 301 temperatures and go back once. Then they
# draw the readings, and a line as steep as the first slope:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course.data import cup_of_tea


def tea(t):
    return 20 + 66.5 * 0.5 ** (t / 10.9)


t = mg.linspace(0, 30, 301, requires_grad=True)
tea(t).mean().backward()
print(f"The first slope: {t.grad[0]:.3f} °C a minute.  In the first minute: {tea(1.0) - tea(0.0):.1f} °C")
minutes, degrees = map(mg.tensor, cup_of_tea())
viz.fit(minutes, degrees, {f"a line of slope {t.grad[0]:.3f}": tea(0.0) + t.grad[0] * minutes}, xlabel="minutes", ylabel="°C")

# %% [markdown]
# The tea loses four degrees in its first minute, but the computed line is almost level. One word in that cell is wrong,
# and section 1 changes it. But why can one pass give 301 slopes at all, and when can it not?
#
# | | |
# |---|---|
# | **Time** | 25 minutes to read and run, 40 minutes of exercises |
# | **You need** | chapter 01; from chapter 04 that `y.backward(v)` leaves vᵀJ; to have drawn a line with matplotlib |
# | **You will** | get a hundred slopes from one pass, and say why that is allowed · draw them · test whether it is allowed · follow slopes through `if` and `while` · know the conventions at kinks |
# | **If short of time** | sections 1, 2 and 5, exercises 05.1, 05.2 and 05.4 |

# %%
import numpy as np

from minigrad.course import expect_error
from minigrad.viz.figure import Plot
from minigrad.viz.style import COLOURS, INK, LINE

# %% [markdown]
# ## Predict first
#
# `relu(x)` is x where x is positive, and else 0. So `relu(x) - relu(-x)` is simply x, in a roundabout spelling. Which five slopes
# will be in `x.grad`? Mind the one in the middle.

# %% tags=["guess"]
x = mg.tensor([-2.0, -1.0, 0.0, 1.0, 2.0], requires_grad=True)
(mg.relu(x) - mg.relu(-x)).sum().backward()
print("the five slopes:", x.grad, sep="\n")

# %% [markdown]
# The one in the middle is the subject of section 5. First: why did *one* pass give *five* slopes?
#
# ## 1 · One pass, a hundred slopes
#
# A function such as `sin` works **element by element**: `y[i]` depends on `x[i]`, and on no other entry. So its
# Jacobian is diagonal, and on the diagonal stand the slopes f′(xᵢ).
#
# `y.sum()` gives each row the weight 1 (chapter 04), so backward adds up the rows. In a diagonal matrix each column has
# only its diagonal entry, so nothing gets mixed: **the sum of the rows is the diagonal.** Here it is for the sine at
# six points, whose slopes are the cosines. What arrives in `x.grad` stands below the matrix:

# %%
few = mg.linspace(-3, 3, 6)
viz.jacobian(mg.diag(mg.cos(few)), v=[1] * 6)

# %% [markdown]
# For the tea the wrong word was `mean`, which gives each row the weight 1/301.
#
# With `sum`, one pass gives the same as 301 passes, one for each point. For those the next cell calls
# `mg.autograd.grad(tea(p), p)`, which returns the gradient in a tuple and leaves `.grad` alone:

# %%
t = mg.linspace(0, 30, 301, requires_grad=True)
tea(t).sum().backward()
one_by_one = [mg.autograd.grad(tea(p), p)[0] for p in t]
print(t.grad[::100], "the same as one by one:", mg.allclose(t.grad, mg.stack(one_by_one)))

# %% [markdown]
# The tea cools by four degrees a minute at first, and by less than one at the end. Drag the point along its curve: the
# orange line, the *tangent*, is as steep as the curve at the point. The dashed line, a *secant*, meets the curve again
# nine minutes later. It is less steep, because the tea cools more and more slowly.

# %%
viz.tangent(tea, mg.linspace(0, 30, 121), at=3.0, step=9.0, units=("min", "°C"))

# %% [markdown]
# **Check yourself.** How many rows and columns has J for the 301 moments, and how many of its entries are not 0?
#
# <details><summary>Answer</summary>301 rows and 301 columns, 90,601 entries. Only the 301 on the diagonal are not 0.</details>
#
# ## 2 · Onto paper
#
# A list of slopes is hard to judge, so draw it together with f. A plotting library wants plain numbers, but a tensor
# that requires grad refuses to become an array, because an array cannot carry its history:

# %%
y = tea(t)
with expect_error(RuntimeError, match="detach"):
    y.numpy()

# %% [markdown]
# `y.detach()` has the same numbers without the history. `x.grad` has no history either, because `backward` does not
# record itself unless you ask it to. So the whole recipe is four lines:


# %%
def values_and_slopes(f, points):
    x = points.detach().clone().requires_grad_()  # a new leaf
    y = f(x)
    y.sum().backward()
    return y.detach().numpy(), x.grad.numpy()


def waves(x):
    total = mg.zeros_like(x)
    for k in range(1, 6):
        total = total + mg.sin(k * x) / k
    return total


# %% [markdown]
# `waves` adds up five sines in a loop. Draw it, with a slope that you need not work out by hand:

# %%
places = mg.linspace(-4, 4, 300)
values, slopes = values_and_slopes(waves, places)

# %% tags=["folded", "cover"]
picture = Plot(4.2, 2.8, "The function waves from -4 to 4, and its computed slope: 0 where waves has a top or a bottom.")
ax = picture.subplots()
ax.plot(places, values, label="waves(x)")
ax.plot(places, slopes, "--", label="its slope")
ax.axhline(0, color=LINE, lw=0.6, zorder=0)
ax.set_xlabel("x")
picture.name_lines()
picture

# %% [markdown]
# In this figure each line checks the other. Where f has a top or a bottom, f′ must cross 0, and where f climbs, f′ must
# not be below 0. Check the size as well: where f climbs by 1 over a width of 2, f′ must be ½ on average.
#
# ## 3 · When the trick lies
#
# `cumsum` adds up the entries from the left: `y[2]` is `x[0] + x[1] + x[2]`. So its J is not diagonal. But the trick
# still runs, and gives a number for each point:

# %%
x = mg.tensor([3.0, 1.0, 4.0, 2.0], requires_grad=True)
mg.cumsum(x, 0).sum().backward()
print(x.grad)

# %%
viz.jacobian(np.tri(4), v={"all ones": [1, 1, 1, 1], "weights": [1, 10, 100, 1000]})

# %% [markdown]
# Each number is the sum of a **column**: how fast all outputs together grow with that input. But the slopes of `y[i]`
# in `x[i]`, on the diagonal, are 1.
#
# Unequal weights show that rows were mixed. If J were diagonal, entry j of vᵀJ would be vⱼ times what ones gave, here 4,
# 30, 200 and 1000. Three numbers of the picture differ, so J is not diagonal. The next cell tests three functions so.
# Its `mg.autograd.grad(y, x, v)` returns vᵀJ:

# %%
x, v = mg.tensor([3.0, 1.0, 4.0, 2.0], requires_grad=True), mg.tensor([0.7, -1.2, 2.5, 0.4])
for name, f in {"sin": mg.sin, "cumsum": lambda x: mg.cumsum(x, 0), "softmax": lambda x: mg.softmax(x, 0)}.items():
    (with_ones,) = mg.autograd.grad(f(x), x, mg.ones(4))
    (with_v,) = mg.autograd.grad(f(x), x, v)
    print(f"{name:8} diagonal: {mg.allclose(with_v, v * with_ones)}")
print(f"softmax, the largest slope by the trick: {with_ones.abs().max():.3f}")

# %% [markdown]
# The outputs of softmax always sum to 1, so each column of J sums to 0, and the trick says 0 everywhere.
#
# **Check yourself.** `y = x * x.max()`: is the trick allowed?
#
# <details><summary>Answer</summary>No. Every entry of y depends on the largest entry of x, so the column of that entry
# is full, but for zeros in x.</details>
#
# ## 4 · Branches
#
# Programs branch. The engine records the operations that **ran**, and no condition, so backward gives the slope of the
# branch that ran. What does that slope not tell? Here a piece costs 10, but from a hundred pieces on each costs 8:


# %%
def price(pieces):
    return 10 * pieces if pieces < 100 else 8 * pieces


for number in [99.0, 101.0]:
    pieces = mg.tensor(number, requires_grad=True)
    bill = price(pieces)
    bill.backward()
    print(f"{number:g} pieces cost {bill.item():.0f}, slope {pieces.grad.item():.0f}")

# %% [markdown]
# Both slopes are positive, but two pieces more cost 182 *less*. Each slope is right on its own branch, and **no slope
# tells you of the jump between them**. To see that, draw 101 orders: the bill jumps, but its slope only falls from 10 to
# 8. At a *kink*, a bend without a jump, it would do the same.

# %%
numbers = np.linspace(50, 150, 101)
leaves = [mg.tensor(number, requires_grad=True) for number in numbers]
bills = [price(leaf) for leaf in leaves]
for bill in bills:
    bill.backward()

# %% tags=["folded"]
picture = Plot(7.4, 2.6, "Left the bill for 50 to 150 pieces: at 100 it falls from 1000 to 800. Right its computed slope: 10, then 8.")
left, right = picture.subplots(1, 2)
left.plot(numbers, [bill.item() for bill in bills], ".", markersize=3)
left.annotate("1000 → 800", (100, 800), (100, 1010), ha="center", arrowprops={"arrowstyle": "->", "linestyle": ":", "color": INK})
left.set(xlabel="pieces", ylabel="the bill")
right.plot(numbers, [leaf.grad.item() for leaf in leaves], ".", markersize=3, color=COLOURS[1])
right.set(xlabel="pieces", ylabel="its computed slope", ylim=(6, 11))
picture

# %% [markdown]
# An `if` has one answer, so the plot took 101 graphs and passes. With all orders in one tensor, `if pieces < 100`
# raises; `if pieces.sum() < 100` runs, but decides for all together. With `mg.where(condition, a, b)` each entry chooses
# for itself. Below, two customers buy 60 and 120 pieces:

# %%
def price_by_sum(pieces):
    return 10 * pieces if pieces.sum() < 100 else 8 * pieces


def price_of_each(pieces):
    return mg.where(pieces < 100, 10 * pieces, 8 * pieces)


pieces = mg.tensor([60.0, 120.0], requires_grad=True)
for f in (price_by_sum, price_of_each):
    print(f"{f.__name__:14}", mg.autograd.grad(f(pieces).sum(), pieces)[0])

# %% [markdown]
# By the sum the first customer gets the price of a large order, because **an `if` on a whole tensor's values is not
# element by element.** With `where` one pass is enough again.
#
# ## 5 · Kinks
#
# One kink can stop a training. Spell the distance |x| as √(x²), and let x be 0. There the root is vertical, with the
# slope inf, and x² is flat, with the slope 0. The chain rule multiplies inf by 0, which gives nan, and after one step
# the parameter is nan too. As the third number shows, a tiny number under the root mends it:


# %%
def slope_at_0(f):
    x = mg.tensor(0.0, requires_grad=True)
    f(x).backward()
    return x.grad.item()


print(slope_at_0(mg.sqrt), slope_at_0(lambda x: mg.sqrt(x**2)), slope_at_0(lambda x: mg.sqrt(x**2 + 1e-12)))

# %% [markdown]
# Such zeros are common: an earlier relu makes them, for example.
#
# At a kink the slopes from the left and from the right differ, but the engine must return one number. So each operation
# has a **convention**. The right panel has three spellings of max(x, 0), and a dot for what each says at x = 0:

# %%
from minigrad.course.helpers.ch05 import slopes_at_kinks

slopes_at_kinks()

# %% [markdown]
# `relu` asks whether x > 0, `maximum` gives each of two equal inputs one half, and `clamp` counts its border as inside.
# None is wrong, because all three answers lie between the slope from the left, 0, and the one from the right, 1. But
# the choice can matter: a parameter w = 0 in `relu(w)` gets the slope 0, so no step moves it, while in `w.clamp(min=0)`
# it gets 1, and moves.
#
# `where` takes the slope of the branch that its condition picks, or nan if the other's is inf or nan (chapter 13). So at
# 0 the condition decides:

# %%
over, from_0 = (lambda x: mg.where(x > 0, x, -x)), (lambda x: mg.where(x >= 0, x, -x))
print(f"abs {slope_at_0(mg.abs)}   where x > 0 {slope_at_0(over)}   where x >= 0 {slope_at_0(from_0)}")

# %% [markdown]
# Three spellings of |x| have three slopes. Two more conventions: `sign` and `floor` have the slope 0 everywhere, also
# at their jumps. Where n entries tie, `max()` gives each 1/n, but `max(dim)` gives 1 to the first.
#
# **The chain rule multiplies and adds the answers of single operations. If one is only a convention, the result need
# not be a slope of the whole.** So it was in `relu(x) - relu(-x)`: at x = 0 both relus say 0, and so does the result,
# though the slope of x is 1.
#
# ## Two ways this goes wrong
#
# **1. An `if` on all points at once.** The question whether a vector is above 0 has several answers, so the `if`
# raises. With `sum` in the condition it would run, and be wrong, as in section 4. `mg.where` chooses for each entry:

# %%
two = mg.tensor([-1.0, 2.0], requires_grad=True)
with expect_error(RuntimeError, match="ambiguous"):
    y = two if two > 0 else 0.1 * two
mg.where(two > 0, two, 0.1 * two).sum().backward()
print(two.grad)

# %% [markdown]
# **2. The plot is made twice, and the second is wrong.** If the pass runs again on the same leaf, all slopes are
# doubled, because `x.grad` adds up. Make a new leaf for each plot, as `values_and_slopes` does, or clear `x.grad` first
# (chapter 06).

# %%
x = mg.linspace(-4, 4, 100, requires_grad=True)
for _ in range(2):
    mg.sin(x).sum().backward()
    print(f"{x.grad[-1].item():.4f}")

# %% [markdown]
# ## In PyTorch
#
# The same lines, and the same numbers:
#
# ```python
# import torch
#
# x = torch.linspace(-4, 4, 100, requires_grad=True)
# y = torch.sin(x)
# y.sum().backward()
# plt.plot(x.detach(), y.detach(), x.detach(), x.grad)     # without detach: RuntimeError: Can't call numpy() …
# ```
#
# Everything in this chapter was tried with PyTorch 2.13: the slopes, the conventions at each kink, the messages.
#
# ## Key points
#
# * Element by element means a diagonal J. Then `y.sum().backward()` brings all slopes f′(xᵢ) in one pass.
# * The weights must be 1: `mean` gives a smooth, wrong curve.
# * `y.detach().numpy()` for the plot; `x.grad` has no history.
# * If f mixes its entries, the trick gives sums of columns. A random `v` tells: vᵀJ must be `v` times what ones give.
# * Branches: backward follows the operations that ran. One graph for each point, or `where`.
# * Kinks: relu 0, abs 0, `maximum` ½, `clamp` 1, sqrt inf, √(x²) nan. The jumps of `sign` and `floor`: 0, as everywhere.
# * Where n entries tie, `max()` gives 1/n to each. `max(dim)` also returns an index, so it gives all to one, here the first.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `y = x**2` at 50 points, `y.mean().backward()`. What is in `x.grad` at x = 5?
#
# <details><summary>Answer</summary>0.2. The slope is 10, and mean divides it by 50.</details>
#
# **2.** For `y = x - x.mean()` the trick gives 0 everywhere. What are the diagonal entries of J, for n points?
#
# <details><summary>Answer</summary>1 − 1/n. Each column holds that once and −1/n in all other places: its sum is 0.</details>
#
# **3.** `f` returns `3 * x` if `x > 1` and else `x**2`. Which slope does backward give at x = 1?
#
# <details><summary>Answer</summary>2. The condition is false at 1, so x**2 ran, and its slope is 2x. That f jumps there is not in the graph.</details>
#
# **4.** What is the computed slope of `mg.maximum(x, x)` at any x?
#
# <details><summary>Answer</summary>1. The two inputs always tie, so each gets ½, and both halves come to x.</details>
#
# **5.** Someone plots the slope of `mg.sign(x)`, to see the jump. What will they see?
#
# <details><summary>Answer</summary>A flat line at 0. The rule of sign is 0 everywhere, also at the jump.</details>

# %% [markdown] engine="ops/pointwise.py:maximum"
# ## In the engine
#
# Here is a convention of section 5. Where both inputs are equal, the rule of `maximum` gives half of the cotangent to each.

# %% [markdown] exercise="05.1"
# Write `curve(f, xs)`: the values and the slopes of `f` at the points `xs`.
#
# {requirements}
#
# For example, `curve(lambda x: x**2, np.array([1.0, 3.0]))` is `(array([1., 9.]), array([2., 6.]))`.

# %% [markdown] exercise="05.2"
# Write `draw(ax, f, xs)`. It draws f and f′ on the Axes `ax`:
#
# {requirements}
#
# Colours and all else are up to you; it returns nothing. The checker reads the numbers of your lines, not the pixels.
# To see your figure, run this in a cell of your own:
#
# ```python
# import matplotlib.pyplot as plt
#
# fig, ax = plt.subplots()
# draw(ax, mg.tanh, np.linspace(-3, 3, 100))
# ```
#
# Try `mg.sin`, `lambda x: x * mg.exp(-x**2)`, and a function of your own with a loop in it.

# %% [markdown] exercise="05.3"
# Write `is_elementwise(f, x)`: is the trick of 05.1 allowed for `f` at `x`? It returns `True` if the Jacobian of `f` at
# `x` is diagonal, so that each output depends on the input in its own place only, and `False` if not.
#
# {requirements}
#
# Two to try it on:

# %% tags=["given"]
x = mg.tensor([0.5, -1.0, 2.0], requires_grad=True)


def apart(x):
    return x * mg.exp(x)


def mixed(x):
    return x * mg.exp(x.sum())


# is_elementwise(apart, x) must be True, and is_elementwise(mixed, x) False.

# %% [markdown] exercise="05.4"
# Which slope does the engine compute at a kink? `slope(f)` asks at x = 0, `shares(f)` where four entries tie. Write
# into the dict `computed`, for each letter, what the line returns: for `slope` a number, for `shares` a list of four
# numbers.
#
# A number may also be `np.inf`, `-np.inf` or `np.nan`. Predict first. You may run the lines afterwards.

# %% [markdown] exercise="05.5"
# Write `staircase(ax, f, xs)`: it computes the slope of `f` at each point of `xs`, draws the slopes,
# and returns them.
#
# {requirements}
#
# To see it, run in a cell of your own:
#
# ```python
# import matplotlib.pyplot as plt
#
# fig, ax = plt.subplots()
# staircase(ax, doubling, np.geomspace(0.01, 1000, 200))
# ```


# %% tags=["given"]
def doubling(a):
    b = 2 * a
    while b.norm() < 1000:
        b = 2 * b
    return b


# At the points 3, 4 and 100, the slopes must be 512, 256 and 16.
