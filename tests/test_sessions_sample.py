"""The sample trace: what its generator makes, small, and played by its name."""

import json

import pyarrow.parquet as pq
import pytest
from command_line import type_in

import vecdecay as vd
from vecdecay.sessions.sample import SAMPLE_FILE, sample_table


def test_the_file_is_what_the_generator_makes() -> None:
    """Nothing was changed by hand, and it is small enough to be shipped."""
    assert pq.read_table(SAMPLE_FILE).equals(sample_table())
    assert SAMPLE_FILE.stat().st_size <= 200_000


def test_it_is_played_by_its_name(capsys: pytest.CaptureFixture[str]) -> None:
    """The commands that take a log take ``sample``, where no file has that name."""
    trace = vd.Trace.read(SAMPLE_FILE, on_miss="relearn")
    assert trace.num_sessions == 30
    policies = [vd.Ebbinghaus(), vd.RecencyWindow()]
    cells = vd.simulate(trace, policies).cells["hit_rate_mean"].to_pylist()
    arguments = ("--on-miss", "relearn", "--policy", "ebbinghaus", "--policy", "recency_window", "--json")
    ending = type_in(capsys, "replay", "sample", *arguments)
    assert [one["hit_rate"]["mean"] for one in json.loads(ending.out)["policies"]] == cells
    ending = type_in(capsys, "curve", "sample", "recency_window")
    assert (ending.code, "30 sessions" in ending.out) == (0, True)
    ending = type_in(capsys, "curve", "sampl", "recency_window")
    assert (ending.code, "did you mean sample" in ending.err) == (2, True)
