"""Where policies lost most on a log: items, sessions and categories of the recalls that missed what they evicted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.fields import CAPACITY, DECAYED
from vecdecay.engines.registry import play_block
from vecdecay.policies.base import Policy
from vecdecay.run.over_blocks import over_blocks
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.trace import Trace
from vecdecay.sweepfile.model import SweepSpec

Counts = tuple[NDArray[np.int64], NDArray[np.int64]]
"""Numbers, ascending, and how often each occurred."""


@dataclass(frozen=True)
class Lost:
    """What a policy lost on a log: ``caused`` of all its ``misses`` are recalls of items that it had evicted itself.

    ``median_late`` (turns) is exceeded by less than half of these; None where there are none. ``items``, ``sessions``
    and ``categories`` are those with most of them, as (name, misses); ``categories`` is empty where there is but one.
    """

    policy: str
    misses: int
    caused: int
    median_late: int | None
    items: tuple[tuple[Any, int], ...]
    sessions: tuple[tuple[Any, int], ...]
    categories: tuple[tuple[str, int], ...]


def lost_most(spec: SweepSpec, trace: Trace, threads: int, most: int = 3) -> list[Lost]:
    """Return where each policy of a sweep over a log lost most: the ``most`` items, sessions and categories of each.

    An item is a name, in whatever sessions it occurs. What was forgotten on request, or expired, no policy lost.
    """
    policies = [entry.policy for entry in spec.policies]
    found = over_blocks(
        replace(spec, detail="misses"),
        threads,
        lambda block: [_tallies(block, trace, one) for one in policies],
        _joined,
    )
    return [_lost(entry.label, trace, tallies, most) for entry, tallies in zip(spec.policies, found, strict=True)]


def _tallies(block: SessionBlock, trace: Trace, policy: Policy) -> list[Counts]:
    """Return how often each kind of miss, item name, session, combination of attributes and lateness occurred."""
    missed = play_block(block, policy, relearn=trace.relearns, want_misses=True, reuse=True).missed
    assert missed is not None
    assert block.seed_keys is not None
    caused = np.isin(missed.evicted_reason, (DECAYED, CAPACITY))
    session = np.repeat(block.seed_keys, np.diff(missed.miss_start))
    item = trace.events.item_start[session] + missed.item
    which = trace.events.item_attributes
    attributes = np.zeros(len(item), dtype=np.int64) if which is None else which[item]
    late = missed.turn - missed.evicted_turn
    columns = (trace.events.item_name[item], session, attributes, late)
    return [_counted(caused), *(_counted(column[caused]) for column in columns)]


def _counted(values: NDArray[Any]) -> Counts:
    found, counts = np.unique(values, return_counts=True)
    return found.astype(np.int64), counts.astype(np.int64)


def _joined(each: Sequence[list[list[Counts]]]) -> list[list[Counts]]:
    return [[_summed(tallies) for tallies in zip(*policy, strict=True)] for policy in zip(*each, strict=True)]


def _summed(each: Sequence[Counts]) -> Counts:
    values, place = np.unique(np.concatenate([value for value, _ in each]), return_inverse=True)
    counts = np.zeros(len(values), dtype=np.int64)
    np.add.at(counts, place, np.concatenate([count for _, count in each]))
    return values, counts


def _lost(label: str, trace: Trace, tallies: Sequence[Counts], most: int) -> Lost:
    kinds, items, sessions, attributes, late = tallies
    names, session_names = trace.events.names, trace.events.session_name
    by_category: dict[str, int] = {}
    for which, count in zip(*(part.tolist() for part in attributes), strict=True):
        category = trace.events.attributes[which].category
        by_category[category] = by_category.get(category, 0) + count
    several = len({one.category for one in trace.events.attributes}) > 1
    return Lost(
        label,
        int(kinds[1].sum()),
        int(items[1].sum()),
        None if len(late[0]) == 0 else int(late[0][np.searchsorted(np.cumsum(late[1]), (int(late[1].sum()) + 1) // 2)]),
        _first(items, most, lambda place: names[place].as_py()),
        _first(sessions, most, lambda place: trace.events.session_names[int(session_names[place])].as_py()),
        tuple(sorted(by_category.items(), key=lambda one: -one[1])[:most]) if several else (),
    )


def _first(counts: Counts, most: int, name: Callable[[int], Any]) -> tuple[tuple[Any, int], ...]:
    """Return the names that occurred most often; of equals those that the log names first."""
    order = np.argsort(-counts[1], kind="stable")[:most]
    return tuple((name(int(counts[0][place])), int(counts[1][place])) for place in order)
