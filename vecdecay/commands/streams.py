"""Standard output and error that take every character and survive being closed; it loads nothing else."""

import codecs
import contextlib
import io
import os
import sys
from collections.abc import Iterator
from typing import TextIO

_PLAIN = {
    "≥": ">=",
    "≤": "<=",
    "–": "-",
    "…": "...",
    "×": "x",
    "−": "-",
    "→": "->",
    "·": ".",
    "µ": "u",
    "±": "+-",
    "─": "-",
}
_PLAIN |= dict(zip("▁▂▃▄▅▆▇█", "_.-=+*%#", strict=True)) | dict(zip("░▒▓", ".+*", strict=True))


def _plain_characters(error: UnicodeError) -> tuple[str, int]:
    """Replace what a narrow encoding lacks by what comes nearest, where Python would stop the program."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    return "".join(_PLAIN.get(character, "?") for character in lacking), error.end


codecs.register_error("vecdecay.plain", _plain_characters)


def prepare_streams() -> None:
    """Let both streams print every character, also where the encoding knows few, and stand in for closed ones."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # open until the process ends
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="vecdecay.plain")


class _ToStandardError(io.TextIOBase):
    """Stands for the standard output while a person's code runs, which may print to it, close it or replace it."""

    def write(self, text: str) -> int:
        """Write the text to the standard error."""
        with contextlib.suppress(OSError, ValueError):
            sys.stderr.write(text)
        return len(text)

    def close(self) -> None:
        """Stay open."""


_output: list[TextIO] = []


@contextlib.contextmanager
def own_output() -> Iterator[None]:
    """Keep the standard output for the program's own lines; what else is printed goes to the standard error."""
    _output.append(sys.stdout)
    sys.stdout = _ToStandardError()
    try:
        yield
    finally:
        sys.stdout = _output.pop()


def output() -> TextIO:
    """Return the standard output."""
    return _output[-1] if _output else sys.stdout


def complain(*lines: str) -> None:
    """Print lines on the standard error, each as this program's; a closed one is no reason to fail."""
    with contextlib.suppress(OSError, ValueError):
        for line in lines:
            sys.stderr.write(f"vecdecay: {line}\n")
        sys.stderr.flush()


def finish_output() -> None:
    """Write out what is still held back, so that a full disk or a closed pipe is met now and not at the very end."""
    output().flush()


def give_up_output() -> None:
    """Send what is still held back nowhere, so that the interpreter does not stumble over it at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, output().fileno())
        os.close(nowhere)
