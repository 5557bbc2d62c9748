"""`viz.fit`: measured points, and models through them."""

import numpy as np
import pytest

import minigrad as mg
from minigrad import viz


def test_points_and_models_are_told_and_drawn_in_rising_order() -> None:
    picture = viz.fit([3.0, 1.0, 2.0], mg.tensor([30.0, 10.0, 20.0]), {"straight": [31.0, 11.0, 21.0]}, xlabel="minutes", ylabel="°C")
    assert picture.alt.splitlines() == [
        "3 measured points, °C over minutes",
        "measured: 10 at 1, 30 at 3",
        "straight: 11 at 1, 31 at 3",
    ]
    line, points = picture.axes[0].lines
    assert line.get_xydata().tolist() == [[1, 11], [2, 21], [3, 31]]
    assert points.get_xydata().tolist() == [[3, 30], [1, 10], [2, 20]]
    assert [text.get_text() for text in picture.axes[0].texts] == ["straight"]


def test_models_may_speak_of_other_places() -> None:
    picture = viz.fit([0.0, 2.0], [1.0, 4.0], {"curve": [9.0, 0.0, 1.0]}, at=[3.0, 0.0, 1.0])
    assert picture.axes[0].lines[0].get_xydata().tolist() == [[0, 0], [1, 1], [3, 9]]
    assert picture.alt.splitlines()[2] == "curve: 0 at 0, 9 at 3"
    with pytest.raises(ValueError, match="curve has a number for each of the 3 places in at"):
        viz.fit([0.0, 2.0], [1.0, 4.0], {"curve": [0.0, 1.0]}, at=[0.0, 1.0, 3.0])


def test_a_model_may_require_grad() -> None:
    model = mg.tensor([1.0, 2.0], requires_grad=True) * 2
    picture = viz.fit([0.0, 1.0], [2.0, 4.0], {"model": model})
    assert np.array_equal(picture.axes[0].lines[0].get_ydata(), [2, 4])


@pytest.mark.parametrize(
    ("xs", "ys", "models", "words"),
    [
        ([], [], None, "at least one number"),
        ([[1.0]], [1.0], None, "at least one number"),
        ([1.0, 2.0], [1.0], None, "ys has a number for each of the 2 xs"),
        ([1.0, 2.0], [1.0, 2.0], {"line": [1.0]}, "line has a number for each of the 2 xs"),
        (["a"], [1.0], None, "xs must be numbers"),
    ],
)
def test_what_does_not_fit_is_refused(xs, ys, models, words) -> None:
    with pytest.raises(ValueError, match=words):
        viz.fit(xs, ys, models)
