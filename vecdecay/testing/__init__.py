"""A kit for the tests of your own policies: Hypothesis strategies, and invariants that a policy keeps (extra ``test``).

>>> from vecdecay.policies import RecencyWindow
>>> from vecdecay.testing import check_policy, never_rises_with_age
>>> never_rises_with_age(RecencyWindow(window_size=15))
>>> check_policy(RecencyWindow(window_size=15), examples=10).sound
True
"""

from vecdecay.testing.design_notes import DESIGN_NOTES, DesignNote, design_notes
from vecdecay.testing.invariant import BrokenInvariantError
from vecdecay.testing.invariants import INVARIANTS
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
from vecdecay.testing.report import CheckReport, InvariantResult, check_policy
from vecdecay.testing.strategies import policies, published_sessions, sessions

__all__ = [
    "DESIGN_NOTES",
    "INVARIANTS",
    "BrokenInvariantError",
    "CheckReport",
    "DesignNote",
    "InvariantResult",
    "a_larger_capacity_never_loses_hits",
    "a_recall_never_shortens_life",
    "belady_has_no_fewer_hits",
    "check_policy",
    "compiled_equals_plain",
    "design_notes",
    "every_parameter_changes_some_outcome",
    "evicted_is_below_the_threshold",
    "exactly_1_at_age_0",
    "finite_after_a_million_recalls",
    "nested_in_the_threshold",
    "never_rises_with_age",
    "pinned_is_never_evicted",
    "policies",
    "published_sessions",
    "reading_a_score_changes_nothing",
    "retention_is_from_0_to_1",
    "row_order_does_not_matter",
    "sessions",
    "stepping_less_often_only_delays",
    "stepping_twice_changes_nothing",
    "vectorised_equals_reference",
]
