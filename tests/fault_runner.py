"""The program that plants faults: it changes a copy of the package, runs one test against it, and changes it back.

Run as ``python fault_runner.py COPY TESTS``: COPY is the folder that holds a copy of the package, TESTS that of the
tests. It prints a JSON object: for each test what it said of the unchanged copy, and for each fault what the named
test said. The modules are loaded anew for each fault; starting a process each time would take ten times as long.
"""

import contextlib
import importlib
import inspect
import io
import itertools
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, ClassVar, NamedTuple

import pytest

PASSED, FAILED = "passed", "failed"


def forget(folders: list[Path]) -> None:
    """Drop every loaded module that comes from these folders."""
    starts = tuple(f"{folder}{os.sep}" for folder in folders)
    for name, module in list(sys.modules.items()):
        if name != "__main__" and (getattr(module, "__file__", None) or "").startswith(starts):
            del sys.modules[name]
    importlib.invalidate_caches()


class CompiledOnce(SourceFileLoader):
    """Compiles a text once, however often it is loaded: all files but the one with the fault are as they were."""

    compiled: ClassVar[dict[tuple[str, bytes], CodeType]] = {}

    def source_to_code(self, data: bytes, path: str, *, _optimization: int = -1) -> CodeType:  # type: ignore[override]
        """Return the code of a file's content."""
        if (path, data) not in self.compiled:
            self.compiled[path, data] = super().source_to_code(data, path)
        return self.compiled[path, data]


def calls_of(test: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    """Yield the arguments of every case of a test: those of ``parametrize``, cases of the large runs left out."""
    marks = [mark for mark in getattr(test, "pytestmark", ()) if mark.name == "parametrize"]
    axes = []
    for names, values, *_ in (mark.args for mark in marks):
        split = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
        cases = [value for value in values if not getattr(value, "marks", ())]
        axes.append([dict(zip(split, [one] if len(split) == 1 else one, strict=True)) for one in cases])
    for chosen in itertools.product(*axes):
        yield {name: value for one in chosen for name, value in one.items()}


class Captured(contextlib.ExitStack):
    """Stands in for the fixture capsys: what was printed since it was read last."""

    def __enter__(self) -> "Captured":
        """Take up what is printed from now on."""
        self.out, self.err = io.StringIO(), io.StringIO()
        self.enter_context(contextlib.redirect_stdout(self.out))
        self.enter_context(contextlib.redirect_stderr(self.err))
        return self

    def readouterr(self) -> "CaptureResult":
        """Return it, and forget it."""
        found = CaptureResult(self.out.getvalue(), self.err.getvalue())
        for stream in (self.out, self.err):
            stream.seek(0)
            stream.truncate()
        return found


class CaptureResult(NamedTuple):
    """What was printed where."""

    out: str
    err: str


def call(test: Callable[..., Any], word: str) -> None:
    """Call a test with every case of its arguments that mentions a word, and with the fixtures that it asks for."""
    wanted = inspect.signature(test).parameters
    for arguments in [one for one in calls_of(test) if word in repr(one)]:
        with pytest.MonkeyPatch.context() as monkeypatch, tempfile.TemporaryDirectory() as folder, Captured() as capsys:
            fixtures = {"monkeypatch": monkeypatch, "tmp_path": Path(folder), "warm_kernels": None, "capsys": capsys}
            test(**arguments, **{name: value for name, value in fixtures.items() if name in wanted})


def verdict(test: str, copy: Path, tests: Path) -> str:
    """Return what a test says of the copy as it is now.

    It is named as module::function, or module::function[word] for those of its cases that mention the word.
    """
    forget([copy, tests])
    module_name, function, word = (*test.removesuffix("]").replace("[", "::", 1).split("::"), "")[:3]
    try:
        module: ModuleType = importlib.import_module(module_name)
        package = Path(str(sys.modules["vecdecay"].__file__))
        if not package.is_relative_to(copy):
            return f"the package was loaded from {package.parent}"
        call(getattr(module, function), word)
    except (AssertionError, pytest.fail.Exception):
        return FAILED
    except Exception as error:
        if type(error).__name__ == "InvalidInputError":  # what is sound is refused
            return FAILED
        return "an error, not a failed assertion:\n" + traceback.format_exc(limit=-3)
    return PASSED


def verdict_with(fault: dict[str, str], copy: Path, tests: Path) -> str:
    """Return what the fault's test says of the copy with the fault in it."""
    path = copy / "vecdecay" / fault["file"]
    text = path.read_text("utf-8") if path.exists() else ""
    count = text.count(fault["original"])
    if count != 1:
        return f"the original text occurs {count} times in {fault['file']}"
    path.write_text(text.replace(fault["original"], fault["faulty"]), "utf-8")
    try:
        return verdict(fault["test"], copy, tests)
    finally:
        path.write_text(text, "utf-8")


def main() -> None:
    """Read the faults from the input, try each, print the verdicts."""
    copy, tests = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve()
    sys.dont_write_bytecode = True  # a file that was changed twice in a second would be taken from the bytecode
    sys.path[:] = [str(copy), str(tests), *(entry for entry in sys.path if Path(entry).resolve() != tests)]
    sys.path_hooks.insert(0, FileFinder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (CompiledOnce, [".py"])))
    sys.path_importer_cache.clear()
    faults = json.load(sys.stdin)
    unchanged = {test: verdict(test, copy, tests) for test in sorted({fault["test"] for fault in faults})}
    changed = {fault["name"]: verdict_with(fault, copy, tests) for fault in faults}
    print(json.dumps({"unchanged": unchanged, "changed": changed}))


if __name__ == "__main__":
    main()
