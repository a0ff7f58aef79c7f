"""Tests of vecdecay.run.simulate: what comes back, what is refused and how, and that other programs can read it."""

import math
from collections import deque
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sweep_runs import fresh_process

import vecdecay as vd
from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.run import blocks, execute
from vecdecay.run.blocks import sessions_per_block
from vecdecay.run.execute import PARTS_AHEAD
from vecdecay.run.plan import Plan
from vecdecay.run.simulate import checked_arguments, labels_of

SESSIONS = vd.PublishedSessions()
POLICIES = [vd.Ebbinghaus(), vd.RecencyWindow(), vd.KeepAll()]


def problems_of(*arguments: Any, **keywords: Any) -> list[str]:
    """Return the mistakes that ``simulate`` names, one line each."""
    with pytest.raises(InvalidInputError) as caught:
        vd.simulate(*arguments, **keywords)
    return list(caught.value.problems)


def test_each_detail_keeps_its_tables() -> None:
    """Cells always, sessions below them, one more as asked; another table is refused with the way to get it."""
    kept = {"cells": [], "sessions": ["sessions"], "items": ["sessions", "items"], "turns": ["sessions", "turns"]}
    kept["misses"] = ["sessions", "misses"]
    rows = {"cells": 3, "sessions": 3 * 4, "items": 3 * 4 * 453, "turns": 3 * 4 * 150}
    rows["misses"] = sum(vd.simulate(SESSIONS, POLICIES, range(4)).sessions["misses"].to_pylist())
    for detail, more in kept.items():
        result = vd.simulate(SESSIONS, POLICIES, range(4), detail=detail)
        for name in ("cells", *more):
            assert getattr(result, name).num_rows == rows[name]
        for name in rows.keys() - {"cells", *more}:
            with pytest.raises(InvalidInputError, match=f'detail="{name}"'):
                getattr(result, name)


def test_rows_are_sorted_by_cell_and_seed() -> None:
    """Rows come cell by cell, within it in the order of the seeds, items and turns counted from 0 and 1."""
    result = vd.simulate(SESSIONS, POLICIES, [7, -3, 8], detail="turns")
    assert result.sessions["cell"].to_pylist() == [0] * 3 + [1] * 3 + [2] * 3
    assert result.sessions["seed"].to_pylist() == [7, -3, 8] * 3
    assert result.turns["turn"].to_pylist() == list(range(1, 151)) * 9
    items = vd.simulate(SESSIONS, POLICIES[0], [7, -3], detail="items").items
    assert items["item"].to_pylist() == list(range(453)) * 2
    assert items["kind"].to_pylist() == (["foundational"] * 3 + ["noise"] * 450) * 2


def test_cells_say_what_was_played() -> None:
    """A row per policy with its parameters, null where a policy has no such parameter; equal kinds are numbered."""
    cells = vd.simulate(SESSIONS, [vd.Ebbinghaus(), vd.RecencyWindow(9), vd.RecencyWindow(12)], [1]).cells
    assert cells["policy"].to_pylist() == ["ebbinghaus", "recency_window_1", "recency_window_2"]
    assert cells["policy_kind"].to_pylist() == ["ebbinghaus", "recency_window", "recency_window"]
    assert cells["window_size"].to_pylist() == [None, 9.0, 12.0]
    assert cells["eviction_threshold"].to_pylist() == [0.2, None, None]
    assert cells["noise_per_turn"].to_pylist() == [3] * 3
    assert cells["recall_base_offsets"][0].as_py() == [3.0, 8.0, 20.0, 45.0, 90.0, 150.0]
    assert cells["engine"].to_pylist() == ["horizon"] * 3
    assert cells["sessions"].to_pylist() == [1] * 3
    assert labels_of([vd.KeepAll()]) == ["keep_all"]


def test_one_policy_alone_may_be_given() -> None:
    """A policy, a list of one, and a tuple of one mean the same."""
    tables = [vd.simulate(SESSIONS, given, [1]).sessions for given in (POLICIES[0], POLICIES[:1], tuple(POLICIES[:1]))]
    assert tables[0] == tables[1] == tables[2]


def test_the_result_prints_what_matters() -> None:
    """The printed form names workload, sizes, and per policy hit rate and recall rate with their intervals."""
    text = repr(vd.simulate(SESSIONS, POLICIES[:2], range(50)))
    assert text.splitlines() == [
        "SimulationResult: 50 sessions of published_sessions under 2 policies; cells 2 rows, sessions 100 rows",
        "  ebbinghaus      hit_rate 1.000 [0.929, 1.000]  foundational_recall_rate 1.000 [0.929, 1.000]",
        "  recency_window  hit_rate 0.760 [0.738, 0.781]  foundational_recall_rate 0.000 [0.000, 0.071]",
    ]


def test_checkpoints_are_sorted_and_kept_once() -> None:
    """Turns may come in any order and twice; after a session's end there is null, which no summary counts."""
    result = vd.simulate(SESSIONS, POLICIES[1], [5], checkpoints=[400, 10, np.int32(60), 10])
    named = [name for name in result.sessions.column_names if "present_at" in name]
    assert named == [f"foundational_present_at_{turn}" for turn in (10, 60, 400)]
    row = result.sessions.to_pylist()[0]
    assert row["foundational_present_at_10"] == 3
    assert row["foundational_recall_rate_at_400"] is None
    assert row["foundational_present_at_400"] is None
    assert result.cells["foundational_recall_rate_at_400_sessions"].to_pylist() == [0]
    assert result.cells["foundational_recall_rate_at_400_mean"].to_pylist() == [None]


@pytest.mark.parametrize("detail", ["cells", "sessions", "items", "turns"])
def test_polars_and_duckdb_take_the_result_as_it_is(detail: str) -> None:
    """The result streams its most detailed table through Arrow's C interface: same rows, same values, null as null."""
    result = vd.simulate(SESSIONS, POLICIES, range(6), detail=detail, checkpoints=[10, 999])
    table = getattr(result, detail)
    frame = pl.DataFrame(result)
    assert frame.height == table.num_rows
    assert frame.columns == table.column_names
    assert frame.to_dicts() == table.to_pylist()
    assert pa.table(result) == table
    rows = duckdb.execute("select count(*) from result").fetchone()
    assert rows == (table.num_rows,)
    if detail == "items":
        query = "select count(*) filter (evicted_turn is null), count(stability), max(stability) from result"
        assert duckdb.execute(query).fetchone() == (
            table["evicted_turn"].null_count,
            table.num_rows - table["stability"].null_count,
            max(one for one in table["stability"].to_pylist() if one is not None),
        )


def test_null_and_never_nan() -> None:
    """No table holds a NaN, whatever is undefined: survival times, spreads of one session, stabilities of a window."""
    for sessions in (SESSIONS, vd.PublishedSessions(num_foundational=0, noise_per_turn=0)):
        for detail in ("items", "turns"):
            result = vd.simulate(sessions, POLICIES, [4], detail=detail, checkpoints=[1, 999])
            for name in ("cells", "sessions", detail):
                table = getattr(result, name)
                for field in table.schema:
                    assert not pa.types.is_null(field.type)
                    if pa.types.is_floating(field.type):
                        values = table[field.name].to_pylist()
                        assert not any(one is not None and math.isnan(one) for one in values), field.name


def test_write_gives_the_same_bytes_for_the_same_table(tmp_path: Any) -> None:
    """Every kept table becomes a file, whole and alone in the folder; a second run, or more threads, change no byte."""
    contents = []
    for run, threads in (("a", 1), ("b", 1), ("c", 4)):
        result = vd.simulate(SESSIONS, POLICIES, range(5000), detail="sessions", threads=threads, checkpoints=[10])
        paths = result.write(tmp_path / run)
        assert [path.name for path in paths] == ["cells.parquet", "sessions.parquet"]
        assert sorted(path.name for path in (tmp_path / run).iterdir()) == ["cells.parquet", "sessions.parquet"]
        contents.append([path.read_bytes() for path in paths])
    assert contents[0] == contents[1] == contents[2]
    back = pq.read_table(paths[1])
    assert back.schema == result.sessions.schema
    assert back.combine_chunks() == result.sessions.combine_chunks()


def test_what_cannot_be_written_is_one_line_and_leaves_nothing(tmp_path: Any) -> None:
    """Where the folder's name belongs to a file, an OutputError of one line comes, and the file stays as it was."""
    blocked = tmp_path / "taken"
    blocked.write_text("mine")
    with pytest.raises(OutputError) as caught:
        vd.simulate(SESSIONS, POLICIES, [1]).write(blocked)
    assert "\n" not in str(caught.value)
    assert blocked.read_text() == "mine"
    assert list(tmp_path.iterdir()) == [blocked]


BAD_ARGUMENTS: list[tuple[str, Any]] = [
    ("detail", "session"), ("detail", None), ("detail", 3), ("detail", ["items"]),
    ("engine", "lockstp"), ("engine", None), ("engine", ""), ("engine", 1.5),
    ("checkpoints", [0]), ("checkpoints", [-1]), ("checkpoints", [2**31]), ("checkpoints", [1.0]),
    ("checkpoints", [True]), ("checkpoints", "10"), ("checkpoints", 10), ("checkpoints", [math.nan]),
    ("checkpoints", {5}), ("checkpoints", [None]), ("checkpoints", [[1]]), ("checkpoints", [10**30]),
    ("checkpoints", bytearray(b"1")), ("threads", np.int64(0)), ("threads", np.bool_(True)),
    ("threads", 0), ("threads", -1), ("threads", 2.0), ("threads", True), ("threads", "2"), ("threads", 10**6),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD_ARGUMENTS)
def test_each_argument_has_its_range(name: str, value: Any) -> None:
    """A wrong argument is named with its value and what is allowed."""
    (problem,) = problems_of(SESSIONS, POLICIES, [1], **{name: value})
    assert problem.startswith(f"{name} is {value!r}; allowed: ")


BAD_SEEDS: list[Any] = [
    [], (), range(0), range(5, 5), "123", b"123", bytearray(b"123"), memoryview(b"123"), 5, None, {1, 2}, 1.5,
    iter([1]), np.array([1.0]), np.array(3), np.array([[1]]), np.array([], dtype=np.int64), np.array([True]),
    np.array(["1"]), np.array([1], dtype=object),
]  # fmt: skip


@pytest.mark.parametrize(
    "seeds",
    BAD_SEEDS,
    ids=lambda seeds: (
        f"{type(seeds).__name__}-{len(str(seeds)) if isinstance(seeds, list | tuple | str | bytes | set) else 0}"
    ),
)
def test_seeds_must_be_a_sequence_of_integers(seeds: Any) -> None:
    """No seeds, or something else than a range, list or array of integers, is refused."""
    (problem,) = problems_of(SESSIONS, POLICIES, seeds)
    assert problem.startswith("seeds is ")
    assert problem.endswith("; allowed: a range, list or one-dimensional array of at least one integer")


@pytest.mark.parametrize("wrong", [1.0, "1", None, True, math.nan, 1j, [1], np.float64(2.0), np.bool_(True)], ids=repr)
def test_every_seed_must_be_an_integer(wrong: Any) -> None:
    """One wrong seed among good ones is named; of many, the first five."""
    (problem,) = problems_of(SESSIONS, POLICIES, [1, wrong, 2])
    assert problem.startswith(f"seed {wrong!r} is not an integer; allowed: ")
    assert len(problems_of(SESSIONS, POLICIES, [wrong] * 20)) == 5


@pytest.mark.parametrize("seeds", [[1, 1], (3, 1, 1, 3), np.array([1, 2, 1]), [np.int8(1), 1]], ids=repr)
def test_a_seed_is_given_once(seeds: Any) -> None:
    """A session that counts twice would make every interval too narrow."""
    assert "seed 1 is given again; allowed: each seed once" in problems_of(SESSIONS, POLICIES, seeds)


def test_a_sequence_that_has_no_slices_is_taken() -> None:
    """Such as a deque, in several blocks too."""
    seeds = deque([5, 3, 2**70])
    assert vd.simulate(SESSIONS, POLICIES[0], seeds).sessions["seed"].to_pylist() == ["5", "3", str(2**70)]


def test_good_seeds_of_every_kind_are_taken() -> None:
    """Negative and huge integers, NumPy integers and a range that counts down give each seed its own row."""
    for seeds in ([0, -1, 2**63 - 1, -(2**63)], range(5, -5, -3), np.array([3, 1], dtype=np.uint8), (np.int16(4), 5)):
        assert vd.simulate(SESSIONS, POLICIES[0], seeds).sessions["seed"].to_pylist() == [int(one) for one in seeds]
    wide = [2**63, -(2**70), 5]
    for seeds in (wide, np.array([2**63, 5], dtype=np.uint64)):
        rows = vd.simulate(SESSIONS, POLICIES[0], seeds).sessions
        assert rows["seed"].to_pylist() == [str(one) for one in seeds]
    same = vd.simulate(SESSIONS, POLICIES[1], [2**70, -(2**70)]).sessions
    assert same["footprint_reduction"][0] == same["footprint_reduction"][1]


def test_numpy_integers_are_integers_everywhere() -> None:
    """Seeds, checkpoints and threads that come out of an array mean what plain integers mean."""
    tables = [
        vd.simulate(SESSIONS, POLICIES, [kind(3)], checkpoints=[kind(9)], threads=kind(2)).sessions
        for kind in (int, np.int64, np.uint8)
    ]
    assert tables[0] == tables[1] == tables[2]


GIGANTIC = 10**5000  # Python itself writes out no integer of more than 4,300 digits


@pytest.mark.parametrize("detail", ["cells", "sessions", "items", "turns"])
@pytest.mark.parametrize("engine", ["auto", "reference"])
def test_seeds_of_thousands_of_digits_are_played(detail: str, engine: str) -> None:
    """A seed of 5,001 digits and its negative are one session, under their own names, to the last digit."""
    seeds = [GIGANTIC + 7, -GIGANTIC - 7, 3]
    result = vd.simulate(SESSIONS, vd.Ebbinghaus(), seeds, detail=detail, engine=engine)
    assert result.cells["sessions"].to_pylist() == [3]
    if detail != "cells":
        digits = "1" + "0" * 4999 + "7"
        assert result.sessions["seed"].to_pylist() == [digits, f"-{digits}", "3"]
        assert getattr(result, detail)["seed"].unique().to_pylist() == [digits, f"-{digits}", "3"]
        alike = result.sessions.drop_columns(["seed"])
        assert alike.slice(0, 1).to_pylist() == alike.slice(1, 1).to_pylist()


def test_text_of_many_long_seeds_is_counted() -> None:
    """Blocks of sessions with long seeds are smaller, as a batch holds 2**31 bytes of text; and memory counts them."""
    seeds = range(GIGANTIC, GIGANTIC + 1000)
    spec, _ = checked_arguments(SESSIONS, POLICIES, seeds, "items", "auto", None, 1)
    assert sessions_per_block(Plan(spec), SESSIONS, POLICIES) * 453 * 5001 < 2**31
    few = GIGANTIC * 10**95_000
    (problem,) = problems_of(SESSIONS, POLICIES, range(few, few + 10**6), detail="items")
    needed = int(problem.split(" would take ")[1].split()[0])
    assert needed > 3 * 453 * 10**6 * 10**5


def test_gigantic_integers_are_refused_in_one_line_each() -> None:
    """Where such an integer is out of range, the line tells how many digits it has; no conversion fails."""
    found = problems_of(
        GIGANTIC, GIGANTIC, range(GIGANTIC), GIGANTIC, GIGANTIC, checkpoints=[GIGANTIC], threads=GIGANTIC
    )
    assert [problem.split(";")[0] for problem in found] == [
        "sessions is an integer of 5001 digits",
        "policies is an integer of 5001 digits",
        "seeds is range(0, an integer of 5001 digits)",
        "detail is an integer of 5001 digits",
        "engine is an integer of 5001 digits",
        "checkpoints is [an integer of 5001 digits]",
        "threads is an integer of 5001 digits",
    ]


def test_a_table_for_seeds_is_refused_in_one_line() -> None:
    """What prints over several lines is told in one."""
    (problem,) = problems_of(SESSIONS, POLICIES, pd.Series([1, 2]))
    assert problem.startswith("seeds is 0 1 1 2 dtype: int64; allowed: ")


@pytest.mark.parametrize(
    "policies", [[], None, "ebbinghaus", [vd.Ebbinghaus], [vd.Ebbinghaus(), "x"], {vd.Ebbinghaus()}]
)
def test_policies_must_be_policies(policies: Any) -> None:
    """No policy, a class, a name or a set is refused."""
    (problem,) = problems_of(SESSIONS, policies, [1])
    assert problem.startswith("policies is ")
    assert problem.endswith("; allowed: one policy or a list of at least one")


def test_all_wrong_arguments_are_named_together() -> None:
    """Seven wrong arguments give one error of seven lines, with the nearest word where there is one."""
    found = problems_of("headline", [], [], detail="item", engine="horison", checkpoints=[0], threads=0)
    assert [problem.split(" is ")[0] for problem in found] == [
        "sessions", "policies", "seeds", "detail", "engine", "checkpoints", "threads",
    ]  # fmt: skip
    assert found[3].endswith("did you mean items?")
    assert found[4].endswith("did you mean horizon?")


@pytest.mark.parametrize(
    ("sessions", "seeds", "keywords"),
    [
        (vd.PublishedSessions(num_foundational=4 * 10**8), [1], {}),
        (SESSIONS, range(10**9), {"detail": "items"}),
        (SESSIONS, range(10**12), {}),
        (vd.PublishedSessions(session_length=2**31 - 1, noise_per_turn=0), range(1000), {"detail": "turns"}),
        (vd.PublishedSessions(noise_per_turn=10**7), range(100), {"detail": "cells", "engine": "lockstep"}),
        (vd.PublishedSessions(session_length=10**9, noise_per_turn=2), [1], {"engine": "reference"}),
    ],
)
def test_what_cannot_fit_is_refused_before_it_is_allocated(sessions: Any, seeds: Any, keywords: Any) -> None:
    """Sizes that no memory holds are refused from arithmetic alone, with the number of bytes that were asked for."""
    (problem,) = problems_of(sessions, POLICIES, seeds, **keywords)
    words = problem.split()
    needed = int(words[words.index("bytes;") - 1])
    assert needed > 10**10
    assert f"would take {needed} bytes; this machine has " in problem
    assert f"{len(seeds)} sessions × " in problem


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("error", [InvalidInputError(["a is 1"]), MemoryError(), KeyboardInterrupt()], ids=repr)
def test_a_block_that_fails_ends_the_simulation(
    threads: int, error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a block raises comes out as it is, few blocks are in flight, and those that have not begun never do."""
    begun: list[int] = []
    play = execute.play_part

    def failing(plan: Plan, part: Any, stop: Any) -> Any:
        begun.append(part.number)
        if part.number == 4:
            raise error
        return play(plan, part, stop)

    monkeypatch.setattr(execute, "play_part", failing)
    monkeypatch.setattr(blocks, "BLOCK_MULTIPLE", 1)
    with pytest.raises(type(error)) as caught:
        vd.simulate(SESSIONS, POLICIES, range(2**62), detail="cells", threads=threads)
    assert caught.value is error
    assert len(begun) <= 5 + PARTS_AHEAD * threads


ENDLESS = """
import os, resource, signal, threading, time
import vecdecay as vd

def play(seeds):
    vd.simulate(vd.PublishedSessions(), [vd.Ebbinghaus()], seeds=seeds, detail="cells", threads=2)

def peak():
    # not ru_maxrss, which begins at that of the process that started this one
    return int(open("/proc/self/status").read().partition("VmHWM:")[2].split()[0])

def interrupt():
    sent.append(time.process_time())
    os.kill(os.getpid(), signal.SIGINT)

play(range(300_000))
few, sent = peak(), []
resource.setrlimit(resource.RLIMIT_AS, (6 * 10**9, 6 * 10**9))
play(range(3_000_000))
many = peak()
threading.Timer(1.5, interrupt).start()
try:
    play(range(2**62))
except KeyboardInterrupt:
    print(many - few, peak() - few, time.process_time() - sent[0])
"""


def test_memory_is_flat_however_many_seeds_and_an_interrupt_ends_it_soon() -> None:
    """With only cells kept, 3 million seeds, or 2**62 of them, take what 300,000 take, within 8,000 kB."""
    run = fresh_process(ENDLESS)
    assert (run.returncode, run.stderr) == (0, "")
    many, endless, seconds = map(float, run.stdout.split())
    assert many < 8000
    assert endless < 8000
    assert seconds < 4.0  # of the processor: two on each of two
