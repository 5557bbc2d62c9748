# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # A quarter of an hour first: a cup of tea
#
# **When is the tea cold enough? You find out by walking downhill: three steps by hand, and the rest with `backward()`.**
#
# If you know gradient descent, run all cells, and go on at *The same with `backward()`*.
#
# Somebody poured a cup of tea, in a room of 20 °C, and left a thermometer in it. For half an hour they read it every
# three minutes, not always with care. At 25 °C the tea may go into the fridge. When will that be?
#
# `mg.tensor` makes a **tensor**: one number, or a row or table of them.

# %%
import minigrad as mg
from minigrad import viz

room = 20.0
minutes = mg.tensor([0.0, 3.0, 6.0, 9.0, 12.0, 15.0, 18.0, 21.0, 24.0, 27.0, 30.0])
degrees = mg.tensor([88.0, 73.0, 66.0, 57.0, 51.0, 45.0, 40.0, 37.0, 34.0, 35.0, 30.0])
viz.fit(minutes, degrees, xlabel="minutes", ylabel="°C")

# %% [markdown]
# The last reading is 30 °C, so you want a curve that goes on beyond it: a smooth one, for the points do not lie quite
# evenly.
#
# A cup cools in a simple way. Look at how much warmer it is than the room: 68 degrees at the start, about 34 between
# minutes 9 and 12, 17 at 21. Those degrees halve every 10½ minutes. So two numbers are enough for the curve:
#
# - `hot`: how many degrees warmer than the room was it at the start?
# - `half`: how many minutes does it take until half of those degrees are left? After two such times a quarter is left.
#
# Numbers that you want to find are called **parameters**.

# %%
def tea(hot, half):
    return room + hot * 0.5 ** (minutes / half)  # minutes / half divides all eleven


# %% [markdown]
# ## A guess, and how wrong it is
#
# A poor guess, on purpose: 50 degrees warmer, and half of that gone after 20 minutes.

# %%
viz.fit(minutes, degrees, {"hot = 50, half = 20": tea(50.0, 20.0)}, xlabel="minutes", ylabel="°C")

# %% [markdown]
# Before you go on: should `hot` be larger, or smaller? And `half`?
#
# How bad is it, as one number? At each point, take the difference between curve and measurement, and square it: then too
# high and too low both count, and a large miss counts far more than a small one. Then take the mean. A number that is
# small when the fit is good is called a **loss**.

# %%
def loss(hot, half):
    return ((tea(hot, half) - degrees) ** 2).mean()


print(f"{loss(50.0, 20.0).item():.2f}")  # item() gives the one number that is in a tensor

# %% [markdown]
# The best curve has the smallest loss. So we look for two numbers that make one number small.
#
# ## Which way is better?
#
# Move each of the two parameters a tiny bit, and see what the loss does.

# %%
here = loss(50.0, 20.0).item()
print(f"a tenth of a degree more:  the loss changes by {loss(50.1, 20.0).item() - here:+.3f}")
print(f"a tenth of a minute more:  the loss changes by {loss(50.0, 20.1).item() - here:+.3f}")

# %% [markdown]
# So `hot` should go up, and `half` should go down. Was that your guess? Divide each change by the 0.1 that made it: that
# is a **slope**, the change of the loss per unit of the parameter.
#
# All slopes together are called the **gradient**. Here it has two numbers.

# %%
def slopes(hot, half, nudge=0.1):
    here = loss(hot, half).item()
    return (loss(hot + nudge, half).item() - here) / nudge, (loss(hot, half + nudge).item() - here) / nudge


print("gradient by hand: {:.2f} and {:.2f}".format(*slopes(50.0, 20.0)))

# %% [markdown]
# ## Three steps down
#
# Now make a **step**: move each parameter a little *against* its slope. How far? Far where it is steep, and only a little
# where it is nearly level, because the bottom may be near. So take the slope times a small number that you choose, the
# **learning rate**.

# %%
hot, half, learning_rate = 50.0, 20.0, 0.2
for _ in range(3):
    d_hot, d_half = slopes(hot, half)
    hot = hot - learning_rate * d_hot
    half = half - learning_rate * d_half
    print(f"hot = {hot:.1f}  half = {half:.1f}  loss = {loss(hot, half).item():.1f}")

# %% [markdown]
# Each step made the loss smaller. Slopes, a step, and again: that is called **gradient descent**. Large networks are
# trained in the same way.
#
# ## The same with `backward()`
#
# Look at what a step costs. Two slopes by hand took three losses: one as it is, and one with each parameter nudged. With
# a million parameters it would take a million and one.
#
# Here is another way. Mark the two parameters with `requires_grad=True`, compute the loss *once*, and call `backward()`.
# Each parameter then holds its own slope, in `.grad`.

# %%
hot = mg.tensor(50.0, requires_grad=True)
half = mg.tensor(20.0, requires_grad=True)
loss(hot, half).backward()
print(f"gradient by backward(): {hot.grad.item():.2f} and {half.grad.item():.2f}")

# %% [markdown]
# Nearly the same slopes, without a nudge. They are the exact ones: along a nudge of 0.1 the slope itself changes a
# little (chapter 03).
#
# Now a hundred steps, from the first guess again. Two things are new. `.grad = None` wipes out the slope of the step
# before, else the slopes of all steps would add up (chapter 06). Without `no_grad` the engine would refuse `-=` on a
# parameter (chapter 11).

# %%
seen = []
for _ in range(100):
    now = loss(hot, half)
    hot.grad = half.grad = None
    now.backward()
    with mg.no_grad():
        hot -= learning_rate * hot.grad
        half -= learning_rate * half.grad
    seen.append(now.item())
viz.losses({"loss": seen})

# %%
print(f"hot = {hot.item():.1f}, half = {half.item():.1f}")

# %% tags=["folded"]
later = mg.linspace(0, 50, 101)  # the curve runs on, beyond the readings
picture = viz.fit(minutes, degrees, {"after 100 steps": room + hot * 0.5 ** (later / half)}, "minutes", "°C", at=later)
picture.axes[0].axhline(25, color="black", lw=1, ls=":")
picture.axes[0].text(0, 26, "25 °C")
picture

# %% [markdown]
# All points but the one at 27 minutes lie within 2 degrees of the curve. The tea was about 86.5 °C when it was poured,
# and its distance to the room halves every 10.8 minutes.
#
# At 25 °C it is 5 above the room. How often must 66.5 be halved to give 5? 33, 17, 8, 4: more than three times, and fewer
# than four. The exact number is log₂(66.5 / 5), about 3.7, and each halving takes `half` minutes:

# %%
import math

moment = half.item() * math.log2(hot.item() / (25 - room))
print(f"25 °C after {moment:.0f} minutes")

# %% [markdown]
# By eye, with the 68 and 10½ from above, it is 39.5: a good check. With a million parameters there is no "by eye".
#
# **Try it.** In the cell below *Three steps down*, change the learning rate to 0.02, then to 2, and run all again: *Run →
# Restart Kernel and Run All Cells…*. With 0.02 it creeps. With 2 it jumps, and the hundred steps end in `nan`, *not a
# number*.
#
# Back at 0.2, change the tenth reading from 35 to 45. How much later is the tea ready?
#
# <details><summary>Answer</summary>More than two and a half minutes: 43.1 instead of 40.5. One careless reading moved it
# so far. Chapter 04 gives it less weight.</details>
#
# ## What did `backward()` just do?
#
# You never wrote a derivative, yet both slopes were there, from one run of your formula. A million slopes come in the
# same way, for the work of a few runs (chapter 09).
#
# While your formula ran, the **engine** inside `minigrad` made a note of every operation: what it was, and where its
# numbers came from. Below, the notes of the tea are drawn. Each solid white box is one operation, with the engine's name
# for it (ignore the digit). The blue boxes are your two parameters, with the `.grad` of the last step.
#
# The formula runs from top to bottom, and `backward()` goes back up to the blue boxes. The dashed box is a *constant*, and
# `(11,)` means eleven numbers.

# %%
temperature = tea(hot, half)
error = temperature - degrees
viz.draw((error**2).mean(), view="see")

# %% [markdown]
# In this course you learn to read such a picture, and to do by hand what `backward()` did. And you build an engine that
# does it: a few hundred lines, all of them yours.
#
# [Chapter 01: the graph](01-the-graph.ipynb)
