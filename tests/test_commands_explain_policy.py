"""What explain shows of a policy: figures of the scalar engine, in the policy's unit, and what they assume."""

import math
import re
from typing import Any

import pytest
from lives_policies import Coin, Steps, Thrice, Unmoved
from own_policies import Gentle, Weekly

from vecdecay.commands.explain_policy import clock_text, life_lines
from vecdecay.engines.lives import score_at
from vecdecay.engines.reference import engine_for
from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, Attributes
from vecdecay.policies import (
    POLICIES,
    Ebbinghaus,
    Fsrs6,
    KeepAll,
    MemoryBank,
    MemoryBankAsPublished,
    MemoryDecayCore,
    TimeToLive,
    YourMemory,
)
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy

STATEFUL = [policy for policy in POLICIES if issubclass(policy, StatefulPolicy)]
WITH_SCORES = [policy for policy in STATEFUL if not issubclass(policy, HazardPolicy)]
MOST_COMPARED = 30_000  # turns that the scalar engine plays of one item


def tables(lines: list[str]) -> list[tuple[list[str], list[list[str]]]]:
    """Return, for each table that counts recalls, the last line of its head and its rows."""
    found: list[tuple[list[str], list[list[str]]]] = []
    for place, line in enumerate(lines):
        if line.strip().startswith("recalls"):
            found.append(([part for part in line.split("  ") if part], []))
        elif found and line.startswith("  ") and line.split()[0].isdecimal() and lines[place - 1].startswith("  "):
            found[-1][1].append(line.split())
    return found


def touches_in(rhythm: str, lives: list[int], recalls: int) -> list[int]:
    """Return the turns of a registration and so many recalls, from what a table says of the lives before them."""
    touches = [1]
    for life in lives[:recalls]:
        touches.append(touches[-1] + {"at once": 0, "every turn": 1, "at the last moment": life}[rhythm])
    return touches


def evicted_turn(policy: StatefulPolicy, touches: list[int]) -> int | None:
    """Return the turn in which the scalar engine evicts an item; its recalls are hits, and its passes run each turn."""
    engine = engine_for(policy)
    engine.register(0, touches[0])
    for turn in range(1, touches[-1] + MOST_COMPARED):
        for _ in range(touches[1:].count(turn)):
            assert engine.recall(0, turn)
        if engine.step(turn):
            return turn
    return None


@pytest.mark.parametrize("rhythm", ["at once", "every turn", "at the last moment"])
@pytest.mark.parametrize("policy", [*WITH_SCORES, Gentle, Weekly], ids=lambda policy: policy.__name__)
def test_lives_and_half_lives_are_those_of_the_scalar_engine(policy: type[StatefulPolicy], rhythm: str) -> None:
    """Played turn by turn, an item goes in the very turn that the table says; its score has halved at the half-life."""
    one = policy()
    (head, halves), (_, lived) = tables(life_lines(one))[:2]
    place = [title.strip() for title in head].index(rhythm)
    lives, half = [int(row[place]) for row in lived], [float(row[place]) for row in halves]
    compared = 0
    for recalls in range(7):
        touches = touches_in(rhythm, lives, recalls)
        last, turns = touches[-1], round(half[recalls] * one.turns_per_unit())
        start = one.score(touches, last)
        assert one.score(touches, last + turns) <= start / 2
        assert one.score(touches, last + turns - 1) > start / 2
        if last + lives[recalls] < MOST_COMPARED:
            assert evicted_turn(one, touches) == last + lives[recalls]
            compared += 1
    assert compared >= 4


IN_UNITS = [
    Fsrs6(turns_per_day=40.0),
    MemoryDecayCore(ticks_per_turn=4),
    MemoryBank(turns_per_day=40.0),
    YourMemory(turns_per_day=48),
    *(
        policy()
        for policy in POLICIES
        if policy not in (MemoryBankAsPublished, KeepAll, TimeToLive)
        and issubclass(policy, TablePolicy | StatefulPolicy)
    ),
]


@pytest.mark.parametrize("policy", IN_UNITS, ids=repr)
def test_half_lives_are_in_the_unit_of_the_policy(policy: TablePolicy | StatefulPolicy) -> None:
    """So many of its units after the last touch, in turns, the score has halved; and not much before."""
    (head, rows), *_ = tables(life_lines(policy))
    lines = " ".join(life_lines(policy))
    unit = f"{policy.time_unit}s"
    assert f"Half-life, in {unit}" in lines or f"({unit})" in lines
    place = head.index("at once") if "at once" in head else -2
    unit_turns = policy.rules().unit_turns if isinstance(policy, TablePolicy) else 1
    for row in rows:
        if row[place] == "–":
            continue
        age = float(row[place]) * policy.turns_per_unit() / unit_turns
        touches = [1] * (int(row[0]) + 1)
        start, early, late = (score_at(policy, touches, one) for one in (1e-9, max(age * 0.99 - 1, 0), age * 1.01 + 1))
        assert early >= start / 2 >= late


def test_ages_are_in_the_unit_in_which_the_policy_counts_them() -> None:
    """Days of 48 turns: the item is evicted at an age of so many days, not turns."""
    text = " ".join(" ".join(life_lines(YourMemory(turns_per_day=48))).split())
    assert "recalls (days) (days)" in text
    assert "recalls (days) (turns)" in " ".join(" ".join(life_lines(YourMemory())).split())


def test_a_clock_of_creation_is_named() -> None:
    """A time to live counts from the registration, and a recall changes nothing; unless it refreshes."""
    text = " ".join(life_lines(TimeToLive()))
    assert "Ages count from the registration: recalls do not refresh an item." in text.replace("  ", " ")
    assert "A recall in that very turn changes nothing." in " ".join(text.split())
    refreshed = " ".join(" ".join(life_lines(TimeToLive(touch_refreshes=True))).split())
    assert "Ages count from the last use of an item." in refreshed
    assert "A recall in that very turn rescues it" in refreshed


@pytest.mark.parametrize("threshold", [0.05, 0.2, 0.5, 0.9])
def test_the_example_is_what_the_scalar_engine_does(threshold: float) -> None:
    """The turns of the example, played: gone; and rescued by a recall in the very turn, gone later."""
    policy = Ebbinghaus(eviction_threshold=threshold)
    text = " ".join(" ".join(life_lines(policy)).split()).partition("Example: ")[2]
    gone, end = (int(turn) for turn in re.findall(r"pass of turn (\d+)", text))
    assert evicted_turn(policy, [1]) == gone
    engine = engine_for(policy)
    engine.register(0, 1)
    engine.recall(0, gone)
    assert not engine.step(end - 1)
    assert engine.step(end) == [0]


def test_retention_after_so_many_units() -> None:
    """Scores of the formula; in brackets where the item is due for eviction."""
    *_, (head, rows) = tables(life_lines(Ebbinghaus()))
    assert [title.strip() for title in head] == ["recalls", "turn", "turns", "turns", "turns"]
    assert rows[0] == ["0", "0.882", "0.417", "(0.024)", "(<0.001)"]
    assert rows[2] == ["2", *(f"{math.exp(-age / 40.05878):.3f}" for age in (1, 7, 30)), "(0.106)"]
    *_, (head, rows) = tables(life_lines(MemoryBank(turns_per_day=40.0)))
    assert [cell.strip("()<") for cell in rows[1][1:3]] == [f"{math.exp(-days / 2):.3f}" for days in (1, 7)]


def test_what_never_goes_is_a_dash() -> None:
    """Never, where a score cannot rise; where a state moves from turn to turn, only as far as it was looked at."""
    text = " ".join(life_lines(Steps(until=1e18)))
    assert text.count("–") == 15
    assert "– stands for never." in text
    assert "– stands for not within 10,000 turns." in life_lines(Unmoved(until=1e18))
    assert "– stands for not within 10,000 turns." in life_lines(Coin(chance=1.0))
    assert not any("stands for" in line for line in life_lines(Steps()))
    assert "is there in turn 10,000 and before" in " ".join(life_lines(KeepAll()))


def test_what_cannot_be_recalled_has_no_entry() -> None:
    """An item that goes at age 0 is not there in the next turn; one that never goes has no last moment."""
    _, (_, lives) = tables(life_lines(Thrice()))[:2]
    assert lives == [["0", "0", "0", "0"], ["1", "0"], *([str(recalls), "5"] for recalls in range(2, 7))]
    assert evicted_turn(Thrice(), [1]) == 1
    assert evicted_turn(Thrice(), [1, 1, 1]) == 6
    lines = life_lines(Fsrs6(eviction_threshold=0.01))
    _, (_, lives) = tables(lines)[:2]
    assert lives[0] == ["0", "–", "–", "–"]
    assert lives[1] == ["1", "–", "–"]
    assert "No entry: it cannot be recalled so often" in " ".join(lines)


@pytest.mark.parametrize("policy", [Steps(until=1.0), Steps(until=1e18), Coin()], ids=repr)
def test_rhythms_that_make_no_difference_are_not_shown(policy: StatefulPolicy) -> None:
    """One table has all of it, and says so."""
    lines = life_lines(policy)
    assert [head[0] for head, _ in tables(lines)] == ["recalls"] * (1 if isinstance(policy, Coin) else 2)
    assert [len(rows[0]) for _, rows in tables(lines)][:1] == [3]
    rhythms = "at once or every turn" if isinstance(policy, Coin) else "at once or every turn or at the last moment"
    assert f"The same whether the recalls come {rhythms}." in lines


def test_what_the_lives_depend_on_is_told() -> None:
    """The rhythm, the turn of the registration, chance, and the attributes, each only where it is so."""
    told = {policy: " ".join(" ".join(life_lines(policy())).split()) for policy in (*STATEFUL, Weekly)}
    for policy, text in told.items():
        assert ("in the turn of the registration" in text) == (policy is not MemoryBankAsPublished)
        assert ("registered in turn 1; another turn" in text) == (policy in (MemoryBankAsPublished, Weekly))
        assert ("Items go at random" in text) == (policy is MemoryBankAsPublished)
        assert ("Assumed: importance 0.5, category fact." in text) == (policy is MemoryDecayCore)
        assert ("By the attributes" in text) == (policy is MemoryDecayCore)


def test_lives_by_attributes() -> None:
    """One row for categories that live alike, and the lives that the policy itself tells."""
    lines = life_lines(MemoryDecayCore())
    rows = [line.rsplit(maxsplit=3) for line in lines if line.strip().startswith(CATEGORIES)]
    assert [row[0].strip() for row in rows] == ["fact", "assumption, failure, strategy"]
    for (_, *cells), category in zip(rows, ("fact", "strategy"), strict=True):
        lives = [MemoryDecayCore().life([1], 1000, Attributes(importance, category)) for importance in (0.0, 0.5, 1.0)]
        assert [int(cell) for cell in cells] == lives


@pytest.mark.parametrize("columns", [50, 80, 200])
@pytest.mark.parametrize("policy", [Ebbinghaus, YourMemory, Fsrs6, MemoryBankAsPublished], ids=lambda one: one.name)
def test_tables_fit(policy: type[TablePolicy], columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without trailing blanks, and no number is lost."""
    usual = " ".join(life_lines(policy()))
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = life_lines(policy())
    assert max(map(len, lines)) <= columns
    assert [line for line in lines if line != line.rstrip()] == []
    numbers = re.compile(r"\d[\d.]*")
    assert set(numbers.findall(usual)) == set(numbers.findall(" ".join(lines)))


@pytest.mark.parametrize("policy", POLICIES, ids=lambda policy: policy.name)
def test_what_a_policy_reads_is_assumed(policy: type[TablePolicy | StatefulPolicy]) -> None:
    """A policy that reads importance or category says which ones its tables hold for, and what others come to."""
    text = " ".join(life_lines(policy()))
    reads = policy is MemoryDecayCore or bool(getattr(policy, "reads", ()))
    assert ("Assumed: importance 0.5, category fact." in text) == reads
    assert ("By the attributes of an item" in text) == reads


def test_a_policy_over_all_items_has_no_lives() -> None:
    """It is said in one line."""

    class All(Policy):
        name = summary = formula = source = "all"

    assert life_lines(All()) == ["", "No life of one item can be stated: the policy decides over all items together."]
    assert clock_text(All()) == ""


def test_a_function_that_fails_is_a_mistake() -> None:
    """One line, for what raises after many turns and for what is no score."""

    class Raising(Unmoved):
        def on_turn(self, state: Any, turn: int) -> Any:
            return (state[0] + 1 // (turn - 9000),)

    class NoScore(Steps):
        def retention(self, state: Any, turn: int) -> float:
            return math.nan if turn > 8000 else 1.0

    with pytest.raises(InvalidInputError) as raised:
        life_lines(Raising(until=1e9))
    assert raised.value.problems == ("Raising cannot be played: ZeroDivisionError: integer division or modulo by zero",)
    with pytest.raises(InvalidInputError) as raised:
        life_lines(NoScore())
    (problem,) = raised.value.problems
    assert problem == "NoScore.retention(state=(1,), turn=10001) is nan; allowed: a number from 0 to 1"


def test_clocks() -> None:
    """Its own unit, in turns, and the parameter that says so where it is named so."""
    assert clock_text(Gentle()) == "counts in turns"
    assert clock_text(Fsrs6()) == "counts in days; a day is 1 turn (turns_per_day), or what a log records"
    assert clock_text(YourMemory()).endswith("; only days with a registration or recall count")
    assert clock_text(MemoryDecayCore(ticks_per_turn=4)).endswith("a tick is 0.25 turns (ticks_per_turn)")
    assert clock_text(MemoryBank(turns_per_day=40.0)).startswith("counts in days; a day is 40 turns (turns_per_day)")
