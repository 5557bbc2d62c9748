"""Pictures of functions and of training: the numbers are autograd's, and the words say them."""

import sys
from unittest import mock

import numpy as np
import pytest

import minigrad as mg
from minigrad import viz

pytest.importorskip("matplotlib")
pytest.importorskip("IPython")

XS = np.linspace(-2, 2, 101)
J = [[2, 1, 0, 0], [0, 3, 2, 0], [0, 0, 4, 3]]


def lines(ax):
    return {line.get_label(): line for line in ax.get_lines() if not line.get_label().startswith("_")}


# --- curve


def test_derivatives_are_drawn():
    (ax,) = viz.curve(lambda x: x**3, XS, derivatives=4, tangents=0).axes
    drawn = lines(ax)
    assert list(drawn) == ["f(x)", "f′(x)", "f″(x)", "f‴(x)", "f⁽⁴⁾(x)"]
    for line, expected in zip(drawn.values(), (XS**3, 3 * XS**2, 6 * XS, 6 + 0 * XS, 0 * XS), strict=True):
        assert np.allclose(line.get_xdata(), XS) and np.allclose(line.get_ydata(), expected)
    assert len({(line.get_color(), str(line.get_linestyle())) for line in drawn.values()}) == 5
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x", "value")


def test_tangents_touch_the_curve_with_its_slope():
    (ax,) = viz.curve(mg.sin, XS, tangents=9).axes
    segments = [line for line in ax.get_lines() if len(line.get_xdata()) == 2]
    assert len(segments) == 9
    for line in segments:
        (a, b), (fa, fb) = line.get_xdata(), line.get_ydata()
        middle = (a + b) / 2
        assert np.isclose((fb - fa) / (b - a), np.cos(middle)) and np.isclose((fa + fb) / 2, np.sin(middle))


def test_words_and_marked_points():
    picture = viz.curve({"|x|": mg.abs, "relu": mg.relu}, XS, points=[0.0, 1.0])
    assert len(picture.axes) == 2 and [ax.get_title() for ax in picture.axes] == ["|x|", "relu"]
    assert picture.alt.splitlines()[:5] == [
        "|x|: f and its derivative for x from -2 to 2",
        "    f(x): 2 at -2, 0 at 0, 2 at 2",
        "    f′(x): -1 at -2, 0 at 0, 1 at 2",
        "    slope 0 at 0",
        "    slope 1 at 1",
    ]
    slope = lines(picture.axes[1])["f′(x)"].get_ydata()
    assert np.isnan(slope).sum() == 1  # no line across the jump
    dots = viz.curve(lambda x: 3 * x, XS, tangents=0, points=[0.0, 1.0]).axes[0].get_lines()[-1]
    assert dots.get_marker() == "o" and list(dots.get_ydata()) == [3.0, 3.0]  # at the slopes, not at the values
    assert viz.curve(mg.sin, [0.0, 1.0], derivatives=0).alt.startswith("f for x from 0 to 1")
    assert "f′" not in viz.curve(mg.sin, mg.tensor([0.0, 1.0]), derivatives=0).alt


@pytest.mark.parametrize("f", [mg.abs, mg.relu, mg.sin, lambda x: -mg.relu(x), lambda x: x * 0, lambda x: x**3])
def test_no_line_goes_through_the_words_at_a_point(f):
    picture = viz.curve(f, XS, tangents=0, points=[0.0])
    picture.png()
    (ax,) = picture.axes
    (words,) = [text for text in ax.texts if text.get_text().startswith("f′(0) = ")]
    box = words.get_window_extent()
    for line in ax.get_lines():
        (x, y), steps = ax.transData.transform(line.get_xydata()).T, np.linspace(0, 1, 1001)
        x, y = (np.interp(steps, np.linspace(0, 1, len(v)), v) for v in (x, y))
        assert not np.any((box.x0 < x) & (x < box.x1) & (box.y0 < y) & (y < box.y1))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((mg.sin, [1.0]), ValueError, "at least two numbers in rising order"),
        ((mg.sin, [1.0, 1.0]), ValueError, "rising order"),
        ((mg.sin, [[1.0, 2.0]]), ValueError, r"these have shape \(1, 2\)"),
        ((mg.sin, "ab"), ValueError, "xs must be numbers"),
        ((mg.sum, XS), ValueError, r"element by element: of x with shape \(101,\) it made \(\)"),
        ((lambda x: 3.0, XS), TypeError, "returns a tensor; this one returned float"),
        ((mg.sin, XS, -1), ValueError, "counts: 0 or more"),
    ],
)
def test_curves_that_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        viz.curve(*arguments)


# --- losses


def test_losses():
    picture = viz.losses({"SGD": [2.0, 1.0, 0.5], "Adam": mg.tensor([2.0, 0.5, 0.25])})
    assert picture.alt.splitlines() == [
        "Loss over steps", "SGD: 2 at step 0, 0.5 at step 2", "Adam: 2 at step 0, 0.25 at step 2"
    ]  # fmt: skip
    (ax,) = picture.axes
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_yscale()) == ("step", "loss", "linear")
    assert [list(line.get_ydata()) for line in lines(ax).values()] == [[2, 1, 0.5], [2, 0.5, 0.25]]
    steep = viz.losses({"a": [mg.tensor(1.0, requires_grad=True), mg.tensor(1e-4)]})
    assert steep.axes[0].get_yscale() == "log" and steep.alt.startswith("Loss over steps, on a logarithmic axis")
    assert viz.losses({"a": [1.0, 1e-4]}, log=False).axes[0].get_yscale() == "linear"
    assert viz.losses({"a": [1.0, 0.0]}).axes[0].get_yscale() == "linear"


def test_steps_are_whole_and_may_have_another_name():
    picture = viz.losses({"a": [2.0, 1.0, 0.5]}, unit="epoch")
    assert picture.alt == "Loss over epochs\na: 2 at epoch 0, 0.5 at epoch 2"
    (ax,) = picture.axes
    assert ax.get_xlabel() == "epoch" and all(float(place).is_integer() for place in ax.get_xticks())


def test_losses_that_are_not_numbers_any_more():
    picture = viz.losses({"wild": [1.0, np.inf, np.nan]})
    assert picture.alt.endswith("wild: 1 at step 0, nan at step 2; 2 of 3 are not finite and not drawn")
    assert picture.png().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("curves", "message"),
    [
        ([1.0, 2.0], "takes a dict"),
        ({}, "at least one list"),
        ({"a": []}, r"the losses of 'a' are at least one number.*\(0,\)"),
        ({"a": 3.0}, r"these have shape \(\)"),
        ({"a": ["x"]}, "a must be numbers"),
    ],
)
def test_losses_that_are_refused(curves, message):
    with pytest.raises(ValueError, match=message):
        viz.losses(curves)


# --- paths


def rosenbrock(x):
    return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2


def test_paths():
    tracks = {"descent": [[-1.2, 1.0], [-1.0, 1.1]], "Newton": mg.tensor([[-1.2, 1.0], [-1.2, 1.4], [1.0, 1.0]])}
    picture = viz.paths(rosenbrock, tracks, xlim=(-2, 2), ylim=(-1, 3))
    assert picture.alt.splitlines() == [
        "Contour lines of f for x[0] from -2 to 2 and x[1] from -1 to 3",
        "descent: 1 step from (-1.2, 1) to (-1, 1.1)",
        "Newton: 2 steps from (-1.2, 1) to (1, 1)",
    ]
    (ax,) = picture.axes
    drawn = lines(ax)
    assert np.allclose(drawn["Newton"].get_xydata(), tracks["Newton"].numpy())
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_xlim(), ax.get_ylim()) == ("x[0]", "x[1]", (-2, 2), (-1, 3))
    back = viz.paths(rosenbrock, {"a": [[1.0, 1.0], [0.0, 0.0]], "b": [[1.0, 1.0], [0.1, 0.0]]}).axes[0]
    names = {text.get_text(): text.xy for text in back.texts}  # each at a point of its own way
    assert np.allclose([names["start"], names["a"], names["b"]], [[1.0, 1.0], [0.0, 0.0], [0.1, 0.0]])
    assert len(viz.paths(rosenbrock, {"a": [[0.0, 0.0]]}, xlim=(-1, 1), ylim=(-1, 1)).axes[0].texts) == 2
    free = viz.paths(rosenbrock, {"a": [[0.0, 0.0], [1.0, 1.0]]}).axes[0]
    assert free.get_xlim() == (-0.15, 1.15)


def test_the_steps_of_a_short_way_are_numbered_and_a_part_is_drawn_larger():
    short, long = [[-1.2, 1.0], [0.0, -1.0], [1.0, 0.95], [1.0, 1.0]], [[-1.2, 1.0 + k / 100] for k in range(50)]
    whole, part = viz.paths(rosenbrock, {"short": short, "long": long}, zoom=((-1.3, -1.1), (0.9, 1.1))).axes
    assert {text.get_text() for text in whole.texts} == {"start", "short", "long", "1", "2, 3"}
    assert (part.get_xlim(), part.get_ylim()) == ((-1.3, -1.1), (0.9, 1.1))


HEIGHTS = [
    rosenbrock,
    lambda x: x[0] * 0 + x[:1].sum(),  # takes a whole grid, and makes something else of it
    lambda x: (x * x).sum(),
    lambda x: mg.tensor([[2.0, 0.0], [0.0, 1.0]]).mv(x).sum(),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("f", HEIGHTS)
def test_heights_are_those_of_f(f):
    from minigrad.viz.curves import _heights

    x, y = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-2, 2, 11))
    expected = [[f(mg.tensor([a, b], dtype=mg.float32)).item() for a, b in zip(r, s, strict=True)] for r, s in zip(x, y, strict=True)]
    assert np.allclose(_heights(f, x, y), expected, rtol=1e-5)


def test_paths_that_left_the_plane():
    picture = viz.paths(rosenbrock, {"wild": [[0.0, 0.0], [np.inf, np.nan], [2.0, 1.0]]})
    assert picture.alt.endswith("wild: 1 step from (0, 0) to (2, 1); 1 points are not finite and not drawn")
    assert viz.paths(lambda x: x.sum() * 0, {"flat": [[0.0, 0.0]]}).png()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"tracks": {"a": [1.0, 2.0]}}, r"the points of 'a' have shape \(k, 2\); these have \(2,\)"),
        ({"tracks": [[0.0, 0.0]]}, "paths takes a dict of points"),
        ({"tracks": {}}, "without tracks, xlim and ylim"),
        ({"tracks": {"a": [[0.0, 0.0]]}, "xlim": (1, 1)}, "a lower and a higher number, not 1 and 1"),
    ],
)
def test_paths_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        viz.paths(rosenbrock, **arguments)
    with pytest.raises(ValueError, match=r"one number of a tensor of shape \(2,\); this one made \(2,\)"):
        viz.paths(lambda x: x * 2, {"a": [[0.0, 0.0]]})


# --- how a Jacobian is filled


def test_a_jacobian_is_filled():
    from matplotlib.colors import to_rgba

    from minigrad.viz.style import MARK

    picture = viz.jacobian(J, fill=["rows", "columns", "all"])
    assert picture.alt.splitlines()[1:] == [
        "by rows: 2 of 3 passes made, each a vector-Jacobian product",
        "by columns: 2 of 4 passes made, each a Jacobian-vector product",
        "all rows at once: 1 of 1 pass made, each a batched pass",
    ]
    written = [[t.get_text() for t in ax.texts] for ax in picture.axes]
    assert written == [
        [*(str(v) for row in J[:2] for v in row), "next"],
        [*(str(v) for row in J for v in row[:2]), "next"],
        [str(v) for row in J for v in row],
    ]  # fmt: skip
    outlined = [[p.get_bbox().bounds for p in ax.patches if p.get_edgecolor() == to_rgba(MARK)] for ax in picture.axes]
    assert outlined == [[(0, 2, 4, 1)], [(2, 0, 1, 3)], []]
    for filled in (0, 3):
        (ax,) = viz.jacobian(J, fill="rows", filled=filled).axes
        assert len(ax.texts) == 4 * filled + (filled < 3)  # and "next"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fill": "diagonal"}, "fill is 'rows', 'columns', 'all', or a list"),
        ({"fill": []}, "fill is 'rows'"),
        ({"fill": "rows", "filled": 4}, "filled is between 0 and 3 here, not 4"),
        ({"fill": "rows", "v": [1, 1, 1]}, "give one of the two"),
        ({"J": np.zeros((0, 3))}, r"is not empty; this J has shape \(0, 3\)"),
        ({"filled": 2}, 'filled goes with fill="rows"'),
    ],
)
def test_fillings_that_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        viz.jacobian(**{"J": J} | arguments)


# --- all of them

PICTURES = {
    "curve": lambda: viz.curve(mg.sin, XS),
    "losses": lambda: viz.losses({"SGD": [2.0, 1.0], "Adam": [2.0, 0.5]}),
    "paths": lambda: viz.paths(rosenbrock, {"a": [[0.0, 0.0], [1.0, 1.0]]}),
    "jacobian": lambda: viz.jacobian(J, fill="rows"),
}


@pytest.mark.full
@pytest.mark.parametrize("name", PICTURES)
def test_same_bytes_small_and_opaque(name):
    import io

    from PIL import Image

    first, again = PICTURES[name]().png(), PICTURES[name]().png()
    assert first == again and len(first) < 80_000
    image = Image.open(io.BytesIO(first))
    assert image.convert("RGBA").getpixel((1, 1)) == (252, 252, 250, 255)
    drawn = PICTURES[name]().svg()
    assert drawn == PICTURES[name]().svg() and len(drawn) < 40_000
    assert repr(PICTURES[name]()) == PICTURES[name]().alt


@pytest.mark.parametrize("name", PICTURES)
def test_without_matplotlib_one_sentence(name):
    without = {module: None for module in sys.modules if module.split(".")[0] == "matplotlib"}
    with (
        mock.patch.dict(sys.modules, without | {"minigrad.viz.figure": None}),
        pytest.raises(ImportError, match="needs matplotlib: pip install matplotlib"),
    ):
        PICTURES[name]()


@pytest.mark.torch
def test_tensors_with_history_are_numbers_too():
    import torch

    for of in (mg.tensor, torch.tensor):
        w = of([1.0, 2.0], requires_grad=True)
        assert "[1 2]" in viz.jacobian([[1, 2]], v=[1]).alt and "1 2" in viz.jacobian(w[None] * 1).alt
        assert viz.losses({"a": [w[0], w[1]], "b": w}).alt.endswith("b: 1 at step 0, 2 at step 1")


def test_functions_leave_nothing_behind():
    w = mg.tensor(2.0, requires_grad=True)
    viz.curve(lambda x: w * x, XS)
    viz.paths(lambda x: (w * x).sum(), {"a": [[0.0, 0.0], [1.0, 1.0]]})
    assert w.grad is None and mg.is_grad_enabled()
