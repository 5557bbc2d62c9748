"""Right answers of chapter 11 in other styles, and its known mistakes written another way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import minigrad as mg
from minigrad.course.bank.ch11.common import Draw
from minigrad.course.bank.ch11.ex01.mistakes import BREAKS
from minigrad.course.bank.ch11.ex02.task import LEAF_RULE
from minigrad.course.bank.ch11.ex03.answer import sgd_step_
from minigrad.course.bank.ch11.ex04.answer import trap_input
from minigrad.course.bank.ch11.ex05.answer import Repair
from minigrad.course.bank.ch11.ex05.mistakes import again_loop, as_given, repair, retained_everywhere
from minigrad.course.bank.ch11.ex05.task import LR
from minigrad.course.bank.ch11.ex06.mistakes import ComparesValues, Styled
from minigrad.course.bank.ch11.ex07.task import DOORS
from minigrad.course.bank.ch11.ex09.answer import train_step
from minigrad.course.bank.ch11.ex09.mistakes import centred, move, step_with

ALTERNATIVES: dict[str, dict[str, Callable[..., Any]]] = {}
AGAIN: dict[str, dict[str, Callable[..., Any]]] = {}


def by_rule(table: dict[str, Any]) -> Callable[[Draw], dict[str, Any]]:
    """The dict of somebody who knows what each rule gives."""
    return lambda draw: {key: table[rule] for key, rule, _ in draw}


# --- 11.1 Which one breaks? ---------------------------------------------------------------------------------


ALTERNATIVES["11.1"] = {"by what is kept": by_rule(BREAKS)}


# --- 11.2 The leaf rule -------------------------------------------------------------------------------------


ALTERNATIVES["11.2"] = {"by the rules": by_rule({rule: outcome for rule, (outcome, _) in LEAF_RULE.items()})}


# --- 11.3 One step of SGD, in place -------------------------------------------------------------------------


@mg.no_grad()
def sgd_decorated(params, lr):
    for p in filter(lambda p: p.grad is not None, params):
        p.sub_(p.grad, alpha=lr)


def sgd_copy(params, lr):
    with mg.no_grad():
        for i in range(len(params)):
            if params[i].grad is not None:
                params[i].copy_(params[i] - lr * params[i].grad)


def sgd_flag(params, lr):
    for p in params:
        if p.grad is None:
            continue
        p.requires_grad_(False)
        p -= lr * p.grad
        p.requires_grad_(True)


def sgd_slice(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p[...] = p - p.grad * lr


def sgd_data_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.data.add_(p.grad, alpha=-lr)


def sgd_other_memory_again(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p.data = (p - lr * p.grad).clone()


def sgd_tracked_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.sub_(lr * p.grad)


def sgd_local_again(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p = p - lr * p.grad


def sgd_results_again(params, lr):
    params[:] = [p if p.grad is None else p.sub(p.grad * lr) for p in params]


def sgd_new_leaves_again(params, lr):
    with mg.no_grad():
        for i in range(len(params)):
            if params[i].grad is not None:
                params[i] = (params[i] - lr * params[i].grad).requires_grad_(True)


def sgd_constants_again(params, lr):
    for i, p in enumerate(params):
        if p.grad is not None:
            params[i] = p.detach() - lr * p.grad


def sgd_no_none_again(params, lr):
    for p in params:
        p.detach().add_(-lr * p.grad)


def sgd_no_none_right_again(params, lr):
    for p in params:
        p.detach().sub_(p.grad * lr)


def sgd_no_none_alpha_again(params, lr):
    for p in params:
        p.detach().sub_(p.grad, alpha=lr)


def sgd_tracked_view_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.view(-1).sub_(lr * p.grad.view(-1))


@mg.no_grad()
def sgd_stops_again(params, lr):
    for p in params:
        if p.grad is None:
            return
        p.sub_(p.grad, alpha=lr)


def sgd_truth_again(params, lr):
    for p in params:
        if not p.grad:
            continue
        p.detach().sub_(lr * p.grad)


def sgd_no_lr_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.detach().sub_(p.grad)


def sgd_first_only_again(params, lr):
    first = params[0]
    if first.grad is not None:
        first.detach().sub_(first.grad, alpha=lr)


def sgd_uphill_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.detach().add_(p.grad, alpha=lr)


def sgd_clears_again(params, lr):
    with mg.no_grad():
        for p in params:
            if p.grad is not None:
                p.sub_(lr * p.grad)
                p.grad = None


def sgd_zeroes_again(params, lr):
    sgd_decorated(params, lr)
    for p in params:
        if p.grad is not None:
            p.grad *= 0


def sgd_scales_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.grad *= lr
            p.detach().sub_(p.grad)


def sgd_frozen_again(params, lr):
    for p in params:
        if p.grad is not None:
            p.requires_grad_(False).sub_(p.grad * lr)


def sgd_switched_off_again(params, lr):
    mg.autograd.set_grad_enabled(False)
    sgd_step_(params, lr)


def sgd_switched_on_again(params, lr):
    with mg.no_grad():
        sgd_step_(params, lr)
    mg.autograd.set_grad_enabled(True)


def sgd_fills_again(params, lr):
    with mg.no_grad():
        for p in params:
            p.grad = p.grad if p.grad is not None else 0 * p.detach()
            p -= lr * p.grad


ALTERNATIVES["11.3"] = {
    "decorated, sub_": sgd_decorated,
    "copy_": sgd_copy,
    "the flag off and on": sgd_flag,
    "all of it assigned": sgd_slice,
}

AGAIN["11.3"] = {
    "None becomes zeros": sgd_fills_again,
    "data": sgd_data_again,
    "recording is on": sgd_tracked_again,
    "recording is on, written as a view": sgd_tracked_view_again,
    "a new local name": sgd_local_again,
    "results in the list": sgd_results_again,
    "new leaves in the list": sgd_new_leaves_again,
    "constants in the list": sgd_constants_again,
    "other memory": sgd_other_memory_again,
    "None is not skipped": sgd_no_none_again,
    "None is not skipped, lr on the right": sgd_no_none_right_again,
    "None is not skipped, alpha": sgd_no_none_alpha_again,
    "the rest is skipped too": sgd_stops_again,
    "the truth of a tensor": sgd_truth_again,
    "no lr": sgd_no_lr_again,
    "the first alone": sgd_first_only_again,
    "uphill": sgd_uphill_again,
    "the gradients are cleared": sgd_clears_again,
    "the gradients are zeroed": sgd_zeroes_again,
    "the gradients are scaled": sgd_scales_again,
    "frozen": sgd_frozen_again,
    "recording stays off": sgd_switched_off_again,
    "recording is switched on": sgd_switched_on_again,
}


# --- 11.4 The silence of data -------------------------------------------------------------------------------


def trap_entry(w, window):
    h = mg.sigmoid(2 * w)
    window(h)[0] = 5.0
    return h.mean()


def trap_factor(w, window):
    h = w * 3
    y = h * h
    window(h).mul_(2)
    return y.sum()


def trap_part(w, window):
    y = w.tanh()
    window(y[1:]).fill_(0.25)
    return (y * 3).sum()


def trap_not_saved_again(w, window):
    y = mg.sin(w)
    view = window(y)
    view *= 2
    return y.sum()


def trap_too_early_again(w, window):
    view = window(w)
    view *= 2
    return (w**2).sum()


def trap_same_numbers_again(w, window):
    y = mg.tanh(w)
    view = window(y)
    view += 1
    view -= 1
    return y.sum()


def trap_no_window_again(w, window):
    y = mg.tanh(w)
    y += 1
    return y.sum()


def trap_always_data_again(w, window):
    y = mg.tanh(w)
    y.data[0] = 5.0
    return y.sum()


def trap_no_graph_again(w, window):
    view = window(w)
    view += 1
    return (view**2).sum()


def trap_no_graph_no_write_again(w, window):
    y = window(mg.exp(w))
    return (y * 0).sum()


def trap_no_write_again(w, window):
    y = w**2
    view = window(y)
    view = view * 0
    return y.sum() + view.sum()


def trap_leaf_again(w, window):
    y = mg.sin(w)
    w.zero_()
    return y.sum()


def trap_recorded_again(w, window):
    view = window(w.exp())
    view *= w
    return view.sum()


def trap_backward_again(w, window):
    L = trap_input(w, window)
    L.backward()


def trap_numpy_again(w, window):
    x = w * 1
    y = x**2
    a = np.asarray(window(x))
    a *= 3
    return y.sum()


ALTERNATIVES["11.4"] = {"one entry": trap_entry, "a factor": trap_factor, "a part of a part": trap_part}

AGAIN["11.4"] = {
    "the value was not saved": trap_not_saved_again,
    "the write comes too early": trap_too_early_again,
    "the same numbers": trap_same_numbers_again,
    "the window is not used": trap_no_window_again,
    "data in any case": trap_always_data_again,
    "no graph": trap_no_graph_again,
    "no graph, and nothing is written": trap_no_graph_no_write_again,
    "nothing is written": trap_no_write_again,
    "written by NumPy": trap_numpy_again,
    "the leaf is written": trap_leaf_again,
    "the write is recorded": trap_recorded_again,
    "backward is called": trap_backward_again,
}


# --- 11.5 A step between two backwards ----------------------------------------------------------------------


def first_sum(w, trunk, loss1, loss2, step):
    h = trunk(w)
    (loss1(h) + loss2(h)).backward()
    step(w)


def first_clone(w, trunk, loss1, loss2, step):
    h = trunk(w.clone())
    l1, l2 = loss1(h), loss2(h)
    l1.backward(retain_graph=True)
    step(w)
    l2.backward()
    step(w)


def first_grad(w, trunk, loss1, loss2, step):
    h = trunk(w)
    g1 = mg.autograd.grad(loss1(h), w, retain_graph=True)[0]
    g2 = mg.autograd.grad(loss2(h), w)[0]
    for g in (g1, g2):
        w.grad = g
        step(w)


def first_roots(w, trunk, loss1, loss2, step):
    h = trunk(w)
    mg.autograd.backward([loss1(h), loss2(h)])
    step(w)


def again_grad(w, trunk, loss1, loss2, step):
    w.grad = mg.autograd.grad(loss1(trunk(w)), [w])[0]
    step(w)
    (w.grad,) = mg.autograd.grad(loss2(trunk(w)), [w])
    step(w)


def not_retained_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    l1, l2 = loss1(h), loss2(h)
    l1.backward()
    l2.backward()
    step(w)


def hidden_step_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    w.data.sub_(w.grad, alpha=LR)
    w.grad = None
    loss2(h).backward()
    step(w)


def first_only_again(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    with mg.no_grad():
        w -= LR * w.grad


def trunk_twice_again(w, trunk, loss1, loss2, step):
    (loss1(trunk(w)) + loss2(trunk(w))).backward()
    step(w)


def second_detached(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    step(w)
    loss2(h.detach().requires_grad_()).backward()
    if w.grad is not None:
        step(w)


def both_at_old_again(w, trunk, loss1, loss2, step):
    old = w.detach().clone().requires_grad_()
    for loss in (loss1, loss2):
        (w.grad,) = mg.autograd.grad(loss(trunk(old)), [old])
        step(w)


def added_up_again(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    with mg.no_grad():
        w -= LR * w.grad
    loss2(trunk(w)).backward()
    step(w)


def no_second_step_again(w, trunk, loss1, loss2, step):
    (w.grad,) = mg.autograd.grad(loss1(trunk(w)), [w])
    step(w)
    mg.autograd.grad(loss2(trunk(w)), [w])


def first_no_step_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    loss2(h).backward()


def first_two_steps_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    mg.autograd.backward([loss1(h), loss2(h)])
    for _ in range(2):
        step(w)


def first_cleared_between_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    (w.grad,) = mg.autograd.grad(loss1(h), w, retain_graph=True)
    (w.grad,) = mg.autograd.grad(loss2(h), w)
    step(w)


def other_order_again(w, trunk, loss1, loss2, step):
    again_grad(w, trunk, loss2, loss1, step)


def first_cut_again(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward()
    step(w)
    loss2(mg.tensor(h.tolist())).backward()


def again_cut_again(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    step(w)
    loss2(trunk(w.detach())).backward()
    step(w)


def second_for_both_again(w, trunk, loss1, loss2, step):
    (w.grad,) = mg.autograd.grad(loss1(trunk(w)), [w])
    step(w)
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    loss2(h).backward()
    step(w)


def again_step_before_backward(w, trunk, loss1, loss2, step):
    loss1(trunk(w)).backward()
    step(w)
    step(w)
    loss2(trunk(w)).backward()


ALTERNATIVES["11.5"] = {
    "one backward from the sum; a loop": repair(gradients_first=first_sum, forward_again=again_loop),
    "trunk on a clone": repair(gradients_first=first_clone),
    "autograd.grad": repair(gradients_first=first_grad, forward_again=again_grad),
    "two roots": repair(gradients_first=first_roots),
}

def first_step_of_my_own(w, trunk, loss1, loss2, step):
    h = trunk(w)
    (g,) = mg.autograd.grad(loss1(h) + loss2(h), w)
    with mg.no_grad():
        w.sub_(g, alpha=0.1)


def again_step_of_my_own(w, trunk, loss1, loss2, step):
    for loss in (loss1, loss2):
        (g,) = mg.autograd.grad(loss(trunk(w)), w)
        with mg.no_grad():
            w.copy_(w - 0.1 * g)


def first_steps_the_trunk(w, trunk, loss1, loss2, step):
    h = trunk(w)
    loss1(h).backward(retain_graph=True)
    loss2(h).backward()
    step(h)


AGAIN["11.5"] = {
    "a step with 0.1": repair(gradients_first=first_step_of_my_own),
    "a step with 0.1, second repair": repair(forward_again=again_step_of_my_own),
    "still the same order": repair(gradients_first=retained_everywhere),
    "still the same graph": repair(forward_again=as_given),
    "the graph is freed": repair(gradients_first=not_retained_again),
    "a hidden step": repair(gradients_first=hidden_step_again),
    "a hidden step, second repair": repair(forward_again=hidden_step_again),
    "the trunk is called twice": repair(gradients_first=trunk_twice_again),
    "the second repair in place of the first": repair(gradients_first=Repair.forward_again),
    "the first repair in place of the second": repair(forward_again=first_sum),
    "both gradients at the old w": repair(forward_again=both_at_old_again),
    "the gradients are added up": repair(forward_again=added_up_again),
    "only the first loss": repair(gradients_first=second_detached),
    "only the first loss, second repair": repair(forward_again=first_only_again),
    "no step": repair(gradients_first=first_no_step_again),
    "two steps with one gradient": repair(gradients_first=first_two_steps_again),
    "the first gradient is lost": repair(gradients_first=first_cleared_between_again),
    "no second step": repair(forward_again=no_second_step_again),
    "the losses change places": repair(forward_again=other_order_again),
    "cut off": repair(gradients_first=first_cut_again),
    "cut off, second repair": repair(forward_again=again_cut_again),
    "the second step is for both": repair(forward_again=second_for_both_again),
    "nothing came before the second step": repair(forward_again=again_step_before_backward),
    "a step with a copy": repair(gradients_first=first_steps_the_trunk),
    "a step with a copy, second repair": repair(forward_again=first_steps_the_trunk),
}


# --- 11.6 Build the counter ---------------------------------------------------------------------------------


class Count:
    """A counter that can be shared."""

    def __init__(self):
        self.writes = 0


class VersionedWithCount:
    """In another style: the counter is an object, and copies are made without __init__."""

    def __init__(self, numbers):
        self.numbers = np.array(numbers, dtype=float)
        self.count = Count()

    def version(self):
        return self.count.writes

    def add_(self, c):
        self.numbers[:] = self.numbers + c
        self.count.writes += 1
        return self

    def _share(self, numbers, count):
        other = object.__new__(type(self))
        other.numbers, other.count = numbers, count
        return other

    def window(self, start):
        return self._share(self.numbers[start:], self.count)

    def data(self):
        return self._share(self.numbers, Count())

    def save(self):
        numbers, count, then = self.numbers, self.count, self.count.writes

        def unpack():
            if count.writes > then:
                raise RuntimeError(f"expected version {then}, but the memory is at version {count.writes}")
            return numbers.copy()

        return unpack


class VersionedByBase:
    """A third style: every window asks the tensor that it was taken from."""

    def __init__(self, numbers, base=None):
        self.numbers = np.array(numbers, dtype=float)
        self.base = base
        self.writes = 0

    def version(self):
        return self.writes if self.base is None else self.base.version()

    def add_(self, c):
        np.add(self.numbers, c, out=self.numbers)
        root = self
        while root.base is not None:
            root = root.base
        root.writes = root.writes + 1
        return self

    def window(self, start):
        other = VersionedByBase([], base=self)
        other.numbers = self.numbers[start:]
        return other

    def data(self):
        other = VersionedByBase([])
        other.numbers = self.numbers
        return other

    def save(self):
        then = self.version()
        return lambda: self._unpack(then)

    def _unpack(self, then):
        now = self.version()
        if now == then:
            return self.numbers
        raise RuntimeError(f"saved at version {then}, now at version {now}")


class ComparesValuesToo(ComparesValues):
    def save(self):
        saved, then = self.numbers.tolist(), self.version()

        def unpack():
            assert_same = self.numbers.tolist() == saved
            if assert_same:
                return np.array(saved)
            raise RuntimeError(f"expected {then}, got {self.version()}")

        return unpack


class OneForAllToo(VersionedWithCount):
    total = Count()

    def __init__(self, numbers):
        super().__init__(numbers)
        self.count = self.total


class CounterOfEachToo(VersionedWithCount):
    def window(self, start):
        return self._share(self.numbers[start:], Count())


class CounterCopiedToo(VersionedWithCount):
    def window(self, start):
        count = Count()
        count.writes = self.version()
        return self._share(self.numbers[start:], count)


class CountsForOneMoreToo(VersionedWithCount):
    def version(self):
        return self.above.count.writes if hasattr(self, "above") else self.count.writes

    def add_(self, c):
        self.numbers += c
        counted = self.above if hasattr(self, "above") else self
        counted.count.writes += 1
        return self

    def window(self, start):
        other = self._share(self.numbers[start:], Count())
        other.above = self
        return other

    def save(self):
        then = self.version()

        def unpack():
            if self.version() != then:
                raise RuntimeError(f"expected version {then}, but the memory is at version {self.version()}")
            return self.numbers

        return unpack


class SavesCopyToo(Styled):
    def save(self):
        saved = type(self)(self.numbers)
        return lambda: saved.numbers


class SavesCopyAndChecksToo(VersionedWithCount):
    def save(self):
        saved, unpack = np.array(self.numbers), super().save()
        return lambda: (unpack(), saved)[1]


class NeverCountsToo(Styled):
    def add_(self, c):
        self.numbers[...] += c
        self.counter = [self.counter[0]]
        return self


class NeverChecks(Styled):
    def save(self):
        return lambda: self.numbers


class DataSharesToo(VersionedWithCount):
    def data(self):
        return self._share(self.numbers, self.count)


class WindowCopiesToo(VersionedWithCount):
    def window(self, start):
        return self._share(self.numbers[start:].copy(), Count())


class WindowCopiesNumbersToo(VersionedWithCount):
    def window(self, start):
        return self._share(self.numbers[start:].copy(), self.count)


class DataCopiesToo(VersionedWithCount):
    def data(self):
        return self._share(self.numbers.copy(), Count())


class DataContinuesToo(VersionedWithCount):
    def data(self):
        count = Count()
        count.writes = self.count.writes
        return self._share(self.numbers, count)


class NewArrayToo(Styled):
    def add_(self, c):
        self.numbers = np.array([number + c for number in self.numbers])
        self.counter[0] = self.counter[0] + 1
        return self


class ZeroIsNoWriteToo(VersionedWithCount):
    def add_(self, c):
        return super().add_(c) if c else self


class OtherErrorToo(VersionedWithCount):
    def save(self):
        numbers, then = self.numbers, self.version()

        def unpack():
            if self.version() != then:
                raise ValueError(f"expected version {then}, but the memory is at version {self.version()}")
            return numbers

        return unpack


class MessageReturnedToo(VersionedWithCount):
    def save(self):
        numbers, then = self.numbers, self.version()
        return lambda: numbers if self.version() == then else f"at version {self.version()}, and saved at {then}"


class MuteToo(VersionedWithCount):
    def save(self):
        numbers, count, then = self.numbers, self.count, self.count.writes

        def unpack():
            if count.writes == then:
                return numbers
            raise RuntimeError()

        return unpack


class OneNoteToo(VersionedWithCount):
    def save(self):
        self.then = self.version()
        return self.unpack

    def unpack(self):
        if self.version() != self.then:
            raise RuntimeError(f"saved at {self.then}, now at {self.version()}")
        return self.numbers


class ReturnsNumbersToo(Styled):
    def save(self):
        return self.numbers.copy()


class AddReturnsNoneToo(VersionedWithCount):
    def add_(self, c):
        self.numbers += c
        self.count.writes += 1


class StrictToo(VersionedWithCount):
    def save(self):
        unpack = super().save()

        def read():
            numbers = unpack().copy()
            self.count.writes = self.count.writes + 1
            return numbers

        return read


class ComparesValuesMuteToo(VersionedWithCount):
    def save(self):
        saved = self.numbers.tolist()

        def unpack():
            if any(now != then for now, then in zip(self.numbers, saved, strict=True)):
                raise RuntimeError()
            return self.numbers

        return unpack


class ComparesWithZeroToo(VersionedWithCount):
    def save(self):
        def unpack():
            if self.count.writes:
                raise RuntimeError(f"expected version 0, but the memory is at version {self.count.writes}")
            return self.numbers

        return unpack


class ComparesWithZeroNamesThenToo(VersionedWithCount):
    def save(self):
        then = self.count.writes

        def unpack():
            if self.count.writes > 0:
                raise RuntimeError(f"expected version {then}, but the memory is at version {self.count.writes}")
            return self.numbers

        return unpack


class NamesMore(Styled):
    def save(self):
        then = self.version()

        def unpack():
            if self.version() != then:
                raise RuntimeError(f"[FloatTensor [{len(self.numbers)}]] is at version {self.version()}; expected {then}")
            return self.numbers

        return unpack


ALTERNATIVES["11.6"] = {
    "a counter object": VersionedWithCount,
    "asking the base": VersionedByBase,
    "the message names the shape too": NamesMore,
}

class BothCopyToo(VersionedWithCount):
    def window(self, start):
        return self._share(self.numbers[start:].copy(), self.count)

    def data(self):
        return self._share(self.numbers.copy(), Count())


class StartsFromTheFirstToo(VersionedWithCount):
    def window(self, start):
        whole = getattr(self, "whole", self.numbers)
        other = self._share(whole[start:], self.count)
        other.whole = whole
        return other


AGAIN["11.6"] = {
    "a window of a window begins elsewhere": StartsFromTheFirstToo,
    "values are compared": ComparesValuesToo,
    "a counter for each window": CounterOfEachToo,
    "one counter for all": OneForAllToo,
    "a window of a window": CountsForOneMoreToo,
    "the window copies the counter": CounterCopiedToo,
    "save makes a copy": SavesCopyToo,
    "save makes a copy and compares": SavesCopyAndChecksToo,
    "writes are not counted": NeverCountsToo,
    "the version is not remembered": NeverChecks,
    "data shares the counter": DataSharesToo,
    "data goes on counting": DataContinuesToo,
    "data is a copy": DataCopiesToo,
    "the window is a copy": WindowCopiesToo,
    "the window copies the numbers": WindowCopiesNumbersToo,
    "what is written stays in one array": BothCopyToo,
    "adding nothing does not count": ZeroIsNoWriteToo,
    "another error": OtherErrorToo,
    "the message is returned": MessageReturnedToo,
    "the message names no version": MuteToo,
    "one note for all": OneNoteToo,
    "save returns the numbers": ReturnsNumbersToo,
    "add_ returns None": AddReturnsNoneToo,
    "reading counts": StrictToo,
    "values are compared, and none is named": ComparesValuesMuteToo,
    "compared with 0": ComparesWithZeroToo,
    "compared with 0, the version of then is named": ComparesWithZeroNamesThenToo,
}


# --- 11.7 The back door -------------------------------------------------------------------------------------


ALTERNATIVES["11.7"] = {"by the rules": by_rule({rule: outcome for rule, (outcome, _) in DOORS.items()})}


# --- 11.8 A residual block ----------------------------------------------------------------------------------


def residual_in_one_line(x, A, B):
    h = x + mg.matmul(x, A).relu()
    return h * (1 / (1 + mg.exp(-(h @ B))))


def residual_half_mended(x, A, B):
    h = mg.relu(x @ A) + x
    y = mg.sigmoid(h @ B)
    y *= h
    return y


def residual_by_data_again(x, A, B):
    h = mg.relu(x @ A)
    h.data.add_(x.detach())
    return mg.sigmoid(h @ B) * h


def residual_without_grad_again(x, A, B):
    h = mg.relu(x @ A).clone()
    with mg.no_grad():
        h += x
    return h * mg.sigmoid(h @ B)


def residual_into_x_again(x, A, B):
    x.add_(mg.relu(x @ A))
    return x * mg.sigmoid(x @ B)


def residual_of_numbers(x, A, B):
    h = (x + mg.relu(x @ A)).detach()
    return h * mg.sigmoid(h @ B)


def residual_detached_again(x, A, B):
    with mg.no_grad():
        h = mg.relu(x @ A)
    h = h + x
    return h * mg.sigmoid(h @ B)


def residual_half_recorded(x, A, B):
    h = mg.clamp(x @ A, min=0) + x
    with mg.no_grad():
        factor = h * 1
    return factor * mg.sigmoid(h @ B)


ALTERNATIVES["11.8"] = {"in one line": residual_in_one_line}

def residual_first_write(x, A, B):
    h = (x @ A).relu()
    h.add_(x)
    return h * (h @ B).sigmoid()


def residual_sigmoid_again(x, A, B):
    h = mg.relu(x @ A) + x
    with mg.no_grad():
        y = mg.sigmoid(h @ B)
    return h * y


AGAIN["11.8"] = {
    "a factor without history": residual_half_recorded,
    "the first write is still there": residual_first_write,
    "the write is still there": residual_half_mended,
    "past the counter": residual_by_data_again,
    "the short way is lost": residual_without_grad_again,
    "the layer is cut off": residual_detached_again,
    "the layer and the sum are cut off": residual_of_numbers,
    "written into x": residual_into_x_again,
    "no input added": lambda x, A, B: (lambda h: h * mg.sigmoid(h @ B))(mg.clamp(x @ A, min=0)),
    "the last factor is gone": lambda x, A, B: 1 / (1 + mg.exp(-((x + mg.relu(x @ A)) @ B))),
    "no relu": lambda x, A, B: (lambda h: h * mg.sigmoid(h @ B))(x + x @ A),
    "a sigmoid without history": residual_sigmoid_again,
}


# --- 11.9 A loss that stops falling -------------------------------------------------------------------------


def step_with_optimizer(W, U, x, target, rate):
    optimizer = mg.optim.SGD([W, U], lr=rate)
    optimizer.zero_grad()
    h = mg.tanh(x @ W)
    loss = (((h - h.mean(0)) @ U - target) ** 2).mean()
    loss.backward()
    optimizer.step()
    return loss.item()


def mean_without_grad(h: Any) -> Any:
    with mg.no_grad():
        middle = h.mean(0)
    return h - middle


def step_on_clones(W, U, x, target, rate):
    W, U = W.detach().clone().requires_grad_(), U.detach().clone().requires_grad_()
    return train_step(W, U, x, target, rate)


def step_for_one(W, U, x, target, rate):
    loss = ((centred(mg.tanh(x @ W.detach())) @ U - target) ** 2).mean()
    (g,) = mg.autograd.grad(loss, U)
    with mg.no_grad():
        U -= rate * g
    return loss.item()


def centred_in_numpy(h: Any) -> Any:
    numbers = h.detach().numpy()
    numbers -= numbers.mean(0)
    return h


def step_told_late_again(W, U, x, target, rate):
    train_step(W, U, x, target, rate)
    h = mg.tanh(x @ W)
    return float(mg.mean((mg.matmul(h - h.mean(0), U) - target) ** 2))


ALTERNATIVES["11.9"] = {"with an optimizer": step_with_optimizer}

AGAIN["11.9"] = {
    "the mean over the hidden numbers": step_with(lambda h: (h.T - h.sum(1) / h.shape[1]).T, move),
    "the loss after the step": step_told_late_again,
    "the branch is still detached": step_for_one,
    "the mean has no history": step_with(mean_without_grad, move),
    "the write is back": step_with(lambda h: h.__isub__(h.mean(dim=0)), move),
    "old gradients are still there": lambda W, U, x, target, rate: step_with(
        lambda h: h - h.mean(dim=0), lambda p, r: p.sub_(p.grad, alpha=r)
    )(W, U, x, target, rate),
    "uphill": lambda W, U, x, target, rate: train_step(W, U, x, target, -rate),
    "nothing has moved": step_on_clones,
    "past the counter": step_with(centred_in_numpy, move),
    "one mean for the table": step_with(lambda h: h - h.sum() / h.numel(), move),
    "no longer centred": step_with(lambda h: 1 * h, move),
}
