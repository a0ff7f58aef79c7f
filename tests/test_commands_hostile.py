"""Policies of one's own that do what no policy should: a line for each command, no traceback, and JSON that is JSON."""

import json
from pathlib import Path

import pytest
from command_line import type_in

POLICY = """
import sys
from dataclasses import dataclass

@dataclass(frozen=True)
class Hostile:
    '''A policy that misbehaves.'''
    half_life: float = 10.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        {deed}
        return 0.5 ** (age / self.half_life)
"""
SWEEP = """
schema = 1
sweep = { name = "hostile", seeds = 3, detail = "cells" }
workload = { kind = "published_sessions" }
policy = [{ kind = "hostile.py:Hostile" }, { kind = "ebbinghaus" }]
"""
FAILING = [
    "raise RuntimeError('x')",
    "return None",
    "return 1j",
    "return self.retention(age, recall_count)",
    "sys.exit(0)",
    "raise type('Odd', (BaseException,), {})('x')",
    "raise type('Odd', (Exception,), {'__str__': lambda self: 1 / 0})()",
    "return 10**400",
    "return __import__('numpy').array([0.5, 0.1])",
]
ODD = ["print('hello')", "sys.stdout.close()", "sys.stdout = None"]


def lay_out(deed: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder with the policy and a sweep the current one."""
    monkeypatch.chdir(folder)
    Path("hostile.py").write_text(POLICY.format(deed=deed))
    Path("hostile.toml").write_text(SWEEP)


@pytest.mark.parametrize("deed", FAILING)
def test_a_policy_that_fails_is_one_line(
    deed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its cell fails and is told, the other is played; leaving the program is a failure too."""
    lay_out(deed, tmp_path, monkeypatch)
    ran = type_in(capsys, "run", "hostile.toml", "--json", "--quiet")
    assert ran.code == 1
    assert [cell["policy"] for cell in json.loads(ran.out)["cells"]] == ["ebbinghaus"]
    lines = ran.err.splitlines()
    assert lines[0] == "vecdecay: 1 cell of 2 failed, the others are complete:"
    assert lines[1].startswith("vecdecay: cell 0 (Hostile): InvalidInputError: Hostile.retention(age=1, recall_count=")
    assert len(lines) == 2
    for command in (
        ("explain", "hostile.py:Hostile"),
        ("show", "published_sessions", "--policy", "hostile.py:Hostile"),
        ("why", "published_sessions", "--session", "1", "--item", "0", "--policy", "hostile.py:Hostile"),
        ("curve", "published_sessions", "hostile.py:Hostile", "--seeds", "2"),
        ("compare", "published_sessions", "hostile.py:Hostile", "keep_all", "--at", "30 items", "--seeds", "2"),
        ("front", "published_sessions", "hostile.py:Hostile", "--seeds", "2"),
        ("replay", "sample", "--policy", "hostile.py:Hostile"),
    ):
        told = type_in(capsys, *command)
        assert told.code == 2
        assert told.err.startswith("vecdecay: Hostile.retention(")
    checked = type_in(capsys, "check", "hostile.py:Hostile", "--examples", "2", "--json")
    assert (checked.code, json.loads(checked.out)["sound"], checked.err) == (1, False, "")


@pytest.mark.parametrize("deed", ODD)
def test_a_policy_that_plays_with_the_output_does_not_reach_it(
    deed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it prints goes to the standard error; what it closes or replaces is not the output of the program."""
    lay_out(deed, tmp_path, monkeypatch)
    ran = type_in(capsys, "run", "hostile.toml", "--json", "--quiet")
    assert (ran.code, ran.out[:1]) == (0, "{")
    assert [cell["policy"] for cell in json.loads(ran.out)["cells"]] == ["Hostile", "ebbinghaus"]
    assert set(ran.err.splitlines()) <= {"hello"}
    explained = type_in(capsys, "explain", "hostile.py:Hostile")
    assert explained.code == 0
    assert explained.out.startswith("policy Hostile: ")


LEAVING = """
import sys
from dataclasses import dataclass

def leave(seed):
    sys.exit(0)

@dataclass(frozen=True)
class Unmade:
    '''Cannot be made.'''
    eviction_threshold: float = 0.2
    def __post_init__(self):
        sys.exit(0)
    def retention(self, age, recall_count):
        return 1.0

@dataclass(frozen=True)
class NoThreshold:
    '''Has a threshold that leaves the program.'''
    half_life: float = 1.0
    @property
    def eviction_threshold(self):
        sys.exit(0)
    def retention(self, age, recall_count):
        return 1.0
"""


@pytest.mark.parametrize(
    "command",
    [
        ("show", "hostile.py:leave"),
        ("check", "hostile.py:Unmade"),
        ("explain", "hostile.py:NoThreshold"),
        ("run", "hostile.toml", "--dry-run"),
        ("run", "hostile.toml", "--quiet"),
    ],
    ids=" ".join,
)
def test_leaving_the_program_is_a_failure_everywhere(
    command: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a workload, while a policy is made, where its threshold is read: a mistake that is told, not a success."""
    monkeypatch.chdir(tmp_path)
    Path("hostile.py").write_text(LEAVING)
    Path("hostile.toml").write_text(
        SWEEP.replace("published_sessions", "hostile.py:leave").replace(":Hostile", ":Unmade")
    )
    ending = type_in(capsys, *command)
    assert ending.code == 2
    assert "raised SystemExit: 0" in ending.err
