"""Accumulation and zeroing.

Exercises 06.1 to 06.6: what `.grad` holds, how it is cleared and kept, and what a running total keeps alive.
"""

from __future__ import annotations

import re
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch01 import run
from minigrad.course.compare import Unfit, differences, unfit
from minigrad.course.exercise import Case, Exercise, Mistake, register
from minigrad.course.helpers.ch06 import descent, descents, shares  # noqa: F401
from minigrad.course.helpers.graphs import class_of, nodes_of

if TYPE_CHECKING:
    pass

Draw = list[tuple[str, str, str]]  # (key, rule, code): a line or block of a program and the rule that it asks about


def grad_of(leaf: Any) -> Any:
    """A copy of its gradient, or the word None: the object None would be taken for a forgotten return."""
    return "None" if leaf.grad is None else numbers_of(leaf.grad)


def numbers_of(t: Any) -> Any:
    """The numbers of a Tensor as they are now, in an array that nothing changes; anything else as it is."""
    return np.array(t.detach().numpy()) if isinstance(t, mg.Tensor) else t


class Probe:
    """A hook that does nothing. It lives as long as the graph on which it is hung."""

    def __call__(self, grad: Any) -> None: ...


class Probes:
    """Counts how many of the graphs that it was shown are still alive."""

    def __init__(self) -> None:
        self.seen: list[weakref.ref[Probe]] = []
        self.most = 0

    @property
    def alive(self) -> int:
        return sum(ref() is not None for ref in self.seen)

    def hang_on(self, t: Any) -> None:
        """Watch t's graph. The graphs from before that are alive now are counted."""
        self.most = max(self.most, self.alive)
        if t.requires_grad:
            probe = Probe()
            t.register_hook(probe)
            self.seen.append(weakref.ref(probe))


# --- 06.1 The ledger ----------------------------------------------------------------------------------------

LEDGER_SETUP = "w = mg.tensor({start}.0, requires_grad=True)\n\n"
LEDGER_LINES = {
    "build": "y = {k} * w",
    "line": "({k} * w).backward()",
    "square": "(w**2).backward()",
    "twice": "(w + {k} * w).backward()",
    "none": "w.grad = None",
    "zero": "w.grad.zero_()",
    "step": "with mg.no_grad(): w -= 1",
}
LedgerDraw = tuple[int, list[tuple[str, str, int]]]  # the start, and (key, rule, k) for each line


class Ledger:
    """w and w.grad as somebody keeps them on paper. The methods are the rules; a belief changes some of them."""

    def __init__(self, start: int) -> None:
        self.w = float(start)
        self.grad: float | None = None

    def add(self, value: float, slope: float) -> None:
        self.grad = (self.grad or 0.0) + slope

    def build(self, k: int) -> None: ...

    def line(self, k: int) -> None:
        self.add(k * self.w, k)

    def square(self, k: int) -> None:
        self.add(self.w**2, 2 * self.w)

    def twice(self, k: int) -> None:
        self.add((1 + k) * self.w, 1 + k)

    def none(self, k: int) -> None:
        self.grad = None

    def zero(self, k: int) -> None:
        self.grad = 0.0

    def step(self, k: int) -> None:
        self.w -= 1

    def shown(self) -> float | None:
        return self.grad


class Overwrites(Ledger):
    def add(self, value: float, slope: float) -> None:
        self.grad = slope


class NoneIsZero(Ledger):
    def shown(self) -> float | None:
        return 0.0 if self.grad is None else self.grad


class ZeroIsNone(Ledger):
    def zero(self, k: int) -> None:
        self.grad = None


class BuildingCounts(Ledger):
    def build(self, k: int) -> None:
        self.line(k)


class StepClears(Ledger):
    def step(self, k: int) -> None:
        self.w -= 1
        self.grad = None


class StepZeroes(Ledger):
    def step(self, k: int) -> None:
        self.w -= 1
        self.grad = 0.0


class StepDoesNotMove(Ledger):
    def step(self, k: int) -> None: ...


class Remembers(Ledger):
    def __init__(self, start: int) -> None:
        super().__init__(start)
        self.before = 0.0

    def add(self, value: float, slope: float) -> None:
        self.grad = self.before + slope
        self.before = self.grad


class Values(Ledger):
    def add(self, value: float, slope: float) -> None:
        super().add(value, value)


class OnePath(Ledger):
    def twice(self, k: int) -> None:
        self.add((1 + k) * self.w, k)


BELIEFS = (
    Overwrites,
    NoneIsZero,
    ZeroIsNone,
    BuildingCounts,
    StepClears,
    StepZeroes,
    StepDoesNotMove,
    Remembers,
    Values,
    OnePath,
)


def kept_by(ledger: type[Ledger]) -> Callable[[LedgerDraw], dict[str, Any]]:
    """The entries of somebody who keeps such a ledger."""

    def entries(draw: LedgerDraw) -> dict[str, Any]:
        book, seen = ledger(draw[0]), {}
        for key, rule, k in draw[1]:
            getattr(book, rule)(k)
            seen[key] = book.shown()
        return seen

    return entries


def ledger_draw(rng: np.random.Generator) -> LedgerDraw:
    """A script that tells all beliefs apart."""
    while True:
        start = int(rng.integers(3, 7))
        rules = [str(r) for r in rng.permutation(["line", "line", "square", "square", "twice", "none", "zero", "step", "build"])]
        ks = rng.permutation(np.arange(2, 11))
        draw = start, [(key, rule, int(k)) for key, rule, k in zip("abcdefghi", rules, ks, strict=True)]
        truth = kept_by(Ledger)(draw)
        at = rules.index("zero")
        zero_fits = at > 0 and truth["abcdefghi"[at - 1]] is not None
        if zero_fits and all(tell_apart(draw, truth, a, b) for a in BELIEFS for b in (Ledger, *BELIEFS) if a is not b):
            return draw


def tell_apart(draw: LedgerDraw, truth: dict[str, Any], a: type[Ledger], b: type[Ledger]) -> bool:
    """Whether b would write something else than a somewhere where a is wrong."""
    first, second = kept_by(a)(draw), kept_by(b)(draw)
    return any(first[key] != truth[key] and first[key] != second[key] for key in truth)


def ledger_program(draw: LedgerDraw) -> str:
    lines = [(key, LEDGER_LINES[rule].format(k=k)) for key, rule, k in draw[1]]
    width = max(len(code) for _, code in lines)
    return LEDGER_SETUP.format(start=draw[0]) + "\n".join(f"{code:{width}}  # {key}" for key, code in lines)


def ledger(draw: LedgerDraw) -> dict[str, Any]:
    """Run the program, and look at w.grad after each line."""
    space, seen = run(LEDGER_SETUP.format(start=draw[0])), {}
    for key, rule, k in draw[1]:
        exec(LEDGER_LINES[rule].format(k=k), space)
        grad = space["w"].grad
        seen[key] = None if grad is None else grad.item()
    return seen


ADDED = (
    "`backward` does not write `.grad`, it **adds** to it: `+=`. Whatever stood there before the line is still in it, until "
    "a line says otherwise."
)
NOT_ZERO = (
    "`None` and 0 are not the same. None says: nothing has come here since the start, or since `w.grad = None`. Write the word "
    "`None`, without quotes."
)
ZEROED = "`w.grad.zero_()` writes a 0 into the tensor that is there. The tensor stays, so `.grad` is 0, and not None."
BUILT = "Computing `y` builds a graph and nothing more. `.grad` changes only when somebody calls `backward`."
STEPPED = (
    "The step reads no gradient here, and it clears none. `w -= 1` changes `w`, and `w.grad` stays as it is, out of date or not. "
    "Clearing is a line of its own."
)
MOVED = "Look at `w` after `w -= 1`: from there on the slope of w² is twice the **new** w."
CLEARED = "After `w.grad = None` (or `zero_()`) the old sum is gone. The next `backward` starts from nothing."
SLOPES = "What `backward` brings is the **slope**, not the value. The slope of 5·w is 5, wherever w is; that of w² is 2w."
PATHS = "`w + k * w` uses `w` twice, so two messages come to it: 1 from the first place, k from the second. Both count."

LEDGER_HINTS = {
    "build": BUILT,
    "line": f"{ADDED} {SLOPES}",
    "square": f"{ADDED} The slope of w² is 2w, at the `w` of now.",
    "twice": f"{ADDED} {PATHS}",
    "none": NOT_ZERO,
    "zero": ZEROED,
    "step": STEPPED,
}


def say_ledger(case: Case, got: Any, expected: Any) -> str | None:
    """The hint of the first wrong line's rule, where no known belief explains the answer."""
    wrong = [d.path[0] for d in differences(got, expected, 1e-6)]
    told = [key for key in wrong if key in expected and got.get(key, ...) is not ...]
    if not told:
        return "" if wrong else None
    value = got[told[0]]
    if value is not None and not isinstance(value, int | float | np.ndarray):
        return "Each entry is a number or None, the bare word without quotes."
    rule = next(rule for key, rule, _ in case.args[0][1] if key == told[0])
    if value is None and rule in ("line", "square", "twice"):
        return "None is no trap. A backward that finds None in .grad counts it as nothing, and stores its slope there."
    return LEDGER_HINTS[rule].replace("**", "")


register(
    Exercise(
        id="06.1",
        title="The ledger",
        difficulty=1,
        minutes=4,
        reference=ledger,
        draws=ledger_draw,
        program=ledger_program,
        name="grads",
        alternatives={"on paper": kept_by(Ledger)},
        accept=say_ledger,
        mistakes={
            "overwrites": Mistake(kept_by(Overwrites), ADDED),
            "None is zero": Mistake(kept_by(NoneIsZero), NOT_ZERO),
            "zero is None": Mistake(kept_by(ZeroIsNone), ZEROED),
            "building counts": Mistake(kept_by(BuildingCounts), BUILT),
            "a step clears": Mistake(kept_by(StepClears), STEPPED),
            "a step zeroes": Mistake(kept_by(StepZeroes), STEPPED),
            "w does not move": Mistake(kept_by(StepDoesNotMove), MOVED),
            "the old sum comes back": Mistake(kept_by(Remembers), CLEARED),
            "values for slopes": Mistake(kept_by(Values), SLOPES),
            "one path of two": Mistake(kept_by(OnePath), PATHS),
        },
        hints=(
            "Keep two columns on paper: `w`, and `w.grad`. Only three kinds of line change `w.grad`: a `backward` adds a slope to "
            "it, `w.grad = None` takes it away, `zero_()` makes it 0. Only one kind changes `w`.",
            "```text\n  line                   w     w.grad\n                         2     None\n  (3 * w).backward()     2     3\n"
            "  (w**2).backward()      2     3 + 4\n  w.grad.zero_()         2     0\n```\n\nGo on like this, line by line.",
            "The slope of `k * w` is k, that of `w + k * w` is 1 + k, that of `w**2` is 2w, with the `w` of that moment. "
            "`y = k * w` has no `backward`, and adds nothing:\n\n"
            '```python\ngrads = {\n    "a": None,  # or a number: what stood there before, plus the slope\n    ...\n}\n```',
        ),
        explanation="""\
One rule for each kind of line:

* `….backward()` **adds** the slope to what is there. None counts as nothing, so the first slope is stored as it is.
* `w.grad = None` forgets; `w.grad.zero_()` keeps the tensor and writes 0 into it.
* `y = k * w` only builds a graph.
* `w -= 1` moves `w`. The gradient from before stays, although it belongs to the old place. The next slope is taken at the new one.

Nothing in the engine clears `.grad` on its own: not a step, not the end of a pass. Clearing is your line.
""",
    )
)


# --- 06.2 Micro-batches -------------------------------------------------------------------------------------


def accumulate(mean_loss, w, chunks):
    """Leave in w.grad the gradient of the mean loss over all rows of all chunks.

    mean_loss(w, chunk): the mean loss over the rows of one chunk, a Tensor of shape ().
    w: a leaf. chunks: a list of Tensors of shape (rows, n); rows may differ. Returns nothing.
    """
    rows = sum(len(chunk) for chunk in chunks)
    w.grad = None
    for chunk in chunks:
        loss = mean_loss(w, chunk) * (len(chunk) / rows)
        loss.backward()


def accumulate_divide_after(mean_loss, w, chunks):
    if w.grad is not None:
        w.grad.zero_()
    count = 0
    for chunk in chunks:
        (mean_loss(w, chunk) * chunk.shape[0]).backward()
        count += chunk.shape[0]
    w.grad /= count


def accumulate_weights(mean_loss, w, chunks):
    w.grad = None
    rows = mg.cat(chunks).shape[0]
    for chunk in chunks:
        loss = mean_loss(w, chunk)
        loss.backward(mg.ones_like(loss) * chunk.shape[0] / rows)


def accumulate_grad(mean_loss, w, chunks):
    rows = sum([c.shape[0] for c in chunks])
    total = mg.zeros_like(w)
    for c in chunks:
        w.grad = None
        mean_loss(w, c).backward()
        total += c.shape[0] * w.grad / rows
    w.grad = total.detach()


def accumulating(weight: Callable[[Any, list[Any]], float], before: bool = True, inside: str = "", after: str = "") -> Any:
    """An answer that multiplies each chunk's loss by weight(chunk, chunks), and clears w.grad here and there."""

    def answer(mean_loss: Any, w: Any, chunks: Any) -> None:
        if before:
            w.grad = None
        for chunk in chunks:
            if inside == "none":
                w.grad = None
            if inside == "zero" and w.grad is not None:
                w.grad.zero_()
            (weight(chunk, chunks) * mean_loss(w, chunk)).backward()
        if after == "none":
            w.grad = None

    return answer


def rows_of(chunks: list[Any]) -> int:
    return sum(len(chunk) for chunk in chunks)


def share(chunk: Any, chunks: list[Any]) -> float:
    return len(chunk) / rows_of(chunks)


def accumulate_mean_of_means(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        mean_loss(w, chunk).backward()
    w.grad /= len(chunks)


def accumulate_not_scaled(mean_loss, w, chunks):
    w.grad = None
    sum(mean_loss(w, chunk) for chunk in chunks).backward()


def accumulate_not_divided(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        for _ in range(len(chunk)):
            mean_loss(w, chunk).backward()


def accumulate_divided_by_rows(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        mean_loss(w, chunk).backward()
    w.grad /= rows_of(chunks)


def accumulate_first_rows(mean_loss, w, chunks):
    w.grad = None
    size = len(chunks) * len(chunks[0])
    for chunk in chunks:
        loss = mean_loss(w, chunk) * len(chunk)
        (loss / size).backward()


def accumulate_scaled_ledger(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        mean_loss(w, chunk).backward()
        w.grad *= len(chunk) / rows_of(chunks)


def accumulate_scaled_ledger_later(mean_loss, w, chunks):
    w.grad = None
    rows = rows_of(chunks)
    for chunk in chunks:
        mean_loss(w, chunk).backward()
        w.grad = w.grad * len(chunk) / rows


def accumulate_old_kept(mean_loss, w, chunks):
    rows = rows_of(chunks)
    for chunk in chunks:
        loss = len(chunk) * mean_loss(w, chunk) / rows
        loss.backward()


def accumulate_zero_first(mean_loss, w, chunks):
    w.grad.zero_()
    for chunk in chunks:
        (share(chunk, chunks) * mean_loss(w, chunk)).backward()


def accumulate_zero_first_again(mean_loss, w, chunks):
    rows = rows_of(chunks)
    for k, chunk in enumerate(chunks):
        if k == 0:
            w.grad.zero_()
        loss = mean_loss(w, chunk) * len(chunk) / rows
        loss.backward()


def accumulate_never_backward(mean_loss, w, chunks):
    w.grad = None
    return sum(share(chunk, chunks) * mean_loss(w, chunk) for chunk in chunks)


def accumulate_one_pass(mean_loss, w, chunks):
    w.grad = None
    total = sum(share(chunk, chunks) * mean_loss(w, chunk) for chunk in chunks)
    total.backward()


def accumulate_one_pass_list(mean_loss, w, chunks):
    w.grad = None
    losses = [mean_loss(w, chunk) * len(chunk) for chunk in chunks]
    (mg.stack(losses).sum() / rows_of(chunks)).backward()


def accumulate_passes_later(mean_loss, w, chunks):
    w.grad = None
    losses = [share(chunk, chunks) * mean_loss(w, chunk) for chunk in chunks]
    for loss in losses:
        loss.backward()


def accumulate_upside_down(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        loss = mean_loss(w, chunk)
        loss.backward(mg.ones_like(loss) * rows_of(chunks) / len(chunk))


def accumulate_over_own_rows(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        loss = mean_loss(w, chunk) / chunk.shape[0]
        loss.backward()


def accumulate_over_numbers(mean_loss, w, chunks):
    w.grad = None
    numbers = sum(chunk.numel() for chunk in chunks)
    for chunk in chunks:
        loss = mean_loss(w, chunk) * len(chunk)
        (loss / numbers).backward()


def accumulate_int_zero(mean_loss, w, chunks):
    w.grad = 0
    for chunk in chunks:
        (share(chunk, chunks) * mean_loss(w, chunk)).backward()


def accumulate_int_zero_again(mean_loss, w, chunks):
    rows = rows_of(chunks)
    setattr(w, "grad", 0 * rows)  # noqa: B010
    for chunk in chunks:
        (mean_loss(w, chunk) * len(chunk) / rows).backward()


def accumulate_joined(mean_loss, w, chunks):
    w.grad = None
    mean_loss(w, mg.cat(chunks)).backward()


def accumulate_joined_loop(mean_loss, w, chunks):
    joined = chunks[0]
    for chunk in chunks[1:]:
        joined = mg.cat([joined, chunk])
    w.grad = None
    loss = mean_loss(w, joined)
    loss.backward()


def accumulate_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype)

    def case(part: str, sizes: tuple[int, ...], n: int) -> Case:
        w = numbers(n).requires_grad_()
        if part != "w.grad is None":
            w.grad = numbers(n)
        label = f"{part}: {len(sizes)} chunk{'s' * (len(sizes) > 1)} with {', '.join(map(str, sizes))} rows"
        return Case(label, (w, [numbers(size, n + 1) for size in sizes]))

    old = "an old gradient is in w.grad"
    fresh = "w.grad is None"
    return [case(fresh, (8, 8, 3), 4), case(fresh, (2, 7, 1, 4), 3), case(fresh, (6,), 2), case(old, (5, 2, 9), 4), case(old, (3,), 2)]


def squared_misses(w: Any, chunk: Any) -> Any:
    """The mean of the squared misses of a linear model. The last column of a chunk holds the targets."""
    return ((chunk[:, :-1] @ w - chunk[:, -1]) ** 2).mean()


def watch_accumulate(answer: Callable[..., Any], w: Any, chunks: list[Any]) -> Any:
    probes, most_rows = Probes(), 0

    def mean_loss(w: Any, chunk: Any) -> Any:
        nonlocal most_rows
        most_rows = max(most_rows, len(chunk))
        loss = squared_misses(w, chunk)
        probes.hang_on(loss)
        return loss

    answer(mean_loss, w, list(chunks))
    grad = grad_of(w)
    return {
        "w.grad": grad,
        "cost_graphs": "several at once" if probes.most > 1 else "one after the other",
        "cost_rows": "all at once" if most_rows > max(map(len, chunks)) else "chunk by chunk",
    }


ZEROED_BETWEEN = (
    "Only the last chunk is left: `w.grad` is cleared **inside** the loop, before each backward. Here adding up is what you "
    "want. Clear once, before the loop."
)
def accumulate_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(label: str, sizes: tuple[int, ...], n: int, old: float | None) -> Case:
        w = mg.tensor(rng.normal(size=n), dtype=dtype, requires_grad=True)
        if old is not None:
            w.grad = mg.full((n,), old, dtype=dtype)
        return Case(label, (w, [mg.tensor(rng.normal(size=(size, n + 1)), dtype=dtype) for size in sizes]))

    return [
        case("w.grad is None: one chunk with one row, one weight", (1,), 1, None),
        case("w.grad is None: chunks of one row", (1, 1, 1), 2, None),
        case("an old gradient is in w.grad: it is not a number", (2, 3), 3, float("nan")),
        case("an old gradient is in w.grad: zeros", (4, 1), 2, 0.0),
    ]


register(
    Exercise(
        id="06.2",
        title="Micro-batches",
        difficulty=3,
        minutes=9,
        reference=accumulate,
        cases=accumulate_cases,
        musts={
            "cost_graphs": "only one chunk fits into memory: call `mean_loss` with one, go backward, then take the next.",
            "cost_rows": "only one chunk fits into memory: call `mean_loss` with one chunk at a time.",
        },
        edges=accumulate_edges,
        observe=watch_accumulate,
        tolerance=1e-6,  # a weight as a Tensor of the default dtype has seven digits
        alternatives={
            "divided at the end": accumulate_divide_after,
            "the weight is v": accumulate_weights,
            "added up by hand": accumulate_grad,
        },
        wasteful={
            "one pass at the end": Mistake(
                accumulate_one_pass,
                "Right. But all losses are computed before the first `backward`: until then the graphs of **all** chunks are in "
                "memory. Chunks are used because that does not fit. One `backward` in each turn of the loop frees each graph at once, "
                "and `.grad` does the adding.",
                again=accumulate_one_pass_list,
            ),
            "joined": Mistake(
                accumulate_joined,
                "Right. But you put the chunks together into the full batch, and chunks are used because that does not fit into "
                "memory. Call `mean_loss` with one chunk at a time.",
                again=accumulate_joined_loop,
            ),
        },
        mistakes={
            "the mean of means": Mistake(
                accumulating(lambda chunk, chunks: 1 / len(chunks)),
                "You took the mean of the chunks' means. In the first case the last chunk has 3 rows, not 8: its rows would count "
                "almost three times as much as the others. A chunk counts by its **rows**: its share is `len(chunk)` of all.",
                again=accumulate_mean_of_means,
            ),
            "not scaled": Mistake(
                accumulating(lambda chunk, chunks: 1),
                "You added up the chunks' means, each in full. With k chunks the sum is about k times too large. Multiply each loss "
                "by the chunk's share of the rows, before `backward`.",
                again=accumulate_not_scaled,
            ),
            "not divided": Mistake(
                accumulating(lambda chunk, chunks: len(chunk)),
                "That is the gradient of the **sum** over all rows. The mean is asked for: divide by the number of all rows.",
                again=accumulate_not_divided,
            ),
            "divided by all rows": Mistake(
                accumulating(lambda chunk, chunks: 1 / rows_of(chunks)),
                "`mean_loss` has already divided by the rows of the chunk. Undo that first: times `len(chunk)`, divided by all rows.",
                again=accumulate_divided_by_rows,
            ),
            "upside down": Mistake(
                accumulating(lambda chunk, chunks: rows_of(chunks) / len(chunk)),
                "Your factor is upside down. A chunk's share is **its** rows over **all** rows: less than 1, and the shares sum to 1.",
                again=accumulate_upside_down,
            ),
            "over its own rows": Mistake(
                accumulating(lambda chunk, chunks: 1 / len(chunk)),
                "`mean_loss` has already divided by the rows of the chunk; now they are divided out twice. The factor is the chunk's "
                "share of all rows.",
                again=accumulate_over_own_rows,
            ),
            "rows over numbers": Mistake(
                accumulating(lambda chunk, chunks: len(chunk) / sum(c.numel() for c in chunks)),
                "Above you count rows, below all numbers (`numel`): each row has several. Count rows in both places.",
                again=accumulate_over_numbers,
            ),
            "the number 0": Mistake(
                accumulate_int_zero,
                "`.grad` is a Tensor or None, nothing else: the number 0 is refused. Clear with `w.grad = None`.",
                again=accumulate_int_zero_again,
            ),
            "all chunks like the first": Mistake(
                accumulating(lambda chunk, chunks: len(chunk) / (len(chunks) * len(chunks[0]))),
                "You count the rows as if all chunks were as long as the first. They are not. Add up `len(chunk)` over all chunks.",
                again=accumulate_first_rows,
            ),
            "zeroed between the chunks": Mistake(
                accumulating(share, inside="none"), ZEROED_BETWEEN, again=accumulating(share, inside="zero")
            ),
            "zeroed between, not scaled": Mistake(
                accumulating(lambda chunk, chunks: 1, inside="none"),
                f"{ZEROED_BETWEEN} (And then each loss needs its share of the rows.)",
                again=accumulating(lambda chunk, chunks: 1, inside="zero"),
            ),
            "zeroed between, by the number of chunks": Mistake(
                accumulating(lambda chunk, chunks: 1 / len(chunks), inside="none"),
                f"{ZEROED_BETWEEN} (And then: chunks of different lengths do not count the same.)",
                again=accumulating(lambda chunk, chunks: 1 / len(chunks), inside="zero"),
            ),
            "the sum is scaled": Mistake(
                accumulate_scaled_ledger,
                "You scale `w.grad` after each backward. But there everything that came before is in it too, and is scaled again and "
                "again. Scale the **loss**, before `backward`.",
                again=accumulate_scaled_ledger_later,
            ),
            "None.zero_()": Mistake(
                accumulate_zero_first,
                "In this case `w.grad` is None, and None has no `zero_`. Say `w.grad = None`: it clears in both cases.",
                again=accumulate_zero_first_again,
            ),
            "the old gradient is kept": Mistake(
                accumulating(share, before=False),
                "In this case `w.grad` was not None at the call: it held the gradient of the step before. Your sum came on top. "
                "Clear it once, before the loop.",
                again=accumulate_old_kept,
            ),
            "cleared at the end": Mistake(
                accumulating(share, after="none"),
                "`w.grad` is None at the end. If you clear it after a `backward`, the result is gone; clear it once, before the loop. "
                "Or did nothing call `backward`?",
                again=accumulate_never_backward,
            ),
        },
        hints=(
            "The mean over all rows is the sum of all rows' losses, divided by their number. What must you multiply the mean of a "
            "chunk by, so that the products simply add up to it?",
            "```text\n  rows        8          8         3            19\n  losses   ████████   ████████   ███\n"
            "  means       a          b         c\n                                             8·a + 8·b + 3·c\n"
            "                                      all = ───────────────\n                                                   "
            "19\n```\n\nGradients add up like the losses do, and `.grad` does the adding.",
            "```python\nrows = sum(len(chunk) for chunk in chunks)\nw.grad = ___\nfor chunk in chunks:\n"
            "    loss = mean_loss(w, chunk) * ___\n    loss.backward()\n```",
        ),
        explanation="""\
The mean over all rows is $\\sum_c \\frac{n_c}{N} \\cdot \\text{mean}_c$, and the gradient of a sum is the sum of the gradients. So
each chunk's loss gets its share of the rows as a factor, and `.grad` adds the results up.

With chunks of one size the share is 1 / number of chunks, and "divide by the number of accumulation steps" is right. It stops
being right with the last chunk of most data sets, which is shorter, and wherever rows are masked or dropped. The slip makes no
noise: a few rows simply count more.

One `backward` in each turn frees that chunk's graph before the next is built. Adding the losses up and going backward once gives
the same numbers, and holds all graphs at once.
""",
    )
)


# --- 06.3 zero_grad -----------------------------------------------------------------------------------------


def zero_grad(params, set_to_none=True):
    """Clear the gradient of every parameter.

    params: leaves, in anything that can be looped over once. set_to_none: if True, set every .grad to None.
    If False, write zeros into the Tensor that .grad already is; a .grad that is None stays None.
    """
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad is not None:
            p.grad.zero_()


def zero_grad_fill(params, set_to_none=True):
    if set_to_none:
        for p in params:
            p.grad = None
        return
    for g in [p.grad for p in params]:
        if g is not None:
            g[...] = 0


def zero_grad_copy(params, set_to_none=True):
    params = list(params)
    for p in params:
        if p.grad is None:
            continue
        with mg.no_grad():
            p.grad.copy_(mg.zeros_like(p.grad))
        if set_to_none:
            p.grad = None


def zero_grad_data(params, set_to_none=True):
    for p in params:
        if p.grad is not None and not set_to_none:
            p.grad.data.fill_(0.0)
        else:
            p.grad = None


def zeroing(one: Callable[[Any], Any], guarded: bool = True) -> Callable[..., None]:
    """An answer that does this with each parameter where zeros are wanted, perhaps only where there is a gradient."""

    def answer(params: Any, set_to_none: bool = True) -> None:
        for p in params:
            if set_to_none:
                p.grad = None
            elif not guarded or p.grad is not None:
                one(p)

    return answer


def zeroing_comprehension(one: Callable[[Any], Any]) -> Callable[..., None]:
    """The same written backwards, without a look at None."""

    def answer(params: Any, set_to_none: bool = True) -> None:
        params = tuple(params)
        if not set_to_none:
            [one(p) for p in params]
            return
        for p in params:
            p.grad = None

    return answer


def times_zero(p: Any) -> None:
    p.grad *= 0


def times_zero_rebound(p: Any) -> None:
    p.grad = mg.zeros_like(p)


def zeroing_if_true(params: Any, set_to_none: bool = True) -> None:
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad:
            p.grad.zero_()


def fresh_zeros(p: Any) -> None:
    p.grad = mg.zeros(p.shape, dtype=p.dtype)


def int_zero(p: Any) -> None:
    p.grad = 0


def float_zero(p: Any) -> None:
    p.grad = 0.0


def written_zero(p: Any) -> None:
    p.grad[...] = 0


def sliced_zero(p: Any) -> None:
    p.grad[:] = 0


def parameter_zeroed(p: Any) -> None:
    with mg.no_grad():
        p.zero_()


def parameter_zeroed_data(p: Any) -> None:
    p.data *= 0


def zero_grad_inverted(params, set_to_none=True):
    zero_grad(params, not set_to_none)


def zero_grad_inverted_loop(params, set_to_none=True):
    for p in params:
        if set_to_none:
            if p.grad is not None:
                p.grad.fill_(0)
        else:
            p.grad = None


def zero_grad_always_none(params, set_to_none=True):
    for p in params:
        p.grad = None


def zero_grad_always_none_again(params, set_to_none=True):
    if set_to_none in (True, False):
        for p in list(params):
            if p.grad is not None:
                p.grad = None


def zero_grad_always_zero(params, set_to_none=True):
    for p in params:
        if p.grad is not None:
            p.grad.zero_()


def zero_grad_always_zero_again(params, set_to_none=True):
    for p in params:
        g = p.grad
        if set_to_none:
            p = None
        if g is not None:
            g.fill_(0)


def zero_grad_local(params, set_to_none=True):
    for p in params:
        g = p.grad
        if set_to_none:
            g = None
        elif g is not None:
            g.zero_()


def zero_grad_local_list(params, set_to_none=True):
    grads = [p.grad for p in params]
    for k in range(len(grads)):
        if set_to_none:
            grads[k] = None
        elif grads[k] is not None:
            grads[k] *= 0
            grads[k][...] = 0


def zero_grad_by_number(params, set_to_none=True):
    for k in range(len(params)):
        if set_to_none:
            params[k].grad = None
        elif params[k].grad is not None:
            params[k].grad.zero_()


def zero_grad_ends(params, set_to_none=True):
    for p in params:
        if p.grad is None:
            return
        if set_to_none:
            p.grad = None
        else:
            p.grad.zero_()


def zero_grad_ends_loop(params, set_to_none=True):
    for p in params:
        g = p.grad
        if g is None:
            break
        p.grad = None if set_to_none else g.zero_()


def zero_grad_default(params, set_to_none=False):
    zero_grad(params, set_to_none)


def zero_grad_default_none(params, set_to_none=None):
    for p in params:
        if p.grad is not None:
            p.grad = None if set_to_none else p.grad.zero_()


def zero_grad_half(params, set_to_none=True):
    for p in params:
        if set_to_none:
            p.grad = None


def zero_grad_half_copy(params, set_to_none=True):
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad is not None:
            p.grad.clone().zero_()


def zero_grad_exhausted(params, set_to_none=True):
    if all(p.grad is None for p in list(params)):
        return
    zero_grad(params, set_to_none)


def zero_grad_exhausted_count(params, set_to_none=True):
    count = len(list(params))
    for _, p in zip(range(count), params, strict=False):
        zero_grad([p], set_to_none)


def zero_grad_none_for_zero(params, set_to_none=True):
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad is None:
            p.grad = mg.zeros_like(p)
        else:
            p.grad.zero_()


def zero_grad_none_for_zero_again(params, set_to_none=True):
    for p in params:
        if p.grad is None:
            p.grad = mg.zeros(p.shape, dtype=p.dtype)
        p.grad.fill_(0)
        if set_to_none:
            p.grad = None


def zero_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype)

    def parameters(bad: bool, missing: bool) -> list[Any]:
        params = [numbers(3).requires_grad_(), numbers(2, 4).requires_grad_(), numbers().requires_grad_()]
        params[0].grad, params[2].grad = numbers(3), numbers()
        if not missing:  # the one in the middle: a loop that ends there is seen
            params[1].grad = numbers(2, 4)
        if bad:
            params[1].grad[0, 1], params[1].grad[1, 3] = float("nan"), float("inf")
        return params

    def case(part: str, flag: bool | None, bad: bool = False, missing: bool = False) -> Case:
        params = parameters(bad, missing)
        option = "zero_grad(params)" if flag is None else f"set_to_none={flag}"
        return Case(f"{part}: {option}", (tuple(params) if part == ONCE else params, flag))

    return [
        case("three gradients", False),
        case("three gradients", True),
        case("a nan and an inf in a gradient", False, bad=True),
        case("one .grad is None", False, missing=True),
        case("one .grad is None", True, missing=True),
        case(ONCE, False),
        case(ONCE, True),
        case("set_to_none is left out", None),
    ]


ONCE = "params is a generator"


def watch_zero_grad(answer: Callable[..., Any], params: Any, set_to_none: bool | None) -> Any:
    """What an answer leaves in each .grad. A tuple of parameters is handed out as a generator; an option that is None is left out."""
    before = [p.grad for p in params]
    answer((p for p in params) if isinstance(params, tuple) else list(params), *([] if set_to_none is None else [set_to_none]))
    seen: dict[str, Any] = {}
    for k, (p, g) in enumerate(zip(params, before, strict=True)):
        seen[f"params[{k}].grad"] = grad_of(p)
        if g is not None and p.grad is not None:
            seen[f"params[{k}].grad is the same Tensor as before"] = p.grad is g
    return seen


NOT_REACHED = (
    "One of the parameters has no gradient: its `.grad` is None, and None has no numbers to be cleared. Ask first: "
    "`if p.grad is not None`. Such a parameter stays as it is."
)
TRUTH_OF_TENSOR = (
    "`if p.grad` asks whether the **numbers** are true, and a Tensor with several of them cannot say. Ask for the object: "
    "`if p.grad is not None`."
)
MUST_BE_TENSOR = (
    "`.grad` is a Tensor or None, nothing else: a number is refused. Write zeros into the Tensor that is there, `p.grad.zero_()`."
)
def zero_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def lone(*shape: int) -> Any:
        p = mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=True)
        p.grad = mg.full(shape, float("nan"), dtype=dtype)
        return p

    return [
        Case("no parameters: set_to_none=False", ([], False)),
        Case("no parameters: set_to_none=True", ([], True)),
        Case("three gradients: one number, all of it nan, set_to_none=False", ([lone()], False)),
        Case("three gradients: shape (1,), all of it nan, set_to_none=True", ([lone(1)], True)),
    ]


register(
    Exercise(
        id="06.3",
        title="Write zero_grad",
        difficulty=2,
        minutes=6,
        reference=zero_grad,
        cases=zero_cases,
        edges=zero_edges,
        observe=watch_zero_grad,
        alternatives={"a gradient has an index": zero_grad_fill, "copied": zero_grad_copy, "by data": zero_grad_data},
        mistakes={
            "times 0": Mistake(
                zeroing(times_zero),
                "A zero that is computed need not be one: nan · 0, inf · 0 and nan − nan are all nan. One bad gradient would stay in "
                "`.grad` for ever. **Write** zeros, do not compute them: `p.grad.zero_()`.",
                again=zeroing(lambda p: p.grad.sub_(p.grad)),
            ),
            "None.zero_()": Mistake(
                zeroing(lambda p: p.grad.zero_(), guarded=False), NOT_REACHED, again=zeroing_comprehension(lambda p: p.grad.zero_())
            ),
            "None.fill_()": Mistake(
                zeroing(lambda p: p.grad.fill_(0), guarded=False),
                NOT_REACHED,
                again=zeroing_comprehension(lambda p: p.grad.fill_(0.0)),
            ),
            "None[...]": Mistake(zeroing(written_zero, guarded=False), NOT_REACHED, again=zeroing_comprehension(written_zero)),
            "the number 0": Mistake(zeroing(int_zero), MUST_BE_TENSOR, again=zeroing_comprehension(int_zero)),
            "the number 0.0": Mistake(zeroing(float_zero), MUST_BE_TENSOR, again=zeroing_comprehension(float_zero)),
            "another Tensor": Mistake(
                zeroing(times_zero_rebound),
                "`.grad` is now **another** Tensor. Whoever holds the one from before, a logger or an optimizer, still sees the old "
                "numbers and will never see a new one. With `set_to_none=False` the Tensor stays, and zeros are written into it: in "
                "place.",
                again=zeroing(fresh_zeros),
            ),
            "zeros for None": Mistake(
                zero_grad_none_for_zero,
                "A `.grad` that is None must stay None. It says that nothing has come there, and an optimizer then leaves the "
                "parameter alone. With zeros, momentum and weight decay would move it.",
                again=zero_grad_none_for_zero_again,
            ),
            "the loop ends at None": Mistake(
                zero_grad_ends,
                "`return` and `break` end the whole loop: the parameters **after** the one with None are not cleared. To leave out "
                "this one only, write `continue`, or `elif p.grad is not None`.",
                again=zero_grad_ends_loop,
            ),
            "a slice of a number": Mistake(
                zeroing(sliced_zero),
                "One of the parameters has shape (), and there is nothing to slice: `[:]` needs an axis. `p.grad.zero_()` works for "
                "every shape, and so does `p.grad[...] = 0`.",
                again=zeroing(lambda p: p.grad.__setitem__(slice(None), 0.0)),
            ),
            "asked for its truth": Mistake(
                zeroing_if_true,
                TRUTH_OF_TENSOR,
                again=lambda params, set_to_none=True: [p.grad.zero_() for p in params if bool(p.grad)],
            ),
            "nothing is zeroed": Mistake(
                zero_grad_half,
                "With `set_to_none=False` nothing happens yet: the gradients keep their numbers. Write zeros into the Tensor that "
                "`.grad` is, in place and not into a copy.",
                again=zero_grad_half_copy,
            ),
            "looped over twice": Mistake(
                zero_grad_exhausted,
                "Here `params` is a generator, as `model.parameters()` is: it can be looped over **once**. You have looked through it "
                "before the loop that clears, which then finds nothing. One loop, or `params = list(params)` first.",
                again=zero_grad_exhausted_count,
            ),
            "another default": Mistake(
                zero_grad_default,
                "Without the option zeros were written: in the first line of your function `set_to_none` must be True unless it is "
                "given, `set_to_none=True`.",
                again=zero_grad_default_none,
            ),
            "always None": Mistake(
                zero_grad_always_none,
                "You set None whatever is asked for. With `set_to_none=False` the Tensor must stay, filled with zeros.",
                again=zero_grad_always_none_again,
            ),
            "always zero": Mistake(
                zero_grad_always_zero,
                "You write zeros whatever is asked for. With `set_to_none=True`, `.grad` must be None afterwards.",
                again=zero_grad_always_zero_again,
            ),
            "the wrong way round": Mistake(
                zero_grad_inverted,
                "The two branches are exchanged: `set_to_none=True` sets None, `set_to_none=False` writes zeros.",
                again=zero_grad_inverted_loop,
            ),
            "a name of one's own": Mistake(
                zero_grad_local,
                "`g = p.grad` gives the gradient a second name, and `g = None` takes that **name** away. The parameter keeps its "
                "gradient. Assign to the attribute: `p.grad = None`.",
                again=zero_grad_local_list,
            ),
            "the parameters are zeroed": Mistake(
                zeroing(parameter_zeroed),
                "You wrote zeros into the **parameters**: the model has forgotten all that it learned. Clear `p.grad`, not `p`.",
                again=zeroing(parameter_zeroed_data),
            ),
            "by number": Mistake(
                zero_grad_by_number,
                "`params` may be a generator, as `model.parameters()` is: it has no length and no index, and can be looped over once. "
                "Write `for p in params`.",
                again=lambda params, set_to_none=True: [zero_grad([params[k]], set_to_none) for k in range(len(params))],
            ),
        },
        hints=(
            "Two ways to clear. To forget: the attribute gets the value None. To zero: the Tensor that is there stays, and its "
            "numbers become 0. What is to be done in the second way where there is no Tensor?",
            "```text\n                     .grad was a Tensor g      .grad was None\n  set_to_none=True    None                     "
            " None\n  set_to_none=False   g itself, all zeros       None\n```",
            "```python\nfor p in params:\n    if set_to_none:\n        p.grad = ___\n    elif p.grad is not ___:\n"
            "        p.grad.___()  # in place: the name ends in _\n```",
        ),
        explanation="""\
Setting None is the default in PyTorch: it frees memory, the next backward stores instead of adding, and a parameter that gets no
gradient is easily told from one whose gradient is 0. Zeroing in place keeps the Tensor, for those who hold it.

`zero_()` **writes** zeros and does not look at what was there. `*= 0` computes: nan · 0 is nan, so one bad batch would spoil
every step after it. And None stays None in both ways: nothing has come there, and nothing is to be cleared.
""",
    )
)


# --- 06.4 Snapshot ------------------------------------------------------------------------------------------


def snapshot(params):
    """The gradients as they are now, in a list with one entry for each parameter.

    params: a list of leaves. An entry is a Tensor that no later backward changes, or None where .grad is None.
    """
    return [None if p.grad is None else p.grad.clone() for p in params]


def snapshot_loop(params):
    copies = []
    for p in params:
        copy = p.grad
        if copy is not None:
            copy = copy.detach().clone()
        copies.append(copy)
    return copies


def snapshot_arithmetic(params):
    return tuple(p.grad + 0 if p.grad is not None else None for p in params)


def snapshot_deepcopy(params):
    import copy

    return copy.deepcopy([p.grad for p in params])


def snapshot_tensor(params):
    return [p.grad if p.grad is None else mg.tensor(p.grad.tolist(), dtype=p.grad.dtype) for p in params]


def copied(copy: Callable[[Any], Any]) -> Callable[[Any], list[Any]]:
    """An answer that makes each entry like this, and asks for None first."""
    return lambda params: [None if p.grad is None else copy(p) for p in params]


def snapshot_same_loop(params):
    grads = []
    for p in params:
        g = p.grad
        grads.append(g)
    return grads[:]


def snapshot_clears(params):
    copies = []
    for p in params:
        copies.append(None if p.grad is None else p.grad.clone())
        p.grad = None
    return copies


def snapshot_clears_after(params):
    copies = [p.grad if p.grad is None else p.grad.clone() for p in params]
    for p in params:
        p.grad = None
    return copies


def snapshot_exchanges(params):
    copies = [p.grad for p in params]
    for p in params:
        p.grad = None if p.grad is None else p.grad.clone()
    return copies


def snapshot_exchanges_loop(params):
    copies = []
    for p in params:
        copies.append(p.grad)
        if p.grad is not None:
            p.grad = 1 * p.grad
    return copies


def snapshot_moves(params):
    copies = [p.grad for p in params]
    for p in params:
        p.grad = None
    return copies


def snapshot_moves_loop(params):
    copies = []
    for p in params:
        copies.append(p.grad)
        p.grad = None
    return copies


def snapshot_unguarded_loop(params):
    copies = []
    for p in params:
        copies += [p.grad.clone()]
    return copies


def snapshot_unguarded_detach_loop(params):
    copies = []
    for p in params:
        copies.append(p.grad.detach().clone())
    return copies


def snapshot_left_out_loop(params):
    copies = []
    for p in params:
        if p.grad is not None:
            copies.append(p.grad.clone())
    return copies


def snapshot_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def numbers(*shape: int) -> Any:
        return mg.tensor(rng.normal(size=shape), dtype=dtype)

    def parameters(*shapes: tuple[int, ...], missing: int | None = None) -> list[Any]:
        params = [numbers(*shape).requires_grad_() for shape in shapes]
        for k, (p, shape) in enumerate(zip(params, shapes, strict=True)):
            if k != missing:
                p.grad = numbers(*shape)
        return params

    return [
        Case("each has a gradient: two parameters", (parameters((3,), (2, 4)),)),
        Case("the .grad of one is None: three parameters", (parameters((4,), (), (3, 2), missing=1),)),
    ]


def watch_snapshot(answer: Callable[..., Any], params: list[Any]) -> Any:
    before = [p.grad for p in params]
    values = [grad_of(p) for p in params]
    copies = answer(list(params))
    if not isinstance(copies, list | tuple):
        return unfit(copies, "a list with one entry for each parameter")
    entries = [c for c in copies if c is not None]
    if not all(isinstance(c, mg.Tensor) for c in entries):
        other = unfit(next(c for c in entries if not isinstance(c, mg.Tensor)), "")
        return Unfit(f"a {type(copies).__name__} with {other.came} in it", "a list of Tensors and Nones")
    seen: dict[str, Any] = {
        "the snapshot": [numbers_of(c) for c in copies],
        "a .grad was changed": not all(differences(grad_of(p), v, 0) == [] for p, v in zip(params, values, strict=True)),
        "a .grad is another Tensor now": any(p.grad is not g for p, g in zip(params, before, strict=True)),
        "an entry is a .grad itself": any(c is g for c in entries for g in before),
    }
    for p in params:
        if p.grad is not None:
            (p * p + 3 * p).sum().backward()
    seen["the snapshot after another backward"] = [numbers_of(c) for c in copies]
    for p in params:
        if p.grad is not None:
            p.grad.zero_()
    seen["the snapshot after zero_()"] = [numbers_of(c) for c in copies]
    return seen


NONE_IN_SNAPSHOT = (
    "One parameter has no gradient, and None has no `clone`. Its entry in the list is None: `None if p.grad is None else …`."
)
def snapshot_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    bare, zeros, number = (mg.tensor(rng.normal(size=shape), dtype=dtype, requires_grad=True) for shape in ((2,), (3,), ()))
    zeros.grad, number.grad = mg.zeros(3, dtype=dtype), mg.tensor(0.0, dtype=dtype)
    return [
        Case("no parameters", ([],)),
        Case("one parameter, whose .grad is None", ([bare],)),
        Case("gradients that are 0", ([zeros, number],)),
    ]


register(
    Exercise(
        id="06.4",
        title="Snapshot",
        difficulty=2,
        minutes=5,
        reference=snapshot,
        cases=snapshot_cases,
        edges=snapshot_edges,
        observe=watch_snapshot,
        alternatives={
            "a loop": snapshot_loop,
            "arithmetic copies": snapshot_arithmetic,
            "deepcopy": snapshot_deepcopy,
            "through numbers": snapshot_tensor,
        },
        mistakes={
            "the gradients themselves": Mistake(
                lambda params: [p.grad for p in params],
                "Your entries are the `.grad` Tensors themselves: the **same objects** under a second name. The next backward adds "
                "into them, in place, and your snapshot moves along. Copy the numbers: `clone()`.",
                again=snapshot_same_loop,
            ),
            "detached only": Mistake(
                copied(lambda p: p.grad.detach()),
                "`detach()` and `.data` give new Tensors, but on the **same numbers** in memory: no copy. Here there is no history "
                "to cut; what you need is cells of their own: `clone()`.",
                again=copied(lambda p: p.grad.data),
            ),
            "asked for its truth": Mistake(
                lambda params: [p.grad.clone() if p.grad else None for p in params],
                TRUTH_OF_TENSOR,
                again=lambda params: [None if not p.grad else 1 * p.grad for p in params],
            ),
            "None.clone()": Mistake(lambda params: [p.grad.clone() for p in params], NONE_IN_SNAPSHOT, again=snapshot_unguarded_loop),
            "None.detach()": Mistake(
                lambda params: [p.grad.detach().clone() for p in params], NONE_IN_SNAPSHOT, again=snapshot_unguarded_detach_loop
            ),
            "zeros for None": Mistake(
                lambda params: [mg.zeros_like(p) if p.grad is None else p.grad.clone() for p in params],
                "Where `.grad` is None the entry must be None. A 0 would say that a gradient came and was 0.",
                again=lambda params: [0 * p.detach() if p.grad is None else 1 * p.grad for p in params],
            ),
            "None left out": Mistake(
                lambda params: [p.grad.clone() for p in params if p.grad is not None],
                "Your list is shorter than `params`: where `.grad` is None, an entry is missing, and the others have moved up. Put "
                "None in its place.",
                again=snapshot_left_out_loop,
            ),
            "the values": Mistake(
                lambda params: [p.clone() for p in params],
                "These are the numbers of the parameters. Asked for are their gradients, `p.grad`.",
                again=lambda params: [(p + 0).detach() if p.grad is not None else None for p in params],
            ),
            "cleared": Mistake(
                snapshot_clears,
                "You took the gradients away: `.grad` is None after the call. A snapshot changes nothing.",
                again=snapshot_clears_after,
            ),
            "exchanged": Mistake(
                snapshot_exchanges,
                "You kept the old Tensors and put the copies into `.grad`. The numbers are right, but whoever held `p.grad` holds "
                "another Tensor now. Keep the copy, and leave `.grad` what it is.",
                again=snapshot_exchanges_loop,
            ),
            "moved": Mistake(
                snapshot_moves,
                "You moved the gradients into the list: `.grad` is None after the call, and the optimizer has nothing left. A "
                "snapshot copies and changes nothing.",
                again=snapshot_moves_loop,
            ),
        },
        hints=(
            "`.grad` is one Tensor, from the first backward on, and each later backward adds into that very Tensor. Your list must "
            "not hold it, nor anything else that looks at its numbers.",
            "```text\n  p.grad ──► [ 3, 6 ] ◄── g = p.grad            one Tensor, two names\n             [ 3, 6 ] ◄── "
            "p.grad.detach()       two Tensors, the same numbers\n\n  p.grad ──► [ 3, 6 ]     [ 3, 6 ] ◄── a copy   numbers of its "
            "own\n```",
            "```python\nreturn [None if ___ else p.grad.___() for p in params]\n```",
        ),
        explanation="""\
The second backward does not make a new `.grad`. It adds into the Tensor that is there, which saves memory and surprises everybody
once. So a list of `p.grad` is a list of second names. `detach()` does not help either: another Tensor, and the same numbers in memory.
`clone()` copies, as do `+ 0` and `copy.deepcopy`.

One exception: `backward(create_graph=True)` (chapter 08) does put a **new** Tensor into `.grad`. Then a second name keeps the old
numbers. Code that relies on either is fragile; a copy is right in both.
""",
    )
)


# --- 06.5 The leaking loop ----------------------------------------------------------------------------------

LEAK_STARTER = '''\
def average_loss(w, batches, loss_of, lr):
    """Train w for one step on each batch. Returns the average of the losses: a float, or a Tensor without a graph.

    w: a leaf of shape (n,). loss_of(w, batch): a Tensor of shape (). lr: the size of the steps.
    """
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss
    return total / len(batches)
'''


def average_loss(w, batches, loss_of, lr):
    """Train w for one step on each batch. Returns the average of the losses: a float, or a Tensor without a graph.

    w: a leaf of shape (n,). loss_of(w, batch): a Tensor of shape (). lr: the size of the steps.
    """
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.item()
    return total / len(batches)


def training(keep: Callable[[Any], Any], average: Callable[[list[Any]], Any]) -> Callable[..., Any]:
    """An answer that keeps something of each loss in a list, and makes the average of it at the end."""

    def answer(w: Any, batches: Any, loss_of: Any, lr: float) -> Any:
        kept = []
        for batch in batches:
            loss = loss_of(w, batch)
            w.grad = None
            loss.backward()
            with mg.no_grad():
                w -= lr * w.grad
            kept.append(keep(loss))
        return average(kept)

    return answer


def mean_of(values: list[Any]) -> Any:
    return sum(values) / len(values)


def average_detached_total(w, batches, loss_of, lr):
    total = mg.zeros(())
    for batch in batches:
        w.grad = None
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
            total = total + loss
    return total / len(batches)


def average_cut_each_time(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss
        total = total.detach()
    return float(total) / len(batches)


def average_leaks(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        w.grad = None
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total = total + loss
        del loss
    return total / len(batches)


def average_too_late(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss
    return float(total) / len(batches)


def training_on(prepare: Callable[[Any], Any]) -> Callable[..., Any]:
    """An answer that does something to each loss before it goes backward."""

    def answer(w: Any, batches: Any, loss_of: Any, lr: float) -> Any:
        total = 0.0
        for batch in batches:
            loss = prepare(loss_of(w, batch))
            w.grad = None
            loss.backward()
            with mg.no_grad():
                w -= lr * w.grad
            total += loss
        return total / len(batches)

    return answer


def average_after_the_step(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
            total += loss_of(w, batch)
    return total / len(batches)


def average_after_the_step_item(w, batches, loss_of, lr):
    losses = []
    for batch in batches:
        w.grad = None
        loss_of(w, batch).backward()
        w.data -= lr * w.grad
        losses.append(loss_of(w, batch).item())
    return mean_of(losses)


def average_of_another_w(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        w = (w - lr * w.grad).detach().requires_grad_()
        total += loss.item()
    return total / len(batches)


def average_of_a_copy(w, batches, loss_of, lr):
    return average_loss(w.detach().clone().requires_grad_(), batches, loss_of, lr)


def average_of_the_first(w, batches, loss_of, lr):
    return average_loss(w, batches[:1], loss_of, lr) / len(batches)


def average_returned_in_the_loop(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.detach()
        return total / len(batches)


def average_no_grad(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        with mg.no_grad():
            loss = loss_of(w, batch)
            w.grad = None
            loss.backward()
            w -= lr * w.grad
            total += loss
    return total / len(batches)


def average_no_training(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        with mg.no_grad():
            total += loss_of(w, batch).item()
    return total / len(batches)


def average_no_step(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        total += loss.item()
    return total / len(batches)


def average_not_cleared(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.item()
    return total / len(batches)


def average_cleared_once(w, batches, loss_of, lr):
    w.grad = None
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        w.data -= lr * w.grad
        losses.append(float(loss))
    return mean_of(losses)


STEPS = 50


def average_cases(rng: np.random.Generator, dtype: Any) -> list[Case]:
    def case(steps: int, n: int) -> Case:
        w = mg.tensor(rng.normal(size=n), dtype=dtype, requires_grad=True)
        batches = [mg.tensor(rng.normal(size=(2, n + 1)), dtype=dtype) for _ in range(steps)]
        return Case(f"{steps} batches", (w, batches, float(rng.uniform(0.01, 0.03))))

    return [case(STEPS, 3), case(4, 2)]


def watch_average(answer: Callable[..., Any], w: Any, batches: list[Any], lr: float) -> Any:
    probes = Probes()

    def loss_of(w: Any, batch: Any) -> Any:
        loss = squared_misses(w, batch)
        probes.hang_on(loss)
        return loss

    result = answer(w, list(batches), loss_of, lr)
    if not isinstance(result, float | mg.Tensor | np.ndarray | np.number):
        return unfit(result, "a number")
    return {
        "the average": numbers_of(result),
        "w afterwards": numbers_of(w),
        "old graphs in memory during the loop": "more and more" if probes.most > 2 else "none but the last",
        "the result has a graph": bool(isinstance(result, mg.Tensor) and result.requires_grad),
    }


def average_edges(rng: np.random.Generator, dtype: Any) -> list[Case]:
    w = mg.tensor(rng.normal(size=1), dtype=dtype, requires_grad=True)
    return [Case("one batch, one weight", (w, [mg.tensor(rng.normal(size=(2, 2)), dtype=dtype)], 0.02))]


register(
    Exercise(
        id="06.5",
        title="The leaking loop",
        difficulty=2,
        minutes=8,
        reference=average_loss,
        starter=LEAK_STARTER,
        cases=average_cases,
        edges=average_edges,
        observe=watch_average,
        may_change_inputs=True,
        tolerance=1e-6,  # a total may begin as a Tensor of the default dtype
        alternatives={
            "detached in a list": training(lambda loss: loss.detach(), lambda kept: mg.stack(kept).mean()),
            "floats in a list": training(float, mean_of),
            "added under no_grad": average_detached_total,
            "the total is cut each time": average_cut_each_time,
        },
        mistakes={
            "it leaks": Mistake(
                average_leaks,
                "It still leaks. `total` is a result, and the losses are among its ancestors: as long as `total` lives (or a list "
                "of losses), the graphs of all steps live. `del loss` takes away a name only. Add up **numbers**: `loss.item()` or "
                "`loss.detach()`.",
                again=training(lambda loss: loss, mean_of),
            ),
            "too late": Mistake(
                average_too_late,
                "What you return is a number without a graph. But that comes too late: **during** the loop `total` (or your list) "
                "held on to the graphs of all steps. Cut at each step, where the loss is added.",
                again=training(lambda loss: loss, lambda kept: mean_of([loss.item() for loss in kept])),
            ),
            "detached before backward": Mistake(
                training_on(lambda loss: loss.detach()),
                "There was no graph to go back through, hence the message. Either the loss was cut off **before** `backward`, by "
                "`detach` or `no_grad`: it must keep its history; detach what you add up. Or `w` is no longer the leaf: `w = w - …` "
                "under `no_grad` makes a constant, where `w -= …` moves the leaf.",
                again=average_no_grad,
            ),
            "a number before backward": Mistake(
                training_on(lambda loss: loss.item()),
                "You turned the loss into a plain number **before** `backward`, and a number has no `backward`. Go backward first; "
                "take the number where you add it up.",
                again=training_on(float),
            ),
            "after the step": Mistake(
                average_after_the_step,
                "No leak, but the losses are others: you compute each loss once more **after** the step, with the new `w`. Add up the "
                "loss that went backward, `loss.item()`.",
                again=average_after_the_step_item,
            ),
            "another w": Mistake(
                average_of_another_w,
                "No leak, and the average is right. But the `w` of the caller has not moved: `w = …` gives the name to a new Tensor. "
                "`w -= lr * w.grad` under `no_grad` moves the one that you were given.",
                again=average_of_a_copy,
            ),
            "the first batch alone": Mistake(
                average_of_the_first,
                "Only the first batch was trained on. Does your `return` stand inside the loop?",
                again=average_returned_in_the_loop,
            ),
            "only the last": Mistake(
                training(lambda loss: loss.item(), lambda kept: kept[-1] / len(kept)),
                "Only the last loss is in your total: it is replaced in each turn, not added to. `total += …`.",
                again=training(float, lambda kept: kept[-1] / len(kept)),
            ),
            "the last alone": Mistake(
                training(lambda loss: loss.item(), lambda kept: kept[-1]),
                "That is the last loss. Asked for is the average of all.",
                again=training(lambda loss: loss.detach(), lambda kept: kept[-1]),
            ),
            "the sum": Mistake(
                training(lambda loss: loss.item(), sum),
                "That is the sum of the losses. Divide by their number.",
                again=training(lambda loss: loss.detach(), sum),
            ),
            "no training": Mistake(
                average_no_training,
                "No leak, but `w` has not moved: nothing is trained any more. Keep `backward` and the step as they were, and change "
                "only how the loss is added up.",
                again=average_no_step,
            ),
            "not cleared": Mistake(
                average_not_cleared,
                "No leak, but the steps are made with the sum of all gradients so far: `w.grad = None` in each turn got lost.",
                again=average_cleared_once,
            ),
        },
        hints=(
            "`total += loss` is an addition like any other. Its result has a history, and the loss is in it. What of the loss do "
            "you need for the average: the Tensor with its past, or its number?",
            "```text\n  total ──► Add ──► Add ──► Add ──► …\n             │       │       │\n             ▼       ▼       ▼\n"
            "           loss₃   loss₂   loss₁      each with its whole graph behind it\n```\n\nWhere must the scissors go, and at "
            "what moment?",
            "Change one line:\n\n```python\ntotal += loss.___()  # a number, or a Tensor without history\n```",
        ),
        explanation="""\
Adding a loss to `total` makes `total` a result. Its graph grows by one loss in every step, and nothing in it can be freed as long
as `total` lives. `backward` frees what the nodes have **saved**, but not the nodes; and in a loop without `backward`, as in a
validation, not even that.

`loss.item()` hands out a Python number, `loss.detach()` a Tensor without history; `no_grad` around the addition does it too. Each
must come in the loop, at the addition. `float(total)` after the loop gives a clean result, when the memory has long been used.

And `backward` needs the loss with its history. So cut what you keep, never what you go backward through.
""",
    )
)


# --- 06.6 Should backward zero first? -----------------------------------------------------------------------

FIRST_SETUP = """\
w = mg.tensor(2.0, requires_grad=True)
v = mg.tensor(5.0, requires_grad=True)
chunks = [mg.tensor([1.0, 2.0]), mg.tensor([3.0])]
"""
FIRST = {
    "two losses": [
        "loss = (w - 3) ** 2\npenalty = w**2 / 10\nloss.backward()\npenalty.backward()",
        "first = 4 * w\nsecond = w**3\nfirst.backward()\nsecond.backward()",
        "a = w * v\nb = (w - v) ** 2\na.backward()\nb.backward()",
    ],
    "micro-batches": [
        "for chunk in chunks:\n    part = ((w - chunk) ** 2).sum() / 3\n    part.backward()",
        "for chunk in chunks:\n    part = (w * chunk).exp().mean() * len(chunk) / 3\n    part.backward()",
        "parts = [(w * chunk).sum() / 3 for chunk in chunks]\nfor part in parts:\n    part.backward()",
    ],
    "every second step": [
        "for k in range(4):\n    loss = (w - k) ** 2\n    loss.backward()\n    if k % 2 == 1:\n        with mg.no_grad():\n"
        "            w -= 0.1 * w.grad\n        w.grad = None",
        "for k in range(6):\n    loss = (w * k - 1) ** 2\n    loss.backward()\n    if k % 3 == 2:\n        with mg.no_grad():\n"
        "            w -= 0.01 * w.grad\n        w.grad = None",
    ],
    "a start by hand": [
        "w.grad = mg.tensor(10.0)\nloss = 3 * w\nloss.backward()",
        "loss = w**2\nw.grad = 0.1 * w.detach()\nloss.backward()",
    ],
    "one loss, w twice": [
        "loss = w * v + w**2\nloss.backward()",
        "h = w * w\nloss = h * w + h\nloss.backward()",
        "loss = 3 * w\nfor _ in range(3):\n    loss = loss * w\nloss.backward()",
    ],
    "added up before": [
        "first = (w - 3) ** 2\nsecond = w**2 / 10\ntotal = first + second\ntotal.backward()",
        "total = sum(((w - chunk) ** 2).sum() / 3 for chunk in chunks)\ntotal.backward()",
    ],
    "cleared each time": [
        "for k in range(3):\n    w.grad = None\n    loss = (w - k) ** 2\n    loss.backward()\n    with mg.no_grad():\n"
        "        w -= 0.1 * w.grad",
        "for k in range(3):\n    loss = (w - k) ** 2\n    loss.backward()\n    with mg.no_grad():\n        w -= 0.1 * w.grad\n"
        "    w.grad.zero_()",
    ],
    "other leaves": [
        "first = (w - 3) ** 2\nsecond = v**2\nfirst.backward()\nsecond.backward()",
        "first = 4 * w * w.detach()\nsecond = v.exp() * w.detach()\nfirst.backward()\nsecond.backward()",
    ],
}
FIRST_TRUE = {rule: "breaks" if k < 4 else "same" for k, rule in enumerate(FIRST)}
FIRST_HINTS = {
    "two losses": (
        "Two losses, each with a `backward` of its own, and both reach `w`. The gradient of the sum is wanted. If the second call "
        "first cleared, the first loss would have no influence at all."
    ),
    "micro-batches": (
        "Each turn of the loop brings a part of one gradient. If every `backward` first cleared, only the last part would be left."
    ),
    "every second step": (
        "Here several `backward` calls go into one step. That is accumulation on purpose, and it is cleared when the step is made. If "
        "every `backward` first cleared, each step would use its last gradient only."
    ),
    "a start by hand": (
        "Somebody has put a gradient there by hand, for instance that of a penalty. `backward` adds to it. If it first cleared, that "
        "part would be gone."
    ),
    "one loss, w twice": (
        "One call of `backward`. The messages that meet at `w` are added up **within** the pass; clearing comes before it. So "
        "nothing is lost."
    ),
    "added up before": ("The losses are added up first, and there is one `backward`. What is cleared before it was None anyway."),
    "cleared each time": (
        "This loop clears by itself, once for each `backward`. That the engine would do it too makes no difference."
    ),
    "other leaves": (
        "The second `backward` reaches `v` and not `w` (a detached `w` is a constant). Cleared are only the leaves of **its own** "
        "graph, so the gradient of `w` stays."
    ),
}


def first_draw(rng: np.random.Generator) -> Draw:
    rules = [str(rule) for rule in rng.permutation(list(FIRST))]
    return [(key, rule, str(rng.choice(FIRST[rule]))) for key, rule in zip("abcdefgh", rules, strict=True)]


def first_program(draw: Draw) -> str:
    return FIRST_SETUP + "".join(f"\n# {key}\n{code}\n" for key, _, code in draw)


def backward_of(t: Any) -> None:
    """The backward that was proposed: it first clears the leaves of its graph."""
    for node in nodes_of(t):
        if class_of(node) == "AccumulateGrad":
            node.variable.grad = None
    t.backward()


def end_of(code: str, **more: Any) -> list[Any]:
    """What a block leaves behind: the two leaves and their gradients."""
    space = run(FIRST_SETUP) | more
    exec(code, space)
    return [grad_of(space[name]) for name in "wv"] + [space[name].item() for name in "wv"]


def verdict_of(code: str) -> str:
    proposed = re.sub(r"(\w+)\.backward\(\)", r"backward_of(\1)", code)
    found = differences(end_of(proposed, backward_of=backward_of), end_of(code), 1e-6)
    return "breaks" if found else "same"


def verdicts(draw: Draw) -> dict[str, str]:
    """Run each block twice, with backward as it is and with the one that was proposed, and compare what is left."""
    return {key: verdict_of(code) for key, _, code in draw}


def verdicts_by_rule(draw: Draw) -> dict[str, str]:
    return {key: FIRST_TRUE[rule] for key, rule, _ in draw}


def first_belief(*rules: str) -> Callable[[Draw], dict[str, str]]:
    """The dict of somebody who is wrong about these rules."""
    other = {"breaks": "same", "same": "breaks"}

    def predict(draw: Draw) -> dict[str, str]:
        truth = verdicts(draw)
        return truth | {key: other[truth[key]] for key, rule, _ in draw if rule in rules}

    return predict


BREAKING = [rule for rule in FIRST if FIRST_TRUE[rule] == "breaks"]
HARMLESS = [rule for rule in FIRST if FIRST_TRUE[rule] == "same"]

register(
    Exercise(
        id="06.6",
        title="Should backward zero first?",
        difficulty=3,
        minutes=8,
        reference=verdicts,
        draws=first_draw,
        program=first_program,
        name="verdicts",
        words=("same", "breaks"),
        alternatives={"by the rules": verdicts_by_rule},
        mistakes={
            **{rule: Mistake(first_belief(rule), FIRST_HINTS[rule]) for rule in FIRST},
            "nothing breaks": Mistake(
                first_belief(*BREAKING),
                "Not all is well. Look for programs in which **two** calls of `backward` reach the same leaf, with no clearing "
                "between them: there the sum is wanted, and would be lost.",
            ),
            "everything breaks": Mistake(
                first_belief(*HARMLESS),
                "Some of them would not notice. Clearing happens **before** a pass, and only at the leaves that it reaches. What "
                "does that change where there is one `backward`, or where the leaf was clear anyway?",
            ),
        },
        hints=(
            "The proposal does harm exactly where something is in the `.grad` of a leaf when a `backward` that reaches this leaf "
            "begins, and where it is still wanted.",
            "For each block, write down the calls of `backward` in their order, and under each the leaves that it reaches:\n\n"
            "```text\n   first.backward()    second.backward()\n        w                    w             → what first brought is "
            "lost\n        w                    v             → nothing is lost\n```\n\nThen ask whether the `.grad` was cleared in "
            "between.",
            'Four of the eight break:\n\n```python\nverdicts = {\n    # two passes to one leaf, nothing cleared between:  "breaks"\n'
            '    # something in .grad before the pass, put there:   "breaks"\n    # one pass, other leaves, or cleared anyway:    '
            '   "same"\n    "a": ...,\n}\n```',
        ),
        explanation="""\
The proposal is tempting: it would save the line that everybody forgets once. It is right for the plain loop, one `backward` for
one step. It breaks all that is made of several passes:

* two losses that each go backward,
* micro-batches, and steps after every second batch,
* a gradient that somebody has put there by hand.

It does no harm within **one** pass: several messages to a leaf are added on the way, before anything is written to `.grad`. Nor
where the leaves are others, or are cleared anyway.

Adding is the choice from which the other can be made: to overwrite, clear first. The other way round it would not work. The price is
a line in the loop.
""",
    )
)
