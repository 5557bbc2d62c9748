"""The same pictures in words: an indented tree, and a sentence or two for who does not see the picture."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from .graph import Graph, Item
from .panels import operation
from .picture import Box, Panel

DEEPEST = 30  # deeper lines say their depth instead of being moved further


def figure(value: float, digits: int = 4) -> str:
    """A number in few digits, without a minus before zero."""
    return f"{value + 0.0:.{digits}g}"


def tree(panel: Panel) -> str:
    """A line per box, below the one that uses it. A box with several users is written once."""
    sources: defaultdict[int, list[tuple[int, int, str]]] = defaultdict(list)
    users: Counter[int] = Counter()
    for arrow in panel.arrows:
        numbers = " ".join(filter(None, arrow.numbers))
        label = " ".join(filter(None, (arrow.label, numbers and f"({numbers})", "⇒" * arrow.lit)))
        sources[arrow.below].append((arrow.port, arrow.above, label))
        users[arrow.above] += 1
    number: dict[int, int] = {}
    lines = [panel.title]
    stack = [(i, 1, "") for i in reversed(range(len(panel.boxes))) if not users[i]]
    while stack:
        i, depth, label = stack.pop()
        indent = "  " * depth if depth <= DEEPEST else "  " * DEEPEST + f"({depth}) "
        mark = f"{label} " if label else ""
        if i in number:
            lines.append(f"{indent}{mark}→ #{number[i]} {_line(panel.boxes[i]).partition(':')[0]}")
            continue
        if users[i] > 1:
            number[i] = len(number) + 1
            mark += f"#{number[i]} "
        lines.append(indent + mark + _line(panel.boxes[i]))
        stack += [(source, depth + 1, label) for _, source, label in sorted(sources[i], reverse=True)]
    return "\n".join(lines)


def _line(box: Box) -> str:
    head, *rest = (" ".join(run.text for run in row.runs if run.text) for row in box.rows)
    rest += ["marked"] * box.marked
    return f"{head}: {', '.join(rest)}" if rest else head


def alt(graph: Graph, view: str) -> str:
    """What the picture shows, in sentences."""
    results = _listing(graph.roots)
    parts: list[str] = []
    if not graph.total:
        return " ".join([f"{results} without a graph.", *graph.notes])
    if view != "keep":
        ops = [operation(item.title) for item in reversed(graph.items) if item.kind == "op"]
        constants = sum(item.count for item in graph.items if item.kind == "constant" and graph.links)
        text = f"The expression behind {results}: {_count(ops, 'operation')} on {_leaves(graph)}"
        parts.append(text + (f", with {_number(constants, 'constant')}." if constants else "."))
    if view == "slopes":
        parts.append("At each arrow stands the local slope, and in each box the slope that arrives there.")
    if view in ("both", "keep"):
        ops = [item.title for item in graph.items if item.kind == "op"]
        text = f"The backward graph that the engine keeps for {results}: {_count(ops, 'node')}"
        text += f", with arrows up to AccumulateGrad for {_leaves(graph)}"
        pruned = sum(
            graph.items[link.source].count
            for link in graph.links
            if graph.items[link.source].kind == "constant"
        )
        parts.append(text + (f", and {_number(pruned, 'dotted edge')} to None." if pruned else "."))
        parts += _states(graph.items)
    if graph.lit:
        parts.append(f"Lit: the paths to {_listing(graph.lit)}.")
    return " ".join(parts + graph.notes)


def _states(items: Sequence[Item]) -> list[str]:
    found = []
    freed = sum(item.freed for item in items)
    if freed:
        found.append(f"The saved tensors of {_number(freed, 'node')} are freed.")
    for item in items:
        for saved in item.saved:
            if saved.version != saved.version_now:
                versions = f"at version {saved.version}, which is now at version {saved.version_now}"
                found.append(f"{item.title} saved {saved.what} {versions}.")
    marked = [
        item.title or item.values[0].name or "a tensor"
        for item in items
        if item.marked and item.kind != "fold"
    ]
    if marked:
        found.append(f"Marked: {_listing(marked)}.")
    return list(dict.fromkeys(found))


def _leaves(graph: Graph) -> str:
    leaves = [item.values[0].name for item in reversed(graph.items) if item.kind == "leaf"]
    named = [name for name in leaves if name]
    if len(leaves) > 6 or len(named) < len(leaves):
        return _number(len(leaves), "leaf").replace("leafs", "leaves")
    return _listing(named) if named else "no leaf"


def _count(names: Sequence[str], what: str) -> str:
    listed = f" ({_listing(names)})" if 0 < len(names) <= 6 else ""
    return _number(len(names), what) + listed


def _number(n: int, what: str) -> str:
    return f"{n} {what}" + ("s" if n != 1 else "")


def _listing(names: Sequence[str]) -> str:
    return (
        names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1] if names else "nothing"
    )
