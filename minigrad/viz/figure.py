"""A matplotlib figure that carries its own description. It needs matplotlib: import it inside functions."""

from __future__ import annotations

import base64
import io

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from PIL import Image  # comes with matplotlib


class Plot(Figure):
    """A figure with alt text, shown in a notebook as a PNG on its own white background.

    It gives the same bytes with and without pyplot. Its text form is the alt text: what a screen reader
    reads, what a terminal shows, and what a test compares.
    """

    def __init__(self, width: float, height: float, alt: str) -> None:
        super().__init__(figsize=(width, height), dpi=144, facecolor="white", layout="constrained")
        self.alt = alt

    def png(self) -> bytes:
        """64 colours are enough for flat drawings, and take a third of the space."""
        canvas = FigureCanvasAgg(self)
        canvas.draw()
        self.set_layout_engine("none")  # the layout is found; a second search would shift it by a pixel
        pixels = Image.fromarray(np.asarray(canvas.buffer_rgba())).convert("RGB")
        file = io.BytesIO()
        pixels.quantize(64, dither=Image.Dither.NONE).save(file, "PNG", optimize=True)
        return file.getvalue()

    def __repr__(self) -> str:
        return self.alt

    __str__ = __repr__

    def _ipython_display_(self) -> None:
        # This method goes before the formatter that pyplot registers for every Figure: that one drops alt.
        from IPython.display import display

        data = {"image/png": base64.b64encode(self.png()).decode(), "text/plain": self.alt}
        # The width in CSS pixels: the PNG has 1.5 times as many, for sharp screens.
        details = {"alt": self.alt, "width": round(96 * self.get_figwidth())}
        display(data, metadata={"image/png": details}, raw=True)
