"""Damage of a finished run: whatever bit, length or file is not as it was, ``verify`` and the next run find it."""

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from sweep_runs import Here, cut_finely, results_of, small_sweep

from vecdecay.errors import OutputError
from vecdecay.run.folder import CELLS_NAME, SWEEP_NAME
from vecdecay.run.open_run import Run
from vecdecay.run.provenance import PROVENANCE_NAME
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import verify_run
from vecdecay.store.ledger import LEDGER_NAME, LedgerEntry, read_ledger
from vecdecay.store.manifest import MANIFEST_NAME, read_document
from vecdecay.store.verification import check_part

SPEC = small_sweep("sessions", seeds=6)
FLIPS = 10_000
PARTS = 12


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> object:
    """A finished run of twelve parts, which the tests of this file copy."""
    with pytest.MonkeyPatch.context() as patch:
        cut_finely(patch, plays=6)
        folder = tmp_path_factory.mktemp("finished")
        run_sweep(SPEC, folder, executor=Here(), check=0)
        assert verify_run(folder, everything=True).problems == []
        assert len(read_ledger(folder).entries) == 2 * PARTS
        yield folder


@pytest.fixture
def copy(finished: Path, tmp_path: Path) -> Path:
    """A copy of the finished run, to be damaged."""
    return shutil.copytree(finished, tmp_path / "copy")


def entries(folder: Path) -> list[LedgerEntry]:
    """Return what the ledger names."""
    return list(read_ledger(folder).entries.values())


def run_again(folder: Path) -> Run:
    """Give the same command again."""
    return run_sweep(SPEC, folder, executor=Here(), check=0)


def is_found_and_repaired(folder: Path, finished: Path, word: str) -> None:
    """``verify`` names the damage, the next run names and repairs it, and then ``verify`` is content."""
    assert any(word in problem for problem in verify_run(folder, sample=5).problems)
    report = run_again(folder)
    assert any(word in problem for problem in report.repaired), report.repaired
    assert not report.already_complete or "unexpected" in word
    assert {name: data for name, data in results_of(folder).items() if not name.startswith(".")} == results_of(finished)
    assert verify_run(folder, sample=5).problems == []
    assert run_again(folder).already_complete


def flip(path: Path, bit: int) -> None:
    """Change one bit of a file in its place."""
    descriptor = os.open(path, os.O_RDWR)
    byte = os.pread(descriptor, 1, bit // 8)[0]
    os.pwrite(descriptor, bytes([byte ^ 1 << bit % 8]), bit // 8)
    os.close(descriptor)


def test_every_truncation_length_of_a_part_is_found(copy: Path) -> None:
    """A part that ends anywhere before its end is no part: every length, by the test that both sides use."""
    entry = entries(copy)[0]
    path = copy / entry.file
    for length in reversed(range(entry.bytes)):
        os.truncate(path, length)
        assert check_part(copy, entry) == f"{entry.file}: has {length} bytes; expected {entry.bytes}"


@pytest.mark.parametrize("length", [0, 3, 1000])
def test_a_truncated_part_is_made_again(length: int, copy: Path, finished: Path) -> None:
    """``verify`` and the next run see a part that is too short."""
    file = entries(copy)[4].file
    os.truncate(copy / file, length)
    is_found_and_repaired(copy, finished, f"{file}: has {length} bytes")


def test_ten_thousand_flipped_bits_of_parts_are_found(copy: Path) -> None:
    """Any one bit, in any part: the digest differs."""
    stream = random.Random(3)
    listed = entries(copy)
    for _ in range(FLIPS):
        entry = stream.choice(listed)
        bit = stream.randrange(8 * entry.bytes)
        flip(copy / entry.file, bit)
        assert check_part(copy, entry) == f"{entry.file}: its content was changed (SHA-256 differs)"
        flip(copy / entry.file, bit)
    assert all(check_part(copy, entry) is None for entry in listed)


@pytest.mark.parametrize("place", range(0, 2 * PARTS, 7))
def test_a_part_with_a_flipped_bit_is_made_again(place: int, copy: Path, finished: Path) -> None:
    """``verify`` and the next run see it, and the next run makes that part as it was."""
    entry = entries(copy)[place]
    flip(copy / entry.file, 8 * (entry.bytes // 2) + place % 8)
    is_found_and_repaired(copy, finished, f"{entry.file}: its content was changed")


@pytest.mark.parametrize("name", ["cells.parquet", "sweep.toml"])
def test_every_other_file_is_guarded_too(name: str, copy: Path, finished: Path) -> None:
    """The cells table is made again, and the resolved sweep is written again, where a bit of them is another."""
    text = (copy / name).read_bytes()
    bit = 8 * (text.index(b"small") + 2) if name == "sweep.toml" else 8 * 1000
    flip(copy / name, bit)
    assert verify_run(copy, sample=5).problems
    run_again(copy)
    assert results_of(copy) == results_of(finished)
    (copy / name).unlink()
    assert verify_run(copy, sample=5).problems
    run_again(copy)
    assert results_of(copy) == results_of(finished)


def read_damaged(folder: Path, name: str) -> None:
    """Read the ledger, the manifest or the provenance, as ``verify`` and the next run do."""
    if name != LEDGER_NAME:
        read_document(folder / name)
    else:
        content = read_ledger(folder)
        if content.torn_bytes or len(content.entries) < 2 * PARTS:
            raise OutputError("is damaged: the last line is not whole")


@pytest.mark.parametrize("name", [LEDGER_NAME, MANIFEST_NAME, PROVENANCE_NAME])
def test_every_bit_of_ledger_and_manifest_is_guarded(name: str, copy: Path) -> None:
    """Not one bit of either can change unseen; every eleventh here, which by and by is each bit of a byte."""
    check_bits(copy, name, range(0, 8 * (copy / name).stat().st_size, 11))


@pytest.mark.torture
@pytest.mark.parametrize("name", [LEDGER_NAME, MANIFEST_NAME])
def test_every_single_bit_of_ledger_and_manifest_is_guarded(name: str, copy: Path) -> None:
    """The same, bit by bit."""
    check_bits(copy, name, range(8 * (copy / name).stat().st_size))


def check_bits(folder: Path, name: str, bits: range) -> None:
    """Flip each bit, see that it is found, and flip it back."""
    assert len(bits) > 300
    for bit in bits:
        flip(folder / name, bit)
        with pytest.raises(OutputError, match=r"is damaged|line|version"):
            read_damaged(folder, name)
        flip(folder / name, bit)
    read_damaged(folder, name)


@pytest.mark.parametrize("name", [LEDGER_NAME, MANIFEST_NAME])
@pytest.mark.parametrize("part", [0.0, 0.3, 0.97, 1.0])
def test_a_damaged_ledger_or_manifest_is_made_again(name: str, part: float, copy: Path, finished: Path) -> None:
    """``verify`` names the file; the next run comes to the same results, without trusting a damaged ledger."""
    flip(copy / name, int(part * (8 * (copy / name).stat().st_size - 1)))
    assert any(name in problem for problem in verify_run(copy, sample=5).problems)
    report = run_again(copy)
    assert not report.already_complete
    # A ledger whose last line has lost its end is that of a run that died: nothing is wrong with it.
    assert (name == LEDGER_NAME and part < 1.0) == any(name in problem for problem in report.repaired)
    kept = {name: data for name, data in results_of(copy).items() if not name.startswith(".")}
    assert kept == results_of(finished)
    assert run_again(copy).already_complete


def swap(folder: Path) -> str:
    """Give two parts each other's names."""
    one, other = (folder / f"sessions/part-00000{number}.parquet" for number in (1, 4))
    one.rename(folder / "held")
    other.rename(one)
    (folder / "held").rename(other)
    return "sessions/part-000001.parquet: "


def lose(folder: Path) -> str:
    """Remove a part."""
    (folder / "histograms/part-000002.parquet").unlink()
    return "histograms/part-000002.parquet: missing"


def double(folder: Path) -> str:
    """Put a copy of a part beside it, under the next number."""
    shutil.copy(folder / "sessions/part-000001.parquet", folder / f"sessions/part-0000{PARTS}.parquet")
    return f"sessions/part-0000{PARTS}.parquet: unexpected"


def put_foreign(folder: Path) -> str:
    """Put a file that is no part among the parts."""
    (folder / "sessions/rows.parquet").write_bytes(b"PAR1")
    return "sessions/rows.parquet: unexpected"


def replace_by_older(folder: Path) -> str:
    """Put the part of another sweep in the place of one: a sound file, of the same name, but not the one."""
    other = small_sweep("sessions", seeds="{ first = 100, count = 6 }")
    run_sweep(other, folder.parent / "other", executor=Here(), check=0)
    shutil.copy(folder.parent / "other/sessions/part-000003.parquet", folder / "sessions")
    return "sessions/part-000003.parquet: "


@pytest.mark.parametrize("damage", [swap, lose, double, put_foreign, replace_by_older])
def test_parts_in_wrong_places_are_found_and_repaired(
    damage: Callable[[Path], str], copy: Path, finished: Path
) -> None:
    """Swapped, missing, doubled and foreign parts: ``verify`` and the next run name them; nobody's file is deleted."""
    word = damage(copy)
    is_found_and_repaired(copy, finished, word)
    if "unexpected" in word:
        assert len([path for path in copy.iterdir() if path.name.endswith(".unexpected-1")]) == 1


@pytest.mark.parametrize("kind", ["folder", "dangling link"])
@pytest.mark.parametrize(
    "name", [SWEEP_NAME, CELLS_NAME, LEDGER_NAME, MANIFEST_NAME, PROVENANCE_NAME, "histograms/part-000003.parquet"]
)
def test_what_stands_in_the_place_of_a_file_is_set_aside(name: str, kind: str, copy: Path, finished: Path) -> None:
    """A folder or a link to nowhere: named, moved to the side with all that is in it, and the file made again."""
    (copy / name).unlink()
    if kind == "folder":
        (copy / name / "mine").mkdir(parents=True)
    else:
        (copy / name).symlink_to("nowhere")
    is_found_and_repaired(copy, finished, name)
    aside = copy / f".{name.replace('/', '-')}.unexpected-1"
    assert aside.is_symlink() or (aside / "mine").is_dir()


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_what_stands_in_the_place_of_a_folder_is_set_aside(kind: str, copy: Path, finished: Path) -> None:
    """The folder of a table is made again with all its parts."""
    shutil.rmtree(copy / "histograms")
    if kind == "file":
        (copy / "histograms").write_bytes(b"mine")
    else:
        (copy / "histograms").symlink_to("nowhere")
    is_found_and_repaired(copy, finished, "histograms")
    aside = copy / ".histograms.unexpected-1"
    assert aside.is_symlink() or aside.read_bytes() == b"mine"
