"""The picture of a Jacobian: what it says in words, what it refuses; that it is small and always the same."""

import base64
import html
import io
import re
import sys
from unittest import mock
from xml.etree import ElementTree

import numpy as np
import pytest

from minigrad import viz
from minigrad.viz import style

pytest.importorskip("matplotlib")
pytest.importorskip("IPython")

J = [[2, 1, 0, 0], [0, 3, 2, 0], [0, 0, 4, 3]]


def shown(picture):
    """What a notebook would be given: data and metadata."""
    with mock.patch("IPython.display.display") as display:
        picture._ipython_display_()
    assert display.call_args.kwargs["raw"] is True
    return display.call_args.args[0], display.call_args.kwargs.get("metadata", {})


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


def test_fractions_have_as_many_digits_as_the_longest_has_room_for():
    for table, written in (([[0.8251, -0.2271]], ["0.83", "-0.23"]), ([[0.8251, 12.5]], ["0.825", "12.5"])):
        plot = viz.jacobian(table)
        assert texts(plot) == written and " ".join(written) in plot.alt


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


def test_a_notebook_gets_a_small_svg_with_alt_text():
    picture = viz.jacobian(J, v=[2, -1, 3])
    data, metadata = shown(picture)
    assert data["text/plain"] == picture.alt and not metadata and set(data) == {"text/html", "text/plain"}
    (element,) = re.findall("<img [^>]*>", data["text/html"])
    assert html.unescape(re.search('alt="([^"]*)"', element)[1]) == picture.alt
    drawing = base64.b64decode(re.search(r"base64,([\w+/=]+)", element)[1]).decode()
    assert drawing == picture.svg() and len(drawing) < 20_000


@pytest.mark.parametrize("columns, v", [(6, True), (8, False), (9, True), (10, False)])
def test_a_table_of_few_columns_fits_on_a_phone(columns, v):
    """Of 390 pixels a page of a notebook leaves 358."""
    picture = viz.jacobian(np.ones((3, columns)), v=[1, 2, 3] if v else None)
    assert int(re.search(r"min-width: (\d+)px", picture.html)[1]) <= 358


def test_panels_are_pieces_that_go_one_below_the_other_on_a_phone():
    """Beside each other they are the whole figure, and nothing in it is there twice."""
    picture = viz.jacobian(J, v={"ones": [1, 1, 1], "one-hot": [0, 1, 0], "weights": [2, -1, 3]})
    pieces = [base64.b64decode(data).decode() for data in re.findall(r"base64,([\w+/=]+)", picture.html)]
    boxes = [[float(v) for v in re.search('viewBox="([^"]*)"', piece)[1].split()] for piece in pieces]
    assert len(boxes) == 3 and max(width for _, _, width, _ in boxes) < 72 * 3.9  # points
    looks = re.findall(r'style="flex: (\d+) (\d+)px; width: (\d+)px', picture.html)
    assert len({width for _, _, width, _ in boxes}) == len(set(looks)) == 1  # so the three are shown at one scale, wherever they stand
    assert 0 <= sum(width for _, _, width, _ in boxes) - 72 * picture.get_figwidth() + 0.6 < 40
    words = [re.findall(">([^<>]+)</text>", drawing) for drawing in (picture.svg(), *pieces)]
    assert words[0] == sum(words[1:], [])
    picture.suptitle("this belongs to no piece")
    assert picture.html.count("<img") == 1


def test_rows_of_panels_are_pieces_where_a_row_is_too_long():
    from minigrad.viz.figure import Plot

    counts = {}
    for width in (3.0, 7.0):
        picture = Plot(width, 4.0, "four panels")
        for ax in picture.subplots(2, 2).flat:
            ax.plot([1, 2], "o")
        pieces = [base64.b64decode(data).decode() for data in re.findall(r"base64,([\w+/=]+)", picture.html)]
        for piece in pieces:  # each has what it refers to, and nothing else
            names = set(re.findall(r'\bid="(\w+)"', piece))
            assert names and names == set(re.findall(r'(?:href="|url\()#(\w+)', piece))
        counts[width] = len(pieces)
    assert counts == {3.0: 1, 7.0: 4}


def test_a_cloud_of_points_is_a_png():
    cloud = viz.fit([0.0], [0.0])
    cloud.axes[0].scatter(*np.random.default_rng(0).normal(size=(2, 601)))
    data, metadata = shown(cloud)
    assert base64.b64decode(data["image/png"]).startswith(b"\x89PNG") and "text/html" not in data
    assert metadata["image/png"]["alt"] == data["text/plain"]
    assert "image/png" not in shown(viz.fit(np.arange(601), np.arange(601)))[0]


def test_a_picture_of_pixels_keeps_them_as_they_are():
    from PIL import Image

    table = np.arange(30 * 50).reshape(30, 50) % 7
    drawing = viz.jacobian(table).svg()
    (element,) = re.findall("<image [^>]*>", drawing)
    assert "image{filter:invert" in drawing  # on a dark page
    assert 'image-rendering="pixelated"' in element
    with Image.open(io.BytesIO(base64.b64decode(re.search('base64,([^"]+)', element)[1]))) as image:
        assert image.size == (50, 30)


def test_a_photo_stays_as_it_is_on_a_dark_page():
    picture = viz.fit([0.0], [0.0])
    picture.axes[0].imshow([[0.0, 1.0]], gid="photo")
    drawing = picture.svg()
    assert re.search(r'<image [^>]*class="photo"', drawing) and "invert" not in drawing


def test_each_colour_of_a_plot_has_a_dark_form_and_numbers_are_short():
    drawing = viz.losses({"a": [1.0, 0.5, 1e-4], "b": [2.0, 1.0, 1e-3]}).svg()
    used = set(re.findall(r'\b(fill|stroke)="(#[0-9a-f]{6})"', drawing))
    rules = dict(re.findall(r'\[((?:fill|stroke)="#[0-9a-f]{6}")\]\{((?:fill|stroke):#[0-9a-f]{6})\}', drawing))
    assert {f'{what}="{colour}"' for what, colour in used} == set(rules) and len(used) > 6
    assert not re.search(r"\d\.\d\d", drawing) and "style=" not in drawing
    root = ElementTree.fromstring(drawing)
    names = {element.get("id") for element in root.iter()} - {None}
    assert names == set(re.findall(r'(?:href="|url\()#(\w+)', drawing))
    written = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "10⁻⁴" in written and "step" in written and {"a", "b"} < set(written)


def test_lines_are_named_at_their_ends_and_names_keep_apart():
    picture = viz.losses({"one": [1.0, 2.0, 3.0], "another": [3.0, 2.0, 3.0], "low": [1.0, 1.0, 1.0]}, log=False)
    (ax,) = picture.axes
    height = {text.get_text(): text.xy[1] for text in ax.texts}
    assert ax.get_legend() is None and set(height) == {"one", "another", "low"}
    ends = {line.get_label(): line.get_ydata()[-1] for line in ax.get_lines()}
    share = {name: (end - ax.get_ylim()[0]) / np.ptp(ax.get_ylim()) for name, end in ends.items()}
    assert np.isclose(height["low"], share["low"]) and np.isclose((height["one"] + height["another"]) / 2, share["one"])
    room = abs(height["one"] - height["another"]) * 72 * picture.get_figheight() * ax.get_position().height
    assert np.isclose(room, 1.3 * 9)  # points: a line of text
    assert {text.get_color() for text in ax.texts} == {line.get_color() for line in ax.get_lines()}


def test_a_short_logarithmic_axis_has_more_than_one_number():
    for low, high in [(0.015, 0.25), (0.15, 0.9), (0.3, 40.0), (2.0, 9.0), (1e-4, 3e-2)]:
        picture = viz.losses({"loss": [high, low]}, log=True)
        picture.png()
        axis = picture.axes[0].yaxis
        bottom, top = axis.get_view_interval()
        marks = [*axis.get_major_ticks(), *axis.get_minor_ticks()]
        assert sum(bool(mark.label1.get_text()) and bottom <= mark.get_loc() <= top for mark in marks) > 1, (low, high)


def test_a_logarithmic_axis_has_one_kind_of_number():
    for low, high, plain in [(0.02, 30.0, True), (0.02, 3000.0, True), (2e-4, 3.0, False), (0.2, 3e4, False)]:
        picture = viz.losses({"loss": [high, low]}, log=True)
        picture.png()
        axis = picture.axes[0].yaxis
        bottom, top = axis.get_view_interval()
        words = [mark.label1.get_text() for mark in axis.get_major_ticks() if bottom <= mark.get_loc() <= top]
        assert len(words) > 2 and all(word.startswith("10") and word[2:].strip("0") for word in words) is not plain, words
        assert not plain or [float(word) for word in words]


def test_weights_of_every_size_have_a_colour():
    def colours(v):
        patches = viz.jacobian([[1], [1], [1]], v=v).axes[0].patches
        return [patch.get_facecolor() for patch in patches if patch.get_x() < -1 and patch.get_fill()]

    one, ten, hundred = (sum(colour[:3]) for colour in colours([1, 10, 100]))
    assert one < 2.95 and np.isclose(one - ten, ten - hundred, atol=0.02)  # white is 3, and equal factors are equal steps
    assert colours([1, 2, 3])[0] == colours([10, 20, 30])[0] and sum(colours([0, 10, 1000])[0][:3]) == 3


def contrast(one, other):
    def light(colour):
        parts = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
        red, green, blue = (v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4 for v in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    low, high = sorted((light(one), light(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_can_be_read_on_every_paper_in_both_themes():
    papers = (style.PAPER, "#ffffff", style.BLUE_TINT, style.ORANGE_TINT)
    for text in (style.INK, style.MUTED, style.VALUE, style.SLOPE):
        for paper in papers:
            assert contrast(text, paper) > 4.5 and contrast(style.night(text), style.night(paper)) > 4.5, (text, paper)
    for line in style.COLOURS[:3]:
        assert contrast(line, style.PAPER) > 4 and contrast(style.night(line), style.night(style.PAPER)) > 4
    for value in np.linspace(-1, 1, 21):
        cell = style.signed(float(value), 1.0)
        assert contrast(style.INK, cell) > 4.5 and contrast(style.night(style.INK), style.night(cell)) > 4.5, value
    for sign in (-1, 1):  # and the larger number is the stronger colour, on dark paper too
        steps = [contrast(style.night(style.signed(sign * k / 4, 1.0)), style.night("#ffffff")) for k in range(1, 5)]
        assert all(b > 1.1 * a for a, b in zip(steps, steps[1:], strict=False)), steps
    assert style.night("#000000") > "#e0" and style.night("#ffffff") < "#30"


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
