"""Tests of vecdecay.policies.act_r."""

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from stateful_cases import (
    INPUTS,
)

from vecdecay.engines.registry import play_block
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.errors import InvalidInputError
from vecdecay.policies.act_r import ActR
from vecdecay.policies.stateful import functions_of
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, Session


def test_published_figures() -> None:
    """Uses in turns 0, 10 and 20, seen in turn 100: -1.148 by the whole history, -0.511 by the approximation."""
    assert round(ActR().activation([0, 10, 20], 100), 3) == -1.148
    assert round(ActR(approximation="standard").activation([0, 10, 20], 100), 3) == -0.511


def exact_activation(touches: list[int], turn: int, decay: float) -> float:
    """Return ln(sum of age ^ -decay) by another route: the sum of rounded terms, exactly."""
    terms = [Fraction(math.exp(-decay * math.log(max(turn - touch, 1)))) for touch in touches]
    return math.log(sum(terms))


def random_touches(stream: random.Random) -> list[int]:
    """Draw the turns of up to twelve uses, ascending, some of them in one turn."""
    turns = [stream.randint(1, 50)]
    for _ in range(stream.randint(0, 11)):
        turns.append(turns[-1] + stream.choice((0, 1, 2, stream.randint(0, 60))))
    return turns


def test_an_item_goes_where_its_activation_is_below_the_threshold() -> None:
    """The decision is that of the published form, ln(sum) < threshold, although the program compares the sums."""
    stream = random.Random(1)
    evicted = 0
    for _ in range(3000):
        touches, decay = random_touches(stream), stream.choice((0.5, stream.uniform(0.05, 2.0)))
        policy = ActR(retrieval_threshold=stream.uniform(-3.0, 1.5), decay=decay)
        turn = touches[-1] + stream.randint(1, 200)
        activation = exact_activation(touches, turn, decay)
        assert math.isclose(policy.activation(touches, turn), activation, rel_tol=1e-12, abs_tol=1e-13)
        if abs(activation - policy.retrieval_threshold) > 1e-9:
            goes = policy.score(touches, turn) < policy.threshold()
            assert goes == (activation < policy.retrieval_threshold)
            evicted += goes
    assert 500 < evicted < 2500


def test_the_approximation_knows_number_and_age_only() -> None:
    """n × L ^ -decay / (1 - decay): when the recalls came makes no difference, how many did, does."""
    policy = ActR(approximation="standard", decay=0.4)
    assert policy.activation([1, 5, 9], 31) == policy.activation([1, 20, 30], 31)
    expected = math.log(3 / (1 - 0.4)) - 0.4 * math.log(30)
    assert math.isclose(policy.activation([1, 5, 9], 31), expected, rel_tol=1e-12)
    assert policy.activation([1, 5], 31) < policy.activation([1, 5, 9], 31)


def test_a_use_of_this_very_turn_counts_as_one_turn_old() -> None:
    """Age 0 counts as 1: the score is 1 then, and still in the next turn."""
    assert ActR().score([7], 7) == ActR().score([7], 8) == 1.0
    assert ActR().activation([7], 7) == ActR().activation([7], 8) == 0.0


def test_the_customary_threshold_and_ours() -> None:
    """At the threshold 0 one use lasts until age 2, with the default until 13; equality stays."""
    assert ActR(retrieval_threshold=0.0).life([4], 100) == 2
    assert ActR().life([4], 100) == 13
    assert ActR(retrieval_threshold=0.5).life([4], 100) == 1
    assert ActR(retrieval_threshold=0.5).life([1, 2, 3, 4], 100) == 5  # 1/√5 + … + 1/√8 = 1.59 < exp(0.5) = 1.65
    at_four = ActR(retrieval_threshold=math.log(0.5))
    assert at_four.threshold() == at_four.score([4], 8) == 0.5
    assert at_four.life([4], 100) == 5


def test_all_uses_since_the_registration_count_and_none_before() -> None:
    """Registering anew forgets the history; a recall that comes too late is a miss and leaves no trace."""
    policy = ActR()
    kept = policy.life([1, 3, 5], 1000)
    assert kept == 108
    below, above = (exact_activation([1, 3, 5], 5 + age, 0.5) for age in (108, 107))
    assert below < -1.25 < above
    events = (
        (1, REGISTER, 0), (3, RECALL, 0), (5, RECALL, 0),
        (1, REGISTER, 1), (3, RECALL, 1), (5, REGISTER, 1),
        (1, REGISTER, 2), (20, RECALL, 2), (21, REGISTER, 2),
    )  # fmt: skip
    session = Session(200, (FOUNDATIONAL,) * 3, tuple(sorted(events)))
    outcome = play_block(block_of([session]), policy, want_items=True)
    assert outcome.items is not None
    assert outcome.items.evicted_turn.tolist() == [5 + kept, 5 + 13, 21 + 13]
    assert outcome.items.misses.tolist() == [0, 0, 1]
    assert outcome.items.stability is None


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"approximation": "hybrid"}, "allowed: one of exact, standard"),
        ({"approximation": "standard", "decay": 1.0}, 'ActR.decay is 1.0; allowed with approximation "standard"'),
        ({"decay": 0.0}, "ActR.decay is 0.0"),
        ({"retrieval_threshold": 701.0}, "ActR.retrieval_threshold is 701.0"),
        ({"retrieval_threshold": math.nan}, "ActR.retrieval_threshold is nan"),
    ],
    ids=str,
)
def test_what_is_not_allowed_is_refused(given: dict[str, Any], problem: str) -> None:
    """One line names the parameter and says what is allowed."""
    with pytest.raises(InvalidInputError, match=problem):
        ActR(**given)


def inputs(number: int) -> Iterator[tuple[Any, ...]]:
    """Yield arguments of ``retention``: histories of one to six uses, long ones too."""
    stream = random.Random(3)
    for position in range(number):
        if position % 1000 == 0:
            decay, approximation = stream.uniform(0.01, 0.99), stream.choice(("exact", "standard"))
            parameters = ActR(0.0, decay, approximation).constants()
        touches = sorted(stream.randint(1, stream.choice((9, 1000, 2**31 - 2))) for _ in range(stream.randint(1, 6)))
        yield parameters, touches, stream.randrange(len(touches)), len(touches), touches[-1] + stream.randint(0, 500)


@pytest.mark.parametrize("number", [INPUTS, pytest.param(10 * INPUTS, marks=pytest.mark.thorough)])
def test_compiled_functions_are_the_plain_ones(number: int) -> None:
    """The score is the same to the bit compiled as in plain Python."""
    plain, fast = functions_of(ActR).retention, compiled(ActR).functions.retention
    tried = 0
    for parameters, touches, *rest in inputs(number):
        assert plain(parameters, touches, *rest) == fast(parameters, np.array(touches, dtype=np.int32), *rest)
        tried += 1
    assert tried == number
