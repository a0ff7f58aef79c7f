"""Tests of vecdecay.analysis.summaries: running totals of a cell that do not depend on how the sessions were split."""

import json
import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import ordinary_ebbinghaus, sessions

from vecdecay.analysis.summaries import CellTallies, rate_at
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.play import play_block
from vecdecay.engines.reference import engine_for, measure, run
from vecdecay.policies import Ebbinghaus
from vecdecay.quantities import METRIC_NAMES, METRICS
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, REGISTER, Session

CHECKPOINTS = (5, 10)

together = st.lists(sessions((3, 13)), min_size=1, max_size=8)


def played(several: list[Session], policy: Ebbinghaus) -> BlockOutcome:
    """Play sessions with the table kernel, looking at the checkpoints."""
    return play_block(block_of(several), policy, "horizon", CHECKPOINTS)


def tallied(*parts: list[Session], policy: Ebbinghaus) -> CellTallies:
    """Tally each part on its own and merge them."""
    whole = CellTallies(CHECKPOINTS)
    for part in parts:
        tallies = CellTallies(CHECKPOINTS)
        tallies.add(played(part, policy))
        whole.merge(tallies)
    return whole


@given(together, ordinary_ebbinghaus(), st.integers(0, 8))
def test_the_split_does_not_matter(several: list[Session], policy: Ebbinghaus, cut: int) -> None:
    """Sessions tallied at once, in parts, or in the other order give the same totals and summaries."""
    whole = CellTallies(CHECKPOINTS)
    whole.add(played(several, policy))
    parts = [part for part in (several[:cut], several[cut:]) if part]
    split = tallied(*parts, policy=policy)
    turned = tallied(*parts[::-1], policy=policy)
    assert whole.to_json() == split.to_json() == turned.to_json()
    assert whole.summaries() == split.summaries() == turned.summaries()
    assert whole.num_sessions == len(several)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_blocks_with_and_without_sizes_join(order: tuple[int, ...]) -> None:
    """A block whose items all have the size 1 counts in tokens too, before, between and after blocks with sizes."""
    plain = Session(30, (FOUNDATIONAL, NOISE), ((1, REGISTER, 0), (4, REGISTER, 1)))
    several = [plain, replace(plain, tokens=(7, 2)), replace(plain, session_length=50)]
    whole = CellTallies(CHECKPOINTS)
    whole.add(played(several, Ebbinghaus()))
    parts = tallied(*([several[number]] for number in order), policy=Ebbinghaus())
    assert parts.to_json() == whole.to_json()
    assert parts.summaries()["token_turns"].summary.maximum == 9 * 13
    assert parts.summaries()["token_turns"].summary.minimum == 2 * 13


@given(together, ordinary_ebbinghaus())
def test_summaries_are_those_of_the_scalar_runs(several: list[Session], policy: Ebbinghaus) -> None:
    """Mean, spread and extremes are the statistics module's, over what the scalar engine measured."""
    measured = [measure(run(engine_for(policy), session)) for session in several]
    summaries = tallied(several, policy=policy).summaries()
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
    for name, one in tallied(several, policy=policy).summaries().items():
        if one.summary.mean is None or one.low is None or one.high is None:
            assert one.low is None
            assert one.high is None
            continue
        assert one.low <= one.summary.mean <= one.high
        if "rate" in name:
            assert 0.0 <= one.low < one.high <= 1.0
    rates = {metric.name for metric in METRICS if metric.interval == "rate"}
    assert all(tallied(several, policy=policy).summaries()[name].low is not None for name in rates)


@given(together, ordinary_ebbinghaus())
def test_tallies_survive_json(several: list[Session], policy: Ebbinghaus) -> None:
    """What is stored in a ledger comes back exactly."""
    tallies = tallied(several, policy=policy)
    content = json.loads(json.dumps(tallies.to_json()))
    back = CellTallies.from_json(content, CHECKPOINTS)
    assert back.to_json() == tallies.to_json()
    assert back.summaries() == tallies.summaries()
