"""17.3 Computed again, not kept: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import say
from minigrad.course.capstone import edited
from minigrad.course.exercise import Part

AGAIN = """
class Again:
    '''Stands in a node for a tensor that is cheap to compute: the call, and its arguments with their versions.'''

    def __init__(self, call, args, result):
        self.call, self.args, self.version = call, [save(a) for a in args], result._version

    def unpack(self, node):
        return self.call(*[unpack(a, node) for a in self.args])


def cheap(call):
    '''A function that computes as `call` does; nodes do not keep what it returns, but compute it again.'''

    def marked(*args):
        result = call(*args)
        result._again = Again(call, args, result)
        return result

    return marked


def save_input(tensor):
    again = getattr(tensor, "_again", None)
    return again if again is not None and again.version == tensor._version else save(tensor)
"""


def e3():
    """The name of the file that you changed."""
    return edited(
        "core/record.py",
        ("save, save_output", "save, save_output, unpack"),
        ("value = (value, value._counter[0], None) if isinstance(value, Tensor) else save(value)", "value = save_input(value)"),
        add=AGAIN,
    )


ANSWER = Part(
    reference=e3,
    accept=say,
    sections=("AGAIN",),
    hints=(
        "A saved tensor is a tuple (tensor, version, output number). But read `unpack` in `tape.py` to the end: *what "
        "outsiders keep in place of a tensor has a method `unpack`*. That is a door. Where are the tuples made?",
        "```text\n"
        "x, k ──► y = mul(x, k) ──► z = y · y\n"
        "\n"
        "kept:        node of z  ──►  (y, version, None)\n"
        "with cheap:  node of z  ──►  Again: mul, (x, version), (k, version)      y is kept by nobody\n"
        "backward:    Again.unpack(node) ──► mul(x, k), computed anew\n"
        "```",
        "```python\n"
        "class Again:\n"
        "    def __init__(self, call, args):\n"
        "        self.call, self.args = call, [save(a) for a in args]\n"
        "\n"
        "    def unpack(self, node):\n"
        "        return self.call(*[unpack(a, node) for a in self.args])\n"
        "```\n"
        "In `cheap`, put one onto the result. In `new_node`, where an INPUT is saved, look whether the tensor has one.",
    ),
    explanation=(
        "The engine already has the seam: `unpack` hands over to anything that has a method of that name. So one line of "
        "`new_node` changes, and the rest is new.\n\n"
        "* `save` and `unpack` carry the versions of the *arguments*: what the value is computed from must be as it was.\n"
        "* In a recorded pass the walk has switched recording on, so the call inside of `unpack` records, and the value comes "
        "with its history. Nothing has to be done for second derivatives.\n"
        "* A value that was written to since is not what the call gives; then the tuple is the right thing.\n\n"
        "The chain of the fact keeps half: of each of the eight links one array of two. The price is one more multiplication "
        "for each time a rule asks. This is **checkpointing**: PyTorch's `torch.utils.checkpoint` does it for whole parts of a "
        "network, and its hooks on saved tensors use the same door."
    ),
)
