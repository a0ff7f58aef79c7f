"""Any weighted mix of workloads: each session is of one of them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from vecdecay.errors import InvalidInputError
from vecdecay.parameters import Check, Refused, brief, parameter
from vecdecay.sessions.block import SessionBlock
from vecdecay.sessions.draws import plain, seed_key, seed_keys, weight_table
from vecdecay.sessions.joining import joined
from vecdecay.sessions.mersenne import Seeds
from vecdecay.sessions.mixture_kernel import choose_component, choose_components
from vecdecay.sessions.session import Session
from vecdecay.sessions.streams import WORKLOAD_IDS
from vecdecay.sessions.workload import Sizes, Workload
from vecdecay.sessions.workload_text import text_of_workload, workload_of_text

_SUM_TOLERANCE = 1e-9


@dataclass(frozen=True)
class Mixture(Workload):
    """Sessions of several workloads, each session of one that is drawn by weight.

    ``workloads`` holds a text for each: a name, or a name with parameters in brackets,
    ``zipf_recalls(zipf_exponent=2)``; workload objects are taken too, and kept as such texts. A session is, to the bit,
    the one that its workload makes of the same seed: so a mixture of one workload is that workload.

    The question: what does a policy come to where nobody knows beforehand how it will be used? At the defaults
    (100,000 seeds) the foundational recall rate is 0.564 under Ebbinghaus and 0.023 under RecencyWindow; the spread
    over sessions is the mix's, not luck.

    >>> mixture = Mixture(["published_sessions", "steady_use(recalls_per_turn=0.2)"], (0.75, 0.25))
    >>> [mixture.component_of(seed) for seed in range(8)]
    [0, 1, 0, 1, 0, 1, 0, 0]
    >>> Mixture(["steady_use"], (1.0,)).session(3) == workload_of_text("steady_use").session(3)
    True
    """

    name: ClassVar[str] = "mixture"
    summary: ClassVar[str] = "a weighted mix: each session is of one of several workloads"
    source: ClassVar[str] = "this program"

    workloads: tuple[str, ...] = parameter(
        ("uniform_recalls", "steady_use", "burst_then_silence", "establish_silence_resurface", "never_recalled"),
        meaning="the workloads, each a name or name(parameter=value, ...)",
    )
    shares: tuple[float, ...] = parameter(
        (0.2, 0.2, 0.2, 0.2, 0.2), at_least=0.0, at_most=1.0, meaning="share of each workload; their sum is 1"
    )

    def __post_init__(self) -> None:
        """Turn workload objects into texts, then check everything."""
        given: Any = self.workloads
        if type(given) is not Refused and isinstance(given, Iterable) and not isinstance(given, str):
            texts = tuple(text_of_workload(one) if isinstance(one, Workload) else one for one in given)
            object.__setattr__(self, "workloads", texts)
        super().__post_init__()

    def checks(self) -> Sequence[Check]:
        """Return the checks of each workload, of the shares' number and sum, and of what fits a session."""
        return (self.workload_problems, self.number_problems, self.share_problems, *super().checks())

    def workload_problems(self) -> list[str]:
        """Refuse texts that are no workload; all mistakes in all of them are named."""
        return list(self._read_workloads[1])

    def number_problems(self) -> list[str]:
        """Refuse more or fewer shares than workloads."""
        if len(self.shares) == len(self.workloads):
            return []
        given = f"{len(self.workloads)} workloads and {len(self.shares)} shares"
        return [f"Mixture has {given}; allowed: as many of the one as of the other"]

    def share_problems(self) -> list[str]:
        """Refuse shares that are not of one whole."""
        total = math.fsum(self.shares)
        if abs(total - 1.0) <= _SUM_TOLERANCE:
            return []
        return [f"Mixture.shares is {brief(self.shares)}, of sum {total:g}; allowed: a sum of 1"]

    def problems(self) -> list[str]:
        """Find no fault: each of the workloads has seen to it that its items fit."""
        return []

    def touch_problems(self) -> list[str]:
        """Refuse touches that do not fit, where all workloads tell how many there are; noise in a mixture has some."""
        return [] if self.workload_problems() else super().touch_problems()

    @cached_property
    def _read_workloads(self) -> tuple[tuple[Workload, ...], tuple[str, ...]]:
        """Return the workloads that the texts stand for, and what is wrong with the texts that stand for none."""
        workloads: list[Workload] = []
        found: list[str] = []
        for place, text in enumerate(self.workloads):
            try:
                workloads.append(workload_of_text(text))
            except InvalidInputError as error:
                found += [f"Mixture.workloads[{place}]: {line}" for line in error.problems]
            else:
                if workloads[-1].has_relations:
                    line = f"is {workloads[-1].name}, whose items relate to each other; allowed: others"
                    found.append(f"Mixture.workloads[{place}] {line}")
        return tuple(workloads), tuple(found)

    @property
    def components(self) -> tuple[Workload, ...]:
        """Return the workloads."""
        return self._read_workloads[0]

    @property
    def has_token_sizes(self) -> bool:
        """Tell whether some item may have a size other than 1."""
        return any(component.has_token_sizes for component in self.components)

    def component_of(self, seed: int) -> int:
        """Return which of the workloads makes the session of a seed."""
        thresholds, guide = (table.tolist() for table in weight_table(self.shares))
        return plain(choose_component)(seed_key(seed), WORKLOAD_IDS[self.name], thresholds, guide)

    def session(self, seed: int) -> Session:
        """Return the session that the drawn workload makes of the seed."""
        return self.components[self.component_of(seed)].session(seed)

    def block(self, seeds: Seeds) -> SessionBlock:
        """Return the sessions of many seeds, each made by the workload drawn for it."""
        if len(self.components) == 1:
            return self.components[0].block(seeds)
        keys = seed_keys(seeds)
        component = np.empty(len(keys), dtype=np.int64)
        choose_components(keys, WORKLOAD_IDS[self.name], *weight_table(self.shares), component)
        places = [np.flatnonzero(component == number) for number in range(len(self.components))]
        made = [
            (one.block(_chosen(seeds, keys, place)), place)
            for one, place in zip(self.components, places, strict=True)
            if len(place) > 0
        ]
        if not made:
            return self.components[0].block(seeds)
        return joined([block for block, _ in made], [place for _, place in made])

    def sizes(self) -> Sizes:
        """Return bounds for one session: each the largest of any workload, cohorts listed where they may have to be."""
        each = [component.sizes() for component in self.components]
        if len(each) == 1:
            return each[0]
        return Sizes(
            items=max(one.items for one in each),
            listed_items=max(one.items for one in each),
            touches=max(one.touches + one.items - one.listed_items for one in each),
            turns=max(one.turns for one in each),
            draws=max(one.draws for one in each),
        )


def _chosen(seeds: Seeds, keys: NDArray[np.int64], places: NDArray[np.int64]) -> Seeds:
    """Return the seeds at some places. A seed that fits 64 bits with its sign is its own key."""
    if isinstance(seeds, np.ndarray):
        return seeds[places]
    if isinstance(seeds, range) and all(-(2**63) <= end < 2**63 for end in (seeds[0], seeds[-1])):
        return keys[places]
    return [seeds[place] for place in places.tolist()]
