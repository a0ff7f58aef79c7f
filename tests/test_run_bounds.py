"""``bounds``: what no policy can beat, compared with every way of dropping items, tried one by one."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st

import vecdecay as vd
from vecdecay.engines.by_bound import merged, steps_of
from vecdecay.engines.registry import play_block
from vecdecay.errors import InvalidInputError
from vecdecay.sessions.session import FORGET, RECALL, REGISTER, Session
from vecdecay.sessions.source import GivenSessions
from vecdecay.testing import sessions

Reached = set[tuple[int, int]]
"""(hits, held): what can be reached."""


class Relearning(GivenSessions):
    """Sessions in which a recall that misses registers its item anew."""

    relearns = True


def reachable(several: Iterable[Session], size: str, relearn: bool) -> Reached:
    """Return every pair of hits and item-turns that some choice of the turns in which items go comes to."""
    total: Reached = {(0, 0)}
    for session in several:
        for item in range(len(session.item_kinds)):
            own = item_reachable(session, item, size, relearn)
            total = {(hits + more, held + cost) for hits, held in total for more, cost in own}
    return total


def item_reachable(session: Session, item: int, size: str, relearn: bool) -> Reached:
    """Return the same of one item: in each pass it may go or stay, if it is not pinned."""
    tokens = session.tokens[item] if session.tokens and size == "tokens" else 1
    expires = session.expires_turns[item] if session.expires_turns else 0
    states = {(False, 0, 0)}
    for turn in range(1, session.session_length + 1):
        for _, kind, _ in (one for one in session.events if one[0] == turn and one[2] == item):
            states = {
                (kind == REGISTER or (there and kind != FORGET) or (relearn and kind == RECALL),
                 hits + (there and kind == RECALL), held)
                for there, hits, held in states
            }  # fmt: skip
        if expires and turn >= expires:
            states = {(False, hits, held) for _, hits, held in states}
        elif not session.attributes_of(item).pinned:
            states |= {(False, hits, held) for _, hits, held in states}
        states = {(there, hits, held + tokens * there) for there, hits, held in states}
    return {(hits, held) for _, hits, held in states}


@pytest.mark.parametrize("relearn", [False, True])
@pytest.mark.parametrize("size", ["items", "tokens"])
def test_no_way_of_dropping_items_is_better(size: str, relearn: bool) -> None:
    """Every row is reached, nothing lies above the line, and with relearning the line is the best to a hit."""

    @settings(max_examples=examples(40), report_multiple_bugs=False)
    @given(st.lists(sessions((3, 6), max_length=14), min_size=1, max_size=2))
    def compare(several: list[Session]) -> None:
        found: vd.Bounds = vd.bounds(Relearning(several) if relearn else several, size=size, threads=1)
        reached = reachable(several, size, relearn)
        rows = found.table.to_pylist()
        assert {(row["hits"], row["held"]) for row in rows} <= reached
        assert all(hits <= found.best_hits(held) for hits, held in reached)
        most = max(hits for hits, _ in reached)
        assert rows[-1]["hits"] == most == found.kept["hits"]
        assert rows[-1]["held"] == min(held for hits, held in reached if hits == most)
        for budget in range(rows[0]["held"], rows[-1]["held"] + 2) if relearn else ():
            assert int(found.best_hits(budget)) == max(hits for hits, held in reached if held <= budget)

    compare()


@pytest.mark.parametrize("source", [vd.PublishedSessions(noise_per_turn=1), vd.ZipfRecalls(), vd.Mixture()])
def test_no_policy_is_above_the_line(source: Any) -> None:
    """Policies on workloads with cohorts, in items and in tokens; keeping everything is what ``kept`` says."""
    block = source.block(range(20))
    for size, column in (("items", "working_set_sum"), ("tokens", "token_turns")):
        found = vd.bounds(source, seeds=range(20), size=size)
        for policy in (vd.Ebbinghaus(), vd.RecencyWindow(), vd.RecencyWindow(3), vd.MemoryBank(), vd.KeepAll()):
            played = play_block(block, policy)
            hits, held = int((played.recalls - played.misses).sum()), int(getattr(played, column).sum())
            assert hits <= found.best_hits(held)
            assert found.share(hits, held) == hits / found.best_hits(held) > 0
        assert (found.kept["hits"], found.kept["held"]) == (hits, held)


def test_less_than_pinned_items_hold_cannot_be() -> None:
    """Before the first row there is nothing, after the last nothing more."""
    pinned = vd.session_of([vd.events.register(1, "a", pinned=True), vd.events.recall(4, "a")], session_length=5)
    found = vd.bounds([pinned])
    assert found.table.to_pydict() == {"held": [5], "hits": [1], "mean_size": [1.0], "hit_rate": [1.0]}
    assert (found.best_hits(5), found.best_hits(9), str(found.best_hits(4)), found.share(1, 4)) == (
        1.0,
        1.0,
        "nan",
        None,
    )


def test_blocks_are_added_up() -> None:
    """The steps of two blocks are those of both together; threads change nothing."""
    source = vd.PublishedSessions(session_length=60, num_foundational=1, noise_per_turn=1)
    halves = merged([steps_of(source.block(seeds), relearn=False) for seeds in (range(4), range(4, 8))])
    whole = steps_of(source.block(range(8)), relearn=False)
    for name, values in whole._asdict().items():
        assert np.array_equal(getattr(halves, name), values), name
    assert (whole.rows[:, 0] * whole.times).sum() == whole.all_kept[0]
    assert vd.bounds(source, seeds=range(8), threads=2).table == vd.bounds(source, seeds=range(8), threads=1).table


def test_mistakes_are_named_together() -> None:
    """One line each."""
    with pytest.raises(InvalidInputError, match="size is 'bytes'; allowed: items, tokens"):
        vd.bounds(vd.PublishedSessions(), seeds=range(3), size="bytes")
