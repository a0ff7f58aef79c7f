"""Faults in the testing kit: each disables one branch of an invariant; see planted_faults.py."""

from planted_faults import Fault

KIT_FAULTS = (
    Fault(
        "no pass every three turns",
        "testing/invariants_of_passes.py",
        "_SPACINGS = (2, 3, 7)",
        "_SPACINGS = (2, 7)",
        "test_testing_faulty_engines::test_faulty_engines_are_caught_by_the_branch_that_sees_them[every turn or 3]",
    ),
    Fault(
        "scores are read once",
        "testing/invariants_of_passes.py",
        "                if first != second:\n",
        "                if first != first:\n",
        "test_testing_invariants::test_planted_faults_are_caught_by_name[ReadingWears]",
    ),
    Fault(
        "items of a random policy get other numbers",
        "testing/invariants_of_passes.py",
        "renumber, competes = not isinstance(policy, HazardPolicy), isinstance(policy, CachePolicy)",
        "renumber, competes = True, False",
        "test_testing_faulty_engines::test_faulty_engines_are_caught_by_the_branch_that_sees_them[every_other_row]",
    ),
    Fault(
        "pins are tried in the usual engine only",
        "testing/invariants_of_passes.py",
        'for engine in ("reference", "auto"):',
        'for engine in ("auto",):',
        "test_testing_faulty_engines::test_faulty_engines_are_caught_by_the_branch_that_sees_them[pins_lost_by.<locals>.play]",
    ),
    Fault(
        "recalls in every turn are not made",
        "testing/invariants_of_scores.py",
        "for spacing in (0, 1):",
        "for spacing in (0,):",
        "test_testing_invariants::test_planted_faults_are_caught_by_name[one in each turn]",
    ),
    Fault(
        "scores above 1 pass",
        "testing/invariants_of_scores.py",
        "0.0 <= float(value) <= 1.0",
        "0.0 <= float(value)",
        "test_testing_invariants::test_planted_faults_are_caught_by_name[Above1]",
    ),
    Fault(
        "importance is varied alone",
        "testing/probing.py",
        "for category in CATEGORIES for importance in (0.5, 0.0, 1.0)",
        "for category in CATEGORIES[:1] for importance in (0.5, 0.0, 1.0)",
        "test_testing_invariants::test_planted_faults_are_caught_by_name[AboveForSome]",
    ),
    Fault(
        "only scores show what a parameter does",
        "testing/invariants_of_parameters.py",
        "_fates(variant) != _fates(policy)",
        "False",
        "test_testing_invariants::test_no_invariant_is_broken_without_a_fault[NeedsAChoice]",
    ),
    Fault(
        "the first example is shown, not the smallest",
        "testing/drawing.py",
        "phases=[library.Phase.generate, library.Phase.shrink]",
        "phases=[library.Phase.generate]",
        "test_testing_drawing::test_the_smallest_problem_is_shown",
    ),
    Fault(
        "sessions have few events",
        "testing/strategies.py",
        "_FEWEST_TOUCHES, _MOST_TOUCHES = 12, 24",
        "_FEWEST_TOUCHES, _MOST_TOUCHES = 4, 8",
        "test_testing_strategies::test_sessions_are_worth_testing[RecencyWindow]",
    ),
    Fault(
        "no pass every seven turns",
        "testing/invariants_of_passes.py",
        "_SPACINGS = (2, 3, 7)",
        "_SPACINGS = (2, 3)",
        "test_testing_faulty_engines::test_faulty_engines_are_caught_by_the_branch_that_sees_them[every turn or 7]",
    ),
    Fault(
        "seldom passes ignore the period",
        "testing/invariants_of_passes.py",
        "_delayed(policy, session, spacing * period)",
        "_delayed(policy, session, spacing)",
        "test_testing_faulty_engines::test_faulty_engines_are_caught_by_the_branch_that_sees_them[every turn or 6]",
    ),
    Fault(
        "the second pass is not looked at",
        "testing/invariants_of_passes.py",
        "            if again:\n",
        "            if not again and again:\n",
        "test_testing_faulty_engines::test_faulty_engines_are_caught_by_the_branch_that_sees_them[second pass]",
    ),
    Fault(
        "the fate of what was read is not compared",
        "testing/invariants_of_passes.py",
        '            if left != right:\n                return f"turn {turn} evicts {left}, and {right} where scores',
        '            if left != left:\n                return f"turn {turn} evicts {left}, and {right} where scores',
        "test_testing_invariants::test_planted_faults_are_caught_by_name['reading_a_score_changes_nothing', OneOfTwo]",
    ),
)
