"""``vecdecay curve``: the sentences, the table, the JSON and the file say what ``vd.curve`` returns."""

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command_line import type_in

import vecdecay as vd


def test_it_says_where_the_headline_holds(capsys: pytest.CaptureFixture[str]) -> None:
    """A window of 117 turns is what the facts need, and one of 43 what the recalls need; no grid shows either."""
    ending = type_in(capsys, "curve", "headline", "recency_window")
    assert (ending.code, ending.err) == (0, "")
    text = " ".join(ending.out.split())
    assert "the hit rate is 1.000 for values from 43, 0.000 for values below 1" in text
    assert "at the end is 1.000 for values from 117, 0.000 for values below 91" in text
    assert "138 steps between these are not shown" in text
    rows = [line.split() for line in ending.out.splitlines() if line.endswith("0.00") and line.split()[0].isdigit()]
    found = vd.curve(vd.PublishedSessions(), vd.RecencyWindow(), "window_size", seeds=range(50))
    for window, hit_rate, survival, held, misses in rows:
        row = found.at(float(window))
        shown = [f"{row[name]:.3f}" for name in ("hit_rate", "foundational_recall_rate")]
        assert [hit_rate, survival, held, misses] == [*shown, f"{row['mean_working_set']:.2f}", "0.00"]
    assert len(rows) >= 5


def test_given_values_are_played_and_the_one_knob_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Rows are those of ``vd.curve`` with the same values."""
    ending = type_in(capsys, "curve", "published_sessions", "--seeds", "2000", "--values", "0.62,0.63,0.2")
    text = " ".join(ending.out.split())
    assert "the values given, each played: 3 values" in text
    assert "stability × ln(1 / threshold)" in text
    found = vd.curve(vd.PublishedSessions(), vd.Ebbinghaus(), "eviction_threshold", seeds=range(2000), values=[0.63])
    shown = next(line for line in ending.out.splitlines() if line.strip().startswith("0.63")).split()
    assert shown[1:3] == [f"{found.at(0.63)[name]:.3f}" for name in ("hit_rate", "foundational_recall_rate")]


def test_json_and_file_hold_every_step(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """With all digits, the same in both."""
    path = tmp_path / "curve.parquet"
    ending = type_in(capsys, "curve", "drift", "time_to_live", "--seeds", "7", "--output", str(path), "--json")
    data = json.loads(ending.out)
    found = vd.curve(vd.Drift(), vd.TimeToLive(), "time_to_live", seeds=range(7))
    assert data["steps"] == found.table.to_pylist() == pq.read_table(path).to_pylist()
    assert (data["parameter"], data["every_value"], data["includes_to"]) == ("time_to_live", True, False)


def test_mistakes_are_told_together(capsys: pytest.CaptureFixture[str]) -> None:
    """One line each, exit code 2."""
    ending = type_in(capsys, "curve", "headlin", "nothing", "--values", "a,b", "--output", "x.csv")
    assert (ending.code, ending.out) == (2, "")
    lines = ending.err.splitlines()
    for word in ("headlin'", "nothing'", "--values", "--output"):
        assert any(word in line for line in lines), lines
    ending = type_in(capsys, "curve", "headline", "fsrs6")
    assert (ending.code, "name the values to play" in ending.err) == (2, True)
    ending = type_in(capsys, "curve", "headline", "keep_all")
    assert (ending.code, "name one with --parameter" in ending.err) == (2, True)
