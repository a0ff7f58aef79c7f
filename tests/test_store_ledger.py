"""The ledger of a run folder."""

import hashlib
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from file_faults import FailsAt, Recorder, intercepted

from vecdecay.errors import OutputError
from vecdecay.store.files import file_operations
from vecdecay.store.ledger import LEDGER_NAME, Ledger, LedgerEntry, read_ledger
from vecdecay.store.manifest import sealed


def _entry_of(number: int, **changes: Any) -> LedgerEntry:
    digest = hashlib.sha256(b"%d" % number).hexdigest()
    receipt = {"turns": [number, None], "mean": 0.1 * number, "text": "é\n"}
    entry = LedgerEntry(f"sessions/part-{number:06d}.parquet", 10 * number, 7, digest, receipt)
    return replace(entry, **changes)


ENTRIES = [_entry_of(3), _entry_of(0, file="items/zero"), _entry_of(12, receipt={}), _entry_of(1)]
FILES = [entry.file for entry in ENTRIES]


def written(folder: Path, entries: list[LedgerEntry] = ENTRIES) -> bytes:
    """Write a ledger and return its bytes."""
    folder.mkdir(exist_ok=True)
    ledger = Ledger(folder)
    for entry in entries:
        ledger.extend([entry])
    return (folder / LEDGER_NAME).read_bytes()


def test_entries_come_back_in_order(tmp_path: Path) -> None:
    """What was added is read again, equal and in the order it was added, also by one who only looks."""
    written(tmp_path)
    content = read_ledger(tmp_path)
    assert list(content.entries.values()) == ENTRIES
    assert list(content.entries) == FILES
    assert Ledger(tmp_path).entries == content.entries


def test_lines_are_plain_json(tmp_path: Path) -> None:
    """Any program can read the ledger: one JSON object for each line, plain characters only."""
    data = written(tmp_path)
    assert data.isascii()
    lines = [json.loads(line) for line in data.splitlines()]
    assert [line["file"] for line in lines] == FILES
    assert lines[0]["receipt"] == ENTRIES[0].receipt


def test_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    """Added singly, together or over several openings: the ledger is the same."""
    expected = written(tmp_path / "singly")
    (tmp_path / "together").mkdir()
    Ledger(tmp_path / "together").extend(ENTRIES)
    assert (tmp_path / "together" / LEDGER_NAME).read_bytes() == expected
    for entry in ENTRIES:
        reopened = written(tmp_path / "reopened", [entry])
    assert reopened == expected


def test_lines_are_flushed_before_they_are_acknowledged(tmp_path: Path) -> None:
    """An entry that was acknowledged is on the disk; ten that are added together cost one flush."""
    recorder = Recorder()
    ledger = Ledger(tmp_path)
    with intercepted(recorder):
        ledger.extend([_entry_of(0)])
        ledger.extend(_entry_of(number) for number in range(1, 11))
    assert recorder.names == ["open", "write", "fsync", "close"] * 2


def test_every_length_is_recognised(tmp_path: Path) -> None:
    """A ledger cut off anywhere gives the entries of its whole lines, is repaired, and can be continued."""
    data = written(tmp_path, ENTRIES[:3])
    path = tmp_path / LEDGER_NAME
    torn = 0
    for length in range(len(data)):
        # Overwriting a file makes some file systems flush it at once; a new one costs nothing.
        path.unlink()
        path.write_bytes(data[:length])
        whole = data[:length].count(b"\n")
        content = read_ledger(tmp_path)
        assert list(content.entries.values()) == ENTRIES[:whole]
        assert content.torn_bytes == length - (data.rfind(b"\n", 0, length) + 1)
        torn += content.torn_bytes > 0
        with intercepted(Recorder()):
            ledger = Ledger(tmp_path)
            assert path.read_bytes() == data[: length - content.torn_bytes]
            ledger.extend(ENTRIES[whole:3])
        assert path.read_bytes() == data
    assert torn == len(data) - 3


def test_every_changed_bit_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any one changed bit is damage; in the very last byte it takes the end from the last line, which is dropped."""
    data = written(tmp_path, ENTRIES[:3])
    path = tmp_path / LEDGER_NAME
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        monkeypatch.setattr(file_operations, "read", lambda _, data=bytes(changed): data)
        if bit // 8 == len(data) - 1:
            content = read_ledger(tmp_path)
            assert list(content.entries) == FILES[:2]
            assert content.torn_bytes > 0
            continue
        with pytest.raises(OutputError) as caught:
            read_ledger(tmp_path)
        assert str(caught.value).startswith(f"{path}: is damaged: line ")
        assert str(caught.value).isprintable()


def test_damaged_ledger_is_left_as_it_is(tmp_path: Path) -> None:
    """To open a damaged ledger for writing changes nothing in it: it may be all there is."""
    data = bytearray(written(tmp_path))
    data[data.index(b"zero")] ^= 1
    (tmp_path / LEDGER_NAME).write_bytes(data)
    with pytest.raises(OutputError, match="line 2 does not match its digest"):
        Ledger(tmp_path)
    assert (tmp_path / LEDGER_NAME).read_bytes() == data


def test_a_doubled_line_is_found(tmp_path: Path) -> None:
    """A file that is named twice is damage: this program never enters one twice."""
    data = written(tmp_path)
    (tmp_path / LEDGER_NAME).write_bytes(data + data[: data.index(b"\n") + 1])
    with pytest.raises(OutputError, match=r"is damaged: line 5 names sessions/part-000003.parquet again"):
        read_ledger(tmp_path)


@pytest.mark.parametrize("body", [b'{"file": "a", ', b'{"part": 1, "more": 2, '])
def test_ledgers_of_other_versions_are_refused(body: bytes, tmp_path: Path) -> None:
    """A line with a right digest that this version did not write is not misread."""
    (tmp_path / LEDGER_NAME).write_bytes(sealed(body, b"}") + b"\n")
    with pytest.raises(OutputError, match="is damaged: line 1"):
        read_ledger(tmp_path)


def test_nothing_is_entered_twice(tmp_path: Path) -> None:
    """A file that is there already is refused, and nothing is written; the others can still be added."""
    data = written(tmp_path)
    ledger = Ledger(tmp_path)
    with pytest.raises(ValueError, match="is in the ledger already"):
        ledger.extend([_entry_of(100), _entry_of(3, rows=1)])
    assert (tmp_path / LEDGER_NAME).read_bytes() == data
    ledger.extend([_entry_of(100)])
    assert list(read_ledger(tmp_path).entries.values()) == [*ENTRIES, _entry_of(100)]


def test_a_receipt_that_is_no_json_is_refused(tmp_path: Path) -> None:
    """What could not be read back is refused, and nothing is written."""
    ledger = Ledger(tmp_path)
    for receipt, error in (({"mean": float("nan")}, ValueError), ({"set": {1}}, TypeError)):
        with pytest.raises(error, match="JSON"):
            ledger.extend([_entry_of(1, receipt=receipt)])
    assert (tmp_path / LEDGER_NAME).read_bytes() == b""
    ledger.extend([_entry_of(1)])


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_failed_ledger_takes_no_more(share: float, tmp_path: Path) -> None:
    """After a failed write nobody knows what is on the disk: nothing is added before a new opening."""
    data = written(tmp_path)
    ledger = Ledger(tmp_path)
    with pytest.raises(OutputError, match="cannot be written"), intercepted(FailsAt(1, 28, share)):
        ledger.extend([_entry_of(50)])
    with pytest.raises(OutputError, match="takes no more entries"):
        ledger.extend([_entry_of(51)])
    assert list(ledger.entries.values()) == ENTRIES
    assert len(Ledger(tmp_path).entries) == len(ENTRIES) + (share == 1.0)
    assert (tmp_path / LEDGER_NAME).read_bytes().startswith(data)


def test_discarded_parts_can_be_made_again(tmp_path: Path) -> None:
    """A part whose file was damaged is taken out and entered anew; the others stay, in order."""
    written(tmp_path)
    ledger = Ledger(tmp_path)
    ledger.discard({FILES[0], FILES[2], "unknown"})
    assert list(read_ledger(tmp_path).entries) == [FILES[1], FILES[3]]
    ledger.extend([_entry_of(3, rows=99)])
    assert list(ledger.entries) == [FILES[1], FILES[3], FILES[0]]
    assert read_ledger(tmp_path).entries[FILES[0]].rows == 99


def test_discarding_nothing_writes_nothing(tmp_path: Path) -> None:
    """Unknown files cost no operation."""
    written(tmp_path)
    recorder = Recorder()
    ledger = Ledger(tmp_path)
    with intercepted(recorder):
        ledger.discard(["unknown"])
    assert recorder.names == []


def test_missing_ledger_is_named(tmp_path: Path) -> None:
    """A folder without a ledger is refused by one who only looks; nothing is made there."""
    with pytest.raises(OutputError, match=rf"{LEDGER_NAME}: cannot be read: No such file"):
        read_ledger(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.thorough
def test_hundred_thousand_parts_are_read_within_a_second(tmp_path: Path) -> None:
    """The size of a sweep is limited by patience: a long ledger opens at once."""
    Ledger(tmp_path).extend(_entry_of(number, receipt={"sessions": number}) for number in range(100_000))
    seconds = []
    for _ in range(5):
        before = time.process_time()
        content = read_ledger(tmp_path)
        seconds.append(time.process_time() - before)
    assert len(content.entries) == 100_000
    assert min(seconds) < 1.0
