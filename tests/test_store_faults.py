"""The store as a whole: whatever happens to the machine, what was finished stays; the rest is resumed."""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from effort import PATIENCE
from file_faults import (
    Death,
    DiesAt,
    FailsAt,
    LosesPowerAt,
    Recorder,
    content_of,
    intercepted,
    part_content,
    play_run,
)

from vecdecay.errors import OutputError
from vecdecay.store.ledger import LEDGER_NAME, read_ledger
from vecdecay.store.manifest import MANIFEST_NAME, read_manifest
from vecdecay.store.verification import check_part, verify_parts

TESTS = Path(__file__).parent
PARTS = 20


# Where a fresh process finds the package and these tests; messages in English.
ENVIRONMENT = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS.parent)]), "LC_ALL": "C"}


def run_script(script: str, *arguments: object, prefix: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run Python code in a fresh process."""
    command = [*prefix, sys.executable, "-c", script, *map(str, arguments)]
    return subprocess.run(command, env=ENVIRONMENT, capture_output=True, text=True, timeout=PATIENCE, check=False)


def finished_parts(folder: Path) -> int:
    """Check that the folder is the beginning of a run with nothing wrong in it, and say how far it came."""
    for path in folder.glob("sessions/[!.]*"):
        assert path.read_bytes() == part_content(int(path.stem.removeprefix("part-")))
    if (folder / MANIFEST_NAME).exists():
        assert read_manifest(folder)["files"] == list(read_ledger(folder).entries)
    if not (folder / LEDGER_NAME).exists():
        return 0
    entries = read_ledger(folder).entries
    assert list(entries) == [f"sessions/part-{number:03d}.bin" for number in range(len(entries))]
    unexpected = f"sessions/part-{len(entries):03d}.bin: unexpected"
    assert verify_parts(folder, entries.values(), ["sessions"]) in ([], [unexpected])
    return len(entries)


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, bytes], int]:
    """The content of a run that nothing happened to, and the number of its file operations."""
    folder = tmp_path_factory.mktemp("whole")
    shutil.rmtree(folder)
    recorder = Recorder()
    with intercepted(recorder):
        play_run(folder, PARTS)
    assert finished_parts(folder) == PARTS
    return content_of(folder), len(recorder.names)


@pytest.mark.parametrize("share", [0.5, 0.999])
def test_death_at_every_operation_loses_nothing(
    share: float, whole_run: tuple[dict[str, bytes], int], tmp_path: Path
) -> None:
    """A process may die at any file operation: what it had entered stays, and the next run ends the same."""
    expected, operations = whole_run
    reached = set()
    for n in range(operations):
        folder = tmp_path / str(n)
        entered: list[int] = []
        dying = DiesAt(n, share)
        with pytest.raises(Death), intercepted(dying):
            play_run(folder, PARTS, entered)
        dying.close_all()
        # A line that was written whole counts, though the run died before it knew.
        at_the_end = dying.names[n] in ("fsync", "close") and dying.names[n - 1] in ("write", "fsync")
        whole_line = at_the_end and finished_parts(folder) > len(entered)
        assert finished_parts(folder) == len(entered) + whole_line
        reached.add(len(entered))
        with intercepted(Recorder()):
            play_run(folder, PARTS)
        assert content_of(folder) == expected
        shutil.rmtree(folder)
    assert reached == set(range(PARTS + 1))


def test_loss_of_power_at_every_operation_loses_nothing(
    whole_run: tuple[dict[str, bytes], int], tmp_path: Path
) -> None:
    """The same when all is lost that was not flushed: every flush that is needed is there, in order."""
    expected, operations = whole_run
    for n in range(operations):
        folder = tmp_path / str(n)
        entered: list[int] = []
        dying = LosesPowerAt(n)
        with pytest.raises(Death), intercepted(dying):
            play_run(folder, PARTS, entered)
        dying.close_all()
        dying.lose()
        # A line that was flushed counts, though the run lost its power before it knew.
        assert finished_parts(folder) in (len(entered), len(entered) + (dying.names[n] == "close"))
        with intercepted(Recorder()):
            play_run(folder, PARTS)
        assert content_of(folder) == expected
        shutil.rmtree(folder)


@pytest.mark.parametrize(("error_number", "lasting"), [(errno.ENOSPC, False), (errno.EIO, False), (errno.ENOSPC, True)])
def test_error_at_every_operation_is_one_line(
    error_number: int, lasting: bool, whole_run: tuple[dict[str, bytes], int], tmp_path: Path
) -> None:
    """A full or failing disk, at any operation: one line with the reason, and all finished parts intact."""
    expected, operations = whole_run
    for n in range(operations):
        folder = tmp_path / str(n)
        entered: list[int] = []
        failing = FailsAt(n, error_number, lasting=lasting)
        with pytest.raises(OutputError) as caught, intercepted(failing):
            play_run(folder, PARTS, entered)
        failing.close_all()
        assert str(caught.value).startswith(str(folder))
        assert str(caught.value).endswith(os.strerror(error_number))
        assert str(caught.value).isprintable()
        assert finished_parts(folder) in (len(entered), len(entered) + 1)
        if not lasting and failing.names[n] != "unlink":
            assert not list(folder.glob("**/.*.tmp"))
        with intercepted(Recorder()):
            play_run(folder, PARTS)
        assert content_of(folder) == expected
        shutil.rmtree(folder)


EXITS = """
import os, sys
from pathlib import Path
from file_faults import DiesAt, content_of, intercepted, play_run
from test_store_faults import finished_parts
base = Path(sys.argv[1])
play_run(base / "whole", 3)
expected = content_of(base / "whole")
n = 0
while True:
    folder = base / str(n)
    child = os.fork()
    if child == 0:
        with intercepted(DiesAt(n, die=lambda: os._exit(9))):
            play_run(folder, 3)
        os._exit(0)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finished_parts(folder)
    play_run(folder, 3)
    assert content_of(folder) == expected, n
    if code == 0:
        break
    assert code == 9, code
    n += 1
print(n)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the test forks processes, which this system cannot")
def test_real_exit_at_every_operation(tmp_path: Path) -> None:
    """The simulated death above is like a real one: processes that end at once, at every operation."""
    done = run_script(EXITS, tmp_path)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 30


LIMITED = """
import resource, sys
from pathlib import Path
from file_faults import play_run
from vecdecay.errors import OutputError
_, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]), hard))
try:
    play_run(Path(sys.argv[1]), 20)
except OutputError as error:
    print(error)
    sys.exit(1)
"""


def test_file_size_limit_stops_a_run_that_can_be_resumed(
    whole_run: tuple[dict[str, bytes], int], tmp_path: Path
) -> None:
    """The kernel's own refusal amid a write: one line, the finished parts intact, and resumable."""
    expected, _ = whole_run
    finished = []
    for limit in (0, 50, 300, 1000, 1500, 3000, 10_000):
        done = run_script(LIMITED, tmp_path, limit)
        assert done.stderr == ""
        assert done.stdout.count("\n") == done.returncode
        assert (os.strerror(errno.EFBIG) in done.stdout) == bool(done.returncode)
        finished.append(finished_parts(tmp_path))
    assert finished == sorted(finished)
    assert finished[0] == 0
    assert 0 < finished[-3] < PARTS
    assert content_of(tmp_path) == expected


SMALL_DISK = """
import subprocess, sys
from pathlib import Path
from file_faults import content_of, play_run
from test_store_faults import finished_parts
from vecdecay.errors import OutputError
from vecdecay.store.files import prepare_folder
folder = Path(sys.argv[1])
mount = ["mount", "-t", "tmpfs", "tmpfs", str(folder), "-o"]
if subprocess.run([*mount, "size=16k"], capture_output=True).returncode:
    sys.exit(77)
finished = []
for size in range(16, 400, 16):
    subprocess.run([*mount, f"remount,size={size}k"], check=True)
    try:
        play_run(folder / "run", 20)
    except OutputError as error:
        assert "No space left on device" in str(error), error
        assert "\\n" not in str(error)
    finished.append(finished_parts(folder / "run"))
assert finished == sorted(finished) and len(set(finished)) > 5 and finished[-1] == 20, finished
play_run(folder / "run", 20)
subprocess.run([*mount, "remount,ro"], check=True)
before = content_of(folder / "run")
for attempt in (lambda: prepare_folder(folder / "run"), lambda: play_run(folder / "new", 1)):
    try:
        attempt()
    except OutputError as error:
        print(error)
assert content_of(folder / "run") == before
"""


def test_small_disk_fills_up_and_grows(tmp_path: Path) -> None:
    """A disk that fills again and again loses no part; one that turned read-only says so in one line."""
    if shutil.which("unshare") is None:
        pytest.skip("needs the program unshare, to mount a small disk that nobody else sees")
    unshare = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    done = run_script(SMALL_DISK, tmp_path, prefix=unshare)
    if done.returncode == 77 or done.stderr.startswith("unshare:"):
        pytest.skip("needs the right to mount a small disk; the file size limit tests the same promise")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        f"{tmp_path}/run: the output folder cannot be written to: Read-only file system",
        f"{tmp_path}/new/sessions: the output folder cannot be made: Read-only file system",
    ]


# Writes more and more, until its input ends.
WRITER = """
import itertools, select, sys
from pathlib import Path
from file_faults import play_run
from vecdecay.store.files import write_file
for count in itertools.count(2, 2):
    play_run(Path(sys.argv[1]), count)
    write_file(Path(sys.argv[1], "replaced"), bytes([count % 256]) * 5000)
    if select.select([sys.stdin], [], [], 0)[0]:
        break
"""


@pytest.mark.skipif(sys.platform == "win32", reason="select knows no pipes on this system")
def test_reader_never_meets_half_a_file(tmp_path: Path) -> None:
    """Whoever looks on while a run writes sees whole parts, sound ledgers and sound manifests, always."""
    command = [sys.executable, "-c", WRITER, str(tmp_path)]
    lengths: set[int] = set()
    with subprocess.Popen(command, env=ENVIRONMENT, stdin=subprocess.PIPE) as writer:
        try:
            while len(lengths) < 12:
                assert writer.poll() is None
                lengths.add(look_on(tmp_path))
        finally:
            assert writer.stdin is not None
            writer.stdin.close()
    assert writer.returncode == 0


def look_on(folder: Path) -> int:
    """Check everything that is there at this moment, and return the number of parts in the ledger."""
    for path in folder.glob("sessions/[!.]*"):
        assert path.read_bytes() == part_content(int(path.stem.removeprefix("part-")))
    if (folder / "replaced").exists():
        content = (folder / "replaced").read_bytes()
        assert len(content) == 5000
        assert len(set(content)) == 1
    if (folder / MANIFEST_NAME).exists():
        assert len(read_manifest(folder)["files"]) % 2 == 0
    if not (folder / LEDGER_NAME).exists():
        return 0
    entries = read_ledger(folder).entries
    assert list(entries) == [f"sessions/part-{number:03d}.bin" for number in range(len(entries))]
    assert [check_part(folder, entry) for entry in entries.values()] == [None] * len(entries)
    return len(entries)


KILLED = """
import sys
from pathlib import Path
from file_faults import play_run
print("ready", flush=True)
play_run(Path(sys.argv[1]), 400)
"""


def kill_at_random_instants(folder: Path, rounds: int) -> int:
    """Start the same run again and again and kill it after a moment; return how many were killed at work."""
    killed = 0
    entered = 0
    for number in range(rounds):
        command = [sys.executable, "-c", KILLED, str(folder)]
        with subprocess.Popen(command, env=ENVIRONMENT, stdout=subprocess.PIPE) as run:
            assert run.stdout is not None
            run.stdout.readline()
            # Another instant each time, spread over the first hundredth of a second.
            with pytest.raises(subprocess.TimeoutExpired):
                run.wait(0.010 * ((number * 0.618) % 1) + 0.001)
            run.send_signal(signal.SIGKILL)
            killed += run.wait() == -signal.SIGKILL
        before, entered = entered, finished_parts(folder)
        assert entered >= before
    return killed


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_kill_at_a_few_random_instants(tmp_path: Path) -> None:
    """SIGKILL at any instant leaves the beginning of a run, and no lock."""
    assert kill_at_random_instants(tmp_path, 5) == 5
    with intercepted(Recorder()):
        play_run(tmp_path, 400)
    assert finished_parts(tmp_path) == 400
    assert not list(tmp_path.glob("**/.*.tmp"))


@pytest.mark.torture
def test_kill_at_many_random_instants(tmp_path: Path) -> None:
    """As above, fifty times, with the next run always going on where the last one was killed."""
    assert kill_at_random_instants(tmp_path, 50) == 50
    play_run(tmp_path, 400)
    assert finished_parts(tmp_path) == 400
