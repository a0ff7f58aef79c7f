"""Faults in the recorded time and the grades of sessions, and in who reads them; see planted_faults.py."""

from planted_faults import Fault

CLOCK, TIMING = "engines/kernels/clock_kernel.py", "engines/timing.py"

TIME_FAULTS = (
    Fault(
        "the kernel's clock stands still between its points",
        "sessions/clock_kernel.py",
        "values[before] + rise * (turn - turns[before]) // run",
        "values[before] + 0 * rise * run",
        "test_sessions_clock::test_the_kernel_reads_the_same",
    ),
    Fault(
        "the clock stands still between its points",
        "sessions/clock.py",
        "(most - least) * (turn - before)",
        "0 * (most - least)",
        "test_sessions_clock::test_the_clock_goes_evenly_between_its_points",
    ),
    Fault(
        "a job that is due between two turns is forgotten",
        CLOCK,
        "(passed + 1) * period",
        "(passed + 2) * period",
        "test_engines_timing::test_days_are_those_of_the_calendar",
    ),
    Fault(
        "a turn late",
        CLOCK,
        "if reading(middle, at) >= least:",
        "if reading(middle, at) > least:",
        "test_engines_timing::test_a_policy_of_ones_own_with_turns_per_day_reads_it_too",
    ),
    Fault(
        "forgetting is activity",
        CLOCK,
        "            if kind != REGISTER and kind != RECALL:\n                continue\n",
        "",
        "test_engines_timing::test_silent_days_age_nothing",
    ),
    Fault(
        "every day is active",
        TIMING,
        "return policy.rules().active and not _active_throughout(block)",
        "return False",
        "test_engines_timing::test_silent_days_age_nothing",
    ),
    Fault(
        "a cohort that ends early leaves no silent day",
        TIMING,
        "one.last_turn >= last and",
        "",
        "test_engines_timing::test_noise_in_every_turn_leaves_no_silent_day",
    ),
    Fault(
        "a turn has the time of its last event",
        "sessions/trace_clock.py",
        "    begins[1:] = turn[1:] != turn[:-1]\n    begins[start[:-1]] = True\n",
        "    begins[:-1] = turn[1:] != turn[:-1]\n    begins[start[1:] - 1] = True\n",
        "test_sessions_trace_clock::test_a_turn_has_the_time_of_its_first_event",
    ),
    Fault(
        "a lapse keeps its repetitions",
        "policies/sm2.py",
        "return 0, 1, ease, hundredths, turn",
        "return repetitions, 1, ease, hundredths, turn",
        "test_policies_grades::test_the_intervals_of_sm2_follow_each_grade",
    ),
    Fault(
        "again counts as right",
        "policies/half_life_regression.py",
        "grade > 1 if grade > 0",
        "grade > 0 if grade > 0",
        "test_policies_grades::test_one_grade_for_all_is_the_parameter",
    ),
    Fault(
        "the grade of a registration is not read",
        "policies/fsrs6.py",
        "given = grade if grade > 0 else parameters.first_grade",
        "given = parameters.first_grade",
        "test_policies_grades::test_one_grade_for_all_is_the_parameter",
    ),
    Fault(
        "grades stay in the order of rows",
        "sessions/trace_events.py",
        "grade if order is None else grade[order]",
        "grade",
        "test_policies_grades::test_grades_of_a_log_are_integers_or_empty",
    ),
    Fault(
        "an item that the clock takes in the turn of its next touch stays",
        "engines/kernels/item_kernel.py",
        "touch_clock[touch + one] >= shown + life",
        "touch_clock[touch + one] > shown + life",
        "test_engines_timing::test_a_recall_in_the_afternoon_does_not_meet_what_the_morning_took",
    ),
    Fault(
        "places against the turns are followed",
        "sessions/block_kernel.py",
        "if touch_turn[order[place]] < touch_turn[order[place - 1]]:",
        "if touch_turn[order[place]] < 0:",
        "test_sessions_block_kernel::test_places_against_the_turns_are_not_followed",
    ),
    Fault(
        "names follow the dictionary, not the rows",
        "sessions/trace_kernel.py",
        "            old[count] = one\n",
        "            old[count] = count\n",
        "test_sessions_trace_large::test_a_dictionary_may_hold_values_twice_and_in_any_order",
    ),
    Fault(
        "the sessions of the last thread are not played",
        "threads.py",
        "bounds[-1] = len(start) - 1",
        "bounds[-1] = len(start) - 2",
        "test_sessions_trace_large::test_threads_share_a_trace",
    ),
)
