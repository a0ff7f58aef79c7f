"""What seeded workloads have in common: items that follow steps, noise, one plain and one vectorised generator.

A workload of this kind says only which steps its items take (:meth:`SeededWorkload.plans`). The events of a turn come
in the order of the items' numbers: those with a rhythm first, then noise by the turn of its registration.
"""

import dataclasses
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.parameters import Check, Described, Parameter, parameter, parameters_of
from vecdecay.sessions.attributes import AttributeParameters
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.draws import plain, seed_key, seed_keys
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.noise import NoiseParameters
from vecdecay.sessions.rhythm_kernel import count_noise, generate_sessions, recall_gap, take_steps
from vecdecay.sessions.session import FOUNDATIONAL, MAX_SESSION_LENGTH, NOISE, RECALL, REGISTER, PlayedEvent, Session
from vecdecay.sessions.steps import Plan, Step, flat_numbers, most_touches
from vecdecay.sessions.streams import WORKLOAD_IDS
from vecdecay.sessions.workload import Sizes, Workload

Touches = list[tuple[int, int]]
"""(turn, REGISTER or RECALL) of one item."""


@dataclass(frozen=True)
class SessionShape(Described):
    """How long a session is, and how many of its items matter."""

    session_length: int = parameter(
        150, at_least=1, at_most=MAX_SESSION_LENGTH, unit="turns", meaning="number of turns of a session"
    )
    num_foundational: int = parameter(3, at_least=0, at_most=2**31 - 1, meaning="items whose recall rate is measured")


@dataclass(frozen=True)
class SeededWorkload(AttributeParameters, NoiseParameters, SessionShape, Workload):
    """A workload whose items follow steps and whose draws have addresses; see :mod:`vecdecay.sessions.philox`.

    Where a longer session is said to have the shorter one as its beginning, that holds for its items, their events,
    categories, pins and sizes, and for an importance that is drawn. It does not hold for importance that follows use
    (``importance_follows_use`` other than 0): that counts the recalls of the whole session.
    """

    @classmethod
    def parameters(cls) -> tuple[Parameter, ...]:
        """Return the parameters: length and items, the rhythm, noise, attributes."""
        shared = {one.name: one for one in parameters_of(cast(Any, SeededWorkload))}
        shape = {one.name for one in parameters_of(cast(Any, SessionShape))}
        every = super().parameters()
        rhythm = [one for one in every if one.name not in shared]
        return (
            *(one for one in every if one.name in shape),
            *rhythm,
            *(one for one in every if one.name in shared and one.name not in shape),
        )

    @abstractmethod
    def plans(self) -> Sequence[Plan]:
        """Return the steps of the foundational items, in the order of their numbers."""

    def checks(self) -> Sequence[Check]:
        """Return the checks of the rhythm, of noise, of attributes, and of what fits a session."""
        attributes = (self.category_problems, self.importance_problems)
        return (self.rhythm_problems, self.noise_problems, *attributes, *super().checks())

    def rhythm_problems(self) -> list[str]:
        """Return the mistakes of the rhythm; a workload that has any overrides this."""
        return []

    def too_short(self, needed: int, why: str) -> list[str]:
        """Return the problem that the session has fewer turns than its schedule needs, if it has."""
        if self.session_length >= needed:
            return []
        where = f"{type(self).__name__}.session_length is {self.session_length}"
        return [f"{where}; allowed: at least {needed}, which {why} take"]

    @property
    def workload_id(self) -> int:
        """Return the word that keeps this workload's draws apart from all others'."""
        return WORKLOAD_IDS[self.name]

    @cached_property
    def _plans(self) -> tuple[Plan, ...]:
        return tuple(plan for plan in self.plans() if plan.num_items > 0)

    @property
    def _noise_as_cohort(self) -> bool:
        if self.noise_per_turn == 0.0:
            return True
        return self.noise_is_uniform and not self.attributes_vary and self.token_distribution == "constant"

    def session(self, seed: int) -> Session:
        """Return the session of one seed, by the same arithmetic as :meth:`block`, uncompiled."""
        key = seed_key(seed)
        items = self._rhythmic_items(key)
        kinds = [FOUNDATIONAL] * len(items)
        addresses = [(False, item, 0) for item in range(len(items))]
        thresholds, guide = (table.tolist() for table in self.noise_table())
        bursts = self.noise_burst_turns, self.burst_share
        for turn in range(1, self.session_length + 1):
            for number in range(plain(count_noise)(key, self.workload_id, turn, *bursts, thresholds, guide)):
                items.append(self._noise_touches(key, turn, number))
                kinds.append(NOISE)
                addresses.append((True, turn, number))
        events: list[PlayedEvent] = [(turn, kind, item) for item, touches in enumerate(items) for turn, kind in touches]
        events.sort(key=lambda event: event[0])
        drawn = [
            self.attributes_at(key, self.workload_id, *address, len(touches) - 1)
            for address, touches in zip(addresses, items, strict=True)
        ]
        attributes, tokens = tuple(one for one, _ in drawn), tuple(size for _, size in drawn)
        return Session(
            self.session_length,
            tuple(kinds),
            tuple(events),
            () if all(one == DEFAULT_ATTRIBUTES for one in attributes) else attributes,
            () if all(size == 1 for size in tokens) else tokens,
            key,
        )

    def _rhythmic_items(self, key: int) -> list[Touches]:
        """Return the touches of every item that has a rhythm."""
        steps_of = [steps for count, steps in self._plans for _ in range(count)]
        shared = key, self.workload_id
        return [_touches_of(*shared, item, self.session_length, steps) for item, steps in enumerate(steps_of)]

    def _noise_touches(self, key: int, turn: int, number: int) -> Touches:
        touches = [(turn, REGISTER)]
        if self.noise_recall_probability == 0.0:
            return touches
        chance, mean_gap = self.noise_recall_probability, self.noise_recall_gap
        while True:
            last, recall = touches[-1][0], len(touches) - 1
            address = key, self.workload_id, turn, number, recall
            gap = plain(recall_gap)(*address, chance, mean_gap, self.session_length - last)
            if gap == 0:
                return touches
            touches.append((last + gap, RECALL))

    def block(self, seeds: Seeds) -> SessionBlock:
        """Return the sessions of many seeds; noise as a cohort where every session has the same."""
        keys = seed_keys(seeds)
        sizes = self.sizes()
        room = 1
        while True:
            most_items, most_touches = (room * len(keys) * most for most in (sizes.listed_items, sizes.touches))
            item_start = np.empty(len(keys) + 1, dtype=np.int64)
            item_kind = np.empty(most_items, dtype=np.int8)
            touch_start = np.empty(most_items + 1, dtype=np.int64)
            touch_turn = np.empty(most_touches, dtype=np.int32)
            touch_kind = np.empty(most_touches, dtype=np.int8)
            if self._generate(keys, item_start, item_kind, touch_start, touch_turn, touch_kind):
                break
            room *= 2  # the bounds in ``sizes`` are broken less than once in 1e20 blocks
        num_items = int(item_start[-1])
        num_touches = int(touch_start[num_items])
        item_kind, touch_start = item_kind[:num_items], touch_start[: num_items + 1]
        attributes, item_attributes, item_tokens = self.draw_items(
            keys, self.workload_id, item_start, item_kind, touch_start, touch_turn
        )
        return SessionBlock(
            session_length=np.full(len(keys), self.session_length, dtype=np.int64),
            item_start=item_start,
            item_kind=item_kind,
            touch_start=touch_start,
            touch_turn=touch_turn[:num_touches],
            touch_kind=touch_kind[:num_touches],
            max_recalls=_rounded_up(int(np.diff(touch_start).max(initial=1)) - 1),
            cohorts=self._cohorts(),
            attributes=attributes,
            item_attributes=item_attributes,
            item_tokens=item_tokens,
            seed_keys=keys,
        )

    def _generate(self, keys: NDArray[np.int64], *written: Any) -> bool:
        step_start = np.cumsum([0, *(len(plan.steps) for plan in self._plans)], dtype=np.int64)
        counts = [plan.num_items for plan in self._plans]
        return generate_sessions(
            keys,
            self.workload_id,
            self.session_length,
            np.array(flat_numbers(self._plans), dtype=np.float64),
            step_start,
            np.repeat(np.arange(len(counts), dtype=np.int32), counts),
            not self._noise_as_cohort,
            self.noise_burst_turns,
            self.burst_share,
            *self.noise_table(),
            self.noise_recall_probability,
            self.noise_recall_gap,
            *written,
        )

    def _cohorts(self) -> tuple[Cohort, ...]:
        if not self._noise_as_cohort or self.noise_per_turn == 0:
            return ()
        count = int(self.noise_per_turn)
        return (Cohort(1, self.session_length, count, self.usual_attributes, self.token_size),)

    def most_items(self) -> int:
        """Return the bound on the items of a session."""
        return sum(plan.num_items for plan in self._plans) + self.most_noise_items(self.session_length)

    def sizes(self) -> Sizes:
        """Return upper bounds for one session; where it is random, bounds broken less than once in 1e20 sessions."""
        items = self.most_items()
        listed = 0 if self._noise_as_cohort else self.most_noise_items(self.session_length)
        return Sizes(
            items=items,
            listed_items=sum(plan.num_items for plan in self._plans) + listed,
            touches=most_touches(self._plans) + listed + self.most_noise_recalls(self.session_length),
            turns=self.session_length,
            draws=0,
        )


def redefined(name: str, default: Any, **changed: Any) -> Any:
    """Return a parameter of every seeded workload as a field with another default, and what else is different."""
    metadata = next(one.metadata for one in dataclasses.fields(SeededWorkload) if one.name == name)
    return dataclasses.field(default=default, metadata={key: limits | changed for key, limits in metadata.items()})


def _touches_of(key: int, workload: int, item: int, session_length: int, steps: Sequence[Step]) -> Touches:
    """Return the touches that the steps make of one item, by the plain kernel, into lists long enough."""
    numbers = flat_numbers([Plan(1, tuple(steps))])
    room = 64
    while True:
        turns, kinds = [0] * room, [0] * room
        arguments: tuple[Any, ...] = (numbers, 0, len(steps), turns, kinds, 0)
        count = plain(take_steps)(key, workload, item, session_length, *arguments)
        if count >= 0:
            return list(zip(turns[:count], kinds[:count], strict=True))
        room *= 2


def _rounded_up(count: int) -> int:
    """Return the next power of two from ``count`` on: horizon tables are built once per width, not once per block."""
    return 1 << max(0, count - 1).bit_length() if count > 0 else 0
