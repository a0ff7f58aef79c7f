"""``vecdecay sql``: a question in SQL to a run folder, answered as a table, CSV or JSON."""

import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv

from vecdecay.commands.numerals import count, plain
from vecdecay.commands.screen import NOTHING, show, table, tell
from vecdecay.errors import InvalidInputError
from vecdecay.store.sql import query

MOST_ROWS_ON_SCREEN = 1000
_ROWS_AT_ONCE = 10_000


def sql_command(folder: Path, statement: str, as_csv: bool, as_json: bool) -> None:
    """Print what the query comes to: aligned, or as CSV or a JSON list of records with all digits."""
    if as_csv and as_json:
        raise InvalidInputError(["--csv and --json: allowed: one of them"])
    result = query(folder, statement)
    if as_csv:
        _show_csv(result)
    elif as_json:
        _show_json(result)
    else:
        shown = result.slice(0, MOST_ROWS_ON_SCREEN)
        show(*table(result.column_names, [[_text(value) for value in row] for row in _rows(shown)]))
        if result.num_rows > shown.num_rows:
            tell(f"the first {shown.num_rows:,} of {count(result.num_rows, 'row')}; --csv prints all")


def _rows(result: pa.Table) -> list[tuple[Any, ...]]:
    return list(zip(*(column.to_pylist() for column in result.columns), strict=True))


def _text(value: Any) -> str:
    if value is None:
        return NOTHING
    text = f"{value:.6g}" if isinstance(value, float) and not value.is_integer() else plain(value)
    return text if text.isprintable() else repr(text)


def _show_csv(result: pa.Table) -> None:
    written = io.BytesIO()
    pyarrow.csv.write_csv(_flat(result), written)
    show(written.getvalue().decode().removesuffix("\n"))


def _show_json(result: pa.Table) -> None:
    pieces = [
        ",\n".join(json.dumps(record, default=_json_value) for record in batch.to_pylist())
        for batch in result.to_batches(_ROWS_AT_ONCE)
        if batch.num_rows
    ]
    show("[" + ",\n".join(pieces) + "]")


def _json_value(value: Any) -> int | str:
    return int(value) if isinstance(value, Decimal) and value == int(value) else str(value)


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
