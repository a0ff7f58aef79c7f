"""``vecdecay new KIND NAME``: a commented file that runs as it is, to be changed."""

import keyword
import os
from pathlib import Path

from vecdecay.commands import starters
from vecdecay.commands.screen import command_lines, paragraph, show
from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.store.files import write_file

_TEXTS = {
    "sweep": (".toml", starters.SWEEP),
    "policy": (".py", starters.POLICY),
    "workload": (".py", starters.WORKLOAD),
}
_NEXT = {
    "sweep": {"vecdecay run NAME.toml": "to play it", "vecdecay help sweepfile": "to look up its keys"},
    "policy": {
        "vecdecay check NAME.py:CLASS": "to test it",
        "vecdecay show drift --policy NAME.py:CLASS": "to draw a session under it",
        "vecdecay help own-policy": "to read more",
    },
    "workload": {
        "vecdecay show NAME.py:NAME": "to draw a session",
        "vecdecay curve NAME.py:NAME recency_window": "to play it",
        "vecdecay help own-workload": "to read more",
    },
}


def new_command(kind: str, name: str) -> None:
    """Write the file of a kind under a name, and print what can be done with it."""
    if kind not in _TEXTS:
        allowed = f"allowed: {', '.join(_TEXTS)}"
        raise InvalidInputError([f"{brief(kind)} cannot be written; {allowed}{did_you_mean(kind, _TEXTS)}"])
    suffix, text = _TEXTS[kind]
    bare = name.removesuffix(suffix)
    # What names a class, a function or a module has to be one word of Python; a sweep may as well.
    if not (bare.isascii() and bare.isidentifier()) or keyword.iskeyword(bare) or len(bare) > 100:
        allowed = "letters, digits and _, first a letter or _; a file is written in this folder"
        raise InvalidInputError([f"name {brief(name)}: allowed: {allowed}"])
    path = Path(f"{bare}{suffix}")
    if os.path.lexists(path):
        raise InvalidInputError([f"{path} is there already, and is not overwritten; choose another name"])
    write_file(path, starters.named(text, bare).encode())
    show(*paragraph(f"{path} is written"))
    for command, what in _NEXT[kind].items():
        show("", *paragraph(f"{what}:"), *command_lines(starters.named(command, bare)))
