"""Compiled passes over the events of a trace, which are sorted by session and, inside it, in the order of play."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel


@kernel
def number_by_row(code: NDArray[np.int32], num_codes: int) -> NDArray[np.int32]:
    """Number codes anew, in place, in the order of their first rows; return the old code of each new one."""
    number = np.full(num_codes, -1, dtype=np.int32)
    old = np.empty(num_codes, dtype=np.int32)
    count = 0
    for row in range(len(code)):
        one = code[row]
        if number[one] < 0:
            number[one] = count
            old[count] = one
            count += 1
        code[row] = number[one]
    return old[:count]


@kernel
def in_order(session: NDArray[np.int32], key: NDArray[np.int64], by_session: bool) -> bool:
    """Tell whether sessions rise from event to event and, unless ``by_session``, ``key`` does not fall inside one."""
    for event in range(1, len(session)):
        if session[event] < session[event - 1]:
            return False
        if not by_session and session[event] == session[event - 1] and key[event] < key[event - 1]:
            return False
    return True


@kernel
def number_items(
    session_start: NDArray[np.int64],
    first_session: int,
    end_session: int,
    item: NDArray[np.int32],
    num_items: int,
    number: NDArray[np.int32],
    is_new: NDArray[np.bool_],
) -> None:
    """Write each event's item as a number inside its session, by first occurrence, and whether it is the first there.

    ``item`` (event) are numbers over all sessions, below ``num_items``.
    """
    met_in = np.full(num_items, -1, dtype=np.int32)
    number_of = np.empty(num_items, dtype=np.int32)
    for session in range(first_session, end_session):
        count = 0
        for event in range(session_start[session], session_start[session + 1]):
            one = item[event]
            is_new[event] = met_in[one] != session
            if met_in[one] != session:
                met_in[one] = session
                number_of[one] = count
                count += 1
            number[event] = number_of[one]


@kernel
def turns_of_units(
    session_start: NDArray[np.int64],
    first_session: int,
    end_session: int,
    key: NDArray[np.int64],
    unit: int,
    longest: int,
    turn: NDArray[np.int32],
) -> tuple[int, int]:
    """Write a turn for every event: the multiples of ``unit`` in ``key`` (event), from 1 at the start of a session.

    No two events of a session are more than ``longest`` turns apart then. Returns how many gaps were cut to it, and the
    last turn of all; above 2**31 - 1 the turns are not to be used.
    """
    cut, last = 0, 0
    for session in range(first_session, end_session):
        before = int(key[session_start[session]]) // unit
        now = 1
        for event in range(session_start[session], session_start[session + 1]):
            units = int(key[event]) // unit
            cut += units - before > longest
            now += min(units - before, longest)
            before = units
            turn[event] = now
        last = max(last, now)
    return cut, last


@kernel
def count_turns(
    session_start: NDArray[np.int64],
    first_session: int,
    end_session: int,
    key: NDArray[np.int64],
    turn: NDArray[np.int32],
) -> None:
    """Write a turn for every event: one more wherever ``key`` differs from that of the event before, 1 at first."""
    for session in range(first_session, end_session):
        now = 0
        for event in range(session_start[session], session_start[session + 1]):
            if event == session_start[session] or key[event] != key[event - 1]:
                now += 1
            turn[event] = now


@kernel
def apply_rules(
    session_start: NDArray[np.int64],
    first_session: int,
    end_session: int,
    item_start: NDArray[np.int64],
    number: NDArray[np.int32],
    turn: NDArray[np.int32],
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
    for session in range(first_session, end_session):
        base = item_start[session]
        size = item_start[session + 1] - base
        registered = np.zeros(size, dtype=np.bool_)
        last_turn = np.zeros(size * 3, dtype=np.int64)
        for event in range(session_start[session], session_start[session + 1]):
            keep[event] = True
            item = number[event]
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
def touches_by_item(
    session_start: NDArray[np.int64],
    first_session: int,
    end_session: int,
    item_start: NDArray[np.int64],
    number: NDArray[np.int32],
    turn: NDArray[np.int32],
    kind: NDArray[np.int8],
    grade: NDArray[np.int8],
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    touch_grade: NDArray[np.int8],
    touch_order: NDArray[np.int32],
    recalls: NDArray[np.int64],
) -> None:
    """Write events as the touches of a SessionBlock, item by item, and how often each item is recalled.

    ``grade`` (event) may be empty. Of ``touch_start`` (item + 1) the last entry is left alone.
    """
    for session in range(first_session, end_session):
        base, begin = item_start[session], session_start[session]
        place = np.zeros(item_start[session + 1] - base + 1, dtype=np.int64)
        for event in range(begin, session_start[session + 1]):
            place[number[event] + 1] += 1
        place[0] = begin
        for item in range(len(place) - 1):
            touch_start[base + item] = place[item]
            place[item + 1] += place[item]
        for event in range(begin, session_start[session + 1]):
            item = number[event]
            touch = place[item]
            place[item] += 1
            touch_turn[touch] = turn[event]
            touch_kind[touch] = kind[event]
            touch_order[touch] = event - begin
            recalls[base + item] += kind[event] == 1
            if len(grade) > 0:
                touch_grade[touch] = grade[event]


@kernel
def gaps_of_recalls(
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
    gaps: NDArray[np.int32],
) -> int:
    """Write the turns before recalls whose item was touched before, and not forgotten since; return how many.

    ``gaps`` (touch) has room for all touches.
    """
    place = 0
    for item in range(len(touch_start) - 1):
        for touch in range(touch_start[item] + 1, touch_start[item + 1]):
            if touch_kind[touch] == 1 and touch_kind[touch - 1] != 2:
                gaps[place] = touch_turn[touch] - touch_turn[touch - 1]
                place += 1
    return place
