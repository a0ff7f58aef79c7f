"""Do sessions follow the distributions that their parameters name? Goodness of fit, independence of sessions and items.

More than 200 p-values, each above one in a million, at fixed seeds; the torture run looks at ten times as many
sessions from other seeds.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from comparing import COMPILED
from significance import LEAST_P, chi_square_p, even_p, independent_p, kolmogorov_p, mass_p, share_p

from vecdecay.sessions import (
    BurstThenSilence,
    Drift,
    EstablishSilenceResurface,
    Mixture,
    NeverRecalled,
    Periodic,
    RecencyBiased,
    SteadyUse,
    UniformRecalls,
    Workload,
    ZipfRecalls,
)
from vecdecay.sessions.block import SessionBlock

pytestmark = pytest.mark.skipif(
    not COMPILED, reason="the plain source makes the same sessions, a thousand times slower"
)

SESSIONS = 6000
FIRST_SEEDS = (0, -10_000, 2**40, 2**62)
STARTS = [*FIRST_SEEDS, *(pytest.param(1000 * n, marks=pytest.mark.torture) for n in range(1, 4))]

over_seeds = pytest.mark.parametrize("start", STARTS)


@lru_cache(maxsize=8)
def made(workload: Workload, start: int) -> SessionBlock:
    """Return many sessions, one after the other; ten times as many in the torture run."""
    return workload.block(range(start, start + (SESSIONS if start in FIRST_SEEDS else 10 * SESSIONS)))


def items_of(block: SessionBlock, item: int, per_session: int) -> list[np.ndarray]:
    """Return the turns of one item in every session, its registration first."""
    numbers = np.arange(item, len(block.item_kind), per_session)
    return [block.touch_turn[block.touch_start[n] : block.touch_start[n + 1]] for n in numbers]


def gaps_of(block: SessionBlock) -> np.ndarray:
    """Return the turns between neighbouring touches of an item."""
    return np.diff(block.touch_turn)[block.touch_kind[1:] == 1]


def recalls_of(block: SessionBlock, per_session: int) -> np.ndarray:
    """Return the number of recalls, shape (session, item)."""
    return (np.diff(block.touch_start) - 1).reshape(-1, per_session)


def poisson(mean: float) -> Callable[[int], float]:
    """Return the chances of a Poisson number."""
    return lambda k: math.exp(k * math.log(mean) - mean - math.lgamma(k + 1))


@over_seeds
@pytest.mark.parametrize(("length", "recalls"), [(150, 4), (9, 1), (1000, 30)])
def test_uniform_recalls_fall_in_every_turn_alike(start: int, length: int, recalls: int) -> None:
    """Turn 2 to the last; the first of few recalls follows the distribution of a smallest number."""
    workload = UniformRecalls(session_length=length, recalls_per_foundational=recalls, num_foundational=2)
    turns = made(workload, start).touch_turn.reshape(-1, recalls + 1)[:, 1:]
    assert even_p(turns.ravel() - 2, length - 1) > LEAST_P
    below = 1 - ((length + 1 - turns[:, 0]) / (length - 1)) ** recalls
    above = 1 - ((length - turns[:, 0]) / (length - 1)) ** recalls
    spread_out = below + (above - below) * np.random.default_rng(2).random(len(below))
    assert kolmogorov_p(spread_out) > LEAST_P


@over_seeds
@pytest.mark.parametrize("what", ["items", "sessions"])
def test_uniform_recalls_are_independent(start: int, what: str) -> None:
    """First recalls of two items of a session, and of neighbouring seeds."""
    first = made(UniformRecalls(num_foundational=3), start).touch_turn.reshape(-1, 3, 5)[:, :, 1]
    pair = (first[:, 0], first[:, 1]) if what == "items" else (first[1:, 0], first[:-1, 0])
    assert independent_p(*pair) > LEAST_P


@over_seeds
@pytest.mark.parametrize("rate", [0.02, 0.1, 1.0, 5.0])
def test_steady_use_is_a_poisson_process(start: int, rate: float) -> None:
    """Numbers of recalls, turns, the first wait; first half and second half are independent."""
    workload = SteadyUse(recalls_per_turn=rate, num_foundational=1, noise_per_turn=0)
    block = made(workload, start)
    assert mass_p(recalls_of(block, 1)[:, 0], poisson(149 * rate)) > LEAST_P
    recalls = block.touch_turn[block.touch_kind == 1]
    assert even_p(recalls - 2, 149) > LEAST_P
    turns = items_of(block, 0, 1)
    early = np.array([(one[1:] < 77).sum() for one in turns])
    late = np.array([(one[1:] >= 77).sum() for one in turns])
    assert mass_p(early, poisson(75 * rate)) > LEAST_P
    assert independent_p(early, late) > LEAST_P
    waits = np.array([one[1] - 2 for one in turns if len(one) > 1])
    if rate >= 0.1:
        assert mass_p(waits, lambda k: math.exp(-rate * k) * (1 - math.exp(-rate))) > LEAST_P


@over_seeds
@pytest.mark.parametrize("what", ["items", "sessions"])
def test_steady_use_is_independent(start: int, what: str) -> None:
    """Numbers of recalls of two items, and of neighbouring seeds."""
    recalls = recalls_of(made(SteadyUse(recalls_per_turn=0.5), start), 3)
    pair = (recalls[:, 0], recalls[:, 1]) if what == "items" else (recalls[1:, 2], recalls[:-1, 2])
    assert independent_p(*pair) > LEAST_P


@over_seeds
@pytest.mark.parametrize("turns", [1, 7, 100])
def test_bursts_fill_their_turns_alike(start: int, turns: int) -> None:
    """Each turn of the burst has its share of the recalls."""
    block = made(BurstThenSilence(burst_turns=turns, burst_recalls=3), start)
    recalls = block.touch_turn[block.touch_kind == 1] - 2
    assert recalls.max() < turns
    assert turns == 1 or even_p(recalls, turns) > LEAST_P


@over_seeds
def test_phases_of_resurfacing_fill_their_turns_alike(start: int) -> None:
    """Early recalls over their turns, late ones over theirs, from the return on; early and late are independent."""
    workload = EstablishSilenceResurface(establish_recalls=1, resurface_recalls=2)
    turns = made(workload, start).touch_turn.reshape(-1, 4)
    early, late = turns[:, 1] - 2, turns[:, 3] - turns[:, 2] - 1
    assert even_p(early, 20) > LEAST_P
    assert even_p(late, 20) > LEAST_P
    assert independent_p(early, late) > LEAST_P


@over_seeds
@pytest.mark.parametrize("within", [2, 75, 150])
def test_registrations_fall_in_every_turn_alike(start: int, within: int) -> None:
    """And those of two items of a session, and of neighbouring sessions, are independent."""
    turns = made(NeverRecalled(registered_within=within, noise_per_turn=0), start).touch_turn.reshape(-1, 3) - 1
    assert even_p(turns.ravel(), within) > LEAST_P
    assert independent_p(turns[:, 0], turns[:, 2]) > LEAST_P
    assert independent_p(turns[1:, 1], turns[:-1, 1]) > LEAST_P


@over_seeds
@pytest.mark.parametrize("exponent", [0.0, 0.8, 1.0, 2.5])
def test_recalls_follow_zipfs_law(start: int, exponent: float) -> None:
    """The share of each item, and the number of recalls of all together."""
    workload = ZipfRecalls(num_foundational=30, zipf_exponent=exponent, recalls_per_turn=0.2, noise_per_turn=0)
    recalls = recalls_of(made(workload, start), 30)
    weights = np.arange(1, 31) ** -exponent
    assert chi_square_p(recalls.sum(axis=0), weights / weights.sum() * recalls.sum()) > LEAST_P
    assert mass_p(recalls.sum(axis=1), poisson(149 * 0.2)) > LEAST_P


@over_seeds
@pytest.mark.parametrize(("scale", "exponent"), [(0.5, 0.64), (1.0, 2.0), (5.0, 1.0), (1e-3, 0.2)])
def test_gaps_follow_a_power_law(start: int, scale: float, exponent: float) -> None:
    """First gaps of items, up to the session's end; and the gap after it is independent of it."""
    workload = RecencyBiased(gap_scale=scale, gap_exponent=exponent, num_foundational=2, noise_per_turn=0)
    turns = items_of(made(workload, start), 0, 2)
    first = np.array([one[1] - 2 if len(one) > 1 else 149 for one in turns])

    def mass(k: int) -> float:
        end = 0.0 if k == 149 else (1 + (k + 1) / scale) ** -exponent
        return (1 + k / scale) ** -exponent - end

    assert mass_p(first, mass) > LEAST_P
    gaps = [
        (one[1] - one[0], one[2] - one[1]) for one in turns if len(one) > 2 and one[1] < 30 and one[2] - one[1] < 100
    ]
    one, other = (np.array(column) for column in zip(*gaps, strict=True))
    assert independent_p(one, other, cells=4) > LEAST_P


@over_seeds
@pytest.mark.parametrize(("period", "jitter"), [(12, 2), (10, 0), (40, 19)])
def test_periods_start_anywhere_and_shift_alike(start: int, period: int, jitter: int) -> None:
    """Without jitter the phase is uniform; with it the difference of two shifts has its triangle."""
    workload = Periodic(period_turns=period, period_jitter=jitter, num_foundational=2, noise_per_turn=0)
    turns = [one for item in (0, 1) for one in items_of(made(workload, start), item, 2)]
    if jitter == 0:
        phase = np.array([one[1] - 2 for one in turns])
        assert even_p(phase, period) > LEAST_P
        half = len(phase) // 2
        assert independent_p(phase[:half], phase[half:]) > LEAST_P
        return
    shift = np.array([one[3] - one[2] - period + 2 * jitter for one in turns])
    width = 2 * jitter + 1
    assert mass_p(shift, lambda k: max(0, width - abs(k - 2 * jitter)) / width**2) > LEAST_P


@over_seeds
def test_drifting_items_are_used_alike_while_in_use(start: int) -> None:
    """In any item's time, each turn after its first has its share."""
    workload = Drift(num_foundational=4, items_in_use=1, turns_per_shift=10, recalls_per_turn=0.3, session_length=40)
    for item in range(4):
        turns = np.concatenate([one[1:] for one in items_of(made(workload, start), item, 4)])
        assert even_p(turns - 10 * item - 2, 9) > LEAST_P


NOISE: dict[str, Any] = {"num_foundational": 0, "session_length": 60}


def noise_counts(workload: Workload, start: int) -> np.ndarray:
    """Return the noise items of every session and turn."""
    block = made(workload, start)
    session = np.repeat(np.arange(block.num_sessions), np.diff(block.item_start))
    turn = block.touch_turn[block.touch_start[:-1]] - 1
    return np.bincount(session * 60 + turn, minlength=block.num_sessions * 60).reshape(-1, 60)


@over_seeds
@pytest.mark.parametrize("mean", [0.2, 1.0, 3.5, 20.0])
def test_noise_is_poisson(start: int, mean: float) -> None:
    """In early and late turns, independent of every other turn and of the next session."""
    found = noise_counts(SteadyUse(noise_process="poisson", noise_per_turn=mean, **NOISE), start)
    for turn in (0, 59):
        assert mass_p(found[:, turn], poisson(mean)) > LEAST_P
    assert independent_p(found[:, 5], found[:, 6]) > LEAST_P
    assert independent_p(found[1:, 5], found[:-1, 5]) > LEAST_P
    correlations = np.corrcoef(found, rowvar=False)[np.triu_indices(60, 1)]
    assert abs(correlations).max() < 6 / math.sqrt(len(found))


@over_seeds
@pytest.mark.parametrize("share", [0.05, 0.5])
def test_bursts_of_noise_have_their_share(start: int, share: float) -> None:
    """A stretch is loud with that chance, independent of its neighbour, and loud turns are Poisson."""
    values = {"noise_per_turn": 10 * share, "noise_burst_share": share, "noise_burst_turns": 6}
    found = noise_counts(SteadyUse(noise_process="bursty", **values, **NOISE), start).reshape(-1, 10, 6)
    loud = found.sum(axis=2) > 0
    assert share_p(loud.ravel(), share * (1 - math.exp(-60))) > LEAST_P
    assert share_p(loud[:, 0] & loud[:, 1], share * share) > LEAST_P
    assert mass_p(found[loud][:, 2], poisson(10.0)) > LEAST_P


@over_seeds
@pytest.mark.parametrize(("chance", "gap"), [(0.3, 1.0), (0.8, 0.5), (0.5, 4.0)])
def test_noise_is_recalled_by_chance(start: int, chance: float, gap: float) -> None:
    """Of what is registered early: a first recall comes with the chance, after an exponential time."""
    values = {"noise_process": "poisson", "noise_per_turn": 0.3, "noise_recall_probability": chance}
    block = made(SteadyUse(noise_recall_gap=gap, **values, **NOISE), start)
    first = block.touch_start[:-1]
    early = block.touch_turn[first] <= 10
    recalled = np.diff(block.touch_start) > 1
    lost = math.exp(-50 / gap)  # a recall beyond the end
    assert share_p(recalled[early], chance * (1 - lost)) > LEAST_P or lost > 1e-5
    waits = (block.touch_turn[np.minimum(first + 1, len(block.touch_turn) - 1)] - block.touch_turn[first] - 1)[
        early & recalled
    ]
    assert mass_p(waits, lambda k: math.exp(-k / gap) * (1 - math.exp(-1 / gap))) > LEAST_P


def sized(start: int, **values: Any) -> tuple[SessionBlock, np.ndarray]:
    """Return sessions of two facts and some noise, and the importance of every item."""
    shape = {"num_foundational": 2, "session_length": 20, "noise_per_turn": 0.1, "noise_process": "poisson"}
    block = made(NeverRecalled(registered_within=5, **shape, **values), start)
    levels = np.array([round(100 * one.importance) for one in block.attributes])
    every = np.zeros(len(block.item_kind), dtype=np.int64) if block.item_attributes is None else block.item_attributes
    return block, levels[every]


@over_seeds
@pytest.mark.parametrize("kind", [0, 1])
def test_importance_is_uniform(start: int, kind: int) -> None:
    """All 101 levels alike, for facts and for noise; two facts of a session are independent."""
    block, levels = sized(start, importance_distribution="uniform")
    assert even_p(levels[block.item_kind == kind], 101) > LEAST_P
    facts = levels[block.item_kind == 1].reshape(-1, 2)
    assert independent_p(facts[:, 0], facts[:, 1]) > LEAST_P


@over_seeds
@pytest.mark.parametrize(("first", "second"), [(1, 3), (2, 2), (5, 1)])
def test_importance_is_beta(start: int, first: int, second: int) -> None:
    """Shapes are whole numbers here, for which the distribution function is a sum of binomial terms."""
    whole = first + second
    _, levels = sized(
        start, importance_distribution="beta", importance_mean=first / whole, importance_concentration=float(whole)
    )

    def below(x: float) -> float:
        x = min(max(x, 0.0), 1.0)
        return sum(math.comb(whole - 1, j) * x**j * (1 - x) ** (whole - 1 - j) for j in range(first, whole))

    assert mass_p(levels, lambda k: below((k + 0.5) / 100) - below((k - 0.5) / 100)) > LEAST_P


@over_seeds
def test_importance_follows_use_for_its_share(start: int) -> None:
    """Of facts never recalled, whose use says 0, so many have importance 0; the others are uniform."""
    block, levels = sized(start, importance_distribution="uniform", importance_follows_use=0.4)
    assert share_p(levels == 0, 0.4 + 0.6 / 101) > LEAST_P
    assert even_p(levels[levels > 0] - 1, 100) > LEAST_P
    assert block.num_sessions >= SESSIONS


@over_seeds
def test_categories_and_pins_have_their_shares(start: int) -> None:
    """And are independent of each other and of importance."""
    weights = (0.1, 0.2, 0.3, 0.4)
    block, levels = sized(start, category_weights=weights, pinned_share=0.3, importance_distribution="uniform")
    assert block.item_attributes is not None
    categories = ("fact", "assumption", "failure", "strategy")
    known = np.array([categories.index(one.category) for one in block.attributes])[block.item_attributes]
    pinned = np.array([one.pinned for one in block.attributes])[block.item_attributes]
    facts = block.item_kind == 1
    assert chi_square_p(np.bincount(known, minlength=4), np.array(weights) * len(known)) > LEAST_P
    assert share_p(pinned[facts], 0.3) > LEAST_P
    assert independent_p(known[facts], levels[facts]) > LEAST_P
    assert independent_p(known[facts], pinned[facts].astype(int)) > LEAST_P


@over_seeds
@pytest.mark.parametrize("distribution", ["lognormal", "pareto"])
@pytest.mark.parametrize("kind", [0, 1])
def test_sizes_follow_their_distributions(start: int, distribution: str, kind: int) -> None:
    """Sizes of thousands of tokens, mapped back through the distribution function; facts and noise apart."""
    block, _ = sized(start, token_distribution=distribution, token_size=10_000, token_spread=0.5)
    assert block.item_tokens is not None
    sizes = block.item_tokens[block.item_kind == kind].astype(float)
    sizes += np.random.default_rng(3).random(len(sizes)) - 0.5
    if distribution == "lognormal":
        fractions = np.array(
            [0.5 * math.erfc(-math.log(size / 10_000) / 0.5 / math.sqrt(2)) for size in sizes.tolist()]
        )
    else:
        fractions = np.clip(1 - (sizes / 10_000) ** -2.0, 0.0, 1.0)
    assert kolmogorov_p(fractions) > LEAST_P


@over_seeds
def test_size_importance_and_turn_are_independent(start: int) -> None:
    """What an item is like does not tell when it comes."""
    block, levels = sized(start, token_distribution="lognormal", token_size=1000, importance_distribution="uniform")
    assert block.item_tokens is not None
    turns = block.touch_turn[block.touch_start[:-1]]
    assert independent_p(block.item_tokens, levels) > LEAST_P
    assert independent_p(block.item_tokens, turns) > LEAST_P
    assert independent_p(levels, turns) > LEAST_P


@over_seeds
@pytest.mark.parametrize("weights", [(0.5, 0.5), (0.05, 0.95)])
def test_mixtures_have_their_shares(start: int, weights: tuple[float, float]) -> None:
    """The choice has its chance, is independent from seed to seed, and of what the chosen workload draws."""
    mixture = Mixture(["uniform_recalls(num_foundational=1)", "uniform_recalls(num_foundational=2)"], weights)
    block = made(mixture, start)
    second = np.diff(block.item_start) == 2
    assert share_p(second, weights[1]) > LEAST_P
    assert share_p(second[1:] & second[:-1], weights[1] ** 2) > LEAST_P / 10 or weights[1] > 0.9
    first_recall = block.touch_turn[block.touch_start[block.item_start[:-1]] + 1]
    assert independent_p(second.astype(int), first_recall, cells=4) > LEAST_P


PAIRS: list[tuple[Workload, Workload]] = [
    (UniformRecalls(num_foundational=1), BurstThenSilence(num_foundational=1, burst_turns=149)),
    (UniformRecalls(num_foundational=1), NeverRecalled(num_foundational=1)),
    (SteadyUse(num_foundational=1), ZipfRecalls(num_foundational=1, recalls_per_turn=0.1)),
    (SteadyUse(num_foundational=1, recalls_per_turn=0.5), Drift(num_foundational=1, turns_per_shift=150)),
    (BurstThenSilence(num_foundational=1), EstablishSilenceResurface(num_foundational=1, establish_recalls=4)),
    (
        RecencyBiased(num_foundational=1, gap_scale=20.0, gap_exponent=1.0),
        Periodic(num_foundational=1, period_turns=40),
    ),
]


@over_seeds
@pytest.mark.parametrize("pair", range(len(PAIRS)))
def test_workloads_are_independent_in_the_same_seed(start: int, pair: int) -> None:
    """The last touches of the first item, of two workloads that ask the generator for the same kind of thing."""
    last = [block.touch_turn[block.touch_start[1:] - 1] for block in (made(one, start) for one in PAIRS[pair])]
    number = min(map(len, last))
    assert independent_p(last[0][:number], last[1][:number]) > LEAST_P


def test_the_p_values_see_faults() -> None:
    """A missing turn, a wrong rate, a dependence and a wrong scale fall far below the limit; sound numbers do not."""
    draw = np.random.default_rng(9)
    numbers, other = draw.integers(0, 149, 20_000), draw.integers(0, 149, 20_000)
    assert even_p(numbers, 149) > 1e-3
    assert even_p(np.where(numbers == 148, 0, numbers), 149) < LEAST_P
    assert even_p(numbers + 1, 149) == 0.0
    counts = draw.poisson(3.0, 20_000)
    assert mass_p(counts, poisson(3.0)) > 1e-3
    assert mass_p(counts, poisson(3.2)) < LEAST_P
    assert independent_p(numbers, other) > 1e-3
    assert independent_p(numbers, numbers // 2 + other // 2) < LEAST_P
    assert share_p(numbers < 75, 75 / 149) > 1e-3
    assert share_p(numbers < 75, 0.55) < LEAST_P
    assert kolmogorov_p(draw.random(20_000)) > 1e-3
    assert kolmogorov_p(draw.random(20_000) ** 1.1) < LEAST_P
