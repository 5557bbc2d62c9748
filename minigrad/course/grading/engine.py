"""What runs inside the sandbox for the capstone: programs, with a learner's engine or with a friend's.

For a learner's engine there is no minigrad here, and no package but NumPy: it has to compute what it shows.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from minigrad.course.capstone import child
from minigrad.course.grading import confine, frames


def main() -> None:
    """Read one order, and answer with an outcome for each program."""
    read, write = frames.inside()
    nonce, order, _ = frames.receive(read, None)
    write(frames.pack(nonce, {"confined": confine.confine(order["limits"], order["user"])}))
    for outcome in outcomes(order):
        write(frames.pack(nonce, outcome))
    os._exit(0)


def outcomes(order: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """First whether the engine can be had at all, then what each program did."""
    make: Callable[[], Any]
    prepare: Callable[[str], str]
    if "friend" in order:
        from minigrad.course.capstone import friends

        make, prepare = friends.maker(order["friend"]), friends.reworded
    else:
        home = Path(os.environ["HOME"])
        for name, text in order["engine"].items():
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(text, encoding="utf-8")
        path = home / order["name"]
        make, prepare = child.maker(str(path)), str
        only_numpy(path)
    yield from child.outcomes(order["todo"], make, prepare)


def only_numpy(engine: Path) -> None:
    """From now on nothing can be had but NumPy and the standard library, wherever it lies. Python keeps such a hook for good.

    All that the hook needs are its own defaults: an engine may change every module, and finds none of them.
    """
    import numpy

    packages, library = os.path.dirname(numpy.__file__), os.path.dirname(os.__file__)
    within = (packages + os.sep, packages + ".libs" + os.sep, library + os.sep, str(engine.parent) + os.sep, "/dev/")
    without = tuple(os.path.join(library, name, "") for name in ("site-packages", "dist-packages"))
    refused = ("gc.", "ctypes.", "os.symlink", "os.link", "os.rename", "os.chdir", "os.fork", "os.exec", "os.posix_spawn",
               "subprocess.")  # fmt: skip

    def look(
        event: str, args: tuple[Any, ...], /, names: frozenset[str] = child.ALLOWED | {engine.stem, "engine"},
        within: tuple[str, ...] = within, own: str = str(engine.parent) + os.sep,
        without: tuple[str, ...] = without, numpys: str = within[0], refused: tuple[str, ...] = refused,
        type: Any = type, str: Any = str, int: Any = int, ImportError: Any = ImportError, PermissionError: Any = PermissionError,
    ) -> None:  # fmt: skip
        if event == "import":
            name, path = args[0], args[1]
            if type(name) is not str or name.partition(".")[0] not in names:
                raise ImportError("the engine may import NumPy and the standard library, and nothing else")
            if type(path) is str and path.startswith(own) and not path.startswith(numpys):  # told only for what is compiled
                raise ImportError("the engine may import nothing compiled but NumPy's and Python's own")
        elif event == "open":
            path = args[0]
        elif event.startswith(refused):
            raise PermissionError("the engine may not use " + event)
        else:
            return
        if type(path) is str:
            outside = path.startswith("/") and not path.startswith(within) or path.startswith(without) and not path.startswith(numpys)
            if outside or ".." in path:
                raise PermissionError("the engine may open no file but Python's and its own")
        elif path is not None and type(path) is not int:
            raise PermissionError("the engine names a file in an unusual way")

    sys.addaudithook(look)


if __name__ == "__main__":
    main()
