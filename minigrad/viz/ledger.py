"""`memory`: which node keeps which array alive for the backward pass, and how many bytes that takes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import peek, rehearsal
from .drawing import Drawing, check_tensors
from .maths import Maths
from .names import Names, variables_of
from .paint import Path, Polygon, Rect, Run, Scene, Shape, Style, Text, svg
from .peek import Node, Tensor
from .picture import ARROW, CAPTION, FREED_PLAIN, FREED_TITLE, HALF, MARGIN, NARROW, SMALL, TITLE, TONES, framed, headed
from .style import ARROW_DOWN, BLUE, FAINT

MOST_NODES = 30  # that are drawn; the rest is told in a note
_LINE, _GAP, _PAD, _BETWEEN = 17.0, 10.0, 7.0, 30.0
_EMPTY = Style(11, FAINT)


@dataclass(frozen=True, slots=True)
class Row:
    """One saved tensor. `memory` numbers the pieces of memory from 1; rows with the same number share it."""

    node: str
    of: str | None  # the tensor that the operation made
    saved: str  # what the node calls it
    tensor: str | None  # what the caller calls it
    shape: tuple[int, ...]
    dtype: str
    memory: int
    nbytes: int  # of the whole memory
    counted: bool  # in the first row of each memory, and in no other
    step: int  # of the backward pass, after which this node lets go of it
    last_step: int  # after which the last node has let go of it
    freed: bool = False  # already


@dataclass(frozen=True, repr=False)
class Memory(Drawing):
    """A ledger: `.rows`, `.total` in bytes with shared memory counted once, and the picture of a `Drawing`."""

    rows: tuple[Row, ...]
    total: int


def memory(*roots: Tensor, names: Mapping[str, Tensor] | None = None) -> Memory:
    """Show what the graph behind one or several tensors keeps for the backward pass.

    A row for each saved tensor, in the order in which a pass frees them. Several nodes may keep the same memory: it is
    counted once, and kept until the last of them has run (it lives longer where a variable of yours holds it). names: names for
    tensors, {"loss": L}; without it those of the variables at the call. Nothing is changed. What a hook of
    `saved_tensors_hooks` keeps in place of a tensor is the hook's matter, and not counted.

    >>> import minigrad as mg
    >>> from minigrad import viz
    >>> x = mg.tensor([1., 2., 3.], requires_grad=True)
    >>> y = x.exp()
    >>> L = (y * y).sum()
    >>> ledger = viz.memory(L)
    >>> ledger.total
    12
    >>> ledger
    The graph of L keeps 12 bytes in 1 array
      MulBackward0: self is y (3,) float32, memory 1, 12 bytes, freed after step 2
      MulBackward0: other is y (3,) float32, memory 1, counted above, freed after step 2
      ExpBackward0 of y: result is y (3,) float32, memory 1, counted above, freed after step 3
    Memory 1 is kept until step 3.
    """
    check_tensors("memory", roots, names)
    known = Names(variables_of(sys._getframe(1)) if names is None else names)
    starts = [t.grad_fn for t in roots if t.grad_fn is not None]
    nodes = rehearsal.order(starts)
    rows = _rows(nodes, known)
    total = sum(row.nbytes for row in rows if row.counted)
    whole = [known.of(t) or ("result" if len(roots) == 1 else f"result {k + 1}") for k, t in enumerate(roots)]
    kept = _kept(rows, total)
    head = f"The graph of {_listing(whole)} keeps {kept}" if starts else f"{_listing(whole)} without a graph: nothing is kept"
    text = "\n".join([head, *(_line(row) for row in rows[:200]), *_ends(rows), *_more(len(rows), 200, "row")])
    maths = Maths(roots, nodes, known)
    title = f"Graph of {_listing(whole)}: {kept}" if starts else head
    scene, note = _paint(title, rows, [maths.heading(node) for node in nodes])
    alt = " ".join([head + ".", *_ends(rows), *note])
    return Memory(svg(scene, alt), text, alt, scene, tuple(rows), total)


def _rows(nodes: Sequence[Node], names: Names) -> list[Row]:
    numbers: dict[int, int] = {}
    last: dict[int, int] = {}
    found: list[tuple[Node, int, peek.SavedInfo, int]] = []
    for step, node in enumerate(nodes, 1):
        for info in peek.saved(node):
            key = 0 if info.freed else peek.memory(info.tensor)[0]
            last[key] = step
            found.append((node, step, info, key))
    rows = []
    for node, step, info, key in found:
        fresh = key not in numbers and not info.freed
        number = 0 if info.freed else numbers.setdefault(key, len(numbers) + 1)
        of = ", ".join(name for _, name, _ in names.outputs_of(node, len(peek.output_specs(node)))) or None
        known = None if info.freed else names.of_saved(info)
        size = 0 if info.freed else peek.memory(info.tensor)[1]
        what = (tuple(info.shape), str(info.dtype), number, size, fresh, step, last[key], info.freed)
        rows.append(Row(peek.title(node), of, info.name, known[0] if known else None, *what))
    return rows


def size(count: int) -> str:
    return f"{count:,} byte" + "s" * (count != 1)


def _kept(rows: Sequence[Row], total: int) -> str:
    arrays = max((row.memory for row in rows), default=0)
    if arrays:
        return f"{size(total)} in {arrays} array" + "s" * (arrays != 1)
    return "no array" + (", all are freed" if rows else "")


def _listing(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _line(row: Row) -> str:
    start = f"  {row.node}{f' of {row.of}' if row.of else ''}: {row.saved} is "
    if row.freed:
        return start + "freed"
    count = size(row.nbytes) if row.counted else "counted above"
    name = f"{row.tensor} " if row.tensor else ""
    return start + f"{name}{row.shape} {row.dtype}, memory {row.memory}, {count}, freed after step {row.step}"


def _ends(rows: Sequence[Row]) -> list[str]:
    """When shared memory goes."""
    users: dict[int, list[Row]] = {}
    for row in rows:
        if not row.freed:
            users.setdefault(row.memory, []).append(row)
    shared = [(number, held[0].last_step) for number, held in users.items() if len(held) > 1]
    return [f"Memory {number} is kept until step {step}." for number, step in shared[:10]] + _more(len(shared), 10, "shared array")


def _more(count: int, shown: int, what: str) -> list[str]:
    return [f"And {count - shown:,} more {what}s."] if count > shown else []


# --- the picture: nodes on the left, memory on the right, a line for every saved tensor


def _paint(head: str, rows: Sequence[Row], formulas: Sequence[str]) -> tuple[Scene, list[str]]:
    nodes: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        nodes.setdefault((row.node, row.step), []).append(row)
    shown = list(nodes.values())[:MOST_NODES]
    note = []
    if len(nodes) > MOST_NODES:
        hidden = [row for held in list(nodes.values())[MOST_NODES:] for row in held]
        more = size(sum(row.nbytes for row in hidden if row.counted))
        note.append(f"Drawn: the first {MOST_NODES} nodes of {len(nodes):,}. The others keep {more} more; .rows has all.")
    left = max((_width(_node_lines(held, formulas)) for held in shown), default=60.0)
    cells = {row.memory: row for held in reversed(shown) for row in reversed(held) if not row.freed}
    most = max((row.nbytes for row in cells.values()), default=1) or 1
    right = max((_width(_cell_lines(row)) for row in cells.values()), default=60.0)
    x2 = MARGIN + left + _BETWEEN
    caption = "left: nodes, in the order of backward; right: what they keep"
    words, top = headed(head, caption, max(x2 + right - MARGIN, NARROW))
    shapes: list[Shape] = [*words]
    y = bottom = top  # below the last node, and below the last memory
    place: dict[int, float] = {}
    for held in shown:
        fresh = [number for number in dict.fromkeys(row.memory for row in held if not row.freed) if number not in place]
        y = max(y, bottom) if fresh else y  # a node stands beside the memory that is its own
        bottom = max(y, bottom)
        for number in fresh:
            row = cells[number]
            lines = _cell_lines(row)
            height = 2 * _PAD + _LINE * len(lines) + 9
            shapes += _box(x2, bottom, right, height, "leaf", lines)
            bar = max(2.0, round((right - 20) * row.nbytes / most))
            shapes.append(Rect(x2 + 10, bottom + height - 12, bar, 5, 2, BLUE, BLUE, 0.5))
            place[number] = bottom + height / 2
            bottom += height + _GAP
        lines = _node_lines(held, formulas)
        height = 2 * _PAD + _LINE * len(lines)
        freed = all(row.freed for row in held)
        shapes += _box(MARGIN, y, left, height, "freed" if freed else "node", lines)
        for k, row in enumerate(held):
            if not row.freed:
                at, end, bend = y + _PAD + _LINE * (k + 2.5), place[row.memory], _BETWEEN * 0.5
                curve = (MARGIN + left + bend, at, x2 - bend, end, x2 - ARROW, end)
                shapes.append(Path((("M", (MARGIN + left, at)), ("C", curve)), ARROW_DOWN))
                shapes.append(Polygon(((x2, end), (x2 - ARROW, end - HALF), (x2 - ARROW, end + HALF)), ARROW_DOWN))
        y += height + _GAP
    bottom = max(bottom, y) - _GAP
    for line in note:
        bottom += 26
        shapes.append(Text(MARGIN, bottom, (Run(line, CAPTION),)))
    texts = [shape for shape in shapes if isinstance(shape, Text)]
    wide = max([x2 + right if cells else MARGIN + left, *(t.x + t.width for t in texts)])
    width, height = round(wide + MARGIN), round(bottom + MARGIN)
    return framed(shapes, width, height), note


def _node_lines(held: Sequence[Row], formulas: Sequence[str]) -> list[tuple[Run, ...]]:
    first = held[0]
    freed = all(row.freed for row in held)
    head = Run(formulas[first.step - 1], FREED_TITLE if freed else TITLE)
    lines: list[tuple[Run, ...]] = [(head,), (Run(first.node, FREED_PLAIN if freed else SMALL),)]
    for row in held:
        what = "freed already" if row.freed else f"freed after step {row.step}"
        lines.append((Run(row.saved, FREED_PLAIN if row.freed else SMALL), Run(what, FREED_PLAIN if row.freed else _EMPTY)))
    return lines


def _cell_lines(row: Row) -> list[tuple[Run, ...]]:
    """Of the first row that keeps it. When it goes is said where another node keeps it longer."""
    longer = f", until step {row.last_step}" * (row.last_step > row.step)
    words = (f"{row.shape} {row.dtype}", size(row.nbytes) + longer)
    return [(Run(row.tensor or f"memory {row.memory}", TITLE),), *((Run(word, SMALL),) for word in words)]


def _width(lines: Sequence[tuple[Run, ...]]) -> float:
    return round(max(Text(0, 0, runs).width for runs in lines) + 20)


def _box(x: float, y: float, w: float, h: float, tone: str, lines: Sequence[tuple[Run, ...]]) -> list[Shape]:
    fill, stroke, radius, dash = TONES[tone]
    box = Rect(x, y, w, h, radius, fill, stroke, dash=dash)
    return [box, *(Text(x + 10, y + _PAD + _LINE * k + 13, runs) for k, runs in enumerate(lines))]
