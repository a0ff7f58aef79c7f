"""Queues and a heap of a session's items in flat arrays, for the kernel of cache policies."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import inlined_kernel, lean_kernel

NOBODY = -1

# Columns of ``links``: neighbours in the queue, or the place in the heap; which queue it is in; touches that the order
# counts; what decides among equal ranks; the turn of entering; neighbours among those that expire in the same turn.
BEFORE, BEHIND, QUEUE, TOUCHES, STAMP, ENTERED, DUE_BEFORE, DUE_BEHIND = range(8)
NUM_LINKS = 8
HEAP_PLACE = BEFORE  # no item is in a queue and in the heap

NO_QUEUE, FIRST_QUEUE, MAIN_QUEUE, GHOST_QUEUE = range(4)
NUM_QUEUES = 4

# Entries of ``counts``, behind the first and the last item of each queue (NOBODY where it is empty): the item under the
# hand; budget taken by all items, by pinned ones, by the main queue, by the ghost; items that may go; draws made;
# whether the ghost knew who arrives; touches so far; whether there was a victim.
HAND, TAKEN, PINNED, IN_MAIN, IN_GHOST, FREE, DRAWS, RETURNS, CLOCK, EVICTED = range(
    2 * NUM_QUEUES, 2 * NUM_QUEUES + 10
)
NUM_COUNTS = 2 * NUM_QUEUES + 10


# The order of a session's items, which are numbered from 0. Shapes: links (item, column), flat, so that what is known
# of an item is met together; counts (NUM_COUNTS); heap (place), the items that may go; ranks (item + 1), with the floor
# behind.
Links = NDArray[np.int32]
Counts = NDArray[np.int64]
Heap = NDArray[np.int32]
Ranks = NDArray[np.float64]


NO_SIGN = 0x7FFFFFFFFFFF  # masked with it, an index needs no test for counting from the end: a tenth of the time


@inlined_kernel
def cell(item: int, column: int) -> int:
    """Return where ``links`` holds a column of an item."""
    return (int(item) & NO_SIGN) * NUM_LINKS + column


@inlined_kernel
def entry(field: int, stride: int, item: int) -> int:
    """Return where the array of item fields, with rows of length ``stride``, holds a field of an item."""
    return field * (int(stride) & NO_SIGN) + (int(item) & NO_SIGN)


@inlined_kernel
def append(links: Links, counts: Counts, queue: int, item: int) -> None:
    """Put an item that is in no queue at the end of one."""
    last = counts[NUM_QUEUES + queue]
    links[cell(item, BEFORE)] = last
    links[cell(item, BEHIND)] = NOBODY
    links[cell(item, QUEUE)] = queue
    if last == NOBODY:
        counts[queue] = item
    else:
        links[cell(last, BEHIND)] = item
    counts[NUM_QUEUES + queue] = item


@inlined_kernel
def unlink(links: Links, counts: Counts, item: int) -> None:
    """Take an item out of its queue."""
    queue = links[cell(item, QUEUE)]
    before, behind = links[cell(item, BEFORE)], links[cell(item, BEHIND)]
    if before == NOBODY:
        counts[queue] = behind
    else:
        links[cell(before, BEHIND)] = behind
    if behind == NOBODY:
        counts[NUM_QUEUES + queue] = before
    else:
        links[cell(behind, BEFORE)] = before
    links[cell(item, QUEUE)] = NO_QUEUE


@inlined_kernel
def goes_before(links: Links, ranks: Ranks, item: int, other: int) -> bool:
    """Tell whether an item of the heap goes before another one."""
    if ranks[item] != ranks[other]:
        return bool(ranks[item] < ranks[other])
    return bool(links[cell(item, STAMP)] < links[cell(other, STAMP)])


@lean_kernel
def settle(links: Links, heap: Heap, ranks: Ranks, size: int, place: int) -> None:
    """Move the item at a place of the heap of ``size`` items to where it belongs; the first to go is at place 0."""
    item = heap[place]
    while place > 0:
        above = (place - 1) // 2
        other = heap[above]
        if not goes_before(links, ranks, item, other):
            break
        heap[place] = other
        links[cell(other, HEAP_PLACE)] = place
        place = above
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and goes_before(links, ranks, heap[below + 1], heap[below]):
            below += 1
        other = heap[below]
        if goes_before(links, ranks, item, other):
            break
        heap[place] = other
        links[cell(other, HEAP_PLACE)] = place
        place = below
    heap[place] = item
    links[cell(item, HEAP_PLACE)] = place


@inlined_kernel
def remove(links: Links, counts: Counts, heap: Heap, ranks: Ranks, item: int, ranked: bool) -> None:
    """Take an item out of the heap, whose last one comes to its place and, where it is ranked, goes on from there."""
    size = counts[FREE] - 1
    place, last = links[cell(item, HEAP_PLACE)], heap[size]
    heap[place] = last
    links[cell(last, HEAP_PLACE)] = place
    if ranked and last != item:
        settle(links, heap, ranks, size, place)
