"""Notebooks: two are executed, objects show themselves as tables, long calls show progress, tables have types."""

import copy
import importlib.machinery
import json
import sys
import typing
from pathlib import Path
from typing import Any

import notebook_runner as runner
import pyarrow as pa
import pytest

import vecdecay as vd
from vecdecay.arrow import ArrowDataset, ArrowTable
from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES
from vecdecay.run import progress
from vecdecay.sessions import WORKLOADS
from vecdecay.store.ledger import LEDGER_NAME
from vecdecay.store.manifest import MANIFEST_NAME

NOTEBOOKS = sorted((Path(__file__).parent / "notebooks").glob("*.ipynb"))
SWEEP = {
    "schema": 1,
    "sweep": {"name": "small", "seeds": 20, "detail": "sessions"},
    "workload": {"kind": "published_sessions"},
    "policy": [{"kind": "recency_window"}, {"kind": "keep_all"}],
    "axis": [{"parameter": "recency_window.window_size", "values": [10, 100]}],
}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_stores(path: Path) -> None:
    """Its cells are executed in order in one namespace; each output is as the file has it."""
    notebook = json.loads(path.read_text("utf-8"))
    assert (notebook["nbformat"], notebook["metadata"]["kernelspec"]["name"]) == (4, "python3")
    made = runner.executed(notebook)
    cells = list(zip(runner.code_cells(notebook), runner.code_cells(made), strict=True))
    assert [found for old, new in cells for found in runner.differences(old["outputs"], new["outputs"])] == []
    assert [old["execution_count"] for old, _ in cells] == list(range(1, len(cells) + 1))
    assert sum(bool(old["outputs"]) for old, _ in cells) >= 5
    markdown = [cell for cell in notebook["cells"] if cell["cell_type"] == "markdown"]
    assert markdown[0]["source"][0].startswith("# ")


def test_there_are_two_notebooks_and_an_output_that_changed_is_found() -> None:
    """A printed number, a cell of a table, and an output that is gone; a further row is none."""
    assert len(NOTEBOOKS) == 2
    outputs = [one for path in NOTEBOOKS for cell in runner.code_cells(json.loads(path.read_text("utf-8")))
               for one in cell["outputs"]]  # fmt: skip
    (printed, *_), (table, *_) = ([one for one in outputs if "text" in one], [one for one in outputs if "data" in one])
    for output, change in (
        (printed, lambda one: one["text"].append("1")),
        (
            table,
            lambda one: one["data"].__setitem__(runner.HTML, [one["data"][runner.HTML][0].replace("<td>", "<td>1")]),
        ),
        (printed, lambda one: one.clear()),
    ):
        changed = copy.deepcopy(output)
        change(changed)
        assert len(runner.differences([output], [changed])) >= 1
        assert runner.differences([output], [output]) == []
    longer = copy.deepcopy(table)
    longer["data"][runner.HTML].append("<tr><td>new</td></tr>")
    assert runner.differences([table], [longer]) == []


@pytest.mark.parametrize("described", [*POLICIES, *WORKLOADS], ids=lambda one: one.name)
def test_policies_and_workloads_are_tables(described: Any) -> None:
    """A row per parameter, with value, unit and meaning, and the name above."""
    html = described()._repr_html_()
    assert html.startswith(f"<table><caption>{described.name}: ")
    assert html.count("<tr>") == 1 + len(described.parameters())
    assert all(f"<td>{one.name}</td>" in html for one in described.parameters())


def test_logs_and_runs_are_tables(tmp_path: Path) -> None:
    """A log shows what is in it, a run its cells with their axes; one that is not finished how far it has come."""
    log = pa.table({"session": ["a"] * 3, "turn": [1, 2, 9], "item": ["<x>", "<x>", "y"]})
    trace = vd.Trace.read(log)
    assert all(line in trace._repr_html_() for line in trace.summarise().lines())
    run = vd.sweep(SWEEP, output=tmp_path / "run", threads=1)
    html = run._repr_html_()
    assert html.count("<tr>") == 1 + run.num_cells
    assert "<th>window size</th>" in html
    assert "<td>100</td>" in html
    for name in (MANIFEST_NAME, "cells.parquet", LEDGER_NAME):
        (tmp_path / "run" / name).unlink()
    assert "0 of 1 part" in vd.open_run(tmp_path / "run")._repr_html_()


class Noted:
    """Notes what it is called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def start(self, total_sessions: int, done_sessions: int) -> None:  # noqa: D102
        self.calls.append(("start", total_sessions))

    def compiling(self) -> None:  # noqa: D102
        pass

    def advance(self, sessions: int) -> None:  # noqa: D102
        self.calls.append(("advance", sessions))

    def stop(self) -> None:  # noqa: D102
        self.calls.append(("stop", 0))


def test_progress_counts_every_session(tmp_path: Path) -> None:
    """Of ``simulate`` and ``sweep``: begun once, added up to the total, stopped, also where a policy fails."""

    def broken(seed: int) -> list[Any]:
        raise RuntimeError

    for play in (
        lambda one: vd.simulate(vd.PublishedSessions(), [vd.KeepAll(), vd.Ebbinghaus()], range(3000), progress=one),
        lambda one: vd.sweep(SWEEP, output=tmp_path / "run", progress=one),
    ):
        noted = Noted()
        play(noted)
        (first, total), *rest, last = noted.calls
        assert (first, last) == ("start", ("stop", 0))
        assert sum(number for _, number in rest) == total > 0
    noted = Noted()
    with pytest.raises(InvalidInputError):
        vd.simulate(broken, vd.KeepAll(), range(3), progress=noted)
    assert noted.calls in ([], [("start", 3), ("stop", 0)])


def test_what_can_be_given_as_progress(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """True, False or an object; in a notebook that can draw one it is a bar, elsewhere lines."""
    for wrong in ("yes", 3, object()):
        with pytest.raises(InvalidInputError, match=r"progress is .*; allowed: True, False, or an object with start"):
            vd.simulate(vd.PublishedSessions(), vd.KeepAll(), range(2), progress=wrong)  # type: ignore[arg-type]
    vd.simulate(vd.PublishedSessions(), vd.KeepAll(), range(2), progress=True)
    assert capsys.readouterr() == ("", "")
    assert isinstance(progress.progress_of(True), progress.ScreenProgress)
    assert not progress._has_bar()
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    spec = importlib.machinery.ModuleSpec("ipywidgets", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name, *_: spec if name == "ipywidgets" else None)
    assert progress._has_bar()


def test_tables_have_types() -> None:
    """A type checker knows what ``result.cells`` is, and PyArrow's classes have all that the types promise."""
    hints = [typing.get_type_hints(getattr(vd.SimulationResult, name).fget)["return"] for name in ("cells", "sessions")]
    assert hints == [ArrowTable] * 2
    assert typing.get_type_hints(vd.Run.sessions.fget)["return"] is ArrowDataset  # type: ignore[attr-defined]
    assert typing.get_type_hints(vd.Run.__dict__["cells"].func)["return"] is ArrowTable
    import pyarrow.dataset as ds

    for protocol, real in ((ArrowTable, pa.Table), (ArrowDataset, ds.FileSystemDataset)):
        promised = [name for name in vars(protocol) if name in ("__getitem__", "__arrow_c_stream__") or name[:1] != "_"]
        assert len(promised) > 3
        assert [name for name in promised if not hasattr(real, name)] == []
