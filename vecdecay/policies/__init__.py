"""What is forgotten: one file per policy."""

from vecdecay.policies.act_r import ActR
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.fsrs6 import Fsrs6
from vecdecay.policies.generative_agents_recency import GenerativeAgentsRecency
from vecdecay.policies.half_life_regression import HalfLifeRegression
from vecdecay.policies.importance_prune import ImportancePrune
from vecdecay.policies.keep_all import KeepAll
from vecdecay.policies.langchain_recency import LangChainRecency
from vecdecay.policies.memory_bank import MemoryBank
from vecdecay.policies.memory_bank_as_published import MemoryBankAsPublished
from vecdecay.policies.memory_decay_core import MemoryDecayCore
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.policies.sm2 import Sm2
from vecdecay.policies.stateful import HazardPolicy, HistoryPolicy, StatefulPolicy
from vecdecay.policies.tiered_forgetting_curve import TieredForgettingCurve
from vecdecay.policies.time_to_live import TimeToLive
from vecdecay.policies.your_memory import YourMemory

POLICIES: tuple[type[Policy], ...] = (
    Ebbinghaus,
    RecencyWindow,
    KeepAll,
    TimeToLive,
    MemoryBank,
    MemoryBankAsPublished,
    YourMemory,
    ImportancePrune,
    TieredForgettingCurve,
    HalfLifeRegression,
    Sm2,
    LangChainRecency,
    GenerativeAgentsRecency,
    Fsrs6,
    ActR,
    MemoryDecayCore,
)
"""Every policy that a sweep file can name, in the order in which ``vecdecay list`` shows them."""

__all__ = [
    "POLICIES",
    "ActR",
    "Ebbinghaus",
    "Fsrs6",
    "GenerativeAgentsRecency",
    "HalfLifeRegression",
    "HazardPolicy",
    "HistoryPolicy",
    "ImportancePrune",
    "KeepAll",
    "LangChainRecency",
    "MemoryBank",
    "MemoryBankAsPublished",
    "MemoryDecayCore",
    "Policy",
    "RecencyWindow",
    "Sm2",
    "StatefulPolicy",
    "TablePolicy",
    "TieredForgettingCurve",
    "TimeToLive",
    "YourMemory",
]
