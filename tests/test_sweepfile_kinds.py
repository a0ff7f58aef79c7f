"""The kinds that a sweep file can name."""

import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.policies import POLICIES
from vecdecay.sessions import WORKLOADS
from vecdecay.sweepfile.kinds import default_label, find_policy, find_workload


def test_every_listed_class_is_found_by_its_name() -> None:
    """What ``vecdecay list`` shows, a sweep file can name."""
    assert [find_policy(one.name) for one in POLICIES] == [(one, None) for one in POLICIES]
    assert [find_workload(one.name) for one in WORKLOADS] == [(one, None) for one in WORKLOADS]


def test_an_unknown_kind_is_answered_with_the_known_ones() -> None:
    """The error shows the value, all kinds and the nearest."""
    with pytest.raises(
        InvalidInputError, match=r"^is 'ebinghaus'; allowed: ebbinghaus, .*; did you mean ebbinghaus\?$"
    ):
        find_policy("ebinghaus")
    with pytest.raises(InvalidInputError, match=r"^is 'x'; allowed: published_sessions"):
        find_workload("x")
    with pytest.raises(InvalidInputError):
        find_policy("published_sessions")


def test_the_default_label_has_no_file_in_it() -> None:
    """A class from a file of one's own is called by its own name."""
    assert [default_label(kind) for kind in ("keep_all", "mine.py:Gentle")] == ["keep_all", "Gentle"]
