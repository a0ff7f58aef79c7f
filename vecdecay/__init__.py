"""vecdecay plays memory-retention policies on many sessions at once, exact to the bit.

The public names are loaded on first use, so that importing the package is quick and compiles nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from vecdecay.version import __version__


if TYPE_CHECKING:
    from vecdecay.engines import reference
    from vecdecay.errors import InvalidInputError, OutputError, VecdecayError
    from vecdecay.policies import (
        ActR,
        Ebbinghaus,
        Fsrs6,
        GenerativeAgentsRecency,
        HalfLifeRegression,
        HazardPolicy,
        HistoryPolicy,
        ImportancePrune,
        KeepAll,
        LangChainRecency,
        MemoryBank,
        MemoryBankAsPublished,
        MemoryDecayCore,
        RecencyWindow,
        Sm2,
        StatefulPolicy,
        TablePolicy,
        TieredForgettingCurve,
        TimeToLive,
        YourMemory,
    )
    from vecdecay.sessions import PublishedSessions
    from vecdecay.simulation import SimulationResult, simulate

_HOME_OF = {
    "ActR": "vecdecay.policies",
    "Ebbinghaus": "vecdecay.policies",
    "Fsrs6": "vecdecay.policies",
    "GenerativeAgentsRecency": "vecdecay.policies",
    "HalfLifeRegression": "vecdecay.policies",
    "HazardPolicy": "vecdecay.policies",
    "HistoryPolicy": "vecdecay.policies",
    "ImportancePrune": "vecdecay.policies",
    "InvalidInputError": "vecdecay.errors",
    "KeepAll": "vecdecay.policies",
    "LangChainRecency": "vecdecay.policies",
    "MemoryBank": "vecdecay.policies",
    "MemoryBankAsPublished": "vecdecay.policies",
    "MemoryDecayCore": "vecdecay.policies",
    "OutputError": "vecdecay.errors",
    "PublishedSessions": "vecdecay.sessions",
    "RecencyWindow": "vecdecay.policies",
    "SimulationResult": "vecdecay.simulation",
    "Sm2": "vecdecay.policies",
    "StatefulPolicy": "vecdecay.policies",
    "TablePolicy": "vecdecay.policies",
    "TieredForgettingCurve": "vecdecay.policies",
    "TimeToLive": "vecdecay.policies",
    "VecdecayError": "vecdecay.errors",
    "YourMemory": "vecdecay.policies",
    "reference": "vecdecay.engines",
    "simulate": "vecdecay.simulation",
}

__all__ = [
    "ActR",
    "Ebbinghaus",
    "Fsrs6",
    "GenerativeAgentsRecency",
    "HalfLifeRegression",
    "HazardPolicy",
    "HistoryPolicy",
    "ImportancePrune",
    "InvalidInputError",
    "KeepAll",
    "LangChainRecency",
    "MemoryBank",
    "MemoryBankAsPublished",
    "MemoryDecayCore",
    "OutputError",
    "PublishedSessions",
    "RecencyWindow",
    "SimulationResult",
    "Sm2",
    "StatefulPolicy",
    "TablePolicy",
    "TieredForgettingCurve",
    "TimeToLive",
    "VecdecayError",
    "YourMemory",
    "__version__",
    "reference",
    "simulate",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOME_OF:
        raise AttributeError(f"module 'vecdecay' has no attribute {name!r}")
    home = importlib.import_module(_HOME_OF[name])
    value = importlib.import_module("vecdecay.engines.reference") if name == "reference" else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
