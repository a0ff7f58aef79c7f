"""Sweep files with every kind of damage: a sweep or lines, never a traceback, quickly and in little memory."""

import gc
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest
from sweep_texts import AXES, sweep_text

from vecdecay.errors import InvalidInputError
from vecdecay.run.plan import make_plan
from vecdecay.sweepfile.model import SweepSpec
from vecdecay.sweepfile.resolved import resolved_toml
from vecdecay.sweepfile.spec import load_sweep, parse_sweep
from vecdecay.sweepfile.toml_text import MOST_BYTES

MOST_SECONDS = 1.0
MOST_MEGABYTES = 300

POINTS = sweep_text(
    sweep='combine = "points"\nseeds = { first = -3, count = 9 }\nmetrics = ["misses"]\ncheckpoints = [50, 100]',
    rest='[[point]]\n"ebbinghaus.eviction_threshold" = 0.1\n[[point]]\nworkload.noise_per_turn = 5\n',
)
RANDOM = sweep_text(
    sweep='combine = "random"\nrandom_points = 9\nseeds = { list = [3, 1, 1180591620717411303424] }\ntitle = "ü"',
    curve='label = "c"',
    rest='[[axis]]\nparameter = "c.baseline_stability"\nlogspace = { from = 0.1, to = 10, count = 1000 }\n',
)
ORIGINALS = (sweep_text(rest=AXES), POINTS, RANDOM)

TOKENS = r"""
nan inf -inf -0.0 1e999 1e308 5e-324 1. .5 00 0 -1 1_000_000 10000000 0b1 0x7fffffffffffffff 9223372036854775808
true false '' "\u0000" "\U0010ffff" "\n" "a\u2028b" '''a''' = == . , ] [[ # \ é [] [[]] {} [1,2,3] [nan]
{from=0,to=1,count=1000000000000} {from=1,to=1000000000000} {from=0.1,to=0.2,count=3} {list=[1,1]}
{first=1,count=1000000000001}
2026-01-31 12:00:00 1979-05-27T07:32:00Z "cells" "grid" "zip" "points" "random" "workload.noise_per_turn"
"ebbinghaus.eviction_threshold" "c.baseline_stability"
"""
LONG_TOKENS = (
    "9" * 400,
    "9" * 5000,
    "0x" + "f" * 3000,
    "[" * 500 + "]" * 500,
    "{a=" * 200,
    "a." * 100 + "a",
    "x" * 3000,
)
NASTY = (*TOKENS.split(), "\N{LINE SEPARATOR}", "\t", *LONG_TOKENS)

LINES = """
[[axis]]
[[point]]
[[policy]]
[sweep]
[workload]
[a.b]
schema = 1
kind = "keep_all"
label = "workload"
parameter = "x"
values = [1]
range = { from = 1, to = 9 }
linspace = { from = 0.1, to = 0.9, count = 10000000 }
noise_per_turn = 2
seeds = 1
combine = "zip"
window_size = 3
"a.b" = 1
a.b.c = 1
x = 1
checkpoints = [1]
recall_jitter_range = [2, 1]
""".strip().split("\n")


def by_grammar(text: str, chance: random.Random) -> bytes:
    """Return the text with tokens replaced and lines repeated, dropped, moved and added."""
    for _ in range(chance.randint(1, 4)):
        lines = text.split("\n")
        place = chance.randrange(len(lines))
        change = chance.randrange(6)
        if change == 0:
            lines.insert(chance.randrange(len(lines)), lines[place])
        elif change == 1:
            del lines[place]
        elif change == 2:
            lines.insert(place, chance.choice(LINES))
        elif change == 3:
            lines.append(chance.choice(LINES) + "\n" + chance.choice(LINES))
        else:
            key, equals, value = lines[place].partition("=")
            tokens = value.split(" ")
            tokens[chance.randrange(len(tokens))] = chance.choice(NASTY)
            lines[place] = f"{key}{equals or ' = '}{' '.join(tokens)}"
        text = "\n".join(lines)
    return text.encode()


def by_bytes(text: str, chance: random.Random) -> bytes:
    """Return the text with bytes changed, dropped, doubled, cut off and put in."""
    content = bytearray(text.encode())
    for _ in range(chance.randint(1, 6)):
        place = chance.randrange(len(content))
        change = chance.randrange(6)
        if change == 0:
            content[place] = chance.randrange(256)
        elif change == 1:
            content[place] ^= 1 << chance.randrange(8)
        elif change == 2:
            del content[place : place + chance.randint(1, 30)]
        elif change == 3:
            content[place:place] = chance.choice(NASTY).encode()
        elif change == 4:
            content[place:place] = content[place : place + chance.randint(1, 99)]
        elif chance.randrange(4) == 0:
            del content[place:]
        content = content or bytearray(b"a")
    return bytes(content)


def loaded(path: Path) -> tuple[SweepSpec | None, tuple[str, ...]]:
    """Return the sweep, or the lines that are said of the file."""
    try:
        return load_sweep(path), ()
    except InvalidInputError as error:
        return None, error.problems


def outcome(content: bytes, path: Path) -> str:
    """Load a file and check what comes of it; return "accepted" or "refused". Time is that of the processor.

    What earlier tests left in memory is not the loader's: the garbage collector does not look at it. A neighbour on the
    same core slows the processor down too, so that a slow load is tried again.
    """
    path.write_bytes(content)
    gc.freeze()
    took = []
    while not took or (took[-1] >= MOST_SECONDS and len(took) < 3):
        start = time.process_time()
        spec, lines = loaded(path)
        took.append(time.process_time() - start)
    assert min(took) < MOST_SECONDS
    if spec is None:
        assert lines
        assert len(set(lines)) == len(lines)
        assert all(line.startswith(f"{path}: ") and line.isprintable() and len(line) < 1000 for line in lines)
        return "refused"
    plan = make_plan(spec)
    assert plan.cell(0).number == 0
    assert plan.cell(plan.num_cells - 1).point == plan.num_points - 1
    assert parse_sweep(resolved_toml(spec)).digest == spec.digest
    assert time.process_time() - start < 3 * MOST_SECONDS
    return "accepted"


def check_mutants(folder: Path, seeds: range) -> None:
    """Load one mutant for each seed, by grammar and by bytes in turn, and see that both outcomes occur."""
    met = {
        outcome((by_bytes if seed % 2 else by_grammar)(ORIGINALS[seed % 3], random.Random(seed)), folder / "a.toml")
        for seed in seeds
    }
    assert met == {"accepted", "refused"}


def test_damaged_files_are_refused_in_lines(tmp_path: Path) -> None:
    """1,000 mutants of three files."""
    check_mutants(tmp_path, range(1000))


@pytest.mark.torture
def test_many_damaged_files_are_refused_in_lines(tmp_path: Path) -> None:
    """100,000 more."""
    check_mutants(tmp_path, range(1000, 101_000))


def test_the_originals_are_sound(tmp_path: Path) -> None:
    """What is damaged above is accepted when it is not."""
    assert {outcome(text.encode(), tmp_path / "a.toml") for text in ORIGINALS} == {"accepted"}


def excesses() -> dict[str, str]:
    """Return files as large as is allowed, each crowded with one thing."""
    room = MOST_BYTES - 600
    axis = "[[axis]]\nparameter = 'ebbinghaus.baseline_stability'\nvalues = ["
    spaced = "[[axis]]\nparameter = '{}'\nlinspace = {{ from = 0.1, to = 0.9, count = 1000000 }}\n"
    return {
        "unknown keys": "".join(f"{number:x} = []\n" for number in range(room // 11)),
        "tables": "".join(f"[{number:x}]\n" for number in range(room // 9)),
        "axes": sweep_text(rest="[[axis]]\n" * (room // 9)),
        "policies": sweep_text(rest="[[policy]]\n" * (room // 11)),
        "points": sweep_text(sweep="combine = 'points'", rest="[[point]]\n" * (room // 10)),
        "wrong points": sweep_text(sweep="combine = 'points'", rest="[[point]]\nebbinghaus.a = 1\n" * 9000),
        "long points": sweep_text(
            sweep="combine = 'points'", rest="[[point]]\nebbinghaus.baseline_stability = 1e9\n" * (room // 49)
        ),
        "empty lists": sweep_text(sweep="x = [" + "[]," * (room // 3) + "]"),
        "equal values": sweep_text(rest=axis + "1e9," * (room // 4) + "]"),
        "wrong values": sweep_text(rest=axis + "[]," * (room // 3) + "]"),
        "long values": sweep_text(sweep="combine = 'zip'", rest=axis + "1e9," * (room // 4) + "]"),
        "equal seeds": sweep_text(sweep="seeds = { list = [" + "1," * (room // 2) + "] }"),
        "metrics": sweep_text(sweep="metrics = [" + "'misse'," * (room // 8) + "]"),
        "a long key": "a" * room + " = 1",
        "a dotted key": "a." * (room // 2) + "a = 1",
        "dots between quotes": ("'a'.b." * 3 + "'\n") * (room // 20),
        "quotes": "'" * room,
        "brackets": "a = " + "[" * room,
        "inline tables": "a = " + "{a=" * (room // 3),
        "digits": "a = " + "1" * room,
        "hexadecimal digits": "a = 0x" + "f" * room,
        "digits after the point": sweep_text(curve="eviction_threshold = 0." + "1" * room),
        "a long text": sweep_text(sweep=f"note = '{'a' * room}'"),
        "cells": sweep_text(
            rest=spaced.format("ebbinghaus.eviction_threshold") + spaced.format("recency_window.window_size")
        ),
        "too many bytes": "#" * (4 * MOST_BYTES),
    }


@pytest.mark.parametrize("name", excesses())
def test_crowded_files_are_refused_quickly(name: str, tmp_path: Path) -> None:
    """The most of one thing that fits into a file takes less than a second of the processor."""
    expected = "accepted" if name == "digits after the point" else "refused"
    assert outcome(excesses()[name].encode(), tmp_path / "a.toml") == expected


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads Linux's /proc")
def test_crowded_files_take_little_memory(tmp_path: Path) -> None:
    """All of them in one process of its own: below 300 MB with everything that is imported."""
    paths = []
    for number, text in enumerate(excesses().values()):
        paths.append(tmp_path / f"{number}.toml")
        paths[-1].write_text(text, "utf-8")
    code = (
        "import sys\nfrom pathlib import Path\nfrom vecdecay.errors import InvalidInputError\n"
        "from vecdecay.sweepfile.spec import load_sweep\n"
        "for path in sys.argv[1:]:\n    try:\n        load_sweep(path)\n    except InvalidInputError:\n        pass\n"
        # Not getrusage: Linux counts the memory of the process that started this one in its peak.
        "print(Path('/proc/self/status').read_text().partition('VmHWM:')[2].split()[0])"
    )
    command = [sys.executable, "-c", code, *map(str, paths)]
    peak = int(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert peak < MOST_MEGABYTES * 1024
