"""Faults that somebody could make, one change of text each, and the test that finds each of them.

``test_planted_faults.py`` plants them one by one in a copy of the package and runs the named test against it. A fault
whose original text is no longer there, or is there twice, fails as well: then the list has to follow the code.
"""

from typing import NamedTuple


class Fault(NamedTuple):
    """A change of ``original`` into ``faulty`` in a file of the package, and the test that must notice it.

    The test is named as module::function, and is run with every case of its parameters.
    """

    name: str
    file: str
    original: str
    faulty: str
    test: str


REFERENCE, SCHEDULE = "engines/reference.py", "sessions/published_kernel.py"
TABLE, LOCKSTEP = "engines/kernels/item_kernel.py", "engines/kernels/lockstep_kernel.py"
FORMULAS, PASSES = "engines/kernels/formulas.py", "engines/kernels/passes.py"
MEMORY, STATEFUL = "engines/scalar_memory.py", "engines/kernels/stateful_kernel.py"
STREAM = "engines/kernels/published_kernel.py"

FAULTS = (
    # What a turn means: the scalar reference.
    Fault(
        "the score as a product with the reciprocal",
        REFERENCE, "math.exp(-age / state.stability)", "math.exp(-age * (1.0 / state.stability))",
        "test_engines_reference::test_the_score_is_exp_of_minus_age_over_stability",
    ),
    Fault(
        "an item at the threshold is evicted",
        REFERENCE,
        "_retention(state, turn) < self.eviction_threshold", "_retention(state, turn) <= self.eviction_threshold",
        "test_engines_reference::test_equality_with_threshold_or_window_survives",
    ),
    Fault(
        "an item at the window is evicted",
        REFERENCE, "turn - state.last_touch > self.window_size", "turn - state.last_touch >= self.window_size",
        "test_engines_reference::test_equality_with_threshold_or_window_survives",
    ),
    Fault(
        "half the reinforcement",
        REFERENCE, "1.0 + self.reinforcement_gain * math.log", "1.0 + 0.5 * self.reinforcement_gain * math.log",
        "test_engines_reference::test_reinforcement_counts_from_one_and_raises_before_use",
    ),
    Fault(
        "the logarithm is taken of the count itself",
        REFERENCE, "math.log(1.0 + state.recall_count)", "math.log(state.recall_count)",
        "test_engines_reference::test_reinforcement_counts_from_one_and_raises_before_use",
    ),
    Fault(
        "the registration does not count as a use",
        "engines/scalar_memory.py", "self.recall_count = 1", "self.recall_count = 0",
        "test_engines_reference::test_reinforcement_counts_from_one_and_raises_before_use",
    ),
    Fault(
        "registering again keeps the reinforcement",
        MEMORY,
        "        self.memory[item] = ItemState(turn, self.fresh(item, turn), expires_turn)\n",
        "        old = self.memory.get(item)\n"
        "        stability = old.stability if old else self.fresh(item, turn)\n"
        "        self.memory[item] = ItemState(turn, stability, expires_turn)\n",
        "test_engines_reference::test_a_reinforced_item_starts_anew",
    ),
    Fault(
        "a recall within the cooldown prolongs the cooldown",
        MEMORY, "            state.last_counted = turn\n", "        state.last_counted = turn\n",
        "test_engines_scalar_memory::test_a_recall_within_the_cooldown_refreshes_and_does_not_count",
    ),
    Fault(
        "an item expires a turn late",
        MEMORY, "NO_TURN < state.expires_turn <= turn", "NO_TURN < state.expires_turn < turn",
        "test_engines_scalar_memory::test_passes_run_in_multiples_of_the_period_and_expiry_in_every_turn",
    ),
    Fault(
        "a pass before the events of the turn",
        REFERENCE,
        "        for place, kind, item, grade in by_turn.get(turn, ()):\n",
        "        engine.step(turn)\n        for place, kind, item, grade in by_turn.get(turn, ()):\n",
        "test_engines_reference::test_a_whole_session_by_hand",
    ),
    Fault(
        "no pass in the first turn of all, but one after the last",
        REFERENCE, "        engine.step(turn)\n", "        engine.step(turn - 1)\n",
        "test_engines_reference::test_a_whole_session_by_hand",
    ),
    Fault(
        "a miss is not counted",
        REFERENCE, "trace.items[item].misses += not found", "trace.items[item].misses += 0",
        "test_engines_reference::test_a_whole_session_by_hand",
    ),
    Fault(
        "survival is counted from the last touch",
        REFERENCE, "item.evicted_turn - item.registered_turn\n", "item.evicted_turn - item.last_touch\n",
        "test_metrics::test_the_reference_and_the_kernels_measure_the_worked_example",
    ),
    # The formula of the policy, and its table.
    Fault(
        "the count is raised after its use",
        "policies/ebbinghaus.py", "math.log(1.0 + count)", "math.log(1.0 + (count - 1))",
        "test_policies_ebbinghaus::test_reinforcement_one_recall_at_a_time",
    ),
    Fault(
        "the policy evicts at the threshold",
        "policies/ebbinghaus.py",
        "self.retention(age, recall_count) < self.eviction_threshold",
        "self.retention(age, recall_count) <= self.eviction_threshold",
        "test_exactness_published::test_a_score_that_equals_the_threshold_survives",
    ),
    Fault(
        "NumPy's exponential in the policy",
        "policies/ebbinghaus.py",
        "math.exp(-age / self.stability(recall_count))",
        'float(__import__("numpy").exp(-age / self.stability(recall_count)))',
        "test_policies_ebbinghaus::test_retention_is_one_division_and_one_exponential",
    ),
    Fault(
        "the window of the policy is not strict",
        "policies/recency_window.py", "return age > self.window_size", "return age >= self.window_size",
        "test_policies_recency_window::test_the_comparison_is_strict",
    ),
    Fault(
        "the closed form is trusted",
        "engines/horizon.py",
        "return _search_down(evicts, start) if evicts(start) else _search_up(evicts, start)",
        "return start",
        "test_engines_horizon::test_exact_boundaries",
    ),
    Fault(
        "the search stops one turn early",
        "engines/horizon.py", "while evicted - kept > 1:", "while evicted - kept > 2:",
        "test_engines_horizon::test_a_far_guess_finds_every_horizon",
    ),
    # The table kernel.
    Fault(
        "a recall in the turn of expiry comes too late",
        TABLE, "if present and (leaves < turn or removed):", "if present and (leaves <= turn or removed):",
        "test_engines_kernels_item_kernel::test_a_recall_in_the_turn_of_expiry_rescues_and_the_next_turn_is_too_late",
    ),
    Fault(
        "the pass of the last turn is left out",
        TABLE, "present = leaves > length", "present = leaves >= length",
        "test_engines_kernels_item_kernel::test_the_last_turn_counts",
    ),
    Fault(
        "lives one turn too short",
        TABLE, "leaves = turn + life\n", "leaves = turn + life - 1\n",
        "test_engines_kernels_item_kernel::test_an_untouched_item",
    ),
    Fault(
        "survivors are not held in the last turn",
        TABLE, "end = length + 1 if present else leaves", "end = length if present else leaves",
        "test_engines_kernels_item_kernel::test_the_last_turn_counts",
    ),
    Fault(
        "registering again keeps the recall count",
        TABLE,
        "recall_count = True, turn, turn, turn, 1",
        "recall_count = True, turn, turn, turn, max(recall_count, 1)",
        "test_engines_kernels_item_kernel::test_registering_again_while_there",
    ),
    Fault(
        "registering a live item begins a new interval",
        TABLE,
        "entered = entered if present else turn",
        "entered = turn",
        "test_engines_kernels_item_kernel::test_registering_again_while_there",
    ),
    Fault(
        "a return after the eviction erases the eviction",
        TABLE, "evicted = evicted if present else leaves", "evicted = 0 if present else leaves",
        "test_engines_kernels_item_kernel::test_registering_again_after_the_eviction",
    ),
    Fault(
        "a forgotten item is said to have decayed",
        TABLE, "reason = kind + 1 if removed else why", "reason = why",
        "test_agreement_events::test_a_request_removes_at_once",
    ),
    Fault(
        "in the table kernel an item expires a turn late",
        TABLE, "last = max(np.int64(item_expires[item]), turn)", "last = max(np.int64(item_expires[item]) + 1, turn)",
        "test_agreement_events::test_an_item_is_found_in_its_last_turn",
    ),
    Fault(
        "in the table kernel expiry comes before decay",
        TABLE, "and last < leaves", "and last <= leaves",
        "test_agreement_events::test_decay_comes_before_expiry",
    ),
    # The lockstep kernel, its formulas, and what it shares with the stateful kernel.
    Fault(
        "the kernel evicts at the threshold",
        FORMULAS, "math.exp(-age / stability) < threshold", "math.exp(-age / stability) <= threshold",
        "test_engines_kernels_lockstep_kernel::test_evictions_fall_in_the_turn_that_the_predicate_names",
    ),
    Fault(
        "the kernel's score as a product with the reciprocal",
        FORMULAS, "math.exp(-age / stability) < threshold", "math.exp(-age * (1.0 / stability)) < threshold",
        "test_exactness_formulas::test_eviction_decisions_compiled_and_plain",
    ),
    Fault(
        "NumPy's exponential in the kernel",
        FORMULAS, "math.exp(-age / stability) < threshold", "np.exp(-age / stability) < threshold",
        "test_exactness_formulas::test_eviction_decisions_compiled_and_plain",
    ),
    Fault(
        "the kernel's window is not strict",
        FORMULAS,
        "age - 1 > threshold:\n        age -= 1\n    while not age > threshold:",
        "age - 1 >= threshold:\n        age -= 1\n    while not age >= threshold:",
        "test_exactness_formulas::test_window_horizons_and_a_scan_of_the_predicate",
    ),
    Fault(
        "a recall in the turn of expiry comes too late in the kernel",
        LOCKSTEP, "int(touch_turn[at + 1]) - 1", "int(touch_turn[at + 1])",
        "test_engines_kernels_lockstep_kernel::test_a_recall_in_the_turn_of_expiry_rescues",
    ),
    Fault(
        "log1p in place of log",
        FORMULAS, "math.log(1.0 + count)", "math.log1p(count)",
        "test_exactness_formulas::test_reinforcement_compiled_and_plain",
    ),
    Fault(
        "stability in single precision",
        FORMULAS, "min(state[0] * factor,", "min(float(np.float32(state[0] * factor)),",
        "test_engines_kernels_lockstep_kernel::test_the_kernel_computes_stability_itself",
    ),
    Fault(
        "items that expire in the last turn are called present",
        LOCKSTEP, "until = length if last", "until = length - 1 if last",
        "test_engines_kernels_lockstep_kernel::test_the_last_turn_counts",
    ),
    Fault(
        "in the lockstep kernel a request to forget works a turn before",
        LOCKSTEP, "gone, why = turn, int(kind) + 1", "gone, why = turn - 1, int(kind) + 1",
        "test_agreement_events::test_a_request_removes_at_once",
    ),
    Fault(
        "what expired before it came stays for ever",
        STATEFUL, "limit = min(until, max(expires, since))", "limit = min(until, expires)",
        "test_agreement_events::test_what_expired_before_it_came_goes_in_its_first_pass",
    ),
    Fault(
        "halving evicts at the threshold",
        PASSES,
        "if retention(parameters, state, clock(middle * period, unit) + inclusive) < threshold",
        "if retention(parameters, state, clock(middle * period, unit) + inclusive) <= threshold",
        "test_engines_kernels_stateful_kernel::test_a_score_that_is_not_increasing",
    ),
    Fault(
        "the grace is not waited for where the state changes from turn to turn",
        PASSES,
        "        if turn < earliest or turn % period != 0:\n            continue\n        if retention",
        "        if turn % period != 0:\n            continue\n        if retention",
        "test_engines_kernels_stateful_kernel::test_a_state_that_changes_from_turn_to_turn",
    ),
    Fault(
        "a pass runs in another turn than a multiple of the period",
        "policies/rules.py", "turn + -turn % period_turns", "turn + turn % period_turns",
        "test_engines_kernels_stateful_kernel::test_a_score_that_is_not_increasing",
    ),
    Fault(
        "survival is counted from the last touch in the totals",
        "engines/kernels/sums_kernel.py",
        "survival = evicted - np.int64(items[item])", "survival = evicted - np.int64(items[stride + item])",
        "test_metrics::test_the_reference_and_the_kernels_measure_the_worked_example",
    ),
    # Items that are never touched again, totals, checkpoints.
    Fault(
        "one cohort turn too many is evicted",
        "engines/cohorts.py",
        "evicted = _clamp(length - horizon - cohort.first_turn + 1, turns)",
        "evicted = _clamp(length - horizon - cohort.first_turn + 2, turns)",
        "test_engines_cohorts::test_sums_are_exact_however_large",
    ),
    Fault(
        "the rest of a cohort is one turn too short",
        "engines/cohorts.py",
        "longest_rest = length - (cohort.first_turn + whole) + 1",
        "longest_rest = length - (cohort.first_turn + whole)",
        "test_engines_cohorts::test_sums_are_exact_however_large",
    ),
    Fault(
        "a checkpoint looks before the pass",
        "engines/kernels/sums_kernel.py",
        "<= checkpoints[checkpoint] < interval_end[interval]",
        "<= checkpoints[checkpoint] <= interval_end[interval]",
        "test_engines_kernels_sums_kernel::test_checkpoints_count_facts",
    ),
    Fault(
        "the last turn is no checkpoint",
        "engines/sums.py",
        "checkpoints[:, None] > block.session_length[None, :]", "checkpoints[:, None] >= block.session_length[None, :]",
        "test_engines_sums::test_checkpoints_after_the_end_are_marked",
    ),
    Fault(
        "a checkpoint without facts counts as not reached",
        "metrics.py", "reached = present >= 0", "reached = present > 0",
        "test_metrics::test_checkpoints_after_the_end_are_null",
    ),
    # The published sessions.
    Fault(
        "halves are rounded up",
        SCHEDULE, "np.rint(offsets[recall] * factor)", "np.floor(offsets[recall] * factor + 0.5)",
        "test_sessions_published::test_offsets_are_rounded_half_to_even",
    ),
    Fault(
        "the draw of a recall that does not fit is not consumed",
        SCHEDULE,
        "                draw += 1\n"
        "                candidate = 1 + np.int64(np.rint(offsets[recall] * factor))\n"
        "                turn = max(last + 1, min(candidate, session_length))\n"
        "                if turn > session_length:\n"
        "                    break\n",
        "                candidate = 1 + np.int64(np.rint(offsets[recall] * factor))\n"
        "                turn = max(last + 1, min(candidate, session_length))\n"
        "                if turn > session_length:\n"
        "                    break\n"
        "                draw += 1\n",
        "test_sessions_published_kernel::test_a_draw_is_consumed_by_the_recall_that_does_not_fit",
    ),
    Fault(
        "offsets count from turn 0",
        SCHEDULE, "candidate = 1 + np.int64(", "candidate = 0 + np.int64(",
        "test_exactness_published::test_schedules_of_three_seeds",
    ),
    Fault(
        "no recall in the last turn",
        SCHEDULE, "if turn > session_length:", "if turn >= session_length:",
        "test_exactness_published::test_short_sessions",
    ),
    Fault(
        "facts draw in the wrong order",
        "sessions/published.py",
        "        for fact in facts:\n            events.extend(",
        "        for fact in reversed(facts):\n            events.extend(",
        "test_exactness_published::test_schedules_of_three_seeds",
    ),
    Fault(
        "the plain form breaks before its draw",
        "sessions/published.py",
        "            candidate = 1 + round(",
        "            if last >= self.session_length:\n                break\n            candidate = 1 + round(",
        "test_exactness_published::test_the_number_of_draws_depends_on_the_session_length",
    ),
    Fault(
        "noise comes before the recalls of its turn",
        "sessions/block.py", "(turn, _AFTER_ALL, (turn, REGISTER,", "(turn, -1, (turn, REGISTER,",
        "test_exactness_published::test_events_digest",
    ),
    # Sessions generated and played side by side.
    Fault(
        "side by side, an item is evicted in the turn that it outlives",
        STREAM, "hit = turn <= expiry[lane]", "hit = turn < expiry[lane]",
        "test_engines_kernels_published_kernel::test_totals_are_those_of_the_scalar_engine",
    ),
    Fault(
        "side by side, a hit does not prolong",
        STREAM, "np.int32(turn + life) if hit", "np.int32(expiry[lane]) if hit",
        "test_engines_kernels_published_kernel::test_totals_are_those_of_the_scalar_engine",
    ),
    Fault(
        "side by side, the last pass of all evicts nothing",
        STREAM, "evicted = expiry[lane] < end", "evicted = expiry[lane] < end - 1",
        "test_engines_kernels_published_kernel::test_totals_are_those_of_the_scalar_engine",
    ),
    Fault(
        "side by side, an item is held for a turn too many",
        STREAM, "np.int64(min(expiry[lane], end)) - 1", "np.int64(min(expiry[lane], end))",
        "test_engines_kernels_published_kernel::test_totals_are_those_of_the_scalar_engine",
    ),
    Fault(
        "side by side, distances are rounded up",
        STREAM, "distance = np.rint(offset *", "distance = np.ceil(offset *",
        "test_engines_kernels_published_kernel::test_totals_are_those_of_the_scalar_engine",
    ),
    Fault(
        "side by side, recalls may share a turn",
        STREAM, "turn = np.int32(last + np.int32(1))", "turn = np.int32(last)",
        "test_engines_kernels_published_kernel::test_totals_are_those_of_the_scalar_engine",
    ),
    Fault(
        "side by side, recalls that a session is too short for are counted",
        STREAM, "lanes + lane] != NEVER", "lanes + lane] != 0",
        "test_engines_kernels_published_kernel::test_totals_are_those_of_the_scalar_engine",
    ),
    Fault(
        "side by side, a cut schedule wastes the draws of the recalls that it cuts off",
        STREAM, "                if fits:\n                    candidate",
        "                draw += 0 if fits else count\n                if fits:\n                    candidate",
        "test_engines_kernels_published_kernel::test_totals_are_those_of_the_scalar_engine",
    ),
)  # fmt: skip
