"""11.5 A step between two backwards: the answer, its hints and why it is right."""

from __future__ import annotations

from minigrad.course.exercise import Part


class Repair:
    """Two repairs of a program that takes a step between two backward passes."""

    @staticmethod
    def gradients_first(w, trunk, loss1, loss2, step):
        """trunk is called once; both gradients belong to the w that trunk has seen."""
        h = trunk(w)
        loss1(h).backward(retain_graph=True)
        loss2(h).backward()
        step(w)

    @staticmethod
    def forward_again(w, trunk, loss1, loss2, step):
        """A step for loss1, then a step for loss2 whose gradient belongs to the w after the first step."""
        loss1(trunk(w)).backward()
        step(w)
        loss2(trunk(w)).backward()
        step(w)


ANSWER = Part(
    reference=Repair,
    hints=(
        "The second backward needs the `w` that the trunk has saved, and the step wrote over it. There are two ways out: "
        "let nothing need the old `w` when you step; or make a new graph from the new `w`.",
        "A time line of `w`: the pin of the trunk is at version 0. In the first repair both backward arrows come back to "
        "the pin *before* the step goes up. In the second there are two pins, one at version 0 and one at version 1.",
        "```python\nh = trunk(w)                      # gradients_first\nloss1(h).backward(___)\n___\nstep(w)\n\n"
        "loss1(trunk(w)).backward()        # forward_again\n___\nloss2(___).backward()\n___\n```",
    ),
    explanation="""\
The two repairs do different things, and only you can know which one you meant.

*Gradients first*: both belong to the same `w`, the result is one step of `loss1 + loss2`, and `trunk` runs once.
`(loss1(h) + loss2(h)).backward()` does the same without `retain_graph`. `trunk(w.clone())` does as well: what is saved
then is the clone, and `w` may be written.

*Forward again*: two steps, the second from where the first has led. It costs a second forward pass. This is what the usual
pair of generator and discriminator needs, and where this error is often met.

`retain_graph=True` is no third way. It keeps the saved tensors alive, but they are the very memory that the step
wrote over. And `.data` only takes the error away: the second gradient is then a mixture of old and new.
""",
)
