"""User code: ``my_policies.py:Gentle`` names a class or function in a Python file.

The result of such code depends on the file and on every local module that it imports, directly or indirectly. All of
these files are read first, one digest covers their contents, and exactly what was read is executed, even if a file
changes meanwhile. A module is local if it lies beside the file or on the import path outside the folders of installed
packages. Imports are found in the source, including those inside functions; module names computed at run time,
compiled extensions and data files are not covered.
"""

import ast
import hashlib
import sys
import sysconfig
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from vecdecay.errors import InvalidInputError, in_one_line
from vecdecay.parameters import brief, did_you_mean, printable

SOURCES_NAME = "sources"
"""Folder, beside a stored sweep, with a copy of the code that it was run with."""

_lock = threading.RLock()
_loaded: dict[tuple[str, str], "OwnCode"] = {}


class SourceFile(NamedTuple):
    """One file of code: its name relative to the root that it is imported from, where it was found, what it holds."""

    name: str
    path: str
    content: bytes


@dataclass(frozen=True)
class OwnCode:
    """A file and the local modules that it imports, the file first. It pickles with contents, so it runs anywhere.

    Attributes:
        files: file names are like ``my_policies.py`` and ``lib/curves.py``.
    """

    files: tuple[SourceFile, ...]

    @property
    def path(self) -> str:
        """The path of the file itself, fit to be printed."""
        return printable(self.files[0].path)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the file, or of the names and digests of all files where it imports others."""
        each = [(one.name, hashlib.sha256(one.content).hexdigest()) for one in self.files]
        if len(each) == 1:
            return each[0][1]
        return hashlib.sha256("".join(f"{name} {digest}\n" for name, digest in each).encode()).hexdigest()

    def copies(self) -> dict[str, bytes]:
        """Return what a folder needs so that :func:`own_object` finds the code there: relative names and contents."""
        return {f"{SOURCES_NAME}/{self.digest[:16]}/{one.name}": one.content for one in self.files}

    def object(self, name: str) -> Any:
        """Return the class or function of that name; the file is run at the first call.

        Raises:
            InvalidInputError: the file cannot be run, or has no such class or function.
        """
        with _lock:
            module = self._module()
        own = getattr(module, name, None)
        if isinstance(own, type) or callable(own):
            return own
        defined = (one for one in vars(module).items() if getattr(one[1], "__module__", "") == module.__name__)
        names = [one for one, value in defined if callable(value)]
        known = f"it has {', '.join(names)}" if names else "it has none"
        raise InvalidInputError([f"{self.path} has no class or function {name}; {known}{did_you_mean(name, names)}"])

    def _module(self) -> ModuleType:
        # The path is part of the name: a file may read data that lies beside it.
        path = self.files[0].path
        name = f"vecdecay_own_{hashlib.sha256(f'{path} {self.digest}'.encode(errors='surrogatepass')).hexdigest()[:24]}"
        return sys.modules.get(name) or self._run(name, path)

    def _run(self, name: str, path: str) -> ModuleType:
        """Run the file as a module of that name, with its local modules loaded anew and for it alone."""
        module = ModuleType(name)
        module.__file__ = path
        finder = _Finder(self.files[1:])
        held = {one: sys.modules.pop(one) for one in finder.modules if one in sys.modules}
        sys.modules[name] = module
        sys.meta_path.insert(0, finder)
        sys.path.insert(0, str(Path(path).parent))
        try:
            exec(compile(self.files[0].content, path, "exec"), module.__dict__)
        except BaseException as error:
            for one in (name, *finder.modules):
                sys.modules.pop(one, None)
            sys.modules.update(held)
            if isinstance(error, KeyboardInterrupt):
                raise
            raise InvalidInputError([f"{self.path} cannot be imported: {in_one_line(error)}"]) from error
        finally:
            sys.path.remove(str(Path(path).parent))
            sys.meta_path.remove(finder)
        # What somebody else imported under these names stays theirs.
        sys.modules.update(
            {one: was for one, was in held.items() if not isinstance(getattr(was, "__loader__", None), _Finder)}
        )
        return module


class _Finder(MetaPathFinder, Loader):
    """Imports local modules from what was read of them."""

    def __init__(self, files: Sequence[SourceFile]) -> None:
        self._files: Mapping[str, SourceFile] = {_module_name(one.name): one for one in files}
        self.modules = list(dict.fromkeys(one for name in self._files for one in _with_parents(name)))

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return how a local module is loaded, None for others."""
        if fullname not in self.modules:
            return None
        if fullname not in self._files:  # a folder without __init__.py
            return ModuleSpec(fullname, self, is_package=True)
        file = self._files[fullname]
        folder = [str(Path(file.path).parent)] if file.name.endswith("__init__.py") else None
        return spec_from_file_location(fullname, file.path, loader=self, submodule_search_locations=folder)

    def exec_module(self, module: ModuleType) -> None:
        """Run a module."""
        file = self._files.get(module.__name__)
        if file is not None:
            exec(compile(file.content, file.path, "exec"), module.__dict__)


def names_a_file(kind: str) -> bool:
    """Tell whether a kind is given as ``FILE:NAME``, or looks like a file at least.

    >>> names_a_file("my_policies.py:Gentle"), names_a_file("ebbinghaus")
    (True, False)
    """
    return ":" in kind or kind.endswith(".py")


def own_object(kind: str, folders: Sequence[Path] = (), sha256: str = "") -> tuple[Any, OwnCode]:
    """Return the class or function that ``FILE:NAME`` names, and the code that it comes from.

    The file is looked for in each of ``folders`` and then in the current one. With a ``sha256``, code of that digest is
    taken first that was loaded before or of which one of the folders holds a copy; where there is none, a file of
    another content is taken, and its digest tells.

    Raises:
        InvalidInputError: the file is not there (naming every path that was tried), cannot be run, or has no such
            class or function.
    """
    file, colon, name = kind.rpartition(":")
    if not colon or not file or not name.isidentifier():
        raise InvalidInputError([f"is {brief(kind)}; allowed: FILE.py:NAME, such as my_policies.py:Gentle"])
    with _lock:
        code = _loaded.get((file, sha256)) or _copy(file, folders, sha256) or _read(file, folders)
        own = code.object(name)
        _loaded[file, code.digest] = code
    return own, code


def kind_in_file(kind: type) -> str | None:
    """Return ``FILE:NAME`` of a class of user code, or of the class that it was made for; None where it is in no file.

    What a script or a notebook defines is in none: reading it again would run it again.
    """
    for one in (getattr(kind, "own_class", kind), kind):
        module = sys.modules.get(one.__module__)
        path = getattr(module, "__file__", None) or ""
        if one.__module__ != "__main__" and path.endswith(".py") and hasattr(module, one.__name__):
            return f"{Path(path).absolute()}:{one.__name__}"
    return None


def loaded_files() -> set[str]:
    """Return the paths of all files of code that were loaded in this process."""
    return {one.path for code in list(_loaded.values()) for one in code.files}


def _copy(file: str, folders: Sequence[Path], sha256: str) -> OwnCode | None:
    for folder in folders if sha256 else ():
        path = folder / SOURCES_NAME / sha256[:16] / Path(file).name
        content = _content(path)
        code = _code(path.absolute(), content, [path.parent]) if content is not None else None
        if code is not None and code.digest == sha256:
            return code
    return None


def _read(file: str, folders: Sequence[Path]) -> OwnCode:
    tried = list(dict.fromkeys(Path(folder, file).absolute() for folder in (*folders, Path())))
    for path in tried:
        content = _content(path)
        if content is not None:
            return _code(path, content, [path.parent, *_import_roots()])
    raise InvalidInputError([f"no file {brief(file)}; tried {' and '.join(printable(str(path)) for path in tried)}"])


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes() if path.is_file() else None
    except (OSError, ValueError) as error:
        raise InvalidInputError([f"{printable(str(path))} cannot be read: {in_one_line(error)}"]) from None


def _import_roots() -> list[Path]:
    """Return the folders of the import path that hold the user's own modules, not installed packages."""
    installed = [Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    roots = [Path(entry).absolute() for entry in sys.path]
    return [root for root in roots if not any(root.is_relative_to(one) for one in installed) and not _is_target(root)]


def _is_target(root: Path) -> bool:
    """Tell whether packages were installed into a folder."""
    try:
        return any(root.glob("*.dist-info"))
    except OSError:
        return False


def _code(path: Path, content: bytes, roots: Sequence[Path]) -> OwnCode:
    """Return a file with the local modules that it imports, in the order of their names."""
    found: dict[str, SourceFile] = {}
    seen: set[str] = set()
    waiting = list(_imported(content, ""))
    while waiting:
        name = waiting.pop()
        if name in seen or name.partition(".")[0] in (*sys.stdlib_module_names, "vecdecay"):
            continue
        seen.add(name)
        file = _local_module(name, roots)
        if file is not None:
            found[file.name] = file
            is_package = file.name.endswith("__init__.py")
            waiting.extend(_imported(file.content, name if is_package else name.rpartition(".")[0]))
    return OwnCode((SourceFile(path.name, str(path), content), *(found[name] for name in sorted(found))))


def _local_module(name: str, roots: Sequence[Path]) -> SourceFile | None:
    stem = name.replace(".", "/")
    for root in roots:
        for relative in (f"{stem}/__init__.py", f"{stem}.py"):
            try:
                content = _content(root / relative)
            except InvalidInputError:  # as good as absent, for the import system too
                continue
            if content is not None:
                return SourceFile(relative, str(root / relative), content)
    return None


def _imported(content: bytes, package: str) -> Iterator[str]:
    """Yield the full name of everything that a module imports, and of the packages around it; none if it is broken."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _with_parents(alias.name)
        elif isinstance(node, ast.ImportFrom):
            around = package.split(".")[: 1 - node.level or None] if node.level and package else []
            base = ".".join([*around, *([node.module] if node.module else [])])
            # What is imported from a package may be a module of it.
            for alias in node.names:
                yield from _with_parents(f"{base}.{alias.name}" if base else alias.name)


def _with_parents(name: str) -> Iterator[str]:
    """Yield ``a``, ``a.b`` and ``a.b.c`` for ``a.b.c``."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        yield ".".join(parts[:length])


def _module_name(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
