"""``vecdecay run --json``: one JSON object with everything that the screen tells, and all digits."""

import json
from pathlib import Path

import pytest
from command_line import small_sweep, type_in

from vecdecay.quantities import METRIC_NAMES


def test_the_published_numbers_with_all_digits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], warm_kernels: None
) -> None:
    """1, 0, 0.9107284768211921 and 0.8977583517292127, and nothing but JSON on the standard output."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(small_sweep(), "utf-8")
    ending = type_in(capsys, "run", "small.toml", "--json", "--threads", "1")
    assert (ending.code, ending.err) == (0, "")
    told = json.loads(ending.out, parse_constant=pytest.fail)
    curve, window = told["cells"]
    assert curve["metrics"]["foundational_recall_rate"]["mean"] == 1.0
    assert window["metrics"]["foundational_recall_rate"]["mean"] == 0.0
    assert curve["metrics"]["footprint_reduction"]["mean"] == 0.9107284768211921
    assert window["metrics"]["footprint_reduction"]["mean"] == 0.8977583517292127
    assert curve["metrics"]["footprint_reduction"]["same_in_every_session"] is True
    assert curve["metrics"]["survival_time"]["mean"] is None
    assert list(curve["metrics"]) == list(METRIC_NAMES)
    assert curve["policy_parameters"]["baseline_stability"] == 8.0
    assert window["workload_parameters"]["recall_base_offsets"] == [3, 8, 20, 45, 90, 150]
    about = {key: told[key] for key in ("sweep", "title", "note", "seeds", "threads", "num_cells", "num_sessions")}
    assert about == {
        "sweep": "small",
        "title": "A small sweep",
        "note": "It is small.",
        "seeds": {"first": 0, "count": 50},
        "threads": 1,
        "num_cells": 2,
        "num_sessions": 100,
    }
    assert (told["checked_sessions"], told["already_complete"], told["failed"]) == (100, False, [])
    assert any("ebbinghaus hits more" in sentence for sentence in told["findings"])
    assert told["folder"] == str(Path("output", "small"))


def test_a_finished_run_gives_the_same_cells_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], warm_kernels: None
) -> None:
    """From the disk: cells and findings are equal, and it says that nothing was played."""
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(small_sweep(seeds=5), "utf-8")
    first, second = (json.loads(type_in(capsys, "run", "small.toml", "--json").out) for _ in range(2))
    assert second["already_complete"] is True
    assert first["cells"] == second["cells"]
    assert first["findings"] == second["findings"]
