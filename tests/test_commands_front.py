"""``vecdecay front``: who leads where, then the stretches of the front; all settings as Parquet."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command_line import type_in

SMALL = "published_sessions(session_length=60, noise_per_turn=1)"
POLICIES = ("ebbinghaus", "recency_window", "keep_all")


def test_the_answer_comes_first(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sentence per policy, then the stretches; the file holds every setting, dominated ones marked."""
    monkeypatch.setenv("COLUMNS", "100")
    path = tmp_path / "front.parquet"
    ended = type_in(capsys, "front", SMALL, *POLICIES, "--seeds", "50", "--output", str(path))
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    table = pq.read_table(path)
    number = table["dominated"].to_pylist().count(False)
    assert lines[0] == f"{SMALL}, 50 sessions; {table.num_rows} settings, {number} on the front"
    assert lines[2].startswith("- ebbinghaus is on the front with ")
    assert "- another policy is always as good or better than keep_all" in lines
    assert any(line.startswith("ebbinghaus ") and " to 1.000" in line for line in lines)
    assert lines[-1] == f"all settings are in {path}"


def test_all_digits_in_tokens(capsys: pytest.CaptureFixture[str]) -> None:
    """The settings of the front as data."""
    ended = type_in(capsys, "front", SMALL, "recency_window", "--in-tokens", "--seeds", "50", "--json")
    rows = json.loads(ended.out)["front"]
    assert [row["hit_rate"] for row in rows] == sorted(row["hit_rate"] for row in rows)
    assert not any(row["dominated"] for row in rows)
    assert type_in(capsys, "front", "no_such", "--json").code == 2
