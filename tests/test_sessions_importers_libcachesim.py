"""Traces of libCacheSim: the same requests from CSV, text and records; sizes are tokens, times stand beside turns."""

import gzip
import lzma
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from importer_samples import REQUESTS, libcachesim_csv, oracle_general, records

import vecdecay as vd
from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace


def rows(path: Path, **options: Any) -> list[tuple[Any, ...]]:
    """Return turn, time, item and tokens of every request."""
    table, _ = import_trace("libcachesim", path, **options)
    return [tuple(row.get(name) for name in ("turn", "time", "item", "tokens")) for row in table.to_pylist()]


def wanted(name: Any = str) -> list[tuple[int, int, Any, int]]:
    """Return the same of the requests that the samples hold."""
    return [(turn, time, name(item), size) for turn, (time, item, size) in enumerate(REQUESTS, start=1)]


def test_every_format_holds_the_same_requests(tmp_path: Path) -> None:
    """CSV by its header or by libCacheSim's own parameters, with and without a header; records; ids only."""
    path = libcachesim_csv(tmp_path)
    assert rows(path) == wanted()
    params = "time-col=1, obj-size-col=2, obj-id-col=3"
    assert rows(path, trace_params=params) == wanted()
    assert rows(oracle_general(tmp_path)) == wanted(ord)
    bare = tmp_path / "bare.csv"
    bare.write_text("\n".join(f"{time}|{size}|{name}" for time, name, size in REQUESTS))
    assert rows(bare, trace_params=f"{params}, delimiter=|, has-header=false") == wanted()
    assert rows(bare, trace_params="obj-id-col=3") == [(turn, None, item, None) for turn, _, item, _ in wanted()]
    ids = tmp_path / "ids.txt"
    ids.write_text("\r\n".join(name for _, name, _ in REQUESTS))
    assert [row[2] for row in rows(ids)] == [name for _, name, _ in REQUESTS]


@pytest.mark.parametrize("packing", [".gz", ".zst", ".xz"])
def test_packed_traces_are_unpacked(packing: str, tmp_path: Path) -> None:
    """One that is cut off is refused, with its name."""
    content = oracle_general(tmp_path).read_bytes()
    pack = {".gz": gzip.compress, ".xz": lzma.compress, ".zst": partial(pa.compress, codec="zstd", asbytes=True)}
    packed = pack[packing](content)
    path = tmp_path / f"t.oracleGeneral{packing}"
    path.write_bytes(packed)
    assert rows(path) == wanted(ord)
    path.write_bytes(packed[:-9])
    with pytest.raises(InvalidInputError, match=rf"t\.oracleGeneral\{packing}: cannot be read"):
        rows(path)


def test_a_turn_is_a_request_or_a_stretch_of_time(tmp_path: Path) -> None:
    """Replay may choose."""
    table, notes = import_trace("libcachesim", libcachesim_csv(tmp_path))
    assert notes == ["6 requests of 3 objects in 1 traces; tokens are bytes"]
    assert vd.Trace.read(table).session(0).session_length == 6
    assert vd.Trace.read(table, turn="5s").session(0).session_length == 3
    assert vd.Trace.read(table).session(0).tokens == (512, 4096, 1)


def test_lines_that_are_no_requests_are_counted(tmp_path: Path) -> None:
    """The header is line 1; empty lines are none; size 0 is left out, as libCacheSim does; sizes have an end."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"time,obj_id,size\n1.5,a,5\n\n2,b\nx,c,5\n3,,5\n4,d,0\n5,\xff,9999999999\n6,e,-1\n")
    table, notes = import_trace("libcachesim", path)
    assert table["item"].to_pylist() == ["a", "ÿ"]
    assert table["tokens"].to_pylist() == [5, 2**31 - 1]
    assert table["time"].to_pylist() == [1.5, 5.0]
    assert notes[1:] == [
        "4 lines left out, which have no object, or a size or time that is no number: a.csv rows 4, 5, 6, 9",
        "1 requests of size 0 left out: a.csv row 7",
    ]


def test_records_that_are_none_are_counted(tmp_path: Path) -> None:
    """A next request that is an earlier one, size 0, and an end in the middle of a record."""
    changed = records()
    changed[1], changed[3] = (11, 98, 4096, 1), (15, 99, 0, -1)
    path = oracle_general(tmp_path, changed)
    path.write_bytes(path.read_bytes()[:-5])
    assert [row[2] for row in rows(path)] == [97, 97, 97]
    assert import_trace("libcachesim", path)[1][1:] == [
        "1 records left out, which are cut off: trace.oracleGeneral.bin row 6",
        "1 records left out, whose next request is an earlier one: trace.oracleGeneral.bin row 2",
        "1 requests of size 0 left out: trace.oracleGeneral.bin row 4",
    ]


def test_what_does_not_fit_is_refused(tmp_path: Path) -> None:
    """Every mistake in the parameters, a CSV whose columns nobody names, an ending of no format."""
    path = libcachesim_csv(tmp_path)
    with pytest.raises(InvalidInputError) as error:
        rows(path, trace_params="obj-id-cal=1, time-col=0, has-header=maybe")
    assert [line.partition(";")[0] for line in error.value.problems] == [
        "--trace-params: obj-id-cal is none",
        "--trace-params: time-col is '0'",
        "--trace-params: has-header is 'maybe'",
        "--trace-params: there is no obj-id-col, the column of the objects",
    ]
    with pytest.raises(InvalidInputError, match="--trace-params is 'lru'; allowed: such as"):
        rows(path, trace_params="lru")
    path.write_text("1,2,3\n4,5,6\n")
    with pytest.raises(InvalidInputError, match="no header names its columns; name them with --trace-params"):
        rows(path)
    other = tmp_path / "trace.vscsi"
    other.write_bytes(b"x")
    with pytest.raises(InvalidInputError, match=r"its name ends in none of \.csv"):
        rows(other)
