"""Sweeps over policies from a person's own file: found beside the sweep, pinned by digest, refused in one line."""

import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from sweep_runs import digest_of, fresh_process

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.run.open_run import Run
from vecdecay.run.plan import make_plan
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import verify_run
from vecdecay.sweepfile.model import own_sources
from vecdecay.sweepfile.resolved import differences, resolved_toml
from vecdecay.sweepfile.spec import load_sweep, parse_sweep

POLICIES = """
from dataclasses import dataclass


@dataclass(frozen=True)
class Gentle:
    half_life: float = 10.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return BASE ** (age / (self.half_life * recall_count))


@dataclass(frozen=True)
class Steep:
    half_life: float = 10.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return 0.5 ** (age * age / self.half_life)


@dataclass(frozen=True)
class Rising:
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return age / 1000
"""

SWEEP = """
schema = 1
[sweep]
name = "own"
seeds = 30
[workload]
kind = "published_sessions"
session_length = 60
[[policy]]
kind = "mine.py:Gentle"
[[policy]]
kind = "ebbinghaus"
[[axis]]
parameter = "Gentle.half_life"
values = [5, 10.0]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder with a sweep and its policies; the current folder is another one."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    write_policies(tmp_path, "0.5")
    (tmp_path / "own.toml").write_text(SWEEP, "utf-8")
    return tmp_path


def write_policies(folder: Path, base: str) -> None:
    """Write the file of policies, with another curve for another base."""
    (folder / "mine.py").write_text(POLICIES.replace("BASE", base), "utf-8")


def run(folder: Path, name: str = "out") -> Run:
    """Run the sweep of a folder."""
    return run_sweep(load_sweep(folder / "own.toml"), folder / name, threads=1)


def test_a_sweep_over_a_policy_of_ones_own(folder: Path) -> None:
    """It is found beside the sweep, its field is an axis, its cells are checked against the scalar engine."""
    report = run(folder)
    assert report.failed == ()
    assert report.checked_sessions > 0
    labels = [(report.plan.cell(cell).label, report.plan.cell(cell).policy.values()) for cell in range(4)]
    assert [label for label, _ in labels] == ["Gentle", "ebbinghaus"] * 2
    assert [values["half_life"] for label, values in labels if label == "Gentle"] == [5.0, 10.0]


@pytest.mark.parametrize("combine", ["zip", "grid"])
def test_two_policies_of_one_file_with_equal_values_are_two(combine: str, folder: Path) -> None:
    """Nothing that is remembered of one is taken for the other, and the cells are those that each has alone."""
    second = '[[policy]]\nkind = "mine.py:Steep"\n[[axis]]\nparameter = "Steep.half_life"\nvalues = [5, 10.0]\n'
    both = SWEEP.replace("seeds = 30", f'seeds = 30\ncombine = "{combine}"') + second
    (folder / "own.toml").write_text(both.replace('[[policy]]\nkind = "ebbinghaus"\n', ""), "utf-8")
    run(folder)
    found: dict[str, set[tuple[object, object]]] = {"Gentle": set(), "Steep": set()}
    for row in pq.read_table(folder / "out" / "cells.parquet").to_pylist():
        found[row["policy"]].add((row["half_life"], row["mean_working_set_mean"]))
    assert len(found["Gentle"]) == len(found["Steep"]) == 2  # the same at every point
    assert not found["Gentle"] & found["Steep"]
    assert verify_run(folder / "out", everything=True).problems == []


def test_the_stored_copy_pins_the_file(folder: Path) -> None:
    """The digest stands in the copy, which reads back as the same sweep from anywhere in this process."""
    spec = load_sweep(folder / "own.toml")
    text = resolved_toml(spec)
    assert text.count("file_sha256 = ") == 1
    again = parse_sweep(text, "sweep.toml")
    assert again == spec
    assert type(again.policies[0].policy) is type(spec.policies[0].policy)
    assert resolved_toml(again) == text
    assert again.digest == spec.digest


def test_resuming_notices_a_changed_policy(folder: Path) -> None:
    """A finished run is recognised; an edit of the file is told in words, with what to do, until it is undone."""
    run(folder)
    assert run(folder).already_complete
    write_policies(folder, "0.6")
    with pytest.raises(
        OutputError,
        match=r"holds another sweep \(policy\[1\]: mine\.py has changed since\); choose",
    ):
        run(folder)
    assert not run(folder, "other").already_complete
    write_policies(folder, "0.5")
    assert run(folder).already_complete


ELSEWHERE = """
import sys
from pathlib import Path
from vecdecay.run.sweep import run_sweep
from vecdecay.run.verify import verify_run
from vecdecay.sweepfile.spec import load_sweep
folder = Path(sys.argv[1])
print(verify_run(folder, everything=True).problems)
(folder / "histograms/part-000000.parquet").unlink()
run = run_sweep(load_sweep(folder / "sweep.toml"), folder)
print(run.already_complete, len(run.failed), verify_run(folder).problems)
"""


def test_a_run_folder_verifies_and_resumes_anywhere(folder: Path) -> None:
    """In a fresh process, moved to another place, when the person's file, and what it imports, are gone or changed."""
    (folder / "own_base.py").write_text("BASE = 0.5\n", "utf-8")
    (folder / "mine.py").write_text("from own_base import BASE\n" + POLICIES, "utf-8")
    digest_then = digest_of(run(folder).folder)
    (folder / "mine.py").unlink()
    (folder / "own_base.py").write_text("BASE = 0.9\n", "utf-8")
    moved = folder / "elsewhere" / "moved"
    (folder / "out").rename(moved)
    done = fresh_process(ELSEWHERE, moved)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "[]\nFalse 0 []\n"
    assert digest_of(moved) == digest_then


def test_the_kept_code_is_verified_and_made_again(folder: Path) -> None:
    """A copy that is changed or gone is a problem to verify, and written anew by the next run."""
    run(folder)
    (copy,) = (folder / "out" / "sources").rglob("mine.py")
    text = copy.read_bytes()
    for damage in (lambda: copy.write_bytes(text + b"#"), copy.unlink):
        damage()
        name = copy.relative_to(folder / "out").as_posix()
        assert any(line.startswith(f"{name}: ") for line in verify_run(folder / "out").problems)
        again = run(folder)
        assert again.repaired == (f"{name}: is not as it was written",)
        assert copy.read_bytes() == text
        assert verify_run(folder / "out").problems == []


def test_a_stored_sweep_is_not_played_with_a_changed_file(folder: Path) -> None:
    """Without its copy of the code it can be read and compared, but no plan is made of it."""
    spec = load_sweep(folder / "own.toml")
    text = resolved_toml(spec).replace(spec.policies[0].file_sha256, "0" * 64)
    held = parse_sweep(text, "sweep.toml", folders=[folder])
    assert [line.split(":")[0] for line in differences(held, spec)] == ["policy[1]"]
    with pytest.raises(InvalidInputError, match=r"^mine\.py, or a module that it imports, has changed since"):
        make_plan(held)


def test_a_folder_with_the_sources_needs_no_file(folder: Path) -> None:
    """The stored sweep is read in another process, from its copy of the code, after the file is gone."""
    spec = load_sweep(folder / "own.toml")
    stored = folder / "stored"
    for name, content in {**own_sources(spec), "sweep.toml": resolved_toml(spec).encode()}.items():
        (stored / name).parent.mkdir(parents=True, exist_ok=True)
        (stored / name).write_bytes(content)
    (folder / "mine.py").unlink()
    code = (
        "import sys; from vecdecay.sweepfile.spec import load_sweep; from vecdecay.run.plan import make_plan\n"
        "spec = load_sweep(sys.argv[1]); make_plan(spec); print(spec.digest)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(stored / "sweep.toml")], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"{spec.digest}\n"


def problems(folder: Path, text: str) -> list[str]:
    """Return the lines with which a sweep is refused, without the file's name."""
    path = folder / "own.toml"
    path.write_text(text, "utf-8")
    with pytest.raises(InvalidInputError) as caught:
        load_sweep(path)
    return [line.removeprefix(f"{path}: ") for line in caught.value.problems]


def test_mistakes_in_a_kind(folder: Path) -> None:
    """Which file was looked for where, which classes it has; one line, at the key."""
    without_axis = SWEEP.partition("[[axis]]")[0]
    assert problems(folder, without_axis.replace("mine.py", "yours.py")) == [
        f"policy[1].kind: no file 'yours.py'; tried {folder}/yours.py and {folder}/elsewhere/yours.py"
    ]
    assert problems(folder, without_axis.replace("Gentle", "Gentel")) == [
        f"policy[1].kind: {folder}/mine.py has no class or function Gentel; it has Gentle, Steep, Rising; "
        "did you mean Gentle?"
    ]
    assert problems(folder, without_axis.replace("mine.py:Gentle", "mine.py")) == [
        "policy[1].kind: is 'mine.py'; allowed: FILE.py:NAME, such as my_policies.py:Gentle"
    ]
    assert problems(folder, without_axis.replace('"ebbinghaus"', '"mine.py:Gentle"\nhalflife = 3')) == [
        "policy[2].label: is 'Gentle' again; allowed: a label of its own for each policy",
        "policy[2].halflife: unknown key; did you mean half_life?",
    ]
    (folder / "mine.py").write_text("import none_such_module", "utf-8")
    assert problems(folder, without_axis) == [
        f"policy[1].kind: {folder}/mine.py cannot be imported: ModuleNotFoundError: No module named 'none_such_module'"
    ]


def test_a_curve_that_rises_fails_its_cells_and_no_others(folder: Path) -> None:
    """The run goes on, and each failed cell says which arguments show it."""
    (folder / "own.toml").write_text(
        SWEEP.replace("Gentle", "Rising").replace("half_life", "eviction_threshold").replace("[5, 10.0]", "[0.1, 0.2]"),
        "utf-8",
    )
    report = run(folder)
    assert [failed.label for failed in report.failed] == ["Rising", "Rising"]
    assert all("Rising.retention(age=1, recall_count=1) is 0.001" in failed.error for failed in report.failed)
    assert report.cells.num_rows == 2


def test_a_field_with_the_name_of_a_column_or_a_key_is_refused(folder: Path) -> None:
    """When the sweep is read; the remedy is another name."""
    for name, line in (
        ("sessions", "Gentle.sessions has the name of a column of cells.parquet; rename the field"),
        (
            "noise_per_turn",
            "Gentle.noise_per_turn (number) and PublishedSessions.noise_per_turn (integer) would be one "
            "column of cells.parquet; rename one of the fields",
        ),
        ("label", "policy[1].kind: Gentle.label has the name of a key of this table; rename it"),
    ):
        text = POLICIES.replace("half_life", name).replace("BASE", "0.5")
        (folder / "mine.py").write_text(text, "utf-8")
        assert problems(folder, SWEEP.partition("[[axis]]")[0]) == [line]


def test_an_edit_of_a_module_that_the_file_imports_is_another_sweep(folder: Path) -> None:
    """Its results are not taken for those of the edited module."""
    for value in ("0.5", "0.6"):
        (folder / "own_base.py").write_text(f"BASE = {value}\n", "utf-8")
        (folder / "mine.py").write_text("from own_base import BASE\n" + POLICIES, "utf-8")
        spec = load_sweep(folder / "own.toml")
        if value == "0.5":
            first = spec
    assert spec.policies[0].policy.retention(10, 1) == 0.6
    assert first.policies[0].policy.retention(10, 1) == 0.5
    assert spec.digest != first.digest
    assert differences(first, spec) == ["policy[1]: own_base.py has changed since"]
