"""What the items of a seeded workload are like: parameters that all of them share, and what follows from them."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vecdecay.items import CATEGORIES, Attributes
from vecdecay.parameters import Described, parameter
from vecdecay.sessions import attributes_kernel as kernels
from vecdecay.sessions.draws import plain, weight_table

IMPORTANCE_DISTRIBUTIONS = {"constant": kernels.CONSTANT, "uniform": kernels.UNIFORM, "beta": kernels.BETA}
TOKEN_DISTRIBUTIONS = {"constant": kernels.CONSTANT, "lognormal": kernels.LOGNORMAL, "pareto": kernels.PARETO}

_SMALLEST_SHAPE = 0.1
_SUM_TOLERANCE = 1e-9


@dataclass(frozen=True)
class AttributeParameters(Described):
    """Importance, category, pins and sizes of items.

    Importance is rounded to hundredths, so that a policy that reads it has at most 101 tables. It can follow an item's
    use, r / (r + ``importance_half_recalls``) after the r recalls of the whole session, for a share
    ``importance_follows_use`` of the items; a negative share turns it upside down, so that what is used most is said to
    matter least. Sizes above 1,000,000 tokens are cut to that. A Pareto distribution of spread s has the tail exponent
    1 / s: without a mean from s = 1 on.
    """

    importance_distribution: str = parameter(
        "constant", choices=tuple(IMPORTANCE_DISTRIBUTIONS), meaning="how the importance of items is distributed"
    )
    importance_mean: float = parameter(
        0.5, at_least=0.0, at_most=1.0, meaning="importance of every item (constant), or its mean (beta)"
    )
    importance_concentration: float = parameter(
        4.0, above=0.0, at_most=1e6, meaning="sum of the two shapes of the beta distribution: large means alike"
    )
    importance_follows_use: float = parameter(
        0.0, at_least=-1.0, at_most=1.0, meaning="share of items whose importance follows from their recalls instead"
    )
    importance_half_recalls: float = parameter(
        4.0, above=0.0, at_most=1e9, unit="recalls", meaning="recalls that make an importance of one half then"
    )
    importance_advantage: float = parameter(
        0.0,
        at_least=-1.0,
        at_most=1.0,
        meaning="what foundational items have more of importance than noise, as far as 0 to 1 allows",
    )
    category_weights: tuple[float, ...] = parameter(
        (1.0, 0.0, 0.0, 0.0),
        length=len(CATEGORIES),
        at_least=0.0,
        at_most=1.0,
        meaning=f"shares of the categories {', '.join(CATEGORIES)}; their sum is 1",
    )
    pinned_share: float = parameter(
        0.0, at_least=0.0, at_most=1.0, meaning="chance that a foundational item is pinned; noise never is"
    )
    token_distribution: str = parameter(
        "constant", choices=tuple(TOKEN_DISTRIBUTIONS), meaning="how the sizes of items are distributed"
    )
    token_size: int = parameter(
        1,
        at_least=1,
        at_most=kernels.MOST_TOKENS,
        unit="tokens",
        meaning="size of every item (constant), the median (lognormal) or the smallest size (pareto)",
    )
    token_spread: float = parameter(
        1.0, at_least=0.0, at_most=10.0, meaning="sigma of the logarithm (lognormal), or 1 / tail exponent (pareto)"
    )

    def category_problems(self) -> list[str]:
        """Refuse shares of the categories that are no shares of a whole."""
        total = math.fsum(self.category_weights)
        if abs(total - 1.0) <= _SUM_TOLERANCE:
            return []
        where = f"{type(self).__name__}.category_weights"
        return [f"{where} is {self.category_weights}, of sum {total:g}; allowed: a sum of 1"]

    def importance_problems(self) -> list[str]:
        """Refuse a beta distribution that is too steep to be drawn from."""
        if self.importance_distribution != "beta":
            return []
        mean, sum_of_shapes = self.importance_mean, self.importance_concentration
        smaller = min(mean, 1.0 - mean) * sum_of_shapes
        if smaller >= _SMALLEST_SHAPE:
            return []
        return [
            f"{type(self).__name__}.importance_mean is {mean} and importance_concentration {sum_of_shapes}, which "
            f"makes a beta distribution whose smaller shape is {smaller:g}; allowed: at least {_SMALLEST_SHAPE}"
        ]

    @property
    def has_token_sizes(self) -> bool:
        """Tell whether some item may have a size other than 1."""
        return self.token_distribution != "constant" or self.token_size != 1

    @property
    def _importance_varies(self) -> bool:
        return self.importance_distribution != "constant" or self.importance_follows_use != 0.0

    @property
    def attributes_vary(self) -> bool:
        """Tell whether noise items differ in importance or category from each other."""
        return self._importance_varies or self._only_category < 0

    @property
    def _only_category(self) -> int:
        """Return the place of the one category that can occur, −1 where several can.

        A weight of 1 does not tell: the sum may be a little above 1, and so another weight a little above 0.
        """
        possible = [category for category, weight in enumerate(self.category_weights) if weight > 0.0]
        return possible[0] if len(possible) == 1 else -1

    @property
    def usual_attributes(self) -> Attributes:
        """Return the attributes of every item that is not pinned, where these do not vary."""
        return Attributes(self._constant_level(0) / kernels.LEVELS, CATEGORIES[self._only_category], False)

    def _constant_level(self, advantage: int) -> int:
        mean = self.importance_mean
        return plain(kernels.draw_importance)(0, 0, 0, 0, 0, kernels.CONSTANT, mean, 0.0, 0.0, 1.0, advantage, 0)

    @property
    def _advantage(self) -> int:
        return round(self.importance_advantage * kernels.LEVELS)

    @property
    def _importance_numbers(self) -> tuple[int, float, float, float, float]:
        distribution, mean, concentration = (
            self.importance_distribution,
            self.importance_mean,
            self.importance_concentration,
        )
        first, second = (mean * concentration, (1.0 - mean) * concentration) if distribution == "beta" else (mean, 0.0)
        return (
            IMPORTANCE_DISTRIBUTIONS[distribution],
            first,
            second,
            self.importance_follows_use,
            self.importance_half_recalls,
        )

    def attributes_at(
        self, key: int, workload: int, is_noise: bool, item: int, event: int, recalls: int
    ) -> tuple[Attributes, int]:
        """Return the attributes and the size of one item, by the arithmetic of :meth:`draw_items`, uncompiled."""
        streams = kernels.NOISE_STREAMS if is_noise else 0
        address = (key, workload, streams, item, event)
        thresholds, guide = (table.tolist() for table in weight_table(self.category_weights))
        level = plain(kernels.draw_importance)(
            *address, *self._importance_numbers, 0 if is_noise else self._advantage, recalls
        )
        category = plain(kernels.draw_category)(*address, thresholds, guide)
        pinned = not is_noise and plain(kernels.draw_pinned)(*address, self.pinned_share)
        size = float(self.token_size)
        tokens = plain(kernels.draw_tokens)(
            *address, TOKEN_DISTRIBUTIONS[self.token_distribution], size, self.token_spread
        )
        return Attributes(level / kernels.LEVELS, CATEGORIES[category], pinned), tokens

    def combinations(self) -> tuple[tuple[Attributes, ...], NDArray[np.int32]]:
        """Return the attributes that can occur, and for draw_attributes where each combination stands among them."""
        levels = set(range(kernels.LEVELS + 1))
        if not self._importance_varies:
            levels = {self._constant_level(0), self._constant_level(self._advantage)}
        place = np.zeros((kernels.LEVELS + 1) * kernels.CATEGORY_COUNT * 2, dtype=np.int32)
        found: list[Attributes] = []
        for level in sorted(levels):
            for category, weight in enumerate(self.category_weights):
                for pinned in (False, True) if self.pinned_share > 0.0 else (False,):
                    if weight > 0.0:
                        place[(level * kernels.CATEGORY_COUNT + category) * 2 + pinned] = len(found)
                        found.append(Attributes(level / kernels.LEVELS, CATEGORIES[category], pinned))
        return tuple(found), place

    def draw_items(
        self,
        keys: NDArray[np.int64],
        workload: int,
        item_start: NDArray[np.int64],
        item_kind: NDArray[np.int8],
        touch_start: NDArray[np.int64],
        touch_turn: NDArray[np.int32],
    ) -> tuple[tuple[Attributes, ...], NDArray[np.int32] | None, NDArray[np.int32] | None]:
        """Return ``attributes``, ``item_attributes`` and ``item_tokens`` of a block; shapes as in SessionBlock."""
        num_items = len(item_kind)
        attributes, place = self.combinations()
        item_attributes = np.empty(num_items if len(attributes) > 1 else 0, dtype=np.int32)
        item_tokens = np.empty(num_items if self.has_token_sizes else 0, dtype=np.int32)
        if num_items > 0 and (len(item_attributes) > 0 or len(item_tokens) > 0):
            kernels.draw_attributes(
                keys,
                workload,
                item_start,
                item_kind,
                touch_start,
                touch_turn,
                *self._importance_numbers,
                self._advantage,
                self._only_category,
                *weight_table(self.category_weights),
                self.pinned_share,
                TOKEN_DISTRIBUTIONS[self.token_distribution],
                float(self.token_size),
                self.token_spread,
                place,
                item_attributes,
                item_tokens,
            )
        return (
            attributes,
            item_attributes if len(attributes) > 1 else None,
            item_tokens if self.has_token_sizes else None,
        )
