"""The streams: any encoding, closed, full or broken, and never a traceback."""

import os
import subprocess
import sys

import pytest
from house import ROOT

from vecdecay.commands.streams import complain

FULL_DEVICE = "/dev/full"


def run(shell_command: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a shell command in which ``vecdecay`` is this checkout's."""
    program = f"vecdecay() {{ '{sys.executable}' -m vecdecay.cli \"$@\"; }}; "
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | settings
    environment.pop("PYTHONUNBUFFERED", None)  # it would flush where the program must
    result = subprocess.run(
        ["bash", "-c", program + shell_command],
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    assert "Traceback" not in result.stdout + result.stderr
    return result


def test_a_narrow_encoding_gets_the_nearest_characters() -> None:
    """On an ASCII terminal a bar is made of # and an arrow of ->."""
    result = run("vecdecay demo", PYTHONIOENCODING="ascii")
    assert result.returncode == 0
    assert "stability 8.0 -> 16.8 turns" in result.stdout
    assert "#R#R##R" in result.stdout
    assert result.stdout.isascii()


def test_a_reader_that_goes_away_is_no_error() -> None:
    """Nothing on the standard error, and the exit code that a shell gives for SIGPIPE."""
    result = run("vecdecay schema | true; echo ${PIPESTATUS[0]}")
    assert (result.stdout, result.stderr) == ("141\n", "")
    assert run("vecdecay --help | true").stderr == ""


@pytest.mark.skipif(not os.path.exists(FULL_DEVICE), reason="this system has no device that is always full")
def test_a_full_disk_behind_the_output_is_told_in_one_line() -> None:
    """Exit 1, and nothing more from the interpreter's own end."""
    for command in ("list", "--help"):
        result = run(f"vecdecay {command} > {FULL_DEVICE}")
        assert (result.returncode, result.stderr) == (1, "vecdecay: the output: No space left on device\n")


CARELESS = """vecdecay() {{ '{python}' -c "
import vecdecay.commands.listing as listing
from vecdecay.commands.streams import output
from vecdecay.cli import main
listing.list_command = lambda *_: [output().write('x' * 1000) for _ in range({writes})]
main(['list'])
"; }}; """


@pytest.mark.skipif(not os.path.exists(FULL_DEVICE), reason="this system has no device that is always full")
@pytest.mark.parametrize("writes", [1, 1000])
def test_what_a_command_leaves_unwritten_is_no_error_of_the_interpreter(writes: int) -> None:
    """A command that does not flush: the end is told all the same, once, and with the right exit code."""
    careless = CARELESS.format(python=sys.executable, writes=writes)
    full = run(f"{careless} vecdecay > {FULL_DEVICE}")
    assert (full.returncode, full.stderr) == (1, "vecdecay: the output: No space left on device\n")
    gone = run(f"{careless} vecdecay | true; echo ${{PIPESTATUS[0]}}")
    assert (gone.stdout, gone.stderr) == ("141\n", "")


def test_closed_streams_are_no_error() -> None:
    """The exit code stays what it is, whoever listens."""
    assert run("vecdecay list >&-").returncode == 0
    assert run("vecdecay list 2>&-").returncode == 0
    assert run("vecdecay explain nothing 2>&-").returncode == 2
    assert run("vecdecay explain nothing >&- 2>&-").returncode == 2


def test_complaints_bear_the_name_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    """Each line of them: in a pipeline it is not clear otherwise who speaks."""
    complain("one", "two")
    assert capsys.readouterr() == ("", "vecdecay: one\nvecdecay: two\n")
