"""Files written piece by piece: whole or absent, whatever stops them."""

import errno
import hashlib
import os
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from file_faults import Death, DiesAt, FailsAt, LosesPowerAt, Recorder, intercepted

from vecdecay.errors import OutputError
from vecdecay.store import streaming
from vecdecay.store.streaming import write_streamed

PIECES = [b"first ", b"", b"second " * 30, b"end"]
CONTENT = b"".join(PIECES)


@pytest.fixture(autouse=True)
def _small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Write to the disk after a hundred bytes, so that small files are written in several pieces."""
    monkeypatch.setattr(streaming, "_PIECE_BYTES", 100)


def write(stream: BinaryIO) -> None:
    """Write the pieces, and check that the stream tells how far it is."""
    for piece in PIECES:
        before = stream.tell()
        assert stream.write(piece) == len(piece)
        assert stream.tell() == before + len(piece)


def test_the_receipt_is_that_of_the_file(tmp_path: Path) -> None:
    """Name, size and digest are those of what is on the disk, and nothing else is there."""
    written = write_streamed(tmp_path / "file", write)
    assert (tmp_path / "file").read_bytes() == CONTENT
    assert (written.name, written.bytes) == ("file", len(CONTENT))
    assert written.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert os.listdir(tmp_path) == ["file"]


def test_an_empty_file_can_be_written(tmp_path: Path) -> None:
    """Nothing is content too."""
    assert write_streamed(tmp_path / "file", lambda _: None).sha256 == hashlib.sha256().hexdigest()
    assert (tmp_path / "file").read_bytes() == b""


def test_parquet_can_be_streamed(tmp_path: Path) -> None:
    """PyArrow's writer is content with this stream, and writes the bytes that it writes into memory."""
    table = pa.table({"x": range(1000), "y": [0.5] * 1000})

    def write_both(stream: BinaryIO) -> None:
        with pq.ParquetWriter(stream, table.schema) as writer:
            writer.write_table(table)
            writer.write_table(table)

    write_streamed(tmp_path / "file.parquet", write_both)
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
        write_streamed(tmp_path / "file", fail)
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").read_bytes() == b"older"


@pytest.mark.parametrize("error_number", [errno.ENOSPC, errno.EIO])
def test_an_error_at_any_operation_is_one_line_and_leaves_the_old_file(error_number: int, tmp_path: Path) -> None:
    """A full or failing disk: the path, the reason, no temporary file, and the older file as it was."""
    recorder = Recorder()
    with intercepted(recorder):
        write_streamed(tmp_path / "file", write)
    assert recorder.names.count("write") > 1
    (tmp_path / "file").write_bytes(b"older")
    for n in range(len(recorder.names)):
        with pytest.raises(OutputError) as caught, intercepted(FailsAt(n, error_number)):
            write_streamed(tmp_path / "file", write)
        assert str(caught.value) == f"{tmp_path}/file: cannot be written: {os.strerror(error_number)}"
        assert os.listdir(tmp_path) == ["file"]
        replaced = n > recorder.names.index("replace")
        assert (tmp_path / "file").read_bytes() == (CONTENT if replaced else b"older")
        (tmp_path / "file").write_bytes(b"older")


def test_a_file_that_was_acknowledged_survives_the_loss_of_power(tmp_path: Path) -> None:
    """When the receipt is there, content and name are on the disk."""
    losing = LosesPowerAt(1000)
    with intercepted(losing):
        write_streamed(tmp_path / "file", write)
    losing.lose()
    assert (tmp_path / "file").read_bytes() == CONTENT


def test_death_or_loss_of_power_at_any_operation_leaves_whole_files(tmp_path: Path) -> None:
    """Under its name there is the older file or the newer one, never a part of one."""
    recorder = Recorder()
    with intercepted(recorder):
        write_streamed(tmp_path / "file", write)
    for n in range(len(recorder.names)):
        for dying in (DiesAt(n), LosesPowerAt(n)):
            (tmp_path / "file").write_bytes(b"older")
            with pytest.raises(Death), intercepted(dying):
                write_streamed(tmp_path / "file", write)
            dying.close_all()
            if isinstance(dying, LosesPowerAt):
                dying.lose()
            assert (tmp_path / "file").read_bytes() in (b"older", CONTENT)
