"""How mistakes in a sweep file are worded: where, key, value, what is allowed; one line each, all of them together."""

import re
from collections.abc import Mapping

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, printable

MOST_PROBLEMS = 50
"""Mistakes that are listed; a file with more of them is not read line by line by anybody."""

_MOST_KEY_LENGTH = 60

KeyPath = tuple[str | int, ...]
"""Keys from the top of the file; an integer is the place in an array, counted from 0."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


def key_text(path: KeyPath) -> str:
    """Return a path as it is shown, with places counted from 1.

    >>> key_text(("policy", 1, "eviction_threshold"))
    'policy[2].eviction_threshold'
    """
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step + 1}]"
        else:
            bare = _BARE_KEY.fullmatch(step) and len(step) <= _MOST_KEY_LENGTH
            text += ("." if text else "") + (step if bare else brief(step))
    return text


class Findings:
    """The mistakes found so far. ``origins`` names the options of the command line that set a key, by path."""

    def __init__(self, where: str, origins: Mapping[KeyPath, str] | None = None) -> None:
        self._where = printable(where)
        self._origins = dict(origins or {})
        self._lines: list[str] = []
        self._concerned: set[KeyPath] = set()
        self._unlisted = False

    def __bool__(self) -> bool:
        """Tell whether there is a mistake."""
        return bool(self._lines)

    @property
    def full(self) -> bool:
        """Tell whether as many mistakes are listed as ever are; then a long list need not be checked to its end."""
        return len(self._lines) >= MOST_PROBLEMS

    def concern(self, path: KeyPath) -> bool:
        """Tell whether there is a mistake at a key, or in what it holds."""
        return path in self._concerned

    def add(self, path: KeyPath, text: str) -> None:
        """Note a mistake at a key; ``text`` says what is wrong and what is allowed."""
        self._concerned.update(path[: length + 1] for length in range(len(path)))
        key = key_text(path)
        self.add_line(f"{self._origin(path)}: {key}: {text}" if key else f"{self._origin(path)}: {text}")

    def add_line(self, line: str) -> None:
        """Note a mistake that is worded already."""
        if self.full:
            self._unlisted = True
        else:
            self._lines.append(line)

    def stop_if_any(self) -> None:
        """Raise InvalidInputError with every mistake, if there is one."""
        if self._unlisted:
            self._lines.append(f"{self._where}: and more mistakes than are listed here")
        if self._lines:
            raise InvalidInputError(self._lines)

    def _origin(self, path: KeyPath) -> str:
        """Return the option that set the key or a table around it, else the file."""
        for length in range(len(path), 0, -1):
            if path[:length] in self._origins:
                return self._origins[path[:length]]
        return self._where
