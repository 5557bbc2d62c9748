"""How many lines of code the engine has: `python tools/count_lines.py [FOLDER …]`, or all of the package's parts.

Blank lines, comments and docstrings do not count. Everything else does, as `ruff format` leaves it with lines of 120.
"""

from __future__ import annotations

import ast
import io
import sys
import tokenize
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "minigrad"
APART = ("course", "viz")  # they use the engine as anybody does
_NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def lines_of_code(path: Path) -> int:
    """The lines of a file that are code."""
    source = path.read_text(encoding="utf-8")
    lines: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in _NO_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False) is not None:
            docstring = node.body[0]
            lines.difference_update(range(docstring.lineno, (docstring.end_lineno or 0) + 1))
    return len(lines)


def count(folder: Path = PACKAGE) -> dict[str, int]:
    """Lines of code by file, for the files of a folder; of the whole package without `course` and `viz`."""
    paths = sorted(path for path in folder.rglob("*.py") if path.relative_to(PACKAGE).parts[0] not in APART)
    return {path.relative_to(PACKAGE).as_posix(): lines_of_code(path) for path in paths}


if __name__ == "__main__":
    for folder in map(Path, sys.argv[1:]) if sys.argv[1:] else [PACKAGE]:
        counted = count(folder.resolve())
        for name, lines in counted.items():
            print(f"{lines:6,}  {name}")
        print(f"{sum(counted.values()):6,}  together")
