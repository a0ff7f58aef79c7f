"""``simulate``: some policies on one workload, in memory, as Arrow tables."""

import importlib
import math
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from vecdecay.analysis.cell import empty_checkpoints
from vecdecay.arrow import ArrowTable
from vecdecay.engines.memory import machine_bytes
from vecdecay.engines.registry import ENGINES, block_bytes, chosen_engine
from vecdecay.errors import InvalidInputError
from vecdecay.numerals import cells_html, short
from vecdecay.parameters import brief, did_you_mean
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.own import own_policy
from vecdecay.quantities import ALL_METRICS, ASKED_NAMES, LEADING_METRICS
from vecdecay.run.blocks import sessions_per_block
from vecdecay.run.execute import PARTS_AHEAD, Here, execute
from vecdecay.run.parts import Part, Unit
from vecdecay.run.plan import Plan
from vecdecay.run.progress import Progress, progress_of, shown_while
from vecdecay.run.sinks import MemorySink
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.own import own_workload
from vecdecay.sessions.session import MAX_SESSION_LENGTH, Session
from vecdecay.sessions.source import GivenSessions, Recorded, Source
from vecdecay.store.columns import row_bytes
from vecdecay.store.parquet import write_parquet
from vecdecay.store.tables import DETAILS, TABLES, CellResult, block_tables, rows_per_session
from vecdecay.sweepfile.combining import column_clashes
from vecdecay.sweepfile.model import AUTO, SCALAR, PolicyEntry, SweepSpec, engine_for
from vecdecay.threads import available_processors

_MOST_SEEDS_NAMED = 5
_NO_LISTS = (str, bytes, bytearray, memoryview)  # sequences, some of them of integers, that nobody means as a list


_MOST_POLICIES_PRINTED = 20


class NotKeptError(InvalidInputError, AttributeError):
    """A table was asked for that the detail does not keep; ``hasattr`` is False for it."""


class SimulationResult:
    """What a simulation came to, as Arrow tables: ``cells`` always, the others of ``DETAILS`` as asked.

    It can be handed to Polars, DuckDB, pandas or PyArrow as it is: it streams its most detailed table.
    """

    def __init__(self, plan: Plan, results: Sequence[CellResult], tables: dict[str, pa.Table]) -> None:
        """Take what was played, the result of each cell, and the tables by their names, the most detailed last."""
        self.plan = plan
        self.results = tuple(results)
        self._tables = tables

    @property
    def cells(self) -> ArrowTable:
        """One row per policy: its parameters and the summary of every metric."""
        return self._table("cells")

    @property
    def sessions(self) -> ArrowTable:
        """One row per policy and seed."""
        return self._table("sessions")

    @property
    def items(self) -> ArrowTable:
        """One row per policy, seed and item; kept with ``detail="items"``."""
        return self._table("items")

    @property
    def turns(self) -> ArrowTable:
        """One row per policy, seed and turn; kept with ``detail="turns"``."""
        return self._table("turns")

    @property
    def misses(self) -> ArrowTable:
        """One row per policy, seed and recall that did not find its item; kept with ``detail="misses"``."""
        return self._table("misses")

    def _table(self, name: str) -> ArrowTable:
        if name not in self._tables:
            kept = ", ".join(self._tables)
            raise NotKeptError([f'{name} were not kept; kept: {kept}; ask for them with detail="{name}"'])
        table: ArrowTable = self._tables[name]
        return table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Stream the most detailed table through the Arrow C interface."""
        return list(self._tables.values())[-1].__arrow_c_stream__(requested_schema)

    @property
    def plot(self) -> Any:
        """Pictures of the result; see :class:`vecdecay.report.plots.Plots`. Needs the extra ``report``."""
        return importlib.import_module("vecdecay.report.plots").Plots(self)  # a room above this one, loaded when asked

    def joined(self, name: str | None = None) -> ArrowTable:
        """Return a table with the policy's label and its parameters beside every row: the most detailed one if None."""
        table = self._table(name or list(self._tables)[-1])
        known = [entry.policy.values() for entry in self.plan.spec.policies]
        names = [
            one for one in dict.fromkeys(one for values in known for one in values) if one not in table.schema.names
        ]
        described = self.cells.select(["cell", "policy", *names])
        places = pc.index_in(table["cell"], described["cell"])
        beside = [
            (one, described[one].take(places)) for one in described.schema.names[1:] if one not in table.schema.names
        ]
        for position, (one, values) in enumerate(beside):
            table = table.add_column(1 + position, one, values)
        return table

    def to_pandas(self, name: str | None = None) -> Any:
        """Return :meth:`joined` as a pandas DataFrame. Needs pandas."""
        return self.joined(name).to_pandas()

    def to_polars(self, name: str | None = None) -> Any:
        """Return :meth:`joined` as a Polars DataFrame. Needs Polars."""
        import polars as pl

        return pl.from_arrow(self.joined(name))

    def _repr_html_(self) -> str:
        """Return a table for a notebook: policies, hit rate, survival, occupancy."""
        return cells_html(self.cells, f"{len(self.plan.spec.seeds):,} sessions of {self.plan.spec.workload_kind}")

    def write(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write every table as ``folder/NAME.parquet``, each at once or not at all; return the paths.

        Raises OutputError, in one line, where that is impossible; no partial file is left under a final name.
        """
        return [write_parquet(Path(folder) / f"{name}.parquet", table) for name, table in self._tables.items()]

    def __repr__(self) -> str:
        spec = self.plan.spec
        lines = [
            f"SimulationResult: {len(spec.seeds)} sessions of {spec.workload_kind} under "
            f"{len(self.results)} {'policy' if len(self.results) == 1 else 'policies'}; "
            + ", ".join(f"{name} {table.num_rows} rows" for name, table in self._tables.items())
        ]
        width = max((len(result.label) for result in self.results), default=0)
        for result in self.results[:_MOST_POLICIES_PRINTED]:
            shown = [(name, result.summaries[name]) for name in LEADING_METRICS]
            rates = (f"  {name} {short(one.summary.mean)} [{short(one.low)}, {short(one.high)}]" for name, one in shown)
            lines.append(f"  {result.label:<{width}}{''.join(rates)}")
        if len(self.results) > _MOST_POLICIES_PRINTED:
            lines.append(f"  and {len(self.results) - _MOST_POLICIES_PRINTED:,} more in cells")
        unreached = empty_checkpoints(spec.checkpoints, (one.summaries for one in self.results))
        lines += [f"  {unreached}"] * bool(unreached)
        return "\n".join(lines)


def simulate(
    sessions: Source | Sequence[Session] | object,
    policies: Sequence[object] | object,
    seeds: Seeds | None = None,
    detail: str = "sessions",
    engine: str = "auto",
    checkpoints: Sequence[int] | None = None,
    threads: int | None = None,
    progress: Progress | bool = False,
    metrics: Sequence[str] = (),
) -> SimulationResult:
    """Play each policy on the sessions of every seed and return what came of it as Arrow tables.

    Args:
        sessions: a workload, one of your own (a function from a seed to events, or a class with ``events(seed)``), a
            ``Trace``, or a list of ``Session``.
        policies: one or several, your own among them (``vecdecay help own-policy``); all see the same sessions.
        seeds: integers of any size; a range is never written out. Of a trace or a list, the sessions' numbers; all if
            None.
        detail: how much is kept: "cells" (a row per policy), "sessions" (and a row per policy and seed), "items" (and
            a row per item), "turns" (and a row per turn) or "misses" (and a row per recall that missed).
        engine: "auto", "horizon" (the table kernel), "stateful", "lockstep", "cache", "capacity" or "reference". The
            result is the same, to the bit.
        checkpoints: turns at which the foundational recall rate is kept too; the end of the session always is.
        threads: how many blocks are played at once; as many as there are processors if None.
        progress: True for a bar on a terminal or in a notebook, and for a line now and then elsewhere.
        metrics: those to measure that take time of their own: recalls, token_hit_rate, dead_weight, saturation.

    Raises:
        InvalidInputError: names everything that is wrong with the arguments, or the bytes that the tables would take.

    >>> from vecdecay.policies import Ebbinghaus, RecencyWindow
    >>> from vecdecay.sessions import PublishedSessions
    >>> result = simulate(PublishedSessions(), [Ebbinghaus(), RecencyWindow()], seeds=range(50))
    >>> result.cells["footprint_reduction_mean"].to_pylist()
    [0.9107284768211921, 0.8977583517292127]
    """
    spec, threads = checked_arguments(sessions, policies, seeds, detail, engine, checkpoints, threads, metrics)
    plan = Plan(spec)
    _refuse_what_cannot_fit(plan, threads)
    shown = progress_of(progress)
    sink = MemorySink(plan, shown)
    parts = block_parts(plan)
    first = list(islice(parts, 2))
    # A person's compiled function plays in another thread, so that Ctrl-C returns even if the function never does.
    own = any(type(entry.policy) not in POLICIES for entry in spec.policies)
    executor = ThreadPoolExecutor(threads) if own or (threads > 1 and len(first) > 1) else Here()
    try:
        with shown_while(shown, plan.num_sessions):
            execute(plan, chain(first, parts), sink, executor, ahead=1 if threads == 1 else PARTS_AHEAD * threads)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
    results = sink.results()
    return SimulationResult(plan, results, sink.tables(results))


def block_parts(plan: Plan) -> Iterator[Part]:
    """Yield parts that are one block each, of all cells, so that threads share out few sessions too."""
    spec = plan.spec
    step = sessions_per_block(plan, spec.workload, [entry.policy for entry in spec.policies])
    cells = tuple(range(plan.num_cells))
    for number, first in enumerate(range(0, len(spec.seeds), step)):
        yield Part(number, (Unit(cells, first, min(first + step, len(spec.seeds))),))


def labels_of(policies: Sequence[Policy]) -> list[str]:
    """Return a label for each policy: its name, numbered where several have the same."""
    names = [policy.name for policy in policies]
    return [
        name if names.count(name) == 1 else f"{name}_{names[: position + 1].count(name)}"
        for position, name in enumerate(names)
    ]


def checked_arguments(
    sessions: Any,
    policies: Any,
    seeds: Any,
    detail: Any,
    engine: Any,
    checkpoints: Any,
    threads: Any,
    metrics: Any = (),
) -> tuple[SweepSpec, int]:
    """Return the arguments of :func:`simulate` as a sweep of one point, and the number of threads.

    Raises:
        InvalidInputError: names all arguments that are wrong.
    """
    problems: list[str] = []
    source = _checked_source(sessions, problems)
    if seeds is None and isinstance(source, Recorded):
        seeds = range(source.num_sessions)
    several = _checked_policies(policies, problems)
    problems += column_clashes(map(type, several), type(source) if source is not None else None)
    problems += _seed_problems(seeds)
    for name, value, allowed in (("detail", detail, DETAILS), ("engine", engine, ENGINES)):
        if not isinstance(value, str) or value not in allowed:
            hint = did_you_mean(value, allowed) if isinstance(value, str) else ""
            problems.append(f"{name} is {brief(value)}; allowed: {', '.join(allowed)}{hint}")
    turns = () if checkpoints is None else checkpoints
    if not _is_list_of(turns, partial(_is_from_1_to, MAX_SESSION_LENGTH)):
        problems.append(f"checkpoints is {brief(checkpoints)}; allowed: turns, integers from 1 to {MAX_SESSION_LENGTH}")
    several_texts = isinstance(metrics, Sequence) and not isinstance(metrics, _NO_LISTS)
    for name in metrics if several_texts else [metrics]:
        known = [one.name for one in ALL_METRICS]
        if name not in known:
            hint = did_you_mean(name, known)
            problems.append(f"metrics has {brief(name)}; allowed beside the usual: {', '.join(ASKED_NAMES)}{hint}")
        elif name == "saturation" and engine not in (AUTO, SCALAR):
            problems.append(f"engine is {brief(engine)}; allowed with saturation: {AUTO} or {SCALAR}")
    if threads is not None and not _is_from_1_to(1024, threads):
        problems.append(f"threads is {brief(threads)}; allowed: None or an integer from 1 to 1024")
    if problems or source is None:
        raise InvalidInputError(problems)
    # Blocks are slices, which a deque, say, has not.
    kept: Any = seeds if isinstance(seeds, range | np.ndarray | list | tuple) else list(seeds)
    entries = zip(labels_of(several), several, strict=True)
    spec = SweepSpec(
        name="simulate",
        seeds=kept,
        workload_kind=source.name,
        workload=source,
        policies=tuple(PolicyEntry(label, policy.name, policy) for label, policy in entries),
        detail=detail,
        engine=engine_for(engine, metrics),
        metrics=tuple(metrics),
        checkpoints=tuple(sorted({int(turn) for turn in turns})),
    )
    return spec, int(threads or available_processors())


def _checked_source(given: Any, problems: list[str]) -> Source | None:
    """Return what the sessions come from, a person's own workload adapted; None, with a line, where it is nothing."""
    if isinstance(given, Source):
        return given
    try:
        if isinstance(given, Session):
            return GivenSessions([given])
        if isinstance(given, list | tuple) and given and all(isinstance(one, Session) for one in given):
            return GivenSessions(given)
        if not isinstance(given, type) and (callable(given) or hasattr(given, "events")):
            return own_workload(given)
    except InvalidInputError as error:
        problems += [f"sessions: {line}" for line in error.problems]
        return None
    allowed = "a workload such as PublishedSessions(), a Trace, a list of Session, or a function from a seed to events"
    hint = f", a class; {given.__name__}() has sessions" if isinstance(given, type) else ""
    problems.append(f"sessions is {brief(given)}{hint}; allowed: {allowed}")
    return None


def _checked_policies(given: Any, problems: list[str]) -> list[Policy]:
    """Return the policies, a person's own among them adapted; add a line per one that is not."""
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
        if not is_sound:
            return [f"seeds is an array of {seeds.dtype} with shape {seeds.shape}; {allowed}"]
        values, counts = np.unique(seeds, return_counts=True)
        return [_repeated(int(one)) for one in values[counts > 1][:_MOST_SEEDS_NAMED]]
    if isinstance(seeds, _NO_LISTS) or not isinstance(seeds, Sequence) or len(seeds) == 0:
        return [f"seeds is {brief(seeds)}; {allowed}"]
    wrong = [one for one in seeds if isinstance(one, bool) or not isinstance(one, int | np.integer)]
    if wrong:
        return [f"seed {brief(one)} is not an integer; {allowed}" for one in wrong[:_MOST_SEEDS_NAMED]]
    if len(set(seeds)) == len(seeds):
        return []
    return [_repeated(one) for one, times in Counter(map(int, seeds)).most_common(_MOST_SEEDS_NAMED) if times > 1]


def _repeated(seed: int) -> str:
    return f"seed {brief(seed)} is given again; allowed: each seed once"


def _refuse_what_cannot_fit(plan: Plan, threads: int) -> None:
    spec = plan.spec
    sizes = spec.workload.sizes()
    num_sessions, policies = len(spec.seeds), [entry.policy for entry in spec.policies]
    together = min(num_sessions, sessions_per_block(plan, spec.workload, policies))
    lockstep = any(chosen_engine(spec.engine, policy) != "horizon" for policy in policies)
    wants = [spec.detail == one for one in ("items", "turns", "misses")]
    needed = threads * block_bytes(sizes, together, lockstep, *wants)
    for name in block_tables(spec.detail):
        rows = num_sessions if name == "sessions" else rows_per_session(name, spec.workload.totals(num_sessions))
        needed += math.ceil(rows * len(policies) * row_bytes(TABLES[name].schema(plan.layout), plan.seed_text))
    if needed > machine_bytes():
        size = f"{num_sessions} sessions × {sizes.items} items × {len(policies)} policies"
        bound = f"would take {needed} bytes; this machine has {machine_bytes()}"
        raise InvalidInputError([f'{size} with detail="{spec.detail}" {bound}'])
