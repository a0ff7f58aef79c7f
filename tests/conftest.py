"""What all tests share: how much Hypothesis draws, where kernels are kept, a fixture that compiles them."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

THOROUGH = bool(os.environ.get("VECDECAY_THOROUGH"))
THOROUGH_FACTOR = 50

# A verdict must not depend on how busy the machine is: neither a deadline nor the speed check fails a test.
settings.register_profile(
    "default",
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
    # The same source gives the same cases, and so the same verdict on every machine.
    derandomize=True,
)
settings.register_profile(
    "thorough",
    settings.get_profile("default"),
    # The long run is there to meet new cases each time; a failure prints the blob that plays it again.
    derandomize=False,
    max_examples=THOROUGH_FACTOR * settings.get_profile("default").max_examples,
)
settings.load_profile("thorough" if THOROUGH else "default")


def examples(count: int) -> int:
    """Return how many cases a test draws: ``count``, or 50 times as many where $VECDECAY_THOROUGH is set."""
    return THOROUGH_FACTOR * count if THOROUGH else count


def pytest_configure(config: pytest.Config) -> None:
    """Keep the kernels that tests compile beside pytest's own cache, not in the home folder."""
    folder = Path(config.rootpath, ".pytest_cache", "kernels")
    os.environ.setdefault("VECDECAY_CACHE_DIR", str(folder))  # the workers and the commands of tests inherit it


def pytest_addoption(parser: pytest.Parser) -> None:
    """Take --shard K/N: every N-th test from the K-th on, so that a large run is shared out among machines."""
    parser.addoption("--shard", default="1/1", metavar="K/N", help="run every N-th test from the K-th on")


@pytest.hookimpl(trylast=True)  # after tests were deselected by name and mark
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep this machine's share, and set no time limit for the large runs."""
    number, of = map(int, config.getoption("--shard").split("/"))
    others = [item for place, item in enumerate(items) if place % of != number - 1]
    if others:
        config.hook.pytest_deselected(items=others)
        items[:] = items[number - 1 :: of]
    for item in items:
        if any(item.iter_markers("thorough")) or any(item.iter_markers("torture")):
            item.add_marker(pytest.mark.timeout(0))


@pytest.fixture(scope="session")
def warm_kernels() -> None:
    """Compile both kernels once in this process, so that no test pays for it within what it measures."""
    import vecdecay as vd

    sessions = vd.PublishedSessions()
    for engine in ("horizon", "lockstep"):
        vd.simulate(sessions, [vd.Ebbinghaus(), vd.RecencyWindow()], seeds=range(2), engine=engine)


TORTURE = {
    "kill -9 at random instants": ("test_a_thousand_kills_at_random", "test_kill_at_many_random"),
    "death, power loss at every file operation": ("test_death_at_every_operation_with_more",),
    "100,000 histories of power loss": ("test_a_hundred_thousand_losses_of_power",),
    "every bit of ledger and manifest, 10,000 of a part": ("test_every_single_bit", "test_ten_thousand_changed_bits"),
    "100,000 damaged files": ("test_many_damaged_files",),
    "50 workers killed, gone or stopped": ("test_lost_workers_lose_nothing",),
    "randomness of workloads": ("test_sessions_randomness",),
    "peak memory foreseen within 15 %": ("test_peak_memory_of_more_shapes",),
}
"""What the torture run promises → names of its tests, or of their module."""


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Print a table of the torture run: what was promised, and how many of its tests passed, failed or did not run."""
    if config.option.markexpr != "torture":
        return
    found = {kind: terminalreporter.getreports(kind) for kind in ("passed", "failed", "error")}
    terminalreporter.section("torture")
    terminalreporter.write_line(f"{'':<52}{'passed':>8}{'failed':>8}{'seconds':>9}")
    for promise, names in TORTURE.items():
        own = {kind: [one for one in found[kind] if any(name in one.nodeid for name in names)] for kind in found}
        failed = len(own["failed"]) + len(own["error"])
        seconds = sum(one.duration for reports in own.values() for one in reports)
        counts = f"{len(own['passed']):>8}{failed:>8}{seconds:>9.0f}" if any(own.values()) else f"{'not run':>25}"
        terminalreporter.write_line(f"{promise:<52}{counts}")
