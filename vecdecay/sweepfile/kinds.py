"""From the ``kind`` in a sweep file to the class of a policy or workload: the one place that knows how to find them."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from vecdecay.errors import InvalidInputError
from vecdecay.own_file import OwnCode, names_a_file, own_object
from vecdecay.parameters import Described, brief, did_you_mean
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy
from vecdecay.policies.own import own_policy_class
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.own import own_workload_class
from vecdecay.sessions.workload import Workload

DescribedType = TypeVar("DescribedType", bound=Described)


def find_policy(kind: str, folders: Sequence[Path] = (), sha256: str = "") -> tuple[type[Policy], OwnCode | None]:
    """Return the class of a policy, and the code that it comes from where it is user code; ``FILE.py:NAME`` names that.

    See :func:`vecdecay.own_file.own_object` for the arguments. Raises InvalidInputError.
    """
    return _found(kind, POLICIES, own_policy_class, folders, sha256)


def find_workload(kind: str, folders: Sequence[Path] = (), sha256: str = "") -> tuple[type[Workload], OwnCode | None]:
    """Return the class of a workload, and the code that it comes from where it is user code.

    See :func:`vecdecay.own_file.own_object` for the arguments. Raises InvalidInputError.
    """
    return _found(kind, WORKLOADS, own_workload_class, folders, sha256)


def default_label(kind: str) -> str:
    """Return the label of a policy that was given none: its kind, without the file that a class may come from.

    >>> default_label("ebbinghaus"), default_label("my_policies.py:Gentle")
    ('ebbinghaus', 'Gentle')
    """
    return kind.rpartition(":")[2]


def _found(
    kind: str,
    classes: Iterable[type[DescribedType]],
    adapt: Callable[[Any], type[DescribedType]],
    folders: Sequence[Path],
    sha256: str,
) -> tuple[type[DescribedType], OwnCode | None]:
    if names_a_file(kind):
        own, code = own_object(kind, folders, sha256)
        try:
            return adapt(own), code
        except InvalidInputError as error:
            raise InvalidInputError(f"{code.path}: {line}" for line in error.problems) from None
    by_name = {one.name: one for one in classes}
    if kind not in by_name:
        raise InvalidInputError([f"is {brief(kind)}; allowed: {', '.join(by_name)}{did_you_mean(kind, by_name)}"])
    return by_name[kind], None
