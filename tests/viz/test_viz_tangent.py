"""The draggable point: its slopes are the engine's, its secants those of the function; wrong calls say what is wrong."""

from __future__ import annotations

import base64
import html
import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest
from test_viz_shapes import sound

import minigrad as mg
from minigrad import viz


def told(picture: viz.Tangent) -> dict:
    script = html.unescape(re.search(r'onload="([^"]*const G=[^"]*)"', picture.html)[1])
    return json.JSONDecoder().raw_decode(script[script.index("const G=") + 8 :])[0]


def test_what_it_tells() -> None:
    picture = viz.tangent(lambda x: x**3, mg.linspace(0.0, 0.8, 81), at=0.4, step=0.3, both=True)
    assert picture.text.splitlines() == [
        "At x = 0.4 f is 0.064 and the slope of the tangent 0.48",
        "The dashed secant with a step of 0.3 has the slope 0.93",
        "The dotted secant from both sides with a step of 0.3 has the slope 0.57",
    ]
    assert repr(picture) == picture.text and picture.still.alt == picture.text.replace("\n", ". ") + "."
    graph = told(picture)
    xs = np.asarray(graph["xs"])
    assert re.findall(r">(tangent|one side|both sides)<", picture.still.svg) == ["tangent", "both sides", "one side"]
    assert np.allclose(graph["ys"], xs**3, atol=1e-6) and np.allclose(graph["slopes"], 3 * xs**2, atol=1e-6)
    assert (graph["at"], graph["reach"], graph["both"]) == (40, 30, True)


def test_units_stand_behind_every_number() -> None:
    picture = viz.tangent(lambda t: 10 + 2 * t, mg.linspace(0, 4, 41), at=1.0, step=2.0, units=("min", "°C"))
    assert picture.text.splitlines() == [
        "At x = 1 min f is 12 °C and the slope of the tangent 2 °C/min",
        "The secant with a step of 2 min has the slope 2 °C/min",
    ]
    assert told(picture)["units"] == [" min", " °C", " °C/min"]
    shown = re.findall(r">([^<]+)</text>", re.sub(r"</?tspan[^>]*>", "", picture.still.svg))
    assert {"x = 0 min", "x = 4 min", "10 °C", "18 °C"} <= set(shown)
    sound(picture.still.svg)


def test_the_still_picture_is_sound_and_the_page_small() -> None:
    for f in (mg.sin, mg.exp, lambda x: x * 0 + 2, lambda x: -100 * x):
        picture = viz.tangent(f, mg.linspace(-3, 3, 121))
        sound(picture.still.svg)
        assert len(picture.html.encode()) < 30_000 and picture.still.svg in base64.b64decode(
            re.search(r"base64,([^\"]+)", picture.html)[1]
        ).decode()
        assert "\n\n" not in picture.html


def test_where_a_function_is_not_defined() -> None:
    picture = viz.tangent(mg.log, mg.linspace(-1, 3, 33), at=1.0, step=1.0)  # the places are exact, 0 and 1 among them
    graph = told(picture)
    assert graph["ys"][0] is None and graph["ys"][8] is None and graph["slopes"][16] == 1.0
    assert "NaN" not in picture.html and "nan" not in picture.still.svg and picture.still.svg.count("M") >= 3
    broken = viz.tangent(mg.log, mg.linspace(-1, 3, 41), at=-0.5, step=1.0)
    assert "f is nan" in broken.text
    sound(broken.still.svg)


def test_nothing_is_changed_and_bytes_are_stable() -> None:
    program = "from minigrad import viz; import minigrad as mg; print(viz.tangent(mg.sin, mg.linspace(-4, 4, 81)).html)"
    pages = {subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout for _ in range(2)}
    assert len(pages) == 1
    w = mg.tensor(2.0, requires_grad=True)
    viz.tangent(lambda x: w * x, [0.0, 1.0, 2.0])
    assert w.grad is None and math.isclose(told(viz.tangent(lambda x: w * x, [0.0, 1.0, 2.0]))["slopes"][1], 2.0)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: viz.tangent(mg.sin, [1.0]), "at least two numbers in rising order"),
        (lambda: viz.tangent(mg.sin, [0.0, 1.0, 3.0]), "evenly spread"),
        (lambda: viz.tangent(mg.sin, mg.linspace(0, 1, 500)), "at most 401"),
        (lambda: viz.tangent(mg.sin, mg.linspace(0, 1, 11), at=2.0), "at lies outside xs"),
        (lambda: viz.tangent(mg.sin, mg.linspace(0, 1, 11), at=0.9, step=0.5), "leads out of xs"),
        (lambda: viz.tangent(mg.sin, mg.linspace(0, 1, 11), at=0.1, step=0.3, both=True), "leads out of xs"),
        (lambda: viz.tangent(mg.sum, mg.linspace(0, 1, 11)), "works element by element"),
    ],
)
def test_wrong_calls(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()
