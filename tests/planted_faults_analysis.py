"""Faults of the analysis: values counted wrongly, sums that are not exact, intervals, findings, the histograms table.

See ``planted_faults.py``. The kernels run as plain Python there, so the tests named here need few values.
"""

from planted_faults import Fault

CELL, HISTOGRAM, TABLE = "analysis/cell.py", "analysis/histogram.py", "analysis/histogram_kernel.py"
MOMENTS, SUMS = "analysis/moments.py", "analysis/moments_kernel.py"
INTERVALS, FINDINGS, ROWS = "analysis/intervals.py", "analysis/findings.py", "store/histograms.py"

ANALYSIS_FAULTS = (
    # Counting.
    Fault(
        "minus zero is a value of its own",
        TABLE, "if (pattern & _ALL_BUT_SIGN) == 0:", "if pattern == 1:",
        "test_analysis_histogram::test_minus_zero_is_zero",
    ),
    Fault(
        "a value that occurs 0 times is counted as distinct",
        TABLE, "        if weight == 0:\n            continue\n", "",
        "test_analysis_histogram::test_counted_values_are_added_like_spelled_out_ones",
    ),
    Fault(
        "one value more than allowed is kept",
        HISTOGRAM, "slots // 2, max_distinct)", "slots // 2, max_distinct + 1)",
        "test_analysis_histogram::test_the_distribution_is_kept_up_to_the_limit",
    ),
    Fault(
        "nulls are not counted",
        HISTOGRAM, "self.null_count += values.size - present.size", "self.null_count += 0",
        "test_analysis_histogram::test_a_constant_column_is_flagged",
    ),
    Fault(
        "nulls get lost in a merge",
        HISTOGRAM, "        self.null_count += other.null_count\n", "",
        "test_analysis_histogram::test_a_histogram_merged_with_itself_is_doubled",
    ),
    Fault(
        "the sessions with a value are taken for all",
        HISTOGRAM, ".sum()) + self.null_count", ".sum())",
        "test_analysis_cell::test_a_checkpoint_that_only_some_sessions_reach_counts_those",
    ),
    Fault(
        "what was counted before folding is forgotten",
        HISTOGRAM, "moments = moments_of(values, counts) + moments", "pass",
        "test_analysis_histogram::test_a_histogram_merged_with_itself_is_doubled",
    ),
    Fault(
        "a merge of folded histograms takes the other's values",
        HISTOGRAM, "            self.moments += moments", "            self.moments = moments",
        "test_analysis_histogram::test_a_histogram_merged_with_itself_is_doubled",
    ),
    Fault(
        "a block of one value counts as one session",
        HISTOGRAM, "np.array([present.size])", "np.array([1])",
        "test_analysis_histogram::test_a_constant_column_is_flagged",
    ),
    Fault(
        "equal values are enough to be equal",
        HISTOGRAM, "(self.null_count, self.moments) == (other.null_count, other.moments) and", "True and",
        "test_analysis_histogram::test_equal_histograms_are_equal_in_everything",
    ),
    # Exact sums.
    Fault(
        "minimum and maximum are swapped",
        MOMENTS, "deviation, self.minimum, self.maximum", "deviation, self.maximum, self.minimum",
        "test_analysis_cell::test_a_checkpoint_that_only_some_sessions_reach_counts_those",
    ),
    Fault(
        "the smaller of two minima is lost",
        MOMENTS, "min(self.minimum, other.minimum)", "self.minimum",
        "test_analysis_moments::test_a_histogram_of_more_than_two_to_the_35_sessions_is_exact",
    ),
    Fault(
        "the standard deviation has the divisor count",
        MOMENTS, "self.count * (self.count - 1)", "self.count * self.count",
        "test_analysis_moments::test_corners_equal_statistics",
    ),
    Fault(
        "the remainder of the square root is dropped",
        MOMENTS, "        root |= 1\n", "        root += 0\n",
        "test_analysis_moments::test_a_root_just_above_a_tie_is_rounded_up",
    ),
    Fault(
        "subnormal values have the implicit bit",
        SUMS, "    if exponent > 0:\n", "    if exponent >= 0:\n",
        "test_analysis_moments::test_corners_equal_statistics",
    ),
    Fault(
        "negative values are added",
        SUMS, "count if pattern >= 0 else -count", "count",
        "test_analysis_moments::test_corners_equal_statistics",
    ),
    Fault(
        "the carry between two pieces of a square is lost",
        SUMS, "2 * low * high + (square >> PIECE_BITS)", "2 * low * high",
        "test_analysis_moments::test_no_count_overflows",
    ),
    Fault(
        "the kernel is trusted with counts that overflow",
        SUMS, "LARGEST_KERNEL_COUNT = 2**35", "LARGEST_KERNEL_COUNT = 2**62",
        "test_analysis_moments::test_counts_that_the_kernel_cannot_hold_are_left_to_python",
    ),
    # Intervals.
    Fault(
        "the interval counts the sessions without a value",
        CELL, "rate_interval(summary.mean, summary.standard_deviation, summary.count)",
        "rate_interval(summary.mean, summary.standard_deviation, summary.count + summary.null_count)",
        "test_analysis_cell::test_a_checkpoint_that_only_some_sessions_reach_counts_those",
    ),
    Fault(
        "rates and other metrics have each other's interval",
        CELL, "    if is_rate:\n", "    if not is_rate and summary.mean <= 1.0:\n",
        "test_analysis_cell::test_a_checkpoint_that_only_some_sessions_reach_counts_those",
    ),
    Fault(
        "fractions have Wilson's interval",
        INTERVALS, "    if standard_deviation and binary_variance > 0.0:\n", "    if False:\n",
        "test_analysis_intervals::test_fractions_have_an_interval_from_their_own_spread",
    ),
    Fault(
        "the normal quantile in place of Student's",
        INTERVALS, "weight = student_quantile(count - 1) * student_quantile(count - 1) * design_effect / count",
        "weight = weight * design_effect",
        "test_analysis_intervals::test_fractions_have_an_interval_from_their_own_spread",
    ),
    Fault(
        "sessions of 0 or 1 have Student's quantile",
        INTERVALS, "(count - 1) / count < 1.0 - _ROUNDING:", "(count - 1) / count < 1.1:",
        "test_analysis_intervals::test_the_spread_of_zeros_and_ones_changes_nothing",
    ),
    Fault(
        "Student's quantile with one degree of freedom too many",
        INTERVALS, "half_width = student_quantile(count - 1)", "half_width = student_quantile(count)",
        "test_analysis_intervals::test_student_interval_of_a_known_sample",
    ),
    Fault(
        "an error in the expansion for many degrees",
        INTERVALS, "((5 * square + 16) * square + 3) / 96", "((5 * square + 16) * square - 3) / 96",
        "test_analysis_intervals::test_student_quantile_has_no_seam",
    ),
    # The cell, and the histograms table.
    Fault(
        "outcomes that were counted count their nulls once",
        CELL, "histogram.add_nulls(int(times[~valid].sum()))", "histogram.add_nulls(int((~valid).sum()))",
        "test_analysis_cell::test_the_nulls_of_counted_outcomes_are_counted",
    ),
    Fault(
        "metrics in tokens are those in items when sizes come later",
        CELL, "and added[name] is not added[twin])", "and added[name] is added[twin])",
        "test_analysis_cell::test_blocks_with_and_without_sizes_join",
    ),
    Fault(
        "histograms that are handed out count twice",
        CELL, "        self._part(_TWINS)\n        return self._histograms", "        return self._made()",
        "test_analysis_cell::test_histograms_that_are_handed_out_are_counted_one_by_one",
    ),
    Fault(
        "every null is a row",
        CELL, " & ~(np.isnan(before) & np.isnan(after))", "",
        "test_store_histograms::test_rows_say_how_many_sessions_had_which_value",
    ),
    Fault(
        "nulls are read back as values",
        CELL, "has_null = values[end - 1] != values[end - 1]  # a NaN", "has_null = False",
        "test_store_histograms::test_values_too_many_to_be_kept_are_moments",
    ),
    Fault(
        "a value may be there twice",
        ROWS, "(values[1:] > values[:-1])", "(values[1:] >= values[:-1])",
        "test_store_histograms::test_values_that_no_run_writes_are_refused",
    ),
    Fault(
        "a metric may be missing",
        ROWS, " or not lengths.all()", "",
        "test_store_histograms::test_metrics_out_of_order_missing_or_unknown_are_refused",
    ),
    Fault(
        "the moments stand in the row of the metric before",
        ROWS, "first[at, place]: _moments_text", "first[at, place] - 1: _moments_text",
        "test_store_histograms::test_values_too_many_to_be_kept_are_moments",
    ),
    Fault(
        "moments of more sessions than the row says",
        ROWS, " or histogram.num_sessions != count", "",
        "test_store_histograms::test_damaged_moments_are_refused",
    ),
    # Metrics.
    Fault(
        "no item to keep is nothing kept",
        "metrics.py", "rate = _ratio(present, items, 1.0)", "rate = _ratio(present, items, 0.0)",
        "test_metrics::test_odd_corners_are_as_published",
    ),
    # Findings.
    Fault(
        "intervals that touch do not overlap",
        FINDINGS, "else low > max(", "else low >= max(",
        "test_analysis_findings::test_intervals_that_touch_overlap",
    ),
    Fault(
        "the most of what should be least is best",
        FINDINGS, 'described.better == "lower"', 'described.better == "higher"',
        "test_analysis_findings::test_policies_are_compared_by_the_metric_that_leads",
    ),
    Fault(
        "a difference in cost is no difference",
        FINDINGS, "working set only\" if differing", "working set only\" if foundational",
        "test_analysis_findings::test_policies_that_differ_in_cost_only_are_told_apart_by_cost",
    ),
    Fault(
        "keeping everything is compared with the rest",
        FINDINGS, "return [cell for cell in cells if not cell.never_evicts]", "return list(cells)",
        "test_analysis_findings::test_the_upper_bound_is_no_rival",
    ),
    Fault(
        "one session decides that an axis has an effect in none",
        FINDINGS, "if first[0] != fingerprints[0]:", "if first[0] == fingerprints[0]:",
        "test_analysis_findings::test_an_axis_without_effect_is_named",
    ),
    Fault(
        "two axes that move together are compared",
        FINDINGS, "_fingerprint(cell.label, others)", "_fingerprint(cell.label)",
        "test_analysis_findings::test_only_cells_that_differ_in_one_axis_alone_are_compared",
    ),
)  # fmt: skip
