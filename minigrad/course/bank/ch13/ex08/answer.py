"""13.8 A run that ends in NaN: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def misfit(hot, half, minutes, readings):
    """The mean squared distance, in logarithms, of the curves from the readings that can be used: those above 20 °C.

    hot, half: leaves of shape (n,). minutes: shape (m,). readings: shape (n, m), NaN where nothing was read.
    Returns a Tensor of shape ().
    """
    usable = readings > 20
    warmer = mg.where(usable, readings, 21.0) - 20
    curve = hot[:, None] * 0.5 ** (minutes / half[:, None])
    error = mg.log(curve) - mg.log(warmer)
    return mg.where(usable, error**2, 0.0).sum() / usable.sum()


def misfit_of_picked(hot, half, minutes, readings):
    usable = readings > 20
    curve = hot[:, None] * 0.5 ** (minutes / half[:, None])
    return ((mg.log(curve[usable]) - mg.log(readings[usable] - 20)) ** 2).mean()


ANSWER = Part(
    reference=misfit,
    alternatives={
        "only the usable readings": misfit_of_picked,
    },
    hints=(
        "Put the first step into `with mg.autograd.set_detect_anomaly(True):`, forward and backward. Which node makes the first "
        "NaN, and which numbers does it get?",
        "```text\nreading   88      nan     20\nerror      .      nan     inf      log(curve) - log(reading - 20)\n"
        "where      .       0       0       the loss is a number\n"
        "backward   .    0 * nan  0 * inf   the gradient is not\n```",
        "```python\nusable = readings > 20\nwarmer = mg.where(usable, readings, ...) - 20   # a number with a finite logarithm\n"
        "curve = hot[:, None] * 0.5 ** (minutes / half[:, None])\nerror = mg.log(curve) - mg.log(warmer)\n"
        "return mg.where(usable, error**2, 0.0).sum() / usable.sum()\n```",
    ),
    explanation="""\
The node is that of `error**2`. It gets a 0 from `where`, multiplies it by twice the error, and the error is NaN or infinite. From
there the NaN spreads over the whole cup, since all readings of a cup share its two parameters.

The readings are constants: no gradient goes to them, and they make a NaN all the same. A missing value in a table of data is the most
frequent NaN of all.

So clean the **input**: a harmless reading, before the logarithm. And keep the `where` at the end, or the harmless readings count.
Picking the usable entries, `curve[usable]`, needs neither: what is not picked is not computed. `where` is for programs whose shapes
must stay what they are.
""",
)
