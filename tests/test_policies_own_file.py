"""Tests of vecdecay.policies.own_file: classes from a person's own file."""

import hashlib
import sys
from pathlib import Path

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.policies import Ebbinghaus, TablePolicy
from vecdecay.policies.own_file import file_digest, names_a_file, policy_class_in_file

GENTLE = '''
from dataclasses import dataclass


@dataclass(frozen=True)
class Gentle:
    """Halves every half_life turns, later after each recall."""

    half_life: float = {half_life}
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return 0.5 ** (age / (self.half_life * recall_count))
'''


def written(folder: Path, text: str = "", name: str = "mine.py", half_life: float = 10.0) -> Path:
    """Write a file of policies and return its path."""
    path = folder / name
    path.write_text(text or GENTLE.format(half_life=half_life), "utf-8")
    return path


def refusal(kind: str, *folders: Path) -> str:
    """Return the one line with which a kind is refused."""
    with pytest.raises(InvalidInputError) as caught:
        policy_class_in_file(kind, folders)
    (line,) = caught.value.problems
    assert line.isprintable()
    return line


def test_a_class_is_found_in_the_folder_first_and_then_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the sweep goes before the current one; an absolute path needs neither."""
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    written(there, half_life=11.0)
    written(here, half_life=12.0)
    monkeypatch.chdir(here)
    assert policy_class_in_file("mine.py:Gentle", [there])().values()["half_life"] == 11.0
    assert policy_class_in_file("mine.py:Gentle")().values()["half_life"] == 12.0
    assert policy_class_in_file(f"{there}/mine.py:Gentle")().values()["half_life"] == 11.0
    assert policy_class_in_file("../there/mine.py:Gentle")().values()["half_life"] == 11.0


def test_the_class_is_a_policy(tmp_path: Path) -> None:
    """It has its parameters and its name, plays, and knows its file's digest; the package's own classes have none."""
    path = written(tmp_path, half_life=13.0)
    kind = policy_class_in_file("mine.py:Gentle", [tmp_path])
    assert issubclass(kind, TablePolicy)
    assert kind.name == "Gentle"
    assert kind.build({"half_life": 3.0}).retention(3, 1) == 0.5
    assert file_digest(kind) == hashlib.sha256(path.read_bytes()).hexdigest()
    assert file_digest(Ebbinghaus) == ""


def test_one_content_is_one_class_and_another_content_another(tmp_path: Path) -> None:
    """A file is run once per content, also where it changes within the same instant and comes back."""
    written(tmp_path, half_life=14.0)
    first = policy_class_in_file("mine.py:Gentle", [tmp_path])
    assert policy_class_in_file("mine.py:Gentle", [tmp_path]) is first
    written(tmp_path, half_life=15.0)
    second = policy_class_in_file("mine.py:Gentle", [tmp_path])
    assert second is not first
    assert (first().values()["half_life"], second().values()["half_life"]) == (14.0, 15.0)
    written(tmp_path, half_life=14.0)
    assert policy_class_in_file("mine.py:Gentle", [tmp_path]) is first


def test_a_digest_finds_what_was_loaded_before(tmp_path: Path) -> None:
    """As a stored sweep asks for it, from a folder without the file; without a digest the latest content counts."""
    path = written(tmp_path, name="moved.py", half_life=16.0)
    first = policy_class_in_file("moved.py:Gentle", [tmp_path])
    written(tmp_path, name="moved.py", half_life=17.0)
    second = policy_class_in_file("moved.py:Gentle", [tmp_path])
    path.unlink()
    assert policy_class_in_file("moved.py:Gentle", [tmp_path], file_digest(first)) is first
    assert policy_class_in_file("moved.py:Gentle", [tmp_path], "0" * 64) is second


def test_a_file_can_import_its_neighbours(tmp_path: Path) -> None:
    """As it could if it were run, and the search path is left as it was."""
    (tmp_path / "neighbour_of_mine.py").write_text("HALF_LIFE = 21.0\n", "utf-8")
    text = "from neighbour_of_mine import HALF_LIFE\n" + GENTLE.format(half_life="HALF_LIFE")
    written(tmp_path, text)
    before = list(sys.path)
    assert policy_class_in_file("mine.py:Gentle", [tmp_path])().values()["half_life"] == 21.0
    assert sys.path == before
    del sys.modules["neighbour_of_mine"]


def test_types_may_be_written_as_text(tmp_path: Path) -> None:
    """``from __future__ import annotations`` changes nothing."""
    written(tmp_path, "from __future__ import annotations\n" + GENTLE.format(half_life=22.0))
    assert policy_class_in_file("mine.py:Gentle", [tmp_path])().values()["half_life"] == 22.0


def test_a_missing_file_names_every_path_that_was_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the sweep and the current one."""
    monkeypatch.chdir(tmp_path)
    line = refusal("none_such.py:Gentle", tmp_path / "sweeps")
    assert line == f"no file 'none_such.py'; tried {tmp_path}/sweeps/none_such.py and {tmp_path}/none_such.py"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("def broken(:\n", "SyntaxError: invalid syntax (mine.py, line 1)"),
        ("import none_such_module\n", "ModuleNotFoundError: No module named 'none_such_module'"),
        ("1 / 0\n", "ZeroDivisionError: division by zero"),
        ("raise SystemExit(3)\n", "SystemExit: 3"),
        ("raise ValueError('two\\nlines')\n", "ValueError: two lines"),
        ("x = '\\ud800'\nopen('/none/such/file')\n", "FileNotFoundError: "),
    ],
)
def test_a_file_that_cannot_be_imported_says_what_happened(tmp_path: Path, text: str, reason: str) -> None:
    """The path, and the exception on one line; nothing of it stays behind."""
    path = written(tmp_path, text)
    before = set(sys.modules)
    line = refusal("mine.py:Gentle", tmp_path)
    assert line.startswith(f"{path} cannot be imported: {reason.split(' (')[0]}")
    assert not {name for name in set(sys.modules) - before if name.startswith("vecdecay_policies")}


def test_a_missing_class_names_those_that_are_there(tmp_path: Path) -> None:
    """And the nearest of them; imported classes are not the file's own."""
    path = written(tmp_path, GENTLE.format(half_life=23.0) + "\n\nclass Other:\n    pass\n")
    assert refusal("mine.py:Gentel", tmp_path) == (
        f"{path} has no class Gentel; it has Gentle, Other; did you mean Gentle?"
    )
    assert refusal("mine.py:dataclass", tmp_path).startswith(f"{path} has no class dataclass; it has Gentle, Other")
    empty = written(tmp_path, "X = 1\n", "empty.py")
    assert refusal("empty.py:X", tmp_path) == f"{empty} has no class X; it has no class"


def test_a_class_that_is_no_policy_says_why(tmp_path: Path) -> None:
    """With the path in front."""
    path = written(tmp_path, "class Other:\n    pass\n")
    assert refusal("mine.py:Other", tmp_path).startswith(f"{path}: Other is no dataclass; allowed: ")


@pytest.mark.parametrize("kind", ["mine.py", "mine.py:", ":Gentle", "mine.py:no name", "a:b:"])
def test_a_kind_that_names_no_class(kind: str) -> None:
    """Says how a kind is written."""
    assert names_a_file(kind)
    assert refusal(kind) == f"is {kind!r}; allowed: FILE.py:CLASS, such as my_policies.py:Gentle"


def test_folders_and_odd_names_are_no_files(tmp_path: Path) -> None:
    """A folder, a name with a null character: one line."""
    (tmp_path / "folder.py").mkdir()
    assert refusal("folder.py:Gentle", tmp_path).startswith("no file 'folder.py'; tried ")
    assert "mine" in refusal("mine\0.py:Gentle", tmp_path)
