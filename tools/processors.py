"""Run a command as if on other processors: nothing here may depend on the digits that one of them gives.

    .venv/bin/python tools/processors.py -- make strict
    .venv/bin/python tools/processors.py --only Haswell,oldest -- .venv/bin/python -m pytest tests/test_facts.py
    .venv/bin/python tools/processors.py --list

The last digits of a sum of products depend on the order in which a processor adds. OpenBLAS, which multiplies and inverts
matrices for NumPy, has code of its own for each kind of processor, and NumPy has several versions of its functions.
Both can be told to choose otherwise:

    unset       what this processor is given
    NAME        OPENBLAS_CORETYPE=NAME, such as Haswell; SkylakeX needs AVX-512, and many builds of OpenBLAS have
                no code of its own for Zen: they take that for Haswell
    no dispatch NPY_DISABLE_CPU_FEATURES with all that NumPy chooses by the processor: only what every processor has is left
    oldest      both: Nehalem, and no dispatch

Before the command runs, a Python started in the same way says what NumPy really uses, and that is compared with what was
asked for. What this processor cannot do is left out and said; what --only asks for must be possible. Run this file with
the Python that the command uses. The exit status is 1 when the command failed anywhere.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

CORES = ("Nehalem", "Sandybridge", "Haswell", "Zen", "SkylakeX")
PROBE = """
import json, numpy, threadpoolctl
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
numpy.ones((64, 64)) @ numpy.ones((64, 64))
libraries = [lib for lib in threadpoolctl.threadpool_info() if lib["internal_api"] == "openblas"]
print(json.dumps({"core": libraries[0]["architecture"] if libraries else None,
                  "dispatch": [name for name in __cpu_dispatch__ if __cpu_features__[name]]}))
"""


@dataclass(frozen=True)
class Processor:
    """What to ask for: a kind of processor for OpenBLAS (or its own choice), and whether NumPy may choose."""

    name: str
    core: str | None = None
    dispatch: bool = True

    def variables(self, features: list[str]) -> dict[str, str]:
        """The environment that asks for it, on a processor that has these of NumPy's features."""
        asked = {} if self.core is None else {"OPENBLAS_CORETYPE": self.core}
        return asked if self.dispatch else asked | {"NPY_DISABLE_CPU_FEATURES": " ".join(features)}

    def refused(self, core: str | None, features: list[str]) -> str | None:
        """Why NumPy does not do as asked; None when it does."""
        if self.core is not None and (core or "").lower() != self.core.lower():
            return f"OpenBLAS uses {core or 'nothing: NumPy was built without it'}, not {self.core}"
        if not self.dispatch and features:
            return f"NumPy still chooses by {' '.join(features)}"
        return None


PROCESSORS = (
    Processor("unset"),
    *(Processor(core, core) for core in CORES),
    Processor("no dispatch", dispatch=False),
    Processor("oldest", "Nehalem", dispatch=False),
)


def clean_environment() -> dict[str, str]:
    return {k: v for k, v in os.environ.items() if k not in ("OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES")}


def probe(env: dict[str, str]) -> tuple[str | None, list[str]]:
    """The kind of processor OpenBLAS was told, and the features by which NumPy chooses, in a Python with this environment.

    OpenBLAS takes any kind that it is told, also one with instructions that this processor lacks: they end the probe.
    """
    done = subprocess.run([sys.executable, "-c", PROBE], env=env, capture_output=True, text=True)
    if done.returncode == -signal.SIGILL:
        return "instructions that this processor lacks", []
    if done.returncode:
        raise SystemExit(f"NumPy cannot be asked what it uses:\n{done.stderr}")
    found = json.loads(done.stdout)
    return found["core"], found["dispatch"]


def main() -> int:
    parser = argparse.ArgumentParser(description="Run a command as if on other processors.")
    parser.add_argument("--only", metavar="NAME,NAME", help="of: " + ", ".join(p.name for p in PROCESSORS))
    parser.add_argument("--list", action="store_true", help="say which of them can be had here; run nothing")
    parser.add_argument("command", nargs="*", help="after --")
    options = parser.parse_args()
    known = {p.name: p for p in PROCESSORS}
    names = options.only.split(",") if options.only else list(known)
    if unknown := set(names) - set(known):
        parser.error(f"no such processor: {', '.join(sorted(unknown))}; there are: {', '.join(known)}")
    if options.list == bool(options.command):
        parser.error("give a command after --, or --list")

    clean = clean_environment()
    _, features = probe(clean)
    told, failed = [], False
    for name in names:
        processor = known[name]
        env = clean | processor.variables(features)
        core, left = probe(env)
        uses = f"OpenBLAS for {core}, NumPy for {' '.join(left) or 'any processor'}"
        if wrong := processor.refused(core, left):
            failed |= bool(options.only)
            told.append(f"{name:12} not to be had here: {wrong}")
        elif options.list:
            told.append(f"{name:12} {uses}")
        else:
            print(f"\n=== {name}: {uses}", flush=True)
            start = time.monotonic()
            status = subprocess.run(options.command, env=env).returncode
            failed |= bool(status)
            verdict = f"FAILED with status {status}" if status else "passed"
            told.append(f"{name:12} {verdict} in {time.monotonic() - start:.0f} s ({uses})")
    print("\n" * (not options.list) + "\n".join(told))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
