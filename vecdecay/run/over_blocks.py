"""Adds something up over all sessions of a source, block by block, in threads: what comes of it is one sum."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

from vecdecay.run.blocks import sessions_per_block
from vecdecay.run.plan import Plan
from vecdecay.sessions.block import SessionBlock
from vecdecay.sweepfile.model import SweepSpec

_Sum = TypeVar("_Sum")

_BLOCKS_AHEAD = 4


def over_blocks(
    spec: SweepSpec, threads: int, one: Callable[[SessionBlock], _Sum], join: Callable[[list[_Sum]], _Sum]
) -> _Sum:
    """Return what comes of all blocks together; a block is generated and looked at by one thread."""
    step = sessions_per_block(Plan(spec), spec.workload, [entry.policy for entry in spec.policies])
    starts = iter(range(0, len(spec.seeds), step))
    found: list[_Sum] = []
    with ThreadPoolExecutor(threads) as pool:
        while ahead := [
            pool.submit(lambda first: one(spec.workload.block(spec.seeds[first : first + step])), first)
            for first in islice(starts, _BLOCKS_AHEAD * threads)
        ]:
            found = [join([*found, *(future.result() for future in ahead)])]
    return found[0]
