"""The sample trace ``sample``: invented sessions of a coding agent, to try ``replay`` on before one has a log.

The file beside this one is what :func:`sample_table` returns; a test makes it again and compares.
"""

import random
from pathlib import Path

import pyarrow as pa

SAMPLE_NAME = "sample"
SAMPLE_FILE = Path(__file__).with_name("sample.parquet")

_NUM_SESSIONS = 30
_FOLDERS = ("src", "tests", "docs", "notes")
_AGAIN, _REQUEST = 0.62, 0.08  # chances that a turn goes back to a recent file, and that it looks at the request


def sample_table() -> pa.Table:
    """Return the events of the sample, a row each: session, turn, item, tokens, category.

    In each session an agent reads files turn by turn. It mostly goes back to one that it read lately, now and then to
    the request of its user, which it read first, and else to a file that is new to it or long untouched.
    """
    stream = random.Random("vecdecay sample trace")
    rows: list[tuple[str, int, str, int, str]] = []
    for number in range(_NUM_SESSIONS):
        rows += _session(stream, f"session-{number:02d}")
    names = ("session", "turn", "item", "tokens", "category")
    types = (pa.string(), pa.int32(), pa.string(), pa.int32(), pa.string())
    columns = zip(*rows, strict=True)
    return pa.table({name: pa.array(one, kind) for name, one, kind in zip(names, columns, types, strict=True)})


def _session(stream: random.Random, name: str) -> list[tuple[str, int, str, int, str]]:
    files = [f"{stream.choice(_FOLDERS)}/file{number:03d}" for number in range(stream.randint(30, 90))]
    tokens = {file: 1 + int(400 * stream.paretovariate(1.3)) for file in files}
    rows = [(name, 1, "request", 150, "strategy")]
    lately = [stream.choice(files)]
    for turn in range(1, stream.randint(80, 260)):
        chance = stream.random()
        if chance < _REQUEST:
            rows.append((name, turn + 1, "request", 150, "strategy"))
            continue
        again = chance < _REQUEST + _AGAIN
        file = lately[-1 - min(int(stream.expovariate(0.35)), len(lately) - 1)] if again else stream.choice(files)
        rows.append((name, turn + 1, file, tokens[file], "fact"))
        lately.append(file)
    return rows


def trace_path(given: Path) -> Path:
    """Return the path of a log; that of the sample where it is called by its name and there is no such file."""
    return SAMPLE_FILE if str(given) == SAMPLE_NAME and not given.exists() else given
