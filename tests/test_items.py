"""Tests of vecdecay.items: attributes outside their range are told in one line each, with session and item."""

import math
from dataclasses import dataclass
from typing import Any

import pytest
from comparing import play_everywhere

from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, Attributes, attribute_problems, category_number
from vecdecay.policies import MemoryDecayCore, StatefulPolicy, YourMemory
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import NOISE, REGISTER, Session


def test_attributes_in_range_pass() -> None:
    """Both ends of importance, every category, pinned or not; an integer is a number."""
    for importance in (0, 0.0, 0.5, 1, 1.0):
        for category in CATEGORIES:
            assert attribute_problems(Attributes(importance, category, pinned=True)) == []
    assert attribute_problems(DEFAULT_ATTRIBUTES) == []


@pytest.mark.parametrize("importance", [-0.1, 1.5, math.nan, math.inf, 8, True, "0.5", None])
def test_importance_is_a_share(importance: Any) -> None:
    """Outside [0, 1], NaN among it, or of another type it is refused."""
    assert attribute_problems(Attributes(importance)) == [
        f"importance is {importance!r}; allowed: a number from 0 to 1"
    ]


@pytest.mark.parametrize("category", ["", "a\nb", "x" * 101, None, 0])
def test_the_category_is_a_short_name(category: Any) -> None:
    """One of four, or a person's own; the line names the four."""
    assert attribute_problems(Attributes(category=category)) == [
        f"category is {category!r}; allowed: fact, assumption, failure, strategy, or a name of your own of at most 100 "
        "characters"
    ]


def test_a_category_of_ones_own_is_played_alike_everywhere() -> None:
    """Policies treat it as their source treats unknown ones; a table policy and a stateful one may read it."""
    items = (
        Attributes(),
        Attributes(category="rumour"),
        Attributes(category="strategy"),
        Attributes(category="failure"),
    )
    session = Session(60, (NOISE,) * 4, tuple((1, REGISTER, item) for item in range(4)), items)
    busy = tuple((turn, REGISTER, 4) for turn in range(2, 61))  # every day is active
    active = Session(60, (NOISE,) * 5, session.events + busy, (*items, Attributes()))
    outcome = play_everywhere([active], YourMemory())
    assert outcome.items is not None
    assert outcome.items.evicted_turn.tolist()[:4] == [24, 24, 39, 11]
    core = play_everywhere([session], MemoryDecayCore(), engines=("reference", "lockstep")).items
    assert core is not None
    fact, *others = core.evicted_turn.tolist()
    assert fact != others[0]
    assert len(set(others)) == 1
    own = play_everywhere([session], OfRumours(), engines=("reference", "lockstep")).items
    assert own is not None
    assert own.evicted_turn.tolist() == [0, 10, 0, 0]


RUMOUR = category_number("rumour")


@dataclass(frozen=True)
class OfRumours(StatefulPolicy):
    """Rumours last nine turns, everything else for ever."""

    eviction_threshold: float = 0.5

    def on_register(self, turn: int, item: Any) -> Any:
        """Return the turn in which the item loses its score."""
        return (turn + 9 if item.category == RUMOUR else 1_000_000,)

    def on_recall(self, state: Any, turn: int) -> Any:
        """Return the state as it is."""
        return state

    def retention(self, state: Any, turn: int) -> float:
        """Return 1.0 before that turn and 0.0 from it on."""
        return 1.0 if turn < state[0] else 0.0


def test_numbers_of_categories() -> None:
    """Those of the program come first, all others have numbers that a float holds exactly."""
    assert [category_number(one) for one in CATEGORIES] == [0, 1, 2, 3]
    numbers = {category_number(f"own {number}") for number in range(1000)}
    assert len(numbers) == 1000
    assert all(3 < one < 2**48 for one in numbers)


def test_a_block_names_session_and_item() -> None:
    """Every item with a mistake, each mistake on a line of its own."""
    sound, odd, worse = Attributes(0.3), Attributes(math.nan), Attributes(2.0, "", pinned=1)  # type: ignore[arg-type]
    sessions = [
        Session(5, (NOISE, NOISE), (), (sound, odd)),
        Session(5, (NOISE,), ()),
        Session(5, (NOISE,), (), (worse,)),
    ]
    with pytest.raises(InvalidInputError) as caught:
        block_of(sessions)
    assert caught.value.problems == (
        "session 0: item 1: importance is nan; allowed: a number from 0 to 1",
        "session 2: item 0: importance is 2.0; allowed: a number from 0 to 1",
        "session 2: item 0: category is ''; allowed: fact, assumption, failure, strategy, or a name of your own of at "
        "most 100 characters",
        "session 2: item 0: pinned is 1; allowed: True or False",
    )
