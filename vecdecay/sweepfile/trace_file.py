"""The log of a sweep: read as the table [trace] says, known by its digest, and kept in the folder of a run."""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vecdecay.errors import InvalidInputError
from vecdecay.own_file import SOURCES_NAME
from vecdecay.parameters import printable
from vecdecay.sweepfile.problems import Findings

if TYPE_CHECKING:
    from vecdecay.sessions.trace import Trace
    from vecdecay.sessions.trace_rules import TraceRules
    from vecdecay.sweepfile.tables import TraceTable

_TABLE = "trace"

MOST_VARIANTS = 4
"""Traces of a log that are kept under rules of axes, beside the one under its own."""


@dataclass(frozen=True)
class TraceFile:
    """A log as a sweep names it: ``path`` as written, ``sha256`` of its content, and the other arguments of ``read``.

    ``found`` is where it was read. In a stored sweep, ``asked_sha256`` is what the log had when the sweep was run.
    """

    path: str
    sha256: str
    options: tuple[tuple[str, Any], ...]
    found: Path
    asked_sha256: str

    def options_of_read(self) -> dict[str, Any]:
        """Return the arguments of ``Trace.read`` but the path."""
        return {name: dict(value) if name == "columns" else value for name, value in self.options}

    def table(self) -> dict[str, Any]:
        """Return the table of a sweep file, without what is left to be found out."""
        kept = {name: value for name, value in self.options_of_read().items() if value is not None}
        return {"path": self.path, "file_sha256": self.asked_sha256 or self.sha256, **kept}

    def copy(self) -> dict[str, bytes]:
        """Return the log as a file of a run folder: relative name and content.

        Raises:
            InvalidInputError: the log is not as it was read any more.
        """
        content = _content(self.found)
        if content is None or hashlib.sha256(content).hexdigest() != self.sha256:
            raise InvalidInputError([f"{printable(str(self.found))} has changed while it was read; start again"])
        return {_copy_name(self.sha256, self.path): content}

    def changed(self) -> list[str]:
        """Return a line if the log is not that of the stored sweep."""
        if self.asked_sha256 in ("", self.sha256):
            return []
        return [
            f"{printable(self.path)} has changed since this sweep was run (SHA-256 {self.asked_sha256[:12]}… then, "
            f"{self.sha256[:12]}… now): put the old content back, or run the sweep anew into another folder"
        ]


def read_trace(
    table: "TraceTable", findings: Findings, folders: Sequence[Path]
) -> tuple["Trace | None", TraceFile | None]:
    """Return the trace of a sweep, and the log that it was read from; both None on a mistake.

    A copy in one of the folders comes first where a digest is given; then the path from each folder and from here.
    """
    asked = table.file_sha256 or ""
    options = table.model_dump(exclude={"path", "file_sha256"})
    copies = [folder / _copy_name(asked, table.path) for folder in folders if asked]
    tried = list(dict.fromkeys([*copies, *(Path(folder, table.path) for folder in (*folders, Path()))]))
    found = next((path for path in tried if path.is_file()), None)
    if found is None:
        places = " and ".join(printable(str(path.absolute())) for path in tried if path not in copies)
        findings.add((_TABLE, "path"), f"no file {printable(table.path)}; tried {places}")
        return None, None
    try:
        content = _content(found)
        from vecdecay.sessions.trace import Trace  # which a sweep over a workload does without

        trace = Trace.read(found, **options)
    except InvalidInputError as error:
        for line in error.problems:
            findings.add((_TABLE,), line)
        return None, None
    kept = tuple((name, tuple(value.items()) if name == "columns" else value) for name, value in options.items())
    file = TraceFile(table.path, hashlib.sha256(content or b"").hexdigest(), kept, found.absolute(), asked)
    trace.reads_again = _Variants(trace, file)
    return trace, file


class _Variants:
    """The log of a sweep under other rules: read when they are asked for, the last few kept while the first is."""

    def __init__(self, first: "Trace", file: TraceFile) -> None:
        self.first, self.file = first, file
        self.held: OrderedDict[TraceRules, Trace] = OrderedDict()
        self.lock = threading.Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return _Variants, (self.first, self.file)

    def __call__(self, rules: "TraceRules") -> "Trace":
        """Return the trace under these rules; InvalidInputError where the log does not go with them."""
        if rules == self.first.rules:
            return self.first
        with self.lock:
            if rules not in self.held:
                self.held[rules] = self._read(rules)
            self.held.move_to_end(rules)
            while len(self.held) > MOST_VARIANTS:
                self.held.popitem(last=False)
            return self.held[rules]

    def _read(self, rules: "TraceRules") -> "Trace":
        """Return a trace that shares what one of those held has read, or read the log."""
        for known in (self.first, *self.held.values()):
            if replace(rules, on_miss=known.rules.on_miss) == known.rules:
                return known.with_rules(rules)
        self.file.copy()  # which sees whether it is the same
        read = type(self.first).read(self.file.found, **{**self.file.options_of_read(), **rules.values()})
        if not read.has_sessions_of(self.first):
            raise InvalidInputError([f"{printable(self.file.path)}: has other sessions under the rules {rules.text()}"])
        return read


def _copy_name(sha256: str, path: str) -> str:
    return f"{SOURCES_NAME}/{sha256[:16]}/{Path(path).name}"


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except (OSError, ValueError) as error:
        raise InvalidInputError([f"{printable(str(path))} cannot be read: {error}"]) from None
