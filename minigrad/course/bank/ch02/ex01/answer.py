"""02.1 Local slopes: the answer, its hints and why it is right."""

from __future__ import annotations

import numpy as np

from minigrad.course.exercise import Part


class Rules:
    """g is the gradient of the result. Each rule returns one message for each of its inputs a and b."""

    @staticmethod
    def add(g, a, b):
        """a + b. Returns two messages: for a and for b."""
        return g, g

    @staticmethod
    def sub(g, a, b):
        """a - b. Returns two messages."""
        return g, -g

    @staticmethod
    def mul(g, a, b):
        """a * b. Returns two messages."""
        return g * b, g * a

    @staticmethod
    def div(g, a, b):
        """a / b. Returns two messages."""
        return g / b, -g * a / b**2

    @staticmethod
    def exp(g, a):
        """exp(a). Returns one message."""
        return g * np.exp(a)

    @staticmethod
    def log(g, a):
        """The natural logarithm of a. Returns one message."""
        return g / a

    @staticmethod
    def sin(g, a):
        """sin(a). Returns one message."""
        return g * np.cos(a)

    @staticmethod
    def pow(g, a, n):
        """a**n, where n is a constant number: it gets no message. Returns one message, for a."""
        return g * n * a ** (n - 1)


ANSWER = Part(
    reference=Rules,
    hints=(
        "Ask for each input alone: if it moves by a little, and everything else stands still, how many times as much "
        "does the result move? That is the slope. The message is the slope **times g**.",
        "The first four, at a = 6, b = 2, when one input moves by 0.01:\n\n"
        "| result | a moves | b moves |\n|---|---|---|\n| a + b | +0.01 | +0.01 |\n| a - b | +0.01 | -0.01 |\n"
        "| a * b | +0.02 | +0.06 |\n| a / b | +0.005 | about -0.015 |\n\n"
        "Divide by 0.01, and find the same numbers in a and b: 0.5 is 1 / b, and -1.5 is -a / b².",
        "```python\nadd:  return g, ___\nsub:  return g, ___\nmul:  return g * ___, g * ___\n"
        "div:  return g / ___, -g * ___ / ___**2\nexp:  return g * np.exp(___)\nlog:  return g / ___\n"
        "sin:  return g * np.___(a)\npow:  return g * n * a ** (___)\n```",
    ),
    explanation="""\
| result | slope for a | slope for b |
|---|---|---|
| a + b | 1 | 1 |
| a - b | 1 | -1 |
| a * b | b | a |
| a / b | 1 / b | -a / b² |
| exp(a) | exp(a) | |
| log(a) | 1 / a | |
| sin(a) | cos(a) | |
| aⁿ | n aⁿ⁻¹ | |

Every rule has the same form: *slope × g*. The slope is local: it needs the values of this one operation and
nothing of what came before or comes after. All that comes after is in `g`, one number for each entry.

The rule of `/` is no new one. a / b is a times 1 / b, and 1 / b is b to the power of -1, with the slope -1 / b².
The checker draws `g` at random and of both signs. With g = 1 eight of the wrong rules that it knows, those that
forget `g`, would pass.
""",
)
