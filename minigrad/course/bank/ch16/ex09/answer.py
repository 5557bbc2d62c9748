"""16.9 Random programs: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_twice,
    checks,
    contract_with_views,
    graph_with_versions,
    head,
    looking_in,
    modes,
    operations,
    say,
    values_with_memory,
    views,
    walk_with_shapes,
    writing,
)
from minigrad.course.capstone import assemble
from minigrad.course.exercise import Part


def m9():
    """The name of the file with your engine. Random programs judge it."""
    return assemble(
        head, modes, values_with_memory, graph_with_versions, walk_with_shapes, operations, arrays, checks, contract_with_views,
        looking_in, backward_twice, views, writing,
    )  # fmt: skip


ANSWER = Part(
    reference=m9,
    accept=say,
    hints=(
        "What is shown is the shortest program that was found: without any of its lines, or with simpler numbers, your engine was "
        "right. So every line and every number in it matters. Ask of each what would be otherwise without it.",
        "```text\n"
        "program        by hand          your engine\n"
        "a = 0.0        0                0\n"
        "b = a**0       1                1\n"
        "backward       slope of a**0    print what the rule gets, and what it hands on\n"
        "```",
        "```python\n"
        "# The program into a file of its own, and a print into the rule:\n"
        "def rule(g, a):\n"
        "    message = ...\n"
        '    print("rule of **:", g.numpy(), a.numpy(), "->", message.numpy())\n'
        "    return (message,)\n"
        "```",
    ),
    explanation=(
        "The reference passes, whatever the seed. Two of its lines are there for programs that nobody thinks of: the rule of `a**n` "
        "asks whether n is 0, since 0 · 0⁻¹ is no number; and its relu asks for `a > 0`, so that the slope at 0 is 0.\n\n"
        "**How such a search works.** A *generator* writes programs that keep to the contract; an *oracle*, here minigrad, says what "
        "is right; and a failing program is *shrunk*: a line left out, a number made simpler, again and again, as long as it still "
        "fails. The random program had ten lines; two or three are left, and they say where to look. Libraries do this for any "
        "program: in Python, Hypothesis."
    ),
)
