"""Arrays that a thread uses again for every block: fresh ones would cost a page fault per 4 kB each time."""

import threading
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Number = TypeVar("Number", bound=np.generic)

_arrays = threading.local()


def scratch(name: str, size: int, dtype: type[Number]) -> NDArray[Number]:
    """Return this thread's array of that name, at least once of this size, with whatever the last user left in it.

    It belongs to the caller until the thread asks for the same name again; nothing that outlives a block may hold it.
    """
    held: NDArray[Number] | None = getattr(_arrays, name, None)
    if held is None or len(held) < size or held.dtype != dtype:
        held = np.empty(size + size // 4, dtype=dtype)
        setattr(_arrays, name, held)
    return held[:size]


def fresh(name: str, size: int, dtype: type[Number]) -> NDArray[Number]:
    """Return a new array, for what outlives the block; called like ``scratch``."""
    del name
    return np.empty(size, dtype=dtype)
