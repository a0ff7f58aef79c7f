"""LongMemEval: histories in the order of time, answers recalled, superseded answers forgotten."""

import json
from pathlib import Path
from typing import Any

import pytest
from importer_samples import history

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace


def imported(folder: Path, *questions: Any) -> tuple[list[tuple[str, int, str]], list[str]]:
    """Return date, kind and item of every event, and the notes after the first."""
    path = folder / "l.json"
    path.write_text(json.dumps(questions))
    table, notes = import_trace("longmemeval", path)
    return [(row["time"].strftime("%m-%d"), row["kind"], row["item"]) for row in table.to_pylist()], notes[1:]


OLD = [("05-25", 0, "old:0"), ("05-25", 0, "old:1"), ("05-27", 0, "noise:0")]
NEW = [("06-01", 0, "new:0"), ("06-01", 0, "new:1")]


def test_answers_are_recalled_at_the_question(tmp_path: Path) -> None:
    """Sittings are sorted by time; all evidence is needed."""
    events, notes = imported(tmp_path, history("multi-session"))
    assert events == [*OLD, *NEW, ("06-10", 1, "old:0"), ("06-10", 1, "new:0")]
    assert notes == []


def test_an_update_supersedes_the_earlier_answer(tmp_path: Path) -> None:
    """It is forgotten where its replacement is registered, and only the latest is recalled."""
    events, notes = imported(tmp_path, history())
    assert events == [*OLD, NEW[0], ("06-01", 2, "old:0"), NEW[1], ("06-10", 1, "new:0")]
    assert notes == ["1 questions whose earlier evidence was superseded, and is forgotten: l.json row 1"]


def test_a_question_is_never_older_than_its_history(tmp_path: Path) -> None:
    """As in the published file; without a date it is asked a day after the last sitting."""
    for date in ("2023/06/01 (Thu) 08:08", None):
        events, notes = imported(tmp_path, history("x") | {"question_date": date})
        assert events[-1] == ("06-02", 1, "new:0")
        assert notes == ["1 questions older than their last sitting, asked a day after it: l.json row 1"] * bool(date)


def test_odd_histories_are_read_or_counted(tmp_path: Path) -> None:
    """Ids that are there twice, sittings without a date, turns that are none, questions without evidence."""
    odd = history("x") | {"haystack_session_ids": ["a", "a"], "haystack_dates": ["2023/05/01", "2023/05/02", "soon"]}
    odd["haystack_sessions"] = [[{"content": "x"}], [{"content": "y", "has_answer": 1}, 7], []]
    events, notes = imported(tmp_path, odd, {"question_id": "q2"}, 5)
    assert events == [("05-01", 0, "a:0"), ("05-02", 0, "a (2):0")]
    assert notes == [
        "1 questions with turns left out, which are no objects: l.json row 1",
        "1 sittings left out, which have no date or no turns: l.json row 1",
        "1 questions without evidence, such as those that cannot be answered: l.json row 1",
        "2 questions left out, which have no history: l.json rows 2, 3",
    ]
    with pytest.raises(InvalidInputError, match="there is no question with haystack_sessions"):
        imported(tmp_path, {"haystack_sessions": [[{"content": "x"}]], "haystack_dates": ["2023/13/01"]})


def test_the_last_day_there_is_has_none_after_it(tmp_path: Path) -> None:
    """No date ends the import."""
    late = history("x") | {"haystack_dates": ["9999/12/31 (Fri) 23:59"] * 3, "question_date": None}
    assert imported(tmp_path, late)[0][-1] == ("12-31", 1, "old:0")
