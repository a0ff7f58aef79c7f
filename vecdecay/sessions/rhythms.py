"""Every workload but the mixture: what a mixture can be made of."""

from vecdecay.sessions.budget_pressure import BudgetPressure
from vecdecay.sessions.burst_then_silence import BurstThenSilence
from vecdecay.sessions.drift import Drift
from vecdecay.sessions.establish_silence_resurface import EstablishSilenceResurface
from vecdecay.sessions.long_project import LongProject
from vecdecay.sessions.never_recalled import NeverRecalled
from vecdecay.sessions.periodic import Periodic
from vecdecay.sessions.published import PublishedSessions
from vecdecay.sessions.rare_critical import RareCritical
from vecdecay.sessions.recency_biased import RecencyBiased
from vecdecay.sessions.steady_use import SteadyUse
from vecdecay.sessions.uniform_recalls import UniformRecalls
from vecdecay.sessions.workload import Workload
from vecdecay.sessions.zipf_recalls import ZipfRecalls

RHYTHMS: tuple[type[Workload], ...] = (
    PublishedSessions,
    UniformRecalls,
    SteadyUse,
    BurstThenSilence,
    EstablishSilenceResurface,
    NeverRecalled,
    ZipfRecalls,
    RecencyBiased,
    Periodic,
    RareCritical,
    Drift,
    BudgetPressure,
    LongProject,
)
"""The workloads that stand for themselves, in the order in which they are shown."""
