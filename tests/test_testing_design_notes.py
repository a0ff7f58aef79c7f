"""Tests of vecdecay.testing.design_notes: each note has a policy that only it sees; those of the program are pinned."""

from dataclasses import dataclass

import pytest
from faulty_designs import (
    Cooled,
    Dice,
    EachCallWears,
    Exempt,
    Floor,
    FloorAfterTwoRecalls,
    FloorByTurn,
    FloorOfStrategies,
    FromTheImportance,
    Quiet,
    Unmoved,
)
from faulty_policies import Sound

from vecdecay.engines.reference import engine_for, run
from vecdecay.items import FOUNDATIONAL, Attributes
from vecdecay.policies import POLICIES, MemoryBankAsPublished
from vecdecay.policies.base import Policy
from vecdecay.policies.stateful import StatefulPolicy
from vecdecay.sessions.session import RECALL, REGISTER, Session
from vecdecay.testing import (
    DESIGN_NOTES,
    INVARIANTS,
    DesignNote,
    check_policy,
    compiled_equals_plain,
    design_notes,
    pinned_is_never_evicted,
    vectorised_equals_reference,
)
from vecdecay.testing.design_notes import Touches, life
from vecdecay.testing.probing import has_score

OF_KERNELS = (pinned_is_never_evicted, vectorised_equals_reference, compiled_equals_plain)
"""What would compile a kernel for each class: the plain functions are the same."""


@pytest.mark.parametrize(
    ("policy", "note", "text"),
    [
        (
            Floor(), "some_items_never_go",
            "an item is never evicted: its score stays at 0.3, the threshold is 0.2",
        ),
        (
            FloorOfStrategies(), "some_items_never_go",
            "an item of category strategy is never evicted: its score stays at 0.3, the threshold is 0.2",
        ),
        (
            FloorAfterTwoRecalls(), "some_items_never_go",
            "an item after 2 recalls is never evicted: its score stays at 0.3, the threshold is 0.2",
        ),
        (
            FloorByTurn(), "some_items_never_go",
            "an item is never evicted: its score stays at 0.3, the threshold is 0.2",
        ),
        (
            Exempt(), "important_items_never_go",
            "an item of importance 0.65 or more is never evicted; one of 0.6 goes 12 turns after its registration",
        ),
        (
            Unmoved(), "recalls_change_nothing",
            "recall 1 changes nothing: in turn 2 or 6 or not at all, the item goes in turn 13",
        ),
        (
            Sound(), "crammed_recalls_count_in_full",
            "5 recalls in one turn keep an item 70 turns, one recall 24 turns: a loop that asks again counts as much "
            "as use on several days",
        ),
        (
            EachCallWears(), "each_pass_decays",
            "on_turn decays at each call, whatever the turn: an item lives 13 turns, 7 turns where it is called twice "
            "a turn",
        ),
        (
            Dice(), "each_pass_decays",
            "each pass draws anew: an item lives 4.0 turns on average with a pass in every turn, 28.0 with one in "
            "every 7",
        ),
        (
            FromTheImportance(), "starts_below_1",
            "the score of a fresh item starts from 0 to 1 by importance; that of one of an importance below 0.2 is "
            "below the threshold at once",
        ),
    ],
    ids=lambda one: type(one).__name__ if isinstance(one, Policy) else "",
)  # fmt: skip
def test_each_trait_is_seen_by_its_note_only(policy: Policy, note: str, text: str) -> None:
    """No invariant is broken, no other note says anything, and the numbers are those of the policy."""
    assert design_notes(policy) == (DesignNote(note, text),)
    for invariant in INVARIANTS.values():
        if not isinstance(policy, StatefulPolicy) or invariant not in OF_KERNELS:
            assert invariant.answer(policy, examples=2).broken == ""


@pytest.mark.parametrize("policy", [Quiet(), Cooled()])
def test_there_may_be_nothing_to_note(policy: Policy) -> None:
    """Recalls that refresh; recalls that count once in so many turns."""
    assert design_notes(policy) == ()


def test_a_policy_that_raises_is_left_to_the_invariants() -> None:
    """A note says nothing then."""

    @dataclass(frozen=True)
    class Raises(Quiet):
        """Raises."""

        def retention(self, age, recall_count):
            """Raise."""
            raise RuntimeError("not today")

    assert design_notes(Raises()) == ()


def test_notes_are_part_of_a_report_and_break_nothing() -> None:
    """Beside what came of the invariants."""
    report = check_policy(Sound(), examples=1)
    assert (report.sound, report.notes) == (True, design_notes(Sound()))


CRAMMED = "crammed_recalls_count_in_full"
OF_THE_PROGRAM = {
    "ebbinghaus": {CRAMMED: "1,384 turns, one recall 28"},
    "keep_all": {"some_items_never_go": "an item is never evicted"},
    "time_to_live": {"recalls_change_nothing": "the item goes in turn 17"},
    "memory_bank": {CRAMMED: "10 turns, one recall 4"},
    "memory_bank_as_published": {"each_pass_decays": "2.9 turns on average"},
    "your_memory": {CRAMMED: "32 turns, one recall 26", "starts_below_1": "an importance below 0.05"},
    "importance_prune": {CRAMMED: "664 turns, one recall 222", "important_items_never_go": "importance 0.8 or more"},
    "agent_memory_manager": {
        "important_items_never_go": "importance 0.7 or more",
        "recalls_change_nothing": "the item goes in turn 43202",
    },
    "tiered_forgetting_curve": {CRAMMED: "42,286 turns, one recall 145"},
    "half_life_regression": {CRAMMED: "7 turns, one recall 4"},
    "sm2": {CRAMMED: "422 turns, one recall 7"},
    "act_r": {CRAMMED: "439 turns, one recall 49"},
    "memory_decay_core": {CRAMMED: "85 turns, one recall 70", "each_pass_decays": "63 turns, 32 turns"},
}
"""What published policies have, and their sources too: all that is here is so in the code that they were made after."""


@pytest.mark.parametrize("kind", POLICIES, ids=lambda kind: kind.name)
def test_the_notes_of_the_policies_of_the_program(kind: type[Policy]) -> None:
    """Each trait of a published policy is told, with its numbers, and no other."""
    expected = OF_THE_PROGRAM.get(kind.name, {})
    found = dict(design_notes(kind()))
    assert list(found) == [name for name in DESIGN_NOTES if name in expected]
    for name, part in expected.items():
        assert part in found[name]


@pytest.mark.parametrize(
    "kind", [one for one in POLICIES if has_score(one()) and one is not MemoryBankAsPublished], ids=lambda one: one.name
)
def test_lives_are_those_of_the_reference(kind: type[Policy]) -> None:
    """What a note says of a life is what the scalar engine plays, with an event in every turn to keep days active."""
    schedules: list[Touches] = [(1,), (1, 2), (1, 2, 2, 2), (1, 2, 3), (1, 2, 2, 2, 2, 2)]
    item = Attributes(importance=0.6, category="fact")
    events = [(turn, REGISTER if turn == 1 else RECALL, len(schedules)) for turn in range(1, 301)]
    for place, touches in enumerate(schedules):
        events += [(turn, RECALL if index else REGISTER, place) for index, turn in enumerate(touches)]
    number = len(schedules) + 1
    session = Session(300, (FOUNDATIONAL,) * number, tuple(sorted(events, key=lambda one: one[0])), (item,) * number)
    played = run(engine_for(kind(), session), session).items
    inclusive = kind().rules().inclusive
    for touches, found in zip(schedules, played, strict=False):
        lived = life(kind(), touches, item)
        if found.evicted_turn is not None:
            assert found.evicted_turn == touches[-1] + (lived or 0) - inclusive
        else:
            assert lived is None or touches[-1] + lived > 300
