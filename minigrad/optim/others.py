"""RMSprop, Adagrad and L-BFGS."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from .. import errors
from ..core.tensor import wrap as _wrap
from ..creation import full_like, tensor, zeros_like
from ..modes import enable_grad
from . import Optimizer, _check, _number, _settings, _write


class RMSprop(Optimizer):
    """w ← w - lr · g / (√v + eps), with a running mean v of g².

    alpha: how much of v is kept at each step. centered: v less the square of the running mean of g. momentum: a running sum of the
    steps. weight_decay: adds weight_decay · w to g. maximize: climbs. ValueError for settings below 0.
    """

    def __init__(
        self, params: Iterable, lr: float = 1e-2, alpha: float = 0.99, eps: float = 1e-8, weight_decay: float = 0,
        momentum: float = 0, centered: bool = False, capturable: bool = False, foreach: bool | None = None,
        maximize: bool = False, differentiable: bool = False,
    ) -> None:  # fmt: skip
        _check(lr=lr, eps=eps, momentum=momentum, weight_decay=weight_decay, alpha=alpha)
        super().__init__(params, _settings(locals()))

    def _move(self, param, g, group):
        memory, alpha = self.state[param], group["alpha"]
        if not memory:
            wanted = {"square_avg": True, "momentum_buffer": group["momentum"], "grad_avg": group["centered"]}
            memory.update(step=tensor(0.0), **{name: zeros_like(param) for name, there in wanted.items() if there})
        _write(memory["step"], np.add, 1)
        g = g + param._array * group["weight_decay"]
        v = memory["square_avg"]._array
        v *= alpha
        v += (1 - alpha) * g * g
        if group["centered"]:
            mean = memory["grad_avg"]._array
            mean += (1 - alpha) * (g - mean)
            v = v - mean * mean
        change = g / (np.sqrt(v) + group["eps"])
        if group["momentum"]:
            buffer = memory["momentum_buffer"]._array
            buffer *= group["momentum"]
            buffer += change
            change = buffer
        _write(param, np.subtract, change * _number(group["lr"]))


class Adagrad(Optimizer):
    """w ← w - lr · g / (√s + eps), with the sum s of all g².

    lr_decay: lr is divided by 1 + lr_decay · steps. weight_decay: adds weight_decay · w to g. initial_accumulator_value: where s
    begins. maximize: climbs. ValueError for settings below 0.
    """

    def __init__(
        self, params: Iterable, lr: float = 1e-2, lr_decay: float = 0, weight_decay: float = 0,
        initial_accumulator_value: float = 0, eps: float = 1e-10, foreach: bool | None = None, *, maximize: bool = False,
        differentiable: bool = False, fused: bool | None = None,
    ) -> None:  # fmt: skip
        _check(lr=lr, weight_decay=weight_decay, eps=eps, lr_decay=lr_decay, initial_accumulator_value=initial_accumulator_value)
        super().__init__(params, _settings(locals()))
        for param in (param for group in self.param_groups for param in group["params"]):
            self.state[param] = {"step": tensor(0.0), "sum": full_like(param.detach(), initial_accumulator_value)}

    def _move(self, param, g, group):
        memory = self.state[param]
        _write(memory["step"], np.add, 1)
        g = g + param._array * group["weight_decay"]
        total = memory["sum"]._array
        total += g * g
        rate = _number(group["lr"]) / (1 + (memory["step"].item() - 1) * group["lr_decay"])
        _write(param, np.subtract, rate * (g / (np.sqrt(total) + group["eps"])))


class LBFGS(Optimizer):
    """Newton's method, with curvature learnt from the last gradients (limited-memory BFGS), and steps of the length lr.

    step(closure) calls the closure, which computes the loss and its gradients, up to max_eval times (1.25 · max_iter). It ends before
    max_iter steps when no gradient is above tolerance_grad, or a step changes nothing by more than tolerance_change. One group of
    parameters. A line search is refused.
    """

    def __init__(
        self, params: Iterable, lr: float = 1, max_iter: int = 20, max_eval: int | None = None, tolerance_grad: float = 1e-7,
        tolerance_change: float = 1e-9, history_size: int = 100, line_search_fn: str | None = None,
    ) -> None:  # fmt: skip
        _check(lr=lr)
        errors.refuse("LBFGS", line_search_fn=line_search_fn)
        max_eval = max_iter * 5 // 4 if max_eval is None else max_eval
        super().__init__(params, _settings(locals()))
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    def _gradient(self) -> np.ndarray:
        params = self.param_groups[0]["params"]
        return np.concatenate([np.zeros(p.numel(), p._array.dtype) if p._grad is None else p._grad._array.ravel() for p in params])

    def step(self, closure: Callable[[], Any]) -> Any:  # type: ignore[override]
        """Move the parameters several times. Returns the loss before the first."""
        closure, group = enable_grad()(closure), self.param_groups[0]
        memory = self.state[group["params"][0]]
        loss, evaluations, lr = closure(), 1, _number(group["lr"])
        g = self._gradient()
        for iteration in range(1, group["max_iter"] + 1 if np.abs(g).max() > group["tolerance_grad"] else 0):
            memory["n_iter"] = memory.get("n_iter", 0) + 1
            direction = self._direction(g, memory, group["history_size"])
            length = min(1.0, 1.0 / float(np.abs(g).sum())) * lr if memory["n_iter"] == 1 else lr
            memory.update(d=_wrap(direction), t=length, prev_flat_grad=_wrap(g.copy()))
            if np.dot(g, direction) > -group["tolerance_change"]:
                break
            ends = np.cumsum([param.numel() for param in group["params"]])
            for param, change in zip(group["params"], np.split(length * direction, ends[:-1]), strict=True):
                _write(param, np.add, change.reshape(param.shape))
            if iteration == group["max_iter"]:
                break
            closure()
            g, evaluations = self._gradient(), evaluations + 1
            small = np.abs(direction * length).max() <= group["tolerance_change"]
            if evaluations >= group["max_eval"] or np.abs(g).max() <= group["tolerance_grad"] or small:
                break
        return loss

    @staticmethod
    def _direction(g: np.ndarray, memory: dict[str, Any], size: int) -> np.ndarray:
        """Minus the gradient, times the inverse of the curvature as far as it is known."""
        if memory["n_iter"] == 1:
            memory.update(old_dirs=[], old_stps=[], H_diag=1.0)
            return -g
        change, move = g - memory["prev_flat_grad"]._array, memory["d"]._array * memory["t"]
        product = np.dot(change, move)
        if product > 1e-10:
            memory["old_dirs"] = [*memory["old_dirs"], _wrap(change)][-size:]
            memory["old_stps"] = [*memory["old_stps"], _wrap(move)][-size:]
            memory["H_diag"] = product / np.dot(change, change)
        pairs = [(y._array, s._array) for y, s in zip(memory["old_dirs"], memory["old_stps"], strict=True)]
        q, shares = -g, []
        for y, s in reversed(pairs):
            shares.append(np.dot(s, q) / np.dot(y, s))
            q = q - shares[-1] * y
        q = q * memory["H_diag"]
        for (y, s), share in zip(pairs, reversed(shares), strict=True):
            q = q + (share - np.dot(y, q) / np.dot(y, s)) * s
        return q
