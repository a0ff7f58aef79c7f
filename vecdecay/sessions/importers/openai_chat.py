"""Chat logs with tool calls, as the OpenAI API has them: JSON or JSON Lines.

A session is a conversation: a list of messages (objects with a ``role``), wherever it stands in the file; lines that
are messages themselves are one conversation, and one that the next repeats and goes on with is left out, as in a log of
requests. A turn is a message. Items stand at paths inside a message that the caller
names, such as ``tool_calls[].function.arguments.path``: names with dots between them; ``[]`` goes to every element of
a list, ``[0]`` to the first, ``*`` to every value of an object. Where a path goes on into a text, that text is read as
JSON, as the arguments of a call are. All paths share one set of names. Nothing else is kept.
"""

import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief
from vecdecay.sessions.importers.reading import (
    Imported,
    Importer,
    LeftOut,
    Row,
    bytes_of,
    collected,
    json_lines_of,
    json_of,
    refused,
    table_of,
)

Steps = tuple[str | int | None, ...]
"""A path: names, places in lists, None for every element, ``*`` for every value."""

_ARGUMENTS = "tool_calls[].function.arguments"
_PATH = re.compile(r"(?:[^.\[\]]+|\[\d{0,9}\])(?:\.[^.\[\]]+|\[\d{0,9}\])*")
_STEP = re.compile(r"\[(\d*)\]|([^.\[\]]+)")
_LONGEST_NAME = 500
_MOST_SHOWN = 8


def read_openai_chat(source: str | os.PathLike[str], item_path: Sequence[str] = ()) -> Imported:
    """Return the items of a log, or of all logs (.json, .jsonl) below a folder, and notes.

    The table has session, turn (a message each) and item. The first touch of an item registers it, later ones recall
    it.
    """
    paths = [item_path] if isinstance(item_path, str) else item_path
    seen: Counter[str] = Counter()
    read = partial(_touches, steps=[steps_of(one) for one in paths], seen=seen)
    try:
        rows, notes = collected(source, (".json", ".jsonl"), read)
    except InvalidInputError:
        if not seen:
            raise
        reason = f"there is nothing at {', '.join(paths)}" if paths else "name the items with --item-path"
        shown = ", ".join(f"{_ARGUMENTS}.{name} ({count:,})" for name, count in seen.most_common(_MOST_SHOWN))
        raise InvalidInputError([f"{os.fspath(source)}: {reason}; tool calls have {shown}"]) from None
    items, sessions = (len({row[place] for row in rows}) for place in (2, 0))
    found = f"{len(rows):,} touches of {items:,} items in {sessions:,} conversations"
    return table_of(rows, "session", "turn", "item"), [found, *notes]


def steps_of(path: str) -> Steps:
    """Return the steps of a path.

    Raises:
        InvalidInputError: it is none.

    >>> steps_of("tool_calls[].function.arguments.paths[0]")
    ('tool_calls', None, 'function', 'arguments', 'paths', 0)
    """
    if not isinstance(path, str) or not _PATH.fullmatch(path):
        allowed = f"names with dots between them, [] for every element, [0] for the first: {_ARGUMENTS}.path"
        raise InvalidInputError([f"--item-path is {brief(path)}; allowed: {allowed}"])
    return tuple(name or (int(place) if place else None) for place, name in _STEP.findall(path))


def values_at(value: Any, steps: Steps) -> Iterator[Any]:
    """Yield what stands at a path; of a list at its end, every element.

    >>> list(values_at({"call": [{"arguments": '{"path": "a.py"}'}]}, ("call", None, "arguments", "path")))
    ['a.py']
    """
    if not steps:
        yield from value if isinstance(value, list) else (value,)
        return
    step, rest, value = steps[0], steps[1:], _parsed(value)
    inside: Sequence[Any] = ()
    if isinstance(value, list) and not isinstance(step, str):
        inside = value if step is None else value[step : step + 1]
    elif isinstance(value, dict) and isinstance(step, str):
        inside = list(value.values()) if step == "*" else [value[step]] if step in value else ()
    for one in inside:
        yield from values_at(one, rest)


def _parsed(value: Any) -> Any:
    """Return what a text holds as JSON, None where it is none; anything else as it is."""
    try:
        return json.loads(value) if isinstance(value, str) else value
    except (ValueError, RecursionError):
        return None


def _touches(path: Path, name: str, left_out: LeftOut, steps: Sequence[Steps], seen: Counter[str]) -> list[Row]:
    """Return the touches in a file; ``seen`` counts the arguments that its tool calls have."""
    rows: list[Row] = []
    conversations: list[list[Any]] = []
    for messages in _conversations(path, left_out):
        # A log of requests has in each all messages before it.
        goes_on = bool(conversations) and messages[: len(conversations[-1])] == conversations[-1]
        left_out.count("conversations left out, which the next one repeats and continues", goes_on)
        conversations[len(conversations) - goes_on :] = [messages]
    if not conversations:
        raise refused(path, "there are no messages in it: no list of objects with a role")
    for number, messages in enumerate(conversations):
        session = f"{name}#{number + 1}" if len(conversations) > 1 else name
        for turn, message in enumerate(messages, start=1):
            for arguments in map(_parsed, values_at(message, steps_of(_ARGUMENTS))):
                seen.update(name for name in (arguments if isinstance(arguments, dict) else ()) if name.isprintable())
            for one in steps:
                for value in values_at(message, one):
                    if _is_name(value):
                        rows.append((session, turn, str(value)))
                    elif value is not None:
                        left_out.add("messages hold values that are no names, which are left out", session, [turn - 1])
    return rows


def _is_name(value: Any) -> bool:
    """Tell whether a value is a whole number, or a text of one line that is short enough to be a name."""
    if isinstance(value, str):
        return 0 < len(value) <= _LONGEST_NAME and value.isprintable()
    return isinstance(value, int) and not isinstance(value, bool)


def _conversations(path: Path, left_out: LeftOut) -> Iterator[list[Any]]:
    """Yield the lists of messages in a file, in its order."""
    waiting: list[Any]
    if path.suffix not in (".jsonl", ".ndjson") and not _holds_lines(path):
        waiting = [json_of(path)]
    else:
        lines = list(json_lines_of(path, left_out))
        messages = [one for one in lines if "role" in one]
        waiting = [messages, *(one for one in lines if "role" not in one)][::-1]
    while waiting:  # no recursion: files may be nested deeper than Python's stack
        value = waiting.pop()
        if isinstance(value, list) and any(isinstance(one, dict) and "role" in one for one in value):
            yield value
        elif isinstance(value, dict | list):
            waiting += reversed(list(value.values()) if isinstance(value, dict) else value)


def _holds_lines(path: Path) -> bool:
    """Tell whether the first two lines of a file are objects: JSON Lines, whatever the file is called."""
    first = bytes_of(path).split(b"\n", 2)[:2]
    return len(first) == 2 and all(isinstance(_parsed(one.decode(errors="replace")), dict) for one in first)


_SUMMARY = "chat logs with tool calls (.json, .jsonl): items at paths that you name"
OPENAI_CHAT = Importer("openai-chat", _SUMMARY, read_openai_chat, ("item_path",))
