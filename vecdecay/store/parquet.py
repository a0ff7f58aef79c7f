"""Parquet files as this program writes them: the same table gives the same bytes, and a file is whole or absent."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq

from vecdecay.store.files import PathLike, WrittenFile, prepare_folder, write_file

ROWS_PER_GROUP = 131_072


def _encodings(schema: pa.Schema) -> dict[str, Any]:
    """Store seeds as differences (next to nothing for a range); all other columns have few values and a dictionary."""
    by_difference = [field.name for field in schema if field.name == "seed" and pa.types.is_integer(field.type)]
    return {
        "use_dictionary": [field.name for field in schema if field.name not in by_difference],
        "column_encoding": dict.fromkeys(by_difference, "DELTA_BINARY_PACKED"),
    }


def table_writer(schema: pa.Schema, sink: BinaryIO, metadata: Mapping[str, str] | None = None) -> pq.ParquetWriter:
    """Return a writer into an open file; ``metadata`` goes into the footer and must hold no clock, host or path."""
    if metadata:
        schema = schema.with_metadata({**(schema.metadata or {}), **metadata})
    return pq.ParquetWriter(
        sink,
        schema,
        compression="zstd",
        compression_level=3,
        version="2.6",
        write_statistics=True,
        **_encodings(schema),
    )


def open_parquet(path: PathLike) -> pq.ParquetFile:
    """Open a Parquet file for reading; use it as a context manager.

    PyArrow itself opens no path that is not UTF-8, and takes twice as long for one that is.
    """
    return pq.ParquetFile(pa.OSFile(os.fsencode(path)))


def write_table(table: pa.Table, sink: BinaryIO, metadata: Mapping[str, str] | None = None) -> None:
    """Write a table into an open file; see ``table_writer``."""
    with table_writer(table.schema, sink, metadata) as writer:
        writer.write_table(table, row_group_size=ROWS_PER_GROUP)


def write_part(path: Path, table: pa.Table, metadata: Mapping[str, str] | None = None) -> WrittenFile:
    """Write a table under its final name at once or not at all; return name, size and digest."""
    return write_file(path, lambda sink: write_table(table, sink, metadata))


def write_parquet(path: Path, table: pa.Table) -> Path:
    """Write a table atomically, creating its folder where needed; return the path."""
    prepare_folder(path.parent)
    write_part(path, table)
    return path
