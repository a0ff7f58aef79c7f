"""Are the parts of a run folder the ones that its ledger names, byte for byte?"""

import hashlib
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from vecdecay.parameters import printable
from vecdecay.store.files import PathLike, is_leftover
from vecdecay.store.ledger import LedgerEntry


def check_part(folder: PathLike, entry: LedgerEntry) -> str | None:
    """Return what is wrong with the entry's file, in one line, or None. All of the file is read."""
    path = Path(folder, entry.file)
    name = printable(entry.file)
    try:
        # Asked before opening: to open a pipe would wait for its other end.
        if not stat.S_ISREG(os.stat(path).st_mode):
            return f"{name}: not a file"
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size != entry.bytes:
                return f"{name}: has {size} bytes; expected {entry.bytes}"
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return f"{name}: missing"
    except OSError as error:
        return f"{name}: cannot be read: {error.strerror}"
    return None if digest == entry.sha256 else f"{name}: its content was changed (SHA-256 differs)"


def verify_parts(folder: PathLike, entries: Iterable[LedgerEntry], part_folders: Iterable[str] = ()) -> list[str]:
    """Return one line for each thing that is wrong with the parts; an empty list means that all is well.

    Found are files that are missing, have another size or another content, and files and folders that no entry names.
    The latter are looked for in the folders of the entries' files and in ``part_folders`` (paths below the run folder,
    for those that may have no entry), not in the run folder itself. Temporary files are left out.
    """
    listed = list(entries)
    files = {entry.file for entry in listed}
    problems = [problem for entry in listed if (problem := check_part(folder, entry)) is not None]
    places = {file.rpartition("/")[0] for file in files}.union(place.strip("/") for place in part_folders)
    # A part folder may lie in another one, and is expected there.
    expected = files | {step for place in places for step in _with_parents(place)}
    for place in sorted(places - {""}):
        problems += [f"{printable(file)}: unexpected" for file in sorted(_names(folder, place) - expected)]
    return problems


def _with_parents(place: str) -> list[str]:
    steps = place.split("/")
    return ["/".join(steps[:count]) for count in range(1, len(steps) + 1)]


def _names(folder: PathLike, place: str) -> set[str]:
    """Return what is in the folder ``place``, as paths below the run folder; nothing where there is none."""
    try:
        with os.scandir(Path(folder, place)) as found:
            return {f"{place}/{item.name}" for item in found if not is_leftover(item)}
    except (FileNotFoundError, NotADirectoryError):
        return set()
