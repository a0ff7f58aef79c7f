"""Tests of vecdecay.engines.scalar_memory: the store that all scalar engines share."""

from vecdecay.engines.scalar_memory import ItemState, Memory


def filled(*items: str, pinned: tuple[str, ...] = ()) -> Memory:
    """Return a store that holds the items, registered in turns 1, 2, …"""
    memory = Memory(pinned)
    memory.memory = {item: ItemState(turn, None) for turn, item in enumerate(items, start=1)}
    return memory


def test_what_is_evicted_departs_and_is_logged() -> None:
    """Items leave the store with their state, and the log says when; a later eviction overwrites an earlier one."""
    memory = filled("a", "b", "c")
    state = memory.memory["b"]
    assert memory.evict(["b"], 5) == ["b"]
    assert [memory.is_present(item) for item in "abc"] == [True, False, True]
    assert memory.working_set_size() == 2
    assert memory.departed == {"b": state}
    assert memory.eviction_log == {"b": 5}
    memory.memory["b"] = ItemState(6, None)
    memory.evict(["b"], 9)
    assert memory.eviction_log == {"b": 9}


def test_pinned_items_are_never_evicted() -> None:
    """A pinned item is passed over, whatever a policy says."""
    memory = filled("a", "b", pinned=("a",))
    assert memory.evict(["a", "b"], 3) == ["b"]
    assert memory.is_present("a")


def test_items_in_their_grace_are_left_out() -> None:
    """Grace counts from the registration; at its end an item may go."""
    memory = filled("a", "b", "c")
    assert memory.past_grace(["a", "b", "c"], turn=6, grace_turns=4) == ["a", "b"]


def test_a_fresh_item_counts_its_registration_as_use_number_one() -> None:
    """Every turn of a fresh state is that of the registration."""
    state = ItemState(4, 8.0)
    assert (state.registered_turn, state.last_touch, state.last_counted) == (4, 4, 4)
    assert (state.recall_count, state.stability) == (1, 8.0)
