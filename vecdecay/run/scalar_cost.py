"""What it costs to play a session with the scalar engine: bounds from sizes alone, before anything is generated.

The plain generator, the scalar engine and their Python objects cost thousands of times what the kernels do. No clock is
asked, so that the sessions that a run can afford to play so are the same in every run.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

from vecdecay.engines.lookup import relevant
from vecdecay.engines.reference import engine_for
from vecdecay.items import DEFAULT_ATTRIBUTES, Attributes
from vecdecay.policies import POLICIES
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.policies.stateful import HazardPolicy, HistoryPolicy
from vecdecay.sessions.mixture import Mixture
from vecdecay.sessions.published import PublishedSessions
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import NOISE, Session
from vecdecay.sessions.source import Source
from vecdecay.sessions.steps import most_of_poisson

# Measured on one core with CPython 3.11, in nanoseconds; the larger figures where workloads differ.
_NS_PER_ITEM = 10_000  # listed in a block, told of in a trace
_NS_PER_EVENT = 5_000  # listed in a block, sorted by turn, played
_NS_PER_TURN = 5_000
_NS_PER_PUBLISHED_EVENT = 2_000  # generated
_NS_PER_DRAWN_ITEM = 30_000  # its attributes and its size, each a draw in plain Python
_NS_PER_DRAWN_TOUCH = 15_000
_NS_PER_DRAWN_TURN = 15_000  # its number of noise items
_NS_PER_ITEM_TURN_BY_FORMULA = 800  # of items in the working set, under the two published policies
_NS_PER_ITEM_TURN_BY_TABLE = 3_000
_NS_PER_ITEM_TURN_STATEFUL = 3_000
_NS_PER_ITEM_TURN_HAZARD = 17_000  # a draw each
_NS_PER_TOUCH_TURN_HISTORY = 220  # a score is a sum over all touches before
_NS_PER_SIZED_ITEM_TURN = 100  # items outside the working set are looked at too
_NS_PER_HORIZON = 10_000  # an entry of a table that a kernel looks up
_NS_PER_OWN_HORIZON = 100_000  # a policy of one's own is asked at many ages

_BYTES_PER_ITEM = 750
_BYTES_PER_EVENT = 320
_BYTES_PER_TURN = 200

_MOST_TURNS_WATCHED = 1000
_LIVES_OF_CHANCE = 8


@dataclass(frozen=True)
class ScalarCost:
    """What one session takes on an ordinary core: ``seconds``, and ``memory_bytes`` at its peak."""

    seconds: float
    memory_bytes: int


def scalar_cost(workload: Source, policy: Policy, seed: int) -> ScalarCost:
    """Return what it takes to generate the session of a seed in plain Python and to play it with the scalar engine."""
    while isinstance(workload, Mixture):
        workload = workload.components[workload.component_of(seed)]
    return _cost(workload, policy)


@lru_cache(maxsize=256)
def _cost(workload: Source, policy: Policy) -> ScalarCost:
    sizes = workload.sizes()
    events = sizes.touches + sizes.items - sizes.listed_items
    nanoseconds = _NS_PER_ITEM * sizes.items + _NS_PER_EVENT * events + _NS_PER_TURN * sizes.turns
    if type(workload) is PublishedSessions:
        nanoseconds += _NS_PER_PUBLISHED_EVENT * events
    else:
        nanoseconds += _NS_PER_DRAWN_ITEM * sizes.items + _NS_PER_DRAWN_TURN * sizes.turns
        nanoseconds += _NS_PER_DRAWN_TOUCH * max(0, events - sizes.items)
    nanoseconds += _NS_PER_SIZED_ITEM_TURN * sizes.items * sizes.turns * workload.has_token_sizes
    nanoseconds += _ns_per_item_turn(policy) * most_item_turns(workload, policy)
    if isinstance(policy, HistoryPolicy):
        nanoseconds += _NS_PER_TOUCH_TURN_HISTORY * sizes.touches * sizes.turns // 2
    held = _BYTES_PER_ITEM * sizes.items + _BYTES_PER_EVENT * events + _BYTES_PER_TURN * sizes.turns
    return ScalarCost(nanoseconds / 1e9, held)


def table_seconds(workload: Source, policy: Policy) -> float:
    """Return what it takes to make the tables that a kernel looks up; they are made once."""
    if not isinstance(policy, TablePolicy):
        return 0.0
    each = _NS_PER_HORIZON if type(policy) in POLICIES else _NS_PER_OWN_HORIZON
    return each * table_entries(workload, policy) / 1e9


def table_entries(workload: Source, policy: TablePolicy) -> int:
    """Return a bound on the entries of the policy's tables: the recalls of an item times the kinds of items."""
    kinds = {relevant(policy, one) for one in _met(workload)}
    return len(kinds) * (most_recalls(workload) + 1)


def most_recalls(workload: Source) -> int:
    """Return a bound on the recalls of any one item, as kernels use it: rounded up to a power of two where random.

    Like the bounds in ``sizes``, it is broken less than once in 1e20 sessions.
    """
    if isinstance(workload, Mixture):
        return max(map(most_recalls, workload.components))
    if isinstance(workload, PublishedSessions):
        return workload.num_recalls()
    sizes = workload.sizes()
    if not isinstance(workload, SeededWorkload):
        return sizes.touches
    most = _rhythm(workload)[1]
    chance = workload.noise_recall_probability
    if chance > 0.0:
        most = max(most, min(sizes.turns, math.ceil(math.log(1e-20 / max(1, sizes.items)) / math.log(chance))))
    return 1 << max(0, min(most, sizes.touches) - 1).bit_length()


def num_rhythms(workload: Source) -> int:
    """Return of how many rhythms a workload holds the steps, as Python objects."""
    if isinstance(workload, Mixture):
        return sum(map(num_rhythms, workload.components))
    return _rhythm(workload)[0] if isinstance(workload, SeededWorkload) else 0


@lru_cache(maxsize=64)
def _rhythm(workload: SeededWorkload) -> tuple[int, int]:
    """Return how many rhythms there are, and a bound on the recalls that any of them makes of an item."""
    count = most = 0
    for plan in workload.plans():
        count += 1
        certain = sum(step.certain for step in plan.steps)
        most = max(most, certain + most_of_poisson(sum(step.mean for step in plan.steps)))
    return count, most


def _met(workload: Source) -> tuple[Attributes, ...]:
    if isinstance(workload, Mixture):
        return tuple(one for component in workload.components for one in _met(component))
    return workload.combinations()[0] if isinstance(workload, SeededWorkload) else (DEFAULT_ATTRIBUTES,)


def _ns_per_item_turn(policy: Policy) -> int:
    if type(policy) in (Ebbinghaus, RecencyWindow):
        return _NS_PER_ITEM_TURN_BY_FORMULA
    if isinstance(policy, HazardPolicy):
        return _NS_PER_ITEM_TURN_HAZARD
    return _NS_PER_ITEM_TURN_BY_TABLE if isinstance(policy, TablePolicy) else _NS_PER_ITEM_TURN_STATEFUL


def most_item_turns(workload: Source, policy: Policy) -> int:
    """Return a bound on the items in the working set, summed over the turns of a session.

    Noise that nothing recalls stays as long as one such item does, which is found by playing it; other noise from its
    registration to the end, which is half a session on average; foundational items always.
    """
    sizes = workload.sizes()
    foundational = min(sizes.items, getattr(workload, "num_foundational", sizes.items))
    noise = sizes.items - foundational
    if noise == 0:
        return foundational * sizes.turns
    stay = (sizes.turns + 1) // 2
    if not isinstance(workload, SeededWorkload):
        stay = min(stay, _life(policy, sizes.turns, DEFAULT_ATTRIBUTES))
    elif workload.noise_recall_probability == 0.0 and not workload.attributes_vary:
        stay = min(stay, _life(policy, sizes.turns, workload.usual_attributes))
    return foundational * sizes.turns + noise * stay


@lru_cache(maxsize=4096)
def _life(policy: Policy, turns: int, attributes: Attributes) -> int:
    """Return for how many turns an item stays that nothing recalls; ``turns`` where it outlives what is watched.

    Where chance decides, it is the mean of a few lives.
    """
    lives = _LIVES_OF_CHANCE if isinstance(policy, HazardPolicy) else 1
    try:
        engine = engine_for(policy, Session(turns, (NOISE,) * lives, (), (attributes,) * lives))
        for item in range(lives):
            engine.register(item, 1)
        lived = 0
        for turn in range(1, min(turns, _MOST_TURNS_WATCHED) + 1):
            engine.step(turn)
            if engine.working_set_size() == 0:
                return -(-lived // lives)
            lived += engine.working_set_size()
    except Exception:  # a policy that cannot be played: the run will say why
        return turns
    return turns
