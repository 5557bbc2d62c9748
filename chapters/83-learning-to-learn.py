# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Gallery · Learning to learn
#
# **A step of gradient descent is a formula like any other. So you can differentiate *through* it, and find a starting point from
# which one step goes far.**
#
# You need chapters 09 and 15. The method is called MAML (Finn, Abbeel and Levine, 2017).

# %%
import numpy as np

import minigrad as mg
from minigrad.viz.figure import Plot
from minigrad.viz.style import COLOURS, INK, MUTED, PAPER

# %% [markdown]
# Each task is a wave of its own height and position. You see ten points of a wave, and may make **one** step.

# %%
def wave(rng):
    height, shift = rng.uniform(0.5, 2), rng.uniform(0, np.pi)
    return lambda x: height * np.sin(x + shift)


def points(f, rng, n=10):
    x = rng.uniform(-3, 3, (n, 1))
    return mg.tensor(x), mg.tensor(f(x))


def fresh(sizes=(1, 32, 32, 1)):
    rng, made = np.random.default_rng(4), []
    for before, after in zip(sizes, sizes[1:], strict=False):
        made += [rng.normal(0, 3 if before == 1 else before**-0.5, (before, after)), rng.normal(0, 0.3, after)]
    return [mg.tensor(p, requires_grad=True) for p in made]


def network(w, x):
    return mg.tanh(mg.tanh(x @ w[0] + w[1]) @ w[2] + w[3]) @ w[4] + w[5]


def missed(w, x, y):
    return ((network(w, x) - y) ** 2).mean()

# %% [markdown]
# The step itself. With `record=True` it has a graph: a way leads back from the new parameters, through the step and the gradient in
# it, to the old ones.

# %%
def one_step(w, x, y, record=False):
    slopes = mg.autograd.grad(missed(w, x, y), w, create_graph=record)
    return [p - 0.05 * slope for p, slope in zip(w, slopes, strict=True)]

# %% [markdown]
# Now train the *start*. For a few tasks at a time: make one step, look how well the stepped network does on new points of the same
# wave, and go backward through all of it.

# %%
rng, start = np.random.default_rng(0), fresh()
optimizer = mg.optim.Adam(start, lr=0.003)
for _ in range(500):
    optimizer.zero_grad()
    for task in [wave(rng) for _ in range(4)]:
        stepped = one_step(start, *points(task, rng), record=True)
        missed(stepped, *points(task, rng)).backward()
    optimizer.step()

# %% [markdown]
# On twenty waves that it has never seen, each with ten points and one step:

# %%
def after_one_step(w):
    rng = np.random.default_rng(99)
    tasks = [wave(rng) for _ in range(20)]
    return np.mean([missed(one_step(w, *points(task, rng)), *points(task, rng, 50)).item() for task in tasks])


print(f"from a random start: {after_one_step(fresh()):.1f}   from the trained start: {after_one_step(start):.1f}")

# %% tags=["folded", "cover"]
def show():
    rng, x = np.random.default_rng(2), np.linspace(-3, 3, 61)[:, None]
    task = wave(rng)
    given = points(task, rng)
    plot = Plot(7.6, 3.0, "One wave, ten points of it, and two networks before and after one step. From a random start the step leads "
                "far off. From the trained start it brings the curve close to the wave.")  # fmt: skip
    for ax, (title, w) in zip(plot.subplots(1, 2), {"random start": fresh(), "trained start": start}.items(), strict=True):
        ax.plot(x, task(x), color=MUTED, alpha=0.5, lw=5, label="the wave")
        ax.plot(x, network(w, mg.tensor(x)).detach().numpy(), color=COLOURS[1], ls=(0, (5, 2)), label="before")
        ax.plot(x, network(one_step(w, *given), mg.tensor(x)).detach().numpy(), color=COLOURS[0], label="after")
        ax.plot(*(g.numpy().ravel() for g in given), "o", color=INK, mec=PAPER, mew=0.7, ms=5.5)
        ax.set(title=title, xlabel="x", ylabel="height", ylim=(-2.8, 2.8))
    plot.name_lines(width=10)
    return plot


show()

# %% [markdown]
# [All pages of the gallery](00-start.ipynb#A-gallery)
