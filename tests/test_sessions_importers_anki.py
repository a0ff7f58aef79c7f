"""Anki collections: reviews with their grades, resets, and what is no review."""

import zipfile
from pathlib import Path

import pytest
from importer_samples import DAY, REVIEWS, anki, colpkg, reviews

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace

TOUCHES = [(card, kind, grade) for (_, card, grade, _), kind in zip(REVIEWS, (0, 0, 1, 1, 1), strict=True)]


def touches(path: Path) -> list[tuple[int, int, int]]:
    """Return card, kind and grade of every review."""
    return [(int(row["item"]), row["kind"], row["grade"]) for row in import_trace("anki", path)[0].to_pylist()]


@pytest.mark.parametrize("made", [anki, colpkg])
def test_reviews_have_their_grades(made, tmp_path: Path) -> None:
    """The first review of a card registers it; times are those of the log; packages hold the same."""
    path = made(tmp_path)
    table, notes = import_trace("anki", path)
    assert touches(path) == TOUCHES
    assert [one.timestamp() * 1000 for one in table["time"].to_pylist()] == [day * DAY for day, *_ in REVIEWS]
    assert notes == ["5 reviews of 2 cards; grades: again 2, hard 1, good 1, easy 1"]


def test_a_reset_card_starts_anew(tmp_path: Path) -> None:
    """A manual entry without factor is a reset; with a factor it sets a due date, and is no review."""
    reset = [(19_803 * DAY, 7, -1, 0, 0, 0, 0, 0, 4), (19_810 * DAY, 8, -1, 0, 5, 5, 2500, 0, 4)]
    path = anki(tmp_path, sorted([*reviews(), *reset]))
    assert [kind for card, kind, _ in touches(path) if card == 7] == [0, 0, 1]
    assert [kind for card, kind, _ in touches(path) if card == 8] == [0, 1]
    assert import_trace("anki", path)[1][1:] == [
        "1 resets: such a card starts anew with its next review: collection.anki2 row 3",
        "1 changes of the schedule by hand left out: collection.anki2 row 5",
    ]


def test_what_is_no_review_is_counted(tmp_path: Path) -> None:
    """Cramming, buttons that there are not, times out of range, and values of other types."""
    odd = [(DAY + 1, 9, -1, 3, 0, 0, 0, 9, 3), (DAY + 2, 9, -1, 7, 0, 0, 9, 9, 1), (-5, 9, -1, 3, 0, 0, 9, 9, 1)]
    path = anki(tmp_path, [*reviews(), *odd, (DAY + 3, "card", -1, 3, 0, 0, 9, 9, 1)])
    table, notes = import_trace("anki", path)
    assert table.num_rows == 5
    assert sorted(notes[1:]) == [
        "1 reviews in filtered decks left out, which change no schedule: collection.anki2 row 2",
        "1 rows left out, with values that are no whole numbers: collection.anki2 row 4",
        "2 rows left out, with a grade or a time out of range: collection.anki2 rows 1, 3",
    ]


def test_a_folder_is_a_session_per_collection(tmp_path: Path) -> None:
    """A file that cannot be read is left out and named; alone, it is refused."""
    for name in ("ada", "bob"):
        (tmp_path / name).mkdir()
        anki(tmp_path / name)
    broken = tmp_path / "broken.anki2"
    broken.write_bytes(b"no database at all")
    table, notes = import_trace("anki", tmp_path)
    assert set(table["session"].to_pylist()) == {"ada/collection.anki2", "bob/collection.anki2"}
    reason = f"{broken}: cannot be read as SQLite: file is not a database"
    assert notes[1:] == ["2 files", f"1 files left out: {reason}"]
    with pytest.raises(InvalidInputError, match="file is not a database"):
        import_trace("anki", broken)


def damaged_directory(package: bytes) -> bytes:
    """Return a package in whose directory a name is said to be UTF-8, and is not."""
    place = package.rindex(b"PK\x01\x02")
    changed = bytearray(package)
    changed[place + 9] |= 0x08
    changed[place + 46] = 0xFF
    return bytes(changed)


def test_packages_without_a_collection_are_refused(tmp_path: Path) -> None:
    """And collections without reviews, or without the table."""
    path = tmp_path / "x.colpkg"
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("media", b"{}")
    with pytest.raises(InvalidInputError, match=r"holds none of collection\.anki21b"):
        import_trace("anki", path)
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("collection.anki21b", b"not packed")
    with pytest.raises(InvalidInputError, match="cannot be unpacked"):
        import_trace("anki", path)
    path.write_bytes(damaged_directory(colpkg(tmp_path).read_bytes()))
    with pytest.raises(InvalidInputError, match="cannot be unpacked: 'utf-8' codec"):
        import_trace("anki", path)
    with pytest.raises(InvalidInputError, match="there is nothing to play in it"):
        import_trace("anki", anki(tmp_path, []))
    (tmp_path / "empty.anki2").write_bytes(b"")
    with pytest.raises(InvalidInputError, match="has no table revlog"):
        import_trace("anki", tmp_path / "empty.anki2")
