"""The lockstep kernel: advances the sessions of a block together, turn by turn, over (session × item) arrays.

It is the general machine: state per item is a stability (float64), a last touch and counts (int32). An item's expiry,
the turn whose pass would evict it, is settled when the item is touched, by asking the real predicate around a
closed-form guess. The pass of a turn is then a look at how many items expire in it. A plain pass over every item in
every turn, over blocks larger than the cache, cost 47 µs a session and policy; this form costs under 3.

The arithmetic is CPython's to the bit: scalar exp and log, one true division, no fastmath.
"""

import math

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel

# Laws: how an expiry is found.
TABLE = 0
EBBINGHAUS = 1
RECENCY_WINDOW = 2

# Fields of the item array, as in horizon_kernel.
LAST_TOUCH = 1
RECALL_COUNT = 2
EVICTED_TURN = 3
HITS = 4
MISSES = 5
PRESENT = 6
REGISTRATIONS = 7
NUM_ITEM_FIELDS = 8

# Entries of the rules array; see policies.base.Rules.
PERIOD = 0
REFRESHES = 1
COOLDOWN = 2
GRACE = 3
UNIT = 4

# Entries of the law's parameters.
THRESHOLD = 0
BASELINE_STABILITY = 1
REINFORCEMENT_GAIN = 2
MAX_STABILITY = 3

_TILE = 16  # sessions advanced together; their state then fits the second-level cache


@kernel
def sort_by_turn(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    order: NDArray[np.int64],
    touch_item: NDArray[np.int64],
) -> None:
    """Write the touches of every session in turn order (a stable counting sort), and the item of every touch.

    ``order`` and ``touch_item`` have the shape (touch); ``order`` holds positions in ``touch_turn``.
    """
    for session in range(len(session_length)):
        turn_count = np.zeros(session_length[session] + 2, dtype=np.int64)
        first_touch = touch_start[item_start[session]]
        last_touch = touch_start[item_start[session + 1]]
        for touch in range(first_touch, last_touch):
            turn_count[touch_turn[touch] + 1] += 1
        for turn in range(session_length[session] + 1):
            turn_count[turn + 1] += turn_count[turn]
        for item in range(item_start[session], item_start[session + 1]):
            for touch in range(touch_start[item], touch_start[item + 1]):
                turn = touch_turn[touch]
                order[first_touch + turn_count[turn]] = touch
                touch_item[touch] = item
                turn_count[turn] += 1


@kernel
def _ebbinghaus_evicts(age: int, stability: float, threshold: float) -> bool:
    return math.exp(-age / stability) < threshold


@kernel
def _turns_to_live(law: int, threshold: float, stability: float, horizon: int, limit: int) -> int:
    """Return the first age at which the law evicts, or ``limit`` if that is not below it (``limit`` ≥ 1)."""
    if law == TABLE:
        return min(horizon, limit)
    if law == RECENCY_WINDOW:
        age = limit if threshold >= limit else max(1, np.int64(math.floor(threshold)) + 1)
        while age > 1 and age - 1 > threshold:
            age -= 1
        while age < limit and not age > threshold:
            age += 1
        return min(age, limit)
    guess = 1.0 - stability * math.log(threshold)
    age = max(1, np.int64(guess)) if guess < limit else limit
    while age > 1 and _ebbinghaus_evicts(age - 1, stability, threshold):
        age -= 1
    while age < limit and not _ebbinghaus_evicts(age, stability, threshold):
        age += 1
    return age


@kernel
def _expiry_turn(
    turn: int, anchor: int, life: int, registered: int, length: int, period: int, grace: int, unit: int
) -> int:
    """Return the turn whose pass evicts an item touched in ``turn``, the turn after the last where none does."""
    earliest = max(((anchor - 1) // unit + life) * unit + 1, registered + grace, turn)
    return min(-(-earliest // period) * period, length + 1)


@kernel
def _touch_item(
    turn: int,
    length: int,
    recall: bool,
    item: int,
    row: int,
    foundational: bool,
    turn_offset: int,
    law: int,
    parameters: NDArray[np.float64],
    horizon: NDArray[np.int64],
    rules: NDArray[np.int64],
    stability: NDArray[np.float64],
    state: NDArray[np.int64],
    items: NDArray[np.int32],
    working_set: NDArray[np.int32],
    foundational_present: NDArray[np.int32],
) -> int:
    """Register or recall one item and move its expiry; return the turns that a stretch which ended before had held it.

    The result is -1 where the item was in the working set already, or is not there to be recalled.
    """
    stride = len(items) // NUM_ITEM_FIELDS
    expiry, entered, counted = item, len(stability) + item, 2 * len(stability) + item
    known = items[item] > 0
    present = known and state[expiry] >= turn
    held = -1
    if recall and not present:
        items[MISSES * stride + item] += 1
        return -1
    if present:
        working_set[turn_offset + state[expiry]] -= 1
        foundational_present[turn_offset + state[expiry]] -= foundational
    else:
        held = 0
        if known:
            items[EVICTED_TURN * stride + item] = state[expiry]
            held = state[expiry] - state[entered]
        state[entered] = turn
    recall_count = items[RECALL_COUNT * stride + item]
    if not recall:
        recall_count = 1
        items[item] = turn
        items[REGISTRATIONS * stride + item] += 1
        stability[item] = parameters[BASELINE_STABILITY]
        state[counted] = turn
    else:
        items[HITS * stride + item] += 1
        if turn - state[counted] >= rules[COOLDOWN]:
            recall_count += 1
            factor = 1.0 + parameters[REINFORCEMENT_GAIN] * math.log(1.0 + recall_count)
            stability[item] = min(stability[item] * factor, parameters[MAX_STABILITY])
            state[counted] = turn
    items[RECALL_COUNT * stride + item] = recall_count
    items[LAST_TOUCH * stride + item] = turn
    known_horizon = horizon[row + recall_count - 1] if law == TABLE else 0
    life = _turns_to_live(law, parameters[THRESHOLD], stability[item], known_horizon, length + 1)
    anchor = turn if rules[REFRESHES] == 1 else items[item]
    period, grace, unit = rules[PERIOD], rules[GRACE], rules[UNIT]
    state[expiry] = _expiry_turn(turn, anchor, life, items[item], length, period, grace, unit)
    working_set[turn_offset + state[expiry]] += 1
    foundational_present[turn_offset + state[expiry]] += foundational
    return held


@kernel
def _clear(
    first_item: int,
    last_item: int,
    first_turn: int,
    last_turn: int,
    stability: NDArray[np.float64],
    state: NDArray[np.int64],
    items: NDArray[np.int32],
    working_set: NDArray[np.int32],
    foundational_present: NDArray[np.int32],
) -> None:
    """Set the listed items and the turns of a session to nothing; the arrays may hold what an earlier block left."""
    stride = len(items) // NUM_ITEM_FIELDS
    for item in range(first_item, last_item):
        stability[item] = 0.0
        for row in range(3):
            state[row * len(stability) + item] = 0
        for field in range(NUM_ITEM_FIELDS):
            items[field * stride + item] = 0
    for turn in range(first_turn, last_turn):
        working_set[turn] = 0
        foundational_present[turn] = 0


@kernel
def _settle(
    length: int,
    first_item: int,
    last_item: int,
    state: NDArray[np.int64],
    items: NDArray[np.int32],
    num_items: int,
    first_listed: int,
    item_tokens: NDArray[np.int32],
) -> int:
    """After the last turn: an item whose expiry lies inside the session is gone, the others are present.

    Returns the turns that the items were held in their last stretch, times their tokens.
    """
    stride = len(items) // NUM_ITEM_FIELDS
    token_turns = 0
    for item in range(first_item, last_item):
        if items[item] > 0:
            if state[item] <= length:
                items[EVICTED_TURN * stride + item] = state[item]
            else:
                items[PRESENT * stride + item] = 1
            tokens = item_tokens[first_listed + item - first_item] if len(item_tokens) > 0 else 1
            token_turns += np.int64(tokens) * (state[item] - state[num_items + item])
    return token_turns


@kernel
def _write_cohort_items(
    registered: NDArray[np.int32],
    evicted: NDArray[np.int32],
    newborn_stability: NDArray[np.float64],
    first_item: int,
    stability: NDArray[np.float64],
    items: NDArray[np.int32],
) -> None:
    """Write the state of the items that nothing touched again, from ``first_item`` on.

    Done for a whole session at once: written turn by turn across sessions they would cost twice the time in cache
    misses.
    """
    stride = np.uint64(len(items) // NUM_ITEM_FIELDS)
    place = np.uint64(first_item)
    for number in range(np.uint64(len(registered))):
        stability[place] = newborn_stability[number]
        items[place] = registered[number]
        items[np.uint64(LAST_TOUCH) * stride + place] = registered[number]
        items[np.uint64(RECALL_COUNT) * stride + place] = 1
        items[np.uint64(EVICTED_TURN) * stride + place] = evicted[number]
        items[np.uint64(HITS) * stride + place] = 0
        items[np.uint64(MISSES) * stride + place] = 0
        items[np.uint64(PRESENT) * stride + place] = evicted[number] == 0
        items[np.uint64(REGISTRATIONS) * stride + place] = 1
        place += np.uint64(1)


@kernel
def play_lockstep(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    order: NDArray[np.int64],
    touch_item: NDArray[np.int64],
    item_row: NDArray[np.int64],
    item_tokens: NDArray[np.int32],
    cohort_change: NDArray[np.int64],
    cohort_registered: NDArray[np.int32],
    cohort_evicted: NDArray[np.int32],
    cohort_stability: NDArray[np.float64],
    law: int,
    parameters: NDArray[np.float64],
    horizon: NDArray[np.int64],
    rules: NDArray[np.int64],
    all_start: NDArray[np.int64],
    all_kind: NDArray[np.int8],
    turn_start: NDArray[np.int64],
    stability: NDArray[np.float64],
    state: NDArray[np.int64],
    items: NDArray[np.int32],
    working_set: NDArray[np.int32],
    foundational_present: NDArray[np.int32],
    totals: NDArray[np.int64],
) -> None:
    """Play every session of a block under one law.

    Input shapes as in SessionBlock, with ``order`` and ``touch_item`` (touch) from :func:`sort_by_turn`; ``item_row``
    (item) is where an item's horizons begin, read under the law TABLE only; ``item_tokens`` (item) may be empty for 1.
    ``cohort_change`` (turn 0 … last + 1) is by how much items that are never touched again change the working set of
    every session in each turn; ``cohort_registered``, ``cohort_evicted`` and ``cohort_stability`` (cohort item) are
    their state. ``all_start`` (session + 1) and ``all_kind`` (all items) place listed and cohort items together: those
    of session s begin at ``all_start[s]``, the listed ones first.

    Written: ``stability`` (all items); ``state`` (3, all items): expiry, turn of entering, latest use
    that counted; ``items`` (field, all items); ``working_set`` and ``foundational_present`` (turn); ``totals`` (3,
    session), given zeroed, as in play_horizon, over listed items. All arrays of two dimensions are flat. A session's
    turns begin at
    ``turn_start[s]``, two more than it has (turn 0, and the turn after the last). Ahead of the clock, the turn arrays
    hold how many items expire in a turn.
    """
    num_sessions = len(session_length)
    next_touch = np.zeros(_TILE, dtype=np.int64)
    next_turn = np.zeros(_TILE, dtype=np.int64)
    listed_size = np.zeros(_TILE, dtype=np.int64)
    for tile_first in range(0, num_sessions, _TILE):
        tile_last = min(tile_first + _TILE, num_sessions)
        longest = 0
        for session in range(tile_first, tile_last):
            touch = touch_start[item_start[session]]
            next_touch[session - tile_first] = touch
            ends = touch == touch_start[item_start[session + 1]]
            next_turn[session - tile_first] = 0 if ends else touch_turn[order[touch]]
            listed_size[session - tile_first] = 0
            _clear(
                all_start[session], all_start[session] + item_start[session + 1] - item_start[session],
                turn_start[session], turn_start[session + 1], stability, state, items, working_set,
                foundational_present,
            )  # fmt: skip
            longest = max(longest, session_length[session])
        for turn in range(1, longest + 1):
            for session in range(tile_first, tile_last):
                length = session_length[session]
                if turn > length:
                    continue
                lane = session - tile_first
                now = turn_start[session] + turn
                entered = 0
                entered_foundational = 0
                if next_turn[lane] == turn:
                    touch = next_touch[lane]
                    last_touch = touch_start[item_start[session + 1]]
                    while touch < last_touch and touch_turn[order[touch]] == turn:
                        listed = touch_item[order[touch]]
                        item = listed - item_start[session] + all_start[session]
                        foundational = all_kind[item] == 1
                        held = _touch_item(
                            turn, length, touch_kind[order[touch]] == 1, item, item_row[listed], foundational,
                            turn_start[session], law, parameters, horizon, rules, stability, state, items,
                            working_set, foundational_present,
                        )  # fmt: skip
                        if held >= 0:
                            tokens = item_tokens[listed] if len(item_tokens) > 0 else 1
                            totals[num_sessions + session] += np.int64(tokens) * held
                            entered += 1
                            entered_foundational += foundational
                        if touch_kind[order[touch]] == 0:
                            tokens = item_tokens[listed] if len(item_tokens) > 0 else 1
                            totals[2 * num_sessions + session] += tokens
                        touch += 1
                    next_touch[lane] = touch
                    next_turn[lane] = touch_turn[order[touch]] if touch < last_touch else 0
                listed_size[lane] += entered - working_set[now]
                totals[session] += listed_size[lane]
                working_set[now] = working_set[now - 1] + entered - working_set[now] + cohort_change[turn]
                foundational_present[now] = (
                    foundational_present[now - 1] + entered_foundational - foundational_present[now]
                )
        for session in range(tile_first, tile_last):
            listed_end = all_start[session] + item_start[session + 1] - item_start[session]
            totals[num_sessions + session] += _settle(
                session_length[session], all_start[session], listed_end, state, items, len(stability),
                item_start[session], item_tokens,
            )  # fmt: skip
            _write_cohort_items(cohort_registered, cohort_evicted, cohort_stability, listed_end, stability, items)
