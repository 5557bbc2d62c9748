# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Gallery · From the Earth to Mars
#
# **A simulation is a long formula. Differentiate through all of its steps, and it tells how to aim.**
#
# You need chapters 03, 04 and 09. Here the 150 steps of a flight are one graph of 1500 nodes.

# %%
import numpy as np

import minigrad as mg
from minigrad.viz.figure import Plot
from minigrad.viz.style import COLOURS, INK, LINE

# %% [markdown]
# Distances are in units of that between Earth and Sun, times in years. The Sun pulls with 4π² / r². A flight takes 0.72 years, in 150
# steps: each is half a step ahead, a change of speed, and another half.

# %%
sun, years, steps = 4 * np.pi**2, 0.72, 150
earth = mg.tensor([1.0, 0.0], dtype=mg.float64)
mars = 1.52 * mg.tensor([np.cos(2.5), np.sin(2.5)])


def fly(speed):
    """The way from the Earth, as a table with a row for each moment, for a speed at the start."""
    place, way, h = earth, [earth], years / steps
    for _ in range(steps):
        middle = place + h / 2 * speed
        speed = speed - h * sun * middle / (middle**2).sum() ** 1.5
        place = middle + h / 2 * speed
        way.append(place)
    return mg.stack(way)

# %% [markdown]
# With the speed of the Earth you stay on its orbit. How far are you then from where Mars will be?

# %%
speed = mg.tensor([0.0, 2 * np.pi], dtype=mg.float64)
print(f"missed by {mg.linalg.norm(fly(speed)[-1] - mars).item():.2f}")

# %% [markdown]
# You choose two numbers, and two numbers must become zero: the miss $m$. So take Newton's method: after a change $s$ of the speed the miss
# is about $m + J s$, and that is zero for $J s = -m$. The Jacobian has two rows, and each is one backward pass through the whole flight.
# No change is longer than 0.6, since far from the goal "about" is far off.

# %%
flights = []
for k in range(11):
    speed = speed.detach().requires_grad_()
    way = fly(speed)
    miss = way[-1] - mars
    J = mg.stack([mg.autograd.grad(entry, speed, retain_graph=True)[0] for entry in miss])
    flights.append(way.detach().numpy())
    print(f"flight {k:2}: missed by {mg.linalg.norm(miss).item():.1g}")
    with mg.no_grad():
        change = mg.linalg.solve(J, -miss)
        speed = speed + change * min(1.0, 0.6 / mg.linalg.norm(change).item())
    if mg.linalg.norm(miss).item() < 1e-6:
        break

# %% [markdown]
# Near the goal the right digits about double with each flight, as in chapter 09.

# %% tags=["folded", "cover"]
def show(flights):
    plot = Plot(3.9, 3.5, f"The Sun in the middle, the orbits of Earth and Mars around it. {len(flights)} flights begin at the Earth; the first, "
                "number 0, stays on its orbit, later ones bend outwards, and the last ends at Mars.")  # fmt: skip
    ax, turn = plot.subplots(), np.linspace(0, 2 * np.pi, 200)
    for radius in (1, 1.52):
        ax.plot(radius * np.cos(turn), radius * np.sin(turn), color=LINE, lw=1)
    for k, way in enumerate(flights):
        last = k == len(flights) - 1
        ax.plot(*way.T, color=COLOURS[1] if last else COLOURS[0], lw=2.5 if last else 1, alpha=1 if last else 0.4 + 0.4 * k / len(flights))
        if k < 6:  # the later ends lie too near to Mars
            ahead = way[-1] - way[-2]
            ax.text(*way[-1] * (1 if k else 1.1) + 0.12 * ahead / np.hypot(*ahead), k, color=COLOURS[0], ha="center", va="center")
    for place, name, size in (((0, 0), "Sun", 14), (earth.numpy(), "Earth", 7), (mars.numpy(), "Mars", 6)):
        ax.plot(*place, "o", ms=size, color=INK)
        side = "left" if name == "Sun" else "right"
        ax.annotate(name, place, (10 if name == "Sun" else -8, -3 if name == "Earth" else 8), textcoords="offset points", ha=side)
    ax.text(-0.2, -0.55, f"missed: 0–{len(flights) - 2}", color=COLOURS[0])
    ax.text(-0.75, 1.55, f"{len(flights) - 1}: arrives", color=COLOURS[1], ha="right")
    ax.set(aspect="equal", xlim=(-1.9, 1.9), ylim=(-1.65, 1.7))
    ax.axis("off")
    return plot


show(flights)

# %% [markdown]
# [All pages of the gallery](00-start.ipynb#A-gallery)
