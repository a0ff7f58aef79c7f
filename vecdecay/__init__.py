# ruff: noqa: F403, F405  # the packages of policies and workloads list their names
"""vecdecay plays memory-retention policies on many sessions at once, exact to the bit.

The public names are loaded on first use, so that importing the package is quick and compiles nothing.
"""

import importlib
from typing import TYPE_CHECKING, Any

from vecdecay.version import __version__

if TYPE_CHECKING:
    from vecdecay.engines import reference
    from vecdecay.engines.played import PlayedSession, play
    from vecdecay.errors import InvalidInputError, OutputError, VecdecayError
    from vecdecay.items import category_number
    from vecdecay.policies import *
    from vecdecay.policies.own import with_capacity
    from vecdecay.run.bounds import Bounds, bounds
    from vecdecay.run.compare import Comparison, compare
    from vecdecay.run.curve import Curve, curve
    from vecdecay.run.front import Front, front
    from vecdecay.run.open_run import Run, open_run
    from vecdecay.run.recommend import Recommendation, recommend
    from vecdecay.run.sensitivity import Sensitivity, sensitivity
    from vecdecay.run.simulate import SimulationResult, simulate
    from vecdecay.run.sweep import sweep
    from vecdecay.run.why import Why, why
    from vecdecay.sessions import *
    from vecdecay.sessions import events
    from vecdecay.sessions.events import Event, EventKind
    from vecdecay.sessions.relearning import relearning
    from vecdecay.sessions.session import Session, session_of
    from vecdecay.sessions.trace import Trace
    from vecdecay.sessions.workload import Workload

_HOMES = {
    "engines": ("reference",),
    "engines.played": ("PlayedSession", "play"),
    "errors": ("InvalidInputError", "OutputError", "VecdecayError"),
    "items": ("category_number",),
    "policies.own": ("with_capacity",),
    "run.bounds": ("Bounds", "bounds"),
    "run.compare": ("Comparison", "compare"),
    "run.curve": ("Curve", "curve"),
    "run.front": ("Front", "front"),
    "run.open_run": ("Run", "open_run"),
    "run.recommend": ("Recommendation", "recommend"),
    "run.sensitivity": ("Sensitivity", "sensitivity"),
    "run.simulate": ("SimulationResult", "simulate"),
    "run.sweep": ("sweep",),
    "run.why": ("Why", "why"),
    "sessions": ("events",),
    "sessions.events": ("Event", "EventKind"),
    "sessions.relearning": ("relearning",),
    "sessions.session": ("Session", "session_of"),
    "sessions.trace": ("Trace",),
}
"""Module → its public names, but for those of policies and workloads, which their packages list."""

_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ActR",
    "AgentMemoryManager",
    "AgentMemoryTiers",
    "Belady",
    "Bounds",
    "BudgetPressure",
    "BurstThenSilence",
    "ChangingFacts",
    "Comparison",
    "Curve",
    "Drift",
    "Ebbinghaus",
    "EstablishSilenceResurface",
    "Event",
    "EventKind",
    "Fifo",
    "ForgetRequests",
    "Front",
    "Fsrs6",
    "Gdsf",
    "GenerativeAgentsRecency",
    "HalfLifeRegression",
    "HazardPolicy",
    "HistoryPolicy",
    "ImportancePrune",
    "InvalidInputError",
    "KeepAll",
    "LangChainRecency",
    "LangMem",
    "Letta",
    "Lfu",
    "LightMem",
    "LongProject",
    "Lru",
    "McpMemoryService",
    "MemGpt",
    "MemoryBank",
    "MemoryBankAsPublished",
    "MemoryDecayCore",
    "MemoryOs",
    "MemoryOsAsPublished",
    "Mixture",
    "NeverRecalled",
    "OutputError",
    "Periodic",
    "PlayedSession",
    "PublishedSessions",
    "RandomEviction",
    "RareCritical",
    "RecencyBiased",
    "RecencyWindow",
    "Recommendation",
    "Run",
    "S3Fifo",
    "Sensitivity",
    "Session",
    "Sieve",
    "SimpleMem",
    "SimulationResult",
    "Sm2",
    "StatefulPolicy",
    "SteadyUse",
    "TablePolicy",
    "TieredForgettingCurve",
    "TimeToLive",
    "Trace",
    "UniformRecalls",
    "VecdecayError",
    "Why",
    "Workload",
    "YourMemory",
    "YourMemoryGraph",
    "ZipfRecalls",
    "__version__",
    "bounds",
    "category_number",
    "compare",
    "curve",
    "events",
    "front",
    "open_run",
    "play",
    "recommend",
    "reference",
    "relearning",
    "sensitivity",
    "session_of",
    "simulate",
    "sweep",
    "why",
    "with_capacity",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in __all__:
        from vecdecay.parameters import did_you_mean

        raise AttributeError(f"module 'vecdecay' has no attribute {name!r}{did_you_mean(name, __all__)}")
    for home in [_HOME_OF[name]] if name in _HOME_OF else ["policies", "sessions"]:
        module = importlib.import_module(f"vecdecay.{home}")
        if name in ("events", "reference"):  # modules themselves
            module = importlib.import_module(f"vecdecay.{home}.{name}")
            globals()[name] = module
        elif hasattr(module, name):
            globals()[name] = getattr(module, name)
    return globals()[name]


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
