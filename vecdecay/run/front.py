"""``front``: which settings of which policies no other setting beats, in hit rate and in what is held, at once.

Over every setting of every policy, not over a grid: the exact curves where one pass gives them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from vecdecay.arrow import Streamed
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.run.along import along, usual_policies
from vecdecay.run.bounds import SIZES, bounds
from vecdecay.run.simulate import checked_arguments


@dataclass(frozen=True)
class Front(Streamed):
    """Settings of policies, by what they hold. ``table`` has a row per setting, ascending in ``held``.

    ``held`` are item-turns (token-turns where ``size`` is "tokens") and ``hits`` recalls that hit, over all sessions;
    ``mean_size`` and ``hit_rate`` their ratios to all turns and recalls. ``dominated`` where another setting hits as
    much or more and holds as much or less, and one of both is not equal. ``share_of_best`` are the hits as a share of
    the most that any policy could have with so much held. ``exact`` where all settings of the policy are there.
    """

    source: str
    sessions: int
    size: str
    table: pa.Table

    @property
    def efficient(self) -> pa.Table:
        """The rows that are not dominated: the Pareto front."""
        return self.table.filter(pc.invert(self.table["dominated"]))

    def __repr__(self) -> str:
        return (
            f"Front: {self.table.num_rows:,} settings on {self.sessions:,} sessions of {self.source}, "
            f"{self.efficient.num_rows:,} not dominated"
        )


def front(
    source: Any,
    policies: Sequence[Any] | None = None,
    *,
    size: str = "items",
    seeds: Any = None,
    threads: int | None = None,
) -> Front:
    """Return all settings of some policies, with those marked that another one dominates.

    Args:
        source, seeds, threads: as in :func:`simulate`.
        policies: one or several, the value of whose free parameter does not matter; all that an agent can use if None.
        size: whether what is held is counted in "items" or "tokens".

    Raises:
        InvalidInputError: names every argument that is wrong.

    >>> from vecdecay.policies import Ebbinghaus, RecencyWindow
    >>> from vecdecay.sessions import PublishedSessions
    >>> found = front(PublishedSessions(), [Ebbinghaus(), RecencyWindow()], seeds=range(50))
    >>> sorted(set(found.efficient["policy"].to_pylist()))
    ['ebbinghaus', 'recency_window']
    """
    problems = [] if size in SIZES else [f"size is {brief(size)}; allowed: {', '.join(SIZES)}"]
    given = usual_policies() if policies is None else policies
    try:
        spec, _ = checked_arguments(source, given, seeds, "sessions", "auto", None, threads)
    except InvalidInputError as error:
        problems += error.problems
    if problems:
        raise InvalidInputError(problems)
    best = bounds(source, seeds=seeds, size=size, threads=threads)
    parts = []
    for entry in spec.policies:
        found = along(source, entry.policy, size, seeds, threads)
        count = len(found.held)
        parts.append(
            pa.table(
                {
                    "policy": pa.array([entry.label] * count, pa.string()),
                    "parameter": pa.array([found.name] * count, pa.string()),
                    "value": pa.array(found.values, pa.float64(), from_pandas=True),
                    "exact": pa.array([found.exact] * count, pa.bool_()),
                    "held": pa.array(found.held, pa.int64()),
                    "hits": pa.array(found.hits, pa.int64()),
                }
            )
        )
    order = [("held", "ascending"), ("hits", "descending"), ("policy", "ascending"), ("value", "ascending")]
    table = pa.concat_tables(parts).sort_by(order)
    held, hits = table["held"].to_pylist(), table["hits"].to_pylist()
    rates = [one / best.recalls if best.recalls else None for one in hits]
    shares = [best.share(*each) for each in zip(hits, held, strict=True)]
    table = table.append_column("mean_size", pa.array([one / best.session_turns for one in held], pa.float64()))
    table = table.append_column("hit_rate", pa.array(rates, pa.float64()))
    table = table.append_column("share_of_best", pa.array(shares, pa.float64()))
    table = table.append_column("dominated", pa.array(dominated(table["hits"].to_numpy(), table["held"].to_numpy())))
    return Front(spec.workload_kind, len(spec.seeds), size, table)


def dominated(hits: NDArray[np.int64], held: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell of points, ascending in ``held`` and then descending in ``hits``, which another point dominates.

    >>> dominated(np.array([1, 0, 1, 3, 3]), np.array([5, 5, 6, 7, 7])).tolist()
    [False, True, True, False, False]
    """
    most = np.maximum.accumulate(hits)
    first = np.searchsorted(held, held, side="left")  # the first with as much held: it hits most of them
    below = np.where(first > 0, most[np.maximum(first - 1, 0)], -1)
    found: NDArray[np.bool_] = (below >= hits) | (hits[first] > hits)
    return found
