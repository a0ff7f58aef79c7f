"""What noise a seeded workload has: parameters that all of them share, and what follows from them."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from vecdecay.parameters import Described, parameter
from vecdecay.sessions.draws import weight_table
from vecdecay.sessions.steps import most_of_poisson

PROCESSES = ("constant", "poisson", "bursty")
_MOST_PER_TURN = 10_000
_NEGLIGIBLE = 2.0**-80  # of the largest weight: far below the 62 bits of a draw


@dataclass(frozen=True)
class NoiseParameters(Described):
    """Noise items: how many a turn registers, and whether they are ever recalled.

    Process "bursty": the session falls into stretches of ``noise_burst_turns`` turns; one in
    ``1 / noise_burst_share`` of them is a burst and holds all the noise, the mean over the session being
    ``noise_per_turn`` still. After each touch a noise item is recalled again with
    ``noise_recall_probability``, one turn and an exponential time later.
    """

    noise_per_turn: float = parameter(
        3.0, at_least=0.0, at_most=_MOST_PER_TURN, unit="items", meaning="noise items registered per turn, on average"
    )
    noise_process: str = parameter(
        "constant",
        choices=PROCESSES,
        meaning="how the number of noise items varies from turn to turn",
    )
    noise_burst_turns: int = parameter(
        5, at_least=1, at_most=2**31 - 1, unit="turns", meaning="length of a burst of noise; read by the process bursty"
    )
    noise_burst_share: float = parameter(
        0.2, at_least=1e-3, at_most=1.0, meaning="share of the turns that lie in bursts; read by the process bursty"
    )
    noise_recall_probability: float = parameter(
        0.0, at_least=0.0, at_most=0.999, meaning="chance that a noise item is recalled (again) after a touch"
    )
    noise_recall_gap: float = parameter(
        5.0, at_least=0.0, at_most=1e9, unit="turns", meaning="mean time to such a recall, beyond the one turn it takes"
    )

    def noise_problems(self) -> list[str]:
        """Return what is wrong with the noise parameters together."""
        name, mean = type(self).__name__, self.noise_per_turn
        if self.noise_process == "constant" and mean != math.floor(mean):
            return [f"{name}.noise_per_turn is {mean}; allowed with noise_process constant: a whole number"]
        if self.noise_process == "bursty" and mean / self.noise_burst_share > _MOST_PER_TURN:
            product = mean / self.noise_burst_share
            return [f"{name}.noise_per_turn / noise_burst_share is {product}; allowed: at most {_MOST_PER_TURN}"]
        return []

    @property
    def noise_is_uniform(self) -> bool:
        """Tell whether every turn of every session registers the same number of items that nothing recalls."""
        return self.noise_per_turn == 0.0 or (self.noise_process == "constant" and self.noise_recall_probability == 0.0)

    @property
    def burst_share(self) -> float:
        """Return the share of stretches that hold noise: 1 unless it comes in bursts."""
        return self.noise_burst_share if self.noise_process == "bursty" else 1.0

    def noise_table(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the chances of each number of noise items in a turn that holds any, as ``draws.weight_table`` does."""
        return _poisson_table(self.noise_per_turn / self.burst_share, self.noise_process == "constant")

    def most_noise_items(self, session_length: int) -> int:
        """Return a bound on the noise items of a session, broken with a probability far below 1e-20."""
        mean = self.noise_per_turn
        if self.noise_process == "constant":
            return int(mean) * session_length
        if self.noise_process == "poisson":
            return most_of_poisson(mean * session_length)
        stretches = -(-session_length // self.noise_burst_turns)
        share = self.noise_burst_share
        bursts = min(
            stretches, math.ceil(stretches * share + 10.0 * math.sqrt(stretches * share * (1.0 - share)) + 20.0)
        )
        turns = min(session_length, bursts * self.noise_burst_turns)
        return most_of_poisson(mean / share * turns)

    def most_noise_recalls(self, session_length: int) -> int:
        """Return a bound on the recalls of noise items in a session, broken with a probability far below 1e-20."""
        items, chance = self.most_noise_items(session_length), self.noise_recall_probability
        if chance == 0.0 or items == 0:
            return 0
        # A geometric number per item, whose variance is mean / (1 - chance); an item has at most one recall per turn.
        mean = items * chance / (1.0 - chance)
        bound = mean + 10.0 * math.sqrt(mean / (1.0 - chance)) + 50.0 / (1.0 - chance)
        return min(math.ceil(bound), items * (session_length - 1))


@lru_cache(maxsize=64)
def _poisson_table(mean: float, is_constant: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the table of a Poisson number, or of the constant ``mean``.

    Weights come from the likeliest number outward, by products and quotients alone, which are the same on any machine.
    """
    if is_constant:
        return weight_table([0.0] * int(mean) + [1.0])
    mode = int(mean)
    below, above = [1.0], [1.0]
    while below[-1] > _NEGLIGIBLE and len(below) <= mode:
        below.append(below[-1] * (mode + 1 - len(below)) / mean)
    while above[-1] > _NEGLIGIBLE:
        above.append(above[-1] * mean / (mode + len(above)))
    unreached = [0.0] * (mode + 1 - len(below))
    return weight_table([*unreached, *reversed(below), *above[1:]])
