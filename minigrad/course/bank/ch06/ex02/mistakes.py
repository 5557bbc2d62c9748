"""06.2 Micro-batches: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.shared import RETURNS
from minigrad.course.exercise import Mistake

WASTEFUL: dict[str, Mistake] = {}  # right, at a cost


def rows_of(chunks: list[Any]) -> int:
    return sum(len(chunk) for chunk in chunks)


def share(chunk: Any, chunks: list[Any]) -> float:
    return len(chunk) / rows_of(chunks)


def accumulate_one_pass(mean_loss, w, chunks):
    w.grad = None
    total = sum(share(chunk, chunks) * mean_loss(w, chunk) for chunk in chunks)
    total.backward()


WASTEFUL["one pass at the end"] = Mistake(
    accumulate_one_pass,
    "Right. But several losses are computed before a `backward`: until then the graphs of **all** these chunks are in "
    "memory. Chunks are used because that does not fit. One `backward` in each turn of the loop frees each graph at once, "
    "and `.grad` does the adding.",
)


def accumulate_joined(mean_loss, w, chunks):
    w.grad = None
    mean_loss(w, mg.cat(chunks)).backward()


WASTEFUL["joined"] = Mistake(
    accumulate_joined,
    "Right. But you put the chunks together into the full batch, and chunks are used because that does not fit into "
    "memory. Call `mean_loss` with one chunk at a time.",
)


def accumulate_returned(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        (share(chunk, chunks) * mean_loss(w, chunk)).backward()
    return w.grad


WASTEFUL["something is returned"] = Mistake(
    accumulate_returned,
    f"The gradient is in `w.grad`, where it belongs, {RETURNS}",
)

MISTAKES: dict[str, Mistake] = {}


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


MISTAKES["the mean of means"] = Mistake(
    accumulating(lambda chunk, chunks: 1 / len(chunks)),
    "You took the mean of the chunks' means. In the first case the last chunk has 3 rows, not 8: its rows would count "
    "almost three times as much as the others. A chunk counts by its **rows**: its share is `len(chunk)` of all.",
)

MISTAKES["not scaled"] = Mistake(
    accumulating(lambda chunk, chunks: 1),
    "You added up the chunks' means, each in full. With k chunks the sum is about k times too large. Multiply each loss "
    "by the chunk's share of the rows, before `backward`.",
)

MISTAKES["not divided"] = Mistake(
    accumulating(lambda chunk, chunks: len(chunk)),
    "That is the gradient of the **sum** over all rows. The mean is asked for: divide by the number of all rows.",
)

MISTAKES["divided by all rows"] = Mistake(
    accumulating(lambda chunk, chunks: 1 / rows_of(chunks)),
    "`mean_loss` has already divided by the rows of the chunk. Undo that first: times `len(chunk)`, divided by all rows.",
)

MISTAKES["upside down"] = Mistake(
    accumulating(lambda chunk, chunks: rows_of(chunks) / len(chunk)),
    "Your factor is upside down. A chunk's share is **its** rows over **all** rows: less than 1, and the shares sum to 1.",
)

MISTAKES["over its own rows"] = Mistake(
    accumulating(lambda chunk, chunks: 1 / len(chunk)),
    "`mean_loss` has already divided by the rows of the chunk; now they are divided out twice. The factor is the chunk's "
    "share of all rows.",
)

MISTAKES["rows over numbers"] = Mistake(
    accumulating(lambda chunk, chunks: len(chunk) / sum(c.numel() for c in chunks)),
    "Above you count rows, below all numbers (`numel`): each row has several. Count rows in both places.",
)


def accumulate_int_zero(mean_loss, w, chunks):
    w.grad = 0
    for chunk in chunks:
        (share(chunk, chunks) * mean_loss(w, chunk)).backward()


MISTAKES["the number 0"] = Mistake(
    accumulate_int_zero, "`.grad` is a Tensor or None, nothing else: the number 0 is refused. Clear with `w.grad = None`."
)

MISTAKES["all chunks like the first"] = Mistake(
    accumulating(lambda chunk, chunks: len(chunk) / (len(chunks) * len(chunks[0]))),
    "You count the rows as if all chunks were as long as the first. They are not. Add up `len(chunk)` over all chunks.",
)

ZEROED_BETWEEN = (
    "Only the last chunk is left. Either `w.grad` is cleared **inside** the loop, before each backward: clear it once, before the "
    "loop, because here adding up is what you want. Or `backward` stands **behind** the loop, and goes back from the last loss alone."
)

MISTAKES["zeroed between the chunks"] = Mistake(accumulating(share, inside="none"), ZEROED_BETWEEN)

MISTAKES["zeroed between, not scaled"] = Mistake(
    accumulating(lambda chunk, chunks: 1, inside="none"), f"{ZEROED_BETWEEN} (And then each loss needs its share of the rows.)"
)

MISTAKES["zeroed between, by the number of chunks"] = Mistake(
    accumulating(lambda chunk, chunks: 1 / len(chunks), inside="none"),
    f"{ZEROED_BETWEEN} (And then: chunks of different lengths do not count the same.)",
)


def accumulate_scaled_ledger(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        mean_loss(w, chunk).backward()
        w.grad *= len(chunk) / rows_of(chunks)


SCALED_AGAIN = (
    "You scale `w.grad` after each backward. But there everything that came before is in it too, and is scaled again and "
    "again. Scale the **loss**, before `backward`."
)

MISTAKES["the sum is scaled"] = Mistake(accumulate_scaled_ledger, SCALED_AGAIN)


def accumulate_divided_ledger(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        (len(chunk) * mean_loss(w, chunk)).backward()
        w.grad /= rows_of(chunks)


MISTAKES["the sum is divided in each turn"] = Mistake(accumulate_divided_ledger, SCALED_AGAIN)


def accumulate_retained(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        loss = share(chunk, chunks) * mean_loss(w, chunk)
        loss.backward(retain_graph=True)


WASTEFUL["retained"] = Mistake(
    accumulate_retained,
    "Right. But when the next chunk comes, the arrays of the chunk before are still there, because its graph was retained. Leave "
    "`retain_graph` (and `create_graph`) away: the pass then frees them.",
)


def accumulate_created(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        (share(chunk, chunks) * mean_loss(w, chunk)).backward(create_graph=True)


WASTEFUL["a gradient with a graph"] = Mistake(
    accumulate_created,
    "Right numbers. But `w.grad` has a graph of its own now, and behind it the graphs of **all** chunks stay alive. That is what "
    "`create_graph=True` is for, and here nobody asks for it: leave it away.",
)


def accumulate_zero_first(mean_loss, w, chunks):
    w.grad.zero_()
    for chunk in chunks:
        (share(chunk, chunks) * mean_loss(w, chunk)).backward()


MISTAKES["None.zero_()"] = Mistake(
    accumulate_zero_first,
    "In this case `w.grad` is None, and None has no `zero_`. Say `w.grad = None`: it clears in both cases.",
)

MISTAKES["the old gradient is kept"] = Mistake(
    accumulating(share, before=False),
    "In this case `w.grad` was not None at the call: it held the gradient of the step before. Your sum came on top. "
    "Clear it once, before the loop.",
)

MISTAKES["cleared at the end"] = Mistake(
    accumulating(share, after="none"),
    "`w.grad` is None at the end. If you clear it after a `backward`, the result is gone; clear it once, before the loop. "
    "Or did nothing call `backward`?",
)

MISTAKES["19 rows in each case"] = Mistake(
    accumulating(lambda chunk, chunks: len(chunk) / 19),
    "The first case is right: it has 19 rows. The next ones have another number. Add up `len(chunk)` over the chunks that you "
    "are given.",
)

MISTAKES["numbers over rows"] = Mistake(
    accumulating(lambda chunk, chunks: chunk.numel() / rows_of(chunks)),
    "`w.grad` is too large, as many times as a row has numbers. `numel` counts numbers, `len` counts rows.",
)
