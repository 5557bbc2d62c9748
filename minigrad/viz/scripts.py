"""Scripts in outputs: a small image at the end carries one and starts it when it is loaded, where scripts may run.

Notebooks that are not trusted drop the attribute, so what stands before the image is what remains there.
"""

from __future__ import annotations

import html
import json
from importlib import resources
from typing import Any

from .style import variables

_DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"


def script_image(name: str, told: dict[str, Any], more: str = "", sheet: str = "") -> str:
    """The image with the script name.js, which finds its graph in `G`, with sheet.css, or name.css, and with what all share."""
    style = json.dumps(variables() + _file("player.css") + _file(f"{sheet or name}.css"))
    graph = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    parts = (f"const G={graph},STYLE={style};{more}", _file("player.js"), _file(f"{name}.js"))
    script = "(function(dot){\n" + "".join(parts) + "})(this)"
    return f'<img alt="" width="1" height="1" src="{_DOT}" onload="{html.escape(script)}">'


def _file(name: str) -> str:
    """A file beside this one, without comments and without the spaces that only its reader needs."""
    lines = resources.files(__package__).joinpath(name).read_text(encoding="utf-8").splitlines()
    kept = (line.partition("  //")[0].strip() for line in lines)
    return "".join(line + "\n" for line in kept if line and not line.startswith("//"))
