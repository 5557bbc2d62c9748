"""11.6 Build the counter: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


class Versioned:
    """Numbers in memory, and a counter of the writes to this memory."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, dtype=float)
        self.counter = [0]  # a list, so that several of us can hold the same one

    def version(self):
        """How often this memory was written."""
        return self.counter[0]

    def add_(self, c):
        """Add c to the numbers, in place. Returns self."""
        self.numbers += c
        self.counter[0] += 1
        return self

    def window(self, start):
        """A Versioned on the same memory, from place start on, with the same counter: as t.detach()[start:]."""
        other = Versioned([])
        other.numbers, other.counter = self.numbers[start:], self.counter
        return other

    def data(self):
        """A Versioned on the same memory with a counter of its own that begins at 0: as t.data."""
        other = Versioned([])
        other.numbers = self.numbers
        return other

    def save(self):
        """What a node keeps: a function unpack() that returns the numbers, or raises if they were written since."""
        saved = self.version()

        def unpack():
            if self.version() != saved:
                raise RuntimeError(f"is at version {self.version()}; expected version {saved} instead")
            return self.numbers

        return unpack


ANSWER = Part(
    reference=Versioned,
    hints=(
        "The counter belongs to the **memory**, not to the tensor. So all windows on one memory must hold the same counter, "
        "and an int cannot be held together: a list with one int can, or a small object.",
        "The time line: `save` sets the pin, at the step where the counter stands. `add_` goes up a step. `unpack` looks "
        "whether the pin and the step are still level. A window stands on the same stairs; `data()` has stairs of its own.",
        "```python\nself.counter = [0]                       # in __init__\n\n"
        "other = Versioned([])                    # in window\nother.numbers = self.numbers[___]\nother.counter = ___\n"
        "return other\n\nsaved = ___                              # in save\ndef unpack():\n"
        "    if ___ != saved:\n        raise RuntimeError(f\"is at version {___}; expected version {saved} instead\")\n"
        "    return ___\nreturn unpack\n```",
    ),
    explanation="""\
Thirty lines, and this is the guard of the engine. What is saved is not a copy but the memory, with a note of its version. The
check costs one comparison of two ints for each saved tensor, whatever its size.

It is a check of **writes**, not of values. After +1 and −1 the numbers may be right, and it raises all the same. Comparing
values would be fairer here, and would need what the counter is there to save: a copy of everything.

One counter for one memory. Were there one for each tensor, a write through a window would go unnoticed: so it is with
`.data`, whose counter is its own. Take the list `[0]` for the counter and everybody who holds the list sees it move. An
int would be copied at the first assignment.
""",
)
