"""07.2 Two heads, three gradients: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


def three_gradients(x, trunk, head1, head2):
    """The gradients of l1, of l2 and of l1 + l2 with respect to x, where h = trunk(x), l1 = head1(h), l2 = head2(h).

    x: a leaf whose .grad is None. l1 and l2 have shape ().
    Returns three Tensors of the shape of x.
    """
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l1.backward(retain_graph=True)
    g1 = x.grad
    x.grad = None
    l2.backward()
    g2 = x.grad
    return g1, g2, g1 + g2


def three_gradients_clone(x, trunk, head1, head2):
    h = trunk(x)
    l1, l2 = head1(h), head2(h)
    l2.backward(retain_graph=True)
    g2 = x.grad.clone()
    x.grad.zero_()
    l1.backward()
    g1 = x.grad.clone()
    return g1, g2, g1 + g2


ANSWER = Part(
    reference=three_gradients,
    alternatives={
        "the other order, clone and zero_": three_gradients_clone,
    },
    hints=(
        "Both losses need what the trunk has saved. The first pass frees it, unless you ask for it to be kept. And "
        "`backward` adds to `x.grad`: what must happen to it between the two passes?",
        "```text\n                 ┌──► head1 ──► l1     pass 1: the trunk is kept\nx ──► trunk ──► h\n"
        "                 └──► head2 ──► l2     pass 2: the trunk may go\n```\n\nTwo passes give two gradients. The third is "
        "their sum: no third pass.",
        "```python\nh = trunk(x)\nl1, l2 = head1(h), head2(h)\nl1.backward(___)\ng1 = x.grad\nx.grad = ___\n"
        "l2.backward()\ng2 = ___\nreturn g1, g2, ___\n```",
    ),
    explanation="""\
To have the two gradients *apart* there must be two passes through the trunk, so the first must leave it intact. That is what
`retain_graph=True` is for, and every pass but the last needs it.

`x.grad = None` between the passes does two things: the second gradient starts from nothing, and it becomes a new Tensor, so
`g1` keeps its numbers. (With `zero_()` instead, `g1` must be a `clone()`.)

If only the sum is wanted, none of this is needed: `(l1 + l2).backward()` or `mg.autograd.backward([l1, l2])` walks the
trunk once, and frees it.

Why is the trunk freed even if `head1` saves nothing, as in the second case? Because the pass went *through* the trunk.
""",
)
