"""Pictures in the notebooks: another processor's pixels rewrite nothing, another picture does."""

import base64
import io

import nbformat
import numpy as np
import pytest
from PIL import Image

from minigrad.viz.style import both_themes
from tools import build

SIDE = 250  # so that 625 pixels may differ, one of them by much


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels.astype(np.uint8)).save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def drawing(changed=0, by=0, side=SIDE):
    pixels = np.full((side, side, 3), 100)
    pixels.reshape(-1, 3)[:changed, 1] += by
    return png(pixels)


def notebook(picture, alt="a curve", source="plot()", note=""):
    """The text of a product with one picture."""
    shown = nbformat.v4.new_output("display_data", {"image/png": picture, "text/plain": alt}, metadata={"image/png": {"alt": alt}})
    cells = [
        nbformat.v4.new_markdown_cell(f"# Pictures {note}", id="title"),
        nbformat.v4.new_code_cell(source, id="plot", outputs=[shown], execution_count=1),
    ]
    nb = nbformat.v4.new_notebook(cells=cells)
    return build.sealed(nb)


def picture_of(text):
    return nbformat.reads(text, as_version=4).cells[1].outputs[0].data["image/png"]


@pytest.fixture(params=["as the notebooks were drawn", "other versions"])
def pinned(request, monkeypatch):
    here = request.param != "other versions"
    monkeypatch.setattr(build, "same_drawing_here", lambda: here)
    return here


@pytest.fixture
def drawn_here(monkeypatch):
    monkeypatch.setattr(build, "same_drawing_here", lambda: True)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (drawing(), True),
        (drawing(625, 64), True),
        (drawing(625, -64), True),
        (drawing(1, 155), True),
        (drawing(SIDE * SIDE, 8), True),
        (drawing(626, 9), False),
        (drawing(2, 65), False),
        (drawing(2, -65), False),
        (drawing(side=SIDE + 1), False),
        ("bm8gcGljdHVyZQ==", False),
        ("?", False),
    ],
)
def test_the_tolerance(other, same):
    assert build.alike(drawing(), other) is build.alike(other, drawing()) is same


def test_opacity_counts():
    clear = np.full((SIDE, SIDE, 4), 255)
    half = clear.copy()
    half[..., 3] = 128
    assert not build.alike(png(clear), png(half))


def test_a_difference_of_the_processor_changes_no_byte(tmp_path, pinned):
    old, new = notebook(drawing()), notebook(drawing(3, 7))
    assert old != new
    (tmp_path / "page.ipynb").write_text(old)
    assert build.keep_pictures(old, new) == old
    assert build.write(tmp_path, "page.ipynb", new) is None
    assert (tmp_path / "page.ipynb").read_text() == old


def plot(path, alt="a curve", colour="#0072b2", word="x", inside="", dark="#4fa8e0"):
    drawing = (
        f'<svg viewBox="0 0 200 100" ><style>[stroke="{colour}"]{{stroke:{dark}}}</style>'
        f'<path d="{path}" stroke="{colour}"/><text x="9" y="9" fill="#000">{word}</text>'
        f'<image href="data:image/png;base64,{inside or png(np.zeros((9, 9, 3)))}"/></svg>'
    )
    data = base64.b64encode(drawing.encode()).decode()
    return f'<div><img class="plot" alt="{alt}" src="data:image/svg+xml;base64,{data}"></div>'


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (plot("M10 20L110 60"), True),
        (plot("M10 20.9L110 60.9"), True),
        (plot("M10 20L60 40L110 60"), True),
        (plot("M10 23L110 63"), False),
        (plot("M10 20L110 66"), False),
        (plot("M10 20L60 40"), False),
        (plot("M10 20L110 60M10 80L40 80"), False),
        (plot("M10 20L110 60", colour="#b85c00"), False),
        (plot("M10 20L110 60", dark="#93a3b5"), False),
        (plot("M10 20L110 60", word="y"), False),
        (plot("M10 20L110 60", inside=png(np.full((9, 9, 3), 99))), False),
        (plot("M10 20L110 60", "another curve"), False),
        ("<p>no plot</p>", False),
    ],
)
def test_the_tolerance_of_plots(other, same):
    here = plot("M10 20L110 60")
    assert build.alike_plots(here, other) is build.alike_plots(other, here) is same


def test_colours_that_change_places_are_another_plot():
    """Which of two lines is which, a colour says."""
    lines = '<svg viewBox="0 0 9 9"><path d="M1 1L9 1" stroke="{}"/><path d="M1 5L9 5" stroke="{}"/></svg>'
    one, two = (both_themes(lines.format(*colours)) for colours in (("#0072b2", "#b85c00"), ("#b85c00", "#0072b2")))
    assert build.alike_drawings(one, one) and not build.alike_drawings(one, two)


def test_another_font_may_cut_the_panels_of_a_plot_elsewhere():
    one, two = (plot("M10 20L110 60").replace("alt=", f'style="width: {width}px; max-width: 100%" alt=') for width in (300, 301))
    assert build.without_plot(one) == build.without_plot(two) != build.without_plot(plot("M10 20L110 60", "another curve"))


def test_a_plot_that_differs_by_the_last_digit_changes_no_byte(drawn_here):
    def page(html):
        nb = nbformat.reads(notebook(drawing()), as_version=4)
        nb.cells[1].outputs[0].data = {"text/html": html, "text/plain": "a curve"}
        return build.sealed(nb)

    old, near, far = (page(plot(f"M10 20L110 {y}")) for y in (60, 60.5, 70))
    assert build.keep_pictures(old, near) == old and build.keep_pictures(old, far) == far


def test_another_picture_is_stale_and_written(tmp_path, drawn_here):
    old, new = notebook(drawing()), notebook(drawing(3, 70))
    (tmp_path / "page.ipynb").write_text(old)
    assert build.write(tmp_path, "page.ipynb", new) == "built page.ipynb"
    assert (tmp_path / "page.ipynb").read_text() == new


def test_other_versions_leave_the_picture(monkeypatch):
    monkeypatch.setattr(build, "same_drawing_here", lambda: False)
    assert build.keep_pictures(notebook(drawing()), notebook(drawing(999, 99))) == notebook(drawing())


@pytest.mark.parametrize("change", [{"alt": "another curve"}, {"source": "plot(2)"}])
def test_other_versions_renew_a_picture_whose_cell_or_words_changed(monkeypatch, change):
    monkeypatch.setattr(build, "same_drawing_here", lambda: False)
    new = notebook(drawing(999, 99), **change)
    assert build.keep_pictures(notebook(drawing()), new) == new


def test_where_the_text_changed_the_picture_keeps_its_bytes(tmp_path, pinned):
    (tmp_path / "page.ipynb").write_text(notebook(drawing()))
    build.write(tmp_path, "page.ipynb", notebook(drawing(3, 7), note="and more"))
    written = (tmp_path / "page.ipynb").read_text()
    assert written == notebook(drawing(), note="and more"), "the checksum is that of the bytes that were stored"
    assert not build.edited(build.parse(written))


def test_an_edited_notebook_is_renewed_with_the_committed_picture(tmp_path, drawn_here):
    mine = notebook(drawing()).replace("# Pictures", "# My pictures")
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "page.ipynb").write_text(mine)
    told = build.write(tmp_path, "notebooks/page.ipynb", notebook(drawing(3, 7)))
    assert "that version is kept in work/edited/" in told
    assert picture_of((tmp_path / "notebooks" / "page.ipynb").read_text()) == drawing()
