"""`timeline`: the versions of saved memory as steps, and what the backward pass will find: the picture of an in-place error."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from . import peek, picture, rehearsal, style
from .drawing import Drawing, check_tensors
from .names import Names, variables_of
from .paint import Dot, Path, Polygon, Rect, Run, Scene, Shape, Style, Text, svg, text_width
from .peek import Tensor
from .picture import CAPTION, FREED_PLAIN, INK, MARGIN, NARROW, PAPER, PLAIN, SMALL, TITLE, WARN, framed, headed

MOST_TRACKS, MOST_PINS, MOST_COLUMNS, LONGEST = 6, 12, 7, 30
_ROW, _RISE, _BLUE, _RED, _GREY = 20.0, 12.0, style.BLUE, style.MARK, style.DASHED
_GOOD, _BAD = Style(11, _BLUE, bold=True), Style(11, WARN.fill)  # the pass does not come to a bad one after the first


@dataclass(frozen=True, slots=True)
class Write:
    """An in-place write: the version that it made, the line where it stands (None: not known) and the text of that line."""

    version: int
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Pin:
    """A tensor saved by a node at some version, and whether the backward pass will find that version still there."""

    node: str
    of: str | None  # the tensor that the operation made
    saved: str  # what the node calls it
    tensor: str | None  # what the caller calls it
    version: int
    now: int
    line: int | None  # where the operation stands
    text: str
    step: int  # of the backward pass

    @property
    def right(self) -> bool:
        return self.version == self.now


@dataclass(frozen=True, slots=True)
class Track:
    """One piece of memory, with the shape of the tensor that names it. `writes` has the last ones, at most 16."""

    name: str
    shape: tuple[int, ...]
    dtype: str
    version: int
    writes: tuple[Write, ...]
    pins: tuple[Pin, ...]

    @property
    def what(self) -> str:
        return f"{self.shape} {self.dtype}"


@dataclass(frozen=True, repr=False)
class Timeline(Drawing):
    """`.tracks`, one for each piece of saved memory, `.wrong`, the pins that will fail, and the picture of a `Drawing`."""

    tracks: tuple[Track, ...]
    wrong: tuple[Pin, ...]


def timeline(*roots: Tensor, names: Mapping[str, Tensor] | None = None) -> Timeline:
    """Show the versions of all that the graph behind one or several tensors saved, and the check of the backward pass.

    Every in-place write to a piece of memory makes a new version of it. A node remembers the version that it saved; the
    backward pass compares. Works before the pass and after one that failed. names: names for tensors, {"loss": L};
    without it those of the variables at the call. Nothing is changed.

    >>> import minigrad as mg
    >>> from minigrad import viz
    >>> x = mg.tensor(1., requires_grad=True)
    >>> y = x.exp()
    >>> z = y.sin()
    >>> with mg.no_grad(): _ = y.add_(1)
    >>> told = viz.timeline(z, names={"x": x, "y": y, "z": z})
    >>> [(pin.node, pin.saved, pin.version, pin.now, pin.right) for pin in told.tracks[0].pins]
    [('SinBackward0', 'self', 0, 1, False), ('ExpBackward0', 'result', 0, 1, False)]
    """
    check_tensors("timeline", roots, names)
    known = Names(variables_of(sys._getframe(1)) if names is None else names)
    whole = [known.of(t) or ("the result" if len(roots) == 1 else f"result {k + 1}") for k, t in enumerate(roots)]
    nodes = rehearsal.order([t.grad_fn for t in roots if t.grad_fn is not None])
    tracks = _tracks(nodes, known)
    freed = sum(any(info.freed for info in peek.saved(node)) for node in nodes)
    wrong = tuple(sorted((pin for track in tracks for pin in track.pins if not pin.right), key=lambda pin: pin.step))
    head = _head(whole, tracks, wrong)
    notes = [f"The saved tensors of {freed} node{'s' * (freed != 1)} are freed: nothing is left to check there."] if freed else []
    shown = [track for track in tracks if track.version][:MOST_TRACKS] or tracks[:MOST_TRACKS]
    if len(tracks) > len(shown):
        notes.append(_left_out([track for track in tracks if track not in shown]))
    text = "\n".join([head, *(line for track in shown for line in _words(track, wrong[:1])), *notes])
    scene = _paint(head, shown, wrong[:1], notes)
    first = [f"{_pin(pin)} The pass stops there." for pin in wrong[:1]]
    alt = " ".join([head.removesuffix(".") + ".", *first, *notes])
    return Timeline(svg(scene, alt), text, alt, scene, tuple(tracks), wrong)


def _tracks(nodes: Sequence[peek.Node], names: Names) -> list[Track]:
    """The memory that something was saved from: what will fail first, then what was written to, then the rest."""
    held: dict[int, list[tuple[Pin, peek.SavedInfo]]] = {}
    for step, node in enumerate(nodes, 1):
        of = ", ".join(name for _, name, _ in names.outputs_of(node, len(peek.output_specs(node)))) or None
        line, text = peek.place(node._site()) or (None, "")
        for info in peek.saved(node):
            if not info.freed:
                found = names.of_saved(info)
                known = found[0] if found else None
                versions = info.saved_version, info.version_now
                pin = Pin(peek.title(node), of, info.name, known, *versions, line, _short(text), step)
                held.setdefault(info.storage, []).append((pin, info))
    tracks = []
    for number, (storage, pairs) in enumerate(held.items(), 1):
        pins, info = tuple(pin for pin, _ in pairs), pairs[0][1]
        name, named = names.of_memory(storage)
        whole = info.tensor if named is None else named  # what was saved may be a window
        writes = []
        for version, site in peek.writes(info.tensor):
            line, text = peek.place(site) or (None, "the engine")
            writes.append(Write(version, line, _short(text)))
        shape, dtype = tuple(whole.shape), peek.dtype_name(whole)
        tracks.append(Track(name or f"memory {number}", shape, dtype, info.version_now, tuple(writes), pins))
    return sorted(tracks, key=lambda t: (all(pin.right for pin in t.pins), not t.version))


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


# --- words


def _head(roots: Sequence[str], tracks: Sequence[Track], wrong: Sequence[Pin]) -> str:
    whole = roots[0] if len(roots) == 1 else ", ".join(roots[:-1]) + " and " + roots[-1]
    pins = sum(len(track.pins) for track in tracks)
    if not pins:
        return f"Behind {whole} nothing is saved."
    saved = f"{pins} saved tensor{'s' * (pins != 1)} behind {whole}"
    return f"{saved}: {f'{len(wrong)} overwritten' if wrong else 'as it was' if pins == 1 else 'all as they were'}"


def _pin(pin: Pin) -> str:
    of = f" of {pin.of}" if pin.of else ""
    what = f"{pin.tensor} as {pin.saved}" if pin.tensor else pin.saved
    line = f" (line {pin.line})" if pin.line else ""
    end = "right" if pin.right else "wrong"
    return f"Step {pin.step}, {pin.node}{of}: saved {what}{line} at version {pin.version}, finds {pin.now}: {end}."


def _words(track: Track, stop: Sequence[Pin]) -> list[str]:
    lines = [f"{track.name} {track.what}, version {track.version} now"]
    for write in track.writes:
        place = f" (line {write.line})" if write.line else ""
        lines.append(f"  version {write.version}: {write.text or 'a write'}{place}")
    for pin in track.pins[:MOST_PINS]:
        lines.append(f"  {_pin(pin)}" + (" The pass stops here." if pin in stop else ""))
    return lines + _more(track)


def _more(track: Track) -> list[str]:
    hidden = track.pins[MOST_PINS:]
    bad = sum(not pin.right for pin in hidden)
    return [f"  And {len(hidden)} more: {len(hidden) - bad} right, {bad} wrong."] if hidden else []


def _left_out(tracks: Sequence[Track]) -> str:
    count = sum(len(track.pins) for track in tracks)
    what = f"{count} saved tensor" + ("s" if count != 1 else "")
    if any(track.version for track in tracks):
        return f"Not drawn: {what} more; .tracks has all."
    return f"Not drawn: {what} to which nobody wrote."


# --- the picture


def _columns(track: Track) -> list[tuple[int, int]]:
    """The versions, each on its own or, where there are many, the uneventful ones in one column."""
    wanted = {0, track.version} | {pin.version for pin in track.pins} | {pin.version + 1 for pin in track.pins}
    if track.version < MOST_COLUMNS:
        wanted = set(range(track.version + 1))
    chosen = sorted(v for v in wanted if 0 <= v <= track.version)
    columns: list[tuple[int, int]] = []
    for v in chosen:
        last = columns[-1][1] if columns else -1
        if v > last + 1:
            columns.append((last + 1, v - 1))
        columns.append((v, v))
    return columns


def _paint(head: str, tracks: Sequence[Track], stop: Sequence[Pin], notes: Sequence[str]) -> Scene:
    words, y = headed(head, "", NARROW)
    shapes: list[Shape] = [*words]
    for track in tracks:
        drawn, y = _track(track, y, stop, track is tracks[0])
        shapes += drawn
        y += 22
    for row in (row for note in notes for row in picture.wrapped(note, NARROW)):
        shapes.append(Text(MARGIN, y, (Run(row, CAPTION),)))
        y += 18
    ends = [at[0] for shape in shapes if isinstance(shape, Path) for _, at in shape.steps]  # of the arrows and their verdicts
    right = max([*ends, *(shape.x + shape.width for shape in shapes if isinstance(shape, Text))])
    return framed(shapes, round(right + MARGIN), round(y + MARGIN - 14))


def _track(track: Track, top: float, stop: Sequence[Pin], first: bool) -> tuple[list[Shape], float]:
    shapes: list[Shape] = [
        Text(MARGIN, top + 12, (Run(track.name, TITLE), Run(track.what, SMALL))),
    ]
    columns = _columns(track)
    writes = {write.version: write for write in track.writes}
    heads = [_column_head(first, last, writes.get(first)) for first, last in columns]
    widths = [max(70.0, *(text_width(run.text, run.style) + 22 for run in runs)) for runs in heads]
    left = [MARGIN + sum(widths[:k]) for k in range(len(columns))]
    end = left[-1] + widths[-1]
    ground = top + 76 + _RISE * (len(columns) - 1)
    level = [ground - _RISE * k for k in range(len(columns))]
    stairs: list[tuple[str, tuple[float, ...]]] = [("M", (left[0], level[0]))]
    for k in range(len(columns)):
        for i, run in enumerate(heads[k]):
            shapes.append(Text(left[k] + 4, top + 30 + 15 * i, (run,)))
        stairs += [("L", (left[k], level[k])), ("L", (left[k] + widths[k], level[k]))]
    shapes.append(Path(tuple(stairs), INK, 2.2))
    y = ground + 8
    places = [next(k for k, (first, last) in enumerate(columns) if first <= pin.version <= last) for pin in track.pins[:MOST_PINS]]
    words: list[Shape] = []
    for i, (pin, k) in enumerate(zip(track.pins[:MOST_PINS], places, strict=True)):
        y += _ROW
        below = places[i + 1 :].count(k)  # they stand further left, where no words are
        x = left[k] + 14 + 14 * (below % max(1, int((widths[k] - 30) / 14)))
        colour = _BLUE if pin.right else _RED
        shapes.append(Path((("M", (x, level[k])), ("L", (x, y))), colour, 1.2, "2 3"))
        shapes.append(Dot(x, y, 4.5, colour))
        shapes.append(Path((("M", (end + 8, y)), ("L", (x + 12, y))), colour, 1.6))
        shapes.append(Polygon(((x + 5, y), (x + 13, y - 3.6), (x + 13, y + 3.6)), colour))
        shapes += _verdict(end + 16, y, pin.right)
        if first and not i:  # what a pin is, and its arrow
            words += [*_on_paper(x + 10, y - 7, Run("saved here", SMALL)), Text(end + 34, y + 4, (Run("checked here", SMALL),))]
        style = Style(12, WARN.fill, bold=True) if pin in stop else PLAIN
        found = (f"line {pin.line}, " if pin.line else "") + f"version {pin.version}, now {pin.now}"
        told = [found, *["the pass stops here"] * (pin in stop)]
        for run in (Run(_label(pin), style), *(Run(line, _GOOD if pin.right else WARN if pin in stop else _BAD) for line in told)):
            y += 18
            words += _on_paper(x + 10, y, run)
    for line in _more(track):
        y += _ROW
        shapes.append(Text(MARGIN, y + 4, (Run(line.strip(), FREED_PLAIN),)))
    return shapes + words, y + 14


def _on_paper(x: float, y: float, run: Run) -> list[Shape]:
    """Other pins pass behind it."""
    return [Rect(x - 3, y - 11, run.width + 6, 15, 4, PAPER, "none", 0), Text(x, y, (run,))]


def _column_head(first: int, last: int, write: Write | None) -> tuple[Run, ...]:
    if first != last:
        return Run(f"versions {first} to {last}", Style(11, INK)), Run("…", SMALL)
    runs = [Run(f"version {first}", Style(11, INK, bold=True))]
    if write is None:
        return (*runs, Run("as it was made" if not first else "", SMALL))
    runs.append(Run(write.text or "a write", SMALL))
    return (*runs, Run(f"line {write.line}", SMALL)) if write.line else tuple(runs)


def _label(pin: Pin) -> str:
    of = f" of {pin.of}" if pin.of else ""
    what = f"{pin.tensor} as {pin.saved}" if pin.tensor else pin.saved
    return f"{pin.node}{of} saved {what}"


def _verdict(x: float, y: float, right: bool) -> list[Shape]:
    """A tick or a cross."""
    if right:
        return [Path((("M", (x, y)), ("L", (x + 4, y + 4)), ("L", (x + 11, y - 5))), _BLUE, 2.2)]
    cross = ((x, y - 5, x + 10, y + 5), (x, y + 5, x + 10, y - 5))
    return [Path((("M", (a, b)), ("L", (c, d))), _RED, 2.2) for a, b, c, d in cross]
