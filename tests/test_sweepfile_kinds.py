"""The kinds that a sweep file can name."""

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES
from vecdecay.sessions import WORKLOADS
from vecdecay.sweepfile.kinds import default_label, policy_class, workload_class


def test_every_listed_class_is_found_by_its_name() -> None:
    """What ``vecdecay list`` shows, a sweep file can name."""
    assert [policy_class(one.name) for one in POLICIES] == list(POLICIES)
    assert [workload_class(one.name) for one in WORKLOADS] == list(WORKLOADS)


def test_an_unknown_kind_is_answered_with_the_known_ones() -> None:
    """The error shows the value, all kinds and the nearest."""
    with pytest.raises(
        InvalidInputError, match=r"^is 'ebinghaus'; allowed: ebbinghaus, .*; did you mean ebbinghaus\?$"
    ):
        policy_class("ebinghaus")
    with pytest.raises(InvalidInputError, match=r"^is 'x'; allowed: published_sessions"):
        workload_class("x")
    with pytest.raises(InvalidInputError):
        policy_class("published_sessions")


def test_the_default_label_has_no_file_in_it() -> None:
    """A class from a file of one's own is called by its own name."""
    assert [default_label(kind) for kind in ("keep_all", "mine.py:Gentle")] == ["keep_all", "Gentle"]
