"""Tests of vecdecay.policies.memory_bank: the paper's form."""

import math
import random

from table_policies import NOT_NUMBERS, expect_formula, expect_refused

from vecdecay.engines.horizon import horizon_of
from vecdecay.items import Attributes
from vecdecay.policies import MemoryBank


def test_the_paper_in_figures() -> None:
    """Strength 1, one more per recall; at five days a strength of 5 leaves 0.368; the published code has 0.0067."""
    policy = MemoryBank()
    assert [policy.stability(count) for count in range(1, 6)] == [1.0, 2.0, 3.0, 4.0, 5.0]
    assert policy.retention(5, 5) == math.exp(-1.0) == 0.36787944117144233
    assert policy.retention(5, 5) != math.exp(-5 / 5 * 5)


def test_horizons() -> None:
    """The first whole day on which exp(-t / S) is below 0.2 is floor(S × ln 5) + 1."""
    found = [horizon_of(MemoryBank(), count) for count in range(1, 9)]
    assert found == [math.floor(count * math.log(5.0)) + 1 for count in range(1, 9)] == [2, 4, 5, 7, 9, 10, 12, 13]


def test_a_life_scales_with_the_clock() -> None:
    """At 40 turns a day every life is some 40 times as long in turns."""
    for count in (1, 2, 5):
        fine = horizon_of(MemoryBank(turns_per_day=40.0), count)
        assert math.ceil(fine / 40) == horizon_of(MemoryBank(), count)


def formula(policy: MemoryBank, age: int, recall_count: int, item: Attributes) -> float:
    """Return the score as the paper writes it."""
    strength = policy.initial_strength + (recall_count - 1) * policy.strength_per_recall
    return math.exp(-(age / policy.turns_per_day) / strength)


def drawn(stream: random.Random) -> MemoryBank:
    """Return a policy with any parameters."""
    return MemoryBank(
        initial_strength=stream.choice((1.0, stream.uniform(0.1, 20.0))),
        strength_per_recall=stream.choice((1.0, 0.0, stream.uniform(0.0, 5.0))),
        turns_per_day=stream.choice((1.0, 40.0, stream.uniform(0.1, 300.0))),
    )


def test_the_score_is_the_formula() -> None:
    """Bit for bit, on many parameters, ages and counts; the item's attributes do not matter."""
    expect_formula(drawn, formula)


def test_parameters_have_their_range() -> None:
    """Each is refused by name outside it."""
    expect_refused(MemoryBank, "eviction_threshold", (0, 1, -0.1, 1.5, *NOT_NUMBERS))
    expect_refused(MemoryBank, "initial_strength", (0, -1.0, *NOT_NUMBERS))
    expect_refused(MemoryBank, "strength_per_recall", (-1e-9, *NOT_NUMBERS))
