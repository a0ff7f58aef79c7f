"""``vecdecay bench``: the engines side by side in one process, and what each workload costs.

The engines play the headline sessions under both published policies; the workloads are played under one.
"""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

from vecdecay import __version__
from vecdecay.commands.screen import paragraph, show, table
from vecdecay.engines.memory import BYTES_PER_BLOCK, block_bytes
from vecdecay.engines.reference import engine_for, measure, run
from vecdecay.engines.registry import can_stream, play_block, stream
from vecdecay.errors import InvalidInputError
from vecdecay.numerals import count
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.policies.base import Policy
from vecdecay.run.blocks import BLOCK_MULTIPLE, LOCKSTEP_BLOCK
from vecdecay.run.simulate import simulate
from vecdecay.sessions import WORKLOADS, PublishedSessions
from vecdecay.sessions.workload import Workload
from vecdecay.threads import available_processors

WORKLOAD = PublishedSessions()
POLICIES: tuple[Policy, ...] = (Ebbinghaus(), RecencyWindow())
ROUNDS = 5
WORKLOAD_ROUNDS = 3
SECONDS_PER_WORKLOAD_ROUND = 0.1
MOST_SESSIONS = 100_000_000

# Shares of the sessions asked for, so that the engines take about as long as each other.
_REFERENCE_SHARE, _LOCKSTEP_SHARE = 20_000, 20
_FEWEST_REFERENCE_SESSIONS = 20


@dataclass(frozen=True)
class Contestant:
    """One way of playing the sessions of some seeds, and how many of them it is given in a round."""

    name: str
    threads: int
    sessions: int
    play: Callable[[range], object]


@dataclass(frozen=True)
class Throughput:
    """What a workload came to on one core: touches per session, and events per second of CPU time.

    ``touches`` counts what is listed touch by touch, ``events`` the registrations of noise in cohorts too.
    """

    touches_per_session: float
    touches: float
    events: float


def bench_command(sessions: int, workloads_only: bool = False) -> None:
    """Print what the engines take, unless only the workloads are asked for, and how fast each workload is played."""
    if not 1 <= sessions <= MOST_SESSIONS:
        raise InvalidInputError([f"--sessions {sessions}: allowed: an integer from 1 to {MOST_SESSIONS}"])
    if not workloads_only:
        _bench_engines(sessions)
        show("")
    show(*_workloads_opening(), "")
    workloads = [kind() for kind in WORKLOADS]
    show(*throughput_lines([workload.name for workload in workloads], [throughput_of(each) for each in workloads]))


def _bench_engines(sessions: int) -> None:
    """Time every engine over interleaved rounds, and print seconds per million sessions and the ratios."""
    show(*_opening(), "")
    contestants = contestants_for(sessions, available_processors())
    for one in contestants:
        one.play(range(min(one.sessions, 2)))  # kernels are compiled, tables built
    times: dict[str, list[float]] = {_key(one): [] for one in contestants}
    for number in range(ROUNDS):
        for one in contestants:
            times[_key(one)].append(_seconds(one, number))
    show(*result_lines(contestants, [median(times[_key(one)]) for one in contestants]))


def contestants_for(sessions: int, threads: int) -> list[Contestant]:
    """Return the scalar reference, then every engine with one thread and, where there are more, with all."""
    few = max(_FEWEST_REFERENCE_SESSIONS, sessions // _REFERENCE_SHARE)
    some = max(LOCKSTEP_BLOCK * threads, sessions // _LOCKSTEP_SHARE)
    several = sorted({1, threads})
    return [
        Contestant("scalar reference", 1, few, _play_reference),
        *(Contestant("lockstep, a row per item", n, some, _player("lockstep", n, True)) for n in several),
        *(Contestant("horizon table", n, sessions, _player("horizon", n, False)) for n in several),
        *(Contestant("simulate, a row per session", n, sessions, _simulate(n)) for n in several),
    ]


def result_lines(contestants: Sequence[Contestant], seconds: Sequence[float]) -> list[str]:
    """Return the table; ``seconds`` is what each took for its own number of sessions."""
    per_million = [time / one.sessions * 1e6 for one, time in zip(contestants, seconds, strict=True)]
    rows = [
        [one.name, str(one.threads), f"{one.sessions:,}", _three_figures(cost), f"{per_million[0] / cost:,.0f}"]
        for one, cost in zip(contestants, per_million, strict=True)
    ]
    header = ["engine", "threads", "sessions\nper round", "seconds per\nmillion sessions", "times the\nreference"]
    return table(header, rows)


def throughput_of(workload: Workload) -> Throughput:
    """Generate and play fresh sessions of the workload on this thread, and return the medians of some rounds."""
    policy = POLICIES[0]
    bytes_per_session = block_bytes(workload.sizes(), 1, False, False, False)
    step = max(1, min(BLOCK_MULTIPLE, BYTES_PER_BLOCK // bytes_per_session))
    play_block(workload.block(range(64)), policy)  # kernels are compiled, every part of a mixture met, tables built
    rounds = []
    first = 0
    for _ in range(WORKLOAD_ROUNDS):
        num_sessions = num_touches = num_events = 0
        started = seconds = time.thread_time()
        while num_sessions == 0 or seconds - started < SECONDS_PER_WORKLOAD_ROUND:
            block = workload.block(range(first, first + step))
            play_block(block, policy)
            first += step
            num_sessions += step
            num_touches += len(block.touch_turn)
            num_events += len(block.touch_turn) + block.cohort_items * step
            seconds = time.thread_time()
        rounds.append((num_touches / num_sessions, num_touches / (seconds - started), num_events / (seconds - started)))
    return Throughput(*(median(figures) for figures in zip(*rounds, strict=True)))


def throughput_lines(names: Sequence[str], throughputs: Sequence[Throughput]) -> list[str]:
    """Return the table of workloads, in millions of events per second."""
    rows = [
        [name, f"{one.touches_per_session:,.1f}", f"{one.touches / 1e6:,.1f}", f"{one.events / 1e6:,.1f}"]
        for name, one in zip(names, throughputs, strict=True)
    ]
    header = [
        "workload",
        "touches per\nsession",
        "million touches\nper second",
        "million events with\nnoise per second",
    ]
    return table(header, rows)


def _workloads_opening() -> list[str]:
    text = (
        f"every workload with its own parameters, generated and played under {POLICIES[0].name} on one core, totals "
        f"per session kept; CPU time, medians of {count(WORKLOAD_ROUNDS, 'round')}; noise that is never touched again "
        "is played as a count and in the last column only"
    )
    return paragraph(text)


def _opening() -> list[str]:
    text = (
        f"vecdecay {__version__}: the published headline sessions under "
        f"{' and '.join(policy.name for policy in POLICIES)}, generated anew each time; medians of "
        f"{count(ROUNDS, 'interleaved round')}"
    )
    return paragraph(text)


def _key(one: Contestant) -> str:
    return f"{one.name}/{one.threads}"


def _seconds(one: Contestant, number: int) -> float:
    seeds = range(number * one.sessions, (number + 1) * one.sessions)
    started = time.perf_counter()
    one.play(seeds)
    return time.perf_counter() - started


def _play_reference(seeds: range) -> None:
    for seed in seeds:
        session = WORKLOAD.session(seed)
        for policy in POLICIES:
            measure(run(engine_for(policy), session))


def _player(engine: str, threads: int, want_items: bool) -> Callable[[range], None]:
    """Return a function that plays seeds block by block and drops what came of them."""
    step = LOCKSTEP_BLOCK if want_items else BLOCK_MULTIPLE

    def play_one(seeds: range) -> None:
        if not want_items and can_stream(WORKLOAD, POLICIES, engine, "sessions", ()):
            for _ in stream(WORKLOAD, seeds, POLICIES):
                pass
            return
        block = WORKLOAD.block(seeds)
        for policy in POLICIES:
            play_block(block, policy, engine, want_items=want_items, reuse=True)

    def play(seeds: range) -> None:
        blocks = [seeds[first : first + step] for first in range(0, len(seeds), step)]
        if threads == 1:
            for block in blocks:
                play_one(block)
            return
        with ThreadPoolExecutor(threads) as executor:
            for _ in executor.map(play_one, blocks):
                pass

    return play


def _simulate(threads: int) -> Callable[[range], object]:
    return lambda seeds: simulate(WORKLOAD, POLICIES, seeds, threads=threads)


def _three_figures(value: float) -> str:
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.3f}"
