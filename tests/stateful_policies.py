"""What Hypothesis draws for the stateful policies of this package: thresholds that equal a score that is reached."""

import math
from dataclasses import replace

from hypothesis import strategies as st
from own_policies import Coin, Gentle, Important, LastTwo, Rust, Weekly
from stateful_cases import reachable, touches_and_age

from vecdecay.policies import ActR, Fsrs6, MemoryBankAsPublished, MemoryDecayCore, StatefulPolicy


@st.composite
def _act_r(draw: st.DrawFn) -> ActR:
    """Draw a threshold close to a score that is reached, often the very same number."""
    touches, age = draw(touches_and_age())
    decay, approximation = draw(st.sampled_from((0.5, 0.5, 0.3, 0.9))), draw(st.sampled_from(("exact", "standard")))
    policy = ActR(0.0, decay, approximation)
    score = reachable(policy.score(touches, touches[-1] + age))
    return ActR(math.log(score), decay, approximation)


@st.composite
def _fsrs6(draw: st.DrawFn) -> Fsrs6:
    touches, age = draw(touches_and_age())
    policy = Fsrs6(
        turns_per_day=draw(st.sampled_from((1.0, 1.0, 0.25, 3.0, 1.7))),
        recall_grade=draw(st.sampled_from((3, 3, 1, 2, 4))),
        first_grade=draw(st.sampled_from((1, 2, 3))),
    )
    score = policy.score(touches, touches[-1] + age)
    return Fsrs6(reachable(score), policy.turns_per_day, policy.recall_grade, policy.first_grade)


@st.composite
def _memory_decay_core(draw: st.DrawFn) -> MemoryDecayCore:
    touches, age = draw(touches_and_age())
    decay, held = draw(st.sampled_from(("exponential", "power_law"))), draw(st.sampled_from(("retrieval", "storage")))
    ticks = draw(st.sampled_from((1, 2, 7)))
    policy = MemoryDecayCore(0.5, decay, held, ticks, draw(st.sampled_from(("episode", "fact"))))
    return replace(policy, eviction_threshold=reachable(policy.score(touches, touches[-1] + age)))


STRATEGIES: dict[str, st.SearchStrategy[StatefulPolicy]] = {
    # No threshold: it drops items at random. Loads in every turn or seldom, days of any length.
    "memory_bank_as_published": st.builds(
        MemoryBankAsPublished, st.sampled_from((1, 1, 2, 5)), st.sampled_from((1.0, 1.0, 4.0, 24.0, 0.5, 1.7))
    ),
    "fsrs6": _fsrs6(),
    "act_r": _act_r(),
    "memory_decay_core": _memory_decay_core(),
}
"""A strategy per stateful policy, by the name of the policy."""


OWN_POLICIES = (Gentle, Weekly, Important, LastTwo, Coin, Rust)


@st.composite
def own_policies(draw: st.DrawFn, kinds: tuple[type[StatefulPolicy], ...] = OWN_POLICIES) -> StatefulPolicy:
    """Draw a policy of the tests with a threshold that equals a score that is reached."""
    touches, age = draw(touches_and_age())
    kind = draw(st.sampled_from(kinds))
    if kind in (Coin, Rust):
        return kind(draw(st.sampled_from((0.0, 0.2, 0.7))))
    return kind(reachable(kind().score(touches, touches[-1] + age)))
