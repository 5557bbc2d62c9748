"""15.2 A layer and a network: the answer, its hints and why it is right."""

from __future__ import annotations

import minigrad as mg
from minigrad.course.exercise import Part


class Net:
    """A network of linear layers with tanh between them. All arrays are Tensors."""

    @staticmethod
    def parameters(sizes):
        """[W1, b1, W2, b2, …] for the layers sizes[0] → sizes[1] → …; W: shape (out, in), b: shape (out,)."""
        result = []
        for n_in, n_out in zip(sizes[:-1], sizes[1:], strict=True):
            bound = n_in**-0.5
            result.append(((2 * mg.rand(n_out, n_in) - 1) * bound).requires_grad_())
            result.append(mg.zeros(n_out, requires_grad=True))
        return result

    @staticmethod
    def forward(x, parameters):
        """The scores for a batch x of shape (n, in): tanh after each layer but the last."""
        for k in range(0, len(parameters), 2):
            if k > 0:
                x = mg.tanh(x)
            x = x @ parameters[k].T + parameters[k + 1]
        return x

    @staticmethod
    def linear_vjp(v, x, W):
        """For y = x @ W.T + b: what the gradient v of y becomes for x, for W and for b, as a tuple of three."""
        return v @ W, v.T @ x, v.sum(0)


ANSWER = Part(
    reference=Net,
    hints=(
        "Three separate jobs, judged one after the other. For `parameters`: first compute, then `requires_grad_()`. For "
        "`linear_vjp`: "
        "chapter 04's table has the rules of `@` and of a broadcast.",
        "Write the shapes under the line:\n\n```text\ny      =  x      @  W.T        +  b\n(n,out)   (n,in)    (in,out)      "
        "(out,)\n```\n\n"
        "v has the shape of y. Which product of v with x has W's shape (out, in)? And b stands in n rows at once.",
        "```python\nresult.append((... * bound).requires_grad_())           # parameters\n"
        "if k > 0: x = mg.tanh(x)                                # forward\n"
        "return v @ ..., ... @ x, v.sum(...)                     # linear_vjp\n```",
    ),
    explanation="""\
`parameters`: the numbers are computed first, and only then is a gradient asked for; otherwise the list would hold
results. They are random, because equal units would get equal gradients and stay equal, and they are small, because
tanh is flat far from 0. 1/√in is what `nn.Linear` uses, too.

`forward`: a function between the layers makes the network more than one linear map; behind the last layer the scores
stay free.

`linear_vjp`: three rules from chapter 04. For `x @ W.T` a product for each factor, each with the shape of what it is
for; and b, which broadcasting copied into n rows, gets the sum over these rows. The engine does this for you. You
wrote it once, so the shape (64, 32) against (32,) will not surprise you.
""",
)
