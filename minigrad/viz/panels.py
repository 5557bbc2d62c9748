"""The two views of one graph: what the reader wrote, and what the engine keeps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from .graph import Graph, Item, Saved, Value
from .paint import Run, Style
from .picture import FREED_PLAIN, FREED_TITLE, PLAIN, SLOPE, SMALL, TITLE, VALUE, WARN, Arrow, Box, Panel, Row


@dataclass(frozen=True, slots=True)
class Slopes:
    """What a backward pass would carry, in few characters."""

    local: Mapping[tuple[int, int], tuple[str, str]]  # (item, port) -> the local slope, and the cotangent that is handed on
    arrived: Mapping[int, str]  # item -> the cotangent that arrives there, all summed


def see(graph: Graph, slopes: Slopes | None = None, saved: bool = False) -> tuple[Panel, list[int]]:
    """What was computed, from the inputs down to the result, a box for each operation; and the box of each item.

    Constants without a name stand in the formulas alone, so they have no box (-1). slopes: numbers for the arrows, and what
    arrives at each item.
    """
    panel = Panel("What you see", "values flow down", [], [], upward=False)
    if slopes is not None:
        panel.title, panel.caption, panel.upward = "Values and slopes", "values flow down, slopes up the arrows", True
    box_of: list[int] = []
    for i, item in enumerate(graph.items):
        shown = item.kind != "constant" or item.count > 1 or item.values[0].name or item.values[0].shares or not graph.links
        box_of.append(len(panel.boxes) if shown else -1)
        if shown:
            panel.boxes.append(_seen(item, slopes.arrived.get(i, "") if slopes else "", saved))
    for link in graph.links:
        if box_of[link.source] >= 0:
            numbers = slopes.local.get((link.user, link.port), ("", "")) if slopes else ("", "")
            dotted = graph.items[link.source].kind == "constant"
            source, user = box_of[link.source], box_of[link.user]
            panel.arrows.append(Arrow(source, user, link.port, dotted, _output(link.output), link.lit, numbers))
    panel.caption += _thick(graph)
    return panel, box_of


def keep(graph: Graph, twins: list[int] | None, saved: bool = False) -> Panel:
    """Backward nodes, with arrows from the root up to the leaves. `twins`: the boxes of `see` beside it."""
    panel = Panel("What the engine keeps", "gradients flow up", [], [], upward=True)
    box_of: dict[int, int] = {}
    for i, item in enumerate(graph.items):
        if item.title or item.kind == "fold":
            box_of[i] = len(panel.boxes)
            box = _kept(item, saved)
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
    panel.caption += _thick(graph)
    return panel


def _thick(graph: Graph) -> str:
    return f"; thick: the way to {', '.join(graph.lit)}" if graph.lit else ""


def apart(panel: Panel) -> list[Panel]:
    """A panel for each graph that shares no box with another, called after its result."""
    group = list(range(len(panel.boxes)))
    for arrow in panel.arrows:
        one, other = group[arrow.above], group[arrow.below]
        group = [min(one, other) if g in (one, other) else g for g in group]
    found = []
    for number in sorted(set(group)):
        places = [i for i, g in enumerate(group) if g == number]
        inside = (arrow for arrow in panel.arrows if group[arrow.above] == number)
        arrows = [replace(arrow, above=places.index(arrow.above), below=places.index(arrow.below)) for arrow in inside]
        name, formula, _ = panel.boxes[number].rows[0].runs[0].text.partition(" = ")
        title = f"{panel.title}: {name}" if formula else panel.title
        found.append(replace(panel, title=title, boxes=[panel.boxes[i] for i in places], arrows=arrows))
    return found if len(found) > 1 else [panel]


def operation(title: str) -> str:
    """`Mul` for `MulBackward0`."""
    return re.sub(r"Backward\d*$", "", title)


def _row(text: str, style: Style = PLAIN) -> Row:
    return Row((Run(text, style),))


def _output(number: int) -> str:
    return f"[{number}]" if number else ""


def _what(word: str, shape: tuple[int, ...] | None, dtype: str) -> Row:
    """The small line: the class of the node, or what a tensor is, with its shape, and its dtype where it is a rare one."""
    more = [str(shape)] * bool(shape) + [dtype] * (dtype != "float32")
    return _row(" ".join([word, *more]), SMALL)


def _seen(item: Item, slope: str, saved: bool) -> Box:
    if item.kind == "fold":
        return _fold(item)
    if item.count > 1:
        return Box((_row(f"{item.count} constants", SMALL),), "constant")
    several = len(item.specs) > 1 and set(item.values) != {0}
    value = None if several else item.values.get(0)
    rows = [_row(item.heading or (value and value.name) or "", TITLE)]
    if item.kind == "op":
        rows.append(_what(item.title, *(((), "float32") if several else item.specs[0])))
    elif value is not None:
        rows.append(_what("leaf" if item.kind == "leaf" else "constant", value.shape, value.dtype))
    if value is not None:
        rows += _numbers(value)
    for output, named in sorted(item.values.items()) if several else ():
        rows += [Row((Run("" if k else named.name or f"[{output}]", SMALL), Run(line, PLAIN)), table=True)
                 for k, line in enumerate(named.lines or (str(named.shape),))]  # fmt: skip
    if slope:
        rows.append(_row(f"slope {slope}", SLOPE))
    if saved:
        rows += _suitcase(item)
    tone = "tensor" if item.kind == "op" else item.kind
    return Box(tuple(row for row in rows if any(run.text for run in row.runs)), tone, _marked(item))


def _marked(item: Item) -> bool:
    return item.marked or any(value.marked for value in item.values.values())


def _numbers(value: Value) -> list[Row]:
    """The values of a tensor, what it shares, and its gradient."""
    rows = [_row(line, VALUE) for line in value.lines]
    if value.view_of:
        rows.append(_row(f"view of {value.view_of}", SMALL))
    if value.shares:
        rows.append(_row(f"shares the memory of {value.shares}", SMALL))
    return rows + [
        Row((Run("" if i else ".grad", SMALL), Run(line, SLOPE)), table=True) for i, line in enumerate(value.grad)
    ]


def _kept(item: Item, saved: bool) -> Box:
    if item.kind == "fold":
        return _fold(item)
    small = FREED_PLAIN if item.freed else SMALL
    shape = f" {value.shape}" if item.kind == "leaf" and (value := item.values[0]).shape else ""
    rows = [_row(item.heading, FREED_TITLE if item.freed else TITLE)] if item.heading else []
    listed = saved and any(each.freed for each in item.saved)  # then the list says it
    rows.append(_row(item.title + shape + (", freed" if item.freed and not listed else ""), small if rows else PLAIN))
    if item.kind == "leaf":
        rows.append(_row(f"adds to {item.heading}.grad", small))
    if saved:
        rows += _suitcase(item)
    if item.hooks:
        rows.append(_row(f"{item.hooks} hook" + "s" * (item.hooks > 1), WARN))
    tone = "leaf" if item.kind == "leaf" else "freed" if item.freed else "node"
    return Box(tuple(rows), tone, item.marked)


def _suitcase(item: Item) -> list[Row]:
    """What a node saved."""
    small, gone = FREED_PLAIN if item.freed else SMALL, [saved.name for saved in item.saved if saved.freed]
    rows = [Row((Run(f"saved {saved.name}", small), *_saved(saved)), table=True) for saved in item.saved if not saved.freed]
    rows += [_row(f"freed: {', '.join(gone)}", FREED_PLAIN)] * bool(gone)
    return rows + [Row((Run(f"saved {name}", small), Run(text, small)), table=True) for name, text in item.settings]


def node_lines(item: Item) -> list[str]:
    """What stands in the box of a node, line by line."""
    return [" ".join(run.text for run in row.runs if run.text) for row in _kept(item, saved=True).rows]


def _saved(saved: Saved) -> tuple[Run, ...]:
    what = Run(saved.what, SMALL)
    if saved.version == saved.version_now:
        return what, Run(f"version {saved.version}", SMALL)
    return what, Run(f"version {saved.version}, now {saved.version_now}", WARN)


def _fold(item: Item) -> Box:
    return Box((_row(f"{item.count:,} more nodes"), _row("folded", SMALL)), "fold", item.marked)
