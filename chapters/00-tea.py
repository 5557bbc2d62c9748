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
# (If you know gradient descent, run all cells, and go on at *The same with `backward()`*.)
#
# Somebody poured a cup of tea, in a room of 20 °C, and left a thermometer in it. For half an hour they wrote down every
# three minutes what it showed, not always with care. At 25 °C it may go into the fridge. When will that be?
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
# The last reading is 30 °C, the tea cools more and more slowly, and the points do not lie quite evenly. So you want a smooth curve
# that runs along them and on.
#
# A cup cools in a simple way. Look at how much warmer it is than the room: 68 degrees at the start, about 34 after 10½
# minutes, 17 after 21. In equal times it halves. So two numbers are enough for the curve:
#
# - `hot`: how many degrees warmer than the room was it at the start?
# - `half`: after how many minutes was only half of that left? (After twice that a quarter is left, 0.5 times 0.5.)
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
# How bad is it, as one number? At each point, take the difference between curve and measurement, and square it: too high and
# too low both count then, and a large miss counts far more than a small one. Then take the mean. A number that is small when
# the fit is good is called a **loss**. (`.item()` gives the one number that is in a tensor.)

# %%
def loss(hot, half):
    return ((tea(hot, half) - degrees) ** 2).mean()


print(f"{loss(50.0, 20.0).item():.2f}")

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
# So `hot` should go up, and `half` should go down. Was that your guess? Each change, divided by the 0.1 that made it,
# is a **slope**: the change of the loss for each unit of the parameter, measured over a tiny move.
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
# Now make a **step**: move each parameter a little *against* its slope. How far? Where it is steep, far; where it is
# nearly level, only a little: the bottom may be near. So take the slope times a small number that you choose, the
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
# Nearly the same slopes, without a nudge. (These are the better ones: chapter 03.)
#
# Now a hundred steps, from the first guess again. Two lines are new. `.grad = None` wipes out the slope of the step before: else
# the slopes of all steps would add up (chapter 06). `no_grad` says that the step itself is no part of the formula (chapter 11).

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
# All points but that at 27 minutes (chapter 04) lie within 2 degrees of the curve. The tea was about 86.5 °C when it
# was poured, and what it is above the room halves in a bit less than 11 minutes. When will it be 25 °C, 5 above the
# room? Halve 66.5 until you are there: 33, 17, 8, 4. So it takes more than three halvings and fewer than four, exactly
# log₂(`hot` / 5). Each takes `half` minutes. Let us ask for 55 °C too, as a check by eye:

# %%
import math

for wanted in (55, 25):
    moment = half.item() * math.log2(hot.item() / (wanted - room))
    print(f"{wanted} °C after {moment:.0f} minutes")

# %% [markdown]
# The first fits the readings, 57 °C at minute 9 and 51 °C at minute 12. The second lies ten minutes beyond the last of them.
#
# **Try it.** In the cell below *Three steps down*, change the learning rate to 0.02, then to 2, and run all again (*Run
# → Restart Kernel and Run All Cells…*). With 0.02 it creeps. With 2 it jumps, and the hundred steps end in `nan`, *not a
# number*. Back at 0.2, change the tenth reading from 35 to 45. How much later is the tea ready?
#
# <details><summary>Answer</summary>Nearly three minutes: 43 instead of 40. One careless reading moved it so far. Chapter 04
# gives it less weight.</details>
#
# ## What did `backward()` just do?
#
# You never wrote a derivative. Yet both slopes were there, from one run of your formula. A million slopes come in the
# same way, for the work of a few runs (chapter 09).
#
# While your formula ran, the **engine** inside `minigrad` made a note of every operation: what it was, and where its
# numbers came from. Here are the notes of the tea, drawn. Each solid white box is one operation: what it computes, and
# the engine's name for it (chapter 01). The blue boxes are your two parameters, the dashed one is a constant. Your
# formula ran from top to bottom, and `backward()` went back up to them.

# %%
temperature = tea(hot, half)
error = temperature - degrees
viz.draw((error**2).mean(), view="see")

# %% [markdown]
# `const` is a constant that the slope of its operation does not need: first the 20, then the readings. `(11,)` means
# eleven numbers.
#
# In this course you learn to read such a picture, and to do by hand what `backward()` did. And you build an engine
# that does it: a few hundred lines, all of them yours.
#
# [Chapter 01: the graph](01-the-graph.ipynb)
