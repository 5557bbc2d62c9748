"""Scripts in outputs: a small image at the end carries one and starts it when it is loaded, where scripts may run.

Notebooks that are not trusted drop the attribute, so what stands before the image is what remains there.
"""

from __future__ import annotations

import functools
import html
import json
import re
from importlib import resources
from typing import Any

from .style import variables

_DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def script_image(name: str, told: dict[str, Any], more: str = "", shared: str = "") -> str:
    """The image with the script name.js, which finds its graph in `G`, and with what all share.

    shared: what several scripts have instead of a style sheet of their own, shared.css and shared.js.
    """
    style = json.dumps(re.sub(r"\s*([{};])\s*", r"\1", variables() + _file("player.css") + _file(f"{shared or name}.css")))
    graph = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    files = ["player.js", *([f"{shared}.js"] if shared else []), f"{name}.js"]
    parts = [f"const G={graph},STYLE={style},NAME={json.dumps(name)},dot=this;{more}", *map(_file, files)]
    return f'<img alt="" width="1" height="1" src="{_DOT}" onload="{_in_document("".join(parts))}">'


@functools.cache
def image_script() -> str:
    """What a drawing does when it is loaded, for an attribute."""
    return _in_document(_file("image.js").replace(";\n", ";").replace("{\n", "{").replace("}\n", "}"))


def _in_document(script: str) -> str:
    """The attribute that runs a script in the document: JupyterLab loads a saved output before it is there and has colours."""
    wait = "if(!this.isConnected)return requestAnimationFrame(()=>run.call(this));"
    return html.escape(f"(function run(){{{wait}{script}}}).call(this)")


def _file(name: str) -> str:
    """A file beside this one, without comments and without the spaces that only its reader needs."""
    lines = resources.files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
    kept = (line.partition("  //")[0].strip() for line in lines)
    return "".join(line + "\n" for line in kept if line and not line.startswith("//"))
