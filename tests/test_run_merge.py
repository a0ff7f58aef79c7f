"""Shares of a sweep become the run that they are parts of, byte for byte, or one error that names all that is wrong."""

import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from file_faults import Death, DiesAt, FailsAt, Recorder, content_of, intercepted
from sweep_runs import Here, cut_finely, digest_of, small_sweep

from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.run import merge as module
from vecdecay.run import play as playing
from vecdecay.run.merge import merge
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import verify_run

SPEC = small_sweep("sessions", seeds=8)
SHARES = 3


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> object:
    """The whole run, and its three shares."""
    with pytest.MonkeyPatch.context() as patch:
        cut_finely(patch, plays=12)
        base = tmp_path_factory.mktemp("runs")
        run_sweep(SPEC, base / "whole", executor=Here(), check=0)
        for number in range(1, SHARES + 1):
            run_sweep(SPEC, base / f"share-{number}", shard=(number, SHARES), executor=Here(), check=0)
        yield base


def shares_of(runs: Path) -> list[Path]:
    """Return the folders of the shares, the last one first."""
    return [runs / f"share-{number}" for number in range(SHARES, 0, -1)]


@pytest.mark.parametrize("detail", ["cells", "sessions", "items", "turns"])
@pytest.mark.parametrize("count", [1, 2, 5, 50])
def test_merged_shares_are_the_run_byte_for_byte(detail: str, count: int, runs: Path, tmp_path: Path) -> None:
    """Every file but the clock's, whatever the order of the shares, also where some of them have no part at all."""
    spec = small_sweep(detail, seeds=2)
    run_sweep(spec, tmp_path / "whole", executor=Here(), check=0)
    folders = [tmp_path / str(number) for number in range(1, count + 1)]
    for number, folder in enumerate(folders, start=1):
        run_sweep(spec, folder, shard=(number, count), executor=Here(), check=0)
    before = {folder: content_of(folder) for folder in folders}
    report = merge(folders[::-1], tmp_path / "merged")
    assert digest_of(tmp_path / "merged") == digest_of(tmp_path / "whole")
    assert {folder: content_of(folder) for folder in folders} == before
    assert (report.num_cells, report.num_sessions, report.failed) == (12, 24, ())
    assert report.cells.num_rows == 12
    assert verify_run(tmp_path / "merged").problems == []


def test_a_second_merge_and_a_run_find_nothing_to_do(runs: Path, tmp_path: Path) -> None:
    """The merged run is a finished run."""
    assert not merge(shares_of(runs), tmp_path / "merged").already_complete
    assert merge(shares_of(runs), tmp_path / "merged").already_complete
    assert run_sweep(SPEC, tmp_path / "merged", executor=Here()).already_complete


def complaints(shares: list[Path], target: Path) -> tuple[str, ...]:
    """Return what is said of shares that cannot be merged; the target is not made."""
    with pytest.raises(InvalidInputError) as caught:
        merge(shares, target)
    assert not target.exists()
    return caught.value.problems


def test_missing_doubled_and_foreign_shares_are_named(runs: Path, tmp_path: Path) -> None:
    """All that is wrong at once: a line for each share that does not fit, and for those that are not given."""
    first, second, _ = sorted(shares_of(runs))
    run_sweep(small_sweep("sessions", seeds=7), tmp_path / "other", shard=(3, SHARES), executor=Here(), check=0)
    run_sweep(SPEC, tmp_path / "of-two", shard=(2, 2), executor=Here(), check=0)
    target = tmp_path / "merged"
    assert complaints([first, second], target) == ("of 3 shares these are not given: 3",)
    assert complaints([first], target) == ("of 3 shares these are not given: 2, 3",)
    doubled = shutil.copytree(second, tmp_path / "again")
    assert complaints([first, second, doubled], target) == (
        f"{doubled}: is share 2, as {second} is",
        "of 3 shares these are not given: 3",
    )
    (other, *_) = complaints([first, second, tmp_path / "other"], target)
    assert other.startswith(f"{tmp_path}/other: holds another sweep than {first} (sweep.seeds.count: 8 and 7)")
    (of_two, *_) = complaints([first, second, tmp_path / "of-two"], target)
    assert of_two == f"{tmp_path}/of-two: is one of 2 shares; {first} is one of 3"
    (empty,) = complaints([], target)
    assert empty.startswith("no share is given")
    (nothing, *_) = complaints([first, second, tmp_path / "nothing"], target)
    assert nothing == f"{tmp_path}/nothing: holds no run of this program"


def test_unfinished_and_damaged_shares_are_named(runs: Path, tmp_path: Path) -> None:
    """A share that is not sound is not merged; the lines are those of verify, each with the folder."""
    copies = [Path(shutil.copytree(folder, tmp_path / folder.name)) for folder in sorted(shares_of(runs))]
    (copies[0] / "manifest.json").unlink()
    os.truncate(copies[1] / "sessions/part-000001.parquet", 100)
    found = complaints(copies, tmp_path / "merged")
    assert any(problem.startswith(f"{copies[0]}: unfinished, ") for problem in found)
    assert any(problem.startswith(f"{copies[1]}: sessions/part-000001.parquet: has 100 bytes") for problem in found)


def test_a_target_with_something_else_is_refused(runs: Path, tmp_path: Path) -> None:
    """Nobody's files are written over."""
    (tmp_path / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="holds files that are no run of this program"):
        merge(shares_of(runs), tmp_path)
    run_sweep(small_sweep(seeds=3), tmp_path / "other", executor=Here(), check=0)
    with pytest.raises(OutputError, match="holds another sweep"):
        merge(shares_of(runs), tmp_path / "other")


def test_a_merge_that_dies_or_fails_is_taken_up(runs: Path, tmp_path: Path) -> None:
    """At every seventeenth operation on files: lines, or death; the next merge comes to the same bytes."""
    recorder = Recorder()
    with intercepted(recorder):
        merge(shares_of(runs), tmp_path / "whole")
    assert len(recorder.names) > 100
    for n in range(0, len(recorder.names), 17):
        folder, other = tmp_path / str(n), tmp_path / f"other-{n}"
        dying, failing = DiesAt(n), FailsAt(n, 28, lasting=True)
        with pytest.raises(Death), intercepted(dying):
            merge(shares_of(runs), folder)
        dying.close_all()
        with pytest.raises((OutputError, InvalidInputError)) as caught, intercepted(failing):
            merge(shares_of(runs), other)
        failing.close_all()
        assert all(line.isprintable() for line in str(caught.value).splitlines())
        for target in (folder, other):
            with intercepted(Recorder()):
                merge(shares_of(runs), target)
            assert digest_of(target) == digest_of(runs / "whole")
            assert not [name for name in content_of(target) if name.endswith(".tmp")]


def test_a_part_that_changes_while_it_is_copied_is_found(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What arrives is compared with the share's ledger."""
    monkeypatch.setattr(module, "verify_run", lambda *_, **__: verify_run(shares_of(runs)[0], sample=0))
    copies = [Path(shutil.copytree(folder, tmp_path / folder.name)) for folder in shares_of(runs)]
    os.truncate(copies[1] / "histograms/part-000001.parquet", 100)
    with pytest.raises(OutputError, match=r"histograms/part-000001.parquet: was changed while it was copied"):
        merge(copies, tmp_path / "merged")


def test_failed_cells_stay_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Merged, their errors are told, and they are not in the cells table."""
    cut_finely(monkeypatch, plays=12)

    def play(block: Any, policy: Any, *arguments: Any, **options: Any) -> Any:
        if policy.name == "recency_window":
            raise OverflowError("too large")
        return play_block(block, policy, *arguments, **options)

    monkeypatch.setattr(playing, "play_block", play)
    for number in (1, 2):
        run_sweep(SPEC, tmp_path / str(number), shard=(number, 2), executor=Here(), check=0)
    report = merge([tmp_path / "1", tmp_path / "2"], tmp_path / "merged")
    assert [(one.cell, one.label, one.error) for one in report.failed] == [
        (cell, "recency_window", "OverflowError: too large") for cell in range(1, 12, 2)
    ]
    verified = verify_run(tmp_path / "merged")
    assert verified.problems == []
    assert (verified.cells, verified.failed_cells) == (6, 6)
