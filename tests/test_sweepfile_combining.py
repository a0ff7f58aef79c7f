"""Axes together: the four ways to combine, the number of cells, values that do not go together."""

import time

import pytest
from sweep_texts import AXES, parsed, problems, sweep_text

from vecdecay.sweepfile.axes import Listed

THRESHOLDS = '[[axis]]\nparameter = "ebbinghaus.eviction_threshold"\nvalues = [0.1, 0.2]\n'
POINTS = '[[point]]\n"ebbinghaus.eviction_threshold" = 0.1\n'


@pytest.mark.parametrize(
    ("combine", "rest", "line"),
    [
        ("grid", POINTS, "point: is given; allowed only with combine = \"points\", not 'grid'"),
        ("points", "", 'point: missing; allowed: at least one [[point]] with combine = "points"'),
        ("points", THRESHOLDS + POINTS, 'axis: is given; allowed with combine = "points": [[point]] only'),
        ("points", "[[point]]\n[[point]]", "point: names no parameter; allowed: at least one, as LABEL.parameter"),
        ("zip", AXES, 'axis: hold 3, 5 values; allowed with combine = "zip": equally many on each axis'),
        ("random", THRESHOLDS, 'sweep.random_points: missing; allowed: an integer from 1, with combine = "random"'),
        ('random"\nrandom_points = 3\n#"', "", 'axis: missing; allowed: at least one [[axis]] with combine = "random"'),
        ('grid"\nrandom_points = 3\n#"', "", 'sweep.random_points: is 3; allowed only with combine = "random"'),
        ('zip"\nrandom_seed = 0\n#"', "", 'sweep.random_seed: is 0; allowed only with combine = "random"'),
    ],
)
def test_keys_that_do_not_fit_the_way_to_combine(combine: str, rest: str, line: str) -> None:
    """Each is one line, and the only one."""
    assert problems(sweep_text(sweep=f'combine = "{combine}"', rest=rest)) == [line]


def test_a_sweep_without_axes_is_one_point() -> None:
    """Neither grid nor zip needs an axis."""
    assert parsed().axes == parsed(sweep='combine = "zip"').axes == ()


def test_points_may_be_written_in_both_ways_and_leave_gaps() -> None:
    """Quoted and dotted keys are the same; a gap takes the value of the policy's own table."""
    rest = POINTS + "[[point]]\nrecency_window.window_size = 3\n[[point]]\nebbinghaus.eviction_threshold = 0.3\n"
    spec = parsed(sweep='combine = "points"', curve="eviction_threshold = 0.25", rest=rest)
    assert {axis.parameter: axis.values for axis in spec.axes} == {
        "ebbinghaus.eviction_threshold": Listed((0.1, 0.25, 0.3)),
        "recency_window.window_size": Listed((15.0, 3.0, 15.0)),
    }


def test_every_mistake_in_points_is_named() -> None:
    """Wrong values, unknown parameters, and one that stands in both spellings."""
    rest = '[[point]]\nx = 1\n"ebbinghaus.eviction_threshold" = 2\n' + POINTS + "ebbinghaus.eviction_threshold = 0.1\n"
    lines = problems(sweep_text(sweep='combine = "points"', rest=rest))
    assert [line.split(";")[0] for line in lines] == [
        "point[1].x: 'x' is no parameter of this sweep",
        "point[1].'ebbinghaus.eviction_threshold': is 2",
        "point[2].ebbinghaus.eviction_threshold: is repeated in this point",
    ]


def spaced(parameter: str, count: int) -> str:
    """Return an axis with many values."""
    return f'[[axis]]\nparameter = "{parameter}"\nlinspace = {{ from = 0.1, to = 0.9, count = {count} }}\n'


def test_too_many_cells_are_refused_from_arithmetic() -> None:
    """10¹² cells are counted, not made; the limits themselves are allowed."""
    start = time.process_time()
    million = 1_000_000
    huge = spaced("ebbinghaus.eviction_threshold", million) + spaced("recency_window.window_size", million)
    assert problems(sweep_text(rest=huge)) == [
        "sweep.combine: 1,000,000,000,000 points × 2 policies are 2,000,000,000,000 cells; "
        "allowed for grid: at most 10,000,000"
    ]
    one = spaced("ebbinghaus.eviction_threshold", 5 * million)
    assert len(parsed(rest=one).axes[0].values) == 5 * million
    assert "allowed for zip: at most 1,000,000" in problems(sweep_text(sweep='combine = "zip"', rest=one))[0]
    drawn = 'combine = "random"\nrandom_points = {}'
    assert parsed(sweep=drawn.format(500_000), rest=one).random_points == 500_000
    assert "1,000,002 cells" in problems(sweep_text(sweep=drawn.format(500_001), rest=one))[0]
    assert time.process_time() - start < 2


def test_values_that_do_not_go_together_name_the_point() -> None:
    """Each end of the jitter is allowed; in this order they are not."""
    axis = '[[axis]]\nparameter = "workload.recall_jitter_range"\nvalues = [[0.7, 1.3], [1.3, 0.7]]\n'
    assert problems(sweep_text(rest=AXES + axis)) == [
        "workload: recall_jitter_range is (1.3, 0.7); allowed: the smaller factor first (at point 2)"
    ]
    point = '[[point]]\n"workload.recall_jitter_range" = [2, 1]\n'
    assert problems(sweep_text(sweep='combine = "points"', rest=point))[0].endswith("(at point 1)")


def test_a_table_whose_own_values_do_not_go_together() -> None:
    """Found before any axis is looked at."""
    assert problems(sweep_text(workload="recall_jitter_range = [2, 1]")) == [
        "workload: recall_jitter_range is (2.0, 1.0); allowed: the smaller factor first"
    ]


def test_mistakes_that_differ_in_numbers_alone_are_counted() -> None:
    """The first three are listed with their points, then how many more there are; another kind has lines of its own."""
    axes = [
        ("workload.silence_turns", "[10, 100, 200, 300]"),
        ("workload.session_length", "[100, 200, 1000]"),
        ("workload.noise_per_turn", "[1, 0.5]"),
    ]
    rest = "".join(f'[[axis]]\nparameter = "{name}"\nvalues = {values}\n' for name, values in axes)
    text = sweep_text(rest=rest).replace('"published_sessions"', '"establish_silence_resurface"')
    schedule = "which registration, establishment, silence and return take"
    assert problems(text) == [
        "workload: noise_per_turn is 0.5; allowed with noise_process constant: a whole number (at point 2)",
        f"workload: session_length is 100; allowed: at least 141, {schedule} (at point 7)",
        f"workload: session_length is 100; allowed: at least 241, {schedule} (at point 13)",
        f"workload: session_length is 200; allowed: at least 241, {schedule} (at point 15)",
        "workload: … and 2 more such, the next at point 19",
    ]


def test_mistakes_beyond_the_points_that_are_tried_are_not_counted() -> None:
    """So there may be more."""
    rest = '[[axis]]\nparameter = "workload.session_length"\nrange = { from = 1, to = 10000 }\n'
    text = sweep_text(workload="registered_within = 9000", rest=rest).replace("published_sessions", "never_recalled")
    text = text.replace("registered_within = 9000", "registered_within = 9000\nsession_length = 9000")
    *listed, more = problems(text)
    assert len(listed) == 3
    assert more == "workload: … and at least 4,093 more such, the next at point 4"
