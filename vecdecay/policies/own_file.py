"""Policies from a person's own file: ``my_policies.py:Gentle`` names a class in it.

A file is run once per content. What was loaded is remembered by its digest, so that the same class stands for the same
content wherever it is asked for, and so that the copy of a sweep that lies in another folder finds it again. Modules
beside the file can be imported from it, but are not part of the digest.
"""

import hashlib
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import brief, did_you_mean
from vecdecay.policies.base import Policy
from vecdecay.policies.own import in_one_line, own_policy_class

_lock = threading.RLock()
_by_digest: dict[tuple[str, str], ModuleType] = {}
_latest: dict[str, ModuleType] = {}
_digests: dict[ModuleType, str] = {}


def names_a_file(kind: str) -> bool:
    """Tell whether a kind of policy is given as ``FILE:CLASS``, or looks like a file at least.

    >>> names_a_file("my_policies.py:Gentle"), names_a_file("ebbinghaus")
    (True, False)
    """
    return ":" in kind or kind.endswith(".py")


def policy_class_in_file(kind: str, folders: Sequence[Path] = (), sha256: str = "") -> type[Policy]:
    """Return the class that ``FILE:CLASS`` names.

    The file is looked for in each of ``folders`` and then in the current one. With a ``sha256``, a file of that content
    that was loaded before is taken wherever it was; a file found with another content is taken too, and
    :func:`file_digest` tells.

    Raises:
        InvalidInputError: the file is not there (naming every path that was tried), cannot be run, or has no such
            class; or the class is no policy.
    """
    file, colon, name = kind.rpartition(":")
    if not colon or not file or not name.isidentifier():
        raise InvalidInputError([f"is {brief(kind)}; allowed: FILE.py:CLASS, such as my_policies.py:Gentle"])
    with _lock:
        module = _by_digest.get((file, sha256)) or _found(file, folders)
    own = getattr(module, name, None)
    path = _printable(str(module.__file__))
    if not isinstance(own, type):
        classes = [
            one
            for one, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__
        ]
        known = f"it has {', '.join(classes)}" if classes else "it has no class"
        raise InvalidInputError([f"{path} has no class {name}; {known}{did_you_mean(name, classes)}"])
    try:
        return own_policy_class(own)
    except InvalidInputError as error:
        raise InvalidInputError(f"{path}: {line}" for line in error.problems) from None


def file_digest(kind: type[Policy]) -> str:
    """Return the SHA-256 of the file that a class was loaded from, nothing where it comes from no such file."""
    module = sys.modules.get(kind.__module__)
    return _digests.get(module, "") if module is not None else ""


def _printable(path: str) -> str:
    return path if path.isprintable() else repr(path)


def _found(file: str, folders: Sequence[Path]) -> ModuleType:
    tried = list(dict.fromkeys(Path(folder, file).absolute() for folder in (*folders, Path())))
    for path in tried:
        try:
            content = path.read_bytes() if path.is_file() else None
        except (OSError, ValueError) as error:
            raise InvalidInputError([f"{_printable(str(path))} cannot be read: {in_one_line(error)}"]) from None
        if content is not None:
            return _module(file, path, content)
    if file in _latest:
        return _latest[file]
    raise InvalidInputError([f"no file {brief(file)}; tried {' and '.join(_printable(str(path)) for path in tried)}"])


def _module(file: str, path: Path, content: bytes) -> ModuleType:
    digest = hashlib.sha256(content).hexdigest()
    # The name tells apart files of one content in different folders, whose imports may differ.
    name = f"vecdecay_policies_{hashlib.sha256(bytes(path) + content).hexdigest()[:24]}"
    module = sys.modules.get(name)
    if module is None:
        module = _run(name, path, content)
        _digests[module] = digest
    _by_digest[file, digest] = _latest[file] = module
    return module


def _run(name: str, path: Path, content: bytes) -> ModuleType:
    """Run the file as a module; Python's own cache is left out, for it misses a change within the same second."""
    module = ModuleType(name)
    module.__file__ = str(path)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))
    try:
        exec(compile(content, str(path), "exec"), module.__dict__)
    except (Exception, SystemExit) as error:
        del sys.modules[name]
        raise InvalidInputError([f"{_printable(str(path))} cannot be imported: {in_one_line(error)}"]) from error
    finally:
        sys.path.remove(str(path.parent))
    return module
