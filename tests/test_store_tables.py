"""Tests of vecdecay.store.tables: every column typed, with unit and meaning; rows from outcomes and cells."""

import math
from typing import Any

import pyarrow as pa
import pytest

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.metrics import session_columns
from vecdecay.policies import POLICIES, Ebbinghaus, RecencyWindow
from vecdecay.quantities import METRIC_NAMES, SUMMARY_SUFFIXES
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session
from vecdecay.store.columns import Layout, longest_seed_text, row_bytes, seeds_fit_64_bits
from vecdecay.store.tables import DETAILS, TABLES, block_rows, block_tables, part_tables

POLICY_LIST = [vd.Ebbinghaus(), vd.RecencyWindow(100), vd.KeepAll()]
SCHEMAS = {
    **{name: table.schema(Layout((5, 10), has_tokens=True)) for name, table in TABLES.items() if name != "histograms"},
    "sessions with wide seeds": TABLES["sessions"].schema(Layout(seeds_fit=False)),
}
SESSIONS = [
    Session(3, (), ()),
    Session(15, (FOUNDATIONAL, NOISE, NOISE), ((1, REGISTER, 0), (2, REGISTER, 1), (4, RECALL, 1), (5, RECALL, 2))),
]
SEEDS = [7, -7]


def outcome(policy: Any, checkpoints: tuple[int, ...] = ()) -> Any:
    """Play the two sessions with everything kept."""
    return play_block(block_of(SESSIONS), policy, "horizon", checkpoints, want_items=True, want_turns=True)


def test_every_detail_adds_its_own_table() -> None:
    """What a run keeps grows with the detail: the totals always, the sessions from the second on, then one more."""
    assert [block_tables(detail) for detail in DETAILS] == [
        (),
        ("sessions",),
        ("sessions", "items"),
        ("sessions", "turns"),
        ("sessions", "misses"),
    ]
    for detail in DETAILS:
        assert part_tables(detail) == (*block_tables(detail), "histograms")
        assert set(part_tables(detail)) < set(TABLES)


@pytest.mark.parametrize("name", SCHEMAS)
def test_every_field_says_what_it_is(name: str) -> None:
    """Type, unit, dimensions and meaning are in the schema itself; no placeholder is left in them."""
    for field in SCHEMAS[name]:
        assert set(field.metadata) >= {b"meaning", b"unit", b"dimensions"}
        assert field.metadata[b"meaning"]
        assert field.metadata[b"dimensions"].startswith(b"cell")
        assert not any(b"{" in value for value in field.metadata.values())


@pytest.mark.parametrize("name", SCHEMAS)
def test_types_that_every_reader_knows(name: str) -> None:
    """Signed integers, doubles, booleans and text; no unsigned integer, no time stamp, no column without a type."""
    for field in SCHEMAS[name]:
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        assert kind in (pa.int32(), pa.int64(), pa.float64(), pa.bool_(), pa.string()), field


def test_names_are_unique() -> None:
    """No two columns of a table have the same name."""
    for schema in SCHEMAS.values():
        assert len(set(schema.names)) == len(schema.names)


def test_checkpoints_get_a_count_and_a_rate_each() -> None:
    """Two columns per checkpoint, nullable, with the turn in name and meaning."""
    fields = list(SCHEMAS["sessions"])[-4:]
    assert [field.name for field in fields] == [
        "foundational_present_at_5",
        "foundational_recall_rate_at_5",
        "foundational_present_at_10",
        "foundational_recall_rate_at_10",
    ]
    assert all(field.nullable for field in fields)
    assert b"turn 10" in fields[-1].metadata[b"meaning"]


def test_wide_seeds_are_text() -> None:
    """Where a seed does not fit 64 bits the column is text, and nothing else changes."""
    narrow, wide = TABLES["sessions"].schema(Layout((3,))), TABLES["sessions"].schema(Layout((3,), False))
    assert narrow.field("seed").type == pa.int64()
    assert wide.field("seed").type == pa.string()
    assert narrow.remove(narrow.get_field_index("seed")) == wide.remove(wide.get_field_index("seed"))


def test_only_what_can_be_missing_is_nullable() -> None:
    """Survival times, hit rates, item states and checkpoints may be null; counts and seeds never are."""
    nullable = {field.name for field in TABLES["sessions"].schema(Layout()) if field.nullable}
    assert nullable == {"survival_time", "survival_time_minimum", "survival_time_maximum", "hit_rate"}
    nullable = {field.name for field in SCHEMAS["items"] if field.nullable}
    assert nullable == {"registered_turn", "last_touch", "recall_count", "stability", "evicted_turn", "evicted_reason"}
    assert not any(field.nullable for field in SCHEMAS["turns"])


def test_every_metric_is_summarised() -> None:
    """Mean, spread, extremes, interval and the count behind them, for each metric and each checkpoint."""
    metrics = [*METRIC_NAMES, "foundational_recall_rate_at_7"]
    fields = list(TABLES["cells"].schema(Layout((7,))))[-len(metrics) * len(SUMMARY_SUFFIXES) :]
    assert [field.name for field in fields] == [
        f"{name}_{suffix}" for name in metrics for suffix, _ in SUMMARY_SUFFIXES
    ]
    assert [field.name for field in fields if not field.nullable] == [f"{name}_sessions" for name in metrics]


def test_a_row_takes_no_more_than_is_said() -> None:
    """What the rows of each table occupy in Arrow stays below the arithmetic, with long seeds and short ones."""
    everything = outcome(Ebbinghaus())
    for seeds in (SEEDS, [10**5000, -(10**5000)]):
        layout = Layout(seeds_fit=seeds_fit_64_bits(seeds))
        for name in ("sessions", "items", "turns"):
            schema = TABLES[name].schema(layout)
            batch = block_rows(name, 0, seeds, everything, layout, session_columns(everything, ()))
            assert batch.schema == schema
            bound = row_bytes(schema, longest_seed_text(seeds))
            assert batch.num_rows * bound / 3 < batch.nbytes < batch.num_rows * bound + 200


def test_a_row_per_session() -> None:
    """Counts beside ratios, and null for survival times where nothing was evicted and for turns not reached."""
    batch = block_rows("sessions", 4, SEEDS, outcome(Ebbinghaus(), (3, 9)), Layout((3, 9)))
    first, second = batch.to_pylist()
    assert [first["cell"], first["seed"], second["seed"]] == [4, 7, -7]
    assert first["survival_time"] is None
    assert first["survival_time_minimum"] is None
    assert first["foundational_recall_rate"] == 1.0
    assert [first["foundational_present_at_3"], first["foundational_present_at_9"]] == [0, None]
    assert second["survival_time"] == 13.0
    assert [second["survival_time_minimum"], second["survival_time_maximum"], second["survival_time_sum"]] == [13] * 3
    assert [second["foundational_items"], second["foundational_present"], second["foundational_evicted"]] == [1, 0, 1]
    assert [second["items_evicted"], second["registrations"], second["recalls"], second["misses"]] == [1, 2, 2, 1]
    assert second["working_set_sum"] == 13 + 14
    assert second["mean_working_set"] == 27 / 15
    assert [second["foundational_present_at_3"], second["foundational_recall_rate_at_9"]] == [1, 1.0]


def test_a_row_per_item() -> None:
    """What became of each item; an item that was never registered has no state, only its misses."""
    rows = block_rows("items", 0, SEEDS, outcome(Ebbinghaus()), Layout()).to_pylist()
    assert [row["seed"] for row in rows] == [-7] * 3
    assert [row["item"] for row in rows] == [0, 1, 2]
    assert [row["kind"] for row in rows] == ["foundational", "noise", "noise"]
    assert [row["registered_turn"] for row in rows] == [1, 2, None]
    assert [row["last_touch"] for row in rows] == [1, 4, None]
    assert [row["recall_count"] for row in rows] == [1, 2, None]
    assert [row["stability"] for row in rows] == [8.0, 8.0 * (1.0 + math.log(3.0)), None]
    assert [row["evicted_turn"] for row in rows] == [14, None, None]
    assert [row["present"] for row in rows] == [False, True, False]
    assert [(row["hits"], row["misses"]) for row in rows] == [(0, 0), (1, 0), (0, 1)]
    without = block_rows("items", 0, SEEDS, outcome(RecencyWindow(3)), Layout()).to_pylist()
    assert [row["stability"] for row in without] == [None] * 3


def test_a_row_per_turn() -> None:
    """Turns count from 1 in each session; without foundational items the rate is 1.0."""
    rows = block_rows("turns", 2, SEEDS, outcome(Ebbinghaus()), Layout()).to_pylist()
    assert [row["turn"] for row in rows] == [1, 2, 3, *range(1, 16)]
    assert [row["seed"] for row in rows] == [7] * 3 + [-7] * 15
    assert [row["working_set"] for row in rows] == [0] * 3 + [1] + [2] * 12 + [1] * 2
    assert [row["foundational_present"] for row in rows] == [0] * 3 + [1] * 13 + [0] * 2
    assert [row["foundational_recall_rate"] for row in rows] == [1.0] * 3 + [1.0] * 13 + [0.0] * 2


def test_batches_match_their_schema_to_the_letter() -> None:
    """The types, nullability and metadata of a batch are those of the schema; required columns hold no null."""
    everything = outcome(Ebbinghaus(), (9,))
    for name, seeds, layout in [
        *((name, SEEDS, Layout((9,))) for name in ("sessions", "items", "turns")),
        ("turns", [2**70, 1], Layout(seeds_fit=False)),
    ]:
        batch, schema = block_rows(name, 0, seeds, everything, layout), TABLES[name].schema(layout)
        assert batch.schema.equals(schema, check_metadata=True)
        batch.validate(full=True)
        assert all(field.nullable or batch[field.name].null_count == 0 for field in schema)


def test_what_was_not_kept_cannot_be_tabled() -> None:
    """Asking for rows that the outcome does not hold is a programming error, said at once."""
    bare = play_block(block_of(SESSIONS), Ebbinghaus(), "horizon")
    with pytest.raises(ValueError, match="without its items"):
        block_rows("items", 0, SEEDS, bare, Layout())
    with pytest.raises(ValueError, match="without its turns"):
        block_rows("turns", 0, SEEDS, bare, Layout())
    with pytest.raises(ValueError, match="without its misses"):
        block_rows("misses", 0, SEEDS, bare, Layout())


def test_a_column_per_parameter_name() -> None:
    """Parameters of the same name share a column; each is nullable, typed, and says what it means."""
    described = (*POLICIES, *WORKLOADS)
    every = list(TABLES["cells"].schema(Layout(kinds=described)))
    plain = len(TABLES["cells"].schema(Layout()))
    fields = [field for field in every if field.name not in TABLES["cells"].schema(Layout()).names]
    assert len(every) == plain + len(fields)
    names = [field.name for field in fields]
    assert len(set(names)) == len(names)
    assert set(names) == {one.name for kind in described for one in kind.parameters()}
    for field in fields:
        assert field.nullable
        assert field.metadata[b"meaning"]
    by_name = {field.name: field for field in fields}
    assert by_name["session_length"].type == pa.int64()
    assert by_name["eviction_threshold"].type == pa.float64()
    assert by_name["recall_base_offsets"].type == pa.list_(pa.float64())
    assert by_name["session_length"].metadata[b"unit"] == b"turns"


def test_summaries_of_a_cell() -> None:
    """Mean, spread, extremes, interval and count stand side by side, from the sessions that have a value."""
    result = vd.simulate(vd.PublishedSessions(), POLICY_LIST, range(40), checkpoints=[500])
    ebbinghaus, window, keep_all = result.cells.to_pylist()
    assert ebbinghaus["foundational_recall_rate_low"] < 1.0 == ebbinghaus["foundational_recall_rate_high"]
    assert ebbinghaus["survival_time_sessions"] == 0
    assert [ebbinghaus[f"survival_time_{part}"] for part in ("mean", "minimum", "low", "standard_deviation")] == [
        None
    ] * 4
    rate = [window[f"foundational_recall_rate_{part}"] for part in ("minimum", "low", "mean", "high", "maximum")]
    assert rate == sorted(rate)
    assert 0.0 < window["foundational_recall_rate_standard_deviation"] < 1.0
    assert keep_all["survival_time_mean"] is None
    assert keep_all["foundational_recall_rate_at_500_sessions"] == 0


def test_one_session_has_no_spread() -> None:
    """With a single session there is a mean and a Wilson interval, but neither spread nor Student interval."""
    (cell,) = vd.simulate(vd.PublishedSessions(), vd.RecencyWindow(100), [3]).cells.to_pylist()
    assert cell["mean_working_set_mean"] == cell["mean_working_set_minimum"] == cell["mean_working_set_maximum"]
    assert cell["mean_working_set_standard_deviation"] is None
    assert cell["mean_working_set_low"] is None
    assert cell["foundational_recall_rate_low"] is not None


def test_the_schema_does_not_depend_on_the_results() -> None:
    """Columns that are null throughout keep their type: two runs of the same kinds can be put together."""
    tables = [
        vd.simulate(vd.PublishedSessions(), policies, [1, 2]).cells
        for policies in ([vd.KeepAll(), vd.Ebbinghaus()], [vd.KeepAll(), vd.Ebbinghaus(0.9, 0.1)])
    ]
    assert tables[0].schema.equals(tables[1].schema, check_metadata=True)
    assert pa.concat_tables(tables).num_rows == 4
    tables[0].validate(full=True)
