"""The board: every fact as a cell, green or red, by milestone; as text, as HTML, and as bars by area."""

from __future__ import annotations

import html
import os
import sys
from pathlib import Path

from minigrad.course import record
from minigrad.course.capstone import friends, own, programs, runner
from minigrad.course.capstone.facts import AREAS, HOUSE, MILESTONES
from minigrad.course.capstone.facts import facts as every_fact
from minigrad.course.capstone.runner import Finding
from minigrad.course.showing import render

GREEN, RED = "#1a7f37", "#b35900"  # as the checker has them; white text can be read on both
TOLD = 3  # red facts of a milestone that are told in full in a terminal


class Board:
    """What the facts say about an engine."""

    def __init__(self, title: str, findings: dict[str, list[Finding]]):
        self.title, self.findings = title, findings

    @property
    def passed(self) -> bool:
        """Whether every fact that was asked is green."""
        return all(f.green for row in self.findings.values() for f in row)

    def __repr__(self) -> str:
        return f"<board of {self.title}: {self._count([f for row in self.findings.values() for f in row])}>"

    def _ipython_display_(self) -> None:
        """Nothing: `conformance` has displayed it."""

    @staticmethod
    def _count(findings: list[Finding]) -> str:
        return f"{sum(f.green for f in findings)} of {len(findings)} green"

    def shares(self) -> dict[str, tuple[int, int]]:
        """For each area that was asked: how many facts are green, and how many there are."""
        found = {area: [f for row in self.findings.values() for f in row if f.fact.area == area] for area in AREAS}
        return {area: (sum(f.green for f in row), len(row)) for area, row in found.items() if row}

    # --- as text ---

    def text(self, colour: bool = False) -> str:
        """The board for a terminal: a row of cells for each milestone, then the first red facts of the first red one."""

        def paint(text: str, code: str) -> str:
            return f"\x1b[{code}m{text}\x1b[0m" if colour else text

        lines = [paint(self.title, "1")]
        for name, row in self.findings.items():
            cells = "".join(paint("■", "32") if f.green else paint("✗", "33") for f in row)
            sign = paint("✓", "32") if all(f.green for f in row) else " "
            lines.append(f"{sign} {name} {(MILESTONES | HOUSE)[name]:<24} {self._count(row):<15} {cells}")
        red = next((row for row in self.findings.values() if not all(f.green for f in row)), [])
        todo = [f for f in red if not f.green]
        for finding in todo[:TOLD]:
            lines += ["", paint(f"✗ {finding.fact.id}", "33") + f"  {render._plain(finding.fact.sentence)}"]
            lines += ["  " + line for line in finding.text.splitlines() + ["  " + t for t in finding.trace]]
            if finding.hint:
                lines.append("  → " + render._plain(finding.hint))
            if finding.fact.chapter != "16":
                page = lesson(finding.fact.chapter)
                lines.append(f"  chapter {finding.fact.chapter}" + (f": {page}" if page else ""))
        if todo[TOLD:]:
            lines += ["", "also red: " + ", ".join(f.fact.id for f in todo[TOLD:])]
        if todo and todo[0].fact.milestone in MILESTONES and todo[0].fact.milestone not in ("M8", "M9"):
            lines += ["", f"The program of a fact: python -m minigrad.course conformance --show {todo[0].fact.id}"]
        return "\n".join(lines)

    # --- as HTML ---

    def html(self) -> str:
        """The board for a notebook: inline styles only. The red facts of a milestone open with a click."""
        parts = [f"<p><b>{html.escape(self.title)}</b></p>"]
        first = True
        for name, row in self.findings.items():
            cells = "".join(map(_cell, row))
            head = f"<b>{name}</b> {html.escape((MILESTONES | HOUSE)[name])} · {self._count(row)}"
            parts.append(f'<div style="margin:6px 0">{head}<br>{cells}</div>')
            red = [f for f in row if not f.green]
            if red:
                shown = " open" if first else ""
                first = False
                what = "the red fact" if len(red) == 1 else f"the {len(red)} red facts"
                body = "".join(map(_details, red))
                parts.append(f'<details{shown} style="margin:0 0 8px 12px"><summary>{what}</summary>{body}</details>')
        return "".join(parts)

    def bars(self) -> str:
        """The share of green facts by area, as an SVG drawing."""
        return bars(self.shares())

    def bars_html(self) -> str:
        from minigrad.viz.drawing import image

        told = ", ".join(f"{area} {green} of {count}" for area, (green, count) in self.shares().items())
        return f'<div style="overflow-x: auto">{image(self.bars(), f"Green facts by area: {told}")}</div>'


def _cell(finding: Finding) -> str:
    colour, sign = (GREEN, "✓") if finding.green else (RED, "✗")
    style = f"display:inline-block;width:18px;margin:1px;text-align:center;border-radius:3px;color:#fff;background:{colour}"
    return f'<span title="{html.escape(finding.fact.id)}: {html.escape(finding.fact.sentence)}" style="{style}">{sign}</span>'


def _details(finding: Finding) -> str:
    fact = finding.fact
    parts = [f"<b>✗ {html.escape(fact.id)}</b> {render.inline(fact.sentence)}"]
    page = lesson(fact.chapter)
    if fact.chapter != "16":
        place = f"chapter {fact.chapter}"
        parts.append(f' <a href="{html.escape(page)}">{place}</a>' if page else f" {place}")
    parts.append(f"<pre>{html.escape(chr(10).join([finding.text, *finding.trace]))}</pre>")
    if finding.hint:
        parts.append(f"<p>→ {render.inline(finding.hint)}</p>")
    if fact.program:
        parts.append(f"<details><summary>the program</summary><pre>{html.escape(fact.program.strip())}</pre></details>")
    return f'<div style="border-left:4px solid {RED};padding:2px 12px;margin:6px 0">{"".join(parts)}</div>'


def lesson(chapter: str) -> str:
    """The way from here to a chapter's lesson; empty where there is none."""
    pages = sorted((record.root() / "notebooks").glob(f"{chapter}-*.ipynb"))
    try:
        return Path(os.path.relpath(pages[0])).as_posix() if pages else ""
    except ValueError:  # another drive
        return pages[0].as_posix()


def bars(shares: dict[str, tuple[int, int]]) -> str:
    """A row for each area: a bar as long as the share of green facts, and how many these are."""
    from minigrad.viz.paint import Rect, Run, Style, Text, svg
    from minigrad.viz.picture import framed
    from minigrad.viz.style import BLUE, INK, MUTED, PLAIN_BOX

    left, wide, step = 112.0, 168.0, 24.0
    shapes: list[Rect | Text] = [Text(14, 26, (Run("Green facts by subject", Style(13, MUTED)),))]
    for k, (area, (green, most)) in enumerate(shares.items()):
        y, whole = 36 + step * k, green == most
        shapes += [Text(14, y + 14, (Run(area, Style(13, INK)),)), Rect(left, y + 2, wide, 15, 3, PLAIN_BOX, "none", 0)]
        shapes += [Rect(left, y + 2, wide * green / most, 15, 3, BLUE, "none", 0)] if green else []
        shapes.append(Text(left + wide + 10, y + 14, (Run(f"{green} of {most}", Style(13, INK if whole else MUTED, bold=whole)),)))
    return svg(framed(shapes, left + wide + 80, 44 + step * len(shares)), "Green facts by area")


# --- What a learner calls -----------------------------------------------------------------------------------


def conformance(
    path: str | os.PathLike[str] = "my_engine.py", *milestones: str, facts: str | os.PathLike[str] = "my_facts.py", seed: int = 0,
    bars: bool | None = None, quiet: bool = False,
) -> Board | None:  # fmt: skip
    """Run the facts of these milestones (default: all; M8 only if there is its file) against the engine in a file, and show the board.

    A milestone is "M3"; "M3.retain" is one fact. facts: the file with your own facts, for M8.
    seed: other random numbers. quiet: show nothing, return the board. bars: draw the shares by area (default: when more
    than one milestone is asked and a fact is red).
    """
    try:
        board = examine(path, milestones, facts, seed)
    except (FileNotFoundError, LookupError) as error:
        if quiet:
            raise
        render.show(f"<p>{render.inline(str(error.args[0]))}</p>", str(error.args[0]))
        return None
    if not quiet:
        wanted = len(board.findings) > 1 and not board.passed if bars is None else bars
        render.show(board.html() + (board.bars_html() if wanted and len(board.shares()) > 2 else ""), board.text(on_terminal()))
    return board


def examine(
    path: str | os.PathLike[str], milestones: tuple[str, ...] = (), facts: str | os.PathLike[str] = "my_facts.py", seed: int = 0
) -> Board:
    """The board, without showing it; what it shows of the engine in work/ is recorded for `progress`.

    FileNotFoundError or LookupError with a sentence where there can be none.
    """
    wanted = [str(name).strip() for name in milestones] or list(MILESTONES)
    only = frozenset(name for name in wanted if "." in name)
    asked = {name.partition(".")[0].upper() for name in wanted}
    single = {fact.id for fact in every_fact()} | {f"M8.{friend}" for friend in friends.CLAIMS}
    single |= {f"M9.{kind}" for kind in programs.KINDS}
    for name in wanted:
        if name.upper() not in MILESTONES and name not in single:
            raise LookupError(f"There is no milestone or fact {name!r}. The milestones are {', '.join(MILESTONES)}.")
    try:
        engine = None if asked == {"M8"} else runner.find(path)
    except FileNotFoundError:
        if Path(path).name != own.FILE:
            raise
        raise FileNotFoundError(own.missing(min(asked))) from None
    if engine is not None and runner.blank(engine):
        raise LookupError(f"{engine.name} is still as it was given: its function `tensor` is a blank. There is nothing to show yet.")
    if engine is not None and "M8" in asked and not Path(facts).is_file() and (beside := engine.with_name(Path(facts).name)).is_file():
        facts = beside
    findings = {}
    for name in MILESTONES:
        if name in asked and name == "M8":
            try:
                mine = runner.find(facts)
            except FileNotFoundError:
                if milestones:
                    raise
                continue  # nobody has asked for it
            found = friends.judge(mine)
            findings[name] = [finding for finding in found if finding.fact.id in only] or found
        elif name in asked and engine is not None:
            findings[name] = runner.judge(engine, name, seed, only)
    if engine is not None and not seed:
        own.note(engine, findings)
    return Board(engine.name if engine is not None else Path(facts).name, findings)


def on_terminal() -> bool:
    """Whether colours are welcome."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")
