"""Tests of vecdecay.store.cells: one row per cell, a column per parameter and per summary."""

import pyarrow as pa

import vecdecay as vd
from vecdecay.policies import POLICIES
from vecdecay.sessions import WORKLOADS
from vecdecay.store.cells import parameter_fields

POLICY_LIST = [vd.Ebbinghaus(), vd.RecencyWindow(100), vd.KeepAll()]


def test_a_column_per_parameter_name() -> None:
    """Parameters of the same name share a column; each is nullable, typed, and says what it means."""
    described = [*POLICIES, *WORKLOADS]
    fields = parameter_fields(described)
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
