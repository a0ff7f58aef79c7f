"""An independent oracle: libCacheSim, the simulator of the cache literature, sees the same requests and the same hits.

It is in the extra ``oracle`` and not in ``test``, for it brings the client of a cloud store with it and has no wheel
for every system. Its S3-FIFO refuses items that do not fit below the size of its small queue, so budgets begin at 20.
Its GDSF is not compared: version 0.3.5 has other hits than the formula in its source gives.
"""

import os
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import THOROUGH

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.policies import CachePolicy
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import RECALL
from vecdecay.sessions.session import FOUNDATIONAL, Session

libcachesim = pytest.importorskip("libcachesim", reason="the oracle is not installed: pip install 'vecdecay[oracle]'")

THEIRS: dict[type[CachePolicy], Any] = {
    vd.Lru: libcachesim.LRU,
    vd.Fifo: libcachesim.FIFO,
    vd.Lfu: libcachesim.LFU,
    vd.Sieve: libcachesim.Sieve,
    vd.S3Fifo: libcachesim.S3FIFO,
    vd.Belady: libcachesim.Belady,
}
NEVER = 2**63 - 1
TRACES = 100_000 if THOROUGH else 300

Requests = list[int]


def their_hits(kind: type[CachePolicy], requests: Requests, sizes: list[int], budget: int) -> int:
    """Return the hits of libCacheSim, which is told when each object comes next."""
    cache = THEIRS[kind](cache_size=budget, hashpower=8)
    upcoming, seen = [NEVER] * len(requests), dict[int, int]()
    for place in range(len(requests) - 1, -1, -1):
        upcoming[place] = seen.get(requests[place], NEVER)
        seen[requests[place]] = place
    request, hits = libcachesim.Request(), 0
    for place, item in enumerate(requests):
        request.obj_id, request.obj_size = item + 1, sizes[item]
        request.clock_time, request.next_access_vtime = place, upcoming[place]
        hits += cache.get(request)
    return hits


def our_hits(policy: CachePolicy, traces: list[Requests], sizes: list[int]) -> list[int]:
    """Return the hits of this program, where each request is a recall that inserts what it misses."""
    sessions = [
        Session(
            len(requests),
            (FOUNDATIONAL,) * len(sizes),
            tuple((turn, RECALL, item) for turn, item in enumerate(requests, 1)),
            tokens=tuple(sizes),
        )
        for requests in traces
    ]
    outcome = play_block(block_of(sessions), policy, relearn=True)
    hits: list[int] = (outcome.recalls - outcome.misses).tolist()
    return hits


def drawn(rng: random.Random, items: int, length: int) -> Requests:
    """Draw requests: low numbers often, in part what was asked for shortly before."""
    requests: Requests = []
    for _ in range(length):
        recent = requests and rng.random() < 0.2
        number = rng.choice(requests[-30:]) if recent else min(rng.randrange(items), rng.randrange(items))
        requests.append(number)
    return requests


@pytest.mark.parametrize("kind", list(THEIRS))
def test_same_requests_same_hits(kind: type[CachePolicy]) -> None:
    """On random traces, 10^5 in the thorough run, all items of one size."""
    rng, items = random.Random(kind.name), 90
    budgets = (20, 30, 50) if kind is vd.S3Fifo else (1, 2, 3, 5, 10, 20, 50)
    total = 0
    for _ in range(TRACES // 100):
        budget, length = rng.choice(budgets), rng.choice((40, 200, 400))
        traces = [drawn(rng, rng.choice((12, 40, items)), length) for _ in range(100)]
        ours = our_hits(kind(capacity_items=budget), traces, [1] * items)
        assert ours == [their_hits(kind, requests, [1] * items, budget) for requests in traces], budget
        total += sum(ours)
    assert total > 10 * TRACES


@pytest.mark.parametrize("kind", [vd.Lru, vd.Fifo, vd.Lfu, vd.Sieve])
def test_same_hits_with_sizes(kind: type[CachePolicy]) -> None:
    """Items of different sizes under a budget of tokens, some larger than all of it."""
    rng = random.Random(f"sizes {kind.name}")
    for _ in range(3):
        sizes = [rng.choice((1, 2, 3, 7, 20, 70)) for _ in range(60)]
        traces = [drawn(rng, 60, 200) for _ in range(50)]
        for budget in (10, 60, 150):
            ours = our_hits(kind(capacity_tokens=budget), traces, sizes)
            assert ours == [their_hits(kind, requests, sizes, budget) for requests in traces], budget


RECORDED = Path(os.environ.get("VECDECAY_TRACES", "")) / "flashcards.parquet"


@pytest.mark.skipif(
    not RECORDED.exists(),
    reason="$VECDECAY_TRACES names no recorded traces",
)
@pytest.mark.parametrize("kind", list(THEIRS))
def test_same_hits_on_a_recorded_trace(kind: type[CachePolicy]) -> None:
    """One learner's reviews, 12,580 requests."""
    table = pq.read_table(RECORDED, columns=["turn", "item"])
    _, requests = np.unique(table["item"].to_numpy(), return_inverse=True)
    traces, sizes = [requests.tolist()], [1] * (int(requests.max()) + 1)
    for budget in (20, 100, 400):
        assert our_hits(kind(capacity_items=budget), traces, sizes) == [their_hits(kind, traces[0], sizes, budget)]


ORACLE = np.dtype([("time", "<u4"), ("item", "<u8"), ("size", "<u4"), ("next", "<i8")])


def timed(play: Callable[[], int]) -> tuple[float, int]:
    """Return the processor time of one play, and its hits."""
    started = time.process_time()
    hits = play()
    return time.process_time() - started, hits


@pytest.mark.thorough
def test_ten_million_requests_side_by_side(tmp_path: Path) -> None:
    """The hits of LRU are the same; with ``-s``, the median rates of interleaved rounds, in processor time."""
    sessions, each, capacity = 10_000, 1_000, 100
    item = np.minimum(np.random.default_rng(3).pareto(1.0, (sessions, each)) * 20, 299).astype(np.int64)
    requests = np.zeros(sessions * each, dtype=ORACLE)
    requests["item"] = (item + np.arange(sessions)[:, None] * 300).ravel() + 1  # another session, other items
    requests["size"], requests["next"] = 1, NEVER
    path = tmp_path / "requests"
    requests.tofile(path)
    session, turn = np.repeat(np.arange(sessions), each), np.tile(np.arange(each) + 1, sessions)
    trace = vd.Trace.read(pa.table({"session": session, "turn": turn, "item": item.ravel()}), on_miss="relearn")
    block = trace.block(range(sessions))

    def ours(policy: Any) -> int:
        outcome = play_block(block, policy, relearn=True)
        return int((outcome.recalls - outcome.misses).sum())

    def their_loop() -> int:
        reader = libcachesim.TraceReader(str(path), libcachesim.TraceType.ORACLE_GENERAL_TRACE)
        cache = libcachesim.LRU(cache_size=capacity, hashpower=16)
        return round((1 - cache.process_trace(reader)[0]) * len(requests))

    def from_python() -> int:
        cache, request, hits = libcachesim.LRU(cache_size=capacity, hashpower=16), libcachesim.Request(), 0
        request.obj_size = 1
        for number in requests["item"].tolist():
            request.obj_id = number
            hits += cache.get(request)
        return hits

    plays: dict[str, Callable[[], int]] = {
        "recency window, table kernel": lambda: ours(vd.RecencyWindow(window_size=100)),
        "LRU, cache kernel": lambda: ours(vd.Lru(capacity_items=capacity)),
        "LRU of libCacheSim, its own loop": their_loop,
        "LRU of libCacheSim, from Python": from_python,
    }
    for play in plays.values():
        play()  # kernels are compiled
    rounds = [{name: timed(play) for name, play in plays.items()} for _ in range(3)]
    for name in plays:
        seconds = sorted(one[name][0] for one in rounds)[1]
        print(f"{name:34}{len(requests) / seconds / 1e6:8.1f} million requests a second, {rounds[0][name][1]:,} hits")
    hits = {one[name][1] for one in rounds for name in plays if name.startswith("LRU")}
    assert len(hits) == 1
