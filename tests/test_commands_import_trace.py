"""``vecdecay import``: from a folder to a trace that replay plays."""

import json
from pathlib import Path

import pytest
from command_line import type_in
from importer_samples import SAMPLES
from test_sessions_importers_claude_code import line, written

from vecdecay.commands.screen import command_lines
from vecdecay.sessions.importers import IMPORTERS


def test_a_folder_becomes_a_trace_that_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was found is printed, with the command that goes on; the folder stays as it was."""
    written(tmp_path / "in", "a.jsonl", line("u1", "m1", "a.py"), line("u2", "m2", "a.py"), "{")
    before = (tmp_path / "in" / "a.jsonl").read_bytes()
    trace = tmp_path / "trace.parquet"
    ended = type_in(capsys, "import", "claude-code", str(tmp_path / "in"), "-o", str(trace), "--anonymise")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "1 transcripts, 1 sessions with messages",
        "1 lines left out, which are no JSON objects: a.jsonl row 3",
        f"2 events in {trace}, which this plays:",
        *command_lines(f"vecdecay replay {trace}"),
    ]
    assert [one.name for one in (tmp_path / "in").iterdir()] == ["a.jsonl"]
    assert (tmp_path / "in" / "a.jsonl").read_bytes() == before
    played = type_in(capsys, "replay", str(trace), "--json")
    assert json.loads(played.out)["summary"]["recalls"] == 1


def test_a_turn_that_suits_the_format_is_proposed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reviews are days apart; where the log has turns, or hours will do, nothing is said."""
    shown = {}
    for name in ("anki", "locomo", "fsrs"):
        kind, make, _ = SAMPLES[name]
        trace = tmp_path / f"{name}.parquet"
        printed = type_in(capsys, "import", kind, str(make(tmp_path)), "-o", str(trace)).out
        shown[name] = " ".join(printed.replace("\\\n", "").split())
        assert f"which this plays: vecdecay replay {trace}" in shown[name]
    assert {name for name, line in shown.items() if line.endswith(" --turn 1d")} == {"anki", "fsrs"}
    days = tmp_path / "days.csv"
    days.write_text("card_id,day,rating\n1,5,3\n")
    assert "--turn" not in type_in(capsys, "import", "fsrs", str(days), "-o", str(tmp_path / "d.parquet")).out


def test_the_source_is_no_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is written there, not even when it is asked for."""
    path = tmp_path / "log.parquet"
    path.write_bytes(b"x")
    ended = type_in(capsys, "import", "anki", str(path), "-o", str(tmp_path / "." / "log.parquet"))
    assert (ended.code, len(ended.complaints)) == (2, 1)
    assert "the source itself" in ended.complaints[0]
    assert path.read_bytes() == b"x"


def test_mistakes_are_named_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line per mistake, and exit code 2."""
    ended = type_in(capsys, "import", "claude-cod", str(tmp_path), "-o", "trace.csv")
    assert ended.code == 2
    assert ended.complaints == [
        f"format is 'claude-cod'; allowed: {', '.join(IMPORTERS)}; did you mean claude-code?",
        "--output is 'trace.csv'; allowed: a file that ends in .parquet",
    ]
    ended = type_in(capsys, "import", "claude-code", str(tmp_path), "-o", str(tmp_path / "trace.parquet"))
    assert (ended.code, ended.complaints) == (2, [f"{tmp_path}: no file in it ends in .jsonl"])
    assert list(tmp_path.iterdir()) == []
