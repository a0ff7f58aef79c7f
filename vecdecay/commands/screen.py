"""What people read: aligned tables, wrapped paragraphs, numbers with as many digits as they carry.

Everything is plain text of at most 80 columns without trailing blanks, the same on a terminal and in a pipe.
"""

import codecs
import math
import sys
import textwrap
from collections.abc import Iterable, Sequence

from vecdecay.analysis.summaries import MetricSummary
from vecdecay.quantities import Metric

WIDTH = 80
CONSTANT_MARK = "="
NOTHING = "–"

_PLAIN = {"≥": ">=", "≤": "<=", "–": "-", "…": "...", "×": "x", "−": "-", "→": "->", "█": "#", "·": ".", "µ": "u"}


def _plain_characters(error: UnicodeError) -> tuple[str, int]:
    """Replace what a narrow encoding lacks by what comes nearest, where Python would stop the program."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character, "?") for character in lacking), error.end


codecs.register_error("vecdecay.plain", _plain_characters)


def write_anywhere() -> None:
    """Let both streams print every character, also where the terminal's encoding knows few."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="vecdecay.plain")


def show(lines: Iterable[str]) -> None:
    """Print lines on the standard output."""
    for line in lines:
        sys.stdout.write(f"{line}\n")


def note(line: str) -> None:
    """Print a line on the standard error; a closed one is no reason to stop."""
    if sys.stderr is not None:
        sys.stderr.write(f"{line}\n")
        sys.stderr.flush()


def paragraph(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """Return the text wrapped to the width; ``first`` starts the first line and ``rest`` all others.

    >>> paragraph("every session gave the same value", first="= ")
    ['= every session gave the same value']
    """
    indent = " " * len(first) if rest is None else rest
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """Return the lines of an aligned table; the first ``left`` columns are text, the others numbers.

    A title may hold line breaks. Marks behind a number stay outside its alignment.

    >>> print("\\n".join(table(["policy", "rate"], [["keep_all", "1"], ["window", "0.25 ="]])))
    policy    rate
    --------  ------
    keep_all     1
    window    0.25 =
    """
    body = [[*row[:left], *row[left:]] for row in rows]
    for column in range(left, len(header)):
        aligned = _aligned([row[column] for row in body])
        for row, text in zip(body, aligned, strict=True):
            row[column] = text
    titles = [title.split("\n") for title in header]
    height = max(len(title) for title in titles)
    tops = [[""] * (height - len(title)) + title for title in titles]
    widths = [
        max(len(text) for text in [*top, *(row[column] for row in body)])
        for column, top in enumerate(tops)
    ]
    head = [[top[level] for top in tops] for level in range(height)]
    rule = ["-" * width for width in widths]
    numbers = [text for text in body]
    return [_line(row, widths, left) for row in [*head, rule, *numbers]]


def width_of(lines: Iterable[str]) -> int:
    """Return the length of the longest line."""
    return max((len(line) for line in lines), default=0)


def _aligned(texts: Sequence[str]) -> list[str]:
    """Right-align the numbers and leave what follows the first blank (an interval, a mark) to their right."""
    parts = [text.partition(" ") for text in texts]
    number_width = max((len(number) for number, _, _ in parts), default=0)
    more_width = max((len(more) for _, _, more in parts), default=0)
    return [
        f"{number:>{number_width}}" + (f" {more:<{more_width}}" if more_width else "") for number, _, more in parts
    ]


def _line(cells: Sequence[str], widths: Sequence[int], left: int) -> str:
    padded = [
        f"{cell:<{width}}" if column < left or not cell[:1].isspace() else f"{cell:>{width}}"
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(padded).rstrip()
