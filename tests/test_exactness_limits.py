"""The far ends of what is allowed: longest sessions, most noise, widest seeds. Exact there, or refused."""

import math
from typing import Any

import numpy as np
import pytest

import vecdecay as vd
from vecdecay.errors import InvalidInputError

LONGEST = 2**31 - 1


def row(sessions: vd.PublishedSessions, policy: Any, **keywords: Any) -> dict[str, Any]:
    """Return the one row of the sessions table."""
    result: dict[str, Any] = vd.simulate(sessions, policy, [0], **keywords).sessions.to_pylist()[0]
    return result


def test_checkpoints_of_the_longest_session() -> None:
    """In a session of 2**31 - 1 turns the facts that survive are present at every checkpoint."""
    found = row(vd.PublishedSessions(session_length=LONGEST, noise_per_turn=0), vd.KeepAll(), checkpoints=[10, LONGEST])
    assert found["foundational_present"] == 3
    assert [found[f"foundational_present_at_{turn}"] for turn in (10, LONGEST)] == [3, 3]


def test_sums_of_the_longest_session() -> None:
    """With a noise item in nearly every turn that fits, the sums are those of the closed form."""
    length = LONGEST - 3  # with three facts, as many items as a session may have
    found = row(vd.PublishedSessions(session_length=length, noise_per_turn=1), vd.KeepAll())
    turns_held = 3 * length + length * (length + 1) // 2
    assert found["working_set_sum"] == turns_held
    assert found["registrations"] == LONGEST
    assert found["mean_working_set"] == turns_held / length
    assert found["footprint_reduction"] == 1.0 - (turns_held / length) / LONGEST


@pytest.mark.parametrize(("session_length", "noise"), [(194_076_348, 8), (78_094_059, 27), (1_680_081_393, 1)])
def test_means_beyond_the_integers_of_a_double(session_length: int, noise: int) -> None:
    """Where the sum over the turns exceeds 2**53 the mean is still the correctly rounded quotient of integers."""
    sessions = vd.PublishedSessions(session_length=session_length, noise_per_turn=noise, num_foundational=0)
    found = row(sessions, vd.KeepAll())
    turns_held = noise * (session_length * (session_length + 1) // 2)
    assert turns_held > 2**53
    assert found["working_set_sum"] == turns_held
    assert found["mean_working_set"] == turns_held / session_length
    assert found["footprint_reduction"] == 1.0 - (turns_held / session_length) / (noise * session_length)


def test_working_sets_of_billions_of_items() -> None:
    """A working set of nearly 2**31 items is counted as that, in every turn; it never wraps around."""
    sessions = vd.PublishedSessions(session_length=10, noise_per_turn=2 * 10**8)
    sizes = vd.simulate(sessions, vd.KeepAll(), [0], detail="turns").turns["working_set"].to_pylist()
    assert sizes == [3 + 2 * 10**8 * turn for turn in range(1, 11)]


@pytest.mark.parametrize(
    "shape",
    [
        {"session_length": 10, "noise_per_turn": 10**9},
        {"session_length": LONGEST, "noise_per_turn": 10**9},
        {"num_foundational": LONGEST},
        {"num_foundational": 10**9, "noise_per_turn": 0},
    ],
)
def test_more_items_than_a_column_can_count_are_refused(shape: dict[str, int]) -> None:
    """Where items or touches of a session exceed 32 bits it is refused in words, before anything is played."""
    with pytest.raises(InvalidInputError, match="allowed: at most 2147483647"):
        vd.simulate(vd.PublishedSessions(**shape), vd.KeepAll(), [0])


def test_ranges_that_are_too_long_are_refused() -> None:
    """A range of more seeds than there are 64-bit integers is refused like any count that cannot fit."""
    with pytest.raises(InvalidInputError):
        vd.simulate(vd.PublishedSessions(), vd.KeepAll(), range(2**70))


def test_ranges_with_huge_steps() -> None:
    """A range of few seeds is played whatever its step."""
    for seeds in (range(-(2**63), 2**63 - 1, 2**63), range(0, 2**80, 2**79), range(5, 6, 2**100)):
        found = vd.simulate(vd.PublishedSessions(), vd.KeepAll(), seeds).sessions["seed"].to_pylist()
        assert [int(seed) for seed in found] == list(seeds)


@pytest.mark.parametrize(
    "keywords",
    [
        {"checkpoints": np.array(5)},
        {"checkpoints": b"\x05"},
        {"detail": np.array(["items", "turns"])},
        {"engine": np.array(["auto", "horizon"])},
    ],
)
def test_arrays_where_words_or_turns_are_wanted(keywords: dict[str, Any]) -> None:
    """Arrays and bytes in the wrong place are mistakes like any other, not tracebacks."""
    with pytest.raises(InvalidInputError):
        vd.simulate(vd.PublishedSessions(), vd.KeepAll(), [1], **keywords)


def test_an_integer_beyond_all_floats_is_out_of_range() -> None:
    """An integer of 400 digits is refused by name, whatever the kind of the parameter."""
    with pytest.raises(InvalidInputError) as caught:
        vd.PublishedSessions(session_length=10**400, recall_jitter_range=(1, 10**400))
    assert len(caught.value.problems) == 2


def test_extreme_policies_play_in_every_engine() -> None:
    """Scores of 0.0 and 1.0, stabilities that overflow, windows without end: equal in all engines."""
    sessions = vd.PublishedSessions(session_length=30, noise_per_turn=1)
    policies = [
        vd.Ebbinghaus(threshold, stability, gain)
        for threshold in (math.ulp(0.0), 1e-300, math.nextafter(1.0, 0.0))
        for stability in (math.ulp(0.0), 1e-300, 1e16, 1.7976931348623157e308)
        for gain in (0.0, 1.0, 1.7976931348623157e308)
    ]
    policies += [vd.RecencyWindow(size) for size in (math.ulp(0.0), 2.0**31, 1.7976931348623157e308)]
    tables = [
        vd.simulate(sessions, policies, range(3), detail="items", engine=engine).items
        for engine in ("reference", "horizon", "lockstep")
    ]
    assert tables[0] == tables[1] == tables[2]
    assert math.inf in tables[0]["stability"].to_pylist()
