"""From the ``kind`` in a sweep file to the class of a policy or workload: the one place that knows how to find them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Described
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.own_file import names_a_file, policy_class_in_file
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.workload import Workload
from vecdecay.sweepfile.problems import shown, suggestion

DescribedType = TypeVar("DescribedType", bound=Described)


def policy_class(kind: str, folders: Sequence[Path] = (), file_sha256: str = "") -> type[Policy]:
    """Return the class of a policy; InvalidInputError says which kinds there are.

    A kind such as ``my_policies.py:Gentle`` names a class in a person's own file; where that is looked for, see
    :func:`vecdecay.policies.own_file.policy_class_in_file`.
    """
    if names_a_file(kind):
        return policy_class_in_file(kind, folders, file_sha256)
    return _class_named(kind, POLICIES)


def workload_class(kind: str) -> type[Workload]:
    """Return the class of a workload; InvalidInputError says which kinds there are."""
    return _class_named(kind, WORKLOADS)


def default_label(kind: str) -> str:
    """Return the label of a policy that was given none: its kind, without the file that a class may come from.

    >>> default_label("ebbinghaus"), default_label("my_policies.py:Gentle")
    ('ebbinghaus', 'Gentle')
    """
    return kind.rpartition(":")[2]


def _class_named(kind: str, classes: Iterable[type[DescribedType]]) -> type[DescribedType]:
    by_name = {one.name: one for one in classes}
    if kind not in by_name:
        raise InvalidInputError([f"is {shown(kind)}; allowed: {', '.join(by_name)}{suggestion(kind, by_name)}"])
    return by_name[kind]
