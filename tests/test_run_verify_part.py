"""Parts against the plan: keys, order, footers and histograms; each kind of fault is one line with the file's name."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sweep_runs import Here, small_sweep

from vecdecay.run import play as playing
from vecdecay.run.parts import parts_of
from vecdecay.run.plan import make_plan
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify_part import PartContent, entries_of
from vecdecay.store.ledger import LedgerEntry, read_ledger

DETAILS = ("cells", "sessions", "items", "turns", "misses")
SPECS = {detail: small_sweep(detail, seeds=4, axes=False) for detail in DETAILS}
PLANS = {detail: make_plan(spec) for detail, spec in SPECS.items()}
HISTOGRAMS, SESSIONS, ITEMS, TURNS = (
    f"{name}/part-000000.parquet" for name in ("histograms", "sessions", "items", "turns")
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Path:
    """A folder with a run of each detail: two cells of four sessions, in one part."""
    folder = tmp_path_factory.mktemp("finished")
    for detail, spec in SPECS.items():
        run_sweep(spec, folder / detail, executor=Here(), check=0)
    return folder


@pytest.fixture
def copies(finished: Path, tmp_path: Path) -> Path:
    """A copy of them, to be changed."""
    return shutil.copytree(finished, tmp_path / "copies")


def entries(folder: Path, detail: str) -> dict[str, LedgerEntry]:
    """Return the entries of the only part of a run, by table."""
    (part,) = parts_of(PLANS[detail])
    found = entries_of(part, read_ledger(folder / detail).entries, detail)
    assert found is not None
    return found


def content(folder: Path, detail: str) -> PartContent:
    """Return the only part of a run."""
    (part,) = parts_of(PLANS[detail])
    return PartContent(PLANS[detail], folder / detail, part, entries(folder, detail))


def problems(folder: Path, detail: str) -> list[str]:
    """Return what is wrong with it."""
    return list(content(folder, detail).problems())


def rewrite(path: Path, order: list[int] | None = None, **columns: object) -> None:
    """Write a file again with its rows in another order, or with other values in some columns."""
    table = pq.read_table(path)
    for name, values in columns.items():
        place = table.column_names.index(name)
        table = table.set_column(place, table.schema.field(name), pa.array(values, table.schema.field(name).type))
    pq.write_table(table if order is None else table.take(order), path)


@pytest.mark.parametrize("detail", DETAILS)
def test_a_part_of_a_run_is_as_the_plan_says(detail: str, finished: Path) -> None:
    """No problem, all its tables, both cells."""
    part = content(finished, detail)
    assert list(part.problems()) == []
    assert set(part.tables) == {"histograms"} | ({"sessions", detail} if detail != "cells" else set())
    assert part.cells() == [0, 1]


@pytest.mark.parametrize("detail", DETAILS)
def test_a_part_whose_cells_all_failed_is_sound(detail: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It has no rows, which is what the plan leaves of it; the run ends, and tells of the cells."""

    def fail(*_: object, **__: object) -> None:
        raise ValueError("it broke")

    monkeypatch.setattr(playing, "play_block", fail)
    report = run_sweep(SPECS[detail], tmp_path / detail, executor=Here(), check=0)
    assert [failed.cell for failed in report.failed] == [0, 1]
    part = content(tmp_path, detail)
    assert list(part.problems()) == []
    assert (part.cells(), {table.num_rows for table in part.tables.values()}) == ([], {0})


def test_keys_are_cells_and_seeds_in_order(finished: Path) -> None:
    """Every session that the part must hold; none of a cell that failed."""
    part = content(finished, "sessions")
    keys = part.keys().to_pylist()
    assert keys == [{"cell": cell, "seed": seed} for cell in (0, 1) for seed in range(4)]
    part.failed = {0}
    assert part.cells() == [1]
    assert part.keys().to_pylist() == keys[4:]
    part.failed = {0, 1}
    assert part.keys().num_rows == 0


def test_an_entry_for_every_table(finished: Path) -> None:
    """Or none at all, where one of them is missing."""
    (part,) = parts_of(PLANS["items"])
    listed = dict(read_ledger(finished / "items").entries)
    found = entries_of(part, listed, "items")
    assert found is not None
    assert {name: entry.file for name, entry in found.items()} == {
        "sessions": SESSIONS,
        "items": ITEMS,
        "histograms": HISTOGRAMS,
    }
    for key in listed:
        assert entries_of(part, {other: entry for other, entry in listed.items() if other != key}, "items") is None


def test_sessions_in_another_order_are_found(copies: Path) -> None:
    """Two rows that have changed places; the histograms are the same."""
    rewrite(copies / "sessions" / SESSIONS, [1, 0, 2, 3, 4, 5, 6, 7])
    assert problems(copies, "sessions") == [
        f"{SESSIONS}: cells and seeds are not those of the plan (cell 0, seed 1 where cell 0, seed 0 should be)"
    ]


def test_a_session_that_is_missing_is_found(copies: Path) -> None:
    """By the ledger's number of rows, by its key and by the histograms."""
    rewrite(copies / "sessions" / SESSIONS, list(range(7)))
    assert problems(copies, "sessions") == [
        f"{SESSIONS}: has 7 rows; the ledger says 8",
        f"{SESSIONS}: cells and seeds are not those of the plan (7 sessions where 8 should be)",
        f"{HISTOGRAMS}: cell 1: histograms do not agree with the rows of its sessions",
    ]


def test_a_changed_value_does_not_agree_with_the_histograms(copies: Path) -> None:
    """One miss more in one session of one cell."""
    path = copies / "sessions" / SESSIONS
    misses = pq.read_table(path)["misses"].to_pylist()
    misses[2] += 1
    rewrite(path, misses=misses)
    assert problems(copies, "sessions") == [
        f"{HISTOGRAMS}: cell 0: histograms do not agree with the rows of its sessions"
    ]


def test_histograms_that_count_other_sessions_are_found(copies: Path) -> None:
    """Every metric counts every session once."""
    path = copies / "cells" / HISTOGRAMS
    counts = pq.read_table(path)["count"].to_pylist()
    counts[-1] += 1
    rewrite(path, count=counts)
    assert problems(copies, "cells") == [f"{HISTOGRAMS}: cell 1: a metric does not count 4 sessions"]


def test_histograms_of_other_cells_are_found(copies: Path) -> None:
    """Cells that the plan does not have, and rows that are not in order."""
    path = copies / "cells" / HISTOGRAMS
    numbers = pq.read_table(path)["cell"].to_pylist()
    rewrite(path, cell=[number + 1 for number in numbers])
    assert problems(copies, "cells") == [f"{HISTOGRAMS}: its cells are not those of the plan"]
    rewrite(path, list(range(len(numbers)))[::-1], cell=numbers)
    assert problems(copies, "cells") == [f"{HISTOGRAMS}: the rows of the histograms are not in order"]


def test_the_footer_of_another_sweep_is_found(copies: Path) -> None:
    """Its digest is told, or that there is none."""
    path = copies / "cells" / HISTOGRAMS
    table = pq.read_table(path)
    pq.write_table(table.replace_schema_metadata({"vecdecay.sweep_digest": "0" * 64}), path)
    assert problems(copies, "cells") == [f"{HISTOGRAMS}: belongs to another sweep (its footer says {'0' * 16})"]
    pq.write_table(table.replace_schema_metadata(None), path)
    assert problems(copies, "cells") == [f"{HISTOGRAMS}: belongs to another sweep (its footer says nothing)"]
    pq.write_table(table.replace_schema_metadata({"vecdecay.sweep_digest": SPECS["cells"].digest}), path)
    assert problems(copies, "cells") == []


def test_other_columns_are_found(copies: Path) -> None:
    """A column less is named as such, and nothing more is said of the part."""
    path = copies / "sessions" / SESSIONS
    pq.write_table(pq.read_table(path).drop_columns(["misses"]), path)
    assert problems(copies, "sessions") == [f"{SESSIONS}: its columns are not those of the sweep"]


@pytest.mark.parametrize(
    ("detail", "file", "word"),
    [("items", ITEMS, "items are not counted from 0"), ("turns", TURNS, "turns are not counted from 1")],
)
def test_rows_within_a_session_are_counted_up(detail: str, file: str, word: str, copies: Path) -> None:
    """Two rows of one session that have changed places; a first row that is gone."""
    path = copies / detail / file
    count = pq.read_metadata(path).num_rows
    rewrite(path, [0, 2, 1, *range(3, count)])
    assert problems(copies, detail) == [f"{file}: {word} in each session"]
    rewrite(path, [0, 2, 1, *range(3, count)])  # as it was
    assert problems(copies, detail) == []
    rewrite(path, list(range(1, count)))
    assert f"{file}: {word} in each session" in problems(copies, detail)


@pytest.mark.parametrize(("detail", "file"), [("items", ITEMS), ("turns", TURNS)])
def test_the_rows_of_a_session_are_together(detail: str, file: str, copies: Path) -> None:
    """A row in the midst of a session that names another seed."""
    path = copies / detail / file
    seeds = pq.read_table(path)["seed"].to_pylist()
    seeds[3] = 1
    rewrite(path, seed=seeds)
    assert problems(copies, detail) == [f"{file}: the rows of a session are not together (seed)"]


def test_misses_are_as_many_as_the_sessions_say_in_the_order_of_turns(copies: Path) -> None:
    """A row too few, and rows in another order than that of play, are told."""
    part = content(copies, "misses")
    held, sessions = part.tables["misses"], part.tables["sessions"]
    assert held.num_rows == sum(sessions["misses"].to_pylist()) > 0
    part.tables["misses"] = held.slice(1)
    assert "misses/part-000000.parquet: its rows are not the misses of the sessions (" in "\n".join(part.problems())
    twice = pa.concat_tables([held.slice(0, 1)] * 2)
    for turns, wrong in (([5, 9], []), ([9, 9], []), ([9, 5], ["turns fall within a session"])):
        rows = twice.set_column(2, held.schema.field("turn"), pa.array(turns, pa.int32()))
        place = sessions.column_names.index("misses")
        counts = pa.array([2 * count for count in sessions["misses"].to_pylist()], pa.int32())
        part.tables["sessions"] = sessions.set_column(place, sessions.schema.field("misses"), counts)
        assert list(part._miss_problems(rows, rows.select(["cell", "seed"]))) == wrong
