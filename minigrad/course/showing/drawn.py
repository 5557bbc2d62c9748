"""Verdicts as pictures: the graph that an answer built beside the one that is wanted, with what is different marked."""

from __future__ import annotations

import re
from collections import Counter

from minigrad.viz.drawing import Drawing
from minigrad.viz.paint import Run, svg
from minigrad.viz.picture import TITLE, Arrow, Box, Panel, Row, paint

# A graph as a list of lines, inputs first: "2: AddBackward0(1, a)". A number is a line's, any other word an input.
_LINE = re.compile(r"(\d+): (\w+)\((.*)\)")
_MOST, _WIDEST, _INPUTS = 24, 400, 60  # lines, characters of one, and inputs of all; a larger graph is not drawn


def graphs(mine: list[str], wanted: list[str]) -> Drawing | None:
    """Both graphs, and around the nodes with which they begin to differ a mark; None where there is nothing to draw."""
    if not mine or max(len(mine), len(wanted)) > _MOST or max(map(len, mine)) > _WIDEST or not _can_be_drawn(mine):
        return None
    panels = [_panel("Your graph", mine, wanted), _panel("The graph that is wanted", wanted, mine)]
    scene = paint(panels)
    alts = tuple(f"{panel.title}: {'; '.join(lines)}." for panel, lines in zip(panels, (mine, wanted), strict=True))
    marked = " Nodes at which they begin to differ are marked."
    return Drawing(svg(scene, " ".join(alts) + marked), "", " ".join(alts) + marked, scene, _alts=alts)


def _can_be_drawn(lines: list[str]) -> bool:
    """Whether every node leads to earlier ones, and all to few: whoever forges a reply writes any lines."""
    seen: set[str] = set()
    count = 0
    for number, (_, inputs) in _nodes(lines).items():
        if any(word.isdigit() and word not in seen for word in inputs):
            return False
        seen.add(number)
        count += len(inputs)
    return count <= _INPUTS


def _panel(title: str, lines: list[str], others: list[str]) -> Panel:
    panel, box_of = Panel(title, "arrows lead to the inputs", [], [], upward=True), dict[str, int]()
    own, strange = _written(lines), Counter(_written(others).values())
    odd: set[str] = set()
    for number, (name, inputs) in _nodes(lines).items():
        twin = strange[own[number]] > 0
        strange[own[number]] -= 1
        odd |= set() if twin else {number}
        for word in (*(i for i in inputs if not i.isdigit() and i not in box_of), number):
            box_of[word] = len(panel.boxes)
            leaf = word != number
            marked = not leaf and not twin and not odd & set(inputs)
            panel.boxes.append(Box((Row((Run(word if leaf else name, TITLE),)),), _tone(word) if leaf else "node", marked))
        for port, word in enumerate(inputs):
            panel.arrows.append(Arrow(box_of[word], box_of[number], port, dotted=word == "None"))
    return panel


def _tone(word: str) -> str:
    return "none" if word == "None" else "leaf"


def _nodes(lines: list[str]) -> dict[str, tuple[str, list[str]]]:
    """By number the class of a node and its inputs."""
    found = (_LINE.fullmatch(line) for line in lines)
    return {m[1]: (m[2], [word for word in m[3].split(", ") if word]) for m in found if m}


def _written(lines: list[str]) -> dict[str, int]:
    """By number a mark of a node and everything behind it: written out, two inputs that are one node would double it each time."""
    whole: dict[str, int] = {}
    for number, (name, inputs) in _nodes(lines).items():
        whole[number] = hash((name, *(whole.get(word, word) for word in inputs)))
    return whole
