"""02.4 Backprop: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch02.ex03.answer import topo
from minigrad.course.exercise import Part


def backprop(root):
    """The gradient of root at every leaf behind it: a dict {leaf: gradient}. root: a Value with one number."""
    grads = {root: 1.0}
    for value in topo(root):
        for i, message in value.fire(grads[value]):
            grads[i] = grads[i] + message if i in grads else message
    return {value: g for value, g in grads.items() if not value.inputs}


ANSWER = Part(
    reference=backprop,
    hints=(
        "Three lines of thought. What stands at the root before anything fires? In which order do the Values fire? "
        "And what happens to a message that arrives where one is already?",
        "The upper row of the lesson's first picture is what the loop does. One dict holds the number in each circle. "
        "In each round one Value fires: `value.fire(grads[value])` gives the pairs (input, message), and each message "
        "is **added** to the number of its input.",
        "```python\ndef backprop(root):\n    grads = {root: ___}\n    for value in topo(root):\n"
        "        for i, message in value.fire(grads[value]):\n            if i in grads:\n"
        "                grads[i] = ___\n            else:\n                grads[i] = ___\n"
        "    return {value: g for value, g in grads.items() if ___}\n```",
    ),
    explanation="""\
That is a backward pass, whole. The same loop stands in the middle of minigrad and of PyTorch; what they add are
hooks, checks and bookkeeping.

* **1 at the root:** it moves as much as it moves itself.
* **In topological order:** when a Value's turn comes, all its consumers have fired, so its sum is complete. Each Value
  fires once, and the work grows with the number of arrows, not of paths.
* **Adding:** a change of a Value reaches the root through each of its consumers, and the effects add.
* **A dict of its own:** gradients belong to the pass, not to the graph. So the function can be called again.
* **A new array for each sum:** `+` sends one and the same array to both inputs. Who writes into it changes both.
  minigrad adds in place too, because it is faster, but only into arrays that it has made itself.

Where each Value has one consumer, nothing needs to be added, and nobody needs to wait for a second message. That is
why a test on a tree finds so few mistakes.
""",
)
