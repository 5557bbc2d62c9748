"""02.5 Bug hunter: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

from minigrad.course.exercise import Case, Part


class Witness:
    """For each engine, the smallest expression for which its gradients are wrong. a and b: Values, arrays of shape (3,)."""

    @staticmethod
    def A(a, b):
        """Convicts engine_A. Returns a Value made from a and b."""
        return a + a

    @staticmethod
    def B(a, b):
        """Convicts engine_B."""
        s = a * b
        return s + s

    @staticmethod
    def C(a, b):
        """Convicts engine_C."""
        s = a * b
        return s * s.exp()

    @staticmethod
    def D(a, b):
        """Convicts engine_D."""
        return a.exp() * b

    @staticmethod
    def E(a, b):
        """Convicts engine_E."""
        return (a + b) + a


def say_witness(case: Case, got: Any, expected: Any) -> str | None:
    letter = case.args[0]
    verdict = got[f"Witness.{letter}"]
    if verdict == "convicted":
        return None
    if verdict is None:
        return f"Witness.{letter} returned None. Did you forget `return`?"
    return f"Witness.{letter}: engine_{letter} is {verdict}."


ANSWER = Part(
    reference=Witness,
    accept=say_witness,
    hints=(
        "Read each engine, and find the line that differs from a right one. Then ask: what must a graph have so that "
        "this line matters? Something used twice? A result used twice? Two ways of different length? A slope that "
        "is not 1? One array in two places?",
        "```text\n A  one Value, two messages        B  a result, two messages, something behind it\n"
        " C  a short way and a long way     D  a slope that is not 1, and something behind it\n"
        " E  + sends one array to both;     then one of them gets a second message\n```\n\n"
        "The smallest have 1, 2, 3, 2 and 2 operations.",
        "```python\nA:  return a + ___\nB:  s = a * b\n    return s + ___\n"
        "C:  s = a * b\n    return s * ___        # the long way second\nD:  return a.exp() * ___\n"
        "E:  return (a + b) + ___\n```",
    ),
    explanation="""\
| engine | the bug | the smallest witness | why no smaller one |
|---|---|---|---|
| A | the last message wins | `a + a` | one operation; without it there is no graph |
| B | a Value fires at every message, with the sum so far | `s = a * b; s + s` | leaves hand nothing on: use a **result** twice |
| C | nearest to the root first | `s = a * b; s * s.exp()` | two ways of different length need an operation between them |
| D | hands on slopes, without what has arrived | `a.exp() * b` | at the root 1 has arrived, and 1 is not missed |
| E | adds into an array that two Values share | `(a + b) + a` | a `+`, and a second message to one of its inputs |

Four of the five are right on every tree, and a tree is what comes to mind first when one writes a test. So test an
engine with reuse, with ways of different lengths, with slopes that are not 1, and with arrays.

For C it matters which input comes first: `s.exp() * s` gives the right gradients, by luck. A test that is to find
such a bug turns its expressions round too.
""",
)
