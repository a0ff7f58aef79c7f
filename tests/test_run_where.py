"""Runs in other processes: the same bytes, and nothing is lost when workers, or the scheduler, go."""

import contextlib
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sweep_runs import cut_finely, digest_of, small_sweep

import vecdecay as vd
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.run import parts, where
from vecdecay.run.sinks import ParquetSink
from vecdecay.run.sweep import _run, run_sweep
from vecdecay.run.verify import verify_run
from vecdecay.run.where import SendingSink, Workers, play_task, versions, workers_at
from vecdecay.sweepfile.spec import load_sweep

FATAL = '''
"""A policy that ends every process that plays it, but for the one that started the run."""
import multiprocessing
import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Fatal:
    """Ends a worker where ``fatal`` is 1."""

    fatal: int = 0
    eviction_threshold: float = 0.3

    def retention(self, age, recall_count):
        if self.fatal == 1 and multiprocessing.parent_process() is not None:
            os._exit(0)
        return 0.9**age
'''
SWEEP = """
schema = 1
[sweep]
name = "fatal"
seeds = 50
[workload]
kind = "published_sessions"
[[policy]]
kind = "fatal.py:Fatal"
[[axis]]
parameter = "Fatal.fatal"
values = [0, 1, 2]
"""


@pytest.fixture(scope="module")
def workers(warm_kernels: None) -> Iterator[Workers]:
    """Two processes, of which one that ends is started again."""
    with workers_at("processes", 2) as found:
        yield found


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_finely(monkeypatch, plays=24)


def run_at(workers: Workers, folder: Path, spec: Any, sink_at: Any = None) -> Any:
    """Run a sweep on workers that are there already."""
    return _run(spec, folder, workers.count, None, False, 0, None, workers, sink_at or workers.sink)


def test_processes_and_what_they_send_back_are_the_same_bytes(workers: Workers, tmp_path: Path) -> None:
    """Rows, histograms, ledger and manifest: where workers see the run folder, and where they do not."""
    spec = small_sweep("items")
    run_sweep(spec, tmp_path / "here", check=0)
    report = run_at(workers, tmp_path / "shared", spec)
    assert digest_of(report.folder) == digest_of(tmp_path / "here")
    seen = []

    def unseen(sink: Any) -> Any:
        seen.append(type(workers.sink(sink)).__name__)
        return SendingSink(sink)

    report = run_at(workers, tmp_path / "sent", spec, unseen)
    assert seen == ["ParquetSink"]
    assert digest_of(report.folder) == digest_of(tmp_path / "here")


def test_a_folder_that_workers_do_not_see_is_sent_to(workers: Workers, tmp_path: Path, monkeypatch: Any) -> None:
    """One worker that does not read what was just written is enough."""
    monkeypatch.setattr(workers, "_everywhere", lambda *_: {"one": True, "other": False})
    sink = ParquetSink(tmp_path, {}, print)
    assert isinstance(workers.sink(sink), SendingSink)
    assert list(tmp_path.iterdir()) == []


def pids() -> list[int]:
    """Return the processes that play, or are being started to."""
    import psutil

    children = psutil.Process().children(recursive=True)
    return [one.pid for one in children if "spawn_main" in " ".join(one.cmdline())]


@contextlib.contextmanager
def losing(losses: int, signals: list[int], lost: list[int]) -> Iterator[None]:
    """End so many workers, one after the other, while something is played."""
    over = threading.Event()
    choose = random.Random(losses)

    def lose() -> None:
        while len(lost) < losses and not over.wait(0.3):
            with contextlib.suppress(Exception):  # one that has just gone
                process = choose.choice(pids())
                os.kill(process, signals[len(lost) % len(signals)])
                lost.append(process)

    thread = threading.Thread(target=lose)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@pytest.mark.parametrize("losses", [3, pytest.param(50, marks=pytest.mark.torture)])
def test_lost_workers_lose_nothing(
    workers: Workers, tmp_path: Path, losses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed, or stopped, in the middle of parts: the same bytes as without."""
    lost: list[int] = []
    signals = [signal.SIGKILL] if losses < 10 else [signal.SIGKILL, signal.SIGKILL, signal.SIGSTOP]
    rounds = 0
    monkeypatch.undo()  # blocks of the usual size
    monkeypatch.setattr(parts, "_PLAYS_PER_PART", {"sessions": 20_000})
    while len(lost) < losses:
        spec = small_sweep("sessions", seeds=100_000)
        with losing(losses, signals, lost):
            report = run_at(workers, tmp_path / f"lost-{rounds}", spec)
        rounds += 1
        if rounds == 1:
            run_sweep(spec, tmp_path / "here", check=0)
        assert digest_of(report.folder) == digest_of(tmp_path / "here")
        assert not list(report.folder.rglob("*.tmp"))


def test_a_cell_that_ends_its_workers_is_set_aside_and_named(
    workers: Workers, tmp_path: Path, monkeypatch: Any
) -> None:
    """The others of its part are played; what the run folder then holds is sound."""
    (tmp_path / "fatal.py").write_text(FATAL)
    (tmp_path / "fatal.toml").write_text(SWEEP)
    spec = load_sweep(tmp_path / "fatal.toml")
    cut_finely(monkeypatch, plays=100)
    report = run_at(workers, tmp_path / "run", spec)
    assert [(one.cell, one.label) for one in report.failed] == [(1, "Fatal")]
    assert report.failed[0].error == "VecdecayError: 3 workers ended while they played it; it was set aside"
    assert [row["cell"] for row in vd.open_run(report.folder).cells.to_pylist()] == [0, 2]


def test_other_versions_are_refused() -> None:
    """By name, before anything is played: results may depend on them."""
    there = versions()
    assert where._differences(there) == []
    there["numpy"] = "1.0.0"
    assert where._differences(there) == [f"has numpy 1.0.0, not {versions()['numpy']}"]
    with pytest.raises(InvalidInputError, match=r"a worker that joined later has numpy 1\.0\.0"):
        play_task(pickle.dumps((there, print, ())))


CLUSTER = """
import sys, logging
from distributed import LocalCluster
if __name__ == "__main__":
    cluster = LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=1, dashboard_address=None, silence_logs=60)
    print(cluster.scheduler_address, flush=True)
    sys.stdin.read()
"""


@contextlib.contextmanager
def cluster(folder: Path, count: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a scheduler and its workers in another process; yield its address for ``--on``."""
    (folder / "cluster.py").write_text(CLUSTER)
    command = [sys.executable, folder / "cluster.py", str(count)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder) as process:
        try:
            assert process.stdout is not None
            yield process.stdout.readline().strip().replace("tcp://", "dask://"), process
        finally:
            process.kill()


def test_a_scheduler_that_goes_is_one_line_and_the_run_goes_on(
    tmp_path: Path, warm_kernels: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was entered stays; the same command finishes the run, here without a cluster."""
    monkeypatch.undo()
    monkeypatch.setattr(parts, "_PLAYS_PER_PART", {"sessions": 5000})
    spec = small_sweep("sessions", seeds=20_000)
    with cluster(tmp_path, 1) as (address, process):

        class Progress:
            def start(self, *_: int) -> None: ...
            def compiling(self) -> None: ...
            def stop(self) -> None: ...
            def advance(self, _: int) -> None:
                process.kill()

        with pytest.raises(VecdecayError, match=f"^{address}: the scheduler has gone; the same command resumes"):
            run_sweep(spec, tmp_path / "run", executor=address, progress=Progress(), check=0)  # type: ignore[arg-type]
    run_sweep(spec, tmp_path / "run", check=0)
    run_sweep(spec, tmp_path / "here", check=0)
    assert digest_of(tmp_path / "run") == digest_of(tmp_path / "here")
    assert verify_run(tmp_path / "run").problems == []


def test_where_nobody_answers_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No scheduler, no worker, a word that is no place: nothing is written."""
    monkeypatch.setattr(where, "_CONNECT_SECONDS", 0.2)
    with pytest.raises(VecdecayError, match=r"^dask://localhost:1: no scheduler answers"):
        run_sweep(small_sweep(), tmp_path / "run", executor="dask://localhost:1")
    with pytest.raises(InvalidInputError, match=r"^on is 'slurm'; allowed: processes, or dask://HOST:PORT"):
        run_sweep(small_sweep(), tmp_path / "run", executor="slurm")
    assert not (tmp_path / "run").exists()
    with cluster(tmp_path, 0) as (address, _), pytest.raises(VecdecayError, match=r": the scheduler has no worker$"):
        run_sweep(small_sweep(), tmp_path / "run", executor=address)
