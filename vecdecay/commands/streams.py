"""Standard output and error that take every character and survive being closed; it loads nothing else."""

import codecs
import contextlib
import os
import sys

_PLAIN = {"≥": ">=", "≤": "<=", "–": "-", "…": "...", "×": "x", "−": "-", "→": "->", "·": ".", "µ": "u", "─": "-"}
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


def complain(*lines: str) -> None:
    """Print lines on the standard error, each as this program's; a closed one is no reason to fail."""
    with contextlib.suppress(OSError, ValueError):
        for line in lines:
            sys.stderr.write(f"vecdecay: {line}\n")
        sys.stderr.flush()


def finish_output() -> None:
    """Write out what is still held back, so that a full disk or a closed pipe is met now and not at the very end."""
    sys.stdout.flush()


def give_up_output() -> None:
    """Send what is still held back nowhere, so that the interpreter does not stumble over it at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
