"""Events that concern several items, put into the touches of a block, so that kernels need not know of them.

What a newer version or a request to forget does to *other* items does not depend on what a policy holds: it removes an
item, or hides it, at a known place in the order of play. So removals become touches (``fields.SUPERSEDE``,
``fields.CASCADE``), and recalls of hidden items, which find nothing whatever the policy, are taken out and counted as
misses afterwards; where a miss registers its item anew, they become registrations. All of it is computed on arrays.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.kernels.fields import (
    CASCADE,
    FORGET,
    MISSED_TURN_SHIFT,
    MISSES,
    REASON_SHIFT,
    RECALL,
    REGISTER,
    SUPERSEDE,
    SUPERSEDED,
)
from vecdecay.engines.outcome import BlockOutcome, MissOutcomes, Wanted
from vecdecay.engines.sums import misses_of, uses_of
from vecdecay.policies.reactions import BY_EVENT_TIME, DELETE, HIDE, Reactions
from vecdecay.policies.reactions import CASCADE as CASCADES
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.carried import Carried, starts_of

_CLOSE = 4
"""The kind of an entry that hides an item which by event time is outdated."""

_Counts = NDArray[np.int64]
_Flags = NDArray[np.bool_]


class Reacted(NamedTuple):
    """A block as engines play it, and what is known of the touches of the one given, shapes (touch).

    ``hidden`` recalls find nothing, since the turns ``since``; ``outdated`` and ``unwanted`` touches should find
    nothing. ``place`` is where a touch stands in the block that is played, -1 where it does not.
    """

    block: SessionBlock
    place: _Counts
    hidden: _Flags
    since: _Counts
    outdated: _Flags
    unwanted: _Flags
    given: SessionBlock

    def finished(self, outcome: BlockOutcome, wanted: Wanted) -> BlockOutcome:
        """Return what is wanted of an outcome of the played block, with the recalls of hidden items as misses."""
        if self.hidden.any():
            missed = np.bincount(self.given.by_turn.touch_item[self.hidden], minlength=len(self.given.item_kind))
            if outcome.items is not None:
                outcome.items.add(MISSES, self.given.item_start, missed)
            more = self._per_session(self.hidden)
            outcome = replace(outcome, recalls=outcome.recalls + more, misses=outcome.misses + more)
        if outcome.missed is None:
            return outcome
        missed = self._missed(outcome.missed)
        if wanted.uses:
            outcome = replace(outcome, **uses_of(self.given, missed > 0))
        if wanted.relations:
            hits = (self.given.touch_kind == RECALL) & (missed == 0)
            stale, forbidden = self._per_session(hits & self.outdated), self._per_session(hits & self.unwanted)
            outcome = replace(outcome, stale_hits=stale, forbidden_hits=forbidden)
        return replace(outcome, missed=misses_of(self.given, missed) if wanted.misses else None)

    def _missed(self, found: MissOutcomes) -> _Counts:
        """Return of every touch of the given block whether it missed and why, as in ``kernels.fields``."""
        assert found.place is not None
        missed = np.zeros(len(self.place), dtype=np.int64)
        missed[self.hidden] = self.since[self.hidden] << MISSED_TURN_SHIFT | SUPERSEDED << REASON_SHIFT | 1
        played = np.empty(len(self.block.touch_turn), dtype=np.int64)  # which touch of the given block each one is
        played[self.place[self.place >= 0]] = np.flatnonzero(self.place >= 0)
        session = np.repeat(np.arange(self.block.num_sessions), np.diff(found.miss_start))
        touch = played[self.block.touch_start[self.block.item_start[session]] + found.place]
        turn, reason = found.evicted_turn.astype(np.int64), found.evicted_reason.astype(np.int64)
        missed[touch] = turn << MISSED_TURN_SHIFT | reason << REASON_SHIFT | 1
        return missed

    def _per_session(self, flags: _Flags) -> _Counts:
        """Count the flagged touches of each session."""
        counts: _Counts = np.diff(starts_of(flags)[self.given.touch_start[self.given.item_start]])
        return counts


class _Entries(NamedTuple):
    """Touches, and what happens to items beside them, by item and in the order of play; ``touch`` is -1 for others."""

    item: _Counts
    key: _Counts
    turn: NDArray[np.int32]
    kind: NDArray[np.int8]
    touch: _Counts

    def since(self, marks: _Flags, ends: _Flags) -> _Counts:
        """Return the turn of the latest mark of each entry's item before it, 0 for none, or where an end follows it."""
        latest = np.maximum.accumulate(np.where(marks | ends, np.arange(len(marks)), -1))
        before = np.concatenate([[-1], latest[:-1]])
        own = (before >= 0) & (self.item[before] == self.item)
        return np.where(own & marks[before], self.turn[before], 0).astype(np.int64)

    def where(self, kept: _Flags) -> "_Entries":
        """Return some of the entries."""
        return _Entries(self.item[kept], self.key[kept], self.turn[kept], self.kind[kept], self.touch[kept])


def reacted(block: SessionBlock, reactions: Reactions, relearn: bool) -> Reacted:
    """Return a block with the reactions of a policy put into its touches."""
    entries = _entries(block, block.carried or Carried())
    kind, registers, recalls = entries.kind, entries.kind == REGISTER, entries.kind == RECALL
    outdated = entries.since(kind == SUPERSEDE, registers)
    unwanted = entries.since((kind == FORGET) | (kind == CASCADE), registers)
    hides = {HIDE: kind == SUPERSEDE, BY_EVENT_TIME: kind == _CLOSE}.get(reactions.on_superseded)
    since = np.zeros(len(kind), dtype=np.int64)
    if hides is not None:
        since = entries.since(hides, registers | recalls if relearn else registers)
    hidden = recalls & (since > 0)
    kept = entries.touch >= 0
    if reactions.on_superseded == DELETE:
        kept |= kind == SUPERSEDE
    if reactions.on_forget == CASCADES:
        kept |= kind == CASCADE
    if not relearn:
        kept &= ~hidden
    played = entries._replace(kind=np.where(hidden, np.int8(REGISTER), kind))
    places = np.where(kept, np.cumsum(kept) - 1, -1)

    def of_touches(values: NDArray[Any]) -> NDArray[Any]:
        result = np.empty(len(block.touch_turn), dtype=values.dtype)
        result[entries.touch[entries.touch >= 0]] = values[entries.touch >= 0]
        return result

    flags = of_touches(hidden), of_touches(since), of_touches(outdated > 0), of_touches(unwanted > 0)
    return Reacted(_block_of(block, played.where(kept)), of_touches(places), *flags, block)


def _entries(block: SessionBlock, carried: Carried) -> _Entries:
    """Return the touches of a block with what registrations and requests do to other items."""
    order, touch_item = block.by_turn
    first = block.touch_start[block.item_start]
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    place -= np.repeat(first[:-1], np.diff(first))
    kind, item = block.touch_kind, touch_item.astype(np.int64)
    touches = _Entries(item, 4 * place, block.touch_turn, kind, np.arange(len(order)))
    parts = [touches]

    def add(at: _Counts, concerned: _Counts, after: int, what: int) -> None:
        parts.append(
            _Entries(
                concerned,
                4 * place[at] + after,
                block.touch_turn[at],
                np.full(len(at), what, dtype=np.int8),
                np.full(len(at), -1, dtype=np.int64),
            )
        )

    of_item = np.repeat(block.item_start[:-1], np.diff(block.item_start))
    if carried.supersedes is not None:
        older = np.where(carried.supersedes >= 0, of_item + carried.supersedes, -1)
        at = np.flatnonzero((kind == REGISTER) & (older[item] >= 0))
        add(at, older[item[at]], -1, SUPERSEDE)
        if carried.valid_turn is not None:
            then, before = carried.valid_turn[item[at]], carried.valid_turn[older[item[at]]]
            known = (then > 0) & (before > 0)
            late, early = at[known & (before < then)], at[known & (then < before)]
            add(late, older[item[late]], -1, _CLOSE)
            add(early, item[early], 1, _CLOSE)
    if carried.source is not None and carried.source_start is not None:
        sessions = np.repeat(of_item, np.diff(carried.source_start))
        copy, source = _derived(carried.source_start, carried.source + sessions)
        by_source = np.lexsort((copy, source))
        start = starts_of(np.bincount(source, minlength=len(of_item)))
        requests = np.flatnonzero(kind == FORGET)
        times = np.diff(start)[item[requests]]
        add(np.repeat(requests, times), copy[by_source][_stretches(start, item[requests])], 1, CASCADE)
    item, key, turn, kind, touch = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    ordered = np.lexsort((key, item))
    return _Entries(item[ordered], key[ordered], turn[ordered], kind[ordered], touch[ordered])


def _stretches(start: _Counts, groups: _Counts) -> _Counts:
    """Return the places start[g] … start[g + 1] - 1 of each group, one after the other."""
    counts = np.diff(start)[groups]
    ends = np.cumsum(counts)
    offsets: _Counts = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - counts, counts)
    return offsets + np.repeat(start[groups], counts)


def _derived(start: _Counts, source: NDArray[Any]) -> tuple[_Counts, _Counts]:
    """Return all pairs (copy, what it was derived from, directly or by way of others), a copy of itself left out."""
    copy = np.repeat(np.arange(len(start) - 1), np.diff(start))
    pairs = newer = np.unique(np.stack([copy, source], axis=1), axis=0)
    while len(newer) > 0:
        times = np.diff(start)[newer[:, 1]]
        farther = np.stack([np.repeat(newer[:, 0], times), source[_stretches(start, newer[:, 1])]], axis=1)
        every = np.unique(np.concatenate([pairs, farther]), axis=0)
        known = set(map(tuple, pairs.tolist()))
        newer = np.array([one for one in every.tolist() if tuple(one) not in known], dtype=np.int64).reshape(-1, 2)
        pairs = every
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    return pairs[:, 0], pairs[:, 1]


def _block_of(block: SessionBlock, entries: _Entries) -> SessionBlock:
    """Return the block of some entries; those that are touches keep their grades."""
    grade = None
    if block.touch_grade is not None:
        grade = np.where(entries.touch >= 0, block.touch_grade[entries.touch], np.int8(0))
    return replace(
        block,
        touch_start=starts_of(np.bincount(entries.item, minlength=len(block.item_kind))),
        touch_turn=entries.turn,
        touch_kind=entries.kind,
        touch_order=entries.key.astype(np.int32),
        touch_grade=grade,
        carried=None,
        given=block,
    )
