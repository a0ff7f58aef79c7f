"""What ``vecdecay new`` writes: complete files that run as they are. ``vecdecay help`` shows them too.

Their lines have at most 50 columns, which a narrow terminal shows whole. NAME is what is typed, CLASS the same as
Python names classes.
"""

import re

SWEEP = """\
# vecdecay run NAME.toml
# vecdecay help sweepfile explains every key.
schema = 1

[sweep]
name = "NAME"         # also of its output folder
title = "A window against a forgetting curve"
note = "Shown below the table."
seeds = 200           # sessions, one per seed
detail = "sessions"   # or items, turns, misses
engine = "auto"       # all give the same result

# Where the sessions come from: a workload (see
# vecdecay list workloads), your own, such as
# "my_workloads.py:pulse", or a table [trace].
[workload]
kind = "recency_biased"
noise_per_turn = 2

# The policies, all played on the same sessions:
# vecdecay list policies, or your own, such as
# "my_policies.py:Gentle". What is not given is
# at its default: see vecdecay explain KIND.
[[policy]]
kind = "ebbinghaus"
eviction_threshold = 0.2

[[policy]]
kind = "recency_window"
window_size = 15

# An axis gives a parameter several values.
[[axis]]
parameter = "recency_window.window_size"
values = [10, 20, 40]
"""

POLICY = '''\
"""A policy: what is evicted, and when.

vecdecay check NAME.py:CLASS
vecdecay explain NAME.py:CLASS
vecdecay show drift --policy NAME.py:CLASS
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class CLASS:
    """Decay that use and importance slow down."""

    # Each field is a parameter of sweeps.
    half_life: float = 10.0
    eviction_threshold: float = 0.2

    # The score of an item, 1 when it is used and
    # never higher when it is older. Below
    # eviction_threshold the item is evicted.
    #   age           turns since the last use
    #   recall_count  uses; registering is one
    #   item          importance (0 to 1),
    #                 category, pinned
    # Without need of item, leave it out.
    def retention(self, age, recall_count, item):
        life = self.half_life * recall_count
        life = life * (0.5 + item.importance)
        return 0.5 ** (age / life)
'''

WORKLOAD = '''\
"""A workload: what happens in a session.

vecdecay show NAME.py:NAME --seed 1
vecdecay curve NAME.py:NAME recency_window
"""

import random

import vecdecay as vd


# Each argument with a default is a parameter of
# sweeps. The same seed gives the same events.
def NAME(seed, rules=3, gap=20, notes=2):
    """Rules that recur among passing notes."""
    rng = random.Random(seed)
    for rule in range(rules):
        yield vd.events.register(
            1, rule, importance=0.9, tokens=120
        )
        turn = 1
        for _ in range(4):
            turn += rng.randint(1, gap)
            yield vd.events.recall(turn, rule)
    for turn in range(1, 101):
        for note in range(notes):
            yield vd.events.register(
                turn, f"note {turn}.{note}"
            )
    # Someone asks that a rule be removed.
    yield vd.events.forget(100, 0)
'''


def named(text: str, name: str) -> str:
    """Return a starter with a name in its places: NAME as it is, CLASS as Python writes classes.

    >>> named("NAME.py:CLASS", "slow_decay")
    'slow_decay.py:SlowDecay'
    """
    return re.sub("CLASS|NAME", lambda found: class_name(name) if found[0] == "CLASS" else name, text)


def class_name(name: str) -> str:
    """Return a name as Python writes classes.

    >>> class_name("slow_decay")
    'SlowDecay'
    """
    return "".join(part[:1].upper() + part[1:] for part in name.split("_") if part) or name
