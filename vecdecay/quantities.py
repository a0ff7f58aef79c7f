"""Every named quantity that a result can hold: type, dimensions, unit and meaning, once.

Parquet schemas, field metadata, ``vecdecay explain`` and the checks of the tables are made from these records.
"""

from dataclasses import dataclass

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import did_you_mean


@dataclass(frozen=True)
class Quantity:
    """One column: ``dtype`` as Arrow names it, ``dimensions`` in the order (cell, session, item, turn or miss)."""

    name: str
    dtype: str
    dimensions: tuple[str, ...]
    unit: str
    meaning: str
    nullable: bool = False


@dataclass(frozen=True)
class Metric:
    """One measured value per session, summarised over the sessions of a cell.

    ``interval`` is "rate" where the value is a share of items, from 0 to 1, and "mean" elsewhere: see ``rate_interval``
    and ``student_interval`` in ``analysis.intervals``.
    """

    name: str
    unit: str
    meaning: str
    formula: str
    interval: str
    better: str  # "higher", "lower" or "neither"


_SESSION = ("cell", "session")
_VALUE = ("cell", "metric", "value")
_ITEM = ("cell", "session", "item")
_TURN = ("cell", "session", "turn")
_MISS = ("cell", "session", "miss")
_REASON = "why the item was evicted last: decayed, capacity, forgotten (on request), superseded, expired or cascaded"

METRICS: tuple[Metric, ...] = (
    Metric(
        "foundational_recall_rate",
        "share",
        "share of the foundational items that are in the working set after the last turn",
        "foundational_present / foundational_items; 1.0 without foundational items",
        "rate",
        "higher",
    ),
    Metric(
        "terminal_survival_rate",
        "share",
        "the same share under the published name; the two differ only where there is no foundational item",
        "foundational_present / foundational_items; 0.0 without foundational items",
        "rate",
        "higher",
    ),
    Metric(
        "survival_time",
        "turns",
        "mean time from registration to eviction of the foundational items that were evicted; null when none was",
        "survival_time_sum / foundational_evicted",
        "mean",
        "higher",
    ),
    Metric(
        "foundational_evicted",
        "items",
        "foundational items that were evicted at least once",
        "a count",
        "mean",
        "lower",
    ),
    Metric(
        "mean_working_set",
        "items",
        "items in the working set after the pass of a turn, averaged over the turns",
        "working_set_sum / session_length",
        "mean",
        "lower",
    ),
    Metric(
        "footprint_reduction",
        "share",
        "share of all registered items that the working set does without, averaged over the turns",
        "1 - mean_working_set / registrations; 0.0 without registrations",
        "mean",
        "higher",
    ),
    Metric("misses", "recalls", "recalls of items that were not in the working set", "a count", "mean", "lower"),
    Metric(
        "hit_rate",
        "share",
        "share of the recalls that found their item; null when nothing was recalled",
        "(recalls - misses) / recalls",
        "rate",
        "higher",
    ),
    Metric(
        "token_turns",
        "tokens",
        "tokens of the items in the working set after the pass of a turn, summed over the turns",
        "sum over the turns of the tokens in the working set; working_set_sum where items have no sizes",
        "mean",
        "lower",
    ),
    Metric(
        "mean_working_set_tokens",
        "tokens",
        "tokens of the items in the working set after the pass of a turn, averaged over the turns",
        "token_turns / session_length; mean_working_set where items have no sizes",
        "mean",
        "lower",
    ),
    Metric(
        "footprint_reduction_tokens",
        "share",
        "share of all registered tokens that the working set does without, averaged over the turns",
        "1 - mean_working_set_tokens / registered_tokens; footprint_reduction where items have no sizes",
        "mean",
        "higher",
    ),
)

UNSIZED_TWINS = {
    "token_turns": "working_set_sum",
    "mean_working_set_tokens": "mean_working_set",
    "footprint_reduction_tokens": "footprint_reduction",
}
"""For each metric in tokens the column that equals it where every item has the size 1, and is stored alone then."""

METRIC_NAMES: tuple[str, ...] = tuple(metric.name for metric in METRICS)

_EVICTED = {
    "decayed": "evicted because the policy's rule said so",
    "capacity": "evicted because the memory was full",
    "forgotten": "removed on request",
    "superseded": "removed because a newer version came",
    "expired": "removed because their time was over",
    "cascaded": "removed because something that they were derived from was to be forgotten",
}

RELATION_METRICS: tuple[Metric, ...] = (
    Metric(
        "stale_hits",
        "recalls",
        "recalls that found an outdated version: the item had been superseded, and not registered anew since",
        "a count",
        "mean",
        "lower",
    ),
    Metric(
        "forbidden_hits",
        "recalls",
        "recalls that found what was to be forgotten, or something derived from it, and not registered anew since",
        "a count",
        "mean",
        "lower",
    ),
    *(
        Metric(f"evicted_{reason}", "items", f"items that were last {words}", "a count", "mean", "neither")
        for reason, words in _EVICTED.items()
    ),
)
"""Metrics of sources in which items supersede each other or are derived from each other; other results lack them."""

SATURATED = 0.95
"""The retention above which an item is as good as new: such items cannot be told apart by it."""

ASKED_METRICS: tuple[Metric, ...] = (
    Metric("recalls", "recalls", "recalls of the session, those that missed included", "a count", "mean", "neither"),
    Metric(
        "token_hit_rate",
        "share",
        "share of the recalled tokens whose recall found its item: a hit counts by the size of the item; null without",
        "(recalled_tokens - missed_tokens) / recalled_tokens",
        "mean",
        "higher",
    ),
    Metric(
        "dead_weight",
        "share",
        "share of what the working set holds, turn by turn, that is not recalled again before it goes (dead blocks in "
        "the literature on caches); null where it held nothing",
        "dead_item_turns / working_set_sum",
        "mean",
        "lower",
    ),
    Metric(
        "saturation",
        "share",
        f"share of what the working set holds, turn by turn, whose retention is above {SATURATED} after the pass; null "
        "where it held nothing, and under policies without a retention; the scalar engine measures it",
        "saturated_item_turns / working_set_sum",
        "mean",
        "neither",
    ),
)
"""Metrics that are measured where they are asked for by name, since they take time."""

ALL_METRICS = METRICS + RELATION_METRICS + ASKED_METRICS
RELATION_NAMES: tuple[str, ...] = tuple(metric.name for metric in RELATION_METRICS)
ASKED_NAMES: tuple[str, ...] = tuple(metric.name for metric in ASKED_METRICS)

SUMMARY_SUFFIXES: tuple[tuple[str, str], ...] = (
    ("mean", "exact mean over the sessions that have a value"),
    ("standard_deviation", "exact standard deviation (divisor n - 1) over those sessions; null below two"),
    ("minimum", "smallest value"),
    ("maximum", "largest value"),
    ("low", "lower end of the 95 % interval of the mean; the unit is the session"),
    ("high", "upper end of the 95 % interval of the mean"),
    ("sessions", "number of sessions that have a value"),
)

CELL_COLUMNS: tuple[Quantity, ...] = (
    Quantity("cell", "int32", ("cell",), "", "number of the cell: one policy with its parameters on one workload"),
    Quantity("policy", "string", ("cell",), "", "label of the policy"),
    Quantity("policy_kind", "string", ("cell",), "", "name of the policy"),
    Quantity("workload", "string", ("cell",), "", "name of the workload"),
    Quantity("engine", "string", ("cell",), "", "engine that played the cell; every engine gives the same values"),
    Quantity("sessions", "int64", ("cell",), "sessions", "number of sessions played, one per seed"),
)

SESSION_COLUMNS: tuple[Quantity, ...] = (
    Quantity("cell", "int32", _SESSION, "", "number of the cell"),
    Quantity("seed", "int64", _SESSION, "", "seed of the session; text where a seed does not fit 64 bits"),
    Quantity("foundational_items", "int32", _SESSION, "items", "foundational items of the session"),
    Quantity("foundational_present", "int32", _SESSION, "items", "of these, in the working set after the last turn"),
    Quantity("foundational_evicted", "int32", _SESSION, "items", "of these, evicted at least once"),
    Quantity("foundational_recall_rate", "float64", _SESSION, "share", METRICS[0].meaning),
    Quantity("terminal_survival_rate", "float64", _SESSION, "share", METRICS[1].meaning),
    Quantity("survival_time", "float64", _SESSION, "turns", METRICS[2].meaning, nullable=True),
    Quantity(
        "survival_time_sum", "int64", _SESSION, "turns", "survival times summed over the evicted foundational items"
    ),
    Quantity("survival_time_minimum", "int32", _SESSION, "turns", "shortest survival time; null when none", True),
    Quantity("survival_time_maximum", "int32", _SESSION, "turns", "longest survival time; null when none", True),
    Quantity("items_evicted", "int32", _SESSION, "items", "items of either kind that were evicted at least once"),
    Quantity("working_set_sum", "int64", _SESSION, "items", "working-set size summed over the turns"),
    Quantity("mean_working_set", "float64", _SESSION, "items", METRICS[4].meaning),
    Quantity("registrations", "int32", _SESSION, "items", "register events of the session"),
    Quantity("footprint_reduction", "float64", _SESSION, "share", METRICS[5].meaning),
    Quantity("recalls", "int32", _SESSION, "recalls", "recall events of the session"),
    Quantity("misses", "int32", _SESSION, "recalls", METRICS[6].meaning),
    Quantity("hit_rate", "float64", _SESSION, "share", METRICS[7].meaning, nullable=True),
)

TOKEN_COLUMNS: tuple[Quantity, ...] = (
    Quantity("registered_tokens", "int64", _SESSION, "tokens", "tokens of the items of all register events"),
    *(
        Quantity(one.name, "int64" if one.name == "token_turns" else "float64", _SESSION, one.unit, one.meaning)
        for one in METRICS
        if one.name in UNSIZED_TWINS
    ),
)
"""Columns of the sessions table where the items of the workload have sizes."""

RELATION_COLUMNS: tuple[Quantity, ...] = tuple(
    Quantity(one.name, "int32", _SESSION, one.unit, one.meaning) for one in RELATION_METRICS
)
"""Columns of the sessions table where items of the source supersede each other or are derived from each other."""

HISTOGRAM_COLUMNS: tuple[Quantity, ...] = (
    Quantity("cell", "int32", _VALUE, "", "number of the cell"),
    Quantity("metric", "string", _VALUE, "", "name of the metric"),
    Quantity(
        "value", "float64", _VALUE, "", "value of the metric; null counts the sessions that have none", nullable=True
    ),
    Quantity("count", "int64", _VALUE, "sessions", "number of sessions with this value"),
    Quantity(
        "moments",
        "string",
        _VALUE,
        "",
        "exact sum, sum of squares, minimum and maximum as JSON, where a metric has too many values for a row each",
        nullable=True,
    ),
)
"""Columns of the histograms table: a row per cell, metric and value."""

CHECKPOINT_COLUMNS: tuple[Quantity, ...] = (
    Quantity(
        "foundational_present_at_{turn}",
        "int32",
        _SESSION,
        "items",
        "foundational items in the working set after the pass of turn {turn}; null after the session's end",
        nullable=True,
    ),
    Quantity(
        "foundational_recall_rate_at_{turn}",
        "float64",
        _SESSION,
        "share",
        "share of the foundational items in the working set after the pass of turn {turn}",
        nullable=True,
    ),
)

ITEM_COLUMNS: tuple[Quantity, ...] = (
    Quantity("cell", "int32", _ITEM, "", "number of the cell"),
    Quantity("seed", "int64", _ITEM, "", "seed of the session; text where a seed does not fit 64 bits"),
    Quantity("item", "int32", _ITEM, "", "number of the item in its session, foundational items first"),
    Quantity("kind", "string", _ITEM, "", "foundational or noise"),
    Quantity(
        "registered_turn", "int32", _ITEM, "turns", "turn of the latest registration; null if there was none", True
    ),
    Quantity("last_touch", "int32", _ITEM, "turns", "turn of the latest registration or successful recall", True),
    Quantity(
        "recall_count", "int32", _ITEM, "uses", "uses since the latest registration, which counts as the first", True
    ),
    Quantity(
        "stability",
        "float64",
        _ITEM,
        "turns",
        "stability, in seconds where the policy reads recorded time; null where it has none",
        True,
    ),
    Quantity(
        "evicted_turn",
        "int32",
        _ITEM,
        "turns",
        "turn of the latest eviction; null if there was none. An item registered again afterwards keeps the entry, so "
        "look at present to see whether an item survived",
        nullable=True,
    ),
    Quantity("evicted_reason", "string", _ITEM, "", f"{_REASON}; null if it never was", nullable=True),
    Quantity("present", "bool", _ITEM, "", "whether the item is in the working set after the last turn"),
    Quantity("hits", "int32", _ITEM, "recalls", "recalls that found the item"),
    Quantity("misses", "int32", _ITEM, "recalls", "recalls that did not find the item"),
    Quantity("importance", "float64", _ITEM, "", "importance of the item, from 0 to 1"),
    Quantity("category", "string", _ITEM, "", "category of the item"),
    Quantity("pinned", "bool", _ITEM, "", "whether the item is pinned, and never evicted by a policy"),
)

TURN_COLUMNS: tuple[Quantity, ...] = (
    Quantity("cell", "int32", _TURN, "", "number of the cell"),
    Quantity("seed", "int64", _TURN, "", "seed of the session; text where a seed does not fit 64 bits"),
    Quantity("turn", "int32", _TURN, "turns", "turn, counted from 1"),
    Quantity("working_set", "int32", _TURN, "items", "items in the working set after the turn's eviction pass"),
    Quantity("foundational_present", "int32", _TURN, "items", "foundational items among them"),
    Quantity(
        "foundational_recall_rate",
        "float64",
        _TURN,
        "share",
        "foundational items among them, as a share of all of them",
    ),
)

MISS_COLUMNS: tuple[Quantity, ...] = (
    Quantity("cell", "int32", _MISS, "", "number of the cell"),
    Quantity("seed", "int64", _MISS, "", "seed of the session; text where a seed does not fit 64 bits"),
    Quantity("turn", "int32", _MISS, "turns", "turn of a recall that did not find its item; in the order of play"),
    Quantity("item", "int32", _MISS, "", "number of the item in its session"),
    Quantity(
        "evicted_turn",
        "int32",
        _MISS,
        "turns",
        "turn of the eviction that had removed the item; null if it was never there",
        nullable=True,
    ),
    Quantity("evicted_reason", "string", _MISS, "", f"{_REASON}; null if it was never there", nullable=True),
    Quantity(
        "turns_late",
        "int32",
        _MISS,
        "turns",
        "turn - evicted_turn: by how much the recall came too late, for in the turn of its eviction by a pass it would "
        "have rescued the item; 0 where the item was removed earlier in the same turn",
        nullable=True,
    ),
)


LEADING_METRICS = ("hit_rate", "foundational_recall_rate")
"""Shown where a sweep names no metrics: what was answered, then what of the foundational items is there at the end."""


def metric_named(name: str) -> Metric:
    """Return the metric of that name; raise InvalidInputError with the nearest name if there is none."""
    for metric in ALL_METRICS:
        if metric.name == name:
            return metric
    known = ", ".join(METRIC_NAMES)
    hint = did_you_mean(name, [one.name for one in ALL_METRICS])
    raise InvalidInputError([f"metric {name!r} is unknown; allowed: {known}{hint}"])
