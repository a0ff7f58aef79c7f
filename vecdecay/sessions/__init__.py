"""What happens: sessions as data, and the workloads that generate them."""

from vecdecay.sessions.budget_pressure import BudgetPressure
from vecdecay.sessions.burst_then_silence import BurstThenSilence
from vecdecay.sessions.changing_facts import ChangingFacts
from vecdecay.sessions.drift import Drift
from vecdecay.sessions.establish_silence_resurface import EstablishSilenceResurface
from vecdecay.sessions.forget_requests import ForgetRequests
from vecdecay.sessions.long_project import LongProject
from vecdecay.sessions.mixture import Mixture
from vecdecay.sessions.never_recalled import NeverRecalled
from vecdecay.sessions.periodic import Periodic
from vecdecay.sessions.published import PublishedSessions
from vecdecay.sessions.rare_critical import RareCritical
from vecdecay.sessions.recency_biased import RecencyBiased
from vecdecay.sessions.rhythms import RHYTHMS
from vecdecay.sessions.steady_use import SteadyUse
from vecdecay.sessions.uniform_recalls import UniformRecalls
from vecdecay.sessions.workload import Workload
from vecdecay.sessions.zipf_recalls import ZipfRecalls

WORKLOADS: tuple[type[Workload], ...] = (*RHYTHMS, Mixture, ChangingFacts, ForgetRequests)
"""Every workload that a sweep file can name, in the order in which ``vecdecay list`` shows them."""

__all__ = [
    "WORKLOADS",
    "BudgetPressure",
    "BurstThenSilence",
    "ChangingFacts",
    "Drift",
    "EstablishSilenceResurface",
    "ForgetRequests",
    "LongProject",
    "Mixture",
    "NeverRecalled",
    "Periodic",
    "PublishedSessions",
    "RareCritical",
    "RecencyBiased",
    "SteadyUse",
    "UniformRecalls",
    "Workload",
    "ZipfRecalls",
]
