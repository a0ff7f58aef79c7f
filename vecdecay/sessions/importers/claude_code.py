"""Transcripts of Claude Code: folders of JSON Lines files, a line per message.

An item is a path that a tool read, edited, wrote, searched or listed; a turn is a message of the assistant, whose lines
share one id. A session that was resumed or checkpointed is repeated in later files: each line counts once, by its
uuid. Nothing but paths, times and ids is taken; no text of any message.
"""

import datetime as dt
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vecdecay.sessions.importers.reading import (
    Imported,
    Importer,
    LeftOut,
    files_of,
    json_lines_of,
    refused,
    table_of,
    time_of,
)

_PATHS = ("file_path", "notebook_path", "path")
"""Where the tools that touch files say which one."""


def read_claude_code(source: str | os.PathLike[str]) -> Imported:
    """Return the touches of files in a transcript, or in all below a folder, and notes on what was found.

    The table has a row per touch: session, turn, time (null where a line has none), item, and ``compactions``, the
    number of times that the session's context was compacted before.
    """
    paths = files_of(source, ".jsonl")
    reading = _Reading()
    for path in paths:
        reading.add(path)
    if not reading.rows:
        raise refused(Path(source), f"no file is touched in {len(paths):,} transcripts")
    # Sessions side by side in several files are put together; inside, the order is that of the files.
    rows = sorted(reading.rows, key=lambda row: reading.sessions[row[0]])
    table = table_of(rows, "session", "turn", "time", "item", "compactions")
    return table, [f"{len(paths):,} transcripts, {len(reading.sessions):,} sessions with messages", *reading.notes()]


class _Reading:
    """What was read so far; a row is (session, turn, time, item, compactions)."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, int, dt.datetime | None, str, int]] = []
        self.sessions: dict[str, int] = {}
        self.messages: dict[str, dict[str, int]] = {}
        self.compactions: dict[str, int] = {}
        self.seen: set[str] = set()
        self.repeated = 0
        self.left_out = LeftOut()

    def add(self, path: Path) -> None:
        """Read a transcript."""
        for entry in json_lines_of(path, self.left_out):
            self._entry(entry, path.stem)

    def notes(self) -> list[str]:
        """Return what was left out, and what was marked."""
        found = {
            f"{self.repeated:,} lines that repeat an earlier one left out": self.repeated,
            f"{sum(self.compactions.values()):,} compactions": self.compactions,
        }
        return self.left_out.notes() + [text for text, number_of in found.items() if number_of]

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
            self.rows.append((session, turn, time_of(entry.get("timestamp")), item, self.compactions.get(session, 0)))


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


CLAUDE_CODE = Importer("claude-code", "transcripts of Claude Code (.jsonl): paths that tools touch", read_claude_code)
