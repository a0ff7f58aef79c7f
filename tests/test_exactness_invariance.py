"""What must not matter does not: threads, block sizes, the order of the seeds, the engine, the compiler."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from comparing import COMPILED

import vecdecay as vd
from vecdecay.run import blocks
from vecdecay.run.recompute import plain

NUM_SEEDS = 100 if COMPILED else 12
SESSIONS = vd.PublishedSessions(session_length=70, noise_per_turn=2)
POLICIES = [
    vd.Ebbinghaus(eviction_threshold=0.66),
    vd.Ebbinghaus(baseline_stability=2.0),
    vd.RecencyWindow(31),
    vd.KeepAll(),
]
CHECKPOINTS = [1, 30, 70, 71]
TABLES = {"cells": ("cells",), "sessions": ("cells", "sessions"), "items": ("items",), "turns": ("turns",)}


def without_engine(table: pa.Table) -> pa.Table:
    """Return a table without the column that names the engine."""
    return table.drop_columns(["engine"]) if "engine" in table.column_names else table


def digest(table: pa.Table) -> str:
    """Return the SHA-256 of a table's Arrow stream; how the rows are split into batches does not enter."""
    sink = pa.BufferOutputStream()
    whole = without_engine(table).combine_chunks()
    with pa.ipc.new_stream(sink, whole.schema) as writer:
        writer.write_table(whole)
    return hashlib.sha256(sink.getvalue()).hexdigest()


def digests(detail: str, seeds: object = None, **arguments: object) -> list[str]:
    """Return the digest of every table that a detail keeps."""
    seeds = range(NUM_SEEDS) if seeds is None else seeds
    result = vd.simulate(SESSIONS, POLICIES, seeds, detail=detail, checkpoints=CHECKPOINTS, **arguments)
    return [digest(getattr(result, name)) for name in TABLES[detail]]


@pytest.mark.parametrize("detail", TABLES)
@pytest.mark.parametrize("engine", ["auto", "lockstep"])
def test_threads_do_not_matter(monkeypatch: pytest.MonkeyPatch, detail: str, engine: str) -> None:
    """1, 2 and 4 threads give the same bytes, with enough blocks for each of them to have work."""
    monkeypatch.setattr(blocks, "BLOCK_MULTIPLE", 17)
    monkeypatch.setattr(blocks, "LOCKSTEP_BLOCK", 13)
    one, two, four = (digests(detail, engine=engine, threads=threads) for threads in (1, 2, 4))
    assert one == two == four


@pytest.mark.parametrize("detail", TABLES)
def test_block_sizes_do_not_matter(monkeypatch: pytest.MonkeyPatch, detail: str) -> None:
    """Blocks of 1, 7, 64, 4096 and all sessions give the same bytes under every engine, and so do the engines."""
    seen = set()
    for size in (1, 7, 64, 4096, NUM_SEEDS):
        monkeypatch.setattr(blocks, "BLOCK_MULTIPLE", size)
        monkeypatch.setattr(blocks, "LOCKSTEP_BLOCK", size)
        for engine in ("horizon", "lockstep"):
            seen.add(tuple(digests(detail, engine=engine, threads=1)))
    assert len(seen) == 1


def test_the_reference_gives_the_same_bytes() -> None:
    """A whole result of the scalar engine equals that of the kernels, table by table."""
    for detail in TABLES:
        seeds = range(25 if COMPILED else 5)
        assert digests(detail, seeds, engine="reference") == digests(detail, seeds, engine="auto")


@pytest.mark.parametrize("detail", ["sessions", "items", "turns"])
def test_the_order_of_the_seeds_does_not_matter(detail: str) -> None:
    """Shuffled seeds give the same rows, permuted; the summaries over them are the same bytes."""
    seeds = list(range(NUM_SEEDS))
    shuffled = random.Random(5).sample(seeds, NUM_SEEDS)
    results = [
        vd.simulate(SESSIONS, POLICIES, order, detail=detail, checkpoints=CHECKPOINTS) for order in (seeds, shuffled)
    ]
    assert digest(results[0].cells) == digest(results[1].cells)
    order = [("cell", "ascending"), ("seed", "ascending")]
    order += {"items": [("item", "ascending")], "turns": [("turn", "ascending")]}.get(detail, [])
    straight, permuted = (getattr(result, detail) for result in results)
    assert straight["seed"].to_pylist() != permuted["seed"].to_pylist()
    assert digest(plain(permuted.sort_by(order))) == digest(plain(straight))


def test_the_kind_of_the_seeds_does_not_matter() -> None:
    """A range, a list and arrays of the same seeds give the same bytes."""
    wanted = digests("sessions", range(3, 3 + NUM_SEEDS))
    kinds = (list, lambda seeds: np.array(seeds, dtype=np.uint16), lambda seeds: np.array(seeds, dtype=np.int64))
    for kind in kinds:
        assert digests("sessions", kind(range(3, 3 + NUM_SEEDS))) == wanted


def test_other_cells_do_not_matter() -> None:
    """A policy's rows are the same alone and among others, whatever their order."""
    together = vd.simulate(SESSIONS, POLICIES, range(NUM_SEEDS), detail="turns")
    for cell, policy in enumerate(POLICIES):
        alone = vd.simulate(SESSIONS, policy, range(NUM_SEEDS), detail="turns").turns
        rows = together.turns.filter(pa.compute.field("cell") == cell)
        assert rows.drop_columns(["cell"]).combine_chunks() == alone.drop_columns(["cell"]).combine_chunks()


PROGRAM = """
import sys
sys.path[:0] = sys.argv[1:]
import test_exactness_invariance as here
for engine in ("horizon", "lockstep"):
    print([here.digests(detail, range(3), engine=engine, threads=2) for detail in here.TABLES])
"""


def test_the_compiler_does_not_matter() -> None:
    """Without the JIT, the same kernels run as plain Python and give the same bytes."""
    folders = [str(Path(vd.__file__).parent.parent), str(Path(__file__).parent)]
    outputs = []
    for disabled in ("1", "0"):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONWARNINGS": "error"}
        command = [sys.executable, "-c", PROGRAM, *folders]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]
    assert len(outputs[0]) > 300
