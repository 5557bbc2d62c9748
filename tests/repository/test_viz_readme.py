"""The picture in the README is the one that the engine draws today."""

import runpy
from pathlib import Path

TOOL = Path(__file__).parents[2] / "tools" / "readme_picture.py"


def test_the_readme_picture_is_fresh() -> None:
    tool = runpy.run_path(str(TOOL))
    committed = tool["PICTURE"].read_bytes().decode()
    assert committed == tool["picture"]().svg, "run python tools/readme_picture.py"
