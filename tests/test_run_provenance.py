"""Where results come from: footers without clock, machine and path; one file that has them."""

import json
import platform
import re
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from sweep_runs import Here, small_sweep

import vecdecay
from vecdecay.run.provenance import PROVENANCE_NAME, footer_of, write_provenance
from vecdecay.run.sweep import run_sweep
from vecdecay.store.manifest import read_document
from vecdecay.sweepfile.resolved import resolved_toml

SPEC = small_sweep(seeds=4, axes=False)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory, warm_kernels: None) -> Path:
    """A folder with two runs of one sweep, made differently."""
    folder = tmp_path_factory.mktemp("runs")
    run_sweep(SPEC, folder / "one", executor=Here(), check=0)
    run_sweep(SPEC, folder / "other", threads=2)
    return folder


def footers(folder: Path) -> dict[str, dict[str, str]]:
    """Return what this program wrote into the footer of each Parquet file."""
    found = {}
    for path in sorted(folder.rglob("*.parquet")):
        held = pq.read_schema(path).metadata
        ours = {key.decode(): value.decode() for key, value in held.items() if key.startswith(b"vecdecay.")}
        found[path.relative_to(folder).as_posix()] = ours
    return found


def test_the_footer_says_what_was_played() -> None:
    """Version, sweep and its digest, seeds, workload, policies with their formulas, and the sweep in full."""
    footer = footer_of(SPEC)
    assert {key: footer[key] for key in list(footer) if key != "vecdecay.policies"} == {
        "vecdecay.version": vecdecay.__version__,
        "vecdecay.sweep": "small",
        "vecdecay.sweep_digest": SPEC.digest,
        "vecdecay.seeds": '{"first": 0, "count": 4}',
        "vecdecay.workload": "published_sessions",
        "vecdecay.resolved": resolved_toml(SPEC),
    }
    policies = json.loads(footer["vecdecay.policies"])
    assert [(one["label"], one["kind"]) for one in policies] == [
        ("ebbinghaus", "ebbinghaus"),
        ("recency_window", "recency_window"),
    ]
    assert [one["formula"] for one in policies] == [entry.policy.formula for entry in SPEC.policies]
    assert all("horizon_margin_ulps" in one for one in policies)


def test_every_file_has_the_footer_the_same_in_two_runs(runs: Path) -> None:
    """Whatever the folder, the threads and the time."""
    found = footers(runs / "one")
    assert set(found) == {"cells.parquet", "sessions/part-000000.parquet", "histograms/part-000000.parquet"}
    assert all(footer == footer_of(SPEC) for footer in found.values())
    assert footers(runs / "other") == found


def test_the_footer_has_no_clock_machine_or_path(runs: Path) -> None:
    """Neither in what this program wrote nor in the rest of the files' bytes."""
    told = {str(runs), str(Path.cwd()), str(Path.home()), platform.platform()} - {"/"}
    text = "\n".join(footer_of(SPEC).values())
    assert not any(one in text for one in told)
    assert re.search(r"\d{4}-\d\d-\d\d|\d\d:\d\d", text) is None
    for path in (runs / "one").rglob("*.parquet"):
        assert not any(one.encode() in path.read_bytes() for one in told)
        other = runs / "other" / path.relative_to(runs / "one")
        assert path.read_bytes() == other.read_bytes()


def test_a_footer_stays_small() -> None:
    """A long list of seeds is cut in the footer; the resolved sweep beside the files has it in full."""
    seeds = ", ".join(str(7 * number) for number in range(2000))
    footer = footer_of(small_sweep(seeds=f"{{ list = [{seeds}] }}", axes=False))
    assert len(footer["vecdecay.seeds"]) == 2000
    assert footer["vecdecay.seeds"] == f'{{"list": [{seeds}]}}'[:2000]
    assert len(footer["vecdecay.resolved"]) <= 20_000


def test_one_file_has_versions_machine_and_clock(tmp_path: Path) -> None:
    """All that the footers leave out, as JSON."""
    started = datetime(2024, 2, 29, 12, 30, 15, 999, UTC)
    before = datetime.now(UTC).replace(microsecond=0)
    write_provenance(tmp_path, started, 1.23456, threads=3, played=40, checked=7)
    text = (tmp_path / PROVENANCE_NAME).read_text("utf-8")
    content = read_document(tmp_path / PROVENANCE_NAME)
    assert before <= datetime.fromisoformat(content.pop("ended")) <= datetime.now(UTC)
    assert content == {
        "vecdecay": vecdecay.__version__,
        "python": platform.python_version(),
        "implementation": platform.python_implementation(),
        "libraries": {name: version(name) for name in ("numpy", "numba", "llvmlite", "pyarrow")},
        "machine": {"architecture": platform.machine(), "system": platform.system(), "threads": 3},
        "started": "2024-02-29T12:30:15+00:00",
        "seconds": 1.235,
        "sessions_played_in_this_run": 40,
        "sessions_checked_against_the_scalar_engine": 7,
    }
    assert text.endswith("}\n")
    assert platform.node() not in text or len(platform.node()) < 4


def test_a_run_writes_what_it_did(runs: Path) -> None:
    """Sessions played and compared, and the threads that it was given."""
    content = json.loads((runs / "other" / PROVENANCE_NAME).read_text("utf-8"))
    assert content["machine"]["threads"] == 2
    assert content["sessions_played_in_this_run"] == 8
    assert content["sessions_checked_against_the_scalar_engine"] == 8
    one = json.loads((runs / "one" / PROVENANCE_NAME).read_text("utf-8"))
    assert one["sessions_checked_against_the_scalar_engine"] == 0
