"""The one place that says how kernels are compiled, and where their machine code is kept.

Kernels are compiled with ``nogil`` (threads split the blocks) and without ``fastmath`` and ``parallel``: a result
must not depend on the machine's vector units or on the number of threads. Numba's own disk cache does not notice a
change in another file than the kernel's, nor every damage. Here the cache folder carries a digest of every source that
defines a kernel, and each file one of its content: what is damaged is compiled anew.
"""

import contextlib
import ctypes
import hashlib
import math
import os
import pickle
import re
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from llvmlite.binding import add_symbol
from numba.core import types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from vecdecay.errors import VecdecayError

KernelFunction = TypeVar("KernelFunction", bound=Callable[..., Any])

_DIGEST_BYTES = hashlib.sha256().digest_size

if getattr(numba.config, "USING_SVML", False):
    raise VecdecayError(
        "Numba uses Intel's vector math library here, whose exp and log differ from Python's in the last bit; "
        "set NUMBA_DISABLE_INTEL_SVML=1 and start again"
    )


class _KernelCache(_Cache):
    """Keeps the machine code of one function in a folder, a file per list of argument types, each with its digest.

    The folder's name stands for all that the code depends on. What cannot be read, or is damaged, counts as absent.
    """

    def __init__(self, function: Any, folder: Path) -> None:
        self._name = f"{function.__qualname__}-{hashlib.sha256(function.__code__.co_code).hexdigest()[:16]}"
        self._folder = folder

    @property
    def cache_path(self) -> str:
        """The folder, as Numba's statistics show it."""
        return str(self._folder)

    def _path(self, arguments: Any, codegen: Any) -> Path:
        key = repr((_described(arguments), codegen.magic_tuple(), numba.__version__, sys.implementation.cache_tag))
        safe = re.sub(r"[^\w.-]", "", self._name)[-100:]
        return self._folder / f"{safe}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.nbc"

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code kept for the argument types ``sig``, or None if there is none that can be read."""
        target_context.refresh()
        with contextlib.suppress(Exception):
            content = self._path(sig, target_context.codegen()).read_bytes()
            digest, payload = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
            if hashlib.sha256(payload).digest() == digest:
                found = CompileResult._rebuild(target_context, *pickle.loads(payload))
                # A named tuple's class made anew in each process is another one, of the same fields. Calls from code
                # that is compiled here look the types up in the descriptor.
                found.fndesc.argtypes = tuple(sig)
                return found._replace(signature=found.signature.replace(args=tuple(sig)))
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code; a full or read-only disk costs time in the next run, never this one."""
        if data.library.has_dynamic_globals:
            return
        with contextlib.suppress(OSError):
            payload = dumps(data._reduce())
            self._folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self._folder, delete=False) as file:
                file.write(hashlib.sha256(payload).digest() + payload)
            Path(file.name).replace(self._path(sig, data.codegen))

    def enable(self) -> None:
        """Do nothing: the cache is always on."""

    def disable(self) -> None:
        """Do nothing: the cache is always on."""

    def flush(self) -> None:
        """Do nothing: another source has another folder."""


def _described(kind: Any) -> Any:
    """Return what tells argument types apart: a named tuple's name does not show its fields."""
    if isinstance(kind, tuple):
        return tuple(map(_described, kind))
    inner = getattr(kind, "types", None)
    return (repr(kind), getattr(kind, "fields", ()), _described(tuple(inner)) if inner else ())


@cache
def source_digest() -> str:
    """Return 16 hex digits that change with every source file of kernels and of what policies have compiled."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        in_a_room = path.parent.name in ("policies", "kernels")  # constants and templates too
        defines_functions = in_a_room or path.name.endswith(("_kernel.py", "_compiler.py"))
        if defines_functions or b"compile import" in text or path == Path(__file__):
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + text)
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> Path:
    """Return the writable folder for compiled kernels: $VECDECAY_CACHE_DIR, the user's cache, or a temporary one."""
    base = os.environ.get("VECDECAY_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    candidates = [Path(base) if base else Path.home() / ".cache", Path(tempfile.gettempdir())]
    for candidate in candidates:
        folder = candidate / "vecdecay" / f"kernels-{source_digest()}"
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
            if os.access(folder, os.W_OK):
                return folder
    return Path(tempfile.mkdtemp(prefix="vecdecay-kernels-"))


# An option that Numba's own types leave out. Not named, a function takes it over from the one that is compiled first
# with a call of it; an array that is returned uncounted to one that counts is freed while it is in use.
_COUNTED: Any = {"_nrt": True}
_UNCOUNTED: Any = {"_nrt": False}


def kernel(function: KernelFunction, folder: Path | None = None, **options: Any) -> KernelFunction:
    """Compile ``function`` on its first call; keep the machine code on disk for later processes.

    The ``folder`` must change with all that the code depends on; the package's own changes with its source.
    """
    dispatcher: Any = numba.njit(nogil=True, **(_COUNTED | options))(function)
    if not cast(Any, numba.config).DISABLE_JIT:
        dispatcher._cache = _KernelCache(function, folder or cache_folder())
    return dispatcher  # type: ignore[no-any-return]  # a dispatcher calls like the function it wraps


def lean_kernel(function: KernelFunction, folder: Path | None = None, **options: Any) -> KernelFunction:
    """Compile a kernel that allocates nothing, so that its arrays need no count of references.

    Where a kernel calls others in branches of a loop, counting up and down costs as much as the work itself. What
    returns arrays to it is an :func:`inlined_kernel`.
    """
    return kernel(function, folder, **options, **_UNCOUNTED)


def inlined_kernel(function: KernelFunction) -> KernelFunction:
    """Compile a part of lean kernels so that it dissolves into them; they keep its machine code."""
    dispatcher: Any = numba.njit(nogil=True, forceinline=True, **_UNCOUNTED)(function)
    return dispatcher  # type: ignore[no-any-return]  # a dispatcher calls like the function it wraps


def c_function(name: str, arguments: int) -> Any:
    """Return a function of floats of the C library that CPython's ``math`` calls, as kernels can call it.

    It goes by a name that LLVM does not know: under its own, a call with a constant may become another computation.
    """
    library = ctypes.CDLL("ucrtbase" if os.name == "nt" else getattr(math, "__file__", None))
    address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value
    add_symbol(f"vecdecay_{name}", address)
    return types.ExternalFunction(f"vecdecay_{name}", types.float64(*[types.float64] * arguments))


def ordinary_arithmetic() -> contextlib.AbstractContextManager[Any]:
    """Let uncompiled kernels overflow in silence, as the compiled ones do: a score of an infinite stability, a hash."""
    return np.errstate(over="ignore", divide="ignore", invalid="ignore")


def kernel_uncached(function: KernelFunction) -> KernelFunction:
    """Compile ``function`` on its first call without keeping it: for kernels that close over a user's function."""
    dispatcher: Any = numba.njit(nogil=True, cache=False, **_COUNTED)(function)
    return dispatcher  # type: ignore[no-any-return]  # a dispatcher calls like the function it wraps


def compiled_before() -> bool:
    """Tell whether kernels of this very source were compiled before, so that a caller can announce the wait."""
    return any(cache_folder().rglob("*.nbc"))
