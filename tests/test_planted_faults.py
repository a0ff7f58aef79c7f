"""Each planted fault is found by the test that is named for it: the tests are not blind where it matters."""

import json
import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from conftest import THOROUGH
from planted_faults import FAULTS as GENERAL_FAULTS
from planted_faults import Fault

import vecdecay

TESTS = Path(__file__).parent
LISTS = [vars(import_module(file.stem)) for file in sorted(TESTS.glob("planted_faults*.py"))]
EVERY_FAULT = tuple(
    dict.fromkeys(
        fault
        for one in LISTS
        for held in one.values()
        if isinstance(held, tuple)
        for fault in held
        if type(fault) is Fault
    )
)

SLOW = {
    "test_notebooks::test_logs_and_runs_are_tables",
    "test_notebooks::test_progress_counts_every_session",
    "test_run_predict::test_a_clock_that_goes_back_does_not_keep_it",
    "test_run_compare::test_every_policy_meets_the_target",
    "test_run_front::test_every_setting_is_what_playing_it_comes_to",
    "test_run_recommend::test_the_cheapest_that_surely_meets_the_target",
    "test_run_recommend::test_the_most_hits_within_a_budget",
    "test_run_parts::test_every_cell_and_seed_is_in_one_part",
    "test_run_predict::test_time_is_extrapolated_from_what_was_played",
    "test_run_sensitivity::test_points_are_played_on_the_same_sessions",
    "test_run_sensitivity::test_what_is_one_knob_is_found_and_nothing_else",
    "test_sessions_attributes::test_categories_and_pins_have_their_shares",
    "test_sessions_zipf_recalls::test_shares_follow_the_distribution",
}
"""Tests that take seconds without the JIT: the thorough run plants what they find."""


def planted() -> tuple[Fault, ...]:
    """Return the faults of this run: all in the thorough run, else the first of every file of the package."""
    if THOROUGH:
        return EVERY_FAULT
    first = {fault.file: fault for fault in reversed(EVERY_FAULT) if fault.test not in SLOW}
    return tuple(reversed(first.values()))


FAULTS = planted()


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """Plant all faults, one after the other, in a copy of the package, in one process without the JIT."""
    copy = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(vecdecay.__file__).parent, copy / "vecdecay", ignore=ignored)
    done = subprocess.run(
        [sys.executable, str(TESTS / "fault_runner.py"), str(copy), str(TESTS)],
        input=json.dumps([fault._asdict() for fault in FAULTS]),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, dict[str, str]] = json.loads(done.stdout)
    return found


def test_there_are_enough_of_them() -> None:
    """At least four hundred faults, of every list, each with a name of its own, and each a change."""
    assert len(EVERY_FAULT) >= 400
    assert set(EVERY_FAULT) >= set(GENERAL_FAULTS)
    assert len({fault.name for fault in EVERY_FAULT}) == len(EVERY_FAULT)
    assert all(fault.original != fault.faulty for fault in EVERY_FAULT)


def test_each_can_be_planted() -> None:
    """Those of the thorough run too: the line is there, and so is the test."""
    for fault in EVERY_FAULT:
        assert fault.original in (Path(vecdecay.__file__).parent / fault.file).read_text("utf-8"), fault.name
        module, _, test = fault.test.partition("::")
        assert f"def {test.partition('[')[0]}(" in (TESTS / f"{module}.py").read_text("utf-8"), fault.name


@pytest.mark.parametrize("test", sorted({fault.test for fault in FAULTS}))
def test_the_named_test_passes_without_a_fault(verdicts: dict[str, dict[str, str]], test: str) -> None:
    """What finds a fault says nothing of the sound package."""
    assert verdicts["unchanged"][test] == "passed"


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_the_named_test_finds_the_fault(verdicts: dict[str, dict[str, str]], fault: Fault) -> None:
    """The test fails by an assertion, not by an accident, as soon as the fault is in."""
    assert verdicts["changed"][fault.name] == "failed"
