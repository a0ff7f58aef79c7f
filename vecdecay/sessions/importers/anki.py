"""Collections of Anki: the log of reviews, with the grade of each.

An item is a card, a session a collection: one learner's memory. The table ``revlog`` holds a row per review: its time
(the id, in milliseconds), card, the button (``ease``: 1 again, 2 hard, 3 good, 4 easy; 0 where the schedule was changed
by hand), and what kind of review it was. As in Anki's own statistics, reviews in filtered decks that change no schedule
are left out (rslib/src/revlog/mod.rs, has_rating_and_affects_scheduling), and a card that was reset starts anew. In the
learning steps of the oldest scheduler (V1), 2 was good and 3 easy; the log does not say where, so grades stay as they
are. Nothing is read of notes and decks.
"""

import lzma
import os
import struct
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.events import RECALL, REGISTER
from vecdecay.sessions.importers.reading import Imported, Importer, LeftOut, Row, collected, refused, table_of
from vecdecay.sessions.importers.sqlite import rows_of

GRADES = {"again": 1, "hard": 2, "good": 3, "easy": 4}
"""The buttons of Anki and the ratings of FSRS, as the column ``grade`` holds them."""

_ENDINGS = (".anki2", ".anki21", ".colpkg", ".apkg")
_PACKED = ("collection.anki21b", "collection.anki21", "collection.anki2")
"""The collection in a package, the newest format first: packages hold an older one too, which may be a stub."""

_DAMAGED = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, OSError, EOFError, ValueError, RuntimeError)
"""What the modules that unpack raise for bytes that they do not understand."""

_COLUMNS = ("id", "cid", "ease", "type", "factor")
_FILTERED, _MANUAL = 3, 4
_LAST_MILLISECOND = 253_402_300_799_000


def read_anki(source: str | os.PathLike[str]) -> Imported:
    """Return the reviews of a collection (.anki2, .colpkg, .apkg), or of all below a folder, and notes.

    The table has session, time, item, kind and grade. The first review of a card registers it, later ones recall it.
    """
    rows, notes = collected(source, _ENDINGS, _reviews)
    return table_of(rows, "session", "time", "item", "kind", "grade"), [found(rows), *notes]


def found(rows: list[Row]) -> str:
    """Return what rows of session, time, item, …, grade hold, in a line."""
    counts = Counter(row[-1] for row in rows)
    grades = ", ".join(f"{name} {counts[grade]:,}" for name, grade in GRADES.items())
    cards = len({(row[0], row[2]) for row in rows})
    return f"{len(rows):,} reviews of {cards:,} cards; grades: {grades}"


def _reviews(path: Path, name: str, left_out: LeftOut) -> list[Row]:
    rows: list[Row] = []
    known: set[int] = set()
    with _collection(path) as collection:
        for number, row in enumerate(rows_of(collection, "revlog", _COLUMNS, "id", path)):
            reason = _reason(row)
            if reason is None:
                moment, card, grade = row[:3]
                rows.append((name, moment * 1000, str(card), RECALL if card in known else REGISTER, grade))
                known.add(card)
            else:
                left_out.add(reason, name, [number])
                if reason == _RESET:
                    known.discard(row[1])
    return rows


_RESET = "resets: such a card starts anew with its next review"


def _reason(row: tuple[Any, ...]) -> str | None:
    """Return why a row of the log is no review, None where it is one."""
    if not all(isinstance(one, int) for one in row):
        return "rows left out, with values that are no whole numbers"
    moment, _, grade, kind, factor = row
    if grade == 0:
        return _RESET if kind == _MANUAL and factor == 0 else "changes of the schedule by hand left out"
    if grade not in GRADES.values() or not 0 < moment <= _LAST_MILLISECOND:
        return "rows left out, with a grade or a time out of range"
    return "reviews in filtered decks left out, which change no schedule" if kind == _FILTERED and factor == 0 else None


@contextmanager
def _collection(path: Path) -> Iterator[Path]:
    """Give the SQLite file of a collection: the file itself, or one unpacked for as long as it is read."""
    if not zipfile.is_zipfile(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        unpacked = Path(folder, "collection.anki2")
        unpacked.write_bytes(_unpacked(path))
        yield unpacked


def _unpacked(path: Path) -> bytes:
    try:
        with zipfile.ZipFile(path) as package:
            member = next((one for one in _PACKED if one in package.namelist()), None)
            if member is None:
                raise refused(path, f"holds none of {', '.join(_PACKED)}")
            content = package.read(member)
        if member == "collection.anki21b":
            content = bytes(pa.input_stream(pa.BufferReader(content), compression="zstd").read())
        return content
    except InvalidInputError:
        raise
    except _DAMAGED as error:
        raise refused(path, f"cannot be unpacked: {error}") from None


ANKI = Importer("anki", "collections of Anki (.anki2, .colpkg, .apkg): reviews of cards, graded", read_anki, turn="1d")
