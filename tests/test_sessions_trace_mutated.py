"""Damaged logs of every format: each is read, or refused in lines; nothing else is raised, and no file changed."""

import random
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.ipc
import pyarrow.parquet as pq
import pytest

import vecdecay as vd
from vecdecay.errors import InvalidInputError

NUMBER = 320
PIECES = (b"", b"\n", b",", b'"', b"\0", b"\xff", b"-", b"9" * 30, b"nan")


def write_log(path: Path) -> None:
    """Write a log with every usual column, in the format of the file's ending."""
    stream = random.Random(7)
    turn = sorted(stream.randrange(1, 90) for _ in range(60))
    columns = {
        "session": [f"s{place // 20}" for place in range(60)],
        "turn": [*turn[:20], *turn[20:40], *turn[40:]],
        "item": [f"file{stream.randrange(9)}" for _ in range(60)],
        "kind": [stream.randrange(3) for _ in range(60)],
        "tokens": [7] * 60,
        "importance": [0.25] * 60,
        "pinned": [False] * 60,
        "grade": [stream.randrange(1, 5) for _ in range(60)],
    }
    table = pa.table(columns)
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    elif path.suffix == ".csv":
        pyarrow.csv.write_csv(table, path)
    elif path.suffix == ".arrow":
        with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
    else:
        rows = table.to_pylist()
        path.write_text("".join(f"{row}\n".replace("'", '"').replace("False", "false") for row in rows), "utf-8")


def mutated(data: bytes, stream: random.Random) -> bytes:
    """Return the bytes with one to four changes: bits, bytes, pieces taken away, doubled, moved, or the end cut off."""
    changed = bytearray(data)
    for _ in range(stream.randrange(1, 4)):
        if not changed:
            break
        place, length = stream.randrange(len(changed)), stream.randrange(1, 24)
        how = stream.randrange(9)
        if how == 0:
            changed[place : place + length] = stream.randbytes(length)
        elif how == 1:
            del changed[place : place + length]
        elif how == 2:
            changed[place:place] = changed[place : place + length]
        elif how == 3:
            changed[place : place + 1] = stream.choice(PIECES)
        elif how == 4:
            del changed[place:]
        else:
            changed[place] ^= 1 << stream.randrange(8)
    return bytes(changed)


def read_or_told(path: Path, skip: bool) -> vd.Trace | list[str]:
    """Return the trace, or the lines that say why there is none."""
    try:
        return vd.Trace.read(path, skip_bad_rows=skip)
    except InvalidInputError as error:
        return list(error.problems)


@pytest.mark.parametrize("number", [NUMBER, pytest.param(5000, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("skip", [False, True])
def test_no_damage_raises_anything_but_lines(number: int, skip: bool, tmp_path: Path) -> None:
    """Read, or refused with the file's name in every line; the file stays as it is."""
    ended: Counter[str] = Counter()
    for suffix in (".parquet", ".csv", ".jsonl", ".arrow"):
        original, path = tmp_path / f"log{suffix}", tmp_path / f"damaged{suffix}"
        write_log(original)
        assert vd.Trace.read(original).num_sessions == 3
        data = original.read_bytes()
        for place in range(number // 8):
            damaged = mutated(data, random.Random(f"{suffix} {skip} {place}"))
            path.write_bytes(damaged)
            found = read_or_told(path, skip)
            ended[f"{suffix} {'read' if isinstance(found, vd.Trace) else 'refused'}"] += 1
            if isinstance(found, vd.Trace):
                assert found.block(range(found.num_sessions)).num_sessions == found.num_sessions >= 1
            else:
                assert found
                assert all(len(line.splitlines()) == 1 for line in found), found
            assert path.read_bytes() == damaged
    assert {one.split()[1] for one in ended} == {"read", "refused"}
    assert {one.split()[0] for one in ended} == {".parquet", ".csv", ".jsonl", ".arrow"}
