"""One pass that answers every value of a parameter: what is present, and which recalls hit, by what it takes.

An item survives exactly when it survives each pass, so the hardest pass so far, as a rank among all that occur, says
for which values of the parameter it is still there. Integers only: item-turns and recalls are counted per rank.
"""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel
from vecdecay.engines.kernels.fields import FORGET, RECALL, REGISTER
from vecdecay.engines.kernels.rules import clock

# Rows of the counts (row, rank + 1): entry 0 stands for an item that no value keeps, the last for one that each keeps.
TURNS = 0
TOKEN_TURNS = 1
HITS = 2
PRESENT = 3
NUM_COUNTS = 4

# Entries of the totals, which no value of the parameter changes.
RECALLS = 0
REGISTRATIONS = 1
REGISTERED_TOKENS = 2
FOUNDATIONAL = 3
SESSION_TURNS = 4
NUM_TOTALS = 5

# Entries of the rules; see policies.rules.Rules.
PERIOD = 0
REFRESHES = 1
COOLDOWN = 2
GRACE = 3
UNIT = 4
INCLUSIVE = 5


@kernel
def longest_ages(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    rules: NDArray[np.int64],
    longest: NDArray[np.int64],
) -> None:
    """Raise ``longest`` (recall) to the highest age in which a pass may see an item after so many recalls."""
    for session in range(len(session_length)):
        for item in range(item_start[session], item_start[session + 1]):
            count, anchor, counted = 0, 0, 0
            for touch in range(touch_start[item], touch_start[item + 1]):
                turn = int(touch_turn[touch])
                if touch_kind[touch] == REGISTER:
                    count, anchor, counted = 1, turn, turn
                elif touch_kind[touch] == RECALL and count > 0:
                    if turn - counted >= rules[COOLDOWN]:
                        counted = turn
                        count += 1
                    if rules[REFRESHES] == 1:
                        anchor = turn
                if count == 0:
                    continue
                last = touch + 1 == touch_start[item + 1]
                until = int(session_length[session]) if last else int(touch_turn[touch + 1]) - 1
                age = clock(until, rules[UNIT]) - clock(anchor, rules[UNIT]) + rules[INCLUSIVE]
                longest[count - 1] = max(longest[count - 1], age)


@kernel
def kept_up_to(ranks: NDArray[np.int32], first: int, last: int, rank: int) -> int:
    """Return the highest age from 0 to ``last`` whose rank is at least ``rank``; ranks fall with the age; -1 for none.

    ``first`` is the place of age 0.
    """
    kept, lost = -1, last + 1
    while lost - kept > 1:
        middle = (kept + lost) // 2
        if ranks[first + middle] >= rank:
            kept = middle
        else:
            lost = middle
    return kept


@kernel
def count_by_rank(
    session_length: NDArray[np.int64],
    item_start: NDArray[np.int64],
    item_kind: NDArray[np.int8],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    item_row: NDArray[np.int32],
    pinned: NDArray[np.bool_],
    item_tokens: NDArray[np.int32],
    item_expires: NDArray[np.int32],
    ranks: NDArray[np.int32],
    start: NDArray[np.int64],
    num_ranks: int,
    plain: bool,
    rules: NDArray[np.int64],
    counts: NDArray[np.int64],
    steps: NDArray[np.int64],
    totals: NDArray[np.int64],
) -> None:
    """Add the items of a block to ``counts`` (NUM_COUNTS, rank + 1), ``steps`` and ``totals`` (NUM_TOTALS), all flat.

    ``ranks`` (row, place) is the rank of what keeps an item at an age, which stands at ``start`` (recall) plus the age;
    ``num_ranks`` ranks from 0. ``item_row``, ``item_tokens``, ``item_expires`` (item) may be empty: row 0, 1, never;
    ``pinned`` (row). With ``plain``, a pass runs in each turn, ages are in turns since the last touch and ranks fall
    with them: then whole gaps are counted as differences in ``steps`` (2, row, place + 1), the number of items and of
    tokens that begin and cease to be of an age, which add to TURNS and TOKEN_TURNS.
    """
    width = start[len(start) - 1]
    stride = num_ranks + 2
    half = len(steps) // 2
    for session in range(len(session_length)):
        length = int(session_length[session])
        totals[SESSION_TURNS] += length
        for item in range(item_start[session], item_start[session + 1]):
            row = int(item_row[item]) if len(item_row) > 0 else 0
            tokens = int(item_tokens[item]) if len(item_tokens) > 0 else 1
            expires = int(item_expires[item]) if len(item_expires) > 0 else 0
            foundational = item_kind[item] == 1
            totals[FOUNDATIONAL] += foundational
            rank, count, anchor, counted, registered = -1, 0, 0, 0, 0
            end = touch_start[item + 1]
            for touch in range(touch_start[item], end):
                turn = int(touch_turn[touch])
                kind = touch_kind[touch]
                if kind == REGISTER:
                    rank, count, anchor, counted, registered = num_ranks, 1, turn, turn, turn
                    totals[REGISTRATIONS] += 1
                    totals[REGISTERED_TOKENS] += tokens
                elif kind == RECALL:
                    totals[RECALLS] += 1
                    counts[HITS * stride + rank + 1] += 1
                    if count > 0:
                        if turn - counted >= rules[COOLDOWN]:
                            counted = turn
                            count += 1
                        if rules[REFRESHES] == 1:
                            anchor = turn
                elif kind == FORGET:
                    rank = -1
                else:
                    raise ValueError("the curve kernel knows no touch of this kind")
                if rank < 0:
                    continue
                until = length if touch + 1 == end else int(touch_turn[touch + 1]) - 1
                last = until
                if expires > 0:
                    last = min(until, max(expires, turn) - 1)  # the last turn after which it may be there
                first = row * width + start[count - 1]
                if pinned[row]:
                    counts[rank + 1] += last - turn + 1
                    counts[TOKEN_TURNS * stride + rank + 1] += tokens * (last - turn + 1)
                elif plain:
                    if last >= turn:
                        kept = kept_up_to(ranks, int(first), last - turn, rank)
                        counts[rank + 1] += kept + 1
                        counts[TOKEN_TURNS * stride + rank + 1] += tokens * (kept + 1)
                        if kept < last - turn:
                            begin = first + row + kept + 1
                            ceases = first + row + last - turn + 1
                            steps[begin] += 1
                            steps[ceases] -= 1
                            steps[half + begin] += tokens
                            steps[half + ceases] -= tokens
                            rank = int(ranks[first + last - turn])
                else:
                    for now in range(turn, last + 1):
                        if now % rules[PERIOD] == 0 and now - registered >= rules[GRACE]:
                            age = clock(now, rules[UNIT]) - clock(anchor, rules[UNIT]) + rules[INCLUSIVE]
                            rank = min(rank, int(ranks[first + age]))
                        counts[rank + 1] += 1
                        counts[TOKEN_TURNS * stride + rank + 1] += tokens
                if last < until:
                    rank = -1
            if foundational:
                counts[PRESENT * stride + rank + 1] += 1
