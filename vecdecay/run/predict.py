"""What a run would take: a little of it is played and timed, memory is arithmetic; nothing is written."""

import math
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import NamedTuple

import pyarrow as pa

from vecdecay.errors import InvalidInputError
from vecdecay.run.check import SESSIONS_TO_CHECK, affordable, compare_with_scalar, sampled_sessions
from vecdecay.run.distinct import count_different_cells
from vecdecay.run.parts import Part, Unit, largest_workload, plays_at_once
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play import Stop, play_part
from vecdecay.run.predict_memory import memory_bytes
from vecdecay.run.provenance import footer_of
from vecdecay.run.sinks import cell_result, rows_table
from vecdecay.sessions.source import Source
from vecdecay.store.parquet import write_table
from vecdecay.store.tables import TABLES, block_tables, cells_table, part_tables, rows_per_session
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.threads import available_processors

_SECONDS_TO_PLAY = 1.0  # of each sample
_CELLS_TO_PLAY = 64
_OBJECTS_TO_PLAY = 2_000_000  # items, events and turns of the sessions of a sample with one seed
_OBJECTS_TIMED = 500_000_000  # those of all seeds of a sample: a clock that stands still or goes back ends nothing
_SESSIONS_TO_COMPARE = 3
_MOST_SECONDS_TO_START = 5.0


@dataclass(frozen=True)
class Prediction:
    """What a run would take.

    ``distinct_cells`` differ from each other; the results of the others of ``cells`` are copied from them, as far as
    they are remembered. ``sessions`` are those of all cells; ``rows`` are those of all tables that are kept beside the
    histograms, and of the cells table. ``memory_bytes`` is the peak of the whole process. ``parts`` are played and
    written as a whole, ``part_seconds`` each.
    """

    cells: int
    distinct_cells: int
    sessions: int
    rows: int
    disk_bytes: int
    memory_bytes: int
    seconds: float
    parts: int
    part_seconds: float


def predict(spec: SweepSpec, threads: int | None = None) -> Prediction:
    """Return what the sweep would take with so many threads; as many as there are processors if None.

    Some sessions of three points are played and timed, for a few seconds in all: by the processor's clock, so time is
    that of a machine with nothing else to do. Memory is a bound, from arithmetic.
    """
    started = time.process_time()  # what it took to come here, it takes the run too
    plan = make_plan(spec)
    threads = threads or available_processors()
    distinct = count_different_cells(plan)
    costs = [_cost(plan, cells) for cells in _samples(plan)]
    cost = Cost(*(sum(one) / len(costs) for one in zip(*costs, strict=True))) if costs else Cost(0, 0, 0, 0, 0)
    parts = math.ceil(plan.num_sessions / plays_at_once(plan))
    playing = cost.fresh * distinct + cost.copied * plan.num_cells
    checking = _check_seconds(plan)
    footer = footer_of(spec)
    empty_files = {
        name: _size(TABLES[name].schema(plan.layout).empty_table(), footer) for name in part_tables(spec.detail)
    }
    empty = parts * sum(empty_files.values()) + _size(TABLES["cells"].schema(plan.layout).empty_table(), footer)
    sizes = spec.workload.sizes()
    rows = sum(rows_per_session(name, sizes) for name in block_tables(spec.detail)) * plan.num_sessions
    return Prediction(
        cells=plan.num_cells,
        distinct_cells=distinct,
        sessions=plan.num_sessions,
        rows=plan.num_cells + rows,
        disk_bytes=round(cost.of_rows * plan.num_cells + cost.of_cells * max(plan.num_cells, parts)) + empty,
        memory_bytes=memory_bytes(plan, min(threads, parts)),
        seconds=min(started, _MOST_SECONDS_TO_START)
        + max(checking, playing / min(threads, parts), (checking + playing) / threads)
        + cost.summed * plan.num_cells,
        parts=parts,
        part_seconds=playing / parts,
    )


class Cost(NamedTuple):
    """What a cell takes: ``fresh`` seconds more where no equal one was played than ``copied`` where one was, ``summed``
    seconds at the end of the run, bytes ``of_rows`` of sessions, and ``of_cells``, which do not grow with the seeds.
    """

    fresh: float
    copied: float
    summed: float
    of_rows: float
    of_cells: float


def _samples(plan: Plan) -> Iterator[tuple[int, ...]]:
    """Yield some cells from the begin, the middle and the end of the sweep, those that share a workload."""
    sizes = largest_workload(plan.spec).sizes()
    most = min(_CELLS_TO_PLAY, _OBJECTS_TO_PLAY // (sizes.items + sizes.touches + sizes.turns))
    points = max(1, most // plan.num_policies)
    starts = {0, plan.num_points // 2, max(0, plan.num_points - points)}
    for first in sorted(starts):
        last = min(first + points, plan.num_points)
        cells = range(first * plan.num_policies, last * plan.num_policies)
        by_workload: dict[Source, list[int]] = {}
        for number in cells:
            with suppress(InvalidInputError):  # values that clash: such a cell fails
                by_workload.setdefault(plan.cell(number).workload, []).append(number)
        yield from (tuple(numbers) for numbers in list(by_workload.values())[:1])


def _cost(plan: Plan, cells: tuple[int, ...]) -> Cost:
    """Return what each of some cells takes with all seeds, from as many seeds as are played in about a second."""
    num_seeds, sizes = len(plan.spec.seeds), largest_workload(plan.spec).sizes()
    most = _OBJECTS_TIMED // (len(cells) * (sizes.items + sizes.touches + sizes.turns))
    seeds = 1
    _timed(plan, cells, 1)  # tables of policies are made, own policies compiled: once, not for each seed
    while True:
        found = _timed(plan, cells, seeds)
        seconds = found.fresh + found.copied
        if seeds == num_seeds or seeds >= most or seconds > _SECONDS_TO_PLAY / 4:
            break
        seeds = min(num_seeds, max(seeds * 2, min(seeds * 16, int(seeds * _SECONDS_TO_PLAY / 2 / max(seconds, 1e-6)))))
    different = {(one.policy, one.workload) for one in map(plan.cell, cells)}
    scale, each = num_seeds / seeds, 1 / len(cells)
    return Cost(
        fresh=found.fresh * scale / len(different),
        copied=found.copied * scale * each,
        summed=found.summed * each,
        of_rows=found.of_rows * scale * each,
        of_cells=found.of_cells * each,
    )


def _timed(plan: Plan, cells: tuple[int, ...], seeds: int) -> Cost:
    """Return what some cells take with so many seeds: played anew, and with what was remembered of that."""
    own = Plan(plan.spec)
    part = Part(0, (Unit(cells, 0, seeds),))
    times = [time.thread_time()]
    for _ in range(2):
        played = play_part(own, part, Stop())
        sound = {cell: one for cell, one in sorted(played.histograms.items()) if cell not in played.failed}
        rows = {name: rows_table(own, name, played) for name in block_tables(own.spec.detail)}
        of_rows = sum(map(_size_of_rows, rows.values()))
        of_cells = _size_of_rows(TABLES["histograms"].rows(sound, own.layout))
        times.append(time.thread_time())
    results = [cell_result(own, cell, seeds, one.summaries()) for cell, one in sound.items()]
    of_cells += _size_of_rows(cells_table(results, own.layout))
    summed = time.thread_time() - times[2]
    again = times[2] - times[1]
    return Cost(max(0.0, times[1] - times[0] - again), again, summed, of_rows, of_cells)


def _size_of_rows(table: pa.Table) -> int:
    return _size(table) - _size(table.slice(0, 0))


def _size(table: pa.Table, footer: dict[str, str] | None = None) -> int:
    sink = BytesIO()
    write_table(table, sink, footer)
    return sink.tell()


def _check_seconds(plan: Plan) -> float:
    """Return what the check of a sample takes, from a few of its sessions."""
    sample = sampled_sessions(plan, SESSIONS_TO_CHECK)
    places = affordable(plan, sample[:: max(1, len(sample) // _SESSIONS_TO_COMPARE)][:_SESSIONS_TO_COMPARE])
    some = [sample[place] for place in places]
    started = time.thread_time()
    for cell, position in some:
        compare_with_scalar(plan, cell, position)
    return (time.thread_time() - started) / max(1, len(some)) * len(sample)
