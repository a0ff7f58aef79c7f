"""``vecdecay bench``: the engines in one table; figures are not judged here, only that they are told rightly."""

import pytest
from command_line import type_in

from vecdecay.commands import bench
from vecdecay.commands.bench import Contestant, contestants_for, result_lines


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
        "----------------  -------  ---------  ----------------  ---------",
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


def test_bench_prints_its_table(
    warm_kernels: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Aligned within 80 columns, reference first with ratio 1, nothing on the standard error."""
    monkeypatch.setattr(bench, "ROUNDS", 1)
    monkeypatch.setattr(bench, "LOCKSTEP_SESSIONS_PER_BLOCK", 50)
    ending = type_in(capsys, "bench", "--sessions", "1000")
    assert (ending.code, ending.err) == (0, "")
    lines = ending.out.splitlines()
    assert max(map(len, lines)) <= 80
    (reference,) = [line for line in lines if line.startswith("scalar reference")]
    assert reference.split()[-1] == "1"
    assert sum(line.startswith("horizon table") for line in lines) in (1, 2)


@pytest.mark.parametrize("sessions", ["0", "-1", "100000001"])
def test_a_senseless_number_of_sessions_is_refused(sessions: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One line, exit 2."""
    ending = type_in(capsys, "bench", f"--sessions={sessions}")
    assert (ending.code, ending.out) == (2, "")
    assert ending.complaints == [f"--sessions {sessions}: allowed: an integer from 1 to 100000000"]
