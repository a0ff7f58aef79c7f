"""Parts in files: files and receipt agree, the same bytes each time, nothing is left of what failed or was stopped."""

import hashlib
import os
import pickle
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from file_faults import FailsAt, Recorder, content_of, intercepted
from sweep_runs import cut_finely, small_sweep

from vecdecay.engines.registry import play_block
from vecdecay.errors import OutputError
from vecdecay.run import play as playing
from vecdecay.run.execute import play_and_write
from vecdecay.run.parts import Part, Unit, parts_of
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play import Stop, StoppedError
from vecdecay.run.sinks import ParquetSink, PartReceipt, part_file, part_of_file, units_digest
from vecdecay.store.tables import DETAILS, part_tables
from vecdecay.store.verification import check_part

FOOTER = {"vecdecay.test": "a footer"}


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch, warm_kernels: None) -> None:
    """Cut sweeps into small parts, with the kernels compiled."""
    cut_finely(monkeypatch, plays=24)


Task = tuple[Plan, Part, ParquetSink, Stop]


def task_for(folder: Path, detail: str = "sessions", number: int = 1) -> Task:
    """Return a task of the small sweep, with the folders that it needs."""
    plan = make_plan(small_sweep(detail))
    for name in part_tables(detail):
        (folder / name).mkdir(parents=True, exist_ok=True)
    return plan, list(parts_of(plan))[number], ParquetSink(folder, FOOTER, [].append), Stop()


def play(task: Task) -> PartReceipt:
    """Play a part, and return the receipt."""
    return play_and_write(*task)


@pytest.mark.parametrize("detail", DETAILS)
def test_the_receipt_is_what_is_on_the_disk(detail: str, tmp_path: Path) -> None:
    """A file for each table, each as its entry says, with the footer that was given; the histograms come last."""
    task = task_for(tmp_path, detail)
    receipt = play(task)
    assert (receipt.part, receipt.plays, receipt.failed) == (1, task[1].plays, ())
    assert [entry.file for entry in receipt.entries] == [part_file(name, 1) for name in part_tables(detail)]
    for entry in receipt.entries:
        assert check_part(tmp_path, entry) is None
        metadata = pq.read_metadata(tmp_path / entry.file)
        assert metadata.num_rows == entry.rows > 0
        assert metadata.metadata[b"vecdecay.test"] == b"a footer"
    assert [bool(entry.receipt) for entry in receipt.entries] == [False] * (len(receipt.entries) - 1) + [True]
    assert receipt.entries[-1].receipt == {"plays": task[1].plays, "failed": [], "units": units_digest(task[1])}
    assert len(content_of(tmp_path)) == len(receipt.entries)


@pytest.mark.parametrize("detail", DETAILS)
def test_a_part_is_the_same_bytes_each_time(detail: str, tmp_path: Path) -> None:
    """Played again, after other parts, over its own files or by an unpickled task."""
    first = play(task_for(tmp_path, detail))
    play(task_for(tmp_path, detail, number=2))
    task = pickle.loads(pickle.dumps(task_for(tmp_path, detail)))
    assert pickle.loads(pickle.dumps(play(task))) == first


def test_names_of_files_and_keys_lead_back_to_the_part() -> None:
    """Names sort as the parts are numbered."""
    assert part_file("items", 7) == "items/part-000007.parquet"
    assert [part_of_file(part_file(name, 1_000_001)) for name in ("sessions", "histograms")] == [1_000_001] * 2
    assert sorted(part_file("items", number) for number in (10, 9, 100)) == [
        part_file("items", number) for number in (9, 10, 100)
    ]


def test_the_digest_of_units_tells_other_cells_and_seeds() -> None:
    """The number of the part does not matter, what it plays does; the value is written out, for it is stored."""
    part = Part(3, (Unit((0, 1), 0, 20),))
    assert units_digest(part) == hashlib.sha256(b"(Unit(cells=(0, 1), first=0, last=20),)").hexdigest()[:16]
    assert units_digest(replace(part, number=4)) == units_digest(part)
    others = [Unit((0, 2), 0, 20), Unit((0, 1), 1, 20), Unit((0, 1), 0, 21)]
    assert len({units_digest(replace(part, units=(unit,))) for unit in [*others, part.units[0]]}) == 4


def test_rows_of_failed_cells_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are in no table of the part; the receipt says which cells they are, and why."""

    def failing(block: Any, policy: Any, *arguments: Any, **options: Any) -> Any:
        if policy.name == "recency_window":
            raise ValueError("no\nwindow")
        return play_block(block, policy, *arguments, **options)

    monkeypatch.setattr(playing, "play_block", failing)
    task = task_for(tmp_path)
    receipt = play(task)
    cells = sorted({cell for unit in task[1].units for cell in unit.cells})
    assert receipt.failed == tuple((cell, "ValueError: no window") for cell in cells if cell % 2)
    assert receipt.entries[-1].receipt["failed"] == [[cell, "ValueError: no window"] for cell in cells if cell % 2]
    for entry in receipt.entries:
        assert set(pq.read_table(tmp_path / entry.file)["cell"].to_pylist()) == {c for c in cells if not c % 2}


def test_a_run_that_is_asked_to_end_writes_nothing(tmp_path: Path) -> None:
    """A part that is asked to stop gives up; another one, and the same one later, play."""
    task = task_for(tmp_path / "stopped")
    task[3].is_set = True
    with pytest.raises(StoppedError):
        play(task)
    assert content_of(tmp_path / "stopped") == {}
    play(task_for(tmp_path / "other"))
    play(task_for(tmp_path / "stopped"))
    assert content_of(tmp_path / "stopped") == content_of(tmp_path / "other")


def test_an_error_at_any_operation_is_one_line_and_leaves_no_part_of_a_file(tmp_path: Path) -> None:
    """A full disk while a part is written: files that are there are whole."""
    recorder = Recorder()
    with intercepted(recorder):
        play(task_for(tmp_path / "whole"))
    expected = content_of(tmp_path / "whole")
    for n in range(len(recorder.names)):
        task = task_for(tmp_path / str(n))
        failing = FailsAt(n, 28)
        with pytest.raises(OutputError) as caught, intercepted(failing):
            play(task)
        failing.close_all()
        assert str(caught.value).endswith(f"cannot be written: {os.strerror(28)}")
        assert content_of(tmp_path / str(n)).items() <= expected.items()
