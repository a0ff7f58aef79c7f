"""``vecdecay bench``: the engines side by side in one process, on the headline sessions and both published policies."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from statistics import median

from vecdecay import __version__
from vecdecay.commands.numerals import count
from vecdecay.commands.screen import paragraph, show, table
from vecdecay.engines.play import can_stream, play_block, stream
from vecdecay.engines.reference import engine_for, measure, run
from vecdecay.errors import InvalidInputError
from vecdecay.policies import Ebbinghaus, RecencyWindow
from vecdecay.policies.base import Policy
from vecdecay.sessions import PublishedSessions
from vecdecay.simulation import LOCKSTEP_SESSIONS_PER_BLOCK, SESSIONS_PER_BLOCK, simulate
from vecdecay.threads import available_processors

WORKLOAD = PublishedSessions()
POLICIES: tuple[Policy, ...] = (Ebbinghaus(), RecencyWindow())
ROUNDS = 5
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


def bench_command(sessions: int) -> None:
    """Time every engine over interleaved rounds, and print seconds per million sessions and the ratios."""
    if not 1 <= sessions <= MOST_SESSIONS:
        raise InvalidInputError([f"--sessions {sessions}: allowed: an integer from 1 to {MOST_SESSIONS}"])
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
    some = max(LOCKSTEP_SESSIONS_PER_BLOCK * threads, sessions // _LOCKSTEP_SHARE)
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
    step = LOCKSTEP_SESSIONS_PER_BLOCK if want_items else SESSIONS_PER_BLOCK

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
