"""Every screen at 50, 80 and 200 columns, in a pipe and with an encoding that knows ASCII only."""

import shlex
from pathlib import Path

import pytest
from command_line import small_sweep, type_in

from vecdecay.cli import app
from vecdecay.sessions.importers import IMPORTERS

WIDTHS = (50, 80, 200)
ONE_LINE = ("report", "check", "verify", "merge")
"""Commands whose screens have little to wrap: the narrowest width is asked of them only."""

GRID = """
[[policy]]
kind = "keep_all"
[[axis]]
parameter = "ebbinghaus.eviction_threshold"
linspace = { from = 0.05, to = 0.6, count = 11 }
[[axis]]
parameter = "workload.noise_per_turn"
range = { from = 0, to = 3 }
"""
ZIP = """
[[axis]]
parameter = "ebbinghaus.eviction_threshold"
values = [0.1, 0.2]
[[axis]]
parameter = "ebbinghaus.baseline_stability"
values = [8.1234567, 8.1234568]
[[axis]]
parameter = "ebbinghaus.reinforcement_gain"
values = [0.5, 1.0]
[[axis]]
parameter = "workload.noise_per_turn"
values = [1, 2]
[[axis]]
parameter = "workload.recalls_per_foundational"
values = [3, 4]
"""
LOG = "session,turn,item\na,1,x\na,4,x\nb,2,y\nb,90,y\n"

SCREENS = [
    "",
    *(f"{name} --help" for name in app if not name.startswith("-")),
    "run small.toml",
    "run grid.toml",
    "run zip.toml",
    "run grid.toml --dry-run",
    "results output/grid",
    "results output/small",
    "verify output/small --sample 5",
    "sql output/small 'select * from cells'",
    "run small.toml --shard 1/2 --output one",
    "run small.toml --shard 2/2 --output two",
    "results one",
    "merge one two --output both",
    "demo",
    "show recency_biased",
    "show drift --policy lru --policy 'fsrs6(eviction_threshold=0.8)'",
    "replay log.csv --policy lru",
    "compare recency_biased ebbinghaus recency_window --at '30 items' --seeds 9",
    "curve recency_biased recency_window --seeds 9",
    "front recency_biased recency_window lru --seeds 9",
    "recommend recency_biased recency_window lru --target 0.5 --seeds 20",
    "report output/small",
    "check recency_window --examples 2",
    "list",
    "list policies",
    "help",
    *(f"explain {name}" for name in ("ebbinghaus", "fsrs6", "sm2", "lru", "mixture", "hit_rate", "rhythms", "zip")),
    *(f"explain {name}" for name in ("seeds", "memory_bank_as_published", "survival_time_sum", "horizon", *IMPORTERS)),
]  # fmt: skip
"""What is typed, in the order in which it needs what came before."""


def too_wide(text: str, columns: int) -> list[str]:
    """Return lines that are wider than the screen, unless they hold one word, such as a path."""
    return [line for line in text.splitlines() if len(line) > columns and " " in line.strip()]


def test_no_screen_is_wider_than_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], warm_kernels: None
) -> None:
    """No line of any command at any width, no blanks at its end, and no character that ASCII cannot stand in for."""
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(LOG, "utf-8")
    for name, more in (("small", ""), ("grid", GRID), ("zip", ZIP)):
        text = (
            small_sweep(seeds=4, more=more.replace("{", "{{").replace("}", "}}")).replace("{{", "{").replace("}}", "}")
        )
        combine = 'combine = "zip"\n' if name == "zip" else ""
        Path(f"{name}.toml").write_text(text.replace('name = "small"', f'{combine}name = "{name}"'), "utf-8")
    problems = []
    for typed in SCREENS:
        for columns in WIDTHS[:1] if typed.startswith(ONE_LINE) else WIDTHS:
            monkeypatch.setenv("COLUMNS", str(columns))
            ending = type_in(capsys, *shlex.split(typed))
            assert ending.code == 0, (typed, ending.err)
            problems += [(typed, columns, line) for line in too_wide(ending.out, columns)]
            if "--help" not in typed and typed:
                problems += [(typed, "blanks", line) for line in ending.out.splitlines() if line != line.rstrip()]
        plain = ending.out.encode("ascii", "vecdecay.plain").decode()
        problems += [(typed, "ASCII", plain)] if plain.count("?") != ending.out.count("?") else []
    assert problems == []
    assert {typed.split()[0] for typed in SCREENS if typed} >= {name for name in app if not name.startswith("-")}
