"""Questions in SQL to a run folder: views with exactly the run's rows, and nothing that could be changed or reached."""

import shutil
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from file_faults import content_of
from sweep_runs import Here, small_sweep

from vecdecay.errors import InvalidInputError, OutputError, VecdecayError
from vecdecay.run.sweep import run_sweep
from vecdecay.store.manifest import MANIFEST_NAME
from vecdecay.store.sql import query

pytest.importorskip("duckdb")
# Two cells of four sessions of 25 turns, in each of which 2 foundational items and 25 items of noise are registered.
ROWS = {"cells": 2, "sessions": 8, "items": 8 * 27, "turns": 8 * 25}
VIEWS = {
    "cells": ("cells", "histograms"),
    "sessions": ("cells", "sessions", "histograms"),
    "items": ("cells", "sessions", "items", "histograms"),
    "turns": ("cells", "sessions", "turns", "histograms"),
    "misses": ("cells", "sessions", "misses", "histograms"),
}


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Path:
    """A folder with a finished run of each detail."""
    folder = tmp_path_factory.mktemp("finished")
    for detail in VIEWS:
        run_sweep(small_sweep(detail, seeds=4, axes=False), folder / detail, executor=Here(), check=0)
    return folder


def count(folder: Path, view: str) -> int:
    """Return the number of rows of a view."""
    return int(query(folder, f"select count(*) from {view}")[0][0].as_py())


@pytest.mark.parametrize("detail", VIEWS)
def test_views_hold_exactly_the_rows_of_the_run(detail: str, finished: Path) -> None:
    """Every table of the run is a view, with as many rows as the files have; there is no view without a table."""
    for view in ("cells", "sessions", "items", "turns", "misses", "histograms"):
        if view not in VIEWS[detail]:
            with pytest.raises(InvalidInputError, match=f"views of this run: {', '.join(VIEWS[detail])}$"):
                query(finished / detail, f"select * from {view}")
        elif view == "histograms":
            files = (finished / detail / "histograms").iterdir()
            assert count(finished / detail, view) == sum(pq.read_metadata(file).num_rows for file in files)
        else:
            rows = ROWS.get(view) or int(query(finished / detail, "select sum(misses) from sessions")[0][0].as_py())
            assert count(finished / detail, view) == rows


def test_values_are_those_of_the_files(finished: Path) -> None:
    """Every column and value as Parquet holds them."""
    held = pq.read_table(finished / "sessions/sessions/part-000000.parquet")
    found = query(finished / "sessions", "select * from sessions order by cell, seed")
    assert found.column_names == held.column_names
    assert found.to_pylist() == held.to_pylist()
    joined = query(
        finished / "sessions",
        "select policy, count(*) as n from sessions join cells using (cell) group by 1 order by 1",
    )
    assert joined.to_pylist() == [{"policy": "ebbinghaus", "n": 4}, {"policy": "recency_window", "n": 4}]


def test_an_unfinished_run_can_be_asked(finished: Path, tmp_path: Path) -> None:
    """Without a manifest the ledger says what there is; a file that it does not name is not counted."""
    folder = shutil.copytree(finished / "sessions", tmp_path / "copy")
    shutil.copy(folder / "sessions/part-000000.parquet", folder / "sessions/part-000007.parquet")
    assert count(folder, "sessions") == 8
    (folder / MANIFEST_NAME).unlink()
    assert count(folder, "sessions") == 8
    with pytest.raises(InvalidInputError, match=r"views of this run: sessions, histograms$"):
        query(folder, "select * from cells")


REFUSED = [
    "insert into cells values (1)",
    "update cells set cell = 7",
    "delete from cells",
    "drop view cells",
    "create table mine as select * from cells",
    "copy cells to '{file}'",
    "attach '{file}'",
    "export database '{file}'",
    "set threads = 1",
    "pragma version",
    "install httpfs",
    "load httpfs",
    "select 1; drop view cells",
    "",
]


@pytest.mark.parametrize("statement", REFUSED)
def test_anything_but_one_query_is_refused(statement: str, finished: Path, tmp_path: Path) -> None:
    """In one line, always the same; no file is made or changed."""
    before = content_of(finished)
    with pytest.raises(InvalidInputError) as refused:
        query(finished / "sessions", statement.format(file=tmp_path / "file"))
    assert refused.value.problems == ("sql: allowed: one query, such as: select * from cells",)
    assert list(tmp_path.iterdir()) == []
    assert content_of(finished) == before


@pytest.mark.parametrize(
    "statement",
    [
        "select * from '{run}/cells.parquet'",
        "select * from read_parquet('{run}/cells.parquet')",
        "select * from read_csv('/etc/hosts')",
        "select * from read_text('/etc/hosts')",
        "select * from glob('/*')",
        "explain analyze copy (select 1) to '{file}'",
    ],
)
def test_nothing_outside_the_views_is_reached(statement: str, finished: Path, tmp_path: Path) -> None:
    """No file is read, and none is written by way of an explanation: one line."""
    with pytest.raises(InvalidInputError) as refused:
        query(finished / "sessions", statement.format(run=finished / "sessions", file=tmp_path / "file"))
    assert len(refused.value.problems) == 1
    assert "\n" not in refused.value.problems[0]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "statement", ["selec", "select nothing from cells", "select * from nowhere", "select cast('a' as int)"]
)
def test_a_mistake_in_the_query_is_one_line(statement: str, finished: Path) -> None:
    """What the engine says of it, and the views that there are."""
    with pytest.raises(InvalidInputError) as refused:
        query(finished / "sessions", statement)
    (line,) = refused.value.problems
    assert line.startswith("sql: ")
    assert line.endswith("; views of this run: cells, sessions, histograms")
    assert "\n" not in line


def test_a_folder_without_a_run_is_one_line(tmp_path: Path) -> None:
    """Whether it is there or not."""
    for folder in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(OutputError) as refused:
            query(folder, "select 1")
        assert str(refused.value) == f"{folder}: holds no run of this program"


@pytest.mark.parametrize("damage", [b"", b"PAR1 and no more"])
def test_a_file_that_cannot_be_read_is_one_line(damage: bytes, finished: Path, tmp_path: Path) -> None:
    """The folder is named, whatever is wrong with the file."""
    folder = shutil.copytree(finished / "cells", tmp_path / "copy")
    (folder / "cells.parquet").write_bytes(damage)
    with pytest.raises(OutputError) as refused:
        query(folder, "select * from cells")
    assert str(refused.value).startswith(f"{folder}: cannot be read: ")
    assert "\n" not in str(refused.value)


def test_without_the_engine_it_says_what_to_install(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra that brings it."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(VecdecayError) as missing:
        query(finished / "cells", "select 1")
    assert str(missing.value) == "SQL needs the package duckdb; install it with: pip install 'vecdecay[sql]'"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no names that are not UTF-8")
def test_a_folder_whose_name_is_not_utf8_is_one_line(finished: Path, tmp_path: Path) -> None:
    """Neither PyArrow nor DuckDB opens such a path; the line says what can be done."""
    folder = shutil.copytree(finished / "cells", tmp_path / "not-utf8-\udcff")
    with pytest.raises(OutputError, match=r"not-utf8-.*: SQL reads no path that is not UTF-8; rename the folder$"):
        query(folder, "select * from cells")
