# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 14 · Your own `Function`; `gradcheck`
#
# **After this chapter you can give the engine an operation that it does not have, with a backward of your own, and find
# out whether that backward, and its own derivative, is right.**
#
# A cheap thermometer shows only 0, 20, 40, 60 or 80: at 57 degrees it says 40. A curve through what it says runs too low. So
# compare like with like, and round the curve down, too. But then the fit has no slope to follow:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error, expect_warning
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())
shown = (degrees / 20).floor() * 20  # what the cheap thermometer says


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


hot, half = mg.tensor(65.0, requires_grad=True), mg.tensor(20.0, requires_grad=True)
loss = (((tea(hot, half) / 20).floor() * 20 - shown) ** 2).mean()
loss.backward()
print(f"loss {loss.item():.1f}, slopes {hot.grad.item()} and {half.grad.item()}")

# %% [markdown]
# The slopes of 0 are right: rounding down makes a staircase, and each stair is flat. But nothing is learned with them. So you
# need a rounding with *another* backward, and write one in section 2.
#
# The card shows what an operation of your own has to do, with a Tensor `x` and a number `k`. Its `ctx` is the suitcase
# of chapter 07:

# %%
from minigrad.course.helpers.ch14 import contract_card

contract_card()

# %% [markdown]
# | | |
# |---|---|
# | **Time** | 35 minutes to read and run, 94 minutes of exercises; 10 minutes for the side roads |
# | **You need** | chapter 04 (`y.backward(v)` is vᵀJ); what comes from chapters 03, 09 and 11 is repeated here |
# | **You will** | write forward and backward of an operation · save the right things, in the right place · owe one gradient for each argument · check a rule by differences, and write that check yourself · see when a second derivative is wrong in silence |
# | **If short of time** | sections 1 to 3, "Two ways this goes wrong", exercises 14.1, 14.3 and 14.8 |
#
# ## Predict first
#
# Somebody writes x³ as an operation, `FirstTry`. Its slope is 3x², so the gradient of `y.sum()` at (1, 2) comes out right, as
# (3, 12). Then `FirstTry` goes into a loss with a weight of 10. What does the second line print?

# %% tags=["guess"]
class FirstTry(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return 3 * x**2


x = mg.tensor([1.0, 2.0], requires_grad=True)
for weight in (1, 10):
    x.grad = None
    (weight * FirstTry.apply(x)).sum().backward()
    print(f"weight {weight:2}: {x.grad.tolist()}")

# %% [markdown]
# <details><summary>Answer</summary>
#
# The weight is lost: (3, 12) again, where (30, 120) is right. `backward` owes a **VJP**, the cotangent `g` that comes in
# **times** the slope. With the weight 1 `g` was all ones, so nobody could see that it was missing.
#
# </details>
#
# ## 1 · The contract
#
# Subclass `mg.autograd.Function`, and write two static methods.
#
# * **`forward(ctx, …)`** gets Tensors and whatever else, and returns the result. `ctx` is there to keep what backward will
#   need: Tensors with `ctx.save_for_backward`, anything else as an attribute.
# * **`backward(ctx, g)`** gets the cotangent of the result. It reads `ctx.saved_tensors`, and returns the cotangent of the argument:
#   `g` times the slope, shaped like the argument.
#
# You call neither of the two, but **`Cube.apply(x)`**. It makes a node, runs `forward` without recording, and makes the
# node the `grad_fn` of the result.

# %%
class Cube(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x**2


x.grad = None
y = Cube.apply(x)
(10 * y).sum().backward(retain_graph=True)  # keep what was saved: the last line shows it
print(x.grad)
print(y.grad_fn.name(), y.grad_fn.saved_tensors)

# %% [markdown]
# Inside `forward` recording is off, so **one** node stands for all that it computes. This node **is** `ctx`: that is why
# `y.grad_fn` has what you kept there. When its turn comes, the walk calls your `backward`, as step 3 shows:

# %%
x.grad = None
viz.steps((10 * Cube.apply(x)).sum())

# %% [markdown]
# Save what the slope is computed from, and no more. For √x that is the **output**, since the slope is 1 / (2√x).

# %%
class Sqrt(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x.sqrt()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return g / (2 * y)


z = mg.tensor([1.0, 4.0], requires_grad=True)
Sqrt.apply(z).backward(mg.tensor([1.0, 10.0]))
z.grad  # 1 / 2, and 10 / 4

# %% [markdown]
# **Check yourself.** The slope of tanh is 1 − tanh². What does your `Tanh` save, and what does its `backward` return?
#
# <details><summary>Answer</summary>Its output y, and g · (1 − y²).</details>
#
# ## 2 · Another gradient, and several arguments
#
# Nobody forces `backward` to tell the truth. A *straight-through* rounding lets `g` pass as if nothing had been rounded.
# It is wrong **by design**, and useful, because from afar the staircase looks like a line of slope 1. Below are both
# gradients, of the engine's rounding and then of `Stairs`:

# %%
class Stairs(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return (x / 20).floor() * 20

    @staticmethod
    def backward(ctx, g):
        return g


t, v = mg.tensor([37.0, 84.0], requires_grad=True), mg.tensor([1.0, 10.0])
for low in ((t / 20).floor() * 20, Stairs.apply(t)):
    print(low.detach(), mg.autograd.grad(low, t, v)[0])

# %% [markdown]
# Now fit the tea to these readings: first the plain curve, then the curve read by `Stairs`, from two starts. The points of the
# picture are the true degrees, which no fit has seen:

# %%
def fit(name, read, start):
    hot, half = mg.tensor(start, requires_grad=True), mg.tensor(20.0, requires_grad=True)
    for _ in range(300):
        loss = ((read(tea(hot, half)) - shown) ** 2).mean()
        hot.grad = half.grad = None
        loss.backward()
        with mg.no_grad():
            hot -= 0.2 * hot.grad
            half -= 0.2 * half.grad
    away = ((tea(hot, half) - degrees) ** 2).mean().sqrt()
    print(f"{name:18} hot = {hot:.0f}, half = {half:.0f}, loss = {loss:.1f}, {away:.1f} away from the true degrees")
    return tea(hot, half)


print(shown.tolist())
as_it_is = fit("as it is", lambda curve: curve, start=65.0)
by_stairs = fit("by Stairs", Stairs.apply, start=65.0)
from_50 = fit("by Stairs, from 50", Stairs.apply, start=50.0)
curves = {"by Stairs": by_stairs, "by Stairs, from 50": from_50, "as it is": as_it_is}
picture = viz.fit(minutes, degrees, curves, xlabel="minutes", ylabel="°C")
picture.axes[0].hlines(shown, minutes - 1.2, minutes + 1.2, color="black", lw=3, zorder=1.9)
picture.axes[0].text(19, shown[-1], f"the display: {shown[-1]:.0f}", ha="right", va="center")
picture

# %% [markdown]
# The plain curve runs too low. With `Stairs` the loss becomes 0. But many curves explain all readings, and the start
# decides which is found. Here you could instead add 10, half a stair, to each reading. A network whose weights are
# rounded to a few bits cannot do that, so it is trained in this way.
#
# With several arguments, `backward` returns **one entry for each argument of `forward`**, in their order. For a plain
# number it must be None. For a Tensor that does not require grad the engine throws away what you return.
# `ctx.needs_input_grad` says which gradients are wanted. Here it is only printed, and in exercise 14.9 it spares work:

# %%
class Product(mg.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, factor):
        ctx.save_for_backward(a, b)
        ctx.factor = factor
        return factor * a * b

    @staticmethod
    def backward(ctx, g):
        a, b = ctx.saved_tensors
        print("needed:", ctx.needs_input_grad)
        return ctx.factor * g * b, ctx.factor * g * a, None


a, b = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([5.0, 6.0])
Product.apply(a, b, 100).sum().backward()
print(a.grad, b.grad)

# %% [markdown]
# ## 3 · gradcheck: the two sides of J
#
# A `backward` with wrong numbers raises nothing, so compare it with `forward`. `gradcheck` makes the Jacobian twice. The
# **analytical** one comes from `backward`, with one pass for each output, each from a one-hot cotangent. The
# **numerical** one comes from `forward`, by central differences in each input (chapter 03).
#
# If they agree, it returns True. Else it raises, and shows both as Jᵀ: a row for each **input**, a column for each output.

# %%
class Third(Cube):  # the factor 3 is missing
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x**2


point = mg.tensor([1.0, 2.0], dtype=mg.float64, requires_grad=True)
print(mg.autograd.gradcheck(Cube.apply, point))
with expect_error(RuntimeError, match="Jacobian mismatch"):
    mg.autograd.gradcheck(Third.apply, point)

# %% [markdown]
# And the `FirstTry` of the prediction? One-hot cotangents show what ones did not: both columns of the analytical table are (3,
# 12), where (3, 0) and (0, 12) are right.

# %%
with expect_error(RuntimeError, match="Jacobian mismatch"):
    mg.autograd.gradcheck(FirstTry.apply, point)

# %% [markdown]
# Know three things before believing `gradcheck`.
#
# **It needs float64.** It moves each entry by 1e-6, and float32 numbers near 1 lie 1e-7 apart. So only about one digit
# of f(x + 1e-6) − f(x − 1e-6) is right. It warns, and mostly fails, even for a right rule:

# %%
single = mg.tensor([1.0, 2.0], requires_grad=True)
with expect_warning(UserWarning, match="not a double precision"):
    print("passed:", mg.autograd.gradcheck(mg.exp, single, raise_exception=False))

# %% [markdown]
# **It cannot judge a kink.** At 0 the slope of relu jumps from 0 to 1. Central differences give ½, the engine's rule says 0,
# and neither is a mistake. So check beside the kink.

# %%
corner = mg.tensor([0.0, 1.0], dtype=mg.float64, requires_grad=True)
with expect_error(RuntimeError, match="Jacobian mismatch"):
    mg.autograd.gradcheck(mg.relu, corner)

# %% [markdown]
# **It asks whether backward belongs to forward.** So a wrong forward passes if backward fits it, and `Stairs`, wrong by design,
# fails.
#
# **Check yourself.** x has 5 entries and y has 3. How many backward passes do the two tables take, and how many runs of forward?
#
# <details><summary>Answer</summary>3 backward passes, one for each entry of y. 11 runs of forward: two for each entry of
# x, and one for the backward passes. The library runs backward more often: it also asks whether two runs agree, and
# whether a g of zeros works.</details>
#
# ## 4 · Twice
#
# Newton's method (chapter 09) needs the second derivative of your operation: it differentiates your `backward`. With
# `create_graph=True` your `backward` is recorded, if it uses Tensor operations. The record must lead back to x. A saved
# **input** does, because it has its own history. So does a saved **output**, whose `grad_fn` is this node.
#
# Anything else that `forward` computed comes back as a constant. So the first derivative can be right, and the second wrong.
# `gradgradcheck` does to backward what `gradcheck` does to forward. First `Sqrt`, which saves its output:

# %%
def second(y):  # the second derivatives of y.sum(), entry by entry
    (g,) = mg.autograd.grad(y.sum(), point, create_graph=True)
    return mg.autograd.grad(g.sum(), point)[0]


root = Sqrt.apply(point)
print(root.grad_fn.saved_tensors[0].grad_fn is root.grad_fn)
print([round(d, 4) for d in second(root).tolist()])  # -1 / (4 x √x)
print(mg.autograd.gradgradcheck(Sqrt.apply, point))

# %% [markdown]
# Now the sigmoid, 1 / (1 + e⁻ˣ), with the slope e⁻ˣ / (1 + e⁻ˣ)². `forward` computes e⁻ˣ **on the way**, and keeps it. Nothing
# there is recorded, so the engine takes e⁻ˣ for a constant, however it is saved.
#
# Is the first derivative still right? And the second, of the sigmoid + x²? The gradient of the sigmoid alone would have
# no graph, so the second pass would raise; with x² it has one.

# %% tags=["guess"]
class Numb(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.e = (-x).exp()
        return 1 / (1 + ctx.e)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.e / (1 + ctx.e) ** 2


print(mg.autograd.gradcheck(Numb.apply, point))
print(second(Numb.apply(point) + point**2).tolist(), "and not", second(mg.sigmoid(point) + point**2).numpy().round(4).tolist())
mg.manual_seed(0)
with expect_error(RuntimeError, match="Jacobian mismatch"):
    mg.autograd.gradgradcheck(Numb.apply, point)

# %% [markdown]
# The first derivative is right. The second is 2, the share of x² alone: that of the sigmoid is missing, and **nothing
# raised**. `gradgradcheck` sees it; its tables hold the second derivatives times random weights. Save x or the output
# instead.
#
# ## Two ways this goes wrong
#
# **1. The wrong number, shape or kind.** `forward` has two arguments here, so `backward` owes two entries, `2 * g` and None. It
# returns the `answer` handed in: one entry too few, then a wrong shape, then a NumPy array.

# %%
class Doubled(mg.autograd.Function):
    @staticmethod
    def forward(ctx, x, answer):
        ctx.answer = answer
        return 2 * x

    @staticmethod
    def backward(ctx, g):
        return ctx.answer


for answer in (mg.ones(2), (mg.ones(3), None), (mg.ones(2).numpy(), None)):
    with expect_error(RuntimeError, match="expected"):
        Doubled.apply(x, answer).sum().backward()

# %% [markdown]
# A shape that x can be broadcast to raises nothing: for an x of (2,), the engine sums a gradient of (3, 2) over its rows.
#
# **2. A Tensor as an attribute.** `ctx.b = b` is shorter than `ctx.save_for_backward(b)`, but no version is compared (chapter
# 11). Below, `b` is overwritten between forward and backward. The attribute gives a gradient of zero and no error, while
# `save_for_backward` raises.

# %%
class Careless(Product):
    @staticmethod
    def forward(ctx, a, b, factor):
        ctx.b, ctx.factor = b, factor
        return factor * a * b

    @staticmethod
    def backward(ctx, g):
        return ctx.factor * g * ctx.b, None, None


def overwritten(operation):
    b, a.grad = mg.tensor([5.0, 6.0]), None
    y = operation.apply(a, b, 100).sum()
    b.zero_()
    y.backward()


overwritten(Careless)
print(a.grad, "where (500, 600) is right")
with expect_error(RuntimeError, match="modified by an inplace operation"):
    overwritten(Product)

# %% [markdown]
# ## In PyTorch
#
# Write `import torch as mg` and `import torch.nn.functional as F`: everything but our drawings and notes does the same in
# PyTorch 2.13.
#
# PyTorch's own pages have a second spelling, which `torch.func` asks for: `forward` without `ctx`, and `setup_context`, which
# saves. `minigrad` takes it too:

# %% tags=["folded"]
# The second spelling: click here to read it.
class CubeInTwoParts(mg.autograd.Function):
    @staticmethod
    def forward(x):
        return x**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)

    backward = Cube.backward


mg.autograd.gradcheck(CubeInTwoParts.apply, point)

# %% [markdown]
# ## Key points
#
# * `forward` computes and saves; `backward` gets `g`, shaped like the output, and returns `g` times the slope, shaped like the
#   argument. Call `apply`.
# * One entry for each argument of `forward`: None for what is no Tensor. For a Tensor that does not require grad, None
#   spares the work.
# * Tensors go to `ctx.save_for_backward`: versions are checked. Numbers are attributes.
# * `gradcheck` compares backward with differences of forward: in float64, and away from kinks.
# * Save inputs or outputs, not what came up on the way. Else a part of the second derivative is missing, in silence.
#   `gradgradcheck` sees it.

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** `forward(ctx, a, n, b)` takes two Tensors and, between them, a number. What does `backward` return?
#
# <details><summary>Answer</summary>Three entries: the gradient for a, None, the gradient for b.</details>
#
# **2.** The sigmoid s has the slope s(1 − s). Which is better to save, the input or the output?
#
# <details><summary>Answer</summary>The output. From the input, backward would compute the sigmoid once more.</details>
#
# **3.** A backward passes the test `y.sum().backward()`, and `gradcheck` rejects it. Name a mistake that does this.
#
# <details><summary>Answer</summary>Any that ones cannot see: g forgotten, reversed, averaged. gradcheck sends one-hot cotangents.</details>
#
# **4.** `gradcheck` rejects your |x| at (0, 1, 2). The first entry differs: numerical 0, analytical 1. Is the rule wrong?
#
# <details><summary>Answer</summary>Not for that reason: at the kink, differences give the mean of both slopes. Check at other
# points.</details>
#
# **5.** `forward` keeps a value that it computed on the way, and `gradcheck` passes. What may go wrong with `create_graph=True`?
#
# <details><summary>Answer</summary>The engine takes it for a constant, so its share of the second derivative is missing, in
# silence.</details>

# %% [markdown]
# ## Side roads
#
# ### A gradient turned around: exercise 14.2
#
# `GradCoeff` is wrong by design, as `Stairs` is. Forward, x goes on as it is; backward, `coeff * g` goes on. So with coeff = −1
# the gradient is **reversed**.
#
# This helps a network that should recognize things in pictures, and not mind which camera took them. Give it two heads:
#
# ```text
#                       ┌──► head 1 ──► what is it?           loss 1
#   x ──► trunk ──► h ──┤
#                       └──► GradCoeff ──► head 2 ──► which camera?    loss 2
# ```
#
# Both heads learn to make their loss small. With coeff = −1 the gradient of loss 2 arrives in the trunk with the wrong sign, so
# the trunk makes the camera **unrecognizable**.
#
# Below, a picture is two numbers, and the second is the camera. Head 1 needs a bit of the camera, too, so the two aims
# conflict. The trunk mixes both into one number, h, by two weights; each head has one weight.

# %% tags=["folded"]
# The code that trains: click here to read it.
from minigrad.course.helpers.ch14 import GradCoeff

mg.manual_seed(0)
pictures = mg.randn(200, 2, dtype=mg.float64)
camera = pictures[:, 1]
thing = pictures[:, 0] + 0.5 * camera  # what is to be recognized depends on both numbers

for coeff in (1.0, 0.0, -1.0):
    trunk = mg.tensor([0.5, 0.5], dtype=mg.float64, requires_grad=True)
    heads = mg.zeros(2, dtype=mg.float64, requires_grad=True)
    optimizer = mg.optim.SGD([trunk, heads], lr=0.05)
    for _ in range(150):
        h = pictures @ trunk
        loss1 = ((heads[0] * h - thing) ** 2).mean()
        loss2 = ((heads[1] * GradCoeff.apply(h, coeff) - camera) ** 2).mean()
        optimizer.zero_grad()
        (loss1 + loss2).backward()
        optimizer.step()
    print(f"coeff = {coeff:4}   trunk: {trunk[0]:.2f} and {trunk[1]:.2f}   loss 1: {loss1:.2f}   loss 2: {loss2:.2f}")
print(f"loss 2 of somebody who always answers 0: {(camera**2).mean():.2f}")

# %% [markdown]
# With 1 the trunk looks at the camera to please head 2, and loss 1 pays for it. With 0 it serves head 1 alone, and mixes 1 : ½,
# as `thing` does. With −1 it looks away from the camera: head 2 is little better than a constant 0.
#
# ### A convolution: exercise 14.4
#
# A convolution slides a kernel over an image, and at each place sums the products. It is **linear** in the image, so its
# Jacobian is constant. Here it is for a 3 × 3 image under a 2 × 2 kernel: 9 inputs, 4 places.

# %%
import minigrad.nn.functional as F

kernel = mg.tensor([[[[1.0, 2.0], [3.0, 4.0]]]])
J = mg.autograd.functional.jacobian(lambda image: F.conv2d(image, kernel), mg.zeros(1, 1, 3, 3)).reshape(4, 9)
v = mg.tensor([1.0, 0.0, 0.0, 10.0])
pixels = [f"{j}\nrow {i} of x" if j == 1 else f"{j}\n" for i in range(3) for j in range(3)]
picture = viz.jacobian(J, v=v, rows=[f"y[{i},{j}]" for i in range(2) for j in range(2)], columns=pixels)
picture.axes[0].vlines([3, 6], 0, picture.axes[0].get_ylim()[0], lw=1, color="gray")  # between the rows of the image
picture

# %% [markdown]
# Each row holds the kernel, laid out at one place. So vᵀJ **puts the kernel back** at each place, times the weight of that
# place. The 1 puts 1 2 3 4 into the upper left, the 10 puts 10 20 30 40 one step down and to the right, and they add up where
# they overlap. The library calls this `conv_transpose2d`:

# %%
print(F.conv_transpose2d(v.reshape(1, 1, 2, 2), kernel)[0, 0])
print((v @ J).reshape(3, 3))

# %% [markdown]
# <details><summary>And the gradient of the kernel? A hint for 14.4</summary>
#
# The first entry of the kernel meets `image[0:2, 0:2]`, one pixel for each output. So its gradient is the sum of these pixels,
# weighted with g. The next entry meets `image[0:2, 1:3]`, and so on: it is a convolution of the image, **with g as the
# kernel**. Over several images the sums add up.
#
# </details>
#
# In exercise 14.4 you write forward and both gradients. Test with sizes that all differ: with equal ones a rule that swaps axes
# may pass.

# %% [markdown] engine="autograd/function.py:BackwardCFunction.apply" first="answer = backward" last="raise errors.GRADIENT_COUNT" keep="answer = backward|else (answer,)|count = len|len(answer) !=|GRADIENT_COUNT"
# ## In the engine
#
# The node of a custom Function stands in the graph like any other. In place of a rule it calls your `backward`, with itself as
# `ctx`, and with Tensors (`given`). Then it counts your gradients.

# %% [markdown] exercise="14.1"
# Write `Exp`: eˣ, entry by entry, as a Function of your own.
#
# {requirements}
#
# You can look for yourself: for an `x` in float64 that requires grad, `mg.autograd.gradcheck(Exp.apply, x)` and
# `mg.autograd.gradgradcheck(Exp.apply, x)` must both be True.

# %% [markdown] exercise="14.2"
# Write `GradCoeff`, which multiplies the gradient.
#
# {requirements}
#
# For x = (1, 2), `y = GradCoeff.apply(x, -1.0)` is (1, 2), and `y.backward(mg.tensor([1.0, 10.0]))` leaves (−1, −10) in `x.grad`.
#
# The checker tries −1, 0, ½ and others. Your `GradCoeff` will fail `gradcheck`, and that is right. Can you say why?

# %% [markdown] exercise="14.3"
# Write `LegendrePolynomial3`: $P_3(x) = \frac12 (5x^3 - 3x)$, entry by entry.
#
# {requirements}
#
# The checker looks at vᵀJ and the second derivative. Then it lets $a + b\,P_3(c + d\,x)$ learn to look like a sine, and the loss
# must fall below 0.05. The picture shows it with the formula, which makes a node for each of its operations. Yours is **one** node.
# When it has passed, draw the picture with your own: `fit_picture(LegendrePolynomial3.apply)`.

# %% tags=["given"]
from minigrad.course.helpers.ch14 import fit_picture

fit_picture()

# %% [markdown] exercise="14.4"
# Write a convolution with your own hands, forward and backward: `Conv2D.apply(x, w)`.
#
# {requirements}
#
# $$y_{nkij} = \sum_{c,p,q} x_{n,c,i+p,j+q}\; w_{kcpq}$$
#
# A loop over the h · v entries of the kernel is enough: each round
# is an ordinary product of a window of `x` with the matrix `w[:, :, p, q]`. `mg.einsum` writes such products down as the formula does. Here
# is one of them:

# %% tags=["given"]
x = mg.randn(2, 3, 6, 5, dtype=mg.float64, requires_grad=True)
w = mg.randn(4, 3, 3, 2, dtype=mg.float64, requires_grad=True)
window = x[:, :, 0:4, 0:4]  # what the entry p = 0, q = 0 of each kernel meets: as large as the output
print(mg.einsum("ncij,kc->nkij", window, w[:, :, 0, 0]).shape)
# Conv2D.apply(x, w) must be what mg.nn.functional.conv2d(x, w) is,
# and mg.autograd.gradcheck(Conv2D.apply, (x, w)) must be True.

# %% [markdown] exercise="14.5"
# Write `gradcheck(f, inputs)` yourself.
#
# {requirements}
#
# The checker hands you ten right gradients and ten wrong ones. The library's own `gradcheck` and `gradgradcheck`
# are locked away.

# %% tags=["given"]
import warnings

x = mg.tensor([0.5, 1.0, 2.0], dtype=mg.float64, requires_grad=True)
# gradcheck(mg.sin, (x,)) must be True, and gradcheck(lambda x: x.detach() * x, (x,)) False.

# %% [markdown] exercise="14.6"
# A `backward` that uses NumPy cannot be differentiated. With the decorator `once_differentiable` you say so: `backward` then runs
# without recording, and where what arrives requires grad, its result gets a node that raises **when a pass runs it**.
# `backward()` runs every node, `autograd.grad(…, x)` only nodes that lead to x, and this one leads nowhere.
#
# `Exp` below is right, and marked with `once_differentiable`. Eleven lines use it; each is run by itself. What happens? Write into the
# dict `second_time`, for each letter, one of six words:
#
# * `"right"`: no error, and the numbers are the true derivatives.
# * `"wrong"`: no error, and the numbers are **not** the true derivatives.
# * `"None"`: the result is None.
# * `"twice"`: RuntimeError, *trying to differentiate twice a function that was marked with @once_differentiable*.
# * `"unused"`: RuntimeError, *The differentiated Tensor at index 0 appears to not have been used in the graph*.
# * `"no graph"`: RuntimeError, *element 0 of tensors does not require grad and does not have a grad_fn*.
#
# Predict first. You may run the lines afterwards.

# %% [markdown] exercise="14.7"
# An intermediate value on `ctx` gives no warning. So write `twice_ok(f, x)`: are the **second** derivatives of `f` at
# `x` right?
#
# {requirements}
#
# The library's own `gradcheck` and `gradgradcheck` are locked away.

# %% tags=["given"]
x = mg.tensor([0.5, 1.0, 2.0], dtype=mg.float64, requires_grad=True)


class Numb(mg.autograd.Function):  # the second derivative is dead
    @staticmethod
    def forward(ctx, x):
        ctx.e = (-x).exp()
        return 1 / (1 + ctx.e)

    @staticmethod
    def backward(ctx, g):
        return g * ctx.e / (1 + ctx.e) ** 2


# twice_ok(mg.sqrt, x) and twice_ok(lambda x: 3 * x, x) must be True,
# twice_ok(Numb.apply, x) and twice_ok(lambda x: Numb.apply(x) + x**2, x) must be False.

# %% [markdown] exercise="14.8"
# Write `Power`: `x * h**n`, entry by entry, for two Tensors of the same shape and a plain number `n`.
#
# {requirements}

# %% tags=["given"]
x, h = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([3.0, 4.0], requires_grad=True)
# Power.apply(x, h, 2).backward(mg.tensor([1.0, 10.0])) must leave tensor([  9., 160.]) in x.grad
# and tensor([  6., 160.]) in h.grad.

# %% [markdown] exercise="14.9"
# Write `define(f, *rules)`, which makes differentiable functions.
#
# {requirements}

# %% tags=["given"]
a, b = mg.tensor([1.0, 2.0], requires_grad=True), mg.tensor([5.0, 6.0])


def for_a(g, a, b):
    return g * b


def for_b(g, a, b):
    print("too much work")
    return g * a


# times = define(mg.mul, for_a, for_b)
# times(a, b).sum().backward() must print nothing, and leave tensor([5., 6.]) in a.grad.
