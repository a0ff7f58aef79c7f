"""What is forgotten: one file per policy."""

from vecdecay.policies.act_r import ActR
from vecdecay.policies.base import Policy, TablePolicy
from vecdecay.policies.belady import Belady
from vecdecay.policies.cache import CachePolicy
from vecdecay.policies.ebbinghaus import Ebbinghaus
from vecdecay.policies.fifo import Fifo
from vecdecay.policies.fsrs6 import Fsrs6
from vecdecay.policies.gdsf import Gdsf
from vecdecay.policies.generative_agents_recency import GenerativeAgentsRecency
from vecdecay.policies.half_life_regression import HalfLifeRegression
from vecdecay.policies.importance_prune import ImportancePrune
from vecdecay.policies.keep_all import KeepAll
from vecdecay.policies.langchain_recency import LangChainRecency
from vecdecay.policies.lfu import Lfu
from vecdecay.policies.lru import Lru
from vecdecay.policies.memory_bank import MemoryBank
from vecdecay.policies.memory_bank_as_published import MemoryBankAsPublished
from vecdecay.policies.memory_decay_core import MemoryDecayCore
from vecdecay.policies.random_eviction import RandomEviction
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.policies.s3_fifo import S3Fifo
from vecdecay.policies.sieve import Sieve
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
    Lru,
    Fifo,
    Lfu,
    Sieve,
    S3Fifo,
    Gdsf,
    RandomEviction,
    Belady,
)
"""Every policy that a sweep file can name, in the order in which ``vecdecay list`` shows them."""

__all__ = [
    "POLICIES",
    "ActR",
    "Belady",
    "CachePolicy",
    "Ebbinghaus",
    "Fifo",
    "Fsrs6",
    "Gdsf",
    "GenerativeAgentsRecency",
    "HalfLifeRegression",
    "HazardPolicy",
    "HistoryPolicy",
    "ImportancePrune",
    "KeepAll",
    "LangChainRecency",
    "Lfu",
    "Lru",
    "MemoryBank",
    "MemoryBankAsPublished",
    "MemoryDecayCore",
    "Policy",
    "RandomEviction",
    "RecencyWindow",
    "S3Fifo",
    "Sieve",
    "Sm2",
    "StatefulPolicy",
    "TablePolicy",
    "TieredForgettingCurve",
    "TimeToLive",
    "YourMemory",
]
