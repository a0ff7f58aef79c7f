"""Faults in how a sweep is cut, counted and checked, and in the kernel of stateful policies; see planted_faults.py."""

from planted_faults import Fault

STATEFUL, PARTS, DISTINCT = "engines/kernels/stateful_kernel.py", "run/parts.py", "run/distinct.py"
STREAM = "engines/kernels/published_kernel.py"
WHERE, ALONE = "run/where.py", "test_run_where::test_a_cell_is_set_aside_for_what_it_did_alone"
RULES = "test_agreement_events::test_rules_are_the_same_for_stateful_policies"
EVENTS = "test_agreement_events::test_every_engine_plays_requests_and_expiry_alike[Fsrs6]"

PRECISION, NARROW = "run/precision.py", "test_run_precision::test_one_session_less_would_be_too_wide"

RUN_FAULTS = (
    Fault(
        "an interval is taken for half as wide as it is",
        PRECISION, "return (high - low) / 2", "return (high - low) / 4", NARROW,
    ),
    Fault(
        "sessions without a rate are counted as if they had one",
        PRECISION, "* (count + one.summary.null_count) / count", "* count / count", NARROW,
    ),
    Fault(
        "one cell decides how many sessions all get",
        PRECISION, "most = max(most, reserve", "most = (reserve",
        "test_run_precision::test_the_widest_interval_decides",
    ),
    Fault(
        "a recall of a stateful policy counts a turn before its cooldown ends",
        STATEFUL, "if turn - counted >= rules[1]:", "if turn - counted >= rules[1] - 1:", RULES,
    ),
    Fault(
        "a stateful policy's grace begins with the last touch",
        STATEFUL, "earliest = registered + rules[2] if", "earliest = since + rules[2] if", RULES,
    ),
    Fault(
        "a request to forget leaves the item of a stateful policy for a turn",
        STATEFUL, "gone, why = turn, int(kind) + 1", "gone, why = turn + 1, int(kind) + 1", EVENTS,
    ),
    Fault(
        "an expired item of a stateful policy is said to have decayed",
        STATEFUL, "return limit, EXPIRED, state", "return limit, DECAYED, state", EVENTS,
    ),
    Fault(
        "a stateful policy forgets what became of an item that came back",
        STATEFUL, "evicted = evicted if present else gone", "evicted = 0 if present else gone", EVENTS,
    ),
    Fault(
        "items of a stateful policy have gaps where they are registered again",
        STATEFUL, "entered = entered if present else turn", "entered = turn", EVENTS,
    ),
    Fault(
        "a miss counts as a hit in the stateful kernel",
        STATEFUL, "            misses += 1\n", "            hits += 1\n", EVENTS,
    ),
    Fault(
        "two parts have the same number",
        PARTS, "            number += 1\n", "            number += 0\n",
        "test_run_parts::test_every_cell_and_seed_is_in_one_part",
    ),
    Fault(
        "parts hold a cell too many",
        PARTS, "> MAX_CELLS_PER_PART)", "> MAX_CELLS_PER_PART + 1)",
        "test_run_parts::test_every_cell_and_seed_is_in_one_part",
    ),
    Fault(
        "a part of items holds twice the rows",
        PARTS, "_ROWS_PER_PART = 1_000_000", "_ROWS_PER_PART = 2_000_000",
        "test_run_parts::test_a_part_holds_as_many_sessions_as_its_rows_allow",
    ),
    Fault(
        "cells that differ in the workload alone are counted once",
        DISTINCT, "columns = [np.tile(workloads, len(entries))]", "columns = [np.tile(0 * workloads, len(entries))]",
        "test_run_distinct::test_it_is_the_number_that_building_all_cells_gives",
    ),
    Fault(
        "the number of a row is that of its last column",
        DISTINCT, "rows * (int(column.max()) + 1) + column", "0 * rows + column",
        "test_run_distinct::test_it_is_the_number_that_building_all_cells_gives",
    ),
    Fault(
        "a clock that goes back keeps a dry run at it",
        "run/predict.py",
        "seeds == num_seeds or seeds >= most or", "seeds == num_seeds or",
        "test_run_predict::test_a_clock_that_goes_back_does_not_keep_it",
    ),
    Fault(
        "what is predicted of a sample is not spread over its cells",
        "run/predict.py",
        "copied=found.copied * scale * each,", "copied=found.copied * scale,",
        "test_run_predict::test_time_is_extrapolated_from_what_was_played",
    ),
    Fault(
        "checkpoints that some session reaches are told too",
        "analysis/cell.py",
        "if summaries[rate_at(turn)].summary.count > 0]:", "if summaries[rate_at(turn)].summary.count < 0]:",
        "test_run_simulate_sources::test_a_checkpoint_that_no_session_reaches_is_told",
    ),
    Fault(
        "counted, an item lives a turn longer",
        STREAM, "evicted + expiry[lane] - 1 if", "evicted + expiry[lane] if",
        "test_engines_by_published::test_counted_outcomes_are_those_of_the_sessions[1]",
    ),
    Fault(
        "counted, hits are mixed up with recalls",
        STREAM, "hits[lane] * recalls +", "hits[lane] +",
        "test_engines_by_published::test_counted_outcomes_are_those_of_the_sessions[1]",
    ),
    Fault(
        "lives are cut a turn before the longest gap ends",
        "engines/by_published.py", "gaps.append(max(1, last - first))", "gaps.append(max(1, last - first - 1))",
        "test_engines_by_published::test_lives_are_cut_where_no_session_has_so_long_a_gap",
    ),
    Fault(
        "a cell is blamed while all workers end",
        WHERE, "if not alone or len(before", "if True or len(before", ALONE + "[all]",
    ),
    Fault(
        "every cell of a part is blamed for its workers",
        WHERE, "_play_alone, plan, part, cell)[1]:", "_play_alone, plan, part, cell)[1] or cell < 3:",
        ALONE + "[nothing]",
    ),
    Fault(
        "others are played while one is tried alone",
        WHERE, "            self._change.wait_for(lambda: self._playing == 0)\n", "", ALONE + "[beside]",
    ),
)  # fmt: skip
