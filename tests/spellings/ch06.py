"""Right answers of chapter 06 in other styles, and its known mistakes written another way."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import minigrad as mg
from minigrad.course.bank.ch06.ex01.task import Ledger, kept_by
from minigrad.course.bank.ch06.ex02.mistakes import accumulating, rows_of, share
from minigrad.course.bank.ch06.ex03.answer import zero_grad
from minigrad.course.bank.ch06.ex03.mistakes import float_zero, int_zero, written_zero, zeroing
from minigrad.course.bank.ch06.ex04.mistakes import copied
from minigrad.course.bank.ch06.ex05.answer import average_loss
from minigrad.course.bank.ch06.ex05.mistakes import training, training_on

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


# --- 06.1 The ledger ----------------------------------------------------------------------------------------


ALTERNATIVES["06.1"] = {"on paper": kept_by(Ledger)}


# --- 06.2 Micro-batches -------------------------------------------------------------------------------------


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


def accumulate_scaled_ledger_later(mean_loss, w, chunks):
    w.grad = None
    rows = rows_of(chunks)
    for chunk in chunks:
        mean_loss(w, chunk).backward()
        w.grad = w.grad * len(chunk) / rows


def accumulate_divided_later(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        loss = len(chunk) * mean_loss(w, chunk)
        loss.backward()
        w.grad = w.grad / rows_of(chunks)


def accumulate_chained(mean_loss, w, chunks):
    w.grad, last = None, 0
    for chunk in chunks:
        loss = share(chunk, chunks) * mean_loss(w, chunk)
        (loss + 0 * last).backward(retain_graph=True)
        last = loss


def accumulate_old_kept(mean_loss, w, chunks):
    rows = rows_of(chunks)
    for chunk in chunks:
        loss = len(chunk) * mean_loss(w, chunk) / rows
        loss.backward()


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


def accumulate_int_zero_again(mean_loss, w, chunks):
    rows = rows_of(chunks)
    setattr(w, "grad", 0 * rows)  # noqa: B010
    for chunk in chunks:
        (mean_loss(w, chunk) * len(chunk) / rows).backward()


def accumulate_joined_loop(mean_loss, w, chunks):
    joined = chunks[0]
    for chunk in chunks[1:]:
        joined = mg.cat([joined, chunk])
    w.grad = None
    loss = mean_loss(w, joined)
    loss.backward()


def accumulate_of_nineteen(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        loss = mean_loss(w, chunk)
        loss.backward(mg.ones_like(loss) * chunk.shape[0] / 19)


def accumulate_numbers_over_rows(mean_loss, w, chunks):
    rows = rows_of(chunks)
    w.grad = None
    for chunk in chunks:
        for _ in range(chunk.shape[1]):
            (mean_loss(w, chunk) * len(chunk) / rows).backward()


ALTERNATIVES["06.2"] = {"the weight is v": accumulate_weights, "added up by hand": accumulate_grad}

def accumulate_returned_again(mean_loss, w, chunks):
    w.grad, rows = None, sum(map(len, chunks))
    return [(mean_loss(w, chunk) * (len(chunk) / rows)).backward() for chunk in chunks]


def accumulate_created_by_hand(mean_loss, w, chunks):
    w.grad = None
    for chunk in chunks:
        (g,) = mg.autograd.grad(share(chunk, chunks) * mean_loss(w, chunk), w, create_graph=True)
        w.grad = g if w.grad is None else w.grad + g


AGAIN["06.2"] = {
    "a gradient with a graph": accumulate_created_by_hand,
    "something is returned": accumulate_returned_again,
    "one pass at the end": accumulate_one_pass_list,
    "joined": accumulate_joined_loop,
    "the mean of means": accumulate_mean_of_means,
    "not scaled": accumulate_not_scaled,
    "not divided": accumulate_not_divided,
    "divided by all rows": accumulate_divided_by_rows,
    "upside down": accumulate_upside_down,
    "over its own rows": accumulate_over_own_rows,
    "rows over numbers": accumulate_over_numbers,
    "the number 0": accumulate_int_zero_again,
    "all chunks like the first": accumulate_first_rows,
    "zeroed between the chunks": accumulating(share, inside="zero"),
    "zeroed between, not scaled": accumulating(lambda chunk, chunks: 1, inside="zero"),
    "zeroed between, by the number of chunks": accumulating(lambda chunk, chunks: 1 / len(chunks), inside="zero"),
    "the sum is scaled": accumulate_scaled_ledger_later,
    "the sum is divided in each turn": accumulate_divided_later,
    "retained": accumulate_chained,
    "None.zero_()": accumulate_zero_first_again,
    "the old gradient is kept": accumulate_old_kept,
    "cleared at the end": accumulate_never_backward,
    "19 rows in each case": accumulate_of_nineteen,
    "numbers over rows": accumulate_numbers_over_rows,
}


# --- 06.3 zero_grad -----------------------------------------------------------------------------------------


def zero_grad_until_none(params, set_to_none=True):
    params = list(params)
    for p in params if set_to_none else itertools.takewhile(lambda p: p.grad is not None, params):
        p.grad = None if set_to_none else p.grad.zero_()


def zero_grad_next(params, set_to_none=True):
    p = next(iter(params), None)
    if p is not None and p.grad is not None:
        p.grad = None if set_to_none else p.grad.zero_()


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


def fresh_zeros(p: Any) -> None:
    p.grad = mg.zeros(p.shape, dtype=p.dtype)


def parameter_zeroed_data(p: Any) -> None:
    p.data *= 0


def zero_grad_inverted_loop(params, set_to_none=True):
    for p in params:
        if set_to_none:
            if p.grad is not None:
                p.grad.fill_(0)
        else:
            p.grad = None


def zero_grad_always_none_again(params, set_to_none=True):
    if set_to_none in (True, False):
        for p in list(params):
            if p.grad is not None:
                p.grad = None


def zero_grad_always_zero_again(params, set_to_none=True):
    for p in params:
        g = p.grad
        if set_to_none:
            p = None
        if g is not None:
            g.fill_(0)


def zero_grad_local_list(params, set_to_none=True):
    grads = [p.grad for p in params]
    for k in range(len(grads)):
        if set_to_none:
            grads[k] = None
        elif grads[k] is not None:
            grads[k] *= 0
            grads[k][...] = 0


def zero_grad_ends_loop(params, set_to_none=True):
    for p in params:
        g = p.grad
        if g is None:
            break
        p.grad = None if set_to_none else g.zero_()


def zero_grad_default_none(params, set_to_none=None):
    for p in params:
        if p.grad is not None:
            p.grad = None if set_to_none else p.grad.zero_()


def zero_grad_half_copy(params, set_to_none=True):
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad is not None:
            p.grad.clone().zero_()


def zero_grad_exhausted_count(params, set_to_none=True):
    count = len(list(params))
    for _, p in zip(range(count), params, strict=False):
        zero_grad([p], set_to_none)


def zero_grad_none_for_zero_again(params, set_to_none=True):
    for p in params:
        if p.grad is None:
            p.grad = mg.zeros(p.shape, dtype=p.dtype)
        p.grad.fill_(0)
        if set_to_none:
            p.grad = None


def zero_grad_counted_for_zeros(params, set_to_none=True):
    if not set_to_none:
        sum(p.grad is None for p in params)
    for p in params:
        if set_to_none:
            p.grad = None
        elif p.grad is not None:
            p.grad.fill_(0)


def zero_grad_by_adam(params, set_to_none=True):
    optimizer = mg.optim.Adam(list(params))
    optimizer.zero_grad(set_to_none=set_to_none)


ALTERNATIVES["06.3"] = {"copied": zero_grad_copy, "by data": zero_grad_data}

def zero_grad_returned_again(params, set_to_none=True):
    kept = [p for p in params if p.grad is not None]
    for p in kept:
        p.grad = None if set_to_none else p.grad.fill_(0.0)
    return len(kept)


AGAIN["06.3"] = {
    "the loop ends at None, for zeros": zero_grad_until_none,
    "only the first": zero_grad_next,
    "something is returned": zero_grad_returned_again,
    "only where the sum is not 0": zeroing(lambda p: p.grad.fill_(0.0) if p.grad.numpy().sum() else None),
    "times 0": zeroing(lambda p: p.grad.sub_(p.grad)),
    "None.zero_()": zeroing_comprehension(lambda p: p.grad.zero_()),
    "None.fill_()": zeroing_comprehension(lambda p: p.grad.fill_(0.0)),
    "None[...]": zeroing_comprehension(written_zero),
    "the number 0": zeroing_comprehension(int_zero),
    "the number 0.0": zeroing_comprehension(float_zero),
    "another Tensor": zeroing(fresh_zeros),
    "zeros for None": zero_grad_none_for_zero_again,
    "the loop ends at None": zero_grad_ends_loop,
    "a slice of a number": zeroing(lambda p: p.grad.__setitem__(slice(None), 0.0)),
    "asked for its truth": lambda params, set_to_none=True: [p.grad.zero_() for p in params if bool(p.grad)],
    "nothing is zeroed": zero_grad_half_copy,
    "looped over twice": zero_grad_exhausted_count,
    "looped over twice, for zeros": zero_grad_counted_for_zeros,
    "another default": zero_grad_default_none,
    "always None": zero_grad_always_none_again,
    "always zero": zero_grad_always_zero_again,
    "the wrong way round": zero_grad_inverted_loop,
    "a name of one's own": zero_grad_local_list,
    "the parameters are zeroed": zeroing(parameter_zeroed_data),
    "by number": lambda params, set_to_none=True: [zero_grad([params[k]], set_to_none) for k in range(len(params))].clear(),
    "an optimizer does it": zero_grad_by_adam,
}


# --- 06.4 Snapshot ------------------------------------------------------------------------------------------


def snapshot_arithmetic(params):
    return tuple(p.grad + 0 if p.grad is not None else None for p in params)


def snapshot_deepcopy(params):
    import copy

    return copy.deepcopy([p.grad for p in params])


def snapshot_tensor(params):
    return [p.grad if p.grad is None else mg.tensor(p.grad.tolist(), dtype=p.grad.dtype) for p in params]


def snapshot_same_loop(params):
    grads = []
    for p in params:
        g = p.grad
        grads.append(g)
    return grads[:]


def snapshot_clears_after(params):
    copies = [p.grad if p.grad is None else p.grad.clone() for p in params]
    for p in params:
        p.grad = None
    return copies


def snapshot_exchanges_loop(params):
    copies = []
    for p in params:
        copies.append(p.grad)
        if p.grad is not None:
            p.grad = 1 * p.grad
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


ALTERNATIVES["06.4"] = {
    "arithmetic copies": snapshot_arithmetic,
    "deepcopy": snapshot_deepcopy,
    "through numbers": snapshot_tensor,
}

def snapshot_default_list(params, kept=[]):  # noqa: B006
    kept.clear()
    for p in params:
        kept.append(p.grad if p.grad is None else p.grad + 0)
    return kept


AGAIN["06.4"] = {
    "one list for all calls": snapshot_default_list,
    "the gradients themselves": snapshot_same_loop,
    "detached only": copied(lambda p: p.grad.data),
    "asked for its truth": lambda params: [None if not p.grad else 1 * p.grad for p in params],
    "None.clone()": snapshot_unguarded_loop,
    "None.detach()": snapshot_unguarded_detach_loop,
    "zeros for None": lambda params: [0 * p.detach() if p.grad is None else 1 * p.grad for p in params],
    "None left out": snapshot_left_out_loop,
    "the values": lambda params: [(p + 0).detach() if p.grad is not None else None for p in params],
    "cleared": snapshot_clears_after,
    "exchanged": snapshot_exchanges_loop,
    "moved": snapshot_moves_loop,
}


# --- 06.5 The leaking loop ----------------------------------------------------------------------------------


def mean_of(values: list[Any]) -> Any:
    return sum(values) / len(values)


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


def average_after_the_step_item(w, batches, loss_of, lr):
    losses = []
    for batch in batches:
        w.grad = None
        loss_of(w, batch).backward()
        w.data -= lr * w.grad
        losses.append(loss_of(w, batch).item())
    return mean_of(losses)


def average_of_a_copy(w, batches, loss_of, lr):
    return average_loss(w.detach().clone().requires_grad_(), batches, loss_of, lr)


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


def average_no_step(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
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


def average_cleared_too_soon(w, batches, loss_of, lr):
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        loss.backward()
        w.grad = None
        w.data = w.data - lr * w.grad
        losses.append(loss.item())
    return mean_of(losses)


def average_losses_in_a_list(w, batches, loss_of, lr):
    losses = []
    for batch in batches:
        losses.append(loss_of(w, batch))
    for loss in losses:
        w.grad = None
        mg.autograd.backward(loss)
        w.data -= lr * w.grad
    return mg.stack(losses).mean().item()


ALTERNATIVES["06.5"] = {
    "detached in a list": training(lambda loss: loss.detach(), lambda kept: mg.stack(kept).mean()),
    "floats in a list": training(float, mean_of),
    "the total is cut each time": average_cut_each_time,
}

def average_by_rows_again(w, batches, loss_of, lr):
    rows = mg.tensor([float(len(batch)) for batch in batches])
    losses = []
    for batch in batches:
        loss = loss_of(w, batch)
        (w.grad,) = mg.autograd.grad(loss, w)
        with mg.no_grad():
            w -= lr * w.grad
        losses.append(loss.item())
    return sum(loss * share for loss, share in zip(losses, (rows / rows.sum()).tolist(), strict=True))


def average_with_two_before(w, batches, loss_of, lr):
    total, kept = 0.0, [None, None]
    for number, batch in enumerate(batches):
        loss = loss_of(w, batch)
        w.grad = None
        loss.backward()
        with mg.no_grad():
            w -= lr * w.grad
        total += loss.item()
        kept[number % 2] = loss
    return total / len(batches)


def average_uphill_again(w, batches, loss_of, lr):
    total = 0.0
    for batch in batches:
        w.grad = None
        loss = loss_of(w, batch)
        loss.backward()
        w.data.add_(lr * w.grad)
        total += loss.item()
    return total / len(batches)


def average_of_kept_gradients(w, batches, loss_of, lr):
    total, kept = 0.0, []
    for batch in batches:
        loss = loss_of(w, batch)
        kept.extend(mg.autograd.grad(loss, w, create_graph=True))
        with mg.no_grad():
            w.sub_(lr * kept[-1])
        total += float(loss)
    return total / len(kept)


AGAIN["06.5"] = {
    "gradients with graphs": average_of_kept_gradients,
    "the losses before are kept": average_with_two_before,
    "uphill": average_uphill_again,
    "it leaks": training(lambda loss: loss, mean_of),
    "too late": training(lambda loss: loss, lambda kept: mean_of([loss.item() for loss in kept])),
    "detached before backward": average_no_grad,
    "a number before backward": training_on(float),
    "after the step": average_after_the_step_item,
    "another w": average_of_a_copy,
    "the first batch alone": average_returned_in_the_loop,
    "only the last": training(float, lambda kept: kept[-1] / len(kept)),
    "an average over the rows": average_by_rows_again,
    "the last alone": training(lambda loss: loss.detach(), lambda kept: kept[-1]),
    "the sum": training(lambda loss: loss.detach(), sum),
    "no training": average_no_step,
    "not cleared": average_cleared_once,
    "cleared before the step": average_cleared_too_soon,
    "all losses first": average_losses_in_a_list,
}


# --- 06.6 Should backward zero first? -----------------------------------------------------------------------
