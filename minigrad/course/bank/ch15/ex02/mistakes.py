"""15.2 A layer and a network: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch15.ex02.answer import Net
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost
MISTAKES: dict[str, Mistake] = {}


def net(**wrong: Callable[..., Any]) -> Any:
    """The right answer with some other functions."""
    return type("Net", (Net,), {name: staticmethod(function) for name, function in wrong.items()})


def layers_of(weight: Callable[[int, int], Any], bias: Callable[[int, int], Any]) -> Callable[[Any], list[Any]]:
    """The function `parameters` from how a weight and a bias are made of (in, out)."""
    return lambda sizes: [make(a, b) for a, b in zip(sizes, sizes[1:], strict=False) for make in (weight, bias)]


def good_bias(a: int, b: int) -> Any:
    return mg.zeros(b, requires_grad=True)


def parameters_mistake(weight: Any, bias: Any, hint: str) -> Mistake:
    return Mistake(net(parameters=layers_of(weight, bias)), f"parameters: {hint}")


MISTAKES["parameters: results, not leaves"] = parameters_mistake(
    lambda a, b: mg.rand(b, a, requires_grad=True) * 2 * a**-0.5 - a**-0.5,
    good_bias,
    "you asked for the gradient first and computed then. What you return is a *result*: no leaf, no `.grad`, and the "
    "optimizer refuses it. First compute, then `requires_grad_()`.",
)


def uniform(n_in: int, *shape: int) -> Any:
    return (mg.rand(*shape) * 2 - 1) / n_in**0.5


MISTAKES["parameters: no gradient asked for"] = parameters_mistake(
    lambda a, b: uniform(a, b, a),
    lambda a, b: mg.zeros(b),
    "none of them requires grad, so nothing is recorded and nothing learns.",
)


def good_weight(a: int, b: int) -> Any:
    return uniform(a, b, a).requires_grad_()


MISTAKES["parameters: only the weights learn"] = parameters_mistake(
    good_weight, lambda a, b: mg.zeros(b), "the biases do not require grad: they would stay what they are for ever."
)

MISTAKES["parameters: all weights zero"] = parameters_mistake(
    lambda a, b: mg.zeros(b, a, requires_grad=True),
    good_bias,
    "with equal weights all units of a layer compute the same, get the same gradient, and stay the same for ever. "
    "Random numbers make them different from each other.",
)

MISTAKES["parameters: all weights one"] = parameters_mistake(
    lambda a, b: mg.ones(b, a, requires_grad=True),
    good_bias,
    "all weights are 1. Equal units get equal gradients and stay equal: the layers are to differ from unit to unit, so draw "
    "the weights at random.",
)

MISTAKES["parameters: (in, out)"] = parameters_mistake(
    lambda a, b: uniform(a, a, b).requires_grad_(),
    good_bias,
    "W has shape (out, in), a row for each output, as in PyTorch; yours is (in, out).",
)

MISTAKES["parameters: a bias for each weight"] = parameters_mistake(
    good_weight,
    lambda a, b: mg.zeros(a, requires_grad=True),
    "a bias is added to each *output*: its shape is (out,), and yours is (in,).",
)

MISTAKES["parameters: too large"] = parameters_mistake(
    lambda a, b: mg.randn(b, a, requires_grad=True),
    good_bias,
    "there are weights beyond ±1/√in. An output adds up `in` products: with large weights it is far out where tanh is flat, and its "
    "slope is next to 0. Draw them evenly between ±1/√in. (A normal number has no bound, however small you scale it.)",
)

MISTAKES["parameters: bounded by out"] = parameters_mistake(
    lambda a, b: uniform(b, b, a).requires_grad_(),
    good_bias,
    "the bound is made of the number of outputs. An output adds up `in` products: it is ±1/√in.",
)

MISTAKES["parameters: too small"] = parameters_mistake(
    lambda a, b: ((mg.rand(b, a) * 2 - 1) / a).requires_grad_(),
    good_bias,
    "no weight comes near its bound of ±1/√in: all are too small. ±1/in is another bound: mind the root.",
)

MISTAKES["parameters: no weight below 0"] = parameters_mistake(
    lambda a, b: (mg.rand(b, a) * a**-0.5).requires_grad_(),
    good_bias,
    "all weights of a layer have the same sign. `rand` draws between 0 and 1: make that twice as wide as the bound, and shift it, to "
    "between −1/√in and 1/√in.",
)


def forward_all(x, parameters):
    for W, b in zip(parameters[::2], parameters[1::2], strict=True):
        x = mg.tanh(x @ W.T + b)
    return x


MISTAKES["forward: tanh after the last layer"] = Mistake(
    net(forward=forward_all),
    "forward: there is a tanh behind the last layer as well. It would hold every score between −1 and 1, and most targets "
    "could not be reached. tanh stands *between* layers.",
)


def forward_plain(x, parameters):
    for W, b in zip(parameters[::2], parameters[1::2], strict=True):
        x = x @ W.T + b
    return x


MISTAKES["forward: no tanh"] = Mistake(
    net(forward=forward_plain),
    "forward: without a function between them, two linear layers are one linear layer. tanh between them makes the difference.",
)


def forward_untransposed(x, parameters):
    for k in range(0, len(parameters), 2):
        x = (mg.tanh(x) if k else x) @ parameters[k] + parameters[k + 1]
    return x


MISTAKES["forward: W not transposed"] = Mistake(
    net(forward=forward_untransposed),
    "forward: a row of x has `in` numbers, and so has a row of W. For the product, the `in` of x must meet the `in` of W: "
    "`x @ W.T`.",
)


def forward_two_layers(x, parameters):
    W1, b1, W2, b2 = parameters
    return mg.tanh(x @ W1.T + b1) @ W2.T + b2


MISTAKES["forward: two layers only"] = Mistake(
    net(forward=forward_two_layers),
    "forward: the list may have any number of layers, one pair W, b for each: two entries, or six. Go through it in a loop.",
)


def forward_without_bias(x, parameters):
    for k, W in enumerate(parameters[::2]):
        x = (mg.tanh(x) if k else x) @ W.T
    return x


MISTAKES["forward: no bias"] = Mistake(
    net(forward=forward_without_bias), "forward: the biases are not added. They stand at the odd places of the list."
)

MISTAKES["forward: no graph"] = Mistake(
    net(forward=lambda x, parameters: Net.forward(x, parameters).detach()),
    "forward: the numbers are right, and the scores have no graph, so no gradient would come to the parameters. Do "
    "without `no_grad`, `detach` and NumPy.",
)


def vjp_mistake(wrong: Callable[..., Any], hint: str) -> Mistake:
    return Mistake(net(linear_vjp=wrong), f"linear_vjp: {hint}")


MISTAKES["linear_vjp: the bias gets every row"] = vjp_mistake(
    lambda v, x, W: (v @ W, v.T @ x, v),
    "b was copied into every row of the batch, so what comes back from all rows is added up: `v.sum(0)`, of b's own "
    "shape. "
    "(Copying forward is adding backward: chapter 04.)",
)

MISTAKES["linear_vjp: the mean over the rows"] = vjp_mistake(
    lambda v, x, W: (v @ W, v.T @ x, v.mean(0)), "b gets the *sum* over the rows. The 1/n of a mean loss is in v already."
)

MISTAKES["linear_vjp: divided by the batch"] = vjp_mistake(
    lambda v, x, W: (v @ W, v.T @ x / len(v), v.sum(0) / len(v)),
    "you divided by the number of rows. The 1/n of a mean loss is in v already; the layer only adds.",
)

MISTAKES["linear_vjp: W's gradient lies on its side"] = vjp_mistake(
    lambda v, x, W: (v @ W, x.T @ v, v.sum(0)),
    "what comes for W has shape (in, out), and W has (out, in). A gradient has the shape of what it is for.",
)

MISTAKES["linear_vjp: the sum over the wrong axis"] = vjp_mistake(
    lambda v, x, W: (v @ W, v.T @ x, v.sum(1)),
    "you summed over the outputs, and got a number for each row of the batch. b has a number for each output.",
)

MISTAKES["linear_vjp: W transposed for x"] = vjp_mistake(
    lambda v, x, W: (v @ W.T, v.T @ x, v.sum(0)),
    "v has a column for each output, and W a row for each output: what comes for x is `v @ W`, as it stands.",
)


def vjp_by_the_engine(v, x, W):
    leaves = x.detach().requires_grad_(), W.detach().requires_grad_(), mg.zeros_like(W[:, 0]).detach().requires_grad_()
    return mg.autograd.grad(leaves[0] @ leaves[1].T + leaves[2], leaves, v)


WASTEFUL["linear_vjp: by the engine"] = Mistake(
    net(linear_vjp=vjp_by_the_engine),
    "linear_vjp: the engine did it. By hand it is two products and a sum: `v @ W`, `v.T @ x`, `v.sum(0)`.",
)
