"""Review logs as CSV: columns by any of their names, times of any kind, ratings as numbers or words."""

import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace


def imported(folder: Path, text: str | bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the rows and notes that a log becomes."""
    path = folder / "log.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    table, notes = import_trace("fsrs", path)
    return table.to_pylist(), notes


MARCH = dt.datetime(2024, 3, 1, tzinfo=dt.UTC)


@pytest.mark.parametrize(
    "when",
    [
        "1709251200000",
        "1709251200",
        "1709251200000000",
        "2024-03-01",
        "2024-03-01T00:00:00Z",
        "2024-03-01 01:00:00+01:00",
    ],
)
def test_a_time_is_read_as_it_stands(when: str, tmp_path: Path) -> None:
    """Seconds, milliseconds, microseconds, and ISO 8601 with and without a zone."""
    rows, _ = imported(tmp_path, f"card_id,review_time,review_rating\n5,{when},3\n")
    assert rows == [{"session": "log.csv", "time": MARCH, "item": "5", "grade": 3}]


def test_columns_have_several_names(tmp_path: Path) -> None:
    """Users are sessions; days are turns; words are ratings; separators, BOM and line ends vary."""
    text = "\ufeffuser_id;card_id;day_offset;rating\r\n2;7;40;good\r\n1;7;3;Again\r\n2;7;38;4.0\r\n"
    rows, notes = imported(tmp_path, text)
    assert [tuple(row.values()) for row in rows] == [("2", 38, "7", 4), ("2", 40, "7", 3), ("1", 3, "7", 1)]
    assert notes == ["3 reviews of 2 cards; grades: again 1, hard 0, good 1, easy 1"]


def test_rows_that_are_no_reviews_are_counted_with_their_lines(tmp_path: Path) -> None:
    """Line 1 is the header; a line that csv itself refuses is one of them."""
    huge = "9" * 200_000
    lines = [
        "5,2024-03-01,3",
        "5,2024-03-02,0",
        "",
        "5,2024-03-03",
        "5,soon,3",
        "5,2024-03-04,7",
        f"{huge},1,1",
        "6,2024-03-05,2",
    ]
    rows, notes = imported(tmp_path, "\n".join(["card_id,review_time,review_rating", *lines]))
    assert [row["item"] for row in rows] == ["5", "6"]
    assert notes[1:] == [
        "1 rows left out, with a rating of 0: changes by hand: log.csv row 3",
        "2 rows left out, with too few columns: log.csv rows 5, 8",
        "2 rows left out, with no grade from 1 to 4, no time or no card: log.csv rows 6, 7",
    ]


def test_what_is_no_log_is_refused(tmp_path: Path) -> None:
    """Columns are missing, or clocks of two kinds meet."""
    with pytest.raises(InvalidInputError, match="no column card_id or cid or card, and none review_time or day_offset"):
        imported(tmp_path, "a,grade\n1,2\n")
    with pytest.raises(InvalidInputError, match="there is no column review_time or day_offset"):
        imported(tmp_path, "id,card_id,rating\n1,5,3\n")
    assert imported(tmp_path, "id,cid,ease\n1709251200000,5,3\n")[0][0]["time"] == MARCH
    imported(tmp_path, "card_id,review_time,rating\n5,2024-03-01,3\n")
    (tmp_path / "other.csv").write_text("card_id,day,rating\n5,3,3\n")
    with pytest.raises(InvalidInputError, match="import them one by one"):
        import_trace("fsrs", tmp_path)
