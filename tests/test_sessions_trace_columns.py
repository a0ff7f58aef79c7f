"""Columns are found, mapped and read from every kind of file; what cannot be read is a line with file and row."""

import gzip
import io
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import examples

import vecdecay as vd
from vecdecay.errors import InvalidInputError

CSV = b"session,turn,item\na,1,x\na,4,x\nb,2,y\n"
JSON = (
    b'{"session":"a","turn":1,"item":"x"}\n{"session":"a","turn":4,"item":"x"}\n{"session":"b","turn":2,"item":"y"}\n'
)
TABLE = pa.table({"session": ["a", "a", "b"], "turn": [1, 4, 2], "item": ["x", "x", "y"]})
EVENTS = [((1, 0, 0), (4, 1, 0)), ((1, 0, 0),)]


def parquet() -> bytes:
    """Return the log as Parquet."""
    written = io.BytesIO()
    pq.write_table(TABLE, written)
    return written.getvalue()


def arrow(opened: Any) -> bytes:
    """Return the log as Arrow IPC, a file or a stream."""
    written = io.BytesIO()
    with opened(written, TABLE.schema) as writer:
        writer.write_table(TABLE)
    return written.getvalue()


FILES = {
    "a.csv": CSV,
    "crlf.csv": CSV.replace(b"\n", b"\r\n"),
    "bom.csv": b"\xef\xbb\xbf" + CSV,
    "semicolon.csv": CSV.replace(b",", b";"),
    "bar.txt": CSV.replace(b",", b"|"),
    "tab.tsv": CSV.replace(b",", b"\t"),
    "packed.csv.gz": gzip.compress(CSV),
    "packed.CSV.zst": pa.Codec("zstd").compress(CSV, asbytes=True),
    "a.jsonl": JSON,
    "bom.jsonl": b"\xef\xbb\xbf" + JSON,
    "crlf.ndjson": JSON.replace(b"\n", b"\r\n"),
    "packed.jsonl.gz": gzip.compress(JSON),
    "a.parquet": parquet(),
    "packed.parquet.gz": gzip.compress(parquet()),
    "a.arrow": arrow(pa.ipc.new_file),
    "stream.arrow": arrow(pa.ipc.new_stream),
    "packed.arrow.gz": gzip.compress(arrow(pa.ipc.new_file)),
}


def kept(folder: Path, name: str, content: bytes) -> Path:
    """Write a file and return its path."""
    (folder / name).write_bytes(content)
    return folder / name


@pytest.mark.parametrize("name", FILES)
def test_every_kind_of_file_is_the_same_log(name: str, tmp_path: Path) -> None:
    """Formats, separators, line ends, byte order marks and compression; the file stays as it was."""
    path = kept(tmp_path, name, FILES[name])
    trace = vd.Trace.read(path)
    assert [trace.session(place).events for place in range(trace.num_sessions)] == EVENTS
    assert (trace.session_names(), trace.item_names(0)) == (["a", "b"], ["x"])
    assert path.read_bytes() == FILES[name]
    assert vd.Trace.read(str(path)).where == str(path)


def test_tables_of_other_packages_are_the_same_log() -> None:
    """Polars, pandas and DuckDB hand over Arrow."""
    import duckdb
    import polars as pl

    own = duckdb.connect()  # the one that all share may still hold the result of another test
    for table in (pl.from_arrow(TABLE), TABLE.to_pandas(), own.from_arrow(TABLE)):
        trace = vd.Trace.read(table)
        assert [trace.session(place).events for place in range(2)] == EVENTS


def test_usual_names_are_found_and_reported() -> None:
    """What was guessed and what was not read stands in the notes; a mapping goes before a guess."""
    log = TABLE.rename_columns(["Conversation_ID", "step", "file_path"]).append_column("mood", pa.array([1, 2, 3]))
    trace = vd.Trace.read(log)
    assert trace.notes[:4] == (
        "column Conversation_ID is read as session",
        "column step is read as turn",
        "column file_path is read as item",
        "not read: mood",
    )
    mapped = vd.Trace.read(log, columns={"item": "mood"})
    assert mapped.item_names(0) == [1, 2]
    assert "not read: file_path" in mapped.notes


def test_names_in_texts_stay_texts(tmp_path: Path) -> None:
    """In a CSV file 007 is not 7, and NA is a name."""
    trace = vd.Trace.read(kept(tmp_path, "a.csv", b"session,turn,item\n1,2,007\n1,3,7\n1,4,NA\n"))
    assert trace.item_names(0) == ["007", "7", "NA"]


@pytest.mark.parametrize(
    ("name", "content", "line"),
    [
        ("a.csv", b"", "cannot be read: it is empty"),
        ("a.jsonl", b" \n", "cannot be read: it is empty"),
        ("a.csv", b"session,turn,item\n", "has no rows; allowed: at least one event"),
        ("a.csv", b"session,turn,item,item\n1,2,3,4\n", "the columns 'item' are there twice"),
        ("a.csv", CSV + b"a,5\n", "cannot be read: CSV parse error: Row #5: Expected 3 columns, got 2"),
        ("a.csv", CSV.replace(b"y", b"\xe9"), "cannot be read: line 4 is not UTF-8"),
        ("a.csv", CSV.decode().encode("utf-16"), "cannot be read: line 1 is not UTF-8"),
        ("a.csv", b"session,turn,item\na,1,x\na,2,\n", "item is empty in row 2; allowed: integers or texts"),
        ("a.csv", b"session,turn,item\na,1,x\na,NA,x\n", "turn is 'NA' in row 2; allowed: whole numbers from 0"),
        ("a.csv.gz", gzip.compress(CSV, mtime=0)[:-12], "cannot be read: Truncated compressed stream"),
        ("a.csv.gz", CSV, "cannot be read: zlib inflate failed"),
        ("a.jsonl", JSON[:-9], "cannot be read: JSON parse error"),
        ("a.jsonl", b"[" + JSON + b"]", "cannot be read: JSON parse error"),
        ("a.jsonl", b'{"turn":1,"item":{"a":1}}\n', "item is of the type struct"),
        ("a.parquet", parquet()[:-20], "cannot be read: Parquet magic bytes not found"),
        ("a.parquet", b"", "cannot be read: Parquet file size is 0 bytes"),
        ("a.arrow", arrow(pa.ipc.new_file)[:-20], "cannot be read: "),
        ("a.xlsx", CSV, "cannot be read: its ending is none of .parquet, .csv"),
        ("none", CSV, "cannot be read: its ending is none of .parquet, .csv"),
    ],
)
def test_files_that_cannot_be_read_are_refused(name: str, content: bytes, line: str, tmp_path: Path) -> None:
    """One line that begins with the file."""
    path = kept(tmp_path, name, content)
    with pytest.raises(InvalidInputError) as caught:
        vd.Trace.read(path)
    (problem,) = caught.value.problems
    assert problem.startswith(f"{path}: {line}")
    assert "\n" not in problem


def test_folders_and_missing_files_are_refused(tmp_path: Path) -> None:
    """One line."""
    for path, line in ((tmp_path, "it is a folder"), (tmp_path / "a.csv", "Failed to open local file")):
        with pytest.raises(InvalidInputError, match=f"cannot be read: {line}"):
            vd.Trace.read(path)


@pytest.mark.parametrize(
    ("columns", "lines"),
    [
        (
            {"itm": "item", "kind": "nope"},
            ["'itm' is no column of a trace; did you mean item", "kind is mapped to 'nope'"],
        ),
        ({"item": "turn"}, ["no column turn, time or message"]),
        ({"item": 5}, ["item is mapped to 5"]),
        ("item", ["columns is 'item'; allowed: names by their roles"]),
    ],
)
def test_mappings_to_nothing_are_refused(columns: Any, lines: list[str]) -> None:
    """A line per mistake."""
    with pytest.raises(InvalidInputError) as caught:
        vd.Trace.read(TABLE, columns=columns)
    assert len(caught.value.problems) == len(lines)
    for problem, line in zip(caught.value.problems, lines, strict=True):
        assert line in problem


def test_rules_that_are_none_are_refused_together() -> None:
    """A line per rule, with the nearest that is one."""
    with pytest.raises(InvalidInputError) as caught:
        vd.Trace.read(TABLE, on_miss="relern", duplicates="twice", registered_again="no", longest_silence=-1)
    assert len(caught.value.problems) == 4
    assert "did you mean relearn" in caught.value.problems[0]


def test_bad_rows_of_text_can_be_left_out(tmp_path: Path) -> None:
    """Rows with another number of columns, lines that are no JSON or not UTF-8, values that cannot be read: counted."""
    csv = kept(tmp_path, "a.csv", CSV + b"a,5\na,zap,x\n\xff,1,x\n")
    trace = vd.Trace.read(csv, skip_bad_rows=True)
    assert [trace.session(place).events for place in range(2)] == EVENTS
    assert trace.notes[:3] == (
        "1 lines left out: not UTF-8",
        "1 rows left out: another number of columns",
        "1 rows left out: row 4",
    )
    json = kept(tmp_path, "a.jsonl", JSON + b'{"session":\n[1]\n')
    assert vd.Trace.read(json, skip_bad_rows=True).notes[0] == "2 lines left out: no JSON objects"


@pytest.mark.parametrize("skip", [False, True])
def test_mutated_files_are_read_or_refused(skip: bool, tmp_path: Path) -> None:
    """Bytes changed, cut out and put in at random: a trace or lines, never another error."""
    rng = random.Random(7)
    read = refused = 0
    broken: list[str] = []
    for name in ("a.csv", "a.jsonl", "a.parquet", "a.arrow", "stream.arrow", "packed.csv.gz"):
        for _ in range(examples(60)):
            content = bytearray(FILES[name])
            for _ in range(rng.choice((1, 1, 4))):
                place = rng.randrange(len(content) + 1)
                change = rng.choice((b"", bytes([rng.randrange(256)]), b',"\n', b"\xff\0", b"-9e9"))
                content[place : place + rng.choice((0, 1, 1, 1, 30))] = change
            try:
                vd.Trace.read(kept(tmp_path, name, bytes(content)), skip_bad_rows=skip)
                read += 1
            except InvalidInputError as error:
                refused += 1
                broken += ["".join(error.problems)] if "\n" in "".join(error.problems) else []
    assert broken == []
    assert min(read, refused) > 10
