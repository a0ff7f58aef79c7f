"""Tests of vecdecay.items: attributes outside their range are told in one line each, with session and item."""

import math
from typing import Any

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.items import CATEGORIES, DEFAULT_ATTRIBUTES, Attributes, attribute_problems
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import NOISE, Session


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


@pytest.mark.parametrize("category", ["Fact", "rumour", "", None, 0])
def test_the_category_is_one_of_four(category: Any) -> None:
    """The line names the four."""
    assert attribute_problems(Attributes(category=category)) == [
        f"category is {category!r}; allowed: fact, assumption, failure, strategy"
    ]


def test_a_block_names_session_and_item() -> None:
    """Every item with a mistake, each mistake on a line of its own."""
    sound, odd, worse = Attributes(0.3), Attributes(math.nan), Attributes(2.0, "rumour", pinned=1)  # type: ignore[arg-type]
    sessions = [
        Session(5, (NOISE, NOISE), (), (sound, odd)),
        Session(5, (NOISE,), ()),
        Session(5, (NOISE,), (), (worse,)),
    ]
    with pytest.raises(InvalidInputError) as caught:
        block_of(sessions)
    assert caught.value.problems == (
        "session 0, item 1: importance is nan; allowed: a number from 0 to 1",
        "session 2, item 0: importance is 2.0; allowed: a number from 0 to 1",
        "session 2, item 0: category is 'rumour'; allowed: fact, assumption, failure, strategy",
        "session 2, item 0: pinned is 1; allowed: True or False",
    )
