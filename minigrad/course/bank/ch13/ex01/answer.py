"""13.1 Stethoscope: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


def grad_norms(tensors, L):
    """Call L.backward() once, and listen to some tensors while it runs.

    tensors: a dict, name -> Tensor that requires grad. L: a scalar Tensor.
    Returns a list of pairs (name, norm), in the order in which the gradients arrive. No hook stays behind.
    """
    arrived, handles = [], []
    for name, t in tensors.items():

        def listen(g, name=name):
            arrived.append((name, g.norm().item()))

        handles.append(t.register_hook(listen))
    L.backward()
    for handle in handles:
        handle.remove()
    return arrived


def norms_maker(tensors, L):
    arrived = []

    def listener(name):
        def hook(g):
            arrived.append([name, mg.sqrt((g * g).sum())])

        return hook

    handles = [t.register_hook(listener(name)) for name, t in tensors.items()]
    try:
        mg.autograd.backward(L)
    finally:
        for handle in handles:
            handle.remove()
    return arrived


ANSWER = Part(
    reference=grad_norms,
    alternatives={
        "a function that makes hooks": norms_maker,
    },
    hints=(
        "A hook is a function that the pass calls with the gradient of a tensor, as soon as that gradient is complete. Let "
        "each hook append to one list, and the list is in the right order by itself.",
        "```text\nregister a hook on each tensor ──► keep the handles\n"
        "L.backward()                   ──► the hooks fill the list\n"
        "remove each handle             ──► as if you had never been there\n```",
        "```python\narrived, handles = [], []\nfor name, t in tensors.items():\n"
        "    def listen(g, name=name):      # name=name binds it now\n"
        "        arrived.append((name, ...))\n    handles.append(t.register_hook(listen))\nL.backward()\n"
        "for handle in handles:\n"
        "    ...\nreturn arrived\n```",
    ),
    explanation="""\
A hook on a tensor is called once in each pass, when the tensor's gradient is complete. So the list fills itself in the order
of the pass: results first, leaves last, and a tensor that is used twice appears once, with the norm of the sum.

Three things are easy to miss:

* **The name.** `lambda g: … name …` looks `name` up when it runs, after the loop. `name=name` takes the value now.
* **The memory.** `g` is not a copy for you. The norm is a number of your own; `g` itself may be written over later.
* **The handle.** What you hang on a tensor stays there. `try: … finally:` would remove the hooks also when the pass raises, and
  a handle can stand in a `with` statement.
""",
)
