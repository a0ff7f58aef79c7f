"""Faults of the answers: bounds that some policy beats or none reaches.

See ``planted_faults.py``. The kernels run as plain Python there.
"""

from planted_faults import Fault

BOUND, STEPS, LINE = "engines/kernels/bound_kernel.py", "engines/by_bound.py", "run/bounds.py"

ANSWER_FAULTS = (
    Fault(
        "a cheap recall is served before the one it depends on",
        BOUND, "                            not relearn\n", "                            relearn\n",
        "test_run_bounds::test_no_way_of_dropping_items_is_better",
    ),
    Fault(
        "an item that expired can still be found",
        BOUND, "there = there and not gone", "there = there",
        "test_run_bounds::test_no_way_of_dropping_items_is_better",
    ),
    Fault(
        "what pinned items hold is not counted",
        BOUND, "totals[PINNED_TURNS] += held", "totals[PINNED_TURNS] += 0",
        "test_run_bounds::test_less_than_pinned_items_hold_cannot_be",
    ),
    Fault(
        "equal steps of several blocks count once",
        STEPS, "np.add.reduceat(times, starts)", "times[starts]",
        "test_run_bounds::test_blocks_are_added_up",
    ),
    Fault(
        "dear recalls are served first",
        LINE, "for cost in sorted(by_cost)", "for cost in sorted(by_cost, reverse=True)",
        "test_run_bounds::test_no_way_of_dropping_items_is_better",
    ),
    Fault(
        "between two rows the lower one holds",
        LINE, 'return float(low["hits"] + ', 'return float(low["hits"] + 0 * ',
        "test_run_bounds::test_no_way_of_dropping_items_is_better",
    ),
)  # fmt: skip
