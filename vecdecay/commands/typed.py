"""What is typed for a policy or a workload: a name or a person's own class in a file, and parameters in brackets."""

from pathlib import Path
from typing import TypeVar

from vecdecay.errors import InvalidInputError, in_one_line
from vecdecay.numerals import plain
from vecdecay.own_file import names_a_file
from vecdecay.parameters import Described, printable
from vecdecay.policies.base import Policy
from vecdecay.sessions import WORKLOADS
from vecdecay.sessions.relearning import ON_MISS, with_on_miss
from vecdecay.sessions.workload import Workload
from vecdecay.sessions.workload_text import built_of_text, workload_of_text
from vecdecay.sweepfile.kinds import find_policy, find_workload
from vecdecay.sweepfile.spec import parse_sweep
from vecdecay.sweepfile.toml_text import parse_toml, read_text

DescribedType = TypeVar("DescribedType", bound=Described)


def typed_policy(text: str) -> Policy:
    """Return the policy of a text such as ``ebbinghaus``, ``ebbinghaus(eviction_threshold=0.3)`` or ``my.py:Gentle``.

    ``recommended.toml`` is the one policy of a sweep file, whatever else it holds.

    Raises:
        InvalidInputError: there is no such policy, or it cannot be made; one line per reason.

    >>> typed_policy("recency_window(window_size=30)").values()
    {'window_size': 30.0, 'grace_turns': 0}
    """
    if text.endswith(".toml"):
        return _policy_of_file(Path(text))
    kind, bracket, arguments = text.partition("(")
    try:
        found = find_policy(kind.strip())[0]
    except InvalidInputError as error:
        # What is said of a name begins with "is"; what is said of a file begins with the file.
        lines = (f"policy {line}" if line.startswith("is ") else line for line in error.problems)
        raise InvalidInputError(lines) from None
    return _made(found, kind, f"{found.__name__}{bracket}{arguments}", "policy")


def _policy_of_file(path: Path) -> Policy:
    listed = parse_toml(read_text(path), str(path)).get("policy")
    if not isinstance(listed, list) or len(listed) != 1:
        raise InvalidInputError([f"{printable(str(path))}: allowed here: exactly one [[policy]]"])
    tables = {"schema": 1, "sweep": {"name": "policy", "seeds": 1}, "workload": {"kind": "published_sessions"}}
    return parse_sweep({**tables, "policy": listed}, str(path), (), (path.parent,)).policies[0].policy


def text_of_policy(policy: Policy) -> str:
    """Return a policy with its parameters, as screens show it.

    >>> text_of_policy(typed_policy("recency_window"))
    'recency_window (window_size 15, grace_turns 0)'
    """
    values = ", ".join(f"{key} {plain(value)}" for key, value in policy.values().items())
    return f"{policy.name} ({values})" if values else policy.name


def typed_workload(text: str) -> Workload:
    """Return the workload of a text, as :func:`typed_policy` does.

    Raises:
        InvalidInputError: there is no such workload, or it cannot be made; one line per reason.
    """
    kind, bracket, arguments = text.partition("(")
    named = ON_MISS.name in arguments
    if not names_a_file(kind):
        return workload_of_text(text, [with_on_miss(one) if named else one for one in WORKLOADS])
    found = find_workload(kind.strip())[0]
    if named and ON_MISS.name not in {one.name for one in found.parameters()}:
        found = with_on_miss(found)
    return _made(found, kind, f"{found.__name__}{bracket}{arguments}", "workload")


def _made(found: type[DescribedType], kind: str, text: str, noun: str) -> DescribedType:
    try:
        return built_of_text(text, found, noun)
    except (InvalidInputError, KeyboardInterrupt):
        raise
    except BaseException as error:  # a person's own class may do anything
        if not names_a_file(kind):
            raise
        raise InvalidInputError([f"{kind} cannot be made: {in_one_line(error)}"]) from None
