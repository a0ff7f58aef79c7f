"""Every screen at 50 and 200 columns in a pipe, and at 80 without colours where the encoding knows ASCII only."""

import re
import shlex
from pathlib import Path

import pytest
from command_line import small_sweep, type_in, type_in_plain

from vecdecay.cli import app
from vecdecay.sessions.importers import IMPORTERS

WIDTHS = (50, 80, 200)
ONE_LINE = ("report", "check", "verify", "merge", "new", "import", "sensitivity")
"""Commands whose screens have little to wrap, or that take long: the narrowest width is asked of them only."""
ELSEWHERE = {"schema", "completion", "bench"}
"""Commands that print for programs, and one that takes long, whose screens have a test of their own."""

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
NO_QUESTION = re.compile(r"(?<![a-z])\?|\?(?=\S)")
"""A question mark that ends no question stands for a character that ASCII lacks."""
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
    "why recency_biased --session 0 --item 1 --policy recency_window --policy lru",
    "sensitivity recency_biased --policy recency_window --samples 4 --seeds 5",
    "import libcachesim accesses.csv -o accesses.parquet --trace-params time-col=1,obj-id-col=2,has-header=false",
    "new policy gentle",
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
    """No line of any command at any width, no blanks at its end, no colours, and no character that ASCII lacks."""
    monkeypatch.chdir(tmp_path)
    Path("log.csv").write_text(LOG, "utf-8")
    Path("accesses.csv").write_text("1,7\n2,8\n3,7\n", "utf-8")
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
            words = shlex.split(typed)
            plain = columns == WIDTHS[1] or typed.startswith(ONE_LINE)
            ending = type_in_plain(capsys, monkeypatch, *words) if plain else type_in(capsys, *words)
            assert ending.code == 0, (typed, ending.err)
            problems += [(typed, columns, line) for line in too_wide(ending.out, columns)]
            if "--help" not in typed and typed:
                problems += [(typed, "blanks", line) for line in ending.out.splitlines() if line != line.rstrip()]
            problems += [(typed, "colour", ending.out)] if "\x1b" in ending.out else []
            problems += [
                (typed, "ASCII", line) for line in ending.out.splitlines() if plain and NO_QUESTION.search(line)
            ]
    assert problems == []
    shown = {typed.split()[0] for typed in SCREENS if typed and "--help" not in typed}
    assert shown | ELSEWHERE == {name for name in app if not name.startswith("-")}
