"""How an operation is written: `d = a · b`. One place for `draw`, `steps` and `play`."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

from . import peek, scalars
from .names import Names
from .peek import Node, SavedInfo, Tensor

LONGEST = 44  # characters of a formula
MOST_OPERANDS = 4  # of one operation
CONSTANT = "const"  # what took part, and that no slope needs: the engine keeps none of it

_WRITTEN = {
    "mm": "{self} @ {mat2}", "mv": "{self} @ {vec}", "dot": "{self} @ {tensor}", "bmm": "{self} @ {mat2}",
    "addmm": "{self} + {mat1} @ {mat2}",
}  # fmt: skip
_SHOWN = "dim", "dims", "exponent", "ord", "min", "max"  # settings that a reader of the formula needs


class Maths:
    """Names for all that the nodes behind some roots made, and the formula of each node.

    What has no name of its own is called v1, v2, …: leaves first, in the order of their use, then results as they were made.
    """

    def __init__(self, roots: Sequence[Tensor], nodes: Sequence[Node], names: Names) -> None:
        self.names = names
        self._called: dict[tuple[int, int], str] = {}
        made = sorted((node for node in nodes if not peek.is_leaf_node(node)), key=peek.number)
        first: dict[int, int] = {}
        used = Counter[tuple[int, int]]()
        for node in made:
            for source, output in peek.edges(node):
                if source is not None:
                    first.setdefault(id(source), len(first))
                    used[id(source), output] += 1
        missing: list[tuple[int, int]] = []
        leaves = sorted((n for n in nodes if peek.is_leaf_node(n)), key=lambda n: first.get(id(n), 0))
        for node in leaves:
            if name := names.of(peek.variable(node)):
                self._called[id(node), 0] = name
            else:
                missing.append((id(node), 0))
        for k, root in enumerate(roots):
            if (edge := peek.edge_of(root)) is not None:
                whole = "result" if len(roots) == 1 else f"result {k + 1}"
                self._called[id(edge[0]), edge[1]] = names.of(root) or whole
        for node in made:
            count = len(peek.output_specs(node))
            for output, name, _ in names.outputs_of(node, count):
                self._called.setdefault((id(node), output), name)
            missing += [
                (id(node), o)
                for o in range(count)
                if (id(node), o) not in self._called and (count == 1 or used[id(node), o])
            ]
        taken, spare = set(self._called.values()), 0
        for key in missing:
            name = ""
            while not name or name in taken:
                spare += 1
                name = f"v{spare}"
            self._called[key] = name

    def name(self, node: Node, output: int = 0) -> str:
        """What an output of a node is called; … where the node is folded and has no name."""
        if (id(node), output) in self._called:
            return self._called[id(node), output]
        if peek.is_leaf_node(node):
            return self.names.of(peek.variable(node)) or "…"
        return next((name for o, name, _ in self.names.outputs_of(node, output + 1) if o == output), "…")

    def results(self, node: Node) -> str:
        """The left side of the formula; _ for an output that nobody uses."""
        found = [self._called.get((id(node), k), "_") for k in range(len(peek.output_specs(node)))]
        while len(found) > 1 and found[-1] == "_":
            found.pop()
        return ", ".join(_few(found))

    def heading(self, node: Node) -> str:
        """`d = a · b`, or the name of a leaf."""
        if peek.is_leaf_node(node):
            return self.name(node)
        text = f"{self.results(node)} = {template(node).format_map(self.words(node))}"
        return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"

    def words(self, node: Node) -> dict[str, str]:
        """What stands in the formula for each operand and each setting."""
        found = _Words({name: _bracketed(_number(value) or CONSTANT) for name, value in peek.settings(node).items()})
        kept = {info.name: info for info in peek.saved(node)}
        for operand, (source, output) in zip(peek.operands(node), peek.edges(node), strict=True):
            if source is not None:
                found[_key(operand)] = self.name(source, output)
            else:
                info = kept.get(operand)
                found[_key(operand)] = (self._constant(info) if info else found.get(operand)) or CONSTANT
        return found

    def _constant(self, info: SavedInfo) -> str:
        if info.freed:
            return ""
        named = self.names.of_saved(info)
        return named[0] if named else _bracketed(peek.brief(info.tensor)) if math.prod(info.shape) == 1 else ""


class _Words(dict[str, str]):
    def __missing__(self, operand: str) -> str:
        return CONSTANT


def template(node: Node) -> str:
    """How the operation is written, with places for its operands, and for its settings."""
    operation, settings = peek.operation(node), peek.settings(node)
    operands = [f"{{{_key(name)}}}" for name in peek.operands(node)]
    if operation in scalars.TABLE and not (operation == "mse_loss" and math.prod(_shape(node)) > 1):
        text = scalars.TABLE[operation].text
        return text.replace("{alpha·}", "{alpha} · " if "alpha" in settings else "")
    if operation in _WRITTEN:
        return _WRITTEN[operation]
    if operation == "select":
        return "{self}[" + ":, " * settings["dim"] + f"{settings['index']}]"
    if operation == "slice_dim":
        return "{self}[" + ":, " * settings["dim"] + _slice(settings) + "]"
    if peek.title(node) == "CopySlices":
        return "{base}, " + ("a part from " + ", ".join(_few(operands[1:])) if _sourced(node) else "a part changed")
    title = peek.title(node)
    function = title.removesuffix("Backward")
    if re.search(r"Backward\d+$", title):
        function = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", title[: title.rindex("Backward")]).lower()
    shown = [f"{name}={text}" for name in _SHOWN if name not in peek.operands(node) and (text := _number(settings.get(name)))]
    return f"{function}({', '.join(_few(operands) + shown)})"


def _key(operand: str) -> str:
    """An operand as a name that a format string takes: tensors[0] is none."""
    return re.sub(r"\W", "_", operand)


def _few(words: list[str]) -> list[str]:
    return words if len(words) <= MOST_OPERANDS else [*words[: MOST_OPERANDS - 1], "…"]


def _sourced(node: Node) -> bool:
    return any(source is not None for source, _ in peek.edges(node)[1:])


def _shape(node: Node) -> tuple[int, ...]:
    source = peek.saved(node)
    return tuple(source[0].shape) if source else ()


def _slice(settings: dict) -> str:
    start, end, step = settings["start"], settings["end"], settings["step"]
    return f"{start or ''}:{'' if end > 2**62 else end}" + (f":{step}" if step != 1 else "")


def _number(value: object) -> str:
    """A setting in a few characters; nothing for what has no short form."""
    text = peek.setting(value) if value is not None and not isinstance(value, bool) else None
    return re.sub(r"^\((-?\d+),\)$", r"\1", text) if text else ""


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text
