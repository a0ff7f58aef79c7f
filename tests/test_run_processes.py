"""Real processes on one run folder: killed, told to end, two at once, watched, on a disk that is full or read-only."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from effort import end_by, needs_proc, wait_until
from file_faults import content_of
from sweep_runs import ENVIRONMENT, fresh_process

from vecdecay.run.verify import verify_run
from vecdecay.store.ledger import LEDGER_NAME, read_ledger

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks processes, which this system cannot")

# A process that has everything loaded and compiled, and forks those that are to die: so each starts in a millisecond.
PROLOGUE = """
import os, random, signal, sys, time
from pathlib import Path
import pytest
from file_faults import content_of
from sweep_runs import Here, cut_finely, digest_of, small_sweep
from vecdecay.store.ledger import LEDGER_NAME, read_ledger
from vecdecay.store.verification import check_part
from vecdecay.run.sweep import run_sweep

base = Path(sys.argv[1])
cut_finely(pytest.MonkeyPatch(), plays=12)
spec = small_sweep("sessions", seeds=int(sys.argv[2]))  # as many parts

def play(folder, **options):
    return run_sweep(spec, folder, executor=Here(), check=0, **options)

def fork(task):
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = task() or 0
        finally:
            os._exit(code)
    return child

def sound_entries(folder):
    if not (folder / LEDGER_NAME).exists():
        return {}
    entries = read_ledger(folder).entries
    assert [check_part(folder, entry) for entry in entries.values()] == [None] * len(entries)
    return dict(entries)

play(base / "whole")
expected = digest_of(base / "whole")
"""

KILLED = """
stream = random.Random(5)
killed, finished, folder, before = 0, 0, base / "run-0", {}
while killed < int(sys.argv[3]):
    child = fork(lambda: play(folder) and None)
    time.sleep(stream.random() * 0.08)
    os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL), code
    entries = sound_entries(folder)
    lost = [key for key in before if entries.get(key) != before[key]]
    # Of a part that was being entered, the first file may be entered without the second: then it is made again.
    assert all(key.replace("sessions", "histograms") not in before for key in lost), lost
    before = entries
    if code == 0:
        assert digest_of(folder) == expected
        finished += 1
        folder, before = base / f"run-{finished}", {}
        continue
    killed += 1
play(folder)
assert digest_of(folder) == expected
assert not [name for name in content_of(folder) if Path(name).name.startswith(".")]
print(killed, finished)
"""


@needs_fork
def test_fifty_kills_at_random_instants_lose_nothing(tmp_path: Path) -> None:
    """SIGKILL, fifty times, each run going on where the last was killed: the same bytes in the end, and no leftover."""
    done = fresh_process(PROLOGUE + KILLED, tmp_path, 80, 50)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split()[0] == "50"


@needs_fork
@pytest.mark.torture
def test_a_thousand_kills_at_random_instants_lose_nothing(tmp_path: Path) -> None:
    """As above, a thousand times."""
    done = fresh_process(PROLOGUE + KILLED, tmp_path, 80, 1000)
    assert done.returncode == 0, done.stderr


TWO_AT_ONCE = """
class Waiting:
    def __init__(self, pipe):
        self.pipe = pipe
    def start(self, total, done):
        os.read(self.pipe, 1)  # until the other one has been turned away
    def compiling(self): pass
    def advance(self, sessions): pass
    def stop(self): pass

def attempt(folder, gate, release, report):
    def task():
        os.read(gate, 1)
        try:
            play(folder, progress=Waiting(release))
        except Exception as error:
            os.write(report, f"{type(error).__name__} {error}".encode())
            return 1
        return 0
    return task

for number in range(int(sys.argv[3])):
    folder = base / f"run-{number}"
    gate, opener = os.pipe()
    release, releaser = os.pipe()
    report, writer = os.pipe()
    children = {fork(attempt(folder, gate, release, writer)) for _ in range(2)}
    os.write(opener, b"..")
    loser, status = os.wait()
    assert os.waitstatus_to_exitcode(status) == 1
    (winner,) = children - {loser}
    os.write(releaser, b".")
    assert os.waitstatus_to_exitcode(os.waitpid(winner, 0)[1]) == 0
    kind, line = os.read(report, 10_000).decode().split(" ", 1)
    assert kind == "OutputError", kind
    assert line.startswith(f"{folder}: another run is writing to this folder (process {winner}, started "), line
    assert digest_of(folder) == expected
    for descriptor in (gate, opener, release, releaser, report, writer):
        os.close(descriptor)
print("done")
"""


@needs_fork
def test_of_two_runs_at_once_exactly_one_works(tmp_path: Path) -> None:
    """Twenty rounds: one works undisturbed, the other leaves while it is held, and says who holds the folder."""
    done = fresh_process(PROLOGUE + TWO_AT_ONCE, tmp_path, 8, 20)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "done\n"


WATCHED = """
import pyarrow.parquet as pq
from vecdecay.store.manifest import MANIFEST_NAME, read_manifest

known = {name: data for name, data in content_of(base / "whole").items() if name.endswith(".parquet")}
folder = base / "run"

def look_on():
    for path in folder.glob("*/part-*.parquet"):
        assert path.read_bytes() == known[path.relative_to(folder).as_posix()], path
    if (folder / "cells.parquet").exists():
        assert (folder / "cells.parquet").read_bytes() == known["cells.parquet"]
    if (folder / MANIFEST_NAME).exists():
        for file in read_manifest(folder)["files"]:
            assert (folder / file["file"]).exists(), file
    return len(sound_entries(folder))

def runs():
    for _ in range(2):
        play(folder)
        for name in (MANIFEST_NAME, LEDGER_NAME):
            (folder / name).unlink()  # so that all is made again, over what a reader may be looking at
    play(folder)

child = fork(runs)
seen = set()
while os.waitpid(child, os.WNOHANG) == (0, 0):
    try:
        seen.add(look_on())
    except OSError as error:  # the files that this test itself removed
        assert "manifest" in str(error) or "ledger" in str(error), error
look_on()
assert digest_of(folder) == expected
print(len(seen))
"""


@needs_fork
def test_a_reader_never_meets_a_bad_or_half_part(tmp_path: Path) -> None:
    """Whoever looks on while a run writes sees whole parts, sound ledgers and sound manifests, always."""
    done = fresh_process(PROLOGUE + WATCHED, tmp_path, 40)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 10


SMALL_DISK = """
import subprocess
from vecdecay.errors import OutputError
from vecdecay.run.verify import verify_run

disk = base / "disk"
disk.mkdir()
mount = ["mount", "-t", "tmpfs", "tmpfs", str(disk), "-o"]
if subprocess.run([*mount, "size=40k"], capture_output=True).returncode:
    sys.exit(77)
reached = []
for size in [*range(60, 700, 40), 4000]:
    subprocess.run([*mount, f"remount,size={size}k"], check=True)
    try:
        play(disk / "run")
    except OutputError as error:
        told = str(error)
        foreseen = "more would be written and" in told and "are free; make room" in told
        assert told.startswith(str(disk)) and (foreseen or told.endswith("No space left on device")), error
        assert str(error).isprintable()
    reached.append(len(sound_entries(disk / "run")))
assert reached == sorted(reached) and len(set(reached)) > 5, reached
assert digest_of(disk / "run") == expected
assert verify_run(disk / "run", sample=3).problems == []
subprocess.run([*mount, "remount,ro"], check=True)
for folder in (disk / "run", disk / "new"):
    try:
        play(folder)
    except OutputError as error:
        print(error)
assert verify_run(disk / "run", sample=3).problems == []
"""


@needs_fork
def test_a_disk_that_fills_up_and_one_that_is_read_only(tmp_path: Path) -> None:
    """A small disk that grows: one line each time it is full, no part lost; read-only: one line, nothing changed."""
    if shutil.which("unshare") is None:
        pytest.skip("needs the program unshare, to mount a small disk that nobody else sees")
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    done = fresh_process(PROLOGUE + SMALL_DISK, tmp_path, 60, prefix=unshare)
    if done.returncode == 77 or done.stderr.startswith("unshare:"):
        pytest.skip("needs the right to mount a small disk; test_run_reliability injects the same errors")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"{tmp_path}/disk/run: the output folder cannot be written to: Read-only file system",
        f"{tmp_path}/disk/new: the output folder cannot be made: Read-only file system",
    ]


SLOW = """
schema = 1
sweep = { name = "slow", seeds = 1_000_000_000 }
workload = { kind = "published_sessions" }
policy = [{ kind = "ebbinghaus" }, { kind = "recency_window" }]
"""


@needs_proc
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_command_within_two_seconds(number: int, code: int, tmp_path: Path) -> None:
    """Ctrl-C and SIGTERM: the exit code of the signal, a line that says how to go on, and every finished part whole."""
    (tmp_path / "slow.toml").write_text(SLOW)
    command = [sys.executable, "-m", "vecdecay.cli", "run", "slow.toml", "--output", "run", "--quiet"]
    run = subprocess.Popen(
        command, cwd=tmp_path, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        ledger = tmp_path / "run" / LEDGER_NAME
        wait_until(lambda: ledger.exists() and ledger.read_bytes().count(b"\n") > 2, run)
        told, spent = end_by(number, run)
    finally:
        run.kill()
    assert run.returncode == code
    assert "the same command resumes it" in told
    assert told.count("\n") == 1
    assert spent < 4  # two seconds on two processors
    assert len(read_ledger(tmp_path / "run").entries) >= 2
    problems = verify_run(tmp_path / "run", sample=0).problems
    # A part that has its name, and not yet its entry in the ledger, is no part of the run.
    unfinished = ("missing", "manifest", "unexpected")
    assert not [problem for problem in problems if not any(word in problem for word in unfinished)]
    assert not [name for name in content_of(tmp_path / "run") if name.endswith(".tmp")]


def test_a_file_in_the_place_of_the_folder_is_one_line(tmp_path: Path) -> None:
    """The command says in one line what is in the way, with exit code 1; --force moves it aside."""
    (tmp_path / "small.toml").write_text(SLOW.replace("1_000_000_000", "10"))
    (tmp_path / "run").write_text("mine")
    command = [sys.executable, "-m", "vecdecay.cli", "run", "small.toml", "--output", "run", "--quiet"]

    def told(*more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*command, *more], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)

    refused = told()
    assert refused.returncode == 1
    assert refused.stderr == "vecdecay: run: there is something else of that name; expected a folder\n"
    assert told("--force").returncode == 0
    assert (tmp_path / "run.old-1").read_text() == "mine"
    assert verify_run(tmp_path / "run").problems == []
