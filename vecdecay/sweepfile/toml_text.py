"""Reading TOML, with one clear line for whatever is wrong with it, and converting Python values to the same form.

Reading is bounded before it starts. Python's parser takes 1.5 s for a megabyte of small tables, and time in the square
of the number of parts of a dotted key; both bounds are far beyond any sweep that a person writes.
"""

import os
import re
import stat
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import printable
from vecdecay.sweepfile.problems import Findings, KeyPath
from vecdecay.sweepfile.seeds import plain_seeds

MOST_BYTES = 256 * 1024
"""Room for 30,000 listed seeds; the most that is surely read and checked within a second."""

MOST_KEY_PARTS = 16
MOST_DEPTH = 16
MOST_KEYS = 1000
MOST_INTEGER_BITS = 10_000
MOST_LISTED = 100_000
"""Values of a range from Python that are written out; more fill a file of that size."""

_PART = r"""(?:[A-Za-z0-9_-]++|"[^"\n]*+"|'[^'\n]*+')"""
_LONG_DOTTED_KEY = re.compile(rf"(?<![\w.\-\"'])(?:{_PART}[ \t]*+\.[ \t]*+){{{MOST_KEY_PARTS}}}")
_POSITION = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_LONG_INTEGER = re.compile(r"\d[\d_]{4299,}")


def read_text(path: str | os.PathLike[str]) -> str:
    """Return the text of a file of at most 256 KiB in UTF-8.

    Raises InvalidInputError, in one line, for whatever cannot be read as that: a folder, a pipe, too much, other bytes.
    """
    where = printable(os.fspath(path))
    try:
        # Opening a pipe would wait for its writer, so the kind is asked for first.
        if not stat.S_ISREG(os.stat(path).st_mode):
            kind = "a folder" if os.path.isdir(path) else "no ordinary file"
            raise InvalidInputError([f"{where}: is {kind}; allowed: a sweep file in TOML"])
        with open(path, "rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        if isinstance(error, InvalidInputError):
            raise
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise InvalidInputError([f"{where}: cannot be read: {reason}"]) from None
    if len(content) > MOST_BYTES:
        size = Path(path).stat().st_size
        raise InvalidInputError([f"{where}: has {size:,} bytes; allowed: at most {MOST_BYTES:,}"])
    content = content.removeprefix(b"\xef\xbb\xbf")  # editors on Windows begin a file with this mark
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = content[error.start]
        raise InvalidInputError([f"{where}: line {line}: byte 0x{byte:02x} is not UTF-8"]) from None


def parse_toml(text: str, where: str) -> dict[str, Any]:
    """Return the tables of a TOML text; ``where`` begins each line of the error.

    Raises InvalidInputError for wrong syntax (with line and column) and for excessive nesting, integers and tables.
    """
    place = printable(where)
    if len(text) > MOST_BYTES:
        raise InvalidInputError([f"{place}: has {len(text):,} characters; allowed: at most {MOST_BYTES:,}"])
    deep = f"nested too deeply; allowed: at most {MOST_DEPTH} levels"
    dotted = _LONG_DOTTED_KEY.search(text)
    if dotted:
        raise InvalidInputError([f"{place}: {_line_and_column(text, dotted.start())}: {deep}"])
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInputError([f"{place}: {_syntax_problem(str(error), text)}"]) from None
    except RecursionError:
        raise InvalidInputError([f"{place}: {deep}"]) from None
    except ValueError:  # an integer of more digits than Python converts
        long = _LONG_INTEGER.search(text)
        position = f"{_line_and_column(text, long.start())}: " if long else ""
        raise InvalidInputError([f"{place}: {position}an integer has more than 4,300 digits"]) from None
    _refuse_excess(raw, Findings(where))
    return raw


def _line_and_column(text: str, position: int) -> str:
    line = text.count("\n", 0, position) + 1
    column = position - text.rfind("\n", 0, position)
    return f"line {line}, column {column}"


def _syntax_problem(message: str, text: str) -> str:
    """Return the parser's message with the position in front and without long quotations."""
    position = _POSITION.search(message)
    what = _POSITION.sub("", message)
    what = printable(what if len(what) <= 120 else what[:100] + "…")
    if position is None:
        return f"not valid TOML: {what}"
    at = f"line {position[1]}, column {position[2]}" if position[1] else _line_and_column(text, len(text))
    return f"{at}: not valid TOML: {what[0].lower()}{what[1:]}"


def _refuse_excess(raw: dict[str, Any], findings: Findings) -> None:
    """Refuse what no sweep needs and what would make later checks slow: depth, crowded tables, gigantic integers."""
    waiting: list[tuple[KeyPath, Any]] = [((), raw)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, int):
            findings.add(path, f"is an integer of {value.bit_length():,} bits; allowed: at most {MOST_INTEGER_BITS:,}")
        elif len(path) >= MOST_DEPTH and value:
            findings.add(path, f"nested too deeply; allowed: at most {MOST_DEPTH} levels")
        elif isinstance(value, list):
            waiting.extend(((*path, place), entry) for place, entry in enumerate(value) if _may_exceed(entry))
        elif len(value) > MOST_KEYS:
            findings.add(path, f"has {len(value):,} keys; allowed: at most {MOST_KEYS:,}")
        else:
            waiting.extend(((*path, key), entry) for key, entry in value.items() if _may_exceed(entry))
    findings.stop_if_any()


def _may_exceed(value: Any) -> bool:
    return isinstance(value, dict | list) or (isinstance(value, int) and value.bit_length() > MOST_INTEGER_BITS)


def plain_tables(source: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Return the tables of a mapping as TOML would give them; ``where`` begins each line of the error.

    Raises InvalidInputError for excessive nesting, integers and tables.
    """
    sweep = source.get("sweep")
    if isinstance(sweep, Mapping) and "seeds" in sweep:
        source = {**source, "sweep": {**sweep, "seeds": plain_seeds(sweep["seeds"])}}
    try:
        raw: dict[str, Any] = plain(source)
    except RecursionError:
        deep = f"nested too deeply; allowed: at most {MOST_DEPTH} levels"
        raise InvalidInputError([f"{printable(where)}: {deep}"]) from None
    _refuse_excess(raw, Findings(where))
    return raw


def plain(value: Any) -> Any:
    """Return a value of Python as TOML would give it: lists for tuples, ranges and arrays, plain numbers for NumPy's.

    >>> plain({"values": (1, range(3))})
    {'values': [1, [0, 1, 2]]}
    """
    if isinstance(value, Mapping):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple) or (isinstance(value, range) and not value[MOST_LISTED:]):
        return list(map(plain, value))
    if hasattr(value, "tolist"):  # of an array, or of one of its values
        return plain(value.tolist())
    return os.fspath(value) if isinstance(value, os.PathLike) else value
