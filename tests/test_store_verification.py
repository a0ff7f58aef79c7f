"""Are the parts the ones that the ledger names?"""

import os
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from vecdecay.store.files import write_file
from vecdecay.store.ledger import LedgerEntry
from vecdecay.store.verification import check_part, verify_parts

Entries = list[LedgerEntry]


@pytest.fixture
def entries(tmp_path: Path) -> Entries:
    """Five parts in two folders, each with other content; two of the same size."""
    made = []
    for number, kind in enumerate(["sessions", "sessions", "sessions", "items", "items"]):
        (tmp_path / kind).mkdir(exist_ok=True)
        written = write_file(tmp_path / kind / f"part-{number}", bytes([number]) * (40 + number // 2))
        made.append(LedgerEntry(f"{kind}/{written.name}", 1, written.bytes, written.sha256))
    return made


def _remove(folder: Path, entries: Entries) -> list[str]:
    (folder / "sessions/part-1").unlink()
    return ["sessions/part-1: missing"]


def _remove_folder(folder: Path, entries: Entries) -> list[str]:
    (folder / "items").rename(folder / "moved")
    return ["items/part-3: missing", "items/part-4: missing"]


def _swap(folder: Path, entries: Entries) -> list[str]:
    parts = [folder / "sessions/part-0", folder / "sessions/part-1"]
    contents = [part.read_bytes() for part in parts]
    for part, content in zip(parts, reversed(contents), strict=True):
        part.write_bytes(content)
    return [f"sessions/part-{number}: its content was changed (SHA-256 differs)" for number in (0, 1)]


def _double(folder: Path, entries: Entries) -> list[str]:
    (folder / "items/part-3 copy").write_bytes((folder / "items/part-3").read_bytes())
    return ["items/part-3 copy: unexpected"]


def _add_foreign(folder: Path, entries: Entries) -> list[str]:
    (folder / "sessions/.hidden").write_bytes(b"")
    (folder / "sessions/folder").mkdir()
    (folder / "sessions/zwei\nZeilen").write_bytes(b"")
    return [
        "sessions/.hidden: unexpected",
        "sessions/folder: unexpected",
        "'sessions/zwei\\nZeilen': unexpected",
    ]


def _put_folder_in_place(folder: Path, entries: Entries) -> list[str]:
    (folder / "items/part-4").unlink()
    (folder / "items/part-4").mkdir()
    return ["items/part-4: not a file"]


def _put_pipe_in_place(folder: Path, entries: Entries) -> list[str]:
    (folder / "items/part-4").unlink()
    os.mkfifo(folder / "items/part-4")
    return ["items/part-4: not a file"]


def _put_loop_in_place(folder: Path, entries: Entries) -> list[str]:
    (folder / "items/part-4").unlink()
    (folder / "items/part-4").symlink_to("part-4")
    return ["items/part-4: cannot be read: Too many levels of symbolic links"]


def _forget(folder: Path, entries: Entries) -> list[str]:
    del entries[3:]
    return ["items/part-3: unexpected", "items/part-4: unexpected"]


FAULTS = [
    _remove,
    _remove_folder,
    _swap,
    _double,
    _add_foreign,
    _put_folder_in_place,
    _put_pipe_in_place,
    _put_loop_in_place,
    _forget,
]


def test_sound_parts_have_no_problems(entries: Entries, tmp_path: Path) -> None:
    """Nothing is reported where nothing is wrong: not a temporary file, not other files of the run folder."""
    (tmp_path / "cells.parquet").write_bytes(b"")
    (tmp_path / "sessions/.part-7.123-0123456789abcdef.tmp").write_bytes(b"half")
    assert verify_parts(tmp_path, entries, ["sessions", "items/", "turns"]) == []
    assert [check_part(tmp_path, entry) for entry in entries] == [None] * 5


@pytest.mark.skipif(os.name != "posix", reason="some of the faults need POSIX files")
@pytest.mark.parametrize("fault", FAULTS)
def test_each_fault_is_named(fault: Callable[[Path, Entries], list[str]], entries: Entries, tmp_path: Path) -> None:
    """Missing, swapped, doubled, foreign and replaced parts: each is named, and nothing else is."""
    expected = fault(tmp_path, entries)
    assert verify_parts(tmp_path, entries, ["items"]) == expected


def test_every_length_and_many_bits_of_a_part_are_found(entries: Entries, tmp_path: Path) -> None:
    """A part that is cut off anywhere, has more at its end, or has one changed bit, is found."""
    path = tmp_path / entries[0].file
    data = path.read_bytes()
    for changed in [*(data[:length] for length in range(len(data))), data + b"\0"]:
        path.write_bytes(changed)
        assert check_part(tmp_path, entries[0]) == f"sessions/part-0: has {len(changed)} bytes; expected 40"
    for bit in range(8 * len(data)):
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        path.write_bytes(flipped)
        assert check_part(tmp_path, entries[0]) == "sessions/part-0: its content was changed (SHA-256 differs)"


def test_parts_in_nested_and_top_folders(tmp_path: Path) -> None:
    """A part folder inside another one is no foreign file there; the run folder itself is not searched."""
    made = []
    for file in ("a/part", "a/b/c/part", "part"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        written = write_file(tmp_path / file, b"content")
        made.append(LedgerEntry(file, 1, written.bytes, written.sha256))
    (tmp_path / "other").write_bytes(b"")
    assert verify_parts(tmp_path, made) == []


@pytest.mark.torture
def test_ten_thousand_changed_bits_are_found(tmp_path: Path) -> None:
    """One changed bit anywhere in a part of a hundred kilobytes is found, every time."""
    draws = random.Random(1)
    data = draws.randbytes(100_000)
    written = write_file(tmp_path / "part", data)
    entry = LedgerEntry("part", 1, written.bytes, written.sha256)
    for _ in range(10_000):
        bit = draws.randrange(8 * len(data))
        flipped = bytearray(data)
        flipped[bit // 8] ^= 1 << bit % 8
        (tmp_path / "part").write_bytes(flipped)
        assert check_part(tmp_path, entry) is not None
