"""The picture of a Jacobian: what it says in words, what it refuses; that it is small and always the same."""

import base64
import sys
from unittest import mock

import numpy as np
import pytest

from minigrad import viz

pytest.importorskip("matplotlib")
pytest.importorskip("IPython")

J = [[2, 1, 0, 0], [0, 3, 2, 0], [0, 0, 4, 3]]


def shown(picture):
    """What a notebook would be given: data and metadata."""
    with mock.patch("IPython.display.display") as display:
        picture._ipython_display_()
    assert display.call_args.kwargs["raw"] is True
    return display.call_args.args[0], display.call_args.kwargs["metadata"]


def texts(picture):
    return [text.get_text() for ax in picture.axes for text in ax.texts]


def test_alt_text_says_the_numbers():
    picture = viz.jacobian(J, v={"ones": [1, 1, 1], "mixed": [2, -1, 0.5]})
    assert picture.alt.splitlines() == [
        "Jacobian with 3 rows (outputs) and 4 columns (inputs)",
        "    [2 1 0 0]",
        "    [0 3 2 0]",
        "    [0 0 4 3]",
        "ones, v = [1 1 1]: vᵀJ = [2 4 6 3]",
        "mixed, v = [2 -1 0.5]: vᵀJ = [4 -1 0 1.5]",
    ]
    assert repr(picture) == str(picture) == picture.alt


def test_the_picture_shows_the_product():
    (ax,) = viz.jacobian(J, v=[1, 10, 100]).axes
    written = [text.get_text() for text in ax.texts]
    assert written[:12] == [str(x) for row in J for x in row]
    assert written[12:15] == ["1", "10", "100"]
    assert written[15:19] == ["2", "31", "420", "300"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["y[0]", "y[1]", "y[2]"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["x[0]", "x[1]", "x[2]", "x[3]"]


def test_one_panel_for_each_vector_and_none_without():
    assert len(viz.jacobian(J, v={"a": [1, 0, 0], "b": [0, 1, 0]}).axes) == 2
    (ax,) = viz.jacobian(J, rows=["p", "q", "r"], columns=list("abcd"), title="a table").axes
    assert len(ax.texts) == 12
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("outputs", "inputs")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["p", "q", "r"]


def test_a_large_table_is_colours_only():
    picture = viz.jacobian(np.ones((30, 50)), v=np.ones(30), title="large")
    assert picture.alt == "large: heat map of a Jacobian with 30 rows (outputs) and 50 columns (inputs)"
    assert texts(picture) == ["×", "=", "v", "J", "vᵀJ"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"J": [1.0, 2.0]}, r"a Jacobian has two axes.*\(2,\)"),
        ({"J": J, "v": [1, 1, 1, 1]}, r"J has 3 rows, so v must have shape \(3,\); this one has \(4,\)"),
        ({"J": J, "v": [[1, 1, 1]]}, r"this one has \(1, 3\)"),
        ({"J": J, "rows": ["a"]}, "3 names are needed for y; 1 were given"),
    ],
)
def test_what_does_not_fit_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        viz.jacobian(**arguments)


def test_a_notebook_gets_a_small_png_with_alt_text():
    picture = viz.jacobian(J, v={"ones": [1, 1, 1], "one-hot": [0, 1, 0], "weights": [2, -1, 3]})
    data, metadata = shown(picture)
    assert data["text/plain"] == picture.alt
    assert metadata["image/png"]["alt"] == picture.alt
    png = base64.b64decode(data["image/png"])
    assert png.startswith(b"\x89PNG")
    assert len(png) < 40_000


def test_same_bytes_every_time_and_with_pyplot():
    first = viz.jacobian(J, v=[1, 10, 100])
    again = first.png()
    import matplotlib.pyplot  # noqa: F401  (some notebooks load it, and it changes how figures are drawn)

    assert first.png() == again == viz.jacobian(J, v=[1, 10, 100]).png()


def test_without_matplotlib_one_sentence():
    without = {name: None for name in sys.modules if name.split(".")[0] == "matplotlib"}
    message = "needs matplotlib: pip install matplotlib"
    with (
        mock.patch.dict(sys.modules, without | {"minigrad.viz.figure": None}),
        pytest.raises(ImportError, match=message),
    ):
        viz.jacobian(J)


def test_a_tensor_will_do():
    import minigrad as mg

    assert viz.jacobian(mg.tensor([[1.0, 2.0]]), v=mg.tensor([3.0])).alt.endswith("v = [3]: vᵀJ = [3 6]")
