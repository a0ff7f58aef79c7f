"""What becomes of items that nothing touches after their registration: closed forms instead of simulation.

Such items are decided by the turn of their registration, so a cohort adds the same integers to every session of one
length.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.fields import DECAYED
from vecdecay.engines.kernels.rules import evicting_turns
from vecdecay.engines.outcome import CohortItems
from vecdecay.items import NOISE
from vecdecay.policies.rules import PLAIN_RULES, Rules
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.events import REGISTER


@dataclass(frozen=True)
class CohortFate:
    """A cohort under a policy, in sessions of one length.

    ``horizon`` is how many units of time an item outlives its registration (int, see ``engines.horizon``), and
    ``stability`` what it is then, in turns. Where the life depends on the turn of registration, ``turns_of_expiry`` has
    the turn of eviction for each turn of the cohort (session_length + 1 for "never"), ``stabilities`` what the items
    had then, and ``horizon`` is not read.
    """

    cohort: Cohort
    horizon: int
    session_length: int
    rules: Rules = PLAIN_RULES
    stability: float = 0.0
    turns_of_expiry: tuple[int, ...] | None = None
    stabilities: tuple[float, ...] | None = None

    def registered_turns(self) -> NDArray[np.int64]:
        """Return the turns in which the cohort registers items, shape (turn)."""
        return np.arange(self.cohort.first_turn, self.cohort.last_turn + 1, dtype=np.int64)

    def expiries(self) -> NDArray[np.int64]:
        """Return the turn whose pass evicts the items of each such turn, session_length + 1 where none does."""
        if self.turns_of_expiry is not None:
            return np.array(self.turns_of_expiry, dtype=np.int64)
        turns = np.empty(self.cohort.last_turn - self.cohort.first_turn + 1, dtype=np.int64)
        rules, never = self.rules, self.session_length + 1
        evicting_turns(
            self.cohort.first_turn, self.horizon, rules.period_turns, rules.grace_turns, rules.unit_turns, never, turns
        )
        return turns

    def item_stability(self) -> NDArray[np.float64]:
        """Return the stability of the items of each turn of the cohort, shape (turn)."""
        if self.stabilities is not None:
            return np.array(self.stabilities)
        return np.full(self.cohort.last_turn - self.cohort.first_turn + 1, self.stability)

    @cached_property
    def evicted_and_held(self) -> tuple[int, int]:
        """Return the turns whose items are evicted, and the turns held summed over one item of each turn."""
        if self.turns_of_expiry is None and self.rules.period_turns == 1 and self.rules.unit_turns == 1:
            return self._closed_form()
        expiries = self.expiries()
        return int((expiries <= self.session_length).sum()), int((expiries - self.registered_turns()).sum())

    def _closed_form(self) -> tuple[int, int]:
        cohort, length = self.cohort, self.session_length
        horizon = max(self.horizon, self.rules.grace_turns)
        turns = cohort.last_turn - cohort.first_turn + 1
        whole = _clamp(length - horizon + 1 - cohort.first_turn + 1, turns)  # live a full horizon
        evicted = _clamp(length - horizon - cohort.first_turn + 1, turns)
        longest_rest = length - (cohort.first_turn + whole) + 1
        shortest_rest = length - cohort.last_turn + 1
        return evicted, whole * horizon + (longest_rest + shortest_rest) * (turns - whole) // 2

    def working_set(self) -> NDArray[np.int64]:
        """Return how many of the items are in the working set after each turn, shape (turn 0 … session_length + 1)."""
        size = np.zeros(self.session_length + 2, dtype=np.int64)
        registered = self.registered_turns()
        size[registered] += self.cohort.count
        np.subtract.at(size, self.expiries(), self.cohort.count)
        return np.cumsum(size)


def one_of_each_turn(cohort: Cohort, session_length: int) -> SessionBlock:
    """Return a session with one item of a cohort for each of its turns, which nothing ever touches again."""
    turns = np.arange(cohort.first_turn, cohort.last_turn + 1, dtype=np.int32)
    ones = np.arange(len(turns) + 1, dtype=np.int64)
    return SessionBlock(
        session_length=np.array([session_length], dtype=np.int64),
        item_start=ones[[0, -1]],
        item_kind=np.full(len(turns), NOISE, dtype=np.int8),
        touch_start=ones,
        touch_turn=turns,
        touch_kind=np.full(len(turns), REGISTER, dtype=np.int8),
        max_recalls=0,
        attributes=(cohort.attributes,),
    )


def _clamp(value: int, highest: int) -> int:
    return max(0, min(value, highest))


Count = int | NDArray[np.int64]
"""One number for all sessions, or one for each, shape (session)."""


@dataclass(frozen=True)
class CohortTotals:
    """What cohorts add to the totals of a session: evictions, turns held (in items, in tokens), registrations."""

    items_evicted: Count = 0
    working_set_sum: Count = 0
    token_turns: Count = 0
    registrations: Count = 0
    registered_tokens: Count = 0


def cohort_totals(fates: Sequence[CohortFate]) -> CohortTotals:
    """Return what several cohorts add to each session of one length.

    >>> cohort_totals([CohortFate(Cohort(first_turn=1, last_turn=150, count=3), horizon=13, session_length=150)])
    CohortTotals(items_evicted=411, working_set_sum=5616, token_turns=5616, registrations=450, registered_tokens=450)
    """
    each = [(fate.cohort.count, fate.cohort.tokens, *fate.evicted_and_held, fate.cohort.items()) for fate in fates]
    return CohortTotals(
        items_evicted=sum(count * evicted for count, _, evicted, _, _ in each),
        working_set_sum=sum(count * held for count, _, _, held, _ in each),
        token_turns=sum(count * tokens * held for count, tokens, _, held, _ in each),
        registrations=sum(items for *_, items in each),
        registered_tokens=sum(tokens * items for _, tokens, _, _, items in each),
    )


class Fates:
    """The fates of a block's cohorts, for each session length that occurs; ``fate`` says what becomes of one cohort.

    Made before the block is played: to find a fate may take playing another block, with the same scratch arrays.
    """

    def __init__(self, block: SessionBlock, fate: Callable[[Cohort, int], CohortFate]) -> None:
        self._block = block
        self._fates: dict[int, dict[int, CohortFate]] = {}
        for length in block.lengths:
            cohorts = enumerate(cohort.until(length) for cohort in block.cohorts)
            # A cohort that begins after the end of a session is not in it.
            here = {place: fate(one, length) for place, one in cohorts if one.last_turn >= one.first_turn}
            self._fates[length] = here

    def of_length(self, length: int) -> list[CohortFate]:
        """Return the fates in sessions of a length."""
        return list(self._fates[length].values())

    def totals(self) -> CohortTotals:
        """Return what the cohorts add to every session."""
        lengths = self._block.lengths
        each = [cohort_totals(self.of_length(length)) for length in lengths]
        if len(each) == 1:
            return each[0]
        which = np.searchsorted(np.array(lengths, dtype=np.int64), self._block.session_length)
        names = CohortTotals.__dataclass_fields__
        return CohortTotals(
            **{name: np.array([getattr(one, name) for one in each], dtype=np.int64)[which] for name in names}
        )

    def items(self) -> CohortItems | None:
        """Return the items of a block whose sessions have one length, None where there are none."""
        if not self._block.cohorts or self._block.num_sessions == 0:
            return None
        (length,) = self._block.lengths
        fates = self.of_length(length)
        turns = [np.repeat(fate.registered_turns(), fate.cohort.count) for fate in fates]
        gone = [np.repeat(fate.expiries(), fate.cohort.count) for fate in fates]
        stability = [np.repeat(fate.item_stability(), fate.cohort.count) for fate in fates]
        evicted = np.concatenate([np.empty(0, np.int64), *gone])
        evicted = np.where(evicted <= length, evicted, 0).astype(np.int32)
        places = [np.full(fate.cohort.items(), place) for place, fate in self._fates[length].items()]
        return CohortItems(
            np.concatenate([np.empty(0, np.int64), *places]).astype(np.int32),
            np.concatenate([np.empty(0, np.int64), *turns]).astype(np.int32),
            evicted,
            np.where(evicted > 0, DECAYED, 0).astype(np.int32),
            np.concatenate([np.empty(0), *stability]),
        )

    def working_set(self, length: int) -> NDArray[np.int32]:
        """Return how many cohort items there are after each turn of such a session (turn 0 … length + 1)."""
        sizes = np.zeros(length + 2, dtype=np.int64)
        for fate in self.of_length(length):
            sizes += fate.working_set()
        return sizes.astype(np.int32)
