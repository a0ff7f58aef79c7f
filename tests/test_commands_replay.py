"""``vecdecay replay``: one command from a log to figures; every mistake is a line."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command_line import type_in

import vecdecay as vd
from vecdecay.sessions.sample import trace_path

LOG = "session,step,path\na,5,x\na,6,x\na,30,x\na,31,y\nb,2,y\n"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Write a log of two sessions."""
    path = tmp_path / "log.csv"
    path.write_text(LOG, "utf-8")
    return path


def test_the_summary_comes_first_then_the_policies_side_by_side(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What was found and guessed is told, so that a wrong column shows at once; hit rates lead."""
    ended = type_in(capsys, "replay", str(log))
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert lines[:3] == [
        str(log),
        "  2 sessions, 5 events, 3 items; the longest session has 27 turns",
        "  3 registrations, 2 recalls, 0 forgets",
    ]
    assert "  note: column path is read as item" in lines
    rows = {line.split()[0]: line.split()[1] for line in lines if line.startswith(("ebbing", "recency", "keep"))}
    assert rows == {"ebbinghaus": "1.000", "recency_window": "0.500", "keep_all": "1.000"}


def test_all_digits_are_printed_as_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The summary as data, and of each policy the means with their intervals."""
    ended = type_in(capsys, "replay", str(log), "--policy", "recency_window(window_size=0.5)", "--json")
    assert ended.code == 0
    found = json.loads(ended.out)
    assert found["summary"]["recalls"] == 2
    assert found["policies"][0]["hit_rate"]["mean"] == 0.5
    assert found["policies"][0]["misses"]["mean"] == 0.5


@pytest.mark.parametrize("columns", ["50", "80", "200"])
def test_where_each_policy_lost_most(
    columns: str, log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the misses that eviction caused: how late, which items, which sessions; no line is too wide."""
    monkeypatch.setenv("COLUMNS", columns)
    ended = type_in(capsys, "replay", str(log), "--policy", "recency_window", "--policy", "keep_all")
    lines = ended.out.splitlines()
    text = " ".join(" ".join(lines).partition("misses of what a policy had evicted itself")[2].split())
    one = "1 of 1 miss, half of them at most 8 turns too late; items: x 1; sessions: a 1"
    assert text == f", and where it has most of them: recency_window {one} keep_all none of 0 misses"
    assert max(map(len, lines[1:])) <= int(columns)  # the first line is the path


def test_rules_reach_the_trace(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What a miss does stands in the summary; a silence of 24 turns is cut to 3."""
    window = ("--policy", "recency_window(window_size=0.5)", "--json")
    rules = ("--on-miss", "relearn", "--longest-silence", "3")
    found = json.loads(type_in(capsys, "replay", str(log), *window, *rules).out)
    assert found["summary"]["longest_session"] == 6
    assert "a miss: relearn" in found["summary"]["rules"]


def test_columns_are_mapped(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """``--map item=session`` reads another column as the item."""
    ended = type_in(capsys, "replay", str(log), "--map", "item=session", "--map", "session = path", "--json")
    assert ended.code == 0
    assert json.loads(ended.out)["summary"]["items"] == 3


def test_results_are_written_where_asked(log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """As Parquet, with a row per policy and session; the log stays as it is."""
    assert type_in(capsys, "replay", str(log), "--output", str(tmp_path / "out")).code == 0
    sessions = pq.read_table(tmp_path / "out" / "sessions.parquet")
    assert sessions["session_name"].to_pylist() == ["a", "b"] * 3
    missed = pq.read_table(tmp_path / "out" / "misses.parquet").to_pylist()
    names = ("session_name", "item_name", "turn", "evicted_turn", "evicted_reason", "turns_late")
    assert [tuple(row[name] for name in names) for row in missed] == [("a", "x", 26, 18, "decayed", 8)]
    assert log.read_text("utf-8") == LOG


def test_all_mistakes_are_named_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line per mistake, exit code 2, nothing on the standard output."""
    ended = type_in(capsys, "replay", str(tmp_path / "no.csv"), "--policy", "ebbinghos")
    assert (ended.code, ended.out) == (2, "")
    policy, log = ended.complaints
    assert policy.endswith("did you mean ebbinghaus?")
    assert log.startswith(f"{tmp_path / 'no.csv'}: cannot be read")
    ended = type_in(capsys, "replay", str(tmp_path), "--map", "item", "--map", "turn=a", "--map", "turn=b")
    assert ended.code == 2
    assert ended.complaints == [
        "--map is 'item'; allowed: what it is and its column, such as item=file_path",
        "--map names turn again; allowed: each once",
    ]


def test_a_log_without_recalls_has_no_hit_rate(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is divided by nothing."""
    pq.write_table(pa.table({"turn": [1], "item": [1]}), tmp_path / "log.parquet")
    ended = type_in(capsys, "replay", str(tmp_path / "log.parquet"), "--policy", "keep_all")
    assert ended.code == 0
    assert [line.split()[1] for line in ended.out.splitlines() if line.startswith("keep_all")] == ["–"]


def test_the_share_of_the_best_is_that_of_the_bound(capsys: pytest.CaptureFixture[str]) -> None:
    """Hits over all sessions, of the most that the bound allows with as many items held; on screen and in the JSON."""
    ended = type_in(capsys, "replay", "sample")
    assert max(map(len, ended.out.splitlines())) <= 80
    found = json.loads(type_in(capsys, "replay", "sample", "--json").out)["policies"]
    trace = vd.Trace.read(trace_path(Path("sample")))
    best = vd.bounds(trace)
    for one in found:
        policy = {"ebbinghaus": vd.Ebbinghaus(), "recency_window": vd.RecencyWindow(), "keep_all": vd.KeepAll()}
        rows = vd.simulate(trace, policy[one["policy"]]).sessions
        recalls, misses, held = (sum(rows[name].to_pylist()) for name in ("recalls", "misses", "working_set_sum"))
        assert one["share_of_best"] == (recalls - misses) / best.best_hits(held)
        assert f"{one['share_of_best']:.3f}\n" in ended.out
