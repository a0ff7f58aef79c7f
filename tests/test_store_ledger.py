"""The ledger of a run folder."""

import gc
import hashlib
import json
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from file_faults import FailsAt, Recorder, intercepted

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.store.files import file_operations
from vecdecay.store.ledger import LEDGER_NAME, Ledger, LedgerEntry, read_ledger
from vecdecay.store.sealed import Seal

SEAL = Seal(b',"seal":"', b'"}')


def _entry_of(number: int, **changes: Any) -> LedgerEntry:
    digest = hashlib.sha256(b"%d" % number).hexdigest()
    receipt = {"turns": [number, None], "mean": 0.1 * number, "text": "é\n"}
    entry = LedgerEntry(number, f"sessions/part-{number:06d}.parquet", 10 * number, 7, digest, receipt)
    return replace(entry, **changes)


ENTRIES = [_entry_of(3), _entry_of(0, part="zero"), _entry_of(12, receipt={}), _entry_of(1, part="1")]


def written(folder: Path, entries: list[LedgerEntry] = ENTRIES) -> bytes:
    """Write a ledger and return its bytes."""
    folder.mkdir(exist_ok=True)
    with Ledger.open(folder) as ledger:
        for entry in entries:
            ledger.append(entry)
    return (folder / LEDGER_NAME).read_bytes()


def chain(*bodies: bytes) -> bytes:
    """Any texts as the lines of a ledger whose checksums are right."""
    seal = b""
    lines = []
    for body in bodies:
        line, seal = SEAL.add(body, seal)
        lines.append(line + b"\n")
    return b"".join(lines)


def _body_of(line: bytes) -> bytes:
    return line[: line.rindex(b',"seal":')]


def test_entries_come_back_in_order(tmp_path: Path) -> None:
    """What was added is read again, equal and in the order it was added, also by one who only looks."""
    written(tmp_path)
    content = read_ledger(tmp_path)
    assert list(content.entries.values()) == ENTRIES
    assert list(content.entries) == [3, "zero", 12, "1"]
    with Ledger.open(tmp_path) as ledger:
        assert ledger.entries == content.entries
        assert ledger.seal == content.seal


def test_lines_are_plain_json(tmp_path: Path) -> None:
    """Any program can read the ledger: one JSON object for each line, plain characters only."""
    data = written(tmp_path)
    assert data.isascii()
    header, *lines = [json.loads(line) for line in data.splitlines()]
    assert header["ledger_version"] == 1
    assert [line["file"] for line in lines] == [entry.file for entry in ENTRIES]
    assert lines[0]["receipt"] == ENTRIES[0].receipt


def test_same_entries_give_the_same_bytes(tmp_path: Path) -> None:
    """Added singly, together or over several openings: the ledger is the same."""
    expected = written(tmp_path / "singly")
    (tmp_path / "together").mkdir()
    with Ledger.open(tmp_path / "together") as ledger:
        ledger.extend(ENTRIES)
    for entry in ENTRIES:
        reopened = written(tmp_path / "reopened", [entry])
    assert (tmp_path / "together" / LEDGER_NAME).read_bytes() == expected
    assert reopened == expected


def test_line_is_flushed_before_append_returns(tmp_path: Path) -> None:
    """An entry that was acknowledged is on the disk; ten that are added together cost one flush."""
    recorder = Recorder()
    with Ledger.open(tmp_path) as ledger, intercepted(recorder):
        ledger.append(_entry_of(0))
        ledger.extend(_entry_of(number) for number in range(1, 11))
    assert recorder.names == ["write", "fsync", "write", "fsync"]


def test_every_length_is_recognised(tmp_path: Path) -> None:
    """A ledger cut off anywhere gives the entries of its whole lines, is repaired, and can be continued."""
    data = written(tmp_path, ENTRIES[:3])
    path = tmp_path / LEDGER_NAME
    header = data.index(b"\n") + 1
    torn = 0
    for length in range(len(data)):
        # Overwriting a file makes some file systems flush it at once; a new one costs nothing.
        path.unlink()
        path.write_bytes(data[:length])
        if length < header:
            with pytest.raises(OutputError, match=r"is damaged: it does not begin as"):
                read_ledger(tmp_path)
            continue
        whole = data[:length].count(b"\n") - 1
        content = read_ledger(tmp_path)
        assert list(content.entries.values()) == ENTRIES[:whole]
        assert content.torn_bytes == length - data.rindex(b"\n", 0, length) - 1
        torn += content.torn_bytes > 0
        with intercepted(Recorder()), Ledger.open(tmp_path) as ledger:
            assert path.read_bytes() == data[: length - content.torn_bytes]
            ledger.extend(ENTRIES[whole:3])
        assert path.read_bytes() == data
    assert torn == len(data) - header - 3


def test_every_changed_bit_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any one changed bit, line ends and the last line included, is damage: not a torn line, not fine."""
    data = written(tmp_path, ENTRIES[:3])
    path = tmp_path / LEDGER_NAME
    for bit in range(8 * len(data)):
        changed = bytearray(data)
        changed[bit // 8] ^= 1 << bit % 8
        monkeypatch.setattr(file_operations, "read", lambda _, data=bytes(changed): data)
        with pytest.raises(OutputError) as caught:
            read_ledger(tmp_path)
        assert str(caught.value).startswith(f"{path}: is damaged: ")
        assert str(caught.value).isprintable()


def test_damaged_ledger_is_left_as_it_is(tmp_path: Path) -> None:
    """To open a damaged ledger for writing changes nothing in it: it may be all there is."""
    data = bytearray(written(tmp_path))
    data[data.index(b"zero")] ^= 1
    (tmp_path / LEDGER_NAME).write_bytes(data)
    with pytest.raises(OutputError, match="line 3 does not match its checksum"):
        Ledger.open(tmp_path)
    assert (tmp_path / LEDGER_NAME).read_bytes() == data


@pytest.mark.parametrize("order", [(0, 2, 3, 4), (0, 2, 1, 3, 4), (0, 1, 1, 2, 3, 4), (1, 2, 3, 4), (0, 1, 3, 4)])
def test_lost_doubled_and_moved_lines_are_found(order: tuple[int, ...], tmp_path: Path) -> None:
    """Lines that are sound alone, but not in their place, are damage."""
    lines = written(tmp_path).splitlines(keepends=True)
    (tmp_path / LEDGER_NAME).write_bytes(b"".join(lines[number] for number in order))
    with pytest.raises(OutputError, match="is damaged"):
        read_ledger(tmp_path)


@pytest.mark.parametrize("doubled", [{"part": 9}, {"file": "sessions/other"}])
def test_parts_that_are_entered_twice_are_found(doubled: dict[str, Any], tmp_path: Path) -> None:
    """A ledger with one file for two parts, or two files for one, is refused though its sums are right."""
    header, line = written(tmp_path, [_entry_of(1)]).splitlines()
    fields = json.loads(line) | doubled
    del fields["seal"]
    (tmp_path / LEDGER_NAME).write_bytes(
        chain(_body_of(header), _body_of(line), json.dumps(fields).encode().removesuffix(b"}"))
    )
    with pytest.raises(OutputError, match="a part or a file is in it twice"):
        read_ledger(tmp_path)


@pytest.mark.parametrize("bodies", [[b'{"ledger_version":2'], [b'{"ledger_version":1', b'{"part":1']])
def test_ledgers_of_other_versions_are_refused(bodies: list[bytes], tmp_path: Path) -> None:
    """A ledger with right checksums that this version did not write is not misread."""
    (tmp_path / LEDGER_NAME).write_bytes(chain(*bodies))
    with pytest.raises(OutputError, match=r"is damaged: (it does not begin|line 2 is no entry)"):
        read_ledger(tmp_path)


@pytest.mark.parametrize(
    "added",
    [
        [_entry_of(3, file="sessions/other")],
        [_entry_of(9, file=ENTRIES[0].file)],
        [_entry_of(8), _entry_of(8, file="sessions/other")],
        [_entry_of(8), _entry_of(9, file=_entry_of(8).file)],
    ],
)
def test_nothing_is_entered_twice(added: list[LedgerEntry], tmp_path: Path) -> None:
    """A part or a file that is there already, or comes twice, is refused, and nothing is written."""
    data = written(tmp_path)
    with Ledger.open(tmp_path) as ledger:
        with pytest.raises(InvalidInputError, match="is in the ledger already"):
            ledger.extend(added)
        assert (tmp_path / LEDGER_NAME).read_bytes() == data
        ledger.append(_entry_of(100))
    assert list(read_ledger(tmp_path).entries.values()) == [*ENTRIES, _entry_of(100)]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("part", value) for value in (1.0, True, None)),
        *(("file", value) for value in ("", "/etc/x", "../x", "a/../../x", "a//b", "./a", "a\\b", "C:x", "a\0", 1)),
        *(("rows", value) for value in (-1, 1.0, True)),
        *(("bytes", value) for value in (-1, None)),
        *(("sha256", value) for value in ("", "0" * 63, "A" * 64, "0" * 64 + "\n", b"0" * 64)),
        *(("receipt", value) for value in ({"mean": float("nan")}, {"set": {1}})),
    ],
)
def test_unfit_values_are_refused(name: str, value: object, tmp_path: Path) -> None:
    """What could not be read back, or leads out of the folder, is refused by name, and nothing is written."""
    with Ledger.open(tmp_path) as ledger:
        before = (tmp_path / LEDGER_NAME).read_bytes()
        with pytest.raises(InvalidInputError, match=name):
            ledger.append(_entry_of(1, **{name: value}))
        assert (tmp_path / LEDGER_NAME).read_bytes() == before
        assert dict(ledger.entries) == {}


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_failed_ledger_takes_no_more(share: float, tmp_path: Path) -> None:
    """After a failed write nobody knows what is on the disk: nothing is added before a new opening."""
    data = written(tmp_path)
    with Ledger.open(tmp_path) as ledger:
        with pytest.raises(OutputError, match="cannot be written"), intercepted(FailsAt(0, 28, share)):
            ledger.append(_entry_of(50))
        with pytest.raises(OutputError, match="takes no more entries"):
            ledger.append(_entry_of(51))
        assert list(ledger.entries.values()) == ENTRIES
    with Ledger.open(tmp_path) as ledger:
        assert len(ledger.entries) == len(ENTRIES) + (share == 1.0)
    assert (tmp_path / LEDGER_NAME).read_bytes().startswith(data)


def test_discarded_parts_can_be_made_again(tmp_path: Path) -> None:
    """A part whose file was damaged is taken out and entered anew; the others stay, in order."""
    written(tmp_path)
    with Ledger.open(tmp_path) as ledger:
        ledger.discard({3, 12, "unknown"})
        assert list(read_ledger(tmp_path).entries) == ["zero", "1"]
        ledger.append(_entry_of(3, rows=99))
        assert list(ledger.entries) == ["zero", "1", 3]
    content = read_ledger(tmp_path)
    assert content.entries[3].rows == 99
    assert content.seal == ledger.seal


def test_discarding_nothing_writes_nothing(tmp_path: Path) -> None:
    """Unknown parts cost no operation."""
    written(tmp_path)
    recorder = Recorder()
    with Ledger.open(tmp_path) as ledger, intercepted(recorder):
        ledger.discard([99])
    assert recorder.names == []


def test_threads_may_share_a_ledger(tmp_path: Path) -> None:
    """Entries of several threads do not get into each other's lines."""
    with Ledger.open(tmp_path) as ledger, intercepted(Recorder()):

        def add(first: int) -> None:
            for number in range(first, 200, 4):
                ledger.append(_entry_of(number))

        threads = [threading.Thread(target=add, args=(first,)) for first in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(read_ledger(tmp_path).entries.values(), key=lambda entry: entry.rows) == [
        _entry_of(number) for number in range(200)
    ]


def test_missing_ledger_is_named(tmp_path: Path) -> None:
    """A folder without a ledger is refused by one who only looks; nothing is made there."""
    with pytest.raises(OutputError, match=rf"{LEDGER_NAME}: cannot be read: No such file"):
        read_ledger(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_reading_leaves_the_garbage_collector_as_it_was(tmp_path: Path) -> None:
    """The collector rests while a ledger is read, and goes on (or rests on) afterwards, after an error too."""
    written(tmp_path)
    gc.disable()
    try:
        read_ledger(tmp_path)
        assert not gc.isenabled()
    finally:
        gc.enable()
    read_ledger(tmp_path)
    assert gc.isenabled()
    (tmp_path / LEDGER_NAME).write_bytes(chain(b'{"ledger_version":1', b'{"part":1'))
    with pytest.raises(OutputError, match="line 2"):
        read_ledger(tmp_path)
    assert gc.isenabled()


@pytest.mark.thorough
def test_hundred_thousand_parts_are_read_within_a_second(tmp_path: Path) -> None:
    """The size of a sweep is limited by patience: a long ledger opens at once."""
    written(tmp_path, [])
    with Ledger.open(tmp_path) as ledger:
        ledger.extend(_entry_of(number, receipt={"sessions": number}) for number in range(100_000))
    seconds = []
    for _ in range(5):
        before = time.process_time()
        content = read_ledger(tmp_path)
        seconds.append(time.process_time() - before)
    assert len(content.entries) == 100_000
    assert min(seconds) < 1.0
