"""Tests of vecdecay.engines.sums: from a kernel's arrays to outcomes."""

from dataclasses import replace

import numpy as np
import pytest

from vecdecay.engines.cohorts import CohortFate, Fates
from vecdecay.engines.kernels.fields import DECAYED, EXPIRED, NUM_ITEM_FIELDS, PRESENT_BIT, REASON_SHIFT, STATUS
from vecdecay.engines.outcome import Wanted
from vecdecay.engines.sums import NO_TURNS, Intervals, outcome_of, room_for, row_length, rows_of
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, REGISTER, Session


def test_rows_are_long_enough_and_do_not_share_cache_places() -> None:
    """A row holds its entries, and rows of int32 or int64 never begin a multiple of 4096 bytes apart."""
    for count in (0, 1, 63, 1023, 1024, 1025, 4000, 4096, 123_456):
        length = row_length(count)
        assert length >= count
        for itemsize in (4, 8):
            assert (length * itemsize) % 4096 != 0


def test_rows_of_a_flat_array() -> None:
    """Each row begins where the last ends, and only the entries that count are returned."""
    flat = np.arange(12)
    assert rows_of(flat, 3, 2).tolist() == [[0, 1], [4, 5], [8, 9]]
    assert rows_of(flat, 2, 6).tolist() == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]


def two_facts() -> SessionBlock:
    """Return sessions of 3 turns and of 1 turn, with one foundational item each and two cohort items in turn 1."""
    sessions = [Session(length, (FOUNDATIONAL,), ((1, REGISTER, 0),)) for length in (3, 1)]
    return replace(block_of(sessions), cohorts=(Cohort(1, 1, 2),))


def test_turns_come_without_margins() -> None:
    """A row per turn of each session, in their order, cohorts included."""
    block = two_facts()
    intervals = Intervals(block)
    intervals.count[:] = 1
    intervals.start[:], intervals.end[:] = 1, [3, 2]
    turns = intervals.per_turn(Fates(block, lambda cohort, length: CohortFate(cohort, 1, length)))
    assert turns.turn_start.tolist() == [0, 3, 4]
    assert turns.foundational_present.tolist() == [1, 1, 0, 1]
    assert turns.working_set.tolist() == [3, 1, 0, 3]


def test_checkpoints_after_the_end_are_marked() -> None:
    """A checkpoint at the last turn is reached, one turn later it is not."""
    intervals = Intervals(two_facts())
    intervals.count[:] = 1
    intervals.start[:], intervals.end[:] = 1, [3, 2]
    assert intervals.at_checkpoints(np.array([1, 2, 3, 4])).tolist() == [[1, 1], [1, -1], [0, -1], [-1, -1]]
    assert intervals.at_checkpoints(np.array([], dtype=np.int64)).shape == (0, 2)


def test_item_rows_get_their_names() -> None:
    """Rows of the item array are named as kernels write them; the status holds two columns."""
    block = replace(two_facts(), cohorts=())
    written = room_for(block, Wanted(NO_TURNS, items=True), has_stability=False)
    rows = rows_of(written.fields, NUM_ITEM_FIELDS, 2)
    rows[:] = np.arange(NUM_ITEM_FIELDS * 2, dtype=np.int32).reshape(NUM_ITEM_FIELDS, 2)
    rows[STATUS] = [PRESENT_BIT | EXPIRED << REASON_SHIFT, DECAYED << REASON_SHIFT]
    written.sums[:] = 0
    items = outcome_of(written, Fates(block, no_fate), Wanted(NO_TURNS, items=True)).items
    assert items is not None
    named = (items.registered_turn, items.last_touch, items.recall_count, items.evicted_turn, items.hits, items.misses)
    assert [row.tolist() for row in named] == [[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]
    assert items.present.tolist() == [1, 0]
    assert items.evicted_reason.tolist() == [EXPIRED, DECAYED]
    assert items.stability is None


def no_fate(cohort: Cohort, length: int) -> CohortFate:
    """Fail: the block has no cohorts."""
    raise AssertionError(f"{cohort} in {length} turns")


@pytest.mark.parametrize("reuse", [False, True])
def test_items_are_their_own_unless_they_may_be_reused(reuse: bool) -> None:
    """What the thread's next block writes does not reach the items of the one before, except with ``reuse``."""
    block = replace(two_facts(), cohorts=())
    wanted = Wanted(NO_TURNS, items=True)
    written = room_for(block, wanted, has_stability=False)
    written.fields[:], written.sums[:] = 0, 0
    items = outcome_of(written, Fates(block, no_fate), wanted, reuse).items
    assert items is not None
    room_for(block, wanted, has_stability=False).fields[:] = 9
    assert items.hits.tolist() == ([9, 9] if reuse else [0, 0])
