"""Tests of vecdecay.engines.by_reference: scalar runs in the form in which every engine reports."""

from hypothesis import given
from strategies import Case, cases, table_policies

from vecdecay.engines.reference import engine_for, run
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, Session


@given(cases(table_policies()))
def test_nothing_is_lost_on_the_way_from_traces_to_arrays(case: Case) -> None:
    """Every number of the outcome is the one that the trace of its session holds."""
    outcome = play_block(block_of(case.sessions), case.policy, "reference", case.checkpoints, True, True)
    items, turns = outcome.items, outcome.turns
    assert items is not None
    assert turns is not None
    place = 0
    for number, session in enumerate(case.sessions):
        trace = run(engine_for(case.policy), session)
        first, last = turns.turn_start[number : number + 2]
        assert turns.working_set[first:last].tolist() == trace.working_set_sizes
        assert turns.foundational_present[first:last].tolist() == trace.foundational_present
        assert outcome.working_set_sum[number] == sum(trace.working_set_sizes)
        assert outcome.registrations[number] == trace.registrations
        for row, turn in enumerate(case.checkpoints):
            reached = turn <= session.session_length
            wanted = trace.foundational_present[turn - 1] if reached else -1
            assert outcome.checkpoint_present[row, number] == wanted
        for item in trace.items:
            assert items.kind[place] == item.kind
            assert items.registered_turn[place] == (item.registered_turn or 0)
            assert items.last_touch[place] == (item.last_touch or 0)
            assert items.evicted_turn[place] == (item.evicted_turn or 0)
            state = [items.recall_count[place], items.hits[place], items.misses[place], items.present[place]]
            assert state == [item.recall_count, item.hits, item.misses, item.present]
            if items.stability is not None:
                assert items.stability[place] == (item.stability or 0.0)
            place += 1
    assert place == len(items.kind)


def test_the_notion_of_stability_does_not_depend_on_the_sessions() -> None:
    """Under Ebbinghaus the column is there even if nothing was ever registered; under a window it never is."""
    for session in (Session(5, (), ()), Session(5, (FOUNDATIONAL,), ((2, RECALL, 0),))):
        for engine in ("reference", "horizon", "lockstep"):
            items = play_block(block_of([session]), Ebbinghaus(), engine, want_items=True).items
            assert items is not None
            assert items.stability is not None
            assert items.stability.tolist() == [0.0] * len(session.item_kinds)
            items = play_block(block_of([session]), RecencyWindow(), engine, want_items=True).items
            assert items is not None
            assert items.stability is None
