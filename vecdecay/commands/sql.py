"""``vecdecay sql``: a question in SQL to a run folder, answered as a table, CSV or JSON."""

import datetime as dt
import io
import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import accumulate
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from vecdecay.commands.screen import GAP, paragraph, show, table, width, width_of
from vecdecay.errors import InvalidInputError, in_one_line
from vecdecay.numerals import NOTHING, count, plain
from vecdecay.parameters import brief
from vecdecay.run.progress import tell
from vecdecay.store.sql import query

MOST_ROWS_ON_SCREEN = 1000
_ROWS_AT_ONCE = 10_000
_MOST_RECORDS = 3

_NO_VALUES = "allowed: dates and times of the years 1 to 9999; others can be cast: column::varchar"


def sql_command(folder: Path, statement: str, as_csv: bool, as_json: bool) -> None:
    """Print what the query comes to: aligned, or as CSV or a JSON list of records with all digits.

    JSON has no word for NaN and the infinities: they are null there, and in a list or a struct as well. Decimals and
    integers are numbers of any length, dates and times text as in ISO 8601, binary values text in hexadecimal digits,
    an interval its months, days and nanoseconds by name, and a map a list of pairs.
    """
    if as_csv and as_json:
        raise InvalidInputError(["--csv and --json: allowed: one of them"])
    result = query(folder, statement)
    if as_csv:
        show_csv(result)
    elif as_json:
        _show_json(result)
    else:
        shown = result.slice(0, MOST_ROWS_ON_SCREEN)
        rows = zip(*map(_values, shown.columns), strict=True)
        show(*_table(result.column_names, [[_text(value) for value in row] for row in rows]))
        if result.num_rows > shown.num_rows:
            tell(f"the first {shown.num_rows:,} of {count(result.num_rows, 'row')}; --csv prints all")


def _table(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return an aligned table; where it is too wide, records of few rows, else the first columns of many."""
    widths = [width_of(column) for column in zip(names, *rows, strict=True)]
    ends = list(accumulate(one + len(GAP) for one in widths))
    if ends[-1] - len(GAP) <= width() or len(rows) <= _MOST_RECORDS:
        return table(names, rows)
    kept = max(1, sum(end < width() for end in ends))
    lines = table([*names[:kept], "…"], [[*row[:kept], "…"] for row in rows], stack=False)
    return [*lines, "", *paragraph(f"… {count(len(names) - kept, 'more column')}; --csv prints all")]


def _values(column: Any) -> list[Any]:
    try:
        values: list[Any] = column.to_pylist()
    except (OverflowError, ValueError) as error:  # Python's dates end where the engine's go on
        raise InvalidInputError([f"sql: {in_one_line(error)}; {_NO_VALUES}"]) from error
    return values


def _text(value: Any) -> str:
    if value is None:
        return NOTHING
    text = f"{value:.6g}" if isinstance(value, float) and not value.is_integer() else plain(value)
    return text if text.isprintable() else repr(text)


def show_csv(result: pa.Table) -> None:
    """Print a table as CSV, with all digits."""
    written = io.BytesIO()
    pyarrow.csv.write_csv(_flat(result), written)
    show(written.getvalue().decode().removesuffix("\n"))


def _show_json(result: pa.Table) -> None:
    twice = [name for name, times in Counter(result.column_names).items() if times > 1]
    if twice:
        names = ", ".join(map(brief, twice))
        raise InvalidInputError([f"sql: several columns are named {names}; allowed with --json: a name for each (AS)"])
    show("[" + ",\n".join(_records(result)) + "]")


def _records(result: pa.Table) -> Iterator[str]:
    keys = [f"{json.dumps(name)}: " for name in result.column_names]
    for first in range(0, result.num_rows, _ROWS_AT_ONCE):
        columns = [map(_json, _values(column)) for column in result.slice(first, _ROWS_AT_ONCE).columns]
        for row in zip(*columns, strict=True):
            yield "{" + ", ".join(map("".join, zip(keys, row, strict=True))) + "}"


def _json(value: Any) -> str:
    """Return a value as strict JSON."""
    if value is None or isinstance(value, str | bool):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "null"
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() else "null"
    if isinstance(value, bytes):
        return f'"{value.hex()}"'
    if isinstance(value, dt.date | dt.time):
        return f'"{value.isoformat()}"'
    if isinstance(value, pa.MonthDayNano):
        return _json({"months": value.months, "days": value.days, "nanoseconds": value.nanoseconds})
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(key))}: {_json(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_json, value)) + "]"
    return json.dumps(str(value))


def _flat(result: pa.Table) -> pa.Table:
    """Return a table that CSV can hold: dictionaries written out, lists and the like as text."""
    columns = []
    for column in result.columns:
        if pa.types.is_dictionary(column.type):
            columns.append(column.cast(column.type.value_type))
        elif pa.types.is_nested(column.type):
            texts = [None if value is None else plain(value) for value in column.to_pylist()]
            columns.append(pa.array(texts, pa.string()))
        else:
            columns.append(column)
    return pa.Table.from_arrays(columns, names=result.column_names)
