"""Run folders that former versions wrote: the program says what it can do with each, and loses nothing of them."""

import shutil
from pathlib import Path

import pytest
from command_line import type_in
from house import ROOT

from vecdecay.run.verify import verify_run

RUNS = ROOT / "tests" / "golden" / "runs"


@pytest.fixture
def copy(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A copy of the run of a format, which a command may change."""
    return Path(shutil.copytree(RUNS / request.param, tmp_path / "run"))


@pytest.mark.parametrize("copy", ["1"], indirect=True)
def test_the_first_format_is_told_and_made_again(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each file of another format in one line with what to do; nothing is guessed; the same sweep makes it again."""
    told = "has format 1; this program reads format 2, and the same sweep makes the run again"
    ending = type_in(capsys, "verify", str(copy))
    assert (ending.code, ending.complaints) == (
        1,
        [f"{copy / name}: {told}" for name in ("manifest.json", "ledger.jsonl")],
    )
    ending = type_in(capsys, "results", str(copy))
    assert (ending.code, len(ending.complaints)) == (1, 1)
    assert "another version of this program wrote it; any reader of Parquet reads it" in ending.complaints[0]
    ending = type_in(capsys, "sql", str(copy), "select policy from cells")
    assert (ending.code, ending.complaints) == (1, [f"{copy / 'manifest.json'}: {told}"])
    ending = type_in(capsys, "run", str(copy / "sweep.toml"), "--output", str(copy), "--quiet")
    assert (ending.code, ending.complaints) == (
        0,
        ["repaired: ledger.jsonl: has format 1, so its parts cannot be trusted"],
    )
    assert (copy / "totals" / "part-000000.parquet").exists()
    assert verify_run(copy).problems == []


@pytest.mark.parametrize("copy", ["2"], indirect=True)
def test_the_second_format_is_verified_shown_and_taken_up(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is the one of today."""
    report = verify_run(copy, everything=True)
    assert (report.problems, report.sessions_recomputed) == ([], 80)
    assert "ebbinghaus hits more of the recalls" in type_in(capsys, "results", str(copy)).out
    ending = type_in(capsys, "run", str(copy / "sweep.toml"), "--output", str(copy), "--quiet")
    assert (ending.code, ending.complaints) == (0, [])
    assert f"nothing to do: {copy} holds this very run, finished" in " ".join(ending.out.split())
