"""All pictures as a reader sees them: no text leaves its picture or its box, and none is too small on a phone."""

from __future__ import annotations

import base64
import io

import numpy as np
import pytest
from PIL import Image
from test_viz_browser import browser  # noqa: F401

from minigrad.viz.drawing import image
from minigrad.viz.figure import Plot
from tools import contact

pytestmark = pytest.mark.browser


@pytest.mark.weekly
@pytest.mark.parametrize("width", contact.WIDTHS)
def test_all_text_can_be_read(browser, width: int) -> None:  # noqa: F811
    page = contact.open_page(browser, list(contact.pictures()), "light", width)
    assert contact.troubles(page) == []
    page.close()


def test_troubles_are_seen(browser) -> None:  # noqa: F811
    texts = '<text x="90" y="20" font-size="16">leaves</text><text x="12" y="50" font-size="8">small</text>'
    texts += '<rect x="10" y="60" width="20" height="20"/><text x="12" y="75" font-size="14">wide</text>'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" width="100" height="100" viewBox="0 0 100 100">{texts}</svg>'
    page = contact.open_page(browser, [("here", image(svg, "words"))], "light", 390)
    told = contact.troubles(page)
    assert [line.rpartition(" ")[0] if "by" in line else line for line in told] == [
        'here: "leaves" leaves the picture by', 'here: "small" has 8.0 px', 'here: "wide" leaves its box by',
    ]  # fmt: skip
    page.close()


def test_a_picture_is_enlarged_by_mouse_and_by_keyboard(browser) -> None:  # noqa: F811
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50"><rect width="100" height="50"/></svg>'
    page = contact.open_page(browser, [("here", image(svg, 'a "picture"'))], "dark", 900)
    picture, dialog = page.get_by_role("button", name='Enlarge: a "picture"'), page.get_by_role("dialog")
    picture.click()
    large = dialog.locator("img").bounding_box()
    assert large["width"] > 800 and dialog.locator("img").get_attribute("alt") == 'a "picture"'
    assert dialog.locator("img").evaluate("e => e.style.colorScheme") == "dark"
    page.keyboard.press("Escape")
    dialog.wait_for(state="detached")
    picture.focus()
    page.keyboard.press("Enter")
    dialog.click()
    dialog.wait_for(state="detached")
    assert base64.b64encode(svg.encode()).decode() in picture.get_attribute("src")
    page.close()


@pytest.mark.parametrize("theme", contact.THEMES)
def test_panels_and_the_paper_between_them_are_as_dark_as_the_page(browser, theme: str) -> None:  # noqa: F811
    plot = Plot(7.0, 3.0, "two panels")
    for ax in plot.subplots(1, 2):
        ax.plot([0, 1], [0, 1])
    page = contact.open_page(browser, [("here", plot.html)], theme, 900)
    for element in (*page.query_selector_all("img"), page.query_selector("img").query_selector("xpath=..")):
        look = np.asarray(Image.open(io.BytesIO(element.screenshot())).convert("L"))
        assert (np.median(look) < 80) == (theme == "dark")
    page.close()
