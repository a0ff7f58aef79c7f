"""What a sweep would take is told beforehand, and is what it then takes."""

import subprocess
import sys
from pathlib import Path

import pytest

from vecdecay.sweep.files import find_sweep
from vecdecay.sweep.predict import Prediction, predict
from vecdecay.sweep.spec import load_sweep, parse_sweep

SWEEP = """
schema = 1
[sweep]
name = "predicted"
seeds = {seeds}
detail = "{detail}"
[workload]
kind = "published_sessions"
session_length = 20
noise_per_turn = 2
[[policy]]
kind = "ebbinghaus"
[[policy]]
kind = "recency_window"
[[axis]]
parameter = "ebbinghaus.eviction_threshold"
values = [0.1, 0.2, 0.3]
"""


def prediction(seeds: int, detail: str) -> Prediction:
    """Return what a sweep of three points and two policies would take."""
    return predict(parse_sweep(SWEEP.format(seeds=seeds, detail=detail)), threads=2)


@pytest.mark.parametrize(("detail", "rows"), [("cells", 0), ("sessions", 600), ("items", 26_400), ("turns", 12_600)])
def test_cells_sessions_and_rows_are_exact(detail: str, rows: int) -> None:
    """Six cells, of which the window's three are one; 43 items and 20 turns a session, and a row for the session."""
    found = prediction(100, detail)
    assert (found.cells, found.distinct_cells, found.sessions, found.rows) == (6, 4, 600, rows)


def test_more_sessions_take_longer_but_no_more_memory() -> None:
    """Memory is bounded by the parts, not by the sweep."""
    few, many, more = (prediction(seeds, "sessions") for seeds in (10**6, 10**7, 10**9))
    assert few.seconds < many.seconds < more.seconds
    assert few.disk_bytes < many.disk_bytes < more.disk_bytes
    assert few.memory_bytes == many.memory_bytes == more.memory_bytes


def test_the_promised_sweeps_fit() -> None:
    """The million stays below 700 MB and the billion below 400 MB and three minutes."""
    million, billion = (predict(load_sweep(find_sweep(name)), threads=2) for name in ("million", "billion"))
    assert million.memory_bytes < 700_000_000
    assert (billion.sessions, billion.memory_bytes < 400_000_000, billion.seconds < 180) == (2 * 10**9, True, True)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak memory of a process is in other units elsewhere")
@pytest.mark.parametrize("detail", ["cells", "sessions"])
def test_memory_is_within_15_percent_of_what_a_run_takes(tmp_path: Path, detail: str) -> None:
    """The peak of a whole process that plays 600,000 sessions, kernels compiled before."""
    sweep = tmp_path / "predicted.toml"
    sweep.write_text(SWEEP.format(seeds=300_000, detail=detail).replace("[0.1, 0.2, 0.3]", "[0.2]"))
    code = (
        "import resource, sys; from vecdecay.cli import main\n"
        "try: main(sys.argv[1:])\n"
        "finally: print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"
    )
    peaks = []
    for number in range(2):  # the first may have to compile, which takes memory of its own
        arguments = ["run", str(sweep), "--threads", "2", "--quiet", "--output", str(tmp_path / f"run{number}")]
        command = [sys.executable, "-c", code, *arguments]
        ended = subprocess.run(command, capture_output=True, text=True, check=True)
        peaks.append(int(ended.stderr.split()[-1]) * 1024)
    expected = predict(load_sweep(sweep), threads=2).memory_bytes
    assert abs(min(peaks) - expected) < 0.15 * expected, f"{min(peaks):,} bytes against {expected:,}"
