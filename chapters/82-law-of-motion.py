# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Gallery · A law of nature, found in data
#
# **A network learns a movement from noisy points, and at the same time the two numbers of the law that the movement obeys.**
#
# You need chapters 09 and 15. The law speaks of a *second* derivative, so `create_graph` does the work.

# %%
import numpy as np

import minigrad as mg
from minigrad import viz
from minigrad.viz.figure import Plot
from minigrad.viz.style import COLOURS, INK, MUTED

# %% [markdown]
# A weight hangs on a spring. Its height u was measured 41 times in five seconds, with errors. You believe in a law of this form, but
# do not know its two numbers:
#
# $$u'' = -k\, u - c\, u'$$
#
# `k` says how hard the spring pulls, `c` how much the air brakes.

# %%
def truth(t, k=4.0, c=0.3):
    w = np.sqrt(k - c**2 / 4)
    return np.exp(-c * t / 2) * (np.cos(w * t) + c / (2 * w) * np.sin(w * t))


seconds = np.linspace(0, 5, 41)
heights = truth(seconds) + np.random.default_rng(1).normal(0, 0.05, 41)
viz.fit(seconds, heights, xlabel="seconds", ylabel="height")

# %% [markdown]
# A small network makes a height out of a time. Its derivatives with respect to the *time* come from two passes, both with a graph.
# So the law can be part of the loss: how much is $u'' + k u + c u'$ away from zero?

# %%
mg.manual_seed(0)
nn = mg.nn
network = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1)).double()
t = mg.tensor(seconds[:, None], requires_grad=True)
measured = mg.tensor(heights[:, None])
k = mg.tensor(1.0, dtype=mg.float64, requires_grad=True)
c = mg.tensor(0.0, dtype=mg.float64, requires_grad=True)


def losses():
    u = network(t - 2.5)
    (speed,) = mg.autograd.grad(u.sum(), t, create_graph=True)
    (acceleration,) = mg.autograd.grad(speed.sum(), t, create_graph=True)
    law = acceleration + k * u + c * speed
    return u, ((u - measured) ** 2).mean(), (law**2).mean()

# %% [markdown]
# (`u.sum()` is allowed here, since each height depends on its own time only: its gradient is the diagonal of the Jacobian.)

# %%
optimizer = mg.optim.Adam([*network.parameters(), k, c], lr=0.01)
for step in range(801):
    optimizer.zero_grad()
    u, missed, lawless = losses()
    (missed + 0.05 * lawless).backward()
    optimizer.step()
    if step % 200 == 0:
        print(f"step {step:3}: k = {k.item():.1f}, c = {c.item():.1f}")

# %% [markdown]
# The data was made with k = 4 and c = 0.3. The network was told only the form of the law. And with a law you can look beyond the data.
# Here it runs on for ten more seconds, beside the true heights, which nobody has measured there.

# %% tags=["cover"]
def run(k, c, until=15.0, h=0.005):
    """Follow the law from height 1 at rest, in small steps."""
    u, speed, way = 1.0, 0.0, []
    for _ in range(int(until / h) + 1):
        way.append(u)
        speed += h * (-k * u - c * speed)
        u += h * speed
    return np.array(way)[::10]


law, later = run(k.item(), c.item()), np.arange(5.25, 15.001, 0.25)
plot = Plot(3.9, 2.9, f"41 measured heights up to 5 seconds, and the law that was found, up to 15 seconds. Beyond the data it is at most "
            f"{np.abs(law - truth(np.linspace(0, 15, 301)))[100:].max():.1f} away from the true heights.")  # fmt: skip
ax = plot.subplots()
ax.plot(np.linspace(0, 15, 301), law, color=COLOURS[0], label="the law that was found")
ax.plot(seconds, heights, "o", color=INK, ms=3, zorder=3)
ax.plot(later, truth(later), "o", color=INK, mfc="none", ms=3.5, mew=0.8, zorder=3)
ax.axvline(5, color=MUTED, ls="--", lw=1)
ax.text(4.7, 1.2, "data", color=INK, fontsize=9, ha="right", va="center")
ax.text(5.3, 1.2, "the true heights", color=INK, fontsize=9, va="center")
ax.set(xlabel="seconds", ylabel="height", ylim=(-1, 1.35))
ax.grid()
plot.name_lines(width=14)
plot

# %% [markdown]
# [All pages of the gallery](00-start.ipynb#A-gallery)
