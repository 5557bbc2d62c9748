"""17.6 A write to a slice: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch16.known import mistake
from minigrad.course.bank.ch17.known import with_text
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}


def slices(*swaps: tuple[str, str]) -> Callable[[], str]:
    """An answer to 17.6: the real rule with some of its text exchanged."""
    return with_text("core/views.py", *swaps)


ZERO = "part[...] = 0 if written is None else written"
MISTAKES["the window is not cleared"] = mistake("not_zero", slices((ZERO, "part[...] = part if written is None else written")))

MISTAKES["the whole cotangent for the part"] = mistake(
    "not_part", slices(("[part.clone() if tensors else part.copy()]", "[g.clone() if tensors else g.copy()]"))
)

MISTAKES["the old numbers never count"] = mistake("inner", slices((ZERO, "part[...] = 0")))
MISTAKES["works on what came in"] = mistake("came_in", slices(("rest = laid_out(g, self.order)", "rest = g")))
REFUSES = '        if self._freed:\n            raise seams.error("FREED", node=self'
MISTAKES["does not refuse"] = mistake("unfreed", slices((REFUSES, REFUSES.replace("self._freed", "False"))))

MISTAKES["only for arrays"] = mistake(
    "only_arrays_here", slices(("rest = laid_out(g, self.order)", "rest = laid_out(g.detach() if tensors else g, self.order)"))
)
MISTAKES["the window is written in arrays"] = mistake(
    "only_arrays_here", slices(("part.copy_(written)", "part._array[...] = written._array"))
)
