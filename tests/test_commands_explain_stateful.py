"""Lives of stateful policies: those of the scalar engine, for each rhythm, and honest about what they depend on."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from own_policies import Gentle, Weekly

from vecdecay.commands import explain_stateful as module
from vecdecay.commands.explain_stateful import Ages, ages_after, life_lines, stateful_clock_text
from vecdecay.engines.reference import engine_for
from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, Attributes
from vecdecay.policies import POLICIES, ActR, Fsrs6, KeepAll, MemoryBankAsPublished, MemoryDecayCore
from vecdecay.policies.stateful import HazardPolicy, StatefulPolicy

STATEFUL = [policy for policy in POLICIES if issubclass(policy, StatefulPolicy)]
WITH_SCORES = [policy for policy in STATEFUL if not issubclass(policy, HazardPolicy)]
MOST_COMPARED = 30_000  # turns that the scalar engine plays of one item


@dataclass(frozen=True)
class Steps(StatefulPolicy):
    """Its score is ``first`` up to an age, and 0 from that age on."""

    eviction_threshold: float = 0.2
    first: float = 1.0
    until: float = 5.0

    def on_register(self, turn: int) -> Any:
        """Return the turn."""
        return (turn,)

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return the turn."""
        return (turn,)

    def retention(self, state: Any, turn: int) -> float:
        """Return the score."""
        return self.first if turn - state[0] < self.until else 0.0


@dataclass(frozen=True)
class Unmoved(Steps):
    """The same, by a state that moves from turn to turn."""

    def on_turn(self, state: Any, turn: int) -> Any:
        """Return the state as it is."""
        return state


@dataclass(frozen=True)
class Thrice(Steps):
    """It keeps an item only once it was used three times."""

    def on_register(self, turn: int) -> Any:
        """Return one use and its turn."""
        return 1, turn

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return one use more and its turn."""
        return state[0] + 1, turn

    def retention(self, state: Any, turn: int) -> float:
        """Return the score."""
        return self.first if state[0] >= 3 and turn - state[1] < self.until else 0.0


@dataclass(frozen=True)
class Coin(HazardPolicy):
    """Every pass keeps an item with the same chance."""

    chance: float = 0.9
    period: int = 1

    def period_turns(self) -> int:
        """Return the turns between two passes."""
        return self.period

    def on_register(self, turn: int) -> Any:
        """Return nothing of interest."""
        return (0.0,)

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return the state as it is."""
        return state

    def retention(self, state: Any, turn: int) -> float:
        """Return the chance to stay."""
        return self.chance

    def evicts(self, state: Any, turn: int, draw: float) -> bool:
        """Tell whether the item goes."""
        return draw > self.chance


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
    """Played turn by turn, an item goes in the very turn that the table says; its score is at most 0.5 from the age."""
    one = policy()
    (head, lived), (_, halves) = tables(life_lines(one))
    place = [title.strip() for title in head].index(rhythm)
    lives, half = ([int(row[place]) for row in rows] for rows in (lived, halves))
    compared = 0
    for recalls in range(7):
        touches = touches_in(rhythm, lives, recalls)
        last = touches[-1]
        assert one.score(touches, last + half[recalls]) <= 0.5
        assert half[recalls] == 0 or one.score(touches, last + half[recalls] - 1) > 0.5
        if last + lives[recalls] < MOST_COMPARED:
            assert evicted_turn(one, touches) == last + lives[recalls]
            compared += 1
    assert compared >= 4


def test_the_known_lives_of_fsrs_and_act_r() -> None:
    """Those that their own files tell, and the defaults' table of lives of one use."""
    assert ages_after(Fsrs6(), [1, 4, 12, 32]).gone == 957
    assert ages_after(Fsrs6(), [1]) == Ages(half=209, gone=22)
    assert (ages_after(ActR(), [1]).gone, ages_after(ActR(), [1, 4, 12]).gone) == (13, 104)


@pytest.mark.parametrize("policy", [*WITH_SCORES, Gentle], ids=lambda policy: policy.__name__)
def test_where_the_scan_ends_makes_no_difference(policy: type[StatefulPolicy], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found by doubling and halving is what is found turn by turn; a state by turns is always scanned."""
    histories = [[1], [1, 1], [1, 2, 3], [1, 8, 30]]
    scanned = [ages_after(policy(), touches) for touches in histories]
    for number in (1, 2, 3, 21, 22):
        monkeypatch.setattr(module, "SCANNED", number)
        found = [ages_after(policy(), touches) for touches in histories]
        if policy is MemoryDecayCore:
            assert all(age is None or age <= number for ages in found for age in ages)
        else:
            assert found == scanned


def test_a_score_that_is_low_at_once_and_lasts_long() -> None:
    """The age 0 is an age."""
    assert ages_after(Steps(first=0.4, until=50_000.0), [1]) == Ages(half=0, gone=50_000)
    assert ages_after(Steps(eviction_threshold=0.9, first=0.8, until=50_000.0), [1]) == Ages(half=50_000, gone=0)


@pytest.mark.parametrize("strength", range(1, 8))
def test_chances_of_the_published_memory_bank(strength: int) -> None:
    """With a load a day, the chance to be there after day n is exp(-strength × n × (n + 1) / 10), in closed form."""

    def first_day(left: float) -> int:
        return next(day for day in range(1000) if math.exp(-strength * day * (day + 1) / 10) <= left)

    half = next(day for day in range(1000) if math.exp(-strength * day / 5) <= 0.5)
    expected = Ages(half, first_day(0.5), first_day(0.05))
    assert ages_after(MemoryBankAsPublished(), [1] * strength) == expected
    ((head, rows),) = tables(life_lines(MemoryBankAsPublished()))
    assert [title.strip() for title in head] == ["recalls", "at age", "at age", "at most 0.5 from age"]
    assert rows[strength - 1] == [str(strength - 1), str(expected.gone), str(expected.nearly_all_gone), str(half)]


def test_passes_that_do_not_run_drop_nothing() -> None:
    """At 0.9 a pass, 7 passes leave less than half and 29 less than 5 %; every tenth turn has one, the first is 10."""
    assert ages_after(Coin(), [1]) == Ages(half=None, gone=6, nearly_all_gone=28)
    assert ages_after(Coin(period=10), [1]) == Ages(half=None, gone=69, nearly_all_gone=289)
    assert ages_after(Coin(chance=0.3), [1]) == Ages(half=0, gone=0, nearly_all_gone=2)


def test_the_share_that_is_left_is_what_the_scalar_engine_leaves() -> None:
    """Of two thousand items, under the engine's own draws."""
    engine = engine_for(MemoryBankAsPublished())
    for item in range(2000):
        engine.register(item, 1)
    left = []
    for turn in range(1, 8):
        engine.step(turn)
        left.append(engine.working_set_size() / 2000)
    ages = ages_after(MemoryBankAsPublished(), [1])
    assert (ages.gone, ages.nearly_all_gone) == (3, 5)
    assert left[2] > 0.5 > left[3]
    assert left[4] > 0.05 + 0.01
    assert left[5] < 0.06


def test_what_never_goes_is_a_dash() -> None:
    """Never, where a score cannot rise; where a state moves from turn to turn, only as far as it was looked at."""
    text = " ".join(life_lines(Steps(until=1e18)))
    assert text.count("–") == 14
    assert "A dash stands for never." in text
    assert "A dash stands for not within 10,000 turns." in life_lines(Unmoved(until=1e18))
    assert "A dash stands for not within 10,000 turns." in life_lines(Coin(chance=1.0))
    assert not any("dash" in line for line in life_lines(Steps()))


def test_what_cannot_be_recalled_has_no_entry() -> None:
    """An item that goes at age 0 is not there in the next turn; one that never goes has no last moment."""
    (_, lives), _ = tables(life_lines(Thrice()))
    assert lives == [["0", "0", "0", "0"], ["1", "0"], *([str(recalls), "5"] for recalls in range(2, 7))]
    assert evicted_turn(Thrice(), [1]) == 1
    assert evicted_turn(Thrice(), [1, 1, 1]) == 6
    lines = life_lines(Fsrs6(eviction_threshold=0.01))
    (_, lives), _ = tables(lines)
    assert lives[0] == ["0", "–", "–", "–"]
    assert lives[1] == ["1", "–", "–"]
    assert "No entry: it cannot be recalled so often" in " ".join(lines)


@pytest.mark.parametrize("policy", [Steps(until=1.0), Steps(until=1e18), Coin()], ids=repr)
def test_rhythms_that_make_no_difference_are_not_shown(policy: StatefulPolicy) -> None:
    """One table has all of it, and says so."""
    lines = life_lines(policy)
    assert len(tables(lines)) == 1
    rhythms = "at once or every turn" if isinstance(policy, Coin) else "at once or every turn or at the last moment"
    assert f"The same whether the recalls come {rhythms}." in lines


def test_what_the_lives_depend_on_is_told() -> None:
    """The rhythm, the turn of the registration, chance, and the attributes, each only where it is so."""
    told = {policy: " ".join(" ".join(life_lines(policy())).split()) for policy in (*STATEFUL, Weekly)}
    for policy, text in told.items():
        assert ("in the turn of the registration" in text) == (policy is not MemoryBankAsPublished)
        assert ("registered in turn 1; another turn" in text) == (policy in (MemoryBankAsPublished, Weekly))
        assert ("Items go at random" in text) == (policy is MemoryBankAsPublished)
        assert ("the usual attributes: importance 0.5, fact." in text) == (policy is MemoryDecayCore)
        assert ("By the attributes" in text) == (policy is MemoryDecayCore)


def test_lives_by_attributes() -> None:
    """One row for categories that live alike, and the lives that the policy itself tells."""
    lines = life_lines(MemoryDecayCore())
    rows = [line.rsplit(maxsplit=3) for line in lines if line.strip().startswith(CATEGORIES)]
    assert [row[0].strip() for row in rows] == ["fact", "assumption, failure, strategy"]
    for (_, *cells), category in zip(rows, ("fact", "strategy"), strict=True):
        lives = [MemoryDecayCore().life([1], 1000, Attributes(importance, category)) for importance in (0.0, 0.5, 1.0)]
        assert [int(cell) for cell in cells] == lives


@pytest.mark.parametrize("policy", STATEFUL, ids=lambda policy: policy.name)
def test_tables_are_aligned(policy: type[StatefulPolicy]) -> None:
    """Within 80 columns, without trailing blanks, and all rows of a table end below each other."""
    lines = life_lines(policy())
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line != line.rstrip()] == []
    for place, line in enumerate(lines):
        if line.startswith("  -------"):
            rows = lines[place : place + 8]
            assert {len(row) for row in rows} == {len(line)}


def test_a_policy_over_all_items_has_no_lives() -> None:
    """It is told in one line."""
    told = ["", "No life of one item can be told: the policy decides over all items together."]
    assert life_lines(KeepAll()) == told


def test_a_law_that_fails_is_a_mistake() -> None:
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
    assert raised.value.problems == ("NoScore.retention gives nan; allowed: a number from 0 to 1",)


def test_clocks() -> None:
    """Its own unit, in turns, and the parameter that says so where it is named so."""
    assert stateful_clock_text(Gentle()) == "counts in turns"
    assert stateful_clock_text(Fsrs6()) == "counts in days; a day is 1 turn (turns_per_day)"
    assert stateful_clock_text(MemoryDecayCore(ticks_per_turn=4)).endswith("a tick is 0.25 turns (ticks_per_turn)")
