"""The loss of power at a random operation, with a random part of what was not flushed on the disk."""

import random
import shutil
from pathlib import Path

import pytest
from file_faults import Death, LosesSomeAt, Recorder, content_of, intercepted, play_run
from test_store_faults import finished_parts

PARTS = 3


def lose_power(folder: Path, seed: int, operations: int) -> tuple[int, int, bool]:
    """Lose the power up to three times in one run; return entries lost, entries gained and whether anything was left.

    An entry is lost if it was acknowledged before the power went, and gained if it is there though it was not.
    """
    draws = random.Random(seed)
    gained = 0
    leftover = False
    for _ in range(draws.randint(1, 3)):
        before = finished_parts(folder)
        entered: list[int] = []
        losing = LosesSomeAt(draws.randrange(operations), draws)
        try:
            with intercepted(losing):
                play_run(folder, PARTS, entered)
        except Death:
            losing.close_all()
            losing.lose()
        leftover |= bool(list(folder.glob("**/.*.tmp")))
        found = finished_parts(folder)
        if found < before + len(entered):
            return before + len(entered) - found, gained, leftover
        gained += found - before - len(entered)
    return 0, gained, leftover


def check_histories(base: Path, seeds: range) -> None:
    """Nothing that was acknowledged is lost, and the next run ends with the same bytes, in every history."""
    recorder = Recorder()
    with intercepted(recorder):
        play_run(base / "whole", PARTS)
    expected = content_of(base / "whole")
    gains = leftovers = 0
    for seed in seeds:
        folder = base / str(seed)
        lost, gained, leftover = lose_power(folder, seed, len(recorder.names))
        assert lost == 0, seed
        gains += gained > 0
        leftovers += leftover
        with intercepted(Recorder()):
            play_run(folder, PARTS)
        assert content_of(folder) == expected, seed
        shutil.rmtree(folder)
    # The histories are worth something: whole lines that nobody acknowledged, and temporary files, do occur.
    assert gains > len(seeds) // 200
    assert leftovers > len(seeds) // 20


def test_a_few_hundred_losses_of_power(tmp_path: Path) -> None:
    """Whatever part of the unflushed names and bytes the disk kept: what was entered stays, the rest is resumed."""
    check_histories(tmp_path, range(200))


@pytest.mark.torture
@pytest.mark.parametrize("hundred", range(10))
def test_a_hundred_thousand_losses_of_power(hundred: int, tmp_path: Path) -> None:
    """The same, ten times ten thousand histories."""
    check_histories(tmp_path, range(1000 + 10_000 * hundred, 1000 + 10_000 * (hundred + 1)))
