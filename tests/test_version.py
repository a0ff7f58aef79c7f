"""The version stands in one place, and the built package bears the same."""

import tomllib

from house import ROOT

import vecdecay
from vecdecay.version import __version__


def test_the_version_is_that_of_the_project() -> None:
    """A wheel and the running program cannot disagree about what they are."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == __version__ == vecdecay.__version__
