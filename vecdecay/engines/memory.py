"""How many bytes a run will ask for, from arithmetic alone, before anything is allocated."""

import os

from vecdecay.sessions.workload import Sizes

BYTES_PER_BLOCK = 64_000_000
"""What a block may take, as predicted: sessions of thousands of items are played fewer together."""

_BYTES_PER_LISTED_ITEM = 9 + 8 + 8 * 4 + 8 + 3 * 4 + 1  # start and kind, order, fields, indices; attributes, size, row
_BYTES_PER_TOUCH = 4 + 1
_BYTES_PER_TOUCH_OF_TURNS = 8 + 8  # its place in the order of turns, or the ends of a stretch in the working set
_BYTES_PER_TOUCH_OF_MISSES = 16 + 8 + 12 + 9 + 24  # ends of stays, what a miss says, order of play, its marks; a row
_BYTES_PER_SESSION = 8 * 40
_BYTES_PER_LOCKSTEP_ITEM = 90  # kind, stability, three numbers of state, eight fields; a quarter more for scratch
_BYTES_PER_TOLD_ITEM = 60  # kind, stability, eight fields; a third more for scratch
_BYTES_PER_TURN = 8 + 8 + 8 + 1 + 12  # two counts, with and without margins; what cohorts add to them


def block_bytes(
    sizes: Sizes, num_sessions: int, lockstep: bool, want_items: bool, want_turns: bool, want_misses: bool = False
) -> int:
    """Return an upper bound of the bytes that one block occupies while it is generated and played."""
    per_session = (
        _BYTES_PER_SESSION
        + sizes.draws * 8
        + sizes.listed_items * _BYTES_PER_LISTED_ITEM
        + sizes.touches * _BYTES_PER_TOUCH
    )
    if lockstep or want_items:
        per_session += sizes.items * (_BYTES_PER_LOCKSTEP_ITEM if lockstep else _BYTES_PER_TOLD_ITEM)
    if lockstep or want_turns:
        per_session += (sizes.turns + 2) * _BYTES_PER_TURN + sizes.touches * _BYTES_PER_TOUCH_OF_TURNS
    if want_misses:
        per_session += sizes.touches * _BYTES_PER_TOUCH_OF_MISSES
    return per_session * num_sessions


def machine_bytes() -> int:
    """Return the memory of this machine in bytes; 2**62 where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 2**62
