"""All invariants that a policy should keep, in the order of a report; a policy names those that its source breaks.

An invariant is called with a policy: ``never_rises_with_age(policy)`` raises with the smallest example against it.
"""

from vecdecay.testing.invariant import Invariant
from vecdecay.testing.invariants_of_caches import a_larger_capacity_never_loses_hits, belady_has_no_fewer_hits
from vecdecay.testing.invariants_of_engines import compiled_equals_plain, vectorised_equals_reference
from vecdecay.testing.invariants_of_parameters import every_parameter_changes_some_outcome, nested_in_the_threshold
from vecdecay.testing.invariants_of_passes import (
    pinned_is_never_evicted,
    reading_a_score_changes_nothing,
    row_order_does_not_matter,
    stepping_less_often_only_delays,
    stepping_twice_changes_nothing,
)
from vecdecay.testing.invariants_of_scores import (
    a_recall_never_shortens_life,
    evicted_is_below_the_threshold,
    exactly_1_at_age_0,
    finite_after_a_million_recalls,
    never_rises_with_age,
    retention_is_from_0_to_1,
)

_ALL = (
    retention_is_from_0_to_1,
    never_rises_with_age,
    a_recall_never_shortens_life,
    exactly_1_at_age_0,
    finite_after_a_million_recalls,
    reading_a_score_changes_nothing,
    stepping_twice_changes_nothing,
    stepping_less_often_only_delays,
    row_order_does_not_matter,
    pinned_is_never_evicted,
    nested_in_the_threshold,
    evicted_is_below_the_threshold,
    every_parameter_changes_some_outcome,
    a_larger_capacity_never_loses_hits,
    belady_has_no_fewer_hits,
    vectorised_equals_reference,
    compiled_equals_plain,
)

INVARIANTS: dict[str, Invariant] = {invariant.name: invariant for invariant in _ALL}
"""The invariants by name."""
