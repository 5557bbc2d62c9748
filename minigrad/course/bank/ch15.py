"""Training loop: MSE and Adam.

Exercises 15.1 to 15.7: a loss, a network, an optimizer, the loop around them, and two tests before a long run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.watching import calls_of
from minigrad.course.compare import unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.graphs import nodes_of


def random_tensor(rng: np.random.Generator, dtype: Any, *shape: int, leaf: bool = False) -> Any:
    return mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=leaf)


# --- 15.1 Mean squared error --------------------------------------------------------------------------------


def mse(p, t):
    """The mean squared error, and its gradient for p. p, t: NumPy arrays of one shape. Returns (loss, gradient).

    ValueError where the shapes differ: nothing is broadcast.
    """
    if p.shape != t.shape:
        raise ValueError(f"predictions of shape {p.shape}, targets of shape {t.shape}")
    d = p - t
    return (d**2).mean(), 2 * d / d.size


def mse_dot(p, t):
    if not np.array_equal(p.shape, t.shape):
        raise ValueError("p and t differ in shape")
    d, n = (p - t).ravel(), p.size
    return d @ d / n, (2 / n * d).reshape(p.shape)


def mse_tensors(p, t):
    if np.shape(p) != np.shape(t):
        raise ValueError(f"{np.shape(p)} is not {np.shape(t)}")
    x = mg.tensor(p, requires_grad=True)
    loss = ((x - mg.tensor(t)) ** 2).mean()
    loss.backward()
    return loss.item(), x.grad.numpy()


def mse_counting(p, t):
    for a, b in zip([p.ndim, *p.shape], [t.ndim, *t.shape], strict=False):
        if a != b:
            raise ValueError("shapes")
    n = np.prod(p.shape)
    return np.sum((p - t) * (p - t)) / n, (p - t) * 2.0 / n


def mse_like(loss: Callable[[Any], Any], slope: Callable[[Any], Any]) -> Callable[[Any, Any], Any]:
    """An answer that checks the shapes, from what it makes of the differences."""

    def answer(p: Any, t: Any) -> Any:
        if p.shape != t.shape:
            raise ValueError("shapes")
        return loss(p - t), slope(p - t)

    return answer


def mse_unchecked(p, t):
    d = p - t
    return (d**2).mean(), 2 * d / d.size


def mse_unchecked_again(p, t):
    diff = np.subtract(p, t)
    return np.mean(np.square(diff)), diff / diff.size * 2


def mse_repaired(p, t):
    d = p - np.broadcast_to(t, p.shape) if t.ndim > p.ndim or t.size != p.size else p - t.reshape(p.shape)
    return (d**2).mean(), 2 * d / d.size


def mse_flat(p, t):
    if p.size != t.size:
        raise ValueError("sizes")
    d = p - t.reshape(p.shape)
    return (d**2).mean(), 2 * d / d.size


def mse_flat_again(p, t):
    if len(p.ravel()) != len(t.ravel()):
        raise ValueError("sizes")
    d = p.ravel() - t.ravel()
    return np.mean(d * d), (d / len(d) * 2).reshape(p.shape)


def mse_by_length(p, t):
    if len(p) != len(t):
        raise ValueError("lengths")
    return mse_unchecked(p, t)


def mse_by_length_again(p, t):
    if p.shape[0] != t.shape[0]:
        raise ValueError("batch sizes differ")
    return mse_unchecked_again(p, t)


def mean_square(d: Any) -> Any:
    return (d**2).mean()


def two_over_n(d: Any) -> Any:
    return 2 * d / d.size


def watch_mse(answer: Callable[..., Any], p: Any, t: Any) -> Any:
    try:
        returned = answer(p, t)
    except ValueError:
        if p.shape != t.shape:
            raise ValueError("the shapes differ") from None  # in whatever words
        raise
    if not isinstance(returned, tuple | list) or len(returned) != 2:
        return unfit(returned, "a pair `(loss, gradient)`")
    return {"loss": returned[0], "gradient": returned[1]}


def mse_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    kind = str(dtype).split(".")[-1]

    def draw(*shape: int) -> Any:
        return rng.normal(size=shape).astype(kind)

    right = [(5,), (4, 1), (1, 6), (3, 7), (2, 3, 4)]
    wrong = [((4, 1), (4,)), ((4,), (4, 1)), ((3, 5), (5,)), ((3,), (1,)), ((6, 1), (6, 2)), ((6, 2), (2, 6))]
    return [Case(f"values: shape {shape}", (draw(*shape), draw(*shape))) for shape in right] + [
        Case(f"shapes: {a} and {b}", (draw(*a), draw(*b))) for a, b in wrong
    ]


def mse_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    kind = str(dtype).split(".")[-1]

    def draw(*shape: int) -> Any:
        return np.asarray(rng.normal(size=shape)).astype(kind)

    same = draw(4)
    return [
        Case("values: shape (1,)", (draw(1), draw(1))),
        Case("values: shape ()", (draw(), draw())),
        Case("values: p and t are equal", (same, same.copy())),
        Case("values: numbers in the thousands", (1e3 * draw(3), 1e3 * draw(3))),
        Case("shapes: (1,) and ()", (draw(1), draw())),
        Case("shapes: (2, 3) and (3, 2)", (draw(2, 3), draw(3, 2))),
        Case("shapes: (6,) and (2, 3)", (draw(6), draw(2, 3))),
    ]


register(
    Exercise(
        id="15.1",
        title="Mean squared error",
        difficulty=2,
        minutes=6,
        reference=mse,
        cases=mse_cases,
        edges=mse_edges,
        observe=watch_mse,
        alternatives={"as a dot product": mse_dot, "the engine does it": mse_tensors, "shapes one by one": mse_counting},
        mistakes={
            "nothing checks the shapes": Mistake(
                mse_unchecked,
                "A column of 4 predictions minus a row of 4 targets is a table of 4 × 4: **you averaged 16 differences**, of "
                "which 12 belong to nobody. It gives a number, and no error, so training goes on and learns nonsense. Compare "
                "`p.shape` with `t.shape` first.",
                again=mse_unchecked_again,
            ),
            "only the number of values is compared": Mistake(
                mse_flat,
                "Equal numbers of values are not equal shapes. (4, 1) and (4,) would fit by luck; (6, 2) and (2, 6) would pair the "
                "wrong values. Whoever calls you should hear of it: raise where the **shapes** differ.",
                again=mse_flat_again,
            ),
            "only the number of rows is compared": Mistake(
                mse_by_length,
                "The batch sizes agree, and the shapes do not: (4, 1) and (4,) are both of length 4, and their difference is 4 × 4. "
                "Compare the whole `shape`.",
                again=mse_by_length_again,
            ),
            "divided by the batch only": Mistake(
                mse_like(lambda d: (d**2).sum() / len(d), lambda d: 2 * d / len(d)),
                "You divided by the number of rows. The mean is over **all** entries: `d.size`, which for a table of 3 × 7 is 21 and "
                "not 3.",
                again=mse_like(lambda d: np.sum(d * d) / d.shape[0], lambda d: d / d.shape[0] * 2),
            ),
            "the gradient is divided by the batch only": Mistake(
                mse_like(mean_square, lambda d: 2 * d / len(d)),
                "The loss is right. In its gradient you divided by the number of rows; it is the same n as in the loss: `d.size`.",
                again=mse_like(lambda d: np.mean(d * d), lambda d: d / d.shape[0] * 2),
            ),
            "the gradient of a sum": Mistake(
                mse_like(mean_square, lambda d: 2 * d),
                "The loss is right. Your gradient is that of the *sum* of the squares. The loss divides by n, so its slope does.",
                again=mse_like(lambda d: np.mean(d * d), lambda d: d + d),
            ),
            "the loss is a sum": Mistake(
                mse_like(lambda d: (d**2).sum(), lambda d: 2 * d),
                "That is the sum of the squared differences. The *mean* divides by their number, and so does its gradient.",
                again=mse_like(lambda d: np.sum(d * d), lambda d: d + d),
            ),
            "the factor 2": Mistake(
                mse_like(mean_square, lambda d: d / d.size),
                "The slope of d² is 2d. Your gradient has lost the 2.",
                again=mse_like(lambda d: np.mean(d * d), lambda d: d / np.prod(d.shape)),
            ),
            "the sign": Mistake(
                mse_like(mean_square, lambda d: -2 * d / d.size),
                "The sign is turned round: where a prediction is too high, the loss grows with it. It is p − t, not t − p. "
                "(In the loss, the square hides the sign.)",
                again=mse_like(lambda d: np.mean(d * d), lambda d: 2 * (-d) / np.prod(d.shape)),
            ),
            "the root": Mistake(
                mse_like(lambda d: np.sqrt(mean_square(d)), two_over_n),
                "You took the root of the mean. That is another loss, with another gradient; it is not asked for here.",
                again=mse_like(lambda d: np.linalg.norm(d) / np.sqrt(d.size), lambda d: d / d.size * 2),
            ),
        },
        hints=(
            "Write the loss as a sum over all entries: (1/n) Σ dᵢ² with dᵢ = pᵢ − tᵢ. Each pᵢ stands in one term only, so each "
            "entry of "
            "the gradient has one term as well. And before that: when do two arrays have an entry for an entry?",
            "The picture of section 2: a column against a row fills a whole square with differences. Only the diagonal was meant. "
            "Look at "
            "the shapes before you subtract.",
            '```python\ndef mse(p, t):\n    if p.shape != ...:\n        raise ValueError("...")\n    d = p - t\n'
            "    return (d**2).mean(), ... / d.size\n```",
        ),
        explanation="""\
The loss is the mean of d² over all n entries, so each entry of the gradient is 2d/n. `d.size` counts all entries;
`len(d)` counts rows.

The check of the shapes is the more useful half. NumPy and PyTorch broadcast, so `(4, 1)` minus `(4,)` is a table of
16 differences, and its mean is a plausible number: wrong, and no error. PyTorch's own `mse_loss` only warns. A
function that knows what it wants should raise.
""",
    )
)


# --- 15.2 A layer and a network -----------------------------------------------------------------------------


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


NET_STARTER = '''\
class Net:
    """A network of linear layers with tanh between them. All arrays are Tensors."""

    @staticmethod
    def parameters(sizes):
        """[W1, b1, W2, b2, …] for the layers sizes[0] → sizes[1] → …; W: shape (out, in), b: shape (out,)."""
        ...

    @staticmethod
    def forward(x, parameters):
        """The scores for a batch x of shape (n, in): tanh after each layer but the last."""
        ...

    @staticmethod
    def linear_vjp(v, x, W):
        """For y = x @ W.T + b: what the gradient v of y becomes for x, for W and for b, as a tuple of three."""
        ...
'''


class NetOfPairs:
    """Pairs of parameters, einsum, random biases."""

    @staticmethod
    def parameters(sizes):
        parameters = []
        for k in range(len(sizes) - 1):
            for shape in [(sizes[k + 1], sizes[k]), (sizes[k + 1],)]:
                parameters += [mg.tensor(np.random.uniform(-1, 1, shape) / np.sqrt(sizes[k]), requires_grad=True)]
        return parameters

    @staticmethod
    def forward(x, parameters):
        *hidden, last = list(zip(parameters[::2], parameters[1::2], strict=True))
        for W, b in hidden:
            x = (x @ W.T + b).tanh()
        return x @ last[0].T + last[1]

    @staticmethod
    def linear_vjp(v, x, W):
        return [mg.einsum("no,oi->ni", v, W), mg.einsum("no,ni->oi", v, x), mg.einsum("no->o", v)]


class NetOfLayers:
    """The layers of nn, and the engine's own rules."""

    @staticmethod
    def parameters(sizes):
        layers = [mg.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:], strict=False)]
        return [p for layer in layers for p in layer.parameters()]

    @staticmethod
    def forward(x, parameters):
        for k, (W, b) in enumerate(zip(parameters[::2], parameters[1::2], strict=True)):
            x = mg.nn.functional.linear(x if k == 0 else mg.tanh(x), W, b)
        return x

    @staticmethod
    def linear_vjp(v, x, W):
        x, W, b = x.detach().requires_grad_(), W.detach().requires_grad_(), mg.zeros(len(W), dtype=W.dtype, requires_grad=True)
        return mg.autograd.grad(x @ W.T + b, (x, W, b), v)


def net(**wrong: Callable[..., Any]) -> Any:
    """The right answer with some other functions."""
    return type("Net", (Net,), {name: staticmethod(function) for name, function in wrong.items()})


def layers_of(weight: Callable[[int, int], Any], bias: Callable[[int, int], Any]) -> Callable[[Any], list[Any]]:
    """The function `parameters` from how a weight and a bias are made of (in, out)."""
    return lambda sizes: [make(a, b) for a, b in zip(sizes, sizes[1:], strict=False) for make in (weight, bias)]


def uniform(n_in: int, *shape: int) -> Any:
    return (mg.rand(*shape) * 2 - 1) / n_in**0.5


def good_weight(a: int, b: int) -> Any:
    return uniform(a, b, a).requires_grad_()


def good_bias(a: int, b: int) -> Any:
    return mg.zeros(b, requires_grad=True)


def passing(x: Any, parameters: Any, between: Callable[[Any], Any], after: Callable[[Any], Any]) -> Any:
    """A forward pass with functions between the layers and after the last."""
    last = len(parameters) - 2
    for k in range(0, last + 2, 2):
        x = x @ parameters[k].T + parameters[k + 1]
        x = after(x) if k == last else between(x)
    return x


def same(x: Any) -> Any:
    return x


def forward_all(x, parameters):
    for W, b in zip(parameters[::2], parameters[1::2], strict=True):
        x = mg.tanh(x @ W.T + b)
    return x


def forward_plain(x, parameters):
    for W, b in zip(parameters[::2], parameters[1::2], strict=True):
        x = x @ W.T + b
    return x


def forward_without_graph(x, parameters):
    with mg.no_grad():
        return Net.forward(x, parameters)


def forward_untransposed(x, parameters):
    for k in range(0, len(parameters), 2):
        x = (mg.tanh(x) if k else x) @ parameters[k] + parameters[k + 1]
    return x


def forward_untransposed_again(x, parameters):
    x = mg.matmul(x, parameters[0]) + parameters[1]
    for W, b in zip(parameters[2::2], parameters[3::2], strict=True):
        x = mg.matmul(mg.tanh(x), W) + b
    return x


def forward_without_bias(x, parameters):
    for k, W in enumerate(parameters[::2]):
        x = (mg.tanh(x) if k else x) @ W.T
    return x


def forward_without_bias_again(x, parameters):
    return passing(x, [0 * p if k % 2 else p for k, p in enumerate(parameters)], mg.tanh, same)


def evenly_spread(drawn: Any, n: int) -> bool:
    """Whether many weights are uniform between -1/sqrt(n) and 1/sqrt(n); of uniform ones, one in 10⁷ sets is said not to be."""
    if len(drawn) < 1000:
        return True
    places = np.sort((drawn * n**0.5 + 1) / 2)
    gap = np.abs(places - (np.arange(len(places)) + 0.5) / len(places)).max()
    return bool(gap * len(places) ** 0.5 < 2.95)


def watch_net(answer: Any, part: str, *args: Any) -> Any:
    function = getattr(answer, part)
    if part == "forward":
        scores = function(*args)
        return {"scores": scores, "the scores have a graph": bool(getattr(scores, "requires_grad", False))}
    returned = function(*args)
    if not isinstance(returned, tuple | list):
        return unfit(returned, "a list of Tensors" if part == "parameters" else "a tuple of three Tensors")
    if part == "linear_vjp":
        names = ("for x", "for W", "for b")
        if len(returned) != 3:
            return {"how many": len(returned)}
        return dict(zip(names, returned, strict=True))
    if not all(isinstance(p, mg.Tensor) for p in returned):
        return unfit(returned, "a list of Tensors")
    (sizes,) = args
    second = function(sizes)
    weights = list(returned[::2])
    inputs = [n for n in sizes[:-1] for _ in range(2)]
    return {
        "shapes": [str(tuple(p.shape)) for p in returned],
        "leaves": [bool(p.is_leaf) for p in returned],
        "require grad": [bool(p.requires_grad) for p in returned],
        "the weights of one layer differ from each other": [bool((W.flatten()[0] != W).any()) for W in weights],
        "another call draws other weights": [
            bool((a != b).any()) for a, b in zip(weights, second[::2], strict=True) if a.shape == b.shape
        ],
        "all within 1/sqrt(in)": [bool((p.abs() <= 1.0001 * n**-0.5).all()) for p, n in zip(returned, inputs, strict=False)],
        "of both signs": [bool((W < 0).any() and (W > 0).any()) for W in weights],
        "uniform, where there are many": [evenly_spread(W.detach().numpy().ravel(), n) for W, n in zip(weights, sizes, strict=False)],
        "the weights use the room": [bool(W.abs().max() > 0.3 * n**-0.5) for W, n in zip(weights, sizes, strict=False)],
    }


def net_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def net_of(*sizes: int) -> list[Any]:
        shapes = [s for a, b in zip(sizes, sizes[1:], strict=False) for s in ((b, a), (b,))]
        return [random_tensor(rng, dtype, *shape, leaf=True) for shape in shapes]

    return [
        *(Case(f"parameters: sizes {sizes}", ("parameters", sizes)) for sizes in ([7, 9, 8], [6, 12], [8, 5, 11, 7])),
        Case("forward: one layer", ("forward", random_tensor(rng, dtype, 5, 3), net_of(3, 4))),
        Case("forward: two layers", ("forward", random_tensor(rng, dtype, 6, 2), net_of(2, 5, 3))),
        Case("forward: three layers", ("forward", random_tensor(rng, dtype, 7, 4), net_of(4, 3, 6, 2))),
        *(
            Case(
                f"linear_vjp: {n} rows, {a} inputs, {b} outputs",
                ("linear_vjp", random_tensor(rng, dtype, n, b), random_tensor(rng, dtype, n, a), random_tensor(rng, dtype, b, a)),
            )
            for n, a, b in ((6, 3, 4), (2, 5, 3))
        ),
    ]


def parameters_mistake(weight: Any, bias: Any, hint: str, weight_again: Any, bias_again: Any) -> Mistake:
    again = net(parameters=layers_of(weight_again, bias_again))
    return Mistake(net(parameters=layers_of(weight, bias)), f"parameters: {hint}", again=again)


def vjp_mistake(wrong: Callable[..., Any], hint: str, again: Callable[..., Any]) -> Mistake:
    return Mistake(net(linear_vjp=wrong), f"linear_vjp: {hint}", again=net(linear_vjp=again))


def net_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def some(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    def layer(a: int, b: int) -> list[Any]:
        return [random_tensor(rng, dtype, b, a, leaf=True), random_tensor(rng, dtype, b, leaf=True)]

    return [
        Case("parameters: sizes [40, 50]", ("parameters", [40, 50])),
        Case("forward: one row, one input, one output", ("forward", some(1, 1), layer(1, 1))),
        Case("forward: one row, two layers", ("forward", some(1, 3), [*layer(3, 2), *layer(2, 1)])),
        Case("linear_vjp: one row, one input, one output", ("linear_vjp", some(1, 1), some(1, 1), some(1, 1))),
        Case("linear_vjp: 3 rows, 3 inputs, 3 outputs", ("linear_vjp", some(3, 3), some(3, 3), some(3, 3))),
    ]


register(
    Exercise(
        id="15.2",
        title="A layer and a network",
        difficulty=2,
        minutes=10,
        reference=Net,
        starter=NET_STARTER,
        cases=net_cases,
        edges=net_edges,
        observe=watch_net,
        alternatives={"in pairs": NetOfPairs, "with nn": NetOfLayers},
        mistakes={
            "parameters: results, not leaves": parameters_mistake(
                lambda a, b: mg.rand(b, a, requires_grad=True) * 2 * a**-0.5 - a**-0.5,
                good_bias,
                "you asked for the gradient first and computed then. What you return is a *result*: no leaf, no `.grad`, and the "
                "optimizer refuses it. First compute, then `requires_grad_()`.",
                lambda a, b: (mg.tensor(np.random.rand(b, a), requires_grad=True) - 0.5) * (2 * a**-0.5),
                good_bias,
            ),
            "parameters: no gradient asked for": parameters_mistake(
                lambda a, b: uniform(a, b, a),
                lambda a, b: mg.zeros(b),
                "none of them requires grad, so nothing is recorded and nothing learns.",
                lambda a, b: mg.tensor(np.random.uniform(-1, 1, (b, a)) * a**-0.5),
                lambda a, b: mg.tensor(np.zeros(b)),
            ),
            "parameters: only the weights learn": parameters_mistake(
                good_weight,
                lambda a, b: mg.zeros(b),
                "the biases do not require grad: they would stay what they are for ever.",
                lambda a, b: mg.tensor(np.random.uniform(-1, 1, (b, a)) * a**-0.5, requires_grad=True),
                lambda a, b: mg.tensor(np.zeros(b)),
            ),
            "parameters: all weights zero": parameters_mistake(
                lambda a, b: mg.zeros(b, a, requires_grad=True),
                good_bias,
                "with equal weights all units of a layer compute the same, get the same gradient, and stay the same for ever. "
                "Random numbers make them different from each other.",
                lambda a, b: mg.tensor(np.zeros((b, a)), requires_grad=True),
                good_bias,
            ),
            "parameters: (in, out)": parameters_mistake(
                lambda a, b: uniform(a, a, b).requires_grad_(),
                good_bias,
                "W has shape (out, in), a row for each output, as in PyTorch; yours is (in, out).",
                lambda a, b: mg.tensor(np.random.uniform(-1, 1, (a, b)) * a**-0.5, requires_grad=True),
                good_bias,
            ),
            "parameters: a bias for each weight": parameters_mistake(
                good_weight,
                lambda a, b: mg.zeros(a, requires_grad=True),
                "a bias is added to each *output*: its shape is (out,), and yours is (in,).",
                good_weight,
                lambda a, b: mg.tensor(np.zeros(a), requires_grad=True),
            ),
            "parameters: too large": parameters_mistake(
                lambda a, b: mg.randn(b, a, requires_grad=True),
                good_bias,
                "an output adds up `in` products. With weights of the size of 1 it is far out where tanh is flat, and its slope is "
                "next "
                "to 0. Keep them between ±1/√in.",
                lambda a, b: mg.tensor(np.random.normal(size=(b, a)), requires_grad=True),
                good_bias,
            ),
            "parameters: no weight below 0": parameters_mistake(
                lambda a, b: (mg.rand(b, a) * a**-0.5).requires_grad_(),
                good_bias,
                "all weights are positive: `rand` draws between 0 and 1. Stretch and shift it, to between −1/√in and 1/√in.",
                lambda a, b: mg.tensor(np.random.uniform(0, a**-0.5, (b, a)), requires_grad=True),
                good_bias,
            ),
            "forward: tanh after the last layer": Mistake(
                net(forward=forward_all),
                "forward: there is a tanh behind the last layer as well. It would hold every score between −1 and 1, and most targets "
                "could not be reached. tanh stands *between* layers.",
                again=net(forward=lambda x, parameters: passing(x, parameters, mg.tanh, mg.tanh)),
            ),
            "forward: no tanh": Mistake(
                net(forward=forward_plain),
                "forward: without a function between them, two linear layers are one linear layer. tanh between them makes the "
                "difference.",
                again=net(forward=lambda x, parameters: passing(x, parameters, same, same)),
            ),
            "forward: W not transposed": Mistake(
                net(forward=forward_untransposed),
                "forward: a row of x has `in` numbers, and so has a row of W. For the product, the `in` of x must meet the `in` of W: "
                "`x @ W.T`.",
                again=net(forward=forward_untransposed_again),
            ),
            "forward: no bias": Mistake(
                net(forward=forward_without_bias),
                "forward: the biases are not added. They stand at the odd places of the list.",
                again=net(forward=forward_without_bias_again),
            ),
            "forward: no graph": Mistake(
                net(forward=lambda x, parameters: Net.forward(x, parameters).detach()),
                "forward: the numbers are right, and the scores have no graph, so no gradient would come to the parameters. Do "
                "without `no_grad`, `detach` and NumPy.",
                again=net(forward=forward_without_graph),
            ),
            "linear_vjp: the bias gets every row": vjp_mistake(
                lambda v, x, W: (v @ W, v.T @ x, v),
                "b was copied into every row of the batch, so what comes back from all rows is added up: `v.sum(0)`, of b's own "
                "shape. "
                "(Copying forward is adding backward: chapter 04.)",
                lambda v, x, W: (mg.matmul(v, W), (x.T @ v).T, v.clone()),
            ),
            "linear_vjp: the mean over the rows": vjp_mistake(
                lambda v, x, W: (v @ W, v.T @ x, v.mean(0)),
                "b gets the *sum* over the rows. The 1/n of a mean loss is in v already.",
                lambda v, x, W: (mg.matmul(v, W), (x.T @ v).T, v.sum(0) / len(v)),
            ),
            "linear_vjp: divided by the batch": vjp_mistake(
                lambda v, x, W: (v @ W, v.T @ x / len(v), v.sum(0) / len(v)),
                "you divided by the number of rows. The 1/n of a mean loss is in v already; the layer only adds.",
                lambda v, x, W: (mg.matmul(v, W), (x.T @ v).T / v.shape[0], v.mean(0)),
            ),
            "linear_vjp: W's gradient lies on its side": vjp_mistake(
                lambda v, x, W: (v @ W, x.T @ v, v.sum(0)),
                "what comes for W has shape (in, out), and W has (out, in). A gradient has the shape of what it is for.",
                lambda v, x, W: (mg.matmul(v, W), (v.T @ x).T, v.sum(dim=0)),
            ),
            "linear_vjp: the sum over the wrong axis": vjp_mistake(
                lambda v, x, W: (v @ W, v.T @ x, v.sum(1)),
                "you summed over the outputs, and got a number for each row of the batch. b has a number for each output.",
                lambda v, x, W: (mg.matmul(v, W), (x.T @ v).T, mg.einsum("no->n", v)),
            ),
        },
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
)


# --- 15.3 Adam ----------------------------------------------------------------------------------------------


class Adam:
    """w ← w − lr · m̂ / (√v̂ + eps), for each parameter that has a gradient."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params = list(params)
        self.lr, self.betas, self.eps = lr, betas, eps
        self.t = [0 for p in self.params]
        self.m = [mg.zeros_like(p) for p in self.params]
        self.v = [mg.zeros_like(p) for p in self.params]

    def step(self):
        """Move every parameter that has a gradient, in place."""
        b1, b2 = self.betas
        with mg.no_grad():
            for k, p in enumerate(self.params):
                if p.grad is not None:
                    self.t[k] += 1
                    self.m[k] = b1 * self.m[k] + (1 - b1) * p.grad
                    self.v[k] = b2 * self.v[k] + (1 - b2) * p.grad**2
                    m_hat = self.m[k] / (1 - b1 ** self.t[k])
                    v_hat = self.v[k] / (1 - b2 ** self.t[k])
                    p -= self.lr * m_hat / (v_hat.sqrt() + self.eps)


ADAM_STARTER = '''\
class Adam:
    """w ← w − lr · m̂ / (√v̂ + eps), for each parameter that has a gradient."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params = list(params)
        self.lr, self.betas, self.eps = lr, betas, eps
        ...

    def step(self):
        """Move every parameter that has a gradient, in place."""
        ...
'''


class AdamOfDicts:
    """Running means as in PyTorch's code, in place, kept in one dict for each parameter."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params, self.lr, self.betas, self.eps = list(params), lr, betas, eps
        self.state: dict[int, dict[str, Any]] = {}

    @mg.no_grad()
    def step(self):
        b1, b2 = self.betas
        for k, p in enumerate(self.params):
            if p.grad is None:
                continue
            s = self.state.setdefault(k, {"t": 0, "m": mg.zeros_like(p), "v": mg.zeros_like(p)})
            s["t"] += 1
            s["m"].mul_(b1).add_(p.grad * (1 - b1))
            s["v"].mul_(b2).add_(p.grad * p.grad * (1 - b2))
            denominator = s["v"].sqrt() / (1 - b2 ** s["t"]) ** 0.5 + self.eps
            p.sub_(s["m"] / denominator * (self.lr / (1 - b1 ** s["t"])))


class AdamOfArrays:
    """NumPy arrays, lists that begin with 0."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params = list(params)
        self.lr, (self.b1, self.b2), self.eps = lr, betas, eps
        self.m, self.v, self.t = ([0.0] * len(self.params) for _ in range(3))

    def step(self):
        for k in range(len(self.params)):
            p = self.params[k]
            if p.grad is None:
                continue
            g = p.grad.numpy()
            self.t[k] += 1
            self.m[k] += (1 - self.b1) * (g - self.m[k])
            self.v[k] += (1 - self.b2) * (g * g - self.v[k])
            step = self.m[k] / (1 - self.b1 ** self.t[k]) / (np.sqrt(self.v[k] / (1 - self.b2 ** self.t[k])) + self.eps)
            p.data -= self.lr * mg.tensor(step, dtype=p.dtype)


class AdamOfNN:
    """The one that is there."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.inner = mg.optim.Adam(params, lr=lr, betas=betas, eps=eps)

    def step(self):
        self.inner.step()


class AdamOfSteps:
    """A new one of those that are there, for each step."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params, self.settings = list(params), {"lr": lr, "betas": betas, "eps": eps}
        self.inner = None

    def step(self):
        self.inner = self.inner or mg.optim.Adam(self.params, **self.settings)
        self.inner.step()


def adam(
    arrays: bool = False,
    correct: tuple[bool, bool] = (True, True),
    eps_at: str = "outside",
    clock: str = "step",
    shared: bool = False,
    power: Callable[[Any], Any] = lambda g: g * g,
    sign: float = 1.0,
    rebinds: bool = False,
    remembers: bool = True,
    swapped: bool = False,
    rooted: bool = True,
    record: bool = False,
) -> Any:
    """A class that does what somebody with another formula in mind would write; arrays: the same with NumPy arrays."""

    class Adam:
        def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
            self.params, self.lr, self.betas, self.eps = list(params), lr, betas[::-1] if swapped else betas, eps
            self.t, self.memory = int(clock == "early"), {}

        def step(self):
            self.t += clock in ("step", "early")
            with mg.set_grad_enabled(record):
                for k, p in enumerate(self.params):
                    if p.grad is not None:
                        self.t += clock == "parameter"
                        self.move(p, 0 if shared else k)
            self.t += clock == "late"

        def move(self, p, k):
            g = p.grad.numpy() if arrays else p.grad
            b1, b2 = self.betas
            m, v = self.memory.get(k, (0 * g, 0 * g))
            m, v = (b1 * m if remembers else 0 * m) + (1 - b1) * g, b2 * v + (1 - b2) * power(g)
            self.memory[k] = m, v
            m = m / (1 - b1**self.t) if correct[0] else m
            c = 1 - b2**self.t if correct[1] else 1.0
            root = np.sqrt if arrays else mg.sqrt
            if not rooted:
                below = v / c + self.eps
            elif eps_at == "inside":
                below = root(v / c + self.eps)
            elif eps_at == "before":
                below = (root(v) + self.eps) / c**0.5
            else:
                below = root(v / c) + self.eps
            change = sign * self.lr * m / below
            if rebinds:
                p = p - change
            elif arrays and record:
                p.sub_(mg.tensor(change, dtype=p.dtype))
            elif arrays:
                p.data -= mg.tensor(change, dtype=p.dtype)
            else:
                p -= change

    return Adam


def adam_mistake(hint: str, **wrong: Any) -> Mistake:
    return Mistake(adam(**wrong), hint, again=adam(arrays=True, **wrong))


def watch_adam(answer: Any, values: list[Any], gradients: list[list[Any]], settings: dict[str, Any]) -> dict[str, Any]:
    with calls_of(mg.optim.Adam, "step") as steps:
        seen = steps_of_adam(answer, values, gradients, settings)
    return {"the steps are made by": "mg.optim.Adam"} if steps else seen


def steps_of_adam(answer: Any, values: list[Any], gradients: list[list[Any]], settings: dict[str, Any]) -> dict[str, Any]:
    optimizer = answer(list(values), **settings)
    seen: dict[str, Any] = {}
    other = mg.ones(2, requires_grad=True)
    other.grad = mg.ones(2)
    answer([other], lr=0.5, betas=(0.5, 0.5), eps=0.5).step()  # a second optimizer leaves the first one alone
    for number, row in enumerate(gradients, 1):
        for p, g in zip(values, row, strict=True):
            p.grad = None if g is None else g.clone()
        optimizer.step()
        seen[f"after step {number}"] = [p.detach().clone() for p in values]
    seen["leaves that require grad"] = [bool(p.is_leaf and p.requires_grad) for p in values]
    kept = [g is None or p.grad is not None and bool((p.grad == g).all()) for p, g in zip(values, row, strict=True)]
    seen["the gradients are as they were"] = kept
    return seen


def adam_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(
        label: str, shapes: list[tuple[int, ...]], steps: int, scale: Any = 1.0, none: int | None = None, **settings: Any
    ) -> Case:
        values = [random_tensor(rng, dtype, *shape, leaf=True) for shape in shapes]
        rows = [
            [None if k == none else mg.tensor(rng.normal(size=shape) * scale, dtype=dtype) for k, shape in enumerate(shapes)]
            for _ in range(steps)
        ]
        return Case(label, (values, rows, settings))

    sizes = np.array([1e6, -1e3, 1.0, -1e-3, 1e-5])  # of both signs, and of every size
    gradients = sizes * rng.uniform(0.5, 1.5, 5)
    first = ([random_tensor(rng, dtype, 5, leaf=True)], [[mg.tensor(gradients, dtype=dtype)]], {"lr": 0.5})
    return [
        case("five steps with the usual settings", [(3,)], 5, lr=0.1),
        Case("one step with gradients of every size", first),
        case("a table, and other betas", [(2, 4)], 5, lr=0.3, betas=(0.6, 0.9)),
        case("gradients as small as eps", [(4,)], 3, scale=1e-4, lr=0.1, eps=1e-4),
        case("two parameters of one shape", [(3,), (3,)], 4, lr=0.2),
        case("three parameters, and the second has no gradient", [(2,), (2,), (2,)], 3, none=1, lr=0.1),
    ]


def adam_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return random_tensor(rng, dtype, *shape)

    late = [random_tensor(rng, dtype, 2, leaf=True) for _ in range(2)]
    rows = [[numbers(2), None], [numbers(2), None], [numbers(2), numbers(2)], [numbers(2), numbers(2)]]
    gaps = [random_tensor(rng, dtype, 3, leaf=True)]
    return [
        Case("the second parameter gets its first gradient in step 3", (late, rows, {"lr": 0.1})),
        Case("no gradient in step 2", (gaps, [[numbers(3)], [None], [numbers(3)]], {"lr": 0.1})),
        Case("gradients of 0", ([random_tensor(rng, dtype, 2, leaf=True)], [[mg.zeros(2, dtype=dtype)], [numbers(2)]], {"lr": 0.1})),
        Case("one number of shape ()", ([random_tensor(rng, dtype, leaf=True)], [[numbers()], [numbers()]], {"lr": 0.05})),
    ]


register(
    Exercise(
        id="15.3",
        title="Adam, step by step",
        difficulty=3,
        minutes=12,
        reference=Adam,
        starter=ADAM_STARTER,
        cases=adam_cases,
        edges=adam_edges,
        observe=watch_adam,
        may_change_inputs=True,
        tolerance=1e-12,
        alternatives={"in place, in dicts": AdamOfDicts, "NumPy": AdamOfArrays},
        mistakes={
            "the ready one": Mistake(
                AdamOfNN,
                "The numbers are right, but `mg.optim.Adam` computed them. The exercise is to write it: keep `m`, `v` and `t` for "
                "each parameter, and compute the step from the formulas.",
                AdamOfSteps,
            ),
            "no bias correction": adam_mistake(
                "After one step m is 0.1 · g and v is 0.001 · g²: both began at 0 and are still too small. So the **first step is "
                "0.1 / √0.001 = 3.16 · lr, not lr**. Divide m by 1 − β₁ᵗ and v by 1 − β₂ᵗ.",
                correct=(False, False),
            ),
            "only m is corrected": adam_mistake(
                "m is corrected and v is not: v is still far too small, and the first step is 31.6 · lr. Divide v by 1 − β₂ᵗ as well.",
                correct=(True, False),
            ),
            "only v is corrected": adam_mistake(
                "v is corrected and m is not: the first step is 0.1 · lr. Divide m by 1 − β₁ᵗ as well.", correct=(False, True)
            ),
            "eps inside the root": adam_mistake(
                "`eps` stands inside the root. √(v̂ + eps) is not √v̂ + eps: with eps = 1e-8 the root adds up to 1e-4, and small "
                "gradients hardly move anything. Take the root first, then add.",
                eps_at="inside",
            ),
            "eps before the correction": adam_mistake(
                "You added `eps` before the correction of v was divided out, so it grew with it. First v̂, then its root, then eps.",
                eps_at="before",
            ),
            "t from 0": adam_mistake(
                "In the first step t must be 1. With t = 0 the correction 1 − β⁰ is 0, and you divide by it: NaN. Count at the "
                "beginning "
                "of `step`.",
                clock="late",
            ),
            "t from 2": adam_mistake(
                "In the first step t must be 1, and yours is 2: it began at 1, and was counted up before it was used.",
                clock="early",
            ),
            "one memory for all parameters": adam_mistake(
                "All parameters share one m and v: each parameter's gradient is mixed into the others' memory. Keep an m and a v "
                "**for each "
                "parameter**, in lists or in a dict.",
                shared=True,
            ),
            "t counts parameters": adam_mistake(
                "t grows with every parameter, so the second parameter of the first step already has t = 2. Keep a t for each "
                "parameter: it counts the steps of this one.",
                clock="parameter",
            ),
            "one t for all parameters": adam_mistake(
                "Your t counts the calls of `step`. A parameter without a gradient does not move, and its t must stay too: keep a t "
                "for each parameter, beside its m and v.",
            ),
            "v without the square": adam_mistake(
                "v is the running mean of g², element by element. Yours is that of something else.", power=lambda g: g
            ),
            "no root": adam_mistake(
                "You divided by v̂ itself. v̂ has the size of g²; its root has the size of g, and only then is the step about lr, "
                "whatever the size of the gradient.",
                rooted=False,
            ),
            "uphill": adam_mistake("The sign: a step goes *against* the gradient.", sign=-1.0),
            "the name moves, not the parameter": adam_mistake(
                "Nothing moved. Does `step` write to the parameters at all? `p = p - …` only gives the name `p` to a new tensor; the "
                "parameter of the model stays where it was. Write into it: `p -= …` under `no_grad`.",
                rebinds=True,
            ),
            "m forgets": adam_mistake(
                "m does not remember the steps before. It is a running mean: β₁ · m + (1 − β₁) · g, and it must be kept for the "
                "next call.",
                remembers=False,
            ),
            "the betas are swapped": adam_mistake(
                "The two betas have changed places: `betas = (β₁, β₂)`, β₁ for m and β₂ for v.", swapped=True
            ),
            "the step is recorded": adam_mistake(
                "A parameter is a leaf, and a leaf may not be changed where operations are recorded (chapter 11). Put the step under "
                "`with mg.no_grad():`.",
                record=True,
            ),
        },
        hints=(
            "Five lines of formula for each parameter, with a memory of its own: m, v, their corrections, the move. What must "
            "outlive the "
            "call of `step` is kept in `self`.",
            "Test yourself with one number, g = 7 and lr = 0.1. After the first step m̂ = 7, v̂ = 49, √v̂ = 7, and the step is 0.1: "
            "the "
            "size of g has cancelled. Print m̂ and v̂; if they are not 7 and 49, look at t and at the corrections.",
            "```python\nself.t = [0] * len(self.params)                    # __init__; one for each parameter, as m and v\n"
            "self.m, self.v = [mg.zeros_like(p) for p in self.params], ...\n\n"
            "with mg.no_grad():                                    # step\n"
            "    for k, p in enumerate(self.params):\n        if p.grad is not None:\n            self.t[k] += 1\n"
            "            self.m[k] = ...\n            self.v[k] = ...\n            p -= self.lr * ... / (... + self.eps)\n```",
        ),
        explanation="""\
m and v are running means of g and g². Both begin at 0 and are too small at first, by the factors 1 − β₁ᵗ and 1 − β₂ᵗ:
the correction divides these out. So in the first step m̂ = g and √v̂ = |g|, and **every entry moves by lr**, against
its sign, whether the gradient was a million or a millionth.

`eps` is added behind the root. It keeps 0/0 away where a gradient is always 0, and is too small to matter elsewhere.
Inside the root it would count as √eps, ten thousand times more.

The state belongs to a parameter, also t: one that gets its first gradient late starts with t = 1, in PyTorch
too. And the step runs under `no_grad` and writes in place, so the parameter stays the same leaf (chapter 11).
""",
    )
)


# --- 15.4 Five lines in order -------------------------------------------------------------------------------


def train(model, loss_of, optimizer, batches):
    """One pass over the batches, with one step for each. Returns the loss of each batch, before its step."""
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        prediction = model(x)
        loss = loss_of(prediction, target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


TRAIN_STARTER = '''\
def train(model, loss_of, optimizer, batches):
    """One pass over the batches, with one step for each. Returns the loss of each batch, before its step."""
    losses = []
    for x, target in batches:
        loss.backward()
        optimizer.step()
        loss = loss_of(prediction, target)
        optimizer.zero_grad()
        prediction = model(x)
        losses.append(loss.item())  # this line is in its place
    return losses
'''

Loop = Callable[[Any, Callable[..., Any], Any, Any], list[float]]


def loop(order: str, again: bool = False) -> Loop:
    """The loop with its lines in another order, as letters: z(ero_grad), p(rediction), l(oss), b(ackward), s(tep).

    again: the same, with the lines as functions in a list.
    """
    lines = {
        "z": "optimizer.zero_grad()",
        "p": "prediction = model(x)",
        "l": "loss = loss_of(prediction, target)",
        "b": "loss.backward()",
        "s": "optimizer.step()",
    }
    body = [f"        {lines[letter]}" for letter in order]
    source = ["def train(model, loss_of, optimizer, batches):", "    losses = []", "    for x, target in batches:", *body]
    space: dict[str, Any] = {}
    exec("\n".join([*source, "        losses.append(loss.item())", "    return losses"]), space)

    def from_functions(model: Any, loss_of: Any, optimizer: Any, batches: Any) -> list[float]:
        here: dict[str, Any] = {}
        steps = {
            "z": lambda: optimizer.zero_grad(),
            "p": lambda: here.update(prediction=model(here["x"])),
            "l": lambda: here.update(loss=loss_of(here["prediction"], here["target"])),
            "b": lambda: here["loss"].backward(),
            "s": lambda: optimizer.step(),
        }
        losses = []
        for here["x"], here["target"] in batches:
            for letter in order:
                steps[letter]()
            losses.append(float(here["loss"].detach()))
        return losses

    answer: Loop = from_functions if again else space["train"]
    return answer


def train_zero_last(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        loss = loss_of(model(x), target)
        loss.backward()
        losses.append(loss.item())
        optimizer.step()
        optimizer.zero_grad()
    return losses


def train_once_zeroed(model, loss_of, optimizer, batches):
    optimizer.zero_grad()
    losses = []
    for x, target in batches:
        loss = loss_of(model(x), target)
        losses.append(loss.detach().item())
        loss.backward()
        optimizer.step()
    return losses


def train_step_after(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        optimizer.zero_grad()
        prediction = model(x)
        loss = loss_of(prediction, target)
        loss.backward()
        losses.append(loss.item())
    optimizer.step()
    return losses


def train_step_after_again(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        loss = loss_of(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        losses += [loss.item()]
    else:
        optimizer.step()
    return losses


def watch_train(answer: Loop, model: Any, optimizer: Any, batches: list[Any]) -> Any:
    """The parameters before each batch and at the end, and the losses."""
    states = []

    def handing_out():
        for batch in batches:
            states.append([p.detach().clone() for p in model.parameters()])
            yield batch

    losses = answer(model, mg.nn.MSELoss(), optimizer, handing_out())
    if not isinstance(losses, list | tuple):
        return unfit(losses, "a list of numbers")
    seen: dict[str, Any] = {"losses": list(losses)}
    for number, state in enumerate(states):
        seen[f"parameters before batch {number}"] = state
    seen["parameters at the end"] = [p.detach().clone() for p in model.parameters()]
    return seen


def fill(rng: np.random.Generator, module: Any, dtype: Any, scale: float = 0.7) -> Any:
    """The module with parameters drawn from rng."""
    module = module.to(dtype)
    with mg.no_grad():
        for p in module.parameters():
            p.copy_(mg.tensor(rng.normal(size=tuple(p.shape)) * scale, dtype=dtype))
    return module


def train_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    nn, optim = mg.nn, mg.optim

    def batches(rows: int, a: int, b: int) -> list[Any]:
        return [(random_tensor(rng, dtype, rows, a), random_tensor(rng, dtype, rows, b)) for _ in range(4)]

    line = fill(rng, nn.Linear(3, 2), dtype)
    two = fill(rng, nn.Sequential(nn.Linear(2, 5), nn.Tanh(), nn.Linear(5, 3)), dtype)
    other = fill(rng, nn.Sequential(nn.Linear(4, 3), nn.Tanh(), nn.Linear(3, 1)), dtype)
    return [
        Case("a linear layer, SGD", (line, optim.SGD(line.parameters(), lr=0.1), batches(5, 3, 2))),
        Case("two layers, SGD", (two, optim.SGD(two.parameters(), lr=0.2), batches(4, 2, 3))),
        Case("two layers, Adam", (other, optim.Adam(other.parameters(), lr=0.05), batches(6, 4, 1))),
    ]


def train_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    line = fill(rng, mg.nn.Linear(2, 1), dtype)
    return [
        Case(
            "one batch of one row",
            (line, mg.optim.SGD(line.parameters(), lr=0.1), [(random_tensor(rng, dtype, 1, 2), random_tensor(rng, dtype, 1, 1))]),
        )
    ]


register(
    Exercise(
        id="15.4",
        title="Five lines in order",
        difficulty=2,
        minutes=6,
        reference=train,
        starter=TRAIN_STARTER,
        cases=train_cases,
        edges=train_edges,
        observe=watch_train,
        may_change_inputs=True,
        alternatives={
            "zero_grad last": train_zero_last,
            "zero_grad before the loss": loop("pzlbs"),
            "zero_grad before backward": loop("plzbs"),
        },
        mistakes={
            "zero after backward": Mistake(
                loop("plbzs"),
                "**The gradients are erased before the step uses them.** Backward fills `.grad`, zero_grad empties it, and the step "
                "finds "
                "nothing: no parameter ever moves, and the loss of a batch stays what it is. Between `backward` and the next `step` "
                "there "
                "must be no zero_grad.",
                again=loop("zsplb", again=True),
            ),
            "step before backward": Mistake(
                loop("szplb"),
                "**One step late.** The first step finds no gradient and does nothing. From then on every step is made one round "
                "after "
                "its backward, and the gradient of the last batch is never used. The losses look as they should, so nobody notices; "
                "but whenever you stop and look at the model, its last step is missing. `step` comes after `backward`.",
                again=loop("splzb", again=True),
            ),
            "step between forward and backward": Mistake(
                loop("plszb"),
                "The step changes the parameters **between forward and backward**. Backward needs the weights as they were in the "
                "forward pass, and the version counters notice (chapter 11). In a single linear layer nothing was saved that a step "
                "changes: there it raises nothing, and each step follows a gradient that is out of date. `step` comes last, after "
                "`backward`.",
                again=loop("pslzb", again=True),
            ),
            "never zero": Mistake(
                loop("plbs"),
                "Backward *adds* to `.grad`, so the second step uses the sum of two gradients, the third the sum of three. That is a "
                "momentum that never forgets: the orbit of chapter 06. Use all five lines, and each in every round.",
                again=train_once_zeroed,
            ),
            "one step for all batches": Mistake(
                train_step_after,
                "The step stands outside of the loop: one step in all, with the gradient of the last batch. Indent it.",
                again=train_step_after_again,
            ),
        },
        hints=(
            "Ask of each line what it needs, and who makes it. The loss needs the prediction; backward needs the loss; the step needs "
            "`.grad`, which backward fills. zero_grad needs nothing. What does it destroy, and who still wants that?",
            "A circle:\n\n```text\nprediction → loss → backward → step\n     ↑                          │\n     └──────── zero_grad "
            "───────┘\n```\n\n"
            "zero_grad may stand anywhere on the way from `step` to `backward`, and nowhere between `backward` and `step`.",
            "```python\nfor x, target in batches:\n    optimizer.zero_grad()\n    prediction = ...\n    loss = ...\n    ...\n    ...\n"
            "    losses.append(loss.item())\n```",
        ),
        explanation="""\
Prediction, loss, backward, step: each line needs what the one before it made. `zero_grad` fits in four places:
anywhere but between `backward` and `step`. Most people write it first, some last. Last has one weakness: a gradient
that is left over from *before* the loop goes into the first step.

The wrong orders are worth knowing by their symptoms. Flat loss: the gradients were erased. A loss that swings or
blows up: they were never erased. An error about an in-place operation: the step came between forward and backward.
And one step late has hardly a symptom.
""",
    )
)


# --- 15.5 Evaluate ------------------------------------------------------------------------------------------


def accuracy(model, x, labels):
    """The share of the rows of x for which the largest score is that of the label: a float from 0 to 1.

    Records no graph. The model is in eval mode for the time, and afterwards in the mode in which it was.
    """
    was_training = model.training
    model.eval()
    with mg.no_grad():
        scores = model(x)
    model.train(was_training)
    return (scores.argmax(1) == labels).float().mean().item()


@mg.no_grad()
def accuracy_numpy(model, x, labels):
    mode = model.training
    model.train(False)
    guesses = np.argmax(model(x).numpy(), axis=1)
    if mode:
        model.train()
    return float(np.mean(guesses == labels.numpy()))


def accuracy_inference(model, x, labels):
    mode = model.training
    try:
        model.eval()
        with mg.inference_mode():
            right = (model(x).max(1).indices == labels).sum().item()
    finally:
        model.train(mode)
    return right / len(labels)


def accuracy_by_enabled(model, x, labels):
    before, mode = mg.is_grad_enabled(), model.training
    mg.set_grad_enabled(False)
    model.eval()
    count = sum(int(row.argmax()) == int(label) for row, label in zip(model(x), labels, strict=True))
    model.train(mode)
    mg.set_grad_enabled(before)
    return count / x.shape[0]


def share(scores: Any, labels: Any) -> float:
    value: float = (scores.argmax(1) == labels).double().mean().item()
    return value


def share_again(scores: Any, labels: Any) -> float:
    return sum(int(a) == int(b) for a, b in zip(scores.detach().argmax(1), labels, strict=True)) / len(labels)


Share = Callable[[Any, Any], Any]


def evaluating(share: Share = share, graph: bool = False, eval: bool = True, back: str = "as it was") -> Callable[..., Any]:
    """An answer that leaves something out. back: what is done about the mode at the end."""

    def answer(model: Any, x: Any, labels: Any) -> Any:
        mode = model.training
        if eval:
            model.eval()
        with mg.set_grad_enabled(graph and mg.is_grad_enabled()):
            scores = model(x)
        if eval and back != "never":
            model.train(mode if back == "as it was" else True)
        return share(scores.detach(), labels)

    return answer


def accuracy_frozen(model, x, labels):
    for p in model.parameters():
        p.requires_grad_(False)
    return evaluating()(model, x, labels)


def accuracy_frozen_again(model, x, labels):
    model.requires_grad_(False)
    return evaluating(share_again)(model, x, labels)


def accuracy_switched_off(model, x, labels):
    mg.set_grad_enabled(False)
    return evaluating()(model, x, labels)


def accuracy_switched_off_again(model, x, labels):
    value = evaluating(share_again)(model, x, labels)
    mg.set_grad_enabled(False)
    return value


def accuracy_switched_on(model, x, labels):
    mg.set_grad_enabled(False)
    value = evaluating()(model, x, labels)
    mg.set_grad_enabled(True)
    return value


def accuracy_switched_on_again(model, x, labels):
    value = evaluating(share_again)(model, x, labels)
    mg.set_grad_enabled(mode=True)
    return value


class Wavering(mg.nn.Module):
    """Scores that depend on the mode, as those of a network with dropout do; but here by a rule."""

    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner
        self.recorded = 0  # nodes

    def forward(self, x: Any) -> Any:
        scores = self.inner(x)
        self.recorded += len(nodes_of(scores))
        return -scores if self.training else scores


def watch_accuracy(answer: Callable[..., Any], model: Any, x: Any, labels: Any, enabled: bool = True) -> dict[str, Any]:
    before, model.recorded = model.training, 0
    with mg.set_grad_enabled(enabled):
        value = answer(model, x, labels)
        left = mg.is_grad_enabled()
    if not isinstance(value, int | float | np.floating):
        return unfit(value, "a float from 0 to 1")
    return {
        "nodes recorded": model.recorded,
        "share": value,
        "the mode is as it was": bool(model.training is before and model.inner.training is before),
        "grad mode is as it was": left is enabled,
        "parameters still require grad": all(p.requires_grad for p in model.parameters()),
    }


def accuracy_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    nn = mg.nn
    cases = []
    for rows, training, enabled in ((7, True, True), (11, False, True), (5, True, False)):
        net = fill(rng, nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 3)), dtype)
        x = random_tensor(rng, dtype, rows, 4)
        with mg.no_grad():
            best, worst = net(x).argmax(1).numpy(), net(x).argmin(1).numpy()
        labels = np.where(np.arange(rows) < rows // 2, best, 3 - best - worst)
        labels[-1] = worst[-1]
        model = Wavering(net).train(training)
        label = f"a model in {'training' if training else 'eval'} mode" + (", called under no_grad" if not enabled else "")
        cases.append(Case(label, (model, x, mg.tensor(labels), enabled)))
    return cases


def accuracy_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    cases = []
    for label, rows, right in (
        ("one row, and it is right", 1, True),
        ("one row, and it is wrong", 1, False),
        ("every row is right", 4, True),
    ):
        net = fill(rng, mg.nn.Sequential(mg.nn.Linear(4, 3)), dtype)
        x = random_tensor(rng, dtype, rows, 4)
        with mg.no_grad():
            labels = (net(x).argmax(1) if right else net(x).argmin(1)).numpy()
        cases.append(Case(label, (Wavering(net).train(right), x, mg.tensor(labels), True)))
    return cases


register(
    Exercise(
        id="15.5",
        title="Evaluate",
        difficulty=2,
        minutes=6,
        reference=accuracy,
        cases=accuracy_cases,
        edges=accuracy_edges,
        observe=watch_accuracy,
        may_change_inputs=True,
        tolerance=1e-6,  # a mean of float32
        alternatives={
            "as a decorator, NumPy": accuracy_numpy,
            "inference mode": accuracy_inference,
            "switched by hand": accuracy_by_enabled,
        },
        mistakes={
            "detached afterwards": Mistake(
                evaluating(graph=True),
                "The graph was **recorded first, and thrown away afterwards**: `detach` or `item` on the result is too late, all "
                "nodes and "
                "their saved arrays were made. (`model.eval()` does not switch recording off, either.) Put the forward "
                "pass under `with mg.no_grad():`.",
                again=evaluating(share_again, graph=True),
            ),
            "neither no_grad nor eval": Mistake(
                evaluating(graph=True, eval=False),
                "Two switches are missing. `with mg.no_grad():` so that no graph is recorded, and `model.eval()` so that layers "
                "like dropout "
                "do what they do in use. They have nothing to do with each other.",
                again=evaluating(share_again, graph=True, eval=False),
            ),
            "no eval mode": Mistake(
                evaluating(eval=False),
                "No graph was recorded, but the model was still in training mode. Layers like dropout compute something else there; "
                "`no_grad` does not tell them. Call `model.eval()` before.",
                again=evaluating(share_again, eval=False),
            ),
            "left in eval mode": Mistake(
                evaluating(back="never"),
                "You left the model in eval mode. Training would go on without its dropout, and nothing would say so. Remember "
                "`model.training` before, and put it back with `model.train(…)`.",
                again=evaluating(share_again, back="never"),
            ),
            "always back to training": Mistake(
                evaluating(back="train"),
                "Afterwards you switched to training mode, but the model was in eval mode before. Remember `model.training` and put "
                "that back.",
                again=evaluating(share_again, back="train"),
            ),
            "parameters frozen": Mistake(
                accuracy_frozen,
                "You switched off `requires_grad` of the parameters. No graph was recorded, but now they will not learn any more "
                "either. "
                "`no_grad` switches the *recording* off, for a while, and leaves the parameters alone.",
                again=accuracy_frozen_again,
            ),
            "grad mode left off": Mistake(
                accuracy_switched_off,
                "You left grad mode switched off: from now on nothing is recorded anywhere. `with mg.no_grad():` puts it back by "
                "itself.",
                again=accuracy_switched_off_again,
            ),
            "grad mode left on": Mistake(
                accuracy_switched_on,
                "Afterwards you switched recording on, but where you were called it was off. `with mg.no_grad():` puts back what "
                "there was; by hand, remember `mg.is_grad_enabled()`.",
                again=accuracy_switched_on_again,
            ),
            "a number of rows": Mistake(
                evaluating(lambda scores, labels: (scores.argmax(1) == labels).sum().item()),
                "That is the *number* of right rows. Their share is asked for: divide by the number of rows.",
                again=evaluating(lambda scores, labels: sum((scores.argmax(1) == labels).tolist())),
            ),
            "the share that is wrong": Mistake(
                evaluating(lambda scores, labels: 1 - share(scores, labels)),
                "That is the share of rows that are *wrong*.",
                again=evaluating(lambda scores, labels: (scores.argmax(1) != labels).double().mean().item()),
            ),
            "another score than the largest": Mistake(
                evaluating(lambda scores, labels: (scores.argmin(1) == labels).double().mean().item()),
                "The model's guess is the class with the *largest* score in its row: `argmax(1)`.",
                again=evaluating(lambda scores, labels: share(-scores, labels)),
            ),
        },
        hints=(
            "Two switches that have nothing to do with each other. One is on the engine: record or not. One is on the model: "
            "training or "
            "use. Both must be as before when you are done.",
            "Look at the printed scores in section 4: under `no_grad` they have no `grad_fn`. That is what the checker counts, at "
            "the moment when "
            "the model has computed them.",
            "```python\nwas_training = model.training\nmodel.eval()\nwith ...:\n    scores = model(x)\nmodel.train(...)\n"
            "return (scores.argmax(1) == ...).float().mean().item()\n```",
        ),
        explanation="""\
Under `no_grad` nothing is recorded, so no saved arrays pile up: less memory, less time. A `detach` on the result
comes too late. `eval()` is another switch: it tells layers like dropout that this is no training. Neither implies the
other, so an evaluation needs both, and a function that is called in the middle of a training must put the mode back.
""",
    )
)


# --- 15.6 Overfit one batch ---------------------------------------------------------------------------------


def overfit(model, x, t):
    """Train on this one batch until the mean squared error is below 0.001. Returns the list of losses, one for each step.

    model: gives (n, 1) for x of shape (n, d). t: the targets, of shape (n,). The first loss is that before any step.
    """
    optimizer = mg.optim.Adam(model.parameters(), lr=0.02)
    losses = []
    for _ in range(2000):
        optimizer.zero_grad()
        loss = ((model(x).squeeze(1) - t) ** 2).mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if losses[-1] < 0.0002:
            break
    return losses


def overfit_momentum(model, x, t):
    optimizer, loss_of, losses = mg.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), mg.nn.MSELoss(), [1.0]
    while losses[-1] > 1e-4 and len(losses) < 4000:
        loss = loss_of(model(x), t.reshape(-1, 1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
    return losses[1:]


def overfit_fixed(model, x, t):
    optimizer = mg.optim.Adam(model.parameters(), lr=0.05)
    (group,) = optimizer.param_groups
    losses = []
    for _ in range(800):
        loss = mg.nn.functional.mse_loss(model(x)[:, 0], t)
        losses.append(loss.detach())
        model.zero_grad()
        loss.backward()
        optimizer.step()
        group["lr"] *= 0.995  # else Adam's last steps may jump
    return [loss.item() for loss in losses]


def fitting(
    residual: Callable[[Any, Any], Any],
    lr: float,
    steps: int,
    kind: str = "Adam",
    keep: Callable[[Any], Any] = float,
    mend: bool = True,
) -> Callable[..., Any]:
    """An answer with another residual, optimizer, length, or list."""

    def answer(model: Any, x: Any, t: Any) -> Any:
        optimizer = getattr(mg.optim, kind)(model.parameters(), lr=lr)
        losses = []
        for _ in range(steps):
            optimizer.zero_grad()
            loss = (residual(model(x), t) ** 2).mean()
            losses.append(keep(loss))
            if mend:
                loss.backward()
            optimizer.step()
            if float(losses[-1]) < 1e-4:
                break
        return losses

    return answer


def in_one_row(p: Any, t: Any) -> Any:
    return p.flatten() - t


def in_one_column(p: Any, t: Any) -> Any:
    return p - t.unsqueeze(1)


def as_a_square(p: Any, t: Any) -> Any:
    return p - t


def on_a_copy(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Trains another model, with the same parameters."""

    def answer(model: Any, x: Any, t: Any) -> Any:
        nn = mg.nn
        first, last = model[0], model[2]
        other = nn.Sequential(nn.Linear(first.in_features, first.out_features), nn.Tanh(), nn.Linear(last.in_features, 1)).to(x.dtype)
        other.load_state_dict(model.state_dict())
        return fit(other, x, t)

    return answer


BOUND = 0.001


def watch_overfit(answer: Callable[..., Any], model: Any, x: Any, t: Any) -> Any:
    before = [p.detach().clone() for p in model.parameters()]
    losses = answer(model, x, t)
    if not isinstance(losses, list | tuple) or not losses:
        return unfit(losses, "a list of losses")
    numbers = [float(loss) for loss in losses]
    return {
        "the first loss": numbers[0],
        "all losses are finite": bool(np.isfinite(numbers).all()),
        "the last loss is below 0.001": bool(numbers[-1] < BOUND),
        # Not that its loss is small: with momentum the last step may have gone too far.
        "the given model's parameters have changed": not all(map(mg.equal, model.parameters(), before)),
        "the losses are without a graph": not any(getattr(loss, "requires_grad", False) for loss in losses),
    }


def overfit_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    nn = mg.nn
    cases = []
    for number, (n, d) in enumerate(((6, 3), (5, 2), (7, 4), (4, 3), (8, 5)), 1):
        model = nn.Sequential(nn.Linear(d, 16), nn.Tanh(), nn.Linear(16, 1))
        model = fill(rng, model, dtype, d**-0.5)
        x, t = (mg.tensor(values, dtype=dtype) for values in told_apart(rng, n, d))
        cases.append(Case(f"batch {number}: {n} rows", (model, x, t)))
    return cases


def told_apart(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Random rows and targets. No two rows lie close together, and none so close that their targets ask for a steep function:
    those can hardly be told apart, and take thousands of steps."""
    pairs = [(i, j) for i in range(n) for j in range(i)]
    while True:
        x, t = rng.normal(size=(n, d)), rng.normal(size=n)
        apart = [(np.linalg.norm(x[i] - x[j]), abs(t[i] - t[j])) for i, j in pairs]
        if all(distance > 0.8 and rise < 1.5 * distance for distance, rise in apart):
            return x, t


register(
    Exercise(
        id="15.6",
        title="Overfit one batch",
        difficulty=2,
        minutes=8,
        reference=overfit,
        cases=overfit_cases,
        without={
            "second call": "training takes most of a second; five batches are tried already, each with a model of its own",
            "edges": "the answer may need any number of steps; five batches of several sizes are tried",
        },
        observe=watch_overfit,
        may_change_inputs=True,
        time_limit=20.0,
        alternatives={"SGD with momentum": overfit_momentum, "a fixed number of steps": overfit_fixed},
        mistakes={
            "a column against a row": Mistake(
                fitting(as_a_square, 0.02, 60),
                "The model gives a column, (n, 1), and the targets are a row, (n,): their difference is a **table of n × n**. The "
                "best that "
                "the model can do with that is the mean of all targets, so the loss stops far above 0. Give both the same shape "
                "first. "
                "(This is what the test is for.)",
                again=fitting(lambda p, t: t - p, 0.01, 50),
            ),
            "it blows up": Mistake(
                fitting(in_one_row, 1e3, 150, "SGD"),
                "The losses become `inf` or `nan`: each step is so long that it lands higher up than it began. Take a smaller lr. "
                "(Which "
                "operation made the first NaN? Chapter 13 has the tools; here the answer is always: the step.)",
                again=fitting(in_one_column, 2e3, 200, "SGD"),
            ),
            "it does not arrive": Mistake(
                fitting(in_one_row, 1e-4, 40),
                "The first loss is right, but at the end it is still above 0.001. Look at the list: if it falls slowly, take more "
                "steps or a "
                "larger lr; if it jumps, a smaller one; if it is flat, one of the five lines is missing or in the wrong place. Adam "
                "with lr = 0.02 and up to 2000 steps will do.",
                again=fitting(in_one_column, 1e-4, 30, "SGD"),
            ),
            "another model learned": Mistake(
                on_a_copy(overfit),
                "Your losses fall, but the model that you were given has not learned: another one was trained. Give *its* "
                "`parameters()` to the optimizer.",
                again=on_a_copy(overfit_momentum),
            ),
            "the losses keep their graphs": Mistake(
                fitting(in_one_row, 0.02, 2000, keep=lambda loss: loss),
                "Your list holds Tensors, and each of them holds on to its graph (chapter 06). Keep numbers: `loss.item()`.",
                again=fitting(in_one_column, 0.03, 2000, keep=lambda loss: loss + 0),
            ),
        },
        hints=(
            "The five lines of 15.4, again and again with the same batch. Before that, one question: which shapes have `model(x)` "
            "and `t`?",
            "A network with more parameters than there are rows can learn the rows by heart, so the loss must go down to nothing. "
            "Print "
            "every hundredth loss and compare with section 1's picture: flat, slow, or jumping?",
            "```python\noptimizer = mg.optim.Adam(model.parameters(), lr=0.02)\nlosses = []\nfor _ in range(2000):\n    ...\n"
            "    loss = ((model(x).squeeze(1) - t) ** 2).mean()\n    ...\n    losses.append(loss.item())\n```",
        ),
        explanation="""\
Learning a handful of rows by heart proves nothing about new rows. That is not the point: **if even this fails,
something is broken**, and you know it after a second. Wrong shapes, a lost `requires_grad`, an optimizer without
parameters, a hopeless lr: each of them shows here.

Where the model gives (n, 1) and the targets are (n,), the loss compares everybody with everybody. The prediction that
minimises it is the same for every row, the mean of the targets. In a long run on real data that looks like "it does
not learn very well".
""",
    )
)


# --- 15.7 A check in one direction --------------------------------------------------------------------------


def gradient_is_right(loss, params):
    """True if the gradient that backward gives for loss() agrees with how loss() changes along a random direction.

    loss: a function without arguments that computes a Tensor of shape () from params. params: a list of float64 leaves.
    Leaves the values of params as they were.
    """
    for p in params:
        p.grad = None
    loss().backward()
    slope, eps = 0.0, 1e-6
    directions = [mg.randn(*p.shape, dtype=p.dtype) for p in params]
    with mg.no_grad():
        for p, u in zip(params, directions, strict=True):
            if p.grad is not None:
                slope += (p.grad * u).sum().item()
        before = [p.clone() for p in params]
        values = []
        for sign in (1, -1):
            for p, b, u in zip(params, before, directions, strict=True):
                p.copy_(b + sign * eps * u)
            values.append(loss().item())
        for p, b in zip(params, before, strict=True):
            p.copy_(b)
    change = (values[0] - values[1]) / (2 * eps)
    return abs(slope - change) <= 1e-4 * (abs(slope) + abs(change))


Directions = Callable[[list[Any]], list[Any]]


def normal_directions(params: list[Any]) -> list[Any]:
    return [np.random.normal(size=tuple(p.shape)) for p in params]


def unit_directions(params: list[Any]) -> list[Any]:
    raw = normal_directions(params)
    length = np.sqrt(sum((u**2).sum() for u in raw))
    return [u / length for u in raw]


def all_ones(params: list[Any]) -> list[Any]:
    return [np.ones(tuple(p.shape)) for p in params]


def one_number_each(params: list[Any]) -> list[Any]:
    return [np.full(tuple(p.shape), np.random.normal()) for p in params]


def only_one(params: list[Any]) -> list[Any]:
    return [np.random.normal(size=tuple(p.shape)) * (k == 0) for k, p in enumerate(params)]


def close(slope: float, change: float) -> bool:
    return bool(np.isclose(slope, change, rtol=1e-4, atol=1e-12 * abs(change)))


def close_absolute(slope: float, change: float) -> bool:
    return bool(abs(slope - change) < 1e-3)


def directional(
    directions: Directions = normal_directions,
    agree: Callable[[float, float], bool] = close,
    clear: bool = True,
    restore: bool = True,
    none: str = "zero",
    times: int = 1,
) -> Callable[..., bool]:
    """An answer with NumPy. none: what a missing gradient counts as: zero, or its parameter is left out."""

    def answer(loss: Any, params: Any) -> bool:
        if clear:
            for p in params:
                p.grad = None
        loss().backward()
        for _ in range(times):
            used = [p for p in params if none == "zero" or p.grad is not None]
            us = directions(used)
            slope = sum(float((p.grad.numpy() * u).sum()) for p, u in zip(used, us, strict=True) if p.grad is not None)
            kept = [p.detach().numpy().copy() for p in used]
            values = []
            for step in (1e-6, -1e-6):
                for p, k, u in zip(used, kept, us, strict=True):
                    p.data = mg.tensor(k + step * u)
                with mg.no_grad():
                    values.append(float(loss()))
            if restore:
                for p, k in zip(used, kept, strict=True):
                    p.data = mg.tensor(k)
            if not agree(slope, (values[0] - values[1]) / 2e-6):
                return False
        return True

    return answer


def directional_again(
    draw: Callable[..., Any] = lambda p: mg.randn(*p.shape, dtype=p.dtype),
    agree: Callable[[float, float], bool] = close,
    clear: bool = True,
    restore: bool = True,
    skip_none: bool = False,
    first_only: bool = False,
) -> Callable[..., bool]:
    """The same with Tensors, in place."""

    def answer(loss: Any, params: Any) -> bool:
        if clear:
            for p in params:
                p.grad = mg.zeros_like(p) if p.grad is not None else None
        loss().backward()
        used = [p for p in params[: 1 if first_only else None] if not (skip_none and p.grad is None)]
        us = [draw(p) for p in used]
        slope = sum((p.grad * u).sum().item() for p, u in zip(used, us, strict=True) if p.grad is not None)
        with mg.no_grad():
            for p, u in zip(used, us, strict=True):
                p += 1e-6 * u
            up = loss().item()
            for p, u in zip(used, us, strict=True):
                p -= 2e-6 * u
            down = loss().item()
            for p, u in zip(used, us, strict=True):
                p += (1e-6 if restore else 0) * u
        return agree(slope, (up - down) / 2e-6)

    return answer


def entry_by_entry(loss, params):
    """The long way: every entry of every parameter."""
    for p in params:
        p.grad = None
    loss().backward()
    for p in params:
        flat = p.detach().numpy().reshape(-1)
        numeric = np.empty_like(flat)
        for k in range(flat.size):
            old = flat[k]
            values = []
            for flat[k] in (old + 1e-6, old - 1e-6):
                values.append(loss().item())
            flat[k] = old
            numeric[k] = (values[0] - values[1]) / 2e-6
        g = np.zeros_like(flat) if p.grad is None else p.grad.numpy().reshape(-1)
        if not np.allclose(g, numeric, rtol=1e-4, atol=1e-4 * max(np.abs(g).max(), np.abs(numeric).max())):
            return False
    return True


class Bent(mg.autograd.Function):
    """Gives x, and on the way back something else than the gradient."""

    @staticmethod
    def forward(ctx, x, bend):
        ctx.bend = bend
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return mg.tensor(ctx.bend(g.detach().numpy()).copy(), dtype=g.dtype), None


BENDS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "moved on by one place": lambda g: np.roll(g, 1),
    "turned round": lambda g: g[..., ::-1],
    "replaced by its mean": lambda g: np.full_like(g, g.mean()),
    "a tenth too large": lambda g: 1.1 * g,
    "of the wrong sign": lambda g: -g,
}


def watch_gradient(answer: Callable[..., Any], make: Callable[[], Any], number: int) -> Any:
    """What is said most often in five runs, and whether the parameters are as they were."""
    said, kept = [], True
    for _ in range(5):
        loss, params = make()
        before = [p.detach().clone() for p in params]
        said.append(answer(loss, params))
        kept = kept and all(np.allclose(a.numpy(), p.detach().numpy(), rtol=0, atol=1e-9) for a, p in zip(before, params, strict=True))
    said = [word.item() if isinstance(word, mg.Tensor) and word.ndim == 0 else word for word in said]
    if not all(isinstance(word, bool | np.bool_) for word in said):
        return unfit(said[0], "True or False")
    return {"returns": bool(sum(map(bool, said)) > 2), "the parameters are as they were": kept}


def gradient_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    sizes = {"W1": (5, 3), "b1": (5,), "W2": (2, 5), "b2": (2,)}
    values = {name: rng.normal(size=shape) for name, shape in sizes.items()}
    x = mg.tensor(rng.normal(size=(7, 3)), dtype=mg.float64)
    t = mg.tensor(3 + rng.normal(size=(7, 2)), dtype=mg.float64)  # far from what comes out, so that no gradient is small

    def network(
        bends: dict[str, Any] | None = None, cut: str = "", scale: float = 1.0, left_over: float = 0.0, unused: bool = False
    ) -> Any:
        """A maker of (loss, params): fresh leaves, and a network with tanh; the gradients of some may be bent, or one cut."""

        def make() -> Any:
            leaves = {name: mg.tensor(value, dtype=mg.float64, requires_grad=True) for name, value in values.items()}
            if left_over:
                for p in leaves.values():
                    p.grad = mg.ones_like(p) * left_over

            def loss() -> Any:
                p = dict(leaves)
                for name, bend in (bends or {}).items():
                    p[name] = Bent.apply(p[name], bend)
                if cut:
                    p[cut] = p[cut].detach()
                y = mg.tanh(x @ p["W1"].T + p["b1"]) @ p["W2"].T + p["b2"]
                return scale * ((y - t) ** 2).mean()

            extra = [mg.tensor([0.5, -1.5, 2.0], dtype=mg.float64, requires_grad=True)] if unused else []
            return loss, [*leaves.values(), *extra]

        return make

    makers = [
        ("right: a network", network()),
        ("right: a very large loss", network(scale=1e7)),
        ("right: gradients left over from before", network(left_over=3.0)),
        ("right: a parameter that the loss does not use", network(unused=True)),
        *(
            (f"wrong: the gradient of {name} is {words}", network({name: bend}, scale=100.0))
            for name, (words, bend) in zip(("b1", "W2", "W1", "b2", "W1"), BENDS.items(), strict=True)
        ),
        (
            "wrong: W1 gets too much, and b1 too little by as much",
            network({"W1": lambda g: g + 0.9 / g.size, "b1": lambda g: g - 0.9 / g.size}),
        ),
        ("wrong: W1 was detached and gets no gradient", network(cut="W1", scale=100.0)),
        ("wrong: the same for b2", network(cut="b2", scale=100.0)),
        ("wrong: a very small loss", network({"W2": BENDS["of the wrong sign"]}, scale=1e-7)),
    ]
    return [Case(label, (make, number)) for number, (label, make) in enumerate(makers)]


def gradient_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    """Where the slope is small beside the bend, a difference to one side only is wrong; and a single number."""
    lowest = rng.normal(size=3)

    def valley(bend: Any = None) -> Any:
        def make() -> Any:
            p = mg.tensor(lowest + 1e-4, dtype=mg.float64, requires_grad=True)
            return (lambda: ((Bent.apply(p, bend) if bend else p) - mg.tensor(lowest, dtype=mg.float64)).square().sum()), [p]

        return make

    def number() -> Any:
        p = mg.tensor([1.5], dtype=mg.float64, requires_grad=True)
        return (lambda: mg.exp(p).sum()), [p]

    return [
        Case("right: near the bottom of a valley", (valley(), 20)),
        Case("right: one number", (number, 21)),
        Case("wrong: near the bottom of a valley, twice too large", (valley(lambda g: 2 * g), 22)),
    ]


register(
    Exercise(
        id="15.7",
        title="One direction for a whole model",
        difficulty=3,
        minutes=12,
        reference=gradient_is_right,
        cases=gradient_cases,
        without={
            "values": "they are moved to both sides and back, to within rounding",
            "version": "they are moved and put back",
            "grad": "the statement does not say what is left there",
        },
        edges=gradient_edges,
        observe=watch_gradient,
        may_change_inputs=True,
        alternatives={
            "NumPy, unit length": directional(unit_directions),
            "Tensors in place": directional_again(),
            "three directions": directional(times=3),
            "entry by entry": entry_by_entry,
        },
        mistakes={
            "the direction of all ones": Mistake(
                directional(all_ones),
                "Along a direction of ones only the **sum** of the gradient is compared. A gradient whose entries stand in the wrong "
                "places, or are all replaced by their mean, has the right sum. Draw the direction at random, entry by entry.",
                again=directional_again(lambda p: mg.ones_like(p)),
            ),
            "one random number for each parameter": Mistake(
                directional(one_number_each),
                "Within each parameter your direction has the same number everywhere, so only the sum of its gradient counts. Draw "
                "a number "
                "for every *entry*.",
                again=directional_again(lambda p: mg.randn((), dtype=p.dtype) * mg.ones_like(p)),
            ),
            "only the first parameter moves": Mistake(
                directional(only_one),
                "Only the first parameter moves, so only its gradient is tested. One direction goes through **all** parameters at "
                "once: "
                "a random array for each.",
                again=directional_again(first_only=True),
            ),
            "gradients left over": Mistake(
                directional(clear=False),
                "There was something in `.grad` already, and backward adds to it. Clear the gradients before you begin.",
                again=directional_again(clear=False),
            ),
            "the parameters stay moved": Mistake(
                directional(restore=False),
                "The parameters are not where they were: you stepped forth and back and forgot the way home. Keep copies, or undo "
                "both steps.",
                again=directional_again(restore=False),
            ),
            "an absolute tolerance": Mistake(
                directional(agree=close_absolute),
                "What is a small difference? Beside a slope of a million, 1 is small; beside a slope of a millionth it is enormous. "
                "Compare "
                "*relative* to the size of the two numbers: `abs(a - b) <= 1e-4 * (abs(a) + abs(b))`.",
                again=directional_again(agree=lambda a, b: bool(np.allclose(a, b, rtol=0, atol=1e-2))),
            ),
            "numbers must be equal": Mistake(
                directional(agree=lambda a, b: a == b),
                "You said False every time, also of right gradients. Print both numbers. If they nearly agree, compare with a "
                "tolerance: two slopes that were computed in different ways are never equal to the last bit. If they do not, look at "
                "the differences: is eps 1e-6, and are the parameters back where they were before you go the other way?",
                again=directional_again(agree=lambda a, b: a - b == 0),
            ),
            "a missing gradient is skipped": Mistake(
                directional(none="leave out"),
                "A parameter whose `.grad` is None was left out of the test. But perhaps the loss depends on it, and somebody has "
                "detached it: that is one of the bugs to be found. Move it like the others, and count its gradient as zero.",
                again=directional_again(skip_none=True),
            ),
        },
        hints=(
            "The dot-product test of chapter 04, for a model with one output. Along a direction u the loss changes with the slope "
            "Σ grad · u, summed over all entries of all parameters. Central differences give the same number from the loss alone.",
            "```text\n             W1   b1   W2   b2        one point in a space of many dimensions\ndirection    u1   u2   u3   u4 "
            "       "
            "one random array for each\nslope  =  Σ g1·u1 + Σ g2·u2 + Σ g3·u3 + Σ g4·u4\n```\n\nMove **all** parameters by +eps · "
            "u, look at the "
            "loss; then by −eps · u, look again; then home.",
            "```python\nfor p in params:\n    p.grad = None\nloss().backward()\ndirections = [mg.randn(*p.shape, dtype=p.dtype) for "
            "p in params]\n"
            "slope = ...          # a missing gradient counts as zero\n# under no_grad: all params to +eps, loss(), to -eps, "
            "loss(), and home\n"
            "change = (... - ...) / (2 * eps)\nreturn abs(slope - change) <= 1e-4 * (abs(slope) + abs(change))\n```",
        ),
        explanation="""\
The gradient of a model with a million parameters is tested by three evaluations of the loss: one with backward, two
without. A wrong entry changes the slope along u by (error · uᵢ), and a random uᵢ is 0 with probability 0, so every
wrong entry shows, whether by much or by little. All ones would compare only the sum: gradients in the wrong places
have the right sum, and pass.

Two details do much of the work. A missing gradient counts as zero, and its parameter moves all the same: so a
forgotten `detach` is found. And the tolerance grows with the numbers, so that neither a huge nor a tiny loss fools
it.
""",
    )
)
