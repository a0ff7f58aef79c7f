"""The tables that a kernel looks up for a block: horizons and stabilities, one row per combination of attributes."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.cohorts import CohortFate
from vecdecay.engines.horizon import horizons
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies.base import TablePolicy
from vecdecay.sessions.block import SessionBlock


@dataclass(frozen=True)
class Lookup:
    """What a table policy says about the items of a block.

    ``horizon`` (row, recall), flat, ``width`` entries a row, in the policy's units of age, one less where these are
    counted inclusively; ``item_row`` (item) or empty where one row serves all; ``stability`` as ``horizon``, or None;
    ``rules`` as in policies.base.Rules; ``fates`` and ``newborn_stability`` (turns, 0 without that notion) hold an
    entry per cohort.
    """

    horizon: NDArray[np.int64]
    width: int
    item_row: NDArray[np.int32]
    rules: NDArray[np.int64]
    stability: NDArray[np.float64] | None
    fates: tuple[CohortFate, ...]
    newborn_stability: tuple[float, ...]

    def stabilities(
        self, item_row: NDArray[np.int32] | int, recall_count: NDArray[np.int32]
    ) -> NDArray[np.float64] | None:
        """Return each item's stability in turns, 0 for one never registered; None where there is no such notion."""
        if self.stability is None:
            return None
        place = np.asarray(item_row) * self.width + np.maximum(recall_count - 1, 0)
        return np.where(recall_count > 0, self.stability[place], 0.0)


def relevant(policy: TablePolicy, attributes: Attributes) -> Attributes:
    """Return the attributes with all that the policy does not read set to the default; a pinned item stays pinned."""
    if not policy.reads and not attributes.pinned:
        return DEFAULT_ATTRIBUTES
    read = {name: getattr(attributes, name) for name in policy.reads}
    return DEFAULT_ATTRIBUTES._replace(pinned=attributes.pinned, **read)


@lru_cache(maxsize=4096)
def _horizons(policy: TablePolicy, max_recalls: int, item: Attributes) -> NDArray[np.int64]:
    """Return for how many units after that of its touch an item is kept; an inclusive age is one unit ahead of them."""
    return horizons(policy, max_recalls, item) - policy.rules().inclusive


@lru_cache(maxsize=4096)
def _stabilities(policy: TablePolicy, max_recalls: int, item: Attributes) -> tuple[float, ...] | None:
    found = [policy.stability(recalls + 1, item) for recalls in range(max_recalls + 1)]
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(found) else None


def fates_for(policy: TablePolicy, block: SessionBlock) -> tuple[CohortFate, ...]:
    """Return what becomes of each cohort of a block."""
    rules = policy.rules()
    length = int(block.session_length[0]) if block.num_sessions else 1
    return tuple(
        CohortFate(
            cohort=cohort,
            horizon=int(_horizons(policy, block.max_recalls, relevant(policy, cohort.attributes))[0]),
            session_length=length,
            rules=rules,
        )
        for cohort in block.cohorts
    )


def plain_horizons(policy: TablePolicy, max_recalls: int) -> NDArray[np.int64]:
    """Return the horizons (recall,) of items without attributes."""
    return _horizons(policy, max_recalls, DEFAULT_ATTRIBUTES)


def lookup_for(policy: TablePolicy, block: SessionBlock) -> Lookup:
    """Return the tables for the items of a block and the fates of its cohorts; rows are built once per policy."""
    rows: dict[Attributes, int] = {}
    row_of = [rows.setdefault(relevant(policy, one), len(rows)) for one in block.attributes]
    item_row = np.empty(0, dtype=np.int32)
    if block.item_attributes is not None and len(rows) > 1:
        item_row = np.array(row_of, dtype=np.int32)[block.item_attributes]
    width = block.max_recalls + 1
    tables = [_horizons(policy, block.max_recalls, item) for item in rows]
    stabilities = [_stabilities(policy, block.max_recalls, item) for item in rows]
    known = [one for one in stabilities if one is not None]
    return Lookup(
        horizon=tables[0] if len(tables) == 1 else np.concatenate(tables),
        width=width,
        item_row=item_row,
        rules=np.array(policy.rules(), dtype=np.int64),
        stability=np.concatenate([np.array(one) for one in known]) if len(known) == len(stabilities) else None,
        fates=fates_for(policy, block),
        newborn_stability=tuple(
            (_stabilities(policy, 0, relevant(policy, cohort.attributes)) or (0.0,))[0] for cohort in block.cohorts
        ),
    )
