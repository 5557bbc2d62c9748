# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Gallery · An image that fools the network
#
# **The gradient of a loss with respect to the *image* tells which pixels to change so that the network sees another digit.**
#
# You need chapters 04 and 15. In training the image stands still and the parameters move. Here it is the other way round.

# %%
import numpy as np
from matplotlib.colors import LinearSegmentedColormap

import minigrad as mg
from minigrad.course.data import digits
from minigrad.viz.figure import Plot
from minigrad.viz.style import BLUE, ORANGE, PAPER

images, labels = digits()
pixels, classes = mg.tensor(images / 16.0).reshape(-1, 64), mg.tensor(labels.astype(np.int64))

# %% [markdown]
# First a network that reads digits, the perceptron of chapter 15.

# %%
mg.manual_seed(0)
nn = mg.nn
network = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)).double()
optimizer = mg.optim.Adam(network.parameters(), lr=0.01)
for _ in range(15):
    for rows in mg.randperm(1400).split(50):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(pixels[rows]), classes[rows]).backward()
        optimizer.step()
with mg.no_grad():
    right = (network(pixels[1400:]).argmax(1) == classes[1400:]).double().mean().item()
print(f"right on images it has never seen: {right:.0%}")

# %% [markdown]
# Now take an image of a 4 that it reads well, and make steps *down* the loss of a 9. Only the sign of each slope is used: every pixel
# moves by 0.02, up or down, and stays between white and black.

# %%
def fool(image, wanted, step=0.02):
    """The changed image, and the probability of the wanted digit on the way."""
    x, way = image.clone(), []
    while True:
        x = x.detach().requires_grad_()
        scores = network(x)
        way.append(mg.softmax(scores, 0)[wanted].item())
        if scores.argmax().item() == wanted:
            return x.detach(), way
        loss = nn.functional.cross_entropy(scores.reshape(1, 10), mg.tensor([wanted]))
        (slope,) = mg.autograd.grad(loss, x)
        x = (x - step * mg.sign(slope)).clamp(0, 1)


tried = [(k, *fool(pixels[k], 9)) for k in range(1400, 1797) if labels[k] == 4]
number, fooled, way = min((t for t in tried if t[2][0] < 0.02), key=lambda t: len(t[2]))
image, wanted = pixels[number], 9
print(f"a 4 becomes a 9 for the network, in {len(way) - 1} steps")

# %% [markdown]
# (Of all the 4s that it has not seen, and takes for a 9 with less than 2 %, this one needs the fewest steps.) The network is the same,
# and the image has changed a little. You still see the same digit.

# %% tags=["folded", "cover"]
def show(image, fooled):
    with mg.no_grad():
        before, after = (mg.softmax(network(x), 0).numpy() for x in (image, fooled))
    change = fooled - image
    most = change.abs().max().item()
    alt = (f"Three images. A handwritten {before.argmax()}, read with {before.max():.0%}. The change, at most {most:.2f} in any pixel, "
           f"blue where it takes ink away, orange where it adds some. Their sum, read as {after.argmax()} with {after.max():.0%}.")
    plot = Plot(7.0, 2.9, alt)
    tints = LinearSegmentedColormap.from_list("tints", (BLUE, PAPER, ORANGE))
    panels = {
        f"read as {before.argmax()} ({before.max():.0%})": (image, "gray_r", 0, 1),
        f"the change: at most {most:.2f}": (change, tints, -most, most),  # so that one sees it, each colour is as strong as it can be
        f"read as {after.argmax()} ({after.max():.0%})": (fooled, "gray_r", 0, 1),
    }
    for ax, (title, (x, colours, low, high)) in zip(plot.subplots(1, 3), panels.items(), strict=True):
        ax.imshow(x.reshape(8, 8).numpy(), cmap=colours, vmin=low, vmax=high, gid="photo")
        ax.set_title(title, fontsize=10)
        ax.set(xticks=[], yticks=[], xlabel="blue: ink taken away,\norange: ink added" if x is change else "")
    return plot


show(image, fooled)

# %% [markdown]
# Why does it work? Small steps in 64 pixels add up when each goes the way of its slope. Random changes of the same size do not fool
# the network:

# %%
rng = np.random.default_rng(0)
largest = (fooled - image).abs().max().item()
others = image + mg.tensor(largest * rng.choice([-1.0, 1.0], (1000, 64)))
with mg.no_grad():
    share = (network(others.clamp(0, 1)).argmax(1) == wanted).double().mean().item()
print(f"of 1000 random changes of that size {share:.0%} fool the network")

# %% [markdown]
# [All pages of the gallery](00-start.ipynb#A-gallery)
