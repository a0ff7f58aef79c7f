"""The streaming kernel writes where it is told, and nowhere else."""

import numpy as np

from vecdecay.engines import by_streaming
from vecdecay.engines.streaming_kernel import GROUP
from vecdecay.engines.totals_kernel import NUM_TOTALS
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.sessions import PublishedSessions


def test_groups_do_not_touch_each_other() -> None:
    """A session's totals are the same at the end of a group, at its beginning and alone."""
    sessions, policies = PublishedSessions(), (Ebbinghaus(), RecencyWindow(100))
    many = list(by_streaming.play(sessions, range(GROUP + 2), policies))
    for place in (0, GROUP - 1, GROUP, GROUP + 1):
        alone = list(by_streaming.play(sessions, range(place, place + 1), policies))
        for one, other in zip(many, alone, strict=True):
            assert one.survival_sum[place] == other.survival_sum[0]
            assert one.working_set_sum[place] == other.working_set_sum[0]
            assert one.foundational_present[place] == other.foundational_present[0]


def test_nothing_is_written_past_the_end() -> None:
    """The results of the last, incomplete group end where the array ends."""
    sessions = PublishedSessions()
    count = GROUP // 2 + 1
    rows = NUM_TOTALS + 3
    results = np.full(rows * count + 100, -7, dtype=np.int64)
    by_streaming._Player(sessions, range(count), (RecencyWindow(15),)).play(
        0, results[: rows * count], None, None, None
    )
    assert (results[rows * count :] == -7).all()
    assert (results[: rows * count] != -7).all()
