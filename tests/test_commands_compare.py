"""``vecdecay compare``: the answer first, then the figures; every mistake is a line."""

import json
import re
from pathlib import Path

import pytest
from command_line import type_in

SMALL = "published_sessions(session_length=60, noise_per_turn=1)"
LOG = "session,turn,item\na,1,x\na,3,x\na,30,x\na,31,y\nb,2,y\nb,9,y\n"


def test_the_answer_comes_first(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence per pair, what cannot be compared, then a table with both neighbouring settings."""
    monkeypatch.setenv("COLUMNS", "120")
    policies = ("ebbinghaus", "recency_window", "keep_all")
    ended = type_in(capsys, "compare", SMALL, *policies, "--at", "8 items", "--seeds", "60")
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[0] == f"{SMALL}, 60 sessions; each policy set to 8 items"
    assert lines[2].startswith("- ebbinghaus hits 0.")
    assert lines[2].endswith(")")
    assert lines[3].startswith("- keep_all cannot be set to 8 items: 33.50 items is as near as it comes;")
    table = "\n".join(lines[5:])
    assert re.search(r"recency_window  \d+ / \d+ \(\d+%\)", table)
    assert "set: ebbinghaus by eviction_threshold, recency_window by window_size;" in table


def test_no_difference_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    """Twice the same policy, with other values of the parameter that is set."""
    policies = ("recency_window", "recency_window(window_size=40)")
    ended = type_in(capsys, "compare", SMALL, *policies, "--at-hit-rate", "0.8", "--seeds", "60")
    assert "- recency_window_1 and recency_window_2: no difference that these sessions show" in ended.out


def test_a_log_a_sweep_and_all_digits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Policies of a sweep are compared on its sessions; a log has sessions of its own."""
    ended = type_in(capsys, "compare", "headline", "--at", "20 items", "--json")
    found = json.loads(ended.out)
    assert [one["policy"] for one in found["policies"]] == ["ebbinghaus", "recency_window"]
    assert [one["mean_size"] for one in found["policies"]] == [20.0, 20.0]
    assert (found["target"], found["sessions"]) == ("20 items", 50)
    log = tmp_path / "log.csv"
    log.write_text(LOG, "utf-8")
    ended = type_in(capsys, "compare", str(log), "recency_window", "keep_all", "--at", "0.5 items")
    assert "2 sessions; each policy set to 0.5 items" in " ".join(ended.out.split())
    refused = type_in(capsys, "compare", str(log), "--at", "0.5 items", "--seeds", "5")
    assert (refused.code, len(refused.complaints)) == (2, 1)


def test_every_mistake_is_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    """Of the source and of the policies together; then of the target."""
    ended = type_in(capsys, "compare", "publshed_sessions", "ebbinghas", "keepall", "--at", "5 items")
    assert ended.code == 2
    assert len(ended.complaints) == 3
    assert "did you mean published_sessions?" in ended.complaints[0]
    ended = type_in(capsys, "compare", "zipf_recalls", "--at", "five")
    assert (ended.code, ended.complaints[0].split(";")[0]) == (2, "at is 'five'")
    assert type_in(capsys, "compare", "zipf_recalls", "--seeds", "x", "--at", "5 items").code == 2
