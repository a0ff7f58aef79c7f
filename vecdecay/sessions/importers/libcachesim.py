"""Traces of libCacheSim: CSV with any columns, text with an id a line, and the binary oracleGeneral.

An item is an object, a session a trace, a turn a request; ``time`` is the clock of the trace, in seconds (for
``vecdecay replay --turn 1h``). Sizes become tokens; as libCacheSim does, requests of size 0 are left out.

Source: 1a1a11a/libCacheSim, traceReader/generalReader/csv.c (columns are named as in its option --trace-type-params),
traceReader/customizedReader/oracle/oracleGeneralBin.h (records of 24 bytes).
"""

import os
import re
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.importers.lines import WHOLE, fields_of, found_in, lines_of, request_table
from vecdecay.sessions.importers.reading import Imported, Importer, LeftOut, bytes_of, collected, refused

_RECORD = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next", "<i8")])
_NO_NEXT = (-1, 2**63 - 1)
_MOST_REQUESTS = 2**40
_PACKED = (".gz", ".zst", ".bz2", ".xz")
_ENDINGS = (".csv", ".txt", ".oracleGeneral", ".oracleGeneral.bin")
_NAMES = {
    "obj-id-col": ("obj_id", "obj-id", "object_id", "object", "obj", "key", "id", "lbn"),
    "time-col": ("time", "timestamp", "real_time", "clock_time", "ts"),
    "obj-size-col": ("size", "obj_size", "obj-size", "object_size", "length", "bytes"),
}
"""The columns of CSV traces, by libCacheSim's names for their places, and what headers call them."""

_PARAMETERS = (*_NAMES, "has-header", "delimiter")
_PARAMETER = re.compile(r"\s*([a-z-]+)\s*=\s*(,|[^,]*)(?:,|$)")
_EXAMPLE = "time-col=2, obj-id-col=5, obj-size-col=4"


class _Layout(NamedTuple):
    """How a CSV trace is read: places of columns from 0, a header or none (None: by its letters), the separator."""

    places: dict[str, int]
    header: bool | None
    separator: str | None


def read_libcachesim(source: str | os.PathLike[str], trace_params: str = "") -> Imported:
    """Return the requests of a trace (.csv, .txt, .oracleGeneral; packed or not), or of all below a folder, and notes.

    The table has session, turn, item, and, where the trace has them, time and tokens. ``trace_params`` says which
    columns of a CSV are what, as libCacheSim's option does, if its header does not.
    """
    layout = _layout(trace_params)
    endings = tuple(one + packed for one in _ENDINGS for packed in ("", *_PACKED))
    tables, notes = collected(source, endings, partial(_requests, layout=layout))
    table = pa.concat_tables(tables, promote_options="default")
    return table, [found_in(table), *notes]


def _layout(text: str) -> _Layout:
    given = {match[1]: match[2].strip() for match in _PARAMETER.finditer(text)}
    allowed = f"allowed: such as {_EXAMPLE!r}"
    problems = [] if not text.strip() or given else [f"--trace-params is {brief(text)}; {allowed}"]
    for name, value in given.items():
        if name not in _PARAMETERS:
            problems.append(
                f"--trace-params: {name} is none{did_you_mean(name, _PARAMETERS)}; allowed: such as {_EXAMPLE!r}"
            )
        elif name in _NAMES and not re.fullmatch(r"[1-9]\d{0,3}", value):
            problems.append(f"--trace-params: {name} is {brief(value)}; allowed: the number of a column, from 1")
        elif name == "has-header" and value not in ("true", "false"):
            problems.append(f"--trace-params: has-header is {brief(value)}; allowed: true, false")
    if any(name in given for name in _NAMES) and "obj-id-col" not in given:
        problems.append("--trace-params: there is no obj-id-col, the column of the objects")
    if problems:
        raise InvalidInputError(problems)
    places = {name: int(given[name]) - 1 for name in _NAMES if name in given}
    header = given["has-header"] == "true" if "has-header" in given else None
    return _Layout(places, header, given.get("delimiter") or None)


def _requests(path: Path, name: str, left_out: LeftOut, layout: _Layout) -> list[pa.Table]:
    plain = path.name.removesuffix(path.suffix) if path.suffix in _PACKED else path.name
    if "oraclegeneral" in plain.lower():
        return _records(path, name, left_out)
    if plain.endswith(".txt"):
        layout = layout._replace(places={"obj-id-col": 0}, header=bool(layout.header))
    if plain.endswith((".csv", ".txt")):
        return _rows(path, name, left_out, layout)
    raise refused(path, f"its name ends in none of {', '.join(_ENDINGS)} (packed or not)")


def _records(path: Path, name: str, left_out: LeftOut) -> list[pa.Table]:
    """Read oracleGeneral. A record says which request is the next of its object, which cannot be an earlier one."""
    content = bytes_of(path)
    records = np.frombuffer(content, _RECORD, count=len(content) // _RECORD.itemsize)
    number = np.arange(len(records))
    later = (records["next"] > number + 1) & (records["next"] < _MOST_REQUESTS)
    sound = np.isin(records["next"], _NO_NEXT) | later
    if sound.mean() < 0.5 if len(records) else True:
        raise refused(path, "is no trace in oracleGeneral: records of 24 bytes that name the next request of an object")
    if len(content) % _RECORD.itemsize:
        left_out.add("records left out, which are cut off", name, [len(records)])
    left_out.add("records left out, whose next request is an earlier one", name, np.flatnonzero(~sound))
    left_out.add("requests of size 0 left out", name, np.flatnonzero(sound & (records["size"] == 0)))
    kept = records[sound & (records["size"] > 0)]
    if not len(kept):
        return []
    turn = np.arange(1, len(kept) + 1)
    table = request_table(name, turn, pa.array(kept["object"].astype(np.int64)), kept["size"].astype(np.int64))
    return [table.append_column("time", pa.array(kept["time"].astype(np.int64)))]


def _rows(path: Path, name: str, left_out: LeftOut, layout: _Layout) -> list[pa.Table]:
    lines = lines_of(path)
    first = lines[0].as_py()
    separator = layout.separator or max(",\t|:", key=first.count)
    letters, digits = (sum(map(test, first)) for test in (str.isalpha, str.isdigit))
    header = layout.header if layout.header is not None else letters > digits
    places = layout.places or (_of_header(first.split(separator)) if header else {})
    if "obj-id-col" not in places:
        raise refused(path, f"no header names its columns; name them with --trace-params {_EXAMPLE!r}")
    fields, short = fields_of(lines[int(header) :], set(places.values()), separator)
    item, size, time = (places.get(one) for one in ("obj-id-col", "obj-size-col", "time-col"))
    assert item is not None
    sound = fields.matching(item, r"\S.{0,499}")
    sound &= True if size is None else fields.matching(size, WHOLE)
    sound &= True if time is None else fields.matching(time, rf"{WHOLE}(?:\.\d*)?")
    bad = np.sort(np.concatenate([short, fields.number[~sound]])) + int(header)
    left_out.add("lines left out, which have no object, or a size or time that is no number", name, bad)
    fields = fields.kept(sound)
    sizes = None if size is None else fields.integers(size)
    if sizes is not None:
        left_out.add("requests of size 0 left out", name, fields.number[sizes == 0] + int(header))
        fields, sizes = fields.kept(sizes > 0), sizes[sizes > 0]
    if not len(fields.number):
        return []
    table = request_table(name, np.arange(1, len(fields.number) + 1), fields.columns[item], sizes)
    return [table if time is None else table.append_column("time", _times(fields.columns[time]))]


def _of_header(names: list[str]) -> dict[str, int]:
    called = [one.strip().strip('"').lower() for one in names]
    found = {role: next((one for one in some if one in called), None) for role, some in _NAMES.items()}
    return {role: called.index(one) for role, one in found.items() if one is not None}


def _times(column: pa.Array) -> pa.Array:
    whole = pc.all(pc.match_substring_regex(column, rf"^{WHOLE}$")).as_py()
    return column.cast(pa.int64() if whole else pa.float64())


_SUMMARY = "traces of libCacheSim (.csv, .txt, .oracleGeneral): requests, with sizes as tokens"
LIBCACHESIM = Importer("libcachesim", _SUMMARY, read_libcachesim, ("trace_params",))
