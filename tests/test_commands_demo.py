"""``vecdecay demo``: the published narration, and a bar per policy."""

import pytest
from command_line import type_in

from vecdecay.commands.demo import POLICIES, WORKLOAD, demo_command, play

STORY = """\
One foundational item is registered in turn 1 of 150, recalled 4 times early on
and never again, while 3 unrelated items are registered in every turn. Seed 0.

recency_window (window_size 15)
  turn   1  the item is registered
  turn   5  recalled
  turn  10  recalled
  turn  20  recalled
  turn  30  checkpoint: foundational recall rate 1.00
  turn  36  evicted: 16 turns after it was last used
  turn  39  recall failed: the item is gone, nothing changes
  turn  60  checkpoint: foundational recall rate 0.00
  turn  90  checkpoint: foundational recall rate 0.00
  turn 120  checkpoint: foundational recall rate 0.00
  turn 150  checkpoint: foundational recall rate 0.00

ebbinghaus (eviction_threshold 0.20, baseline_stability 8)
  turn   1  the item is registered
  turn   5  recalled; stability 8.0 → 16.8 turns
  turn  10  recalled; stability 16.8 → 40.1 turns
  turn  20  recalled; stability 40.1 → 104.5 turns
  turn  30  checkpoint: foundational recall rate 1.00
  turn  39  recalled; stability 104.5 → 291.9 turns
  turn  60  checkpoint: foundational recall rate 1.00
  turn  90  checkpoint: foundational recall rate 1.00
  turn 120  checkpoint: foundational recall rate 1.00
  turn 150  checkpoint: foundational recall rate 1.00

turn            1        30        60        90        120     150
recency_window  █R█R██R████·x·····································
ebbinghaus      █R█R██R█████R█████████████████████████████████████

█ in memory; · gone; R recalled; x recall failed
1 column = 3 turns; in memory means in all of them
"""


def test_the_story_of_seed_0(capsys: pytest.CaptureFixture[str]) -> None:
    """Turn for turn what the published demo tells, and the bars below it, within 80 columns."""
    ending = type_in(capsys, "demo")
    assert (ending.code, ending.err) == (0, "")
    assert ending.out == STORY
    assert max(map(len, ending.out.splitlines())) <= 80


def test_another_seed_is_another_story(capsys: pytest.CaptureFixture[str]) -> None:
    """The seed is named; its turns are those of the published generator (seed 1: 3, 11, 24, 39)."""
    out = type_in(capsys, "demo", "--seed", "1").out
    assert "Seed 1." in out
    assert [line.split()[1] for line in out.splitlines() if "recalled; stability" in line] == ["3", "11", "24", "39"]


def test_a_seed_of_thousands_of_digits_has_its_story(capsys: pytest.CaptureFixture[str]) -> None:
    """It is told by its number of digits, within 80 columns; and played as what it is."""
    seed = 10**5000
    demo_command(seed)
    out = capsys.readouterr().out
    assert "The seed is an integer of 5001 digits." in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
    assert [line for policy in POLICIES.values() for line in play(policy, WORKLOAD.session(seed)).lines] == [
        line for line in out.splitlines() if line.startswith("  turn ")
    ]


@pytest.mark.parametrize("seed", range(20))
def test_the_bar_shows_what_is_told(seed: int, capsys: pytest.CaptureFixture[str]) -> None:
    """Per policy as many marks as recalls, and presence up to the turn of the eviction."""
    out = type_in(capsys, "demo", "--seed", str(seed)).out
    for policy in POLICIES.values():
        story = play(policy, WORKLOAD.session(seed))
        bar = next(line.split()[1] for line in out.splitlines() if line.startswith(f"{policy.name}  "))
        assert bar.count("R") == sum(story.recalls.values())
        assert bar.count("x") == len(story.recalls) - sum(story.recalls.values())
        assert len(bar) == 50
        assert (bar[-1] == "█") == story.present[-1]
