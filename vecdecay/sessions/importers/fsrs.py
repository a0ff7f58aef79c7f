"""Review logs as FSRS optimizers take them: CSV, a row per review, with its grade.

An item is a card, a session a user, or the file where no column names users. The columns are those of fsrs-optimizer
(card_id, review_time, review_rating), of py-fsrs (review_datetime, rating), of Anki's table (cid, id, ease), or those
of logs of many users (user_id, day_offset). A rating of 0, a change by hand, is no review. Times are numbers since 1970
in seconds, milliseconds or microseconds, by their size, or ISO 8601; where there are days only, they are the turns.

Source: open-spaced-repetition/fsrs-optimizer, README (schema of review logs); py-fsrs, fsrs/review_log.py.
"""

import csv
import datetime as dt
import io
import os
from pathlib import Path

from vecdecay.sessions.importers.anki import GRADES, found
from vecdecay.sessions.importers.reading import (
    Imported,
    Importer,
    LeftOut,
    Row,
    bytes_of,
    collected,
    refused,
    table_of,
    time_of,
)

COLUMNS = {
    "item": ("card_id", "cid", "card", "item"),
    "time": ("review_time", "review_datetime", "review_date", "timestamp", "time", "id"),
    "turn": ("day_offset", "day", "turn"),
    "grade": ("review_rating", "rating", "grade", "ease"),
    "session": ("user_id", "user", "session"),
}
"""What is read, and the names under which it is found, the first first."""

_FIRST_MICROSECONDS, _FIRST_MILLISECONDS = 10**14, 10**11
"""From which numbers on times count microseconds and milliseconds: as seconds these are the years 5138 and later."""

_LAST_SECOND = 253_402_300_799


def read_fsrs(source: str | os.PathLike[str]) -> Imported:
    """Return the reviews of a log, or of all logs (.csv) below a folder, sorted by time, and notes.

    The table has session (the user, else the file), time or turn, item and grade. Without kinds: the first review of a
    card registers it, later ones recall it.
    """
    rows, notes = collected(source, (".csv", ".csv.gz", ".tsv"), _reviews)
    clocks = {isinstance(row[1], int) for row in rows}
    if len(clocks) > 1:
        raise refused(Path(source), "some logs have times and some have days; import them one by one")
    first_row = {row[0]: number for number, row in reversed(list(enumerate(rows)))}
    rows.sort(key=lambda row: (first_row[row[0]], row[1]))
    return table_of(rows, "session", "turn" if clocks == {True} else "time", "item", "grade"), [found(rows), *notes]


def _reviews(path: Path, name: str, left_out: LeftOut) -> list[Row]:
    text = bytes_of(path).decode("utf-8-sig", errors="replace")
    first = text.partition("\n")[0]
    lines = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t", key=first.count))
    place = _places([one.strip().lower() for one in next(lines, [])], path)
    rows: list[Row] = []
    while True:
        try:
            cells = next(lines)
        except StopIteration:
            return rows
        except csv.Error:
            cells = ["?"]
        if cells:
            review = _review(cells, place, name)
            if isinstance(review, str):
                left_out.add(review, name, [lines.line_num - 1])
            else:
                rows.append(review)


def _places(header: list[str], path: Path) -> dict[str, int]:
    """Return which column is what."""
    place = {
        role: next(header.index(one) for one in names if one in header)
        for role, names in COLUMNS.items()
        if any(one in header for one in names)
    }
    if "cid" not in header and place.get("time") == (header.index("id") if "id" in header else None):
        place.pop("time", None)  # the id of a review is its time in Anki's table only
    missing = [" or ".join(COLUMNS[role][:3]) for role in ("item", "grade") if role not in place]
    if "time" not in place and "turn" not in place:
        missing.append(f"{COLUMNS['time'][0]} or {COLUMNS['turn'][0]}")
    if missing:
        raise refused(path, f"is no log of reviews; there is no column {', and none '.join(missing)}")
    return place


def _review(cells: list[str], place: dict[str, int], name: str) -> Row | str:
    """Return session, time or turn, item and grade of a row, or why it is left out."""
    if len(cells) <= max(place.values()):
        return "rows left out, with too few columns"
    value = {role: cells[number].strip() for role, number in place.items()}
    grade = GRADES.get(value["grade"].lower()) or _whole(value["grade"])
    when = _moment(value["time"]) if "time" in place else _whole(value["turn"])
    if grade == 0:
        return "rows left out, with a rating of 0: changes by hand"
    if grade not in GRADES.values() or when is None or not value["item"]:
        return "rows left out, with no grade from 1 to 4, no time or no card"
    return value.get("session") or name, when, value["item"], grade


def _whole(text: str) -> int | None:
    """Return a whole number from 0 to 2^31-1, also one with a decimal point."""
    digits = text.removesuffix(".0")
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None


def _moment(text: str) -> dt.datetime | None:
    if not (text.isascii() and text.isdigit() and len(text) < 19):
        return time_of(text)
    number = int(text)
    scale = 10**6 if number >= _FIRST_MICROSECONDS else 10**3 if number >= _FIRST_MILLISECONDS else 1
    if number // scale > _LAST_SECOND:
        return None
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=number * (10**6 // scale))


FSRS = Importer("fsrs", "review logs for FSRS optimizers (.csv): reviews of cards, graded", read_fsrs, turn="1d")
