"""Distributions of cells: the same by sorting many cells at once, by tallies, and by plain counting."""

from collections import Counter
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vecdecay.analysis.distributions import CellDistributions, distributions_of, distributions_of_cells
from vecdecay.analysis.summaries import CellTallies, summarised_names
from vecdecay.analysis.tally import Tally
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.play import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.metrics import checkpoint_columns, metric_columns
from vecdecay.policies import Ebbinghaus
from vecdecay.sessions import PublishedSessions

CHECKPOINTS = (5, 40)  # the second is after the end of every session drawn here


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


def same(one: CellDistributions, other: CellDistributions) -> bool:
    """Tell whether two cells have the same rows, to the bit."""
    return (
        one.lengths == other.lengths
        and one.values.tobytes() == other.values.tobytes()
        and one.counts.tolist() == other.counts.tolist()
        and dict(one.folded) == dict(other.folded)
    )


@given(outcomes())
def test_many_cells_at_once_are_as_each_by_its_tallies(drawn: tuple[BlockOutcome, int]) -> None:
    """Sorting all cells together gives the rows that counting each cell gives, and the same summaries."""
    outcome, cells = drawn
    per_cell = len(outcome.session_length) // cells
    for number, found in enumerate(distributions_of_cells(outcome, cells, CHECKPOINTS)):
        tallies = CellTallies(CHECKPOINTS)
        tallies.add(cut(outcome, number * per_cell, (number + 1) * per_cell))
        assert same(found, distributions_of(tallies))
        assert found.summaries(CHECKPOINTS) == tallies.summaries()
        assert found.num_sessions == tallies.num_sessions == per_cell


@given(outcomes())
def test_rows_are_what_plain_counting_gives(drawn: tuple[BlockOutcome, int]) -> None:
    """Every value with its number of sessions, ascending, the missing ones last: counted here by a dictionary."""
    outcome, _ = drawn
    found = distributions_of_cells(outcome, 1, CHECKPOINTS)[0]
    columns = metric_columns(outcome) | checkpoint_columns(outcome, CHECKPOINTS)
    first = 0
    for name, length in zip(summarised_names(CHECKPOINTS), found.lengths, strict=True):
        values, valid = columns[name]
        there = np.ones(len(values), dtype=bool) if valid is None else valid
        counted = Counter(values[there].tolist())
        rows = [(value, counted[value]) for value in sorted(counted)]
        if not there.all():
            rows.append((None, int((~there).sum())))
        held = zip(found.values[first : first + length].tolist(), found.counts[first : first + length], strict=True)
        assert [(None if value != value else value, int(count)) for value, count in held] == rows
        first += length
    assert first == len(found.values)


@given(outcomes())
def test_distributions_become_tallies_and_come_back(drawn: tuple[BlockOutcome, int]) -> None:
    """To tallies and back nothing changes, and adding a cell to itself doubles every count."""
    outcome, _ = drawn
    found = distributions_of_cells(outcome, 1, CHECKPOINTS)[0]
    tallies = found.tallies(CHECKPOINTS)
    assert same(distributions_of(tallies), found)
    tallies.merge(found.tallies(CHECKPOINTS))
    doubled = distributions_of(tallies)
    assert doubled.values.tobytes() == found.values.tobytes()
    assert doubled.counts.tolist() == [2 * count for count in found.counts.tolist()]


def test_metrics_with_too_many_values_are_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the bound one row stands for all values, and the summary is as exact as before."""
    outcome = outcome_of(50)
    exact = distributions_of_cells(outcome, 1, CHECKPOINTS)[0].summaries(CHECKPOINTS)
    tallies = CellTallies(CHECKPOINTS)
    tallies.tallies = {name: Tally(max_distinct=2) for name in tallies.tallies}
    tallies.add(outcome)
    folded = distributions_of(tallies)
    assert folded.folded
    assert len(folded.folded) < len(folded.lengths)
    assert all(folded.lengths[place] == 1 for place in folded.folded)
    assert folded.num_sessions == 50
    assert folded.summaries(CHECKPOINTS) == exact
    again = distributions_of(folded.tallies(CHECKPOINTS))
    assert again.folded == folded.folded


def test_long_histograms_are_summarised_as_short_ones() -> None:
    """Where a histogram is too long to be remembered, its summary is the tally's all the same."""
    count = 500
    outcome = outcome_of(count, working_set_sum=np.arange(count, dtype=np.int64) * 7 % 499)
    tallies = CellTallies(CHECKPOINTS)
    tallies.add(outcome)
    found = distributions_of_cells(outcome, 1, CHECKPOINTS)[0]
    assert max(found.lengths) > 400
    assert found.summaries(CHECKPOINTS) == tallies.summaries()


def test_a_value_that_is_not_finite_is_refused() -> None:
    """A NaN would be taken for a missing value: it is named instead."""
    values = np.full(4, np.nan)
    with pytest.raises(InvalidInputError, match="mean_working_set has a value that is not finite"):
        distributions_of_cells(outcome_of(4, working_set_sum=values), 2, CHECKPOINTS)
