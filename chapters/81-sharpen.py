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
from minigrad.course.helpers.gallery import blur, cup, photos

# %% [markdown]
# The camera was out of focus: each pixel shows the mean of its neighbours. Along one axis that is a matrix `B`, whose rows are
# bell curves. For both axes `blur(image)` is `B @ image @ B.T`. The sensor added some noise.

# %%
truth = mg.tensor(cup())
photo = blur(truth) + 0.004 * mg.tensor(np.random.default_rng(0).normal(size=(48, 48)))

# %% [markdown]
# The loss has two terms. The first says that the image, blurred, must look like the photo. Alone it would make the noise larger and
# larger. So the second adds up how much neighbours differ, which asks for few edges.

# %%
def terms(image):
    missed = ((blur(image) - photo) ** 2).sum()
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

# %% tags=["cover"]
photos(the_photo=photo, found=image, the_truth=truth)

# %% [markdown]
# There was no network, and there were no examples to learn from: only a formula for the blur, and its gradient.
#
# [All pages of the gallery](00-start.ipynb#A-gallery)
