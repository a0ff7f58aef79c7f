"""Predictions: counts exact, memory within 15 % of real peaks, bounded whatever the size, quick whatever the sweep."""

import pytest
from effort import calls_made
from sweep_peaks import measured, needs_proc
from sweep_runs import small_sweep, small_text

from vecdecay.engines.registry import AUTO, ENGINES, REGISTRY
from vecdecay.policies import ActR, Ebbinghaus
from vecdecay.run.parts import parts_of
from vecdecay.run.plan import make_plan
from vecdecay.run.predict import predict
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
    """Disk, memory and time rise with seeds, threads do not cost time, and nothing is negative."""
    few, many = (predict(parse_sweep(headline(seeds, "sessions")), threads=2) for seeds in (1000, 10_000_000))
    assert 0 < few.disk_bytes < many.disk_bytes
    assert 0 < few.memory_bytes < many.memory_bytes
    assert 0 < few.seconds < many.seconds
    one, four = (predict(parse_sweep(headline(10_000_000, "sessions")), threads) for threads in (1, 4))
    assert four.seconds < one.seconds
    assert four.memory_bytes > one.memory_bytes


@pytest.mark.parametrize("engine", ENGINES)
def test_every_engine_has_a_time_for_every_policy_that_it_plays(engine: str) -> None:
    """Whichever engine is asked for or chosen, a sweep with a policy that it plays is predicted."""
    for policy in (Ebbinghaus(), ActR()):
        if engine == AUTO or REGISTRY[engine].can_play(policy):
            text = f'{headline(10, engine=engine).split("policy =")[0]}policy = [{{ kind = "{policy.name}" }}]'
            assert predict(parse_sweep(text, "one.toml")).seconds > 0.0


def test_the_million_and_the_billion_keep_to_their_bounds() -> None:
    """700 MB for a million sessions with their rows, 400 MB for a billion with their histograms, on two processors."""
    assert predict(parse_sweep(headline(1_000_000, "sessions")), threads=2).memory_bytes < 700e6
    assert predict(parse_sweep(headline(1_000_000_000)), threads=2).memory_bytes < 400e6


def test_memory_is_bounded_whatever_the_number_of_cells_and_seeds() -> None:
    """Once a part is full and a band of cells as well, nothing grows any more."""
    large = predict(parse_sweep(headline(10_000, "sessions", count=200)), threads=2)
    huge = predict(parse_sweep(headline(10_000_000, "sessions", count=2000)), threads=2)
    assert huge.cells == 100 * large.cells
    assert huge.memory_bytes == large.memory_bytes


@pytest.mark.parametrize("combine", ["grid", "random"])
def test_millions_of_cells_are_predicted_at_once(combine: str) -> None:
    """--dry-run of the largest sweeps that a file can ask for takes far fewer calls than there are cells."""
    more = ', combine = "random", random_points = 500_000 }' if combine == "random" else " }"
    text = headline(1000, count=2000).replace('engine = "auto" }', f'engine = "auto"{more}')
    spec = parse_sweep(text)
    found, calls = calls_made(lambda: predict(spec))
    assert found.cells == (1_000_000 if combine == "random" else 8_000_000)
    assert calls < 100_000


def test_parts_stay_small_where_an_axis_makes_sessions_larger() -> None:
    """The rows of a part are counted with the largest sessions on the axes, wherever in a list the value stands."""
    axis = '[[axis]]\nparameter = "workload.noise_per_turn"\nvalues = [1, 2000, 10]\n'
    spec = parse_sweep(small_text("items", seeds=1000, axes=False, more=axis))
    largest = max(part.plays for part in parts_of(make_plan(spec)))
    assert largest <= 1_000_000 // (2 + 25 * 2000)
    assert predict(spec).memory_bytes < 700e6


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
    expected = predict(parse_sweep(text), threads)
    found = measured(text, threads, folder)
    assert 0.85 < expected.memory_bytes / found["peak"] < 1.15
    assert 0.2 < expected.disk_bytes / found["size"] < 5


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
    """Beyond a band of cells, six times as many take no more: nothing is kept of a cell that was summed up."""
    few, many = (measured(headline(2, count=count), 2, f"{tmp_path}/run")["peak"] for count in (65, 160))
    assert many < 1.08 * few
