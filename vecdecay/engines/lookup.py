"""The tables that a kernel looks up for a block: horizons and stabilities, one row per combination of attributes.

Tables grow with the recall counts that blocks ask for, and are built once per policy and combination.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import CohortFate, Fates
from vecdecay.engines.horizon import horizon_of
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.base import TablePolicy
from vecdecay.sessions.block import Cohort, SessionBlock


class Growing:
    """A table by a number from 0 on whose entries are asked for once, in their order; threads may share it."""

    def __init__(self, entry: Callable[[int], Any], dtype: type[Any]) -> None:
        self._entry = entry
        self._lock = threading.Lock()
        self._table = np.empty(0, dtype=dtype)

    def known(self) -> NDArray[Any]:
        """Return the entries that were asked for so far."""
        return self._table

    def up_to(self, last: int) -> NDArray[Any]:
        """Return the entries of 0 … ``last``, shape (last + 1,)."""
        table = self._table
        if len(table) <= last:
            with self._lock:
                table = self._table
                more = [self._entry(number) for number in range(len(table), last + 1)]
                table = self._table = np.concatenate([table, np.array(more, dtype=table.dtype)])
        return table[: last + 1]


@lru_cache(maxsize=4096)
def _horizons(policy: TablePolicy, item: Attributes) -> Growing:
    """Return for how many units after that of its touch an item is kept; an inclusive age is one unit ahead of them."""
    ahead = policy.rules().inclusive
    return Growing(lambda recalls: horizon_of(policy, recalls + 1, item) - ahead, np.int64)


@lru_cache(maxsize=4096)
def _stabilities(policy: TablePolicy, item: Attributes) -> Growing | None:
    if policy.stability(1, item) is None:
        return None
    return Growing(lambda recalls: policy.stability(recalls + 1, item), np.float64)


@dataclass(frozen=True)
class Lookup:
    """What a table policy says about the items of a block.

    ``horizon`` (row, recall), flat, ``width`` entries a row, in the policy's units of age, one less where these are
    counted inclusively; ``item_row`` (item) or empty where one row serves all; ``stability`` as ``horizon``, or None;
    ``rules`` as in policies.rules.Rules.
    """

    horizon: NDArray[np.int64]
    width: int
    item_row: NDArray[np.int32]
    rules: NDArray[np.int64]
    stability: NDArray[np.float64] | None

    def stabilities(self, recall_count: NDArray[np.int32]) -> NDArray[np.float64] | None:
        """Return each listed item's stability in turns, 0 for one never registered; None where there is none."""
        if self.stability is None:
            return None
        row = self.item_row if len(self.item_row) > 0 else np.zeros(1, dtype=np.int32)
        place = row.astype(np.int64) * self.width + np.maximum(recall_count - 1, 0)
        return np.where(recall_count > 0, self.stability[place], 0.0)


def relevant(policy: TablePolicy, attributes: Attributes) -> Attributes:
    """Return the attributes with all that the policy does not read set to the default; a pinned item stays pinned."""
    if not policy.reads and not attributes.pinned:
        return DEFAULT_ATTRIBUTES
    read = {name: getattr(attributes, name) for name in policy.reads}
    return DEFAULT_ATTRIBUTES._replace(pinned=attributes.pinned, **read)


def plain_horizons(policy: TablePolicy, max_recalls: int) -> NDArray[np.int64]:
    """Return the horizons (recall,) of items without attributes."""
    return _horizons(policy, DEFAULT_ATTRIBUTES).up_to(max_recalls)


def lookup_for(policy: TablePolicy, block: SessionBlock) -> Lookup:
    """Return the tables for the listed items of a block."""
    rows: dict[Attributes, int] = {}
    row_of = [rows.setdefault(relevant(policy, one), len(rows)) for one in block.attributes]
    item_row = np.empty(0, dtype=np.int32)
    if block.item_attributes is not None and len(rows) > 1:
        item_row = np.array(row_of, dtype=np.int32)[block.item_attributes]
    tables = [_horizons(policy, item).up_to(block.max_recalls) for item in rows]
    known = [table for item in rows if (table := _stabilities(policy, item)) is not None]
    return Lookup(
        horizon=tables[0] if len(tables) == 1 else np.concatenate(tables),
        width=block.max_recalls + 1,
        item_row=item_row,
        rules=np.array(policy.rules(), dtype=np.int64),
        stability=np.concatenate([one.up_to(block.max_recalls) for one in known]) if len(known) == len(rows) else None,
    )


def fates_for(policy: TablePolicy, block: SessionBlock) -> Fates:
    """Return what becomes of the cohorts of a block, by the horizon of an item of one use."""
    return Fates(block, lambda cohort, length: _fate(policy, cohort, length))


@lru_cache(maxsize=4096)
def _fate(policy: TablePolicy, cohort: Cohort, session_length: int) -> CohortFate:
    item = relevant(policy, cohort.attributes)
    horizon = int(_horizons(policy, item).up_to(0)[0])
    return CohortFate(cohort, horizon, session_length, policy.rules(), policy.stability(1, item) or 0.0)
