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
# **A course on automatic differentiation: how a program that computes a number can also say how each input moves it.**
#
# A *slope* says how fast a result moves when an input moves. A network learns by changing its numbers, often millions,
# and a slope tells each of them which way to move. The program that finds all these slopes is called *autograd*. Have
# you wondered why a `.grad` in PyTorch was None? Here you take an autograd apart, and build your own.
#
# Slopes find other things, too. Six lines of code made this blurred picture sharper. Unfold the cell to see them: they
# begin at `image =`. They know only the blurred picture and the blur, and look for a picture which, blurred, gives this
# one. [A cup of tea](00-tea.ipynb) shows the same search for two numbers, in a quarter of an hour.

# %% tags=["folded"]
import minigrad as mg
from minigrad.course.helpers.gallery import blur, cup, photos

blurred = blur(mg.tensor(cup()))
image = blurred.clone().requires_grad_()
for _ in range(200):
    image.grad = None
    ((blur(image) - blurred) ** 2).sum().backward()
    with mg.no_grad():
        image -= 0.9 * image.grad

photos(original=mg.tensor(cup()), blurred=blurred, found_with_slopes=image)

# %% [markdown]
# The autograd that you take apart is `minigrad`, a small copy of PyTorch's, written with NumPy alone. Nearly all its
# names, results and error messages are PyTorch's, so what you learn here, you can use there.
#
# You need Python, a little NumPy, and derivatives as in school. The test below shows whether you have enough. The lessons
# explain the rest of the calculus.

# %% [markdown]
# ## Is everything here?
#
# Click into the next cell and press *Shift + Enter*. It should print three numbers, a *gradient*. The next page explains
# it.

# %%
import minigrad as mg

x = mg.tensor([1.0, 2.0, 3.0], requires_grad=True)
y = (x * x).sum()
y.backward()
x.grad

# %% [markdown]
# Each number is twice the number in `x`: the slope of $x^2$ is $2x$.
#
# If you saw an error instead, run `!python -m minigrad.course doctor` in a cell, with the `!`. It says what is missing
# on your machine.

# %% [markdown]
# ## Have you enough to begin? Five minutes
#
# Sure of Python, NumPy and derivatives? [Begin now](00-tea.ipynb). If not, answer each question on paper, then open its
# answer.
#
# **1. Python.** What does this print?
#
# ```python
# def twice(f):
#     return lambda x: f(f(x))
#
# print(twice(lambda x: x + 3)(10))
# ```
#
# <details><summary>Answer</summary>16. A function went in and a function came out: it adds 3 twice.</details>
#
# **2. NumPy.** `a` has shape (4, 3) and `b` has shape (3,). What are the shapes of `a + b`, of `a.sum(0)`, and of `a @ b`?
#
# <details><summary>Answer</summary>(4, 3): <code>b</code> is added to every row, which is called <em>broadcasting</em>. (3,): axis 0
# is summed away. (4,): one product for each row.</details>
#
# **3. NumPy.** `a` has four numbers. `b = a[1:]`, then `b[0] = 7`. Has `a` changed?
#
# <details><summary>Answer</summary>Yes: <code>a[1]</code> is 7. A slice shows the same memory. Chapter 12 is about what that
# does to gradients.</details>
#
# **4. Slopes.** What are the derivatives of x³, of sin x, and of e²ˣ?
#
# <details><summary>Answer</summary>3x², cos x, and 2e²ˣ. The last one is the <em>chain rule</em>: the outer slope, e²ˣ, times the inner
# slope, 2.</details>
#
# **5. Slopes.** f(x, y) = x²y. How fast does f grow when only x grows, at x = 3 and y = 2?
#
# <details><summary>Answer</summary>12. With y held fixed the slope is 2xy. That is called a partial derivative.</details>
#
# **6. Matrices.** Multiply by hand: the row (1, 2) times the matrix with the rows (1, 0, 3) and (0, 1, 4).
#
# <details><summary>Answer</summary>(1, 2, 11): once the first row plus twice the second. Shapes: (2,) times (2, 3) is
# (3,).</details>
#
# | Missed | Then (every row that fits) |
# |:--|:--|
# | none or one | Begin. |
# | two or three of 2, 3 and 6 | One hour with [NumPy for beginners](https://numpy.org/doc/stable/user/absolute_beginners.html) first. |
# | 4 and 5 | Read about slopes, the chain rule and partial derivatives in any first book on calculus. Chapter 02 repeats the chain rule. |
# | anything else | Begin, and look up what was missing when it comes. |
#
# **Begin now:** [a cup of tea](00-tea.ipynb). The rest of this page is for later. Been here before? [Go
# on](#Continue-where-you-were).

# %% [markdown]
# ## How a chapter works
#
# 1. **Read the lesson**, and run its cells from top to bottom. Change numbers and run again: it is your own copy.
#    Where you are asked to predict, write your guess down first. The output below is folded until you run the cell.
# 2. **Open its exercises** with the cell below. It makes a copy of your own in the folder `work`, and gives you the link.
#    It never overwrites a copy that you have.
# 3. **Write an answer** where `...` stands, run it, and run the check below it. It tells you at once whether you
#    are right. Many mistakes it knows by name, and says where they go wrong.

# %%
from minigrad.course import start

start("01")

# %% [markdown]
# ## The chapters
#
# | | Chapter | Lesson + exercises, your engine |
# |:--|:--|:--|
# | 01 | [The graph: leaves, `grad_fn`, `requires_grad`](01-the-graph.ipynb) | 30 + 40 min |
# | 02 | [Chain rule and topological order](02-chain-rule.ipynb) | 50 + 50 min, M1: 60 min |
# | 03 | [Jacobians, and finite differences as the oracle](03-jacobians.ipynb) | 45 + 45 min |
# | 04 | [VJPs and the `gradient` argument](04-vjps.ipynb) | 45 + 69 min, M2: 90 min |
# | 05 | [Lab: plot f and f′; control flow, kinks](05-plot-f-and-slope.ipynb) | 25 + 40 min |
# | 06 | [Accumulation and zeroing](06-accumulation.ipynb) | 25 + 40 min |
# | 07 | [`retain_graph` and freed buffers](07-retain-graph.ipynb) | 35 + 45 min, M3: 60 min |
# | 08 | [`autograd.grad` and its arguments](08-autograd-grad.ipynb) | 30 + 45 min |
# | 09 | [Higher order: HVP, Hessian, Newton](09-higher-order.ipynb) | 45 + 41 min, M5: 90 min |
# | 10 | [Forward mode, JVPs, batched gradients](10-forward-mode.ipynb) | 35 + 47 min |
# | 11 | [In place I: leaves, versions, `no_grad`, `detach`](11-in-place.ipynb) | 35 + 79 min, M4: 20 min |
# | 12 | [In place II: views and slice assignment](12-views.ipynb) | 40 + 45 min, M6: 200 min |
# | 13 | [Looking inside: hooks, anomaly mode, NaN](13-looking-inside.ipynb) | 35 + 60 min, M4: 25 min |
# | 14 | [Your own `Function`; `gradcheck`](14-function.ipynb) | 35 + 94 min |
# | 15 | [A training loop: five lines, Adam, an honest score](15-training-loop.ipynb) | 50 + 60 min, M7: 40 min |
# | 16 | [Capstone: build your own engine](16-capstone.ipynb) | 25 + 45 min |
# | 17 | [Read the real one](17-read-the-real-one.ipynb) | 55 + 180 min |
#
# Chapters 01 to 15 take twenty-three hours. Beside them grows an engine of your own, in seven milestones: nearly ten
# hours more, in sittings of at most 45 minutes. You can leave out any milestone. (M4 comes in two parts, after M5.)
# Chapter 16 takes an hour, and chapter 17 four. If you have less time:
#
# | Short path | For whom | Chapters | Time |
# |:--|:--|:--|--:|
# | **Essentials** | you train models and want to know what happens | 01 02 03 04 05 06 07 11 15 | 13 h 30 |
# | **Researcher** | you know what is in 01, 02, 06 and 07, and need Jacobians, Hessians, your own functions | 03 04 08 09 10 13 14 | 11 h 10 |
# | **Engine builder** | you want to build it | 01 02 03 04 06 07 08 09 11 12 13 14 15, then 16 and 17 | 20 h 15, your engine 9 h 45, then 5 h 05 |

# %% [markdown]
# ## A gallery
#
# <details><summary>What slopes can do, on seven pages of a few minutes each</summary>
#
# | Page | Needs |
# |:--|:--|
# | [An image that fools the network](80-fool-the-network.ipynb) | 04, 15 |
# | [A blurred photo becomes sharp](81-sharpen.ipynb) | 04, 15 |
# | [A law of nature, found in data](82-law-of-motion.ipynb) | 09, 15 |
# | [Learning to learn](83-learning-to-learn.ipynb) | 09, 15 |
# | [A cloud bent into two moons](84-flow.ipynb) | 03, 15 |
# | [From the Earth to Mars](85-orbit.ipynb) | 03, 04, 09 |
# | [Where a transformer looks](86-attention.ipynb) | 03, 15 |
#
# </details>

# %% [markdown]
# ## While you work on an exercise
#
# <details><summary>What you can call</summary>
#
# | You write | You get |
# |:--|:--|
# | `check("01.1", passports)` | is my answer right, and if not, why |
# | `hint("01.1")` | a first hint; call it again for the second, and the third. `hint("01.1", 1)` shows the first once more |
# | `solution("01.1")` | the answer with its explanation, once you have tried |
# | `progress()` | what you have solved so far; `progress("01")` only chapter 01 |
# | `explain()` | the error that was just shown: what it means and what to do. [All messages](91-messages.ipynb) |
# | `report("01.1")` | a text for an issue of the project, if you are sure that the *check* is wrong |
#
# </details>
#
# Your answers and your progress are in the folder `work` on this machine, and go nowhere else.
#
# ## When you are stuck
#
# - **A word is new.** It is in the [glossary](90-glossary.ipynb).
# - **How was that written?** The [cheat sheet](92-cheat-sheet.ipynb) is one page.
# - **What must my engine do?** [Its contract](93-your-engine.ipynb) is one page, too.
# - **A cell does nothing, or says that a name is not defined.** Run the cells above it first: *Run → Run All Above Selected Cell*.
#
# <details><summary>Everything is in a muddle, or you want a page as it was</summary>
#
# - *Kernel → Restart Kernel and Run All Cells…* starts afresh. Your answers stay.
# - **You want the exercises of a chapter once more, empty.** `start("01", again=True)` keeps your copy and puts a new one beside it.
# - **You want a lesson as it was.** What you see and write in is your copy, in `work/lessons`. Delete it there, and open the lesson again.
#
# </details>
#
# You teach with this course? There are [notes for teachers](../docs/teachers.md).

# %% [markdown]
# ## Continue where you were
#
# Run this cell whenever you come back. It shows the chapters that you have begun, and has the link to go on.

# %%
from minigrad.course import resume

resume()
