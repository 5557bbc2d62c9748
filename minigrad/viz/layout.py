"""Where things go: a layered layout in plain Python (Sugiyama's method), the same on every machine.

It knows nothing of tensors. Boxes are numbers with a width, edges say which box stands above which. Four
steps: rows, order within the rows, x positions (Brandes and Köpf, then a least-squares polish), and
later, in `picture.py`, y. An edge over several rows passes through *lanes*: places in the rows between
that are kept free for it, so that no edge can run through a box. Edges from one box share their lanes:
they leave as one trunk and branch off where they end; only edges between the same two boxes stay apart.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

BOX_GAP, LANE_GAP, LANE = 18.0, 14.0, 2.0  # between two boxes, beside a lane, the width of a lane
ROW_CAPACITY = 12  # a row that is full sends its next box one row higher
SWEEPS = 8  # of the ordering
POLISH = 40  # sweeps of the least-squares polish
SNAP = 9.0  # an arrow that is so nearly straight is made straight
PORT_STEP = 16.0  # between two arrows at one side of a box, where there is room
_MAIN = 400.0  # how much more the main link of a box counts: the longest path comes out straight
_FIRM = 1e6  # how firmly a lane keeps its place while boxes move


@dataclass(frozen=True, slots=True)
class Edge:
    """From the box above to the box below; `port` is the place among the edges into the box below."""

    above: int
    below: int
    port: int = 0


@dataclass(slots=True)
class Layout:
    """`x[i]` is the centre of box i, `row[i]` its row, counted from the top. `routes[k]` has one (row, x) for
    every row that edge k touches, from its port above to its port below."""

    width: float
    row: list[int]
    x: list[float]
    routes: list[list[tuple[int, float]]]
    crossings: int = 0


def rows_of(n: int, edges: Sequence[Edge]) -> list[int]:
    """The row of each box, 0 at the top: as low as possible, above everything that uses it."""
    above, waiting = _adjacent(n, edges)
    height = [0] * n
    filled: defaultdict[int, int] = defaultdict(int)
    ready = [v for v in reversed(range(n)) if not waiting[v]]
    while ready:
        v = ready.pop()
        while filled[height[v]] >= ROW_CAPACITY:
            height[v] += 1
        filled[height[v]] += 1
        for u in above[v]:
            height[u] = max(height[u], height[v] + 1)
            waiting[u] -= 1
            if not waiting[u]:
                ready.append(u)
    top = max(height, default=0)
    return [top - h for h in height]


def _adjacent(n: int, edges: Sequence[Edge]) -> tuple[list[list[int]], list[int]]:
    """For each box those above it, and how many uses it has below."""
    above: list[list[int]] = [[] for _ in range(n)]
    uses = [0] * n
    for e in edges:
        above[e.below].append(e.above)
        uses[e.above] += 1
    return above, uses


def arrange(widths: Sequence[float], edges: Sequence[Edge], row: Sequence[int]) -> Layout:
    """Place boxes that already have rows (from `rows_of`, or from a picture beside this one)."""
    if not widths:
        return Layout(0.0, [], [], [])
    web = _Web(list(widths), list(row))
    twins: Counter[tuple[int, int]] = Counter()
    paths = []
    for e in edges:
        paths.append(web.path(e, twins[e.above, e.below]))
        twins[e.above, e.below] += 1
    web.find_main()
    web.order()
    web.straighten()
    web.polish()
    left = min(web.x[v] - web.width[v] / 2 for v in range(len(web.x)))
    x = [round(2 * (p - left)) / 2 for p in web.x]
    right = max(x[v] + web.width[v] / 2 for v in range(len(x)))
    n = len(widths)
    routes = [_route(web, x, path, e) for path, e in zip(paths, edges, strict=True)]
    return Layout(right, list(row), x[:n], routes, web.crossings())


def _route(web: _Web, x: list[float], path: list[int], edge: Edge) -> list[tuple[int, float]]:
    out = [(web.row[v], x[v]) for v in path]
    start, end = web.offsets_below(path[0]), web.offsets_above(edge.below)
    out[0] = (out[0][0], x[path[0]] + start[(path[1], edge.port if len(path) == 2 else 0)])
    own = path[-2], edge.port
    out[-1] = (out[-1][0], x[edge.below] + end[own])
    offset = out[-2][1] - x[edge.below]  # where it would end if it went straight down: in its box, and on no other arrow's end
    free = abs(offset) < web.width[edge.below] / 2 - 2 and all(abs(offset - end[link]) > 2 for link in end if link != own)
    if free and abs(out[-1][1] - out[-2][1]) <= SNAP:
        out[-1] = (out[-1][0], out[-2][1])
    if abs(out[0][1] - out[1][1]) <= SNAP:
        out[0] = (out[0][0], out[1][1])
    return out


@dataclass(slots=True)
class _Web:
    """Boxes and lanes, and the links between adjacent rows. Items are numbers: boxes first, then lanes."""

    width: list[float]
    row: list[int]
    boxes: int = 0
    above: list[list[tuple[int, int]]] = field(default_factory=list)  # per item: (item above, port)
    below: list[list[tuple[int, int]]] = field(default_factory=list)  # per item: (item below, its port)
    lanes: dict[tuple[int, int, int], int] = field(default_factory=dict)  # (box, trunk, row) -> lane
    rows: list[list[int]] = field(default_factory=list)
    x: list[float] = field(default_factory=list)
    main_above: list[int] = field(default_factory=list)  # per item: the one above on the longest path, or -1
    main_below: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.boxes = len(self.width)
        self.above = [[] for _ in self.width]
        self.below = [[] for _ in self.width]

    def path(self, e: Edge, trunk: int) -> list[int]:
        """The items that an edge passes, making the lanes that are missing."""
        path = [e.above]
        for r in range(self.row[e.above] + 1, self.row[e.below]):
            if (e.above, trunk, r) not in self.lanes:
                lane = self.lanes[e.above, trunk, r] = len(self.width)
                self.width.append(LANE)
                self.row.append(r)
                self.above.append([])
                self.below.append([])
                self._link(path[-1], lane, 0)
            path.append(self.lanes[e.above, trunk, r])
        self._link(path[-1], e.below, e.port)
        return [*path, e.below]

    def _link(self, upper: int, lower: int, port: int) -> None:
        self.below[upper].append((lower, port))
        self.above[lower].append((upper, port))

    def is_lane(self, v: int) -> bool:
        return v >= self.boxes

    def find_main(self) -> None:
        """The links of the longest path through each item, where there is one that is longer than all others."""
        items = sorted(range(len(self.width)), key=self.row.__getitem__)
        up, down = self._longest(items, self.above), self._longest(items[::-1], self.below)
        self.main_above, self.main_below = [-1] * len(items), [-1] * len(items)
        for v, u in enumerate(up):
            if u >= 0 and (down[u] == v or [w for w, _ in self.below[u] if up[w] == u] == [v]):
                self.main_above[v], self.main_below[u] = u, v

    def _longest(self, items: list[int], toward: list[list[tuple[int, int]]]) -> list[int]:
        """The neighbour of each item with the longest path behind it, or -1; neighbours come first in `items`. Lanes count nothing."""
        length, main = [0] * len(self.width), [-1] * len(self.width)
        for v in items:
            near = Counter(u for u, _ in toward[v])
            far = max((length[u] for u in near), default=-1)
            longest = [u for u in near if length[u] == far]
            if len(longest) == 1 and near[longest[0]] == 1:
                main[v] = longest[0]
            length[v] = far + (not self.is_lane(v))
        return main

    # --- order within the rows

    def order(self) -> None:
        """Barycentre sweeps from a depth-first start; the order with the fewest crossings is kept."""
        self.rows = [[] for _ in range(max(self.row) + 1)]
        seen: set[int] = set()
        stack = [v for v in reversed(range(self.boxes)) if not self.below[v]]
        while stack:
            v = stack.pop()
            if v not in seen:
                seen.add(v)
                self.rows[self.row[v]].append(v)
                ports = sorted(self.above[v], key=lambda link: link[1])
                stack.extend(u for u, _ in reversed(ports))
        best, fewest = [list(r) for r in self.rows], self.crossings()
        for sweep in range(SWEEPS):
            if not fewest:
                break
            down = sweep % 2 == 0
            for r in self.rows if down else reversed(self.rows):
                self._sort(r, down)
            now = self.crossings()
            if now < fewest:
                best, fewest = [list(r) for r in self.rows], now
        self.rows = best

    def _places(self) -> dict[int, float]:
        return {v: float(i) for r in self.rows for i, v in enumerate(r)}

    def _sort(self, row: list[int], down: bool) -> None:
        place = self._places()
        key = {}
        for i, v in enumerate(row):
            if down:
                at = [place[u] for u, _ in self.above[v]]
            else:
                at = [place[w] + (port + 1) / (len(self.above[w]) + 1) for w, port in self.below[v]]
            key[v] = sum(at) / len(at) if at else float(i)
        row.sort(key=key.__getitem__)

    def crossings(self) -> int:
        """How many pairs of links cross: inversions, counted in a Fenwick tree."""
        place, total = self._places(), 0
        for r in self.rows:
            ends = [
                (place[w], port)
                for v in r
                for w, port in sorted(self.below[v], key=lambda k: (place[k[0]], k[1]))
            ]
            rank = {end: i + 1 for i, end in enumerate(sorted(set(ends)))}
            tree = [0] * (len(rank) + 1)
            for count, end in enumerate(ends):
                i, smaller_or_equal = rank[end], 0
                while i:
                    smaller_or_equal += tree[i]
                    i &= i - 1
                total += count - smaller_or_equal
                i = rank[end]
                while i < len(tree):
                    tree[i] += 1
                    i += i & -i
        return total

    # --- ports

    def offsets_above(self, v: int) -> dict[tuple[int, int], float]:
        """Where each link enters from above, as an offset from the centre: in the order of the ports."""
        if self.is_lane(v):
            return dict.fromkeys(self.above[v], 0.0)
        return _spread(self.width[v], sorted(self.above[v], key=lambda link: link[1]), self.main_above[v])

    def offsets_below(self, v: int) -> dict[tuple[int, int], float]:
        """Where each link leaves below: from left to right as the items below stand; a lane has one point."""
        if self.is_lane(v):
            return dict.fromkeys(self.below[v], 0.0)
        place = {w: i for r in self.rows[self.row[v] + 1 : self.row[v] + 2] for i, w in enumerate(r)}
        links = sorted(self.below[v], key=lambda link: (place[link[0]], link[1]))
        return _spread(self.width[v], links, self.main_below[v])

    # --- x positions

    def gap(self, a: int, b: int) -> float:
        """The least distance between the centres of two neighbours."""
        beside_lane = self.is_lane(a) or self.is_lane(b)
        return (self.width[a] + self.width[b]) / 2 + (LANE_GAP if beside_lane else BOX_GAP)

    def straighten(self) -> None:
        """Brandes and Köpf 2001: four extreme placements with straight lanes; the mean of the middle two."""
        crossed = self._crossed()
        results = []
        for down in (True, False):
            for to_left in (True, False):
                rows = [r if to_left else r[::-1] for r in (self.rows if down else self.rows[::-1])]
                x = self._place(rows, self._align(rows, self.above if down else self.below, crossed))
                results.append(x if to_left else [-p for p in x])
        spans = [(min(x), max(x)) for x in results]
        low, high = min(spans, key=lambda s: s[1] - s[0])
        for k, x in enumerate(
            results
        ):  # left-leaning ones meet at the narrowest one's left end, the others at its right
            shift = low - spans[k][0] if k % 2 == 0 else high - spans[k][1]
            results[k] = [p + shift for p in x]
        self.x = [sum(sorted(four)[1:3]) / 2 for four in zip(*results, strict=True)]

    def _crossed(self) -> set[tuple[int, int]]:
        """Links that cross a lane's own link: they give way."""
        crossed = set()
        for upper, lower in zip(self.rows, self.rows[1:], strict=False):
            place = {v: i for i, v in enumerate(upper)}
            inner = [
                next((u for u, _ in self.above[v] if self.is_lane(v) and self.is_lane(u)), None)
                for v in lower
            ]
            left, start = 0, 0
            for i, u in enumerate(inner):
                if u is None and i < len(lower) - 1:
                    continue
                right = len(upper) - 1 if u is None else place[u]
                for v in lower[start : i + 1]:
                    for w, _ in self.above[v]:
                        if not left <= place[w] <= right and not (self.is_lane(v) and self.is_lane(w)):
                            crossed.add((w, v))
                left, start = right, i + 1
        return crossed

    def _align(
        self, rows: list[list[int]], toward: list[list[tuple[int, int]]], crossed: set[tuple[int, int]]
    ) -> list[int]:
        """The first item of the vertical block of each: items follow the median of their neighbours."""
        block = list(range(len(self.width)))
        place = {v: i for r in rows for i, v in enumerate(r)}
        for row in rows[1:]:
            last = -1
            for v in row:
                near = sorted(place[u] for u, _ in toward[v])
                others = {place[u]: u for u, _ in toward[v]}
                for m in dict.fromkeys((near[(len(near) - 1) // 2], near[len(near) // 2])) if near else ():
                    u = others[m]
                    if block[v] == v and m > last and (u, v) not in crossed and (v, u) not in crossed:
                        block[v], last = block[u], m
        return block

    def _place(self, rows: list[list[int]], block: list[int]) -> list[float]:
        """Pack the blocks to the left, then let each follow what stands on its right."""
        after: defaultdict[int, dict[int, float]] = defaultdict(dict)
        waiting: defaultdict[int, int] = defaultdict(int)
        for row in rows:
            for a, b in zip(row, row[1:], strict=False):
                p, q = block[a], block[b]
                if q not in after[p]:
                    waiting[q] += 1
                after[p][q] = max(after[p].get(q, 0.0), self.gap(a, b))
        x = [0.0] * len(block)
        ready = [v for v, b in enumerate(block) if v == b and not waiting[v]]
        done = []
        while ready:
            p = ready.pop()
            done.append(p)
            for q, gap in after[p].items():
                x[q] = max(x[q], x[p] + gap)
                waiting[q] -= 1
                if not waiting[q]:
                    ready.append(q)
        for p in reversed(done):
            if after[p]:
                x[p] = max(x[p], min(x[q] - gap for q, gap in after[p].items()))
        return [x[b] for b in block]

    def polish(self) -> None:
        """Draw boxes to the mean of their neighbours, row by row, lanes staying where they are."""
        up = [self.offsets_above(v) for v in range(len(self.width))]
        down = [self.offsets_below(v) for v in range(len(self.width))]
        for sweep in range(POLISH):
            for row in self.rows if sweep % 2 == 0 else reversed(self.rows):
                wish, weight = [], []
                for v in row:
                    pulls = [
                        (self.x[u] + down[u][v, port] - up[v][u, port], self._pull(u, v))
                        for u, port in self.above[v]
                    ]
                    pulls += [
                        (self.x[w] + up[w][v, port] - down[v][w, port], self._pull(v, w))
                        for w, port in self.below[v]
                    ]
                    firm = self.is_lane(v) or not pulls
                    total = _FIRM if firm else sum(force for _, force in pulls)
                    wish.append(self.x[v] if firm else sum(at * force for at, force in pulls) / total)
                    weight.append(total)
                gaps = [self.gap(a, b) for a, b in zip(row, row[1:], strict=False)]
                for v, x in zip(row, settle(wish, weight, gaps), strict=True):
                    self.x[v] = x

    def _pull(self, upper: int, lower: int) -> float:
        return _MAIN if self.main_above[lower] == upper and self.main_below[upper] == lower else 1.0


def _spread(width: float, links: list[tuple[int, int]], main: int) -> dict[tuple[int, int], float]:
    """Places for links along one side of a box: evenly, or with the main one in the middle and the others beside it."""
    middle = next((float(i) for i, link in enumerate(links) if link[0] == main), (len(links) - 1) / 2)
    step = min(width / (2 * max(middle, len(links) - 1 - middle) + 2), PORT_STEP)
    return {link: (i - middle) * step for i, link in enumerate(links)}


def settle(wish: list[float], weight: list[float], gaps: list[float]) -> list[float]:
    """Positions nearest to the wishes that keep order and gaps: least squares by isotonic regression."""
    offset = [0.0]
    for gap in gaps:
        offset.append(offset[-1] + gap)
    blocks: list[tuple[float, float, int]] = []  # (mean, weight, how many)
    for d, w, s in zip(wish, weight, offset, strict=True):
        mean, total, count = d - s, w, 1
        while blocks and blocks[-1][0] > mean:
            m, t, c = blocks.pop()
            mean, total, count = (mean * total + m * t) / (total + t), total + t, count + c
        blocks.append((mean, total, count))
    means = [mean for mean, _, count in blocks for _ in range(count)]
    return [m + s for m, s in zip(means, offset, strict=True)]
