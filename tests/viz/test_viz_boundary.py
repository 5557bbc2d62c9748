"""A training to look at: regions, sentences and losses are those of what was given; the player goes through the steps."""

from __future__ import annotations

import html
import importlib
import json
import re

import numpy as np
import pytest
from matplotlib.path import Path as Outline
from test_viz_browser import browser  # noqa: F401
from test_viz_sliders import opened

from minigrad import viz
from minigrad.viz.boundary import HEIGHT, WIDTH

moons = importlib.import_module("minigrad.course.capstone.moons")  # the package has a function of this name

POINTS = [[-1.0, 0.0], [1.0, 0.0], [2.0, 1.0], [-2.0, -1.0]]
LABELS = [-1, 1, 1, -1]
LOSSES = {"loss": np.geomspace(2, 0.1, 10)}
SCORES = {0: lambda p: 0 * p[:, 0] - 1, 4: lambda p: p[:, 1] - 0.5, 10: lambda p: 1 - p[:, 0] ** 2 - p[:, 1] ** 2}


def told(picture: viz.Boundary) -> dict:
    script = html.unescape(re.search(r'onload="([^"]*const G=[^"]*)"', picture.html)[1])
    return json.JSONDecoder().raw_decode(script[script.index("const G=") + 8 :])[0]


def rings(path: str) -> list[np.ndarray]:
    """The corners of each closed line of the path."""
    found = []
    for start, steps in re.findall(r"M(-?\d+ -?\d+)l([^z]*)z", path):
        first, moves = np.array(start.split(), int), np.array(steps.split(), int).reshape(-1, 2)
        found.append(np.vstack([first, first + moves.cumsum(0)]))
    return found


def test_a_region_holds_what_has_a_score_above_0() -> None:
    never, above, disc = (frame["region"] for frame in told(viz.boundary(POINTS, LABELS, SCORES, LOSSES))["frames"])
    assert never == ""
    (ring,) = rings(above)
    assert len(ring) == 4 and ring[:, 0].min() == 0 and ring[:, 0].max() == WIDTH and ring[:, 1].min() == 0
    (ring,) = rings(disc)
    rng, low, size = np.random.default_rng(0), np.array([-2.48, -1.24]), np.array([4.96, 2.48])
    places = low + size * rng.random((400, 2))
    away = np.abs(np.hypot(*places.T) - 1) > 0.06
    inside = Outline(ring).contains_points((places - low) / size * (WIDTH, -HEIGHT) + (0, HEIGHT))
    assert 0.2 < inside.mean() < 0.5 and (inside == (np.hypot(*places.T) < 1))[away].all()


def test_what_is_said_is_what_was_given() -> None:
    picture = viz.boundary(POINTS, LABELS, SCORES, LOSSES)
    assert picture.text.splitlines() == [
        "After 0 steps the loss is 2, and 2 of 4 points lie on their side",
        "After 10 steps the loss is 0.1, and 1 of 4 points lie on their side",
    ]
    frames = told(picture)["frames"]
    assert frames[1]["words"].startswith(f"After 4 steps the loss is {LOSSES['loss'][4]:.3g}, and 3 of 4 points")
    first = viz.boundary(POINTS, LABELS, {1: SCORES[0]}, LOSSES)
    assert first.text.startswith("After 1 step the loss is")
    for count in (10, 11):  # losses; the axis names the last step
        assert told(viz.boundary(POINTS, LABELS, SCORES, {"loss": np.geomspace(2, 0.1, count)}))["last"] == 10
    assert frames[0]["at"] == [0, 0] and frames[2]["at"] == [WIDTH, HEIGHT]
    same = viz.boundary(POINTS, LABELS, SCORES, LOSSES | {"theirs": LOSSES["loss"] + 1e-9})
    other = viz.boundary(POINTS, LABELS, SCORES, LOSSES | {"theirs": LOSSES["loss"] * 1.01})
    assert "losses of loss are those of theirs" in same.text and "losses of loss are not those of theirs" in other.text


@pytest.mark.parametrize(
    ("low", "high", "marks"),
    [
        (0.071, 0.69, ["0.1", "0.2", "0.5"]),
        (0.19, 0.65, ["0.2", "0.4", "0.6"]),
        (0.9, 2.05, ["0.9", "1", "2"]),
        (0.019, 2.05, ["0.1", "1"]),
        (1.5, 2.05, ["2"]),
    ],
)
def test_the_axis_of_losses_has_a_few_marks(low: float, high: float, marks: list[str]) -> None:
    found = told(viz.boundary(POINTS, LABELS, SCORES, {"loss": np.geomspace(high, low, 10)}))["marks"]
    assert [text for text, _ in found] == marks and all(0 <= height <= HEIGHT for _, height in found)


def test_the_moons_are_told_apart_as_in_one_training() -> None:
    points, labels, losses, seen = moons.trained(moons.child.run(moons.SEEDED, moons.PROGRAM, moons.Library(moons.mg)))
    whole = "points, labels = moons(200)\nshow(*engine.fit(points, labels, network(16), 0.1, 600))"
    once = moons.child.run(moons.SEEDED, whole, moons.Library(moons.mg))["shown"]
    assert losses.tolist() == [loss["values"][0] for loss in once[0]] and len(seen) == len(moons.FRAMES)
    picture = moons.moons()
    assert "After 600 steps" in picture.text and "are those of the reference" in picture.text
    assert len(picture.html.encode()) < 80_000


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"points": [[1.0], [2.0]]}, "points has shape"),
        ({"labels": [1, 0, 1, 1]}, "1 or -1"),
        ({"losses": {}}, "losses is"),
        ({"losses": {"a": [1.0, -1.0]}}, "above 0"),
        ({"scores": {11: SCORES[0]}}, "steps from 0 to 10"),
        ({"scores": {0: lambda p: p}}, "a number for each"),
    ],
)
def test_wrong_calls(change: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        viz.boundary(**{"points": POINTS, "labels": LABELS, "scores": SCORES, "losses": LOSSES} | change)


@pytest.mark.browser
def test_the_boundary_moves(browser) -> None:  # noqa: F811
    main = "[data-boundary] .play"
    page = opened(browser, viz.boundary(POINTS, LABELS, SCORES, LOSSES | {"theirs": LOSSES["loss"]}), main)
    assert page.locator("img.plot").count() == 2 and not page.locator("img.plot:visible").count()  # both panels of the still picture
    said = lambda: page.locator(f"{main} .says span").all_inner_texts()  # noqa: E731
    assert said()[0].startswith("After 10 steps") and said()[1] == "The losses of loss are those of theirs, the wide line."
    page.click(f"{main} [aria-label='To the beginning']")
    assert said()[0].startswith("After 0 steps") and page.get_attribute(f"{main} .region", "d") == ""
    page.focus(main)
    page.keyboard.press("ArrowRight")
    assert said()[0].startswith("After 4 steps") and page.get_attribute(f"{main} .region", "d").startswith("M")
    ground = page.locator(f"{main} .ground").bounding_box()["y"]  # the names of the labels stand on neither colour
    names = [page.locator(f"{main} text.{kind}").bounding_box() for kind in ("one", "other")]
    assert all(name["y"] + name["height"] <= ground for name in names)
    page.keyboard.press("End")
    page.keyboard.press("Space")
    page.locator(f"{main} .count", has_text="1 / 2").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") == 390 and not page.errors
    page.close()
