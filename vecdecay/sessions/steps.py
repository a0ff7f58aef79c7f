"""The steps of an item's rhythm as Python objects, and how many touches each can come to."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from vecdecay.sessions import rhythm_kernel as kernels


class Step(NamedTuple):
    """One step: a row of numbers for the kernel, and the touches that it writes for one item.

    ``certain`` bounds them from above always; ``mean`` is the expected number where it is random (a Poisson number), 0
    where it is not.
    """

    numbers: tuple[float, float, float, float]
    certain: int
    mean: float = 0.0


def register(first_turn: int = 1, last_turn: int = 1) -> Step:
    """Return: one registration in a turn of the range, each equally likely; no draw where the range is one turn."""
    return Step((kernels.REGISTER, first_turn, last_turn, 0.0), 1)


def spread(count: int, first_turn: int, last_turn: int) -> Step:
    """Return: ``count`` recalls, each in any turn of the range with equal chance, several in one turn included."""
    return Step((kernels.SPREAD, count, first_turn, last_turn), count)


def come_back(turns: int) -> Step:
    """Return: one recall, ``turns`` turns after the latest touch."""
    return Step((kernels.RETURN, turns, 0.0, 0.0), 1)


def spread_after(count: int, turns: int) -> Step:
    """Return: ``count`` recalls, each in any of the ``turns`` turns after the latest touch."""
    return Step((kernels.SPREAD_AFTER, count, turns, 0.0), count)


def process(rate: float, first_turn: int, last_turn: int) -> Step:
    """Return: recalls at random moments, ``rate`` per turn on average (a Poisson process) over the range of turns."""
    turns = max(0, last_turn - first_turn + 1)
    return Step((kernels.PROCESS, rate, first_turn, last_turn), 0, rate * turns)


def power_gaps(scale: float, exponent: float, session_length: int) -> Step:
    """Return: recalls at gaps g ≥ 1 with P(g > x) = (1 + x / scale) ** -exponent, turn by turn to the end."""
    return Step((kernels.POWER_GAPS, scale, exponent, 0.0), session_length)


def periodic(period: int, jitter: int, session_length: int) -> Step:
    """Return: a recall every ``period`` turns from a random start, each shifted by at most ``jitter`` turns."""
    return Step((kernels.PERIODIC, period, jitter, 0.0), (session_length + jitter) // period + 1)


class Plan(NamedTuple):
    """``num_items`` items that follow the same steps."""

    num_items: int
    steps: tuple[Step, ...]


def most_touches(plans: Iterable[Plan]) -> int:
    """Return a bound on the touches of one session: certain, or broken with a probability far below 1e-20.

    >>> most_touches([Plan(3, (register(), spread(4, 2, 150)))])
    15
    """
    certain, mean = 0, 0.0
    for plan in plans:
        certain += plan.num_items * sum(step.certain for step in plan.steps)
        mean += plan.num_items * sum(step.mean for step in plan.steps)
    return certain + most_of_poisson(mean)


def most_of_poisson(mean: float) -> int:
    """Return a number that a Poisson number of this mean exceeds with a probability below 1e-21; 0 for the mean 0.

    >>> most_of_poisson(0.0), most_of_poisson(100.0)
    (0, 220)
    """
    return math.ceil(mean + 10.0 * math.sqrt(mean) + 20.0) if mean > 0.0 else 0


def flat_numbers(plans: Sequence[Plan]) -> list[float]:
    """Return the rows of all steps, plan after plan, in one list."""
    return [number for plan in plans for step in plan.steps for number in step.numbers]
