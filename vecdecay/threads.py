"""How many things this process can do at once, and work on a trace shared out among as many threads."""

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Found = TypeVar("_Found")

_FEW = 1 << 16  # less is not worth a thread


def available_processors() -> int:
    """Return how many processors this process may use.

    >>> available_processors() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


def shared_out(start: NDArray[np.int64], work: Callable[[int, int], _Found]) -> list[_Found]:
    """Return what ``work(first, last)`` gives for sessions first … last - 1, of about as many events per thread.

    ``start`` (session + 1) is where the events of each session begin.

    >>> shared_out(np.array([0, 2, 5]), lambda first, last: last - first)
    [2]
    """
    threads = available_processors() if start[-1] > _FEW else 1
    bounds = np.searchsorted(start, np.linspace(0, start[-1], threads + 1)).tolist()
    bounds[-1] = len(start) - 1
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, bounds[:-1], bounds[1:]))
