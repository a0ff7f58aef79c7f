"""Where sweeps are found, in which order, and the sweeps that come with the program."""

import shutil
from pathlib import Path

import pytest
from sweep_texts import sweep_text

from vecdecay.errors import InvalidInputError
from vecdecay.run.distinct import count_different_cells
from vecdecay.run.plan import make_plan
from vecdecay.sweepfile import files
from vecdecay.sweepfile.files import find_sweep, known_sweeps
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.sweepfile.spec import load_sweep, parse_sweep

CHECKOUT = Path(__file__).resolve().parent.parent / "sweeps"


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Stand in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def installed(elsewhere: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a package that is installed without a checkout, with one sweep in it."""
    module = elsewhere / "site-packages" / "vecdecay" / "sweepfile" / "files.py"
    (module.parent / "files").mkdir(parents=True)
    (module.parent / "files" / "packed.toml").write_text(sweep_text(sweep='title = "From the package"'), "utf-8")
    monkeypatch.setattr(files, "__file__", str(module))
    return module.parent.parent


def refused(name: str) -> str:
    """Return the one line that a name raises."""
    with pytest.raises(InvalidInputError) as caught:
        find_sweep(name)
    (line,) = caught.value.problems
    assert line.isprintable()
    assert len(line) < 500
    return line


def test_a_path_is_taken_as_it_is(elsewhere: Path) -> None:
    """Relative or absolute, with any ending, before any other place."""
    (elsewhere / "headline").write_text("x", "utf-8")
    (elsewhere / "my sweep.txt").write_text("x", "utf-8")
    assert find_sweep("headline") == Path("headline")
    assert find_sweep(elsewhere / "my sweep.txt") == elsewhere / "my sweep.txt"
    assert find_sweep("./my sweep.txt") == Path("my sweep.txt")


def test_a_folder_of_the_same_name_is_in_nobodys_way(elsewhere: Path) -> None:
    """An output folder ``headline`` does not hide the sweep; as a path it is refused."""
    (elsewhere / "headline").mkdir()
    assert find_sweep("headline") == CHECKOUT / "headline.toml"
    assert refused("./headline") == "'./headline': is a folder; allowed: a sweep file in TOML"


def test_names_are_found_here_first(elsewhere: Path) -> None:
    """``./sweeps`` before the sweeps of the program; with or without the ending."""
    (elsewhere / "sweeps").mkdir()
    shutil.copy(CHECKOUT / "noise.toml", "sweeps/headline.toml")
    for name in ("headline", "headline.toml"):
        assert find_sweep(name) == Path("sweeps/headline.toml")
    assert find_sweep("noise.toml") == CHECKOUT / "noise.toml"
    assert dict(known_sweeps())["headline"] == dict(known_sweeps())["noise"]


def test_without_a_checkout_the_packed_copies_are_found(installed: Path) -> None:
    """After a plain install there is nothing but the package."""
    assert find_sweep("packed") == installed / "sweepfile" / "files" / "packed.toml"
    assert known_sweeps() == [("packed", "From the package")]


def test_a_checkout_goes_before_the_packed_copies(installed: Path) -> None:
    """In an editable install the packed copies may be old; a folder ``sweeps`` without a project beside it is none."""
    checkout = installed.parent / "sweeps"
    checkout.mkdir()
    shutil.copy(CHECKOUT / "noise.toml", checkout / "packed.toml")
    assert find_sweep("packed").parent.name == "files"
    (installed.parent / "pyproject.toml").touch()
    assert find_sweep("packed") == checkout / "packed.toml"
    assert known_sweeps()[0][0] == "packed"


def test_an_unknown_sweep_is_answered_with_those_there_are(installed: Path) -> None:
    """The names, the nearest, and that a path will do; nothing that can be typed makes a traceback."""
    known = "known sweeps: packed, or the path of a file"
    assert refused("paked") == f"'paked': no such sweep; {known}; did you mean packed?"
    assert refused("a/packed.toml") == f"'a/packed.toml': no such file; {known}; did you mean packed?"
    assert refused("../packed") == f"'../packed': no such file; {known}; did you mean packed?"
    for name in ("", ".", "..", "a\0b", "a\nb", "x" * 5000, "/" * 5000, "\udcff"):
        assert refused(name)


def test_broken_files_are_listed_as_such(elsewhere: Path) -> None:
    """One bad file does not hide the others."""
    (elsewhere / "sweeps").mkdir()
    Path("sweeps/bad.toml").write_bytes(b"\xff")
    Path("sweeps/odd.toml").write_text("sweep = 1", "utf-8")
    Path("sweeps/lines.toml").write_text('[sweep]\ntitle = "a\\nb"', "utf-8")
    Path("sweeps/folder.toml").mkdir()
    listed = dict(known_sweeps())
    assert (listed["bad"], listed["odd"], listed["lines"]) == ("(cannot be read)", "", r"'a\nb'")
    assert "folder" not in listed


@pytest.mark.parametrize("name", [path.stem for path in sorted(CHECKOUT.glob("*.toml"))])
def test_every_sweep_of_the_program_is_sound(name: str, elsewhere: Path) -> None:
    """It is found, bears its own name, has a title and a note, and is kept whole when written out."""
    spec = load_sweep(find_sweep(name))
    assert spec.name == name
    assert spec.title
    assert spec.note
    assert parse_sweep(resolved_toml(spec)) == spec


def test_the_published_experiments_are_the_published_ones(elsewhere: Path) -> None:
    """Seeds, cells and parameters as the article's benchmark.py has them."""
    plans = {name: make_plan(load_sweep(find_sweep(name))) for name, _ in known_sweeps()}
    seeds = {name: len(plan.spec.seeds) for name, plan in plans.items()}
    expected = {"headline": 50, "noise": 20, "sensitivity": 20, "single_use": 20, "grace_period": 1}
    expected |= {"million": 10**6, "billion": 10**9}
    assert {name: seeds[name] for name in expected} == expected
    for name in expected.keys() - {"grace_period"}:
        cell = plans[name].cell(0)
        workload = {"session_length": 150, "num_foundational": 3, "recalls_per_foundational": 4, "noise_per_turn": 3}
        workload |= {"single_use": {"recalls_per_foundational": 0}, "noise": {"noise_per_turn": 1}}.get(name, {})
        assert workload.items() <= cell.workload.values().items()
        assert cell.policy.values()["baseline_stability"] == 8.0
        assert [entry.label for entry in plans[name].spec.policies] == ["ebbinghaus", "recency_window"]
    assert (plans["sensitivity"].num_cells, count_different_cells(plans["sensitivity"])) == (30, 8)
    assert [plans["noise"].cell(n).workload.values()["noise_per_turn"] for n in (0, 2, 4, 6)] == [1, 5, 10, 20]
    grace = [plans["grace_period"].cell(n) for n in range(4)]
    assert [cell.policy.values()["baseline_stability"] for cell in grace] == [2.0, 4.0, 6.0, 8.0]
    assert [plans[name].spec.detail for name in ("headline", "million", "billion")] == ["sessions", "sessions", "cells"]
