"""From a file to a sweep: defaults, every mistake in one go, files, and that what is written reads back."""

import dataclasses
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from conftest import examples
from hypothesis import given, settings
from sweep_texts import AXES, is_sound, parsed, problems, stands_alone, sweep_text, sweeps

from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES, Ebbinghaus, RecencyWindow
from vecdecay.sessions import WORKLOADS, PublishedSessions
from vecdecay.sweepfile.axes import Axis, IntegerRange, Listed
from vecdecay.sweepfile.model import PolicyEntry, SweepSpec
from vecdecay.sweepfile.overrides import Override
from vecdecay.sweepfile.spec import load_sweep, parse_sweep


def test_a_file_becomes_a_sweep() -> None:
    """Everything said is there, everything else has its default."""
    assert parsed(workload="noise_per_turn = 5", curve="eviction_threshold = 0.3\nlabel = 'curve'") == SweepSpec(
        name="small",
        seeds=range(20),
        workload_kind="published_sessions",
        workload=PublishedSessions(noise_per_turn=5),
        policies=(
            PolicyEntry("curve", "ebbinghaus", Ebbinghaus(eviction_threshold=0.3)),
            PolicyEntry("recency_window", "recency_window", RecencyWindow()),
        ),
    )
    assert parsed(rest=AXES).axes == (
        Axis("ebbinghaus.eviction_threshold", Listed((0.1, 0.2, 0.3))),
        Axis("recency_window.window_size", IntegerRange(10, 50, 10)),
    )


def test_checkpoints_rise_and_stand_once() -> None:
    """Their order in the file means nothing."""
    assert parsed(sweep="checkpoints = [100, 50, 100]").checkpoints == (50, 100)


def test_every_mistake_is_named_in_one_go() -> None:
    """A dozen mistakes in all parts of a file give a dozen lines with the file's name, no more and no less."""
    text = """schema = 3
extra = 1
[sweep]
name = "../up"
seeds = -1
metrics = ["misse", "misses", "misses"]
detail = "cell"
[workload]
kind = "published_sessions"
noise_per_turn = -1
noise = 1
[[policy]]
kind = "ebbinghaus"
evction_threshold = 0.2
baseline_stability = nan
[[policy]]
kind = "ebbinghaus"
[[policy]]
kind = "clock"
label = "workload"
[[axis]]
parameter = "ebbinghaus.window_size"
values = [1]
[[axis]]
parameter = "ebbinghaus.reinforcement_gain"
values = [1, true]
[[axis]]
parameter = "ebbinghaus.reinforcement_gain"
values = [1]
"""
    with pytest.raises(InvalidInputError) as caught:
        parse_sweep(text, "sweeps/x.toml")
    assert all(line.startswith("sweeps/x.toml: ") for line in caught.value.problems)
    assert [line.split(";")[0] for line in problems(text)] == [
        "schema: is 3",
        "sweep.name: is '../up'",
        "sweep.detail: is 'cell'",
        "extra: unknown key",
        "sweep.seeds: is -1",
        "sweep.metrics[1]: is 'misse'",
        "sweep.metrics[3]: is 'misses' again",
        "workload.noise_per_turn: is -1",
        "workload.noise: unknown key",
        "policy[1].evction_threshold: unknown key",
        "policy[1].baseline_stability: is nan",
        "policy[2].label: is 'ebbinghaus' again",
        "policy[3].kind: is 'clock'",
        "policy[3].label: is 'workload'",
        "axis[1].parameter: 'ebbinghaus.window_size' is no parameter of this sweep",
        "axis[2].values[2]: is True",
        "axis[3].parameter: is 'ebbinghaus.reinforcement_gain' again",
    ]
    assert "policy[1].evction_threshold: unknown key; did you mean eviction_threshold?" in problems(text)


@pytest.mark.parametrize(
    "value", ["true", "1" + "0" * 400, "-1" + "0" * 400, "nan", "inf", "'0.2'", "[0.2]", "12:00:00", "{}"]
)
def test_a_number_is_a_number(value: str) -> None:
    """Booleans, texts, dates, NaN and integers beyond every float are refused where a number is wanted."""
    lines = problems(sweep_text(curve=f"eviction_threshold = {value}", workload=f"noise_per_turn = {value}"))
    assert [line.split(":")[0] for line in lines] == ["workload.noise_per_turn", "policy[1].eviction_threshold"]
    assert all(": is " in line and "; allowed: " in line for line in lines)


def test_an_axis_over_a_faulty_policy_is_no_second_mistake() -> None:
    """Only the cause is named."""
    text = sweep_text(rest=AXES).replace('"recency_window"\n', '"recency_windo"\n', 1)
    lines = problems(text.replace("recency_window.window_size", "recency_windo.window_size"))
    assert [line.split(";")[0] for line in lines] == ["policy[2].kind: is 'recency_windo'"]
    no_kind = problems(sweep_text(rest=AXES).replace('kind = "recency_window"', ""))
    assert [line.split(";")[0] for line in no_kind] == ["policy[2].kind: missing"]


def test_what_clashes_is_named_with_what_is_wrong_singly() -> None:
    """In the same table too, unless the clash rests on a value that is wrong itself."""
    text = sweep_text(
        sweep="detail = 'x'",
        workload="noise_per_turn = -1\nrecall_jitter_range = [2, 1]",
        curve="eviction_threshold = 7\nmax_stability = 1",
        rest='[[policy]]\nkind = "act_r"\ndecay = 1.5\napproximation = "x"\n',
    )
    assert [line.partition(";")[0] for line in problems(text)] == [
        "sweep.detail: is 'x'",
        "workload.noise_per_turn: is -1",
        "workload: recall_jitter_range is (2.0, 1.0)",
        "policy[1].eviction_threshold: is 7",
        "policy[1]: max_stability is 1",
        "policy[3].approximation: is 'x'",
    ]


def test_a_sweep_too_long_to_be_stored_is_refused() -> None:
    """A folder holds the sweep written out in full, and that must be readable again."""
    rest = "[[axis]]\nparameter = 'ebbinghaus.baseline_stability'\nvalues = ["
    long = sweep_text(rest=rest + ",".join(f"{n}e9" for n in range(1, 30_000)) + "]")
    assert len(long) < 256 * 1024
    (line,) = problems(long)
    assert line.endswith("bytes; allowed: at most 262,144")


def test_a_file_is_loaded_with_its_name_in_every_line(tmp_path: Path) -> None:
    """The path as given stands at the start; options of the command line too."""
    path = tmp_path / "a.toml"
    path.write_text(sweep_text(), "utf-8")
    assert load_sweep(path) == parsed()
    assert load_sweep(path, [Override("--seeds", "7")]).seeds == range(7)
    path.write_text(sweep_text(sweep="engine = 'x'"), "utf-8")
    with pytest.raises(InvalidInputError, match=f"^{path}: sweep.engine: is 'x'"):
        load_sweep(path)


def test_what_is_drawn_reaches_everything() -> None:
    """Every policy and workload of the list is among what the tests below draw, and many can lie on axes."""
    several = (*POLICIES, *WORKLOADS)
    assert all(is_sound(one, {}) for one in several)
    assert sum(map(stands_alone, several)) >= 12


@settings(max_examples=examples(150))
@given(sweeps())
def test_sound_files_are_read(raw: dict[str, Any]) -> None:
    """What is drawn as sound is accepted, and says what was drawn."""
    spec = parse_sweep(tomli_w.dumps(raw))
    assert spec.name == raw["sweep"]["name"]
    assert [entry.label for entry in spec.policies] == [one["label"] for one in raw["policy"]]
    for entry, one in zip(spec.policies, raw["policy"], strict=True):
        assert entry.policy.values() == {
            **type(entry.policy)().values(),
            **{k: v for k, v in one.items() if k not in ("kind", "label")},
        }
    assert hash(spec) == hash(dataclasses.replace(spec))
