"""Modules made of one function each, and those with parameters that are made of few."""

from __future__ import annotations

import inspect
from collections.abc import Container, Sequence
from typing import Any

from .. import creation, errors
from ..core.tensor import Tensor
from ..dtypes import dtype as DType
from ..ops import shape
from . import functional as F
from . import init
from .modules import Module, Parameter

__all__ = [
    "AvgPool2d", "BCELoss", "BCEWithLogitsLoss", "BatchNorm1d", "BatchNorm2d", "CrossEntropyLoss", "Dropout", "ELU",
    "Embedding", "Flatten", "GELU", "Hardtanh", "HuberLoss", "KLDivLoss", "L1Loss", "LayerNorm", "LeakyReLU", "LogSigmoid",
    "LogSoftmax", "MSELoss", "MaxPool2d", "NLLLoss", "ReLU", "ReLU6", "SiLU", "Sigmoid", "SmoothL1Loss", "Softmax", "Softplus",
    "Tanh",
]  # fmt: skip

class _OfFunction(Module):
    """A module around a function; its options are those of the function, and those that are tensors are buffers."""

    function: Any
    options: dict[str, Any] = {}
    shown: tuple[str, ...]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()
        bound = self.__signature__.bind(*args, **kwargs)  # type: ignore[attr-defined]
        bound.apply_defaults()
        errors.refuse(type(self).__name__, **{key: bound.arguments.get(key) for key in ("size_average", "reduce")})
        for name, value in bound.arguments.items():
            self.register_buffer(name, value) if "weight" in name else setattr(self, name, value)
        if bound.arguments.get("stride", 0) is None:
            self.stride = bound.arguments["kernel_size"]

    def forward(self, *inputs: Tensor) -> Tensor:
        """The function of the inputs."""
        return type(self).function(*inputs, **{name: getattr(self, name) for name in self.options})

    def extra_repr(self) -> str:
        shown = ((name, getattr(self, name)) for name in self.shown if "reduction" not in self.options)
        return ", ".join(f"{name}={value!r}" for name, value in shown if name != "inplace" or value)


def _made(name: str, function: Any, hidden: Container[str] = (), **options: Any) -> Any:
    shown = tuple(key for key in options if key not in hidden)
    parameters = [inspect.Parameter(key, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=options[key]) for key in options]
    body = {"function": staticmethod(function), "options": options, "shown": shown, "__signature__": inspect.Signature(parameters)}
    doc = f"``{function.__name__}`` as a module:\n\n    {(function.__doc__ or '').strip()}"
    return type(name, (_OfFunction,), {**body, "__doc__": doc.partition("\n\n    >>>")[0], "__module__": __name__})


ReLU, ReLU6 = _made("ReLU", F.relu, inplace=False), _made("ReLU6", F.relu6, inplace=False)
Tanh, Sigmoid, LogSigmoid = _made("Tanh", F.tanh), _made("Sigmoid", F.sigmoid), _made("LogSigmoid", F.logsigmoid)
Softmax, LogSoftmax = _made("Softmax", F.softmax, dim=None), _made("LogSoftmax", F.log_softmax, dim=None)
Hardtanh = _made("Hardtanh", F.hardtanh, min_val=-1.0, max_val=1.0, inplace=False)
LeakyReLU = _made("LeakyReLU", F.leaky_relu, negative_slope=0.01, inplace=False)
Flatten = _made("Flatten", shape.flatten, start_dim=1, end_dim=-1)
ELU, GELU = _made("ELU", F.elu, alpha=1.0, inplace=False), _made("GELU", F.gelu, approximate="none")
SiLU, Softplus = _made("SiLU", F.silu, inplace=False), _made("Softplus", F.softplus, beta=1.0, threshold=20.0)
_WINDOW: dict[str, Any] = {"kernel_size": inspect.Parameter.empty, "stride": None, "padding": 0}
MaxPool2d = _made("MaxPool2d", F.max_pool2d, ("return_indices",), **_WINDOW, dilation=1, return_indices=False, ceil_mode=False)
_MORE: dict[str, Any] = {"ceil_mode": False, "count_include_pad": True, "divisor_override": None}
AvgPool2d = _made("AvgPool2d", F.avg_pool2d, _MORE, **_WINDOW, **_MORE)
_HOW: dict[str, Any] = {"size_average": None, "reduce": None, "reduction": "mean"}
_CLASSES: dict[str, Any] = {"weight": None, "size_average": None, "ignore_index": -100, "reduce": None, "reduction": "mean"}
MSELoss, L1Loss = _made("MSELoss", F.mse_loss, **_HOW), _made("L1Loss", F.l1_loss, **_HOW)
KLDivLoss, SmoothL1Loss = _made("KLDivLoss", F.kl_div, **_HOW), _made("SmoothL1Loss", F.smooth_l1_loss, **_HOW, beta=1.0)
NLLLoss = _made("NLLLoss", F.nll_loss, **_CLASSES)
CrossEntropyLoss = _made("CrossEntropyLoss", F.cross_entropy, **_CLASSES, label_smoothing=0.0)
BCELoss = _made("BCELoss", F.binary_cross_entropy, weight=None, **_HOW)
BCEWithLogitsLoss = _made("BCEWithLogitsLoss", F.binary_cross_entropy_with_logits, weight=None, **_HOW, pos_weight=None)
HuberLoss = _made("HuberLoss", F.huber_loss, reduction="mean", delta=1.0)


class Dropout(_made("Dropout", F.dropout, p=0.5, inplace=False)):  # type: ignore[misc]
    """While training, sets each element to 0 with probability p and divides the others by 1 - p."""

    def forward(self, input: Tensor) -> Tensor:
        """The same shape."""
        return F.dropout(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"p={self.p}, inplace={self.inplace}"


class Embedding(Module):
    """A table with a row for each of ``num_embeddings`` numbers: integers (…) give rows (…, embedding_dim).

    The weight is normal at first, and zero in the row padding_idx, which gets no gradient.

    >>> import minigrad as mg
    >>> mg.nn.Embedding(10, 3)(mg.tensor([[1, 2], [4, 5]])).shape
    minigrad.Size([2, 2, 3])
    """

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx: int | None = None, max_norm: None = None, norm_type: float = 2.0,
        scale_grad_by_freq: bool = False, sparse: bool = False, _weight: Tensor | None = None, _freeze: bool = False,
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        errors.refuse("Embedding", max_norm=max_norm, scale_grad_by_freq=scale_grad_by_freq, sparse=sparse)
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx = padding_idx if padding_idx is None else padding_idx % num_embeddings
        rows = creation.empty(num_embeddings, embedding_dim, device=device, dtype=dtype) if _weight is None else _weight
        self.weight = Parameter(rows, requires_grad=not _freeze)
        if _weight is None:
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fill the weight anew."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.data[self.padding_idx])

    @classmethod
    def from_pretrained(cls, embeddings: Tensor, freeze: bool = True, padding_idx: int | None = None) -> Embedding:
        """A table with these rows, which do not learn unless ``freeze`` is False."""
        return cls(*embeddings.shape, padding_idx=padding_idx, _weight=embeddings, _freeze=freeze)  # type: ignore[misc]

    def forward(self, input: Tensor) -> Tensor:
        """Integers (…) give (…, embedding_dim)."""
        return F.embedding(input, self.weight, self.padding_idx)

    def extra_repr(self) -> str:
        text = f"{self.num_embeddings}, {self.embedding_dim}"
        return text if self.padding_idx is None else f"{text}, padding_idx={self.padding_idx}"


class _Scaled(Module):
    """A layer with a weight of ones and a bias of zeros, or None in their place, and perhaps running means and variances."""

    def _made(self, sizes: Any, weight: bool, bias: bool, kind: dict[str, Any], tracks: bool = False) -> None:
        self.register_parameter("weight", Parameter(creation.ones(sizes, **kind)) if weight else None)
        self.register_parameter("bias", Parameter(creation.zeros(sizes, **kind)) if weight and bias else None)
        if tracks:
            self.register_buffer("running_mean", creation.zeros(sizes, **kind))
            self.register_buffer("running_var", creation.ones(sizes, **kind))
            self.register_buffer("num_batches_tracked", creation.tensor(0))

    def reset_parameters(self) -> None:
        """Ones and zeros again."""
        for name, tensor in (*self._parameters.items(), *self._buffers.items()):
            if tensor is not None:
                init.constant_(tensor, float(name in ("weight", "running_var")))


class LayerNorm(_Scaled):
    """Mean 0 and variance 1 over the last dimensions, then times a weight (ones at first), plus a bias (zeros)."""

    def __init__(
        self, normalized_shape: int | Sequence[int], eps: float = 1e-5, elementwise_affine: bool = True, bias: bool = True,
        device: Any = None, dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        self.normalized_shape = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._made(self.normalized_shape, elementwise_affine, bias, {"dtype": dtype, "device": device})

    def forward(self, input: Tensor) -> Tensor:
        """The same shape."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        affine, bias = self.elementwise_affine, self.bias is not None
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={affine}, bias={bias}"


class BatchNorm1d(_Scaled):
    """Each channel, the second dimension, with mean 0 and variance 1, then times a weight (ones at first), plus a bias (zeros).

    While training of the batch, else of running means, which move by ``momentum`` in training. Of rows (n, c) or signals
    (n, c, length).
    """

    ranks: tuple[int, ...] = (2, 3)

    def __init__(
        self, num_features: int, eps: float = 1e-5, momentum: float | None = 0.1, affine: bool = True,
        track_running_stats: bool = True, device: Any = None, dtype: DType | None = None, bias: bool = True,
    ) -> None:  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            self.register_buffer(name, None)
        self._made(num_features, affine, bias, {"dtype": dtype, "device": device}, track_running_stats)

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
        shown = ("eps", "momentum", "affine"), ("track_running_stats",)
        first, last = (", ".join(f"{name}={getattr(self, name)}" for name in names) for names in shown)
        return f"{self.num_features}, {first}, bias={self.bias is not None}, {last}"


class BatchNorm2d(BatchNorm1d):
    """BatchNorm1d, of images (n, c, h, w)."""

    ranks = (4,)
