"""Compiled passes over the events of a trace, which are sorted by session and, inside it, in the order of play."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel


@kernel
def number_items(
    session_start: NDArray[np.int64], item: NDArray[np.int64], num_items: int, number: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Write each event's item as a number inside its session, by first occurrence; return the items per session.

    ``item`` (event) are numbers over all sessions, below ``num_items``; an entry of -1 (no item) stays -1.
    """
    met_in = np.full(num_items, -1, dtype=np.int64)
    number_of = np.empty(num_items, dtype=np.int32)
    counts = np.zeros(len(session_start) - 1, dtype=np.int64)
    for session in range(len(session_start) - 1):
        for event in range(session_start[session], session_start[session + 1]):
            one = item[event]
            if one < 0:
                number[event] = -1
                continue
            if met_in[one] != session:
                met_in[one] = session
                number_of[one] = counts[session]
                counts[session] += 1
            number[event] = number_of[one]
    return counts


@kernel
def cut_silences(session_start: NDArray[np.int64], longest: int, turn: NDArray[np.int64]) -> int:
    """Shift turns so that no two events of a session lie more than ``longest`` apart; return how many gaps were cut."""
    cut = 0
    for session in range(len(session_start) - 1):
        shift = 0
        for event in range(session_start[session] + 1, session_start[session + 1]):
            gap = turn[event] - shift - turn[event - 1]
            if gap > longest:
                shift += gap - longest
                cut += 1
            turn[event] -= shift
    return cut


@kernel
def count_turns(session_start: NDArray[np.int64], key: NDArray[np.int64], turn: NDArray[np.int64]) -> None:
    """Write a turn for every event: one more wherever ``key`` differs from that of the event before, 1 at first."""
    for session in range(len(session_start) - 1):
        now = 0
        for event in range(session_start[session], session_start[session + 1]):
            if event == session_start[session] or key[event] != key[event - 1]:
                now += 1
            turn[event] = now


@kernel
def apply_rules(
    session_start: NDArray[np.int64],
    item_start: NDArray[np.int64],
    number: NDArray[np.int32],
    turn: NDArray[np.int64],
    kind: NDArray[np.int8],
    infer: bool,
    once: bool,
    registered_again: int,
    keep: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Make kinds where there are none, and apply the rules about duplicates and repeated registrations.

    With ``infer``, the first touch of an item registers it and later ones recall it. With ``once``, the same event of
    an item in one turn counts once; with ``infer`` any touch is the same event. ``registered_again``: 0 keep, 1 drop,
    2 make it a recall. Returns how many events were dropped as duplicates, how many registrations came again, and how
    many recalls came while their item was not registered.
    """
    found = np.zeros(3, dtype=np.int64)
    for session in range(len(session_start) - 1):
        base = item_start[session]
        size = item_start[session + 1] - base
        registered = np.zeros(size, dtype=np.bool_)
        last_turn = np.zeros(size * 3, dtype=np.int64)
        for event in range(session_start[session], session_start[session + 1]):
            keep[event] = True
            item = number[event]
            if item < 0:
                continue
            if infer:
                kind[event] = 1 if registered[item] else 0
            one = kind[event]
            slot = 3 * item if infer else 3 * item + one
            if once and last_turn[slot] == turn[event]:
                found[0] += 1
                keep[event] = False
                continue
            last_turn[slot] = turn[event]
            if one == 0:
                if registered[item]:
                    found[1] += 1
                    if registered_again == 1:
                        keep[event] = False
                    elif registered_again == 2:
                        kind[event] = 1
                registered[item] = True
            elif one == 1:
                found[2] += not registered[item]
            else:
                registered[item] = False
    return found


@kernel
def by_item(
    session_start: NDArray[np.int64],
    item_start: NDArray[np.int64],
    number: NDArray[np.int32],
    touch_start: NDArray[np.int64],
    place: NDArray[np.int64],
) -> None:
    """Write where each item's touches begin (item + 1), and the events in item-major order (touch)."""
    for session in range(len(session_start) - 1):
        base = item_start[session]
        for event in range(session_start[session], session_start[session + 1]):
            touch_start[base + number[event] + 1] += 1
    for item in range(len(touch_start) - 1):
        touch_start[item + 1] += touch_start[item]
    filled = touch_start[:-1].copy()
    for session in range(len(session_start) - 1):
        base = item_start[session]
        for event in range(session_start[session], session_start[session + 1]):
            item = base + number[event]
            place[filled[item]] = event
            filled[item] += 1
