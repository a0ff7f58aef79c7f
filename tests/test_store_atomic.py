"""Files that are either there and whole, or not there."""

import hashlib
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_faults import Recorder, intercepted

from vecdecay.errors import OutputError
from vecdecay.store.atomic import WrittenFile, prepare_folder, remove_leftovers, write_file
from vecdecay.store.operations import file_operations

TABLE = pa.table({"seed": pa.array(range(1000), pa.int64())})


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("content", [b"", b"x", bytes(range(256)) * 1000])
def test_receipt_describes_the_file(content: bytes, tmp_path: Path) -> None:
    """The receipt's size and digest are those of the file that is there, which is alone in the folder."""
    written = write_file(tmp_path / "part", content)
    assert (tmp_path / "part").read_bytes() == content
    assert written == WrittenFile("part", len(content), hashlib.sha256(content).hexdigest())
    assert _names(tmp_path) == ["part"]


def test_all_ways_to_give_the_content_give_the_same_file(tmp_path: Path) -> None:
    """Bytes, an Arrow buffer and a function that writes into a stream are equally good."""
    sink = pa.BufferOutputStream()
    pq.write_table(TABLE, sink)
    buffer = sink.getvalue()
    contents = [buffer, buffer.to_pybytes(), bytearray(buffer), lambda stream: pq.write_table(TABLE, stream)]
    digests = {write_file(tmp_path / f"{number}", content).sha256 for number, content in enumerate(contents)}
    assert len(digests) == 1
    assert pq.read_table(tmp_path / "3").equals(TABLE)


def test_older_file_is_replaced(tmp_path: Path) -> None:
    """Writing again replaces the file whole; a longer older one leaves no rest behind."""
    write_file(tmp_path / "part", b"a long older content")
    write_file(tmp_path / "part", b"new")
    assert (tmp_path / "part").read_bytes() == b"new"


def test_exception_inside_a_parquet_writer_writes_nothing(tmp_path: Path) -> None:
    """PyArrow closes a valid shorter file when an exception leaves its writer; it must not become a part."""
    shorter: list[bytes] = []

    def write(stream: BinaryIO) -> None:
        try:
            with pq.ParquetWriter(stream, TABLE.schema) as writer:
                writer.write_table(TABLE.slice(0, 10))
                raise KeyError("the second half cannot be computed")
        finally:
            shorter.append(stream.getvalue())  # type: ignore[attr-defined]

    recorder = Recorder()
    with pytest.raises(KeyError), intercepted(recorder):
        write_file(tmp_path / "part", write)
    assert pq.read_table(pa.BufferReader(shorter[0])).num_rows == 10
    assert recorder.names == []
    assert _names(tmp_path) == []


def test_order_of_the_steps(tmp_path: Path) -> None:
    """Content is flushed before the name is given, and the folder afterwards: so it survives a crash."""
    recorder = Recorder()
    with intercepted(recorder):
        write_file(tmp_path / "part", b"content")
    assert recorder.names == ["open", "write", "fsync", "close", "replace", "fsync_folder"]


@pytest.mark.parametrize("interrupted", ["open", "write", "fsync", "close", "replace", "fsync_folder"])
def test_interruption_passes_and_leaves_no_temporary_file(interrupted: str, tmp_path: Path) -> None:
    """Control-C at any step arrives as itself, and leaves a whole file or none, temporary ones included."""

    def interrupt(name: str, operation: Any, arguments: tuple[Any, ...]) -> Any:
        result = operation(*arguments)
        if name == interrupted:
            raise KeyboardInterrupt
        return result

    with pytest.raises(KeyboardInterrupt), intercepted(interrupt):
        write_file(tmp_path / "part", b"content")
    assert _names(tmp_path) in ([], ["part"])
    for path in tmp_path.iterdir():
        assert path.read_bytes() == b"content"


@pytest.mark.skipif(os.name != "posix", reason="this system has no umask")
@pytest.mark.parametrize("umask", [0o000, 0o022, 0o027, 0o077])
def test_permissions_are_those_of_any_file(umask: int, tmp_path: Path) -> None:
    """Results can be read by whom the user lets read: permissions follow the umask, as for any new file."""
    before = os.umask(umask)
    try:
        write_file(tmp_path / "part", b"content")
        prepare_folder(tmp_path / "made")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "part").stat().st_mode) == 0o666 & ~umask
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o777 & ~umask


@pytest.mark.parametrize(
    "target",
    ["missing/part", "folder", "file/part", "x" * 300, "zero\0byte", "two\nlines/part"],
)
def test_impossible_names_are_one_line(target: str, tmp_path: Path) -> None:
    """Whatever is wrong with the name, the error is one line that begins with it, and nothing is left."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError) as caught:
        write_file(tmp_path / target, b"content")
    assert str(tmp_path) in str(caught.value)
    assert str(caught.value).isprintable()
    assert _names(tmp_path) == ["file", "folder"]
    assert _names(tmp_path / "folder") == []


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
