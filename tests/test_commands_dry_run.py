"""``vecdecay run --dry-run``: figures before anything is played, and nothing written."""

import json
from pathlib import Path

import pytest
from command_line import small_sweep, type_in


@pytest.fixture
def sweep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A sweep of a million sessions in an empty folder."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(small_sweep(seeds=500_000, detail="sessions"), "utf-8")
    return "small.toml"


def test_a_dry_run_tells_what_it_would_take(sweep: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Cells, sessions and rows to the last one; disk, memory and time about."""
    ending = type_in(capsys, "run", sweep, "--dry-run")
    assert (ending.code, ending.err) == (0, "")
    lines = ending.out.splitlines()
    assert lines[0] == "small would take (nothing is played, nothing is written):"
    facts = dict(line.split(maxsplit=1) for line in lines[2:])
    assert list(facts) == ["cells", "sessions", "rows", "disk", "memory", "time"]
    assert facts["cells"] == "2"
    assert facts["sessions"] == "1,000,000"
    assert facts["rows"].endswith("(detail sessions)")
    assert facts["disk"].endswith(f"in {Path('output', 'small')}")


def test_a_dry_run_writes_nothing(sweep: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Not even the folder."""
    type_in(capsys, "run", sweep, "--dry-run")
    assert [path.name for path in Path().iterdir()] == [sweep]


def test_a_dry_run_as_json(sweep: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same figures, in full."""
    told = json.loads(type_in(capsys, "run", sweep, "--dry-run", "--json").out)
    assert (told["sweep"], told["cells"], told["sessions"]) == ("small", 2, 1_000_000)
    assert min(told["disk_bytes"], told["memory_bytes"], told["seconds"]) > 0


def test_a_dry_run_of_a_mistake_is_a_mistake(sweep: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same line as without."""
    dry = type_in(capsys, "run", sweep, "--dry-run", "--detail", "everything")
    real = type_in(capsys, "run", sweep, "--detail", "everything")
    assert (dry.code, dry.err) == (2, real.err)
