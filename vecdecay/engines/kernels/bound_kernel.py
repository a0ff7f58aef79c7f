"""What it costs at least to make recalls hit, knowing the future: per item, integers only.

An item that is to be found by its n-th recall has to be kept up to it from its registration on, because a miss changes
nothing. So the choice is, per registration, how many of its recalls hit. Steps are those recalls, joined where a later
one is cheaper than one before it: then taking the cheapest steps first never takes a step before an earlier one.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.engines.kernels.fields import FORGET, RECALL, REGISTER

# Entries of the totals: what pinned items, which no policy drops, hold and hit.
PINNED_HITS = 0
PINNED_TURNS = 1
PINNED_TOKEN_TURNS = 2
NUM_TOTALS = 3


@kernel
def cheapest_steps(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    item_pinned: NDArray[np.bool_],
    item_tokens: NDArray[np.int32],
    item_expires: NDArray[np.int32],
    relearn: bool,
    hits: NDArray[np.int64],
    turns: NDArray[np.int64],
    tokens: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> int:
    """Write ``hits`` and ``turns`` of every step and the ``tokens`` of its item, flat; return how many there are.

    Shapes as in SessionBlock; ``item_tokens`` and ``item_expires`` (item) may be empty: 1, never. The turns per hit of
    the steps of one registration never fall. With ``relearn`` a miss registers its item anew, so that every recall is a
    step of its own. ``totals`` (NUM_TOTALS) gets what pinned items come to.
    """
    used = 0
    for session in range(len(session_length)):
        for item in range(item_start[session], item_start[session + 1]):
            size = np.int64(item_tokens[item]) if len(item_tokens) > 0 else 1
            expires = np.int64(item_expires[item]) if len(item_expires) > 0 else 0
            pinned = item_pinned[item]
            first = used  # the first step that may still be joined
            last, there = 0, False
            end = touch_start[item + 1]
            for touch in range(touch_start[item], end + 1):
                turn = np.int64(touch_turn[touch] if touch < end else session_length[session] + 1)
                kind = np.int8(touch_kind[touch]) if touch < end else np.int8(FORGET)
                gone = there and expires > 0 and max(expires, last) < turn
                if there and pinned:
                    held = np.int64((max(expires, last) if gone else turn) - last)
                    totals[PINNED_TURNS] += held
                    totals[PINNED_TOKEN_TURNS] += size * held
                there = there and not gone
                if kind == RECALL and there:
                    if pinned:
                        totals[PINNED_HITS] += 1
                    else:
                        hits[used], turns[used], tokens[used] = 1, turn - last, size
                        used += 1
                        while (
                            not relearn
                            and used - first > 1
                            and (turns[used - 2] * hits[used - 1] > turns[used - 1] * hits[used - 2])
                        ):
                            used -= 1
                            hits[used - 1] += hits[used]
                            turns[used - 1] += turns[used]
                elif kind == REGISTER or (kind == RECALL and relearn):
                    there, first = True, used
                elif kind == FORGET:
                    there = False
                last = turn
    return used
