"""06.2 Micro-batches: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def accumulate(mean_loss, w, chunks):
    """Leave in w.grad the gradient of the mean loss over all rows of all chunks.

    mean_loss(w, chunk): the mean loss over the rows of one chunk, a Tensor of shape ().
    w: a leaf. chunks: a list of Tensors of shape (rows, n); rows may differ. Returns nothing.
    """
    rows = sum(len(chunk) for chunk in chunks)
    w.grad = None
    for chunk in chunks:
        loss = mean_loss(w, chunk) * (len(chunk) / rows)
        loss.backward()


def accumulate_divide_after(mean_loss, w, chunks):
    if w.grad is not None:
        w.grad.zero_()
    count = 0
    for chunk in chunks:
        (mean_loss(w, chunk) * chunk.shape[0]).backward()
        count += chunk.shape[0]
    w.grad /= count


ANSWER = Part(
    reference=accumulate,
    alternatives={
        "divided at the end": accumulate_divide_after,
    },
    hints=(
        "The mean over all rows is the sum of all rows' losses, divided by their number. What must you multiply the mean of a "
        "chunk by, so that the products simply add up to it?",
        "```text\n  rows        8          8         3            19\n  losses   ████████   ████████   ███\n"
        "  means       a          b         c\n                                             8·a + 8·b + 3·c\n"
        "                                      all = ───────────────\n                                                   "
        "19\n```\n\nGradients add up like the losses do, and `.grad` does the adding.",
        "```python\nrows = sum(len(chunk) for chunk in chunks)\nw.grad = ___\nfor chunk in chunks:\n"
        "    loss = mean_loss(w, chunk) * ___\n    loss.backward()\n```",
    ),
    explanation="""\
The mean over all rows is $\\sum_c \\frac{n_c}{N} \\cdot \\text{mean}_c$, and the gradient of a sum is the sum of the gradients. So
each chunk's loss gets its share of the rows as a factor, and `.grad` adds the results up.

With chunks of one size the share is 1 / number of chunks, and "divide by the number of accumulation steps" is right. It stops
being right with the last chunk of most data sets, which is shorter, and wherever rows are masked or dropped. The slip makes no
noise: a few rows simply count more.

One `backward` in each turn frees that chunk's graph before the next is built. Adding the losses up and going backward once gives
the same numbers, and holds all graphs at once.
""",
)
