"""Plays a block for every value of one parameter at once: integer counts per level that keeps an item."""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import one_of_each_turn
from vecdecay.engines.keeping import INSTEAD, Keeping, Levels, refuse_unsound, rows_of_attributes
from vecdecay.engines.kernels.curve_kernel import (
    NUM_COUNTS,
    NUM_TOTALS,
    REGISTERED_TOKENS,
    REGISTRATIONS,
    TOKEN_TURNS,
    TURNS,
    count_by_rank,
    longest_ages,
)
from vecdecay.engines.timing import has_clock
from vecdecay.errors import InvalidInputError
from vecdecay.items import Attributes
from vecdecay.policies.reactions import PLAIN_REACTIONS
from vecdecay.policies.rules import Rules
from vecdecay.sessions.block import Cohort, SessionBlock


class Tally(NamedTuple):
    """What was counted: ``level`` (level), ascending, and ``counts`` (NUM_COUNTS, level); what no value keeps is left
    out, and what every value keeps has the level infinity. ``totals`` (NUM_TOTALS) belong to every value.
    """

    level: NDArray[np.float64]
    counts: NDArray[np.int64]
    totals: NDArray[np.int64]


@dataclass
class _Work:
    """The arrays that a kernel adds to."""

    levels: Levels
    rows: int
    counts: NDArray[np.int64] = field(init=False)
    steps: NDArray[np.int64] = field(init=False)
    totals: NDArray[np.int64] = field(init=False)

    def __post_init__(self) -> None:
        self.counts = np.zeros(NUM_COUNTS * (len(self.levels.value) + 2), dtype=np.int64)
        self.steps = np.zeros(2 * self.rows * (int(self.levels.start[-1]) + 1), dtype=np.int64)
        self.totals = np.zeros(NUM_TOTALS, dtype=np.int64)

    def tally(self) -> Tally:
        """Return what was counted, the differences summed up."""
        counts = self.counts.reshape(NUM_COUNTS, -1)
        ranks = self.levels.ranks.reshape(self.rows, -1)
        held = np.cumsum(self.steps.reshape(2, self.rows, -1), axis=2)[:, :, :-1]
        for row, items in zip((TURNS, TOKEN_TURNS), held, strict=True):
            np.add.at(counts[row], ranks + 1, items)
        return Tally(np.append(self.levels.value, np.inf), counts[:, 1:], self.totals)


def tally_block(block: SessionBlock, keeping: Keeping) -> Tally:
    """Return what the sessions of a block come to for every value of the parameter.

    Raises:
        InvalidInputError: items meet in some session, or the policy reads another clock than the turns there.
    """
    policy, cohorts = keeping.policy, block.cohorts
    if block.carried is not None and (block.carried.queries or policy.reactions() != PLAIN_REACTIONS):
        raise InvalidInputError([f"the sessions hold events that concern several items; {INSTEAD}"])
    if has_clock(policy, block):
        raise InvalidInputError([f"{policy.name} reads another clock than the turns of these sessions; {INSTEAD}"])
    rules = np.array(policy.rules(), dtype=np.int64)
    longest = _longest(block, rules)
    rows, places = rows_of_attributes(policy, (*block.attributes, *(one.attributes for one in cohorts)))
    refuse_unsound(policy, block.max_recalls, rows)
    work = _Work(Levels(keeping, rows, longest), len(rows))
    _count(block, places, rows, rules, policy.rules(), work)
    tally = work.tally()
    lengths, sessions = np.unique(block.session_length, return_counts=True)
    for place, whole in enumerate(cohorts):
        row = places[len(block.attributes) + place]
        for length, times in zip(lengths.tolist(), sessions.tolist(), strict=True):
            cohort = whole.until(length)
            if cohort.last_turn >= cohort.first_turn:
                more = _Work(work.levels, len(rows))
                _count(one_of_each_turn(cohort, length), [row], rows, rules, policy.rules(), more)
                _add(tally, more.tally(), cohort, times)
    return tally


def _longest(block: SessionBlock, rules: NDArray[np.int64]) -> NDArray[np.int64]:
    longest = np.zeros(block.max_recalls + 1, dtype=np.int64)
    arrays = (block.item_start, block.touch_start, block.touch_turn, block.touch_kind)
    longest_ages(block.session_length, *arrays, rules, longest)
    if block.cohorts:
        first = min(one.first_turn for one in block.cohorts)
        longest[0] = max(int(longest[0]), max(block.lengths, default=1) - first + 1)
    return longest


def _count(
    block: SessionBlock, places: list[int], rows: list[Attributes], rules: NDArray[np.int64], named: Rules, work: _Work
) -> None:
    none = np.empty(0, dtype=np.int32)
    row_of = np.array(places, dtype=np.int32)
    item_row = none
    if block.item_attributes is not None:
        item_row = row_of[block.item_attributes]
    elif row_of[0] != 0:
        item_row = np.full(len(block.item_kind), row_of[0], dtype=np.int32)
    plain = named == Rules(cooldown_turns=named.cooldown_turns) and work.levels.falling
    count_by_rank(
        block.session_length,
        block.item_start,
        block.item_kind,
        block.touch_start,
        block.touch_turn,
        block.touch_kind,
        item_row,
        np.array([one.pinned for one in rows], dtype=np.bool_),
        none if block.item_tokens is None else block.item_tokens,
        none if block.item_expires is None else block.item_expires,
        work.levels.ranks,
        work.levels.start,
        len(work.levels.value),
        plain,
        rules,
        work.counts,
        work.steps,
        work.totals,
    )


def _add(tally: Tally, more: Tally, cohort: Cohort, sessions: int) -> None:
    """Add what one item of each turn of a cohort comes to, for all its items in so many sessions."""
    times = cohort.count * sessions
    sizes = np.array([[1], [cohort.tokens], [1], [1]])
    tally.counts[:] += times * sizes * more.counts
    tally.totals[REGISTRATIONS] += times * more.totals[REGISTRATIONS]
    tally.totals[REGISTERED_TOKENS] += times * cohort.tokens * more.totals[REGISTRATIONS]


def merged(tallies: list[Tally]) -> Tally:
    """Return the sum of what was counted in several blocks."""
    level = np.unique(np.concatenate([one.level for one in tallies]))
    counts = np.zeros((len(tallies[0].counts), len(level)), dtype=np.int64)
    for one in tallies:
        counts[:, np.searchsorted(level, one.level)] += one.counts
    return Tally(level, counts, np.sum([one.totals for one in tallies], axis=0))
