"""The published engine's own figures: golden sessions in every engine, golden operations in the scalar engines."""

import json
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from comparing import COMPILED, first_difference, play_everywhere
from published import default_checkpoints, digest16, golden, policy_of, workload_of

from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.reference import TablePolicyEngine, Trace, engine_for, measure, run
from vecdecay.engines.registry import play_block
from vecdecay.engines.scalar_memory import Memory
from vecdecay.metrics import metric_columns
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import FOUNDATIONAL, NOISE, RECALL, REGISTER, PlayedEvent, Session

# Without the JIT the generator alone takes 3 ms a seed: one line in five will do.
SESSIONS = golden("sessions") if COMPILED else golden("sessions")[::5]


def test_all_golden_lines_are_there() -> None:
    """Nothing was lost on the way into this repository: 400 sessions, 150 series of operations."""
    assert len(golden("sessions")) == 400
    assert len(golden("operations")) == 150


def noise_facts(evicted: list[int | None]) -> dict[str, Any]:
    """Return what a golden line says of its noise items."""
    gone = [turn for turn in evicted if turn is not None]
    return {
        "noise_evicted_count": len(gone),
        "noise_evicted_turn_sum": sum(gone),
        "noise_evicted_sha256": digest16(evicted),
    }


def facts_of_trace(trace: Trace, session: Session) -> dict[str, Any]:
    """Return the golden figures as the scalar reference has them."""
    facts = session.foundational_items()
    measured = measure(trace)
    present = trace.foundational_present
    turns = default_checkpoints(session.session_length)
    return {
        "recall_turns": [
            [turn for turn, kind, item in session.events if kind == RECALL and item == fact] for fact in facts
        ],
        "foundational_evicted_turn": [trace.items[fact].evicted_turn for fact in facts],
        **noise_facts([item.evicted_turn for item in trace.items if item.kind == NOISE]),
        "frr_checkpoints": [[turn, present[turn - 1] / len(facts) if facts else 1.0] for turn in turns],
        "working_set_sizes": trace.working_set_sizes,
        "terminal_survival_rate": measured.terminal_survival_rate,
        "mean_survival_time": measured.survival_time,
        "min_survival_time": measured.survival_time_minimum,
        "max_survival_time": measured.survival_time_maximum,
        "mean_working_set": measured.mean_working_set,
        "total_items": trace.registrations,
        "footprint_reduction": measured.footprint_reduction,
    }


def facts_of_outcome(outcome: BlockOutcome, recall_turns: list[list[int]]) -> dict[str, Any]:
    """Return the golden figures of a block of one session as a kernel has them."""
    items, turns = outcome.items, outcome.turns
    assert items is not None
    assert turns is not None
    evicted = [turn or None for turn in items.evicted_turn.tolist()]
    is_fact = (items.kind == FOUNDATIONAL).tolist()
    metrics = {
        name: values[0].item() if valid is None or valid[0] else None
        for name, (values, valid) in metric_columns(outcome).items()
    }
    facts = int(outcome.foundational_items[0])
    lost = outcome.foundational_evicted[0] > 0
    at = zip(
        default_checkpoints(int(outcome.session_length[0])), outcome.checkpoint_present[:, 0].tolist(), strict=True
    )
    return {
        "recall_turns": recall_turns,
        "foundational_evicted_turn": [turn for turn, fact in zip(evicted, is_fact, strict=True) if fact],
        **noise_facts([turn for turn, fact in zip(evicted, is_fact, strict=True) if not fact]),
        "frr_checkpoints": [[turn, present / facts if facts else 1.0] for turn, present in at],
        "working_set_sizes": turns.working_set.tolist(),
        "terminal_survival_rate": metrics["terminal_survival_rate"],
        "mean_survival_time": metrics["survival_time"],
        "min_survival_time": outcome.survival_minimum[0].item() if lost else None,
        "max_survival_time": outcome.survival_maximum[0].item() if lost else None,
        "mean_working_set": metrics["mean_working_set"],
        "total_items": outcome.registrations[0].item(),
        "footprint_reduction": metrics["footprint_reduction"],
    }


def expect_golden(line: dict[str, Any], found: dict[str, Any], who: str) -> None:
    """Fail with the first figure that is not the golden one; no figure may be missing."""
    wanted = {name: value for name, value in line.items() if name not in ("session", "policy")}
    assert found.keys() == wanted.keys()
    for name, value in wanted.items():
        assert found[name] == value, f"{who}, {name} of {json.dumps(line['session'])}, {line['policy']}"


def test_golden_sessions_in_the_reference() -> None:
    """Every golden figure of every golden session, by ``random.Random`` and the scalar engine."""
    for line in SESSIONS:
        workload, seed = workload_of(line)
        session = workload.session(seed)
        expect_golden(line, facts_of_trace(run(engine_for(policy_of(line)), session), session), "reference")


@pytest.mark.parametrize("engine", ["reference", "horizon", "lockstep"])
def test_golden_sessions_in_the_engines(engine: str) -> None:
    """Every golden figure of every golden session, by the vectorised generator and each engine's block form."""
    for line in SESSIONS:
        workload, seed = workload_of(line)
        block = workload.block([seed])
        turns = default_checkpoints(workload.session_length)
        outcome = play_block(block, policy_of(line), engine, turns, want_items=True, want_turns=True)
        starts = block.touch_start.tolist()
        recalls = [block.touch_turn[first + 1 : last].tolist() for first, last in pairwise(starts)]
        expect_golden(line, facts_of_outcome(outcome, recalls), engine)


def test_golden_sessions_contain_what_matters() -> None:
    """The golden sessions evict and keep facts and noise, miss recalls, clamp schedules and use wide seeds."""
    evicted = [turn for line in SESSIONS for turn in line["foundational_evicted_turn"]]
    assert None in evicted
    assert sum(turn is not None for turn in evicted) > 50
    assert any(line["noise_evicted_count"] for line in SESSIONS)
    assert any(line["session"]["seed"] < 0 for line in SESSIONS)
    assert any(line["session"]["seed"] >= 2**32 for line in SESSIONS)


def play_operations(engine: Memory, operations: list[list[Any]]) -> None:
    """Drive an engine by golden operations and compare every answer."""
    for turn, kind, *rest in operations:
        if kind == "register":
            engine.register(rest[0], turn)
        elif kind == "recall":
            assert [engine.recall(rest[0], turn)] == rest[1:]
        else:
            assert [sorted(map(str, engine.step(turn))), engine.working_set_size()] == rest


def final_state(engine: Memory) -> dict[str, list[Any]]:
    """Return what an engine holds at the end, as the golden lines write it."""
    return {
        str(item): [state.last_touch, state.recall_count] + ([] if state.stability is None else [state.stability.hex()])
        for item, state in engine.memory.items()
    }


def test_golden_operations_in_the_scalar_engines() -> None:
    """Every answer and the final state, re-registrations, absent items and a clock that runs backwards included."""
    backwards = 0
    for line in golden("operations"):
        policy = policy_of(line)
        for engine in (engine_for(policy), TablePolicyEngine(policy)):
            play_operations(engine, line["operations"])
            assert final_state(engine) == line["final"]
            assert all(engine.is_present(item) for item in line["final"])
        turns = [operation[0] for operation in line["operations"]]
        backwards += any(later < earlier for earlier, later in pairwise(turns))
    assert backwards >= 20


def as_session(operations: list[list[Any]]) -> tuple[Session, list[str], list[int]] | None:
    """Return golden operations as a session, item names and sizes, or None if the clock does not step 1, 2, 3, …."""
    names = sorted({operation[2] for operation in operations if operation[1] != "step"})
    events: list[PlayedEvent] = []
    sizes: list[int] = []
    for turn, kind, *rest in operations:
        if turn != len(sizes) + 1:
            return None
        if kind == "step":
            sizes.append(rest[1])
        else:
            events.append((turn, RECALL if kind == "recall" else REGISTER, names.index(rest[0])))
    return Session(len(sizes), (FOUNDATIONAL,) * len(names), tuple(events)), names, sizes


def test_golden_operations_in_the_kernels() -> None:
    """Where the clock runs forward, the same operations are a session: every engine ends in the golden state."""
    played = 0
    for line in golden("operations"):
        converted = as_session(line["operations"])
        if converted is None:
            continue
        session, names, sizes = converted
        outcome = play_everywhere([session], policy_of(line))
        assert outcome.items is not None
        assert outcome.turns is not None
        assert outcome.turns.working_set.tolist() == sizes
        for item, name in enumerate(names):
            assert bool(outcome.items.present[item]) == (name in line["final"])
            if name in line["final"]:
                state = [outcome.items.last_touch[item].item(), outcome.items.recall_count[item].item()]
                if outcome.items.stability is not None:
                    state.append(outcome.items.stability[item].item().hex())
                assert state == line["final"][name]
        misses = sum(op[1] == "recall" and not op[3] for op in line["operations"])
        assert outcome.misses.tolist() == [misses]
        played += 1
    assert played >= 80


def test_a_difference_is_named() -> None:
    """The comparison that all these tests rest on finds a planted difference and says where."""
    policy = policy_of(golden("sessions")[0])
    block = block_of([Session(9, (FOUNDATIONAL, NOISE), ((1, REGISTER, 0), (2, REGISTER, 1), (3, RECALL, 0)))])
    left = play_block(block, policy, "reference", [4], want_items=True, want_turns=True)
    right = play_block(block, policy, "reference", [4], want_items=True, want_turns=True)
    assert first_difference(left, right) == ""
    assert left.items is not None
    assert right.items is not None
    assert right.items.stability is not None
    right.items.stability[1] = np.nextafter(right.items.stability[1], 0.0)
    found = first_difference(left, right)
    assert found.startswith("items.stability[1] is 8.0 and ")
    assert "checkpoint_present is int32 (1, 1) and int32 (0, 1)" in (
        first_difference(left, play_block(block, policy, "reference", [], want_items=True, want_turns=True))
    )
