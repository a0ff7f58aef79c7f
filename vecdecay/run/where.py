"""Plays the parts of a sweep in other processes: on this machine, or on the workers of a Dask cluster anywhere.

Both are Dask (the extra ``dask``); ``processes`` is a cluster of this machine alone. A task carries the plan, with the
source of a person's own policies in it, and brings back a receipt, not arrays. A worker writes its part into the run
folder itself where it sees that folder, and sends the files back where it does not. The plan, with the log in it, goes
to each worker once.

A part whose worker ends is played again, as a worker may end for many reasons. Where that happens again, it is tried
while nothing else is played, and then cell by cell: a cell that is alone in play as ``LOSSES`` workers end, one trial
after the other with pauses, is the reason, and is set aside, so that the other cells go on. A trial meanwhile other
workers end too counts for nothing: these ended for some other reason, and so may the worker of the trial.
"""

import contextlib
import logging
import pickle
import platform
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

from vecdecay.compile import source_digest
from vecdecay.errors import InvalidInputError, VecdecayError, in_one_line
from vecdecay.parameters import brief
from vecdecay.run.execute import Sink
from vecdecay.run.parts import Part
from vecdecay.run.plan import Plan
from vecdecay.run.play import Stop, StoppedError, play_part
from vecdecay.run.provenance import libraries
from vecdecay.run.sinks import ParquetSink, PartReceipt
from vecdecay.store.files import write_file
from vecdecay.store.tables import part_tables

PROCESSES, DASK = "processes", "dask://"

LOSSES = 3
"""So many workers that end while they play one cell are its doing."""

_LOSSES_BESIDE = 2  # of a part that is played beside others, before it is played alone
_MOST_ROUNDS = 8  # of a part whose workers end although none of its cells alone ends one
_MOST_TRIALS = 8  # of a cell while other workers end too
_TASKS_TIMED = 200
_PAUSE_SECONDS = 0.5  # after the first trial that ended a worker; twice as long after each further one
_CONNECT_SECONDS = 10
_LOOK_SECONDS = 0.2  # between two looks whether the run was asked to end, or the scheduler has gone

_CONFIGURATION = {
    "distributed.scheduler.allowed-failures": 0,  # each is told
    "distributed.deploy.lost-worker-timeout": "1h",  # else who starts slowly again is given up for good
    "distributed.scheduler.worker-ttl": "20s",  # a process that was stopped is given up
    "distributed.worker.memory.terminate": False,
    "distributed.worker.memory.pause": False,
    "distributed.admin.tick.limit": "1h",
}


def where_problem(on: str) -> str | None:
    """Return what is wrong with a value of ``--on``, None where it can be tried.

    >>> where_problem("processes"), where_problem("dask://localhost:8786")
    (None, None)
    >>> where_problem("slurm")
    "is 'slurm'; allowed: processes, or dask://HOST:PORT for the scheduler of a Dask cluster"
    """
    host, colon, port = on.removeprefix(DASK).rpartition(":")
    if on == PROCESSES or (on.startswith(DASK) and host and colon and port.isdecimal()):
        return None
    return f"is {brief(on)}; allowed: processes, or dask://HOST:PORT for the scheduler of a Dask cluster"


@contextlib.contextmanager
def workers_at(on: str, count: int) -> Iterator["Workers"]:
    """Start ``count`` processes, or connect to a scheduler; yield what plays there.

    Raises:
        InvalidInputError: ``on`` is neither, or workers have other versions of the program, Python or libraries.
        VecdecayError: Dask is not installed, no scheduler answers, or it has no worker.
    """
    problem = where_problem(on)
    if problem is not None:
        raise InvalidInputError([f"on {problem}"])
    try:
        import dask.config
        from distributed import Client, LocalCluster
    except ImportError as error:
        raise VecdecayError("other processes need the package distributed: pip install 'vecdecay[dask]'") from error
    with contextlib.ExitStack() as stack:
        stack.enter_context(_quiet())
        stack.enter_context(dask.config.set(_CONFIGURATION))
        try:
            address: Any = f"tcp://{on.removeprefix(DASK)}"
            if on == PROCESSES:
                options: dict[str, Any] = {"n_workers": count, "threads_per_worker": 1}
                options |= {"dashboard_address": "127.0.0.1:0", "scheduler_kwargs": {"dashboard": False}}
                options |= {"memory_limit": 0, "silence_logs": logging.CRITICAL, "worker_dashboard_address": None}
                address = stack.enter_context(LocalCluster(**options))
            client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, TimeoutError) as error:
            raise VecdecayError(f"{on}: no scheduler answers ({in_one_line(error)})") from error
        stack.callback(client.close, timeout=1)
        if on == PROCESSES:
            client.wait_for_workers(count, timeout=_CONNECT_SECONDS * 6)
        workers = Workers(on, client)
        stack.callback(workers.shutdown, wait=False, cancel_futures=True)
        yield workers


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Let Dask say nothing of workers that come and go; what matters is one line of this program."""
    logger = logging.getLogger("distributed")
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def versions() -> dict[str, str]:
    """Return what results, or their bytes, may depend on beside the sweep: the code, Python and the libraries."""
    return {"vecdecay": source_digest(), "python": platform.python_version(), **libraries()}


class WorkerLostError(Exception):
    """Workers ended while they played a task; ``args[0]`` is how many."""


class Workers(Executor):
    """Hands parts to the workers of a Dask cluster, as many at a time as they have threads.

    Attributes:
        count: threads of all workers when the connection was made.
    """

    def __init__(self, on: str, client: Any) -> None:
        """Take the connection.

        Raises:
            InvalidInputError: a worker has other versions of what results depend on.
            VecdecayError: there is no worker.
        """
        self.on = on
        self._client = client
        self._versions = versions()
        self.count = sum(client.nthreads().values())
        if self.count == 0:
            raise VecdecayError(f"{on}: the scheduler has no worker")
        found = self._everywhere(versions)
        problems = [f"{on}: worker {name} {line}" for name in found for line in _differences(found[name])]
        if problems:
            raise InvalidInputError(problems)
        self._threads = ThreadPoolExecutor(self.count)
        self._fatal: set[int] = set()  # cells that are set aside
        self._suspects = threading.Lock()  # of who tries a part alone, to the end of that
        self._change = threading.Condition()
        self._run = secrets.token_hex(8)
        self._given: set[str] = set()  # names of plans that workers have
        self._playing, self._trial = 0, False  # how many are played beside each other; whether one is tried alone

    def task_seconds(self) -> float:
        """Return the processor time of a task that does nothing, in the scheduler or here, wherever it is more.

        So many seconds are between two tasks at the least, however many workers there are.
        """

        def taken(tasks: int) -> float:
            before = time.process_time(), self._client.run_on_scheduler(time.process_time)
            for one in [self._threads.submit(self._once, Stop(), _nothing) for _ in range(tasks)]:
                one.result()
            after = time.process_time(), self._client.run_on_scheduler(time.process_time)
            return float(max(last - first for first, last in zip(before, after, strict=True))) / tasks

        taken(2 * self.count)  # connections are made, modules loaded
        return taken(_TASKS_TIMED)

    def sink(self, sink: ParquetSink) -> ParquetSink:
        """Return the sink, or one that sends files back where not every worker sees the run folder."""
        token = secrets.token_hex(16)
        name = f".{token}.tmp"
        write_file(sink.folder / name, token.encode())
        try:
            seen = self._everywhere(_reads, str(Path(sink.folder, name).absolute()), token.encode())
        finally:
            (sink.folder / name).unlink()
        absolute = ParquetSink(sink.folder.absolute(), sink.footer, sink.enter)
        return absolute if all(seen.values()) else SendingSink(absolute)

    def _everywhere(self, function: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
        """Return what a function returns at each worker; those that go meanwhile are left out."""
        found = self._client.run(function, *arguments, on_error="return")
        return {name: value for name, value in found.items() if not isinstance(value, Exception)}

    def submit(self, function: Any, /, *arguments: Any, **options: Any) -> Future[Any]:
        """Have a part played: ``arguments`` are what :func:`vecdecay.run.execute.play_and_write` takes."""
        return self._threads.submit(self._play, function, *arguments, **options)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Give up what has not begun, and have workers let go of what they were given."""
        self._threads.shutdown(wait=wait, cancel_futures=cancel_futures)
        for name in self._given if self._client.status == "running" and self.on != PROCESSES else ():
            with contextlib.suppress(Exception):  # of workers that go, or do not answer, meanwhile
                self._client.sync(self._client._unregister_worker_plugin, name=name, callback_timeout=1)

    def _play(self, function: Callable[..., Any], plan: Plan, part: Part, sink: Sink[Any], stop: Stop) -> Any:
        cells = sorted({cell for unit in part.units for cell in unit.cells})
        for _ in range(_MOST_ROUNDS):
            fatal = [cell for cell in cells if cell in self._fatal]
            task = (play_without, plan, part, sink, fatal) if fatal else (function, plan, part, sink)
            receipt, survived = self._tried(stop, False, _LOSSES_BESIDE, *task)
            if survived:
                return receipt
            with self._suspects:
                rest = [cell for cell in cells if cell not in self._fatal]
                if len(rest) + len(fatal) < len(cells):
                    continue  # by now it is known which cell it may be
                receipt, survived = self._tried(stop, True, 1, *task)
                if survived:
                    return receipt
                for cell in rest:
                    if not self._tried(stop, True, LOSSES, _play_alone, plan, part, cell)[1]:
                        self._fatal.add(cell)
        raise self._restless()

    def _tried(
        self, stop: Stop, alone: bool, most: int, function: Callable[..., Any], *arguments: Any
    ) -> tuple[Any, bool]:
        """Return what a task comes to, and whether a worker survived it; it is tried until ``most`` have not."""
        losses = 0
        for trial in range(_MOST_TRIALS):
            with self._by_itself() if alone else self._beside_others():
                before = self._addresses() if alone else set()
                try:
                    return self._once(stop, function, *arguments), True
                except WorkerLostError as error:
                    ended: int = error.args[0]
                if not alone or len(before - self._addresses()) <= ended:
                    losses += ended
            if losses >= most:
                return None, False
            until = time.monotonic() + alone * _PAUSE_SECONDS * 2**trial
            while time.monotonic() < until and not stop.is_set:
                time.sleep(_LOOK_SECONDS)
        raise self._restless()

    @contextlib.contextmanager
    def _beside_others(self) -> Iterator[None]:
        """Wait until nothing is tried alone, and keep it from that."""
        with self._change:
            self._change.wait_for(lambda: not self._trial)
            self._playing += 1
        try:
            yield
        finally:
            with self._change:
                self._playing -= 1
                self._change.notify_all()

    @contextlib.contextmanager
    def _by_itself(self) -> Iterator[None]:
        """Wait until nothing is played, and keep it so."""
        with self._change:
            self._change.wait_for(lambda: not self._trial)
            self._trial = True
            self._change.wait_for(lambda: self._playing == 0)
        try:
            yield
        finally:
            with self._change:
                self._trial = False
                self._change.notify_all()

    def _addresses(self) -> set[str]:
        """Return the workers that there are."""
        try:
            return set(self._client.nthreads())
        except (OSError, TimeoutError) as error:
            raise self._gone() from error

    def _once(self, stop: Stop, function: Callable[..., Any], *arguments: Any) -> Any:
        from distributed import CancelledError, KilledWorker

        done = threading.Event()
        task = self._packed((self._versions, function, (*arguments, stop)))
        future = self._client.submit(play_task, task, pure=False, key=f"part-{secrets.token_hex(8)}")
        future.add_done_callback(lambda _: done.set())
        try:
            while not done.wait(_LOOK_SECONDS):
                if stop.is_set:
                    future.cancel()
                    raise StoppedError("stopped")
                if self._client.status != "running":
                    raise self._gone()
            return pickle.loads(future.result())
        except KilledWorker as error:
            raise WorkerLostError(error.allowed_failures + 1) from error
        except (CancelledError, OSError, TimeoutError) as error:
            if isinstance(error, VecdecayError):
                raise
            raise self._gone() from error
        finally:
            future.release()

    def _packed(self, task: Any) -> bytes:
        """Return a task as it is sent, after the plan in it was given to all workers, those to come too."""
        from vecdecay.run.given import given_plan, pack

        packed, plans = pack(task, self._run)
        with self._change:
            for name in plans.keys() - self._given:
                self._given.add(name)
                with contextlib.suppress(OSError):  # of a worker that goes meanwhile: the next is given it
                    self._client.register_plugin(given_plan(name, plans[name]), name=name)
        return packed

    def _restless(self) -> VecdecayError:
        return VecdecayError(f"{self.on}: its workers end again and again; the same command resumes it")

    def _gone(self) -> VecdecayError:
        return VecdecayError(f"{self.on}: the scheduler has gone; the same command resumes it")


def play_task(task: bytes) -> bytes:
    """Do a task where it was sent, if what results depend on is the same there; return what came of it, pickled."""
    from vecdecay.run.given import unpack

    wanted, function, arguments = unpack(task)
    problems = _differences(wanted)
    if problems:
        raise InvalidInputError([f"a worker that joined later {line}" for line in problems])
    return pickle.dumps(function(*arguments))


def play_without(plan: Plan, part: Part, sink: Sink[Any], fatal: Sequence[int], stop: Stop) -> Any:
    """Play a part without some of its cells, which fail, and write it."""
    units = [replace(unit, cells=tuple(cell for cell in unit.cells if cell not in fatal)) for unit in part.units]
    played = play_part(plan, replace(part, units=tuple(units)), stop)
    played.fail(fatal, VecdecayError(f"{LOSSES} workers ended while they played it; it was set aside"))
    return sink.write(plan, part, played)


def _play_alone(plan: Plan, part: Part, cell: int, stop: Stop) -> None:
    units = [replace(unit, cells=(cell,)) for unit in part.units if cell in unit.cells]
    play_part(plan, replace(part, units=tuple(units)), stop)


def _nothing(_: Stop) -> None:
    pass


def _differences(there: dict[str, str]) -> list[str]:
    own = versions()
    return [f"has {name} {there.get(name)}, not {own[name]}" for name in own if there.get(name) != own[name]]


def _reads(path: str, content: bytes) -> bool:
    try:
        return Path(path).read_bytes() == content
    except OSError:
        return False


class SendingSink(ParquetSink):
    """Has the files of a part sent back by the worker that played it, and writes them into the run folder here."""

    def __init__(self, sink: ParquetSink) -> None:
        """Take the sink that knows the folder."""
        super().__init__(sink.folder, sink.footer, self._keep)
        self._enter = sink.enter

    def write(self, plan: Plan, part: Part, played: Any) -> Any:
        """Write the files into a folder that goes again; return the receipt with what they hold."""
        with tempfile.TemporaryDirectory(prefix="vecdecay-") as place:
            for table in part_tables(plan.spec.detail):
                Path(place, table).mkdir()
            receipt = ParquetSink(Path(place), self.footer, lambda _: None).write(plan, part, played)
            return receipt, {entry.file: Path(place, entry.file).read_bytes() for entry in receipt.entries}

    def _keep(self, sent: Any) -> None:
        receipt: PartReceipt = sent[0]
        for entry in receipt.entries:
            written = write_file(self.folder / entry.file, sent[1][entry.file])
            if written.sha256 != entry.sha256:
                raise VecdecayError(f"{entry.file}: was changed on its way; the same command makes it again")
        self._enter(receipt)
