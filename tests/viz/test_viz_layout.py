"""The layout of drawings, by properties: nothing overlaps, nothing is crossed, everything points one way."""

from __future__ import annotations

import random
from bisect import bisect
from collections import Counter

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from minigrad.viz import layout
from minigrad.viz.layout import BOX_GAP, ROW_CAPACITY, Edge, _Web, arrange, rows_of, settle
from minigrad.viz.paint import Path, Polygon, Rect, Run, Text
from minigrad.viz.picture import (
    ALERT,
    DOWN,
    MARGIN,
    PLAIN,
    SMALL,
    TITLE,
    UP,
    Arrow,
    Box,
    Panel,
    Row,
    paint,
    place,
)

TALL = (Row((Run("saved self", SMALL), Run("x", SMALL)), table=True),) * 3


def panel(links: list[tuple[int, int]], n: int, upward: bool = False) -> Panel:
    """Boxes 0 … n-1 of different sizes; a link (user, source) is an arrow between them."""
    boxes = [
        Box((Row((Run(f"Box number {i}"[: 3 + i % 12], TITLE),)), *(TALL if i % 5 == 0 else ())), "node")
        for i in range(n)
    ]
    port: Counter[int] = Counter()
    arrows = []
    for user, source in links:
        arrows.append(Arrow(source, user, port[user]))
        port[user] += 1
    return Panel("Title", "caption", boxes, arrows, upward)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[int, int]], int]:
    n = draw(st.integers(1, 40))
    links = []
    for source in range(1, n):
        users = draw(st.lists(st.integers(max(0, source - 12), source - 1), min_size=0, max_size=3))
        links += [(user, source) for user in users]
    return draw(st.permutations(links)), n


def random_graph(n: int, seed: int) -> tuple[list[tuple[int, int]], int]:
    r = random.Random(seed)
    far = [(r.randrange(i), i) for i in range(1, n) if r.random() < 0.3]
    return [(r.randrange(max(0, i - 6), i), i) for i in range(1, n)] + far, n


LADDER = ([(i, i + 1) for i in range(25) for _ in range(2)], 26)
FAN = ([(0, i) for i in range(1, 200)], 200)
SHARED = ([(i, i + 1) for i in range(40)] + [(i, 41) for i in range(41)], 42)  # one leaf that every box uses
ROOTS = ([(i % 7, 7 + i % 5) for i in range(30)], 12)
SHAPES = {"ladder": LADDER, "fan": FAN, "shared": SHARED, "roots": ROOTS, "one": ([], 1), "apart": ([], 30)}
SHAPES |= {f"random{n}": random_graph(n, n) for n in (2, 10, 100, 200)}


def check(p: Panel) -> None:
    """Everything a reader relies on, measured on the shapes that are written to the file."""
    (placed,), _, _ = place([p], MARGIN + 52)
    scene = paint([p])
    corners = [placed.corner(i) for i in range(len(p.boxes))]
    rects = [(x, y, x + b.width, y + b.height) for (x, y), b in zip(corners, p.boxes, strict=True)]
    assert rects == [(s.x, s.y, s.x + s.w, s.y + s.h) for s in scene.shapes[1:] if isinstance(s, Rect)], (
        "the boxes drawn are the boxes placed"
    )
    by_row: dict[int, list[tuple[float, ...]]] = {}
    for rect, row in zip(rects, placed.layout.row, strict=True):
        by_row.setdefault(row, []).append(rect)
    for row in by_row.values():
        row.sort()
        assert all(b[0] - a[2] >= BOX_GAP - 1 for a, b in zip(row, row[1:], strict=False)), "boxes overlap"
    rows = sorted(by_row)
    tops = [min(r[1] for r in by_row[k]) for k in rows]
    ends = [max(r[3] for r in by_row[k]) for k in rows]
    assert all(end < top for end, top in zip(ends, tops[1:], strict=False)), "rows overlap"

    paths = [s for s in scene.shapes if isinstance(s, Path)]
    heads = [s.points for s in scene.shapes if isinstance(s, Polygon)]
    assert len(paths) == len(p.arrows)
    trail: dict[int, list[tuple[float, float]]] = {}
    for path, arrow in zip(paths, p.arrows, strict=True):
        points = sampled(path)
        assert all(b[1] >= a[1] for a, b in zip(points, points[1:], strict=False)), "an arrow turns back"
        for x, y in points:
            row = by_row[rows[bisect(tops, y) - 1]] if y >= tops[0] else []
            inside = [r for r in row if r[0] + 1 < x < r[2] - 1 and r[1] + 1 < y < r[3] - 1]
            assert not inside, "an arrow runs through a box"
        above, below = rects[arrow.above], rects[arrow.below]
        (x0, y0), (x1, y1) = points[0], points[-1]
        starts_at_box = above[0] < x0 < above[2] and 0 <= y0 - above[3] <= 8
        assert starts_at_box or (x0, y0) in trail[arrow.above], "an arrow starts nowhere"
        assert below[0] < x1 < below[2] and 0 <= below[1] - y1 <= 8, "an arrow ends nowhere"
        trail.setdefault(arrow.above, []).extend(points)
    for tip, left, right in heads:
        if p.upward:
            assert left[1] == right[1] > tip[1] and any(
                r[0] < tip[0] < r[2] and tip[1] == r[3] for r in rects
            )
        else:
            assert left[1] == right[1] < tip[1] and any(
                r[0] < tip[0] < r[2] and tip[1] == r[1] for r in rects
            )
    if not p.upward:
        assert len(heads) == len(p.arrows)
    assert p.upward or Counter(tip for tip, *_ in heads).total() == len({tip for tip, *_ in heads})

    frame = (0, 0, scene.width, scene.height)
    for text in (s for s in scene.shapes if isinstance(s, Text)):
        x = text.x - text.width / 2 if text.middle else text.x
        home = [r for r in rects if r[0] <= x and x + text.width <= r[2] and r[1] < text.y < r[3]]
        heading = text.y < MARGIN + 40 and frame[0] <= x and x + text.width <= frame[2]
        assert home or heading, f"{text.runs[0].text!r} does not fit"


def sampled(path: Path) -> list[tuple[float, float]]:
    points: list[tuple[float, float]] = []
    for letter, values in path.steps:
        if letter == "C":
            (ax, ay), (x0, y0, x1, y1, x2, y2) = points[-1], values
            for k in range(1, 8):
                t = k / 8
                weights = (1 - t) ** 3, 3 * (1 - t) ** 2 * t, 3 * (1 - t) * t * t, t**3
                curve = zip(weights, (ax, x0, x1, x2), (ay, y0, y1, y2), strict=True)
                xs, ys = zip(*((w * x, w * y) for w, x, y in curve), strict=True)
                points.append((sum(xs), sum(ys)))
        elif letter == "L":
            (ax, ay), (x, y) = points[-1], values
            points += [(ax + (x - ax) * k / 8, ay + (y - ay) * k / 8) for k in range(1, 8)]
        points.append((values[-2], values[-1]))
    return points


@settings(max_examples=25, deadline=None)
@given(graphs(), st.booleans())
@example(([(0, 7), (0, 4), (0, 4), (0, 4), (1, 7), (1, 5), (3, 5), (0, 6), (0, 5), (2, 7), (0, 2)], 8), False)  # ended on an edge
@example(([(1, 3), (0, 7), (0, 3), (0, 1), (1, 4), (1, 4), (1, 4), (1, 5), (0, 3), (2, 7)], 8), False)  # two ends were one
@pytest.mark.full
def test_any_graph(graph: tuple[list[tuple[int, int]], int], upward: bool) -> None:
    check(panel(*graph, upward))


@pytest.mark.sampled(4, weekly=3)
@pytest.mark.parametrize("upward", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_shape(shape: str, upward: bool) -> None:
    check(panel(*SHAPES[shape], upward))


def test_the_checks_see_an_overlap_and_a_crossed_box(monkeypatch: pytest.MonkeyPatch) -> None:
    """The properties above are not empty: without the gaps, or without free lanes, they fail."""
    monkeypatch.setattr(_Web, "gap", lambda self, a, b: 10.0)
    with pytest.raises(AssertionError, match="overlap"):
        check(panel(*FAN))
    monkeypatch.undo()
    route = layout._route
    monkeypatch.setattr(
        layout, "_route", lambda *a: [(row, route(*a)[0][1]) for row, _ in route(*a)[:-1]] + route(*a)[-1:]
    )
    with pytest.raises(AssertionError, match="runs through"):
        check(panel(*SHAPES["random100"]))


def test_panels_side_by_side_share_their_rows() -> None:
    left = panel([(0, 1), (1, 2), (2, 3)], 4)
    right = panel([(0, 1), (1, 2)], 3, upward=True)
    for box, twin in zip(right.boxes, (0, 2, None), strict=True):
        box.twin = twin
    (a, b), _, _ = place([left, right], 70)
    assert [a.layout.row, b.layout.row] == [[3, 2, 1, 0], [3, 1, 0]]
    middle = [
        [p.corner(i)[1] + p.panel.boxes[i].height / 2 for i in (0, other)] for p, other in ((a, 2), (b, 1))
    ]
    assert middle[0] == middle[1]
    assert b.left >= a.left + a.layout.width


def test_a_chain_is_straight_and_a_diamond_is_symmetric() -> None:
    chain = arrange([80, 40, 120, 60], [Edge(1, 0), Edge(2, 1), Edge(3, 2)], [3, 2, 1, 0])
    assert {x for route in chain.routes for _, x in route} == set(chain.x) == {chain.x[0]}
    diamond = arrange([60, 50, 50, 60], [Edge(1, 0, 0), Edge(2, 0, 1), Edge(3, 1), Edge(3, 2)], [2, 1, 1, 0])
    top, left, right, bottom = diamond.x[3], diamond.x[1], diamond.x[2], diamond.x[0]
    assert top == bottom and left < top < right and top - left == right - top


def test_operands_stand_in_their_order() -> None:
    """x - y is not y - x: without another reason, the left operand stands on the left."""
    for first, second in ((1, 2), (2, 1)):
        edges = [Edge(first, 0, 0), Edge(second, 0, 1)]
        x = arrange([50] * 3, edges, rows_of(3, edges)).x
        assert x[first] < x[0] < x[second]


def test_long_edges_are_straight() -> None:
    edges = [Edge(i + 1, i) for i in range(6)] + [Edge(6, 0, 1)]
    route = arrange([60] * 7, edges, rows_of(7, edges)).routes[-1]
    assert len(route) == 7 and len({x for _, x in route[1:-1]}) == 1


def test_rows_are_filled_from_below_and_bounded() -> None:
    edges = [Edge(i, 0, i) for i in range(1, 31)]
    row = rows_of(31, edges)
    assert row[0] == max(row) == 3 and all(row[e.above] < row[e.below] for e in edges)
    assert max(Counter(row).values()) == ROW_CAPACITY


@settings(deadline=None)
@given(graphs())
def test_crossings_are_counted(graph: tuple[list[tuple[int, int]], int]) -> None:
    links, n = graph
    edges = [Edge(a.above, a.below, a.port) for a in panel(links, n).arrows]
    web = _Web([50.0] * n, rows_of(n, edges))
    for k, e in enumerate(edges):
        web.path(e, k)
    web.order()
    place = {v: i for row in web.rows for i, v in enumerate(row)}
    total = 0
    for row in web.rows:
        ends = [(place[v], (place[w], port)) for v in row for w, port in web.below[v]]
        total += sum(a[0] < b[0] and a[1] > b[1] for a in ends for b in ends)
    assert web.crossings() == total


def test_sweeps_remove_crossings() -> None:
    edges = [Edge(3, 0), Edge(4, 1), Edge(5, 2), Edge(6, 3), Edge(6, 5, 1), Edge(7, 4)]
    web = _Web([50.0] * 8, [2, 2, 2, 1, 1, 1, 0, 0])
    for e in edges:
        web.path(e, 0)
    web.order()
    assert web.crossings() == 0


@given(
    st.lists(st.tuples(st.floats(-50, 50), st.floats(0.5, 9), st.floats(1, 20)), min_size=1, max_size=7),
    st.integers(0, 2**32),
)
def testsettle_is_the_nearest_feasible_place(items: list[tuple[float, float, float]], seed: int) -> None:
    r = random.Random(seed)
    wish, weight, gaps = [a for a, _, _ in items], [b for _, b, _ in items], [c for _, _, c in items][1:]

    def cost(x: list[float]) -> float:
        return sum(w * (a - b) ** 2 for w, a, b in zip(weight, x, wish, strict=True))

    best = settle(wish, weight, gaps)
    assert all(b - a >= gap - 1e-9 for a, b, gap in zip(best, best[1:], gaps, strict=False))
    for _ in range(40):
        other = [best[0] + r.gauss(0, 5)]
        for a, b, gap in zip(best, best[1:], gaps, strict=False):
            other.append(other[-1] + max(gap, b - a + r.gauss(0, 3)))
        assert cost(other) >= cost(best) - 1e-6


def test_colours_of_text_can_be_read() -> None:
    """Contrast of at least 4.5 to 1 on every ground where text stands (WCAG AA)."""
    from minigrad.viz.picture import FAINT, INK, MUTED, PAPER, TONES

    def light(colour: str) -> float:
        parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return sum(k * c for k, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

    def contrast(a: str, b: str) -> float:
        high, low = sorted((light(a), light(b)), reverse=True)
        return (high + 0.05) / (low + 0.05)

    grounds = [PAPER, *(fill for fill, *_ in TONES.values() if fill != "none")]
    for ground in grounds:
        assert min(contrast(ink, ground) for ink in (INK, MUTED, ALERT)) >= 4.5, ground
    assert contrast(FAINT, TONES["freed"][0]) >= 4.5
    assert min(contrast(colour, PAPER) for colour in (UP, DOWN)) >= 3
    assert PLAIN.fill == INK
