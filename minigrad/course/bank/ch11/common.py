"""What several exercises of chapter 11 share. A sandbox sees it: no answer is in here."""

from __future__ import annotations

Draw = list[tuple[str, str, str]]  # (key, rule, code): a line or a small program, and the rule that it asks about
CHANGED = "modified by an inplace operation"
