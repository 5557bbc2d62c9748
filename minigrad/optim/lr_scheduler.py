"""``minigrad.optim.lr_scheduler``: learning rates that change from step to step, by PyTorch's formulas."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .. import errors

_FIRST = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch 1.1.0 and later, you should call them in the "
    "opposite order: `optimizer.step()` before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping the first "
    "value of the learning rate schedule. See more details at https://pytorch.org/docs/stable/optim.html#how-to-adjust-learning-rate"
)


class LRScheduler:
    """What all schedulers share. ``step`` counts; a subclass says in ``get_lr`` what each group's lr then is."""

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        if last_epoch != -1:
            raise errors.lacks("schedulers that begin at another epoch than the first: load a state dict")
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._written = [param._version for group in optimizer.param_groups for param in group["params"]]
        self._set()

    def get_lr(self) -> list[float]:
        """The learning rates at ``last_epoch``."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The learning rates as they are."""
        return self._last_lr

    def step(self) -> None:
        """Go on to the next learning rates. Warns where the optimizer did not step before."""
        written = [param._version for group in self.optimizer.param_groups for param in group["params"]]
        if self.last_epoch == 0 and written == self._written:
            warnings.warn(_FIRST, UserWarning, stacklevel=2)
        self._set()

    def _set(self) -> None:
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr
        self._last_lr = [group["lr"] for group in self.optimizer.param_groups]

    @property
    def _lrs(self) -> list[float]:
        return [group["lr"] for group in self.optimizer.param_groups]

    def state_dict(self) -> dict[str, Any]:
        """Where it stands, without the optimizer and without functions."""
        return {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas", "_written")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another one stood."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The first lr times a function of the epoch: one function, or one for each group."""

    def __init__(self, optimizer: Any, lr_lambda: Callable[[int], float] | Sequence[Callable], last_epoch: int = -1) -> None:
        groups = len(optimizer.param_groups)
        self.lr_lambdas = [lr_lambda] * groups if callable(lr_lambda) else list(lr_lambda)
        if len(self.lr_lambdas) != groups:
            raise ValueError(f"Expected {groups} lr_lambdas, but got {len(self.lr_lambdas)}")
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [base * f(self.last_epoch) for base, f in zip(self.base_lrs, self.lr_lambdas, strict=True)]


class StepLR(LRScheduler):
    """The lr times gamma after every ``step_size`` epochs."""

    def __init__(self, optimizer: Any, step_size: int, gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        now = self.last_epoch and self.last_epoch % self.step_size == 0
        return [lr * self.gamma for lr in self._lrs] if now else self._lrs


class MultiStepLR(LRScheduler):
    """The lr times gamma at each of some epochs."""

    def __init__(self, optimizer: Any, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = list(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        times = self.milestones.count(self.last_epoch)
        return [lr * self.gamma**times for lr in self._lrs] if times else self._lrs


class ExponentialLR(LRScheduler):
    """The lr times gamma after every epoch."""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr * self.gamma for lr in self._lrs] if self.last_epoch else self._lrs


class CosineAnnealingLR(LRScheduler):
    """From the first lr down to eta_min in T_max epochs, along half a cosine, and up again."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        k, n, low = self.last_epoch, self.T_max, self.eta_min
        if k == 0:
            return self._lrs
        if (k - 1 - n) % (2 * n) == 0:
            rise = (1 - math.cos(math.pi / n)) / 2
            return [lr + (base - low) * rise for lr, base in zip(self._lrs, self.base_lrs, strict=True)]
        ratio = (1 + math.cos(math.pi * k / n)) / (1 + math.cos(math.pi * (k - 1) / n))
        return [ratio * (lr - low) + low for lr in self._lrs]


def __getattr__(name: str) -> Any:
    raise errors.missing(__name__, name)
