"""``simulate`` takes what has sessions: a workload of one's own, sessions as data, a trace."""

import pyarrow as pa
import pytest

import vecdecay as vd
from vecdecay.errors import InvalidInputError

EVENTS = [vd.events.register(1, "rule", tokens=3), vd.events.recall(9, "rule"), vd.events.forget(12, "rule")]


def pulse(seed: int, gap: int = 9) -> list[vd.Event]:
    """A rule that is recalled once."""
    return [vd.events.register(1, "rule"), vd.events.recall(1 + gap + seed % 2, "rule")]


def misses(source: object, policy: object, **options: object) -> list[int]:
    """Return the misses of every session."""
    return vd.simulate(source, policy, **options).sessions["misses"].to_pylist()  # type: ignore[arg-type]


def test_a_function_is_played() -> None:
    """A person's own function is a workload, in every engine."""
    window = vd.RecencyWindow(window_size=8)
    for engine in ("auto", "lockstep", "reference"):
        assert misses(pulse, window, seeds=range(4), engine=engine) == [0, 1, 0, 1]


def test_sessions_as_data_are_played() -> None:
    """One session, or a list; without seeds all of them, with seeds those at the places."""
    one, other = vd.session_of(EVENTS), vd.session_of(EVENTS[:2], 30)
    result = vd.simulate([one, other], vd.KeepAll(), detail="items")
    assert result.items["evicted_turn"].to_pylist() == [12, None]
    assert vd.simulate(one, vd.KeepAll()).sessions.num_rows == 1
    assert misses([one, other], vd.RecencyWindow(window_size=2), seeds=[1]) == [1]


def test_a_trace_is_played() -> None:
    """All sessions without seeds; ``relearn`` makes the second of two late recalls a hit."""
    log = pa.table({"session": ["a"] * 3, "turn": [1, 20, 21], "item": ["x"] * 3})
    window = vd.RecencyWindow(window_size=5)
    for engine in ("auto", "lockstep", "reference"):
        assert misses(vd.Trace.read(log), window, engine=engine) == [2]
        assert misses(vd.Trace.read(log, on_miss="relearn"), window, engine=engine) == [1]


@pytest.mark.parametrize("wrong", [5, "published_sessions", [], [1], vd.PublishedSessions])
def test_what_has_no_sessions_is_refused(wrong: object) -> None:
    """One line that names what is allowed."""
    with pytest.raises(InvalidInputError, match="sessions"):
        vd.simulate(wrong, vd.KeepAll(), seeds=range(2))  # type: ignore[arg-type]


def test_a_checkpoint_that_no_session_reaches_is_told() -> None:
    """Where the result is printed; not of one that some session reaches."""
    short, long = (vd.session_of([vd.events.register(1, "a")], session_length=turns) for turns in (20, 60))
    result = vd.simulate([short, long], vd.KeepAll(), checkpoints=[10, 50, 999, 70])
    assert repr(result).splitlines()[-1] == "  no session reaches the checkpoints 70, 999: nothing is measured there"
    assert "no session" not in repr(vd.simulate([short, long], vd.KeepAll(), checkpoints=[60]))
