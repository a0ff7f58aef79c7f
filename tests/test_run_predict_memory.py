"""Memory of hostile sweeps: the peak of a fresh process stays within what was predicted, whatever a session holds."""

import pytest
from sweep_peaks import measured, needs_proc

from vecdecay.policies import ImportancePrune, RecencyWindow
from vecdecay.run.parts import plays_at_once
from vecdecay.run.plan import make_plan
from vecdecay.run.predict_memory import memory_bytes, most_recalls, num_rhythms, table_entries
from vecdecay.sessions import Mixture, PublishedSessions
from vecdecay.sessions.blocks import block_of
from vecdecay.sessions.workload import Workload
from vecdecay.sessions.workload_text import workload_of_text
from vecdecay.sweepfile.spec import parse_sweep

ALLOWANCE = 10_000_000
"""Bytes that the interpreter and its libraries may take more than those that the constants were measured with."""


def sweep(kind: str, parameters: str, seeds: int, detail: str, *policies: str) -> str:
    """Return the file of a sweep."""
    begin = f'schema = 1\nsweep = {{ name = "hostile", seeds = {seeds}, detail = "{detail}" }}\n'
    workload = f'workload = {{ kind = "{kind}", {parameters} }}\n'
    return begin + workload + "".join(f'[[policy]]\nkind = "{policy}"\n' for policy in policies)


HOSTILE = {
    "touches": sweep(
        "rare_critical",
        "session_length = 300, noise_per_turn = 400, noise_recall_probability = 0.9",
        4,
        "sessions",
        "ebbinghaus",
    ),
    "rhythms": sweep("zipf_recalls", "num_foundational = 70_000, noise_per_turn = 0", 2, "sessions", "recency_window"),
    "stateful": sweep(
        "drift",
        "num_foundational = 70_000, items_in_use = 70_000, recalls_per_turn = 0.001, noise_per_turn = 0",
        2,
        "sessions",
        "fsrs6",
    ),
    "turns": sweep(
        "periodic",
        "session_length = 300_000, noise_per_turn = 0, period_turns = 1, period_jitter = 0",
        3,
        "turns",
        "recency_window",
    ),
    "items": sweep(
        "never_recalled",
        'session_length = 400_000, registered_within = 1, noise_process = "poisson", noise_per_turn = 1.0',
        3,
        "items",
        "recency_window",
    ),
    "checked": sweep(
        "published_sessions",
        "session_length = 5, num_foundational = 30_000, recalls_per_foundational = 0, noise_per_turn = 0",
        2,
        "sessions",
        "ebbinghaus",
    ),
    "checkpoints": sweep(
        "steady_use", "recalls_per_turn = 50.0, session_length = 3000, noise_per_turn = 0", 20, "sessions", "keep_all"
    ).replace("seeds = 20", "seeds = 20, checkpoints = [10, 2000]"),
}
LARGER = {
    "touches": sweep(
        "rare_critical",
        "session_length = 300, noise_per_turn = 2000, noise_recall_probability = 0.9",
        40,
        "sessions",
        "ebbinghaus",
    ),
    "touches of few items": sweep(
        "steady_use",
        "recalls_per_turn = 100.0, session_length = 5000, noise_per_turn = 0",
        100,
        "sessions",
        "ebbinghaus",
        "your_memory",
    ),
    "tables": sweep(
        "uniform_recalls",
        "recalls_per_foundational = 1_048_576, session_length = 1000, noise_per_turn = 0",
        6,
        "sessions",
        "ebbinghaus",
        "recency_window",
    ),
    "rhythms": sweep(
        "zipf_recalls", "num_foundational = 100_000, noise_per_turn = 0", 20, "sessions", "recency_window", "fsrs6"
    ),
    "rhythms in turn": sweep(
        "drift",
        "num_foundational = 100_000, items_in_use = 100_000, recalls_per_turn = 0.001, noise_per_turn = 0",
        20,
        "sessions",
        "keep_all",
    ),
    "noise": sweep(
        "never_recalled",
        "session_length = 2_000_000, registered_within = 1, num_foundational = 1, "
        'noise_process = "poisson", noise_per_turn = 1.0',
        6,
        "sessions",
        "recency_window",
    ),
    "turns": sweep(
        "periodic",
        "session_length = 1_000_000, noise_per_turn = 0, period_turns = 1, period_jitter = 0",
        6,
        "turns",
        "recency_window",
    ),
    "attributes": sweep(
        "steady_use",
        'importance_distribution = "uniform", category_weights = [0.25, 0.25, 0.25, 0.25], pinned_share = 0.5, '
        'token_distribution = "pareto", noise_per_turn = 20.0',
        2000,
        "sessions",
        "your_memory",
        "memory_decay_core",
        "importance_prune",
    ),
}
WARM = [
    sweep("rare_critical", "session_length = 20, noise_per_turn = 2", 2, "turns", "ebbinghaus", "fsrs6", "keep_all"),
    sweep("rare_critical", "session_length = 20, noise_per_turn = 2", 2, "items", "ebbinghaus", "fsrs6", "keep_all"),
    sweep("published_sessions", "noise_per_turn = 0", 2, "sessions", "ebbinghaus"),
]
WARM_LARGER = [
    sweep("steady_use", 'token_distribution = "pareto", pinned_share = 0.5', 2, "sessions", "memory_decay_core"),
    sweep(
        "steady_use",
        'token_distribution = "pareto", pinned_share = 0.5',
        2,
        "sessions",
        "your_memory",
        "importance_prune",
    ),
]


def bound_of(text: str) -> int:
    """Return how much memory a sweep takes at most with two threads."""
    plan = make_plan(parse_sweep(text))
    return memory_bytes(plan, min(2, -(-plan.num_sessions // plays_at_once(plan))))


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Compile what such runs need: compiling takes memory of its own."""
    for text in WARM:
        measured(text, 1, tmp_path_factory.mktemp("warm") / "run")


@pytest.fixture(scope="module")
def warm_larger(tmp_path_factory: pytest.TempPathFactory, warm: None) -> None:
    """Compile what the larger ones need besides."""
    for text in WARM_LARGER:
        measured(text, 1, tmp_path_factory.mktemp("warm") / "run")


def check(text: str, folder: object) -> dict[str, int]:
    """Compare a prediction with the truth; return the latter."""
    found = measured(text, 2, folder)
    assert found["failed"] == 0
    assert found["peak"] <= bound_of(text) + ALLOWANCE
    return found


@needs_proc
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_sweeps_stay_within_the_prediction(name: str, tmp_path: object, warm: None) -> None:
    """Many touches, items, turns or rhythms in a session, and a session that is as large as is ever checked."""
    found = check(HOSTILE[name], f"{tmp_path}/run")
    assert (found["checked"] > 0) == (name == "checked")


@needs_proc
@pytest.mark.thorough
@pytest.mark.parametrize("name", LARGER)
def test_larger_hostile_sweeps_stay_within_the_prediction(name: str, tmp_path: object, warm_larger: None) -> None:
    """The same with up to a hundred times as much in a session."""
    check(LARGER[name], f"{tmp_path}/run")


@pytest.mark.parametrize("name", LARGER)
def test_predictions_do_not_run_away(name: str) -> None:
    """A bound that is far above the truth is of no use: all of these runs take less than a gigabyte."""
    assert bound_of(LARGER[name]) < 1e9


def test_the_check_counts_in_memory() -> None:
    """Sessions that are compared with the scalar engine take their Python objects; those too large are not compared."""
    text = HOSTILE["checked"]
    alone = bound_of(text.replace("seeds", 'engine = "reference", seeds', 1))
    assert bound_of(text) > alone + 20_000_000
    larger = text.replace("30_000", "60_000")
    assert bound_of(larger) < bound_of(larger.replace("seeds", 'engine = "reference", seeds', 1)) + 20_000_000


def test_a_workload_with_many_rhythms_counts_once_per_value_on_its_axes() -> None:
    """Workloads are remembered, with the steps of all their items."""
    text = HOSTILE["rhythms"].replace("70_000", "2_000")
    axis = '[[axis]]\nparameter = "workload.zipf_exponent"\nvalues = [{}]\n'
    few, more = (bound_of(text + axis.format(values)) for values in ("0.5, 1", "0.5, 1, 2, 3"))
    assert more - few >= 2 * 2_000 * 460


TEXTS = [
    "published_sessions",
    "published_sessions(session_length=600, noise_per_turn=0, num_foundational=60)",
    "steady_use(recalls_per_turn=10.0, session_length=100, noise_per_turn=0)",
    "uniform_recalls(recalls_per_foundational=2000, session_length=500, noise_per_turn=0)",
    "rare_critical(noise_per_turn=8)",
    "zipf_recalls(num_foundational=800, noise_per_turn=0)",
    "periodic(session_length=2000, noise_per_turn=0, period_turns=1, period_jitter=0)",
    "never_recalled(session_length=1000, noise_process='poisson', noise_per_turn=1.0)",
    "drift(noise_per_turn=5, importance_distribution='uniform', pinned_share=0.5, token_distribution='pareto')",
    "mixture",
]


def workload_of(text: str) -> Workload:
    """Return the workload of a text, a mixture included."""
    return Mixture() if text == "mixture" else workload_of_text(text)


@pytest.mark.parametrize("text", TEXTS)
def test_recalls_are_bounded(text: str) -> None:
    """No item of a session has more."""
    workload = workload_of(text)
    assert max(block_of([workload.session(seed)]).max_recalls for seed in range(3)) <= most_recalls(workload) + 1


def test_tables_have_an_entry_per_recall_and_kind_of_item() -> None:
    """Kinds count only where the policy reads what tells them apart."""
    workload = workload_of_text("uniform_recalls(recalls_per_foundational=100, importance_distribution='uniform')")
    assert table_entries(workload, RecencyWindow()) == 129
    assert table_entries(workload, ImportancePrune()) == 101 * 129
    assert num_rhythms(PublishedSessions()) == 0
    assert num_rhythms(Mixture(("steady_use", "steady_use(session_length=5000)"), (0.5, 0.5))) == 2
