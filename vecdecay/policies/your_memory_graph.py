"""YourMemory with its graph: linked items protect each other, and one recall raises its neighbours."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from vecdecay.items import Attributes
from vecdecay.policies.rules import Rules
from vecdecay.policies.system import Held, SystemPolicy, View, same_as
from vecdecay.policies.your_memory import YourMemory


@dataclass(frozen=True)
class YourMemoryGraph(SystemPolicy):
    """The strength of :class:`YourMemory`; what is below the threshold stays while a neighbour's noted strength is not.

    Neighbours are linked directly: the items that one was derived from, and those derived from it (``sources``). A
    recall that hits adds one recall to each neighbour too, whose age goes on. The job looks at item after item, in the
    order in which they came. An item at or above the threshold has its strength noted. One below is deleted, unless the
    strength noted of a neighbour is at or above the threshold: and as it is noted only where it is not below, it stays
    there for as long as the neighbour is held. So two linked items that both have decayed keep each other for ever;
    the documentation has it that neighbours protect while they are strong. The noted strength is at first the
    importance.

    Left out: how the source links items (embeddings and parsed sentences; edges of a weight that decides nothing here),
    that the end of a session counts what it returned once more, and merging near duplicates.

    Source: sachitrafa/YourMemory @5a08d419, src/jobs/decay_job.py, src/graph/graph_store.py, networkx_backend.py,
    src/services/retrieve.py; licence CC BY-NC 4.0.

    >>> YourMemoryGraph().eviction_threshold
    0.05
    """

    name: ClassVar[str] = "your_memory_graph"
    summary: ClassVar[str] = "your_memory, where linked items protect each other and a recall raises its neighbours"
    formula: ClassVar[str] = (
        f"{YourMemory.formula}, and no linked item has a noted strength of eviction_threshold or more"
    )
    source: ClassVar[str] = "sachitrafa/YourMemory @5a08d419, src/jobs/decay_job.py, src/graph/graph_store.py"
    time_unit: ClassVar[str] = "day"

    eviction_threshold: float = same_as(YourMemory, "eviction_threshold")
    fact_rate: float = same_as(YourMemory, "fact_rate")
    assumption_rate: float = same_as(YourMemory, "assumption_rate")
    failure_rate: float = same_as(YourMemory, "failure_rate")
    strategy_rate: float = same_as(YourMemory, "strategy_rate")
    clock: str = same_as(YourMemory, "clock")
    turns_per_day: int = same_as(YourMemory, "turns_per_day")
    job_period_hours: float = same_as(YourMemory, "job_period_hours")
    single_rate: bool = same_as(YourMemory, "single_rate")

    def problems(self) -> list[str]:
        """Refuse what the isolated node refuses."""
        return YourMemory.problems(self)  # type: ignore[arg-type]

    def _period_turns(self) -> float:
        return YourMemory._period_turns(self)  # type: ignore[arg-type]

    def rules(self) -> Rules:
        """Look when the job runs, as the isolated node does."""
        return _node(self).rules()

    def on_insert(self, view: View, new: Held) -> None:
        """Note the importance as the strength."""
        new.notes = new.importance

    def on_recall(self, view: View, found: Held) -> None:
        """Count a recall of each neighbour."""
        for one in view.linked(found):
            one.recalls += 1

    def on_pass(self, view: View) -> None:
        """Note strengths, and delete what nothing protects."""
        node = _node(self)
        inclusive = node.rules().inclusive
        for one in list(view.held.values()):
            age, item = view.now - one.touched + inclusive, Attributes(one.importance, one.category)
            strength = node.retention(age, one.recalls + 1, item)
            if strength >= self.eviction_threshold:
                one.notes = strength
            elif not any(other.notes >= self.eviction_threshold for other in view.linked(one)):
                view.drop(one, decayed=True)


@lru_cache(maxsize=256)
def _node(policy: YourMemoryGraph) -> YourMemory:
    return YourMemory(**policy.own_values())
