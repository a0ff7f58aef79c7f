"""What all pictures share: colours, axes, labels beside what they name. Matplotlib is imported on first use."""

import math
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal
from warnings import catch_warnings, filterwarnings

from vecdecay.errors import VecdecayError
from vecdecay.quantities import Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, MUTED, LINE = "#1c1c1e", "#5f6368", "#d5d8dc"
PALETTE = ("#0072b2", "#c2410c", "#00795a", "#a3407f", "#8a6100", "#5b52c7")
"""Colours for up to six things; Okabe and Ito (2008), "Color universal design", darkened for text on white."""
SCALE = "viridis"
WIDTH, HEIGHT = 4.9, 3.3  # inches: what is 10 points here is readable on a telephone
_DASHES = ("-", (0, (5, 1.5)), (0, (1.5, 1.5)))
_LETTERS_PER_INCH = 11.0
_LABEL_ROOM = 0.062  # of the height of a picture, per label at its right


@dataclass(frozen=True)
class Caption:
    """What a picture shows: ``title`` names it, ``message`` says in a sentence what is to be seen in it."""

    title: str
    message: str


@dataclass(frozen=True)
class Label:
    """A text that belongs to a point (x, y) of the data."""

    x: float
    y: float
    text: str
    colour: str = INK


def colour(number: int) -> str:
    """Return the colour of the n-th of several things."""
    return PALETTE[number % len(PALETTE)]


def dashes(number: int) -> Any:
    """Return the line style of the n-th of several things, which differ by it where their colours repeat."""
    return _DASHES[number // len(PALETTE) % len(_DASHES)]


def require_matplotlib() -> None:
    """Raise VecdecayError, with what is to be installed, where Matplotlib is missing."""
    try:
        import matplotlib as _  # noqa: F401, ICN001
    except ImportError as error:
        raise VecdecayError(
            "pictures need the package matplotlib; install it with: pip install 'vecdecay[report]'"
        ) from error


@contextmanager
def drawing() -> Iterator[None]:
    """Draw with the same settings whatever a person's own are: names are text and no formulas, SVG is deterministic."""
    require_matplotlib()
    from matplotlib import rc_context

    settings: Any = {
        "text.parse_math": False,
        "font.family": ["DejaVu Sans"],
        "font.size": 10.0,
        "axes.titlesize": 10.0,
        "axes.formatter.use_mathtext": False,
        "axes.unicode_minus": True,
        "svg.fonttype": "none",
        "svg.hashsalt": "vecdecay",
        "path.simplify": True,
    }
    with catch_warnings(), rc_context(settings):
        # A reader's own fonts have the glyphs that Matplotlib's lacks.
        filterwarnings("ignore", message="Glyph .* missing from")
        filterwarnings("ignore", message="constrained_layout not applied")
        yield


def new_figure(width: float = WIDTH, height: float = HEIGHT) -> "Figure":
    """Return an empty figure that nothing shows by itself; sizes are in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def axis_label(metric: Metric) -> str:
    """Return the name of a metric with its unit.

    >>> from vecdecay.quantities import metric_named
    >>> axis_label(metric_named("hit_rate")), axis_label(metric_named("mean_working_set"))
    ('hit rate (share)', 'mean working set (items)')
    """
    return f"{metric.name.replace('_', ' ')} ({metric.unit})"


def dress(ax: "Axes", x_label: str, y_label: str, grid: Literal["x", "y", "both"] | None = "y") -> None:
    """Name the axes and take away what says nothing."""
    ax.set_xlabel(x_label, color=INK)
    ax.set_ylabel(y_label, color=INK)
    ax.tick_params(colors=MUTED, labelcolor=INK, length=3)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(MUTED)
    if grid:
        ax.grid(True, axis=grid, color=LINE, linewidth=0.6)
        ax.set_axisbelow(True)


def share_limits(ax: "Axes", values: Iterable[float], axis: Literal["x", "y"] = "y") -> None:
    """Show shares from 0 to 1, or closer where all lie within a fifth of that."""
    known = [value for value in values if value == value]
    low, high = min(known, default=0.0), max(known, default=1.0)
    if 0.0 < high - low < 0.2:
        room = 0.15 * (high - low)
        limits = max(-0.02, low - room), min(1.02, high + room)
    else:
        limits = -0.03, 1.03
    (ax.set_ylim if axis == "y" else ax.set_xlim)(*limits)


def plain_numbers(ax: "Axes", axis: Literal["x", "y"], logarithmic: bool) -> None:
    """Write the numbers of an axis in full, on a logarithmic one as well."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    one = ax.xaxis if axis == "x" else ax.yaxis
    if logarithmic:
        (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
        one.set_major_locator(LogLocator(subs=(1.0, 3.0), numticks=9))
        one.set_minor_formatter(NullFormatter())
    one.set_major_formatter(FuncFormatter(lambda value, _: number_text(value)))


def number_text(value: float) -> str:
    """Return a number of an axis with as few digits as it needs.

    >>> number_text(10000.0), number_text(0.30000000000000004), number_text(-2.0)
    ('10,000', '0.3', '−2')
    """
    rounded = float(f"{value:.6g}")
    text = f"{int(rounded):,}" if rounded.is_integer() and abs(rounded) < 1e15 else f"{rounded:.6g}"
    return text.replace("-", "\N{MINUS SIGN}")


def short_text(text: str, most: int = 28) -> str:
    """Return a name in one line, shortened in its middle where it is long.

    >>> short_text("a" * 40, most=9)
    'aaaa…aaaa'
    """
    line = " ".join(text.split())
    half = (most - 1) // 2
    return line if len(line) <= most else f"{line[:half]}…{line[-half:]}"


def label_at_the_right(ax: "Axes", labels: Sequence[Label]) -> None:
    """Write labels beside the right end of the picture, at the height of their points, none over another."""
    axes_of = ax.transData + ax.transAxes.inverted()
    heights_of = ((float(axes_of.transform((one.x, one.y))[1]), one) for one in labels)
    placed = sorted(heights_of, key=lambda pair: pair[0])
    heights = spread([height for height, _ in placed], _LABEL_ROOM, 1.0)
    for height, (_, one) in zip(heights, placed, strict=True):
        text = ax.text(1.02, height, short_text(one.text), color=one.colour, transform=ax.transAxes, va="center")
        text.set_clip_on(False)


def evenly(several: Sequence[Any], most: int) -> list[Any]:
    """Return at most so many of several things, the first and the last among them.

    >>> evenly(range(9), 3), evenly("ab", 3)
    ([0, 4, 8], ['a', 'b'])
    """
    step = (len(several) - 1) / (most - 1)
    return list(several) if len(several) <= most else [several[round(step * number)] for number in range(most)]


def spread(heights: Sequence[float], room: float, top: float = math.inf) -> list[float]:
    """Return ascending heights with at least so much room between them, as near to where they were as that allows.

    They stay between 0 and ``top`` where so many have room there.

    >>> [round(one, 9) for one in spread([0.5, 0.5, 0.9], 0.1)]
    [0.45, 0.55, 0.9]
    >>> [round(one, 9) for one in spread([0.95, 1.0, 1.0], 0.1, top=1.0)]
    [0.8, 0.9, 1.0]
    """
    groups: list[list[float]] = []  # of each: the centre it wants, how many are in it
    for height in heights:
        groups.append([height, 1.0])
        while True:
            half = room * (groups[-1][1] - 1) / 2
            groups[-1][0] = max(half, min(top - half, groups[-1][0]))
            if len(groups) == 1:
                break
            (lower, below), (upper, above) = groups[-2:]
            if upper - lower >= room * (below + above) / 2 - 1e-12:
                break
            groups[-2:] = [[(lower * below + upper * above) / (below + above), below + above]]
    return [centre + room * (place - (count - 1) / 2) for centre, count in groups for place in range(int(count))]


_AROUND = ((6, 0), (6, 9), (6, -9), (-6, 0), (0, 11), (0, -11), (-6, 9), (-6, -9), (14, 18), (14, -18), (-14, 18))


def label_near(ax: "Axes", labels: Sequence[Label], points: Sequence[tuple[float, float]]) -> None:
    """Write each label near its point, where it covers no other label, no point, and does not leave the picture.

    One for which there is no such place is left out; the caller lists in words what the labels would say.
    """
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]  # the layout decides where there is room
    frame = ax.get_window_extent()
    taken = [(x - 3.0, y - 3.0, x + 3.0, y + 3.0) for x, y in ax.transData.transform(list(points))] if points else []
    for one in labels:
        for right, up in _AROUND:
            text = ax.annotate(
                short_text(one.text), (one.x, one.y), (right, up), textcoords="offset points", color=one.colour,
                ha="left" if right > 0 else "right" if right < 0 else "center", va="center",
            )  # fmt: skip
            box = text.get_window_extent()
            sides = box.x0, box.y0, box.x1, box.y1
            inside = box.x0 >= frame.x0 and box.x1 <= frame.x1 + 40 and box.y0 >= frame.y0 and box.y1 <= frame.y1 + 12
            if inside and not any(_overlap(sides, other) for other in taken):
                taken.append(sides)
                break
            text.remove()


def _overlap(one: tuple[float, float, float, float], other: tuple[float, float, float, float]) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def write_caption(ax: "Axes", caption: Caption) -> None:
    """Write title and message above a picture, no wider than its column where it stands among others."""
    figure = ax.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    place = ax.get_subplotspec()
    share = place.colspan.stop / place.get_gridspec().ncols if place is not None else 1.0
    room = (share * figure.bbox.x1 - ax.get_window_extent().x0) / figure.dpi
    width = max(20, int(room * _LETTERS_PER_INCH))
    lines = [*textwrap.wrap(caption.title, width), *textwrap.wrap(caption.message, width)]
    ax.set_title("\n".join(lines), loc="left", color=INK, fontsize=10)
