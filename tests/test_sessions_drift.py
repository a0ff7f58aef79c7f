"""Tests of vecdecay.sessions.drift: items come into use and give way."""

from rhythms import refusals

from vecdecay.sessions import Drift


def test_items_are_in_use_for_their_time_only() -> None:
    """Three at a time; the oldest gives way every ten turns, and is never touched again."""
    workload = Drift(num_foundational=6, items_in_use=3, turns_per_shift=10, recalls_per_turn=2.0, session_length=60)
    first, last = [1, 1, 1, 11, 21, 31], [10, 20, 30, 40, 50, 60]
    block = workload.block(range(300))
    turns = [block.touch_turn[a:b] for a, b in zip(block.touch_start, block.touch_start[1:], strict=False)]
    for item in range(6):
        mine = [one for number, one in enumerate(turns) if number % 6 == item]
        assert {one[0] for one in mine} == {first[item]}
        assert max(one[-1] for one in mine) == last[item]
        assert min(one[1] for one in mine if len(one) > 1) == first[item] + 1


def test_more_items_than_come_into_use_are_refused() -> None:
    """Twelve items, three in use, ten turns a shift: the last begins in turn 91."""
    (line,) = refusals(Drift, session_length=90, turns_per_shift=10)
    assert line == ("Drift.session_length is 90; allowed: at least 91, which the shifts of num_foundational 12 take")
