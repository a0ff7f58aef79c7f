"""Figures in prose: what docstrings, records and the README say in numbers and signs is what the code computes."""

import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
from house import ROOT

import vecdecay as vd
from vecdecay.items import Attributes
from vecdecay.policies import POLICIES, TablePolicy
from vecdecay.policies.memory_decay_core import MemoryDecayCore
from vecdecay.quantities import METRICS
from vecdecay.testing import INVARIANTS

HALF = Attributes(importance=0.5)


def life(policy: TablePolicy) -> int:
    """Return the first age at which a policy evicts what was never recalled."""
    return next(age for age in range(1, 1000) if policy.evicts(age, 1, HALF))


def sentences() -> Iterator[tuple[type, str]]:
    """Yield classes, and what their docstrings have to say, with every figure computed."""
    curve, window, lifetime = vd.Ebbinghaus(), vd.RecencyWindow(15), vd.TimeToLive(15)
    yield vd.Ebbinghaus, f"four recalls take a stability of {curve.stability(1)} to {curve.stability(5)}"
    for kind, policy in ((vd.RecencyWindow, window), (vd.TimeToLive, lifetime)):
        yield kind, f"survives the pass at age {life(policy) - 1} and is evicted at age {life(policy)}"
    published, paper = vd.MemoryBankAsPublished(), vd.MemoryBank()
    left = published.retention(published.constants(), (5.0, 1), 6)
    yield vd.MemoryBankAsPublished, f"(strength 5 at 5 days leaves {left:.4f}, in the paper's form "
    yield vd.MemoryBankAsPublished, f"in the paper's form {paper.retention(5, 5):.3f})"
    yield vd.YourMemory, f"a raw strength of 0.0499997 rounds to {round(0.0499997, 6)} and stays"
    tiers = vd.TieredForgettingCurve()
    growth = [tiers.stability(count + 1, HALF) / tiers.stability(count, HALF) for count in range(1, 6)]
    yield vd.TieredForgettingCurve, "comes to {:.1f}, {:.2f}, {:.1f}, {:.1f}, {:.1f} at".format(*growth)
    yield vd.TieredForgettingCurve, f"half is gone after {3600 * math.log(2):.0f} seconds"
    yield vd.GenerativeAgentsRecency, f"0.995 an hour halves in {math.log(0.5) / math.log(0.995):.2f} hours"
    below = [vd.Fsrs6(eviction_threshold=score).life([1], limit=1000) for score in (0.9, 0.7, 0.5)]
    yield vd.Fsrs6, "falls below 0.9 at day {}, below 0.7 at day {} and below 0.5 at day {}".format(*below)
    exact, standard = vd.ActR(), vd.ActR(approximation="standard")
    even, history = standard.activation([0, 10, 20], 100), exact.activation([0, 10, 20], 100)
    yield vd.ActR, f"it gives B = {even:.3f} where the exact history gives {history:.3f}"
    first, default = (one.life([1], limit=100) for one in (vd.ActR(retrieval_threshold=0.0), exact))
    yield vd.ActR, f"threshold is 0, which drops an item of one use at age {first};"
    yield vd.ActR, f"the default here keeps it {default} turns"
    power, exponential = (
        MemoryDecayCore(decay_formula=decay, default_item="fact") for decay in ("power_law", "exponential")
    )
    a_tick = [one.score([1], 2, HALF) for one in (power, exponential)]
    yield MemoryDecayCore, "({:.4f} a tick against {:.4f} for a fresh fact of importance 0.5)".format(*a_tick)
    book = vd.Sm2(recall_grade=5, registration_graded=False, rounding="exact")
    intervals = [book.interval_days(count) for count in range(1, 6)]
    yield vd.Sm2, f"intervals {', '.join(map(str, intervals))}"
    weights = vd.HalfLifeRegression()
    yield vd.HalfLifeRegression, f"``min_half_life_days`` ({weights.min_half_life_days * 24 * 60:.0f} minutes)"


@pytest.mark.parametrize(("kind", "sentence"), list(sentences()), ids=lambda one: getattr(one, "__name__", one))
def test_docstrings_say_what_the_code_computes(kind: type, sentence: str) -> None:
    """A figure that nobody computes goes stale unnoticed."""
    assert sentence in " ".join((kind.__doc__ or "").split())


@pytest.mark.parametrize("kind", [one for one in POLICIES if issubclass(one, TablePolicy)], ids=lambda one: one.name)
def test_formulas_have_the_comparison_that_decides(kind: type[TablePolicy]) -> None:
    """``<`` before a threshold: at equality an item stays; ``>`` before a lifetime: at equality too."""
    assert not re.search(r"evict when[^;]*(≤|<=|≥|>=)", kind.formula)
    policy = kind()
    if policy.threshold() is None:
        assert re.search(r" > |never", kind.formula)
        return
    assert " < eviction_threshold" in kind.formula
    score = policy.retention(3, 1, HALF)
    assert not kind.build({**policy.values(), "eviction_threshold": score}).evicts(3, 1, HALF)
    above = np.nextafter(score, 1.0)
    assert kind.build({**policy.values(), "eviction_threshold": float(above)}).evicts(3, 1, HALF)


def test_what_is_better_is_what_costs_less_or_remembers_more() -> None:
    """Keeping all remembers most and costs most; a window of one turn the other way round; each metric says which."""
    result = vd.simulate(vd.PublishedSessions(), [vd.KeepAll(), vd.RecencyWindow(1)], seeds=range(5), detail="cells")
    all_kept, least = result.cells.to_pylist()
    costs = {one.name for one in METRICS if any(word in one.name for word in ("working_set", "footprint", "token"))}
    compared = set()
    for metric in METRICS:
        left, right = all_kept.get(f"{metric.name}_mean"), least.get(f"{metric.name}_mean")
        if metric.better == "neither" or left is None or right is None or left == right:
            continue
        remembers = left > right if metric.name not in costs else right > left
        assert metric.better == ("higher" if remembers else "lower"), metric.name
        compared.add(metric.name)
    assert {"foundational_recall_rate", "misses", "mean_working_set", "footprint_reduction"} <= compared


def test_the_readme_counts_what_there_is() -> None:
    """Numbers written as words."""
    words = {14: "fourteen", 15: "fifteen", 16: "sixteen", 17: "seventeen", 18: "eighteen"}
    text = " ".join((ROOT / "README.md").read_text("utf-8").split())
    assert f"against {words[len(INVARIANTS)]} invariants" in text
