"""Tests of vecdecay.compile: how kernels are compiled, where they are kept, and what a damaged cache does."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from comparing import COMPILED

import vecdecay
from vecdecay import compile as accelerate
from vecdecay.engines.kernels import item_kernel as horizon_kernel
from vecdecay.engines.kernels import lockstep_kernel
from vecdecay.engines.kernels import sums_kernel as totals_kernel
from vecdecay.sessions import mersenne, published_kernel

PROGRAM = """
import sys
import numpy as np
from vecdecay.compile import cache_folder, compiled_before
before = compiled_before()
from vecdecay.sessions.published_kernel import schedule_recalls
starts, turns, kinds = np.zeros(2, np.int64), np.zeros(9, np.int32), np.zeros(9, np.int8)
touches = schedule_recalls(np.array([0.5]), 1, 1, 20, 1, np.array([8.0]), 0.7, 0.6, starts, turns, kinds)
print(before, touches, turns[:2].tolist(), sum(schedule_recalls.stats.cache_hits.values()), cache_folder())
"""

needs_compiler = pytest.mark.skipif(not COMPILED, reason="nothing is compiled or kept without the JIT")


def run_with_cache(folder: Path, root: Path | None = None) -> list[str]:
    """Run a small kernel in a process of its own with this cache folder, and return the words that it prints."""
    home = root or Path(vecdecay.__file__).parent.parent
    environment = {**os.environ, "VECDECAY_CACHE_DIR": str(folder), "PYTHONPATH": str(home)}
    command = [sys.executable, "-W", "error", "-c", PROGRAM]
    # The working folder comes first on the path: it must be the one whose package is meant.
    done = subprocess.run(command, cwd=home, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.replace("[3, ", "[3,").split()


@needs_compiler
def test_no_kernel_may_change_arithmetic() -> None:
    """Every kernel releases the lock and has neither fast arithmetic nor threads of its own."""
    modules = (horizon_kernel, lockstep_kernel, totals_kernel, mersenne, published_kernel)
    kernels = [one for module in modules for one in vars(module).values() if hasattr(one, "targetoptions")]
    assert len(kernels) >= 8
    for one in kernels:
        assert one.targetoptions.get("nogil") is True
        assert not one.targetoptions.get("fastmath")
        assert not one.targetoptions.get("parallel")


@needs_compiler
def test_the_cache_is_used_and_survives_damage_and_deletion(tmp_path: Path) -> None:
    """A second process compiles nothing; a truncated or deleted cache costs time, never the run."""
    first = run_with_cache(tmp_path)
    assert first[0] == "False"
    assert first[1] == "2"
    assert first[-2] == "0"
    assert Path(first[-1]).is_relative_to(tmp_path)
    second = run_with_cache(tmp_path)
    assert [second[0], second[-2]] == ["True", "1"]
    assert second[1:-2] == first[1:-2]
    for path in tmp_path.rglob("*.nb*"):
        path.write_bytes(path.read_bytes()[:40])
    damaged = run_with_cache(tmp_path)
    assert damaged[1:-2] == first[1:-2]
    shutil.rmtree(tmp_path)
    assert run_with_cache(tmp_path)[1:-2] == first[1:-2]


def test_every_file_that_is_compiled_from_is_part_of_the_digest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels, templates, policies, the constants of all, and what compiles them: an edit changes the digest."""
    package = Path(vecdecay.__file__).parent
    copy = tmp_path / "vecdecay"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(accelerate, "__file__", str(copy / "compile.py"))
    digest = accelerate.source_digest.__wrapped__
    before = digest()
    compiled = [*copy.glob("policies/*.py"), *copy.glob("engines/kernels/*.py"), *copy.rglob("*_kernel.py")]
    compiled += [copy / "engines" / name for name in ("stateful_compiler.py", "exact_compiler.py", "templates.py")]
    assert len(compiled) > 30
    for path in compiled:
        text = path.read_bytes()
        path.write_bytes(text + b"# edited\n")
        assert digest() != before, path
        path.write_bytes(text)
    assert digest() == before


@needs_compiler
def test_an_edit_of_any_kernel_makes_another_cache(tmp_path: Path) -> None:
    """Where any source that defines a kernel changes, even in a comment, nothing stale is found."""
    copy = tmp_path / "copy"
    shutil.copytree(Path(vecdecay.__file__).parent, copy / "vecdecay", ignore=shutil.ignore_patterns("__pycache__"))
    before = run_with_cache(tmp_path / "cache", copy)
    path = copy / "vecdecay" / "sessions" / "published_kernel.py"
    path.write_text(path.read_text("utf-8").replace("last = turn", "last = turn + 0"), "utf-8")
    after = run_with_cache(tmp_path / "cache", copy)
    assert [before[0], after[0], after[-2]] == ["False", "False", "0"]
    assert before[-1] != after[-1]


def test_a_folder_that_cannot_be_made_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the wanted folder is a file, kernels are kept in the temporary folder instead."""
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("VECDECAY_CACHE_DIR", str(blocked))
    folder = accelerate.cache_folder.__wrapped__()
    assert folder.is_dir()
    assert os.access(folder, os.W_OK)
    assert not folder.is_relative_to(tmp_path)


@needs_compiler
def test_a_kernel_of_a_users_function_is_not_kept() -> None:
    """Kernels that close over a user's function would leave a file behind in each run: they are not cached."""
    factor = 3

    @accelerate.kernel_uncached
    def tripled(value: int) -> int:
        return value * factor

    assert tripled(14) == 42
    assert tripled.stats.cache_path is None
