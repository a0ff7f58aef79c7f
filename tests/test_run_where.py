"""Runs in other processes: the same bytes, and nothing is lost when workers, or the scheduler, go."""

import contextlib
import json
import os
import pickle
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from distributed.protocol import pickle as protocol
from sweep_runs import cut_finely, digest_of, small_sweep

import vecdecay as vd
from vecdecay.commands import dry_run
from vecdecay.errors import InvalidInputError, VecdecayError
from vecdecay.run import given, parts, where
from vecdecay.run.execute import play_and_write
from vecdecay.run.plan import make_plan
from vecdecay.run.play import Stop
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
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(where._CONFIGURATION, "distributed.scheduler.worker-ttl", "5s")
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


def test_the_cost_of_a_task_is_measured(workers: Workers, monkeypatch: Any, capsys: Any) -> None:
    """As processor time; what is foreseen is no shorter than the parts, one task after the other."""
    monkeypatch.setattr(where, "_TASKS_TIMED", 5)
    assert 0 < workers.task_seconds() < 10
    monkeypatch.setattr(dry_run, "elsewhere_of", lambda *_: dry_run.Elsewhere(7, 1000.0))
    told = json.loads("\n".join(dry_run.dry_run_lines(small_sweep(), Path("run"), True, 2, "processes")))
    assert (told["workers"], told["task_seconds"]) == (7, 1000.0)
    assert told["seconds"] == 1000.0 * told["parts"]
    assert any(
        "keeps up to 1 worker" in line for line in dry_run.dry_run_lines(small_sweep(), Path("r"), False, 2, "p")
    )


def pids() -> list[int]:
    """Return the processes that play, or are being started to."""
    import psutil

    found = []
    for one in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # of one that has just gone
            found += [one.pid] * ("spawn_main" in " ".join(one.cmdline()))
    return found


class Losing:
    """Ends a worker with every second part that is entered: by SIGKILL, by leaving, and seldom by SIGSTOP."""

    def __init__(self, workers: Workers, losses: int, lost: list[str]) -> None:
        self.workers, self.losses, self.lost, self.parts = workers, losses, lost, 0
        self.choose = random.Random(losses)

    def __getattr__(self, name: str) -> Any:
        return lambda *_: None  # other methods of Progress

    def advance(self, _: int) -> None:
        """Count a part."""
        self.parts += 1
        if self.parts % 2 and len(self.lost) < self.losses:
            way = ("killed", "left", "killed", "left", "killed", "left", "stopped")[len(self.lost) % 7]
            if self._lose(way):
                self.lost.append(way)

    def _lose(self, way: str) -> bool:
        if way == "left":
            there = sorted(self.workers._addresses())
            if there:
                self.workers._client.run(os._exit, 0, workers=[self.choose.choice(there)], on_error="ignore")
            return bool(there)
        with contextlib.suppress(ProcessLookupError, IndexError):  # one that has just gone, and no other is there yet
            os.kill(self.choose.choice(pids()), signal.SIGKILL if way == "killed" else signal.SIGSTOP)
            return True
        return False


def play_losing(workers: Workers, losses: int, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Play a sweep, again and again, until so many workers were lost; what came of it is the same each time."""
    patch.undo()  # blocks of the usual size
    patch.setattr(parts, "_PLAYS_PER_PART", {"sessions": 20_000})
    spec, lost = small_sweep("sessions", seeds=40_000), []
    run_sweep(spec, folder / "here", check=0)
    for number in range(losses):
        if len(lost) == losses:
            break
        progress: Any = Losing(workers, losses, lost)
        report = _run(spec, folder / f"lost-{number}", workers.count, progress, False, 0, None, workers, workers.sink)
        assert not report.failed
        assert digest_of(report.folder) == digest_of(folder / "here")
        assert not list(report.folder.rglob("*.tmp"))
    assert len(lost) == losses


LOSSES = [3, pytest.param(50, marks=pytest.mark.torture)]


@pytest.mark.parametrize("losses", LOSSES)
def test_lost_workers_lose_nothing(workers: Workers, tmp_path: Path, losses: int, monkeypatch: Any) -> None:
    """Killed, gone or stopped in the middle of parts, with the number of parts and not with time: the same bytes."""
    play_losing(workers, losses, tmp_path, monkeypatch)


def test_a_cell_that_ends_its_workers_is_set_aside_and_named(
    workers: Workers, tmp_path: Path, monkeypatch: Any
) -> None:
    """The others of its part are played; what the run folder then holds is sound."""
    (tmp_path / "fatal.py").write_text(FATAL)
    (tmp_path / "fatal.toml").write_text(SWEEP)
    spec = load_sweep(tmp_path / "fatal.toml")
    cut_finely(monkeypatch, plays=1000)
    report = run_at(workers, tmp_path / "run", spec)
    assert [(one.cell, one.label) for one in report.failed] == [(1, "Fatal")]
    assert report.failed[0].error == "VecdecayError: 3 workers ended while they played it; it was set aside"
    assert [row["cell"] for row in vd.open_run(report.folder).cells.to_pylist()] == [0, 2]


class Struck(Workers):
    """Two workers that are not there: cell 1 ends its worker, and a word says what else ends workers."""

    def __init__(self, outside: str) -> None:
        """Take "nothing", "beside" for every part that is not alone in play, or "all" workers, always."""
        self.on, self.outside, self.names = "here", outside, {"a", "b"}
        self._suspects = threading.Lock()
        self._fatal, self._change, self._playing, self._trial = set(), threading.Condition(), 0, False
        self.next, self.played_alone = 0, 0

    def _addresses(self) -> set[str]:
        return set(self.names)

    def _end(self, *ended: str) -> None:
        for name in ended:
            self.next += 1
            self.names = {*self.names - {name}, f"{self.next}"}
        raise where.WorkerLostError(1)

    def _once(self, stop: Stop, function: Any, plan: Any, part: parts.Part, *more: Any) -> Any:
        if self._trial:
            assert self._playing == 0
            self.played_alone += 1
        time.sleep(0.005)  # so that others are at it too
        cells = {cell for unit in part.units for cell in unit.cells}
        if function is where.play_without:
            cells -= set(more[1])
        if function is where._play_alone:
            cells = set(more)
        if self.outside == "all":
            self._end(*sorted(self.names))
        if 1 in cells or (self.outside == "beside" and not self._trial):
            self._end(min(self.names))
        return cells


@pytest.mark.parametrize("outside", ["nothing", "beside", "all"])
def test_a_cell_is_set_aside_for_what_it_did_alone(outside: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that are ended from outside, while a part is beside others or with all others, blame no cell."""
    monkeypatch.setattr(where, "_PAUSE_SECONDS", 0)
    workers = Struck(outside)
    several = [parts.Part(number, (parts.Unit((0, 1, 2, number + 3), 0, 5),)) for number in range(4)]
    with ThreadPoolExecutor(4) as threads:
        futures = [threads.submit(workers._play, play_and_write, None, part, None, Stop()) for part in several]
    if outside == "all":
        assert {str(future.exception()) for future in futures} == {f"{workers._restless()}"}
        assert workers._fatal == set()
        return
    assert [future.result() for future in futures] == [{0, 2, number + 3} for number in range(4)]
    assert workers._fatal == {1}
    assert workers.played_alone >= where.LOSSES


def test_a_plan_goes_to_each_worker_once() -> None:
    """A task names the plan that a worker was given; a log is not in it."""
    spec = small_sweep()
    plan = make_plan(spec)
    packed, plans = given.pack((plan, 1, plan), "run")
    assert list(plans.values()) == [plan]
    assert len(packed) < 200
    ((name, _),) = plans.items()
    plugin = protocol.loads(protocol.dumps(given.given_plan(name, plan)))
    plugin.setup(None)
    first, number, second = given.unpack(packed)
    assert (first.spec.digest, number) == (spec.digest, 1)
    assert first is second
    plugin.teardown(None)
    with pytest.raises(KeyError):
        given.unpack(packed)


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
