"""The one place that says how kernels are compiled, and where their machine code is kept.

Kernels are compiled with ``nogil`` (threads split the blocks) and without ``fastmath`` and ``parallel``: a result
must not depend on the machine's vector units or on the number of threads. Numba's disk cache does not notice a
change in another file than the kernel's own, so the cache folder carries a digest of every source that defines a
kernel; a damaged cache file is thrown away and compiled anew.
"""

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.caching import FunctionCache

from vecdecay.errors import VecdecayError

KernelFunction = TypeVar("KernelFunction", bound=Callable[..., Any])

if getattr(numba.config, "USING_SVML", False):
    raise VecdecayError(
        "Numba uses Intel's vector math library here, whose exp and log differ from Python's in the last bit; "
        "set NUMBA_DISABLE_INTEL_SVML=1 and start again"
    )


class _ForgivingCache(FunctionCache):
    """Numba's cache, except that an unreadable file counts as absent instead of ending the program."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the machine code kept for ``sig``, or None if there is none that can be read."""
        try:
            return cast(Any, super()).load_overload(sig, target_context)
        except Exception:
            with contextlib.suppress(OSError):
                cast(Any, self).flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep the machine code; a full or read-only disk costs time in the next run, never this one."""
        with contextlib.suppress(OSError):
            cast(Any, super()).save_overload(sig, data)


@cache
def source_digest() -> str:
    """Return 16 hex digits that change with every source file of kernels and of what policies have compiled."""
    package = Path(__file__).parent
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        defines_functions = path.parent.name == "policies" or path.name.endswith("_kernel.py")
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


def kernel(function: KernelFunction) -> KernelFunction:
    """Compile ``function`` on its first call; keep the machine code on disk for later processes."""
    dispatcher: Any = numba.njit(nogil=True)(function)
    config: Any = numba.config
    if not config.DISABLE_JIT:
        before = config.CACHE_DIR
        try:
            config.CACHE_DIR = str(cache_folder())
            dispatcher._cache = cast(Any, _ForgivingCache)(function)
        finally:
            config.CACHE_DIR = before
    return dispatcher  # type: ignore[no-any-return]  # a dispatcher calls like the function it wraps


def ordinary_arithmetic() -> contextlib.AbstractContextManager[Any]:
    """Let uncompiled kernels overflow in silence, as the compiled ones do: a score of an infinite stability, a hash."""
    return np.errstate(over="ignore", divide="ignore", invalid="ignore")


def kernel_uncached(function: KernelFunction) -> KernelFunction:
    """Compile ``function`` on its first call without keeping it: for kernels that close over a user's function."""
    dispatcher: Any = numba.njit(nogil=True, cache=False)(function)
    return dispatcher  # type: ignore[no-any-return]  # a dispatcher calls like the function it wraps


def compiled_before() -> bool:
    """Tell whether kernels of this very source were compiled before, so that a caller can announce the wait."""
    return any(cache_folder().rglob("*.nbc"))
