"""Tests of vecdecay.sessions.rhythm_kernel: steps one by one, compiled and plain; what becomes of too little room."""

import numpy as np
import pytest

from vecdecay.sessions.draws import plain
from vecdecay.sessions.rhythm_kernel import _sort, count_noise, recall_gap, take_steps
from vecdecay.sessions.steps import (
    Plan,
    Step,
    come_back,
    flat_numbers,
    periodic,
    power_gaps,
    process,
    register,
    spread,
    spread_after,
)

LENGTH = 60
STEPS: dict[str, tuple[Step, ...]] = {
    "register": (register(3, 50),),
    "register after the end": (register(61, 90),),
    "spread": (register(), spread(5, 2, 60)),
    "spread beyond the end": (register(), spread(30, 40, 100)),
    "spread many": (register(), spread(300, 2, 60)),
    "come back": (register(), come_back(17)),
    "come back too late": (register(), come_back(60)),
    "spread after": (register(20, 40), spread_after(6, 30)),
    "process": (register(), process(0.3, 2, 60)),
    "fast process": (register(), process(20.0, 10, 80)),
    "power gaps": (register(), power_gaps(0.5, 0.64, LENGTH)),
    "heavy gaps": (register(), power_gaps(1e9, 0.1, LENGTH)),
    "periodic": (register(), periodic(7, 3, LENGTH)),
    "every turn": (register(), periodic(1, 0, LENGTH)),
    "all": (register(), spread(3, 2, 9), come_back(5), spread_after(2, 4), process(0.2, 30, 60)),
}


def compiled(key: int, item: int, steps: tuple[Step, ...], room: int, start: int = 0) -> list[tuple[int, int]] | None:
    """Return (turn, kind) of the touches, None where there was not room enough."""
    turns, kinds = np.full(room, -1, dtype=np.int32), np.full(room, -1, dtype=np.int8)
    numbers = np.array(flat_numbers([Plan(1, steps)]))
    end = take_steps(key, 9, item, LENGTH, numbers, 0, len(steps), turns, kinds, start)
    assert (turns[:start] == -1).all()
    return None if end < 0 else list(zip(turns[start:end].tolist(), kinds[start:end].tolist(), strict=True))


@pytest.mark.parametrize("name", STEPS)
def test_compiled_steps_equal_plain_ones(name: str) -> None:
    """On many keys and items, wherever in the arrays the touches begin; turns rise, and lie inside the session."""
    steps = STEPS[name]
    for key in [*range(30), -1, 2**63 - 1, -(2**63)]:
        turns, kinds = [0] * 5000, [0] * 5000
        end = plain(take_steps)(key, 9, key % 7, LENGTH, flat_numbers([Plan(1, steps)]), 0, len(steps), turns, kinds, 0)
        touches = list(zip(turns[:end], kinds[:end], strict=True))
        assert compiled(key, key % 7, steps, 5000) == compiled(key, key % 7, steps, 5000, 11) == touches
        assert turns[:end] == sorted(turns[:end])
        assert all(1 <= turn <= LENGTH for turn in turns[:end])
        assert all(type(turn) is int for turn in turns[:end])


@pytest.mark.parametrize("name", STEPS)
def test_too_little_room_is_told(name: str) -> None:
    """One place too few is noticed, and nothing is written outside; exactly enough is enough but for a spread."""
    steps = STEPS[name]
    for key in range(5):
        touches = compiled(key, 1, steps, 5000)
        assert touches is not None
        if touches:
            assert compiled(key, 1, steps, len(touches) - 1) is None
        if "beyond" not in name and "after" not in name:
            assert compiled(key, 1, steps, len(touches)) == touches


@pytest.mark.parametrize("size", [0, 1, 2, 9, 10, 100, 1000])
def test_sorting_sorts(size: int) -> None:
    """Any length, values several times, and only the part asked for."""
    turns = np.random.default_rng(size).integers(0, 50, size + 4).astype(np.int32)
    before = turns.copy()
    _sort(turns, 2, size + 2)
    assert turns[2:-2].tolist() == sorted(before[2:-2].tolist())
    assert turns[[0, 1, -2, -1]].tolist() == before[[0, 1, -2, -1]].tolist()


def test_steps_draw_from_streams_of_their_own() -> None:
    """A step in front that draws nothing moves the later ones to another stream; one behind changes nothing."""
    alone = compiled(4, 0, (register(), process(0.5, 2, 60)), 500)
    behind = compiled(4, 0, (register(), process(0.5, 2, 60), spread(0, 2, 9)), 500)
    shifted = compiled(4, 0, (register(), spread(0, 2, 9), process(0.5, 2, 60)), 500)
    assert alone == behind
    assert alone != shifted


def test_noise_is_the_same_compiled_and_plain() -> None:
    """Numbers per turn and gaps, of keys from all over 64 bits."""
    thresholds = np.array([2**60, 2**61, 2**62], dtype=np.int64)
    guide = np.zeros(3, dtype=np.int64)
    for key in np.random.default_rng(5).integers(-(2**63), 2**63 - 1, 200).tolist():
        for turn in (1, 7, 2**31 - 1):
            arguments = (key, 4, turn, 5, 0.5, thresholds, guide)
            assert count_noise(*arguments) == plain(count_noise)(*arguments)
            for recall in (0, 1, 65_535, 65_536):
                again = (key, 4, turn, 3, recall, 0.7, 10.0, 50)
                gap = recall_gap(*again)
                assert gap == plain(recall_gap)(*again)
                assert 0 <= gap <= 50
                assert recall < 65_536 or gap == 0
