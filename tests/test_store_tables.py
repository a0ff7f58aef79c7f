"""Tests of vecdecay.store.tables: Arrow batches from outcomes, seeds of any size, null where there is nothing."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from vecdecay.engines.play import play_block
from vecdecay.metrics import session_columns
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, Session
from vecdecay.store.schema import items_schema, sessions_schema, turns_schema
from vecdecay.store.tables import (
    item_batch,
    longest_seed_text,
    row_bytes,
    seed_array,
    seeds_fit_64_bits,
    session_batch,
    table_batch,
    turn_batch,
)

SESSIONS = [
    Session(3, (), ()),
    Session(15, (FOUNDATIONAL, NOISE, NOISE), ((1, REGISTER, 0), (2, REGISTER, 1), (4, RECALL, 1), (5, RECALL, 2))),
]
SEEDS = [7, -7]


def outcome(policy: Any, checkpoints: tuple[int, ...] = ()) -> Any:
    """Play the two sessions with everything kept."""
    return play_block(block_of(SESSIONS), policy, "horizon", checkpoints, want_items=True, want_turns=True)


FITTING = [[], [0, -1], [2**63 - 1, -(2**63)], range(10), range(2**63 - 1, -(2**63) - 1, -(2**62)), np.array([1, 2])]
WIDE = [[2**63], [0, -(2**63) - 1], range(2**63, 2**63 + 2), np.array([2**63], dtype=np.uint64), [10**100]]


@pytest.mark.parametrize("seeds", FITTING, ids=repr)
def test_seeds_that_fit_are_integers(seeds: Any) -> None:
    """Seeds within 64 bits are stored as they are, whatever holds them."""
    assert seeds_fit_64_bits(seeds)
    found = seed_array(seeds, pa.int64())
    assert found.type == pa.int64()
    assert found.to_pylist() == [int(seed) for seed in seeds]


@pytest.mark.parametrize("seeds", WIDE, ids=repr)
def test_seeds_that_do_not_fit_are_text(seeds: Any) -> None:
    """One seed beyond 64 bits turns the column into text, in decimal."""
    assert not seeds_fit_64_bits(seeds)
    assert seed_array(seeds, pa.string()).to_pylist() == [str(int(seed)) for seed in seeds]


def test_seeds_of_any_size_are_text() -> None:
    """To the last digit, where ``str`` gives up: 10**n + 7 is 1, zeros and 7."""
    for digits in (19, 4300, 4301, 5000, 50_000):
        seed = 10**digits + 7
        text = "1" + "0" * (digits - 1) + "7"
        assert seed_array([seed, -seed, 0], pa.string()).to_pylist() == [text, f"-{text}", "0"]


@pytest.mark.parametrize("seeds", [*FITTING, *WIDE, [10**5000, 1], [-(10**99) + 1], range(9, -(10**30), -(10**29))])
def test_no_seed_is_longer_than_the_longest(seeds: Any) -> None:
    """The bound holds the longest text, with at most three characters to spare; there is none where all fit."""
    bound = longest_seed_text(seeds)
    if seeds_fit_64_bits(seeds):
        assert bound == 0
    else:
        longest = max(map(len, seed_array(seeds, pa.string()).to_pylist()))
        assert longest <= bound <= longest + 3


def test_a_row_takes_no_more_than_is_said() -> None:
    """What the rows of each table occupy in Arrow stays below the arithmetic, with long seeds and short ones."""
    everything = outcome(Ebbinghaus())
    for seeds in (SEEDS, [10**5000, -(10**5000)]):
        fit = seeds_fit_64_bits(seeds)
        for name, schema in (
            ("sessions", sessions_schema((), fit)),
            ("items", items_schema(fit)),
            ("turns", turns_schema(fit)),
        ):
            batch = table_batch(name, 0, seeds, everything, schema, session_columns(everything, ()))
            assert batch.schema == schema
            bound = row_bytes(schema, longest_seed_text(seeds))
            assert batch.num_rows * bound / 3 < batch.nbytes < batch.num_rows * bound + 200


def test_a_row_per_session() -> None:
    """Counts beside ratios, and null for survival times where nothing was evicted and for turns not reached."""
    batch = session_batch(4, SEEDS, outcome(Ebbinghaus(), (3, 9)), (3, 9), sessions_schema((3, 9)))
    first, second = batch.to_pylist()
    assert [first["cell"], first["seed"], second["seed"]] == [4, 7, -7]
    assert first["survival_time"] is None
    assert first["survival_time_minimum"] is None
    assert first["foundational_recall_rate"] == 1.0
    assert [first["foundational_present_at_3"], first["foundational_present_at_9"]] == [0, None]
    assert second["survival_time"] == 13.0
    assert [second["survival_time_minimum"], second["survival_time_maximum"], second["survival_time_sum"]] == [13] * 3
    assert [second["foundational_items"], second["foundational_present"], second["foundational_evicted"]] == [1, 0, 1]
    assert [second["items_evicted"], second["registrations"], second["recalls"], second["misses"]] == [1, 2, 2, 1]
    assert second["working_set_sum"] == 13 + 14
    assert second["mean_working_set"] == 27 / 15
    assert [second["foundational_present_at_3"], second["foundational_recall_rate_at_9"]] == [1, 1.0]


def test_a_row_per_item() -> None:
    """What became of each item; an item that was never registered has no state, only its misses."""
    rows = item_batch(0, SEEDS, outcome(Ebbinghaus()), items_schema()).to_pylist()
    assert [row["seed"] for row in rows] == [-7] * 3
    assert [row["item"] for row in rows] == [0, 1, 2]
    assert [row["kind"] for row in rows] == ["foundational", "noise", "noise"]
    assert [row["registered_turn"] for row in rows] == [1, 2, None]
    assert [row["last_touch"] for row in rows] == [1, 4, None]
    assert [row["recall_count"] for row in rows] == [1, 2, None]
    assert [row["stability"] for row in rows] == [8.0, 8.0 * (1.0 + math.log(3.0)), None]
    assert [row["evicted_turn"] for row in rows] == [14, None, None]
    assert [row["present"] for row in rows] == [False, True, False]
    assert [(row["hits"], row["misses"]) for row in rows] == [(0, 0), (1, 0), (0, 1)]
    without = item_batch(0, SEEDS, outcome(RecencyWindow(3)), items_schema()).to_pylist()
    assert [row["stability"] for row in without] == [None] * 3


def test_a_row_per_turn() -> None:
    """Turns count from 1 in each session; without facts the rate is 1.0."""
    rows = turn_batch(2, SEEDS, outcome(Ebbinghaus()), turns_schema()).to_pylist()
    assert [row["turn"] for row in rows] == [1, 2, 3, *range(1, 16)]
    assert [row["seed"] for row in rows] == [7] * 3 + [-7] * 15
    assert [row["working_set"] for row in rows] == [0] * 3 + [1] + [2] * 12 + [1] * 2
    assert [row["foundational_present"] for row in rows] == [0] * 3 + [1] * 13 + [0] * 2
    assert [row["foundational_recall_rate"] for row in rows] == [1.0] * 3 + [1.0] * 13 + [0.0] * 2


def test_batches_match_their_schema_to_the_letter() -> None:
    """The types, nullability and metadata of a batch are those of the schema; required columns hold no null."""
    everything = outcome(Ebbinghaus(), (9,))
    batches = [
        (session_batch(0, SEEDS, everything, (9,), sessions_schema((9,))), sessions_schema((9,))),
        (item_batch(0, SEEDS, everything, items_schema()), items_schema()),
        (turn_batch(0, SEEDS, everything, turns_schema()), turns_schema()),
        (turn_batch(0, [2**70, 1], everything, turns_schema(False)), turns_schema(False)),
    ]
    for batch, schema in batches:
        assert batch.schema.equals(schema, check_metadata=True)
        batch.validate(full=True)
        assert all(field.nullable or batch[field.name].null_count == 0 for field in schema)


def test_what_was_not_kept_cannot_be_tabled() -> None:
    """Asking for rows of items or turns that the outcome does not hold is a programming error, said at once."""
    bare = play_block(block_of(SESSIONS), Ebbinghaus(), "horizon")
    with pytest.raises(ValueError, match="without its items"):
        item_batch(0, SEEDS, bare, items_schema())
    with pytest.raises(ValueError, match="without its turns"):
        turn_batch(0, SEEDS, bare, turns_schema())
