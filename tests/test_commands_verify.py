"""``vecdecay verify``: 0 where all is well, 1 with a line for everything that is wrong, 2 for a mistake in typing."""

import shutil
from pathlib import Path

import pytest
from command_line import type_in
from file_faults import content_of
from sweep_runs import Here, small_sweep

from vecdecay.commands import verify as module
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import VerifyReport

PART = "sessions/part-000000.parquet"


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Path:
    """A run of two cells of four sessions each."""
    folder = tmp_path_factory.mktemp("finished")
    run_sweep(small_sweep(seeds=4, axes=False), folder, executor=Here(), check=0)
    return folder


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """A copy of it, to be damaged."""
    return shutil.copytree(finished, tmp_path / "copy")


def flip_a_byte(path: Path) -> None:
    """Change one byte in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


@pytest.mark.parametrize(
    ("options", "sessions"),
    [
        ((), "8 sessions"),
        (("--all",), "8 sessions"),
        (("--sample", "3"), "3 sessions"),
        (("--sample", "0"), "0 sessions"),
    ],
)
def test_a_sound_run_is_said_to_be_sound(
    options: tuple[str, ...], sessions: str, finished: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 0, what was looked at, and nothing is changed."""
    before = content_of(finished)
    ending = type_in(capsys, "verify", str(finished), "--quiet", *options)
    assert (ending.code, ending.err) == (0, "")
    first, last = ending.out.splitlines()
    assert first.startswith("looked at 1 part with ")
    assert first.endswith(f" rows, 2 cells; {sessions} computed again")
    assert last == f"{finished}: nothing is wrong"
    assert content_of(finished) == before


def test_a_flipped_byte_is_a_line(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1, the file on the standard error, the number of things at the end."""
    flip_a_byte(copy / "cells.parquet")
    ending = type_in(capsys, "verify", str(copy), "--quiet")
    assert ending.code == 1
    assert ending.complaints[0] == "cells.parquet: its content was changed"
    assert ending.out.splitlines()[-1].startswith(f"{copy}: {len(ending.complaints)} thing")
    flip_a_byte(copy / PART)
    ending = type_in(capsys, "verify", str(copy), "--quiet")
    assert ending.code == 1
    assert f"{PART}: its content was changed (SHA-256 differs)" in ending.complaints


def test_a_missing_part_is_a_line(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One thing is wrong, and it is named once."""
    (copy / PART).unlink()
    ending = type_in(capsys, "verify", str(copy), "--quiet")
    assert (ending.code, ending.complaints) == (1, [f"{PART}: missing"])
    assert ending.out.splitlines()[-1] == f"{copy}: 1 thing wrong"


def test_many_problems_are_counted(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of them are told, the rest is a number; failed cells are a line of their own."""
    report = VerifyReport([f"file {number}" for number in range(5)], 1, 10, 3, 2, failed_cells=1)
    monkeypatch.setattr(module, "MOST_PROBLEMS_TOLD", 3)
    monkeypatch.setattr(module, "verify_run", lambda *_, **__: report)
    ending = type_in(capsys, "verify", str(copy))
    assert ending.code == 1
    assert ending.complaints == ["file 0", "file 1", "file 2", "and 2 more problems"]
    assert ending.out.splitlines() == [
        "looked at 1 part with 10 rows, 2 cells; 3 sessions computed again",
        "1 cell could not be played when the run was made",
        f"{copy}: 5 things wrong",
    ]


def test_what_was_typed_is_handed_on(
    copy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sample, its seed and ``--all`` reach the work as they were typed."""
    asked: list[object] = []

    def listening(folder: Path, *, progress: object, **options: object) -> VerifyReport:
        asked.append((folder, options))
        return VerifyReport([], 0, 0, 0, 0)

    monkeypatch.setattr(module, "verify_run", listening)
    type_in(capsys, "verify", str(copy))
    type_in(capsys, "verify", str(copy), "--all", "--sample", "7", "--sample-seed", "3")
    assert asked == [
        (copy, {"everything": False, "sample": 200, "sample_seed": 0}),
        (copy, {"everything": True, "sample": 7, "sample_seed": 3}),
    ]


@pytest.mark.parametrize("typed", [(), ("here", "--nonsense"), ("here", "--sample", "many")])
def test_nonsense_is_a_mistake(typed: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 2 and one line."""
    ending = type_in(capsys, "verify", *typed)
    assert (ending.code, ending.out, len(ending.complaints)) == (2, "", 1)


def test_a_folder_without_a_run_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit code 1: there is nothing to look at."""
    ending = type_in(capsys, "verify", str(tmp_path))
    assert (ending.code, ending.out) == (1, "")
    assert ending.complaints == [f"{tmp_path}: holds no run of this program"]
