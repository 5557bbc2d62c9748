"""Write docs/scope.md: what of PyTorch is in the package, and what is not. The lists are read off the package."""

from __future__ import annotations

import sys
import types
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))


PAGE = Path("docs") / "scope.md"
MODULES = (
    "autograd", "autograd.graph", "autograd.forward_ad", "autograd.functional", "linalg", "nn", "nn.functional", "nn.init", "nn.utils",
    "optim", "optim.lr_scheduler", "utils.data", "random", "testing", "cuda",
)  # fmt: skip
HEAD = """# What is here, and what is not

This page is made from the package by `tools/build.py`. The reference is PyTorch 2.13 on CPU: what is listed does what it does there.
A name that is not listed is missing, and says so when it is asked for.
"""
MISSING = """## What is not here

- **Devices and memory**: graphics cards (`cuda`, `mps`, `xpu`), `pin_memory`, `Tensor.layout`, `set_num_threads`,
  sparse, quantized, nested and meta tensors.
- **Programs about programs**: `torch.compile`, `torch.jit`, `torch.fx`, `torch.export`, `torch.func`, `torch.vmap`.
- **Distributions**: `torch.distributions`, `exponential_`, `fork_rng`, `get_rng_state`; what can be drawn is listed above.
- **Small operations** that few programs need: `kron`, `tensordot`, `cross`, `quantile`, `searchsorted`, `isin`, `fmod`, `frac`,
  `hypot`, `logit`, `erfc`, `exp2`, `column_stack`, `unflatten`, `tril_indices`, `index_fill`, `masked_scatter`, `std_mean`,
  `aminmax`, `nansum`, `count_nonzero`, `xlogy`, `angle`, `take_along_dim`, `diff`, `median` along a dimension, and others.
- **Of autograd**: `autograd.graph.register_multi_grad_hook`, `get_gradient_edge`, `allow_mutation_on_saved_tensors`, `strict` in
  `autograd.functional`, `gradcheck` of complex numbers and of forward mode, writes in forward mode, `utils.checkpoint`, hooks on one
  saved tensor (`_raw_saved_self`). `layer_norm`, `batch_norm`, `gelu`, `silu` and `elu` show in the graph what they are made of.
- **Layers**: recurrent ones (`RNN`, `LSTM`, `GRU`), `Transformer` and `MultiheadAttention` as modules, convolutions in one and
  three dimensions, adaptive pooling, upsampling, `GroupNorm`, `InstanceNorm`, `EmbeddingBag`, `ParameterDict`, the activations
  `SELU`, `Mish`, `PReLU`, `Softsign`, `Softmin`, lazy layers, `ConvTranspose2d` as a module. Attention is
  `scaled_dot_product_attention`. Initialisers `orthogonal_`, `trunc_normal_`, `eye_`. Hooks of modules before the backward pass, and
  options of hooks.
- **Linear algebra**: eigenvalues, singular values, `qr`, `cholesky`, `det`, `lstsq`; `fft` and `special`.
- **Training**: `amp`, `distributed`, learning rates that watch a loss (`ReduceLROnPlateau`), `OneCycleLR`, line search in
  `LBFGS`, optimizers of named parameters; worker processes in `DataLoader`, samplers, `IterableDataset`; `torchvision`,
  `torchaudio`, TensorBoard.
- **Options** that are refused by name: `size_average`, `reduce`, `max_norm`, `sparse`, `capturable`, `differentiable`.
"""
RANDOM = """## Random numbers

`manual_seed` and `Generator` give PyTorch's numbers on CPU. Integers, permutations and uniform numbers are equal to the last bit.
Normal numbers come through another logarithm than PyTorch's, and may differ by one unit in the last place in float32, by two in
float64. Not matched: on Intel's processors PyTorch takes `bernoulli_` and dropout from another stream. `arange`, `linspace` and
normal numbers are those that PyTorch gives on a processor with AVX2; where vectors have another length, its own end in other digits.
"""


def names(owner: Any, home: str) -> list[str]:
    """The public names of a module or class that it offers itself: functions and classes, not what it imports for its own use."""
    found = []
    for name, value in vars(owner).items():
        if name.startswith("_") or isinstance(value, types.ModuleType):
            continue
        room = ".".join(home.split(".")[:2])  # minigrad.nn for what minigrad.nn.functional offers
        maker = getattr(value, "func", value)  # of a partial
        if (getattr(maker, "__module__", None) or home).startswith(room) and (callable(value) or isinstance(value, property)):
            found.append(name)
    listed = getattr(owner, "__all__", None)
    return sorted(n for n in found if listed is None or n in listed)


def section(title: str, found: list[str]) -> str:
    """A heading, and the names below it."""
    return f"## {title}\n\n" + ", ".join(f"`{name}`" for name in found) + "\n"


def page() -> str:
    """The whole text."""
    import minigrad as mg  # only here: the builder may work in another folder, with a minigrad of its own

    parts = [HEAD, section("minigrad", names(mg, "minigrad"))]
    methods = [n for n in dir(mg.Tensor) if not n.startswith("_")]
    parts.append(section("Tensor", methods))
    for path in MODULES:
        owner: Any = mg
        for piece in path.split("."):
            owner = getattr(owner, piece)
        parts.append(section(f"minigrad.{path}", names(owner, owner.__name__)))
    return "\n".join([*parts, RANDOM, MISSING])


def write(root: Path) -> list[str]:
    """Bring the page up to date, and tell what was written."""
    path = root / PAGE
    if not stale(root):
        return []
    path.write_text(page(), "utf-8")
    return [f"wrote {PAGE}"]


def stale(root: Path) -> list[str]:
    """The page, if it is not what the package gives."""
    path = root / PAGE
    if not path.parent.exists():  # a folder with chapters and nothing else
        return []
    return [] if path.exists() and path.read_text("utf-8") == page() else [str(PAGE)]


if __name__ == "__main__":
    print(*write(Path(__file__).resolve().parent.parent), sep="\n")
