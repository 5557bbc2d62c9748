# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Cheat sheet
#
# **One page for beside the keyboard.** What stands in the tables holds for `import torch as mg`, too.
#
# | You want | You write | Chapter |
# |:--|:--|:--|
# | a leaf | `w = mg.tensor([1.0, 2.0], requires_grad=True)` | 01 |
# | all gradients, added to `.grad` | `L.backward()` | 06 |
# | some gradients, returned | `(g,) = mg.autograd.grad(L, w)` | 08 |
# | vᵀJ, one pass | `y.backward(v)` with `v.shape == y.shape` | 04 |
# | row i of J | `v = mg.zeros_like(y); v[i] = 1` | 04 |
# | the slope of an elementwise f at every point | `f(x).sum().backward()` | 05 |
# | J u | `mg.autograd.functional.jvp(f, x, u)`: twice backward; `forward_ad`: one pass forward | 10 |
# | all of J; H | `functional.jacobian(f, x)`; `functional.hessian(f, x)` | 03, 09 |
# | H v | `(g,) = grad(L, w, create_graph=True); grad(g @ v, w)` | 09 |
# | two passes through one graph | `L.backward(retain_graph=True)`, then the second | 07 |
# | the gradient of a computed tensor | `h.retain_grad()` before, or `grad(L, h)` | 13 |
# | zeros for an unused input | `grad(L, w, materialize_grads=True)` | 08 |
# | out of the graph, same memory | `x.detach()` | 11 |
# | own memory, same graph | `x.clone()` | 11 |
# | update a parameter | `with mg.no_grad(): w -= lr * w.grad` | 11 |
# | begin the next step | `optimizer.zero_grad()`, or `w.grad = None` | 06 |
# | the line that makes NaN | `with mg.autograd.set_detect_anomaly(True):` around forward and backward | 13 |
# | look at, or change, a gradient | `handle = h.register_hook(lambda g: ...)` | 13 |
# | is my rule right? | `mg.autograd.gradcheck(f, x)` with float64 | 14 |
#
# | Shapes | |
# |:--|:--|
# | `x.grad` | as `x` |
# | cotangent `v` | as the output |
# | tangent `u` | as the input |
# | Jacobian | output shape + input shape |
# | Hessian | input shape twice |
#
# | Forward | Backward, with g arriving | Saves |
# |:--|:--|:--|
# | `a + b` | `g`, `g` (summed over broadcast axes) | nothing |
# | `a * b` | `g * b`, `g * a` | both |
# | `a / b` | `g / b`, `-g * a / b**2` | both |
# | `exp(a)`, `tanh(a)` | `g * y`, `g * (1 - y**2)` | the result y |
# | `log(a)`, `sin(a)` | `g / a`, `g * cos(a)` | the input |
# | `A @ B` | `g @ B.T`, `A.T @ g` | both |
# | `a.sum(0)` | `g`, expanded | the shape |
# | `a[i]` | zeros with g added at i | the index |
#
# | `.grad` is None because | Look at |
# |:--|:--|
# | it does not require grad | `x.requires_grad` |
# | it is no leaf | `x.is_leaf` |
# | the path is cut | `detach`, `.data`, `.item()`, `no_grad` on the way |
# | the name has moved to a new tensor | `w = w - lr * w.grad` |
# | nobody called `backward` | or `.grad` was set to None since |

# %%
import minigrad as mg

w = mg.tensor([1.0, 2.0], requires_grad=True)
h = w * 2
print(mg.why_no_grad(h))  # in minigrad only

# %% [markdown]
# And the loop that it is all for:

# %%
xs, ys = mg.linspace(-1, 1, 9).unsqueeze(1), 3 * mg.linspace(-1, 1, 9).unsqueeze(1) + 1
mg.manual_seed(0)
model = mg.nn.Linear(1, 1)
optimizer = mg.optim.Adam(model.parameters(), lr=0.1)
for _ in range(300):
    optimizer.zero_grad()
    loss = mg.nn.functional.mse_loss(model(xs), ys)
    loss.backward()
    optimizer.step()
round(model.weight.item(), 2), round(model.bias.item(), 2)

# %% [markdown]
# [Glossary](90-glossary.ipynb) · [I get this message](91-messages.ipynb) · [start page](00-start.ipynb)
