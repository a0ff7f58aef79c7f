"""How many bytes a run will ask for, from arithmetic alone, before anything is allocated."""

import os

from vecdecay.sessions.workload import Sizes

BYTES_PER_BLOCK = 64_000_000
"""What a block may take, as predicted: sessions of thousands of items are played fewer together."""

_BYTES_PER_LISTED_ITEM = 9 + 8 + 8 * 4 + 3 * 4  # start and kind, order, item fields; attributes, size, table row
_BYTES_PER_TOUCH = 4 + 1 + 8 + 8 + 8
_BYTES_PER_SESSION = 8 * 40
_BYTES_PER_LOCKSTEP_ITEM = 90  # kind, stability, three numbers of state, eight fields; a quarter more for scratch
_BYTES_PER_TURN = 20


def block_bytes(sizes: Sizes, num_sessions: int, lockstep: bool, want_items: bool, want_turns: bool) -> int:
    """Return an upper bound of the bytes that one block occupies while it is generated and played."""
    per_session = (
        _BYTES_PER_SESSION
        + sizes.draws * 8
        + sizes.listed_items * _BYTES_PER_LISTED_ITEM
        + sizes.touches * _BYTES_PER_TOUCH
    )
    if lockstep or want_items:
        per_session += sizes.items * _BYTES_PER_LOCKSTEP_ITEM
    if lockstep or want_turns:
        per_session += (sizes.turns + 2) * _BYTES_PER_TURN
    return per_session * num_sessions


def machine_bytes() -> int:
    """Return the memory of this machine in bytes; 2**62 where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 2**62
