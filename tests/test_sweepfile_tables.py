"""The shape of a sweep file: every unknown key, missing key and wrong type, each in one line."""

import typing

import pytest
from sweep_texts import AXES, parsed, problems, sweep_text

from vecdecay.sweepfile.problems import Findings
from vecdecay.sweepfile.tables import SweepTable, read_tables

NAME = "letters, digits, _ - and . only, at most 100, first a letter, digit or _"


def test_the_words_are_those_of_the_program() -> None:
    """Details and engines of a file are the ones that can be played."""
    from vecdecay.engines.registry import ENGINES
    from vecdecay.run.simulate import DETAILS

    fields = SweepTable.model_fields
    assert typing.get_args(fields["detail"].annotation) == DETAILS
    assert typing.get_args(fields["engine"].annotation) == ENGINES


@pytest.mark.parametrize("name", ["..", ".hidden", "a/b", "a\\\\b", "-x", "", "a b", "a\\n", "x" * 101, "é"])
def test_a_name_is_no_path(name: str) -> None:
    """The name becomes a folder: nothing in it leads elsewhere, or looks like an option."""
    (line,) = problems(sweep_text().replace('"small"', f'"{name}"'))
    assert line.startswith("sweep.name: is ")
    assert line.endswith(f"; allowed: {NAME}")


def test_names_may_hold_dots() -> None:
    """Versions and dates are fine names."""
    assert parsed().name == "small"
    for name in ("v1.2", "_", "2026-01-31", "a..b"):
        assert problems_of_name(name) == []


def problems_of_name(name: str) -> list[str]:
    """Return what is said of a sound file with this name and one fault, without that fault."""
    return problems(sweep_text(top="schema = 2").replace('"small"', f'"{name}"'))[1:]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ({"top": ""}, "schema: missing; allowed: 1"),
        ({"top": "schema = 2"}, "schema: is 2; allowed: 1"),
        ({"top": "schema = true"}, "schema: is True; allowed: 1"),
        ({"top": "schema = 1.0"}, "schema: is 1.0; allowed: 1"),
        ({"top": "schema = 1\nsweeps = 1"}, "sweeps: unknown key; did you mean sweep?"),
        ({"sweep": "detial = 'cells'"}, "sweep.detial: unknown key; did you mean detail?"),
        (
            {"sweep": "detail = 'cell'"},
            "sweep.detail: is 'cell'; allowed: cells, sessions, items, turns or misses; did you mean cells?",
        ),
        (
            {"sweep": "engine = 'fast'"},
            "sweep.engine: is 'fast'; allowed: auto, horizon, stateful, lockstep, cache, capacity or reference",
        ),
        ({"sweep": "combine = 1"}, "sweep.combine: is 1; allowed: grid, zip, points or random"),
        ({"sweep": 'title = "a\\nb"'}, r"sweep.title: is 'a\nb'; allowed: text on one line, at most 200 characters"),
        ({"sweep": f"note = '{'x' * 2001}'"}, "allowed: text of at most 2000 characters"),
        ({"sweep": "checkpoints = [0]"}, "sweep.checkpoints[1]: is 0; allowed: a list of turns from 1 to 2147483647"),
        (
            {"sweep": "checkpoints = [5.0]"},
            "sweep.checkpoints[1]: is 5.0; allowed: a list of turns from 1 to 2147483647",
        ),
        ({"sweep": "checkpoints = 5"}, "sweep.checkpoints: is 5; allowed: a list of turns from 1 to 2147483647"),
        (
            {"sweep": f"checkpoints = {[1] * 1001}"},
            "sweep.checkpoints: has 1,001 entries; allowed: a list of turns from",
        ),
        ({"sweep": "metrics = [1]"}, "sweep.metrics[1]: is 1; allowed: a list of names of metrics"),
        ({"sweep": "random_points = 0"}, "sweep.random_points: is 0; allowed: an integer from 1 to 10,000,000"),
        (
            {"sweep": "random_seed = 2026-01-31"},
            "sweep.random_seed: is datetime.date(2026, 1, 31); allowed: an integer",
        ),
        (
            {"curve": "label = 'a.b'"},
            "policy[1].label: is 'a.b'; allowed: letters, digits, _ and - only, at most 100, not",
        ),
        (
            {"rest": "[[axis]]\nvalues = [1]"},
            "axis[1].parameter: missing; allowed: LABEL.parameter of a policy, workload.parameter, or trace.rule",
        ),
        ({"rest": "[axis]\nvalues = [1]"}, "axis: is {'values': [1]}; allowed: at most 20 tables [[axis]]"),
        ({"rest": "[[policy]]\nlabel = 'x'"}, "policy[3].kind: missing; allowed: the name of a policy"),
        ({"rest": "[[policy]]\nkind = 3"}, "policy[3].kind: is 3; allowed: the name of a policy"),
        ({"rest": "[[axis]]\n" * 21}, "axis: has 21 entries; allowed: at most 20 tables [[axis]]"),
        ({"rest": "[[policy]]\n" * 99}, "policy: has 101 entries; allowed: 1 to 100 tables [[policy]]"),
        (
            {"sweep": "combine = 'points'", "rest": "[[point]]\n" * 10_001},
            "point: has 10,001 entries; allowed: at most 10000 tables [[point]]",
        ),
    ],
)
def test_each_mistake_in_the_shape_is_one_line(lines: dict[str, str], expected: str) -> None:
    """Key, value, what is allowed and the nearest word."""
    found = problems(sweep_text(**lines))
    assert any(expected in line for line in found), found
    assert len({line.split(": ")[0] for line in found}) == len(found)


def test_a_file_that_is_something_else_is_told_what_is_missing() -> None:
    """An empty file lacks four things; sections of a wrong type are named as such."""
    missing = ["schema: missing", "sweep: missing", "policy: missing", "workload: missing"]
    assert [line.split(";")[0] for line in problems("")] == missing
    wrong = problems("schema = 1\nsweep = 1\nworkload = []\npolicy = {}\naxis = 'x'\npoint = [1]")
    assert [line.split(";")[0] for line in wrong] == [
        "sweep: is 1",
        "workload: is []",
        "policy: is {}",
        "axis: is 'x'",
        "point[1]: is 1",
    ]
    assert problems("schema = 1\nsweep = {}\nworkload = {}\npolicy = []") == [
        f"sweep.name: missing; allowed: {NAME}",
        "workload.kind: missing; allowed: the name of a workload",
        "policy: has 0 entries; allowed: 1 to 100 tables [[policy]]",
        *[
            line
            for line in problems("schema = 1\nsweep = {}\nworkload = {}\npolicy = []")
            if "sweep.seeds: missing" in line
        ],
    ]


def test_the_sound_keys_of_a_faulty_table_are_still_read() -> None:
    """So that a mistake in one key does not hide those that depend on another; a faulty entry leaves the others."""
    findings = Findings("f")
    raw = {
        "sweep": {"detail": "cel", "combine": "zip", "nonsense": 1, "metrics": ["x", 1]},
        "policy": [3, {"kind": "keep_all", "label": "a.b", "x": 1}],
        "axis": [{"parameter": "a.b", "range": {"from": 1}}],
        "point": [{"a": 1}, 2],
    }
    file = read_tables(raw, findings)
    assert (file.sweep.detail, file.sweep.combine, file.sweep.metrics, file.sweep.title) == (
        None,
        "zip",
        ["x", None],
        "",
    )
    assert [(one.kind, one.label, one.model_extra) for one in file.policy] == [
        (None, None, {}),
        ("keep_all", None, {"x": 1}),
    ]
    assert file.axis[0].parameter == "a.b"
    assert file.point == [{"a": 1}, None]
    assert file.workload is None
    wrong = [("axis", 0), ("axis", 0, "range", "to"), ("sweep", "metrics", 1), ("policy", 1, "label")]
    assert all(map(findings.concern, wrong))
    assert not any(map(findings.concern, [("sweep", "metrics", 0), ("policy", 1, "kind"), ("point", 0)]))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ({"sweep": "combine = 'x'", "rest": "[[point]]\n" + AXES}, ["sweep.combine"]),
        ({"sweep": "combine = 'random'\nrandom_points = 'x'", "rest": AXES}, ["sweep.random_points"]),
        ({"rest": AXES.replace("values", "vlues").replace("range", "rnge")}, ["axis[1].vlues", "axis[2].rnge"]),
        ({"curve": "label = 3", "rest": AXES}, ["policy[1].label"]),
    ],
)
def test_a_faulty_key_is_no_second_mistake(lines: dict[str, str], expected: list[str]) -> None:
    """What depends on it is not checked."""
    assert [line.split(":")[0] for line in problems(sweep_text(**lines))] == expected
