"""What a finished run leaves: a manifest that names every file as it is, and is believed only as long as that holds."""

import hashlib
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from file_faults import content_of
from sweep_runs import Here, cut_finely, small_sweep

import vecdecay
from vecdecay.run import finish as module
from vecdecay.run.finish import finish_run, is_finished, listed_parts, write_cells
from vecdecay.run.folder import CELLS_NAME, SWEEP_NAME
from vecdecay.run.parts import parts_of
from vecdecay.run.plan import make_plan
from vecdecay.run.provenance import PROVENANCE_NAME, footer_of
from vecdecay.run.results import cell_results, cells_in_order
from vecdecay.run.sweep import run_sweep
from vecdecay.store.ledger import LEDGER_NAME, Ledger, read_ledger
from vecdecay.store.manifest import MANIFEST_NAME, read_manifest

SPEC = small_sweep(seeds=12, axes=False)
PLAN = make_plan(SPEC)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Path:
    """A folder with a finished run of several parts, and with one share of two."""
    folder = tmp_path_factory.mktemp("finished")
    with pytest.MonkeyPatch.context() as patch:
        cut_finely(patch, plays=8)
        run_sweep(SPEC, folder / "whole", executor=Here(), check=0)
        run_sweep(SPEC, folder / "share", executor=Here(), check=0, shard=(2, 2))
    return folder


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut the sweep as the fixture did."""
    cut_finely(monkeypatch, plays=8)


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """A copy of the whole run, to be changed."""
    return shutil.copytree(finished / "whole", tmp_path / "copy")


def finished_now(folder: Path, shard: tuple[int, int] | None = None) -> bool:
    """Ask whether the folder holds the sweep, finished."""
    ledger = Ledger(folder)
    return is_finished(PLAN, folder, ledger, shard)


def test_the_manifest_lists_every_file_as_it_is(finished: Path) -> None:
    """Name, rows, bytes and SHA-256; not itself, the ledger and the file with the clock."""
    folder = finished / "whole"
    manifest = read_manifest(folder)
    held = content_of(folder)
    listed = {file["file"]: file for file in manifest["files"]}
    assert set(listed) == set(held) - {MANIFEST_NAME, LEDGER_NAME, PROVENANCE_NAME}
    assert len(manifest["files"]) == len(listed) > 6
    for name, file in listed.items():
        assert file["bytes"] == len(held[name])
        assert file["sha256"] == hashlib.sha256(held[name]).hexdigest()
        if name.endswith(".parquet"):
            assert file["rows"] == pq.read_metadata(folder / name).num_rows
    assert sum(file["rows"] for name, file in listed.items() if name.startswith("sessions/")) == 24


def test_the_manifest_says_what_the_run_is(finished: Path) -> None:
    """Version, sweep, detail, sizes, share and failures."""
    manifest = read_manifest(finished / "whole")
    manifest.pop("files")
    assert manifest == {
        "vecdecay": vecdecay.__version__,
        "sweep": "small",
        "sweep_digest": SPEC.digest,
        "detail": "sessions",
        "cells": 2,
        "sessions": 24,
        "shard": None,
        "failed": [],
    }


def test_a_share_has_no_cells_table(finished: Path) -> None:
    """Its manifest says which share it is, and lists its own parts only."""
    manifest = read_manifest(finished / "share")
    assert manifest["shard"] == [2, 2]
    assert not (finished / "share" / CELLS_NAME).exists()
    names = [file["file"] for file in manifest["files"]]
    own = [part.number for part in parts_of(PLAN) if part.number % 2 == 1]
    assert names == [
        SWEEP_NAME,
        *(f"{table}/part-{n:06d}.parquet" for table in ("histograms", "sessions") for n in own),
    ]


def test_finishing_again_gives_the_same_bytes(copy: Path, finished: Path) -> None:
    """Cells table and manifest depend on the parts alone, not on the order in which they were entered."""
    entries = list(read_ledger(copy).entries.values())
    for name in (CELLS_NAME, MANIFEST_NAME, LEDGER_NAME):
        (copy / name).unlink()
    ledger = Ledger(copy)
    ledger.extend(entries[::-1])
    finish_run(PLAN, copy, ledger, None, {})
    for name in (CELLS_NAME, MANIFEST_NAME):
        assert (copy / name).read_bytes() == (finished / "whole" / name).read_bytes()
    assert listed_parts(entries) == listed_parts(entries[::-1])


def test_a_finished_run_is_finished(finished: Path) -> None:
    """As the whole or the share that it is, and as nothing else."""
    assert finished_now(finished / "whole")
    assert finished_now(finished / "share", (2, 2))
    assert not finished_now(finished / "whole", (2, 2))
    assert not finished_now(finished / "share")
    assert not finished_now(finished / "share", (1, 2))


@pytest.mark.parametrize("name", [CELLS_NAME, SWEEP_NAME, MANIFEST_NAME])
def test_a_changed_byte_is_not_finished(name: str, copy: Path) -> None:
    """One bit of one byte; nor where the file is gone."""
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)
    assert not finished_now(copy)
    (copy / name).unlink()
    assert not finished_now(copy)


def test_other_parts_are_not_finished(copy: Path) -> None:
    """A part that the ledger does not name any more, or with another digest."""
    ledger = Ledger(copy)
    last = list(ledger.entries)[-1]
    ledger.discard({last})
    assert not is_finished(PLAN, copy, ledger, None)


def test_another_sweep_or_version_is_not_finished(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A seed more, or the manifest of another version of this program."""
    ledger = Ledger(finished / "whole")
    assert not is_finished(make_plan(small_sweep(seeds=13, axes=False)), finished / "whole", ledger, None)
    monkeypatch.setattr(module, "__version__", "0.0.0")
    assert not is_finished(PLAN, finished / "whole", ledger, None)


def test_failed_cells_are_told_and_not_finished(copy: Path) -> None:
    """They are in the manifest in the order of their numbers; the next run tries them again."""
    ledger = Ledger(copy)
    finish_run(PLAN, copy, ledger, None, {1: "it broke", 0: "so did this"})
    assert read_manifest(copy)["failed"] == [
        {"cell": 0, "error": "so did this"},
        {"cell": 1, "error": "it broke"},
    ]
    assert not is_finished(PLAN, copy, ledger, None)


def test_the_cells_table_is_written_piece_by_piece(finished: Path, tmp_path: Path) -> None:
    """Its rows and receipt are counted, its footer is that of the sweep."""
    pieces = list(cells_in_order(PLAN, cell_results(PLAN, finished / "whole", parts_of(PLAN))))
    path = tmp_path / "cells.parquet"
    written, rows = write_cells(PLAN, path, [*pieces, *pieces])
    assert rows == pq.read_metadata(path).num_rows == 4
    assert (written.bytes, written.sha256) == (len(path.read_bytes()), hashlib.sha256(path.read_bytes()).hexdigest())
    table = pq.read_table(path)
    assert table["cell"].to_pylist() == [0, 1, 0, 1]
    ours = {
        key.decode(): value.decode() for key, value in table.schema.metadata.items() if key.startswith(b"vecdecay.")
    }
    assert ours == footer_of(SPEC)
