"""Code of a person's own: found, run once per content, its local modules part of its digest, complete in a copy."""

import hashlib
import pickle
import sys
from pathlib import Path
from typing import Any

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.own_file import OwnCode, names_a_file, own_object
from vecdecay.policies import TablePolicy
from vecdecay.sweepfile.kinds import find_policy

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
        find_policy(kind if names_a_file(kind) else f"{kind}:", folders)
    (line,) = caught.value.problems
    assert line.isprintable()
    return line


def half_life(kind: str, *folders: Path, sha256: str = "") -> Any:
    """Return the default of the class that a kind names."""
    return own_object(kind, folders, sha256)[0]().half_life


def code_of(kind: str, *folders: Path) -> OwnCode:
    """Return the code of the class that a kind names."""
    return own_object(kind, folders)[1]


def test_a_class_is_found_in_the_folder_first_and_then_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder of the sweep goes before the current one; an absolute path needs neither."""
    there, here = tmp_path / "there", tmp_path / "here"
    there.mkdir()
    here.mkdir()
    written(there, half_life=11.0)
    written(here, half_life=12.0)
    monkeypatch.chdir(here)
    assert half_life("mine.py:Gentle", there) == 11.0
    assert half_life("mine.py:Gentle") == 12.0
    assert half_life(f"{there}/mine.py:Gentle") == 11.0
    assert half_life("../there/mine.py:Gentle") == 11.0


def test_the_class_is_a_policy(tmp_path: Path) -> None:
    """It has its parameters and its name, plays, and comes with its file's digest; the package's own have no code."""
    path = written(tmp_path, half_life=13.0)
    kind, code = find_policy("mine.py:Gentle", [tmp_path])
    assert issubclass(kind, TablePolicy)
    assert kind.name == "Gentle"
    assert kind.build({"half_life": 3.0}).retention(3, 1) == 0.5
    assert code is not None
    assert code.digest == hashlib.sha256(path.read_bytes()).hexdigest()
    assert find_policy("ebbinghaus")[1] is None


def test_one_content_is_one_class_and_another_content_another(tmp_path: Path) -> None:
    """A file is run once per content, also where it changes within the same instant and comes back."""
    written(tmp_path, half_life=14.0)
    first = own_object("mine.py:Gentle", [tmp_path])[0]
    assert own_object("mine.py:Gentle", [tmp_path])[0] is first
    written(tmp_path, half_life=15.0)
    second = own_object("mine.py:Gentle", [tmp_path])[0]
    assert second is not first
    assert (first().half_life, second().half_life) == (14.0, 15.0)
    written(tmp_path, half_life=14.0)
    assert own_object("mine.py:Gentle", [tmp_path])[0] is first


def test_a_digest_finds_what_was_loaded_before(tmp_path: Path) -> None:
    """As a stored sweep asks for it, from a folder without the file; code of another digest is not taken for it."""
    path = written(tmp_path, name="moved.py", half_life=16.0)
    first, code = own_object("moved.py:Gentle", [tmp_path])
    path.unlink()
    assert own_object("moved.py:Gentle", [tmp_path], code.digest)[0] is first
    with pytest.raises(InvalidInputError, match=r"no file 'moved\.py'"):
        own_object("moved.py:Gentle", [tmp_path], "0" * 64)


NEIGHBOUR = "from lib.halves import HALF_LIFE\n" + GENTLE.format(half_life="HALF_LIFE")


def with_neighbours(folder: Path, value: float) -> None:
    """Write a file that imports a module of a package, which imports a module of its own package and one beside it."""
    folder.mkdir(exist_ok=True)
    (folder / "lib").mkdir(exist_ok=True)
    (folder / "lib" / "__init__.py").write_text("", "utf-8")
    (folder / "lib" / "halves.py").write_text("from .deep import *\nfrom . import deep as d\nimport beside\n", "utf-8")
    (folder / "lib" / "deep.py").write_text("import beside\nHALF_LIFE = beside.HALF_LIFE\n", "utf-8")
    (folder / "beside.py").write_text(f"import math\nimport vecdecay\nHALF_LIFE = {value}\n", "utf-8")
    written(folder, NEIGHBOUR)


def test_every_local_module_that_is_imported_is_part_of_the_code(tmp_path: Path) -> None:
    """Through one another too; Python's own and installed ones are not; an edit changes the digest and the result."""
    with_neighbours(tmp_path, 21.0)
    before = list(sys.path)
    first = code_of("mine.py:Gentle", tmp_path)
    names = ["mine.py", "beside.py", "lib/__init__.py", "lib/deep.py", "lib/halves.py"]
    assert [file.name for file in first.files] == names
    assert half_life("mine.py:Gentle", tmp_path) == 21.0
    with_neighbours(tmp_path, 22.0)  # of the same size, and within the same second
    second = code_of("mine.py:Gentle", tmp_path)
    assert second.digest != first.digest
    assert half_life("mine.py:Gentle", tmp_path) == 22.0
    with_neighbours(tmp_path, 21.0)
    assert code_of("mine.py:Gentle", tmp_path).digest == first.digest
    assert sys.path == before


def test_two_files_may_import_two_modules_of_one_name(tmp_path: Path) -> None:
    """Each gets its own, and a module of that name which is somebody else's stays what it is."""
    import strategies

    for name, value in (("one", 31.0), ("other", 32.0)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "strategies.py").write_text(f"HALF_LIFE = {value}\n", "utf-8")
        written(
            tmp_path / name, "import strategies\n" + GENTLE.format(half_life='getattr(strategies, "HALF_LIFE", 0.0)')
        )
    assert [half_life("mine.py:Gentle", tmp_path / name) for name in ("one", "other", "one")] == [31.0, 32.0, 31.0]
    assert sys.modules["strategies"] is strategies


def test_a_module_on_the_import_path_is_local_where_no_packages_are_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A person's own folder on the path counts, a folder that packages were installed into does not."""
    for folder in ("own", "installed"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{folder}_halves.py").write_text("HALF_LIFE = 41.0\n", "utf-8")
        monkeypatch.syspath_prepend(tmp_path / folder)
    (tmp_path / "installed" / "halves-1.0.dist-info").mkdir()
    (tmp_path / "sweeps").mkdir()
    text = "from own_halves import HALF_LIFE\nfrom installed_halves import HALF_LIFE as OTHER\n"
    written(tmp_path / "sweeps", text + GENTLE.format(half_life="HALF_LIFE"))
    code = code_of("mine.py:Gentle", tmp_path / "sweeps")
    assert [file.name for file in code.files] == ["mine.py", "own_halves.py"]


def test_a_copy_is_as_good_as_the_files(tmp_path: Path) -> None:
    """It is found by its digest, whatever the file holds by then; a copy that was changed is not taken."""
    with_neighbours(tmp_path / "own", 51.0)
    code = code_of("mine.py:Gentle", tmp_path / "own")
    for name, content in code.copies().items():
        (tmp_path / "run" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "run" / name).write_bytes(content)
    with_neighbours(tmp_path / "own", 52.0)
    folders = (tmp_path / "run", tmp_path / "own")
    # Under another spelling, which this process has not met yet.
    assert half_life("../own/mine.py:Gentle", *folders, sha256=code.digest) == 51.0
    (tmp_path / "run" / "sources" / code.digest[:16] / "beside.py").write_text("HALF_LIFE = 53.0", "utf-8")
    assert half_life("../run/../own/mine.py:Gentle", *folders, sha256=code.digest) == 52.0


def test_code_travels(tmp_path: Path) -> None:
    """A pickle holds all files, and runs where none of them is."""
    with_neighbours(tmp_path, 61.0)
    own, code = own_object("mine.py:Gentle", [tmp_path])
    again = pickle.loads(pickle.dumps(code))
    assert again == code
    assert again.object("Gentle") is own
    elsewhere = OwnCode(tuple(file._replace(path=f"/nowhere/{file.name}") for file in code.files))
    assert elsewhere.digest == code.digest
    assert elsewhere.object("Gentle")().half_life == 61.0


def test_types_may_be_written_as_text(tmp_path: Path) -> None:
    """``from __future__ import annotations`` changes nothing."""
    written(tmp_path, "from __future__ import annotations\n" + GENTLE.format(half_life=22.0))
    assert find_policy("mine.py:Gentle", [tmp_path])[0]().values()["half_life"] == 22.0


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
    assert not {name for name in set(sys.modules) - before if name.startswith("vecdecay_own")}


def test_a_missing_class_names_those_that_are_there(tmp_path: Path) -> None:
    """And the nearest of them; imported ones are not the file's own."""
    path = written(tmp_path, GENTLE.format(half_life=23.0) + "\n\nclass Other:\n    pass\n")
    assert refusal("mine.py:Gentel", tmp_path) == (
        f"{path} has no class or function Gentel; it has Gentle, Other; did you mean Gentle?"
    )
    empty = written(tmp_path, "X = 1\n", "empty.py")
    assert refusal("empty.py:X", tmp_path) == f"{empty} has no class or function X; it has none"


def test_a_class_that_is_no_policy_says_why(tmp_path: Path) -> None:
    """With the path in front."""
    path = written(tmp_path, "class Other:\n    pass\n")
    assert refusal("mine.py:Other", tmp_path).startswith(f"{path}: Other is no dataclass; allowed: ")
    path = written(tmp_path, "def score(age):\n    return 1.0\n")
    assert refusal("mine.py:score", tmp_path).startswith(f"{path}: score is no class; allowed: a frozen dataclass with")


@pytest.mark.parametrize("kind", ["mine.py", "mine.py:", ":Gentle", "mine.py:no name", "a:b:"])
def test_a_kind_that_names_no_class(kind: str) -> None:
    """Says how a kind is written."""
    assert names_a_file(kind)
    assert refusal(kind) == f"is {kind!r}; allowed: FILE.py:NAME, such as my_policies.py:Gentle"


def test_folders_and_odd_names_are_no_files(tmp_path: Path) -> None:
    """A folder, a name with a null character: one line."""
    (tmp_path / "folder.py").mkdir()
    assert refusal("folder.py:Gentle", tmp_path).startswith("no file 'folder.py'; tried ")
    assert "mine" in refusal("mine\0.py:Gentle", tmp_path)
