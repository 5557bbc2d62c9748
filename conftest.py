"""For every test here: an empty learner's record, what each marker needs, notebooks run as a reader runs them, and no skips in CI."""

import functools
import gc
import os
import re
import shutil
import sys
import tempfile
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).parent
# nbformat checks notebooks with jsonschema, which compiles a grammar of addresses when it is imported: 1.5 s in every process.
sys.modules.setdefault("rfc3987_syntax", None)


def pytest_configure(config):
    scratch = tempfile.TemporaryDirectory()
    config.add_cleanup(scratch.cleanup)
    os.environ["MINIGRAD_WORK"] = str(Path(scratch.name, "work"))
    if getattr(config.option, "nbval", False):
        use_learners_kernel()


def use_learners_kernel():
    """Let nbval start a notebook as tools/build.py does, with an empty record, and store the cells' history.

    Without history a trailing `;` does not suppress output, and error messages cannot name a cell.
    """
    import nbval.plugin
    from nbval.kernel import RunningKernel

    from tools.build import (
        KERNEL_STARTS,
        alike_drawings,
        drawings,
        folded,
        kernel_environment,
        same_drawing_here,
        without_plot,
    )

    class LearnersKernel(RunningKernel):
        def __init__(self, *args, **kwargs):
            self.scratch = tempfile.TemporaryDirectory()
            os.environ.update(kernel_environment(ROOT, self.scratch.name))
            for attempt in range(KERNEL_STARTS):
                try:
                    return super().__init__(*args, **kwargs)
                except RuntimeError:  # two kernels that start at once may choose one port, and then one of them ends
                    if attempt == KERNEL_STARTS - 1:
                        raise

        def execute_cell_input(self, cell_input, allow_stdin=None):
            return self.kc.execute(cell_input, allow_stdin=allow_stdin, stop_on_error=False)

        def stop(self):
            super().stop()
            self.scratch.cleanup()

    nbval.plugin.RunningKernel = LearnersKernel
    # Plots are drawn by matplotlib, whose versions and last digits differ: their words are compared as text, their lines below.
    sanitize = nbval.plugin.IPyNbCell.sanitize

    def without_drawing(cell, text):
        return without_plot(sanitize(cell, text)) if isinstance(text, str) else text

    nbval.plugin.IPyNbCell.sanitize = without_drawing
    compare = nbval.plugin.IPyNbCell.compare_outputs

    def compare_all(cell, test, ref, skip_compare=None):
        if test and "guess" in cell.cell.metadata.get("tags", []):
            test = [folded(test)]
        if not compare(cell, test, ref, skip_compare):
            return False
        drawn = not same_drawing_here() or all(map(alike_drawings, plots_of(test), plots_of(ref)))
        same = drawn and in_order(test) == in_order(ref)
        if not same:
            cell.comparison_traceback.append("A drawing, a traceback or the order is not the stored one. `make notebooks` stores it.")
        return same

    def in_order(outputs):  # nbval does not compare these
        return [(output.output_type, output.get("name"), output.get("traceback")) for output in outputs]

    def plots_of(outputs):
        return [drawing for output in outputs for drawing in drawings(output.get("data", {}).get("text/html", ""))]

    nbval.plugin.IPyNbCell.compare_outputs = compare_all


# --- What `make test` leaves out; pyproject.toml lists the markers ---

NEEDS = {
    "torch": ["torch"],
    "browser": ["playwright"],
    "nbgrader": ["nbgrader"],
    "dask": ["distributed"],
    "sphinx": ["sphinx", "myst_nb", "sphinx_book_theme", "jupyterlite_core", "jupyterlite_pyodide_kernel"],
}
BEYOND = {*NEEDS, "bwrap", "full", "weekly"}


@functools.cache
def lacking(marker):
    """What a marked test would miss on this machine; empty for a marker that needs nothing."""
    packages = [name for name in NEEDS.get(marker, []) if find_spec(name) is None]
    if packages:
        return f"{', '.join(packages)} not installed"
    if marker == "browser" and not any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))):
        return "there is no Chromium"
    mathjax = ROOT / ".cache" / "site" / "static" / "mathjax" / "tex-svg.js"
    if marker == "sphinx" and not shutil.which("npm") and not mathjax.exists():
        return "MathJax is not here, and there is no npm to fetch it with"
    if marker == "bwrap":
        from minigrad.course.grading import sandbox

        return "" if sandbox.bubblewrap() else "bubblewrap is not installed or does not work"
    return ""


def pytest_runtest_setup(item):
    for mark in item.iter_markers():
        if lacking(mark.name):
            pytest.skip(f"{mark.name}: {lacking(mark.name)}")


def pytest_ignore_collect(collection_path, config):
    """`make test` need not import a file that it leaves out as a whole."""
    if config.option.markexpr == "not beyond" and collection_path.suffix == ".py":
        whole = re.search(r"^pytestmark = pytest\.mark\.(\w+)$", collection_path.read_text(encoding="utf-8"), re.MULTILINE)
        return True if whole and whole[1] in BEYOND else None
    return None


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items):
    seen = Counter()
    for item in items:
        sampled = item.get_closest_marker("sampled")
        if sampled:
            test = item.nodeid.partition("[")[0]
            if seen[test] % sampled.args[0]:
                item.add_marker("full")
            if seen[test] % sampled.kwargs.get("weekly", 1):
                item.add_marker("weekly")
            seen[test] += 1
        if any(mark.name in BEYOND for mark in item.iter_markers()):
            item.add_marker("beyond")


def pytest_collection_finish():
    gc.freeze()  # what is there now stays to the end, so the many tests that collect need not look at a million objects each time


# --- In CI nothing is missing, so a test that skips itself is a failure ---


def refuse_skip(report):
    if os.environ.get("CI") and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"{report.nodeid} would not run, and CI must run it: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return refuse_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return refuse_skip((yield))
