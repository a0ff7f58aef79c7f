"""``vecdecay run``: the whole screen, and how every ending is told."""

import dataclasses
import functools
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import small_sweep, type_in
from effort import end_by, needs_proc, wait_until
from house import ROOT

from vecdecay import __version__
from vecdecay.commands import run
from vecdecay.run.open_run import FailedCell

SCREEN = f"""\
vecdecay {__version__}, engine horizon, 1 thread

A small sweep
50 sessions of published_sessions under each of 2 policies

                hit      foundational        of them      survival  footprint
policy          rate     recall rate (95 %)  evicted      rate      reduction
─────────────────────────────────────────────────────────────────────────────
ebbinghaus      1.000 =  1.000 (≥ 0.929) =   0.00 of 3 =  1.000 =   0.911 =
recency_window  0.760    0.000 (≤ 0.071) =   3.00 of 3 =  0.000 =   0.898

= every session gave the same value: these seeds do not reach this result

It is small.

- ebbinghaus hits more of the recalls than recency_window: 1.000 against 0.760,
  and the 95 % intervals do not overlap; it holds 0.87 times as many items
- zero variance: every session gave the same foundational recall rate; the
  randomness of these sessions does not reach it, and more seeds add no evidence
  unless they bring a session unlike all of these

100 sessions checked against the scalar engine: identical
cells.parquet in output/small
"""


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, warm_kernels: None) -> str:
    """A small sweep file in an empty folder, where the test goes on."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(small_sweep(), "utf-8")
    return "small.toml"


def test_the_screen_of_a_run(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """To the last character; nothing on the standard error, for the run is short."""
    ending = type_in(capsys, "run", small, "--threads", "1")
    assert (ending.code, ending.err) == (0, "")
    assert ending.out == SCREEN


def test_a_finished_run_is_shown_again(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The same table and sentences; that nothing was played takes the place of what was checked."""
    type_in(capsys, "run", small, "--threads", "1")
    ending = type_in(capsys, "run", small, "--threads", "1")
    checked = "100 sessions checked against the scalar engine: identical"
    assert ending.out == SCREEN.replace(checked, "nothing to do: output/small holds this very run, finished")


def test_that_nothing_was_checked_is_told(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a session is too large for the scalar engine, with what one would take; nothing where that engine plays."""
    out = type_in(capsys, "run", small, "--set", "workload.num_foundational=100_000", "--seeds", "2").out
    told = " ".join(out.split())
    assert re.search(
        r"no session checked against the scalar engine: each is too large for it to play in some ten seconds; "
        r"vecdecay verify --sample 1 does it cells\.parquet in output/small$",
        told,
    )
    out = type_in(capsys, "run", small, "--engine", "reference", "--seeds", "2", "--output", "elsewhere").out
    assert "checked" not in out


def test_where_the_rows_are_is_told(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Folders of parts with a slash, in the folder that was asked for."""
    out = type_in(capsys, "run", small, "--detail", "items", "--seeds", "2", "--output", "elsewhere").out
    assert out.endswith("\ncells.parquet, items/, sessions/ in elsewhere\n")
    assert Path("elsewhere", "cells.parquet").is_file()


def test_changes_are_applied(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Seeds, parameters (several --set, in order), engine and checkpoints."""
    changes = ["--seeds", "5:8", "--set", "recency_window.window_size=100,110", "--set", "workload.noise_per_turn=1"]
    out = type_in(capsys, "run", small, *changes, "--engine", "lockstep", "--checkpoints", "50,100").out
    assert f"vecdecay {__version__}, engine lockstep, " in out
    assert "3 sessions of published_sessions under each of 2 policies at each of 2 points" in out
    assert [line.split()[0] for line in out.splitlines() if line.strip()[:4] in ("100 ", "110 ")] == ["100", "110"]
    assert "ebbinghaus reads none of the axes: 1.000 (≥ 0.4" in out


def test_quiet_is_quiet(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The result is printed all the same."""
    ending = type_in(capsys, "run", small, "--threads", "1", "--quiet")
    assert (ending.out, ending.err) == (SCREEN, "")


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        (["--threads", "0"], ["--threads 0: allowed: an integer from 1 to 1024"]),
        (["--threads", "5000"], ["--threads 5000: allowed: an integer from 1 to 1024"]),
        (
            ["--threads", "-1", "--shard", "3/2", "--detail", "all"],
            [
                "--threads -1: allowed: an integer from 1 to 1024",
                "--shard '3/2': allowed: K/N, such as 2/5 for the second of five shares",
                "--detail all: sweep.detail: is 'all'; allowed: cells, sessions, items, turns or misses",
            ],
        ),
        (
            ["--detail", "all", "--engine", "fast"],
            [
                "--detail all: sweep.detail: is 'all'; allowed: cells, sessions, items, turns or misses",
                "--engine fast: sweep.engine: is 'fast'; "
                "allowed: auto, horizon, stateful, lockstep, cache, capacity or reference",
            ],
        ),
    ],
)
def test_mistakes_are_told_together(
    arguments: list[str], complaints: list[str], small: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """One line each, exit 2, nothing written and nothing on the standard output."""
    ending = type_in(capsys, "run", small, *arguments)
    assert (ending.code, ending.out, ending.complaints) == (2, "", complaints)
    assert [path.name for path in Path().iterdir()] == [small]


@pytest.mark.parametrize(
    "arguments",
    [
        ["--seeds", "many"],
        ["--seeds", "0"],
        ["--set", "nonsense"],
        ["--set", "ebbinghaus.evction_threshold=0.2"],
        ["--set", "ebbinghaus.eviction_threshold=nan"],
        ["--set", "ebbinghaus.eviction_threshold=1"],
        ["--set", "nobody.eviction_threshold=0.2"],
        ["--checkpoints", "0"],
        ["--checkpoints", "x y"],
    ],
)
def test_a_mistaken_change_is_one_line(arguments: list[str], small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It names the option; exit 2, nothing written."""
    ending = type_in(capsys, "run", small, *arguments)
    assert (ending.code, ending.out) == (2, "")
    (line,) = ending.complaints
    assert line.startswith(f"{arguments[0]} ")
    assert [path.name for path in Path().iterdir()] == [small]


def test_mistakes_in_the_file_name_it(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A line per mistake, all of them."""
    text = small_sweep(seeds=0, window_size=-1, more="[[axis]]\nparameter = 'nothing.x'\nvalues = [1]")
    Path("wrong.toml").write_text(text, "utf-8")
    ending = type_in(capsys, "run", "wrong.toml")
    assert (ending.code, ending.out) == (2, "")
    assert len(ending.complaints) == 3
    assert all(line.startswith("wrong.toml: ") for line in ending.complaints)


@pytest.mark.parametrize("name", ["nothing", "nothing.toml", "a/b.toml", "", "."])
def test_a_sweep_that_is_not_there_is_one_line(name: str, small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2."""
    ending = type_in(capsys, "run", name)
    assert (ending.code, ending.out, len(ending.complaints)) == (2, "", 1)


def test_a_folder_that_cannot_be_used_is_one_line(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A file in its place, a foreign file in it, another sweep in it: exit 1, and what was there is untouched."""
    Path("file").write_text("mine", "utf-8")
    Path("foreign").mkdir()
    Path("foreign", "thesis.txt").write_text("mine", "utf-8")
    type_in(capsys, "run", small, "--seeds", "3")
    for folder, *more in (["file"], ["foreign"], ["output/small"], ["file/below"]):
        ending = type_in(capsys, "run", small, "--output", folder, *more)
        assert (ending.code, ending.out) == (1, ""), folder
        (line,) = ending.complaints
        assert "file" in line or folder in line
    assert Path("file").read_text("utf-8") == "mine"
    assert [path.name for path in Path("foreign").iterdir() if path.suffix == ".txt"] == ["thesis.txt"]


def test_force_moves_the_old_run_aside(small: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is deleted."""
    type_in(capsys, "run", small, "--seeds", "3")
    before = Path("output", "small", "cells.parquet").read_bytes()
    assert type_in(capsys, "run", small, "--force").code == 0
    (old,) = (path for path in Path("output").iterdir() if path.name != "small")
    assert (old / "cells.parquet").read_bytes() == before


def test_failed_cells_are_listed(
    small: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the results of the others: exit 1, and the list of at most twenty on the standard error."""
    real = run.run_sweep

    def failing(*arguments, **options):
        report = real(*arguments, **options)
        failed = tuple(FailedCell(number, "ebbinghaus", "it broke\nbadly") for number in range(30))
        return dataclasses.replace(report, failed=failed, repaired=("histograms/part-0: changed",))

    monkeypatch.setattr(run, "run_sweep", failing)
    ending = type_in(capsys, "run", small, "--threads", "1")
    assert (ending.code, ending.out) == (1, SCREEN)
    assert ending.complaints[:3] == [
        "repaired: histograms/part-0: changed",
        "30 cells of 2 failed, the others are complete:",
        "cell 0 (ebbinghaus): it broke badly",
    ]
    assert ending.complaints[-1] == "and 10 more cells"
    assert len(ending.complaints) == 23


def test_the_published_sweeps_say_what_they_should(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], warm_kernels: None
) -> None:
    """The article's tables, the grace periods, and the workload that made success impossible, which says so."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "run_sweep", functools.partial(run.run_sweep, check=2))
    out = {name: type_in(capsys, "run", name).out for name in ("headline", "noise", "single_use", "grace_period")}
    assert "ebbinghaus      1.000 =  1.000 (≥ 0.929) =   0.00 of 3 =  1.000 =   0.911 =" in out["headline"]
    assert "recency_window  0.760    0.000 (≤ 0.071) =   3.00 of 3 =  0.000 =   0.898" in out["headline"]
    noise = [line.split()[:3] for line in out["noise"].splitlines() if "(≥" in line]
    assert noise == [["ebbinghaus", "noise_per_turn", number] for number in ("1", "5", "10", "20")]
    assert "noise_per_turn changes no foundational result of any policy" in out["noise"]
    assert "make no difference to the foundational recall" in out["single_use"]
    grace = [line.split()[:2] for line in out["grace_period"].splitlines() if line.strip()[:1].isdigit()]
    assert [row for row in grace if row[1].isdigit()] == [["2", "4"], ["4", "7"], ["6", "10"], ["8", "13"]]
    sensitivity = " ".join(type_in(capsys, "run", "sensitivity").out.split())
    assert "ebbinghaus hits more of the recalls than recency_window at 6 of 15 points" in sensitivity
    assert "of these 15 points only 3 differ for ebbinghaus and 5 differ for recency_window" in sensitivity
    uniform = " ".join(type_in(capsys, "run", "uniform_recalls").out.split())
    assert "Recalls anywhere in the session: the workload that made success impossible" in uniform
    assert "a high rate is impossible for the published policies at the published parameters" in uniform
    assert (
        "success was out of reach of ebbinghaus and recency_window, the policies compared here that evict: " in uniform
    )
    assert "zero variance in 1 of the 2 cells of policies that evict: " in uniform


LONG_SWEEP = small_sweep(seeds=100_000_000)


@needs_proc
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_run_says_how_it_goes_on(
    number: signal.Signals, code: int, tmp_path: Path, warm_kernels: None
) -> None:
    """Within two seconds: the exit code of the signal, one line, and a folder from which the same command goes on."""
    (tmp_path / "long.toml").write_text(LONG_SWEEP, "utf-8")
    program = [sys.executable, "-c", "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "]
    program[-1] += "from vecdecay.cli import main; main()"
    process = subprocess.Popen(
        [*program, "run", "long.toml"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    ledger = tmp_path / "output" / "small" / "ledger.jsonl"
    wait_until(lambda: ledger.exists() and ledger.read_bytes().count(b"\n") > 1, process)
    err, spent = end_by(number, process)
    assert process.returncode == code
    assert spent < 4  # two seconds on two processors
    assert err.splitlines()[-1] == (
        "vecdecay: interrupted; finished parts are kept in output/small, the same command resumes it"
    )
    assert "Traceback" not in err


def test_the_engines_are_those_of_the_cells(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With the capacities of the points, not without; what no kernel plays is told, with its price."""
    path = tmp_path / "full.toml"
    path.write_text(
        'schema = 1\n[sweep]\nname = "full"\nseeds = 2\n[workload]\nkind = "published_sessions"\n'
        '[[policy]]\nkind = "ebbinghaus"\n[[policy]]\nkind = "letta"\ncapacity_tokens = 90\n'
        '[[axis]]\nparameter = "ebbinghaus.capacity_items"\nvalues = [5, 9]\n',
        "utf-8",
    )
    told = " ".join(type_in(capsys, "run", str(path), "--quiet", "--output", str(tmp_path / "out")).out.split())
    assert "engine capacity and reference," in told
    assert "no kernel plays letta: the scalar reference does, some 60,000 events a second" in told
    slow = type_in(capsys, "run", str(path), "--quiet", "--engine", "reference", "--output", str(tmp_path / "slow"))
    assert "no kernel" not in slow.out  # it was asked for
