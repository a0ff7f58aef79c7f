"""Tests of the package itself: its public names, and that importing it is quick and compiles nothing."""

import importlib.metadata
import subprocess
import sys

import pytest

import vecdecay as vd
from vecdecay.testing import CheckReport, InvariantResult, check_policy


def test_public_names_are_those_of_their_homes() -> None:
    """Every public name is the very object of the module that defines it."""
    from vecdecay.engines import reference
    from vecdecay.policies import Ebbinghaus
    from vecdecay.run.simulate import simulate
    from vecdecay.sessions import PublishedSessions

    assert vd.Ebbinghaus is Ebbinghaus
    assert vd.PublishedSessions is PublishedSessions
    assert vd.simulate is simulate
    assert vd.reference is reference
    assert {"EbbinghausEngine", "RecencyWindowEngine", "run"} <= set(dir(vd.reference))
    assert dir(vd) == sorted(vd.__all__)


def test_what_public_functions_return_is_public() -> None:
    """So that a person can annotate it, and find what it is in the documentation."""
    policy = vd.RecencyWindow()
    assert isinstance(vd.simulate(vd.PublishedSessions(), [policy], seeds=[1]), vd.SimulationResult)
    assert isinstance(vd.play([(1, "register", "a")], policy), vd.PlayedSession)
    report = check_policy(policy, examples=1)
    assert isinstance(report, CheckReport)
    assert {type(one) for one in report.results} == {InvariantResult}


def test_an_unknown_name_is_an_attribute_error() -> None:
    """Asking for what is not there says so, as for any module."""
    with pytest.raises(AttributeError, match=r"'vecdecay' has no attribute 'simulat'; did you mean simulate\?$"):
        _ = vd.simulat
    with pytest.raises(AttributeError, match=r"has no attribute 'zzzzzz'$"):
        _ = vd.zzzzzz


def test_a_misspelt_parameter_is_named_with_the_nearest_one() -> None:
    """Of policies, workloads and a person's own classes; whatever is asked by position or in range works on."""
    with pytest.raises(vd.InvalidInputError, match=r"^Ebbinghaus has no parameter 'eviction_treshold'.*threshold\?$"):
        vd.Ebbinghaus(eviction_treshold=0.2)
    with pytest.raises(vd.InvalidInputError, match=r"did you mean session_length\?$"):
        vd.PublishedSessions(sesion_length=9, noise_per_turn=3)
    assert vd.Ebbinghaus(0.3) == vd.Ebbinghaus(eviction_threshold=0.3)

    class Any(vd.KeepAll):
        def __init__(self, **_: object) -> None:
            super().__init__()

    assert Any(whatever=3).name == "Any"


def test_importing_loads_neither_numba_nor_arrow() -> None:
    """``import vecdecay`` takes milliseconds: the heavy libraries come with the first name that needs them."""
    program = "import sys, vecdecay; print(sorted({'numpy', 'numba', 'pyarrow'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_version_is_a_version() -> None:
    """The version has three numbers and, where the package is installed, is the installed one."""
    assert [part.isdigit() for part in vd.__version__.split(".")] == [True] * 3
    try:
        installed = importlib.metadata.version("vecdecay")
    except importlib.metadata.PackageNotFoundError:
        return
    assert installed == vd.__version__
