"""``minigrad.optim``: rules that move parameters against their gradients.

    optimizer = mg.optim.SGD(model.parameters(), lr=0.1)
    for x, target in data:
        optimizer.zero_grad()
        loss = loss_of(model(x), target)
        loss.backward()
        optimizer.step()

A step writes to the arrays of the parameters directly, and counts as a write to each: a value that backward still needs is
an error afterwards, not a wrong number.
"""

from __future__ import annotations

import math
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import errors
from ..core.tape import caller
from ..core.tensor import Tensor, bump
from ..core.tensor import wrap as _wrap
from ..creation import tensor, zeros_like
from ..modes import enable_grad
from ..nn.modules import forget

__all__ = ["LBFGS", "SGD", "Adagrad", "Adam", "AdamW", "Optimizer", "RMSprop", "lr_scheduler"]


class Optimizer:
    """What all optimizers share: groups of parameters with their settings, and what is remembered of each parameter."""

    _move: Any = None  # how one parameter moves, where a subclass has no step of its own

    def __init__(self, params: Iterable, defaults: dict[str, Any]) -> None:
        if isinstance(params, Tensor):
            raise errors.OPTIM_PARAMS(params.type())
        groups = list(params)
        if not groups:
            raise errors.OPTIM_EMPTY()
        self.defaults = defaults
        self.state: defaultdict[Tensor, dict[str, Any]] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        for group in groups if isinstance(groups[0], dict) else [{"params": groups}]:
            self.add_param_group(group)

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Add parameters with settings of their own; what is not given is as for the others."""
        params = param_group["params"]
        if isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections: use a list instead of a set")
        params = [params] if isinstance(params, Tensor) else list(params)
        known = {id(p) for group in self.param_groups for p in group["params"]}
        for param in params:
            if not isinstance(param, Tensor):
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {errors.kind_of(param)}")
            if not (param.is_leaf or param.retains_grad):
                raise errors.OPTIM_LEAF()
            if id(param) in known:
                raise ValueError("some parameters appear in more than one parameter group")
        if len({id(p) for p in params}) < len(params):
            warnings.warn(errors.OPTIM_TWICE, UserWarning, stacklevel=3)
        group = {**param_group, "params": params}
        group.update((key, value) for key, value in self.defaults.items() if key not in group)
        errors.refuse(type(self).__name__, **{option: group.get(option) for option in ("capturable", "differentiable")})
        self.param_groups.append(group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters; with ``set_to_none=False`` fill them with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                forget(param, set_to_none)

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Move every parameter that has a gradient. ``closure`` may compute the loss anew; it is returned."""
        loss = None
        if self._move is None:
            raise NotImplementedError
        if closure is not None:
            with enable_grad():
                loss = closure()
        for group in self.param_groups:
            for param in group["params"]:
                if param._grad is not None:
                    g = param._grad._array
                    self._move(param, -g if group["maximize"] else g, group)
        return loss

    def state_dict(self) -> dict[str, Any]:
        """The settings, and what is remembered, with numbers in place of the parameters."""
        numbers = {id(p): k for k, p in enumerate(p for group in self.param_groups for p in group["params"])}
        groups = [
            {**{k: v for k, v in group.items() if k != "params"}, "params": [numbers[id(p)] for p in group["params"]]}
            for group in self.param_groups
        ]
        return {"state": {numbers[id(p)]: memory for p, memory in self.state.items()}, "param_groups": groups}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Take over the settings and the memory of an optimizer with the same number of parameters in each group."""
        groups, by_number = state_dict["param_groups"], {}
        if [len(group["params"]) for group in groups] != [len(group["params"]) for group in self.param_groups]:
            raise ValueError("loaded state dict has other parameter groups, or groups of another size")
        for given, own in zip(groups, self.param_groups, strict=True):
            by_number.update(zip(given["params"], own["params"], strict=True))
            own.update({key: value for key, value in given.items() if key != "params"})
        self.state.clear()
        for number, memory in state_dict["state"].items():
            copies = {k: _wrap(v._array.copy()) if isinstance(v, Tensor) else v for k, v in memory.items()}
            self.state[by_number[number]] = copies

    def __repr__(self) -> str:
        lines = [f"{type(self).__name__} ("]
        for number, group in enumerate(self.param_groups):
            lines.append(f"Parameter Group {number}")
            lines += [f"    {key}: {group[key]}" for key in sorted(group) if key != "params"] + [""]
        return "\n".join([*lines[:-1], ")"])


def _number(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) else value


def _settings(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an ``__init__``, from its ``locals()``, without the parameters."""
    return {name: value for name, value in given.items() if name not in ("self", "params", "__class__", "k")}


def _check(below_zero: Callable[[float], bool] = lambda value: not 0.0 <= value <= math.inf, **settings: float) -> None:
    """Refuse settings below 0, and what is no number where ``below_zero`` does not let it pass."""
    names = {"lr": "learning rate", "eps": "epsilon value"}
    for key, value in settings.items():
        if below_zero(value):
            raise ValueError(f"Invalid {names.get(key, f'{key} value')}: {value}")


def _write(param: Tensor, change: Callable, value: Any) -> None:
    """Change the array of a parameter, and count it."""
    change(param._array, value, param._array)
    bump(param._counter, caller())


class SGD(Optimizer):
    """Gradient descent: w ← w - lr · g.

    momentum: g is replaced by a running sum, v ← momentum · v + (1 - dampening) · g. nesterov: by g + momentum · v.
    weight_decay: adds weight_decay · w to g. maximize: climbs. ValueError for settings below 0. foreach and fused choose
    other ways to the same result in PyTorch, and nothing here; differentiable is refused.

    >>> import minigrad as mg
    >>> w = mg.tensor([1.], requires_grad=True)
    >>> optimizer = mg.optim.SGD([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.8000], requires_grad=True)
    """

    def __init__(
        self, params: Iterable, lr: float = 1e-3, momentum: float = 0, dampening: float = 0, weight_decay: float = 0,
        nesterov: bool = False, *, maximize: bool = False, foreach: bool | None = None, differentiable: bool = False,
        fused: bool | None = None,
    ) -> None:  # fmt: skip
        _check(lambda value: value < 0.0, lr=lr, momentum=momentum, weight_decay=weight_decay)
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, _settings(locals()))

    def _move(self, param, g, group):
        momentum = group["momentum"]
        if group["weight_decay"]:
            g = g + param._array * group["weight_decay"]
        if momentum:
            memory = self.state[param]
            if "momentum_buffer" not in memory:
                memory["momentum_buffer"] = _wrap(g.copy())
            else:
                v = memory["momentum_buffer"]._array
                v *= momentum
                v += g * (1 - group["dampening"])
            v = memory["momentum_buffer"]._array
            g = g + v * momentum if group["nesterov"] else v
        _write(param, np.subtract, g * _number(group["lr"]))


class Adam(Optimizer):
    """Adam (Kingma & Ba, 2015): w ← w - lr · m̂ / (√v̂ + eps), with running means m of g and v of g².

    betas: how much of the two means is kept at each step. weight_decay: adds weight_decay · w to g.
    amsgrad: v̂ never falls (Reddi et al., 2018). ValueError for settings below 0 and betas outside [0, 1). maximize, foreach, fused: as
    for SGD; capturable and differentiable are refused.

    >>> import minigrad as mg
    >>> w = mg.tensor([1.], requires_grad=True)
    >>> optimizer = mg.optim.Adam([w], lr=0.1)
    >>> (w * w).sum().backward()
    >>> optimizer.step()
    >>> w
    tensor([0.9000], requires_grad=True)
    """

    def __init__(
        self, params: Iterable, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 0, amsgrad: bool = False, *, maximize: bool = False, foreach: bool | None = None,
        capturable: bool = False, differentiable: bool = False, fused: bool | None = None, decoupled_weight_decay: bool = False,
    ) -> None:  # fmt: skip
        _check(lr=lr, eps=eps, weight_decay=weight_decay)
        for k in (0, 1):
            if not 0.0 <= betas[k] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {k}: {betas[k]}")
        betas = tuple(betas)
        super().__init__(params, _settings(locals()))

    def _move(self, param, g, group):
        memory = self.state[param]
        if not memory:
            memory.update(step=tensor(0.0), exp_avg=zeros_like(param), exp_avg_sq=zeros_like(param))
            if group["amsgrad"]:
                memory["max_exp_avg_sq"] = zeros_like(param)
        _write(memory["step"], np.add, 1)
        steps, (beta1, beta2), lr = memory["step"].item(), group["betas"], _number(group["lr"])
        if group["weight_decay"]:
            if group["decoupled_weight_decay"]:
                _write(param, np.multiply, 1 - lr * group["weight_decay"])
            else:
                g = g + param._array * group["weight_decay"]
        m, v = memory["exp_avg"]._array, memory["exp_avg_sq"]._array
        m += (g - m) * (1 - beta1)
        v *= beta2
        v += g * g * (1 - beta2)
        if group["amsgrad"]:
            v = np.maximum(largest := memory["max_exp_avg_sq"]._array, v, out=largest)
        change = np.sqrt(v, np.empty_like(v))  # an array also where there are no dimensions
        change /= math.sqrt(1 - beta2**steps)
        change += group["eps"]
        np.divide(m, change, change)
        change *= lr / (1 - beta1**steps)
        _write(param, np.subtract, change)


class AdamW(Adam):
    """Adam with weight decay apart from the gradient (Loshchilov & Hutter, 2019): w ← (1 - lr · weight_decay) · w first."""

    def __init__(
        self, params: Iterable, lr: float = 1e-3, betas: tuple[float, float] = (0.9, 0.999), eps: float = 1e-8,
        weight_decay: float = 1e-2, amsgrad: bool = False, **options: Any,
    ) -> None:  # fmt: skip
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, decoupled_weight_decay=True, **options)


from . import lr_scheduler  # noqa: E402
from .others import LBFGS, Adagrad, RMSprop  # noqa: E402
