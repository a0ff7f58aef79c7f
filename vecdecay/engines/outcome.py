"""What a block of sessions came to under one policy: the one form in which every engine reports."""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.fields import (
    EVICTED_TURN,
    HITS,
    LAST_TOUCH,
    MISSES,
    PRESENT_BIT,
    REASON_SHIFT,
    RECALL_COUNT,
    REGISTERED_TURN,
    STATUS,
)
from vecdecay.engines.kernels.sums_kernel import place_items
from vecdecay.items import NOISE, Attributes


class Wanted(NamedTuple):
    """What is asked of a block beside totals: checkpoints (turns), a row per item, per turn, per miss;
    ``relations`` are counts of what concerns several items.

    ``relearn`` says that a recall which misses registers its item anew, in the same turn. ``uses`` are the sums over
    recalls that BlockOutcome names, ``saturation`` is that of its turns.
    """

    checkpoints: NDArray[np.int64]
    items: bool = False
    turns: bool = False
    relearn: bool = False
    misses: bool = False
    relations: bool = False
    uses: bool = False
    saturation: bool = False

    @property
    def intervals(self) -> bool:
        """Tell whether residency intervals are needed; the kernels that write them write misses too."""
        return self.turns or self.misses or len(self.checkpoints) > 0


class CohortItems(NamedTuple):
    """What becomes of cohort items, the same in every session; shapes (cohort item). Turn 0 stands for "never".

    ``cohort`` is the place of an item's cohort in the block.
    """

    cohort: NDArray[np.int32]

    registered_turn: NDArray[np.int32]
    evicted_turn: NDArray[np.int32]
    evicted_reason: NDArray[np.int32]
    stability: NDArray[np.float64]


class ItemAttributes(NamedTuple):
    """What is known of items: the combinations of attributes that occur, and which one an item has.

    ``listed`` (listed item), ``cohorts`` (cohort item) are places in ``kinds``.
    """

    kinds: tuple[Attributes, ...]
    listed: NDArray[np.int32]
    cohorts: NDArray[np.int32]


class ItemOutcomes:
    """What became of every item. Shapes: ``item_start`` (session + 1), all other columns (item). Turn 0 is "never".

    ``listed`` are the rows of the kernel's array for listed items (field, listed item); cohort items stand behind the
    listed ones of each session, and a column is written out when it is asked for. After an eviction the state is that
    of the moment before it. ``stability`` is in turns, None where the policy has none. ``evicted_reason`` is one of
    those in ``kernels.fields``, 0 for an item that was never evicted.
    """

    COLUMNS = (
        "item_start",
        "kind",
        "registered_turn",
        "last_touch",
        "recall_count",
        "evicted_turn",
        "evicted_reason",
        "hits",
        "misses",
        "present",
        "stability",
    )

    def __init__(
        self,
        listed_start: NDArray[np.int64],
        listed_kind: NDArray[np.int8],
        listed: NDArray[np.int32],
        stability: NDArray[np.float64] | None,
        cohorts: CohortItems | None,
        attributes: ItemAttributes,
    ) -> None:
        self.listed_start = listed_start
        self._kind = listed_kind
        self._listed = listed
        self._stability = stability
        self._attributes = attributes
        self._cohorts = cohorts if cohorts is not None and len(cohorts.registered_turn) > 0 else None

    @cached_property
    def item_start(self) -> NDArray[np.int64]:
        """Where the items of each session begin."""
        if self._cohorts is None:
            return self.listed_start
        more = len(self._cohorts.registered_turn)
        start: NDArray[np.int64] = self.listed_start + more * np.arange(len(self.listed_start), dtype=np.int64)
        return start

    @cached_property
    def kind(self) -> NDArray[np.int8]:
        """NOISE or FOUNDATIONAL."""
        return self._column(self._kind, np.int8(NOISE))

    @cached_property
    def registered_turn(self) -> NDArray[np.int32]:
        """The turn of the last registration."""
        return self._field(REGISTERED_TURN, None if self._cohorts is None else self._cohorts.registered_turn)

    @cached_property
    def last_touch(self) -> NDArray[np.int32]:
        """The turn of the last registration or hit."""
        return self._field(LAST_TOUCH, None if self._cohorts is None else self._cohorts.registered_turn)

    @cached_property
    def recall_count(self) -> NDArray[np.int32]:
        """The registration and the recalls since then that counted."""
        return self._field(RECALL_COUNT, np.int32(1))

    @cached_property
    def evicted_turn(self) -> NDArray[np.int32]:
        """The turn of the last eviction."""
        return self._field(EVICTED_TURN, None if self._cohorts is None else self._cohorts.evicted_turn)

    @cached_property
    def evicted_reason(self) -> NDArray[np.int32]:
        """Why the item was evicted last."""
        reasons = None if self._cohorts is None else self._cohorts.evicted_reason
        return self._column(self._listed[STATUS] >> REASON_SHIFT, reasons)

    @cached_property
    def hits(self) -> NDArray[np.int32]:
        """Recalls that found the item."""
        return self._field(HITS, np.int32(0))

    @cached_property
    def misses(self) -> NDArray[np.int32]:
        """Recalls that did not."""
        return self._field(MISSES, np.int32(0))

    @cached_property
    def present(self) -> NDArray[np.int32]:
        """1 where the item is in memory at the end, else 0."""
        there = None if self._cohorts is None else (self._cohorts.evicted_turn == 0).astype(np.int32)
        return self._column(self._listed[STATUS] & PRESENT_BIT, there)

    @cached_property
    def stability(self) -> NDArray[np.float64] | None:
        """The stability in turns, 0.0 for an item that was never registered."""
        if self._stability is None:
            return None
        return self._column(self._stability, None if self._cohorts is None else self._cohorts.stability)

    @property
    def attributes(self) -> tuple[tuple[Attributes, ...], NDArray[np.int32]]:
        """Return the combinations of attributes that occur, and the place of each item's among them, shape (item)."""
        return self._attributes.kinds, self._column(self._attributes.listed, self._attributes.cohorts)

    def write_out(self, room: Callable[[str, int, Any], NDArray[Any]]) -> None:
        """Write the (session × item) arrays of a memory at once: stability, last touch, turn of eviction.

        ``room`` gives an array for a name, a size and a type; see ``scratch``.
        """
        if self._cohorts is None:
            return
        size, cohorts = int(self.item_start[-1]), self._cohorts
        last, evicted = room("last_touch", size, np.int32), room("evicted_turn", size, np.int32)
        place_items(self.listed_start, self._listed[LAST_TOUCH], cohorts.registered_turn, last)
        place_items(self.listed_start, self._listed[EVICTED_TURN], cohorts.evicted_turn, evicted)
        self.__dict__ |= {"last_touch": last, "evicted_turn": evicted}
        if self._stability is not None:
            stability = room("stability", size, np.float64)
            place_items(self.listed_start, self._stability, cohorts.stability, stability)
            self.__dict__["stability"] = stability

    def add(self, row: int, start: NDArray[np.int64], more: NDArray[np.int64]) -> None:
        """Add to a field of listed items; ``more`` has an entry per item of a block whose sessions begin at ``start``.

        Listed items that such a block holds in cohorts stand behind its own.
        """
        shift = self.listed_start[:-1] - start[:-1]
        self._listed[row][np.arange(len(more)) + np.repeat(shift, np.diff(start))] += more.astype(np.int32)

    def columns(self) -> dict[str, NDArray[Any] | None]:
        """Return every column under its name."""
        return {name: getattr(self, name) for name in self.COLUMNS}

    def __eq__(self, other: object) -> bool:
        """Tell whether two outcomes hold the same."""
        if not isinstance(other, ItemOutcomes):
            return NotImplemented
        mine, others = self.columns(), other.columns()
        return all(np.array_equal(mine[name], others[name]) for name in self.COLUMNS)  # type: ignore[arg-type]

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def _field(self, row: int, cohort: Any) -> NDArray[np.int32]:
        return self._column(self._listed[row], cohort)

    def _column(self, listed: NDArray[Any], cohort: Any) -> NDArray[Any]:
        """Return a column of all items; ``cohort`` are the values of the cohort items, or one for all."""
        if self._cohorts is None:
            return listed
        count = len(self._cohorts.registered_turn)
        column = np.empty(int(self.item_start[-1]), dtype=listed.dtype)
        behind = np.full(count, cohort, dtype=listed.dtype) if np.ndim(cohort) == 0 else cohort.astype(listed.dtype)
        place_items(self.listed_start, listed, behind, column)
        return column


@dataclass(frozen=True)
class TurnOutcomes:
    """Sizes after the pass of every turn. ``turn_start`` (session + 1); the others (turn), turns 1 … session_length."""

    turn_start: NDArray[np.int64]
    working_set: NDArray[np.int32]
    foundational_present: NDArray[np.int32]

    def columns(self) -> dict[str, NDArray[Any] | None]:
        """Return every column under its name."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self)}


@dataclass(frozen=True)
class MissOutcomes:
    """The recalls that missed, in the order of play. ``miss_start`` (session + 1); the others (miss).

    ``item`` is the number in the session; turn and reason are those of the latest eviction, or of what hides the item,
    0 where there was none. ``place`` is the touch, counted from the session's first one, where a kernel played it.
    """

    miss_start: NDArray[np.int64]
    turn: NDArray[np.int32]
    item: NDArray[np.int32]
    evicted_turn: NDArray[np.int32]
    evicted_reason: NDArray[np.int32]
    place: NDArray[np.int64] | None = None

    def columns(self) -> dict[str, NDArray[Any] | None]:
        """Return every column under its name."""
        return {one.name: getattr(self, one.name) for one in dataclasses.fields(self) if one.name != "place"}


_TABLES = ("items", "turns", "missed")


@dataclass(frozen=True)
class BlockOutcome:
    """Integer totals per session. Shapes: all (session) but ``checkpoint_present`` (checkpoint, session).

    ``working_set_sum`` and ``token_turns`` are the size of the working set summed over the turns, in items and tokens.

    ``checkpoint_present`` counts foundational items; a checkpoint after a session's end counts -1 there. Survival
    times are over evicted foundational items, in turns; their minimum and maximum are 0 where none was evicted.

    Where they are wanted: ``stale_hits`` are recalls that found an outdated version, ``forbidden_hits`` recalls that
    found something that was to be forgotten; ``evicted_by_reason`` (reason, session), as in ``kernels.fields``, counts
    an item once, by the reason of its last eviction. ``recalled_tokens`` and ``missed_tokens`` are the sizes of the
    items of all recalls, and of those that missed; ``used_item_turns`` are turns in which an item was held and recalled
    later before it went; ``saturated_item_turns`` those in which its retention was high, -1 where there is none.
    """

    session_length: NDArray[np.int64]
    foundational_items: NDArray[np.int64]
    foundational_present: NDArray[np.int64]
    foundational_evicted: NDArray[np.int64]
    survival_sum: NDArray[np.int64]
    survival_minimum: NDArray[np.int64]
    survival_maximum: NDArray[np.int64]
    items_evicted: NDArray[np.int64]
    working_set_sum: NDArray[np.int64]
    token_turns: NDArray[np.int64]
    registered_tokens: NDArray[np.int64]
    registrations: NDArray[np.int64]
    recalls: NDArray[np.int64]
    misses: NDArray[np.int64]
    checkpoint_present: NDArray[np.int32]
    items: ItemOutcomes | None = None
    turns: TurnOutcomes | None = None
    missed: MissOutcomes | None = None
    stale_hits: NDArray[np.int64] | None = None
    forbidden_hits: NDArray[np.int64] | None = None
    evicted_by_reason: NDArray[np.int64] | None = None
    recalled_tokens: NDArray[np.int64] | None = None
    missed_tokens: NDArray[np.int64] | None = None
    used_item_turns: NDArray[np.int64] | None = None
    saturated_item_turns: NDArray[np.int64] | None = None

    def columns(self) -> dict[str, NDArray[Any] | None]:
        """Return every total under its name."""
        names = (one.name for one in dataclasses.fields(self) if one.name not in _TABLES)
        return {name: getattr(self, name) for name in names}

    def tables(self) -> Sequence[tuple[str, dict[str, NDArray[Any] | None]]]:
        """Return (name, columns) of the totals and, where they are there, of items, turns and missed recalls."""
        more = ((name, getattr(self, name)) for name in _TABLES)
        return [("totals", self.columns()), *((name, one.columns()) for name, one in more if one is not None)]


def first_difference(left: BlockOutcome, right: BlockOutcome, shared_only: bool = False) -> str:
    """Return where two outcomes first differ, in type, shape or value, and how; "" if they are the same to the bit.

    With ``shared_only``, items, turns and misses are compared where both outcomes hold them.
    """
    here, there = dict(left.tables()), dict(right.tables())
    for table in here if shared_only else dict.fromkeys((*here, *there)):
        if table not in here or table not in there:
            if not shared_only:
                return f"{table} are there in one of them only"
            continue
        for name, values in here[table].items():
            where = name if table == "totals" else f"{table}.{name}"
            found = _difference(values, there[table][name], where)
            if found:
                return found
    return ""


def _difference(left: NDArray[Any] | None, right: NDArray[Any] | None, where: str) -> str:
    if left is None or right is None:
        return "" if left is right else f"{where} is there in one of them only"
    if left.dtype != right.dtype or left.shape != right.shape:
        return f"{where} is {left.dtype} {left.shape} and {right.dtype} {right.shape}"
    different = np.argwhere(left != right)  # a NaN differs from itself, and no engine may return one
    if len(different) == 0:
        return ""
    place = tuple(different[0].tolist())
    return f"{where}{list(place)} is {left[place].item()!r} and {right[place].item()!r}"
