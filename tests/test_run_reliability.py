"""A sweep that dies, or meets a failing disk, at any of its file operations loses nothing that was finished."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from file_faults import Death, DiesAt, FailsAt, LosesPowerAt, Recorder, content_of, intercepted
from sweep_runs import Here, Remembered, cut_finely, digest_of, results_of, small_sweep

from vecdecay.errors import OutputError
from vecdecay.run import execute
from vecdecay.run.sinks import part_of_file
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import verify_run
from vecdecay.store.ledger import LEDGER_NAME, LedgerEntry, read_ledger
from vecdecay.store.manifest import MANIFEST_NAME
from vecdecay.store.verification import check_part

PARTS = 20


class TwentyParts:
    """A sweep cut into twenty parts, which is run in this thread, so that its operations come in the same order."""

    def __init__(self, detail: str, folder: Path) -> None:
        """Run it once, with nothing happening to it."""
        self.spec = small_sweep(detail, seeds=40, axes=False)
        recorder = Recorder()
        with intercepted(recorder):
            self.play(folder)
        self.operations = len(recorder.names)
        self.digest = digest_of(folder)
        assert {part_of_file(key) for key in read_ledger(folder).entries} == set(range(PARTS))
        assert verify_run(folder, everything=True).problems == []

    def play(self, folder: Path) -> None:
        """Begin a run, or go on with one."""
        run_sweep(self.spec, folder, threads=1, executor=Here(), check=0)


@contextmanager
def twenty_parts(detail: str, folder: Path) -> Iterator[TwentyParts]:
    """Cut sweeps finely, and remember the content of their parts."""
    with pytest.MonkeyPatch.context() as patch:
        cut_finely(patch, plays=4, rows=108)  # of items a session has 27
        patch.setattr(execute, "play_and_write", Remembered())
        yield TwentyParts(detail, folder)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Iterator[TwentyParts]:
    """A sweep with one file per part."""
    with twenty_parts("cells", tmp_path_factory.mktemp("whole")) as made:
        yield made


@pytest.fixture
def sweep_with_rows(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Iterator[TwentyParts]:
    """A sweep with three files per part."""
    with twenty_parts("items", tmp_path_factory.mktemp("whole")) as made:
        yield made


def sound_entries(folder: Path) -> list[LedgerEntry]:
    """Return what the ledger names, after seeing that every file of it is there and whole."""
    if not (folder / LEDGER_NAME).exists():
        return []
    entries = list(read_ledger(folder).entries.values())
    assert [check_part(folder, entry) for entry in entries] == [None] * len(entries)
    return entries


def hidden_files(folder: Path) -> list[str]:
    """Return the leftovers of dead runs."""
    return [name for name in content_of(folder) if Path(name).name.startswith(".")]


def resume_and_compare(folder: Path, sweep: TwentyParts) -> None:
    """Run the same sweep again: all is there, byte for byte, nothing else is, and finished parts were not touched."""
    before = {entry.file: (folder / entry.file).stat().st_ino for entry in finished_parts(folder)}
    with intercepted(Recorder()):
        sweep.play(folder)
    assert digest_of(folder) == sweep.digest
    assert hidden_files(folder) == []
    assert {file: (folder / file).stat().st_ino for file in before} == before
    shutil.rmtree(folder)


def finish_some(n: int, folder: Path, sweep: TwentyParts) -> None:
    """See that what was entered is whole, and, for every sixth n, that the rest can be made."""
    sound_entries(folder)
    if n % 6 == 0:
        resume_and_compare(folder, sweep)
    else:
        shutil.rmtree(folder, ignore_errors=True)


def finished_parts(folder: Path) -> list[LedgerEntry]:
    """Return the entries of parts of which every file was entered."""
    entries = sound_entries(folder)
    whole = {part_of_file(entry.file) for entry in entries if "units" in entry.receipt}
    return [entry for entry in entries if part_of_file(entry.file) in whole]


def test_death_at_every_operation_is_resumed_to_the_same_bytes(sweep: TwentyParts, tmp_path: Path) -> None:
    """Twenty parts, killed at the n-th file operation for every n, amid it if it writes: nothing is lost or left."""
    reached = set()
    for n in range(sweep.operations):
        folder = tmp_path / str(n)
        dying = DiesAt(n)
        with pytest.raises(Death), intercepted(dying):
            sweep.play(folder)
        dying.close_all()
        reached.add(len(finished_parts(folder)))
        resume_and_compare(folder, sweep)
    assert len(reached) == PARTS + 1


def test_loss_of_power_at_every_operation_is_resumed_to_the_same_bytes(sweep: TwentyParts, tmp_path: Path) -> None:
    """The same where all is lost that was not flushed to the disk."""
    for n in range(sweep.operations):
        folder = tmp_path / str(n)
        dying = LosesPowerAt(n)
        with pytest.raises(Death), intercepted(dying):
            sweep.play(folder)
        dying.close_all()
        dying.lose()
        finish_some(n, folder, sweep)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.75, 0.97])
def test_death_amid_the_entries_of_a_part_makes_it_again(
    share: float, sweep_with_rows: TwentyParts, tmp_path: Path
) -> None:
    """A part of three files, of which one or two were entered when the run died, is made again as a whole."""
    recorder = Recorder()
    with intercepted(recorder):
        sweep_with_rows.play(tmp_path / "whole")
    names = recorder.names
    # Other files get their names after they are closed.
    steps = ["write", "fsync", "close"]
    entering = [n for n in range(len(names)) if names[n : n + 3] == steps and names[n + 3] != "replace"]
    assert len(entering) == PARTS
    for n in entering[::7]:
        dying = DiesAt(n, share)
        with pytest.raises(Death), intercepted(dying):
            sweep_with_rows.play(tmp_path / "run")
        dying.close_all()
        entered = len(read_ledger(tmp_path / "run").entries)
        assert entered % 3 == {0.1: 0, 0.5: 1, 0.75: 2, 0.97: 2}[share]
        resume_and_compare(tmp_path / "run", sweep_with_rows)


@pytest.mark.torture
@pytest.mark.parametrize("kind", [DiesAt, LosesPowerAt])
def test_death_at_every_operation_with_more_tables(
    kind: type[DiesAt], sweep_with_rows: TwentyParts, tmp_path: Path
) -> None:
    """The same with three files per part, and each run resumed."""
    for n in range(sweep_with_rows.operations):
        folder = tmp_path / str(n)
        dying = kind(n)
        with pytest.raises(Death), intercepted(dying):
            sweep_with_rows.play(folder)
        dying.close_all()
        if isinstance(dying, LosesPowerAt):
            dying.lose()
        resume_and_compare(folder, sweep_with_rows)


def test_death_while_resuming_is_resumed_too(sweep: TwentyParts, tmp_path: Path) -> None:
    """A run that dies again and again, each time a little later, comes to the same end."""
    deaths = 0
    for n in range(3, 10_000, 29):
        dying = DiesAt(n)
        try:
            with intercepted(dying):
                sweep.play(tmp_path / "run")
        except Death:
            deaths += 1
            dying.close_all()
            continue
        break
    assert deaths > 3
    assert digest_of(tmp_path / "run") == sweep.digest


@pytest.mark.parametrize(("error_number", "lasting"), [(errno.ENOSPC, True), (errno.EIO, False)])
def test_an_error_at_every_operation_is_one_line(
    error_number: int, lasting: bool, sweep: TwentyParts, tmp_path: Path
) -> None:
    """A full or failing disk, at any operation: one line with the reason; what was finished is whole, and resumed."""
    for n in range(sweep.operations):
        folder = tmp_path / str(n)
        failing = FailsAt(n, error_number, lasting=lasting)
        with pytest.raises(OutputError) as caught, intercepted(failing):
            sweep.play(folder)
        failing.close_all()
        line = str(caught.value)
        assert line.startswith(str(folder)), line
        assert line.endswith(os.strerror(error_number)), line
        assert line.isprintable(), line
        if not lasting and failing.names[n] != "unlink":
            assert hidden_files(folder) == []
        finish_some(n, folder, sweep)


def test_the_second_run_finds_nothing_to_do_and_changes_nothing(sweep: TwentyParts, tmp_path: Path) -> None:
    """The same command again: no part is played, no file is written but lock and probe."""
    sweep.play(tmp_path)
    before = {name: (tmp_path / name).stat().st_ino for name in content_of(tmp_path)}
    executor, recorder = Here(), Recorder()
    with intercepted(recorder):
        report = run_sweep(sweep.spec, tmp_path, executor=executor)
    assert report.already_complete
    assert report.repaired == ()
    assert executor.tasks == []
    assert "replace" not in recorder.names
    assert {name: (tmp_path / name).stat().st_ino for name in content_of(tmp_path)} == before


def test_a_run_without_its_manifest_is_finished_again(sweep: TwentyParts, tmp_path: Path) -> None:
    """Every file beside the parts can be lost: it is made again from them."""
    sweep.play(tmp_path)
    for name in (MANIFEST_NAME, "cells.parquet"):
        (tmp_path / name).unlink()
        executor = Here()
        report = run_sweep(sweep.spec, tmp_path, executor=executor, check=0)
        assert not report.already_complete
        assert executor.tasks == []
        assert digest_of(tmp_path) == sweep.digest
    assert results_of(tmp_path)["cells.parquet"]
