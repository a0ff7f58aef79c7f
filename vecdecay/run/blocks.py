"""How many sessions are played together: one rule for every way of playing and for every place that asks."""

from collections.abc import Sequence

from vecdecay.engines.memory import BYTES_PER_BLOCK
from vecdecay.engines.registry import AUTO, block_bytes, can_stream, chosen_engine
from vecdecay.policies.base import Policy
from vecdecay.run.plan import Plan
from vecdecay.sessions.source import Source
from vecdecay.store.tables import rows_per_session
from vecdecay.sweepfile.model import SweepSpec

BLOCK_MULTIPLE = 4096
"""Sessions of a block of ordinary size: a multiple of the 256 seeds that the generator advances side by side."""

LOCKSTEP_BLOCK = 1024
STREAMED_BLOCKS = 2
COUNTED_BLOCKS = 16
"""Sessions of which only counts are kept take no room: so many blocks of them, some 20 ms, are played at once."""

# Between two blocks a run can be asked to end, and should within a second: the scalar engine plays two million
# item-turns in that time.
_REFERENCE_ITEM_TURNS = 1_000_000


def streams(spec: SweepSpec, workload: Source, policies: Sequence[Policy]) -> bool:
    """Tell whether a sweep plays these policies while the sessions are generated."""
    return not spec.asked and can_stream(workload, policies, spec.engine, spec.detail, spec.checkpoints)


def why_value_by_value(spec: SweepSpec) -> str:
    """Return why every value on an axis of a policy is played by itself; "" where those that no session tells apart are
    played once, while the sessions are generated.
    """
    if spec.detail != "cells":
        return f"detail {spec.detail} keeps rows of each cell"
    if spec.checkpoints:
        return "checkpoints are measured in each cell"
    if spec.engine not in (AUTO, "horizon"):
        return f"engine {spec.engine} is asked for"
    others = [one.policy.name for one in spec.policies if not streams(spec, spec.workload, [one.policy])]
    if len(others) == len(spec.policies):
        return f"sessions of {spec.workload.name} are played block by block"
    return f"{', '.join(others)} cannot be counted while sessions are generated" if others else ""


def sessions_per_block(plan: Plan, workload: Source, policies: Sequence[Policy]) -> int:
    """Return how many sessions are played together; fewer where they are large or their seeds are long texts."""
    spec, sizes = plan.spec, workload.sizes()
    engines = {chosen_engine(spec.engine, policy) for policy in policies}
    by_table = engines == {"horizon"}
    if streams(spec, workload, policies):
        most = (COUNTED_BLOCKS if spec.detail == "cells" else STREAMED_BLOCKS) * BLOCK_MULTIPLE
    else:
        most = BLOCK_MULTIPLE if by_table and spec.detail in ("cells", "sessions") else LOCKSTEP_BLOCK
    if "reference" in engines:
        most = min(most, _REFERENCE_ITEM_TURNS // (sizes.turns * max(1, sizes.items)))
    detail = spec.detail
    each = block_bytes(
        sizes, 1, not by_table, detail == "items", detail == "turns", detail == "misses" or bool(spec.asked)
    )
    # The text of one batch has at most 2**31 bytes.
    each += plan.seed_text * rows_per_session(spec.detail, sizes)
    return max(1, min(most, BYTES_PER_BLOCK // each))
