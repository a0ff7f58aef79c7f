"""Tests of vecdecay.commands.endings: nothing keeps a command from ending, and what does not return is named."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from effort import PATIENCE, end_by, needs_proc, wait_until
from sweep_runs import ENVIRONMENT

# Compiled code that runs for hours, holds no lock of the interpreter and asks for no signal.
FOR_HOURS = 'open("begun", "w"); hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)'

IN_COMPILED_CODE = f"""
import hashlib
from vecdecay.commands.endings import terminable
with terminable():
    {FOR_HOURS}
"""

IN_A_THREAD = """
from vecdecay.cli import main
main(["run", "endless.toml", "--output", "run", "--quiet"])
"""

POLICY = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Endless:
    '''Never answers.'''
    eviction_threshold: float = 0.2
    def retention(self, age, recall_count):
        open("begun", "w")
        while age > 3:
            pass
        return 1.0
"""

SWEEP = """
schema = 1
sweep = { name = "endless", seeds = 10 }
workload = { kind = "published_sessions" }
policy = [{ kind = "endless.py:Endless" }]
"""

CHECKED = """
from vecdecay.commands import endings
endings.STUCK_SECONDS = 1
from vecdecay.cli import main
main(["check", "endless.py:Endless", "--json"])
"""

STUCK_WHEN_COMPILED = f"""
import hashlib
from vecdecay.commands import endings
endings.STUCK_SECONDS = 1
with endings.each_call_returns():
    exec(compile('''{FOR_HOURS}''', "engines/player.py", "exec"))
"""


RUN_FOR_LONG = """
from vecdecay.commands import endings
endings.STUCK_SECONDS = 1
from vecdecay.cli import main
main(["run", "endless.toml", "--output", "run", "--quiet"])
"""


def begun(code: str, folder: Path) -> subprocess.Popen[str]:
    """Return a process that runs the code in a folder that has an endless policy."""
    (folder / "endless.py").write_text(POLICY)
    (folder / "endless.toml").write_text(SWEEP)
    return subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=folder,
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@needs_proc
@pytest.mark.parametrize(
    ("code", "told"),
    [
        pytest.param(IN_COMPILED_CODE, "vecdecay: interrupted\n", id="in compiled code"),
        pytest.param(
            IN_A_THREAD,
            "vecdecay: interrupted in Endless.retention (line 8); finished parts are kept in run, the same "
            "command resumes it\n",
            id="in a thread",
        ),
    ],
)
def test_what_never_returns_does_not_outlive_a_signal(code: str, told: str, tmp_path: Path) -> None:
    """Neither compiled code in the main thread nor a person's function in another keeps the process from ending."""
    process = begun(code, tmp_path)
    try:
        wait_until((tmp_path / "begun").exists, process)
        err, spent = end_by(signal.SIGTERM, process)
    finally:
        process.kill()
    assert (process.returncode, err) == (143, told)
    assert spent < 4  # two seconds on two processors


SIMULATED = """
import os, signal, threading, time
import vecdecay as vd
from vecdecay.sweepfile.kinds import find_policy

def interrupt():
    while not os.path.exists("begun"):
        time.sleep(0.05)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    vd.simulate(vd.PublishedSessions(), find_policy("endless.py:Endless")[0](), seeds=range(10), threads=THREADS)
except KeyboardInterrupt:
    print("back", flush=True)
    os._exit(0)
"""


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_comes_back_from_simulate(threads: int, tmp_path: Path) -> None:
    """The function goes on in its own thread; who asked for the simulation is not kept."""
    out, err = begun(SIMULATED.replace("THREADS", str(threads)), tmp_path).communicate(timeout=PATIENCE)
    assert (out, err) == ("back\n", "")


@pytest.mark.parametrize(
    ("code", "named"),
    [
        pytest.param(CHECKED, "Endless.retention (line 8)", id="plain"),
        pytest.param(STUCK_WHEN_COMPILED, "a compiled function of the policy", id="compiled"),
    ],
)
def test_check_names_what_does_not_return(code: str, named: str, tmp_path: Path) -> None:
    """One line and exit code 1, after a time that is stated."""
    out, err = begun(code, tmp_path).communicate(timeout=PATIENCE)
    assert (out, err) == ("", f"vecdecay: {named} has not returned after 1 seconds\n")


def test_run_names_what_does_not_return(tmp_path: Path) -> None:
    """Once, after a time that is stated; the run goes on until it is ended, and then it is named again."""
    process = begun(RUN_FOR_LONG, tmp_path)
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        rest = process.communicate(timeout=PATIENCE)[1]
    finally:
        process.kill()
    named = "Endless.retention (line 8)"
    assert first == f"vecdecay: {named} has not returned after 1 seconds; the command continues, Ctrl-C ends it\n"
    assert rest.startswith(f"vecdecay: interrupted in {named}; ")
    assert process.returncode == 130
