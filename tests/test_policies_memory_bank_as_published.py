"""Tests of vecdecay.policies.memory_bank_as_published."""

import math
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from comparing import COMPILED
from stateful_cases import (
    INPUTS,
    expect_compiled_is_plain,
)

from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.items import DEFAULT_ATTRIBUTES
from vecdecay.policies.memory_bank_as_published import MemoryBankAsPublished
from vecdecay.policies.stateful import item_facts
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session

POLICY = MemoryBankAsPublished()


def test_the_exponent_is_the_published_one() -> None:
    """exp((-days / 5) × strength): strength 5 at 5 days leaves 0.0067, where the paper's form leaves 0.368."""
    assert round(POLICY.score([1] * 5, 6), 4) == 0.0067
    assert POLICY.score([1] * 5, 6) == math.exp((-5 / 5) * 5)
    assert POLICY.score([1], 6) == math.exp(-1.0)
    assert POLICY.score([3], 3) == 1.0


def test_days_are_dates() -> None:
    """With 24 turns a day, turns 1 to 24 are one date, and the next turn is a day later whenever the touch was."""
    policy = MemoryBankAsPublished(turns_per_day=24)
    assert [policy.score([24], turn) for turn in (24, 25, 48)] == [1.0, math.exp(-0.2), math.exp(-0.2)]
    assert [policy.score([1], turn) for turn in (24, 25)] == [1.0, math.exp(-0.2)]


def lifetimes(strength: int, policy: MemoryBankAsPublished = POLICY, items: int = 20_000) -> np.ndarray:
    """Return how many turns items live that were used ``strength`` times in turn 1, each under its own seed."""
    events = ((1, REGISTER, 0), *((1, RECALL, 0),) * (strength - 1))
    one = block_of([Session(60, (FOUNDATIONAL,), events)])
    touches = len(events)
    block = SessionBlock(
        session_length=np.full(items, 60),
        item_start=np.arange(items + 1),
        item_kind=np.ones(items, dtype=np.int8),
        touch_start=touches * np.arange(items + 1),
        touch_turn=np.tile(one.touch_turn, items),
        touch_kind=np.tile(one.touch_kind, items),
        max_recalls=touches,
        seed_keys=np.arange(items),
    )
    outcome = play_block(block, policy, want_items=True)
    assert outcome.items is not None
    assert (outcome.items.present == 0).all()
    return outcome.items.evicted_turn - 1


@pytest.mark.parametrize(("strength", "expected"), [(1, 1.87), (2, 1.08), (5, 0.42)])
def test_the_expected_life_is_the_published_one(strength: int, expected: float) -> None:
    """With a load a day, items outlive 1.87, 1.08 and 0.42 days: each recall makes the life shorter."""
    items = 20_000 if COMPILED else 2_000
    survived = lifetimes(strength, items=items) - 1.0  # the load that drops an item is not one that it survives
    error = survived.std() / math.sqrt(len(survived))
    assert abs(survived.mean() - expected) < 4 * error + 0.005
    exact = sum(math.prod(math.exp(-day / 5 * strength) for day in range(1, last + 1)) for last in range(1, 60))
    assert abs(survived.mean() - exact) < 4 * error


def test_a_recall_shortens_life_and_the_class_says_so() -> None:
    """The invariant that a recall never shortens a life is declared broken, and it is."""
    assert POLICY.breaks() == ("a_recall_never_shortens_life",)
    items = 5_000 if COMPILED else 1_000
    assert lifetimes(2, items=items).mean() < lifetimes(1, items=items).mean() - 0.5


def test_the_hazard_is_per_load() -> None:
    """Items go at loads only; with a load every 7 turns an item outlives more days than with a load every day."""
    items = 2_000 if COMPILED else 500
    rare = lifetimes(1, MemoryBankAsPublished(turns_per_load=7), items)
    assert set((rare + 1) % 7) == {0}
    assert rare.mean() > lifetimes(1, items=items).mean() + 3


def test_a_draw_belongs_to_seed_item_and_turn() -> None:
    """The same seed gives the same fates whatever else is played; other seeds and other items have other draws."""
    sessions = PublishedSessions(num_foundational=40, recalls_per_foundational=1, noise_per_turn=2)
    together = play_block(sessions.block([5, 6, -5]), POLICY, want_items=True).items
    alone = play_block(sessions.block([6]), POLICY, want_items=True).items
    assert together is not None
    assert alone is not None
    per_session = together.evicted_turn.reshape(3, -1)
    assert per_session[1].tolist() == alone.evicted_turn.tolist()
    assert len({tuple(row[:40]) for row in per_session.tolist()}) == 3
    noisier = play_block(replace(sessions, noise_per_turn=9).block([6]), POLICY, want_items=True).items
    assert noisier is not None
    assert noisier.evicted_turn[:40].tolist() == alone.evicted_turn[:40].tolist()
    assert len(set(alone.evicted_turn[40:80:2] - alone.evicted_turn[41:81:2])) > 1


def test_items_of_cohorts_are_drawn_one_by_one() -> None:
    """A cohort's items have fates of their own, those of the same items listed; pinned ones stay."""
    cohorts = (Cohort(1, 6, 2), Cohort(2, 4, 1, DEFAULT_ATTRIBUTES._replace(pinned=True)))
    block = replace(block_of([Session(30, (NOISE,), ((3, REGISTER, 0),), seed_key=77)]), cohorts=cohorts)
    listed = block_of(block.sessions())
    outcomes = [play_block(one, POLICY, engine) for one in (block, listed) for engine in ("lockstep", "reference")]
    assert len({(one.items_evicted[0], one.working_set_sum[0]) for one in outcomes}) == 1
    assert outcomes[0].items_evicted[0] == 13


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"turns_per_load": 0}, "MemoryBankAsPublished.turns_per_load is 0"),
        ({"turns_per_day": 0.0}, "MemoryBankAsPublished.turns_per_day is 0.0"),
    ],
    ids=str,
)
def test_what_is_not_allowed_is_refused(given: dict[str, Any], problem: str) -> None:
    """One line names the parameter and says what is allowed."""
    with pytest.raises(InvalidInputError, match=problem):
        MemoryBankAsPublished(**given)


def inputs(name: str, number: int) -> Iterator[tuple[Any, ...]]:
    """Yield arguments of a scalar function: strengths up to a thousand, days of any length."""
    stream = random.Random(name)
    parameters: Any = None
    for position in range(number):
        if position % 1000 == 0:
            parameters = MemoryBankAsPublished(1, stream.choice((1.0, stream.uniform(0.01, 100.0)))).constants()
        turn = stream.randint(1, 100_000)
        if name == "on_register":
            yield parameters, turn, item_facts(DEFAULT_ATTRIBUTES)
            continue
        state = float(stream.choice((1, 2, 3, stream.randint(1, 1000)))), turn
        arguments = parameters, state, turn + stream.choice((0, 1, 2, 10, stream.randint(0, 5000)))
        yield (*arguments, stream.random()) if name == "evicts" else arguments


@pytest.mark.parametrize("number", [INPUTS, pytest.param(10 * INPUTS, marks=pytest.mark.thorough)])
@pytest.mark.parametrize("name", ["on_register", "on_recall", "retention", "evicts"])
def test_compiled_functions_are_the_plain_ones(name: str, number: int) -> None:
    """Each scalar function gives the same bits compiled as in plain Python."""
    expect_compiled_is_plain(MemoryBankAsPublished, name, inputs(name, number), number)
