"""SQLite files are read and never written to, whatever lies beside them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from importer_samples import anki, database, reviews

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace
from vecdecay.sessions.importers.sqlite import rows_of


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder."""
    return {one.name: one.read_bytes() for one in folder.iterdir()}


def test_changes_beside_the_file_are_read_too(tmp_path: Path) -> None:
    """A collection that is open in Anki has its last reviews in a log beside it."""
    path = anki(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.executemany(f"INSERT INTO revlog VALUES ({', '.join('?' * 9)})", reviews([(19_850, 7, 3, 1)]))
        connection.commit()
        before = contents(tmp_path)
        assert "collection.anki2-wal" in before
        assert import_trace("anki", path)[0].num_rows == 6
        assert contents(tmp_path) == before


def test_the_mode_of_a_closed_file_does_not_matter(tmp_path: Path) -> None:
    """A file in WAL mode is opened without the files that SQLite would make beside it."""
    path = anki(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = WAL")
    before = contents(tmp_path)
    assert import_trace("anki", path)[0].num_rows == 5
    assert contents(tmp_path) == before


def test_what_only_looks_like_a_table_is_refused(tmp_path: Path) -> None:
    """A view could run for ever."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x AS id FROM n"
    path = database(tmp_path / "a.db", f"CREATE VIEW revlog AS {endless};", "revlog", [])
    with pytest.raises(InvalidInputError, match="has no table revlog"):
        list(rows_of(path, "revlog", ("id",), "id"))


def test_a_column_that_is_not_there_is_named(tmp_path: Path) -> None:
    """The error names the file that was given."""
    path = database(tmp_path / "a.db", "CREATE TABLE revlog (id INTEGER);", "revlog", [(1,)])
    with pytest.raises(InvalidInputError, match=r"shown\.db: cannot be read as SQLite: no such column: cid"):
        list(rows_of(path, "revlog", ("id", "cid"), "id", Path("shown.db")))


def test_a_damaged_schema_is_one_line(tmp_path: Path) -> None:
    """SQLite quotes the schema in its message, in whatever bytes it has."""
    path = database(tmp_path / "a.db", "CREATE TABLE revlog (id INTEGER);", "revlog", [(1,)])
    content = path.read_bytes()
    path.write_bytes(content.replace(b"revlogrevlog", b"\xff\xfe\xfdlogrevlog").replace(b"CREATE", b"CREATX"))
    with pytest.raises(InvalidInputError, match=r"a\.db: cannot be read as SQLite"):
        list(rows_of(path, "revlog", ("id",), "id"))
