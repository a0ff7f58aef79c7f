"""What is forgotten: one file per policy."""

from vecdecay.policies.act_r import ActR
from vecdecay.policies.agent_memory_manager import AgentMemoryManager
from vecdecay.policies.agent_memory_tiers import AgentMemoryTiers
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
from vecdecay.policies.lang_mem import LangMem
from vecdecay.policies.langchain_recency import LangChainRecency
from vecdecay.policies.letta import Letta
from vecdecay.policies.lfu import Lfu
from vecdecay.policies.light_mem import LightMem
from vecdecay.policies.lru import Lru
from vecdecay.policies.mcp_memory_service import McpMemoryService
from vecdecay.policies.mem_gpt import MemGpt
from vecdecay.policies.memory_bank import MemoryBank
from vecdecay.policies.memory_bank_as_published import MemoryBankAsPublished
from vecdecay.policies.memory_decay_core import MemoryDecayCore
from vecdecay.policies.memory_os import MemoryOs
from vecdecay.policies.memory_os_as_published import MemoryOsAsPublished
from vecdecay.policies.random_eviction import RandomEviction
from vecdecay.policies.recency_window import RecencyWindow
from vecdecay.policies.s3_fifo import S3Fifo
from vecdecay.policies.sieve import Sieve
from vecdecay.policies.simple_mem import SimpleMem
from vecdecay.policies.sm2 import Sm2
from vecdecay.policies.stateful import HazardPolicy, HistoryPolicy, StatefulPolicy
from vecdecay.policies.system import SystemPolicy
from vecdecay.policies.tiered_forgetting_curve import TieredForgettingCurve
from vecdecay.policies.time_to_live import TimeToLive
from vecdecay.policies.your_memory import YourMemory
from vecdecay.policies.your_memory_graph import YourMemoryGraph

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
    AgentMemoryManager,
    AgentMemoryTiers,
    LangMem,
    MemGpt,
    Letta,
    LightMem,
    MemoryOs,
    MemoryOsAsPublished,
    YourMemoryGraph,
    McpMemoryService,
    SimpleMem,
)
"""Every policy that a sweep file can name, in the order in which ``vecdecay list`` shows them."""

__all__ = [
    "POLICIES",
    "ActR",
    "AgentMemoryManager",
    "AgentMemoryTiers",
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
    "LangMem",
    "Letta",
    "Lfu",
    "LightMem",
    "Lru",
    "McpMemoryService",
    "MemGpt",
    "MemoryBank",
    "MemoryBankAsPublished",
    "MemoryDecayCore",
    "MemoryOs",
    "MemoryOsAsPublished",
    "Policy",
    "RandomEviction",
    "RecencyWindow",
    "S3Fifo",
    "Sieve",
    "SimpleMem",
    "Sm2",
    "StatefulPolicy",
    "SystemPolicy",
    "TablePolicy",
    "TieredForgettingCurve",
    "TimeToLive",
    "YourMemory",
    "YourMemoryGraph",
]
