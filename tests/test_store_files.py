"""Files that are either there and whole, or not there, and the operations they are made of."""

import errno
import hashlib
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_faults import Death, DiesAt, FailsAt, LosesPowerAt, Recorder, intercepted

from vecdecay.errors import OutputError
from vecdecay.store import files
from vecdecay.store.files import (
    WrittenFile,
    file_operations,
    prepare_folder,
    printable,
    reported,
    write_file,
)

PIECES = [b"first ", b"", b"second " * 30, b"end"]
CONTENT = b"".join(PIECES)
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
    """Bytes, an Arrow buffer and a function that writes into a sink are equally good."""
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


def test_write_goes_on_until_everything_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The system may take fewer bytes than offered; none is lost or doubled by that."""
    monkeypatch.setattr(os, "write", lambda descriptor, data, write=os.write: write(descriptor, data[:3]))
    descriptor = file_operations.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    file_operations.write(descriptor, b"0123456789")
    file_operations.close(descriptor)
    assert file_operations.read(tmp_path / "file") == b"0123456789"


def test_write_that_gets_nowhere_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that takes no byte and names no error is an error, not an endless loop."""
    monkeypatch.setattr(os, "write", lambda *_: 0)
    descriptor = file_operations.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        file_operations.write(descriptor, b"0")
    file_operations.close(descriptor)


@pytest.mark.parametrize("unknown", [errno.EINVAL, errno.ENOTSUP])
def test_folder_flush_that_the_file_system_does_not_know(
    unknown: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File systems without a flush of folders are usable; any other error of the flush is reported."""
    number = unknown

    def fail(_: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    file_operations.fsync_folder(tmp_path)
    number = errno.EIO
    with pytest.raises(OSError, match=os.strerror(errno.EIO)):
        file_operations.fsync_folder(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_read_refuses_a_pipe_at_once(tmp_path: Path) -> None:
    """A named pipe in place of a file does not hang the program."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="not a regular file"):
        file_operations.read(tmp_path / "pipe")


def test_descriptors_are_not_given_to_child_programs(tmp_path: Path) -> None:
    """A program that is started while a file is open does not keep it (or its lock) open."""
    descriptor = file_operations.open(tmp_path / "file", os.O_WRONLY | os.O_CREAT)
    assert not os.get_inheritable(descriptor)
    file_operations.close(descriptor)


@pytest.mark.parametrize("name", ["two\nlines", "bell\a", "not-utf8-\udcff", "\x1b[31mred"])
def test_printable_keeps_to_one_line(name: str) -> None:
    """A message stays one line of plain text whatever the file is called."""
    assert printable(name).isprintable()
    assert printable(Path("plain/näme 1")) == "plain/näme 1"


def test_reported_gives_path_failure_and_reason() -> None:
    """The one line of a failed operation says which file, what failed, and why; and the cause is kept."""
    with pytest.raises(OutputError) as caught, reported("some/file", "cannot be written"):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    assert str(caught.value) == f"some/file: cannot be written: {os.strerror(errno.ENOSPC)}"
    assert isinstance(caught.value.__cause__, OSError)


def test_reported_leaves_other_errors_alone() -> None:
    """An error that is no file's fault is not called one, and none is reported twice."""
    with pytest.raises(KeyError), reported("some/file", "cannot be written"):
        raise KeyError("part")
    with pytest.raises(OutputError, match=r"^already$"), reported("some/file", "cannot be written"):
        raise OutputError("already")


@pytest.fixture
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write to the disk after a hundred bytes, so that small files are written in several pieces."""
    monkeypatch.setattr(files, "_PIECE_BYTES", 100)


def write_pieces(stream: BinaryIO) -> None:
    """Write the pieces, and check that the sink says how far it is."""
    for piece in PIECES:
        before = stream.tell()
        assert stream.write(piece) == len(piece)
        assert stream.tell() == before + len(piece)


@pytest.mark.usefixtures("_small_pieces")
def test_the_receipt_is_that_of_the_file(tmp_path: Path) -> None:
    """Name, size and digest are those of what is on the disk, and nothing else is there."""
    written = write_file(tmp_path / "file", write_pieces)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert (written.name, written.bytes) == ("file", len(CONTENT))
    assert written.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.usefixtures("_small_pieces")
def test_parquet_is_written_piece_by_piece(tmp_path: Path) -> None:
    """PyArrow's writer is content with this sink, and writes the bytes that it writes into memory."""
    table = pa.table({"x": range(1000), "y": [0.5] * 1000})

    def write_both(stream: BinaryIO) -> None:
        with pq.ParquetWriter(stream, table.schema) as writer:
            writer.write_table(table)
            writer.write_table(table)

    write_file(tmp_path / "file.parquet", write_both)
    memory = pa.BufferOutputStream()
    write_both(memory)
    assert (tmp_path / "file.parquet").read_bytes() == memory.getvalue().to_pybytes()
    assert pq.read_table(tmp_path / "file.parquet").equals(pa.concat_tables([table, table]))


def test_what_the_content_raises_arrives_and_leaves_no_file(tmp_path: Path) -> None:
    """An exception within PyArrow's writer would close a valid, shorter file: here there is none."""
    (tmp_path / "file").write_bytes(b"older")

    def fail(stream: BinaryIO) -> None:
        with pq.ParquetWriter(stream, pa.schema([("x", pa.int64())])) as writer:
            writer.write_table(pa.table({"x": [1]}))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_file(tmp_path / "file", fail)
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"older"


@pytest.mark.usefixtures("_small_pieces")
@pytest.mark.parametrize("error_number", [errno.ENOSPC, errno.EIO])
def test_an_error_at_any_operation_is_one_line_and_leaves_the_old_file(error_number: int, tmp_path: Path) -> None:
    """A full or failing disk: the path, the reason, no temporary file, and the older file as it was."""
    recorder = Recorder()
    with intercepted(recorder):
        write_file(tmp_path / "file", write_pieces)
    assert recorder.names.count("write") > 1
    (tmp_path / "file").write_bytes(b"older")
    for n in range(len(recorder.names)):
        with pytest.raises(OutputError) as caught, intercepted(FailsAt(n, error_number)):
            write_file(tmp_path / "file", write_pieces)
        assert str(caught.value) == f"{tmp_path}/file: cannot be written: {os.strerror(error_number)}"
        assert os.listdir(tmp_path) == ["file"]
        replaced = n > recorder.names.index("replace")
        assert (tmp_path / "file").read_bytes() == (CONTENT if replaced else b"older")
        (tmp_path / "file").write_bytes(b"older")


@pytest.mark.usefixtures("_small_pieces")
def test_a_file_that_was_acknowledged_survives_the_loss_of_power(tmp_path: Path) -> None:
    """When the receipt is there, content and name are on the disk."""
    losing = LosesPowerAt(1000)
    with intercepted(losing):
        write_file(tmp_path / "file", write_pieces)
    losing.lose()
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == CONTENT


@pytest.mark.usefixtures("_small_pieces")
def test_death_or_loss_of_power_at_any_operation_leaves_whole_files(tmp_path: Path) -> None:
    """Under its name there is the older file or the newer one, never a part of one."""
    recorder = Recorder()
    with intercepted(recorder):
        write_file(tmp_path / "file", write_pieces)
    for n in range(len(recorder.names)):
        for dying in (DiesAt(n), LosesPowerAt(n)):
            (tmp_path / "file").write_bytes(b"older")
            with pytest.raises(Death), intercepted(dying):
                write_file(tmp_path / "file", write_pieces)
            dying.close_all()
            if isinstance(dying, LosesPowerAt):
                dying.lose()
            assert (tmp_path / "file").read_bytes() in (b"older", CONTENT)
