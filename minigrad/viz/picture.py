"""From boxes and edges to shapes: measures the text, asks `layout` for places, and draws.

Every picture has the leaves at the top and the result at the bottom. Panels beside each other share their
rows, so that an operation and the backward node that it left stand at the same height.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from . import style
from .layout import Edge, Layout, arrange, rows_of, settle
from .paint import Dot, Path, Polygon, Rect, Run, Scene, Shape, Style, Text, line_width, number, text_width
from .style import ALERT, FAINT, INK, MARK, MUTED, PAPER, RIM

TITLE = Style(14, INK, bold=True)
PLAIN = Style(12, INK)
VALUE, SLOPE = Style(13, style.VALUE, bold=True), Style(12, style.SLOPE, bold=True)  # a value, and what comes from below
SMALL = Style(11, MUTED)
WARN = Style(11, ALERT, bold=True)
FREED_TITLE, FREED_PLAIN = Style(14, FAINT, bold=True), Style(11, FAINT)
HEADING, CAPTION = Style(15, INK, bold=True), Style(12, MUTED)

# Fill, outline, corner radius, dashes. Blue and orange stay apart for every eye, and words say the same.
TONES = {
    "leaf": (style.BLUE_TINT, style.BLUE, 5, ""),
    "tensor": ("#ffffff", style.OUTLINE, 5, ""),
    "constant": ("#ffffff", style.DASHED, 5, "4 3"),
    "node": (style.ORANGE_TINT, style.ORANGE, 5, ""),
    "freed": (style.FREED, style.FREED_RIM, 5, ""),
    "fold": (style.FOLDED, style.DASHED, 5, "2 3"),
    "none": ("none", "none", 0, ""),
}
HALO, DOWN, UP = style.MARK_TINT, style.ARROW_DOWN, style.ARROW_UP  # around a mark, and the colours of arrows

PAD_X, PAD_Y, LINE_STEP, COLUMN = 8.0, 7.0, 1.34, 10.0
GAP, MARGIN, BETWEEN = 34.0, 14.0, 28.0  # two panels have a margin each between them
NARROW = 320.0  # notes below a picture have this much room at least
HEAD = MARGIN + 52  # where the boxes begin, below the heading
GAP_FOR_NUMBERS, LABEL = 64.0, 58.0  # between two rows, where arrows have numbers; and the width for one of these
FEW = 40  # arrows of a panel
FACTOR, MESSAGE, TANGENT = Style(11, MUTED), SLOPE, Style(12, style.VALUE, bold=True)  # the last where arrows point down
ARROW, HALF, JUNCTION = 8.0, 3.6, 2.6
AROUND, HALO_RIM = 5.0, 2.5  # of the halo of a mark: how far from the box it goes, and its line


@dataclass(frozen=True, slots=True)
class Row:
    """One line in a box: runs in the middle, or cells of a table that has its columns in line."""

    runs: tuple[Run, ...]
    table: bool = False


@dataclass(slots=True)
class Box:
    rows: tuple[Row, ...]
    tone: str
    marked: bool = False
    twin: int | None = (
        None  # the box of the first panel that stands in the same row; None: right above its user
    )
    least: tuple[float, float] = (0.0, 0.0)  # width and height that a box has at any rate
    width: float = 0.0
    height: float = 0.0
    columns: list[float] = field(default_factory=list)

    def measure(self, ports: int) -> None:
        tables = [row.runs for row in self.rows if row.table]
        self.columns = [
            max(r[i].width for r in tables if len(r) > i) for i in range(max(map(len, tables), default=0))
        ]
        lines = [line_width(row.runs) for row in self.rows if not row.table]
        inner = max([self.table_width, *lines, 30.0])
        self.width = max(float(round(inner + 2 * PAD_X)), 9.0 * (ports + 1), self.least[0])
        self.height = max(float(round(sum(_step(row) for row in self.rows) + 2 * self.pad)), self.least[1])

    @property
    def pad(self) -> float:
        return 1.0 if self.tone == "none" else PAD_Y

    @property
    def table_width(self) -> float:
        return sum(self.columns) + COLUMN * max(len(self.columns) - 1, 0)


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge of a panel. Whether its head is above or below is the panel's matter."""

    above: int
    below: int
    port: int = 0
    dotted: bool = False
    label: str = ""
    lit: bool = False
    numbers: tuple[str, str] = ("", "")  # the local slope, and the cotangent that is handed on


@dataclass(slots=True)
class Panel:
    title: str
    caption: str
    boxes: list[Box]
    arrows: list[Arrow]
    upward: bool  # arrows point to the box above

    @property
    def heading(self) -> tuple[Run, Run]:
        return Run(self.title, HEADING), Run(self.caption, CAPTION)


@dataclass(slots=True)
class Placed:
    """A panel with its geometry, in the coordinates of the whole picture."""

    panel: Panel
    layout: Layout
    start: float  # where its heading stands
    left: float  # where its boxes begin
    top: list[float]  # of each row
    depth: list[float]  # height of each row
    numbers: list[Shape] = field(default_factory=list)  # at its arrows

    def corner(self, i: int) -> tuple[float, float]:
        box, row = self.panel.boxes[i], self.layout.row[i]
        return self.left + self.layout.x[i] - box.width / 2, self.top[row] + (
            self.depth[row] - box.height
        ) / 2


def place(panels: Sequence[Panel], head: float, gap: float = GAP, least: float = 0.0) -> tuple[list[Placed], float, float]:
    """Lay the panels out from left to right, `head` below the top, `gap` between rows, each at least so wide. Also returns the
    right and lower end."""
    layouts: list[Layout] = []
    for panel in panels:
        edges = [Edge(a.above, a.below, a.port) for a in panel.arrows]
        into = Counter(e.below for e in edges)
        out = Counter(e.above for e in edges)
        for i, box in enumerate(panel.boxes):
            box.measure(max(into[i], min(out[i], 12)))
        if any(box.twin is not None for box in panel.boxes):
            row = [0 if box.twin is None else layouts[0].row[box.twin] for box in panel.boxes]
            for e in edges:
                if panel.boxes[e.above].twin is None:
                    row[e.above] = row[e.below] - 1
        else:
            row = rows_of(len(panel.boxes), edges)
        widths = [box.width for box in panel.boxes]
        layout = arrange(widths, edges, row)
        for k, arrow in enumerate(panel.arrows):
            none = panel.boxes[arrow.above].tone == "none"  # it may stand on either side, where there is time to try both
            if none and layout.crossings and len(edges) <= FEW:
                moved = [replace(e, port=99 if not e.port else -1) if i == k else e for i, e in enumerate(edges)]
                other = arrange(widths, moved, row)
                if other.crossings < layout.crossings:
                    edges, layout = moved, other
        layouts.append(layout)
    rows = max((max(lay.row) + 1 for lay in layouts if lay.row), default=0)
    depth, stretch = [0.0] * rows, [0.0] * rows
    for panel, lay in zip(panels, layouts, strict=True):
        for box, r in zip(panel.boxes, lay.row, strict=True):
            depth[r] = max(depth[r], box.height)
        for route in lay.routes:
            for (_, x), (r, nx) in zip(route, route[1:], strict=False):
                stretch[r] = max(stretch[r], abs(nx - x))
    top, y = [], head
    for r in range(rows):
        y += gap + min(stretch[r] / 9, 60.0) if r else 0
        top.append(y)
        y += depth[r]
    placed, x = [], MARGIN
    for panel, lay in zip(panels, layouts, strict=True):
        wide = max(least, lay.width, *(run.width for run in panel.heading))
        placed.append(Placed(panel, lay, x, x + round((wide - lay.width) / 2), top, depth))
        placed[-1].numbers = _numbers(placed[-1])
        placed[-1].left += max([0.0, *(x - shape.x for shape in placed[-1].numbers if isinstance(shape, Rect))])  # room for the first
        placed[-1].numbers = _numbers(placed[-1])
        ends = (shape.x + shape.w for shape in placed[-1].numbers if isinstance(shape, Rect))
        x = max([x + wide, placed[-1].left + lay.width, *ends]) + BETWEEN
    return placed, x - BETWEEN, y


def paint(panels: Sequence[Panel], notes: Sequence[str] = (), least: float = 0.0, gap: float = GAP) -> Scene:
    """The whole picture, at least so many units wide, with at least so much between two rows. Each panel is a part of it."""
    below = (Run(row, CAPTION).width for note in notes if len(panels) == 1 for row in wrapped(note, NARROW))
    placed, right, bottom = place(panels, HEAD, gap, max(below, default=0.0))  # a narrow graph stands above the middle of its notes
    right = max(right, least - MARGIN)
    drawn = [_panel(p) for p in placed]
    ends = [p.start - BETWEEN / 2 for p in placed[1:]]
    rules = tuple(Path((("M", (x, MARGIN)), ("L", (x, bottom))), RIM) for x in ends)
    whole = _scene(0.0, right + MARGIN, bottom, (*rules, *(shape for shapes in drawn for shape in shapes)), notes)
    if len(panels) == 1:
        return framed(whole.shapes, whole.width, whole.height)
    borders = [0.0, *ends, right + MARGIN]
    low = [max((p.corner(i)[1] + box.height for i, box in enumerate(p.panel.boxes)), default=bottom) for p in placed]
    parts = [_scene(x, end, y, shapes, notes if not k else ())
             for k, (x, end, y, shapes) in enumerate(zip(borders, borders[1:], low, drawn, strict=False))]  # fmt: skip
    return replace(framed(whole.shapes, whole.width, whole.height), parts=tuple(parts))


def _scene(left: float, right: float, bottom: float, shapes: Sequence[Shape], notes: Sequence[str]) -> Scene:
    """The shapes, and the notes below them."""
    width, y = right - left, bottom
    below: list[Text] = []
    for row in (row for note in notes for row in wrapped(note, max(width - 2 * MARGIN, NARROW))):
        y += 18 if below else 30
        below.append(Text(left + MARGIN, y, (Run(row, CAPTION),)))
        width = max(width, below[-1].width + 2 * MARGIN)
    return Scene(round(width), round(y + MARGIN), (*shapes, *below), left)


def headed(head: str, caption: str, width: float) -> tuple[list[Text], float]:
    """A heading and what is to be seen, in rows of this width; and where the picture begins."""
    rows = [(row, HEADING, 18) for row in wrapped(head, width, HEADING)]
    rows += [(row, CAPTION, 16) for row in wrapped(caption, width) if row]
    shapes, y = [], MARGIN - 5.0
    for row, look, step in rows:
        y += step
        shapes.append(Text(MARGIN, y, (Run(row, look),)))
    return shapes, y + 22


def framed(shapes: Iterable[Shape], width: float, height: float) -> Scene:
    """The shapes on a sheet of paper: every drawing stands on one."""
    return Scene(width, height, (Rect(0, 0, width, height, 0, PAPER, "none", 0), *shapes))


def _panel(p: Placed) -> list[Shape]:
    title, caption = p.panel.heading
    shapes: list[Shape] = [Text(p.start, MARGIN + 12, (title,)), Text(p.start, MARGIN + 29, (caption,))]
    for i, box in enumerate(p.panel.boxes):
        if box.marked:
            x, y = p.corner(i)
            shapes.append(Rect(x - AROUND, y - AROUND, box.width + 2 * AROUND, box.height + 2 * AROUND, 10, HALO, MARK, HALO_RIM))
    lines, over = _arrows(p)
    shapes += [*lines, *(s for s in p.numbers if isinstance(s, Rect)), *over, *(s for s in p.numbers if isinstance(s, Text))]
    for i in range(len(p.panel.boxes)):
        shapes += _box(p, i)
    return shapes


def wrapped(note: str, width: float, style: Style = CAPTION) -> list[str]:
    rows = [""]
    for word in note.split():
        longer = f"{rows[-1]} {word}".strip()
        if rows[-1] and text_width(longer, style) > width:
            rows.append(word)
        else:
            rows[-1] = longer
    return rows


def _step(row: Row) -> float:
    return round(max(run.style.size for run in row.runs) * LINE_STEP)


def _box(p: Placed, i: int) -> list[Shape]:
    box = p.panel.boxes[i]
    x, y = p.corner(i)
    fill, stroke, radius, dash = TONES[box.tone]
    shapes: list[Shape] = []
    if box.tone == "fold":
        shapes.append(Rect(x + 4, y - 4, box.width, box.height, radius, fill, stroke))
    shapes.append(Rect(x, y, box.width, box.height, min(radius, box.height / 2), fill, stroke, dash=dash))
    y += box.pad
    start = x + (box.width - box.table_width) / 2
    for row in box.rows:
        step = _step(row)
        base = y + round(0.76 * step)
        if row.table:
            left = start
            for run, width in zip(row.runs, box.columns, strict=False):
                shapes.append(Text(left, base, (run,)))
                left += width + COLUMN
        else:
            shapes.append(Text(x + box.width / 2, base, row.runs, middle=True))
        y += step
    return shapes


def label_places(p: Placed) -> list[tuple[float, float]]:
    """Where the numbers of each arrow stand: beside its upright part where it passes a row on the outside, and else on it, above
    the row of the box that it goes into, none over another."""
    places = [(0.0, 0.0)] * len(p.panel.arrows)
    rows: dict[int, list[tuple[float, int]]] = {}
    for k, route in enumerate(p.layout.routes):
        (above, x), (row, last) = route[-2:]
        if side := _outside(p, k):
            half = max(Run(text, MESSAGE).width for text in p.panel.arrows[k].numbers) / 2 + 10
            places[k] = round(p.left + x + side * half, 2), round(p.top[above] + p.depth[above] / 2 - 2, 2)
            continue
        rows.setdefault(row, []).append(((x + last) / 2, k))
    for row, wishes in rows.items():
        wishes.sort()
        y = (p.top[row - 1] + p.depth[row - 1] + p.top[row]) / 2
        wide = [max(Run(text, MESSAGE).width for text in p.panel.arrows[k].numbers) for _, k in wishes]
        gaps = [max(LABEL, (a + b) / 2 + 13) for a, b in zip(wide, wide[1:], strict=False)]
        found = settle([x for x, _ in wishes], [1.0] * len(wishes), gaps)
        inside = max(0.0, wide[0] / 2 + 7 - (p.left + found[0]))  # the first may stand further left than any box
        for x, (_, k) in zip(found, wishes, strict=True):
            places[k] = round(p.left + x + inside, 2), round(y, 2)
    return places


def _outside(p: Placed, k: int) -> int:
    """Where an arrow passes the row above that of its lower box: -1 left of all boxes and arrows, 1 right of them, and else 0."""
    (row, x), passed = p.layout.routes[k][-2], p.layout.routes[k][1:-1]
    boxes = [p.layout.x[i] for i in range(len(p.panel.boxes)) if p.layout.row[i] == row]
    others = boxes + [at for j, route in enumerate(p.layout.routes) if j != k for r, at in route[1:-1] if r == row]
    return (x > max(others)) - (x < min(others)) if passed and p.depth[row] > 40 else 0


def _numbers(p: Placed) -> list[Shape]:
    shapes: list[Shape] = []
    for arrow, (x, y) in zip(p.panel.arrows, label_places(p), strict=True):
        pairs = zip(arrow.numbers, (FACTOR, MESSAGE if p.panel.upward else TANGENT), (-2, 13), strict=True)
        labels = [Text(x, y + below, (Run(text, look),), middle=True) for text, look, below in pairs if text]
        if labels:  # one patch of paper behind both
            wide, top, bottom = max(label.width for label in labels) + 10, labels[0].y - 12, labels[-1].y + 4
            shapes += [Rect(x - wide / 2, top, wide, bottom - top, 4, PAPER, "none", 0), *labels]
    return shapes


def way(p: Placed, k: int, shift: float = 0.0) -> tuple[str, tuple[float, float], tuple[float, float]]:
    """The whole line of an arrow, as SVG writes it, with its upper and its lower end."""
    arrow, route = p.panel.arrows[k], p.layout.routes[k]
    points = [(p.left + x + shift, p.top[r], p.top[r] + p.depth[r]) for r, x in route]
    start = p.corner(arrow.above)[1] + p.panel.boxes[arrow.above].height
    end = p.corner(arrow.below)[1]
    (x, _, edge), y = points[0], start
    d = [f"M{number(x)} {number(y)}"]
    for nx, top, bottom in points[1:]:
        if edge > y:
            d.append(f"L{number(x)} {number(edge)}")
        bend = (top - edge) * 0.5
        d.append(f"C{number(x)} {number(edge + bend)} {number(nx)} {number(top - bend)} {number(nx)} {number(top)}")
        x, y, edge = nx, top, bottom
    if end > y:
        d.append(f"L{number(x)} {number(end)}")
    return " ".join(d), (points[0][0], start), (x, end)


def _arrows(p: Placed) -> tuple[list[Shape], list[Shape]]:
    """Edges run straight down through the rows and curve only between them. A shared trunk is drawn once. The second list lies
    over the paper of the numbers: heads, and arrows whose own numbers stand beside them."""
    lines: list[Shape] = []
    beside: list[Shape] = []
    heads: list[Shape] = []
    plain, up = (UP, True) if p.panel.upward else (DOWN, False)
    drawn: dict[tuple[int, int, float], str] = {}  # the colour of each piece of a trunk
    for k in sorted(range(len(p.panel.arrows)), key=lambda k: not p.panel.arrows[k].lit):  # a shared trunk is lit when one branch is
        arrow, route = p.panel.arrows[k], p.layout.routes[k]
        colour, line = (MARK, 3.2) if arrow.lit else (style.DASHED if arrow.dotted else plain, 1.4)
        points = [(p.left + x, p.top[r], p.top[r] + p.depth[r]) for r, x in route]
        above, below, halo = p.panel.boxes[arrow.above], p.panel.boxes[arrow.below], AROUND + HALO_RIM / 2
        start = p.corner(arrow.above)[1] + above.height + halo * above.marked
        end = p.corner(arrow.below)[1] - halo * below.marked
        fresh = 0
        for i, (row, x) in enumerate(route[1:-1], 1):
            fresh = i if (arrow.above, row, x) in drawn else fresh
            drawn.setdefault((arrow.above, row, x), colour)
        x, _, edge = points[fresh]
        if fresh:
            dot = Dot(x, edge, JUNCTION, drawn[(arrow.above, *route[fresh])])
            heads += [dot] * (dot not in heads)
        y = edge
        if not fresh:
            y = start
            if up:
                heads.append(Polygon(((x, y), (x - HALF, y + ARROW), (x + HALF, y + ARROW)), colour))
                y += ARROW - 1
        steps: list[tuple[str, tuple[float, ...]]] = [("M", (x, y))]
        edge = max(edge, y)
        for i, (nx, top, bottom) in enumerate(points[fresh + 1 :], fresh + 2):
            stop = min(top, end - ARROW + 1) if i == len(points) and not up else top
            if edge > y:
                steps.append(("L", (x, edge)))
            bend = (stop - edge) * 0.55
            curve = ("C", (x, edge + bend, nx, stop - bend, nx, stop))
            steps.append(("L", (x, stop)) if nx == x else curve)
            x, y, edge = nx, stop, bottom
        last = end if up else end - ARROW + 1
        if last > y:
            steps.append(("L", (x, last)))
        (beside if p.numbers and _outside(p, k) else lines).append(Path(tuple(steps), colour, line, "2 4" if arrow.dotted else ""))
        if not up:
            heads.append(Polygon(((x, end), (x - HALF, end - ARROW), (x + HALF, end - ARROW)), colour))
        if arrow.label:
            heads.append(Text(x + 5, end - 6, (Run(arrow.label, SMALL),)))
    return lines, beside + heads
