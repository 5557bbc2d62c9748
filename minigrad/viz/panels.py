"""The two views of one graph: what the reader wrote, and what the engine keeps."""

from __future__ import annotations

import re

from .graph import Graph, Item, Saved, Value
from .paint import Run, Style
from .picture import FREED_PLAIN, FREED_TITLE, PLAIN, SMALL, TITLE, WARN, Arrow, Box, Panel, Row


def see(graph: Graph) -> tuple[Panel, list[int]]:
    """Tensors and operations, from the inputs down to the result; and the box of each item.

    A result without a name is drawn as its operation alone.
    """
    panel = Panel("What you see", "values flow down", [], [], upward=False)
    box_of: list[int] = []
    tensor_box: dict[tuple[int, int], int] = {}
    for i, item in enumerate(graph.items):
        box_of.append(len(panel.boxes))
        panel.boxes.append(_seen(item))
        for output, value in item.values.items() if item.kind == "op" else ():
            tensor_box[i, output] = len(panel.boxes)
            panel.arrows.append(Arrow(box_of[i], len(panel.boxes), label=_output(output), lit=item.lit))
            panel.boxes.append(Box(_tensor_rows(value), "tensor", value.marked))
    for link in graph.links:
        above = tensor_box.get((link.source, link.output))
        label = "" if above is not None else _output(link.output)
        dotted = graph.items[link.source].kind == "constant"
        source = box_of[link.source] if above is None else above
        panel.arrows.append(Arrow(source, box_of[link.user], link.port, dotted, label, link.lit))
    return panel, box_of


def keep(graph: Graph, twins: list[int] | None) -> Panel:
    """Backward nodes, with arrows from the root up to the leaves. `twins`: the boxes of `see` beside it."""
    panel = Panel("What the engine keeps", "gradients flow up", [], [], upward=True)
    box_of: dict[int, int] = {}
    for i, item in enumerate(graph.items):
        if item.title or item.kind == "fold":
            box_of[i] = len(panel.boxes)
            box = _kept(item)
            box.twin = None if twins is None else twins[i]
            panel.boxes.append(box)
    for link in graph.links:
        item = graph.items[link.source]
        if item.kind == "constant":
            above = len(panel.boxes)
            text = "None" if item.count == 1 else f"{item.count} × None"
            panel.boxes.append(Box((_row(text, SMALL),), "none"))
        else:
            above = box_of[link.source]
        dotted = item.kind == "constant"
        panel.arrows.append(Arrow(above, box_of[link.user], link.port, dotted, _output(link.output), link.lit))
    return panel


def operation(title: str) -> str:
    """`Mul` for `MulBackward0`."""
    return re.sub(r"Backward\d*$", "", title)


def _row(text: str, style: Style = PLAIN) -> Row:
    return Row((Run(text, style),))


def _output(number: int) -> str:
    return f"[{number}]" if number else ""


def _spec(shape: tuple[int, ...], dtype: str) -> str:
    return str(shape) if dtype == "float32" else f"{shape} {dtype}"


def _seen(item: Item) -> Box:
    if item.kind == "fold":
        return _fold(item)
    if item.kind == "op":
        rows = [_row(operation(item.title))]
        if not item.values and len(item.specs) == 1:
            rows.append(_row(_spec(*item.specs[0]), SMALL))
        marked = item.marked and not any(value.marked for value in item.values.values())
        return Box(tuple(rows), "operation", marked)
    if not item.values:
        return Box((_row(f"{item.count} constants", SMALL),), "constant")
    return Box(_tensor_rows(item.values[0]), item.kind, item.marked or item.values[0].marked)


def _tensor_rows(value: Value) -> tuple[Row, ...]:
    head = [Run(value.name, TITLE)] if value.name else []
    if value.shape is not None:
        head.append(Run(_spec(value.shape, value.dtype), SMALL))
    if value.leaf and value.requires_grad:
        head.append(Run("leaf", SMALL))
    rows = [Row(tuple(head))] if head else []
    rows += [_row(line) for line in value.lines]
    if value.view_of:
        rows.append(_row(f"view of {value.view_of}", SMALL))
    if value.shares:
        rows.append(_row(f"shares the memory of {value.shares}", SMALL))
    if not value.requires_grad:
        rows.append(_row("constant", SMALL))
    elif value.leaf:
        rows.append(_row("requires_grad", SMALL))
    rows += [
        Row((Run("" if i else ".grad", SMALL), Run(line, SMALL)), table=True)
        for i, line in enumerate(value.grad)
    ]
    return tuple(rows)


def _kept(item: Item) -> Box:
    if item.kind == "fold":
        return _fold(item)
    small = FREED_PLAIN if item.freed else SMALL
    rows = [_row(item.title, FREED_TITLE if item.freed else TITLE)]
    if item.kind == "leaf":
        value = item.values[0]
        name = f"adds to {value.name}.grad " if value.name else "adds to .grad of a leaf "
        rows.append(_row(name + str(value.shape), small))
    for value in item.values.values() if item.kind == "op" else ():
        rows.append(_row(f"{value.name}.grad_fn", small))
    for saved in item.saved:
        rows.append(Row((Run(f"saved {saved.name}", small), *_saved(saved)), table=True))
    for name, text in item.settings:
        rows.append(Row((Run(f"saved {name}", small), Run(text, small)), table=True))
    if item.hooks:
        rows.append(_row(f"{item.hooks} hook" + "s" * (item.hooks > 1), WARN))
    tone = "leaf" if item.kind == "leaf" else "freed" if item.freed else "node"
    return Box(tuple(rows), tone, item.marked)


def node_lines(item: Item) -> list[str]:
    """What stands in the box of a node, line by line."""
    return [" ".join(run.text for run in row.runs if run.text) for row in _kept(item).rows]


def _saved(saved: Saved) -> tuple[Run, ...]:
    if saved.freed:
        return (Run("freed", FREED_PLAIN),)
    what = Run(saved.what, SMALL)
    if saved.version == saved.version_now:
        return what, Run(f"version {saved.version}", SMALL)
    return what, Run(f"version {saved.version}, now {saved.version_now}", WARN)


def _fold(item: Item) -> Box:
    return Box((_row(f"{item.count:,} more nodes"), _row("folded", SMALL)), "fold", item.marked)
