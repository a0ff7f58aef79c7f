"""Faults of the answers: bounds that some policy beats or none reaches.

See ``planted_faults.py``. The kernels run as plain Python there.
"""

from planted_faults import Fault

COMPARE, PAIRED, RECOMMEND = "run/compare.py", "run/paired.py", "run/recommend.py"
FRONT, ALONG = "run/front.py", "run/along.py"
BOUND, STEPS, LINE = "engines/kernels/bound_kernel.py", "engines/by_bound.py", "run/bounds.py"
PICTURE = "report/exact_curves.py"
DRAWN = "test_report_page::test_every_value_of_a_parameter_is_drawn_with_its_interval"

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
    # Comparing.
    Fault(
        "the lower of two neighbours stands for the target",
        COMPARE, "one.weight}", "0 * one.weight}",
        "test_run_compare::test_every_policy_meets_the_target",
    ),
    Fault(
        "sessions are compared as if they were others",
        COMPARE, "weights |= own", "weights |= {one: abs(weight) for one, weight in own.items()}",
        "test_run_compare::test_a_policy_does_not_differ_from_itself",
    ),
    Fault(
        "the choice of the settings is taken for given",
        COMPARE, "for setting, weight in own.items() if slope", "for setting, weight in own.items() if not slope",
        "test_run_compare::test_the_interval_allows_for_the_choice_of_the_settings",
    ),
    Fault(
        "the residuals of a ratio are those of its numerator",
        PAIRED, "divisor: -ratio / below}", "divisor: 0 * ratio / below}",
        "test_run_compare::test_unequal_sessions_give_the_interval_of_a_ratio",
    ),
    Fault(
        "tokens are not counted",
        PAIRED, 'size == "tokens"', 'size == "token"',
        "test_run_compare::test_tokens_and_items_are_told_apart",
    ),
    # Recommending.
    Fault(
        "the mean is taken for what is sure",
        RECOMMEND, "low = sums.hit_rate({0: _ONE}).low", "low = sums.hit_rate({0: _ONE}).value",
        "test_run_recommend::test_the_cheapest_that_surely_meets_the_target",
    ),
    Fault(
        "the sessions that chose confirm",
        RECOMMEND, "spec.seeds[0::2], spec.seeds[1::2]", "spec.seeds[0::2], spec.seeds[0::2]",
        "test_run_recommend::test_the_cheapest_that_surely_meets_the_target",
    ),
    Fault(
        "the greatest setting below the budget is one too great",
        RECOMMEND, "one=one: not self._meets(one.found, place, seeds), 0, one.place) - 1",
        "one=one: not self._meets(one.found, place, seeds), 0, one.place) - 0",
        "test_run_recommend::test_the_most_hits_within_a_budget",
    ),
    # The front.
    Fault(
        "a point that hits less for as much is on the front",
        FRONT, "(below >= hits) | (hits[first] > hits)", "below >= hits",
        "test_run_front::test_dominated_is_what_another_point_dominates",
    ),
    Fault(
        "equal points dominate each other",
        FRONT, "hits[first] > hits", "hits[first] >= hits",
        "test_run_front::test_dominated_is_what_another_point_dominates",
    ),
    Fault(
        "a short value lies outside its step",
        ALONG, "if start < value < stop:", "if True:",
        "test_run_front::test_every_setting_is_what_playing_it_comes_to",
    ),
    Fault(
        "runs on different logs are paired by the number of a session",
        "run/compare_runs.py",
        "(first.spec.trace and sources[0] != sources[1])", "(first.spec.trace and not sources)",
        "test_run_compare_runs::test_logs_that_are_not_the_same_are_not_paired",
    ),
    Fault(
        "means without sessions get the interval of one of them",
        "analysis/difference.py",
        "left.low - right.high, left.high - right.low, count", "mean - right.high, mean + right.high, count",
        "test_analysis_difference::test_means_alone_allow_for_any_correlation",
    ),
    Fault(
        "the same value in every session is taken for a sure difference",
        "analysis/difference.py",
        "if left.low == left.high or right.low == right.high:", "if left.low is None:",
        "test_analysis_difference::test_means_alone_allow_for_any_correlation",
    ),
    Fault(
        "points are played on other seeds each",
        "run/sensitivity.py",
        "checked_arguments(workload, policies, seeds,", "checked_arguments(workload, policies, seeds[1:],",
        "test_run_sensitivity::test_points_are_played_on_the_same_sessions",
    ),
    Fault(
        "the total index is shown for the first-order one",
        "run/sensitivity.py",
        '"alone": ("S1", "S1_conf")', '"alone": ("ST", "S1_conf")',
        "test_run_sensitivity::test_indices_of_a_known_function[sobol]",
    ),
    Fault(
        "any two parameters are one knob",
        "run/knobs.py",
        "abs(one - life) > 1 for", "abs(one - life) > 10**9 for",
        "test_run_sensitivity::test_what_is_one_knob_is_found_and_nothing_else",
    ),
    Fault(
        "the last integer of a range is never drawn",
        "run/ranges.py",
        "int(self.high - self.low) + 1", "int(self.high - self.low)",
        "test_run_sensitivity::test_the_usual_ranges_are_allowed_ones",
    ),
    # The life of one item, and what would have saved it.
    Fault(
        "an item that makes room for another is said to be there",
        "engines/life.py", "if (there or item == self._item) and not", "if item == self._item and not",
        "test_engines_life::test_an_item_that_makes_room_for_another_goes_in_the_turn_of_that",
    ),
    Fault(
        "what saves most is the value that saves least",
        "run/why.py", "if misses <= count]", "if misses >= count]",
        "test_run_why::test_ranges_are_drawn",
    ),
    Fault(
        "halving stops on the wrong side",
        "run/why.py",
        "good, bad = (middle, bad) if holds(middle) else (good, middle)",
        "good, bad = (good, middle) if holds(middle) else (middle, bad)",
        "test_run_why::test_what_no_curve_answers_is_played",
    ),
    Fault(
        "the lowest score leaves out the pass of the eviction",
        "commands/why.py", "end = last.turn if last.what == EVICTED else last.turn - 1", "end = last.turn - 1",
        "test_commands_why::test_the_lowest_score_is_that_of_the_pass_that_evicted",
    ),
    Fault(
        "what a script defines is written as if its file could be read again",
        "own_file.py",
        'path.endswith(".py") and hasattr(module, one.__name__):', 'path.endswith(".py"):',
        "test_commands_recommend::test_what_is_in_no_file_is_not_written",
    ),
    Fault(
        "the share of the best is that of the sessions that confirm",
        "run/recommend.py",
        'bounds(source, seeds=halves[0], size="tokens"', 'bounds(source, seeds=halves[1], size="tokens"',
        "test_commands_recommend::test_each_policy_is_given_as_a_share_of_the_best",
    ),
    Fault(
        "a log's share of the best counts recalls for hits",
        "commands/replay.py",
        "best.share(totals[one.cell][0] - totals[one.cell][1],", "best.share(totals[one.cell][0],",
        "test_commands_replay::test_the_share_of_the_best_is_that_of_the_bound",
    ),
    Fault(
        "a step of an exact picture is played with the value of its neighbour",
        PICTURE, "value = stop if found.includes_to else start", "value = start if found.includes_to else stop", DRAWN,
    ),
    Fault(
        "the band of an exact picture reaches as far down as up",
        PICTURE, "np.interp(steps, places, below)", "np.interp(steps, places, above)", DRAWN,
    ),
)  # fmt: skip
