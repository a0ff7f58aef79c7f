"""The wheel is whole: installed somewhere else than in the checkout, the command finds its sweeps."""

import importlib.util
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from house import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def run(command: list[str], folder: Path, **settings: str) -> str:
    """Run a command that must succeed, without the caller's Python settings; return its output."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    result = subprocess.run(
        command, cwd=folder, env=kept | settings, capture_output=True, encoding="utf-8", check=False
    )
    assert result.returncode == 0, f"{' '.join(command)}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the checkout; with the build tool of this environment where it is installed."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--wheel-dir",
        str(folder),
        str(ROOT),
    ]
    if importlib.util.find_spec("hatchling"):
        command.append("--no-build-isolation")
    run(command, folder)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the wheel alone is installed."""
    folder = tmp_path_factory.mktemp("installed")
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target"]
    run([*command, str(folder), str(wheel)], folder)
    return folder


def test_the_wheel_holds_the_package_and_the_sweeps(wheel: Path) -> None:
    """Every module, data and sweep file of the checkout, byte for byte, and nothing else."""
    # Beside the modules, the page of reports and the sample trace.
    files = [path for kind in ("*.py", "*.html", "*.parquet") for path in Path(ROOT, "vecdecay").rglob(kind)]
    modules = {path: path.relative_to(ROOT).as_posix() for path in files}
    sweeps = {path: f"vecdecay/sweepfile/files/{path.name}" for path in Path(ROOT, "sweeps").glob("*.toml")}
    assert sweeps
    expected = {name: path.read_bytes() for path, name in (modules | sweeps).items()}
    with zipfile.ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if ".dist-info/" not in name}
        found = {name: archive.read(name) for name in names}
    assert set(found) - {"vecdecay/py.typed"} == set(expected)
    assert [name for name in expected if found[name] != expected[name]] == []


def test_the_command_of_the_wheel_knows_its_version(installed: Path, tmp_path: Path) -> None:
    """``vecdecay --version``, run from the wheel alone in an empty folder, prints pyproject.toml's."""
    program = installed / "bin" / "vecdecay"
    output = run([sys.executable, str(program), "--version"], tmp_path, PYTHONPATH=str(installed))
    assert PROJECT["version"] in output


def test_the_command_of_the_wheel_finds_its_sweeps(installed: Path, tmp_path: Path) -> None:
    """``vecdecay list`` names every sweep of the checkout, though the checkout is out of sight."""
    program = installed / "bin" / "vecdecay"
    output = run([sys.executable, str(program), "list"], tmp_path, PYTHONPATH=str(installed))
    names = {path.stem for path in Path(ROOT, "sweeps").glob("*.toml")}
    assert "headline" in names
    assert {name for name in names if name not in output} == set()


def test_the_wheel_is_what_is_tried(installed: Path, tmp_path: Path) -> None:
    """The runs above import the wheel and not the checkout, also where that is installed to be edited."""
    code = "import vecdecay; print(vecdecay.__file__)"
    output = run([sys.executable, "-c", code], tmp_path, PYTHONPATH=str(installed))
    assert Path(output.strip()) == installed / "vecdecay" / "__init__.py"
