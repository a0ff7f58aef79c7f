"""Tests of vecdecay.engines.scalar_memory: the store, and the rules that it applies for all scalar engines."""

from collections.abc import Hashable

from vecdecay.engines.kernels.fields import DECAYED, EXPIRED, FORGOTTEN
from vecdecay.engines.scalar_memory import ItemState, Memory
from vecdecay.policies.rules import PLAIN_RULES, Rules
from vecdecay.sessions.events import NO_TURN


class Strict(Memory):
    """Would evict every item in every pass, for the tests; a recall that counts adds one turn of stability."""

    def fresh(self, item: Hashable, turn: int) -> float:
        """Return a stability of one turn."""
        return 1.0

    def reinforce(self, item: Hashable, state: ItemState, turn: int) -> None:
        """Add a turn."""
        assert state.stability is not None
        state.stability += 1.0

    def evicting(self, turn: int) -> list[Hashable]:
        """Evict all."""
        return list(self.memory)


def filled(*items: str, rules: Rules = PLAIN_RULES, pinned: tuple[str, ...] = (), expires: int = NO_TURN) -> Strict:
    """Return a store that holds the items, registered in turns 1, 2, …"""
    memory = Strict(rules, pinned)
    for turn, item in enumerate(items, start=1):
        memory.register(item, turn, expires)
    return memory


def test_what_is_evicted_departs_and_is_logged() -> None:
    """Items leave the store with their state, and the log says when and why; a later eviction overwrites it."""
    memory = filled("a", "b", "c")
    state = memory.memory["b"]
    assert memory.forget("b", 5)
    assert [memory.is_present(item) for item in "abc"] == [True, False, True]
    assert memory.working_set_size() == 2
    assert memory.departed == {"b": state}
    assert (memory.eviction_log, memory.eviction_reasons) == ({"b": 5}, {"b": FORGOTTEN})
    memory.register("b", 6)
    assert memory.step(9) == ["a", "c", "b"]
    assert memory.eviction_log["b"] == 9
    assert memory.eviction_reasons["b"] == DECAYED


def test_what_is_not_there_is_neither_recalled_nor_forgotten() -> None:
    """Both answer False, and nothing is logged."""
    memory = filled("a")
    assert not memory.recall("x", 2)
    assert not memory.forget("x", 2)
    assert memory.eviction_log == {}


def test_pinned_items_go_on_request_or_by_expiry_only() -> None:
    """A pinned item is passed over, whatever a policy says."""
    memory = filled("a", "b", pinned=("a",))
    assert memory.step(3) == ["b"]
    assert memory.forget("a", 4)
    expiring = filled("a", pinned=("a",), expires=3)
    assert [expiring.step(turn) for turn in (1, 2, 3)] == [[], [], ["a"]]
    assert expiring.eviction_reasons == {"a": EXPIRED}


def test_items_in_their_grace_are_left_out() -> None:
    """Grace counts from the registration; at its end an item may go."""
    memory = filled("a", "b", "c", rules=Rules(grace_turns=4))
    assert memory.step(6) == ["a", "b"]


def test_passes_run_in_multiples_of_the_period_and_expiry_in_every_turn() -> None:
    """Between passes nothing is evicted by the policy; what both would take goes as decayed."""
    memory = filled("a", rules=Rules(period_turns=4))
    assert [memory.step(turn) for turn in (1, 2, 3)] == [[], [], []]
    memory.register("b", 3, expires_turn=3)
    memory.register("c", 3, expires_turn=4)
    assert memory.step(3) == ["b"]
    assert memory.step(4) == ["a", "c"]
    assert memory.eviction_reasons == {"a": DECAYED, "b": EXPIRED, "c": DECAYED}


def test_a_recall_within_the_cooldown_refreshes_and_does_not_count() -> None:
    """The cooldown counts from the latest use that counted, which a recall within it is not."""
    memory = filled("a", rules=Rules(cooldown_turns=3))
    for turn, count in ((2, 1), (3, 1), (4, 2), (6, 2), (7, 3)):
        assert memory.recall("a", turn)
        state = memory.memory["a"]
        assert (state.last_touch, state.recall_count, state.stability) == (turn, count, float(count))


def test_a_fresh_item_counts_its_registration_as_use_number_one() -> None:
    """Every turn of a fresh state is that of the registration, and registering again starts anew."""
    memory = filled("a")
    memory.recall("a", 3)
    memory.register("a", 4)
    state = memory.memory["a"]
    assert (state.registered_turn, state.last_touch, state.last_counted) == (4, 4, 4)
    assert (state.recall_count, state.stability) == (1, 1.0)
