"""The command itself: help, version, mistakes in what is typed, and how every ending becomes an exit code."""

import os
import resource
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import type_in
from house import ROOT

import vecdecay
from vecdecay import cli
from vecdecay.errors import InvalidInputError, OutputError, VecdecayError

# In the order of the help.
COMMANDS = [
    *(
        "run",
        "demo",
        "help",
        "new",
        "report",
        "results",
        "compare",
        "curve",
        "front",
        "import",
        "list",
        "recommend",
        "replay",
        "sensitivity",
        "show",
        "why",
        "explain",
        "bench",
    ),
    *("schema", "verify", "merge", "sql", "check", "completion"),
]


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    """In the order in which a newcomer wants them; without arguments too. No boxes, and 80 columns."""
    ending = type_in(capsys, "--help")
    assert (ending.code, ending.err) == (0, "")
    listed = [line.split()[0] for line in ending.out.splitlines() if line[:1] == " " and line[1:2].isalpha()]
    assert listed == COMMANDS
    assert max(map(len, ending.out.splitlines())) <= 80
    assert ending.out.isascii()
    assert type_in(capsys).out == type_in(capsys, "-h").out == ending.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0, its usage and every one of its parameters explained."""
    ending = type_in(capsys, command, "--help")
    assert (ending.code, ending.err) == (0, "")
    assert ending.out.startswith(f"Usage: vecdecay {command}")
    options = [line for line in ending.out.splitlines() if line.startswith(" --")]
    assert all(len(line.split()) > 2 for line in options)


def test_a_meaning_is_one_paragraph(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """However it is wrapped in its docstring: on a wide screen each option takes one line."""
    monkeypatch.setenv("COLUMNS", "400")
    for command in COMMANDS:
        _, _, options = type_in(capsys, command, "--help").out.partition("Parameters")
        lines = [line.strip(" *") for line in options.partition("Begin with")[0].splitlines()]
        assert [line for line in lines if line and not line.startswith("--")] == []


def test_defaults_are_in_the_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Of every option that has one, except that a flag is off; what stands for none is said in words."""
    found = []
    for command in COMMANDS:
        text = " ".join(type_in(capsys, command, "--help").out.split())
        for argument in cli.app[command].assemble_argument_collection():
            default = argument.field_info.default
            if isinstance(default, int | str) and not isinstance(default, bool):
                assert f"[default: {default}]" in text, (command, argument.name)
                found.append(argument.name)
    rules = ["--on-miss", "--duplicates", "--registered-again", "--elapsed"]
    numbers = ["--seed", "--items", "--sessions", "--sample", "--sample-seed", "--examples"]
    assert found == ["--seed", "POLICY", *rules, "--policy", "--method", *numbers]
    run = " ".join(type_in(capsys, "run", "--help").out.split())
    assert run.count("if not given") == 5


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_and_options(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The script names all of them; another shell is a mistake."""
    script = type_in(capsys, "completion", shell).out
    assert [command for command in COMMANDS if command not in script] == []
    assert "dry-run" in script
    assert type_in(capsys, "completion", "csh").code == 2


INTERRUPTED_WHILE_LOADING = """
import os, signal, sys
from vecdecay.__main__ import main

class Interrupt:
    def find_spec(self, name, *_):
        if name == "vecdecay.cli":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Interrupt())
main()
"""


def test_an_interrupt_while_modules_are_loaded_is_quiet() -> None:
    """No traceback, and the shell sees that it was interrupted."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_WHILE_LOADING],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


def test_the_version_is_the_package_s(capsys: pytest.CaptureFixture[str]) -> None:
    """One line."""
    ending = type_in(capsys, "--version")
    assert (ending.code, ending.out, ending.err) == (0, f"vecdecay {vecdecay.__version__}\n", "")


def test_the_module_is_the_command() -> None:
    """``python -m vecdecay`` does what ``vecdecay`` does."""
    command = [sys.executable, "-m", "vecdecay", "--version"]
    result = subprocess.run(
        command, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, f"vecdecay {vecdecay.__version__}\n", "")


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (["rnu"], ['Unknown command "rnu"', 'Did you mean "run"?']),
        (["run", "headline", "--sede", "3"], ["--sede", "Did you mean --seeds?"]),
        (["run"], ["SWEEP"]),
        (["run", "headline", "--threads", "two"], ["--threads", "'two' is no integer"]),
        (["run", "headline", "--threads"], ["--threads"]),
        (["run", "headline", "again"], ["unexpected: 'again'"]),
        (["demo", "--seed", "1.5"], ["--seed", "'1.5' is no integer"]),
        (["demo", "--seed", "1e3"], ["--seed", "'1e3' is no integer"]),
        (["demo", "--seed", "1" * 5000], ["--seed", "an integer of 5000 digits; allowed: at most 4300 digits"]),
        (["demo", "--seed", "-" + "1_0" * 2500], ["--seed", "an integer of 5000 digits; allowed: at most 4300 digits"]),
        (["demo", "--seed", "1" * 5000 + ".5"], ["--seed", "is no integer"]),
        (["explain"], ["NAME"]),
        (["list", "policies", "more"], ["unexpected: 'more'"]),
        (["--verbose"], ["--verbose"]),
    ],
)
def test_mistyped_commands_are_one_line(
    arguments: list[str], parts: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, nothing on the standard output, and what was probably meant."""
    ending = type_in(capsys, *arguments)
    assert (ending.code, ending.out) == (2, "")
    (line,) = ending.complaints
    assert [part for part in parts if part not in line] == []


def raising(error: BaseException) -> Callable[..., None]:
    """Return a command that ends with an error."""

    def command(*_: object) -> None:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "complaints"),
    [
        (InvalidInputError(["a is 1", "b is 2"]), 2, ["a is 1", "b is 2"]),
        (OutputError("folder: is full"), 1, ["folder: is full"]),
        (VecdecayError("two\nlines"), 1, ["two lines"]),
        (OSError(28, "No space left on device"), 1, ["the output: No space left on device"]),
        (OSError(13, "Permission denied", "a/b"), 1, ["a/b: Permission denied"]),
        (
            MemoryError(),
            1,
            ["the memory of this machine does not suffice; vecdecay run --dry-run tells what a run takes"],
        ),
        (KeyboardInterrupt(), 130, []),
        (cli.Terminated(), 143, []),
        (BrokenPipeError(), 141, []),
    ],
)
def test_every_error_has_its_exit_code(
    error: BaseException,
    code: int,
    complaints: list[str],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And one line per mistake, or none where the user did it."""
    monkeypatch.setattr("vecdecay.commands.listing.list_command", raising(error))
    ending = type_in(capsys, "list")
    assert (ending.code, ending.out, ending.complaints) == (code, "", complaints)


def test_an_error_of_our_own_is_not_dressed_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A defect shows its traceback: nothing but errors of users and of the system is told in a line."""
    monkeypatch.setattr("vecdecay.commands.listing.list_command", raising(ZeroDivisionError()))
    with pytest.raises(ZeroDivisionError):
        cli.main(["list"])


def test_the_handler_of_sigterm_is_put_back(capsys: pytest.CaptureFixture[str]) -> None:
    """A program that calls ``main`` keeps its own."""
    before = signal.getsignal(signal.SIGTERM)
    type_in(capsys, "--version")
    assert signal.getsignal(signal.SIGTERM) is before


def test_help_is_quick(tmp_path: Path) -> None:
    """Counted in processor time, best of several, so that a busy machine does not matter: 0.15 s measured."""
    command = [sys.executable, "-m", "vecdecay.cli", "--help"]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.6
