"""JSON that carries its own digest, so that not one of its bits can change unseen; and the manifest of a run folder.

The last key of such a JSON object is a digest of every byte before it. What surrounds the digest is fixed and compared
byte by byte, so the bits of the punctuation are covered too.
"""

import hashlib
import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from vecdecay.errors import OutputError
from vecdecay.parameters import printable
from vecdecay.store.files import PathLike, WrittenFile, file_operations, reported, write_file

MANIFEST_NAME = "manifest.json"

_VERSION = 2
_SEAL_LENGTH = len('"digest": ""') + 32
_END_OF_FILE = b"\n}\n"


def sealed(body: bytes, end: bytes) -> bytes:
    """Return the JSON text ``body`` with its digest as the last key, and the ``end`` that closes the object."""
    return b'%s"digest": "%s"%s' % (body, hashlib.sha256(body).hexdigest()[:32].encode(), end)


def unsealed(data: bytes, end: bytes) -> dict[str, Any] | None:
    """Return the object without its digest, or None where a single bit is not as it was sealed."""
    body = data[: max(0, len(data) - _SEAL_LENGTH - len(end))]
    if data != sealed(body, end):
        return None
    content: dict[str, Any] = json.loads(data.decode())
    del content["digest"]
    return content


def of_former_format(path: PathLike) -> str:
    """Return in words that a file is one that the first version of this program wrote; nothing where it is not."""
    with reported(path, "cannot be read"):
        text = file_operations.read(path)
    for document in (text, text.partition(b"\n")[0]):  # a manifest, or the first line of a ledger
        with suppress(ValueError):
            found = json.loads(document)
            if isinstance(found, dict) and 1 in (found.get("manifest_version"), found.get("ledger_version")):
                return "has format 1; this program reads format 2, and the same sweep makes the run again"
    return ""


def write_document(path: PathLike, content: Mapping[str, Any]) -> WrittenFile:
    """Write a JSON object (string keys, no NaN) with its digest; the same content gives the same bytes.

    Raises:
        OutputError: the file cannot be written.
    """
    text = json.dumps({"version": _VERSION, **content}, sort_keys=True, indent=2, allow_nan=False)
    return write_file(path, sealed(text.removesuffix("\n}").encode() + b",\n  ", _END_OF_FILE))


def read_document(path: PathLike) -> dict[str, Any]:
    """Return the content of a file that :func:`write_document` wrote.

    Raises:
        OutputError: naming the file, when it is missing, a bit of it was changed, or its version is another.
    """
    with reported(path, "cannot be read"):
        content = unsealed(file_operations.read(path), _END_OF_FILE)
    if content is None:
        damage = "is damaged: its content does not match its digest"
        raise OutputError(f"{printable(path)}: {of_former_format(path) or damage}")
    version = content.pop("version", None)
    if version != _VERSION:
        raise OutputError(f"{printable(path)}: has version {version}; this program reads version {_VERSION}")
    return content


def write_manifest(folder: PathLike, content: Mapping[str, Any]) -> WrittenFile:
    """Write ``manifest.json``: what the finished run in the folder consists of; see :func:`write_document`."""
    return write_document(Path(folder, MANIFEST_NAME), content)


def read_manifest(folder: PathLike) -> dict[str, Any]:
    """Return the content of the run folder's manifest; see :func:`read_document`."""
    return read_document(Path(folder, MANIFEST_NAME))
