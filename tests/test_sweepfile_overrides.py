"""Options of the command line on a sweep: what they change, that mistakes in them are told like those of a file."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sweep_texts import AXES, problems, sweep_text

from vecdecay.errors import InvalidInputError
from vecdecay.sweepfile.axes import Axis, IntegerRange, Linspace, Listed, Logspace
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.overrides import Override, apply_overrides
from vecdecay.sweepfile.spec import parse_sweep

THRESHOLD, WINDOW = "ebbinghaus.eviction_threshold", "recency_window.window_size"


def overridden(*options: tuple[str, str], rest: str = "", **lines: str) -> SweepSpec:
    """Return the small sweep with some options."""
    return parse_sweep(sweep_text(rest=rest, **lines), "small.toml", [Override(*option) for option in options])


def refused(option: str, text: str, rest: str = "", **lines: str) -> list[str]:
    """Return what is said of an option, without its own name at the start of the lines."""
    override = Override(option, text)
    return [line.removeprefix(f"{override}: ") for line in problems(sweep_text(rest=rest, **lines), override)]


def test_seeds() -> None:
    """A count, a range whose end is excluded, a list."""
    assert overridden(("--seeds", "1000")).seeds == range(1000)
    assert overridden(("--seeds", "100:200")).seeds == range(100, 200)
    assert overridden(("--seeds", "-5:5")).seeds == range(-5, 5)
    assert overridden(("--seeds", "3,1,4")).seeds == (3, 1, 4)
    assert overridden(("--seeds", f"{2**70}:{2**70 + 2}")).seeds == range(2**70, 2**70 + 2)


def test_words_and_checkpoints() -> None:
    """Detail, engine, the way to combine, turns."""
    spec = overridden(
        ("--detail", "items"), ("--engine", "lockstep"), ("--checkpoints", "100,50"), ("--combine", "zip")
    )
    assert (spec.detail, spec.engine, spec.checkpoints, spec.combine) == ("items", "lockstep", (50, 100), "zip")


def test_one_value_sets_the_parameter_and_removes_its_axis() -> None:
    """Other axes stay as they are."""
    spec = overridden(("--set", f"{THRESHOLD}=0.4"), ("--set", "workload.noise_per_turn=7"), rest=AXES)
    assert spec.base_values("ebbinghaus")["eviction_threshold"] == 0.4
    assert spec.base_values("workload")["noise_per_turn"] == 7
    assert spec.axes == (Axis(WINDOW, IntegerRange(10, 50, 10)),)


def test_several_values_replace_or_add_an_axis() -> None:
    """In its place, or at the end; the last option for a parameter counts."""
    spec = overridden(("--set", f"{THRESHOLD}=0.4"), ("--set", f"{THRESHOLD} = 0.7, 0.6"), rest=AXES)
    assert spec.axes == (Axis(WINDOW, IntegerRange(10, 50, 10)), Axis(THRESHOLD, Listed((0.7, 0.6))))
    spec = overridden(("--set", f"{THRESHOLD}=0.7,0.6"), rest=AXES)
    assert spec.axes[0] == Axis(THRESHOLD, Listed((0.7, 0.6)))
    assert overridden(("--set", f"{WINDOW}=3,4"), ("--set", f"{WINDOW}=5")).axes == ()


def test_rules_replace_or_add_an_axis() -> None:
    """As in a file: both ends are included; what is missing or wrong is reported as in a file."""
    spec = overridden(
        ("--set", f"{THRESHOLD}=linspace(0.1, 0.5, 5)"), ("--set", f"{WINDOW}= range(10,50,10) "), rest=AXES
    )
    assert spec.axes == (Axis(THRESHOLD, Linspace(0.1, 0.5, 5)), Axis(WINDOW, IntegerRange(10, 50, 10)))
    assert overridden(("--set", f"{WINDOW}=range(1,3)")).axes == (Axis(WINDOW, IntegerRange(1, 3, 1)),)
    assert overridden(("--set", f"{WINDOW}=logspace(1,100,3)")).axes == (Axis(WINDOW, Logspace(1.0, 100.0, 3)),)
    assert refused("--set", f"{WINDOW}=linspace(1,3)")[0].startswith("axis[1].linspace.count: missing")
    assert refused("--set", f"{WINDOW}=linspace(1,3,x)")[0].endswith(
        "allowed: one value or a comma list, such as 0.2 or 0.1,0.2"
    )
    assert "is no value" in refused("--set", f"{WINDOW}=linspace(1,3,4,5)")[0]


def test_values_that_are_lists() -> None:
    """As TOML writes them."""
    spec = overridden(("--set", "workload.recall_jitter_range=[1, 2]"))
    assert spec.base_values("workload")["recall_jitter_range"] == (1.0, 2.0)
    spec = overridden(("--set", "workload.recall_base_offsets=[1, 2],[3]"))
    assert spec.axes[0].values == Listed(((1.0, 2.0), (3.0,)))


def test_listed_points_lose_a_parameter_that_is_set() -> None:
    """In both spellings; several values have no place among points."""
    points = f'[[point]]\n"{THRESHOLD}" = 0.1\n{WINDOW} = 9\n[[point]]\n{THRESHOLD} = 0.3\n'
    spec = overridden(("--set", f"{THRESHOLD}=0.4"), rest=points, sweep='combine = "points"')
    assert spec.axes == (Axis(WINDOW, Listed((9.0, 15.0))),)
    assert refused("--set", f"{THRESHOLD}=0.4,0.5", rest=points, sweep='combine = "points"') == [
        'several values make an axis; allowed with combine = "points": one value'
    ]


@pytest.mark.parametrize(
    ("option", "text", "line"),
    [
        (
            "--seeds",
            "many",
            "is 'many'; allowed: a count such as 1000, a range such as 100:200 (200 excluded), or a list such as 3,1,4",
        ),
        ("--seeds", "1:2:3", "is '1:2:3'; allowed: a count"),
        ("--seeds", "0", "sweep.seeds: is 0; allowed: a count from 1"),
        ("--seeds", "5:5", "sweep.seeds.count: is 0; allowed: an integer from 1"),
        ("--seeds", "1,1", "sweep.seeds.list[2]: is 1 again; allowed: each seed once"),
        ("--seeds", "9" * 5000, "is '9"),
        (
            "--detail",
            "cell",
            "sweep.detail: is 'cell'; allowed: cells, sessions, items, turns or misses; did you mean cells?",
        ),
        (
            "--engine",
            "",
            "sweep.engine: is ''; allowed: auto, horizon, stateful, lockstep, cache, capacity or reference",
        ),
        ("--checkpoints", "0", "sweep.checkpoints[1]: is 0; allowed: a list of turns"),
        ("--checkpoints", "5,x y", "'5,x y' is no value; allowed: one value or a comma list"),
        ("--set", "x", "allowed: LABEL.parameter=VALUE, or workload.parameter=VALUE"),
        ("--set", "=3", "allowed: LABEL.parameter=VALUE"),
        ("--set", "ebbinghaus.=3", "allowed: LABEL.parameter=VALUE"),
        ("--set", "ebbinghaus.eviction_threshold=", "'' is no value; allowed: one value or a comma list"),
        ("--set", "ebbinghaus.eviction_threshold=0.1]\nx = [1", r"'0.1]\nx = [1' is no value; allowed"),
        ("--set", "ebbinghaus.eviction_threshold=0.1] # [", "'0.1] # [' is no value; allowed"),
        ("--set", "ebbinghaus.eviction_threshold=" + "[" * 9000, "is no value; allowed"),
        (
            "--set",
            "ebbinghaus.eviction_threshold=2",
            "policy[1].eviction_threshold: is 2; allowed: a finite number above 0 and below 1",
        ),
        (
            "--set",
            "ebbinghaus.eviction_threshold=0.1,nan",
            "axis[1].values[2]: is nan; allowed: a finite number above 0",
        ),
        (
            "--set",
            "ebbinghaus.eviction_threshold=high",
            "policy[1].eviction_threshold: is 'high'; allowed: a finite number",
        ),
        (
            "--set",
            "ebbinghaus.eviction_treshold=0.2",
            "policy[1].eviction_treshold: unknown key; did you mean eviction_threshold?",
        ),
        ("--set", "ebbinghaus.eviction_treshold=1,2", "did you mean ebbinghaus.eviction_threshold?"),
        (
            "--set",
            "ebbinghouse.gain=1",
            "'ebbinghouse' is no label of this sweep; allowed: ebbinghaus, recency_window, workload; did you mean ebb",
        ),
        ("--set", "ebbinghaus.label=x", "label is no parameter; allowed: LABEL.parameter=VALUE"),
        ("--set", "workload.noise_per_trn=1", "workload.noise_per_trn: unknown key; did you mean noise_per_turn?"),
        (
            "--speed",
            "1",
            "unknown option; allowed: --seeds, --set, --detail, --engine, --combine, --checkpoints; did you mean --see",
        ),
    ],
)
def test_a_mistake_in_an_option_is_told_with_the_option(option: str, text: str, line: str) -> None:
    """One line that begins with the option, and says what a file would be told."""
    (found,) = refused(option, text)
    assert line in found
    assert "small.toml" not in found


def test_options_and_the_file_are_told_apart() -> None:
    """Each mistake is told where it was made, also after an axis was taken away before others."""
    options = [Override("--set", f"{WINDOW}=-1,3"), Override("--set", f"{THRESHOLD}=0.4"), Override("--set", "x.y=1")]
    assert [line.split("; ")[0] for line in problems(sweep_text(curve="x = 1", rest=AXES), *options)] == [
        "--set x.y=1: 'x' is no label of this sweep",
        "policy[1].x: unknown key",
        f"--set {WINDOW}=-1,3: axis[1].values[1]: is -1",
    ]


def test_the_tables_of_the_file_are_left_alone() -> None:
    """Applying options changes a copy."""
    raw: dict[str, Any] = {"sweep": {"seeds": 1}, "policy": [{"kind": "keep_all"}], "workload": {}}
    applied, origins, misfits = apply_overrides(raw, [Override("--seeds", "2"), Override("--set", "workload.a=1,2")])
    assert raw == {"sweep": {"seeds": 1}, "policy": [{"kind": "keep_all"}], "workload": {}}
    assert applied["sweep"]["seeds"] == 2
    assert applied["axis"] == [{"parameter": "workload.a", "values": [1, 2]}]
    assert (origins, misfits) == ({("sweep", "seeds"): "--seeds 2", ("axis", 0): "--set workload.a=1,2"}, [])


@pytest.mark.parametrize(
    "text", ["", "sweep = 1", "policy = 1", "policy = [1]", "policy = [{ kind = 1 }]", "workload = 1\naxis = 1"]
)
def test_options_on_a_file_that_is_no_sweep(text: str) -> None:
    """The file's mistakes are told; the options add nothing that would not be so."""
    options = [Override("--seeds", "7"), Override("--set", f"{THRESHOLD}=1,2"), Override("--set", "workload.a=1")]
    assert all(not line.startswith("--") for line in problems("schema = 1\n" + text, *options) if "label" in line)


@given(st.sampled_from(["--seeds", "--set", "--checkpoints"]), st.text(), st.booleans())
def test_any_text_is_read_or_refused_in_one_line(option: str, text: str, named: bool) -> None:
    """No option leads to anything but a sweep or lines."""
    override = Override(option, f"{THRESHOLD}={text}" if named else text)
    lines: tuple[str, ...] = ()
    try:
        parse_sweep(sweep_text(), "small.toml", [override])
    except InvalidInputError as error:
        lines = error.problems
    assert all(line.isprintable() and len(line) < 1000 for line in lines)


def changed(changes: dict[str, Any], rest: str = "", **lines: str) -> SweepSpec:
    """Return the small sweep with values from Python."""
    return parse_sweep(sweep_text(rest=rest, **lines), "small.toml", changes)


def test_values_of_python_change_a_sweep_as_options_do() -> None:
    """Numbers of NumPy, ranges and arrays too; a list is an axis, a tuple one value, a dictionary another form."""
    spec = changed(
        {
            THRESHOLD: np.array([0.1, 0.2]),
            WINDOW: range(10, 50, 10),
            "workload.recall_jitter_range": (0.5, 1.5),
            "workload.noise_per_turn": np.int64(4),
            "ebbinghaus.baseline_stability": {"linspace": {"from": 1.0, "to": 2.0, "count": 3}},
            "seeds": range(100, 200),
            "checkpoints": (50, 100),
            "detail": "sessions",
        }
    )
    options = [
        ("--set", f"{THRESHOLD}=0.1,0.2"),
        ("--set", "workload.recall_jitter_range=[0.5, 1.5]"),
        ("--set", "workload.noise_per_turn=4"),
        ("--seeds", "100:200"),
        ("--checkpoints", "50,100"),
        ("--detail", "sessions"),
    ]
    rest = f'[[axis]]\nparameter = "{THRESHOLD}"\nvalues = [0]\n[[axis]]\nparameter = "{WINDOW}"\n'
    rest += "range = { from = 10, to = 40, step = 10 }\n"
    rest += '[[axis]]\nparameter = "ebbinghaus.baseline_stability"\nlinspace = { from = 1, to = 2, count = 3 }\n'
    assert spec == overridden(*options, rest=rest)
    assert changed({"seeds": [3, 1, 4]}).seeds == (3, 1, 4)
    assert changed({"seeds": 1000, THRESHOLD: 0.4}, rest=AXES).seeds == range(1000)
    assert [axis.parameter for axis in changed({THRESHOLD: 0.4}, rest=AXES).axes] == [WINDOW]


@pytest.mark.parametrize(
    ("name", "value", "line"),
    [
        (
            THRESHOLD,
            [0.1, float("nan")],
            f"set {THRESHOLD}: axis[1].values[2]: is nan; allowed: a finite number above 0",
        ),
        (THRESHOLD, [], f"set {THRESHOLD}: axis[1].values: is empty; allowed: at least one value"),
        (THRESHOLD, None, f"set {THRESHOLD}: policy[1].eviction_threshold: is None; allowed: a finite number above 0"),
        (THRESHOLD, {"linspce": 1}, f"set {THRESHOLD}: axis[1].linspce: unknown key; did you mean linspace?"),
        ("ebbinghaus.gain", 1, "set ebbinghaus.gain: policy[1].gain: unknown key"),
        ("ebbinghouse.gain", 1, "set ebbinghouse.gain: 'ebbinghouse' is no label of this sweep"),
        ("seed", 1, "set seed: unknown key; allowed: LABEL.parameter, or one of name"),
        ("seeds", 0, "set seeds: sweep.seeds: is 0; allowed: a count from 1"),
        ("seeds", [1, 1], "set seeds: sweep.seeds.list[2]: is 1 again"),
        ("detail", 3, "set detail: sweep.detail: is 3; allowed: cells, sessions, items, turns or misses"),
        ("ebbinghaus.\n", 3, "set ebbinghaus.: unknown"),
    ],
)
def test_a_mistake_in_a_value_of_python_is_told_with_its_name(name: str, value: Any, line: str) -> None:
    """One line that begins with the name, and says what a file would be told."""
    with pytest.raises(InvalidInputError) as caught:
        changed({name: value})
    (found,) = caught.value.problems
    assert line in found or name == "ebbinghaus.\n"
    assert found.isprintable()


def test_a_sweep_may_be_a_mapping() -> None:
    """With the keys of the file and values of Python it is the same sweep, and its text reads back as that."""
    tables = {
        "schema": 1,
        "sweep": {"name": "small", "seeds": range(20), "checkpoints": (50,)},
        "workload": {"kind": "published_sessions", "noise_per_turn": np.int64(5)},
        "policy": ({"kind": "ebbinghaus"}, {"kind": "recency_window"}),
        "axis": [{"parameter": THRESHOLD, "values": np.array([0.1, 0.2, 0.3])}],
    }
    axis = f'[[axis]]\nparameter = "{THRESHOLD}"\nvalues = [0.1, 0.2, 0.3]'
    text = sweep_text(sweep="checkpoints = [50]", workload="noise_per_turn = 5", rest=axis)
    assert parse_sweep(tables) == parse_sweep(text)
    for wrong in ({}, {"sweep": None}, {"policy": [{}], 3: 1}):
        with pytest.raises(InvalidInputError, match=r"^sweep: \w+"):
            parse_sweep(wrong)  # type: ignore[arg-type]
