"""Text for people: tables, wrapped paragraphs, names with meanings; the same on a terminal and in a pipe.

The width is that of the terminal, or $COLUMNS, or 80. Prose stops at 100 columns, which is as far as lines are easy to
read. A table that is too wide is shown record by record; no word is broken. Nothing is coloured.
"""

import io
import json
import re
import shutil
import textwrap
from collections.abc import Iterable, Sequence
from typing import Any

from vecdecay.commands.streams import output

GAP = "  "

Cell = str | tuple[str, ...]
"""The text of one place in a table; the parts of a tuple (number, interval, mark) are aligned each for itself."""

_NARROWEST, _USUAL, _WIDEST_PROSE = 20, 80, 100
_UNLIMITED = 1_000_000
_NO_BREAK = "\N{NO-BREAK SPACE}"
_NUMBER = re.compile(r"[-+−<>]?[\d,]*\.?\d+(e[-+]?\d+)?|\(.*\d\)|–|")


def width() -> int:
    """Return how many columns a line may have."""
    return max(_NARROWEST, shutil.get_terminal_size((_USUAL, 24)).columns)


def show(*lines: str) -> None:
    """Print lines on the standard output, at once."""
    output().write("".join(f"{line}\n" for line in lines))
    output().flush()


def show_json(data: Any) -> None:
    """Print data as JSON; what JSON has no word for, such as a time, as text."""
    show(json.dumps(data, indent=2, ensure_ascii=False, default=str))


def paragraph(text: str, first: str = "", rest: str | None = None) -> list[str]:
    """Return the text wrapped to the width; ``first`` starts the first line, ``rest`` (or as many blanks) the others.

    >>> paragraph("every session gave the same value", first="= ")
    ['= every session gave the same value']
    """
    lines = textwrap.wrap(
        as_printed(text).replace(" %", f"{_NO_BREAK}%"),
        min(width(), _WIDEST_PROSE),
        initial_indent=first,
        subsequent_indent=" " * len(first) if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(_NO_BREAK, " ") for line in lines]


def bullets(texts: Iterable[str]) -> list[str]:
    """Return the texts as entries of a list, each wrapped."""
    return [line for text in texts for line in paragraph(text, "- ")]


def command_lines(command: str) -> list[str]:
    """Return a command to be typed, indented; where it is too long, its lines end as a shell continues them.

    >>> command_lines("vecdecay run headline")
    ['  vecdecay run headline']
    """
    lines = textwrap.wrap(
        command,
        width() - 2,
        initial_indent="  ",
        subsequent_indent="      ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [f"{line} \\" for line in lines[:-1]] + lines[-1:]


def pairs(entries: Iterable[tuple[str, str]], indent: str = "  ") -> list[str]:
    """Return lines of names and their meanings, the meanings aligned and wrapped; below the names where these are long.

    >>> pairs([("age", "turns since the last touch"), ("horizon", "turns lived")])
    ['  age      turns since the last touch', '  horizon  turns lived']
    """
    listed = list(entries)
    column = len(indent) + max((len(name) for name, _ in listed), default=0) + len(GAP)
    longest_word = max((len(word) for _, meaning in listed for word in meaning.split()), default=0)
    narrow = column + longest_word > width() or (
        column > 0.6 * width() and any(column + len(meaning) > width() for _, meaning in listed)
    )
    lines: list[str] = []
    for name, meaning in listed:
        if narrow:
            lines += [f"{indent}{name}", *paragraph(meaning, f"{indent}    ")]
        else:
            lines += paragraph(meaning, f"{indent}{name}".ljust(column), " " * column) or [f"{indent}{name}"]
    return lines


def table(header: Sequence[str], rows: Sequence[Sequence[Cell]], indent: str = "", stack: bool = True) -> list[str]:
    """Return the lines of an aligned table: numbers to the right, text to the left.

    A title may hold line breaks. A table that is too wide is shown as records, a line per value, unless ``stack`` is
    False.

    >>> print("\\n".join(table(["policy", "rate", "misses"], [["a", ("1.000", "="), "0"], ["b", ("0.25", ""), "12"]])))
    policy  rate     misses
    ───────────────────────
    a       1.000 =       0
    b        0.25        12
    """
    columns = [_aligned([row[place] for row in rows]) for place in range(len(header))]
    lines = _drawn([*map(as_printed, header)], columns)
    if stack and width_of(lines) + len(indent) > width():
        return _records(header, rows, indent)
    return [f"{indent}{line}".rstrip() for line in lines]


def as_printed(text: str) -> str:
    """Return the text with what stands in for characters that the output cannot print: lines are laid out with that."""
    encoding = getattr(output(), "encoding", None) or "utf-8"
    parts = text.split(_NO_BREAK)  # no line may break there, and none of them is printed
    return _NO_BREAK.join(part.encode(encoding, "vecdecay.plain").decode(encoding) for part in parts)


def width_of(lines: Iterable[str]) -> int:
    """Return the length of the longest line."""
    return max(map(len, lines), default=0)


def _drawn(header: Sequence[str], columns: Sequence[Sequence[str]]) -> list[str]:
    from rich.box import Box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    rule_below_the_header = Box("    \n    \n ── \n    \n    \n    \n    \n    \n")
    drawn = Table(box=rule_below_the_header, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    height = max(title.count("\n") for title in header)
    for title, texts in zip(header, columns, strict=True):
        numbers = all(_NUMBER.fullmatch(text.split("  ")[0].strip()) for text in texts)
        at_the_bottom = Text("\n" * (height - title.count("\n")) + title)
        drawn.add_column(at_the_bottom, justify="right" if numbers else "left", no_wrap=True)
    for row in zip(*columns, strict=True):
        drawn.add_row(*map(Text, row))
    written = io.StringIO()
    Console(file=written, width=_UNLIMITED, color_system=None, legacy_windows=False).print(drawn)
    return [line.rstrip() for line in written.getvalue().splitlines()]


def _records(header: Sequence[str], rows: Sequence[Sequence[Cell]], indent: str) -> list[str]:
    """Return a line per value, with a blank line between rows."""
    titles = [re.sub(r"(?<=[._])\n", "", title).replace("\n", " ") for title in header]
    lines: list[str] = []
    for row in rows:
        texts = [" ".join((cell if isinstance(cell, str) else " ".join(cell)).split()) for cell in row]
        lines += [*([""] if lines else []), *pairs(zip(titles, texts, strict=True), indent)]
    return lines


def _aligned(cells: Sequence[Cell]) -> list[str]:
    """Return one text per cell; parts of cells are padded so that like stands below like."""
    parts = [tuple(map(as_printed, (cell,) if isinstance(cell, str) else cell)) for cell in cells]
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
