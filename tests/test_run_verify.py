"""``verify_run``: content when all is well, and finds what no digest tells, where digests were set right on purpose."""

import hashlib
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from sweep_runs import Here, cut_finely, small_sweep

from vecdecay.errors import OutputError
from vecdecay.run import verify
from vecdecay.run.finish import listed_parts, write_cells
from vecdecay.run.plan import make_plan
from vecdecay.run.sinks import part_file
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import verify_run
from vecdecay.store.ledger import LEDGER_NAME, Ledger, LedgerEntry, read_ledger
from vecdecay.store.manifest import MANIFEST_NAME, read_manifest, write_manifest

DETAILS = ("cells", "sessions", "items", "turns")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Path:
    """A finished run of each detail, in some parts."""
    base = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        cut_finely(patch, plays=24, rows=24 * 27)
        for detail in DETAILS:
            run_sweep(small_sweep(detail, seeds=8), base / detail, executor=Here(), check=0)
    return base


@pytest.fixture
def finely_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Cut sweeps as those of the runs were cut."""
    cut_finely(monkeypatch, plays=24, rows=24 * 27)


@pytest.fixture
def copy(runs: Path, tmp_path: Path, finely_cut: None) -> Callable[[str], Path]:
    """Make a copy of a run."""
    return lambda detail: Path(shutil.copytree(runs / detail, tmp_path / detail))


def set_right(folder: Path, entries: list[LedgerEntry]) -> None:
    """Write ledger and manifest anew, with seals and digests that are right for what is there now."""
    manifest = read_manifest(folder)
    (folder / LEDGER_NAME).unlink()
    corrected = []
    for entry in entries:
        content = (folder / entry.file).read_bytes()
        rows = pq.read_metadata(folder / entry.file).num_rows
        digest = hashlib.sha256(content).hexdigest()
        corrected.append(LedgerEntry(entry.file, rows, len(content), digest, entry.receipt))
    ledger = Ledger(folder)
    ledger.extend(corrected)
    own = [file for file in manifest["files"] if "/" not in file["file"]]
    for file in own:
        content = (folder / file["file"]).read_bytes()
        file |= {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    write_manifest(folder, {**manifest, "files": own + listed_parts(corrected)})


def rewrite(folder: Path, file: str, change: Callable[[pa.Table], pa.Table]) -> None:
    """Change the content of a Parquet file, and set everything right that speaks of it."""
    table = pq.read_table(folder / file)
    pq.write_table(change(table).replace_schema_metadata(table.schema.metadata), folder / file)
    set_right(folder, list(read_ledger(folder).entries.values()))


@pytest.mark.parametrize("table", ["sessions", "histograms"])
def test_a_row_group_that_stands_twice_is_found(table: str, copy: Callable[[str], Path]) -> None:
    """Even where ledger and manifest are right for the file, and each of its rows is one of the run."""
    folder = copy("sessions")
    file = f"{table}/part-000001.parquet"
    rows = pq.read_table(folder / file)
    with pq.ParquetWriter(folder / file, rows.schema) as writer:
        writer.write_table(rows)
        writer.write_table(rows)
    set_right(folder, list(read_ledger(folder).entries.values()))
    assert any(problem.startswith(f"{file}: ") for problem in verify_run(folder, sample=0).problems)


def with_column(name: str, change: Callable[[Any], Any]) -> Callable[[pa.Table], pa.Table]:
    """Return a change of one column."""

    def changed(table: pa.Table) -> pa.Table:
        place = table.schema.get_field_index(name)
        field = table.schema.field(place)
        return table.set_column(place, field, change(table[name]).cast(field.type))

    return changed


def plus_one_in_first_row(column: pa.ChunkedArray) -> pa.Array:
    """Return the column with its first value one higher."""
    first = pa.array([True] + [False] * (len(column) - 1))
    return pc.if_else(first, pc.add(column, 1), column).combine_chunks()


@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("detail", DETAILS)
def test_a_sound_run_is_sound(detail: str, everything: bool, runs: Path, finely_cut: None) -> None:
    """Nothing is found, everything was looked at, and nothing was changed."""
    before = {path: path.stat().st_mtime_ns for path in (runs / detail).rglob("*")}
    report = verify_run(runs / detail, everything=everything, sample=30)
    assert report.problems == []
    assert report.sound
    assert report.cells == 12
    assert report.sessions_recomputed == (96 if everything else 30)
    entries = read_ledger(runs / detail).entries.values()
    assert report.rows == sum(entry.rows for entry in entries)
    assert report.parts == len([entry for entry in entries if entry.file.startswith("histograms")])
    assert {path: path.stat().st_mtime_ns for path in (runs / detail).rglob("*")} == before


def test_the_sample_is_that_of_the_content_and_the_number(
    runs: Path, finely_cut: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same sessions each time, others with another number."""
    met: list[tuple[int, int]] = []
    sound = verify.scalar_rows

    def noting(spec: Any, cell: Any, seed: int) -> Any:
        met.append((cell.number, seed))
        return sound(spec, cell, seed)

    monkeypatch.setattr(verify, "scalar_rows", noting)
    samples = []
    for number in (0, 0, 1):
        met.clear()
        verify_run(runs / "sessions", sample=12, sample_seed=number)
        samples.append(sorted(met))
    assert samples[0] == samples[1] != samples[2]
    assert all(len(set(sample)) == 12 for sample in samples)


@pytest.mark.parametrize("file", ["sessions/part-000001.parquet", "histograms/part-000001.parquet"])
def test_parts_swapped_with_everything_set_right_are_found(file: str, copy: Callable[[str], Path]) -> None:
    """Two parts in each other's place, each with the other's digest: their cells and seeds betray them."""
    folder = copy("sessions")
    other = file.replace("000001", "000002")
    contents = (folder / file).read_bytes(), (folder / other).read_bytes()
    (folder / other).write_bytes(contents[0])
    (folder / file).write_bytes(contents[1])
    set_right(folder, list(read_ledger(folder).entries.values()))
    problems = verify_run(folder, sample=0).problems
    assert any(file in problem for problem in problems)
    assert any(other in problem for problem in problems)


def test_a_part_that_stands_in_for_another_is_found(copy: Callable[[str], Path]) -> None:
    """A part that is there twice, and another one not at all."""
    folder = copy("sessions")
    for name in ("sessions", "histograms"):
        shutil.copy(folder / part_file(name, 1), folder / part_file(name, 3))
    set_right(folder, list(read_ledger(folder).entries.values()))
    assert any("part-000003" in problem for problem in verify_run(folder, sample=0).problems)


def test_a_part_too_few_and_one_too_many_are_found(copy: Callable[[str], Path]) -> None:
    """The ledger lacks a part that the plan has, or has one that it has not; files and seals are all right."""
    folder = copy("sessions")
    entries = list(read_ledger(folder).entries.values())
    fewer = [entry for entry in entries if not entry.file.endswith("2.parquet")]
    for entry in set(map(str, [entry.file for entry in entries])) - {entry.file for entry in fewer}:
        (folder / entry).unlink()
    set_right(folder, fewer)
    assert "ledger.jsonl: part 2 is missing" in verify_run(folder, sample=0).problems
    folder = Path(shutil.copytree(folder.parent.parent / folder.parent.name / "sessions", folder.parent / "more"))
    more = list(read_ledger(folder).entries.values())
    for name in ("sessions", "histograms"):
        (entry,) = [one for one in more if one.file == part_file(name, 0)]
        shutil.copy(folder / entry.file, folder / part_file(name, 77))
        more.append(LedgerEntry(part_file(name, 77), 0, 0, "0" * 64, entry.receipt))
    set_right(folder, more)
    assert "ledger.jsonl: part 77 is not in the plan" in verify_run(folder, sample=0).problems


@pytest.mark.parametrize("column", ["misses", "working_set_sum", "recalls", "survival_time_sum"])
def test_one_changed_value_of_a_session_is_found(column: str, copy: Callable[[str], Path]) -> None:
    """The totals tell it where a metric is made from the column; computing again tells it everywhere."""
    folder = copy("sessions")
    rewrite(folder, "sessions/part-000000.parquet", with_column(column, plus_one_in_first_row))
    quick = verify_run(folder, sample=0).problems
    assert bool(quick) == (column in ("misses", "working_set_sum"))
    problems = verify_run(folder, everything=True).problems
    assert any(("computed again" if not quick else "do not agree") in problem for problem in problems)
    assert all("\n" not in problem for problem in problems)


@pytest.mark.parametrize(("detail", "column"), [("items", "hits"), ("items", "last_touch"), ("turns", "working_set")])
def test_one_changed_value_of_an_item_or_turn_is_found(detail: str, column: str, copy: Callable[[str], Path]) -> None:
    """Only computing the session again can tell."""
    folder = copy(detail)
    rewrite(folder, f"{detail}/part-000000.parquet", with_column(column, plus_one_in_first_row))
    assert verify_run(folder, sample=0).problems == []
    (problem,) = verify_run(folder, everything=True).problems
    assert f"computed again, the {detail} differ: {column} is " in problem


def test_changed_histograms_of_a_run_without_rows_are_found(copy: Callable[[str], Path]) -> None:
    """Values that were counted elsewhere, the counts still adding up: computed again, the histograms differ."""
    folder = copy("cells")

    def shifted(table: pa.Table) -> pa.Table:
        misses = pc.equal(table["metric"].cast(pa.string()), "misses")
        values = pc.if_else(misses, pc.add(table["value"], 1), table["value"]).combine_chunks()
        return table.set_column(2, table.schema.field(2), values)

    rewrite(folder, "histograms/part-000000.parquet", shifted)
    assert any("does not agree with the histograms" in problem for problem in verify_run(folder, sample=0).problems)
    assert any("computed again" in problem for problem in verify_run(folder, everything=True).problems)


def test_a_changed_cells_table_is_found(copy: Callable[[str], Path]) -> None:
    """A mean that the histograms do not give, a row too few, and a row too many."""
    folder = copy("sessions")
    sound = (folder / "cells.parquet").read_bytes()
    for change, word in (
        (with_column("misses_mean", plus_one_in_first_row), "misses_mean is "),
        (lambda table: table.slice(1), "11 rows; expected: 12"),
        (lambda table: pa.concat_tables([table, table.slice(3, 1)]), "13 rows; expected: 12"),
    ):
        rewrite(folder, "cells.parquet", change)
        (problem,) = verify_run(folder, sample=0).problems
        assert problem.startswith("cells.parquet: does not agree with the histograms: ")
        assert word in problem
        (folder / "cells.parquet").write_bytes(sound)


def test_an_unfinished_run_is_told_from_a_finished_one(copy: Callable[[str], Path]) -> None:
    """Without a manifest it is not finished; its parts are looked at all the same."""
    folder = copy("sessions")
    (folder / MANIFEST_NAME).unlink()
    report = verify_run(folder, sample=5)
    assert report.problems == []
    assert not report.sound
    assert re.fullmatch(
        r"unfinished, (\d+) of \1 parts; resume it with: vecdecay run .* --output .*", report.unfinished
    )
    assert report.parts > 1
    assert report.sessions_recomputed == 5
    (folder / LEDGER_NAME).unlink()
    report = verify_run(folder)
    assert (report.problems, report.parts) == ([], 0)
    assert report.unfinished.startswith("unfinished, 0 of ")


def test_a_sweep_file_of_another_sweep_is_found(copy: Callable[[str], Path]) -> None:
    """The copy says something else than the parts were made from."""
    folder = copy("sessions")
    text = (folder / "sweep.toml").read_text()
    (folder / "sweep.toml").write_text(text.replace("window_size = 6", "window_size = 7"))
    set_right(folder, list(read_ledger(folder).entries.values()))
    problems = verify_run(folder, sample=0).problems
    assert "manifest.json: is of another sweep than sweep.toml" in problems
    assert any("belongs to another sweep" in problem for problem in problems)


def test_a_part_that_is_no_parquet_file_is_one_line(copy: Callable[[str], Path]) -> None:
    """Its digest is right, its content is not: no traceback."""
    folder = copy("cells")
    (entry, *others) = list(read_ledger(folder).entries.values())
    (folder / entry.file).write_bytes(b"PAR1 nothing PAR1")
    digest = hashlib.sha256(b"PAR1 nothing PAR1").hexdigest()
    (folder / LEDGER_NAME).unlink()
    ledger = Ledger(folder)
    ledger.extend([LedgerEntry(entry.file, entry.rows, 17, digest, entry.receipt), *others])
    problems = verify_run(folder, sample=0).problems
    assert any("part 0: cannot be read" in problem or entry.file in problem for problem in problems)
    assert all(problem.isprintable() for problem in problems)


@pytest.mark.parametrize("detail", ["cells", "sessions"])
def test_a_share_is_looked_over_as_a_share(detail: str, tmp_path: Path, finely_cut: None, warm_kernels: None) -> None:
    """Its parts are all that the plan has for it; a part of another share among them is found."""
    spec = small_sweep(detail, seeds=8)
    run_sweep(spec, tmp_path / "one", shard=(1, 2), executor=Here(), check=0)
    assert verify_run(tmp_path / "one", everything=True).problems == []
    write_cells(make_plan(spec), tmp_path / "one" / "unrelated.parquet", iter([pa.table({"x": [1]})]))
    assert verify_run(tmp_path / "one", sample=0).problems == []
    run_sweep(spec, tmp_path / "other", shard=(2, 2), executor=Here(), check=0)
    (entry,) = [
        one for one in read_ledger(tmp_path / "other").entries.values() if one.file == part_file("histograms", 1)
    ]
    shutil.copy(tmp_path / "other" / entry.file, tmp_path / "one" / entry.file)
    set_right(tmp_path / "one", [*read_ledger(tmp_path / "one").entries.values(), entry])
    assert "ledger.jsonl: part 1 is not in the plan" in verify_run(tmp_path / "one", sample=0).problems


def test_a_folder_without_a_run_is_one_line(tmp_path: Path) -> None:
    """Nothing to look at is an error, not a sound run."""
    with pytest.raises(OutputError, match="holds no run of this program"):
        verify_run(tmp_path)
    with pytest.raises(OutputError, match="holds no run of this program"):
        verify_run(tmp_path / "missing")
