"""17.3 Computed again, not kept: the mistakes that are known."""

from __future__ import annotations

from collections.abc import Callable

from minigrad.course.bank.ch16.known import mistake
from minigrad.course.bank.ch17.ex03.answer import AGAIN
from minigrad.course.bank.ch17.known import with_text
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
KEPT = "value = (value, value._counter[0], None) if isinstance(value, Tensor) else save(value)"


def again(*swaps: tuple[str, str], use: str = "value = save_input(value)") -> Callable[[], str]:
    """An answer to 17.3, with some of its text exchanged."""
    text = AGAIN
    for old, new in swaps:
        assert old in text, old
        text = text.replace(old, new)
    return with_text("core/record.py", ("save, save_output", "save, save_output, unpack"), (KEPT, use), add=text)


MISTAKES["the value is still held"] = mistake("held", again(use=KEPT))
RECOMPUTED = "return self.call(*[unpack(a, node) for a in self.args])"

MISTAKES["arguments without versions"] = mistake(
    "unguarded", again(("[save(a) for a in args]", "args"), (RECOMPUTED, "return self.call(*self.args)"))
)

MISTAKES["no history"] = mistake("no_history", again((RECOMPUTED, RECOMPUTED + ".detach()")))
MISTAKES["a value that was written to since"] = mistake("written_since", again((" and again.version == tensor._version", "")))

OURS, LOOKED_FOR = "result._again = Again(call, args, result)", 'again = getattr(tensor, "_again", None)'
MISTAKES["found by an id"] = mistake(
    "by_id",
    again(
        (OURS, "AGAIN[id(result)] = Again(call, args, result)"),
        (LOOKED_FOR, "again = AGAIN.get(id(tensor))"),
        ("def cheap", "AGAIN = {}\n\n\ndef cheap"),
    ),
)
