"""13.4 Order: the answer, its hints and why it is right."""

from __future__ import annotations

from typing import Any

import minigrad as mg
from minigrad.course.bank.ch13.ex04.task import OrderDraw, order_program
from minigrad.course.bank.ch13.known import by_key
from minigrad.course.exercise import Part


def order(draw: OrderDraw) -> dict[str, float]:
    """Run the program, and look."""
    seen: list[float] = []
    space: dict[str, Any] = {"mg": mg, "print": lambda g: seen.append(g.item())}
    exec(order_program(draw), space)
    return {"h.grad": space["h"].grad.item(), "printed": seen[0], "x.grad": space["x"].grad.item()}


ANSWER = Part(
    reference=order,
    accept=by_key(
        {
            "h.grad": "Begin with the slope at `h` of what `backward` is called on, and take it through the hooks one after the "
            "other. What leaves `h` is what `h.grad` keeps.",
            "printed": "What leaves `h` goes through the multiplication, and arrives at `x`: times the factor of `h`.",
            "x.grad": "The hook on `x` prints what arrives, and returns None: no change.",
        },
        lambda value: not isinstance(value, str | list | tuple),
        "Each value is one number.",
    ),
    hints=(
        "Three rules. Hooks run in the order of registration. Each gets what the one before returned. `retain_grad` comes "
        "last, wherever its line stands.",
        "```text\nslope at h ──► hook 1 ──► hook 2 ──► (h.grad keeps this) ──► times the factor of h ──► x\n```",
        '```python\norder = {\n    "h.grad": slope * times + plus,\n    "printed": ...,   # that, times the factor in h = … * '
        'x\n'
        '    "x.grad": ...,    # the hook on x returns nothing\n}\n```',
    ),
    explanation="""\
The gradient that arrives at `h` goes through the hooks as through a chain, in the order of registration: first times, then
plus. The hook that was removed is gone.

`retain_grad` is served **last**, wherever its line stands. So `h.grad` is what leaves `h`, and that is the number which the
rest of the graph works with: times the factor of `h` it arrives at `x`. There the hook prints, returns None, and so changes nothing.
""",
)
