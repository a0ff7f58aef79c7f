"""Tests of vecdecay.engines.cohorts: closed forms against items counted one by one."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import cohorts

from vecdecay.engines.cohorts import CohortFate, CohortTotals, Fates, cohort_totals
from vecdecay.engines.horizon import IMMORTAL
from vecdecay.engines.kernels.fields import DECAYED
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import Session


@st.composite
def fates(draw: st.DrawFn) -> list[CohortFate]:
    """Draw the fates of some cohorts of one session, horizons around its length included."""
    length = draw(st.integers(1, 25))
    horizon = draw(
        st.integers(1, 30) | st.sampled_from((length - 1, length, length + 1, IMMORTAL)).filter(lambda h: h > 0)
    )
    drawn = draw(st.lists(st.tuples(cohorts(length), st.integers(1, 3)), max_size=3))
    return [CohortFate(Cohort(*turns, tokens=tokens), horizon, length) for turns, tokens in drawn]


def one_by_one(fate: CohortFate) -> list[tuple[int, int]]:
    """Return (registered turn, turn of eviction or 0) for every item, counting."""
    cohort = fate.cohort
    items = []
    for turn in range(cohort.first_turn, cohort.last_turn + 1):
        expiry = turn + fate.horizon
        items += [(turn, expiry if expiry <= fate.session_length else 0)] * cohort.count
    return items


def fates_of(block: SessionBlock, together: Sequence[CohortFate]) -> Fates:
    """Return the fates of a block whose cohorts are those of ``together``."""
    known = {fate.cohort: fate for fate in together}
    return Fates(block, lambda cohort, _: known[cohort])


def expect_items(together: list[CohortFate], wanted: list[tuple[int, int]]) -> None:
    """Compare the cohort items of a block: registered and evicted turns, reasons, stabilities."""
    if not together:
        return
    block = replace(
        block_of([Session(together[0].session_length, (), ())]), cohorts=tuple(fate.cohort for fate in together)
    )
    items = fates_of(block, together).items()
    assert items is not None
    assert list(zip(items.registered_turn.tolist(), items.evicted_turn.tolist(), strict=True)) == wanted
    assert items.evicted_reason.tolist() == [DECAYED if evicted > 0 else 0 for _, evicted in wanted]
    assert items.stability.tolist() == [0.0] * len(wanted)
    assert items.registered_turn.dtype == items.evicted_turn.dtype == np.int32


@settings(max_examples=400)
@given(fates())
def test_closed_forms_count_right(together: list[CohortFate]) -> None:
    """Evictions, turns held, tokens, states and sizes per turn are those of the items, counted one by one."""
    totals = cohort_totals(together)
    items = [(fate, item) for fate in together for item in one_by_one(fate)]
    held = [(end or fate.session_length + 1) - start for fate, (start, end) in items]
    assert totals == CohortTotals(
        items_evicted=sum(end > 0 for _, (_, end) in items),
        working_set_sum=sum(held),
        token_turns=sum(fate.cohort.tokens * turns for (fate, _), turns in zip(items, held, strict=True)),
        registrations=len(items),
        registered_tokens=sum(fate.cohort.tokens for fate, _ in items),
    )
    expect_items(together, [item for _, item in items])
    for fate in together:
        sizes = [
            sum(start <= turn < (end or fate.session_length + 1) for start, end in one_by_one(fate))
            for turn in range(fate.session_length + 2)
        ]
        assert fate.working_set().tolist() == sizes


def test_sums_are_exact_however_large() -> None:
    """Totals are Python integers: nothing wraps around in the longest session with the most noise."""
    longest = 2**31 - 1
    cohort = Cohort(first_turn=1, last_turn=longest, count=longest)
    totals = cohort_totals([CohortFate(cohort, horizon=IMMORTAL, session_length=longest)])
    assert totals.working_set_sum == longest * (longest * (longest + 1) // 2)
    assert totals.items_evicted == 0
    finite = cohort_totals([CohortFate(cohort, horizon=13, session_length=longest)])
    assert finite.items_evicted == longest * (longest - 13)
    assert finite.working_set_sum == longest * (13 * longest - 13 * 12 // 2)


def test_no_cohorts() -> None:
    """Without cohorts there is nothing to add, and no item."""
    assert cohort_totals([]) == CohortTotals(0, 0, 0, 0, 0)
    assert Fates(block_of([Session(3, (), ())]), lambda cohort, length: CohortFate(cohort, 1, length)).items() is None


def test_cohorts_in_sessions_of_several_lengths() -> None:
    """A cohort is cut where a session ends, and is not in one that ends before it: each session has its own sum."""
    block = block_of([Session(length, (), ()) for length in (6, 2, 4, 6)])
    block = replace(block, cohorts=(Cohort(3, 5, 2, tokens=7), Cohort(1, 2, 1)))
    totals = Fates(block, lambda cohort, length: CohortFate(cohort, 2, length)).totals()
    assert np.array_equal(totals.registrations, [8, 2, 6, 8])
    assert np.array_equal(totals.items_evicted, [6, 0, 2, 6])
    assert np.array_equal(totals.working_set_sum, [4 + 12, 2 + 1, 4 + 6, 4 + 12])
    assert np.array_equal(totals.token_turns, [4 + 84, 2 + 1, 4 + 42, 4 + 84])
    assert np.array_equal(totals.registered_tokens, [2 + 42, 2, 2 + 28, 2 + 42])
