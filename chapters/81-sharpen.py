# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Gallery · A blurred photo becomes sharp
#
# **If you can write down how a photo was blurred, you can walk downhill to a photo that, blurred in the same way, looks like yours.**
#
# You need chapters 04 and 15. The parameters are the 2304 pixels of the photo that you do not have.

# %%
import numpy as np

import minigrad as mg
from minigrad import viz
from minigrad.viz.figure import Plot


def cup(n=48):
    """A picture of a cup of tea, from 0 (paper) to 1 (ink)."""
    y, x = np.mgrid[0:n, 0:n] / (n - 1.0)
    ring = np.hypot(x - 0.74, y - 0.53)
    body = (abs(x - 0.45) < 0.26 - 0.12 * np.clip(y - 0.4, 0, 1)) & (y > 0.38) & (y < 0.82)
    image = 0.75 * (body | (ring < 0.14) & (ring > 0.085) & (x > 0.68))
    image[np.hypot((x - 0.45) / 0.42, (y - 0.86) / 0.05) < 1] = 0.9
    for k in (0.33, 0.45, 0.57):
        image[(abs(x - k - 0.025 * np.sin(25 * y)) < 0.014) & (y > 0.1) & (y < 0.3)] = 0.5
    return image

# %% [markdown]
# The camera was out of focus: each pixel shows the mean of its neighbours. Along one axis that is a matrix `B`, whose rows are
# bell curves, and for both axes `B @ image @ B.T`. The sensor added some noise.

# %%
truth, places = cup(), np.arange(48)
B = np.exp(-np.subtract.outer(places, places) ** 2 / (2 * 1.6**2))
B = mg.tensor(B / B.sum(1, keepdims=True))
photo = B @ mg.tensor(truth) @ B.T + 0.004 * mg.tensor(np.random.default_rng(0).normal(size=(48, 48)))

# %% [markdown]
# The loss has two terms. The first says that the image, blurred, must look like the photo. Alone it would make the noise larger and
# larger. So the second adds up how much neighbours differ, which asks for few edges.

# %%
def terms(image):
    missed = ((B @ image @ B.T - photo) ** 2).sum()
    across, down = image[:-1, 1:] - image[:-1, :-1], image[1:, :-1] - image[:-1, :-1]
    return missed, 0.0006 * mg.sqrt(across**2 + down**2 + 1e-6).sum()


image = photo.clone().requires_grad_()
optimizer, seen = mg.optim.Adam([image], lr=0.02), []
for _ in range(300):
    optimizer.zero_grad()
    missed, edges = terms(image)
    (missed + edges).backward()
    optimizer.step()
    with mg.no_grad():
        image.clamp_(0, 1)
    seen.append((missed.item(), edges.item()))
viz.losses({"unlike the photo": [m for m, _ in seen], "edges (penalty)": [e for _, e in seen]}, log=True)

# %% [markdown]
# (The 1e-6 keeps `sqrt` away from 0, where its slope is infinite: chapter 13.)

# %% tags=["folded", "cover"]
def show(**pictures):
    plot = Plot(7.2, 2.7, "A cup of tea, three times: " + ", ".join(pictures).replace("_", " ") + ".")
    for ax, (title, picture) in zip(plot.subplots(1, 3), pictures.items(), strict=True):
        ax.imshow(np.asarray(picture.detach() if isinstance(picture, mg.Tensor) else picture), cmap="gray_r", vmin=0, vmax=1, gid="photo")
        ax.set_title(title.replace("_", " "), fontsize=10)
        ax.set(xticks=[], yticks=[])
    return plot


show(the_photo=photo, found=image, the_truth=truth)

# %% [markdown]
# There was no network, and there were no examples to learn from: only a formula for the blur, and its gradient.
#
# [All pages of the gallery](00-start.ipynb#A-gallery)
