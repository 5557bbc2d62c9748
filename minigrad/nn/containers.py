"""Modules that hold others, or parameters."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ..tensor import Tensor
from .modules import Module, Parameter, Sequential


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

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)(list(self)[index])
        return self._modules[self._key(index)]  # type: ignore[misc]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)  # type: ignore[misc]

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return type(self)([*self, *other])

    _key, __delitem__, _renumber = Sequential._key, Sequential.__delitem__, Sequential._renumber
    append, extend, insert, pop = Sequential.append, Sequential.extend, Sequential.insert, Sequential.pop


class ModuleDict(Module):
    """Modules by name, whose parameters count."""

    def __init__(self, modules: Mapping[str, Module] | None = None) -> None:
        super().__init__()
        self.update(modules or {})

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def __getitem__(self, key: str) -> Module:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def items(self) -> Any:
        """Pairs of names and modules."""
        return self._modules.items()

    def update(self, modules: Mapping[str, Module]) -> None:
        """Add modules, or replace those of the same names."""
        for key, module in modules.items():
            self[key] = module

    def pop(self, key: str) -> Module:
        """Take a module out, and return it."""
        return self._modules.pop(key)


class ParameterList(Module):
    """A list of parameters. A Tensor that is none becomes one."""

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        self.extend(values or ())

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Any]:
        return (self[k] for k in range(len(self)))

    def _key(self, index: int) -> str:
        if not -len(self) <= operator.index(index) < len(self):
            raise IndexError(f"index {index} is out of range")
        return str(index % len(self))

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return type(self)([*self][index])
        return getattr(self, self._key(index))

    def __setitem__(self, index: int, value: Any) -> None:
        setattr(self, self._key(index), _as_parameter(value))

    def append(self, value: Any) -> ParameterList:
        """Add one at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> ParameterList:
        """Add several at the end."""
        for value in values:
            self.append(value)
        return self


class ParameterDict(Module):
    """Parameters by name. A Tensor that is none becomes one."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__()
        for key, value in (parameters or {}).items():
            self[key] = value

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: str) -> bool:
        return key in self._parameters

    def __getitem__(self, key: str) -> Any:
        return self._parameters[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self._parameters[key] = _as_parameter(value)

    def keys(self) -> Any:
        """The names."""
        return self._parameters.keys()

    def values(self) -> Any:
        """The parameters."""
        return self._parameters.values()

    def items(self) -> Any:
        """Pairs of names and parameters."""
        return self._parameters.items()


def _as_parameter(value: Any) -> Any:
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value
