"""Run the programs of this folder, with PyTorch or with minigrad under its name, and keep what PyTorch prints.

    python tests/engine/programs/_record.py          record (needs torch)
    python tests/engine/programs/_record.py NAME …   print both outputs of some programs
"""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
RECORDED = HERE / "recorded.json"
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]?\d+)?")


def programs() -> list[str]:
    """The names of all programs."""
    return sorted(path.stem for path in HERE.glob("[a-z]*.py"))


def output(name: str, engine: str) -> str:
    """What a program prints with an engine, "torch" or "minigrad"; the name of the engine is written minigrad."""
    source = (HERE / f"{name}.py").read_text("utf-8")
    if engine != "torch":
        source = re.sub(r"^import torch$", f"import {engine} as torch", source, flags=re.M)
        source = re.sub(r"^(from|import) torch\b", rf"\1 {engine}", source, flags=re.M)
    out = io.StringIO()
    space = {"__name__": "program", "DATA": str(ROOT / "minigrad" / "course" / "data")}
    with contextlib.redirect_stdout(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(source, f"{name}.py", "exec"), space)
    return re.sub(r"\btorch\b", "minigrad", out.getvalue())


def same(one: str, other: str) -> bool:
    """Whether two outputs are equal but for the last digits of numbers with a decimal point."""
    if NUMBER.sub("#", one) != NUMBER.sub("#", other):
        return False
    pairs = zip(NUMBER.findall(one), NUMBER.findall(other), strict=True)
    return all(abs(float(a) - float(b)) <= 2e-3 * max(abs(float(a)), 0.1) for a, b in pairs)


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    if sys.argv[1:]:
        for chosen in sys.argv[1:]:
            print(output(chosen, "torch"), output(chosen, "minigrad"), sep="\n--- minigrad\n")
    else:
        found = {name: output(name, "torch") for name in programs()}
        RECORDED.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")
