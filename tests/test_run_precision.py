"""Tests of vecdecay.run.precision: intervals are as narrow as asked for, and cover as they do without a pilot."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from command_line import type_in
from sweep_runs import digest_of

import vecdecay as vd
from vecdecay.analysis.cell import MetricSummary
from vecdecay.analysis.intervals import rate_interval
from vecdecay.analysis.moments import Summary
from vecdecay.errors import InvalidInputError
from vecdecay.run.precision import METRICS, PILOT, sessions_needed, with_precision
from vecdecay.run.sweep import run_sweep
from vecdecay.sweepfile.spec import parse_sweep

SWEEP = """
schema = 1
sweep = { name = "narrow", seeds = { first = 40, count = 3 } }
workload = { kind = "recency_biased", session_length = 40, num_foundational = 5, noise_per_turn = 0 }
policy = [{ kind = "recency_window", window_size = 3 }, { kind = "ebbinghaus" }, { kind = "keep_all" }]
"""


def summary_of(rates: Any, nulls: int = 0) -> MetricSummary:
    """Return the summary of rates, and of sessions that have none."""
    spread = float(rates.std(ddof=1))
    counted = Summary(len(rates), nulls, float(rates.mean()), spread, float(rates.min()), float(rates.max()), False)
    return MetricSummary(counted, None, None)


def drawn(generator: np.random.Generator, mean: float, correlation: float, count: int) -> Any:
    """Return rates of four recalls each, which hit alike in a session the more they are correlated."""
    scale = (1 - correlation) / correlation
    return generator.binomial(4, generator.beta(mean * scale, (1 - mean) * scale, count)) / 4


def coverage(mean: float, correlation: float, precision: float, samples: int) -> tuple[float, float]:
    """Return the share of samples whose interval holds the mean, and of those whose interval is narrow enough."""
    generator = np.random.default_rng([int(mean * 100), int(correlation * 100)])
    holds, narrow = 0, 0
    for _ in range(samples):
        pilot = drawn(generator, mean, correlation, PILOT)
        needed = max(PILOT, sessions_needed([summary_of(pilot)], precision))
        more = drawn(generator, mean, correlation, max(0, needed - PILOT))
        rates = np.concatenate([pilot, more])[:needed]  # the sessions of the pilot are played again
        low, high = rate_interval(float(rates.mean()), float(rates.std(ddof=1)), needed)
        holds += low <= mean <= high
        narrow += (high - low) / 2 <= precision
    return holds / samples, narrow / samples


def expect_coverage(samples: int, least: float, most: float) -> None:
    """Fail unless the intervals cover, and hardly any is too wide; samples of 1,000 sessions to 10,000."""
    found = [
        coverage(mean, correlation, precision, samples)
        for mean, correlation, precision in (
            (0.5, 0.3, 0.01), (0.8, 0.1, 0.01), (0.95, 0.5, 0.01), (0.3, 0.9, 0.015), (0.9, 0.2, 0.015),
        )
    ]  # fmt: skip
    assert least < sum(held for held, _ in found) / len(found) < most
    assert min(held for held, _ in found) > least - 0.02
    assert min(narrow for _, narrow in found) > 0.95


def test_a_number_that_a_pilot_chose_keeps_the_coverage() -> None:
    """The number of sessions depends on the first of them, and yet 95 of 100 intervals hold the mean."""
    expect_coverage(120, 0.93, 0.97)


@pytest.mark.thorough
def test_a_number_that_a_pilot_chose_keeps_the_coverage_of_many_samples() -> None:
    """The same, between 94 and 96.5 % as everywhere."""
    expect_coverage(4000, 0.94, 0.965)


def test_one_session_less_would_be_too_wide() -> None:
    """Without the reserve; sessions without a value are none."""
    rates = drawn(np.random.default_rng(3), 0.8, 0.2, 2000)
    mean, spread = float(rates.mean()), float(rates.std(ddof=1))

    def half_width(count: int) -> float:
        low, high = rate_interval(mean, spread, count)
        return (high - low) / 2

    least = next(count for count in range(2, 10**6) if half_width(count) <= 0.012)
    reserve = 1 + 5 / math.sqrt(2000)
    assert sessions_needed([summary_of(rates)], 0.012) == math.ceil(reserve * least)
    assert sessions_needed([summary_of(rates, nulls=6000)], 0.012) == math.ceil(4 * reserve * least)
    without = replace(summary_of(rates).summary, count=0, mean=None)
    assert sessions_needed([MetricSummary(without, None, None)], 0.012) == 1


def test_the_widest_interval_decides() -> None:
    """Wherever it stands."""
    generator = np.random.default_rng(4)
    wide, narrow = (summary_of(drawn(generator, mean, 0.3, 2000)) for mean in (0.5, 0.95))
    expected = sessions_needed([wide], 0.01)
    assert expected == sessions_needed([wide, narrow], 0.01) == sessions_needed([narrow, wide], 0.01)
    assert expected > 2 * sessions_needed([narrow], 0.01)


def test_every_cell_is_as_narrow_as_asked_for(tmp_path: Path) -> None:
    """The widest interval decides, seeds begin where the file says, and the run is that of so many seeds."""
    spec = parse_sweep(SWEEP)
    run = vd.sweep(spec, tmp_path / "narrow", precision=0.004)
    assert run.spec.seeds[0] == 40
    assert len(run.spec.seeds) > 4 * PILOT
    rows = run.cells.to_pylist()
    assert len(rows) == 3
    widths = [(row[f"{name}_high"] - row[f"{name}_low"]) / 2 for row in rows for name in METRICS]
    assert 0.85 * 0.004 < max(widths) <= 0.004
    run_sweep(replace(spec, seeds=run.spec.seeds), tmp_path / "counted")
    assert digest_of(tmp_path / "narrow") == digest_of(tmp_path / "counted")


def test_the_number_does_not_depend_on_the_threads_or_the_detail() -> None:
    """It is found again when an interrupted run goes on."""
    spec = parse_sweep(SWEEP)
    numbers = {
        len(with_precision(replace(spec, detail=detail), 0.006, threads).seeds)
        for detail in ("cells", "items")
        for threads in (1, 3)
    }
    assert len(numbers) == 1


@pytest.mark.parametrize("precision", [0, -1.0, 0.5, math.nan, math.inf, True, "0.1"])
def test_what_is_no_precision_is_refused(precision: Any, tmp_path: Path) -> None:
    """In one line, and nothing is played."""
    with pytest.raises(InvalidInputError, match=r"precision .*; allowed: a number above 0 and below 0.5$"):
        vd.sweep(parse_sweep(SWEEP), tmp_path / "run", precision=precision)
    assert list(tmp_path.iterdir()) == []


def test_sessions_that_are_given_are_not_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A log, a list of seeds, a number of seeds beside it: all mistakes at once."""
    log = tmp_path / "log.csv"
    log.write_text("session,turn,item\na,1,x\na,2,x\n")
    text = SWEEP.replace("workload = { kind", "#").replace("{ first = 40, count = 3 }", "1")
    lines = text.replace("#", f'trace = {{ path = "{log}" }}\n#')
    (tmp_path / "log.toml").write_text(lines)
    ending = type_in(capsys, "run", str(tmp_path / "log.toml"), "--precision", "0.7", "--quiet")
    assert ending.code == 2
    assert ending.err.splitlines() == [
        "vecdecay: --precision 0.7; allowed: a number above 0 and below 0.5",
        "vecdecay: --precision decides how many sessions are played; allowed where these are seeded, not recorded",
    ]
    ending = type_in(capsys, "run", "headline", "--precision", "0.1", "--seeds", "3,1", "--quiet")
    assert ending.code == 2
    assert ending.err.splitlines() == [
        "vecdecay: --precision decides how many seeds are played; allowed with a count of seeds, not with a list",
        "vecdecay: --precision decides how many seeds are played; allowed without --seeds",
    ]


def test_the_command_says_how_many(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On the standard error, and the results are those of so many sessions."""
    monkeypatch.chdir(tmp_path)
    ending = type_in(capsys, "run", "headline", "--precision", "0.01", "--quiet")
    assert ending.code == 0
    (told,) = ending.err.splitlines()
    number, rest = told.split(" ", 1)
    assert rest == "sessions make the intervals ± 0.01 or narrower"
    assert f"{number} sessions of published_sessions under each of 2 policies" in ending.out
