"""Sessions of several blocks as one block, each session at a place of its own."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vecdecay.items import Attributes
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.mixture_kernel import place_sessions

_RECORDED = ("touch_order", "touch_grade", "clocks", "item_expires", "carried", "given")


def joined(blocks: Sequence[SessionBlock], places: Sequence[NDArray[np.int64]]) -> SessionBlock:
    """Return one block; session s of block b stands at ``places[b][s]`` there. Places are 0 … number of sessions - 1.

    Cohorts are kept where all blocks have the same ones over sessions of the same length, and listed otherwise. The
    order of play inside a turn is that of the items' numbers.

    Raises:
        ValueError: a block holds what only recorded sessions have, and no workload of a mixture: see ``_RECORDED``.
    """
    held = {name for block in blocks for name in _RECORDED if getattr(block, name) is not None}
    if held:
        raise ValueError(f"blocks with {', '.join(sorted(held))} cannot be joined")
    lengths = np.empty(sum(map(len, places)), dtype=np.int64)
    for block, place in zip(blocks, places, strict=True):
        lengths[place] = block.session_length
    alike = len({block.cohorts for block in blocks}) == 1 and int(np.ptp(lengths)) == 0
    cohorts = blocks[0].cohorts if alike else ()
    if not alike:
        blocks = [block.with_cohorts_listed() for block in blocks]
    item_start = _starts([np.diff(block.item_start) for block in blocks], places, len(lengths))
    positions = [_items(block, place, item_start) for block, place in zip(blocks, places, strict=True)]
    num_items = int(item_start[-1])
    touch_start = _starts([np.diff(block.touch_start) for block in blocks], positions, num_items)
    item_kind = np.empty(num_items, dtype=np.int8)
    touch_turn = np.empty(int(touch_start[-1]), dtype=np.int32)
    touch_kind = np.empty(int(touch_start[-1]), dtype=np.int8)
    seed_keys = np.zeros(len(lengths), dtype=np.int64)
    for block, place in zip(blocks, places, strict=True):
        columns = block.item_start, block.item_kind, block.touch_start, block.touch_turn, block.touch_kind
        place_sessions(place, *columns, item_start, touch_start, item_kind, touch_turn, touch_kind)
        if block.seed_keys is not None:
            seed_keys[place] = block.seed_keys
    attributes, item_attributes = _attributes(blocks, positions, num_items)
    return SessionBlock(
        session_length=lengths,
        item_start=item_start,
        item_kind=item_kind,
        touch_start=touch_start,
        touch_turn=touch_turn,
        touch_kind=touch_kind,
        max_recalls=max(block.max_recalls for block in blocks),
        cohorts=cohorts,
        attributes=attributes,
        item_attributes=item_attributes,
        item_tokens=_tokens(blocks, positions, num_items),
        seed_keys=seed_keys,
    )


def _starts(counts: Sequence[NDArray[np.int64]], places: Sequence[NDArray[np.int64]], number: int) -> NDArray[np.int64]:
    """Return where each of ``number`` groups begins, given how many members the groups at the places have."""
    starts = np.zeros(number + 1, dtype=np.int64)
    for count, place in zip(counts, places, strict=True):
        starts[place + 1] = count
    return np.cumsum(starts, out=starts)


def _items(block: SessionBlock, place: NDArray[np.int64], item_start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the new number of every item of the block."""
    shift = item_start[place] - block.item_start[:-1]
    return np.arange(len(block.item_kind)) + np.repeat(shift, np.diff(block.item_start))


def _attributes(
    blocks: Sequence[SessionBlock], positions: Sequence[NDArray[np.int64]], num_items: int
) -> tuple[tuple[Attributes, ...], NDArray[np.int32] | None]:
    number_of: dict[Attributes, int] = {}
    renumbered = [
        np.array([number_of.setdefault(one, len(number_of)) for one in block.attributes], dtype=np.int32)
        for block in blocks
    ]
    if len(number_of) == 1:
        return tuple(number_of), None
    which = np.empty(num_items, dtype=np.int32)
    for block, position, number in zip(blocks, positions, renumbered, strict=True):
        which[position] = number[0] if block.item_attributes is None else number[block.item_attributes]
    return tuple(number_of), which


def _tokens(
    blocks: Sequence[SessionBlock], positions: Sequence[NDArray[np.int64]], num_items: int
) -> NDArray[np.int32] | None:
    if all(block.item_tokens is None for block in blocks):
        return None
    tokens = np.ones(num_items, dtype=np.int32)
    for block, position in zip(blocks, positions, strict=True):
        if block.item_tokens is not None:
            tokens[position] = block.item_tokens
    return tokens
