"""A learning rate on a valley, and weights for the rows of a Jacobian: what stands there is the engine's, by mouse and by keyboard."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys

import numpy as np
import pytest
from test_viz_browser import WAIT, browser  # noqa: F401
from test_viz_shapes import sound

import minigrad as mg
from minigrad import viz
from minigrad.viz.valley import descend

J = [[2, 1, 0, 0], [0, 3, 2, 0], [0, 0, 4, 3]]


def told(picture: viz.Valley | viz.Weigh) -> dict:
    script = html.unescape(re.search(r'onload="([^"]*const G=[^"]*)"', picture.html)[1])
    return json.JSONDecoder().raw_decode(script[script.index("const G=") + 8 :])[0]


def test_the_walk_is_that_of_sgd() -> None:
    w = mg.tensor([-4.0, 1.0], dtype=mg.float64, requires_grad=True)
    optimizer, places = mg.optim.SGD([w], lr=0.019), [w.tolist()]
    for _ in range(60):
        optimizer.zero_grad()
        ((w[0] ** 2 + 100 * w[1] ** 2) / 2).backward()
        optimizer.step()
        places.append(w.tolist())
    assert np.allclose(descend((1.0, 100.0), (-4.0, 1.0), 0.019, 60), places)
    picture = viz.valley((1.0, 100.0), (-4.0, 1.0), 0.019, 60)
    assert picture.text.splitlines() == [
        f"With lr = 0.019, 60 steps lead from (-4, 1) to ({places[-1][0]:.3f}, {places[-1][1]:.3f}), and f from 58 to 0.801",
        "Each step multiplies w[0] by 0.981 and w[1] by -0.9: it crosses the floor each time",
    ]
    assert told(picture)["place"] == 95


@pytest.mark.parametrize(
    ("lr", "words"),
    [(0.01, "no jumps from wall"), (0.0102, "crosses the floor"), (0.02, "crosses the floor"), (0.0202, "leaves the valley")],
)
def test_verdicts_change_where_the_factors_do(lr: float, words: str) -> None:
    picture = viz.valley((1.0, 100.0), lr=lr)
    assert words in picture.text
    assert (abs(descend((1.0, 100.0), (-4.0, 1.0), lr, 200)[-1][1]) > 1.01) is (words == "leaves the valley")


def test_weights_are_those_of_backward() -> None:
    x = mg.ones(4, requires_grad=True)
    (mg.tensor(J, dtype=mg.float32) @ x).backward(mg.tensor([2.0, -1.0, 3.0]))
    picture = viz.weigh(J, [2, -1, 3])
    assert picture.text == f"v = [2, -1, 3]: vᵀJ = [{', '.join(f'{g:g}' for g in x.grad.tolist())}]"
    assert viz.weigh(J).text == "v = [1, 1, 1]: vᵀJ = [2, 4, 6, 3]"
    assert told(picture)["J"] == J and told(picture)["v"] == [2, -1, 3]


def test_still_pictures_are_sound_small_and_always_the_same() -> None:
    for make in ("valley(steps=100)", "valley((1.0, 1.0), (3.0, -2.0), 0.5, 1)", "weigh([[1, 2], [3, 4]], [0.5, -5])"):
        picture = eval(f"viz.{make}")
        sound(picture.still.svg)
        assert len(picture.html.encode()) < 35_000 and "\n\n" not in picture.html
        program = [sys.executable, "-c", f"from minigrad import viz; print(viz.{make}.html)"]
        assert subprocess.run(program, capture_output=True, text=True, check=True).stdout == picture.html + "\n"


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: viz.valley((1.0, 0.0)), "steep is two numbers above 0"),
        (lambda: viz.valley((1.0,)), "steep is two numbers"),
        (lambda: viz.valley(start=(0.0, 1.0)), "start is two numbers that are not 0"),
        (lambda: viz.valley(steps=101), "between 1 and 100, not 101"),
        (lambda: viz.valley((1.0, 20.0), lr=0.2), "lr is between 0.001 and 0.11 in this valley, not 0.2"),
        (lambda: viz.weigh([1.0, 2.0]), r"at most 8 by 8; this one has shape \(2,\)"),
        (lambda: viz.weigh(np.ones((9, 1))), r"at most 8 by 8"),
        (lambda: viz.weigh([[float("nan")]]), "finite"),
        (lambda: viz.weigh(J, [1, 1]), "v is 3 numbers"),
        (lambda: viz.weigh(J, [1, 1, 0.3]), "in halves"),
        (lambda: viz.weigh(J, [1, 1, 6]), "from -5 to 5"),
        (lambda: viz.weigh(J, rows=["a"]), "3 names are needed for y; 1 were given"),
    ],
)
def test_wrong_calls(call, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        call()


def opened(browser, picture, main: str):  # noqa: F811
    page = browser.new_page(viewport={"width": 390, "height": 700})
    page.errors = []
    page.on("pageerror", lambda error: page.errors.append(str(error)))
    page.set_content(picture.html)
    page.wait_for_selector(main, timeout=WAIT)
    assert page.locator("img[alt]:not([alt='']):visible").count() == 0
    return page


@pytest.mark.browser
def test_a_learning_rate_is_moved(browser) -> None:  # noqa: F811
    steep, main = (1.0, 100.0), "[data-valley] .play"
    page = opened(browser, viz.valley(steep, lr=0.019, steps=60), main)
    said = lambda: "\n".join(line.rstrip(".") for line in page.locator(f"{main} .says span").all_inner_texts())  # noqa: E731
    assert said() == viz.valley(steep, lr=0.019, steps=60).text
    last = lambda: page.locator(f"{main} text", has_text="after").count()  # noqa: E731
    assert last() == 1 and ">after 60<" in viz.valley(steep, lr=0.019, steps=60).still.svg
    slider = page.locator(f"{main} input").first
    at = slider.bounding_box()
    page.mouse.click(at["x"] + at["width"] / 2, at["y"] + at["height"] / 2)
    lr = int(slider.input_value()) / 5000
    assert 0.008 < lr < 0.014 and said() == viz.valley(steep, lr=lr, steps=60).text
    page.keyboard.press("End")
    assert said() == viz.valley(steep, lr=0.022, steps=60).text and "leaves the valley" in said() and last() == 0
    page.keyboard.press("Home")
    page.focus(f"{main} input >> nth=1")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    assert said() == viz.valley(steep, lr=0.0002, steps=2).text and page.locator(f"{main} .step").count() == 3
    assert page.locator(f"{main} > svg").get_attribute("aria-label").startswith("With lr = 0.0002, 2 steps")
    assert page.locator(f"{main} input").first.get_attribute("aria-valuetext") == "0.0002"
    assert page.evaluate("document.documentElement.scrollWidth") == 390 and not page.errors
    page.close()


@pytest.mark.browser
def test_weights_are_moved(browser) -> None:  # noqa: F811
    main = "[data-weigh] .play"
    page = opened(browser, viz.weigh(J, [2, -1, 3]), main)
    said = lambda: page.inner_text(f"{main} .says")  # noqa: E731
    assert said() == viz.weigh(J, [2, -1, 3]).text
    slider = page.locator(f"{main} input").first
    at = slider.bounding_box()
    page.mouse.click(at["x"] + 0.1 * at["width"], at["y"] + at["height"] / 2)
    first = int(slider.input_value()) / 2
    assert first < -3 and said() == viz.weigh(J, [first, -1, 3]).text
    page.focus(f"{main} input >> nth=1")
    page.keyboard.press("End")
    page.keyboard.press("ArrowLeft")
    assert said() == viz.weigh(J, [first, 4.5, 3]).text
    assert page.locator(f"{main} td.sum").all_inner_texts() == [f"{g:g}" for g in np.array([first, 4.5, 3]) @ np.array(J)]
    assert page.get_by_label("v for y[1]").get_attribute("aria-valuetext") == "4.5"
    assert page.evaluate("document.documentElement.scrollWidth") == 390 and not page.errors
    assert page.locator(f"{main} .wide").evaluate("e => e.scrollWidth <= e.clientWidth")
    page.close()
