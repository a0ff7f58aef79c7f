"""The kernel of stack policies: one pass over a session gives the hits, and what is held, of every capacity in items.

What a memory of one capacity holds, the next larger one holds too, and one item more: slot c of the *stack* has the
item that a memory of c items holds and one of c - 1 does not. An insertion puts the item on top; going down, each slot
keeps the better of the item that it had and the one that was displaced above, as the memory of that capacity evicts the
worst that it holds. It ends where the item itself was, or at an empty slot: memories from there on have room.

Source: R. L. Mattson, J. Gecsei, D. R. Slutz, I. L. Traiger (1970), "Evaluation techniques for storage hierarchies",
IBM Systems Journal 9(2), 78-117.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import inlined_kernel, lean_kernel
from vecdecay.engines.kernels.curve_kernel import HITS, NUM_COUNTS, PRESENT, TOKEN_TURNS, TURNS
from vecdecay.engines.kernels.fields import FORGET, RECALL
from vecdecay.engines.kernels.orders import next_recall
from vecdecay.engines.kernels.queues import NO_SIGN

NOTHING = 0

HIT_TOKENS = NUM_COUNTS  # a row of the counts beside those of the curve kernel: the tokens of items that were hit
NUM_STACK_COUNTS = NUM_COUNTS + 1

# Entries of ``state``: slots taken by pinned items, which stand on top; the lowest slot ever used; whether keys fall
# from the top to there, with no empty slot between; the tokens of pinned items.
PINNED, DEPTH, FALLING, PINNED_TOKENS = range(4)
NUM_STATES = 4

STEP = 16  # slots compared at once
"""So many empty slots are behind those of the stack."""


@inlined_kernel
def level_of(stack: NDArray[np.int32], state: NDArray[np.int64], key: int) -> int:
    """Return the slot of an item, 0 where it is in none."""
    # Unsigned and without a way out, the inner loop compares several slots in one instruction.
    for first in range(state[PINNED] + 1, state[DEPTH] + 1, STEP):
        found = False
        for step in range(np.uint64(STEP)):
            found |= stack[np.uint64(first) + step] == key
        if found:
            for slot in range(first, first + STEP):
                if stack[slot] == key:
                    return slot
    return 0


@inlined_kernel
def displace(stack: NDArray[np.int32], state: NDArray[np.int64], slot: int, carried: int, own: int) -> tuple[int, int]:
    """Take what was displaced above down from a slot; return the slot of ``own`` or 0, and who is in no memory now."""
    while slot <= state[DEPTH]:
        held = int(stack[slot & NO_SIGN])
        if held == own or held == NOTHING:  # noqa: SIM109  # a tuple would have to be of one type
            break
        stack[slot & NO_SIGN] = max(carried, held)
        carried = min(carried, held)
        slot += 1
    if slot >= len(stack) - STEP:
        return 0, carried
    found = slot if own != NOTHING and stack[slot] == own else 0
    stack[slot] = carried
    state[DEPTH] = max(state[DEPTH], slot)
    if found == 0 and own != NOTHING:  # an empty slot came first: it moves to where the item was
        for lower in range(slot + 1, state[DEPTH] + 1):
            if stack[lower] == own:
                stack[lower] = NOTHING
                return lower, NOTHING
    return found, NOTHING


@inlined_kernel
def put_before_all(stack: NDArray[np.int32], state: NDArray[np.int64], top: int, key: int, own: int) -> tuple[int, int]:
    """Do as ``put_on_top`` where keys fall."""
    level, gone = 0, NOTHING
    if own != NOTHING:
        level = level_of(stack, state, own)
    last = level
    if level == 0:
        last = min(state[DEPTH] + 1, len(stack) - STEP - 1)
        gone = int(stack[last])
        state[DEPTH] = last
    lowest, one = np.uint64(last), np.uint64(1)
    for step in range(np.uint64(last - top)):
        stack[lowest - step] = stack[lowest - step - one]
    stack[top] = key
    return level, gone


@inlined_kernel
def put_on_top(stack: NDArray[np.int32], state: NDArray[np.int64], key: int, own: int) -> tuple[int, int]:
    """Insert an item with a key that had ``own`` so far; return the slot that it had or 0, and who is in no memory."""
    top = state[PINNED] + 1
    if top >= len(stack) - STEP:
        return 0, key
    if state[FALLING] == 1:  # as long as all that is displaced moves by one slot
        return put_before_all(stack, state, top, key, own)
    carried = int(stack[top])
    stack[top] = key
    state[DEPTH] = max(state[DEPTH], top)
    if carried == NOTHING and own != NOTHING:
        level = level_of(stack, state, own)
        if level > 0:
            stack[level] = NOTHING
        return level, NOTHING
    if carried == NOTHING:
        return 0, NOTHING
    if carried == own:
        return top, NOTHING
    return displace(stack, state, top + 1, carried, own)


@inlined_kernel
def pin_on_top(stack: NDArray[np.int32], state: NDArray[np.int64]) -> int:
    """Give a slot to a pinned item; return who is in no memory now."""
    state[PINNED] += 1
    top = state[PINNED]
    if top >= len(stack) - STEP:
        return NOTHING
    carried = int(stack[top])
    stack[top] = NOTHING
    state[DEPTH] = max(state[DEPTH], top)
    if carried == NOTHING:
        return NOTHING
    return displace(stack, state, top + 1, carried, NOTHING)[1]


@inlined_kernel
def take_out(stack: NDArray[np.int32], state: NDArray[np.int64], key: int, pinned: bool) -> None:
    """Leave an empty slot where an item was."""
    state[FALLING] = 0
    if pinned:
        if state[PINNED] < len(stack) - STEP:
            stack[state[PINNED]] = NOTHING
        state[PINNED] -= 1
        return
    level = level_of(stack, state, key)
    if level > 0:
        stack[level] = NOTHING


@inlined_kernel
def measure(
    stack: NDArray[np.int32], state: NDArray[np.int64], item_of: NDArray[np.int32], item_tokens: NDArray[np.int32],
    first: int, turns: int, counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Add what is held for so many turns: each slot is what the memory of its capacity holds more than a smaller one,
    slot 0 what is pinned.
    """
    width = len(stack) - STEP
    counts[TURNS * width] += turns * state[PINNED]
    counts[TOKEN_TURNS * width] += turns * state[PINNED_TOKENS]
    # Unsigned, so that several slots are added in one instruction; those of pinned items are empty.
    row, end = np.uint64(TURNS * width), np.uint64(min(state[DEPTH], width - 1) + 1)
    for slot in range(np.uint64(1), end):
        counts[row + slot] += turns if stack[slot] != NOTHING else 0
    if len(item_tokens) > 0:
        row = np.uint64(TOKEN_TURNS * width)
        for slot in range(np.uint64(1), end):
            if stack[slot] != NOTHING:
                counts[row + slot] += turns * item_tokens[first + item_of[stack[slot]]]


@inlined_kernel
def expire(
    stack: NDArray[np.int32], state: NDArray[np.int64], key_of: NDArray[np.int32], item_row: NDArray[np.int32],
    row_pinned: NDArray[np.bool_], item_tokens: NDArray[np.int32], item_expires: NDArray[np.int32], first: int,
    items: int, turn: int,
) -> None:  # fmt: skip
    """Take out what ends in a turn."""
    for number in range(items):
        if key_of[number] != NOTHING and 0 < item_expires[first + number] <= turn:
            pinned = bool(row_pinned[int(item_row[first + number]) if len(item_row) > 0 else 0])
            take_out(stack, state, int(key_of[number]), pinned)
            key_of[number] = NOTHING
            if pinned:
                state[PINNED_TOKENS] -= item_tokens[first + number] if len(item_tokens) > 0 else 1


@inlined_kernel
def while_held(
    stack: NDArray[np.int32], state: NDArray[np.int64], key_of: NDArray[np.int32], item_of: NDArray[np.int32],
    item_row: NDArray[np.int32], row_pinned: NDArray[np.bool_], item_tokens: NDArray[np.int32],
    item_expires: NDArray[np.int32], first: int, items: int, turn: int, until: int, counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Let turns pass without a touch, and measure after each."""
    while turn < until:
        turns = until - turn
        if len(item_expires) > 0:
            turns = 1
            expire(stack, state, key_of, item_row, row_pinned, item_tokens, item_expires, first, items, turn)
        measure(stack, state, item_of, item_tokens, first, turns, counts)
        turn += turns


@inlined_kernel
def clear(
    stack: NDArray[np.int32], state: NDArray[np.int64], key_of: NDArray[np.int32], items: int, falls: bool
) -> None:
    """Begin a session with nothing held."""
    for slot in range(len(stack)):
        stack[slot] = NOTHING
    for number in range(items):
        key_of[number] = NOTHING
    state[PINNED], state[DEPTH], state[FALLING], state[PINNED_TOKENS] = 0, 0, int(falls), 0


@inlined_kernel
def touch(
    stack: NDArray[np.int32], state: NDArray[np.int64], key: int, own: int, stays: bool, pinned: bool, tokens: int
) -> tuple[int, int]:
    """Let an item that had ``own`` so far have a key, in its slot where it ``stays``; return as ``put_on_top``."""
    if pinned and own != NOTHING:
        return 1, NOTHING
    if pinned:
        state[PINNED_TOKENS] += tokens
        return 0, pin_on_top(stack, state)
    if stays:
        level = level_of(stack, state, own)
        stack[level] = key
        return level, NOTHING
    return put_on_top(stack, state, key, own)


@inlined_kernel
def count_present(
    stack: NDArray[np.int32], state: NDArray[np.int64], key_of: NDArray[np.int32], item_row: NDArray[np.int32],
    row_pinned: NDArray[np.bool_], item_kind: NDArray[np.int8], first: int, items: int, counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Count the foundational items that are there after the last turn."""
    row = PRESENT * (len(stack) - STEP)
    for number in range(items):
        if key_of[number] != NOTHING and item_kind[first + number] == 1:
            pinned = bool(row_pinned[int(item_row[first + number]) if len(item_row) > 0 else 0])
            counts[row + (0 if pinned else level_of(stack, state, int(key_of[number])))] += 1


@lean_kernel
def play_stack(
    session_length: NDArray[np.int64], item_start: NDArray[np.int64], item_kind: NDArray[np.int8],
    touch_start: NDArray[np.int64], touch_turn: NDArray[np.int32], touch_kind: NDArray[np.int8],
    order: NDArray[np.int64], touch_item: NDArray[np.int32], place_of: NDArray[np.int64], item_row: NDArray[np.int32],
    row_pinned: NDArray[np.bool_], item_tokens: NDArray[np.int32], item_expires: NDArray[np.int32],
    looks_ahead: bool, relearn: bool, stack: NDArray[np.int32], state: NDArray[np.int64], key_of: NDArray[np.int32],
    item_of: NDArray[np.int32], counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """Add to ``counts`` (NUM_STACK_COUNTS, slot), flat: hits and their tokens, turns and token-turns, and foundational
    items at the end, each at the smallest capacity that has it. TOKEN_TURNS are left out where all sizes are 1.

    Input as in SessionBlock, ByTurn and ``play_caches``, ``looks_ahead`` for Belady's order instead of LRU's. Scratch:
    ``stack`` (slot, and STEP more), ``state``, ``key_of`` (item of a session), ``item_of`` (key, up to twice as many as
    a session has touches). The higher an item's key, the longer it is kept: of touches the later, above them next
    recalls, the nearer.
    """
    width = len(stack) - STEP
    for session in range(len(session_length)):
        first, begin, end = item_start[session], touch_start[item_start[session]], touch_start[item_start[session + 1]]
        touches = end - begin
        items = item_start[session + 1] - first
        clear(stack, state, key_of, items, relearn and not looks_ahead)
        turn = 1
        for place in range(begin, end + 1):  # behind the last touch, the turns to the end
            until = int(touch_turn[order[place]]) if place < end else int(session_length[session]) + 1
            while_held(
                stack, state, key_of, item_of, item_row, row_pinned, item_tokens, item_expires, first, items, turn,
                until, counts,
            )  # fmt: skip
            turn = until
            if place == end:
                break
            at = order[place]
            item = int(touch_item[at])
            number, kind, own = item - first, touch_kind[at], int(key_of[item - first])
            pinned = bool(row_pinned[int(item_row[item]) if len(item_row) > 0 else 0])
            tokens = int(item_tokens[item]) if len(item_tokens) > 0 else 1
            if kind == FORGET:
                if own != NOTHING:
                    take_out(stack, state, own, pinned)
                    key_of[number] = NOTHING
                    state[PINNED_TOKENS] -= tokens if pinned else 0
                continue
            if kind == RECALL and not relearn and own == NOTHING:
                continue
            key = place - begin + 1
            if looks_ahead:
                expires = int(item_expires[item]) if len(item_expires) > 0 else 0
                upcoming = next_recall(place_of, touch_turn, touch_kind, at, touch_start[item + 1], expires)
                if upcoming != -np.inf:
                    key = 2 * touches + int(upcoming) + begin
            level, gone = touch(stack, state, key, own, kind == RECALL and not relearn, pinned, tokens)
            key_of[number] = key
            item_of[key] = number
            if gone != NOTHING:
                key_of[item_of[gone]] = NOTHING
            if kind == RECALL and level > 0:
                counts[HITS * width + level] += 1
                counts[HIT_TOKENS * width + level] += tokens
        count_present(stack, state, key_of, item_row, row_pinned, item_kind, first, items, counts)
