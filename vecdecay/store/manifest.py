"""The manifest of a run folder: what the finished run consists of, as JSON that people and programs can read.

The same content gives the same bytes, and the last key is a checksum of all bytes before it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from vecdecay.errors import InvalidInputError, OutputError
from vecdecay.store.files import PathLike, WrittenFile, file_operations, printable, reported, write_file
from vecdecay.store.sealed import SEAL_KEY, Seal

MANIFEST_NAME = "manifest.json"

_SEAL = Seal(f',\n  "{SEAL_KEY}": "'.encode(), b'"\n}\n')
_VERSION_KEY = "manifest_version"
_VERSION = 1


def write_manifest(folder: PathLike, content: Mapping[str, Any]) -> WrittenFile:
    """Write ``manifest.json`` with ``content``: any JSON object (string keys, no NaN).

    Raises:
        InvalidInputError: when the content has the keys "manifest_version" or "seal".
        OutputError: when the file cannot be written.
    """
    taken = [f"{key} is the manifest's own key" for key in (_VERSION_KEY, SEAL_KEY) if key in content]
    if taken:
        raise InvalidInputError(taken)
    text = json.dumps({_VERSION_KEY: _VERSION, **content}, sort_keys=True, indent=2, allow_nan=False)
    return write_file(Path(folder, MANIFEST_NAME), _SEAL.add(text.removesuffix("\n}").encode())[0])


def read_manifest(folder: PathLike) -> dict[str, Any]:
    """Return the content of the run folder's manifest.

    Raises:
        OutputError: naming the file, when it is missing, a bit of it was changed, or its version is another.
    """
    path = Path(folder, MANIFEST_NAME)
    with reported(path, "cannot be read"):
        data = file_operations.read(path)
    opened = _SEAL.remove(data)
    if opened is None:
        raise OutputError(f"{printable(path)}: is damaged: its content does not match its checksum")
    content: dict[str, Any] = json.loads(opened[0] + b"}")
    version = content.pop(_VERSION_KEY, None)
    if version != _VERSION:
        raise OutputError(f"{printable(path)}: has manifest version {version}; this program reads version {_VERSION}")
    return content
