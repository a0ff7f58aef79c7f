"""Seeded workloads as Hypothesis draws them: noise, attributes, and each workload's own parameters."""

from typing import Any

from hypothesis import strategies as st

from vecdecay.sessions import (
    BudgetPressure,
    BurstThenSilence,
    Drift,
    EstablishSilenceResurface,
    LongProject,
    Mixture,
    NeverRecalled,
    Periodic,
    RareCritical,
    RecencyBiased,
    SteadyUse,
    UniformRecalls,
    Workload,
    ZipfRecalls,
)
from vecdecay.sessions.seeded import SeededWorkload

Values = dict[str, Any]


@st.composite
def noise_values(draw: st.DrawFn) -> Values:
    """Draw noise of any process, little enough for the plain generator."""
    process = draw(st.sampled_from(("constant", "poisson", "bursty")))
    whole = st.sampled_from((0, 1, 2)).map(float)
    values: Values = {
        "noise_process": process,
        "noise_per_turn": draw(whole if process == "constant" else whole | st.just(0.7)),
    }
    if process == "bursty":
        values |= {
            "noise_burst_turns": draw(st.integers(1, 7)),
            "noise_burst_share": draw(st.sampled_from((0.2, 0.5, 1.0))),
        }
    if draw(st.booleans()):
        values |= {
            "noise_recall_probability": draw(st.sampled_from((0.3, 0.8))),
            "noise_recall_gap": draw(st.sampled_from((0.0, 2.0, 30.0))),
        }
    return values


@st.composite
def attribute_values(draw: st.DrawFn) -> Values:
    """Draw what items are like; one time in two they are all alike."""
    if draw(st.booleans()):
        return {}
    return {
        "importance_distribution": draw(st.sampled_from(("constant", "uniform", "beta"))),
        "importance_mean": draw(st.sampled_from((0.5, 0.25, 0.07))),
        "importance_concentration": draw(st.sampled_from((4.0, 20.0))),
        "importance_follows_use": draw(st.sampled_from((0.0, 0.5, 1.0, -1.0))),
        "importance_advantage": draw(st.sampled_from((0.0, 0.3, -0.9))),
        "category_weights": draw(st.sampled_from(((1.0, 0.0, 0.0, 0.0), (0.25, 0.25, 0.0, 0.5), (0.0, 0.0, 1.0, 0.0)))),
        "pinned_share": draw(st.sampled_from((0.0, 0.4, 1.0))),
        "token_distribution": draw(st.sampled_from(("constant", "lognormal", "pareto"))),
        "token_size": draw(st.sampled_from((1, 7, 900_000))),
        "token_spread": draw(st.sampled_from((0.0, 0.8, 3.0))),
    }


@st.composite
def seeded_workloads(
    draw: st.DrawFn, described: type[SeededWorkload], rhythm: st.SearchStrategy[Values]
) -> SeededWorkload:
    """Draw a workload; ``rhythm`` draws its own parameters, and may draw the length and the number of items."""
    shape = {"session_length": draw(st.integers(1, 40)), "num_foundational": draw(st.sampled_from((2, 1, 0, 4)))}
    return described(**{**shape, **draw(noise_values()), **draw(attribute_values()), **draw(rhythm)})


@st.composite
def _uniform_recalls(draw: st.DrawFn) -> Values:
    """Draw few recalls or many, in sessions that have a second turn."""
    return {
        "session_length": draw(st.integers(2, 40)),
        "recalls_per_foundational": draw(st.sampled_from((0, 1, 4, 30))),
    }


@st.composite
def _burst_then_silence(draw: st.DrawFn) -> Values:
    """Draw a burst that the session has room for."""
    turns = draw(st.integers(1, 10))
    length = draw(st.integers(turns + 1, 40))
    return {"session_length": length, "burst_turns": turns, "burst_recalls": draw(st.sampled_from((0, 1, 4, 30)))}


@st.composite
def _establish_silence_resurface(draw: st.DrawFn) -> Values:
    """Draw phases that the session has room for."""
    early, silent, late = (draw(st.integers(1, 12)) for _ in range(3))
    return {
        "session_length": 1 + early + silent + late + draw(st.sampled_from((0, 1, 9))),
        "establish_turns": early,
        "silence_turns": silent,
        "resurface_turns": late,
        "establish_recalls": draw(st.sampled_from((0, 1, 3, 30))),
        "resurface_recalls": draw(st.sampled_from((1, 2, 5))),
    }


@st.composite
def _never_recalled(draw: st.DrawFn) -> Values:
    """Draw a range of turns that the session has."""
    within = draw(st.integers(1, 20))
    return {"session_length": draw(st.integers(within, 40)), "registered_within": within}


@st.composite
def _periodic(draw: st.DrawFn) -> Values:
    """Draw a period and a jitter below half of it."""
    period = draw(st.integers(1, 15))
    return {"period_turns": period, "period_jitter": draw(st.integers(0, (period - 1) // 2))}


@st.composite
def _drift(draw: st.DrawFn) -> Values:
    """Draw shifts that the session has room for."""
    items, in_use, shift = draw(st.integers(0, 6)), draw(st.integers(1, 4)), draw(st.integers(1, 6))
    last = 1 + max(0, items - in_use) * shift
    return {
        "num_foundational": items,
        "items_in_use": in_use,
        "turns_per_shift": shift,
        "session_length": last + draw(st.integers(0, 12)),
        "recalls_per_turn": draw(st.sampled_from((0.0, 0.2, 2.0))),
    }


@st.composite
def _budget_pressure(draw: st.DrawFn) -> Values:
    """Draw items, urgent ones among them or all of them, that come in while the session lasts."""
    within = draw(st.integers(1, 20))
    return {
        "session_length": draw(st.integers(within, 40)),
        "registered_within": within,
        "num_foundational": draw(st.integers(0, 9)),
        "num_urgent": draw(st.integers(0, 12)),
        "recalls_per_turn": draw(st.sampled_from((0.0, 0.05, 1.0))),
        "urgent_factor": draw(st.sampled_from((0.0, 1.0, 4.0))),
    }


OWN_PARAMETERS: dict[type[SeededWorkload], st.SearchStrategy[Values]] = {
    UniformRecalls: _uniform_recalls(),
    SteadyUse: st.fixed_dictionaries({"recalls_per_turn": st.sampled_from((0.0, 0.1, 1.0, 3.0))}),
    BurstThenSilence: _burst_then_silence(),
    EstablishSilenceResurface: _establish_silence_resurface(),
    NeverRecalled: _never_recalled(),
    ZipfRecalls: st.fixed_dictionaries(
        {
            "recalls_per_turn": st.sampled_from((0.0, 0.5, 3.0)),
            "zipf_exponent": st.sampled_from((0.0, 1.0, 2.5, 10.0)),
        }
    ),
    RecencyBiased: st.fixed_dictionaries(
        {"gap_scale": st.sampled_from((0.5, 1e-6, 1e9, 4.0)), "gap_exponent": st.sampled_from((0.64, 0.1, 100.0, 2.0))}
    ),
    Periodic: _periodic(),
    RareCritical: st.fixed_dictionaries({"recalls_per_turn": st.sampled_from((0.0, 0.03, 0.5))}),
    Drift: _drift(),
    BudgetPressure: _budget_pressure(),
    LongProject: st.fixed_dictionaries(
        {"num_foundational": st.integers(0, 6), "recalls_per_turn": st.sampled_from((0.0, 0.03, 0.5))}
    ),
}
"""What draws the parameters that a workload has beside noise and attributes; lengths and items where they matter."""

SMALL = (
    "published_sessions(session_length=30, noise_per_turn=1)",
    "steady_use(session_length=30, noise_per_turn=1, noise_process='poisson')",
    "zipf_recalls(session_length=20, num_foundational=4, noise_per_turn=1)",
    "never_recalled(session_length=25, registered_within=9, token_distribution='lognormal', token_size=20)",
    "uniform_recalls(session_length=30, noise_per_turn=1, importance_distribution='beta', pinned_share=0.5)",
    "burst_then_silence(session_length=30, noise_per_turn=1)",
)
"""What drawn mixtures are made of."""


@st.composite
def _mixtures(draw: st.DrawFn) -> Mixture:
    """Draw one to four workloads, a weight of 0 among them at times."""
    chosen = draw(st.lists(st.sampled_from(SMALL), min_size=1, max_size=4))
    parts = draw(st.lists(st.integers(0, 5), min_size=len(chosen), max_size=len(chosen)).filter(any))
    return Mixture(chosen, tuple(part / sum(parts) for part in parts))


WORKLOAD_STRATEGIES: dict[type[Workload], st.SearchStrategy[Workload]] = {
    **{described: seeded_workloads(described, own) for described, own in OWN_PARAMETERS.items()},
    Mixture: _mixtures(),
}
"""What draws each workload, attributes and noise included."""

seeds = st.integers(-50, 2**40) | st.sampled_from((-(2**63), 2**63 - 1, 2**63, -(2**90), 2**64))
