"""One writer for each run folder."""

import errno
import os
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from vecdecay.errors import OutputError
from vecdecay.store import lock
from vecdecay.store.ledger import Ledger, LedgerEntry, read_ledger
from vecdecay.store.lock import LOCK_NAME, check_lock, lock_folder

ROOT = Path(__file__).parent.parent

# Answers each line on its input: tries the lock on "try", and lets it go on "leave".
WORKER = """
import sys, time
from vecdecay.errors import OutputError
from vecdecay.store.lock import lock_folder
held = None
print("ready", flush=True)
for line in sys.stdin:
    if line == "try\\n":
        candidate = lock_folder(sys.argv[1])
        try:
            candidate.__enter__()
            held = candidate
            print("won", flush=True)
        except OutputError as error:
            print(error, flush=True)
    elif held is not None:
        held.__exit__(None, None, None)
        held = None
"""

# Holds the lock, with a forked child and a started program that outlive it, and names their processes.
HOLDER = """
import os, subprocess, sys, time
from vecdecay.store.lock import lock_folder
with lock_folder(sys.argv[1]):
    program = subprocess.Popen(["sleep", "60"], stdout=subprocess.DEVNULL)
    up, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(1)
        os.write(tell, b"!")
        time.sleep(60)
        os._exit(0)
    os.read(up, 1)
    print(program.pid, child, flush=True)
    time.sleep(60)
"""


@contextmanager
def started(script: str, folder: Path) -> Iterator[subprocess.Popen[str]]:
    """Run Python code in another process with pipes to talk to it; it is gone afterwards."""
    command = [sys.executable, "-c", script, str(folder)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, env=environment, text=True, **pipes) as process:  # type: ignore[call-overload]
        try:
            yield process
        finally:
            process.kill()


def _say(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


def _hear(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().rstrip("\n")


def test_second_holder_learns_who_holds_it(tmp_path: Path) -> None:
    """A folder has one writer, also within a process; the other is shown which process, and since when."""
    with lock_folder(tmp_path), pytest.raises(OutputError) as caught, lock_folder(tmp_path):
        pass
    assert re.fullmatch(
        rf"{re.escape(str(tmp_path))}: another run is writing to this folder \(process {os.getpid()}, "
        r"started \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\); wait until it ends, or choose another folder",
        str(caught.value),
    )
    with lock_folder(tmp_path):
        pass
    assert [path.name for path in tmp_path.iterdir()] == [LOCK_NAME]
    # So the next holder is not taken for this one before it has written its own name.
    assert (tmp_path / LOCK_NAME).read_bytes() == b""


def test_twenty_rounds_of_two_processes_have_one_winner_each(tmp_path: Path) -> None:
    """Two processes that want one folder at the same time: always exactly one gets it."""
    with started(WORKER, tmp_path) as first, started(WORKER, tmp_path) as second:
        assert _hear(first) == _hear(second) == "ready"
        for number in range(20):
            pair = (first, second) if number % 2 else (second, first)
            for process in pair:
                _say(process, "try")
            answers = {process.pid: _hear(process) for process in pair}
            [winner] = [pid for pid, answer in answers.items() if answer == "won"]
            [loss] = [answer for answer in answers.values() if answer != "won"]
            assert f"another run is writing to this folder (process {winner}, started " in loss
            for process in pair:
                _say(process, "leave")
            # Both answer the next round only after they have let go.


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
def test_killed_holder_frees_the_lock_though_its_children_live(tmp_path: Path) -> None:
    """After kill -9 the folder is free at once; children that outlive the run do not hold it on."""
    with started(HOLDER, tmp_path) as holder:
        children = [int(pid) for pid in _hear(holder).split()]
        try:
            with pytest.raises(OutputError, match=f"process {holder.pid}, "), lock_folder(tmp_path):
                pass
            holder.send_signal(signal.SIGKILL)
            holder.wait()
            with lock_folder(tmp_path):
                for child in children:
                    os.kill(child, 0)
        finally:
            for child in children:
                os.kill(child, signal.SIGKILL)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork processes")
def test_forked_child_that_leaves_the_block_does_not_free_the_lock(tmp_path: Path) -> None:
    """The lock belongs to the process that took it: a forked child that leaves the block changes nothing."""
    script = (
        "import os, sys\n"
        "from vecdecay.errors import OutputError\n"
        "from vecdecay.store.lock import lock_folder\n"
        "with lock_folder(sys.argv[1]):\n"
        "    child = os.fork()\n"
        "    if child:\n"
        "        code = os.waitpid(child, 0)[1]\n"
        "        text = open(sys.argv[1] + '/.lock').read()\n"
        "        try:\n"
        "            lock_folder(sys.argv[1]).__enter__()\n"
        "        except OutputError:\n"
        "            print(code, text.split(',')[0], flush=True)\n"
    )
    with started(script, tmp_path) as process:
        assert _hear(process) == f"0 process {process.pid}"


def test_error_inside_the_block_frees_the_lock(tmp_path: Path) -> None:
    """A run that fails leaves the folder free."""
    for _ in range(2):
        with pytest.raises(KeyError), lock_folder(tmp_path):
            raise KeyError


@pytest.mark.parametrize("text", [b"", b"process 1", b"\xff\x00\x1b[31m", b"process 7, started yesterday\n" * 99])
def test_lock_does_not_depend_on_what_the_file_says(text: bytes, tmp_path: Path) -> None:
    """A damaged or foreign lock file neither locks nor unlocks, and none of it gets into the message."""
    (tmp_path / LOCK_NAME).write_bytes(text)
    with lock_folder(tmp_path):
        (tmp_path / LOCK_NAME).write_bytes(text)
        with pytest.raises(OutputError, match=r"\(process unknown\)"), lock_folder(tmp_path):
            pass


def test_full_disk_does_not_hinder_the_lock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The text in the lock file is a courtesy: without room for it, the lock is held all the same."""

    def full(descriptor: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with lock_folder(tmp_path), pytest.raises(OutputError, match="process unknown"), lock_folder(tmp_path):
        pass


@pytest.mark.parametrize("change", ["folder moved", "file removed", "file replaced"])
def test_a_lock_that_lost_its_file_is_not_taken(change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock on a file that lost its name while it was being locked protects nothing, so another one is taken."""
    folder = tmp_path / "run"
    folder.mkdir()
    changes = iter([True])

    class Late(FileLock):
        def acquire(self, *arguments: Any, **options: Any) -> Any:
            result = super().acquire(*arguments, **options)
            if next(changes, False):
                lose_file(change, folder)
            return result

    monkeypatch.setattr(lock, "FileLock", Late)
    with lock_folder(folder):
        assert (folder / LOCK_NAME).exists()
        assert (folder / LOCK_NAME).read_bytes().startswith(b"process ")
        check_lock(folder)
        with pytest.raises(OutputError, match="another run"), lock_folder(folder):
            pass
    assert next(changes, None) is None


def lose_file(change: str, folder: Path) -> None:
    """Take its lock file from a folder in one of three ways."""
    if change == "folder moved":
        folder.rename(folder.with_name("aside"))
        folder.mkdir()
        return
    (folder / LOCK_NAME).unlink()
    if change == "file replaced":
        (folder / LOCK_NAME).write_bytes(b"")


@pytest.mark.parametrize("change", ["folder moved", "file removed", "file replaced"])
def test_a_lock_that_is_lost_later_stops_the_writer(change: str, tmp_path: Path) -> None:
    """Where another run could have begun to write, the first one enters nothing more into the ledger."""
    folder = tmp_path / "run"
    folder.mkdir()
    entry = LedgerEntry("sessions/part", 1, 1, "0" * 64)
    with lock_folder(folder):
        ledger = Ledger(folder)
        ledger.extend([entry])
        lose_file(change, folder)
        with pytest.raises(OutputError, match=r"run: its lock file was replaced while this run was writing"):
            ledger.extend([replace(entry, file="sessions/other")])
    place = tmp_path / "aside" if change == "folder moved" else folder
    assert list(read_ledger(place).entries.values()) == [entry]


def test_lock_file_that_cannot_be_opened(tmp_path: Path) -> None:
    """A folder in place of the lock file: one line that names it."""
    (tmp_path / LOCK_NAME).mkdir()
    with pytest.raises(OutputError) as caught, lock_folder(tmp_path):
        pass
    assert str(caught.value).startswith(f"{tmp_path / LOCK_NAME}: cannot be locked: ")


def test_file_system_without_locks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the file system knows no locks, the run says so; it does not go on unprotected."""
    fcntl = pytest.importorskip("fcntl", reason="this system has its own kind of locks")

    def unknown(descriptor: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", unknown)
    with pytest.raises(OutputError, match="cannot be locked: No locks available"), lock_folder(tmp_path):
        pass


def test_threads_are_kept_apart(tmp_path: Path) -> None:
    """Two threads of one process are two writers."""
    answers: list[str] = []

    def attempt() -> None:
        try:
            with lock_folder(tmp_path):
                answers.append("won")
        except OutputError:
            answers.append("lost")

    with lock_folder(tmp_path):
        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
    attempt()
    assert answers == ["lost", "won"]
