"""Predictions: counts exact, memory within 15 % of real peaks, bounded whatever the size, quick whatever the sweep."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from effort import calls_made
from sweep_peaks import measured, needs_proc
from sweep_runs import small_sweep, small_text

from vecdecay.engines.registry import AUTO, ENGINES, REGISTRY
from vecdecay.policies import ActR, Ebbinghaus
from vecdecay.run import predict as module
from vecdecay.run.parts import Part, parts_of, plays_at_once
from vecdecay.run.plan import Plan, make_plan
from vecdecay.run.play import Played, Stop, play_part
from vecdecay.run.predict import predict
from vecdecay.run.predict_memory import memory_bytes
from vecdecay.run.sweep import run_sweep
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.spec import parse_sweep

HEADLINE = """
schema = 1
sweep = {{ name = "headline", seeds = {seeds}, detail = "{detail}", engine = "{engine}" }}
workload = {{ kind = "published_sessions" }}
policy = [{{ kind = "ebbinghaus" }}, {{ kind = "recency_window" }}]
"""
GRID = """
axis = [
    {{ parameter = "ebbinghaus.eviction_threshold", linspace = {{ from = 0.1, to = 0.8, count = {count} }} }},
    {{ parameter = "ebbinghaus.baseline_stability", linspace = {{ from = 2.0, to = 20.0, count = {count} }} }},
]
"""


def headline(seeds: int, detail: str = "cells", engine: str = "auto", count: int = 0) -> str:
    """Return the published headline with so many seeds, or a grid of ``count`` × ``count`` points around it."""
    text = HEADLINE.format(seeds=seeds, detail=detail, engine=engine)
    return text + (GRID.format(count=count) if count else "")


def bound_of(text: str, threads: int) -> int:
    """Return how much memory a sweep takes at most with so many threads."""
    plan = make_plan(parse_sweep(text))
    parts = -(-plan.num_sessions // plays_at_once(plan))
    return memory_bytes(plan, min(threads, parts))


def test_counts_are_those_of_the_plan() -> None:
    """Cells, cells that are played, sessions and rows: what the run will make, to the last one."""
    found = predict(small_sweep("sessions"))
    assert (found.cells, found.distinct_cells, found.sessions, found.rows) == (12, 8, 240, 252)
    items = predict(small_sweep("items", axes=False))
    # Two foundational items and one of noise in each of 25 turns.
    assert items.rows == 2 + 40 + 40 * 27
    assert predict(small_sweep("turns", axes=False)).rows == 2 + 40 + 40 * 25
    assert predict(small_sweep("cells")).rows == 12


def test_more_of_anything_takes_no_less() -> None:
    """Disk and memory grow with seeds and threads, and nothing is negative."""
    few, many = (predict(parse_sweep(headline(seeds, "sessions")), threads=2) for seeds in (1000, 1_000_000))
    assert 0 < few.disk_bytes < many.disk_bytes
    assert 0 < few.memory_bytes < many.memory_bytes
    assert few.seconds > 0
    one, four = (bound_of(headline(10_000_000, "sessions"), threads) for threads in (1, 4))
    assert four > one


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_has_a_time_for_every_policy_that_it_plays(engine: str) -> None:
    """Whichever engine is asked for or chosen, a sweep with a policy that it plays is predicted."""
    for policy in (Ebbinghaus(), ActR()):
        if engine == AUTO or REGISTRY[engine].can_play(policy):
            text = f'{headline(10, engine=engine).split("policy =")[0]}policy = [{{ kind = "{policy.name}" }}]'
            assert predict(parse_sweep(text, "one.toml")).seconds > 0.0


def test_the_million_and_the_billion_keep_to_their_bounds() -> None:
    """700 MB for a million sessions with their rows, 400 MB for a billion with their histograms, on two processors."""
    assert bound_of(headline(1_000_000, "sessions"), 2) < 700e6
    assert bound_of(headline(1_000_000_000), 2) < 400e6


def test_memory_is_bounded_whatever_the_number_of_cells_and_seeds() -> None:
    """Once a part is full and a band of cells as well, nothing grows any more."""
    large, huge = headline(10_000, "sessions", count=200), headline(10_000_000, "sessions", count=2000)
    assert make_plan(parse_sweep(huge)).num_cells == 100 * make_plan(parse_sweep(large)).num_cells
    assert bound_of(huge, 2) == bound_of(large, 2)


def test_millions_of_cells_are_predicted_from_a_few() -> None:
    """Some cells are played whatever their number: the largest grid that a file can ask for takes no more."""
    few, many = (
        calls_made(lambda count=count: predict(parse_sweep(headline(10, count=count)))) for count in (20, 2000)
    )
    assert many[0].cells == 8_000_000
    assert many[1] < 2 * few[1]


class Clock:
    """A processor's clock that goes on by what is played, so that no other process changes what is predicted."""

    def __init__(self) -> None:
        """Begin at 0."""
        self.seconds = 0.0

    def thread_time(self) -> float:
        """Return the time."""
        return self.seconds

    def process_time(self) -> float:
        """Return the time that it took to begin."""
        return 2.0


@pytest.mark.parametrize("seeds", [1, 40, 100_000])
def test_time_is_extrapolated_from_what_was_played(seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that takes a millisecond for each session, and a cell that is summed up none: the run takes as many, to
    the last one, beside its start and the check.
    """
    clock = Clock()

    def play(plan: Plan, part: Part, stop: Stop) -> Played:
        clock.seconds += 1e-3 * part.plays
        assert clock.seconds < 20
        few = replace(part, units=tuple(replace(unit, last=min(unit.last, 50)) for unit in part.units))
        return play_part(plan, few, stop)

    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "play_part", play)
    monkeypatch.setattr(module, "compare_with_scalar", lambda *_: setattr(clock, "seconds", clock.seconds + 0.01))
    spec = small_sweep("cells", seeds=seeds)
    played = 1e-3 * 12 * seeds
    checked = 0.01 * min(100, 12 * seeds)
    assert predict(spec, 1).seconds == pytest.approx(2.0 + played + checked)
    assert predict(spec, 1000).seconds == pytest.approx(2.0 + max(checked, played / plays_in_parts(spec)))


@pytest.mark.parametrize("step", [0.0, -1.0])
def test_a_clock_that_goes_back_does_not_keep_it(step: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where a person's own file replaces the functions of time: of a billion seeds some are timed."""
    clock, played = Clock(), []

    def play(plan: Plan, part: Part, stop: Stop) -> Played:
        clock.seconds += step
        played.append(part.plays)
        few = replace(part, units=tuple(replace(unit, last=min(unit.last, 50)) for unit in part.units))
        return play_part(plan, few, stop)

    monkeypatch.setattr(module, "time", clock)
    monkeypatch.setattr(module, "play_part", play)
    assert predict(parse_sweep(headline(10**9)), 1).seconds >= 0.0
    assert 100_000 < max(played) < 10_000_000


@pytest.mark.parametrize("seeds", [3, 70])
def test_the_work_that_is_predicted_is_what_a_run_does(seeds: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted in calls of the plain engine, which no other process changes: within a quarter of those of all parts."""
    spec = small_sweep("cells", seeds=seeds, engine="reference", checkpoints="[]")
    number = 0

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal number
        number += event in ("call", "c_call")

    class Counted:
        thread_time = staticmethod(lambda: float(number))
        process_time = staticmethod(lambda: 0.0)

    monkeypatch.setattr(module, "time", Counted)
    monkeypatch.setattr(module, "_SECONDS_TO_PLAY", 100_000.0)
    monkeypatch.setattr(module, "_check_seconds", lambda _: 0.0)
    sys.setprofile(count)
    try:
        predicted = predict(spec, 1).seconds
    finally:
        sys.setprofile(None)
    plan = make_plan(spec)
    _, made = calls_made(lambda: [play_part(plan, part, Stop()) for part in parts_of(plan)])
    assert predicted == pytest.approx(made, rel=0.25)


def plays_in_parts(spec: SweepSpec) -> int:
    """Return the number of parts of a sweep."""
    return sum(1 for _ in parts_of(make_plan(spec)))


def test_parts_stay_small_where_an_axis_makes_sessions_larger() -> None:
    """The rows of a part are counted with the largest sessions on the axes, wherever in a list the value stands."""
    axis = '[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [1, 2000, 10]\n'
    spec = parse_sweep(small_text("items", seeds=1000, axes=False, more=axis))
    largest = max(part.plays for part in parts_of(make_plan(spec)))
    assert largest <= 1_000_000 // (2 + 25 * 2000)
    assert memory_bytes(make_plan(spec), 2) < 700e6


SHAPES = {
    "million": (headline(700_000, "sessions"), 2),
    "billion": (headline(6_000_000), 2),
    "many cells": (headline(10, count=60), 2),
}
MORE_SHAPES = {
    "million, one thread": (headline(1_000_000, "sessions"), 1),
    "million, four threads": (headline(1_000_000, "sessions"), 4),
    "billion, four threads": (headline(40_000_000), 4),
    "more cells": (headline(20, count=150), 2),
    "cells with many values": (headline(1000, count=80), 2),
    "lockstep": (headline(60_000, engine="lockstep"), 2),
    "items": (headline(15_000, "items"), 2),
    "turns": (headline(20_000, "turns"), 2),
}


def check(shape: tuple[str, int], folder: object) -> None:
    """Compare a prediction with the truth."""
    text, threads = shape
    found = measured(text, threads, folder)
    assert 0.85 < bound_of(text, threads) / found["peak"] < 1.15


def test_the_size_of_the_files_is_predicted(tmp_path: Path, warm_kernels: None) -> None:
    """Rows are written to memory to find it: it is right within a tenth where rows take the room."""
    spec = small_sweep("items", seeds=2000, axes=False)
    run_sweep(spec, tmp_path / "run", check=0)
    size = sum(path.stat().st_size for path in (tmp_path / "run").rglob("*.parquet"))
    assert 0.9 < predict(spec).disk_bytes / size < 1.1


@needs_proc
@pytest.mark.parametrize("name", SHAPES)
def test_peak_memory_is_within_fifteen_percent(name: str, tmp_path: object, warm_streaming: None) -> None:
    """The million's, the billion's and many cells' peaks are what was predicted; disk is of the right size."""
    check(SHAPES[name], f"{tmp_path}/run")


@needs_proc
@pytest.mark.torture
@pytest.mark.parametrize("name", MORE_SHAPES)
def test_peak_memory_of_more_shapes_is_within_fifteen_percent(
    name: str, tmp_path: object, warm_streaming: None
) -> None:
    """The same for other details, engines and numbers of threads."""
    check(MORE_SHAPES[name], f"{tmp_path}/run")


@pytest.fixture(scope="module")
def warm_streaming(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compile all that such runs need: compiling takes memory of its own."""
    for text in (headline(5000, "sessions"), headline(10, count=3), headline(10, "items", "lockstep")):
        measured(text, 1, tmp_path_factory.mktemp("warm") / "run")


@needs_proc
def test_peak_memory_does_not_grow_with_cells_and_seeds(tmp_path: object, warm_streaming: None) -> None:
    """Beyond two bands of cells, three times as many take no more: nothing is kept of a cell that was summed up.

    One band may wait to be written while the next is played, so that fewer than two do not show the whole need.
    """
    few, many = (measured(headline(2, count=count), 2, f"{tmp_path}/run")["peak"] for count in (100, 180))
    assert many < 1.08 * few
