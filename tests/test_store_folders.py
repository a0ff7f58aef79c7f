"""Folders of a run: made and proved writable, cleared of what does not belong there, nothing ever deleted."""

import sys
from pathlib import Path
from typing import Any

import pytest
from file_faults import LosesPowerAt, intercepted

from vecdecay.errors import OutputError
from vecdecay.store import files
from vecdecay.store.files import clear_places, file_operations, prepare_folder, remove_leftovers, set_aside, write_file


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_only_own_temporary_files_are_removed(tmp_path: Path) -> None:
    """What a dead run left goes; everything that looks nearly like it, and what is no plain file, stays."""
    seen: list[str] = []

    def look(name: str, operation: Any, arguments: tuple[Any, ...]) -> Any:
        if name == "replace":
            seen.extend(_names(tmp_path))
        return operation(*arguments)

    with intercepted(look):
        write_file(tmp_path / "part", b"content")
    [temporary] = seen
    kept = ["part", "part.tmp", ".part.tmp", temporary[1:], temporary + "x", ".part.1-0123.tmp", ".hidden"]
    for name in [*kept, temporary, ".two\nlines.7-0123456789abcdef.tmp"]:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".folder.7-0123456789abcdef.tmp").mkdir()
    (tmp_path / ".link.7-0123456789abcdef.tmp").symlink_to("part")
    assert remove_leftovers(tmp_path) == sorted([temporary, ".two\nlines.7-0123456789abcdef.tmp"])
    others = [".folder.7-0123456789abcdef.tmp", ".link.7-0123456789abcdef.tmp"]
    assert _names(tmp_path) == sorted(kept + others)
    assert remove_leftovers(tmp_path) == []


def test_missing_folder_has_no_leftovers(tmp_path: Path) -> None:
    """A folder that is still to be made is no error; a file in its place is one."""
    assert remove_leftovers(tmp_path / "missing") == []
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="leftovers cannot be removed"):
        remove_leftovers(tmp_path / "file")


def test_folder_is_made_with_its_parents(tmp_path: Path) -> None:
    """A new output folder is there afterwards, empty; asking again changes nothing."""
    for _ in range(2):
        prepare_folder(tmp_path / "a" / "b" / "c")
        assert _names(tmp_path / "a" / "b" / "c") == []


@pytest.mark.parametrize("folder", ["file", "file/below", "link"])
def test_something_else_in_place_of_the_folder(folder: str, tmp_path: Path) -> None:
    """A file, or a link to nowhere, where the folder should be is named before any work is done."""
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "link").symlink_to("nowhere")
    with pytest.raises(OutputError) as caught:
        prepare_folder(tmp_path / folder)
    place = tmp_path / folder.split("/")[0]
    assert str(caught.value) == f"{place}: there is something else of that name; expected a folder"
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_read_only_folder_is_noticed_by_writing(tmp_path: Path) -> None:
    """Whether a folder can be written to is asked by writing: to root, permission bits tell nothing."""

    def read_only(name: str, operation: Any, arguments: tuple[Any, ...]) -> Any:
        if name == "open":
            raise OSError(30, "Read-only file system")
        return operation(*arguments)

    with pytest.raises(OutputError) as caught, intercepted(read_only):
        prepare_folder(tmp_path)
    assert str(caught.value) == f"{tmp_path}: the output folder cannot be written to: Read-only file system"


def test_a_leftover_that_vanishes_meanwhile_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another run that probes the folder removes its own file between the look and the removal."""
    (tmp_path / f".probe.1-{'0' * 16}.tmp").write_bytes(b"?")
    unlink = file_operations.unlink

    def too_late(path: object) -> None:
        Path(str(path)).unlink()
        unlink(Path(str(path)))

    monkeypatch.setattr(file_operations, "unlink", too_late)
    assert len(remove_leftovers(tmp_path)) == 1
    assert list(tmp_path.iterdir()) == []


def test_what_is_set_aside_keeps_its_content_and_every_older_one(tmp_path: Path) -> None:
    """Nothing is deleted or replaced: each gets the next free number."""
    for number in (1, 2):
        (tmp_path / "file").write_bytes(b"%d" % number)
        assert set_aside(tmp_path / "file", tmp_path / ".file.old") == tmp_path / f".file.old-{number}"
    assert [path.read_bytes() for path in sorted(tmp_path.iterdir())] == [b"1", b"2"]


def test_too_many_old_ones_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no number is free, nothing is renamed."""
    monkeypatch.setattr(files, "_MOST_ASIDE", 2)
    for name in ("file", "old-1"):
        (tmp_path / name).write_bytes(b"")
    with pytest.raises(OutputError, match="file: cannot be moved aside: too many old ones beside it"):
        set_aside(tmp_path / "file", tmp_path / "old")
    assert _names(tmp_path) == ["file", "old-1"]


def test_places_of_files_and_folders_are_cleared(tmp_path: Path) -> None:
    """What is no file, or no folder, where one belongs is set aside; sound places and missing ones are left alone."""
    (tmp_path / "folder" / "inside").mkdir(parents=True)
    (tmp_path / "dangling").symlink_to("nowhere")
    (tmp_path / "parts" / "part-1" / "mine").mkdir(parents=True)
    (tmp_path / "parts" / "part-2").write_bytes(b"sound")
    (tmp_path / "parts" / "part-3").symlink_to("nowhere")
    (tmp_path / "file").write_bytes(b"sound")
    (tmp_path / "blocked").write_bytes(b"mine")
    found = clear_places(tmp_path, ["file", "folder", "dangling", "missing"], ["parts", "blocked", "absent"])
    assert sorted(found) == [
        "blocked: is no folder, set aside",
        "dangling: is no file, set aside",
        "folder: is no file, set aside",
        "parts/part-1: is no file, set aside",
        "parts/part-3: is no file, set aside",
    ]
    assert _names(tmp_path) == [
        ".blocked.unexpected-1",
        ".dangling.unexpected-1",
        ".folder.unexpected-1",
        ".parts-part-1.unexpected-1",
        ".parts-part-3.unexpected-1",
        "file",
        "parts",
    ]
    assert _names(tmp_path / "parts") == ["part-2"]
    assert (tmp_path / ".parts-part-1.unexpected-1" / "mine").is_dir()
    assert clear_places(tmp_path, ["file", "folder", "dangling", "missing"], ["parts", "blocked", "absent"]) == []


@pytest.mark.skipif(sys.platform == "win32", reason="this system deletes no folder that is in use")
def test_a_working_folder_that_was_deleted_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Relative paths lead nowhere then: the line names the folder that was asked for."""
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with pytest.raises(OutputError) as caught:
        prepare_folder("output/run")
    assert str(caught.value) == "output/run: the output folder cannot be made: No such file or directory"


def test_a_new_folder_survives_the_loss_of_power(tmp_path: Path) -> None:
    """When a folder is prepared, its name and those of its new parents are on the disk."""
    losing = LosesPowerAt(1000)
    with intercepted(losing):
        prepare_folder(tmp_path / "output" / "run")
    losing.lose()
    assert (tmp_path / "output" / "run").is_dir()
