"""Reading bytes that may be anything, in one line each; what stands for the same in Python."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.sweepfile.toml_text import MOST_BYTES, MOST_DEPTH, MOST_KEYS, parse_toml, plain_tables, read_text


def refused(text: str) -> str:
    """Return the one line of the error that a text raises, without the file's name."""
    with pytest.raises(InvalidInputError) as caught:
        parse_toml(text, "a.toml")
    (line,) = caught.value.problems
    assert line.isprintable()
    assert len(line) < 300
    return line.removeprefix("a.toml: ")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a = 1\nb == 2", "line 2, column 4: not valid TOML: invalid value"),
        ("a = 1\na = 2", "line 2, column 6: not valid TOML: cannot overwrite a value"),
        ("a = [1 2]", "line 1, column 8: not valid TOML: unclosed array"),
        ("a = [1,\n", "line 2, column 1: not valid TOML: invalid value"),
        ('a = "\x00"', r"line 1, column 6: not valid TOML: illegal character '\x00'"),
        ("a = 1" + "0" * 4300 + "\n", "line 1, column 5: an integer has more than 4,300 digits"),
        ("x = 1\n" + "a." * 20 + "a = 1", "line 2, column 1: nested too deeply; allowed: at most 16 levels"),
        ("['a' . \"b\"." + "a.'b'." * 10 + "c]", "line 1, column 2: nested too deeply; allowed: at most 16 levels"),
        ("a = " + "[" * 5000, "nested too deeply; allowed: at most 16 levels"),
        ("a = " + "[" * 20 + "]" * 20, "a" + "[1]" * 15 + ": nested too deeply; allowed: at most 16 levels"),
        ("a = 0x1" + "0" * 5000, "a: is an integer of 20,001 bits; allowed: at most 10,000"),
        ("a = [0, 0x1" + "0" * 5000 + "]", "a[2]: is an integer of 20,001 bits; allowed: at most 10,000"),
        ("".join(f"a{i} = 1\n" for i in range(MOST_KEYS + 1)), "has 1,001 keys; allowed: at most 1,000"),
        ("#" * (MOST_BYTES + 1), "has 262,145 characters; allowed: at most 262,144"),
    ],
)
def test_each_fault_is_one_line_with_its_position(text: str, line: str) -> None:
    """Wrong syntax and every excess are told in one line, with line and column or the key."""
    assert refused(text) == line


def test_the_limits_themselves_are_allowed() -> None:
    """As many keys, levels and characters as the limits say are read."""
    deepest = MOST_DEPTH - 1
    assert len(parse_toml("".join(f"a{i} = 1\n" for i in range(MOST_KEYS)), "a.toml")) == MOST_KEYS
    assert parse_toml("a = " + "[" * deepest + "]" * deepest, "a.toml")
    assert parse_toml("#" * MOST_BYTES, "a.toml") == {}
    assert parse_toml("a." * (MOST_DEPTH - 1) + "a = 1", "a.toml")


def test_dots_in_texts_and_lists_are_no_nesting() -> None:
    """Only a key with many parts is refused: a sentence with dots and a list of floats are not."""
    text = 'a = "one. two.three... v1.2.3.4"\nb = [' + "0.1, " * 50 + "]\n"
    assert len(parse_toml(text, "a.toml")["b"]) == 50


def test_a_file_is_read_with_or_without_a_byte_order_mark(tmp_path: Path) -> None:
    """UTF-8 is read; a mark at the start is dropped; no other."""
    path = tmp_path / "a.toml"
    for content in ("a = 'ü'".encode(), b"\xef\xbb\xbfa = '\xc3\xbc'"):
        path.write_bytes(content)
        assert read_text(path) == "a = 'ü'"


def read_refused(path: str | os.PathLike[str]) -> str:
    """Return the one line of the error that reading a file raises."""
    with pytest.raises(InvalidInputError) as caught:
        read_text(path)
    (line,) = caught.value.problems
    assert line.isprintable()
    return line


def test_what_is_no_readable_file_is_one_line(tmp_path: Path) -> None:
    """Nothing there, a folder, a pipe, a name that no file can have, other bytes, too many bytes."""
    path = tmp_path / "a.toml"
    assert read_refused(path) == f"{path}: cannot be read: No such file or directory"
    assert read_refused(tmp_path) == f"{tmp_path}: is a folder; allowed: a sweep file in TOML"
    assert "cannot be read" in read_refused("a\0b")
    assert "cannot be read" in read_refused("x" * 5000)
    path.write_bytes(b"a = 1\nb = '\xff'\n")
    assert read_refused(path) == f"{path}: line 2: byte 0xff is not UTF-8"
    path.write_bytes(b"#" * MOST_BYTES + b"\n#")
    assert read_refused(path) == f"{path}: has 262,146 bytes; allowed: at most 262,144"
    path.write_bytes(b"#" * MOST_BYTES)
    assert len(read_text(path)) == MOST_BYTES
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        assert "is no ordinary file" in read_refused(tmp_path / "pipe")


def test_values_of_python_are_those_of_toml() -> None:
    """Tuples, ranges, arrays and NumPy's numbers become lists and plain numbers, paths text, seeds one of their forms.

    Ranges that are too long to be written out stay what they are, and are refused as such.
    """
    given = {
        "sweep": {"name": Path("a"), "seeds": np.arange(3)},
        "axis": ({"values": (np.float64(0.1), np.int64(2), range(2), np.array([[1.5]]), np.bool_(True))},),
    }
    assert repr(plain_tables(given, "f")) == repr(
        {"sweep": {"name": "a", "seeds": {"list": [0, 1, 2]}}, "axis": [{"values": [0.1, 2, [0, 1], [[1.5]], True]}]}
    )
    assert plain_tables({"axis": range(10**30)}, "f") == {"axis": range(10**30)}
    assert plain_tables({"sweep": {"seeds": range(10**12)}}, "f")["sweep"]["seeds"] == {"first": 0, "count": 10**12}


def test_tables_beyond_all_use_are_refused_in_one_line() -> None:
    """As in a text: depth, integers, circles."""
    circle: list[Any] = []
    circle.append(circle)
    deep: Any = 1
    for _ in range(20):
        deep = [deep]
    for value, line in (
        (circle, "nested too deeply; allowed: at most 16 levels"),
        (deep, "nested too deeply; allowed: at most 16 levels"),
        (2**20_000, "is an integer of 20,001 bits; allowed: at most 10,000"),
    ):
        with pytest.raises(InvalidInputError, match=line):
            plain_tables({"sweep": value}, "f")
