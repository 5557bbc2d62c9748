# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Glossary
#
# **The words of the code, of the lessons and of PyTorch's messages, each in a sentence or two.**
#
# They stand in groups, so that a word stands beside its neighbours. *Edit → Find* (or *Ctrl + F*) finds one.
# The cells run: change them and see.

# %%
import minigrad as mg

x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = x * x
L = y.sum()

# %% [markdown]
# ## The graph
#
# ### tensor
#
# An array of numbers with a shape and a dtype, that can also carry a history. In `minigrad` as in PyTorch the class
# is `Tensor`, and `mg.tensor(...)` makes one. [Chapter 01](01-the-graph.ipynb)
#
# ### `requires_grad`
#
# The flag that asks for gradients. You set it on leaves; a computed tensor has it when one of its inputs has it and
# grad mode is on. [Chapter 01](01-the-graph.ipynb)

# %%
x.requires_grad, y.requires_grad, y.detach().requires_grad

# %% [markdown]
# ### leaf
#
# A tensor that no recorded operation made. `backward` fills `.grad` of leaves that require grad, and of no others.
# [Chapter 01](01-the-graph.ipynb)

# %%
x.is_leaf, y.is_leaf

# %% [markdown]
# ### graph
#
# All nodes that led to a tensor, with the edges between them. It is built while the forward runs, anew at every run.
# It has directions and no cycles: a *DAG*, directed acyclic graph. [Chapter 01](01-the-graph.ipynb)
#
# ### node
#
# One recorded operation. It knows its backward rule and what it saved. Its name is the operation's with `Backward0`
# behind. [Chapter 01](01-the-graph.ipynb)

# %%
y.grad_fn.name()

# %% [markdown]
# ### `grad_fn`
#
# The node that made a tensor. None for a leaf. [Chapter 01](01-the-graph.ipynb)

# %%
x.grad_fn is None, L.grad_fn.name()

# %% [markdown]
# ### edge
#
# The way from a node to the node that made one of its inputs, with the number of that node's output.
# `next_functions` lists them. An input that needs no gradient has the edge `(None, 0)`. [Chapter
# 01](01-the-graph.ipynb)

# %%
[(node.name(), number) for node, number in L.grad_fn.next_functions]

# %% [markdown]
# ### `AccumulateGrad`
#
# The node at the end of every thread: it stands for a leaf, and adds what arrives to the leaf's `.grad`. [Chapter
# 01](01-the-graph.ipynb)

# %%
y.grad_fn.next_functions[0][0].name()

# %% [markdown]
# ### root
#
# A tensor, or its edge, from which a backward pass begins: what you call `backward` on. There may be several.
# [Chapter 04](04-vjps.ipynb)
#
# ### constant
#
# A tensor that does not require grad. The graph leaves it out. [Chapter 01](01-the-graph.ipynb)
#
# ### topological order
#
# An order of the nodes in which each comes after all that feed it. Backward takes such an order from the root: a
# node *fires* when everything that it waits for has arrived. [Chapter 02](02-chain-rule.ipynb)

# %% [markdown]
# ## Derivatives
#
# ### gradient
#
# The slopes of one number with respect to all elements of a tensor. It has the tensor's shape. In the field the word
# also stands for what flows back through the graph, the cotangent. [Chapter 02](02-chain-rule.ipynb)

# %%
mg.autograd.grad(L, x, retain_graph=True)

# %% [markdown]
# ### chain rule
#
# The slope of a function of a function is the product of the slopes. For vectors: the product of the Jacobians.
# Where several paths join, their contributions are added. [Chapter 02](02-chain-rule.ipynb)
#
# ### Jacobian
#
# The table of all slopes of a function: a row for each output, a column for each input. [Chapter
# 03](03-jacobians.ipynb)

# %%
mg.autograd.functional.jacobian(lambda t: t * t, x.detach())

# %% [markdown]
# ### vjp
#
# Vector-Jacobian product, vᵀJ: a row of weights from the left. One backward pass computes it, without building J.
# [Chapter 04](04-vjps.ipynb)

# %%
mg.autograd.grad(y, x, mg.tensor([1.0, 10.0, 100.0]), retain_graph=True)

# %% [markdown]
# ### cotangent
#
# The v of a vjp: one number for each element of an *output*, saying how much it counts. `backward` calls it
# `gradient`, `autograd.grad` calls it `grad_outputs`, messages call it `grad_output`. [Chapter 04](04-vjps.ipynb)
#
# ### complex numbers
#
# For c = a + bi and a real loss L, `c.grad` is ∂L/∂a + i ∂L/∂b: L grows fastest in that direction, so `c - lr * c.grad`
# is a step down. An operation with the complex slope f′ has the rule `v * f′.conj()`. Below, the slope of c² is 2c =
# 6 + 8i, and the real part of c² has the *conjugate*. [Chapter 04](04-vjps.ipynb)

# %%
c = mg.tensor(3 + 4j, requires_grad=True)
mg.autograd.grad(c.abs() ** 2, c), mg.autograd.grad((c**2).real, c)

# %% [markdown]
# ### jvp
#
# Jacobian-vector product, J u: how the outputs move when the inputs move along u. One forward pass computes it.
# [Chapter 10](10-forward-mode.ipynb)

# %%
mg.autograd.functional.jvp(lambda t: t * t, x.detach(), mg.tensor([1.0, 0.0, 0.0]))

# %% [markdown]
# ### tangent
#
# The u of a jvp: one number for each element of an *input*, saying how fast it moves. [Chapter
# 10](10-forward-mode.ipynb)
#
# ### dual tensor
#
# A tensor that carries its tangent with it through the forward. Its value is called *primal*. [Chapter
# 10](10-forward-mode.ipynb)
#
# ### reverse mode
#
# Derivatives from the end to the beginning, with vjps: one pass for each output. What `backward` does. [Chapter
# 02](02-chain-rule.ipynb)
#
# ### forward mode
#
# Derivatives along with the values, with jvps: one pass for each input, and nothing has to be saved. [Chapter
# 10](10-forward-mode.ipynb)
#
# ### finite differences
#
# The slope measured: move the input by a small step and divide. Central differences go to both sides. Slow and
# rounded, but independent of any rule, so they are the *oracle* that rules are tested against. [Chapter
# 03](03-jacobians.ipynb)
#
# ### `gradcheck`
#
# The function that compares the rules with central differences, in float64. [Chapter 14](14-function.ipynb)
#
# ### Hessian
#
# The table of second derivatives of one number: the Jacobian of its gradient. It is symmetric where the second
# derivatives are continuous. [Chapter 09](09-higher-order.ipynb)
#
# ### hvp
#
# Hessian-vector product, H v, without building H: the slope of the gradient along v. `vhp` is vᵀH, the same numbers
# for a symmetric H. [Chapter 09](09-higher-order.ipynb)
#
# ### kink
#
# A point where the slopes from left and right differ, as of `relu` at 0. The engine returns one of the numbers
# between them, by convention. [Chapter 05](05-plot-f-and-slope.ipynb)

# %% [markdown]
# ## The backward pass
#
# ### `backward`
#
# `L.backward()` walks the graph from L and *adds* the gradients to `.grad` of the leaves. It returns nothing.
# [Chapter 06](06-accumulation.ipynb)
#
# ### `autograd.grad`
#
# The same walk, but it returns the gradients that you ask for and leaves `.grad` alone. [Chapter
# 08](08-autograd-grad.ipynb)
#
# ### accumulate
#
# To add to what is there. Inside the graph, where several paths join; at the leaf, from one `backward` to the next,
# until you zero. [Chapter 06](06-accumulation.ipynb)
#
# ### `zero_grad`
#
# Setting the `.grad` of parameters to None (the usual way now) or to zeros, so that the next `backward` begins from
# nothing. [Chapter 06](06-accumulation.ipynb)
#
# ### saved tensor
#
# A tensor that a node keeps because its backward rule needs the value. It is freed by the first backward pass.
# [Chapter 07](07-retain-graph.ipynb)

# %%
print(y.grad_fn._saved_self is x)

# %% [markdown]
# ### freed
#
# The state of a node whose saved tensors were given up after a backward pass. A second walk through it raises.
# [Chapter 07](07-retain-graph.ipynb)
#
# ### `retain_graph`
#
# Asks a backward pass not to free what was saved, so that another may follow. [Chapter 07](07-retain-graph.ipynb)
#
# ### `create_graph`
#
# Asks a backward pass to record itself, so that the gradients have a history and can be differentiated again. It
# implies `retain_graph`. [Chapter 08](08-autograd-grad.ipynb)
#
# ### materialize
#
# To put zeros where there is no gradient (None). [Chapter 08](08-autograd-grad.ipynb)
#
# ### `retain_grad`
#
# Asks a computed tensor to keep its gradient in `.grad`, as a leaf does. [Chapter 13](13-looking-inside.ipynb)
#
# ### hook
#
# A function of yours that the engine calls during a backward pass, with a gradient: to look at it, or to return
# another. [Chapter 13](13-looking-inside.ipynb)
#
# ### capture
#
# To hand a gradient out where `autograd.grad` or `inputs=` asked for it, on the way or at a leaf. [Chapter
# 08](08-autograd-grad.ipynb)

# %% [markdown]
# ## Writing in place
#
# ### in place
#
# An operation that writes its result into the memory of its input: `add_`, `+=`, `x[0] = 5`. PyTorch marks the
# methods with an underscore, and its messages write *inplace*. [Chapter 11](11-in-place.ipynb)
#
# ### version counter
#
# A number, shared by all tensors on the same memory, that each write increases. A node notes it when it saves a
# tensor and compares it in backward. [Chapter 11](11-in-place.ipynb)

# %%
z = mg.ones(3)
z.add_(1)
z._version

# %% [markdown]
# ### view
#
# A tensor that shows the memory of another: a slice, a transpose, a reshape where that is possible. A write into one
# shows in the other. [Chapter 12](12-views.ipynb)

# %%
v = y[1:]
v._base is y, v._is_view()

# %% [markdown]
# ### base
#
# The tensor whose memory a view shows. A view of a view has the same base. [Chapter 12](12-views.ipynb)
#
# ### rebase
#
# What the engine does after a write into a view: the base gets a new node, and the view's history is made anew from
# it. [Chapter 12](12-views.ipynb)
#
# ### alias
#
# Another tensor, or another name, for the same memory. [Chapter 12](12-views.ipynb)
#
# ### `detach`
#
# A tensor with the same memory and no history. `clone` is the opposite: new memory, with the history. [Chapter
# 11](11-in-place.ipynb)

# %%
x.detach().is_leaf, x.clone().is_leaf

# %% [markdown]
# ### `no_grad`
#
# A mode in which nothing is recorded. What is computed in it are constants. [Chapter 11](11-in-place.ipynb)
#
# ### inference mode
#
# `no_grad`, and besides no version counters. A tensor made in it may be added to one that requires grad, but no node may save
# it, so `w * t` raises. [Chapter 11](11-in-place.ipynb)
#
# ### `data`
#
# `x.data`: like `detach`, but its writes are not counted. Errors that a version check would find become wrong
# gradients. [Chapter 11](11-in-place.ipynb)
#
# ### contiguous
#
# With its elements in memory in the order of the indices, without gaps. A transpose is not. [Chapter
# 12](12-views.ipynb)

# %%
x.expand(2, 3).t().is_contiguous()

# %% [markdown]
# ### broadcasting
#
# Stretching axes of size 1 so that two shapes fit. The rule for the way back is a sum over the stretched axes.
# [Chapter 04](04-vjps.ipynb)

# %% [markdown]
# ## Rules, training and debugging
#
# ### `Function`
#
# `autograd.Function`: the class with which you write an operation of your own, its forward and its backward.
# [Chapter 14](14-function.ipynb)
#
# ### `ctx`
#
# The node, as forward and backward of a custom Function see it: the place to save what backward needs. [Chapter
# 14](14-function.ipynb)
#
# ### `once_differentiable`
#
# A mark on a backward rule that is computed without a graph and so cannot be differentiated again. [Chapter
# 14](14-function.ipynb)
#
# ### anomaly mode
#
# A mode in which each node remembers the forward line that made it, and backward stops at the first NaN. [Chapter
# 13](13-looking-inside.ipynb)
#
# ### parameter
#
# A leaf that an optimizer changes. `nn.Parameter` is a Tensor that requires grad and that a module lists. [Chapter
# 15](15-training-loop.ipynb)
#
# ### optimizer
#
# The object that changes the parameters after each backward, by a rule such as SGD or Adam. [Chapter
# 15](15-training-loop.ipynb)
#
# ### loss
#
# The number that training makes small: the root of the backward pass. [Chapter 15](15-training-loop.ipynb)

# %% [markdown]
# ## More
#
# - [I get this message](91-messages.ipynb) · [cheat sheet](92-cheat-sheet.ipynb) · [start page](00-start.ipynb)
