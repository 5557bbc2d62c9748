"""Record what PyTorch does with every fact, and tell how minigrad compares.

    python tools/record_facts.py                    record what is new or changed (needs torch)
    python tools/record_facts.py --all              record everything again
    python tools/record_facts.py --show PREFIX      print programs and their recorded outcomes
    python tools/record_facts.py --replay [PREFIX]  run on minigrad, print the mismatches grouped by cause
    python tools/record_facts.py --drift            compare the torch that is installed with what was recorded
    python tools/record_facts.py --prune            drop from pending.txt what minigrad now does right
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "engine")]

from facts._executor import Fact, differences, load, run, settled  # noqa: E402

FOLDER = ROOT / "tests" / "engine" / "facts"
RECORDED = FOLDER / "recorded.json"
PENDING = FOLDER / "pending.txt"
VERSION = "2.13.0"


def dump(facts: dict[str, Any]) -> str:
    """JSON with a line for each field and each tensor, so that a change can be read in a diff."""
    def line(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)

    def block(fields: dict[str, Any], indent: str) -> str:
        rows = [f"{indent} {line(key)}: " + (block(value, indent + " ") if key == "tensors" else line(value))
                for key, value in fields.items()]
        return "{\n" + ",\n".join(rows) + f"\n{indent}}}"

    rows = [f"  {line(name)}: {block(fields, '  ')}" for name, fields in facts.items()]
    return f'{{\n "torch": {line(VERSION)},\n "facts": {{\n' + ",\n".join(rows) + "\n }\n}\n"


def record(everything: bool) -> None:
    import torch

    if torch.__version__.partition("+")[0] != VERSION:
        raise SystemExit(f"facts are recorded from torch {VERSION}; this is {torch.__version__}")
    old = {} if everything or not RECORDED.exists() else json.loads(RECORDED.read_text("utf-8"))["facts"]
    new = {}
    with settled(torch):
        for name, fact in load().items():
            new[name] = old[name] if name in old and old[name]["crc"] == fact.crc else run(fact, torch)
    RECORDED.write_text(dump(new), "utf-8")
    changed = sum(old.get(name) != outcome for name, outcome in new.items())
    print(f"{len(new)} facts, {changed} of them new or changed")


def show(prefix: str) -> None:
    recorded = json.loads(RECORDED.read_text("utf-8"))["facts"]
    for name, fact in load().items():
        if name.startswith(prefix):
            print(f"\n=== {name} | {' '.join(fact.chapters)} | {fact.source}\n{fact.program}---")
            _print_outcome(recorded[name])


def _print_outcome(outcome: dict[str, Any]) -> None:
    print(outcome.get("out", ""), end="")
    for category, text in outcome.get("warnings", []):
        print(f"{category}: {text}")
    if "error" in outcome:
        print(": ".join(outcome["error"]))
    for name, probe in outcome.get("tensors", {}).items():
        print(f"   {name}: {json.dumps(probe, ensure_ascii=False)}")
    for line in outcome.get("graph", []):
        print(f"   {line}")


def _cause(expected: dict[str, Any], got: dict[str, Any]) -> str:
    """One line for a mismatch, so that equal causes fall together."""
    error = got.get("error")
    if error and error != expected.get("error"):
        missing = re.search(r"has no attribute '(\w+)'|cannot import name '(\w+)'", error[1])
        if missing:
            return f"lacks {missing[1] or missing[2]}"
        if "error" not in expected:
            return f"raises {error[0]}: {error[1].partition(chr(10))[0][:90]}"
        return "another error or message"
    if "error" in expected and not error:
        return f"does not raise: {expected['error'][1].partition(chr(10))[0][:90]}"
    path = differences(expected, got)[0][0]
    return f"differs in {re.sub(r'^tensors.[^.]+', 'tensors.*', path)}"


def _outcome(fact: Fact, engine: Any) -> dict[str, Any]:
    try:
        return run(fact, engine)
    except Exception as error:  # the flags of a tensor or the graph cannot even be read
        return {"error": ["cannot be probed", str(error)]}


def replay(prefix: str) -> None:
    import minigrad

    recorded = json.loads(RECORDED.read_text("utf-8"))["facts"]
    causes: dict[str, list[str]] = defaultdict(list)
    facts = {name: fact for name, fact in load().items() if name.startswith(prefix)}
    for name, fact in facts.items():
        got = _outcome(fact, minigrad)
        found = differences(recorded[name], got)
        if found:
            where, expected, other = found[0]
            causes[_cause(recorded[name], got)].append(
                f"{name}: {where}\n      torch    {expected!r:.400}\n      minigrad {other!r:.400}")
    wrong = sum(map(len, causes.values()))
    print(f"{len(facts) - wrong} of {len(facts)} facts agree")
    for cause, names in sorted(causes.items(), key=lambda item: -len(item[1])):
        print(f"\n## {cause} ({len(names)})")
        for text in names:
            print(f"  {text}")


def drift() -> int:
    """Print, as Markdown, what the installed torch does otherwise than the recorded one; 1 when there is something."""
    import torch

    recorded = json.loads(RECORDED.read_text("utf-8"))["facts"]
    facts, found = load(), []
    with settled(torch):
        for name, fact in facts.items():
            for where, expected, got in differences(recorded[name], _outcome(fact, torch)):
                found.append((name, where, expected, got))
    names = {name for name, *_ in found}
    print(f"## Facts recorded from PyTorch {VERSION}, run with {torch.__version__}\n")
    print(f"{len(facts) - len(names)} of {len(facts)} facts agree.\n")
    for name, where, expected, got in found:
        print(f"- `{name}`, {where}\n  - recorded: `{expected!r:.300}`\n  - now: `{got!r:.300}`")
    return 1 if found else 0


def prune() -> None:
    import minigrad

    recorded = json.loads(RECORDED.read_text("utf-8"))["facts"]
    facts = load()
    lines = PENDING.read_text("utf-8").splitlines()
    keep = [line for line in lines if not line or line.startswith("#") or (
        line in facts and differences(recorded[line], _outcome(facts[line], minigrad)))]
    PENDING.write_text("\n".join(keep) + "\n", "utf-8")
    print(f"{len(lines) - len(keep)} facts are pending no more")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--show", metavar="PREFIX")
    parser.add_argument("--replay", metavar="PREFIX", nargs="?", const="")
    parser.add_argument("--drift", action="store_true")
    parser.add_argument("--prune", action="store_true")
    options = parser.parse_args()
    if options.show is not None:
        show(options.show)
    elif options.replay is not None:
        replay(options.replay)
    elif options.drift:
        sys.exit(drift())
    elif options.prune:
        prune()
    else:
        record(options.all)


if __name__ == "__main__":
    main()
