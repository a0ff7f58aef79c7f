"""The table kernel through its block form, on sessions whose fate is written down by hand."""

from hypothesis import given
from strategies import Case, cases, steps

from vecdecay.engines.kernels import item_kernel
from vecdecay.engines.outcome import BlockOutcome, ItemOutcomes
from vecdecay.engines.registry import play_block
from vecdecay.policies import Ebbinghaus, RecencyWindow, TablePolicy
from vecdecay.policies.rules import Rules
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, RECALL, REGISTER, PlayedEvent, Session


def played(length: int, *events: PlayedEvent, policy: TablePolicy | None = None) -> tuple[BlockOutcome, ItemOutcomes]:
    """Play one item in the table kernel under a window of 3 turns: it lives 4 turns after each touch."""
    session = Session(length, (FOUNDATIONAL,), events)
    outcome = play_block(block_of([session]), policy or RecencyWindow(3), "horizon", want_items=True, want_turns=True)
    assert outcome.items is not None
    return outcome, outcome.items


def held(outcome: BlockOutcome) -> list[int]:
    """Return in which turns the item was there after the pass."""
    assert outcome.turns is not None
    turns = [turn for turn, size in enumerate(outcome.turns.working_set.tolist(), start=1) if size]
    assert outcome.working_set_sum.tolist() == [len(turns)]
    assert outcome.turns.foundational_present.tolist() == outcome.turns.working_set.tolist()
    return turns


def test_an_untouched_item() -> None:
    """Registered in turn 2 it is held in turns 2 to 5, and evicted by the pass of turn 6."""
    outcome, items = played(9, (2, REGISTER, 0))
    assert held(outcome) == [2, 3, 4, 5]
    assert [items.evicted_turn[0], items.present[0], items.recall_count[0]] == [6, 0, 1]


def test_the_last_turn_counts() -> None:
    """Evicted by the pass of the very last turn, the item is gone; one turn shorter, it is present."""
    gone, items = played(6, (2, REGISTER, 0))
    assert [items.evicted_turn[0], gone.foundational_present[0]] == [6, 0]
    there, items = played(5, (2, REGISTER, 0))
    assert [items.evicted_turn[0], there.foundational_present[0]] == [0, 1]
    assert held(there) == [2, 3, 4, 5]


def test_a_recall_in_the_turn_of_expiry_rescues_and_the_next_turn_is_too_late() -> None:
    """The pass comes after the events: turn 6 finds the item, turn 7 misses it."""
    rescued, items = played(12, (2, REGISTER, 0), (6, RECALL, 0))
    assert held(rescued) == list(range(2, 10))
    assert [items.hits[0], items.misses[0], items.evicted_turn[0], items.recall_count[0]] == [1, 0, 10, 2]
    late, items = played(12, (2, REGISTER, 0), (7, RECALL, 0))
    assert held(late) == [2, 3, 4, 5]
    assert [items.hits[0], items.misses[0], items.evicted_turn[0], items.last_touch[0]] == [0, 1, 6, 2]


def test_recalls_before_the_registration_miss() -> None:
    """They are counted, also within one turn in which the recall comes first, and change nothing."""
    outcome, items = played(4, (1, RECALL, 0), (2, RECALL, 0), (2, REGISTER, 0), (2, RECALL, 0))
    assert [items.misses[0], items.hits[0], items.recall_count[0]] == [2, 1, 2]
    assert outcome.recalls.tolist() == [3]
    assert held(outcome) == [2, 3, 4]


def test_registering_again_while_there() -> None:
    """The item stays in the working set without a gap, and its reinforcement is forgotten."""
    policy = Ebbinghaus()  # lives 13 turns, after one recall 28
    outcome, items = played(40, (1, REGISTER, 0), (5, RECALL, 0), (10, REGISTER, 0), policy=policy)
    assert held(outcome) == list(range(1, 23))
    assert [items.evicted_turn[0], items.registered_turn[0], items.recall_count[0]] == [23, 10, 1]
    assert outcome.registrations.tolist() == [2]
    assert items.stability is not None
    assert items.stability.tolist() == [8.0]


def test_registering_again_after_the_eviction() -> None:
    """The item has two residency intervals, keeps its eviction in the log, and survived a negative time."""
    outcome, items = played(12, (1, REGISTER, 0), (10, REGISTER, 0))
    assert held(outcome) == [1, 2, 3, 4, 10, 11, 12]
    assert [items.evicted_turn[0], items.present[0], items.registered_turn[0]] == [5, 1, 10]
    assert outcome.survival_sum.tolist() == [-5]
    assert [outcome.survival_minimum[0], outcome.survival_maximum[0]] == [-5, -5]
    assert outcome.foundational_evicted.tolist() == outcome.foundational_present.tolist() == [1]


def test_many_touches_in_one_turn() -> None:
    """Each recall counts, however many come in a turn: crammed or spread, the recall count is the same."""
    outcome, items = played(30, (1, REGISTER, 0), *[(2, RECALL, 0)] * 4, policy=Ebbinghaus())
    assert [items.recall_count[0], items.hits[0], items.last_touch[0]] == [5, 4, 2]
    assert items.stability is not None
    assert items.stability.tolist() == [291.8577159496641]
    assert held(outcome) == list(range(1, 31))


def test_an_item_without_touches() -> None:
    """It is nowhere, never was, and costs nothing."""
    outcome, items = played(5)
    assert held(outcome) == []
    state = (items.registered_turn, items.last_touch, items.recall_count, items.evicted_turn, items.present)
    assert [field[0] for field in state] == [0] * 5
    assert outcome.foundational_items.tolist() == [1]


def test_the_rules_are_read_where_they_stand() -> None:
    """The kernel's numbers of the entries of the rules array are their places in the named tuple."""
    names = ("period_turns", "touch_refreshes", "cooldown_turns", "grace_turns", "unit_turns")
    places = [getattr(item_kernel, name) for name in ("PERIOD", "REFRESHES", "COOLDOWN", "GRACE", "UNIT")]
    assert [Rules._fields[place] for place in places] == list(names)


@given(cases(steps(plain=True)))
def test_tables_of_any_shape_are_played_as_the_reference_asks(case: Case) -> None:
    """Horizons that grow, repeat or shrink with use: the kernel adds integers and comes to what asking comes to."""
    table = play_block(block_of(case.sessions), case.policy, "horizon", case.checkpoints)
    asked = play_block(block_of(case.sessions), case.policy, "reference", case.checkpoints)
    for name, value in vars(table).items():
        if value is not None:
            assert value.tolist() == getattr(asked, name).tolist(), name
