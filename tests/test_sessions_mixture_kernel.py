"""Tests of vecdecay.sessions.mixture_kernel: the choice is a function of the seed alone, compiled and plain."""

import numpy as np

from vecdecay.sessions.draws import plain, weight_table
from vecdecay.sessions.mixture_kernel import choose_component, choose_components


def test_choices_are_the_same_one_by_one_and_together() -> None:
    """Any order and any number of sessions; compiled as plain."""
    table = weight_table((0.2, 0.0, 0.5, 0.3))
    keys = np.random.default_rng(1).integers(-(2**63), 2**63 - 1, 2000)
    together = np.empty(2000, dtype=np.int64)
    choose_components(keys, 11, *table, together)
    backwards = np.empty(2000, dtype=np.int64)
    choose_components(keys[::-1].copy(), 11, *table, backwards)
    assert together.tolist() == backwards[::-1].tolist()
    thresholds, guide = (part.tolist() for part in table)
    assert together.tolist() == [plain(choose_component)(key, 11, thresholds, guide) for key in keys.tolist()]
    assert set(together.tolist()) == {0, 2, 3}
