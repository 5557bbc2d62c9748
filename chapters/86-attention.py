# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
# ---

# %% [markdown]
# # Gallery · Where a transformer looks
#
# **Nobody tells this network which letter to look at. Slopes do, and after a hundred steps it reads words from right to left.**
#
# You need chapters 03 and 15. The part that looks is called *attention* (Vaswani and others, 2017). The large language models of
# today are many such parts, one after the other.

# %%
import math

from matplotlib.colors import LinearSegmentedColormap

import minigrad as mg
from minigrad import viz
from minigrad.viz.figure import Plot
from minigrad.viz.style import BLUE

# %% [markdown]
# The task: eight letters go in, and the same letters come out in reverse order. `gradient` should become `tneidarg`.

# %%
letters, length = "abcdefghijklmnopqrstuvwxyz", 8


def numbers(word):
    return mg.tensor([[letters.index(letter) for letter in word]])


def word(rows):
    return "".join(letters[k] for k in rows[0].tolist())


word(numbers("gradient").flip(1))

# %% [markdown]
# Each letter becomes a row of 32 numbers that says which letter it is and at which place it stands. Out of its row, each place makes
# a question, an offer, and something to give, by one matrix each. Where a question fits an offer, their product is large. `softmax`
# makes shares of these products, and each place takes these shares of what the places give.

# %%
nn = mg.nn


class Reader(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.letter, self.place = nn.Embedding(26, width), nn.Embedding(length, width)
        self.asks, self.offers, self.gives = (nn.Linear(width, width, bias=False) for _ in range(3))
        self.answer = nn.Linear(width, 26)

    def forward(self, words):
        rows = self.letter(words) + self.place(mg.arange(length))
        fits = self.asks(rows) @ self.offers(rows).transpose(1, 2) / math.sqrt(32)
        looks = fits.softmax(dim=-1)
        return self.answer(looks @ self.gives(rows)), looks

# %% [markdown]
# Before it has learned, it looks everywhere at once, and answers anything:

# %%
mg.manual_seed(0)
reader = Reader()


def read(text):
    with mg.no_grad():
        scores, looks = reader(numbers(text))
    return word(scores.argmax(dim=-1)), looks[0]


said, looks = read("gradient")
print(said == "tneidarg", "largest share of a look:", round(looks.max().item(), 1))

# %% [markdown]
# A hundred steps, each with 64 new words that mean nothing. The loss knows only which letters come out, not where they were found.

# %%
optimizer = mg.optim.Adam(reader.parameters(), lr=0.005)
seen, kept = [], {0: looks}
for step in range(1, 101):
    words = mg.randint(0, 26, (64, length))
    scores, _ = reader(words)
    loss = nn.functional.cross_entropy(scores.reshape(-1, 26), words.flip(1).reshape(-1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    seen.append(loss.item())
    if step in (5, 15, 100):
        kept[step] = read("gradient")[1]
viz.losses({"loss": seen})

# %% [markdown]
# Words that it has never seen:

# %%
[read(text)[0] for text in ("gradient", "backward", "tensored", "aaaaaaab")]

# %% [markdown]
# And where it looks. A row is a letter of the answer, a column a letter of the word, and the stronger the blue of a square, the larger
# the share.

# %% tags=["folded", "cover"]
def show(kept):
    plot = Plot(7.0, 2.3, "Where the network looks, before the first step and after 5, 15 and 100. At first all squares are equally "
                "pale; in the end there is one dark diagonal from the lower left to the upper right.")  # fmt: skip
    blues = LinearSegmentedColormap.from_list("blues", (BLUE + "00", BLUE))  # from nothing to blue
    for ax, (step, looks) in zip(plot.subplots(1, 4), kept.items(), strict=True):
        ax.imshow(looks.numpy(), cmap=blues, vmin=0, vmax=1)
        ax.set_title(f"after {step} steps" if step else "before", fontsize=9)
        ax.set_xticks(range(length), "gradient")
        ax.set_yticks(range(length), "tneidarg")
        ax.set(xlabel=f"the word\nlargest share {looks.max().item():.2f}", ylabel="" if step else "the answer")
    return plot


show(kept)

# %% [markdown]
# The diagonal stands in no line of the program. It was found by going down a slope, a hundred times.
#
# [All pages of the gallery](00-start.ipynb#A-gallery)
