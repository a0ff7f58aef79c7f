"""Invariants that hold for any session: more generous policies lose nothing, noise changes no fact, batches add up."""

import statistics

import pyarrow as pa
from comparing import COMPILED, play_everywhere
from conftest import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies import cases, ebbinghaus, ordinary_ebbinghaus, recency_window, sessions, table_policies

import vecdecay as vd
from vecdecay.engines.outcome import BlockOutcome
from vecdecay.engines.reference import engine_for
from vecdecay.engines.registry import play_block
from vecdecay.quantities import METRIC_NAMES, UNSIZED_TWINS
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.session import NOISE, RECALL, REGISTER, Session

INVARIANTS = settings(max_examples=examples(250) if COMPILED else 60)


def played(together: list[Session], policy: vd.Ebbinghaus | vd.RecencyWindow | vd.KeepAll) -> BlockOutcome:
    """Play sessions with the kernel that any table policy has."""
    return play_block(block_of(together), policy, "horizon", want_items=True, want_turns=True)


def expect_nothing_lost(stricter: BlockOutcome, milder: BlockOutcome, with_stability: bool) -> None:
    """The milder policy holds everything that the stricter one holds, in every turn, and misses no recall more."""
    assert stricter.items is not None
    assert stricter.turns is not None
    assert milder.items is not None
    assert milder.turns is not None
    assert (stricter.items.present <= milder.items.present).all()
    assert (stricter.items.hits <= milder.items.hits).all()
    assert (stricter.items.misses >= milder.items.misses).all()
    assert (stricter.turns.working_set <= milder.turns.working_set).all()
    assert (stricter.turns.foundational_present <= milder.turns.foundational_present).all()
    assert (stricter.foundational_present <= milder.foundational_present).all()
    if with_stability:
        assert stricter.items.stability is not None
        assert milder.items.stability is not None
        assert (stricter.items.stability <= milder.items.stability).all()


several = st.lists(sessions((3, 7, 13)), min_size=1, max_size=3)


@INVARIANTS
@given(several, ordinary_ebbinghaus(), st.floats(0.0, 1.0, exclude_min=True))
def test_a_lower_threshold_loses_nothing(together: list[Session], policy: vd.Ebbinghaus, factor: float) -> None:
    """Lowering the eviction threshold never loses an item, a recall or a turn."""
    lower = policy.eviction_threshold * factor
    assume(lower > 0.0)
    milder = vd.Ebbinghaus(lower, policy.baseline_stability, policy.reinforcement_gain)
    expect_nothing_lost(played(together, policy), played(together, milder), with_stability=True)


@INVARIANTS
@given(several, ordinary_ebbinghaus(), st.floats(1.0, 100.0))
def test_a_larger_stability_loses_nothing(together: list[Session], policy: vd.Ebbinghaus, factor: float) -> None:
    """Raising the baseline stability never loses an item, a recall or a turn."""
    larger = policy.baseline_stability * factor
    milder = vd.Ebbinghaus(policy.eviction_threshold, larger, policy.reinforcement_gain)
    expect_nothing_lost(played(together, policy), played(together, milder), with_stability=True)


@INVARIANTS
@given(several, ordinary_ebbinghaus(), st.floats(0.0, 3.0))
def test_a_larger_gain_loses_nothing(together: list[Session], policy: vd.Ebbinghaus, more: float) -> None:
    """Raising the reinforcement gain never loses an item, a recall or a turn."""
    gain = policy.reinforcement_gain + more
    milder = vd.Ebbinghaus(policy.eviction_threshold, policy.baseline_stability, gain)
    expect_nothing_lost(played(together, policy), played(together, milder), with_stability=True)


@INVARIANTS
@given(several, recency_window(), st.floats(0.0, 20.0))
def test_a_wider_window_loses_nothing(together: list[Session], policy: vd.RecencyWindow, more: float) -> None:
    """Widening the window never loses an item, a recall or a turn."""
    milder = vd.RecencyWindow(policy.window_size + more)
    expect_nothing_lost(played(together, policy), played(together, milder), with_stability=False)


@INVARIANTS
@given(cases(table_policies()))
def test_keeping_all_is_the_upper_bound(case) -> None:
    """Whatever the policy, keeping everything holds at least as much in every turn, and evicts nothing."""
    bound = played(list(case.sessions), vd.KeepAll())
    expect_nothing_lost(played(list(case.sessions), case.policy), bound, with_stability=False)
    assert not bound.items_evicted.any()


@INVARIANTS
@given(cases(table_policies()), st.integers(1, 3), st.integers(1, 9))
def test_added_noise_changes_no_item_that_was_there(case, per_turn: int, until: int) -> None:
    """Noise of any amount changes nothing for the other items: no policy here compares items."""
    noisy = []
    for session in case.sessions:
        turns = [turn for turn in range(1, min(until, session.session_length) + 1) for _ in range(per_turn)]
        first = len(session.item_kinds)
        more = [(turn, REGISTER, first + number) for number, turn in enumerate(turns)]
        more += [(turn, RECALL, first + number) for number, turn in enumerate(turns) if number % 3 == 0]
        events = sorted([*session.events, *more], key=lambda event: event[0])
        kinds = (*session.item_kinds, *(NOISE for _ in turns))
        noisy.append(Session(session.session_length, kinds, tuple(events)))
    quiet, loud = played(list(case.sessions), case.policy), play_everywhere(noisy, case.policy)
    assert quiet.items is not None
    assert loud.items is not None
    for name in (
        "foundational_present",
        "foundational_evicted",
        "survival_sum",
        "survival_minimum",
        "survival_maximum",
    ):
        assert getattr(quiet, name).tolist() == getattr(loud, name).tolist()
    for number, session in enumerate(case.sessions):
        mine = slice(quiet.items.item_start[number], quiet.items.item_start[number + 1])
        first = loud.items.item_start[number]
        theirs = slice(first, first + len(session.item_kinds))
        for name in ("evicted_turn", "last_touch", "recall_count", "hits", "misses", "present"):
            assert getattr(quiet.items, name)[mine].tolist() == getattr(loud.items, name)[theirs].tolist()


@INVARIANTS
@given(cases(table_policies()))
def test_passes_that_evict_nothing_do_not_matter(case) -> None:
    """Two passes in one turn, or a pass only where something is due, evict the same items in the same turns."""
    for session in case.sessions:
        once, twice, sparse = (engine_for(case.policy) for _ in range(3))
        events = {turn: [e for e in session.events if e[0] == turn] for turn in range(1, session.session_length + 1)}
        for turn, of_turn in events.items():
            for engine in (once, twice, sparse):
                for _, kind, item in of_turn:
                    engine.register(item, turn) if kind == REGISTER else engine.recall(item, turn)
            once.step(turn)
            twice.step(turn)
            assert twice.step(turn) == []
            if once.eviction_log != sparse.eviction_log:
                sparse.step(turn)
        assert once.eviction_log == twice.eviction_log == sparse.eviction_log
        assert list(once.memory) == list(twice.memory) == list(sparse.memory)


@INVARIANTS
@given(cases(ebbinghaus()))
def test_reading_a_score_changes_nothing(case) -> None:
    """Retention, presence and size can be asked for at any time: the state after it is the state before it."""
    for session in case.sessions:
        engine = engine_for(case.policy)
        for turn, kind, item in session.events:
            engine.register(item, turn) if kind == REGISTER else engine.recall(item, turn)
        before = {item: (s.last_touch, s.recall_count, s.stability) for item, s in engine.memory.items()}
        for item in before:
            first = [engine.retention(item, turn) for turn in (0, 5, 50)]
            assert first == [engine.retention(item, turn) for turn in (0, 5, 50)]
            assert all(0.0 <= score <= 1.0 for score in first)
        assert before == {item: (s.last_touch, s.recall_count, s.stability) for item, s in engine.memory.items()}


@INVARIANTS
@given(cases(table_policies()))
def test_sessions_played_together_are_sessions_played_alone(case) -> None:
    """A session's outcome does not depend on its neighbours in the block, in either kernel."""
    for engine in ("horizon", "lockstep"):
        together = play_block(block_of(case.sessions), case.policy, engine, case.checkpoints, True, True)
        for number, session in enumerate(case.sessions):
            alone = play_block(block_of([session]), case.policy, engine, case.checkpoints, True, True)
            assert together.working_set_sum[number] == alone.working_set_sum[0]
            assert together.checkpoint_present[:, number].tolist() == alone.checkpoint_present[:, 0].tolist()
            assert together.turns is not None
            assert alone.turns is not None
            first, last = together.turns.turn_start[number : number + 2]
            assert together.turns.working_set[first:last].tolist() == alone.turns.working_set.tolist()


POLICIES = [vd.Ebbinghaus(0.66), vd.Ebbinghaus(baseline_stability=2.0), vd.RecencyWindow(100)]
SEEDS = range(-40, 160) if COMPILED else range(-3, 9)


def test_noise_changes_no_foundational_result_of_published_sessions() -> None:
    """The published noise levels 1, 5, 10 and 20 give one and the same table of foundational results."""
    columns = [
        name for name in vd.simulate(vd.PublishedSessions(), POLICIES, [0]).sessions.column_names if "found" in name
    ]
    columns += ["survival_time", "survival_time_minimum", "survival_time_maximum", "terminal_survival_rate"]
    tables = [
        vd.simulate(vd.PublishedSessions(noise_per_turn=noise), POLICIES, SEEDS).sessions.select(columns)
        for noise in (0, 1, 5, 10, 20)
    ]
    assert all(table == tables[0] for table in tables)


def test_batches_of_seeds_add_up() -> None:
    """Seeds split into batches and their tables put together are the table of all seeds."""
    sessions_table = vd.simulate(vd.PublishedSessions(), POLICIES, SEEDS, detail="items")
    cut = len(SEEDS) // 3
    parts = [
        vd.simulate(vd.PublishedSessions(), POLICIES, part, detail="items")
        for part in (SEEDS[:cut], SEEDS[cut : 2 * cut], SEEDS[2 * cut :])
    ]
    for name in ("sessions", "items"):
        joined = pa.concat_tables([getattr(part, name) for part in parts])
        order = [("cell", "ascending"), ("seed", "ascending")] + ([("item", "ascending")] if name == "items" else [])
        assert joined.sort_by(order).combine_chunks() == getattr(sessions_table, name).combine_chunks()


def test_summaries_are_those_of_the_statistics_module() -> None:
    """Means and standard deviations of the cells equal ``statistics`` on the rows; minimum and maximum are theirs."""
    result = vd.simulate(vd.PublishedSessions(), POLICIES, SEEDS, checkpoints=[40, 100])
    cells, rows = result.cells.to_pylist(), result.sessions
    names = [*METRIC_NAMES, "foundational_recall_rate_at_40", "foundational_recall_rate_at_100"]
    for cell in cells:
        mine = rows.filter(pa.compute.field("cell") == cell["cell"])
        assert mine.num_rows == cell["sessions"] == len(SEEDS)
        for name in names:
            column = name if name in mine.column_names else UNSIZED_TWINS[name]
            values = [value for value in mine[column].to_pylist() if value is not None]
            assert cell[f"{name}_sessions"] == len(values)
            assert cell[f"{name}_mean"] == (float(statistics.mean(values)) if values else None)
            deviation = statistics.stdev(map(float, values)) if len(values) > 1 else None
            assert cell[f"{name}_standard_deviation"] == deviation
            assert cell[f"{name}_minimum"] == min(values, default=None)
            assert cell[f"{name}_maximum"] == max(values, default=None)
    assert any(cell["foundational_recall_rate_standard_deviation"] > 0.0 for cell in cells)


def test_cohorts_in_closed_form() -> None:
    """With more noise than any session lists, the sums stay those of the closed form of a single stretch."""
    length, horizon = 150, 13
    for noise in (1, 3, 10**6):
        row = vd.simulate(vd.PublishedSessions(noise_per_turn=noise, num_foundational=0), vd.Ebbinghaus(), [1]).sessions
        assert row["working_set_sum"][0].as_py() == noise * (horizon * length - horizon * (horizon - 1) // 2)
        assert row["items_evicted"][0].as_py() == noise * (length - horizon)
        assert row["registrations"][0].as_py() == noise * length
        assert row["mean_working_set"][0].as_py() == 12.48 * noise
