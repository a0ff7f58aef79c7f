"""Histograms of cells: independent of how the sessions were split, equal to plain counting and to ``statistics``."""

import statistics
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import ordinary_ebbinghaus, sessions

from vecdecay.analysis.cell import CellHistograms, histograms_of_cells, rate_at, summarised_names
from vecdecay.analysis.histogram import Histogram
from vecdecay.analysis.intervals import rate_interval, student_interval
from vecdecay.analysis.moments import Summary
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.reference import engine_for, measure, run
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.metrics import columns_beside, metric_columns
from vecdecay.policies import Ebbinghaus
from vecdecay.quantities import METRIC_NAMES, METRICS
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, REGISTER, Session

CHECKPOINTS = (5, 40)  # the second is after the end of every session drawn here

together = st.lists(sessions((3, 13)), min_size=1, max_size=8)


def played(several: Sequence[Session], policy: Ebbinghaus) -> BlockOutcome:
    """Play sessions with the table kernel, looking at the checkpoints."""
    return play_block(block_of(list(several)), policy, "horizon", CHECKPOINTS)


def counted(*parts: Sequence[Session], policy: Ebbinghaus) -> CellHistograms:
    """Count each part on its own and merge them."""
    whole = CellHistograms(CHECKPOINTS)
    for part in parts:
        histograms = CellHistograms(CHECKPOINTS)
        histograms.add(played(part, policy))
        whole.merge(histograms)
    return whole


def outcome_of(num_sessions: int, **changes: object) -> BlockOutcome:
    """Return an outcome of published sessions with other numbers in some of its columns."""
    workload = PublishedSessions(session_length=30, num_foundational=2)
    outcome = play_block(workload.block(range(num_sessions)), Ebbinghaus(0.5, 3.0), "auto", CHECKPOINTS)
    return replace(outcome, **changes)


@st.composite
def outcomes(draw: st.DrawFn) -> tuple[BlockOutcome, int]:
    """Draw an outcome of several cells of equal size, with repeated, zero and missing values."""
    cells, per_cell = draw(st.integers(1, 4)), draw(st.integers(1, 6))
    count = cells * per_cell
    numbers = st.lists(st.integers(0, 3), min_size=count, max_size=count)
    evicted = np.array(draw(numbers), dtype=np.int64)  # where 0, the survival time is missing
    changes = {
        "foundational_evicted": evicted,
        "survival_sum": np.array(draw(numbers), dtype=np.int64) * evicted,
        "misses": np.array(draw(numbers), dtype=np.int64),
        "working_set_sum": np.array(draw(numbers), dtype=np.int64),
        "foundational_present": np.array(draw(numbers), dtype=np.int64) % 3,
    }
    return outcome_of(count, **changes), cells


def cut(outcome: BlockOutcome, first: int, last: int) -> BlockOutcome:
    """Return some of the sessions of an outcome."""
    columns = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    return BlockOutcome(**{name: None if one is None else one[..., first:last] for name, one in columns.items()})


def folded_cell(outcome: BlockOutcome, max_distinct: int = 2) -> CellHistograms:
    """Return the histograms of a cell that keep so few values that most metrics are folded."""
    folded = CellHistograms(CHECKPOINTS)
    folded.histograms.update({name: Histogram(max_distinct) for name in folded.histograms})
    folded.add(outcome)
    return folded


@given(together, ordinary_ebbinghaus(), st.integers(0, 8))
def test_the_split_does_not_matter(several: list[Session], policy: Ebbinghaus, place: int) -> None:
    """Sessions counted at once, in parts, or in the other order give the same histograms and summaries."""
    whole = CellHistograms(CHECKPOINTS)
    whole.add(played(several, policy))
    parts = [part for part in (several[:place], several[place:]) if part]
    split = counted(*parts, policy=policy)
    turned = counted(*parts[::-1], policy=policy)
    assert whole == split == turned
    assert whole.summaries() == split.summaries() == turned.summaries()
    assert whole.num_sessions == len(several)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_blocks_with_and_without_sizes_join(order: tuple[int, ...]) -> None:
    """A block whose items all have the size 1 counts in tokens too, before, between and after blocks with sizes."""
    plain = Session(30, (FOUNDATIONAL, NOISE), ((1, REGISTER, 0), (4, REGISTER, 1)))
    several = [plain, replace(plain, tokens=(7, 2)), replace(plain, session_length=50)]
    whole = CellHistograms(CHECKPOINTS)
    whole.add(played(several, Ebbinghaus()))
    parts = counted(*([several[number]] for number in order), policy=Ebbinghaus())
    assert parts == whole
    assert parts.summaries()["token_turns"].summary.maximum == 9 * 13
    assert parts.summaries()["token_turns"].summary.minimum == 2 * 13
    assert parts.summaries()["mean_working_set_tokens"].summary.maximum == 9 * 13 / 30


@given(together, ordinary_ebbinghaus())
def test_summaries_are_those_of_the_scalar_runs(several: list[Session], policy: Ebbinghaus) -> None:
    """Mean, spread and extremes are the statistics module's, over what the scalar engine measured."""
    measured = [measure(run(engine_for(policy, session), session)) for session in several]
    summaries = counted(several, policy=policy).summaries()
    assert list(summaries) == [*METRIC_NAMES, *(rate_at(turn) for turn in CHECKPOINTS)]
    for name in METRIC_NAMES:
        values = [float(value) for one in measured if (value := getattr(one, name)) is not None]
        summary = summaries[name].summary
        assert [summary.count, summary.null_count] == [len(values), len(several) - len(values)]
        assert summary.mean == (statistics.mean(values) if values else None)
        assert summary.standard_deviation == (statistics.stdev(values) if len(values) > 1 else None)
        assert [summary.minimum, summary.maximum] == [min(values, default=None), max(values, default=None)]


@given(together, ordinary_ebbinghaus())
def test_intervals_hold_the_mean(several: list[Session], policy: Ebbinghaus) -> None:
    """The interval encloses the mean; a rate's stays within [0, 1] and is never empty."""
    for name, one in counted(several, policy=policy).summaries().items():
        if one.summary.mean is None or one.low is None or one.high is None:
            assert one.low is None
            assert one.high is None
            continue
        assert one.low <= one.summary.mean <= one.high
        if "rate" in name:
            assert 0.0 <= one.low < one.high <= 1.0
    rates = {metric.name for metric in METRICS if metric.interval == "rate"}
    summaries = counted(several, policy=policy).summaries()
    assert {name for name in rates if summaries[name].low is None} <= {"hit_rate"}
    assert (summaries["hit_rate"].low is None) == (summaries["hit_rate"].summary.mean is None)


@given(outcomes())
def test_many_cells_at_once_are_as_each_by_itself(drawn: tuple[BlockOutcome, int]) -> None:
    """Sorting all cells together gives the histograms that counting each cell gives, and the same summaries."""
    outcome, cells = drawn
    per_cell = len(outcome.session_length) // cells
    found = histograms_of_cells(outcome, cells, CHECKPOINTS)
    assert len(found) == cells
    for number, one in enumerate(found):
        expected = CellHistograms(CHECKPOINTS)
        expected.add(cut(outcome, number * per_cell, (number + 1) * per_cell))
        assert one == expected
        assert one.summaries() == expected.summaries()
        assert one.num_sessions == expected.num_sessions == per_cell


@given(outcomes())
def test_histograms_are_what_plain_counting_gives(drawn: tuple[BlockOutcome, int]) -> None:
    """Every value with its number of sessions, ascending, and the missing ones: counted here by a dictionary."""
    outcome, _ = drawn
    (found,) = histograms_of_cells(outcome, 1, CHECKPOINTS)
    columns = metric_columns(outcome) | columns_beside(outcome, CHECKPOINTS)
    for name, histogram in found.histograms.items():
        values, valid = columns[name]
        there = np.ones(len(values), dtype=bool) if valid is None else valid
        expected = Counter(values[there].tolist())
        distinct, counts = histogram.values_and_counts()
        assert list(zip(distinct.tolist(), counts.tolist(), strict=True)) == sorted(expected.items())
        assert histogram.null_count == int((~there).sum())
    assert list(found.histograms) == list(summarised_names(CHECKPOINTS))


@given(outcomes(), st.data())
def test_outcomes_that_are_counted_are_as_outcomes_spelled_out(
    drawn: tuple[BlockOutcome, int], data: st.DataObject
) -> None:
    """Each distinct outcome as often as it occurred, nulls and 0 times included."""
    outcome, _ = drawn
    count = len(outcome.session_length)
    times = np.array(data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)), dtype=np.int64)
    places = np.repeat(np.arange(count), times)
    columns = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    spelled_out = BlockOutcome(**{name: None if one is None else one[..., places] for name, one in columns.items()})
    found, expected = CellHistograms(CHECKPOINTS), CellHistograms(CHECKPOINTS)
    found.add_counted(outcome, times)
    expected.add(spelled_out)
    assert found == expected
    assert found.num_sessions == times.sum()


@given(outcomes())
def test_a_cell_merged_with_its_equal_is_doubled(drawn: tuple[BlockOutcome, int]) -> None:
    """Adding a cell to itself doubles every count and changes no value; the cell that was added stays as it was."""
    outcome, _ = drawn
    (found,) = histograms_of_cells(outcome, 1, CHECKPOINTS)
    (other,) = histograms_of_cells(outcome, 1, CHECKPOINTS)
    doubled = CellHistograms(CHECKPOINTS)
    doubled.merge(found)
    doubled.merge(found)
    assert found == other
    assert doubled != found
    for one, two in zip(found.histograms.values(), doubled.histograms.values(), strict=True):
        assert two.values_and_counts()[0].tolist() == one.values_and_counts()[0].tolist()
        assert two.values_and_counts()[1].tolist() == (2 * one.values_and_counts()[1]).tolist()
        assert two.null_count == 2 * one.null_count


def test_metrics_with_too_many_values_are_folded() -> None:
    """Beyond the bound only moments are kept, and the summary is as exact as before."""
    outcome = outcome_of(50)
    (exact,) = histograms_of_cells(outcome, 1, CHECKPOINTS)
    folded = folded_cell(outcome)
    assert 0 < sum(one.moments is not None for one in folded.histograms.values()) < len(folded.histograms)
    assert folded.num_sessions == 50
    assert folded.summaries() == exact.summaries()
    assert folded != exact
    assert folded == folded_cell(outcome)


def test_long_histograms_are_summarised_as_short_ones() -> None:
    """Where a histogram is too long to be remembered, its summary is the same all the same."""
    count = 500
    outcome = outcome_of(count, working_set_sum=np.arange(count, dtype=np.int64) * 7 % 499)
    expected = CellHistograms(CHECKPOINTS)
    expected.add(outcome)
    (found,) = histograms_of_cells(outcome, 1, CHECKPOINTS)
    assert len(found.histograms["mean_working_set"].values_and_counts()[0]) > 400
    assert found.summaries() == expected.summaries()


def test_a_value_that_is_not_finite_is_refused() -> None:
    """A NaN would be taken for a missing value: it is named instead."""
    values = np.full(4, np.nan)
    with pytest.raises(InvalidInputError, match="mean_working_set has a value that is not finite"):
        histograms_of_cells(outcome_of(4, working_set_sum=values), 2, CHECKPOINTS)


def test_histograms_that_are_handed_out_are_counted_one_by_one() -> None:
    """Metrics in tokens are counted with those in items inside, which nobody outside may notice."""
    outcome = outcome_of(5)
    expected, found = CellHistograms(CHECKPOINTS), CellHistograms(CHECKPOINTS)
    expected.add(outcome)
    columns = metric_columns(outcome) | columns_beside(outcome, CHECKPOINTS)
    for name, histogram in found.histograms.items():
        histogram.add(*columns[name])
    assert found == expected
    assert len(set(map(id, expected.histograms.values()))) == len(expected.histograms)


def test_a_checkpoint_that_only_some_sessions_reach_counts_those() -> None:
    """The others have no value there: neither in the mean, the extremes and the count, nor in the interval."""
    short = Session(4, (FOUNDATIONAL, NOISE), ((1, REGISTER, 0),))
    long = [Session(30, (FOUNDATIONAL,) * 4, tuple((4, REGISTER, item) for item in range(n))) for n in (1, 3)]
    found = counted([short, *long], [short, short], policy=Ebbinghaus(0.5, 3.0))
    at_5, at_40 = (found.summaries()[rate_at(turn)] for turn in CHECKPOINTS)
    deviation = statistics.stdev([0.25, 0.75])
    assert at_5.summary == Summary(2, 3, 0.5, deviation, 0.25, 0.75, constant=False)
    assert (at_5.low, at_5.high) == rate_interval(0.5, deviation, 2)
    whole = found.summaries()["foundational_evicted"]
    assert (whole.summary.minimum, whole.summary.mean, whole.summary.maximum) == (1.0, 7 / 5, 3.0)
    assert (whole.low, whole.high) == student_interval(7 / 5, statistics.stdev([1, 1, 3, 1, 1]), 5)
    assert (at_40.summary.count, at_40.summary.null_count, at_40.low, at_40.high) == (0, 5, None, None)
    assert [one.num_sessions for one in found.histograms.values()] == [5] * len(found.histograms)


def test_the_nulls_of_counted_outcomes_are_counted() -> None:
    """As often as the sessions without a value occurred."""
    evicted = np.array([0, 2, 0])
    found = CellHistograms(CHECKPOINTS)
    found.add_counted(outcome_of(3, foundational_evicted=evicted, survival_sum=3 * evicted), np.array([5, 2, 4]))
    survival = found.summaries()["survival_time"].summary
    assert (survival.count, survival.null_count, survival.mean) == (2, 9, 3.0)
    assert found.num_sessions == 11
