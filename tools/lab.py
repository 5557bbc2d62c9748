"""Open JupyterLab on the first page of the course. `make lab` calls this."""

import json
import os
import sys
from pathlib import Path

START = "/lab/tree/notebooks/00-start.ipynb"


def has_browser() -> bool:
    """Without a display, Jupyter would open a text browser in the terminal, or none."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def no_question_about_news() -> None:
    """JupyterLab asks at its first start whether to fetch news. The answer for this environment is no."""
    settings = Path(sys.prefix, "share", "jupyter", "lab", "settings", "overrides.json")
    if not settings.exists():
        settings.parent.mkdir(parents=True, exist_ok=True)
        quiet = {"fetchNews": "false", "checkForUpdates": False}
        settings.write_text(json.dumps({"@jupyterlab/apputils-extension:notification": quiet}))


def command(extra: list[str]) -> list[str]:
    flags = ["--ServerApp.log_level=WARN"]
    if not has_browser():
        flags.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container one often is root
        flags.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", f"--LabApp.default_url={START}", *flags, *extra]


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    no_question_about_news()
    # So that `!python …` in a cell is the Python of the course.
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
    print("Starting JupyterLab. The address is printed below; stop with Ctrl-C, then y.", flush=True)
    os.execv(sys.executable, command(sys.argv[1:]))
