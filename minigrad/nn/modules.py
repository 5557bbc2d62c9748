"""Modules: things with parameters that are called like functions."""

from __future__ import annotations

import math
import operator
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .. import creation, errors
from ..autograd import no_grad
from ..compat.attributes import device as Device
from ..core.tensor import Tensor
from ..dtypes import dtype as DType
from ..dtypes import float16, float32, float64
from ..printing import parameter_repr
from . import functional as F
from . import hooks, init
from .functional import Pair, _pair

__all__ = ["Conv2d", "Linear", "Module", "Parameter", "Sequential"]


class Parameter(Tensor):
    """A leaf Tensor that a Module counts among its parameters. It shares the memory of the data.

    >>> import minigrad as mg
    >>> mg.nn.Parameter(mg.ones(2))
    Parameter containing:
    tensor([1., 1.], requires_grad=True)
    """

    def __new__(cls, data: Tensor | None = None, requires_grad: bool = True) -> Parameter:
        source = creation.empty(0) if data is None else data.detach()
        if requires_grad and source._array.dtype.kind not in "fc":
            raise errors.FLOATS_ONLY_NEW()
        self = object.__new__(cls)
        self._array, self._counter, self._requires_grad = source._array, source._counter, requires_grad
        return self

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return parameter_repr(super().__repr__())


class _IncompatibleKeys(NamedTuple):
    """What did not match between a state and a module."""

    missing_keys: list[str]
    unexpected_keys: list[str]

    def __repr__(self) -> str:
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return f"_IncompatibleKeys(missing_keys={self.missing_keys}, unexpected_keys={self.unexpected_keys})"


# Where a module keeps what is assigned to it: what messages call that, and what else they would take.
_SHELVES = {"_parameters": ("parameter", "nn.Parameter"), "_buffers": ("buffer", "nn.Buffer, minigrad.Tensor"),
            "_modules": ("child module", "nn.Module")}  # fmt: skip


def _kind(value: Any) -> str:
    return value.type() if isinstance(value, Tensor) else errors.kind_of(value)  # type: ignore[attr-defined]


class Module:
    """The base of all modules. A subclass makes its parameters and modules in ``__init__``, after ``super().__init__()``,
    and says in ``forward`` what a call does.

    >>> import minigrad as mg
    >>> class Scale(mg.nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = mg.nn.Parameter(mg.tensor(3.))
    ...     def forward(self, x):
    ...         return x * self.factor
    >>> scale = Scale()
    >>> scale(mg.tensor([1., 2.]))
    tensor([3., 6.], grad_fn=<MulBackward0>)
    >>> [name for name, _ in scale.named_parameters()]
    ['factor']
    """

    training: bool

    def __init__(self) -> None:
        for name, value in (("training", True), ("_parameters", {}), ("_buffers", {}), ("_not_saved", set()), ("_modules", {})):
            object.__setattr__(self, name, value)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """What a call does. Every subclass has its own."""
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return hooks.call(self, args, kwargs) if self.__dict__.get("_hooks") else self.forward(*args, **kwargs)

    # -- hooks -------------------------------------------------------------------------------------------------------

    def register_forward_pre_hook(self, hook: Callable) -> Any:
        """Call ``hook(module, args)`` before each forward; what it returns, if not None, replaces args."""
        return hooks.register(self, "before", hook)

    def register_forward_hook(self, hook: Callable) -> Any:
        """Call ``hook(module, args, output)`` after each forward; what it returns, if not None, replaces the output."""
        return hooks.register(self, "after", hook)

    def register_full_backward_hook(self, hook: Callable) -> Any:
        """Call ``hook(module, grad_input, grad_output)`` when gradients of the inputs are there; it may return others."""
        return hooks.register(self, "backward", hook)

    # -- what is assigned to a module --------------------------------------------------------------------------------

    def __setattr__(self, name: str, value: Any) -> None:
        shelf = "_parameters" if isinstance(value, Parameter) else "_modules" if isinstance(value, Module) else None
        if shelf is not None:
            if shelf not in self.__dict__:
                what = "parameters" if shelf == "_parameters" else "module"
                raise AttributeError(f"cannot assign {what} before Module.__init__() call")
            for other in _SHELVES:
                if other != shelf:
                    self.__dict__[other].pop(name, None)
            self.__dict__.pop(name, None)
            self.__dict__[shelf][name] = value
            return
        for place, (what, kind) in _SHELVES.items():
            if name in self.__dict__.get(place, ()):
                if value is not None and not (what == "buffer" and isinstance(value, Tensor)):
                    raise TypeError(f"cannot assign '{_kind(value)}' as {what} '{name}' (minigrad.{kind} or None expected)")
                self.__dict__[place][name] = value
                return
        object.__setattr__(self, name, value)

    def __getattr__(self, name: str) -> Any:
        for place in _SHELVES:
            if name in self.__dict__.get(place, ()):
                return self.__dict__[place][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for place in _SHELVES:
            if name in self.__dict__[place]:
                del self.__dict__[place][name]
                return
        object.__delattr__(self, name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """The same as assigning a Parameter; None stands for one that is absent."""
        self._register(name, "parameter", self._parameters, param, Parameter)

    def _register(self, name: str, kind: str, shelf: dict, value: Any, required: type) -> None:
        """Keep a value. TypeError for one of another class, KeyError for a name that it cannot have."""
        if value is not None and not isinstance(value, required):
            wanted = "minigrad.nn.Parameter" if kind == "parameter" else "minigrad Tensor"
            text = f"cannot assign '{_kind(value)}' object to {kind} '{name}' ({wanted} or None required)"
            raise TypeError(f"{_kind(value)} is not a Module subclass" if kind == "module" else text)
        if not name or "." in name:
            raise KeyError(f"{kind} name can't be empty, or contain a dot, got: {name!r}")
        if hasattr(self, name) and name not in shelf:
            raise KeyError(f"attribute '{name}' already exists")
        shelf[name] = value

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """A tensor that is no parameter and belongs, if ``persistent``, to the state of the module."""
        self._register(name, "buffer", self._buffers, tensor, Tensor)
        (self._not_saved.discard if persistent else self._not_saved.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """The same as assigning a Module, by any name without a dot."""
        self._register(name, "module", self._modules, module, Module)

    # -- walking through it ------------------------------------------------------------------------------------------

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """The modules directly in this one, each once, with their names."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def children(self) -> Iterator[Module]:
        """The modules directly in this one."""
        yield from (module for _, module in self.named_children())

    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Module]]:
        """This module and all modules in it, with their paths; each once, if ``remove_duplicate``."""
        memo = set() if memo is None else memo
        if self not in memo:
            if remove_duplicate:
                memo.add(self)
            yield prefix, self
            for name, module in self._modules.items():
                if module is not None:
                    yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all modules in it; each once, if ``remove_duplicate``."""
        yield from (module for _, module in self.named_modules(remove_duplicate=remove_duplicate))

    def _named(self, place: str, prefix: str, recurse: bool, once: bool) -> Iterator[tuple[str, Any]]:
        seen = set()
        for path, module in self.named_modules(None, prefix, once) if recurse else [(prefix, self)]:
            for name, tensor in getattr(module, place).items():
                if tensor is not None and id(tensor) not in seen:
                    if once:
                        seen.add(id(tensor))
                    yield (f"{path}.{name}" if path else name), tensor

    def named_parameters(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """All parameters with their paths; each once, if ``remove_duplicate``."""
        yield from self._named("_parameters", prefix, recurse, remove_duplicate)

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """All parameters, each once."""
        yield from (parameter for _, parameter in self.named_parameters(recurse=recurse))

    def named_buffers(
        self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """All buffers with their paths; each once, if ``remove_duplicate``."""
        yield from self._named("_buffers", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """All buffers, each once."""
        yield from (buffer for _, buffer in self.named_buffers(recurse=recurse))

    def get_submodule(self, target: str) -> Module:
        """The module in this one at a path, such as "net.0"; at "" this one."""
        return operator.attrgetter(target)(self) if target else self

    def apply(self, fn: Callable[[Module], None]) -> Module:
        """Call ``fn`` with every module in this one, and at last with this one."""
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    # -- changing it as a whole --------------------------------------------------------------------------------------

    def train(self, mode: bool = True) -> Module:
        """Switch this module and all in it to training (or, with False, to use)."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        for module in self.modules():
            object.__setattr__(module, "training", mode)
        return self

    def eval(self) -> Module:
        """Switch this module and all in it from training to use."""
        return self.train(False)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters; with ``set_to_none=False`` fill them with zeros."""
        for parameter in self.parameters():
            forget(parameter, set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> Module:
        """Switch ``requires_grad`` of all parameters."""
        for parameter in self.parameters():
            parameter.requires_grad_(requires_grad)
        return self

    def to(self, *args: Any, device: Any = None, dtype: DType | None = None, non_blocking: bool = False) -> Module:
        """Bring all floating point parameters and buffers to a dtype, or that of a tensor; there is one device, the cpu."""
        for arg in (*args, device, dtype):
            arg = arg.dtype if isinstance(arg, Tensor) else arg
            if isinstance(arg, DType):
                if not (arg.is_floating_point or arg.is_complex):
                    raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={arg}")
                for tensor in (*self.parameters(), *self.buffers()):
                    if tensor._array.dtype.kind in "fc":
                        tensor.data = tensor.data.to(arg)  # type: ignore[attr-defined]
                        if tensor._grad is not None:
                            tensor._grad = tensor._grad.to(arg)  # type: ignore[attr-defined]
            elif arg is not None:
                Device(arg)
        return self

    def cpu(self) -> Module:
        """This module: all tensors are on the cpu."""
        return self

    def float(self) -> Module:
        """Bring all parameters and buffers to float32."""
        return self.to(float32)

    def double(self) -> Module:
        """Bring all parameters and buffers to float64."""
        return self.to(float64)

    def half(self) -> Module:
        """Bring all parameters and buffers to float16."""
        return self.to(float16)

    # -- its state ---------------------------------------------------------------------------------------------------

    def state_dict(self, *, destination: Any = None, prefix: str = "", keep_vars: bool = False) -> Any:
        """All parameters and buffers by their paths: themselves, if ``keep_vars``, or detached, sharing their memory.

        destination: a dict for them, in place of a new one.
        """
        state = OrderedDict() if destination is None else destination
        for name, tensor in (*self._parameters.items(), *self._buffers.items()):
            if tensor is not None and name not in self._not_saved:
                state[prefix + name] = tensor if keep_vars else tensor.detach()
        for name, module in self._modules.items():
            if module is not None:
                module.state_dict(destination=state, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        return state

    def load_state_dict(self, state_dict: dict[str, Tensor], strict: bool = True, assign: bool = False) -> tuple:
        """Copy a state into the parameters and buffers. RuntimeError when names (if ``strict``) or shapes do not match."""
        errors.refuse("load_state_dict", assign=assign)
        own = self.state_dict()
        keys = _IncompatibleKeys([k for k in own if k not in state_dict], [k for k in state_dict if k not in own])
        both = {name: (tensor, state_dict[name]) for name, tensor in own.items() if name in state_dict}
        complaints = [
            f"{what} key(s) in state_dict: {str(names)[1:-1]}. ".replace("'", '"')
            for what, names in zip(("Missing", "Unexpected"), keys, strict=True) if strict and names
        ]  # fmt: skip
        for name, (tensor, given) in both.items():
            if (shape := getattr(given, "shape", ())) != tensor.shape:
                sizes = f"a param with shape {shape} from checkpoint, the shape in current model is {tensor.shape}"
                complaints.append(f"size mismatch for {name}: copying {sizes}.")
        if complaints:
            lines = "".join(f"\n\t{complaint}" for complaint in complaints)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:{lines}")
        with no_grad():
            for tensor, given in both.values():
                tensor.copy_(given)
        return keys

    def extra_repr(self) -> str:
        """What stands in the parentheses of the repr."""
        return ""

    def __repr__(self) -> str:
        lines = [f"({name}): {module!r}".replace("\n", "\n  ") for name, module in self._modules.items()]
        extra = self.extra_repr()
        if not lines and "\n" not in extra:
            return f"{type(self).__name__}({extra})"
        body = "\n  ".join((extra.split("\n") if extra else []) + lines)
        return f"{type(self).__name__}(\n  {body}\n)"


def forget(tensor: Tensor, set_to_none: bool) -> None:
    """Forget a gradient, or fill that same Tensor with zeros, without history."""
    grad = tensor._grad
    if set_to_none or grad is None:
        tensor._grad = None
    else:
        grad.detach_() if grad.grad_fn is not None else grad.requires_grad_(False)
        grad.zero_()  # type: ignore[attr-defined]


class Sequential(Module):
    """Modules one after the other, by number or, from an OrderedDict, by name.

    >>> import minigrad as mg
    >>> mg.nn.Sequential(mg.nn.Linear(2, 3), mg.nn.ReLU())
    Sequential(
      (0): Linear(in_features=2, out_features=3, bias=True)
      (1): ReLU()
    )
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], OrderedDict) else enumerate(args)
        for name, module in named:
            self.add_module(str(name), module)

    _items = property(lambda self: self._modules)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._items.values())

    def __getitem__(self, index: int | slice) -> Module:
        if isinstance(index, slice):
            return type(self)(OrderedDict(list(self._items.items())[index]))
        return self._items[self._key(index)]

    def _key(self, index: int) -> str:
        """The name of the module at a place."""
        if not -len(self) <= operator.index(index) < len(self):
            raise IndexError(f"index {index} is out of range")
        return list(self._items)[index]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def append(self, module: Module) -> Sequential:
        """Add a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, sequential: Iterable[Module]) -> Sequential:
        """Add modules at the end."""
        for module in sequential:
            self.append(module)
        return self

    def forward(self, input: Any) -> Any:
        """What the last module gives when each gets what the one before it gives."""
        for module in self:
            input = module(input)
        return input


# -- layers --------------------------------------------------------------------------------------------------------------


class _Weighted(Module):
    """A layer with a weight and, perhaps, a bias."""

    weight: Parameter

    def _made(self, sizes: tuple[int, ...], bias: bool, dtype: DType | None, device: Any) -> None:
        self.weight = Parameter(creation.empty(sizes, dtype=dtype, device=device))
        self.register_parameter("bias", Parameter(creation.empty(sizes[0], dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Fill the weight, and the bias, with numbers between ±1/√fan_in."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        fan_in = math.prod(self.weight.shape[1:])
        if self.bias is not None and fan_in:
            init.uniform_(self.bias, -1 / math.sqrt(fan_in), 1 / math.sqrt(fan_in))


class Linear(_Weighted):
    """x @ weight.T + bias, with weight (out_features, in_features) and bias (out_features,) uniform in ±1/√in_features.

    >>> import minigrad as mg
    >>> mg.nn.Linear(2, 3)(mg.ones(4, 2)).shape
    minigrad.Size([4, 3])
    """

    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: DType | None = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._made((out_features, in_features), bias, dtype, device)

    def forward(self, input: Tensor) -> Tensor:
        """(…, in_features) gives (…, out_features)."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class Conv2d(_Weighted):
    """A convolution of images (n, in_channels, h, w), or of one; weight (out_channels, in_channels / groups, kernel, kernel).

    The parameters are uniform in ±1/√(in_channels / groups · kernel · kernel).
    """

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size: Pair, stride: Pair = 1, padding: Pair | str = 0,
        dilation: Pair = 1, groups: int = 1, bias: bool = True, padding_mode: str = "zeros", device: Any = None,
        dtype: DType | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if padding_mode != "zeros":
            raise errors.lacks(f"Conv2d with padding_mode={padding_mode!r}")
        if in_channels % groups or out_channels % groups:
            raise ValueError("in_channels and out_channels must be divisible by groups")
        self.in_channels, self.out_channels, self.groups = in_channels, out_channels, groups
        self.kernel_size, self.stride = _pair(kernel_size, "kernel_size"), _pair(stride, "stride")
        self.padding = padding if isinstance(padding, str) else _pair(padding, "padding")
        self.dilation = _pair(dilation, "dilation")
        self._made((out_channels, in_channels // groups, *self.kernel_size), bias, dtype, device)

    def forward(self, input: Tensor) -> Tensor:
        """(n, in_channels, h, w) gives (n, out_channels, h', w')."""
        return F.conv2d(input, self.weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        for name, usual in (("padding", (0, 0)), ("dilation", (1, 1)), ("groups", 1)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text if self.bias is not None else f"{text}, bias=False"
