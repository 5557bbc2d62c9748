"""Try `make lab` as a newcomer meets it: python3 tools/try_lab.py, in a clone where nothing has been changed.

Starts it, waits for the page, runs the first notebook through Jupyter's own API, saves it as JupyterLab does, and stops the
server by its API. Needs only what `make lab` itself sets up, and goes on in that environment. Fails when a cell raises, when the
server does not stop, and when Git sees a change.
"""

from __future__ import annotations

import importlib
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FIRST = "notebooks/00-start.ipynb"
PAGE = 60  # seconds to the first page
CELL = 60


class Server:
    """A JupyterLab with an address and a token of its own. Its command is made by a function of the arguments for them."""

    def __init__(self, command: Callable[[list[str]], list[str]], folder: Path, env: dict[str, str]) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address, self.token = f"127.0.0.1:{port}", secrets.token_hex(8)
        own = ["--no-browser", f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={self.token}"]
        self.process = subprocess.Popen(command(own), cwd=folder, env=env, start_new_session=True)

    def ask(self, path: str, method: str = "GET", body: Any = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Authorization": f"token {self.token}"}
        request = urllib.request.Request(f"http://{self.address}/{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.read()

    def wait_for(self, path: str) -> str:
        """The page, as soon as it is there."""
        end = time.monotonic() + PAGE
        while True:
            assert self.process.poll() is None, "it has ended"
            try:
                return self.ask(path).decode()
            except OSError:
                assert time.monotonic() < end, f"there is no page after {PAGE} s"
                time.sleep(0.2)

    def wait_for_page(self) -> None:
        """Until the first page is there, with JupyterLab's scripts behind it."""
        assert "jupyter-config-data" in self.wait_for(f"lab/tree/{FIRST}"), "this is no page of JupyterLab"

    def run(self, cells: list[dict[str, Any]]) -> None:
        """Run the code cells in a kernel of the notebook's, as JupyterLab does."""
        session = {"path": FIRST, "type": "notebook", "name": "", "kernel": {"name": "python3"}}
        kernel = json.loads(self.ask("api/sessions", "POST", session))["kernel"]["id"]
        websocket = importlib.import_module("websocket")  # Jupyter's server needs it, so it is here
        wire = websocket.create_connection(f"ws://{self.address}/api/kernels/{kernel}/channels?token={self.token}", timeout=CELL)
        for number, cell in enumerate(cells, 1):
            source = "".join(cell["source"])
            header = {"msg_id": f"cell-{number}", "msg_type": "execute_request", "session": "try", "username": "", "version": "5.3"}
            content = {"code": source, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
            message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell", "buffers": []}
            wire.send(json.dumps(message))
            reply: dict[str, Any] = {}
            while reply.get("msg_type") != "execute_reply" or reply["parent_header"].get("msg_id") != f"cell-{number}":
                reply = json.loads(wire.recv())
            assert reply["content"]["status"] == "ok", f"cell {number} of {FIRST} fails: {reply['content']}\n{source}"
        wire.close()

    def stop(self) -> None:
        self.ask("api/shutdown", "POST")
        self.process.wait(30)

    def kill(self) -> None:
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGTERM)


def changes(folder: Path = ROOT) -> str:
    return subprocess.run(["git", "status", "--porcelain"], cwd=folder, check=True, capture_output=True, text=True).stdout


def set_up() -> None:
    """What `make lab` does first, apart, so that it can be timed."""
    begin = time.monotonic()
    subprocess.run(["sh", "tools/setup.sh", "course"], cwd=ROOT, check=True)
    print(f"set-up: {time.monotonic() - begin:.0f} s", flush=True)


def main() -> None:
    assert not changes(), f"begin in a clone without changes:\n{changes()}"
    begin = time.monotonic()
    server = Server(lambda own: ["make", "lab", f"ARGS={' '.join(own)}"], ROOT, dict(os.environ))
    try:
        server.wait_for_page()
        page = time.monotonic() - begin
        print(f"from `make lab` to the first page: {page:.0f} s", flush=True)
        notebook = json.loads(server.ask(f"api/contents/{FIRST}"))["content"]
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        assert cells, f"{FIRST} has no code"
        server.run(cells)
        notebook["metadata"]["language_info"] = {"name": "python", "version": "3"}  # as JupyterLab's autosave does
        server.ask(f"api/contents/{FIRST}", "PUT", {"type": "notebook", "format": "json", "content": notebook})
        server.stop()
    finally:
        server.kill()
    assert not changes(), f"Git sees changes:\n{changes()}"
    print(f"{len(cells)} cells of {FIRST} ran, the server stopped, and Git sees no change")


if __name__ == "__main__":
    if Path(sys.prefix) != ROOT / ".venv":
        set_up()
        python = str(ROOT / ".venv" / "bin" / "python")
        os.execv(python, [python, *sys.argv])
    try:
        main()
    except (AssertionError, subprocess.TimeoutExpired) as error:
        sys.exit(f"make lab failed: {error}")
