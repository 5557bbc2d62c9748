"""Open JupyterLab on the first page of the course. `make lab` calls this; where there is no `make`: python tools/lab.py"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

START = "/lab/tree/notebooks/00-start.ipynb"
# The extension that opens lessons as copies in work/lessons/.
COPIES = {"ServerApp": {"jpserver_extensions": {"minigrad.course.notebook.lessons": True}}}


def has_browser() -> bool:
    """Without a display, Jupyter would open a text browser in the terminal, or none."""
    return sys.platform != "linux" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def settle(rest: str, content: dict[str, Any]) -> None:
    """Store a setting of Jupyter for this environment, and leave one that is there."""
    file = Path(sys.prefix, *rest.split("/"))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("x", encoding="utf-8") as new:
            json.dump(content, new)
    except FileExistsError:
        pass
    except OSError as error:
        print(f"Jupyter's settings cannot be kept in {file.parent} ({error.strerror}): {next(iter(content))} is not set.")


def settle_all() -> None:
    # JupyterLab asks at its first start whether to fetch news. The answer for this environment is no.
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    settle("share/jupyter/lab/settings/overrides.json", {"@jupyterlab/apputils-extension:notification": quiet})
    settle("etc/jupyter/jupyter_server_config.d/minigrad-course.json", COPIES)


def command(extra: list[str]) -> list[str]:
    flags = ["--ServerApp.log_level=WARN"]
    if not has_browser():
        flags.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # in a container one often is root
        flags.append("--allow-root")
    return [sys.executable, "-m", "jupyterlab", f"--LabApp.default_url={START}", *flags, *extra]


if __name__ == "__main__":
    os.chdir(Path(__file__).resolve().parent.parent)
    settle_all()
    # So that `!python …` in a cell is the Python of the course.
    os.environ["PATH"] = os.path.dirname(sys.executable) + os.pathsep + os.environ.get("PATH", "")
    print("Starting JupyterLab. The address is printed below; stop with Ctrl-C, then y.", flush=True)
    if os.name == "nt":  # there, execv leaves the terminal to the shell while Jupyter runs
        sys.exit(subprocess.call(command(sys.argv[1:])))
    os.execv(sys.executable, command(sys.argv[1:]))
