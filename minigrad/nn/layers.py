"""Modules made of one function each, and those with parameters that are made of few."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import creation, errors
from ..dtypes import dtype as DType
from ..dtypes import int64
from ..tensor import Tensor
from . import functional as F
from . import init
from .modules import Module, Parameter


class _Activation(Module):
    """A module around a function; its options are those of the function."""

    function: Any
    options: dict[str, Any] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        names = list(self.options)
        if len(args) > len(names) or (strange := next((key for key in kwargs if key not in names[len(args) :]), "")):
            what = f"got an unexpected keyword argument '{strange}'" if len(args) <= len(names) else "got too many arguments"
            raise TypeError(f"{type(self).__name__}.__init__() {what}")
        for name, value in {**self.options, **dict(zip(names, args, strict=False)), **kwargs}.items():
            setattr(self, name, value)

    def forward(self, input: Tensor) -> Tensor:
        """The function of the input."""
        return type(self).function(input, **{name: getattr(self, name) for name in self.options})

    def extra_repr(self) -> str:
        shown = ((name, getattr(self, name)) for name in self.options)
        return ", ".join(f"{name}={value!r}" for name, value in shown if name != "inplace" or value)


class _Loss(_Activation):
    """A module around a loss; its options are those of the function, and ``weight`` is a buffer."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("weight", "pos_weight"):
            if name in self.options:
                value = self.__dict__.pop(name, None)
                self.register_buffer(name, value)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:  # type: ignore[override]
        """A number, or, without reduction, all losses."""
        return type(self).function(input, target, **{name: getattr(self, name) for name in self.options})

    def extra_repr(self) -> str:
        return ""


def _made(base: type, name: str, function: Any, **options: Any) -> Any:
    doc = f"``nn.functional.{function.__name__}`` as a module."
    return type(name, (base,), {"function": staticmethod(function), "options": options, "__doc__": doc, "__module__": __name__})


Softmax, LogSoftmax, Softmin = (
    _made(_Activation, name, function, dim=None)
    for name, function in (("Softmax", F.softmax), ("LogSoftmax", F.log_softmax), ("Softmin", F.softmin))
)
LeakyReLU = _made(_Activation, "LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
ELU = _made(_Activation, "ELU", F.elu, alpha=1.0, inplace=False)
Hardtanh = _made(_Activation, "Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
GELU = _made(_Activation, "GELU", F.gelu, approximate="none")
Softplus = _made(_Activation, "Softplus", F.softplus, beta=1.0, threshold=20.0)
LogSigmoid, Softsign = _made(_Activation, "LogSigmoid", F.logsigmoid), _made(_Activation, "Softsign", F.softsign)
ReLU6, SELU, SiLU, Mish = (
    _made(_Activation, name, function, inplace=False)
    for name, function in (("ReLU6", F.relu6), ("SELU", F.selu), ("SiLU", F.silu), ("Mish", F.mish))
)
_OLD = {"size_average": None, "reduce": None, "reduction": "mean"}
NLLLoss = _made(_Loss, "NLLLoss", F.nll_loss, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean")
BCELoss = _made(_Loss, "BCELoss", F.binary_cross_entropy, weight=None, **_OLD)
BCEWithLogitsLoss = _made(_Loss, "BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, weight=None, **_OLD, pos_weight=None)
L1Loss = _made(_Loss, "L1Loss", F.l1_loss, **_OLD)
SmoothL1Loss = _made(_Loss, "SmoothL1Loss", F.smooth_l1_loss, **_OLD, beta=1.0)
HuberLoss = _made(_Loss, "HuberLoss", F.huber_loss, reduction="mean", delta=1.0)
KLDivLoss = _made(_Loss, "KLDivLoss", F.kl_div, **_OLD, log_target=False)


class Embedding(Module):
    """A table with a row for each of ``num_embeddings`` numbers: integers (…) give rows (…, embedding_dim).

    The weight is normal at first, and zero in the row padding_idx, which gets no gradient.

    >>> import minigrad as mg
    >>> mg.nn.Embedding(10, 3)(mg.tensor([[1, 2], [4, 5]])).shape
    minigrad.Size([2, 2, 3])
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: None = None,
        norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None,
        _freeze: bool = False, device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        errors.refuse("Embedding", max_norm=max_norm, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx if padding_idx is None else padding_idx % num_embeddings
        table = creation.empty(num_embeddings, embedding_dim, device=device, dtype=dtype) if _weight is None else _weight
        self.weight = Parameter(table, not _freeze)
        if _weight is None:
            init.normal_(self.weight)
            if padding_idx is not None:
                init.zeros_(self.weight.data[padding_idx])

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        """With this table; ``freeze``: which is not trained."""
        return cls(*embeddings.shape, padding_idx, _weight=embeddings, _freeze=freeze)  # type: ignore[call-arg, misc]

    def forward(self, input: Tensor) -> Tensor:
        """Integers (…) give (…, embedding_dim)."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


class LayerNorm(Module):
    """Mean 0 and variance 1 over the last dimensions, then times a weight (ones at first), plus a bias (zeros)."""

    def __init__(
        self, normalized_shape: int | Sequence[int], eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        sizes, kind = self.normalized_shape, {"dtype": dtype, "device": device}
        self.register_parameter("weight", Parameter(creation.ones(sizes, **kind)) if elementwise_affine else None)
        self.register_parameter("bias", Parameter(creation.zeros(sizes, **kind)) if elementwise_affine and bias else None)

    def forward(self, input: Tensor) -> Tensor:
        """The same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class _BatchNorm(Module):
    """Each channel, the second dimension, with mean 0 and variance 1, then times a weight (ones at first), plus a bias (zeros).

    While training of the batch, else of running means, which move by ``momentum`` in training.
    """

    ranks: tuple[int, ...]

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: DType | None = None, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        kind = {"dtype": dtype, "device": device}
        self.register_parameter("weight", Parameter(creation.ones(num_features, **kind)) if affine else None)
        self.register_parameter("bias", Parameter(creation.zeros(num_features, **kind)) if affine and bias else None)
        self.register_buffer("running_mean", creation.zeros(num_features, **kind) if track_running_stats else None)
        self.register_buffer("running_var", creation.ones(num_features, **kind) if track_running_stats else None)
        self.register_buffer("num_batches_tracked", creation.tensor(0, dtype=int64) if track_running_stats else None)

    def forward(self, input: Tensor) -> Tensor:
        """The same shape."""
        if input.ndim not in self.ranks:
            raise ValueError(f"expected {' or '.join(f'{n}D' for n in self.ranks)} input (got {input.ndim}D input)")
        momentum = self.momentum
        if self.training and self.track_running_stats:
            self.num_batches_tracked.add_(1)
            momentum = 1 / self.num_batches_tracked.item() if momentum is None else momentum
        batch = self.training or self.running_mean is None
        return F.batch_norm(input, self.running_mean, self.running_var, self.weight, self.bias, batch, momentum, self.eps)

    def extra_repr(self) -> str:
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class BatchNorm1d(_BatchNorm):
    """Of rows (n, c) or signals (n, c, length)."""

    ranks = 2, 3
    __doc__ = f"{__doc__} {_BatchNorm.__doc__}"


class BatchNorm2d(_BatchNorm):
    """Of images (n, c, h, w)."""

    ranks = (4,)
    __doc__ = f"{__doc__} {_BatchNorm.__doc__}"
