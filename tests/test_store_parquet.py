"""Tests of vecdecay.store.parquet: the same table gives the same bytes, and every reader reads the same."""

import io
import sys
from pathlib import Path

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import vecdecay as vd
from vecdecay.errors import OutputError
from vecdecay.store.parquet import ROWS_PER_GROUP, open_parquet, write_parquet, write_part, write_table


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """Return a table with integers, rates, text, booleans and nulls."""
    policies = [vd.RecencyWindow(100), vd.Ebbinghaus(baseline_stability=2.0)]
    return vd.simulate(vd.PublishedSessions(noise_per_turn=1), policies, range(20), detail="items").items


def written(table: pa.Table, metadata: dict[str, str] | None = None) -> bytes:
    """Return the bytes of the file."""
    sink = io.BytesIO()
    write_table(table, sink, metadata)
    return sink.getvalue()


def test_the_same_table_gives_the_same_bytes(table: pa.Table) -> None:
    """Nothing of clock, host or path gets in: written twice, or after a copy through memory, the bytes are the same."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    copy = pa.ipc.open_stream(sink.getvalue()).read_all()
    assert written(table) == written(table) == written(copy)


def test_how_the_rows_were_batched_does_not_matter(table: pa.Table) -> None:
    """One batch, or many small ones: the file is the same."""
    pieces = [table.combine_chunks()] + [
        pa.Table.from_batches(table.combine_chunks().to_batches(max_chunksize=size), table.schema) for size in (7, 1000)
    ]
    assert len({written(piece) for piece in pieces}) == 1


def test_readers_agree(table: pa.Table, tmp_path: Path) -> None:
    """PyArrow, Polars and DuckDB read the same rows, and a null is a null in each."""
    path = write_parquet(tmp_path / "items.parquet", table)
    rows = table.to_pylist()
    assert pq.read_table(path).to_pylist() == rows
    assert pl.read_parquet(path).to_dicts() == rows
    read = duckdb.execute(f"select * from '{path}'")
    names = [column[0] for column in read.description]
    assert [dict(zip(names, row, strict=True)) for row in read.fetchall()] == rows
    known = sum(row["evicted_turn"] is not None for row in rows)
    assert 0 < known < len(rows)
    (found,) = duckdb.execute(f"select count(*) from '{path}' where evicted_turn > 0").fetchone()
    assert found == known


def test_schema_and_meaning_survive(table: pa.Table, tmp_path: Path) -> None:
    """Types, nullability, units and meanings come back from the file; given words are in its footer."""
    path = tmp_path / "items.parquet"
    write_part(path, table, {"vecdecay.digest": "abc"})
    back = pq.read_schema(path)
    assert back.metadata[b"vecdecay.digest"] == b"abc"
    for field in table.schema:
        assert back.field(field.name).equals(field, check_metadata=False)
        stored = back.field(field.name).metadata
        assert {key: stored[key] for key in (b"meaning", b"unit", b"dimensions")} == field.metadata


def test_row_groups_and_encodings() -> None:
    """Groups have 131,072 rows, pages are compressed by zstd, and a range of seeds takes next to nothing."""
    count = ROWS_PER_GROUP + 5
    table = pa.table({"seed": pa.array(np.arange(count)), "rate": pa.array(np.arange(count) % 5 / 4)})
    content = written(table)
    metadata = pq.ParquetFile(io.BytesIO(content)).metadata
    assert [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)] == [131_072, 5]
    seed, rate = metadata.row_group(0).column(0), metadata.row_group(0).column(1)
    assert {seed.compression, rate.compression} == {"ZSTD"}
    assert "DELTA_BINARY_PACKED" in seed.encodings
    assert any("DICTIONARY" in name for name in rate.encodings)
    assert seed.total_compressed_size < count / 10
    assert seed.statistics.max == ROWS_PER_GROUP - 1


def test_a_file_is_whole_or_absent(tmp_path: Path, table: pa.Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where writing fails half-way, no file is left, under no name."""

    def fail(*arguments: object, **keywords: object) -> None:
        raise RuntimeError("half-way")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", fail)
    with pytest.raises(RuntimeError, match="half-way"):
        write_parquet(tmp_path / "new" / "items.parquet", table)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path: Path, table: pa.Table) -> None:
    """A file where a folder should be gives an OutputError, not a traceback of the system's."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(OutputError):
        write_parquet(tmp_path / "taken" / "items.parquet", table)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not UTF-8")
def test_a_path_that_is_not_utf8_is_read(table: pa.Table, tmp_path: Path) -> None:
    """PyArrow's own opening fails there; a run in such a folder must be readable."""
    path = tmp_path / "not-utf8-\udcff.parquet"
    write_part(path, table)
    with open_parquet(path) as file:
        assert file.read().equals(table)
    with pytest.raises(FileNotFoundError):
        open_parquet(tmp_path / "missing-\udcff.parquet")
