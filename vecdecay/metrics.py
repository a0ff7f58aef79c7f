"""From integer totals to the published metrics, for a whole block at once: one division per value, at the end."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.quantities import METRIC_NAMES

__all__ = ["METRIC_NAMES", "Column", "checkpoint_columns", "metric_columns", "session_columns"]

Column = tuple[NDArray[np.generic], NDArray[np.bool_] | None]
"""Values, shape (session), and where they are valid; None means everywhere. Invalid places hold 0."""


def _ratio(numerator: NDArray[np.int64], denominator: NDArray[np.int64], otherwise: float) -> NDArray[np.float64]:
    """Return numerator / denominator, ``otherwise`` where the denominator is 0.

    Both are below 2**53, so the division of doubles is the correctly rounded quotient, as Python's of integers is.
    """
    if denominator.all():
        return numerator / denominator
    result = np.full(len(numerator), otherwise)
    np.divide(numerator, denominator, out=result, where=denominator != 0)
    return result


def metric_columns(outcome: BlockOutcome) -> dict[str, Column]:
    """Return the metrics of every session, under their names, in the order of ``METRIC_NAMES``."""
    evicted = outcome.foundational_evicted
    mean_working_set = outcome.working_set_sum / outcome.session_length
    registrations = outcome.registrations
    with np.errstate(divide="ignore", invalid="ignore"):
        footprint = np.where(registrations != 0, 1.0 - mean_working_set / registrations, 0.0)
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
    }


def checkpoint_columns(outcome: BlockOutcome, checkpoints: Sequence[int]) -> dict[str, Column]:
    """Return, per checkpoint, how many foundational items were present and which share of all they are."""
    columns: dict[str, Column] = {}
    for turn, present in zip(checkpoints, outcome.checkpoint_present, strict=True):
        reached = present >= 0
        rate = _ratio(present.astype(np.int64), outcome.foundational_items, 1.0)
        columns[f"foundational_present_at_{turn}"] = (np.where(reached, present, 0), reached)
        columns[f"foundational_recall_rate_at_{turn}"] = (np.where(reached, rate, 0.0), reached)
    return columns


def session_columns(outcome: BlockOutcome, checkpoints: Sequence[int]) -> dict[str, Column]:
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
        **metric_columns(outcome),
        **checkpoint_columns(outcome, checkpoints),
    }
