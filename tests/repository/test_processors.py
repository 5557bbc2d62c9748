"""tools/processors.py asks for another processor, and says when it did not get it."""

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("threadpoolctl")

from tools import processors

TOOL = Path(processors.__file__)
HASWELL = processors.Processor("Haswell", "Haswell")
OLDEST = processors.Processor("oldest", "Nehalem", dispatch=False)
SAYS = "import os; print(os.environ.get('OPENBLAS_CORETYPE'), os.environ.get('NPY_DISABLE_CPU_FEATURES'))"


def run(*arguments):
    return subprocess.run([sys.executable, str(TOOL), *arguments], capture_output=True, text=True)


def test_what_is_asked_for():
    assert HASWELL.variables(["AVX2"]) == {"OPENBLAS_CORETYPE": "Haswell"}
    asked = {"OPENBLAS_CORETYPE": "Nehalem", "NPY_DISABLE_CPU_FEATURES": "AVX2 AVX512F"}
    assert OLDEST.variables(["AVX2", "AVX512F"]) == asked


@pytest.mark.parametrize(
    ("processor", "core", "features", "said"),
    [
        (HASWELL, "Haswell", ["AVX2"], None),
        (HASWELL, "haswell", [], None),
        (HASWELL, "SkylakeX", [], "OpenBLAS uses SkylakeX, not Haswell"),
        (HASWELL, None, [], "OpenBLAS uses nothing: NumPy was built without it, not Haswell"),
        (OLDEST, "Nehalem", [], None),
        (OLDEST, "Nehalem", ["AVX2"], "NumPy still chooses by AVX2"),
        (processors.Processor("unset"), "SkylakeX", ["AVX2"], None),
    ],
)
def test_what_was_not_done_is_seen(processor, core, features, said):
    assert processor.refused(core, features) == said


def test_a_kind_whose_instructions_are_missing_is_seen(monkeypatch):
    monkeypatch.setattr(processors, "PROBE", "import os, signal; os.kill(os.getpid(), signal.SIGILL)")
    core, features = processors.probe(processors.clean_environment())
    assert HASWELL.refused(core, features) == "OpenBLAS uses instructions that this processor lacks, not Haswell"


def test_a_command_runs_as_on_another_processor():
    _, features = processors.probe(processors.clean_environment())
    done = run("--only", "no dispatch", "--", sys.executable, "-c", SAYS)
    assert done.returncode == 0, done.stderr + done.stdout
    assert f"None {' '.join(features)}" in done.stdout
    assert "NumPy for any processor" in done.stdout


def test_a_command_that_fails_fails_here_too():
    done = run("--only", "unset", "--", sys.executable, "-c", "raise SystemExit(3)")
    assert done.returncode == 1 and "FAILED with status 3" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--only", "Z80", "--", "true"], "no such processor: Z80; there are: unset, Nehalem"),
        ([], "give a command after --, or --list"),
        (["--list", "--", "true"], "give a command after --, or --list"),
    ],
)
def test_what_cannot_be_meant_is_refused(arguments, said):
    done = run(*arguments)
    assert done.returncode == 2 and said in done.stderr
