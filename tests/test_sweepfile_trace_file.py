"""``[trace]`` in a sweep file: the log is a source like a workload, and the folder of a run keeps it."""

import itertools
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.compute as pc
import pytest

import vecdecay as vd
from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.sweepfile.spec import load_sweep

LOG = "session,turn,file_path\n" + "".join(
    f"{name},{turn},{item}\n"
    for name, length in (("a", 40), ("b", 25), ("c", 60))
    for turn in range(1, length, 3)
    for item in ("rules", f"note{turn % 7}")
)
SWEEP = """
schema = 1
[sweep]
name = "own_log"
detail = "items"
[trace]
path = "logs/mine.csv"
columns = { item = "file_path" }
on_miss = "relearn"
[[policy]]
kind = "recency_window"
[[policy]]
kind = "act_r"
[[axis]]
parameter = "recency_window.window_size"
values = [2, 9]
"""


@pytest.fixture(name="sweep_file")
def fixture_of_sweep_file(tmp_path: Path) -> Path:
    """Return a sweep over a log that lies beside it."""
    return sweep_beside_log(tmp_path)


def sweep_beside_log(tmp_path: Path) -> Path:
    """Write a log, and a sweep over it."""
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "mine.csv").write_text(LOG)
    path = tmp_path / "own_log.toml"
    path.write_text(SWEEP)
    return path


def test_a_sweep_equals_simulating_the_trace(sweep_file: Path, tmp_path: Path) -> None:
    """Every session and item of every cell, and all sessions where no seeds are given."""
    run = vd.sweep(sweep_file, output=tmp_path / "run", threads=1)
    log = vd.Trace.read(tmp_path / "logs" / "mine.csv", columns={"item": "file_path"}, on_miss="relearn")
    policies = [vd.RecencyWindow(window_size=2), vd.ActR(), vd.RecencyWindow(window_size=9), vd.ActR()]
    alone = vd.simulate(log, policies, detail="items")
    order = [("cell", "ascending"), ("seed", "ascending"), ("item", "ascending")]
    assert run.items.to_table().sort_by(order).equals(alone.items.sort_by(order))
    assert run.sessions.to_table().sort_by(order[:2]).equals(alone.sessions.sort_by(order[:2]))
    assert run.sessions.to_table().num_rows == 4 * 3
    assert run.verify(everything=True).problems == []


def test_a_run_is_verified_and_resumed_where_the_log_is_gone(sweep_file: Path, tmp_path: Path) -> None:
    """The folder holds the bytes of the log, and another process reads these."""
    vd.sweep(sweep_file, output=tmp_path / "run", threads=1)
    kept = list((tmp_path / "run" / "sources").rglob("mine.csv"))
    assert [one.read_text() for one in kept] == [LOG]
    shutil.rmtree(tmp_path / "logs")
    shutil.move(tmp_path / "run", tmp_path / "elsewhere")
    done = subprocess.run(
        [sys.executable, "-m", "vecdecay", "verify", str(tmp_path / "elsewhere")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, "nothing is wrong" in done.stdout) == (0, True), done.stderr
    (tmp_path / "elsewhere" / "cells.parquet").unlink()
    (tmp_path / "elsewhere" / "manifest.json").unlink()
    again = vd.sweep(tmp_path / "elsewhere" / "sweep.toml", output=tmp_path / "elsewhere", threads=1)
    assert again.is_complete
    assert again.verify().problems == []


def test_a_log_that_has_changed_is_another_sweep(sweep_file: Path, tmp_path: Path) -> None:
    """A rule, or the content of the log, makes other results; the path does not."""
    digest = load_sweep(sweep_file).digest
    (tmp_path / "logs").rename(tmp_path / "other")
    sweep_file.write_text(SWEEP.replace("logs/mine.csv", "other/mine.csv"))
    assert load_sweep(sweep_file).digest == digest
    assert load_sweep(sweep_file, {"trace.on_miss": "nothing"}).digest != digest
    vd.sweep(sweep_file, output=tmp_path / "run", threads=1)
    (tmp_path / "other" / "mine.csv").write_text(LOG + "d,1,rules\n")
    assert load_sweep(sweep_file).digest != digest
    with pytest.raises(OutputError, match=r"other/mine\.csv has changed since"):
        vd.sweep(sweep_file, output=tmp_path / "run", threads=1)


def test_written_out_it_reads_as_the_same(sweep_file: Path, tmp_path: Path) -> None:
    """Rules and columns are in the stored sweep, defaults too."""
    spec = load_sweep(sweep_file, {"trace.longest_silence": 5})
    stored = tmp_path / "stored.toml"
    stored.write_text(resolved_toml(spec))
    again = load_sweep(stored)
    assert (again.digest, again.trace is not None and again.trace.table()) == (spec.digest, spec.trace.table())  # type: ignore[union-attr]
    assert again.trace is not None
    assert again.trace.table() == {
        "path": "logs/mine.csv",
        "file_sha256": again.trace.sha256,
        "columns": {"item": "file_path"},
        "on_miss": "relearn",
        "duplicates": "each",
        "registered_again": "reset",
        "longest_silence": 5,
        "elapsed": "recorded",
        "skip_bad_rows": False,
    }


RULES = {
    "trace.on_miss": ["nothing", "relearn"],
    "trace.duplicates": ["each", "once"],
    "trace.longest_silence": [0, 2],
    "trace.registered_again": ["reset", "reinforce"],
}


def test_axes_over_rules_equal_logs_read_by_them(tmp_path: Path) -> None:
    """Every item of every cell; the rules are columns; the folder verifies and goes on without the log."""
    sweep_file = sweep_beside_log(tmp_path)
    log = tmp_path / "logs" / "mine.csv"
    log.write_text("session,turn,file_path,kind\n" + "".join(f"{one},{int(i % 5 > 2)}\n{one},1\n" for i, one in
                   enumerate(LOG.splitlines()[1:])))  # fmt: skip
    run = vd.sweep(sweep_file, output=tmp_path / "run", set={"recency_window.window_size": 2, **RULES}, threads=2)
    names = [name.removeprefix("trace.") for name in RULES]
    cells = run.cells.to_pylist()
    assert [tuple(one[name] for name in names) for one in cells[::2]] == list(itertools.product(*RULES.values()))
    items, different = run.items.to_table(), set()
    for one in cells:
        policy = vd.RecencyWindow(window_size=2) if one["policy"] == "recency_window" else vd.ActR()
        rules = {name: one[name] for name in names}
        alone = vd.simulate(vd.Trace.read(log, columns={"item": "file_path"}, **rules), policy, detail="items").items
        own = items.filter(pc.equal(items["cell"], one["cell"])).drop_columns("cell").sort_by("seed")
        assert own.equals(alone.drop_columns("cell").sort_by("seed"))
        different.add(str(own.drop_columns("seed").to_pydict()))
    assert len(different) > len(cells) / 2  # else no rule does anything here
    log.unlink()
    assert run.verify(everything=True).problems == []
    for name in ("cells.parquet", "manifest.json"):
        (run.folder / name).unlink()
    again = vd.sweep(run.folder / "sweep.toml", output=run.folder, threads=1)
    assert again.cells.equals(run.cells)


def test_points_name_rules_and_engines_agree(tmp_path: Path) -> None:
    """A point that leaves a rule out has that of the table; the reference plays the same; a trace can be pickled."""
    sweep_file = sweep_beside_log(tmp_path)
    points = ('"trace.on_miss" = "nothing"\n', '"trace.turn" = "event"\n')
    point = "".join(f'[[point]]\n"recency_window.window_size" = 2\n{one}' for one in points)
    sweep_file.write_text(SWEEP.partition("[[axis]]")[0].replace('detail = "items"', 'combine = "points"') + point)
    (tmp_path / "logs" / "mine.csv").write_text(LOG.replace(",turn,", ",time,"))
    run = vd.sweep(sweep_file, output=tmp_path / "run", threads=1)
    assert run.cells["on_miss"].to_pylist() == ["nothing"] * 2 + ["relearn"] * 2
    assert run.cells["turn"].to_pylist() == ["auto"] * 2 + ["event"] * 2
    given = {"columns": {"item": "file_path"}, "turn": "event", "on_miss": "relearn"}
    alone = vd.simulate(vd.Trace.read(tmp_path / "logs" / "mine.csv", **given), vd.RecencyWindow(window_size=2))
    assert run.cells["hit_rate_mean"].to_pylist()[2] == alone.cells["hit_rate_mean"][0].as_py()
    plain = vd.sweep(sweep_file, output=tmp_path / "plain", set={"engine": "reference"})
    assert plain.cells.drop_columns("engine").equals(run.cells.drop_columns("engine"))
    (tmp_path / "logs" / "mine.csv").write_text(LOG)
    trace = pickle.loads(pickle.dumps(load_sweep(run.folder / "sweep.toml"))).workload
    assert trace.varied({"on_miss": "nothing"}) is trace.varied({"on_miss": "nothing"})
    assert trace.varied({"turn": "event"}).values()["turn"] == "event"


def test_a_log_that_changes_while_it_is_played_is_refused(sweep_file: Path, tmp_path: Path) -> None:
    """Its other rules would be those of another log."""
    spec = load_sweep(sweep_file)
    (tmp_path / "logs" / "mine.csv").write_text(LOG + "a,99,rules\n")
    with pytest.raises(InvalidInputError, match="has changed while it was read"):
        spec.workload.varied({"duplicates": "once"})
    assert spec.workload.varied({"on_miss": "nothing"}).values()["on_miss"] == "nothing"
    with pytest.raises(InvalidInputError, match="its rules are those that it was read by, but for on_miss"):
        vd.Trace.read(tmp_path / "logs" / "mine.csv", columns={"item": "file_path"}).varied({"duplicates": "once"})


def test_seeds_are_numbers_of_sessions(sweep_file: Path) -> None:
    """All are played where none are given."""
    assert load_sweep(sweep_file).seeds == range(3)
    assert load_sweep(sweep_file, {"seeds": [2, 0]}).seeds == (2, 0)
    with pytest.raises(InvalidInputError, match=r"seeds: session 3 is not in the trace; allowed: .* from 0 to 2"):
        load_sweep(sweep_file, {"seeds": range(4)})


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("logs/mine.csv", "logs/none.csv", r"trace\.path: no file logs/none\.csv; tried "),
        ('"relearn"', '"learn"', r"trace: on_miss is 'learn'; allowed: one of nothing, relearn; did you mean relearn"),
        ("on_miss", "on_mis", r"trace\.on_mis: unknown key; did you mean on_miss"),
        ("file_path", "path", r"trace: .*mine\.csv"),
        (
            "[trace]",
            "[workload]\nkind = 'drift'\n[trace]",
            r"trace: is given beside \[workload\]; allowed: one of them",
        ),
        ("recency_window.window_size", "workload.window_size", r"axis\[1\]\.parameter: "),
        ("recency_window.window_size", "trace.path", r"axis\[1\]\.parameter: .* did you mean|allowed: trace\.on_miss"),
        ("recency_window.window_size", "trace.on_miss", r"axis\[1\]\.values\[1\]: is 2; allowed: one of nothing"),
        ("recency_window.window_size", "trace.longest_silenc", "did you mean trace.longest_silence"),
        (
            'parameter = "recency_window.window_size"\nvalues = [2, 9]',
            'parameter = "trace.turn"\nvalues = ["auto", "message", "event"]',
            r"trace: .*turn is 'message', and there is no column message \(at point 2\)",
        ),
    ],
)
def test_mistakes_are_lines(sweep_file: Path, old: str, new: str, line: str) -> None:
    """One line each, found before anything is played."""
    sweep_file.write_text(SWEEP.replace(old, new))
    with pytest.raises(InvalidInputError, match=line):
        load_sweep(sweep_file)


def test_a_workload_still_needs_seeds(tmp_path: Path) -> None:
    """Only recorded sessions have a number of their own."""
    path = tmp_path / "one.toml"
    path.write_text('schema = 1\nsweep = {name = "a"}\nworkload = {kind = "drift"}\npolicy = [{kind = "keep_all"}]\n')
    with pytest.raises(InvalidInputError, match=r"sweep\.seeds: missing; allowed: a count"):
        load_sweep(path)
    path.write_text('schema = 1\nsweep = {name = "a", seeds = 3}\npolicy = [{kind = "keep_all"}]\n')
    with pytest.raises(InvalidInputError, match=r"workload: missing; allowed: a table, or \[trace\]"):
        load_sweep(path)
