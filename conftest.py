"""For every test here: an empty learner's record, notebooks run as a reader runs them, and no skips in CI."""

import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent


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

    from tools.build import kernel_environment

    class LearnersKernel(RunningKernel):
        def __init__(self, *args, **kwargs):
            self.scratch = tempfile.TemporaryDirectory()
            os.environ.update(kernel_environment(ROOT, self.scratch.name))
            super().__init__(*args, **kwargs)

        def execute_cell_input(self, cell_input, allow_stdin=None):
            return self.kc.execute(cell_input, allow_stdin=allow_stdin, stop_on_error=False)

        def stop(self):
            super().stop()
            self.scratch.cleanup()

    nbval.plugin.RunningKernel = LearnersKernel


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
