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
    from vecdecay.policies import (
        ActR,
        AgentMemoryManager,
        AgentMemoryTiers,
        Belady,
        Ebbinghaus,
        Fifo,
        Fsrs6,
        Gdsf,
        GenerativeAgentsRecency,
        HalfLifeRegression,
        HazardPolicy,
        HistoryPolicy,
        ImportancePrune,
        KeepAll,
        LangChainRecency,
        LangMem,
        Letta,
        Lfu,
        LightMem,
        Lru,
        McpMemoryService,
        MemGpt,
        MemoryBank,
        MemoryBankAsPublished,
        MemoryDecayCore,
        MemoryOs,
        MemoryOsAsPublished,
        RandomEviction,
        RecencyWindow,
        S3Fifo,
        Sieve,
        SimpleMem,
        Sm2,
        StatefulPolicy,
        TablePolicy,
        TieredForgettingCurve,
        TimeToLive,
        YourMemory,
        YourMemoryGraph,
    )
    from vecdecay.policies.own import with_capacity
    from vecdecay.run.bounds import Bounds, bounds
    from vecdecay.run.compare import Comparison, compare
    from vecdecay.run.curve import Curve, curve
    from vecdecay.run.front import Front, front
    from vecdecay.run.open_run import Run, open_run
    from vecdecay.run.recommend import Recommendation, recommend
    from vecdecay.run.simulate import SimulationResult, simulate
    from vecdecay.run.sweep import sweep
    from vecdecay.run.why import Why, why
    from vecdecay.sessions import (
        BudgetPressure,
        BurstThenSilence,
        ChangingFacts,
        Drift,
        EstablishSilenceResurface,
        ForgetRequests,
        LongProject,
        Mixture,
        NeverRecalled,
        Periodic,
        PublishedSessions,
        RareCritical,
        RecencyBiased,
        SteadyUse,
        UniformRecalls,
        ZipfRecalls,
        events,
    )
    from vecdecay.sessions.events import Event, EventKind
    from vecdecay.sessions.relearning import relearning
    from vecdecay.sessions.session import Session, session_of
    from vecdecay.sessions.trace import Trace
    from vecdecay.sessions.workload import Workload

_MODULES = {"events", "reference"}
_HOME_OF = {
    "SimpleMem": "vecdecay.policies",
    "McpMemoryService": "vecdecay.policies",
    "YourMemoryGraph": "vecdecay.policies",
    "MemoryOsAsPublished": "vecdecay.policies",
    "MemoryOs": "vecdecay.policies",
    "LightMem": "vecdecay.policies",
    "Letta": "vecdecay.policies",
    "MemGpt": "vecdecay.policies",
    "LangMem": "vecdecay.policies",
    "AgentMemoryTiers": "vecdecay.policies",
    "AgentMemoryManager": "vecdecay.policies",
    "ActR": "vecdecay.policies",
    "Belady": "vecdecay.policies",
    "Bounds": "vecdecay.run.bounds",
    "Comparison": "vecdecay.run.compare",
    "BudgetPressure": "vecdecay.sessions",
    "BurstThenSilence": "vecdecay.sessions",
    "LongProject": "vecdecay.sessions",
    "ChangingFacts": "vecdecay.sessions",
    "ForgetRequests": "vecdecay.sessions",
    "Curve": "vecdecay.run.curve",
    "Drift": "vecdecay.sessions",
    "Ebbinghaus": "vecdecay.policies",
    "EstablishSilenceResurface": "vecdecay.sessions",
    "Event": "vecdecay.sessions.events",
    "EventKind": "vecdecay.sessions.events",
    "Fifo": "vecdecay.policies",
    "Fsrs6": "vecdecay.policies",
    "Gdsf": "vecdecay.policies",
    "Front": "vecdecay.run.front",
    "GenerativeAgentsRecency": "vecdecay.policies",
    "HalfLifeRegression": "vecdecay.policies",
    "HazardPolicy": "vecdecay.policies",
    "HistoryPolicy": "vecdecay.policies",
    "ImportancePrune": "vecdecay.policies",
    "InvalidInputError": "vecdecay.errors",
    "KeepAll": "vecdecay.policies",
    "LangChainRecency": "vecdecay.policies",
    "Lfu": "vecdecay.policies",
    "Lru": "vecdecay.policies",
    "MemoryBank": "vecdecay.policies",
    "MemoryBankAsPublished": "vecdecay.policies",
    "MemoryDecayCore": "vecdecay.policies",
    "Mixture": "vecdecay.sessions",
    "NeverRecalled": "vecdecay.sessions",
    "OutputError": "vecdecay.errors",
    "Periodic": "vecdecay.sessions",
    "PlayedSession": "vecdecay.engines.played",
    "PublishedSessions": "vecdecay.sessions",
    "RandomEviction": "vecdecay.policies",
    "RareCritical": "vecdecay.sessions",
    "RecencyBiased": "vecdecay.sessions",
    "RecencyWindow": "vecdecay.policies",
    "Recommendation": "vecdecay.run.recommend",
    "Run": "vecdecay.run.open_run",
    "S3Fifo": "vecdecay.policies",
    "Sensitivity": "vecdecay.run.sensitivity",
    "Session": "vecdecay.sessions.session",
    "Sieve": "vecdecay.policies",
    "SimulationResult": "vecdecay.run.simulate",
    "Sm2": "vecdecay.policies",
    "StatefulPolicy": "vecdecay.policies",
    "SteadyUse": "vecdecay.sessions",
    "TablePolicy": "vecdecay.policies",
    "TieredForgettingCurve": "vecdecay.policies",
    "TimeToLive": "vecdecay.policies",
    "Trace": "vecdecay.sessions.trace",
    "UniformRecalls": "vecdecay.sessions",
    "VecdecayError": "vecdecay.errors",
    "Why": "vecdecay.run.why",
    "Workload": "vecdecay.sessions.workload",
    "YourMemory": "vecdecay.policies",
    "ZipfRecalls": "vecdecay.sessions",
    "bounds": "vecdecay.run.bounds",
    "category_number": "vecdecay.items",
    "compare": "vecdecay.run.compare",
    "events": "vecdecay.sessions",
    "curve": "vecdecay.run.curve",
    "with_capacity": "vecdecay.policies.own",
    "front": "vecdecay.run.front",
    "open_run": "vecdecay.run.open_run",
    "play": "vecdecay.engines.played",
    "recommend": "vecdecay.run.recommend",
    "relearning": "vecdecay.sessions.relearning",
    "reference": "vecdecay.engines",
    "sensitivity": "vecdecay.run.sensitivity",
    "session_of": "vecdecay.sessions.session",
    "simulate": "vecdecay.run.simulate",
    "sweep": "vecdecay.run.sweep",
    "why": "vecdecay.run.why",
}

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
    "session_of",
    "simulate",
    "sweep",
    "why",
    "with_capacity",
]


def __getattr__(name: str) -> Any:
    """Load a public name on first use."""
    if name not in _HOME_OF:
        from vecdecay.parameters import did_you_mean

        raise AttributeError(f"module 'vecdecay' has no attribute {name!r}{did_you_mean(name, _HOME_OF)}")
    home = importlib.import_module(_HOME_OF[name])
    value = importlib.import_module(f"{_HOME_OF[name]}.{name}") if name in _MODULES else getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return __all__
