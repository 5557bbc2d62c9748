"""``minigrad.optim.lr_scheduler``: learning rates that change from step to step, by PyTorch's formulas."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from .. import errors


class LRScheduler:
    """What all schedulers share. ``step`` counts; a subclass says in ``get_lr`` what each group's lr then is."""

    def __init__(self, optimizer: Any, last_epoch: int = -1) -> None:
        if last_epoch != -1:
            raise errors.lacks("schedulers that begin at another epoch than the first: load a state dict")
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            group.setdefault("initial_lr", group["lr"])
        self.base_lrs = [group["initial_lr"] for group in optimizer.param_groups]
        self._written = self._versions()
        self._set()

    def get_lr(self) -> list[float]:
        """The learning rates at ``last_epoch``."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """The learning rates as they are."""
        return [group["lr"] for group in self.optimizer.param_groups]

    def step(self) -> None:
        """Go on to the next learning rates. Warns where the optimizer did not step before."""
        if self.last_epoch == 0 and self._versions() == self._written:
            warnings.warn(errors.SCHEDULER_FIRST, UserWarning, stacklevel=2)
        self._set()

    def _versions(self) -> list[int]:
        return [param._version for group in self.optimizer.param_groups for param in group["params"]]

    def _set(self) -> None:
        self.last_epoch += 1
        for group, lr in zip(self.optimizer.param_groups, self.get_lr(), strict=True):
            group["lr"] = lr

    def state_dict(self) -> dict[str, Any]:
        """Where it stands, without the optimizer and without functions."""
        return {key: value for key, value in self.__dict__.items() if key not in ("optimizer", "lr_lambdas", "_written")}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on where another one stood."""
        self.__dict__.update(state_dict)


class LambdaLR(LRScheduler):
    """The first lr times a function of the epoch: one function, or one for each group."""

    def __init__(self, optimizer: Any, lr_lambda: Callable[[int], float] | Sequence[Callable], last_epoch: int = -1) -> None:
        self.lr_lambdas = [lr_lambda] * len(optimizer.param_groups) if callable(lr_lambda) else list(lr_lambda)
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
        return [lr * self.gamma if now else lr for lr in self.get_last_lr()]


class MultiStepLR(LRScheduler):
    """The lr times gamma at each of some epochs."""

    def __init__(self, optimizer: Any, milestones: Sequence[int], gamma: float = 0.1, last_epoch: int = -1) -> None:
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        return [lr * self.gamma ** self.milestones[self.last_epoch] for lr in self.get_last_lr()]


class ExponentialLR(StepLR):
    """The lr times gamma after every epoch."""

    def __init__(self, optimizer: Any, gamma: float, last_epoch: int = -1) -> None:
        super().__init__(optimizer, 1, gamma, last_epoch)


class CosineAnnealingLR(LRScheduler):
    """From the first lr down to eta_min in T_max epochs, along half a cosine, and up again."""

    def __init__(self, optimizer: Any, T_max: int, eta_min: float = 0.0, last_epoch: int = -1) -> None:
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        k, n, low = self.last_epoch, self.T_max, self.eta_min
        if k and (k - 1 - n) % (2 * n) == 0:
            rise = (1 - math.cos(math.pi / n)) / 2
            return [lr + (base - low) * rise for lr, base in zip(self.get_last_lr(), self.base_lrs, strict=True)]
        ratio = (1 + math.cos(math.pi * k / n)) / (1 + math.cos(math.pi * (k - 1) / n)) if k else 1.0
        return [ratio * (lr - low) + low if k else lr for lr in self.get_last_lr()]
