"""Pictures made of characters: sparklines, bars and heat maps; ``streams`` replaces them where only ASCII is known."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from vecdecay.commands.screen import GAP, width

_SPARKS = "▁▂▃▄▅▆▇█"
_SHADES = " ░▒▓█"
_FEWEST_COLUMNS, _LONGEST_BAR = 10, 40

Values = NDArray[np.float64]


def sparkline(values: Values, columns: int) -> str:
    """Return one character per value in [0, 1], the mean of neighbours where there are more than ``columns``.

    ``values`` is (value,); NaN is a blank.

    >>> sparkline(np.array([0.0, 0.5, float("nan"), 1.0]), columns=10)
    '▁▅ █'
    """
    return "".join(_pick(_SPARKS, value) for value in _fewer(values[:, None], columns)[:, 0])


def bar(value: float | None, columns: int) -> str:
    """Return a bar of a value in [0, 1]; at 1 it is ``columns`` long.

    >>> bar(0.5, columns=8), bar(None, columns=8)
    ('████', '')
    """
    return "" if value is None else "█" * round(value * columns)


def bars(values: Mapping[str, float | None], most: float = 1.0) -> list[str]:
    """Return a line per name with its value and a bar, the longest of which stands for ``most``.

    >>> bars({"lru": 0.5, "sieve": 1.0})[0]
    'lru    0.500  ████████████████████'
    """
    longest = max(map(len, values))
    room = max(_FEWEST_COLUMNS, min(_LONGEST_BAR, width() - longest - 2 * len(GAP) - 8))
    texts = ["" if value is None else f"{value:.3f}" if most <= 1.0 else f"{value:.1f}" for value in values.values()]
    shares = [None if value is None else value / most for value in values.values()]
    digits = max(map(len, texts))
    return [
        f"{name:<{longest}}{GAP}{text:>{digits}}{GAP}{bar(share, room)}".rstrip()
        for name, text, share in zip(values, texts, shares, strict=True)
    ]


def heat_map(values: Values, row_labels: Sequence[str], column_labels: Sequence[str], most_rows: int) -> list[str]:
    """Return a line per row of values in [0, 1], darker where they are higher; NaN is a dot.

    ``values`` is (row, column). Where there are more rows or columns than there is room, neighbours are averaged.
    """
    label_width = max(map(len, row_labels))
    room = max(_FEWEST_COLUMNS, width() - label_width - len(GAP))
    fewer = _fewer(_fewer(values, most_rows).T, room).T
    wide = max(1, min(4, room // fewer.shape[1]))
    lines = []
    for number, row in enumerate(fewer):
        label = row_labels[number * len(row_labels) // len(fewer)]
        cells = "".join(("·" if value != value else _pick(_SHADES, value)) * wide for value in row)
        lines.append(f"{label:>{label_width}}{GAP}{cells}".rstrip())
    first, last = column_labels[0], column_labels[-1]
    between = " " * max(1, fewer.shape[1] * wide - len(first) - len(last))
    return [f"{'':{label_width}}{GAP}{first}{between}{last}", *lines]


def _pick(characters: str, value: float) -> str:
    """Return the character of a value; a blank for NaN."""
    if value != value:
        return " "
    return characters[min(len(characters) - 1, int(min(1.0, max(0.0, value)) * len(characters)))]


def _fewer(values: Values, most: int) -> Values:
    """Return at most so many rows: means of neighbouring rows, without their NaN."""
    if len(values) <= most:
        return values
    groups = np.array_split(values, most)
    known = [(~np.isnan(group)).sum(axis=0) for group in groups]
    sums = [np.nansum(group, axis=0) for group in groups]
    with np.errstate(invalid="ignore"):
        return np.array([one / count for one, count in zip(sums, known, strict=True)])
