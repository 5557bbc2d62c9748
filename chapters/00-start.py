# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Start here
#
# **A course on automatic differentiation: how a program that computes a number can also compute its slopes.**
#
# Every neural network is trained this way, and most people who train one have never looked inside. Here you look inside.
# You take the machine apart, piece by piece, and in the last chapter you build it yourself.
#
# The machine is called `minigrad`. It is a small copy of PyTorch's *autograd*, written with NumPy alone:
# the same names, the same results, the same error messages. What you learn here, you can use there.
#
# You need Python and a little NumPy. The calculus is explained where it is used.

# %% [markdown]
# ## Is everything here?
#
# Click into the next cell and press *Shift + Enter*. It should print a tensor with its gradient.

# %%
import minigrad as mg

x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x * x).sum()
y.backward()
x.grad

# %% [markdown]
# Each number is twice the number in `x`: the slope of $x^2$ is $2x$.
#
# If you saw an error instead, run `!python -m minigrad.course doctor` in a cell, with the `!`.
# It says in plain words what is missing on your machine.

# %% [markdown]
# ## How a chapter works
#
# 1. **Read the lesson**, and run its cells from top to bottom. Change numbers and run again: nothing can break.
#    (If a cell complains after that, *Run → Run All Above Selected Cell* makes its tensors anew.)
#    Where you are asked to predict, write your guess down first; the output below is folded until you run the cell.
#    A wrong guess is where learning starts.
# 2. **Open its exercises** with the cell below. It makes a copy of your own in the folder `work`, and gives you the link.
#    It never overwrites a copy that you have.
# 3. **Write an answer** where `...` stands, run it, and run the check below it. It tells you at once whether you are
#    right. If not, it often knows what you were thinking, and says where that goes wrong.

# %%
from minigrad.course import start

start("01")

# %% [markdown]
# While you work on an exercise, these help:
#
# | You write | You get |
# |:--|:--|
# | `check("01.1", passports)` | is my answer right, and if not, why |
# | `hint("01.1")` | a first hint; call it again for the second, and the third. `hint("01.1", 1)` shows the first once more |
# | `solution("01.1")` | the answer with its explanation, once you have tried |
# | `progress()` | what you have solved so far |
# | `report("01.1")` | you are sure that the *check* is wrong: a text to put into an issue of the project |
#
# Your answers and your progress are in the folder `work` on this machine, and go nowhere else.

# %% [markdown]
# ## The chapters
#
# | | Chapter | Lesson + exercises |
# |:--|:--|:--|
# | 01 | [The graph: leaves, `grad_fn`, `requires_grad`](01-the-graph.ipynb) | 25 + 40 min |
# | 02 | [Chain rule and topological order](02-chain-rule.ipynb) | 25 + 50 min |
# | 03 | [Jacobians, and finite differences as the oracle](03-jacobians.ipynb) | 30 + 45 min |
# | 04 | [VJPs and the `gradient` argument](04-vjps.ipynb) | 30 + 55 min |
# | 05 | [Lab: plot f and f′; control flow, kinks](05-plot-f-and-slope.ipynb) | 15 + 40 min |
# | 06 | [Accumulation and zeroing](06-accumulation.ipynb) | 20 + 40 min |
# | 07 | [`retain_graph` and freed buffers](07-retain-graph.ipynb) | 20 + 45 min |
# | 08 | [`autograd.grad` and its arguments](08-autograd-grad.ipynb) | 20 + 45 min |
# | 09 | [Higher order: HVP, Hessian, Newton](09-higher-order.ipynb) | 30 + 60 min |
# | 10 | [Forward mode, JVPs, batched gradients](10-forward-mode.ipynb) | 30 + 55 min |
# | 11 | [In place I: leaves, versions, `no_grad`, `detach`](11-in-place.ipynb) | 25 + 53 min |
# | 12 | [In place II: views and slice assignment](12-views.ipynb) | 25 + 50 min |
# | 13 | [Looking inside: hooks, anomaly mode, NaN](13-looking-inside.ipynb) | 30 + 60 min |
# | 14 | [Your own `Function`; `gradcheck`](14-function.ipynb) | 35 + 80 min |
# | 15 | [A training loop: MSE and Adam](15-training-loop.ipynb) | 30 + 60 min |
# | 16 | [Capstone: build your own engine](16-capstone.ipynb) | 30 + 570 min |
#
# All of it takes about twenty hours, and the capstone six to ten more. If you have less time:
#
# | Short path | For whom | Chapters | Time |
# |:--|:--|:--|--:|
# | **Essentials** | you train models and want to know what happens | 01 02 04 05 06 07 11 15 | 9 h 35 |
# | **Researcher** | you know what is in 01 and 02, and need Jacobians, Hessians, your own functions | 03 04 08 09 10 13 14 | 10 h 05 |
# | **Engine builder** | you want to build it | 01 02 04 06 07 08 09 11 12 13 14, then 16 | 14 h 25, and 6–10 h |

# %% [markdown]
# ## When you are stuck
#
# - **A cell does nothing, or says that a name is not defined.** Run the cells above it first: *Run → Run All Above Selected Cell*.
# - **Everything is in a muddle.** *Kernel → Restart Kernel and Run All Cells…* starts afresh. Your answers stay.
# - **You want the exercises of a chapter once more, empty.** `start("01", again=True)` keeps your copy and puts a new one beside it.
# - **The lesson's text is damaged.** `git checkout notebooks` in a terminal brings the original lessons back.
# - **Something else is wrong.** `!python -m minigrad.course doctor` in a cell.
#
# [Begin with chapter 01.](01-the-graph.ipynb)
