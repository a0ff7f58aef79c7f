"""A sweep written out in full: it reads back as itself, and its digest is its meaning and nothing else."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest
import tomli_w
from conftest import examples
from hypothesis import given, settings
from sweep_texts import AXES, parsed, sweep_text, sweeps

from vecdecay.sweepfile.resolved import differences, resolved_toml
from vecdecay.sweepfile.spec import parse_sweep


@settings(max_examples=examples(250))
@given(sweeps() | sweeps(few=True))
def test_the_full_text_reads_back_as_the_same_sweep(raw: dict[str, Any]) -> None:
    """Same sweep, down to the type of every value; same text again; same digest; no difference."""
    spec = parse_sweep(tomli_w.dumps(raw))
    text = resolved_toml(spec)
    again = parse_sweep(text, "sweep.toml")
    assert again == spec
    assert repr(again) == repr(spec)
    assert resolved_toml(again) == text
    assert again.digest == spec.digest
    assert differences(again, spec) == []


def test_every_default_is_written_out() -> None:
    """Each key of the sweep, and each parameter of the workload and of every policy."""
    spec = parsed(sweep='combine = "random"\nrandom_points = 3', rest=AXES)
    text = resolved_toml(spec)
    keys = ["title", "note", "detail", "engine", "checkpoints", "metrics", "combine", "random_points", "random_seed"]
    keys += [*spec.workload.values(), *(name for entry in spec.policies for name in entry.policy.values())]
    assert all(f"\n{key} = " in text for key in keys)
    assert text.count("\nlabel = ") == 2


@pytest.mark.parametrize(
    "lines",
    [
        {"sweep": 'title = "x"\nnote = "y"\nmetrics = ["misses"]'},
        {"sweep": "seeds = { first = 0, count = 20 }"},
        {"sweep": f"seeds = {{ list = {list(range(20))} }}"},
        {"curve": 'label = "ebbinghaus"\neviction_threshold = 0.2'},
        {"workload": "noise_per_turn = 3\nrecall_base_offsets = [3, 8, 20, 45, 90, 150]"},
        {"curve": "baseline_stability = 8"},
    ],
)
def test_what_does_not_change_results_does_not_change_the_digest(lines: dict[str, str]) -> None:
    """What is only shown, another way to write the same, a default written out."""
    assert parsed(**lines).digest == parsed().digest
    assert differences(parsed(**lines), parsed()) == []


def test_infinity_is_written_and_has_a_meaning() -> None:
    """TOML writes it, JSON cannot; the digest is that of plain JSON all the same."""
    spec = parsed(curve="max_stability = inf")
    assert "max_stability = inf" in resolved_toml(spec)
    assert parse_sweep(resolved_toml(spec)) == spec == parsed()
    assert differences(spec, parsed(curve="max_stability = 9")) == ["policy[1].max_stability: 'inf' and 9.0"]
    assert json.loads(json.dumps(spec.meaning(), allow_nan=False)) == spec.meaning()


def test_the_name_is_only_a_name() -> None:
    """A folder may be renamed together with its sweep."""
    assert parse_sweep(sweep_text().replace("small", "other")).digest == parsed().digest


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        ({"sweep": "seeds = 21"}, "sweep.seeds.count: 20 and 21"),
        ({"sweep": "seeds = { list = [1, 3] }"}, "sweep.seeds.first: 0 and absent"),
        ({"sweep": "detail = 'items'"}, "sweep.detail: 'cells' and 'items'"),
        ({"sweep": "checkpoints = [3]"}, "sweep.checkpoints: [] and [3]"),
        ({"sweep": "engine = 'lockstep'"}, "sweep.engine: 'auto' and 'lockstep'"),
        ({"curve": "eviction_threshold = 0.3"}, "policy[1].eviction_threshold: 0.2 and 0.3"),
        ({"window": "label = 'w'"}, "policy[2].label: 'recency_window' and 'w'"),
        ({"workload": "recall_jitter_range = [0.7, 1.4]"}, "workload.recall_jitter_range: [0.7, 1.3] and [0.7, 1.4]"),
        ({"rest": "[[policy]]\nkind = 'keep_all'"}, "policy[3].kind: absent and 'keep_all'"),
        ({"rest": AXES}, "axis[1].values: absent and [0.1, 0.2, 0.3]"),
    ],
)
def test_what_changes_results_changes_the_digest_and_is_named(lines: dict[str, str], line: str) -> None:
    """The key and both values, in either direction."""
    other = parsed(**lines)
    assert other.digest != parsed().digest
    assert line in differences(parsed(), other)
    assert {one.split(":")[0] for one in differences(other, parsed())} == {
        one.split(":")[0] for one in differences(parsed(), other)
    }


def test_a_value_that_an_axis_replaces_means_nothing() -> None:
    """Only the values on the axis are ever played."""
    assert parsed(curve="eviction_threshold = 0.4", rest=AXES).digest == parsed(rest=AXES).digest


@settings(max_examples=examples(60))
@given(sweeps(few=True), sweeps(few=True))
def test_sweeps_have_one_digest_where_they_have_no_difference(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Digest and differences agree, and the meaning is plain data."""
    left, right = parse_sweep(tomli_w.dumps(one)), parse_sweep(tomli_w.dumps(other))
    assert (left.digest == right.digest) == (differences(left, right) == [])
    assert json.loads(json.dumps(left.meaning())) == json.loads(json.dumps(parse_sweep(resolved_toml(left)).meaning()))


def test_the_digest_does_not_depend_on_the_process() -> None:
    """Another process with another hash seed and locale gives the same digest and the same text."""
    code = "import sys; from vecdecay.sweepfile.spec import *; from vecdecay.sweepfile.resolved import *\n"
    code += "spec = parse_sweep(sys.stdin.read()); print(spec.digest, repr(resolved_toml(spec)))"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            input=sweep_text(rest=AXES),
            capture_output=True,
            text=True,
            check=True,
            env=os.environ | {"PYTHONHASHSEED": seed, "LC_ALL": "C", "PYTHONPATH": os.pathsep.join(sys.path)},
        ).stdout
        for seed in ("1", "2")
    }
    spec = parsed(rest=AXES)
    assert outputs == {f"{spec.digest} {resolved_toml(spec)!r}\n"}
