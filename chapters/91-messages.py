# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # I get this message
#
# **Every message of the engine, with its cause, its cure, and a small program that raises it.**
#
# They are worded as PyTorch words them, with `minigrad` where PyTorch says `torch`: what helps here helps there.
# A `…` stands for what changes from one error to the next. *Edit → Find* (or *Ctrl + F*) searches this page.
#
# You need not come here to look one up. When an error has just been shown, `explain()` says what it means;
# `explain("some words of it")` finds it by its text; and in a terminal it is
# `python -m minigrad.course explain "some words of it"`.

# %%
from minigrad.course import explain

explain("grad can be implicitly created only for scalar outputs")

# %% [markdown]
# An error of the engine carries notes. They stand below its message, and `str(error)` does not have them, so that a
# program which looks at the text works with both libraries. The last note has the name under which `explain` knows it.

# %%
import minigrad as mg

x = mg.tensor([1.0, 2.0], requires_grad=True)
try:
    (x * x).backward()
except RuntimeError as error:
    print(*error.__notes__, sep="\n")

# %% [markdown] tags=["messages"]

# %% [markdown]
# ## More
#
# - Words that you do not know: [glossary](90-glossary.ipynb).
# - A gradient is None and no message comes: `print(mg.why_no_grad(x))`, and with `root=` the tensor on which you called
#   `backward`.
# - Back to the [start page](00-start.ipynb).
