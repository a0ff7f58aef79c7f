"""A sweep inside the program."""

import math
import pickle
import subprocess
import sys
from pathlib import Path

import pytest
from sweep_texts import AXES, parsed, sweep_text

from vecdecay.policies import Ebbinghaus
from vecdecay.sessions import PublishedSessions
from vecdecay.sweepfile.spec import parse_sweep

OWN = """
from dataclasses import dataclass
from own_base import BASE
from vecdecay import StatefulPolicy

@dataclass(frozen=True)
class Gentle:
    half_life: float = 10.0
    eviction_threshold: float = 0.2

    def retention(self, age, recall_count):
        return BASE ** (age / (self.half_life * recall_count))

@dataclass(frozen=True)
class Kept(StatefulPolicy):
    eviction_threshold: float = 0.2

    def on_register(self, turn):
        return (turn,)

    def on_recall(self, state, turn):
        return (turn,)

    def retention(self, state, turn):
        return 1.0 - (turn - state[0]) / 100

def pulse(seed, every=5):
    return [(1, "register", "rule")] + [(turn, "recall", "rule") for turn in range(1 + every, 30, every)]
"""


def test_a_sweep_can_be_pickled(tmp_path: Path) -> None:
    """It comes back equal, in a process that has not seen the files of its own policies and workload, either."""
    (tmp_path / "mine.py").write_text(OWN, "utf-8")
    (tmp_path / "own_base.py").write_text("BASE = 0.5\n", "utf-8")
    text = sweep_text(
        rest=AXES + '[[policy]]\nkind = "mine.py:Gentle"\nhalf_life = 7\n[[policy]]\nkind = "mine.py:Kept"'
    )
    text = text.replace('"published_sessions"', '"mine.py:pulse"\nevery = 4')
    for spec in (parsed(rest=AXES), parse_sweep(text, folders=[tmp_path])):
        digest = spec.digest
        again = pickle.loads(pickle.dumps(spec))
        assert (again, again.digest) == (spec, digest)
        assert [type(one.policy) for one in again.policies] == [type(one.policy) for one in spec.policies]
        assert hash(again) == hash(spec)
    (tmp_path / "mine.py").unlink()
    code = (
        "import pickle, sys; spec = pickle.load(sys.stdin.buffer)\n"
        "entry = spec.policies[2]; print(spec.digest, entry.policy.values(), entry.policy.retention(7, 1),\n"
        "spec.policies[3].policy.retention((1,), 26), spec.workload.values(), len(spec.workload.session(0).events))"
    )
    done = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(spec), capture_output=True, check=True)
    values = "{'half_life': 7.0, 'eviction_threshold': 0.2}"
    assert done.stdout.decode() == f"{spec.digest} {values} 0.5 0.75 {{'every': 4}} 8\n"


def test_base_values_are_those_off_the_axes() -> None:
    """By label, or ``workload``."""
    spec = parsed(curve="label = 'curve'\neviction_threshold = 0.4", rest=AXES.replace("ebbinghaus.", "curve."))
    shared = {"capacity_items": math.inf, "capacity_tokens": math.inf, "evict_at": "pass"}
    shared |= {"on_superseded": "ignore", "on_forget": "only_item"}
    assert spec.base_values("curve") == Ebbinghaus(eviction_threshold=0.4).values() | shared
    assert spec.base_values("workload") == PublishedSessions().values()
    with pytest.raises(StopIteration):
        spec.base_values("ebbinghaus")
