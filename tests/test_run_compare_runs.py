"""Two runs side by side: what differs in their settings, which cells one lacks, and differences paired by session."""

import json
import statistics
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from command_line import type_in
from sweep_runs import small_text

import vecdecay as vd
from vecdecay.analysis.intervals import rate_interval, student_interval
from vecdecay.errors import InvalidInputError
from vecdecay.run.open_run import Run
from vecdecay.run.sweep import sweep
from vecdecay.sweepfile.spec import parse_sweep

WINDOW = "recency_window"


def played(folder: Path, text: str) -> Run:
    """Return the run of a sweep, played into a folder."""
    sweep(parse_sweep(text, "small.toml"), output=folder, threads=1)
    return vd.open_run(folder)


def metric_row(table: pa.Table, policy: str, metric: str) -> dict[str, object]:
    """Return one row of the metrics."""
    (row,) = (one for one in table.to_pylist() if (one["policy"], one["metric"]) == (policy, metric))
    return row


def values_of(run: Run, cell: int, metric: str) -> dict[int, float]:
    """Return a metric of the sessions of a cell, by seed."""
    rows = run.sessions.to_table(filter=pc.field("cell") == cell).to_pylist()
    return {row["seed"]: row[metric] for row in rows if row[metric] is not None}


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Run, Run]:
    """Return two runs that share half of their seeds; the second has another window, and no axes."""
    folder = tmp_path_factory.mktemp("runs")
    other = small_text(axes=False, seeds="{ first = 10, count = 20 }").replace("window_size = 6", "window_size = 3")
    return played(folder / "a", small_text(axes=False)), played(folder / "b", other)


def test_settings_that_differ_are_named(two: tuple[Run, Run]) -> None:
    """As text, in the order of the sweep file; what is the same on both sides is not among them."""
    assert two[0].compare(two[1]).parameters.to_pylist() == [
        {"parameter": "seeds", "first": "0 to 19", "second": "10 to 29"},
        {"parameter": "recency_window.window_size", "first": "6", "second": "3"},
    ]
    same = two[0].compare(two[0].folder)
    assert (same.parameters.num_rows, same.one_sided.num_rows, same.num_cells, same.unpaired) == (0, 0, 2, "")
    assert {row["difference"] for row in same.metrics.to_pylist()} <= {0.0, None}
    assert not any(row["differs"] for row in same.metrics.to_pylist())


@pytest.mark.parametrize("metric", ["hit_rate", "mean_working_set", "survival_time", "misses"])
def test_differences_are_paired_by_seed(two: tuple[Run, Run], metric: str) -> None:
    """Over the ten seeds that both have and sessions with a value on both sides; the means are those of all."""
    found = two[0].compare(two[1])
    row = metric_row(found.metrics, WINDOW, metric)
    first, second = values_of(two[0], 1, metric), values_of(two[1], 1, metric)
    assert (row["first"], row["second"]) == (statistics.mean(first.values()), statistics.mean(second.values()))
    apart = [second[seed] - first[seed] for seed in range(10, 20) if seed in first and seed in second]
    interval = student_interval(statistics.mean(apart), statistics.stdev(apart), len(apart))
    assert interval is not None
    assert (row["difference"], row["low"], row["high"]) == (statistics.mean(apart), *interval)
    assert (row["sessions"], row["paired"], row["differs"]) == (len(apart), True, not interval[0] <= 0 <= interval[1])
    assert metric_row(found.metrics, "ebbinghaus", metric)["difference"] in (0.0, None)
    assert pa.table(found).equals(found.metrics)


def test_without_sessions_the_interval_allows_for_any_correlation(two: tuple[Run, Run], tmp_path: Path) -> None:
    """It is as wide as the intervals of the two means together, and it says why nothing was paired."""
    text = small_text("cells", axes=False).replace("window_size = 6", "window_size = 3")
    found = two[0].compare(played(tmp_path / "c", text))
    assert found.unpaired == "not both runs keep their sessions"
    row = metric_row(found.metrics, WINDOW, "hit_rate")
    ends = []
    for size in (6.0, 3.0):
        table = vd.simulate(two[0].spec.workload, vd.RecencyWindow(size), seeds=range(20), detail="sessions").sessions
        rates = table["hit_rate"].to_pylist()
        ends.append(rate_interval(statistics.mean(rates), statistics.stdev(rates), 20))
    assert (row["low"], row["high"]) == (ends[1][0] - ends[0][1], ends[1][1] - ends[0][0])
    assert (row["paired"], row["differs"]) == (False, row["low"] > 0 or row["high"] < 0)
    assert metric_row(found.metrics, "ebbinghaus", "foundational_evicted")["differs"] is None
    seeds = played(tmp_path / "d", small_text(axes=False, seeds="{ list = [100, 102] }"))
    assert two[0].compare(seeds).unpaired == "the runs have no seed in common"


def test_cells_of_one_side_only_are_named(two: tuple[Run, Run], tmp_path: Path) -> None:
    """An axis of one run is a value of the other, where its policy or workload has one."""
    with_axes = played(tmp_path / "axes", small_text(seeds=5))
    found = two[0].compare(with_axes)
    assert found.num_cells == 1  # only the window is played at two facts in both: the threshold 0.2 is not on the axis
    only = found.one_sided.to_pylist()
    assert only[0] == {
        "policy": "ebbinghaus",
        "values": "eviction_threshold 0.2, workload.num_foundational 2",
        "only_in": "first",
    }
    assert [one["only_in"] for one in only] == ["first"] + ["second"] * 7
    thresholds = {"parameter": "ebbinghaus.eviction_threshold", "first": "0.2", "second": "0.1, 0.3, 0.5"}
    assert thresholds in found.parameters.to_pylist()


def test_logs_that_are_not_the_same_are_not_paired(tmp_path: Path) -> None:
    """Session 0 of one log has nothing to do with session 0 of another."""
    runs = []
    for name, turns in (("a", (1, 3, 9)), ("b", (1, 5, 9))):
        log = tmp_path / f"{name}.csv"
        rows = [f"{session},{turn},x" for session in "pqr" for turn in turns]
        log.write_text("\n".join(["session,turn,item", *rows]) + "\n", "utf-8")
        text = (
            f'schema = 1\n[sweep]\nname = "{name}"\ndetail = "sessions"\n[trace]\npath = {json.dumps(str(log))}\n'
            '[[policy]]\nkind = "recency_window"\n'
        )
        runs.append(played(tmp_path / f"run_{name}", text))
    assert runs[0].compare(runs[1]).unpaired == "the runs played different logs"
    assert runs[0].compare(runs[0]).unpaired == ""


def test_the_screen_and_the_json_say_the_same(two: tuple[Run, Run], capsys: pytest.CaptureFixture[str]) -> None:
    """Settings, cells, and a table for each cell with means that differ; nothing is said of those that are equal."""
    folders = [str(run.folder) for run in two]
    ended = type_in(capsys, "compare", *folders)
    assert (ended.code, ended.err) == (0, "")
    text = " ".join(ended.out.split())
    assert "settings that differ, first / second: seeds 0 to 19 / 10 to 29 recency_window.window_size 6 / 3" in text
    assert "- 2 cells in both runs - " in text
    assert "sessions are paired by their seeds" in text
    found = json.loads(type_in(capsys, "compare", *folders, "--json").out)
    row = next(one for one in found["metrics"] if (one["policy"], one["metric"]) == (WINDOW, "mean_working_set"))
    assert (
        f"mean_working_set {row['first']:.3f} {row['second']:.3f} −{-row['difference']:.3f} (−{-row['low']:.3f}" in text
    )
    differ = [one for one in found["metrics"] if one["first"] != one["second"]]
    surely = sum(one["differs"] is True for one in differ)
    assert f"- {len(differ)} means of {len(found['metrics'])} differ, {surely} by an interval" in text
    same = " ".join(type_in(capsys, "compare", folders[0], folders[0]).out.split())
    assert same.endswith("sessions are paired by their seeds")
    assert "all settings are the same - 2 cells in both runs - no mean of " in same


def test_every_mistake_is_a_line(two: tuple[Run, Run], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Folders without a run, options that say nothing of runs, one run or three; a run that is not finished."""
    folder = str(two[0].folder)
    (tmp_path / "empty").mkdir()
    ended = type_in(capsys, "compare", str(tmp_path / "empty"), "nowhere", "--at", "5 items", "--seeds", "3")
    assert (ended.code, ended.out, len(ended.complaints)) == (2, "", 4)
    assert "says nothing of two runs" in ended.complaints[0]
    assert "holds no run" in ended.complaints[3]
    assert "only one run is given" in type_in(capsys, "compare", folder).complaints[0]
    assert "2 more arguments given" in type_in(capsys, "compare", folder, folder, folder).complaints[0]
    share = tmp_path / "share"
    sweep(parse_sweep(small_text(axes=False), "small.toml"), output=share, shard=(1, 2), threads=1)
    with pytest.raises(InvalidInputError, match="share 1 of 2; vecdecay merge joins them; allowed: finished runs"):
        two[0].compare(share)
    (share / "manifest.json").unlink()
    ended = type_in(capsys, "compare", str(share), str(share))
    assert (ended.code, len(ended.complaints)) == (2, 2)
