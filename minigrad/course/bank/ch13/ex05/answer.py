"""13.5 The first culprit: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part
from minigrad.course.helpers.graphs import nodes_of


def first_nan(root):
    """Walk back from root, a scalar, and name the node whose backward makes the first NaN.

    Returns the name as `node.name()` gives it, such as "SqrtBackward0", or None where no gradient is NaN.
    """
    found = []

    def watch(node):
        def hook(results, arrived):
            if any(g is not None and mg.isnan(g).any() for g in results):
                found.append(node.name())

        return node.register_hook(hook)

    handles = [watch(node) for node in nodes_of(root)]
    root.backward()
    for handle in handles:
        handle.remove()
    return found[0] if found else None


def culprit_by_anomaly(root):
    try:
        with mg.autograd.set_detect_anomaly(True):
            root.backward()
    except RuntimeError as error:
        return str(error).split("'")[1]
    return None


ANSWER = Part(
    reference=first_nan,
    alternatives={
        "ask anomaly mode": culprit_by_anomaly,
    },
    hints=(
        "A hook on a **node** is called right after its backward, with what it made and what it had got. The first call with a "
        "NaN in what it made is the culprit's: a node can only spread a NaN after somebody has made one.",
        "```text\nL ── 1.0 ──► Sum ── 1, 1 ──► Where ── 0, 1 ──► Sqrt ── NaN, 0.25 ──► Mul ── NaN …\n"
        "                                               ▲ clean in, NaN out: the culprit\n```",
        "```python\nfound = []\n\ndef watch(node):\n    def hook(results, arrived):\n"
        "        if any(... for g in results if g is not None):\n"
        "            found.append(node.name())\n    return node.register_hook(hook)\n\n"
        "handles = [watch(node) for node in nodes_of(root)]\n"
        "root.backward()\n...\nreturn found[0] if found else None\n```",
    ),
    explanation="""\
All gradients begin with a 1 at the root, so somewhere a node gets clean numbers and makes a NaN of them. The pass comes to it
before it comes to any of its victims. So the **first** hook that sees a NaN among its results is that of the culprit, and
no comparison with what arrived is needed.

Why the results and not what arrived: at the culprit nothing bad arrives. Why `isnan` and not `isinf` as well: an infinite
gradient may be right, and may even be multiplied away. The NaN comes where `inf · 0`, `0 / 0` or `inf − inf` is computed.

Anomaly mode does just this, and tells the line of the forward call besides: *Function 'SqrtBackward0' returned nan values in
its 0th output*. It stops the pass at once, and makes it slower; so switch it on to search, and off again.
""",
)
