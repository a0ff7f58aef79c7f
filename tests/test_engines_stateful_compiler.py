"""Tests of vecdecay.engines.stateful_compiler: what is compiled, what is kept, what is left alone."""

import math
from typing import Any

import pytest
from comparing import COMPILED
from own_policies import Gentle, LastTwo, longer

import vecdecay as vd
from vecdecay.engines.play import play_block
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


@needs_compiler
def test_kernels_of_others_are_not_kept() -> None:
    """A user's class would leave a file behind in each run, and a stale one would be found again: none is kept."""
    assert compiled(Gentle).play.stats.cache_path is None


@needs_compiler
def test_one_signature_serves_all_blocks() -> None:
    """Whatever a block has and whatever is asked, the kernel is compiled for one list of types."""
    block = PublishedSessions(session_length=20).block([1, 2])
    for want_items, want_turns in ((False, False), (True, False), (False, True)):
        play_block(block, Gentle(0.3, 4.0), "lockstep", (3, 5), want_items, want_turns)
    play_block(PublishedSessions(session_length=5, noise_per_turn=0).block([3]), Gentle())
    assert len(compiled(Gentle).play.signatures) == 1
