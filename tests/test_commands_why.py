"""``vecdecay why``: the life of one item on a screen, of a workload, a log or a run; every mistake is a line."""

import json
from pathlib import Path

import pytest
from command_line import type_in
from sweep_runs import Here, small_sweep

from vecdecay.commands.why import _ages
from vecdecay.engines.life import Life, Moment
from vecdecay.run.sweep import run_sweep

TOUCHES = ((1, "rules"), (2, "notes"), (4, "rules"), (9, "rules"), (30, "rules"), (31, "rules"))
LOG = "session,turn,item\n" + "".join(f"monday,{turn},{item}\n" for turn, item in TOUCHES)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Write a log of one session."""
    path = tmp_path / "log.csv"
    path.write_text(LOG, "utf-8")
    return path


@pytest.mark.parametrize("columns", ["50", "80", "200"])
def test_a_life_is_told_from_registration_to_the_recalls_that_failed(
    columns: str, log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Touches with ages, the pass that removed it with its score, what failed, and what would have saved it."""
    monkeypatch.setenv("COLUMNS", columns)
    window = ("--policy", "recency_window(window_size=10)")
    ended = type_in(capsys, "why", str(log), "--session", "monday", "--item", "rules", *window)
    assert (ended.code, ended.err) == (0, "")
    lines = ended.out.splitlines()
    assert max(map(len, lines[2:])) <= int(columns)
    text = " ".join(" ".join(lines).split())
    assert "2 of 4 recalls failed, 10–11 turns too late" in text
    assert "all of them hit with window_size from 20, all else equal; it is 10" in text
    if columns != "50":
        rows = [line.split("  ") for line in lines if line[:1].isdigit() and "  " in line]
        assert [[cell.strip() for cell in row if cell.strip()] for row in rows] == [
            ["1", "registered", "–", "–", "–"],
            ["4–9", "recalled 2 times", "5", "1.0000", "–"],
            ["20", "evicted (decayed)", "11", "0.0000", "–"],
            ["30–31", "recall failed 2 times", "21–22", "–", "–"],
        ]


def test_the_lowest_score_is_that_of_the_pass_that_evicted() -> None:
    """Of a recall it is that of the passes before its turn; what misses has an age, and no score."""
    first, gone, missed = Moment(1, "registered"), Moment(3, "evicted"), Moment(7, "missed")
    life = Life([1, 2, 3], [1.0, 0.5, 0.25], [first, gone, missed])
    assert [_ages(life, one, one) for one in life.moments] == [("–", "–"), ("2", "0.2500"), ("6", "–")]
    recalled = Moment(3, "recalled")
    assert _ages(Life([1, 2, 3], [1.0, 0.5, 0.25], [first, recalled]), recalled, recalled) == ("2", "0.5000")


def test_what_every_policy_loses_and_what_none_does(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A sentence for each; the usual policies where none is named."""
    told = type_in(capsys, "why", str(log), "--session", "monday", "--item", "notes").out
    assert told.count("- nothing recalls it") == 2
    told = type_in(capsys, "why", "headline", "--session", "3", "--item", "1", "--policy", "keep_all").out
    assert "- every recall found it" in told


def test_all_digits_are_printed_as_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every moment, every score, what failed, what saves."""
    typed = ("--session", "monday", "--item", "rules", "--policy", "recency_window(window_size=10)", "--json")
    (found,) = json.loads(type_in(capsys, "why", str(log), *typed).out)
    assert [one["turn"] for one in found["failed"]] == [30, 31]
    assert found["failed"][0] == {"turn": 30, "evicted_turn": 20, "reason": "decayed", "turns_late": 10}
    assert [one["what"] for one in found["life"]["moments"]][-3:] == ["evicted", "missed", "missed"]
    assert len(found["life"]["retention_before"]) == 20
    assert found["savings"][0]["least"] == 20.0


def test_of_a_run_the_cells_are_played(tmp_path: Path, warm_kernels: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of the first point, or the one that is named, with its parameters."""
    folder = tmp_path / "run"
    run_sweep(small_sweep("cells", seeds=2), folder, executor=Here(), check=0)
    typed = ("why", str(folder), "--session", "1", "--item", "0")
    every = json.loads(type_in(capsys, *typed, "--json").out)
    assert [one["policy"] for one in every] == ["ebbinghaus", "recency_window"]
    (last,) = json.loads(type_in(capsys, *typed, "--cell", "10", "--json").out)
    assert last["policy"] == "ebbinghaus"
    assert last["parameters"] != every[0]["parameters"]
    assert type_in(capsys, *typed, "--cell", "99").complaints == ["--cell is 99; allowed: 0 to 11"]


def test_all_mistakes_are_named_at_once(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line per mistake, exit code 2, nothing on the standard output."""
    ended = type_in(capsys, "why", "no.csv", "--session", "1", "--item", "1", "--policy", "ebbinghos")
    assert (ended.code, ended.out) == (2, "")
    assert len(ended.complaints) == 2
    ended = type_in(capsys, "why", str(log), "--session", "monday", "--item", "rule")
    assert ended.complaints == ["item is 'rule'; allowed: rules, notes; did you mean rules?"]
    ended = type_in(capsys, "why", str(log), "--session", "monday", "--item", "rules", "--cell", "0")
    assert ended.code == 2
    assert ended.complaints[0].endswith("is no folder of a run, which alone has cells")
