"""A sweep inside the program."""

import dataclasses

import pytest
from sweep_texts import AXES, parsed

from vecdecay.policies import Ebbinghaus
from vecdecay.sessions import PublishedSessions


def test_a_sweep_is_frozen() -> None:
    """Nothing changes under the feet of a run."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        parsed().name = "other"  # type: ignore[misc]


def test_base_values_are_those_off_the_axes() -> None:
    """By label, or ``workload``."""
    spec = parsed(curve="label = 'curve'\neviction_threshold = 0.4", rest=AXES.replace("ebbinghaus.", "curve."))
    assert spec.base_values("curve") == Ebbinghaus(eviction_threshold=0.4).values()
    assert spec.base_values("workload") == PublishedSessions().values()
    with pytest.raises(StopIteration):
        spec.base_values("ebbinghaus")
