"""``vecdecay results``: a finished run as when it was made, an interrupted one as far as it has come."""

import csv
import io
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from command_line import Ending, type_in
from sweep_runs import Here, cut_finely, small_sweep

from vecdecay.commands.results import told_failures
from vecdecay.run.open_run import FailedCell, Run
from vecdecay.run.sweep import run_sweep


class Stops:
    """Interrupts a run after some sessions."""

    def __init__(self, sessions: int) -> None:
        self.left = sessions

    def start(self, total_sessions: int, done_sessions: int) -> None:
        """Nothing to do."""

    def compiling(self) -> None:
        """Nothing to do."""

    def advance(self, sessions: int) -> None:
        """Count, and interrupt at the end."""
        self.left -= sessions
        if self.left <= 0:
            raise KeyboardInterrupt

    def stop(self) -> None:
        """Nothing to do."""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_kernels: None) -> Path:
    """An empty folder for runs, which are cut into parts of 8 sessions."""
    cut_finely(monkeypatch, plays=8)
    return tmp_path


def shown(capsys: pytest.CaptureFixture[str], folder: Path, *options: str) -> Ending:
    """Show a run again."""
    ending = type_in(capsys, "results", str(folder), *options)
    assert (ending.code, ending.err) == (0, "")
    return ending


def test_a_finished_run_is_shown_as_it_was(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Screen and JSON are those of the run, but for what was done then."""
    Path(folder, "small.toml").write_text(
        'schema = 1\n[sweep]\nname = "s"\nseeds = 9\n[workload]\nkind = "steady_use"\n'
        '[[policy]]\nkind = "ebbinghaus"\n',
        "utf-8",
    )
    typed = ["run", str(folder / "small.toml"), "--quiet", "--output", str(folder / "run")]
    first = type_in(capsys, *typed).out.splitlines()
    again = shown(capsys, folder / "run").out.splitlines()
    assert first[2:-2] == again[:-1]
    assert again[-1] == f"finished: {folder / 'run'}"
    told, before = (
        json.loads(text)
        for text in (shown(capsys, folder / "run", "--json").out, type_in(capsys, *typed, "--json").out)
    )
    assert told["cells"] == before["cells"]
    assert told["findings"] == before["findings"]
    assert told["unfinished"] == ""


def test_csv_and_markdown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """CSV is cells.parquet with all digits; Markdown has a row per distinct cell."""
    run_sweep(small_sweep(seeds=4), folder, executor=Here(), check=0)
    rows = list(csv.DictReader(io.StringIO(shown(capsys, folder, "--csv").out)))
    cells = pq.read_table(folder / "cells.parquet").to_pylist()
    assert [row["policy"] for row in rows] == [cell["policy"] for cell in cells]
    assert [float(row["mean_working_set_mean"]) for row in rows] == [cell["mean_working_set_mean"] for cell in cells]
    lines = shown(capsys, folder, "--markdown").out.splitlines()
    assert lines[1] == "| --- | --- | --- | --- | --- | --- | --- |"
    assert [line.count("|") for line in lines] == [8] * len(lines)
    assert len(lines) == 2 + 6 + 2  # 3 thresholds × 2 workloads, and 2 workloads under the window
    assert lines[2].startswith("| ebbinghaus | eviction_threshold 0.1, num_foundational 2 | ")


def test_an_interrupted_run_shows_what_there_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many parts, the command that goes on, and the values so far: those of a run of these seeds."""
    spec = small_sweep(seeds=40, axes=False, checkpoints="[]")
    with pytest.raises(KeyboardInterrupt):
        run_sweep(spec, folder / "half", executor=Here(), check=0, progress=Stops(32))
    out = " ".join(shown(capsys, folder / "half").out.split())
    assert "unfinished, 4 of 10 parts; resume it with: vecdecay run " in out
    told = json.loads(shown(capsys, folder / "half", "--json").out)
    assert told["unfinished"].startswith("unfinished, 4 of 10 parts")
    assert [cell["sessions"] for cell in told["cells"]] == [16, 16]
    run_sweep(small_sweep(seeds=16, axes=False, checkpoints="[]"), folder / "few", executor=Here(), check=0)
    few = json.loads(shown(capsys, folder / "few", "--json").out)
    assert [cell["metrics"] for cell in told["cells"]] == [cell["metrics"] for cell in few["cells"]]
    ending = type_in(capsys, "results", str(folder / "half"), "--csv")
    assert (ending.code, ending.out) == (1, "")
    assert "4 of 10 parts" in ending.complaints[0]


def test_a_resumed_run_counts_every_session(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of before and those of after, once each; on the screen, in JSON and in the table."""
    spec = small_sweep(seeds=40, axes=False)
    with pytest.raises(KeyboardInterrupt):
        run_sweep(spec, folder, executor=Here(), check=0, progress=Stops(32))
    run_sweep(spec, folder, executor=Here(), check=0)
    told = json.loads(shown(capsys, folder, "--json").out)
    assert told["num_sessions"] == 80
    assert [cell["sessions"] for cell in told["cells"]] == [40, 40]
    assert {one["sessions"] for one in told["cells"][0]["metrics"].values()} <= set(range(41))
    assert told["cells"][0]["metrics"]["misses"]["sessions"] == 40
    assert "40 sessions of published_sessions under each of 2 policies" in shown(capsys, folder).out


def test_failed_cells_are_counted_and_cut(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, what was made again, at most twenty of those that failed and how many more; 0 where none did."""
    spec = small_sweep(seeds=3, axes=False)
    failed = tuple(FailedCell(number, "ebbinghaus", "it broke\nbadly") for number in range(30))
    assert told_failures(Run(Path("run"), spec, failed=failed, repaired=("cells.parquet: missing",))) == 1
    lines = capsys.readouterr().err.splitlines()
    assert lines[:2] == [
        "vecdecay: repaired: cells.parquet: missing",
        "vecdecay: 30 cells of 2 failed, the others are complete:",
    ]
    assert lines[2] == "vecdecay: cell 0 (ebbinghaus): it broke badly"
    assert (len(lines), lines[-1]) == (23, "vecdecay: and 10 more cells")
    assert told_failures(Run(Path("run"), spec)) == 0


def test_what_cannot_be_shown_is_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No run, or two forms at once."""
    ending = type_in(capsys, "results", str(folder / "nothing"))
    assert (ending.code, ending.out) == (1, "")
    assert ending.complaints == [f"{folder / 'nothing'}: holds no run of this program"]
    ending = type_in(capsys, "results", str(folder), "--csv", "--json")
    assert (ending.code, ending.complaints) == (2, ["--csv, --markdown and --json: allowed: one of them"])


def test_a_checkpoint_that_no_session_reaches_is_told(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On the screen and among the findings of the JSON: its columns are null. The other checkpoint is reached."""
    run_sweep(small_sweep("cells", seeds=3, axes=False), folder / "run", threads=1)  # checkpoints 5 and 30 of 25 turns
    told = "no session reaches the checkpoint 30: nothing is measured there"
    assert told in " ".join(shown(capsys, folder / "run").out.split())
    assert told in json.loads(shown(capsys, folder / "run", "--json").out)["findings"]
