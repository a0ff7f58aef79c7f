"""One number, three places: the screen, ``--json`` and cells.parquet say the same of every cell, and it is true."""

import json
import math
import statistics
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from command_line import type_in

from vecdecay.quantities import METRICS, UNSIZED_TWINS

OWN = '''
def uneven(seed):
    """Sessions of 21 … 80 turns; every third has no foundational item, and in some nothing is ever evicted."""
    events = [(1, "register", "noise")]
    if seed % 3:
        events += [(2, "register", "kept"), (3 + seed, "recall", "kept")]
        events += [(4, "register", "lost"), (19, "recall", "lost")]
    return sorted([*events, (21 + 7 * seed % 60, "register", "last")], key=lambda one: one[0])
'''
SWEEP = """
schema = 1

[sweep]
name = "uneven"
seeds = 9
detail = "sessions"
combine = "zip"
checkpoints = [30]
metrics = {metrics}

[workload]
kind = "own.py:uneven"

[[policy]]
kind = "ebbinghaus"
eviction_threshold = 0.3

[[policy]]
kind = "recency_window"

[[axis]]
parameter = "ebbinghaus.baseline_stability"
values = [2.5, 40.0]

[[axis]]
parameter = "recency_window.window_size"
values = [7, 90]
"""
NAMES = [metric.name for metric in METRICS]
CHECKPOINT = "foundational_recall_rate_at_30"


def played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return the JSON of a run with nulls, uneven sessions and values off the defaults, into output/uneven."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN, "utf-8")
    Path("uneven.toml").write_text(SWEEP.format(metrics=json.dumps(NAMES)), "utf-8")
    ending = type_in(capsys, "run", "uneven.toml", "--json", "--quiet")
    assert ending.code == 0, ending.err
    told: dict[str, Any] = json.loads(ending.out, parse_constant=pytest.fail)
    return told


def rows(table: str) -> list[dict[str, Any]]:
    """Return the rows of a table of the run."""
    listed: list[dict[str, Any]] = pq.read_table(Path("output", "uneven", table)).to_pylist()
    return listed


def by_hand(sessions: list[dict[str, Any]], name: str) -> dict[str, Any]:
    """Return the summary of a metric, worked out from the rows of the sessions."""
    column = name if name in sessions[0] else UNSIZED_TWINS[name]  # where items have no sizes
    values = [one[column] for one in sessions if one[column] is not None]
    return {
        "mean": statistics.mean(map(float, values)) if values else None,
        "standard_deviation": statistics.stdev(map(float, values)) if len(values) > 1 else None,
        "minimum": min(values, default=None),
        "maximum": max(values, default=None),
        "sessions": len(values),
    }


def test_the_sweep_is_worth_comparing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """There are nulls, sessions without foundational items, several lengths, and metrics that differ."""
    typed = played(tmp_path, monkeypatch, capsys)
    sessions = rows("sessions")
    assert any(one["survival_time"] is None for one in sessions)
    assert any(one["survival_time"] is not None for one in sessions)
    assert {one["foundational_items"] for one in sessions} == {0, 2}
    assert any(one[CHECKPOINT] is None for one in sessions)
    spread = {(one["metrics"]["misses"]["minimum"], one["metrics"]["misses"]["maximum"]) for one in typed["cells"]}
    assert any(low < high for low, high in spread)


def test_json_cells_and_sessions_agree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """For every metric of every cell: mean, deviation, ends and number of sessions, to the last bit."""
    typed = played(tmp_path, monkeypatch, capsys)
    sessions, cells = rows("sessions"), rows("cells.parquet")
    assert [one["cell"] for one in typed["cells"]] == [one["cell"] for one in cells] == [0, 1, 2, 3]
    for told, row in zip(typed["cells"], cells, strict=True):
        own = [one for one in sessions if one["cell"] == row["cell"]]
        assert told["sessions"] == row["sessions"] == len(own) == 9
        for name in (*NAMES, CHECKPOINT):
            expected = by_hand(own, name)
            assert {key: told["metrics"][name][key] for key in expected} == expected
            assert {key: row[f"{name}_{key}"] for key in expected} == expected
            for end in ("low", "high"):
                assert told["metrics"][name][end] == row[f"{name}_{end}"]
            same = expected["sessions"] > 1 and expected["minimum"] == expected["maximum"]
            assert told["metrics"][name]["same_in_every_session"] == same


def test_parameters_are_those_that_were_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the defaults; in JSON and in the columns of the cells."""
    typed = played(tmp_path, monkeypatch, capsys)
    expected = [(0.3, 2.5), (None, 7.0), (0.3, 40.0), (None, 90.0)]
    for told, row, (threshold, value) in zip(typed["cells"], rows("cells.parquet"), expected, strict=True):
        name = "window_size" if threshold is None else "baseline_stability"
        assert told["policy_parameters"][name] == row[name] == value
        assert told["policy_parameters"].get("eviction_threshold") == row["eviction_threshold"] == threshold
        assert (told["policy"], told["policy_kind"]) == (row["policy"], row["policy_kind"])


def test_the_screen_shows_them_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each metric alone, by the values of the axes: mean and both ends, in as many decimals as are shown."""
    typed = played(tmp_path, monkeypatch, capsys)
    monkeypatch.setenv("COLUMNS", "200")
    for metric in METRICS:
        text = SWEEP.format(metrics=json.dumps([metric.name])).replace('"uneven"', '"one_metric"')
        Path("one.toml").write_text(text, "utf-8")
        lines = type_in(capsys, "run", "one.toml", "--quiet", "--force").out.splitlines()
        start = next(number for number, line in enumerate(lines) if line.startswith("──")) + 1
        for point, line in enumerate(lines[start : start + 2]):
            cells = typed["cells"][2 * point : 2 * point + 2]
            expected = [value for cell in cells for value in _shown(cell["metrics"][metric.name])]
            words = [word for word in line.replace("(≥ ", "(").replace("(≤ ", "(").split() if word != "="]
            assert [float(word) for word in words[:2]] == [[2.5, 7.0], [40.0, 90.0]][point]
            found = [number for word in words[2:] for number in word.strip("()").split("–") if number]
            assert len(found) == len(expected), line
            for shown, value in zip(found, expected, strict=True):
                digits = len(shown.partition(".")[2])
                assert shown == f"{value:.{digits}f}"
                assert digits >= (3 if metric.unit == "share" else 0)


def _shown(summary: Mapping[str, Any]) -> list[float]:
    """Return the numbers that a screen shows of a summary: the mean, and the ends that say something."""
    mean, low, high = summary["mean"], summary["low"], summary["high"]
    if mean is None:
        return []
    if low is None or low == high:
        return [mean]
    if summary["minimum"] == summary["maximum"] == mean and mean in (0.0, 1.0):
        return [mean, high if mean == 0.0 else low]
    return [mean, low, high]


def test_the_headline_shows_five_metrics_of_the_json(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without axes: hit and recall rate, evictions, survival and footprint, each from its own column."""
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN, "utf-8")
    text = SWEEP.format(metrics="[]").partition("[[axis]]")[0].replace('combine = "zip"\n', "")
    Path("plain.toml").write_text(text.replace('"uneven"', '"plain"'), "utf-8")
    told = json.loads(type_in(capsys, "run", "plain.toml", "--json", "--quiet").out)
    out = type_in(capsys, "run", "plain.toml", "--quiet").out
    names = ("hit_rate", "foundational_recall_rate", "foundational_evicted", "terminal_survival_rate")
    names += ("footprint_reduction",)
    assert len({told["cells"][0]["metrics"][name]["mean"] for name in names}) == 5
    for cell in told["cells"]:
        line = next(line for line in out.splitlines() if line.startswith(f"{cell['policy']}  "))
        numbers = [word for word in line.split()[1:] if word[0].isdigit() and "–" not in word and ")" not in word]
        assert [float(number) for number in numbers] == [
            pytest.approx(cell["metrics"][name]["mean"], abs=0.00051 if name != names[2] else 0.0051) for name in names
        ]


def test_the_dry_run_counts_the_rows_that_are_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Cells, sessions and, of every detail, the rows of all tables."""
    monkeypatch.chdir(tmp_path)
    for detail in ("cells", "sessions", "items", "turns"):
        options = ["--seeds", "3", "--detail", detail, "--output", f"rows-{detail}"]
        told = json.loads(type_in(capsys, "run", "headline", *options, "--dry-run", "--json").out)
        assert type_in(capsys, "run", "headline", *options, "--quiet").code == 0
        tables = [
            name for name in ("cells.parquet", "sessions", "items", "turns") if Path(f"rows-{detail}", name).exists()
        ]
        assert told["rows"] == sum(pq.read_table(Path(f"rows-{detail}", name)).num_rows for name in tables)
        assert (told["cells"], told["distinct_cells"], told["sessions"]) == (2, 2, 6)


def test_checkpoints_that_few_sessions_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Their interval is that of these sessions alone."""
    typed = played(tmp_path, monkeypatch, capsys)
    for told in typed["cells"]:
        summary = told["metrics"][CHECKPOINT]
        assert 2 < summary["sessions"] < 9
        assert 0.0 <= summary["low"] <= summary["mean"] <= summary["high"] <= 1.0
        assert not math.isnan(summary["low"])
