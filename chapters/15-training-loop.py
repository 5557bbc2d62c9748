# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # 15 · Training loop: five lines, Adam, an honest score
#
# **After the first half of this chapter you can put the five lines of a training loop in order, read a flat or swinging loss
# curve, and write Adam. After the second you can score a network on images that it has never seen, and say what the score is
# worth.**
#
# Training is five lines in a loop. How do you see that one of them stands in the wrong place? Here somebody fits the tea of the
# [first page](00-tea.ipynb), with the optimizer of chapter 06 and all five lines:

# %%
import minigrad as mg
from minigrad import viz
from minigrad.course import expect_error, expect_warning
from minigrad.course.data import cup_of_tea

minutes, degrees = map(mg.tensor, cup_of_tea())


def tea(hot, half):
    return 20 + hot * 0.5 ** (minutes / half)


hot, half = mg.tensor(50.0, requires_grad=True), mg.tensor(20.0, requires_grad=True)
optimizer = mg.optim.SGD([hot, half], lr=0.2)
for epoch in range(101):
    prediction = tea(hot, half)
    loss = ((prediction - degrees) ** 2).mean()
    loss.backward()
    optimizer.zero_grad()
    optimizer.step()
    if epoch % 50 == 0:
        print(f"epoch {epoch}: loss {loss:.2f}")

# %% [markdown]
# No error, and no progress. Section 1 tells which line it is.
#
# | | |
# |---|---|
# | **Time** | 50 minutes to read and run, in two sittings; 60 minutes of exercises; 40 minutes for your engine, M7 |
# | **You need** | chapters 01, 04 and 06, and NumPy's shapes; for one hint each 11, 12 and 13 |
# | **You will** | order the five lines of a loop and know the symptom of each wrong order · see what a shape can do to MSE · write Adam from its formula · train an MLP and a small convolutional network on real images · evaluate without a graph · test a model before a long run |
# | **If short of time** | sections 1, 2 and 4, "Three ways this goes wrong", exercises 15.1, 15.4 and 15.5 |
#
# ## Predict first
#
# The tea's answer comes in section 1. First, another mistake that raises nothing, for section 2. A model answers exactly
# what was wanted, (1, 2, 3, 4). But its predictions are a column of shape (4, 1), and the targets have shape (4,). What
# is the mean squared error?

# %% tags=["guess"]
p, wanted = mg.tensor([[1.0], [2.0], [3.0], [4.0]]), mg.tensor([1.0, 2.0, 3.0, 4.0])
((p - wanted) ** 2).mean()

# %% [markdown]
# <details><summary>Answer</summary>
#
# Not 0, but 2.5. A column minus a row is a table of 16 differences, and only the four on its diagonal were meant: section 2.
#
# </details>
#
# ## 1 · Five lines
#
# Training repeats five lines, and each has one job:
#
# | line | its job | what it changes |
# |---|---|---|
# | `optimizer.zero_grad()` | forget the last gradient | `.grad` becomes None |
# | `prediction = model(x)` | forward | a new graph |
# | `loss = mse(prediction, t)` | one number | the graph's end |
# | `loss.backward()` | find the slopes | adds to `.grad`, frees what was saved |
# | `optimizer.step()` | move | the parameters, in place |
#
# When all is well, a small network learns a noisy curve in 300 *epochs*, that is, rounds through the data. A `Linear` layer
# computes `x @ W.T + b`. Two of them in a row would only make a straight line, so a tanh between them lets the curve bend:

# %%
mse = mg.nn.functional.mse_loss
mg.manual_seed(15)
x = mg.linspace(-1, 1, 40, dtype=mg.float64).reshape(-1, 1)
t = mg.sin(4 * x) + 0.1 * mg.randn(40, 1, dtype=mg.float64)
model = mg.nn.Sequential(mg.nn.Linear(1, 16), mg.nn.Tanh(), mg.nn.Linear(16, 1)).double()
optimizer = mg.optim.Adam(model.parameters(), lr=0.02)
fits = {}
for epoch in range(301):
    optimizer.zero_grad()
    prediction = model(x)
    loss = mse(prediction, t)
    loss.backward()
    optimizer.step()
    if epoch in (0, 60, 300):
        fits[f"epoch {epoch}"] = prediction[:, 0]
viz.fit(x[:, 0], t[:, 0], dict(reversed(fits.items())))

# %% [markdown]
# An optimizer knows the parameters, but neither the model nor the loss: it reads the slopes from `.grad`. Here is one round,
# with a single weight:

# %%
w = mg.tensor([1.0], requires_grad=True)
optimizer = mg.optim.SGD([w], lr=0.1)
(3 * w).sum().backward()
optimizer.step()  # w - 0.1 * 3
print(w.grad, w.detach())
optimizer.zero_grad()
print(w.grad, w.detach())

# %% [markdown]
# The gradient is still there after the step, until `zero_grad` clears it. So what if the lines stand in another order? Let us
# try, with one `Linear(1, 1)`: a straight line through the forty points, with a loss of 0.43 at best. `run` does the five lines
# in the order of the words that it gets.
#
# **Check yourself.** The picture will have four curves. One is flat, and two go up and down. Which?


# %% tags=["guess"]
from minigrad.course.helpers.ch15 import side_by_side


def run(order, epochs=12):
    mg.manual_seed(1)
    model = mg.nn.Linear(1, 1).double()
    optimizer, losses = mg.optim.SGD(model.parameters(), lr=0.5), []
    for _ in range(epochs):
        for word in order.split():
            if word == "zero":
                optimizer.zero_grad()
            elif word == "predict":
                prediction = model(x)
            elif word == "loss":
                loss = mse(prediction, t)
            elif word == "backward":
                loss.backward()
            else:
                optimizer.step()
        losses.append(loss.item())
    return losses


orders = {
    "the right order": "zero predict loss backward step",
    "zero before step": "predict loss backward zero step",
    "never zero": "predict loss backward step",
    "step before backward": "predict step loss zero backward",
}
side_by_side({name: run(order) for name, order in orders.items()}, unit="epoch")

# %% [markdown]
# <details><summary>Answer</summary>
#
# * **Flat:** zero_grad stands between backward and step, so the gradients are erased before they are used, as with the tea.
# * **Swinging, never zeroed:** each step uses the sum of all gradients so far, as in chapter 06.
# * **Swinging, step before backward:** each step uses the gradient of the round before, and the parameters have moved since.
#   Nothing is raised, because with one layer backward needs x and not the weights. With two layers there is an error: "Three ways
#   this goes wrong", 2.
#
# The two that swing look alike. To tell them apart, print `.grad` right before backward, from the second round on: where
# it is not None, nobody zeroed it.
#
# </details>
#
# And where must zero_grad stand? Anywhere but between backward and the next step. The losses are the same to the last digit:

# %%
right = run("zero predict loss backward step")
print(right == run("predict loss zero backward step"), right == run("predict loss backward step zero"))

# %% [markdown]
# <details><summary>And if <code>step</code> stands first of all?</summary>
#
# The losses of `step zero predict loss backward` are right too. But the first step finds no gradient, and the last gradient
# is never used. So the model that you keep is **one step late**, and no curve tells.
#
# </details>
#
# ## 2 · MSE, and what a shape can do to it
#
# The mean squared error of n predictions p and targets t, and its slope, entry by entry:
#
# $$L = \frac1n \sum_i (p_i - t_i)^2 \qquad\qquad \frac{\partial L}{\partial p_i} = \frac{2\,(p_i - t_i)}{n}$$
#
# n counts *all* entries: for a batch of 5 rows with 3 outputs, n = 15.

# %%
mg.manual_seed(2)
p, goal = mg.randn(5, 3, requires_grad=True), mg.randn(5, 3)
mse(p, goal).backward()
print(mg.allclose(p.grad, 2 * (p - goal) / 15))

# %% [markdown]
# Now the table of the prediction, made by broadcasting:

# %%
wanted.reshape(4, 1) - wanted

# %% [markdown]
# The mean of its squares is 2.5. Below, four free numbers `q` are trained with this loss to be (1, 2, 3, 4).
#
# **Check yourself.** Where will they end?

# %% tags=["guess"]
q = mg.zeros(4, 1, requires_grad=True)
optimizer = mg.optim.SGD([q], lr=0.5)
for _ in range(100):
    optimizer.zero_grad()
    ((q - wanted) ** 2).mean().backward()
    optimizer.step()
print(q.detach().flatten())

# %% [markdown]
# <details><summary>Answer</summary>
#
# All four end at 2.5, the mean of the targets: the one answer that is best against *all* of them.
#
# </details>
#
# ## 3 · Adam
#
# SGD takes one lr for all parameters. Here is a valley that curves a hundred times as much in one direction as in the other: an
# lr that is small enough for the steep one is tiny for the flat one.
#
# Move the slider, and find the best lr for these 60 steps: how near to (0, 0) do you come? If nothing moves, run the cell.

# %%
viz.valley(steep=(1.0, 100.0), start=(-4.0, 1.0), lr=0.01, steps=60)

# %% [markdown]
# <details><summary>Answer</summary>
#
# Near 0.0196 the walk ends nearest, still 1.22 away. Above 0.02 it leaves the valley. Just below, it jumps from wall to wall in
# the steep direction, while in the flat one each step still leaves 98 % of the way.
#
# </details>
#
# **Adam** gives each entry its own scale, by two running means: m of the gradient g, and v of its square. With β₁ = 0.9 the new
# m is 0.9 times the old one plus 0.1 times g. So in m, slopes that change their sign from step to step cancel, and those that
# keep it remain.
#
# √v is about the size of the past gradients, so m / √v is seldom far above 1, in a steep direction as in a flat one. The
# step is lr times that. At step t (no target here) = 1, 2, 3, …
#
# $$m \leftarrow \beta_1 m + (1-\beta_1)\, g \qquad v \leftarrow \beta_2 v + (1-\beta_2)\, g^2$$
#
# $$\hat m = \frac{m}{1-\beta_1^t} \qquad \hat v = \frac{v}{1-\beta_2^t} \qquad w \leftarrow w - lr\,\frac{\hat m}{\sqrt{\hat v} + \epsilon}$$
#
# Why the hats? m begins at 0, and each step takes it a tenth of the way to g. If g stayed the same, 0.9ᵗ of the way
# would be left after t steps, so m would be (1 − β₁ᵗ) g. Dividing by 1 − β₁ᵗ gives g. The same holds for v, with g².
#
# Usual values: β₁ = 0.9, β₂ = 0.999, ε = 1e-8. Five steps by hand, and by `mg.optim.Adam`:

# %%
gradients = [3.0, -1.0, 0.5, 4.0, -2.0]
w = mg.zeros(1, dtype=mg.float64, requires_grad=True)
optimizer, m, v, by_hand = mg.optim.Adam([w], lr=0.1), 0.0, 0.0, 0.0
for step, g in enumerate(gradients, 1):
    w.grad = mg.tensor([g], dtype=mg.float64)
    optimizer.step()
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
    by_hand -= 0.1 * (m / (1 - 0.9**step)) / ((v / (1 - 0.999**step)) ** 0.5 + 1e-8)
    print(f"{step}: {w.item():.6f}  {by_hand:.6f}")

# %% [markdown]
# **Check yourself.** Five gradients, from a million to a ten-thousandth: how far does each entry move?

# %% tags=["guess"]
w = mg.zeros(5, dtype=mg.float64, requires_grad=True)
w.grad = mg.tensor([1e6, -1e3, 1.0, -0.1, 1e-4], dtype=mg.float64)
mg.optim.Adam([w], lr=0.1).step()
print([round(move, 4) for move in w.tolist()])

# %% [markdown]
# <details><summary>Answer</summary>
#
# All five by 0.1, that is lr, against the sign of their gradient. At t = 1 the corrections give m̂ = g and √v̂ = |g|, so the
# size of g cancels.
#
# </details>
#
# So in the valley Adam sets out at the same speed in both directions:

# %%
def valley(w):
    return (w[0] ** 2 + 100 * w[1] ** 2) / 2


def walk(kind, lr, steps=60):
    w = mg.tensor([-4.0, 1.0], dtype=mg.float64, requires_grad=True)
    optimizer, points = kind([w], lr=lr), [w.tolist()]
    for _ in range(steps):
        optimizer.zero_grad()
        valley(w).backward()
        optimizer.step()
        points.append(w.tolist())
    return points


ways = {"Adam": walk(mg.optim.Adam, lr=0.1), "SGD": walk(mg.optim.SGD, lr=0.019)}
viz.paths(valley, ways, xlim=(-4.4, 0.8), ylim=(-1.1, 1.1), name="w")

# %% [markdown]
# After 60 steps SGD is still 1.27 away, and Adam has arrived, with some swinging. Adam's lr is easy to choose, since it says
# roughly how far an entry moves in a step, whatever the scale of the loss.
#
# ## Half-time
#
# **A good place to stop for today.** Exercises 15.1, 15.3 and 15.4 are about this half. In the second a network reads
# handwriting, for exercises 15.2 and 15.5 to 15.7. When you come back, choose *Run*, then *Run All Above Selected Cell*.
#
# ## 4 · Real images, and a score that counts
#
# One recipe will score 91 % here, and 97 % there. Which do you report?
#
# The course has 1797 handwritten digits of 8 × 8 pixels, with 0 to 16 for the ink. They are from *Optical Recognition of
# Handwritten Digits* by E. Alpaydin and C. Kaynak (UCI Machine Learning Repository, CC BY 4.0).

# %%
import numpy as np

from minigrad.course.data import digits
from minigrad.course.helpers.ch15 import gallery

images, labels = digits()
print(images.shape, images.dtype, "images of each digit:", np.bincount(labels))
gallery(images[:20], labels[:20])

# %% [markdown]
# A network can learn its images by heart, so a score on the images that it was trained on proves little. **Hold some
# out**, and do not train on them. We train on the first 1400, and only look at the last 397.
#
# Ten classes need ten scores, and a loss for them. MSE on the labels would say that a 9 is nearer to an 8 than to a 0,
# so it will not do. **Cross-entropy** turns the scores z of an image into probabilities, eᶻ / Σeᶻ (*softmax*). The loss
# is −log of the right class's probability: 0 when that is 1, and ever larger as it nears 0.
#
# Its gradient is as simple as that of MSE: the probabilities, less 1 at the right class, and all divided by the number of
# images.

# %%
scores = mg.tensor([[2.0, 1.0, 0.0]], requires_grad=True)
loss = mg.nn.functional.cross_entropy(scores, mg.tensor([1]))
loss.backward()
print(round(loss.item(), 4), scores.grad, mg.softmax(scores.detach(), 1))

# %% [markdown]
# The right class, number 1, has probability 0.2447. So the gradient pulls its score up by 0.7553, and pushes the others down.
#
# Here is the loop, with the five lines in the middle of `train`. Each epoch takes the images in a new random order, in
# batches of 50, and ends with the loss on the training images and on the held-out ones, **without a graph**.

# %%
from minigrad.course.showing.bar import track

pixels = mg.tensor(images / 16.0).reshape(-1, 1, 8, 8)  # (n, channels, height, width), from 0 to 1
classes = mg.tensor(labels.astype(np.int64))
training, held_out = (pixels[:1400], classes[:1400]), (pixels[1400:], classes[1400:])


def evaluate(model, inputs, targets):
    was_training = model.training
    model.eval()
    with mg.no_grad():
        scores = model(inputs)
    model.train(was_training)
    right = (scores.argmax(1) == targets).double().mean().item()
    return mg.nn.functional.cross_entropy(scores, targets).item(), right


def train(model, data, others, epochs=range(15), lr=0.01):
    inputs, targets = data
    optimizer = mg.optim.Adam(model.parameters(), lr=lr)
    curves = {"training": [], "held out": []}
    for _ in epochs:
        for rows in mg.randperm(len(targets)).split(50):
            optimizer.zero_grad()
            scores = model(inputs[rows])
            loss = mg.nn.functional.cross_entropy(scores, targets[rows])
            loss.backward()
            optimizer.step()
        curves["training"].append(evaluate(model, *data)[0])
        curves["held out"].append(evaluate(model, *others)[0])
    return curves


# %% [markdown]
# First a **multi-layer perceptron**, or MLP: 64 pixels, 32 hidden units, 10 scores, and between the two layers ReLU, which lets
# positive numbers pass and makes the others 0. All is in float64, so that your machine gives nearly the same numbers.


# %%
def perceptron():
    nn = mg.nn
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)).double()


mg.manual_seed(0)
mlp = perceptron()
mlp_curves = train(mlp, training, held_out, track(range(15), "epochs"))
print(f"right on the training images: {evaluate(mlp, *training)[1]:.0%}")
print(f"right on the held-out images: {evaluate(mlp, *held_out)[1]:.0%}")
viz.losses(mlp_curves, unit="epoch")

# %% [markdown]
# The training loss goes on falling, and the held-out loss soon does not: from there on the network mostly learns its images by
# heart. The **held-out score** is the one to report. What if we hold out images at random? Three times, with three seeds:

# %%
scores = []
for seed in track(range(3), "seeds"):
    mg.manual_seed(seed)
    mixed = mg.randperm(1797)
    a, b = (pixels[mixed[:1400]], classes[mixed[:1400]]), (pixels[mixed[1400:]], classes[mixed[1400:]])
    other = perceptron()
    train(other, a, b)
    scores.append(f"{evaluate(other, *b)[1]:.0%}")
print("right on images held out at random:", *scores)

# %% [markdown]
# Better scores, by the same recipe. Why? Thirteen people wrote these digits, about 140 each. A random choice puts digits by the
# *same hand* on both sides, which is easier.
#
# The file does not say who wrote what, but it seems to go person by person. For 59 % of the images the most similar
# image of the same digit stands at most 140 places, one person's share, away. In a random order that would be 15 %. So
# most of the last 397 are probably by hands that the network has never seen. Say which question you asked.
#
# `evaluate` used **two switches**. `no_grad` is for the engine: nothing is recorded. `eval()` is for the model: layers
# such as dropout, which sets numbers to 0 at random in training, let everything pass. Neither does the job of the other.
# The table tries them. Its last row is `inference_mode`, a stricter `no_grad`: no later graph may save what it makes.

# %% tags=["folded"]
# The code that tries them: click here to read it.
model, on = mg.nn.Sequential(mlp, mg.nn.Dropout(0.5)), mg.enable_grad
ways = {"eval() alone": (False, on), "no_grad alone": (True, mg.no_grad), "both": (False, mg.no_grad), "eval(), inference": (False, mg.inference_mode)}
print(f"{'':19}a graph  the same scores twice  may be saved later")
for name, (learning, mode) in ways.items():
    model.train(learning)  # eval() is train(False)
    with mode():
        once, again = model(pixels), model(pixels)
    print(f"{name:19}{once.grad_fn is not None!s:9}{mg.equal(once, again)!s:23}{not once.is_inference()}")

# %% [markdown]
# ## 5 · A small convolutional network, tested before it runs
#
# 91 % were right. Can another network do better on the same images, and how sure would we be?
#
# An MLP does not know which pixels are neighbours. A **convolution** does: eight small patterns of 3 × 3 weights are
# laid over every place of the image, so what is learned in one corner holds in the others. Max-pooling keeps the largest
# of each block of 2 × 2, so 4 × 4 places are left: 8 · 4 · 4 = 128 numbers.


# %%
def convolutional():
    nn = mg.nn
    return nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(128, 10)).double()


mg.manual_seed(0)
cnn = convolutional()
print([tuple(p.shape) for p in cnn.parameters()], sum(p.numel() for p in cnn.parameters()))
for k in (1, 3, 4, 5):
    print(cnn[:k](pixels[:50]).shape)

# %% [markdown]
# Before a long run, two tests of a second each. **Can it learn eight images by heart?** If even that fails, something is broken:
# shapes, lr, a lost gradient.

# %%
few, optimizer = (pixels[:8], classes[:8]), mg.optim.Adam(cnn.parameters(), lr=0.01)
for step in range(61):
    optimizer.zero_grad()
    loss = mg.nn.functional.cross_entropy(cnn(few[0]), few[1])
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(step, f"{loss.item():.3f}")

# %% [markdown]
# **Is its gradient right?** Along one random direction u through all parameters, the slope must be that of central differences.
# It is chapter 04's test, with the whole model as the function:

# %% tags=["folded"]
# The code that tests it: click here to read it.
mg.manual_seed(5)
model = convolutional()
u = [mg.randn(*p.shape, dtype=p.dtype) for p in model.parameters()]


def loss_at(step):
    with mg.no_grad():
        for p, direction in zip(model.parameters(), u, strict=True):
            p += step * direction
        value = mg.nn.functional.cross_entropy(model(few[0]), few[1]).item()
        for p, direction in zip(model.parameters(), u, strict=True):
            p -= step * direction
    return value


mg.nn.functional.cross_entropy(model(few[0]), few[1]).backward()
slope = sum((p.grad * direction).sum().item() for p, direction in zip(model.parameters(), u, strict=True))
print(f"{slope:.5f} {(loss_at(1e-6) - loss_at(-1e-6)) / 2e-6:.5f}")

# %% [markdown]
# Both pass. Now the run, with three seeds for each network, because a seed decides where the weights start and in which order
# the batches come.

# %%
curves, right = {}, {"MLP": [], "convolutional": []}
for seed in track(range(3), "seeds"):
    for name, make in {"MLP": perceptron, "convolutional": convolutional}.items():
        mg.manual_seed(seed)
        net = make()
        curves[f"{name}, held out"] = train(net, training, held_out)["held out"]
        right[name].append(f"{evaluate(net, *held_out)[1]:.0%}")
print(right)
viz.losses(curves, unit="epoch")  # of the last seed

# %% [markdown]
# The convolutional network wins three times, with 1370 parameters against 2410. But the seed alone moves a score by 2
# points. And 397 images are few: even if all were independent, a score of 92 % would scatter by √(0.92 · 0.08 / 397),
# 1.4 %.
#
# **One run against one run proves little.** Repeat, and report the spread. And whoever now chooses the convolution needs
# a third part for an honest score: the winner was partly lucky on this one, which has become the *validation* set.
#
# Look at the mistakes, too: here are twenty of the last network, each under its label and what the network reads. Do you see
# one person's way to write a 1?

# %%
with mg.no_grad():
    guesses = net(held_out[0]).argmax(1).numpy()
wrong = np.flatnonzero(guesses != labels[1400:])[:20]
wrong = wrong[np.argsort(labels[1400:][wrong], kind="stable")]  # by what they are
gallery(images[1400:][wrong], labels[1400:][wrong], guesses[wrong])

# %% [markdown]
# ## Three ways this goes wrong
#
# **1. The shapes differ, and a warning is all that you get.** The loss goes down, to a plausible number, so treat the warning
# as an error:

# %%
with expect_warning(UserWarning, match="different to the input size"):
    mse(mg.zeros(4, 1), mg.zeros(4))

# %% [markdown]
# **2. The step stands between forward and backward.** With two layers backward needs the second weight as it was, and the
# version counter notices the write (chapter 11). In the message, *AsStrided* is `W.T`, the window that `Linear` uses (chapter
# 12). The weight *begins* at version 1, since filling it with random numbers was a write. Mend the order of the lines.

# %%
net = mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.Tanh(), mg.nn.Linear(3, 1))
optimizer = mg.optim.SGD(net.parameters(), lr=0.1)
net(mg.ones(5, 2)).sum().backward()
loss = net(mg.ones(5, 2)).sum()
optimizer.step()
with expect_error(RuntimeError, match="version 2; expected version 1", short=True):
    loss.backward()

# %% [markdown]
# **3. The optimizer has the wrong parameters.** Layers in a plain list are invisible to the model. Without other layers there
# is an error. With others there is none, and the hidden ones never learn, so count the parameters. An `nn.Sequential` in place
# of the list mends it.


# %%
class Hidden(mg.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [mg.nn.Linear(2, 3), mg.nn.Linear(3, 1)]


with expect_error(ValueError, match="empty parameter list"):
    mg.optim.Adam(Hidden().parameters())

# %% [markdown]
# ## In PyTorch
#
# Write `import torch as mg`, and the cells of this chapter run in PyTorch 2.13, once the lines with `viz` are left out.
# The same seed draws the same numbers in both. Both have `utils.data.DataLoader` for batches and `optim.lr_scheduler`
# for an lr that falls. Only PyTorch has `.to("cuda")`, for a graphics card.
#
# ## Key points
#
# * Five lines. zero_grad stands anywhere but between backward and the next step.
# * Flat loss: gradients erased, or the optimizer has other parameters. Swinging: lr too large, not erased, or the step
#   between forward and backward.
# * MSE divides by all entries. Compare shapes before you subtract: (4, 1) and (4,) give 16 differences.
# * Adam divides a running mean of g by the root of a running mean of g². Its first step is ±lr, unless g is as small as
#   ε.
# * Score on held-out data, and say how they were held out.
# * An evaluation needs both `no_grad` (no graph) and `eval()` (no dropout).
# * Before a long run: overfit one batch, and test the gradient along one random direction.
#
# From the gallery you can now read [An image that fools the network](80-fool-the-network.ipynb), [A blurred photo becomes
# sharp](81-sharpen.ipynb), [A law of nature](82-law-of-motion.ipynb), [Learning to learn](83-learning-to-learn.ipynb), [A
# cloud bent into two moons](84-flow.ipynb) and [Where a transformer looks](86-attention.ipynb).

# %% [markdown] tags=["exercise-table"]
#

# %% [markdown]
# ## Quiz
#
# Answer first, then open.
#
# **1.** The loss of each epoch is exactly the same. Name two causes.
#
# <details><summary>Answer</summary>zero_grad between backward and step; or the optimizer has other parameters than the model
# (another model's, or a copy's).</details>
#
# **2.** `p` has shape (8, 1), `t` has shape (8,). How many differences does `((p - t)**2).mean()` average?
#
# <details><summary>Answer</summary>64, of which 8 were meant.</details>
#
# **3.** All gradients of a model are multiplied by 1000. What changes for SGD, and what for Adam?
#
# <details><summary>Answer</summary>SGD's steps become 1000 times as long. Adam's stay the same: the factor is in m̂ and in √v̂,
# and cancels. Only ε stays.</details>
#
# **4.** Somebody evaluates with `scores = model(x).detach()`. The score is right. What was wasted?
#
# <details><summary>Answer</summary>The graph: it was recorded with all saved arrays, and thrown away one line later. And was
# the model in eval mode?</details>
#
# **5.** Overfitting one batch works. Does that show that the model is good?
#
# <details><summary>Answer</summary>No, only that it can learn: shapes, gradients and lr are not hopeless. Held-out data tell whether it is
# good.</details>

# %% [markdown]
# ## Your engine: M7, it trains
#
# The five lines of this chapter, with nothing but your own file: no Module, no optimizer, no `minigrad`.
#
# * **Write** `fit(points, labels, weights, rate, steps)`: M7 in
#   [the table](93-your-engine.ipynb). Exercise 16.7.
# * **Think first:** which shape have the labels, and which the scores? The weights that were handed in must stay as they
#   are: where do you copy?
# * **Two sittings** of 20 minutes: first the loop, and the facts about one step; then the whole curve, to six digits in 600 steps.
# * **Not done with M6?** `start("16", upto="M6")`.

# %%
from minigrad.course import conformance

conformance("my_engine.py", "M7")

# %% [markdown]
# When it is green, run `from minigrad.course.capstone import moons; moons("my_engine.py")`: two hundred points in two half moons, told apart
# by a network that *your* engine has trained.

# %% [markdown] engine="optim/__init__.py:Adam._move" first="change *= lr" last="_write(param, np.subtract, change)"
# ## In the engine
#
# An optimizer is no part of the engine. For each parameter with a gradient, `step()` computes Adam's formula on arrays. These
# are its last two lines: the change is scaled, and written into the parameter in place, unrecorded and counted.

# %% [markdown] exercise="15.1"
# Write `mse(p, t)` in plain NumPy: the mean squared error of predictions `p` and targets `t`, and its gradient for `p`.
#
# {requirements}
#
# For example, `mse(np.array([1.0, 2.0]), np.array([1.0, 4.0]))` is `(2.0, array([0., -2.]))`.

# %% [markdown] exercise="15.2"
# A network from bare Tensors. Write three functions of the class `Net`; they are judged one after the other, so check as often as you like.
#
# | function | what it returns |
# |---|---|
# | `Net.parameters(sizes)` | for sizes `[3, 5, 2]` the list `[W1, b1, W2, b2]`, with shapes (5, 3), (5,), (2, 5), (2,). All are leaves that require grad. The weights are random, uniform between −1/√in and 1/√in, where `in` is the number of inputs of the layer (`mg.rand` draws between 0 and 1); the biases are zero, or drawn like the weights |
# | `Net.forward(x, parameters)` | the scores of a batch `x` of shape (n, in): each layer is `x @ W.T + b`, with `tanh` between layers and nothing behind the last |
# | `Net.linear_vjp(v, x, W)` | for one layer `y = x @ W.T + b`, a tuple of three: the gradients for `x`, `W` and `b`. `v` is the gradient for `y` |
#
# {requirements}
#
# (*Scores* are the predictions of the network.)
#
# The third is what the engine does for you. Write it by hand once: the rules are in the table of chapter 04.

# %% [markdown] exercise="15.3"
# Write `Adam` from the formulas of section 3.
#
# {requirements}
#
# To try it:

# %% tags=["given"]
w = mg.tensor([1.0, 1.0], dtype=mg.float64, requires_grad=True)
w.grad = mg.tensor([7.0, -0.001], dtype=mg.float64)
# optimizer = Adam([w], lr=0.1); optimizer.step(): w must be tensor([0.9000, 1.1000], dtype=minigrad.float64, requires_grad=True).
# Run this cell again before a second try.

# %% [markdown] exercise="15.4"
# The five lines of this loop got out of order. Put them right. (`losses.append` and `return` are in their places.)
#
# {requirements}
#
# There is more than one right order.

# %% [markdown] exercise="15.5"
# Write `accuracy(model, x, labels)`: the share of the rows of `x` in which the score of the label is the largest.
#
# {requirements}

# %% [markdown] exercise="15.6"
# The first test before a long run. `overfit(model, x, t)` trains the given model on one batch until it knows it by heart.
#
# {requirements}
#
# Something to try it on:

# %% tags=["given"]
mg.manual_seed(3)
batch, targets = mg.randn(6, 3), mg.randn(6)
small = mg.nn.Sequential(mg.nn.Linear(3, 16), mg.nn.Tanh(), mg.nn.Linear(16, 1))
print(small(batch).shape, targets.shape)
# losses = overfit(small, batch, targets): losses[0] must be about 1.69, and losses[-1] below 0.001.

# %% [markdown] exercise="15.7"
# The second test. `gradient_is_right(loss, params)` returns `True` if backward's gradient of `loss()` is right, and `False` if not.
#
# {requirements}
#
# The checker tries four right gradients and nine wrong ones, each five times. What you say most often counts.

# %% tags=["given"]
point = mg.tensor([1.0, 2.0, 3.0], dtype=mg.float64, requires_grad=True)


def right_loss():
    return (point**3).sum()


def wrong_loss():
    return (point**2 * point.detach()).sum()  # the same value; a third of the gradient is missing


# gradient_is_right(right_loss, [point]) must be True, and gradient_is_right(wrong_loss, [point]) False.
