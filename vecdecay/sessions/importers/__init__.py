"""From what people have on disk to a table that ``Trace.read`` takes: one file per format."""

import os
from typing import Any

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.sessions.importers.anki import ANKI
from vecdecay.sessions.importers.caffeine import CAFFEINE
from vecdecay.sessions.importers.claude_code import CLAUDE_CODE
from vecdecay.sessions.importers.fsrs import FSRS
from vecdecay.sessions.importers.libcachesim import LIBCACHESIM
from vecdecay.sessions.importers.locomo import LOCOMO
from vecdecay.sessions.importers.longmemeval import LONGMEMEVAL
from vecdecay.sessions.importers.mem0 import MEM0
from vecdecay.sessions.importers.openai_chat import OPENAI_CHAT
from vecdecay.sessions.importers.reading import Imported, anonymised
from vecdecay.sessions.importers.swe_agent import SWE_AGENT
from vecdecay.sessions.importers.your_memory import YOUR_MEMORY

_OF_AGENTS = (CLAUDE_CODE, SWE_AGENT, OPENAI_CHAT, MEM0, YOUR_MEMORY, LOCOMO, LONGMEMEVAL)
_OF_OTHERS = (ANKI, FSRS, LIBCACHESIM, CAFFEINE)

IMPORTERS = {one.name: one for one in (*_OF_AGENTS, *_OF_OTHERS)}
"""The formats, by the names under which ``vecdecay import`` knows them."""


def import_trace(kind: str, source: str | os.PathLike[str], anonymise: bool = False, **options: Any) -> Imported:
    """Return the events that a file or folder holds as a table that ``Trace.read`` takes, and notes on what was found.

    With ``anonymise``, the names of sessions and items are hashes, with a key that is kept nowhere.

    Raises:
        InvalidInputError: there is no such format, it takes no such option, or there is nothing to read in the source.
    """
    problems = format_problems(kind, options)
    if problems:
        raise InvalidInputError(problems)
    table, notes = IMPORTERS[kind].read(source, **options)
    return (anonymised(table) if anonymise else table), notes


def format_problems(kind: str, options: dict[str, Any]) -> list[str]:
    """Return a line per mistake in the name of a format and in its options."""
    if kind not in IMPORTERS:
        return [f"format is {brief(kind)}; allowed: {', '.join(IMPORTERS)}{did_you_mean(kind, IMPORTERS)}"]
    return [
        f"--{name.replace('_', '-')} is for {', '.join(who for who in IMPORTERS if name in IMPORTERS[who].options)}"
        for name in options
        if name not in IMPORTERS[kind].options
    ]
