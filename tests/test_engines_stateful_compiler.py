"""Tests of vecdecay.engines.stateful_compiler: what is compiled, what is kept, what is left alone."""

import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from comparing import COMPILED
from own_policies import Gentle, LastTwo, longer

import vecdecay as vd
from vecdecay.engines.registry import play_block
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.policies.stateful import functions_of
from vecdecay.sessions import PublishedSessions

needs_compiler = pytest.mark.skipif(not COMPILED, reason="nothing is compiled without the JIT")
OWN = (vd.Fsrs6, vd.ActR, vd.MemoryDecayCore, vd.MemoryBankAsPublished)


def test_a_kernel_is_made_once() -> None:
    """The same class has the same kernel, another class another one."""
    assert compiled(Gentle) is compiled(Gentle)
    assert compiled(Gentle).play is not compiled(LastTwo).play


def test_functions_that_are_called_are_compiled_too() -> None:
    """A plain function of the file, and one of a closure, may be called; the originals stay plain Python."""
    offset = 0.25

    def shifted(score: float) -> float:
        return score - offset * (score > 0.5)

    class Closed(Gentle):
        """A policy whose score calls a function of the place where it was made."""

        def retention(self, state: Any, turn: int) -> float:
            """Return a shifted score."""
            return shifted(math.exp(-(turn - state[1]) / state[0])) + 0.2

    policy = Closed()
    parameters = policy.constants()
    fast = compiled(Closed).functions
    plain = functions_of(Closed)
    for turn in (1, 4, 9, 30):
        assert fast.retention(parameters, (8.0, 1), turn) == plain.retention(parameters, (8.0, 1), turn)
        assert fast.on_recall(parameters, (8.0, 1), turn) == plain.on_recall(parameters, (8.0, 1), turn)
    assert not hasattr(longer, "py_func")
    assert not hasattr(shifted, "py_func")
    assert not hasattr(functions_of(Closed).on_recall, "py_func")


@needs_compiler
@pytest.mark.parametrize("kind", OWN, ids=lambda kind: kind.name)
def test_kernels_of_the_package_are_kept_and_exact(kind: Any) -> None:
    """The kernels of the package's policies have a place on disk; none has fast arithmetic or threads of its own."""
    play = compiled(kind).play
    assert play.stats.cache_path is not None
    functions = compiled(kind).functions
    every = [one for one in vars(functions).values() if one is not None]
    assert len(every) >= 3
    for one in [play, *every]:
        assert one.targetoptions.get("nogil") is True
        assert not one.targetoptions.get("fastmath")
        assert not one.targetoptions.get("parallel")
    assert len({compiled(one).play.__qualname__ for one in OWN}) == len(OWN)


PROGRAM = """
import sys
from numba.core.event import install_recorder
from vecdecay.engines.registry import play_block
from vecdecay.engines.stateful_compiler import compiled
from vecdecay.sweepfile.kinds import find_policy
from vecdecay.sessions import PublishedSessions
from vecdecay.sessions.blocks import block_of
policy = find_policy("my_policies.py:Own")[0]()
with install_recorder("numba:compile") as compiled_here:
    if sys.argv[1] == "play":
        recalls = play_block(block_of([PublishedSessions(session_length=40).session(1)]), policy).recalls.tolist()
    score = compiled(type(policy)).functions.retention(policy.constants(), (8.0, 1), 5)
print(len(compiled_here.buffer), score, policy.retention((8.0, 1), 5) == score)
"""

POLICY = """
from dataclasses import dataclass
from vecdecay import StatefulPolicy
import my_helper
from my_helper import faded

BONUS = 0.0

@dataclass(frozen=True)
class Own(StatefulPolicy):
    eviction_threshold: float = 0.2

    def on_register(self, turn):
        return 8.0, turn

    def on_recall(self, state, turn):
        return state[0] * 2.0 ** my_helper.GAIN, turn

    def retention(self, state, turn):
        return min(1.0, faded(turn - state[1], state[0]) + BONUS)
"""

HELPER = """
GAIN = 0.5

def faded(age, stability):
    return 0.5 ** (age / stability)
"""


@needs_compiler
def test_kernels_of_others_are_kept_until_something_that_they_reach_changes(tmp_path: Path) -> None:
    """A second process compiles nothing, or what the first did not come to; machine code of both works together.

    An edit of a function, an imported helper or a constant of either file, and a damaged file, are each noticed; an
    edit of a comment is not.
    """

    def run(what: str, policy: str = POLICY, helper: str = HELPER) -> tuple[int, str]:
        (tmp_path / "my_policies.py").write_text(policy)
        (tmp_path / "my_helper.py").write_text(helper)
        home = Path(vd.__file__).parent.parent
        environment = {**os.environ, "VECDECAY_CACHE_DIR": str(tmp_path), "PYTHONPATH": str(home)}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"
        command = [sys.executable, "-W", "error", "-c", PROGRAM, what]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        compilations, score, agrees = done.stdout.split()
        assert agrees == "True"
        return int(compilations), score

    first, score = run("play")
    assert first > 5
    assert run("play") == (0, score)
    (last,) = tmp_path.rglob("play_stateful_*.nbc")
    last.unlink()  # as if the first process had been ended before it was written
    assert 0 < run("play")[0] < first
    assert run("score", POLICY.replace("BONUS =", "# a remark\nBONUS =")) == (0, score)
    edits = [
        (POLICY.replace("state[0]) + BONUS", "2.0 * state[0]) + BONUS"), HELPER),
        (POLICY.replace("BONUS = 0.0", "BONUS = 0.125"), HELPER),
        (POLICY, HELPER.replace("0.5 **", "0.25 **")),
    ]
    for policy, helper in edits:
        count, edited = run("score", policy, helper)
        assert count > 0
        assert edited != score
    assert run("play", POLICY, HELPER.replace("GAIN = 0.5", "GAIN = 0.75"))[0] > 0
    for path in tmp_path.rglob("*.nbc"):
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    count, damaged = run("score")
    assert count > 0
    assert damaged == score


@needs_compiler
def test_one_signature_serves_all_blocks() -> None:
    """Whatever a block has and whatever is asked, the kernels are compiled for one list of types."""
    block = PublishedSessions(session_length=20).block([1, 2])
    for engine in ("stateful", "lockstep"):
        for want_items, want_turns in ((False, False), (True, False), (False, True)):
            play_block(block, Gentle(0.3, 4.0), engine, (3, 5), want_items, want_turns)
        play_block(PublishedSessions(session_length=5, noise_per_turn=0).block([3]), Gentle(), engine)
    made = compiled(Gentle)
    assert len(made.play.signatures) == len(made.lockstep.signatures) == 1


def test_the_lockstep_kernel_is_made_where_it_is_asked_for() -> None:
    """Playing item by item copies no template of the other engine."""

    class Fresh(Gentle):
        """A class that nothing has compiled."""

    play_block(PublishedSessions(session_length=5).block([3]), Fresh())
    assert "lockstep" not in vars(compiled(Fresh))
    play_block(PublishedSessions(session_length=5).block([3]), Fresh(), "lockstep")
    assert "lockstep" in vars(compiled(Fresh))
