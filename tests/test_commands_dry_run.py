"""``vecdecay run --dry-run``: figures from a few sessions that are timed, and nothing written."""

import json
from pathlib import Path
from typing import Any

import pytest
from command_line import small_sweep, type_in

from vecdecay.commands import dry_run as module


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
    assert lines[0] == "small would take (a few sessions were timed, nothing is written):"
    facts = dict(line.split(maxsplit=1) for line in lines[2:])
    assert list(facts) == ["cells", "sessions", "rows", "disk", "memory", "time"]
    assert facts["cells"] == "2"
    assert facts["sessions"] == "1,000,000"
    assert facts["rows"].endswith("(detail sessions)")
    assert facts["disk"].endswith(f"in {Path('output', 'small')}")


ONE_PASS = "one pass for all values: what no session tells apart is played once"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("keep_all", "keep_all", ONE_PASS),
        ("seeds = 10", 'seeds = 10, detail = "sessions"', "value by value: detail sessions keeps rows of each cell"),
        ("seeds = 10", "seeds = 10, checkpoints = [20]", "value by value: checkpoints are measured in each cell"),
        ("seeds = 10", 'seeds = 10, engine = "lockstep"', "value by value: engine lockstep is asked for"),
        ("keep_all", "fsrs6", "value by value: fsrs6 cannot be counted while sessions are generated"),
        ("published_sessions", "steady_use", "value by value: sessions of steady_use are played block by block"),
    ],
)
def test_it_says_how_an_axis_of_a_policy_is_played(
    old: str, new: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """In one pass, or value by value and why."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")
    Path("drawn.toml").write_text(RANDOM.format(points=3).replace(old, new), "utf-8")
    lines = type_in(capsys, "run", "drawn.toml", "--dry-run").out.splitlines()
    assert [line.split(maxsplit=1)[1] for line in lines if line.split()[:1] == ["axes"]] == [expected]
    told = json.loads(type_in(capsys, "run", "drawn.toml", "--dry-run", "--json").out)
    assert told["one_pass"] == (expected == ONE_PASS)


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


RANDOM = """
schema = 1
sweep = {{ name = "drawn", seeds = 10, combine = "random", random_points = {points} }}
workload = {{ kind = "published_sessions" }}
policy = [{{ kind = "ebbinghaus" }}, {{ kind = "keep_all" }}]
axis = [{{ parameter = "ebbinghaus.eviction_threshold", values = [0.1, 0.2, 0.3] }}]
"""


@pytest.mark.parametrize("points", [500, 15_000])
def test_cells_that_are_the_same_are_counted_however_many_there_are(
    points: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three of one policy and one of the other."""
    monkeypatch.chdir(tmp_path)
    Path("drawn.toml").write_text(RANDOM.format(points=points), "utf-8")
    ending = type_in(capsys, "run", "drawn.toml", "--dry-run", "--json")
    told = json.loads(ending.out)
    assert (told["cells"], told["distinct_cells"]) == (2 * points, 4)
    assert ending.err == (
        f"counting which of {2 * points:,} cells are the same\n" if 2 * points >= module.MANY_CELLS else ""
    )
    lines = type_in(capsys, "run", "drawn.toml", "--dry-run").out.splitlines()
    facts = dict(line.split(maxsplit=1) for line in lines[2:])
    assert facts["cells"] == f"{2 * points:,}, 4 of them different"
    assert facts["time"].startswith("about ")


def test_cells_that_all_differ_take_the_time_that_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Counted or not, it is no bound."""
    monkeypatch.chdir(tmp_path)
    text = RANDOM.replace(", random_points = {points}", "").replace('"random"', '"zip"')
    Path("zip.toml").write_text(text.replace(', {{ kind = "keep_all" }}', "").format(), "utf-8")
    told = json.loads(type_in(capsys, "run", "zip.toml", "--dry-run", "--json").out)
    assert (told["cells"], told["distinct_cells"]) == (3, 3)


def test_a_grid_of_different_policies_is_arithmetic(
    sweep: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is counted, and nothing said of it."""
    monkeypatch.setattr(module, "MANY_CELLS", 1)
    ending = type_in(capsys, "run", sweep, "--dry-run")
    assert (ending.code, ending.err) == (0, "")
