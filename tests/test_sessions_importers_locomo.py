"""LoCoMo: turns of dated sittings, and evidence as ragged as in the published file."""

import json
from pathlib import Path
from typing import Any

import pytest
from importer_samples import locomo

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.importers import import_trace

Event = tuple[int, int, str]


def events(path: Path, **options: str) -> list[Event]:
    """Return day of the month, kind and item of every event."""
    return [
        (row["time"].day, row["kind"], row["item"]) for row in import_trace("locomo", path, **options)[0].to_pylist()
    ]


def with_evidence(folder: Path, *evidence: Any) -> Path:
    """Write the dialogue with other evidence, a question each."""
    path = locomo(folder)
    (sample,) = json.loads(path.read_text())
    sample["qa"] = [{"evidence": one} for one in evidence]
    path.write_text(json.dumps([sample]))
    return path


REGISTERED = [(3 * number, 0, f"D{number}:{turn}") for number in (1, 2, 3) for turn in (1, 2)]


def test_turns_are_registered_and_evidence_is_recalled(tmp_path: Path) -> None:
    """At the end, or at the sitting that follows the evidence, before its turns."""
    path = with_evidence(tmp_path, ["D1:2"], ["D2:1", "D1:1"], ["D3:2"])
    last = [(10, 1, one) for one in ("D1:2", "D2:1", "D1:1", "D3:2")]
    assert events(path) == events(path, questions="end") == REGISTERED + last
    following = [*REGISTERED[:2], (6, 1, "D1:2"), *REGISTERED[2:4], (9, 1, "D2:1"), (9, 1, "D1:1"), *REGISTERED[4:]]
    assert events(path, questions="following") == [*following, (10, 1, "D3:2")]
    with pytest.raises(InvalidInputError, match="--questions is 'follow'; allowed: end, following; did"):
        events(path, questions="follow")


@pytest.mark.parametrize(
    ("evidence", "items", "note"),
    [
        ("D1:2; D2:1", ["D1:2", "D2:1"], "evidence of several ids, or of another form, was read"),
        ("D1:2 D2:1  D3:1", ["D1:2", "D2:1", "D3:1"], "evidence of several ids, or of another form, was read"),
        ("D:2:1", ["D2:1"], "evidence of several ids, or of another form, was read"),
        ("D03:02", ["D3:2"], "evidence of several ids, or of another form, was read"),
        ("D", [], "evidence left out, in which there is no id"),
        (None, [], "evidence left out, in which there is no id"),
        ("D4:36", [], "evidence left out, ids of no turn"),
    ],
)
def test_ragged_evidence_is_read_or_counted(evidence: Any, items: list[str], note: str, tmp_path: Path) -> None:
    """With the dialogue and the question."""
    path = with_evidence(tmp_path, ["D1:1"], [evidence, *items])
    assert events(path)[6:] == [(10, 1, one) for one in ["D1:1", *items]]
    assert import_trace("locomo", path)[1][2:] == [f"1 {note}: conv-1 row 2"]


def test_the_older_form_is_read(tmp_path: Path) -> None:
    """A file is a dialogue, and called as it; evidence may be one text."""
    path = locomo(tmp_path)
    (sample,) = json.loads(path.read_text())
    path.write_text(json.dumps(sample["conversation"] | {"qa": [{"evidence": "D1:2"}]}))
    table, notes = import_trace("locomo", path)
    assert set(table["session"].to_pylist()) == {"locomo.json"}
    assert events(path) == [*REGISTERED, (10, 1, "D1:2")]
    assert notes[0].startswith("1 dialogues, 6 turns registered, 1 recalls of evidence; tokens are estimated")


def test_what_cannot_be_placed_is_counted(tmp_path: Path) -> None:
    """Sittings without a date, turns without an id; sizes are a quarter of the characters."""
    path = locomo(tmp_path)
    (sample,) = json.loads(path.read_text())
    talk = sample["conversation"]
    talk["session_2_date_time"] = "some day in May"
    talk["session_3"] = [{"dia_id": "D3:1", "text": "x" * 9}, {"text": "x"}, 7]
    path.write_text(json.dumps([sample, 5, {"conversation": {}}]))
    table, notes = import_trace("locomo", path)
    assert [row["tokens"] for row in table.to_pylist() if row["item"] == "D3:1"] == [3]
    assert notes[2:] == [
        "1 sittings left out, which have no date or no turns: conv-1 row 2",
        "2 turns left out, which have no id of their own; by sitting: conv-1 rows 3, 3",
        "1 evidence left out, ids of no turn: conv-1 row 2",
    ]
    path.write_text("[{}]")
    with pytest.raises(InvalidInputError, match="there is no dialogue in it"):
        import_trace("locomo", path)
