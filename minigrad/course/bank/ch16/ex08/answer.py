"""16.8 Break a friend's engine: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import five_facts, say
from minigrad.course.capstone import assemble
from minigrad.course.exercise import Part


def m8():
    """The name of the file with your five facts. Five engines of friends judge them."""
    return assemble(five_facts, name="my_facts.py")


ANSWER = Part(
    reference=m8,
    accept=say,
    sections=("five_facts",),
    hints=(
        "Each friend says something true. Ask of each: for which inputs is this *not* the same? Random numbers do not hit those "
        "inputs; you must choose them.",
        "```text\n"
        "ada    x * (x >= 0)      what is the slope where x is 0?\n"
        "ben    n * y / x         what is y / x where x is 0?\n"
        "cleo   returns at once   who counts writes?\n"
        "dan    a plain list      what if it gets shorter while somebody goes along it?\n"
        "eva    pop               what if somebody asks twice?\n"
        "```",
        "```python\n"
        "# %% ada\n"
        "x = engine.tensor(np.array([-1.5, 0.0, 2.5]), requires_grad=True)\n"
        "x.relu().sum().backward()\n"
        "assert np.allclose(x.grad.numpy(), ...)\n"
        "```",
    ),
    explanation=(
        "All five engines pass the facts of M1 to M6: random numbers are never exactly 0, nobody writes by 1.0, no hook there "
        "removes itself, and "
        "no input is named twice. A test suite is a net, and its holes have shapes: **special values, no-ops, changes while "
        "iterating, "
        "the same thing twice**. Those are good first questions to any program, yours included."
    ),
)
