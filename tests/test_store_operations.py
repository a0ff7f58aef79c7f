"""The operations on files: what each promises beyond the system call of its name."""

import errno
import os
from pathlib import Path

import pytest

from vecdecay.errors import OutputError
from vecdecay.store.operations import file_operations, printable, reported


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
