"""11.6 Build the counter: the mistakes that are known."""

from __future__ import annotations

from typing import Any

import numpy as np

from minigrad.course.bank.ch11.ex06.answer import Versioned
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


class ComparesValues(Versioned):
    def save(self):
        saved, then = self.numbers.copy(), self.version()

        def unpack():
            if not np.array_equal(saved, self.numbers):
                raise RuntimeError(f"is at version {self.version()}; expected version {then} instead")
            return self.numbers

        return unpack

    def window(self, start):
        return windowed(self, type(self)([]), start)


def windowed(of: Any, other: Any, start: int) -> Any:
    """other as a window on the memory and counter of a Versioned."""
    other.numbers, other.counter = of.numbers[start:], of.counter
    return other


MISTAKES["values are compared"] = Mistake(
    ComparesValues,
    "Your guard compares **numbers**. They are the old ones again after +1 and −1, and it lets that pass. Harmless, "
    "one might say. But to compare, you had to keep a copy of all of them, and a look at each one: that is what "
    "a counter saves. Compare versions.",
)


class Styled(Versioned):
    """A Versioned whose windows and data are of its own class, for mistakes to be built on."""

    def window(self, start):
        return windowed(self, type(self)([]), start)

    def data(self):
        other = type(self)([])
        other.numbers = self.numbers
        return other


class CounterOfEach(Styled):
    def window(self, start):
        other = type(self)([])
        other.numbers = self.numbers[start:]
        return other


MISTAKES["a counter for each window"] = Mistake(
    CounterOfEach,
    "The window has a counter of its own, so a write through it goes unnoticed. Windows on one memory share **one** counter.",
)


class OneForAll(Styled):
    writes = [0]

    def __init__(self, numbers):
        super().__init__(numbers)
        self.counter = self.writes


MISTAKES["one counter for all"] = Mistake(
    OneForAll,
    "All tensors count together: a new one does not begin at 0 once another was written to. The counter stands on the "
    "class, or outside of it. Each memory has **its own**: make it in `__init__`.",
)


class CountsForOneMore(Styled):
    """Each window counts at the tensor that it was taken from, and no further."""

    def __init__(self, numbers):
        super().__init__(numbers)
        self.base = None

    def version(self):
        return self.counter[0] if self.base is None else self.base.counter[0]

    def add_(self, c):
        self.numbers += c
        (self.base or self).counter[0] += 1
        return self

    def window(self, start):
        other = type(self)([])
        other.numbers, other.base = self.numbers[start:], self
        return other


MISTAKES["a window of a window"] = Mistake(
    CountsForOneMore,
    "A window of a window writes to the same memory, too, and its write must reach the first of all. Hand on the "
    "**counter** itself, and not a link to the one before.",
)


class CounterCopied(Styled):
    def window(self, start):
        other = windowed(self, type(self)([]), start)
        other.counter = list(self.counter)
        return other


MISTAKES["the window copies the counter"] = Mistake(
    CounterCopied,
    "The window began with the right count, and from then on it counts for itself: the counter was **copied**. "
    "An int is copied when you assign it. A list `[0]` or a small object is shared.",
)


class SavesCopy(Styled):
    def save(self):
        saved = self.numbers.copy()
        return lambda: saved


MISTAKES["save makes a copy"] = Mistake(
    SavesCopy,
    "Your `save` copies the numbers. That is safe, but a network saves gigabytes: nothing is to be copied. Keep the "
    "memory itself and the version, and compare when it is read.",
)


class SavesCopyAndChecks(Styled):
    def save(self):
        saved, then = self.numbers.copy(), self.version()

        def unpack():
            if self.version() != then:
                raise RuntimeError(f"is at version {self.version()}; expected version {then} instead")
            return saved

        return unpack


MISTAKES["save makes a copy and compares"] = Mistake(
    SavesCopyAndChecks,
    "The versions are compared, but the numbers were copied at `save`: after a write through `data()` your "
    "`unpack` still has the old ones. A node keeps the memory itself, and so the hidden write shows.",
)


class NeverCounts(Styled):
    def add_(self, c):
        self.numbers += c
        return self


MISTAKES["writes are not counted"] = Mistake(
    NeverCounts,
    "`add_` wrote, but the version stayed as it was. Every write counts one, in the counter that all windows on the "
    "memory hold.",
)


class AsksLate(Styled):
    def save(self):
        def unpack():
            saved = self.version()
            if self.version() != saved:
                raise RuntimeError("never")
            return self.numbers

        return unpack


MISTAKES["the version is not remembered"] = Mistake(
    AsksLate,
    "`unpack` never raises. Is the version noted in `save`, **before** `unpack` is called, and compared in `unpack` with that of the "
    "moment? Then `raise RuntimeError(…)` where they differ: a message that is printed stops nobody.",
)


class DataShares(Styled):
    def data(self):
        return self.window(0)


MISTAKES["data shares the counter"] = Mistake(
    DataShares,
    "`data()` has a counter of its own, that is all that tells it from a window: it begins at 0, and its writes are "
    "not seen by `t`.",
)


class DataContinues(Styled):
    def data(self):
        other = super().data()
        other.counter = [self.counter[0]]
        return other


MISTAKES["data goes on counting"] = Mistake(
    DataContinues, "The counter of `data()` is its own, but it must begin at **0**, wherever that of `t` stands."
)


class DataCopies(Styled):
    def data(self):
        return type(self)(self.numbers)


MISTAKES["data is a copy"] = Mistake(
    DataCopies,
    "`data()` must show the **same memory**: what is written there changes `t`. `Versioned(...)` copies the numbers; "
    "set `other.numbers = self.numbers` afterwards.",
)


class WindowCopies(Styled):
    def window(self, start):
        return type(self)(self.numbers[start:])


MISTAKES["the window is a copy"] = Mistake(
    WindowCopies,
    "The window is a copy: a write to it does not change `t`. `Versioned(...)` copies its numbers (`np.array` does). "
    "Make an empty one, then set its `numbers` to the slice `self.numbers[start:]`, and its counter to yours.",
)


class WindowCopiesNumbers(Styled):
    def window(self, start):
        other = type(self)(self.numbers[start:])
        other.counter = self.counter
        return other


MISTAKES["the window copies the numbers"] = Mistake(
    WindowCopiesNumbers,
    "The counter is shared, but the numbers are a copy: a write to the window does not change `t`. `Versioned(...)` "
    "copies; set `other.numbers = self.numbers[start:]` afterwards.",
)


class NewArray(Styled):
    def add_(self, c):
        self.numbers = self.numbers + c
        self.counter[0] += 1
        return self


MISTAKES["what is written stays in one array"] = Mistake(
    NewArray,
    "What is written through `t`, a window or `data()` does not reach the numbers of the others. Either they are copies: "
    "`Versioned(...)` copies, so set `other.numbers` to the slice afterwards. Or the write makes a **new** array, as "
    "`self.numbers = self.numbers + c` does: in place means into the memory that is there, `self.numbers += c`.",
)


class ZeroIsNoWrite(Styled):
    def add_(self, c):
        if c != 0:
            self.numbers += c
            self.counter[0] += 1
        return self


MISTAKES["adding nothing does not count"] = Mistake(
    ZeroIsNoWrite, "Adding 0 is a write. The counter counts writes and does not look at numbers: PyTorch's does the same."
)


class OtherError(Styled):
    error: type[Exception] = ValueError

    def save(self):
        unpack = super().save()

        def changed():
            try:
                return unpack()
            except RuntimeError as error:
                raise self.error(str(error)) from None

        return changed


MISTAKES["another error"] = Mistake(
    OtherError, "It is noticed, but the error must be a **RuntimeError**, as it is in the engine."
)


class Mute(Styled):
    def save(self):
        then = self.version()

        def unpack():
            if self.version() != then:
                raise RuntimeError("this was modified by an inplace operation")
            return self.numbers

        return unpack


MISTAKES["the message names no version"] = Mistake(
    Mute,
    "It is noticed. But the message must name both versions, that of now and that of then: they tell how many writes "
    "to look for.",
)


class OneNote(Styled):
    def save(self):
        self.saved = self.version()

        def unpack():
            if self.version() != self.saved:
                raise RuntimeError(f"is at version {self.version()}; expected version {self.saved} instead")
            return self.numbers

        return unpack


MISTAKES["one note for all"] = Mistake(
    OneNote,
    "The note of the version is an attribute of `self`, so the second `save` writes over the note of the first. Each "
    "node has its own pin: keep the version in a local variable of `save`, which `unpack` can see.",
)


class ReturnsNumbers(Styled):
    def save(self):
        return self.numbers


MISTAKES["save returns the numbers"] = Mistake(
    ReturnsNumbers,
    "`save()` must return a *function* of no arguments: `unpack`. Define it inside of `save`, and return it without "
    "calling it.",
)


class AddReturnsNone(Styled):
    def add_(self, c):
        super().add_(c)


MISTAKES["add_ returns None"] = Mistake(AddReturnsNone, "`add_` must return `self`, as the methods with an underscore do.")


class Strict(Styled):
    """Once saved, forever at the version of then: raises at the second unpack too, but counts every reading."""

    def save(self):
        unpack = super().save()

        def read():
            numbers = unpack()
            self.counter[0] += 1
            return numbers

        return read


MISTAKES["reading counts"] = Mistake(
    Strict,
    "Your `unpack` counts as a write. It only reads: the counter stays where it is, and a second `unpack()` gives "
    "the numbers again.",
)


class ComparesValuesMute(Styled):
    def save(self):
        saved = self.numbers.copy()

        def unpack():
            if not np.array_equal(saved, self.numbers):
                raise RuntimeError("the numbers were changed")
            return self.numbers

        return unpack


MISTAKES["values are compared, and none is named"] = Mistake(
    ComparesValuesMute,
    "Your guard notices changed **numbers**, not writes: after +1 and −1 it is silent. Compare the version of now with that of "
    "`save`, and name both in the message.",
)


class ComparesWithZero(Styled):
    then: int | None = 0

    def save(self):
        then = self.version() if self.then is None else self.then

        def unpack():
            if self.version() != 0:
                raise RuntimeError(f"is at version {self.version()}; expected version {then} instead")
            return self.numbers

        return unpack


class ComparesWithZeroNamesThen(ComparesWithZero):
    then = None


BEFORE_SAVE = (
    "`unpack` raises although nothing was written since `save`. A write **before** `save` is no harm: compare with the "
    "version of that moment, and not with 0."
)

MISTAKES["compared with 0"] = Mistake(ComparesWithZero, BEFORE_SAVE)
MISTAKES["compared with 0, the version of then is named"] = Mistake(ComparesWithZeroNamesThen, BEFORE_SAVE)


class StartsFromTheFirst(Styled):
    def __init__(self, numbers):
        super().__init__(numbers)
        self.whole = self.numbers

    def window(self, start):
        other = super().window(start)
        other.whole = self.whole
        other.numbers = self.whole[start:]
        return other

    def data(self):
        other = super().data()
        other.whole = other.numbers
        return other


MISTAKES["a window of a window begins elsewhere"] = Mistake(
    StartsFromTheFirst,
    "A window of a window begins in another place: its `start` counts from where the window begins, and not from the beginning of "
    "the first tensor. Slice the window's own `numbers`.",
)


class MessageReturned(Styled):
    def save(self):
        unpack = super().save()

        def told():
            try:
                return unpack()
            except RuntimeError as error:
                return str(error)

        return told


MISTAKES["the message is returned"] = Mistake(
    MessageReturned,
    "`unpack` returns its message, as if it were the numbers. Raise it: `raise RuntimeError(…)`, so that nobody goes on computing.",
)
