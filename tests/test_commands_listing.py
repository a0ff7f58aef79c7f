"""``vecdecay list``: every name once, one line each."""

import json

import pytest
from command_line import type_in

from vecdecay.policies import POLICIES
from vecdecay.quantities import ASKED_NAMES, METRIC_NAMES, RELATION_NAMES
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.importers import IMPORTERS
from vecdecay.sweepfile.files import known_sweeps


def test_everything_that_has_a_name_is_listed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Under its heading, in the order of the program's own lists, within the width of the terminal."""
    monkeypatch.setenv("COLUMNS", "80")
    ending = type_in(capsys, "list")
    assert (ending.code, ending.err) == (0, "")
    sections = dict(section.split("\n", 1) for section in ending.out.split("\n\n")[:-1])
    names = {title: [line.split()[0] for line in text.splitlines()] for title, text in sections.items()}
    assert names == {
        "Policies": [policy.name for policy in POLICIES],
        "Workloads": [workload.name for workload in WORKLOADS],
        "Importers": list(IMPORTERS),
        "Sweeps": [name for name, _ in known_sweeps()],
        "Metrics": [*METRIC_NAMES, *RELATION_NAMES, *ASKED_NAMES],
    }
    assert max(map(len, ending.out.splitlines())) <= 80


def test_a_wide_terminal_shows_whole_lines(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is cut at 80 columns bears a sign of it; with room enough nothing is cut."""
    monkeypatch.setenv("COLUMNS", "80")
    assert "…\n" in type_in(capsys, "list").out
    monkeypatch.setenv("COLUMNS", "1000")
    wide = type_in(capsys, "list").out
    assert "…\n" not in wide
    assert all(workload.summary in wide for workload in WORKLOADS)


def test_a_pipe_has_no_width(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever searches the lines finds every word."""
    monkeypatch.delenv("COLUMNS", raising=False)
    assert "…\n" not in type_in(capsys, "list").out


def test_one_kind_as_text_and_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    """The same names; what is no kind is one line with what is."""
    out = type_in(capsys, "list", "workloads").out
    names = [line.split()[0] for line in out.splitlines() if line.startswith("  ")]
    assert names == [workload.name for workload in WORKLOADS]
    listed = json.loads(type_in(capsys, "list", "workloads", "--json").out)
    assert listed == {"workloads": [{"name": one.name, "summary": one.summary} for one in WORKLOADS]}
    assert list(json.loads(type_in(capsys, "list", "--json").out)) == [
        "policies",
        "workloads",
        "importers",
        "sweeps",
        "metrics",
    ]
    ending = type_in(capsys, "list", "policy")
    assert (ending.code, ending.out) == (2, "")
    assert ending.complaints == [
        "'policy' cannot be listed; allowed: policies, workloads, importers, sweeps, metrics; did you mean policies?"
    ]
