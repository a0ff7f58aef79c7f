"""Where sweep files are found: a path, the folder ``sweeps`` here, or the sweeps that come with the program."""

import os
from collections.abc import Iterator
from pathlib import Path

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean, printable
from vecdecay.sweepfile.toml_text import parse_toml, read_text

_SUFFIX = ".toml"


def find_sweep(name_or_path: str | os.PathLike[str]) -> Path:
    """Return the file of a sweep that is given by path, or by name with or without ``.toml``.

    A path to a file is taken as it is. A bare name is looked for in ``./sweeps``, then among the sweeps that come with
    the program. InvalidInputError names the sweeps that there are.
    """
    given = os.fspath(name_or_path)
    path = Path(given)
    if os.path.isfile(given):
        return path
    is_name = path.name == given  # with a separator it is a path, and nothing else
    if is_name:
        for folder in _folders():
            found = folder / (given.removesuffix(_SUFFIX) + _SUFFIX)
            if os.path.isfile(found):
                return found
    elif given and os.path.isdir(given):
        raise InvalidInputError([f"{brief(given)}: is a folder; allowed: a sweep file in TOML"])
    names = [name for name, _ in known_sweeps()]
    reason = "no such sweep" if is_name else "no such file"
    listed = ", ".join(names) or "none here"
    hint = did_you_mean(path.name.removesuffix(_SUFFIX), names)
    raise InvalidInputError([f"{brief(given)}: {reason}; known sweeps: {listed}, or the path of a file{hint}"])


def known_sweeps() -> list[tuple[str, str]]:
    """Return (name, title) of every sweep that a bare name finds, by name; the title says so where a file is broken."""
    found: dict[str, Path] = {}
    for folder in _folders():
        for path in _sweep_files(folder):
            found.setdefault(path.name.removesuffix(_SUFFIX), path)
    return [(name, _title(found[name])) for name in sorted(found)]


def _folders() -> Iterator[Path]:
    """Yield the folders that a bare name is looked for in, the first one first."""
    yield Path("sweeps")
    package = Path(__file__).resolve().parent.parent
    checkout = package.parent / "sweeps"
    # In an editable install the copy inside the package is as old as the install; the checkout is what is edited.
    if checkout.is_dir() and (package.parent / "pyproject.toml").is_file():
        yield checkout
    yield package / "sweepfile" / "files"


def _sweep_files(folder: Path) -> list[Path]:
    try:
        paths = list(folder.iterdir())
    except OSError:
        return []
    return [path for path in paths if path.suffix == _SUFFIX and path.stem.isprintable() and os.path.isfile(path)]


def _title(path: Path) -> str:
    try:
        sweep = parse_toml(read_text(path), str(path)).get("sweep")
    except InvalidInputError:
        return "(cannot be read)"
    title = sweep.get("title", "") if isinstance(sweep, dict) else ""
    return printable(title) if isinstance(title, str) else ""
