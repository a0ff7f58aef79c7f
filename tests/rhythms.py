"""What tests of workloads share: which workloads are seeded, and the comparisons that all of them must pass."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from vecdecay.errors import InvalidInputError
from vecdecay.sessions import WORKLOADS, Workload
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.seeded import SeededWorkload
from vecdecay.sessions.session import FOUNDATIONAL, PlayedEvent, Session

SEEDED: tuple[type[SeededWorkload], ...] = tuple(one for one in WORKLOADS if issubclass(one, SeededWorkload))


def expect_same_sessions(workload: Workload, some: Sequence[int]) -> SessionBlock:
    """Fail unless the plain and the vectorised generator make the same sessions, in every field; return the block."""
    block = workload.block(some)
    for index, seed in enumerate(some):
        assert block.session(index) == workload.session(seed), f"{workload!r} differs at seed {seed}"
    sizes = workload.sizes()
    recalls = np.diff(block.touch_start) - 1
    assert recalls.max(initial=0) <= block.max_recalls
    assert np.diff(block.item_start).max(initial=0) <= sizes.listed_items
    assert block.cohort_items + np.diff(block.item_start).max(initial=0) <= sizes.items
    assert np.diff(block.touch_start[block.item_start]).max(initial=0) <= sizes.touches
    return block


def foundational_events(session: Session) -> list[PlayedEvent]:
    """Return what happens to the foundational items."""
    return [event for event in session.events if session.item_kinds[event[2]] == FOUNDATIONAL]


def refusals(described: type[Workload], **values: Any) -> list[str]:
    """Return the lines with which a workload refuses its parameters."""
    with pytest.raises(InvalidInputError) as caught:
        described(**values)
    return list(caught.value.problems)
