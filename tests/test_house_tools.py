"""The outside judges of the source: ruff for style, mypy for types. What they print is the failure."""

import subprocess
import sys

import pytest
from house import ROOT

JUDGES = {
    "ruff check": ["ruff", "check", "--quiet", "."],
    "ruff format": ["ruff", "format", "--quiet", "--diff", "."],
    "mypy --strict": ["mypy", "--strict"],  # which packages: pyproject.toml
}


@pytest.mark.parametrize("judge", JUDGES)
def test_the_source_is_clean(judge: str) -> None:
    """Neither of them has anything to say."""
    command = [sys.executable, "-m", *JUDGES[judge]]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        pytest.fail(f"{' '.join(JUDGES[judge])}\n{result.stdout}{result.stderr}", pytrace=False)
