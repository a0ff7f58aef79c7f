"""Faults of the commands: a number in a wrong column, a wrong unit, a wrong exit code, a word that nobody explains.

See ``planted_faults.py``.
"""

from planted_faults import Fault

NUMERALS, PLAYED, LIVES = "numerals.py", "run/played.py", "engines/lives.py"
TABLE, JSON, POLICY, SCREEN, PICTURES = (
    f"commands/{name}.py" for name in ("result_table", "result_json", "explain_policy", "screen", "pictures")
)
NUMBER = "test_commands_one_number"

COMMAND_FAULTS = (
    # One number, three places.
    Fault(
        "the JSON shows the default parameters",
        JSON, 'finite(cell.policy.values())', 'finite(type(cell.policy)().values())',
        f"{NUMBER}::test_parameters_are_those_that_were_played",
    ),
    Fault(
        "the ends are read from the wrong columns",
        PLAYED, 'row[f"{name}_low"], row[f"{name}_high"]', 'row[f"{name}_minimum"], row[f"{name}_maximum"]',
        f"{NUMBER}::test_json_cells_and_sessions_agree",
    ),
    Fault(
        "the column of the survival rate shows the recall rate",
        TABLE, '    "terminal_survival_rate": "survival\\nrate",\n', '    "misses": "survival\\nrate",\n',
        f"{NUMBER}::test_the_headline_shows_five_metrics_of_the_json",
    ),
    Fault(
        "a share has two decimals",
        NUMERALS, "    fewest = _DIGITS if share else _DIGITS - 1\n", "    fewest = _DIGITS - 1\n",
        f"{NUMBER}::test_the_screen_shows_them_too",
    ),
    Fault(
        "the decimals of a column are those of its least exact value",
        TABLE, "    return max((digits_of(", "    return min((digits_of(",
        "test_commands_result_table::test_the_numbers_of_a_column_have_equally_many_digits",
    ),
    Fault(
        "the cell of another point is shown",
        TABLE, "if row.cell.label == label), None) for point in points]",
        "if row.cell.label == label), None) for point in reversed(points)]",
        "test_commands_result_table::test_with_an_axis_of_the_workload_there_is_a_row_per_point",
    ),
    Fault(
        "cells that differ are taken for one",
        TABLE, "found.setdefault((row.cell.label, *values), row)", "found.setdefault((row.cell.label,), row)",
        "test_commands_result_table::test_axes_of_different_policies_give_a_row_per_distinct_cell",
    ),
    Fault(
        "a failed cell has the values of another",
        TABLE, 'else ("failed", "", "")', 'else value_cell(points[0][0], metric, digits)',
        "test_commands_result_table::test_failed_cells_leave_gaps",
    ),
    Fault(
        "a bound that rounds to certainty",
        NUMERALS, "_digits(1.0 - low, digits)", "digits",
        "test_numerals::test_no_bound_looks_like_certainty",
    ),
    Fault(
        "two values of an axis look alike",
        NUMERALS, "if len(set(short.values())) == len(numbers):", "if short:",
        "test_numerals::test_values_of_an_axis_stay_apart",
    ),
    # Units of explain.
    Fault(
        "a half-life in turns is shown as one in the policy's unit",
        POLICY, "    return policy.turns_per_unit() / unit_turns", "    return 1.0 / unit_turns",
        "test_commands_explain_policy::test_half_lives_are_in_the_unit_of_the_policy",
    ),
    Fault(
        "a half-life is the age at the score 0.5",
        LIVES, "        half = score(_MOMENT) / 2\n", "        half = 0.5\n",
        "test_engines_lives::test_at_the_half_life_the_score_has_halved",
    ),
    Fault(
        "a clock of creation is said to be one of use",
        POLICY, "not policy.rules().touch_refreshes", "policy.rules().touch_refreshes",
        "test_commands_explain_policy::test_a_clock_of_creation_is_named",
    ),
    Fault(
        "ages in days are labelled as turns",
        POLICY, "policy.rules().unit_turns != 1", "policy.rules().unit_turns < 1",
        "test_commands_explain_policy::test_ages_are_in_the_unit_in_which_the_policy_counts_them",
    ),
    Fault(
        "what the tables assume is left out",
        POLICY, "    if reads_attributes:\n", "    if not assumed:\n",
        "test_commands_explain_policy::test_what_a_policy_reads_is_assumed",
    ),
    Fault(
        "a score is shown as kept that is due for eviction",
        POLICY, "gone is None or int(age) < gone", "gone is None or int(age) <= gone + 90",
        "test_commands_explain_policy::test_retention_after_so_many_units",
    ),
    # Screens.
    Fault(
        "a table that is too wide is printed as it is",
        SCREEN, "if stack and width_of(lines) + len(indent) > width():", "if False:",
        "test_commands_screen::test_a_table_that_is_too_wide_becomes_records",
    ),
    Fault(
        "prose is as wide as the terminal",
        SCREEN, "min(width(), _WIDEST_PROSE)", "width()",
        "test_commands_screen::test_the_width_is_that_of_the_terminal",
    ),
    Fault(
        "a heat map is turned upside down",
        PICTURES, "    for number, row in enumerate(fewer):\n", "    for number, row in enumerate(fewer[::-1]):\n",
        "test_commands_pictures::test_a_small_heat_map_is_drawn_wide",
    ),
    Fault(
        "values that are not there count as 0",
        PICTURES, "known = [(~np.isnan(group)).sum(axis=0) for group in groups]",
        "known = [len(group) + np.zeros(group.shape[1]) for group in groups]",
        "test_commands_pictures::test_neighbours_are_averaged_where_there_is_no_room",
    ),
    Fault(
        "sessions of an earlier run count for the rate",
        "run/progress.py", "self._done - self._at_start", "self._done",
        "test_run_progress::test_a_long_run_prints_a_line_every_half_minute",
    ),
    Fault(
        "a word of the screens is unknown",
        "glossary.py", '    "half-life": "age', '    "halflife": "age',
        "test_commands_explain::test_every_word_of_the_field_is_known",
    ),
    # Exit codes and ends.
    Fault(
        "a merged run with failed cells is a success",
        "commands/merge.py", "return 1 if report.failed else 0", "return 0",
        "test_commands_merge::test_failed_cells_end_a_merge_with_1",
    ),
    Fault(
        "what a key of a sweep file may hold is left out",
        "commands/explain.py", '"" if inner or allowed in meaning else allowed', '"" if inner or meaning else allowed',
        "test_commands_explain::test_words_of_tables_files_and_sweeps_are_known",
    ),
    Fault(
        "a bound that differs between points is shown as one",
        TABLE, "for row in own}) == 1 for metric", "for row in own}) >= 1 for metric",
        "test_commands_result_table::test_a_bound_that_is_alike_everywhere_is_shown_once",
    ),
    Fault(
        "the numbers below a heat map are those of other rows",
        "commands/overview.py", "grid[row, column]:", "grid[-1 - row, column]:",
        "test_commands_overview::test_numbers_below_the_picture",
    ),
    Fault(
        "a meaning in the help breaks where its docstring does",
        "commands/arguments.py", '" ".join(text.plain.split())', "text.plain",
        "test_cli::test_a_meaning_is_one_paragraph",
    ),
    Fault(
        "a long command is cut without a sign that it goes on",
        SCREEN, 'f"{line} \\\\" for line', "line for line",
        "test_commands_new::test_what_is_written_goes_on_in_a_narrow_terminal",
    ),
    Fault(
        "progress counts a session too many for each part",
        "run/sinks.py", "for one in played.histograms.values()))", "for one in played.histograms.values()) + 1)",
        "test_notebooks::test_progress_counts_every_session",
    ),
    Fault(
        "a run in a notebook leaves out its axes",
        "run/open_run.py", 'axis.parameter.rpartition(".")[2] for axis', "axis.parameter for axis",
        "test_notebooks::test_logs_and_runs_are_tables",
    ),
    Fault(
        "a table of parameters in a notebook holds one of them",
        "parameters.py", '"unit", "meaning"], rows, f"', '"unit", "meaning"], rows[:1], f"',
        "test_notebooks::test_policies_and_workloads_are_tables",
    ),
    Fault(
        "the forms of an axis are not on the page of sweep files",
        "commands/explain.py", "            if inner is not None:\n", "            if inner and model is SweepFile:\n",
        "test_commands_help::test_a_page_holds_all_that_its_records_hold",
    ),
    Fault(
        "a page leaves out the values that a key may have",
        "commands/explain.py", "(self.meaning, self.allowed, self.default", "(self.meaning, self.default",
        "test_commands_help::test_a_page_holds_all_that_its_records_hold",
    ),
    Fault(
        "names with meanings leave no room for a long word",
        SCREEN, "narrow = column + longest_word > width() or (", "narrow = (",
        "test_commands_help::test_no_line_is_wider_than_the_terminal",
    ),
    Fault(
        "a new file takes the place of a link",
        "commands/new.py", "os.path.lexists(path)", "path.exists()",
        "test_commands_new::test_nothing_is_overwritten",
    ),
    Fault(
        "a placeholder inside a name is replaced too",
        "commands/starters.py",
        'return re.sub("CLASS|NAME", lambda found: class_name(name) if found[0] == "CLASS" else name, text)',
        'return text.replace("CLASS", class_name(name)).replace("NAME", name)',
        "test_commands_new::test_names_take_their_places",
    ),
    Fault(
        "the threshold of a person's own policy has no upper limit",
        "policies/own.py", "at_least=0, at_most=1", "at_least=0",
        "test_policies_own::test_the_threshold_has_the_limits_of_a_score",
    ),
    Fault(
        "leaving the program inside a policy is a success",
        "adapted.py", "    except BaseException as error:", "    except Exception as error:",
        "test_commands_hostile::test_leaving_the_program_is_a_failure_everywhere",
    ),
    Fault(
        "what a policy prints is output of the program",
        "commands/streams.py", "    sys.stdout = _ToStandardError()", "    _output[-1:] = [sys.stdout]",
        "test_commands_hostile::test_a_policy_that_plays_with_the_output_does_not_reach_it",
    ),
    Fault(
        "a run with failed cells is a success",
        "commands/results.py", "    if not run.failed:\n        return 0\n", "    if run.plan:\n        return 0\n",
        "test_commands_results::test_failed_cells_are_counted_and_cut",
    ),
    Fault(
        "a mistake in what was typed ends like a failure",
        "cli.py", "MISTAKEN = 2", "MISTAKEN = 1",
        "test_cli::test_every_error_has_its_exit_code",
    ),
)  # fmt: skip
