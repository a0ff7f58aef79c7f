"""How many things this process can do at once."""

import os


def available_processors() -> int:
    """Return how many processors this process may use.

    >>> available_processors() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1
