"""What people read: aligned tables, wrapped paragraphs, bars; plain text, the same on a terminal and in a pipe.

Lines have at most 80 columns where the content allows it, and no trailing blanks.
"""

import contextlib
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence

WIDTH = 80
NOTHING = "–"
GAP = "  "

Cell = str | tuple[str, ...]
"""The text of one place in a table; the parts of a tuple (number, interval, mark) are aligned each for itself."""

_NUMBER = re.compile(r"[-+−]?[\d,]*\.?\d+(e[-+]?\d+)?|–|")


def show(*lines: str) -> None:
    """Print lines on the standard output, at once."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))
    sys.stdout.flush()


def tell(line: str) -> None:
    """Print a line on the standard error, at once; a closed one is no reason to stop."""
    with contextlib.suppress(OSError, ValueError):
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def paragraph(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """Return the text wrapped to the width; ``first`` starts the first line, ``rest`` (or as many blanks) the others.

    >>> paragraph("every session gave the same value", first="= ")
    ['= every session gave the same value']
    """
    others = " " * len(first) if rest is None else rest
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=others, break_long_words=False, break_on_hyphens=False
    )


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> list[str]:
    """Return the lines of an aligned table: numbers to the right, text to the left.

    A title may hold line breaks.

    >>> print("\\n".join(table(["policy", "rate", "misses"], [["a", ("1.000", "="), "0"], ["b", ("0.25", ""), "12"]])))
    policy  rate     misses
    ------  -------  ------
    a       1.000 =       0
    b        0.25        12
    """
    titles = [title.split("\n") for title in header]
    height = max(len(title) for title in titles)
    columns = []
    for number, title in enumerate(titles):
        cells = [row[number] for row in rows]
        texts = _aligned(cells)
        top = [""] * (height - len(title)) + title
        width = max(map(len, [*top, *texts]))
        to_the_right = all(_NUMBER.fullmatch(text.strip()) for text in texts)
        columns.append([f"{text:{'>' if to_the_right else '<'}{width}}" for text in [*top, *texts]])
        columns[-1].insert(height, "-" * width)
    return [GAP.join(line).rstrip() for line in zip(*columns, strict=True)]


def width_of(lines: Iterable[str]) -> int:
    """Return the length of the longest line."""
    return max(map(len, lines), default=0)


def _aligned(cells: Sequence[Cell]) -> list[str]:
    """Return one text per cell; parts of cells are padded so that like stands below like."""
    parts = [(cell,) if isinstance(cell, str) else cell for cell in cells]
    if all(len(cell) == 1 for cell in parts):
        return [cell[0] for cell in parts]
    widths = [max(len(cell[place]) for cell in parts if place < len(cell)) for place in range(max(map(len, parts)))]
    texts = []
    for cell in parts:
        padded = [
            f"{part:{'>' if place == 0 else '<'}{widths[place]}}" for place, part in enumerate(cell) if widths[place]
        ]
        texts.append(" ".join(padded).rstrip())
    return texts


def pairs(entries: Iterable[tuple[str, str]], indent: str = "  ") -> list[str]:
    """Return lines of names and their meanings, the meanings aligned and wrapped.

    >>> pairs([("age", "turns since the last touch"), ("horizon", "turns lived")])
    ['  age      turns since the last touch', '  horizon  turns lived']
    """
    listed = list(entries)
    width = max((len(name) for name, _ in listed), default=0)
    lines: list[str] = []
    for name, meaning in listed:
        lines += paragraph(meaning, f"{indent}{name:<{width}}{GAP}", " " * (len(indent) + width + len(GAP)))
    return lines
