# ---
# jupyter:
#   jupytext:
#     text_representation:
#       format_name: percent
# ---

# %% [markdown]
# # All pictures of `minigrad.viz`
#
# Each picture below is drawn from the engine's own nodes, saved tensors and versions. None of them needs a program
# outside Python, and none of them changes the tensors that it shows.

# %%
import numpy as np

import minigrad as mg
from minigrad import viz

# %% [markdown]
# ## The graph: `viz.draw`
#
# First what you wrote, then what the engine keeps. Each box has the formula, and small the class of its node. The dotted
# arrow ends at `None`: a constant gets no gradient.

# %%
a = mg.tensor(2.0, requires_grad=True)
b = mg.tensor(3.0, requires_grad=True)
d = a * b
e = b + 1
L = d + e
viz.draw(L)

# %% [markdown]
# `view="slopes"` shows the numbers of a backward pass, without making one, and `saved=True` what the nodes saved.

# %%
viz.draw(L, view="slopes")

# %%
viz.draw(L, view="keep", saved=True)

# %% [markdown]
# `inputs=` lights the paths that `autograd.grad(L, [a])` walks, and `mark=` puts a frame around something, here around
# `e`. A graph with more than `max_nodes` nodes is folded, and the picture says so.

# %%
viz.draw(L, view="keep", inputs=a, mark=[e])

# %%
x = mg.tensor([0.1, 0.2], requires_grad=True)
y = x
for _ in range(250):
    y = (y * x).sin()
viz.draw(y, view="keep", max_nodes=6)

# %% [markdown]
# ## A graph that computes: `viz.play`
#
# For small graphs of single numbers. The leaves are sliders; ▶ sends the values down and the slopes up.

# %%
viz.play(L)

# %% [markdown]
# ## The backward pass: `viz.steps`
#
# One step for each node, in the engine's order: on the left the graph, beside it the line of code that is at work and what happens.
# The steps around it are told too, where there is room. Point at a node or a line, and what belongs to it lights up. A pass that
# would stop with an error opens where it stops. Where no script may run the steps open one by one. `steps` makes no pass of its own
# on your tensors: afterwards `.grad` is what it was. With `forward=True` a forward pass from each leaf comes first (chapter 10).

# %%
steps = viz.steps(L)
steps

# %%
print(a.grad, [frame.title for frame in steps.frames])

# %% [markdown]
# Where the real pass would stop with an error, so does this one. Here a value was overwritten after it was saved.

# %%
u = mg.tensor([1.0, 2.0], requires_grad=True)
v = u.exp()
w = (v * v).sum()
with mg.no_grad():
    v.add_(1)
viz.steps(w).picture(2)

# %% [markdown]
# ## Versions: `viz.timeline`
#
# The same error, seen from the overwritten memory: every write makes a version, every save is a pin, and the backward
# pass compares the two.

# %%
viz.timeline(w)

# %% [markdown]
# In a notebook such errors draw themselves: this picture stands below the traceback of an overwritten saved value, the graph with
# the marked node below that of a second pass. `viz.draw_errors(False)` switches it off. The traceback leaves out the
# engine's own frames; `from minigrad.frames import show_frames; show_frames()` brings them back.
#
# ## Memory: `viz.memory`
#
# Which node keeps which array, and how many bytes that is. Memory that two nodes share is counted once.

# %%
weights = mg.rand(3, 4, requires_grad=True)
data = mg.ones(4)
hidden = (weights @ data).tanh()
loss = (hidden * hidden).sum()
ledger = viz.memory(loss)
ledger

# %%
ledger.total, len(ledger.rows)

# %% [markdown]
# ## Jacobians: `viz.jacobian`
#
# A vector picks rows: `y.backward(v)` computes the product below the matrix.

# %%
J = [[2, 1, 0, 0], [0, 3, 2, 0], [0, 0, 4, 3]]
viz.jacobian(J, v={"one row": [0, 1, 0], "weights": [1, 10, 100]})

# %% [markdown]
# `viz.weigh` has a slider for each weight.

# %%
viz.weigh(J, v=[2, -1, 3])

# %% [markdown]
# Three ways to compute all of it: row by row, column by column, or all rows in one batched pass.

# %%
viz.jacobian(J, fill=["rows", "columns", "all"])

# %% [markdown]
# ## Functions: `viz.curve`

# %%
viz.curve(mg.sin, np.linspace(-4, 4, 201))

# %%
viz.curve({"abs": mg.abs, "relu": mg.relu}, np.linspace(-2, 2, 201), tangents=0, points=[0.0])

# %% [markdown]
# ## A point to drag: `viz.tangent`
#
# The tangent is autograd's, the secant goes to a second point. Mouse, finger or arrow keys move them.

# %%
viz.tangent(mg.sin, mg.linspace(-4, 4, 161), at=1.0, step=2.0)

# %% [markdown]
# ## A learning rate to choose: `viz.valley`
#
# Gradient descent on a valley. The sliders set the learning rate and the number of steps.

# %%
viz.valley(steep=(1.0, 20.0), lr=0.045, steps=30)

# %% [markdown]
# ## A training, step by step: `viz.boundary`
#
# Points of two kinds, the boundary that a network draws between them, and its loss. ▶ goes through the steps of the training.

# %%
from functools import partial


def score(w, at):
    return w[0] * at[:, 0] + w[1] * at[:, 1] + w[2]


points = mg.tensor([[-1.0, -0.4], [-0.2, 0.9], [0.1, -0.8], [0.3, 0.4], [1.1, 0.6], [1.4, -0.3]])
labels = mg.tensor([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])
w, losses, seen = mg.tensor([0.0, 1.0, 0.0], requires_grad=True), [], {}
for step in range(41):
    if step % 4 == 0:
        seen[step] = partial(score, w.tolist())
    loss = mg.nn.functional.softplus(-labels * (points @ w[:2] + w[2])).mean()
    (slope,) = mg.autograd.grad(loss, w)
    losses.append(loss.item())
    w = (w - slope).detach().requires_grad_()
viz.boundary(points, labels, seen, {"loss": losses})

# %% [markdown]
# ## Training: `viz.losses` and `viz.paths`


# %%
def bowl(p):
    return p[0] ** 2 + 10 * p[1] ** 2


def descend(rate, momentum):
    """Positions and losses of 20 steps."""
    p, speed, places, seen = mg.tensor([2.0, 1.0]), mg.zeros(2), [], []
    for _ in range(20):
        p.requires_grad_()
        value = bowl(p)
        places.append(p.tolist())
        seen.append(value.item())
        value.backward()
        speed = momentum * speed - rate * p.grad
        p = p.detach() + speed
    return places, seen


ways = {"plain": descend(0.09, 0.0), "momentum": descend(0.03, 0.8)}
viz.paths(bowl, {name: places for name, (places, _) in ways.items()})

# %%
viz.losses({name: seen for name, (_, seen) in ways.items()})

# %% [markdown]
# ## For Graphviz: `viz.to_graphviz`
#
# A `graphviz.Digraph`, to be changed and rendered with Graphviz. Its source needs no program.

# %%
print(viz.to_graphviz(d).source)
