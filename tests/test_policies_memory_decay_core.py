"""Tests of vecdecay.policies.memory_decay_core."""

import math
import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest
from stateful_cases import (
    INPUTS,
    expect_compiled_is_plain,
)

from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, Attributes
from vecdecay.policies.memory_decay_core import FACT, MemoryDecayCore
from vecdecay.policies.stateful import functions_of, item_facts

FACTS = MemoryDecayCore(default_item="fact")
POWER_LAW = MemoryDecayCore(decay_formula="power_law", default_item="fact")


def test_the_published_factors_per_tick() -> None:
    """A fresh fact of importance 0.5 keeps 0.9841 of its score a tick, and 0.9398 under what is called a power law."""
    assert round(FACTS.score([1], 2), 4) == 0.9841
    assert round(POWER_LAW.score([1], 2), 4) == 0.9398


@pytest.mark.parametrize(("policy", "factor"), [(FACTS, math.exp(-0.016)), (POWER_LAW, 1 / 1.064)])
def test_both_formulas_are_geometric(policy: MemoryDecayCore, factor: float) -> None:
    """Without recalls the ratio from tick to tick is constant, so neither has a long tail."""
    scores = [policy.score([1], 1 + ticks) for ticks in range(200)]
    assert scores[0] == 1.0
    for ticks, score in enumerate(scores):
        assert math.isclose(score, factor**ticks, rel_tol=1e-12)
    ratios = [later / earlier for earlier, later in pairwise(scores)]
    assert max(ratios) - min(ratios) < 1e-14


def by_hand(touches: list[int], turn: int, importance: float, rate: float, power: bool) -> tuple[float, float, float]:
    """Return retrieval score, storage score and stability, worked out from the text of the source."""
    retrieval, storage, stability = 1.0, 1.0, 0.0
    for now in range(touches[0], turn + 1):
        if now > touches[0]:
            slower = (1 + 0.5 * importance) * (1 + 0.8 * stability)
            kept = 1 / (1 + rate / slower) if power else math.exp(-rate / slower)
            retrieval, storage, stability = retrieval * kept, storage * kept, stability * 0.99
        for _ in range(touches[1:].count(now)):
            retrieval, storage = min(retrieval + 0.1, 1.0), min(storage + 0.025, 1.0)
            stability = stability + 0.2 * (1 - stability)
    return retrieval, storage, stability


def test_recalls_add_to_decayed_scores() -> None:
    """Scores after any touches, by either formula, for items of any kind, are those worked out by hand."""
    stream = random.Random(2)
    for _ in range(300):
        touches = sorted(stream.randint(1, 60) for _ in range(stream.randint(1, 8)))
        item = Attributes(stream.choice((0.0, 0.5, 0.7, 1.0)), stream.choice(CATEGORIES))
        decay, held = stream.choice(("exponential", "power_law")), stream.choice(("retrieval", "storage"))
        rates = {"exponential": (0.02, 0.035), "power_law": (0.08, 0.12)}[decay]
        turn = touches[-1] + stream.randint(0, 80)
        policy = MemoryDecayCore(decay_formula=decay, score_held=held, default_item="fact")
        rate = rates[item.category != CATEGORIES[0]]
        expected = by_hand(touches, turn, item.importance, rate, decay == "power_law")[held == "storage"]
        assert math.isclose(policy.score(touches, turn, item), expected, rel_tol=1e-12)
    assert CATEGORIES[FACT] == "fact"


def test_the_default_item_is_that_of_the_source() -> None:
    """An item of which nothing is told is an episode of importance 0.7, which lives 63 or 19 ticks as in the source.

    Whatever is told is taken as it is, an importance of 0.7 or another category too.
    """
    for decay, ticks, as_told in (("exponential", 63, 101), ("power_law", 19, 26)):
        policy = MemoryDecayCore(decay_formula=decay)
        assert policy.life([1], 200) == ticks
        assert policy.life([1], 200, Attributes(0.7, "episode")) == ticks
        assert MemoryDecayCore(decay_formula=decay, default_item="fact").life([1], 200) == as_told
    rate = 0.02 / (1 + 0.5 * 0.7)
    assert MemoryDecayCore().score([1], 2, Attributes(0.7)) == math.exp(-rate)
    assert MemoryDecayCore().score([1], 2, Attributes(0.5, "strategy")) == math.exp(-(0.035 / 1.25))


def test_a_late_recall_may_not_rescue() -> None:
    """A recall adds 0.10, so an item that fell to half the threshold goes in the very turn of its recall."""
    policy = MemoryDecayCore(eviction_threshold=0.5, default_item="fact")
    assert policy.score([1, 90], 90) < 0.5
    assert policy.life([1, 90], 100) == 0
    assert policy.life([1, 40], 100) not in (0, None)
    assert policy.breaks() == ("exactly_1_at_age_0",)
    assert policy.score([1, 90], 90) != 1.0


def test_a_turn_may_be_many_ticks() -> None:
    """With 24 ticks a turn the scores are those of 24 times as many turns."""
    hourly, daily = FACTS, MemoryDecayCore(ticks_per_turn=24, default_item="fact")
    for turns in (1, 2, 5):
        assert daily.score([1], 1 + turns) == hourly.score([1], 1 + 24 * turns)
    assert daily.life([1], 100) == math.ceil(101 / 24)
    assert daily.turns_per_unit() == 1 / 24


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"decay_formula": "power"}, "allowed: one of exponential, power_law"),
        ({"score_held": "both"}, "allowed: one of retrieval, storage"),
        ({"eviction_threshold": 0.0}, "MemoryDecayCore.eviction_threshold is 0.0"),
        ({"ticks_per_turn": 0}, "MemoryDecayCore.ticks_per_turn is 0"),
    ],
    ids=str,
)
def test_what_is_not_allowed_is_refused(given: dict[str, Any], problem: str) -> None:
    """One line names the parameter and says what is allowed."""
    with pytest.raises(InvalidInputError, match=problem):
        MemoryDecayCore(**given)


def inputs(name: str, number: int) -> Iterator[tuple[Any, ...]]:
    """Yield arguments of a scalar function: scores and stabilities in [0, 1], either decay."""
    stream = random.Random(name)
    parameters: Any = None
    for position in range(number):
        if position % 1000 == 0:
            decay = stream.choice(("exponential", "power_law"))
            parameters = MemoryDecayCore(decay_formula=decay, ticks_per_turn=stream.choice((1, 1, 5))).constants()
        if name == "on_register":
            yield parameters, position + 1, item_facts(Attributes(stream.random(), stream.choice(CATEGORIES)))
            continue
        scores = stream.random(), stream.random(), stream.random()
        yield parameters, (*scores, stream.random(), stream.choice((0.02, 0.035, 0.08, 0.12))), position + 1


@pytest.mark.parametrize("number", [INPUTS, pytest.param(10 * INPUTS, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", ["on_register", "on_recall", "on_turn", "retention"])
def test_compiled_functions_are_the_plain_ones(name: str, number: int) -> None:
    """Each scalar function gives the same bits compiled as in plain Python."""
    assert functions_of(MemoryDecayCore).stability is None
    expect_compiled_is_plain(MemoryDecayCore, name, inputs(name, number), number)
