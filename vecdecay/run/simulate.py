"""``simulate``: some policies on one workload, in memory, as Arrow tables."""

import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from vecdecay.analysis.cell import CellHistograms
from vecdecay.engines.memory import BYTES_PER_BLOCK, block_bytes, machine_bytes
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.registry import ENGINES, can_stream, chosen_engine, play_block, stream, stream_counted
from vecdecay.errors import InvalidInputError
from vecdecay.metrics import session_columns
from vecdecay.parameters import brief, did_you_mean
from vecdecay.policies.base import Policy
from vecdecay.policies.own import own_policy
from vecdecay.quantities import column_clashes
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.session import MAX_SESSION_LENGTH
from vecdecay.sessions.workload import Workload
from vecdecay.store.columns import Layout, longest_seed_text, row_bytes
from vecdecay.store.parquet import write_parquet
from vecdecay.store.tables import DETAILS, TABLES, CellResult, block_rows, block_tables, cells_table, rows_per_session
from vecdecay.threads import available_processors

_NO_LISTS = (str, bytes, bytearray, memoryview)  # sequences, some of them of integers, that nobody means as a list

SESSIONS_PER_BLOCK = 8192
"""Sessions played together: a multiple of the 256 seeds that the generator advances side by side."""

LOCKSTEP_SESSIONS_PER_BLOCK = 1000

SESSIONS_COUNTED_TOGETHER = 65_536
"""Sessions of which only counts are kept; they take no room, and this many some 20 ms."""

BLOCKS_AHEAD = 3  # per thread; more would only make memory grow with the seeds


@dataclass(frozen=True)
class Request:
    """A checked call of :func:`simulate`."""

    workload: Workload
    policies: tuple[Policy, ...]
    seeds: Seeds
    detail: str
    engine: str
    checkpoints: tuple[int, ...]
    threads: int

    @property
    def wants_items(self) -> bool:
        """Tell whether a row per item is wanted."""
        return self.detail == "items"

    @property
    def wants_turns(self) -> bool:
        """Tell whether a row per turn is wanted."""
        return self.detail == "turns"

    @property
    def streams(self) -> bool:
        """Tell whether sessions are played while they are generated."""
        return can_stream(self.workload, self.policies, self.engine, self.detail, self.checkpoints)

    @cached_property
    def seed_text(self) -> int:
        """Return the bytes that no seed exceeds as text; 0 where seeds are kept as 64-bit integers."""
        return longest_seed_text(self.seeds)

    @cached_property
    def layout(self) -> Layout:
        """Return what the schemas of the tables depend on."""
        kinds = (*(type(policy) for policy in self.policies), type(self.workload))
        return Layout(self.checkpoints, self.seed_text == 0, self.workload.has_token_sizes, kinds)

    def sessions_per_block(self) -> int:
        """Return how many sessions are played together."""
        if self.detail == "cells" and self.streams:
            return SESSIONS_COUNTED_TOGETHER
        by_table = all(chosen_engine(self.engine, policy) == "horizon" for policy in self.policies)
        most = SESSIONS_PER_BLOCK if by_table and not self.wants_items else LOCKSTEP_SESSIONS_PER_BLOCK
        each = block_bytes(self.workload.sizes(), 1, not by_table, self.wants_items, self.wants_turns)
        # The text of one batch has at most 2**31 bytes.
        each += self.seed_text * rows_per_session(self.detail, self.workload.sizes())
        return max(1, min(most, BYTES_PER_BLOCK // each))


class SimulationResult:
    """What a simulation came to, as Arrow tables: ``cells`` always, ``sessions``, ``items`` or ``turns`` as asked.

    It can be handed to Polars, DuckDB, pandas or PyArrow as it is: it streams its most detailed table.
    """

    def __init__(self, results: Sequence[CellResult], request: Request, tables: dict[str, pa.Table]) -> None:
        self.results = tuple(results)
        self.request = request
        self._tables = tables

    @property
    def cells(self) -> pa.Table:
        """One row per policy: its parameters and the summary of every metric."""
        return self._table("cells")

    @property
    def sessions(self) -> pa.Table:
        """One row per policy and seed."""
        return self._table("sessions")

    @property
    def items(self) -> pa.Table:
        """One row per policy, seed and item; kept with ``detail="items"``."""
        return self._table("items")

    @property
    def turns(self) -> pa.Table:
        """One row per policy, seed and turn; kept with ``detail="turns"``."""
        return self._table("turns")

    def _table(self, name: str) -> pa.Table:
        if name not in self._tables:
            kept = ", ".join(self._tables)
            raise InvalidInputError([f'{name} were not kept; kept: {kept}; ask for them with detail="{name}"'])
        return self._tables[name]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Stream the most detailed table through the Arrow C interface."""
        return list(self._tables.values())[-1].__arrow_c_stream__(requested_schema)

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write every table as ``folder/NAME.parquet``, each at once or not at all; return the paths.

        Raises OutputError, in one line, where that is impossible; no partial file is left under a final name.
        """
        return [write_parquet(Path(folder) / f"{name}.parquet", table) for name, table in self._tables.items()]

    def __repr__(self) -> str:
        request = self.request
        lines = [
            f"SimulationResult: {len(request.seeds)} sessions of {request.workload.name} under "
            f"{len(self.results)} {'policy' if len(self.results) == 1 else 'policies'}; "
            + ", ".join(f"{name} {table.num_rows} rows" for name, table in self._tables.items())
        ]
        width = max((len(result.label) for result in self.results), default=0)
        for result in self.results:
            rate = result.summaries["foundational_recall_rate"]
            footprint = result.summaries["footprint_reduction"]
            lines.append(
                f"  {result.label:<{width}}  foundational_recall_rate {_shown(rate.summary.mean)} "
                f"[{_shown(rate.low)}, {_shown(rate.high)}]  footprint_reduction {_shown(footprint.summary.mean)}"
            )
        return "\n".join(lines)


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def simulate(
    sessions: Workload,
    policies: Sequence[object] | object,
    seeds: Seeds,
    detail: str = "sessions",
    engine: str = "auto",
    checkpoints: Sequence[int] | None = None,
    threads: int | None = None,
) -> SimulationResult:
    """Play each policy on the sessions of every seed and return what came of it as Arrow tables.

    Args:
        sessions: the workload.
        policies: one or several, your own among them (see ``policies.user``); all are played on the same sessions.
        seeds: integers of any size; a range is never written out.
        detail: how much is kept: "cells" (a row per policy), "sessions" (and a row per policy and seed), "items" (and
            a row per item) or "turns" (and a row per turn).
        engine: "auto", "horizon" (the table kernel), "lockstep" or "reference". The result is the same, to the bit.
        checkpoints: turns at which the foundational recall rate is kept too; the end of the session always is.
        threads: how many blocks are played at once; as many as there are processors if None.

    Raises:
        InvalidInputError: names everything that is wrong with the arguments, or the bytes that the tables would take.

    >>> from vecdecay.policies import Ebbinghaus, RecencyWindow
    >>> from vecdecay.sessions import PublishedSessions
    >>> result = simulate(PublishedSessions(), [Ebbinghaus(), RecencyWindow()], seeds=range(50))
    >>> result.cells["footprint_reduction_mean"].to_pylist()
    [0.9107284768211921, 0.8977583517292127]
    """
    request = checked_request(sessions, policies, seeds, detail, engine, checkpoints, threads)
    _refuse_what_cannot_fit(request)
    histograms = [CellHistograms(request.checkpoints) for _ in request.policies]
    batches: dict[str, list[list[pa.RecordBatch]]] = {
        name: [[] for _ in request.policies] for name in block_tables(request.detail)
    }
    for block_histograms, block_batches in _played_blocks(request):
        for cell, more in enumerate(block_histograms):
            histograms[cell].merge(more)
        for name, per_cell in block_batches.items():
            for cell, batch in enumerate(per_cell):
                batches[name][cell].append(batch)
    results = [
        CellResult(
            cell=cell,
            label=label,
            policy=policy,
            workload=request.workload,
            engine=chosen_engine(request.engine, policy),
            num_sessions=histograms[cell].num_sessions,
            summaries=histograms[cell].summaries(),
        )
        for cell, (label, policy) in enumerate(zip(labels_of(request.policies), request.policies, strict=True))
    ]
    tables = {"cells": cells_table(results, request.layout)}
    for name, per_cell in batches.items():
        ordered = [batch for cell in per_cell for batch in cell]
        tables[name] = pa.Table.from_batches(ordered, schema=TABLES[name].schema(request.layout))
    return SimulationResult(results, request, tables)


def labels_of(policies: Sequence[Policy]) -> list[str]:
    """Return a label for each policy: its name, numbered where several have the same."""
    names = [policy.name for policy in policies]
    return [
        name if names.count(name) == 1 else f"{name}_{names[: position + 1].count(name)}"
        for position, name in enumerate(names)
    ]


def checked_request(
    sessions: Any, policies: Any, seeds: Any, detail: Any, engine: Any, checkpoints: Any, threads: Any
) -> Request:
    """Return the arguments of :func:`simulate`, checked together; InvalidInputError names all that are wrong."""
    problems: list[str] = []
    if not isinstance(sessions, Workload):
        problems.append(f"sessions is {brief(sessions)}; allowed: a workload such as PublishedSessions()")
    several = _checked_policies(policies, problems)
    problems += column_clashes(map(type, several), type(sessions) if isinstance(sessions, Workload) else None)
    problems += _seed_problems(seeds)
    for name, value, allowed in (("detail", detail, DETAILS), ("engine", engine, ENGINES)):
        if not isinstance(value, str) or value not in allowed:
            hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
            problems.append(f"{name} is {brief(value)}; allowed: {', '.join(allowed)}{hint}")
    turns = () if checkpoints is None else checkpoints
    if not _is_list_of(turns, partial(_is_from_1_to, MAX_SESSION_LENGTH)):
        problems.append(f"checkpoints is {brief(checkpoints)}; allowed: turns, integers from 1 to {MAX_SESSION_LENGTH}")
    if threads is not None and not _is_from_1_to(1024, threads):
        problems.append(f"threads is {brief(threads)}; allowed: None or an integer from 1 to 1024")
    if problems:
        raise InvalidInputError(problems)
    return Request(
        workload=sessions,
        policies=tuple(several),
        seeds=seeds,
        detail=detail,
        engine=engine,
        checkpoints=tuple(sorted({int(turn) for turn in turns})),
        threads=int(threads or available_processors()),
    )


def _checked_policies(given: Any, problems: list[str]) -> list[Policy]:
    """Return the policies, a person's own among them made fit to be played; add a line per one that is not."""
    listed = [given] if _is_like_a_policy(given) else given
    if not isinstance(listed, Sequence) or not listed or not all(map(_is_like_a_policy, listed)):
        classes = [one.__name__ for one in listed if isinstance(one, type)] if isinstance(listed, Sequence) else []
        hint = f", where {classes[0]} is a class, and {classes[0]}() a policy" if classes else ""
        problems.append(f"policies is {brief(given)}{hint}; allowed: one policy or a list of at least one")
        return []
    several = []
    for place, one in enumerate(listed):
        try:
            several.append(own_policy(one))
        except InvalidInputError as error:
            problems += [f"policies[{place}]: {line}" for line in error.problems]
    return several


def _is_like_a_policy(given: Any) -> bool:
    return isinstance(given, Policy) or (hasattr(given, "retention") and not isinstance(given, type))


def _is_list_of(given: Any, is_one: Callable[[Any], bool]) -> bool:
    if isinstance(given, np.ndarray):
        return given.ndim == 1 and all(map(is_one, given))
    return isinstance(given, Sequence) and not isinstance(given, _NO_LISTS) and all(map(is_one, given))


def _is_from_1_to(most: int, value: Any) -> bool:
    is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return is_integer and 1 <= int(value) <= most


def _seed_problems(seeds: Any) -> list[str]:
    allowed = "allowed: a range, list or one-dimensional array of at least one integer"
    if isinstance(seeds, range) and seeds:
        is_countable = (seeds[-1] - seeds[0]) // seeds.step + 1 < 2**63
        return [] if is_countable else [f"seeds is {brief(seeds)}; allowed: fewer than 2**63 seeds"]
    if isinstance(seeds, np.ndarray):
        is_sound = seeds.ndim == 1 and seeds.size > 0 and seeds.dtype.kind in "iu"
        return [] if is_sound else [f"seeds is an array of {seeds.dtype} with shape {seeds.shape}; {allowed}"]
    if isinstance(seeds, _NO_LISTS) or not isinstance(seeds, Sequence) or len(seeds) == 0:
        return [f"seeds is {brief(seeds)}; {allowed}"]
    wrong = (one for one in seeds if isinstance(one, bool) or not isinstance(one, int | np.integer))
    return [f"seed {brief(one)} is not an integer; {allowed}" for one in islice(wrong, 5)]


def _refuse_what_cannot_fit(request: Request) -> None:
    sizes = request.workload.sizes()
    num_sessions = len(request.seeds)
    together = min(num_sessions, request.sessions_per_block())
    lockstep = any(chosen_engine(request.engine, policy) != "horizon" for policy in request.policies)
    needed = request.threads * block_bytes(sizes, together, lockstep, request.wants_items, request.wants_turns)
    for name in block_tables(request.detail):
        rows = rows_per_session(name, sizes) * num_sessions * len(request.policies)
        needed += rows * row_bytes(TABLES[name].schema(request.layout), request.seed_text)
    if needed > machine_bytes():
        size = f"{num_sessions} sessions × {sizes.items} items × {len(request.policies)} policies"
        bound = f"would take {needed} bytes; this machine has {machine_bytes()}"
        raise InvalidInputError([f'{size} with detail="{request.detail}" {bound}'])


BlockResult = tuple[list[CellHistograms], dict[str, list[pa.RecordBatch]]]


def _played_blocks(request: Request) -> Iterator[BlockResult]:
    """Yield every block's histograms and batches in the order of the seeds, a few blocks ahead of the reader."""
    step = request.sessions_per_block()
    starts = range(0, len(request.seeds), step)
    blocks = (request.seeds[first : first + step] for first in starts)
    if request.threads == 1 or len(starts) == 1:
        yield from (_play_seeds(request, seeds) for seeds in blocks)
        return
    ahead: deque[Future[BlockResult]] = deque()
    with ThreadPoolExecutor(request.threads) as executor:
        try:
            for seeds in blocks:
                ahead.append(executor.submit(_play_seeds, request, seeds))
                if len(ahead) == BLOCKS_AHEAD * request.threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:  # where a block fails or the reader stops, no other block begins
            for waiting in ahead:
                waiting.cancel()


def _outcomes(request: Request, seeds: Seeds) -> Iterator[BlockOutcome]:
    """Yield what the sessions of the seeds came to under each policy."""
    if request.streams:
        yield from stream(request.workload, seeds, request.policies)
        return
    block = request.workload.block(seeds)
    for policy in request.policies:
        yield play_block(
            block, policy, request.engine, request.checkpoints, request.wants_items, request.wants_turns, reuse=True
        )


def _count_seeds(request: Request, seeds: Seeds) -> BlockResult:
    """Keep of the sessions of the seeds only how often each outcome occurred."""
    histograms = [CellHistograms() for _ in request.policies]
    for cell, (outcome, times) in stream_counted(request.workload, seeds, request.policies):
        histograms[cell].add_counted(outcome, times)
    return histograms, {}


def _play_seeds(request: Request, seeds: Seeds) -> BlockResult:
    if request.detail == "cells" and request.streams:
        return _count_seeds(request, seeds)
    histograms: list[CellHistograms] = []
    batches: dict[str, list[pa.RecordBatch]] = {name: [] for name in block_tables(request.detail)}
    for cell, outcome in enumerate(_outcomes(request, seeds)):
        counted = CellHistograms(request.checkpoints)
        measured = session_columns(outcome, request.checkpoints)
        counted.add(outcome, measured)
        histograms.append(counted)
        for name, rows in batches.items():
            rows.append(block_rows(name, cell, seeds, outcome, request.layout, measured))
    return histograms, batches
