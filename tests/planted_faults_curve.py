"""Faults in the one pass that answers every value of a parameter; see planted_faults.py."""

from planted_faults import Fault

KERNEL, BLOCK, KEEPING = "engines/kernels/curve_kernel.py", "engines/by_curve.py", "engines/keeping.py"
CURVE = "run/curve.py"
SIZES = "test_run_curve::test_sizes_and_cooldowns_count"
STEP = "test_run_curve::test_every_step_equals_playing_it"
WORKLOADS = "test_run_curve::test_workloads_with_cohorts_equal_playing_them"

CURVE_FAULTS = (
    Fault(
        "a recall after a cooldown's last turn does not count in a curve",
        KERNEL, "if turn - counted >= rules[COOLDOWN]:\n                            counted = turn",
        "if turn - counted > rules[COOLDOWN]:\n                            counted = turn", SIZES,
    ),
    Fault(
        "a curve's item is of the next age a turn too late",
        KERNEL, "begin = first + row + kept + 1", "begin = first + row + kept", WORKLOADS,
    ),
    Fault(
        "a curve forgets the sizes of items",
        KERNEL, "steps[half + begin] += tokens", "steps[half + begin] += 1", SIZES,
    ),
    Fault(
        "an item that expires is there in a curve for a turn more",
        KERNEL, "max(expires, turn) - 1)", "max(expires, turn))", f"{STEP}[recency_window]",
    ),
    Fault(
        "a curve counts a grace a turn short",
        KERNEL, "now - registered >= rules[GRACE]", "now - registered > rules[GRACE]", f"{STEP}[recency_window]",
    ),
    Fault(
        "a curve takes a recall for a touch where recalls do not refresh the age",
        KERNEL, "if rules[REFRESHES] == 1:\n                            anchor = turn",
        "if True:\n                            anchor = turn", f"{STEP}[time_to_live]",
    ),
    Fault(
        "cohorts count once in a curve, however many sessions there are",
        BLOCK, "times = cohort.count * sessions", "times = cohort.count", WORKLOADS,
    ),
    Fault(
        "a curve's blocks replace one another",
        BLOCK, "counts[:, np.searchsorted(level, one.level)] += one.counts",
        "counts[:, np.searchsorted(level, one.level)] = one.counts",
        "test_run_curve::test_threads_and_blocks_change_nothing",
    ),
    Fault(
        "a window's level does not fall",
        KEEPING, "return -value if self.falls else value", "return value", f"{STEP}[recency_window]",
    ),
    Fault(
        "a guess that is wrong is not noticed",
        KEEPING, "if evicts(guess) or not evicts(self.beside(guess, most)):", "if evicts(guess):",
        "test_run_curve::test_mistakes_are_lines",
    ),
    Fault(
        "a step belongs to the row on its other side",
        CURVE, 'side="left" if self.includes_to else "right"', 'side="right" if self.includes_to else "left"',
        f"{STEP}[ebbinghaus]",
    ),
    Fault(
        "ranges are merged where only the tokens change",
        CURVE, "np.any(np.diff(counts, axis=1) != 0, axis=0)", "np.any(np.diff(counts[2:], axis=1) != 0, axis=0)",
        f"{STEP}[ebbinghaus]",
    ),
)  # fmt: skip
