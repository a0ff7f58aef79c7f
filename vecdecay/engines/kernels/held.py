"""The list of the items that a memory holds, for the kernel of policies with a capacity: single ones, then queues.

Items that were never recalled and are told apart by their registration alone make a *queue*, in the order of their
registrations and, in one turn, of their numbers: so the older one never ranks above the younger, and goes first of
equals.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import inlined_kernel
from vecdecay.engines.kernels.fields import LAST_TOUCH, NUM_ITEM_FIELDS

# Columns of the scratch array (item, column): turn of entering, latest use that counted, places of the registration and
# behind the latest touch, turn in which it goes by itself and why, turn of its state, place in the list, and its
# neighbours in its queue.
ENTERED = 0
COUNTED = 1
FIRST = 2
LAST = 3
GONE = 4
WHY = 5
MOVED = 6
PLACE = 7
BEFORE = 8
BEHIND = 9
NUM_SLOTS = 10

# Places of the scratch array of a session: items held, what they take, how many of them are pinned and what these take,
# a turn before which nothing goes by itself, how many of the items stand in no queue: those are the first of the list.
HELD = 0
TAKEN = 1
PINNED = 2
PINNED_TAKEN = 3
EARLIEST = 4
SINGLE = 5
NUM_COUNTS = 6

# Columns of the scratch array (queue, column): first and last item; after how many turns its items go by themselves, 0
# until one was seen to; how many they are known to outlive, -1 for none.
OLDEST = 0
NEWEST = 1
LIFE = 2
OUTLIVED = 3
QUEUE_WIDTH = 4

NOBODY = -1


@inlined_kernel
def put(slots: NDArray[np.int64], held: NDArray[np.int32], place: int, item: int) -> None:
    """Write an item into a place of the list."""
    held[place] = item
    slots[item * NUM_SLOTS + PLACE] = place


@inlined_kernel
def join(
    slots: NDArray[np.int64], held: NDArray[np.int32], counts: NDArray[np.int64], queues: NDArray[np.int64],
    items: NDArray[np.int32], item: int, turn: int, queue: int,
) -> None:  # fmt: skip
    """Put an item into the list, and at the end of a queue unless that is NOBODY: in one turn by their numbers."""
    place = counts[HELD]
    counts[HELD] += 1
    if queue == NOBODY:
        if counts[SINGLE] < place:
            put(slots, held, place, int(held[counts[SINGLE]]))
            place = counts[SINGLE]
        counts[SINGLE] += 1
    else:
        touched = LAST_TOUCH * (len(items) // NUM_ITEM_FIELDS)
        before, behind = queues[queue * QUEUE_WIDTH + NEWEST], NOBODY
        while before > item and items[touched + before] == turn:
            before, behind = slots[before * NUM_SLOTS + BEFORE], before
        slots[item * NUM_SLOTS + BEFORE] = before
        slots[item * NUM_SLOTS + BEHIND] = behind
        if before == NOBODY:
            queues[queue * QUEUE_WIDTH] = item
        else:
            slots[before * NUM_SLOTS + BEHIND] = item
        if behind == NOBODY:
            queues[queue * QUEUE_WIDTH + NEWEST] = item
        else:
            slots[behind * NUM_SLOTS + BEFORE] = item
    put(slots, held, place, item)


@inlined_kernel
def leave(
    slots: NDArray[np.int64], held: NDArray[np.int32], counts: NDArray[np.int64], queues: NDArray[np.int64], item: int,
    queue: int,
) -> None:  # fmt: skip
    """Take an item from the list, and from its queue where it stands in one."""
    place = slots[item * NUM_SLOTS + PLACE]
    if place < counts[SINGLE]:
        counts[SINGLE] -= 1
        put(slots, held, place, int(held[counts[SINGLE]]))
        place = counts[SINGLE]
    else:
        before, behind = slots[item * NUM_SLOTS + BEFORE], slots[item * NUM_SLOTS + BEHIND]
        if before == NOBODY:
            queues[queue * QUEUE_WIDTH] = behind
        else:
            slots[before * NUM_SLOTS + BEHIND] = behind
        if behind == NOBODY:
            queues[queue * QUEUE_WIDTH + NEWEST] = before
        else:
            slots[behind * NUM_SLOTS + BEFORE] = before
    counts[HELD] -= 1
    if place < counts[HELD]:  # else it was the last, or the last has moved already
        put(slots, held, place, int(held[counts[HELD]]))


@inlined_kernel
def list_touched(
    slots: NDArray[np.int64], held: NDArray[np.int32], counts: NDArray[np.int64], queues: NDArray[np.int64],
    items: NDArray[np.int32], item: int, turn: int, row: int, registers: bool, inserted: bool, pinned: bool,
) -> None:  # fmt: skip
    """List an item where it belongs after a touch: registered in the queue of its row, recalled among the single."""
    if registers:
        if not inserted:
            leave(slots, held, counts, queues, item, row)
        join(slots, held, counts, queues, items, item, turn, row if len(queues) > 0 and not pinned else NOBODY)
    elif slots[item * NUM_SLOTS + PLACE] >= counts[SINGLE]:
        leave(slots, held, counts, queues, item, row)
        join(slots, held, counts, queues, items, item, turn, NOBODY)


@inlined_kernel
def goes_first(items: NDArray[np.int32], rank: float, lowest: float, item: int, victim: int) -> bool:
    """Tell whether an item goes before the lowest so far: of equals the longest untouched, and so on."""
    if victim == NOBODY or rank != lowest:
        return victim == NOBODY or rank < lowest
    stride = len(items) // NUM_ITEM_FIELDS
    touched, other = items[LAST_TOUCH * stride + item], items[LAST_TOUCH * stride + victim]
    if touched != other:
        return bool(touched < other)
    return bool(items[item] < items[victim] or (items[item] == items[victim] and item < victim))


@inlined_kernel
def head_of(slots: NDArray[np.int64], queues: NDArray[np.int64], queue: int, spared: int) -> int:
    """Return who goes first of a queue, NOBODY if none may."""
    item = int(queues[queue * QUEUE_WIDTH])
    return int(slots[item * NUM_SLOTS + BEHIND]) if item == spared and item != NOBODY else item
