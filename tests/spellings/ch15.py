"""Right answers of chapter 15 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch15.ex01.mistakes import mse_like
from minigrad.course.bank.ch15.ex02.answer import Net
from minigrad.course.bank.ch15.ex02.mistakes import good_bias, good_weight, layers_of, net
from minigrad.course.bank.ch15.ex03.answer import Adam
from minigrad.course.bank.ch15.ex03.mistakes import adam
from minigrad.course.bank.ch15.ex04.mistakes import loop
from minigrad.course.bank.ch15.ex05.mistakes import evaluating, share
from minigrad.course.bank.ch15.ex06.answer import overfit_momentum
from minigrad.course.bank.ch15.ex06.mistakes import fitting, in_one_row, on_a_copy
from minigrad.course.bank.ch15.ex07.mistakes import close, directional, normal_directions

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 15.1 Mean squared error --------------------------------------------------------------------------------


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


def mse_unchecked_again(p, t):
    diff = np.subtract(p, t)
    return np.mean(np.square(diff)), diff / diff.size * 2


def mse_flat_again(p, t):
    if len(p.ravel()) != len(t.ravel()):
        raise ValueError("sizes")
    d = p.ravel() - t.ravel()
    return np.mean(d * d), (d / len(d) * 2).reshape(p.shape)


def mse_by_length_again(p, t):
    if p.shape[0] != t.shape[0]:
        raise ValueError("batch sizes differ")
    return mse_unchecked_again(p, t)


ALTERNATIVES["15.1"] = {"the engine does it": mse_tensors, "shapes one by one": mse_counting}

def mse_by_count_again(p, t):
    if np.prod(p.shape) != np.prod(t.shape):
        raise ValueError("these cannot be compared")
    return mse_unchecked_again(p, t)


AGAIN["15.1"] = {
    "nothing checks the shapes": mse_unchecked_again,
    "only the number of values is compared": mse_flat_again,
    "only the number of rows is compared": mse_by_length_again,
    "divided by the batch only": mse_like(lambda d: np.sum(d * d) / d.shape[0], lambda d: d / d.shape[0] * 2),
    "the gradient is divided by the batch only": mse_like(lambda d: np.mean(d * d), lambda d: d / d.shape[0] * 2),
    "the gradient of a sum": mse_like(lambda d: np.mean(d * d), lambda d: d + d),
    "the loss is a sum": mse_like(lambda d: np.sum(d * d), lambda d: d + d),
    "the factor 2": mse_like(lambda d: np.mean(d * d), lambda d: d / np.prod(d.shape)),
    "the sign": mse_like(lambda d: np.mean(d * d), lambda d: 2 * (-d) / np.prod(d.shape)),
    "the root": mse_like(lambda d: np.linalg.norm(d) / np.sqrt(d.size), lambda d: d / d.size * 2),
    "only the number of values is compared, and broadcast": mse_by_count_again,
}


# --- 15.2 A layer and a network -----------------------------------------------------------------------------


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
    """The layers of nn."""

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
        return mg.matmul(v, W), mg.matmul(x.T, v).T, v.T.sum(1)


def passing(x: Any, parameters: Any, between: Callable[[Any], Any], after: Callable[[Any], Any]) -> Any:
    """A forward pass with functions between the layers and after the last."""
    last = len(parameters) - 2
    for k in range(0, last + 2, 2):
        x = x @ parameters[k].T + parameters[k + 1]
        x = after(x) if k == last else between(x)
    return x


def same(x: Any) -> Any:
    return x


def forward_without_graph(x, parameters):
    with mg.no_grad():
        return Net.forward(x, parameters)


def forward_untransposed_again(x, parameters):
    x = mg.matmul(x, parameters[0]) + parameters[1]
    for W, b in zip(parameters[2::2], parameters[3::2], strict=True):
        x = mg.matmul(mg.tanh(x), W) + b
    return x


def forward_without_bias_again(x, parameters):
    return passing(x, [mg.zeros_like(p) if k % 2 else p for k, p in enumerate(parameters)], mg.tanh, same)


def forward_two_layers_again(x, parameters):
    (W1, b1, W2, b2) = tuple(parameters)
    return (x @ W1.T + b1).tanh().matmul(W2.T) + b2


def vjp_by_the_engine_again(v, x, W):
    x, W, b = x.detach().requires_grad_(), W.detach().requires_grad_(), mg.zeros(len(W), dtype=W.dtype, requires_grad=True)
    (x @ W.T + b).backward(v)
    return x.grad, W.grad, b.grad


ALTERNATIVES["15.2"] = {"in pairs": NetOfPairs, "with nn": NetOfLayers}

AGAIN["15.2"] = {
    "parameters: bounded by out": net(
        parameters=layers_of(lambda a, b: mg.tensor(np.random.uniform(-1, 1, (b, a)) * b**-0.5, requires_grad=True), good_bias)
    ),
    "parameters: results, not leaves": net(
        parameters=layers_of(
            lambda a, b: (mg.tensor(np.random.rand(b, a), requires_grad=True) - 0.5) * (2 * a**-0.5), good_bias
        )
    ),
    "parameters: no gradient asked for": net(
        parameters=layers_of(
            lambda a, b: mg.tensor(np.random.uniform(-1, 1, (b, a)) * a**-0.5), lambda a, b: mg.tensor(np.zeros(b))
        )
    ),
    "parameters: only the weights learn": net(
        parameters=layers_of(
            lambda a, b: mg.tensor(np.random.uniform(-1, 1, (b, a)) * a**-0.5, requires_grad=True),
            lambda a, b: mg.tensor(np.zeros(b)),
        )
    ),
    "parameters: all weights zero": net(
        parameters=layers_of(lambda a, b: mg.tensor(np.zeros((b, a)), requires_grad=True), good_bias)
    ),
    "parameters: all weights one": net(
        parameters=layers_of(lambda a, b: mg.tensor(np.ones((b, a)), requires_grad=True), good_bias)
    ),
    "parameters: (in, out)": net(
        parameters=layers_of(lambda a, b: mg.tensor(np.random.uniform(-1, 1, (a, b)) * a**-0.5, requires_grad=True), good_bias)
    ),
    "parameters: a bias for each weight": net(
        parameters=layers_of(good_weight, lambda a, b: mg.tensor(np.zeros(a), requires_grad=True))
    ),
    "parameters: too large": net(
        parameters=layers_of(lambda a, b: mg.tensor(np.random.normal(size=(b, a)), requires_grad=True), good_bias)
    ),
    "parameters: too small": net(
        parameters=layers_of(
            lambda a, b: mg.tensor(np.random.uniform(-1, 1, (b, a)) / a, dtype=mg.float32, requires_grad=True), good_bias
        )
    ),
    "parameters: no weight below 0": net(
        parameters=layers_of(lambda a, b: mg.tensor(np.random.uniform(0, a**-0.5, (b, a)), requires_grad=True), good_bias)
    ),
    "forward: tanh after the last layer": net(forward=lambda x, parameters: passing(x, parameters, mg.tanh, mg.tanh)),
    "forward: no tanh": net(forward=lambda x, parameters: passing(x, parameters, same, same)),
    "forward: W not transposed": net(forward=forward_untransposed_again),
    "forward: two layers only": net(forward=forward_two_layers_again),
    "forward: no bias": net(forward=forward_without_bias_again),
    "forward: no graph": net(forward=forward_without_graph),
    "linear_vjp: the bias gets every row": net(linear_vjp=lambda v, x, W: (mg.matmul(v, W), (x.T @ v).T, v.clone())),
    "linear_vjp: the mean over the rows": net(linear_vjp=lambda v, x, W: (mg.matmul(v, W), (x.T @ v).T, v.sum(0) / len(v))),
    "linear_vjp: divided by the batch": net(linear_vjp=lambda v, x, W: (mg.matmul(v, W), (x.T @ v).T / v.shape[0], v.mean(0))),
    "linear_vjp: W's gradient lies on its side": net(linear_vjp=lambda v, x, W: (mg.matmul(v, W), (v.T @ x).T, v.sum(dim=0))),
    "linear_vjp: the sum over the wrong axis": net(
        linear_vjp=lambda v, x, W: (mg.matmul(v, W), (x.T @ v).T, mg.einsum("no->n", v))
    ),
    "linear_vjp: W transposed for x": net(linear_vjp=lambda v, x, W: (mg.matmul(v, W.T), (x.T @ v).T, v.sum(dim=0))),
    "linear_vjp: by the engine": net(linear_vjp=vjp_by_the_engine_again),
}


# --- 15.3 Adam ----------------------------------------------------------------------------------------------


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


class AdamOfSteps:
    """A new one of those that are there, for each step."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8):
        self.params, self.settings = list(params), {"lr": lr, "betas": betas, "eps": eps}
        self.inner = None

    def step(self):
        self.inner = self.inner or mg.optim.Adam(self.params, **self.settings)
        self.inner.step()


class AdamOnceAgain(AdamOfDicts):
    """It needs no list of its own."""

    def __init__(self, params, **settings):
        super().__init__([], **settings)
        self.params = params


class AdamOfNothingAgain(AdamOfArrays):
    """It looks at the parameters first."""

    def __init__(self, params, **settings):
        self.shapes = [p.shape for p in params]
        super().__init__(params, **settings)


ALTERNATIVES["15.3"] = {"in place, in dicts": AdamOfDicts, "NumPy": AdamOfArrays}

class AdamBeginning(Adam):
    """It makes m and v when a parameter has its first gradient, by `begin`."""

    def step(self):
        b1, b2 = self.betas
        for k, p in enumerate(self.params):
            if p.grad is None:
                continue
            g = p.grad.numpy()
            if self.t[k] == 0:
                self.m[k], self.v[k] = self.begin(g, b1, b2)
            else:
                self.m[k] *= b1
                self.m[k] += (1 - b1) * g
                self.v[k] = b2 * self.v[k] + (1 - b2) * g * g
            self.t[k] += 1
            below = np.sqrt(self.v[k] / (1 - b2 ** self.t[k])) + self.eps
            p.data -= mg.tensor(self.lr * self.m[k] / (1 - b1 ** self.t[k]) / below, dtype=p.dtype)


class AdamOnGradientAgain(AdamBeginning):
    def begin(self, g, b1, b2):
        v = (1 - b2) * g * g
        g *= 1 - b1
        return g, v


class AdamFromGradientAgain(AdamBeginning):
    def begin(self, g, b1, b2):
        return 1 * g, g * g


class AdamInGradientAgain(AdamBeginning):
    def begin(self, g, b1, b2):
        v = b2 * g * g
        g *= b1
        g += (1 - b1) * g
        return g, v + (1 - b2) * (g * g)


AGAIN["15.3"] = {
    "the ready one": AdamOfSteps,
    "no bias correction": adam(arrays=True, correct=(False, False)),
    "only m is corrected": adam(arrays=True, correct=(True, False)),
    "only v is corrected": adam(arrays=True, correct=(False, True)),
    "eps inside the root": adam(arrays=True, eps_at="inside"),
    "eps before the correction": adam(arrays=True, eps_at="before"),
    "t from 0": adam(arrays=True, clock="late"),
    "t from 2": adam(arrays=True, clock="early"),
    "one memory for all parameters": adam(arrays=True, shared=True),
    "t counts parameters": adam(arrays=True, clock="parameter"),
    "one t for all parameters": adam(arrays=True),
    "v without the square": adam(arrays=True, power=lambda g: g),
    "no root": adam(arrays=True, rooted=False),
    "uphill": adam(arrays=True, sign=-1.0),
    "the name moves, not the parameter": adam(arrays=True, rebinds=True),
    "m forgets": adam(arrays=True, remembers=False),
    "the betas are swapped": adam(arrays=True, swapped=True),
    "the step is recorded": adam(arrays=True, record=True),
    "the correction stays": adam(arrays=True, powers=False),
    "no gradient is taken for zeros": adam(arrays=True, none_is_zero=True),
    "the gradients are cleared": adam(arrays=True, clears=True),
    "the generator is kept": AdamOnceAgain,
    "the generator is used up at once": AdamOfNothingAgain,
    "m is the gradient": AdamOnGradientAgain,
    "m and v begin with the gradient": AdamFromGradientAgain,
    "m begins as the gradient, in place": AdamInGradientAgain,
    "v without the square, of the size": adam(arrays=True, power=np.abs),
    "v of the sum of squares": adam(arrays=True, power=lambda g: np.dot(g.ravel(), g.ravel())),
    "v of the mean of squares": adam(arrays=True, power=lambda g: np.mean(np.square(g))),
    "m without 1 − β": adam(arrays=True, weighed=(False, True)),
    "v without 1 − β": adam(arrays=True, weighed=(True, False)),
    "neither with 1 − β": adam(arrays=True, weighed=(False, False)),
    "the corrected ones are kept": adam(arrays=True, stores=True),
}


# --- 15.4 Five lines in order -------------------------------------------------------------------------------


def train_once_zeroed(model, loss_of, optimizer, batches):
    optimizer.zero_grad()
    losses = []
    for x, target in batches:
        loss = loss_of(model(x), target)
        losses.append(loss.detach().item())
        loss.backward()
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


def train_noting(before: bool, kept: Callable[[Any], Any]) -> Callable[..., Any]:
    """The right loop; the losses as they are kept, from before the steps or computed again behind them."""

    def train(model: Any, loss_of: Any, optimizer: Any, batches: Any) -> list[Any]:
        losses = []
        for x, target in batches:
            optimizer.zero_grad()
            loss = loss_of(model(x), target)
            loss.backward()
            optimizer.step()
            losses += [kept(loss if before else loss_of(model(x), target))]
        return losses

    return train


def train_on_a_new_tensor(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        with mg.no_grad():
            loss = loss_of(model(x), target)
        loss.requires_grad_()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def train_target_first(model, loss_of, optimizer, batches):
    losses = []
    for x, target in batches:
        loss = loss_of(target, model(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses += [loss.item()]
    return losses


ALTERNATIVES["15.4"] = {"zero_grad before the loss": loop("pzlbs"), "zero_grad before backward": loop("plzbs")}

AGAIN["15.4"] = {
    "zero after backward": loop("zsplb", again=True),
    "no step": loop("plzb", again=True),
    "no backward": loop("zpls", again=True),
    "a detached loss": train_on_a_new_tensor,
    "step before backward": loop("splzb", again=True),
    "step between forward and backward": loop("pslzb", again=True),
    "never zero": train_once_zeroed,
    "one step for all batches": train_step_after_again,
    "the loss after the step": train_noting(False, float),
    "the losses are tensors": train_noting(True, lambda loss: loss + 0),
    "target first": train_target_first,
}


# --- 15.5 Evaluate ------------------------------------------------------------------------------------------


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


def share_again(scores: Any, labels: Any) -> float:
    return sum(int(a) == int(b) for a, b in zip(scores.detach().argmax(1), labels, strict=True)) / len(labels)


def accuracy_frozen_again(model, x, labels):
    model.requires_grad_(False)
    return evaluating(share_again)(model, x, labels)


def accuracy_thawed_again(model, x, labels):
    value = accuracy_frozen_again(model, x, labels)
    model.requires_grad_(True)
    return value


def accuracy_switched_off_again(model, x, labels):
    value = evaluating(share_again)(model, x, labels)
    mg.set_grad_enabled(False)
    return value


def accuracy_switched_on_again(model, x, labels):
    value = evaluating(share_again)(model, x, labels)
    mg.set_grad_enabled(mode=True)
    return value


ALTERNATIVES["15.5"] = {
    "as a decorator, NumPy": accuracy_numpy,
    "inference mode": accuracy_inference,
    "switched by hand": accuracy_by_enabled,
}

def accuracy_of_the_outer_mode(model, x, labels):
    was, model.training = model.training, False
    with mg.no_grad():
        scores = model(x)
    model.training = was
    return share_again(scores, labels)


AGAIN["15.5"] = {
    "detached afterwards": evaluating(share_again, graph=True),
    "neither no_grad nor eval": evaluating(share_again, graph=True, eval=False),
    "no eval mode": accuracy_of_the_outer_mode,
    "left in eval mode": evaluating(share_again, back="never"),
    "always back to training": evaluating(share_again, back="train"),
    "parameters frozen": accuracy_frozen_again,
    "frozen parameters thawed": accuracy_thawed_again,
    "grad mode left off": accuracy_switched_off_again,
    "grad mode left on": accuracy_switched_on_again,
    "a number of rows": evaluating(lambda scores, labels: sum((scores.argmax(1) == labels).tolist())),
    "the share that is wrong": evaluating(lambda scores, labels: (scores.argmax(1) != labels).double().mean().item()),
    "another score than the largest": evaluating(lambda scores, labels: share(-scores, labels)),
    "the largest of each column": evaluating(lambda scores, labels: mg.sum(scores.max(0).indices == labels).item() / len(labels)),
}


# --- 15.6 Overfit one batch ---------------------------------------------------------------------------------


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


def in_one_column(p: Any, t: Any) -> Any:
    return p - t.unsqueeze(1)


ALTERNATIVES["15.6"] = {"a fixed number of steps": overfit_fixed}

def after_the_step_again(model, x, t):
    optimizer, loss_of, losses = mg.optim.SGD(model.parameters(), lr=0.05, momentum=0.9), mg.nn.MSELoss(), []
    first = loss_of(model(x), t.reshape(-1, 1))
    while not losses or losses[-1] > 1e-4 and len(losses) < 4000:
        optimizer.zero_grad()
        first.backward()
        optimizer.step()
        first = loss_of(model(x), t.reshape(-1, 1))
        losses.append(first.item())
    return losses


def now_and_then_again(model, x, t):
    losses = overfit_momentum(model, x, t)
    return [loss for step, loss in enumerate(losses, 1) if step == 1 or step % 20 == 0 or step == len(losses)]


def shrinking_on_paper(model, x, t):
    return [loss * 0.9**k for k, loss in enumerate(overfit_momentum(model, x, t))]


def spoilt_again(model, x, t):
    losses = overfit_momentum(model, x, t)
    with mg.no_grad():
        list(model.parameters())[-1].add_(3)
    return losses


AGAIN["15.6"] = {
    "a loss now and then": now_and_then_again,
    "a column against a row": fitting(lambda p, t: t - p, 0.01, 50),
    "it blows up": fitting(in_one_column, 2e3, 200, "SGD"),
    "it does not arrive": fitting(in_one_column, 1e-4, 30, "SGD"),
    "another model learned": on_a_copy(overfit_momentum),
    "the loss after the step": after_the_step_again,
    "the losses keep their graphs": fitting(in_one_column, 0.03, 2000, keep=lambda loss: loss + 0),
    "Tensors in the list": fitting(in_one_column, 0.03, 2000, keep=lambda loss: loss.detach().numpy()),
    "the best row": shrinking_on_paper,
    "a step, and no training": lambda model, x, t: fitting(in_one_row, 0.01, 1, "SGD")(model, x, t) + [0.0005] * 10,
    "spoilt at the end": spoilt_again,
}


# --- 15.7 A check in one direction --------------------------------------------------------------------------


def unit_directions(params: list[Any]) -> list[Any]:
    raw = normal_directions(params)
    length = np.sqrt(sum((u**2).sum() for u in raw))
    return [u / length for u in raw]


def directional_again(
    draw: Callable[..., Any] = lambda p: mg.randn(*p.shape, dtype=p.dtype),
    agree: Callable[[float, float], bool] = close,
    clear: bool = True,
    restore: bool = True,
    skip_none: bool = False,
    raises: bool = False,
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
        slope = sum((p.grad * u).sum().item() for p, u in zip(used, us, strict=True) if raises or p.grad is not None)
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


ALTERNATIVES["15.7"] = {
    "NumPy, unit length": directional(unit_directions),
    "Tensors in place": directional_again(),
    "three directions": directional(times=3),
}

def always_true_again(loss, params):
    loss().backward()
    return True


AGAIN["15.7"] = {
    "always True": always_true_again,
    "the direction of all ones": directional_again(lambda p: mg.ones_like(p)),
    "one random number for each parameter": directional_again(lambda p: mg.randn((), dtype=p.dtype) * mg.ones_like(p)),
    "only the first parameter moves": directional_again(first_only=True),
    "gradients left over": directional_again(clear=False),
    "the parameters stay moved": directional_again(restore=False),
    "an absolute tolerance": directional_again(agree=lambda a, b: bool(np.allclose(a, b, rtol=0, atol=1e-2))),
    "turned round": directional_again(agree=lambda a, b: abs(a - b) > 1e-3 * abs(b)),
    "numbers must be equal": directional_again(agree=lambda a, b: a - b == 0),
    "a missing gradient is skipped": directional_again(skip_none=True),
    "a missing gradient raises": directional_again(raises=True),
    "a wide absolute tolerance": directional_again(agree=lambda a, b: bool(np.isclose(a, b, rtol=0, atol=1))),
    "one-sided differences": directional(unit_directions, back=0.0),
    "two slopes of 0 do not agree": directional_again(agree=lambda a, b: abs(a - b) < 1e-4 * max(abs(a), abs(b))),
    "divided by a slope of 0": directional_again(agree=lambda a, b: abs(a - b) / max(abs(a), abs(b)) <= 1e-4),
}
