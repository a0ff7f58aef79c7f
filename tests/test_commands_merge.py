"""``vecdecay merge``: shares become the run that was not shared out, byte for byte; a missing share is one line."""

import shutil
from pathlib import Path

import pytest
from command_line import type_in
from file_faults import content_of
from sweep_runs import Here, cut_finely, small_sweep

from vecdecay.run import merge as merging
from vecdecay.run.open_run import FailedCell, Run
from vecdecay.run.sweep import run_sweep
from vecdecay.store.ledger import LEDGER_NAME

SPEC = small_sweep(seeds=24, axes=False)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Path:
    """A folder with a run and with the three shares of it."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        cut_finely(patch, plays=8)
        run_sweep(SPEC, folder / "whole", executor=Here(), check=0)
        for number in (1, 2, 3):
            run_sweep(SPEC, folder / f"share-{number}", executor=Here(), check=0, shard=(number, 3))
    return folder


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the sweep as the fixture did."""
    cut_finely(monkeypatch, plays=8)


def parquet_of(folder: Path) -> dict[str, bytes]:
    """Return the Parquet files of a run with their bytes."""
    return {name: data for name, data in content_of(folder).items() if name.endswith(".parquet")}


def shares(runs: Path, *numbers: int) -> list[str]:
    """Return the folders of some shares, as they are typed."""
    return [str(runs / f"share-{number}") for number in numbers]


@pytest.mark.parametrize("order", [(1, 2, 3), (3, 1, 2)])
def test_three_shares_are_the_run(
    order: tuple[int, ...], runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In any order: Parquet files, ledger and manifest of the run that was not shared out; shares stay as they are."""
    before = {number: content_of(runs / f"share-{number}") for number in order}
    ending = type_in(capsys, "merge", *shares(runs, *order), "--output", str(tmp_path / "joined"))
    assert (ending.code, ending.err) == (0, "")
    assert ending.out == f"3 shares joined to {tmp_path / 'joined'}: 48 sessions in 2 cells\n"
    whole = parquet_of(runs / "whole")
    assert len(whole) > 2 * 3  # more parts than shares
    assert parquet_of(tmp_path / "joined") == whole
    for name in (LEDGER_NAME, "manifest.json", "sweep.toml"):
        assert (tmp_path / "joined" / name).read_bytes() == (runs / "whole" / name).read_bytes()
    assert {number: content_of(runs / f"share-{number}") for number in order} == before


def test_a_second_merge_has_nothing_to_do(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says so and changes nothing; a part that was damaged meanwhile is copied again, and named."""
    typed = ("merge", *shares(runs, 1, 2, 3), "--output", str(tmp_path))
    type_in(capsys, *typed)
    before = content_of(tmp_path)
    ending = type_in(capsys, *typed)
    assert (ending.code, ending.err) == (0, "")
    assert ending.out == f"nothing to do: {tmp_path} holds this very run, finished\n"
    assert content_of(tmp_path) == before
    (tmp_path / "histograms/part-000001.parquet").unlink()
    ending = type_in(capsys, *typed)
    assert (ending.code, ending.complaints) == (0, ["repaired: histograms/part-000001.parquet: missing"])
    assert parquet_of(tmp_path) == parquet_of(runs / "whole")


def test_a_missing_share_is_one_line(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2, the numbers of what is missing, and no output folder."""
    ending = type_in(capsys, "merge", *shares(runs, 1), "--output", str(tmp_path / "joined"))
    assert (ending.code, ending.out) == (2, "")
    assert ending.complaints == ["of 3 shares these are not given: 2, 3"]
    assert not (tmp_path / "joined").exists()


def test_a_share_given_twice_is_one_line(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Both folders are named."""
    ending = type_in(capsys, "merge", *shares(runs, 1, 2, 3, 2), "--output", str(tmp_path / "joined"))
    one = runs / "share-2"
    assert (ending.code, ending.complaints) == (2, [f"{one}: is share 2, as {one} is"])


def test_a_damaged_share_is_one_line(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The share and what is wrong in it."""
    damaged = shutil.copytree(runs / "share-2", tmp_path / "share-2")
    part = sorted((damaged / "sessions").iterdir())[0]
    part.unlink()
    ending = type_in(capsys, "merge", *shares(runs, 1, 3), str(damaged), "--output", str(tmp_path / "joined"))
    assert ending.code == 2
    assert f"{damaged}: sessions/{part.name}: missing" in ending.complaints
    assert not (tmp_path / "joined").exists()


def test_another_sweep_is_refused(runs: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A run of other seeds is no share of this one, and the key that differs is named."""
    run_sweep(small_sweep(seeds=8, axes=False), tmp_path / "other", executor=Here(), check=0)
    ending = type_in(
        capsys, "merge", *shares(runs, 1, 2, 3), str(tmp_path / "other"), "--output", str(tmp_path / "joined")
    )
    assert ending.code == 2
    assert len(ending.complaints) == 1
    assert ending.complaints[0].startswith(f"{tmp_path / 'other'}: holds another sweep than {runs / 'share-1'} (")


def test_failed_cells_end_a_merge_with_1(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The merged run is said, its failed cells are named, and the exit code is that of such a run."""
    spec = small_sweep(seeds=3, axes=False)
    failed = Run(Path("joined"), spec, failed=(FailedCell(1, "recency_window", "it broke"),))
    monkeypatch.setattr(merging, "merge", lambda *_: failed)
    ending = type_in(capsys, "merge", "a", "b", "--output", "joined")
    assert (ending.code, ending.out) == (1, "2 shares joined to joined: 6 sessions in 2 cells\n")
    assert ending.complaints == ["cell 1 (recency_window): it broke"]


def test_nonsense_is_a_mistake(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No share, no output folder, a folder that holds no run: one line each."""
    ending = type_in(capsys, "merge", "--output", str(tmp_path / "joined"))
    assert (ending.code, ending.complaints) == (
        2,
        ["no share is given; allowed: the folders of all shares of one sweep"],
    )
    ending = type_in(capsys, "merge", "somewhere")
    assert (ending.code, len(ending.complaints)) == (2, 1)
    ending = type_in(capsys, "merge", str(tmp_path / "nowhere"), "--output", str(tmp_path / "joined"))
    assert (ending.code, ending.complaints) == (2, [f"{tmp_path / 'nowhere'}: holds no run of this program"])
