"""The seeds of a sweep: a range that is never written out, or a list in its own order."""

from collections.abc import Mapping
from typing import Any, TypeAlias

from vecdecay.parameters import brief, did_you_mean
from vecdecay.sweepfile.problems import Findings, KeyPath

Seeds: TypeAlias = range | tuple[int, ...]

MOST_SEEDS = 10**12
SEEDS_ALLOWED = (
    f"a count from 1 to {MOST_SEEDS:,}, {{ first = integer, count = count }} or {{ list = [different integers] }}"
)


def read_seeds(raw: Any, path: KeyPath, findings: Findings) -> Seeds | None:
    """Return the seeds that a sweep file asks for, None where that is a mistake, which ``findings`` then holds.

    >>> read_seeds(20, ("sweep", "seeds"), Findings("file"))
    range(0, 20)
    >>> read_seeds({"list": [7, 1, 2**70]}, ("sweep", "seeds"), Findings("file"))
    (7, 1, 1180591620717411303424)
    """
    if _is_count(raw):
        return range(raw)
    if isinstance(raw, dict) and set(raw) == {"first", "count"}:
        return _read_range(raw, path, findings)
    if isinstance(raw, dict) and set(raw) == {"list"}:
        return _read_list(raw["list"], (*path, "list"), findings)
    hint = ""
    if isinstance(raw, dict):
        unknown = [key for key in raw if key not in ("first", "count", "list")]
        hint = did_you_mean(unknown[0], ("first", "count", "list")) if unknown else ""
    findings.add(path, f"is {brief(raw)}; allowed: {SEEDS_ALLOWED}{hint}")
    return None


def seeds_value(seeds: Seeds) -> Any:
    """Return the seeds as a value for a sweep file, always in the same form."""
    if isinstance(seeds, range):
        return {"first": seeds.start, "count": len(seeds)}
    return {"list": list(seeds)}


def plain_seeds(given: Any) -> Any:
    """Return seeds from Python as a sweep file gives them: a range, list or array under the key of its form.

    >>> plain_seeds(range(5, 9)), plain_seeds((3, 1)), plain_seeds(20)
    ({'first': 5, 'count': 4}, {'list': (3, 1)}, 20)
    """
    if isinstance(given, range) and given.step == 1:
        return {"first": given.start, "count": given.stop - given.start}
    if isinstance(given, Mapping):
        return dict(given)
    given = given.tolist() if hasattr(given, "tolist") else given
    return {"list": given} if isinstance(given, list | tuple | range) else given


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_count(value: Any) -> bool:
    return _is_integer(value) and 1 <= value <= MOST_SEEDS


def _read_range(raw: dict[str, Any], path: KeyPath, findings: Findings) -> Seeds | None:
    first, count = raw["first"], raw["count"]
    if not _is_integer(first):
        findings.add((*path, "first"), f"is {brief(first)}; allowed: an integer")
    if not _is_count(count):
        findings.add((*path, "count"), f"is {brief(count)}; allowed: an integer from 1 to {MOST_SEEDS:,}")
    return range(first, first + count) if _is_integer(first) and _is_count(count) else None


def _read_list(raw: Any, path: KeyPath, findings: Findings) -> Seeds | None:
    if not isinstance(raw, list) or not raw:
        findings.add(path, f"is {brief(raw)}; allowed: a list of at least one integer")
        return None
    seen: set[int] = set()
    sound = True
    for place, seed in enumerate(raw):
        if not _is_integer(seed):
            findings.add((*path, place), f"is {brief(seed)}; allowed: an integer")
            sound = False
        elif seed in seen:
            findings.add((*path, place), f"is {brief(seed)} again; allowed: each seed once")
            sound = False
        else:
            seen.add(seed)
        if findings.full:
            break
    if not sound:
        return None
    consecutive = range(raw[0], raw[0] + len(raw))
    # One meaning, one form: a list of consecutive seeds is the range.
    return consecutive if all(map(int.__eq__, raw, consecutive)) else tuple(raw)
