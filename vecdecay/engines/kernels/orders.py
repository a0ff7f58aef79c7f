"""Who goes where room is needed: what ``engines.orders`` says in plain Python, over the arrays of ``queues``."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import inlined_kernel
from vecdecay.engines.kernels.fields import RECALL
from vecdecay.engines.kernels.passes import POLICY_WORKLOAD
from vecdecay.engines.kernels.queues import (
    BEHIND,
    CLOCK,
    DRAWS,
    EVICTED,
    FIRST_QUEUE,
    FREE,
    GHOST_QUEUE,
    HAND,
    HEAP_PLACE,
    IN_GHOST,
    IN_MAIN,
    MAIN_QUEUE,
    NOBODY,
    PINNED,
    QUEUE,
    RETURNS,
    STAMP,
    TAKEN,
    TOUCHES,
    Counts,
    Heap,
    Links,
    Ranks,
    append,
    cell,
    remove,
    settle,
    unlink,
)
from vecdecay.sessions.philox import uniform

VICTIM_STREAM = 2

# Kinds of orders.
LRU, FIFO, SIEVE, S3_FIFO, LFU, LFU_FIRST_INSERTED, GDSF, BELADY, RANDOM = range(9)

# Entries of the numbers of a policy: kind of order, budget, what small queue, main queue and ghost may hold, threshold.
KIND, LIMIT, SMALL_LIMIT, MAIN_LIMIT, GHOST_LIMIT, MOVE_THRESHOLD = range(6)
Numbers = tuple[int, int, int, int, int, int]

_SCALE = 1.0e6  # as in policies.gdsf
_MOST_CHANCES = 3


@inlined_kernel
def size_of(sizes: NDArray[np.int32], item: int) -> int:
    """Return what an item takes of the budget; without sizes, each takes one."""
    return int(sizes[item]) if len(sizes) > 0 else 1


@inlined_kernel
def next_recall(
    place_of: NDArray[np.int64], touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8], at: int, end: int,
    expires: int,
) -> float:  # fmt: skip
    """Return minus the place of an item's next touch, if that is a recall that can find it; else -inf."""
    if at + 1 >= end or touch_kind[at + 1] != RECALL:
        return -np.inf
    if expires > 0 and touch_turn[at + 1] > max(expires, int(touch_turn[at])):
        return -np.inf
    return -float(place_of[at + 1])


@inlined_kernel
def rank(numbers: Numbers, links: Links, counts: Counts, ranks: Ranks, item: int, size: int, upcoming: float) -> None:
    """Count a touch of an item in the heap, and rank it."""
    kind = numbers[KIND]
    counts[CLOCK] += 1
    touches = links[cell(item, TOUCHES)] + 1
    links[cell(item, TOUCHES)] = touches
    if kind != LFU_FIRST_INSERTED or touches == 1:
        links[cell(item, STAMP)] = counts[CLOCK]
    if kind == GDSF:
        ranks[item] = ranks[len(ranks) - 1] + touches * _SCALE / max(size, 1)
    elif kind == BELADY:
        ranks[item] = upcoming
    else:
        ranks[item] = touches


@inlined_kernel
def arrive(numbers: Numbers, links: Links, counts: Counts, item: int, size: int) -> None:
    """Ask the ghost for an item that will be inserted, and let it forget the item."""
    if numbers[KIND] == S3_FIFO:
        counts[RETURNS] = links[cell(item, QUEUE)] == GHOST_QUEUE
        forget(links, counts, item, size)


@inlined_kernel
def forget(links: Links, counts: Counts, item: int, size: int) -> None:
    """Let the ghost forget an item that is not there."""
    if links[cell(item, QUEUE)] == GHOST_QUEUE:
        unlink(links, counts, item)
        counts[IN_GHOST] -= size


@inlined_kernel
def fills(numbers: Numbers, counts: Counts, size: int) -> bool:
    """Tell whether nothing was evicted yet and the small queue has its share, the item of this size left aside."""
    small = counts[TAKEN] - counts[PINNED] - counts[IN_MAIN] - size
    return bool(counts[EVICTED] == 0 and small >= numbers[SMALL_LIMIT])


@inlined_kernel
def enter(
    numbers: Numbers, links: Links, counts: Counts, heap: Heap, ranks: Ranks, item: int, size: int, upcoming: float
) -> None:
    """Take in an item that was inserted."""
    kind = numbers[KIND]
    links[cell(item, TOUCHES)] = 0
    if kind == S3_FIFO and (counts[RETURNS] == 1 or fills(numbers, counts, size)):
        append(links, counts, MAIN_QUEUE, item)
        counts[IN_MAIN] += size
    elif kind <= S3_FIFO:
        append(links, counts, FIRST_QUEUE, item)
    else:
        place = counts[FREE]
        heap[place] = item
        links[cell(item, HEAP_PLACE)] = place
        if kind != RANDOM:
            rank(numbers, links, counts, ranks, item, size, upcoming)
            settle(links, heap, ranks, place + 1, place)
    counts[FREE] += 1


@inlined_kernel
def touch(
    numbers: Numbers, links: Links, counts: Counts, heap: Heap, ranks: Ranks, item: int, size: int, upcoming: float
) -> None:
    """Take note of a recall that hits, or a registration of what is there."""
    kind = numbers[KIND]
    if kind == LRU:
        if links[cell(item, BEHIND)] != NOBODY:
            unlink(links, counts, item)
            append(links, counts, FIRST_QUEUE, item)
    elif kind in (SIEVE, S3_FIFO):
        links[cell(item, TOUCHES)] += 1
    elif kind not in (FIFO, RANDOM):
        rank(numbers, links, counts, ranks, item, size, upcoming)
        settle(links, heap, ranks, counts[FREE], links[cell(item, HEAP_PLACE)])


@inlined_kernel
def leave(numbers: Numbers, links: Links, counts: Counts, heap: Heap, ranks: Ranks, item: int, size: int) -> None:
    """Let go of an item, whatever the reason."""
    kind = numbers[KIND]
    if kind <= S3_FIFO:
        if kind == SIEVE and counts[HAND] == item:
            counts[HAND] = links[cell(item, BEHIND)]
        if links[cell(item, QUEUE)] == MAIN_QUEUE:
            counts[IN_MAIN] -= size
        unlink(links, counts, item)
    else:
        remove(links, counts, heap, ranks, item, kind != RANDOM)
    counts[FREE] -= 1


@inlined_kernel
def evict_sieve(links: Links, counts: Counts) -> int:
    """Move the hand to the next item without a mark, clearing marks, and return that item."""
    item = counts[FIRST_QUEUE] if counts[HAND] == NOBODY else counts[HAND]
    while links[cell(item, TOUCHES)] > 0:
        links[cell(item, TOUCHES)] = 0
        item = links[cell(item, BEHIND)]
        if item == NOBODY:
            item = counts[FIRST_QUEUE]
    counts[HAND] = item
    return int(item)


@inlined_kernel
def remember(numbers: Numbers, links: Links, counts: Counts, sizes: NDArray[np.int32], first: int, item: int) -> None:
    """Let the ghost remember an item that is in no queue, as far as it remembers anything."""
    size = size_of(sizes, first + item)
    if size > numbers[GHOST_LIMIT]:
        return
    while counts[IN_GHOST] + size > numbers[GHOST_LIMIT]:
        oldest = counts[GHOST_QUEUE]
        forget(links, counts, oldest, size_of(sizes, first + oldest))
    append(links, counts, GHOST_QUEUE, item)
    counts[IN_GHOST] += size


@inlined_kernel
def evict_s3_fifo(
    numbers: Numbers, links: Links, counts: Counts, sizes: NDArray[np.int32], first: int
) -> tuple[int, bool]:
    """Return the next victim of the two queues, still in its queue, and whether the ghost is to remember it."""
    while True:
        if counts[IN_MAIN] > numbers[MAIN_LIMIT] or counts[FIRST_QUEUE] == NOBODY:
            item = counts[MAIN_QUEUE]
            while links[cell(item, TOUCHES)] > 0:
                links[cell(item, TOUCHES)] = min(links[cell(item, TOUCHES)], _MOST_CHANCES) - 1
                unlink(links, counts, item)
                append(links, counts, MAIN_QUEUE, item)
                item = counts[MAIN_QUEUE]
            return item, False
        item = counts[FIRST_QUEUE]
        while item != NOBODY:
            if links[cell(item, TOUCHES)] < numbers[MOVE_THRESHOLD]:
                return item, True
            unlink(links, counts, item)
            append(links, counts, MAIN_QUEUE, item)
            links[cell(item, TOUCHES)] = 0
            counts[IN_MAIN] += size_of(sizes, first + item)
            item = counts[FIRST_QUEUE]


@inlined_kernel
def evict(
    numbers: Numbers, links: Links, counts: Counts, heap: Heap, ranks: Ranks, sizes: NDArray[np.int32], key: int,
    first: int,
) -> int:  # fmt: skip
    """Let go of the next victim, and return it; there is one. The first item of the session is ``sizes[first]``."""
    kind = numbers[KIND]
    counts[EVICTED] = 1
    remembered = False
    if kind == SIEVE:
        item = evict_sieve(links, counts)
    elif kind == S3_FIFO:
        item, remembered = evict_s3_fifo(numbers, links, counts, sizes, first)
    elif kind == RANDOM:
        chance = uniform(key, POLICY_WORKLOAD, VICTIM_STREAM, 0, counts[DRAWS])
        counts[DRAWS] += 1
        item = int(heap[int(chance * counts[FREE])])
    elif kind in (LRU, FIFO):
        item = counts[FIRST_QUEUE]
    else:
        item = int(heap[0])
        ranks[len(ranks) - 1] = ranks[item]
    leave(numbers, links, counts, heap, ranks, item, size_of(sizes, first + item))
    if remembered:
        remember(numbers, links, counts, sizes, first, item)
    return item
