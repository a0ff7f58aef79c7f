"""Sessions computed again by the scalar engine: the rows and histograms of a run, and differences in words."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from sweep_runs import Here, small_sweep

from vecdecay.run import recompute as module
from vecdecay.run.plan import make_plan
from vecdecay.run.recompute import first_unequal, plain, scalar_histograms, scalar_outcome, scalar_rows
from vecdecay.run.sweep import run_sweep
from vecdecay.store.histograms import histograms_in

PART = "part-000000.parquet"


@pytest.fixture(autouse=True)
def _warm(warm_kernels: None) -> None:
    """Compile the kernels once."""


@pytest.mark.parametrize("detail", ["sessions", "items", "turns", "misses"])
def test_rows_are_those_of_the_run(detail: str, tmp_path: Path) -> None:
    """Every table, every session, every value: what the kernels wrote is what the scalar engine says."""
    spec = small_sweep(detail, seeds=3, axes=False)
    plan = make_plan(spec)
    run_sweep(spec, tmp_path, executor=Here(), check=0)
    names = {"sessions"} | {detail}
    stored = {name: pq.read_table(tmp_path / name / PART) for name in names}
    found = dict.fromkeys(names, 0)
    for cell in range(2):
        for seed in range(3):
            rows = scalar_rows(plan, plan.cell(cell), seed)
            assert set(rows) == names
            for name, expected in rows.items():
                held = stored[name]
                own = held.filter(pc.and_(pc.equal(held["cell"], cell), pc.equal(held["seed"], seed)))
                assert plain(own).equals(plain(expected))
                assert first_unequal(own, expected) is None
                found[name] += expected.num_rows
    assert found == {name: table.num_rows for name, table in stored.items()}


def test_histograms_are_those_of_the_run(tmp_path: Path) -> None:
    """The histograms of every cell, where only they are kept; no rows are computed there."""
    spec = small_sweep("cells", seeds=5, axes=False)
    plan = make_plan(spec)
    run_sweep(spec, tmp_path, executor=Here(), check=0)
    held = dict(histograms_in(pq.read_table(tmp_path / "histograms" / PART), spec.checkpoints))
    assert list(held) == [0, 1]
    for number, histograms in held.items():
        assert scalar_histograms(plan, plan.cell(number), spec.seeds) == histograms
        assert scalar_histograms(plan, plan.cell(number), range(4)) != histograms
    assert scalar_rows(plan, plan.cell(0), 0) == {}


def test_nothing_but_the_scalar_engine_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever engine the sweep names; only what its detail keeps is asked for."""
    asked: list[tuple[object, ...]] = []

    def listening(block: object, policy: object, *arguments: object, **_: object) -> None:
        asked.append(arguments)

    monkeypatch.setattr(module, "play_block", listening)
    for detail in ("cells", "items", "turns", "misses"):
        spec = small_sweep(detail, seeds=3, axes=False, engine="lockstep")
        scalar_outcome(spec, make_plan(spec).cell(0), 1)
    assert asked == [
        ("reference", (5, 30), False, False, False, False, False, False),
        ("reference", (5, 30), True, False, False, False, False, False),
        ("reference", (5, 30), False, True, False, False, False, False),
        ("reference", (5, 30), False, False, False, False, True, False),
    ]


def test_equal_values_are_equal_whatever_their_numbering() -> None:
    """Dictionaries are written out, and what is said about a column or table does not count."""
    one = pa.array(["b", "a"]).dictionary_encode()
    other = pa.DictionaryArray.from_arrays(pa.array([1, 0], pa.int32()), pa.array(["a", "b"]))
    left, right = pa.table({"kind": one}), pa.table({"kind": other}).replace_schema_metadata({"a": "b"})
    assert not left.equals(right)
    assert plain(left).equals(plain(right), check_metadata=True)
    assert plain(left).schema.field("kind").type == pa.string()
    assert first_unequal(left, right) is None


@pytest.mark.parametrize(
    ("stored", "words"),
    [
        ({"a": [1, 2], "b": [0.5, None]}, None),
        ({"a": [1, 3], "b": [0.5, None]}, "a is 3; expected: 2"),
        ({"a": [1, 2], "b": [0.5, 0.25]}, "b is 0.25; expected: None"),
        ({"a": [1], "b": [0.5]}, "1 rows; expected: 2"),
        ({"b": [0.5, None], "a": [1, 2]}, "the columns are b, a; expected: a, b"),
        ({"a": [1.0, 2.0], "b": [0.5, None]}, "a is of the type double; expected: int64"),
    ],
)
def test_the_first_difference_is_in_words(stored: dict[str, list[object]], words: str | None) -> None:
    """Column and values, or why the tables cannot be compared."""
    assert first_unequal(pa.table(stored), pa.table({"a": [1, 2], "b": [0.5, None]})) == words
