"""`steps`: the backward pass as a series of pictures, one for each node that fires."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from . import peek
from .drawing import Drawing, check_tensors
from .maths import Maths
from .names import Names, held_results, variables_of
from .paint import Run, Style, clean, svg
from .panels import operation
from .peek import Tensor
from .picture import (
    FREED_PLAIN,
    FREED_TITLE,
    GAP_FOR_NUMBERS,
    HEAD,
    INK,
    MARGIN,
    PLAIN,
    SLOPE,
    SMALL,
    TANGENT,
    TITLE,
    VALUE,
    WARN,
    Arrow,
    Box,
    Panel,
    Row,
    paint,
    place,
    way,
)  # fmt: skip
from .rehearsal import Frame, Pass, Sent, at_arrow, rehearse
from .scripts import script_image

MOST_BYTES, FRAME_BYTES = 200_000, 20_000  # of HTML, about; and of these for the script
MOST_BOXES = 24  # a larger graph is drawn in windows around the node that fires
FIRST = 0.65  # of the room when steps are folded: the rest is for the last steps

LONGEST_VALUE = 24  # characters in a box
PACE = 2200  # milliseconds for each step while it plays


@dataclass(frozen=True, slots=True)
class _Node:
    """What the pictures tell of a node, without the node."""

    title: str
    heading: str  # how the operation is written; of a leaf its name
    leaf: bool
    keeps: str
    writes: tuple[tuple[int, str], ...]  # the lines that wrote to what it keeps: there the pass stops
    edges: tuple[tuple[int, int], ...]  # (port, number of the node above)
    value: str  # of the leaf or the result, where it is held and small
    made: int  # the number that says when
    line: tuple[int, str] | None  # the number and the text of the line that made it

    @property
    def name(self) -> str:
        return self.heading.partition(" = ")[0]


@dataclass(frozen=True, repr=False)
class Steps:
    """A backward pass: `.frames` as data, `.picture(k)` as a drawing, `.text`, and `.html` with all of them.

    A frame has `.number`, `.node`, `.of`, `.incoming`, `.where`, `.sent` (a list with `.operand`, `.rule`, `.value`,
    `.to`), `.accumulated` (`.grad` before and after), `.freed`, `.hooks` and `.error`; of a step forward `.sent` and `.tangent`.
    Numbers are text.
    """

    frames: tuple[Frame, ...]
    text: str
    html: str
    folded: int  # steps without a picture in `.html`
    _nodes: tuple[_Node, ...]
    _starts: tuple[int, ...]
    _roots: tuple[tuple[str, str], ...]

    def picture(self, number: int) -> Drawing:
        """The picture of one step, counted from 1. Raises IndexError when there is no such step."""
        if not 1 <= number <= len(self.frames):
            raise IndexError(f"there are steps 1 to {len(self.frames)}, and no step {number}")
        return _Painter(self.frames, self._nodes, self._starts, self._roots).drawing(number)

    def __len__(self) -> int:
        return len(self.frames)

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        bundle = {"text/html": self.html, "text/plain": self.text}
        return {k: v for k, v in bundle.items() if (not include or k in include) and k not in (exclude or ())}


def steps(*roots: Tensor, gradient: Any = None, names: Mapping[str, Tensor] | None = None, forward: bool = False) -> Steps:
    """Show the backward pass from one or several roots, step by step, without making it.

    gradient: what `backward` would be given: a tensor of the root's shape, or a list with one for each root; None for
    roots of one element. names: names for tensors, {"loss": L}; without it those of the variables at the call.
    forward: show before it, of a program of single numbers, a forward pass from each leaf: it moves alone, with the tangent 1.
    Nothing changes: `.grad`, saved tensors and versions stay, and hooks are counted, not called. (The backward of a custom
    Function is called, since only it knows its result.) Where the real pass would fail, the last step tells the error.
    Raises RuntimeError for roots without a graph and for gradients that do not fit, as `backward` does, and with `forward`
    ValueError for tensors that are no single real numbers.

    >>> import minigrad as mg
    >>> from minigrad import viz
    >>> x = mg.tensor(3., requires_grad=True)
    >>> y = x * x
    >>> viz.steps(y)
    The backward pass from y: 2 steps
    Start: y is given 1.0
    Step 1 of 2: MulBackward0 of y fires
        comes in: g = 1.0
        rule for self: g * other, with other = x = 3.0
        rule for other: g * self, with self = x = 3.0
        goes out: 3.0 to AccumulateGrad of x (1 of 2 arrived, the sum is 3.0)
        goes out: 3.0 to AccumulateGrad of x (2 of 2 arrived, the sum is 6.0)
        freed: self, other
    Step 2 of 2: AccumulateGrad of x fires
        comes in: g = 6.0
        x.grad: None before, 6.0 after
    """
    check_tensors("steps", roots, names)
    known = Names(variables_of(sys._getframe(1)) if names is None else names)
    run = rehearse(roots, gradient, known, forward)
    held = held_results(roots, run.nodes, known)
    maths = Maths(roots, run.nodes, known)
    nodes = tuple(_node(run, k, maths, held) for k in range(len(run.nodes)))
    painter = _Painter(run.frames, nodes, run.starts, run.roots)
    return Steps(tuple(run.frames), *_tell(painter), nodes, tuple(run.starts), tuple(run.roots))


def _node(run: Pass, k: int, maths: Maths, held: Mapping[int, Tensor]) -> _Node:
    node = run.nodes[k]
    edges = tuple((port, run.places[id(s)]) for port, (s, _) in enumerate(peek.edges(node)) if s is not None)
    title, heading = peek.title(node), maths.heading(node)
    if peek.is_leaf_node(node):
        return _Node(title, heading, True, "", (), edges, _value(peek.variable(node)), 0, None)
    infos = peek.saved(node)
    keeps = ", ".join(dict.fromkeys(info.name for info in infos))
    if len(keeps) > 30:
        keeps = f"{len(infos)} tensors"
    late = next((info for info in infos if not info.freed and info.saved_version != info.version_now), None)
    if late is not None:
        keeps = f"{late.name} at version {late.saved_version}, now {late.version_now}"
    after = [peek.place(site) for version, site in peek.writes(late.tensor) if version > late.saved_version] if late else []
    freed = "freed already" if infos and all(info.freed for info in infos) else f"keeps {keeps}" if keeps else ""
    result = held.get(id(node))
    value = "" if result is None or len(peek.output_specs(node)) > 1 else _value(result)
    writes = tuple(line for line in after if line)
    return _Node(title, heading, False, freed, writes, edges, value, peek.number(node), peek.place(peek.site(node)))


def _value(tensor: Tensor) -> str:
    text = peek.brief(tensor)
    return "" if len(text) > LONGEST_VALUE or text.startswith("shape") else text


# --- words


def _lines(frame: Frame, nodes: Sequence[_Node]) -> list[tuple[str, str]]:
    """What happens in a step, as (label, text)."""
    if frame.moves >= 0:
        along = [(f"along {nodes[s.target].name}", f"slope {s.local} × t {s.total} = {s.value}") for s in frame.sent]
        return [*along, (f"t of {nodes[frame.place].name}", " + ".join(s.value for s in frame.sent) + f" = {frame.tangent}")]
    lines = [("comes in", "g = " + "; ".join(frame.incoming))]
    if frame.hooks:
        lines.append(("hooks", f"{frame.hooks} would be called here, and may change the numbers that follow"))
    if frame.error:
        first, more, _ = frame.error.partition(". ")
        lines.append(("stops", first + ". …" * bool(more)))
    for sent in frame.sent:
        read = [w for w in frame.where if w.split(" = ")[0] in _words(sent.rule)]
        lines.append((f"rule for {sent.operand}", sent.rule + (f", with {'; '.join(read)}" if read else "")))
    for sent in frame.sent:
        lines.append(("goes out", _sent(sent)))
    if frame.accumulated:
        before, after = frame.accumulated
        lines.append((f"{frame.of}.grad", f"{before} before, {after} after"))
    if frame.freed:
        lines.append(("freed", ", ".join(frame.freed)))
    return lines


def _words(rule: str) -> set[str]:
    return set("".join(ch if ch.isalnum() or ch == "_" else " " for ch in rule).split())


def _sent(sent: Sent) -> str:
    text = f"{sent.value} to {sent.to}"
    if sent.summed is not None:
        text = f"{sent.value} (summed from shape {sent.summed}: broadcasting undone) to {sent.to}"
    if sent.awaited > 1:
        text += f" ({sent.arrived} of {sent.awaited} arrived"
        text += f", the sum is {sent.total})" if sent.arrived > 1 or sent.awaited == 2 else ")"
    return text


def _tell(painter: _Painter) -> tuple[str, str, int]:
    """The text, the HTML, and how many steps are told in neither, because there are too many."""
    total = len(painter.frames)
    moved = list(dict.fromkeys(painter.nodes[frame.moves].name for frame in painter.frames if frame.moves >= 0))
    passes = f"Forward from {_listing(moved)}, backward" if moved else "The backward pass"
    head = f"{passes} from {_listing([name for name, _ in painter.roots])}: {total} step" + "s" * (total != 1)
    begin = "Start: " + "one input has t = 1, the others t = 0; then " * bool(moved)
    begin += "; ".join(f"{name} is given {value}" for name, value in painter.roots)
    told: dict[int, tuple[str, str]] = {}
    room = MOST_BYTES - FRAME_BYTES
    for numbers, share in ((range(1, total + 1), FIRST * room), (range(total, 0, -1), room)):
        used = sum(len(page.encode()) for page, _ in told.values())
        for number in numbers:
            if number in told:
                break
            pair = painter.page(number)
            used += len(pair[0].encode())
            if used > share and told:
                break
            told[number] = pair
    folded = total - len(told)
    pages, words = [], [head, begin]
    previous = 0
    for number in sorted(told):
        if number > previous + 1:
            note = f"Steps {previous + 1} to {number - 1} are folded: {number - 1 - previous} of {total}. They are in .frames."
            pages.append(f"<p>{clean(note)}</p>")
            words.append(note)
        pages.append(told[number][0])
        words.append(told[number][1])
        previous = number
    script = script_image("stepper", painter.told(sorted(told)))
    html = f"<div>\n<p><b>{clean(head)}</b><br>{clean(begin)}</p>\n" + "\n".join(pages) + f"\n{script}\n</div>"
    return "\n".join(words), html, folded


def _listing(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


# --- pictures


class _Painter:
    def __init__(
        self,
        frames: Sequence[Frame],
        nodes: Sequence[_Node],
        starts: Sequence[int],
        roots: Sequence[tuple[str, str]],
    ) -> None:
        self.frames, self.nodes, self.starts, self.roots = frames, nodes, starts, roots
        self.fired = {(frame.moves, frame.place): k for k, frame in enumerate(frames)}  # in each pass
        self.arrivals: dict[int, list[tuple[int, str]]] = {}
        for k, frame in enumerate(frames):
            for sent in frame.sent if frame.moves < 0 else ():
                waits = f" ({sent.arrived} of {sent.awaited})" if sent.arrived < sent.awaited else ""
                self.arrivals.setdefault(sent.target, []).append((k, f"g = {sent.total}{waits}"))
        self.least: dict[int, tuple[float, float]] = {}
        if len(nodes) <= MOST_BOXES:
            self.least = {i: self._size(i) for i in range(len(nodes))}
        self.width = 2 * 22 + max((run.width for k in range(len(frames)) for run in self._head(k)), default=0.0)

    def page(self, number: int) -> tuple[str, str]:
        """A step as HTML and as text."""
        frame = self.frames[number - 1]
        summary = self._summary(number)
        lines = _lines(frame, self.nodes)
        text = "\n".join([summary, *(f"    {label}: {what}" for label, what in lines)])
        plain = "</code>, with <code>"  # between a rule and its numbers; an error has its own "with"
        pairs = ((clean(label), clean(what).replace(", with ", plain, label.startswith("rule"))) for label, what in lines)
        caption = "<br>".join(f"{label}: <code>{what}</code>" for label, what in pairs)
        start = " open" if number == 1 else ""
        return (
            # The picture comes first, so that it stands still while the slider moves.
            f"<details{start}><summary>{clean(summary)}</summary>\n{self.drawing(number).html}\n<p>{caption}</p>\n</details>",
            text,
        )

    def _summary(self, number: int) -> str:
        frame = self.frames[number - 1]
        what = self._forward(frame) or f"{frame.title} " + ("stops" if frame.error else "fires")
        return f"Step {number} of {len(self.frames)}: {what}"

    def _forward(self, frame: Frame) -> str:
        return f"forward from {self.nodes[frame.moves].name}, {self.nodes[frame.place].name} moves" if frame.moves >= 0 else ""

    def _when(self, place: int, k: int) -> int:
        """The step at which a node fires in the pass of step k, and after the last one where it does not."""
        return self.fired.get((self.frames[k].moves, place), len(self.frames))

    def drawing(self, number: int) -> Drawing:
        k = number - 1
        panel = self._panel(k)
        scene = paint([panel], least=self.width, gap=GAP_FOR_NUMBERS)
        done = sum(self._when(place, k) < k for place in range(len(self.nodes)))
        alt = f"{self._summary(number)}. {done} of {len(self.nodes)} nodes fired before."
        text = "\n".join([self._summary(number), *(f"    {label}: {what}" for label, what in _lines(self.frames[k], self.nodes))])
        return Drawing(svg(scene, alt), text, alt, scene)

    def _panel(self, k: int) -> Panel:
        frame = self.frames[k]
        shown = self._shown(frame)
        index = {place: i for i, place in enumerate(shown)}
        boxes = [self._box(place, k) for place in shown]
        sent = {s.target for s in frame.sent}
        arrows = [
            Arrow(index[above], index[place], port, lit=place == frame.place and above in sent, numbers=self._numbers(place, nth, k))
            for place in shown
            for nth, (port, above) in enumerate(self.nodes[place].edges)
            if above in index
        ]
        title, caption = (run.text for run in self._head(k))
        return Panel(title, caption, boxes, arrows, upward=frame.moves < 0)

    def _numbers(self, place: int, nth: int, k: int) -> tuple[str, str]:
        """At an arrow, once its node has fired: the local slope of single numbers, and the cotangent or tangent that went along it."""
        fired = self._when(place, k)
        if k < fired or nth >= len(self.frames[fired].sent):
            return "", ""
        return at_arrow(self.frames[fired].sent[nth], len(self.nodes[place].edges))

    def told(self, numbers: Sequence[int]) -> dict[str, Any]:
        """What the script is given beside the list: the lines of code, that of each node and step, and where everything stands."""
        by_age = sorted(self.nodes, key=lambda node: node.made)
        lines = list(dict.fromkeys(node.line for node in by_age if node.line and node.line[1]))
        writes = {write: node.line for node in by_age for write in node.writes if write[1] and write not in lines}
        for write, saver in writes.items():  # below the line that kept, and the lines above the write
            row = lines.index(saver) + 1 if saver in lines else 0
            while row < len(lines) and lines[row][0] < write[0]:
                row += 1
            lines.insert(row, write)
        at = {line: i for i, line in enumerate(lines)}
        line = [at.get(node.line, -1) if node.line else -1 for node in self.nodes]
        whole = len(self.nodes) <= MOST_BOXES
        boxes, edges = [], []
        if whole:
            panel = self._panel(0)
            (placed,), _, _ = place([panel], HEAD, GAP_FOR_NUMBERS)
            boxes = [[*placed.corner(i), box.width, box.height] for i, box in enumerate(panel.boxes)]
            edges = [[a.above, a.below, way(placed, i)[0]] for i, a in enumerate(panel.arrows)]
        return {
            "label": "The backward pass: space plays, the arrow keys go from step to step", "pace": PACE,
            "lines": [text for _, text in lines], "line": line[: len(boxes)], "now": [line[self.frames[k - 1].place] for k in numbers],
            "writes": [at[write] for node in by_age for write in node.writes if write in at],
            "boxes": boxes, "edges": edges, "head": HEAD - MARGIN,
        }  # fmt: skip

    def _head(self, k: int) -> tuple[Run, Run]:
        frame = self.frames[k]
        what = self._forward(frame) or f"{frame.title} " + ("stops with an error" if frame.error else "fires")
        return Run(f"Step {k + 1} of {len(self.frames)}", Style(15, INK, bold=True)), Run(what, PLAIN)

    def _shown(self, frame: Frame) -> list[int]:
        if len(self.nodes) <= MOST_BOXES:
            return list(range(len(self.nodes)))
        near = [frame.place, *(above for _, above in self.nodes[frame.place].edges)]
        near += [place for place, node in enumerate(self.nodes) if any(above == frame.place for _, above in node.edges)]
        return sorted(dict.fromkeys(near[:MOST_BOXES]))

    def _rows(self, place: int, k: int) -> list[Row]:
        """What stands in a box at step k."""
        node, fired, moves = self.nodes[place], self._when(place, k), self.frames[k].moves
        gone = k > fired and not node.leaf and moves < 0
        title, small = (FREED_TITLE, FREED_PLAIN) if gone else (TITLE, SMALL)
        what = node.title if moves < 0 else "leaf" if node.leaf else operation(node.title)
        rows = [Row((Run(node.heading, title),)), Row((Run(what, small),))]
        if node.value:
            rows.append(Row((Run(node.value, FREED_PLAIN if gone else VALUE),)))
        if moves >= 0:  # forward: no gradient and no suitcase
            t = str(float(place == moves)) if node.leaf else self.frames[fired].tangent if k >= fired else ""
            last = "keeps nothing" if not node.leaf else "moves" if place == moves else "stands still"
            return [*rows, Row((Run(f"t = {t}", TANGENT) if t else Run("no t yet", small),)), Row((Run(last, small),))]
        news = [text for step, text in self.arrivals.get(place, ()) if step <= k]
        if place in self.starts and not news:
            news = ["g = " + self.roots[list(self.starts).index(place)][1]]
        if k >= fired:
            news = ["g = " + "; ".join(self.frames[fired].incoming)]
        rows.append(Row((Run(news[-1], FREED_PLAIN if gone else SLOPE) if news else Run("no g yet", small),)))
        if node.leaf:
            frame = self.frames[fired] if fired < len(self.frames) else None
            held = "" if frame is None or not frame.accumulated else frame.accumulated[k >= fired]
            rows.append(Row((Run(f".grad {held}" if held else "", small),)))
        elif node.keeps:
            freed = fired < len(self.frames) and k >= fired and self.frames[fired].freed
            rows.append(Row((Run("freed" if freed else node.keeps, WARN if node.writes and not gone else small),)))
        return rows

    def _box(self, place: int, k: int) -> Box:
        fired, forward = self._when(place, k), self.frames[k].moves >= 0
        if fired == k:
            tone = "leaf" if self.nodes[place].leaf or forward else "node"
        elif forward:
            tone = "leaf" if self.nodes[place].leaf else "tensor"
        elif k > fired:
            tone = "leaf" if self.nodes[place].leaf else "freed"
        else:
            tone = "tensor"
        return Box(tuple(self._rows(place, k)), tone, fired == k, least=self.least.get(place, (0.0, 0.0)))

    def _size(self, place: int) -> tuple[float, float]:
        """Of a box over all steps, so that nothing moves from picture to picture."""
        moments = {k for k, frame in enumerate(self.frames) if frame.moves >= 0 or frame.place == place}
        moments |= {sum(frame.moves >= 0 for frame in self.frames), *(step for step, _ in self.arrivals.get(place, ()))}
        width = height = 0.0
        for k in moments:
            box = Box(tuple(self._rows(place, k)), "node")
            box.measure(0)
            width, height = max(width, box.width), max(height, box.height)
        return width, height
