"""From random draws to the recall turns of the published schedule, for a block of sessions at once."""

import numpy as np
from numpy.typing import NDArray

from vecdecay.compile import kernel


@kernel
def schedule_recalls(
    draws: NDArray[np.float64],
    num_sessions: int,
    draws_per_session: int,
    session_length: int,
    num_foundational: int,
    offsets: NDArray[np.float64],
    jitter_low: float,
    jitter_span: float,
    touch_start: NDArray[np.int64],
    touch_turn: NDArray[np.int32],
    touch_kind: NDArray[np.int8],
) -> int:
    """Write the registration and the recalls of every foundational item, and return the number of touches written.

    ``draws`` is (session, draw), flat, in [0, 1); ``offsets`` (recall) in turns; ``touch_start`` (item + 1),
    ``touch_turn`` and ``touch_kind`` (touch) are written. The draw that makes an item's schedule run past the end of
    the session is consumed, those after it are not: the number of draws depends on the session's length.
    """
    touch = 0
    touch_start[0] = 0
    for session in range(num_sessions):
        draw = session * draws_per_session
        for fact in range(num_foundational):
            touch_turn[touch] = 1
            touch_kind[touch] = 0
            touch += 1
            last = 1
            for recall in range(len(offsets)):
                factor = jitter_low + jitter_span * draws[draw]
                draw += 1
                candidate = 1 + np.int64(np.rint(offsets[recall] * factor))
                turn = max(last + 1, min(candidate, session_length))
                if turn > session_length:
                    break
                touch_turn[touch] = turn
                touch_kind[touch] = 1
                touch += 1
                last = turn
            touch_start[session * num_foundational + fact + 1] = touch
    return touch
