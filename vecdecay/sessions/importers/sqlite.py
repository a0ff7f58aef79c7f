"""SQLite files, read so that nothing is ever written: neither to them nor beside them."""

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from vecdecay.sessions.importers.reading import refused

_BESIDE = ("-wal", "-journal")
"""What SQLite keeps beside a file: changes that are not in it yet, or not for good."""


def rows_of(path: Path, table: str, columns: tuple[str, ...], order: str, shown: Path | None = None) -> Iterator[Any]:
    """Yield the rows of a table as tuples of some columns; ``shown`` is the file that errors name.

    Where changes lie beside the file, it is read together with them, in a copy.

    Raises:
        InvalidInputError: the file is no database, is damaged, or lacks the table or a column.
    """
    named = shown or path
    try:
        with ExitStack() as stack:
            connection = stack.enter_context(closing(_opened(path, stack)))
            connection.text_factory = lambda content: content.decode(errors="replace")
            kinds = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?", (table,))
            if kinds.fetchone() is None:
                raise refused(named, f"has no table {table}")
            found = connection.execute(f"SELECT {', '.join(columns)} FROM {table} ORDER BY {order}")
            # Pages of a damaged file can point at each other again and again.
            most = path.stat().st_size
            for number, row in enumerate(found):
                if number > most:
                    raise refused(named, "is damaged: it has more rows than bytes")
                yield row
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:  # messages quote names of a damaged schema
        raise refused(named, f"cannot be read as SQLite: {error}") from None


def _opened(path: Path, stack: ExitStack) -> sqlite3.Connection:
    beside = [one for one in (path.with_name(path.name + ending) for ending in _BESIDE) if one.is_file()]
    if not any(one.stat().st_size for one in beside):
        return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    folder = stack.enter_context(tempfile.TemporaryDirectory())
    for one in (path, *beside):
        shutil.copyfile(one, Path(folder, one.name))
    return sqlite3.connect(Path(folder, path.name))
