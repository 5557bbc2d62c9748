"""Names for tensors: a node does not know what its results are called, so the caller's variables do."""

from __future__ import annotations

import inspect
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from types import FrameType
from typing import Any

from . import peek
from .peek import Node, SavedInfo, Tensor, address, edge_of, storage

Variables = list[tuple[str, Any]]
_INLINE = (
    "<listcomp>",
    "<genexpr>",
    "<dictcomp>",
    "<setcomp>",
    "<lambda>",
)  # names stand in the frame around it


def variables_of(frame: FrameType) -> Variables:
    """What the caller can name: locals, then globals, then the notebook's variables (not its `Out`)."""
    found: Variables = []
    while frame.f_locals is not frame.f_globals:
        found += _locals(frame)
        if frame.f_code.co_name not in _INLINE or frame.f_back is None:
            break
        frame = frame.f_back
    found += list(frame.f_globals.items())
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and shell.user_ns is not frame.f_globals:
        found += list(shell.user_ns.items())
    return [
        (name, value) for name, value in found if name.isidentifier() and name[0] != "_" and name != "Out"
    ]


def tensors_of(frame: FrameType) -> dict[str, Tensor]:
    """The tensors among them, also those in lists and modules, by name."""
    return dict(reversed(list(_tensors(variables_of(frame)))))


def _locals(frame: FrameType) -> Variables:
    known = frame.f_locals
    found = list(known.items())
    if type(known) is dict and frame.f_code.co_flags & inspect.CO_OPTIMIZED:
        known.clear()  # before Python 3.13 this copy stays with the frame and would keep tensors alive
    return found


class Names:
    """Tensors by the node that made them, by identity, and by their memory. The first name wins."""

    def __init__(self, variables: Variables | Mapping[str, Tensor]) -> None:
        pairs = variables.items() if isinstance(variables, Mapping) else variables
        self._outputs: dict[tuple[int, int], tuple[str, Tensor]] = {}
        self._tensors: dict[int, str] = {}
        self._memory: defaultdict[int, list[tuple[str, Tensor]]] = defaultdict(list)
        for name, tensor in _tensors(pairs):
            if id(tensor) in self._tensors:
                continue
            self._tensors[id(tensor)] = name
            self._memory[storage(tensor)].append((name, tensor))
            try:
                edge = edge_of(tensor)
            except RuntimeError:  # a view that a write has made useless: it has no history that could be asked for
                edge = None
            if edge is not None:
                self._outputs.setdefault((id(edge[0]), edge[1]), (name, tensor))

    def of(self, tensor: Tensor) -> str | None:
        return self._tensors.get(id(tensor))

    def outputs_of(self, node: Node, count: int) -> Iterator[tuple[int, str, Tensor]]:
        for output in range(count):
            if (id(node), output) in self._outputs:
                yield (output, *self._outputs[id(node), output])

    def of_memory(self, storage: int) -> tuple[str, Tensor] | tuple[None, None]:
        """A name for memory, and its tensor: one that is no view of another, where there is one."""
        return min(self._memory.get(storage, ()), key=lambda pair: pair[1]._base is not None, default=(None, None))

    def of_saved(self, info: SavedInfo) -> tuple[str, Tensor] | None:
        """The tensor that was saved: same memory, same shape, and as much in need of a gradient (a detached copy is not the
        tensor it was taken from); None where several windows on the memory would fit."""
        fit = [
            (name, t)
            for name, t in self._memory.get(info.storage, ())
            if tuple(t.shape) == tuple(info.shape) and t.requires_grad == info.requires_grad
        ]
        return fit[0] if len({address(t) for _, t in fit}) == 1 else None


def held_results(roots: Sequence[Tensor], nodes: Sequence[Node], names: Names) -> dict[int, Tensor]:
    """Results that somebody still holds, by the id of their node: a variable, or a node that saved them."""
    known = {id(root.grad_fn): root for root in roots if root.grad_fn is not None}
    for node in nodes:
        for _, _, tensor in names.outputs_of(node, 1):
            known.setdefault(id(node), tensor)
        sources = {} if peek.is_leaf_node(node) else dict(zip(peek.operands(node), peek.edges(node), strict=True))
        for info in peek.saved(node):
            source, output = (node, 0) if info.name == "result" else sources.get(info.name, (None, 0))
            if source is not None and not (output or info.freed) and info.saved_version == info.version_now:
                known.setdefault(id(source), info.tensor)
    return known


def _tensors(pairs: Any) -> Iterator[tuple[str, Tensor]]:
    """Tensors, those in lists and dictionaries, and the parameters of modules; plain variables come first."""
    nested = []
    for name, value in pairs:
        if issubclass(type(value), Tensor):
            yield name, value
        elif type(value) in (list, tuple):
            nested += [(f"{name}[{i}]", v) for i, v in enumerate(value[:1000])]
        elif type(value) is dict:
            nested += [
                (f"{name}[{key!r}]", v)
                for key, v in list(value.items())[:1000]
                if isinstance(key, (str, int))
            ]
        elif _is_module(value):
            nested += [(f"{name}.{path}", v) for path, v in value.named_parameters()]
    yield from ((name, value) for name, value in nested if issubclass(type(value), Tensor))


def _is_module(value: Any) -> bool:
    module = getattr(sys.modules.get("minigrad.nn"), "Module", None)
    return module is not None and issubclass(type(value), module)
