# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Gallery · A cloud bent into two moons
#
# **Eight simple steps, each of which can be undone, turn a round cloud of random points into the shape of your examples.**
#
# You need chapters 03 and 15. Such a chain of steps is called a *normalizing flow* (Dinh, Sohl-Dickstein and Bengio, 2017).

# %%
import numpy as np

import minigrad as mg
from minigrad import viz
from minigrad.viz.figure import Plot
from minigrad.viz.style import BLUE, ORANGE

# %% [markdown]
# The examples: 500 points on two moons.

# %%
rng = np.random.default_rng(0)
angle, upper = rng.uniform(0, np.pi, 500), rng.random(500) < 0.5
moons = np.stack([np.where(upper, np.cos(angle), 1 - np.cos(angle)), np.where(upper, np.sin(angle), 0.5 - np.sin(angle))], 1)
moons = mg.tensor(1.3 * (moons - [0.5, 0.25]) + rng.normal(0, 0.06, (500, 2)))

# %% [markdown]
# Each step leaves one coordinate, `a`, as it is, and stretches and shifts the other, `b`, by amounts that a small network makes out
# of `a`. Since `a` is still there afterwards, the step can be undone. Then the two change places.
#
# How much does a step stretch the plane? Its Jacobian has a 1 and the stretch on its diagonal, and a 0 above it, so its determinant is
# the stretch. Along the chain the logarithms of the stretches add up.

# %%
mg.manual_seed(2)
nn = mg.nn
networks = [nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 2)).double() for _ in range(8)]


def amounts(network, a):
    out = network(a)
    return 1.5 * mg.tanh(out[:, :1]), out[:, 1:]


def to_cloud(points):
    a, b, stretched = points[:, :1], points[:, 1:], 0
    for network in networks:
        log_stretch, shift = amounts(network, a)
        a, b, stretched = b * mg.exp(log_stretch) + shift, a, stretched + log_stretch
    return a, b, stretched


def from_cloud(points):
    a, b, stages = points[:, :1], points[:, 1:], [points]
    for network in reversed(networks):
        log_stretch, shift = amounts(network, b)
        a, b = b, (a - shift) * mg.exp(-log_stretch)
        stages.append(mg.cat([a, b], 1))
    return stages

# %% [markdown]
# Undone, it gives the points back:

# %%
with mg.no_grad():
    a, b, _ = to_cloud(moons)
    print(mg.allclose(from_cloud(mg.cat([a, b], 1))[-1], moons))

# %% [markdown]
# The loss asks that the moons become a round cloud, a bell curve in both directions. Near the middle is good, and stretching is good:
# otherwise all points would be squeezed into one.

# %%
optimizer = mg.optim.Adam([p for network in networks for p in network.parameters()], lr=0.005)
seen = []
for _ in range(500):
    optimizer.zero_grad()
    a, b, stretched = to_cloud(moons)
    loss = ((a**2 + b**2) / 2 - stretched).mean()
    loss.backward()
    optimizer.step()
    seen.append(loss.item())
viz.losses({"loss": seen})

# %% [markdown]
# The loss may fall below 0: it is no distance, and the stretching is taken away from it. Where it jumps up, a step was too long.
#
# Now the other way. Five hundred *new* points of a round cloud, and what the eight steps, undone, make of them:

# %% tags=["folded", "cover"]
def show(stages):
    plot = Plot(7.4, 2.5, "A round cloud of points; after two, five and eight steps it is bent more and more, and in the end it "
                "lies on two moons.")  # fmt: skip
    colours = np.where(stages[0][:, 0].numpy() > 0, BLUE, ORANGE)
    for ax, k in zip(plot.subplots(1, 4), (0, 2, 5, 8), strict=True):
        ax.scatter(*stages[k].numpy().T, s=6, c=colours, lw=0)
        ax.set_title(f"after {k} steps" if k else "a cloud")
        ax.set(xticks=[], yticks=[], aspect="equal", adjustable="datalim")
        ax.set_xlabel({0: "blue: began right,\norange: began left", 8: "each panel has\nits own scale"}.get(k, ""))
    return plot


with mg.no_grad():
    stages = from_cloud(mg.tensor(np.random.default_rng(5).normal(size=(500, 2))))
show(stages)

# %% [markdown]
# [All pages of the gallery](00-start.ipynb#A-gallery)
