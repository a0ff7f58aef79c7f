"""Trajectories of SWE-agent (.traj): JSON, a step per action of the agent.

An item is a path that an action opens, edits, writes, searches, lists or runs; a turn is a step, a session a
trajectory. Actions are lines of SWE-agent's own commands (tools/windowed, tools/search and tools/edit_anthropic of
SWE-agent/SWE-agent) or of a shell; of a shell's, those arguments count that look like a path. ``edit`` and its like
touch the file that is open. Nothing is taken of observations, thoughts, and what is written into files.
"""

import json
import os
import posixpath
import shlex
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from vecdecay.sessions.importers.reading import Imported, Importer, LeftOut, Row, collected, json_of, refused, table_of

_FIRST = ("open", "create")
_SECOND = ("str_replace_editor", "search_file", "search_dir", "find_file")
"""Commands whose first, and whose second, argument is a path; the first of str_replace_editor says what it does."""

_OPEN_FILE = ("edit", "insert", "append", "goto", "scroll_up", "scroll_down", "set_cursors", "search_file")
"""Commands that touch the file that is open, where no argument names one."""

_SHELL: tuple[str, ...] = ("cat", "head", "tail", "less", "ls", "rm", "cp", "mv", "touch", "file", "grep", "sed")
_SHELL += ("python", "python3", "pytest", "bash", "sh", "node", "gcc")
_BETWEEN = ("&&", "||", "|", ";", "&")


def read_swe_agent(source: str | os.PathLike[str]) -> Imported:
    """Return the touches of files in a trajectory, or in all below a folder, and notes.

    The table has session, turn and item.
    """
    rows, notes = collected(source, (".traj",), _touches)
    sessions = len({row[0] for row in rows})
    found = f"{len(rows):,} touches of {len({row[2] for row in rows}):,} files in {sessions:,} trajectories"
    return table_of(rows, "session", "turn", "item"), [found, *notes]


def _touches(path: Path, name: str, left_out: LeftOut) -> list[Row]:
    rows: list[Row] = []
    opened = ""
    for number, step in enumerate(_steps(path)):
        action = step.get("action") if isinstance(step, dict) else None
        if not isinstance(action, str):
            left_out.add("steps left out, which hold no action", name, [number])
            continue
        folder, of_state = _state(step.get("state"))
        opened = of_state or opened
        touched = list(_paths(action, folder, opened))
        rows += [(name, number + 1, one) for one in touched]
        opened = touched[-1] if touched and action.startswith(_FIRST) else opened
    return rows


def _steps(path: Path) -> list[Any]:
    """Return the steps of a trajectory; a demonstration may have its history only, whose actions are the steps."""
    whole = json_of(path)
    steps = whole.get("trajectory", whole.get("history")) if isinstance(whole, dict) else None
    if not isinstance(steps, list):
        raise refused(path, "is no trajectory: there is no list trajectory or history in it")
    return steps if "trajectory" in whole else [one for one in steps if isinstance(one, dict) and "action" in one]


def _state(state: Any) -> tuple[str, str]:
    """Return the working folder and the open file, empty where the state has none; older states are texts of JSON."""
    if isinstance(state, str):
        try:
            state = json.loads(state)
        except (ValueError, RecursionError):
            state = None
    known = state if isinstance(state, dict) else {}
    folder, opened = (known.get(key) for key in ("working_dir", "open_file"))
    return (folder if isinstance(folder, str) else ""), (opened if isinstance(opened, str) and opened != "n/a" else "")


def _paths(action: str, folder: str, opened: str) -> Iterator[str]:
    """Yield the paths that the first line of an action names."""
    line = action.strip().partition("\n")[0]
    words = shlex.shlex(line, posix=True, punctuation_chars="&|;")
    words.whitespace_split, words.commenters = True, ""
    try:
        listed = list(words)
    except ValueError:  # a quotation that goes on in the next line
        listed = line.split()
    for between, one in groupby(listed, lambda word: word in _BETWEEN):
        if not between:
            command, *arguments = one
            if command == "cd" and arguments:
                folder = _whole(arguments[0], folder)
            yield from (_whole(path, folder) for path in _of_command(command, arguments, opened))


def _of_command(command: str, words: list[str], opened: str) -> Iterator[str]:
    arguments = [one for one in words if not one.startswith("-")]
    if command in _FIRST and arguments:
        yield arguments[0]
    elif command in _SECOND and len(arguments) > 1:
        yield arguments[1]
    elif command in _OPEN_FILE and opened:
        yield opened
    elif command in _SHELL:
        yield from (one for one in arguments if _looks_like_a_path(one))


def _looks_like_a_path(word: str) -> bool:
    ending = posixpath.splitext(word)[1]
    return not set("*?{") & set(word) and ("/" in word or (ending[1:].isalnum() and not ending[1:].isdigit()))


def _whole(path: str, folder: str) -> str:
    return posixpath.normpath(path if path.startswith("~") else posixpath.join(folder, path))


SWE_AGENT = Importer("swe-agent", "trajectories of SWE-agent (.traj): paths that actions touch", read_swe_agent)
