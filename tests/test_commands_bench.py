"""``vecdecay bench``: engines and workloads in tables; figures are not judged, only that they are told rightly."""

import pytest
from command_line import type_in

from vecdecay.commands import bench
from vecdecay.commands.bench import (
    Contestant,
    Throughput,
    contestants_for,
    result_lines,
    throughput_lines,
    throughput_of,
)
from vecdecay.sessions import WORKLOADS, PublishedSessions, SteadyUse


def test_seconds_and_ratios_follow_from_the_times() -> None:
    """Each time divided by its own number of sessions; ratios against the first row."""
    contestants = [
        Contestant("scalar reference", 1, 50, print),
        Contestant("lockstep", 2, 10_000, print),
        Contestant("horizon table", 2, 1_000_000, print),
    ]
    assert result_lines(contestants, [0.25, 0.1, 0.2]) == [
        "                            sessions       seconds per  times the",
        "engine            threads  per round  million sessions  reference",
        "─────────────────────────────────────────────────────────────────",
        "scalar reference        1         50             5,000          1",
        "lockstep                2     10,000              10.0        500",
        "horizon table           2  1,000,000             0.200     25,000",
    ]


def test_all_engines_are_timed_with_one_thread_and_with_all() -> None:
    """On one processor each is timed once."""
    names = ["lockstep, a row per item", "horizon table", "simulate, a row per session"]
    found = [(one.name, one.threads) for one in contestants_for(1000, 4)]
    assert found == [("scalar reference", 1), *((name, threads) for name in names for threads in (1, 4))]
    assert [one.threads for one in contestants_for(1000, 1)] == [1, 1, 1, 1]


def test_every_contestant_plays_the_seeds_it_is_given(warm_kernels: None) -> None:
    """Also more than a block of them, on one thread and on two."""
    for one in contestants_for(1000, 2)[1:]:
        one.play(range(5000))
    contestants_for(1000, 1)[0].play(range(2))


class Stopwatch:
    """CPU time of which every look takes a quarter of a second."""

    def __init__(self) -> None:
        self.now = 0.0

    def thread_time(self) -> float:
        """Return the time."""
        self.now += 0.25
        return self.now


def test_events_per_second_follow_from_the_sessions_and_the_time(
    warm_kernels: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Blocks are played until the round's time is over; noise in cohorts counts as events, not as touches."""
    monkeypatch.setattr(bench, "time", Stopwatch())
    monkeypatch.setattr(bench, "SECONDS_PER_WORKLOAD_ROUND", 0.75)  # three blocks
    monkeypatch.setattr(bench, "BLOCK_MULTIPLE", 50)
    found = throughput_of(PublishedSessions())  # 15 touches a session, 3 registrations of noise in each of 150 turns
    assert found == Throughput(15.0, 150 * 15 / 0.75, 150 * 465 / 0.75)
    assert throughput_of(PublishedSessions(noise_per_turn=0)) == Throughput(15.0, 3000.0, 3000.0)


def test_every_round_plays_fresh_sessions(warm_kernels: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed after seed, none twice: a block that was just played would be in the processor's cache."""
    seeds: list[int] = []

    class Watched(SteadyUse):
        def block(self, asked: range) -> object:  # type: ignore[override]
            seeds.extend(asked)
            return super().block(asked)

    monkeypatch.setattr(bench, "SECONDS_PER_WORKLOAD_ROUND", 0.0)
    monkeypatch.setattr(bench, "BLOCK_MULTIPLE", 50)
    throughput_of(Watched())
    assert seeds == [*range(64), *range(50 * bench.WORKLOAD_ROUNDS)]


def test_throughputs_are_told_in_millions() -> None:
    """One digit after the point, aligned."""
    lines = throughput_lines(["drift", "mixture"], [Throughput(15, 82.6e6, 2561.5e6), Throughput(5796.7, 2e6, 2e6)])
    assert lines == [
        "          touches per  million touches  million events with",
        "workload      session       per second     noise per second",
        "───────────────────────────────────────────────────────────",
        "drift            15.0             82.6              2,561.5",
        "mixture       5,796.7              2.0                  2.0",
    ]


@pytest.fixture
def brief_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """One round, of one small block."""
    for name in ("ROUNDS", "WORKLOAD_ROUNDS"):
        monkeypatch.setattr(bench, name, 1)
    monkeypatch.setattr(bench, "SECONDS_PER_WORKLOAD_ROUND", 0.0)
    monkeypatch.setattr(bench, "LOCKSTEP_BLOCK", 50)
    monkeypatch.setattr(bench, "BLOCK_MULTIPLE", 50)


def test_the_workloads_alone(brief_rounds: None, capsys: pytest.CaptureFixture[str]) -> None:
    """Each workload once, in the order of the list, within 80 columns, and no engine."""
    ending = type_in(capsys, "bench", "--workloads")
    assert (ending.code, ending.err) == (0, "")
    lines = ending.out.splitlines()
    assert max(map(len, lines)) <= 80
    below = next(number for number, line in enumerate(lines) if line.startswith("───"))
    assert [line.split()[0] for line in lines[below + 1 :]] == [kind.name for kind in WORKLOADS]
    assert "reference" not in ending.out


def test_bench_prints_its_tables(
    warm_kernels: None, brief_rounds: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Aligned within 80 columns, reference first with ratio 1, workloads below, nothing on the standard error."""
    monkeypatch.setattr(bench, "WORKLOADS", (PublishedSessions,))
    ending = type_in(capsys, "bench", "--sessions", "1000")
    assert (ending.code, ending.err) == (0, "")
    lines = ending.out.splitlines()
    assert max(map(len, lines)) <= 80
    (reference,) = [line for line in lines if line.startswith("scalar reference")]
    assert reference.split()[-1] == "1"
    assert sum(line.startswith("horizon table") for line in lines) in (1, 2)
    assert lines[-1].startswith("published_sessions  ")


@pytest.mark.parametrize("sessions", ["0", "-1", "100000001"])
def test_a_senseless_number_of_sessions_is_refused(sessions: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit 2."""
    ending = type_in(capsys, "bench", f"--sessions={sessions}")
    assert (ending.code, ending.out) == (2, "")
    assert ending.complaints == [f"--sessions {sessions}: allowed: an integer from 1 to 100000000"]
