"""Who draws from which stream: one table for all workloads, so that no two ever share a random number.

A draw has the address (seed, workload, stream, item, event); see :mod:`vecdecay.sessions.philox`. The numbers below are
part of what a seed means: changing one changes the sessions of every result made before.

The streams of a workload are the same for all, and stand where they are used: noise in ``rhythm_kernel``, attributes in
``attributes_kernel``, and from ``rhythm_kernel.FIRST_STEP_STREAM`` on one stream per step of an item's rhythm.
"""

WORKLOAD_IDS: dict[str, int] = {
    "uniform_recalls": 1,
    "steady_use": 2,
    "burst_then_silence": 3,
    "establish_silence_resurface": 4,
    "never_recalled": 5,
    "zipf_recalls": 6,
    "recency_biased": 7,
    "periodic": 8,
    "rare_critical": 9,
    "drift": 10,
    "mixture": 11,
    "changing_facts": 12,
    "forget_requests": 13,
    "budget_pressure": 14,
    "long_project": 15,
}
"""The generator's workload word, 1 to 2**32 - 1, by the name of the workload; the published sessions need none."""
