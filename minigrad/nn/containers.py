"""Modules that hold others, or parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping
from typing import Any

from ..core.tensor import Tensor
from .modules import Module, Parameter, Sequential

__all__ = ["Identity", "ModuleDict", "ModuleList", "ParameterList"]


class Identity(Module):
    """Gives back what it gets, whatever it was made with."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Any) -> Any:
        """The input."""
        return input


class ModuleList(Module):
    """A list of modules, whose parameters count.

    >>> import minigrad as mg
    >>> len(mg.nn.ModuleList([mg.nn.Linear(2, 2) for _ in range(3)]))
    3
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        self.extend(modules or ())  # type: ignore[misc]

    def __getitem__(self, index: Any) -> Any:
        return type(self)(list(self)[index]) if isinstance(index, slice) else self._items[self._key(index)]  # type: ignore[misc]

    __len__, __iter__, __setitem__ = Sequential.__len__, Sequential.__iter__, Sequential.__setitem__
    _items, _key, append, extend = Sequential._items, Sequential._key, Sequential.append, Sequential.extend


class ModuleDict(Module, MutableMapping):
    """Modules by name, whose parameters count."""

    __eq__, __hash__ = Module.__eq__, Module.__hash__

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    _items, __len__ = Sequential._items, Sequential.__len__  # type: ignore[assignment]

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]


class ParameterList(Module):
    """A list of parameters. A Tensor that is none becomes one."""

    def __init__(self, values: Iterable[Tensor] | None = None) -> None:
        super().__init__()
        self.extend(values or ())

    _items = property(lambda self: self._parameters)
    __len__, __iter__, __getitem__ = Sequential.__len__, Sequential.__iter__, ModuleList.__getitem__
    _key, extend = vars(Sequential)["_key"], vars(Sequential)["extend"]

    def __setitem__(self, index: int, value: Tensor) -> None:
        setattr(self, self._key(index), value if isinstance(value, Parameter) else Parameter(value))

    def extra_repr(self) -> str:
        kinds = (f"{p.dtype} of size {'x'.join(map(str, p.shape))}" for p in self._items.values())
        return "\n".join(f"  ({k}): Parameter containing: [{kind}]" for k, kind in enumerate(kinds))

    def append(self, value: Tensor) -> ParameterList:
        """Add one at the end."""
        setattr(self, str(len(self)), value if isinstance(value, Parameter) else Parameter(value))
        return self
