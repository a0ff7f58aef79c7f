"""``vecdecay check``: exit 0 where all invariants hold, 1 with an example where one is broken, 2 for a mistake."""

import json
import sys
from pathlib import Path

import pytest
from command_line import type_in

from vecdecay.testing import INVARIANTS

OWN = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Gentle:
    '''A curve.'''
    half_life: float = 10.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return 0.5 ** (age / (self.half_life * recall_count))

@dataclass(frozen=True)
class Inverted(Gentle):
    '''The wrong way round.'''
    unused: float = 1.0

    def retention(self, age, recall_count):
        return 0.5 ** (age * recall_count / self.half_life)

@dataclass(frozen=True)
class Unmade(Gentle):
    '''Cannot be made.'''
    def __post_init__(self):
        raise RuntimeError("not today")
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a folder with policies of one's own the current one."""
    monkeypatch.chdir(tmp_path)
    Path("my_policies.py").write_text(OWN, "utf-8")


def test_a_policy_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    """Every invariant on a line of its own, in at most 80 columns."""
    ending = type_in(capsys, "check", "recency_window", "--examples", "5")
    assert (ending.code, ending.err) == (0, "")
    lines = ending.out.splitlines()
    assert lines[0].startswith("policy recency_window: ")
    assert [line.split()[0] for line in lines if line.startswith("  ") and line[2] != " "] == list(INVARIANTS)
    assert max(map(len, lines)) <= 80
    assert lines[-1] == "12 hold, 5 do not apply; nothing is wrong"


@pytest.mark.usefixtures("own")
def test_policies_of_ones_own(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 0 for a sound one; 1, with the invariants and the examples, for one with faults."""
    assert type_in(capsys, "check", "my_policies.py:Gentle", "--examples", "5").code == 0
    ending = type_in(capsys, "check", "my_policies.py:Inverted", "--examples", "5")
    assert (ending.code, ending.err) == (1, "")
    text = " ".join(ending.out.split())
    assert "a_recall_never_shortens_life BROKEN: the score is" in text
    assert "at recall_count=2, age=1" in text
    assert "every_parameter_changes_some_outcome BROKEN: unused is inert" in text
    assert text.endswith("12 hold, 3 do not apply; 2 invariants violated")
    assert max(map(len, ending.out.splitlines())) <= 80


def test_design_notes_break_nothing_unless_asked_to(capsys: pytest.CaptureFixture[str]) -> None:
    """They stand below the invariants, with numbers, and in the JSON; --strict makes them count."""
    ending = type_in(capsys, "check", "importance_prune", "--examples", "1")
    text = " ".join(ending.out.split())
    assert "design notes, which break no invariant: important_items_never_go an item of importance 0.8 or" in text
    assert text.endswith("2 design notes; nothing is wrong")
    assert max(map(len, ending.out.splitlines())) <= 80
    strict = type_in(capsys, "check", "importance_prune", "--examples", "1", "--strict", "--json")
    assert (ending.code, strict.code) == (0, 1)
    notes = json.loads(strict.out)["design_notes"]
    assert [one["note"] for one in notes] == ["important_items_never_go", "crammed_recalls_count_in_full"]
    assert type_in(capsys, "check", "recency_window", "--examples", "1", "--strict").code == 0


@pytest.mark.usefixtures("own")
@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["ebinghaus"], "did you mean ebbinghaus?"),
        (["nowhere.py:Gentle"], "no file 'nowhere.py'; tried "),
        (["my_policies.py:Gentel"], "did you mean Gentle?"),
        (["my_policies.py:Unmade"], "not today"),
        (["keep_all", "--examples", "0"], "--examples is 0; allowed: 1 to 100000"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 2, naming what and where."""
    ending = type_in(capsys, "check", *arguments)
    assert (ending.code, ending.out) == (2, "")
    (line,) = ending.complaints
    assert complaint in line


def test_without_hypothesis_the_extra_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, exit 1."""
    monkeypatch.setitem(sys.modules, "hypothesis", None)
    ending = type_in(capsys, "check", "keep_all")
    assert (ending.code, ending.out) == (1, "")
    assert ending.complaints == ["vecdecay.testing needs Hypothesis: pip install 'vecdecay[test]'"]
