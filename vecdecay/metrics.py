"""From integer totals to the published metrics, for a whole block at once: one division per value, at the end."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.quantities import ASKED_NAMES, METRIC_NAMES, RELATION_NAMES

__all__ = ["METRIC_NAMES", "RECALL_METRICS", "Column", "columns_beside", "metric_columns", "session_columns"]

Column = tuple[NDArray[np.generic], NDArray[np.bool_] | None]
"""Values, shape (session), and where they are valid; None means everywhere. Invalid places hold 0."""

RECALL_METRICS = ("misses", "hit_rate")
"""The metrics that only recalls and misses make."""

_EXACT_LIMIT = 2**53
"""Below it every integer is a double, and NumPy's quotient is the correctly rounded one, as Python's always is."""


def _quotient(numerator: NDArray[np.int64], denominator: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return numerator / denominator, correctly rounded; the denominators are not 0."""
    if numerator.max(initial=0) < _EXACT_LIMIT:
        return numerator / denominator
    return np.array([one / other for one, other in zip(numerator.tolist(), denominator.tolist(), strict=True)])


def _ratio(numerator: NDArray[np.int64], denominator: NDArray[np.int64], otherwise: float) -> NDArray[np.float64]:
    """Return numerator / denominator, ``otherwise`` where the denominator is 0."""
    if denominator.all():
        return _quotient(numerator, denominator)
    result = np.full(len(numerator), otherwise)
    some = denominator != 0
    result[some] = _quotient(numerator[some], denominator[some])
    return result


def metric_columns(outcome: BlockOutcome) -> dict[str, Column]:
    """Return the metrics of every session, under their names, in the order of ``METRIC_NAMES``."""
    evicted = outcome.foundational_evicted
    mean_working_set = _quotient(outcome.working_set_sum, outcome.session_length)
    footprint = _reduction(mean_working_set, outcome.registrations)
    present, items = outcome.foundational_present, outcome.foundational_items
    rate = _ratio(present, items, 1.0)
    return {
        "foundational_recall_rate": (rate, None),
        "terminal_survival_rate": (rate if items.all() else _ratio(present, items, 0.0), None),
        "survival_time": (_ratio(outcome.survival_sum, evicted, 0.0), evicted > 0),
        "foundational_evicted": (evicted, None),
        "mean_working_set": (mean_working_set, None),
        "footprint_reduction": (footprint, None),
        "misses": (outcome.misses, None),
        "hit_rate": (_ratio(outcome.recalls - outcome.misses, outcome.recalls, 0.0), outcome.recalls > 0),
        **_token_columns(outcome, mean_working_set, footprint),
    }


def _token_columns(
    outcome: BlockOutcome, mean_working_set: NDArray[np.float64], footprint: NDArray[np.float64]
) -> dict[str, Column]:
    """Return the metrics in tokens; where every item has the size 1 they are those in items, and cost nothing."""
    tokens, registered = outcome.token_turns, outcome.registered_tokens
    if np.array_equal(tokens, outcome.working_set_sum) and np.array_equal(registered, outcome.registrations):
        mean_tokens, footprint_tokens = mean_working_set, footprint
    else:
        mean_tokens = _quotient(tokens, outcome.session_length)
        footprint_tokens = _reduction(mean_tokens, registered)
    return {
        "token_turns": (tokens, None),
        "mean_working_set_tokens": (mean_tokens, None),
        "footprint_reduction_tokens": (footprint_tokens, None),
    }


def _reduction(mean_size: NDArray[np.float64], registered: NDArray[np.int64]) -> NDArray[np.float64]:
    with np.errstate(divide="ignore", invalid="ignore"):
        reduction: NDArray[np.float64] = np.where(registered != 0, 1.0 - mean_size / registered, 0.0)
    return reduction


def columns_beside(outcome: BlockOutcome, beside: Sequence[int | str]) -> dict[str, Column]:
    """Return what is measured beside the metrics of every sweep: checkpoints, by their turns, and counts, by name.

    Per checkpoint: how many foundational items were present and which share of all they are.
    """
    columns: dict[str, Column] = {}
    if outcome.stale_hits is not None and outcome.forbidden_hits is not None and outcome.evicted_by_reason is not None:
        counts = (outcome.stale_hits, outcome.forbidden_hits, *outcome.evicted_by_reason)
        known = dict(zip(RELATION_NAMES, counts, strict=True))
        columns |= {name: (known[name], None) for name in beside if name in known}
    columns |= _asked_columns(outcome, [name for name in beside if name in ASKED_NAMES])
    checkpoints = [turn for turn in beside if isinstance(turn, int)]
    for turn, present in zip(checkpoints, outcome.checkpoint_present, strict=True):
        reached = present >= 0
        rate = _ratio(present.astype(np.int64), outcome.foundational_items, 1.0)
        columns[f"foundational_present_at_{turn}"] = (np.where(reached, present, 0), reached)
        columns[f"foundational_recall_rate_at_{turn}"] = (np.where(reached, rate, 0.0), reached)
    return columns


def _asked_columns(outcome: BlockOutcome, asked: Sequence[int | str]) -> dict[str, Column]:
    """Return the metrics that are asked for by name, and the counts that they are made of."""
    columns: dict[str, Column] = {"recalls": (outcome.recalls, None)} if "recalls" in asked else {}
    held = outcome.working_set_sum
    if "token_hit_rate" in asked and outcome.recalled_tokens is not None and outcome.missed_tokens is not None:
        recalled, missed = outcome.recalled_tokens, outcome.missed_tokens
        columns |= {"recalled_tokens": (recalled, None), "missed_tokens": (missed, None)}
        columns["token_hit_rate"] = _ratio(recalled - missed, recalled, 0.0), recalled > 0
    if "dead_weight" in asked and outcome.used_item_turns is not None:
        dead = held - outcome.used_item_turns
        columns |= {"dead_item_turns": (dead, None), "dead_weight": (_ratio(dead, held, 0.0), held > 0)}
    if "saturation" in asked and outcome.saturated_item_turns is not None:
        known = outcome.saturated_item_turns >= 0
        saturated = np.where(known, outcome.saturated_item_turns, 0)
        columns |= {"saturated_item_turns": (saturated, known)}
        columns["saturation"] = _ratio(saturated, held, 0.0), known & (held > 0)
    return columns


def session_columns(outcome: BlockOutcome, beside: Sequence[int | str]) -> dict[str, Column]:
    """Return every measured column of the sessions table, counts beside their ratios."""
    some = outcome.foundational_evicted > 0
    return {
        "foundational_items": (outcome.foundational_items, None),
        "foundational_present": (outcome.foundational_present, None),
        "survival_time_sum": (outcome.survival_sum, None),
        "survival_time_minimum": (outcome.survival_minimum, some),
        "survival_time_maximum": (outcome.survival_maximum, some),
        "items_evicted": (outcome.items_evicted, None),
        "working_set_sum": (outcome.working_set_sum, None),
        "registrations": (outcome.registrations, None),
        "recalls": (outcome.recalls, None),
        "registered_tokens": (outcome.registered_tokens, None),
        **metric_columns(outcome),
        **columns_beside(outcome, beside),
    }
