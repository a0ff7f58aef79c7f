"""``bounds``: what any policy could do on a source, whatever it is and even if it knew the future.

Three bounds. Keeping everything hits all that can be hit. Dropping each item right after the last recall that can find
it hits as much, holding the least. And for any occupancy below that, the best that could be reached: recalls are served
in the order of what they cost, in turns that their item has to be held since its last touch.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa

from vecdecay.arrow import Streamed
from vecdecay.engines.by_bound import Steps, merged, steps_of
from vecdecay.errors import InvalidInputError
from vecdecay.numerals import short
from vecdecay.parameters import brief
from vecdecay.policies.keep_all import KeepAll
from vecdecay.run.over_blocks import over_blocks
from vecdecay.run.simulate import checked_arguments

SIZES = ("items", "tokens")


@dataclass(frozen=True)
class Bounds(Streamed):
    """The best hit rate for every occupancy, as a concave line through the rows of ``table``.

    ``table`` ascends in ``held``, item-turns (token-turns where ``size`` is "tokens") over all sessions; ``hits`` are
    recalls that hit, ``hit_rate`` and ``mean_size`` their ratios to all recalls and all turns. The first row is what
    costs nothing, the last drops each item right after its last use. At the rows the bound is reached; between two of
    them it is an upper bound, by less than the recalls of one registration. ``kept`` is the row of keeping everything.
    """

    source: str
    sessions: int
    size: str
    recalls: int
    session_turns: int
    table: pa.Table
    kept: dict[str, Any]

    def best_hits(self, held: int | Fraction) -> float:
        """Return how many recalls can hit at most where so many item-turns (token-turns) are held; NaN if too few.

        Too few are fewer than pinned items hold, which no policy drops.
        """
        place = int(np.searchsorted(self.table["held"].to_numpy(), math.floor(held), side="right")) - 1
        if place < 0:
            return float("nan")
        rows = self.table.slice(place, 2).to_pylist()
        if len(rows) == 1:
            return float(rows[0]["hits"])
        (low, high), more = rows, held - rows[0]["held"]
        return float(low["hits"] + Fraction(more * (high["hits"] - low["hits"]), high["held"] - low["held"]))

    def share(self, hits: int | Fraction, held: int | Fraction) -> float | None:
        """Return the hits of a policy as a share of the best at what it holds; None where that is 0 as well."""
        best = self.best_hits(held)
        return float(hits) / best if best > 0 else None

    def __repr__(self) -> str:
        last = self.table.slice(self.table.num_rows - 1).to_pylist()[0]
        return (
            f"Bounds of {self.sessions:,} sessions of {self.source}: hit rate {short(last['hit_rate'])} "
            f"from {last['mean_size']:.2f} {self.size} on, {self.kept['mean_size']:.2f} if everything is kept"
        )


def bounds(source: Any, *, seeds: Any = None, size: str = "items", threads: int | None = None) -> Bounds:
    """Return what any policy could reach on a source, knowing the future.

    An item that is to be found by its n-th recall has to be kept from its registration on, since a miss changes
    nothing; where a miss registers its item anew (a trace with ``on_miss="relearn"``), each recall is for itself.
    Holding nothing is possible: an item may go in the very pass of its last touch. The order of taking is greedy by
    cost per hit, as in the linear relaxation of the knapsack problem (Dantzig 1957, Operations Research 5): what is
    relaxed is that the last step can be taken in part.

    Args:
        source, seeds, threads: as in :func:`simulate`.
        size: whether occupancy counts "items" or "tokens".

    Raises:
        InvalidInputError: names every argument that is wrong.

    >>> from vecdecay.sessions import PublishedSessions
    >>> bounds(PublishedSessions(), seeds=range(50))
    Bounds of 50 sessions of published_sessions: hit rate 1.000 from 0.90 items on, 229.50 if everything is kept
    """
    spec, threads = checked_arguments(source, KeepAll(), seeds, "sessions", "auto", None, threads)
    if size not in SIZES:
        raise InvalidInputError([f"size is {brief(size)}; allowed: {', '.join(SIZES)}"])
    relearn = spec.workload.relearns
    steps = over_blocks(spec, threads, lambda block: steps_of(block, relearn), merged)
    kept = _row(steps, int(steps.all_kept[0]), int(steps.all_kept[1 + SIZES.index(size)]))
    rows = [_row(steps, *one) for one in _line(steps, size)]
    table = pa.Table.from_pylist(rows, _SCHEMA)
    return Bounds(spec.workload_kind, len(spec.seeds), size, steps.recalls, steps.session_turns, table, kept)


_SCHEMA = pa.schema(
    [("held", pa.int64()), ("hits", pa.int64()), ("mean_size", pa.float64()), ("hit_rate", pa.float64())]
)


def _line(steps: Steps, size: str) -> Sequence[tuple[int, int]]:
    """Return (hits, held) after all steps of one cost per hit, the cheapest first."""
    by_cost: dict[Fraction, list[int]] = {}
    for (hits, turns, tokens), times in zip(steps.rows.tolist(), steps.times.tolist(), strict=True):
        held = turns * (tokens if size == "tokens" else 1)
        sums = by_cost.setdefault(Fraction(held, hits), [0, 0])
        sums[0] += times * hits
        sums[1] += times * held
    hits, held = int(steps.pinned[0]), int(steps.pinned[1 + SIZES.index(size)])
    free = by_cost.pop(Fraction(0), [0, 0])
    line = [(hits + free[0], held)]
    for cost in sorted(by_cost):
        hits, held = by_cost[cost]
        line.append((line[-1][0] + hits, line[-1][1] + held))
    return line


def _row(steps: Steps, hits: int, held: int) -> dict[str, Any]:
    return {
        "held": held,
        "hits": hits,
        "mean_size": held / steps.session_turns,
        "hit_rate": hits / steps.recalls if steps.recalls else None,
    }
