"""vd.sweep and vd.open_run: a sweep from Python, its tables, and a run folder as an object."""

from concurrent.futures import Future
from pathlib import Path
from typing import Any

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from sweep_runs import Here, cut_finely, results_of, small_sweep, small_text

import vecdecay as vd
from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.run.open_run import Run, failed_cells
from vecdecay.run.sweep import run_sweep


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch, warm_kernels: None) -> None:
    """Cut sweeps into some ten parts, with the kernels compiled."""
    cut_finely(monkeypatch, plays=24)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sweep file in the current folder."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "small.toml"
    path.write_text(small_text(), "utf-8")
    return path


def test_a_sweep_from_python_is_that_of_the_command(file: Path) -> None:
    """By path, by a spec that was read, with the default folder and another: the same files."""
    one = vd.sweep(file, threads=1)
    assert one.folder == Path("output/small")
    other = vd.sweep(small_sweep(), "elsewhere", executor=Here())
    assert results_of(one.folder) == results_of(other.folder)
    assert one.checked_sessions == 100
    assert vd.sweep("small.toml").already_complete


def test_values_are_set_from_python(file: Path) -> None:
    """Python's own numbers, lists for axes; a mistake is one line with the key."""
    run = vd.sweep(file, "set", set={"seeds": 7, "ebbinghaus.eviction_threshold": [0.1, 0.2], "detail": "cells"})
    assert (len(run.spec.seeds), run.num_cells, run.spec.detail) == (7, 8, "cells")
    with pytest.raises(InvalidInputError, match="eviction_threshold"):
        vd.sweep(file, "set", set={"ebbinghaus.eviction_treshold": 0.3})
    with pytest.raises(InvalidInputError, match=r"^set is .*; allowed with a sweep file"):
        vd.sweep(small_sweep(), set={"seeds": 7})


def test_an_opened_run_is_the_one_that_was_played(file: Path) -> None:
    """Its sweep and its tables; the cells stream to whoever takes Arrow."""
    played = vd.sweep(file)
    run = vd.open_run("output/small")
    assert isinstance(run, vd.Run)
    assert (run.spec, run.num_cells, run.num_sessions, run.is_complete) == (played.spec, 12, 240, True)
    assert {engine: len(labels) for engine, labels in run.engines.items()} == {"horizon": run.plan.num_policies}
    assert run.cells.equals(played.cells)
    assert run.cells["cell"].to_pylist() == list(range(12))
    assert run.sessions.count_rows() == 240
    histograms = run.histograms.to_table()
    assert sum(histograms.filter(pa.compute.equal(histograms["metric"], "misses"))["count"].to_pylist()) == 240
    assert pa.table(run).equals(run.cells)
    assert pl.DataFrame(run).height == 12
    assert duckdb.execute("select count(*) from run").fetchone() == (12,)
    assert repr(run) == "Run small in output/small: 12 cells × 20 sessions; finished"
    assert run.verify(sample=5).problems == []
    for name in ("items", "turns"):
        with pytest.raises(InvalidInputError, match=f"{name} were not kept; kept: cells, sessions, histograms"):
            getattr(run, name)


@pytest.mark.parametrize(("detail", "rows"), [("items", 2 * 20 * 27), ("turns", 2 * 20 * 25)])
def test_the_most_detailed_table_is_a_dataset(detail: str, rows: int, tmp_path: Path) -> None:
    """Read where it lies, not all at once."""
    run = run_sweep(small_sweep(detail, axes=False), tmp_path / "run", executor=Here(), check=0)
    assert getattr(run, detail).count_rows() == rows


class Failing(Here):
    """Is interrupted at the sixth part."""

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        """Do the task, unless it is the sixth."""
        if len(self.tasks) == 5:
            raise KeyboardInterrupt
        return super().submit(function, *arguments, **options)


def test_an_interrupted_run_says_how_far_it_came_and_how_it_goes_on(tmp_path: Path) -> None:
    """It can be opened, has rows, and no cells table; the command that it names finishes it."""
    folder = tmp_path / "run"
    with pytest.raises(KeyboardInterrupt):
        run_sweep(small_sweep(), folder, executor=Failing(), threads=1, check=0)
    run = vd.open_run(folder)
    assert not run.is_complete
    done = run.num_parts_done
    assert 0 < done <= 5 < run.num_parts
    words = f"unfinished, {done} of {run.num_parts} parts; resume it with: vecdecay run {folder}/sweep.toml"
    assert run.unfinished() == f"{words} --output {folder}"
    assert repr(run).endswith(run.unfinished())
    assert run.sessions.count_rows() > 0
    with pytest.raises(OutputError, match="has no cells table: unfinished"):
        _ = run.cells
    assert vd.sweep(folder / "sweep.toml", folder).is_complete
    assert vd.open_run(folder).unfinished() == ""


def test_a_share_says_which_it_is(tmp_path: Path) -> None:
    """An opened share knows its number, and has no cells table."""
    run_sweep(small_sweep(), tmp_path / "run", executor=Here(), check=0, shard=(2, 3))
    run = vd.open_run(tmp_path / "run")
    assert run.shard == (2, 3)
    assert run.is_complete
    assert run.num_parts == run.num_parts_done


def test_failed_cells_have_the_labels_of_their_policies(tmp_path: Path) -> None:
    """In the order of their numbers."""
    failed = failed_cells(small_sweep(), {5: "b", 2: "a"})
    assert [(one.cell, one.label, one.error) for one in failed] == [(2, "ebbinghaus", "a"), (5, "recency_window", "b")]
    assert "2 failed" in repr(Run(tmp_path, small_sweep(), failed=failed))


def test_a_folder_without_a_run_is_one_line(tmp_path: Path) -> None:
    """Missing or empty."""
    for folder in (tmp_path / "missing", tmp_path):
        with pytest.raises(OutputError, match=r"holds no run of this program$"):
            vd.open_run(folder)


def test_a_dictionary_is_a_sweep(tmp_path: Path) -> None:
    """With the keys of a sweep file and values of Python."""
    tables = {
        "schema": 1,
        "sweep": {"name": "small", "seeds": range(3)},
        "workload": {"kind": "published_sessions", "session_length": 40},
        "policy": [{"kind": "keep_all"}],
    }
    run = vd.sweep(tables, tmp_path / "run", set={"workload.noise_per_turn": [1, 2]}, threads=1)
    assert run.cells["noise_per_turn"].to_pylist() == [1, 2]
    with pytest.raises(InvalidInputError, match=r"^sweep: sweep\.seeds: is 0; allowed: a count"):
        vd.sweep({**tables, "sweep": {"name": "small", "seeds": 0}}, tmp_path / "run")
