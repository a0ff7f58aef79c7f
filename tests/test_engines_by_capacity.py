"""Tests of vecdecay.engines.by_capacity: the kernel is the scalar reference, for every policy and every capacity."""

from collections import Counter
from typing import Any

import pytest
import stateful_policies
import strategies
import table_policies
from conftest import examples
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from own_policies import Coin, Important

from vecdecay.engines.kernels.fields import EVICTION_REASONS
from vecdecay.engines.outcome import first_difference
from vecdecay.engines.registry import chosen_engine, play_block
from vecdecay.items import CATEGORIES, FOUNDATIONAL, NOISE, Attributes
from vecdecay.policies import KeepAll
from vecdecay.policies.base import Policy
from vecdecay.policies.own import with_capacity
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import FORGET, RECALL, REGISTER
from vecdecay.sessions.session import Session

POLICIES: dict[str, st.SearchStrategy[Any]] = {
    "keep_all": st.just(KeepAll()),
    **table_policies.STRATEGIES,
    "any horizons under any rules": strategies.steps(),
    **stateful_policies.STRATEGIES,
    # Kernels of two kinds only, as each takes seconds to compile: one that reads attributes, one that draws.
    "own stateful policies": stateful_policies.own_policies((Important, Coin)),
}

CAPACITIES = st.fixed_dictionaries({"when": st.sampled_from(("pass", "before_insert", "after_insert"))}).flatmap(
    lambda when: st.sampled_from([{"items": n} for n in (2, 1, 3, 5, 40)] + [{"tokens": n} for n in (9, 4, 14)]).map(
        lambda budget: when | budget
    )
)


@st.composite
def full_memories(draw: st.DrawFn) -> Session:
    """Draw a session of up to nine items, pinned ones among them, with sizes, requests to forget and last turns."""
    header, touches = draw(st.binary(min_size=40, max_size=40)), draw(st.binary(min_size=60, max_size=60))
    number, turn, known, events = 2 + header[0] % 8, 1, set[int](), []
    for what, gap in zip(touches[::2], touches[1::2], strict=True):
        turn += (0, 0, 1, 1, 2, 3, 5, 14)[gap % 8]
        item = what % 16 % number
        kind = REGISTER if item not in known or what >> 4 < 2 else FORGET if what >> 4 < 4 else RECALL
        kind = RECALL if gap >> 5 == 7 else kind
        known.add(item)
        events.append((turn, kind, item))
    length = turn + header[1] % 9
    per_item = header[4 : 4 + number]
    attributes = tuple(Attributes((0.5, 0.2, 1.0)[one % 3], CATEGORIES[one % 4], one % 7 == 3) for one in per_item)
    sizes = tuple(one // 7 % 6 for one in per_item) if header[2] % 3 else ()
    expires = tuple(one % (length + 2) if one % 5 == 2 else 0 for one in header[20 : 20 + number])
    kinds = tuple(NOISE if one % 2 else FOUNDATIONAL for one in per_item)
    return Session(length, kinds, tuple(events), attributes, sizes, header[3], expires if any(expires) else ())


@pytest.mark.parametrize("name", POLICIES)
def test_the_kernel_is_the_reference(name: str) -> None:
    """Items, turns, checkpoints and totals are the same to the bit, and every reason occurs."""
    met: Counter[str] = Counter()

    @settings(
        max_examples=examples(40),
        phases=[Phase.generate, Phase.shrink],
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(POLICIES[name], CAPACITIES, st.lists(full_memories(), min_size=2, max_size=4), st.booleans())
    def same(policy: Policy, capacity: dict[str, Any], several: list[Session], relearn: bool) -> None:
        limited, block = with_capacity(policy, **capacity), block_of(several)
        assert chosen_engine("auto", limited) == "capacity"
        truth = play_block(block, limited, "reference", (1, 7, 30), True, True, relearn=relearn, want_misses=True)
        found = play_block(block, limited, "capacity", (1, 7, 30), True, True, relearn=relearn, want_misses=True)
        assert first_difference(truth, found) == ""
        assert found.items is not None
        met.update(EVICTION_REASONS[reason - 1] for reason in found.items.evicted_reason.tolist() if reason)

    same()
    wanted = {"capacity", "forgotten", "expired"} | ({"decayed"} if name != "keep_all" else set())
    assert min(met[reason] for reason in wanted) >= 10, met
