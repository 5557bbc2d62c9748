"""16.4 Modes, detach, hooks: the mistakes that are known."""

from __future__ import annotations

from minigrad.course.bank.ch16.known import (
    arrays,
    backward_with_contract,
    checks,
    contract,
    graph,
    head,
    looking_in,
    mistake,
    modes,
    operations,
    patched,
    values,
    walk_with_shapes,
)
from minigrad.course.exercise import Mistake

MISTAKES: dict[str, Mistake] = {}
M4 = (head, modes, values, graph, walk_with_shapes, operations, arrays, checks, contract, looking_in, backward_with_contract)
AFTER = "no_grad.recording = self.before"

MISTAKES["the flag is lost after an exception"] = mistake(
    "flag", patched(M4, (AFTER, "if error == (None, None, None):\n            no_grad.recording = self.before"))
)

MISTAKES["the inner block switches recording on"] = mistake("nested", patched(M4, (AFTER, "no_grad.recording = True")))
HOOKS = "for hook in list(node.hooks.values()):"
EACH = "message = unbroadcast(message, shape)"

RUN_HOOKS = """def run_hooks(node, g):
    for hook in list(node.hooks.values()):
        new = hook(g)
        g = g if new is None else new
    return g


def walk("""

MISTAKES["hooks run for each message"] = mistake(
    "hook_each",
    patched(M4, (HOOKS, "for hook in []:"), (EACH, EACH + "; message = run_hooks(parent, message)"), ("def walk(", RUN_HOOKS)),
)

MISTAKES["what a hook returns is lost"] = mistake("hook_return", patched(M4, ("g = g if new is None else new", "pass")))

MISTAKES["hooks in the wrong order"] = mistake(
    "hook_order", patched(M4, ("list(node.hooks.values())", "list(node.hooks.values())[::-1]"))
)

MISTAKES["a leaf forgets its hooks"] = mistake(
    "leaf_hook", patched(M4, ("list(node.hooks.values())", "list({} if isinstance(node, Sink) else node.hooks.values())"))
)

MISTAKES["remove takes all"] = mistake("remove", patched(M4, ("self.hooks.pop(self.key, None)", "self.hooks.clear()")))
