"""A lesson and its solutions, run as `make strict` runs all: every output is compared with the stored one."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SAMPLE = ["notebooks/04-vjps.ipynb", "solutions/04-vjps/04-vjps.ipynb"]


def test_outputs_are_the_stored_ones():
    options = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with=tools/scrub.cfg", "--nbval-cell-timeout=120"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options, *SAMPLE]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8")
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout and "skipped" not in done.stdout
