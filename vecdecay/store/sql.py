"""Questions in SQL to a run folder, answered by DuckDB (extra ``sql``), which sees the run's files and nothing else."""

from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.dataset as ds

from vecdecay.errors import InvalidInputError, OutputError, VecdecayError
from vecdecay.parameters import printable
from vecdecay.store.ledger import LEDGER_NAME, read_ledger
from vecdecay.store.manifest import MANIFEST_NAME, read_manifest
from vecdecay.store.tables import TABLES

# The engine may not touch a file, load an extension or see this program's variables: tables are handed to it.
_CONFINED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}


def query(folder: Path, statement: str) -> pa.Table:
    """Return what one SQL query comes to; nothing in the folder is changed.

    The views, named as the tables of a run, hold those files of the run that its manifest names or, as long as it is
    not finished, its ledger; a view that the run keeps no rows for does not exist.

    Raises:
        InvalidInputError: the query is wrong; one line.
        OutputError: the folder holds no run, or its files cannot be read.
        VecdecayError: DuckDB is not installed.
    """
    duckdb = _duckdb()
    files = _files_by_view(folder)
    connection = duckdb.connect(":memory:", config=_CONFINED)
    try:
        for view, names in files.items():
            connection.register(view, ds.dataset([str(folder / name) for name in names], format="parquet"))
        connection.execute("SET lock_configuration = true")
        _refuse_several(connection, duckdb, statement)
        return connection.sql(statement).to_arrow_table()
    except duckdb.Error as error:
        raise InvalidInputError([f"sql: {_message(error)}; views of this run: {', '.join(files)}"]) from error
    except (OSError, pa.ArrowException) as error:
        raise OutputError(f"{printable(folder)}: cannot be read: {_message(error)}") from error
    except UnicodeEncodeError as error:
        raise OutputError(f"{printable(folder)}: SQL reads no path that is not UTF-8; rename the folder") from error
    finally:
        connection.close()


def _duckdb() -> Any:
    try:
        import duckdb
    except ImportError as error:
        raise VecdecayError("SQL needs the package duckdb; install it with: pip install 'vecdecay[sql]'") from error
    return duckdb


def _files_by_view(folder: Path) -> dict[str, list[str]]:
    """Return the run's Parquet files by the view that they belong to."""
    by_view: dict[str, list[str]] = {}
    for name in sorted(_run_files(folder)):
        path = PurePosixPath(name)
        view = path.stem if len(path.parts) == 1 else path.parts[0]
        if path.suffix == ".parquet" and view in TABLES:
            by_view.setdefault(view, []).append(name)
    return {view: by_view[view] for view in TABLES if view in by_view}


def _run_files(folder: Path) -> Iterable[str]:
    if (folder / MANIFEST_NAME).exists():
        return [str(file["file"]) for file in read_manifest(folder)["files"]]
    if (folder / LEDGER_NAME).exists():
        return [entry.file for entry in read_ledger(folder).entries.values()]
    raise OutputError(f"{printable(folder)}: holds no run of this program")


def _refuse_several(connection: Any, duckdb: Any, statement: str) -> None:
    statements = connection.extract_statements(statement)
    kinds = (duckdb.StatementType.SELECT, duckdb.StatementType.EXPLAIN)
    if len(statements) != 1 or statements[0].type not in kinds:
        raise InvalidInputError(["sql: allowed: one query, such as: select * from cells"])


def _message(error: Exception) -> str:
    """Return the message on one line, with its candidates, without the query that DuckDB repeats below it."""
    return " ".join(str(error).partition("\nLINE ")[0].split())
