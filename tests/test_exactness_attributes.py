"""Cohorts come to what their items come to, and each rule of a policy matters, on items with attributes and sizes."""

from collections import Counter
from dataclasses import replace

from comparing import COMPILED, play_everywhere
from conftest import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import Case, Steps, attributes, cases, cohorts, ebbinghaus, recency_window, sessions, steps

from vecdecay.items import NOISE
from vecdecay.policies import TablePolicy
from vecdecay.policies.rules import PLAIN_RULES
from vecdecay.sessions.block import Cohort, SessionBlock
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.events import NO_TURN
from vecdecay.sessions.session import REGISTER, Session

DRAWN = settings(max_examples=examples(300) if COMPILED else 60)


RULES = [name for name in PLAIN_RULES._fields if name not in ("active", "timed_period")]
"""The rules that are drawn; which clock a policy reads has tests of its own, in test_engines_timing."""


def test_the_drawn_policies_with_rules_matter() -> None:
    """Each rule, drawn together with the others, changes what becomes of some items."""
    changed: Counter[str] = Counter()

    @settings(max_examples=examples(40), database=None)
    @given(cases(steps(), described=True))
    def compare(case: Case) -> None:
        policy = case.policy
        assert isinstance(policy, Steps)
        outcome = play_everywhere(case.sessions, policy)
        for name in RULES:
            other = Steps(**{**policy.values(), name: getattr(PLAIN_RULES, name)})
            if other != policy:
                without = play_everywhere(case.sessions, other, engines=("horizon",))
                changed[name] += outcome.working_set_sum.tolist() != without.working_set_sum.tolist()

    compare()
    assert min(changed[name] for name in RULES) >= 1, changed


def with_cohorts(session: Session, given_cohorts: list[Cohort]) -> tuple[SessionBlock, Session]:
    """Return a block of one session with cohorts beside its items, and the same as a session that lists them all."""
    block = block_of([session])
    block = SessionBlock(**{**vars(block), "cohorts": tuple(given_cohorts)})
    events, kinds = list(session.events), list(session.item_kinds)
    described = [session.attributes_of(item) for item in range(len(kinds))]
    tokens = list(session.tokens or (1,) * len(kinds))
    for cohort in given_cohorts:
        for turn in range(cohort.first_turn, cohort.last_turn + 1):
            for _ in range(cohort.count):
                events.append((turn, REGISTER, len(kinds)))
                kinds.append(NOISE)
                described.append(cohort.attributes)
                tokens.append(cohort.tokens)
    events.sort(key=lambda event: event[0])
    expires = session.expires_turns and (*session.expires_turns, *(NO_TURN,) * (len(kinds) - len(session.item_kinds)))
    listed = Session(session.session_length, tuple(kinds), tuple(events), tuple(described), tuple(tokens))
    return block, replace(listed, expires_turns=expires)


@DRAWN
@given(st.data(), sessions((2, 4, 5), described=True), steps() | ebbinghaus() | recency_window())
def test_cohorts_are_their_items(data: st.DataObject, session: Session, policy: TablePolicy) -> None:
    """Cohorts in closed form come to what their items come to when each is listed, in every engine and every total."""
    one = st.tuples(cohorts(session.session_length), attributes(), st.integers(1, 4))
    given_cohorts = [Cohort(*turns, *rest) for turns, *rest in data.draw(st.lists(one, max_size=3))]
    block, listed = with_cohorts(session, given_cohorts)
    assert block.session(0).events == listed.events
    checkpoints = (1, session.session_length)
    together = play_everywhere(block, policy, sorted(set(checkpoints)))
    alone = play_everywhere([listed], policy, sorted(set(checkpoints)))
    for name in vars(alone):
        left, right = getattr(together, name), getattr(alone, name)
        if name not in ("items", "turns", "missed"):  # the list of items has others
            assert (left is None) == (right is None), name
            assert left is None or left.tolist() == right.tolist(), name
    assert together.items is not None
    assert alone.items is not None
    assert together.turns is not None
    assert alone.turns is not None
    assert together.turns.working_set.tolist() == alone.turns.working_set.tolist()
    (left_kinds, left_place), (right_kinds, right_place) = together.items.attributes, alone.items.attributes
    assert [left_kinds[one] for one in left_place] == [right_kinds[one] for one in right_place]
    for name in alone.items.COLUMNS:
        left, right = getattr(together.items, name), getattr(alone.items, name)
        assert (left is None) == (right is None)
        assert left is None or left.tolist() == right.tolist(), name
