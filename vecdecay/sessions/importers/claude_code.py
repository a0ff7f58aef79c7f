"""Transcripts of Claude Code: folders of JSON Lines files, a line per message.

An item is a path that a tool read, edited, wrote, searched or listed; a turn is a message of the assistant, whose lines
share one id. A session that was resumed or checkpointed is repeated in later files: each line counts once, by its
uuid. Nothing but paths, times and ids is taken; no text of any message.
"""

import datetime as dt
import hashlib
import json
import os
import secrets
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from vecdecay.errors import InvalidInputError
from vecdecay.sessions.trace_values import rows_text

_PATHS = ("file_path", "notebook_path", "path")
"""Where the tools that touch files say which one."""

_SCHEMA = pa.schema(
    {
        "session": pa.string(),
        "turn": pa.int32(),
        "time": pa.timestamp("us", "UTC"),
        "item": pa.string(),
        "compactions": pa.int32(),
    }
)


def read_claude_code(folder: str | os.PathLike[str], anonymise: bool = False) -> tuple[pa.Table, list[str]]:
    """Return the touches of files in all transcripts below a folder, and notes on what was found.

    The table has a row per touch: session, turn, time (null where a line has none), item, and ``compactions``, the
    number of times that the session's context was compacted before. With ``anonymise``, sessions and items are hashes
    with a key that is kept nowhere.

    Raises:
        InvalidInputError: there is no transcript, or none in which a file is touched.
    """
    paths = sorted(Path(folder).rglob("*.jsonl"))
    if not paths:
        raise InvalidInputError([f"{os.fspath(folder)}: no transcripts; allowed: a folder with files *.jsonl"])
    reading = _Reading()
    for path in paths:
        reading.add(path)
    if not reading.rows:
        raise InvalidInputError([f"{os.fspath(folder)}: no file is touched in {len(paths):,} transcripts"])
    # Sessions side by side in several files are put together; inside, the order is that of the files.
    rows = sorted(reading.rows, key=lambda row: reading.sessions[row[0]])
    columns = [list(column) for column in zip(*rows, strict=True)]
    if anonymise:
        key = secrets.token_bytes(32)
        for place in (0, 3):
            columns[place] = [_hashed(name, key) for name in columns[place]]
    table = pa.table([pa.array(one, field.type) for one, field in zip(columns, _SCHEMA, strict=True)], schema=_SCHEMA)
    return table, [f"{len(paths):,} transcripts, {len(reading.sessions):,} sessions with messages", *reading.notes()]


def _hashed(name: str, key: bytes) -> str:
    return hashlib.blake2b(name.encode(errors="surrogatepass"), key=key, digest_size=12).hexdigest()


class _Reading:
    """What was read so far; a row is (session, turn, time, item, compactions)."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, int, dt.datetime | None, str, int]] = []
        self.sessions: dict[str, int] = {}
        self.messages: dict[str, dict[str, int]] = {}
        self.compactions: dict[str, int] = {}
        self.seen: set[str] = set()
        self.repeated = 0
        self.unreadable: list[str] = []
        self.num_unreadable = 0

    def add(self, path: Path) -> None:
        """Read a transcript."""
        bad = []
        with path.open("rb") as file:
            for number, line in enumerate(file):
                if not line.strip():
                    continue
                try:
                    entry = json.loads(line)
                except (ValueError, RecursionError):
                    entry = None
                if isinstance(entry, dict):
                    self._entry(entry, path.stem)
                else:
                    bad.append(number)
        if bad:
            self.num_unreadable += len(bad)
            self.unreadable.append(f"{path.name} {rows_text(bad)}")

    def notes(self) -> list[str]:
        """Return what was left out, and what was marked."""
        listed = "; ".join(self.unreadable[:3]) + ("; …" if len(self.unreadable) > 3 else "")
        found = {
            f"{self.num_unreadable:,} lines left out, which are no JSON objects: {listed}": self.num_unreadable,
            f"{self.repeated:,} lines that repeat an earlier one left out": self.repeated,
            f"{sum(self.compactions.values()):,} compactions": self.compactions,
        }
        return [text for text, number_of in found.items() if number_of]

    def _entry(self, entry: dict[str, Any], stem: str) -> None:
        uuid = entry.get("uuid")
        if isinstance(uuid, str):
            if uuid in self.seen:
                self.repeated += 1
                return
            self.seen.add(uuid)
        name = entry.get("sessionId")
        session = name if isinstance(name, str) else stem
        if entry.get("subtype") == "compact_boundary":
            self.compactions[session] = self.compactions.get(session, 0) + 1
        message = entry.get("message")
        if entry.get("type") != "assistant" or not isinstance(message, dict):
            return
        self.sessions.setdefault(session, len(self.sessions))
        messages = self.messages.setdefault(session, {})
        turn = messages.setdefault(str(message.get("id") or uuid or len(messages)), len(messages) + 1)
        for item in _touched(message.get("content")):
            self.rows.append((session, turn, _time(entry.get("timestamp")), item, self.compactions.get(session, 0)))


def _touched(content: Any) -> Iterator[str]:
    """Yield the paths that the tools of a message are given."""
    for block in content if isinstance(content, list) else ():
        given = block.get("input") if isinstance(block, dict) and block.get("type") == "tool_use" else None
        if isinstance(given, dict):
            yield from (
                given[key].encode(errors="replace").decode()
                for key in _PATHS
                if isinstance(given.get(key), str) and given[key]
            )


def _time(text: Any) -> dt.datetime | None:
    try:
        moment = dt.datetime.fromisoformat(text)
        return moment.astimezone(dt.UTC) if moment.tzinfo else moment.replace(tzinfo=dt.UTC)
    except (TypeError, ValueError, OverflowError):
        return None
